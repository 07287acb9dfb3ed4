//! The hours of one employee of a payroll by day, or by workweek: laws on overtime and minimum wages count them so. Hours
//! entered here replace those of the whole pay period; without any entry here they stay as they are.

use askama::Template;
use axum::http::StatusCode;
use jiff::civil::Date;
use rules::days::Days;
use rules::{Amount, Violation};
use store::Tx;
use uuid::Uuid;

use super::super::super::Outcome;
use super::super::super::form::{Form, Problems};
use super::super::super::frame::Frame;
use super::super::super::number::written_number;
use super::super::super::pager::Asked;
use super::super::super::plain::render_template;
use super::hours::{named, takes_hours};
use super::{days_path, frame_of, hours_path, payroll_path, redirect_elsewhere};
use crate::flows::texts::Texts;
use domain::Error;
use domain::error::Stale;
use domain::language::{Language, fill_placeholders};
use domain::paging::{Page, SortBy};
use domain::patch::Patch;
use domain::pay::compensations::rows::Job;
use domain::pay::payrolls::calendar::members::MemberKey;
use domain::pay::payrolls::entry::open_days::OpenDays;
use domain::pay::payrolls::record::commands::{HourlyLine, PreparePayroll, UpdateEmployee, UpdatePayroll};
use domain::pay::payrolls::record::hours::{Hours, hours_of_days};
use domain::pay::payrolls::record::kinds::HourlyKind;
use domain::pay::payrolls::record::payroll::Payroll;
use domain::pay::payrolls::service;
use domain::pay::payrolls::service::PayrollEmployee;
use domain::people::flows::session::Visitor;
use interface::field::Wire;
use interface::query::Query;

/// The most days that a page has fields for; longer payrolls, such as corrections of a quarter, have workweeks alone.
const MOST_DAYS: usize = 35;

/// How the hours of the page are divided, and the page of the grid that it belongs to.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// by workweek, by day, or as they were entered
    by_week: Option<bool>,
    page: i64,
    /// whether there are fields for overtime, too, which mostly follows from regular hours
    all: bool,
}

impl View {
    /// From a query.
    pub fn by(query: &Query) -> Self {
        let by_week = query.text_value("by").map(|by| by == "week");
        Self { by_week, page: Asked::from_query(query).page, all: query.text_value("all").is_some() }
    }

    fn of_form(form: &Form) -> Self {
        let by_week = form.get("by").map(|by| by == "week");
        Self { by_week, page: Asked::of_form(form).page, all: form.get("all").is_some() }
    }

    /// The page of the grid.
    fn grid(self, payroll: Uuid) -> String {
        format!("{}?page={}", hours_path(payroll), self.page)
    }
}

/// A column of the page: hours of a kind in a job.
#[derive(Clone)]
struct Column {
    job: Uuid,
    kind: HourlyKind,
    label: String,
}

/// A field: the hours of a column on a day or in a workweek.
struct Cell {
    name: String,
    label: String,
    value: String,
    was: String,
    wrong: bool,
    /// several locations have a part each: the sum is shown, and cannot be changed here
    divided: bool,
}

struct Row {
    day: String,
    cells: Vec<Cell>,
    sum: String,
}

/// The days of a workweek, or all workweeks.
struct Group {
    title: Option<String>,
    rows: Vec<Row>,
}

#[derive(Template)]
#[template(path = "flow/days.html")]
struct DaysPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    action: String,
    grid: String,
    title: String,
    lead: String,
    /// how the hours are entered now, if not as on this page
    now: Option<String>,
    by_week: bool,
    /// the address of the other way to divide them
    other: Option<String>,
    /// where there are fields for overtime, too
    overtime: Option<String>,
    all: bool,
    page: i64,
    headings: Vec<String>,
    groups: Vec<Group>,
    total: String,
    summary: Vec<String>,
}

