//! `stipend returns xml`: a closed return as XML, with the names that the elements have in electronic returns (MeF).
//!
//! The schema of the Internal Revenue Service is given to software developers who sign up there, and is not entered here: groups and the header
//! are not known. So the elements are a flat list, for a transmitter's program to fill in its own return.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use domain::Error;
use domain::returns::figures::{self, YearFigures};
use domain::returns::forms::content::{Figures, FormOf, Part, TaxFormKind};
use domain::returns::forms::rows;
use domain::returns::{closing, lines};
use returns::line::Line;
use rules::Violation;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::super::opening::read_unit;
use super::file::Beside;
use super::{StoreArgs, print_result};

#[derive(Args)]
pub(in crate::cli) struct XmlArgs {
    /// The company
    #[arg(long, value_name = "UUID")]
    company: Uuid,
    /// The closed form
    #[arg(long, value_name = "FORM")]
    form: XmlOf,
    /// The year of the pay dates
    #[arg(long, value_name = "YEAR")]
    year: i16,
    /// The quarter, from 1 to 4, of Form 941
    #[arg(long, value_name = "QUARTER")]
    quarter: Option<i8>,
    /// The file; must not exist yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
}

/// The forms whose elements are known by name.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum XmlOf {
    /// Form 941 of a quarter
    #[value(name = "941")]
    F941,
    /// Form 940 of a year
    #[value(name = "940")]
    F940,
}

/// What is written: the form's element, its EIN, and its lines.
struct Return {
    element: &'static str,
    ein: String,
    employees: Option<u32>,
    lines: Vec<Line>,
}

pub(super) async fn write_return_xml(args: XmlArgs, json: bool) -> Result<(), String> {
    let XmlArgs { company, form, year, quarter, out, store } = args;
    let quarter = match (form, quarter) {
        (XmlOf::F941, Some(number)) if (1..=4).contains(&number) => Some(number),
        (XmlOf::F941, _) => return Err("--quarter must be from 1 to 4 for Form 941".to_owned()),
        (XmlOf::F940, None) => None,
        (XmlOf::F940, Some(_)) => return Err("--quarter belongs to Form 941 alone".to_owned()),
    };
    let found = read_unit(&store, move |tx| read_closed_form(tx, company, (form, year, quarter))).await?;
    let text = text_of(&found, year, quarter)?;
    let (beside, mut file) = Beside::create_incomplete(&out)?;
    file.write_all(text.as_bytes())
        .map_err(|error| format!("{} cannot be written: {error}", out.display()))?;
    beside.sync_file(file)?;
    beside.move_into_place()?;
    let count = text.lines().filter(|line| line.contains("Amt>")).count();
    print_result(
        json,
        &format!(
            "{count} amounts in {}; the schema's groups and header are the transmitter's",
            out.display()
        ),
        &json!({ "file": out, "amounts": count }),
    )
}

/// Reads the closed form; it must say what the figures of today say.
fn read_closed_form(
    tx: &mut Tx<'_>,
    company: Uuid,
    (form, year, quarter): (XmlOf, i16, Option<i8>),
) -> Result<Return, Error> {
    closing::operator_for_company(tx, company)?;
    let kind = if form == XmlOf::F941 { TaxFormKind::F941 } else { TaxFormKind::F940 };
    let of = FormOf { kind, year, quarter };
    let closed = rows::of_company(tx, company)?.into_iter().rfind(|one| one.is_form(of) && one.is_closed());
    let closed = closed
        .ok_or_else(|| Violation::invalid_operation("The form is not closed yet (stipend returns close)."))?;
    let content = closed.read_content(tx, company)?;
    let figures = figures::of_year(tx, company, year)?;
    let (today, found) = current_form(&figures, (form, quarter));
    if today.is_none_or(|parts| parts != content.parts()) {
        let why = "What was paid has changed since the close: `stipend returns list` shows the lines that say something else.";
        return Err(Error::from(Violation::invalid_operation(why)));
    }
    let ein = content.employer.ein.unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
    Ok(Return { ein, ..found })
}

/// What the form says today, and its lines with the names of their elements.
fn current_form(figures: &YearFigures, (form, quarter): (XmlOf, Option<i8>)) -> (Option<Vec<Part>>, Return) {
    let parts = |of: Figures| match of {
        Figures::Return(parts) => parts,
        _ => Vec::new(),
    };
    let nothing = |element| Return { element, ein: String::new(), employees: None, lines: Vec::new() };
    match form {
        XmlOf::F941 => match quarter.and_then(|number| figures.find_quarter(number)) {
            Some(one) => {
                let (employees, lines) = (Some(one.form.employees), one.form.lines());
                (Some(parts(lines::of_941(&one.form))), Return { employees, lines, ..nothing("IRS941") })
            }
            None => (None, nothing("IRS941")),
        },
        XmlOf::F940 => match &figures.form_940 {
            Some(one) => {
                (Some(parts(lines::of_940(one))), Return { lines: one.lines(), ..nothing("IRS940") })
            }
            None => (None, nothing("IRS940")),
        },
    }
}

/// The XML; an amount whose element is not known is refused.
fn text_of(of: &Return, year: i16, quarter: Option<i8>) -> Result<String, String> {
    let amounts: Vec<&Line> = of.lines.iter().filter(|line| line.cents != 0).collect();
    let is_known = |line: &&&Line| line.element.as_deref().is_some_and(|name| name.ends_with("Amt"));
    let unknown: Vec<&str> = amounts.iter().filter(|line| !is_known(line)).map(|line| line.number).collect();
    if !unknown.is_empty() {
        return Err(format!("not written: the elements of lines {} are not known", unknown.join(", ")));
    }
    let period = quarter.map_or_else(|| year.to_string(), |quarter| format!("{year}Q{quarter}"));
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ReturnData period=\"{period}\" ein=\"{}\">\n  <{}>\n",
        of.ein, of.element
    );
    let employees = of.employees.map(|count| ("EmployeeCnt", count.to_string()));
    let lines = amounts
        .iter()
        .filter_map(|line| Some((line.element.as_deref()?, returns::format_dollars(line.cents))));
    for (name, value) in employees.into_iter().chain(lines) {
        text.push_str(&format!("    <{name}>{value}</{name}>\n"));
    }
    text.push_str(&format!("  </{}>\n</ReturnData>\n", of.element));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: &'static str, element: Option<&str>, cents: i64) -> Line {
        let element = element.map(str::to_owned);
        Line { number, element, title: String::new(), cents, made_of: Vec::new() }
    }

    fn of(lines: Vec<Line>) -> Return {
        Return { element: "IRS941", ein: "123456789".to_owned(), employees: Some(5), lines }
    }

    #[test]
    fn amounts_have_the_names_of_their_elements_and_zeros_are_left_out() {
        let lines =
            vec![line("2", Some("WagesAmt"), 8_326_540), line("8", Some("CurrentQuarterSickPaymentAmt"), 0)];
        let text = text_of(&of(lines), 2026, Some(1)).unwrap();
        let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ReturnData period=\"2026Q1\" ein=\"123456789\">\n  <IRS941>\n    \
                        <EmployeeCnt>5</EmployeeCnt>\n    <WagesAmt>83265.40</WagesAmt>\n  </IRS941>\n</ReturnData>\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn an_amount_whose_element_is_not_known_is_refused() {
        let lines = vec![line("15", Some("OverpaymentGrp"), 100), line("15b", None, 5), line("15c", None, 0)];
        let refused = text_of(&of(lines), 2026, Some(1)).unwrap_err();
        assert!(refused.ends_with("lines 15, 15b are not known"), "{refused}");
    }
}
