//! Creating, inviting, updating and deleting a company's signatory. Whether there is one already is determined from the rows that were
//! read, so every change first takes the guard of the company's signatories.

use jiff::civil::Date;
use rules::{Checks, Named, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::commands;
use super::commands::SignatoryFields;
use super::rows;
use super::rows::{Address, IdentityCheck, Signatory};
use crate::access::tokens::Caller;
use crate::access::users;
use crate::company::locations::fields::{optional_line, read_address_line, read_state, read_zip_code};
use crate::error::Error;
use crate::events;
use crate::patch::{self, Patch};
use crate::platform::audit;
use crate::platform::hooks;
use crate::records::{Changes, version_text};

/// Table of the record, in versions and audit entries.
pub const TABLE: &str = "signatories";
/// The fields that an identity check covers.
const CHECKED: [&str; 5] = ["first_name", "middle_initial", "last_name", "birthday", "ssn"];
/// Longest title, in characters.
const TITLE: usize = 100;

/// A signatory with the fields that are stored sealed or elsewhere.
#[derive(Clone)]
pub struct SignatoryDetails {
    /// the signatory
    pub signatory: Signatory,
    /// the birthday, unsealed
    pub birthday: Option<Date>,
    /// whether the e-mail address is that of an administrator of the company
    pub is_admin: bool,
}

store::hidden!(SignatoryDetails);

/// The company's signatory, if it has one.
pub fn get_signatory(tx: &mut Tx<'_>, caller: &Caller) -> Result<Option<SignatoryDetails>, Error> {
    let signatory = rows::of_company(tx, caller.company)?;
    signatory.map(|signatory| signatory_details(tx, caller, signatory)).transpose()
}

/// Creates the signatory with everything that is needed to sign.
///
/// # Errors
/// 422 if there is one already, and every violation of the input; a store error.
pub fn create_signatory(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &SignatoryFields,
) -> Result<SignatoryDetails, Error> {
    let created = add_signatory(tx, caller, input, true)?;
    signatory_details(tx, caller, created)
}

/// Creates a signatory of which only name and e-mail address are required.
///
/// # Errors
/// As [`create_signatory`].
pub fn invite_signatory(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &SignatoryFields,
) -> Result<SignatoryDetails, Error> {
    let created = add_signatory(tx, caller, input, false)?;
    events::emit_event(tx, caller.company, events::SIGNATORY_MARKED_FOR_INVITE, created.id)?;
    signatory_details(tx, caller, created)
}

/// Updates what was sent and keeps the rest. Afterwards nothing may be missing.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input; a store error.
pub fn update_signatory(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &SignatoryFields,
) -> Result<SignatoryDetails, Error> {
    lock_signatory(tx, caller)?;
    let before = find_signatory(tx, caller, id)?;
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    let birthday = before.birthday(tx, caller.company)?;
    let mut draft = Draft { row: before.clone(), birthday, ssn: None };
    draft.apply_fields(input, caller.today(tx), &mut checks);
    draft.require_all(input, &mut checks);
    checks.finish()?;

    let ssn_changed = match &draft.ssn {
        Some(ssn) => before.ssn(tx, caller.company)?.is_none_or(|held| **held != **ssn),
        None => false,
    };
    let mut changes = signatory_changes(&before, &draft.row);
    changes.note_secret("birthday", draft.birthday != birthday);
    changes.note_secret("ssn", ssn_changed);
    changes.expect_version(&version.unwrap_or_default(), version_text(TABLE, id, before.version))?;
    if !changes.is_empty() {
        let mut after = draft.seal_record(tx, caller, &changes)?;
        if CHECKED.iter().any(|field| changes.has_change(field)) {
            after.identity_check = None;
        }
        assert!(rows::update_signatory(tx, caller.company, &after)?, "the row was read under the guard");
        audit::record_audit_entry(tx, caller, "updated", (TABLE, id), &changes.to_json())?;
        events::emit_event(tx, caller.company, events::SIGNATORY_UPDATED, id)?;
        hooks::company_changed(tx, caller)?;
    }
    let after = find_signatory(tx, caller, id)?;
    signatory_details(tx, caller, after)
}

/// Records the result of a check of the signatory's identity. It applies to the name, birthday and SSN that were checked: when one of them
/// changes, it is removed.
///
/// # Errors
/// "Not found" without a signatory; 422 if details are missing; a store error.
pub fn note_identity(tx: &mut Tx<'_>, caller: &Caller, outcome: IdentityCheck) -> Result<(), Error> {
    lock_signatory(tx, caller)?;
    let before = rows::of_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    let mut checks = Checks::new();
    checks.require(before.is_complete(), || {
        Violation::invalid_operation(
            "The signatory's details are incomplete, so the identity cannot have been checked.",
        )
    });
    checks.finish()?;
    if before.identity_check == Some(outcome) {
        return Ok(());
    }
    let shown = |check: Option<IdentityCheck>| check.map(IdentityCheck::as_str);
    let changes = json!({ "identity_check": [shown(before.identity_check), outcome.as_str()] });
    let after = Signatory { identity_check: Some(outcome), ..before };
    assert!(rows::update_signatory(tx, caller.company, &after)?, "the row was read under the guard");
    audit::record_audit_entry(tx, caller, "checked_identity", (TABLE, after.id), &changes)?;
    events::emit_event(tx, caller.company, events::SIGNATORY_UPDATED, after.id)
}

/// Deletes the signatory. Signed forms are kept.
///
/// # Errors
/// "Not found"; a store error.
pub fn delete_signatory(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    lock_signatory(tx, caller)?;
    if !rows::delete_signatory(tx, caller.company, id)? {
        return Err(Error::NotFound);
    }
    audit::record_audit_entry(tx, caller, "deleted", (TABLE, id), &json!({}))?;
    events::emit_event(tx, caller.company, events::SIGNATORY_DELETED, id)?;
    hooks::company_changed(tx, caller)
}

fn lock_signatory(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    Ok(tx.take_guard(caller.company, TABLE, caller.company)?)
}

fn find_signatory(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Signatory, Error> {
    rows::of_company(tx, caller.company)?.filter(|signatory| signatory.id == id).ok_or(Error::NotFound)
}

fn add_signatory(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &SignatoryFields,
    complete: bool,
) -> Result<Signatory, Error> {
    lock_signatory(tx, caller)?;
    let mut checks = Checks::new();
    let email = input.email.required("email", &mut checks, |k, v| check::validate_email(k, v));
    let mut draft = Draft::new(email.unwrap_or_default());
    draft.apply_fields(input, caller.today(tx), &mut checks);
    draft.require_name(input, &mut checks);
    if complete {
        draft.require_all(input, &mut checks);
    }
    checks.require(rows::of_company(tx, caller.company)?.is_none(), || {
        Violation::invalid_operation("The company already has a signatory; delete it first, or update it.")
    });
    checks.finish()?;

    draft.row.id = tx.new_id();
    let mut all = Changes::new();
    all.note_secret("birthday", true);
    all.note_secret("ssn", true);
    let created = draft.seal_record(tx, caller, &all)?;
    rows::insert_signatory(tx, caller.company, &created)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, created.id), &json!({}))?;
    events::emit_event(tx, caller.company, events::SIGNATORY_CREATED, created.id)?;
    hooks::company_changed(tx, caller)?;
    Ok(created)
}

