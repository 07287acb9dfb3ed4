// The records that components are shown with: of the demo company, and what it has not.
import { setTimeout as wait } from 'node:timers/promises';
import { call, hire } from './support.mjs';

export async function records(service) {
  const company = `/v1/companies/${service.company.uuid}`;
  const ask = (method, address, body) => call(service, method, address, body);
  const employees = await ask('GET', `${company}/employees?onboarded_active=true`);
  const [employee, leaver] = employees.filter((one) => one.jobs.length).map((one) => one.uuid);
  const [job] = await ask('GET', `/v1/employees/${employee}/jobs`);
  const forms = await ask('GET', `/v1/employees/${employee}/forms`);
  const [companyForm] = await ask('GET', `${company}/forms`);
  await ask('POST', `/v1/employees/${leaver}/terminations`, { effective_date: '2026-12-31', run_termination_payroll: true });
  const vacation = { name: 'Vacation', policy_type: 'vacation', accrual_method: 'unlimited', complete: true };
  const policy = await ask('POST', `${company}/time_off_policies`, vacation);
  const payroll = service.company.payroll_uuid;
  await ask('PUT', `${company}/payrolls/${payroll}/prepare`, {});
  let holidays;
  const pays = async () => {
    holidays ??= await ask('POST', `${company}/holiday_pay_policy`, {});
    return {};
  };
  return {
    holidays: pays, employee, leaver, job: job.uuid, form: forms[0]?.uuid, companyForm: companyForm.uuid, policy: policy.uuid, payroll,
    schedule: service.company.pay_schedule_uuid, processed: await processed(ask, company, employee), i9: await i9(service, ask),
    ...(await contractors(ask, company)),
  };
}

async function processed(ask, company, employee) {
  const body = { off_cycle: true, off_cycle_reason: 'Bonus', start_date: '2026-06-01', end_date: '2026-06-14', employee_uuids: [employee] };
  const { payroll_uuid: payroll } = await ask('POST', `${company}/payrolls`, body);
  const path = `${company}/payrolls/${payroll}`;
  const [{ version }] = (await ask('PUT', `${path}/prepare`, {})).employee_compensations;
  const bonus = { employee_uuid: employee, version, fixed_compensations: [{ name: 'Bonus', amount: '500.00' }] };
  await ask('PUT', path, { employee_compensations: [bonus] });
  for (const [step, done] of [['calculate', 'calculate_success'], ['submit', 'submit_success']]) {
    await ask('PUT', `${path}/${step}`, {});
    for (let tries = 0; (await ask('GET', path)).processing_request?.status !== done; tries += 1) {
      if (tries === 100) throw new Error(`the payroll did not come to ${done}`);
      await wait(200);
    }
  }
  return payroll;
}

// Somebody who is asked for Form I-9 and has said what the right to work rests on.
async function i9(service, ask) {
  const { uuid, employee } = await hire(service, { i9: true });
  await ask('PUT', `${employee}/i9_authorization`, { authorization_status: 'citizen' });
  const form = (await ask('GET', `${employee}/forms`)).find((one) => one.name === 'US_I-9');
  return { employee: uuid, form: form.uuid };
}

// A person who is paid by the hour, with an account, and a payment to that account and one of before; somebody else who has a Form W-9 to sign.
async function contractors(ask, company) {
  const enter = async (body) => {
    const made = await ask('POST', `${company}/contractors`, { type: 'Individual', start_date: '2026-01-05', ...body });
    const one = `/v1/contractors/${made.uuid}`;
    const { version } = await ask('GET', `${one}/address`);
    await ask('PUT', `${one}/address`, { version, street_1: '7 Mill Lane', city: 'Austin', state: 'TX', zip: '78701' });
    return made.uuid;
  };
  const contractor = await enter({ first_name: 'Lina', last_name: 'Ford', ssn: '412551234', wage_type: 'Hourly', hourly_rate: '65.00' });
  const account = { name: 'Studio', routing_number: '121000374', account_number: '40070051', account_type: 'Checking' };
  await ask('POST', `/v1/contractors/${contractor}/bank_accounts`, account);
  await ask('PUT', `/v1/contractors/${contractor}/onboarding_status`, { onboarding_status: 'onboarding_completed' });
  const { now } = await ask('GET', '/v1/test_helpers/clock');
  const day = (days) => new Date(Date.parse(now) + days * 24 * 3600_000).toISOString().slice(0, 10);
  const ahead = day(14);
  const paid = async (check_date, payment_method) => {
    const body = { check_date, contractor_payments: [{ contractor_uuid: contractor, payment_method, hours: '10', bonus: '25.00' }] };
    const { creation_token } = await ask('POST', `${company}/contractor_payment_groups/preview`, body);
    return (await ask('POST', `${company}/contractor_payment_groups`, { ...body, creation_token })).uuid;
  };
  const group = await paid(ahead, 'Direct Deposit');
  const funded = await paid(ahead, 'Direct Deposit');
  await ask('PUT', `/v1/contractor_payment_groups/${funded}/fund`, {});
  // West of Greenwich today begins later.
  const historical = await paid(day(-1), 'Historical Payment');
  const email = 'omar@people.example';
  const other = await enter({ first_name: 'Omar', last_name: 'Ford', ssn: '412551235', wage_type: 'Fixed', email, self_onboarding: true });
  await ask('PUT', `/v1/contractors/${other}/onboarding_status`, { onboarding_status: 'self_onboarding_invited' });
  const [document] = await ask('GET', `/v1/contractors/${other}/documents`);
  return { contractor, group, funded, historical, invited: { contractor: other, document: document.uuid } };
}
