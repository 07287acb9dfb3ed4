//! The company's employees: they are added with their job and invited to enter the rest themselves; at the end the
//! employer answers the remaining questions, and finishes their onboarding.

use rules::onboarding::Status;
use rules::payroll::garnishment::WageBasis;
use rules::withholding::state::{ChoiceValue, Kind as AnswerKind};
use rules::{Amount, Named, Violation, check};
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::super::dispatch::Saved;
use super::super::form::{Choice, Control, Form, IS_THERE, Problems};
use super::super::frame::{Frame, Screen};
use super::super::number::written_number;
use super::super::pager::{Part, rows_and_total};
use super::super::review::Fact;
use super::records::{self, Open, Record, Words};
use super::verify::notice_page;
use super::with_own;
use crate::flows::texts::{self, EmployerTexts, Texts};
use crate::money::dollars_of;
use domain::Error;
use domain::company::locations;
use domain::company::locations::rows::Location;
use domain::language::fill_placeholders;
use domain::paging::Page;
use domain::patch::Patch;
use domain::pay::compensations;
use domain::pay::compensations::commands::{CreateJob, UpdateCompensation};
use domain::pay::minimum_wages::service as minimum_wages;
use domain::pay::minimum_wages::table::Place;
use domain::people::addresses;
use domain::people::addresses::commands::CreateWorkAddress;
use domain::people::employees::Employee;
use domain::people::employees::service as employees;
use domain::people::flows::session::Visitor;
use domain::people::onboarding;
use domain::people::onboarding::commands::UpdateOnboardingStatus;
use domain::people::profiles;
use domain::people::profiles::Profile;
use domain::people::profiles::commands::{CreateEmployee, Include};
use domain::people::profiles::rows::EmployeeFilter;
use domain::records::{id_of, version_text};
use domain::withholding::taxes::commands::{AnsweredQuestion, AnsweredState, GivenAnswer, UpdateStateTaxes};
use domain::withholding::taxes::service as taxes;

/// How an employee is paid: payment unit and status under the Fair Labor Standards Act.
const TERMS: [(&str, &str); 3] = [("Hour", "Nonexempt"), ("Year", "Exempt"), ("Year", "Salaried Nonexempt")];
/// Maximum of employees with the same name that are compared.
const SAME_NAME: i64 = 25;
/// The box that confirms a rate below the minimum wage.
const LOW: &str = "may_be_low";
/// The metadata key of a violation that contains the minimum wage.
const MINIMUM_WAGE: &str = "minimum_wage";

pub fn render_employees(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let (t, e) = (frame.texts, frame.texts.employer);
    let places = active_locations(tx, visitor)?;
    if places.is_empty() {
        let to_places = Some((Screen::Places, e.to_places));
        return notice_page(frame, e.employees_title, e.employees_no_place.to_owned(), to_places);
    }
    let filter = EmployeeFilter::default();
    let listed = Part::read_page(frame.pages.page, |page| {
        Ok(rows_and_total(profiles::service::list_employees(
            tx,
            &visitor.caller,
            &filter,
            Include::default(),
            page,
        )?))
    })?;
    let (action, which) = records::current_action(entered);
    let shown = listed.map_rows(|one| employee_record(t, one));
    let open = match action {
        "finish" | "finished" => completion_form(tx, visitor, frame, (entered, which), &problems)?,
        "add" | "save" => {
            Some(new_employee_form(t, &places, entered.filter(|_| action == "save"), &problems))
        }
        _ if shown.rows.is_empty() => Some(new_employee_form(t, &places, None, &problems)),
        _ => None,
    };
    let words = Words { title: e.employees_title, lead: e.employees_text, add: e.employee_add };
    let said = match action {
        "invite" => Some(missing_data_text(e, &problems)),
        "finished" => Some(e.employee_open.to_owned()),
        _ => None,
    };
    records::records_page(frame, words, shown, open, &problems, said.as_deref())
}

/// The data missing for an invitation.
fn missing_data_text(e: &EmployerTexts, problems: &Problems) -> String {
    let needed = [
        ("email", e.lacks_email),
        ("start_date", e.lacks_start),
        ("work_address", e.lacks_place),
        ("compensation", e.lacks_pay),
    ];
    let lacks: Vec<_> =
        needed.into_iter().filter(|(key, _)| problems.has_field(key)).map(|(_, what)| what).collect();
    if lacks.is_empty() {
        e.employee_open.to_owned()
    } else {
        fill_placeholders(e.employee_lacks, &[("what", &lacks.join(", "))])
    }
}

