//! The fields of an employee on the page of hours: what each sets, its stored value, and its value in a form.
//!
//! A field is named after what it sets, so a field whose job or policy was added or removed while the page was open
//! sets nothing else. Only fields changed on the page are entries: hours entered elsewhere by day or by workweek are
//! kept.

use std::collections::BTreeSet;

use rules::Amount;
use rules::compensation::FlsaStatus;
use store::Tx;
use uuid::Uuid;

use super::super::super::super::form::Form;
use super::super::super::super::number::written_number;
use crate::flows::texts::Texts;
use crate::money::format_amount;
use domain::Error;
use domain::language::fill_placeholders;
use domain::patch::Patch;
use domain::pay::compensations::rows::{Job, Pay};
use domain::pay::payrolls::entry::time_off;
use domain::pay::payrolls::record::commands::{
    FixedLine, HourlyLine, ReimbursementLine, TimeOffLine, UpdateEmployee,
};
use domain::pay::payrolls::record::entered::{Entered, TimeOff};
use domain::pay::payrolls::record::kinds::{FixedKind, HourlyKind, TimeOffKind};
use domain::pay::payrolls::record::payroll::Payroll;
use domain::pay::payrolls::service::PayrollEmployee;
use domain::people::flows::session::Visitor;

/// Suffix of amounts' labels.
const DOLLARS: &str = ", $";

/// What a field of an employee sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    Hours(Uuid, HourlyKind),
    TimeOff(TimeOffKind),
    Fixed(Uuid, FixedKind),
    /// expenses without a description
    Expenses,
}

/// A kind of entry, whatever the job: a column of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Column {
    /// by place among the kinds of hours
    Hours(usize),
    /// by place in [`OFF`]
    TimeOff(usize),
    /// by place in [`FIXED`]
    Fixed(usize),
    Expenses,
}

/// Hours off, in the order of the columns.
const OFF: [TimeOffKind; 4] =
    [TimeOffKind::Vacation, TimeOffKind::Sick, TimeOffKind::Holiday, TimeOffKind::Unpaid];
/// Amounts of pay, in the order of the columns.
const FIXED: [FixedKind; 6] = [
    FixedKind::PaycheckTips,
    FixedKind::CashTips,
    FixedKind::Commission,
    FixedKind::Bonus,
    FixedKind::Correction,
    FixedKind::MinimumWageAdjustment,
];

impl Column {
    /// Its label.
    pub fn heading_text(self, t: &Texts) -> &'static str {
        let e = t.employer;
        match self {
            Self::Hours(place) => e.hours_of[place],
            Self::TimeOff(0) => e.hours_vacation,
            Self::TimeOff(_) => e.hours_sick,
            Self::Fixed(0) => e.tips_paid,
            Self::Fixed(1) => e.tips_cash,
            Self::Fixed(2) => e.commission,
            Self::Fixed(_) => e.bonus,
            Self::Expenses => e.expenses,
        }
    }

    /// A sum of its fields; zero is empty.
    pub fn format_sum(self, amount: Amount) -> String {
        match self {
            Self::Fixed(_) | Self::Expenses if amount != Amount::ZERO => format_amount(amount),
            _ => self.format_amount(amount),
        }
    }

    /// An amount as its fields show it; zero is empty.
    pub fn format_amount(self, amount: Amount) -> String {
        let places = match self {
            Self::Hours(_) | Self::TimeOff(_) => 0,
            Self::Fixed(_) | Self::Expenses => 2,
        };
        if amount == Amount::ZERO { String::new() } else { amount.to_text(places) }
    }
}

/// A field with its stored value.
pub struct Held {
    pub line: Line,
    /// suffix with the job, for an employee with several
    pub label: String,
    pub amount: Amount,
    /// hours entered by day, workweek or location: the page shows their sum, without a field
    pub divided: bool,
}

/// The value of a field in a form.
pub struct Said {
    /// what stands in it
    pub text: String,
    /// whether it differs from what the page showed
    pub touched: bool,
    /// its number; `None` if it is invalid
    pub amount: Option<Amount>,
    /// whether the stored value now differs from both what the page showed and the form's value
    pub outdated: bool,
}

