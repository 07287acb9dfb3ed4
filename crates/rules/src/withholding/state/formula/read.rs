//! Parser of `state_withholding_<year>.json`.

use jiff::civil::Date;
use serde_json::Value;

use super::step::{AtLeast, ByFrequency, ByKey, Each, Figure, Lookup, Row, Step, Top, Word, frequency_index};
use super::{By, Formula, Key, KeyCase, STATUS, When};
use crate::Named;
use crate::amount::Amount;
use crate::withholding::federal::PayFrequency;
use crate::withholding::table::{
    TableError, optional_member, read_amount, read_boolean, read_list, read_text, read_whole_number,
    required_field,
};

/// Wildcard word of a table.
const ALL: &str = "all";

/// Names used by the steps of a formula.
#[derive(Default)]
struct Names {
    questions: Vec<String>,
    keys: Vec<String>,
    words: Vec<String>,
}

fn malformed_table(message: impl Into<String>) -> TableError {
    TableError::new(message)
}

fn index_of_name(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

impl Names {
    fn read_question(&mut self, value: &Value, key: &str) -> Result<usize, TableError> {
        required_field(value, key, read_text).map(|name| index_of_name(&mut self.questions, &name))
    }

    fn read_word(&mut self, word: &str) -> Result<Option<Word>, TableError> {
        if word == ALL {
            return Ok(None);
        }
        Word::try_from(index_of_name(&mut self.words, word))
            .map(Some)
            .map_err(|_| malformed_table("too many words"))
    }

    fn read_key(&mut self, value: &Value) -> Result<usize, TableError> {
        let name = optional_member(value, "key").map_or(Ok(STATUS.to_owned()), read_text)?;
        self.keys
            .iter()
            .position(|known| *known == name)
            .ok_or_else(|| malformed_table(format!("there is no key {name}")))
    }

    /// Reads an object whose members are words.
    fn by_key<V>(
        &mut self,
        key: usize,
        value: &Value,
        mut read: impl FnMut(&Value) -> Result<V, TableError>,
    ) -> Result<ByKey<V>, TableError> {
        let cells = read_object(value)?.iter().map(|(word, value)| {
            Ok((self.read_word(word)?, read(value).map_err(|error| error.within_part(word))?))
        });
        Ok(ByKey { key, cells: cells.collect::<Result<_, TableError>>()? })
    }

    fn read_amounts(&mut self, value: &Value) -> Result<ByKey<Amount>, TableError> {
        let key = self.read_key(value)?;
        required_field(value, "amounts", |value| self.by_key(key, value, read_amount))
    }

    fn read_each(&mut self, value: &Value) -> Result<Each, TableError> {
        Ok(Each {
            question: self.read_question(value, "question")?,
            amount: required_field(value, "amount", read_amount)?,
        })
    }

    fn at_least(&mut self, value: &Value) -> Result<AtLeast, TableError> {
        let question = self.read_question(value, "question")?;
        Ok(AtLeast { question, least: required_field(value, "at_least", read_number)? })
    }

    fn read_lookup(&mut self, value: &Value) -> Result<Lookup, TableError> {
        let key = self.read_key(value)?;
        let more_than = more_than(value)?;
        let table = required_field(value, "table", |value| {
            self.by_key(key, value, |rows| read_list(rows, read_pair))
        })?;
        let times =
            optional_member(value, "times").map(|_| self.read_question(value, "times")).transpose()?;
        Ok(Lookup { more_than, table, times })
    }

    fn read_figure(&mut self, value: &Value) -> Result<Figure, TableError> {
        let nothing_above = |names: &mut Self| {
            optional_member(value, "nothing_above").map(|limit| names.read_amounts(limit)).transpose()
        };
        Ok(match required_field(value, "figure", read_text)?.as_str() {
            "amount" => Figure::Amount(required_field(value, "amount", read_amount)?),
            "by_key" => Figure::ByKey(self.read_amounts(value)?),
            "by_frequency" => {
                let key = self.read_key(value)?;
                let read = |value: &Value| self.by_key(key, value, read_amount);
                Figure::ByFrequency(required_field(value, "amounts", |value| by_frequency(value, read))?)
            }
            "per" => Figure::Per { each: self.read_each(value)?, nothing_above: nothing_above(self)? },
            "per_by_frequency" => Figure::PerByFrequency {
                question: self.read_question(value, "question")?,
                amounts: required_field(value, "amounts", |value| by_frequency(value, read_amount))?,
                nothing_above: nothing_above(self)?,
            },
            "answer" => Figure::Answer(self.read_question(value, "question")?),
            "answer_or" => Figure::AnswerOr {
                asked: self.read_question(value, "if")?,
                question: self.read_question(value, "question")?,
                otherwise: self.read_amounts(value)?,
            },
            "prorated" => Figure::Prorated {
                by_key: optional_member(value, "amounts").map(|_| self.read_amounts(value)).transpose()?,
                per: optional_member(value, "per").map(|each| self.read_each(each)).transpose()?,
                to_cents: optional_member(value, "round").is_some(),
            },
            "percent_of_wages" => Figure::PercentOfWages {
                percent: required_field(value, "percent", read_amount)?,
                at_most: required_field(value, "at_most", read_amount)?,
                only_if: required_field(value, "only_if", |value| self.at_least(value))?,
            },
            "phase_out" => {
                let key = self.read_key(value)?;
                Figure::PhaseOut(required_field(value, "table", |value| self.by_key(key, value, amounts_of))?)
            }
            "lookup" => Figure::Lookup(self.read_lookup(value)?),
            "federal_tax" => Figure::FederalTax {
                at_most: optional_member(value, "at_most").map(|caps| self.read_lookup(caps)).transpose()?,
            },
            "federal_additional" => {
                Figure::FederalAdditional { percent: required_field(value, "percent", read_amount)? }
            }
            "fica" => Figure::Fica { at_most_a_year: required_field(value, "at_most_a_year", read_amount)? },
            "count_table" => Figure::CountTable {
                question: self.read_question(value, "question")?,
                amounts: required_field(value, "amounts", |value| {
                    by_frequency(value, |amounts| {
                        let amounts = read_list(amounts, read_amount)?;
                        if amounts.is_empty() {
                            Err(malformed_table("there must be an amount for one"))
                        } else {
                            Ok(amounts)
                        }
                    })
                })?,
            },
            "count_formula" => Figure::CountFormula {
                question: self.read_question(value, "question")?,
                amounts: required_field(value, "amounts", |value| by_frequency(value, amounts_of))?,
            },
            other => return Err(malformed_table(format!("there is no figure {other}"))),
        })
    }

    fn read_step(&mut self, value: &Value) -> Result<Step, TableError> {
        let op = required_field(value, "op", read_text)?;
        self.step_of(&op, value).map_err(|error| error.within_part(&op))
    }

    fn step_of(&mut self, op: &str, value: &Value) -> Result<Step, TableError> {
        Ok(match op {
            "annualise" => Step::Annualise,
            "deannualise" => Step::Deannualise,
            "not_below_zero" => Step::NotBelowZero,
            "round" => Step::Round { to_dollars: required_field(value, "to", read_text)? == "1" },
            "stop_if" => self.stop_if(value)?,
            "stop_if_zero" => Step::StopIfZero,
            "subtract" => Step::Subtract(self.read_figure(value)?),
            "add" => Step::Add(self.read_figure(value)?),
            "percent" => Step::Percent(required_field(value, "percent", read_amount)?),
            "elected_share" => Step::ElectedShare(self.read_question(value, "question")?),
            "percent_less" => {
                Step::PercentLess(required_field(value, "rows", |rows| read_list(rows, amounts_of))?)
            }
            "brackets" => {
                let key = self.read_key(value)?;
                Step::Brackets(required_field(value, "table", |value| self.by_key(key, value, read_rows))?)
            }
            "brackets_by_frequency" => self.brackets_by_frequency(value)?,
            "brackets_plus_local" => {
                let key = self.read_key(value)?;
                let read = |value: &Value| read_list(value, read_amount);
                Step::BracketsPlusLocal {
                    thresholds: required_field(value, "thresholds", |value| self.by_key(key, value, read))?,
                    percents: required_field(value, "percents", |value| read_list(value, read_amount))?,
                    local_percent: self.read_question(value, "local_percent")?,
                    printed: required_field(value, "printed", read)?,
                    joint: required_field(value, "joint", read_text)
                        .and_then(|word| self.read_word(&word))?,
                    daily_periods: required_field(value, "daily_periods", read_whole_number)?.into(),
                    newest: usize::try_from(required_field(value, "newest", read_whole_number)?)
                        .map_err(|_| malformed_table("newest is negative"))?,
                }
            }
            "tiers" => {
                let key = self.read_key(value)?;
                Step::Tiers(required_field(value, "table", |value| {
                    self.by_key(key, value, |tiers| read_list(tiers, read_tier))
                })?)
            }
            "percent_with_credit" => {
                let key = self.read_key(value)?;
                let read = |value: &Value| self.by_key(key, value, amounts_of);
                Step::PercentWithCredit {
                    percent: required_field(value, "percent", read_amount)?,
                    phase_out_percent: required_field(value, "phase_out_percent", read_amount)?,
                    credits: required_field(value, "credits", |value| by_frequency(value, read))?,
                }
            }
            "middle_of_band" => Step::MiddleOfBand {
                band: required_field(value, "band", read_amount)?,
                middle: required_field(value, "middle", read_amount)?,
                below: required_field(value, "below", read_amount)?,
            },
            "reduce_by_percent" => Step::ReduceByPercent(self.read_lookup(value)?),
            _ => return Err(malformed_table("there is no such step")),
        })
    }

    fn stop_if(&mut self, value: &Value) -> Result<Step, TableError> {
        let key = self.read_key(value)?;
        let at_most = match required_field(value, "compare", read_text)?.as_str() {
            "<=" => true,
            "<" => false,
            other => return Err(malformed_table(format!("compare must be < or <=, not {other}"))),
        };
        let only_if =
            optional_member(value, "only_if").map(|condition| self.at_least(condition)).transpose()?;
        let read = |value: &Value| self.by_key(key, value, read_amount);
        let limits = required_field(value, "limits", |value| by_frequency(value, read))?;
        Ok(Step::StopIf { at_most, limits, only_if })
    }

    fn brackets_by_frequency(&mut self, value: &Value) -> Result<Step, TableError> {
        let key = self.read_key(value)?;
        let top = optional_member(value, "top").map(|top| -> Result<Top, TableError> {
            let from = required_field(top, "from", |value| {
                by_frequency(value, |value| self.by_key(key, value, read_amount))
            })?;
            let read = |value: &Value| read_list(value, read_pair);
            Ok(Top { from, bands: required_field(top, "bands", |value| self.by_key(key, value, read))? })
        });
        let top = top.transpose()?;
        let read = |value: &Value| self.by_key(key, value, read_rows);
        Ok(Step::BracketsByFrequency {
            tables: required_field(value, "tables", |value| by_frequency(value, read))?,
            more_than: optional_member(value, "bound").map_or(Ok(false), |_| more_than(value))?,
            top,
        })
    }

    fn key_case(&mut self, value: &Value) -> Result<KeyCase, TableError> {
        if optional_member(value, "answer").is_some() {
            let unless = required_field(value, "unless", read_text)?;
            return Ok(KeyCase::Answer { question: required_field(value, "answer", read_text)?, unless });
        }
        let word = required_field(value, "value", read_text)?;
        let conditions = optional_member(value, "when").map_or(Ok(Vec::new()), |value| {
            read_list(value, |value| {
                let question = required_field(value, "question", read_text)?;
                match optional_member(value, "is") {
                    Some(word) => Ok(When::Is { question, word: read_text(word)? }),
                    None => {
                        Ok(When::AtLeast { question, least: required_field(value, "at_least", read_number)? })
                    }
                }
            })
        });
        let word = self.read_word(&word)?.ok_or_else(|| malformed_table("all is not a word"))?;
        Ok(KeyCase::Value { word, when: conditions? })
    }
}

/// Reads the formulas of a state, the current one first.
pub(super) fn read_state(code: &str, value: &Value, last_day: Date) -> Result<Vec<Formula>, TableError> {
    let present = read_formula(code, value, value, last_day)?;
    let mut all = vec![present];
    if let Some(earlier) = optional_member(value, "earlier") {
        all.extend(read_list(earlier, |part| read_formula(code, value, part, last_day))?);
    }
    Ok(all)
}

/// Reads a formula. `part` has its days and steps, and may have its own `edition`, `remark`, `by` and `in_doubt`; all
/// else is in `whole_state`.
fn read_formula(
    code: &str,
    whole_state: &Value,
    part: &Value,
    last_day: Date,
) -> Result<Formula, TableError> {
    let mut names = Names { keys: vec![STATUS.to_owned()], ..Names::default() };
    let mut keys = vec![Key::Status];
    if let Some(derived) = optional_member(whole_state, "keys") {
        for (name, cases) in read_object(derived)? {
            let cases =
                read_list(cases, |case| names.key_case(case)).map_err(|error| error.within_part(name))?;
            names.keys.push(name.clone());
            keys.push(Key::Derived(cases));
        }
    }
    let steps = required_field(part, "steps", |value| read_list(value, |step| names.read_step(step)))?;
    let daily = optional_member(whole_state, "daily_periods").map(read_whole_number).transpose()?;
    let mut periods = [None; 8];
    for frequency in required_field(whole_state, "frequencies", |value| read_list(value, read_frequency))? {
        let is_daily = frequency == PayFrequency::Daily;
        let a_year = daily.filter(|_| is_daily).map_or(frequency.periods_per_year(), i64::from);
        periods[frequency_index(frequency)] = Some(a_year);
    }
    let until = optional_member(part, "until").map(read_day).transpose()?;
    let flag = |key| optional_member(whole_state, key).map_or(Ok(false), read_boolean);
    let words = |key| {
        optional_member(part, key).or_else(|| optional_member(whole_state, key)).map(read_text).transpose()
    };
    Ok(Formula {
        state: code.to_owned(),
        edition: match words("edition")? {
            Some(edition) => edition,
            None => required_field(whole_state, "edition", read_text)?,
        },
        from: required_field(part, "from", read_day)?,
        until: until.unwrap_or(last_day).min(last_day),
        by: words("by")?.map_or(Ok(By::PayDate), |by| {
            By::parse(&by).ok_or_else(|| malformed_table("this must be a kind of day"))
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
    match required_field(value, "bound", read_text)?.as_str() {
        "more_than" => Ok(true),
        "at_least" => Ok(false),
        other => Err(malformed_table(format!("bound must be more_than or at_least, not {other}"))),
    }
}

fn read_object(value: &Value) -> Result<&serde_json::Map<String, Value>, TableError> {
    value.as_object().ok_or_else(|| malformed_table("this must be an object"))
}

fn read_day(value: &Value) -> Result<Date, TableError> {
    read_text(value)?.parse().map_err(|_| malformed_table("this must be a day"))
}

fn read_frequency(value: &Value) -> Result<PayFrequency, TableError> {
    PayFrequency::parse(&read_text(value)?).ok_or_else(|| malformed_table("this must be a frequency"))
}

fn read_number(value: &Value) -> Result<Amount, TableError> {
    read_whole_number(value).map(|number| Amount::from_cents(i64::from(number) * 100))
}

fn by_frequency<V>(
    value: &Value,
    mut read: impl FnMut(&Value) -> Result<V, TableError>,
) -> Result<ByFrequency<V>, TableError> {
    let mut found = ByFrequency([const { None }; 8]);
    for (name, value) in read_object(value)? {
        let frequency =
            PayFrequency::parse(name).ok_or_else(|| malformed_table(format!("{name} is not a frequency")))?;
        found.0[frequency_index(frequency)] = Some(read(value).map_err(|error| error.within_part(name))?);
    }
    Ok(found)
}

fn amounts_of<const COUNT: usize>(value: &Value) -> Result<[Amount; COUNT], TableError> {
    read_list(value, read_amount)?
        .try_into()
        .map_err(|_| malformed_table(format!("there must be {COUNT} figures")))
}

fn read_pair(value: &Value) -> Result<(Amount, Amount), TableError> {
    amounts_of::<2>(value).map(|[from, amount]| (from, amount))
}

/// Reads from, base, percent, and the start of the excess if it is not `from`.
fn read_row(value: &Value) -> Result<Row, TableError> {
    match read_list(value, read_amount)?[..] {
        [from, base, percent] => Ok(Row { from, base, percent, over: from }),
        [from, base, percent, over] => Ok(Row { from, base, percent, over }),
        _ => Err(malformed_table("a row must have three or four figures: from, base, percent, over")),
    }
}

fn read_rows(value: &Value) -> Result<Vec<Row>, TableError> {
    let rows = read_list(value, read_row)?;
    if rows.is_sorted_by(|row, next| row.from < next.from) {
        Ok(rows)
    } else {
        Err(malformed_table("the rows must ascend"))
    }
}

fn read_tier(value: &Value) -> Result<(Amount, Vec<Row>), TableError> {
    match value.as_array().map(Vec::as_slice) {
        Some([from, of_tier]) => Ok((read_amount(from)?, read_rows(of_tier)?)),
        _ => Err(malformed_table("a tier must be a wage and rows")),
    }
}
