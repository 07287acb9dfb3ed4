//! The minimum wage adjustment of a compensation: whether it applies, and with which minimum wages.
//!
//! It requires hourly pay and a state that allows a tip credit toward the minimum wage. The minimum wages are chosen from those of the
//! employee's work location. They are stored as rules, each with its amount at that time; payrolls use the amount in force.

use rules::Named;
use rules::compensation::PaymentUnit;
use rules::days::Days;
use rules::{Checks, Violation};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::{Patch, as_is};
use crate::pay::compensations::rows::ChosenWage;
use crate::pay::minimum_wages;

const FLAG: &str = "adjust_for_minimum_wage";
const CHOSEN: &str = "minimum_wages";
/// Maximum number of minimum wages of a compensation.
const MOST: usize = 20;

/// The fields of a command that concern the adjustment.
#[derive(Debug, Default)]
pub struct AdjustmentInput {
    flag: Option<bool>,
    chosen: Option<Vec<Uuid>>,
    /// whether the minimum wages have the wrong type or are too many, which is already reported
    invalid: bool,
}

/// The adjustment that a command results in.
#[derive(Debug, PartialEq, Eq)]
pub struct Adjustment {
    flag: bool,
    chosen: Vec<Uuid>,
    /// whether minimum wages are given without the adjustment
    contradictory: bool,
}

impl AdjustmentInput {
    /// Reads both fields of a command.
    pub fn read_fields(flag: &Patch<bool>, chosen: &Patch<Vec<Uuid>>, checks: &mut Checks) -> Self {
        let flag = flag.optional(FLAG, checks, as_is);
        let ids = |_: &str, chosen: &Vec<Uuid>| {
            if chosen.len() > MOST {
                return Err(Violation::invalid(CHOSEN, format!("{CHOSEN} must have at most {MOST} items")));
            }
            let mut ids = chosen.clone();
            ids.sort_unstable();
            ids.dedup();
            Ok(ids)
        };
        let read = match chosen {
            Patch::Null => Some(Vec::new()),
            chosen => chosen.optional(CHOSEN, checks, ids),
        };
        let invalid = read.is_none() && !matches!(chosen, Patch::Absent);
        Self { flag, chosen: read, invalid }
    }

    /// Whether the command has either field.
    pub fn is_given(&self) -> bool {
        self.flag.is_some() || self.chosen.is_some()
    }

    /// Returns the resulting adjustment. Absent fields keep the stored values. Without the adjustment, no minimum wages are chosen.
    pub fn apply_to(&self, flag: bool, stored: &[ChosenWage]) -> Adjustment {
        let flag = self.flag.unwrap_or(flag) && !self.invalid;
        let contradictory = !flag && self.chosen.as_ref().is_some_and(|chosen| !chosen.is_empty());
        let chosen = match &self.chosen {
            _ if !flag => Vec::new(),
            Some(chosen) => chosen.clone(),
            None => rules_of(stored),
        };
        Adjustment { flag, chosen, contradictory }
    }
}

/// Returns the minimum wages to store, with their amounts. They must be minimum wages of the work location today or, if the compensation is
/// not in effect today, on its day nearest to today. The tuple has the employee, the payment unit, and the first and last day of the
/// compensation.
///
/// # Errors
/// A store error; violations are added to `checks`.
pub fn minimum_wages_to_store(
    tx: &mut Tx<'_>,
    caller: &Caller,
    adjustment: &Adjustment,
    (employee, unit, Days { first: from, last: until }): (Uuid, PaymentUnit, Days),
    checks: &mut Checks,
) -> Result<Vec<ChosenWage>, Error> {
    check_fields(adjustment, unit, checks);
    if !adjustment.flag {
        return Ok(Vec::new());
    }
    let day = caller.today(tx).min(until).max(from);
    let Some(place) = minimum_wages::service::place_of_employee(tx, caller, employee, day)? else {
        checks.push(Violation::invalid(FLAG, format!("{FLAG} needs a work address; the employee has none")));
        return Ok(Vec::new());
    };
    let table = minimum_wages::service::table(tx)?;
    if !table.allows_tip_credit(&place.state, day) {
        let state = &place.state;
        let message = format!(
            "the minimum wage adjustment does not apply to {state}: tips cannot cover any part of its minimum wage"
        );
        checks.push(Violation::invalid(FLAG, message));
        return Ok(Vec::new());
    }
    let allowed = table.choosable_wages(&place, day);
    let figure = |rule: &Uuid| {
        let row = allowed.iter().find(|row| row.rule == *rule)?;
        Some(ChosenWage { rule: row.rule, wage: row.wage, effective_date: row.effective_date })
    };
    let found: Option<Vec<ChosenWage>> = adjustment.chosen.iter().map(figure).collect();
    if found.is_none() {
        let ids: Vec<_> = allowed.iter().map(|row| row.rule.to_string()).collect();
        let message =
            format!("{CHOSEN} must be minimum wages of the work location, which are: {}", ids.join(", "));
        checks.push(Violation::invalid(CHOSEN, message));
    }
    Ok(found.unwrap_or_default())
}

/// Makes the checks that need neither the work location nor the table.
fn check_fields(adjustment: &Adjustment, unit: PaymentUnit, checks: &mut Checks) {
    checks.require(!adjustment.contradictory, || {
        Violation::invalid(CHOSEN, format!("{CHOSEN} can be chosen only with {FLAG} true"))
    });
    if !adjustment.flag {
        return;
    }
    checks.require(unit == PaymentUnit::Hour, || {
        let unit = unit.as_str();
        Violation::invalid(FLAG, format!("{FLAG} requires payment_unit Hour; it is {unit}"))
    });
    checks.require(!adjustment.chosen.is_empty(), || {
        Violation::invalid(
            CHOSEN,
            format!("{CHOSEN} can't be blank with {FLAG} true: choose among those of the work location"),
        )
    });
}

/// Returns the rules of the minimum wages of a compensation.
pub fn rules_of(chosen: &[ChosenWage]) -> Vec<Uuid> {
    chosen.iter().map(|one| one.rule).collect()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use rules::Amount;

    use super::*;

    const RULE: Uuid = Uuid::from_u128(1);
    const FALSE: Patch<bool> = Patch::Value(false);

    fn adjustment(
        flag: &Patch<bool>,
        chosen: &Patch<Vec<Uuid>>,
        before: (bool, &[ChosenWage]),
    ) -> Adjustment {
        let mut checks = Checks::new();
        let input = AdjustmentInput::read_fields(flag, chosen, &mut checks);
        assert!(checks.is_empty());
        input.apply_to(before.0, before.1)
    }

    #[test]
    fn absent_fields_keep_what_is_stored_and_without_the_adjustment_nothing_is_chosen() {
        let stored =
            [ChosenWage { rule: RULE, wage: Amount::from_cents(725), effective_date: date(2009, 7, 24) }];
        let kept = Adjustment { flag: true, chosen: vec![RULE], contradictory: false };
        assert_eq!(adjustment(&Patch::Absent, &Patch::Absent, (true, &stored)), kept);
        let choice = Patch::Value(vec![RULE, RULE]);
        assert_eq!(adjustment(&Patch::Absent, &choice, (true, &[])), kept);
        let none = Adjustment { flag: false, chosen: Vec::new(), contradictory: false };
        assert_eq!(adjustment(&FALSE, &Patch::Absent, (true, &stored)), none);
        assert_eq!(adjustment(&FALSE, &Patch::Value(Vec::new()), (true, &stored)), none);
        assert!(adjustment(&Patch::Absent, &choice, (false, &[])).contradictory);
    }
}
