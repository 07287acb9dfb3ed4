//! Time off: the company's policies, with their employees and balances.
//!
//! Employees are shown page by page. An employee not in the form is unchanged, so that nobody is removed because the
//! list changed while the page was open.

use std::collections::BTreeMap;

use rules::time_off::{AccrualMethod, PolicyType};
use rules::{Amount, Named, Violation};
use store::Tx;
use uuid::Uuid;

use super::super::dispatch::Saved;
use super::super::form::{Choice, Control, Entry, Form, IS_THERE, Problems};
use super::super::frame::Frame;
use super::super::number::written_number;
use super::super::pager::{Part, ROWS, last_page, rows_and_total};
use super::super::time_off::policy_type_text;
use super::records::{self, Open, Record, Words};
use super::with_own;
use crate::flows::texts::Texts;
use domain::Error;
use domain::language::fill_placeholders;
use domain::paging::{Page, SortBy};
use domain::patch::Patch;
use domain::pay::time_off::commands::{
    Leaving, LeavingLine, MemberLine, Members, PolicyFields, UpdatePolicy,
};
use domain::pay::time_off::rows::{self, Enrollment, TimeOffPolicy};
use domain::pay::time_off::{members, service};
use domain::people::flows::session::Visitor;
use domain::people::profiles;
use domain::people::profiles::ShownEmployee;
use domain::people::profiles::commands::Include;
use domain::people::profiles::rows::{EmployeeFilter, EmployeeKey};
use domain::records::{id_of, version_text};

/// Suffix of a field in which hours were entered for a policy without balances.
const NOT_COUNTED: &str = "not_counted";

pub fn render_policies(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let (t, e) = (frame.texts, frame.texts.employer);
    let held = policies_on_page(tx, visitor, frame.pages.page)?;
    let (action, which) = records::current_action(entered);
    let named = entered.and_then(|form| form.get("record")).unwrap_or_default();
    let (mut said, mut open) = (None, None);
    match action {
        "people" => open = members_form(tx, visitor, t, (id_of(which), 1), (None, &problems))?,
        "members" => {
            let (policy, page) = policy_and_page(named);
            said = Some(e.policy_hours_wrong);
            open = match problems.is_empty() {
                true => members_form(tx, visitor, t, (policy, page + 1), (None, &problems))?,
                false => members_form(tx, visitor, t, (policy, page), (entered, &problems))?,
            };
        }
        "add" | "edit" | "save" => {
            let id = if action == "save" { named } else { which };
            let policy = TimeOffPolicy::find(tx, visitor.caller.company, id_of(id))?;
            let entered = entered.filter(|_| action == "save");
            open = Some(policy_form(t, policy.as_ref(), entered, &problems));
        }
        _ if held.rows.is_empty() => open = Some(policy_form(t, None, None, &problems)),
        _ => {}
    }
    let shown = held.map_rows(|(policy, people)| policy_record(t, policy, *people));
    let words = Words { title: e.policies_title, lead: e.policies_text, add: e.policy_add };
    records::records_page(frame, words, shown, open, &problems, said)
}

/// A page of the active policies, each with its number of employees.
fn policies_on_page(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    asked: i64,
) -> Result<Part<Vec<(TimeOffPolicy, usize)>>, Error> {
    let company = visitor.caller.company;
    let mut all = rows::list_policies(tx, company)?;
    all.retain(|policy| policy.active);
    let total = all.len() as i64;
    let page = asked.min(last_page(total));
    let before = usize::try_from((page - 1) * ROWS).unwrap_or_default();
    let mut shown = Vec::new();
    for policy in all.into_iter().skip(before).take(usize::try_from(ROWS).unwrap_or_default()) {
        let people = rows::enrolled_in(tx, company, policy.id)?.len();
        shown.push((policy, people));
    }
    Ok(Part { rows: shown, page, total })
}

fn method_words(t: &Texts, method: AccrualMethod) -> &'static str {
    let place = AccrualMethod::ALL.iter().position(|one| *one == method).unwrap_or_default();
    t.employer.policy_methods[place]
}

fn policy_record(t: &'static Texts, policy: &TimeOffPolicy, people: usize) -> Record {
    let e = t.employer;
    let values = [
        ("kind", policy_type_text(policy.policy_type, t)),
        ("method", method_words(t, policy.accrual_method)),
        ("count", &people.to_string()),
    ];
    Record {
        title: policy.name.clone(),
        detail: fill_placeholders(e.policy_detail, &values),
        mark: None,
        good: true,
        buttons: vec![
            (format!("people:{}", policy.id), e.policy_people),
            (format!("edit:{}", policy.id), t.change),
        ],
    }
}

