//! A payroll after its entries: calculation, preview, submission, receipt, and cancellation.

use askama::Template;
use axum::http::StatusCode;
use rules::Amount;
use rules::payroll::holidays;
use rules::payroll::schedule::BANKING_DAYS;
use store::Tx;
use uuid::Uuid;

use super::super::super::Outcome;
use super::super::super::form::{Form, Problems};
use super::super::super::frame::{Frame, Screen};
use super::super::super::pager::{Pager, Part};
use super::super::super::plain::{back_label, render_template};
use super::blocked::{self, Blocked};
use super::hours::of_page;
use super::receipt::Receipt;
use super::sums;
use super::sums::{Before, LastOnes, Part as SumPart, debit_amount, handed_out, is_some, total_of};
use super::warnings::PreviewWarning;
use super::{
    Standing, find_payroll, frame_of, hours_path, kind, payroll_path, payroll_status, redirect_elsewhere,
};
use crate::flows::texts::Texts;
use crate::money::format_amount;
use domain::Error;
use domain::language::{Language, fill_placeholders};
use domain::money::views::expected;
use domain::paging::Page;
use domain::pay::payrolls::closing::lifecycle;
use domain::pay::payrolls::record::payroll::Payroll;
use domain::pay::payrolls::record::warning::Warning;
use domain::pay::payrolls::run::since_calculated;
use domain::pay::payrolls::run::since_calculated::ChangedSince;
use domain::pay::payrolls::service::PayrollEmployee;
use domain::pay::payrolls::views::outside;
use domain::people::flows::session::Visitor;
use domain::records::id_of;

/// Employees that are read at once when all are asked about.
const AT_ONCE: i64 = 100;

/// What is shown besides the payroll.
#[derive(Default)]
pub struct Shown<'a> {
    /// the page of its employees
    page: i64,
    /// a question before an action
    question: Option<Question>,
    /// whether the question was answered without confirming what needs it
    unconfirmed: bool,
    /// problems
    problems: Option<&'a Problems>,
}

impl Shown<'_> {
    /// Only a page of its employees.
    pub fn at_page(page: i64) -> Self {
        Self { page, ..Self::default() }
    }
}

/// The question before an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    Submit,
    Cancel,
}

/// An employee's pay.
struct Person {
    id: Uuid,
    name: String,
    gross: String,
    taken: String,
    net: String,
    /// what was earned the last time
    before: Option<Before>,
    warnings: Vec<PreviewWarning>,
}

