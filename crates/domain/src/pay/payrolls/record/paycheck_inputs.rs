//! The inputs of a paycheck.
//!
//! [`PaycheckInputs`] are read from the records (`snapshot`), passed to the rules, and stored with the result, so that a paycheck can be
//! explained after the records have changed. They consist of the rules' own types; values that borrow tables are looked up again
//! ([`PaycheckInputs::employee`]).

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use rules::Amount;
use rules::compensation::FlsaStatus;
use rules::payment::{Split, SplitBy};
use rules::payroll::benefits::{Benefit, BenefitToDate};
use rules::payroll::garnishment::{
    EarlierPay, Garnishment, ManualReason, MinimumWages, Remittance, determine_payer,
};
use rules::payroll::{AfterDeath, FicaExemption, FixedPay, Job, YearToDate};
use rules::taxes::{Circumstances, Opened, ToDate};
use rules::withholding::federal::W4;
use rules::withholding::state::Answer;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::millionths;
use crate::pay::payrolls::record::json::is_zero;
use crate::pay::payrolls::record::kinds::{FixedKind, TimeOffKind};
use crate::pay::payrolls::record::time_off::{LeaveInput, Requested};
use crate::pay::payrolls::record::warning::Warning;

/// The format in which inputs are stored.
pub const FORMAT: u8 = 1;

/// The inputs of a paycheck.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaycheckInputs {
    /// [`FORMAT`]
    pub format: u8,
    /// version of what was entered for the employee; 0 if nothing was
    #[serde(default, skip_serializing_if = "is_zero")]
    pub entry: i64,
    /// jobs, the primary one first
    pub jobs: Vec<Job>,
    /// codes of the occupations in which tips are earned, by the place of the job
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tipped_occupations: BTreeMap<usize, String>,
    /// lines of pay entered as amounts
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<FixedInput>,
    /// lines of the company's own earning types
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub custom: Vec<CustomInput>,
    /// kinds of paid time off of the primary job, in the order of its lines
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub time_off: Vec<TimeOffKind>,
    /// holiday hours that the company's policy pays if no other hours are entered
    #[serde(with = "millionths", default, skip_serializing_if = "Amount::is_zero")]
    pub holiday_hours: Amount,
    /// approved time off requests, paid if no other hours are entered
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requested: Vec<Requested>,
    /// the paycheck's effects on time off balances
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leave: Vec<LeaveInput>,
    /// reimbursed expenses
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reimbursements: Vec<Amount>,
    /// expenses reimbursed with every regular payroll
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recurring: Vec<RecurringInput>,
    /// Form W-4
    pub w4: W4,
    /// whether an amount is added to the wages of a nonresident alien for income tax withholding
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nonresident_alien: bool,
    /// why the pay is exempt from Social Security and Medicare tax
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fica_exemption: Option<FicaExemption>,
    /// whether the employer is a section 501(c)(3) organization, which pays no federal unemployment tax
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub charitable_employer: bool,
    /// when wages are paid after the employee's death; `None` for a living employee
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_death: Option<AfterDeath>,
    /// income tax of the work and home states
    pub state: StateInputs,
    /// where the employee lives and works, for state and local taxes
    #[serde(default)]
    pub circumstances: Circumstances,
    /// year-to-date sums of state and local taxes, by code
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub taxed_before: BTreeMap<String, ToDate>,
    /// year-to-date sums of these taxes before the first payroll, if opening balances have only totals
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<Opened>,
    /// partner-supplied amounts of taxes that cannot be calculated, by code
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub supplied_taxes: BTreeMap<String, Amount>,
    /// date of birth, for an employee with benefits or with a tax exemption that depends on age
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub birth_date: Option<Date>,
    /// whether the employee owns more than 2 % of an S corporation
    pub two_percent_shareholder: bool,
    /// whether catch-up contributions have to be Roth contributions
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub roth_catch_up: bool,
    /// benefits, in the order of enrollment
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub benefits: Vec<Benefit<Uuid>>,
    /// deductions and contributions of benefits earlier in the year
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub benefits_to_date: Vec<BenefitToDate<Uuid>>,
    /// garnishments
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub garnishments: Vec<GarnishmentInput>,
    /// pay of earlier payrolls of the same pay period, for garnishments
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub earlier: EarlierPay,
    /// the facts that garnishment law depends on, for an employee with garnishments
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub garnishment_facts: Option<GarnishmentFacts>,
    /// the facts that overtime law depends on, for an employee whose workweeks are known
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overtime: Option<OvertimeFacts>,
    /// wages and taxes earlier in the year
    pub year_to_date: YearToDate,
    /// how net pay is divided among bank accounts; `None` for a check
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment: Option<PaymentInput>,
    /// warnings found while the records were read
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

