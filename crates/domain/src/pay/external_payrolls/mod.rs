//! External payrolls: what another provider paid earlier in the year, entered by pay date.
//!
//! They are made, filled and corrected one by one, until they are finished together: their sums become the opening balances of
//! the employees ([`crate::pay::payrolls::opening::elsewhere`]), and nothing can be changed any more.
//!
//! | module | what it holds |
//! |---|---|
//! | `rows` | records and statements |
//! | `numbers` | the numbers that identify earnings, benefits and taxes |
//! | `items` | what an employee was paid, and how an update changes it |
//! | `service` | creating, reading, filling and deleting, and the taxes that would have been withheld |
//! | `listed` | the list of payrolls with those of another provider |
//! | `liabilities` | what is still owed of the taxes |
//! | `finish` | finishing them, in the background |

pub mod commands;
pub mod finish;
pub mod items;
pub mod liabilities;
pub mod listed;
pub mod numbers;
pub mod rows;
pub mod service;
