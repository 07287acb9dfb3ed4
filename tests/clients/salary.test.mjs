// Reasonable salary estimates through the published client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusOf, thrown, world } from './support.mjs';

const service = world();

test('an occupation is found by everyday words', async () => {
  const { blsOccupations } = await service.client.salaryEstimates.getV1SalaryEstimatesOccupations(service.system, { search: 'bookkeeper' });
  assert.ok(blsOccupations.some((one) => one.code.startsWith('43-3031') && one.title));
});

test('a salary is estimated, changed, and accepted once and for ever', async () => {
  const { client, company } = service;
  const estimates = client.salaryEstimates;
  const [owner] = company.employees;
  const occupation = (code, timePercentage, primary) => ({ code, experienceLevel: 'average', timePercentage, primary });
  const made = await estimates.postV1EmployeesEmployeeIdSalaryEstimates({ employeeId: owner.uuid, requestBody: {
    annualNetRevenue: 400000, zipCode: '94103', occupations: [occupation('11-1021', '1.0', true)] } });
  assert.equal(statusOf(made), 201);
  const { uuid, result: alone } = made.salaryEstimate;
  assert.ok(Number(alone) > 0);

  const changed = await estimates.putV1SalaryEstimatesId({ uuid, requestBody: { annualNetRevenue: 400000, zipCode: '94103',
    occupations: [occupation('11-1021', '0.5', true), occupation('43-3031', '0.5', false)] } });
  assert.ok(Number(changed.salaryEstimate.result) < Number(alone), 'half of the time is spent on simpler work');
  const accepted = await estimates.postV1SalaryEstimatesUuidAccept({ uuid, requestBody: { employeeJobUuid: owner.job_uuid } });
  assert.ok(accepted.salaryEstimate.acceptedAt);

  const again = await thrown(estimates.putV1SalaryEstimatesId({ uuid, requestBody: { annualNetRevenue: 1, zipCode: '78205',
    occupations: [occupation('11-1021', '1.0', true)] } }));
  assert.equal(again.httpMeta.response.status, 409);
  const { salaryEstimate } = await estimates.getV1SalaryEstimatesId({ uuid });
  assert.equal(salaryEstimate.result, changed.salaryEstimate.result);
  assert.equal(salaryEstimate.occupations.length, 2);
});

test('shares of time that do not add up are refused with the field', async () => {
  const { client, company } = service;
  const refused = await thrown(client.salaryEstimates.postV1EmployeesEmployeeIdSalaryEstimates({
    employeeId: company.employees[1].uuid, requestBody: { annualNetRevenue: 1000, zipCode: '78205',
      occupations: [{ code: '11-1021', experienceLevel: 'novice', timePercentage: '0.7', primary: true }] } }));
  assert.equal(refused.httpMeta.response.status, 422);
  assert.match(JSON.stringify(refused.errors), /occupations/);
});
