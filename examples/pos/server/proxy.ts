// What the components on the owner's page ask goes on to the service with the token of the owner's company. Only what those
// components need is let through; the package says what that is. The token reaches one company, so that an id of another
// in an address is answered 404.
import type { IncomingMessage, ServerResponse } from 'node:http';
import inventory from '@gusto/embedded-react-sdk/endpoint-inventory.json' with { type: 'json' };
import { config } from './config';
import { bodyOf } from './http';
import type { Restaurant } from './restaurants';

/** The components that web/ shows. */
const SHOWN = ['CompanyOnboarding.BankAccount', 'CompanyOnboarding.StateTaxes', 'CompanyOnboarding.AssignSignatory',
  'CompanyOnboarding.DocumentSigner', 'Payroll.PayrollFlow'];

interface Part {
  endpoints?: { method: string; path: string }[];
  blocks?: string[];
}
const parts: Record<string, Part> = { ...inventory.blocks, ...inventory.flows };

/** A component, and all that it is made of. */
function within(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const block of parts[name]?.blocks ?? []) within(block, seen);
  return seen;
}

const names = SHOWN.flatMap((name) => [...within(name)]);
const calls = new Set(names.flatMap((name) => parts[name]?.endpoints ?? []).map(({ method, path }) => `${method} ${path}`));
const ALLOWED = [...calls].map((call) => new RegExp(`^${call.replace(/:\w+/g, '[\\w-]+')}$`));

const REQUEST_HEADERS = ['accept', 'content-type', 'x-gusto-api-version'];
const ANSWER_HEADERS = ['content-type', 'x-page', 'x-per-page', 'x-total-count', 'x-total-pages'];

const picked = (names: string[], get: (name: string) => string | string[] | null | undefined) =>
  Object.fromEntries(names.flatMap((name) => [get(name)].filter((value) => typeof value === 'string').map((value) => [name, value as string])));

export async function pass(restaurant: Restaurant, request: IncomingMessage, response: ServerResponse, path: string, query: string) {
  if (!ALLOWED.some((call) => call.test(`${request.method} ${path}`))) {
    return response.writeHead(403, { 'Content-Type': 'text/plain' }).end(`no component of this page calls ${request.method} ${path}`);
  }
  const body = await bodyOf(request);
  const answer = await fetch(config.base + path + query, {
    method: request.method,
    headers: {
      ...picked(REQUEST_HEADERS, (name) => request.headers[name]),
      Authorization: `Bearer ${await restaurant.token.current()}`,
      // Whoever signs a document is recorded with this address.
      'X-Gusto-Client-IP': request.socket.remoteAddress ?? '',
    },
    body: body.length > 0 ? body : undefined,
  });
  response.writeHead(answer.status, picked(ANSWER_HEADERS, (name) => answer.headers.get(name)));
  response.end(Buffer.from(await answer.arrayBuffer()));
}
