// The end of an employment, the return, departments and time off through the published client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusOf, thrown, world } from './support.mjs';

const service = world();

test('somebody leaves, the departure is moved and taken back, and one who has left is rehired', async () => {
  const { client, company } = service;
  const [leaving, left] = company.employees;
  const at = { employeeId: leaving.uuid };
  const { termination } = await client.employeeEmployments.createTermination({ ...at,
    requestBody: { effectiveDate: '2099-12-30', runTerminationPayroll: false } });
  assert.equal(termination.cancelable, true);
  const { termination: moved } = await client.employeeEmployments.updateTermination({ ...at,
    requestBody: { version: termination.version, effectiveDate: '2099-12-31' } });
  assert.equal(String(moved.effectiveDate), '2099-12-31');
  const { terminations } = await client.employeeEmployments.getTerminations(at);
  assert.deepEqual(terminations.map((one) => one.uuid), [termination.uuid]);
  assert.equal(statusOf(await client.employeeEmployments.deleteTermination(at)), 204);

  const away = { employeeId: left.uuid };
  const { employee } = await client.employees.get(away);
  await client.employeeEmployments.createTermination({ ...away, requestBody: { effectiveDate: String(employee.hiredAt) } });
  const rehireBody = { effectiveDate: '2099-01-05', fileNewHireReport: true, workLocationUuid: company.locations[0].uuid,
    employmentStatus: 'full_time' };
  const { rehire } = await client.employeeEmployments.createRehire({ ...away, rehireBody });
  assert.equal(rehire.active, false);
  assert.equal((await client.employeeEmployments.getRehire(away)).rehire.version, rehire.version);
  const history = await client.employeeEmployments.getHistory(away);
  assert.equal(statusOf(history), 200);
  assert.equal((await client.employees.get(away)).employee.terminated, true);
  assert.equal(statusOf(await client.employeeEmployments.deleteRehire(away)), 204);
});

test('a policy of time off is made, joined, changed, explained and ended', async () => {
  const { client, company } = service;
  const somebody = company.employees[2];
  const { timeOffPolicy: made } = await client.timeOffPolicies.create({ companyUuid: company.uuid, timeOffPolicyRequest: {
    name: 'Vacation', policyType: 'vacation', accrualMethod: 'per_hour_worked', accrualRate: '1.0', accrualRateUnit: '30.0',
    policyResetDate: '01-01', complete: false } });
  const of = { timeOffPolicyUuid: made.uuid };
  const { timeOffPolicy: limited } = await client.timeOffPolicies.update({ ...of, requestBody: { version: made.version,
    maxHours: '80.0', maxAccrualHoursPerYear: null, carryoverLimitHours: '24.0', accrualWaitingPeriodDays: 0,
    paidOutOnTermination: true } });
  const { timeOffPolicy: joined } = await client.timeOffPolicies.addEmployees({ ...of,
    requestBody: { employees: [{ uuid: somebody.uuid, balance: '12.5' }] } });
  assert.deepEqual(joined.employees.map((one) => Number(one.balance)), [12.5]);
  const { timeOffPolicy: complete } = await client.timeOffPolicies.update({ ...of,
    requestBody: { version: joined.version ?? limited.version, complete: true } });
  assert.equal(complete.complete, true);
  const { timeOffPolicy: set } = await client.timeOffPolicies.updateBalance({ ...of,
    requestBody: { employees: [{ uuid: somebody.uuid, balance: '37.5' }] } });
  assert.equal(Number(set.employees[0].balance), 37.5);
  const { employee } = await client.employees.get({ employeeId: somebody.uuid });
  assert.deepEqual(employee.eligiblePaidTimeOff.map((one) => [one.name, Number(one.accrualBalance)]), [['Vacation Hours', 37.5]]);
  const earned = await client.timeOffPolicies.calculateAccruingTimeOffHours({ payrollId: company.payroll_uuid,
    employeeId: somebody.uuid, payrollCalculateAccruingTimeOffHoursRequest: { regularHoursWorked: '60' } });
  assert.equal(Number(earned.payrollCalculateAccruingTimeOffHoursResponse.hoursEarned[0].hours), 2);
  const { timeOffActivityList } = await client.employees.getTimeOffActivities({ employeeUuid: somebody.uuid, timeOffType: 'vacation' });
  assert.deepEqual(timeOffActivityList.map((one) => Number(one.balanceChange)), [25, 12.5]);
  const lists = await client.timeOffPolicies.getAll({ companyUuid: company.uuid });
  assert.equal(statusOf(lists), 200);
  const { timeOffPolicy: without } = await client.timeOffPolicies.removeEmployees({ ...of,
    requestBody: { employees: [{ uuid: somebody.uuid }] } });
  assert.deepEqual(without.employees, []);
  const { timeOffPolicy: ended } = await client.timeOffPolicies.deactivate(of);
  assert.deepEqual([ended.isActive, ended.version], [false, null]);
  const refused = await thrown(client.timeOffPolicies.addEmployees({ ...of, requestBody: { employees: [{ uuid: somebody.uuid }] } }));
  assert.equal(refused.errors[0].category, 'invalid_operation');
});

