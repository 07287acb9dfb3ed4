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
pub fn windows_after_placing(
    held: &[EmployeeBenefit],
    act: Action,
    key: Uuid,
    window: Window,
) -> Result<Vec<ExistingWindow<Uuid>>, Violation> {
    let windows: Vec<_> = held.iter().map(EmployeeBenefit::existing_window).collect();
    window::place_window(&windows, act, ExistingWindow { key, window })
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
    rows::insert_employee_benefit(tx, caller.company, new)?;
    audit::record_audit_entry(tx, caller, "created", (EMPLOYEE_BENEFITS, new.id), &json!({}))?;
    events::emit_of_employee(tx, caller.company, events::EMPLOYEE_BENEFIT_CREATED, new.id, new.employee)
}

/// Stores a changed window.
pub fn store_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    before: &EmployeeBenefit,
    after: &EmployeeBenefit,
) -> Result<(), Error> {
    assert!(rows::update_employee_benefit(tx, caller.company, after)?, "the row was read under its guard");
    let changes = benefit_changes(before, after).to_json();
    audit::record_audit_entry(tx, caller, "updated", (EMPLOYEE_BENEFITS, after.id), &changes)?;
    events::emit_of_employee(tx, caller.company, events::EMPLOYEE_BENEFIT_UPDATED, after.id, after.employee)
}

/// Deletes a window.
pub fn store_deleted(tx: &mut Tx<'_>, caller: &Caller, old: &EmployeeBenefit) -> Result<(), Error> {
    assert!(rows::delete_employee_benefit(tx, caller.company, old)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "deleted", (EMPLOYEE_BENEFITS, old.id), &json!({}))?;
    events::emit_of_employee(tx, caller.company, events::EMPLOYEE_BENEFIT_DELETED, old.id, old.employee)
}

/// What an update changes, by field name.
pub fn benefit_changes(before: &EmployeeBenefit, after: &EmployeeBenefit) -> Changes {
    let (old, new) = (&before.terms, &after.terms);
    let text = |amount: Amount| amount.to_text(2);
    let maximum = |amount: Option<Amount>| amount.map(text);
    let option = |option: Option<LimitOption>| option.map(LimitOption::as_str);
    let mut changes = Changes::new();
    changes.record_difference("active", &before.active, &after.active);
    changes.record_difference("effective_date", &before.window.effective, &after.window.effective);
    changes.record_difference("expiration_date", &before.window.expiration, &after.window.expiration);
    changes.record_difference("employee_deduction", &text(old.deduction), &text(new.deduction));
    changes.record_difference("deduct_as_percentage", &old.deduct_as_percentage, &new.deduct_as_percentage);
    changes.record_difference(
        "employee_deduction_annual_maximum",
        &maximum(old.deduction_annual_maximum),
        &maximum(new.deduction_annual_maximum),
    );
    changes.record_difference(
        "contribution",
        &contribution_json(&old.contribution),
        &contribution_json(&new.contribution),
    );
    changes.record_difference("elective", &old.elective, &new.elective);
    changes.record_difference(
        "company_contribution_annual_maximum",
        &maximum(old.contribution_annual_maximum),
        &maximum(new.contribution_annual_maximum),
    );
    changes.record_difference("limit_option", &option(old.limit_option), &option(new.limit_option));
    changes.record_difference("catch_up", &old.catch_up, &new.catch_up);
    changes.record_difference(
        "coverage_amount",
        &maximum(old.coverage_amount),
        &maximum(new.coverage_amount),
    );
    changes.record_difference(
        "coverage_salary_multiplier",
        &text(old.coverage_salary_multiplier),
        &text(new.coverage_salary_multiplier),
    );
    changes.record_difference(
        "deduction_reduces_taxable_income",
        &taxable_income_word(old.reduces_taxable_income),
        &taxable_income_word(new.reduces_taxable_income),
    );
    changes
}

/// A contribution as JSON, for audit entries and responses.
pub fn contribution_json(contribution: &Contribution) -> Value {
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
