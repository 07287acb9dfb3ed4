//! Rows of companies' own earning types, in the order of creation.

use rules::Named;
use store::{Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::error::Error;

/// What kind of pay an earning type is, which says whether it counts towards the regular rate of overtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum EarningCategory {
    /// commissions (29 CFR 778.117)
    #[strum(serialize = "Commission")]
    Commission,
    /// bonuses of which the employer alone decides whether and how much to pay (29 CFR 778.211)
    #[strum(serialize = "DiscretionaryBonus")]
    DiscretionaryBonus,
    /// charges that customers are obliged to pay, where they are given to employees (29 CFR 531.55)
    #[strum(serialize = "ServiceCharges")]
    ServiceCharges,
    /// pay for being on call (29 CFR 778.223)
    #[strum(serialize = "OnCallPay")]
    OnCallPay,
    /// anything else: the company says whether it counts
    #[strum(serialize = "Other")]
    Other,
}

impl EarningCategory {
    /// Whether its pay counts towards the regular rate (29 USC 207(e)); `None` where the company says so.
    pub fn counts_in_regular_rate(self) -> Option<bool> {
        match self {
            Self::Commission | Self::ServiceCharges | Self::OnCallPay => Some(true),
            Self::DiscretionaryBonus => Some(false),
            Self::Other => None,
        }
    }
}

store::record! {
    /// One of a company's own earning types.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct EarningType in "earning_types" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// its name
            pub name: String,
            /// whether it can be paid
            pub active: bool,
            /// whether it counts towards the regular rate of overtime (29 USC 207(e))
            pub counts_in_regular_rate: bool,
            /// what kind of pay it is; it does not change
            pub category: EarningCategory as text,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records EarningType;
    OF_COMPANY = store::text!(EarningType::SELECT, " ORDER BY id");
}

/// Every earning type of the company, active or not.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<EarningType>, Error> {
    Ok(tx.try_query(OF_COMPANY, params![company], EarningType::read)?)
}
