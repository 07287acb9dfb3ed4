//! The salary of a pay period, prorated over the days on which the job was held.

use super::segments::{Segment, segments};
use super::yearly;
use crate::amount::{Amount, Rounding};
use crate::compensation::annualised;
use crate::explain::{Operation, Step, Trace};
use crate::payroll::input::{Job, Payroll};
use crate::payroll::proration::shares;
use crate::ratio::Ratio;

/// Returns the prorated salary of the pay period.
pub(super) fn salary<T: Trace>(trace: &mut T, payroll: &Payroll, job: &Job) -> Option<Amount> {
    if !payroll.pays_salaries || !job.compensations.iter().any(|compensation| compensation.terms.is_salary())
    {
        return Some(Amount::ZERO);
    }
    let periods = payroll.frequency.periods_per_year();
    let held = shares((payroll.start, payroll.end), (payroll.frequency, payroll.proration), job.held());
    if held.is_empty() {
        return Some(Amount::ZERO);
    }
    let part: Vec<(Segment, (i64, i64))> = held
        .into_iter()
        .flat_map(|share| {
            let of_share = segments(job, (share.from, share.until)).into_iter();
            of_share.map(move |segment| (segment, share.part()))
        })
        .filter(|(segment, _)| segment.terms.is_salary())
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
