//! Earnings, line by line: in this paycheck, and year to date.

use std::collections::BTreeMap;

use rules::Amount;
use rules::amount::dollars_text;
use rules::compensation::{PayTerms, PaymentUnit};
use rules::money::format_amount;
use rules::payroll::{Compensation, Job, figures};

use crate::language::fill_placeholders;
use crate::pay::payrolls::record::kinds::{FixedKind, HourlyKind};
use crate::pay::payrolls::record::lines::{self, Earning, EarningLine, StoredPaycheck};
use crate::pay::payrolls::views::stub::lines::{
    amount_line, stub_section as section_of, text_line, total_line,
};
use crate::pay::payrolls::views::stub::words::Words;
use crate::pay::payrolls::views::stub::year::OfYear;
use crate::people::forms::document::{DocumentLine, LineKind, Section};

/// Under what earnings are totaled: a kind of pay of a job, or an amount of all jobs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EarningKey {
    /// place of the job; `None` for amounts
    job: Option<usize>,
    earning: Earning,
}

/// What a line pays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Earned {
    /// name of the kind of pay
    pub(super) name: String,
    /// hours with their rates, or the rate of a salary, as shown; `None` for amounts, and where the inputs cannot be read
    basis: Option<String>,
    /// dollars
    pub(super) paid: Amount,
}

/// Returns the section of earnings; without hours, and with further earnings in one line, if the inputs cannot be read.
pub(super) fn earnings_section(w: &Words, paycheck: StoredPaycheck<'_>, year: Option<&OfYear>) -> Section {
    let mut lines = earning_lines(w, paycheck);
    let nothing = BTreeMap::new();
    let before = year.map_or(&nothing, |year| &year.earned);
    let rest = before.iter().filter(|(key, _)| !lines.iter().any(|(known, _)| known == *key));
    let rest = rest.map(|(key, earned)| (*key, Earned { basis: None, paid: Amount::ZERO, ..earned.clone() }));
    lines.extend(rest.collect::<Vec<_>>());
    let of_second = |key: &EarningKey| key.job.is_some_and(|place| place > 0);
    let several = paycheck.paid.jobs.len() > 1 || lines.iter().any(|(key, _)| of_second(key));
    let mut unknown = year.map_or(Amount::ZERO, |year| year.sums.gross);
    let mut shown = Vec::with_capacity(lines.len() + 2);
    for (key, earned) in lines {
        let so_far = before.get(&key).map_or(Amount::ZERO, |earned| earned.paid) + earned.paid;
        unknown -= so_far;
        if earned.paid.is_zero() && so_far.is_zero() {
            continue;
        }
        let so_far = year.map(|_| dollars_text(so_far)).unwrap_or_default();
        shown.push(DocumentLine {
            figure: key.earning.figure().map(str::to_owned),
            ..amount_line(earned.line_label(w, key.job.filter(|_| several)), earned.paid).to_date(so_far)
        });
    }
    // Opening balances, and paychecks whose inputs cannot be read.
    if year.is_some() && !unknown.is_zero() {
        shown.push(
            text_line(w.further_of_year, dollars_text(Amount::ZERO))
                .with_kind(LineKind::Dollars)
                .to_date(dollars_text(unknown)),
        );
    }
    let gross = year.map(|year| dollars_text(year.sums.gross)).unwrap_or_default();
    shown.push(total_line(w.gross, paycheck.outcome.gross).to_date(gross).explained_by(figures::GROSS_PAY));
    section_of(w.earnings, shown)
}

/// Returns the lines of a paycheck as they are labelled.
pub(super) fn labelled_earnings(w: &Words, paycheck: StoredPaycheck<'_>) -> Vec<(String, Amount)> {
    let several = paycheck.paid.jobs.len() > 1;
    let lines = earning_lines(w, paycheck).into_iter();
    lines.map(|(key, earned)| (earned.line_label(w, key.job.filter(|_| several)), earned.paid)).collect()
}

