//! Records of what is missing for the close of a year: the company is notified of each year, until nothing is missing.

use jiff::Timestamp;
use jiff::civil::Date;
use store::{Tx, params};
use uuid::Uuid;

use crate::error::Error;

/// Maximum years of a company that are open at once: one, and the one before.
const MOST: i64 = 100;

store::record! {
    /// What is missing for the close of a year.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct YearPreparation in "year_preparations" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// the year
            pub year: i64,
        }
        fields {
            /// how many things
            pub missing: i64,
            /// names of what kinds they are
            pub subjects: Vec<String> as json,
            /// last day of furnishing Forms W-2
            pub due: Date,
            /// when nothing was missing any more, or it was too late
            pub resolved_at: Option<Timestamp>,
        }
        times {
            /// when it was noticed
            pub created_at: Timestamp,
            updated_at,
        }
        version
    }
}

store::statements! {
    records YearPreparation;
    OPEN = store::text!(YearPreparation::SELECT, " AND resolved_at IS NULL ORDER BY id LIMIT $2");
    OF_YEAR = store::text!(YearPreparation::SELECT, " AND year = $2 ORDER BY id LIMIT 1");
}

/// Returns the years for whose close something is missing, in the order in which it was noticed.
pub fn open_preparations(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<YearPreparation>, Error> {
    Ok(tx.try_query(OPEN, params![company, MOST], YearPreparation::read)?)
}

/// Returns what was noticed of a year.
pub fn of_year(tx: &mut Tx<'_>, company: Uuid, year: i64) -> Result<Option<YearPreparation>, Error> {
    Ok(tx.try_find(OF_YEAR, params![company, year], YearPreparation::read)?)
}
