//! The entries for the employees of a payroll as a grid, a page at a time: hours of hourly employees, time off, tips and
//! commission where they are part of the pay, a bonus, expenses, and whether the employee is excluded. Only fields
//! changed on the page are stored; changes made elsewhere meanwhile are kept, and reported if both changed the same
//! field.

mod grid;
mod lines;

use askama::Template;
use axum::http::StatusCode;
use rules::days::Days;
use rules::{Amount, Violation};
use store::Tx;
use uuid::Uuid;

use self::grid::{Entry, Field, Row, Totals};
use self::lines::{Column, Held, Line, employee_fields, orphaned_entries, update_command};
pub use self::lines::{named, takes_hours};
use super::super::super::Outcome;
use super::super::super::form::{Form, Problems};
use super::super::super::frame::Frame;
use super::super::super::pager::{Asked, Pager, Part, last_page};
use super::super::super::plain::render_template;
use super::blocked::{self, Blocked};
use super::{days_path, find_payroll, frame_of, hours_path, kind, payroll_path, redirect_elsewhere};
use crate::flows::texts::Texts;
use crate::money::format_amount;
use domain::Error;
use domain::error::Stale;
use domain::language::{Language, fill_placeholders};
use domain::paging::{Page, SortBy};
use domain::patch::Patch;
use domain::pay::payrolls::calendar::members::MemberKey;
use domain::pay::payrolls::closing::lifecycle;
use domain::pay::payrolls::record::commands::{PreparePayroll, UpdateEmployee, UpdatePayroll};
use domain::pay::payrolls::record::hours::hours_of_days;
use domain::pay::payrolls::record::payroll::Payroll;
use domain::pay::payrolls::service;
use domain::pay::payrolls::service::PayrollEmployee;
use domain::people::flows::session::Visitor;
use domain::records::id_of;
use interface::field::Wire;
use interface::query::Query;

/// Which page of the employees, and which of their fields.
#[derive(Debug, Clone, Copy)]
pub struct View {
    page: i64,
    /// whether rarely used fields are shown, too
    all: bool,
}

impl View {
    /// From a query.
    pub fn from_query(query: &Query) -> Self {
        Self { page: Asked::from_query(query).page, all: query.text_value("all").is_some() }
    }

    /// From a form, which contains its page's view.
    fn of_form(form: &Form) -> Self {
        Self { page: Asked::of_form(form).page, all: form.is_ticked("all") }
    }

    /// The address of a page of a payroll's hours.
    fn page_path(self, payroll: Uuid) -> String {
        let all = if self.all { "&all=1" } else { "" };
        format!("{}?page={}{all}", hours_path(payroll), self.page)
    }
}

/// An employee of the page.
struct Person {
    id: Uuid,
    place: usize,
    name: String,
    rows: Vec<Row>,
    /// whether hours can be entered, also by day
    has_hours: bool,
    /// fields with a stored value, which the form sends back
    stored: Vec<(String, String)>,
    note: Note,
    earned: String,
    excluded: bool,
    was_excluded: bool,
    problem: Option<String>,
}

/// The note on a person's pay stub.
struct Note {
    name: String,
    value: String,
    was: String,
    wrong: bool,
}

impl Note {
    /// The stored note, or the one that a form has, for the employee at a position.
    fn of_person(person: &PayrollEmployee, place: usize, sent: Option<(&Form, usize)>) -> Self {
        let now = person.input.as_ref().and_then(|input| input.entered.memo.clone()).unwrap_or_default();
        let name = |place: usize| format!("m{place}");
        let before = sent.and_then(|(form, at)| form.shown_value(&name(at))).unwrap_or_default().to_owned();
        let said =
            sent.and_then(|(form, at)| form.get(&name(at))).map(str::trim).filter(|said| *said != before);
        // Changed here to one text, and meanwhile elsewhere to another.
        let wrong = said.is_some_and(|said| before != now && said != now);
        Self { name: name(place), value: said.unwrap_or(&now).to_owned(), was: now.clone(), wrong }
    }

    /// The new note, if the form changed it.
    fn changed_note(&self) -> Option<&str> {
        (self.value != self.was).then_some(self.value.as_str())
    }
}

#[derive(Template)]
#[template(path = "flow/hours.html")]
struct HoursPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    action: String,
    title: String,
    lead: String,
    notes: Vec<&'static str>,
    page: i64,
    all: bool,
    is_last: bool,
    headings: Vec<&'static str>,
    people: Vec<Person>,
    /// what is earned on the page, and the sum of each column
    totals: (String, Vec<String>),
    pager: Option<Pager>,
    blocked_title: &'static str,
    blocked: Vec<Blocked>,
    refused: bool,
    /// problems that do not concern an employee
    summary: Vec<String>,
}

