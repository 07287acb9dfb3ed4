//! The company's contractors: they are added, and invited to enter the rest or completed by the employer, who finishes their onboarding.

mod rest;

use rules::contractor::{ContractorType, Status, WageType};
use rules::{Amount, Named, Violation};
use store::Tx;
use uuid::Uuid;

use super::super::dispatch::Saved;
use super::super::form::{Choice, Control, Form, IS_THERE, Problems, state_choices};
use super::super::frame::Frame;
use super::super::number::written_number;
use super::super::pager::{Part, rows_and_total};
use super::records::{self, Open, Record, Words};
use super::with_own;
use crate::flows::texts::{ContractorsTexts, Texts};
use domain::Error;
use domain::contractors::onboarding::{self, UpdateContractorOnboardingStatus};
use domain::contractors::profiles::rows::{ContractorFilter, ContractorKey};
use domain::contractors::profiles::{Profile, service as profiles};
use domain::contractors::records::Contractor;
use domain::contractors::records::rows::CreateContractor;
use domain::contractors::records::service::TABLE;
use domain::paging::{Page, SortBy};
use domain::patch::Patch;
use domain::people::flows::session::Visitor;
use domain::records::id_of;
use domain::salary::wages::zip_areas::ZipAreas;

/// Maximum of contractors with the same name that are compared.
const SAME_NAME: i64 = 25;
/// Who enters what is not asked here.
const INVITES: &str = "invites";
/// The contractor, after an invitation.
const BY_CONTRACTOR: &str = "contractor";
/// The employer.
const BY_EMPLOYER: &str = "employer";

pub fn render_contractors(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let (t, c) = (frame.texts, frame.texts.contractors);
    let filter = ContractorFilter {
        sort: vec![SortBy::ascending(ContractorKey::Name)],
        ..ContractorFilter::default()
    };
    let listed = Part::read_page(frame.pages.page, |page| {
        Ok(rows_and_total(profiles::list_contractors(tx, &visitor.caller, &filter, false, page)?))
    })?;
    let shown = listed.map_rows(|one| contractor_record(c, one));
    let (action, which) = records::current_action(entered);
    let open = match action {
        "enter" | "entered" => rest::completion_form(tx, visitor, frame, (entered, which), &problems)?,
        "add" | "save" => Some(new_contractor_form(t, entered.filter(|_| action == "save"), &problems)),
        _ if shown.rows.is_empty() => Some(new_contractor_form(t, None, &problems)),
        _ => None,
    };
    let words = Words { title: c.contractors_title, lead: c.contractors_text, add: c.add };
    let said = match action {
        "invite" if problems.has_field("email") => Some(c.no_email),
        "invite" | "finish" => Some(c.open),
        _ => None,
    };
    records::records_page(frame, words, shown, open, &problems, said)
}

fn contractor_record(c: &ContractorsTexts, profile: &Profile) -> Record {
    let one = &profile.contractor;
    let (mark, good, buttons): (_, _, &[_]) = match one.status {
        _ if one.is_dismissed(profile.today) => (c.left, false, &[]),
        Status::OnboardingCompleted => (c.ready, true, &[]),
        Status::SelfOnboardingReview | Status::AdminOnboardingReview => {
            (c.to_finish, false, &[("finish", c.finish)])
        }
        Status::SelfOnboardingNotInvited => (c.pending, false, &[("invite", c.invite)]),
        Status::SelfOnboardingInvited => (c.invited, false, &[]),
        Status::SelfOnboardingStarted => (c.begun, false, &[]),
        Status::AdminOnboardingIncomplete => {
            (c.incomplete, false, &[("enter", c.enter), ("invite", c.invite)])
        }
    };
    Record {
        title: one.name(),
        detail: one.email.clone().unwrap_or_default(),
        mark: Some(mark),
        good,
        buttons: buttons.iter().map(|(action, label)| (format!("{action}:{}", one.id), *label)).collect(),
    }
}

/// A choice for each value of a closed set, in the words of the page.
fn named_choices<T: Named + 'static>(labels: &[&'static str]) -> Vec<Choice> {
    let named = T::ALL.iter().zip(labels);
    named.map(|(one, label)| Choice { value: one.as_str().to_owned(), label: (*label).to_owned() }).collect()
}

