// What no table tells of an address is asked with names, and one tap answers it: on a phone in both languages, and by keyboard.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DESKTOP, PHONE, TEXTS, call, englishOn, faults, fill, going, hire, open, picture, save, screenOf, tooWide, world,
} from './support.mjs';
import { keyboard } from './keyboard.mjs';

const service = world();

const HOME = { street_1: '4 Main Street', street_2: '', city: 'Mount Airy', state: 'MD', zip: '21771' };
const TOWNSHIP = { ...HOME, city: 'Beaver Falls', state: 'PA', zip: '15010' };
// A finger needs as much; CSS pixels.
const FINGER = 44;

async function asked(page, found, name, { locale = 'en-US' }) {
  await picture(page, `places-${locale}-${name}`);
  found.push(...(await faults(page, name)));
  if (locale === 'es-US') found.push(...(await englishOn(page, name)));
  const wide = await tooWide(page);
  if (wide > 0) found.push(`${name} is ${wide} pixels too wide`);
  for (const button of await page.locator('main .choices button').all()) {
    const { height } = await button.boundingBox();
    if (height < FINGER) found.push(`${name}: ${await button.innerText()} is ${height} pixels high`);
  }
}

const homes = async (person) => call(service, 'GET', `${person.employee}/home_addresses`);

for (const [locale, language] of [['en-US', 'en'], ['es-US', 'es']]) {
  test(`an employee taps the county, and a township of Pennsylvania, in ${language}`, async () => {
    const person = await hire(service);
    const options = { ...PHONE, locale };
    const { page, close } = await open(service, options);
    const found = [];
    await page.goto(person.link);
    await page.goto(`${service.base}/flow/address`);
    await fill(page, HOME);
    await save(page);
    assert.equal(screenOf(page), 'address');
    assert.equal(await page.innerText('h1'), TEXTS[language].place_county);
    await asked(page, found, 'county', options);
    const names = await page.locator('main .choices button').allInnerTexts();
    assert.deepEqual(names, ['Carroll County', 'Frederick County', 'Howard County', 'Montgomery County']);
    await going(page, () => page.tap('main .choices button:has-text("Frederick County")'));
    assert.notEqual(screenOf(page), 'address', 'one tap is all');
    const [held] = await homes(person);
    assert.deepEqual(held.jurisdictions.map(({ code, certain }) => [code, certain]), [['MD-11', true]]);

    await page.goto(`${service.base}/flow/address`);
    await fill(page, TOWNSHIP);
    await save(page);
    assert.equal(await page.innerText('h1'), TEXTS[language].place_municipality);
    await asked(page, found, 'township', options);
    const last = await page.locator('main select[name="other"] option').last().innerText();
    assert.equal(last, TEXTS[language].place_outside, 'after the names of the ZIP code and of the county');
    await going(page, () => page.tap('main .choices button:has-text("Chippewa Township")'));
    assert.equal((await homes(person))[0].place_questions[0].answer, '4200713488');
    assert.deepEqual(found, []);
    await close();
  });
}

test('the question is answered by keyboard, without scripts', async () => {
  const person = await hire(service);
  const { page, close } = await open(service, { ...DESKTOP, javaScriptEnabled: false });
  await page.goto(person.link);
  await page.goto(`${service.base}/flow/address`);
  await fill(page, HOME);
  await save(page);
  const { enter } = keyboard(page);
  await enter('main .choices button[value="county:24013"]');
  assert.equal((await homes(person))[0].place_questions[0].answer, '24013');
  await close();
});

test('an employer taps whether a location in Portland lies in Metro', async () => {
  const company = `/v1/companies/${service.company.uuid}`;
  const portland = { street_1: '2 Rose Row', city: 'Portland', state: 'OR', zip: '97204', phone_number: '5035550100' };
  const { uuid } = await call(service, 'POST', `${company}/locations`, portland);
  const link = await call(service, 'POST', `${company}/flows`, {
    flow_type: 'add_addresses', entity_type: 'Company', entity_uuid: service.company.uuid,
  });
  const { page, close } = await open(service, PHONE);
  const found = [];
  await page.goto(link.url);
  await page.goto(`${service.base}/flow/addresses`);
  assert.equal(await page.innerText('h1'), TEXTS.en.place_metro_of_work);
  await asked(page, found, 'metro', PHONE);
  await going(page, () => page.tap(`main .choices button:has-text("${TEXTS.en.place_in.replace('{name}', 'Metro')}")`));
  const held = await call(service, 'GET', `/v1/locations/${uuid}`);
  assert.equal(held.place_questions[0].answer, 'OR-METRO');
  assert.ok(held.jurisdictions.some(({ code, certain }) => code === 'OR-TRIMET_DISTRICT' && certain));
  assert.deepEqual(found, []);
  await close();
});
