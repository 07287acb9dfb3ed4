//! Parser of `state_withholding_<year>.json`.

use jiff::civil::Date;
use serde_json::Value;

use super::step::{AtLeast, ByFrequency, ByKey, Each, Figure, Lookup, Row, Step, Top, Word, place};
use super::{By, Formula, Key, KeyCase, STATUS, When};
use crate::Named;
use crate::amount::Amount;
use crate::withholding::federal::PayFrequency;
use crate::withholding::table::{TableError, amount, boolean, field, list, optional, text, whole};

/// Wildcard word of a table.
const ALL: &str = "all";

/// Names used by the steps of a formula.
#[derive(Default)]
struct Names {
    questions: Vec<String>,
    keys: Vec<String>,
    words: Vec<String>,
}

fn wrong(message: impl Into<String>) -> TableError {
    TableError::new(message)
}

fn at(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

impl Names {
    fn question(&mut self, value: &Value, key: &str) -> Result<usize, TableError> {
        field(value, key, text).map(|name| at(&mut self.questions, &name))
    }

    fn word(&mut self, word: &str) -> Result<Option<Word>, TableError> {
        if word == ALL {
            return Ok(None);
        }
        Word::try_from(at(&mut self.words, word)).map(Some).map_err(|_| wrong("too many words"))
    }

    fn key(&mut self, value: &Value) -> Result<usize, TableError> {
        let name = optional(value, "key").map_or(Ok(STATUS.to_owned()), text)?;
        self.keys
            .iter()
            .position(|known| *known == name)
            .ok_or_else(|| wrong(format!("there is no key {name}")))
    }

    /// Reads an object whose members are words.
    fn by_key<V>(
        &mut self,
        key: usize,
        value: &Value,
        mut read: impl FnMut(&Value) -> Result<V, TableError>,
    ) -> Result<ByKey<V>, TableError> {
        let cells = object(value)?
            .iter()
            .map(|(word, value)| Ok((self.word(word)?, read(value).map_err(|error| error.within(word))?)));
        Ok(ByKey { key, cells: cells.collect::<Result<_, TableError>>()? })
    }

    fn amounts(&mut self, value: &Value) -> Result<ByKey<Amount>, TableError> {
        let key = self.key(value)?;
        field(value, "amounts", |value| self.by_key(key, value, amount))
    }

    fn each(&mut self, value: &Value) -> Result<Each, TableError> {
        Ok(Each { question: self.question(value, "question")?, amount: field(value, "amount", amount)? })
    }

    fn at_least(&mut self, value: &Value) -> Result<AtLeast, TableError> {
        let question = self.question(value, "question")?;
        Ok(AtLeast { question, least: field(value, "at_least", number)? })
    }

    fn lookup(&mut self, value: &Value) -> Result<Lookup, TableError> {
        let key = self.key(value)?;
        let more_than = more_than(value)?;
        let table = field(value, "table", |value| self.by_key(key, value, |rows| list(rows, pair)))?;
        let times = optional(value, "times").map(|_| self.question(value, "times")).transpose()?;
        Ok(Lookup { more_than, table, times })
    }

    fn figure(&mut self, value: &Value) -> Result<Figure, TableError> {
        let nothing_above =
            |names: &mut Self| optional(value, "nothing_above").map(|limit| names.amounts(limit)).transpose();
        Ok(match field(value, "figure", text)?.as_str() {
            "amount" => Figure::Amount(field(value, "amount", amount)?),
            "by_key" => Figure::ByKey(self.amounts(value)?),
            "by_frequency" => {
                let key = self.key(value)?;
                let read = |value: &Value| self.by_key(key, value, amount);
                Figure::ByFrequency(field(value, "amounts", |value| by_frequency(value, read))?)
            }
            "per" => Figure::Per { each: self.each(value)?, nothing_above: nothing_above(self)? },
            "per_by_frequency" => Figure::PerByFrequency {
                question: self.question(value, "question")?,
                amounts: field(value, "amounts", |value| by_frequency(value, amount))?,
                nothing_above: nothing_above(self)?,
            },
            "answer" => Figure::Answer(self.question(value, "question")?),
            "answer_or" => Figure::AnswerOr {
                asked: self.question(value, "if")?,
                question: self.question(value, "question")?,
                otherwise: self.amounts(value)?,
            },
            "prorated" => Figure::Prorated {
                by_key: optional(value, "amounts").map(|_| self.amounts(value)).transpose()?,
                per: optional(value, "per").map(|each| self.each(each)).transpose()?,
                to_cents: optional(value, "round").is_some(),
            },
            "percent_of_wages" => Figure::PercentOfWages {
                percent: field(value, "percent", amount)?,
                at_most: field(value, "at_most", amount)?,
                only_if: field(value, "only_if", |value| self.at_least(value))?,
            },
            "phase_out" => {
                let key = self.key(value)?;
                Figure::PhaseOut(field(value, "table", |value| self.by_key(key, value, amounts_of))?)
            }
            "lookup" => Figure::Lookup(self.lookup(value)?),
            "federal_tax" => Figure::FederalTax {
                at_most: optional(value, "at_most").map(|caps| self.lookup(caps)).transpose()?,
            },
            "federal_additional" => Figure::FederalAdditional { percent: field(value, "percent", amount)? },
            "fica" => Figure::Fica { at_most_a_year: field(value, "at_most_a_year", amount)? },
            "count_table" => Figure::CountTable {
                question: self.question(value, "question")?,
                amounts: field(value, "amounts", |value| {
                    by_frequency(value, |amounts| {
                        let amounts = list(amounts, amount)?;
                        if amounts.is_empty() {
                            Err(wrong("there must be an amount for one"))
                        } else {
                            Ok(amounts)
                        }
                    })
                })?,
            },
            "count_formula" => Figure::CountFormula {
                question: self.question(value, "question")?,
                amounts: field(value, "amounts", |value| by_frequency(value, amounts_of))?,
            },
            other => return Err(wrong(format!("there is no figure {other}"))),
        })
    }

    fn step(&mut self, value: &Value) -> Result<Step, TableError> {
        let op = field(value, "op", text)?;
        self.step_of(&op, value).map_err(|error| error.within(&op))
    }

    fn step_of(&mut self, op: &str, value: &Value) -> Result<Step, TableError> {
        Ok(match op {
            "annualise" => Step::Annualise,
            "deannualise" => Step::Deannualise,
            "not_below_zero" => Step::NotBelowZero,
            "round" => Step::Round { to_dollars: field(value, "to", text)? == "1" },
            "stop_if" => self.stop_if(value)?,
            "stop_if_zero" => Step::StopIfZero,
            "subtract" => Step::Subtract(self.figure(value)?),
            "add" => Step::Add(self.figure(value)?),
            "percent" => Step::Percent(field(value, "percent", amount)?),
            "elected_share" => Step::ElectedShare(self.question(value, "question")?),
            "percent_less" => Step::PercentLess(field(value, "rows", |rows| list(rows, amounts_of))?),
            "brackets" => {
                let key = self.key(value)?;
                Step::Brackets(field(value, "table", |value| self.by_key(key, value, rows))?)
            }
            "brackets_by_frequency" => self.brackets_by_frequency(value)?,
            "brackets_plus_local" => {
                let key = self.key(value)?;
                let read = |value: &Value| list(value, amount);
                Step::BracketsPlusLocal {
                    thresholds: field(value, "thresholds", |value| self.by_key(key, value, read))?,
                    percents: field(value, "percents", |value| list(value, amount))?,
                    local_percent: self.question(value, "local_percent")?,
                    printed: field(value, "printed", read)?,
                    joint: field(value, "joint", text).and_then(|word| self.word(&word))?,
                    daily_periods: field(value, "daily_periods", whole)?.into(),
                    newest: usize::try_from(field(value, "newest", whole)?)
                        .map_err(|_| wrong("newest is negative"))?,
                }
            }
            "tiers" => {
                let key = self.key(value)?;
                Step::Tiers(field(value, "table", |value| {
                    self.by_key(key, value, |tiers| list(tiers, tier))
                })?)
            }
            "percent_with_credit" => {
                let key = self.key(value)?;
                let read = |value: &Value| self.by_key(key, value, amounts_of);
                Step::PercentWithCredit {
                    percent: field(value, "percent", amount)?,
                    phase_out_percent: field(value, "phase_out_percent", amount)?,
                    credits: field(value, "credits", |value| by_frequency(value, read))?,
                }
            }
            "middle_of_band" => Step::MiddleOfBand {
                band: field(value, "band", amount)?,
                middle: field(value, "middle", amount)?,
                below: field(value, "below", amount)?,
            },
            "reduce_by_percent" => Step::ReduceByPercent(self.lookup(value)?),
            _ => return Err(wrong("there is no such step")),
        })
    }

    fn stop_if(&mut self, value: &Value) -> Result<Step, TableError> {
        let key = self.key(value)?;
        let at_most = match field(value, "compare", text)?.as_str() {
            "<=" => true,
            "<" => false,
            other => return Err(wrong(format!("compare must be < or <=, not {other}"))),
        };
        let only_if = optional(value, "only_if").map(|condition| self.at_least(condition)).transpose()?;
        let read = |value: &Value| self.by_key(key, value, amount);
        let limits = field(value, "limits", |value| by_frequency(value, read))?;
        Ok(Step::StopIf { at_most, limits, only_if })
    }

    fn brackets_by_frequency(&mut self, value: &Value) -> Result<Step, TableError> {
        let key = self.key(value)?;
        let top = optional(value, "top").map(|top| -> Result<Top, TableError> {
            let from =
                field(top, "from", |value| by_frequency(value, |value| self.by_key(key, value, amount)))?;
            let read = |value: &Value| list(value, pair);
            Ok(Top { from, bands: field(top, "bands", |value| self.by_key(key, value, read))? })
        });
        let top = top.transpose()?;
        let read = |value: &Value| self.by_key(key, value, rows);
        Ok(Step::BracketsByFrequency {
            tables: field(value, "tables", |value| by_frequency(value, read))?,
            more_than: optional(value, "bound").map_or(Ok(false), |_| more_than(value))?,
            top,
        })
    }

    fn key_case(&mut self, value: &Value) -> Result<KeyCase, TableError> {
        if optional(value, "answer").is_some() {
            let unless = field(value, "unless", text)?;
            return Ok(KeyCase::Answer { question: field(value, "answer", text)?, unless });
        }
        let word = field(value, "value", text)?;
        let conditions = optional(value, "when").map_or(Ok(Vec::new()), |value| {
            list(value, |value| {
                let question = field(value, "question", text)?;
                match optional(value, "is") {
                    Some(word) => Ok(When::Is { question, word: text(word)? }),
                    None => Ok(When::AtLeast { question, least: field(value, "at_least", number)? }),
                }
            })
        });
        let word = self.word(&word)?.ok_or_else(|| wrong("all is not a word"))?;
        Ok(KeyCase::Value { word, when: conditions? })
    }
}

/// Reads the formulas of a state, the current one first.
pub(super) fn state(code: &str, value: &Value, last_day: Date) -> Result<Vec<Formula>, TableError> {
    let present = formula(code, value, value, last_day)?;
    let mut all = vec![present];
    if let Some(earlier) = optional(value, "earlier") {
        all.extend(list(earlier, |part| formula(code, value, part, last_day))?);
    }
    Ok(all)
}

/// Reads a formula. `part` has its days and steps, and may have its own `edition`, `remark`, `by` and `in_doubt`; all
/// else is in `whole_state`.
fn formula(code: &str, whole_state: &Value, part: &Value, last_day: Date) -> Result<Formula, TableError> {
    let mut names = Names { keys: vec![STATUS.to_owned()], ..Names::default() };
    let mut keys = vec![Key::Status];
    if let Some(derived) = optional(whole_state, "keys") {
        for (name, cases) in object(derived)? {
            let cases = list(cases, |case| names.key_case(case)).map_err(|error| error.within(name))?;
            names.keys.push(name.clone());
            keys.push(Key::Derived(cases));
        }
    }
    let steps = field(part, "steps", |value| list(value, |step| names.step(step)))?;
    let daily = optional(whole_state, "daily_periods").map(whole).transpose()?;
    let mut periods = [None; 8];
    for frequency in field(whole_state, "frequencies", |value| list(value, frequency))? {
        let is_daily = frequency == PayFrequency::Daily;
        let a_year = daily.filter(|_| is_daily).map_or(frequency.periods_per_year(), i64::from);
        periods[place(frequency)] = Some(a_year);
    }
    let until = optional(part, "until").map(day).transpose()?;
    let flag = |key| optional(whole_state, key).map_or(Ok(false), boolean);
    let words = |key| optional(part, key).or_else(|| optional(whole_state, key)).map(text).transpose();
    Ok(Formula {
        state: code.to_owned(),
        edition: match words("edition")? {
            Some(edition) => edition,
            None => field(whole_state, "edition", text)?,
        },
        from: field(part, "from", day)?,
        until: until.unwrap_or(last_day).min(last_day),
        by: words("by")?.map_or(Ok(By::PayDate), |by| {
            By::parse(&by).ok_or_else(|| wrong("this must be a kind of day"))
        })?,
        in_doubt: words("in_doubt")?,
        remark: words("remark")?,
        retirement_deferrals_are_wages: flag("retirement_deferrals_are_wages")?,
        additional_in_dollars: flag("additional_in_dollars")?,
        periods,
        needs_local_percent: steps.iter().find_map(|step| match step {
            Step::BracketsPlusLocal { local_percent, .. } => Some(*local_percent),
            _ => None,
        }),
        questions: names.questions,
        words: names.words,
        keys,
        steps,
    })
}

/// Reads whether the rows of a table begin above their wage instead of at it.
fn more_than(value: &Value) -> Result<bool, TableError> {
    match field(value, "bound", text)?.as_str() {
        "more_than" => Ok(true),
        "at_least" => Ok(false),
        other => Err(wrong(format!("bound must be more_than or at_least, not {other}"))),
    }
}

fn object(value: &Value) -> Result<&serde_json::Map<String, Value>, TableError> {
    value.as_object().ok_or_else(|| wrong("this must be an object"))
}

fn day(value: &Value) -> Result<Date, TableError> {
    text(value)?.parse().map_err(|_| wrong("this must be a day"))
}

fn frequency(value: &Value) -> Result<PayFrequency, TableError> {
    PayFrequency::parse(&text(value)?).ok_or_else(|| wrong("this must be a frequency"))
}

fn number(value: &Value) -> Result<Amount, TableError> {
    whole(value).map(|number| Amount::from_cents(i64::from(number) * 100))
}

fn by_frequency<V>(
    value: &Value,
    mut read: impl FnMut(&Value) -> Result<V, TableError>,
) -> Result<ByFrequency<V>, TableError> {
    let mut found = ByFrequency([const { None }; 8]);
    for (name, value) in object(value)? {
        let frequency =
            PayFrequency::parse(name).ok_or_else(|| wrong(format!("{name} is not a frequency")))?;
        found.0[place(frequency)] = Some(read(value).map_err(|error| error.within(name))?);
    }
    Ok(found)
}

fn amounts_of<const COUNT: usize>(value: &Value) -> Result<[Amount; COUNT], TableError> {
    list(value, amount)?.try_into().map_err(|_| wrong(format!("there must be {COUNT} figures")))
}

fn pair(value: &Value) -> Result<(Amount, Amount), TableError> {
    amounts_of::<2>(value).map(|[from, amount]| (from, amount))
}

/// Reads from, base, percent, and the start of the excess if it is not `from`.
fn row(value: &Value) -> Result<Row, TableError> {
    match list(value, amount)?[..] {
        [from, base, percent] => Ok(Row { from, base, percent, over: from }),
        [from, base, percent, over] => Ok(Row { from, base, percent, over }),
        _ => Err(wrong("a row must have three or four figures: from, base, percent, over")),
    }
}

fn rows(value: &Value) -> Result<Vec<Row>, TableError> {
    let rows = list(value, row)?;
    if rows.is_sorted_by(|row, next| row.from < next.from) {
        Ok(rows)
    } else {
        Err(wrong("the rows must ascend"))
    }
}

fn tier(value: &Value) -> Result<(Amount, Vec<Row>), TableError> {
    match value.as_array().map(Vec::as_slice) {
        Some([from, of_tier]) => Ok((amount(from)?, rows(of_tier)?)),
        _ => Err(wrong("a tier must be a wage and rows")),
    }
}
