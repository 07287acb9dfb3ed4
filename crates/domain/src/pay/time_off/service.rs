//! Use cases of policies: listing, creating, updating and deactivating them.

use rules::dated::Dated;
use rules::time_off::{AccrualMethod, PolicyType, SickLeaveMinimum, SickLeaveTable, YearDay};
use rules::{Amount, Checks, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::commands::{PolicyFields, UpdatePolicy};
use super::requests::rows as request_rows;
use super::rows::{Enrollment, TimeOffPolicy};
use super::{rows, turns};
use crate::access::tokens::Caller;
use crate::company::locations;
use crate::error::Error;
use crate::patch::{self, Patch, as_is};
use crate::pay::pay_schedules::schedule_spans;
use crate::platform::audit;
use crate::platform::law;
use crate::records::{Changes, room_for, version_text};

/// Table of the record, in versions and audit entries, and for its guard.
pub const TABLE: &str = TimeOffPolicy::TABLE;
/// Maximum number of policies of a company, including inactive ones.
const MOST: usize = 200;
/// Maximum characters of a name.
const NAME: usize = 100;
/// Maximum hours of a balance, a limit or a rate.
pub(super) const MAX_HOURS: Amount = Amount::from_millionths(9_999_999_000);
/// Longest waiting period: ten years.
const MAX_WAITING_DAYS: i64 = 3_653;

/// A policy with its members.
#[derive(Debug, Clone)]
pub struct PolicyDetails {
    /// the record
    pub policy: TimeOffPolicy,
    /// its enrollments, ordered by employee
    pub members: Vec<Enrollment>,
    /// state sick leave requirements at the company's locations that the policy does not meet
    pub less_than: Vec<SickLeaveMinimum>,
}

/// Lists the policies of the company, oldest first, including inactive ones.
pub fn list_policies(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<PolicyDetails>, Error> {
    let policies = rows::list_policies(tx, caller.company)?;
    policies.into_iter().map(|policy| policy_details(tx, caller, policy)).collect()
}

/// Returns a policy.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_policy(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<PolicyDetails, Error> {
    let policy = TimeOffPolicy::find(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    policy_details(tx, caller, policy)
}

fn policy_details(tx: &mut Tx<'_>, caller: &Caller, policy: TimeOffPolicy) -> Result<PolicyDetails, Error> {
    let members = rows::enrolled_in(tx, caller.company, policy.id)?;
    let less_than = match policy.policy_type {
        PolicyType::Sick => less_than(tx, caller, &policy)?,
        PolicyType::Vacation => Vec::new(),
    };
    Ok(PolicyDetails { policy, members, less_than })
}

/// Returns the state sick leave requirements at the company's locations that a policy does not meet.
fn less_than(
    tx: &mut Tx<'_>,
    caller: &Caller,
    policy: &TimeOffPolicy,
) -> Result<Vec<SickLeaveMinimum>, Error> {
    let (terms, table) = (policy.accrual_terms()?, law::in_force::<Dated<SickLeaveTable>>(tx)?);
    let today = caller.today(tx);
    let schedules = schedule_spans::in_use(tx, caller.company, today)?;
    // Without a pay schedule, pay periods are assumed to be weekly. With several, the least frequent one gives the fewest hours.
    let periods = schedules.iter().map(|schedule| schedule.frequency.periods_per_year()).min().unwrap_or(52);
    let places = locations::rows::of_company(tx, caller.company)?;
    let mut states: Vec<String> = places.into_iter().map(|place| place.state).collect();
    states.sort_unstable();
    states.dedup();
    let asked = states.iter().filter_map(|state| table.edition_on(today).minimum_of_state(state));
    Ok(asked.filter(|minimum| terms.gives_less_than(minimum, periods)).cloned().collect())
}

/// Creates a policy.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_policy(tx: &mut Tx<'_>, caller: &Caller, input: &PolicyFields) -> Result<PolicyDetails, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    room_for("time off policies of a company", rows::list_policies(tx, caller.company)?.len(), MOST)?;
    let mut checks = Checks::new();
    let mut new = TimeOffPolicy {
        id: Uuid::nil(),
        name: String::new(),
        policy_type: PolicyType::Vacation,
        accrual_method: AccrualMethod::Unlimited,
        accrual_rate: None,
        accrual_rate_unit: None,
        paid_out_on_termination: false,
        accrual_waiting_period_days: 0,
        carryover_limit_hours: None,
        max_accrual_hours_per_year: None,
        max_hours: None,
        policy_reset_date: None,
        allow_negative_balance: true,
        // Clients of the oldest API version have no field for it, either here or in an update.
        complete: true,
        active: true,
        version: 1,
    };
    let needed = [
        ("name", input.name.is_blank()),
        ("policy_type", input.policy_type.is_blank()),
        ("accrual_method", input.accrual_method.is_blank()),
    ];
    for (key, is_blank) in needed {
        checks.require(!is_blank, || Violation::invalid(key, format!("{key} can't be blank")));
    }
    if input.accrual_method.value() == Some(&AccrualMethod::Unlimited) {
        // The accrual fields have no meaning for unlimited time off.
        let told = PolicyFields {
            name: input.name.clone(),
            policy_type: input.policy_type.clone(),
            accrual_method: input.accrual_method.clone(),
            complete: input.complete.clone(),
            ..PolicyFields::default()
        };
        apply_policy_fields(&mut new, &told, &mut checks);
    } else {
        apply_policy_fields(&mut new, input, &mut checks);
    }
    if checks.is_empty() {
        new.accrual_terms()?.check_terms(&mut checks);
    }
    checks.finish()?;
    new.id = tx.new_id();
    new.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, new.id), &json!({}))?;
    get_policy(tx, caller, new.id)
}