/// Returns the earnings of a paycheck, each once.
pub(super) fn earning_lines(w: &Words, paycheck: StoredPaycheck<'_>) -> Vec<(EarningKey, Earned)> {
    let jobs = paycheck.inputs.map_or(&[][..], |inputs| &inputs.jobs);
    let mut lines: Vec<(EarningKey, Earned)> = Vec::new();
    let is_shown = |line: &EarningLine<'_>| {
        line.amount != Amount::ZERO || matches!(line.of.earning, Earning::TimeOff(_))
    };
    for EarningLine { of, amount } in paycheck.earning_lines().into_iter().filter(is_shown) {
        let key = EarningKey::from_line(of);
        match lines.iter_mut().find(|(known, _)| *known == key) {
            Some((_, held)) => held.paid += amount,
            None => {
                let basis = jobs.get(of.job).and_then(|job| earning_basis(w, job, of, amount));
                lines.push((key, Earned { name: w.earning_label(of).to_owned(), basis, paid: amount }));
            }
        }
    }
    lines
}

impl EarningKey {
    fn from_line(line: lines::Earned<'_>) -> Self {
        let of_all_jobs = match line.earning {
            Earning::Custom(_) | Earning::Further => true,
            Earning::Fixed(kind) => kind != FixedKind::MinimumWageAdjustment,
            Earning::Salary | Earning::Hourly(_) | Earning::TimeOff(_) | Earning::RecalculatedPremium => {
                false
            }
        };
        Self { job: (!of_all_jobs).then_some(line.job), earning: line.earning }
    }
}

impl Earned {
    /// Returns the label of the line, with the job's number if one is given, and with hours and rates.
    fn line_label(&self, w: &Words, job: Option<usize>) -> String {
        let name = match job {
            Some(place) => {
                fill_placeholders(w.of_job, &[("name", &self.name), ("number", &(place + 1).to_string())])
            }
            None => self.name.clone(),
        };
        match &self.basis {
            Some(basis) => fill_placeholders(w.with, &[("name", &name), ("basis", basis)]),
            None => name,
        }
    }
}

/// Returns what an earning of a job rests on: hours with their rates, or the rate of a salary.
fn earning_basis(w: &Words, job: &Job, of: lines::Earned<'_>, paid: Amount) -> Option<String> {
    let kind = match of.earning {
        Earning::Salary => return salary_rate(w, job),
        Earning::Hourly(kind) => kind,
        Earning::TimeOff(_) => HourlyKind::Regular,
        _ => return None,
    };
    Some(hours_at_rates(w, job, of.hours?, kind, paid))
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
fn hours_at_rates(w: &Words, job: &Job, hours: Amount, kind: HourlyKind, paid_for: Amount) -> String {
    let text = |(hours, rate): &(i64, i64)| {
        let (hours, rate) =
            (Amount::from_millionths(*hours).to_text(2), format_amount(Amount::from_millionths(*rate)));
        fill_placeholders(w.hours_at, &[("hours", &hours), ("rate", &rate)])
    };
    let parts = hours_by_rate(job, hours, kind);
    let product: i128 =
        parts.iter().map(|(hours, rate)| i128::from(*hours) * i128::from(*rate) / 1_000_000).sum();
    // Each part is rounded to the cent by itself.
    let allowed = 10_000 * i128::try_from(parts.len()).unwrap_or(1);
    if parts.is_empty() || (product - i128::from(paid_for.millionths())).abs() > allowed {
        return fill_placeholders(w.hours, &[("hours", &hours.to_text(2))]);
    }
    parts.iter().map(text).collect::<Vec<_>>().join(" + ")
}

/// Returns the hours of a kind at each hourly rate, in millionths; none if the rate of some of them is not known.
fn hours_by_rate(job: &Job, hours: Amount, kind: HourlyKind) -> Vec<(i64, i64)> {
    let multiplied = |terms: &PayTerms| terms.rate.millionths() * kind.multiplier_tenths() / 10;
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
                crate::pay::payrolls::views::stub::words::words_in(crate::language::Language::English),
                job,
                amount(hours),
                kind,
                amount(paid),
            )
        };
        let one = job(&[(1, "20.00")], &[(1, 14, "80")]);
        let spanish = crate::pay::payrolls::views::stub::words::words_in(crate::language::Language::Spanish);
        let eighty = Amount::parse("80").unwrap();
        let paid = Amount::parse("1600").unwrap();
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
