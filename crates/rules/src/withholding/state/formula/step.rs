//! The language of the formulas: a list of steps, each of which changes one figure.
//!
//! The figure is the taxable wages of the pay period at first and the tax of the pay period at last. Questions of
//! the certificate, keys and their words are numbers here, so that a payroll looks nothing up by text.

use crate::amount::Amount;
use crate::withholding::federal::PayFrequency;

/// The place of a question in [`super::Formula::questions`].
pub(super) type Question = usize;
/// The place of a word in [`super::Formula::words`].
pub(super) type Word = u16;

/// One of several values, by the word of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ByKey<V> {
    /// the place in [`super::Formula::keys`]
    pub key: usize,
    /// `None` stands for every word
    pub cells: Vec<(Option<Word>, V)>,
}

/// One value for each frequency that the state prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ByFrequency<V>(pub [Option<V>; 8]);

/// A row of brackets: from this figure on, the base and so many percent of what is above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub from: Amount,
    pub base: Amount,
    pub percent: Amount,
    /// above which figure the percentage counts; nearly always `from`
    pub over: Amount,
}

/// A step table on the annual wages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lookup {
    /// whether a row begins above its wage and not at it
    pub more_than: bool,
    /// from which wage, and what
    pub table: ByKey<Vec<(Amount, Amount)>>,
    /// how often it counts
    pub times: Option<Question>,
}

/// Something counts only when an answer is at least so much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AtLeast {
    pub question: Question,
    pub least: Amount,
}

/// So much for each of what was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Each {
    pub question: Question,
    pub amount: Amount,
}

/// An amount that a step adds or subtracts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Figure {
    Amount(Amount),
    ByKey(ByKey<Amount>),
    ByFrequency(ByFrequency<ByKey<Amount>>),
    /// for each of what was answered; nothing where the annual wages are above a limit
    Per {
        each: Each,
        nothing_above: Option<ByKey<Amount>>,
    },
    PerByFrequency {
        question: Question,
        amounts: ByFrequency<Amount>,
        nothing_above: Option<ByKey<Amount>>,
    },
    /// the dollars answered
    Answer(Question),
    /// the dollars answered where a question says so, and otherwise by key
    AnswerOr {
        asked: Question,
        question: Question,
        otherwise: ByKey<Amount>,
    },
    /// an amount of a year, divided by the pay periods
    Prorated {
        by_key: Option<ByKey<Amount>>,
        per: Option<Each>,
        to_cents: bool,
    },
    PercentOfWages {
        percent: Amount,
        at_most: Amount,
        only_if: AtLeast,
    },
    /// a maximum that goes down by so many percent of the annual wages above a start
    PhaseOut(ByKey<[Amount; 3]>),
    Lookup(Lookup),
    /// the federal income tax of a year
    FederalTax {
        at_most: Option<Lookup>,
    },
    /// Social Security and Medicare of the period, up to so much a year
    Fica {
        at_most_a_year: Amount,
    },
    /// for one to ten; above, that for one times the count
    CountTable {
        question: Question,
        amounts: ByFrequency<Vec<Amount>>,
    },
    /// for one; for more, so much for each and so much on top
    CountFormula {
        question: Question,
        amounts: ByFrequency<[Amount; 3]>,
    },
}

/// Bands in which one percentage counts for the whole of the annualised figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Top {
    pub from: ByFrequency<ByKey<Amount>>,
    pub bands: ByKey<Vec<(Amount, Amount)>>,
}

/// A step.
#[allow(
    clippy::large_enum_variant,
    reason = "there are a few hundred steps, read once and walked through in order"
)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Annualise,
    Deannualise,
    NotBelowZero,
    Round {
        to_dollars: bool,
    },
    /// no tax where the gross wages of the period are low
    StopIf {
        at_most: bool,
        limits: ByFrequency<ByKey<Amount>>,
        only_if: Option<AtLeast>,
    },
    StopIfZero,
    Subtract(Figure),
    Add(Figure),
    Percent(Amount),
    /// the share that was answered, as a fraction
    ElectedShare(Question),
    /// so many percent, less an amount: from, percent, less
    PercentLess(Vec<[Amount; 3]>),
    Brackets(ByKey<Vec<Row>>),
    BracketsByFrequency {
        tables: ByFrequency<ByKey<Vec<Row>>>,
        top: Option<Top>,
    },
    /// the state's percentages with the county's on top, over annual thresholds
    BracketsPlusLocal {
        thresholds: ByKey<Vec<Amount>>,
        percents: Vec<Amount>,
        local_percent: Question,
        daily_periods: i64,
        /// how many of the brackets, the last ones, have the tax on their rounded limit as their base
        newest: usize,
    },
    /// brackets that depend on the annual wages
    Tiers(ByKey<Vec<(Amount, Vec<Row>)>>),
    /// so many percent less a credit that goes down; whole dollars each
    PercentWithCredit {
        percent: Amount,
        phase_out_percent: Amount,
        credits: ByFrequency<ByKey<[Amount; 2]>>,
    },
    /// to the middle of its band, below a limit
    MiddleOfBand {
        band: Amount,
        middle: Amount,
        below: Amount,
    },
    ReduceByPercent(Lookup),
}

impl<V> ByKey<V> {
    /// The value for the words of a certificate.
    pub fn get(&self, words: &[Option<Word>]) -> Option<&V> {
        let word = words.get(self.key).copied().flatten();
        let fits = |(cell, _): &&(Option<Word>, V)| cell.is_none() || *cell == word;
        self.cells.iter().find(fits).map(|(_, value)| value)
    }
}

impl<V> ByFrequency<V> {
    /// The value for a frequency.
    pub fn get(&self, frequency: PayFrequency) -> Option<&V> {
        self.0.get(place(frequency)).and_then(Option::as_ref)
    }
}

/// Where a frequency stands in [`ByFrequency`].
pub(super) fn place(frequency: PayFrequency) -> usize {
    frequency as usize
}
