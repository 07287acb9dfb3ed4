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
    /// whether it counts towards the regular rate of overtime (extension)
    pub counts_in_regular_rate: bool,
}

impl From<rows::EarningType> for EarningType {
    fn from(row: rows::EarningType) -> Self {
        Self {
            name: row.name,
            uuid: row.id,
            active: row.active,
            counts_in_regular_rate: row.counts_in_regular_rate,
        }
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
        /// whether it counts towards the regular rate of overtime, as pay for work does; false for premiums of meal and rest breaks
        /// that were missed, gifts and the like (29 USC 207(e)); true when left out (extension)
        #[schema(nullable)]
        counts_in_regular_rate: bool,
    }

    /// What an update changes; what is left out stays.
    UpdateEarningType => service::EarningTypeFields {
        /// what it is called, at most 100 characters; not the name of another one in any case
        name: String,
        /// whether it counts towards the regular rate of overtime (extension)
        counts_in_regular_rate: bool,
    }
}
