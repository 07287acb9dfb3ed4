//! Benefits: what a company offers, and which of them each employee has, from when to when.
//!
//! A company benefit has a type, which determines its tax treatment. An employee has it through records, each of which
//! is a window of days with its own amounts. The windows of one employee and one company benefit never overlap, on
//! either engine and under any concurrency: every unit that changes one takes the employee's guard, reads them all and
//! lets `rules::window` decide. Units that create a record also take the guard of the company benefit, so that it
//! cannot be deleted at the same time, and nobody is enrolled while it is made inactive.
//!
//! | module | contents |
//! |---|---|
//! | `commands` | inputs of use cases |
//! | `terms` | applying the amounts of a command to an election |
//! | `service` | use cases: company benefits, employees' records, bulk updates, plans, timeline, summary, excluded pay |
//! | `high_earners` | whose catch-up contributions have to be Roth contributions, by year |
//! | `other_companies` | contributions to benefits at another company in a year |
//! | `rows` | records and statements |
//! | `payroll` | what payroll reads and stores here |

pub mod commands;
pub mod high_earners;
pub mod other_companies;
pub mod payroll;
pub mod rows;
pub mod service;
mod terms;
