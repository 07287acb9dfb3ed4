// The console on a company with a past, as the demo world has one, and what the developer at the machine does there.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { DESKTOP, PHONE, call, faults, going, open, picture, tooWide, world } from './support.mjs';

const service = world({ history: true });
const LARGEST = 60 * 1024;

// A program of the partner that keeps the token, and takes every event unless it is told to refuse.
const arrived = [];
const partner = createServer((request, response) => {
  const said = [];
  request.on('data', (data) => said.push(data));
  request.on('end', () => {
    arrived.push(JSON.parse(Buffer.concat(said)));
    response.writeHead(partner.refuses ? 503 : 200).end();
  });
});
before(() => new Promise((resolve, reject) => partner.once('error', reject).listen(0, '127.0.0.1', resolve)));
after(() => new Promise((resolve) => partner.close(resolve).closeAllConnections()));

async function until(what, found) {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    const one = await found();
    if (one) return one;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what} did not come`);
}

const company = () => service.report.companies[2];
const person = (first) => company().employees.find(({ name }) => name.startsWith(first)).uuid;
const base = () => `/console/companies/${company().uuid}`;

const pages = () => ({
  companies: '/console',
  company: base(),
  employees: `${base()}/employees`,
  benefits: `${base()}/employees/${person('Elena')}/benefits`,
  salary: `${base()}/employees/${person('Ruth')}/salary`,
  garnishments: `${base()}/employees/${person('Marcus')}/garnishments`,
  payrolls: `${base()}/payrolls`,
  payroll: `${base()}/payrolls/${company().payroll_uuid}`,
  events: `${base()}/events`,
  webhooks: `${base()}/webhooks`,
  audit: `${base()}/audit`,
  requests: '/console/requests',
  'requests-filtered': '/console/requests?q=employees',
  request: '/console/requests/1',
  clock: '/console/clock',
});

async function everyPage(prefix, options) {
  const asked = { headers: { Authorization: `Bearer ${company().access_token}` } };
  assert.equal((await fetch(`${service.base}/v1/companies/${company().uuid}/employees`, asked)).status, 200);
  const { page, close } = await open(service, options);
  const found = [];
  for (const [name, address] of Object.entries(pages())) {
    const response = await page.goto(service.base + address);
    assert.equal(response.status(), 200, name);
    const size = (await response.body()).length;
    if (size > LARGEST) found.push(`${name} has ${size} bytes`);
    const wide = await tooWide(page);
    if (wide > 0) found.push(`${name} is ${wide} pixels too wide`);
    await picture(page, `story-${name}-${prefix}`);
    found.push(...(await faults(page, name)));
  }
  await close();
  assert.deepEqual(found, []);
}

test('everybody can use the pages of a company with a past: a desktop', () => everyPage('desktop', DESKTOP));
test('everybody can use the pages of a company with a past: a dark phone', () => everyPage('dark-phone', { ...PHONE, colorScheme: 'dark' }));

test('a webhook that fails is told with its attempts, is paused and goes on', async () => {
  const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled: false });
  await page.goto(service.base + pages().webhooks);
  const failing = page.locator('section.failing');
  assert.equal(await failing.count(), 1);
  assert.match(await failing.locator('.attempts').getAttribute('aria-label'), /^The last \d+ attempts, .*: 0 taken, \d+ failed/);
  assert.match(await failing.innerText(), /Next attempt/);
  await going(page, () => failing.getByRole('button', { name: 'Pause' }).click());
  assert.match(await page.innerText('[role="status"]'), /Nothing is delivered any more/);
  assert.match(await page.innerText('section.failing h2'), /paused/);
  await going(page, () => page.getByRole('button', { name: 'Resume' }).click());
  assert.match(await page.innerText('section.failing h2'), /verified/);
  await close();
});

test('a subscription is made and verified by forms alone; what it refused for days is retried at once when it is verified again', async () => {
  const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled: false });
  await page.goto(service.base + pages().webhooks);
  const address = `http://127.0.0.1:${partner.address().port}/hooks`;
  await page.getByLabel('Address').fill(address);
  await page.getByLabel('Location', { exact: true }).check();
  await going(page, () => page.getByRole('button', { name: 'Subscribe' }).click());
  const token = await until('the token', () => arrived.find((one) => one.verification_token)?.verification_token);
  const own = page.locator('section', { hasText: address });
  const verify = async (entered) => {
    await page.goto(service.base + pages().webhooks);
    await own.getByLabel('Token that was posted').fill(entered);
    return going(page, () => own.getByRole('button', { name: 'Verify' }).click());
  };
  assert.equal((await verify('00000000-0000-4000-8000-000000000000')).status(), 422);
  await verify(token);
  assert.match(await page.innerText('[role="status"]'), /verified/);

  partner.refuses = true;
  const place = { street_1: '1204 Dogwood Avenue', city: 'Nashville', state: 'TN', zip: '37203', phone_number: '6155550142' };
  const as = { base: service.base, company: company() };
  const { uuid } = await call(as, 'POST', `/v1/companies/${company().uuid}/locations`, place);
  const came = () => arrived.find((one) => one.entity_uuid === uuid);
  await until('the event', came);
  await call(service, 'POST', '/v1/test_helpers/clock/advance', { seconds: 4 * 86_400 });
  await page.goto(service.base + pages().webhooks);
  assert.match(await own.innerText(), /unreachable/);
  assert.equal(await own.getByRole('button', { name: 'Retry all' }).count(), 0);

  partner.refuses = false;
  arrived.length = 0;
  await verify(token);
  await going(page, () => own.getByRole('button', { name: /^Retry all 1 that failed/ }).click());
  assert.match(await page.innerText('[role="status"]'), /open again/);
  await until('the event again', came);
  await close();
});

