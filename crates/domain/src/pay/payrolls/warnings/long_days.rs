//! Days with more than 24 hours across several payrolls: hours were entered twice.
//!
//! Within a payroll such hours are refused. The hours of another, processed payroll cannot be changed, so the paycheck warns.

use std::collections::BTreeMap;

use jiff::civil::Date;
use rules::Amount;

use crate::pay::payrolls::entry::entered::Entered;
use crate::pay::payrolls::entry::hours::HOURS_OF_A_DAY;
use crate::pay::payrolls::paid::Warning;
use crate::pay::payrolls::warnings::texts::HOURS_OF_DAY;

/// Millionths of an hour by day.
pub(in crate::pay::payrolls) type ByDay = BTreeMap<Date, i64>;

/// Returns warnings about days that have more than 24 hours together with those of other payrolls.
pub(in crate::pay::payrolls) fn warnings(entered: &Entered, others: &ByDay) -> Vec<Warning> {
    let mut own = ByDay::new();
    add(&mut own, entered);
    let with_others = |(day, hours)| others.get(&day).map(|more| (day, hours + more));
    let long = own.into_iter().filter_map(with_others).filter(|(_, hours)| *hours > HOURS_OF_A_DAY);
    let warning = |(day, hours): (Date, i64)| {
        HOURS_OF_DAY.warning(&[("day", &day), ("hours", &Amount::from_millionths(hours).to_text(3))])
    };
    long.map(warning).collect()
}

/// Adds the hours that were entered by day; hours without a date are ignored.
pub(in crate::pay::payrolls) fn add(to: &mut ByDay, entered: &Entered) {
    for (day, hours) in entered.hourly.iter().filter_map(|line| Some((line.date?, line.hours))) {
        *to.entry(day).or_default() += hours;
    }
}
