// The published description is valid, and what a generator makes of it compiles and reads a whole payroll.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import SwaggerParser from '@apidevtools/swagger-parser';
import { call, start } from '../support/service.mjs';

const here = import.meta.dirname;
const bin = (name) => join(here, 'node_modules/.bin', name);
let service, folder;

before(async () => {
  // Beside the tests, so that the compiler finds the packages.
  folder = mkdtempSync(join(here, 'generated-'));
  service = await start();
  const described = await fetch(`${service.base}/openapi.json`);
  writeFileSync(join(folder, 'openapi.json'), await described.text());
});

after(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function run(program, args) {
  try {
    return execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    assert.fail(`${args.join(' ')}:\n${error.stdout}${error.stderr}`);
  }
}

test('the linter of OpenAPI descriptions finds no error', () => {
  run(bin('redocly'), ['lint', 'openapi.json', '--format=stylish']);
});

test('the description is valid, and every reference in it leads somewhere', async () => {
  const described = await SwaggerParser.validate(JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8')));
  assert.ok(Object.keys(described.paths).length > 80);
});

test('a TypeScript client made of the description compiles, and reads a whole payroll', async () => {
  const { company } = service;
  const address = `/v1/companies/${company.uuid}/payrolls/${company.payroll_uuid}`;
  await call(service, 'PUT', `${address}/prepare`, {});
  await call(service, 'PUT', `${address}/calculate`, {});
  for (let tries = 0; tries < 200; tries += 1) {
    const { processing_request: request } = await call(service, 'GET', address);
    if (request?.status === 'calculate_success') break;
    await pause(50);
  }
  run(bin('openapi-typescript'), ['openapi.json', '-o', 'service.d.ts']);
  writeFileSync(join(folder, 'read_payroll.ts'), readFileSync(join(here, 'read_payroll.ts')));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  run(bin('tsc'), ['--strict', '--target', 'es2022', '--module', 'nodenext', '--moduleResolution', 'nodenext',
    '--noUncheckedIndexedAccess', '--lib', 'es2022,dom', 'read_payroll.ts']);
  const require = createRequire(join(folder, 'package.json'));
  const { readPayroll } = await import(require.resolve('./read_payroll.js'));
  const read = await readPayroll(service.base, company.access_token, company.uuid, company.payroll_uuid);
  assert.ok(read.employees >= 5, `${read.employees} employees were read`);
  assert.ok(read.gross > 0, `${read.gross} dollars in all`);
});
