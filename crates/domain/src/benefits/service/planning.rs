//! Plans: the changes that lead to a desired timeline.
//!
//! `plan` returns the changes and their effect on coming payrolls, and writes nothing. Its hash identifies the existing
//! records and the changes; `apply` makes the plan again under the guards and executes it only if the hash is still the
//! same.

use jiff::civil::Date;
use rules::payroll::benefits::{Benefit, BenefitElection, Exclusions, election};
use rules::window::Window;
use rules::window::timeline::{self, DesiredWindow, Record, first_overlap};
use rules::{Checks, Violation};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::Tx;
use uuid::Uuid;

use super::effect;
use super::effect::{History, Outlook, PlannedPayroll};
use super::employee::{company_benefit_guarded, is_enrolling, require_offered};
use super::windows::{MOST, store_changed, store_deleted, store_new};
use super::{EMPLOYEE_BENEFITS, EMPLOYEE_PHI, check_benefit_access};
use crate::access::tokens::Caller;
use crate::benefits::commands::{ApplyPlan, PlanTimeline, TimelineWindow};
use crate::benefits::rows::company;
use crate::benefits::rows::company::CompanyBenefit;
use crate::benefits::rows::employee as rows;
use crate::benefits::rows::employee::EmployeeBenefit;
use crate::error::{Error, Stale};
use crate::patch::{Patch, as_is};
use crate::people::employees;
use crate::records::{parse_id, room_for, version_text};

/// Maximum number of windows of a timeline.
const WINDOWS: usize = 100;

/// Whether a record is active, and its amounts.
type Terms = (bool, BenefitElection);
type Change = timeline::Change<Uuid, Terms>;

/// A plan and its effect on coming payrolls.
#[derive(Debug, Clone)]
pub struct TimelinePlan {
    /// identifies the existing records and the changes
    pub hash: String,
    /// the employee
    pub employee: Uuid,
    /// the company benefit
    pub company_benefit: Uuid,
    /// the changes
    pub changes: Vec<PlannedChange>,
    /// the coming payrolls
    pub payrolls: Vec<PlannedPayroll>,
}

/// A plan that was applied.
#[derive(Debug, Clone)]
pub struct AppliedPlan {
    /// the hash of the plan
    pub hash: String,
    /// the changes that were made
    pub changes: Vec<PlannedChange>,
    /// the employee's records of the benefit, in the order of creation
    pub employee_benefits: Vec<EmployeeBenefit>,
}

/// A change of a plan.
#[derive(Debug, Clone)]
pub enum PlannedChange {
    /// creates a record
    Create {
        /// the new record
        after: PlannedRecord,
    },
    /// updates a record
    Update {
        /// the record as it is
        before: EmployeeBenefit,
        /// the record as updated
        after: PlannedRecord,
    },
    /// deletes a record
    Delete {
        /// the record as it is
        before: EmployeeBenefit,
    },
}

/// The days and amounts of a record after a change.
#[derive(Debug, Clone)]
pub struct PlannedRecord {
    /// when it is in force
    pub window: Window,
    /// whether it counts in payrolls
    pub active: bool,
    /// amounts
    pub terms: BenefitElection,
}

impl PlannedChange {
    /// The names of all kinds of changes.
    pub const ACTIONS: [&'static str; 3] = ["create", "update", "delete"];

    /// The name of this kind of change.
    pub const fn action(&self) -> &'static str {
        match self {
            Self::Create { .. } => "create",
            Self::Update { .. } => "update",
            Self::Delete { .. } => "delete",
        }
    }

    /// The record as it is.
    pub const fn before(&self) -> Option<&EmployeeBenefit> {
        match self {
            Self::Create { .. } => None,
            Self::Update { before, .. } | Self::Delete { before } => Some(before),
        }
    }

    /// The record as it will be.
    pub const fn after(&self) -> Option<&PlannedRecord> {
        match self {
            Self::Create { after } | Self::Update { after, .. } => Some(after),
            Self::Delete { .. } => None,
        }
    }
}

