// Minimum wages, pay schedules and payrolls through the published client.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'node:test';
import { RFCDate } from '@gusto/embedded-api/types/rfcdate.js';
import { statusOf, thrown, world } from './support.mjs';

const service = world();
const include = ['totals', 'taxes', 'payroll_status_meta'];
const lineOf = (payroll, employee) => payroll.employeeCompensations.find((one) => one.employeeUuid === employee.uuid);

// Asks until the answer is there; a calculation goes on in the background.
async function until(ask) {
  for (let tries = 0; tries < 200; tries += 1) {
    const found = await ask();
    if (found) return found;
    await pause(50);
  }
  throw new Error('not there after ten seconds');
}

test('a place has minimum wages, and a pay rate can be held up to one of them', async () => {
  const { client, company } = service;
  const place = company.locations.find((one) => one.state === 'CA');
  const { minimumWageList } = await client.locations.getMinimumWages({ locationUuid: place.uuid });
  assert.ok(minimumWageList.some((one) => one.authority === 'City' && Number(one.wage) > 16));
  const before = await client.locations.getMinimumWages({ locationUuid: place.uuid, effectiveDate: '2020-01-01' });
  assert.ok(before.minimumWageList.every((one) => String(one.effectiveDate) <= '2020-01-01'));

  const texas = company.locations.find((one) => one.state === 'TX');
  const [federal] = (await client.locations.getMinimumWages({ locationUuid: texas.uuid })).minimumWageList;
  const { compensation } = await client.jobsAndCompensations.getCompensation({ compensationId: company.employees[0].compensation_uuid });
  const adjusted = await client.jobsAndCompensations.updateCompensation({ compensationId: compensation.uuid,
    compensationsUpdateRequestBody: { version: compensation.version, rate: '2.13', paymentUnit: 'Hour', flsaStatus: 'Nonexempt',
      adjustForMinimumWage: true, minimumWages: [{ uuid: federal.uuid }] } });
  assert.equal(adjusted.compensation.adjustForMinimumWage, true);
  assert.equal(adjusted.compensation.minimumWages[0].uuid, federal.uuid);
});

test('a payroll goes from its preparation to the payment, with make-up pay in it', async () => {
  const { client, company } = service;
  const payroll = { companyId: company.uuid, payrollId: company.payroll_uuid };
  const [tipped] = company.employees;
  const { payrollPrepared } = await client.payrolls.prepare({ ...payroll, requestBody: {} });
  const before = lineOf(payrollPrepared, tipped);
  const { payrollPrepared: updated } = await client.payrolls.update({ ...payroll, payrollUpdate: { employeeCompensations: [{
    employeeUuid: tipped.uuid, version: before.version,
    hourlyCompensations: [{ name: 'Regular Hours', hours: '40.000', jobUuid: tipped.job_uuid }],
    fixedCompensations: [{ name: 'Cash Tips', amount: '100.00', jobUuid: tipped.job_uuid }] }] } });
  assert.equal(Number(lineOf(updated, tipped).hourlyCompensations.find((one) => one.name === 'Regular Hours').hours), 40);
  const stale = await thrown(client.payrolls.update({ ...payroll, payrollUpdate: { employeeCompensations: [{
    employeeUuid: tipped.uuid, version: before.version, memo: 'late' }] } }));
  assert.equal(stale.errors[0].errors[0].category, 'invalid_resource_version');

  assert.equal(statusOf(await client.payrolls.calculate(payroll)), 202);
  const calculated = await until(async () => {
    const { payrollShow } = await client.payrolls.get({ ...payroll, include });
    return payrollShow.calculatedAt && payrollShow;
  });
  // 40 hours at 7.25 are 290.00; 40 at 2.13 are 85.20, and 100.00 of tips are credited.
  const made = lineOf(calculated, tipped).fixedCompensations.find((one) => one.name === 'Minimum Wage Adjustment');
  assert.equal(made.amount, '104.80');
  assert.ok(Number(calculated.totals.netPay) > 0);

  assert.equal(statusOf(await client.payrolls.submit({ ...payroll, requestBody: {} })), 202);
  const processed = await until(async () => {
    const { payrollShow } = await client.payrolls.get(payroll);
    return payrollShow.processed && payrollShow;
  });
  assert.ok(processed.processedDate);
  const { payrollList } = await client.payrolls.list({ companyId: company.uuid, processingStatuses: ['processed'] });
  assert.deepEqual(payrollList.map((one) => one.payrollUuid), [company.payroll_uuid]);
});

test('what a bonus payroll needs is there: made, prepared, and deleted again', async () => {
  const { client, company } = service;
  const { payrollShow: regular } = await client.payrolls.get({ companyId: company.uuid, payrollId: company.payroll_uuid });
  const day = new RFCDate(regular.payPeriod.endDate);
  const { payrollUnprocessed } = await client.payrolls.createOffCycle({ companyId: company.uuid, requestBody: { offCycle: true,
    offCycleReason: 'Bonus', startDate: day, endDate: day, checkDate: new RFCDate(regular.checkDate),
    employeeUuids: [company.employees[1].uuid] } });
  const payroll = { companyId: company.uuid, payrollId: payrollUnprocessed.payrollUuid };
  const { payrollPrepared } = await client.payrolls.prepare({ ...payroll, requestBody: {} });
  assert.deepEqual(payrollPrepared.employeeCompensations.map((one) => one.employeeUuid), [company.employees[1].uuid]);
  assert.ok([202, 204].includes(statusOf(await client.payrolls.delete(payroll))));
  await client.payrolls.getBlockers({ companyUuid: company.uuid });
});

test('a pay schedule is previewed, made, read and changed', async () => {
  const { client, company } = service;
  const dates = { frequency: 'Monthly', anchorPayDate: new RFCDate('2026-03-02'), anchorEndOfPayPeriod: new RFCDate('2026-02-28') };
  const { paySchedulePreview } = await client.paySchedules.getPreview({ companyId: company.uuid, ...dates });
  assert.ok(paySchedulePreview.payPeriods.length > 0);
  const { payScheduleShow } = await client.paySchedules.create({ companyId: company.uuid,
    payScheduleCreateRequest: { ...dates, customName: 'Managers' } });
  const read = await client.paySchedules.get({ companyId: company.uuid, payScheduleId: payScheduleShow.uuid });
  assert.equal(read.payScheduleShow.frequency, 'Monthly');
  const renamed = await client.paySchedules.update({ companyId: company.uuid, payScheduleId: payScheduleShow.uuid,
    payScheduleUpdateRequest: { version: payScheduleShow.version, customName: 'Salaried staff' } });
  assert.equal(renamed.payScheduleShow.customName, 'Salaried staff');
  await client.paySchedules.getAll({ companyId: company.uuid });
  await client.paySchedules.getPayPeriods({ companyId: company.uuid });
});
