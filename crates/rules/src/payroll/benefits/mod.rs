//! Employee deductions and company contributions of benefits.
//!
//! | module | contents |
//! |---|---|
//! | [`kind`] | types of benefits and their tax treatment |
//! | [`election`] | the amounts an employee elects, and their validation |
//! | [`exclusions`] | pay excluded from percentages |
//! | [`limits`] | annual legal limits |
//! | [`requirements`] | fields by type, for forms |
//! | [`roth_catch_up`] | which employees must make catch-up contributions as Roth contributions |
//!
//! A benefit applies in a payroll if its window contains the last day of the pay period and both the record
//! and the company benefit are active ([`Benefit::standing_on`]); there is no proration. [`calculate()`] processes an
//! employee's benefits in the order of enrollment and returns a [`Line`] for each that applies.
//!
//! The deduction is limited, in this order, to the remaining annual maximum of the record, the remaining
//! legal limits of its type for the year and for the month, and [`Pay::room`]. The contribution is based on the
//! limited deduction; a percentage contribution counts annual pay, in the order in which it is paid, only up to what
//! 26 U.S.C. 401(a)(17) lets a retirement plan count. Premiums of insurance that a pay period's payroll does not deduct for
//! want of pay are counted ([`Line::missed`]) until later payrolls recover them ([`Benefit::recovers`]). If net pay does not cover deductions, a payroll calculates
//! twice: first with gross pay as room, then with pay after taxes and garnishments.
//!
//! Source: specification, Effective-dated employee benefit windows, rule 1; contract of the interface, employee
//! benefits.

mod calculate;
pub mod election;
pub mod exclusions;
mod group_life;
pub mod kind;
pub mod limits;
pub mod requirements;
pub mod roth_catch_up;
mod year;

use std::fmt::Display;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::amount::Amount;
use crate::window::Window;

pub use calculate::{calculate_benefits, contribution_figure, deduction_figure, imputed_figure};
pub use election::{BenefitElection, Contribution, LimitOption, Tier};
pub use exclusions::{Exclusions, PayKind, PayParts};
pub use kind::{BenefitType, Taxes};
pub use limits::{Group, Limit, Limits};

/// A record of an employee's benefit. `K` identifies records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Benefit<K> {
    /// Company benefit.
    pub company_benefit: K,
    /// Employee's record.
    pub record: K,
    /// The company's name of the benefit.
    pub name: String,
    /// Type, serialized as its code.
    #[serde(with = "kind::by_code")]
    pub kind: &'static BenefitType,
    /// When the record is in force.
    pub window: Window,
    /// Elected amounts.
    pub terms: BenefitElection,
    /// Whether the record is active.
    pub active: bool,
    /// Whether the company benefit is active.
    pub company_active: bool,
    /// Pay excluded from percentages.
    #[serde(default, skip_serializing_if = "Exclusions::is_empty")]
    pub excluded: Exclusions,
    /// Premiums that earlier paychecks did not deduct, less what was recovered since; `None` if none was ever missed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed: Option<Amount>,
    /// Whether missed premiums are recovered: up to the premium of a pay period in each.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recovers: bool,
}

/// Whether a record applies on a day, or why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Standing {
    /// It applies.
    #[strum(serialize = "applies")]
    Applies,
    /// The day is outside its window.
    #[strum(serialize = "not_in_window")]
    NotInWindow,
    /// The record is inactive.
    #[strum(serialize = "employee_benefit_inactive")]
    Inactive,
    /// The company benefit is inactive.
    #[strum(serialize = "company_benefit_inactive")]
    CompanyInactive,
}

impl<K> Benefit<K> {
    /// Returns whether the record applies in a pay period ending on `day`.
    pub fn standing_on(&self, day: Date) -> Standing {
        match self {
            _ if !self.window.contains(day) => Standing::NotInWindow,
            _ if !self.active => Standing::Inactive,
            _ if !self.company_active => Standing::CompanyInactive,
            _ => Standing::Applies,
        }
    }
}

/// Information missing for a benefit in a payroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Lacking {
    /// The cost of coverage depends on age.
    #[strum(serialize = "birth_date_needed")]
    BirthDate,
    /// The cost of coverage is monthly.
    #[strum(serialize = "pay_schedule_needed")]
    PaySchedule,
    /// The coverage is a multiple of the annual salary.
    #[strum(serialize = "salary_needed")]
    Salary,
    /// The record does not specify which legal limit applies, and the smallest one reduced an amount.
    #[strum(serialize = "limit_option_needed")]
    LimitOption,
    /// Pre-tax contributions stop at the limit without catch-up.
    #[strum(serialize = "roth_catch_up_needed")]
    RothCatchUp,
}

impl Lacking {
    /// Returns the message for users.
    pub fn message(self) -> &'static str {
        match self {
            Self::BirthDate => {
                "imputed income of life insurance was not calculated, because it depends on age: enter the date of birth"
            }
            Self::PaySchedule => {
                "imputed income of life insurance was not calculated, because it depends on the month: there is no pay schedule"
            }
            Self::Salary => {
                "imputed income of life insurance was not calculated, because the coverage depends on the salary: none is known"
            }
            Self::LimitOption => {
                "the deduction or contribution of a benefit was reduced to the smallest of its legal limits: set limit_option of the \
                 employee's record to the one that applies"
            }
            Self::RothCatchUp => {
                "the deduction of a benefit was reduced: the employee's catch-up contributions must be Roth contributions \
                 (26 USC 414(v)(7)), which need a record of a Roth benefit"
            }
        }
    }
}

