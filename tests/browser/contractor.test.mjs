// A contractor's own pages on a phone, from the link to the review, without a script, in both languages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHONE, call, englishOn, faults, fill, going, open, picture, save, screenOf, tooWide, world } from './support.mjs';

const service = world();
let people = 0;

const ADDRESS = { street_1: '7 Mill Lane', city: 'Austin', state: 'TX', zip: '78701' };
const ACCOUNT = {
  name: 'Studio 7', routing_number: '121000374', account_number: '40070051', account_number_again: '40070051', account_type: 'Checking',
};

async function invited(body) {
  people += 1;
  const company = `/v1/companies/${service.company.uuid}`;
  const made = await call(service, 'POST', `${company}/contractors`, {
    wage_type: 'Fixed', start_date: '2026-01-05', self_onboarding: true, email: `contractor${people}@people.example`, ...body,
  });
  const contractor = `/v1/contractors/${made.uuid}`;
  await call(service, 'PUT', `${contractor}/onboarding_status`, { onboarding_status: 'self_onboarding_invited' });
  const asked = { flow_type: 'contractor_self_management', entity_type: 'Contractor', entity_uuid: made.uuid };
  return { contractor, link: (await call(service, 'POST', `${company}/flows`, asked)).url };
}

async function walk(page, person, details, answers, look) {
  const arrived = async (screen) => {
    assert.equal(screenOf(page), screen);
    await look(screen);
  };
  await page.goto(person.link);
  await arrived('welcome');
  await going(page, () => page.click('a.button'));
  await arrived('personal');
  await fill(page, details);
  await save(page);
  await arrived('address');
  await fill(page, ADDRESS);
  await save(page);
  await arrived('payment');
  await fill(page, ACCOUNT);
  await going(page, () => page.click('button[value="add"]'));
  await arrived('documents');
  await fill(page, answers);
  const form = page.locator('main form').first();
  await form.locator('[name="agree"]').check();
  await going(page, () => form.locator('button.main').click());
  await arrived('review');
  const review = await page.innerText('main');
  assert.ok(review.includes(ADDRESS.street_1) && review.includes('0051'), review);
  assert.ok(!review.includes('1234'), 'no number is shown');
  await save(page);
  await arrived('done');
  assert.equal((await call(service, 'GET', person.contractor)).onboarding_status, 'self_onboarding_review');
}

for (const [language, locale] of [['en', 'en-US'], ['es', 'es-US']]) {
  test(`a business comes to the review in ${language}`, async () => {
    const person = await invited({ type: 'Business', business_name: 'Hill Design LLC' });
    const { page, close } = await open(service, { ...PHONE, javaScriptEnabled: false, locale });
    const details = { business_name: 'Hill Design LLC', email: 'hill@people.example', ein: '74-5551234' };
    const answers = { classification: 'limited_liability_company', tax_classification: 's', signature_text: 'Ana Hill' };
    await walk(page, person, details, answers, async (screen) => {
      assert.equal(await page.getAttribute('html', 'lang'), language);
      const wide = await tooWide(page);
      assert.ok(wide <= 0, `${screen} is ${wide} pixels too wide`);
      if (language === 'es') assert.deepEqual(await englishOn(page, screen), []);
      await picture(page, `contractor-${screen}-${language}`);
    });
    await close();
  });
}

test('an individual comes to the review, and every screen can be read by everybody', async () => {
  const person = await invited({ type: 'Individual', first_name: 'Lina', last_name: 'Ford' });
  const { page, close } = await open(service, PHONE);
  const details = { first_name: 'Lina', last_name: 'Ford', email: 'lina@people.example', ssn: '412-55-1234' };
  await walk(page, person, details, { signature_text: 'Lina Ford' }, async (screen) => {
    assert.deepEqual(await faults(page), [], screen);
  });
  await close();
});