/// An employee of a payroll, and what the page has fields for.
struct Sheet {
    person: PayrollEmployee,
    columns: Vec<Column>,
    units: Vec<Date>,
    open: OpenDays,
    by_week: bool,
}

impl Sheet {
    /// `None` if the payroll does not have the employee, or no hours can be entered.
    fn read(
        tx: &mut Tx<'_>,
        visitor: &Visitor,
        t: &'static Texts,
        (one, employee): (&Payroll, Uuid),
        view: View,
    ) -> Result<Option<Self>, Error> {
        let Some(person) = service::employee(tx, &visitor.caller, one, employee)? else { return Ok(None) };
        let open = OpenDays::of(tx, &visitor.caller, one, (employee, &person.pay))?;
        let columns = columns(t, one, &person, view.all);
        if columns.is_empty() || open.days.is_empty() {
            return Ok(None);
        }
        let entered_by_week = lines(&person).any(|line| line.week.is_some());
        let by_week = open.days.len() > MOST_DAYS || view.by_week.unwrap_or(entered_by_week);
        let units = match by_week {
            true => open.weeks.iter().map(|week| week.first).collect(),
            false => open.days.clone(),
        };
        Ok(Some(Self { person, columns, units, open, by_week }))
    }

    /// The stored lines of a column on a day or in a workweek.
    fn stored(&self, column: &Column, unit: Date) -> impl Iterator<Item = &Hours> {
        let by_week = self.by_week;
        let (job, kind) = (column.job, column.kind);
        let at = move |line: &&Hours| if by_week { line.week == Some(unit) } else { line.date == Some(unit) };
        lines(&self.person).filter(move |line| line.job == job && line.kind == kind).filter(at)
    }

    /// Whether each kind of hours that the employee can have has a column.
    fn has_all(&self, one: &Payroll) -> bool {
        let jobs = self.person.pay.jobs.iter().filter(|job| job.hire_date <= one.end);
        let kinds = jobs.flat_map(|job| HourlyKind::ALL.iter().map(move |kind| (job.id, *kind)));
        let mut taken = kinds.filter(|(job, kind)| takes_hours(one, &self.person, *job, *kind));
        taken.all(|(job, kind)| self.columns.iter().any(|column| column.job == job && column.kind == kind))
    }

    fn name(&self) -> String {
        format!("{} {}", self.person.member.first_name, self.person.member.last_name)
    }

    fn cell(&self, (column, unit): (&Column, Date), form: Option<&Form>) -> (Cell, Amount) {
        let stored: Vec<_> = self.stored(column, unit).collect();
        let now: Amount = stored.iter().map(|line| line.hours).sum();
        let said = form.map(|form| Said::of(form, &name(column, unit), now));
        let amount = said.as_ref().and_then(|said| said.amount).unwrap_or(now);
        let cell = Cell {
            name: name(column, unit),
            label: column.label.clone(),
            wrong: said.as_ref().is_some_and(|said| said.amount.is_none() || said.outdated),
            value: said.map_or_else(|| shown(now), |said| said.text),
            was: shown(now),
            divided: stored.len() > 1,
        };
        (cell, amount)
    }
}

fn lines(person: &PayrollEmployee) -> impl Iterator<Item = &Hours> {
    person.input.iter().flat_map(|input| &input.entered.hourly)
}

fn columns(t: &'static Texts, one: &Payroll, person: &PayrollEmployee, all: bool) -> Vec<Column> {
    let jobs: Vec<&Job> = person.pay.jobs.iter().filter(|job| job.hire_date <= one.end).collect();
    let several = jobs.len() > 1;
    let of_job = |job: &&Job| {
        let takes = |kind: HourlyKind| takes_hours(one, person, job.id, kind);
        let is_entered = |kind: HourlyKind| lines(person).any(|line| line.job == job.id && line.kind == kind);
        // The overtime of a salary is not counted from regular hours, which a salary does not have.
        let is_shown = move |kind: HourlyKind| {
            kind == HourlyKind::Regular || all || is_entered(kind) || !takes(HourlyKind::Regular)
        };
        let kinds = HourlyKind::ALL.iter().filter(move |kind| takes(**kind) && is_shown(**kind));
        let column = |kind: &HourlyKind| Column {
            job: job.id,
            kind: *kind,
            label: named(t.employer.hours_of[kind.kind_index()], job.title.as_deref().filter(|_| several)),
        };
        kinds.map(column).collect::<Vec<_>>()
    };
    jobs.iter().flat_map(of_job).collect()
}

