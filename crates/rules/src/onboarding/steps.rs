//! Onboarding steps, derived from records and the partner's marks.

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::Status;
use crate::Named;
use std::fmt;

/// One step of onboarding (specification, Onboarding status record).
///
/// The discriminant is the bit in a stored [`StepSet`] and never changes; a new step takes the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum Step {
    /// Name, e-mail, date of birth and Social Security number.
    #[strum(serialize = "personal_details")]
    PersonalDetails = 0,
    /// A job with pay terms.
    #[strum(serialize = "compensation_details")]
    CompensationDetails = 1,
    /// Work address.
    #[strum(serialize = "add_work_address")]
    AddWorkAddress = 2,
    /// Home address.
    #[strum(serialize = "add_home_address")]
    AddHomeAddress = 3,
    /// Federal withholding (Form W-4).
    #[strum(serialize = "federal_tax_setup")]
    FederalTaxSetup = 4,
    /// Tax questions of the work and home states.
    #[strum(serialize = "state_tax_setup")]
    StateTaxSetup = 5,
    /// Bank account for direct deposit; optional.
    #[strum(serialize = "direct_deposit_setup")]
    DirectDepositSetup = 6,
    /// Forms that need the employee's signature.
    #[strum(serialize = "employee_form_signing")]
    EmployeeFormSigning = 7,
    /// The employer's decision on new hire reporting (42 U.S.C. 653a).
    #[strum(serialize = "file_new_hire_report")]
    FileNewHireReport = 8,
    /// The employer's review of the data entered by the employee.
    #[strum(serialize = "admin_review")]
    AdminReview = 9,
}

impl Step {
    /// Steps completed by the employee.
    const OF_EMPLOYEE: [Self; 5] = [
        Self::PersonalDetails,
        Self::AddHomeAddress,
        Self::FederalTaxSetup,
        Self::StateTaxSetup,
        Self::EmployeeFormSigning,
    ];

    /// Returns the display title.
    pub fn title(self) -> &'static str {
        match self {
            Self::PersonalDetails => "Personal details",
            Self::CompensationDetails => "Enter compensation details",
            Self::AddWorkAddress => "Add work address",
            Self::AddHomeAddress => "Add home address",
            Self::FederalTaxSetup => "Enter federal tax withholdings",
            Self::StateTaxSetup => "Enter state tax information",
            Self::DirectDepositSetup => "Direct deposit setup",
            Self::EmployeeFormSigning => "Employee form signing",
            Self::FileNewHireReport => "File new hire report",
            Self::AdminReview => "Admin review",
        }
    }

    /// Whether the step is required for completion of self-onboarding.
    pub fn required_in_onboarding(self) -> bool {
        self != Self::DirectDepositSetup
    }

    /// Returns the steps it depends on, in the specification's order.
    pub fn requirements(self) -> &'static [Self] {
        match self {
            Self::PersonalDetails
            | Self::CompensationDetails
            | Self::AddWorkAddress
            | Self::AddHomeAddress
            | Self::FederalTaxSetup
            | Self::DirectDepositSetup => &[],
            Self::StateTaxSetup => &[Self::AddWorkAddress, Self::AddHomeAddress],
            Self::EmployeeFormSigning => &[Self::FederalTaxSetup, Self::StateTaxSetup],
            Self::FileNewHireReport => &[Self::AddWorkAddress],
            Self::AdminReview => &[
                Self::PersonalDetails,
                Self::CompensationDetails,
                Self::AddHomeAddress,
                Self::AddWorkAddress,
                Self::FederalTaxSetup,
                Self::StateTaxSetup,
            ],
        }
    }
}

/// A set of steps, stored as one number.
#[derive(Default, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StepSet(u16);

impl StepSet {
    /// Creates a set from [`StepSet::bits`]; unknown bits are dropped.
    pub fn from_bits(bits: u16) -> Self {
        Step::ALL.iter().copied().filter(|step| bits & Self::bit(*step) != 0).collect()
    }

    /// Returns the set as a bit mask of discriminants.
    pub fn bits(self) -> u16 {
        self.0
    }

    /// Adds a step.
    pub fn insert(&mut self, step: Step) {
        self.0 |= Self::bit(step);
    }

    /// Whether the set contains the step.
    pub fn contains(self, step: Step) -> bool {
        self.0 & Self::bit(step) != 0
    }

    /// Returns the steps in the specification's order.
    pub fn iter(self) -> impl Iterator<Item = Step> {
        Step::ALL.iter().copied().filter(move |step| self.contains(*step))
    }

    fn bit(step: Step) -> u16 {
        1 << step as u16
    }
}

impl FromIterator<Step> for StepSet {
    fn from_iter<T: IntoIterator<Item = Step>>(steps: T) -> Self {
        let mut set = Self::default();
        steps.into_iter().for_each(|step| set.insert(step));
        set
    }
}

