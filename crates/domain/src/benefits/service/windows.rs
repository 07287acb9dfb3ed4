//! Storage of windows, with audit entries and events.

use rules::Amount;
use rules::Named;
use rules::Violation;
use rules::payroll::benefits::election::taxable_income_word;
use rules::payroll::benefits::{Contribution, LimitOption};
use rules::window::{self, Action, ExistingWindow, Window};
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::EMPLOYEE_BENEFITS;
use crate::access::tokens::Caller;
use crate::benefits::rows::employee as rows;
use crate::benefits::rows::employee::EmployeeBenefit;
use crate::error::Error;
use crate::events;
use crate::platform::audit;
use crate::records::Changes;

/// Maximum number of windows of one employee and company benefit.
pub const MOST: usize = 200;

/// The windows after one is created or moved, or the violation that names the conflicting one.
pub fn place(
    held: &[EmployeeBenefit],
    act: Action,
    key: Uuid,
    window: Window,
) -> Result<Vec<ExistingWindow<Uuid>>, Violation> {
    let windows: Vec<_> = held.iter().map(EmployeeBenefit::existing_window).collect();
    window::place(&windows, act, ExistingWindow { key, window })
        .map_err(|refusal| refusal.violation("EmployeeBenefit"))
}

/// Stores a new window, and those of `held` that it moved.
pub fn store_new(
    tx: &mut Tx<'_>,
    caller: &Caller,
    held: &[EmployeeBenefit],
    placed: &[ExistingWindow<Uuid>],
    new: &EmployeeBenefit,
) -> Result<(), Error> {
    for before in held {
        let moved = placed.iter().find(|held| held.key == before.id && held.window != before.window);
        if let Some(moved) = moved {
            store_changed(tx, caller, before, &EmployeeBenefit { window: moved.window, ..before.clone() })?;
        }
    }
    rows::insert(tx, caller.company, new)?;
    audit::record(tx, caller, "created", (EMPLOYEE_BENEFITS, new.id), &json!({}))?;
    events::emit_of_employee(tx, caller.company, events::EMPLOYEE_BENEFIT_CREATED, new.id, new.employee)
}

/// Stores a changed window.
pub fn store_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    before: &EmployeeBenefit,
    after: &EmployeeBenefit,
) -> Result<(), Error> {
    assert!(rows::update(tx, caller.company, after)?, "the row was read under its guard");
    let changes = changes(before, after).to_json();
    audit::record(tx, caller, "updated", (EMPLOYEE_BENEFITS, after.id), &changes)?;
    events::emit_of_employee(tx, caller.company, events::EMPLOYEE_BENEFIT_UPDATED, after.id, after.employee)
}

/// Deletes a window.
pub fn store_deleted(tx: &mut Tx<'_>, caller: &Caller, old: &EmployeeBenefit) -> Result<(), Error> {
    assert!(rows::delete(tx, caller.company, old)?, "the row was read under its guard");
    audit::record(tx, caller, "deleted", (EMPLOYEE_BENEFITS, old.id), &json!({}))?;
    events::emit_of_employee(tx, caller.company, events::EMPLOYEE_BENEFIT_DELETED, old.id, old.employee)
}

/// What an update changes, by field name.
pub fn changes(before: &EmployeeBenefit, after: &EmployeeBenefit) -> Changes {
    let (old, new) = (&before.terms, &after.terms);
    let text = |amount: Amount| amount.to_text(2);
    let maximum = |amount: Option<Amount>| amount.map(text);
    let option = |option: Option<LimitOption>| option.map(LimitOption::as_str);
    let mut changes = Changes::new();
    changes.note("active", &before.active, &after.active);
    changes.note("effective_date", &before.window.effective, &after.window.effective);
    changes.note("expiration_date", &before.window.expiration, &after.window.expiration);
    changes.note("employee_deduction", &text(old.deduction), &text(new.deduction));
    changes.note("deduct_as_percentage", &old.deduct_as_percentage, &new.deduct_as_percentage);
    changes.note(
        "employee_deduction_annual_maximum",
        &maximum(old.deduction_annual_maximum),
        &maximum(new.deduction_annual_maximum),
    );
    changes.note("contribution", &contribution(&old.contribution), &contribution(&new.contribution));
    changes.note("elective", &old.elective, &new.elective);
    changes.note(
        "company_contribution_annual_maximum",
        &maximum(old.contribution_annual_maximum),
        &maximum(new.contribution_annual_maximum),
    );
    changes.note("limit_option", &option(old.limit_option), &option(new.limit_option));
    changes.note("catch_up", &old.catch_up, &new.catch_up);
    changes.note("coverage_amount", &maximum(old.coverage_amount), &maximum(new.coverage_amount));
    changes.note(
        "coverage_salary_multiplier",
        &text(old.coverage_salary_multiplier),
        &text(new.coverage_salary_multiplier),
    );
    changes.note(
        "deduction_reduces_taxable_income",
        &taxable_income_word(old.reduces_taxable_income),
        &taxable_income_word(new.reduces_taxable_income),
    );
    changes
}

/// A contribution as JSON, for audit entries and responses.
pub fn contribution(contribution: &Contribution) -> Value {
    let value = match contribution {
        Contribution::Amount(value) | Contribution::Percentage(value) => json!(value.to_text(2)),
        Contribution::Tiered(tiers) => {
            let mut before = Amount::ZERO;
            let tiers = tiers.iter().map(|tier| {
                let delta = tier.threshold.checked_sub(before).unwrap_or_default();
                before = tier.threshold;
                json!({ "rate": tier.rate.to_text(2), "threshold": tier.threshold.to_text(2), "threshold_delta": delta.to_text(2) })
            });
            json!({ "tiers": tiers.collect::<Vec<_>>() })
        }
    };
    json!({ "type": contribution.kind(), "value": value })
}