fn active_locations(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<Vec<Location>, Error> {
    locations::rows::active_locations(tx, visitor.caller.company)
}

fn employee_record(t: &Texts, profile: &Profile) -> Record {
    let (e, one) = (t.employer, &profile.employee);
    let (mark, good, button) = match one.status {
        _ if profile.employment.has_left(profile.today) => (e.employee_left, false, None),
        Status::OnboardingCompleted => (e.employee_ready, true, None),
        Status::SelfOnboardingCompletedByEmployee | Status::SelfOnboardingAwaitingAdminReview => {
            (e.employee_to_finish, false, Some(("finish", e.employee_finish)))
        }
        Status::SelfOnboardingPendingInvite => {
            (e.employee_pending, false, Some(("invite", e.employee_invite)))
        }
        Status::SelfOnboardingInvited
        | Status::SelfOnboardingInvitedStarted
        | Status::SelfOnboardingInvitedOverdue => (e.employee_invited, false, None),
        // An employee being entered completely can be left to self-onboarding.
        Status::AdminOnboardingIncomplete => {
            (e.employee_incomplete, false, Some(("invite", e.employee_invite)))
        }
    };
    Record {
        title: format!("{} {}", one.preferred_first_name.as_ref().unwrap_or(&one.first_name), one.last_name),
        detail: one.email.clone().unwrap_or_default(),
        mark: Some(mark),
        good,
        buttons: button.into_iter().map(|(action, label)| (format!("{action}:{}", one.id), label)).collect(),
    }
}

/// The number of current employees, and of those who can be paid, for the review.
pub fn employee_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let e = frame.texts.employer;
    let mut count = |filter: EmployeeFilter| -> Result<i64, Error> {
        let page = Page::Part { page: 1, per: 1 };
        let listed =
            profiles::service::list_employees(tx, &visitor.caller, &filter, Include::default(), page)?;
        Ok(listed.paging.map_or(0, |(.., total)| total))
    };
    let all = count(EmployeeFilter { left: Some(false), ..EmployeeFilter::default() })?;
    let ready = count(EmployeeFilter { active: Some(true), ..EmployeeFilter::default() })?;
    Ok(vec![
        Fact::new(e.employees, Some(all.to_string()), frame.texts),
        Fact::new(e.employees_ready, Some(ready.to_string()), frame.texts),
    ])
}

fn new_employee_form(t: &Texts, places: &[Location], entered: Option<&Form>, problems: &Problems) -> Open {
    let e = t.employer;
    let choice = |value: String, label: String| Choice { value, label };
    let places = places
        .iter()
        .map(|place| {
            choice(place.id.to_string(), format!("{}, {}, {}", place.street_1, place.city, place.state))
        })
        .collect();
    let terms = TERMS.iter().zip(e.pay_terms);
    let terms =
        terms.map(|((unit, flsa), label)| choice(format!("{unit}/{flsa}"), label.to_owned())).collect();
    let line = |name: &str, label: &str, wrong: &str| {
        Control::text_line(name, label, "off").with_value(entered, None).with_problem(problems, wrong)
    };
    let select = |name: &str, label: &str, choices: Vec<Choice>| {
        Control::select_field(name, label, choices)
            .with_value(entered, None)
            .with_problem(problems, t.wrong_choice)
    };
    let least = problems.field_metadata("rate", MINIMUM_WAGE);
    let low = least.map(|wage| fill_placeholders(e.rate_too_low, &[("wage", &dollars_of(wage))]));
    let mut controls = vec![
        line("first_name", t.first_name, e.wrong_first_name).with_part_problem(
            problems,
            IS_THERE,
            e.employee_is_there,
        ),
        line("last_name", t.last_name, e.wrong_last_name),
        line("email", t.email, t.wrong_email).with_keyboard("email").with_help(e.employee_email_help),
        select("location", e.employee_place, places),
        line("title", e.job, e.wrong_job),
        Control::date_field("hire_date", e.hire_date)
            .with_help(e.hire_date_help)
            .with_value(entered, None)
            .with_problem(problems, e.wrong_hire_date),
        select("terms", e.pay_kind, terms),
        line("rate", e.rate, low.as_deref().unwrap_or(e.wrong_pay_rate))
            .with_keyboard("decimal")
            .with_help(e.pay_rate_help),
    ];
    let may_be_low = entered.is_some_and(|form| form.is_ticked(LOW));
    if low.is_some() || may_be_low {
        controls.push(Control::checkbox_field(LOW, e.rate_may_be_low, may_be_low));
    }
    Open {
        title: e.employee_new.to_owned(),
        lead: e.employee_new_text,
        version: String::new(),
        record: String::new(),
        action: "save",
        label: e.employee_save,
        controls,
    }
}

