//! What all hosted pages share: the headers of every page, cookies, and the proof that a form was sent from one of our
//! pages. An administrator signs in once for all pages that require it.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;
use domain::access::users::browsers;

/// Whether a form has the same origin as its page. Browsers say so in Sec-Fetch-Site. If that is missing, Origin
/// decides; without a referrer it is "null" for our own pages, too, and then the form's token decides. `base` is the
/// URL of the pages.
pub fn is_same_origin(base: Option<&str>, headers: &HeaderMap) -> bool {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text(&HeaderName::from_static("sec-fetch-site")) {
        return site == "same-origin";
    }
    match text(&header::ORIGIN) {
        None | Some("null") => true,
        Some(origin) => {
            let host = text(&header::HOST).unwrap_or_default();
            base == Some(origin) || origin.split_once("://").is_some_and(|(_, authority)| authority == host)
        }
    }
}

/// The value of a cookie.
pub fn cookie_value(headers: &HeaderMap, name: &str) -> Option<String> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(found, _)| *found == name).map(|(_, value)| value.to_owned()).next()
}

/// Whether pages at this URL use HTTPS.
pub fn is_https(base: Option<&str>) -> bool {
    base.is_some_and(|url| url.starts_with("https://"))
}

/// The session cookie of an administrator for pages at this URL. `__Host-` binds it to this host alone; browsers accept
/// it over HTTPS only.
pub fn user_cookie(base: Option<&str>) -> &'static str {
    if is_https(base) { "__Host-stipend-user" } else { "stipend-user" }
}

/// The cookie of a browser in which administrators have signed in, for pages at this URL.
pub fn browser_cookie(base: Option<&str>) -> &'static str {
    if is_https(base) { "__Host-stipend-browser" } else { "stipend-browser" }
}

/// Sets that cookie.
pub fn set_browser_cookie(base: Option<&str>, response: &mut Response, value: &str) {
    let secure = if is_https(base) { "; Secure" } else { "" };
    let (name, age) = (browser_cookie(base), browsers::KEPT_DAYS * 24 * 60 * 60);
    let cookie = format!("{name}={value}; Path=/{secure}; HttpOnly; SameSite=Lax; Max-Age={age}");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
}

/// Sets the session cookie; an empty value deletes it.
pub fn set_user_cookie(base: Option<&str>, response: &mut Response, value: &str) {
    let secure = if is_https(base) { "; Secure" } else { "" };
    let age = if value.is_empty() { "; Max-Age=0" } else { "" };
    let cookie = format!("{}={value}; Path=/{secure}; HttpOnly; SameSite=Lax{age}", user_cookie(base));
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
}

/// What a page may do beyond the defaults.
#[derive(Debug, Clone, Copy)]
pub struct Allowed<'a> {
    /// origins other than our own to which a form may lead, also after a redirect
    pub forms_lead_to: &'a str,
    /// origins of pages that may frame this one
    pub framed_by: &'a [String],
    /// whether the page uses HTTPS
    pub https: bool,
}

/// Adds the headers of every page: nothing may be loaded from elsewhere, framed by strangers, or cached.
pub fn guard_response(allowed: Allowed<'_>, mut response: Response) -> Response {
    let framed = match allowed.framed_by {
        [] => "'none'".to_owned(),
        origins => origins.join(" "),
    };
    let forms = format!("'self' {}", allowed.forms_lead_to);
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         form-action {}; base-uri 'none'; frame-ancestors {framed}",
        forms.trim()
    );
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if allowed.framed_by.is_empty() {
        headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    }
    if allowed.https {
        let year = HeaderValue::from_static("max-age=31536000; includeSubDomains");
        headers.insert(header::STRICT_TRANSPORT_SECURITY, year);
    }
    response
}
