//! Batches on the wire: what all kinds of them answer.

use domain::batch;
use domain::batch::ACTIONS;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::named::Enum;
use crate::words;

/// How a batch came out.
pub type BatchStatus = Enum<batch::Status>;

words! {
    /// What is done with the items of a batch.
    BatchAction = ACTIONS;
}

/// A batch that was asked for. It is done when it is answered.
#[derive(Debug, Serialize, ToSchema)]
pub struct Batch {
    /// identifier
    pub uuid: Uuid,
    /// the caller's
    pub idempotency_key: String,
    /// how it came out
    pub status: BatchStatus,
    /// what was done
    #[schema(value_type = BatchAction)]
    pub batch_action: &'static str,
}

impl Batch {
    /// The answer for a batch.
    pub fn new(uuid: Uuid, idempotency_key: String, status: batch::Status) -> Self {
        Self { uuid, idempotency_key, status: Enum(status), batch_action: ACTIONS[0] }
    }
}

/// Declares the outcome of a kind of batch: its results, and the items that were not processed.
///
/// ```text
/// batch_results! {
///     /// What became of a batch of people.
///     PeopleBatchResults of PeopleBatchItem, PeopleBatchExclusion
/// }
/// ```
#[macro_export]
macro_rules! batch_results {
    ($(#[$about:meta])* $name:ident of $result:ident, $exclusion:ident) => {
        $(#[$about])*
        #[derive(Debug, serde::Serialize, utoipa::ToSchema)]
        pub struct $name {
            /// identifier
            pub uuid: uuid::Uuid,
            /// the caller's
            pub idempotency_key: String,
            /// how it came out
            pub status: $crate::batch::BatchStatus,
            /// when it was asked for
            #[schema(format = DateTime)]
            pub submitted_at: String,
            /// when it was done
            #[schema(format = DateTime)]
            pub completed_at: String,
            /// items of the request
            pub submitted_items: usize,
            /// items that were processed
            pub processed_items: usize,
            /// items that were not
            pub excluded_items: usize,
            /// the results of the processed items
            pub results: Vec<$result>,
            /// those that were not
            pub exclusions: Vec<$exclusion>,
        }

        impl $name {
            /// The results of a batch that was done at a moment.
            pub fn new(
                batch: $crate::batch::Batch,
                at: jiff::Timestamp,
                results: Vec<$result>,
                exclusions: Vec<$exclusion>,
            ) -> Self {
                Self {
                    uuid: batch.uuid,
                    idempotency_key: batch.idempotency_key,
                    status: batch.status,
                    submitted_at: $crate::moment::moment(at),
                    completed_at: $crate::moment::moment(at),
                    submitted_items: results.len() + exclusions.len(),
                    processed_items: results.len(),
                    excluded_items: exclusions.len(),
                    results,
                    exclusions,
                }
            }
        }
    };
}
