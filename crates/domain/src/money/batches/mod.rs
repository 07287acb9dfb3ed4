//! Batches of payments: made for payrolls, contractors, agencies and tax deposits, funded, held, released, paid again and reversed.

pub mod contractors;
pub mod debits;
pub mod followers;
pub mod held;
pub mod lifecycle;
pub mod net_pay;
pub mod payees;
pub mod payroll;
pub mod releases;
pub mod repayments;
pub mod reversals;
pub mod support;
pub mod taxes;
pub mod transit;
