// The whole way of an employee through onboarding, from the link to the end, with what has to be there and what is stored by it.
import assert from 'node:assert/strict';
import {
  ACCOUNTS, ADDRESS, FEDERAL, PERSONAL, TEXTS, addAccount, answerState, call, englishOn, fill, going, held, hire, open, save, screenOf, tooWide, unfold,
} from './support.mjs';

async function sign(page, name = 'Isabel R Moreno') {
  const form = page.locator('main form').first();
  await form.locator('[name="signature_text"]').fill(name);
  await form.locator('[name="agree"]').check();
  return going(page, () => form.locator('button.main').click());
}

// The whole way, from the link to the end; `look(name)` is called on every screen, before and after what changes it.
async function walk(page, person, look) {
  const arrived = async (screen) => {
    assert.equal(screenOf(page), screen);
    await look(screen);
  };
  await page.goto(person.link);
  await arrived('welcome');
  await going(page, () => page.click('a.button'));
  await arrived('personal');
  await fill(page, PERSONAL);
  await save(page);
  await arrived('address');
  await fill(page, ADDRESS);
  await page.check('[name="courtesy_withholding"]');
  await save(page);
  await arrived('federal');
  await fill(page, FEDERAL);
  const shown = await going(page, () => page.click('button[value="show"]'));
  assert.equal(shown.status(), 200);
  assert.match(await page.innerText('main [role="status"] dd'), /\$[\d,]+\.\d\d.*\$[\d,]+\.\d\d/);
  assert.deepEqual(await held(page), FEDERAL, 'the preview keeps what was entered');
  await look('federal-preview');
  await save(page);
  await arrived('state');
  await answerState(page);
  await save(page);
  await arrived('payment');
  for (const account of ACCOUNTS) await addAccount(page, account);
  await look('payment-accounts');
  await fill(page, { split_by: 'Percentage' });
  const [first, second] = await page.locator('[name^="splits."]').all();
  await first.fill('60');
  await second.fill('40');
  await save(page);
  if (person.i9) {
    await arrived('i9');
    await fill(page, { authorization_status: await page.locator('[name="authorization_status"] option').nth(1).getAttribute('value') });
    await save(page);
  }
  await arrived('documents');
  const unsigned = await page.locator('main input[name="document"]').count();
  assert.ok(unsigned >= (person.i9 ? 3 : 2), `${unsigned} documents to sign`);
  await unfold(page, 'main .document details');
  await look('documents-previewed');
  await sign(page);
  await arrived('review');
  await save(page);
  await arrived('done');
}

const TITLES = {
  personal: 'personal_title', address: 'address_title', federal: 'w4_title', state: 'states_title', payment: 'payment_title',
  i9: 'i9_title', documents: 'documents_title', review: 'review_title', done: 'done_title',
};

// What a screen has to be in a language, whatever else is looked for on it.
async function isRight(service, page, name, language) {
  assert.equal(await page.getAttribute('html', 'lang'), language);
  const title = TITLES[screenOf(page)];
  if (title) assert.equal(await page.innerText('h1'), TEXTS[language][title]);
  const wide = await tooWide(page);
  assert.ok(wide <= 0, `${name} is ${wide} pixels too wide`);
  if (language === 'es') assert.deepEqual(await englishOn(page, name), []);
  if (name !== 'documents') return;
  for (const anchor of await page.locator('main section a').all()) {
    const pdf = await page.context().request.get(service.base + (await anchor.getAttribute('href')));
    assert.equal(pdf.status(), 200);
    assert.equal(pdf.headers()['content-type'], 'application/pdf');
    assert.equal(String((await pdf.body()).subarray(0, 5)), '%PDF-');
  }
}

async function isStored(service, person) {
  const get = (rest) => call(service, 'GET', person.employee + rest);
  const status = await get('/onboarding_status');
  assert.equal(status.onboarding_status, 'self_onboarding_completed_by_employee');
  const employee = await get('');
  assert.equal(employee.email, PERSONAL.email);
  assert.equal(employee.date_of_birth, PERSONAL.date_of_birth);
  assert.equal(employee.has_ssn, true);
  const homes = await get('/home_addresses');
  assert.equal(homes.length, 1);
  assert.equal(homes[0].street_1, ADDRESS.street_1);
  assert.equal(homes[0].courtesy_withholding, true);
  const accounts = await get('/bank_accounts');
  assert.deepEqual(accounts.map((one) => one.hidden_account_number.slice(-4)).sort(), ['4321', '7890']);
  assert.ok(!/1234567890|987654321/.test(JSON.stringify(accounts)), 'account numbers are masked');
  const method = await get('/payment_method');
  assert.equal(method.type, 'Direct Deposit');
  const shares = Object.fromEntries(method.splits.map((split) => [split.name, split.split_amount]));
  assert.deepEqual(shares, { Household: 60, 'Savings pot': 40 });
  const federal = await get('/federal_taxes');
  assert.equal(federal.filing_status, 'Single');
  assert.equal(Number(federal.dependents_amount), 2000);
  assert.equal(Number(federal.extra_withholding), 25);
  const forms = await get('/forms');
  assert.ok(forms.length >= (person.i9 ? 3 : 2));
  assert.ok(forms.every((form) => !form.requires_signing), 'everything is signed');
}

// Goes it in a browser with these options; `look` is called on every screen, before and after what changes it, and `afterwards` at
// the end.
export async function wholeWay(service, { i9 = false, ...options }, { look = async () => {}, afterwards = async () => {} } = {}) {
  const person = await hire(service, { i9 });
  const { page, close } = await open(service, options);
  const language = options.locale === 'es-US' ? 'es' : 'en';
  const seen = [];
  await walk(page, person, async (name) => {
    seen.push(name);
    await isRight(service, page, name, language);
    await look(page, name);
  });
  assert.equal(seen.includes('i9'), i9);
  await afterwards(page, person);
  await close();
  await isStored(service, person);
}