/// A plan with its inputs.
struct Plan {
    employee: Uuid,
    benefit: CompanyBenefit,
    held: Vec<EmployeeBenefit>,
    changes: Vec<Change>,
    hash: String,
    /// the last day of the timeline
    last: Date,
}

/// The changes that lead to a timeline, and their effect on coming payrolls. `history` is what processed payrolls tell.
///
/// # Errors
/// "Not found"; every violation of the input; a missing scope; a store error.
pub fn plan_timeline(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &PlanTimeline,
    history: &History,
) -> Result<TimelinePlan, Error> {
    let found = employees::service::find_employee(tx, caller, employee)?;
    let id = input.company_benefit_uuid.value().and_then(|id| parse_id(id));
    let benefit = id.map(|id| company::find_benefit(tx, caller.company, id)).transpose()?.flatten();
    let benefit = benefit.map(|usage| usage.benefit);
    let mut checks = Checks::new();
    let outlook = Outlook::read(&input.gross_pay, &input.pay_periods, &mut checks);
    let plan =
        make_plan(tx, caller, employee, benefit, (&input.company_benefit_uuid, &input.timeline), checks)?;
    let timeline = (plan.benefit.id, &*benefits_after_plan(&plan), plan.last);
    let payrolls = effect::effect_on_coming_payrolls(tx, caller, &found, timeline, (&outlook, history))?;
    Ok(TimelinePlan {
        changes: planned_changes(&plan.held, &plan.changes),
        hash: plan.hash,
        employee,
        company_benefit: plan.benefit.id,
        payrolls,
    })
}

/// Applies a plan if it has not changed since it was made, and returns the employee's records of the benefit.
///
/// # Errors
/// "Not found"; 409 if the plan has changed; every violation of the input; a missing scope; a
/// store error.
pub fn apply_plan(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &ApplyPlan,
) -> Result<AppliedPlan, Error> {
    let id = input.company_benefit_uuid.value().and_then(|id| parse_id(id));
    let benefit = company_benefit_guarded(tx, caller, id)?;
    employees::service::find_guarded(tx, caller, employee)?;
    let mut checks = Checks::new();
    let hash = input.hash.required("hash", &mut checks, hash);
    let plan =
        make_plan(tx, caller, employee, benefit, (&input.company_benefit_uuid, &input.timeline), checks)?;
    if hash.as_deref() != Some(&*plan.hash) {
        return Err(Error::Stale(Stale { current: plan.hash, differing: vec!["timeline"] }));
    }
    for change in &plan.changes {
        execute_change(tx, caller, &plan, change)?;
    }
    let records = rows::of_benefit(tx, caller.company, employee, plan.benefit.id)?;
    room_for("records of one benefit of an employee", records.len().saturating_sub(1), MOST)?;
    Ok(AppliedPlan {
        changes: planned_changes(&plan.held, &plan.changes),
        hash: plan.hash,
        employee_benefits: records,
    })
}

fn execute_change(tx: &mut Tx<'_>, caller: &Caller, plan: &Plan, change: &Change) -> Result<(), Error> {
    let held = |key: &Uuid| plan.held.iter().find(|record| record.id == *key);
    match change {
        Change::Delete { key } => held(key).map_or(Ok(()), |old| store_deleted(tx, caller, old)),
        Change::Update { key, window, terms: (active, terms) } => held(key).map_or(Ok(()), |before| {
            let after =
                EmployeeBenefit { window: *window, active: *active, terms: terms.clone(), ..before.clone() };
            store_changed(tx, caller, before, &after)
        }),
        Change::Create { window, terms: (active, terms) } => {
            let new = EmployeeBenefit {
                company_benefit: plan.benefit.id,
                employee: plan.employee,
                id: tx.new_id(),
                window: *window,
                active: *active,
                terms: terms.clone(),
                version: 1,
            };
            // The plan covers the changes of all other windows.
            store_new(tx, caller, &[], &[], &new)
        }
    }
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn hash(key: &str, text: &String) -> Result<String, Violation> {
    if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(text.clone());
    }
    Err(Violation::invalid(key, "hash must be that of the plan, with 64 hexadecimal digits"))
}