/// The payroll and the employee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pay {
    /// Last day of the pay period, which determines applicable benefits.
    pub period_end: Date,
    /// Pay date, which determines the year of limits.
    pub check_date: Date,
    /// Gross pay of this payroll, the base of percentages.
    pub gross: Amount,
    /// Parts of the gross pay, some of which a plan may exclude.
    pub parts: PayParts,
    /// Gross pay of earlier payrolls of the year.
    pub paid_in_year: Amount,
    /// Pay periods per year.
    pub periods_per_year: i64,
    /// Annual salary, for coverage as a multiple of the salary.
    pub annual_salary: Option<Amount>,
    /// Date of birth, for age-dependent limits and costs.
    pub birth_date: Option<Date>,
    /// Whether the employee is a more-than-2 % shareholder of an S corporation.
    pub two_percent_shareholder: bool,
    /// Whether catch-up contributions must be Roth contributions ([`roth_catch_up`]).
    pub roth_catch_up: bool,
    /// Whether this is the payroll of a pay period, in which its premiums are due.
    pub of_period: bool,
    /// Dollars available for deductions: initially gross pay, later pay after taxes and garnishments.
    pub room: Amount,
}

/// Year-to-date amounts of a company benefit, for all records of the employee.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenefitToDate<K> {
    /// Company benefit.
    pub company_benefit: K,
    /// Code of its type.
    pub code: i64,
    /// Employee deductions.
    pub deduction: Amount,
    /// Company contributions.
    pub contribution: Amount,
    /// Whether the amounts belong to another company's benefit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
    /// Deductions and contributions of earlier payrolls paid in the same month as this one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub in_month: Amount,
    /// Imputed income of earlier payrolls of the pay period.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub imputed_in_period: Amount,
    /// Pay of earlier payrolls of the year that the plan excludes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: Amount,
}

impl<K> BenefitToDate<K> {
    /// Creates zero amounts for a company benefit of a type.
    pub fn new(company_benefit: K, code: i64) -> Self {
        let zero = Amount::ZERO;
        Self {
            company_benefit,
            code,
            deduction: zero,
            contribution: zero,
            elsewhere: false,
            in_month: zero,
            imputed_in_period: zero,
            left_out: zero,
        }
    }
}

impl<K: Clone> From<&Line<K>> for BenefitToDate<K> {
    fn from(line: &Line<K>) -> Self {
        Self {
            deduction: line.employee_deduction,
            contribution: line.company_contribution,
            in_month: add_amounts(line.employee_deduction, line.company_contribution),
            left_out: line.left_out,
            ..Self::new(line.company_benefit.clone(), line.kind.code)
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(amount: &Amount) -> bool {
    *amount == Amount::ZERO
}

/// A benefit in a payroll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<K> {
    /// Company benefit.
    pub company_benefit: K,
    /// Applied record.
    pub record: K,
    /// The company's name of the benefit.
    pub name: String,
    /// Type.
    pub kind: &'static BenefitType,
    /// Employee deduction.
    pub employee_deduction: Amount,
    /// Company contribution.
    pub company_contribution: Amount,
    /// Imputed income: taxable but not paid.
    pub imputed_income: Amount,
    /// Pay that the plan excludes from percentages.
    pub left_out: Amount,
    /// Premiums that this paycheck and earlier ones did not deduct, less what was recovered; `None` if none was ever missed.
    pub missed: Option<Amount>,
    /// Taxes whose base the deduction reduces.
    pub deduction_lowers: Taxes,
    /// Taxes due on the imputed income.
    pub imputed_income_is_subject_to: Taxes,
    /// Missing information.
    pub warnings: Vec<Lacking>,
}

/// Returns the sum of deductions that reduce a tax.
///
/// # Panics
/// Panics on overflow, which deductions within gross pay never reach.
pub fn deductions_lowering<K>(lines: &[Line<K>], lowers: impl Fn(Taxes) -> bool) -> Amount {
    let counting = lines.iter().filter(|line| lowers(line.deduction_lowers));
    counting.fold(Amount::ZERO, |sum, line| add_amounts(sum, line.employee_deduction))
}

fn add_amounts(one: Amount, other: Amount) -> Amount {
    one.checked_add(other).unwrap_or_else(|| panic!("bounded amounts have a sum"))
}

/// Returns what remains of `limit` after `used`, at least zero.
fn remaining_amount(limit: Amount, used: Amount) -> Amount {
    limit.checked_sub(used).unwrap_or(Amount::ZERO).max(Amount::ZERO)
}

/// Returns a figure name specific to a record.
fn figure_of(what: &str, record: &impl Display) -> String {
    format!("{what}:{record}")
}

#[cfg(test)]
mod tests;
