//! Use cases of contractors together with their records.

use std::collections::HashMap;

use jiff::civil::Date;
use rules::contractor::{ContractorType, Status, WageType};
use rules::{Amount, Checks, Violation, check, company};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::rows::ContractorFilter;
use super::{Profile, rows};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::contractors::records::rows::{CreateContractor, UpdateContractor};
use crate::contractors::records::service::{TABLE, find_contractor, find_guarded};
use crate::contractors::records::{self, Contractor};
use crate::contractors::{addresses, employment, onboarding};
use crate::error::Error;
use crate::events;
use crate::paging::{Listed, Page};
use crate::patch::{self, Patch, as_is};
use crate::people::departments;
use crate::people::departments::rows::Department;
use crate::platform::hooks::ContractorAspect;
use crate::platform::{audit, hooks};
use crate::records::{Changes, IdRange, version_text};

/// Creates a contractor.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_contractor(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreateContractor,
) -> Result<Profile, Error> {
    let mut one = Contractor { created_at: tx.now(), version: 1, ..Contractor::default() };
    let mut checks = Checks::new();
    one.fill(input, &mut checks);
    let sent = Sent { ssn: &input.ssn, ein: &input.ein, is_active: &input.is_active };
    let number = complete_contractor(&mut one, sent, caller.today(tx), &mut checks);
    let own = input.self_onboarding.optional("self_onboarding", &mut checks, as_is).unwrap_or(false);
    require_email(&one, own, &mut checks);
    checks.finish()?;

    one.id = tx.new_id();
    one.search_name = records::rows::search_name(&one);
    if own {
        one.status = Status::SelfOnboardingNotInvited;
    }
    if let Some(number) = number {
        records::rows::set_tin(tx, caller.company, &mut one, &number)?;
    }
    one.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, one.id), &json!({}))?;
    events::emit_event(tx, caller.company, events::CONTRACTOR_CREATED, one.id)?;
    if own {
        events::emit_event(tx, caller.company, events::CONTRACTOR_MARKED_FOR_SELF_ONBOARDING, one.id)?;
    }
    get_contractor(tx, caller, one.id, false)
}

/// Updates the fields that were sent and keeps the rest.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input; a store error.
pub fn update_contractor(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateContractor,
) -> Result<Profile, Error> {
    let before = find_guarded(tx, caller, id)?;
    let today = caller.today(tx);
    let mut after = before.clone();
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    after.apply(input, &mut checks);
    let sent = Sent { ssn: &input.ssn, ein: &input.ein, is_active: &input.is_active };
    let number = complete_contractor(&mut after, sent, today, &mut checks);
    let own = input.self_onboarding.optional("self_onboarding", &mut checks, as_is);
    require_email(&after, own == Some(true), &mut checks);
    refuse_dates(&before, &after, sent.is_active, today, &mut checks);
    checks.finish()?;

    after.search_name = records::rows::search_name(&after);
    if let Some(number) = number {
        let held = records::rows::unseal_tin(tx, caller.company, &after)?;
        if held.as_deref() != Some(&number) {
            records::rows::set_tin(tx, caller.company, &mut after, &number)?;
        }
    }
    let mut changes = Changes::from(Contractor::changes(&before, &after));
    changes.note_secret("ssn", before.ssn != after.ssn);
    changes.note_secret("ein", before.ein != after.ein);
    changes.expect_version(&version.unwrap_or_default(), version_text(TABLE, id, before.version))?;
    if !changes.is_empty() {
        assert!(after.update(tx, caller.company)?, "the row was read under its guard");
        audit::record_audit_entry(tx, caller, "updated", (TABLE, id), &changes.to_json())?;
        events::emit_event(tx, caller.company, events::CONTRACTOR_UPDATED, id)?;
        hooks::contractor_changed(tx, caller, id, ContractorAspect::Record)?;
    }
    if let Some(wanted) = own.and_then(|own| wanted_status(after.status, own)) {
        let now = find_contractor(tx, caller, id)?;
        onboarding::move_to_status(tx, caller, now, wanted)?;
    }
    get_contractor(tx, caller, id, false)
}

/// Fields that need more than a check of their own.
#[derive(Clone, Copy)]
struct Sent<'a> {
    ssn: &'a Patch<String>,
    ein: &'a Patch<String>,
    is_active: &'a Patch<bool>,
}

/// Checks what the fields of a contractor require of each other, and drops what does not belong to its kind; returns a new taxpayer
/// identification number.
fn complete_contractor(
    one: &mut Contractor,
    sent: Sent<'_>,
    today: Date,
    checks: &mut Checks,
) -> Option<String> {
    let blank = |key: &str| Violation::invalid(key, format!("{key} can't be blank"));
    // Also the number that does not count for the kind is read, so that a wrong one is told.
    let ssn =
        sent.ssn.optional("ssn", checks, |key, text| or_none(text, |text| check::ssn_or_itin(key, text)));
    let ein =
        sent.ein.optional("ein", checks, |key, text| or_none(text, |text| company::parse_ein(key, text)));
    let number = match one.kind {
        ContractorType::Individual => {
            (one.business_name, one.ein, one.ein_digest) = (None, None, None);
            checks.require(one.first_name.is_some(), || blank("first_name"));
            checks.require(one.last_name.is_some(), || blank("last_name"));
            checks.require(!one.file_new_hire_report || one.work_state.is_some(), || {
                Violation::invalid("work_state", "work_state is needed to file a new hire report")
            });
            ssn
        }
        ContractorType::Business => {
            (one.first_name, one.middle_initial, one.last_name) = (None, None, None);
            (one.ssn, one.ssn_digest) = (None, None);
            (one.file_new_hire_report, one.work_state) = (false, None);
            checks.require(one.business_name.is_some(), || blank("business_name"));
            ein
        }
    };
    match one.wage_type {
        WageType::Fixed => one.hourly_rate = None,
        WageType::Hourly => checks.require(one.hourly_rate.is_some_and(|rate| rate > Amount::ZERO), || {
            Violation::invalid("hourly_rate", "hourly_rate must be more than 0.00 for the wage type Hourly")
        }),
    }
    if sent.is_active.optional("is_active", checks, as_is) == Some(true) && one.start_date > today {
        one.start_date = today;
    }
    number.flatten()
}

