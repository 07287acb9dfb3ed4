//! Earnings, line by line: in this paycheck, and year to date.

use std::collections::BTreeMap;

use rules::Amount;
use rules::amount::dollars_text;

use super::year::OfYear;
use super::{Words, amount, hours, line, total};
use crate::language::fill;
use crate::pay::payrolls::calculation::inputs::PaycheckInputs;
use crate::pay::payrolls::entry::entered::{FixedKind, HourlyKind};
use crate::pay::payrolls::paid::{Outcome, Paid};
use crate::people::forms::document::{LineKind, Section};

/// A line under which earnings are totaled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Earning {
    /// index of the job; `None` for amounts, which are totaled over all jobs
    job: Option<usize>,
    name: String,
}

/// Hours of a line, if known, and millionths of a dollar.
type Earned = (Option<Amount>, i64);

/// Returns the section of earnings; without hours, and with further earnings in one line, if the inputs cannot be read.
pub(super) fn section(
    w: &Words,
    (outcome, paid, inputs): (&Outcome, &Paid, Option<&PaycheckInputs>),
    year: Option<&OfYear>,
) -> Section {
    let mut lines = lines(w, outcome, paid, inputs);
    let nothing = BTreeMap::new();
    let before = year.map_or(&nothing, |year| &year.earned);
    let rest = before.keys().filter(|earning| !lines.iter().any(|(known, _)| known == *earning));
    let rest: Vec<_> = rest.map(|earning| (earning.clone(), (None, 0))).collect();
    lines.extend(rest);
    let of_second = |earning: &Earning| earning.job.is_some_and(|place| place > 0);
    let several = paid.jobs.len() > 1 || lines.iter().any(|(earning, _)| of_second(earning));
    let mut unknown = year.map_or(0, |year| year.sums.gross);
    let mut shown = Vec::with_capacity(lines.len() + 2);
    for (earning, (hours, paid_for)) in lines {
        let so_far = before.get(&earning).copied().unwrap_or(0) + paid_for;
        unknown -= so_far;
        if paid_for == 0 && so_far == 0 {
            continue;
        }
        let so_far = year.map(|_| dollars_text(so_far)).unwrap_or_default();
        shown.push(amount(earning.label(w, several, hours), paid_for).to_date(so_far));
    }
    // Opening balances, and paychecks whose inputs cannot be read.
    if year.is_some() && unknown != 0 {
        shown.push(
            line(w.further_of_year, dollars_text(0)).of(LineKind::Dollars).to_date(dollars_text(unknown)),
        );
    }
    let gross = year.map(|year| dollars_text(year.sums.gross)).unwrap_or_default();
    shown.push(total(w.gross, outcome.gross).to_date(gross));
    super::section(w.earnings, shown)
}

/// Returns the lines of a paycheck, each once.
pub(super) fn lines(
    w: &Words,
    outcome: &Outcome,
    paid: &Paid,
    inputs: Option<&PaycheckInputs>,
) -> Vec<(Earning, Earned)> {
    let all = match inputs {
        Some(inputs) => as_entered(w, paid, inputs),
        None => as_paid(w, outcome, paid),
    };
    let mut lines: Vec<(Earning, Earned)> = Vec::with_capacity(all.len());
    for (earning, (hours, paid_for)) in all {
        match lines.iter_mut().find(|(known, _)| *known == earning) {
            Some((_, held)) => *held = (held.0.or(hours), held.1 + paid_for),
            None => lines.push((earning, (hours, paid_for))),
        }
    }
    lines
}

impl Earning {
    fn of_job(job: usize, name: &str) -> Self {
        Self { job: Some(job), name: name.to_owned() }
    }

    fn amount(name: &str) -> Self {
        Self { job: None, name: name.to_owned() }
    }

    /// Returns the label of the line, with the job's number if there are several.
    fn label(&self, w: &Words, several: bool, hours: Option<Amount>) -> String {
        let name = match self.job {
            Some(place) if several => {
                fill(w.of_job, &[("name", &self.name), ("number", &(place + 1).to_string())])
            }
            _ => self.name.clone(),
        };
        match hours {
            Some(hours) => fill(w.hours, &[("name", &name), ("hours", &hours.to_text(2))]),
            None => name,
        }
    }
}

fn as_paid(w: &Words, outcome: &Outcome, paid: &Paid) -> Vec<(Earning, Earned)> {
    let mut lines = Vec::new();
    let mut rest = outcome.gross.millionths();
    for (place, pay) in paid.jobs.iter().enumerate() {
        let hourly = HourlyKind::ALL.iter().map(|kind| w.hourly(*kind)).zip(pay.hourly);
        let others = [
            (w.salary, pay.salary),
            (w.time_off_paid, pay.time_off.iter().sum()),
            (w.fixed(FixedKind::MinimumWageAdjustment), pay.make_up),
            (w.premium, pay.recalculated),
        ];
        for (name, paid_for) in hourly.chain(others).filter(|(_, paid_for)| *paid_for > 0) {
            rest -= paid_for;
            lines.push((Earning::of_job(place, name), (None, paid_for)));
        }
    }
    if rest != 0 {
        lines.push((Earning::amount(w.further), (None, rest)));
    }
    lines
}

fn as_entered(w: &Words, paid: &Paid, inputs: &PaycheckInputs) -> Vec<(Earning, Earned)> {
    let mut lines = Vec::new();
    for (place, (job, pay)) in inputs.jobs.iter().zip(&paid.jobs).enumerate() {
        let of = |name: &str| Earning::of_job(place, name);
        if pay.salary > 0 {
            lines.push((of(w.salary), (None, pay.salary)));
        }
        for (kind, paid_for) in HourlyKind::ALL.iter().zip(pay.hourly) {
            if paid_for > 0 {
                lines.push((of(w.hourly(*kind)), (Some(hours(job, pay, *kind)), paid_for)));
            }
        }
        for ((kind, off), paid_for) in inputs.time_off.iter().zip(&job.time_off).zip(&pay.time_off) {
            let hours = Amount::from_millionths(off.hours.millionths() + off.paid_out.millionths());
            lines.push((of(w.off(*kind)), (Some(hours), *paid_for)));
        }
        for (name, paid_for) in
            [(w.premium, pay.recalculated), (w.fixed(FixedKind::MinimumWageAdjustment), pay.make_up)]
        {
            if paid_for > 0 {
                lines.push((of(name), (None, paid_for)));
            }
        }
    }
    let fixed = inputs.fixed.iter().map(|fixed| (w.fixed(fixed.name), fixed.pay.amount));
    let custom = inputs.custom.iter().map(|custom| (custom.name.as_str(), custom.pay.amount));
    let mut amounts: Vec<(&str, i64)> = Vec::new();
    // An amount that is divided by workweek is one line of a stub.
    for (name, paid) in fixed.chain(custom) {
        match amounts.iter_mut().find(|(held, _)| *held == name) {
            Some((_, sum)) => *sum += paid.millionths(),
            None => amounts.push((name, paid.millionths())),
        }
    }
    lines.extend(amounts.into_iter().map(|(name, paid)| (Earning::amount(name), (None, paid))));
    lines
}
