//! Rows of companies' own earning types, in the order of creation.

use store::{Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::record! {
    /// One of a company's own earning types.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct EarningType in "earning_types" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// its name
            pub name: String,
            /// whether it can be paid
            pub active: bool,
            /// whether it counts towards the regular rate of overtime (29 USC 207(e))
            pub counts_in_regular_rate: bool,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records EarningType;
    OF_COMPANY = store::text!(EarningType::SELECT, " ORDER BY id");
}

/// Every earning type of the company, active or not.
///
/// # Errors
/// A store error.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<EarningType>, Error> {
    Ok(tx.try_query(OF_COMPANY, params![company], EarningType::read)?)
}
