//! Federal income tax: Form W-4 and withholding.
//!
//! The form was redesigned in 2020, and older forms remain valid, so there are two kinds ([`W4`]). Both use
//! the percentage method for automated payroll systems, Worksheet 1A of IRS Publication 15-T ([`withhold`]),
//! with the tables of a year ([`FederalTables`]).
//!
//! Decisions where the worksheet is silent:
//! - Annual figures are exact; the withheld amount is rounded once, half up, to the cent of the pay period.
//!   The publication also allows whole dollars.
//! - Forms before 2020 only have Single and Married. Head of Household and "Married, but withhold as Single"
//!   are withheld as Single.
//! - Nothing is withheld from employees who claim exemption.
//! - The amounts for nonresident aliens ([`FederalTables::nonresident_alien`]) are not added here: payroll adds
//!   them to the wages first.
//! - Not supported: the optional computational bridge.

mod frequency;
mod tables;
mod w4;
mod worksheet;

pub use frequency::PayFrequency;
pub use tables::{Bracket, DependentCredits, FederalTables, FederalWithholding, Schedules};
pub use w4::{FilingStatus, MAX_ALLOWANCES, W4, check_w4, last_day_of_exemption};
pub(crate) use worksheet::withhold_on;
pub use worksheet::{withhold_income_tax, withhold_traced};