/// The questions for the employer about an employee who has finished their own part.
fn completion_form(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    (entered, which): (Option<&Form>, &str),
    problems: &Problems,
) -> Result<Option<Open>, Error> {
    let (t, e) = (frame.texts, frame.texts.employer);
    let record = entered.and_then(|form| form.get("record")).filter(|id| !id.is_empty()).unwrap_or(which);
    let Some(one) = Employee::find(tx, visitor.caller.company, id_of(record))? else { return Ok(None) };
    let mut controls = Vec::new();
    for state in taxes::state::get_state_taxes(tx, &visitor.caller, one.id)? {
        let code = &state.questions.state.code;
        for question in state.questions.questions().filter(|question| question.admin_only) {
            let AnswerKind::Select(choices) = &question.kind else { continue };
            let choices = choices.iter().map(|choice| Choice {
                value: text_of(&choice.value),
                label: texts::translate_requirement(frame.language, &choice.label).to_owned(),
            });
            let name = format!("{code}.{}", question.key);
            let asked = &state.questions.state;
            let known = check::STATES.iter().find(|(known, _)| known == code);
            let days = asked.new_hire_days.to_string();
            let named = [("state", known.map_or(code.as_str(), |(_, name)| name)), ("days", &days)];
            let label = fill_placeholders(e.new_hire, &named);
            let stored = state
                .displayed_answer(question)
                .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            let control = Control::select_field(&name, &label, choices.collect()).with_help(e.new_hire_help);
            controls.push(control.with_value(None, stored.as_deref()).with_problem(problems, t.wrong_choice));
        }
    }
    let name = format!("{} {}", one.first_name, one.last_name);
    Ok(Some(Open {
        title: fill_placeholders(e.employee_finish_title, &[("name", &name)]),
        lead: e.employee_finish_text,
        version: version_text(employees::TABLE, one.id, one.version),
        record: one.id.to_string(),
        action: "finished",
        label: e.employee_finish,
        controls,
    }))
}

fn text_of(choice: &ChoiceValue) -> String {
    match choice {
        ChoiceValue::Text(text) => text.clone(),
        ChoiceValue::Bool(yes) => yes.to_string(),
        ChoiceValue::Int(number) => number.to_string(),
    }
}

pub fn save_employees(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let (action, which) = records::current_action(Some(form));
    match action {
        "add" | "finish" => Ok(Saved::Ask),
        "save" => add_employee(tx, visitor, form).map(|()| Saved::Stay),
        "invite" => move_to(tx, visitor, id_of(which), Status::SelfOnboardingInvited).map(|()| Saved::Stay),
        "finished" => finish_onboarding(tx, visitor, form).map(|()| Saved::Stay),
        _ => Ok(Saved::Done),
    }
}

/// The refusals of use cases, each under the corresponding control.
fn under_controls(error: Error) -> Error {
    let Error::Violations(violations) = error else { return error };
    let named = violations.into_iter().map(|one| {
        let key = match &*one.key {
            "location_uuid" | "work_address" => "location",
            "effective_date" | "start_date" => "hire_date",
            "flsa_status" | "payment_unit" => "terms",
            "compensation" => "rate",
            _ => return one,
        };
        Violation { key: key.into(), ..one }
    });
    Error::Violations(named.collect())
}

fn pay_rate(form: &Form) -> Option<Amount> {
    written_number(form.get("rate").unwrap_or_default())
}

/// Problems that only the page can detect, so that they are shown together with the first use case's.
fn own_violations(form: &Form) -> Vec<Violation> {
    let mut wrong = Vec::new();
    let blank = |name: &str| form.get(name).unwrap_or_default().trim().is_empty();
    for name in ["location", "terms", "title", "email"] {
        if blank(name) {
            wrong.push(Violation::invalid(name, format!("{name} can't be blank")));
        }
    }
    if form.date_entry("hire_date").value().is_none() {
        wrong.push(Violation::invalid("hire_date", "hire_date must be a day"));
    }
    // Nobody can be invited without pay.
    if pay_rate(form).is_none_or(|rate| rate <= Amount::ZERO) {
        wrong.push(Violation::invalid("rate", "rate must be an amount above 0"));
    }
    wrong
}

