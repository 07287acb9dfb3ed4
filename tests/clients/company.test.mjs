// A company and its move to a partner through the published client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GustoEmbedded } from '@gusto/embedded-api';
import { RFCDate } from '@gusto/embedded-api/types/rfcdate.js';
import { thrown, world } from './support.mjs';

const service = world();

test('a company is read with what its people can be paid, and is set up with nothing open', async () => {
  const { client, company: { uuid } } = service;
  const { company } = await client.companies.get({ companyId: uuid });
  assert.deepEqual([company.payScheduleType, company.fundingType, company.companyStatus], ['single', 'ach', 'Approved']);
  const { hourly, fixed, paidTimeOff } = company.compensations;
  assert.deepEqual(hourly.map(({ name, multiple }) => [name, multiple]),
    [['Regular Hours', 1], ['Overtime', 1.5], ['Double overtime', 2]]);
  assert.ok(fixed.some(({ name }) => name === 'Paycheck Tips'));
  assert.equal(paidTimeOff.length, 3);
  const { companyOnboardingStatus } = await client.companies.getOnboardingStatus({ companyUuid: uuid });
  assert.equal(companyOnboardingStatus.onboardingCompleted, true);
  assert.ok(companyOnboardingStatus.onboardingSteps.every(({ completed }) => completed));
});

test('a company is created with its administrator, gets a signatory, and is told what its move misses', async () => {
  const { client, system } = service;
  const made = await client.companies.createPartnerManaged(system, { partnerManagedCompanyCreateRequest: {
    user: { firstName: 'Nora', lastName: 'Lind', email: 'nora.lind@people.example' }, company: { name: 'Lind and Daughters' } } });
  const { companyUuid, accessToken } = made.partnerManagedCompany;
  const own = new GustoEmbedded({ serverURL: service.base, companyAccessAuth: accessToken });
  const person = { firstName: 'Nora', lastName: 'Lind', email: 'nora.lind@people.example' };
  const { signatory } = await own.signatories.invite({ companyUuid, signatoryInviteRequest: person });
  assert.deepEqual([signatory.hasSsn, signatory.isAdmin], [false, true]);
  const completed = await own.signatories.update({ companyUuid, signatoryUuid: signatory.uuid, signatoryUpdateRequest: {
    version: signatory.version, title: 'Owner', phone: '2105550100', birthday: new RFCDate('1971-01-22'), ssn: '412551040',
    homeAddress: { street1: '19 Willow Court', city: 'San Antonio', state: 'TX', zip: '78209' } } });
  assert.equal(completed.signatory.hasSsn, true);
  const { admin } = await own.companies.createAdmin({ companyId: companyUuid, adminCreateRequest: {
    firstName: 'Iris', lastName: 'Novak', email: 'iris.novak@people.example' } });
  assert.equal(admin.lastName, 'Novak');
  const accepted = await own.companies.acceptTermsOfService({ companyUuid, partnerManagedCompanyAcceptTermsOfServiceRequest: {
    email: person.email, ipAddress: '203.0.113.7', externalUserId: 'user-7' } });
  assert.equal(accepted.partnerManagedCompanyTermsOfServiceResponse.latestTermsAccepted, true);
  // A company that a partner created is a partner's already.
  const refused = await thrown(own.companies.migrate({ companyUuid, partnerManagedCompanyMigrateRequest: {
    email: person.email, ipAddress: '203.0.113.7', externalUserId: 'user-7' } }));
  assert.equal(refused.httpMeta.response.status, 422);
});
