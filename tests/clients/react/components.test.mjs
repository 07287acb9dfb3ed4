// Every component of release 0.26.0, unmodified, in a browser.
import { everyComponent, plain } from './components.mjs';
import { world } from './support.mjs';

const payroll = ({ payroll }) => ({ payrollId: payroll });
const processed = ({ processed }) => ({ payrollId: processed });

everyComponent(world(new URL('any.jsx', import.meta.url)), {
  groups: ['Company', 'Contractor', 'Employee', 'InformationRequests', 'Payroll'],
  components: Object.fromEntries([
    ...plain('Company', 'AssignSignatory BankAccount CreateSignatory DocumentList DocumentSigner FederalTaxes Industry'),
    ...plain('Company', 'InviteSignatory Locations OnboardingFlow OnboardingOverview PaySchedule StateTaxes'),
    ['Company.SignatureForm', ({ companyForm }) => ({ formId: companyForm })],
    ...plain('Contractor', 'Address ContractorList ContractorProfile ContractorSubmit NewHireReport OnboardingFlow PaymentFlow PaymentMethod'),
    ['Employee.Compensation', () => ({ startDate: '2026-01-05' })],
    ...plain('Employee', 'Deductions DocumentSigner EmployeeList FederalTaxes Landing OnboardingFlow OnboardingSummary'),
    ...plain('Employee', 'PaymentMethod Profile SelfOnboardingFlow StateTaxes Taxes'),
    ...plain('InformationRequests', 'InformationRequestList InformationRequestsFlow'),
    ...plain('Payroll', 'ConfirmWireDetails PayrollBlockerList PayrollFlow PayrollHistory PayrollLanding PayrollList RecoveryCases'),
    ['Payroll.PayrollConfiguration', payroll],
    ['Payroll.PayrollEditEmployee', payroll],
    ['Payroll.PayrollOverview', processed],
    ['Payroll.PayrollReceipts', processed],
  ]),
  absent: { 'InformationRequests.InformationRequestForm': 'the service asks no further questions of a company' },
  short: ['Company.OnboardingOverview', 'Contractor.PaymentFlow', 'Payroll.PayrollConfiguration'],
});
