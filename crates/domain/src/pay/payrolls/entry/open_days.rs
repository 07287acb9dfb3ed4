//! The days and workweeks of a payroll for which an employee's hours can be entered.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::days::Days;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::pay::compensations::rows::Pay;
use crate::pay::payrolls::calendar::employed_days::days_held;
use crate::pay::payrolls::record::hours::{end_of, start_of};
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::workweek;
use crate::people::employment;

/// When hours can have been worked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenDays {
    /// the days of the payroll on which the employee was employed, in order
    pub days: Vec<Date>,
    /// the workweeks that have such days, whole
    pub weeks: Vec<Days>,
}

impl OpenDays {
    /// Reads them for an employee of a payroll.
    pub fn of(
        tx: &mut Tx<'_>,
        caller: &Caller,
        payroll: &Payroll,
        (employee, pay): (Uuid, &Pay),
    ) -> Result<Self, Error> {
        let employment = employment::rows::of_employee(tx, caller.company, employee)?;
        let first_day = workweek::first_day(tx, caller.company, payroll)?;
        let begun = pay.jobs.iter().filter(|job| job.hire_date <= payroll.end);
        let held = begun.flat_map(|job| {
            days_held(payroll, job.employment_dates(), Some(&employment)).days(payroll.days())
        });
        let ranges: Vec<Days> = held.collect();
        let is_held = |day: &Date| ranges.iter().any(|range| range.contains(*day));
        let days: Vec<Date> = payroll.start.series(1.day()).take_while(|day| *day <= payroll.end).collect();
        Ok(Self::among(days.into_iter().filter(is_held).collect(), first_day))
    }

    fn among(days: Vec<Date>, first_day: Date) -> Self {
        let mut weeks: Vec<Days> = days
            .iter()
            .map(|day| Days { first: start_of(first_day, *day), last: end_of(first_day, *day) })
            .collect();
        weeks.dedup();
        Self { days, weeks }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_workweek_is_listed_once_and_whole_though_only_some_of_its_days_are_paid() {
        // A Wednesday to the Tuesday after it; workweeks begin on Mondays.
        let days = date(2026, 6, 3).series(1.day()).take(7).collect();
        let open = OpenDays::among(days, date(2026, 6, 1));
        let weeks = [
            Days { first: date(2026, 6, 1), last: date(2026, 6, 7) },
            Days { first: date(2026, 6, 8), last: date(2026, 6, 14) },
        ];
        assert_eq!((open.days.len(), open.weeks.as_slice()), (7, &weeks[..]));
        assert_eq!(OpenDays::among(Vec::new(), date(2026, 6, 1)).weeks, []);
    }
}
