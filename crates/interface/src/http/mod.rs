//! What happens to a request before and after its handler.
//!
//! [`wrap_request`] wraps every route. For an operation of the API it refuses in this order: 401, 406, 403, 429, 413/415/400
//! (an unknown path or method has been refused before), and 503 if too many other requests stay in progress for too
//! long; then it passes a [`Call`] to the handler. The token and scope that an operation requires are read from its
//! OpenAPI description, so the description always matches what is enforced. A company in the path that is not the
//! token's is recorded, and answered as "not found" by the bridge to the store, after the body was validated.
//!
//! On the way back every response gets its headers, and the request is counted and logged: method, route, status,
//! duration and ids, never a query, a body or a name.

mod call;
pub mod disposition;
mod requirements;

use std::future::poll_fn;
use std::net::{IpAddr, SocketAddr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};
use std::task::Poll;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use jiff::tz::TimeZone;
use percent_encoding::percent_decode_str;
use store::Clock;
use uuid::Uuid;

use crate::app::App;
use crate::error::{Cause, Error, Refused};
use crate::form;
use crate::held;
use crate::rate::{self, Allowance, Limiter};
use crate::shares::{Client, Slot};
use crate::unknown;
use crate::version;
use domain::access::idempotency;
use domain::access::tokens::Grant;
use domain::access::tokens::{Actor, Caller, TokenKind};
use domain::records::{id_of, parse_id};
use domain::version::ApiVersion;

pub use call::{Call, Id, IdempotencyKey, InCompany, InPayroll, InPayrollOfCompany, Input, Owned};
pub use requirements::{Access, Requirement, Requirements, path_operations};

/// Browsers use only HTTPS for the next year.
const HTTPS_ALONE: &str = "max-age=31536000; includeSubDomains";

/// The operators' endpoints: they have no limit.
const FOR_OPERATORS: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const RATE_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const RATE_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RATE_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Generates ids for requests without one.
#[derive(Debug)]
pub struct RequestIds {
    prefix: i64,
    next: AtomicU64,
}

impl RequestIds {
    /// Ids that begin with the start time of the process.
    pub fn new(clock: &Clock) -> Self {
        Self { prefix: clock.now().as_microsecond(), next: AtomicU64::new(1) }
    }

    fn request_id(&self, headers: &HeaderMap) -> Arc<str> {
        let sane = |text: &&str| {
            (1..=64).contains(&text.len())
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
        };
        match headers.get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(sane) {
            Some(given) => Arc::from(given),
            None => Arc::from(format!("{:x}-{:x}", self.prefix, self.next.fetch_add(1, Ordering::Relaxed))),
        }
    }
}

/// The request id, for handlers of routes that need no token.
#[derive(Debug, Clone)]
pub struct RequestName(pub Arc<str>);

