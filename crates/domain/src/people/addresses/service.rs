//! Use cases of employees' addresses.
//!
//! Every change first takes the employee's guard, because whether an address can be deleted, and when the first one takes effect, depends
//! on the employee's other addresses.

use jiff::civil::Date;
use rules::places::{Question, Side};
use rules::{Checks, Violation, effective};
use store::Tx;
use uuid::Uuid;

use super::Dated;
use super::commands::{CreateHomeAddress, CreateWorkAddress, UpdateHomeAddress, UpdateWorkAddress};
use super::jurisdictions::{self, ByHand, Jurisdiction, Postal, Reader};
use super::questions;
use super::rows;
use super::rows::{HomeAddress, WorkAddress, Workplace};
use crate::access::tokens::Caller;
use crate::company::locations;
use crate::company::locations::places::{self, SentAnswers};
use crate::error::Error;
use crate::events;
use crate::patch;
use crate::patch::{Patch, as_is};
use crate::people::employees;
use crate::platform::audit;
use crate::platform::hooks;
use crate::platform::hooks::EmployeeAspect;
use crate::records::{Changes, parse_id, room_for, version_text};

/// Table of home addresses, for versions and audit entries.
pub const HOME: &str = "home_addresses";
/// Table of work addresses, for versions and audit entries.
pub const WORK: &str = "work_addresses";

const REMOTE: &str = "remote_for_own_convenience";
/// Maximum number of home addresses, and of work addresses, per employee.
const MOST: usize = 200;

/// Returns the employee's home addresses in order of creation; empty if the employee does not exist.
pub fn home_addresses(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
) -> Result<Vec<Dated<HomeAddress>>, Error> {
    let (today, reader) = (caller.today(tx), Reader::read_employee(tx, caller.company, employee)?);
    let homes = rows::home_addresses(tx, caller.company, employee)?;
    Ok(mark_current(homes, today, |home| (home.id, home.effective_date), |home| reader.of_home(home)))
}

/// Returns the questions about a home, each with every choice.
pub fn questions_of_home(
    tx: &mut Tx<'_>,
    caller: &Caller,
    home: &HomeAddress,
) -> Result<Vec<Question>, Error> {
    let reader = Reader::read_employee(tx, caller.company, home.employee)?;
    Ok(reader.questions_of_home(home))
}

/// Same as [`home_addresses`], but fails if the employee does not exist.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_home(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Vec<Dated<HomeAddress>>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?;
    home_addresses(tx, caller, employee.id)
}

/// Returns a home address.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_home(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Dated<HomeAddress>, Error> {
    let address = find_home(tx, caller, id)?;
    home_of(tx, caller, address.employee, id)
}

/// Returns a home address of an employee. Reads all of them, because whether one is active depends on the others.
fn home_of(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, id: Uuid) -> Result<Dated<HomeAddress>, Error> {
    let all = home_addresses(tx, caller, employee)?;
    all.into_iter().find(|home| home.address.id == id).ok_or(Error::NotFound)
}

/// Adds a home address. If no date is sent, the first address of an employee who already works here takes effect on the hire date, so that
/// a later move can be entered with its date; any other address takes effect today.
///
/// # Errors
/// "Not found", every violation of the input; a store error.
pub fn create_home(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &CreateHomeAddress,
) -> Result<Dated<HomeAddress>, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let mut address = HomeAddress {
        employee,
        effective_date: caller.today(tx),
        country: "USA".to_owned(),
        updated_at: tx.now(),
        version: 1,
        ..HomeAddress::default()
    };
    let mut checks = Checks::new();
    let held = rows::home_addresses(tx, caller.company, employee)?.len();
    if held == 0
        && let Some(hired) = rows::hire_date(tx, caller.company, employee)?
    {
        address.effective_date = address.effective_date.min(hired);
    }
    address.fill(input, &mut checks);
    set_places(tx, &input.jurisdiction_codes, &mut address, &mut checks)?;
    answer_places(&input.place_answers, &mut address, &mut checks);
    checks.finish()?;
    room_for("home addresses of an employee", held, MOST)?;
    address.id = tx.new_id();
    address.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (HOME, address.id), &serde_json::json!({}))?;
    events::emit_event(tx, caller.company, events::HOME_ADDRESS_CREATED, address.id)?;
    hooks::employee_changed(tx, caller, employee, EmployeeAspect::HomeAddress)?;
    home_of(tx, caller, employee, address.id)
}

