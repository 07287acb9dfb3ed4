//! The screens of the hosted pages, and which of them a flow shows.

use std::collections::BTreeSet;

use rules::company::setup;
use rules::onboarding;

use crate::flows::texts::Texts;

/// The screens, in the order in which every flow shows those that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Screen {
    /// introduction
    Welcome,

    // Of an employee or contractor.
    /// name, date of birth, Social Security number
    Personal,
    /// home address
    Address,
    /// Form W-4
    Federal,
    /// state tax questions
    State,
    /// check or bank accounts
    Payment,
    /// pay stubs, read-only
    PayStubs,
    /// Forms W-2, and whether they come electronically
    TaxForms,
    /// deductions from pay besides taxes, read-only
    Deductions,
    /// time off balances, read-only
    TimeOff,
    /// section 1 of Form I-9
    I9,
    /// documents to sign
    Documents,

    // Of the employer.
    /// work locations
    Places,
    /// the signatory
    Signatory,
    /// EIN and legal form
    CompanyTaxes,
    /// industry
    Industry,
    /// the account that payroll is paid from
    Bank,
    /// employees
    Employees,
    /// state tax requirements
    CompanyStates,
    /// pay schedule
    Schedule,
    /// forms to sign
    CompanyForms,
    /// the two test deposits
    Verify,

    /// review
    Review,
    /// time off policies with their employees
    Policies,
    /// contractors
    Contractors,
    /// payrolls to run
    Payrolls,
    /// payments of contractors
    ContractorPayments,
    /// nothing left to do
    Done,
}

impl Screen {
    /// The name in the URL. Pages of an employee and of the employer never share a name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Welcome => "welcome",
            Self::Personal => "personal",
            Self::Address => "address",
            Self::Federal | Self::CompanyTaxes => "federal",
            Self::State => "state",
            Self::Payment => "payment",
            Self::PayStubs => "pay_stubs",
            Self::TaxForms => "tax_forms",
            Self::Deductions => "deductions",
            Self::TimeOff => "time_off",
            Self::I9 => "i9",
            Self::Documents | Self::CompanyForms => "documents",
            Self::Places => "addresses",
            Self::Signatory => "signatory",
            Self::Industry => "industry",
            Self::Bank => "bank",
            Self::Employees => "employees",
            Self::CompanyStates => "states",
            Self::Schedule => "schedule",
            Self::Verify => "verify",
            Self::Review => "review",
            Self::Policies => "policies",
            Self::Contractors => "contractors",
            Self::Payrolls => "payrolls",
            Self::ContractorPayments => "contractor_payments",
            Self::Done => "done",
        }
    }

    /// The address.
    pub fn path(self) -> String {
        format!("/flow/{}", self.name())
    }

    /// The title in the list of steps.
    pub fn title(self, texts: &'static Texts) -> &'static str {
        let of_employer = texts.employer;
        match self {
            Self::Welcome => texts.welcome,
            Self::Personal => texts.personal,
            Self::Address => texts.address,
            Self::Federal => texts.federal,
            Self::State => texts.states,
            Self::Payment => texts.payment,
            Self::PayStubs => texts.stubs,
            Self::TaxForms => texts.tax_forms,
            Self::Deductions => texts.deductions,
            Self::TimeOff => texts.time_off,
            Self::I9 => texts.i9,
            Self::Documents => texts.documents,
            Self::Places => of_employer.places,
            Self::Signatory => of_employer.signatory,
            Self::CompanyTaxes => of_employer.taxes,
            Self::Industry => of_employer.industry,
            Self::Bank => of_employer.bank,
            Self::Employees => of_employer.employees,
            Self::CompanyStates => of_employer.states,
            Self::Schedule => of_employer.schedule,
            Self::CompanyForms => of_employer.forms,
            Self::Verify => of_employer.verify,
            Self::Review => texts.review,
            Self::Policies => of_employer.policies,
            Self::Contractors => texts.contractors.contractors,
            Self::Payrolls => of_employer.payrolls,
            Self::ContractorPayments => texts.contractors.payments,
            Self::Done => texts.done,
        }
    }

    /// Whether entries sent after the session has ended are kept for the next one. A signature must be given anew, and
    /// so must an addition to a list.
    /// list.
    pub fn keeps_drafts(self) -> bool {
        use Screen::{
            Address, CompanyStates, CompanyTaxes, Federal, I9, Industry, Payment, Personal, Schedule,
            Signatory, State,
        };
        matches!(
            self,
            Personal
                | Address
                | Federal
                | State
                | Payment
                | I9
                | Signatory
                | CompanyTaxes
                | Industry
                | CompanyStates
                | Schedule
        )
    }

    /// The step of an employee's onboarding that it completes. I-9 has none of its own: it is among the documents to
    /// sign.
    pub fn onboarding_step(self) -> Option<onboarding::Step> {
        use onboarding::Step;
        match self {
            Self::Personal => Some(Step::PersonalDetails),
            Self::Address => Some(Step::AddHomeAddress),
            Self::Federal => Some(Step::FederalTaxSetup),
            Self::State => Some(Step::StateTaxSetup),
            Self::Payment => Some(Step::DirectDepositSetup),
            Self::Documents => Some(Step::EmployeeFormSigning),
            _ => None,
        }
    }

    /// The step of a company's onboarding that it completes. The signatory has none of its own: nobody else signs the
    /// forms.
    pub fn company_step(self) -> Option<setup::Step> {
        use setup::Step;
        match self {
            Self::Places => Some(Step::AddAddresses),
            Self::CompanyTaxes => Some(Step::FederalTaxSetup),
            Self::Industry => Some(Step::SelectIndustry),
            Self::Bank => Some(Step::AddBankInfo),
            Self::Employees => Some(Step::AddEmployees),
            Self::CompanyStates => Some(Step::StateSetup),
            Self::Schedule => Some(Step::PayrollSchedule),
            Self::CompanyForms => Some(Step::SignAllForms),
            Self::Verify => Some(Step::VerifyBankInfo),
            _ => None,
        }
    }

    /// Whether it has entries that the review shows.
    pub const fn has_entries(self) -> bool {
        !matches!(self, Self::Welcome | Self::Review | Self::Done) && !self.is_managed() && !self.is_read()
    }

    /// Whether it is a screen for recurring work, which is never finished.
    pub const fn is_managed(self) -> bool {
        matches!(self, Self::Policies | Self::Contractors) || self.has_pages()
    }

    /// Whether it is a list whose records have pages of their own, and which needs no end.
    pub const fn has_pages(self) -> bool {
        matches!(self, Self::Payrolls | Self::ContractorPayments)
    }

    /// Whether it is a read-only screen of the employee.
    pub const fn is_read(self) -> bool {
        matches!(self, Self::PayStubs | Self::TaxForms | Self::Deductions | Self::TimeOff)
    }
}