fn make_plan(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    benefit: Option<CompanyBenefit>,
    (company_benefit, timeline): (&Patch<String>, &Patch<Vec<TimelineWindow>>),
    mut checks: Checks,
) -> Result<Plan, Error> {
    let benefit = company_benefit.required("company_benefit_uuid", &mut checks, |key, _| {
        let message = format!("{key} must be the uuid of one of the company's benefits");
        benefit.ok_or_else(|| Violation::invalid(key, message))
    });
    if let Some(benefit) = &benefit {
        check_benefit_access(caller, benefit.kind, EMPLOYEE_PHI)?;
    }
    let held = match &benefit {
        Some(benefit) => rows::of_benefit(tx, caller.company, employee, benefit.id)?,
        None => Vec::new(),
    };
    let records = sorted_records(&held);
    let few_enough = timeline.required("timeline", &mut checks, |key, windows| {
        let fine = (1..=WINDOWS).contains(&windows.len());
        let message = format!("{key} must have 1 to {WINDOWS} windows");
        if fine { Ok(()) } else { Err(Violation::invalid(key, message)) }
    });
    let sent = timeline.value().filter(|_| few_enough.is_some());
    let today = caller.today(tx);
    let desired =
        sent.map(|sent| read_desired_windows(sent, (benefit.as_ref(), today), &records, &mut checks));
    checks.finish()?;
    let (Some(benefit), Some(desired)) = (benefit, desired) else {
        unreachable!("a plan without a benefit or a timeline was refused")
    };
    let changes = timeline::plan_changes(&records, &desired);
    let hash = hash_of(employee, &benefit, &held, &changes);
    let last = desired.iter().map(|one| one.window.expiration.unwrap_or(one.window.effective)).max();
    Ok(Plan { employee, benefit, held, changes, hash, last: last.unwrap_or_default() })
}

/// Records as the rules take them, in the order of their days.
fn sorted_records(held: &[EmployeeBenefit]) -> Vec<Record<Uuid, Terms>> {
    let record =
        |r: &EmployeeBenefit| Record { key: r.id, window: r.window, terms: (r.active, r.terms.clone()) };
    let mut records: Vec<_> = held.iter().map(record).collect();
    records.sort_by_key(|record| record.window.effective);
    records
}

fn read_desired_windows(
    sent: &[TimelineWindow],
    of: (Option<&CompanyBenefit>, Date),
    records: &[Record<Uuid, Terms>],
    checks: &mut Checks,
) -> Vec<DesiredWindow<Terms>> {
    let mut desired = Vec::with_capacity(sent.len());
    let mut all_readable = true;
    for (place, window) in sent.iter().enumerate() {
        let mut own = Checks::new();
        match read_one(window, of, records, &mut own) {
            Some(read) if own.is_empty() => desired.push(read),
            _ => {
                all_readable = false;
                let found = own.finish().err().unwrap_or_default();
                let at_index = json!({ "index": place });
                checks.push(Violation::nested("timeline", found).with_metadata(at_index));
            }
        }
    }
    if all_readable && let Some((one, other)) = first_overlap(&desired) {
        let message =
            format!("timeline must contain each day at most once; windows {one} and {other} overlap");
        let at_indices = json!({ "indices": [one, other] });
        checks.push(Violation::invalid("timeline", message).with_metadata(at_indices));
    }
    desired
}

