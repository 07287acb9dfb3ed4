//! Validates an application's request to `/oauth/authorize`, and determines where the response may go.
//!
//! A URL that is not registered, character by character (except for the port of a public client on the user's machine), is never redirected to: the request may be from anybody, and
//! is answered with a page. Only once application and redirect URI are certain are further errors returned to the
//! application.

use form_urlencoded::Serializer;
use rules::Named;
use store::Tx;

use super::texts::Texts;
use domain::Error;
use domain::access::applications;
use domain::access::applications::Application;
use domain::access::oauth::codes::is_challenge;
use domain::access::oauth::reasons::Reason;
use domain::access::scope::Scopes;
use domain::access::themes::{self, Theme};
use domain::language::Language;
use domain::loopback::differs_in_port_alone;
use interface::access::oauth::params::Params;

/// Maximum characters of `state`.
const LONGEST_STATE: usize = 2_048;

/// A valid request, to be shown to an administrator.
#[derive(Debug, Clone)]
pub struct AuthorizationRequest {
    /// the application
    pub application: Application,
    /// the registered redirect URI for the response
    pub redirect_uri: String,
    /// returned unchanged
    pub state: Option<String>,
    /// the scopes of the tokens
    pub scopes: Scopes,
    /// PKCE challenge, method S256
    pub challenge: Option<String>,
    /// the language that the application, or the reader, selected; otherwise the browser's
    pub language: Option<Language>,
    /// the application's colors and logo
    pub theme: Theme,
}

/// Why a request is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// shown to the visitor; `detail` is for a developer
    Page {
        /// the problem
        text: &'static str,
        /// the mismatched part
        detail: String,
    },
    /// returned to the application, at its redirect URI
    Redirect(String),
}

/// The language of a request: the first supported one in `ui_locales` (OpenID Connect Core, section 3.1.2.1).
pub fn requested_language(params: &Params) -> Option<Language> {
    let mut tags = params.get("ui_locales").unwrap_or_default().split(' ');
    tags.find_map(|tag| Language::parse(tag.split('-').next().unwrap_or_default()))
}

/// Parses a request; `t` has the texts of errors.
pub fn parse_request(
    tx: &mut Tx<'_>,
    issuer: &str,
    t: &'static Texts,
    params: &Params,
) -> Result<Result<AuthorizationRequest, Fault>, Error> {
    let page = |text, detail: String| Ok(Err(Fault::Page { text, detail }));
    let Some(client_id) = params.get("client_id") else {
        return page(t.fault_no_application, "client_id is missing".to_owned());
    };
    let known = applications::find_application(tx, client_id)?.filter(|known| known.disabled_at.is_none());
    let Some(application) = known else {
        let detail = "client_id: the application does not exist, or the operator has disabled it".to_owned();
        return page(t.fault_unknown_application, detail);
    };
    let Some(redirect_uri) = params.get("redirect_uri") else {
        let detail = "redirect_uri is missing".to_owned();
        return page(t.fault_no_redirect, detail);
    };
    let matches = |registered: &String| {
        registered == redirect_uri
            || application.is_public() && differs_in_port_alone(registered, redirect_uri)
    };
    if !application.redirect_uris.iter().any(matches) {
        let detail = describe_difference(&application.redirect_uris, redirect_uri);
        return page(t.fault_unknown_redirect, detail);
    }
    let redirect_uri = redirect_uri.to_owned();
    let state = params.get("state").map(str::to_owned);
    if state.as_ref().is_some_and(|state| state.len() > LONGEST_STATE) {
        let detail = format!("state is longer than {LONGEST_STATE} bytes");
        return page(t.fault_too_long, detail);
    }
    let (scopes, language) = (application.scopes, requested_language(params));
    let theme = themes::find_theme(tx, application.id)?.unwrap_or_default();
    let asked =
        AuthorizationRequest { scopes, challenge: None, application, redirect_uri, state, language, theme };
    Ok(match check_remaining(&asked, params) {
        Ok((scopes, challenge)) => Ok(AuthorizationRequest { scopes, challenge, ..asked }),
        Err((error, why)) => Err(Fault::Redirect(asked.error_redirect(issuer, error, why))),
    })
}

