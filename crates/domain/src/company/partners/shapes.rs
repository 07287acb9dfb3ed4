//! Operations on companies that a partner manages and on their administrators, and their shapes.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, objects};

/// The company to be created.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct CompanyInput {
    /// legal name, at most 200 characters
    #[schema(required)]
    pub name: Field<String>,
    /// name under which it trades
    pub trade_name: Field<String>,
    /// employer identification number, nine digits
    pub ein: Field<String>,
    /// whether it pays contractors only; false by default
    pub contractor_only: Field<bool>,
}

/// An administrator to be.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct AdminInput {
    /// first name
    #[schema(required)]
    pub first_name: Field<String>,
    /// last name
    #[schema(required)]
    pub last_name: Field<String>,
    /// a user with this address is taken as it is
    #[schema(required)]
    pub email: Field<String>,
    /// ten digits
    pub phone: Field<String>,
}

objects!(
    CompanyInput: "an object with the name of the company",
    AdminInput: "an object with first_name, last_name and email",
);

/// A company and its primary administrator.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreatePartnerCompany {
    /// who runs its payroll
    #[schema(required)]
    pub user: Field<AdminInput>,
    /// the company
    #[schema(required)]
    pub company: Field<CompanyInput>,
}

/// A new company with its tokens.
#[derive(Debug, Serialize, ToSchema)]
pub struct PartnerCompany {
    /// good for this company alone
    pub access_token: String,
    /// gives the next pair
    pub refresh_token: String,
    /// identifier
    pub company_uuid: Uuid,
    /// seconds for which the access token is good
    pub expires_in: i64,
}

/// Whose acceptance is asked for.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct RetrieveTerms {
    /// of somebody with a role in the company
    #[schema(required)]
    pub email: Field<String>,
}

/// An acceptance.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct AcceptTerms {
    /// of somebody with a role in the company; from version 2026-02-01 on of a payroll administrator
    #[schema(required)]
    pub email: Field<String>,
    /// the network address from which the terms were accepted
    #[schema(required)]
    pub ip_address: Field<String>,
    /// what the partner calls the user
    #[schema(required)]
    pub external_user_id: Field<String>,
}

/// Whether the terms of service are accepted.
#[derive(Debug, Serialize, ToSchema)]
pub struct Terms {
    /// as they are now
    pub latest_terms_accepted: bool,
}

/// Whether a company can move.
#[derive(Debug, Serialize, ToSchema)]
pub struct Readiness {
    /// whether nothing stands in the way
    pub ready_to_migrate: bool,
    /// the company
    pub company_uuid: Uuid,
    /// what stands in the way
    pub errors: Vec<MigrationFinding>,
    /// what should be known
    pub warnings: Vec<MigrationFinding>,
}

/// Something that stands in the way of a move, or should be known.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MigrationFinding {
    /// always `base`
    pub error_key: &'static str,
    /// `migration_blocker` or `migration_warning`
    pub category: &'static str,
    /// for people
    pub message: String,
    /// `key` names it for programs
    #[schema(value_type = Object)]
    pub metadata: Value,
}

/// Who moves the company.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct Migrate {
    /// the signatory's; not read from version 2026-02-01 on
    pub email: Field<String>,
    /// the network address from which the move was asked for
    pub ip_address: Field<String>,
    /// what the partner calls the user
    pub external_user_id: Field<String>,
}

/// A company that no partner manages any more.
#[derive(Debug, Serialize, ToSchema)]
pub struct Disassociated {
    /// identifier
    pub company_uuid: Uuid,
    /// its name
    pub company_name: String,
}

/// An administrator of a company.
#[derive(Debug, Serialize, ToSchema)]
pub struct Admin {
    /// identifier
    pub uuid: Uuid,
    /// sign-in name
    pub email: String,
    /// first name
    pub first_name: String,
    /// last name
    pub last_name: String,
    /// ten digits
    pub phone: Option<String>,
}