impl Said {
    /// Whether it was changed to an invalid number.
    pub fn is_wrong(&self) -> bool {
        self.touched && self.amount.is_none()
    }
}

impl Line {
    /// The suffix of its name, after the employee's position.
    fn name_suffix(self) -> String {
        let of_job = |job: Uuid, what: &str| format!("{}.{what}", job.simple());
        match self {
            Self::Hours(job, HourlyKind::Regular) => of_job(job, "regular"),
            Self::Hours(job, HourlyKind::Overtime) => of_job(job, "overtime"),
            Self::Hours(job, HourlyKind::DoubleOvertime) => of_job(job, "double"),
            Self::TimeOff(TimeOffKind::Vacation) => "vacation".to_owned(),
            Self::TimeOff(TimeOffKind::Sick) => "sick".to_owned(),
            Self::TimeOff(TimeOffKind::Holiday) => "holiday".to_owned(),
            Self::TimeOff(TimeOffKind::Unpaid) => "unpaid".to_owned(),
            Self::Fixed(job, FixedKind::Bonus) => of_job(job, "bonus"),
            Self::Fixed(job, FixedKind::Commission) => of_job(job, "commission"),
            Self::Fixed(job, FixedKind::PaycheckTips) => of_job(job, "paycheck_tips"),
            Self::Fixed(job, FixedKind::CashTips) => of_job(job, "cash_tips"),
            Self::Fixed(job, FixedKind::Correction) => of_job(job, "correction"),
            Self::Fixed(job, FixedKind::MinimumWageAdjustment) => of_job(job, "adjustment"),
            Self::Expenses => "expenses".to_owned(),
        }
    }

    /// The name of its control for the employee at a position of the page.
    pub fn control_name(self, place: usize) -> String {
        format!("{}{}", name_prefix(place), self.name_suffix())
    }

    /// The job that it belongs to.
    pub fn job_id(self) -> Option<Uuid> {
        match self {
            Self::Hours(job, _) | Self::Fixed(job, _) => Some(job),
            Self::TimeOff(_) | Self::Expenses => None,
        }
    }

    /// The column that it stands in.
    pub fn grid_column(self) -> Column {
        let last = |place: Option<usize>| place.unwrap_or_default();
        match self {
            Self::Hours(_, kind) => Column::Hours(kind.kind_index()),
            Self::TimeOff(kind) => Column::TimeOff(last(OFF.iter().position(|one| *one == kind))),
            Self::Fixed(_, kind) => Column::Fixed(last(FIXED.iter().position(|one| *one == kind))),
            Self::Expenses => Column::Expenses,
        }
    }

    /// An amount as the field shows it; zero is empty.
    pub fn format_amount(self, amount: Amount) -> String {
        self.grid_column().format_amount(amount)
    }
}

/// The prefix of the names of controls for the employee at a position.
fn name_prefix(place: usize) -> String {
    format!("f{place}.")
}

/// A number in a field; an empty one is 0.
fn parse_number(text: &str) -> Option<Amount> {
    if text.is_empty() { Some(Amount::ZERO) } else { written_number(text) }
}

impl Held {
    /// Its value in a form, for the employee at a position. A field that the page did not have has none.
    pub fn submitted_value(&self, form: &Form, place: usize) -> Said {
        let name = self.line.control_name(place);
        let now = self.line.format_amount(self.amount);
        let was = form.shown_value(&name).unwrap_or_default();
        let text = form.get(&name).map_or(was, str::trim);
        let (amount, before) = (parse_number(text), parse_number(was));
        let touched = if amount.is_some() { amount != before } else { text != was };
        // A sum for hours that were split by day since would discard the days.
        let outdated =
            touched && amount != Some(self.amount) && (self.divided || before != Some(self.amount));
        Said { text: if touched { text.to_owned() } else { now }, touched, amount, outdated }
    }
}

