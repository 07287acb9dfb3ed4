// The page Money of a company whose payments go through a bank: submitted, returned and failed ones, and a debit that came back, at
// every width.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DESKTOP, PHONE, call, faults, open, picture, world } from './support.mjs';

const folder = mkdtempSync(join(tmpdir(), 'stipend-money-'));
const file = join(folder, 'world.db');
const spool = join(folder, 'bank');
mkdirSync(spool);
const service = world({ file });
const held = {};
after(() => rmSync(folder, { recursive: true, force: true }));

// What the operator does at the command line.
const operator = (...args) =>
  execFileSync(process.env.STIPEND_BINARY, ['bank', ...args, '--database-url', `sqlite:${file}`], {
    env: { PATH: process.env.PATH, STIPEND_MASTER_KEY_FILE: `${file}.key`, STIPEND_CLOCK_MAY_GO_BACK: 'true' },
  });

async function until(what, found) {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    if (await found()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what} did not come`);
}

// A file in which the bank sends one payment back.
function sentBack(code, entry) {
  const [trace, cents] = [entry.slice(79, 94), entry.slice(29, 39)];
  const line = (text) => text.padEnd(94);
  const lines = [
    line('101 091000019123456789260618' + '0900A094101FIRST EXAMPLE BANK     STIPEND'),
    line('5200EXAMPLE BANK                        1999999999PPDRETURN          260618   1021000020000001'),
    `621091000019${entry.slice(12, 29)}${cents}${entry.slice(39, 54)}${entry.slice(54, 76)}  1021000020000001`,
    `799${code}${trace}      02100002${''.padEnd(44)}021000020000001`,
    `8200000002${'0009100001'}${'0'.repeat(12)}${cents.padStart(12, '0')}1999999999${''.padEnd(25)}021000020000001`,
    line(`9000001000001000000020009100001${'0'.repeat(12)}${cents.padStart(12, '0')}`),
  ];
  return lines.join('\n');
}

before(async () => {
  await until('the service', () => service.browser);
  operator(
    'settings', 'set', '--company-id', '1999999999', '--bank-routing', '091000019', '--bank-name', 'First Example Bank',
    '--origin', ' 091000019', '--origin-name', 'Stipend', '--folder', spool,
  );
  const company = `/v1/companies/${service.company.uuid}`;
  const people = service.company.employees.slice(0, 3).map(({ uuid }) => uuid);
  for (const [place, uuid] of people.entries()) {
    await call(service, 'POST', `/v1/employees/${uuid}/bank_accounts`, {
      name: 'Main', routing_number: '021000021', account_number: `111122${place}`, account_type: 'Checking',
    });
  }
  const { now } = await call(service, 'GET', '/v1/test_helpers/clock');
  const day = now.slice(0, 10);
  const made = await call(service, 'POST', `${company}/payrolls`, {
    off_cycle: true, off_cycle_reason: 'Bonus', start_date: day, end_date: day, employee_uuids: people,
  });
  held.payroll = made.payroll_uuid;
  const payroll = `${company}/payrolls/${held.payroll}`;
  const prepared = await call(service, 'PUT', `${payroll}/prepare`, {});
  const lines = prepared.employee_compensations.map(({ employee_uuid, version }) => ({
    employee_uuid, version, fixed_compensations: [{ name: 'Bonus', amount: '1000.00' }],
  }));
  await call(service, 'PUT', payroll, { employee_compensations: lines });
  for (const [act, end] of [['calculate', 'calculate_success'], ['submit', 'submit_success']]) {
    await call(service, 'PUT', `${payroll}/${act}`, {});
    await until(end, async () => (await call(service, 'GET', payroll)).processing_request?.status === end);
  }
  const deadline = new Date(Date.parse(made.payroll_deadline) + 600_000).toISOString();
  await call(service, 'POST', '/v1/test_helpers/clock/advance', { to: deadline });
  const [name] = readdirSync(spool).filter((name) => name.endsWith('.ach'));
  const linesOf = (code) => readFileSync(join(spool, name), 'utf8').split('\n').filter((line) => line.startsWith(code));
  assert.equal(linesOf('622').length, 3);
  for (const [code, entry] of [['R02', linesOf('622')[0]], ['R01', linesOf('627')[0]]]) {
    const back = join(folder, `${code}.ach`);
    writeFileSync(back, sentBack(code, entry));
    operator('read', back);
  }
});

async function money(prefix, options) {
  const { page, close } = await open(service, options);
  const found = [];
  const company = `/console/companies/${service.company.uuid}`;
  for (const [name, address] of [['money', `${company}/money`], ['payroll-paid', `${company}/payrolls/${held.payroll}`]]) {
    const response = await page.goto(service.base + address);
    assert.equal(response.status(), 200, name);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (wide > 0) found.push(`${name} is ${wide} pixels too wide`);
    const text = await page.innerText('main');
    assert.doesNotMatch(text, /111122\d/, 'no account number is shown');
    if (name === 'money') {
      assert.equal(await page.locator('tbody tr').count(), 5, 'three credits and the debit, which is a case besides');
      assert.match(text, /Payrolls are blocked/);
      assert.match(text, /returned: R01/);
      assert.match(text, /returned: R02/);
      assert.doesNotMatch(text, /no bank/);
    }
    await picture(page, `console-${name}-${prefix}`);
    found.push(...(await faults(page, name)));
  }
  await close();
  assert.deepEqual(found, []);
}

test('everybody can read what became of payments: a desktop', () => money('desktop', DESKTOP));
test('everybody can read what became of payments: a phone', () => money('phone', PHONE));
test('everybody can read what became of payments: a dark desktop', () => money('dark', { ...DESKTOP, colorScheme: 'dark' }));
test('everybody can read what became of payments: a dark phone', () => money('dark-phone', { ...PHONE, colorScheme: 'dark' }));
