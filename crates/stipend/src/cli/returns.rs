//! `stipend returns …`: what the returns of a year come to, and closing its periods.

mod closing;
mod deposits;
mod file;
mod preparing;
mod wages;
mod xml;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use domain::Error;
use domain::company::companies;
use domain::people::forms::pdf::render_pdf;
use domain::returns::farm;
use domain::returns::figures::{self, AnnualFigures, Blocker, QuarterFigures, YearFigures};
use domain::returns::other_taxes::TaxOfQuarter;
use returns::liability::DayLiability;
use returns::line::Line;
use returns::reconcile::{Comparison, Verdict};
use returns::w2::MoneyBox;
use returns::{W3, format_dollars};
use rules::Named;
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::{StoreArgs, load_settings, open_store, opening, print_result, run_unit};
use closing::{AmendArgs, CloseArgs, FiledArgs, ListArgs, VoidArgs};
use deposits::DepositsArgs;
use file::{Beside, WriteArgs};
use preparing::{OccupationsArgs, PositionsArgs};
use wages::WagesArgs;
use xml::XmlArgs;

#[derive(Subcommand)]
pub(super) enum ReturnsCommand {
    /// List the returns of a year: what is closed, filed or missing, when each is due, and what changed since the close
    #[command(after_help = "Example:\n  stipend returns list --company UUID --year 2026")]
    List(ListArgs),
    /// Check a year as an employer and its accountant look at it first: each point with its figures, and whether they agree
    #[command(
        after_help = "`agrees` needs nothing, `compare` is for a person, and something of `missing` is missing, late or contradicts something else.\n\n\
                            Example:\n  stipend returns check --company UUID --year 2026"
    )]
    Check(ListArgs),
    /// Close a quarter or a year: its form is kept with a digest, and the cents of rounding are posted to the books
    #[command(
        after_help = "Form 941 needs --quarter. A period that cannot be closed yet is refused with every reason.\n\nExamples:\n  \
                            stipend returns close --company UUID --form 941 --year 2026 --quarter 3\n  \
                            stipend returns close --company UUID --form 944 --year 2026\n  \
                            stipend returns close --company UUID --form 940 --year 2026\n  \
                            stipend returns close --company UUID --form w-2 --year 2026"
    )]
    Close(CloseArgs),
    /// Close an amended return of what has changed since a return was filed: Form 941-X of a quarter, or Forms W-2c and W-3c of a year
    #[command(
        after_help = "The return must be filed; a close that was not filed is taken back instead. The amended return is filed by a person, and its \
                            receipt recorded with `filed`, which settles the corrections that it covers.\n\nExamples:\n  \
                            stipend returns amend --company UUID --form 941-x --year 2026 --quarter 3\n  \
                            stipend returns amend --company UUID --form w-2c --year 2026"
    )]
    Amend(AmendArgs),
    /// Write the Forms W-2 of a closed year into a file for the Social Security Administration (EFW2), or for a state; it contains Social Security
    /// numbers
    #[command(
        after_help = "The file is checked first, and refused with every reason why it would be turned back. It must not exist yet, and is for \
                            its owner alone.\n\nExamples:\n  \
                            stipend returns write --company UUID --year 2026 --submitter submitter.json --out w2-2026.txt\n  \
                            stipend returns write --company UUID --form w-2c --year 2026 --submitter submitter.json --out w2c-2026.txt\n  \
                            stipend returns write --company UUID --year 2026 --state AZ --submitter submitter.json --out az-2026.txt\n\n\
                            The file of most states is in doubt until its row is confirmed (stipend data confirm); the refusal says which one.\n\
                            --form 1099-nec is refused: the header of the portal's file is not entered."
    )]
    Write(WriteArgs),
    /// List amounts whose position in the file of a year is not known, or confirm where the agency's publication has them
    #[command(
        after_help = "Read the positions in Publication 42-007 (EFW2) of the year, and test the file with AccuWage.\n\nExamples:\n  \
                            stipend returns positions --year 2026\n  \
                            stipend returns positions --year 2026 --set code_TP=RW:490-500,RT:415-429 --set box_14b=RW:342-347"
    )]
    Positions(PositionsArgs),
    /// List people with tips and the occupations of their jobs (box 14b of Form W-2), or set them
    #[command(
        after_help = "Examples:\n  stipend returns occupations --company UUID --year 2026\n  stipend returns occupations --codes\n  \
                            stipend returns occupations --company UUID --set JOB=102"
    )]
    Occupations(OccupationsArgs),
    /// Write the wages of a quarter by employee, for the report to a state's unemployment insurance; contains Social Security numbers
    #[command(
        after_help = "The list (CSV) has a layout of its own. With --submitter it is the file of the agency, for the states whose format was read. It \
                            must not exist yet, and is for its owner alone.\n\nExamples:\n  \
                            stipend returns wages --company UUID --state OR --year 2026 --quarter 3 --out or-2026-q3.csv\n  \
                            stipend returns wages --company UUID --state TN --year 2026 --quarter 3 --submitter submitter.json --out tn-2026-q3.txt"
    )]
    Wages(WagesArgs),
    /// Write a closed Form 941 or 940 as XML, with the names that its elements have in electronic returns, for a transmitter's program
    #[command(
        after_help = "Groups and header of the schema are not written: it is given to those who sign up with the Internal Revenue Service.\n\n\
                            Example:\n  stipend returns xml --company UUID --form 941 --year 2026 --quarter 3 --out 941-2026-q3.xml"
    )]
    Xml(XmlArgs),
    /// List deposits of federal taxes that this service did not make, of a provider before or the employer's own, or tell of one
    #[command(
        after_help = "They count for the return of their period (line 13 of Form 941).\n\nExamples:\n  \
                            stipend returns deposits --company UUID\n  \
                            stipend returns deposits --company UUID --add 1234.56 --form 941 --year 2026 --quarter 1 --on 2026-02-15 --receipt 'EFT 4711'\n  \
                            stipend returns deposits --company UUID --remove UUID"
    )]
    Deposits(DepositsArgs),
    /// Record that a closed form was filed, or that a correction is settled
    #[command(
        after_help = "stipend transmits nothing: a person files the form, and records the receipt here.\n\nExample:\n  \
                            stipend returns filed --company UUID --id UUID --on 2027-01-20 --receipt 'confirmation 4711'"
    )]
    Filed(FiledArgs),
    /// Take back a close that was not filed; the period can then be closed again
    #[command(
        after_help = "Example:\n  stipend returns void --company UUID --id UUID --reason 'a late payroll'"
    )]
    Void(VoidArgs),
    /// Show Forms 941 (or 944), 940 and W-3 of a year as figures, whether they agree with each other, with the books and with the
    /// deposits of this service, and what prevents the close
    #[command(
        after_help = "Figures are sums of processed payrolls. Nothing is filed, posted or changed.\n\nExamples:\n  \
                            stipend returns show --company UUID --year 2026\n  \
                            stipend returns show --company UUID --year 2026 --json > 2026.json\n  \
                            stipend returns show --company UUID --year 2026 --form 943\n  \
                            stipend returns show --company UUID --year 2026 --form 943 --pdf 943.pdf"
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
    /// Another form of the same year
    #[arg(long, value_name = "FORM")]
    form: Option<OtherForm>,
    /// A file for its document, as PDF; must not exist yet
    #[arg(long, value_name = "FILE", requires = "form")]
    pdf: Option<PathBuf>,
    #[command(flatten)]
    store: StoreArgs,
}