/// The form of a policy. Its type and accrual method cannot be changed once it exists.
fn policy_form(
    t: &'static Texts,
    held: Option<&TimeOffPolicy>,
    entered: Option<&Form>,
    problems: &Problems,
) -> Open {
    let e = t.employer;
    let line = |name: &str, label: &str, stored: Option<&str>, wrong: &str| {
        Control::text_line(name, label, "off").with_value(entered, stored).with_problem(problems, wrong)
    };
    let hours = |name: &str, label: &str, stored: Option<Amount>| {
        let stored = stored.map(|hours| hours.to_text(2));
        let control = Control::text_line(name, label, "off").with_keyboard("decimal").made_optional();
        let control =
            control.with_value(entered, stored.as_deref()).with_problem(problems, e.wrong_policy_hours);
        control.with_part_problem(problems, NOT_COUNTED, e.policy_not_counted)
    };
    let mut controls = vec![
        line("name", e.policy_name, held.map(|policy| policy.name.as_str()), e.wrong_policy_name)
            .with_part_problem(problems, IS_THERE, e.policy_is_there),
    ];
    if held.is_none() {
        let choice = |value: &str, label: &str| Choice { value: value.to_owned(), label: label.to_owned() };
        let kinds =
            PolicyType::ALL.iter().map(|one| choice(one.as_str(), policy_type_text(*one, t))).collect();
        let methods = AccrualMethod::ALL.iter().map(|one| choice(one.as_str(), method_words(t, *one)));
        let select = |name: &str, label: &str, choices: Vec<Choice>| {
            Control::select_field(name, label, choices)
                .with_value(entered, None)
                .with_problem(problems, t.wrong_choice)
        };
        controls.push(select("policy_type", e.policy_kind, kinds));
        controls.push(select("accrual_method", e.policy_method, methods.collect()));
    }
    let counted = held.is_none_or(|policy| !policy.is_unlimited());
    if counted {
        let rate = hours("accrual_rate", e.policy_rate, held.and_then(|policy| policy.accrual_rate));
        controls.push(rate.with_help(e.policy_rate_help));
    }
    if held.is_none_or(|policy| policy.accrual_method.is_hourly()) {
        let unit =
            hours("accrual_rate_unit", e.policy_unit, held.and_then(|policy| policy.accrual_rate_unit));
        controls.push(unit.with_help(e.policy_unit_help));
    }
    if counted {
        controls.push(hours("max_hours", e.policy_most, held.and_then(|policy| policy.max_hours)));
        let paid_out = match entered {
            Some(form) => form.is_ticked("paid_out_on_termination"),
            None => held.is_some_and(|policy| policy.paid_out_on_termination),
        };
        controls.push(Control::checkbox_field("paid_out_on_termination", e.policy_paid_out, paid_out));
    }
    Open {
        title: match held {
            Some(policy) => fill_placeholders(e.policy_change, &[("name", &policy.name)]),
            None => e.policy_new.to_owned(),
        },
        lead: "",
        version: held
            .map(|policy| version_text(service::TABLE, policy.id, policy.version))
            .unwrap_or_default(),
        record: held.map(|policy| policy.id.to_string()).unwrap_or_default(),
        action: "save",
        label: e.policy_save,
        controls,
    }
}

/// The policy of a form of employees, and the page of employees.
fn policy_and_page(record: &str) -> (Uuid, i64) {
    let (policy, page) = record.split_once(':').unwrap_or((record, "1"));
    (id_of(policy), page.parse::<u32>().map_or(1, i64::from).max(1))
}

/// A page of the current employees, by name.
fn employees_on_page(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    page: i64,
) -> Result<(Vec<ShownEmployee>, i64), Error> {
    let filter = EmployeeFilter {
        active: Some(true),
        sort: vec![SortBy::ascending(EmployeeKey::Name)],
        ..EmployeeFilter::default()
    };
    let page = Page::Part { page, per: ROWS };
    let listed = profiles::service::list_employees(tx, &visitor.caller, &filter, Include::default(), page)?;
    let (shown, total) = rows_and_total(listed);
    Ok((shown.into_iter().map(|one| one.employee).collect(), total))
}

