//! Companies on the wire.

use domain::access::tokens::Caller;
use domain::access::users::Admin;
use domain::company::companies::traits::Trait;
use domain::company::locations::rows::Location;
use domain::company::profile::Profile;
use domain::company::profile::commands;
use domain::company::signatories::Signatory;
use domain::pay::earning_types::rows::EarningType;
use domain::pay::payrolls::record::kinds;
use domain::pay::payrolls::record::kinds::{FIXED, HOURLY, REIMBURSEMENT, TIME_OFF};
use domain::version::{ApiVersion, Change};
use rules::Named;
use rules::company::Status;
use serde::Serialize;
use serde_json::Number;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::company::signatories::wire::SignatoryAddress;
use crate::field::Field;
use crate::input;
use crate::values::{
    CompanyStatus, FundingType, HourlyName, LineText, PayScheduleType, TaxPayerType, TraitName,
};

/// The only `funding_type` of a company.
pub const FUNDING_TYPE: &str = "ach";

/// A company that employs people.
#[derive(Debug, Serialize, ToSchema)]
pub struct Company {
    /// identifier
    pub uuid: Uuid,
    /// legal name
    pub name: String,
    /// the name in a form that fits into a URL
    pub slug: String,
    /// name under which it trades
    pub trade_name: Option<String>,
    /// employer identification number, nine digits
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ein: Option<String>,
    /// legal form, such as `LLC`
    #[schema(value_type = Option<TaxPayerType>)]
    pub entity_type: Option<String>,
    /// whether it pays only contractors
    pub contractor_only: bool,
    /// whether it is suspended and cannot run payroll
    pub is_suspended: bool,
    /// `Approved`, `Not Approved` or `Suspended`
    pub company_status: CompanyStatus,
    /// whether the partner application runs its payroll
    pub is_partner_managed: bool,
    /// first day on the service
    #[schema(format = Date)]
    pub join_date: Option<String>,
    /// always null for a company managed by a partner
    pub tier: Option<String>,
    /// whether its business is of a kind that few banks accept
    pub is_high_risk_business: bool,
    /// whether its business is related to marijuana
    pub is_marijuana_business: bool,
    /// how employees' pay schedules are determined; null while there is no schedule
    #[schema(value_type = Option<PayScheduleType>)]
    pub pay_schedule_type: Option<&'static str>,
    /// `ach`: payroll is debited from the company's bank account; null while there is none
    #[schema(value_type = Option<FundingType>)]
    pub funding_type: Option<&'static str>,
    /// the kinds of pay in its payrolls
    pub compensations: CompanyCompensations,
    /// where people work
    pub locations: Vec<CompanyAddress>,
    /// who signs for the company; null for a token without `signatories:read`
    pub primary_signatory: Option<PrimarySignatory>,
    /// who runs payroll; omitted if there is nobody, and for a token without `company_admin:read`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_payroll_admin: Option<PrimaryAdmin>,
}

impl Company {
    /// The answer for a caller.
    pub fn new(caller: &Caller, details: Profile) -> Self {
        let Profile { company, traits, signatory, primary_admin, locations, .. } = details;
        let signatory = signatory.filter(|_| caller.scopes.contains("signatories:read"));
        let primary_admin = primary_admin.filter(|_| caller.scopes.contains("company_admin:read"));
        Self {
            uuid: company.id,
            slug: company_slug(&company.name),
            name: company.name,
            trade_name: company.trade_name,
            ein: company.ein,
            entity_type: company.entity_type,
            contractor_only: company.contractor_only,
            is_suspended: company.company_status == Status::Suspended,
            company_status: company.company_status.into(),
            is_partner_managed: company.is_partner_managed,
            join_date: company.join_date.map(|date| date.to_string()),
            tier: traits.tier().filter(|_| !company.is_partner_managed),
            is_high_risk_business: traits.has(Trait::HighRiskBusiness),
            is_marijuana_business: traits.has(Trait::MarijuanaBusiness),
            pay_schedule_type: details.pay_schedule_type.map(Named::as_str),
            funding_type: details.has_bank_account.then_some(FUNDING_TYPE),
            compensations: CompanyCompensations::new(caller.version, &details.earning_types),
            locations: locations.into_iter().map(Into::into).collect(),
            primary_signatory: signatory.map(Into::into),
            primary_payroll_admin: primary_admin.map(Into::into),
        }
    }
}

