//! The tables in docs/garnishments.md match the data.

use std::fmt::Write as _;

use super::*;
use crate::Named;
use crate::withholding::federal::PayFrequency;

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/garnishments.md");

fn at_wage(hours: i64, basis: WageBasis) -> String {
    let whose = match basis {
        WageBasis::Federal => "federal",
        WageBasis::State => "state",
        WageBasis::Local => "highest",
    };
    format!("{hours} hours at the {whose} minimum wage")
}

/// Returns the terms of a row, in words.
fn terms(row: &GarnishmentLimit) -> String {
    let mut terms = Vec::new();
    let percent = |percent: Amount| percent.to_text(0);
    if let Some(of) = row.percent_of_disposable {
        terms.push(format!("{} % of disposable earnings", percent(of)));
    }
    if let Some(of) = row.percent_of_gross {
        terms.push(format!("{} % of gross pay", percent(of)));
    }
    if let Some(of) = row.percent_of_excess {
        let part =
            if of == Amount::from_cents(10_000) { String::new() } else { format!("{} % of ", percent(of)) };
        let protected = match row.hours.zip(row.minimum_wage) {
            Some((hours, basis)) => at_wage(hours, basis),
            None => format!("${} a week", row.weekly.unwrap_or(Amount::ZERO).to_text(2)),
        };
        terms.push(format!("{part}what exceeds {protected}"));
    }
    match row.rule {
        LimitRule::Federal => "as federal law".to_owned(),
        LimitRule::Barred => "nothing".to_owned(),
        LimitRule::Limit => terms.join("; "),
    }
}

fn table_of_states() -> String {
    let mut table = String::from(
        "| state | who | at most the least of | from | section | confidence |\n|---|---|---|---|---|---|\n",
    );
    for row in GarnishmentLimits::built_in().iter() {
        let who = match row.kind {
            LimitKind::Creditor => "creditors",
            LimitKind::StateLevy => "the state's tax levies",
        };
        let from = row.from.map_or_else(String::new, |day| day.to_string());
        let up_to = match (row.gross_up_to, row.gross_up_to_hours.zip(row.minimum_wage)) {
            (Some(most), _) => format!(" (gross week up to ${})", most.to_text(2)),
            (None, Some((hours, basis))) => format!(" (gross week up to {})", at_wage(hours, basis)),
            (None, None) => String::new(),
        };
        let (terms, confidence) = (terms(row), row.confidence.as_str());
        writeln!(
            table,
            "| {} | {who}{up_to} | {terms} | {from} | {} | {confidence} |",
            row.state, row.section
        )
        .unwrap();
    }
    table
}

fn table_of_levies() -> String {
    let mut table = String::from(
        "| year | filing status | a week | a week for each dependent | a week for each of age and blindness | confidence |\n\
         |---|---|---|---|---|---|\n",
    );
    for row in LevyExemptions::built_in().iter() {
        let [standard, dependent, additional] =
            row.of_periods(PeriodsPaid::one_period(PayFrequency::EveryWeek), 1).map(Amount::from_cents);
        let additional = if row.additional.is_some() { additional.to_text(2) } else { String::new() };
        let status = row.filing_status.as_str().replace('_', " ");
        let confidence = row.confidence.as_str();
        writeln!(
            table,
            "| {} | {status} | {} | {} | {additional} | {confidence} |",
            row.year,
            standard.to_text(2),
            dependent.to_text(2)
        )
        .unwrap();
    }
    table
}

fn table_of_fees() -> String {
    let mut table = String::from(
        "| state | for | first payment | payment | at most a month | percent | section | confidence |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    let text = |amount: Option<Amount>| amount.map_or_else(String::new, |amount| amount.to_text(2));
    for row in EmployerFees::built_in().iter() {
        writeln!(
            table,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            row.state,
            row.kind.as_str(),
            text(row.first),
            text(row.payment),
            text(row.month),
            row.percent.map_or_else(String::new, |percent| percent.to_text(0)),
            row.section,
            row.confidence.as_str()
        )
        .unwrap();
    }
    table
}

/// Returns the text with the table between the markers with this name.
fn with_table(text: &str, name: &str, table: &str) -> String {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let (before, rest) =
        text.split_once(&begin).unwrap_or_else(|| panic!("docs/garnishments.md has no {begin}"));
    let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("docs/garnishments.md has no {end}"));
    format!("{before}{begin}{table}{end}{after}")
}

#[test]
fn the_tables_of_the_documentation_are_those_of_the_data() {
    let held = std::fs::read_to_string(DOCS).unwrap();
    let made = with_table(&held, "limits of states", &table_of_states());
    let made = with_table(&made, "amounts exempt from levies", &table_of_levies());
    let made = with_table(&made, "fees of employers", &table_of_fees());
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(DOCS, &made).unwrap();
    } else {
        assert!(made == held, "docs/garnishments.md is old: INSTA_UPDATE=always renews it");
    }
}
