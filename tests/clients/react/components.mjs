// Tests of components one by one: each shows something, complains of nothing, and is answered well.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { records } from './records.mjs';
import { mount } from './support.mjs';

// "There is none", said as documented: a company has no policy of holiday pay at first.
const NONE = /^404 of GET \S+\/holiday_pay_policy$/;

// Names of a group whose components need nothing beside the company, an employee and a contractor.
export const plain = (group, names) => names.split(' ').map((name) => [`${group}.${name}`, {}]);

// `components` are those that are shown, with what each needs (a function gets the records that were made, and may make more; `features` are those
// that the release hides); `absent` those that are
// not, with the reason; `groups` where a release has them; `short` which of them are shown unless there is time for all.
export function everyComponent(service, { components, absent, groups, short }) {
  let made;
  const shown = process.env.STIPEND_LONG === '1' ? Object.keys(components) : short;
  for (const component of shown) {
    test(`${component} is shown, and every call of it is answered well`, async () => {
      made ??= await records(service);
      const needs = components[component];
      const { features = '', ...own } = typeof needs === 'function' ? await needs(made) : needs;
      const props = JSON.stringify({ companyId: service.company.uuid, employeeId: made.employee, contractorId: made.contractor, ...own });
      const { page, told, close } = await mount(service, component, { props, features }, NONE);
      await page.waitForLoadState('networkidle');
      await page.locator('#root *').first().waitFor({ state: 'attached' });
      assert.equal(await page.getByText(/^There was (an error|a problem)/).count(), 0, 'no error is shown');
      assert.ok(!(await told()).includes('ERROR'), 'the component tells of no error');
      await close();
    });
  }

  test('every component is in the table, or it is said why not', async () => {
    const props = JSON.stringify({ companyId: service.company.uuid });
    const { page, close } = await mount(service, 'InformationRequests.InformationRequestList', { props });
    const exported = await page.evaluate(() => globalThis.exported);
    const names = groups.flatMap((group) => exported[group].map((name) => `${group}.${name}`));
    assert.deepEqual(names.sort(), [...Object.keys(components), ...Object.keys(absent)].sort());
    await page.waitForLoadState('networkidle');
    await close();
  });
}
