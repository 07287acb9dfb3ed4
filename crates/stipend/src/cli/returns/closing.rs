//! `stipend returns list|close|filed|void`: the periods of a year.

use clap::{Args, ValueEnum};
use domain::Error;
use domain::company::companies;
use domain::contractors::forms as necs;
use domain::returns::closing::{self, Period};
use domain::returns::forms::content::{Changed, Content, FormOf, Kind};
use domain::returns::forms::rows::{self, Correction, TaxForm};
use domain::returns::forms::service;
use domain::returns::{figures, lines};
use jiff::civil::Date;
use returns::deadlines::{Deadlines, Return};
use returns::{Quarter, dollars};
use rules::Named as _;
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::super::opening::{read_unit, told};
use super::{StoreArgs, open, print_result, run_unit, settings};

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

/// A return of the year.
struct Listed {
    /// code of the form
    code: &'static str,
    quarter: Option<i8>,
    due: Date,
    /// what was closed, if it was
    form: Option<TaxForm>,
    /// lines that say something else today
    changed: Vec<Changed>,
    corrections: Vec<Correction>,
    blockers: Vec<String>,
}

pub(super) async fn list(args: ListArgs, json: bool) -> Result<(), String> {
    let ListArgs { company, year, store } = args;
    let listed = read_unit(&store, move |tx| returns_of(tx, company, year)).await?;
    let text = listed.iter().map(told_of).collect::<Vec<_>>().join("\n");
    let shown = listed.iter().map(shown).collect::<Vec<_>>();
    print_result(json, &text, &json!({ "company_uuid": company, "year": year, "returns": shown }))
}