/// The screens of a flow type.
fn of_type(flow_type: &str) -> &'static [Screen] {
    use Screen::{
        Address, Bank, CompanyForms, CompanyStates, CompanyTaxes, ContractorPayments, Contractors,
        Deductions, Documents, Employees, Federal, I9, Industry, PayStubs, Payment, Payrolls, Personal,
        Places, Policies, Schedule, Signatory, State, TaxForms, TimeOff, Verify,
    };
    match flow_type {
        "employee_self_management" => &[Personal, Address, Federal, State, Payment, I9, Documents],
        "contractor_self_management" => &[Personal, Address, Payment, Documents],
        "employee_form_signing" => &[I9, Documents],
        "employee_federal_setup" => &[Federal],
        "employee_state_setup" => &[State],
        "deductions" => &[Deductions],
        "time_off" => &[TimeOff],
        "pay_stubs" => &[PayStubs],
        "tax_forms" => &[TaxForms],
        "company_onboarding" => &[
            Places,
            Signatory,
            CompanyTaxes,
            Industry,
            Bank,
            Employees,
            CompanyStates,
            Schedule,
            CompanyForms,
            Verify,
        ],
        "add_addresses" => &[Places],
        "federal_tax_setup" => &[CompanyTaxes],
        "select_industry" => &[Industry],
        "add_bank_info" => &[Bank],
        "add_employees" => &[Employees],
        "state_setup" => &[CompanyStates],
        // The same page serves to enter data first and to change it later.
        "payroll_schedule" | "manage_pay_schedules" => &[Schedule],
        "sign_all_forms" => &[Signatory, CompanyForms],
        "company_forms" => &[CompanyForms],
        "verify_bank_info" => &[Verify],
        "time_off_management" => &[Policies],
        "run_payroll" => &[Payrolls],
        "add_contractors" => &[Contractors],
        "contractor_payments" => &[ContractorPayments],
        _ => &[],
    }
}

/// The screens that a flow shows, each once, however its types are combined; `i9` if the employer requires that form.
/// Without entries there is no review, and management screens have no introduction. Payrolls and payments of contractors have no end, either.
pub fn screens_of_flow(flow_types: &str, i9: bool) -> Vec<Screen> {
    let mut shown: BTreeSet<Screen> = flow_types.split(',').flat_map(of_type).copied().collect();
    if !i9 {
        shown.remove(&Screen::I9);
    }
    if shown.iter().any(|screen| screen.has_entries()) {
        shown.insert(Screen::Review);
    }
    if shown.iter().any(|screen| !screen.is_managed()) {
        shown.insert(Screen::Welcome);
    }
    if shown.iter().any(|screen| !screen.has_pages()) {
        shown.insert(Screen::Done);
    }
    shown.into_iter().collect()
}

/// Whether a flow includes the whole onboarding of a company, which can be finished at its end.
pub fn is_whole_onboarding(flow_types: &str) -> bool {
    flow_types.split(',').any(|one| one == "company_onboarding")
}

#[cfg(test)]
mod tests {
    use domain::people::flows::types::FlowEntityKind;
    use rules::Named;

    use super::*;

    #[test]
    fn every_flow_type_that_a_link_can_name_shows_something() {
        for kind in FlowEntityKind::ALL {
            for flow_type in kind.flow_types() {
                assert!(!of_type(flow_type).is_empty(), "{flow_type}");
            }
        }
    }

    #[test]
    fn no_flow_has_two_screens_of_one_name() {
        for kind in FlowEntityKind::ALL {
            let mut names: Vec<_> =
                screens_of_flow(&kind.flow_types().join(","), true).into_iter().map(Screen::name).collect();
            names.sort_unstable();
            let all = names.len();
            names.dedup();
            assert_eq!(names.len(), all, "{kind:?}");
        }
    }

    #[test]
    fn payrolls_alone_need_neither_a_welcome_nor_a_review() {
        assert_eq!(screens_of_flow("run_payroll", false), [Screen::Payrolls]);
        assert_eq!(screens_of_flow("contractor_payments", false), [Screen::ContractorPayments]);
        assert_eq!(screens_of_flow("time_off_management", false), [Screen::Policies, Screen::Done]);
        assert_eq!(screens_of_flow("add_contractors", false), [Screen::Contractors, Screen::Done]);
        assert_eq!(
            screens_of_flow("run_payroll,select_industry", false),
            [Screen::Welcome, Screen::Industry, Screen::Review, Screen::Payrolls, Screen::Done]
        );
    }
}
