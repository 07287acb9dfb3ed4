//! What is entered for the employees of a payroll, a page of them at a time: hours of those who are paid by the hour, time off
//! of those who have it, a bonus, and who is left out. Only what was changed is sent on, so that hours that were entered by day
//! or by workweek elsewhere stay as they are.

use askama::Template;
use axum::http::StatusCode;
use rules::compensation::FlsaStatus;
use rules::{Amount, Violation};
use store::Tx;
use uuid::Uuid;

use super::super::super::Outcome;
use super::super::super::form::{Form, Problems};
use super::super::super::frame::Frame;
use super::super::super::number::written_number;
use super::super::super::pager::{Asked, Pager, Part, last_page};
use super::super::super::plain::render;
use super::blocked::{self, Blocked};
use super::{elsewhere, find, frame_of, hours_path, path};
use crate::flows::texts::Texts;
use domain::Error;
use domain::language::{Language, fill};
use domain::paging::{Page, SortBy};
use domain::patch::Patch;
use domain::pay::payrolls::commands::{
    FixedLine, HourlyLine, PreparePayroll, TimeOffLine, UpdateEmployee, UpdatePayroll,
};
use domain::pay::payrolls::entered::{FixedKind, HourlyKind, TimeOff, TimeOffKind};
use domain::pay::payrolls::leave;
use domain::pay::payrolls::members::MemberKey;
use domain::pay::payrolls::rows::Payroll;
use domain::pay::payrolls::service;
use domain::pay::payrolls::service::PayrollEmployee;
use domain::people::flows::session::Visitor;
use interface::field::Wire;

/// A field of an employee: what it sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Hours(Uuid, HourlyKind),
    TimeOff(TimeOffKind),
    Bonus,
}

/// A field with what is stored.
struct Held {
    line: Line,
    /// follows the job, where somebody has several
    label: String,
    amount: Amount,
}

/// A field as the page shows it.
struct Field {
    name: String,
    label: String,
    value: String,
    wrong: bool,
}

/// An employee of the page.
struct Person {
    id: Uuid,
    place: usize,
    name: String,
    version: String,
    fields: Vec<Field>,
    excluded: bool,
    problem: Option<String>,
}

#[derive(Template)]
#[template(path = "flow/hours.html")]
struct HoursPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    action: String,
    title: String,
    lead: String,
    page: i64,
    is_last: bool,
    people: Vec<Person>,
    pager: Option<Pager>,
    blocked: Vec<Blocked>,
    refused: bool,
    /// what is wrong beside the employees
    summary: Vec<String>,
}

impl HoursPage<'_> {
    /// Whether something is wrong with what was entered for an employee.
    fn is_anybody_wrong(&self) -> bool {
        self.people.iter().any(|person| person.problem.is_some())
    }
}

/// The fields of an employee, with what is held.
fn fields(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    t: &Texts,
    one: &Payroll,
    person: &PayrollEmployee,
) -> Result<Vec<Held>, Error> {
    let e = t.employer;
    let entered = person.input.as_ref().map(|input| input.entered.clone()).unwrap_or_default();
    let mut fields = Vec::new();
    let several = person.pay.jobs.len() > 1;
    for job in &person.pay.jobs {
        let flsa = person.pay.current(job.id, one.end).map(|terms| terms.flsa_status);
        let kinds: &[HourlyKind] = match flsa {
            Some(FlsaStatus::Nonexempt) => HourlyKind::ALL,
            Some(FlsaStatus::SalariedNonexempt) => &HourlyKind::ALL[1..],
            _ => &[],
        };
        for kind in kinds {
            let label = e.hours_of[kind.place()];
            let label = match (&job.title, several) {
                (Some(title), true) => format!("{label}, {title}"),
                _ => label.to_owned(),
            };
            fields.push(Held {
                line: Line::Hours(job.id, *kind),
                label,
                amount: entered.hours(job.id, *kind),
            });
        }
    }
    let mut kinds: Vec<_> = leave::lines_of(tx, visitor.caller.company, person.member.id)?
        .into_iter()
        .map(|(_, kind)| kind)
        .collect();
    kinds.dedup();
    let whole = entered.with_granted(&person.granted);
    for kind in TimeOffKind::ALL.iter().filter(|kind| kinds.contains(kind)) {
        let label = match kind {
            TimeOffKind::Vacation => e.hours_vacation,
            TimeOffKind::Sick => e.hours_sick,
            TimeOffKind::Holiday => continue,
        };
        let hours = whole.time_off.iter().find(|line| line.kind == *kind).map_or(0, TimeOff::taken);
        let amount = Amount::from_millionths(hours);
        fields.push(Held { line: Line::TimeOff(*kind), label: label.to_owned(), amount });
    }
    if let Some(job) = person.pay.primary() {
        let amount = entered.amount(job.id, FixedKind::Bonus);
        fields.push(Held { line: Line::Bonus, label: e.bonus.to_owned(), amount });
    }
    Ok(fields)
}

