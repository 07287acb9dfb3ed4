//! Benefits: what a company offers, and which of it each employee has, from when to when.
//!
//! A company benefit has a type, which says how it meets taxes. An employee has it through records, each of which
//! is a window of days with its own amounts; the windows of one employee and one company benefit never overlap,
//! on either engine and under any concurrency, because every unit that moves one takes the employee's guard, reads
//! them all and lets `rules::window` decide. Records that an employee enrols through also take the guard of
//! the company benefit, so that it cannot be deleted or made inactive beside them.
//!
//! | file | what it holds |
//! |---|---|
//! | `api` | operations and their shapes |
//! | `input` | the amounts in a request, and how they become terms |
//! | `service` | what can be done: company benefits, windows, many at once, plans, the timeline, the summary |
//! | `rows` | records and statements |
//! | `payroll` | what payroll reads and writes here |
//! | `view` | how records are told |

mod input;
pub mod payroll;
pub mod rows;
pub mod service;
pub mod shapes;
pub mod view;