/// A form that is shown, and not closed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OtherForm {
    /// Form 943, for a company all of whose employees are farmworkers; without deposits, which are made for Form 941 or 944
    #[value(name = "943")]
    F943,
}

/// Runs the command.
pub(super) async fn run_returns_command(command: ReturnsCommand, json: bool) -> Result<(), String> {
    match command {
        ReturnsCommand::List(args) => closing::list_due_returns(args, json).await,
        ReturnsCommand::Check(args) => closing::show_checklist(args, json).await,
        ReturnsCommand::Close(args) => closing::close_form(args, json).await,
        ReturnsCommand::Amend(args) => closing::amend_form(args, json).await,
        ReturnsCommand::Write(args) => file::write_wage_statements(args, json).await,
        ReturnsCommand::Xml(args) => xml::write_return_xml(args, json).await,
        ReturnsCommand::Wages(args) => wages::write_wage_report(args, json).await,
        ReturnsCommand::Positions(args) => preparing::manage_positions(args, json).await,
        ReturnsCommand::Occupations(args) => preparing::manage_occupations(args, json).await,
        ReturnsCommand::Deposits(args) => deposits::manage_outside_deposits(args, json).await,
        ReturnsCommand::Filed(args) => closing::record_filing(args, json).await,
        ReturnsCommand::Void(args) => closing::void_form(args, json).await,
        ReturnsCommand::Show(args) => show_year_figures(args, json).await,
    }
}

async fn show_year_figures(args: ShowArgs, json: bool) -> Result<(), String> {
    let ShowArgs { company, year, form, pdf, store } = args;
    if form == Some(OtherForm::F943) {
        return show_943((company, year), pdf.as_deref(), &store, json).await;
    }
    let unit = move |tx: &mut Tx<'_>| {
        companies::find_company(tx, company)?.ok_or(Error::NotFound)?;
        figures::of_year(tx, company, year)
    };
    let found = opening::read_unit(&store, unit).await?;
    let others = &found.other_taxes;
    let mut value = year_figures_json(company, &found);
    value["other_taxes"] = others.iter().map(other_tax_shown).collect();
    let lines: Vec<String> =
        [year_figures_text(&found)].into_iter().chain(others.iter().map(other_tax)).collect();
    print_result(json, &lines.join("\n"), &value)
}

