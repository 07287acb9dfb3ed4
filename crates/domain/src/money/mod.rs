//! Payments of payrolls: files for the operator's bank, and the bank's returns.
//!
//! The service holds no money: the operator's bank takes ACH files, as configured by the operator ([`bank::settings`]). Without these
//! settings no files are made, and payrolls count as paid on their check date.
//!
//! The rooms stand in the order in which they may import each other, lowest first; `tests/areas.rs` keeps it.
//!
//! | room | contents |
//! |---|---|
//! | [`bank`] | how the bank takes files, banking days, the receiving banks of agencies |
//! | [`ledger`] | the records: batches, entries and files, what they are for, and what was paid out |
//! | [`funding`] | what the credits of a company wait for; its wires; returned debits that have to be recovered |
//! | [`deposits`] | which taxes are deposited together, and when |
//! | [`batches`] | payments of payrolls, contractors, agencies and deposits: made, funded, held, released, paid again, reversed |
//! | [`files`] | the file that batches go into, its way to the bank, and its voiding |
//! | [`returns`] | returned payments, corrections of accounts, recovery of returned debits, voided paychecks |
//! | [`manual_payments`] | what the employer pays itself |
//! | [`views`] | lists, expected dates, notifications, and what the operator has to act on |

pub mod bank;
pub mod batches;
pub mod deposits;
pub mod files;
pub mod funding;
pub mod ledger;
pub mod manual_payments;
pub mod returns;
pub mod views;

/// Returns the statements of payments.
pub fn money_statements() -> Vec<store::Sql> {
    [
        bank::settings::ALL,
        ledger::bank_files::ALL,
        ledger::by_check::ALL,
        ledger::lines::ALL,
        ledger::paid_out::ALL,
        ledger::rows::ALL,
        funding::ALL,
        funding::cases::ALL,
        funding::wires::ALL,
        deposits::ALL,
        batches::contractors::ALL,
        batches::payees::ALL,
        batches::support::ALL,
        files::closed_accounts::ALL,
        files::pickup::ALL,
        returns::bank_returns::ALL,
        returns::corrections::ALL,
        manual_payments::held_pay::ALL,
        views::list::ALL,
        views::open_items::ALL,
    ]
    .concat()
}
