//! Commands on the onboarding of a company.

use crate::patch::Patch;

/// Sets the industry of a company, completely.
#[derive(Debug, Clone, Default)]
pub struct UpdateIndustry {
    /// readable title
    pub title: Patch<String>,
    /// six digits of the North American Industry Classification System
    pub naics_code: Patch<String>,
    /// codes of four digits of the Standard Industrial Classification
    pub sic_codes: Patch<Vec<String>>,
}