fn read_one(
    sent: &TimelineWindow,
    (benefit, today): (Option<&CompanyBenefit>, Date),
    records: &[Record<Uuid, Terms>],
    checks: &mut Checks,
) -> Option<DesiredWindow<Terms>> {
    let effective = sent.effective_date.required("effective_date", checks, as_is);
    let expiration = sent.expiration_date.optional("expiration_date", checks, as_is);
    let enrolled = sent.enrolled.optional("enrolled", checks, as_is).unwrap_or(true);
    if let Some(effective) = effective
        && expiration.is_some_and(|last| last < effective)
    {
        checks
            .push(Violation::invalid("expiration_date", "expiration_date must not be before effective_date"));
    }
    let (mut active, mut terms) =
        effective.map_or_else(|| (true, BenefitElection::default()), |day| terms_to_change(records, day));
    sent.terms.apply_to_terms(&mut terms, &mut active, checks);
    let benefit = benefit.filter(|_| enrolled);
    if let Some(benefit) = benefit {
        checks.extend(election::check_election(&terms, benefit.kind));
    }
    let window = Window { effective: effective?, expiration };
    if let Some(benefit) = benefit {
        require_offered(benefit, is_enrolling((active, window), today), checks);
    }
    Some(DesiredWindow { window, terms: enrolled.then_some((active, terms)) })
}

/// The terms that a desired window changes: those in force on its first day, or else the last ones before it, or else
/// the next ones.
fn terms_to_change(records: &[Record<Uuid, Terms>], day: Date) -> Terms {
    let nearest = rules::effective::active_record(records, day, |record| record.window.effective);
    nearest.map_or_else(|| (true, BenefitElection::default()), |record| record.terms.clone())
}

/// Identifies the existing records and the changes.
fn hash_of(employee: Uuid, benefit: &CompanyBenefit, held: &[EmployeeBenefit], changes: &[Change]) -> String {
    let mut hash = Sha256::new();
    hash.update(employee.as_bytes());
    hash.update(benefit.id.as_bytes());
    for record in held {
        hash.update(version_text(EMPLOYEE_BENEFITS, record.id, record.version).as_bytes());
    }
    for change in changes {
        let canonical = match change {
            Change::Delete { key } => json!(["delete", key]),
            Change::Update { key, window, terms } => json!(["update", key, window.to_string(), terms]),
            Change::Create { window, terms } => json!(["create", window.to_string(), terms]),
        };
        hash.update(canonical.to_string().as_bytes());
    }
    hex::encode(hash.finalize())
}

/// The changes with the records as they are.
fn planned_changes(held: &[EmployeeBenefit], changes: &[Change]) -> Vec<PlannedChange> {
    let before = |key: &Uuid| held.iter().find(|record| record.id == *key).cloned();
    let after = |window: &Window, (active, terms): &Terms| PlannedRecord {
        window: *window,
        active: *active,
        terms: terms.clone(),
    };
    // Plans only change existing records, so `before` is always found.
    let planned = changes.iter().filter_map(|change| match change {
        Change::Delete { key } => Some(PlannedChange::Delete { before: before(key)? }),
        Change::Update { key, window, terms } => {
            Some(PlannedChange::Update { before: before(key)?, after: after(window, terms) })
        }
        Change::Create { window, terms } => Some(PlannedChange::Create { after: after(window, terms) }),
    });
    planned.collect()
}

/// The employee's records of the benefit after the plan. New ones get ids of their own.
fn benefits_after_plan(plan: &Plan) -> Vec<Benefit<Uuid>> {
    let benefit = |record: Uuid, window: Window, (active, terms): &Terms| Benefit {
        company_benefit: plan.benefit.id,
        record,
        name: plan.benefit.description.clone(),
        kind: plan.benefit.kind,
        window,
        terms: terms.clone(),
        active: *active,
        company_active: plan.benefit.active,
        excluded: Exclusions::default(),
        missed: None,
        recovers: false,
    };
    let mut after: Vec<_> = plan
        .held
        .iter()
        .map(|record| benefit(record.id, record.window, &(record.active, record.terms.clone())))
        .collect();
    for (number, change) in (1..).zip(&plan.changes) {
        match change {
            Change::Delete { key } => after.retain(|b| b.record != *key),
            Change::Update { key, window, terms } => {
                after.retain(|b| b.record != *key);
                after.push(benefit(*key, *window, terms));
            }
            Change::Create { window, terms } => after.push(benefit(Uuid::from_u128(number), *window, terms)),
        }
    }
    after
}
