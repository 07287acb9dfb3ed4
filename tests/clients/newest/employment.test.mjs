// The newest published components for the end of an employment and for time off, unmodified, in a browser: people go through
// them, and the service's records are compared with what was entered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, mount, picture, type, world } from '../react/support.mjs';
import { client } from './client.mjs';

const service = world(new URL('page.jsx', import.meta.url), [client]);
const get = (address) => call(service, 'GET', address);
const read = (employee) => get(`/v1/employees/${employee.uuid}`);
const terminations = (employee) => get(`/v1/employees/${employee.uuid}/terminations`);

// A component with what tests do in it most.
async function shown(component, props = {}) {
  const mounted = await mount(service, component, { props: JSON.stringify({ companyId: service.company.uuid, ...props }) });
  const { page } = mounted;
  return {
    ...mounted,
    button: (name) => page.getByRole('button', { name, exact: true }).first().click(),
    option: (name) => page.getByRole('radio', { name, exact: true }).check({ force: true }),
    arrived: (name) => page.getByRole('heading', { name, exact: true }).waitFor(),
  };
}

const digits = (date) => date.replace(/^(\d{4})-(\d{2})-(\d{2})$/, '$2$3$1');

test('the last day of an employee is set, moved and taken back', async () => {
  const [, employee] = service.company.employees;
  const { page, told, close, button, option, arrived } = await shown('EmployeeManagement.TerminationFlow', { employeeId: employee.uuid });
  await type(page, 'Last day of work', '12302099');
  await option('Regular payroll');
  await picture(page, 'react-termination');
  await button('Terminate employee');
  await arrived('Termination summary');
  const [made, ...others] = await terminations(employee);
  assert.deepEqual(others, []);
  assert.deepEqual([made.effective_date, made.run_termination_payroll, made.active, made.cancelable], ['2099-12-30', false, false, true]);

  await button('Edit termination');
  await type(page, 'Last day of work', '12312099');
  await button('Terminate employee');
  await arrived('Termination summary');
  await page.getByText('December 31, 2099').first().waitFor();
  const [moved] = await terminations(employee);
  assert.deepEqual([moved.uuid, moved.effective_date], [made.uuid, '2099-12-31']);

  await button('Cancel termination');
  await button('Yes, cancel termination');
  await page.getByText('Termination has been cancelled successfully').waitFor();
  assert.deepEqual(await terminations(employee), []);
  const events = await told();
  for (const event of ['created', 'edit', 'updated', 'cancelled']) assert.ok(events.includes(`employee/termination/${event}`), event);
  await close();
});

test('the last wages of an employee are paid by a payroll of their own', async () => {
  const [, , employee] = service.company.employees;
  const periods = await get(`/v1/companies/${service.company.uuid}/pay_periods`);
  const { start_date, end_date } = periods.at(-1);
  const { page, told, close, button, arrived } = await shown('EmployeeManagement.TerminationFlow', { employeeId: employee.uuid });
  await type(page, 'Last day of work', digits(end_date));
  await button('Terminate employee');
  await arrived('Termination summary');
  const [made] = await terminations(employee);
  assert.deepEqual([made.effective_date, made.run_termination_payroll, made.cancelable], [end_date, true, false]);

  await button('Run termination payroll');
  await arrived('Edit Payroll');
  await button('Calculate and review');
  await arrived('Review payroll');
  await picture(page, 'react-dismissal');
  await button('Submit');
  await page.getByText('Payroll submitted').first().waitFor();
  const events = await told();
  for (const event of ['payroll/created', 'runPayroll']) assert.ok(events.includes(`employee/termination/${event}`), event);
  await close();

  const all = await get(`/v1/companies/${service.company.uuid}/payrolls?payroll_types=off_cycle&processing_statuses=unprocessed,processed`);
  const [payroll] = all.filter((one) => one.off_cycle_reason === 'Dismissed employee');
  assert.deepEqual([payroll.pay_period.start_date, payroll.pay_period.end_date], [start_date, end_date]);
  const paid = await get(`/v1/companies/${service.company.uuid}/payrolls/${payroll.payroll_uuid}`);
  assert.deepEqual(paid.employee_compensations.map((one) => one.employee_uuid), [employee.uuid]);
});

