//! How much income tax of a state is withheld: the states' own formulas, as data.
//!
//! Each state prints a formula or a percentage method for its employers, and no two are alike. They are written as
//! lists of steps in a small language (`data/state_withholding_<year>.json`), read into [`Formulas`] and worked out by
//! one interpreter. What the employee's certificate says is read once ([`Formula::claims`]) and kept with the employee
//! for the length of a payroll; [`Formula::withhold`] then looks nothing up by text.
//!
//! Rounding is where the state prints it, and bases of brackets are those that are printed. Between, figures are exact.
//! A formula counts for its days of payment (Utah: for pay periods that begin on them) and no later than the year of
//! its file, and for the frequencies that the state prints. [`Formulas::find`] says why there is none
//! ([`Unusable`]); then nothing may be withheld as if that were known.
//!
//! | file | question |
//! |---|---|
//! | `step` | what can a formula say? |
//! | `read` | what does the file say? |
//! | `run` | what does it come to? |
//! | `figure` | how much does a step add or subtract? |

mod figure;
mod read;
mod run;
mod step;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use jiff::civil::{Date, date};

use super::{Answer, IfNoCertificate, StateCertificate};
use crate::Named;
use crate::amount::Amount;
use crate::withholding::federal::PayFrequency;
use crate::withholding::table::{TableError, built_in, field, json, whole};
use step::{Step, Word, place};

/// The question that is the first key of every formula.
const STATUS: &str = "filing_status";

static BUILT_IN: LazyLock<Formulas> = LazyLock::new(|| {
    const TEXT: &str = include_str!("../../../../../../data/state_withholding_2026.json");
    built_in("state_withholding_2026.json", Formulas::parse(TEXT))
});

/// The formulas of all states that tax wages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formulas {
    by_state: BTreeMap<String, Vec<Formula>>,
}

/// The formula of one state for some time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    /// two letters
    pub state: String,
    /// the publication that prints it
    pub edition: String,
    /// first day on which it counts
    pub from: Date,
    /// last day on which it counts
    pub until: Date,
    /// what differs from the publication, or is not held
    pub remark: Option<String>,
    /// whether deferrals into retirement plans are wages of the state
    pub retirement_deferrals_are_wages: bool,
    /// whether the days are those on which pay periods begin, and not those of payment
    by_period_start: bool,
    /// why it is not used
    in_doubt: Option<String>,
    /// pay periods of a year, for each frequency that the state prints
    periods: [Option<i64>; 8],
    /// the question without whose answer there is no tax
    needs_local_percent: Option<usize>,
    questions: Vec<String>,
    words: Vec<String>,
    keys: Vec<Key>,
    steps: Vec<Step>,
}

/// What tables are chosen by.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Key {
    /// the answer to [`STATUS`]
    Status,
    /// the first case that fits
    Derived(Vec<KeyCase>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum KeyCase {
    /// the answer itself, where there is one other than `unless`
    Answer { question: String, unless: String },
    /// this word, when all of these hold
    Value { word: Word, when: Vec<When> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum When {
    Is { question: String, word: String },
    AtLeast { question: String, least: Amount },
}

/// Why there is no formula to withhold by. The `Display` form completes a sentence that names the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// none is held for the state
    NotHeld,
    /// none is held for the day
    NotInForce(Date),
    /// what is held is in doubt
    InDoubt(String),
    /// the state prints none for the frequency
    Frequency(PayFrequency),
    /// the certificate lacks an answer
    Unanswered(String),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotHeld => f.write_str("no withholding formula of the state is held"),
            Self::NotInForce(day) => write!(f, "no withholding formula of the state is held for {day}"),
            Self::InDoubt(why) => f.write_str(why),
            Self::Frequency(frequency) => {
                write!(f, "the state prints no withholding formula for wages paid {}", frequency.as_str())
            }
            Self::Unanswered(question) => write!(f, "the employee's certificate has no answer to {question}"),
        }
    }
}

/// What an employee's certificate says, as the steps of one formula need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    /// by question of the formula
    numbers: Vec<Amount>,
    /// by key of the formula
    words: Vec<Option<Word>>,
    /// dollars to withhold on top, each pay period
    additional: Amount,
    /// whether nothing is to be withheld
    exempt: bool,
    /// percent of the wages, where there is no certificate and the state says so
    flat: Option<Amount>,
}

/// The wages of a pay period and what else formulas look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wages {
    /// wages after what reduces those of the state
    pub taxable: Amount,
    /// all wages of the period
    pub gross: Amount,
    /// federal income tax on them
    pub federal_income_tax: Amount,
    /// Social Security and Medicare of the employee on them
    pub fica: Amount,
    /// Social Security and Medicare of the employee before, in the year
    pub fica_before: Amount,
}

