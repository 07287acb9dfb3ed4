// The whole way through onboarding, as people go it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ACCOUNTS, ADDRESS, DESKTOP, FEDERAL, PERSONAL, PHONE, TEXTS, call, dateParts, faults, fill, going, hire, link, open, paidSomebody, picture, screenOf, walk, world,
} from './support.mjs';

const service = world();

async function wholeWay({ i9, language = 'en', ...options }) {
  const person = await hire(service, { i9 });
  const { page, context, close } = await open(service, { ...options, locale: language === 'es' ? 'es-US' : 'en-US' });
  const titles = { personal: 'personal_title', address: 'address_title', federal: 'w4_title', state: 'states_title',
    payment: 'payment_title', i9: 'i9_title', documents: 'documents_title', review: 'review_title', done: 'done_title' };
  const seen = [];
  await walk(service, page, person, async (name) => {
    seen.push(name);
    assert.equal(await page.getAttribute('html', 'lang'), language);
    const title = titles[screenOf(page)];
    if (title) assert.equal(await page.innerText('h1'), TEXTS[language][title]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${name} is ${wide} pixels too wide`);
    if (name !== 'documents') return;
    for (const anchor of await page.locator('main section a').all()) {
      const pdf = await context.request.get(service.base + (await anchor.getAttribute('href')));
      assert.equal(pdf.status(), 200);
      assert.equal(pdf.headers()['content-type'], 'application/pdf');
      assert.equal(String((await pdf.body()).subarray(0, 5)), '%PDF-');
    }
  });
  assert.equal(seen.includes('i9'), Boolean(i9));
  await close();

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
  assert.ok(forms.length >= (i9 ? 3 : 2));
  assert.ok(forms.every((form) => !form.requires_signing), 'everything is signed');
}

test('the whole way on a desktop, in English, with Form I-9', () => wholeWay({ ...DESKTOP, i9: true }));
test('the whole way on a desktop, in Spanish', () => wholeWay({ ...DESKTOP, language: 'es' }));
test('the whole way on a phone, in English', () => wholeWay({ ...PHONE }));
test('the whole way on a phone, in Spanish, with Form I-9', () => wholeWay({ ...PHONE, language: 'es', i9: true }));
test('the whole way without scripts, on a desktop', () => wholeWay({ ...DESKTOP, javaScriptEnabled: false }));
test('the whole way without scripts, on a phone, in Spanish', () =>
  wholeWay({ ...PHONE, javaScriptEnabled: false, language: 'es', i9: true }));

test('the keyboard is enough for the whole way', async () => {
  const person = await hire(service);
  const { page, close } = await open(service);
  await page.goto(person.link);
  // Tab until something has the focus; the ring around it has to be seen.
  const reach = async (selector) => {
    for (let presses = 0; presses < 40; presses += 1) {
      await page.keyboard.press('Tab');
      if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) {
        const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
        assert.notEqual(ring, 'none', `${selector} shows its focus`);
        return;
      }
    }
    assert.fail(`${selector} cannot be reached with the tab key`);
  };
  const enter = async (screen) => {
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/flow/${screen}`);
  };
  await page.keyboard.press('Tab');
  assert.ok(await page.evaluate(() => document.activeElement.matches('.skip')), 'the first stop leads to the content');
  await page.keyboard.press('Enter');
  await reach('a.button');
  await enter('personal');
  // Moving to a field with the tab key selects what it holds: typing replaces it. A choice is made by its first letters.
  const type = async (values) => {
    const fields = Object.entries(values).flatMap(([name, value]) => {
      const parts = dateParts(value);
      return parts ? Object.entries(parts).map(([part, text]) => [`${name}.${part}`, text]) : [[name, value]];
    });
    for (const [name, value] of fields) {
      await reach(`main [name="${name}"]`);
      const label = await page.evaluate((wanted) => {
        const options = [...(document.activeElement.options ?? [])];
        return options.find((option) => option.value === wanted)?.label;
      }, value);
      if (label) {
        await page.keyboard.type(label);
        assert.equal(await page.evaluate(() => document.activeElement.value), value);
      } else if (value) await page.keyboard.type(value);
      else await page.keyboard.press('Delete');
    }
  };
  await type(PERSONAL);
  await enter('address');
  await type(ADDRESS);
  await reach('[name="courtesy_withholding"]');
  await page.keyboard.press('Space');
  await reach('button.main');
  await enter('federal');
  await type(FEDERAL);
  await enter('state');
  const asked = await page.locator('main .control :is(input, select)').evaluateAll((all) =>
    all.map((one) => [one.name, one.options ? one.options[1].value : '0']));
  await type(Object.fromEntries(asked));
  await reach('button.main');
  await enter('payment');
  const { account_type, ...account } = ACCOUNTS[0];
  await type({ ...account, account_number_again: account.account_number, account_type });
  await reach('button[value="add"]');
  await going(page, () => page.keyboard.press('Enter'));
  await page.keyboard.press('Tab');
  await reach('button.main');
  await enter('documents');
  await reach('main form input[type="text"]');
  await page.keyboard.type('Isabel R Moreno');
  await reach('main form input[type="checkbox"]');
  await page.keyboard.press('Space');
  await reach('main form button.main');
  await going(page, () => page.keyboard.press('Enter'));
  assert.equal(screenOf(page), 'review');
  const review = await page.innerText('main');
  for (const shown of [PERSONAL.email, ADDRESS.street_1, '25.00', '7890']) {
    assert.ok(review.includes(shown), `the review shows ${shown}`);
  }
  assert.ok(!/412-?55-?1077|1234567890/.test(review), 'and no number in full');
  await reach('main button.main');
  await enter('done');
  await close();
  const [home, ...others] = await call(service, 'GET', `${person.employee}/home_addresses`);
  assert.deepEqual(others, []);
  for (const [name, value] of Object.entries(ADDRESS)) assert.equal(home[name], value);
  assert.equal(home.courtesy_withholding, true);
});

