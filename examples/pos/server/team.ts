// Who works at a restaurant: hiring, the employee's own pages, and the owner's word at the end.
import { RFCDate } from '@gusto/embedded-api/types/rfcdate.js';
import { clientOf } from './client';
import { secret, type Restaurant } from './restaurants';

export interface Hire {
  firstName: string;
  lastName: string;
  email: string;
  title: string;
  rate: string;
  startDate: string;
}

/** Whoever has these statuses has entered and signed everything: the owner's word is what is left. */
const WAITING = ['self_onboarding_completed_by_employee', 'self_onboarding_awaiting_admin_review'];

export async function team({ token, companyId, staff }: Restaurant) {
  const { showEmployees } = await clientOf(token).employees.list({ companyId, per: 100 });
  // Whoever is just being hired is not shown before everything is sent.
  return (showEmployees ?? []).filter(({ uuid }) => staff.has(uuid)).map(({ uuid, firstName, lastName, onboardingStatus, jobs }) => ({
    uuid,
    name: `${firstName} ${lastName}`,
    title: jobs?.[0]?.title,
    status: onboardingStatus,
    waiting: WAITING.includes(onboardingStatus ?? ''),
    address: `/staff/${staff.get(uuid)}`,
  }));
}

export async function hire({ token, companyId, locationId, staff }: Restaurant, form: Hire): Promise<void> {
  const client = clientOf(token);
  const { firstName, lastName, email } = form;
  const { employee } = await client.employees.create({ companyId, requestBody: { firstName, lastName, email, selfOnboarding: true } });
  const employeeId = employee!.uuid;
  await client.employeeAddresses.createWorkAddress({
    employeeId, requestBody: { locationUuid: locationId, effectiveDate: new RFCDate(form.startDate) },
  });
  const { job } = await client.jobsAndCompensations.createJob({
    employeeId, jobsCreateRequestBody: { title: form.title, hireDate: form.startDate },
  });
  const compensationId = job!.currentCompensationUuid!;
  const { compensation } = await client.jobsAndCompensations.getCompensation({ compensationId });
  await client.jobsAndCompensations.updateCompensation({
    compensationId,
    compensationsUpdateRequestBody: { version: compensation!.version!, rate: form.rate, paymentUnit: 'Hour', flsaStatus: 'Nonexempt' },
  });
  await client.employees.updateOnboardingStatus({ employeeId, requestBody: { onboardingStatus: 'self_onboarding_invited' } });
  staff.set(employeeId, secret());
}

/** The owner has looked at it: the state is to be told of the new hire, and the employee can be paid. */
export async function approve({ token }: Restaurant, employeeId: string): Promise<void> {
  const client = clientOf(token);
  const { employeeStateTaxesList } = await client.employeeTaxSetup.getStateTaxes({ employeeUuid: employeeId });
  const states = employeeStateTaxesList!.filter(({ questions }) => questions?.some(({ key }) => key === 'file_new_hire_report'));
  const answers = [{ value: true, validFrom: '2010-01-01', validUpTo: null }];
  await client.employeeTaxSetup.updateStateTaxes({
    employeeUuid: employeeId,
    employeeStateTaxesRequest: { states: states.map(({ state }) => ({ state: state!, questions: [{ key: 'file_new_hire_report', answers }] })) },
  });
  await client.employees.updateOnboardingStatus({ employeeId, requestBody: { onboardingStatus: 'onboarding_completed' } });
}

/** A link to the hosted pages: to everything that has to be entered, later to pay stubs and time off. */
export async function hostedPages({ token, companyId }: Restaurant, employeeId: string): Promise<string> {
  const client = clientOf(token);
  const { employee } = await client.employees.get({ employeeId });
  const { flow } = await client.flows.create({
    companyUuid: companyId,
    createFlowRequest: {
      flowType: employee!.onboarded ? 'pay_stubs,time_off' : 'employee_self_management',
      entityType: 'Employee', entityUuid: employeeId,
    },
  });
  return flow!.url!;
}
