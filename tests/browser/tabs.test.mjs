// People are impatient: several tabs, the back button, two clicks, other devices, and a session that ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCOUNTS, ADDRESS, DESKTOP, PERSONAL, PHONE, TEXTS, addAccount, call, fill, going, held, hire, introduce, link, open, save,
  screenOf, start, world } from './support.mjs';

const service = world();
const homesOf = (person) => call(service, 'GET', `${person.employee}/home_addresses`);
const accountsOf = (person) => call(service, 'GET', `${person.employee}/bank_accounts`);

test('two tabs that send the address make one address', async () => {
  const person = await hire(service);
  const { page, context, close } = await open(service);
  await page.goto(person.link);
  const other = await context.newPage();
  for (const tab of [page, other]) {
    await tab.goto(`${service.base}/flow/address`);
    await fill(tab, ADDRESS);
  }
  await fill(other, { street_1: '7 Olive Row' });
  assert.equal((await save(page)).status(), 200);
  const late = await save(other);
  assert.equal(late.status(), 409);
  assert.ok((await other.innerText('.problems')).includes(TEXTS.en.error_stale));
  assert.equal((await held(other)).street_1, '7 Olive Row');
  assert.equal((await homesOf(person)).length, 1);
  assert.equal((await save(other)).status(), 200, 'checked and saved again, it is taken');
  const homes = await homesOf(person);
  assert.equal(homes.length, 1);
  assert.equal(homes[0].street_1, '7 Olive Row');
  await close();
});

test('what was changed elsewhere meanwhile is not overwritten unseen', async () => {
  const person = await hire(service);
  const { page, close } = await open(service);
  await page.goto(person.link);
  await page.goto(`${service.base}/flow/personal`);
  await fill(page, PERSONAL);
  const { version } = await call(service, 'GET', person.employee);
  await call(service, 'PUT', person.employee, { version, last_name: 'Moreno-Ruiz' });
  const before = await held(page);
  assert.equal((await save(page)).status(), 409);
  // The Social Security number is never sent back: it is entered again.
  assert.deepEqual(await held(page), { ...before, ssn: '' });
  assert.ok((await page.innerText('.problems')).includes(TEXTS.en.error_stale));
  assert.equal((await call(service, 'GET', person.employee)).last_name, 'Moreno-Ruiz');
  await fill(page, { ssn: PERSONAL.ssn });
  assert.equal((await save(page)).status(), 200);
  assert.equal((await call(service, 'GET', person.employee)).last_name, 'Moreno');
  await close();
});

test('the back button leads to what was saved, and it can be saved again', async () => {
  const person = await hire(service);
  const { page, close } = await open(service);
  await page.goto(person.link);
  await going(page, () => page.click('a.button'));
  await fill(page, PERSONAL);
  await save(page);
  await fill(page, ADDRESS);
  await save(page);
  assert.equal(screenOf(page), 'federal');
  await page.goBack();
  assert.equal(screenOf(page), 'address');
  assert.equal((await held(page)).street_1, ADDRESS.street_1);
  await fill(page, { street_1: '9 Olive Row' });
  assert.equal((await save(page)).status(), 200);
  const homes = await homesOf(person);
  assert.equal(homes.length, 1);
  assert.equal(homes[0].street_1, '9 Olive Row');
  await close();
});

test('two clicks on a button store once', async () => {
  const person = await hire(service);
  const { page, close } = await open(service);
  await page.goto(person.link);
  await page.goto(`${service.base}/flow/address`);
  await fill(page, ADDRESS);
  // What is stored, once something is and the second click has had its time.
  const stored = async (listOf) => {
    for (let left = 100; left > 0 && (await listOf(person)).length === 0; left -= 1) await page.waitForTimeout(100);
    await page.waitForTimeout(300);
    await page.waitForLoadState();
    return listOf(person);
  };
  await page.dblclick('button.main');
  const homes = await stored(homesOf);
  assert.equal(homes.length, 1);
  assert.equal(homes[0].street_1, ADDRESS.street_1);
  await introduce(page, service);
  await page.goto(`${service.base}/flow/payment`);
  await fill(page, { ...ACCOUNTS[0], account_number_again: ACCOUNTS[0].account_number });
  await page.dblclick('button[value="add"]');
  assert.equal((await stored(accountsOf)).length, 1);
  await close();
});

