//! `stipend returns wages`: wages of a quarter by employee, for the report to a state's unemployment insurance.

use std::path::PathBuf;

use clap::Args;
use domain::Error;
use domain::platform::confirmations;
use domain::returns::wage_file;
use domain::returns::wages::{self, Sums, WageFileRequest, Written};
use returns::state_wages::StateReport;
use returns::{Quarter, format_dollars};
use serde_json::json;
use uuid::Uuid;

use super::super::opening::error_line;
use super::file::{self, Beside};
use super::{StoreArgs, load_settings, open_store, print_result};

#[derive(Args)]
pub(in crate::cli) struct WagesArgs {
    /// The company
    #[arg(long, value_name = "UUID")]
    company: Uuid,
    /// The state, by its two letters
    #[arg(long, value_name = "STATE")]
    state: String,
    /// The year of the pay dates
    #[arg(long, value_name = "YEAR")]
    year: i16,
    /// The quarter, from 1 to 4
    #[arg(long, value_name = "QUARTER")]
    quarter: i8,
    /// A JSON file that names who submits, as for `write`: the file is in the format of the agency, in place of the list
    #[arg(long, value_name = "FILE")]
    submitter: Option<PathBuf>,
    /// The list (CSV), or the file of the agency; must not exist yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) async fn write_wage_report(args: WagesArgs, json: bool) -> Result<(), String> {
    let WagesArgs { company, state, year, quarter, submitter, out, store } = args;
    let submitter = submitter.as_deref().map(file::read_submitter).transpose()?;
    let quarter =
        Quarter::new(year, quarter).ok_or("--quarter must be from 1 to 4, in a year from 1 to 9998")?;
    let store = open_store(&load_settings(&store)?)?;
    let (beside, out_file) = Beside::create_incomplete(&out)?;
    let wanted = WageFileRequest { state: state.to_ascii_uppercase(), quarter };
    let written = match &submitter {
        Some(submitter) => wage_file::write_wage_file(&store, company, (&wanted, submitter), out_file).await,
        None => wages::write_wage_list(&store, company, &wanted, out_file).await,
    };
    let written = written.map_err(|error| match error {
        Error::Violations(wrong) => wrong.into_iter().map(|one| one.message).collect::<Vec<_>>().join("\n"),
        other => error_line(other, "there is no such company"),
    });
    let Written { out: out_file, sums, report } = written?;
    beside.sync_file(out_file)?;
    beside.move_into_place()?;
    let key = Some(report.key()).filter(|_| !report.confidence.is_enough());
    let confirmed = store
        .read(confirmations::confirmed_keys)
        .await
        .map_err(|error| error_line(error, "it is not there"))?;
    let to_confirm = key.filter(|key| !confirmed.contains(key));
    let mut text = wage_report_text(&out, &report, quarter, &sums);
    if let Some(key) = &to_confirm {
        text.push_str(&format!(
            "\nform, day and formats are from general knowledge: check them with the agency, then confirm them (stipend data confirm {key})"
        ));
    }
    let value = json!({ "file": out, "state": wanted.state, "form": report.form, "due": report.due_date(quarter), "formats": report.formats,
        "beside_wages": report.beside_wages, "confidence": <&str>::from(report.confidence), "to_confirm": to_confirm, "people": sums.people,
        "total_wages": format_dollars(sums.wages.total), "taxable_wages": format_dollars(sums.wages.taxable), "excess_wages": format_dollars(sums.wages.total - sums.wages.taxable),
        "contributions": format_dollars(sums.wages.contributions), "income_tax_wages": format_dollars(sums.wages.income_wages),
        "income_tax_withheld": format_dollars(sums.wages.income_tax), "on_the_12th": sums.on_the_12th, "without_ssn": sums.without_ssn,
        "incomplete": sums.incomplete });
    print_result(json, &text, &value)
}

fn wage_report_text(out: &std::path::Path, report: &StateReport, quarter: Quarter, sums: &Sums) -> String {
    let mut lines = vec![
        format!("{} people in {}", sums.people, out.display()),
        format!("{}, due {} ({})", report.form, report.due_date(quarter), <&str>::from(report.confidence)),
        format!(
            "wages {}, taxable {}, excess {}, contributions {}",
            format_dollars(sums.wages.total),
            format_dollars(sums.wages.taxable),
            format_dollars(sums.wages.total - sums.wages.taxable),
            format_dollars(sums.wages.contributions)
        ),
        format!("employed on the 12th of each month: {:?}", sums.on_the_12th),
        format!("the agency takes: {}", report.formats),
    ];
    if !report.beside_wages.is_empty() {
        lines.push(format!("it asks for: {}", report.beside_wages));
    }
    if sums.without_ssn > 0 {
        lines.push(format!("without a Social Security number: {}", sums.without_ssn));
    }
    if sums.incomplete > 0 {
        lines.push(format!("wages that another provider paid are not known: {}", sums.incomplete));
    }
    lines.join("\n")
}
