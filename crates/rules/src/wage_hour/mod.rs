//! Overtime of a workweek from the hours of its days: which hours are overtime, and what they pay.
//!
//! A workweek stands alone, whatever the pay period (29 CFR 778.104). [`OvertimeRule`] is the law of the work location: federal
//! law counts hours above 40 in the week; some states also count hours by day. `hours` sorts the hours of a week into
//! regular, overtime and double time; `pay` calculates the regular rate from all remuneration of the week, and the premium
//! for those hours.
//!
//! | module | contents |
//! |---|---|
//! | `first_day` | the day on which workweeks begin |
//! | `fluctuating` | states that bar a salary for fluctuating hours |
//! | `rule` | the law of each state |
//! | `hours` | which hours are overtime |
//! | `pay` | the regular rate and the premium |

mod first_day;
mod fluctuating;
mod hours;
mod pay;
mod rule;

pub use first_day::FirstDay;
pub use fluctuating::{FluctuatingWorkweekBar, FluctuatingWorkweekBars};
pub use hours::{Sorted, Worked, sort_hours};
pub use pay::{Premium, Remuneration, Salary, WeekPay, overtime_premium, premium_when_paid_later, week_pay};
pub use rule::{OvertimeRule, OvertimeRules, SeventhDay};

#[cfg(test)]
mod golden_tests;