impl fmt::Debug for StepSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Step::as_str)).finish()
    }
}

/// Facts about an employee.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Has first and last name, e-mail, date of birth and Social Security number.
    pub personal_details: bool,
    /// Has a job with pay terms. The initial compensation of a job (rate 0.00) does not count; a
    /// commission-only compensation does.
    pub compensation: bool,
    /// Has a work address, whatever its effective date.
    pub work_address: bool,
    /// Has a home address, whatever its effective date.
    pub home_address: bool,
    /// Form W-4 is complete.
    pub federal_tax: bool,
    /// All employee questions of the states are answered; true if there are none.
    pub state_tax: bool,
    /// Has a bank account and is paid by direct deposit to it.
    pub direct_deposit: bool,
    /// All forms that need a signature are signed, and there are forms.
    pub forms_signed: bool,
    /// A form awaits a signature.
    pub signature_asked: bool,
    /// There is no form.
    pub without_forms: bool,
    /// The employer asks the employee for documents that only the employee can sign (Form I-9).
    pub documents_asked: bool,
    /// The employer has decided on new hire reporting.
    pub new_hire_report: bool,
    /// Steps marked as completed by the partner.
    pub marked: StepSet,
}

impl Facts {
    /// Whether the step is complete, by its data or by a mark. The review has no data.
    pub fn is_complete(&self, step: Step) -> bool {
        let by_data = match step {
            Step::PersonalDetails => self.personal_details,
            Step::CompensationDetails => self.compensation,
            Step::AddWorkAddress => self.work_address,
            Step::AddHomeAddress => self.home_address,
            Step::FederalTaxSetup => self.federal_tax,
            Step::StateTaxSetup => self.state_tax,
            Step::DirectDepositSetup => self.direct_deposit,
            Step::EmployeeFormSigning => self.forms_signed || self.has_nothing_to_sign(),
            Step::FileNewHireReport => self.new_hire_report,
            Step::AdminReview => false,
        };
        by_data || self.marked.contains(step)
    }

    /// Whether no form is expected: the partner holds the withholding certificate, and the payment method is decided.
    fn has_nothing_to_sign(&self) -> bool {
        let decided = [Step::FederalTaxSetup, Step::DirectDepositSetup];
        self.without_forms && decided.into_iter().all(|step| self.is_complete(step))
    }

    /// Whether the employee has nothing left to do for a step. After onboarding every step is complete, but data can still change:
    /// a move raises the questions of another state, a new name requires another signature. Marks belong to onboarding and say
    /// nothing about what was asked since.
    pub fn is_settled(&self, status: Status, step: Step) -> bool {
        match (status, step) {
            (Status::OnboardingCompleted, Step::StateTaxSetup) => self.state_tax,
            (Status::OnboardingCompleted, Step::EmployeeFormSigning) => !self.signature_asked,
            (Status::OnboardingCompleted, _) => true,
            _ => self.is_complete(step),
        }
    }
}

/// A step of an employee.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepState {
    /// Step.
    pub step: Step,
    /// Whether onboarding requires the step.
    pub required: bool,
    /// Whether the step is complete.
    pub completed: bool,
}

/// Returns the steps of an employee in the specification's order. The review is included only during
/// self-onboarding. After completion every step is complete.
pub fn employee_steps(status: Status, facts: &Facts) -> Vec<StepState> {
    let finished = status == Status::OnboardingCompleted;
    let shown =
        Step::ALL.iter().copied().filter(|step| *step != Step::AdminReview || status.is_self_onboarding());
    shown
        .map(|step| StepState {
            step,
            required: is_required(step, status, facts),
            completed: finished || facts.is_complete(step),
        })
        .collect()
}

/// Whether onboarding requires the step. An employee whom an administrator onboards alone has signed on paper, so the
/// signature here is required only if the employer asks for documents that need it.
pub(super) fn is_required(step: Step, status: Status, facts: &Facts) -> bool {
    let signs_here = status.is_self_onboarding() || facts.documents_asked;
    step.required_in_onboarding() && (step != Step::EmployeeFormSigning || signs_here)
}

