//! Occupations on the wire.

use domain::salary::occupations::code_text;
use domain::salary::occupations::data::Occupation;
use serde::Serialize;
use utoipa::ToSchema;

/// An occupation of the Standard Occupational Classification.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FoundOccupation {
    /// with a hyphen, such as `15-1252`
    pub code: String,
    /// its title
    pub name: String,
    /// its title
    pub title: String,
    /// its description; empty for a combination of occupations
    pub description: String,
}

impl From<Occupation<'_>> for FoundOccupation {
    fn from(occupation: Occupation<'_>) -> Self {
        Self {
            code: code_text(occupation.code),
            name: occupation.title.to_owned(),
            title: occupation.title.to_owned(),
            description: occupation.description.to_owned(),
        }
    }
}
