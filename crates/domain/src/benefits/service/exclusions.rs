//! Pay that a company's retirement plan excludes: percentages of deductions and contributions are not calculated from it.
//!
//! Pay is distinguished by earning type: the pay of jobs, the standard earning types, and the company's own.

use rules::payroll::benefits::kind::{ROTH_401K, TRADITIONAL_401K};
use rules::payroll::benefits::{BenefitType, PayKind};
use rules::{Checks, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::{
    COMPANY_BENEFITS, COMPANY_PHI, check_benefit_access, find_company_benefit, find_company_benefit_guarded,
};
use crate::access::tokens::Caller;
use crate::benefits::rows::company::CompanyBenefit;
use crate::error::Error;
use crate::events;
use crate::patch::{self, Patch, as_is};
use crate::pay::earning_types;
use crate::pay::earning_types::service::standard_id;
use crate::platform::audit;
use crate::records::{Changes, id_of};

/// The types of benefits whose plan can leave pay out: 401(k) and Roth 401(k).
pub const TYPES: [i64; 2] = [TRADITIONAL_401K, ROTH_401K];
/// Names of the pay of jobs, beside the earning types that somebody enters.
const OF_JOBS: [(&str, PayKind); 3] =
    [("Regular", PayKind::Regular), ("Overtime", PayKind::Overtime), ("Paid Time Off", PayKind::TimeOff)];
/// Maximum items of an update.
const MOST: usize = 200;

/// Which of the named earning types count; the others are unchanged.
#[derive(Debug, Clone, Default)]
pub struct UpdateExclusions {
    /// earning types
    pub contribution_exclusions: Patch<Vec<UpdateExclusion>>,
}

/// Whether the pay of an earning type counts.
#[derive(Debug, Clone, Default)]
pub struct UpdateExclusion {
    /// the earning type
    pub contribution_uuid: Patch<String>,
    /// its name, as last read
    pub contribution_type: Patch<String>,
    /// whether its pay is excluded
    pub excluded: Patch<bool>,
}

/// An earning type, and whether a plan excludes its pay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exclusion {
    /// the earning type
    pub earning_type: Uuid,
    /// its name
    pub name: String,
    /// whether its pay is excluded
    pub excluded: bool,
}

/// The pay of jobs that a list of earning types excludes.
pub fn kinds_of(excluded: &[Uuid]) -> Vec<PayKind> {
    let of_jobs = OF_JOBS.iter().filter(|(name, _)| excluded.contains(&standard_id(name)));
    of_jobs.map(|(_, kind)| *kind).collect()
}

/// Every earning type, and whether the plan excludes its pay: the pay of jobs, then `standard`, which are the names of the types of every
/// company, then the company's own.
///
/// # Errors
/// "Not found"; 422 for a benefit of another type; a missing scope; a store error.
pub fn list_exclusions(
    tx: &mut Tx<'_>,
    caller: &Caller,
    benefit: Uuid,
    standard: &[&str],
) -> Result<Vec<Exclusion>, Error> {
    let benefit = find_company_benefit(tx, caller, benefit)?.benefit;
    check_benefit_access(caller, benefit.kind, COMPANY_PHI)?;
    refuse_others(benefit.kind)?;
    of_benefit(tx, caller, &benefit, standard)
}

/// Sets for earning types whether the plan excludes their pay. Calculated payrolls keep what they were calculated with.
///
/// # Errors
/// "Not found"; every violation of the input; 422 for a benefit of another type; a missing scope; a store error.
pub fn update_exclusions(
    tx: &mut Tx<'_>,
    caller: &Caller,
    benefit: Uuid,
    input: &UpdateExclusions,
    standard: &[&str],
) -> Result<Vec<Exclusion>, Error> {
    let before = find_company_benefit_guarded(tx, caller, benefit)?.benefit;
    check_benefit_access(caller, before.kind, COMPANY_PHI)?;
    refuse_others(before.kind)?;
    let known = of_benefit(tx, caller, &before, standard)?;
    let changed = read_exclusions(input, &known)?;
    let mut excluded = before.excluded_earnings.clone().unwrap_or_default();
    for (earning_type, is_excluded) in changed {
        excluded.retain(|held| *held != earning_type);
        if is_excluded {
            excluded.push(earning_type);
        }
    }
    excluded.sort_unstable();
    let excluded_earnings = Some(excluded).filter(|excluded| !excluded.is_empty());
    let after = CompanyBenefit { excluded_earnings, ..before.clone() };
    let changes = Changes::from(CompanyBenefit::changes(&before, &after));
    if !changes.is_empty() {
        assert!(after.update(tx, caller.company)?, "the row was read under its guard");
        audit::record_audit_entry(tx, caller, "updated", (COMPANY_BENEFITS, benefit), &changes.to_json())?;
        events::emit_event(tx, caller.company, events::COMPANY_BENEFIT_UPDATED, benefit)?;
    }
    of_benefit(tx, caller, &after, standard)
}