impl HoursPage<'_> {
    /// Whether there is a problem with an employee's entries.
    fn is_anybody_wrong(&self) -> bool {
        self.people.iter().any(|person| person.problem.is_some())
    }
}

/// The page of the employees selected by `view`, with the entries, if there are any.
pub fn hours_page(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    language: Language,
    one: &Payroll,
    (view, entered): (View, Option<&Form>),
    problems: &Problems,
) -> Result<Outcome, Error> {
    let Some(frame) = frame_of(tx, visitor, language, (one, true))? else {
        return redirect_elsewhere(tx, visitor);
    };
    if one.submitted_at.is_some() {
        return Ok(Outcome::GoTo(payroll_path(one.id)));
    }
    let (t, e) = (frame.texts, frame.texts.employer);
    let shown = Part::read_page(view.page, |rows| of_page(tx, visitor, one, rows))?;
    let mut held = Vec::new();
    for person in &shown.rows {
        held.push(employee_fields(tx, visitor, t, (one, view.all), person)?);
    }
    let columns = grid::page_columns(held.iter().map(Vec::as_slice));
    let (mut people, mut totals) = (Vec::new(), Totals::default());
    for (place, (person, held)) in shown.rows.iter().zip(held).enumerate() {
        let shown = shown_person(t, (one, person), (place, held), (entered, problems));
        people.push(shown.in_grid(t, (one, person), &columns, &mut totals));
    }
    let (from, until) = (t.format_day(one.start), t.format_day(one.end));
    let to_people = people.iter().any(|person| person.problem.is_some());
    let (blocked, mut summary) = match problems.refused_violations() {
        refused if !to_people && !refused.is_empty() => (blocked::refusal_lines(&frame, refused), Vec::new()),
        _ => (blocked::next_payroll_blockers(tx, visitor, &frame)?, Vec::new()),
    };
    if problems.is_stale() {
        summary.push(t.error_stale.to_owned());
    }
    let lead = if one.pays_wages_of_its_days() { e.hours_lead } else { e.hours_lead_extra };
    let refused = !problems.is_empty();
    let status = if refused { problems.status_code() } else { StatusCode::OK };
    let text = render_template(&HoursPage {
        frame: &frame,
        t,
        action: hours_path(one.id),
        title: kind::payroll_title(t, one),
        lead: fill_placeholders(lead, &[("from", &from), ("until", &until)]),
        notes: kind::payroll_notes(t, one),
        page: shown.page,
        all: view.all,
        is_last: shown.page == last_page(shown.total),
        headings: columns.iter().map(|column| column.heading_text(t)).collect(),
        people,
        totals: totals.formatted_totals(&columns),
        pager: shown.page_links(t, e.step_hours, |page| View { page, ..view }.page_path(one.id)),
        blocked_title: e.blocked_title,
        blocked,
        refused,
        summary,
    })?;
    Ok(Outcome::Page(status, text))
}

/// The employees on a page, and their total number.
pub fn of_page(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    one: &Payroll,
    rows: Page,
) -> Result<(Vec<PayrollEmployee>, i64), Error> {
    let sort = [SortBy::ascending(MemberKey::LastName)];
    let (details, paging) = service::payroll_with_members(tx, &visitor.caller, one.id, &sort, rows)?;
    Ok((details.employees, paging.map_or(0, |(.., total)| total)))
}

/// An employee of the page with the entries, before they are arranged.
struct Shown {
    place: usize,
    entries: Vec<Entry>,
    note: Note,
    excluded: bool,
    was_excluded: bool,
    /// whether a form is shown again, with entries that no calculation knows
    is_entered: bool,
    problem: Option<String>,
}

