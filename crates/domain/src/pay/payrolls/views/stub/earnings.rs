//! Earnings, line by line: in this paycheck, and year to date.

use std::collections::BTreeMap;

use rules::Amount;
use rules::amount::dollars_text;
use rules::compensation::{PayTerms, PaymentUnit};
use rules::money::money;
use rules::payroll::{Compensation, Job};

use crate::language::fill;
use crate::pay::payrolls::record::kinds::{FixedKind, HourlyKind};
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::views::stub::year::OfYear;
use crate::pay::payrolls::views::stub::{Words, amount, hours, line, total};
use crate::people::forms::document::{LineKind, Section};

/// A line under which earnings are totaled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Earning {
    /// index of the job; `None` for amounts, which are totaled over all jobs
    job: Option<usize>,
    name: String,
}

/// What a line pays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Earned {
    /// hours with their rates, or the rate of a salary, as shown; `None` for amounts, and where the inputs cannot be read
    basis: Option<String>,
    /// millionths of a dollar
    pub(super) paid: i64,
}

impl Earned {
    const fn amount(paid: i64) -> Self {
        Self { basis: None, paid }
    }
}

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
    let rest: Vec<_> = rest.map(|earning| (earning.clone(), Earned::amount(0))).collect();
    lines.extend(rest);
    let of_second = |earning: &Earning| earning.job.is_some_and(|place| place > 0);
    let several = paid.jobs.len() > 1 || lines.iter().any(|(earning, _)| of_second(earning));
    let mut unknown = year.map_or(0, |year| year.sums.gross);
    let mut shown = Vec::with_capacity(lines.len() + 2);
    for (earning, Earned { basis, paid: paid_for }) in lines {
        let so_far = before.get(&earning).copied().unwrap_or(0) + paid_for;
        unknown -= so_far;
        if paid_for == 0 && so_far == 0 {
            continue;
        }
        let so_far = year.map(|_| dollars_text(so_far)).unwrap_or_default();
        shown.push(amount(earning.label(w, several, basis.as_deref()), paid_for).to_date(so_far));
    }
    // Opening balances, and paychecks whose inputs cannot be read.
    if year.is_some() && unknown != 0 {
        shown.push(
            line(w.further_of_year, dollars_text(0)).of(LineKind::Dollars).to_date(dollars_text(unknown)),
        );
    }
    let gross = year.map(|year| dollars_text(year.sums.gross)).unwrap_or_default();
    shown.push(total(w.gross, outcome.gross).to_date(gross));
    crate::pay::payrolls::views::stub::section(w.earnings, shown)
}

