// What a partner has who shows the published components: a page that holds them, and a proxy on the same origin that
// adds the company's token. The browser is driven as everywhere else (tests/browser).
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import * as browser from '../../browser/support.mjs';

export const { call, hire, picture } = browser;

const HTML = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Partner</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css"><div id="root"></div>
<script type="module" src="/page.js"></script></html>`;

// `page` is what the partner's page holds, `plugins` what its bundle is made with beside it.
export function world(page = new URL('page.jsx', import.meta.url), plugins = []) {
  const held = browser.world();
  before(async () => {
    held.server = createServer(await partner(held, page, plugins)).unref();
    await new Promise((resolve) => held.server.listen(0, '127.0.0.1', resolve));
    held.partner = `http://127.0.0.1:${held.server.address().port}`;
  });
  after(() => held.server?.close());
  return held;
}

async function partner(service, page, plugins) {
  const files = { '/': ['text/html', HTML], ...(await bundle(page, plugins)) };
  return async (request, response) => {
    const { pathname } = new URL(request.url, 'http://partner');
    if (request.url.startsWith('/api/')) return pass(service, request, response);
    const [type, content] = files[pathname] ?? ['text/plain', null];
    return response.writeHead(content === null ? 404 : 200, { 'Content-Type': type }).end(content ?? '');
  };
}

async function bundle(page, plugins) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(page)], plugins, entryNames: 'page', bundle: true, write: false, outdir: '/',
    format: 'esm', jsx: 'automatic', minify: true, define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.svg': 'dataurl', '.woff2': 'dataurl' }, logLevel: 'error',
  });
  const types = { js: 'text/javascript', css: 'text/css' };
  return Object.fromEntries(outputFiles.map(({ path, contents }) => [path, [types[path.split('.').pop()], contents]]));
}

// What the components ask goes to the service with the token, which the browser never sees, and the address of the
// person, which the service records with a signature. All else passes as it came.
async function pass(service, request, response) {
  const body = [];
  for await (const part of request) body.push(part);
  const { host, connection, 'content-length': length, ...headers } = request.headers;
  const answer = await fetch(service.base + request.url.slice('/api'.length), {
    method: request.method,
    headers: { ...headers, authorization: `Bearer ${service.company.access_token}`, 'x-gusto-client-ip': '203.0.113.7' },
    body: body.length ? Buffer.concat(body) : undefined,
  });
  const kept = [...answer.headers].filter(([name]) => !['connection', 'content-encoding', 'content-length', 'transfer-encoding'].includes(name));
  response.writeHead(answer.status, kept).end(Buffer.from(await answer.arrayBuffer()));
}

// Opens a component; `close` holds that no call failed but those that `ordinary` matches, and that neither the component nor its
// client complained.
export async function mount(service, component, props, ordinary = /$^/) {
  // What the browser loads of its own, to show documents, has no origin: "null".
  const elsewhere = [service.partner, 'null'];
  const { page, context, close: leave } = await browser.open(service, browser.DESKTOP, elsewhere, ['AbortError']);
  const failed = [];
  // Told at once, too: whoever waits for the next screen in vain sees why.
  const fail = (what) => {
    failed.push(what);
    console.log(what);
  };
  context.on('response', async (answer) => {
    const told = `${answer.status()} of ${answer.request().method()} ${answer.url()}`;
    if (answer.status() < 400 || ordinary.test(told)) return;
    fail(`${told}: ${await answer.text().catch(String)}`);
  });
  context.on('requestfailed', (request) => {
    // What is asked for anew before it was answered is given up; that is no failure. (Now and then the client does not
    // catch what it is told then: the AbortError above.)
    const { errorText } = request.failure();
    if (errorText !== 'net::ERR_ABORTED') fail(`${errorText} of ${request.method()} ${request.url()}`);
  });
  await page.goto(`${service.partner}/?${new URLSearchParams({ component, ...props })}`);
  const close = async () => {
    assert.deepEqual(failed, [], 'every call was answered well');
    await leave();
  };
  return { page, told: () => page.evaluate(() => globalThis.told), close };
}

// Choices are buttons that open a list.
export async function choose(page, control, option) {
  const name = typeof control === 'string' ? new RegExp(`${control}$`) : control;
  await page.getByRole('button', { name }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
  await page.getByRole('listbox').waitFor({ state: 'detached' });
}

// A date is three fields, each of which leads to the next.
export async function type(page, label, digits) {
  await page.getByRole('group', { name: label }).getByRole('spinbutton').first().click();
  await page.keyboard.type(digits);
}
