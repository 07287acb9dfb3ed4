//! The search for occupations, and its shape.

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
    /// what people in it do; empty for a combination of occupations
    pub description: String,
}
