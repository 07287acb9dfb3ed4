// A company is connected by its administrator and moved, and tokens live on, through the published client. The client
// cannot exchange a code: that step, and the pages before it, are walked by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GustoEmbedded } from '@gusto/embedded-api';
import { RFCDate } from '@gusto/embedded-api/types/rfcdate.js';
import { statusOf, thrown, world } from './support.mjs';

const service = world();

// A browser without a screen: it keeps cookies, and sends the form of the page that it stands on.
async function visit(state, address, form) {
  const answer = await fetch(address, { redirect: 'manual', method: form ? 'POST' : 'GET', body: form && new URLSearchParams(form),
    headers: { Cookie: Object.entries(state.cookies).map((pair) => pair.join('=')).join('; '), Origin: service.base } });
  for (const cookie of answer.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
    state.cookies[name] = value;
  }
  const page = await answer.text();
  state.token = page.match(/name="form_token" value="([^"]+)"/)?.[1] ?? state.token;
  state.page = page;
  return answer;
}

// Follows redirects within the service; the first address outside of it, or the page that was reached.
async function walk(state, address, form) {
  let answer = await visit(state, address, form);
  for (let steps = 0; answer.status === 303 || answer.status === 302; steps += 1) {
    const next = new URL(answer.headers.get('location'), service.base);
    if (next.origin !== service.base || steps > 5) return next;
    answer = await visit(state, next);
  }
  // The way out of the service is a page that goes on by itself.
  const onward = state.page.match(/<a [^>]*href="(https?:[^"]+)"/)?.[1].replace(/&(amp|#38);/g, '&');
  return onward && new URL(onward).origin !== service.base ? new URL(onward) : null;
}

async function consent() {
  const { report } = service;
  const peter = report.users.find((user) => user.email.startsWith('peter'));
  const asked = new URL('/oauth/authorize', service.base);
  asked.search = new URLSearchParams({ client_id: report.application.client_id, redirect_uri: report.application.redirect_uri,
    response_type: 'code', state: 'as-it-was-sent' });
  const state = { cookies: {} };
  await walk(state, asked);
  await walk(state, asked, { form_token: state.token, email: peter.email, password: peter.password, action: 'sign_in' });
  const company = state.page.match(/name="company" value="([^"]+)"/)[1];
  const back = await walk(state, asked, { form_token: state.token, company, action: 'allow' });
  assert.equal(back.searchParams.get('state'), 'as-it-was-sent');
  return { code: back.searchParams.get('code'), company };
}

test('a company that its administrator connects is ready, moves, and hears of its tokens', async () => {
  const { report, base } = service;
  const { client_id: clientId, client_secret: clientSecret, redirect_uri: redirectUri } = report.application;
  const { code, company: companyUuid } = await consent();
  const exchanged = await fetch(`${base}/oauth/token`, { method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ grant_type: 'authorization_code', code, client_id: clientId, client_secret: clientSecret, redirect_uri: redirectUri }) });
  const first = await exchanged.json();
  assert.equal(exchanged.status, 200, JSON.stringify(first));
  const client = new GustoEmbedded({ serverURL: base, companyAccessAuth: first.access_token });
  const { tokenInfo } = await client.introspection.getInfo({});
  assert.equal(tokenInfo.resource.uuid, companyUuid);

  const email = report.companies.find((one) => one.uuid === companyUuid).signatory_email;
  const terms = await client.companies.acceptTermsOfService({ companyUuid,
    partnerManagedCompanyAcceptTermsOfServiceRequest: { email, ipAddress: '203.0.113.9', externalUserId: 'peter-7' } });
  assert.equal(terms.partnerManagedCompanyTermsOfServiceResponse.latestTermsAccepted, true);
  await client.companies.retrieveTermsOfService({ companyUuid, partnerManagedCompanyRetrieveTermsOfServiceRequest: { email } });
  const ready = await client.companies.getV1PartnerManagedCompaniesCompanyUuidMigrationReadiness({ companyUuid });
  assert.equal(statusOf(ready), 200);
  const moved = await client.companies.migrate({ companyUuid, partnerManagedCompanyMigrateRequest: { email, ipAddress: '203.0.113.9', externalUserId: 'peter-7' } });
  assert.equal(moved.partnerManagedCompanyMigrateResponse.migrationStatus, 'success');
  assert.equal((await client.companies.get({ companyId: companyUuid })).company.isPartnerManaged, true);

  const { authentication } = await new GustoEmbedded({ serverURL: base }).introspection.oauthAccessToken({ requestBody: {
    clientId, clientSecret, grantType: 'refresh_token', refreshToken: first.refresh_token } });
  const next = new GustoEmbedded({ serverURL: base, companyAccessAuth: authentication.accessToken });
  await next.signatories.list({ companyUuid });
  const again = await thrown(new GustoEmbedded({ serverURL: base }).introspection.oauthAccessToken({ requestBody: {
    clientId, clientSecret, grantType: 'refresh_token', refreshToken: first.refresh_token } }));
  assert.equal(again.httpMeta.response.status, 400);
});

