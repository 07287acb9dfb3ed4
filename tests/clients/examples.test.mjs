// The examples of /docs in TypeScript (tests/examples/clients.json): made from the script of each operation and the client's own
// files, run against the demo world, and compared with what is committed. STIPEND_EXAMPLES=write writes them anew.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { GustoEmbedded } from '@gusto/embedded-api';
import { HTTPClient } from '@gusto/embedded-api/lib/http.js';
import { RFCDate } from '@gusto/embedded-api/types/rfcdate.js';
import { EXAMPLES_AT, start } from '../support/service.mjs';
import { callOf, fieldOf, methods, placeOf, reached } from './examples.mjs';
import { find, inOrder, scriptOf } from './scripts.mjs';

const FILE = new URL('../examples/clients.json', import.meta.url);
const { not_alone: NOT_ALONE } = JSON.parse(await readFile(new URL('../examples/calls.json', import.meta.url), 'utf8'));
const Running = Object.getPrototypeOf(async () => {}).constructor;

// Whether everything that an example means to send was sent; a number may be sent as text, and the other way round.
function holds(sent, meant) {
  if (meant === null || typeof meant !== 'object') return String(sent) === String(meant) || Number(sent) === Number(meant);
  return sent !== null && typeof sent === 'object' && Object.entries(meant).every(([key, value]) => key in sent && holds(sent[key], value));
}

// Runs a script, and tells the program that was run; null where the client lacks a method.
async function programOf(service, script, all, alone) {
  const token = script.steps.some((step) => step.token === 'TOKEN');
  // A company's token that a request gets would have to be known before the client is made.
  if (script.steps.some((step) => step.gives.some(([name]) => name.endsWith('TOKEN')))) return null;
  const calls = script.steps.map((step) => callOf(step, all, RFCDate));
  if (calls.some((call) => !call)) return null;
  const known = new Map(script.known.map(({ name, value }) => [name, value]));
  let [raw, sent] = ['', ''];
  const httpClient = new HTTPClient();
  httpClient.addHook('beforeRequest', async (request) => { sent = await request.clone().text(); });
  httpClient.addHook('response', async (answer) => {
    raw = await answer.clone().text();
    assert.equal(answer.headers.get('x-unknown-fields'), null, 'what the client sends is read');
  });
  const client = new GustoEmbedded({ serverURL: service.base, companyAccessAuth: known.get('TOKEN'), httpClient });
  const lines = [];
  for (const [place, step] of script.steps.entries()) {
    const last = place === script.steps.length - 1;
    lines.push(`\n// ${step.about}`);
    if (last) lines.push(`const answer = ${calls[place]};`);
    if (last && !alone) break;
    const answer = await new Running('client', 'RFCDate', ...known.keys(), `return ${calls[place]}`)(client, RFCDate, ...known.values());
    if (step.body) {
      const filled = step.body.replace(/\$([A-Z_0-9]+)/g, (_, name) => known.get(name));
      assert.ok(holds(JSON.parse(sent), JSON.parse(filled)), `${sent} instead of ${filled}`);
    }
    if (last) break;
    const taken = step.gives.map(([name, field]) => {
      known.set(name, find(JSON.parse(raw), field));
      const there = placeOf(answer, fieldOf(field), known.get(name));
      assert.ok(there, `${field} is in the client's answer`);
      return [name, reached(there)];
    });
    if (taken.length === 0) lines.push(`${calls[place]};`);
    else if (taken.length === 1) lines.push(`const ${taken[0][0]} = (${calls[place]})${taken[0][1]};`);
    else lines.push(`const answer${place} = ${calls[place]};`, ...taken.map(([name, path]) => `const ${name} = answer${place}${path};`));
  }
  const imports = ["import { GustoEmbedded } from '@gusto/embedded-api';"];
  if (calls.some((call) => call.includes('new RFCDate('))) imports.push("import { RFCDate } from '@gusto/embedded-api/types/rfcdate.js';");
  const made = `const client = new GustoEmbedded({ serverURL: BASE${token ? ', companyAccessAuth: TOKEN' : ''} });`;
  return `${[...imports, '', '{known}', made, ...lines].join('\n')}\n`;
}

test('each operation that the client has a method for is shown as a program that runs', { timeout: 600_000 }, async () => {
  const service = await start({ clock: EXAMPLES_AT });
  try {
    const all = await methods();
    const described = await (await fetch(`${service.base}/openapi.json`)).json();
    const held = JSON.parse(await readFile(FILE, 'utf8'));
    const [programs, faults] = [{}, []];
    for (const [path, item] of inOrder(described.paths)) {
      for (const [method, { operationId }] of Object.entries(item)) {
        try {
          const alone = !(`${method.toUpperCase()} ${path}` in NOT_ALONE);
          programs[operationId] = await programOf(service, await scriptOf(service, operationId), all, alone);
        } catch (error) {
          faults.push(`${operationId}: ${error.name} ${error.message}`.slice(0, 300));
        }
      }
    }
    const shown = Object.entries(programs).filter(([, text]) => text);
    console.log(`# ${shown.length} operations are shown in TypeScript`);
    if (process.env.STIPEND_EXAMPLES === 'write') {
      for (const fault of faults) console.log(`# not shown: ${fault}`);
      const names = [...new Set([...Object.keys(held), ...shown.map(([name]) => name)])].sort();
      const both = names.map((name) => [name, { ...held[name], typescript: programs[name] ?? undefined }]);
      await writeFile(FILE, `${JSON.stringify(Object.fromEntries(both), null, 1)}\n`);
      return;
    }
    const committed = Object.entries(held).filter(([, { typescript }]) => typescript);
    assert.deepEqual(Object.fromEntries(shown), Object.fromEntries(committed.map(([name, { typescript }]) => [name, typescript])));
    assert.ok(shown.length > 130, `only ${shown.length} operations are shown`);
  } finally {
    await service.stop();
  }
});