test('time off is asked for, previewed, decided, listed with the balances and taken back', async () => {
  const { client: { timeOffPolicies, timeOffRequests }, company } = service;
  const somebody = company.employees[3];
  const inCompany = { companyUuid: company.uuid };
  const { timeOffPolicy: policy } = await timeOffPolicies.create({ ...inCompany, timeOffPolicyRequest: {
    name: 'Days off', policyType: 'vacation', accrualMethod: 'per_pay_period', accrualRate: '4.0', complete: true } });
  await timeOffPolicies.addEmployees({ timeOffPolicyUuid: policy.uuid, requestBody: { employees: [{ uuid: somebody.uuid, balance: '20.0' }] } });
  const day = (date) => ({ employeeUuid: somebody.uuid, policyUuid: policy.uuid, startDate: date, endDate: date, days: { [date]: '8.000' } });
  const { embeddedTimeOffRequest: asked } = await timeOffRequests.postV1CompaniesCompanyUuidTimeOffRequests({ ...inCompany,
    requestBody: { ...day('2099-06-01'), employeeNote: 'A wedding' } });
  assert.deepEqual([asked.status, asked.days['2099-06-01'], asked.employeeNote], ['pending', '8.000', 'A wedding']);
  const { embeddedTimeOffRequestPreview: preview } = await timeOffRequests.postV1CompaniesCompanyUuidTimeOffRequestsPreview({ ...inCompany,
    requestBody: day('2099-06-02') });
  assert.deepEqual([preview.balanceHours, preview.otherRequestedHours, preview.remainingBalanceHours].map(Number), [20, 8, 4]);
  const { embeddedTimeOffBalances: [own] } = await timeOffRequests.getV1CompaniesCompanyUuidTimeOffBalances({ ...inCompany,
    employeeUuids: somebody.uuid, policyUuids: policy.uuid });
  assert.deepEqual(own.balances.map((one) => [one.balanceHours, one.pendingHours].map(Number)), [[20, 8]]);

  const of = (request) => ({ timeOffRequestUuid: request.uuid });
  const { embeddedTimeOffRequest: approved } = await timeOffRequests.putV1TimeOffRequestsTimeOffRequestUuidApprove({ ...of(asked),
    requestBody: { days: { '2099-06-01': '6.000' } } });
  assert.deepEqual([approved.status, approved.days['2099-06-01']], ['approved', '6.000']);
  const { embeddedTimeOffRequest: given } = await timeOffRequests.postV1CompaniesCompanyUuidTimeOffAdminApprovedRequests({ ...inCompany,
    requestBody: day('2099-06-03') });
  const { embeddedTimeOffRequest: declined } = await timeOffRequests.putV1TimeOffRequestsTimeOffRequestUuidDecline({ ...of(given),
    requestBody: { employerNote: 'The season has begun' } });
  assert.deepEqual([given.status, declined.status, declined.employerNote], ['approved', 'declined', 'The season has begun']);
  const { embeddedTimeOffRequests: list } = await timeOffRequests.getV1CompaniesCompanyUuidTimeOffRequests({ ...inCompany,
    employeeUuids: somebody.uuid, sortOrder: 'asc' });
  assert.deepEqual(list.map((one) => [one.uuid, one.status]), [[asked.uuid, 'approved'], [given.uuid, 'declined']]);
  const one = await timeOffRequests.getV1TimeOffRequestsTimeOffRequestUuid(of(asked));
  assert.equal(one.embeddedTimeOffRequest.approver.uuid, approved.approver.uuid);
  assert.equal(statusOf(await timeOffRequests.deleteV1TimeOffRequestsTimeOffRequestUuid(of(asked))), 204);
});

test('a department is made, filled, renamed, emptied and deleted', async () => {
  const { client, company } = service;
  const { department: made } = await client.departments.create({ companyUuid: company.uuid,
    departmentCreateRequestBody: { title: 'Kitchen' } });
  const of = { departmentUuid: made.uuid };
  const employees = [{ uuid: company.employees[0].uuid }];
  const { department: filled } = await client.departments.addPeople({ ...of,
    departmentPeopleRequestBody: { version: made.version, employees } });
  assert.deepEqual(filled.employees, employees);
  const { employee } = await client.employees.get({ employeeId: employees[0].uuid });
  assert.deepEqual([employee.department, employee.departmentUuid], ['Kitchen', made.uuid]);
  const { department: renamed } = await client.departments.update({ ...of,
    departmentUpdateRequestBody: { version: filled.version, title: 'Bar' } });
  const { department: empty } = await client.departments.removePeople({ ...of,
    departmentPeopleRequestBody: { version: renamed.version, employees } });
  assert.deepEqual(empty.employees, []);
  assert.equal(statusOf(await client.departments.delete(of)), 204);
});
