//! Files in which states take the wages of a quarter for their unemployment insurance (`data/returns/state_wage_files.csv`): ICESA, records of
//! 275 characters (`icesa.csv`), and lists of New York and Washington.
//!
//! Only states whose formats were read have a row. A row in doubt is refused until an operator has compared it with the agency's specification;
//! one whose file needs what is not known or not kept says so.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::LazyLock;

use jiff::civil::Date;
use rules::Amount;
use rules::places::number_of_state;
use rules::taxes::{Confidence, Doubts};
use rules::withholding::TableError;
use serde::Deserialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::Quarter;
use crate::efw2::{Contact, Party};
use crate::table::{built_in, deserialize_word, deserialize_words, deserialize_yes_no, read_rows};

/// Characters of a record of ICESA, without its line end.
pub const RECORD: usize = 275;
/// Records of ICESA, in their order.
const RECORDS: [&str; 5] = ["A", "E", "S", "T", "F"];

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Format {
    /// records of 275 characters, of the Interstate Conference of Employment Security Agencies
    Icesa,
    /// lines with Social Security number, names, hours and wages
    Csv,
    /// lines of part C of Form NYS-45: Social Security number, names, wages, and the taxes withheld for New York, its city and Yonkers
    Nys45,
    /// there is no file
    #[strum(serialize = "")]
    Nothing,
}

/// The file that a state takes.
#[derive(Debug, Clone, Deserialize)]
pub struct WageFile {
    /// two-letter code
    pub state: String,
    /// its format
    #[serde(deserialize_with = "deserialize_word")]
    pub format: Format,
    /// records of ICESA, in their order
    #[serde(deserialize_with = "deserialize_words")]
    pub records: Vec<String>,
    /// whether hours are reported of everybody
    #[serde(deserialize_with = "deserialize_yes_no")]
    pub needs_hours: bool,
    /// why there is no file; empty if there is one
    pub without_file: String,
    /// how far the row can be trusted
    pub confidence: Confidence,
    /// where it is from
    pub source: String,
}

/// A field of a record of ICESA; what is between fields is blank.
#[derive(Debug, Clone, Deserialize)]
struct Field {
    record: String,
    value: String,
    from: usize,
    to: usize,
}

static FILES: LazyLock<Vec<WageFile>> = LazyLock::new(|| {
    built_in("state_wage_files.csv", parse_files(include_str!("../../../data/returns/state_wage_files.csv")))
});
static FIELDS: LazyLock<Vec<Field>> =
    LazyLock::new(|| built_in("icesa.csv", parse_fields(include_str!("../../../data/returns/icesa.csv"))));

fn parse_files(csv: &str) -> Result<Vec<WageFile>, TableError> {
    let all: Vec<WageFile> = read_rows(csv)?;
    for one in &all {
        let fault = |why: &str| Err(TableError::new(format!("{}: {why}", one.state)));
        if number_of_state(&one.state).is_none() {
            return fault("is not the code of a state");
        }
        if (one.format == Format::Nothing) == one.without_file.is_empty() {
            return fault("either its format is told, or why there is no file");
        }
        let in_order: Vec<&str> = RECORDS.into_iter().filter(|name| one.has_record(name)).collect();
        if in_order != one.records || (one.format == Format::Icesa) == one.records.is_empty() {
            return fault("records are those of ICESA, in their order");
        }
    }
    Ok(all)
}

fn parse_fields(csv: &str) -> Result<Vec<Field>, TableError> {
    let all: Vec<Field> = read_rows(csv)?;
    let mut ends = BTreeMap::<&str, usize>::new();
    for one in &all {
        let Field { record, value, from, to } = one;
        let end = ends.entry(record).or_default();
        if !RECORDS.contains(&record.as_str()) || from <= end || to < from || *to > RECORD {
            return Err(TableError::new(format!("{record}, {value}: {from} to {to} is no place of a field")));
        }
        *end = *to;
    }
    Ok(all)
}

/// Returns the file of a state; `None` if nothing was read about it.
pub fn file_of_state(state: &str) -> Option<&'static WageFile> {
    all_files().iter().find(|one| one.state == state)
}

/// Returns the files of all states of which something was read, in the order of their codes.
pub fn all_files() -> &'static [WageFile] {
    &FILES
}

/// Adds the rows that are in doubt, for an operator to confirm.
pub fn add_doubtful(found: &mut Doubts) {
    let in_doubt = |one: &&WageFile| !one.confidence.is_enough() && one.format != Format::Nothing;
    for one in all_files().iter().filter(in_doubt) {
        let name = format!("{} file of wages for unemployment insurance: its format", one.state);
        let fields: &[Field] = if one.format == Format::Icesa { &FIELDS } else { &[] };
        found.add_row((one.key(), name), one.confidence, &one.source, &(one, fields));
    }
}

