// An administrator of two companies connects the demo application with one of them, or does not.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { DESKTOP, PHONE, faults, going, open, picture, world } from './support.mjs';

const service = world();
const arrived = [];

// The partner's own server, at the address that is registered for the demo application.
const partner = createServer((request, response) => {
  if (request.url.startsWith('/callback')) arrived.push(request.url);
  // As an application does that keeps the code and goes on to its own pages, on another origin.
  if (new URL(request.url, 'http://127.0.0.1').searchParams.get('state') === 'goes on elsewhere') {
    response.writeHead(303, { location: 'http://localhost:8765/callback/connected' }).end();
    return;
  }
  const body = '<!doctype html><html lang="en"><head><title>Back</title></head><body><main><h1>Back</h1></main></body></html>';
  response.writeHead(request.url.startsWith('/callback') ? 200 : 204, { 'content-type': 'text/html' });
  response.end(request.url.startsWith('/callback') ? body : undefined);
});
before(() => new Promise((resolve, reject) => partner.once('error', reject).listen(8765, '127.0.0.1', resolve)));
after(() => new Promise((resolve) => partner.close(resolve).closeAllConnections()));

const request = (changes = {}) => {
  const { client_id, redirect_uri } = service.report.application;
  const query = new URLSearchParams({ client_id, redirect_uri, response_type: 'code', state: 'tab 1', ...changes });
  return `${service.base}/oauth/authorize?${query}`;
};
const press = (page, name) => going(page, () => page.getByRole('button', { name, exact: true }).click());
// The browser leaves the service from a page of it, by itself.
const leave = async (page, name) => {
  await page.getByRole('button', { name, exact: true }).click();
  await page.waitForURL((url) => url.origin !== service.base);
};
const signIn = async (page, user, password = user.password) => {
  await page.getByLabel('E-mail address').fill(user.email);
  await page.getByLabel('Password').fill(password);
  return press(page, 'Sign in');
};
const back = (page) => {
  const url = new URL(page.url());
  assert.equal(`${url.origin}${url.pathname}`, service.report.application.redirect_uri);
  return Object.fromEntries(url.searchParams);
};

