//! Companies that a partner manages, and administrators, on the wire.

use domain::access::users::{self, Role};
use domain::company::partners::{commands, service};
use rules::company::migration::{Finding, Severity, is_ready};
use rules::{Category, Named as _};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::values::{
    CompanyNameText, EmailText, FindingCategory, IpText, LongLineText, NeededEinText, PersonName, PhoneText,
};
use crate::{input, objects};

input! {
    /// The company to create.
    CompanyInput => commands::CreateCompany {
        /// legal name, at most 200 characters
        #[schema(required)]
        name: CompanyNameText,
        /// name under which it trades
        trade_name: CompanyNameText,
        /// employer identification number, nine digits
        ein: NeededEinText,
        /// whether it pays only contractors; false by default
        contractor_only: bool,
    }

    /// The first administrator.
    AdminInput => commands::CreateAdmin {
        /// first name
        #[schema(required)]
        first_name: PersonName,
        /// last name
        #[schema(required)]
        last_name: PersonName,
        /// a user with this address gets the role, and appears in this company under the names sent here
        #[schema(required)]
        email: EmailText,
        /// ten digits, with or without punctuation and the country code 1
        #[schema(nullable)]
        phone: PhoneText,
    }

    /// An administrator to add.
    AddAdmin => commands::AddAdmin {
        /// first name
        #[schema(required)]
        first_name: PersonName,
        /// last name
        #[schema(required)]
        last_name: PersonName,
        /// a user with this address gets the role, and appears in this company under the names sent here
        #[schema(required)]
        email: EmailText,
        /// ten digits, with or without punctuation and the country code 1
        #[schema(nullable)]
        phone: PhoneText,
        /// whether the user becomes the primary payroll administrator, in place of the current one; false by default
        primary: bool,
    }

    /// A company and its primary administrator.
    CreatePartnerCompany => commands::CreatePartnerCompany {
        /// the primary payroll administrator
        #[schema(required)]
        user: AdminInput,
        /// the company
        #[schema(required)]
        company: CompanyInput,
    }

    /// Whose acceptance is read.
    RetrieveTerms => commands::RetrieveTerms {
        /// of a user with a role in the company
        #[schema(required)]
        email: EmailText,
    }

    /// An acceptance.
    AcceptTerms => commands::AcceptTerms {
        /// of a user with a role in the company; from version 2026-02-01 of a payroll administrator
        #[schema(required)]
        email: EmailText,
        /// the IP address from which the terms were accepted
        #[schema(required)]
        ip_address: IpText,
        /// the partner's identifier of the user
        #[schema(required)]
        external_user_id: LongLineText,
    }

    /// Who migrates the company.
    Migrate => commands::Migrate {
        /// the signatory's; ignored from version 2026-02-01
        email: EmailText,
        /// the IP address from which the migration was requested
        #[schema(nullable)]
        ip_address: IpText,
        /// the partner's identifier of the user
        #[schema(nullable)]
        external_user_id: LongLineText,
    }
}

objects!(
    CompanyInput: "an object with the name of the company",
    AdminInput: "an object with first_name, last_name and email",
);

/// A new company with its tokens.
#[derive(Serialize, ToSchema)]
pub struct PartnerCompany {
    /// valid for this company alone
    pub access_token: String,
    /// gets the next pair
    pub refresh_token: String,
    /// identifier
    pub company_uuid: Uuid,
    /// seconds until the access token expires
    pub expires_in: i64,
}

store::hidden!(PartnerCompany);

impl From<service::PartnerCompany> for PartnerCompany {
    fn from(created: service::PartnerCompany) -> Self {
        Self {
            access_token: created.tokens.access,
            refresh_token: created.tokens.refresh,
            company_uuid: created.company,
            expires_in: created.expires_in,
        }
    }
}

/// Whether the terms of service are accepted.
#[derive(Debug, Serialize, ToSchema)]
pub struct Terms {
    /// the current status
    pub latest_terms_accepted: bool,
}

/// Whether a company can be migrated.
#[derive(Debug, Serialize, ToSchema)]
pub struct Readiness {
    /// whether nothing prevents the migration
    pub ready_to_migrate: bool,
    /// the company
    pub company_uuid: Uuid,
    /// what prevents the migration
    pub errors: Vec<MigrationFinding>,
    /// what to know before the migration
    pub warnings: Vec<MigrationFinding>,
}

impl Readiness {
    /// The result of the checks for `company`.
    pub fn new(company: Uuid, findings: &[Finding]) -> Self {
        Self {
            ready_to_migrate: is_ready(findings),
            company_uuid: company,
            errors: MigrationFinding::of_severity(findings, Severity::Blocker),
            warnings: MigrationFinding::of_severity(findings, Severity::Warning),
        }
    }
}

/// A finding about a migration.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MigrationFinding {
    /// always `base`
    pub error_key: &'static str,
    /// `migration_blocker` or `migration_warning`
    #[schema(value_type = FindingCategory)]
    pub category: &'static str,
    /// human-readable text
    pub message: String,
    /// `key` identifies it for programs
    #[schema(value_type = Object)]
    pub metadata: Value,
}

fn severity_category(severity: Severity) -> &'static str {
    match severity {
        Severity::Blocker => Category::MigrationBlocker.as_str(),
        Severity::Warning => "migration_warning",
    }
}

/// The categories of findings.
pub fn finding_categories() -> Vec<&'static str> {
    [Severity::Blocker, Severity::Warning].map(severity_category).into()
}

impl MigrationFinding {
    /// The findings of a severity.
    pub fn of_severity(findings: &[Finding], severity: Severity) -> Vec<Self> {
        let of_severity = findings.iter().filter(|finding| finding.severity == severity);
        of_severity.map(Self::new).collect()
    }

    fn new(finding: &Finding) -> Self {
        Self {
            error_key: "base",
            category: severity_category(finding.severity),
            message: finding.message.clone(),
            metadata: json!({ "key": finding.key }),
        }
    }
}

/// A company that is no longer managed by a partner.
#[derive(Debug, Serialize, ToSchema)]
pub struct Disassociated {
    /// identifier
    pub company_uuid: Uuid,
    /// its name
    pub company_name: String,
}

impl From<service::Disassociated> for Disassociated {
    fn from(ended: service::Disassociated) -> Self {
        Self { company_uuid: ended.company, company_name: ended.name }
    }
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
    /// whether this is the primary administrator (an extension)
    pub primary: bool,
}

impl From<users::Admin> for Admin {
    fn from(admin: users::Admin) -> Self {
        let users::Admin { user, email, first_name, last_name, phone, role } = admin;
        Self { uuid: user, email, first_name, last_name, phone, primary: role == Role::Primary }
    }
}
