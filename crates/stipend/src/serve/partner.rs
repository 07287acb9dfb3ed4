//! Under `stipend dev`: the role of a partner's own server for a page with the published components. The page requests
//! `/fe_sdk/{token}/v1/…`, and the request is passed on with that token. The end-to-end suites of those components run
//! against such a URL; elsewhere it does not exist, because a token does not belong in a URL.

use axum::http::uri::PathAndQuery;
use axum::http::{HeaderName, HeaderValue, Uri, header};
use hyper::Request;

/// The prefix of a partner's proxy URLs.
const PROXY: &str = "/fe_sdk/";
/// The IP address of the person who signs, which a partner's proxy adds.
const CLIENT_IP: HeaderName = HeaderName::from_static("x-gusto-client-ip");

/// The request as a partner's proxy would pass it on; any other request is unchanged.
pub fn sent_on<B>(mut request: Request<B>) -> Request<B> {
    let Some((uri, token)) = proxied_target(request.uri()) else { return request };
    *request.uri_mut() = uri;
    let headers = request.headers_mut();
    headers.insert(header::AUTHORIZATION, token);
    headers.entry(CLIENT_IP).or_insert(HeaderValue::from_static("127.0.0.1"));
    request
}

/// The target URL of the request, and its token.
fn proxied_target(uri: &Uri) -> Option<(Uri, HeaderValue)> {
    let (token, rest) = uri.path().strip_prefix(PROXY)?.split_once('/')?;
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let path = PathAndQuery::try_from(format!("/{rest}{query}")).ok()?;
    let mut token = HeaderValue::try_from(format!("Bearer {token}")).ok()?;
    token.set_sensitive(true);
    Some((Uri::from(path), token))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(path: &str) -> Request<()> {
        sent_on(Request::get(path).body(()).unwrap())
    }

    #[test]
    fn the_token_of_the_address_becomes_that_of_the_request() {
        let request = sent("/fe_sdk/secret/v1/companies/7/employees?page=2&per=5");
        assert_eq!(request.uri(), "/v1/companies/7/employees?page=2&per=5");
        assert_eq!(request.headers()[header::AUTHORIZATION], "Bearer secret");
        assert_eq!(request.headers()["x-gusto-client-ip"], "127.0.0.1");
    }

    #[test]
    fn what_a_token_or_an_address_would_show_is_kept_from_logs_and_a_signer_named_before_stays() {
        let request =
            Request::get("/fe_sdk/secret/v1/forms/7/sign").header("x-gusto-client-ip", "203.0.113.7");
        let request = sent_on(request.body(()).unwrap());
        assert!(request.headers()[header::AUTHORIZATION].is_sensitive());
        assert_eq!(request.headers()["x-gusto-client-ip"], "203.0.113.7");
    }

    #[test]
    fn an_address_without_a_path_goes_on_to_the_root() {
        let request = sent("/fe_sdk/secret/");
        assert_eq!((request.uri().path(), request.uri().query()), ("/", None));
    }

    #[test]
    fn every_other_request_is_left_as_it_is() {
        for path in ["/v1/companies", "/fe_sdk/secret", "/fe_sdk", "/"] {
            let request = sent(path);
            assert_eq!(request.uri(), path);
            assert!(request.headers().is_empty(), "{path}");
        }
    }
}
