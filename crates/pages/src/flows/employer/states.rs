//! State tax setup: account numbers, rates, and deposit schedules. Rates are entered in percent, as on the states'
//! notices, and stored as fractions. A changed rate takes effect from a quarter that the employer selects: the payrolls
//! before it were calculated with the previous one.

use jiff::civil::{Date, date};
use rules::company::state::{Format, Requirement, RequirementSet, effective_from, normalize_answer};
use rules::{Amount, Rounding, Violation};
use serde_json::Value;
use store::Tx;

use super::super::dispatch::Saved;
use super::super::form::{Choice, Control, Entry, Form, Kind, Problems};
use super::super::frame::{Frame, Screen};
use super::super::number::{number_text, written_number};
use super::super::plain;
use super::super::plain::Shape;
use super::super::review::Fact;
use super::verify::notice_page;
use crate::flows::texts::translate_requirement;
use domain::Error;
use domain::company::taxes::commands::{RequirementInput, SetInput, UpdateTaxRequirements};
use domain::company::taxes::state as service;
use domain::company::taxes::state::AnsweredSet;
use domain::language::fill_placeholders;
use domain::patch::Patch;
use domain::people::flows::session::Visitor;

/// A state with the sets that are in force.
struct Asked {
    state: String,
    sets: Vec<AnsweredSet>,
    /// answers with a future effective date
    later: Vec<AnsweredSet>,
}

impl Asked {
    fn state_name(&self) -> &str {
        let known = rules::check::STATES.iter().find(|(code, _)| *code == self.state);
        known.map_or(self.state.as_str(), |(_, name)| name)
    }
}

fn state_questions(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<Vec<Asked>, Error> {
    let today = visitor.caller.today(tx);
    let mut all = Vec::new();
    for setup in service::list_state_setups(tx, &visitor.caller)? {
        let sets = service::state_requirements(tx, &visitor.caller, &setup.state, false)?.sets;
        let holds = |set: &AnsweredSet| set.effective_from.is_none_or(|day| day <= today);
        let (sets, later) = sets.into_iter().partition(holds);
        all.push(Asked { state: setup.state, sets, later });
    }
    Ok(all)
}

pub fn render_state_setup(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let e = frame.texts.employer;
    let asked = state_questions(tx, visitor)?;
    if asked.is_empty() {
        return notice_page(
            frame,
            e.states_title,
            e.states_none.to_owned(),
            Some((Screen::Places, e.to_places)),
        );
    }
    let controls = state_controls(frame, &asked, visitor.caller.today(tx), (entered, &problems));
    let shape = Shape { title: e.states_title, lead: e.states_text, version: "", show: "" };
    let later = future_answers(frame, &asked);
    let facts: Vec<_> = later.iter().map(|(label, value)| (label.as_str(), value.clone())).collect();
    plain::shaped_form(frame, shape, controls, &problems, &facts)
}

/// Answers with a future effective date.
fn future_answers(frame: &Frame, all: &[Asked]) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    for asked in all {
        for answered in &asked.later {
            let Some(day) = answered.effective_from else { continue };
            for (one, stored) in answered.set.requirements.iter().zip(&answered.answers) {
                let Some(stored) = stored else { continue };
                let label = format!("{}: {}", asked.state_name(), label_of(frame, &answered.set, one));
                let sign = if is_fraction(one.format) { "%" } else { "" };
                let answer = format!("{}{sign}", format_answer(one.format, stored));
                let words = [("answer", &*answer), ("day", &*frame.texts.format_day(day))];
                facts.push((label, fill_placeholders(frame.texts.employer.rates_later, &words)));
            }
        }
    }
    facts
}

/// The answers, for the review.
pub fn state_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let asked = state_questions(tx, visitor)?;
    let all = state_controls(frame, &asked, visitor.caller.today(tx), (None, &Problems::default()));
    let given = all.into_iter().filter(|control| !control.optional || !control.value.is_empty());
    Ok(Fact::from_controls(&given.collect::<Vec<_>>(), frame.texts))
}

/// The control's name: the same key occurs in several sets and states.
fn name_of(state: &str, set: &str, key: &str) -> String {
    format!("{state}.{set}.{key}")
}

