//! Paycheck warnings: what to check before a payroll is submitted.
//!
//! | module | what it holds |
//! |---|---|
//! | `incomplete` | entries that are incomplete or pay nothing |
//! | `long_days` | days with more than 24 hours across several payrolls |
//! | `zips` | addresses whose ZIP code is not in their state |
//! | `state_days` | pay for single days that a state may require and that is not calculated |
//! | `residency` | certificate answers about the home that its address contradicts |
//! | `open_places` | addresses whose county, city, school district or municipality is not known |
//! | `late_addresses` | addresses entered only after payrolls had paid days they apply to |
//! | `unpaid_days` | unpaid days of employees who were onboarded too late for the payroll of these days |
//! | `late_employment` | days unpaid, or paid in error, because a start or end of employment was recorded too late |
//! | `outside_employment` | hours entered for days on which the employee was not employed |
//! | `left_unpaid` | hours off and expenses that earlier payrolls did not pay |
//! | `findings` | something to tell about earlier pay, and pay that is owed |
//! | `owed` | what is still owed of all of these, after the payments since |
//! | `back_pay` | pay changed for days that payrolls have already paid |
//! | `after_death` | pay after the employee's death, and the orders that end with it |
//! | `lump_sums` | bonuses that must be reported to the agency of a support order |

pub(in crate::pay::payrolls) mod after_death;
pub(in crate::pay::payrolls) mod back_pay;
pub(in crate::pay::payrolls) mod findings;
pub(in crate::pay::payrolls) mod incomplete;
pub(in crate::pay::payrolls) mod late_addresses;
pub(in crate::pay::payrolls) mod late_employment;
pub(in crate::pay::payrolls) mod left_unpaid;
pub(in crate::pay::payrolls) mod long_days;
pub(in crate::pay::payrolls) mod lump_sums;
pub(in crate::pay::payrolls) mod open_places;
pub(in crate::pay::payrolls) mod outside_employment;
pub(in crate::pay::payrolls) mod owed;
pub(in crate::pay::payrolls) mod residency;
pub(in crate::pay::payrolls) mod state_days;
pub(in crate::pay::payrolls) mod unpaid_days;
pub(in crate::pay::payrolls) mod zips;

use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::facts::member::MemberFacts;
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::warning::Warning;

/// Returns the warnings about an employee's addresses and entries, in the order in which paychecks list them.
pub(in crate::pay::payrolls) fn of_addresses_and_entries(
    context: &Context,
    inputs: &PaycheckInputs,
    member: &MemberFacts<'_>,
    others: &long_days::ByDay,
) -> Vec<Warning> {
    let mut found = late_addresses::late_address_warnings(context, member);
    found.extend(incomplete::incomplete_entry_warnings(inputs, &context.payroll));
    found.extend(long_days::long_day_warnings(member.entered, others));
    found.extend(outside_employment::outside_hours_warnings(&context.payroll, member));
    found.extend(state_days::state_day_warnings(context, member, &inputs.jobs));
    found.extend(zips::zip_warnings(context, member, context.payroll.end));
    found
}