/// Attached to a request whose head cannot be processed: it is refused with 400.
#[derive(Debug, Clone, Copy)]
pub struct MalformedHead(pub &'static str);

/// Wraps every route; see the module.
pub async fn wrap_request(State(app): State<App>, request: Request, next: Next) -> Response {
    // A panic outside the handler is answered, too, and ends no connection.
    catch_panic(pin!(pass_request(app, request, next))).await
}

async fn pass_request(app: App, mut request: Request, next: Next) -> Response {
    let started = Clock::monotonic();
    let request_id = app.request_ids.request_id(request.headers());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("unknown", MatchedPath::as_str);
    let method = request.method().clone();
    let mut client = Client::at_address(client_ip(&app, &request));

    let mut context = ResponseContext::default();
    let malformed = request.extensions().get::<MalformedHead>().copied();
    let mut response = match app.requirements.get(route, &method) {
        _ if let Some(MalformedHead(fault)) = malformed => {
            Error::Unreadable(fault.to_owned()).into_response()
        }
        _ if names_two_hosts(&request) => {
            let why = "The request names one host in its target and another one in the header Host.";
            Error::Unreadable(why.to_owned()).into_response()
        }
        _ if !app.settings.host_is_known(request.headers()) => Error::UnknownHost.into_response(),
        _ if !is_text(request.uri().path()) => Error::NotFound.into_response(),
        None => match admit_unnamed(&app, &request, route) {
            Ok(()) => {
                request.extensions_mut().insert(RequestName(Arc::clone(&request_id)));
                catch_panic(pin!(next.run(request))).await
            }
            Err(error) => error.into_response(),
        },
        // Boxed: what it waits for is over when the handler runs, and would be copied with it.
        Some(needs) => {
            match Box::pin(admit_request(&app, &mut request, route, needs, &request_id, &mut context)).await {
                Ok((call, _slot)) => {
                    request.extensions_mut().insert(call);
                    catch_panic(pin!(next.run(request))).await
                }
                Err(error) => error.into_response(),
            }
        }
    };
    Refused::complete_response(&mut response, &app.public_url);
    // The outcome of a change is always delivered; a read can be repeated without loss. Whoever asks whether the service
    // lives is answered whatever others take.
    let again = matches!(method, Method::GET | Method::HEAD) && !FOR_OPERATORS.contains(&route);
    if let Some(application) = context.application {
        client = client.with_holder(application, context.company);
    }
    let mut response = held::track_response(&app.budget, &client, response, again);
    // It may have become a refusal: there was no memory for the response.
    Refused::complete_response(&mut response, &app.public_url);
    context.cause = Cause::take_cause(&mut response);
    context.write_headers(response.headers_mut(), &app, &request_id);
    let took = Clock::monotonic().saturating_sub(started);
    // The response stands even if its log line fails: a change may have been committed.
    let status = response.status();
    let noted = catch_unwind(AssertUnwindSafe(|| {
        app.figures.count_request(&method, route, status, took);
        log_request(&method, route, status, took, &request_id, &context);
    }));
    if noted.is_err() {
        metrics::counter!("log_lines_dropped_total").increment(1);
    }
    response
}

/// The response of `answering`, or 500 if it panics.
///
/// It is unwind safe because what a request leaves half done is dropped with it: shared state is behind locks that
/// recover, and a unit of work is rolled back.
pub async fn catch_panic(mut answering: Pin<&mut impl Future<Output = Response>>) -> Response {
    poll_fn(|cx| {
        let polled = catch_unwind(AssertUnwindSafe(|| answering.as_mut().poll(cx)));
        polled.unwrap_or_else(|_| Poll::Ready(panic_response()))
    })
    .await
}

fn panic_response() -> Response {
    // The panic message is in the log, written by the panic hook; it may contain data, so it goes nowhere else.
    Error::internal("a handler panicked; the line of the panic says why").into_response()
}

/// Whether a path is text once percent-decoded; nothing here has any other name.
fn is_text(path: &str) -> bool {
    !path.contains('%') || percent_decode_str(path).decode_utf8().is_ok()
}

/// What the response headers and the log need to know about a request.
#[derive(Default)]
struct ResponseContext {
    version: Option<(HeaderName, ApiVersion)>,
    allowance: Option<Allowance>,
    application: Option<Uuid>,
    company: Option<Uuid>,
    /// the cause of a server error
    cause: Option<String>,
    /// names in the query and the body that the operation does not read
    unread: Vec<String>,
}

impl ResponseContext {
    fn write_headers(&self, headers: &mut HeaderMap, app: &App, request_id: &str) {
        if let Ok(id) = HeaderValue::from_str(request_id) {
            headers.insert(REQUEST_ID, id);
        }
        if let Some((name, version)) = &self.version {
            headers.insert(name.clone(), version::version_header(*version));
        }
        if let Some(allowance) = self.allowance {
            let reset = app.store.clock().now() + allowance.reset;
            let reset = reset.strftime("%Y-%m-%d %H:%M:%S +0000").to_string();
            headers.insert(RATE_LIMIT, allowance.limit.into());
            headers.insert(RATE_REMAINING, allowance.remaining.into());
            if let Ok(reset) = HeaderValue::from_str(&reset) {
                headers.insert(RATE_RESET, reset);
            }
        }
        if let Some(names) = unknown::unknown_header(&self.unread).filter(|_| !self.unread.is_empty()) {
            headers.insert(unknown::HEADER, names);
        }
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if app.public_url.starts_with("https://") {
            let alone = HeaderValue::from_static(HTTPS_ALONE);
            headers.entry(header::STRICT_TRANSPORT_SECURITY).or_insert(alone);
        }
    }
}

/// Admits a request, with its slot, or returns why not.
async fn admit_request(
    app: &App,
    request: &mut Request,
    route: &str,
    needs: &Requirement,
    request_id: &Arc<str>,
    context: &mut ResponseContext,
) -> Result<(Call, Slot), Error> {
    let from = client_ip(app, request);
    let grant = find_grant(app, request.headers(), from).await?;
    let client = Client::at_address(from).with_holder(grant.application, grant.company);
    (context.application, context.company) = (Some(grant.application), grant.company);
    let (name, version) = version::requested_version(request.headers(), grant.default_version)?;
    context.version = Some((name, version));
    check_permission(&grant, needs)?;
    context.allowance = count_request(app, &grant);
    if let Some(Allowance { allowed: false, reset, .. }) = context.allowance {
        return Err(Error::TooManyRequests(reset.as_secs() + 1));
    }
    refuse_secret_in_address(request.uri())?;
    refuse_coding(request)?;
    let (body, form) = if needs.takes_a_form {
        // Few operations take a form, and its future is larger than all else that each request carries.
        let form = Box::pin(form::read_form(&app.budget, &client, request)).await?;
        (Bytes::new(), Some(Arc::new(form)))
    } else {
        (held::read_json_body(&app.budget, &client, request, needs.takes_a_body).await?, None)
    };
    context.unread = needs.known.unread_names(request.uri().query(), &body);
    if grant.strict && !context.unread.is_empty() {
        return Err(Error::Violations(unknown::unknown_violations(&context.unread)));
    }
    let told = || form.as_ref().map_or_else(|| body.clone(), |form| form.fingerprint());
    let idempotency = idempotency_key(request, &grant, told)?;
    let caller = caller_of(app, request, &grant, (version, request_id));
    let foreign = names_another_company(route, request.uri().path(), &grant);
    let call = Call::new(caller, idempotency, foreign, (body, form));
    Ok((call, app.room.slots_for(request.method()).take_slot(&client).await?))
}

/// Counts a request of the token's holder; `None` if there is no limit.
fn count_request(app: &App, grant: &Grant) -> Option<Allowance> {
    let limiter = app.limiter.as_ref()?;
    Some(limiter.count_request(&rate::holder_key(grant.application, grant.company), Clock::monotonic()))
}

/// Refuses a query parameter named `client_secret`: URLs are recorded in many places.
fn refuse_secret_in_address(uri: &Uri) -> Result<(), Error> {
    let query = uri.query().unwrap_or_default();
    if form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "client_secret") {
        let message = "Do not put a client_secret in a URL: send it in the body.";
        return Err(Error::Unreadable(message.to_owned()));
    }
    Ok(())
}

