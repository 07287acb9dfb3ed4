//! Payments as a whole: the preview before they are submitted, and what was submitted, which can be cancelled for a while.

use askama::Template;
use axum::http::StatusCode;
use rules::Named as _;
use rules::contractor::WageType;
use store::Tx;
use uuid::Uuid;

use super::super::super::Outcome;
use super::super::super::form::{Form, Problems};
use super::super::super::frame::{Frame, Screen};
use super::super::super::plain::{back_label, render_template};
use super::super::super::review::Fact;
use super::super::payrolls::blocked::{Blocked, blocker_line};
use super::entered::TOKEN;
use super::{NEW, Step, find_group, frame_of, group_status, payments_path, redirect_elsewhere};
use crate::flows::texts::Texts;
use crate::money::{dollars_of, format_amount};
use domain::Error;
use domain::contractors::payments::blockers::{Blocker, PaymentBlockerKind};
use domain::contractors::payments::rows::{Method, Payment};
use domain::contractors::payments::service::{self, GroupDetails};
use domain::contractors::records::Contractor;
use domain::language::{Language, fill_placeholders};
use domain::people::flows::session::Visitor;
use interface::contractors::payments::wire::ContractorPaymentGroup;

/// A payment in the table.
struct Person {
    name: String,
    detail: String,
    pay: String,
    expenses: String,
    withheld: String,
    net: String,
}

#[derive(Template)]
#[template(path = "flow/contractor_group.html")]
struct GroupPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    path: String,
    title: String,
    lead: &'static str,
    blocked_title: &'static str,
    blocked: Vec<Blocked>,
    refused: bool,
    state: Option<(&'static str, &'static str)>,
    /// the amount debited from the company's account, and when
    debit: (String, String),
    facts: Vec<Fact>,
    people: Vec<Person>,
    /// whether anything is withheld
    withheld: bool,
    /// entries that the form sends back
    carried: Vec<(String, String)>,
    /// the question before they are cancelled
    question: Option<&'static str>,
    /// value, label and class of each button
    deeds: Vec<(&'static str, &'static str, &'static str)>,
    /// where all payments are listed
    list: Option<String>,
    back: String,
}

/// What is shown besides the payments.
#[derive(Default)]
pub struct Shown<'p> {
    /// whether the question before cancelling is shown
    asks: bool,
    /// problems
    problems: Option<&'p Problems>,
}

/// The preview, with the entries that its form carries.
pub fn preview_page(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    language: Language,
    (mut details, carried): (GroupDetails, Vec<(String, String)>),
    problems: &Problems,
) -> Result<Outcome, Error> {
    let Some(frame) = frame_of(tx, visitor, language, (Step::Preview, NEW))? else {
        return redirect_elsewhere(tx, visitor);
    };
    let (t, c) = (frame.texts, frame.texts.contractors);
    let stops = blocker_lines(tx, visitor, &frame, std::mem::take(&mut details.blockers))?;
    let deeds = match stops.is_empty() {
        true => vec![("submit", c.submit, "main"), ("change", c.change, "second")],
        false => vec![("change", c.change, "main")],
    };
    let whole = Whole::from_details(tx, visitor, t, details)?;
    let text = render_template(&GroupPage {
        path: payments_path(NEW),
        title: fill_placeholders(c.payment_of, &[("day", &whole.day)]),
        lead: if problems.has_field(TOKEN) { c.preview_outdated } else { c.preview_text },
        blocked_title: c.blocked_title,
        refused: !problems.is_empty(),
        blocked: stops,
        state: None,
        debit: whole.debit,
        facts: whole.facts,
        withheld: whole.withheld,
        people: whole.people,
        carried,
        question: None,
        deeds,
        list: None,
        back: back_label(&frame),
        frame: &frame,
        t,
    })?;
    let status = if problems.is_empty() { StatusCode::OK } else { problems.status_code() };
    Ok(Outcome::Page(status, text))
}

/// What prevents the payments, in the page's language.
fn blocker_lines(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    found: Vec<Blocker>,
) -> Result<Vec<Blocked>, Error> {
    let c = frame.texts.contractors;
    let mut all = Vec::with_capacity(found.len());
    for one in found {
        let words = match one.kind {
            PaymentBlockerKind::OfPayroll(kind) => {
                all.push(blocker_line(frame, kind));
                continue;
            }
            PaymentBlockerKind::NoAccount => c.no_account,
            PaymentBlockerKind::ReturnedAccount => c.returned_account,
        };
        let name = name_of(tx, visitor, one.contractor.unwrap_or_default())?;
        all.push(Blocked { text: fill_placeholders(words, &[("name", &name)]), link: None, english: false });
    }
    Ok(all)
}

fn name_of(tx: &mut Tx<'_>, visitor: &Visitor, contractor: Uuid) -> Result<String, Error> {
    let one = Contractor::find(tx, visitor.caller.company, contractor)?;
    Ok(one.map(|one| one.name()).unwrap_or_default())
}

/// What a page says of payments, submitted or not.
struct Whole {
    day: String,
    debit: (String, String),
    facts: Vec<Fact>,
    people: Vec<Person>,
    withheld: bool,
}

