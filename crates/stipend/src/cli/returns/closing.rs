//! `stipend returns list|close|filed|void`: the periods of a year.

use clap::{Args, ValueEnum};
use domain::Error;
use domain::access::tokens::Caller;
use domain::returns::amended::{self, Amendment};
use domain::returns::calendar::{self, DueReturn};
use domain::returns::closing::{self, Filing, Period};
use domain::returns::forms::rows::TaxForm;
use domain::returns::of_states::{StateReturn, StateReturnKind};
use jiff::civil::Date;
use returns::{Quarter, format_dollars};
use rules::Named as _;
use serde_json::{Value, json};
use store::Store;
use uuid::Uuid;

use super::super::opening::{error_line, read_unit};
use super::{StoreArgs, load_settings, open_store, print_result, run_unit};

/// The returns that are closed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum FormName {
    /// Form 941 of a quarter
    #[value(name = "941")]
    F941,
    /// Form 944 of a year
    #[value(name = "944")]
    F944,
    /// Form 940 of a year
    #[value(name = "940")]
    F940,
    /// Forms W-2 and W-3 of a year
    #[value(name = "w-2")]
    W2,
    /// Forms 1099-NEC of a year
    #[value(name = "1099-nec")]
    F1099,
}

#[derive(Args)]
pub(in crate::cli) struct ListArgs {
    /// The company
    #[arg(long, value_name = "UUID")]
    company: Uuid,
    /// The year of the pay dates
    #[arg(long, value_name = "YEAR")]
    year: i16,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub(in crate::cli) struct CloseArgs {
    /// The company
    #[arg(long, value_name = "UUID")]
    company: Uuid,
    /// The form
    #[arg(long, value_name = "FORM")]
    form: FormName,
    /// The year of the pay dates
    #[arg(long, value_name = "YEAR")]
    year: i16,
    /// The quarter, from 1 to 4, of Form 941
    #[arg(long, value_name = "QUARTER")]
    quarter: Option<i8>,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub(in crate::cli) struct FiledArgs {
    /// The company
    #[arg(long, value_name = "UUID")]
    company: Uuid,
    /// The form, or the correction, by its id in the list
    #[arg(long, value_name = "UUID")]
    id: Uuid,
    /// The day on which it was filed or settled
    #[arg(long, value_name = "DATE")]
    on: Date,
    /// The agency's receipt; for a correction also why no amended return is needed
    #[arg(long, value_name = "TEXT")]
    receipt: String,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub(in crate::cli) struct VoidArgs {
    /// The company
    #[arg(long, value_name = "UUID")]
    company: Uuid,
    /// The form, by its id in the list
    #[arg(long, value_name = "UUID")]
    id: Uuid,
    /// Why the close is taken back
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) async fn list_due_returns(args: ListArgs, json: bool) -> Result<(), String> {
    let ListArgs { company, year, store } = args;
    let found = read_unit(&store, move |tx| calendar::of_year(tx, company, year)).await?;
    let lines = found.returns.iter().map(told_of).chain(found.of_states.iter().map(told_of_state));
    let checklist = found.missing.iter().map(|one| format!("for the close of {year}: {}", one.why));
    let text = lines.chain(checklist).collect::<Vec<_>>().join("\n");
    let shown = found.returns.iter().map(due_return_json).collect::<Vec<_>>();
    let missing = found
        .missing
        .iter()
        .map(|one| json!({ "subject": one.subject.as_str(), "employee_uuid": one.employee, "why": one.why }));
    let missing = missing.collect::<Vec<_>>();
    print_result(
        json,
        &text,
        &json!({ "company_uuid": company, "year": year, "returns": shown, "missing": missing,
                 "of_states": found.of_states.iter().map(of_state_shown).collect::<Vec<_>>() }),
    )
}

/// A return or a report to a state, for people.
fn told_of_state(one: &StateReturn) -> String {
    let quarter = one.quarter.map(|quarter| format!(" Q{quarter}")).unwrap_or_default();
    let what = match one.kind {
        StateReturnKind::WithheldIncomeTax => "income tax withheld",
        StateReturnKind::UnemploymentWages => "unemployment contributions",
        StateReturnKind::WageStatements => "Forms W-2, income tax withheld",
    };
    let mut line = format!(
        "{} {}{quarter}, due {}: {what} {} of taxable wages {}",
        one.state,
        one.form,
        one.due,
        format_dollars(one.amount),
        format_dollars(one.taxable)
    );
    if one.lacks_wages {
        line.push_str("\n  wages of another provider are not known");
    }
    if let Some(doubt) = one.doubt_text() {
        line.push_str(&format!("\n  {doubt}"));
    }
    if let Some(why) = &one.without_file {
        line.push_str(&format!("\n  no file is written: {why}"));
    }
    line
}

fn of_state_shown(one: &StateReturn) -> Value {
    json!({ "state": one.state, "kind": one.kind.as_str(), "form": one.form, "quarter": one.quarter, "due": one.due,
            "taxable_wages": format_dollars(one.taxable), "amount": format_dollars(one.amount), "lacks_wages": one.lacks_wages,
            "to_confirm": one.to_confirm, "without_file": one.without_file })
}

/// What an employer and its accountant look at first.
pub(super) async fn show_checklist(args: ListArgs, json: bool) -> Result<(), String> {
    let ListArgs { company, year, store } = args;
    let checks = read_unit(&store, move |tx| calendar::of_year(tx, company, year)).await?.checks;
    let told = checks.iter().map(|one| {
        let figures = one.figures.iter().map(|figure| format!("\n  {figure}")).collect::<String>();
        format!("{:<8} {}{figures}", one.state.as_str(), one.title)
    });
    let shown = checks.iter().map(|one| {
        json!({ "key": one.key, "title": one.title, "state": one.state.as_str(), "figures": one.figures })
    });
    let text = match checks.is_empty() {
        true => format!("nobody was paid in {year}"),
        false => told.collect::<Vec<_>>().join("\n"),
    };
    print_result(
        json,
        &text,
        &json!({ "company_uuid": company, "year": year, "checks": shown.collect::<Vec<_>>() }),
    )
}

fn told_of(one: &DueReturn) -> String {
    let quarter = one.quarter.map(|quarter| format!(" Q{quarter}")).unwrap_or_default();
    let state = match &one.closed {
        Some(form) => {
            let filed = form
                .filed_on
                .map(|day| format!(" on {day}, {}", form.receipt.as_deref().unwrap_or_default()));
            format!(
                "{}{}, {}, posted {}",
                form.state.as_str(),
                filed.unwrap_or_default(),
                form.id,
                format_dollars(form.posted)
            )
        }
        None => "not closed".to_owned(),
    };
    let mut lines = vec![format!("Form {}{quarter}, due {}: {state}", one.form_code, one.due)];
    lines.extend(one.changed.iter().map(|changed| {
        let [before, now] =
            [&changed.before, &changed.now].map(|value| value.as_deref().unwrap_or("nothing"));
        format!("  changed since the close: {} {}: {before}, now {now}", changed.number, changed.title)
    }));
    if !one.on_paper.is_empty() {
        lines.push(format!("  to furnish on paper: {} Forms W-2", one.on_paper.len()));
    }
    lines.extend(one.amended.iter().map(|form| {
        let filed = form.filed_on.map(|day| format!(", filed on {day}")).unwrap_or_default();
        format!("  Form {}: {}{filed}", form.kind.code(), form.id)
    }));
    lines.extend(one.corrections.iter().map(|correction| {
        let (id, cause, day) = (correction.id, correction.cause.as_str(), correction.day);
        format!("  correction {id}: {cause} {}, pay date {day}", correction.record)
    }));
    if one.closed.is_none() {
        lines.extend(one.blockers.iter().map(|why| format!("  missing: {why}")));
    }
    lines.join("\n")
}

fn due_return_json(one: &DueReturn) -> Value {
    let changed = one.changed.iter().map(|changed| {
        json!({ "line": changed.number, "title": changed.title, "before": changed.before, "now": changed.now })
    });
    let corrections = one.corrections.iter().map(|correction| {
        json!({ "uuid": correction.id, "cause": correction.cause.as_str(), "record": correction.record, "pay_date": correction.day })
    });
    json!({ "form": one.form_code, "quarter": one.quarter, "due": one.due, "closed": one.closed.as_ref().map(closed_shown),
            "changed": changed.collect::<Vec<_>>(), "amended": one.amended.iter().map(closed_shown).collect::<Vec<_>>(),
            "corrections": corrections.collect::<Vec<_>>(), "blockers": one.blockers, "on_paper": one.on_paper })
}

fn closed_shown(form: &TaxForm) -> Value {
    json!({ "uuid": form.id, "state": form.state.as_str(), "digest": hex::encode(&form.digest), "posted": format_dollars(form.posted),
            "file_sha256": form.file_digest.as_ref().map(hex::encode), "filed_on": form.filed_on, "receipt": form.receipt })
}

fn quarter_of(year: i16, number: i8) -> Result<Quarter, &'static str> {
    Quarter::new(year, number).ok_or("--quarter must be from 1 to 4, in a year from 1 to 9998")
}

pub(super) async fn close_form(args: CloseArgs, json: bool) -> Result<(), String> {
    let CloseArgs { company, form, year, quarter, store } = args;
    let period = match (form, quarter) {
        (FormName::F941, Some(number)) => Period::Quarter(quarter_of(year, number)?),
        (FormName::F941, None) => {
            return Err("--quarter is missing: Form 941 is of a quarter, from 1 to 4".to_owned());
        }
        (FormName::F944, None) => Period::Withheld(year),
        (FormName::F940, None) => Period::Unemployment(year),
        (FormName::W2, None) => Period::Statements(year),
        (FormName::F1099, None) => Period::Contractors(year),
        (FormName::F944 | FormName::F940 | FormName::W2 | FormName::F1099, Some(_)) => {
            return Err("--quarter belongs to Form 941 alone: the others are of a year".to_owned());
        }
    };
    let store = open_store(&load_settings(&store)?)?;
    let caller = operator_of_company(&store, company).await?;
    let closed = closing::close_period(&store, &caller, period).await;
    let closed = closed.map_err(|error| match error {
        Error::Violations(wrong) => {
            let reasons = wrong.into_iter().map(|one| one.message).collect::<Vec<_>>();
            format!("it can't be closed:\n{}", reasons.join("\n"))
        }
        other => error_line(other, "there is no such company"),
    })?;
    let text = format!(
        "Form {} of {} is closed: {}, posted {}\nsha256 {}",
        closed.kind.code(),
        closed.period_text(),
        closed.id,
        format_dollars(closed.posted),
        hex::encode(&closed.digest)
    );
    print_result(json, &text, &closed_shown(&closed))
}

pub(super) async fn record_filing(args: FiledArgs, json: bool) -> Result<(), String> {
    let FiledArgs { company, id, on, receipt, store } = args;
    let text = format!("{id} was filed on {on}: {receipt}");
    let value = json!({ "uuid": id, "filed_on": on, "receipt": receipt });
    let filing = Filing { on, receipt };
    run_unit(&store, move |tx| {
        let caller = closing::operator_for_company(tx, company)?;
        closing::record_filing(tx, &caller, id, &filing)
    })
    .await?;
    print_result(json, &text, &value)
}

pub(super) async fn void_form(args: VoidArgs, json: bool) -> Result<(), String> {
    let VoidArgs { company, id, reason, store } = args;
    let (text, value) = (format!("{id} is void: {reason}"), json!({ "uuid": id, "reason": reason }));
    let store = open_store(&load_settings(&store)?)?;
    let caller = operator_of_company(&store, company).await?;
    let voided = closing::take_back(&store, &caller, id, &reason).await;
    voided.map_err(|error| error_line(error, "there is no such company or form"))?;
    print_result(json, &text, &value)
}

#[derive(Args)]
pub(in crate::cli) struct AmendArgs {
    /// The company
    #[arg(long, value_name = "UUID")]
    company: Uuid,
    /// The amended form
    #[arg(long, value_name = "FORM")]
    form: AmendedName,
    /// The year of the pay dates
    #[arg(long, value_name = "YEAR")]
    year: i16,
    /// The quarter, from 1 to 4, of Form 941-X
    #[arg(long, value_name = "QUARTER")]
    quarter: Option<i8>,
    #[command(flatten)]
    store: StoreArgs,
}

/// The amended returns.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum AmendedName {
    /// Form 941-X of a quarter
    #[value(name = "941-x")]
    F941X,
    /// Forms W-2c and W-3c of a year
    #[value(name = "w-2c")]
    W2C,
    /// Form 944-X: refused, with what to do
    #[value(name = "944-x")]
    F944X,
    /// Form 943-X: refused, with what to do
    #[value(name = "943-x")]
    F943X,
}

/// Why a Form 944-X is not made: its lines were not read, and a guessed one would be filed.
const NO_944_X: &str = "Form 944-X is not made: its lines were not entered. `stipend returns list` shows each line of the closed Form 944 that says \
                        something else today: enter these in the form, and settle the correction with `stipend returns filed`, by its id";
/// Why a Form 943-X is not made: no Form 943 is closed of which it could tell what changed.
const NO_943_X: &str = "Form 943-X is not made: Form 943 is shown as figures and not closed, so what it said before is not kept. Compare `stipend \
                        returns show --form 943` with the form that was filed";

pub(super) async fn amend_form(args: AmendArgs, json: bool) -> Result<(), String> {
    let AmendArgs { company, form, year, quarter, store } = args;
    let amendment = match (form, quarter) {
        (AmendedName::F941X, Some(number)) => Amendment::Quarter(quarter_of(year, number)?),
        (AmendedName::F941X, None) => {
            return Err("--quarter is missing: Form 941-X is of a quarter, from 1 to 4".to_owned());
        }
        (AmendedName::W2C, None) => Amendment::Statements(year),
        (AmendedName::F944X, _) => return Err(NO_944_X.to_owned()),
        (AmendedName::F943X, _) => return Err(NO_943_X.to_owned()),
        (AmendedName::W2C, Some(_)) => return Err("--quarter belongs to Form 941-X alone".to_owned()),
    };
    let store = open_store(&load_settings(&store)?)?;
    let caller = operator_of_company(&store, company).await?;
    let made = amended::close_amended_return(&store, &caller, amendment).await;
    let made = made.map_err(|error| match error {
        Error::Violations(wrong) => wrong.into_iter().map(|one| one.message).collect::<Vec<_>>().join("\n"),
        other => error_line(other, "there is no such company"),
    })?;
    let (id, company) = (made.clone(), company);
    let content = store.read(move |tx| id.read_content(tx, company)).await;
    let content = content.map_err(|error| error_line(error, "there is no such form"))?;
    let mut text = format!(
        "Form {} of {}: {}, posted {}",
        made.kind.code(),
        made.period_text(),
        made.id,
        format_dollars(made.posted)
    );
    for part in content.parts() {
        text.push_str(&format!("\n{}", part.heading));
        for line in part.lines {
            text.push_str(&format!("\n  {:<6} {:>15}  {}", line.number, line.value.shown_text(), line.title));
        }
    }
    let lines =
        content.parts().into_iter().flat_map(|part| part.lines).map(
            |line| json!({ "line": line.number, "title": line.title, "value": line.value.shown_text() }),
        );
    let mut value = closed_shown(&made);
    value["lines"] = lines.collect();
    print_result(json, &text, &value)
}

/// Returns the operator, acting on the records of a company.
async fn operator_of_company(store: &Store, company: Uuid) -> Result<Caller, String> {
    let found = store.read(move |tx| closing::operator_for_company(tx, company)).await;
    found.map_err(|error| error_line(error, "there is no such company"))
}