/// Reads a number that may be empty, or masked as in responses; neither changes it.
fn or_none(
    text: &str,
    read: impl FnOnce(&str) -> Result<String, Violation>,
) -> Result<Option<String>, Violation> {
    if text.is_empty() { Ok(None) } else { read(text).map(Some) }
}

fn require_email(one: &Contractor, own: bool, checks: &mut Checks) {
    checks.require(!own || one.email.is_some(), || {
        Violation::invalid("email", "email can't be blank for a contractor with self-onboarding")
    });
}

/// Refuses to move the days of a contractor's work while a dismissal or a rehire is recorded.
fn refuse_dates(
    before: &Contractor,
    after: &Contractor,
    is_active: &Patch<bool>,
    today: Date,
    checks: &mut Checks,
) {
    let planned = before.dismissal_date.is_some_and(|last| last >= today)
        || before.rehire_date.is_some_and(|back| back > today);
    checks.require(!(planned && is_active.value().is_some()), || {
        Violation::invalid("is_active", "is_active can't be set while a dismissal or a rehire is planned")
    });
    let began = |first: Date| before.dismissal_date.is_none_or(|last| first <= last);
    checks.require(before.start_date == after.start_date || began(after.start_date), || {
        Violation::invalid("start_date", "start_date must not be after the contractor's last day")
    });
    let over = before.earlier.last().map(|period| period.last);
    checks.require(over.is_none_or(|last| after.start_date > last), || {
        Violation::invalid("start_date", "start_date must be after the contractor's earlier period of work")
    });
}

/// The status to request when a contractor is to enter the data, or no longer: `None` if it is so already, or onboarding is finished.
fn wanted_status(status: Status, own: bool) -> Option<Status> {
    match (status, own) {
        (Status::AdminOnboardingIncomplete | Status::AdminOnboardingReview, true) => {
            Some(Status::SelfOnboardingNotInvited)
        }
        (Status::SelfOnboardingNotInvited | Status::SelfOnboardingInvited, false) => {
            Some(Status::AdminOnboardingIncomplete)
        }
        _ => None,
    }
}

/// Returns the contractor with its records, and the company's name if asked for.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_contractor(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    company_name: bool,
) -> Result<Profile, Error> {
    let contractor = find_contractor(tx, caller, id)?;
    contractor_profiles(tx, caller, vec![contractor], company_name)?.pop().ok_or(Error::NotFound)
}

/// Returns a page of the company's contractors.
///
/// # Errors
/// 422 for a list that is too long to return whole; a store error.
pub fn list_contractors(
    tx: &mut Tx<'_>,
    caller: &Caller,
    filter: &ContractorFilter,
    company_name: bool,
    page: Page,
) -> Result<Listed<Profile>, Error> {
    let today = caller.today(tx);
    let found = rows::list_contractors(tx, caller.company, filter, page, today)?;
    let details = contractor_profiles(tx, caller, found, company_name)?;
    Listed::new(page, details, || rows::count_contractors(tx, caller.company, filter, today))
}

/// Returns contractors with their records.
fn contractor_profiles(
    tx: &mut Tx<'_>,
    caller: &Caller,
    found: Vec<Contractor>,
    company_name: bool,
) -> Result<Vec<Profile>, Error> {
    let today = caller.today(tx);
    let ids = found.iter().map(|one| one.id);
    let mut addresses = match IdRange::spanning(ids) {
        Some(bounds) => addresses::rows::addresses_of_contractors(tx, caller.company, bounds)?,
        None => HashMap::new(),
    };
    let departments: HashMap<Uuid, Department> = match found.iter().any(|one| one.department.is_some()) {
        true => {
            let all = departments::rows::of_company(tx, caller.company)?;
            all.into_iter().map(|one| (one.id, one)).collect()
        }
        false => HashMap::new(),
    };
    let company_name = match company_name {
        true => companies::find_company(tx, caller.company)?.map(|company| company.name),
        false => None,
    };
    let profile = |contractor: Contractor| Profile {
        address: addresses.remove(&contractor.id),
        department: contractor.department.and_then(|id| departments.get(&id).cloned()),
        today,
        dismissal_cancelable: employment::dismissal_is_cancelable(&contractor, caller, today),
        rehire_cancelable: employment::rehire_is_cancelable(&contractor, caller, today),
        company_name: company_name.clone(),
        contractor,
    };
    Ok(found.into_iter().map(profile).collect())
}