/// Updates the fields that were sent. Balances do not change.
///
/// # Errors
/// "Not found"; 409 for a stale version; 422 for an inactive policy, and for every violation of the input; a store error.
pub fn update_policy(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdatePolicy,
) -> Result<PolicyDetails, Error> {
    let before = find_guarded(tx, caller, id)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    apply_policy_fields(&mut after, &input.fields, &mut checks);
    checks.require(after.policy_type == before.policy_type, || {
        Violation::invalid("policy_type", "policy_type must stay as it is; create another policy instead")
    });
    checks.require(after.complete || !before.complete, || {
        Violation::invalid("complete", "complete must stay true once it is; deactivate the policy instead")
    });
    if checks.is_empty() {
        after.accrual_terms()?.check_terms(&mut checks);
    }
    checks.finish()?;
    let changes = Changes::from(TimeOffPolicy::changes(&before, &after));
    changes.expect_version(&version.unwrap_or_default(), version_text(TABLE, id, before.version))?;
    if !changes.is_empty() {
        assert!(after.update(tx, caller.company)?, "the row was read under its guard");
        audit::record_audit_entry(tx, caller, "updated", (TABLE, id), &changes.to_json())?;
        turns::terms_changed(tx, caller, &before, &after)?;
    }
    get_policy(tx, caller, id)
}

/// Deactivates a policy: hours can no longer be accrued or taken, and employees can no longer join.
///
/// # Errors
/// "Not found"; 422 for an inactive policy, and while requests for its hours are pending, or approved and not paid; a store error.
pub fn deactivate_policy(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<PolicyDetails, Error> {
    let before = find_guarded(tx, caller, id)?;
    if request_rows::is_waited_for(tx, caller.company, id)? {
        let message = "Requests for hours of the policy are pending, or approved and not paid yet; decline them first, or let a payroll pay them.";
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    let after = TimeOffPolicy { active: false, ..before };
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "deactivated", (TABLE, id), &json!({}))?;
    get_policy(tx, caller, id)
}

/// Returns a policy that is not deactivated, under its guard.
///
/// # Errors
/// "Not found"; 422 for a deactivated policy; a store error.
pub(super) fn find_guarded(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<TimeOffPolicy, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let found = TimeOffPolicy::find(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    if found.active {
        return Ok(found);
    }
    Err(Error::from(Violation::invalid_operation("The policy is deactivated and cannot be changed.")))
}

/// Applies the fields that were sent.
fn apply_policy_fields(policy: &mut TimeOffPolicy, input: &PolicyFields, checks: &mut Checks) {
    let name = |key: &str, name: &String| check::validate_text(key, name, NAME);
    input.name.update("name", checks, name, &mut policy.name);
    input.policy_type.update("policy_type", checks, as_is, &mut policy.policy_type);
    input.accrual_method.update("accrual_method", checks, as_is, &mut policy.accrual_method);
    let mut limit = |key: &str, field: &Patch<Amount>, target: &mut Option<Amount>| {
        field.update_or_clear(key, checks, |key, hours| self::check_hours(key, hours).map(Some), target);
    };
    limit("accrual_rate", &input.accrual_rate, &mut policy.accrual_rate);
    limit("accrual_rate_unit", &input.accrual_rate_unit, &mut policy.accrual_rate_unit);
    limit("carryover_limit_hours", &input.carryover_limit_hours, &mut policy.carryover_limit_hours);
    limit(
        "max_accrual_hours_per_year",
        &input.max_accrual_hours_per_year,
        &mut policy.max_accrual_hours_per_year,
    );
    limit("max_hours", &input.max_hours, &mut policy.max_hours);
    let mut paid_out = Some(policy.paid_out_on_termination);
    let is_paid_out = |key: &str, value: &bool| as_is(key, value).map(Some);
    input.paid_out_on_termination.update_or_clear(
        "paid_out_on_termination",
        checks,
        is_paid_out,
        &mut paid_out,
    );
    policy.paid_out_on_termination = paid_out.unwrap_or(false);
    let mut waiting = Some(policy.accrual_waiting_period_days);
    let (key, field) = ("accrual_waiting_period_days", &input.accrual_waiting_period_days);
    field.update_or_clear(key, checks, check_waiting_days, &mut waiting);
    policy.accrual_waiting_period_days = waiting.unwrap_or(0);
    let day = |key: &str, text: &String| match YearDay::parse(text) {
        Some(day) => Ok(Some(day.sort_number())),
        None => {
            Err(Violation::invalid(key, format!("{key} must be a day of the year as MM-DD, such as 01-01")))
        }
    };
    input.policy_reset_date.update_or_clear("policy_reset_date", checks, day, &mut policy.policy_reset_date);
    let (key, field) = ("allow_negative_balance", &input.allow_negative_balance);
    field.update(key, checks, as_is, &mut policy.allow_negative_balance);
    input.complete.update("complete", checks, as_is, &mut policy.complete);
}

fn check_waiting_days(key: &str, days: &i64) -> Result<Option<i64>, Violation> {
    if (0..=MAX_WAITING_DAYS).contains(days) {
        return Ok(Some(*days));
    }
    Err(Violation::invalid(key, format!("{key} must lie between 0 and {MAX_WAITING_DAYS}")))
}

/// Checks that hours are between 0 and [`MAX_HOURS`], with at most three decimal places.
pub(super) fn check_hours(key: &str, hours: &Amount) -> Result<Amount, Violation> {
    if *hours < Amount::ZERO || *hours > MAX_HOURS {
        return Err(Violation::invalid(key, format!("{key} must lie between 0.000 and 9999.999")));
    }
    if hours.millionths() % 1_000 != 0 {
        return Err(Violation::invalid(key, format!("{key} must not have more than 3 decimal places")));
    }
    Ok(*hours)
}