/// A signatory with the fields of a command, before anything is sealed.
struct Draft {
    row: Signatory,
    birthday: Option<Date>,
    /// a new SSN
    ssn: Option<String>,
}

impl Draft {
    fn new(email: String) -> Self {
        let row = Signatory {
            id: Uuid::nil(),
            first_name: String::new(),
            middle_initial: None,
            last_name: String::new(),
            title: None,
            phone: None,
            email,
            birthday: None,
            ssn: None,
            home: None,
            identity_check: None,
            version: 1,
        };
        Self { row, birthday: None, ssn: None }
    }

    /// Sets the fields that were sent.
    fn apply_fields(&mut self, input: &SignatoryFields, today: Date, checks: &mut Checks) {
        let row = &mut self.row;
        let name = |k: &str, v: &String| check::person_name(k, v);
        if let Some(first) = input.first_name.optional("first_name", checks, name) {
            row.first_name = first;
        }
        if let Some(last) = input.last_name.optional("last_name", checks, name) {
            row.last_name = last;
        }
        let initial = |k: &str, v: &String| check::middle_initial(k, v);
        input.middle_initial.update_or_clear("middle_initial", checks, initial, &mut row.middle_initial);
        let title = |k: &str, v: &String| check::validate_text(k, v, TITLE);
        row.title = input.title.optional("title", checks, title).or(row.title.take());
        let phone = |k: &str, v: &String| check::parse_phone(k, v);
        row.phone = input.phone.optional("phone", checks, phone).or(row.phone.take());
        let born = |k: &str, v: &Date| check::birth_date(k, *v, today);
        self.birthday = input.birthday.optional("birthday", checks, born).or(self.birthday);
        self.ssn = input.ssn.optional("ssn", checks, |k, v| check::ssn_as_on_card(k, v));
        row.home = input.home_address.optional("home_address", checks, read_address).or(row.home.take());
    }

