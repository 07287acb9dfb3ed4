// Webhooks through the published client: a subscription is made, verified with what was posted to it, and served.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { test } from 'node:test';
import { statusOf, world } from './support.mjs';

const service = world();

// A receiver on this machine that keeps what it is sent.
async function receiver() {
  const calls = [];
  const waiting = [];
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    calls.push({ headers: request.headers, body: Buffer.concat(parts) });
    response.writeHead(204).end();
    while (waiting.length > 0) waiting.pop()();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const next = async (wanted) => {
    for (const until = Date.now() + 20_000; ;) {
      const found = calls.find(wanted);
      if (found) return found;
      assert.ok(Date.now() < until, `nothing of that kind arrived: ${calls.map((one) => one.body)}`);
      await Promise.race([new Promise((resolve) => waiting.push(resolve)), new Promise((resolve) => setTimeout(resolve, 500))]);
    }
  };
  return { url: `http://127.0.0.1:${server.address().port}/hook`, next, close: () => server.close() };
}

test('a subscription is verified and hears of what happens, signed', async () => {
  const { client, company, system } = service;
  const hook = await receiver();
  try {
    const made = await client.webhooks.createSubscription(system,
      { requestBody: { url: hook.url, subscriptionTypes: ['Employee', 'Company'] } });
    assert.equal(statusOf(made), 201);
    const { uuid, status } = made.webhookSubscription;
    assert.equal(status, 'pending');
    const asked = JSON.parse((await hook.next(({ body }) => body.includes('verification_token'))).body);
    assert.equal(asked.webhook_subscription_uuid, uuid);
    const secret = asked.verification_token;
    const verified = await client.webhooks.verify(system,
      { webhookSubscriptionUuid: uuid, requestBody: { verificationToken: secret } });
    assert.equal(verified.webhookSubscription.status, 'verified');

    const { employee } = await client.employees.create({ companyId: company.uuid,
      requestBody: { firstName: 'Webb', lastName: 'Hooker', selfOnboarding: false } });
    const { headers, body } = await hook.next((call) => call.body.includes('employee.created') && call.body.includes(employee.uuid));
    const told = JSON.parse(body);
    assert.equal(told.event_type, 'employee.created');
    assert.equal(told.entity_uuid, employee.uuid);
    assert.equal(told.resource_uuid, company.uuid);
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    assert.equal(headers['x-gusto-signature'], signature);
    assert.equal(headers['x-service-signature'], signature);

    const { webhookSubscriptions } = await client.webhooks.listSubscriptions(system, {});
    assert.ok(webhookSubscriptions.some((one) => one.uuid === uuid));
    const { webhookSubscription } = await client.webhooks.getSubscription(system, { webhookSubscriptionUuid: uuid });
    assert.equal(webhookSubscription.url, hook.url);
    const { eventList } = await client.events.get(system, { resourceUuid: company.uuid, eventType: 'employee.created' });
    assert.ok(eventList.some((event) => event.entityUuid === employee.uuid));
    assert.equal(statusOf(await client.webhooks.deleteSubscription(system, { webhookSubscriptionUuid: uuid })), 204);
  } finally {
    hook.close();
  }
});