test('what is withheld is shown while the form is filled in, and nothing is stored by that', async () => {
  const person = await hire(service);
  const { page, close } = await open(service);
  await page.goto(person.link);
  await page.goto(`${service.base}/flow/federal`);
  await fill(page, { filing_status: 'Single', two_jobs: 'false' });
  const shown = () => page.innerText('#preview');
  await page.waitForFunction(() => document.querySelector('#preview dd'));
  const before = await shown();
  await fill(page, { extra_withholding: '40' });
  await page.waitForFunction((text) => document.querySelector('#preview').innerText !== text, before);
  assert.notEqual(await shown(), before);
  assert.equal(await page.inputValue('[name="extra_withholding"]'), '40', 'the entries stay as they are');
  assert.equal((await call(service, 'GET', `${person.employee}/federal_taxes`)).filing_status, null);
  await close();
});

test('whoever helped with Form I-9 signs on the same page, without a script too', async () => {
  for (const [name, options] of [['desktop', DESKTOP], ['phone', { ...PHONE, javaScriptEnabled: false }]]) {
    const person = await hire(service, { i9: true });
    await call(service, 'PUT', `${person.employee}/i9_authorization`, { authorization_status: 'citizen' });
    const { page, close } = await open(service, options);
    await page.goto(await link(service, person.uuid, 'employee_form_signing'));
    await page.goto(`${service.base}/flow/documents`);
    const form = page.locator('main form', { has: page.locator('[value="preparers:1"], [name="preparers"]') });
    await form.locator('[name="signature_text"]').fill('Isabel Moreno');
    await going(page, () => form.locator('[value="preparers:1"]').click());
    assert.equal(await form.locator('[name="signature_text"]').inputValue(), 'Isabel Moreno', 'what was entered stays');
    if (options.javaScriptEnabled !== false) assert.deepEqual(await faults(page, 'documents-helper'), []);
    await picture(page, `documents-helper-${name}`);
    await form.locator('[name="agree"]').check();
    const refused = await going(page, () => form.locator('button.main').click());
    assert.equal(refused.status(), 422);
    if (options.javaScriptEnabled !== false) assert.deepEqual(await faults(page, 'documents-helper-refused'), []);
    await picture(page, `documents-helper-refused-${name}`);
    const helper = { first_name: 'Bo', last_name: 'Kim', street_1: '5 Elm St', city: 'Reno', zip: '89501' };
    for (const [field, value] of Object.entries(helper)) await form.locator(`[name="preparer_${field}"]`).fill(value);
    await form.locator('[name="preparer_state"]').selectOption('NV');
    await form.locator('[name="preparer_agree"]').check();
    await going(page, () => form.locator('button.main').click());
    await close();
    const forms = await call(service, 'GET', `${person.employee}/forms`);
    assert.equal(forms.find((one) => one.name === 'US_I-9').requires_signing, false);
  }
});

