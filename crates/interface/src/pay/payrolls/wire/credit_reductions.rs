//! Federal unemployment tax owed for credit reductions, on the wire.

use domain::pay::payrolls::closing::processing::credit_reductions;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// What the company owes for a year because of FUTA credit reductions.
#[derive(Debug, Serialize, ToSchema)]
pub struct FutaCreditReductions {
    /// calendar year
    pub year: i16,
    /// whether the year's reductions are known: they are announced in November
    pub announced: bool,
    /// YYYY-MM-DD: due with Form 940 of the year
    #[schema(format = Date)]
    pub due_on: String,
    /// states with a credit reduction in which the company paid FUTA wages: the lines of Schedule A
    pub states: Vec<FutaCreditReduction>,
    /// decimal text, dollars: FUTA wages whose state is unknown, from opening balances and from paychecks before states
    /// were recorded
    pub futa_wages_without_state: String,
    /// decimal text, dollars: all states together
    pub total: String,
    /// how the amounts were calculated: each figure with operation, inputs, rounding and source
    #[schema(value_type = Vec<Object>)]
    pub figures: Vec<Value>,
}

/// A state with a credit reduction.
#[derive(Debug, Serialize, ToSchema)]
pub struct FutaCreditReduction {
    /// two letters
    pub state: String,
    /// decimal text, dollars: FUTA wages of the year
    pub futa_wages: String,
    /// decimal text: percent of the wages
    pub percent: String,
    /// decimal text, dollars
    pub amount: String,
}

impl From<credit_reductions::CreditReductions> for FutaCreditReductions {
    fn from(found: credit_reductions::CreditReductions) -> Self {
        let states = found.states.into_iter().map(|state| FutaCreditReduction {
            state: state.state,
            futa_wages: state.wages.to_text(2),
            percent: state.percent.to_text(1),
            amount: state.amount.to_text(2),
        });
        Self {
            year: found.year,
            announced: found.announced,
            due_on: found.due_on.to_string(),
            states: states.collect(),
            futa_wages_without_state: found.wages_without_state.to_text(2),
            total: found.total.to_text(2),
            figures: found.figures.iter().map(rules::explain::Node::to_json).collect(),
        }
    }
}