test('a policy is made, joined with what departments say, and its balance is set', async () => {
  const [, , , employee] = service.company.employees;
  const { first_name, last_name } = await read(employee);
  const name = `${first_name} ${last_name}`;
  const kitchen = await call(service, 'POST', `/v1/companies/${service.company.uuid}/departments`, { title: 'Kitchen' });
  await call(service, 'PUT', `/v1/departments/${kitchen.uuid}/add`, { version: kitchen.version, employees: [{ uuid: employee.uuid }] });

  const { page, told, close, button, option, arrived } = await shown('TimeOff.TimeOffFlow');
  await button('Create policy');
  await option('Sick leave');
  await button('Continue');
  await arrived('Policy details');
  await page.getByLabel('Policy name').fill('Sick days');
  await option('Based on hours worked');
  await page.getByLabel('Employees will accrue').fill('1');
  await page.getByLabel('For every').fill('30');
  await page.getByRole('checkbox', { name: 'Include overtime hours' }).check({ force: true });
  await button('Save & continue');
  await arrived('Policy settings');
  await page.getByRole('switch', { name: 'Balance maximum' }).check({ force: true });
  await page.getByLabel('Balance maximum (optional)').fill('48');
  await picture(page, 'react-policy-settings');
  await button('Save');
  await arrived('Add employees to policy');
  const row = page.getByRole('row').filter({ hasText: name });
  await row.getByRole('gridcell', { name: 'Kitchen' }).waitFor();
  await row.getByRole('checkbox').check({ force: true });
  await row.getByRole('textbox', { name }).fill('8');
  await button('Continue');
  await arrived('Sick days');

  const policy = async () => (await get(`/v1/companies/${service.company.uuid}/time_off_policies`)).find((one) => one.name === 'Sick days');
  const made = await policy();
  // This release never says that the policy is complete (its older way through the screens did): that takes another call.
  assert.deepEqual([made.policy_type, made.accrual_method, made.complete, made.is_active], ['sick', 'per_hour_worked', false, true]);
  assert.deepEqual([made.accrual_rate, made.accrual_rate_unit, made.max_hours].map(Number), [1, 30, 48]);
  assert.deepEqual(made.employees, [{ uuid: employee.uuid, balance: '8.000' }]);

  await call(service, 'PUT', `/v1/time_off_policies/${made.uuid}`, { version: made.version, complete: true });
  await page.getByRole('tab', { name: 'Employees' }).click();
  await row.getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Edit balance' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('12.5');
  await dialog.getByRole('button', { name: 'Update balance' }).click();
  await row.getByText(/^12\.5/).waitFor();
  assert.deepEqual((await policy()).employees, [{ uuid: employee.uuid, balance: '12.500' }]);
  assert.ok((await told()).length > 0);
  await close();
});

test('a policy without a limit is made and joined', async () => {
  const [, , , employee] = service.company.employees;
  const { first_name, last_name } = await read(employee);
  const { page, close, button, option, arrived } = await shown('TimeOff.TimeOffFlow');
  await button('Create policy');
  await option('Time off');
  await button('Continue');
  await page.getByLabel('Policy name').fill('As needed');
  await option('Unlimited');
  await button('Save & continue');
  await arrived('Add employees to policy');
  await page.getByRole('row').filter({ hasText: `${first_name} ${last_name}` }).getByRole('checkbox').check({ force: true });
  await button('Continue');
  await arrived('As needed');
  await close();
  const told = await read(employee);
  const own = told.eligible_paid_time_off.find((one) => one.policy_name === 'As needed');
  assert.deepEqual([own.name, own.accrual_method, own.accrual_balance], ['Vacation Hours', 'unlimited', null]);
});
