//! The tables behind [`super::residence`]: `data/taxes/reciprocity.csv` and `data/taxes/residents_and_nonresidents.csv`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::Date;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::read::{self, Fault};
use super::source::Confidence;
use super::table::Span;
use crate::amount::Amount;

static RECIPROCITY: LazyLock<ReciprocityTable> = LazyLock::new(|| {
    let text = include_str!("../../../../data/taxes/reciprocity.csv");
    read::built_in("reciprocity.csv", ReciprocityTable::parse(text))
});

static NONRESIDENTS: LazyLock<NonresidentTable> = LazyLock::new(|| {
    let text = include_str!("../../../../data/taxes/residents_and_nonresidents.csv");
    read::built_in("residents_and_nonresidents.csv", NonresidentTable::parse(text))
});

/// Why a state does not tax residents of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum ReciprocityKind {
    /// An agreement of the two states.
    #[strum(serialize = "agreement")]
    Agreement,
    /// A statute of the state of work alone.
    #[strum(serialize = "statute")]
    Statute,
    /// The state of work lets off residents of states that would credit its tax.
    #[strum(serialize = "credit_exemption")]
    CreditExemption,
}

/// One direction: the state of work does not tax residents of another one who gave the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reciprocity {
    /// State of work.
    pub work: String,
    /// State of residence; `*` for every other one.
    pub residence: String,
    /// Why.
    pub kind: ReciprocityKind,
    /// The employee's form; without it the state of work is withheld for.
    pub form: String,
    /// Whether local taxes of the state of work fall away, too.
    pub relieves_local: bool,
    /// For whom alone it holds; empty for all.
    pub condition: String,
    /// First pay date; `None` if long in force.
    pub since: Option<Date>,
    /// How far it can be trusted.
    pub confidence: Confidence,
    /// Where it comes from.
    pub source: String,
}

/// Agreements and statutes by direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReciprocityTable(Vec<Reciprocity>);

impl ReciprocityTable {
    /// Returns the built-in table.
    pub fn built_in() -> &'static Self {
        &RECIPROCITY
    }

    /// Parses `reciprocity.csv`.
    ///
    /// # Errors
    /// Every fault of the table, with line and field; two rows for one direction are a fault.
    pub fn parse(csv: &str) -> Result<Self, Vec<Fault>> {
        let columns = [
            "work_state",
            "residence_state",
            "kind",
            "form",
            "relieves_local",
            "condition",
            "effective_since",
            "confidence",
            "source",
        ];
        let mut seen: Vec<(String, String)> = Vec::new();
        let rows = read::rows(csv, &columns, |row| {
            let direction = (row.required("work_state"), row.required("residence_state"));
            if direction.0 == direction.1 {
                row.fault("residence_state", "must not be the state of work");
            }
            if seen.contains(&direction) {
                row.fault("residence_state", "the two states have a row in this direction already");
            }
            seen.push(direction.clone());
            Some(Reciprocity {
                work: direction.0,
                residence: direction.1,
                kind: row.one_of("kind")?,
                form: row.required("form"),
                relieves_local: row.yes("relieves_local"),
                condition: row.text("condition"),
                since: row.date("effective_since"),
                confidence: row.one_of("confidence")?,
                source: row.required("source"),
            })
        })?;
        Ok(Self(rows))
    }

    /// Returns every row.
    pub fn iter(&self) -> impl Iterator<Item = &Reciprocity> {
        self.0.iter()
    }

    /// Returns the row of a direction that counts on a pay date.
    pub fn get(&self, work: &str, residence: &str, day: Date) -> Option<&Reciprocity> {
        self.0.iter().find(|row| {
            row.work == work
                && (row.residence == residence || row.residence == "*")
                && row.since.is_none_or(|since| since <= day)
        })
    }
}

/// What an employer does for residents whose pay another state taxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum ResidentRule {
    /// Withholds the home state's tax less what is withheld for the other state.
    #[strum(serialize = "excess")]
    Excess,
    /// Withholds nothing for home if the other state's tax is withheld.
    #[strum(serialize = "not_if_withheld")]
    NotIfWithheld,
    /// Need not withhold for home on work elsewhere.
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
    /// They do for residents of states that do so themselves.
    #[strum(serialize = "reciprocal")]
    Reciprocal,
    /// They do not.
    #[strum(serialize = "no")]
    No,
}

/// Word for wages that are expected of a year.
const EXPECTED: &str = "expected_year";

/// A state's rules for nonresidents, and for its residents who work elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateRule {
    /// Whether it taxes wages.
    pub taxes_wages: bool,
    /// Whether it taxes nonresidents' wages.
    pub taxes_nonresidents: bool,
    /// Working days in the year up to which nothing is withheld.
    pub days: Option<u32>,
    /// Wages up to which nothing is withheld, in a year or quarter.
    pub dollars: Option<(Amount, Span)>,
    /// The wages are those that are expected of the year: nobody who works mostly there stays below them.
    pub expected: bool,
    /// The threshold holds for residents of states with a like one, or without a tax on wages.
    pub mutual: bool,
    /// How far the rules for nonresidents can be trusted.
    pub threshold_confidence: Confidence,
    /// What an employer does for residents who work elsewhere.
    pub residents: ResidentRule,
    /// State whose tax excuses from withholding for home; empty for none.
    pub residents_except: String,
    /// How far that rule can be trusted.
    pub residents_confidence: Confidence,
    /// The convenience rule.
    pub convenience: Convenience,
    /// How far that rule can be trusted.
    pub convenience_confidence: Confidence,
    /// Where they come from.
    pub source: String,
    /// What else there is to know.
    pub note: String,
}

/// The states' rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NonresidentTable(BTreeMap<String, StateRule>);

impl NonresidentTable {
    /// Returns the built-in table.
    pub fn built_in() -> &'static Self {
        &NONRESIDENTS
    }

    /// Parses `residents_and_nonresidents.csv`.
    ///
    /// # Errors
    /// Every fault of the table, with line and field; two rows for one state are a fault.
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
        let rows = read::rows(csv, &columns, |row| {
            let state = row.required("state");
            if seen.contains(&state) {
                row.fault("state", "the state has a row already");
            }
            seen.push(state.clone());
            let convenience: Convenience = row.one_of("convenience")?;
            let convenience_confidence = if convenience == Convenience::No {
                Confidence::Secondary
            } else {
                row.one_of("convenience_confidence")?
            };
            let expected = row.text("dollars_per") == EXPECTED;
            let span = if expected { Some(Span::Year) } else { row.named("dollars_per") };
            Some((
                state,
                StateRule {
                    taxes_wages: row.yes("taxes_wages"),
                    taxes_nonresidents: row.yes("taxes_nonresidents"),
                    days: row.whole("days"),
                    dollars: row.amount("dollars").zip(span),
                    expected,
                    mutual: row.yes("mutual"),
                    threshold_confidence: row.one_of("threshold_confidence")?,
                    residents: row.one_of("residents")?,
                    residents_except: row.text("residents_except"),
                    residents_confidence: row.one_of("residents_confidence")?,
                    convenience,
                    convenience_confidence,
                    source: row.required("source"),
                    note: row.text("note"),
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
