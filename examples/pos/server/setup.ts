// How far a restaurant is with what the law asks before its first payroll, and the acts of others that `stipend dev` lets
// anybody play: the bank's test deposits and the operator's approval. Elsewhere those two addresses answer 404.
import { clientOf } from './client';
import { config } from './config';
import type { Restaurant } from './restaurants';

export async function setup({ token, companyId, email }: Restaurant) {
  const client = clientOf(token);
  const { companyOnboardingStatus } = await client.companies.getOnboardingStatus({ companyUuid: companyId });
  const { company } = await client.companies.get({ companyId });
  const { signatories } = await client.signatories.list({ companyUuid: companyId });
  return {
    // Only the signatory may sign; the owner is it if the e-mail addresses are the same.
    signatoryId: signatories!.find((one) => one.email === email)?.uuid,
    approved: company!.companyStatus === 'Approved',
    steps: companyOnboardingStatus!.onboardingSteps!.map(({ id, title, completed }) => ({ id, title, completed })),
  };
}

export async function finish(restaurant: Restaurant): Promise<void> {
  const { token, companyId } = restaurant;
  await clientOf(token).companies.finishOnboarding({ companyUuid: companyId });
  await played(restaurant, 'PUT', 'approve');
}

/** The two amounts that would be on the statement of the restaurant's bank account. */
export async function testDeposits(restaurant: Restaurant): Promise<unknown> {
  const { token, companyId } = restaurant;
  const { companyBankAccounts } = await clientOf(token).bankAccounts.get({ companyId });
  const [account] = companyBankAccounts ?? [];
  return played(restaurant, 'POST', `bank_accounts/${account?.uuid}/send_test_deposits`);
}

// No published client has these operations.
async function played({ token, companyId }: Restaurant, method: string, path: string): Promise<unknown> {
  const response = await fetch(`${config.base}/v1/companies/${companyId}/${path}`, {
    method, headers: { Authorization: `Bearer ${await token.current()}` },
  });
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}`);
  return response.json();
}