/// Whether the employee's own steps are complete: personal details, home address, federal and state taxes,
/// and signatures. Direct deposit is optional.
pub fn employee_is_done(facts: &Facts) -> bool {
    Step::OF_EMPLOYEE.into_iter().all(|step| facts.is_complete(step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_steps_are_those_of_the_specification() {
        let golden = [
            ("personal_details", true, ""),
            ("compensation_details", true, ""),
            ("add_work_address", true, ""),
            ("add_home_address", true, ""),
            ("federal_tax_setup", true, ""),
            ("state_tax_setup", true, "add_work_address add_home_address"),
            ("direct_deposit_setup", false, ""),
            ("employee_form_signing", true, "federal_tax_setup state_tax_setup"),
            ("file_new_hire_report", true, "add_work_address"),
            (
                "admin_review",
                true,
                "personal_details compensation_details add_home_address add_work_address federal_tax_setup \
                 state_tax_setup",
            ),
        ];
        let ours = Step::ALL.iter().map(|step| {
            let requirements: Vec<_> = step.requirements().iter().map(|step| step.as_str()).collect();
            (step.as_str(), step.required_in_onboarding(), requirements.join(" "))
        });
        let golden = golden.map(|(id, required, requirements)| (id, required, requirements.to_owned()));
        assert!(ours.eq(golden));
        assert!(Step::ALL.iter().copied().all(|step| Step::parse(step.as_str()) == Some(step)));
        assert_eq!(Step::parse("i9"), None);
    }

    #[test]
    fn marks_stored_long_ago_still_mean_the_same_steps() {
        for (number, step) in Step::ALL.iter().copied().enumerate() {
            assert_eq!(StepSet::from_iter([step]).bits(), 1 << number, "{}", step.as_str());
        }
        let stored = StepSet::from_bits(0b10_0000_0101);
        assert_eq!(format!("{stored:?}"), r#"{"personal_details", "add_work_address", "admin_review"}"#);
        assert_eq!(StepSet::from_bits(u16::MAX).bits(), 0b11_1111_1111);
    }

    #[test]
    fn the_review_is_a_step_of_self_onboarding_only() {
        for &status in Status::ALL {
            let listed = employee_steps(status, &Facts::default());
            let has_review = listed.iter().any(|state| state.step == Step::AdminReview);
            assert_eq!(has_review, status.is_self_onboarding(), "{status:?}");
            assert_eq!(listed.len(), if has_review { 10 } else { 9 });
            let finished = status == Status::OnboardingCompleted;
            assert!(listed.iter().all(|state| state.completed == finished), "{status:?}");
        }
    }

    #[test]
    fn whom_an_administrator_onboards_alone_signs_here_only_where_documents_are_asked_for() {
        use Status::{AdminOnboardingIncomplete as Alone, SelfOnboardingInvited as Invited};
        let signs = |status, documents_asked| {
            let facts = Facts { documents_asked, ..Facts::default() };
            let listed = employee_steps(status, &facts);
            listed.iter().any(|state| state.step == Step::EmployeeFormSigning && state.required)
        };
        assert_eq!([signs(Alone, false), signs(Alone, true)], [false, true]);
        assert_eq!([signs(Invited, false), signs(Invited, true)], [true, true]);
    }

    #[test]
    fn an_employee_is_done_without_a_bank_account_and_without_what_the_employer_owes() {
        let mut facts = Facts {
            personal_details: true,
            home_address: true,
            federal_tax: true,
            state_tax: true,
            ..Facts::default()
        };
        assert!(!employee_is_done(&facts));
        facts.forms_signed = true;
        assert!(employee_is_done(&facts));
        facts.home_address = false;
        assert!(!employee_is_done(&facts));
        facts.marked.insert(Step::AddHomeAddress);
        assert!(employee_is_done(&facts), "a marked step counts although its data are not held");
    }

    #[test]
    fn whose_certificate_is_held_elsewhere_and_whose_pay_is_decided_has_nothing_to_sign_where_there_is_no_form()
     {
        let mut facts = Facts { without_forms: true, ..Facts::default() };
        facts.marked.insert(Step::FederalTaxSetup);
        assert!(!facts.is_complete(Step::EmployeeFormSigning), "a bank account may still come, with a form");
        facts.marked.insert(Step::DirectDepositSetup);
        assert!(facts.is_complete(Step::EmployeeFormSigning));
        facts.without_forms = false;
        assert!(!facts.is_complete(Step::EmployeeFormSigning));
    }

    #[test]
    fn after_onboarding_the_pages_go_by_the_data() {
        let mut facts = Facts { marked: StepSet::from_bits(u16::MAX), state_tax: true, ..Facts::default() };
        let open = |facts: &Facts| -> Vec<Step> {
            let settled = |step: &Step| facts.is_settled(Status::OnboardingCompleted, *step);
            Step::ALL.iter().copied().filter(|step| !settled(step)).collect()
        };
        assert_eq!(open(&facts), []);
        facts.state_tax = false;
        facts.signature_asked = true;
        assert_eq!(open(&facts), [Step::StateTaxSetup, Step::EmployeeFormSigning]);
        assert!(
            facts.is_settled(Status::SelfOnboardingInvited, Step::StateTaxSetup),
            "before, a mark counts"
        );
        assert!(employee_steps(Status::OnboardingCompleted, &facts).iter().all(|state| state.completed));
    }

    proptest! {
        #[test]
        fn a_set_of_steps_survives_being_stored(bits in 0u16..1024) {
            let set = StepSet::from_bits(bits);
            prop_assert_eq!(set.bits(), bits);
            prop_assert_eq!(set.iter().collect::<StepSet>(), set);
        }
    }
}
