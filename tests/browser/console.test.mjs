// The console of a developer, and of an administrator who comes from elsewhere.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { DESKTOP, PHONE, call, faults, going, hire, open, picture, tooWide, unfold, world } from './support.mjs';

const service = world();
// Bytes of a page at the most.
const LARGEST = 60 * 1024;
const held = {};

// The partner's own server: it takes whatever comes, but for a while.
let refuses = true;
const arrived = [];
const partner = createServer((request, response) => {
  const said = [];
  request.on('data', (data) => said.push(data));
  request.on('end', () => {
    arrived.push(JSON.parse(Buffer.concat(said)));
    const taken = arrived.at(-1).verification_token || !refuses;
    response.writeHead(taken ? 200 : 503).end(taken ? '' : '<b>closed for the day</b>');
  });
});

async function system(method, address, body) {
  const answer = await fetch(service.base + address, {
    method,
    headers: { Authorization: `Bearer ${service.report.system_access_token}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  assert.ok(answer.ok, `${method} ${address}: ${answer.status}`);
  return answer.json();
}

// A minute: while other files' tests run beside it, a service in its debug build and a browser take their time to start.
async function until(what, found) {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    const one = await found();
    if (one) return one;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what} did not come`);
}

// A subscription that is verified, an event that could not be delivered, a calculated payroll, a salary estimate, and
// somebody who was invited.
before(async () => {
  await new Promise((resolve, reject) => partner.once('error', reject).listen(0, '127.0.0.1', resolve));
  await until('the service', () => service.browser);
  const url = `http://127.0.0.1:${partner.address().port}/hooks?key=of-the-partner`;
  const types = ['Employee', 'Payroll', 'Location', 'EmployeeBenefit'];
  const made = await system('POST', '/v1/webhook_subscriptions', { url, subscription_types: types });
  const token = await until('the token', () => arrived.find((one) => one.verification_token)?.verification_token);
  await system('PUT', `/v1/webhook_subscriptions/${made.uuid}/verify`, { verification_token: token });
  const company = `/v1/companies/${service.company.uuid}`;
  held.invited = await hire(service);
  held.event = await until('the event', () => arrived.find((one) => one.event_type === 'employee.created')?.uuid);
  const payroll = `${company}/payrolls/${service.company.payroll_uuid}`;
  await call(service, 'PUT', `${payroll}/calculate`, {});
  await until('the payroll', async () => (await call(service, 'GET', payroll)).calculated_at);
  const owner = service.company.employees.find(({ name }) => name.startsWith('Susan'));
  held.owner = owner.uuid;
  await call(service, 'POST', `/v1/employees/${owner.uuid}/salary_estimates`, {
    zip_code: '78205',
    occupations: [{ code: '111011', experience_level: 'average', time_percentage: '0.6', primary: true }, { code: '351012', experience_level: 'skilled', time_percentage: '0.4', primary: false }],
  });
  for (const { uuid } of service.company.employees) {
    if ((await call(service, 'GET', `/v1/employees/${uuid}/employee_benefits`)).length > 1) held.benefits ??= uuid;
  }
  assert.ok(held.benefits, 'somebody has several benefits');
  const sick = await call(service, 'POST', `${company}/time_off_policies`, {
    name: 'Sick leave of the kitchen', policy_type: 'sick', accrual_method: 'per_hour_worked', accrual_rate: '1.0', accrual_rate_unit: '30.0',
  });
  await call(service, 'PUT', `/v1/time_off_policies/${sick.uuid}/add_employees`, { employees: [{ uuid: owner.uuid, balance: '8.0' }] });
  // A year with a pause, more for a while, and a record that rests.
  const { now } = await (await fetch(`${service.base}/v1/test_helpers/clock`)).json();
  const [{ uuid: plan }] = service.company.company_benefits;
  for (const [from, to, percent, active] of [['03-01', '03-31', '0', true], ['05-01', '08-31', '8', true], ['10-01', '12-10', '6', false]]) {
    await call(service, 'POST', `/v1/employees/${held.benefits}/employee_benefits`, {
      company_benefit_uuid: plan, effective_date: `${now.slice(0, 4)}-${from}`, expiration_date: `${now.slice(0, 4)}-${to}`,
      employee_deduction: percent, deduct_as_percentage: true, contribution: { type: 'percentage', value: '3' }, active,
    });
  }
});
after(() => new Promise((resolve) => partner.close(resolve).closeAllConnections()));

// Every page with data on it.
const pages = () => {
  const company = `/console/companies/${service.company.uuid}`;
  const payroll = `${company}/payrolls/${service.company.payroll_uuid}`;
  const paid = service.company.employees[0].uuid;
  return {
    companies: '/console',
    company,
    employees: `${company}/employees`,
    'employees-nobody': `${company}/employees?q=nobody`,
    employee: `${company}/employees/${held.invited.uuid}`,
    benefits: `${company}/employees/${held.benefits}/benefits`,
    'benefits-before': `${company}/employees/${held.benefits}/benefits?year=2019`,
    salary: `${company}/employees/${held.owner}/salary`,
    garnishments: `${company}/employees/${held.benefits}/garnishments`,
    taxes: `${company}/taxes`,
    'tax-returns': `${company}/tax_returns`,
    payrolls: `${company}/payrolls`,
    'money-without-a-bank': `${company}/money`,
    owed: `${company}/owed`,
    payroll,
    paycheck: `${payroll}/employees/${paid}`,
    events: `${company}/events`,
    'events-of-a-type': `${company}/events?type=employee.created`,
    event: `${company}/events/${held.event}`,
    webhooks: `${company}/webhooks`,
    'time-off': `${company}/time_off`,
    applications: `${company}/applications`,
    audit: `${company}/audit`,
    requests: '/console/requests',
    request: '/console/requests/1',
    clock: '/console/clock',
    data: '/console/data',
    design: '/console/design',
    unknown: '/console/companies/none',
  };
};

// What is opened of a page before it is looked at: the whole tree of figures, and of lists the first line.
const OPENED = {
  paycheck: '.tree details', audit: 'tbody tr:first-child details', webhooks: 'section:first-of-type details', applications: 'main details',
  'time-off': 'main details', 'tax-returns': 'main details',
};

async function everyPage(prefix, options) {
  const { page, close } = await open(service, options);
  const found = [];
  for (const [name, address] of Object.entries(pages())) {
    const response = await page.goto(service.base + address);
    assert.equal(response.status(), name === 'unknown' ? 404 : 200, name);
    const size = (await response.body()).length;
    if (size > LARGEST) found.push(`${name} has ${size} bytes`);
    if (OPENED[name]) await unfold(page, OPENED[name]);
    const wide = await tooWide(page);
    if (wide > 0) found.push(`${name} is ${wide} pixels too wide`);
    if ((await page.locator('h1').count()) !== 1) found.push(`${name} has not one heading`);
    await picture(page, `console-${name}-${prefix}`);
    found.push(...(await faults(page, name)));
  }
  await close();
  assert.deepEqual(found, []);
}

test('everybody can use every page: a desktop', () => everyPage('desktop', DESKTOP));
test('everybody can use every page: a phone', () => everyPage('phone', PHONE));
test('everybody can use every page: a dark desktop', () => everyPage('dark', { ...DESKTOP, colorScheme: 'dark' }));
test('everybody can use every page: a dark phone', () => everyPage('dark-phone', { ...PHONE, colorScheme: 'dark' }));

test('no page is wider than the narrowest phone', async () => {
  const { page, close } = await open(service, { ...PHONE, viewport: { width: 320, height: 640 } });
  const found = [];
  for (const [name, address] of Object.entries(pages())) {
    await page.goto(service.base + address);
    if (OPENED[name]) await unfold(page, OPENED[name]);
    const wide = await tooWide(page);
    if (wide > 0) found.push(`${name} is ${wide} pixels too wide`);
  }
  await close();
  assert.deepEqual(found, []);
});

test('without a script a policy of time off is ended, once', async () => {
  const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled: false });
  await page.goto(service.base + pages()['time-off']);
  const policy = page.locator('section.card', { hasText: 'Sick leave of the kitchen' });
  assert.match(await policy.innerText(), /1\.00 hours for each 30\.00 hours, per hour worked/);
  assert.match(await policy.innerText(), /in force/);
  await policy.locator('summary').click();
  await going(page, () => policy.getByRole('button', { name: 'End the policy Sick leave of the kitchen' }).click());
  assert.match(await page.innerText('[role="status"]'), /has ended/);
  assert.match(await policy.innerText(), /ended/);
  assert.equal(await policy.getByRole('button').count(), 0, 'what has ended stays so');
  await picture(page, 'console-time-off-ended');
  const listed = await call(service, 'GET', `/v1/companies/${service.company.uuid}/time_off_policies`);
  assert.equal(listed.find(({ name }) => name.startsWith('Sick leave of the kitchen')).is_active, false);
  await close();
});