/// The name of a field of the employee at a place of the page.
fn name_of(place: usize, field: usize) -> String {
    format!("f{place}.{field}")
}

fn shown(amount: Amount, line: Line) -> String {
    let places = if line == Line::Bonus { 2 } else { 0 };
    if amount == Amount::ZERO { String::new() } else { amount.to_text(places) }
}

/// The page of the employees that `page` says, with what was entered, if anything was.
pub fn page(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    language: Language,
    one: &Payroll,
    (page, entered): (i64, Option<&Form>),
    problems: &Problems,
) -> Result<Outcome, Error> {
    let Some(frame) = frame_of(tx, visitor, language, (one, true))? else { return elsewhere(tx, visitor) };
    if one.submitted_at.is_some() {
        return Ok(Outcome::GoTo(path(one.id)));
    }
    let (t, e) = (frame.texts, frame.texts.employer);
    let shown = Part::read(page, |rows| of_page(tx, visitor, one, rows))?;
    let mut people = Vec::new();
    for (place, person) in shown.rows.iter().enumerate() {
        people.push(shown_person(tx, visitor, t, (one, person), place, (entered, problems))?);
    }
    let (from, until) = (t.day(one.start), t.day(one.end));
    let to_people = people.iter().any(|person| person.problem.is_some());
    let (blocked, mut summary) = match problems.refused() {
        refused if !to_people && !refused.is_empty() => (blocked::refused(&frame, refused), Vec::new()),
        _ => (blocked::now(tx, visitor, &frame)?, Vec::new()),
    };
    if problems.is_stale() {
        summary.push(t.error_stale.to_owned());
    }
    let refused = !problems.is_empty();
    let status = if refused { problems.status() } else { StatusCode::OK };
    let text = render(&HoursPage {
        frame: &frame,
        t,
        action: hours_path(one.id),
        title: fill(e.payroll_paid, &[("day", &t.day(one.check_date))]),
        lead: fill(e.hours_lead, &[("from", &from), ("until", &until)]),
        page: shown.page,
        is_last: shown.page == last_page(shown.total),
        people,
        pager: shown.pager(t, e.step_hours, |page| format!("{}?page={page}", hours_path(one.id))),
        blocked,
        refused,
        summary,
    })?;
    Ok(Outcome::Page(status, text))
}

/// The employees on a page, and how many there are in all.
pub fn of_page(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    one: &Payroll,
    rows: Page,
) -> Result<(Vec<PayrollEmployee>, i64), Error> {
    let sort = [SortBy::ascending(MemberKey::LastName)];
    let (details, paging) = service::get(tx, &visitor.caller, one.id, &sort, rows)?;
    Ok((details.employees, paging.map_or(0, |(.., total)| total)))
}

fn shown_person(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    t: &'static Texts,
    (one, person): (&Payroll, &PayrollEmployee),
    place: usize,
    (entered, problems): (Option<&Form>, &Problems),
) -> Result<Person, Error> {
    let id = person.member.id;
    let held = fields(tx, visitor, t, one, person)?;
    let fields: Vec<_> = held
        .into_iter()
        .enumerate()
        .map(|(number, held)| {
            let name = name_of(place, number);
            let value = match entered {
                Some(form) => form.get(&name).unwrap_or_default().to_owned(),
                None => shown(held.amount, held.line),
            };
            Field { wrong: problems.has(&name), name, label: held.label, value }
        })
        .collect();
    // A refusal names the employee: which of the fields it was, only its words say.
    let names_it = |violation: &&Violation| {
        let named = violation.metadata.as_ref().and_then(|told| told.get("entity_uuid")?.as_str());
        named == Some(&id.to_string())
    };
    let refused = problems.refused().iter().any(|violation| names_it(&violation));
    let problem =
        (refused || fields.iter().any(|field| field.wrong)).then(|| t.employer.wrong_hours.to_owned());
    Ok(Person {
        id,
        place,
        name: format!("{} {}", person.member.first_name, person.member.last_name),
        version: match entered {
            Some(form) => form.all("v").nth(place).unwrap_or_default().to_owned(),
            None => person.version(one.id),
        },
        fields,
        excluded: match entered {
            Some(form) => form.ticked(&format!("x{place}")),
            None => person.input.as_ref().is_some_and(|input| input.excluded),
        },
        problem,
    })
}

