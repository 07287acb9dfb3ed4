// A server with two jobs, a bonus, an order for support and a creditor: the console tells every figure to the cent.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { DESKTOP, PHONE, call, faults, open, picture, tooWide, unfold, world } from './support.mjs';

const service = world();
const held = {};

const NASHVILLE = { street_1: '1204 Dogwood Avenue', city: 'Nashville', state: 'TN', zip: '37203', phone_number: '6155550142' };
const HOME = { street_1: '19 Willow Court', city: 'Nashville', state: 'TN', zip: '37203' };

async function until(what, found) {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    const one = await found();
    if (one) return one;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${what} did not come`);
}

// A job with its pay.
async function job(employee, title, rate, terms = {}) {
  const made = await call(service, 'POST', `${employee}/jobs`, { title, hire_date: '2026-01-05' });
  const pay = `/v1/compensations/${made.compensations[0].uuid}`;
  const entered = { rate, payment_unit: 'Hour', flsa_status: 'Nonexempt' };
  const { version } = await call(service, 'PUT', pay, { version: made.compensations[0].version, ...entered });
  if (terms.minimum_wages) await call(service, 'PUT', pay, { version, ...terms });
  return made.uuid;
}

// The server of Tennessee, onboarded; his two jobs.
async function hired(company) {
  const { uuid: nashville } = await call(service, 'POST', `${company}/locations`, NASHVILLE);
  const person = { first_name: 'Ana', last_name: 'Silva', email: 'ana.silva@people.example', date_of_birth: '1988-08-08', ssn: '412552001' };
  const { uuid } = await call(service, 'POST', `${company}/employees`, person);
  const employee = `/v1/employees/${uuid}`;
  await call(service, 'POST', `${employee}/work_addresses`, { location_uuid: nashville });
  await call(service, 'POST', `${employee}/home_addresses`, HOME);
  const wages = await call(service, 'GET', `/v1/locations/${nashville}/minimum_wages`);
  const federal = wages.find(({ authority }) => authority === 'Federal').uuid;
  const serving = await job(employee, 'Server', '2.13', { adjust_for_minimum_wage: true, minimum_wages: [{ uuid: federal }] });
  const clerking = await job(employee, 'Clerk', '15.00');
  const { onboarding_steps } = await call(service, 'GET', `${employee}/onboarding_status`);
  const open = onboarding_steps.filter(({ completed, id }) => !completed && id !== 'admin_review');
  await call(service, 'PUT', `${employee}/onboarding_status`, {
    onboarding_status: 'onboarding_completed', onboarding_steps: open.map(({ id }) => ({ id, completed: true })),
  });
  return { uuid, employee, serving, clerking };
}

// The Monday of the first week that lies in a pay period, and the days after it.
function week({ start_date, end_date }) {
  const day = new Date(`${start_date}T00:00:00Z`);
  while (day.getUTCDay() !== 1) day.setUTCDate(day.getUTCDate() + 1);
  const days = [0, 1, 2, 3, 4].map((after) => new Date(day.getTime() + after * 86_400_000).toISOString().slice(0, 10));
  assert.ok(days[4] <= end_date, `${days} lie in the pay period until ${end_date}`);
  return days;
}

before(async () => {
  await until('the service', () => service.browser);
  const company = `/v1/companies/${service.company.uuid}`;
  const { uuid, employee, serving, clerking } = await hired(company);
  const order = { court_ordered: true, deduct_as_percentage: true };
  held.support = await call(service, 'POST', `${employee}/garnishments`, {
    ...order, garnishment_type: 'child_support', amount: '50', pay_period_maximum: '100.00', employer_fee: true,
    child_support: { state: 'TN', payment_period: 'Every other week', fips_code: '47000', case_number: 'TN-1' },
  });
  held.creditor = await call(service, 'POST', `${employee}/garnishments`, {
    ...order, garnishment_type: 'creditor_garnishment', amount: '25', recurring: true, description: 'Judgment of a creditor',
  });
  const payroll = `${company}/payrolls/${service.company.payroll_uuid}`;
  const prepared = await call(service, 'PUT', `${payroll}/prepare`, { employee_uuids: [uuid] });
  const { version } = prepared.employee_compensations.find((one) => one.employee_uuid === uuid);
  const days = week(prepared.pay_period);
  const worked = [['10', serving], ['10', serving], ['10', serving], ['10', clerking], ['6', clerking]];
  await call(service, 'PUT', payroll, {
    employee_compensations: [{
      employee_uuid: uuid, version,
      hourly_compensations: worked.map(([hours, job_uuid], at) => ({ name: 'Regular Hours', hours, job_uuid, date: days[at] })),
      fixed_compensations: [{ name: 'Bonus', amount: '100.00' }, { name: 'Paycheck Tips', amount: '200.00', job_uuid: serving }],
    }],
  });
  await call(service, 'PUT', `${payroll}/calculate`, {});
  await until('the payroll', async () => (await call(service, 'GET', payroll)).calculated_at);
  held.address = `/console/companies/${service.company.uuid}/payrolls/${service.company.payroll_uuid}/employees/${uuid}`;
  held.explained = await call(service, 'GET', `${payroll}/employees/${uuid}/explain`);
});

// A figure of the explanation, wherever it stands.
function figure(name, figures = held.explained.figures) {
  for (const one of figures) {
    const found = one.figure === name ? one : figure(name, one.because ?? []);
    if (found) return found;
  }
  return undefined;
}

// Name and result of each figure, as the page has them.
const figures = (page) =>
  page.locator('.tree :is(summary, p.figure)').evaluateAll((all) =>
    all.map((one) => [one.querySelector('span').textContent.trim(), one.querySelector('b').textContent.trim()]));

test('each figure of a server with two jobs, a bonus, support and a creditor stands on the page to the cent', async () => {
  const { page, close } = await open(service);
  assert.equal((await page.goto(service.base + held.address)).status(), 200);
  await unfold(page);
  const shown = await figures(page);
  const stands = (name, result) =>
    assert.ok(shown.some(([its, of]) => its === name && of === result), `${name} ${result}: ${JSON.stringify(shown.filter(([its]) => its === name))}`);
  // 29 CFR 778.109 and .115, 531.60: (30 x 7.25 + 16 x 15.00 + 100.00) / 46 = 12.12; half of it for six hours.
  stands('Straight time of job 1', '63.90');
  stands('Straight time of job 2', '240.00');
  stands('Remuneration', '557.50');
  stands('Regular rate', '12.12');
  stands('Overtime premium', '36.36');
  // 200.00 of tips are more than the credit that 30 hours at 2.13 take: nothing is to be made up.
  stands('Minimum wage adjustment of job 1', '0.00');
  stands('Gross pay', '640.26');
  // What is left after the taxes, and what it leaves for whom.
  const disposable = figure('disposable_earnings').result;
  stands('Disposable earnings', disposable);
  const cents = (text) => Math.round(Number(text) * 100);
  const money = (amount) => (amount / 100).toFixed(2);
  const half = Math.floor(cents(disposable) / 2);
  const quarter = Math.floor(cents(disposable) / 4);
  stands('Support limit', money(half));
  stands('Deduction of Child support - TN-1', '100.00');
  // Tennessee allows 5.00 a month, of which every other week takes a third.
  stands('Allowed fee', '1.66');
  stands('Employer fee of Child support - TN-1', '1.66');
  stands('Creditor limit', money(quarter));
  stands('Deduction of Judgment of a creditor', money(quarter - 100_00 - 1_66));
  const tree = (await page.locator('.tree').allInnerTexts()).join('\n');
  for (const section of ['29 CFR 778.109', '15 USC 1673', '15 USC 1672(b)']) assert.ok(tree.includes(section), section);
  // The line of the fee opens to how it was calculated.
  const fee = page.locator('.statement tr').filter({ has: page.getByText('Fee of the employer: Child support - TN-1', { exact: true }) });
  assert.equal(await fee.locator('td').first().innerText(), '$1.66');
  assert.match(await fee.locator('.tree').innerText(), /Allowed fee/);
  await close();
});

for (const [name, options] of [
  ['desktop', DESKTOP],
  ['dark', { ...DESKTOP, colorScheme: 'dark' }],
  ['phone', PHONE],
  ['dark-phone', { ...PHONE, colorScheme: 'dark' }],
]) {
  test(`the page of the example reads well and has no faults (${name})`, async () => {
    const { page, close } = await open(service, options);
    await page.goto(service.base + held.address);
    await unfold(page, '.tree details');
    assert.deepEqual(await faults(page, name), []);
    const wide = await tooWide(page);
    assert.ok(wide <= 0, `${wide} pixels stick out`);
    await picture(page, `console-example-${name}`);
    await close();
  });
}
