//! Rows of accepted terms of service.

use jiff::Timestamp;
use store::{Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::record! {
    /// A user's acceptance of an edition of the terms of service.
    #[derive(Debug, Clone)]
    pub struct Acceptance in "terms_acceptances" {
        key {
            /// who accepted them
            pub user: Uuid = "user_id",
            /// the edition
            pub edition: String,
        }
        fixed {
            /// the IP address from which they were accepted
            pub ip_address: String,
            /// the partner's id of the user
            pub external_user_id: String,
            /// when they were accepted
            pub accepted_at: Timestamp,
        }
    }
}

store::statements! {
    records Acceptance;
    OF_EDITION = store::text!(Acceptance::SELECT, " AND edition = $2 ORDER BY accepted_at, user_id");
}

/// The acceptances of an edition of the terms for the company, oldest first.
pub fn of_edition(tx: &mut Tx<'_>, company: Uuid, edition: &str) -> Result<Vec<Acceptance>, Error> {
    Ok(tx.try_query(OF_EDITION, params![company, edition], Acceptance::read)?)
}
