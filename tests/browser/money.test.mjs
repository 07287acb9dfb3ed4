// The pages Money, and Not paid and owed, of a company whose payments go through a bank: submitted, returned and failed ones, a debit that
// came back, and pay that can be taken back, at every width.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { banked } from './bank.mjs';
import { DESKTOP, PHONE, faults, open, picture } from './support.mjs';

const bank = banked();
const { service } = bank;
const held = {};

before(async () => {
  await bank.begin();
  const { uuid, filed } = await bank.payroll();
  held.payroll = uuid;
  await bank.advance({ to: filed });
  assert.equal(bank.entries('622').length, 3);
  bank.sendBack('R02', bank.entries('622')[0]);
  bank.sendBack('R01', bank.entries('627')[0]);
});

async function money(prefix, options) {
  const { page, close } = await open(service, options);
  const found = [];
  const company = `/console/companies/${service.company.uuid}`;
  const pages = [['money', `${company}/money`], ['owed', `${company}/owed`], ['payroll-paid', `${company}/payrolls/${held.payroll}`]];
  for (const [name, address] of pages) {
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
    if (name === 'owed') {
      assert.match(text, /returned by the bank: R02/);
      const back = page.locator('select[name=payment] option');
      assert.equal(await back.count(), 3, 'one of nothing, and what the bank has and did not return');
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
