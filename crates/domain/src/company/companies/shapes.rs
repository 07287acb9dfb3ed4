//! Reading and updating a company.

use serde::{Deserialize, Serialize};
use serde_json::Number;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::company::locations::rows::Location as LocationRow;
use crate::company::signatories::shapes::SignatoryAddress;
use crate::field::Field;

/// A company that employs people.
#[derive(Debug, Serialize, ToSchema)]
pub struct Company {
    /// identifier
    pub uuid: Uuid,
    /// legal name
    pub name: String,
    /// the name as it could stand in an address
    pub slug: String,
    /// name under which it trades
    pub trade_name: Option<String>,
    /// employer identification number, nine digits
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ein: Option<String>,
    /// legal form, such as `LLC`
    pub entity_type: Option<String>,
    /// whether it pays contractors only
    pub contractor_only: bool,
    /// whether it may not run payroll for now
    pub is_suspended: bool,
    /// `Approved`, `Not Approved` or `Suspended`
    pub company_status: String,
    /// whether the partner application runs its payroll
    pub is_partner_managed: bool,
    /// first day with the service
    pub join_date: Option<String>,
    /// always null for a company that a partner manages
    pub tier: Option<String>,
    /// whether its business is of a kind that few banks serve
    pub is_high_risk_business: bool,
    /// whether its business is related to marijuana
    pub is_marijuana_business: bool,
    /// `single`: everybody is paid by one schedule; null while there is none
    pub pay_schedule_type: Option<&'static str>,
    /// `ach`: payroll is taken from the company's bank account; null while none is held
    pub funding_type: Option<&'static str>,
    /// what its people can be paid in a payroll
    pub compensations: CompanyCompensations,
    /// where people work
    pub locations: Vec<CompanyAddress>,
    /// who signs for the company
    pub primary_signatory: Option<PrimarySignatory>,
    /// who runs payroll; left out when there is nobody
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_payroll_admin: Option<PrimaryAdmin>,
}

/// The kinds of lines of a payroll. They are the same for every company, so none of them has an identifier.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyCompensations {
    /// hours at a multiple of the rate
    pub hourly: Vec<HourlyKind>,
    /// amounts
    pub fixed: Vec<LineKind>,
    /// hours of time off
    pub paid_time_off: Vec<LineKind>,
}

/// A kind of hours.
#[derive(Debug, Serialize, ToSchema)]
pub struct HourlyKind {
    /// always null
    pub uuid: Option<Uuid>,
    /// such as `Overtime`
    pub name: &'static str,
    /// of the rate, such as 1.5
    #[schema(value_type = f64)]
    pub multiple: Number,
}

/// A kind of amounts, or of time off.
#[derive(Debug, Serialize, ToSchema)]
pub struct LineKind {
    /// always null
    pub uuid: Option<Uuid>,
    /// such as `Bonus`
    pub name: &'static str,
}

/// A location inside the company record.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyAddress {
    /// house number and street
    pub street_1: String,
    /// second address line
    pub street_2: Option<String>,
    /// city
    pub city: String,
    /// two letters
    pub state: String,
    /// ZIP code
    pub zip: String,
    /// always `USA`
    pub country: String,
    /// whether it is in use
    pub active: bool,
    /// the opposite of `active`
    pub inactive: bool,
}

impl From<&LocationRow> for CompanyAddress {
    fn from(row: &LocationRow) -> Self {
        Self {
            street_1: row.street_1.clone(),
            street_2: row.street_2.clone(),
            city: row.city.clone(),
            state: row.state.clone(),
            zip: row.zip.clone(),
            country: row.country.clone(),
            active: row.active,
            inactive: !row.active,
        }
    }
}

/// The signatory inside the company record.
#[derive(Debug, Serialize, ToSchema)]
pub struct PrimarySignatory {
    /// identifier
    pub uuid: Uuid,
    /// first name
    pub first_name: String,
    /// one letter
    pub middle_initial: Option<String>,
    /// last name
    pub last_name: String,
    /// ten digits
    pub phone: Option<String>,
    /// e-mail address
    pub email: String,
    /// where the signatory lives
    pub home_address: Option<SignatoryAddress>,
}

/// What an update of a company can say.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateCompany {
    /// whether it pays contractors only
    #[schema(required)]
    pub contractor_only: Field<bool>,
}

/// A fact about a company.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct NewTrait {
    /// tier, managed_benefit, time_off_policy, integration, marijuana_business or high_risk_business
    #[schema(required)]
    pub r#trait: Field<String>,
    /// what it is called, such as the program that is integrated
    #[schema(required)]
    pub name: Field<String>,
}

/// The administrator who runs payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct PrimaryAdmin {
    /// first name
    pub first_name: String,
    /// last name
    pub last_name: String,
    /// ten digits
    pub phone: Option<String>,
    /// e-mail address
    pub email: String,
}
