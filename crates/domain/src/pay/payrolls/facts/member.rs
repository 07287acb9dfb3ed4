//! A member of a calculation: what the records say of one employee of a payroll.

use jiff::civil::Date;
use rules::days::Days;
use rules::effective;
use uuid::Uuid;

use crate::pay::compensations::rows::Pay;
use crate::pay::payrolls::calendar::employed_days::days_held;
use crate::pay::payrolls::record::entered::Entered;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::people::addresses::rows::{HomeAddress, WorkAddress};
use crate::people::employment::Employment;

/// The facts of one employee, on the days of a payroll.
pub(in crate::pay::payrolls) struct MemberFacts<'m> {
    /// the employee
    pub id: Uuid,
    /// jobs with their compensations
    pub pay: &'m Pay,
    /// terminations and rehires
    pub employment: Option<&'m Employment>,
    /// work addresses, oldest first
    pub works: &'m [WorkAddress],
    /// homes, oldest first
    pub homes: &'m [HomeAddress],
    /// what was entered, with the hours that are paid without an entry
    pub entered: &'m Entered,
    /// the days of the pay period on which the employee was employed in any job: where they lived and worked on other days does not matter
    pub employed: Vec<Days>,
}

/// The days of a pay period on which an employee was employed in any job.
pub(in crate::pay::payrolls) fn days_employed(
    payroll: &Payroll,
    pay: &Pay,
    employment: Option<&Employment>,
) -> Vec<Days> {
    let hired = pay.jobs.iter().map(|job| job.hire_date).min().unwrap_or(payroll.start);
    days_held(payroll, (hired, None), employment).days_or_whole_period(payroll.days())
}

impl MemberFacts<'_> {
    /// Returns the home on a day.
    pub fn home_on(&self, day: Date) -> Option<&HomeAddress> {
        effective::active_record(self.homes, day, |home| home.effective_date)
    }

    /// Returns the work address on a day.
    pub fn work_address_on(&self, day: Date) -> Option<&WorkAddress> {
        effective::active_record(self.works, day, |work| work.effective_date)
    }

    /// Returns the last day of the pay period on which the employee was employed.
    pub fn last_day(&self, payroll: &Payroll) -> Date {
        self.employed.last().map_or(payroll.end, |days| days.last)
    }
}
