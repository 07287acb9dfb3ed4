// Subscribes to what happens to the restaurants, and believes only what is signed.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { application, asApplication } from './client';
import { config } from './config';

export interface Event {
  uuid: string;
  event_type: string;
  resource_uuid: string;
  timestamp: number;
}

const KEPT = 1000;
const events = new Map<string, Event>();
let subscription = '';
let key = '';

const url = `http://127.0.0.1:${config.port}/webhooks`;

export async function subscribe(): Promise<void> {
  const { webhookSubscriptions } = await application.webhooks.listSubscriptions(await asApplication(), {});
  // What an earlier run of this server left behind.
  for (const { uuid } of (webhookSubscriptions ?? []).filter((one) => one.url === url)) {
    await application.webhooks.deleteSubscription(await asApplication(), { webhookSubscriptionUuid: uuid });
  }
  const { webhookSubscription } = await application.webhooks.createSubscription(await asApplication(), {
    requestBody: { url, subscriptionTypes: ['Company', 'Employee', 'Payroll'] },
  });
  subscription = webhookSubscription!.uuid;
}

/** Takes what was posted; the status to answer with. */
export async function receive(body: Buffer, signature: string | undefined): Promise<number> {
  const told = parsed(body);
  if (told?.verification_token) return verified(told.webhook_subscription_uuid, told.verification_token);
  if (!signed(body, signature)) return 401;
  if (!told?.uuid) return 400;
  // An event can come twice: its uuid tells.
  events.set(told.uuid, told);
  for (const oldest of [...events.keys()].slice(0, -KEPT)) events.delete(oldest);
  return 204;
}

/** The token becomes the key of signatures once the service has confirmed that it sent it: anybody can post one here. */
async function verified(uuid: string, token: string): Promise<number> {
  if (subscription && uuid !== subscription) return 403;
  await application.webhooks.verify(await asApplication(), {
    webhookSubscriptionUuid: uuid, requestBody: { verificationToken: token },
  });
  key = token;
  return 204;
}

/** Of the bytes as they came, in a time that does not depend on where they differ. */
function signed(body: Buffer, signature = ''): boolean {
  const expected = createHmac('sha256', key).update(body).digest();
  const given = Buffer.from(signature, 'hex');
  return key !== '' && given.length === expected.length && timingSafeEqual(given, expected);
}

function parsed(body: Buffer) {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** The latest of a company, newest first. */
export const eventsOf = (companyId: string) =>
  [...events.values()].filter((event) => event.resource_uuid === companyId).sort((a, b) => b.timestamp - a.timestamp).slice(0, 50);
