// The examples of /docs in TypeScript: each script of an operation, as a program that calls the published client. What a request is
// called and takes is read from the client's own files; a value's type is what the client's schema takes.
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PACKAGE = '@gusto/embedded-api';
const ESM = join(dirname(fileURLToPath(import.meta.url)), 'node_modules', PACKAGE, 'esm');

// A key that is no name, such as a day, stays.
const camel = (name) => (/^\d/.test(name) ? name : name.replace(/[-_]+(\w)/g, (_, letter) => letter.toUpperCase()).replace(/^[A-Z]/, (letter) => letter.toLowerCase()));
const PLACE = /\{[^}]+\}/g;
// Words that stand for variables while a request is put together.
const MARK = /^\$([A-Z_0-9]+)$/;

// Every method of the client, by HTTP method and path without names.
export async function methods() {
  const accessors = new Map();
  for (const [, name, type] of (await readFile(join(ESM, 'sdk/sdk.js'), 'utf8')).matchAll(/get (\w+)\(\) \{\s*return \(this\._\w+ \?\? \(this\._\w+ = new (\w+)\(/g)) {
    accessors.set(type, name);
  }
  const found = new Map();
  for (const file of (await readdir(join(ESM, 'sdk'))).filter((one) => one.endsWith('.js'))) {
    const text = await readFile(join(ESM, 'sdk', file), 'utf8');
    const type = /export class (\w+) extends/.exec(text)?.[1];
    if (!accessors.has(type)) continue;
    for (const [, name, parameters, func] of text.matchAll(/async (\w+)\(([^)]*)\) \{\s*return unwrapAsync\((\w+)\(this/g)) {
      const call = await request(func);
      if (call) found.set(call.key, { ...call, name: `${accessors.get(type)}.${name}`, secured: parameters.startsWith('security') });
    }
  }
  return found;
}

async function request(func) {
  const text = await readFile(join(ESM, 'funcs', `${func}.js`), 'utf8');
  const path = /pathToFunc\("([^"]+)"\)/.exec(text)?.[1];
  const method = /method: "([A-Z]+)"/.exec(text)?.[1];
  const schema = /safeParse\(request, \(value\) => ([\w$.]+?)\s*\.parse\(value\)/.exec(text)?.[1];
  if (!path || !method) return undefined;
  const body = /encodeJSON\("body", payload(?:\.(\w+)|\["([^"]+)"\])?/.exec(text);
  let check;
  if (schema) {
    const [space, name] = schema.includes('.') ? schema.split('.') : [undefined, schema];
    const from = new RegExp(`import (?:\\* as ${space}|\\{[^}]*\\b${name.replace('$', '\\$')}\\b[^}]*\\}) from "([^"]+)"`).exec(text)?.[1];
    if (from) check = (await import(pathToFileURL(join(ESM, 'funcs', from))))[name];
  }
  return { key: `${method} ${path.replace(PLACE, '{}')}`, path, body: body && (body[1] ?? body[2] ?? ''), check };
}

// The method for a step of a script: its path has values where the client's has names. A path with more words is meant first.
function methodOf(all, { method, path }) {
  const parts = path.split('?')[0].split('/');
  const fits = (call) => {
    const names = call.path.split('/');
    return call.key.startsWith(`${method} `) && names.length === parts.length &&
      names.every((name, place) => (name.startsWith('{') ? parts[place] !== '' : name === parts[place]));
  };
  const places = (call) => call.path.split('{').length;
  return [...all.values()].filter(fits).sort((a, b) => places(a) - places(b))[0];
}

function inCamel(value) {
  if (Array.isArray(value)) return value.map(inCamel);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [camel(key), inCamel(inner)]));
}

// What is not JSON: a date, and a variable's value as a number.
class Code {
  constructor(text, value) {
    this.text = text;
    this.value = value;
  }
}

function at(value, path, change) {
  const [first, ...rest] = path;
  if (rest.length === 0) value[first] = change(value[first]);
  else at(value[first], rest, change);
}

const real = (value) => {
  if (value instanceof Code) return value.value;
  if (Array.isArray(value)) return value.map(real);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, real(inner)]));
};

const flat = (issues) => issues.flatMap((issue) => (issue.unionErrors ? flat(issue.unionErrors[0].issues) : [issue]));

// Gives each value the type that the client's schema takes.
function typed(asked, check, RFCDate) {
  if (!check) return asked;
  for (let tries = 0; tries < 12; tries += 1) {
    const { success, error } = check.safeParse(real(asked));
    if (success) return asked;
    for (const { path, code, expected, message } of flat(error.issues)) {
      at(asked, path, (value) => {
        if (code === 'custom' || /instance/.test(message)) {
          return new Code(`new RFCDate(${written(value)})`, new RFCDate(MARK.test(value) ? '2026-01-05' : value));
        }
        if (expected === 'date') return new Code(`new Date(${written(value)})`, new Date(value));
        if (expected === 'number' && typeof value === 'string') return Number(value);
        if (expected === 'string' && typeof value === 'number') return String(value);
        if (expected === 'boolean' && typeof value === 'string') return value === 'true';
        if (expected === 'array') return String(value).split(',');
        throw new Error(`${path.join('.')}: ${message}`);
      });
    }
  }
  throw new Error('no types were found that the client takes');
}

const WIDTH = 100;

// A value as TypeScript; in one line where it fits.
function written(value, indent = '') {
  if (value instanceof Code) return value.text;
  if (typeof value === 'string') return MARK.test(value) ? value.slice(1) : `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (value === null || typeof value !== 'object') return String(value);
  const entries = Array.isArray(value) ? value.map((one) => ['', one]) : Object.entries(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return open + close;
  const item = (inner) => ([key, one]) => {
    const text = written(one, inner);
    if (key === '') return text;
    return text === key ? key : `${/^\w+$/.test(key) ? key : `'${key}'`}: ${text}`;
  };
  const pad = Array.isArray(value) ? '' : ' ';
  const line = `${open}${pad}${entries.map(item(indent)).join(', ')}${pad}${close}`;
  if (!line.includes('\n') && line.length + indent.length < WIDTH) return line;
  const inner = `${indent}  `;
  return `${open}\n${entries.map((entry) => `${inner}${item(inner)(entry)},\n`).join('')}${indent}${close}`;
}

// What a step passes to the client's method.
function argument(call, step, RFCDate) {
  const [plain, query] = step.path.split('?');
  const asked = {};
  const values = plain.split('/');
  call.path.split('/').forEach((name, place) => {
    if (name.startsWith('{')) asked[camel(name.slice(1, -1))] = values[place];
  });
  for (const [name, value] of new URLSearchParams(query)) asked[camel(name)] = value;
  if (step.body && call.body !== null) {
    const body = inCamel(JSON.parse(step.body));
    if (call.body) asked[camel(call.body)] = body;
    else Object.assign(asked, body);
  }
  return typed(asked, call.check, RFCDate);
}

// The call for a step; undefined where the client lacks a method.
export function callOf(step, all, RFCDate) {
  const call = methodOf(all, step);
  // A file that is sent comes from a disk, which no page of documentation has.
  if (!call || step.form.length > 0) return undefined;
  const passed = argument(call, step, RFCDate);
  const words = call.secured ? [`{ systemAccessAuth: ${step.token} }`] : [];
  if (call.check) words.push(written(passed));
  return `await client.${call.name}(${words.join(', ')})`;
}

// Where in a typed answer the value of a field lies, as words and places of lists.
export function placeOf(value, field, wanted, path = []) {
  if (value === null || typeof value !== 'object') return undefined;
  if (Object.hasOwn(value, field) && String(value[field]) === wanted) return [...path, field];
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'httpMeta') continue;
    const found = placeOf(inner, field, wanted, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found) return found;
  }
  return undefined;
}

export const fieldOf = camel;
export const reached = (place) => place.map((part) => (typeof part === 'number' ? `[${part}]!` : `.${part}!`)).join('');