fn name(column: &Column, unit: Date) -> String {
    format!("d{unit}.{}.{}", column.job.simple(), column.kind.kind_index())
}

fn shown(amount: Amount) -> String {
    if amount == Amount::ZERO { String::new() } else { amount.to_text(0) }
}

/// What a form has in a field.
struct Said {
    text: String,
    touched: bool,
    /// `None` if it is no number
    amount: Option<Amount>,
    /// whether it was changed elsewhere, too, to something else
    outdated: bool,
}

impl Said {
    fn of(form: &Form, name: &str, now: Amount) -> Self {
        let was = form.shown_value(name).unwrap_or_default();
        let text = form.get(name).map_or(was, str::trim);
        let number = |text: &str| if text.is_empty() { Some(Amount::ZERO) } else { written_number(text) };
        let (amount, before) = (number(text), number(was));
        let touched = amount.is_none() || amount != before;
        let outdated = touched && before != Some(now) && amount != Some(now);
        let (text, amount) = if touched { (text.to_owned(), amount) } else { (shown(now), Some(now)) };
        Self { text, touched, amount, outdated }
    }
}

/// The page of an employee's hours, with the entries, if there are any.
pub fn page(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    language: Language,
    (one, employee): (&Payroll, Uuid),
    (view, entered): (View, Option<&Form>),
    problems: &Problems,
) -> Result<Outcome, Error> {
    let Some(frame) = frame_of(tx, visitor, language, (one, true))? else {
        return redirect_elsewhere(tx, visitor);
    };
    if one.submitted_at.is_some() {
        return Ok(Outcome::GoTo(payroll_path(one.id)));
    }
    let frame = frame.below(&employee.to_string());
    let (t, e) = (frame.texts, frame.texts.employer);
    let Some(sheet) = Sheet::read(tx, visitor, t, (one, employee), view)? else {
        return Ok(Outcome::GoTo(hours_path(one.id)));
    };
    let (groups, total, is_wrong) = groups(t, &sheet, entered);
    let status = if problems.is_empty() { StatusCode::OK } else { problems.status_code() };
    let action = days_path(one.id, employee);
    let other = |by: &str| format!("{action}?by={by}&page={}", view.page);
    let (from, until, name) = (t.format_day(one.start), t.format_day(one.end), sheet.name());
    let text = render_template(&DaysPage {
        t,
        grid: view.grid(one.id),
        title: fill_placeholders(
            if sheet.by_week { e.weeks_title } else { e.days_title },
            &[("name", &name)],
        ),
        lead: fill_placeholders(e.days_lead, &[("from", &from), ("until", &until)]),
        now: entered_now(t, &sheet),
        by_week: sheet.by_week,
        overtime: (!view.all && !sheet.has_all(one))
            .then(|| format!("{}&all=1", other(if sheet.by_week { "week" } else { "day" }))),
        all: view.all,
        other: (sheet.open.days.len() <= MOST_DAYS)
            .then(|| other(if sheet.by_week { "day" } else { "week" })),
        page: view.page,
        headings: sheet.columns.iter().map(|column| column.label.clone()).collect(),
        groups,
        total: total.to_text(0),
        summary: summary(t, one, problems, is_wrong),
        action,
        frame: &frame,
    })?;
    Ok(Outcome::Page(status, text))
}

