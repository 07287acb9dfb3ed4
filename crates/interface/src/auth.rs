//! Who is calling: from the Authorization header to what its token grants.
//!
//! A [`Grant`] is cached for at most a second, and dropped at once when it is revoked in this process. So a request
//! usually needs no look-up, and a revocation by another process takes effect within a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::{HeaderMap, header};
use domain::access::oauth::tokens;
use domain::access::tokens::{Grant, Token, TokenKind, find_token_grant};
use quick_cache::sync::Cache;
use store::{Clock, Store};

use crate::error::Error;

/// How long a grant is cached.
const FRESH: Duration = Duration::from_secs(1);
/// Grants kept in memory.
const GRANTS: usize = 10_000;
/// Maximum characters of a token; tokens of this service have 43.
const LONGEST: usize = 256;

/// Finds grants, in memory or in the store.
pub struct Grants {
    store: Store,
    known: Cache<[u8; 32], Arc<Grant>>,
    /// monotonic nanoseconds: grants cached before then are looked up again
    stale_before: AtomicU64,
}

impl Grants {
    /// Looks tokens up in `store`.
    pub fn new(store: Store) -> Self {
        Self { store, known: Cache::new(GRANTS), stale_before: AtomicU64::new(0) }
    }

    /// Whether the request carries a token that was valid recently, whatever its status is now.
    pub fn was_good(&self, headers: &HeaderMap) -> bool {
        authorization_credentials(headers)
            .is_ok_and(|(_, text)| self.known.get(&Token::hash_of(text)).is_some())
    }

    /// The grant of the request's token.
    ///
    /// # Errors
    /// 401 when there is no token, or it is unknown, expired, revoked or sent with the wrong scheme.
    pub async fn find_grant(&self, headers: &HeaderMap) -> Result<Arc<Grant>, Error> {
        let (scheme, text) = authorization_credentials(headers)?;
        let hash = Token::hash_of(text);
        let stale_before = Duration::from_nanos(self.stale_before.load(Ordering::Acquire));
        let is_fresh =
            |seen: Duration| seen > stale_before && Clock::monotonic().saturating_sub(seen) < FRESH;
        let known = self.known.get(&hash).filter(|grant| is_fresh(grant.seen));
        let grant = match known {
            Some(grant) => grant,
            None => {
                let found = self.store.read(move |tx| find_token_grant(tx, hash)).await?;
                let grant =
                    Arc::new(found.ok_or(Error::Unauthorized("The token is unknown or was revoked."))?);
                // An expired access token does not count as used: the refresh token before it stays valid.
                if !self.is_over(&grant) && self.note_first_use(&grant).await {
                    self.known.insert(hash, Arc::clone(&grant));
                }
                grant
            }
        };
        if self.is_over(&grant) {
            return Err(Error::Unauthorized("The token has expired; get a new one from POST /oauth/token."));
        }
        match (scheme, grant.kind) {
            (Scheme::Bearer, TokenKind::Company | TokenKind::System)
            | (Scheme::Token, TokenKind::Api | TokenKind::System) => Ok(grant),
            (Scheme::Bearer, TokenKind::Api) => {
                Err(Error::Unauthorized("An API token is sent as `Authorization: Token <token>`."))
            }
            (Scheme::Token, TokenKind::Company) => {
                Err(Error::Unauthorized("A company token is sent as `Authorization: Bearer <token>`."))
            }
            (_, TokenKind::Refresh) => {
                Err(Error::Unauthorized("A refresh token is good only for POST /oauth/token."))
            }
        }
    }

    fn is_over(&self, grant: &Grant) -> bool {
        grant.expires_at.is_some_and(|end| end <= self.store.clock().now())
    }

    /// The first use of a new pair revokes the refresh token for which it was issued. If that cannot be stored now, the
    /// grant is not cached, and the next use tries again.
    async fn note_first_use(&self, grant: &Grant) -> bool {
        let hash = grant.hash;
        if !grant.first_use {
            return true;
        }
        let noted: Result<(), domain::Error> =
            self.store.write(move |tx| tokens::confirm_token_use(tx, &hash)).await;
        if let Err(error) = &noted {
            tracing::warn!(?error, "the first use of a token could not be noted");
        }
        noted.is_ok()
    }

    /// Forgets a token that was revoked in this process.
    pub fn forget_token(&self, hash: &[u8; 32]) {
        self.known.remove(hash);
    }

    /// Makes every token be looked up again: needed after a revocation that does not know the tokens' texts. That they
    /// were valid recently is remembered.
    pub fn forget_all(&self) {
        let now = u64::try_from(Clock::monotonic().as_nanos()).unwrap_or(u64::MAX);
        self.stale_before.fetch_max(now, Ordering::AcqRel);
    }
}

#[derive(Debug, Clone, Copy)]
enum Scheme {
    Bearer,
    Token,
}

fn authorization_credentials(headers: &HeaderMap) -> Result<(Scheme, &str), Error> {
    const MISSING: Error =
        Error::NoToken("The request needs a token: `Authorization: Bearer <access token>`.");
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next().ok_or(MISSING)?.to_str().map_err(|_| MISSING)?;
    if values.next().is_some() {
        return Err(Error::Unauthorized("The request carries more than one Authorization header."));
    }
    const OTHER: Error = Error::NoToken(
        "The Authorization header must be `Bearer <access token>`: the word Bearer, a space, and the token.",
    );
    let (scheme, text) = value.split_once(' ').ok_or(OTHER)?;
    let text = text.trim();
    let scheme = match scheme {
        _ if text.is_empty() || text.len() > LONGEST => return Err(OTHER),
        scheme if scheme.eq_ignore_ascii_case("bearer") => Scheme::Bearer,
        scheme if scheme.eq_ignore_ascii_case("token") => Scheme::Token,
        _ => return Err(OTHER),
    };
    Ok((scheme, text))
}
