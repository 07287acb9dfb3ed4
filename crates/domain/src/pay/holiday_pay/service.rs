//! Use cases of holiday pay. Every change takes the guard of the company's policy.

use jiff::civil::{Date, date};
use rules::holiday_pay::{Holiday, paid_between};
use rules::{Checks, Named as _, Violation};
use serde_json::{Map, Value, json};
use store::Tx;
use uuid::Uuid;

use super::rows;
use super::rows::{Policy, TABLE};
use crate::access::tokens::Caller;
use crate::error::{Error, Stale};
use crate::events;
use crate::patch;
use crate::patch::{Patch, as_is, refuse_null};
use crate::people::employees;
use crate::people::employees::named::NamedEmployee;
use crate::platform::audit;
use crate::records::version_text;

/// Number of years of paid holidays listed if no year is given.
const YEARS_AHEAD: i16 = 3;

/// Whether a holiday is paid.
#[derive(Debug, Clone, Default)]
pub struct HolidayChoice {
    /// whether it is
    pub selected: Patch<bool>,
}

/// The paid holidays. Those left out are unchanged, or not paid in a new policy.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "the holidays of rules::holiday_pay, under their keys")]
pub struct HolidayChoices {
    pub new_years_day: Patch<HolidayChoice>,
    pub mlk_day: Patch<HolidayChoice>,
    pub presidents_day: Patch<HolidayChoice>,
    pub memorial_day: Patch<HolidayChoice>,
    pub juneteenth: Patch<HolidayChoice>,
    pub independence_day: Patch<HolidayChoice>,
    pub labor_day: Patch<HolidayChoice>,
    pub columbus_day: Patch<HolidayChoice>,
    pub veterans_day: Patch<HolidayChoice>,
    pub thanksgiving: Patch<HolidayChoice>,
    pub christmas_day: Patch<HolidayChoice>,
}

/// Creates a policy.
#[derive(Debug, Clone, Default)]
pub struct CreatePolicy {
    /// which holidays are paid
    pub federal_holidays: Patch<HolidayChoices>,
}

/// Changes which holidays are paid.
#[derive(Debug, Clone, Default)]
pub struct UpdatePolicy {
    /// as last read
    pub version: Patch<String>,
    /// which holidays are paid
    pub federal_holidays: Patch<HolidayChoices>,
}

/// Changes which employees are paid for holidays.
#[derive(Debug, Clone, Default)]
pub struct ChangeEmployees {
    /// as last read
    pub version: Patch<String>,
    /// the employees
    pub employees: Patch<Vec<NamedEmployee>>,
}

/// A company's policy as returned.
#[derive(Debug, Clone)]
pub struct PolicyDetails {
    /// concurrency token
    pub version: String,
    /// the holidays that are paid
    pub holidays: Vec<Holiday>,
    /// the day from which the next date of each holiday is shown
    pub today: Date,
    /// the employees who are paid for them
    pub employees: Vec<Uuid>,
}

/// The company's policy; `None` if it has none.
pub fn get_policy(tx: &mut Tx<'_>, caller: &Caller) -> Result<Option<PolicyDetails>, Error> {
    let Some(policy) = rows::find_policy(tx, caller.company)? else { return Ok(None) };
    policy_details(tx, caller, policy).map(Some)
}