/// The name as it could stand in a URL.
fn company_slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

/// The kinds of lines of a payroll. Kinds that are the same for every company have no identifier.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyCompensations {
    /// hours at a multiple of the rate
    pub hourly: Vec<HourlyKind>,
    /// amounts, including the company's own earning types
    pub fixed: Vec<LineKind>,
    /// hours of time off
    pub paid_time_off: Vec<LineKind>,
}

impl CompanyCompensations {
    fn new(version: ApiVersion, own: &[EarningType]) -> Self {
        let line = |name: &str| LineKind { uuid: None, name: name.to_owned() };
        let own = own.iter().map(|one| LineKind { uuid: Some(one.id), name: one.name.clone() });
        let hourly = HOURLY.map(|(name, tenths)| HourlyKind {
            uuid: None,
            name,
            multiple: kinds::multiplier_number(tenths),
        });
        let older = (!version.includes_change(Change::ReimbursementsApart)).then_some(REIMBURSEMENT);
        Self {
            hourly: hourly.into(),
            fixed: FIXED.into_iter().chain(older).map(line).chain(own).collect(),
            paid_time_off: TIME_OFF.map(line).into(),
        }
    }
}

/// A kind of hours.
#[derive(Debug, Serialize, ToSchema)]
pub struct HourlyKind {
    /// always null
    pub uuid: Option<Uuid>,
    /// such as `Overtime`
    #[schema(value_type = HourlyName)]
    pub name: &'static str,
    /// multiple of the rate, such as 1.5
    #[schema(value_type = f64)]
    pub multiple: Number,
}

/// A kind of amounts, or of time off.
#[derive(Debug, Serialize, ToSchema)]
pub struct LineKind {
    /// only for the company's own earning types; null for the others
    pub uuid: Option<Uuid>,
    /// such as `Bonus`
    pub name: String,
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

impl From<Location> for CompanyAddress {
    fn from(location: Location) -> Self {
        let Location { street_1, street_2, city, state, zip, country, active, .. } = location;
        Self { street_1, street_2, city, state, zip, country, active, inactive: !active }
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

impl From<Signatory> for PrimarySignatory {
    fn from(signatory: Signatory) -> Self {
        Self {
            uuid: signatory.id,
            first_name: signatory.first_name,
            middle_initial: signatory.middle_initial,
            last_name: signatory.last_name,
            phone: signatory.phone,
            email: signatory.email,
            home_address: signatory.home.map(Into::into),
        }
    }
}

input! {
    /// The update of a company.
    UpdateCompany => commands::UpdateCompany {
        /// whether it pays only contractors
        #[schema(required)]
        contractor_only: bool,
    }

    /// A fact about a company.
    NewTrait => commands::NewTrait {
        /// tier, managed_benefit, time_off_policy, integration, marijuana_business or high_risk_business
        #[schema(required)]
        r#trait: TraitName,
        /// its name, such as the program that is integrated
        #[schema(required)]
        name: LineText,
    }
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

impl From<Admin> for PrimaryAdmin {
    fn from(admin: Admin) -> Self {
        let Admin { first_name, last_name, phone, email, .. } = admin;
        Self { first_name, last_name, phone, email }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_slug_holds_letters_digits_and_single_dashes() {
        assert_eq!(super::company_slug("Joe's Diner & Co., LLC"), "joe-s-diner-co-llc");
    }
}
