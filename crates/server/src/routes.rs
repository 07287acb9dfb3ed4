//! The whole service as one router.

use axum::Router;
use axum::extract::{MatchedPath, State};
use axum::http::{StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use store::Store;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::app::App;
use crate::config::Settings;
use crate::delivery::Courier;
use crate::error::Error;
use crate::http::front;
use crate::{
    addresses, benefits, companies, company_banks, company_forms, company_setup, company_taxes,
    compensations, console, devworld, employees, flows, forms, garnishments, locations, minimum_wages, oauth,
    occupations, onboarding, openapi, operations, pay_schedules, payment_methods, payrolls, reference,
    salary_estimates, signatories, taxes,
};
use crate::{connections, delivery, events, webhooks};

/// Every operation with its description. The test clock is described always and served only by `stipend dev`.
fn operations_of(dev: bool) -> OpenApiRouter<App> {
    let router = OpenApiRouter::with_openapi(openapi::frame())
        .merge(companies::api::routes())
        .merge(signatories::api::routes())
        .merge(company_taxes::api::routes())
        .merge(company_banks::api::routes())
        .merge(company_forms::api::routes())
        .merge(company_setup::api::routes())
        .merge(crate::partner_companies::api::routes())
        .merge(locations::api::routes())
        .merge(minimum_wages::api::routes())
        .merge(employees::api::routes())
        .merge(addresses::api::routes())
        .merge(compensations::api::routes())
        .merge(taxes::api::routes())
        .merge(onboarding::api::routes())
        .merge(payment_methods::api::routes())
        .merge(pay_schedules::api::routes())
        .merge(payrolls::api::routes())
        .merge(benefits::api::routes())
        .merge(flows::api::routes())
        .merge(forms::api::routes())
        .merge(garnishments::api::routes())
        .merge(webhooks::api::routes())
        .merge(events::api::routes())
        .merge(oauth::api::routes())
        .merge(occupations::api::routes())
        .merge(salary_estimates::api::routes())
        .merge(crate::version::api::routes())
        .merge(operations::routes());
    if dev { router.merge(devworld::clock::routes()) } else { router }
}

/// The description of the interface.
pub fn description() -> OpenApi {
    openapi::complete(operations_of(true).into_openapi())
}

/// The description as it is published.
pub fn description_text() -> String {
    openapi::publish(&description())
}

/// The service on a store, ready to be served.
pub fn service(store: Store, settings: Settings) -> (App, Router) {
    let courier = Courier::new(&settings);
    service_with(store, settings, courier)
}

/// The same, with a courier of the caller's.
pub fn service_with(store: Store, settings: Settings, courier: Courier) -> (App, Router) {
    let dev = settings.dev;
    let (router, api) = operations_of(dev).split_for_parts();
    let app = App::new(store, settings, courier, &api);
    let router = router
        .merge(flows::pages::routes())
        .merge(forms::links::routes())
        .merge(oauth::pages::routes())
        .merge(crate::docs::routes())
        .merge(console::routes(dev))
        .fallback(unknown)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(app.clone(), front));
    // Around everything else, so that a refusal is kept, too; elsewhere there is no such layer.
    let recorded = || from_fn_with_state(app.clone(), console::journal::record);
    let router = if dev { router.layer(recorded()) } else { router };
    let router = router.with_state(app.clone());
    (app, router)
}

async fn unknown(State(app): State<App>, uri: Uri) -> Error {
    Error::UnknownAddress(app.directory.nearest(uri.path()))
}

async fn method_not_allowed(State(app): State<App>, route: Option<MatchedPath>) -> Error {
    let methods = route.and_then(|route| app.directory.methods(route.as_str()));
    Error::MethodNotAllowed(methods.unwrap_or_else(|| "the methods of its Allow header".to_owned()))
}

fn panicked(_: Box<dyn std::any::Any + Send + 'static>) -> Response {
    // What the panic said is on standard error, by the panic hook; it may hold data, so it goes nowhere else.
    let response = Error::Internal.into_response();
    debug_assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    response
}

/// Every statement of the program, for the test that prepares them on both engines.
pub fn statements() -> Vec<store::Sql> {
    [
        store::own_statements().as_slice(),
        crate::applications::ALL,
        crate::audit::ALL,
        crate::audit::seals::ALL,
        crate::auth::ALL,
        connections::ALL,
        delivery::outbox::ALL,
        delivery::rows::ALL,
        events::ALL,
        events::list::ALL,
        crate::idempotency::ALL,
        crate::jobs::ALL,
        crate::jobs::RETENTION_STATEMENTS,
        oauth::codes::ALL,
        oauth::sessions::ALL,
        oauth::sign_in::ALL,
        oauth::tokens::ALL,
        crate::users::rows::ALL,
        operations::ALL,
        reference::rows::ALL,
        salary_estimates::rows::ALL,
        companies::rows::ALL,
        companies::traits::ALL,
        signatories::rows::ALL,
        company_taxes::rows::ALL,
        company_banks::rows::ALL,
        company_forms::rows::ALL,
        company_setup::rows::ALL,
        crate::partner_companies::rows::ALL,
        locations::rows::ALL,
        employees::rows::ALL,
        addresses::rows::ALL,
        compensations::rows::ALL,
        payment_methods::rows::ALL,
        pay_schedules::rows::ALL,
        payrolls::statements().as_slice(),
        benefits::rows::all().as_slice(),
        taxes::rows::ALL,
        flows::rows::ALL,
        flows::drafts::ALL,
        flows::session::ALL,
        forms::rows::ALL,
        garnishments::remittances::ALL,
        garnishments::rows::ALL,
        webhooks::again::ALL,
        webhooks::rows::ALL,
        garnishments::withheld::ALL,
    ]
    .concat()
}
