//! The people of a payroll as a grid: a row for each job of each of them, a column for each kind of entry that anybody on the page
//! has, and what the entries come to.
//!
//! What is earned is an estimate from hours and rates, until the payroll is calculated: a calculation of the whole page for each key
//! that is pressed would be too slow, and what it adds (regular rates, minimum wages, parts of a period) is in the preview.

use std::collections::BTreeMap;

use rules::compensation::{PayTerms, annualized_pay};
use rules::{Amount, Rounding};
use uuid::Uuid;

use super::lines::{Column, Held, Line};
use crate::flows::texts::Texts;
use crate::money::format_amount;
use domain::language::fill_placeholders;
use domain::pay::compensations::rows::{Compensation, Job};
use domain::pay::payrolls::record::kinds::TimeOffKind;
use domain::pay::payrolls::record::payroll::Payroll;
use domain::pay::payrolls::service::PayrollEmployee;

/// A field as the page shows it.
pub struct Field {
    pub name: String,
    pub label: String,
    pub value: String,
    /// the stored value
    pub was: String,
    pub wrong: bool,
    /// it is shown, but cannot be changed here
    pub divided: bool,
}

/// A job of a person, or the only row of somebody without one.
pub struct Row {
    /// the title, for an employee with several jobs
    pub job: Option<String>,
    /// what it pays; empty without terms
    pub rate: String,
    /// by column of the page
    pub cells: Vec<Option<Field>>,
}

/// A field with its place in the grid, and the amount that stands in it.
pub struct Entry {
    pub line: Line,
    pub amount: Amount,
    pub field: Field,
}

/// The columns of a page, in their order.
pub fn page_columns<'h>(people: impl Iterator<Item = &'h [Held]>) -> Vec<Column> {
    let mut columns: Vec<Column> = people.flatten().map(|held| held.line.grid_column()).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// The rows of a person. Entries that belong to no job are in the first one.
pub fn person_rows(
    t: &Texts,
    (one, person): (&Payroll, &PayrollEmployee),
    columns: &[Column],
    entries: Vec<Entry>,
) -> Vec<Row> {
    let jobs: Vec<&Job> = person.pay.jobs.iter().filter(|job| job.hire_date <= one.end).collect();
    let several = jobs.len() > 1;
    let empty = || columns.iter().map(|_| None).collect();
    let of_job = |job: &&Job| Row {
        job: job.title.clone().filter(|_| several),
        rate: job_pay_terms(one, person, job.id).map(|terms| rate_text(t, &terms)).unwrap_or_default(),
        cells: empty(),
    };
    let mut rows: Vec<Row> = jobs.iter().map(of_job).collect();
    if rows.is_empty() {
        rows.push(Row { job: None, rate: String::new(), cells: empty() });
    }
    for entry in entries {
        let row =
            entry.line.job_id().and_then(|id| jobs.iter().position(|job| job.id == id)).unwrap_or_default();
        let cell = columns.iter().position(|column| *column == entry.line.grid_column());
        if let Some(cell) = cell.and_then(|cell| rows[row].cells.get_mut(cell)) {
            *cell = Some(entry.field);
        }
    }
    rows
}

/// What a job pays at the end of a payroll.
fn job_pay_terms(one: &Payroll, person: &PayrollEmployee, job: Uuid) -> Option<PayTerms> {
    let current =
        person.pay.compensation_on(job, one.end).or_else(|| person.pay.compensation_on(job, one.start));
    current.map(|held: &Compensation| PayTerms {
        rate: held.rate,
        unit: held.payment_unit,
        flsa: held.flsa_status,
    })
}

fn rate_text(t: &Texts, terms: &PayTerms) -> String {
    match terms.rate {
        Amount::ZERO => String::new(),
        rate => {
            fill_placeholders(t.employer.rate_of[terms.unit as usize], &[("amount", &format_amount(rate))])
        }
    }
}

/// About what the entries of a person come to; nothing for somebody who is left out.
pub fn estimated_earnings(
    (one, person): (&Payroll, &PayrollEmployee),
    entries: &[(Line, Amount)],
    excluded: bool,
) -> Amount {
    if excluded {
        return Amount::ZERO;
    }
    let of_entries = entries.iter().map(|(line, amount)| of_entry((one, person), *line, *amount));
    let salaries = person
        .pay
        .jobs
        .iter()
        .filter(|job| job.hire_date <= one.end)
        .map(|job| period_salary(one, person, job));
    of_entries.chain(salaries).fold(Amount::ZERO, |sum, pay| sum.checked_add(pay).unwrap_or(sum))
}

fn of_entry((one, person): (&Payroll, &PayrollEmployee), line: Line, amount: Amount) -> Amount {
    let by_the_hour = |job: Uuid, hours: Amount, tenths: i64| {
        let terms = job_pay_terms(one, person, job).filter(|terms| !terms.is_salary() || tenths > 10)?;
        let rate = if terms.is_salary() { hourly_rate(&terms, one)? } else { terms.rate };
        hours.mul_ratio(rate.millionths(), MILLION, Rounding::HalfUp)?.mul_ratio(tenths, 10, Rounding::HalfUp)
    };
    let pay = match line {
        Line::Hours(job, kind) => by_the_hour(job, amount, kind.multiplier_tenths()),
        Line::TimeOff(kind) if kind != TimeOffKind::Unpaid => {
            person.pay.primary_job().and_then(|job| by_the_hour(job.id, amount, 10))
        }
        Line::Fixed(..) => Some(amount),
        Line::TimeOff(_) | Line::Expenses => None,
    };
    pay.unwrap_or_default().round_to_cents(Rounding::HalfUp)
}

const MILLION: i64 = 1_000_000;

/// What an hour of a salary is worth: overtime of somebody with a salary is paid by it.
fn hourly_rate(terms: &PayTerms, one: &Payroll) -> Option<Amount> {
    let a_year = annualized_pay(terms, Some(one.frequency.periods_per_year()))?;
    a_year.mul_ratio(1, rules::full_time::HOURS_PER_YEAR, Rounding::HalfUp)
}

/// The salary of a whole pay period; nothing in a payroll that pays none.
fn period_salary(one: &Payroll, person: &PayrollEmployee, job: &Job) -> Amount {
    let periods = one.frequency.periods_per_year();
    let terms =
        job_pay_terms(one, person, job.id).filter(|terms| one.pays_wages_of_its_days() && terms.is_salary());
    let a_year = terms.and_then(|terms| annualized_pay(&terms, Some(periods)));
    let pay = a_year.and_then(|a_year| a_year.mul_ratio(1, periods, Rounding::HalfUp));
    pay.unwrap_or_default().round_to_cents(Rounding::HalfUp)
}

/// The sums of a page: of each column, and of what is earned.
#[derive(Default)]
pub struct Totals {
    sums: BTreeMap<Column, i64>,
    earned: i64,
}

impl Totals {
    /// Adds a person's entries, and what they come to.
    pub fn add_person(&mut self, entries: &[Entry], earned: Amount) {
        for entry in entries {
            *self.sums.entry(entry.line.grid_column()).or_default() += entry.amount.millionths();
        }
        self.earned += earned.millionths();
    }

    /// What is earned, and the sum of each column; empty where nothing was entered.
    pub fn formatted_totals(&self, columns: &[Column]) -> (String, Vec<String>) {
        let sum = |column: &Column| {
            column.format_sum(Amount::from_millionths(self.sums.get(column).copied().unwrap_or_default()))
        };
        (format_amount(Amount::from_millionths(self.earned)), columns.iter().map(sum).collect())
    }
}
