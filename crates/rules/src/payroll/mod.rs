//! From gross to net pay.
//!
//! Each part is a pure function that takes a [`crate::explain::Trace`], so that the figures of a pay stub and
//! their explanation come from the same code.
//!
//! | module | contents |
//! |---|---|
//! | [`schedule`] | pay schedules, pay periods and pay dates |
//! | [`holidays`] | banking days |
//! | [`benefits`] | employee deductions and company contributions |
//! | [`garnishment`] | child support, levies and other garnishments |
//! | [`OtherTaxes`] | state and local taxes other than income tax |
//! | [`taxes`] | Social Security, Medicare and federal unemployment tax |
//!
//! [`paycheck`] combines them: it calculates a [`Paycheck`] from a [`Payroll`] and an [`Employee`].

#[cfg(test)]
mod address_only_tests;
mod after_death;
pub mod assignment;
#[cfg(test)]
mod assignment_tests;
pub mod benefits;
mod collection;
mod dues;
mod earnings;
mod exemption;
mod federal_income;
pub mod figures;
pub mod garnishment;
pub mod holidays;
#[cfg(test)]
mod home_and_work_tests;
mod input;
#[cfg(test)]
mod law_2026_tests;
#[cfg(test)]
mod names_tests;
mod net;
mod other_taxes;
mod output;
pub mod owed;
mod proration;
#[cfg(test)]
mod sample;
pub mod schedule;
mod shares;
mod state_taxes;
mod tax_lines;
pub mod taxes;
#[cfg(test)]
mod transition_tests;
#[cfg(test)]
mod version_tests;
mod workweeks;
#[cfg(test)]
mod workweeks_tests;

pub use after_death::AfterDeath;
pub use collection::Uncollected;
pub use earnings::{deductible_hours, salary_of_days};
pub use exemption::{Exempt, FicaExemption};
pub use input::{
    Compensation, DayOff, Employee, FixedKind, FixedPay, Floor, Job, MINIMUM_WAGE_ADJUSTMENT, Overtime,
    PaidBefore, Payment, Payroll, StateTax, StateTaxTables, Taxpayer, TimeOff, Worked, YearToDate,
};
pub use net::{calculate_gross, calculate_paycheck, job_pay};
pub use other_taxes::{OtherTax, OtherTaxes, item_of_type, worked_hours};
pub use output::{JobPay, Paycheck, TaxableWages, Taxes, Totals, Warning};
pub use proration::{PeriodsPaid, Proration, Share, employment_shares, periods_paid};
pub(crate) use shares::by_weight;
pub use state_taxes::{StateIncomeTax, StateTaxLine};
pub use tax_lines::TaxLine;
