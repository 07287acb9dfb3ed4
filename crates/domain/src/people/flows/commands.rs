//! Inputs of the use cases for links to hosted pages.

use serde_json::{Map, Value};

use crate::patch::Patch;

/// Creates a link to hosted pages.
#[derive(Debug, Clone, Default)]
pub struct CreateFlow {
    /// one or more flow types of the same [`FlowEntityKind`](super::types::FlowEntityKind), separated by commas
    pub flow_type: Patch<String>,
    /// `Employee`, `Contractor` or `Company`
    pub entity_type: Patch<String>,
    /// the employee, the contractor, or the company itself
    pub entity_uuid: Patch<String>,
    /// return URL of the last page; by default that of the application's theme
    pub redirect_url: Patch<String>,
    /// options of the flows; must be empty, because the flows have none
    pub options: Patch<Map<String, Value>>,
}
