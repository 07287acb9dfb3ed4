//! Where values of operations on contractors come from: each example has a contractor of its own.

use super::{Source, Then, from_answer, of_body};

const NEW_CONTRACTOR: &str = "POST /v1/companies/{company_uuid}/contractors";
const ENTER_ADDRESS: Then = ("PUT /v1/contractors/{contractor_uuid}/address", None);
const DISMISS: Then = ("POST /v1/contractors/{contractor_uuid}/termination", None);
const HAVE_DISMISSED: Then =
    ("POST /v1/contractors/{contractor_uuid}/termination", Some(r#"{"end_date": "2026-11-10"}"#));
const ENTER_ACCOUNT: Then = ("POST /v1/contractors/{contractor_uuid}/bank_accounts", None);
const FINISH_CONTRACTOR: Then = ("PUT /v1/contractors/{contractor_uuid}/onboarding_status", None);
const NEW_CONTRACTOR_PAYMENT: &str = "POST /v1/companies/{company_id}/contractor_payments";
const PAYMENT_TO_ACCOUNT: &str =
    r#"{"contractor_uuid": "{contractor_uuid}", "date": "2026-12-31", "hours": "6.5"}"#;
const WORKED: Then = (
    NEW_CONTRACTOR_PAYMENT,
    Some(
        r#"{"contractor_uuid": "{contractor_uuid}", "payment_method": "Historical Payment", "date": "2026-05-29", "hours": "60"}"#,
    ),
);
const FUND_PAYMENT: Then = ("PUT /v1/contractor_payments/{contractor_payment_uuid}/fund", None);
const PREVIEW_GROUP: &str = "POST /v1/companies/{company_id}/contractor_payment_groups/preview";
const PREVIEW_TO_ACCOUNTS: &str = r#"{"check_date": "2026-12-31", "contractor_payments": [{"contractor_uuid": "{contractor_uuid}", "hours": "6.5"}]}"#;
const NEW_GROUP: &str = "POST /v1/companies/{company_id}/contractor_payment_groups";
const GROUP_TO_ACCOUNTS: &str = r#"{"check_date": "2026-12-31", "creation_token": "{creation_token}", "contractor_payments": [{"contractor_uuid": "{contractor_uuid}", "hours": "6.5"}]}"#;

/// The sources of an operation on a contractor: one of its own, at the right point of the work.
pub(super) fn contractor_source(operation: &str, name: &str) -> Option<Source> {
    // Only what goes to an account is funded.
    let to_accounts = operation.ends_with("/fund");
    Some(match name {
        "contractor_uuid" => Source::Answer {
            call: NEW_CONTRACTOR,
            body: None,
            field: "uuid",
            then: contractor_for(operation),
        },
        "contractor_payment_id" => from_answer(NEW_CONTRACTOR_PAYMENT, "uuid"),
        "contractor_payment_uuid" => Source::Answer {
            call: NEW_CONTRACTOR_PAYMENT,
            body: Some(PAYMENT_TO_ACCOUNT),
            field: "uuid",
            then: if operation.ends_with("/receipt") { &[FUND_PAYMENT] } else { &[] },
        },
        "creation_token" if to_accounts => of_body(PREVIEW_GROUP, PREVIEW_TO_ACCOUNTS, "creation_token"),
        "creation_token" => from_answer(PREVIEW_GROUP, "creation_token"),
        "contractor_payment_group_uuid" if to_accounts => of_body(NEW_GROUP, GROUP_TO_ACCOUNTS, "uuid"),
        "contractor_payment_group_uuid" => from_answer(NEW_GROUP, "uuid"),
        "id" if operation.contains("/contractor_payment_groups/") => from_answer(NEW_GROUP, "uuid"),
        "document_uuid" => from_answer("GET /v1/contractors/{contractor_uuid}/documents", "uuid"),
        "form_id" if operation.contains("/v1/contractors/") => {
            from_answer("POST /v1/sandbox/generate_1099", "uuid")
        }
        _ => return None,
    })
}

/// The requests that prepare a new contractor for an operation.
fn contractor_for(operation: &str) -> &'static [Then] {
    let ends = |end: &str| operation.ends_with(end);
    match operation {
        "DELETE /v1/contractors/{contractor_uuid}/termination" => &[DISMISS],
        "POST /v1/contractors/{contractor_uuid}/rehire" => &[HAVE_DISMISSED],
        "DELETE /v1/contractors/{contractor_uuid}/rehire" => {
            &[HAVE_DISMISSED, ("POST /v1/contractors/{contractor_uuid}/rehire", None)]
        }
        "PUT /v1/contractors/{contractor_uuid}/onboarding_status" => &[ENTER_ADDRESS],
        of if of.contains("/v1/documents/") => &[ENTER_ADDRESS],
        _ if ends("/generate_1099") || operation.contains("/forms/{form_id}") => {
            &[ENTER_ADDRESS, FINISH_CONTRACTOR, WORKED]
        }
        _ if ends("/fund") || ends("/receipt") => &[ENTER_ADDRESS, ENTER_ACCOUNT, FINISH_CONTRACTOR],
        of if of.contains("contractor_payment") => &[ENTER_ADDRESS, FINISH_CONTRACTOR],
        _ => &[],
    }
}
