//! Grosses up: finds the pay that leaves a given net pay.
//!
//! There is no formula for it, because taxes have brackets, annual limits and minimums, and garnishments depend on the pay left after
//! taxes. So paychecks are calculated for one amount after another, with the rules and inputs of the payroll itself, and bisection finds
//! the smallest amount in whole cents: net pay never falls when pay rises.

use rules::explain::NoTrace;
use rules::payroll::{FixedKind, FixedPay, calculate_paycheck};
use rules::{Amount, Checks, Violation, check};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::Patch;
use crate::pay::payrolls::calendar::members;
use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::facts::tables::PayrollTables;
use crate::pay::payrolls::record::payroll::{BONUS, Payroll};
use crate::pay::payrolls::record::settings;
use crate::pay::payrolls::run::snapshot;
use crate::pay::payrolls::run::snapshot::Snapshot;
use crate::pay::payrolls::service::details;
use crate::records::id_of;

/// Requests the pay that leaves a net pay.
#[derive(Debug, Clone, Default)]
pub struct GrossUp {
    /// the employee
    pub employee_uuid: Patch<String>,
    /// the wanted net pay
    pub net_pay: Patch<Amount>,
}

/// Returns the smallest amount of pay that leaves at least the wanted net pay, if the employee is paid nothing else in the payroll.
/// Nothing is stored.
///
/// # Errors
/// "Not found"; 422 for a regular or submitted payroll, for an employee whom it does not pay, for missing tables, and if no amount
/// leaves that much; a store error.
pub fn gross_up(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, input: &GrossUp) -> Result<Amount, Error> {
    let payroll = details::find_payroll(tx, caller, id)?;
    let mut checks = Checks::new();
    checks.require(payroll.off_cycle && payroll.submitted_at.is_none(), || {
        Violation::invalid_operation("Only an off-cycle payroll that was not submitted can be grossed up.")
    });
    let employee = input.employee_uuid.required("employee_uuid", &mut checks, |_, id| Ok(id_of(id)));
    let wanted = input.net_pay.required("net_pay", &mut checks, check_net_pay);
    let member = match employee {
        Some(employee) => members::find_member(tx, caller.company, &payroll, employee)?,
        None => None,
    };
    checks.require(employee.is_none() || member.is_some(), || {
        Violation::invalid("employee_uuid", "employee_uuid must be the uuid of an employee of the payroll")
    });
    checks.finish()?;
    let (Some(member), Some(wanted)) = (member, wanted) else {
        unreachable!("a request with missing fields is refused")
    };

    let settings = settings::of_company(tx, caller.company)?;
    let tables = PayrollTables::read_for_check_date(tx, payroll.check_date, settings.previous_year_tables)?;
    let tables = tables.map_err(|missing| {
        let first =
            missing.first().map(ToString::to_string).unwrap_or_else(|| "the tables of the year".to_owned());
        Violation::invalid_operation(format!("Payment on {}: {first}", payroll.check_date))
    })?;
    let context = Context::read(tx, caller.company, payroll, tables)?;
    let net_of = net_pay(tx, &context, &member)?;
    smallest_gross(wanted, net_of).ok_or_else(|| {
        let why =
            "net_pay cannot be reached: whatever the pay, taxes and deductions leave this employee less";
        Error::from(Violation::invalid("net_pay", why))
    })
}

/// Returns a function from pay in cents to net pay; it returns `None` if the pay is too large to calculate.
fn net_pay(
    tx: &mut Tx<'_>,
    context: &Context,
    member: &members::Member,
) -> Result<impl Fn(i64) -> Option<Amount>, Error> {
    let payroll: &Payroll = &context.payroll;
    let Snapshot { inputs, .. } = snapshot::read_paycheck_inputs(tx, context, std::slice::from_ref(member))?
        .pop()
        .ok_or_else(|| Violation::invalid("employee_uuid", "employee_uuid is excluded from the payroll"))?;
    let terms = context.tables.terms_of(payroll);
    let mut of = inputs.to_rules_employee(&terms, &context.tables);
    // The result is the only pay, whatever was entered.
    of.jobs.clear();
    of.reimbursements.clear();
    let kind = match payroll.off_cycle_reason.as_deref() {
        Some(BONUS) => FixedKind::Bonus,
        _ => FixedKind::Earnings,
    };
    Ok(move |cents: i64| {
        let mut of = of.clone();
        of.fixed = vec![FixedPay::new(kind, 0, Amount::from_cents(cents))];
        calculate_paycheck(&mut NoTrace, &terms, &of).map(|paid| paid.net)
    })
}

/// Returns the smallest amount in whole cents that leaves at least the wanted net pay.
fn smallest_gross(wanted: Amount, net_of: impl Fn(i64) -> Option<Amount>) -> Option<Amount> {
    let most = rules::amount::MAX_AMOUNT.millionths() / 10_000;
    let enough = |cents: i64| net_of(cents).is_some_and(|net| net >= wanted);
    let mut low = 0;
    let mut high = (wanted.millionths() / 10_000).clamp(1, most);
    while !enough(high) {
        if high == most {
            return None;
        }
        low = high;
        high = high.saturating_mul(2).min(most);
    }
    // `high` leaves enough, `low` does not.
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if enough(middle) { high = middle } else { low = middle }
    }
    Some(Amount::from_cents(high))
}

/// Requires at least one cent.
fn check_net_pay(key: &str, amount: &Amount) -> Result<Amount, Violation> {
    check::validate_dollars(key, *amount, Amount::from_cents(1)..=rules::amount::MAX_AMOUNT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_amount_that_leaves_enough_is_found_to_the_cent() {
        // A quarter is deducted; each started cent counts in full.
        let net_of = |cents: i64| Some(Amount::from_cents(cents - (cents + 3) / 4));
        for wanted in [1, 2, 3, 75, 100, 123_456] {
            let gross = smallest_gross(Amount::from_cents(wanted), net_of).unwrap();
            let cents = gross.millionths() / 10_000;
            assert!(net_of(cents).unwrap() >= Amount::from_cents(wanted));
            assert!(net_of(cents - 1).unwrap() < Amount::from_cents(wanted), "{wanted}");
        }
    }

    #[test]
    fn what_no_amount_leaves_is_told_apart() {
        assert_eq!(smallest_gross(Amount::from_cents(100), |_| Some(Amount::ZERO)), None);
    }
}