test('without a script an event is redelivered, and the clock is moved', async () => {
  const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled: false });
  await page.goto(service.base + pages().event);
  assert.match(await page.innerText('main'), /503/);
  assert.match(await page.innerText('main'), /<b>closed for the day<\/b>/, 'an answer is shown as text');
  refuses = false;
  const before = arrived.length;
  await going(page, () => page.getByRole('button', { name: /Redeliver/ }).click());
  assert.match(await page.innerText('[role="status"]'), /open again/);
  await until('the event', () => arrived.slice(before).some(({ uuid }) => uuid === held.event));
  await until('the outcome', async () => {
    await page.goto(service.base + pages().event);
    return (await page.innerText('section.card h3')).includes('delivered');
  });

  await page.goto(service.base + pages().webhooks);
  await page.click('summary');
  await page.getByLabel('Type').selectOption('employee.created');
  await going(page, () => page.getByRole('button', { name: /Replay/ }).click());
  assert.match(await page.innerText('[role="status"]'), /^\d+ events are redelivered/);

  const clock = async () => (await (await fetch(`${service.base}/v1/test_helpers/clock`)).json()).now;
  const day = 24 * 3600 * 1000;
  const began = Date.parse(await clock());
  await page.goto(`${service.base}/console/clock`);
  await going(page, () => page.getByRole('button', { name: '+ 1 day' }).click());
  const passed = Date.parse(await clock()) - began;
  assert.ok(passed >= day && passed < day + 600_000, `${passed} ms passed`);
  assert.match(await page.innerText('main'), /The last move/);
  assert.doesNotMatch(await page.innerText('main'), /[0-9a-f]{8}-[0-9a-f]{4}-/, 'what fell due is named');
  await page.getByLabel('Move to').fill('2020-01-01T00:00:01');
  const back = await going(page, () => page.getByRole('button', { name: 'Move', exact: true }).click());
  assert.equal(back.status(), 422);
  assert.match(await page.innerText('main'), /forward only/);
  assert.match(await page.getByLabel('Move to').inputValue(), /^2020-01-01T00:00/, 'what was entered stays');
  // The form was answered by a page of its own address: going back asks nothing, and reading it again sends nothing.
  assert.equal((await page.reload()).status(), 422);
  await page.goBack();
  assert.equal(page.url(), `${service.base}/console/clock`);
  assert.equal(await page.getByRole('alert').count(), 0);
  await close();
});

