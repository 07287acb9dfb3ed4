//! The file with Forms W-2c (EFW2C): records of 1,024 characters, in which only what is corrected is written, as it was reported and as it is.
//!
//! Its positions (`data/returns/efw2c.csv`) are those of one edition of the publication, which was seen in a program of others. Whether they
//! hold for another tax year is to be read in the publication of that year, so they are in doubt until an operator confirms them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::LazyLock;

use rules::Named as _;
use rules::taxes::{Confidence, Doubts};
use rules::withholding::TableError;

use super::check::{self, Check, Finding};
use super::layout::{Field, Layout, Layouts};
use super::parties::{Employer, Submitter};
use super::parts::{self, form_amounts, set_address, set_contact, set_party};
use super::record::{Record, Value};
use super::{Error, Written};
use crate::table::{built_in, read_rows};
use crate::w2::Person;
use crate::w2c::W2c;

/// Characters of a record, without its line end.
pub const CORRECTED_RECORD: usize = 1_024;
/// Records of the file, in their order.
const RECORDS: [&str; 9] = ["RCA", "RCE", "RCW", "RCO", "RCS", "RCT", "RCU", "RCV", "RCF"];
/// Both columns of an amount.
const COLUMNS: [&str; 2] = ["_reported", "_corrected"];

type Line<'l> = Record<'l, CORRECTED_RECORD>;

/// The positions of an edition.
#[derive(Debug)]
pub struct CorrectedLayout {
    /// tax year of the publication that they are from
    pub edition: i16,
    records: BTreeMap<String, Vec<Field>>,
}

impl CorrectedLayout {
    /// Returns the built-in positions.
    ///
    /// # Panics
    /// Never: tests read them.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<CorrectedLayout> = LazyLock::new(|| {
            let text = include_str!("../../../../data/returns/efw2c.csv");
            built_in("efw2c.csv", CorrectedLayout::parse(text))
        });
        &TABLE
    }

    /// Parses the layout of `efw2c.csv`.
    ///
    /// # Errors
    /// A row is malformed, a record has gaps, or a sum adds up a field that does not exist.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let (mut edition, mut records) = (0, BTreeMap::<String, Vec<Field>>::new());
        for field in read_rows::<Field>(csv)? {
            edition = field.year;
            records.entry(field.record.clone()).or_default().push(field);
        }
        let layout = Self { edition, records };
        layout.check_table()?;
        Ok(layout)
    }

    fn record_fields(&self, record: &str) -> &[Field] {
        self.records.get(record).map(Vec::as_slice).unwrap_or_default()
    }

    fn has_field(&self, record: &str, key: &str) -> bool {
        self.record_fields(record).iter().any(|field| field.key == key)
    }

    fn check_table(&self) -> Result<(), TableError> {
        for record in RECORDS {
            let mut next = 1;
            for field in self.record_fields(record) {
                let of = if record == "RCU" { "RCO" } else { "RCW" };
                let adds = field.sum_of.is_empty() || self.has_field(of, &field.sum_of);
                if field.from != next || field.to < field.from || !adds {
                    return Err(TableError::new(format!("{record}: {} must begin at {next}", field.key)));
                }
                next = field.to + 1;
            }
            if next != CORRECTED_RECORD + 1 {
                return Err(TableError::new(format!("{record}: ends at {}", next - 1)));
            }
        }
        Ok(())
    }
}

/// Returns the key under which an operator confirms that the positions hold for a tax year.
pub fn key_of(year: i16) -> String {
    format!("EFW2C_{year}")
}

/// Adds the tax years whose positions are in doubt: all whose Forms W-2 can be written but that of the edition.
pub fn add_doubtful(layouts: &Layouts, found: &mut Doubts) {
    let layout = CorrectedLayout::built_in();
    let source = format!(
        "positions of the edition of {}; the publication of the year is to be read: ssa.gov/employer/EFW2&EFW2C.htm",
        layout.edition
    );
    for year in layouts.years().filter(|year| *year != layout.edition) {
        let name = format!("File with Forms W-2c (EFW2C) of {year}: positions of its fields");
        found.add_row((key_of(year), name), Confidence::Unconfirmed, &source, layout);
    }
}

