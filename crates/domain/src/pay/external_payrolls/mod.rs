//! External payrolls: what another provider paid earlier in the year, told pay date by pay date.
//!
//! They are made, filled and corrected one by one, until they are finished together: their sums become the opening balances of
//! the employees ([`crate::pay::payrolls::opening::elsewhere`]), and nothing can be changed any more.
//!
//! | module | what it holds |
//! |---|---|
//! | `rows` | records and statements |
//! | `numbers` | the numbers by which earnings, benefits and taxes are named |
//! | `items` | what an employee was paid, and how an update changes it |
//! | `service` | making, reading, filling and deleting, and the taxes that would have been withheld |
//! | `listed` | the list of payrolls with those of another provider |
//! | `liabilities` | what is still owed of the taxes |
//! | `finish` | the end, in the background |

pub mod commands;
pub mod finish;
pub mod items;
pub mod liabilities;
pub mod listed;
pub mod numbers;
pub mod rows;
pub mod service;