async function exchange(code) {
  const { client_id, client_secret, redirect_uri } = service.report.application;
  const response = await fetch(`${service.base}/oauth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ grant_type: 'authorization_code', client_id, client_secret, redirect_uri, code }),
  });
  assert.equal(response.status, 200);
  return response.json();
}

for (const [name, options] of [['desktop', DESKTOP], ['phone', PHONE]]) {
  test(`an administrator of two companies connects the one that was chosen (${name})`, async () => {
    const { page, close } = await open(service, options, [new URL(service.report.application.redirect_uri).origin]);
    const look = async (screen) => {
      assert.deepEqual(await faults(page, screen), []);
      await picture(page, `authorize-${screen}-${name}`);
    };
    const [user] = service.report.users;
    const [, chosen] = service.report.companies;
    assert.equal(user.companies.length, 2);
    await page.goto(request());
    await look('sign-in');
    assert.equal((await signIn(page, user, 'not this one')).status(), 422);
    assert.match(await page.getByRole('alert').innerText(), /wrong/);
    await look('sign-in-refused');
    assert.equal((await signIn(page, user)).status(), 200);
    assert.deepEqual(await page.getByRole('radio').count(), 2);
    await look('choose');
    assert.equal((await press(page, 'Continue')).status(), 422, 'nothing was chosen');
    await page.getByLabel(chosen.name).check();
    await press(page, 'Continue');
    assert.match(await page.innerText('h1'), new RegExp(chosen.name));
    assert.match(await page.innerText('ul.allowed'), /pay schedules and payrolls/);
    await look('consent');
    await leave(page, 'Allow');
    const { code, state, iss } = back(page);
    assert.deepEqual([state, iss], ['tab 1', service.base]);
    const given = await exchange(code);
    const told = await fetch(`${service.base}/v1/token_info`, { headers: { Authorization: `Bearer ${given.access_token}` } });
    assert.deepEqual((await told.json()).resource, { type: 'Company', uuid: chosen.uuid });
    await close();
  });
}

test('whoever says no goes back without a code, and the choice can be made anew', async () => {
  const { page, close } = await open(service, DESKTOP, [new URL(service.report.application.redirect_uri).origin]);
  const [user] = service.report.users;
  const [first, second] = service.report.companies;
  await page.goto(request());
  await signIn(page, user);
  await page.getByLabel(second.name).check();
  await press(page, 'Continue');
  await press(page, 'Another company');
  await page.getByLabel(first.name).check();
  await press(page, 'Continue');
  assert.match(await page.innerText('h1'), new RegExp(first.name));
  await leave(page, 'Deny');
  const { error, code, state } = back(page);
  assert.deepEqual([error, code, state], ['access_denied', undefined, 'tab 1']);
  await close();
});

test('all of it works without a script', async () => {
  const options = { ...DESKTOP, javaScriptEnabled: false };
  const { page, close } = await open(service, options, [new URL(service.report.application.redirect_uri).origin]);
  const user = service.report.users.find(({ role, companies }) => role === 'primary_admin' && companies.length === 1);
  await page.goto(request());
  await signIn(page, user);
  await leave(page, 'Allow');
  assert.ok(back(page).code);
  await close();
});

test('a callback that redirects to another origin is reached, and so is that origin', async () => {
  const origins = [new URL(service.report.application.redirect_uri).origin, 'http://localhost:8765'];
  for (const [javaScriptEnabled, decision] of [[true, 'Allow'], [false, 'Allow'], [true, 'Deny']]) {
    const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled }, origins);
    const user = service.report.users.find(({ role, companies }) => role === 'primary_admin' && companies.length === 1);
    await page.goto(request({ state: 'goes on elsewhere' }));
    await signIn(page, user);
    const before = arrived.length;
    await page.getByRole('button', { name: decision, exact: true }).click();
    await page.waitForURL('http://localhost:8765/callback/connected');
    assert.equal(await page.innerText('h1'), 'Back');
    const asked = arrived.slice(before).filter((url) => url.startsWith('/callback?'));
    assert.equal(asked.length, 1, 'the callback was called once');
    assert.equal(asked[0].includes('code='), decision === 'Allow');
    // The browser's button back leads to no form that is sent again.
    await page.goBack();
    assert.ok(!page.url().includes('/callback'));
    await close();
  }
});

test('with limited rights nobody connects anything', async () => {
  const { page, close } = await open(service);
  const user = service.report.users.find(({ role }) => role === 'limited_admin');
  await page.goto(request());
  assert.equal((await signIn(page, user)).status(), 403);
  assert.equal(await page.innerText('h1'), 'No company to connect');
  assert.deepEqual(await faults(page, 'nowhere'), []);
  await close();
});

test('an address that is not registered is told on a page and never gone to', async () => {
  const { page, close } = await open(service);
  const before = arrived.length;
  for (const path of ['/callback/', '/Callback', '/callback?x=1', '/callback#x', '/other']) {
    const response = await page.goto(request({ redirect_uri: `http://127.0.0.1:8765${path}` }));
    assert.equal(response.status(), 400);
    assert.match(await page.innerText('main'), /For the developer: redirect_uri: the (path|query|fragment) is/);
    assert.deepEqual(await faults(page, 'fault'), []);
  }
  assert.equal(arrived.length, before);
  await close();
});

test('the pages speak Spanish to whoever asks for it', async () => {
  const { page, close } = await open(service, PHONE);
  await page.goto(request());
  await going(page, () => page.getByRole('link', { name: 'Español' }).click());
  assert.equal(await page.getAttribute('html', 'lang'), 'es');
  assert.equal(await page.innerText('h1'), 'Iniciar sesión');
  assert.deepEqual(await faults(page, 'sign-in-es'), []);
  const user = service.report.users.find(({ role, companies }) => role === 'primary_admin' && companies.length === 1);
  await page.getByLabel('Correo electrónico').fill(user.email);
  await page.getByLabel('Contraseña').fill(user.password);
  await press(page, 'Iniciar sesión');
  assert.match(await page.innerText('ul.allowed'), /Ver y cambiar los calendarios de pago/);
  assert.deepEqual(await faults(page, 'consent-es'), []);
  await picture(page, 'authorize-consent-es');
  await going(page, () => page.getByRole('link', { name: 'English' }).click());
  assert.match(await page.innerText('ul.allowed'), /See and change/);
  await close();
});