impl Whole {
    fn from_details(
        tx: &mut Tx<'_>,
        visitor: &Visitor,
        t: &'static Texts,
        details: GroupDetails,
    ) -> Result<Self, Error> {
        let (e, c) = (t.employer, t.contractors);
        let mut people = Vec::with_capacity(details.payments.len());
        for one in &details.payments {
            people.push(payment_line(t, name_of(tx, visitor, one.contractor)?, one));
        }
        let withheld = details.payments.iter().any(|one| one.withheld_for.is_some());
        let day = details.group.check_date;
        let all = details.sum_by_method(Method::ALL, Payment::net);
        let held = details.sum_by_method(Method::ALL, |one| one.withheld);
        let shown = ContractorPaymentGroup::new(tx, &visitor.caller, details)?;
        let debited =
            shown.debit_date.parse().map_or_else(|_| shown.debit_date.clone(), |day| t.format_day(day));
        let debit = if shown.partner_owned_disbursement {
            (format_amount(all), c.debit_partner.to_owned())
        } else if is_some(&shown.totals.debit_amount) {
            (dollars_of(&shown.totals.debit_amount), fill_placeholders(c.debit_on, &[("day", &debited)]))
        } else {
            (format_amount(all), c.debit_none.to_owned())
        };
        let sums = [
            (c.sum_pay, shown.totals.wage_amount),
            (e.sum_reimbursements, shown.totals.reimbursement_amount),
            (c.sum_withheld, held.to_text(2)),
            (c.sum_checks, shown.totals.check_amount),
        ];
        let some = sums.into_iter().filter(|(_, sum)| is_some(sum));
        let facts = some.map(|(name, sum)| Fact::new(name, Some(dollars_of(&sum)), t)).collect();
        Ok(Self { day: t.format_day(day), debit, facts, people, withheld })
    }
}

/// Whether a sum is more than zero.
fn is_some(sum: &str) -> bool {
    sum.bytes().any(|byte| (b'1'..=b'9').contains(&byte))
}

fn payment_line(t: &Texts, name: String, one: &Payment) -> Person {
    let c = t.contractors;
    let place = Method::ALL.iter().position(|method| *method == one.method);
    let mut detail = vec![place.map(|place| c.methods[place]).unwrap_or_default().to_owned()];
    if one.wage_type == WageType::Hourly {
        detail.push(format!("{} × {}", one.hours.to_text(0), format_amount(one.hourly_rate)));
    }
    detail.extend(one.invoice_number.as_ref().map(|number| format!("{}: {number}", c.invoice)));
    detail.extend(one.memo.clone());
    detail.extend(one.voided_at.map(|_| c.void.to_owned()));
    Person {
        name,
        detail: detail.join(" · "),
        pay: format_amount(one.wage_total),
        expenses: format_amount(one.reimbursement),
        withheld: format_amount(one.withheld),
        net: format_amount(one.net()),
    }
}

/// The page of payments that were submitted.
pub fn receipt_page(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    language: Language,
    details: GroupDetails,
    shown: Shown<'_>,
) -> Result<Outcome, Error> {
    let id = details.group.id;
    let Some(frame) = frame_of(tx, visitor, language, (Step::Receipt, &id.to_string()))? else {
        return redirect_elsewhere(tx, visitor);
    };
    let (t, c) = (frame.texts, frame.texts.contractors);
    let can_cancel = details.payments.iter().all(|one| service::may_cancel(tx, &details.group, one));
    let state = group_status(t, &details);
    let whole = Whole::from_details(tx, visitor, t, details)?;
    let problem = shown.problems.filter(|problems| !problems.is_empty());
    let text = render_template(&GroupPage {
        path: payments_path(&id.to_string()),
        title: fill_placeholders(c.payment_of, &[("day", &whole.day)]),
        lead: "",
        blocked_title: t.error_title,
        blocked: problem
            .map(|_| Blocked { text: c.cancel_late.to_owned(), link: None, english: false })
            .into_iter()
            .collect(),
        refused: problem.is_some(),
        state: Some(state),
        debit: whole.debit,
        facts: whole.facts,
        withheld: whole.withheld,
        people: whole.people,
        carried: Vec::new(),
        question: Some(c.cancel_sure).filter(|_| shown.asks && can_cancel),
        deeds: if can_cancel { vec![("cancel", c.cancel, "second")] } else { Vec::new() },
        list: Some(Screen::ContractorPayments.path()),
        back: back_label(&frame),
        frame: &frame,
        t,
    })?;
    Ok(Outcome::Page(problem.map_or(StatusCode::OK, Problems::status_code), text))
}

/// Does what a button of that page says.
pub fn handle_action(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    language: Language,
    one: GroupDetails,
    form: &Form,
) -> Result<Outcome, Error> {
    let id = one.group.id;
    match form.get("action") {
        Some("cancel") => receipt_page(tx, visitor, language, one, Shown { asks: true, problems: None }),
        Some("cancelled") => {
            service::cancel_group(tx, &visitor.caller, id)?;
            Ok(Outcome::GoTo(Screen::ContractorPayments.path()))
        }
        _ => Ok(Outcome::GoTo(payments_path(&id.to_string()))),
    }
}

/// Shows payments that could not be cancelled.
pub fn show_again(
    group: Uuid,
) -> impl Fn(&mut Tx<'_>, &Visitor, Language, &Form, Problems) -> Result<Outcome, Error> + Send + 'static {
    move |tx, visitor, language, _, problems| match find_group(tx, visitor, group)? {
        Some(one) => {
            receipt_page(tx, visitor, language, one, Shown { asks: false, problems: Some(&problems) })
        }
        None => redirect_elsewhere(tx, visitor),
    }
}
