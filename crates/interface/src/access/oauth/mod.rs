//! `POST /oauth/token`, `POST /oauth/revoke`, `GET /.well-known/oauth-authorization-server` and `GET /v1/token_info`.
//!
//! The first two accept JSON and forms and report refusals as OAuth does: an object with `error` and
//! `error_description`. They are rate limited by the network address of the client, which has not authenticated yet.

pub mod params;
pub mod wire;

use rules::Named;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http_body_util::{BodyExt, Limited};
use serde_json::{Value, json};
use store::Clock;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::params::Params;
use self::wire::{RevokeRequest, TokenAnswer, TokenInfo, TokenRefusal, TokenRequest, TokenResource};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, anonymous_caller, client_ip, is_form, is_json};
use crate::rate;
use crate::version;
use domain::access::oauth::exchange;
use domain::access::oauth::exchange::{Client, Granted};
use domain::access::oauth::reasons::Reason;
use domain::access::oauth::refusal::Refusal;
use domain::access::scope;
use domain::access::tokens::Actor;
use domain::language::Language;
use domain::version::{ApiVersion, Change};

/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);

/// Maximum bytes of a body.
const LARGEST: usize = 64 << 10;

/// The parameters of a request.
struct Received {
    params: Params,
    client: Client,
}

/// Operations on tokens.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(token))
        .routes(routes!(revoke))
        .routes(routes!(metadata))
        .routes(routes!(token_info))
}

/// Get tokens
///
/// In exchange for a code from `/oauth/authorize`, for a refresh token, or for the application itself. Until the new pair is
/// used, and for at most a minute, a refresh token returns the same pair again; later its use ends every token of its consent.
#[utoipa::path(post, path = "/oauth/token", tag = "OAuth",
    request_body(content((TokenRequest = "application/json"), (TokenRequest = "application/x-www-form-urlencoded"))),
    responses((status = 200, description = "Tokens", body = TokenAnswer),
              (status = 400, description = "The request is invalid", body = TokenRefusal),
              (status = 401, description = "The client is unknown, or its secret is wrong", body = TokenRefusal),
              (status = 429, description = "Too many requests from this address", body = TokenRefusal)))]
async fn token(State(app): State<App>, request: Request) -> Result<Response, Error> {
    let (dev, base) = (app.settings.dev, app.public_url.clone());
    let caller = anonymous_caller(&app, &request);
    let headers = request.headers().clone();
    // An unsupported version is refused before any token is issued.
    let named = version::requested_version(&headers, ApiVersion::NEWEST)?;
    let (received, grant) =
        match read_request(&app, request).await.and_then(|r| Ok((params::requested_grant(&r.params)?, r))) {
            Ok((grant, received)) => (received, grant),
            Err(refusal) => return Ok(refusal_response(&refusal, dev, &base)),
        };
    let client = received.client;
    let given = app.store.write(move |tx| exchange::exchange_grant(tx, &caller, &client, &grant)).await?;
    let granted = match given {
        Ok(granted) => {
            if granted.revoked > 0 {
                app.grants.forget_all();
            }
            granted
        }
        Err(refusal) => {
            // Whoever knows the id of a public client can have requests refused as often as they like.
            if refusal.revoked > 0 {
                app.grants.forget_all();
            }
            return Ok(refusal_response(&refusal, dev, &base));
        }
    };
    let names_a_version = headers.contains_key(version::HEADER) || headers.contains_key(version::ALIAS);
    let version = if names_a_version { named.1 } else { granted.version };
    let mut response = Json(token_answer(granted, version)).into_response();
    response.headers_mut().insert(named.0, version::version_header(version));
    response.headers_mut().insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    Ok(response)
}

fn token_answer(granted: Granted, version: ApiVersion) -> TokenAnswer {
    let created_at = granted.created_at;
    TokenAnswer {
        access_token: granted.access,
        token_type: "Bearer",
        expires_in: granted.expires_in,
        created_at: if version.includes_change(Change::TokenMomentAsNumber) {
            json!(created_at)
        } else {
            json!(created_at.to_string())
        },
        refresh_token: granted.refresh,
        scope: granted.scopes,
    }
}

/// Revoke a token
///
/// Also answers 200 for a token that does not exist (RFC 7009).
#[utoipa::path(post, path = "/oauth/revoke", tag = "OAuth",
    request_body(content((RevokeRequest = "application/json"), (RevokeRequest = "application/x-www-form-urlencoded"))),
    responses((status = 200, description = "The token has been revoked", body = serde_json::Map<String, Value>),
              (status = 400, description = "The request is invalid", body = TokenRefusal),
              (status = 401, description = "The client is unknown, or its secret is wrong", body = TokenRefusal),
              (status = 429, description = "Too many requests from this address", body = TokenRefusal)))]
async fn revoke(State(app): State<App>, request: Request) -> Result<Response, Error> {
    let (dev, base) = (app.settings.dev, app.public_url.clone());
    let caller = anonymous_caller(&app, &request);
    let read =
        read_request(&app, request).await.and_then(|r| Ok((r.params.required_value("token")?.to_owned(), r)));
    let (token, received) = match read {
        Ok(read) => read,
        Err(refusal) => return Ok(refusal_response(&refusal, dev, &base)),
    };
    let client = received.client;
    let revoked = app.store.write(move |tx| exchange::revoke_token(tx, &caller, &client, &token)).await?;
    if matches!(revoked, Ok(1..)) {
        app.grants.forget_all();
    }
    Ok(match revoked {
        // The body says nothing (RFC 7009, 2.2), and clients that read JSON from every answer find an object.
        Ok(_) => Json(json!({})).into_response(),
        Err(refusal) => refusal_response(&refusal, dev, &base),
    })
}

