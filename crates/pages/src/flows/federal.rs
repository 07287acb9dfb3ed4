//! Form W-4: filing status and steps 2 to 4, with their effect on the next paycheck if pay is known.

use rules::withholding::federal::{FilingStatus, W4};
use rules::{Amount, Named};
use store::Tx;

use super::form::{Choice, Control, Form, Problems};
use super::frame::Frame;
use super::number::written_number;
use super::plain;
use super::review::Fact;
use crate::flows::texts::Texts;
use crate::money::money;
use domain::Error;
use domain::language::fill;
use domain::patch::Patch;
use domain::people::flows::session::Visitor;
use domain::records::version_text;
use domain::withholding::taxes::commands::UpdateFederalTaxes;
use domain::withholding::taxes::rows::{FEDERAL_TABLE, FederalTaxes, REV_2020};
use domain::withholding::taxes::service;
use interface::field::Wire;

const AMOUNTS: [&str; 4] = ["dependents_amount", "other_income", "deductions", "extra_withholding"];

pub fn view(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let t = frame.texts;
    let stored = service::federal::get(tx, &visitor.caller, visitor.person)?;
    let number = stored.as_ref().map_or(0, |stored| stored.version);
    let version = version_text(FEDERAL_TABLE, visitor.person, number);
    let controls = controls(t, stored.as_ref(), entered, &problems);
    let mut facts = Vec::new();
    if let Some(w4) = draft(&controls)
        && let Some(preview) = service::federal_preview(tx, &visitor.caller, visitor.person, &w4)?
    {
        let [gross, withheld] = [preview.gross, preview.withheld].map(money);
        let values = [("gross", &*gross), ("withheld", &*withheld)];
        facts.push((t.w4_preview, fill(t.w4_preview_text, &values)));
    }
    plain::previewed_form(frame, t.w4_title, &version, controls, &problems, &facts)
}

/// The stored form, for the review.
pub fn facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let stored = service::federal::get(tx, &visitor.caller, visitor.person)?;
    Ok(Fact::of(&controls(frame.texts, stored.as_ref(), None, &Problems::default()), frame.texts))
}

fn controls(
    t: &'static Texts,
    stored: Option<&FederalTaxes>,
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let status = |value: FilingStatus, label: &str| Choice {
        value: value.as_str().to_owned(),
        label: label.to_owned(),
    };
    let statuses = vec![
        status(FilingStatus::Single, t.w4_single),
        status(FilingStatus::Married, t.w4_married),
        status(FilingStatus::HeadOfHousehold, t.w4_head),
        status(FilingStatus::Exempt, t.w4_exempt),
    ];
    let yes_no = [("true", t.yes), ("false", t.no)];
    let yes_no =
        yes_no.map(|(value, label)| Choice { value: value.to_owned(), label: label.to_owned() }).to_vec();
    // A form from before 2020 is replaced as a whole. Before the first answer, amounts are zero.
    let (mut held_status, mut two_jobs) = (None, None);
    let mut amounts = AMOUNTS.map(|_| Amount::ZERO.to_string());
    match stored.map(|stored| stored.w4) {
        Some(W4::Rev2020 {
            filing_status,
            two_jobs: jobs,
            dependents_amount,
            other_income,
            deductions,
            extra_withholding,
        }) => {
            held_status = Some(filing_status.as_str());
            two_jobs = Some(jobs.to_string());
            amounts = [dependents_amount, other_income, deductions, extra_withholding]
                .map(|amount| amount.to_string());
        }
        Some(W4::Pre2020 { .. }) => amounts = AMOUNTS.map(|_| "0".to_owned()),
        None => {}
    }
    let money = |name: &str, label: &str, help: &str, amount: &str| {
        let control = Control::line(name, label, "off").in_dollars().help(help);
        control.holding(entered, Some(amount)).judged(problems, t.wrong_money)
    };
    let [dependents_amount, other_income, deductions, extra_withholding] = &amounts;
    vec![
        Control::select("filing_status", t.w4_status, statuses)
            .help(t.w4_status_help)
            .holding(entered, held_status)
            .judged(problems, t.wrong_choice),
        Control::select("two_jobs", t.w4_two_jobs, yes_no)
            .help(t.w4_two_jobs_help)
            .holding(entered, two_jobs.as_deref())
            .judged(problems, t.wrong_choice),
        money("dependents_amount", t.w4_dependents, t.w4_dependents_help, dependents_amount),
        money("other_income", t.w4_other_income, t.w4_other_income_help, other_income),
        money("deductions", t.w4_deductions, t.w4_deductions_help, deductions),
        money("extra_withholding", t.w4_extra, t.w4_extra_help, extra_withholding),
    ]
}

/// The form as in the controls, if it is valid.
fn draft(controls: &[Control]) -> Option<W4> {
    let value = |name: &str| {
        controls.iter().find(|control| control.name == name).map(|control| control.value.as_str())
    };
    let money = |name: &str| dollars(value(name)?).filter(|amount| *amount >= Amount::ZERO);
    Some(W4::Rev2020 {
        filing_status: FilingStatus::parse(value("filing_status")?)?,
        two_jobs: value("two_jobs") == Some("true"),
        dependents_amount: money("dependents_amount")?,
        other_income: money("other_income")?,
        deductions: money("deductions")?,
        extra_withholding: money("extra_withholding")?,
    })
}

/// Formatted dollars: empty for zero.
fn dollars(text: &str) -> Option<Amount> {
    if text.trim().is_empty() { Some(Amount::ZERO) } else { written_number(text) }
}

pub fn save(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<(), Error> {
    let money = |name: &str| {
        dollars(form.get(name).unwrap_or_default())
            .map_or(Patch::Invalid(Amount::EXPECTED.into()), Patch::Value)
    };
    let text = |name: &str| Patch::Value(form.get(name).unwrap_or_default().trim().to_owned());
    let [dependents_amount, other_income, deductions, extra_withholding] = AMOUNTS.map(money);
    let command = UpdateFederalTaxes {
        version: text("version"),
        w4_data_type: Patch::Value(REV_2020.to_owned()),
        filing_status: text("filing_status"),
        two_jobs: match form.get("two_jobs") {
            Some("true") => Patch::Value(true),
            Some("false") => Patch::Value(false),
            _ => Patch::Invalid(bool::EXPECTED.into()),
        },
        dependents_amount,
        other_income,
        deductions,
        extra_withholding,
        ..UpdateFederalTaxes::default()
    };
    service::federal::update(tx, &visitor.caller, visitor.person, &command).map(drop)
}
