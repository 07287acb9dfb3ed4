//! The query string of the list of new hires.

use jiff::civil::Date;

use crate::query;

query! {
    /// Whose reports are listed.
    ListNewHires {
        /// YYYY-MM-DD: the first day of hires; 60 days before the last one when left out
        start_date: Option<Date>,
        /// YYYY-MM-DD: the last day of hires, at most 400 days later; today when left out
        end_date: Option<Date>,
    }
}
