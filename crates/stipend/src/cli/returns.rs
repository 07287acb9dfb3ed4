//! `stipend returns …`: what the returns of a year come to.

use clap::{Args, Subcommand};
use domain::Error;
use domain::company::companies;
use domain::returns::figures::{self, QuarterFigures, YearFigures};
use returns::line::Line;
use returns::reconcile::{Comparison, Verdict};
use returns::w2::MoneyBox;
use returns::{W3, dollars};
use rules::Named;
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::{StoreArgs, print_result, run_unit};

#[derive(Subcommand)]
pub(super) enum ReturnsCommand {
    /// Show Forms 941, 940 and W-3 of a year as figures, whether they agree with each other, with the books and with the
    /// deposits of this service, and what prevents the close
    #[command(
        after_help = "Figures are sums of processed payrolls. Nothing is filed, posted or changed.\n\nExamples:\n  \
                            stipend returns show --company UUID --year 2026\n  \
                            stipend returns show --company UUID --year 2026 --json > 2026.json"
    )]
    Show(ShowArgs),
}

#[derive(Args)]
pub(super) struct ShowArgs {
    /// The company
    #[arg(long, value_name = "UUID")]
    company: Uuid,
    /// The year of the pay dates
    #[arg(long, value_name = "YEAR")]
    year: i16,
    #[command(flatten)]
    store: StoreArgs,
}

/// Runs the command.
pub(super) async fn act(command: ReturnsCommand, json: bool) -> Result<(), String> {
    let ReturnsCommand::Show(ShowArgs { company, year, store }) = command;
    let unit = move |tx: &mut Tx<'_>| {
        companies::find(tx, company)?.ok_or(Error::NotFound)?;
        figures::of_year(tx, company, year)
    };
    let found = run_unit(&store, unit).await?;
    print_result(json, &text(&found), &shown(company, &found))
}

fn text(found: &YearFigures) -> String {
    let mut lines = Vec::new();
    for QuarterFigures { form, comparisons } in &found.quarters {
        let quarter = form.quarter;
        lines.push(format!("Form 941, {}-Q{}", quarter.year(), quarter.number()));
        lines.push(format!("  {:<4} {:>15}  employees", "1", form.employees));
        lines.extend(of_form(&form.lines()));
        lines.push(format!("  {:<4} {:>15}  taxes of the paychecks", "", dollars(form.booked)));
        lines.push(format!("  {:<4} {:>15}  to post at the close", "", dollars(form.to_post)));
        lines.extend(comparisons.iter().map(compared));
    }
    lines.push(format!("Form 940, {}", found.year));
    lines.extend(of_form(&found.form_940.lines()));
    lines.push(format!("Form W-3, {}: {} Forms W-2", found.year, found.w3.forms));
    lines.extend(boxes(&found.w3).map(|(name, cents)| format!("  {name:<8} {:>11}", dollars(cents))));
    lines.extend(found.comparisons.iter().map(compared));
    lines.extend(found.blockers.iter().map(|why| format!("not closed: {why}")));
    lines.join("\n")
}

fn of_form(lines: &[Line]) -> impl Iterator<Item = String> {
    lines.iter().map(|line| format!("  {:<4} {:>15}  {}", line.number, dollars(line.cents), line.title))
}

/// Boxes and codes of Form W-3 with their amounts.
fn boxes(w3: &W3) -> impl Iterator<Item = (String, i64)> {
    let boxes = MoneyBox::ALL.iter().map(|of| (of.as_str().replace('_', " "), w3.amount(*of)));
    let codes = w3.box_12.iter().map(|(code, cents)| (format!("code {code}"), *cents));
    boxes.chain(codes)
}

fn verdict(one: &Comparison) -> (&'static str, Option<&str>) {
    match &one.verdict {
        Verdict::Equal => ("equal", None),
        Verdict::Explained(why) => ("explained", Some(why)),
        Verdict::Blocker(why) => ("blocker", Some(why)),
    }
}

fn compared(one: &Comparison) -> String {
    let (verdict, why) = verdict(one);
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    let (left, right, by) = (dollars(one.left), dollars(one.right), dollars(one.difference()));
    format!("  {verdict}: {} {left}, {} {right}, difference {by}{why}", one.left_name, one.right_name)
}

fn shown(company: Uuid, found: &YearFigures) -> Value {
    let quarters = found.quarters.iter().map(|QuarterFigures { form, comparisons }| {
        let days = form.days.iter().map(|one| json!({ "pay_date": one.day, "amount": dollars(one.cents) }));
        json!({ "form": "941", "year": form.quarter.year(), "quarter": form.quarter.number(), "employees": form.employees,
                "lines": lines_shown(&form.lines()), "liability": days.collect::<Vec<_>>(), "booked": dollars(form.booked),
                "to_post": dollars(form.to_post), "comparisons": all_compared(comparisons) })
    });
    let form_940 = &found.form_940;
    let states = form_940.states.iter().map(|one| {
        json!({ "state": one.state, "wages": dollars(one.wages), "percent": one.percent.map(|percent| percent.to_text(1)),
                "reduction": dollars(one.reduction) })
    });
    let exempt =
        form_940.exempt.iter().map(|(kind, cents)| (kind.as_str().to_owned(), json!(dollars(*cents))));
    let boxes = boxes(&found.w3).map(|(name, cents)| (name.replace(' ', "_"), json!(dollars(cents))));
    let w3_states = found.w3.states.iter().map(
        |(state, taxed)| json!({ "state": state, "wages": dollars(taxed.wages), "tax": dollars(taxed.tax) }),
    );
    json!({ "company_uuid": company, "year": found.year, "quarters": quarters.collect::<Vec<_>>(),
            "form_940": { "lines": lines_shown(&form_940.lines()), "closed": form_940.is_closed,
                          "exempt": exempt.collect::<serde_json::Map<_, _>>(), "states": states.collect::<Vec<_>>() },
            "form_w3": { "forms": found.w3.forms, "amounts": boxes.collect::<serde_json::Map<_, _>>(),
                         "deferred": dollars(found.w3.deferred()), "states": w3_states.collect::<Vec<_>>() },
            "comparisons": all_compared(&found.comparisons), "blockers": found.blockers })
}

fn lines_shown(lines: &[Line]) -> Vec<Value> {
    let shown = |line: &Line| {
        json!({ "line": line.number, "title": line.title, "element": line.element, "amount": dollars(line.cents),
                "made_of": line.made_of })
    };
    lines.iter().map(shown).collect()
}

fn all_compared(comparisons: &[Comparison]) -> Vec<Value> {
    let shown = |one: &Comparison| {
        let (verdict, why) = verdict(one);
        json!({ "key": one.key, "left": one.left_name, "left_amount": dollars(one.left), "right": one.right_name,
                "right_amount": dollars(one.right), "difference": dollars(one.difference()), "verdict": verdict, "why": why })
    };
    comparisons.iter().map(shown).collect()
}
