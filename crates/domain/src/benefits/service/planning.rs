//! From the days as somebody wishes them to the changes that lead there.
//!
//! `plan` tells the changes and what they mean for the next payrolls, and writes nothing. Its hash stands for the
//! records that it was made from and the changes that it tells; `apply` makes the plan again under the guards and
//! carries it out only if the hash is still the same.

use jiff::civil::Date;
use rules::payroll::benefits::{Benefit, BenefitElection, election};
use rules::window::Window;
use rules::window::timeline::{self, DesiredWindow, Record, first_overlap};
use rules::{Checks, Violation, check};
use sha2::{Digest, Sha256};
use store::Tx;
use uuid::Uuid;

use super::effect;
use super::effect::Outlook;
use super::employee::company_benefit_for;
use super::windows::{MOST, store_changed, store_deleted, store_new};
use super::{EMPLOYEE_BENEFITS, EMPLOYEE_PHI, permit};
use crate::access::tokens::Caller;
use crate::benefits::rows::company;
use crate::benefits::rows::company::CompanyBenefit;
use crate::benefits::rows::employee as rows;
use crate::benefits::rows::employee::EmployeeBenefit;
use crate::benefits::shapes;
use crate::benefits::shapes::{ApplyPlan, PlanInput, TimelineWish};
use crate::benefits::view;
use crate::error::{Error, Stale};
use crate::field::{Field, as_is};
use crate::people::employees;
use crate::records::{parse_id, room_for, version_text};

/// Wishes of a plan at the most.
const WISHES: usize = 100;

/// What holds on a window's days: whether the record is active, and its amounts.
pub(super) type Holds = (bool, BenefitElection);
pub(super) type Change = timeline::Change<Uuid, Holds>;

/// A plan with what it was made from.
struct Plan {
    employee: Uuid,
    benefit: CompanyBenefit,
    held: Vec<EmployeeBenefit>,
    changes: Vec<Change>,
    hash: String,
    /// the last day that a wish names
    last: Date,
}

/// The changes that a wished timeline needs and what they mean for the next payrolls.
///
/// # Errors
/// "Not found"; every violation of the input; a missing scope; a store error.
pub fn plan(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &PlanInput,
) -> Result<shapes::EmployeeBenefitPlan, Error> {
    let found = employees::service::find(tx, caller, employee)?;
    let asked = input.company_benefit_uuid.given().and_then(|id| parse_id(id));
    let benefit = asked.map(|id| company::find(tx, caller.company, id)).transpose()?.flatten();
    let mut checks = Checks::new();
    let outlook = Outlook::read(&input.gross_pay, &input.pay_periods, &mut checks);
    let plan = make(tx, caller, employee, benefit, (&input.company_benefit_uuid, &input.timeline), checks)?;
    let payrolls = effect::of(tx, caller, &found, (plan.benefit.id, &after(&plan), plan.last), &outlook)?;
    Ok(shapes::EmployeeBenefitPlan {
        changes: told(&plan.held, &plan.changes),
        hash: plan.hash,
        employee_uuid: employee,
        company_benefit_uuid: plan.benefit.id,
        payrolls,
    })
}

/// Carries a plan out, if it is still the one that was told: the employee's records of the benefit as they are then.
///
/// # Errors
/// "Not found"; 409 where the plan would be another one by now; every violation of the input; a missing scope; a
/// store error.
pub fn apply(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &ApplyPlan,
) -> Result<shapes::AppliedPlan, Error> {
    let asked = input.company_benefit_uuid.given().and_then(|id| parse_id(id));
    let benefit = company_benefit_for(tx, caller, asked)?;
    employees::service::find_guarded(tx, caller, employee)?;
    let mut checks = Checks::new();
    let hash = input.hash.required("hash", &mut checks, hash);
    let plan = make(tx, caller, employee, benefit, (&input.company_benefit_uuid, &input.timeline), checks)?;
    if hash.as_deref() != Some(&*plan.hash) {
        return Err(Error::Stale(Stale { current: plan.hash, differing: vec!["timeline"] }));
    }
    for change in &plan.changes {
        carry_out(tx, caller, &plan, change)?;
    }
    let records = rows::of_benefit(tx, caller.company, employee, plan.benefit.id)?;
    room_for("records of one benefit of an employee", records.len().saturating_sub(1), MOST)?;
    Ok(shapes::AppliedPlan {
        changes: told(&plan.held, &plan.changes),
        hash: plan.hash,
        employee_benefits: records.iter().map(view::employee_benefit).collect(),
    })
}

