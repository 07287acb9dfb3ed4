//! Suspensions on the wire.

use domain::company::suspensions::{rows, service};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::input;
use crate::values::{LeavingForName, SuspensionReasonName, TaxMethodName};

/// A suspension that a company asked for.
#[derive(Debug, Serialize, ToSchema)]
pub struct Suspension {
    /// identifier
    pub uuid: Uuid,
    /// the employer
    pub company_uuid: Uuid,
    /// YYYY-MM-DD: its first day
    #[schema(format = Date)]
    pub effective_date: String,
    /// why
    #[schema(value_type = SuspensionReasonName)]
    pub reason: String,
    /// to which provider the company goes
    #[schema(value_type = Option<LeavingForName>)]
    pub leaving_for: Option<String>,
    /// what is to become of taxes that were collected
    #[schema(value_type = TaxMethodName)]
    pub reconcile_tax_method: String,
    /// whether the forms of the quarter are to be filed for the company
    pub file_quarterly_forms: bool,
    /// whether the forms of the year are to be filed for the company
    pub file_yearly_forms: bool,
    /// what else the company said
    pub comments: Option<String>,
    /// taxes that are paid back: none, because none are collected by the service
    pub tax_refunds: Vec<TaxRefund>,
}

/// A tax that is paid back.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxRefund {
    /// decimal text, dollars
    pub amount: String,
    /// which tax
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
    /// Why a company leaves, and what it wishes.
    CreateSuspension => service::CreateSuspension {
        /// why; `changing_ein_or_entity_type` is refused: create a company with the new EIN
        #[schema(required)]
        reason: SuspensionReasonName,
        /// to which provider the company goes; required with `switching_provider`
        leaving_for: LeavingForName,
        /// what is to become of taxes that were collected
        #[schema(required)]
        reconcile_tax_method: TaxMethodName,
        /// whether the forms of the quarter are to be filed for the company
        #[schema(required)]
        file_quarterly_forms: bool,
        /// whether the forms of the year are to be filed for the company
        #[schema(required)]
        file_yearly_forms: bool,
        /// what else there is to say, at most 1,000 characters; required with `leaving_for` other
        #[schema(nullable)]
        comments: String,
    }
}