test('a bank account that is sent again from the history is stored once', async () => {
  const person = await hire(service);
  const { page, close } = await open(service);
  await page.goto(person.link);
  await introduce(page, service);
  await page.goto(`${service.base}/flow/payment`);
  const token = await page.inputValue('[name="form_token"] >> nth=0');
  const form = { form_token: token, action: 'add', ...ACCOUNTS[0], account_number_again: ACCOUNTS[0].account_number };
  const headers = { 'Sec-Fetch-Site': 'same-origin' };
  const answers = await Promise.all([1, 2, 3].map(() =>
    page.context().request.post(`${service.base}/flow/payment`, { form, headers })));
  for (const answer of answers) assert.ok(answer.status() < 500, `${answer.status()}`);
  assert.equal((await accountsOf(person)).length, 1);
  await close();
});

test('a link opened on two devices goes on where the other one stopped', async () => {
  const person = await hire(service);
  const desk = await open(service, DESKTOP);
  const phone = await open(service, PHONE);
  await desk.page.goto(person.link);
  await phone.page.goto(person.link);
  await going(desk.page, () => desk.page.click('a.button'));
  await fill(desk.page, PERSONAL);
  await save(desk.page);
  await going(phone.page, () => phone.page.click('a.button'));
  assert.equal(screenOf(phone.page), 'personal', 'the page was made before');
  assert.equal((await held(phone.page)).last_name, PERSONAL.last_name);
  await phone.page.goto(person.link);
  assert.equal(screenOf(phone.page), 'address');
  await fill(phone.page, ADDRESS);
  await save(phone.page);
  await desk.page.reload();
  assert.equal((await held(desk.page)).street_1, ADDRESS.street_1);
  assert.equal((await homesOf(person)).length, 1);
  await desk.close();
  await phone.close();
});

test('a bank account is removed after a question, and once', async () => {
  const person = await hire(service);
  const { page, context, close } = await open(service);
  await page.goto(person.link);
  await introduce(page, service);
  await page.goto(`${service.base}/flow/payment`);
  for (const account of ACCOUNTS) await addAccount(page, account);
  const remove = async (tab) => going(tab, () => tab.locator('.accounts button').first().click());
  const other = await context.newPage();
  await other.goto(`${service.base}/flow/payment`);
  await remove(page);
  await remove(other);
  assert.equal((await accountsOf(person)).length, 2, 'asked, not removed');
  const yes = (tab) => going(tab, () => tab.click('button[value^="removed:"]'));
  assert.equal((await yes(page)).status(), 200);
  assert.equal((await yes(other)).status(), 200);
  assert.equal((await accountsOf(person)).length, 1);
  await close();
});

test('an expired session says so, and neither what was saved nor what was entered is lost', async () => {
  const own = { ...(await start()), browser: service.browser };
  try {
    const person = await hire(own);
    const { page, close } = await open(own);
    await page.goto(person.link);
    await page.goto(`${own.base}/flow/personal`);
    await fill(page, PERSONAL);
    await save(page);
    await fill(page, ADDRESS);
    await call(own, 'POST', '/v1/test_helpers/clock/advance', { seconds: 7200 });
    const late = await save(page);
    assert.equal(late.status(), 410);
    assert.equal(await page.innerText('h1'), TEXTS.en.expired_title);
    assert.ok((await page.innerText('main')).includes(TEXTS.en.expired_kept));
    assert.equal((await page.goto(person.link)).status(), 410);
    await page.goto(await link(own, person.uuid));
    assert.equal(screenOf(page), 'address', 'a new link goes on where the old one ended');
    assert.equal(await page.innerText('main p[role="status"]'), TEXTS.en.entries_kept);
    assert.equal((await held(page)).street_1, ADDRESS.street_1, 'the address waited for the new link');
    assert.deepEqual(await call(own, 'GET', `${person.employee}/home_addresses`), [], 'and was not saved unseen');
    assert.equal((await call(own, 'GET', person.employee)).last_name, PERSONAL.last_name);
    assert.equal((await save(page)).status(), 200);
    assert.equal((await call(own, 'GET', `${person.employee}/home_addresses`))[0].street_1, ADDRESS.street_1);
    await close();
  } finally {
    await own.stop();
  }
});
