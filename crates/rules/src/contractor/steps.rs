//! Steps of a contractor's onboarding, derived from records.

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::Status;
use crate::Named;

/// One step of onboarding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Step {
    /// Name and Social Security number, or business name and employer identification number.
    #[strum(serialize = "basic_details")]
    BasicDetails,
    /// The address.
    #[strum(serialize = "add_address")]
    AddAddress,
    /// Wage type and rate.
    #[strum(serialize = "compensation_details")]
    CompensationDetails,
    /// Direct deposit or check; optional.
    #[strum(serialize = "payment_details")]
    PaymentDetails,
    /// Forms that need the contractor's signature: Form W-9.
    #[strum(serialize = "sign_documents")]
    SignDocuments,
    /// The report of a new hire to the state, for individuals.
    #[strum(serialize = "file_new_hire_report")]
    FileNewHireReport,
}

impl Step {
    /// Steps completed by the contractor in self-onboarding.
    const OF_CONTRACTOR: [Self; 3] = [Self::BasicDetails, Self::AddAddress, Self::SignDocuments];

    /// Returns the display title.
    pub fn title(self) -> &'static str {
        match self {
            Self::BasicDetails => "Basic details",
            Self::AddAddress => "Add address",
            Self::CompensationDetails => "Enter compensation details",
            Self::PaymentDetails => "Payment details",
            Self::SignDocuments => "Sign documents",
            Self::FileNewHireReport => "File new hire report",
        }
    }

    /// Returns the steps it depends on.
    pub fn requirements(self) -> &'static [Self] {
        match self {
            Self::BasicDetails | Self::CompensationDetails | Self::PaymentDetails => &[],
            Self::AddAddress | Self::FileNewHireReport => &[Self::BasicDetails],
            Self::SignDocuments => &[Self::BasicDetails, Self::AddAddress],
        }
    }
}

/// Facts about a contractor.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Is a person, not a business.
    pub individual: bool,
    /// Has a name and the taxpayer identification number of the kind that belongs to it.
    pub basic_details: bool,
    /// Has an address.
    pub address: bool,
    /// Has a wage type, and a rate if it needs one.
    pub compensation: bool,
    /// Direct deposit or check was chosen.
    pub payment_method: bool,
    /// Every form that needs the contractor's signature is signed, and there is one.
    pub signed: bool,
    /// The employer wants the state to be told of a new hire.
    pub to_report: bool,
    /// What that report needs is there.
    pub reportable: bool,
}

impl Facts {
    /// Whether a step is complete by the data.
    pub fn is_complete(&self, step: Step) -> bool {
        match step {
            Step::BasicDetails => self.basic_details,
            Step::AddAddress => self.address,
            Step::CompensationDetails => self.compensation,
            Step::PaymentDetails => self.payment_method,
            Step::SignDocuments => self.signed,
            Step::FileNewHireReport => !self.to_report || self.reportable,
        }
    }

    /// Whether the contractor's own steps are complete.
    pub fn contractor_is_done(&self) -> bool {
        Step::OF_CONTRACTOR.into_iter().all(|step| self.is_complete(step))
    }

    fn is_required(&self, step: Step, status: Status) -> bool {
        match step {
            Step::BasicDetails | Step::AddAddress | Step::CompensationDetails => true,
            Step::PaymentDetails => false,
            Step::SignDocuments => status.is_self_onboarding(),
            Step::FileNewHireReport => self.to_report,
        }
    }

    /// Returns the required steps that are not complete.
    pub fn open_steps(&self, status: Status) -> Vec<Step> {
        let open = |step: &Step| self.is_required(*step, status) && !self.is_complete(*step);
        Step::ALL.iter().copied().filter(open).collect()
    }
}

/// A step of a contractor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepState {
    /// Step.
    pub step: Step,
    /// Whether onboarding requires the step.
    pub required: bool,
    /// Whether the step is complete.
    pub completed: bool,
}

/// Returns the steps of a contractor; the report of a new hire is a step of individuals only.
pub fn contractor_steps(status: Status, facts: &Facts) -> Vec<StepState> {
    let shown = Step::ALL.iter().copied().filter(|step| *step != Step::FileNewHireReport || facts.individual);
    shown
        .map(|step| StepState {
            step,
            required: facts.is_required(step, status),
            completed: facts.is_complete(step),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_business_is_not_reported_as_a_new_hire() {
        let listed = |individual| {
            let facts = Facts { individual, ..Facts::default() };
            contractor_steps(Status::AdminOnboardingIncomplete, &facts)
                .iter()
                .map(|one| one.step.as_str())
                .collect::<Vec<_>>()
        };
        let business =
            ["basic_details", "add_address", "compensation_details", "payment_details", "sign_documents"];
        assert_eq!(listed(false), business);
        assert_eq!(listed(true), [&business[..], &["file_new_hire_report"]].concat());
    }

    #[test]
    fn the_signature_is_required_of_those_who_enter_their_own_data() {
        let required = |status| {
            let listed = contractor_steps(status, &Facts::default());
            listed.iter().any(|one| one.step == Step::SignDocuments && one.required)
        };
        for &status in Status::ALL {
            assert_eq!(required(status), status.as_str().starts_with("self_onboarding_"), "{status:?}");
        }
    }

    #[test]
    fn a_report_is_a_required_step_only_where_the_employer_wants_it() {
        let open = |to_report, reportable| {
            let facts = Facts {
                individual: true,
                basic_details: true,
                address: true,
                compensation: true,
                to_report,
                reportable,
                ..Facts::default()
            };
            facts.open_steps(Status::AdminOnboardingIncomplete)
        };
        assert_eq!([open(false, false), open(true, true)], [[], []]);
        assert_eq!(open(true, false), [Step::FileNewHireReport]);
    }
}
