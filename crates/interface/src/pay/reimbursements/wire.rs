//! Recurring reimbursements on the wire.

use domain::pay::reimbursements::{rows, service};
use domain::records::version_text;
use rules::Amount;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::input;
use crate::moment::format_moment;
use crate::values::{Decimal, LongLineText, VersionText};

/// A reimbursement that every regular payroll pays.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecurringReimbursement {
    /// identifier
    pub uuid: Uuid,
    /// the employee
    pub employee_uuid: Uuid,
    /// what it is for
    pub description: String,
    /// decimal text, dollars per payroll
    pub amount: String,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// when it was created
    #[schema(format = DateTime)]
    pub created_at: String,
    /// when it was last updated
    #[schema(format = DateTime)]
    pub updated_at: String,
}

impl From<rows::RecurringReimbursement> for RecurringReimbursement {
    fn from(row: rows::RecurringReimbursement) -> Self {
        Self {
            uuid: row.id,
            employee_uuid: row.employee,
            version: version_text(service::TABLE, row.id, row.version),
            description: row.description,
            amount: row.amount.to_text(2),
            created_at: format_moment(row.created_at),
            updated_at: format_moment(row.updated_at),
        }
    }
}

input! {
    /// A recurring reimbursement to create.
    CreateRecurringReimbursement => service::CreateReimbursement {
        /// what it is for, at most 255 characters
        #[schema(required)]
        description: LongLineText,
        /// dollars per payroll, more than 0
        #[schema(required, value_type = Decimal)]
        amount: Amount,
    }

    /// What an update changes; omitted fields keep their values.
    UpdateRecurringReimbursement => service::UpdateReimbursement {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// what it is for, at most 255 characters
        description: LongLineText,
        /// dollars per payroll, more than 0
        #[schema(value_type = Decimal)]
        amount: Amount,
    }
}
