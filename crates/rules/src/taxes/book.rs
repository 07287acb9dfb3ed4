//! The tax book: the identity of each tax on a paycheck, and how it is shown, to whom it is paid and where it is reported.
//!
//! A tax is found by its code and payer ([`TaxId`]), never by its label: "Harrison county tax" is a tax of Indiana and one of Kentucky,
//! and three funds of a county in Kentucky have one label. `data/taxes/book.csv` has the federal taxes and the states' income taxes; the
//! other taxes of states and places are those of the tables ([`super::catalog`]), which carry their own labels.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::source::Confidence;
use super::table::{Jurisdiction, Level, Payer};
use crate::withholding::{TableError, csv_rows};

/// Federal income tax withheld.
pub const FEDERAL_INCOME: &str = "US_FIT";
/// Social Security tax, of the employee and of the employer.
pub const SOCIAL_SECURITY: &str = "US_SS";
/// Medicare tax, of the employee and of the employer.
pub const MEDICARE: &str = "US_MEDICARE";
/// Additional Medicare tax.
pub const ADDITIONAL_MEDICARE: &str = "US_MEDICARE_ADDITIONAL";
/// Federal unemployment tax.
pub const FUTA: &str = "US_FUTA";
/// Federal unemployment tax of a year for which a state's employers get less credit.
pub const FUTA_CREDIT_REDUCTION: &str = "US_FUTA_CREDIT_REDUCTION";

/// Federal taxes on wages that Social Security and Medicare consist of.
pub const FICA: [&str; 3] = [SOCIAL_SECURITY, MEDICARE, ADDITIONAL_MEDICARE];

/// Suffix after the state in the code of its income tax.
const INCOME: &str = "_INCOME";
/// Code of a state income tax whose state is unknown: the employee has no work address.
const INCOME_OF_NO_STATE: &str = "STATE_INCOME";
/// Suffix of the employer's lines where [`TaxId`] is text.
const OF_EMPLOYER: &str = "/employer";

/// Identifies a tax on a paycheck. The parts of employee and employer of one tax have the same code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaxId {
    /// Stable code, such as `US_SS` or `CA_SDI`.
    pub code: String,
    /// Who pays it.
    pub payer: Payer,
}

impl TaxId {
    /// Identifies a tax.
    pub fn new(code: impl Into<String>, payer: Payer) -> Self {
        Self { code: code.into(), payer }
    }

    /// Identifies a tax withheld from the employee.
    pub fn of_employee(code: impl Into<String>) -> Self {
        Self::new(code, Payer::Employee)
    }

    /// Identifies a tax that the employer pays.
    pub fn of_employer(code: impl Into<String>) -> Self {
        Self::new(code, Payer::Employer)
    }

    /// Whether the employer pays it.
    pub fn is_of_employer(&self) -> bool {
        self.payer == Payer::Employer
    }

    /// Parses the text that `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (code, payer) = match text.strip_suffix(OF_EMPLOYER) {
            Some(code) => (code, Payer::Employer),
            None => (text, Payer::Employee),
        };
        let is_code = !code.is_empty() && !code.contains('/');
        is_code.then(|| Self::new(code, payer))
    }
}

/// `US_SS` for the employee's part, `US_SS/employer` for the employer's.
impl fmt::Display for TaxId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.code)?;
        if self.is_of_employer() { f.write_str(OF_EMPLOYER) } else { Ok(()) }
    }
}

/// As text, because it is the key of maps.
impl Serialize for TaxId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.payer {
            Payer::Employee => serializer.serialize_str(&self.code),
            Payer::Employer => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for TaxId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TaxIdText)
    }
}

struct TaxIdText;

impl Visitor<'_> for TaxIdText {
    type Value = TaxId;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the code of a tax")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<TaxId, E> {
        TaxId::parse(text).ok_or_else(|| E::custom("is no code of a tax"))
    }
}

/// Returns the code of a state's income tax.
pub fn code_of_income_tax(state: &str) -> String {
    match state {
        "" => INCOME_OF_NO_STATE.to_owned(),
        state => format!("{state}{INCOME}"),
    }
}

/// Returns the state of an income tax; `None` for any other tax. Empty if the state is unknown.
pub fn state_of_income_tax(code: &str) -> Option<&str> {
    if code == INCOME_OF_NO_STATE {
        return Some("");
    }
    code.strip_suffix(INCOME).filter(|state| state.len() == 2 && *state != "US")
}

