// What every screen looks like, and whether everybody can use it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DESKTOP, PERSONAL, PHONE, addAccount, fill, faults, going, hire, link, open, picture, save, walk, world } from './support.mjs';

const service = world();

// Every screen with what can be wrong on it, and the pages outside the session.
async function everyScreen(prefix, options) {
  const person = await hire(service, { i9: true });
  const { page, close } = await open(service, options);
  const found = [];
  const look = async (name) => {
    await picture(page, `${prefix}-${name}`);
    found.push(...(await faults(page, name)));
  };
  const refusals = {
    personal: async () => {
      await fill(page, { first_name: '1', email: 'no', 'date_of_birth.month': '31', 'date_of_birth.day': '7', 'date_of_birth.year': '1990', ssn: '12' });
      return save(page);
    },
    address: async () => {
      await fill(page, { street_1: '', city: '', zip: '1' });
      return save(page);
    },
    federal: async () => {
      await fill(page, { dependents_amount: 'many' });
      return save(page);
    },
    state: () => save(page),
    payment: () => addAccount(page, { name: '', routing_number: '021000022', account_number: 'x' }),
    i9: () => save(page),
    documents: () => going(page, () => page.locator('main button.main').first().click()),
  };
  await walk(service, page, person, async (name) => {
    await look(name);
    if (name === 'payment-accounts') {
      const [first] = await page.locator('[name^="splits."]').all();
      await first.fill('60');
      assert.equal((await save(page)).status(), 422);
      await look('payment-splits-refused');
      await going(page, () => page.locator('.accounts button').first().click());
      await look('payment-remove');
      await going(page, () => page.locator('.accounts a').click());
    }
    if (!refusals[name]) return;
    assert.equal((await refusals[name]()).status(), 422);
    await look(`${name}-refused`);
    await page.goto(page.url());
  });
  await page.goto(`${service.base}/flow/review`);
  await look('review-again');
  await page.goto(`${service.base}/flow/welcome`);
  await look('welcome-again');
  assert.equal((await page.goto(`${service.base}/flows/unknown`)).status(), 404);
  await look('unknown-link');
  // On another device it is asked who is there.
  await page.context().clearCookies();
  await page.goto(await link(service, person.uuid));
  await page.goto(`${service.base}/flow/payment`);
  await look('payment-confirm');
  await fill(page, { ssn_last_four: '0000' });
  assert.equal((await save(page)).status(), 422);
  await look('payment-confirm-refused');
  await fill(page, { ssn_last_four: PERSONAL.ssn.slice(-4) });
  assert.equal((await save(page)).status(), 200);
  assert.equal(await page.locator('.accounts li').count(), 2);
  await page.context().clearCookies();
  assert.equal((await page.goto(`${service.base}/flow/personal`)).status(), 410);
  await look('expired');
  await close();
  assert.deepEqual(found, []);
}

test('nothing keeps anybody from using the screens: a desktop, in English', () =>
  everyScreen('desktop-en', { ...DESKTOP }));
test('nothing keeps anybody from using the screens: a phone, in Spanish', () =>
  everyScreen('phone-es', { ...PHONE, locale: 'es-US' }));
test('nothing keeps anybody from using the screens: a dark desktop', () =>
  everyScreen('dark-en', { ...DESKTOP, colorScheme: 'dark' }));
test('nothing keeps anybody from using the screens: a dark phone', () =>
  everyScreen('dark-phone-en', { ...PHONE, colorScheme: 'dark' }));
