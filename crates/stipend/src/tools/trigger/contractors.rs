//! The steps that lead to events of contractors.

use super::steps::{Step, delete_call, get_call, post_call, put_call};

pub(super) const CONTRACTOR: Step = post_call(
    "/v1/companies/{company}/contractors",
    r#"{"type":"Individual","wage_type":"Fixed","start_date":"2026-01-05","first_name":"Robin","last_name":"Trigger","email":"robin@people.example","ssn":"412551078"}"#,
    "contractor",
);
const INVITED: Step = post_call(
    "/v1/companies/{company}/contractors",
    r#"{"type":"Individual","wage_type":"Fixed","start_date":"2026-01-05","first_name":"Robin","last_name":"Trigger","email":"robin@people.example","ssn":"412551078","self_onboarding":true}"#,
    "contractor",
);
const SEAT: Step = get_call("/v1/contractors/{contractor}/address", "seat");
const ADDRESS: Step = put_call(
    "/v1/contractors/{contractor}/address",
    r#"{"version":"{seat.version}","street_1":"7 Mill Lane","city":"Austin","state":"TX","zip":"78701"}"#,
    "",
);
const ACCOUNT: Step = post_call(
    "/v1/contractors/{contractor}/bank_accounts",
    r#"{"name":"Checking","routing_number":"121000374","account_number":"40070051","account_type":"Checking"}"#,
    "account",
);
const OTHER_ACCOUNT: Step = post_call(
    "/v1/contractors/{contractor}/bank_accounts",
    r#"{"name":"Checking","routing_number":"121000374","account_number":"52190031","account_type":"Checking"}"#,
    "account",
);
const DELETE: Step = delete_call("/v1/contractors/{contractor}");
const DISMISS: Step =
    post_call("/v1/contractors/{contractor}/termination", r#"{"end_date":"{today-3}"}"#, "");
const DISMISS_LATER: Step =
    post_call("/v1/contractors/{contractor}/termination", r#"{"end_date":"{today+30}"}"#, "");
const REHIRE: Step = post_call("/v1/contractors/{contractor}/rehire", r#"{"start_date":"{today-1}"}"#, "");
const REHIRE_LATER: Step =
    post_call("/v1/contractors/{contractor}/rehire", r#"{"start_date":"{today+30}"}"#, "");
const SIGN: &[Step] = &[
    get_call("/v1/contractors/{contractor}/documents", "documents"),
    put_call(
        "/v1/documents/{documents.0}/sign",
        r#"{"fields":[{"key":"signature_text","value":"Robin Trigger"}],"agree":true,"signed_by_ip_address":"203.0.113.7"}"#,
        "",
    ),
];
const RENAMED: &[Step] = &[
    get_call("/v1/contractors/{contractor}", "now"),
    put_call("/v1/contractors/{contractor}", r#"{"version":"{now.version}","last_name":"Triggers"}"#, ""),
];

const fn set_onboarding_status(body: &'static str) -> Step {
    put_call("/v1/contractors/{contractor}/onboarding_status", body, "")
}

pub(super) const CREATED: &[Step] = &[CONTRACTOR];
pub(super) const UPDATED: &[Step] = &[CONTRACTOR, Step::First(RENAMED)];
pub(super) const DELETED: &[Step] = &[CONTRACTOR, DELETE];
pub(super) const MARKED: &[Step] = &[INVITED];
pub(super) const ENTERED: &[Step] = &[CONTRACTOR, SEAT, ADDRESS];
pub(super) const ONBOARDED: &[Step] =
    &[Step::First(ENTERED), set_onboarding_status(r#"{"onboarding_status":"onboarding_completed"}"#)];
pub(super) const SIGNED: &[Step] = &[Step::First(ENTERED), Step::First(SIGN)];
pub(super) const CHANGED_FORM: &[Step] = &[Step::First(SIGNED), Step::First(RENAMED)];
pub(super) const SELF_ONBOARDED: &[Step] = &[
    INVITED,
    SEAT,
    ADDRESS,
    Step::First(SIGN),
    set_onboarding_status(r#"{"onboarding_status":"self_onboarding_review"}"#),
];
pub(super) const DISMISSED: &[Step] = &[CONTRACTOR, DISMISS];
pub(super) const DISMISSAL_CANCELLED: &[Step] =
    &[CONTRACTOR, DISMISS_LATER, delete_call("/v1/contractors/{contractor}/termination")];
pub(super) const REHIRED: &[Step] = &[CONTRACTOR, DISMISS, REHIRE];
pub(super) const REHIRE_CANCELLED: &[Step] =
    &[CONTRACTOR, DISMISS, REHIRE_LATER, delete_call("/v1/contractors/{contractor}/rehire")];
pub(super) const ACCOUNT_CREATED: &[Step] = &[CONTRACTOR, ACCOUNT];
pub(super) const ACCOUNT_UPDATED: &[Step] = &[CONTRACTOR, ACCOUNT, OTHER_ACCOUNT];
pub(super) const ACCOUNT_DELETED: &[Step] = &[CONTRACTOR, ACCOUNT, DELETE];
pub(super) const UNCONFIRMED: &[Step] = &[
    CONTRACTOR,
    post_call(
        "/v1/companies/{company}/flows",
        r#"{"flow_type":"contractor_self_management","entity_type":"Contractor","entity_uuid":"{contractor}"}"#,
        "link",
    ),
    Step::Guess("link", "payment"),
];

pub(super) const PAID: &[Step] = &[
    CONTRACTOR,
    post_call(
        "/v1/companies/{company}/contractor_payments",
        r#"{"contractor_uuid":"{contractor}","date":"{today-1}","wage":"400.00","payment_method":"Historical Payment"}"#,
        "payment",
    ),
];
pub(super) const PAYMENT_CANCELLED: &[Step] =
    &[Step::First(PAID), delete_call("/v1/companies/{company}/contractor_payments/{payment}")];
pub(super) const GROUP_PAID: &[Step] = &[
    CONTRACTOR,
    post_call(
        "/v1/companies/{company}/contractor_payment_groups/preview",
        r#"{"check_date":"{today-1}","contractor_payments":[{"contractor_uuid":"{contractor}","wage":"400.00","payment_method":"Historical Payment"}]}"#,
        "preview",
    ),
    post_call(
        "/v1/companies/{company}/contractor_payment_groups",
        r#"{"check_date":"{today-1}","creation_token":"{preview.creation_token}","contractor_payments":[{"contractor_uuid":"{contractor}","wage":"400.00","payment_method":"Historical Payment"}]}"#,
        "group",
    ),
];
pub(super) const GROUP_CANCELLED: &[Step] =
    &[Step::First(GROUP_PAID), delete_call("/v1/contractor_payment_groups/{group}")];
