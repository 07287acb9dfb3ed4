// Wrong entries, and the language of the pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCOUNTS, ADDRESS, FEDERAL, PERSONAL, TEXTS, addAccount, answerState, fill, going, held, hire, introduce, open, save, screenOf,
  world } from './support.mjs';

const service = world();

// Sends what is wrong: the page comes back with everything as it was entered, and with a message beside each wrong
// field that the summary leads to.
async function refused(page, screen, wrong, send = () => save(page)) {
  const before = await held(page);
  assert.equal((await send()).status(), 422);
  assert.equal(screenOf(page), screen);
  // Numbers that are secret do not come back.
  for (const name of ['ssn', 'account_number', 'account_number_again']) if (name in before) before[name] = '';
  assert.deepEqual(await held(page), before, 'nothing that was entered is lost');
  assert.ok((await page.title()).startsWith(TEXTS.en.error_mark), 'the title says that something is wrong');
  const summary = page.locator('.problems');
  assert.equal(await summary.getAttribute('role'), 'alert');
  assert.equal(await summary.locator('h2').innerText(), TEXTS.en.error_title);
  for (const [name, text] of Object.entries(wrong)) {
    // A date begins with its month.
    const first = (await page.locator(`[name="${name}.month"]`).count()) ? `${name}.month` : name;
    const beside = page.locator(`.control.wrong:has([name="${first}"]) .problem`);
    assert.equal(await beside.innerText(), TEXTS.en[text].replace('{most}', '99'), name);
    const control = page.locator(`[name="${first}"]`);
    assert.equal(await control.getAttribute('aria-invalid'), 'true', `${name} is marked`);
    const described = ((await control.getAttribute('aria-describedby')) ?? '').split(' ');
    assert.ok(described.includes(await beside.getAttribute('id')), `${name} is described by its message`);
    await summary.locator(`a[href="#${name}"]`).click();
    const seen = await control.evaluate((one) => one.matches(':target') && one.getBoundingClientRect().bottom <= innerHeight);
    assert.ok(seen, `the summary leads to ${name}`);
    // From there the keyboard goes on in the form: the field itself is the start of the next step.
    assert.ok(await control.evaluate((one) => document.activeElement === one), `${name} has the focus`);
  }
  const shown = await page.locator('main .control.wrong').count();
  assert.equal(shown, Object.keys(wrong).length, 'nothing else is marked');
  return { shown, listed: await summary.locator('li').count() };
}

async function refusedOnce(...asked) {
  const { shown, listed } = await refused(...asked);
  assert.equal(listed, shown, 'the summary has every message once');
}

async function at(page, person, screen) {
  await page.goto(person.link);
  await page.goto(`${service.base}/flow/${screen}`);
}

test('wrong personal details are shown beside their fields', async () => {
  const person = await hire(service);
  const { page, close } = await open(service);
  await at(page, person, 'personal');
  await fill(page, { ...PERSONAL, first_name: '', email: 'nobody', date_of_birth: '1994-02-30', ssn: '12-34' });
  await refusedOnce(page, 'personal', { first_name: 'wrong_first_name', email: 'wrong_email',
    date_of_birth: 'wrong_date_of_birth', ssn: 'wrong_ssn' });
  await fill(page, { ...PERSONAL, ssn: '' });
  await refusedOnce(page, 'personal', { ssn: 'wrong_ssn' });
  await fill(page, PERSONAL);
  await save(page);
  assert.equal(screenOf(page), 'address');
  await close();
});

test('a wrong address is shown beside its fields', async () => {
  const person = await hire(service);
  const { page, close } = await open(service);
  await at(page, person, 'address');
  await fill(page, { ...ADDRESS, street_1: ' ', state: '', zip: '1234' });
  await page.check('[name="courtesy_withholding"]');
  await refusedOnce(page, 'address', { street_1: 'wrong_street_1', state: 'wrong_state', zip: 'wrong_zip' });
  await close();
});

test('a ZIP code of another state is told with that state, and nothing is stored', async () => {
  const person = await hire(service);
  const { page, close } = await open(service);
  await at(page, person, 'address');
  await fill(page, { ...ADDRESS, zip: '78209' });
  assert.equal((await save(page)).status(), 422);
  assert.equal(await page.innerText('#zip-problem'), TEXTS.en.wrong_zip_state.replace('{state}', 'Texas'));
  await fill(page, { zip: ADDRESS.zip });
  await save(page);
  assert.notEqual(screenOf(page), 'address');
  await close();
});

test('an account number that is typed otherwise the second time is refused', async () => {
  const person = await hire(service);
  const { page, close } = await open(service);
  await page.goto(person.link);
  await introduce(page, service);
  await at(page, person, 'payment');
  await fill(page, { ...ACCOUNTS[0], account_number_again: '1234567809' });
  await refusedOnce(page, 'payment', { account_number_again: 'wrong_account_number_again' },
    () => going(page, () => page.click('button[value="add"]')));
  await close();
});