/// A row of `data/taxes/book.csv`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Row {
    code: String,
    payer: Payer,
    label: String,
    label_es: String,
    level: Level,
    state: String,
    agency: String,
    form: String,
    line: String,
    w2_box: String,
    confidence: Confidence,
    source: String,
}

/// A tax in the book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookEntry {
    /// Code and payer.
    pub id: TaxId,
    /// Name, as a pay stub prints it.
    pub label: String,
    /// The same in Spanish; `None` if the tax keeps its name.
    pub label_es: Option<String>,
    /// Who levies it.
    pub jurisdiction: Jurisdiction,
    /// Who receives it: `US`, a state as `US-TX`, or a locality as `US-PA/` and its key.
    pub agency: String,
    /// Return of the employer on which it is reported, and its line; `None` if not known.
    pub form: Option<(String, String)>,
    /// Box of Form W-2 that reports the amount withheld; `None` for a tax of the employer.
    pub w2_box: Option<String>,
    /// Confidence in where it is reported.
    pub confidence: Confidence,
    /// Where that was read.
    pub source: String,
}

/// The tax book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxBook {
    entries: Vec<BookEntry>,
    /// Index in `entries`: each line of a paycheck is looked up when it is stored and when it is read.
    places: BTreeMap<TaxId, usize>,
}

static BUILT_IN: LazyLock<TaxBook> = LazyLock::new(|| {
    let text = include_str!("../../../../data/taxes/book.csv");
    TaxBook::parse(text).unwrap_or_else(|error| panic!("book.csv is not a table: {error}"))
});

impl TaxBook {
    /// Returns the built-in book.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses the layout of `book.csv`.
    ///
    /// # Errors
    /// A row is malformed, or a tax is listed twice.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let (mut entries, mut places) = (Vec::new(), BTreeMap::new());
        for row in csv_rows::<Row>(csv)? {
            let entry = row.entry()?;
            if places.insert(entry.id.clone(), entries.len()).is_some() {
                return Err(TableError::new(format!("{} is there twice", entry.id)));
            }
            entries.push(entry);
        }
        Ok(Self { entries, places })
    }

    /// Returns a tax of the book.
    pub fn get(&self, id: &TaxId) -> Option<&BookEntry> {
        self.entries.get(*self.places.get(id)?)
    }

    /// Returns a tax of the book by its code, whoever pays it: both parts of a tax have the same label and jurisdiction.
    pub fn of_code(&self, code: &str) -> Option<&BookEntry> {
        self.iter().find(|entry| entry.id.code == code)
    }

    /// Returns the taxes in their order: federal ones first.
    pub fn iter(&self) -> impl Iterator<Item = &BookEntry> {
        self.entries.iter()
    }

    /// Returns the federal taxes on paychecks, in the order of their lines.
    pub fn federal_taxes(&self) -> impl Iterator<Item = &BookEntry> {
        self.iter().filter(|entry| {
            entry.jurisdiction.level == Level::Country && entry.id.code != FUTA_CREDIT_REDUCTION
        })
    }

    /// Whether a tax exists: a state without a row levies no income tax. Taxes of other tables exist.
    pub fn levies_tax(&self, id: &TaxId) -> bool {
        state_of_income_tax(&id.code).is_none_or(|state| state.is_empty() || self.get(id).is_some())
    }

    /// Returns the income tax of a state; a state without a row, such as a territory, gets an entry of the same form.
    pub fn income_of_state(&self, state: &str) -> Cow<'_, BookEntry> {
        let id = TaxId::of_employee(code_of_income_tax(state));
        if let Some(entry) = self.get(&id) {
            return Cow::Borrowed(entry);
        }
        let jurisdiction = Jurisdiction::state(state);
        Cow::Owned(BookEntry {
            id,
            label: format!("{} Withholding Tax", if state.is_empty() { "State" } else { state }),
            label_es: Some(format!("Impuesto sobre la renta de {state}")),
            agency: jurisdiction.agency(),
            jurisdiction,
            form: None,
            w2_box: Some("17".to_owned()),
            confidence: Confidence::Memory,
            source: "no row of the tax book".to_owned(),
        })
    }
}

