//! State income tax withholding: formulas as data.
//!
//! Each state publishes its own formula or percentage method for employers. Formulas are written as steps of a
//! small language (`data/state_withholding_<year>.json`), parsed into [`Formulas`] and evaluated by one
//! interpreter. The employee's certificate is resolved once ([`Formula::resolve_claims`]) and reused for the payroll,
//! so that [`Formula::withhold`] does no text lookups.
//!
//! Figures are rounded where the state says so and are exact otherwise; bracket bases are the published ones.
//! A formula applies by pay date (in Utah by the first day of the pay period, in Ohio by its last day), at most to the
//! end of the file's year, and to the pay frequencies that the state publishes. If no formula applies,
//! [`Formulas::find_formula`] returns the reason ([`Unusable`]).
//!
//! | file | contents |
//! |---|---|
//! | `step` | the language |
//! | `county` | the tax of counties within the state's |
//! | `read` | the parser |
//! | `run` | the interpreter |
//! | `figure` | amounts of steps |

mod county;
mod figure;
mod read;
mod run;
mod step;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use jiff::civil::{Date, date};
use serde_json::Value;
use strum::{EnumString, IntoStaticStr, VariantArray};

pub use county::{CountyBracket, CountyMethod, CountyTax};

use super::question::answer_to_key;
use super::{Answer, IfNoCertificate, StateCertificate};
use crate::Named;
use crate::amount::Amount;
use crate::days::Days;
use crate::withholding::federal::PayFrequency;
use crate::withholding::table::{TableError, built_in, read_editions, required_field};
use step::{Step, Word, frequency_index};

/// Question that is the first key of every formula.
const STATUS: &str = "filing_status";

static BUILT_IN: LazyLock<Formulas> =
    LazyLock::new(|| built_in("state_withholding_2026.json", Formulas::parse(Formulas::FILE)));

/// The formulas of all states that tax wages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formulas {
    by_state: BTreeMap<String, Vec<Formula>>,
}

/// A formula of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    /// Two-letter code.
    pub state: String,
    /// Publication.
    pub edition: String,
    /// First day.
    pub from: Date,
    /// Last day.
    pub until: Date,
    /// Remarks: deviations from the publication, unsupported parts.
    pub remark: Option<String>,
    /// Whether retirement plan deferrals are state wages.
    pub retirement_deferrals_are_wages: bool,
    /// Whether the tax and the additional withholding are rounded to dollars together.
    additional_in_dollars: bool,
    /// Day of a payroll that is compared with `from` and `until`.
    by: By,
    /// Why the formula is disabled.
    in_doubt: Option<String>,
    /// Pay periods per year, by published frequency.
    periods: [Option<i64>; 8],
    /// Question for the county's percentage, which must be answered.
    needs_local_percent: Option<usize>,
    questions: Vec<String>,
    words: Vec<String>,
    keys: Vec<Key>,
    steps: Vec<Step>,
}

/// Day of a payroll that decides which edition of a formula applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
enum By {
    #[strum(serialize = "pay_date")]
    PayDate,
    #[strum(serialize = "period_start")]
    PeriodStart,
    #[strum(serialize = "period_end")]
    PeriodEnd,
}