/// Refuses a body that is compressed: nothing here decodes one.
fn refuse_coding(request: &Request) -> Result<(), Error> {
    let codings = request.headers().get_all(header::CONTENT_ENCODING).iter();
    let is_plain = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if reads || codings.into_iter().all(is_plain) { Ok(()) } else { Err(Error::Coded) }
}

/// Whether a request names one host in its target and another one in its header (RFC 9112, section 3.2.2): a proxy may have gone
/// by either.
fn names_two_hosts(request: &Request) -> bool {
    let Some(target) = request.uri().authority() else { return false };
    let header = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    header.is_some_and(|host| !host.eq_ignore_ascii_case(target.as_str()))
}

/// The caller, according to the token's grant.
fn caller_of(
    app: &App,
    request: &Request,
    grant: &Grant,
    (version, request_id): (ApiVersion, &Arc<str>),
) -> Caller {
    Caller {
        actor: Actor::Application(grant.application),
        company: grant.company.unwrap_or(Uuid::nil()),
        zone: grant.zone.clone(),
        version,
        consented: grant.user,
        scopes: grant.scopes,
        request_id: Arc::clone(request_id),
        ip: client_ip(app, request),
    }
}

/// The grant of the request's token. Requests without a valid token are counted by network address; above the limit,
/// only a token that was valid before is looked up, so that clients that share an address with an attacker keep
/// working.
async fn find_grant(app: &App, headers: &HeaderMap, from: IpAddr) -> Result<Arc<Grant>, Error> {
    let (place, now) = (rate::address_key(from), Clock::monotonic());
    if let Some(limiter) = &app.address_limiter {
        let wait = limiter.time_to_wait(&place, now);
        if !wait.is_zero() && !app.grants.was_good(headers) {
            return Err(Error::TooManyRequests(wait.as_secs() + 1));
        }
    }
    let found = app.grants.find_grant(headers).await;
    if matches!(found, Err(Error::Unauthorized(_) | Error::NoToken(_))) {
        Limiter::admit_request(app.address_limiter.as_ref(), &place, now)?;
    }
    found
}

/// Admits a request that needs no token, up to a limit per network address. Operators' endpoints have no limit, and the
/// token endpoint has its own.
fn admit_unnamed(app: &App, request: &Request, route: &str) -> Result<(), Error> {
    if FOR_OPERATORS.contains(&route) || ["/oauth/token", "/oauth/revoke"].contains(&route) {
        return Ok(());
    }
    let place = rate::address_key(client_ip(app, request));
    Limiter::admit_request(app.address_limiter.as_ref(), &place, Clock::monotonic())
}