async fn show_943(
    (company, year): (Uuid, i16),
    pdf: Option<&Path>,
    store: &StoreArgs,
    json: bool,
) -> Result<(), String> {
    let unit = move |tx: &mut Tx<'_>| {
        let form = farm::of_year(tx, company, year)?;
        let document = farm::document(tx, company, &form)?;
        Ok::<_, Error>((form, document))
    };
    let (form, document) = opening::read_unit(store, unit).await?;
    if let Some(out) = pdf {
        let (beside, mut file) = Beside::create_incomplete(out)?;
        file.write_all(&render_pdf(&document))
            .map_err(|error| format!("{} cannot be written: {error}", out.display()))?;
        beside.sync_file(file)?;
        beside.move_into_place()?;
    }
    let mut text = vec![
        format!("Form 943, {year}"),
        format!("  {:<4} {:>15}  employees in the pay period of 12 March", "1", form.employees),
    ];
    text.extend(of_form(&form.lines()));
    text.extend(of_books(form.booked, form.to_post));
    let value = json!({ "company_uuid": company, "form": "943", "year": year, "employees": form.employees,
                        "lines": lines_shown(&form.lines()), "liability": liability_shown(&form.days),
                        "months": form.months.map(format_dollars), "booked": format_dollars(form.booked), "to_post": format_dollars(form.to_post),
                        "file": pdf });
    print_result(json, &text.join("\n"), &value)
}

/// A tax of a state or a place in a quarter, for people.
fn other_tax(one: &TaxOfQuarter) -> String {
    let (quarter, by) = (one.quarter.number(), one.id.payer.as_str());
    let lacks = if one.lacks_wages { "; wages of another provider are not known" } else { "" };
    format!(
        "Q{quarter} {} ({}, {by}): {} of taxable wages {}, subject {}{lacks}",
        one.id.code,
        one.label,
        format_dollars(one.amount),
        format_dollars(one.taxable),
        format_dollars(one.subject)
    )
}

fn other_tax_shown(one: &TaxOfQuarter) -> Value {
    json!({ "year": one.quarter.year(), "quarter": one.quarter.number(), "code": one.id.code, "payer": one.id.payer.as_str(),
            "name": one.label, "state": one.jurisdiction.state, "level": one.jurisdiction.level.as_str(),
            "place": one.jurisdiction.place, "paychecks": one.paychecks, "subject_wages": format_dollars(one.subject),
            "taxable_wages": format_dollars(one.taxable), "amount": format_dollars(one.amount), "lacks_wages": one.lacks_wages })
}

fn year_figures_text(found: &YearFigures) -> String {
    let mut lines = Vec::new();
    for QuarterFigures { form, comparisons, .. } in &found.quarters {
        let quarter = form.quarter;
        lines.push(format!("Form 941, {}-Q{}", quarter.year(), quarter.number()));
        lines.push(format!("  {:<4} {:>15}  employees", "1", form.employees));
        lines.extend(of_form(&form.lines()));
        lines.extend(of_books(form.booked, form.to_post));
        lines.extend(comparisons.iter().map(comparison_line));
    }
    if let Some(AnnualFigures { form, comparisons }) = &found.form_944 {
        lines.push(format!("Form 944, {}", found.year));
        lines.extend(of_form(&form.lines()));
        lines.extend(of_books(form.booked, form.to_post));
        lines.extend(comparisons.iter().map(comparison_line));
    }
    if let Some(form) = &found.form_940 {
        lines.push(format!("Form 940, {}", found.year));
        lines.extend(of_form(&form.lines()));
    }
    lines.push(format!("Form W-3, {}: {} Forms W-2", found.year, found.w3.forms));
    lines.extend(
        w3_amounts(&found.w3).map(|(name, cents)| format!("  {name:<8} {:>11}", format_dollars(cents))),
    );
    lines.extend(found.comparisons.iter().map(comparison_line));
    lines.extend(found.blockers.iter().map(blocker_line));
    lines.join("\n")
}

fn of_books(booked: i64, to_post: i64) -> [String; 2] {
    [
        format!("  {:<4} {:>15}  taxes of the paychecks", "", format_dollars(booked)),
        format!("  {:<4} {:>15}  to post at the close", "", format_dollars(to_post)),
    ]
}

/// What prevents the close of a form, in words.
fn blocker_line(one: &Blocker) -> String {
    let quarter = one.of.quarter.map(|quarter| format!(" of Q{quarter}")).unwrap_or_default();
    format!("not closed: Form {}{quarter}: {}", one.of.kind.code(), one.why)
}

