//! Rows of suspensions, in the order of creation.

use jiff::civil::Date;
use store::{Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::record! {
    /// A suspension that a company requested.
    #[derive(Debug, Clone)]
    pub struct Suspension in "company_suspensions" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// the first day of the suspension
            pub effective_date: Date,
            /// one of [`REASONS`](super::service::REASONS)
            pub reason: String,
            /// one of [`PROVIDERS`](super::service::PROVIDERS), if it goes to another provider
            pub leaving_for: Option<String>,
            /// one of [`TAX_METHODS`](super::service::TAX_METHODS)
            pub reconcile_tax_method: String,
            /// whether the forms of the quarter are to be filed for it
            pub file_quarterly_forms: bool,
            /// whether the forms of the year are to be filed for it
            pub file_yearly_forms: bool,
            /// a comment
            pub comments: Option<String>,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records Suspension;
    OF_COMPANY = store::text!(Suspension::SELECT, " ORDER BY id");
}

/// Every suspension that the company requested, oldest first.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Suspension>, Error> {
    Ok(tx.try_query(OF_COMPANY, params![company], Suspension::read)?)
}
