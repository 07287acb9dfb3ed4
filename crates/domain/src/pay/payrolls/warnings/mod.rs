//! Warnings of paychecks: what to check before a payroll is submitted.
//!
//! | module | what it holds |
//! |---|---|
//! | `incomplete` | entries from which something is missing, or that pay nothing |
//! | `long_days` | days that have more than 24 hours in several payrolls together |
//! | `zips` | addresses whose ZIP code is none of their state's |
//! | `residency` | answers about the home that its address contradicts |
//! | `late_addresses` | addresses that were told only after days for which they count were paid |
//! | `unpaid_days` | days of whoever was onboarded too late for their payroll |
//! | `left_unpaid` | hours off and expenses that earlier payrolls did not pay |
//! | `back_pay` | pay that was changed for days which payrolls have paid already |
//! | `lump_sums` | bonuses of which the agency of a support order is to be told |

pub(super) mod back_pay;
pub(super) mod incomplete;
pub(super) mod late_addresses;
pub(super) mod left_unpaid;
pub(super) mod long_days;
pub(super) mod lump_sums;
pub(super) mod residency;
pub(super) mod unpaid_days;
pub(super) mod zips;