impl WageFile {
    /// Returns the key under which an operator confirms the row.
    pub fn key(&self) -> String {
        format!("{}_WAGE_FILE", self.state)
    }

    fn has_record(&self, record: &str) -> bool {
        self.records.iter().any(|one| one == record)
    }
}

/// Who transmits a file.
#[derive(Debug, Clone, Default)]
pub struct Transmitter {
    /// nine digits
    pub ein: String,
    /// name and address
    pub party: Party,
    /// whom to ask
    pub contact: Contact,
}

/// Whose wages are reported.
#[derive(Debug, Clone, Default)]
pub struct Reporter {
    /// nine digits
    pub ein: String,
    /// name and address
    pub party: Party,
    /// the account with the state's unemployment insurance
    pub account: String,
}

/// What is the same for a whole file.
#[derive(Debug, Clone)]
pub struct Heading {
    /// who transmits it
    pub transmitter: Transmitter,
    /// whose wages are in it
    pub reporter: Reporter,
    /// the quarter
    pub quarter: Quarter,
    /// the day on which it is made
    pub made_on: Date,
}

/// Wages of an employee in a quarter, or of all of them. Amounts are cents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wages {
    /// wages subject to the insurance
    pub total: i64,
    /// the part within the wage base
    pub taxable: i64,
    /// contributions of the employer
    pub contributions: i64,
    /// wages for the state's income tax
    pub income_wages: i64,
    /// that tax
    pub income_tax: i64,
    /// income tax of New York City
    pub new_york_city_tax: i64,
    /// income taxes of Yonkers, of residents and of others
    pub yonkers_tax: i64,
}

impl Wages {
    /// Adds those of another employee.
    pub fn add(&mut self, one: &Self) {
        self.total += one.total;
        self.taxable += one.taxable;
        self.contributions += one.contributions;
        self.income_wages += one.income_wages;
        self.income_tax += one.income_tax;
        self.new_york_city_tax += one.new_york_city_tax;
        self.yonkers_tax += one.yonkers_tax;
    }
}

/// An employee whose wages are reported.
#[derive(Clone, Default)]
pub struct Reported {
    /// nine digits
    pub ssn: String,
    /// first name
    pub first_name: String,
    /// its first letter; empty without one
    pub middle_initial: String,
    /// last name
    pub last_name: String,
    /// wages
    pub wages: Wages,
    /// hours, in millionths
    pub hours: i64,
    /// whether paid in the pay period that contains the 12th of each month
    pub on_the_12th: [bool; 3],
}

/// A value of a field.
enum Cell {
    /// left-aligned and padded with blanks
    Text(String),
    /// right-aligned and padded with zeros
    Number(u64),
}

impl Cell {
    fn cell_text(&self, width: usize) -> String {
        match self {
            Self::Text(text) => {
                let kept = text.trim().to_ascii_uppercase();
                let kept: String = kept.chars().filter(char::is_ascii).take(width).collect();
                format!("{kept:<width$}")
            }
            Self::Number(number) => format!("{number:0>width$}"),
        }
    }
}

type Facts = BTreeMap<&'static str, Cell>;

/// What is the same in all records.
fn facts_of_file(file: &WageFile, heading: &Heading) -> Facts {
    let Heading { transmitter, reporter, quarter, made_on } = heading;
    let text = |text: &str| Cell::Text(text.to_owned());
    let (year, month) = (quarter.year(), quarter.last_day().month());
    let zip = |party: &Party| {
        let (zip, extension) = party.address.zip.split_once('-').unwrap_or((&party.address.zip, ""));
        let extension = if extension.is_empty() { String::new() } else { format!("-{extension}") };
        [Cell::Text(zip.to_owned()), Cell::Text(extension)]
    };
    let [transmitter_zip, transmitter_zip_extension] = zip(&transmitter.party);
    let [employer_zip, employer_zip_extension] = zip(&reporter.party);
    let (at, of) = (&transmitter.party.address, &reporter.party.address);
    BTreeMap::from([
        ("year", Cell::Text(format!("{year:04}"))),
        ("quarter", Cell::Text(format!("{month:02}{year:04}"))),
        ("last_month", Cell::Text(format!("{month:02}"))),
        ("made_on", Cell::Text(format!("{:02}{:02}{:04}", made_on.month(), made_on.day(), made_on.year()))),
        ("taxing_entity", text("UTAX")),
        ("transmitter_ein", text(&transmitter.ein)),
        ("transmitter_name", text(&transmitter.party.name)),
        ("transmitter_street", text(&at.delivery)),
        ("transmitter_city", text(&at.city)),
        ("transmitter_state", text(&at.state)),
        ("transmitter_zip", transmitter_zip),
        ("transmitter_zip_extension", transmitter_zip_extension),
        ("contact_name", text(&transmitter.contact.name)),
        ("contact_phone", text(&transmitter.contact.phone)),
        ("contact_phone_extension", text(&transmitter.contact.extension)),
        ("employer_ein", text(&reporter.ein)),
        ("employer_name", text(&reporter.party.name)),
        ("employer_street", text(&of.delivery)),
        ("employer_city", text(&of.city)),
        ("employer_state", text(&of.state)),
        ("employer_zip", employer_zip),
        ("employer_zip_extension", employer_zip_extension),
        ("account", text(&reporter.account)),
        ("state_code", text(number_of_state(&file.state).unwrap_or_default())),
        ("has_wages", Cell::Number(1)),
        ("employers", Cell::Number(1)),
    ])
}

