//! The pay schedule, with the first pay periods that follow from the entries.

use rules::Named;
use rules::payroll::schedule::FREQUENCIES;
use rules::withholding::federal::PayFrequency;
use store::Tx;

use super::super::dispatch::Saved;
use super::super::form::{Choice, Control, Form, Problems};
use super::super::frame::Frame;
use super::super::plain;
use super::super::plain::Shape;
use super::super::review::Fact;
use crate::flows::texts::Texts;
use crate::month::{Mark, months};
use domain::Error;
use domain::language::fill_placeholders;
use domain::patch::Patch;
use domain::pay::pay_schedules::commands::{CreatePaySchedule, PreviewPaySchedule, UpdatePaySchedule};
use domain::pay::pay_schedules::rows;
use domain::pay::pay_schedules::rows::Schedule;
use domain::pay::pay_schedules::service;
use domain::people::flows::session::Visitor;
use domain::records::version_text;

/// Number of pay periods that the page shows.
const SHOWN: usize = 3;
/// Months of the calendar, which a yearly schedule would make too long.
const MOST_MONTHS: usize = 3;

pub fn render_schedule(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let (t, e) = (frame.texts, frame.texts.employer);
    let held = rows::default_of(tx, visitor.caller.company)?;
    let controls = schedule_controls(t, held.as_ref(), entered, &problems);
    let version =
        held.as_ref().map(|one| version_text(service::TABLE, one.id, one.version)).unwrap_or_default();
    let (mut facts, mut marks) = (Vec::new(), Vec::new());
    if let Some(input) = preview_terms(held.as_ref(), entered)
        && let Ok(preview) = service::preview_pay_periods(tx, &visitor.caller, &input)
    {
        for period in preview.periods.iter().take(SHOWN) {
            marks.extend([
                (period.check_date, Mark::Payday),
                (service::run_payroll_by(period), Mark::Deadline),
            ]);
            let days = [
                t.format_day(period.start),
                t.format_day(period.end),
                t.format_day(service::run_payroll_by(period)),
            ];
            let values = [("from", days[0].as_str()), ("until", &days[1]), ("by", &days[2])];
            facts.push((
                fill_placeholders(e.period_paid, &[("day", &t.format_day(period.check_date))]),
                fill_placeholders(e.period_of, &values),
            ));
        }
    }
    let facts: Vec<_> = facts.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    let shape =
        Shape { title: e.schedule_title, lead: e.schedule_text, version: &version, show: e.schedule_show };
    let calendar = months(frame.language, e.paydays_label, &marks, MOST_MONTHS);
    plain::calendar_form(frame, shape, controls, &problems, (&facts, &calendar))
}

/// The terms whose pay periods are shown: the entered ones, or the stored ones.
fn preview_terms(held: Option<&Schedule>, entered: Option<&Form>) -> Option<PreviewPaySchedule> {
    if let Some(form) = entered {
        return Some(PreviewPaySchedule {
            frequency: form.required_text("frequency"),
            anchor_pay_date: form.date_entry("anchor_pay_date"),
            anchor_end_of_pay_period: form.date_entry("anchor_end_of_pay_period"),
            day_1: day_of_month(form, "day_1"),
            day_2: day_of_month(form, "day_2"),
            ..PreviewPaySchedule::default()
        });
    }
    let held = held?;
    let day = |day: Option<i8>| day.map_or(Patch::Absent, |day| Patch::Value(i64::from(day)));
    Some(PreviewPaySchedule {
        frequency: Patch::Value(held.frequency.as_str().to_owned()),
        anchor_pay_date: Patch::Value(held.anchor_pay_date),
        anchor_end_of_pay_period: Patch::Value(held.anchor_end_of_pay_period),
        day_1: day(held.day_1),
        day_2: day(held.day_2),
        ..PreviewPaySchedule::default()
    })
}

