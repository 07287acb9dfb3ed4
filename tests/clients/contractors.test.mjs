// Contractors as the published clients of each dated version read them: people and businesses, with and without what they may lack, through
// onboarding, dismissal and rehire, and payments of each kind until they are funded, cancelled or reported by the partner.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { start } from '../support/service.mjs';
import { CLIENTS, faultOf, schemasOf, withoutNames } from './schemas.mjs';

const ADDRESS = { street_1: '7 Mill Lane', city: 'Austin', state: 'TX', zip: '78701' };
const ACCOUNT = { name: 'Studio', routing_number: '121000374', account_number: '40070051', account_type: 'Checking' };
const LINA = { type: 'Individual', first_name: 'Lina', last_name: 'Ford', wage_type: 'Hourly', hourly_rate: '65.00', start_date: '2026-01-05' };
const HILL = { type: 'Business', business_name: 'Hill Design LLC', wage_type: 'Fixed', start_date: '2026-01-05' };

// A caller whose answers a client reads: `path` has the names of the description, `ids` what they stand for.
function asking(service, version, schemas, read, faults) {
  return async (method, path, ids = {}, body = undefined) => {
    const address = path.split('?')[0].replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? service.company.uuid) + (path.includes('?') ? `?${path.split('?')[1]}` : '');
    const headers = { Authorization: `Bearer ${service.company.access_token}`, 'X-Gusto-API-Version': version };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const answer = await fetch(service.base + address, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${address}: ${answer.status} ${text}`);
    const called = `${method} ${path.split('?')[0]}`;
    const known = schemas.get(withoutNames(called));
    if (known) {
      read.add(called);
      assert.equal(answer.status, known.status, called);
      const fault = await faultOf(known, text);
      if (fault) faults.push(`${called}: ${fault} in ${text.slice(0, 400)}`);
    }
    return text && /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : text;
  };
}

const ONE = '/v1/contractors/{contractor_uuid}';
const LIST = '/v1/companies/{company_uuid}/contractors';
const GROUPS = '/v1/companies/{company_id}/contractor_payment_groups';
const SINGLES = '/v1/companies/{company_id}/contractor_payments';
const GROUP = '/v1/contractor_payment_groups/{contractor_payment_group_uuid}';
const PAID_OUT = '/v1/contractor_payment_groups/{id}/partner_disbursements';

async function onboarded(ask, body, number) {
  const { uuid } = await ask('POST', LIST, {}, body);
  const of = { contractor_uuid: uuid };
  for (const part of ['', '/address', '/bank_accounts', '/payment_method', '/onboarding_status', '/documents']) await ask('GET', ONE + part, of);
  const { version } = await ask('GET', ONE, of);
  await ask('PUT', ONE, of, { version, ...number });
  await ask('PUT', `${ONE}/address`, of, { version: (await ask('GET', `${ONE}/address`, of)).version, ...ADDRESS });
  const method = await ask('GET', `${ONE}/payment_method`, of);
  await ask('PUT', `${ONE}/payment_method`, of, { version: method.version, type: 'Check' });
  await ask('POST', `${ONE}/bank_accounts`, of, ACCOUNT);
  for (const part of ['/bank_accounts', '/payment_method', '/documents', '/onboarding_status']) await ask('GET', ONE + part, of);
  await ask('PUT', `${ONE}/onboarding_status`, of, { onboarding_status: 'onboarding_completed' });
  await ask('GET', ONE, of);
  return uuid;
}

async function invited(ask) {
  const { uuid } = await ask('POST', LIST, {}, { ...LINA, first_name: 'Omar', email: 'omar@people.example', self_onboarding: true });
  const of = { contractor_uuid: uuid };
  await ask('PUT', `${ONE}/onboarding_status`, of, { onboarding_status: 'self_onboarding_invited' });
  await ask('PUT', ONE, of, { version: (await ask('GET', ONE, of)).version, ssn: '412551236' });
  await ask('PUT', `${ONE}/address`, of, { version: (await ask('GET', `${ONE}/address`, of)).version, ...ADDRESS });
  await ask('GET', `${ONE}?include=portal_invitations`, of);
  await ask('POST', `${ONE}/member_portal_invitations`, of, {});
  await ask('GET', `${ONE}/member_portal_invitations`, of);
  const [{ uuid: document }] = await ask('GET', `${ONE}/documents`, of);
  await ask('GET', '/v1/documents/{document_uuid}', { document_uuid: document });
  const signed = { fields: [{ key: 'signature_text', value: 'Omar Ford' }], agree: true, signed_by_ip_address: '203.0.113.7' };
  await ask('PUT', '/v1/documents/{document_uuid}/sign', { document_uuid: document }, signed);
  await ask('GET', '/v1/documents/{document_uuid}', { document_uuid: document });
  await ask('GET', '/v1/documents/{document_uuid}/pdf', { document_uuid: document });
  await ask('GET', `${ONE}/onboarding_status`, of);
}

async function paid(ask, [lina, hill], day, today) {
  const both = [{ contractor_uuid: lina, hours: '10', bonus: '25.00', reimbursement: '80.00' }, { contractor_uuid: hill, wage: '300.00', payment_method: 'Check' }];
  const group = async (check_date, contractor_payments) => {
    const body = { check_date, contractor_payments };
    const { creation_token } = await ask('POST', `${GROUPS}/preview`, {}, body);
    const { uuid } = await ask('POST', GROUPS, {}, { ...body, creation_token });
    return { contractor_payment_group_uuid: uuid, id: uuid };
  };
  const one = await group(day, both);
  await ask('GET', GROUP, one);
  await ask('PUT', `${GROUP}/fund`, one);
  const made = await ask('GET', GROUP, one);
  const funded = made.contractor_payments.find((payment) => payment.status === 'Funded');
  await ask('GET', '/v1/contractor_payments/{contractor_payment_uuid}/receipt', { contractor_payment_uuid: funded.uuid });
  await ask('GET', '/v1/contractor_payments/{contractor_payment_id}/pdf', { contractor_payment_id: funded.uuid });
  await ask('DELETE', GROUP, await group(day, [{ contractor_uuid: hill, wage: '10.00' }]));
  await group(today, [{ contractor_uuid: hill, wage: '500.00', payment_method: 'Historical Payment' }]);
  const single = await ask('POST', SINGLES, {}, { contractor_uuid: hill, date: day, wage: '40.00', payment_method: 'Direct Deposit' });
  const of = { contractor_payment_id: single.uuid, contractor_payment_uuid: single.uuid };
  await ask('GET', `${SINGLES}/{contractor_payment_id}`, of);
  await ask('PUT', '/v1/contractor_payments/{contractor_payment_uuid}/fund', of);
  const other = await ask('POST', SINGLES, {}, { contractor_uuid: hill, date: day, wage: '41.00', payment_method: 'Check' });
  await ask('DELETE', `${SINGLES}/{contractor_payment_id}`, { contractor_payment_id: other.uuid });
  await ask('GET', `${SINGLES}?start_date=2026-01-01&end_date=${day}`);
  await ask('GET', `${SINGLES}?start_date=2026-01-01&end_date=${day}&group_by_date=true`);
  await ask('GET', `${GROUPS}?start_date=2026-01-01&end_date=${day}`);
  await ask('GET', '/v1/companies/{company_id}/contractors/payment_details');
  for (const uuid of [lina, hill]) {
    const whose = { contractor_uuid: uuid };
    await ask('GET', `${ONE}/payments`, whose);
    await ask('GET', `${ONE}/forms`, whose);
    const { uuid: form_id } = await ask('POST', '/v1/sandbox/generate_1099', {}, { contractor_id: uuid, year: Number(day.slice(0, 4)) });
    await ask('GET', `${ONE}/forms`, whose);
    await ask('GET', `${ONE}/forms/{form_id}`, { ...whose, form_id });
    await ask('GET', `${ONE}/forms/{form_id}/pdf`, { ...whose, form_id });
  }
  return group;
}

// The partner pays out itself, and reports it.
async function byPartner(ask, group, lina, day) {
  const configs = '/v1/companies/{company_uuid}/payment_configs';
  const before = await ask('GET', configs);
  await ask('PUT', configs, {}, { partner_owned_disbursement: true });
  const one = await group(day, [{ contractor_uuid: lina, hours: '1' }]);
  const { disbursements } = await ask('GET', PAID_OUT, one);
  const [{ contractor_payment_uuid }] = disbursements;
  await ask('PATCH', PAID_OUT, one, { disbursements: [{ contractor_payment_uuid, payment_status: 'Paid' }] });
  await ask('GET', PAID_OUT, one);
  await ask('PUT', configs, {}, { partner_owned_disbursement: before.partner_owned_disbursement });
}

async function dismissed(ask, hill, past, ahead) {
  const of = { contractor_uuid: hill };
  await ask('POST', `${ONE}/termination`, of, { end_date: ahead[0] });
  await ask('GET', ONE, of);
  await ask('DELETE', `${ONE}/termination`, of);
  await ask('POST', `${ONE}/termination`, of, { end_date: past });
  await ask('POST', `${ONE}/rehire`, of, { start_date: ahead[1] });
  await ask('GET', ONE, of);
  await ask('DELETE', `${ONE}/rehire`, of);
  await ask('GET', LIST);
}

for (const [name, version] of CLIENTS) {
  test(`the client of ${version} reads contractors and payments in whatever state they are`, async () => {
    const service = await start();
    try {
      const [read, faults] = [new Set(), []];
      const schemas = await schemasOf(name);
      const ask = asking(service, version, schemas, read, faults);
      const { now } = await ask('GET', '/v1/test_helpers/clock');
      const day = (days) => new Date(Date.parse(now) + days * 24 * 3600_000).toISOString().slice(0, 10);
      const lina = await onboarded(ask, LINA, { ssn: '412551234' });
      const hill = await onboarded(ask, HILL, { ein: '745551234' });
      await invited(ask);
      const { uuid } = await ask('POST', LIST, {}, { ...HILL, business_name: 'Nobody Ltd' });
      await ask('DELETE', ONE, { contractor_uuid: uuid });
      const group = await paid(ask, [lina, hill], day(14), day(-1));
      await byPartner(ask, group, lina, day(14));
      await dismissed(ask, hill, day(-2), [day(20), day(40)]);
      assert.deepEqual(faults, []);
      const known = [...read].map(withoutNames);
      const unread = [...schemas.keys()].filter((called) => called.includes('/contractor') && !known.includes(called));
      assert.deepEqual(unread, [], 'every operation of contractors that the client has is called');
    } finally {
      await service.stop();
    }
  });
}
