//! Suspensions on the wire.

use domain::company::suspensions::{rows, service};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::input;
use crate::values::{LeavingForName, NoteText, SuspensionReasonName, TaxMethodName};

/// A suspension that a company requested.
#[derive(Debug, Serialize, ToSchema)]
pub struct Suspension {
    /// identifier
    pub uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// YYYY-MM-DD: its first day
    #[schema(format = Date)]
    pub effective_date: String,
    /// the reason
    #[schema(value_type = SuspensionReasonName)]
    pub reason: String,
    /// the provider to which the company moves
    #[schema(value_type = Option<LeavingForName>)]
    pub leaving_for: Option<String>,
    /// what to do with taxes that were collected
    #[schema(value_type = TaxMethodName)]
    pub reconcile_tax_method: String,
    /// whether to file the company's forms for the quarter
    pub file_quarterly_forms: bool,
    /// whether to file the company's forms for the year
    pub file_yearly_forms: bool,
    /// the company's comments
    pub comments: Option<String>,
    /// taxes that are refunded: always empty, because the service collects none
    pub tax_refunds: Vec<TaxRefund>,
}

/// A tax that is refunded.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxRefund {
    /// decimal text, dollars
    pub amount: String,
    /// the tax
    pub description: String,
}

impl Suspension {
    /// The answer for a suspension of `company`.
    pub fn new(company: Uuid, row: rows::Suspension) -> Self {
        Self {
            uuid: row.id,
            company_uuid: company,
            effective_date: row.effective_date.to_string(),
            reason: row.reason,
            leaving_for: row.leaving_for,
            reconcile_tax_method: row.reconcile_tax_method,
            file_quarterly_forms: row.file_quarterly_forms,
            file_yearly_forms: row.file_yearly_forms,
            comments: row.comments,
            tax_refunds: Vec::new(),
        }
    }
}

input! {
    /// The reason for leaving, and the company's instructions.
    CreateSuspension => service::CreateSuspension {
        /// the reason; `changing_ein_or_entity_type` is refused: create a company with the new EIN
        #[schema(required)]
        reason: SuspensionReasonName,
        /// the provider to which the company moves; required with `switching_provider`
        leaving_for: LeavingForName,
        /// what to do with taxes that were collected
        #[schema(required)]
        reconcile_tax_method: TaxMethodName,
        /// whether to file the company's forms for the quarter
        #[schema(required)]
        file_quarterly_forms: bool,
        /// whether to file the company's forms for the year
        #[schema(required)]
        file_yearly_forms: bool,
        /// comments, at most 1,000 characters; required with `leaving_for` other
        #[schema(nullable)]
        comments: NoteText,
    }
}
