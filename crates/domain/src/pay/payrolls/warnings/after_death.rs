//! Pay after the death of the employee: which orders it no longer bears, and what to check.
//!
//! Which taxes it bears is law ([`rules::payroll::AfterDeath`]). A support order ends with the death of whoever owes it; what the estate
//! owes is claimed there. Other orders are taken on, because an issuer may hold that wages earned before are theirs; the paycheck asks.

use jiff::civil::Date;
use rules::payroll::AfterDeath;

use crate::pay::payrolls::calculation::inputs::PaycheckInputs;
use crate::pay::payrolls::rows::Payroll;
use crate::pay::payrolls::warnings::texts::{
    ORDER_AFTER_DEATH, PAID_AFTER_DEATH, PAID_AFTER_DEATH_LATER, SUPPORT_AFTER_DEATH,
};

/// Leaves out the support orders of somebody who died before the pay date, and warns of it; no-op without a death.
pub(in crate::pay::payrolls) fn apply(inputs: &mut PaycheckInputs, died: Option<Date>, payroll: &Payroll) {
    let Some(died) = died else { return };
    let Some(after) = AfterDeath::of(died, payroll.check_date) else { return };
    inputs.after_death = Some(after);
    let text = match after {
        AfterDeath::SameYear => PAID_AFTER_DEATH,
        AfterDeath::LaterYear => PAID_AFTER_DEATH_LATER,
    };
    inputs.warnings.push(text.warning(&[("died", &died)]));
    let in_force = inputs.garnishments.iter().filter(|one| !one.garnishment.has_ended(payroll.check_date));
    let told = in_force.map(|one| {
        let text = if one.is_child_support() { SUPPORT_AFTER_DEATH } else { ORDER_AFTER_DEATH };
        text.warning(&[("name", &one.name), ("died", &died)])
    });
    let told: Vec<_> = told.collect();
    inputs.warnings.extend(told);
    inputs.garnishments.retain(|one| !one.is_child_support());
}