/// Read the metadata of the authorization server (RFC 8414)
///
/// For OAuth libraries that configure themselves: the URLs of the endpoints, the grant types, and PKCE with S256.
#[utoipa::path(get, path = "/.well-known/oauth-authorization-server", tag = "OAuth",
    responses((status = 200, description = "Its metadata", body = Value)))]
async fn metadata(State(app): State<App>) -> Json<Value> {
    let issuer = app.settings.issuer();
    let clients = ["client_secret_basic", "client_secret_post", "none"];
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/oauth/authorize"),
        "token_endpoint": format!("{issuer}/oauth/token"),
        "revocation_endpoint": format!("{issuer}/oauth/revoke"),
        "scopes_supported": scope::ALL.as_slice(),
        "ui_locales_supported": Language::ALL.map(Language::code),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token", "system_access"],
        "token_endpoint_auth_methods_supported": clients,
        "revocation_endpoint_auth_methods_supported": clients,
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "service_documentation": format!("{issuer}/openapi.json"),
    }))
}

/// Read what the presented token gives access to
///
/// Its scopes, its company or application, and who consented. Works with any token.
#[utoipa::path(get, path = "/v1/token_info", tag = "OAuth",
    responses((status = 200, description = "Its company or application, and its scopes", body = TokenInfo)),
    security(("company_access" = []), ("system_access" = [])))]
async fn token_info(call: Call) -> Result<Json<TokenInfo>, Error> {
    let (caller, _) = call.into_caller_and_key()?;
    let resource = match caller.actor {
        Actor::Application(application) if caller.company.is_nil() => {
            TokenResource { kind: "Oauth::Application", uuid: application }
        }
        _ => TokenResource { kind: "Company", uuid: caller.company },
    };
    let owner = caller.consented.map(|uuid| TokenResource { kind: "CompanyAdmin", uuid });
    Ok(Json(TokenInfo { scope: caller.scopes.to_text(), resource, resource_owner: owner }))
}

/// Reads the parameters and the client from the body only, because URLs end up in many logs.
async fn read_request(app: &App, request: Request) -> Result<Received, Refusal> {
    if let Some(limiter) = &app.token_limiter {
        let allowance =
            limiter.count_request(&rate::address_key(client_ip(app, &request)), Clock::monotonic());
        if !allowance.allowed {
            metrics::counter!("oauth_refused_total").increment(1);
            return Err(Refusal::too_many(allowance.reset.as_secs() + 1));
        }
    }
    if request.uri().query().is_some_and(|query| !query.is_empty()) {
        return Err(Refusal::invalid_request("Send parameters in the body, not in the URL."));
    }
    let (parts, body) = request.into_parts();
    let collected = tokio::time::timeout(BODY_TIME, Limited::new(body, LARGEST).collect()).await;
    let body: Bytes = match collected {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(_)) => {
            return Err(Refusal::invalid_request("The body cannot be read, or is larger than 64 kB."));
        }
        Err(_) => return Err(Refusal::invalid_request("The body did not arrive in time.")),
    };
    let params = if is_json(&parts.headers) {
        Params::of_json(&body)?
    } else if is_form(&parts.headers) {
        Params::of_form(&body)?
    } else {
        let description = "The body must be JSON or a form, with content-type application/json or \
                    application/x-www-form-urlencoded.";
        return Err(Refusal::invalid_request(description));
    };
    let client = params::client_credentials(basic_credentials(&parts.headers)?, &params)?;
    Ok(Received { params, client })
}

/// Name and secret of HTTP Basic, each form-encoded (RFC 6749, section 2.3.1). A header of another scheme, which some
/// clients send with every request, is ignored.
fn basic_credentials(headers: &HeaderMap) -> Result<Option<(String, String)>, Refusal> {
    let values = headers.get_all(header::AUTHORIZATION).iter().filter_map(|value| value.to_str().ok());
    let mut coded = values.filter_map(|value| {
        let (scheme, coded) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("basic").then_some(coded)
    });
    let Some(text) = coded.next() else { return Ok(None) };
    let wrong = || {
        Refusal::invalid_client("the Authorization header is not HTTP Basic with client_id and client_secret")
    };
    if coded.next().is_some() {
        return Err(wrong());
    }
    let bytes = STANDARD.decode(text.trim()).map_err(|_| wrong())?;
    let pair = String::from_utf8(bytes).map_err(|_| wrong())?;
    let (id, secret) = pair.split_once(':').ok_or_else(wrong)?;
    let decoded = |coded: &str| {
        let form = format!("v={}", coded.replace('&', "%26"));
        form_urlencoded::parse(form.as_bytes()).next().map(|(_, value)| value.into_owned())
    };
    match (decoded(id), decoded(secret)) {
        (Some(id), Some(secret)) if !id.is_empty() && !id.contains('\0') => Ok(Some((id, secret))),
        _ => Err(wrong()),
    }
}

/// The response of the token endpoint. `base` is the service's public URL.
fn refusal_response(refusal: &Refusal, dev: bool, base: &str) -> Response {
    let body = json!({
        "error": refusal.reason.as_str(),
        "error_description": refusal.description_for(dev),
        "error_uri": format!("{base}/docs/errors#{}", refusal.reason.page_anchor()),
    });
    let status = match refusal.reason {
        _ if refusal.wait.is_some() => StatusCode::TOO_MANY_REQUESTS,
        Reason::InvalidClient => StatusCode::UNAUTHORIZED,
        _ => StatusCode::BAD_REQUEST,
    };
    let mut response =
        (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response();
    let headers = response.headers_mut();
    headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    if let Some(wait) = refusal.wait {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(wait));
    }
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"stipend\""));
    }
    response
}
