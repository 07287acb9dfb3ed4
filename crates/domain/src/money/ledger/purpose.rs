//! What payments, wires and cases are for: a payroll, a tax deposit, or payments of contractors.

use jiff::civil::Date;
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

/// What is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Purpose {
    /// the employees of a payroll
    #[strum(serialize = "payroll")]
    Payroll,
    /// taxes, in a deposit
    #[strum(serialize = "tax_deposit")]
    TaxDeposit,
    /// the contractors of a group of payments
    #[strum(serialize = "contractors")]
    Contractors,
}

/// The payroll, the deposit or the group of contractor payments that payments belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    /// its identifier
    pub id: Uuid,
    /// what it is
    pub purpose: Purpose,
    /// the check date; for a deposit the due date
    pub day: Date,
}

impl Subject {
    /// The payments of a payroll.
    pub fn of_payroll(id: Uuid, check_date: Date) -> Self {
        Self { id, purpose: Purpose::Payroll, day: check_date }
    }

    /// The payment of a tax deposit.
    pub fn of_deposit(id: Uuid, due: Date) -> Self {
        Self { id, purpose: Purpose::TaxDeposit, day: due }
    }

    /// The payments of a group of contractors.
    pub fn of_contractors(id: Uuid, check_date: Date) -> Self {
        Self { id, purpose: Purpose::Contractors, day: check_date }
    }
}
