//! Operations on benefits, and their shapes.

mod company;
mod employee;

use jiff::civil::Date;
use rules::{Category, Checks, Violation, check};
use utoipa_axum::router::OpenApiRouter;

use crate::app::App;
use crate::query::Query;

/// Operations on benefits.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().merge(company::routes()).merge(employee::routes())
}

/// Whether every window is asked for.
fn all_benefits(query: &Query, checks: &mut Checks) -> bool {
    !query.words("include", &["all_benefits"], checks).is_empty()
}

/// A day in a query.
fn day(query: &Query, key: &str, checks: &mut Checks) -> Option<Date> {
    let read = check::date(key, query.text(key)?);
    checks.take(read.map_err(|wrong| Violation { category: Category::InvalidParameter, ..wrong }))
}