/// The name of the control for the effective date of changed answers to a set.
fn effective_date_name(state: &str, set: &str) -> String {
    name_of(state, set, "effective_from")
}

fn state_controls(
    frame: &Frame,
    all: &[Asked],
    today: Date,
    (entered, problems): (Option<&Form>, &Problems),
) -> Vec<Control> {
    let mut controls = Vec::new();
    for asked in all {
        controls.push(Control {
            kind: Kind::Heading,
            ..Control::text_line(&asked.state, asked.state_name(), "off")
        });
        for answered in &asked.sets {
            for (one, stored) in answered.set.requirements.iter().zip(&answered.answers) {
                let name = name_of(&asked.state, answered.set.key, one.key);
                let label = label_of(frame, &answered.set, one);
                controls.push(
                    requirement_control(frame, &name, (label, one), stored.as_deref(), (entered, problems))
                        .with_problem(problems, wrong_answer_text(frame, one.format)),
                );
            }
            if let Some(held) = held_since(answered) {
                let name = effective_date_name(&asked.state, answered.set.key);
                controls.push(
                    Control { optional: true, ..since_control(frame, &name, answered, (held, today)) }
                        .with_value(entered, None)
                        .with_problem(problems, frame.texts.employer.wrong_rates_since),
                );
            }
        }
    }
    controls
}

/// The effective date of the current answers to a set.
fn held_since(answered: &AnsweredSet) -> Option<Date> {
    answered.effective_from.filter(|_| answered.answers.iter().any(Option::is_some))
}

/// The possible effective dates of a change: the current one, for a correction, and the following quarters up to next
/// January.
fn days_of_change(held: Date, today: Date) -> impl Iterator<Item = Date> {
    let quarters = (today.year() - 1..=today.year())
        .flat_map(|year| [1, 4, 7, 10].map(|month| date(year, month, 1)))
        .chain([date(today.year() + 1, 1, 1)]);
    let correction = effective_from("", held, today).ok();
    correction.into_iter().chain(quarters.filter(move |day| *day > held))
}

fn since_control(frame: &Frame, name: &str, answered: &AnsweredSet, (held, today): (Date, Date)) -> Control {
    let (t, e) = (frame.texts, frame.texts.employer);
    let set = translate_requirement(frame.language, answered.set.label);
    let choice = |day: Date| {
        let label = if day == held {
            fill_placeholders(e.rates_since_held, &[("day", &t.format_day(day))])
        } else {
            t.format_day(day)
        };
        Choice { value: day.to_string(), label }
    };
    let choices = days_of_change(held, today).map(choice).collect();
    Control::select_field(name, &fill_placeholders(e.rates_since, &[("set", set)]), choices)
        .with_help(&fill_placeholders(e.rates_since_help, &[("day", &t.format_day(held))]))
}

/// For a program, or one of several sets, the label alone is ambiguous.
fn label_of(frame: &Frame, set: &RequirementSet, one: &Requirement) -> String {
    let words = |english| translate_requirement(frame.language, english);
    match one.optional {
        true => format!("{}: {}", words(set.label), words(one.label)),
        false => words(one.label).to_owned(),
    }
}

fn wrong_answer_text(frame: &Frame, format: Format) -> &'static str {
    let (t, e) = (frame.texts, frame.texts.employer);
    match format {
        Format::AccountNumber => e.wrong_state_number,
        Format::TaxRate => e.wrong_rate,
        Format::Select(_) => t.wrong_choice,
        Format::Percent | Format::Count | Format::Currency | Format::PerHour => t.wrong_number,
    }
}

