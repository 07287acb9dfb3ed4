//! The page on which the amounts are entered, a page of contractors at a time, and what its buttons do.

use askama::Template;
use axum::http::StatusCode;
use rules::Named as _;
use rules::contractor::{PayBy, WageType};
use store::Tx;
use uuid::Uuid;

use super::super::super::Outcome;
use super::super::super::form::{Control, Form, Kind, Problems};
use super::super::super::frame::{Frame, Screen};
use super::super::super::pager::{Asked, Part, last_page, rows_and_total};
use super::super::super::plain::render_template;
use super::entered::{
    BONUS, DAY, Entries, HOURS, INVOICE, MEMO, METHOD, REIMBURSEMENT, TOKEN, WAGE, field_name,
};
use super::{NEW, Step, frame_of, group, payments_path, redirect_elsewhere};
use crate::flows::texts::Texts;
use crate::money::format_amount;
use domain::Error;
use domain::contractors::payments::commands::CreateGroup;
use domain::contractors::payments::rows::Method;
use domain::contractors::payments::service::{self, GroupDetails};
use domain::contractors::profiles::rows::{ContractorFilter, ContractorKey};
use domain::contractors::profiles::service as profiles;
use domain::contractors::records::Contractor;
use domain::language::{Language, fill_placeholders};
use domain::paging::SortBy;
use domain::patch::Patch;
use domain::pay::payrolls::record::deadlines::earliest_check_date;
use domain::people::flows::session::Visitor;
use domain::records::id_of;

/// A field of a contractor.
struct Field {
    name: String,
    label: String,
    value: String,
    number: bool,
    wrong: bool,
}

/// A contractor of the page.
struct Person {
    place: usize,
    name: String,
    /// the name of the control, and its choices: value, label, and whether it is chosen
    method: (String, Vec<(&'static str, &'static str, bool)>),
    fields: Vec<Field>,
    problem: bool,
}

#[derive(Template)]
#[template(path = "flow/pay_contractors.html")]
struct AmountsPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    path: String,
    page: i64,
    /// whether notes and invoice numbers are shown
    all: bool,
    day: Control,
    people: Vec<Person>,
    /// entries for contractors and fields that are not shown
    carried: Vec<(String, String)>,
    /// the page in words, and the numbers of its neighbours
    pages: Option<(String, Option<i64>, Option<i64>)>,
    /// where contractors are added, if the link has that
    contractors: Option<(String, &'static str)>,
    refused: bool,
    summary: Vec<String>,
    /// reasons in English
    others: Vec<String>,
}

/// The page of contractors of a number, with the entries, if there are any.
pub fn amounts_page(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    language: Language,
    (page, entered): (i64, Option<&Form>),
    problems: &Problems,
) -> Result<Outcome, Error> {
    let Some(frame) = frame_of(tx, visitor, language, (Step::Amounts, NEW))? else {
        return redirect_elsewhere(tx, visitor);
    };
    let (t, c) = (frame.texts, frame.texts.contractors);
    let filter = ContractorFilter {
        active: Some(true),
        sort: vec![SortBy::ascending(ContractorKey::Name)],
        ..ContractorFilter::default()
    };
    let listed = Part::read_page(page, |page| {
        Ok(rows_and_total(profiles::list_contractors(tx, &visitor.caller, &filter, false, page)?))
    })?;
    let all = entered.is_some_and(|form| form.is_ticked("all"));
    let wrong = Wrong::from_problems(problems);
    let people: Vec<Person> = listed
        .rows
        .iter()
        .enumerate()
        .map(|(place, one)| contractor_row(t, (place, &one.contractor), (entered, all), &wrong))
        .collect();
    let shown = |field: &str, id: Uuid| {
        (all || !matches!(field, MEMO | INVOICE)) && listed.rows.iter().any(|one| one.contractor.id == id)
    };
    let carried = entered.map(|form| Entries::from_form(form).hidden_fields(shown)).unwrap_or_default();
    let on_page: Vec<Uuid> = listed.rows.iter().map(|one| one.contractor.id).collect();
    let last = last_page(listed.total);
    let words = [("number", listed.page.to_string()), ("total", last.to_string())];
    let words =
        fill_placeholders(t.employer.page_of, &words.each_ref().map(|(name, text)| (*name, text.as_str())));
    let neighbours =
        (Some(listed.page - 1).filter(|page| *page > 0), Some(listed.page + 1).filter(|page| *page <= last));
    let contractors = Some(Screen::Contractors).filter(|screen| frame.shows_any_of(&[*screen]));
    let text = render_template(&AmountsPage {
        frame: &frame,
        t,
        path: payments_path(NEW),
        page: listed.page,
        all,
        day: payday_control(tx, visitor, t, (entered, problems)),
        people,
        carried,
        pages: (last > 1).then_some((words, neighbours.0, neighbours.1)),
        contractors: contractors.map(|screen| (screen.path(), c.to_contractors)),
        refused: !problems.is_empty(),
        summary: wrong.messages_off_page(tx, visitor, t, (&on_page, entered))?,
        others: wrong.others,
    })?;
    let status = if problems.is_empty() { StatusCode::OK } else { problems.status_code() };
    Ok(Outcome::Page(status, text))
}

