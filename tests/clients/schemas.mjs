// The schemas with which the published clients of each dated version read answers.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const CLIENTS = [
  ['@gusto/embedded-api', '2025-06-15'],
  ['@gusto/embedded-api-v-2025-11-15', '2025-11-15'],
  ['@gusto/embedded-api-v-2026-02-01', '2026-02-01'],
  ['@gusto/embedded-api-v-2026-06-15', '2026-06-15'],
];

export const withoutNames = (called) => called.split('/').map((part) => (part.startsWith('{') ? '{}' : part)).join('/');

// The operations of a package, by method and path: which schema reads which status, and under which key of it the body lies.
export async function schemasOf(name) {
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

// Why a client does not read the body of an answer; null if it does.
export async function faultOf(known, text) {
  const { [`${known.schema}$inboundSchema`]: schema } = await import(pathToFileURL(known.module));
  const body = JSON.parse(text);
  const given = known.key ? { HttpMeta: meta(), Headers: {}, [known.key]: body } : body;
  const result = schema.safeParse(given);
  return result.success ? null : JSON.stringify(result.error.issues.slice(0, 3));
}

// What a client adds to each answer.
function meta() {
  return { Response: new Response(), Request: new Request('http://127.0.0.1/') };
}
