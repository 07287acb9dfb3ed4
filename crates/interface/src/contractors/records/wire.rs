//! Contractors on the wire.

use domain::access::tokens::Caller;
use domain::contractors::profiles::Profile;
use domain::contractors::records::rows;
use domain::contractors::records::service::TABLE;
use domain::people::flows::portal;
use domain::people::flows::portal::Member;
use domain::records::version_text;
use rules::{Amount, Named};
use serde::Serialize;
use store::Tx;
use utoipa::ToSchema;
use uuid::Uuid;

use super::ContractorInclude;
use crate::field::Field;
use crate::input;
use crate::named::Enum;
use crate::values::{
    ContractorOnboarding, ContractorPayBy, ContractorTypeName, ContractorWageType, DateText, DecimalText,
    EinText, EmailText, InitialText, InvitationStatus, OptionalLineText, OptionalStateText, SsnText,
    VersionText,
};

/// A contractor of the company.
#[derive(Serialize, ToSchema)]
pub struct Contractor {
    /// identifier
    pub uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// name of the company; with include=company_name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company_name: Option<String>,
    /// `Individual` or `Business`
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `Fixed` or `Hourly`
    pub wage_type: ContractorWageType,
    /// whether the contractor works today: from the first day on, until the last one
    pub is_active: bool,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// first name of an individual
    pub first_name: Option<String>,
    /// last name of an individual
    pub last_name: Option<String>,
    /// one letter
    pub middle_initial: Option<String>,
    /// name of a business
    pub business_name: Option<String>,
    /// always null: the EIN never leaves the service
    pub ein: Option<String>,
    /// whether an EIN is on file
    pub has_ein: bool,
    /// whether an SSN or ITIN is on file
    pub has_ssn: bool,
    /// e-mail address
    pub email: Option<String>,
    /// e-mail address at work
    pub work_email: Option<String>,
    /// first working day, YYYY-MM-DD
    #[schema(format = Date)]
    pub start_date: String,
    /// null until it is entered
    pub address: Option<AddressOfContractor>,
    /// decimal text; 0.00 for the wage type Fixed
    pub hourly_rate: String,
    /// whether the state is told of a new hire
    pub file_new_hire_report: bool,
    /// two letters
    pub work_state: Option<String>,
    /// whether onboarding is finished
    pub onboarded: bool,
    /// onboarding status
    pub onboarding_status: ContractorOnboarding,
    /// null until it is chosen
    pub payment_method: Option<ContractorPayBy>,
    /// the department; null if there is none
    pub department_uuid: Option<Uuid>,
    /// title of the department; null if there is none
    pub department: Option<String>,
    /// the same
    pub department_title: Option<String>,
    /// last day, YYYY-MM-DD; null without a dismissal, and once a rehire has taken effect
    #[schema(format = Date)]
    pub dismissal_date: Option<String>,
    /// the planned rehire
    pub upcoming_employment: Option<UpcomingEmployment>,
    /// whether a planned or recent dismissal can be cancelled
    pub dismissal_cancellation_eligible: bool,
    /// whether a planned or recent rehire can be cancelled
    pub rehire_cancellation_eligible: bool,
    /// whether the payer was told to withhold 24 % from every payment (an extension; 26 USC 3406)
    pub backup_withholding: bool,
    /// with include=portal_invitations; null for a contractor who was not invited
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ContractorInvitation>)]
    pub member_portal_invitation_status: Option<Option<ContractorInvitation>>,
    /// with include=portal_invitations; always false
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner_portal_invitation_sent: Option<bool>,
}

store::hidden!(Contractor);

/// The address of a contractor.
#[derive(Debug, Serialize, ToSchema)]
pub struct AddressOfContractor {
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
}

/// A planned rehire.
#[derive(Debug, Serialize, ToSchema)]
pub struct UpcomingEmployment {
    /// first day back, YYYY-MM-DD
    #[schema(format = Date)]
    pub start_date: String,
    /// always null
    pub setup_status: Option<String>,
}

/// How a contractor's invitation to their own place stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractorInvitation {
    /// `sent`, `complete` once the link was opened, or `cancelled`
    pub status: InvitationStatus,
    /// whether the link can no longer be opened
    pub token_expired: bool,
    /// always null: the service sends no e-mail
    pub welcome_email_sent_at: Option<String>,
    /// always null
    pub last_password_resent_at: Option<String>,
}

impl Contractor {
    /// The response for `caller`.
    pub fn new(caller: &Caller, profile: Profile) -> Self {
        let Profile {
            contractor: one,
            address,
            department,
            today,
            dismissal_cancelable,
            rehire_cancelable,
            company_name,
        } = profile;
        let title = department.map(|department| department.title);
        let planned = one.rehire_date.filter(|back| *back > today);
        Self {
            uuid: one.id,
            company_uuid: caller.company,
            company_name,
            kind: one.kind.as_str(),
            wage_type: one.wage_type.into(),
            is_active: one.is_active(today),
            version: version_text(TABLE, one.id, one.version),
            ein: None,
            has_ein: one.ein.is_some(),
            has_ssn: one.ssn.is_some(),
            start_date: one.rehire_date.filter(|back| *back <= today).unwrap_or(one.start_date).to_string(),
            address: address.map(|address| AddressOfContractor {
                street_1: address.street_1,
                street_2: address.street_2,
                city: address.city,
                state: address.state,
                zip: address.zip,
                country: address.country,
            }),
            hourly_rate: one.hourly_rate.unwrap_or(Amount::ZERO).to_text(2),
            onboarded: one.is_onboarded(),
            onboarding_status: one.status.into(),
            payment_method: one.payment_method.map(ContractorPayBy::from),
            department_uuid: one.department,
            department: title.clone(),
            department_title: title,
            dismissal_date: one.last_dismissal_day(today).map(|day| day.to_string()),
            upcoming_employment: planned
                .map(|back| UpcomingEmployment { start_date: back.to_string(), setup_status: None }),
            dismissal_cancellation_eligible: dismissal_cancelable,
            rehire_cancellation_eligible: rehire_cancelable,
            backup_withholding: one.backup_withholding,
            file_new_hire_report: one.file_new_hire_report,
            first_name: one.first_name,
            last_name: one.last_name,
            middle_initial: one.middle_initial,
            business_name: one.business_name,
            email: one.email,
            work_email: one.work_email,
            work_state: one.work_state,
            member_portal_invitation_status: None,
            partner_portal_invitation_sent: None,
        }
    }
}

