//! Links to hosted pages on the wire.

use domain::people::flows::service::Created;
use domain::people::flows::{commands, portal};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};
use uuid::Uuid;

use crate::field::{Field, Wire};
use crate::input;
use crate::moment::format_moment;
use crate::values::{FlowEntityName, FlowTypesText, IdText, InvitationStatus, UrlText};

input! {
    /// The link to create, and the steps that it opens.
    CreateFlow => commands::CreateFlow {
        /// for an employee `employee_self_management`, or some of `employee_form_signing`, `employee_federal_setup`,
        /// `employee_state_setup`, `deductions`, `time_off`, `pay_stubs` and `tax_forms`; for a contractor `contractor_self_management`; for the company `company_onboarding`, or some of
        /// `add_addresses`, `federal_tax_setup`, `select_industry`, `add_bank_info`, `add_employees`, `state_setup`,
        /// `payroll_schedule`, `sign_all_forms`, `company_forms`, `verify_bank_info`, `time_off_management`, `run_payroll`, `add_contractors` and
        /// `contractor_payments`; separated by commas
        #[schema(required)]
        flow_type: FlowTypesText,
        /// `Employee`, `Contractor` or `Company`, according to the flow types; optional for the company
        entity_type: FlowEntityName,
        /// the employee, the contractor, or the company; optional for the company
        entity_uuid: IdText,
        /// where the last page leads: an https URL of yours; defaults to that of your application's theme
        #[schema(nullable)]
        redirect_url: UrlText,
        /// an empty object, for clients that send one; these flows have no options, and any option is refused
        #[schema(nullable)]
        options: Options,
    }
}

/// An object of any fields.
#[derive(Debug, ToSchema)]
#[schema(value_type = Object)]
pub struct Options(());

impl Wire for Options {
    type Value = Map<String, Value>;
    const EXPECTED: &'static str = "an object";
    fn from_json(value: Value) -> Option<Self::Value> {
        if let Value::Object(map) = value { Some(map) } else { None }
    }
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().into()
    }
}

/// A link to hosted pages.
#[derive(Debug, Serialize, ToSchema)]
pub struct Flow {
    /// to be sent to the employee, or to whoever acts for the company; expires an hour after its last use, and at the
    /// latest a day after its creation
    pub url: String,
    /// identifier with which to revoke the link; does not open it (an extension)
    pub uuid: Uuid,
    /// when it expires if it is not opened (an extension)
    pub expires_at: String,
}

impl Flow {
    /// The answer for a link; `base` is the URL of the hosted pages.
    pub fn new(base: &str, link: &Created) -> Self {
        let url = format!("{base}/flows/{}", link.token.text);
        Self { url, uuid: link.id, expires_at: format_moment(link.expires_at) }
    }
}

/// How somebody's invitation to their own place stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct MemberPortalInvitation {
    /// `sent`, `complete` once the link was opened, or `cancelled`
    pub status: InvitationStatus,
    /// whether the link can no longer be opened, because it has expired or was cancelled
    pub expired: bool,
}

impl From<portal::Standing> for MemberPortalInvitation {
    fn from(standing: portal::Standing) -> Self {
        Self { status: standing.status.into(), expired: standing.expired }
    }
}