/// Checks what is the same for the whole file: every reason why it would be turned back.
pub fn check_heading(of: &WageFile, heading: &Heading) -> Vec<String> {
    let Heading { transmitter, reporter, .. } = heading;
    let is_ein = |ein: &str| ein.len() == 9 && ein.bytes().all(|c| c.is_ascii_digit());
    let mut found = Vec::new();
    let mut unless = |holds: bool, why: String| {
        if !holds {
            found.push(why);
        }
    };
    unless(
        is_ein(&reporter.ein),
        "the company has no employer identification number of nine digits".to_owned(),
    );
    unless(!reporter.party.name.trim().is_empty(), "the company has no name".to_owned());
    unless(
        !reporter.party.address.delivery.trim().is_empty(),
        "the company has no filing address".to_owned(),
    );
    let account = reporter.account.trim();
    unless(
        !account.is_empty(),
        format!("the company's account with the unemployment insurance of {} is not known", of.state),
    );
    let widths = FIELDS.iter().filter(|one| one.value == "account" && of.has_record(&one.record));
    if let Some(width) = widths.map(|one| one.to + 1 - one.from).min() {
        unless(account.len() <= width, format!("the company's account has more than {width} characters"));
    }
    if of.has_record("A") {
        unless(is_ein(&transmitter.ein), "ein of the submitter must be nine digits".to_owned());
        unless(!transmitter.party.name.trim().is_empty(), "company of the submitter has no name".to_owned());
    }
    found
}

/// Checks an employee: every reason why the file would be turned back. `who` names the employee, and `lacks_wages` says that another provider
/// paid something and told no wages.
pub fn check_employee(of: &WageFile, who: &str, one: &Reported, lacks_wages: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut unless = |holds: bool, why: &str| {
        if !holds {
            found.push(format!("{who}: {why}"));
        }
    };
    let is_ssn = one.ssn.len() == 9 && one.ssn.bytes().all(|c| c.is_ascii_digit());
    unless(is_ssn, "the Social Security number is not known");
    unless(!one.last_name.trim().is_empty() && !one.first_name.trim().is_empty(), "a name is missing");
    unless(one.last_name.is_ascii() && one.first_name.is_ascii(), "a name has letters outside ASCII");
    let Wages { total, taxable, contributions: _, income_wages, income_tax, new_york_city_tax, yonkers_tax } =
        one.wages;
    let reported = [total, taxable, income_wages, income_tax, new_york_city_tax, yonkers_tax];
    unless(reported.iter().all(|cents| *cents >= 0), "an amount is negative");
    unless(taxable <= total, "taxable wages exceed all wages");
    unless(!lacks_wages, "wages that another provider paid are not known");
    unless(!of.needs_hours || one.hours > 0 || total == 0, "the hours of the quarter are not known");
    found
}

/// Writes a file. A writer that is dropped leaves an incomplete one: write to a temporary place first.
pub struct WageWriter<'f, W> {
    of: &'f WageFile,
    /// what is the same in all records
    of_file: Facts,
    employees: u64,
    sums: Wages,
    on_the_12th: [u64; 3],
    out: W,
}

impl<'f, W: Write> WageWriter<'f, W> {
    /// Begins the file.
    ///
    /// # Errors
    /// The output can't be written.
    pub fn new(of: &'f WageFile, heading: &'f Heading, out: W) -> std::io::Result<Self> {
        let (sums, on_the_12th) = (Wages::default(), [0; 3]);
        let of_file = facts_of_file(of, heading);
        let mut writer = Self { of, of_file, employees: 0, sums, on_the_12th, out };
        if of.format == Format::Csv {
            writer.out.write_all(b"SSN,Last Name,First Name,Middle Name,Suffix,Hours,Wages\r\n")?;
        }
        writer.write_record("A", &Facts::new())?;
        writer.write_record("E", &Facts::new())?;
        Ok(writer)
    }

