// The employer's pages, as people go them: a company from its first address to its end, and a payroll from its hours to its receipt.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DESKTOP, PHONE, call, englishOn, faults, fill, going, open, picture, save, screenOf, tooWide, world } from './support.mjs';
import { keyboard } from './keyboard.mjs';

const service = world();

async function system(method, address, body) {
  const answer = await fetch(service.base + address, {
    method,
    headers: { Authorization: `Bearer ${service.report.system_access_token}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  assert.ok(answer.ok, `${method} ${address}: ${answer.status}`);
  return answer.json();
}

let companies = 0;

// A company of the application's own that has nothing yet, with its token in the place of the demo company's.
async function fresh() {
  companies += 1;
  const made = await system('POST', '/v1/partner_managed_companies', {
    user: { first_name: 'Susan', last_name: 'Whitfield', email: `susan${companies}@people.example` },
    company: { name: `Corner Bakery ${companies}`, trade_name: 'Corner Bakery' },
  });
  return { ...service, company: { uuid: made.company_uuid, access_token: made.access_token } };
}

async function link(of, flow_type) {
  const asked = { flow_type, entity_type: 'Company', entity_uuid: of.company.uuid, redirect_url: 'https://pos.example/back' };
  return (await call(of, 'POST', `/v1/companies/${of.company.uuid}/flows`, asked)).url;
}

const PLACE = { street_1: '300 3rd Street', city: 'San Antonio', state: 'TX', zip: '78205', phone_number: '(210) 555-0100' };
const SIGNATORY = {
  first_name: 'Susan', last_name: 'Whitfield', title: 'Owner', phone: '210 555 0100', email: 'susan@people.example',
  birthday: '1971-01-22', ssn: '412-55-1004', street_1: '19 Willow Court', city: 'San Antonio', state: 'TX', zip: '78209',
};
const TAXES = { legal_name: 'Corner Bakery LLC', ein: '74-1852096', tax_payer_type: 'LLC', filing_form: '941' };
const INDUSTRY = { title: 'Retail bakery', naics_code: '311811' };
const ACCOUNT = { routing_number: '021000021', account_number: '9012 6600 418', account_number_again: '9012 6600 418', account_type: 'Checking' };
const STATES = { 'TX.registrations.unemployment_account_number': '12-3456789', 'TX.taxrates.unemployment_rate': '2.7' };
const SCHEDULE = { frequency: 'Every other week', anchor_pay_date: '2026-12-11', anchor_end_of_pay_period: '2026-12-06' };
const EMPLOYEE = { first_name: 'Maria', last_name: 'Alvarez', email: 'maria@people.example', title: 'Baker', hire_date: '2026-11-02', terms: 'Hour/Nonexempt', rate: '18.50' };

const press = (page, action) => going(page, () => page.locator(`main button[value="${action}"]`).first().click());

// Looks at a page: a picture, what axe-core finds, and whether it is wider than the screen. axe-core waits for timers, which a page
// without scripts has not.
function looking(page, prefix, found, { javaScriptEnabled = true, locale = 'en-US' }) {
  return async (name) => {
    await picture(page, `${prefix}-employer-${name}`);
    if (javaScriptEnabled) found.push(...(await faults(page, name)));
    if (locale === 'es-US') found.push(...(await englishOn(page, name)));
    const wide = await tooWide(page);
    if (wide > 0) found.push(`${name} is ${wide} pixels too wide`);
    const size = (await page.content()).length;
    if (size > 40_000) found.push(`${name} has ${size} bytes`);
  };
}

// What the two test deposits came to, as the bank statement has it.
async function testDeposits(of) {
  const accounts = `/v1/companies/${of.company.uuid}/bank_accounts`;
  const [account] = await call(of, 'GET', accounts);
  const { deposit_1, deposit_2 } = await call(of, 'POST', `${accounts}/${account.uuid}/send_test_deposits`, {});
  return { deposit_1: String(deposit_1), deposit_2: String(deposit_2) };
}

// The employee enters the rest; here the partner does it. What is left is a question that the employer answers.
async function employeePart(of) {
  const [{ uuid }] = await call(of, 'GET', `/v1/companies/${of.company.uuid}/employees`);
  const employee = `/v1/employees/${uuid}`;
  const { version } = await call(of, 'GET', employee);
  await call(of, 'PUT', employee, { version, date_of_birth: '1984-03-12', ssn: '412551001' });
  await call(of, 'POST', `${employee}/home_addresses`, { street_1: '19 Willow Court', city: 'San Antonio', state: 'TX', zip: '78209' });
  const steps = ['federal_tax_setup', 'state_tax_setup', 'direct_deposit_setup', 'employee_form_signing'];
  await call(of, 'PUT', `${employee}/onboarding_status`, { onboarding_steps: steps.map((id) => ({ id, completed: true })) });
  return uuid;
}

// The whole onboarding; `wrong` also sends what is refused.
async function onboarding(prefix, options, { wrong = false } = {}) {
  const of = await fresh();
  const { page, close } = await open(service, options);
  const found = [];
  const look = looking(page, prefix, found, options);
  const arrived = async (screen) => {
    assert.equal(screenOf(page), screen);
    await look(screen);
  };
  const refused = async (name, act) => {
    if (!wrong) return;
    assert.equal((await act()).status(), 422);
    await look(`${name}-refused`);
  };
  await page.goto(await link(of, 'company_onboarding'));
  await arrived('welcome');
  await going(page, () => page.click('a.button'));
  await arrived('addresses');
  await refused('addresses', () => press(page, 'save'));
  await fill(page, PLACE);
  await press(page, 'save');
  await look('addresses-one');
  await going(page, () => page.click('main button.main'));
  await arrived('signatory');
  await refused('signatory', () => save(page));
  await fill(page, SIGNATORY);
  await save(page);
  await arrived('federal');
  await fill(page, TAXES);
  await save(page);
  await arrived('industry');
  await refused('industry', () => save(page));
  await fill(page, INDUSTRY);
  await save(page);
  await arrived('bank');
  await refused('bank', () => press(page, 'add'));
  await fill(page, ACCOUNT);
  await press(page, 'add');
  await look('bank-one');
  await going(page, () => page.locator('main button.main').click());
  await arrived('employees');
  await fill(page, EMPLOYEE);
  await page.selectOption('main [name="location"]', { index: 1 });
  await press(page, 'save');
  await look('employees-one');
  await going(page, () => page.locator('main button.main').click());
  await arrived('states');
  await refused('states', () => save(page));
  await fill(page, STATES);
  await save(page);
  await arrived('schedule');
  await fill(page, SCHEDULE);
  assert.equal((await press(page, 'show')).status(), 200);
  await look('schedule-shown');
  await save(page);
  await arrived('documents');
  await page.fill('main [name="signature_text"]', 'Susan Whitfield');
  await page.check('main [name="agree"]');
  await save(page);
  await arrived('verify');
  const deposits = await testDeposits(of);
  await page.reload();
  await look('verify-ready');
  await fill(page, deposits);
  await save(page);
  const uuid = await employeePart(of);
  await page.goto(`${service.base}/flow/employees`);
  await press(page, `finish:${uuid}`);
  await look('employees-finish');
  await page.selectOption('main .card select', { index: 1 });
  await press(page, 'finished');
  await page.goto(`${service.base}/flow/review`);
  await look('review');
  const review = await page.innerText('main');
  assert.ok(!/412-?55-?1004|9012 ?6600 ?418|74-?1852096/.test(review), 'no number in full');
  await save(page);
  await arrived('done');
  assert.equal(await page.getAttribute('main a.button', 'href'), 'https://pos.example/back');
  await close();
  assert.deepEqual(found, []);
  const status = await call(of, 'GET', `/v1/companies/${of.company.uuid}/onboarding_status`);
  assert.equal(status.onboarding_completed, true);
}

test('a company is onboarded on a desktop, in English, with what is refused on the way', () =>
  onboarding('desktop-en', DESKTOP, { wrong: true }));
test('a company is onboarded on a phone, in Spanish', () => onboarding('phone-es', { ...PHONE, locale: 'es-US' }));
test('a company is onboarded in the dark, on a phone, with what is refused on the way', () =>
  onboarding('dark-phone', { ...PHONE, colorScheme: 'dark' }, { wrong: true }));

// Looks at the page until the work that it tells of is done: its header does it without a script.
async function done(page, path) {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    if ((await page.locator('progress.going').count()) === 0) return;
    await page.waitForTimeout(300);
    await page.goto(path).catch(() => {});
  }
  throw new Error('the work did not end');
}

async function isProcessed() {
  const { company } = service;
  return (await call(service, 'GET', `/v1/companies/${company.uuid}/payrolls/${company.payroll_uuid}`)).processed;
}

// A payroll of the demo company: hours, preview, submission, receipt, and taking it back.
async function payroll(prefix, options) {
  const { page, close } = await open(service, options);
  const found = [];
  const look = looking(page, prefix, found, options);
  await page.goto(await link(service, 'run_payroll'));
  assert.equal(screenOf(page), 'payrolls');
  await look('payrolls');
  const path = `${service.base}/flow/payrolls/${service.company.payroll_uuid}`;
  await page.goto(`${path}/hours`);
  await look('hours');
  await going(page, () => page.locator('main button[value^="days:"]').first().click());
  assert.match(page.url(), /\/hours\/[0-9a-f-]{36}/);
  await look('days');
  const day = page.locator('main .of-days input[type="text"]').first();
  await day.fill('25');
  assert.equal((await going(page, () => page.locator('main button.main').click())).status(), 422);
  await look('days-refused');
  await going(page, () => page.locator('main a.aside').click());
  const first = page.locator('main .person input[type="text"]').first();
  await first.fill('many');
  assert.equal((await press(page, 'calculate')).status(), 422);
  await look('hours-refused');
  await first.fill('41.5');
  await press(page, 'calculate');
  if (await page.locator('progress.going').count()) await look('calculating');
  await done(page, path);
  await look('preview');
  assert.match(await page.innerText('main .figure'), /^\$[\d,]+\.\d\d$/);
  await press(page, 'submit');
  await look('submit');
  // A balance of time off below zero, and a rate below the minimum wage.
  await page.check('#confirmed');
  await press(page, 'submitted');
  await done(page, path);
  await look('receipt');
  assert.equal(await page.locator('main a[href*="/stubs/"]').count(), await page.locator('main .people tbody th').count());
  assert.equal(await page.locator('main a[href$="/receipt.csv"]').count(), 1);
  assert.equal(await isProcessed(), true);
  await press(page, 'cancel');
  await look('cancel');
  await press(page, 'cancelled');
  assert.equal(await isProcessed(), false);
  await close();
  assert.deepEqual(found, []);
}

test('a payroll is run and taken back on a desktop, in English', () => payroll('desktop-en', DESKTOP));
test('a payroll is run and taken back in the dark, on a phone, in Spanish', () =>
  payroll('dark-phone-es', { ...PHONE, colorScheme: 'dark', locale: 'es-US' }));

test('the grid of a payroll is gone through with arrows and Enter, and tells what entries come to while they are made', async () => {
  const { page, close } = await open(service, DESKTOP);
  await page.goto(await link(service, 'run_payroll'));
  await page.goto(`${service.base}/flow/payrolls/${service.company.payroll_uuid}/hours`);
  const name = () => page.evaluate(() => document.activeElement.name);
  const field = page.locator('main .person').filter({ hasText: 'an hour' }).first().getByLabel('Regular hours').first();
  const here = await field.getAttribute('name');
  const place = Number(here.match(/^f(\d+)\./)[1]);
  await field.focus();
  await page.keyboard.press('ArrowDown');
  assert.match(await name(), /^f\d+\..*\.regular$/, 'the same column, one row below');
  assert.notEqual(await name(), here);
  await page.keyboard.press('ArrowUp');
  assert.equal(await name(), here);
  await page.keyboard.press('ArrowRight');
  assert.match(await name(), /\.overtime$/);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await name(), here);
  const [earned, total] = [page.locator(`#g${place}`), page.locator('#s0')];
  const [before, all] = [await earned.innerText(), await total.innerText()];
  const told = page.waitForResponse((answer) => answer.url().includes('answer=') && answer.ok());
  await page.keyboard.type('79.5');
  await told;
  await page.waitForFunction(([id, was]) => document.getElementById(id).textContent !== was, [`g${place}`, before]);
  assert.notEqual(await total.innerText(), all, 'the total adds up to it');
  await page.reload();
  assert.notEqual(await field.inputValue(), '79.5', 'nothing was stored');
  await close();
});

// Time off of the demo company: a policy, who has it, and how many hours are left.
async function timeOff(prefix, options) {
  const { page, close } = await open(service, options);
  const found = [];
  const look = looking(page, prefix, found, options);
  await page.goto(await link(service, 'time_off_management'));
  assert.equal(screenOf(page), 'policies');
  await look('policies');
  if (await page.locator('main button[value="add"]').count()) await press(page, 'add');
  await look('policies-new');
  const policy = { name: `Vacation ${prefix}`, policy_type: 'vacation', accrual_method: 'per_pay_period' };
  await fill(page, { ...policy, accrual_rate: 'many', max_hours: '120' });
  assert.equal((await press(page, 'save')).status(), 422);
  await look('policies-refused');
  await fill(page, { accrual_rate: '3.08' });
  await press(page, 'save');
  await look('policies-one');
  const policies = await call(service, 'GET', `/v1/companies/${service.company.uuid}/time_off_policies`);
  const { uuid } = policies.find((one) => one.name === policy.name);
  await press(page, `people:${uuid}`);
  await look('policies-people');
  const tick = page.locator('main input[type="checkbox"][name^="join."]').first();
  const person = (await tick.getAttribute('name')).slice('join.'.length);
  await tick.check();
  await page.fill(`main [name="hours.${person}"]`, '12.5');
  await press(page, 'members');
  await look('policies-joined');
  const { employees } = await call(service, 'GET', `/v1/time_off_policies/${uuid}`);
  assert.deepEqual(employees.map((one) => [one.uuid, Number(one.balance)]), [[person, 12.5]]);
  await going(page, () => page.locator('main button.main').click());
  assert.equal(screenOf(page), 'done');
  await close();
  assert.deepEqual(found, []);
}

test('time off is managed on a desktop, in English', () => timeOff('desktop-en', DESKTOP));
test('time off is managed in the dark, on a phone, in Spanish', () =>
  timeOff('dark-phone-es', { ...PHONE, colorScheme: 'dark', locale: 'es-US' }));

const NO_SCRIPT = { ...DESKTOP, javaScriptEnabled: false };

test('the keyboard is enough for the whole onboarding of a company, without a script, in Spanish', async () => {
  const of = await fresh();
  const options = { ...NO_SCRIPT, locale: 'es-US' };
  const { page, close } = await open(service, options);
  const found = [];
  const look = looking(page, 'noscript-es', found, options);
  await page.goto(await link(of, 'company_onboarding'));
  await look('welcome');
  const { reach, type, tick, enter } = keyboard(page);
  const to = async (screen, selector = 'main button.main') => {
    await enter(selector);
    assert.equal(screenOf(page), screen);
    await look(screen);
  };
  const added = async (values, action) => {
    await type(values);
    assert.equal((await enter(`main button[value="${action}"]`)).status(), 200);
    await look(`${screenOf(page)}-${action}`);
  };
  await to('addresses', 'main a.button');
  const { phone_number, ...place } = PLACE;
  await added({ ...place, phone_number }, 'save');
  await to('signatory');
  await type(SIGNATORY);
  await to('federal');
  await type(TAXES);
  await to('industry');
  await type(INDUSTRY);
  await to('bank');
  await added(ACCOUNT, 'add');
  await to('employees');
  const location = await page.locator('main [name="location"] option').nth(1).getAttribute('value');
  const { title, ...rest } = EMPLOYEE;
  const { first_name, last_name, email, ...job } = rest;
  await added({ first_name, last_name, email, location, title, ...job }, 'save');
  await to('states');
  await type(STATES);
  await to('schedule');
  await added(SCHEDULE, 'show');
  await to('documents');
  await reach('main [name="signature_text"]');
  await page.keyboard.type('Susan Whitfield');
  await tick('main [name="agree"]');
  await to('verify');
  const deposits = await testDeposits(of);
  await page.reload();
  await look('verify-ready');
  await type(deposits);
  await enter('main button.main');
  const uuid = await employeePart(of);
  await page.goto(`${service.base}/flow/employees`);
  await enter(`main button[value="finish:${uuid}"]`);
  await look('employees-finish');
  const question = page.locator('main .card select');
  await type({ [await question.getAttribute('name')]: await question.locator('option').nth(1).getAttribute('value') });
  await enter('main button[value="finished"]');
  await page.goto(`${service.base}/flow/review`);
  await look('review');
  const review = await page.innerText('main');
  assert.ok(!/412-?55-?1004|9012 ?6600 ?418|74-?1852096/.test(review), 'no number in full');
  await to('done');
  assert.equal(await page.getAttribute('main a.button', 'href'), 'https://pos.example/back');
  await close();
  assert.deepEqual(found, []);
  const status = await call(of, 'GET', `/v1/companies/${of.company.uuid}/onboarding_status`);
  assert.equal(status.onboarding_completed, true);
});

test('the keyboard is enough to run a payroll and to take it back, without a script', async () => {
  const { page, close } = await open(service, NO_SCRIPT);
  const found = [];
  const look = looking(page, 'noscript', found, NO_SCRIPT);
  await page.goto(await link(service, 'run_payroll'));
  await look('payrolls');
  const { reach, enter } = keyboard(page);
  const path = `/flow/payrolls/${service.company.payroll_uuid}`;
  await enter(`main a[href="${path}"]`);
  // A payroll of the tests before stands at its preview; from there the hours are changed.
  if (!page.url().endsWith('/hours')) await enter(`main a[href="${path}/hours"]`);
  await look('hours');
  const calculated = async (hours) => {
    await reach('main .person input[type="text"]');
    await page.keyboard.type(hours);
    return enter('main button[value="calculate"]');
  };
  assert.equal((await calculated('many')).status(), 422);
  await look('hours-refused');
  await calculated('40.25');
  await done(page, service.base + path);
  await look('preview');
  assert.match(await page.innerText('main .figure'), /^\$[\d,]+\.\d\d$/);
  await enter('main button[value="submit"]');
  await look('submit');
  if (await page.locator('#confirmed').count()) {
    await page.focus('#confirmed');
    await page.keyboard.press('Space');
  }
  await enter('main button[value="submitted"]');
  await done(page, service.base + path);
  await look('receipt');
  assert.equal(await isProcessed(), true);
  await enter('main button[value="cancel"]');
  await look('cancel');
  await enter('main button[value="cancelled"]');
  assert.equal(await isProcessed(), false);
  await close();
  assert.deepEqual(found, []);
});