test('a paycheck is a statement first, with a picture that says in words what it shows, and a stub as PDF', async () => {
  const { page, context, close } = await open(service, { ...DESKTOP, javaScriptEnabled: false });
  await page.goto(service.base + pages().paycheck);
  assert.match(await page.getAttribute('.waterfall', 'aria-label'), /^Gross pay \$[\d,.]+, .*Net pay \$[\d,.]+/);
  for (const caption of ['Earnings', 'Employee taxes', 'Payment']) {
    assert.equal(await page.locator('caption', { hasText: caption }).count(), 1, caption);
  }
  assert.doesNotMatch(await page.innerText('.tree'), /\bJob 1\b/, 'a job goes by its title');
  const stub = await context.request.get(service.base + (await page.getByRole('link', { name: 'Pay stub (PDF)' }).getAttribute('href')));
  assert.equal(stub.headers()['content-type'], 'application/pdf');
  await page.goto(service.base + pages().payroll);
  assert.match(await page.getAttribute('.stack', 'aria-label'), /Net pay \$[\d,.]+, Employee taxes/);
  await close();
});

test('the clock moves to what falls due next by a button of its line', async () => {
  const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled: false });
  await page.goto(`${service.base}/console/clock`);
  const first = page.locator('tbody tr').first();
  const button = first.getByRole('button');
  // Nothing may be planned in a small world; then the page says so.
  if (await button.count()) {
    const due = await button.getAttribute('value');
    assert.equal((await going(page, () => button.click())).status(), 200);
    assert.ok((await page.getAttribute('.now time', 'datetime')) >= due, 'the clock has come so far');
  }
  await close();
});

