//! Onboarding steps of a company.
//!
//! A step is complete when its data exist; the time of completion is reported with it.

use strum::{EnumString, IntoStaticStr, VariantArray};

/// An onboarding step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum Step {
    /// A mailing address and a filing address.
    #[strum(serialize = "add_addresses")]
    AddAddresses,
    /// Legal name, legal form and EIN.
    #[strum(serialize = "federal_tax_setup")]
    FederalTaxSetup,
    /// The industry.
    #[strum(serialize = "select_industry")]
    SelectIndustry,
    /// Bank account that payroll is debited from.
    #[strum(serialize = "add_bank_info")]
    AddBankInfo,
    /// At least one employee.
    #[strum(serialize = "add_employees")]
    AddEmployees,
    /// State tax requirements.
    #[strum(serialize = "state_setup")]
    StateSetup,
    /// Pay schedule.
    #[strum(serialize = "payroll_schedule")]
    PayrollSchedule,
    /// Forms signed by the signatory.
    #[strum(serialize = "sign_all_forms")]
    SignAllForms,
    /// Bank account verification.
    #[strum(serialize = "verify_bank_info")]
    VerifyBankInfo,
    /// Payrolls run elsewhere earlier in the year; only on request.
    #[strum(serialize = "external_payroll")]
    ExternalPayroll,
}

impl Step {
    /// The steps of every company, in order. [`Self::ExternalPayroll`] is added on request.
    pub const STANDARD: [Self; 9] = [
        Self::AddAddresses,
        Self::FederalTaxSetup,
        Self::SelectIndustry,
        Self::AddBankInfo,
        Self::AddEmployees,
        Self::StateSetup,
        Self::PayrollSchedule,
        Self::SignAllForms,
        Self::VerifyBankInfo,
    ];

    /// Returns the display title.
    pub fn title(self) -> &'static str {
        match self {
            Self::AddAddresses => "Company addresses",
            Self::FederalTaxSetup => "Federal tax details",
            Self::SelectIndustry => "Industry",
            Self::AddBankInfo => "Bank account",
            Self::AddEmployees => "Employees",
            Self::StateSetup => "State tax details",
            Self::PayrollSchedule => "Pay schedule",
            Self::SignAllForms => "Documents to sign",
            Self::VerifyBankInfo => "Bank account verification",
            Self::ExternalPayroll => "Payrolls from earlier this year",
        }
    }

    /// Returns the steps it depends on.
    pub fn requirements(self) -> &'static [Self] {
        match self {
            Self::AddAddresses
            | Self::FederalTaxSetup
            | Self::SelectIndustry
            | Self::AddBankInfo
            | Self::PayrollSchedule => &[],
            Self::AddEmployees => &[Self::AddAddresses],
            Self::StateSetup => &[Self::AddAddresses, Self::AddEmployees],
            Self::SignAllForms => &[Self::FederalTaxSetup, Self::AddBankInfo],
            Self::VerifyBankInfo => &[Self::AddBankInfo],
            Self::ExternalPayroll => &[Self::AddEmployees],
        }
    }

    /// Whether the step is required to run payroll. Contractor-only companies need no employees, state
    /// registrations or pay schedule.
    pub fn is_required(self, contractor_only: bool) -> bool {
        match self {
            Self::AddEmployees | Self::StateSetup | Self::PayrollSchedule => !contractor_only,
            Self::ExternalPayroll => false,
            _ => true,
        }
    }
}

/// Returns the required steps for which `complete` is false.
pub fn open_steps(contractor_only: bool, complete: impl Fn(Step) -> bool) -> Vec<Step> {
    Step::STANDARD.into_iter().filter(|step| step.is_required(contractor_only) && !complete(*step)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Named;

    #[test]
    fn a_step_comes_after_those_that_it_requires() {
        for (place, step) in Step::STANDARD.into_iter().enumerate() {
            assert!(
                step.requirements().iter().all(|earlier| Step::STANDARD[..place].contains(earlier)),
                "{step:?}"
            );
        }
        assert!(!Step::STANDARD.contains(&Step::ExternalPayroll));
    }

    #[test]
    fn a_company_is_ready_when_every_required_step_is_complete() {
        assert!(open_steps(false, |_| true).is_empty());
        assert_eq!(open_steps(false, |_| false), Step::STANDARD);
        assert_eq!(open_steps(false, |step| step != Step::VerifyBankInfo), [Step::VerifyBankInfo]);
    }

    #[test]
    fn a_company_that_pays_contractors_alone_needs_neither_employees_nor_schedule() {
        let people = [Step::AddEmployees, Step::StateSetup, Step::PayrollSchedule];
        assert!(open_steps(true, |step| !people.contains(&step)).is_empty());
        assert_eq!(open_steps(false, |step| !people.contains(&step)), people);
    }

    #[test]
    fn every_step_has_a_name_of_its_own() {
        let mut ids: Vec<_> =
            Step::STANDARD.iter().chain([&Step::ExternalPayroll]).map(|step| step.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 10);
    }
}
