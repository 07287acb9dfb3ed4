// The published React components, unmodified, in a browser: people go through them, and the service's records are
// compared with what was entered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, choose, hire, mount, picture, type, world } from './support.mjs';

const service = world();

test('an employee goes through self-onboarding to its end, and the service says so', async () => {
  const person = await hire(service);
  const { page, told, close } = await mount(service, 'SelfOnboardingFlow', { companyId: service.company.uuid, employeeId: person.uuid });
  const button = (name) => page.getByRole('button', { name }).click();
  const arrived = (heading) => page.getByRole('heading', { name: heading }).waitFor();
  await arrived('Hi, Isabel. Welcome to Blue Heron Diners, Inc.!');
  await button(/get started/);
  await page.getByLabel('Middle initial').fill('R');
  await page.getByLabel('Social Security Number').fill('412551077');
  await type(page, 'Date of birth', '06021994');
  await page.getByLabel('Street 1').fill('5 Olive Row');
  await page.getByLabel('City').fill('Brooklyn');
  await choose(page, 'State', 'New York');
  await page.getByLabel('Zip').fill('11201');
  await button('Continue');

  await arrived(/Form W-4/);
  await choose(page, /Federal filing status/, 'Single');
  await page.getByLabel('Step 3: Dependents').fill('2000');
  await page.getByLabel('Step 4c: Extra withholding').fill('25');
  await button('Continue');
  await arrived('New York Tax Requirements');
  await choose(page, 'Filing status', 'Married');
  await choose(page, /New York City/, 'Yes');
  await choose(page, /Yonkers/, 'No');
  await choose(page, /exempt from this state/, 'No');
  await button('Continue');

  await arrived('Employee payment details');
  await page.getByRole('radio', { name: 'Direct Deposit' }).check({ force: true });
  await page.getByLabel('Account nickname').fill('Household');
  await page.getByLabel('Routing number').fill('021000021');
  await page.getByLabel('Account number').fill('1234567890');
  await button('Continue');
  await page.getByRole('row', { name: 'Household' }).waitFor();
  await button('Continue');

  await arrived('Documents');
  const unsigned = page.getByRole('button', { name: 'Sign document' });
  await unsigned.first().waitFor();
  for (let left = await unsigned.count(); left > 0; left -= 1) {
    await unsigned.first().click();
    await arrived(/^Signature required for/);
    await documentShown(page);
    await picture(page, `react-sign-${left}`);
    await page.getByLabel('Signature').fill('Isabel R Moreno');
    await page.getByRole('checkbox').press('Space');
    await button('Sign form');
    await arrived('Documents');
  }
  await button('Continue');
  await arrived("You've completed setup!");
  await picture(page, 'react-self-onboarding-end');
  await button('Done');
  const events = await told();
  for (const step of ['profile', 'federalTaxes', 'stateTaxes', 'paymentMethod', 'forms']) assert.ok(events.includes(`employee/${step}/done`), step);
  await close();
  await recorded(person.employee);
});

// The viewer of documents is part of the browser, in a page of its own inside the partner's.
async function documentShown(page) {
  const source = await page.locator('embed').getAttribute('src');
  const file = await page.context().request.get(source);
  assert.equal(file.headers()['content-type'], 'application/pdf');
}

async function recorded(employee) {
  const get = (rest) => call(service, 'GET', employee + rest);
  const status = await get('/onboarding_status');
  assert.equal(status.onboarding_status, 'self_onboarding_completed_by_employee');
  const own = status.onboarding_steps.filter((step) => step.required && !step.completed).map((step) => step.id);
  assert.deepEqual(own, ['file_new_hire_report', 'admin_review'], 'what is left is the employer\'s');
  const { first_name, middle_initial, last_name, date_of_birth, has_ssn } = await get('');
  assert.deepEqual([first_name, middle_initial, last_name, date_of_birth, has_ssn], ['Isabel', 'R', 'Moreno', '1994-06-02', true]);
  const homes = await get('/home_addresses');
  assert.deepEqual(homes.map((one) => [one.street_1, one.city, one.state, one.zip, one.active]), [['5 Olive Row', 'Brooklyn', 'NY', '11201', true]]);
  const federal = await get('/federal_taxes');
  assert.deepEqual([federal.filing_status, federal.two_jobs], ['Single', false]);
  assert.deepEqual([Number(federal.dependents_amount), Number(federal.extra_withholding)], [2000, 25]);
  const [state] = await get('/state_taxes');
  const answers = Object.fromEntries(state.questions.map(({ key, answers: [answer] }) => [key, answer?.value]));
  assert.equal(state.state, 'NY');
  assert.deepEqual([answers.filing_status, answers.nyc_resident, answers.yonkers_resident, answers.exempt], ['married', true, false, false]);
  const [account, ...others] = await get('/bank_accounts');
  assert.deepEqual(others, []);
  assert.deepEqual([account.name, account.routing_number, account.hidden_account_number, account.account_type],
    ['Household', '021000021', 'XXXX7890', 'Checking']);
  const method = await get('/payment_method');
  assert.equal(method.type, 'Direct Deposit');
  assert.deepEqual(method.splits.map((split) => [split.uuid, split.split_amount]), [[account.uuid, 100]]);
  const forms = await get('/forms');
  assert.ok(forms.length >= 2 && forms.every((form) => !form.requires_signing), 'everything is signed');
}