/// The current schedule, for the review.
pub fn schedule_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let held = rows::default_of(tx, visitor.caller.company)?;
    let controls = schedule_controls(frame.texts, held.as_ref(), None, &Problems::default());
    let given = controls.into_iter().filter(|control| !control.optional || !control.value.is_empty());
    Ok(Fact::from_controls(&given.collect::<Vec<_>>(), frame.texts))
}

pub fn frequency_name(t: &Texts, frequency: PayFrequency) -> &'static str {
    let e = t.employer;
    match frequency {
        PayFrequency::EveryWeek => e.every_week,
        PayFrequency::EveryOtherWeek => e.every_other_week,
        PayFrequency::TwicePerMonth => e.twice_per_month,
        PayFrequency::Monthly => e.monthly,
        PayFrequency::Quarterly => e.quarterly,
        _ => e.annually,
    }
}

fn schedule_controls(
    t: &'static Texts,
    held: Option<&Schedule>,
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let e = t.employer;
    let frequencies = FREQUENCIES
        .iter()
        .map(|one| Choice { value: one.as_str().to_owned(), label: frequency_name(t, *one).to_owned() })
        .collect();
    let date = |name: &str, label: &str, stored: Option<String>, help: &str, wrong: &str| {
        Control::date_field(name, label)
            .with_help(help)
            .with_value(entered, stored.as_deref())
            .with_problem(problems, wrong)
    };
    let day = |name: &str, label: &str, stored: Option<i8>, help: &str| {
        let stored = stored.map(|day| day.to_string());
        let control =
            Control::text_line(name, label, "off").with_keyboard("numeric").with_help(help).made_optional();
        control.with_value(entered, stored.as_deref()).with_problem(problems, e.wrong_day)
    };
    vec![
        Control::select_field("frequency", e.frequency, frequencies)
            .with_value(entered, held.map(|one| one.frequency.as_str()))
            .with_problem(problems, t.wrong_choice),
        date(
            "anchor_pay_date",
            e.first_payday,
            held.map(|one| one.anchor_pay_date.to_string()),
            e.first_payday_help,
            e.wrong_payday,
        ),
        date(
            "anchor_end_of_pay_period",
            e.period_end,
            held.map(|one| one.anchor_end_of_pay_period.to_string()),
            e.period_end_help,
            e.wrong_period_end,
        ),
        day("day_1", e.day_1, held.and_then(|one| one.day_1), e.day_1_help),
        day("day_2", e.day_2, held.and_then(|one| one.day_2), e.day_2_help),
    ]
}

/// An optional day of the month; an invalid number is refused by validation.
fn day_of_month(form: &Form, name: &str) -> Patch<i64> {
    match form.get(name).unwrap_or_default().trim() {
        "" => Patch::Null,
        text => Patch::Value(text.parse().unwrap_or(i64::MAX)),
    }
}

pub fn save_schedule(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let held = rows::default_of(tx, visitor.caller.company)?;
    let (frequency, pay_date) = (form.required_text("frequency"), form.date_entry("anchor_pay_date"));
    let (end, day_1, day_2) = (
        form.date_entry("anchor_end_of_pay_period"),
        day_of_month(form, "day_1"),
        day_of_month(form, "day_2"),
    );
    match held {
        Some(held) => {
            let input = UpdatePaySchedule {
                version: form.required_text("version"),
                frequency,
                anchor_pay_date: pay_date,
                anchor_end_of_pay_period: end,
                day_1,
                day_2,
                ..UpdatePaySchedule::default()
            };
            service::update_schedule(tx, &visitor.caller, held.id, &input)?;
        }
        None => {
            let input = CreatePaySchedule {
                frequency,
                anchor_pay_date: pay_date,
                anchor_end_of_pay_period: end,
                day_1,
                day_2,
                ..CreatePaySchedule::default()
            };
            service::create_schedule(tx, &visitor.caller, &input)?;
        }
    }
    Ok(Saved::Done)
}