/// Updates the fields that were sent and keeps the rest.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input; a store error.
pub fn update_home(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateHomeAddress,
) -> Result<Dated<HomeAddress>, Error> {
    let before = find_home_guarded(tx, caller, id)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    after.apply(input, &mut checks);
    set_places(tx, &input.jurisdiction_codes, &mut after, &mut checks)?;
    answer_places(&input.place_answers, &mut after, &mut checks);
    checks.finish()?;

    let changes = Changes::from(HomeAddress::changes(&before, &after));
    changes.expect_version(&version.unwrap_or_default(), version_text(HOME, id, before.version))?;
    if !changes.is_empty() {
        assert!(after.update(tx, caller.company)?, "the row was read under its guard");
        audit::record_audit_entry(tx, caller, "updated", (HOME, id), &changes.to_json())?;
        events::emit_event(tx, caller.company, events::HOME_ADDRESS_UPDATED, id)?;
        hooks::employee_changed(tx, caller, after.employee, EmployeeAspect::HomeAddress)?;
    }
    home_of(tx, caller, after.employee, id)
}

/// Deletes a home address other than the active one.
///
/// # Errors
/// "Not found"; 422 for the active address; a store error.
pub fn delete_home(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let address = find_home_guarded(tx, caller, id)?;
    if home_of(tx, caller, address.employee, id)?.active {
        return Err(Error::from(active_is_kept("home")));
    }
    if !address.delete(tx, caller.company)? {
        return Err(Error::NotFound);
    }
    questions::end_notification(tx, caller, address.employee, id)?;
    audit::record_audit_entry(tx, caller, "deleted", (HOME, id), &serde_json::json!({}))?;
    events::emit_event(tx, caller.company, events::HOME_ADDRESS_DELETED, id)
}

/// Applies the localities set by hand, checked against the updated address.
fn set_places(
    tx: &mut Tx<'_>,
    sent: &Patch<Vec<String>>,
    address: &mut HomeAddress,
    checks: &mut Checks,
) -> Result<(), Error> {
    let mut set = address.jurisdiction_codes.take();
    jurisdictions::apply_sent_localities(tx, sent, address.postal(), &mut set, checks)?;
    address.jurisdiction_codes = set;
    Ok(())
}

/// Applies the answers about the address, checked against the updated address.
fn answer_places(sent: &Patch<SentAnswers>, address: &mut HomeAddress, checks: &mut Checks) {
    let mut held = address.place_answers.take();
    places::apply_place_answers(sent, (Side::Home, address.postal()), &mut held, checks);
    address.place_answers = held;
}

