// A company whose payments go through a bank: what the operator does at the command line, a payroll of bonuses, and what the bank sends back.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { call, world } from './support.mjs';

export async function until(what, found) {
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

// A world of the calling file's own in which three people are paid into accounts. `settings` are more options of the bank.
export function banked(settings = []) {
  const folder = mkdtempSync(join(tmpdir(), 'stipend-money-'));
  const file = join(folder, 'world.db');
  const spool = join(folder, 'bank');
  mkdirSync(spool);
  const service = world({ file });
  after(() => rmSync(folder, { recursive: true, force: true }));

  // What the operator does at the command line; what was printed.
  const operator = (...args) =>
    String(execFileSync(process.env.STIPEND_BINARY, [...args, '--database-url', `sqlite:${file}`], {
      env: { PATH: process.env.PATH, STIPEND_MASTER_KEY_FILE: `${file}.key`, STIPEND_CLOCK_MAY_GO_BACK: 'true' },
    }));

  const bank = { service, operator, people: [] };
  // Has the operator say how the bank takes files, and the three have accounts. Hooks do not wait for each other, so that the file's own
  // begins with this.
  bank.begin = async () => {
    await until('the service', () => service.browser);
    operator(
      'bank', 'settings', 'set', '--company-id', '1999999999', '--bank-routing', '091000019', '--bank-name', 'First Example Bank',
      '--origin', ' 091000019', '--origin-name', 'Stipend', '--folder', spool, ...settings,
    );
    bank.people = service.company.employees.slice(0, 3).map(({ uuid }) => uuid);
    for (const [place, uuid] of bank.people.entries()) {
      await call(service, 'POST', `/v1/employees/${uuid}/bank_accounts`, {
        name: 'Main', routing_number: '021000021', account_number: `111122${place}`, account_type: 'Checking',
      });
    }
  };

  bank.advance = (to) => call(service, 'POST', '/v1/test_helpers/clock/advance', to);

  // Pays each of them a bonus outside the schedule, as far as it can be cancelled; when it can be no more.
  bank.payroll = async () => {
    const company = `/v1/companies/${service.company.uuid}`;
    const { now } = await call(service, 'GET', '/v1/test_helpers/clock');
    const day = now.slice(0, 10);
    const made = await call(service, 'POST', `${company}/payrolls`, {
      off_cycle: true, off_cycle_reason: 'Bonus', start_date: day, end_date: day, employee_uuids: bank.people,
    });
    const payroll = `${company}/payrolls/${made.payroll_uuid}`;
    const prepared = await call(service, 'PUT', `${payroll}/prepare`, {});
    const lines = prepared.employee_compensations.map(({ employee_uuid, version }) => ({
      employee_uuid, version, fixed_compensations: [{ name: 'Bonus', amount: '1000.00' }],
    }));
    await call(service, 'PUT', payroll, { employee_compensations: lines });
    for (const [act, end] of [['calculate', 'calculate_success'], ['submit', 'submit_success']]) {
      await call(service, 'PUT', `${payroll}/${act}`, {});
      await until(end, async () => (await call(service, 'GET', payroll)).processing_request?.status === end);
    }
    return { uuid: made.payroll_uuid, filed: new Date(Date.parse(made.payroll_deadline) + 600_000).toISOString() };
  };

  // Entries of all files that begin so, in the order in which the files were made.
  bank.entries = (code) => {
    const names = readdirSync(spool).filter((name) => name.endsWith('.ach')).sort();
    return names.flatMap((name) => readFileSync(join(spool, name), 'utf8').split('\n').filter((line) => line.startsWith(code)));
  };

  // Has the bank send an entry back.
  bank.sendBack = (code, entry) => {
    const back = join(folder, `${code}.ach`);
    writeFileSync(back, sentBack(code, entry));
    operator('bank', 'read', back);
  };

  // Imports a table that the operator has.
  bank.import = (kind, text, vintage) => {
    const table = join(folder, `${kind}.csv`);
    writeFileSync(table, text);
    operator('data', 'import', kind, table, '--vintage', vintage);
  };

  return bank;
}
