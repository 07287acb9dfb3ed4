// The pages of /docs: every one of them can be used by everybody, and what they offer works in the demo world.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DESKTOP, PHONE, faults, open, picture, unfold, world } from './support.mjs';

const service = world();
const at = (path) => `${service.base}${path}`;

// A page of each kind, with the name of its picture.
const KINDS = {
  start: '/docs',
  area: '/docs/areas/employee-benefits',
  list: '/docs/operations/list_employees',
  update: '/docs/operations/update_employee_benefit',
  payroll: '/docs/operations/get_payroll',
  errors: '/docs/errors',
  versions: '/docs/versions',
  difference: '/docs/versions?from=2024-04-01&to=2025-06-15',
  guides: '/docs/guides',
  guide: '/docs/guides/webhooks',
  onboarding: '/docs/guides/onboarding',
  search: '/docs/search?q=signature',
  landing: '/',
};

// The elements of a page: each with its class, and what other attributes it has.
const shapes = (html) => [...html.matchAll(/<([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*>/g)].map(([, name, attributes]) => {
  const all = [...attributes.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)].map(([, key, value]) => (key === 'class' ? value : key));
  return [name, ...all.sort()].join(' ');
});

const repeated = (all) => all.filter((one, at) => all.indexOf(one) !== at);

async function operations(page) {
  await page.goto(at('/docs'));
  return page.locator('main .operations a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
}

// The pages of operations have one template, and there are hundreds: the browser is shown the first of each area, and those that hold
// something which none before them held; in the long run all of them.
test('nothing keeps anybody from reading any page', async () => {
  const { page, close } = await open(service);
  const found = [];
  const look = async (path) => {
    assert.equal((await page.goto(at(path))).status(), 200);
    await unfold(page);
    found.push(...(await faults(page, path)));
  };
  const areas = new Set();
  const known = new Set();
  let shown = 0;
  for (const path of await operations(page)) {
    const answer = await fetch(at(path));
    assert.equal(answer.status, 200);
    const html = await answer.text();
    const [, area] = /class="crumb"[^>]*><a href="([^"]+)"/.exec(html);
    assert.deepEqual(repeated([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)), [], path);
    const news = shapes(html).filter((shape) => !known.has(shape));
    for (const shape of news) known.add(shape);
    if (news.length > 0 || !areas.has(area) || process.env.STIPEND_LONG === '1') {
      shown += 1;
      await look(path);
    }
    areas.add(area);
  }
  assert.ok(known.size > 40 && shown >= areas.size, `${known.size} kinds of elements on ${shown} pages`);
  for (const path of areas) await look(path);
  assert.deepEqual(found, []);
  assert.ok(areas.size >= 25, `${areas.size} areas`);
  await close();
});

for (const [name, options] of [
  ['desktop', DESKTOP],
  ['dark', { ...DESKTOP, colorScheme: 'dark' }],
  ['phone', PHONE],
  ['dark-phone', { ...PHONE, colorScheme: 'dark' }],
]) {
  test(`each kind of page is good to look at and to use (${name})`, async () => {
    const { page, close } = await open(service, options);
    for (const [kind, path] of Object.entries(KINDS)) {
      await page.goto(at(path));
      assert.deepEqual(await faults(page, `${kind}-${name}`), []);
      const { width, held } = await page.evaluate(() => ({ width: innerWidth, held: document.documentElement.scrollWidth }));
      assert.ok(held <= width, `${path} is wider than the window: ${held} of ${width}`);
      await picture(page, `docs-${kind}-${name}`);
    }
    await close();
  });
}

