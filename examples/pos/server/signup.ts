// A restaurant signs up for payroll: what the point of sale knows of it already is sent, what is left is asked for on the
// page (web/setup.tsx).
import { RFCDate } from '@gusto/embedded-api/types/rfcdate.js';
import { application, asApplication, clientOf, companyToken } from './client';
import { nowOfService } from './clock';
import { add, secret, type Restaurant } from './restaurants';

export interface SignUp {
  restaurant: string;
  ein: string;
  street: string;
  city: string;
  state: string;
  zip: string;
  phone: string;
  firstName: string;
  lastName: string;
  email: string;
}

const DAY_MS = 86_400_000;
const dated = (time: number) => new RFCDate(new Date(time).toISOString().slice(0, 10));

/** Two weeks that ended last Sunday, paid on the Friday after: the first payroll can be run at once. */
function firstPeriod(now: number) {
  const sunday = now - new Date(now).getUTCDay() * DAY_MS;
  return { anchorEndOfPayPeriod: dated(sunday), anchorPayDate: dated(sunday + 5 * DAY_MS) };
}

export async function signUp(form: SignUp, ipAddress: string): Promise<Restaurant> {
  const { firstName, lastName, email } = form;
  const { partnerManagedCompany: made } = await application.companies.createPartnerManaged(await asApplication(), {
    partnerManagedCompanyCreateRequest: { user: { firstName, lastName, email }, company: { name: form.restaurant } },
  });
  const companyId = made!.companyUuid!;
  const token = companyToken(made!);
  const client = clientOf(token);
  await client.companies.acceptTermsOfService({
    companyUuid: companyId,
    partnerManagedCompanyAcceptTermsOfServiceRequest: { email, ipAddress, externalUserId: email },
  });
  const { location } = await client.locations.create({
    companyId,
    companyLocationRequest: {
      street1: form.street, city: form.city, state: form.state, zip: form.zip, phoneNumber: form.phone,
      mailingAddress: true, filingAddress: true,
    },
  });
  const { federalTaxDetails } = await client.federalTaxDetails.get({ companyId });
  await client.federalTaxDetails.update({
    companyId,
    federalTaxDetailsUpdate: {
      version: federalTaxDetails!.version!, legalName: form.restaurant, ein: form.ein, taxPayerType: 'LLC', filingForm: '941', taxableAsScorp: false,
    },
  });
  await client.industrySelection.update({
    companyId,
    companyIndustrySelectionRequiredBody: { naicsCode: '722511', sicCodes: ['5812'], title: 'Full-service restaurants' },
  });
  await client.paySchedules.create({
    companyId,
    payScheduleCreateRequest: { frequency: 'Every other week', ...firstPeriod(await nowOfService()) },
  });
  return add({ name: form.restaurant, email, companyId, locationId: location!.uuid, token, session: secret(), staff: new Map() });
}