fn refuse_others(kind: &BenefitType) -> Result<(), Error> {
    if TYPES.contains(&kind.code) {
        return Ok(());
    }
    let message = format!(
        "Only a 401(k) and a Roth 401(k) can exclude pay, and the type of this benefit is {}.",
        kind.name
    );
    Err(Error::from(Violation::invalid_operation(message)))
}

fn of_benefit(
    tx: &mut Tx<'_>,
    caller: &Caller,
    benefit: &CompanyBenefit,
    standard: &[&str],
) -> Result<Vec<Exclusion>, Error> {
    let excluded = benefit.excluded_earnings.as_deref().unwrap_or_default();
    let names = OF_JOBS.iter().map(|(name, _)| *name).chain(standard.iter().copied());
    let mut types: Vec<(Uuid, String)> = names.map(|name| (standard_id(name), name.to_owned())).collect();
    let own = earning_types::rows::of_company(tx, caller.company)?;
    types.extend(own.into_iter().filter(|one| one.active).map(|one| (one.id, one.name)));
    let with = |(earning_type, name): (Uuid, String)| Exclusion {
        excluded: excluded.contains(&earning_type),
        earning_type,
        name,
    };
    Ok(types.into_iter().map(with).collect())
}

/// The earning types of an update, and whether their pay is excluded.
fn read_exclusions(input: &UpdateExclusions, known: &[Exclusion]) -> Result<Vec<(Uuid, bool)>, Error> {
    let mut checks = Checks::new();
    input.contribution_exclusions.required("contribution_exclusions", &mut checks, |_, _| Ok(()));
    let items = match &input.contribution_exclusions {
        Patch::Value(_) => {
            patch::check_items("contribution_exclusions", &input.contribution_exclusions, MOST, &mut checks)
        }
        _ => &[],
    };
    let mut changed: Vec<(Uuid, bool)> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let mut own = Checks::new();
        let found = item.contribution_uuid.required("contribution_uuid", &mut own, |key, id| {
            let id = id_of(id);
            let unknown = || {
                let why = format!("{key} must be one of those listed by a GET of this URL");
                Violation::invalid(key, why)
            };
            known.iter().find(|one| one.earning_type == id).ok_or_else(unknown)
        });
        item.contribution_type.optional("contribution_type", &mut own, |key, name| match found {
            Some(found) if found.name != *name => {
                let why = format!(
                    "{key} must be {:?}, the name of this contribution_uuid, or be omitted",
                    found.name
                );
                Err(Violation::invalid(key, why))
            }
            _ => Ok(()),
        });
        let excluded = item.excluded.required("excluded", &mut own, as_is);
        if let (Some(found), Some(excluded)) = (found, excluded) {
            own.require(changed.iter().all(|(id, _)| *id != found.earning_type), || {
                Violation::invalid("contribution_uuid", "contribution_uuid is listed twice")
            });
            changed.push((found.earning_type, excluded));
        }
        if let Err(errors) = own.finish() {
            let at_index = json!({ "index": index });
            checks.push(Violation::nested("contribution_exclusions", errors).with_metadata(at_index));
        }
    }
    checks.finish()?;
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pay_of_jobs_is_identified_by_the_ids_of_its_names() {
        let excluded = [standard_id("Overtime"), standard_id("Bonus"), Uuid::nil()];
        assert_eq!(kinds_of(&excluded), [PayKind::Overtime]);
        assert_eq!(kinds_of(&[]), []);
    }

    #[test]
    fn every_error_of_an_update_is_reported_with_its_index() {
        let known =
            vec![Exclusion { earning_type: standard_id("Bonus"), name: "Bonus".to_owned(), excluded: false }];
        let item = |id: Uuid, name: &str, excluded| UpdateExclusion {
            contribution_uuid: Patch::Value(id.to_string()),
            contribution_type: Patch::Value(name.to_owned()),
            excluded,
        };
        let of = |items: Vec<UpdateExclusion>| {
            read_exclusions(&UpdateExclusions { contribution_exclusions: Patch::Value(items) }, &known)
        };
        let bonus = || item(standard_id("Bonus"), "Bonus", Patch::Value(true));
        assert_eq!(of(vec![bonus()]).unwrap(), [(standard_id("Bonus"), true)]);
        let wrong = of(vec![
            bonus(),
            bonus(),
            item(Uuid::nil(), "Bonus", Patch::Absent),
            item(standard_id("Bonus"), "Gift", Patch::Invalid("true or false".into())),
        ]);
        let Err(Error::Violations(found)) = wrong else { panic!("nothing is refused") };
        let told: Vec<usize> = found.iter().map(|one| one.errors.len()).collect();
        assert_eq!(told, [1, 2, 2], "{found:?}");
    }
}
