//! Earning types on the wire.

use domain::pay::earning_types::{rows, service};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::input;

/// By which name pay can be entered.
#[derive(Debug, Serialize, ToSchema)]
pub struct EarningType {
    /// what it is called
    pub name: String,
    /// identifier
    pub uuid: Uuid,
    /// whether it can be entered
    pub active: bool,
}

impl From<rows::EarningType> for EarningType {
    fn from(row: rows::EarningType) -> Self {
        Self { name: row.name, uuid: row.id, active: row.active }
    }
}

/// By which names pay can be entered.
#[derive(Debug, Serialize, ToSchema)]
pub struct EarningTypes {
    /// those of every company
    pub default: Vec<EarningType>,
    /// those that the company has made
    pub custom: Vec<EarningType>,
}

impl From<service::EarningTypes> for EarningTypes {
    fn from(types: service::EarningTypes) -> Self {
        let all = |list: Vec<rows::EarningType>| list.into_iter().map(EarningType::from).collect();
        Self { default: all(types.standard), custom: all(types.custom) }
    }
}

input! {
    /// A new earning type.
    CreateEarningType => service::EarningTypeFields {
        /// what it is called, at most 100 characters; not the name of another one in any case
        #[schema(required)]
        name: String,
    }

    /// A new name.
    UpdateEarningType => service::EarningTypeFields {
        /// what it is called, at most 100 characters; not the name of another one in any case
        name: String,
    }
}
