//! What the states of work and home ask: one group of questions a state. Questions that are the employer's are not
//! shown.

use rules::{Category, Violation};
use serde_json::Value;
use store::Tx;

use super::form::{Choice, Control, Form, Kind, Problems};
use super::frame::Frame;
use super::plain;
use super::review::Fact;
use crate::flows::texts;
use domain::Error;
use domain::field::Field;
use domain::language::fill;
use domain::people::flows::session::Visitor;
use domain::withholding::taxes::service;
use domain::withholding::taxes::shapes::{
    AnswerValue, AnsweredQuestion, AnsweredState, GivenAnswer, StateQuestion, UpdateStateTaxes,
};

pub fn view(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let t = frame.texts;
    let (controls, facts) = controls(tx, visitor, frame, entered, &problems)?;
    let title = fill(t.states_title, &[]);
    plain::form(frame, &title, "", controls, &problems, &facts)
}

/// What was answered, for the review.
pub fn facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let (controls, nothing) = controls(tx, visitor, frame, None, &Problems::default())?;
    let nothing = nothing.into_iter().map(|(state, text)| Fact::new(state, Some(text), frame.texts));
    Ok(Fact::of(&controls, frame.texts).into_iter().chain(nothing).collect())
}

/// Controls, and states with what there is to say instead.
type Asked = (Vec<Control>, Vec<(&'static str, String)>);

fn controls(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: &Problems,
) -> Result<Asked, Error> {
    let t = frame.texts;
    let states = service::state::get(tx, &visitor.caller, visitor.employee)?;
    let mut controls = Vec::new();
    let mut facts = Vec::new();
    for state in &states {
        let name =
            rules::check::STATES.iter().find(|(code, _)| *code == state.state).map_or("", |(_, name)| name);
        let mut own =
            state.questions.iter().filter(|question| !question.is_question_for_admin_only).peekable();
        if own.peek().is_none() {
            facts.push((name, t.state_nothing.to_owned()));
            continue;
        }
        controls.push(Control { kind: Kind::Heading, ..Control::line(&state.state, name, "off") });
        controls.extend(own.map(|question| control(frame, &state.state, question, entered, problems)));
    }
    if states.is_empty() {
        facts.push((t.state, t.state_unknown.to_owned()));
    }
    Ok((controls, facts))
}

/// The control's name: a key may be asked by two states.
fn name_of(state: &str, key: &str) -> String {
    format!("{state}.{key}")
}

fn control(
    frame: &Frame,
    state: &str,
    question: &StateQuestion,
    entered: Option<&Form>,
    problems: &Problems,
) -> Control {
    let (t, language) = (frame.texts, frame.language);
    let name = name_of(state, &question.key);
    let label = texts::question(language, &question.label);
    let stored = question.answers.first().map(|answer| text_of(&answer.value));
    let format = &question.input_question_format;
    let mut control = match &format.options {
        Some(options) => {
            let choice = |option: &domain::withholding::taxes::shapes::QuestionOption| Choice {
                value: text_of(&option.value),
                label: texts::question(language, &option.label).to_owned(),
            };
            Control::select(&name, label, options.iter().map(choice).collect())
        }
        None if format.kind == "Text" => Control::line(&name, label, "off"),
        None => Control::line(&name, label, "off").keyboard("decimal"),
    };
    control.help = question.description.as_deref().map(|help| texts::question(language, help).to_owned());
    let control = control.holding(entered, stored.as_deref());
    let wrong = if format.options.is_some() { t.wrong_choice } else { t.wrong_number };
    let mut control = control.judged(problems, wrong);
    // A refusal of the rules names the key alone.
    if problems.has(&question.key) && control.problem.is_none() {
        control.problem = Some(wrong.to_owned());
    }
    control
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub fn save(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<(), Error> {
    let states = service::state::get(tx, &visitor.caller, visitor.employee)?;
    let mut missing = Vec::new();
    let mut answered = Vec::new();
    for state in &states {
        let mut questions = Vec::new();
        for question in state.questions.iter().filter(|question| !question.is_question_for_admin_only) {
            let name = name_of(&state.state, &question.key);
            let text = form.get(&name).map(str::trim).unwrap_or_default();
            if text.is_empty() {
                missing.push(Violation::new(
                    name,
                    Category::InvalidAttributeValue,
                    "the question is not answered",
                ));
                continue;
            }
            let value =
                question.input_question_format.options.iter().flatten().find(|o| text_of(&o.value) == text);
            let value = value.map_or_else(|| Value::from(text), |option| option.value.clone());
            let answer = GivenAnswer { value: Field::Given(AnswerValue(value)), ..GivenAnswer::default() };
            let key = Field::Given(question.key.clone());
            questions.push(AnsweredQuestion { key, answers: Field::Given(vec![answer]) });
        }
        if !questions.is_empty() {
            answered.push(AnsweredState {
                state: Field::Given(state.state.clone()),
                questions: Field::Given(questions),
            });
        }
    }
    let input = UpdateStateTaxes { states: Field::Given(answered) };
    match service::state::update(tx, &visitor.caller, visitor.employee, &input) {
        Ok(_) if missing.is_empty() => Ok(()),
        Ok(_) => Err(Error::Violations(missing)),
        Err(Error::Violations(violations)) => {
            Err(Error::Violations(missing.into_iter().chain(violations).collect()))
        }
        Err(error) => Err(error),
    }
}
