//! Operations on benefits.

mod company;
mod employee;
pub mod wire;

use jiff::civil::Date;
use rules::{Category, Checks, Violation, check};
use utoipa_axum::router::OpenApiRouter;

use crate::app::App;
use crate::query::Query;

/// Operations on benefits.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().merge(company::routes()).merge(employee::routes())
}

/// Whether every record is requested.
fn all_benefits(query: &Query, checks: &mut Checks) -> bool {
    !query.words("include", &["all_benefits"], checks).is_empty()
}

/// A date in a query.
fn day(query: &Query, key: &str, checks: &mut Checks) -> Option<Date> {
    let read = check::date(key, query.text(key)?);
    checks.take(read.map_err(|wrong| Violation { category: Category::InvalidParameter, ..wrong }))
}