/// The form in which employees are added to a policy or removed, and their balances set; `None` for an invalid page.
fn members_form(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    t: &'static Texts,
    (id, page): (Uuid, i64),
    (entered, problems): (Option<&Form>, &Problems),
) -> Result<Option<Open>, Error> {
    let e = t.employer;
    let Some(policy) = TimeOffPolicy::find(tx, visitor.caller.company, id)? else { return Ok(None) };
    let (staff, total) = employees_on_page(tx, visitor, page)?;
    let last = last_page(total);
    if page > last {
        return Ok(None);
    }
    let enrolled = enrollments_by_employee(tx, visitor, id)?;
    let mut controls = Vec::new();
    for one in &staff {
        let name =
            format!("{} {}", one.preferred_first_name.as_ref().unwrap_or(&one.first_name), one.last_name);
        let words = |text: &str| fill_placeholders(text, &[("name", &name)]);
        let has = enrolled.get(&one.id);
        let (tick, label) = match has {
            Some(_) => (format!("leave.{}", one.id), words(e.policy_leaves)),
            None => (format!("join.{}", one.id), words(e.policy_joins)),
        };
        let ticked = entered.is_some_and(|form| form.is_ticked(&tick));
        if !policy.is_unlimited() {
            let label = words(if has.is_some() { e.policy_hours_left } else { e.policy_hours_first });
            let stored = has.map(|has| has.balance.to_text(2));
            let hours =
                Control::text_line(&format!("hours.{}", one.id), &label, "off").with_keyboard("decimal");
            controls.push(
                hours
                    .made_optional()
                    .with_watched_value(entered, stored.as_deref(), problems)
                    .with_problem(problems, e.policy_hours_wrong),
            );
        }
        controls
            .push(Control::checkbox_field(&tick, &label, ticked).with_problem(problems, e.policy_join_too));
    }
    Ok(Some(Open {
        title: fill_placeholders(e.policy_people_title, &[("name", &policy.name)]),
        lead: if staff.is_empty() { e.policy_nobody } else { e.policy_people_text },
        version: String::new(),
        record: format!("{id}:{page}"),
        action: "members",
        label: if page < last { e.policy_people_next } else { e.policy_people_save },
        controls,
    }))
}

fn enrollments_by_employee(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    policy: Uuid,
) -> Result<BTreeMap<Uuid, Enrollment>, Error> {
    let all = rows::enrolled_in(tx, visitor.caller.company, policy)?;
    Ok(all.into_iter().map(|one| (one.employee, one)).collect())
}

pub fn save_policies(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    match records::current_action(Some(form)).0 {
        "add" | "edit" | "people" => Ok(Saved::Ask),
        "save" => save_policy(tx, visitor, form).map(|()| Saved::Stay),
        "members" => save_members(tx, visitor, form),
        _ => Ok(Saved::Done),
    }
}

/// A formatted number; `None` if nothing was entered.
fn entered_hours(form: &Form, name: &str) -> Patch<Amount> {
    hours_of(form.get(name).unwrap_or_default())
}

fn hours_of(text: &str) -> Patch<Amount> {
    match text {
        text if text.trim().is_empty() => Patch::Null,
        text => written_number(text).map_or(Patch::Invalid("a number of hours".into()), Patch::Value),
    }
}

