//! The tax questions of the work and home states, one group per state. The employer's questions are not shown.

use rules::withholding::state::{ChoiceValue, Kind as AnswerKind, Must, NumberOf, Question};
use rules::{Category, Violation};
use serde_json::Value;
use store::Tx;

use super::form::{Choice, Control, Entry, Form, Kind, Problems};
use super::frame::Frame;
use super::number::number_text;
use super::plain;
use super::review::Fact;
use crate::flows::texts;
use crate::flows::texts::Texts;
use domain::Error;
use domain::language::fill_placeholders;
use domain::patch::Patch;
use domain::people::flows::session::Visitor;
use domain::withholding::taxes::commands::{AnsweredQuestion, AnsweredState, GivenAnswer, UpdateStateTaxes};
use domain::withholding::taxes::service;

pub fn render_state_taxes(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let t = frame.texts;
    let (controls, facts) = state_tax_controls(tx, visitor, frame, entered, &problems)?;
    let title = fill_placeholders(t.states_title, &[]);
    plain::render_form(frame, &title, "", controls, &problems, &facts)
}

/// The answers, for the review.
pub fn state_tax_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let (controls, nothing) = state_tax_controls(tx, visitor, frame, None, &Problems::default())?;
    let nothing = nothing.into_iter().map(|(state, text)| Fact::new(state, Some(text), frame.texts));
    Ok(Fact::from_controls(&controls, frame.texts).into_iter().chain(nothing).collect())
}

