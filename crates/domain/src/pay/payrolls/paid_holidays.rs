//! Holidays that a company pays: the hours that its policy enters in payrolls by itself.

use std::collections::BTreeSet;

use jiff::civil::Date;
use rules::holiday_pay::{HOURS, paid_between};
use store::Tx;
use uuid::Uuid;

use super::entered::{Entered, TimeOffKind};
use super::rows::Payroll;
use crate::error::Error;
use crate::pay::compensations::rows::Pay;
use crate::pay::holiday_pay::rows;

/// The paid holidays of a payroll, and whom of some employees the policy pays for them.
#[derive(Debug, Default)]
pub struct PaidHolidays {
    days: Vec<Date>,
    employees: BTreeSet<Uuid>,
}

impl PaidHolidays {
    /// Those of a payroll, before employees are asked for. Payrolls that pay no regular wages have none.
    ///
    /// # Errors
    /// A store error.
    pub fn of(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll) -> Result<Self, Error> {
        if payroll.off_cycle {
            return Ok(Self::default());
        }
        let Some(policy) = rows::find(tx, company)? else { return Ok(Self::default()) };
        let paid = paid_between(&policy.holidays, (payroll.start, payroll.end));
        Ok(Self { days: paid.into_iter().map(|(_, day)| day).collect(), employees: BTreeSet::new() })
    }

    /// Reads whom of the employees between two (both included) the policy pays.
    ///
    /// # Errors
    /// A store error.
    pub fn read(&mut self, tx: &mut Tx<'_>, company: Uuid, bounds: (Uuid, Uuid)) -> Result<(), Error> {
        if !self.days.is_empty() {
            self.employees = rows::employees_between(tx, company, bounds)?;
        }
        Ok(())
    }

    /// The hours of the holidays that fall in the employment, in millionths of an hour.
    pub fn hours(&self, employee: Uuid, pay: &Pay) -> i64 {
        let Some(job) = pay.primary().filter(|_| self.employees.contains(&employee)) else { return 0 };
        let days = self.days.iter().filter(|day| job.hire_date <= **day).count();
        i64::try_from(days).unwrap_or(0) * HOURS.millionths()
    }

    /// As [`PaidHolidays::hours`], where nobody entered other hours, none included.
    pub fn to_enter(&self, employee: Uuid, pay: &Pay, entered: &Entered) -> i64 {
        let is_entered = entered.time_off.iter().any(|line| line.kind == TimeOffKind::Holiday);
        if is_entered { 0 } else { self.hours(employee, pay) }
    }
}
