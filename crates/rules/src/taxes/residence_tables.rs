//! The tables behind [`super::residence`]: `data/taxes/reciprocity.csv` and `data/taxes/residents_and_nonresidents.csv`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::Date;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::read::{self, Fault};
use super::source::Confidence;
use super::table::Span;
use crate::amount::Amount;
use crate::dated::Undated;
use crate::withholding::TableError;

static RECIPROCITY: LazyLock<ReciprocityTable> =
    LazyLock::new(|| read::built_in("reciprocity.csv", ReciprocityTable::parse(ReciprocityTable::FILE)));

static NONRESIDENTS: LazyLock<NonresidentTable> = LazyLock::new(|| {
    read::built_in("residents_and_nonresidents.csv", NonresidentTable::parse(NonresidentTable::FILE))
});

/// Why a state does not tax another state's residents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum ReciprocityKind {
    /// An agreement between the two states.
    #[strum(serialize = "agreement")]
    Agreement,
    /// A statute of the state of work alone.
    #[strum(serialize = "statute")]
    Statute,
    /// The state of work exempts residents of states that would credit its tax.
    #[strum(serialize = "credit_exemption")]
    CreditExemption,
}

/// Reciprocity in one direction: the state of work does not tax another state's residents who have given the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reciprocity {
    /// State of work.
    pub work: String,
    /// State of residence; `*` for every other state.
    pub residence: String,
    /// Basis of the reciprocity.
    pub kind: ReciprocityKind,
    /// The employee's form; without it, tax is withheld for the state of work.
    pub form: String,
    /// Whether local taxes of the state of work are waived as well.
    pub relieves_local: bool,
    /// Condition on which employees it covers; empty for all.
    pub condition: String,
    /// First pay date; `None` if long in force.
    pub since: Option<Date>,
    /// Last pay date; `None` if still in force.
    pub to: Option<Date>,
    /// Confidence in the row.
    pub confidence: Confidence,
    /// Source.
    pub source: String,
}

/// Reciprocity agreements and statutes, by direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReciprocityTable(Vec<Reciprocity>);

impl ReciprocityTable {
    /// The built-in table, as text.
    pub const FILE: &'static str = include_str!("../../../../data/taxes/reciprocity.csv");

    /// Returns the built-in table.
    pub fn built_in() -> &'static Self {
        &RECIPROCITY
    }

    /// Parses `reciprocity.csv`.
    ///
    /// # Errors
    /// All errors in the table, with line and field; two rows for one direction are an error.
    pub fn parse(csv: &str) -> Result<Self, Vec<Fault>> {
        let columns = [
            "work_state",
            "residence_state",
            "kind",
            "form",
            "relieves_local",
            "condition",
            "effective_since",
            "effective_to",
            "confidence",
            "source",
        ];
        let mut seen: Vec<(String, String)> = Vec::new();
        let rows = read::read_rows(csv, &columns, |row| {
            let direction = (row.required_text("work_state"), row.required_text("residence_state"));
            if direction.0 == direction.1 {
                row.record_fault("residence_state", "must not be the state of work");
            }
            if seen.contains(&direction) {
                row.record_fault("residence_state", "the two states have a row in this direction already");
            }
            seen.push(direction.clone());
            Some(Reciprocity {
                work: direction.0,
                residence: direction.1,
                kind: row.one_of("kind")?,
                form: row.required_text("form"),
                relieves_local: row.read_yes_no("relieves_local"),
                condition: row.column_text("condition"),
                since: row.read_date("effective_since"),
                to: row.read_date("effective_to"),
                confidence: row.one_of("confidence")?,
                source: row.required_text("source"),
            })
        })?;
        Ok(Self(rows))
    }

    /// Returns every row.
    pub fn iter(&self) -> impl Iterator<Item = &Reciprocity> {
        self.0.iter()
    }

    /// Returns the row of a direction in force on a pay date.
    pub fn get(&self, work: &str, residence: &str, day: Date) -> Option<&Reciprocity> {
        self.0.iter().find(|row| {
            row.work == work
                && (row.residence == residence || row.residence == "*")
                && row.since.is_none_or(|since| since <= day)
                && row.to.is_none_or(|to| day <= to)
        })
    }
}

/// An employer's withholding duty for residents whose pay another state taxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum ResidentRule {
    /// Withholds the home state's tax less the tax withheld for the other state.
    #[strum(serialize = "excess")]
    Excess,
    /// Withholds nothing for the home state if the other state's tax is withheld.
    #[strum(serialize = "not_if_withheld")]
    NotIfWithheld,
    /// Need not withhold for the home state on work elsewhere.
    #[strum(serialize = "not_required")]
    NotRequired,
    /// Withholds the home state's tax in full.
    #[strum(serialize = "full")]
    Full,
    /// The state has no tax on wages.
    #[strum(serialize = "none")]
    None,
}

