// What the tests share: a service, a browser, people to onboard, and the way through the screens.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';
import { call, start } from '../support/service.mjs';
import { BRING_AXE } from './looking.mjs';

export { call, start };
export * from './looking.mjs';

export const DESKTOP = { viewport: { width: 1280, height: 900 } };
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

// A service of the calling file's own, with a browser, from its first test to its last.
export function world(options) {
  const held = {};
  before(async () => Object.assign(held, await start(options), { browser: await launch() }));
  after(async () => {
    await held.browser?.close();
    await held.stop?.();
  });
  return held;
}

export const launch = (...more) =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      ...more, '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync',
    ],
  });

let people = 0;

// Somebody who works in New York, paid by the hour, and not yet onboarded; `i9` asks for that form, too.
export async function hire(service, { i9 = false } = {}) {
  people += 1;
  const company = `/v1/companies/${service.company.uuid}`;
  const person = { first_name: 'Isabel', last_name: 'Moreno', email: `isabel${people}@people.example` };
  const { uuid } = await call(service, 'POST', `${company}/employees`, { ...person, self_onboarding: true });
  const employee = `/v1/employees/${uuid}`;
  const { uuid: location } = service.company.locations.find((location) => location.state === 'NY');
  await call(service, 'POST', `${employee}/work_addresses`, { location_uuid: location });
  const job = await call(service, 'POST', `${employee}/jobs`, { title: 'Pastry Cook', hire_date: '2026-01-05' });
  const pay = `/v1/compensations/${job.current_compensation_uuid}`;
  const { version } = await call(service, 'GET', pay);
  await call(service, 'PUT', pay, { version, rate: '31.50', payment_unit: 'Hour', flsa_status: 'Nonexempt' });
  if (i9) await call(service, 'PUT', `${employee}/onboarding_documents_config`, { i9_document: true });
  await call(service, 'PUT', `${employee}/onboarding_status`, { onboarding_status: 'self_onboarding_invited' });
  return { uuid, employee, i9, link: await link(service, uuid) };
}

export async function link(service, uuid, flow_type = 'employee_self_management') {
  const asked = { flow_type, entity_type: 'Employee', entity_uuid: uuid };
  return (await call(service, 'POST', `/v1/companies/${service.company.uuid}/flows`, asked)).url;
}

// A page that notes what must not happen: loads from elsewhere, errors of the service, and what the console says
// beyond pages that were answered with 4xx. `elsewhere` names origins to which a page may lead, `ordinary` what errors
// of its scripts begin with that are none. Its pages hold axe-core, unless they are not `looked` at: the browser keeps what it has
// compiled of it from page to page, where a text that is sent with each page takes a quarter of a second.
export async function open(service, { looked = true, ...options } = DESKTOP, elsewhere = [], ordinary = []) {
  const context = await service.browser.newContext({ locale: 'en-US', ...options });
  context.setDefaultTimeout(15_000);
  if (looked) await context.addInitScript(BRING_AXE);
  const wrong = [];
  context.on('request', (request) => {
    if (![service.base, ...elsewhere].includes(new URL(request.url()).origin)) wrong.push(`a request to ${request.url()}`);
  });
  context.on('response', (response) => {
    if (response.status() >= 500) wrong.push(`${response.status()} of ${response.url()}`);
  });
  context.on('console', (message) => {
    const expected = /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !expected) wrong.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => {
    const told = String(error.error());
    if (!ordinary.some((start) => told.startsWith(start))) wrong.push(`script: ${told}`);
  });
  const page = await context.newPage();
  const close = async () => {
    await context.close();
    assert.deepEqual(wrong, [], 'nothing went wrong beside what was looked at');
  };
  return { page, context, close };
}

// Whatever sends the browser on; the answer is the page that it came to.
export async function going(page, act) {
  const [response] = await Promise.all([page.waitForNavigation(), act()]);
  return response;
}

export const screenOf = (page) => new URL(page.url()).pathname.split('/').pop();
export const save = (page) => going(page, () => page.click('main button.main'));

// A date as its three fields hold it.
export function dateParts(value) {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
  return year && { month: String(Number(month)), day: String(Number(day)), year };
}

export async function fill(page, values) {
  for (const [name, value] of Object.entries(values)) {
    const parts = dateParts(value);
    if (parts && (await page.locator(`main [name="${name}.month"]`).count())) {
      await fill(page, Object.fromEntries(Object.entries(parts).map(([part, text]) => [`${name}.${part}`, text])));
      continue;
    }
    const control = page.locator(`main [name="${name}"]`);
    if ((await control.evaluate((element) => element.tagName)) === 'SELECT') await control.selectOption(value);
    else await control.fill(value);
  }
}