fn requirement_control(
    frame: &Frame,
    name: &str,
    (label, asked): (String, &Requirement),
    stored: Option<&str>,
    (entered, problems): (Option<&Form>, &Problems),
) -> Control {
    let (e, language) = (frame.texts.employer, frame.language);
    let words = |english| translate_requirement(language, english);
    let label = if asked.format == Format::Percent { format!("{label} (%)") } else { label };
    let stored = stored.map(|text| format_answer(asked.format, text));
    let help = match asked.format {
        Format::TaxRate => e.rate_help,
        _ => words(asked.description),
    };
    let mut control = match asked.format {
        Format::Select(choices) => {
            let choice =
                |value: &&'static str| Choice { value: (*value).to_owned(), label: words(*value).to_owned() };
            Control::select_field(name, &label, choices.iter().map(choice).collect())
        }
        Format::AccountNumber => Control::text_line(name, &label, "off"),
        Format::TaxRate | Format::Percent | Format::Count | Format::Currency | Format::PerHour => {
            Control::text_line(name, &label, "off").with_keyboard("decimal")
        }
    };
    control.optional = asked.optional;
    control.with_help(help).with_watched_value(entered, stored.as_deref(), problems)
}

/// A stored answer as the page shows it.
fn format_answer(format: Format, stored: &str) -> String {
    if is_fraction(format) { in_percent(stored) } else { stored.to_owned() }
}

fn is_fraction(format: Format) -> bool {
    format.highest_fraction().is_some()
}

/// A fraction as a percentage, for display.
fn in_percent(text: &str) -> String {
    let percent = Amount::parse(text).ok().and_then(|rate| rate.mul_ratio(100, 1, Rounding::Down));
    percent.map_or_else(|| text.to_owned(), |percent| percent.to_text(0))
}

/// A percentage as a fraction; an invalid number, or one with too many places, is passed on unchanged, and refused by
/// validation.
fn as_fraction(text: &str) -> String {
    let exact = written_number(text).and_then(|percent| {
        let rate = percent.mul_ratio(1, 100, Rounding::Down)?;
        (rate.mul_ratio(100, 1, Rounding::Down)? == percent).then_some(rate)
    });
    exact.map_or_else(|| "?".to_owned(), |rate| rate.to_text(1))
}

/// The answers to send for a set, with the name of each requirement's control.
type Sent = (SetInput, Vec<String>);

/// The form's answers to a set; missing required answers are added to `wrong`. Untouched answers that were changed
/// elsewhere are omitted.
fn submitted_answers(
    state: &str,
    (answered, today): (&AnsweredSet, Date),
    form: &Form,
    wrong: &mut Vec<Violation>,
) -> Result<Sent, Error> {
    let key = answered.set.key;
    let (mut requirements, mut names, mut changed) = (Vec::new(), Vec::new(), false);
    for (one, stored) in answered.set.requirements.iter().zip(&answered.answers) {
        let name = name_of(state, key, one.key);
        let now = stored.as_ref().map(|stored| format_answer(one.format, stored)).unwrap_or_default();
        let entered = form.watched_entry(&name, &now)?;
        let text = if let Entry::Entered(text) = entered { text } else { &now };
        let value = match (text.is_empty(), one.optional, stored) {
            (true, true, None) => continue,
            (true, true, Some(_)) => Patch::Null,
            (true, false, _) if entered == Entry::Untouched => continue,
            (true, false, _) => {
                wrong.push(Violation::invalid(name, "the question is not answered"));
                continue;
            }
            (false, ..) => Patch::Value(Value::from(match one.format {
                Format::TaxRate | Format::Percent => as_fraction(text),
                Format::Count | Format::Currency | Format::PerHour => number_text(text),
                Format::AccountNumber | Format::Select(_) => text.to_owned(),
            })),
        };
        changed |= !is_held(one, stored.as_deref(), &value);
        requirements.push(RequirementInput { key: Patch::Value(one.key.to_owned()), value });
        names.push(name);
    }
    if !changed {
        (requirements, names) = (Vec::new(), Vec::new());
    }
    let day = match held_since(answered).filter(|_| changed) {
        Some(held) => {
            let (name, sent) = (effective_date_name(state, key), requirements.iter().zip(&names));
            Patch::Value(named_day(&name, (held, today), form, sent, wrong)).date()
        }
        None => answered.effective_from.map_or(Patch::Absent, Patch::Value),
    };
    let set = SetInput {
        key: Patch::Value(key.to_owned()),
        state: Patch::Value(state.to_owned()),
        effective_from: day,
        requirements: Patch::Value(requirements),
    };
    Ok((set, names))
}