/// Entries in fields that the employee at a position no longer has.
pub fn orphaned_entries(held: &[Held], form: &Form, place: usize) -> Vec<String> {
    let known: BTreeSet<String> = held.iter().map(|one| one.line.control_name(place)).collect();
    let names =
        form.control_names().filter(|name| name.starts_with(&name_prefix(place)) && !known.contains(*name));
    let entered = names.filter_map(|name| {
        let text = form.get(name)?.trim();
        (text != form.shown_value(name).unwrap_or_default()).then(|| text.to_owned())
    });
    entered.collect()
}

/// The fields of an employee, with stored values. `all` includes rarely used pay fields.
pub fn employee_fields(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    t: &Texts,
    (one, all): (&Payroll, bool),
    person: &PayrollEmployee,
) -> Result<Vec<Held>, Error> {
    let e = t.employer;
    let nothing = Entered::default();
    let entered = person.input.as_ref().map_or(&nothing, |input| &input.entered);
    let mut fields = Vec::new();
    // Lines of jobs that have not begun are not paid.
    let jobs: Vec<&Job> = person.pay.jobs.iter().filter(|job| job.hire_date <= one.end).collect();
    let several = jobs.len() > 1;
    let named = |label: &str, job: &Job| named(label, job.title.as_deref().filter(|_| several));
    for job in &jobs {
        for kind in HourlyKind::ALL {
            let amount = entered.hours_of_job(job.id, *kind);
            if takes_hours(one, person, job.id, *kind) {
                let label = named(e.hours_of[kind.kind_index()], job);
                let divided = entered.is_divided(job.id, *kind);
                fields.push(Held { line: Line::Hours(job.id, *kind), label, amount, divided });
            }
        }
    }
    let policies = time_off::lines_of(tx, visitor.caller.company, person.member.id)?;
    let whole = entered.with_granted(&person.granted);
    for (kind, label) in [(TimeOffKind::Vacation, e.hours_vacation), (TimeOffKind::Sick, e.hours_sick)] {
        if policies.iter().any(|(_, of)| *of == kind) {
            let hours = whole
                .time_off
                .iter()
                .find(|line| line.kind == kind)
                .map_or(Amount::ZERO, TimeOff::hours_taken);
            let amount = hours;
            fields.push(Held { line: Line::TimeOff(kind), label: label.to_owned(), amount, divided: false });
        }
    }
    for job in &jobs {
        for (kind, label) in [
            (FixedKind::PaycheckTips, e.tips_paid),
            (FixedKind::CashTips, e.tips_cash),
            (FixedKind::Commission, e.commission),
            (FixedKind::Bonus, e.bonus),
        ] {
            let amount = entered.fixed_amount(job.id, kind);
            if amount > Amount::ZERO || is_pay_line_shown(&person.pay, job, one, (kind, all)) {
                // A bonus belongs to the person, and is shown with the first job.
                let plain = kind == FixedKind::Bonus && job.is_primary;
                let label = if plain { label.to_owned() } else { named(label, job) };
                fields.push(Held { line: Line::Fixed(job.id, kind), label, amount, divided: false });
            }
        }
    }
    fields.push(expenses_field(t, entered, person));
    Ok(fields)
}

/// Expenses: those without a description are one sum, which the field sets; other reimbursements are shown.
fn expenses_field(t: &Texts, entered: &Entered, person: &PayrollEmployee) -> Held {
    let all = &entered.reimbursements;
    let plain: Amount = all.iter().filter(|one| one.description.is_none()).map(|one| one.amount).sum();
    let described: Amount = all.iter().filter(|one| one.description.is_some()).map(|one| one.amount).sum();
    let recurring: Amount = person.recurring.iter().map(|one| one.amount).sum();
    let beside = described + recurring;
    let label = match beside > Amount::ZERO {
        true => fill_placeholders(t.employer.expenses_beside, &[("amount", &format_amount(beside))]),
        false => t.employer.expenses.to_owned(),
    };
    Held { line: Line::Expenses, label, amount: plain, divided: false }
}

