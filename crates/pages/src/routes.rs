//! The whole service as one router.

use axum::Router;
use axum::extract::{MatchedPath, State};
use axum::http::{HeaderMap, Method, Uri, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use background::delivery::Courier;
use interface::app::App;
use interface::config::Settings;
use interface::error::Error;
use interface::http::wrap_request;
use interface::{compat, journal, openapi};
use serde_json::Value;
use store::Store;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::{assets, compression, console, docs, documents, flows, oauth, salary_report};

fn operations_of(dev: bool) -> OpenApiRouter<App> {
    interface::routes::all_operations(dev).merge(salary_report::routes())
}

/// The description of the API.
pub fn api_description() -> OpenApi {
    openapi::complete_operations(operations_of(true).into_openapi())
}

/// The description, in which each operation has all that belongs to it.
pub fn expanded_description() -> Value {
    openapi::full_description(&api_description())
}

/// The published description.
pub fn description_text() -> String {
    openapi::publish_description(&api_description())
}

/// The service on a store, ready to be served.
pub fn build_service(store: Store, settings: Settings) -> (App, Router) {
    let courier = Courier::new(settings.webhook_policy());
    service_with(store, settings, courier)
}

/// The same, with the given courier.
pub fn service_with(store: Store, settings: Settings, courier: Courier) -> (App, Router) {
    let dev = settings.dev;
    let (router, api) = operations_of(dev).split_for_parts();
    let app = App::new(store, settings, courier, &api, description_text);
    let router = router
        .merge(assets::routes())
        .merge(flows::routes())
        .merge(documents::routes())
        .merge(oauth::pages::routes())
        .merge(docs::routes())
        .merge(console::routes(dev))
        .fallback(unknown_address)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(from_fn_with_state(app.clone(), wrap_request));
    // Outside of everything else, so that refusals are recorded, too; elsewhere there is no such layer.
    let recorded = || from_fn_with_state(app.clone(), journal::record_request);
    let router = if dev { router.layer(recorded()) } else { router };
    // Outermost: what is recorded can be read.
    let router = router.layer(from_fn(compression::compress_response)).with_state(app.clone());
    (app, router)
}

async fn unknown_address(State(app): State<App>, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if !uri.path().starts_with("/v1/") && is_browser(&headers) {
        return docs::not_found_page(&app);
    }
    no_operation(&app, &method, &uri).into_response()
}

/// Whether a person looks at the answer: browsers name HTML first, clients of the interface do not name it.
fn is_browser(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.starts_with("text/html"))
}

fn no_operation(app: &App, method: &Method, uri: &Uri) -> Error {
    match compat::why_not_served(method.as_str(), uri.path()) {
        Some(why) => Error::NotServed(why),
        None => Error::UnknownAddress(app.directory.nearest_path(uri.path())),
    }
}

async fn method_not_allowed(State(app): State<App>, route: Option<MatchedPath>) -> Error {
    let methods = route.and_then(|route| app.directory.methods(route.as_str()));
    Error::MethodNotAllowed(methods.unwrap_or_else(|| "the methods of its Allow header".to_owned()))
}

/// Every statement of the program, for the test that prepares them on both engines.
pub fn all_statements() -> Vec<store::Sql> {
    [store::own_statements().as_slice(), domain::domain_statements().as_slice(), background::retention::ALL]
        .concat()
}
