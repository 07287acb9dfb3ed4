//! Lines of time off: which policy or kind a line is of.

use store::Tx;
use uuid::Uuid;

use crate::error::Error;
use crate::pay::payrolls::record::commands;
use crate::pay::payrolls::record::kinds::TimeOffKind;
use crate::pay::payrolls::record::time_off::kind_of;
use crate::pay::time_off::rows as policies;
use crate::records::IdRange;

/// Returns the line in which hours of each of an employee's policies are entered.
pub fn lines_of(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<(Uuid, TimeOffKind)>, Error> {
    let enrolled = policies::enrolled_between(tx, company, IdRange::only(employee))?;
    Ok(enrolled.into_iter().map(|one| (one.policy, kind_of(one.policy_type))).collect())
}

/// Returns the kind of hours that a line names, by its policy or by its name.
pub(in crate::pay::payrolls) fn read_time_off_kind(
    line: &commands::TimeOffLine,
    policies: &[(Uuid, TimeOffKind)],
    checks: &mut rules::Checks,
) -> Option<TimeOffKind> {
    let of_policy = |key: &str, id: &String| {
        let id = crate::records::id_of(id);
        let found = policies.iter().find(|(policy, _)| *policy == id).map(|(_, kind)| *kind);
        found.ok_or_else(|| {
            rules::Violation::invalid(
                key,
                format!("{key} must be the uuid of a time off policy that the employee has"),
            )
        })
    };
    match line.policy_uuid {
        crate::patch::Patch::Absent | crate::patch::Patch::Null => {
            line.name.required("name", checks, |key, name| TimeOffKind::check(key, name))
        }
        _ => line.policy_uuid.optional("policy_uuid", checks, of_policy),
    }
}
