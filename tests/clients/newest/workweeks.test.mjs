// The newest published component in which the hours of a payroll are entered, unmodified, in a browser: overtime is entered by workweek,
// and the service takes each week's hours, shows them again, and pays them as those of the week.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, mount, picture, world } from '../react/support.mjs';
import { client } from './client.mjs';

const service = world(new URL('page.jsx', import.meta.url), [client]);

const features = 'payrollRegularRateOfPay';
const props = ({ uuid: companyId, payroll_uuid: payrollId }, employee) => ({ companyId, payrollId, employeeId: employee.uuid });

async function shown(employee) {
  const mounted = await mount(service, 'Payroll.PayrollEditEmployee', { features, props: JSON.stringify(props(service.company, employee)) });
  await mounted.page.getByRole('button', { name: 'Save', exact: true }).waitFor();
  return mounted;
}

test('overtime is entered for each of two workweeks, is shown again, and is paid', async () => {
  const { company } = service;
  const cook = company.employees.find(({ name }) => name === 'James Okafor');
  const payroll = `/v1/companies/${company.uuid}/payrolls/${company.payroll_uuid}`;
  const prepared = await call(service, 'PUT', `${payroll}/prepare`, { employee_uuids: [cook.uuid] });
  assert.equal(prepared.workweeks.length, 2, 'the pay period has two workweeks');

  const first = await shown(cook);
  await first.page.getByRole('button', { name: 'Add overtime' }).click();
  const weeks = (page, kind) => page.getByRole('spinbutton', { name: new RegExp(`^${kind} .*[0-9]`) });
  const enter = async (kind, hours) => {
    const fields = weeks(first.page, kind);
    assert.equal(await fields.count(), 2, `${kind} has a field for each week`);
    for (const [index, value] of hours.entries()) await fields.nth(index).fill(value);
  };
  await enter('Regular Hours', ['40', '20']);
  await enter('Overtime', ['20', '0']);
  await enter('Double overtime', ['0', '0']);
  await enter('Bonus', ['100', '50']);
  await picture(first.page, 'react-workweeks');
  await first.page.getByRole('button', { name: 'Save', exact: true }).click();
  for (let tries = 0; !(await first.told()).includes('runPayroll/employee/saved'); tries += 1) {
    assert.ok(tries < 100, `the hours are saved: ${await first.told()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await first.close();

  const read = await call(service, 'PUT', `${payroll}/prepare`, { employee_uuids: [cook.uuid] });
  const lines = Object.fromEntries(read.employee_compensations[0].hourly_compensations.map((line) => [line.name, line]));
  const hours = (name) => lines[name].breakdowns.map((week) => Number(week.hours));
  assert.deepEqual(hours('Regular Hours'), [40, 20]);
  assert.deepEqual(hours('Overtime'), [20, 0]);
  const bonus = read.employee_compensations[0].fixed_compensations.find((line) => line.name === 'Bonus');
  assert.deepEqual([bonus.amount, ...bonus.breakdowns.map((week) => week.amount)].map(Number), [150, 100, 50]);
  assert.deepEqual([lines['Regular Hours'].hours, lines.Overtime.hours].map(Number), [60, 20]);

  const again = await shown(cook);
  const values = await Promise.all([0, 1].map((index) => weeks(again.page, 'Regular Hours').nth(index).inputValue()));
  assert.deepEqual(values, ['40', '20'], 'the component shows the weeks again');
  await again.close();
});
