// The components of the newest release, with what each needs beside the company, an employee and a contractor. A function
// gets the records that the tests have made.
import { plain } from '../react/components.mjs';

export const GROUPS = [
  'CompanyOnboarding', 'ContractorManagement', 'ContractorOnboarding', 'EmployeeManagement', 'EmployeeOnboarding', 'InformationRequests', 'Payroll',
  'TimeOff',
];

const job = ({ job }) => ({ jobId: job });
const state = () => ({ state: 'NY' });
const companyForm = ({ companyForm }) => ({ formId: companyForm });
const employeeForm = ({ form }) => ({ formId: form });
const payroll = ({ payroll }) => ({ payrollId: payroll });
const processed = ({ processed }) => ({ payrollId: processed });
const leaver = ({ leaver }) => ({ employeeId: leaver });
const vacation = ({ policy }) => ({ policyId: policy, policyType: 'vacation' });
const ofGroup = ({ group }) => ({ paymentId: group, paymentGroupId: group });
const ofPayment = ({ funded, contractor }) => ({ paymentGroupId: funded, contractorUuid: contractor });
const historical = ({ historical }) => ({ paymentGroupId: historical, features: 'historicalPayments' });
const invited = ({ invited }) => ({ contractorId: invited.contractor, documentUuid: invited.document, documentId: invited.document });
// The company has no policy of holiday pay before these.
const holidays = ({ holidays }) => holidays();
const transition = ({ schedule }) => ({ startDate: '2026-06-01', endDate: '2026-06-14', payScheduleUuid: schedule });