/// A button, or the question that follows it.
struct Deed {
    /// the value that the button sends
    action: &'static str,
    label: &'static str,
    /// the question, with the label of the way back
    question: Option<(String, &'static str)>,
    /// what has to be confirmed: a name, a text, and the code of its language
    findings: Vec<(String, String, &'static str)>,
    /// whether it was not confirmed before
    unconfirmed: bool,
    main: bool,
}

#[derive(Template)]
#[template(path = "flow/payroll.html")]
struct PayrollPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    path: String,
    /// the calculation that it shows
    version: String,
    title: String,
    lead: String,
    notes: Vec<&'static str>,
    state: (&'static str, &'static str),
    /// the amount debited from the company's account, and when
    debit: (String, String),
    sums: Vec<SumPart>,
    people: Vec<Person>,
    /// how many people the payroll has
    count: i64,
    /// heading of what they earned the last time, and how many earn much more or less
    last: Option<(String, String)>,
    pager: Option<Pager>,
    /// changes since the calculation, in words
    changed: Option<String>,
    /// warnings about people whom it does not pay, with their names, each with the code of the language that it is in
    others: Vec<(String, String, &'static str)>,
    /// taxes that were not calculated, in words
    unworked: Option<String>,
    deeds: Vec<Deed>,
    /// where hours can be changed, while possible
    change: Option<String>,
    receipt: Option<Receipt>,
    blocked_title: &'static str,
    blocked: Vec<Blocked>,
    refused: bool,
    back: String,
}

#[derive(Template)]
#[template(path = "flow/waiting.html")]
struct WaitingPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    path: String,
    title: String,
    text: &'static str,
}

/// The page of a payroll in its current state.
pub fn payroll_page(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    language: Language,
    one: &Payroll,
    shown: Shown<'_>,
) -> Result<Outcome, Error> {
    let Some(frame) = frame_of(tx, visitor, language, (one, false))? else {
        return redirect_elsewhere(tx, visitor);
    };
    let (t, e) = (frame.texts, frame.texts.employer);
    let status = match shown.problems {
        Some(problems) => problems.status_code(),
        None if shown.unconfirmed => StatusCode::UNPROCESSABLE_ENTITY,
        None => StatusCode::OK,
    };
    let waits = match one.request {
        _ if one.is_processed() => None,
        Some(Standing::Calculating) => Some(e.waiting_calculated),
        Some(Standing::Submitting | Standing::SubmitSuccess) => Some(e.waiting_submitted),
        _ => None,
    };
    if let Some(text) = waits {
        let title = kind::payroll_title(t, one);
        let waiting = WaitingPage { frame: &frame, t, path: payroll_path(one.id), title, text };
        return render_template(&waiting).map(Outcome::Waiting);
    }
    let is_calculated = one.is_processed() || one.request == Some(Standing::CalculateSuccess);
    if !is_calculated && one.request != Some(Standing::Failed) && shown.problems.is_none() {
        return Ok(Outcome::GoTo(hours_path(one.id)));
    }
    render_payroll(tx, visitor, &frame, one, &shown).map(|text| Outcome::Page(status, text))
}

fn render_payroll(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    one: &Payroll,
    shown: &Shown<'_>,
) -> Result<String, Error> {
    let (t, e) = (frame.texts, frame.texts.employer);
    let on_page = Part::read_page(shown.page.max(1), |rows| of_page(tx, visitor, one, rows))?;
    let pager = on_page.page_links(t, e.people_title, |page| format!("{}?page={page}", payroll_path(one.id)));
    let debited_on = t.format_day(expected::debited_on(tx, visitor.caller.company, one)?);
    let days = [
        t.format_day(one.start),
        t.format_day(one.end),
        t.format_day(holidays::banking_days_before(one.check_date, BANKING_DAYS)),
    ];
    let payday = t.format_day(one.check_date);
    let values = [("from", days[0].as_str()), ("until", &days[1]), ("by", &days[2]), ("payday", &payday)];
    let lead = match one.is_processed() {
        true => e.payroll_of,
        false if one.check_only => e.payroll_checks,
        false => e.payroll_by,
    };
    let (blocked, refused) = match shown.problems {
        Some(problems) if problems.is_stale() => (vec![plain_words(e.payroll_stale)], true),
        Some(problems) => (blocked::refusal_lines(frame, problems.refused_violations()), true),
        None if one.request == Some(Standing::Failed) => (vec![plain_words(e.payroll_failed)], true),
        None => (Vec::new(), false),
    };
    let open = Some(one).filter(|one| one.submitted_at.is_none());
    let changed = match open {
        Some(one) => since_calculated::changes_since_calculation(tx, visitor.caller.company, one)?,
        None => None,
    };
    let asked = match shown.question {
        Some(Question::Submit) => Some(Everybody::read_everybody(tx, visitor, one)?),
        _ => None,
    };
    let count = check_count(asked.as_ref(), &on_page);
    let handed = handed_out(t, count, &total_of(one, "check_amount").unwrap_or_default());
    let last = sums::last_earnings(tx, visitor.caller.company, (t, one), &on_page.rows)?;
    let (last, before) = match last {
        Some(LastOnes { heading, told, people }) => (Some((heading, told)), people),
        None => (None, Vec::new()),
    };
    let unworked: Vec<_> = one.totals.unworked.iter().map(|tax| tax.name.as_str()).collect();
    let words = if one.submitted_at.is_some() { e.unworked_submitted } else { e.unworked };
    let unworked =
        (!unworked.is_empty()).then(|| fill_placeholders(words, &[("taxes", &unworked.join(", "))]));
    render_template(&PayrollPage {
        frame,
        t,
        path: payroll_path(one.id),
        version: one.run.map(|run| run.to_string()).unwrap_or_default(),
        title: kind::payroll_title(t, one),
        lead: format!("{}{}", fill_placeholders(lead, &values), late_pay_note(t, one)),
        notes: kind::payroll_notes(t, one),
        state: payroll_status(t, one),
        debit: debit_amount(t, one, (&debited_on, &payday), &handed),
        sums: if one.run.is_some() { sums::payroll_sums(t, one) } else { Vec::new() },
        count: on_page.total,
        last,
        people: paid_people(frame, one, on_page.rows, before),
        pager,
        unworked,
        others: unpaid_warnings(tx, visitor, one, frame.language)?,
        deeds: available_actions(tx, frame, (one, changed.is_some()), (shown, asked), (&debited_on, &handed)),
        changed: changed.map(|changed| told_changed(t, &changed)),
        change: one.submitted_at.is_none().then(|| hours_path(one.id)),
        receipt: Receipt::of(tx, visitor, t, one)?,
        blocked_title: e.blocked_title,
        blocked,
        refused,
        back: back_label(frame),
    })
}

/// A note if employees are paid later than intended.
fn late_pay_note(t: &'static Texts, one: &Payroll) -> String {
    let day = t.format_day(one.initial_check_date);
    let words = || fill_placeholders(t.employer.payroll_late, &[("day", &day)]);
    if one.check_date > one.initial_check_date { format!(" {}", words()) } else { String::new() }
}

fn plain_words(text: &str) -> Blocked {
    Blocked { text: text.to_owned(), link: None, english: false }
}

/// How many people are paid by check, if all of them are known.
fn check_count(asked: Option<&Everybody>, on_page: &Part<Vec<PayrollEmployee>>) -> Option<usize> {
    let is_whole = i64::try_from(on_page.rows.len()).is_ok_and(|rows| rows == on_page.total);
    let on_one_page = || is_whole.then(|| on_page.rows.iter().filter(|person| is_by_check(person)).count());
    asked.map(|all| all.checks).or_else(on_one_page)
}

fn is_by_check(person: &PayrollEmployee) -> bool {
    let paid = person.outcome.as_ref();
    paid.is_some_and(|(outcome, paid)| !paid.goes_to_accounts() && outcome.check_amount > Amount::ZERO)
}

/// What is asked about all people of a payroll before it is submitted.
#[derive(Default)]
struct Everybody {
    /// how many are paid by check
    checks: usize,
    /// what has to be confirmed: whose it is, a name, and the warning
    findings: Vec<(Uuid, String, Warning)>,
}

/// Calls a function with each person of a payroll, in the order of the page.
pub fn all_people(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    one: &Payroll,
    mut each: impl FnMut(&PayrollEmployee),
) -> Result<(), Error> {
    for page in 1.. {
        let (people, total) = of_page(tx, visitor, one, Page::Part { page, per: AT_ONCE })?;
        people.iter().for_each(&mut each);
        if page * AT_ONCE >= total || people.is_empty() {
            break;
        }
    }
    Ok(())
}

impl Everybody {
    fn read_everybody(tx: &mut Tx<'_>, visitor: &Visitor, one: &Payroll) -> Result<Self, Error> {
        let mut all = Self::default();
        all_people(tx, visitor, one, |person| all.add_person(person))?;
        Ok(all)
    }

