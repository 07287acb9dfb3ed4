//! Earning types on the wire.

use domain::pay::earning_types::{rows, service};
use rules::Named;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::input;
use crate::values::{EarningCategoryName, LineText};

/// An earning type.
#[derive(Debug, Serialize, ToSchema)]
pub struct EarningType {
    /// its name
    pub name: String,
    /// identifier
    pub uuid: Uuid,
    /// whether it is active
    pub active: bool,
    /// what kind of pay it is
    #[schema(value_type = EarningCategoryName)]
    pub category: &'static str,
    /// whether it is part of the regular rate for overtime
    pub included_in_overtime_pay: bool,
    /// the same (extension)
    pub counts_in_regular_rate: bool,
}

impl From<rows::EarningType> for EarningType {
    fn from(row: rows::EarningType) -> Self {
        Self {
            name: row.name,
            uuid: row.id,
            active: row.active,
            category: row.category.as_str(),
            included_in_overtime_pay: row.counts_in_regular_rate,
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
    CreateEarningType => service::CreateEarningType {
        /// its name, at most 100 characters; unique regardless of case
        #[schema(required)]
        name: LineText,
        /// whether it is part of the regular rate for overtime, as pay for work is; false for premiums for missed meal
        /// and rest breaks, gifts and the like (29 USC 207(e)); true by default (extension)
        #[schema(nullable)]
        counts_in_regular_rate: bool,
        /// what kind of pay it is: `Other` (the default), or one that says whether it is part of the regular rate, as all of
        /// them do but `DiscretionaryBonus`. It cannot be changed
        #[schema(nullable)]
        category: EarningCategoryName,
        /// whether it is part of the regular rate, with the category `Other`; true by default. The same as
        /// `counts_in_regular_rate`
        #[schema(nullable)]
        included_in_overtime_pay: bool,
    }

    /// What an update changes; omitted fields keep their values.
    UpdateEarningType => service::UpdateEarningType {
        /// its name, at most 100 characters; unique regardless of case
        name: LineText,
        /// whether it is part of the regular rate for overtime; that of a category other than `Other` is fixed (extension)
        counts_in_regular_rate: bool,
    }
}
