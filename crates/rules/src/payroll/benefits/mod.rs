//! What benefits take from an employee in a payroll, and what the company gives.
//!
//! | module | question it answers |
//! |---|---|
//! | [`kind`] | which types of benefits are there, and how do they meet taxes? |
//! | [`election`] | what does a record say about amounts, and may it? |
//! | [`limits`] | how much may go into a benefit in a year? |
//! | [`requirements`] | which fields does a type ask for? |
//!
//! A benefit counts in a payroll when its window holds the last day of the pay period, and the record and
//! the company's benefit are both active ([`Benefit::standing`]); there is no proration. [`calculate`] takes the
//! benefits of an employee in the order in which they were enrolled and gives one [`Line`] for each that counts.
//!
//! The deduction of a record is cut, in this order, to what is left of its own yearly maximum, of the legal limit
//! that its type shares with others, and of [`Pay::room`]. The contribution follows from the deduction as cut. A
//! payroll asks twice when net pay does not suffice: first with the gross pay as room, and then with what taxes and
//! garnishments left.
//!
//! Source: specification, Effective-dated employee benefit windows, rule 1; contract of the interface, employee
//! benefits.

mod calculate;
pub mod election;
mod group_life;
pub mod kind;
pub mod limits;
pub mod requirements;

use std::fmt::Display;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::amount::Amount;
use crate::window::Window;

pub use calculate::{calculate, contribution_figure, deduction_figure, imputed_figure};
pub use election::{BenefitElection, Contribution, LimitOption, Tier};
pub use kind::{BenefitType, Taxes};
pub use limits::Limits;

/// One record of an employee's benefit. `K` names records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Benefit<K> {
    /// the company's benefit
    pub company_benefit: K,
    /// the employee's record
    pub record: K,
    /// what the company calls it, for lines and explanations
    pub name: String,
    /// its type, serialised as its number
    #[serde(with = "kind::by_code")]
    pub kind: &'static BenefitType,
    /// when the record is in force
    pub window: Window,
    /// amounts
    pub terms: BenefitElection,
    /// whether the record is active
    pub active: bool,
    /// whether the company's benefit is active
    pub company_active: bool,
}

/// Whether a record counts on a day, or else why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Standing {
    /// it counts
    #[strum(serialize = "applies")]
    Applies,
    /// the day is none of its window's
    #[strum(serialize = "not_in_window")]
    NotInWindow,
    /// the record is not active
    #[strum(serialize = "employee_benefit_inactive")]
    Inactive,
    /// the company's benefit is not active
    #[strum(serialize = "company_benefit_inactive")]
    CompanyInactive,
}

impl<K> Benefit<K> {
    /// Whether the record counts in a payroll whose pay period ends on `day`.
    pub fn standing(&self, day: Date) -> Standing {
        match self {
            _ if !self.window.contains(day) => Standing::NotInWindow,
            _ if !self.active => Standing::Inactive,
            _ if !self.company_active => Standing::CompanyInactive,
            _ => Standing::Applies,
        }
    }
}

/// What is known of the payroll and of whom it pays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pay {
    /// last day of the pay period: the day on which benefits count
    pub period_end: Date,
    /// day of payment: its year is the year of limits
    pub check_date: Date,
    /// gross pay of this payroll, of which percentages are taken
    pub gross: Amount,
    /// pay periods in a year
    pub periods_per_year: i64,
    /// yearly salary, for coverage in salaries
    pub annual_salary: Option<Amount>,
    /// day of birth, for limits and costs that depend on age
    pub birth_date: Option<Date>,
    /// whether the employee owns more than 2 % of an S corporation
    pub two_percent_shareholder: bool,
    /// dollars from which deductions can be taken: gross pay at first, later what is left after what comes first
    pub room: Amount,
}

/// What one benefit took and gave since the year began, by all its records together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenefitToDate<K> {
    /// the company's benefit
    pub company_benefit: K,
    /// number of its type
    pub code: i64,
    /// deducted from the employee
    pub deduction: Amount,
    /// given by the company
    pub contribution: Amount,
}

/// One benefit in a payroll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<K> {
    /// the company's benefit
    pub company_benefit: K,
    /// the record that counted
    pub record: K,
    /// what the company calls it
    pub name: String,
    /// its type
    pub kind: &'static BenefitType,
    /// taken from the employee
    pub employee_deduction: Amount,
    /// given by the company
    pub company_contribution: Amount,
    /// counts as income of the employee without being paid
    pub imputed_income: Amount,
    /// whose base the deduction lowers
    pub deduction_lowers: Taxes,
    /// which taxes are due on the imputed income
    pub imputed_income_is_subject_to: Taxes,
    /// what could not be worked out, and what is missing: words for programs
    pub warnings: Vec<&'static str>,
}

/// The deductions of all lines that lower a tax, for whoever works that tax out.
///
/// # Panics
/// Beyond what an amount can hold, which deductions within gross pay never are.
pub fn lowering<K>(lines: &[Line<K>], lowers: impl Fn(Taxes) -> bool) -> Amount {
    let counting = lines.iter().filter(|line| lowers(line.deduction_lowers));
    counting.fold(Amount::ZERO, |sum, line| plus(sum, line.employee_deduction))
}

fn plus(one: Amount, other: Amount) -> Amount {
    one.checked_add(other).unwrap_or_else(|| panic!("bounded amounts have a sum"))
}

/// What is left of `limit` after `used`; nothing when it is used up.
fn remaining(limit: Amount, used: Amount) -> Amount {
    limit.checked_sub(used).unwrap_or(Amount::ZERO).max(Amount::ZERO)
}

/// Names of figures that are told apart by the record.
fn figure_of(what: &str, record: &impl Display) -> String {
    format!("{what}:{record}")
}

#[cfg(test)]
mod tests;
