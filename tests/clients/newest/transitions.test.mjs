// The newest published components after a change of the pay schedule, unmodified, in a browser: the days between the last period that
// was paid and the first one of the new terms are offered, and get a payroll of their own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { call, mount, type, world } from '../react/support.mjs';
import { client } from './client.mjs';

const service = world(new URL('page.jsx', import.meta.url), [client]);
const DAY = 86_400_000;
const date = (days) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10);
// The first Wednesday in four weeks: no weekend, whenever this runs.
const wednesday = () => date(29 + ((10 - new Date(Date.now() + 29 * DAY).getUTCDay()) % 7));

test('after new terms of the pay schedule a transition has a payroll of its own, and is offered where that was deleted', async () => {
  const company = `/v1/companies/${service.company.uuid}`;
  const periods = (query = '') => call(service, 'GET', `${company}/pay_periods?end_date=${date(80)}${query}`);
  const open = (await periods()).filter(({ payroll }) => payroll.payroll_uuid && !payroll.processed);
  for (const { start_date, end_date } of open) {
    await call(service, 'POST', `${company}/payrolls/skip`, { payroll_type: 'Regular', start_date, end_date });
  }
  const last = open.at(-1).payroll.payroll_uuid;
  for (let tries = 0; !(await call(service, 'GET', `${company}/payrolls/${last}`)).processed; tries += 1) {
    assert.ok(tries < 100, 'the payroll is skipped');
    await pause(100);
  }
  const [{ uuid, version }] = await call(service, 'GET', `${company}/pay_schedules`);
  const terms = { version, frequency: 'Every week', anchor_pay_date: date(35), anchor_end_of_pay_period: date(35) };
  await call(service, 'PUT', `${company}/pay_schedules/${uuid}`, terms);

  const [{ payroll: made }] = await periods('&payroll_types=transition');
  assert.ok(made.payroll_uuid, 'the change of terms has made its payroll');
  const flow = () => mount(service, 'Payroll.PayrollFlow', { props: JSON.stringify({ companyId: service.company.uuid }) });
  const first = await flow();
  await first.page.getByRole('button', { name: 'Run transition payroll' }).click();
  await first.page.getByRole('heading', { name: 'Edit Payroll' }).waitFor();
  await first.close();

  await call(service, 'DELETE', `${company}/payrolls/${made.payroll_uuid}`);
  const { page, close } = await flow();
  await page.getByRole('button', { name: 'Run transition payroll' }).click();
  await page.getByRole('heading', { name: 'Transition payroll' }).waitFor();
  await type(page, 'Check date', wednesday().replace(/^(\d{4})-(\d{2})-(\d{2})$/, '$2$3$1'));
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('heading', { name: 'Edit Payroll' }).waitFor();
  const [between] = await periods('&payroll_types=transition');
  assert.equal(between.start_date, new Date(Date.parse(open.at(-1).end_date) + DAY).toISOString().slice(0, 10));
  assert.equal(between.end_date, date(28));
  assert.ok(between.payroll.payroll_uuid, 'the period has its payroll');
  await close();
});