fn returns_of(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Vec<Listed>, Error> {
    companies::find(tx, company)?.ok_or(Error::NotFound)?;
    let now = figures::of_year(tx, company, year)?;
    let employer = service::employer(tx, company)?;
    let kept = rows::of_company(tx, company)?;
    let corrections = rows::corrections(tx, company, true)?;
    let fourth = Quarter::of_year(year)[3];
    let withheld = match now.files_annually {
        true => vec![(Kind::F944, Return::F944, fourth)],
        false => Quarter::of_year(year).map(|quarter| (Kind::F941, Return::F941, quarter)).to_vec(),
    };
    let mut listed = Vec::new();
    let mut annual = vec![(Kind::F940, Return::F940, fourth), (Kind::W3, Return::W2ToAgency, fourth)];
    let of_contractors = necs::sum(tx, company, year)?;
    let is_1096 = |form: &TaxForm| form.kind == Kind::F1096 && form.year == i64::from(year);
    // Most companies pay no contractors.
    if of_contractors.forms > 0 || kept.iter().any(is_1096) {
        annual.push((Kind::F1096, Return::F1099Nec, fourth));
    }
    for (kind, of, quarter) in withheld.into_iter().chain(annual) {
        let number = (kind == Kind::F941).then(|| quarter.number());
        let figures = match (number, kind) {
            (Some(number), _) => now.quarter(number).map(|one| lines::of_941(&one.form)),
            (None, Kind::F944) => now.form_944.as_ref().map(|one| lines::of_944(&one.form)),
            (None, Kind::W3) => Some(lines::of_w3(&now.w3)),
            (None, Kind::F1096) => Some(lines::of_1096(&of_contractors)),
            (None, _) => now.form_940.as_ref().map(lines::of_940),
        };
        let this = FormOf { kind, year, quarter: number };
        let form = kept.iter().find(|form| form.is(this) && form.is_closed());
        let changed = match (form, figures) {
            (Some(form), Some(figures)) => {
                let now = Content { employer: employer.clone(), figures };
                form.read_content(tx, company)?.differences(&now)
            }
            _ => Vec::new(),
        };
        let of_form = |one: &&Correction| form.is_some_and(|form| form.id == one.form);
        // Deposits that were made in time allow ten days more; the earlier day is safe.
        let due =
            Deadlines::built_in().due(of, quarter, false).map_err(|why| Error::internal(why.to_string()))?;
        listed.push(Listed {
            code: kind.code(),
            quarter: number,
            due: due.due,
            form: form.cloned(),
            changed,
            corrections: corrections.iter().filter(of_form).cloned().collect(),
            blockers: match kind {
                Kind::F1096 => necs::blockers(tx, company, year)?,
                _ => now.blockers_of(this).map(|one| one.why.clone()).collect(),
            },
        });
    }
    if of_contractors.withheld != 0 {
        listed.push(of_backup_withholding(fourth, of_contractors.withheld)?);
    }
    Ok(listed)
}

/// Form 945, on which backup withholding is reported (Instructions for Form 945): when it is due, and what to enter. The company fills it in.
fn of_backup_withholding(fourth: Quarter, withheld: i64) -> Result<Listed, Error> {
    let due = Deadlines::built_in().due(Return::F945, fourth, false);
    let due = due.map_err(|why| Error::internal(why.to_string()))?.due;
    let why =
        format!("the form itself, which stipend does not make: lines 2 and 3 are {}", dollars(withheld));
    Ok(Listed {
        code: "945",
        quarter: None,
        due,
        form: None,
        changed: Vec::new(),
        corrections: Vec::new(),
        blockers: vec![why],
    })
}

fn told_of(one: &Listed) -> String {
    let quarter = one.quarter.map(|quarter| format!(" Q{quarter}")).unwrap_or_default();
    let state = match &one.form {
        Some(form) => {
            let filed = form
                .filed_on
                .map(|day| format!(" on {day}, {}", form.receipt.as_deref().unwrap_or_default()));
            format!(
                "{}{}, {}, posted {}",
                form.state.as_str(),
                filed.unwrap_or_default(),
                form.id,
                dollars(form.posted)
            )
        }
        None => "not closed".to_owned(),
    };
    let mut lines = vec![format!("Form {}{quarter}, due {}: {state}", one.code, one.due)];
    lines.extend(one.changed.iter().map(|changed| {
        let [before, now] =
            [&changed.before, &changed.now].map(|value| value.as_deref().unwrap_or("nothing"));
        format!("  changed since the close: {} {}: {before}, now {now}", changed.number, changed.title)
    }));
    lines.extend(one.corrections.iter().map(|correction| {
        let (id, cause, day) = (correction.id, correction.cause.as_str(), correction.day);
        format!("  correction {id}: {cause} {}, pay date {day}", correction.record)
    }));
    if one.form.is_none() {
        lines.extend(one.blockers.iter().map(|why| format!("  missing: {why}")));
    }
    lines.join("\n")
}

fn shown(one: &Listed) -> Value {
    let changed = one.changed.iter().map(|changed| {
        json!({ "line": changed.number, "title": changed.title, "before": changed.before, "now": changed.now })
    });
    let corrections = one.corrections.iter().map(|correction| {
        json!({ "uuid": correction.id, "cause": correction.cause.as_str(), "record": correction.record, "pay_date": correction.day })
    });
    json!({ "form": one.code, "quarter": one.quarter, "due": one.due, "closed": one.form.as_ref().map(closed_shown),
            "changed": changed.collect::<Vec<_>>(), "corrections": corrections.collect::<Vec<_>>(), "blockers": one.blockers })
}

fn closed_shown(form: &TaxForm) -> Value {
    json!({ "uuid": form.id, "state": form.state.as_str(), "digest": hex::encode(&form.digest), "posted": dollars(form.posted),
            "file_sha256": form.file_digest.as_ref().map(hex::encode), "filed_on": form.filed_on, "receipt": form.receipt })
}

pub(super) async fn close(args: CloseArgs, json: bool) -> Result<(), String> {
    let CloseArgs { company, form, year, quarter, store } = args;
    let period = match (form, quarter) {
        (FormName::F941, Some(number)) => {
            let quarter = Quarter::new(year, number)
                .ok_or("--quarter must be from 1 to 4, in a year from 1 to 9998")?;
            Period::Quarter(quarter)
        }
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
    let store = open(&settings(&store)?)?;
    let closed = closing::close(&store, company, period).await;
    let closed = closed.map_err(|error| match error {
        Error::Violations(wrong) => {
            let reasons = wrong.into_iter().map(|one| one.message).collect::<Vec<_>>();
            format!("it can't be closed:\n{}", reasons.join("\n"))
        }
        other => told(other, "there is no such company"),
    })?;
    let text = format!(
        "Form {} of {} is closed: {}, posted {}\nsha256 {}",
        closed.kind.code(),
        closed.period(),
        closed.id,
        dollars(closed.posted),
        hex::encode(&closed.digest)
    );
    print_result(json, &text, &closed_shown(&closed))
}

pub(super) async fn filed(args: FiledArgs, json: bool) -> Result<(), String> {
    let FiledArgs { company, id, on, receipt, store } = args;
    let text = format!("{id} was filed on {on}: {receipt}");
    let value = json!({ "uuid": id, "filed_on": on, "receipt": receipt });
    run_unit(&store, move |tx| closing::filed(tx, company, id, (on, &receipt))).await?;
    print_result(json, &text, &value)
}

pub(super) async fn void(args: VoidArgs, json: bool) -> Result<(), String> {
    let VoidArgs { company, id, reason, store } = args;
    let (text, value) = (format!("{id} is void: {reason}"), json!({ "uuid": id, "reason": reason }));
    let store = open(&settings(&store)?)?;
    let voided = closing::take_back(&store, company, id, &reason).await;
    voided.map_err(|error| told(error, "there is no such company or form"))?;
    print_result(json, &text, &value)
}
