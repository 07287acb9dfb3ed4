//! Federal income tax: the employee's Form W-4, and what is withheld from one paycheck by it.
//!
//! The form was rewritten in 2020, and an older one stays valid until the employee gives a new one, so there
//! are two kinds ([`W4`]) with one way of computing: the percentage method for automated payroll systems,
//! Worksheet 1A of IRS Publication 15-T ([`withhold`]), with the tables of one year ([`FederalTables`]).
//!
//! Decisions where the worksheet is silent:
//! - The worksheet's annual figures stay exact; what is withheld is rounded once, half up, to the cent of the
//!   pay period. The publication allows whole dollars too.
//! - A form older than 2020 knows only Single and Married. Head of Household on one is withheld as Single, and
//!   so is "Married, but withhold as Single", by its name.
//! - An employee who claims exemption has nothing withheld, whatever else the form says.
//! - Not covered: the amounts added to the wages of nonresident aliens, and the optional bridge from an
//!   older form to the present one.

mod frequency;
mod tables;
mod w4;
mod worksheet;

pub use frequency::PayFrequency;
pub use tables::{Bracket, FederalTables, Schedules};
pub use w4::{FilingStatus, MAX_ALLOWANCES, W4, check};
pub use worksheet::{withhold, withhold_traced};