fn new_contractor_form(t: &Texts, entered: Option<&Form>, problems: &Problems) -> Open {
    let (e, c) = (t.employer, t.contractors);
    let line = |name: &str, label: &str, wrong: &str| {
        Control::text_line(name, label, "off").with_value(entered, None).with_problem(problems, wrong)
    };
    let select = |name: &str, label: &str, choices: Vec<Choice>| {
        Control::select_field(name, label, choices)
            .with_value(entered, None)
            .with_problem(problems, t.wrong_choice)
    };
    let choice =
        |(value, label): (&str, &&str)| Choice { value: value.to_owned(), label: (*label).to_owned() };
    let invites = [BY_CONTRACTOR, BY_EMPLOYER].into_iter().zip(&c.invites_choices).map(choice).collect();
    let controls = vec![
        select("type", c.kind, named_choices::<ContractorType>(&c.kinds)),
        line("first_name", t.first_name, e.wrong_first_name)
            .with_help(c.of_person)
            .with_part_problem(problems, IS_THERE, c.is_there)
            .made_optional(),
        line("last_name", t.last_name, e.wrong_last_name).with_help(c.of_person).made_optional(),
        line("business_name", t.contractor.business_name, t.contractor.wrong_business_name)
            .with_help(c.of_business)
            .with_part_problem(problems, IS_THERE, c.is_there)
            .made_optional(),
        line("email", t.email, t.wrong_email).with_keyboard("email").with_help(c.email_help).made_optional(),
        Control::date_field("start_date", e.hire_date)
            .with_help(e.hire_date_help)
            .with_value(entered, None)
            .with_problem(problems, e.wrong_hire_date),
        select("wage_type", c.wage, named_choices::<WageType>(&c.wages)),
        line("hourly_rate", c.rate, c.wrong_rate)
            .with_keyboard("decimal")
            .with_help(c.rate_help)
            .made_optional(),
        select("work_state", c.report, state_choices()).with_help(c.report_help).made_optional(),
        select(INVITES, c.invites, invites),
    ];
    Open {
        title: c.new.to_owned(),
        lead: c.new_text,
        version: String::new(),
        record: String::new(),
        action: "save",
        label: c.save,
        controls,
    }
}

pub fn save_contractors(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    form: &Form,
    zips: Option<&ZipAreas>,
) -> Result<Saved, Error> {
    let (action, which) = records::current_action(Some(form));
    match action {
        "add" | "enter" => Ok(Saved::Ask),
        "save" => add_contractor(tx, visitor, form).map(|()| Saved::Stay),
        "entered" => rest::save_completion(tx, visitor, form, zips).map(|()| Saved::Stay),
        "invite" => invite_contractor(tx, visitor, id_of(which)).map(|()| Saved::Stay),
        "finish" => move_to(tx, visitor, id_of(which), Status::OnboardingCompleted).map(|()| Saved::Stay),
        _ => Ok(Saved::Done),
    }
}

/// An entry without spaces around it; `None` if there is none.
fn trimmed_entry<'f>(form: &'f Form, name: &str) -> Option<&'f str> {
    form.get(name).map(str::trim).filter(|text| !text.is_empty())
}

/// What is to be stored.
fn contractor_command(form: &Form) -> CreateContractor {
    let given =
        |name: &str| trimmed_entry(form, name).map_or(Patch::Absent, |text| Patch::Value(text.to_owned()));
    let is_person = form.get("type") != Some(ContractorType::Business.as_str());
    let own = |name: &str, of_kind: bool| if of_kind { form.required_text(name) } else { Patch::Absent };
    let report = if is_person { given("work_state") } else { Patch::Absent };
    CreateContractor {
        kind: given("type").named(),
        wage_type: form.required_text("wage_type").named(),
        start_date: form.date_entry("start_date"),
        hourly_rate: entered_hourly_rate(form).map_or(Patch::Absent, Patch::Value),
        first_name: own("first_name", is_person),
        last_name: own("last_name", is_person),
        business_name: own("business_name", !is_person),
        email: given("email"),
        file_new_hire_report: Patch::Value(report.value().is_some()),
        work_state: report,
        self_onboarding: Patch::Value(form.get(INVITES) == Some(BY_CONTRACTOR)),
        ..CreateContractor::default()
    }
}

