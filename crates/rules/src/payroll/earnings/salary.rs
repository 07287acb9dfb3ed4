//! The salary of a pay period, prorated over the days on which the job was held.

use jiff::civil::Date;

use super::segments::{Segment, segments};
use crate::amount::{Amount, Rounding};
use crate::compensation::annualised;
use crate::explain::{Operation, Step, Trace};
use crate::payroll::input::{Job, Payroll};
use crate::payroll::proration::{Proration, Share, shares};
use crate::ratio::Ratio;
use crate::withholding::federal::PayFrequency;

/// Days on which a salary has one rate, and the part of their pay period in which the job was held.
type Part<'j> = (Segment<'j>, (i64, i64));

/// Returns the salary of a job for a range of days, prorated if the job is held on only some of them; zero while it is paid hourly.
///
/// `None` on overflow.
pub fn salary_of_days(
    days: (Date, Date),
    (frequency, proration): (PayFrequency, Proration),
    job: &Job,
) -> Option<Amount> {
    let parts = salaried(job, shares(days, (frequency, proration), &job.held()));
    let mut sum = Ratio::ZERO;
    for part in &parts {
        sum = sum.plus(pay(frequency, part)?)?;
    }
    sum.to_cents(Rounding::HalfUp)
}

fn salaried(job: &Job, held: Vec<Share>) -> Vec<Part<'_>> {
    let of_share = |share: Share| {
        let of_share = segments(job, (share.from, share.until)).into_iter();
        of_share.map(move |segment| (segment, share.part()))
    };
    held.into_iter().flat_map(of_share).filter(|(segment, _)| segment.terms.is_salary()).collect()
}

fn pay(frequency: PayFrequency, (segment, held): &Part<'_>) -> Option<Ratio> {
    let periods = frequency.periods_per_year();
    let a_year = annualised(segment.terms, Some(periods)).map(Ratio::of)?;
    a_year.times(1, periods)?.times(held.0, held.1)?.times(segment.days, segment.of)
}

/// Returns the prorated salary of the pay period.
pub(super) fn salary<T: Trace>(trace: &mut T, payroll: &Payroll, job: &Job) -> Option<Amount> {
    if !payroll.pays_salaries || !job.compensations.iter().any(|compensation| compensation.terms.is_salary())
    {
        return Some(Amount::ZERO);
    }
    let periods = payroll.frequency.periods_per_year();
    let held = shares((payroll.start, payroll.end), (payroll.frequency, payroll.proration), &job.held());
    if held.is_empty() {
        return Some(Amount::ZERO);
    }
    let part = salaried(job, held);
    let name = |segment: &Segment| format!("salary_from_{}", segment.from);
    let each = |one: &Part| pay(payroll.frequency, one);
    trace.open();
    let mut sum = Ratio::ZERO;
    for one in &part {
        let paid = each(one)?;
        let (segment, held) = one;
        trace.leaf(|| {
            let a_year = annualised(segment.terms, Some(periods)).unwrap_or(Amount::ZERO);
            Step::new(name(segment), Operation::Product, paid.to_value())
                .input("a_year", a_year)
                .ratio("pay_periods", 1, periods)
                .ratio("days_employed", held.0, held.1)
                .ratio("days", segment.days, segment.of)
        });
        sum = sum.plus(paid)?;
    }
    let salary = sum.to_cents(Rounding::HalfUp)?;
    trace.close(|| {
        let step = Step::new("salary", Operation::Sum, salary)
            .input("nothing", Amount::ZERO)
            .rounded("0.01", Rounding::HalfUp);
        part.iter().fold(step, |step, one| match each(one) {
            Some(paid) => step.input(name(&one.0), paid.to_value()),
            None => step,
        })
    });
    Some(salary)
}