fn find_home(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<HomeAddress, Error> {
    rows::find_home(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// Returns the home address under its employee's guard. It is read once before, to find the employee.
fn find_home_guarded(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<HomeAddress, Error> {
    let address = find_home(tx, caller, id)?;
    employees::service::find_guarded(tx, caller, address.employee)?;
    find_home(tx, caller, id)
}

/// Returns the employee's work addresses in order of creation.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_work(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Vec<Dated<Workplace>>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?;
    work_addresses(tx, caller, employee.id)
}

/// Returns a work address.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_work(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Dated<Workplace>, Error> {
    let address = find_work(tx, caller, id)?;
    work_of(tx, caller, address.employee, id)
}

/// Returns a work address of an employee. Reads all of them, because whether one is active depends on the others.
fn work_of(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, id: Uuid) -> Result<Dated<Workplace>, Error> {
    let all = work_addresses(tx, caller, employee)?;
    all.into_iter().find(|work| work.address.address.id == id).ok_or(Error::NotFound)
}

/// Adds a work address. If no date is sent, an employee's first work address takes effect on the hire date (today if there is
/// none), and later ones today.
///
/// # Errors
/// "Not found", every violation of the input; a store error.
pub fn create_work(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &CreateWorkAddress,
) -> Result<Dated<Workplace>, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let mut checks = Checks::new();
    let location = input.location_uuid.required("location_uuid", &mut checks, location_id);
    let mut set = None;
    if let Some(location) = location {
        set_at_location(tx, caller, location, (&input.jurisdiction_codes, &mut set), &mut checks)?;
    }
    let effective_date = input.effective_date.optional("effective_date", &mut checks, as_is);
    let remote = input.remote_for_own_convenience.optional(REMOTE, &mut checks, as_is);
    checks.finish()?;
    let held = rows::work_addresses(tx, caller.company, employee)?.len();
    room_for("work addresses of an employee", held, MOST)?;

    let effective_date = match effective_date {
        Some(day) => day,
        None if held > 0 => caller.today(tx),
        None => rows::hire_date(tx, caller.company, employee)?.unwrap_or_else(|| caller.today(tx)),
    };
    let id = tx.new_id();
    let address = WorkAddress {
        id,
        employee,
        location: location.unwrap_or_default(),
        effective_date,
        remote_for_own_convenience: remote.unwrap_or(false),
        jurisdiction_codes: set,
        updated_at: tx.now(),
        version: 1,
    };
    address.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (WORK, id), &serde_json::json!({}))?;
    events::emit_event(tx, caller.company, events::WORK_ADDRESS_CREATED, id)?;
    hooks::employee_changed(tx, caller, employee, EmployeeAspect::WorkAddress)?;
    work_of(tx, caller, employee, id)
}

/// Updates the fields that were sent and keeps the rest.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input; a store error.
pub fn update_work(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateWorkAddress,
) -> Result<Dated<Workplace>, Error> {
    let before = find_work_guarded(tx, caller, id)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    input.location_uuid.update("location_uuid", &mut checks, location_id, &mut after.location);
    let set = (&input.jurisdiction_codes, &mut after.jurisdiction_codes);
    set_at_location(tx, caller, after.location, set, &mut checks)?;
    let effective_date = input.effective_date.optional("effective_date", &mut checks, as_is);
    after.effective_date = effective_date.unwrap_or(before.effective_date);
    input.remote_for_own_convenience.update(
        REMOTE,
        &mut checks,
        as_is,
        &mut after.remote_for_own_convenience,
    );
    checks.finish()?;

    let mut changes = Changes::new();
    changes.record_difference(REMOTE, &before.remote_for_own_convenience, &after.remote_for_own_convenience);
    changes.record_difference("location_uuid", &before.location, &after.location);
    changes.record_difference("effective_date", &before.effective_date, &after.effective_date);
    changes.record_difference("jurisdiction_codes", &before.jurisdiction_codes, &after.jurisdiction_codes);
    changes.expect_version(&version.unwrap_or_default(), version_text(WORK, id, before.version))?;
    if !changes.is_empty() {
        assert!(after.update(tx, caller.company)?, "the row was read under its guard");
        audit::record_audit_entry(tx, caller, "updated", (WORK, id), &changes.to_json())?;
        events::emit_event(tx, caller.company, events::WORK_ADDRESS_UPDATED, id)?;
        hooks::employee_changed(tx, caller, after.employee, EmployeeAspect::WorkAddress)?;
    }
    work_of(tx, caller, after.employee, id)
}

/// Deletes a work address other than the active one.
///
/// # Errors
/// "Not found"; 422 for the active address; a store error.
pub fn delete_work(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let address = find_work_guarded(tx, caller, id)?;
    if work_of(tx, caller, address.employee, id)?.active {
        return Err(Error::from(active_is_kept("work")));
    }
    if !address.delete(tx, caller.company)? {
        return Err(Error::NotFound);
    }
    audit::record_audit_entry(tx, caller, "deleted", (WORK, id), &serde_json::json!({}))?;
    events::emit_event(tx, caller.company, events::WORK_ADDRESS_DELETED, id)
}

