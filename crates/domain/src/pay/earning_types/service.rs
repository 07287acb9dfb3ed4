//! Use cases of earning types.
//!
//! A name belongs to one type of a company, in any case: lines of a payroll are distinguished by their names. So every change takes the
//! guard of all types.

use rules::{Checks, Named, Violation, check};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::Tx;
use uuid::{Builder, Uuid};

use super::rows;
use super::rows::{EarningCategory, EarningType};
use crate::access::tokens::Caller;
use crate::digest;
use crate::error::Error;
use crate::patch::{Patch, as_is};
use crate::platform::audit;
use crate::records::{Changes, room_for};

/// Table of the record, in audit entries and for guards.
const TABLE: &str = "earning_types";
/// Maximum number of earning types of a company, including inactive ones.
const MOST: usize = 100;
/// Maximum characters of a name.
const NAME: usize = 100;

/// Names of the standard types that count towards the regular rate.
const COUNTING: [&str; 2] = ["Bonus", "Commission"];

/// Creates an earning type.
#[derive(Debug, Clone, Default)]
pub struct CreateEarningType {
    /// its name
    pub name: Patch<String>,
    /// what kind of pay it is
    pub category: Patch<EarningCategory>,
    /// whether it counts towards the regular rate of overtime
    pub counts_in_regular_rate: Patch<bool>,
    /// the same under the name of the public interface
    pub included_in_overtime_pay: Patch<bool>,
}

/// Changes the given fields of an earning type.
#[derive(Debug, Clone, Default)]
pub struct UpdateEarningType {
    /// its name
    pub name: Patch<String>,
    /// whether it counts towards the regular rate of overtime
    pub counts_in_regular_rate: Patch<bool>,
}

/// The earning types of a company.
#[derive(Debug, Clone)]
pub struct EarningTypes {
    /// the standard types, by name
    pub standard: Vec<EarningType>,
    /// the company's own types, oldest first
    pub custom: Vec<EarningType>,
}

/// The earning types of the company, including the standard ones: `standard` are their names.
pub fn list_earning_types(
    tx: &mut Tx<'_>,
    caller: &Caller,
    standard: &[&str],
) -> Result<EarningTypes, Error> {
    let all = standard.iter().map(|name| of_everybody(name)).collect();
    Ok(EarningTypes { standard: all, custom: rows::of_company(tx, caller.company)? })
}

/// The identifier of a standard type: it has no record, so the identifier is derived from the name.
pub fn standard_id(name: &str) -> Uuid {
    let mut hash = Sha256::new();
    digest::hash_part(&mut hash, b"earning type");
    digest::hash_part(&mut hash, name.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    Builder::from_custom_bytes(bytes).into_uuid()
}

fn of_everybody(name: &str) -> EarningType {
    EarningType {
        id: standard_id(name),
        name: name.to_owned(),
        active: true,
        counts_in_regular_rate: COUNTING.contains(&name),
        category: EarningCategory::parse(name).unwrap_or(EarningCategory::Other),
        version: 1,
    }
}

/// Creates an earning type, or reactivates an inactive one of that name.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_earning_type(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreateEarningType,
    standard: &[&str],
) -> Result<EarningType, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let held = rows::of_company(tx, caller.company)?;
    let mut checks = Checks::new();
    let name = input.name.required("name", &mut checks, |key, name| check::validate_text(key, name, NAME));
    let same = |one: &&EarningType| name.as_deref().is_some_and(|name| same_name(&one.name, name));
    let before = held.iter().find(same);
    let category = input.category.optional("category", &mut checks, as_is);
    let category = category.unwrap_or(EarningCategory::Other);
    let counts_in_regular_rate = counts_in_regular_rate(input, category, &mut checks);
    refuse_taken(name.as_deref(), before.filter(|one| one.active), standard, &mut checks);
    checks.finish()?;
    let name = name.unwrap_or_else(|| unreachable!("a type without a name is refused"));
    if let Some(before) = before {
        let after = EarningType { name, active: true, counts_in_regular_rate, category, ..before.clone() };
        return save_earning_type(tx, caller, before, after);
    }
    room_for("earning types of a company", held.len(), MOST)?;
    let new =
        EarningType { id: tx.new_id(), name, active: true, counts_in_regular_rate, category, version: 1 };
    new.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, new.id), &json!({}))?;
    Ok(new)
}

