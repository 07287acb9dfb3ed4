//! The salary of a pay period, prorated over the days on which the job was held.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::segments::{Segment, cut_segments};
use super::yearly_pay;
use crate::amount::{Amount, Rounding};
use crate::compensation::{PayTerms, annualized_pay};
use crate::days::Days;
use crate::explain::{Operation, Step, Trace};
use crate::full_time::HOURS_PER_YEAR;
use crate::payroll::input::{Job, Payroll};
use crate::payroll::proration::{Proration, Share, employment_shares};
use crate::ratio::Ratio;
use crate::withholding::federal::PayFrequency;

/// Days on which a salary has one rate, and the part of their pay period in which the job was held.
type Part<'j> = (Segment<'j>, (i64, i64));

/// Returns the salary of a job for a range of days, prorated if the job is held on only some of them; zero while it is paid hourly.
///
/// `None` on overflow.
pub fn salary_of_days(
    days: Days,
    (frequency, proration): (PayFrequency, Proration),
    job: &Job,
) -> Option<Amount> {
    let parts = salaried_parts(job, employment_shares(days, (frequency, proration), &job.days_held()));
    let mut sum = Ratio::ZERO;
    for part in &parts {
        sum = sum.plus(salary_of_part(frequency, part)?)?;
    }
    sum.to_cents(Rounding::HalfUp)
}

fn salaried_parts(job: &Job, held: Vec<Share>) -> Vec<Part<'_>> {
    let of_share = |share: Share| {
        let of_share = cut_segments(job, Days { first: share.from, last: share.until }).into_iter();
        of_share.map(move |segment| (segment, share.day_fraction()))
    };
    held.into_iter().flat_map(of_share).filter(|(segment, _)| segment.terms.is_salary()).collect()
}

fn salary_of_part(frequency: PayFrequency, (segment, held): &Part<'_>) -> Option<Ratio> {
    let periods = frequency.periods_per_year();
    let a_year = annualized_pay(segment.terms, Some(periods)).map(Ratio::from_amount)?;
    a_year.times(1, periods)?.times(held.0, held.1)?.times(segment.days, segment.of)
}

/// Hours of a full day of work.
const FULL_DAY: Amount = Amount::from_cents(800);

/// Returns the hours of leave without pay that may lower the salary of a job with these terms: all of them if it earns overtime; otherwise
/// those of full days, because whoever is exempt is paid for every day with any work (29 CFR 541.602(a)(1), (b)(1)). Hours whose days are
/// not known are of as many full days as they fill. Not covered are the exceptions for family and medical leave (541.602(b)(7)).
///
/// `None` on overflow.
pub fn deductible_hours(job: &Job, terms: &PayTerms) -> Option<Amount> {
    let unpaid = || job.time_off.iter().filter(|off| off.unpaid);
    let all = unpaid().map(|off| off.hours).try_fold(Amount::ZERO, Amount::checked_add)?;
    if terms.flsa.earns_overtime() {
        return Some(all);
    }
    let mut by_day: BTreeMap<Date, Amount> = BTreeMap::new();
    for off in unpaid().flat_map(|off| &off.days) {
        let hours = by_day.entry(off.day).or_default();
        *hours = hours.checked_add(off.hours)?;
    }
    let dated = by_day.values().copied().try_fold(Amount::ZERO, Amount::checked_add)?;
    let mut full_days = by_day.values().copied().filter(|hours| *hours >= FULL_DAY);
    let of_days = full_days.try_fold(Amount::ZERO, Amount::checked_add)?;
    let undated = all.checked_sub(dated)?.max(Amount::ZERO).millionths();
    let full = undated / FULL_DAY.millionths() * FULL_DAY.millionths();
    of_days.checked_add(Amount::from_millionths(full))
}

/// Returns the prorated salary of the pay period, less leave without pay at the salary's rate for an hour: a year's pay divided by 2,080.
pub(super) fn prorated_salary<T: Trace>(trace: &mut T, payroll: &Payroll, job: &Job) -> Option<Amount> {
    if !payroll.pays_salaries || !job.compensations.iter().any(|compensation| compensation.terms.is_salary())
    {
        return Some(Amount::ZERO);
    }
    let periods = payroll.frequency.periods_per_year();
    let held = employment_shares(payroll.days(), (payroll.frequency, payroll.proration), &job.days_held());
    if held.is_empty() {
        return Some(Amount::ZERO);
    }
    let part = salaried_parts(job, held);
    let terms = part.last().map(|(segment, _)| segment.terms);
    let unpaid = terms.map_or(Some(Amount::ZERO), |terms| deductible_hours(job, terms))?;
    if unpaid > Amount::ZERO {
        trace.open_figure();
    }
    let name = |segment: &Segment| format!("salary_from_{}", segment.from);
    let each = |one: &Part| salary_of_part(payroll.frequency, one);
    trace.open_figure();
    let mut sum = Ratio::ZERO;
    for one in &part {
        let paid = each(one)?;
        let (segment, held) = one;
        trace.add_leaf(|| {
            let a_year = annualized_pay(segment.terms, Some(periods)).unwrap_or(Amount::ZERO);
            Step::new(name(segment), Operation::Product, paid.to_value())
                .input("a_year", a_year)
                .ratio("pay_periods", 1, periods)
                .ratio("days_employed", held.0, held.1)
                .ratio("days", segment.days, segment.of)
        });
        sum = sum.plus(paid)?;
    }
    let salary = sum.to_cents(Rounding::HalfUp)?;
    let figure = if unpaid > Amount::ZERO { "salary_of_the_period" } else { "salary" };
    trace.close_figure(|| {
        let step = Step::new(figure, Operation::Sum, salary)
            .input("nothing", Amount::ZERO)
            .rounded("0.01", Rounding::HalfUp);
        part.iter().fold(step, |step, one| match each(one) {
            Some(paid) => step.input(name(&one.0), paid.to_value()),
            None => step,
        })
    });
    match terms {
        Some(terms) if unpaid > Amount::ZERO => less_unpaid(trace, payroll, (salary, unpaid), terms),
        _ => Some(salary),
    }
}

/// Returns what hours of leave without pay leave of a salary.
fn less_unpaid<T: Trace>(
    trace: &mut T,
    payroll: &Payroll,
    (salary, hours): (Amount, Amount),
    terms: &PayTerms,
) -> Option<Amount> {
    let rate = yearly_pay(payroll, terms)?.times(1, HOURS_PER_YEAR)?;
    let unpaid = Ratio::from_amount(hours).product(rate)?.to_cents(Rounding::HalfUp)?;
    let left = salary.checked_sub(unpaid)?.max(Amount::ZERO);
    trace.add_leaf(|| {
        Step::new("unpaid_leave", Operation::Product, unpaid)
            .input("hours", hours)
            .input("rate_an_hour", rate.to_value())
            .rounded("0.01", Rounding::HalfUp)
            .source("29 CFR 541.602")
    });
    trace.close_figure(|| {
        Step::new("salary", Operation::Remaining, left)
            .input("salary_of_the_period", salary)
            .input("unpaid_leave", unpaid)
    });
    Some(left)
}