test('days are written as where the browser is at home', async () => {
  for (const [locale, written] of [['en-US', /^[A-Z][a-z]{2} \d{1,2}, \d{4}, /], ['en-GB', /^\d{1,2} [A-Z][a-z]{2} \d{4}, /], ['ja-JP', /^\d{4}-\d{2}-\d{2}, /]]) {
    const { page, close } = await open(service, { ...DESKTOP, locale, javaScriptEnabled: false });
    await page.goto(`${service.base}/console/clock`);
    assert.match(await page.innerText('.now'), written);
    await close();
  }
});

test('the tree of a paycheck opens figure by figure down to the rule', async () => {
  const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled: false });
  await page.goto(service.base + pages().paycheck);
  // A line of the statement has its own figure; the tree of all is below the statement.
  const line = page.locator('.statement details.why:has(.tree summary)').first();
  assert.equal(await line.locator('.tree summary').first().isVisible(), false);
  await line.locator('> summary').click();
  assert.equal(await line.locator('.tree summary').first().isVisible(), true, 'a line leads to its figure');
  const tree = page.locator('.tree').last();
  const all = await tree.locator('summary').count();
  assert.ok(all > 10, `${all} figures`);
  const shown = () => tree.locator('summary:visible').count();
  const closed = await shown();
  await tree.locator('> li > details > summary').first().click();
  assert.ok((await shown()) > closed, 'there is more beneath');
  await close();
});

// Who is not at the machine is asked who he is.
const ELSEWHERE = { extraHTTPHeaders: { 'x-forwarded-for': '203.0.113.5' } };

async function signIn(page, user, password = user.password) {
  await page.getByLabel('E-mail address').fill(user.email);
  await page.getByLabel('Password').fill(password);
  return going(page, () => page.getByRole('button', { name: 'Sign in' }).click());
}

for (const [name, options] of [['desktop', DESKTOP], ['dark-phone', { ...PHONE, colorScheme: 'dark' }]]) {
  test(`an administrator signs in, sees his companies and leaves (${name})`, async () => {
    const { page, close } = await open(service, { ...options, ...ELSEWHERE });
    const look = async (screen) => {
      assert.deepEqual(await faults(page, screen), []);
      await picture(page, `console-${screen}-${name}`);
    };
    const user = service.report.users.find(({ companies }) => companies.length === 2);
    await page.goto(service.base + pages().employees);
    await look('sign-in');
    assert.equal((await signIn(page, user, 'not this one')).status(), 422);
    await look('sign-in-refused');
    assert.equal((await signIn(page, user)).status(), 200);
    assert.match(await page.innerText('h1'), /^Employees/, 'where he wanted to go');
    await look('employees-admin');
    await page.goto(`${service.base}/console`);
    assert.equal(await page.locator('tbody tr').count(), 2);
    await look('companies-admin');
    await page.goto(`${service.base}/console/requests`);
    assert.match(await page.innerText('main'), /no such list/);
    await look('requests-admin');
    await page.goto(service.base + pages().webhooks);
    assert.doesNotMatch(await page.content(), /of-the-partner/, 'the address is the partner\'s');
    // Somebody else under the same name is seen, and put out.
    const other = await open(service, { ...options, ...ELSEWHERE });
    await other.page.goto(service.base + pages().employees);
    await signIn(other.page, user);
    await going(page, () => page.getByRole('link', { name: user.email }).click());
    assert.match(await page.innerText('h1'), /^Your sessions/);
    await look('account');
    await going(page, () => page.getByRole('button', { name: 'End all others' }).click());
    assert.equal(await page.locator('tbody tr').count(), 1);
    await other.page.goto(service.base + pages().employees);
    assert.match(await other.page.innerText('h1'), /Sign in/);
    await other.close();
    await going(page, () => page.getByRole('button', { name: 'Sign out' }).click());
    assert.match(await page.innerText('h1'), /Sign in/);
    await close();
  });
}

test('with limited rights nobody sees pay', async () => {
  const { page, close } = await open(service, { ...DESKTOP, ...ELSEWHERE });
  const user = service.report.users.find(({ role }) => role === 'limited_admin');
  await page.goto(service.base + pages().company);
  await signIn(page, user);
  assert.deepEqual(await page.locator('nav.company a').allInnerTexts(), ['Overview', 'Employees', 'Events']);
  assert.equal((await page.goto(service.base + pages().paycheck)).status(), 403);
  assert.deepEqual(await faults(page, 'refused'), []);
  await close();
});
