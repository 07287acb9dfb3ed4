//! Pay after the employee's death: which orders no longer apply, and what to check.
//!
//! The law determines the taxes due ([`rules::payroll::AfterDeath`]). A support order ends with the obligor's death; what the estate owes
//! is claimed from the estate. Other orders stay in force, because an issuer may claim wages earned before the death; the paycheck warns.

use jiff::civil::Date;
use rules::payroll::AfterDeath;

use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::texts::{
    ORDER_AFTER_DEATH, PAID_AFTER_DEATH, PAID_AFTER_DEATH_LATER, SUPPORT_AFTER_DEATH,
};

/// Removes the support orders of an employee who died before the pay date, and adds warnings; no-op without such a death.
pub(in crate::pay::payrolls) fn drop_support_orders(
    inputs: &mut PaycheckInputs,
    died: Option<Date>,
    payroll: &Payroll,
) {
    let Some(died) = died else { return };
    let Some(after) = AfterDeath::on_pay_date(died, payroll.check_date) else { return };
    inputs.after_death = Some(after);
    let text = match after {
        AfterDeath::SameYear => PAID_AFTER_DEATH,
        AfterDeath::LaterYear => PAID_AFTER_DEATH_LATER,
    };
    inputs.warnings.push(text.to_warning(&[("died", &died)]));
    let in_force = inputs.garnishments.iter().filter(|one| !one.garnishment.has_ended(payroll.check_date));
    let told = in_force.map(|one| {
        let text = if one.is_child_support() { SUPPORT_AFTER_DEATH } else { ORDER_AFTER_DEATH };
        text.to_warning(&[("name", &one.name), ("died", &died)])
    });
    let told: Vec<_> = told.collect();
    inputs.warnings.extend(told);
    inputs.garnishments.retain(|one| !one.is_child_support());
}