/// An hourly rate below the location's minimum wage, unless the employer confirmed it: tips make up the difference, or
/// an exception applies.
fn too_low(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Option<Violation>, Error> {
    let place = form.get("location").and_then(|id| id.parse().ok());
    let begins = form.date_entry("hire_date").value().copied();
    let by_hour = form.get("terms").is_some_and(|terms| terms.starts_with("Hour/"));
    let (Some(rate), Some(place), Some(begins), true) = (pay_rate(form), place, begins, by_hour) else {
        return Ok(None);
    };
    let Some(place) = Location::find(tx, visitor.caller.company, place)? else { return Ok(None) };
    let place = Place::from_address(&place.state, &place.city, &place.zip);
    let least = minimum_wages::table(tx)?.of_everybody(Some(&place), begins).wage_for_basis(WageBasis::Local);
    let is_low = rate < least && !form.is_ticked(LOW);
    Ok(is_low.then(|| {
        let least = least.to_text(2);
        let wrong = Violation::invalid("rate", format!("rate must be at least the minimum wage, {least}"));
        wrong.with_metadata(json!({ MINIMUM_WAGE: least }))
    }))
}

/// Adds an employee with work address, job and pay, and invites them: all or nothing.
fn add_employee(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<(), Error> {
    let caller = &visitor.caller;
    // If two requests arrive at once, the second finds the first one's employee.
    tx.take_guard(caller.company, employees::TABLE, caller.company)?;
    if let Some(there) = added_before(tx, visitor, form)? {
        // If entries were corrected and sent again, the correction must not be lost silently.
        return match is_as_entered(tx, visitor, there, form)? {
            true => Ok(()),
            false => Err(Error::from(Violation::invalid(
                format!("first_name.{IS_THERE}"),
                "somebody of this name and e-mail address who begins on this day is there, with other entries",
            ))),
        };
    }
    let input = CreateEmployee {
        first_name: form.required_text("first_name"),
        last_name: form.required_text("last_name"),
        email: form.required_text("email"),
        self_onboarding: Patch::Value(true),
        ..CreateEmployee::default()
    };
    let mut wrong = own_violations(form);
    wrong.extend(too_low(tx, visitor, form)?);
    let made = with_own(profiles::service::create_employee(tx, caller, &input), wrong)?;
    let id = made.employee.id;
    let place = CreateWorkAddress {
        location_uuid: form.required_text("location"),
        effective_date: form.date_entry("hire_date"),
        ..CreateWorkAddress::default()
    };
    addresses::service::create_work(tx, caller, id, &place).map_err(under_controls)?;
    let job = CreateJob {
        title: form.required_text("title"),
        hire_date: form.date_entry("hire_date"),
        ..CreateJob::default()
    };
    let job = compensations::service::jobs::create_job(tx, caller, id, &job).map_err(under_controls)?;
    let empty = job.pay.of_job(job.job.id).first();
    let empty = empty.ok_or_else(|| Error::internal("a new job has no compensation"))?;
    let (unit, flsa) = form.get("terms").and_then(|terms| terms.split_once('/')).unwrap_or_default();
    let pay = UpdateCompensation {
        version: Patch::Value(version_text(compensations::service::COMPENSATIONS, empty.id, empty.version)),
        rate: pay_rate(form).map_or(Patch::Absent, Patch::Value),
        payment_unit: Patch::Value(unit.to_owned()).named(),
        flsa_status: Patch::Value(flsa.to_owned()).named(),
        ..UpdateCompensation::default()
    };
    compensations::service::compensations::update_compensation(tx, caller, empty.id, &pay)
        .map_err(under_controls)?;
    move_to(tx, visitor, id, Status::SelfOnboardingInvited).map_err(under_controls)
}

/// An employee with this name, e-mail address and start date who was added before.
fn added_before(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Option<Uuid>, Error> {
    let company = visitor.caller.company;
    let entered = |name: &str| form.get(name).unwrap_or_default().trim();
    let (first, last, email) = (entered("first_name"), entered("last_name"), entered("email"));
    if [first, last, email].iter().any(|text| text.is_empty()) {
        return Ok(None);
    }
    let filter = EmployeeFilter { search_term: Some(format!("{first} {last}")), ..EmployeeFilter::default() };
    let page = Page::Part { page: 1, per: SAME_NAME };
    for one in
        profiles::service::list_employees(tx, &visitor.caller, &filter, Include::default(), page)?.items
    {
        let one = one.employee;
        let same = one.first_name == first && one.last_name == last && one.email.as_deref() == Some(email);
        let pay = compensations::rows::of_employee(tx, company, one.id)?;
        let begins = compensations::rows::start_date(&pay);
        if same && one.status.is_self_onboarding() && begins.as_ref() == form.date_entry("hire_date").value()
        {
            return Ok(Some(one.id));
        }
    }
    Ok(None)
}

/// Whether a form was sent twice: the employee has the entered place, job and pay.
fn is_as_entered(tx: &mut Tx<'_>, visitor: &Visitor, employee: Uuid, form: &Form) -> Result<bool, Error> {
    let company = visitor.caller.company;
    let pay = compensations::rows::of_employee(tx, company, employee)?;
    let places = addresses::rows::work_addresses(tx, company, employee)?;
    let Some(job) = pay.primary_job() else { return Ok(false) };
    let same_pay = pay.of_job(job.id).first().is_some_and(|terms| {
        let kind = format!("{}/{}", terms.payment_unit.as_str(), terms.flsa_status.as_str());
        pay_rate(form) == Some(terms.rate) && form.get("terms") == Some(&*kind)
    });
    let place = form.get("location").and_then(|id| id.parse::<Uuid>().ok());
    let same_place = places.first().is_some_and(|first| Some(first.address.location) == place);
    Ok(same_pay && same_place && form.get("title").map(str::trim) == job.title.as_deref())
}

fn move_to(tx: &mut Tx<'_>, visitor: &Visitor, employee: Uuid, to: Status) -> Result<(), Error> {
    let input =
        UpdateOnboardingStatus { onboarding_status: Patch::Value(to), onboarding_steps: Patch::Absent };
    onboarding::service::update_onboarding_status(tx, &visitor.caller, employee, &input).map(drop)
}

/// Stores the employer's answers, and finishes the onboarding.
fn finish_onboarding(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<(), Error> {
    let caller = &visitor.caller;
    let id = id_of(form.get("record").unwrap_or_default());
    let (mut answered, mut missing) = (Vec::new(), Vec::new());
    for state in taxes::state::get_state_taxes(tx, caller, id)? {
        let code = &state.questions.state.code;
        let mut questions = Vec::new();
        for question in state.questions.questions().filter(|question| question.admin_only) {
            let AnswerKind::Select(choices) = &question.kind else { continue };
            let name = format!("{code}.{}", question.key);
            let sent = form.get(&name).unwrap_or_default();
            let chosen = choices.iter().find(|choice| text_of(&choice.value) == sent);
            let Some(chosen) = chosen else {
                missing.push(Violation::invalid(name, "the question is not answered"));
                continue;
            };
            let value = match &chosen.value {
                ChoiceValue::Text(text) => Value::from(text.as_str()),
                ChoiceValue::Bool(yes) => Value::from(*yes),
                ChoiceValue::Int(number) => Value::from(*number),
            };
            let answer = GivenAnswer { value: Patch::Value(value), ..GivenAnswer::default() };
            let key = Patch::Value(question.key.clone());
            questions.push(AnsweredQuestion { key, answers: Patch::Value(vec![answer]) });
        }
        if !questions.is_empty() {
            let state = Patch::Value(code.clone());
            answered.push(AnsweredState { state, questions: Patch::Value(questions) });
        }
    }
    if !missing.is_empty() {
        return Err(Error::Violations(missing));
    }
    if !answered.is_empty() {
        taxes::state::update_state_taxes(
            tx,
            caller,
            id,
            &UpdateStateTaxes { states: Patch::Value(answered) },
        )?;
    }
    let review = Status::SelfOnboardingAwaitingAdminReview;
    if employees::find_employee(tx, caller, id)?.status == Status::SelfOnboardingCompletedByEmployee {
        move_to(tx, visitor, id, review)?;
    }
    move_to(tx, visitor, id, Status::OnboardingCompleted)
}