/// The rate, if the pay is by the hour.
fn entered_hourly_rate(form: &Form) -> Option<Amount> {
    let is_hourly = form.get("wage_type") == Some(WageType::Hourly.as_str());
    written_number(form.get("hourly_rate").unwrap_or_default()).filter(|_| is_hourly)
}

/// Problems that only the page can detect, so that they are shown together with those of the use case.
fn own_violations(form: &Form) -> Vec<Violation> {
    let mut wrong = Vec::new();
    let mut require = |name: &'static str, is_right: bool| {
        if !is_right {
            wrong.push(Violation::invalid(name, format!("{name} is not answered")));
        }
    };
    require("type", form.get("type").and_then(ContractorType::parse).is_some());
    require("wage_type", form.get("wage_type").and_then(WageType::parse).is_some());
    require(INVITES, matches!(form.get(INVITES), Some(BY_CONTRACTOR | BY_EMPLOYER)));
    require("start_date", form.date_entry("start_date").value().is_some());
    // A rate that cannot be read must not be left out silently.
    let is_hourly = form.get("wage_type") == Some(WageType::Hourly.as_str());
    require("hourly_rate", !is_hourly || entered_hourly_rate(form).is_some_and(|rate| rate > Amount::ZERO));
    wrong
}

/// Adds a contractor, and invites the contractor if that was chosen.
fn add_contractor(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<(), Error> {
    let caller = &visitor.caller;
    // If two requests arrive at once, the second finds the first one's contractor.
    tx.take_guard(caller.company, TABLE, caller.company)?;
    if let Some(there) = added_before(tx, visitor, form)? {
        let same = form.get("wage_type") == Some(there.wage_type.as_str())
            && entered_hourly_rate(form) == there.hourly_rate;
        let name = match there.kind {
            ContractorType::Individual => "first_name",
            ContractorType::Business => "business_name",
        };
        // If entries were corrected and sent again, the correction must not be lost silently.
        return if same {
            Ok(())
        } else {
            let message =
                "a contractor with this name, e-mail address and start date is there, with other pay";
            Err(Error::from(Violation::invalid(format!("{name}.{IS_THERE}"), message)))
        };
    }
    let made =
        with_own(profiles::create_contractor(tx, caller, &contractor_command(form)), own_violations(form))?;
    if form.get(INVITES) == Some(BY_CONTRACTOR) {
        move_to(tx, visitor, made.contractor.id, Status::SelfOnboardingInvited)?;
    }
    Ok(())
}

/// A contractor of this name, e-mail address and first day who was added before.
fn added_before(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Option<Contractor>, Error> {
    let name = match form.get("type").and_then(ContractorType::parse) {
        Some(ContractorType::Individual) => {
            let parts = ["first_name", "last_name"].map(|name| trimmed_entry(form, name).unwrap_or_default());
            parts.join(" ")
        }
        Some(ContractorType::Business) => trimmed_entry(form, "business_name").unwrap_or_default().to_owned(),
        None => return Ok(None),
    };
    if name.trim().is_empty() {
        return Ok(None);
    }
    let filter = ContractorFilter { search_term: Some(name.clone()), ..ContractorFilter::default() };
    let page = Page::Part { page: 1, per: SAME_NAME };
    let found = profiles::list_contractors(tx, &visitor.caller, &filter, false, page)?;
    let mut all = found.items.into_iter().map(|one| one.contractor);
    Ok(all.find(|one| {
        one.name() == name
            && one.email.as_deref() == trimmed_entry(form, "email")
            && form.date_entry("start_date").value() == Some(&one.start_date)
    }))
}

fn invite_contractor(tx: &mut Tx<'_>, visitor: &Visitor, contractor: Uuid) -> Result<(), Error> {
    let one = domain::contractors::records::service::find_contractor(tx, &visitor.caller, contractor)?;
    if one.email.is_none() {
        return Err(Error::from(Violation::invalid("email", "email is needed for an invitation")));
    }
    move_to(tx, visitor, contractor, Status::SelfOnboardingInvited)
}

fn move_to(tx: &mut Tx<'_>, visitor: &Visitor, contractor: Uuid, to: Status) -> Result<(), Error> {
    let input = UpdateContractorOnboardingStatus { onboarding_status: Patch::Value(to) };
    onboarding::update_onboarding_status(tx, &visitor.caller, contractor, &input).map(drop)
}