export const COMPONENTS = Object.fromEntries([
  ...plain('CompanyOnboarding', 'AssignSignatory BankAccount CreateSignatory DocumentList DocumentSigner FederalTaxes Industry'),
  ...plain('CompanyOnboarding', 'InviteSignatory LocationForm Locations LocationsList OnboardingFlow OnboardingOverview PaySchedule'),
  ['CompanyOnboarding.SignatureForm', companyForm],
  ...plain('CompanyOnboarding', 'StateTaxes StateTaxesList'),
  ['CompanyOnboarding.StateTaxesForm', state],
  ['CompanyOnboarding.TaxRateManagement', state],
  ...plain('ContractorManagement', 'Address AddressCard AddressEditForm Compensation CompensationCard CompensationEditForm ContractorList'),
  ...plain('ContractorManagement', 'ContractorListFlow CreatePayment CreatePaymentFlow Dashboard DashboardFlow DocumentsCard'),
  ['ContractorManagement.CreateHistoricalPayment', historical],
  ['ContractorManagement.HistoricalPaymentFlow', historical],
  ['ContractorManagement.HistoricalPaymentSummary', historical],
  ...plain('ContractorManagement', 'PaymentFlow'),
  ['ContractorManagement.PaymentHistory', ofGroup],
  ...plain('ContractorManagement', 'PaymentMethod PaymentMethodCard PaymentMethodEditForm'),
  ['ContractorManagement.PaymentStatement', ofPayment],
  ['ContractorManagement.PaymentSummary', ofGroup],
  ...plain('ContractorManagement', 'PaymentsList Profile ProfileCard ProfileEditForm'),
  ['ContractorManagement.ViewPaymentFlow', ofGroup],
  ...plain('ContractorOnboarding', 'Address ContractorList ContractorProfile ContractorSubmit'),
  ['ContractorOnboarding.DocumentSigner', invited],
  ['ContractorOnboarding.DocumentsList', invited],
  ['ContractorOnboarding.Landing', invited],
  ...plain('ContractorOnboarding', 'NewHireReport OnboardingFlow OnboardingSummary PaymentMethod'),
  ['ContractorOnboarding.SelfOnboardingFlow', invited],
  ['ContractorOnboarding.SignatureForm', invited],
  ...plain('EmployeeManagement', 'Compensation CompensationAddAnotherJobForm CompensationAddJobForm CompensationCard'),
  ['EmployeeManagement.CompensationEditForm', job],
  ...plain('EmployeeManagement', 'Dashboard DashboardFlow Deductions DeductionsCard DeductionsEditForm'),
  ['EmployeeManagement.DocumentManager', employeeForm],
  ...plain('EmployeeManagement', 'Documents DocumentsCard EmployeeList EmployeeListFlow FederalTaxes FederalTaxesCard'),
  ...plain('EmployeeManagement', 'FederalTaxesEditForm HomeAddress HomeAddressCard HomeAddressEditForm PaymentMethod'),
  ...plain('EmployeeManagement', 'PaymentMethodBankForm PaymentMethodCard PaymentMethodSplitForm PaystubsCard Profile ProfileCard'),
  ...plain('EmployeeManagement', 'ProfileEditForm StateTaxes StateTaxesCard StateTaxesEditForm TerminateEmployee TerminationFlow'),
  ['EmployeeManagement.TerminationSummary', leaver],
  ...plain('EmployeeManagement', 'WorkAddress WorkAddressCard WorkAddressEditForm'),
  ['EmployeeOnboarding.Compensation', () => ({ startDate: '2026-01-05' })],
  ...plain('EmployeeOnboarding', 'Deductions DocumentList DocumentSigner'),
  ['EmployeeOnboarding.EditCompensation', () => ({ startDate: '2026-01-05', title: 'Compensation', submitCtaLabel: 'Save' })],
  ...plain('EmployeeOnboarding', 'EmployeeDocuments EmployeeList FederalTaxes'),
  ['EmployeeOnboarding.EmploymentEligibility', ({ i9 }) => ({ employeeId: i9.employee })],
  ['EmployeeOnboarding.I9SignatureForm', ({ i9 }) => ({ employeeId: i9.employee, formId: i9.form })],
  ...plain('EmployeeOnboarding', 'JobsList Landing OnboardingExecutionFlow OnboardingFlow OnboardingSummary PaymentMethod Profile'),
  ...plain('EmployeeOnboarding', 'SelfOnboardingFlow'),
  ['EmployeeOnboarding.SignatureForm', employeeForm],
  ...plain('EmployeeOnboarding', 'StateTaxes'),
  ...plain('InformationRequests', 'InformationRequestList InformationRequestsFlow'),
  ['Payroll.ConfirmWireDetails', {}],
  ['Payroll.DismissalFlow', leaver],
  ['Payroll.DismissalPayPeriodSelection', leaver],
  ...plain('Payroll', 'OffCycleCreation OffCycleFlow OffCycleReasonSelection PayrollBlockerList PayrollFlow PayrollHistory'),
  ['Payroll.OffCycleDeductionsSetting', () => ({ skipRegularDeductions: true })],
  ['Payroll.PayrollConfiguration', payroll],
  ['Payroll.PayrollEditEmployee', payroll],
  ['Payroll.PayrollExecutionFlow', payroll],
  ...plain('Payroll', 'PayrollLanding PayrollList RecoveryCases'),
  ['Payroll.PayrollOverview', processed],
  ['Payroll.PayrollReceipts', processed],
  ['Payroll.PrintChecks', processed],
  ['Payroll.TransitionCreation', transition],
  ['Payroll.TransitionFlow', transition],
  ['Payroll.TransitionPayroll', transition],
  ['TimeOff.AddEmployeesHoliday', holidays],
  ['TimeOff.AddEmployeesToPolicy', vacation],
  ['TimeOff.HolidaySelectionForm', {}],
  ['TimeOff.PolicyConfigurationForm', () => ({ policyType: 'vacation' })],
  ...plain('TimeOff', 'PolicyList PolicyTypeSelector TimeOffFlow'),
  ['TimeOff.PolicySettings', vacation],
  ['TimeOff.TimeOffPolicyDetail', vacation],
  ['TimeOff.ViewHolidayEmployees', holidays],
  ['TimeOff.ViewHolidayPolicyDetails', holidays],
  ['TimeOff.ViewHolidaySchedule', holidays],
]);

// What is exported and takes no ids: it shows what it is given, or answers a question that the service does not ask.
export const ABSENT = {
  'InformationRequests.InformationRequestForm': 'the service asks no further questions of a company',
  'TimeOff.PolicySettingsPresentation': 'it calls nothing',
  'TimeOff.TimeOffPolicyDetailPresentation': 'it calls nothing',
};

// In `./test --all`: one of each group. All of them in `./test --long`.
export const SHORT = [
  'CompanyOnboarding.OnboardingOverview', 'EmployeeManagement.Dashboard', 'EmployeeOnboarding.Profile',
  'ContractorManagement.PaymentSummary', 'ContractorOnboarding.DocumentSigner', 'InformationRequests.InformationRequestsFlow',
  'Payroll.PayrollConfiguration', 'TimeOff.TimeOffFlow',
];
