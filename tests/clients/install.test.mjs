// The lines with which README installs the clients, as they stand, in an empty folder; then what they installed asks for the employees.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { start } from '../support/service.mjs';

const run = promisify(execFile);
const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
const lines = readme.match(/^(npm|pip) install .*$/gm);
const world = {};
before(async () => {
  Object.assign(world, await start());
  world.folder = await mkdtemp(join(tmpdir(), 'clients-'));
  world.env = { ...process.env, BASE: world.base, TOKEN: world.company.access_token, COMPANY: world.company.uuid };
});
after(async () => {
  await world.stop?.();
  await rm(world.folder, { recursive: true, force: true });
});

const sh = (command, env = world.env) => run('sh', ['-ec', command], { cwd: world.folder, env, timeout: 300_000 });
const lineOf = (tool) => {
  const [line, ...others] = lines.filter((one) => one.startsWith(tool));
  assert.deepEqual(others, [], `README has one line with ${tool}`);
  return line;
};

test('the line for npm installs a client that reads the employees', async () => {
  await sh(lineOf('npm'));
  await writeFile(
    join(world.folder, 'employees.mjs'),
    `import { GustoEmbedded } from '@gusto/embedded-api';
const { BASE, TOKEN, COMPANY } = process.env;
const client = new GustoEmbedded({ serverURL: BASE, companyAccessAuth: TOKEN });
const { showEmployees: employees } = await client.employees.list({ companyId: COMPANY });
console.log(employees.map((one) => one.firstName).join(' '));
`,
  );
  const { stdout } = await sh('node employees.mjs');
  assert.match(stdout, /Maria/);
});

test('the line for pip installs a client that reads the employees', async () => {
  await sh('python3 -m venv venv');
  const env = { ...world.env, PATH: `${world.folder}/venv/bin:${process.env.PATH}` };
  await sh(lineOf('pip'), env);
  await writeFile(
    join(world.folder, 'employees.py'),
    `import os
from gusto_embedded import Gusto
client = Gusto(server_url=os.environ["BASE"], company_access_auth=os.environ["TOKEN"])
found = client.employees.list(company_id=os.environ["COMPANY"])
print(*(one.first_name for one in found))
`,
  );
  const { stdout } = await sh('python employees.py', env);
  assert.match(stdout, /Maria/);
});