/// The payday: by default the first one on which accounts can be paid.
fn payday_control(
    tx: &Tx<'_>,
    visitor: &Visitor,
    t: &Texts,
    (entered, problems): (Option<&Form>, &Problems),
) -> Control {
    let c = t.contractors;
    let earliest = earliest_check_date(tx.now(), visitor.caller.today(tx));
    let words = [("earliest", &*t.format_day(earliest))];
    Control::date_field(DAY, c.day)
        .with_help(&fill_placeholders(c.day_help, &words))
        .with_value(entered, Some(&earliest.to_string()))
        .with_problem(problems, &fill_placeholders(c.wrong_day, &words))
}

fn contractor_row(
    t: &'static Texts,
    (place, one): (usize, &Contractor),
    (entered, all): (Option<&Form>, bool),
    wrong: &Wrong,
) -> Person {
    let c = t.contractors;
    let sent = |field: &str| entered.and_then(|form| form.get(&field_name(field, one.id)));
    let field = |field: &'static str, label: String, number: bool| Field {
        name: field_name(field, one.id),
        label,
        value: sent(field).unwrap_or_default().to_owned(),
        number,
        wrong: wrong.has_field(one.id, field),
    };
    let mut fields = match one.wage_type {
        WageType::Fixed => vec![field(WAGE, c.amount.to_owned(), true)],
        WageType::Hourly => {
            let rate = one.hourly_rate.map(format_amount).unwrap_or_default();
            vec![
                field(HOURS, fill_placeholders(c.hours_at, &[("rate", &rate)]), true),
                field(BONUS, c.bonus.to_owned(), true),
            ]
        }
    };
    fields.push(field(REIMBURSEMENT, c.reimbursement.to_owned(), true));
    if all {
        fields.push(field(INVOICE, c.invoice.to_owned(), false));
        fields.push(field(MEMO, c.memo.to_owned(), false));
    }
    let usual = match one.payment_method {
        Some(PayBy::DirectDeposit) => Method::DirectDeposit,
        Some(PayBy::Check) | None => Method::Check,
    };
    let chosen = sent(METHOD).and_then(Method::parse).unwrap_or(usual);
    let methods = Method::ALL.iter().zip(c.methods);
    let methods = methods.map(|(method, label)| (method.as_str(), label, *method == chosen)).collect();
    Person {
        place,
        name: one.name(),
        method: (field_name(METHOD, one.id), methods),
        fields,
        problem: wrong.is_of(one.id),
    }
}

/// What was refused: fields of contractors, payments as a whole, and for other reasons, in their own words.
struct Wrong {
    of_contractors: Vec<(Uuid, Vec<String>)>,
    as_a_whole: bool,
    others: Vec<String>,
}

impl Wrong {
    fn from_problems(problems: &Problems) -> Self {
        let mut wrong = Self { of_contractors: Vec::new(), as_a_whole: false, others: Vec::new() };
        for one in problems.refused_violations().iter().filter(|one| one.key != DAY) {
            if one.key != "contractor_payments" {
                wrong.others.push(one.message.clone());
                continue;
            }
            match one.metadata.as_ref().and_then(|told| told.get("contractor_uuid")?.as_str()) {
                Some(id) => {
                    let fields = one.errors.iter().map(|error| error.key.to_string()).collect();
                    wrong.of_contractors.push((id_of(id), fields));
                }
                None => wrong.as_a_whole = true,
            }
        }
        wrong
    }

    fn is_of(&self, contractor: Uuid) -> bool {
        self.of_contractors.iter().any(|(id, _)| *id == contractor)
    }

    fn has_field(&self, contractor: Uuid, field: &str) -> bool {
        let mut of = self.of_contractors.iter().filter(|(id, _)| *id == contractor);
        of.any(|(_, fields)| fields.iter().any(|one| one == field))
    }