/// Returns the lines of a paycheck as they are labelled, with millionths of a dollar.
pub(super) fn labelled(
    w: &Words,
    outcome: &Outcome,
    paid: &Paid,
    inputs: Option<&PaycheckInputs>,
) -> Vec<(String, i64)> {
    let lines = lines(w, outcome, paid, inputs);
    let several = paid.jobs.len() > 1;
    let label = |(earning, earned): &(Earning, Earned)| {
        (earning.label(w, several, earned.basis.as_deref()), earned.paid)
    };
    lines.iter().map(label).collect()
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
    for (earning, earned) in all {
        match lines.iter_mut().find(|(known, _)| *known == earning) {
            Some((_, held)) => {
                held.paid += earned.paid;
                held.basis = held.basis.take().or(earned.basis);
            }
            None => lines.push((earning, earned)),
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

    /// Returns the label of the line, with the job's number if there are several, and with hours and rates.
    fn label(&self, w: &Words, several: bool, basis: Option<&str>) -> String {
        let name = match self.job {
            Some(place) if several => {
                fill(w.of_job, &[("name", &self.name), ("number", &(place + 1).to_string())])
            }
            _ => self.name.clone(),
        };
        match basis {
            Some(basis) => fill(w.with, &[("name", &name), ("basis", basis)]),
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
            lines.push((Earning::of_job(place, name), Earned::amount(paid_for)));
        }
    }
    if rest != 0 {
        lines.push((Earning::amount(w.further), Earned::amount(rest)));
    }
    lines
}

fn as_entered(w: &Words, paid: &Paid, inputs: &PaycheckInputs) -> Vec<(Earning, Earned)> {
    let mut lines = Vec::new();
    for (place, (job, pay)) in inputs.jobs.iter().zip(&paid.jobs).enumerate() {
        let of = |name: &str| Earning::of_job(place, name);
        if pay.salary > 0 {
            lines.push((of(w.salary), Earned { basis: salary_rate(w, job), paid: pay.salary }));
        }
        for (kind, paid_for) in HourlyKind::ALL.iter().zip(pay.hourly) {
            if paid_for > 0 {
                let basis = hours_at_rates(w, job, hours(job, pay, *kind), *kind, paid_for);
                lines.push((of(w.hourly(*kind)), Earned { basis: Some(basis), paid: paid_for }));
            }
        }
        for ((kind, off), paid_for) in inputs.time_off.iter().zip(&job.time_off).zip(&pay.time_off) {
            let hours = Amount::from_millionths(off.hours.millionths() + off.paid_out.millionths());
            let basis = hours_at_rates(w, job, hours, HourlyKind::Regular, *paid_for);
            lines.push((of(w.off(*kind)), Earned { basis: Some(basis), paid: *paid_for }));
        }
        for (name, paid_for) in
            [(w.premium, pay.recalculated), (w.fixed(FixedKind::MinimumWageAdjustment), pay.make_up)]
        {
            if paid_for > 0 {
                lines.push((of(name), Earned::amount(paid_for)));
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
    lines.extend(amounts.into_iter().map(|(name, paid)| (Earning::amount(name), Earned::amount(paid))));
    lines
}

/// Returns the rate of a job's salary, if one applies to the whole pay period.
fn salary_rate(w: &Words, job: &Job) -> Option<String> {
    match job.compensations.as_slice() {
        [only] => w.salary_rate(&only.terms),
        _ => None,
    }
}

/// Returns hours with the rates that pay for them, such as `80.00 h at $20.00`, or `40.00 h at $20.00 + 40.00 h at $21.00` after a raise. Only
/// the hours where the pay is not the product: overtime at the regular rate of several jobs, or with a bonus.
fn hours_at_rates(w: &Words, job: &Job, hours: Amount, kind: HourlyKind, paid_for: i64) -> String {
    let text = |(hours, rate): &(i64, i64)| {
        let (hours, rate) =
            (Amount::from_millionths(*hours).to_text(2), money(Amount::from_millionths(*rate)));
        fill(w.hours_at, &[("hours", &hours), ("rate", &rate)])
    };
    let parts = rates(job, hours, kind);
    let product: i128 =
        parts.iter().map(|(hours, rate)| i128::from(*hours) * i128::from(*rate) / 1_000_000).sum();
    // Each part is rounded to the cent by itself.
    let allowed = 10_000 * i128::try_from(parts.len()).unwrap_or(1);
    if parts.is_empty() || (product - i128::from(paid_for)).abs() > allowed {
        return fill(w.hours, &[("hours", &hours.to_text(2))]);
    }
    parts.iter().map(text).collect::<Vec<_>>().join(" + ")
}

/// Returns the hours of a kind at each hourly rate, in millionths; none if the rate of some of them is not known.
fn rates(job: &Job, hours: Amount, kind: HourlyKind) -> Vec<(i64, i64)> {
    let multiplied = |terms: &PayTerms| terms.rate.millionths() * kind.tenths() / 10;
    let is_hourly = |one: &Compensation| one.terms.unit == PaymentUnit::Hour;
    if !job.compensations.iter().all(is_hourly) {
        return Vec::new();
    }
    if let [only] = job.compensations.as_slice() {
        return vec![(hours.millionths(), multiplied(&only.terms))];
    }
    let mut parts: Vec<(i64, i64)> = Vec::new();
    for worked in job.worked.iter().chain(&job.by_week).filter(|_| kind == HourlyKind::Regular) {
        let last = job.compensations.iter().rfind(|one| one.effective <= worked.from);
        let Some(terms) = last.or(job.compensations.first()).map(|one| &one.terms) else { return Vec::new() };
        match parts.iter_mut().find(|(_, rate)| *rate == multiplied(terms)) {
            Some((held, _)) => *held += worked.regular.millionths(),
            None => parts.push((worked.regular.millionths(), multiplied(terms))),
        }
    }
    let known: i64 = parts.iter().map(|(hours, _)| hours).sum();
    if known == hours.millionths() { parts } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use rules::compensation::FlsaStatus;
    use rules::payroll::Worked;

    use super::*;

    fn job(rates: &[(i8, &str)], worked: &[(i8, i8, &str)]) -> Job {
        let amount = |text: &str| Amount::parse(text).unwrap();
        let compensation = |(day, rate): &(i8, &str)| Compensation {
            effective: date(2026, 6, *day),
            terms: PayTerms { rate: amount(rate), unit: PaymentUnit::Hour, flsa: FlsaStatus::Nonexempt },
            floors: Vec::new(),
        };
        let days = |(from, until, hours): &(i8, i8, &str)| Worked {
            from: date(2026, 6, *from),
            until: date(2026, 6, *until),
            regular: amount(hours),
            overtime: Amount::ZERO,
            double_overtime: Amount::ZERO,
        };
        Job {
            hired: date(2026, 1, 1),
            left: None,
            away: None,
            away_again: Vec::new(),
            compensations: rates.iter().map(compensation).collect(),
            later: Vec::new(),
            worked: worked.iter().map(days).collect(),
            by_week: Vec::new(),
            paid_before: Vec::new(),
            agreed_overtime_rate: false,
            fluctuating_workweek: false,
            time_off: Vec::new(),
        }
    }

    #[test]
    fn hours_stand_with_their_rates_where_these_make_the_amount() {
        let of = |job: &Job, hours: &str, kind, paid: &str| {
            let amount = |text: &str| Amount::parse(text).unwrap();
            hours_at_rates(
                crate::pay::payrolls::views::stub::words::of(crate::language::Language::English),
                job,
                amount(hours),
                kind,
                amount(paid).millionths(),
            )
        };
        let one = job(&[(1, "20.00")], &[(1, 14, "80")]);
        let spanish = crate::pay::payrolls::views::stub::words::of(crate::language::Language::Spanish);
        let eighty = Amount::parse("80").unwrap();
        let paid = Amount::parse("1600").unwrap().millionths();
        assert_eq!(hours_at_rates(spanish, &one, eighty, HourlyKind::Regular, paid), "80.00 h a $20.00");
        assert_eq!(of(&one, "80", HourlyKind::Regular, "1600.00"), "80.00 h at $20.00");
        assert_eq!(of(&one, "5", HourlyKind::Overtime, "150.00"), "5.00 h at $30.00");
        assert_eq!(
            of(&one, "5", HourlyKind::Overtime, "161.00"),
            "5.00 h",
            "a bonus is part of the regular rate"
        );
        assert_eq!(of(&one, "33.333", HourlyKind::Regular, "666.66"), "33.333 h at $20.00");
        let raised = job(&[(1, "20.00"), (8, "1021.50")], &[(1, 7, "40"), (8, 14, "40")]);
        assert_eq!(
            of(&raised, "80", HourlyKind::Regular, "41660.00"),
            "40.00 h at $20.00 + 40.00 h at $1,021.50"
        );
        assert_eq!(of(&raised, "70", HourlyKind::Regular, "1400.00"), "70.00 h");
    }
}
