// The collection for Postman that the program prints: small enough to be imported, and its requests are answered as they stand.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import newman from 'newman';
import { EXAMPLES_AT, start } from '../support/service.mjs';

const MOST_BYTES = 3_000_000;
// What an address has of the company itself; everything else is a record of its own.
const COMPANY = ['company_id', 'company_uuid'];
// Metrics are off until the operator sets a token for them.
const ABSENT = { 404: ['Read the metrics'] };
let service, text, collection;

before(async () => {
  service = await start({ clock: EXAMPLES_AT });
  text = execFileSync(process.env.STIPEND_BINARY, ['openapi', '--postman'], { encoding: 'utf8', maxBuffer: 1 << 24 });
  collection = JSON.parse(text);
});

after(() => service?.stop());

const requests = () => collection.item.flatMap((folder) => folder.item);

function run(made) {
  const { company, report } = service;
  const set = { base_url: service.base, token: company.access_token, system_token: report.system_access_token, company: company.uuid };
  const envVar = Object.entries(set).map(([key, value]) => ({ key, value }));
  return new Promise((resolve, reject) => {
    newman.run({ collection: made, envVar, timeoutRequest: 20_000 }, (error, summary) => (error ? reject(error) : resolve(summary)));
  });
}

test('the collection has every operation once, in folders by area, and is below three megabytes', async () => {
  assert.ok(Buffer.byteLength(text) < MOST_BYTES, `${Buffer.byteLength(text)} bytes`);
  const described = await (await fetch(`${service.base}/openapi.json`)).json();
  const told = Object.entries(described.paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`));
  const held = requests().map(({ request }) => `${request.method} /${request.url.path.map((part) => part.replace(/^:(.*)$/, '{$1}')).join('/')}`);
  assert.deepEqual(held.sort(), told.sort());
  assert.ok(collection.item.length > 20 && collection.item.every((folder) => folder.item.length > 0));
  for (const { name, request } of requests()) assert.ok(!JSON.stringify(request).includes(service.company.access_token), name);
});

test('every request that only reads, and needs nothing but the company, is answered by the demo world', async () => {
  const reads = ({ request }) => request.method === 'GET' && !request.body && request.url.variable.every(({ key }) => COMPANY.includes(key))
    && request.url.query.every(({ disabled }) => disabled);
  const folders = collection.item.map((folder) => ({ ...folder, item: folder.item.filter(reads) })).filter(({ item }) => item.length);
  const { run: done } = await run({ ...collection, item: folders });
  const refused = done.executions
    .map(({ item, response }) => ({ name: item.name, status: response?.code, body: response?.text() }))
    .filter(({ name, status }) => status !== 200 && !ABSENT[status]?.includes(name));
  assert.deepEqual(refused, []);
  assert.equal(done.failures.length, 0);
  assert.ok(done.executions.length > 60, `${done.executions.length} requests`);
});

test('a request with a body is sent as it stands in the collection', async () => {
  const create = requests().find(({ request }) => request.method === 'POST' && request.url.raw.endsWith('/:company_uuid/departments'));
  const { run: done } = await run({ ...collection, item: [create] });
  assert.equal(done.executions[0].response.code, 201, done.executions[0].response.text());
});
