// The whole way through onboarding, as people go it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ACCOUNTS, ADDRESS, DESKTOP, FEDERAL, PERSONAL, PHONE, TEXTS, call, englishOn, faults, fill, going, hire, link, open, paidSomebody, picture,
  screenOf, start, world,
} from './support.mjs';
import { keyboard } from './keyboard.mjs';
import { wholeWay } from './way.mjs';

const service = world();

test('the whole way without scripts, on a phone, in Spanish', () =>
  wholeWay(service, { ...PHONE, javaScriptEnabled: false, locale: 'es-US' }));

test('English words are found on a page that says that it is in Spanish', async () => {
  const { page, close } = await open(service, DESKTOP);
  await page.goto((await hire(service)).link);
  await going(page, () => page.click('a.button'));
  assert.deepEqual(await englishOn(page, 'personal'), []);
  await page.evaluate(() => (document.documentElement.lang = 'es'));
  const found = await englishOn(page, 'personal');
  for (const key of ['personal_title', 'ssn_help', 'save_and_continue', 'first_name']) {
    assert.ok(found.some((one) => one.endsWith(`: ${TEXTS.en[key]}`)), `${key}: ${found}`);
  }
  await close();
});

test('the keyboard is enough for the whole way, without a script', async () => {
  const person = await hire(service, { i9: true });
  const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled: false });
  await page.goto(person.link);
  const { reach, type, tick, enter } = keyboard(page);
  const to = async (screen, selector = 'main button.main') => {
    await enter(selector);
    assert.equal(screenOf(page), screen);
  };
  await page.keyboard.press('Tab');
  assert.ok(await page.evaluate(() => document.activeElement.matches('.skip')), 'the first stop leads to the content');
  await page.keyboard.press('Enter');
  await to('personal', 'main a.button');
  await type(PERSONAL);
  await to('address');
  await type(ADDRESS);
  await tick('[name="courtesy_withholding"]');
  await to('federal');
  await type(FEDERAL);
  await to('state');
  const asked = await page.locator('main .control :is(input, select)').evaluateAll((all) =>
    all.map((one) => [one.name, one.options ? one.options[1].value : '0']));
  await type(Object.fromEntries(asked));
  await to('payment');
  const { account_type, ...account } = ACCOUNTS[0];
  await type({ ...account, account_number_again: account.account_number, account_type });
  await enter('button[value="add"]');
  await to('i9');
  await type({ authorization_status: await page.locator('[name="authorization_status"] option').nth(1).getAttribute('value') });
  await to('documents');
  await reach('main form input[type="text"]');
  await page.keyboard.type('Isabel R Moreno');
  await tick('main form input[name="agree"]');
  await to('review', 'main form button.main');
  const review = await page.innerText('main');
  for (const shown of [PERSONAL.email, ADDRESS.street_1, '25.00', '7890']) {
    assert.ok(review.includes(shown), `the review shows ${shown}`);
  }
  assert.ok(!/412-?55-?1077|1234567890/.test(review), 'and no number in full');
  await to('done');
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
    assert.match(await page.innerText('main table'), /401\(k\)\s+5 ?%/);
    assert.deepEqual(await faults(page, 'deductions'), []);
    if (language === 'es') assert.deepEqual(await englishOn(page, 'deductions'), []);
    await picture(page, `deductions-${language}`);
    await page.locator('main button.main').focus();
    await going(page, () => page.keyboard.press('Enter'));
    assert.equal(screenOf(page), 'done');
    assert.deepEqual(await faults(page, 'deductions-done'), []);
    await close();
  }
});

test('somebody who was paid reads pay stubs with the sums of the year, on a page and as PDF, in both languages', async (t) => {
  // Its clock is moved to the payday.
  const own = { ...(await start()), browser: service.browser };
  t.after(own.stop);
  const paid = await paidSomebody(own);
  for (const [language, options] of [['en', DESKTOP], ['es', PHONE], ['en', { ...PHONE, colorScheme: 'dark' }]]) {
    const { page, context, close } = await open(own, { ...options, locale: language === 'es' ? 'es-US' : 'en-US' });
    await page.goto(await link(own, paid, 'pay_stubs'));
    await going(page, () => page.click('a.button'));
    const name = `pay-stubs-${language}-${options.colorScheme ?? 'light'}`;
    assert.equal(await page.innerText('h1'), TEXTS[language].stubs_title);
    assert.match(await page.innerText('.hero .figure'), /^\$[\d,]+\.\d\d$/);
    assert.deepEqual(await faults(page, name), []);
    if (language === 'es') assert.deepEqual(await englishOn(page, name), []);
    await picture(page, name);
    await going(page, () => page.locator('.stubs a').first().click());
    const table = await page.innerText('main');
    for (const column of ['stub_current', 'stub_to_date']) assert.ok(table.includes(TEXTS[language][column]), column);
    assert.deepEqual(await faults(page, `${name}-one`), []);
    if (language === 'es') assert.deepEqual(await englishOn(page, `${name}-one`), []);
    await picture(page, `${name}-one`);
    const pdf = await context.request.get(own.base + (await page.getAttribute('main a.button', 'href')));
    assert.equal(pdf.headers()['content-type'], 'application/pdf');
    const pages = (await pdf.body()).toString('latin1').match(/\/Type \/Page\b/g).length;
    assert.equal(pages, 1);
    assert.ok(!table.includes(language === 'es' ? 'Notas' : 'Notes'), 'what the employer has to settle is not on a stub');
    // Another link's cookie, and a payroll that does not concern the visitor, lead nowhere.
    await page.goto(`${own.base}/flow/pay_stubs/00000000-0000-7000-8000-000000000000`);
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
