//! The salary of a pay period, prorated over the days on which the job was held.

use jiff::ToSpan;
use jiff::civil::Date;

use super::segments::{Segment, segments};
use super::{employed, yearly};
use crate::amount::{Amount, Rounding};
use crate::compensation::{PayTerms, PaymentUnit, annualised};
use crate::explain::{Operation, Step, Trace};
use crate::payroll::input::{Job, Payroll};
use crate::payroll::schedule::days_between;
use crate::ratio::Ratio;

/// Returns the days of the pay period on which the job was held, without those between leaving and coming back.
fn stretches_held(payroll: &Payroll, job: &Job) -> Vec<(Date, Date)> {
    let Some((from, until)) = employed(payroll, job) else { return Vec::new() };
    let stretches = match job.away {
        None => vec![(from, until)],
        Some((first, last)) => vec![
            (from, until.min(first.saturating_sub(1.day()))),
            (from.max(last.saturating_add(1.day())), until),
        ],
    };
    stretches.into_iter().filter(|(from, until)| from <= until).collect()
}

/// Returns the prorated salary of the pay period.
pub(super) fn salary<T: Trace>(trace: &mut T, payroll: &Payroll, job: &Job) -> Option<Amount> {
    let is_salary = |terms: &PayTerms| terms.unit != PaymentUnit::Hour && terms.rate != Amount::ZERO;
    if !payroll.pays_salaries || !job.compensations.iter().any(|compensation| is_salary(&compensation.terms))
    {
        return Some(Amount::ZERO);
    }
    let periods = payroll.frequency.periods_per_year();
    let stretches = stretches_held(payroll, job);
    if stretches.is_empty() {
        return Some(Amount::ZERO);
    }
    let part: Vec<(Segment, (i64, i64))> = stretches
        .into_iter()
        .flat_map(|(from, until)| {
            let held = match payroll.whole_days {
                None if (from, until) == (payroll.start, payroll.end) => (1, 1),
                whole => {
                    let days = |from, until| i64::from(days_between(from, until)) + 1;
                    (days(from, until), whole.unwrap_or(days(payroll.start, payroll.end)))
                }
            };
            segments(job, (from, until)).into_iter().map(move |segment| (segment, held))
        })
        .filter(|(segment, _)| is_salary(segment.terms))
        .collect();
    let name = |segment: &Segment| format!("salary_from_{}", segment.from);
    let each = |(segment, held): &(Segment, (i64, i64))| {
        yearly(payroll, segment.terms)?
            .times(1, periods)?
            .times(held.0, held.1)?
            .times(segment.days, segment.of)
    };
    trace.open();
    let mut sum = Ratio::ZERO;
    for one in &part {
        let pay = each(one)?;
        let (segment, held) = one;
        trace.leaf(|| {
            let a_year = annualised(segment.terms, Some(periods)).unwrap_or(Amount::ZERO);
            Step::new(name(segment), Operation::Product, pay.to_value())
                .input("a_year", a_year)
                .ratio("pay_periods", 1, periods)
                .ratio("days_employed", held.0, held.1)
                .ratio("days", segment.days, segment.of)
        });
        sum = sum.plus(pay)?;
    }
    let salary = sum.to_cents(Rounding::HalfUp)?;
    trace.close(|| {
        let step = Step::new("salary", Operation::Sum, salary)
            .input("nothing", Amount::ZERO)
            .rounded("0.01", Rounding::HalfUp);
        part.iter().fold(step, |step, one| match each(one) {
            Some(pay) => step.input(name(&one.0), pay.to_value()),
            None => step,
        })
    });
    Some(salary)
}