test('requests are filtered, and each is a command to be copied', async () => {
  const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled: false });
  await page.goto(`${service.base}/console/requests`);
  await page.getByLabel('Method or address').fill('no such request');
  await going(page, () => page.getByRole('button', { name: 'Filter' }).click());
  assert.match(await page.innerText('main'), /None of them matches/);
  await page.goto(`${service.base}/console/requests?q=GET`);
  await going(page, () => page.locator('tbody a').first().click());
  const command = await page.getByLabel('The request as a curl command').inputValue();
  assert.match(command, /^curl -X GET 'http:\/\/127\.0\.0\.1:\d+\/v1\//);
  assert.match(command, /-H "Authorization: Bearer \$TOKEN"/);
  await close();
});

test('an estimate lies on the strip of percentiles, and a raise is a higher bar', async () => {
  const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled: false });
  await page.goto(service.base + pages().salary);
  assert.match(await page.getAttribute('.strip', 'aria-label'), /^10th percentile \$[\d,]+, .*90th percentile \$[\d,]+; the estimate \$[\d,.]+$/);
  // The raise is that of the last October that has begun.
  const { now } = await call(service, 'GET', '/v1/test_helpers/clock');
  const year = Number(now.slice(0, 4)) - (now.slice(5, 7) < '10' ? 1 : 0);
  await page.goto(`${service.base}${pages().benefits}?year=${year}`);
  const heights = await page.locator('.lane').first().locator('.applies rect').evaluateAll((all) => all.map((one) => Number(one.getAttribute('height'))));
  assert.ok(heights.length >= 2 && heights.at(-1) > heights[0], `${heights}`);
  await close();
});

test('the clock is moved to the next payday by a button', async () => {
  const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled: false });
  await page.goto(service.base + pages().clock);
  const payday = page.getByRole('button', { name: /To the next payday/ });
  const to = await payday.getAttribute('value');
  assert.equal((await going(page, () => payday.click())).status(), 200);
  assert.ok((await page.getAttribute('.now time', 'datetime')) >= to);
  await close();
});