/// The rows of the page, the sum of all of them, and whether one of them has no number.
fn groups(t: &'static Texts, sheet: &Sheet, entered: Option<&Form>) -> (Vec<Group>, Amount, bool) {
    let e = t.employer;
    let (mut total, mut is_wrong) = (Amount::ZERO, false);
    let mut row = |unit: Date, day: String| {
        let cells = sheet.columns.iter().map(|column| sheet.cell((column, unit), entered));
        let (cells, amounts): (Vec<_>, Vec<_>) = cells.unzip();
        let sum: Amount = amounts.into_iter().sum();
        total += sum;
        is_wrong |= cells.iter().any(|cell| cell.wrong);
        Row { day, cells, sum: shown(sum) }
    };
    let weekday = |day: Date| {
        let name = e.weekdays[usize::from(day.weekday().to_sunday_zero_offset().unsigned_abs())];
        format!("{name}, {}", without_year(t, day))
    };
    let week = |days: &Days| {
        let [first, last] = [days.first, days.last].map(|day| t.format_day(day));
        fill_placeholders(e.workweek_of, &[("from", &first), ("until", &last)])
    };
    let groups = match sheet.by_week {
        true => {
            let rows = sheet.open.weeks.iter().map(|days| row(days.first, week(days)));
            vec![Group { title: None, rows: rows.collect() }]
        }
        false => {
            let within = |week: &Days| {
                let days = sheet.units.iter().filter(|day| week.contains(**day));
                days.copied().collect::<Vec<_>>()
            };
            let group = |days: &Days| Group {
                title: Some(week(days)),
                rows: within(days).into_iter().map(|day| row(day, weekday(day))).collect(),
            };
            sheet.open.weeks.iter().map(group).collect()
        }
    };
    (groups, total, is_wrong)
}

/// A day in words without its year, which the page names above.
fn without_year(t: &Texts, day: Date) -> String {
    let (whole, year) = (t.format_day(day), day.year());
    let short = [format!(", {year}"), format!(" de {year}")].iter().find_map(|end| whole.strip_suffix(end));
    short.unwrap_or(&whole).to_owned()
}

/// How the hours were entered, if not as on the page, and how many there are.
fn entered_now(t: &Texts, sheet: &Sheet) -> Option<String> {
    let e = t.employer;
    let sum = |of: &dyn Fn(&&Hours) -> bool| -> Amount {
        lines(&sheet.person).filter(of).map(|line| line.hours).sum()
    };
    let ways = [
        (e.entered_of_period, sum(&|line| line.of_period())),
        (e.entered_by_week, if sheet.by_week { Amount::ZERO } else { sum(&|line| line.week.is_some()) }),
        (e.entered_by_day, if sheet.by_week { sum(&|line| line.date.is_some()) } else { Amount::ZERO }),
    ];
    let told = ways.into_iter().filter(|(_, hours)| *hours > Amount::ZERO);
    let told: Vec<_> =
        told.map(|(words, hours)| fill_placeholders(words, &[("hours", &hours.to_text(0))])).collect();
    (!told.is_empty()).then(|| format!("{} {}", told.join(" "), e.entered_replaced))
}

fn summary(t: &'static Texts, one: &Payroll, problems: &Problems, is_wrong: bool) -> Vec<String> {
    let most = hours_of_days(Days { first: one.start, last: one.end }).to_text(0);
    let told = [
        problems.is_stale().then(|| t.error_stale.to_owned()),
        (is_wrong || !(problems.is_stale() || problems.is_empty()))
            .then(|| fill_placeholders(t.employer.wrong_days, &[("most", &most)])),
    ];
    if problems.is_empty() { Vec::new() } else { told.into_iter().flatten().collect() }
}