fn check_permission(grant: &Grant, needs: &Requirement) -> Result<(), Error> {
    match (needs.access, grant.kind) {
        (Access::Company, TokenKind::System | TokenKind::Api) => {
            return Err(Error::WrongToken("This operation needs a company token; this is a system token."));
        }
        (Access::System, TokenKind::Company) => {
            return Err(Error::WrongToken("This operation needs a system token; this is a company token."));
        }
        _ => {}
    }
    match needs.scope {
        Some(scope) if !grant.scopes.contains(scope) => Err(Error::MissingScope(scope)),
        _ => Ok(()),
    }
}

/// Whether the route begins with a company and the path names one other than the token's.
fn names_another_company(route: &str, path: &str, grant: &Grant) -> bool {
    let prefix =
        ["/v1/companies/{", "/v1/partner_managed_companies/{"].into_iter().find(|p| route.starts_with(p));
    let Some(company) = grant.company.filter(|_| prefix.is_some()) else { return false };
    path.split('/').nth(3).map(id_of) != Some(company)
}

/// Whether the content type is JSON.
pub fn is_json(headers: &HeaderMap) -> bool {
    content_type_is(headers, "application/json")
}

/// Whether the content type is a form without files.
pub fn is_form(headers: &HeaderMap) -> bool {
    content_type_is(headers, "application/x-www-form-urlencoded")
}

/// Whether the content type is this media type, in any case and with any parameters (RFC 9110, 8.3.1).
fn content_type_is(headers: &HeaderMap, media_type: &str) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let named = value.and_then(|value| value.split(';').next());
    named.is_some_and(|named| named.trim().eq_ignore_ascii_case(media_type))
}

fn idempotency_key(
    request: &Request,
    grant: &Grant,
    body: impl FnOnce() -> Bytes,
) -> Result<Option<IdempotencyKey>, Error> {
    let Some(value) = request.headers().get(IDEMPOTENCY_KEY) else { return Ok(None) };
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(None);
    }
    let key = value.to_str().ok().filter(|key| (1..=idempotency::LONGEST).contains(&key.len())).ok_or_else(
        || {
            Error::Unreadable(format!(
                "An Idempotency-Key has 1 to {} visible characters.",
                idempotency::LONGEST
            ))
        },
    )?;
    let (method, uri) = (request.method().as_str(), request.uri());
    let path = canonical_path(uri.path());
    Ok(Some(IdempotencyKey::new(grant.application, method, (&path, uri.query()), key, body())))
}

/// A path in the one form that all spellings of it share: the same operation on the same record. Percent-encodings are decoded, segment
/// by segment, and ids are written in lower case.
fn canonical_path(path: &str) -> String {
    let segment = |raw: &str| {
        let text = percent_decode_str(raw).decode_utf8_lossy();
        // A segment that holds a slash must not become two.
        parse_id(&text).map_or_else(|| text.replace('%', "%25").replace('/', "%2F"), |id| id.to_string())
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// The client's network address; a proxy's header is used only if the operator configured one. An IPv4 client is the
/// same whether the listener or the proxy writes its address as IPv4 or as IPv6.
pub fn client_ip(app: &App, request: &Request) -> IpAddr {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let forwarded = if app.settings.behind_proxy { forwarded_for(request.headers()) } else { None };
    forwarded.or(peer).unwrap_or(IpAddr::from([0, 0, 0, 0])).to_canonical()
}

/// The address that the nearest proxy wrote. An unreadable one is logged once, because all clients are then counted as
/// the proxy.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    static TOLD: Once = Once::new();
    let value = headers.get_all(FORWARDED_FOR).iter().next_back()?;
    let written = value.to_str().ok().and_then(|value| address_in(value.rsplit(',').next()?.trim()));
    if written.is_none() {
        TOLD.call_once(|| {
            tracing::warn!("X-Forwarded-For holds no address: its clients count as the proxy that wrote it");
        });
    }
    written
}

/// An address as proxies write it: alone, in brackets, or with a port.
fn address_in(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|with_port| with_port.ip()))
}

/// The caller of a request without a token, with the request's own attributes.
pub fn anonymous_caller(app: &App, request: &Request) -> Caller {
    let nobody = Caller::for_service(Uuid::nil(), TimeZone::UTC);
    let name = request.extensions().get::<RequestName>();
    let request_id = name.map_or_else(|| Arc::from("unnamed"), |name| Arc::clone(&name.0));
    Caller { ip: client_ip(app, request), request_id, ..nobody }
}