test('wrong tax entries are shown beside their fields', async () => {
  const person = await hire(service);
  const { page, close } = await open(service);
  await at(page, person, 'address');
  await fill(page, ADDRESS);
  await save(page);
  await page.goto(`${service.base}/flow/federal`);
  await fill(page, { ...FEDERAL, filing_status: '', dependents_amount: 'two', extra_withholding: '-5' });
  await refusedOnce(page, 'federal', { filing_status: 'wrong_choice', dependents_amount: 'wrong_money',
    extra_withholding: 'wrong_money' });
  await page.goto(`${service.base}/flow/state`);
  await answerState(page);
  const [line] = await page.locator('main input[type="text"]').all();
  await line.fill('three');
  await refused(page, 'state', { [await line.getAttribute('name')]: 'wrong_count' });
  await close();
});

test('wrong payment details are shown beside their fields', async () => {
  const person = await hire(service);
  const { page, close } = await open(service);
  await page.goto(person.link);
  await introduce(page, service);
  await at(page, person, 'payment');
  const wrong = { ...ACCOUNTS[0], routing_number: '021000022', account_number: '12ab', account_number_again: '12ab', name: '' };
  await fill(page, wrong);
  await refusedOnce(page, 'payment', { name: 'wrong_account_name', routing_number: 'wrong_routing_number',
    account_number: 'wrong_account_number' }, () => going(page, () => page.click('button[value="add"]')));
  for (const account of ACCOUNTS) await addAccount(page, account);
  await fill(page, { split_by: 'Percentage' });
  const splits = await page.locator('[name^="splits."]').evaluateAll((all) => all.map((one) => one.name));
  await fill(page, { [splits[0]]: '60', [splits[1]]: '50' });
  await refused(page, 'payment', Object.fromEntries(splits.map((name) => [name, 'wrong_splits'])));
  await close();
});

test('what Form I-9 and a signature miss is shown beside their fields', async () => {
  const person = await hire(service, { i9: true });
  const { page, close } = await open(service);
  await at(page, person, 'i9');
  await refusedOnce(page, 'i9', { authorization_status: 'wrong_choice' });
  await page.goto(`${service.base}/flow/documents`);
  const form = page.locator('main form').first();
  const name = (kind) => form.locator(`input[type="${kind}"]`).getAttribute('name');
  const wrong = { [await name('text')]: 'wrong_signature_text', [await name('checkbox')]: 'wrong_agree' };
  // The form's own questions are not answered yet: that comes on top.
  const { shown, listed } = await refused(page, 'documents', wrong, () => going(page, () => form.locator('button.main').click()));
  assert.equal(listed, shown + 1);
  assert.equal(await page.locator('.problems li').first().innerText(), TEXTS.en.i9_first);
  await close();
});

test('another language is spoken on the page where it is chosen, and from then on', async () => {
  const person = await hire(service, { i9: true });
  const { page, close } = await open(service);
  await page.goto(person.link);
  for (const screen of ['welcome', 'personal', 'address', 'federal', 'state', 'payment', 'i9', 'documents', 'review', 'done']) {
    await page.goto(`${service.base}/flow/${screen}`);
    const title = await page.innerText('h1');
    for (const language of ['es', 'en']) {
      const answer = await going(page, () => page.click(`.language button[value="${language}"]`));
      assert.equal(answer.status(), 200);
      assert.equal(screenOf(page), screen);
      assert.equal(await page.getAttribute('html', 'lang'), language);
      if (language === 'es') assert.notEqual(await page.innerText('h1'), title);
    }
    assert.equal(await page.innerText('h1'), title);
  }
  await going(page, () => page.click('.language button[value="es"]'));
  await page.goto(`${service.base}/flow/personal`);
  await fill(page, { ssn: '1' });
  assert.equal((await save(page)).status(), 422);
  assert.equal(await page.innerText('.problems h2'), TEXTS.es.error_title);
  await going(page, () => page.click('.language button[value="en"]'));
  assert.equal(screenOf(page), 'personal');
  await close();
});

test('the summary says once that an answer to a state or a division of pay is wrong', async () => {
  const person = await hire(service);
  const { page, close } = await open(service);
  await at(page, person, 'address');
  await fill(page, ADDRESS);
  await save(page);
  await page.goto(`${service.base}/flow/state`);
  await answerState(page);
  const [line] = await page.locator('main input[type="text"]').all();
  await line.fill('three');
  await refusedOnce(page, 'state', { [await line.getAttribute('name')]: 'wrong_count' });
  await close();
});
