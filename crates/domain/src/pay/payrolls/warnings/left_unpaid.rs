//! Pay that earlier payrolls of the schedule left out: approved hours off on their days, and expenses entered in a skipped payroll.
//! It is not paid automatically, because the company may have paid it in another way; the next paycheck warns.

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;
use rules::Amount;
use rules::days::Days;
use store::Tx;
use uuid::Uuid;

use crate::error::Error;
use crate::pay::payrolls::calendar::submitted::Submitted;
use crate::pay::payrolls::record::inputs;
use crate::pay::payrolls::record::texts::{REIMBURSEMENTS_NOT_PAID, TIME_OFF_NOT_PAID};
use crate::pay::payrolls::record::time_off::kind_of;
use crate::pay::payrolls::record::warning::Warning;
use crate::pay::time_off::requests::rows::ApprovedDay;
use crate::records::IdRange;

/// Returns warnings about pay that earlier payrolls left out for the employees between two (both included), given the approved days off.
pub(in crate::pay::payrolls) fn left_unpaid_warnings(
    tx: &mut Tx<'_>,
    company: Uuid,
    before: &[Submitted],
    bounds: IdRange,
    days_off: &HashMap<Uuid, Vec<ApprovedDay>>,
) -> Result<HashMap<Uuid, Vec<Warning>>, Error> {
    let mut found: HashMap<Uuid, Vec<Warning>> =
        days_off.iter().map(|(employee, days)| (*employee, of_days_off(days).collect())).collect();
    // Only payrolls skipped since the last paid one concern the next payroll.
    for one in before.iter().rev().take_while(|one| one.skipped) {
        for input in inputs::inputs_between(tx, company, one.id, bounds)? {
            let expenses: Amount = input.entered.reimbursements.iter().map(|line| line.amount).sum();
            if expenses > Amount::ZERO {
                found.entry(input.employee).or_default().push(of_expenses(one, expenses));
            }
        }
    }
    Ok(found)
}

/// Returns a warning for each kind of hours.
fn of_days_off(days: &[ApprovedDay]) -> impl Iterator<Item = Warning> {
    let mut of_kind: BTreeMap<&str, (Date, Date, Amount)> = BTreeMap::new();
    for one in days {
        let first = (one.day, one.day, Amount::ZERO);
        let (from, until, hours) = of_kind.entry(kind_of(one.policy_type).as_str()).or_insert(first);
        (*from, *until) = ((*from).min(one.day), (*until).max(one.day));
        *hours += one.hours;
    }
    of_kind.into_iter().map(|(kind, (from, until, hours))| {
        let hours = hours.to_text(3);
        TIME_OFF_NOT_PAID.to_warning(&[
            ("hours", &hours),
            ("kind", &kind),
            ("from", &from),
            ("until", &until),
        ])
    })
}

fn of_expenses(skipped: &Submitted, expenses: Amount) -> Warning {
    let Days { first: start, last: end } = skipped.days;
    let amount = expenses.to_text(2);
    REIMBURSEMENTS_NOT_PAID.to_warning(&[("start", &start), ("end", &end), ("amount", &amount)])
}