/// The response for `caller`, with the invitation if it is asked for.
pub fn with_invitation(
    tx: &mut Tx<'_>,
    caller: &Caller,
    profile: Profile,
    include: &[Enum<ContractorInclude>],
) -> Result<Contractor, domain::Error> {
    let id = profile.contractor.id;
    let mut answer = Contractor::new(caller, profile);
    if include.contains(&Enum(ContractorInclude::PortalInvitations)) {
        let standing = match portal::invitation_standing(tx, caller, Member::Contractor(id)) {
            Ok(standing) => Some(ContractorInvitation {
                status: standing.status.into(),
                token_expired: standing.expired,
                welcome_email_sent_at: None,
                last_password_resent_at: None,
            }),
            Err(domain::Error::NotFound) => None,
            Err(error) => return Err(error),
        };
        answer.member_portal_invitation_status = Some(standing);
        answer.partner_portal_invitation_sent = Some(false);
    }
    Ok(answer)
}

input! {
    /// A new contractor.
    CreateContractor => rows::CreateContractor {
        /// `Individual` or `Business`; an individual by default
        #[serde(rename = "type")]
        #[schema(nullable)]
        kind: ContractorTypeName,
        /// `Fixed` or `Hourly`
        #[schema(required)]
        wage_type: ContractorWageType,
        /// first working day, YYYY-MM-DD
        #[schema(required)]
        start_date: DateText,
        /// dollars per hour, as text or number; required for Hourly, dropped for Fixed
        #[schema(value_type = DecimalText)]
        hourly_rate: Amount,
        /// true: the contractor enters personal data on hosted pages
        #[schema(nullable)]
        self_onboarding: bool,
        /// e-mail address; required with self_onboarding
        #[schema(nullable)]
        email: EmailText,
        /// e-mail address at work
        #[schema(nullable)]
        work_email: EmailText,
        /// required for an individual, dropped for a business
        first_name: OptionalLineText,
        /// required for an individual, dropped for a business
        last_name: OptionalLineText,
        /// one letter; only for an individual
        #[schema(nullable)]
        middle_initial: InitialText,
        /// whether the state is to be told of a new hire; only for an individual, false by default
        #[schema(nullable)]
        file_new_hire_report: bool,
        /// two letters; required with file_new_hire_report
        #[schema(nullable)]
        work_state: OptionalStateText,
        /// SSN or ITIN, nine digits; only for an individual
        #[schema(nullable)]
        ssn: SsnText,
        /// required for a business, dropped for an individual
        #[schema(nullable)]
        business_name: OptionalLineText,
        /// nine digits; only for a business
        #[schema(nullable)]
        ein: EinText,
        /// true moves a start date in the future to today
        #[schema(nullable)]
        is_active: bool,
        /// whether the payer was told to withhold 24 % from every payment (an extension); false by default
        #[schema(nullable)]
        backup_withholding: bool,
    }

    /// What an update changes; omitted fields keep their values.
    UpdateContractor => rows::UpdateContractor {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// `Individual` or `Business`; names and numbers of the other kind are deleted
        #[serde(rename = "type")]
        kind: ContractorTypeName,
        /// `Fixed` or `Hourly`
        wage_type: ContractorWageType,
        /// first working day, YYYY-MM-DD
        start_date: DateText,
        /// dollars per hour, as text or number; required for Hourly, dropped for Fixed
        #[schema(value_type = DecimalText)]
        hourly_rate: Amount,
        /// true: the contractor enters personal data on hosted pages; false takes that back until the contractor begins
        self_onboarding: bool,
        /// e-mail address; null clears it
        #[schema(nullable)]
        email: EmailText,
        /// e-mail address at work; null clears it
        #[schema(nullable)]
        work_email: EmailText,
        /// first name of an individual
        #[schema(nullable)]
        first_name: OptionalLineText,
        /// last name of an individual
        #[schema(nullable)]
        last_name: OptionalLineText,
        /// one letter; null clears it
        #[schema(nullable)]
        middle_initial: InitialText,
        /// whether the state is to be told of a new hire; only for an individual
        #[schema(nullable)]
        file_new_hire_report: bool,
        /// two letters; null clears it
        #[schema(nullable)]
        work_state: OptionalStateText,
        /// nine digits; empty or null leaves it unchanged
        #[schema(nullable)]
        ssn: SsnText,
        /// name of a business
        #[schema(nullable)]
        business_name: OptionalLineText,
        /// nine digits; empty or null leaves it unchanged
        #[schema(nullable)]
        ein: EinText,
        /// true moves a start date in the future to today; refused while a dismissal or a rehire is planned
        #[schema(nullable)]
        is_active: bool,
        /// whether the payer was told to withhold 24 % from every payment (an extension)
        #[schema(nullable)]
        backup_withholding: bool,
    }
}
