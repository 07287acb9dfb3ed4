// Reads a payroll with the types that were generated: what they do not know does not compile.
import type { components, paths } from './service.d.ts';

type Payroll = components['schemas']['Payroll'];
type Address = '/v1/companies/{company_id}/payrolls/{payroll_id}';
type Answer = paths[Address]['get']['responses'][200]['content']['application/json'];

export async function readPayroll(base: string, token: string, company: string, payroll: string) {
  const query = new URLSearchParams({ include: 'totals,taxes,benefits,deductions' });
  const response = await fetch(`${base}/v1/companies/${company}/payrolls/${payroll}?${query}`, {
    headers: { Authorization: `Bearer ${token}`, 'X-Service-API-Version': '2026-06-15' },
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const read: Payroll = (await response.json()) as Answer;
  let hours = 0;
  for (const employee of read.employee_compensations ?? []) {
    for (const line of employee.hourly_compensations ?? []) hours += Number(line.hours);
    if (employee.employee_uuid.length !== 36) throw new Error('an employee is named by a UUID');
  }
  const { totals } = read;
  return { employees: read.employee_compensations?.length ?? 0, hours, gross: Number(totals?.gross_pay) };
}
