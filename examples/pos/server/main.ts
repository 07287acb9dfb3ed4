// A point of sale that offers payroll: its own pages and forms, the service behind them.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { clockOfService } from './clock';
import { config } from './config';
import { sendFile } from './files';
import { Refusal, bodyOf, cookie, jsonOf, refusalOf, sendJson, sessionOf } from './http';
import { pass } from './proxy';
import { bySession, byStaffCode, type Restaurant } from './restaurants';
import { finish, setup, testDeposits } from './setup';
import { signUp, type SignUp } from './signup';
import { approve, hire, hostedPages, team, type Hire } from './team';
import { eventsOf, receive, subscribe } from './webhooks';

/** What the owner's page asks of this server. */
const OWNER: Record<string, (restaurant: Restaurant, request: IncomingMessage) => Promise<unknown>> = {
  'GET /pos/restaurant': async ({ name, companyId }) => ({ name, companyId }),
  'GET /pos/team': team,
  'POST /pos/team': async (restaurant, request) => hire(restaurant, await jsonOf<Hire>(request)),
  'POST /pos/approve': async (restaurant, request) => approve(restaurant, (await jsonOf<{ employee: string }>(request)).employee),
  'GET /pos/setup': setup,
  'POST /pos/finish': finish,
  'POST /pos/test-deposits': testDeposits,
  'GET /pos/events': async ({ companyId }) => eventsOf(companyId),
};

async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const { pathname, search } = new URL(request.url ?? '/', 'http://pos');
  const route = `${request.method} ${pathname}`;
  if (route === 'POST /webhooks') {
    const signature = request.headers['x-service-signature'];
    return response.writeHead(await receive(await bodyOf(request), signature as string | undefined)).end();
  }
  if (route === 'POST /pos/sign-up') {
    const { session } = await signUp(await jsonOf<SignUp>(request), request.socket.remoteAddress ?? '');
    response.setHeader('Set-Cookie', cookie(session));
    return sendJson(response, null);
  }
  if (route === 'GET /pos/clock') return sendJson(response, { now: await clockOfService() });
  const [, area, code, rest] = pathname.split('/');
  if (area === 'staff' && code && rest === 'hosted') {
    const found = byStaffCode(code);
    if (!found) throw new Refusal(404, 'nobody has this address');
    return response.writeHead(303, { Location: await hostedPages(found.restaurant, found.employeeId) }).end();
  }
  if (area === 'pos' || area === 'payroll') {
    const restaurant = bySession(sessionOf(request));
    // Whoever has not signed up has no restaurant, which is no error.
    if (!restaurant && route === 'GET /pos/restaurant') return sendJson(response, null);
    if (!restaurant) throw new Refusal(401, 'nobody is signed in');
    if (area === 'payroll') return pass(restaurant, request, response, pathname.slice('/payroll'.length), search);
    const asked = OWNER[route];
    if (!asked) throw new Refusal(404, `there is no ${route}`);
    return sendJson(response, await asked(restaurant, request));
  }
  return sendFile(request, response, pathname);
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    const { status, message } = refusalOf(error);
    if (response.headersSent) return response.destroy();
    return response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(message);
  });
});

server.listen(config.port, '127.0.0.1', async () => {
  await subscribe();
  console.log(`The point of sale is at http://127.0.0.1:${config.port}`);
});