fn of_form(lines: &[Line]) -> impl Iterator<Item = String> {
    lines
        .iter()
        .map(|line| format!("  {:<4} {:>15}  {}", line.number, format_dollars(line.cents), line.title))
}

/// Boxes and codes of Form W-3 with their amounts.
fn w3_amounts(w3: &W3) -> impl Iterator<Item = (String, i64)> {
    let boxes = MoneyBox::ALL.iter().map(|of| (of.as_str().replace('_', " "), w3.amount(*of)));
    let codes = w3.box_12.iter().map(|(code, cents)| (format!("code {code}"), *cents));
    boxes.chain(codes)
}

fn comparison_verdict(one: &Comparison) -> (&'static str, Option<&str>) {
    match &one.verdict {
        Verdict::Equal => ("equal", None),
        Verdict::Explained(why) => ("explained", Some(why)),
        Verdict::Blocker(why) => ("blocker", Some(why)),
    }
}

fn comparison_line(one: &Comparison) -> String {
    let (verdict, why) = comparison_verdict(one);
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    let (left, right, by) =
        (format_dollars(one.left), format_dollars(one.right), format_dollars(one.difference()));
    format!("  {verdict}: {} {left}, {} {right}, difference {by}{why}", one.left_name, one.right_name)
}

fn year_figures_json(company: Uuid, found: &YearFigures) -> Value {
    let quarters = found.quarters.iter().map(|QuarterFigures { form, comparisons, .. }| {
        json!({ "form": "941", "year": form.quarter.year(), "quarter": form.quarter.number(), "employees": form.employees,
                "lines": lines_shown(&form.lines()), "liability": liability_shown(&form.days), "booked": format_dollars(form.booked),
                "to_post": format_dollars(form.to_post), "comparisons": all_compared(comparisons) })
    });
    let form_944 = found.form_944.as_ref().map(|AnnualFigures { form, comparisons }| {
        json!({ "form": "944", "year": form.year, "lines": lines_shown(&form.lines()), "liability": liability_shown(&form.days),
                "months": form.months.map(format_dollars), "booked": format_dollars(form.booked), "to_post": format_dollars(form.to_post),
                "comparisons": all_compared(comparisons) })
    });
    let form_940 = found.form_940.as_ref().map(|form| {
        let states = form.states.iter().map(|one| {
            json!({ "state": one.state, "wages": format_dollars(one.wages), "percent": one.percent.map(|percent| percent.to_text(1)),
                    "reduction": format_dollars(one.reduction) })
        });
        let exempt = form.exempt.iter().map(|(kind, cents)| (kind.as_str().to_owned(), json!(format_dollars(*cents))));
        json!({ "lines": lines_shown(&form.lines()), "closed": form.is_closed,
                "exempt": exempt.collect::<serde_json::Map<_, _>>(), "states": states.collect::<Vec<_>>() })
    });
    let blockers = found
        .blockers
        .iter()
        .map(|one| json!({ "form": one.of.kind.code(), "quarter": one.of.quarter, "why": one.why }));
    let boxes =
        w3_amounts(&found.w3).map(|(name, cents)| (name.replace(' ', "_"), json!(format_dollars(cents))));
    let w3_states = found.w3.states.iter().map(
        |(state, taxed)| json!({ "state": state, "wages": format_dollars(taxed.wages), "tax": format_dollars(taxed.tax) }),
    );
    json!({ "company_uuid": company, "year": found.year, "quarters": quarters.collect::<Vec<_>>(),
            "form_944": form_944, "form_940": form_940,
            "form_w3": { "forms": found.w3.forms, "amounts": boxes.collect::<serde_json::Map<_, _>>(),
                         "deferred": format_dollars(found.w3.deferred_compensation()), "states": w3_states.collect::<Vec<_>>() },
            "comparisons": all_compared(&found.comparisons), "blockers": blockers.collect::<Vec<_>>() })
}

fn liability_shown(days: &[DayLiability]) -> Vec<Value> {
    days.iter().map(|one| json!({ "pay_date": one.day, "amount": format_dollars(one.cents) })).collect()
}

fn lines_shown(lines: &[Line]) -> Vec<Value> {
    let shown = |line: &Line| {
        json!({ "line": line.number, "title": line.title, "element": line.element, "amount": format_dollars(line.cents),
                "made_of": line.made_of })
    };
    lines.iter().map(shown).collect()
}

fn all_compared(comparisons: &[Comparison]) -> Vec<Value> {
    let shown = |one: &Comparison| {
        let (verdict, why) = comparison_verdict(one);
        json!({ "key": one.key, "left": one.left_name, "left_amount": format_dollars(one.left), "right": one.right_name,
                "right_amount": format_dollars(one.right), "difference": format_dollars(one.difference()), "verdict": verdict, "why": why })
    };
    comparisons.iter().map(shown).collect()
}
