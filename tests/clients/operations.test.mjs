// Every operation that is served, as the published clients of each dated version read it: the example of /docs is run in the
// demo world, and its answer is given to the client's own schema of the operation, which throws where it does not fit.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { EXAMPLES_AT, start } from '../support/service.mjs';
import { CLIENTS, faultOf, schemasOf, withoutNames } from './schemas.mjs';
import { find, formOf, inOrder, scriptOf } from './scripts.mjs';

// Examples that cannot be run in the demo world by themselves: tests/examples/calls.json says why. Other tests call them.
const EXAMPLES = fileURLToPath(new URL('../examples/calls.json', import.meta.url));
const NOT_ALONE = JSON.parse(await readFile(EXAMPLES, 'utf8')).not_alone;

// Runs a script in a version; the last answer.
async function run(service, script, version) {
  const known = new Map(script.known.map(({ name, value }) => [name, value]));
  const fill = (text) => text.replace(/\$([A-Z_0-9]+)/g, (whole, name) => known.get(name) ?? whole);
  let answer;
  for (const step of script.steps) {
    const headers = { 'X-Gusto-API-Version': version };
    if (step.token) headers.Authorization = `Bearer ${known.get(step.token)}`;
    if (step.body) headers['Content-Type'] = 'application/json';
    const body = step.form.length > 0 ? formOf(step.form) : step.body ? fill(step.body) : undefined;
    answer = await fetch(service.base + fill(step.path), { method: step.method, headers, body });
    const text = await answer.text();
    assert.equal(answer.headers.get('x-unknown-fields'), null, `${step.method} ${step.path} sends what is not read`);
    answer = { status: answer.status, text, json: /json/.test(answer.headers.get('content-type') ?? '') };
    if (answer.status >= 400) return answer;
    if (answer.json) for (const [name, key] of step.gives) known.set(name, find(JSON.parse(text), key) ?? '');
  }
  return answer;
}

for (const [name, version] of CLIENTS) {
  test(`the client of ${version} reads the answer of every operation that is served`, async () => {
    const service = await start({ clock: EXAMPLES_AT });
    try {
      const schemas = await schemasOf(name);
      const described = await (await fetch(`${service.base}/openapi.json`)).json();
      const [read, faults] = [[], []];
      for (const [path, item] of inOrder(described.paths)) {
        for (const [method, operation] of Object.entries(item)) {
          const called = `${method.toUpperCase()} ${path}`;
          const known = schemas.get(withoutNames(called));
          if (!known || called in NOT_ALONE) continue;
          const answer = await run(service, await scriptOf(service, operation.operationId), version);
          if (answer.status !== known.status || !answer.json) {
            faults.push(`${called}: ${answer.status} instead of ${known.status}: ${answer.text.slice(0, 300)}`);
            continue;
          }
          const fault = await faultOf(known, answer.text);
          if (fault) faults.push(`${called}: ${fault}`);
          else read.push(called);
        }
      }
      console.log(`# ${name} reads ${read.length} operations`);
      assert.deepEqual(faults, []);
      assert.ok(read.length > 150, `only ${read.length} operations were read`);
    } finally {
      await service.stop();
    }
  });
}
