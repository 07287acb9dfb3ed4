// The newest published form for what a state asks of a company, unmodified, in a browser: it can be shown and saved in states with
// programs of their own, whose questions may stay open.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, mount, world } from '../react/support.mjs';
import { client } from './client.mjs';

const service = world(new URL('page.jsx', import.meta.url), [client]);

const PLACES = {
  WA: { street_1: '1700 7th Avenue', city: 'Seattle', zip: '98101' },
  OR: { street_1: '1120 SW 5th Avenue', city: 'Portland', zip: '97204' },
  NJ: { street_1: '30 Montgomery Street', city: 'Jersey City', zip: '07302' },
  CO: { street_1: '1437 Bannock Street', city: 'Denver', zip: '80202' },
};

async function form(state) {
  const company = service.company.uuid;
  await call(service, 'POST', `/v1/companies/${company}/locations`, { ...PLACES[state], state, phone_number: '2065550100' });
  const props = JSON.stringify({ companyId: company, state });
  const { page, told, close } = await mount(service, 'CompanyOnboarding.StateTaxesForm', { props });
  const asked = async () => {
    const { requirement_sets: sets } = await call(service, 'GET', `/v1/companies/${company}/tax_requirements/${state}`);
    return (set, key) => sets.find((one) => one.key === set).requirements.find((one) => one.key === key).value;
  };
  const save = async () => {
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT' && answer.url().includes('tax_requirements'));
    await page.getByRole('button', { name: 'Save' }).click();
    assert.equal((await saved).status(), 200);
    await page.waitForFunction(() => globalThis.told.includes('company/stateTaxes/updated'));
  };
  return { page, told, close, asked, save };
}

for (const state of Object.keys(PLACES)) {
  test(`what ${state} asks is shown, and saved with questions left open`, async () => {
    const { page, close, asked, save } = await form(state);
    await page.getByLabel('Unemployment insurance account number').fill('12-345678-9');
    await save();
    assert.equal((await asked())('registrations', 'unemployment_account_number'), '12-345678-9');
    await close();
  });
}

test('a rate and a share are entered in percent, and dollars an hour and numbers of people as they are', async () => {
  const { page, close, asked, save } = await form('WA');
  const enter = async (label, value, place = 0) => {
    const field = page.getByLabel(label).nth(place);
    await field.fill(value);
    await field.blur();
  };
  await enter('Unemployment insurance rate', '2.7');
  await enter('Number of employees', '57');
  await enter("Employee's share that the company pays", '50');
  await enter("The company's rate", '0.18525');
  await save();
  const told = await asked();
  assert.deepEqual(
    [told('taxrates', 'unemployment_rate'), told('employer', 'employer_size'), told('WA_CARES', 'employer_pays_employee_share')],
    ['0.027', '57', '0.5'],
  );
  assert.equal(told('WA_LNI_EE', 'rate'), '0.18525');
  await close();
});