type Wrong = (Reason, &'static str);

/// Validates the remaining parameters; errors found here are sent to the validated `redirect_uri`.
fn check_remaining(asked: &AuthorizationRequest, params: &Params) -> Result<(Scopes, Option<String>), Wrong> {
    const REQUEST: Reason = Reason::InvalidRequest;
    match params.get("response_type") {
        Some("code") => {}
        None => return Err((REQUEST, "response_type is missing")),
        Some(_) => return Err((Reason::UnsupportedResponseType, "response_type must be code")),
    }
    if params.get("response_mode").is_some_and(|mode| mode != "query") {
        return Err((REQUEST, "response_mode must be query"));
    }
    let challenge = match (params.get("code_challenge"), params.get("code_challenge_method")) {
        (Some(challenge), Some("S256")) if is_challenge(challenge) => Some(challenge.to_owned()),
        (Some(_), Some("S256")) => {
            return Err((REQUEST, "code_challenge must be a SHA-256 in base64url, 43 characters"));
        }
        (Some(_), _) => return Err((REQUEST, "code_challenge_method must be S256")),
        (None, Some(_)) => return Err((REQUEST, "code_challenge is missing")),
        (None, None) if asked.application.is_public() => {
            return Err((REQUEST, "a public client must send a code_challenge"));
        }
        (None, None) => None,
    };
    let scopes = match params.get("scope") {
        None => asked.application.scopes,
        Some(text) => {
            let all = text.split_ascii_whitespace().all(|name| asked.application.scopes.contains(name));
            let named = Scopes::parse(text);
            if !all || named == Scopes::parse("") {
                return Err((
                    Reason::InvalidScope,
                    "scope contains a scope that the application does not have",
                ));
            }
            named
        }
    };
    Ok((scopes, challenge))
}

impl AuthorizationRequest {
    /// The style sheet of the application's theme.
    pub fn theme_path(&self) -> Option<String> {
        let accent = self.theme.accent?;
        Some(format!("/flow-theme/{}/style.css?{}", self.application.id, &accent.to_text()[1..]))
    }

    /// The application's logo.
    pub fn logo_path(&self) -> Option<String> {
        let logo = self.theme.logo.as_ref()?;
        Some(format!("/flow-theme/{}/logo.png?{}", self.application.id, logo.len()))
    }

    /// The URL of the same request.
    pub fn page_url(&self) -> String {
        self.url_in_language(self.language)
    }

    /// The URL of the same request in another language.
    pub fn page_in(&self, language: Language) -> String {
        self.url_in_language(Some(language))
    }

    fn url_in_language(&self, language: Option<Language>) -> String {
        let mut query = Serializer::new(String::new());
        query.append_pair("client_id", &self.application.id.to_string());
        query.append_pair("redirect_uri", &self.redirect_uri);
        query.append_pair("response_type", "code");
        if self.scopes != self.application.scopes {
            query.append_pair("scope", &self.scopes.to_text());
        }
        if let Some(state) = &self.state {
            query.append_pair("state", state);
        }
        if let Some(challenge) = &self.challenge {
            query.append_pair("code_challenge", challenge).append_pair("code_challenge_method", "S256");
        }
        if let Some(language) = language {
            query.append_pair("ui_locales", language.code());
        }
        format!("/oauth/authorize?{}", query.finish())
    }

    /// The URL to which a code is sent.
    pub fn code_redirect(&self, issuer: &str, code: &str) -> String {
        self.response_redirect(issuer, &[("code", code)])
    }

    /// The URL to which an error is sent.
    pub fn error_redirect(&self, issuer: &str, reason: Reason, why: &str) -> String {
        self.response_redirect(issuer, &[("error", reason.as_str()), ("error_description", why)])
    }

    /// The registered redirect URI with a response, the state, and the issuer (RFC 9207).
    fn response_redirect(&self, issuer: &str, answer: &[(&str, &str)]) -> String {
        let mut query = Serializer::new(String::new());
        query.extend_pairs(answer);
        if let Some(state) = &self.state {
            query.append_pair("state", state);
        }
        query.append_pair("iss", issuer);
        let joint = if self.redirect_uri.contains('?') { '&' } else { '?' };
        format!("{}{joint}{}", self.redirect_uri, query.finish())
    }

    /// The origin, or for a custom scheme the scheme, of the redirect URI.
    pub fn redirect_origin(&self) -> &str {
        url_origin(&self.redirect_uri)
    }

    /// The scheme of the redirect URI if it opens an application instead of a web page; empty otherwise.
    pub fn own_scheme(&self) -> &str {
        if is_web(&self.redirect_uri) { "" } else { self.redirect_origin() }
    }
}

/// Whether a URL is one of a web page, and not of an installed application.
pub fn is_web(uri: &str) -> bool {
    uri.starts_with("https://") || uri.starts_with("http://")
}

/// The origin of a URL, or for a custom scheme the scheme.
pub fn url_origin(uri: &str) -> &str {
    let Some((scheme, rest)) = uri.split_once("://").filter(|_| is_web(uri)) else {
        return uri.split_once(':').map_or("", |(scheme, _)| &uri[..=scheme.len()]);
    };
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    &uri[..scheme.len() + 3 + authority.len()]
}

/// The first part in which a URL differs from the most similar registered one, for a developer.
fn describe_difference(registered: &[String], sent: &str) -> String {
    let alike = |uri: &String| {
        url_parts(uri).into_iter().zip(url_parts(sent)).take_while(|(a, b)| a.1 == b.1).count()
    };
    let Some(nearest) = registered.iter().max_by_key(|uri| alike(uri)) else {
        return "redirect_uri: the application has no registered address".to_owned();
    };
    let differs = url_parts(nearest).into_iter().zip(url_parts(sent)).find(|(a, b)| a.1 != b.1);
    match differs {
        Some(((part, right), (_, wrong))) => {
            format!("redirect_uri: the {part} is {wrong:?}, but {right:?} is registered, in {nearest}")
        }
        None => format!("redirect_uri: it is not {nearest}"),
    }
}

/// Scheme, host with port, path, query and fragment of a URL, as written.
fn url_parts(uri: &str) -> [(&'static str, &str); 5] {
    let (rest, fragment) = uri.split_once('#').unwrap_or((uri, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (scheme, rest) = rest.split_once("://").unwrap_or(("", rest));
    let end = rest.find('/').unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    [("scheme", scheme), ("host", host), ("path", path), ("query", query), ("fragment", fragment)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_developer_is_told_the_part_of_the_address_that_differs() {
        let registered =
            ["https://pos.example/callback".to_owned(), "http://127.0.0.1:8765/callback".to_owned()];
        for (sent, part) in [
            ("http://127.0.0.1:8766/callback", "host"),
            ("http://127.0.0.1:8765/callback/", "path"),
            ("https://pos.example/Callback", "path"),
            ("http://pos.example/callback", "host"),
            ("https://pos.example/callback?x=1", "query"),
            ("https://pos.example/callback#x", "fragment"),
        ] {
            let shown = describe_difference(&registered, sent);
            assert!(shown.contains(&format!("the {part} is")), "{sent}: {shown}");
        }
        assert!(describe_difference(&[], "https://pos.example/").contains("no registered address"));
    }
}
