//! Inputs of the use cases of links to hosted pages.

use serde_json::{Map, Value};

use crate::patch::Patch;

/// Creates a link to hosted pages.
#[derive(Debug, Clone, Default)]
pub struct CreateFlow {
    /// some of the types of one [`Kind`](super::types::Kind), separated by commas
    pub flow_type: Patch<String>,
    /// `Employee` or `Company`
    pub entity_type: Patch<String>,
    /// the employee, or the company itself
    pub entity_uuid: Patch<String>,
    /// the link of the last page; by default that of the application's theme
    pub redirect_url: Patch<String>,
    /// empty: the flows have no options
    pub options: Patch<Map<String, Value>>,
}