impl Row {
    fn entry(self) -> Result<BookEntry, TableError> {
        let id = TaxId::new(self.code, self.payer);
        let wrong = |what: &str| Err(TableError::new(format!("{id}: {what}")));
        if TaxId::parse(&id.to_string()).as_ref() != Some(&id) {
            return wrong("a code has letters, digits and _");
        }
        if self.label.is_empty() {
            return wrong("label is missing");
        }
        let jurisdiction = Jurisdiction { level: self.level, state: self.state, place: String::new() };
        if jurisdiction.agency() != self.agency {
            return wrong("agency is not that of the jurisdiction");
        }
        if self.form.is_empty() != self.line.is_empty() {
            return wrong("form and line belong together");
        }
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        Ok(BookEntry {
            form: some(self.form).map(|form| (form, self.line)),
            id,
            label: self.label,
            label_es: some(self.label_es),
            jurisdiction,
            agency: self.agency,
            w2_box: some(self.w2_box),
            confidence: self.confidence,
            source: self.source,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::taxes::tax_catalog;
    use crate::withholding::state::formula::Formulas;

    #[test]
    fn every_tax_has_an_identity_of_its_own_whatever_its_label() {
        let book = TaxBook::built_in().iter().map(|entry| (entry.id.clone(), entry.label.clone()));
        let tables =
            tax_catalog().iter().map(|entry| (TaxId::new(&*entry.code, entry.payer), entry.name.clone()));
        let mut seen = BTreeMap::new();
        let mut by_label: BTreeMap<String, usize> = BTreeMap::new();
        for (id, label) in book.chain(tables) {
            assert_eq!(TaxId::parse(&id.to_string()).as_ref(), Some(&id));
            *by_label.entry(label.clone()).or_default() += 1;
            assert_eq!(seen.insert(id.clone(), label), None, "{id} is there twice");
        }
        assert!(by_label.values().filter(|count| **count > 1).count() > 60, "labels identify nothing");
    }

    #[test]
    fn every_state_with_a_formula_has_its_income_tax_in_the_book() {
        for formula in Formulas::built_in().iter() {
            let entry = TaxBook::built_in().of_code(&code_of_income_tax(&formula.state));
            assert_eq!(entry.unwrap().jurisdiction, Jurisdiction::state(&formula.state));
            assert_eq!(entry.unwrap(), &*TaxBook::built_in().income_of_state(&formula.state));
        }
        assert_eq!(state_of_income_tax("NY_INCOME"), Some("NY"));
        assert_eq!(state_of_income_tax("STATE_INCOME"), Some(""));
        assert_eq!(["US_INCOME", "NY_SDI", "US_FIT"].map(state_of_income_tax), [None; 3]);
    }

    #[test]
    fn the_parts_of_a_tax_are_told_apart_by_their_payer() {
        let both = [TaxId::of_employee(SOCIAL_SECURITY), TaxId::of_employer(SOCIAL_SECURITY)];
        assert_eq!(both.clone().map(|id| id.to_string()), ["US_SS", "US_SS/employer"]);
        for id in both {
            let text = serde_json::to_string(&id).unwrap();
            assert_eq!(serde_json::from_str::<TaxId>(&text).unwrap(), id);
        }
        for wrong in ["", "/employer", "US/SS", "US_SS/employee"] {
            assert_eq!(TaxId::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_taxs_agency_is_the_country_a_state_or_a_locality() {
        let city =
            Jurisdiction { level: Level::City, place: "18000".to_owned(), ..Jurisdiction::state("OH") };
        let all = [city, Jurisdiction::country(), Jurisdiction::state("OH")];
        assert_eq!(all.map(|one| one.agency()), ["US-OH/18000", "US", "US-OH"]);
    }

    #[test]
    fn a_wrong_row_is_named() {
        let columns = "code,payer,label,label_es,level,state,agency,form,line,w2_box,confidence,source";
        for row in [
            "A/B,employee,A,,country,,US,941,3,2,secondary,s",
            "A,employee,,,country,,US,941,3,2,secondary,s",
            "A,employee,A,,state,TX,US,941,3,2,secondary,s",
            "A,employee,A,,country,,US,941,,2,secondary,s",
            "A,employee,A,,country,,US,,,,secondary,s\nA,employee,B,,country,,US,,,,secondary,s",
        ] {
            assert!(TaxBook::parse(&format!("{columns}\n{row}\n")).is_err(), "{row}");
        }
    }
}
