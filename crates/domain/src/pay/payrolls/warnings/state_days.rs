//! State laws on single days whose pay is not calculated: premium pay for Sundays and holidays in Rhode Island, and spread-of-hours pay in
//! New York. The paycheck warns where they may require more pay.

use rules::Amount;
use std::collections::BTreeMap;

use jiff::civil::Date;
use rules::holiday_pay::is_paid_more_in_rhode_island;
use rules::payroll::Job;

use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::facts::member::MemberFacts;
use crate::pay::payrolls::record::hours::Hours;
use crate::pay::payrolls::record::texts;
use crate::pay::payrolls::record::warning::Warning;

/// Hours in a day above which New York requires an extra hour of pay.
const SPREAD: Amount = Amount::from_cents(1_000);

/// Returns warnings about the hours entered; none unless one of the jobs earns overtime.
pub(in crate::pay::payrolls) fn state_day_warnings(
    context: &Context,
    member: &MemberFacts<'_>,
    jobs: &[Job],
) -> Vec<Warning> {
    let earns_overtime = |job: &Job| job.compensations.iter().any(|one| one.terms.flsa.earns_overtime());
    if !jobs.iter().any(earns_overtime) {
        return Vec::new();
    }
    let state_of = |line: &Hours| {
        let day = line.date.unwrap_or(context.payroll.end);
        let usual = || Some(member.work_address_on(day)?.location);
        let place = context.places.get(&line.location.or_else(usual)?)?;
        Some(place.state.as_str())
    };
    let worked = || member.entered.hourly.iter().filter(|line| line.hours > Amount::ZERO);
    let of_state = |state: &'static str| worked().filter(move |line| state_of(line) == Some(state));
    let mut paid_more: Vec<Date> = of_state("RI").filter_map(|line| line.date).collect();
    paid_more.retain(|day| is_paid_more_in_rhode_island(*day));
    paid_more.sort_unstable();
    paid_more.dedup();
    let mut by_day: BTreeMap<Date, Amount> = BTreeMap::new();
    for (line, day) in of_state("NY").filter_map(|line| Some((line, line.date?))) {
        *by_day.entry(day).or_default() += line.hours;
    }
    let long = by_day.into_iter().find(|(_, hours)| *hours > SPREAD).map(|(day, _)| day);
    let undated = paid_more.is_empty() && of_state("RI").any(|line| line.date.is_none());
    let sundays = if undated {
        Some(texts::SUNDAYS_NOT_KNOWN.to_warning(&[]))
    } else {
        sunday_holiday_warning(&paid_more)
    };
    sundays.into_iter().chain(long.map(|day| texts::SPREAD_OF_HOURS.to_warning(&[("day", &day)]))).collect()
}

fn sunday_holiday_warning(days: &[Date]) -> Option<Warning> {
    let named: Vec<String> = days.iter().map(ToString::to_string).collect();
    (!days.is_empty()).then(|| texts::SUNDAYS_AND_HOLIDAYS.to_warning(&[("days", &named.join(", "))]))
}
