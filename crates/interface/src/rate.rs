//! Rate limits for an application or a network address: a number of requests in any 60 seconds, counted exactly and per
//! node.
//!
//! For each of them the times of its last `limit` requests are kept; a request is admitted when the oldest of them is a
//! minute old. Time is the real monotonic clock: the test clock does not affect limits.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::error::Error;

const WINDOW: Duration = Duration::from_secs(60);
/// Maximum of tokens and addresses tracked; the least recently used one is forgotten first.
const TOKENS: usize = 10_000;

/// Counts the requests of each token or address.
pub struct Limiter {
    limit: usize,
    windows: Cache<[u8; 32], Arc<Mutex<VecDeque<Duration>>>>,
}

/// The key of a network address: one IPv4 address, or the IPv6 network of one customer. An IPv4 address that is written
/// as an IPv6 one is treated as IPv4: all of those share a prefix.
pub fn address_key(ip: IpAddr) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix(b"place\0");
    match ip.to_canonical() {
        IpAddr::V4(ip) => hash.update(ip.octets()),
        IpAddr::V6(ip) => hash.update(&ip.octets()[..8]),
    }
    hash.finalize().into()
}

/// The key of a token's holder: an application, or an application for one company. All tokens of a holder share one
/// limit.
pub fn holder_key(application: Uuid, company: Option<Uuid>) -> [u8; 32] {
    let hash = Sha256::new_with_prefix(b"holder\0").chain_update(application);
    hash.chain_update(company.unwrap_or(Uuid::nil())).finalize().into()
}

/// The key of a host that is called.
pub fn host_key(name: &str) -> [u8; 32] {
    Sha256::new_with_prefix(b"host\0").chain_update(name.to_ascii_lowercase()).finalize().into()
}

/// What the response to a request says about its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// requests in 60 seconds
    pub limit: usize,
    /// requests left
    pub remaining: usize,
    /// time until another request is free, or until the first one counted expires
    pub reset: Duration,
    /// whether this request is admitted
    pub allowed: bool,
}

impl Limiter {
    /// A limiter; 0 is no limit.
    pub fn new(limit: usize) -> Option<Self> {
        (limit > 0).then(|| Self { limit, windows: Cache::new(TOKENS) })
    }

    /// Time until another request is admitted; zero if it would be now. Does not count one.
    pub fn time_to_wait(&self, token: &[u8; 32], now: Duration) -> Duration {
        let Some(window) = self.windows.get(token) else { return Duration::ZERO };
        let times = window.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = times.len().checked_sub(self.limit).and_then(|first| times.get(first));
        oldest.map_or(Duration::ZERO, |first| (*first + WINDOW).saturating_sub(now))
    }

    /// Counts a request if there is a limit, and refuses it if the limit is exceeded.
    ///
    /// # Errors
    /// 429, with the time to wait.
    pub fn admit_request(limiter: Option<&Self>, of: &[u8; 32], now: Duration) -> Result<(), Error> {
        match limiter.map(|limiter| limiter.count_request(of, now)) {
            Some(verdict) if !verdict.allowed => Err(Error::TooManyRequests(verdict.reset.as_secs() + 1)),
            _ => Ok(()),
        }
    }

    /// Counts a request of `token` at `now`.
    pub fn count_request(&self, token: &[u8; 32], now: Duration) -> Allowance {
        let window = self.windows.get_or_insert_with(token, || Ok::<_, Infallible>(Arc::default()));
        let Ok(window) = window;
        let mut times = window.lock().unwrap_or_else(PoisonError::into_inner);
        while times.front().is_some_and(|first| now.saturating_sub(*first) >= WINDOW) {
            times.pop_front();
        }
        let allowed = times.len() < self.limit;
        if allowed {
            times.push_back(now);
        }
        let reset = times.front().map_or(Duration::ZERO, |first| (*first + WINDOW).saturating_sub(now));
        Allowance { limit: self.limit, remaining: self.limit - times.len(), reset, allowed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_allowed_number_passes_in_any_sixty_seconds() {
        let limiter = Limiter::new(200).unwrap();
        let at = |second: u64| limiter.count_request(&[1; 32], Duration::from_secs(second));
        assert!((0..200).all(|n| at(n / 10).allowed));
        assert!(!at(20).allowed);
        assert!(!at(59).allowed);
        assert!(at(60).allowed, "the ten of the first second are a minute old");
        assert_eq!(at(60).remaining, 8);
    }

    #[test]
    fn one_token_does_not_use_up_what_belongs_to_another() {
        let limiter = Limiter::new(1).unwrap();
        assert!(limiter.count_request(&[1; 32], Duration::ZERO).allowed);
        assert!(!limiter.count_request(&[1; 32], Duration::ZERO).allowed);
        assert!(limiter.count_request(&[2; 32], Duration::ZERO).allowed);
    }

    #[test]
    fn a_look_counts_nothing_and_tells_how_long_to_wait() {
        let limiter = Limiter::new(2).unwrap();
        let wait = |second| limiter.time_to_wait(&[1; 32], Duration::from_secs(second));
        assert!((0..9).all(|_| wait(0).is_zero()));
        limiter.count_request(&[1; 32], Duration::from_secs(1));
        limiter.count_request(&[1; 32], Duration::from_secs(11));
        assert_eq!((wait(21), wait(61)), (Duration::from_secs(40), Duration::ZERO));
    }

    #[test]
    fn a_place_is_an_address_or_the_network_of_a_customer() {
        let at = |text: &str| address_key(text.parse().unwrap());
        assert_ne!(at("203.0.113.7"), at("203.0.113.8"));
        assert_eq!(at("2001:db8:1:2::1"), at("2001:db8:1:2:ffff::9"));
        assert_ne!(at("2001:db8:1:2::1"), at("2001:db8:1:3::1"));
        assert_eq!(at("::ffff:203.0.113.7"), at("203.0.113.7"));
        assert_ne!(at("::ffff:203.0.113.7"), at("::ffff:203.0.113.8"));
    }

    #[test]
    fn an_application_counts_by_itself_and_for_each_company() {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let holders = [
            holder_key(one, None),
            holder_key(one, Some(one)),
            holder_key(one, Some(other)),
            holder_key(other, None),
        ];
        let all: std::collections::HashSet<_> = holders.iter().collect();
        assert_eq!(all.len(), holders.len());
    }

    #[test]
    fn without_a_limit_nothing_is_counted() {
        assert!(Limiter::new(0).is_none());
    }
}
