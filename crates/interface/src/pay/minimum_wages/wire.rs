//! Minimum wages on the wire.

use domain::pay::minimum_wages::table;
use jiff::civil::Date;
use rules::Named;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::values::AuthorityName;

/// A minimum wage of a location.
#[derive(Debug, Serialize, ToSchema)]
pub struct MinimumWage {
    /// identifier of the rule, to select it in a compensation; it stays the same when the figure changes
    pub uuid: Uuid,
    /// decimal text, dollars per hour
    pub wage: String,
    /// `Regular`, or `Regular-Industry-Specific` with the industry in the notes
    pub wage_type: &'static str,
    /// YYYY-MM-DD: the effective date of the figure
    #[schema(format = Date)]
    pub effective_date: String,
    /// `City`, `County`, `State` or `Federal`
    #[schema(value_type = AuthorityName)]
    pub authority: &'static str,
    /// to whom it applies, and whether the figure is known to be out of date; empty if there is nothing to add
    pub notes: String,
}

impl MinimumWage {
    /// The answer for a row of the table, on a day.
    pub fn new(row: &table::MinimumWage, day: Date) -> Self {
        Self {
            uuid: row.rule,
            wage: row.wage.to_text(2),
            wage_type: row.wage_type.as_str(),
            effective_date: row.effective_date.to_string(),
            authority: row.authority.as_str(),
            notes: row.notes_on(day).unwrap_or_default(),
        }
    }
}