fn is_nothing(earlier: &EarlierPay) -> bool {
    *earlier == EarlierPay::default()
}

/// A line of pay entered as an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixedInput {
    /// which line
    pub name: FixedKind,
    /// kind, job and amount
    pub pay: FixedPay,
}

/// A line of pay of one of the company's own earning types.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomInput {
    /// the earning type
    pub earning_type: Uuid,
    /// its name when the amount was entered
    pub name: String,
    /// kind, job and amount
    pub pay: FixedPay,
}

/// An expense reimbursed with every regular payroll.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecurringInput {
    /// the recurring reimbursement
    pub id: Uuid,
    /// what it is for
    pub description: String,
    /// dollars
    pub amount: Amount,
}

/// The inputs of the income taxes of the work and home states.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateInputs {
    /// the work state, two letters; empty for an employee without a work address
    pub state: String,
    /// answers to the questions of the state's certificate, by key
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<String, Answer>,
    /// answers for the other states in which the employee works or lives
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub elsewhere: BTreeMap<String, BTreeMap<String, Answer>>,
    /// the amount supplied by the partner for the work state
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supplied: Option<Amount>,
}

/// A garnishment and what its line on the paycheck shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GarnishmentInput {
    /// the garnishment's description
    pub name: String,
    /// why the service cannot pay the agency, if so
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manual: Option<ManualReason>,
    /// whether an electronic payment cannot name the case
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub payment_information_missing: bool,
    /// two-letter code of the state that issued a support order
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuing_state: Option<String>,
    /// what the employee still owes of what was overpaid, if the deduction pays that back
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub still_owed: Option<Amount>,
    /// the garnishment
    pub garnishment: Garnishment<Uuid>,
}

/// The facts that garnishment law depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GarnishmentFacts {
    /// minimum wages at the work location
    pub minimum_wages: MinimumWages,
    /// keys of uncertain figures that the operator has confirmed
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub confirmed: BTreeSet<String>,
}

/// The facts that overtime law depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OvertimeFacts {
    /// first day of any one workweek
    pub first_day: Date,
    /// state minimum wage, dollars per hour
    pub minimum_wage: Amount,
    /// whether the state's rule applies; otherwise the federal one does
    pub of_state: bool,
    /// the last day of the workweek that continues after the pay period, if the payroll in which it ends has paid
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_until: Option<Date>,
}

/// How net pay is divided among bank accounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentInput {
    /// unit of the splits
    pub by: SplitBy,
    /// the splits, by bank account
    pub splits: Vec<Split<Uuid>>,
}

impl GarnishmentInput {
    /// Whether it is child support.
    pub fn is_child_support(&self) -> bool {
        self.garnishment.terms.is_child_support()
    }

    /// Returns the two-letter code of the state that issued a support order.
    pub fn issuing_state_code(&self) -> Option<&str> {
        self.issuing_state.as_deref()
    }

    /// Returns why the employer has to pay the agency manually, if that is the case.
    pub fn manual_reason(&self, off_cycle: bool) -> Option<ManualReason> {
        self.garnishment.terms.child_support.as_ref()?;
        match determine_payer(self.manual, off_cycle) {
            Remittance::Automatic if self.payment_information_missing => Some(ManualReason::Information),
            other => other.reason(),
        }
    }
}

impl PaycheckInputs {
    /// Whether the employee owns the company and is paid by the paycheck.
    pub fn is_owner(&self) -> bool {
        let last = self.jobs.first().and_then(|job| job.compensations.last());
        last.is_some_and(|compensation| compensation.terms.flsa == FlsaStatus::Owner)
    }
}