test('what is taken from the pay can be read, in both languages, on a phone and with the keyboard', async () => {
  const [first] = service.company.employees;
  for (const [language, options] of [['en', DESKTOP], ['es', PHONE]]) {
    const { page, close } = await open(service, { ...options, locale: language === 'es' ? 'es-US' : 'en-US' });
    await page.goto(await link(service, first.uuid, 'deductions'));
    assert.equal(screenOf(page), 'welcome');
    assert.deepEqual(await faults(page, 'deductions-welcome'), []);
    await page.locator('a.button').focus();
    await going(page, () => page.keyboard.press('Enter'));
    assert.equal(await page.innerText('h1'), TEXTS[language].deductions_title);
    assert.match(await page.innerText('main table'), /401\(k\)\s+5\.00 %/);
    assert.deepEqual(await faults(page, 'deductions'), []);
    await picture(page, `deductions-${language}`);
    await page.locator('main button.main').focus();
    await going(page, () => page.keyboard.press('Enter'));
    assert.equal(screenOf(page), 'done');
    assert.deepEqual(await faults(page, 'deductions-done'), []);
    await close();
  }
});

test('somebody who was paid reads pay stubs with the sums of the year, on a page and as PDF, in both languages', async () => {
  const paid = await paidSomebody(service);
  for (const [language, options] of [['en', DESKTOP], ['es', PHONE], ['en', { ...PHONE, colorScheme: 'dark' }]]) {
    const { page, context, close } = await open(service, { ...options, locale: language === 'es' ? 'es-US' : 'en-US' });
    await page.goto(await link(service, paid, 'pay_stubs'));
    await going(page, () => page.click('a.button'));
    const name = `pay-stubs-${language}-${options.colorScheme ?? 'light'}`;
    assert.equal(await page.innerText('h1'), TEXTS[language].stubs_title);
    assert.match(await page.innerText('.hero .figure'), /^\$[\d,]+\.\d\d$/);
    assert.deepEqual(await faults(page, name), []);
    await picture(page, name);
    await going(page, () => page.locator('.stubs a').first().click());
    const table = await page.innerText('main');
    for (const column of ['stub_current', 'stub_to_date']) assert.ok(table.includes(TEXTS[language][column]), column);
    assert.deepEqual(await faults(page, `${name}-one`), []);
    await picture(page, `${name}-one`);
    const pdf = await context.request.get(service.base + (await page.getAttribute('main a.button', 'href')));
    assert.equal(pdf.headers()['content-type'], 'application/pdf');
    assert.equal((await pdf.body()).toString('latin1').match(/\/Type \/Page\b/g).length, 1, 'one page');
    // Another link's cookie, and a payroll that does not concern the visitor, lead nowhere.
    await page.goto(`${service.base}/flow/pay_stubs/00000000-0000-7000-8000-000000000000`);
    assert.notEqual(new URL(page.url()).pathname, '/flow/pay_stubs/00000000-0000-7000-8000-000000000000');
    await close();
  }
});

test('the last page leads back to the address that the link names', async () => {
  const person = await hire(service);
  const asked = { flow_type: 'deductions', entity_type: 'Employee', entity_uuid: person.uuid, redirect_url: `${service.base}/docs` };
  const { url } = await call(service, 'POST', `/v1/companies/${service.company.uuid}/flows`, asked);
  const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled: false });
  await page.goto(url);
  await page.goto(`${service.base}/flow/done`);
  await going(page, () => page.getByRole('link', { name: TEXTS.en.done_back_plain }).click());
  assert.equal(page.url(), `${service.base}/docs`);
  await close();
});
