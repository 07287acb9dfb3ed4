//! Earning types on the wire.

use domain::pay::earning_types::{rows, service};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::input;

/// An earning type.
#[derive(Debug, Serialize, ToSchema)]
pub struct EarningType {
    /// its name
    pub name: String,
    /// identifier
    pub uuid: Uuid,
    /// whether it is active
    pub active: bool,
    /// whether it is part of the regular rate for overtime (extension)
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

/// The earning types of a company.
#[derive(Debug, Serialize, ToSchema)]
pub struct EarningTypes {
    /// the default ones
    pub default: Vec<EarningType>,
    /// the company's own
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
        /// its name, at most 100 characters; unique regardless of case
        #[schema(required)]
        name: String,
        /// whether it is part of the regular rate for overtime, as pay for work is; false for premiums for missed meal
        /// and rest breaks, gifts and the like (29 USC 207(e)); true by default (extension)
        #[schema(nullable)]
        counts_in_regular_rate: bool,
    }

    /// What an update changes; omitted fields keep their values.
    UpdateEarningType => service::EarningTypeFields {
        /// its name, at most 100 characters; unique regardless of case
        name: String,
        /// whether it is part of the regular rate for overtime (extension)
        counts_in_regular_rate: bool,
    }
}