/// The changes of a form: each field that was changed, and where hours were entered in another way before, all of them.
fn changes(
    sheet: &Sheet,
    one: &Payroll,
    form: &Form,
    wrong: &mut Vec<Violation>,
) -> Result<UpdateEmployee, Error> {
    let (mut hourly, mut is_stale) = (Vec::new(), false);
    for (column, unit) in
        sheet.columns.iter().flat_map(|column| sheet.units.iter().map(move |unit| (column, *unit)))
    {
        let stored: Vec<_> = sheet.stored(column, unit).collect();
        let now: Amount = stored.iter().map(|line| line.hours).sum();
        let said = Said::of(form, &name(column, unit), now);
        is_stale |= said.outdated || (said.touched && stored.len() > 1);
        match said.amount {
            _ if !said.touched => {}
            Some(hours) if hours != now => hourly.push(line(sheet.by_week, column, (unit, hours), &stored)),
            Some(_) => {}
            None => wrong.push(Violation::invalid(name(column, unit), Amount::EXPECTED)),
        }
    }
    let current = sheet.person.employee_version(one.id);
    if is_stale {
        return Err(Error::Stale(Stale { current, differing: vec!["employee_compensations"] }));
    }
    Ok(UpdateEmployee {
        employee_uuid: Patch::Value(sheet.person.member.id.to_string()),
        version: Patch::Value(current),
        hourly_compensations: if hourly.is_empty() { Patch::Absent } else { Patch::Value(hourly) },
        ..UpdateEmployee::default()
    })
}

fn line(by_week: bool, column: &Column, (unit, hours): (Date, Amount), stored: &[&Hours]) -> HourlyLine {
    let day = Patch::Value(unit);
    let location = stored.first().and_then(|line| line.location);
    HourlyLine {
        name: Patch::Value(column.kind.as_str().to_owned()),
        hours: Patch::Value(hours),
        job_uuid: Patch::Value(column.job.to_string()),
        workweek_start: if by_week { day.clone() } else { Patch::Absent },
        date: if by_week { Patch::Absent } else { day },
        location_uuid: location.map_or(Patch::Absent, |id| Patch::Value(id.to_string())),
        breakdowns: Patch::Absent,
    }
}

/// Stores the entries, and returns to the grid.
pub fn save(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    (one, employee): (&Payroll, Uuid),
    form: &Form,
) -> Result<Outcome, Error> {
    let language = visitor.language.unwrap_or(Language::English);
    let Some(frame) = frame_of(tx, visitor, language, (one, true))? else {
        return redirect_elsewhere(tx, visitor);
    };
    if one.submitted_at.is_some() {
        return Ok(Outcome::GoTo(payroll_path(one.id)));
    }
    let view = View::of_form(form);
    if service::employee(tx, &visitor.caller, one, employee)?.is_none() {
        return Ok(Outcome::GoTo(hours_path(one.id)));
    }
    let named = PreparePayroll { employee_uuids: Patch::Value(vec![employee.to_string()]) };
    let sort = [SortBy::ascending(MemberKey::LastName)];
    service::prepare_payroll(tx, &visitor.caller, one.id, &named, &sort, Page::Whole)?;
    let Some(sheet) = Sheet::read(tx, visitor, frame.texts, (one, employee), view)? else {
        return Ok(Outcome::GoTo(hours_path(one.id)));
    };
    let mut wrong = Vec::new();
    let update = changes(&sheet, one, form, &mut wrong)?;
    let input =
        UpdatePayroll { employee_compensations: Patch::Value(vec![update]), ..UpdatePayroll::default() };
    let stored = service::update_payroll(tx, &visitor.caller, one.id, &input);
    super::super::with_own(stored, wrong)?;
    Ok(Outcome::GoTo(view.grid(one.id)))
}

/// Shows the page again with the entries and problems.
pub fn again(
    payroll: Uuid,
    employee: Uuid,
) -> impl Fn(&mut Tx<'_>, &Visitor, Language, &Form, Problems) -> Result<Outcome, Error> + Send + 'static {
    move |tx, visitor, language, form, problems| {
        let Some(one) = super::find_payroll(tx, visitor, payroll)? else {
            return redirect_elsewhere(tx, visitor);
        };
        page(tx, visitor, language, (&one, employee), (View::of_form(form), Some(form)), &problems)
    }
}