impl Shown {
    /// In the columns of the page, and added to its totals.
    fn in_grid(
        self,
        t: &'static Texts,
        (one, person): (&Payroll, &PayrollEmployee),
        columns: &[Column],
        totals: &mut Totals,
    ) -> Person {
        let amounts: Vec<(Line, Amount)> =
            self.entries.iter().map(|entry| (entry.line, entry.amount)).collect();
        let calculated = person.outcome.as_ref().filter(|_| !self.is_entered && !self.excluded);
        let earned = calculated.map_or_else(
            || grid::estimated_earnings((one, person), &amounts, self.excluded),
            |(outcome, _)| outcome.gross,
        );
        totals.add_person(&self.entries, earned);
        let stored = self.entries.iter().filter(|entry| !entry.field.was.is_empty() && !entry.field.divided);
        let stored = stored.map(|entry| (entry.field.name.clone(), entry.field.was.clone())).collect();
        Person {
            id: person.member.id,
            place: self.place,
            name: format!("{} {}", person.member.first_name, person.member.last_name),
            has_hours: self.entries.iter().any(|entry| matches!(entry.line, Line::Hours(..))),
            rows: grid::person_rows(t, (one, person), columns, self.entries),
            stored,
            note: self.note,
            earned: format_amount(earned),
            excluded: self.excluded,
            was_excluded: self.was_excluded,
            problem: self.problem,
        }
    }
}

