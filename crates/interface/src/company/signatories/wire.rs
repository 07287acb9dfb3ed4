//! Signatories on the wire.

use domain::company::signatories::IdentityCheck;
use domain::company::signatories::commands;
use domain::company::signatories::rows::Address;
use domain::company::signatories::service::{SignatoryDetails, TABLE};
use domain::records::version_text;
use rules::Named;
use serde::Serialize;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use uuid::Uuid;

use crate::field::{Field, nullable_schema};
use crate::values::{
    CountryName, DateText, EmailText, IdentityVerification, InitialText, LineText, OptionalLineText,
    PersonName, PhoneText, SsnText, StateText, VersionText, ZipText,
};
use crate::{input, objects};

/// The `identity_verification_status` of a signatory whose identity has not been checked.
const NOT_CHECKED: &str = "Skipped";
/// Every `identity_verification_status`.
pub const IDENTITY_VERIFICATION: [&str; 3] = ["Pass", "Fail", NOT_CHECKED];

/// A company's signatory.
#[derive(Serialize, ToSchema)]
pub struct Signatory {
    /// identifier
    pub uuid: Uuid,
    /// first name
    pub first_name: String,
    /// one letter
    pub middle_initial: Option<String>,
    /// last name
    pub last_name: String,
    /// such as `Owner`
    pub title: Option<String>,
    /// ten digits
    pub phone: Option<String>,
    /// where documents for the company are sent
    pub email: String,
    /// YYYY-MM-DD
    #[schema(format = Date)]
    pub birthday: Option<String>,
    /// whether an administrator of the company has this e-mail address
    pub is_admin: bool,
    /// whether the SSN is on file; the number itself never leaves the service
    pub has_ssn: bool,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// null while data is missing; then `Skipped`, because the service does not verify identities itself, until the
    /// operator records a verification that passed (`Pass`) or failed (`Fail`, after which the signatory cannot sign)
    #[schema(value_type = Option<IdentityVerification>)]
    pub identity_verification_status: Option<&'static str>,
    /// where the signatory lives
    pub home_address: Option<SignatoryAddress>,
}

store::hidden!(Signatory);

impl From<SignatoryDetails> for Signatory {
    fn from(details: SignatoryDetails) -> Self {
        let SignatoryDetails { signatory, birthday, is_admin } = details;
        Self {
            uuid: signatory.id,
            version: version_text(TABLE, signatory.id, signatory.version),
            has_ssn: signatory.ssn.is_some(),
            identity_verification_status: signatory
                .is_complete()
                .then(|| signatory.identity_check.map_or(NOT_CHECKED, IdentityCheck::as_str)),
            first_name: signatory.first_name,
            middle_initial: signatory.middle_initial,
            last_name: signatory.last_name,
            title: signatory.title,
            phone: signatory.phone,
            email: signatory.email,
            birthday: birthday.map(|day| day.to_string()),
            is_admin,
            home_address: signatory.home.map(Into::into),
        }
    }
}

/// Where a signatory lives.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignatoryAddress {
    /// house number and street
    pub street_1: String,
    /// second address line; omitted if there is none, because generated clients reject null here
    #[serde(skip_serializing_if = "Option::is_none")]
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

impl From<Address> for SignatoryAddress {
    fn from(home: Address) -> Self {
        let Address { street_1, street_2, city, state, zip, country } = home;
        Self { street_1, street_2, city, state, zip, country }
    }
}

input! {
    /// The home address of a signatory; always sent in full.
    AddressInput => commands::Address {
        /// house number and street
        #[schema(required)]
        street_1: LineText,
        /// second address line
        street_2: OptionalLineText,
        /// city
        #[schema(required)]
        city: LineText,
        /// two-letter code of the state
        #[schema(required)]
        state: StateText,
        /// ZIP code
        #[schema(required)]
        zip: ZipText,
        /// `USA`
        country: CountryName,
    }

    /// The fields of a signatory. Each operation is described without those that it ignores.
    SignatoryInput => commands::SignatoryFields {
        /// the version as last read
        version: VersionText,
        /// first name
        first_name: PersonName,
        /// one letter
        middle_initial: InitialText,
        /// last name
        last_name: PersonName,
        /// such as `Owner`
        title: LineText,
        /// ten digits, with or without punctuation and the country code 1
        phone: PhoneText,
        /// YYYY-MM-DD
        #[schema(value_type = String, format = Date)]
        birthday: DateText,
        /// where documents for the company are sent
        email: EmailText,
        /// nine digits
        ssn: SsnText,
        /// the home address; always sent in full
        home_address: AddressInput,
    }
}

objects!(AddressInput: "an object with street_1, city, state and zip");

/// Describes [`SignatoryInput`] as one operation reads it.
macro_rules! as_read_by {
    ($name:ident, $about:literal, without $left_out:literal, needs $needed:expr) => {
        #[doc = $about]
        #[derive(Debug)]
        pub struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let mut schema = SignatoryInput::schema();
                if let RefOr::T(Schema::Object(object)) = &mut schema {
                    object.description = Some($about.to_owned());
                    object.properties.remove($left_out);
                    object.required = $needed.map(str::to_owned).to_vec();
                    let optional =
                        object.properties.iter_mut().filter(|(name, _)| !$needed.contains(&name.as_str()));
                    for (_, property) in optional {
                        *property = nullable_schema(std::mem::take(property));
                    }
                }
                schema
            }
        }

        impl ToSchema for $name {
            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                SignatoryInput::schemas(schemas);
            }
        }
    };
}

as_read_by!(CreateSignatory, "A new signatory.", without "version",
    needs ["first_name", "last_name", "title", "phone", "birthday", "email", "ssn", "home_address"]);
as_read_by!(InviteSignatory, "A signatory who is yet to be completed.", without "version",
    needs ["first_name", "last_name", "email"]);
as_read_by!(UpdateSignatory,
    "A signatory as it is to be. What is left out stays; nothing may be missing afterwards.", without "email",
    needs ["version"]);
