// The page Money of a company whose federal taxes are deposited: a deposit that is due, one in a file, one that is paid and one that came
// back, and the taxes that are paid by hand, at every width.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { banked } from './bank.mjs';
import { DESKTOP, PHONE, faults, open, picture, tooWide } from './support.mjs';

const AGENCY = '7770009';
const bank = banked(['--deposit-taxes']);
const { service, operator } = bank;

const deposits = () => JSON.parse(operator('bank', 'deposits', 'list', '--company', service.company.uuid, '--json'));

// Lets days pass until the newest deposit is in a file.
async function filed() {
  for (let days = 0; days < 14; days += 1) {
    if (deposits()[0].state === 'sent') return;
    await bank.advance({ seconds: 86_400 });
  }
  throw new Error(`it is in no file: ${JSON.stringify(deposits())}`);
}

before(async () => {
  await bank.begin();
  const columns = 'authority,name,routing_number,account_number,account_type,confirmed_on,source';
  bank.import('tax-agency-banks', `${columns}\nUS,US TREASURY,021000021,${AGENCY},Checking,2026-01-02,handbook\n`, '2026-01-02');
  operator('bank', 'deposits', 'schedule', service.company.uuid, '--every', 'semiweekly', '--from', '2026-01-01');
  await bank.payroll();
  await filed();
  await bank.advance({ seconds: 14 * 86_400 });
  await bank.payroll();
  await filed();
  const toAgency = bank.entries('622').filter((entry) => entry.slice(12, 29).trim() === AGENCY);
  assert.equal(toAgency.length, 2);
  bank.sendBack('R03', toAgency[1]);
  await bank.payroll();
  await filed();
  await bank.payroll();
  assert.deepEqual(deposits().map(({ state }) => state), ['scheduled', 'sent', 'returned', 'sent']);
});

test('the operator is told which taxes are paid by hand, and what is known of their days', () => {
  const list = operator('bank', 'deposits', 'list', '--company', service.company.uuid);
  assert.match(list, /paid by hand: stipend bank deposits by-hand UUID$/m);
  const byHand = operator('bank', 'deposits', 'by-hand', service.company.uuid);
  assert.match(byHand, /^US  Medicare  \d+\.\d\d  due 20\d\d-\d\d-\d\d: the bank returned it: R03$/m);
  assert.match(byHand, /^US-[A-Z]{2}  .*  \d+\.\d\d  day not known: /m);
});

// The rows below a heading, each as its text.
const rows = (page, heading) =>
  page.locator(`h2:text-is("${heading}") + table tbody tr`).evaluateAll((all) => all.map((row) => row.innerText.replaceAll(/\s+/g, ' ')));

async function money(prefix, options) {
  const { page, close } = await open(service, options);
  const response = await page.goto(`${service.base}/console/companies/${service.company.uuid}/money`);
  assert.equal(response.status(), 200);
  assert.equal(await tooWide(page), 0);
  const [due, inFile, back, paid] = await rows(page, 'Deposits of taxes');
  assert.match(due, /Form 941 .*Scheduled/);
  assert.match(inFile, /Sent the bank has it; it settles on/);
  assert.match(back, /Returned the bank returned it: R03/);
  assert.match(paid, /Paid settled on .* and was not returned/);
  for (const row of [due, inFile, back, paid]) assert.match(row, /\b[A-Z][a-z]{2} \d{1,2}, 20\d\d/, 'the day on which it is due');
  const byHand = await rows(page, 'Taxes paid by hand');
  assert.ok(byHand.some((row) => /^Medicare US .*the bank returned it: R03/.test(row)), 'what came back is owed again');
  assert.ok(byHand.some((row) => /^FUTA US .*with Form 940/.test(row)), 'what is paid with the return');
  assert.ok(byHand.some((row) => /^\w\w \w.* US-\w\w/.test(row)), 'taxes of a state');
  assert.ok(!(await page.innerText('main')).includes(AGENCY), 'no account number is shown');
  await picture(page, `console-deposits-${prefix}`);
  const found = await faults(page, 'deposits');
  await close();
  assert.deepEqual(found, []);
}

test('everybody can read what became of deposits: a desktop', () => money('desktop', DESKTOP));
test('everybody can read what became of deposits: a phone', () => money('phone', PHONE));
test('everybody can read what became of deposits: a dark desktop', () => money('dark', { ...DESKTOP, colorScheme: 'dark' }));
test('everybody can read what became of deposits: a dark phone', () => money('dark-phone', { ...PHONE, colorScheme: 'dark' }));
