//! Independent contractors: their record, address, payment method, onboarding, documents, dismissal and rehire, payments and tax forms.

pub mod accounts;
pub mod addresses;
pub mod documents;
pub mod employment;
pub mod forms;
pub mod new_hires;
pub mod onboarding;
pub mod payments;
pub mod records;

use axum::http::StatusCode;
use domain::access::tokens::Caller;
use domain::version::Change;

/// The status of a response to what creates a group of payments or a draft of a form: clients of the oldest version refuse 201 there.
fn created_status(caller: &Caller) -> StatusCode {
    if caller.version.includes_change(Change::ContractorRecordsCreated) {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    }
}
