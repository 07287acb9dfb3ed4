//! Payment of net pay: bank accounts and splits.
//!
//! | file | contents |
//! |---|---|
//! | `account` | validation and masking of bank account numbers |
//! | `split` | splits of pay among accounts |
//! | `words` | amounts in words, for checks |
//!
//! Account numbers are secret: messages never contain them, and they are displayed only as returned by
//! [`masked`]. Routing numbers are public.

mod account;
mod split;
pub mod words;

pub use account::{AccountType, account_number, account_type, mask_account_number, routing_number};
pub use split::{MAX_SPLITS, Split, SplitBy, check_splits, divide_net_pay};
