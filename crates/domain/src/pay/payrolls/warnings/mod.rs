//! Warnings of paychecks: what to check before a payroll is submitted.
//!
//! | module | what it holds |
//! |---|---|
//! | `incomplete` | entries from which something is missing, or that pay nothing |
//! | `long_days` | days that have more than 24 hours in several payrolls together |
//! | `zips` | addresses whose ZIP code is none of their state's |
//! | `state_days` | pay for single days that a state may require and that is not calculated |
//! | `residency` | answers about the home that its address contradicts |
//! | `late_addresses` | addresses that were told only after days for which they count were paid |
//! | `unpaid_days` | days of whoever was onboarded too late for their payroll |
//! | `late_employment` | days unpaid, or paid for nothing, because a beginning or an end of employment was recorded too late |
//! | `outside_employment` | hours entered for days on which the employee was not employed |
//! | `left_unpaid` | hours off and expenses that earlier payrolls did not pay |
//! | `back_pay` | pay that was changed for days which payrolls have paid already |
//! | `after_death` | what is paid after the death of the employee, and the orders that end with it |
//! | `texts` | what each warning says, in each language |
//! | `lump_sums` | bonuses of which the agency of a support order is to be told |

pub(super) mod after_death;
pub(super) mod back_pay;
pub(super) mod incomplete;
pub(super) mod late_addresses;
pub(super) mod late_employment;
pub(super) mod left_unpaid;
pub(super) mod long_days;
pub(super) mod lump_sums;
pub(super) mod outside_employment;
pub(super) mod residency;
pub(super) mod state_days;
pub(super) mod texts;
pub(super) mod unpaid_days;
pub(super) mod zips;

use super::calculation::context::Context;
use super::calculation::inputs::PaycheckInputs;
use super::entry::entered::Entered;
use super::paid::Warning;
use crate::pay::compensations::rows::Pay;
use crate::people::addresses::rows::{HomeAddress, WorkAddress};
use crate::people::employment::Employment;

/// What the addresses of an employee and the entries for the employee are warned of, in the order in which paychecks tell it.
pub(super) fn of_addresses_and_entries(
    context: &Context,
    inputs: &PaycheckInputs,
    addresses: (&[WorkAddress], &[HomeAddress]),
    of_jobs: (&Pay, Option<&Employment>),
    (entered, others): (&Entered, &long_days::ByDay),
) -> Vec<Warning> {
    let mut found = late_addresses::warnings(context, addresses, of_jobs);
    found.extend(incomplete::warnings(inputs, &context.payroll));
    found.extend(long_days::warnings(entered, others));
    found.extend(outside_employment::warnings(&context.payroll, entered, of_jobs));
    found.extend(state_days::warnings(context, addresses.0, (entered, &inputs.jobs)));
    found.extend(zips::warnings(context, addresses, context.payroll.end));
    found
}
