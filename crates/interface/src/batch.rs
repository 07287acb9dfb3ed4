//! Batches on the wire: the fields that all kinds share.

use domain::batch;
use domain::batch::CREATE;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::named::Enum;
use crate::words;

/// The status of a batch.
pub type BatchStatus = Enum<batch::BatchStatus>;

words! {
    /// The action of a batch that creates its items.
    BatchAction = [CREATE];
}

/// A batch that was requested. It is complete when the response arrives.
#[derive(Debug, Serialize, ToSchema)]
pub struct Batch {
    /// identifier
    pub uuid: Uuid,
    /// the caller's idempotency key
    pub idempotency_key: String,
    /// the status
    pub status: BatchStatus,
    /// the action: `create`, `update` for time sheets, or `cancel` for payrolls
    pub batch_action: &'static str,
}

impl Batch {
    /// The answer for a batch with this action.
    pub fn new(
        uuid: Uuid,
        idempotency_key: String,
        action: &'static str,
        status: batch::BatchStatus,
    ) -> Self {
        Self { uuid, idempotency_key, status: Enum(status), batch_action: action }
    }

    /// The answer for a batch of items of a kind.
    pub fn of_items<T: batch::Item>(uuid: Uuid, idempotency_key: String, status: batch::BatchStatus) -> Self {
        Self::new(uuid, idempotency_key, T::ACTION, status)
    }
}

/// Declares the results of a kind of batch: results of the processed items, and the items that were excluded.
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
            /// the caller's idempotency key
            pub idempotency_key: String,
            /// the status
            pub status: $crate::batch::BatchStatus,
            /// when it was requested
            #[schema(format = DateTime)]
            pub submitted_at: String,
            /// when it was completed
            #[schema(format = DateTime)]
            pub completed_at: String,
            /// number of items in the request
            pub submitted_items: usize,
            /// number of items that were processed
            pub processed_items: usize,
            /// number of items that were excluded
            pub excluded_items: usize,
            /// the results of the processed items
            pub results: Vec<$result>,
            /// the items that were excluded
            pub exclusions: Vec<$exclusion>,
        }

        impl $name {
            /// The results of a batch that was completed at a moment.
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
                    submitted_at: $crate::moment::format_moment(at),
                    completed_at: $crate::moment::format_moment(at),
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