/// Whether days at home for the employee's own convenience count as days at the office.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Convenience {
    /// They do.
    #[strum(serialize = "yes")]
    Yes,
    /// They do for residents of states with such a rule of their own.
    #[strum(serialize = "reciprocal")]
    Reciprocal,
    /// They do not.
    #[strum(serialize = "no")]
    No,
}

/// Value of `dollars_per` for wages expected in a year.
const EXPECTED: &str = "expected_year";

/// A state's rules for nonresidents, and for its residents who work elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateRule {
    /// Whether the state taxes wages.
    pub taxes_wages: bool,
    /// Whether the state taxes nonresidents' wages.
    pub taxes_nonresidents: bool,
    /// Working days in a year up to which nothing is withheld.
    pub days: Option<u32>,
    /// Wages in a year or quarter up to which nothing is withheld.
    pub dollars: Option<(Amount, Span)>,
    /// Whether the wages are those expected in the year: an employee who works mostly there never stays below them.
    pub expected: bool,
    /// Whether the threshold covers only residents of states with a similar one, or without a tax on wages.
    pub mutual: bool,
    /// Confidence in the rules for nonresidents.
    pub threshold_confidence: Confidence,
    /// Rule for withholding from residents who work elsewhere.
    pub residents: ResidentRule,
    /// State whose tax excuses the employer from withholding for the home state; empty for none.
    pub residents_except: String,
    /// Confidence in that rule.
    pub residents_confidence: Confidence,
    /// The convenience rule.
    pub convenience: Convenience,
    /// Confidence in that rule.
    pub convenience_confidence: Confidence,
    /// Source of the rules.
    pub source: String,
    /// Remarks.
    pub note: String,
}

/// The states' rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NonresidentTable(BTreeMap<String, StateRule>);

impl Undated for NonresidentTable {
    const FILE: &'static str = include_str!("../../../../data/taxes/residents_and_nonresidents.csv");
    const KEY: &'static [&'static str] = &["state"];

    fn read_edition(csv: &str) -> Result<Self, TableError> {
        Ok(Self::parse(csv)?)
    }
}

impl NonresidentTable {
    /// Returns the built-in table.
    pub fn built_in() -> &'static Self {
        &NONRESIDENTS
    }

    /// Parses `residents_and_nonresidents.csv`.
    ///
    /// # Errors
    /// All errors in the table, with line and field; two rows for one state are an error.
    pub fn parse(csv: &str) -> Result<Self, Vec<Fault>> {
        let columns = [
            "state",
            "taxes_wages",
            "taxes_nonresidents",
            "days",
            "dollars",
            "dollars_per",
            "mutual",
            "threshold_confidence",
            "residents",
            "residents_except",
            "residents_confidence",
            "convenience",
            "convenience_confidence",
            "source",
            "note",
        ];
        let mut seen: Vec<String> = Vec::new();
        let rows = read::read_rows(csv, &columns, |row| {
            let state = row.required_text("state");
            if seen.contains(&state) {
                row.record_fault("state", "the state has a row already");
            }
            seen.push(state.clone());
            let convenience: Convenience = row.one_of("convenience")?;
            let convenience_confidence = if convenience == Convenience::No {
                Confidence::Secondary
            } else {
                row.one_of("convenience_confidence")?
            };
            let expected = row.column_text("dollars_per") == EXPECTED;
            let span = if expected { Some(Span::Year) } else { row.read_named("dollars_per") };
            Some((
                state,
                StateRule {
                    taxes_wages: row.read_yes_no("taxes_wages"),
                    taxes_nonresidents: row.read_yes_no("taxes_nonresidents"),
                    days: row.read_whole_number("days"),
                    dollars: row.read_amount("dollars").zip(span),
                    expected,
                    mutual: row.read_yes_no("mutual"),
                    threshold_confidence: row.one_of("threshold_confidence")?,
                    residents: row.one_of("residents")?,
                    residents_except: row.column_text("residents_except"),
                    residents_confidence: row.one_of("residents_confidence")?,
                    convenience,
                    convenience_confidence,
                    source: row.required_text("source"),
                    note: row.column_text("note"),
                },
            ))
        })?;
        Ok(Self(rows.into_iter().collect()))
    }

    /// Returns every state with its rules.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &StateRule)> {
        self.0.iter().map(|(state, rule)| (state.as_str(), rule))
    }

    /// Returns the rules of a state.
    pub fn get(&self, state: &str) -> Option<&StateRule> {
        self.0.get(state)
    }
}
