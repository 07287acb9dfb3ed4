//! Rows of contractors' addresses.

use std::collections::HashMap;

use store::{Tx, params};
use uuid::Uuid;

use crate::company::locations::fields::{optional_line, read_address_line, read_state, read_zip_code};
use crate::editable::editable;
use crate::error::Error;
use crate::records::IdRange;

store::record! {
    /// The address of a contractor.
    #[derive(Debug, Clone, Default)]
    pub struct ContractorAddress in "contractor_addresses" {
        key {
            /// the contractor
            pub contractor: Uuid = "contractor_id",
        }
        fields {
            /// house number and street
            pub street_1: String,
            /// second address line
            pub street_2: Option<String>,
            /// city
            pub city: String,
            /// two-letter state
            pub state: String,
            /// ZIP code
            pub zip: String,
        }
        fixed {
            /// always `USA`
            pub country: String,
        }
        times { created_at, updated_at }
        version
    }
}

editable! {
    ContractorAddress;
    /// The first address.
    create CreateContractorAddress {}
    /// Updates the given fields and keeps the rest.
    update UpdateContractorAddress {}
    required street_1: String = read_address_line;
    optional street_2: String = optional_line;
    required city: String = read_address_line;
    required state: String = read_state;
    required zip: String = read_zip_code;
}

impl From<&UpdateContractorAddress> for CreateContractorAddress {
    fn from(update: &UpdateContractorAddress) -> Self {
        let UpdateContractorAddress { version: _, street_1, street_2, city, state, zip } = update.clone();
        Self { street_1, street_2, city, state, zip }
    }
}

store::statements! {
    records ContractorAddress;
    BETWEEN = store::text!(ContractorAddress::SELECT, " AND contractor_id BETWEEN $2 AND $3 ORDER BY contractor_id");
}

/// Returns the addresses of the contractors in a range (ends included).
pub fn addresses_of_contractors(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<HashMap<Uuid, ContractorAddress>, Error> {
    let found = tx.try_query(BETWEEN, params![company, first, last], ContractorAddress::read)?;
    Ok(found.into_iter().map(|one| (one.contractor, one)).collect())
}
