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

test('a file is attached, listed, downloaded as it was sent, and what is wrong with one is told', async () => {
  const { client, company: { uuid: companyId } } = service;
  const content = new TextEncoder().encode('%PDF-1.7 a notice');
  const attach = (fileName) => client.companyAttachments.create({ companyId,
    companyAttachmentCreateRequestBody: { category: 'gep_notice', document: { fileName, content } } });
  const { companyAttachment: made } = await attach('Notice März.pdf');
  assert.deepEqual([made.name, made.category], ['Notice März.pdf', 'gep_notice']);
  const known = { companyId, companyAttachmentUuid: made.uuid };
  assert.deepEqual((await client.companyAttachments.getDetails(known)).companyAttachment, made);
  const listed = await client.companyAttachments.getList({ companyId });
  assert.ok(JSON.stringify(listed).includes(made.uuid));
  const { companyAttachmentDownloadUrl: { url } } = await client.companyAttachment.getDownloadUrl(known);
  const file = await fetch(url);
  assert.equal(file.headers.get('content-type'), 'application/pdf');
  assert.match(file.headers.get('content-disposition'), /^attachment; /);
  assert.deepEqual(new Uint8Array(await file.arrayBuffer()), content);
  const refused = await thrown(attach('page.html'));
  assert.equal(refused.httpMeta.response.status, 422);
  assert.ok(refused.httpMeta.body.includes('docx'), 'the endings that are taken are named');
});

test('rates and parts of a state are fractions, of types that the client knows', async () => {
  const { client, company } = service;
  let read = 0;
  for (const state of new Set(company.locations.map((one) => one.state))) {
    const { taxRequirementsState } = await client.taxRequirements.get({ companyUuid: company.uuid, state });
    for (const { requirements } of taxRequirementsState.requirementSets) {
      for (const { value, metadata } of requirements) {
        read += 1;
        if (value !== null && ['tax_rate', 'percent'].includes(metadata.type)) assert.ok(Number(value) <= 1, `${state} ${value}`);
      }
    }
  }
  assert.ok(read > 8, `${read} requirements`);
});
