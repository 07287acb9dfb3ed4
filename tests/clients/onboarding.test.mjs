// Employee self-onboarding through the published client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RFCDate } from '@gusto/embedded-api/types/rfcdate.js';
import { statusOf, thrown, world } from './support.mjs';

const service = world();

test('an employee is created, invited, onboarded with every piece of data, and finished', async () => {
  const { client, company } = service;
  const created = await client.employees.create({ companyId: company.uuid, requestBody: {
    firstName: 'Nadia', lastName: 'Ferreira', email: 'nadia@people.example', selfOnboarding: true } });
  assert.equal(statusOf(created), 201);
  const employeeId = created.employee.uuid;
  const status = async (onboardingStatus) => (await client.employees.updateOnboardingStatus({ employeeId,
    requestBody: { onboardingStatus } })).employeeOnboardingStatus.onboardingStatus;

  const location = company.locations.find((one) => one.state === 'NY');
  const work = await client.employeeAddresses.createWorkAddress({ employeeId, requestBody: { locationUuid: location.uuid } });
  assert.equal(statusOf(work), 201);
  const { job } = await client.jobsAndCompensations.createJob({ employeeId,
    jobsCreateRequestBody: { title: 'Baker', hireDate: '2026-01-05' } });
  const compensationId = job.currentCompensationUuid;
  const { compensation } = await client.jobsAndCompensations.getCompensation({ compensationId });
  const paid = await client.jobsAndCompensations.updateCompensation({ compensationId, compensationsUpdateRequestBody: {
    version: compensation.version, rate: '24.50', paymentUnit: 'Hour', flsaStatus: 'Nonexempt' } });
  assert.equal(paid.compensation.rate, '24.50');
  assert.equal(await status('self_onboarding_invited'), 'self_onboarding_invited');

  const { flow } = await client.flows.create({ companyUuid: company.uuid, createFlowRequest: {
    flowType: 'employee_self_management', entityType: 'Employee', entityUuid: employeeId } });
  assert.equal((await fetch(flow.url, { redirect: 'manual' })).status, 303);

  const { employee } = await client.employees.get({ employeeId });
  const detailed = await client.employees.update({ employeeId, requestBody: { version: employee.version,
    dateOfBirth: '1991-03-12', ssn: '412551079' } });
  assert.equal(detailed.employee.hasSsn, true);
  const home = await client.employeeAddresses.create({ employeeId, requestBody: { street1: '5 Olive Row', city: 'Brooklyn',
    state: 'NY', zip: '11201', effectiveDate: new RFCDate('2026-01-05') } });
  assert.equal(statusOf(home), 201);
  await taxes(employeeId);
  await pay(employeeId);
  await documents(employeeId);

  const { employeeOnboardingStatus } = await client.employees.getOnboardingStatus({ employeeId });
  assert.equal(employeeOnboardingStatus.onboardingStatus, 'self_onboarding_completed_by_employee');
  const open = employeeOnboardingStatus.onboardingSteps.filter((step) => step.required && !step.completed);
  assert.deepEqual(open.map((step) => step.id), ['admin_review']);
  assert.equal(await status('onboarding_completed'), 'onboarding_completed');
});

async function taxes(employeeUuid) {
  const { client } = service;
  const { employeeFederalTax } = await client.employeeTaxSetup.getFederalTaxes({ employeeUuid });
  const federal = await client.employeeTaxSetup.updateFederalTaxes({ employeeUuid, requestBody: {
    version: employeeFederalTax.version, w4DataType: 'rev_2020_w4', filingStatus: 'Single', twoJobs: false,
    dependentsAmount: 0, otherIncome: 0, deductions: 0, extraWithholding: 12.5 } });
  assert.equal(Number(federal.employeeFederalTax.extraWithholding), 12.5);
  const { employeeStateTaxesList } = await client.employeeTaxSetup.getStateTaxes({ employeeUuid });
  assert.deepEqual(employeeStateTaxesList.map((one) => one.state), ['NY']);
  const answer = (question) => {
    const { type, options } = question.inputQuestionFormat;
    return type === 'Select' ? options[0].value : 0;
  };
  const states = employeeStateTaxesList.map(({ state, questions }) => ({ state, questions: questions.map((question) => (
    { key: question.key, answers: [{ value: answer(question), validFrom: '2010-01-01', validUpTo: null }] })) }));
  const answered = await client.employeeTaxSetup.updateStateTaxes({ employeeUuid, employeeStateTaxesRequest: { states } });
  assert.ok(answered.employeeStateTaxesList[0].questions.every((question) => question.answers.length > 0));
}

async function pay(employeeId) {
  const { client } = service;
  const account = await client.employeePaymentMethod.create({ employeeId, employeeBankAccountRequest: {
    name: 'Household', routingNumber: '021000021', accountNumber: '1234567890', accountType: 'Checking' } });
  assert.equal(statusOf(account), 201);
  const { employeePaymentMethod: method } = await client.employeePaymentMethod.get({ employeeId });
  const updated = await client.employeePaymentMethod.update({ employeeId, requestBody: { version: method.version,
    type: 'Direct Deposit', splitBy: 'Percentage',
    splits: [{ uuid: account.employeeBankAccount.uuid, name: 'Household', priority: 1, splitAmount: 100 }] } });
  assert.equal(updated.employeePaymentMethod.splits.length, 1);
}

async function documents(employeeId) {
  const { client } = service;
  const { forms } = await client.employeeForms.list({ employeeId });
  assert.ok(forms.length >= 2);
  for (const form of forms) {
    const pdf = await client.employeeForms.getPdf({ employeeId, formId: form.uuid });
    const file = await fetch(pdf.formPdf.documentUrl);
    assert.equal(file.headers.get('content-type'), 'application/pdf');
    const signed = await client.employeeForms.sign({ employeeId, formId: form.uuid, requestBody: {
      signatureText: 'Nadia Ferreira', agree: true, signedByIpAddress: '203.0.113.7' } });
    assert.equal(signed.form.requiresSigning, false);
  }
}

test('lists and pages of employees pass the client\'s own checks', async () => {
  const { client, company } = service;
  const { showEmployees: employees } = await client.employees.list({ companyId: company.uuid, include: ['all_compensations'], per: 3, page: 1 });
  assert.equal(employees.length, 3);
  assert.ok(employees.every((employee) => employee.uuid && employee.jobs.length > 0));
});

test('refusals arrive as the errors that the client knows', async () => {
  const { client, company } = service;
  const invalid = await thrown(client.employees.create({ companyId: company.uuid, requestBody: { firstName: '', lastName: 'X' } }));
  assert.equal(invalid.httpMeta.response.status, 422);
  assert.equal(invalid.name, 'UnprocessableEntityError');
  assert.ok(invalid.errors[0].errorKey);
  const unknown = await thrown(client.employees.get({ employeeId: '00000000-0000-4000-8000-000000000000' }));
  assert.equal(unknown.httpMeta.response.status, 404);
  const { employee } = await client.employees.get({ employeeId: company.employees[0].uuid });
  const stale = await thrown(client.employees.update({ employeeId: employee.uuid, requestBody: { version: 'stale', firstName: 'Q' } }));
  assert.equal(stale.httpMeta.response.status, 409);
});
