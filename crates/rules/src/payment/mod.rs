//! How net pay reaches the employee: bank accounts, and the division of pay among them.
//!
//! | file | question it answers |
//! |---|---|
//! | `account` | are these the numbers of a bank account, and what of them may be shown? |
//! | `split` | how may pay be split among accounts, and what does each get of one paycheck? |
//!
//! An account number is a secret: it stands in no message, and is shown only as [`masked`] leaves it. A routing
//! number names a bank and is public.

mod account;
mod split;

pub use account::{AccountType, account_number, account_type, masked, routing_number};
pub use split::{MAX_SPLITS, Split, SplitBy, check_splits, divide};
