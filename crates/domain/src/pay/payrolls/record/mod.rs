//! What is stored: payrolls with what was entered, the inputs and results of their calculations, sums of years, totals.
//!
//! | module | what it holds |
//! |---|---|
//! | `payroll`, `rows` | a payroll and its state, and the rows of payrolls |
//! | `deadlines` | until when a payroll can be submitted |
//! | `commands`, `settings`, `workweek` | what callers send, the company's settings, and when its workweeks begin |
//! | `inputs`, `entered`, `hours`, `kinds`, `earned` | what was entered for an employee: lines by their kinds, hours, and when amounts were earned |
//! | `time_off` | hours that are paid without an entry, and the effects of a paycheck on balances |
//! | `paycheck_inputs` | the inputs of a paycheck, as they are stored with it |
//! | `paycheck`, `taxes`, `results`, `runs` | a paycheck with its taxes, and the rows of paychecks and calculations |
//! | `lines` | a stored paycheck as a list of lines, each with its identity |
//! | `sums`, `totals` | sums of the year by employee, and the totals of a payroll |
//! | `warning`, `texts` | a warning of a paycheck, and the text of each in each language |
//! | `json` | values that are stored as JSON |

#[cfg(test)]
pub(in crate::pay::payrolls) mod by_chance;
pub mod commands;
pub mod deadlines;
pub mod earned;
pub mod entered;
pub mod entered_at;
pub mod hours;
pub mod inputs;
pub(in crate::pay::payrolls) mod json;
pub mod kinds;
pub mod lines;
pub mod paycheck;
pub mod paycheck_inputs;
pub mod payroll;
pub mod results;
pub mod rows;
pub mod runs;
pub mod settings;
mod stored_warning;
pub mod sums;
pub mod taxes;
pub(in crate::pay::payrolls) mod texts;
pub(in crate::pay::payrolls) mod texts_of_rules;
pub mod time_off;
pub mod totals;
pub mod warning;
pub mod workweek;
