// Libraries of Standard Webhooks verify what arrives while the test clock stands: the signature carries the time of the wall, which they
// compare with theirs, and the body the time of business.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { EXAMPLES_AT, call, start } from '../support/service.mjs';

test('standardwebhooks and svix verify an event under a clock that stands, and refuse one that was changed', async () => {
  const service = await start({ clock: EXAMPLES_AT });
  const calls = [];
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    calls.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const arrived = async (wanted) => {
    for (const until = Date.now() + 20_000; Date.now() < until; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const found = calls.find(wanted);
      if (found) return found;
    }
    throw new Error(`nothing of that kind arrived: ${calls.map((one) => one.body)}`);
  };
  const system = { ...service, company: { access_token: service.report.system_access_token } };
  try {
    const url = `http://127.0.0.1:${server.address().port}/hook`;
    const made = await call(system, 'POST', '/v1/webhook_subscriptions', { url, subscription_types: ['Employee'] });
    const { verification_token: token } = JSON.parse((await arrived(({ body }) => body.includes('verification_token'))).body);
    await call(system, 'PUT', `/v1/webhook_subscriptions/${made.uuid}/verify`, { verification_token: token });
    const employee = await call(service, 'POST', `/v1/companies/${service.company.uuid}/employees`, { first_name: 'Webb', last_name: 'Hooker' });
    const { headers, body } = await arrived((one) => one.body.includes('employee.created') && one.body.includes(employee.uuid));
    const secret = `whsec_${Buffer.from(token).toString('base64')}`;
    for (const library of [new Webhook(secret), new Svix(secret)]) {
      library.verify(body, headers);
      assert.throws(() => library.verify(body.replace('employee.created', 'employee.deleted'), headers));
      const old = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 3600) };
      assert.throws(() => library.verify(body, old));
    }
    // Business goes by the clock that stands.
    assert.equal(JSON.parse(body).timestamp, Date.parse(EXAMPLES_AT) / 1000);
    assert.ok(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000) < 120);
  } finally {
    server.close();
    await service.stop();
  }
});
