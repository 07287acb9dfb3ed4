//! How net pay is divided among bank accounts.

use crate::pay::payrolls::calendar::members::Member;
use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::record::entered::Entered;
use crate::pay::payrolls::record::paycheck_inputs::{PaycheckInputs, PaymentInput};
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::texts;
use crate::people::payment_methods::payable::{LeftOut, Payable};
use crate::people::payment_methods::plan::Plan;
use crate::people::payment_methods::rows::DIRECT_DEPOSIT;

/// Returns how net pay is divided among bank accounts; `None` for a check.
pub(in crate::pay::payrolls) fn payment_input(
    payroll: &Payroll,
    member: &Member,
    entered: &Entered,
    plan: Option<Plan>,
) -> Option<PaymentInput> {
    let plan = plan.filter(|_| payment_method(member, entered) == DIRECT_DEPOSIT && !payroll.check_only)?;
    Some(PaymentInput { by: plan.by, splits: plan.splits })
}

/// Adds how net pay is divided among the accounts that can be paid, and a warning for each of the others.
pub(in crate::pay::payrolls) fn add_payment(
    context: &Context,
    inputs: &mut PaycheckInputs,
    member: &Member,
    entered: &Entered,
    payable: Option<Payable>,
) {
    let Payable { plan, left_out } = payable.unwrap_or_default();
    inputs.payment = payment_input(&context.payroll, member, entered, plan);
    if context.payroll.check_only || payment_method(member, entered) != DIRECT_DEPOSIT {
        return;
    }
    let text = if inputs.payment.is_some() { texts::RETURNED_ACCOUNT } else { texts::RETURNED_ONLY_ACCOUNT };
    let warning =
        |one: &LeftOut| text.to_warning(&[("account", &one.hidden_account_number), ("code", &one.code)]);
    inputs.warnings.extend(left_out.iter().map(warning));
}

fn payment_method<'m>(member: &'m Member, entered: &'m Entered) -> &'m str {
    entered.payment_method.as_deref().unwrap_or(&member.payment_method)
}