test('an example is sent to the demo world with its token, and answered', async () => {
  const { page, close } = await open(service);
  await page.goto(at('/docs/operations/list_employees'));
  await page.getByRole('button', { name: 'Send' }).click();
  const answer = page.getByRole('region', { name: 'The answer' });
  await answer.waitFor();
  const text = await answer.innerText();
  assert.match(text, /^200\n\[/);
  for (const employee of service.company.employees) assert.ok(text.includes(employee.uuid));
  await picture(page, 'docs-tried');
  assert.deepEqual(await faults(page, 'tried'), []);
  await close();
});

test('what an example needs is got by the requests before it', async () => {
  const { page, close } = await open(service);
  await page.goto(at('/docs/operations/update_garnishment'));
  assert.equal(await page.getByLabel('GARNISHMENT_ID').inputValue(), '');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('region', { name: 'The answer' }).waitFor();
  assert.match(await page.getByRole('region', { name: 'The answer' }).innerText(), /^200\n/);
  assert.match(await page.getByLabel('GARNISHMENT_ID').inputValue(), /^[0-9a-f-]{36}$/);
  const requests = await page.locator('.try .log li').allInnerTexts();
  assert.equal(requests.length, 3, requests.join('\n'));

  // A second time the version is an old one, and the answer says so.
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('invalid_resource_version').last().waitFor();
  await picture(page, 'docs-tried-refused');
  await close();
});

test('without a script the pages hold everything but the form', async () => {
  const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled: false });
  await page.goto(at('/docs'));
  await page.locator('main .operations').getByRole('link', { name: 'POST Create an employee', exact: true }).click();
  const shell = await page.getByRole('region', { name: 'Example request' }).innerText();
  assert.ok(shell.includes(service.company.access_token) && shell.includes(service.company.uuid), shell);
  assert.equal(await page.locator('main form').count(), 0);
  await page.locator('.refusals a', { hasText: 'invalid_resource_version' }).first().click();
  assert.equal(new URL(page.url()).hash, '#invalid_resource_version');
  await close();
});

test('an example is shown in the language that is chosen, without a script too', async () => {
  const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled: false });
  await page.goto(at('/docs/operations/create_employee'));
  const shown = (name) => page.getByRole('region', { name });
  const languages = { curl: ['Example request', 'curl -sS -X POST'], TypeScript: ['Example in TypeScript', 'await client.employees.create({'],
    Python: ['Example in Python', 'client.employees.create('] };
  for (const [language, [name, part]] of Object.entries(languages)) {
    await page.getByText(language, { exact: true }).click();
    assert.ok((await shown(name).innerText()).includes(part), language);
    assert.ok((await shown(name).innerText()).includes(service.company.uuid), language);
    for (const [other] of Object.values(languages)) assert.equal(await shown(other).isVisible(), other === name, other);
    await picture(page, `docs-example-${language}`);
  }
  await close();
});

test('an operation is found by its words and by its path', async () => {
  const { page, close } = await open(service);
  await page.goto(at('/docs'));
  const shown = () => page.locator('main .operations li:visible').allInnerTexts();
  const all = (await shown()).length;
  await page.getByLabel('Find an operation').fill('child support');
  const some = await shown();
  assert.ok(some.length >= 2 && some.length < 10 && all > 160, `${some.length} of ${all}`);
  await page.getByLabel('Find an operation').fill('');
  assert.equal((await shown()).length, all);
  await close();
});

test('a refusal leads to the place that explains it', async () => {
  const { page, close } = await open(service);
  const refused = await fetch(at('/v1/companies/none/employees'));
  const { errors } = await refused.json();
  await page.goto(errors[0].metadata.docs_url);
  assert.equal(await page.locator('h2:target').innerText(), 'invalid_token 401');
  await close();
});

test('guides and operations are found from every page, without a script', async () => {
  const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled: false });
  for (const path of ['/docs', '/docs/errors', '/docs/guides/payroll']) {
    await page.goto(at(path));
    await page.fill('#q', 'pay stub');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    const found = await page.locator('main .listing a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    for (const begin of ['/docs/operations/', '/docs/guides/']) assert.ok(found.some((link) => link.startsWith(begin)), begin);
  }
  await Promise.all([page.waitForNavigation(), page.locator('main .listing a[href^="/docs/guides/"]').first().click()]);
  assert.ok(await page.locator(new URL(page.url()).hash).count(), 'the part of the guide is there');
  await close();
});