/// Changes the given fields of an earning type.
///
/// # Errors
/// "Not found", also for standard types; every violation of the input; a store error.
pub fn update_earning_type(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateEarningType,
    standard: &[&str],
) -> Result<EarningType, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let held = rows::of_company(tx, caller.company)?;
    let before = held.iter().find(|one| one.id == id).ok_or(Error::NotFound)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    input.name.update(
        "name",
        &mut checks,
        |key, name| check::validate_text(key, name, NAME),
        &mut after.name,
    );
    let counts = &mut after.counts_in_regular_rate;
    input.counts_in_regular_rate.update("counts_in_regular_rate", &mut checks, as_is, counts);
    check_counts("counts_in_regular_rate", after.counts_in_regular_rate, after.category, &mut checks);
    let taken = held.iter().find(|one| one.id != id && same_name(&one.name, &after.name));
    refuse_taken(Some(&after.name), taken, standard, &mut checks);
    checks.finish()?;
    save_earning_type(tx, caller, before, after)
}

/// Deactivates an earning type: no new line can name it.
///
/// # Errors
/// "Not found", also for standard types; a store error.
pub fn deactivate_earning_type(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let before = EarningType::find(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    let after = EarningType { active: false, ..before.clone() };
    save_earning_type(tx, caller, &before, after).map(|_| ())
}

fn save_earning_type(
    tx: &mut Tx<'_>,
    caller: &Caller,
    before: &EarningType,
    after: EarningType,
) -> Result<EarningType, Error> {
    let changes = Changes::from(EarningType::changes(before, &after));
    if !changes.is_empty() {
        assert!(after.update(tx, caller.company)?, "the row was read under its guard");
        audit::record_audit_entry(tx, caller, "updated", (TABLE, after.id), &changes.to_json())?;
    }
    Ok(after)
}

/// Whether a new type counts towards the regular rate: as its category says, or else as the company says under one name or the other.
fn counts_in_regular_rate(input: &CreateEarningType, category: EarningCategory, checks: &mut Checks) -> bool {
    let sent = [
        ("included_in_overtime_pay", &input.included_in_overtime_pay),
        ("counts_in_regular_rate", &input.counts_in_regular_rate),
    ];
    let mut counts = category.counts_in_regular_rate();
    for (key, field) in sent {
        let Some(said) = field.optional(key, checks, as_is) else { continue };
        check_counts(key, said, category, checks);
        checks.require(category != EarningCategory::Other || counts.is_none_or(|counts| counts == said), || {
            Violation::invalid(key, "included_in_overtime_pay and counts_in_regular_rate must be the same where both are given")
        });
        counts = counts.or(Some(said));
    }
    counts.unwrap_or(true)
}

/// Refuses what contradicts the category of a type.
fn check_counts(key: &str, counts: bool, category: EarningCategory, checks: &mut Checks) {
    let fixed = category.counts_in_regular_rate();
    checks.require(fixed.is_none_or(|fixed| fixed == counts), || {
        let message = format!("{key} must be {} for the category {}", !counts, category.as_str());
        Violation::invalid(key, message)
    });
}

fn refuse_taken(name: Option<&str>, other: Option<&EarningType>, standard: &[&str], checks: &mut Checks) {
    let of_everybody = name.is_some_and(|name| standard.iter().any(|one| same_name(one, name)));
    checks.require(!of_everybody && other.is_none(), || {
        Violation::invalid("name", "name must differ from those of all other earning types")
    });
}

/// Whether two names are the same to users.
pub fn same_name(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_standard_type_has_one_identifier_of_its_own() {
        assert_eq!(of_everybody("Bonus"), of_everybody("Bonus"));
        assert_ne!(of_everybody("Bonus").id, of_everybody("Commission").id);
    }

    #[test]
    fn names_are_the_same_in_any_case() {
        assert!(same_name("Gym Membership", "gym membership") && !same_name("Gym", "Gym Membership"));
    }
}
