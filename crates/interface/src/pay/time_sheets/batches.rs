//! Batches of time sheets: operations, and their shapes.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::batch::BatchStatus;
use domain::pay::time_sheets::batches;
use domain::pay::time_sheets::service::TimeSheetFields;
use rules::Named;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::wire::{TimeSheetEntity, TimeSheetEntryInput};
use crate::app::App;
use crate::batch::Batch;
use crate::error::Error;
use crate::field::{Field, List, Pairs};
use crate::http::{Call, Id, Input};
use crate::named::Enum;
use crate::values::{IdText, LineText, LongLineText, MomentText, VersionText};
use crate::{batch_results, input, words};

const SUCCESS: &str = "success";

/// The action on the time sheets of a batch.
pub type TimeSheetsBatchAction = Enum<batches::Action>;

words! {
    /// The result for a time sheet in a batch.
    TimeSheetsBatchItemStatus = [SUCCESS];
}

/// Operations on batches of time sheets.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(create_time_sheets_batch)).routes(routes!(get_time_sheets_batch))
}

/// Create or change several time sheets at once
///
/// At most 500. If one is invalid, or two shifts of an employee overlap, none is entered. The batch is complete when the response arrives,
/// which is announced by the events time_sheets_batch.processing and time_sheets_batch.completed; its results are kept for 30 days. 409 if
/// the application used the idempotency key for the company before.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/time_tracking/time_sheets_batches", tag = "Time sheets",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = CreateTimeSheetsBatch,
    responses((status = 201, description = "The batch", body = Batch)),
    security(("company_access" = ["time_sheet:write"])))]
async fn create_time_sheets_batch(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateTimeSheetsBatch>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(batch_summary(&batches::create_batch(tx, caller, &command)?))
    })
    .await
}

/// Read the results of a batch of time sheets
///
/// By time sheet, in the order of the batch.
#[utoipa::path(get, path = "/v1/time_tracking/time_sheets_batches/{time_sheets_batch_uuid}", tag = "Time sheets",
    params(("time_sheets_batch_uuid" = Uuid, Path, description = "The batch")),
    responses((status = 200, description = "The results", body = TimeSheetsBatchResults)),
    security(("company_access" = ["time_sheet:read"])))]
async fn get_time_sheets_batch(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| Ok(time_sheet_results(batches::find_batch(tx, caller, id)?))).await
}

batch_results! {
    /// The results of a batch of time sheets.
    TimeSheetsBatchResults of TimeSheetsBatchItem, TimeSheetsBatchExclusion
}

/// The result for a time sheet in a batch.
#[derive(Debug, Serialize, ToSchema)]
pub struct TimeSheetsBatchItem {
    /// index in the batch, from 0
    pub idx: usize,
    /// the caller's identifier of the time sheet
    pub external_id: String,
    /// the time sheet
    pub uuid: Uuid,
    /// the result
    #[schema(value_type = TimeSheetsBatchItemStatus)]
    pub status: &'static str,
}

/// A time sheet that was not processed: there are none, because an invalid one refuses the batch.
#[derive(Debug, Serialize, ToSchema)]
pub struct TimeSheetsBatchExclusion {
    /// the caller's identifier of the time sheet
    pub external_id: String,
}

fn batch_summary(batch: &batches::Batch) -> Batch {
    Batch::new(batch.id, batch.idempotency_key.clone(), batch.action.as_str(), BatchStatus::Completed)
}

fn time_sheet_results(batch: batches::Batch) -> TimeSheetsBatchResults {
    let item = |one: batches::Outcome| TimeSheetsBatchItem {
        idx: one.index,
        external_id: one.external_id,
        uuid: one.sheet,
        status: SUCCESS,
    };
    let (about, at) = (batch_summary(&batch), batch.created_at);
    TimeSheetsBatchResults::new(about, at, batch.results.into_iter().map(item).collect(), Vec::new())
}

input! {
    /// Several time sheets.
    CreateTimeSheetsBatch => batches::CreateBatch {
        /// idempotency key of your choice, unique per company and application
        #[schema(required)]
        idempotency_key: LongLineText,
        /// the action; defaults to `create`
        #[schema(nullable)]
        batch_action: TimeSheetsBatchAction,
        /// 1 to 500 time sheets
        #[schema(required)]
        batch: List<TimeSheetOfBatch>,
    }

    /// A shift. An update changes the given fields.
    TimeSheetOfBatch => batches::TimeSheetItem {
        /// your identifier of the time sheet, unique in the batch; repeated in the results
        #[schema(required)]
        external_id: LongLineText,
        /// the time sheet; only for an update, which requires it
        #[schema(nullable)]
        uuid: IdText,
    }
    + sheet: TimeSheetFields {
        /// the version as last read; only for an update, which requires it
        #[schema(nullable)]
        version: VersionText,
        /// the employee; required for a new time sheet, and cannot be changed
        #[schema(nullable)]
        entity_uuid: IdText,
        /// `Employee`; required for a new time sheet
        #[schema(nullable)]
        entity_type: TimeSheetEntity,
        /// the job; defaults to the primary one
        #[schema(nullable)]
        job_uuid: IdText,
        /// time zone of the work, such as America/Los_Angeles; required for a new time sheet
        #[schema(nullable)]
        time_zone: LineText,
        /// when the shift began; required for a new time sheet
        #[schema(nullable)]
        shift_started_at: MomentText,
        /// when it ended, at most 24 hours later; omitted while it is running
        #[schema(nullable)]
        shift_ended_at: MomentText,
        /// at most 50 pairs of text, with values of at most 500 characters
        #[schema(nullable)]
        metadata: Pairs,
        /// at most 20, with at most 24 hours in total
        #[schema(nullable)]
        entries: List<TimeSheetEntryInput>,
    }
}