impl Formulas {
    /// The formulas that come with the crate: those of 2026.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Reads a file `state_withholding_<year>.json`.
    ///
    /// # Errors
    /// Something is missing or malformed.
    pub fn parse(file: &str) -> Result<Self, TableError> {
        let file = json(file)?;
        let year = field(&file, "year", whole)?;
        let year = i16::try_from(year).ok().filter(|year| (1900..=2200).contains(year));
        let last_day = date(year.ok_or_else(|| TableError::new("year: this must be a year"))?, 12, 31);
        let states = field(&file, "states", |value| {
            value.as_object().ok_or_else(|| TableError::new("this must be an object"))
        })?;
        let by_state = states.iter().map(|(code, value)| {
            let formulas = read::state(code, value, last_day).map_err(|error| error.within(code))?;
            Ok((code.clone(), formulas))
        });
        Ok(Self { by_state: by_state.collect::<Result<_, TableError>>()? })
    }

    /// The formula of a state for wages that are paid on a day, for a pay period that begins on another.
    ///
    /// # Errors
    /// Why there is none.
    pub fn find(
        &self,
        state: &str,
        paid: Date,
        period_start: Date,
        frequency: PayFrequency,
    ) -> Result<&Formula, Unusable> {
        let formulas = self.by_state.get(state).ok_or(Unusable::NotHeld)?;
        if let Some(why) = formulas.iter().find_map(|formula| formula.in_doubt.clone()) {
            return Err(Unusable::InDoubt(why));
        }
        let in_force = formulas.iter().find(|formula| {
            let day = if formula.by_period_start { period_start } else { paid };
            formula.from <= day && day <= formula.until
        });
        let formula = in_force.ok_or(Unusable::NotInForce(paid))?;
        match formula.periods[place(frequency)] {
            Some(_) => Ok(formula),
            None => Err(Unusable::Frequency(frequency)),
        }
    }
}

impl Formula {
    /// What a certificate says, for [`Formula::withhold`].
    ///
    /// Where an answer is missing, that of an employee without a certificate counts, and then the default of the
    /// question. `answer` gives what the employee answered to the question of a key.
    ///
    /// # Errors
    /// An answer is missing that nothing can stand for.
    pub fn claims(
        &self,
        certificate: &StateCertificate,
        answer: impl Fn(&str) -> Option<Answer>,
    ) -> Result<Claims, Unusable> {
        let without = match &certificate.if_no_certificate {
            IfNoCertificate::Answers(answers) => answers.as_slice(),
            IfNoCertificate::FlatPercent(_) => &[],
        };
        let value = |key: &str| {
            let without = || without.iter().find(|(known, _)| known == key).map(|(_, answer)| answer.clone());
            let question = || certificate.questions.iter().find(|question| question.key == key);
            answer(key).or_else(without).or_else(|| question()?.default.clone())
        };
        let number = |key: &str| value(key).map_or(Amount::ZERO, |answer| as_number(&answer));
        if let Some(local) = self.needs_local_percent.and_then(|at| self.questions.get(at))
            && value(local).is_none()
        {
            return Err(Unusable::Unanswered(local.clone()));
        }
        let flat = match certificate.if_no_certificate {
            IfNoCertificate::FlatPercent(percent) => {
                let asked = certificate.questions.iter().filter(|question| !question.admin_only);
                let has_certificate = asked.into_iter().any(|question| answer(&question.key).is_some());
                (!has_certificate).then_some(percent)
            }
            IfNoCertificate::Answers(_) => None,
        };
        Ok(Claims {
            numbers: self.questions.iter().map(|key| number(key)).collect(),
            words: self.keys.iter().map(|key| self.word_of(key, &value)).collect(),
            additional: number("additional_withholding"),
            exempt: value("exempt") == Some(Answer::Bool(true)),
            flat,
        })
    }

    fn word_of(&self, key: &Key, value: &impl Fn(&str) -> Option<Answer>) -> Option<Word> {
        let known = |word: &str| {
            let at = self.words.iter().position(|known| known == word)?;
            Word::try_from(at).ok()
        };
        let cases = match key {
            Key::Status => return value(STATUS).and_then(|answer| known(&as_word(&answer))),
            Key::Derived(cases) => cases,
        };
        cases.iter().find_map(|case| match case {
            KeyCase::Answer { question, unless } => {
                let word = value(question).map(|answer| as_word(&answer)).filter(|word| word != unless)?;
                known(&word)
            }
            KeyCase::Value { word, when } => {
                let holds = when.iter().all(|when| match when {
                    When::Is { question, word } => {
                        value(question).is_some_and(|answer| as_word(&answer) == *word)
                    }
                    When::AtLeast { question, least } => {
                        value(question).is_some_and(|answer| as_number(&answer) >= *least)
                    }
                });
                holds.then_some(*word)
            }
        })
    }
}

fn as_number(answer: &Answer) -> Amount {
    match answer {
        Answer::Number(number) | Answer::Currency(number) => *number,
        Answer::Bool(true) => Amount::from_cents(100),
        Answer::Text(text) => Amount::parse(text).unwrap_or(Amount::ZERO),
        Answer::Bool(false) | Answer::Date(_) => Amount::ZERO,
    }
}

fn as_word(answer: &Answer) -> String {
    match answer {
        Answer::Text(word) => word.clone(),
        other => other.to_json().to_string(),
    }
}

#[cfg(test)]
mod tests;
