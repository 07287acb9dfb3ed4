//! Addresses of contractors on the wire.

use domain::contractors::addresses::rows;
use domain::contractors::addresses::service::Shown;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::input;
use crate::values::{LineText, OptionalLineText, StateText, VersionText, ZipText};

/// The address of a contractor.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractorAddress {
    /// the contractor
    pub contractor_uuid: Uuid,
    /// house number and street; null until it is entered
    pub street_1: Option<String>,
    /// second address line
    pub street_2: Option<String>,
    /// city
    pub city: Option<String>,
    /// two letters
    pub state: Option<String>,
    /// ZIP code
    pub zip: Option<String>,
    /// always `USA`
    pub country: String,
    /// whether the contractor works today
    pub active: bool,
    /// concurrency token, to be sent with an update
    pub version: String,
}

impl From<Shown> for ContractorAddress {
    fn from(shown: Shown) -> Self {
        let version = shown.version();
        let Shown { contractor, address, active } = shown;
        let (country, fields) = match address {
            None => ("USA".to_owned(), None),
            Some(one) => (one.country, Some((one.street_1, one.street_2, one.city, one.state, one.zip))),
        };
        let (street_1, street_2, city, state, zip) = match fields {
            None => (None, None, None, None, None),
            Some((street_1, street_2, city, state, zip)) => {
                (Some(street_1), street_2, Some(city), Some(state), Some(zip))
            }
        };
        Self { contractor_uuid: contractor, street_1, street_2, city, state, zip, country, active, version }
    }
}

input! {
    /// The address to set; omitted fields keep their values.
    UpdateContractorAddress => rows::UpdateContractorAddress {
        /// the version as last read; may be omitted for the first address
        version: VersionText,
        /// house number and street
        street_1: LineText,
        /// second address line; null clears it
        #[schema(nullable)]
        street_2: OptionalLineText,
        /// city
        city: LineText,
        /// two letters
        state: StateText,
        /// five digits, or nine with a hyphen
        zip: ZipText,
    }
}
