// Dated benefits through the published client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RFCDate } from '@gusto/embedded-api/types/rfcdate.js';
import { statusOf, thrown, world } from './support.mjs';

const service = world();
const day = (text) => new RFCDate(text);

test('benefits that a company can offer are listed with what they require', async () => {
  const { client } = service;
  const { supportedBenefitList } = await client.companyBenefits.getAll({});
  assert.ok(supportedBenefitList.length > 10);
  const [{ benefitType }] = supportedBenefitList;
  await client.companyBenefits.getSupported({ benefitId: String(benefitType) });
  await client.companyBenefits.getRequirements({ benefitId: String(benefitType) });
});

test('an employee holds dated windows of one benefit, which never overlap', async () => {
  const { client, company } = service;
  const made = await client.companyBenefits.create({ companyId: company.uuid,
    companyBenefitCreateRequest: { benefitType: 1, active: true, description: 'Medical, silver' } });
  assert.equal(statusOf(made), 201);
  const companyBenefitUuid = made.companyBenefit.uuid;
  const employeeId = company.employees[0].uuid;
  const enroll = (effective, employeeDeduction) => client.employeeBenefits.create({ employeeId, employeeBenefitCreateRequest: {
    companyBenefitUuid, active: true, employeeDeduction, effectiveDate: effective && day(effective) } });
  const first = await enroll('2026-01-01', '100.00');
  assert.equal(statusOf(first), 201);
  const second = await enroll('2027-01-01', '120.00');
  assert.equal(String(second.employeeBenefit.effectiveDate), '2027-01-01');
  const { employeeBenefits } = await client.employeeBenefits.get({ employeeId, include: 'all_benefits' });
  const windows = employeeBenefits.filter((one) => one.companyBenefitUuid === companyBenefitUuid);
  assert.deepEqual(windows.map((one) => [String(one.effectiveDate), one.expirationDate && String(one.expirationDate)]).sort(),
    [['2026-01-01', '2026-12-31'], ['2027-01-01', null]]);
  const clash = await thrown(enroll('2026-06-01', '90.00'));
  assert.equal(clash.httpMeta.response.status, 422);

  const { employeeBenefit } = await client.employeeBenefits.retrieve({ employeeBenefitId: second.employeeBenefit.uuid });
  const updated = await client.employeeBenefits.update({ employeeBenefitId: employeeBenefit.uuid,
    employeeBenefitUpdateRequest: { version: employeeBenefit.version, employeeDeduction: '125.00' } });
  assert.equal(updated.employeeBenefit.employeeDeduction, '125.00');
  assert.equal(statusOf(await client.employeeBenefits.delete({ employeeBenefitId: employeeBenefit.uuid })), 204);
});

test('a company\'s benefits are read, changed, summed up and listed with their employees', async () => {
  const { client, company } = service;
  const { companyBenefits } = await client.companyBenefits.list({ companyId: company.uuid });
  const companyBenefitId = companyBenefits[0].uuid;
  await client.companyBenefits.get({ companyBenefitId });
  await client.companyBenefits.getEmployeeBenefits({ companyBenefitId });
  await client.companyBenefits.getSummary({ companyBenefitId });
  const { companyBenefitWithEmployeeBenefits: companyBenefit } = await client.companyBenefits.get({ companyBenefitId });
  const updated = await client.companyBenefits.update({ companyBenefitId,
    companyBenefitUpdateRequest: { version: companyBenefit.version, description: 'As before, by another name' } });
  assert.equal(updated.companyBenefit.description, 'As before, by another name');
});