/// Writes the Forms W-2c of an employer.
///
/// # Errors
/// Every reason at once why the agency would turn the file back, among them amounts that have no position in it; an output that can't be
/// written.
pub fn write_corrections<W: Write>(
    (layout, positions): (&Layout, &CorrectedLayout),
    (submitter, employer): (&Submitter, &Employer),
    forms: &[W2c],
    mut out: W,
) -> Result<(W, Written), Error> {
    let mut findings = check::submitter_findings(layout, submitter);
    findings.extend(check::employer_findings(layout, employer));
    findings.extend(forms.iter().flat_map(|form| of_form(positions, form)));
    findings.retain(Finding::blocks_file);
    if forms.is_empty() {
        return Err(Error::Order("an employer has at least one employee"));
    }
    if !findings.is_empty() {
        return Err(Error::Refused(findings));
    }
    let mut records = vec![of_submitter(positions, submitter)?, of_employer(layout, positions, employer)?];
    let (mut totals, mut others) = (BTreeMap::<String, i64>::new(), 0_u64);
    for form in forms {
        let (own, other) = of_employee(positions, form, &mut totals)?;
        others += u64::from(other.is_some());
        records.push(own);
        records.extend(other);
    }
    records.push(totals_line(positions, "RCT", (forms.len() as u64, &totals))?);
    if others > 0 {
        records.push(totals_line(positions, "RCU", (others, &totals))?);
    }
    let mut end = Line::blank(positions.record_fields("RCF"), "RCF");
    end.set_field("employees", Value::Count(forms.len() as u64))?;
    records.push(end);
    let mut bytes = 0;
    for record in &records {
        bytes += parts::write_record(&mut out, record)?;
    }
    out.flush()?;
    Ok((out, Written { employers: 1, employees: forms.len() as u64, bytes }))
}

/// An amount that differs, by the key of its field: as reported, and corrected.
type Differing = BTreeMap<Cow<'static, str>, [i64; 2]>;

fn differing_values(form: &W2c) -> Differing {
    let mut all = Differing::new();
    for (column, of) in [&form.reported, &form.corrected].into_iter().enumerate() {
        for (key, cents) in form_amounts(of) {
            all.entry(key).or_default()[column] = cents;
        }
    }
    all.retain(|_, [reported, corrected]| reported != corrected);
    all
}

/// Why a form would be turned back.
fn of_form(positions: &CorrectedLayout, form: &W2c) -> Vec<Finding> {
    let who = &form.corrected.person.id;
    let finding =
        |check, field: &str, why: String| Finding { check, who: who.clone(), field: field.to_owned(), why };
    let mut found = Vec::new();
    for (key, [reported, corrected]) in differing_values(form) {
        let field = format!("{key}{}", COLUMNS[0]);
        if !positions.has_field("RCW", &field) && !positions.has_field("RCO", &field) {
            let why = "is corrected, and its position in the file is not known".to_owned();
            found.push(finding(Check::OpenPosition, &key, why));
        }
        if reported < 0 || corrected < 0 {
            found.push(finding(Check::Negative, &key, "can't be negative".to_owned()));
        }
    }
    let ssn = form.corrected.person.ssn.as_deref().unwrap_or_default();
    if ssn.len() != 9 || !ssn.bytes().all(|digit| digit.is_ascii_digit()) {
        found.push(finding(Check::Ssn, "ssn", "must be nine digits".to_owned()));
    }
    if form.occupations_differ() {
        let why = "is corrected, and its position in the file is not known".to_owned();
        found.push(finding(Check::OpenPosition, "box_14b", why));
    }
    found
}

fn of_submitter<'l>(positions: &'l CorrectedLayout, one: &Submitter) -> Result<Line<'l>, Error> {
    let mut record = Line::blank(positions.record_fields("RCA"), "RCA");
    parts::set_submitter(&mut record, one)?;
    set_party(&mut record, "", "submitter_name", &one.submitter)?;
    Ok(record)
}

fn of_employer<'l>(
    layout: &Layout,
    positions: &'l CorrectedLayout,
    one: &Employer,
) -> Result<Line<'l>, Error> {
    let mut record = Line::blank(positions.record_fields("RCE"), "RCE");
    let year = layout.year.to_string();
    parts::set_agent(&mut record, one)?;
    set_party(&mut record, "", "employer_name", &one.party)?;
    record.set_all([
        ("tax_year", Value::Text(&year)),
        ("ein", Value::Text(&one.ein)),
        ("employment_code_corrected", Value::Text(one.employment.as_str())),
        ("kind_of_employer", Value::Text(one.kind.as_str())),
    ])?;
    if let Some(one) = &one.contact {
        set_contact(&mut record, one)?;
    }
    Ok(record)
}

