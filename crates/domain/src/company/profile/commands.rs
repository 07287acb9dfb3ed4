//! Commands on a company.

use crate::company::companies::traits::Trait;
use crate::patch::Patch;

/// Updates a company.
#[derive(Debug, Clone, Default)]
pub struct UpdateCompany {
    /// whether it pays contractors only
    pub contractor_only: Patch<bool>,
}

/// Records a fact about a company.
#[derive(Debug, Clone, Default)]
pub struct NewTrait {
    /// name of a [`Trait`](crate::company::companies::traits::Trait)
    pub r#trait: Patch<Trait>,
    /// its name, such as that of the connected software
    pub name: Patch<String>,
}