/// Creates the company's policy.
///
/// # Errors
/// 422 if it already has one; every violation of the input; a store error.
pub fn create_policy(tx: &mut Tx<'_>, caller: &Caller, input: &CreatePolicy) -> Result<PolicyDetails, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let mut checks = Checks::new();
    refuse_null("federal_holidays", &input.federal_holidays, &mut checks);
    for (holiday, choice) in
        input.federal_holidays.value().iter().flat_map(|choices| choices.choice_by_holiday())
    {
        refuse_null(holiday.as_str(), choice, &mut checks);
        if let Some(choice) = choice.value() {
            refuse_null("selected", &choice.selected, &mut checks);
        }
    }
    let holidays = holidays_after_choices(&[], &input.federal_holidays, &mut checks);
    checks.finish()?;
    if rows::find_policy(tx, caller.company)?.is_some() {
        let message = "The company already has a holiday pay policy; update it, or delete it first.";
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    rows::insert_policy(tx, caller.company, &holidays)?;
    audit::record_audit_entry(
        tx,
        caller,
        "created",
        (TABLE, caller.company),
        &json!({ "federal_holidays": [null, holidays] }),
    )?;
    events::emit_event(tx, caller.company, events::HOLIDAY_POLICY_CREATED, caller.company)?;
    policy_details(tx, caller, Policy { holidays, version: 1 })
}

/// Changes which holidays are paid.
///
/// # Errors
/// 422 without a policy; a stale version; every violation of the input; a store error.
pub fn update_policy(tx: &mut Tx<'_>, caller: &Caller, input: &UpdatePolicy) -> Result<PolicyDetails, Error> {
    let before = find_policy_guarded(tx, caller)?;
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    let holidays = holidays_after_choices(&before.holidays, &input.federal_holidays, &mut checks);
    checks.finish()?;
    expect_policy_version(caller, &before, version, before.holidays != holidays, "federal_holidays")?;
    if before.holidays == holidays {
        return policy_details(tx, caller, before);
    }
    let changes = json!({ "federal_holidays": [before.holidays, holidays] });
    save_policy(tx, caller, Policy { holidays, ..before }, &changes)
}

/// Deletes the policy. Calculated payrolls are unchanged.
///
/// # Errors
/// 422 without a policy; a store error.
pub fn delete_policy(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    find_policy_guarded(tx, caller)?;
    rows::delete_policy(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "deleted", (TABLE, caller.company), &json!({}))?;
    events::emit_event(tx, caller.company, events::HOLIDAY_POLICY_DELETED, caller.company)
}

/// Adds or removes employees. No-op for those who are already there, or not there.
///
/// # Errors
/// 422 without a policy; a stale version; every violation of the input; a store error.
pub fn change_employees(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &ChangeEmployees,
    adds: bool,
) -> Result<PolicyDetails, Error> {
    let before = find_policy_guarded(tx, caller)?;
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    let named = employees::named::read_employee_ids(tx, caller, &input.employees, &mut checks)?;
    checks.require(!matches!(input.employees, Patch::Absent | Patch::Null), || {
        Violation::missing("employees", "employees is needed: a list of objects with the uuid of an employee")
    });
    checks.finish()?;
    let held = rows::policy_employees(tx, caller.company)?;
    // They are sorted.
    let is_held = |id: &Uuid| held.binary_search(id).is_ok();
    let changed: Vec<Uuid> = named.into_iter().filter(|id| is_held(id) != adds).collect();
    // A list of some employees never equals the whole stored list.
    expect_policy_version(caller, &before, version, true, "employees")?;
    if changed.is_empty() {
        return policy_details(tx, caller, before);
    }
    for id in &changed {
        let change = if adds { rows::add_policy_employee } else { rows::remove_policy_employee };
        assert!(change(tx, caller.company, *id)?, "the rows were read under the guard of the policy");
    }
    let changes = Map::from_iter([(if adds { "added" } else { "removed" }.to_owned(), json!(changed))]);
    save_policy(tx, caller, before, &Value::Object(changes))
}

/// The days of a year, or of the next three years, on which the policy pays holidays; empty without a policy.
pub fn paid_holidays(
    tx: &mut Tx<'_>,
    caller: &Caller,
    year: Option<i16>,
) -> Result<Vec<(Holiday, Date)>, Error> {
    let Some(policy) = rows::find_policy(tx, caller.company)? else { return Ok(Vec::new()) };
    let today = caller.today(tx);
    let until = today.year().saturating_add(YEARS_AHEAD);
    let range = match year {
        Some(year) => (date(year, 1, 1), date(year, 12, 31)),
        None => (today, today.with().year(until).build().unwrap_or(date(until, 2, 28))),
    };
    Ok(paid_between(&policy.holidays, range))
}

/// Removes an employee who is being deleted from the policy.
pub fn drop_deleted_employee(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let _there_may_be_none = rows::remove_policy_employee(tx, caller.company, employee)?;
    Ok(())
}

fn policy_details(tx: &mut Tx<'_>, caller: &Caller, policy: Policy) -> Result<PolicyDetails, Error> {
    Ok(PolicyDetails {
        version: version_text(TABLE, caller.company, policy.version),
        holidays: policy.holidays,
        today: caller.today(tx),
        employees: rows::policy_employees(tx, caller.company)?,
    })
}

/// The policy under its guard.
fn find_policy_guarded(tx: &mut Tx<'_>, caller: &Caller) -> Result<Policy, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    rows::find_policy(tx, caller.company)?.ok_or_else(|| {
        Error::from(Violation::invalid_operation("The company has no holiday pay policy; create one first."))
    })
}

fn expect_policy_version(
    caller: &Caller,
    before: &Policy,
    version: Option<String>,
    differs: bool,
    what: &'static str,
) -> Result<(), Error> {
    let current = version_text(TABLE, caller.company, before.version);
    if version.as_ref() == Some(&current) {
        return Ok(());
    }
    Err(Error::Stale(Stale { current, differing: if differs { vec![what] } else { Vec::new() } }))
}

fn save_policy(
    tx: &mut Tx<'_>,
    caller: &Caller,
    after: Policy,
    changes: &Value,
) -> Result<PolicyDetails, Error> {
    assert!(rows::update_policy(tx, caller.company, &after)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "updated", (TABLE, caller.company), changes)?;
    events::emit_event(tx, caller.company, events::HOLIDAY_POLICY_UPDATED, caller.company)?;
    policy_details(tx, caller, Policy { version: after.version + 1, ..after })
}

/// The paid holidays after the choices, in the order of the year.
fn holidays_after_choices(
    before: &[Holiday],
    input: &Patch<HolidayChoices>,
    checks: &mut Checks,
) -> Vec<Holiday> {
    let choices =
        input.optional("federal_holidays", checks, |_, choices| Ok(choices.clone())).unwrap_or_default();
    let mut paid = Vec::new();
    for (holiday, choice) in choices.choice_by_holiday() {
        let choice =
            choice.optional(holiday.as_str(), checks, |_, choice| Ok(choice.clone())).unwrap_or_default();
        let selected = choice.selected.optional("selected", checks, as_is);
        if selected.unwrap_or_else(|| before.contains(&holiday)) {
            paid.push(holiday);
        }
    }
    paid
}

impl HolidayChoices {
    fn choice_by_holiday(&self) -> [(Holiday, &Patch<HolidayChoice>); 11] {
        [
            (Holiday::NewYearsDay, &self.new_years_day),
            (Holiday::MlkDay, &self.mlk_day),
            (Holiday::PresidentsDay, &self.presidents_day),
            (Holiday::MemorialDay, &self.memorial_day),
            (Holiday::Juneteenth, &self.juneteenth),
            (Holiday::IndependenceDay, &self.independence_day),
            (Holiday::LaborDay, &self.labor_day),
            (Holiday::ColumbusDay, &self.columbus_day),
            (Holiday::VeteransDay, &self.veterans_day),
            (Holiday::Thanksgiving, &self.thanksgiving),
            (Holiday::ChristmasDay, &self.christmas_day),
        ]
    }
}