    /// What no field of the page shows.
    fn messages_off_page(
        &self,
        tx: &mut Tx<'_>,
        visitor: &Visitor,
        t: &Texts,
        (on_page, entered): (&[Uuid], Option<&Form>),
    ) -> Result<Vec<String>, Error> {
        let c = t.contractors;
        let mut said = Vec::new();
        if self.as_a_whole {
            let is_empty = entered.is_none_or(|form| Entries::from_form(form).is_empty());
            said.push(if is_empty { c.nothing_entered } else { c.too_much }.to_owned());
        }
        for (id, _) in self.of_contractors.iter().filter(|(id, _)| !on_page.contains(id)) {
            let one = Contractor::find(tx, visitor.caller.company, *id)?;
            let name = one.map(|one| one.name()).unwrap_or_default();
            said.push(format!("{name}: {}", c.wrong_amounts));
        }
        Ok(said)
    }
}

/// Does what a button says: another page of the list, the preview, or the submission.
pub fn handle_action(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    language: Language,
    form: &Form,
) -> Result<Outcome, Error> {
    if frame_of(tx, visitor, language, (Step::Amounts, NEW))?.is_none() {
        return redirect_elsewhere(tx, visitor);
    }
    let action = form.get("action").unwrap_or_default();
    let number = action.strip_prefix("page:").and_then(|number| number.parse().ok());
    match action {
        "preview" => {
            let details = preview_entries(tx, visitor, form, None)?;
            preview_page(tx, visitor, language, (form, details), &Problems::default())
        }
        "submit" => submit_payments(tx, visitor, language, form),
        "all" => {
            let form = form.with_entry("all", "1");
            amounts_page(
                tx,
                visitor,
                language,
                (Asked::of_form(&form).page, Some(&form)),
                &Problems::default(),
            )
        }
        _ => {
            let number = number.unwrap_or_else(|| Asked::of_form(form).page).max(1);
            amounts_page(tx, visitor, language, (number, Some(form)), &Problems::default())
        }
    }
}

/// What the entries come to; nothing is stored. `earlier` is the token of the preview that the form is of.
fn preview_entries(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    form: &Form,
    earlier: Option<&str>,
) -> Result<GroupDetails, Error> {
    let payments = Entries::from_form(form).payments_request(form).map_err(Error::Violations)?;
    service::preview_group(tx, &visitor.caller, &payments, earlier)
}

/// The page of a preview, whose form has the entries.
fn preview_page(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    language: Language,
    (form, details): (&Form, GroupDetails),
    problems: &Problems,
) -> Result<Outcome, Error> {
    let mut carried = Entries::from_form(form).hidden_fields(|_, _| false);
    carried.push((DAY.to_owned(), details.group.check_date.to_string()));
    carried.extend(details.token.clone().map(|token| (TOKEN.to_owned(), token)));
    carried.extend(form.is_ticked("all").then(|| ("all".to_owned(), "1".to_owned())));
    group::preview_page(tx, visitor, language, (details, carried), problems)
}

/// Creates the payments that were previewed. A form that is sent twice creates them once, and nothing is created that the preview did not show.
fn submit_payments(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    language: Language,
    form: &Form,
) -> Result<Outcome, Error> {
    let token = form.get(TOKEN).unwrap_or_default();
    if let Some(made) = service::created_with(tx, &visitor.caller, token)? {
        return Ok(Outcome::GoTo(payments_path(&made.to_string())));
    }
    let details = preview_entries(tx, visitor, form, Some(token))?;
    if details.token.as_deref() != Some(token) {
        return preview_page(tx, visitor, language, (form, details), &Problems::at_field(TOKEN));
    }
    if !details.blockers.is_empty() {
        return preview_page(
            tx,
            visitor,
            language,
            (form, details),
            &Problems::at_field("submission_blockers"),
        );
    }
    let input = CreateGroup {
        payments: Entries::from_form(form).payments_request(form).map_err(Error::Violations)?,
        creation_token: Patch::Value(token.to_owned()),
        submission_blockers: Patch::Absent,
    };
    let made = service::create_group(tx, &visitor.caller, &input)?;
    Ok(Outcome::GoTo(payments_path(&made.group.id.to_string())))
}

/// Shows the page again with the entries and problems.
pub fn show_again(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    language: Language,
    form: &Form,
    problems: Problems,
) -> Result<Outcome, Error> {
    amounts_page(tx, visitor, language, (Asked::of_form(form).page, Some(form)), &problems)
}