    /// Writes an employee.
    ///
    /// # Errors
    /// The output can't be written.
    pub fn write_employee(&mut self, one: &Reported) -> std::io::Result<()> {
        self.employees += 1;
        self.sums.add(&one.wages);
        for (count, counted) in self.on_the_12th.iter_mut().zip(one.on_the_12th) {
            *count += u64::from(counted);
        }
        if self.of.format != Format::Icesa {
            return self.write_line(one);
        }
        let mut facts = facts_of_wages(one.wages);
        facts.extend(of_months(one.on_the_12th.map(u64::from)));
        facts.extend([
            ("ssn", Cell::Text(one.ssn.clone())),
            ("last_name", Cell::Text(one.last_name.clone())),
            ("first_name", Cell::Text(one.first_name.clone())),
            ("middle_initial", Cell::Text(one.middle_initial.clone())),
            ("hours", Cell::Number(whole_hours(one.hours).min(999))),
        ]);
        self.write_record("S", &facts)
    }

    /// Completes the file; returns where it was written.
    ///
    /// # Errors
    /// The output can't be written.
    pub fn finish_file(mut self) -> std::io::Result<W> {
        let mut facts = facts_of_wages(self.sums);
        facts.extend(of_months(self.on_the_12th));
        facts.insert("employees", Cell::Number(self.employees));
        self.write_record("T", &facts)?;
        self.write_record("F", &facts)?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Writes a record of ICESA, if the state reads it: of its own facts, and those of the file.
    fn write_record(&mut self, name: &str, facts: &Facts) -> std::io::Result<()> {
        if !self.of.has_record(name) {
            return Ok(());
        }
        let mut bytes = [b' '; RECORD];
        for field in FIELDS.iter().filter(|field| field.record == name) {
            let width = field.to + 1 - field.from;
            let shown = match facts
                .get(field.value.as_str())
                .or_else(|| self.of_file.get(field.value.as_str()))
            {
                Some(cell) => cell.cell_text(width),
                None if field.value == "record_id" => name.to_owned(),
                None => return Err(std::io::Error::other(format!("{name}: {} is not known", field.value))),
            };
            if shown.len() != width {
                return Err(std::io::Error::other(format!("{name}: {} does not fit", field.value)));
            }
            bytes[field.from - 1..field.to].copy_from_slice(shown.as_bytes());
        }
        self.out.write_all(&bytes)?;
        self.out.write_all(b"\r\n")
    }

    /// Writes a line of the list.
    fn write_line(&mut self, one: &Reported) -> std::io::Result<()> {
        let quoted = |text: &str| format!("\"{}\"", text.trim().replace('"', "\"\""));
        let names = [&one.last_name, &one.first_name, &one.middle_initial].map(|name| quoted(name));
        let mut line = vec![one.ssn.clone()];
        line.extend(names);
        let wages = &one.wages;
        match self.of.format {
            Format::Nys45 => line.extend(
                [
                    wages.total,
                    wages.income_wages,
                    wages.income_tax,
                    wages.new_york_city_tax,
                    wages.yonkers_tax,
                ]
                .map(crate::format_dollars),
            ),
            Format::Csv | Format::Icesa | Format::Nothing => line.extend([
                String::new(),
                whole_hours(one.hours).to_string(),
                crate::format_dollars(wages.total),
            ]),
        }
        self.out.write_all(line.join(",").as_bytes())?;
        self.out.write_all(b"\r\n")
    }
}

/// Amounts of wages: none of them is negative once a file was checked.
fn facts_of_wages(of: Wages) -> Facts {
    let cents = |cents: i64| Cell::Number(cents.max(0).unsigned_abs());
    BTreeMap::from([
        ("total_wages", cents(of.total)),
        ("taxable_wages", cents(of.taxable)),
        ("excess_wages", cents(of.total - of.taxable)),
        ("contributions", cents(of.contributions)),
        ("income_tax_wages", cents(of.income_wages)),
        ("income_tax", cents(of.income_tax)),
    ])
}

fn of_months(counts: [u64; 3]) -> Facts {
    ["month_1", "month_2", "month_3"].into_iter().zip(counts.map(Cell::Number)).collect()
}

/// Hours that begin count.
fn whole_hours(millionths: i64) -> u64 {
    let whole = Amount::from_millionths(1_000_000).millionths();
    millionths.max(0).unsigned_abs().div_ceil(whole.unsigned_abs())
}

#[cfg(test)]
#[path = "wage_files_tests.rs"]
mod tests;
