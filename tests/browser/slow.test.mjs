// Every kind of page on a slow phone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { late } from './slow.mjs';
import { call, hostedPages, paidSomebody, world } from './support.mjs';

const service = world();
const USABLE_MS = 1000;

async function inTime(pages) {
  const found = [];
  for (const asked of pages) found.push(...(await late(service, asked, USABLE_MS)));
  assert.deepEqual(found, []);
}

test('each page of employees is usable within a second on a slow phone', async () => inTime(await hostedPages(service)));

test('each page of an employer is usable within a second on a slow phone', async () => {
  // The way to a payday moves the clock by days: no session from before it is open after it.
  await paidSomebody(service);
  const { uuid, payroll_uuid: payroll } = service.company;
  const flow_type = 'company_onboarding,run_payroll,time_off_management,contractor_payments';
  const { url } = await call(service, 'POST', `/v1/companies/${uuid}/flows`, { flow_type, entity_type: 'Company', entity_uuid: uuid });
  const cookie = (await fetch(url, { redirect: 'manual' })).headers.get('set-cookie').split(';')[0];
  const list = await (await fetch(`${service.base}/flow/payrolls`, { headers: { Cookie: cookie } })).text();
  const open = [...list.matchAll(/href="\/flow\/payrolls\/([0-9a-f-]{36})"/g)].map(([, id]) => id).find((id) => id !== payroll);
  const hours = `payrolls/${open}/hours`;
  const hourly = /name="action" value="days:([0-9a-f-]{36})"/;
  const [, employee] = hourly.exec(await (await fetch(`${service.base}/flow/${hours}`, { headers: { Cookie: cookie } })).text());
  const screens = ['addresses', 'signatory', 'federal', 'industry', 'bank', 'employees', 'states', 'schedule', 'documents', 'policies',
    'payrolls', `payrolls/${payroll}`, hours, `${hours}/${employee}`];
  await inTime(screens.map((screen) => ({ path: `/flow/${screen}`, cookie })));
});

test('each page of the console is usable within a second on a slow phone', async () => {
  const company = `/console/companies/${service.company.uuid}`;
  const parts = ['', '/employees', '/contractors', '/payrolls', `/payrolls/${service.company.payroll_uuid}`, '/reports', '/taxes',
    '/tax_returns', '/time_off', '/events', '/webhooks', '/applications', '/audit', '/money', '/owed', '/jobs'];
  const whole = ['/console', '/console/requests', '/console/clock', '/console/data'];
  await inTime([...parts.map((part) => ({ path: company + part })), ...whole.map((path) => ({ path }))]);
});

test('each kind of page of the documentation is usable within a second on a slow phone', async () =>
  inTime(['/', '/docs', '/docs/areas/payrolls', '/docs/operations/create_employee', '/docs/guides', '/docs/guides/payroll', '/docs/errors']
    .map((path) => ({ path }))));