test('an employer takes on a tipped employee in Texas, whose pay is adjusted for the minimum wage', async () => {
  const { page, told, close } = await mount(service, 'OnboardingFlow', { companyId: service.company.uuid, isSelfOnboardingEnabled: 'true' });
  const button = (name) => page.getByRole('button', { name }).click();
  const arrived = (heading) => page.getByRole('heading', { name: heading }).waitFor();
  await arrived('Your employees');
  await button(/Add another employee/);
  await page.getByText(/^Invite this employee/).click();
  await page.getByLabel('Legal first name').fill('Rosa');
  await page.getByLabel('Legal last name').fill('Medina');
  await choose(page, 'Work address', /TX 78205$/);
  await type(page, 'Start date', '07012026');
  await page.getByLabel('Personal email').fill('rosa.medina@people.example');
  await button('Continue');

  await arrived('Compensation');
  await page.getByLabel('Job title').fill('Server');
  await choose(page, 'Employee type', 'Paid by the hour');
  await page.getByLabel('Compensation amount').fill('2.13');
  await page.getByText('Adjust for minimum wage', { exact: true }).click();
  await choose(page, 'Minimum wage', /^\$7\.25 - State/);
  await picture(page, 'react-compensation');
  await button('Continue');
  const row = page.getByRole('row', { name: 'Server' });
  await row.getByText('2.13').waitFor();
  await button('Continue');
  await arrived('Deductions');
  await button('Continue');
  await arrived('Missing requirements');
  await picture(page, 'react-employer-end');
  await button('Done');
  const events = await told();
  for (const event of ['created', 'job/created', 'compensations/updated', 'compensations/done']) assert.ok(events.includes(`employee/${event}`), event);
  await close();

  const rosa = await employeeBy('rosa.medina@people.example');
  assert.deepEqual([rosa.first_name, rosa.last_name, rosa.onboarding_status], ['Rosa', 'Medina', 'self_onboarding_pending_invite']);
  const [work] = await call(service, 'GET', `/v1/employees/${rosa.uuid}/work_addresses`);
  assert.deepEqual([work.state, work.effective_date, work.active], ['TX', '2026-07-01', true]);
  const [job, ...others] = await call(service, 'GET', `/v1/employees/${rosa.uuid}/jobs`);
  assert.deepEqual(others, []);
  assert.deepEqual([job.title, job.hire_date], ['Server', '2026-07-01']);
  const pay = await call(service, 'GET', `/v1/compensations/${job.current_compensation_uuid}`);
  assert.deepEqual([pay.rate, pay.payment_unit, pay.flsa_status, pay.adjust_for_minimum_wage], ['2.13', 'Hour', 'Nonexempt', true]);
  const wages = await call(service, 'GET', `/v1/locations/${work.location_uuid}/minimum_wages`);
  const chosen = wages.find((wage) => wage.uuid === pay.minimum_wages[0].uuid);
  assert.deepEqual([pay.minimum_wages.length, chosen.authority, Number(chosen.wage)], [1, 'State', 7.25]);
});

async function employeeBy(email) {
  const found = await call(service, 'GET', `/v1/companies/${service.company.uuid}/employees?per=100`);
  return found.find((employee) => employee.email === email);
}

test('a child support order is entered, changed and ended', async () => {
  const [{ uuid: employeeId }] = service.company.employees;
  const { page, told, close } = await mount(service, 'Deductions', { employeeId });
  const button = (name) => page.getByRole('button', { name }).click();
  const garnishment = async () => {
    const [one, ...others] = await call(service, 'GET', `/v1/employees/${employeeId}/garnishments`);
    assert.deepEqual(others, []);
    return one;
  };
  await button('Add deduction');
  await choose(page, 'Agency', 'Texas State Disbursement Unit');
  await choose(page, 'County', 'All counties');
  await page.getByLabel('CSE Case Number').fill('0012345678');
  await page.getByLabel('Total amount withheld').fill('400');
  await page.getByLabel('Max paycheck percentage').fill('50');
  await choose(page, 'Per', 'Every other week');
  await picture(page, 'react-child-support');
  await button('Save');
  const row = page.getByRole('row', { name: /Child Support/i });
  await row.waitFor();
  await picture(page, 'react-deductions');
  const made = await garnishment();
  assert.deepEqual([made.garnishment_type, made.court_ordered, made.active, made.recurring], ['child_support', true, true, true]);
  assert.deepEqual([made.deduct_as_percentage, Number(made.amount), Number(made.pay_period_maximum)], [true, 50, 400]);
  const { agencies } = await call(service, 'GET', '/v1/garnishments/child_support');
  const [{ code: fips_code }] = agencies.find((agency) => agency.state === 'TX').fips_codes;
  assert.deepEqual(made.child_support, { state: 'TX', payment_period: 'Every other week', fips_code,
    case_number: '0012345678', order_number: null, remittance_number: null });

  assert.ok((await told()).includes('employee/deductions/created'));
  // Opened anew: after the first order was made, the component leads to no other screen within the same visit.
  await page.reload();
  await row.getByRole('button').click();
  await page.getByRole('menuitem', { name: /Edit/ }).click();
  await page.getByLabel('Total amount withheld').fill('425');
  await button('Save');
  await row.waitFor();
  const changed = await garnishment();
  assert.deepEqual({ ...changed, version: made.version }, { ...made, pay_period_maximum: changed.pay_period_maximum });
  assert.equal(Number(changed.pay_period_maximum), 425);

  await row.getByRole('button').click();
  await page.getByRole('menuitem', { name: /Delete|Remove/ }).click();
  await row.waitFor({ state: 'detached' });
  const ended = await garnishment();
  assert.deepEqual([ended.active, Number(ended.pay_period_maximum), ended.child_support], [false, 425, made.child_support]);
  const events = await told();
  for (const event of ['edit', 'updated', 'deletedEmpty']) assert.ok(events.includes(`employee/deductions/${event}`), event);
  await close();
});
