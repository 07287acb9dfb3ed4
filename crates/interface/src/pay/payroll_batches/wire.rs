//! Batches of payrolls on the wire.

use domain::batch::BatchStatus;
use domain::pay::payroll_batches;
use domain::pay::payroll_batches::{CANCEL, ENTITIES, Exclusion};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::batch::Batch;
use crate::field::{Field, List};
use crate::values::{IdText, LongLineText};
use crate::{batch_results, input, words};

const SUCCESS: &str = "success";
const FAILED: &str = "failed";
const NOT_CANCELLABLE: &str = "not_cancellable";
const NOT_FOUND: &str = "not_found";
const DUPLICATE_OPERATION: &str = "duplicate_operation";

words! {
    /// The action of a batch of payrolls.
    PayrollBatchAction = [CANCEL];
    /// The kind of items in a batch of payrolls.
    PayrollBatchEntity = ENTITIES;
    /// The result for a payroll in a batch.
    PayrollBatchItemStatus = [SUCCESS, FAILED];
    /// Why a payroll could not be cancelled.
    PayrollBatchErrorCategory = [NOT_CANCELLABLE];
    /// Why a payroll was not processed.
    PayrollBatchExclusionCategory = [NOT_FOUND, DUPLICATE_OPERATION];
}

batch_results! {
    /// The results of a batch of payrolls.
    PayrollBatchResults of PayrollBatchItem, PayrollBatchExclusion
}

/// The result for a payroll in a batch.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayrollBatchItem {
    /// index in the request, from 0
    pub idx: usize,
    /// the payroll
    pub uuid: Uuid,
    /// the result
    #[schema(value_type = PayrollBatchItemStatus)]
    pub status: &'static str,
    /// why it could not be cancelled; only if it failed
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<PayrollBatchError>,
}

/// Why a payroll could not be cancelled.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayrollBatchError {
    /// `base`
    pub error_key: &'static str,
    /// machine-readable reason
    #[schema(value_type = PayrollBatchErrorCategory)]
    pub category: &'static str,
    /// the reason in words
    pub message: String,
}

/// A payroll that was not processed.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayrollBatchExclusion {
    /// index in the request, from 0
    pub idx: usize,
    /// `payroll`
    #[schema(value_type = PayrollBatchEntity)]
    pub entity_type: &'static str,
    /// the payroll
    pub uuid: Uuid,
    /// the company named as its owner
    pub company_uuid: Uuid,
    /// `failed`
    #[schema(value_type = PayrollBatchItemStatus)]
    pub status: &'static str,
    /// machine-readable reason
    #[schema(value_type = PayrollBatchExclusionCategory)]
    pub category: &'static str,
    /// the reason in words
    pub message: &'static str,
}

impl From<payroll_batches::Outcome> for PayrollBatchItem {
    fn from(one: payroll_batches::Outcome) -> Self {
        let error = |message| PayrollBatchError { error_key: "base", category: NOT_CANCELLABLE, message };
        Self {
            idx: one.index,
            uuid: one.payroll,
            status: if one.refused.is_some() { FAILED } else { SUCCESS },
            errors: one.refused.into_iter().map(error).collect(),
        }
    }
}

impl From<payroll_batches::Excluded> for PayrollBatchExclusion {
    fn from(one: payroll_batches::Excluded) -> Self {
        let (category, message) = match one.why {
            Exclusion::NotFound => (
                NOT_FOUND,
                "The payroll does not exist, or the application has no token of its company with payrolls:run.",
            ),
            Exclusion::DuplicateOperation => {
                (DUPLICATE_OPERATION, "The payroll is listed twice in the batch; the first was used.")
            }
        };
        Self {
            idx: one.index,
            entity_type: ENTITIES[0],
            uuid: one.named.payroll,
            company_uuid: one.named.company,
            status: FAILED,
            category,
            message,
        }
    }
}

/// The response to a request: the batch is complete.
pub fn batch_summary(batch: &payroll_batches::Batch) -> Batch {
    Batch::of_items::<payroll_batches::PayrollItem>(
        batch.id,
        batch.idempotency_key.clone(),
        BatchStatus::Completed,
    )
}

/// The response with the results of a batch.
pub fn payroll_results(batch: payroll_batches::Batch) -> PayrollBatchResults {
    let (about, at) = (batch_summary(&batch), batch.made_at);
    let payroll_batches::Results { outcomes, excluded } = batch.results;
    let results = outcomes.into_iter().map(PayrollBatchItem::from).collect();
    PayrollBatchResults::new(
        about,
        at,
        results,
        excluded.into_iter().map(PayrollBatchExclusion::from).collect(),
    )
}

input! {
    /// Payrolls to cancel.
    CreatePayrollBatch => payroll_batches::CreateBatch {
        /// idempotency key of your choice, unique per application
        #[schema(required)]
        idempotency_key: LongLineText,
        /// the action
        #[schema(required)]
        batch_action: PayrollBatchAction,
        /// 1 to 100 payrolls
        #[schema(required)]
        batch: List<PayrollOfBatch>,
    }

    /// A payroll to cancel.
    PayrollOfBatch => payroll_batches::PayrollItem {
        /// the kind of item
        #[schema(required)]
        entity_type: PayrollBatchEntity,
        /// the payroll
        #[schema(required)]
        uuid: IdText,
        /// its company
        #[schema(required)]
        company_uuid: IdText,
    }
}