test('an application gets a token of its own and creates a company with its administrator', async () => {
  const { report, base } = service;
  const { authentication } = await new GustoEmbedded({ serverURL: base }).introspection.oauthAccessToken({ requestBody: {
    clientId: report.application.client_id, clientSecret: report.application.client_secret, grantType: 'system_access' } });
  const system = { systemAccessAuth: authentication.accessToken };
  const { partnerManagedCompany: made } = await service.client.companies.createPartnerManaged(system, {
    partnerManagedCompanyCreateRequest: { user: { firstName: 'Ines', lastName: 'Baptista', email: 'ines@quay.example' },
      company: { name: 'Quay Street Bakery' } } });
  const client = new GustoEmbedded({ serverURL: base, companyAccessAuth: made.accessToken });
  const companyId = made.companyUuid;
  const { admins } = await client.companies.listAdmins({ companyId });
  assert.deepEqual(admins.map((admin) => admin.email), ['ines@quay.example']);
  await client.companies.createAdmin({ companyId, adminCreateRequest: { firstName: 'Rui', lastName: 'Costa', email: 'rui@quay.example' } });
  const { companyOnboardingStatus } = await client.companies.getOnboardingStatus({ companyUuid: companyId });
  assert.equal(companyOnboardingStatus.onboardingCompleted, false);

  const { location } = await client.locations.create({ companyId, companyLocationRequest: { phoneNumber: '8009360383',
    street1: '300 3rd Street', city: 'San Francisco', state: 'CA', zip: '94107', country: 'USA', mailingAddress: true, filingAddress: true } });
  assert.ok(location.uuid);
  const { federalTaxDetails } = await client.federalTaxDetails.get({ companyId });
  const details = await client.federalTaxDetails.update({ companyId, federalTaxDetailsUpdate: { version: federalTaxDetails.version,
    legalName: 'Quay Street Bakery LLC', ein: '12-3456789', taxPayerType: 'LLC', filingForm: '941', taxableAsScorp: false } });
  assert.equal(details.federalTaxDetails.hasEin, true);
  const account = await client.bankAccounts.create({ companyId, companyBankAccountRequest: {
    routingNumber: '021000021', accountNumber: '99887766', accountType: 'Checking' } });
  assert.equal(account.companyBankAccount.verificationStatus, 'awaiting_deposits');
  const wrong = await thrown(client.bankAccounts.verify({ companyId, bankAccountUuid: account.companyBankAccount.uuid,
    companyBankAccountVerifyRequest: { deposit1: 0.97, deposit2: 0.98 } }));
  assert.equal(wrong.httpMeta.response.status, 422);
  const { signatory } = await client.signatories.create({ companyUuid: companyId, signatoryCreateRequest: { ssn: '412551079',
    firstName: 'Ines', lastName: 'Baptista', email: 'ines@quay.example', title: 'Owner', phone: '8009360383', birthday: new RFCDate('1980-04-02'),
    homeAddress: { street1: '1 Quay Street', city: 'San Francisco', state: 'CA', zip: '94107' } } });
  assert.ok(signatory.uuid);
  const { forms } = await client.companyForms.getAll({ companyId });
  for (const form of forms) await client.companyForms.get({ formId: form.uuid });
  await client.taxRequirements.getAll({ companyUuid: companyId });

  const apart = await service.client.companies.putV1PartnerManagedCompaniesCompanyUuidDisassociate(system, { companyUuid: companyId });
  assert.equal(apart.partnerManagedCompanyDisassociateResponse.companyName, 'Quay Street Bakery LLC');
  const gone = await thrown(client.companies.listAdmins({ companyId }));
  assert.equal(gone.httpMeta.response.status, 401);
});