/// Whether an answer equals the stored one, however it is written.
fn is_held(one: &Requirement, stored: Option<&str>, sent: &Patch<Value>) -> bool {
    let normal = |text: &str| normalize_answer(one, "", text).ok();
    match (stored.and_then(normal), sent) {
        (Some(held), Patch::Value(Value::String(text))) => normal(text) == Some(held),
        _ => false,
    }
}

/// The selected effective date, if answers of an answered set were changed.
fn named_day<'s>(
    name: &str,
    (held, today): (Date, Date),
    form: &Form,
    sent: impl Iterator<Item = (&'s RequirementInput, &'s String)>,
    wrong: &mut Vec<Violation>,
) -> String {
    let day = form.get(name).unwrap_or_default();
    if !days_of_change(held, today).any(|possible| possible.to_string() == day) {
        wrong.push(Violation::invalid(name, "since when the change holds is not said"));
    }
    // A rate ends by a rate of zero from that day; removing it would change the past.
    if day != held.to_string() {
        let ended = sent.filter(|(one, _)| one.value == Patch::Null);
        wrong.extend(ended.map(|(_, name)| Violation::invalid(name.clone(), "no answer from that day on")));
    }
    day.to_owned()
}

/// The index in a part of a nested violation: `requirements[2]` is 2.
fn nested_index(key: &str) -> Option<usize> {
    key.split_once('[')?.1.trim_end_matches(']').parse().ok()
}

/// The refusals, each under the name of its control.
fn under_controls(violations: Vec<Violation>, names: &[Vec<String>]) -> Vec<Violation> {
    let mut named = Vec::new();
    for violation in violations {
        let of_set = nested_index(&violation.key).and_then(|at| names.get(at));
        for inner in &violation.errors {
            let name = of_set.and_then(|names| names.get(nested_index(&inner.key)?));
            named.push(match name {
                Some(name) => Violation::invalid(name.clone(), "the answer is refused"),
                None => inner.clone(),
            });
        }
        if violation.errors.is_empty() {
            named.push(violation);
        }
    }
    named
}

pub fn save_state_answers(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let (today, mut wrong) = (visitor.caller.today(tx), Vec::new());
    for Asked { state, sets, .. } in state_questions(tx, visitor)? {
        let all = sets.iter().map(|set| submitted_answers(&state, (set, today), form, &mut wrong));
        let all = all.collect::<Result<Vec<Sent>, Error>>()?;
        let (sets, names): (Vec<_>, Vec<_>) = all.into_iter().filter(|(_, names)| !names.is_empty()).unzip();
        let input = UpdateTaxRequirements { requirement_sets: Patch::Value(sets) };
        match service::update_requirements(tx, &visitor.caller, &state, &input) {
            Ok(()) => {}
            Err(Error::Violations(violations)) => wrong.extend(under_controls(violations, &names)),
            Err(error) => return Err(error),
        }
    }
    if wrong.is_empty() { Ok(Saved::Done) } else { Err(Error::Violations(wrong)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_entered_in_percent_and_kept_as_a_fraction() {
        for (percent, fraction) in [("2.7", "0.027"), ("2.7%", "0.027"), ("0", "0.0"), (" 10 ", "0.1")] {
            assert_eq!(as_fraction(percent), fraction);
        }
        for wrong in ["", "two", "2.70001", "2,7"] {
            assert_eq!(as_fraction(wrong), "?", "{wrong}");
        }
        assert_eq!(in_percent("0.027"), "2.7");
        assert_eq!(in_percent("0.0"), "0");
    }

    #[test]
    fn what_is_refused_stands_under_the_control_that_sent_it() {
        let deep = Violation::nested("requirements[1]", vec![Violation::invalid("value", "x")]);
        let names = [vec!["TX.a.b".to_owned()], vec!["TX.c.d".to_owned(), "TX.c.e".to_owned()]];
        let found = under_controls(vec![Violation::nested("requirement_sets[1]", vec![deep])], &names);
        assert_eq!(found.iter().map(|one| &*one.key).collect::<Vec<_>>(), ["TX.c.e"]);
    }
}
