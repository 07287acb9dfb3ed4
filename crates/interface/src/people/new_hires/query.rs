//! The query string of the list of new hires.

use jiff::civil::Date;

use crate::query;

query! {
    /// Which reports are listed.
    ListNewHires {
        /// YYYY-MM-DD: the first hire date; defaults to 60 days before the last one
        start_date: Option<Date>,
        /// YYYY-MM-DD: the last hire date, at most 400 days later; defaults to today
        end_date: Option<Date>,
    }
}
