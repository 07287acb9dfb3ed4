//! Operations on benefits.

mod company;
mod deferrals;
mod employee;
mod exclusions;
pub mod wire;

use jiff::civil::Date;
use rules::{Category, Checks, Violation, check};
use utoipa::openapi::Schema;
use utoipa_axum::router::OpenApiRouter;

use crate::app::App;
use crate::names;
use crate::query::{Parameter, Query};

/// Operations on benefits.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .merge(company::routes())
        .merge(employee::routes())
        .merge(deferrals::routes())
        .merge(exclusions::routes())
}

names! {
    /// What an answer with employees' benefits may include.
    BenefitInclude { AllBenefits = "all_benefits" }
}

/// A date that a list of benefits is narrowed by.
#[derive(Debug, Clone, Copy)]
pub struct Day(Option<Date>);

impl Parameter for Day {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let read = query.text_value(key).map(|day| check::parse_date(key, day));
        Self(read.and_then(|read| {
            checks
                .take_value(read.map_err(|wrong| Violation { category: Category::InvalidParameter, ..wrong }))
        }))
    }
    fn schema() -> Schema {
        Option::<Date>::schema()
    }
}
