// What people read on pages: days as their region writes them, money with its sign, and names instead of identifiers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, DESKTOP, open, world } from './support.mjs';

const service = world({ history: true });
const past = () => service.report.companies.find(({ name }) => name.startsWith('Juniper Table'));

// Pages of each kind that are read: what comes after them is more of the same.
const EACH = 3;
// What is made for programs, and is read as it was sent.
const MACHINE = /\/(events|webhooks|requests|data|csv|pdf|stubs?|checks)(\/|\?|$)|\.(csv|pdf)(\?|$)/;
const RULES = [
  ['a day of the interface', /\b(19|20)\d\d-\d\d-\d\d\b/],
  ['an identifier', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/],
  ['a code of an agency', /\bUS-[A-Z]{2}\b/],
  // Dollars have their sign; hours, percentages and factors say what they are.
  ['an amount without its unit', /(^|[\s(])-?[\d,]*\d\.\d\d\d*(?![\d.]|\s?(%|h\b|hours?\b|of\b))/],
];

// The texts of a page, line by line, without identifiers that are there to be copied.
const texts = (page) =>
  page.evaluate(() => {
    const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const { parentElement: within, textContent } = walker.currentNode;
      if (textContent.trim() && !within.closest('.id, code, pre, .tree, option, script, style')) found.push(textContent.trim());
    }
    return found;
  });

// The addresses of the links of a page, without what changes no kind of page.
const links = (page) =>
  page.locator('a[href]').evaluateAll((all) => all.map((one) => one.href.split('#')[0]));

const kindOf = (address) => new URL(address).pathname.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID');

// The audit log tells values as they were recorded.
const rulesOf = (kind) => RULES.filter(([what]) => !(kind.endsWith('/audit') && what === 'an amount without its unit'));

async function faultsOf(page, name) {
  const found = [];
  for (const text of await texts(page)) {
    for (const [what, rule] of rulesOf(name)) if (rule.test(text)) found.push(`${name}: ${what}: ${text.slice(0, 160)}`);
  }
  return found;
}

async function walk(page, start, within) {
  const [seen, counts, waiting, found] = [new Set(), {}, [start], []];
  while (waiting.length) {
    const address = waiting.shift();
    const kind = kindOf(address);
    if (seen.has(address) || MACHINE.test(address) || (counts[kind] ?? 0) >= EACH) continue;
    seen.add(address);
    counts[kind] = (counts[kind] ?? 0) + 1;
    const answer = await page.goto(address);
    if (!answer.headers()['content-type']?.startsWith('text/html')) continue;
    found.push(...(await faultsOf(page, kind)));
    waiting.push(...(await links(page)).filter((link) => within.test(link)));
  }
  return { found, kinds: Object.keys(counts).length };
}

test('the console says days, money and names as people write them', async () => {
  const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled: true, looked: false });
  const base = `${service.base}/console/companies/${past().uuid}`;
  const { found, kinds } = await walk(page, base, new RegExp(`/console/companies/${past().uuid}`));
  await close();
  assert.ok(kinds >= 15, `${kinds} kinds of pages`);
  assert.equal([...new Set(found)].join('\n'), '');
});

test('the pages of an employer and of an employee say days, money and names as people write them', async () => {
  const { page, close } = await open(service, { ...DESKTOP, looked: false });
  const of = { ...service, company: past() };
  const flow = async (asked) => (await call(of, 'POST', `/v1/companies/${past().uuid}/flows`, asked)).url;
  const company = { entity_type: 'Company', entity_uuid: past().uuid };
  const [employee] = await call(of, 'GET', `/v1/companies/${past().uuid}/employees`);
  const found = [];
  for (const asked of [
    { ...company, flow_type: 'run_payroll,add_addresses,select_industry' },
    { flow_type: 'employee_self_management', entity_type: 'Employee', entity_uuid: employee.uuid },
  ]) {
    await page.goto(await flow(asked));
    const walked = await walk(page, page.url(), /\/flow(\/|$)/);
    found.push(...walked.found);
  }
  await close();
  assert.equal([...new Set(found)].join('\n'), '');
});