/// Controls, or a text for states without questions.
type Controls = (Vec<Control>, Vec<(&'static str, String)>);

fn state_tax_controls(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: &Problems,
) -> Result<Controls, Error> {
    let t = frame.texts;
    let states = service::state::get_state_taxes(tx, &visitor.caller, visitor.person)?;
    let mut controls = Vec::new();
    let mut facts = Vec::new();
    for state in &states {
        let code = &state.questions.state.code;
        let name = rules::check::STATES.iter().find(|(known, _)| known == code).map_or("", |(_, name)| name);
        let mut own = state.questions.questions().filter(|question| !question.admin_only).peekable();
        if own.peek().is_none() {
            facts.push((name, t.state_nothing.to_owned()));
            continue;
        }
        controls.push(Control { kind: Kind::Heading, ..Control::text_line(code, name, "off") });
        controls.extend(own.map(|question| {
            let stored = state.displayed_answer(question).as_ref().map(text_of);
            question_control(frame, code, (question, stored.as_deref()), entered, problems)
        }));
    }
    if states.is_empty() {
        facts.push((t.state, t.state_unknown.to_owned()));
    }
    Ok((controls, facts))
}

/// The control's name: two states may use the same key.
fn name_of(state: &str, key: &str) -> String {
    format!("{state}.{key}")
}

fn question_control(
    frame: &Frame,
    state: &str,
    (question, stored): (&Question, Option<&str>),
    entered: Option<&Form>,
    problems: &Problems,
) -> Control {
    let (t, language) = (frame.texts, frame.language);
    let name = name_of(state, &question.key);
    let label = texts::translate_question(language, &question.label);
    let mut control = match &question.kind {
        AnswerKind::Select(choices) => {
            let choices = choices.iter().map(|choice| Choice {
                value: text_of(&value_of(&choice.value)),
                label: texts::translate_question(language, &choice.label).to_owned(),
            });
            Control::select_field(&name, label, choices.collect())
        }
        AnswerKind::Text => {
            let keyboard = if matches!(question.must, Some(Must::BePsdCode)) { "numeric" } else { "text" };
            Control::text_line(&name, label, "off").with_keyboard(keyboard)
        }
        AnswerKind::Number(_) | AnswerKind::Currency | AnswerKind::Date => {
            Control::text_line(&name, label, "off").with_keyboard("decimal")
        }
    };
    control.help = question.help.as_deref().map(|help| texts::translate_question(language, help).to_owned());
    control.optional = question.optional;
    let wrong = wrong_answer_text(t, question);
    let mut control = control.with_watched_value(entered, stored, problems).with_problem(problems, &wrong);
    // A refusal of the rules contains only the key.
    if problems.has_field(&question.key) && control.problem.is_none() {
        control.problem = Some(wrong);
    }
    control
}

/// The required form of an answer.
fn wrong_answer_text(t: &Texts, question: &Question) -> String {
    let percent = |from: &str, to: &str| fill_placeholders(t.wrong_percent, &[("from", from), ("to", to)]);
    match (&question.kind, question.must) {
        (AnswerKind::Select(_), _) => t.wrong_choice.to_owned(),
        (_, Some(Must::Lie { from, to })) => percent(&from.to_text(0), &to.to_text(0)),
        (_, Some(Must::BePsdCode)) => fill_placeholders(t.wrong_digits, &[("count", "6")]),
        (_, Some(Must::NameDistrict)) => t.wrong_district.to_owned(),
        (AnswerKind::Number(NumberOf::Percent), None) => percent("0", "100"),
        (AnswerKind::Number(NumberOf::Things { max }), None) => {
            fill_placeholders(t.wrong_count, &[("most", &max.to_string())])
        }
        (AnswerKind::Currency, None) => t.wrong_money.to_owned(),
        (AnswerKind::Text | AnswerKind::Date, None) => t.wrong_other.to_owned(),
    }
}

fn value_of(choice: &ChoiceValue) -> Value {
    match choice {
        ChoiceValue::Text(text) => Value::from(text.as_str()),
        ChoiceValue::Bool(yes) => Value::from(*yes),
        ChoiceValue::Int(number) => Value::from(*number),
    }
}

/// The value of a control's entry: that of the choice, or the text.
fn entered_value(question: &Question, text: &str) -> Value {
    let chosen = match &question.kind {
        AnswerKind::Select(choices) => {
            choices.iter().map(|choice| value_of(&choice.value)).find(|value| text_of(value) == text)
        }
        AnswerKind::Number(_) | AnswerKind::Currency => Some(Value::from(number_text(text))),
        AnswerKind::Text | AnswerKind::Date => None,
    };
    chosen.unwrap_or_else(|| Value::from(text))
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub fn save_state_taxes(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<(), Error> {
    let states = service::state::get_state_taxes(tx, &visitor.caller, visitor.person)?;
    let mut missing = Vec::new();
    let mut answered = Vec::new();
    for state in &states {
        let mut questions = Vec::new();
        let code = &state.questions.state.code;
        for question in state.questions.questions().filter(|question| !question.admin_only) {
            let name = name_of(code, &question.key);
            let now = state.displayed_answer(question).as_ref().map(text_of);
            let Entry::Entered(text) = form.watched_entry(&name, now.as_deref().unwrap_or_default())? else {
                continue;
            };
            if text.is_empty() && question.optional && now.is_none() {
                continue;
            }
            if text.is_empty() {
                missing.push(Violation::new(
                    name,
                    Category::InvalidAttributeValue,
                    "the question is not answered",
                ));
                continue;
            }
            let value = Patch::Value(entered_value(question, text));
            let answer = GivenAnswer { value, ..GivenAnswer::default() };
            let key = Patch::Value(question.key.clone());
            questions.push(AnsweredQuestion { key, answers: Patch::Value(vec![answer]) });
        }
        if !questions.is_empty() {
            answered.push(AnsweredState {
                state: Patch::Value(code.clone()),
                questions: Patch::Value(questions),
            });
        }
    }
    let command = UpdateStateTaxes { states: Patch::Value(answered) };
    match service::state::update_state_taxes(tx, &visitor.caller, visitor.person, &command) {
        Ok(_) if missing.is_empty() => Ok(()),
        Ok(_) => Err(Error::Violations(missing)),
        Err(Error::Violations(violations)) => {
            Err(Error::Violations(missing.into_iter().chain(violations).collect()))
        }
        Err(error) => Err(error),
    }
}
