// Every operation that is served, as the published clients of each dated version read it: the example of /docs is run in the
// demo world, and its answer is given to the client's own schema of the operation, which throws where it does not fit.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { EXAMPLES_AT, start } from '../support/service.mjs';
import { find, formOf, inOrder, scriptOf } from './scripts.mjs';

const CLIENTS = [
  ['@gusto/embedded-api', '2025-06-15'],
  ['@gusto/embedded-api-v-2025-11-15', '2025-11-15'],
  ['@gusto/embedded-api-v-2026-02-01', '2026-02-01'],
  ['@gusto/embedded-api-v-2026-06-15', '2026-06-15'],
];

// Examples that cannot be run in the demo world by themselves: tests/examples/calls.json says why. Other tests call them.
const EXAMPLES = fileURLToPath(new URL('../examples/calls.json', import.meta.url));
const NOT_ALONE = JSON.parse(await readFile(EXAMPLES, 'utf8')).not_alone;

const withoutNames = (called) => called.split('/').map((part) => (part.startsWith('{') ? '{}' : part)).join('/');

// The operations of a package, by method and path: which schema reads which status, and under which key of it the body lies.
async function schemasOf(name) {
  const folder = join(dirname(fileURLToPath(import.meta.url)), 'node_modules', name, 'esm');
  const operations = new Map();
  for (const file of await readdir(join(folder, 'funcs'))) {
    if (!file.endsWith('.js')) continue;
    const text = await readFile(join(folder, 'funcs', file), 'utf8');
    const path = /pathToFunc\("([^"]+)"\)/.exec(text)?.[1];
    const method = /method: "([A-Z]+)"/.exec(text)?.[1];
    const read = /M\.json\((\d+), ([A-Za-z0-9_$]+)\$inboundSchema(?:, \{([^}]*)\})?/.exec(text);
    if (!path || !method || !read) continue;
    const [, status, schema, options] = read;
    const from = new RegExp(`import \\{[^}]*\\b${schema.replace('$', '\\$')}\\$inboundSchema[^}]*\\} from "([^"]+)"`).exec(text)?.[1];
    assert.ok(from, `${file} does not say where ${schema} is from`);
    const key = /key: "([^"]+)"/.exec(options ?? '')?.[1];
    const module = join(folder, 'funcs', from);
    operations.set(withoutNames(`${method} ${path}`), { status: Number(status), schema, key, module });
  }
  assert.ok(operations.size > 100, `only ${operations.size} operations of ${name} were found`);
  return operations;
}

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
          const { [`${known.schema}$inboundSchema`]: schema } = await import(pathToFileURL(known.module));
          const body = JSON.parse(answer.text);
          const given = known.key ? { HttpMeta: meta(), Headers: {}, [known.key]: body } : body;
          const result = schema.safeParse(given);
          if (result.success) read.push(called);
          else faults.push(`${called}: ${JSON.stringify(result.error.issues.slice(0, 3))}`);
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

// What a client adds to each answer.
function meta() {
  return { Response: new Response(), Request: new Request('http://127.0.0.1/') };
}
