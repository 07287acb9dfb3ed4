//! An OAuth library that knows nothing of this service walks the flows.

use axum::body::Body;
use domain::access::users::Role;
use http_body_util::BodyExt;
use oauth2::basic::BasicClient;
use oauth2::{
    AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, HttpRequest, HttpResponse,
    PkceCodeChallenge, RedirectUrl, RequestTokenError, RevocationUrl, Scope, StandardRevocableToken,
    TokenResponse, TokenUrl,
};
use tower::ServiceExt;

use super::{Browser, public_client, query, reads, sent, user};
use crate::support::{Company, Engine, ISSUER, REDIRECT_URI, World, on_both_engines};

/// Sends what the library made to the service, without a network.
async fn send(world: &World, request: HttpRequest) -> Result<HttpResponse, std::io::Error> {
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().unwrap().to_string();
    parts.uri = path.parse().unwrap();
    parts.headers.insert("host", "localhost".parse().unwrap());
    let answer = world.router.clone().oneshot(axum::http::Request::from_parts(parts, Body::from(body))).await;
    let (parts, body) = answer.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes().to_vec();
    Ok(HttpResponse::from_parts(parts, body))
}

/// What the service says of itself, as a library would read it.
async fn metadata(world: &World) -> serde_json::Value {
    world.call("GET", "/.well-known/oauth-authorization-server").send().await.ok()
}

/// An administrator follows the library's address and consents; the code and the state that came back.
async fn consented(world: &World, address: &str, company: &Company) -> (String, String) {
    let administrator = user(world, &[(company, Role::Primary)]).await;
    let path = address.strip_prefix(ISSUER).unwrap();
    let mut browser = Browser::new(world);
    let page = browser.sign_in(path, &administrator).await.is(200);
    let left = browser.press(&page, "allow", &[("company", &company.id.to_string())]).await.is(200);
    assert_eq!(sent(&left, "iss").as_deref(), Some(ISSUER));
    (sent(&left, "code").unwrap(), sent(&left, "state").unwrap())
}

#[test]
fn the_metadata_name_what_is_there() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let told = metadata(&world).await;
        assert_eq!(told["issuer"], ISSUER);
        for (key, path) in [
            ("authorization_endpoint", "/oauth/authorize"),
            ("token_endpoint", "/oauth/token"),
            ("revocation_endpoint", "/oauth/revoke"),
        ] {
            assert_eq!(told[key], format!("{ISSUER}{path}"));
        }
        assert_eq!(told["response_types_supported"], serde_json::json!(["code"]));
        assert_eq!(told["code_challenge_methods_supported"], serde_json::json!(["S256"]));
        assert_eq!(told["authorization_response_iss_parameter_supported"], true);
        // Neither the implicit grant nor passwords are taken.
        for grant in
            ["implicit", "password", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"]
        {
            assert!(!told["grant_types_supported"].as_array().unwrap().iter().any(|held| held == grant));
        }
    });
}

#[test]
fn a_library_walks_code_refresh_and_revocation_by_http_basic_and_in_the_body() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let told = metadata(&world).await;
        let url = |key: &str| told[key].as_str().unwrap().to_owned();
        for auth in [AuthType::BasicAuth, AuthType::RequestBody] {
            let company = world.company().await;
            let client = BasicClient::new(ClientId::new(world.application.to_string()))
                .set_client_secret(ClientSecret::new(world.client_secret.clone()))
                .set_auth_type(auth)
                .set_auth_uri(AuthUrl::new(url("authorization_endpoint")).unwrap())
                .set_token_uri(TokenUrl::new(url("token_endpoint")).unwrap())
                .set_revocation_url(RevocationUrl::new(url("revocation_endpoint")).unwrap())
                .set_redirect_uri(RedirectUrl::new(REDIRECT_URI.to_owned()).unwrap());
            let (address, state) = client
                .authorize_url(CsrfToken::new_random)
                .add_scope(Scope::new("companies:read".to_owned()))
                .add_scope(Scope::new("employees:read".to_owned()))
                .url();
            let (code, came_back) = consented(&world, address.as_str(), &company).await;
            assert_eq!(&came_back, state.secret());
            let http = |request| send(&world, request);
            let pair = client.exchange_code(AuthorizationCode::new(code)).request_async(&http).await.unwrap();
            assert_eq!(pair.expires_in().unwrap().as_secs(), 7_200);
            let scopes: Vec<_> = pair.scopes().unwrap().iter().map(|scope| scope.as_str()).collect();
            assert_eq!(scopes, ["companies:read", "employees:read"]);
            assert_eq!(reads(&company, pair.access_token().secret()).await, 200);
            let refresh = pair.refresh_token().unwrap();
            let next = client.exchange_refresh_token(refresh).request_async(&http).await.unwrap();
            assert_eq!(reads(&company, next.access_token().secret()).await, 200);
            let late = client.exchange_refresh_token(refresh).request_async(&http).await.unwrap_err();
            let RequestTokenError::ServerResponse(refused) = late else { panic!("{late:?}") };
            assert_eq!(refused.error().to_string(), "invalid_grant");
            let token = StandardRevocableToken::from(next.refresh_token().unwrap());
            client.revoke_token(token).unwrap().request_async(&http).await.unwrap();
            assert_eq!(reads(&company, next.access_token().secret()).await, 401);
        }
    });
}

#[test]
fn a_library_walks_the_flow_of_a_public_client_with_pkce() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let client = BasicClient::new(ClientId::new(public_client(&world).await.to_string()))
            .set_auth_type(AuthType::RequestBody)
            .set_auth_uri(AuthUrl::new(format!("{ISSUER}/oauth/authorize")).unwrap())
            .set_token_uri(TokenUrl::new(format!("{ISSUER}/oauth/token")).unwrap())
            .set_redirect_uri(RedirectUrl::new(REDIRECT_URI.to_owned()).unwrap());
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let (address, _) = client.authorize_url(CsrfToken::new_random).set_pkce_challenge(challenge).url();
        assert!(query(address.as_str()).iter().any(|(name, _)| name == "code_challenge"));
        let (code, _) = consented(&world, address.as_str(), &company).await;
        let http = |request| send(&world, request);
        let (_, other) = PkceCodeChallenge::new_random_sha256();
        let stolen = client.exchange_code(AuthorizationCode::new(code.clone())).set_pkce_verifier(other);
        let stolen = stolen.request_async(&http).await.unwrap_err();
        assert!(matches!(stolen, RequestTokenError::ServerResponse(_)), "{stolen:?}");
        let own = client.exchange_code(AuthorizationCode::new(code)).set_pkce_verifier(verifier);
        let pair = own.request_async(&http).await.unwrap();
        assert_eq!(reads(&company, pair.access_token().secret()).await, 200);
        let next =
            client.exchange_refresh_token(pair.refresh_token().unwrap()).request_async(&http).await.unwrap();
        assert_eq!(reads(&company, next.access_token().secret()).await, 200);
    });
}
