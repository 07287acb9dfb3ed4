// The example partner application (examples/pos), walked by an owner and an employee, each in a browser of their own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { late } from '../../browser/slow.mjs';
import * as browser from '../../browser/support.mjs';
import { approve, onboard, runPayroll, setUp, signUpAndHire, startPos, tab } from './pos.mjs';

const service = browser.world();
let example;
let pos;

before(async () => {
  for (let tries = 0; !service.browser; tries += 1) {
    assert.ok(tries < 1200, 'the service and the browser did not start');
    await pause(50);
  }
  example = await startPos(service);
  pos = example.address;
});
after(() => example?.stop());

test('a restaurant signs up, hires, is set up, runs payroll, and hears of it', async () => {
  const { page: owner, close } = await browser.open(service, browser.DESKTOP, [pos, 'null'], ['AbortError']);
  const address = await signUpAndHire(owner, pos);

  const employee = await browser.open(service, browser.PHONE, [pos]);
  await employee.page.goto(address);
  await onboard(service, employee.page);
  await approve(owner);
  await browser.picture(owner, 'pos-team');
  assert.deepEqual(await browser.faults(owner, 'team'), []);

  await tab(owner, 'Setup');
  await setUp(owner);
  await browser.picture(owner, 'pos-setup');
  assert.deepEqual(await browser.faults(owner, 'setup'), []);
  await runPayroll(owner, () => browser.picture(owner, 'pos-payroll'));
  await tab(owner, 'Events');
  for (const event of ['employee.created', 'company.approved', 'payroll.processed']) await owner.getByText(event, { exact: true }).first().waitFor();
  await browser.picture(owner, 'pos-events');
  await close();

  await employee.page.goto(address);
  const frame = employee.page.frameLocator('iframe');
  await frame.locator('a.button').click();
  await frame.getByRole('heading', { name: browser.TEXTS.en.stubs_title }).waitFor();
  await browser.picture(employee.page, 'pos-pay-stub');
  await employee.close();
});

test('the page is usable within four seconds on a slow phone, fits it, and its console has no error', async () => {
  const ready = (page) => page.getByRole('button', { name: 'Sign up' }).waitFor();
  assert.deepEqual(await late(service, { base: pos, path: '/', ready }, 4000), []);
  const narrow = { ...browser.PHONE, viewport: { width: 320, height: 640 } };
  const { page, context, close } = await browser.open(service, narrow, [pos, 'null'], ['AbortError']);
  const said = [];
  context.on('console', (message) => message.type() === 'error' && said.push(message.text()));
  await page.goto(pos);
  await ready(page);
  assert.deepEqual([await browser.tooWide(page), said], [0, []]);
  await page.getByRole('button', { name: 'Sign up' }).click();
  for (const name of ['Team', 'Setup', 'Events']) {
    await tab(page, name);
    await page.getByRole('heading').first().waitFor();
    assert.equal(await browser.tooWide(page), 0, name);
  }
  await page.goBack();
  assert.match(page.url(), /#\/Setup$/, 'a tab is an address');
  // The components are most of what there is to load: with them, too, on a connection that has loaded nothing yet.
  const [{ name, value }] = await context.cookies(pos);
  await close();
  const components = { base: pos, path: '/#/Payroll', cookie: `${name}=${value}`, ready: (shown) => shown.locator('main article').first().waitFor() };
  assert.deepEqual(await late(service, components, 4000), []);
  assert.deepEqual(said, []);
});

test('nobody gets at what is not theirs', async () => {
  const status = async (path, options) => (await fetch(pos + path, { redirect: 'manual', ...options })).status;
  assert.equal(await status('/pos/team'), 401);
  assert.equal(await status(`/payroll/v1/companies/${service.company.uuid}/bank_accounts`), 401);
  assert.equal(await status('/staff/guessed/hosted'), 404);
  const forged = JSON.stringify({ uuid: '1', event_type: 'payroll.processed', resource_uuid: service.company.uuid, timestamp: 1 });
  const post = (body, headers = {}) => ({ method: 'POST', body, headers });
  assert.equal(await status('/webhooks', post(forged)), 401);
  assert.equal(await status('/webhooks', post(forged, { 'X-Service-Signature': '0'.repeat(64) })), 401);

  const form = { restaurant: 'Corner Grill', ein: '74-2201188', street: '410 South Alamo Street', city: 'San Antonio', state: 'TX',
    zip: '78205', phone: '2105550144', firstName: 'Rita', lastName: 'Sol', email: 'rita@grill.example' };
  const signedUp = await fetch(`${pos}/pos/sign-up`, post(JSON.stringify(form), { 'Content-Type': 'application/json' }));
  const headers = { Cookie: signedUp.headers.get('set-cookie').split(';')[0] };
  const own = (await (await fetch(`${pos}/pos/restaurant`, { headers })).json()).companyId;
  assert.equal(await status(`/payroll/v1/companies/${own}/bank_accounts`, { headers }), 200);
  assert.equal(await status(`/payroll/v1/companies/${service.company.uuid}/bank_accounts`, { headers }), 404, 'of another company');
  assert.equal(await status(`/payroll/v1/companies/${own}/journal`, { headers }), 403, 'no component of the page reads it');
});