/// A label with the job, for an employee with several.
pub fn named(label: &str, job: Option<&str>) -> String {
    match (job, label.strip_suffix(DOLLARS)) {
        (Some(job), Some(label)) => format!("{label}, {job}{DOLLARS}"),
        (Some(job), None) => format!("{label}, {job}"),
        (None, _) => label.to_owned(),
    }
}

/// Whether an employee has hours of a kind in a job, or can have them entered.
pub fn takes_hours(one: &Payroll, person: &PayrollEmployee, job: Uuid, kind: HourlyKind) -> bool {
    let entered = person.input.as_ref().map(|input| input.entered.hours_of_job(job, kind));
    entered.is_some_and(|hours| hours > Amount::ZERO) || has_hours(&person.pay, job, one, kind)
}

/// Whether these hours can be entered for a job: on some day of the payroll its pay depends on them.
fn has_hours(pay: &Pay, job: Uuid, one: &Payroll, kind: HourlyKind) -> bool {
    let changes = pay.compensations.iter().filter(|terms| terms.job == job).map(|terms| terms.effective_date);
    let days = changes.filter(|day| (one.start..=one.end).contains(day)).chain([one.start, one.end]);
    let mut terms = days.filter_map(|day| pay.compensation_on(job, day));
    terms.any(|terms| match terms.flsa_status {
        FlsaStatus::Nonexempt => true,
        FlsaStatus::SalariedNonexempt => kind != HourlyKind::Regular,
        _ => false,
    })
}

/// Whether a line of pay without an amount is shown for a job: a bonus for the first job, tips if pay is raised to the
/// minimum wage, commission if there is no other pay; and with `all` each of them.
fn is_pay_line_shown(pay: &Pay, job: &Job, one: &Payroll, (kind, all): (FixedKind, bool)) -> bool {
    let terms = [one.start, one.end].into_iter().filter_map(|day| pay.compensation_on(job.id, day));
    let mut terms = terms.peekable();
    match kind {
        FixedKind::Bonus => job.is_primary,
        _ if terms.peek().is_none() => false,
        FixedKind::PaycheckTips | FixedKind::CashTips => {
            all || terms.any(|terms| terms.adjust_for_minimum_wage)
        }
        FixedKind::Commission => all || terms.any(|terms| terms.flsa_status.is_commission_only()),
        FixedKind::Correction | FixedKind::MinimumWageAdjustment => false,
    }
}

/// A form's changes to an employee, as a command: each line with its new amount.
pub fn update_command(
    changes: Vec<(Line, Amount)>,
    excluded: Option<bool>,
    (id, version): (Uuid, String),
) -> UpdateEmployee {
    let (mut hourly, mut off, mut fixed, mut expenses) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (line, amount) in changes {
        let amount = Patch::Value(amount);
        match line {
            Line::Hours(job, kind) => hourly.push(HourlyLine {
                name: Patch::Value(kind.as_str().to_owned()),
                hours: amount,
                job_uuid: Patch::Value(job.to_string()),
                ..HourlyLine::default()
            }),
            Line::TimeOff(kind) => off.push(TimeOffLine {
                name: Patch::Value(kind.as_str().to_owned()),
                hours: amount,
                ..TimeOffLine::default()
            }),
            Line::Fixed(job, kind) => fixed.push(FixedLine {
                name: Patch::Value(kind.as_str().to_owned()),
                amount,
                job_uuid: Patch::Value(job.to_string()),
                ..FixedLine::default()
            }),
            Line::Expenses => expenses.push(ReimbursementLine { amount, ..ReimbursementLine::default() }),
        }
    }
    UpdateEmployee {
        employee_uuid: Patch::Value(id.to_string()),
        version: Patch::Value(version),
        excluded: excluded.map_or(Patch::Absent, Patch::Value),
        hourly_compensations: nonempty_patch(hourly),
        paid_time_off: nonempty_patch(off),
        fixed_compensations: nonempty_patch(fixed),
        reimbursements: nonempty_patch(expenses),
        ..UpdateEmployee::default()
    }
}

fn nonempty_patch<T>(lines: Vec<T>) -> Patch<Vec<T>> {
    if lines.is_empty() { Patch::Absent } else { Patch::Value(lines) }
}
