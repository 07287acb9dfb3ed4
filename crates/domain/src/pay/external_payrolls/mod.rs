//! External payrolls: pay from another provider earlier in the year, entered by pay date.
//!
//! External payrolls are created, filled and corrected one by one, and then finished together: their sums become the employees' opening
//! balances ([`crate::pay::payrolls::run::prior_provider`]), and they can no longer be changed.
//!
//! | module | contents |
//! |---|---|
//! | `rows` | records and statements |
//! | `numbers` | the numbers that identify earnings, benefits and taxes |
//! | `items` | the item of an employee, and how an update changes it |
//! | `service` | creating, reading, filling and deleting external payrolls, and the taxes that would have been withheld |
//! | `listed` | the list of payrolls, including external ones |
//! | `liabilities` | tax amounts that are still owed |
//! | `finish` | finishing external payrolls in the background |

pub mod commands;
pub mod finish;
pub mod items;
pub mod liabilities;
pub mod listed;
pub mod numbers;
pub mod rows;
pub mod service;
