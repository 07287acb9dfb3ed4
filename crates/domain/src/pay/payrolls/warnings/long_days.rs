//! Hours of several payrolls together: days with more than 24, which were entered twice, and workweeks with more than 40 whose overtime is not
//! known.
//!
//! Within a payroll such hours are refused. The hours of another, processed payroll cannot be changed, so the paycheck warns.

use std::collections::BTreeMap;

use jiff::civil::Date;
use rules::Amount;
use rules::payroll::Job;

use crate::pay::payrolls::record::entered::Entered;
use crate::pay::payrolls::record::hours::{HOURS_OF_A_DAY, Hours};
use crate::pay::payrolls::record::kinds::HourlyKind;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::texts::{HOURS_BESIDE, HOURS_OF_DAY};
use crate::pay::payrolls::record::warning::Warning;

/// Hours of a workweek that are no overtime, in millionths.
const FORTY: Amount = Amount::from_cents(4_000);

/// Hours by day.
pub(in crate::pay::payrolls) type ByDay = BTreeMap<Date, Amount>;

/// Returns warnings about days that have more than 24 hours together with those of other payrolls.
pub(in crate::pay::payrolls) fn long_day_warnings(entered: &Entered, others: &ByDay) -> Vec<Warning> {
    let mut own = ByDay::new();
    add_hours_by_day(&mut own, entered);
    let with_others = |(day, hours)| others.get(&day).map(|more| (day, hours + *more));
    let long = own.into_iter().filter_map(with_others).filter(|(_, hours)| *hours > HOURS_OF_A_DAY);
    let warning = |(day, hours): (Date, Amount)| {
        HOURS_OF_DAY.to_warning(&[("day", &day), ("hours", &hours.to_text(3))])
    };
    long.map(warning).collect()
}

/// Adds the hours that were entered by day; hours without a date are ignored.
pub(in crate::pay::payrolls) fn add_hours_by_day(to: &mut ByDay, entered: &Entered) {
    for (day, hours) in entered.hourly.iter().filter_map(|line| Some((line.date?, line.hours))) {
        *to.entry(day).or_default() += hours;
    }
}

/// Warns of regular hours entered without their days beside those of another payroll of the pay period, if both together are more than 40 a
/// workweek: some of them are overtime, which only hours by day or workweek tell (29 USC 207(a)).
pub(in crate::pay::payrolls) fn beyond_workweeks(
    payroll: &Payroll,
    jobs: &[Job],
    entered: &Entered,
    earlier: Amount,
) -> Option<Warning> {
    let of_period = |line: &&Hours| line.of_period() && line.kind == HourlyKind::Regular;
    let own: Amount = entered.hourly.iter().filter(of_period).map(|line| line.hours).sum();
    let covered = |job: &Job| job.compensations.iter().any(|one| one.terms.flsa.earns_overtime());
    let weeks = match payroll.frequency.is_of_workweeks() {
        true => 52 / payroll.frequency.periods_per_year(),
        false => i64::from((payroll.end - payroll.start).get_days()) / 7 + 1,
    };
    let both = own + earlier;
    let beyond =
        own > Amount::ZERO && earlier > Amount::ZERO && both > FORTY * weeks && jobs.iter().any(covered);
    beyond.then(|| HOURS_BESIDE.to_warning(&[("hours", &own.to_text(3)), ("earlier", &earlier.to_text(3))]))
}