/// The log line of a request. Successful reads are logged at `debug`, everything else at `info` or above.
fn log_request(
    method: &Method,
    route: &str,
    status: StatusCode,
    took: Duration,
    request_id: &str,
    context: &ResponseContext,
) {
    let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    let (application, company) =
        (context.application.map(tracing::field::display), context.company.map(tracing::field::display));
    let (status, cause) = (status.as_u16(), context.cause.as_deref());
    if !context.unread.is_empty() {
        let names = context.unread.join(", ");
        tracing::warn!(%method, route, request_id, application, names, "names of the request are not read");
    }
    if status >= 500 {
        tracing::error!(%method, route, status, micros, request_id, application, company, cause, "request");
    } else if status >= 400 || *method != Method::GET {
        tracing::info!(%method, route, status, micros, request_id, application, company, "request");
    } else {
        tracing::debug!(%method, route, status, micros, request_id, application, company, "request");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_refused_as_a_parameter_of_the_query_and_found_as_a_word() {
        let refused =
            |query: &str| refuse_secret_in_address(&format!("/v1/me?{query}").parse().unwrap()).is_err();
        for query in ["client_secret=s", "page=1&client_secret=s", "client_secret", "client%5Fsecret=s"] {
            assert!(refused(query), "{query}");
        }
        for query in ["search_term=client_secret", "search_term=my+client_secret%3D1", "client_secrets=s", ""]
        {
            assert!(!refused(query), "{query}");
        }
    }

    #[test]
    fn all_spellings_of_a_path_are_one() {
        let right = "/v1/companies/0197a1b2-0000-7000-8000-00000000dead/departments";
        for other in [
            right,
            "/v1/companies/0197A1B2-0000-7000-8000-00000000DEAD/departments",
            "/v1/companies/0197a1b2-0000-7000-8000-00000000dead/%64epartments",
            "/v1/%63ompanies/0197a1b2%2D0000-7000-8000-00000000dead/departments",
        ] {
            assert_eq!(canonical_path(other), right);
        }
        for (one, other) in [("/a%2Fb", "/a/b"), ("/a%252Fb", "/a%2Fb"), ("/a/", "/a")] {
            assert_ne!(canonical_path(one), canonical_path(other));
        }
    }

    #[test]
    fn a_request_names_one_host() {
        let asks = |target: &str, host: Option<&'static str>| {
            let mut request = Request::new(axum::body::Body::empty());
            *request.uri_mut() = target.parse().unwrap();
            if let Some(host) = host {
                request.headers_mut().insert(header::HOST, HeaderValue::from_static(host));
            }
            names_two_hosts(&request)
        };
        assert!(asks("http://pay.example/v1/me", Some("evil.example")));
        assert!(asks("http://pay.example:81/v1/me", Some("pay.example")));
        assert!(!asks("http://pay.example/v1/me", Some("PAY.example")));
        assert!(!asks("http://pay.example/v1/me", None) && !asks("/v1/me", Some("pay.example")));
    }

    #[test]
    fn what_every_request_carries_is_small_enough_to_be_copied() {
        // It is copied when it is boxed, once for each layer around the routes.
        fn size<A, B, C, F>(_: impl Fn(A, B, C) -> F) -> usize {
            size_of::<F>()
        }
        assert!(size(wrap_request) <= 2_048, "{}", size(wrap_request));
    }

    #[test]
    fn a_media_type_is_known_in_any_case_and_with_parameters() {
        let with = |value: &str| HeaderMap::from_iter([(header::CONTENT_TYPE, value.parse().unwrap())]);
        for form in ["application/x-www-form-urlencoded", "Application/X-WWW-Form-Urlencoded ; charset=utf-8"]
        {
            assert!(is_form(&with(form)) && !is_json(&with(form)), "{form}");
        }
        for other in ["application/x-www-form-urlencoded2", "application/json", "text/plain", ""] {
            assert!(!is_form(&with(other)), "{other}");
        }
        assert!(is_json(&with("APPLICATION/JSON;charset=utf-8")) && !is_json(&HeaderMap::new()));
    }

    #[test]
    fn the_address_of_a_client_is_read_as_proxies_write_it() {
        for (text, address) in [
            ("203.0.113.7", "203.0.113.7"),
            ("203.0.113.7:4711", "203.0.113.7"),
            ("2001:db8::7", "2001:db8::7"),
            ("[2001:db8::7]", "2001:db8::7"),
            ("[2001:db8::7]:4711", "2001:db8::7"),
            ("::ffff:203.0.113.7", "::ffff:203.0.113.7"),
        ] {
            assert_eq!(address_in(text), Some(address.parse().unwrap()), "{text}");
        }
        for text in ["", "unknown", "_hidden", "203.0.113", "203.0.113.7:", "[203.0.113.7"] {
            assert_eq!(address_in(text), None, "{text}");
        }
    }
}