export async function held(page) {
  const controls = page.locator('main .control :is(input, select)[name]');
  return controls.evaluateAll((all) =>
    Object.fromEntries(all.map((one) => [one.name, one.type === 'checkbox' ? one.checked : one.value])));
}

export const PERSONAL = {
  first_name: 'Isabel', middle_initial: 'R', last_name: 'Moreno', preferred_first_name: 'Isa',
  email: 'isabel.moreno@people.example', date_of_birth: '1994-06-02', ssn: '412-55-1077',
};
export const ADDRESS = { street_1: '5 Olive Row', street_2: 'Apt 3', city: 'Brooklyn', state: 'NY', zip: '11201' };
export const FEDERAL = {
  filing_status: 'Single', two_jobs: 'false', children: '', other_dependents: '', dependents_amount: '2,000', other_income: '0', deductions: '',
  extra_withholding: '$25.00',
};
export const ACCOUNTS = [
  { name: 'Household', routing_number: '021000021', account_number: '1234567890', account_type: 'Checking' },
  { name: 'Savings pot', routing_number: '121000374', account_number: '987-654-321', account_type: 'Savings' },
];

// Says who one is, as the page on pay wants to know first.
export async function introduce(page, service) {
  await page.goto(`${service.base}/flow/personal`);
  await fill(page, PERSONAL);
  await save(page);
}

export async function addAccount(page, account) {
  const form = page.locator('main button[value="add"]');
  if (!(await form.isVisible())) await page.locator('main details summary').click();
  await fill(page, { ...account, account_number_again: account.account_number });
  return going(page, () => page.click('button[value="add"]'));
}

// Answers what the state asks: the first choice of each question, and nothing in money.
export async function answerState(page) {
  for (const control of await page.locator('main .control :is(input, select)').all()) {
    if ((await control.evaluate((element) => element.tagName)) === 'SELECT') await control.selectOption({ index: 1 });
    else await control.fill('0');
  }
}

// The pages that employees and administrators see, each with the session that it is seen in, as a cookie. The screens of
// onboarding are those of somebody who is asked for everything.
export async function hostedPages(service) {
  const session = async (address) => (await fetch(address, { redirect: 'manual' })).headers.get('set-cookie').split(';')[0];
  // The way to a payday moves the clock by days: no session from before it is open after it.
  const payee = await paidSomebody(service);
  const fresh = await session((await hire(service, { i9: true })).link);
  const paid = await session(await link(service, payee, 'pay_stubs'));
  const stubs = await (await fetch(`${service.base}/flow/pay_stubs`, { headers: { Cookie: paid } })).text();
  const [, stub] = /href="(\/flow\/pay_stubs\/[0-9a-f-]{36})"/.exec(stubs);
  const screens = ['welcome', 'personal', 'address', 'federal', 'state', 'payment', 'i9', 'documents', 'review', 'done'];
  return [
    ...screens.map((screen) => ({ path: `/flow/${screen}`, cookie: fresh })),
    ...['/flow/pay_stubs', stub].map((path) => ({ path, cookie: paid })),
    { path: `/console/companies/${service.company.uuid}` },
  ];
}

// Somebody of the demo world whose payroll is processed: it is calculated and submitted here, unless it was before.
export async function paidSomebody(service) {
  const payroll = `/v1/companies/${service.company.uuid}/payrolls/${service.company.payroll_uuid}`;
  const get = () => call(service, 'GET', payroll);
  const until = async (done) => {
    for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
      const now = await get();
      if (done(now)) return now;
    }
    throw new Error('the payroll did not come so far');
  };
  if (!(await get()).processed) {
    await call(service, 'PUT', `${payroll}/calculate`, {});
    await until((now) => now.calculated_at);
    await call(service, 'PUT', `${payroll}/submit`, {});
    const { check_date: day } = await until((now) => now.processed);
    // What is to be paid later is in no sum of the year.
    const { now } = await call(service, 'GET', '/v1/test_helpers/clock');
    const paid = `${day}T18:00:00Z`;
    if (now < paid) await call(service, 'POST', '/v1/test_helpers/clock/advance', { to: paid });
  }
  for (const { uuid } of service.company.employees) {
    if ((await call(service, 'GET', `/v1/employees/${uuid}/pay_stubs`)).length > 0) return uuid;
  }
  throw new Error('nobody was paid');
}
