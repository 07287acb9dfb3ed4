//! Pay stubs on the wire.

use domain::pay::payrolls::views::stubs;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::moment::format_moment;

/// A pay stub of an employee; the document itself is downloaded from its payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayStub {
    /// identifier
    pub uuid: Uuid,
    /// YYYY-MM-DD: check date
    #[schema(format = Date)]
    pub check_date: String,
    /// decimal text: gross pay
    pub gross_pay: String,
    /// decimal text: net pay, after taxes and deductions
    pub net_pay: String,
    /// the payroll
    pub payroll_uuid: Uuid,
    /// decimal text: the amount paid by check
    pub check_amount: String,
    /// `Direct Deposit` or `Check`
    pub payment_method: &'static str,
    /// extension: when the paycheck became void, because the pay was not owed and was reversed: it counts in no total. Omitted otherwise
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub voided_at: Option<String>,
}

impl From<stubs::PayStub> for PayStub {
    fn from(stub: stubs::PayStub) -> Self {
        Self {
            uuid: stub.id,
            check_date: stub.check_date.to_string(),
            gross_pay: stub.gross.to_text(2),
            net_pay: stub.net.to_text(2),
            payroll_uuid: stub.payroll,
            check_amount: stub.check_amount.to_text(2),
            payment_method: stub.payment_method,
            voided_at: stub.voided_at.map(format_moment),
        }
    }
}