    fn require_name(&self, input: &SignatoryFields, checks: &mut Checks) {
        check_field_present("first_name", &input.first_name, !self.row.first_name.is_empty(), checks);
        check_field_present("last_name", &input.last_name, !self.row.last_name.is_empty(), checks);
    }

    /// Reports everything that is needed to sign and is neither stored nor sent.
    fn require_all(&self, input: &SignatoryFields, checks: &mut Checks) {
        check_field_present("title", &input.title, self.row.title.is_some(), checks);
        check_field_present("phone", &input.phone, self.row.phone.is_some(), checks);
        check_field_present("birthday", &input.birthday, self.birthday.is_some(), checks);
        check_field_present("ssn", &input.ssn, self.ssn.is_some() || self.row.ssn.is_some(), checks);
        check_field_present("home_address", &input.home_address, self.row.home.is_some(), checks);
    }

    /// The record to store, with changed secrets sealed.
    fn seal_record(self, tx: &mut Tx<'_>, caller: &Caller, changes: &Changes) -> Result<Signatory, Error> {
        let Self { mut row, birthday, ssn } = self;
        let place = |column| rows::sealed_field_place(caller.company, row.id, column);
        if let Some(day) = birthday.filter(|_| changes.has_change("birthday")) {
            row.birthday = Some(tx.seal_field(place("birthday"), day.to_string().as_bytes())?);
        }
        if let Some(ssn) = ssn.filter(|_| changes.has_change("ssn")) {
            row.ssn = Some(tx.seal_field(place("ssn"), ssn.as_bytes())?);
        }
        Ok(row)
    }
}

/// Reports a field that is neither stored nor sent. An invalid value is reported elsewhere.
fn check_field_present<T>(key: &str, field: &Patch<T>, stored: bool, checks: &mut Checks) {
    if !stored && matches!(field, Patch::Absent | Patch::Null) {
        checks.push(Violation::invalid(key, format!("{key} can't be blank")));
    }
}

fn read_address(key: &str, input: &commands::Address) -> Result<Address, Violation> {
    let mut checks = Checks::new();
    let street_1 = input.street_1.required("street_1", &mut checks, read_address_line);
    let street_2 = input.street_2.optional("street_2", &mut checks, optional_line);
    let city = input.city.required("city", &mut checks, read_address_line);
    let state = input.state.required("state", &mut checks, read_state);
    let zip = input.zip.required("zip", &mut checks, read_zip_code);
    let country =
        input.country.optional("country", &mut checks, |k, v| check::parse_country(k, v)).unwrap_or("USA");
    checks.finish().map_err(|errors| Violation::nested(key, errors))?;
    Ok(Address {
        street_1: street_1.unwrap_or_default(),
        street_2: street_2.flatten(),
        city: city.unwrap_or_default(),
        state: state.unwrap_or_default(),
        zip: zip.unwrap_or_default(),
        country: country.to_owned(),
    })
}

fn signatory_changes(before: &Signatory, after: &Signatory) -> Changes {
    let mut changes = Changes::new();
    changes.record_difference("first_name", &before.first_name, &after.first_name);
    changes.record_difference("middle_initial", &before.middle_initial, &after.middle_initial);
    changes.record_difference("last_name", &before.last_name, &after.last_name);
    changes.record_difference("title", &before.title, &after.title);
    changes.record_difference("phone", &before.phone, &after.phone);
    let lines = |signatory: &Signatory| {
        signatory
            .home
            .as_ref()
            .map(|h| (h.street_1.clone(), h.street_2.clone(), h.city.clone(), h.state.clone(), h.zip.clone()))
    };
    changes.record_difference("home_address", &lines(before), &lines(after));
    changes
}

fn signatory_details(
    tx: &mut Tx<'_>,
    caller: &Caller,
    signatory: Signatory,
) -> Result<SignatoryDetails, Error> {
    let birthday = signatory.birthday(tx, caller.company)?;
    let email = signatory.email.to_lowercase();
    let is_admin =
        users::list_admins(tx, caller.company)?.iter().any(|admin| admin.email.to_lowercase() == email);
    Ok(SignatoryDetails { signatory, birthday, is_admin })
}
