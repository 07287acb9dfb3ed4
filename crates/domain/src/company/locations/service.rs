//! Use cases of locations.
//!
//! One location of a company is its mailing address, and one is its filing address; setting either on a location removes it from the
//! previous one. The previous one is determined from the rows that were read, so every unit that writes a location first takes the guard of
//! all locations of its company.

use rules::places::Side;
use rules::{Checks, Violation, calendar};
use store::Tx;
use uuid::Uuid;

use super::commands::{CreateLocation, UpdateLocation};
use super::places;
use super::places::SentAnswers;
use super::rows;
use super::rows::Location;
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::events;
use crate::paging::{Listed, Page};
use crate::patch::{self, Patch, as_is};
use crate::platform::{audit, hooks};
use crate::records::{Changes, room_for, version_text};

/// Table of the record, in versions and audit entries.
pub const TABLE: &str = "locations";
/// Why a location stays in its state.
pub const WORK_IS_PAID: &str = "state can't be changed where payrolls have paid work at the location";

/// Creates a location. The first one of a company is its mailing and its filing address, unless the input says otherwise.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_location(tx: &mut Tx<'_>, caller: &Caller, input: &CreateLocation) -> Result<Location, Error> {
    lock_company_locations(tx, caller)?;
    let held = rows::count_locations(tx, caller.company)?;
    let (is_first, now) = (held == 0, tx.now());
    let mut location = Location {
        country: "USA".to_owned(),
        mailing_address: is_first,
        filing_address: is_first,
        active: true,
        version: 1,
        created_at: now,
        updated_at: now,
        ..Location::default()
    };
    let mut checks = Checks::new();
    location.fill(input, &mut checks);
    set_places(&input.place_answers, &mut location, &mut checks);
    checks.finish()?;
    room_for("locations of a company", usize::try_from(held).unwrap_or(usize::MAX), rows::MOST as usize)?;
    location.id = tx.new_id();
    location.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, location.id), &serde_json::json!({}))?;
    events::emit_event(tx, caller.company, events::LOCATION_CREATED, location.id)?;
    take_over(tx, caller, &location)?;
    if location.filing_address {
        set_time_zone(tx, caller, &location)?;
    }
    Ok(location)
}

/// Updates what was sent and keeps the rest.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input, a change of state after work has been paid; a store error.
pub fn update_location(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateLocation,
) -> Result<Location, Error> {
    lock_company_locations(tx, caller)?;
    let before = find_location(tx, caller, id)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    after.apply(input, &mut checks);
    set_places(&input.place_answers, &mut after, &mut checks);
    input.active.update("active", &mut checks, as_is, &mut after.active);
    checks.require(after.active || !(after.mailing_address || after.filing_address), || {
        let message = "active must be true for the mailing and the filing address: make another location these addresses first";
        Violation::invalid("active", message)
    });
    checks.finish()?;

    let changes = location_changes(&before, &after);
    changes.expect_version(&version.unwrap_or_default(), version_text(TABLE, id, before.version))?;
    if changes.has_change("state") {
        hooks::location_to_move(tx, caller, id)?;
    }
    if before.active && !after.active {
        hooks::location_to_close(tx, caller, id)?;
    }
    store_changes(tx, caller, &after, &changes)?;
    take_over(tx, caller, &after)?;
    if after.filing_address && (changes.has_change("filing_address") || changes.has_change("state")) {
        set_time_zone(tx, caller, &after)?;
    }
    find_location(tx, caller, id)
}

/// The location.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_location(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Location, Error> {
    Location::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// A page of the company's locations.
///
/// # Errors
/// 422 for a list that is too long to be returned whole; a store error.
pub fn list_locations(tx: &mut Tx<'_>, caller: &Caller, page: Page) -> Result<Listed<Location>, Error> {
    let found = rows::list_locations(tx, caller.company, page)?;
    Listed::new(page, found, || rows::count_locations(tx, caller.company))
}

