// The service as a process, with its demo world: started, called and ended.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

// The day of the README's command. The dates of the examples of /docs lie where they have to: paydays of this year behind it, departures ahead.
export const EXAMPLES_AT = '2026-11-21T09:00:00Z';

// `file` names a store that other programs can open, too; in memory without it. `history` adds the company with a past. With `clock`
// time stands still then, and goes on otherwise.
export async function start({ file, history = false, clock } = {}) {
  const binary = process.env.STIPEND_BINARY;
  assert.ok(binary, 'STIPEND_BINARY names the program: call the run of the folder');
  const place = file ? ['--database-url', `sqlite:${file}`] : ['--memory'];
  const args = ['dev', ...place, '--listen', '127.0.0.1:0', '--json', '--seed', '11'];
  if (!history) args.push('--without-history');
  if (clock) args.push('--clock', clock);
  // Variables of that name are settings of the service, and those of the tests are none.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('STIPEND_')));
  const child = spawn(binary, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  child.stderr.on('data', (data) => said.push(data));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.once('exit', () => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  assert.ok(!first.done, `the service did not start: ${Buffer.concat(said)}`);
  const report = JSON.parse(first.value);
  const stop = async () => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 5000);
    await ended;
    clearTimeout(late);
  };
  return { base: report.base_url, report, company: report.companies[0], stop, log: () => String(Buffer.concat(said)) };
}

export async function call(service, method, address, body) {
  const response = await fetch(service.base + address, {
    method,
    headers: {
      Authorization: `Bearer ${service.company.access_token}`,
      'Content-Type': 'application/json',
      'X-Service-API-Version': '2025-06-15',
    },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${address} was refused with ${response.status}: ${text}`);
  return text && JSON.parse(text);
}
