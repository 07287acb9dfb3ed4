// The employer's pages of contractors: one is added and onboarded from a signed Form W-9, paid, and the payment is taken back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DESKTOP, PHONE, call, englishOn, faults, fill, going, open, picture, screenOf, tooWide, world } from './support.mjs';

const service = world();

const press = (page, action) => going(page, () => page.locator(`main button[value="${action}"]`).first().click());

async function link(flow_type) {
  const asked = { flow_type, entity_type: 'Company', entity_uuid: service.company.uuid, redirect_url: 'https://pos.example/back' };
  return (await call(service, 'POST', `/v1/companies/${service.company.uuid}/flows`, asked)).url;
}

// Looks at a page: a picture, what axe-core finds, whether it is wider than the screen, and English on a Spanish one.
function looking(page, prefix, found, { locale = 'en-US' }) {
  return async (name) => {
    await picture(page, `${prefix}-${name}`);
    found.push(...(await faults(page, name)));
    if (locale === 'es-US') found.push(...(await englishOn(page, name)));
    const wide = await tooWide(page);
    if (wide > 0) found.push(`${name} is ${wide} pixels too wide`);
    const size = (await page.content()).length;
    if (size > 40_000) found.push(`${name} has ${size} bytes`);
  };
}

const REST = {
  street_1: '7 Mill Lane', city: 'Austin', state: 'TX', zip: '78701', pay_by: 'Direct Deposit', name: 'Studio',
  routing_number: '121000374', account_number: '40070051', account_number_again: '40070051', account_type: 'Checking',
};

async function added(page, look, first_name) {
  await page.goto(`${service.base}/flow/contractors`);
  await look('contractors');
  await press(page, 'add');
  await look('contractors-new');
  assert.equal((await press(page, 'save')).status(), 422);
  await look('contractors-refused');
  await fill(page, {
    type: 'Individual', first_name, last_name: 'Ford', email: `${first_name.toLowerCase()}@people.example`, start_date: '2026-01-05',
    wage_type: 'Hourly', hourly_rate: '65.00', invites: 'employer',
  });
  await press(page, 'save');
  const all = await call(service, 'GET', `/v1/companies/${service.company.uuid}/contractors?search_term=${first_name}`);
  const { uuid } = all.find((one) => one.first_name === first_name);
  await press(page, `enter:${uuid}`);
  await look('contractors-rest');
  await fill(page, { ssn: `412-55-${first_name === 'Lina' ? 1234 : 1235}`, ...REST });
  await press(page, 'entered');
  await press(page, `finish:${uuid}`);
  await look('contractors-one');
  assert.equal((await call(service, 'GET', `/v1/contractors/${uuid}`)).onboarding_status, 'onboarding_completed');
  return uuid;
}

async function paid(page, look, contractor) {
  await page.goto(`${service.base}/flow/contractor_payments`);
  await look('contractor_payments');
  await going(page, () => page.click('main a.button'));
  await look('amounts');
  const hours = page.locator(`main [name="hours.${contractor}"]`);
  await hours.fill('many');
  assert.equal((await press(page, 'preview')).status(), 422);
  await look('amounts-refused');
  await hours.fill('12.5');
  await press(page, 'all');
  await page.fill(`main [name="invoice_number.${contractor}"]`, 'INV-7');
  await look('amounts-all');
  await press(page, 'preview');
  await look('preview');
  assert.equal(await page.innerText('main .figure'), '$812.50');
  await press(page, 'submit');
  await look('receipt');
  const receipt = page.url();
  const group = `/v1/contractor_payment_groups/${screenOf(page)}`;
  assert.equal((await call(service, 'GET', group)).totals.debit_amount, '812.50');
  await press(page, 'cancel');
  await look('cancel');
  await press(page, 'cancelled');
  assert.equal(screenOf(page), 'contractor_payments');
  await page.goto(receipt);
  assert.equal(screenOf(page), 'contractor_payments', 'what was cancelled has no page');
}

async function whole(prefix, options, name) {
  const { page, close } = await open(service, options);
  const found = [];
  const look = looking(page, prefix, found, options);
  await page.goto(await link('add_contractors,contractor_payments'));
  assert.equal(screenOf(page), 'contractor_payments');
  await paid(page, look, await added(page, look, name));
  await close();
  assert.deepEqual(found, []);
}

test('a contractor is added and paid on a desktop, in English', () => whole('contractors-desktop-en', DESKTOP, 'Lina'));
test('a contractor is added and paid in the dark, on a phone, in Spanish', () =>
  whole('contractors-phone-es', { ...PHONE, colorScheme: 'dark', locale: 'es-US' }, 'Omar'));