/// Applies the answers about the address, checked against the updated address.
fn set_places(sent: &Patch<SentAnswers>, location: &mut Location, checks: &mut Checks) {
    let mut held = location.place_answers.take();
    places::apply_place_answers(sent, (Side::Work, location.postal()), &mut held, checks);
    location.place_answers = held;
}

/// The active locations with questions about their address that nobody has answered.
pub fn with_open_questions(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Location>, Error> {
    let mut active = rows::active_locations(tx, company)?;
    active.retain(|place| place.work_localities(false).open_questions().next().is_some());
    Ok(active)
}

/// The guard of all locations of the company.
fn lock_company_locations(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    Ok(tx.take_guard(caller.company, TABLE, caller.company)?)
}

/// Removes the mailing and the filing address from the other locations, if `holder` has them.
fn take_over(tx: &mut Tx<'_>, caller: &Caller, holder: &Location) -> Result<(), Error> {
    if !holder.mailing_address && !holder.filing_address {
        return Ok(());
    }
    for other in rows::of_company(tx, caller.company)? {
        if other.id != holder.id {
            let rest = without_what(holder, &other);
            store_changes(tx, caller, &rest, &location_changes(&other, &rest))?;
        }
    }
    Ok(())
}

/// `other` without what only one location can be, if `holder` is it.
fn without_what(holder: &Location, other: &Location) -> Location {
    Location {
        mailing_address: other.mailing_address && !holder.mailing_address,
        filing_address: other.filing_address && !holder.filing_address,
        ..other.clone()
    }
}

/// Stores a location whose row was read under the guard, with its audit entry and its event; no-op if nothing has changed.
fn store_changes(tx: &mut Tx<'_>, caller: &Caller, after: &Location, changes: &Changes) -> Result<(), Error> {
    if changes.is_empty() {
        return Ok(());
    }
    assert!(after.update(tx, caller.company)?, "the row was read under the guard");
    audit::record_audit_entry(tx, caller, "updated", (TABLE, after.id), &changes.to_json())?;
    events::emit_event(tx, caller.company, events::LOCATION_UPDATED, after.id)
}

/// The company's time zone is that of its filing address.
fn set_time_zone(tx: &mut Tx<'_>, caller: &Caller, filing: &Location) -> Result<(), Error> {
    companies::rows::set_time_zone(tx, caller.company, calendar::time_zone_of_state(&filing.state))
}

fn location_changes(before: &Location, after: &Location) -> Changes {
    Location::changes(before, after).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    fn location(id: u128, mailing_address: bool, filing_address: bool) -> Location {
        Location {
            id: Uuid::from_u128(id),
            phone_number: "4155550100".to_owned(),
            street_1: "1 Main St".to_owned(),
            street_2: None,
            city: "Oakland".to_owned(),
            state: "CA".to_owned(),
            zip: "94607".to_owned(),
            country: "USA".to_owned(),
            mailing_address,
            filing_address,
            active: true,
            place_answers: None,
            version: 1,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn mailing_and_filing_address_move_to_one_location_and_nothing_else_changes() {
        let other = location(1, true, true);
        for (mailing, filing) in [(false, false), (true, false), (false, true), (true, true)] {
            let rest = without_what(&location(2, mailing, filing), &other);
            assert_eq!((rest.mailing_address, rest.filing_address), (!mailing, !filing));
            let changed = location_changes(&other, &rest);
            assert_eq!(
                (changed.has_change("mailing_address"), changed.has_change("filing_address")),
                (mailing, filing)
            );
            assert_eq!(changed.is_empty(), !mailing && !filing);
        }
    }

    #[test]
    fn a_location_that_is_neither_address_changes_no_other() {
        let rest = without_what(&location(2, true, true), &location(1, false, false));
        assert!(!rest.mailing_address && !rest.filing_address);
    }
}