fn carry_out(tx: &mut Tx<'_>, caller: &Caller, plan: &Plan, change: &Change) -> Result<(), Error> {
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
            // The plan says of every other window what becomes of it.
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

fn make(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    benefit: Option<CompanyBenefit>,
    (asked, timeline): (&Field<String>, &Field<Vec<TimelineWish>>),
    mut checks: Checks,
) -> Result<Plan, Error> {
    let benefit = asked.required("company_benefit_uuid", &mut checks, |key, _| {
        let message = format!("{key} must be the uuid of one of the company's benefits");
        benefit.ok_or_else(|| Violation::invalid(key, message))
    });
    if let Some(benefit) = &benefit {
        permit(caller, benefit.kind, EMPLOYEE_PHI)?;
    }
    let held = match &benefit {
        Some(benefit) => rows::of_benefit(tx, caller.company, employee, benefit.id)?,
        None => Vec::new(),
    };
    let records = records(&held);
    let few_enough = timeline.required("timeline", &mut checks, |key, wishes| {
        let fine = (1..=WISHES).contains(&wishes.len());
        let message = format!("{key} must have 1 to {WISHES} windows");
        if fine { Ok(()) } else { Err(Violation::invalid(key, message)) }
    });
    let sent = timeline.given().filter(|_| few_enough.is_some());
    let wishes = sent.map(|sent| read(sent, benefit.as_ref(), &records, &mut checks));
    checks.finish()?;
    let (Some(benefit), Some(wishes)) = (benefit, wishes) else {
        unreachable!("a plan without a benefit or a timeline was refused")
    };
    let changes = timeline::plan(&records, &wishes);
    let hash = hash_of(employee, &benefit, &held, &changes);
    let last = wishes.iter().map(|wish| wish.window.expiration.unwrap_or(wish.window.effective)).max();
    Ok(Plan { employee, benefit, held, changes, hash, last: last.unwrap_or_default() })
}

/// Records as rules take them, in the order of their days.
fn records(held: &[EmployeeBenefit]) -> Vec<Record<Uuid, Holds>> {
    let record =
        |r: &EmployeeBenefit| Record { key: r.id, window: r.window, terms: (r.active, r.terms.clone()) };
    let mut records: Vec<_> = held.iter().map(record).collect();
    records.sort_by_key(|record| record.window.effective);
    records
}

fn read(
    sent: &[TimelineWish],
    benefit: Option<&CompanyBenefit>,
    records: &[Record<Uuid, Holds>],
    checks: &mut Checks,
) -> Vec<DesiredWindow<Holds>> {
    let mut wishes = Vec::with_capacity(sent.len());
    let mut all_readable = true;
    for (place, wish) in sent.iter().enumerate() {
        let mut own = Checks::new();
        match read_one(wish, benefit, records, &mut own) {
            Some(read) if own.is_empty() => wishes.push(read),
            _ => {
                all_readable = false;
                let found = own.finish().err().unwrap_or_default();
                let at_place = serde_json::json!({ "index": place });
                checks.push(Violation::nested("timeline", found).with_metadata(at_place));
            }
        }
    }
    if all_readable && let Some((one, other)) = first_overlap(&wishes) {
        let message =
            format!("timeline must say of each day once what holds; windows {one} and {other} overlap");
        let at_places = serde_json::json!({ "indices": [one, other] });
        checks.push(Violation::invalid("timeline", message).with_metadata(at_places));
    }
    wishes
}

fn read_one(
    wish: &TimelineWish,
    benefit: Option<&CompanyBenefit>,
    records: &[Record<Uuid, Holds>],
    checks: &mut Checks,
) -> Option<DesiredWindow<Holds>> {
    let day = |key: &str, text: &String| check::date(key, text);
    let effective = wish.effective_date.required("effective_date", checks, day);
    let expiration = wish.expiration_date.optional("expiration_date", checks, day);
    let enrolled = wish.enrolled.optional("enrolled", checks, as_is).unwrap_or(true);
    if let Some(effective) = effective
        && expiration.is_some_and(|last| last < effective)
    {
        checks
            .push(Violation::invalid("expiration_date", "expiration_date must not be before effective_date"));
    }
    let (mut active, mut terms) =
        effective.map_or_else(|| (true, BenefitElection::default()), |day| basis(records, day));
    wish.terms().apply(&mut terms, &mut active, checks);
    if let Some(benefit) = benefit.filter(|_| enrolled) {
        checks.extend(election::check(&terms, benefit.kind));
    }
    let window = Window { effective: effective?, expiration };
    Some(DesiredWindow { window, terms: enrolled.then_some((active, terms)) })
}

/// What a wish changes: what holds on its first day; where nothing does, what held last, or else what is to come.
fn basis(records: &[Record<Uuid, Holds>], day: Date) -> Holds {
    let nearest = rules::effective::active(records, day, |record| record.window.effective);
    nearest.map_or_else(|| (true, BenefitElection::default()), |record| record.terms.clone())
}

/// Stands for the records as they are and the changes as they would be.
fn hash_of(employee: Uuid, benefit: &CompanyBenefit, held: &[EmployeeBenefit], changes: &[Change]) -> String {
    let mut hash = Sha256::new();
    hash.update(employee.as_bytes());
    hash.update(benefit.id.as_bytes());
    for record in held {
        hash.update(version_text(EMPLOYEE_BENEFITS, record.id, record.version).as_bytes());
    }
    // What is told of the changes is all there is to them, and reads the same on every node.
    let told = serde_json::to_vec(&told(held, changes))
        .unwrap_or_else(|error| panic!("a plan is always JSON: {error}"));
    hash.update(told);
    hex::encode(hash.finalize())
}

fn told(held: &[EmployeeBenefit], changes: &[Change]) -> Vec<shapes::PlannedChange> {
    let held = |key: &Uuid| held.iter().find(|record| record.id == *key);
    let before = |key: &Uuid| held(key).map(|r| view::terms(r.window, r.active, &r.terms));
    let version = |key: &Uuid| held(key).map(|r| version_text(EMPLOYEE_BENEFITS, r.id, r.version));
    let told = changes.iter().map(|change| match change {
        Change::Delete { key } => shapes::PlannedChange {
            action: "delete",
            employee_benefit_uuid: Some(*key),
            version: version(key),
            before: before(key),
            after: None,
        },
        Change::Update { key, window, terms: (active, terms) } => shapes::PlannedChange {
            action: "update",
            employee_benefit_uuid: Some(*key),
            version: version(key),
            before: before(key),
            after: Some(view::terms(*window, *active, terms)),
        },
        Change::Create { window, terms: (active, terms) } => shapes::PlannedChange {
            action: "create",
            employee_benefit_uuid: None,
            version: None,
            before: None,
            after: Some(view::terms(*window, *active, terms)),
        },
    });
    told.collect()
}

/// The employee's records of the benefit as the plan would leave them. New ones have names of their own.
fn after(plan: &Plan) -> Vec<Benefit<Uuid>> {
    let benefit = |record: Uuid, window: Window, (active, terms): &Holds| Benefit {
        company_benefit: plan.benefit.id,
        record,
        name: plan.benefit.description.clone(),
        kind: plan.benefit.kind,
        window,
        terms: terms.clone(),
        active: *active,
        company_active: plan.benefit.active,
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
