//! Language of formulas: steps that transform a figure.
//!
//! The figure starts as the taxable wages of the pay period and ends as its tax. Questions, keys and words
//! are indices, so that evaluation does no text lookups.

use crate::amount::Amount;
use crate::withholding::federal::PayFrequency;

/// Index into [`super::Formula::questions`].
pub(super) type Question = usize;
/// Index into [`super::Formula::words`].
pub(super) type Word = u16;

/// A value by the word of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ByKey<V> {
    /// Index into [`super::Formula::keys`].
    pub key: usize,
    /// `None` matches every word.
    pub cells: Vec<(Option<Word>, V)>,
}

/// A value by published frequency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ByFrequency<V>(pub [Option<V>; 8]);

/// A bracket: from this figure, the base plus a percentage of the excess.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub from: Amount,
    pub base: Amount,
    pub percent: Amount,
    /// Start of the excess; usually `from`.
    pub over: Amount,
}

/// A step table by annual wages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lookup {
    /// Whether rows begin above their wage instead of at it.
    pub more_than: bool,
    /// Lower bound and amount.
    pub table: ByKey<Vec<(Amount, Amount)>>,
    /// Multiplier.
    pub times: Option<Question>,
}

/// A minimum for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AtLeast {
    pub question: Question,
    pub least: Amount,
}

/// An amount per unit of an answer.
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
    /// Per unit of an answer; zero above a limit of annual wages.
    Per {
        each: Each,
        nothing_above: Option<ByKey<Amount>>,
    },
    PerByFrequency {
        question: Question,
        amounts: ByFrequency<Amount>,
        nothing_above: Option<ByKey<Amount>>,
    },
    /// The answer in dollars.
    Answer(Question),
    /// The answer in dollars if another question says so, otherwise by key.
    AnswerOr {
        asked: Question,
        question: Question,
        otherwise: ByKey<Amount>,
    },
    /// An annual amount, divided by pay periods.
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
    /// A maximum reduced by a percentage of annual wages above a start.
    PhaseOut(ByKey<[Amount; 3]>),
    Lookup(Lookup),
    /// Annual federal income tax.
    FederalTax {
        at_most: Option<Lookup>,
    },
    /// A percentage of the additional federal withholding of Form W-4, for an employee without the state's certificate.
    FederalAdditional {
        percent: Amount,
    },
    /// Social Security and Medicare of the period, up to an annual maximum.
    Fica {
        at_most_a_year: Amount,
    },
    /// Amounts for counts of one to ten; above the table, the amount for one times the count.
    CountTable {
        question: Question,
        amounts: ByFrequency<Vec<Amount>>,
    },
    /// An amount for one; for more, an amount each plus a constant.
    CountFormula {
        question: Question,
        amounts: ByFrequency<[Amount; 3]>,
    },
}

/// Bands of the annualized figure in which one percentage applies to the whole figure.
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
    /// No tax if gross wages of the period are low.
    StopIf {
        at_most: bool,
        limits: ByFrequency<ByKey<Amount>>,
        only_if: Option<AtLeast>,
    },
    StopIfZero,
    Subtract(Figure),
    Add(Figure),
    Percent(Amount),
    /// The elected share, as a fraction.
    ElectedShare(Question),
    /// A percentage, less an amount: from, percent, less.
    PercentLess(Vec<[Amount; 3]>),
    Brackets(ByKey<Vec<Row>>),
    BracketsByFrequency {
        tables: ByFrequency<ByKey<Vec<Row>>>,
        /// Whether rows begin above their wage ("over ... but not over ...") instead of at it.
        more_than: bool,
        top: Option<Top>,
    },
    /// State percentages plus the county's, over annual thresholds.
    BracketsPlusLocal {
        thresholds: ByKey<Vec<Amount>>,
        percents: Vec<Amount>,
        local_percent: Question,
        /// The local percentages for which tables are printed, ascending: the next one at or above the county's rate applies.
        printed: Vec<Amount>,
        /// The word of certificates to which a county's schedule for joint returns applies.
        joint: Option<Word>,
        daily_periods: i64,
        /// Number of brackets, at the end, whose base is the tax on their rounded limit.
        newest: usize,
    },
    /// Brackets by annual wages.
    Tiers(ByKey<Vec<(Amount, Vec<Row>)>>),
    /// A percentage less a declining credit; whole dollars each.
    PercentWithCredit {
        percent: Amount,
        phase_out_percent: Amount,
        credits: ByFrequency<ByKey<[Amount; 2]>>,
    },
    /// Rounds to the middle of the band, below a limit.
    MiddleOfBand {
        band: Amount,
        middle: Amount,
        below: Amount,
    },
    ReduceByPercent(Lookup),
}

impl<V> ByKey<V> {
    /// Returns the value for the words of a certificate.
    pub fn get(&self, words: &[Option<Word>]) -> Option<&V> {
        let word = words.get(self.key).copied().flatten();
        let fits = |(cell, _): &&(Option<Word>, V)| cell.is_none() || *cell == word;
        self.cells.iter().find(fits).map(|(_, value)| value)
    }
}

impl<V> ByFrequency<V> {
    /// Returns the value for a frequency.
    pub fn get(&self, frequency: PayFrequency) -> Option<&V> {
        self.0.get(frequency_index(frequency)).and_then(Option::as_ref)
    }
}

/// Returns the index of a frequency in [`ByFrequency`].
pub(super) fn frequency_index(frequency: PayFrequency) -> usize {
    frequency as usize
}