fn work_addresses(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Vec<Dated<Workplace>>, Error> {
    let (today, reader) = (caller.today(tx), Reader::read_employee(tx, caller.company, employee)?);
    let works = rows::work_addresses(tx, caller.company, employee)?;
    let key = |work: &Workplace| (work.address.id, work.address.effective_date);
    Ok(mark_current(works, today, key, |work| reader.of_work(work)))
}

fn find_work(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<WorkAddress, Error> {
    rows::find_work(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// Returns the work address under its employee's guard. It is read once before, to find the employee.
fn find_work_guarded(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<WorkAddress, Error> {
    let address = find_work(tx, caller, id)?;
    employees::service::find_guarded(tx, caller, address.employee)?;
    find_work(tx, caller, id)
}

/// Parses the id of a location. A malformed id is rejected like the id of another company's location.
#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn location_id(key: &str, value: &String) -> Result<Uuid, Violation> {
    parse_id(value).ok_or_else(|| no_location(key))
}

/// Checks that the location exists and applies the localities set by hand for it.
fn set_at_location(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    (sent, held): (&Patch<Vec<String>>, &mut Option<ByHand>),
    checks: &mut Checks,
) -> Result<(), Error> {
    let Some(found) = locations::rows::Location::find(tx, caller.company, id)? else {
        checks.push(no_location("location_uuid"));
        return Ok(());
    };
    checks.require(found.active, || {
        Violation::invalid(
            "location_uuid",
            "location_uuid must name a location that is in use: this one is closed",
        )
    });
    let at = Postal { state: &found.state, city: &found.city, zip: &found.zip };
    jurisdictions::apply_sent_localities(tx, sent, at, held, checks)
}

/// Refuses to close a location at which somebody works, or will.
///
/// # Errors
/// 422 with the number of people; a store error.
pub fn refuse_where_people_work(tx: &mut Tx<'_>, caller: &Caller, location: Uuid) -> Result<(), Error> {
    let people = rows::working_at(tx, caller.company, location, caller.today(tx))?;
    if people == 0 {
        return Ok(());
    }
    let message = format!(
        "active must be true while people work at the location, now or later: {people} of them do; give them another work address first"
    );
    Err(Error::from(Violation::invalid("active", message)))
}

fn no_location(key: &str) -> Violation {
    Violation::invalid(key, format!("{key} is not one of the company's locations"))
}

fn active_is_kept(kind: &str) -> Violation {
    Violation::invalid_operation(format!(
        "The active {kind} address cannot be deleted; update it, or add the address that comes after it."
    ))
}

/// Marks the address in effect today and adds the localities of each. `key` returns the id and the first day of an address.
fn mark_current<T>(
    addresses: Vec<T>,
    today: Date,
    key: impl Fn(&T) -> (Uuid, Date),
    places: impl Fn(&T) -> (Vec<Jurisdiction>, Vec<Question>),
) -> Vec<Dated<T>> {
    let active =
        effective::active_record(&addresses, today, |address| key(address).1).map(|address| key(address).0);
    let dated = addresses.into_iter();
    let dated = dated.map(|address| {
        let (jurisdictions, questions) = places(&address);
        Dated { active: active == Some(key(&address).0), jurisdictions, questions, address }
    });
    dated.collect()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn the_active_address_changes_with_the_day_and_there_is_only_one() {
        let days = [date(2026, 1, 1), date(2026, 3, 1), date(2026, 3, 1)];
        let days: Vec<_> = (1..).map(Uuid::from_u128).zip(days).collect();
        for (today, expected) in [
            (date(2025, 6, 1), [true, false, false]),
            (date(2026, 2, 28), [true, false, false]),
            (date(2026, 3, 1), [false, false, true]),
        ] {
            let found = mark_current(days.clone(), today, |day| *day, |_| (Vec::new(), Vec::new()));
            assert_eq!(found.iter().map(|one| one.active).collect::<Vec<_>>(), expected, "{today}");
        }
    }

    #[test]
    fn a_location_id_is_a_uuid_in_its_usual_form() {
        let id = "0197a1b2-0000-7000-8000-000000000001";
        assert_eq!(location_id("location_uuid", &id.to_owned()).unwrap().to_string(), id);
        for wrong in ["", "7", &id.replace('-', ""), &format!("{{{id}}}")] {
            let violation = location_id("location_uuid", &wrong.to_owned()).unwrap_err();
            assert_eq!(violation.message, "location_uuid is not one of the company's locations");
        }
    }
}