    fn add_person(&mut self, person: &PayrollEmployee) {
        self.checks += usize::from(is_by_check(person));
        let Some((_, paid)) = &person.outcome else { return };
        let name = format!("{} {}", person.member.first_name, person.member.last_name);
        let found = paid.warnings.iter().filter(|one| one.is_to_confirm());
        self.findings.extend(found.map(|one| (person.member.id, name.clone(), one.clone())));
    }
}

/// Warnings about people whom an open payroll does not pay.
fn unpaid_warnings(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    one: &Payroll,
    language: Language,
) -> Result<Vec<(String, String, &'static str)>, Error> {
    let mut found = Vec::new();
    for person in outside::unpaid_people_with_warnings(tx, visitor.caller.company, one)? {
        for warning in &person.warnings {
            let (text, language) = warning.in_language(language);
            found.push((person.name.clone(), text, language.code()));
        }
    }
    Ok(found)
}

/// The people who are paid, each with what was earned the last time.
fn paid_people(
    frame: &Frame,
    payroll: &Payroll,
    shown: Vec<PayrollEmployee>,
    before: Vec<Before>,
) -> Vec<Person> {
    let mut before = before.into_iter();
    let paid = shown.into_iter().filter_map(|one| paid_person(frame, payroll, one));
    paid.map(|person| Person { before: before.next(), ..person }).collect()
}

fn paid_person(frame: &Frame, payroll: &Payroll, one: PayrollEmployee) -> Option<Person> {
    let (outcome, paid) = one.outcome?;
    let taken = outcome.gross.millionths() - outcome.net.millionths();
    let told = |warning: &Warning| PreviewWarning::of(frame, payroll, one.member.id, warning);
    Some(Person {
        id: one.member.id,
        name: format!("{} {}", one.member.first_name, one.member.last_name),
        gross: format_amount(outcome.gross),
        taken: format_amount(Amount::from_millionths(taken)),
        net: format_amount(outcome.net),
        before: None,
        warnings: paid.warnings.iter().map(told).collect(),
    })
}

/// Changes since the payroll was calculated, in words.
fn told_changed(t: &Texts, changed: &ChangedSince) -> String {
    match changed.count {
        0 => t.employer.changed_company.to_owned(),
        people => fill_placeholders(t.employer.changed_people, &[("people", &people.to_string())]),
    }
}

/// The actions available in the current state; if something has changed since the calculation, it can be calculated
/// again.
fn available_actions(
    tx: &mut Tx<'_>,
    frame: &Frame,
    (one, changed): (&Payroll, bool),
    (shown, everybody): (&Shown<'_>, Option<Everybody>),
    (debited, handed): (&str, &str),
) -> Vec<Deed> {
    let (t, e, asked) = (frame.texts, frame.texts.employer, shown.question);
    let deed = |action, label, main| Deed {
        action,
        label,
        question: None,
        findings: Vec::new(),
        unconfirmed: false,
        main,
    };
    if one.is_cancellable(tx.now()) {
        let question = (asked == Some(Question::Cancel)).then(|| (e.cancel_sure.to_owned(), e.cancel_no));
        let action = if question.is_some() { "cancelled" } else { "cancel" };
        let label = if question.is_some() { e.cancel_yes } else { e.cancel };
        return vec![Deed { question, ..deed(action, label, false) }];
    }
    if one.is_stuck() {
        return vec![deed("submitted", e.submit_again, true)];
    }
    match one.request {
        _ if one.is_processed() => Vec::new(),
        Some(Standing::CalculateSuccess) if asked == Some(Question::Submit) => {
            let question = Some((submit_sure(t, one, (debited, handed)), e.submit_no));
            let told = |(_, name, warning): (Uuid, String, Warning)| {
                let (text, language) = warning.in_language(frame.language);
                (name, text, language.code())
            };
            let findings = everybody.unwrap_or_default().findings.into_iter().map(told).collect();
            let unconfirmed = shown.unconfirmed;
            vec![Deed { question, findings, unconfirmed, ..deed("submitted", e.submit_yes, true) }]
        }
        Some(Standing::CalculateSuccess) if changed => {
            vec![deed("calculate", e.calculate_again, true), deed("submit", e.submit, false)]
        }
        Some(Standing::CalculateSuccess) => vec![deed("submit", e.submit, true)],
        _ => vec![deed("calculate", e.calculate_again, true)],
    }
}

/// The question before a payroll is submitted: what leaves the account, what is handed out, and who is paid when.
fn submit_sure(t: &Texts, one: &Payroll, (debited, handed): (&str, &str)) -> String {
    let e = t.employer;
    let sum = |name: &str| total_of(one, name).unwrap_or_default();
    let (amount, payday) = (sum("company_debit"), t.format_day(one.check_date));
    let to_accounts = is_some(&sum("net_pay_debit")) || is_some(&sum("reimbursement_debit"));
    let words = match (is_some(&amount), is_some(&sum("check_amount")), to_accounts) {
        (_, false, _) => e.submit_sure,
        (false, true, _) => e.submit_sure_checks_only,
        (true, true, false) => e.submit_sure_checks,
        (true, true, true) => e.submit_sure_both,
    };
    let values = [("amount", &*amount), ("debited", debited), ("payday", &payday), ("checks", handed)];
    fill_placeholders(words, &values)
}

/// Performs the action of a button. [`show_again`] shows a refusal.
pub fn handle_action(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    language: Language,
    one: &Payroll,
    form: &Form,
) -> Result<Outcome, Error> {
    if !Frame::load(tx, visitor, Some(language))?.shows_any_of(&[Screen::Payrolls]) {
        return redirect_elsewhere(tx, visitor);
    }
    let question = match form.get("action").unwrap_or_default() {
        "submit" => Some(Question::Submit),
        "cancel" => Some(Question::Cancel),
        "calculate" => {
            lifecycle::calculate_payroll(tx, &visitor.caller, one.id)?;
            None
        }
        // A form sent twice submits only once.
        "submitted" if !one.is_processed() => {
            let found = Everybody::read_everybody(tx, visitor, one)?.findings;
            let found: Vec<_> = found.into_iter().map(|(id, _, warning)| (id, warning.key)).collect();
            let is_asked = one.request == Some(Standing::CalculateSuccess) && !found.is_empty();
            if is_asked && !form.is_ticked("confirmed") {
                let asked = Shown { question: Some(Question::Submit), unconfirmed: true, ..Shown::default() };
                return payroll_page(tx, visitor, language, one, asked);
            }
            // The amount debited must be the one that the page showed.
            lifecycle::submit_run(
                tx,
                &visitor.caller,
                one.id,
                id_of(form.get("version").unwrap_or_default()),
            )?;
            if is_asked {
                lifecycle::note_confirmed(tx, &visitor.caller, one.id, &found)?;
            }
            None
        }
        "cancelled" if one.is_processed() => {
            lifecycle::cancel_payroll(tx, &visitor.caller, one.id)?;
            None
        }
        _ => None,
    };
    match question {
        Some(_) => payroll_page(tx, visitor, language, one, Shown { question, ..Shown::default() }),
        None => Ok(Outcome::GoTo(payroll_path(one.id))),
    }
}

/// Shows a payroll again with a refusal.
pub fn show_again(
    payroll: Uuid,
) -> impl Fn(&mut Tx<'_>, &Visitor, Language, &Form, Problems) -> Result<Outcome, Error> + Send + 'static {
    move |tx, visitor, language, form, problems| {
        let Some(one) = find_payroll(tx, visitor, payroll)? else { return redirect_elsewhere(tx, visitor) };
        // Totals that have changed since the page was shown must be confirmed again.
        let asks = problems.is_stale() && form.get("action") == Some("submitted");
        let question = asks.then_some(Question::Submit);
        payroll_page(
            tx,
            visitor,
            language,
            &one,
            Shown { question, problems: Some(&problems), ..Shown::default() },
        )
    }
}
