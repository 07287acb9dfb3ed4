// The whole way, as people go it on each kind of screen: what every screen looks like, what can be wrong on it, and whether everybody
// can use it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DESKTOP, PERSONAL, PHONE, addAccount, englishOn, faults, fill, going, link, picture, save, world } from './support.mjs';
import { wholeWay } from './way.mjs';

const service = world();

// What is sent of a screen that is refused.
const REFUSED = {
  personal: async (page) => {
    const birth = { 'date_of_birth.month': '31', 'date_of_birth.day': '7', 'date_of_birth.year': '1990' };
    await fill(page, { first_name: '1', email: 'no', ...birth, ssn: '12' });
    return save(page);
  },
  address: async (page) => {
    await fill(page, { street_1: '', city: '', zip: '1' });
    return save(page);
  },
  federal: async (page) => {
    await fill(page, { dependents_amount: 'many' });
    return save(page);
  },
  state: save,
  payment: (page) => addAccount(page, { name: '', routing_number: '021000022', account_number: 'x' }),
  i9: save,
  documents: (page) => going(page, () => page.locator('main button.main').first().click()),
};

// Every screen with what can be wrong on it, and the pages outside the session.
async function everyScreen(prefix, options) {
  const found = [];
  const looked = async (page, name) => {
    await picture(page, `${prefix}-${name}`);
    found.push(...(await faults(page, name)));
    if (options.locale === 'es-US') found.push(...(await englishOn(page, name)));
  };
  const look = async (page, name) => {
    await looked(page, name);
    if (name === 'payment-accounts') {
      const [first] = await page.locator('[name^="splits."]').all();
      await first.fill('60');
      assert.equal((await save(page)).status(), 422);
      await looked(page, 'payment-splits-refused');
      await going(page, () => page.locator('.accounts button').first().click());
      await looked(page, 'payment-remove');
      await going(page, () => page.locator('.accounts a').click());
    }
    if (!REFUSED[name]) return;
    assert.equal((await REFUSED[name](page)).status(), 422);
    await looked(page, `${name}-refused`);
    await page.goto(page.url());
  };
  const afterwards = async (page, person) => {
    await page.goto(`${service.base}/flow/review`);
    await looked(page, 'review-again');
    await page.goto(`${service.base}/flow/welcome`);
    await looked(page, 'welcome-again');
    assert.equal((await page.goto(`${service.base}/flows/unknown`)).status(), 404);
    await looked(page, 'unknown-link');
    // On another device it is asked who is there.
    await page.context().clearCookies();
    await page.goto(await link(service, person.uuid));
    await page.goto(`${service.base}/flow/payment`);
    await looked(page, 'payment-confirm');
    await fill(page, { ssn_last_four: '0000' });
    assert.equal((await save(page)).status(), 422);
    await looked(page, 'payment-confirm-refused');
    await fill(page, { ssn_last_four: PERSONAL.ssn.slice(-4) });
    assert.equal((await save(page)).status(), 200);
    assert.equal(await page.locator('.accounts li').count(), 2);
    await page.context().clearCookies();
    assert.equal((await page.goto(`${service.base}/flow/personal`)).status(), 410);
    await looked(page, 'expired');
  };
  await wholeWay(service, { ...options, i9: true }, { look, afterwards });
  assert.deepEqual(found, []);
}

test('the whole way on a desktop, in English, and nothing keeps anybody from going it', () => everyScreen('desktop-en', DESKTOP));
test('the whole way on a phone, in Spanish, and nothing keeps anybody from going it', () =>
  everyScreen('phone-es', { ...PHONE, locale: 'es-US' }));
test('the whole way on a dark desktop, in Spanish, and nothing keeps anybody from going it', () =>
  everyScreen('dark-es', { ...DESKTOP, colorScheme: 'dark', locale: 'es-US' }));
test('the whole way on a dark phone, in English, and nothing keeps anybody from going it', () =>
  everyScreen('dark-phone-en', { ...PHONE, colorScheme: 'dark' }));