/// An employee at a position of the page, with the entries made on the previous one. An untouched field shows the
/// current value.
fn shown_person(
    t: &'static Texts,
    (one, person): (&Payroll, &PayrollEmployee),
    (place, held): (usize, Vec<Held>),
    (entered, problems): (Option<&Form>, &Problems),
) -> Shown {
    let e = t.employer;
    let id = person.member.id;
    let was_excluded = person.input.as_ref().is_some_and(|input| input.excluded);
    let sent = entered.and_then(|form| Some((form, place_of(form, id)?)));
    let mut changed = Vec::new();
    let show = |held: &Held| {
        let now = held.line.format_amount(held.amount);
        let said = sent.map(|(form, place)| held.submitted_value(form, place));
        if said.as_ref().is_some_and(|said| said.outdated) {
            let now = if now.is_empty() { "0" } else { &now };
            changed.push(format!("{}: {now}", held.label));
        }
        let amount = said.as_ref().and_then(|said| said.amount.filter(|_| said.touched));
        let field = Field {
            name: held.line.control_name(place),
            label: held.label.clone(),
            wrong: said.as_ref().is_some_and(|said| said.is_wrong() || said.outdated),
            value: said.filter(|_| !held.divided).map_or_else(|| now.clone(), |said| said.text),
            was: now,
            divided: held.divided,
        };
        Entry { line: held.line, amount: amount.unwrap_or(held.amount), field }
    };
    let entries: Vec<_> = held.iter().map(show).collect();
    let note = Note::of_person(person, place, sent);
    if note.wrong {
        changed.push(format!("{}: {}", e.note, note.was));
    }
    let lost = sent.map(|(form, place)| orphaned_entries(&held, form, place)).unwrap_or_default();
    let is_wrong =
        sent.is_some_and(|(form, place)| held.iter().any(|one| one.submitted_value(form, place).is_wrong()));
    // A refusal identifies the employee, but the field only in its message.
    let names_it = |violation: &&Violation| {
        let named = violation.metadata.as_ref().and_then(|told| told.get("entity_uuid")?.as_str());
        named == Some(&id.to_string())
    };
    let is_refused = problems.refused_violations().iter().any(|violation| names_it(&violation));
    let wrong = if one.pays_wages_of_its_days() { e.wrong_hours } else { e.wrong_hours_extra };
    let most = hours_of_days(Days { first: one.start, last: one.end }).to_text(0);
    let told = [
        (!changed.is_empty()).then(|| fill_placeholders(e.hours_changed, &[("fields", &changed.join("; "))])),
        (!lost.is_empty()).then(|| fill_placeholders(e.hours_gone, &[("entries", &lost.join("; "))])),
        (is_wrong || is_refused).then(|| fill_placeholders(wrong, &[("most", &most)])),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    Shown {
        place,
        entries,
        note,
        is_entered: sent.is_some(),
        excluded: sent.and_then(|(form, place)| submitted_exclusion(form, place)).unwrap_or(was_excluded),
        was_excluded,
        problem: (!told.is_empty()).then(|| told.join(" ")),
    }
}

/// The position of an employee on the page that sent a form.
fn place_of(form: &Form, id: Uuid) -> Option<usize> {
    form.all_values("e").position(|sent| sent == id.to_string())
}

/// Whether the employee at a position is to be excluded, if the form changed that.
fn submitted_exclusion(form: &Form, place: usize) -> Option<bool> {
    let name = format!("x{place}");
    let ticked = form.is_ticked(&name);
    (ticked != form.shown_value(&name).is_some()).then_some(ticked)
}

/// The changes of a form to the employee at a position. Fields with invalid numbers are added to `wrong`.
///
/// # Errors
/// Stale, if a field changed on the page was also changed elsewhere, or no longer exists.
fn employee_changes(
    held: &[Held],
    form: &Form,
    place: usize,
    (one, person): (&Payroll, &PayrollEmployee),
    wrong: &mut Vec<Violation>,
) -> Result<UpdateEmployee, Error> {
    let mut changed = Vec::new();
    let note = Note::of_person(person, place, Some((form, place)));
    let mut is_stale = note.wrong || !orphaned_entries(held, form, place).is_empty();
    for field in held {
        let said = field.submitted_value(form, place);
        is_stale |= said.outdated;
        match said.amount {
            _ if !said.touched => {}
            Some(amount) if amount != field.amount => changed.push((field.line, amount)),
            Some(_) => {}
            None => wrong.push(Violation::invalid(field.line.control_name(place), Amount::EXPECTED)),
        }
    }
    let current = person.employee_version(one.id);
    if is_stale {
        return Err(Error::Stale(Stale { current, differing: vec!["employee_compensations"] }));
    }
    let memo = note.changed_note().map_or(Patch::Absent, |text| Patch::Value(text.to_owned()));
    Ok(UpdateEmployee {
        memo,
        ..update_command(changed, submitted_exclusion(form, place), (person.member.id, current))
    })
}

/// Stores the entries, and continues: to the next page, to the calculation, or back to the page.
pub fn save_hours(tx: &mut Tx<'_>, visitor: &Visitor, one: &Payroll, form: &Form) -> Result<Outcome, Error> {
    let language = visitor.language.unwrap_or(Language::English);
    let Some(frame) = frame_of(tx, visitor, language, (one, true))? else {
        return redirect_elsewhere(tx, visitor);
    };
    if one.submitted_at.is_some() {
        return Ok(Outcome::GoTo(payroll_path(one.id)));
    }
    let view = View::of_form(form);
    // What the entries come to while they are being made: nothing is stored.
    if form.get("action") == Some("show") {
        return hours_page(tx, visitor, language, one, (view, Some(form)), &Problems::default());
    }
    let sent: Vec<String> = form.all_values("e").map(str::to_owned).collect();
    if !sent.is_empty() {
        let named = sent.clone();
        let input = PreparePayroll { employee_uuids: Patch::Value(named) };
        let (details, _) = service::prepare_payroll(
            tx,
            &visitor.caller,
            one.id,
            &input,
            &[SortBy::ascending(MemberKey::LastName)],
            Page::Whole,
        )?;
        let (mut lines, mut wrong) = (Vec::new(), Vec::new());
        for (place, id) in sent.iter().enumerate() {
            let person = details.employees.iter().find(|person| person.member.id.to_string() == *id);
            let Some(person) = person else { continue };
            let held = employee_fields(tx, visitor, frame.texts, (one, view.all), person)?;
            lines.push(employee_changes(&held, form, place, (one, person), &mut wrong)?);
        }
        let input = UpdatePayroll { employee_compensations: Patch::Value(lines), ..UpdatePayroll::default() };
        let stored = service::update_payroll(tx, &visitor.caller, one.id, &input);
        super::super::with_own(stored, wrong)?;
    }
    match form.get("action") {
        Some("calculate") => {
            lifecycle::calculate_payroll(tx, &visitor.caller, one.id)?;
            Ok(Outcome::GoTo(payroll_path(one.id)))
        }
        Some("next") => Ok(Outcome::GoTo(View { page: view.page + 1, ..view }.page_path(one.id))),
        Some(action) if action.starts_with("days:") => {
            let person = id_of(action.trim_start_matches("days:"));
            Ok(Outcome::GoTo(format!("{}?page={}", days_path(one.id, person), view.page)))
        }
        Some("all") => Ok(Outcome::GoTo(View { all: true, ..view }.page_path(one.id))),
        _ => Ok(Outcome::GoTo(view.page_path(one.id))),
    }
}

/// Shows the page again with the entries and problems.
pub fn show_again(
    payroll: Uuid,
) -> impl Fn(&mut Tx<'_>, &Visitor, Language, &Form, Problems) -> Result<Outcome, Error> + Send + 'static {
    move |tx, visitor, language, form, problems| {
        let Some(one) = find_payroll(tx, visitor, payroll)? else { return redirect_elsewhere(tx, visitor) };
        hours_page(tx, visitor, language, &one, (View::of_form(form), Some(form)), &problems)
    }
}
