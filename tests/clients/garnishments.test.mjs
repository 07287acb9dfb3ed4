// Child support orders through the published client, with the defaults that it adds to what it sends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusOf, thrown, world } from './support.mjs';

const service = world();

const order = (agency) => {
  const identifiers = Object.fromEntries(agency.requiredAttributes.map(({ key }) => [key.replace(/_(.)/g, (_, c) => c.toUpperCase()), '0123456']));
  return { active: true, amount: '40.00', courtOrdered: true, garnishmentType: 'child_support', deductAsPercentage: true,
    payPeriodMaximum: '300.00', recurring: true,
    childSupport: { state: agency.state, paymentPeriod: 'Monthly', fipsCode: agency.fipsCodes[0].code, ...identifiers } };
};

test('an order is made from the agencies\' data, read, listed and changed', async () => {
  const { client, company } = service;
  const { childSupportData } = await client.garnishments.getChildSupportData({});
  assert.ok(childSupportData.agencies.length >= 51);
  const agency = childSupportData.agencies.find((one) => one.state === 'TX');
  const employeeId = company.employees[0].uuid;
  const created = await client.garnishments.create({ employeeId, garnishmentRequest: order(agency) });
  assert.equal(statusOf(created), 201);
  assert.equal(created.garnishment.payPeriodMaximum, '300.00');
  assert.equal(created.garnishment.childSupport.state, 'TX');
  const { garnishments } = await client.garnishments.list({ employeeId });
  assert.deepEqual(garnishments.map((one) => one.uuid), [created.garnishment.uuid]);

  const garnishmentId = created.garnishment.uuid;
  const { garnishment } = await client.garnishments.get({ garnishmentId });
  // The client sends its defaults along: times, recurring, the cap and the percentage. None of them may wipe the order.
  const updated = await client.garnishments.update({ garnishmentId, updateGarnishmentRequest: { version: garnishment.version, active: false } });
  assert.equal(updated.garnishment.active, false);
  assert.equal(updated.garnishment.payPeriodMaximum, '300.00');
  assert.equal(updated.garnishment.amount, '40.00');
  assert.equal(updated.garnishment.deductAsPercentage, true);
  assert.equal(updated.garnishment.childSupport.fipsCode, agency.fipsCodes[0].code);
});

test('an order without its identifiers is refused with each of them named', async () => {
  const { client, company } = service;
  const { childSupportData } = await client.garnishments.getChildSupportData({});
  const agency = childSupportData.agencies.find((one) => one.requiredAttributes.length > 0);
  const whole = order(agency);
  const { state, paymentPeriod, fipsCode } = whole.childSupport;
  const refused = await thrown(client.garnishments.create({ employeeId: company.employees[1].uuid,
    garnishmentRequest: { ...whole, childSupport: { state, paymentPeriod, fipsCode } } }));
  assert.equal(refused.httpMeta.response.status, 422);
  for (const { key } of agency.requiredAttributes) assert.ok(refused.httpMeta.body.includes(key), `${key} is named`);
});

test('other garnishments are dollars or a percentage', async () => {
  const { client, company } = service;
  const created = await client.garnishments.create({ employeeId: company.employees[2].uuid, garnishmentRequest: {
    amount: '150.00', description: 'Order 17', courtOrdered: true, garnishmentType: 'creditor_garnishment', times: 5 } });
  assert.equal(created.garnishment.times, 5);
  assert.equal(created.garnishment.amount, '150.00');
});