fn save_policy(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<(), Error> {
    let caller = &visitor.caller;
    let id = form.get("record").unwrap_or_default();
    let held = match id.is_empty() {
        true => None,
        false => Some(service::get_policy(tx, caller, id_of(id))?.policy),
    };
    let counted = held.as_ref().is_none_or(|policy| !policy.is_unlimited());
    let hours = |name: &str| if counted { entered_hours(form, name) } else { Patch::Absent };
    let fields = PolicyFields {
        name: form.required_text("name"),
        accrual_rate: hours("accrual_rate"),
        accrual_rate_unit: hours("accrual_rate_unit"),
        max_hours: hours("max_hours"),
        paid_out_on_termination: match counted {
            true => Patch::Value(form.is_ticked("paid_out_on_termination")),
            false => Patch::Absent,
        },
        ..PolicyFields::default()
    };
    match held {
        Some(policy) => {
            let input = UpdatePolicy { version: form.required_text("version"), fields };
            service::update_policy(tx, caller, policy.id, &input).map(drop)
        }
        None if !not_counted(form).is_empty() => Err(Error::Violations(not_counted(form))),
        None if is_there(tx, visitor, form)? => Ok(()),
        None => {
            let fields = PolicyFields {
                policy_type: form.required_text("policy_type").named(),
                accrual_method: form.required_text("accrual_method").named(),
                ..fields
            };
            service::create_policy(tx, caller, &fields).map(drop)
        }
    }
}

/// Hours entered for a policy without balances: they would be dropped silently.
fn not_counted(form: &Form) -> Vec<Violation> {
    if form.get("accrual_method") != Some(AccrualMethod::Unlimited.as_str()) {
        return Vec::new();
    }
    let fields = ["accrual_rate", "accrual_rate_unit", "max_hours"];
    let entered = fields.into_iter().filter(|field| !matches!(entered_hours(form, field), Patch::Null));
    entered
        .map(|field| Violation::invalid(format!("{field}.{NOT_COUNTED}"), "hours are not counted"))
        .collect()
}

/// Whether the form was sent twice: the policy exists as entered. If two requests arrive at once, the second finds the
/// first one's policy.
///
/// # Errors
/// A violation, if a policy of this name has other settings: corrected entries that were sent again must not be lost
/// silently, and two policies with the same name cannot be told apart.
fn is_there(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<bool, Error> {
    let company = visitor.caller.company;
    tx.take_guard(company, service::TABLE, company)?;
    let entered = |name: &str| form.get(name).unwrap_or_default().trim();
    let hours = |name: &str| entered_hours(form, name).value().copied();
    let numbers = [hours("accrual_rate"), hours("accrual_rate_unit"), hours("max_hours")];
    let policies = rows::list_policies(tx, company)?;
    let mut named =
        policies.iter().filter(|policy| policy.active && policy.name == entered("name")).peekable();
    if named.peek().is_none() {
        return Ok(false);
    }
    let same = |policy: &TimeOffPolicy| {
        let same_numbers = [policy.accrual_rate, policy.accrual_rate_unit, policy.max_hours] == numbers
            && policy.paid_out_on_termination == form.is_ticked("paid_out_on_termination");
        policy.policy_type.as_str() == entered("policy_type")
            && policy.accrual_method.as_str() == entered("accrual_method")
            && (policy.is_unlimited() || same_numbers)
    };
    match named.any(same) {
        true => Ok(true),
        false => Err(Error::from(Violation::invalid(
            format!("name.{IS_THERE}"),
            "there is another policy of this name",
        ))),
    }
}

/// Stores a page of employees, and continues with the next one.
fn save_members(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let caller = &visitor.caller;
    let (id, page) = policy_and_page(form.get("record").unwrap_or_default());
    let policy = service::get_policy(tx, caller, id)?.policy;
    let (staff, total) = employees_on_page(tx, visitor, page)?;
    let enrolled = enrollments_by_employee(tx, visitor, id)?;
    let (mut wrong, mut joining, mut staying, mut leaving) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for one in &staff {
        let uuid = Patch::Value(one.id.to_string());
        let field = format!("hours.{}", one.id);
        let now = enrolled.get(&one.id).map(|has| has.balance.to_text(2)).unwrap_or_default();
        let hours = match form.watched_entry(&field, &now)? {
            _ if policy.is_unlimited() => Patch::Null,
            Entry::Entered(text) => hours_of(text),
            // Hours that were set elsewhere, or accrued, since the page was shown are kept.
            Entry::Untouched => Patch::Null,
        };
        if matches!(hours, Patch::Invalid(_)) {
            wrong.push(Violation::invalid(field, "hours must be a number"));
        }
        match enrolled.get(&one.id) {
            None if form.is_ticked(&format!("join.{}", one.id)) => {
                joining.push(MemberLine { uuid, balance: hours });
            }
            None if !matches!(hours, Patch::Null) => {
                wrong.push(Violation::invalid(
                    format!("join.{}", one.id),
                    "hours are of somebody who has the policy",
                ));
            }
            Some(_) if form.is_ticked(&format!("leave.{}", one.id)) => leaving.push(LeavingLine { uuid }),
            // The page shows two decimal places; an untouched balance is not rounded to them.
            Some(has) if hours.value().is_some_and(|hours| hours.to_text(2) != has.balance.to_text(2)) => {
                staying.push(MemberLine { uuid, balance: hours });
            }
            _ => {}
        }
    }
    let of = |lines: Vec<MemberLine>| Members { employees: Patch::Value(lines) };
    let mut stored = Ok(());
    if !leaving.is_empty() {
        let leaving = Leaving { employees: Patch::Value(leaving) };
        stored = members::remove_members(tx, caller, id, &leaving).map(drop);
    }
    if !staying.is_empty() && stored.is_ok() {
        stored = members::set_balances(tx, caller, id, &of(staying)).map(drop);
    }
    if !joining.is_empty() && stored.is_ok() {
        stored = members::add_members(tx, caller, id, &of(joining)).map(drop);
    }
    with_own(stored, wrong)?;
    Ok(if page < last_page(total) { Saved::Ask } else { Saved::Stay })
}
