//! Commands of contractor payments: the request bodies before validation.

use jiff::civil::Date;
use rules::Amount;

use crate::contractors::payments::rows::Method;
use crate::patch::Patch;
use crate::pay::payrolls::record::commands::SubmissionBlocker;

/// A payment of a contractor.
#[derive(Debug, Clone, Default)]
pub struct PaymentInput {
    /// who is paid
    pub contractor_uuid: Patch<String>,
    /// `Direct Deposit`, `Check` or `Historical Payment`
    pub payment_method: Patch<Method>,
    /// fixed pay, for contractors with a fixed wage
    pub wage: Patch<Amount>,
    /// hours, for contractors with an hourly wage
    pub hours: Patch<Amount>,
    /// bonus, for contractors with an hourly wage
    pub bonus: Patch<Amount>,
    /// reimbursed expenses
    pub reimbursement: Patch<Amount>,
    /// a note to the contractor; read from version 2026-02-01 on
    pub memo: Patch<String>,
    /// the contractor's invoice; read from version 2026-02-01 on
    pub invoice_number: Patch<String>,
}

/// A payment that is made by itself.
#[derive(Debug, Clone, Default)]
pub struct CreatePayment {
    /// YYYY-MM-DD: when it is made, or was made
    pub date: Patch<Date>,
    /// the payment
    pub payment: PaymentInput,
}

/// Payments whose debit is to be foreseen, each on its own day.
#[derive(Debug, Clone, Default)]
pub struct PreviewPayments {
    /// the payments
    pub contractor_payments: Patch<Vec<CreatePayment>>,
}

/// Payments on one day, as they are previewed.
#[derive(Debug, Clone, Default)]
pub struct GroupPayments {
    /// YYYY-MM-DD: when they are made, or were made
    pub check_date: Patch<Date>,
    /// the payments
    pub contractor_payments: Patch<Vec<PaymentInput>>,
}

/// Creates a group of payments.
#[derive(Debug, Clone, Default)]
pub struct CreateGroup {
    /// the payments
    pub payments: GroupPayments,
    /// the token of the preview
    pub creation_token: Patch<String>,
    /// how blockers are resolved
    pub submission_blockers: Patch<Vec<SubmissionBlocker>>,
}