/// Key by which tables are indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Key {
    /// The answer to [`STATUS`].
    Status,
    /// The first matching case.
    Derived(Vec<KeyCase>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum KeyCase {
    /// The answer, unless it is `unless`.
    Answer { question: String, unless: String },
    /// This word, if all conditions hold.
    Value { word: Word, when: Vec<When> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum When {
    Is { question: String, word: String },
    AtLeast { question: String, least: Amount },
}

/// Why no formula applies. `Display` completes a sentence that names the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// The state has none.
    NotHeld,
    /// None applies on the day.
    NotInForce(Date),
    /// The formula is disabled.
    InDoubt(String),
    /// The state does not publish one for the frequency.
    Frequency(PayFrequency),
    /// The certificate lacks an answer.
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

/// An employee's certificate, resolved for a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    /// By question of the formula.
    numbers: Vec<Amount>,
    /// By key of the formula.
    words: Vec<Option<Word>>,
    /// Additional withholding per pay period, in dollars.
    additional: Amount,
    /// Whether the employee is exempt.
    exempt: bool,
    /// Flat percentage of wages, if there is no certificate and the state has such a rate.
    flat: Option<Amount>,
    /// Whether the employee has given the state's certificate.
    has_certificate: bool,
    /// The county's tax that is withheld with the state's, if there is one.
    county: Option<CountyTax>,
}

/// The wages of a pay period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wages {
    /// Taxable wages of the state.
    pub taxable: Amount,
    /// Gross wages.
    pub gross: Amount,
    /// Federal income tax.
    pub federal_income_tax: Amount,
    /// Additional federal withholding that Form W-4 asks for.
    pub federal_additional: Amount,
    /// Employee Social Security and Medicare taxes.
    pub fica: Amount,
    /// Year-to-date employee Social Security and Medicare taxes.
    pub fica_before: Amount,
}

impl Formulas {
    /// The built-in formulas as text.
    pub const FILE: &'static str = include_str!("../../../../../../data/state_withholding_2026.json");

    /// Returns the built-in formulas: those of 2026.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses the layout of `state_withholding_<year>.json`, or a list of such objects. Earlier years stay as they are: if an
    /// earlier file has formulas of a state, those of a later file begin no earlier than that file's year.
    ///
    /// # Errors
    /// Something is missing or malformed, or two formulas of a state are in force on the same day.
    pub fn parse(file: &str) -> Result<Self, TableError> {
        let mut by_state: BTreeMap<String, Vec<Formula>> = BTreeMap::new();
        for (year, states) in read_editions(file, Self::of_year)? {
            for (state, mut formulas) in states {
                let held = by_state.entry(state).or_default();
                if !held.is_empty() {
                    formulas.retain(|formula| formula.until.year() >= year);
                    formulas.iter_mut().for_each(|formula| formula.from = formula.from.max(date(year, 1, 1)));
                }
                held.extend(formulas);
            }
        }
        for (state, formulas) in &mut by_state {
            formulas.sort_by_key(|formula| formula.from);
            if let Some(pair) = formulas.windows(2).find(|pair| pair[1].from <= pair[0].until) {
                let message = format!("two formulas are in force on {}", pair[1].from);
                return Err(TableError::new(message).within_part(state));
            }
        }
        Ok(Self { by_state })
    }

    fn of_year(year: i16, file: &Value) -> Result<BTreeMap<String, Vec<Formula>>, TableError> {
        let last_day = date(year, 12, 31);
        let states = required_field(file, "states", |value| {
            value.as_object().ok_or_else(|| TableError::new("this must be an object"))
        })?;
        let by_state = states.iter().map(|(code, value)| {
            let formulas =
                read::read_state(code, value, last_day).map_err(|error| error.within_part(code))?;
            Ok((code.clone(), formulas))
        });
        by_state.collect()
    }

    /// Returns the formulas of all states, by state and first day.
    pub fn iter(&self) -> impl Iterator<Item = &Formula> {
        self.by_state.values().flatten()
    }

    /// Returns the last day for which the state has a formula; `None` if it has none.
    pub fn last_day(&self, state: &str) -> Option<Date> {
        self.by_state.get(state)?.iter().map(|formula| formula.until).max()
    }

    /// Returns the last day up to `day` for which the state has a formula: `day` itself, or the end of an earlier edition.
    pub fn last_day_until(&self, state: &str, day: Date) -> Option<Date> {
        let begun = self.by_state.get(state)?.iter().filter(|formula| formula.from <= day);
        begun.map(|formula| formula.until.min(day)).max()
    }

    /// Returns the formula of a state for a pay date, the first and last day of the pay period and a pay frequency.
    ///
    /// A year's file is for the payrolls paid in that year: a pay period that reaches into another year counts as if it
    /// began or ended at the turn of the year.
    pub fn find_formula(
        &self,
        state: &str,
        paid: Date,
        Days { first: start, last: end }: Days,
        frequency: PayFrequency,
    ) -> Result<&Formula, Unusable> {
        let formulas = self.by_state.get(state).ok_or(Unusable::NotHeld)?;
        let (first, last) = (date(paid.year(), 1, 1), date(paid.year(), 12, 31));
        let in_force = formulas.iter().find(|formula| {
            let day = match formula.by {
                By::PayDate => paid,
                By::PeriodStart => start.clamp(first, last),
                By::PeriodEnd => end.clamp(first, last),
            };
            formula.from <= day && day <= formula.until
        });
        let formula = in_force.ok_or(Unusable::NotInForce(paid))?;
        if let Some(why) = &formula.in_doubt {
            return Err(Unusable::InDoubt(why.clone()));
        }
        match formula.period_of(frequency) {
            Some(_) => Ok(formula),
            None => Err(Unusable::Frequency(frequency)),
        }
    }
}

impl Claims {
    /// Returns the county's tax that is withheld with the state's, if there is one.
    pub fn county(&self) -> Option<&CountyTax> {
        self.county.as_ref()
    }

    /// Returns the highest percentage of the county whose tax is withheld with the state's; `None` if there is no such tax.
    pub fn highest_county_percent(&self) -> Option<Amount> {
        self.county.as_ref().map(CountyTax::highest_percent)
    }

    /// Whether the certificate claims exemption from withholding.
    pub fn is_exempt(&self) -> bool {
        self.exempt
    }

    /// Returns the additional withholding that the employee asked for, in dollars per pay period.
    pub fn additional_withholding(&self) -> Amount {
        self.additional
    }
}

impl Formula {
    /// Whether the formula includes the tax of a county ([`CountyTax`]).
    pub fn includes_county(&self) -> bool {
        self.needs_local_percent.is_some()
    }

    /// Returns the frequency whose tables apply to a pay period, with its pay periods per year: for a frequency that the state does
    /// not publish, those of the year. `None` if there are none either.
    fn period_of(&self, frequency: PayFrequency) -> Option<(PayFrequency, i64)> {
        let published = |frequency| Some((frequency, self.periods[frequency_index(frequency)]?));
        published(frequency).or_else(|| published(PayFrequency::Annually))
    }

    /// Resolves a certificate for [`Formula::withhold`].
    ///
    /// Missing answers are replaced by those for employees without a certificate, then by the default of the
    /// question. `answer` returns the employee's answer to the question with the given key; `county` is the tax of the county by the
    /// address, which a formula that includes it needs unless its rate is answered.
    ///
    /// # Errors
    /// [`Unusable::Unanswered`] if the county's tax is needed and not known, or if the answer to a question for a number is not a
    /// number.
    pub fn resolve_claims(
        &self,
        certificate: &StateCertificate,
        answer: impl Fn(&str) -> Option<Answer>,
        county: Option<&CountyTax>,
    ) -> Result<Claims, Unusable> {
        let without = match &certificate.if_no_certificate {
            IfNoCertificate::Answers(answers) => answers.as_slice(),
            IfNoCertificate::FlatPercent(_) => &[],
        };
        let answered = |key: &str| {
            let without = || without.iter().find(|(known, _)| known == key).map(|(_, answer)| answer.clone());
            let question = || certificate.questions.iter().find(|question| question.key == key);
            answer(key).or_else(without).or_else(|| question()?.default.clone())
        };
        let value = |key: &str| answer_to_key(&certificate.questions, key, answered);
        let counts = |key: &str| {
            let question = certificate.questions.iter().find(|question| question.key == key);
            question.is_none_or(|question| question.counts_with(answered))
        };
        let number = |key: &str| match value(key).filter(|_| counts(key)) {
            Some(answer) => as_number(key, &answer),
            None => Ok(Amount::ZERO),
        };
        let has_certificate = certificate.is_given(|key| answer(key).is_some());
        let county = match self.needs_local_percent.and_then(|at| self.questions.get(at)) {
            None => None,
            Some(local) => {
                let answer = value(local).map(|answer| as_number(local, &answer)).transpose()?;
                let county = CountyTax::with_answer(county, answer);
                Some(county.ok_or_else(|| Unusable::Unanswered(local.clone()))?)
            }
        };
        let flat = match certificate.if_no_certificate {
            IfNoCertificate::FlatPercent(percent) => {
                // Other questions belong to other forms, or their answers do not make a certificate.
                let has_certificate = answer(STATUS).is_some() || value("exempt") == Some(Answer::Bool(true));
                (!has_certificate).then_some(percent)
            }
            IfNoCertificate::Answers(_) => None,
        };
        Ok(Claims {
            numbers: self.questions.iter().map(|key| number(key)).collect::<Result<_, _>>()?,
            words: self.keys.iter().map(|key| self.word_of(key, &value)).collect::<Result<_, _>>()?,
            additional: number("additional_withholding")?,
            exempt: value("exempt") == Some(Answer::Bool(true)),
            flat,
            has_certificate,
            county,
        })
    }

    fn word_of(&self, key: &Key, value: &impl Fn(&str) -> Option<Answer>) -> Result<Option<Word>, Unusable> {
        let known = |word: &str| {
            let at = self.words.iter().position(|known| known == word)?;
            Word::try_from(at).ok()
        };
        let cases = match key {
            Key::Status => return Ok(value(STATUS).and_then(|answer| known(&as_word(&answer)))),
            Key::Derived(cases) => cases,
        };
        for case in cases {
            let found = match case {
                KeyCase::Answer { question, unless } => {
                    let word = value(question).map(|answer| as_word(&answer));
                    word.filter(|word| word != unless).and_then(|word| known(&word))
                }
                KeyCase::Value { word, when } => all_hold(when, value)?.then_some(*word),
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

/// Whether the answers meet every condition.
fn all_hold(when: &[When], value: &impl Fn(&str) -> Option<Answer>) -> Result<bool, Unusable> {
    for when in when {
        let holds = match when {
            When::Is { question, word } => value(question).is_some_and(|answer| as_word(&answer) == *word),
            When::AtLeast { question, least } => match value(question) {
                Some(answer) => as_number(question, &answer)? >= *least,
                None => false,
            },
        };
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Converts an answer to a number; an answer that is not a number leaves a question for a number unanswered.
fn as_number(question: &str, answer: &Answer) -> Result<Amount, Unusable> {
    let number = match answer {
        Answer::Number(number) | Answer::Currency(number) => Some(*number),
        Answer::Bool(yes) => Some(if *yes { Amount::from_cents(100) } else { Amount::ZERO }),
        Answer::Text(text) => Amount::parse(text).ok(),
        Answer::Date(_) => None,
    };
    number.ok_or_else(|| Unusable::Unanswered(question.to_owned()))
}

fn as_word(answer: &Answer) -> String {
    match answer {
        Answer::Text(word) => word.clone(),
        other => other.to_json().to_string(),
    }
}

#[cfg(test)]
mod tests;