/// What a form says of the employee at a place, as a command; fields that say no number go into `wrong`.
fn command(
    held: Vec<Held>,
    form: &Form,
    place: usize,
    (id, version): (&str, &str),
    wrong: &mut Vec<Violation>,
) -> UpdateEmployee {
    let (mut hourly, mut off, mut fixed) = (Vec::new(), Vec::new(), Vec::new());
    for (number, held) in held.into_iter().enumerate() {
        let name = name_of(place, number);
        let text = form.get(&name).unwrap_or_default();
        let amount = match written_number(text) {
            _ if text.trim().is_empty() => Amount::ZERO,
            Some(amount) => amount,
            None => {
                wrong.push(Violation::invalid(name, Amount::EXPECTED));
                continue;
            }
        };
        if amount == held.amount {
            continue;
        }
        match held.line {
            Line::Hours(job, kind) => hourly.push(HourlyLine {
                name: Patch::Value(kind.as_str().to_owned()),
                hours: Patch::Value(amount),
                job_uuid: Patch::Value(job.to_string()),
                ..HourlyLine::default()
            }),
            Line::TimeOff(kind) => off.push(TimeOffLine {
                name: Patch::Value(kind.as_str().to_owned()),
                hours: Patch::Value(amount),
                ..TimeOffLine::default()
            }),
            Line::Bonus => fixed.push(FixedLine {
                name: Patch::Value(FixedKind::Bonus.as_str().to_owned()),
                amount: Patch::Value(amount),
                ..FixedLine::default()
            }),
        }
    }
    UpdateEmployee {
        employee_uuid: Patch::Value(id.to_owned()),
        version: Patch::Value(version.to_owned()),
        excluded: Patch::Value(form.ticked(&format!("x{place}"))),
        hourly_compensations: if hourly.is_empty() { Patch::Absent } else { Patch::Value(hourly) },
        paid_time_off: if off.is_empty() { Patch::Absent } else { Patch::Value(off) },
        fixed_compensations: if fixed.is_empty() { Patch::Absent } else { Patch::Value(fixed) },
        ..UpdateEmployee::default()
    }
}

/// Stores what was entered, and goes on: to the next page, to the calculation, or back to the page.
pub fn save(tx: &mut Tx<'_>, visitor: &Visitor, one: &Payroll, form: &Form) -> Result<Outcome, Error> {
    let language = visitor.language.unwrap_or(Language::English);
    let Some(frame) = frame_of(tx, visitor, language, (one, true))? else { return elsewhere(tx, visitor) };
    if one.submitted_at.is_some() {
        return Ok(Outcome::GoTo(path(one.id)));
    }
    let sent: Vec<(&str, &str)> = form.all("e").zip(form.all("v")).collect();
    if !sent.is_empty() {
        let named = sent.iter().map(|(id, _)| (*id).to_owned()).collect();
        let input = PreparePayroll { employee_uuids: Patch::Value(named) };
        let (details, _) = service::prepare(
            tx,
            &visitor.caller,
            one.id,
            &input,
            &[SortBy::ascending(MemberKey::LastName)],
            Page::Whole,
        )?;
        let (mut lines, mut wrong) = (Vec::new(), Vec::new());
        for (place, (id, version)) in sent.iter().enumerate() {
            let person = details.employees.iter().find(|person| person.member.id.to_string() == *id);
            let Some(person) = person else { continue };
            let held = fields(tx, visitor, frame.texts, one, person)?;
            lines.push(command(held, form, place, (id, version), &mut wrong));
        }
        let input = UpdatePayroll { employee_compensations: Patch::Value(lines), ..UpdatePayroll::default() };
        let stored = service::update(tx, &visitor.caller, one.id, &input);
        super::super::with_own(stored, wrong)?;
    }
    let page = Asked::of_form(form).page;
    match form.get("action") {
        Some("calculate") => {
            service::calculate(tx, &visitor.caller, one.id)?;
            Ok(Outcome::GoTo(path(one.id)))
        }
        Some("next") => Ok(Outcome::GoTo(format!("{}?page={}", hours_path(one.id), page + 1))),
        _ => Ok(Outcome::GoTo(format!("{}?page={page}", hours_path(one.id)))),
    }
}

/// Shows the page again with what was entered, and what was wrong with it.
pub fn again(
    payroll: Uuid,
) -> impl Fn(&mut Tx<'_>, &Visitor, Language, &Form, Problems) -> Result<Outcome, Error> + Send + 'static {
    move |tx, visitor, language, form, problems| {
        let Some(one) = find(tx, visitor, payroll)? else { return elsewhere(tx, visitor) };
        page(tx, visitor, language, &one, (Asked::of_form(form).page, Some(form)), &problems)
    }
}
