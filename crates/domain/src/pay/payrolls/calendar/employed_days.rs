//! The days of a payroll on which an employee was employed.

use jiff::civil::Date;
use rules::employment::{self, Pays};

use crate::pay::payrolls::record::payroll::Payroll;
use crate::people::employment::Employment;

/// Returns the days of a job, from the day on which it was hired for to its last day if it has ended, for which a payroll pays.
pub(in crate::pay::payrolls) fn days_held(
    payroll: &Payroll,
    (hired, last): (Date, Option<Date>),
    employment: Option<&Employment>,
) -> employment::Held {
    let pays = if payroll.pays_regular_wages() {
        Pays::Regular
    } else if payroll.is_dismissal() {
        Pays::Last(payroll.last_day)
    } else {
        Pays::Entered
    };
    let spans = employment.map(|recorded| recorded.employment_spans(hired));
    let held = spans.and_then(|spans| employment::paid_employment_days(&spans, payroll.days(), pays));
    let held = held.unwrap_or(employment::Held { from: hired, until: None, away: Vec::new() });
    let until = held.until.into_iter().chain(last).min();
    employment::Held { until, ..held }
}