/// The records of a form, whose amounts are added to the totals: RCW, and RCO if it has any of its amounts.
fn of_employee<'l>(
    positions: &'l CorrectedLayout,
    form: &W2c,
    totals: &mut BTreeMap<String, i64>,
) -> Result<(Line<'l>, Option<Line<'l>>), Error> {
    let mut record = Line::blank(positions.record_fields("RCW"), "RCW");
    let (before, after) = (&form.reported.person, &form.corrected.person);
    let names =
        |person: &Person| [&person.first_name, &person.middle_name, &person.last_name].map(Clone::clone);
    let keys = ["first_name", "middle_name", "last_name"];
    for (key, name) in keys.iter().zip(names(after)) {
        record.set_field(&format!("{key}{}", COLUMNS[1]), Value::Text(&name))?;
    }
    if names(before).map(|name| name.trim().to_uppercase())
        != names(after).map(|name| name.trim().to_uppercase())
    {
        for (key, name) in keys.iter().zip(names(before)) {
            record.set_field(&format!("{key}{}", COLUMNS[0]), Value::Text(&name))?;
        }
    }
    record.set_field("ssn_corrected", Value::Text(after.ssn.as_deref().unwrap_or_default()))?;
    if before.ssn != after.ssn {
        // Zeros were reported of a number that was applied for.
        record.set_field("ssn_reported", Value::Text(before.ssn.as_deref().unwrap_or("000000000")))?;
    }
    set_address(&mut record, "", &after.address)?;
    let marks = |person: &Person| [person.is_statutory, person.has_retirement_plan, person.has_sick_pay];
    let marked = ["statutory_employee", "retirement_plan", "third_party_sick_pay"];
    for (key, both) in marked.iter().zip(marks(before).into_iter().zip(marks(after))) {
        if both.0 != both.1 {
            record.set_field(&format!("{key}{}", COLUMNS[0]), Value::Flag(both.0))?;
            record.set_field(&format!("{key}{}", COLUMNS[1]), Value::Flag(both.1))?;
        }
    }
    let mut other = Line::blank(positions.record_fields("RCO"), "RCO");
    let mut has_other = false;
    for (key, both) in differing_values(form) {
        for (column, cents) in COLUMNS.iter().zip(both) {
            let field = format!("{key}{column}");
            let is_other = positions.has_field("RCO", &field);
            (if is_other { &mut other } else { &mut record }).set_field(&field, Value::Cents(cents))?;
            has_other |= is_other;
            *totals.entry(field).or_default() += cents;
        }
    }
    Ok((record, has_other.then_some(other)))
}

/// Totals of the amounts that any form corrects.
fn totals_line<'l>(
    positions: &'l CorrectedLayout,
    name: &'static str,
    (forms, totals): (u64, &BTreeMap<String, i64>),
) -> Result<Line<'l>, Error> {
    let mut record = Line::blank(positions.record_fields(name), name);
    let count = format!("{forms:07}");
    record.set_field("records", Value::Text(&count))?;
    for field in positions.record_fields(name) {
        if let Some(cents) = totals.get(&field.sum_of) {
            record.set_field(&field.key, Value::Cents(*cents))?;
        }
    }
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::super::layout::Kind;
    use super::*;

    #[test]
    fn the_built_in_positions_have_no_gap_and_both_columns_of_each_amount() {
        let layout = CorrectedLayout::built_in();
        assert_eq!(layout.edition, 2023);
        for record in ["RCW", "RCO", "RCT", "RCU"] {
            let money = layout.record_fields(record).iter().filter(|field| field.kind == Kind::Money);
            for field in money {
                let other = match field.key.strip_suffix(COLUMNS[0]) {
                    Some(key) => format!("{key}{}", COLUMNS[1]),
                    None => field.key.replace(COLUMNS[1], COLUMNS[0]),
                };
                assert!(layout.has_field(record, &other), "{record} {other}");
            }
        }
    }

    #[test]
    fn a_gap_and_an_unknown_sum_are_faults_of_the_table() {
        let text = include_str!("../../../../data/returns/efw2c.csv");
        let gap = text.replace("2023,RCW,ssn_reported,4,12,", "2023,RCW,ssn_reported,5,12,");
        assert!(CorrectedLayout::parse(&gap).unwrap_err().to_string().contains("must begin at 4"));
        let sum = text.replace("money,no,box_1_reported,", "money,no,box_99_reported,");
        assert!(CorrectedLayout::parse(&sum).is_err());
    }

    #[test]
    fn another_year_than_that_of_the_edition_is_in_doubt() {
        let mut found = Doubts::default();
        add_doubtful(Layouts::built_in(), &mut found);
        let keys: Vec<String> = found.by_key().into_iter().map(|one| one.key).collect();
        assert_eq!(keys, ["EFW2C_2026"]);
    }
}
