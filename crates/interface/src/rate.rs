//! Rate limits for an application or a network address: a number of requests in any 60 seconds, counted exactly and per
//! node.
//!
//! For each of them the moments of its last `limit` requests are kept; a request is let through when the oldest of
//! them is a minute old. Time is the real monotonic clock: a test clock moves no limit on the network.

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
/// Tokens or places that are counted at once; the least used one is forgotten first.
const TOKENS: usize = 10_000;

/// Counts requests of each token or place.
pub struct Limiter {
    limit: usize,
    windows: Cache<[u8; 32], Arc<Mutex<VecDeque<Duration>>>>,
}

/// What stands for a place in the network: one address, or for IPv6 the network that one customer has. An address of IPv4 that is
/// written as one of IPv6 is what it stands for: all of these begin alike.
pub fn place(ip: IpAddr) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix(b"place\0");
    match ip.to_canonical() {
        IpAddr::V4(ip) => hash.update(ip.octets()),
        IpAddr::V6(ip) => hash.update(&ip.octets()[..8]),
    }
    hash.finalize().into()
}

/// The holder of a token, whose requests are counted together: an application, or an application for one company. However many tokens
/// it has, they count together.
pub fn holder(application: Uuid, company: Option<Uuid>) -> [u8; 32] {
    let hash = Sha256::new_with_prefix(b"holder\0").chain_update(application);
    hash.chain_update(company.unwrap_or(Uuid::nil())).finalize().into()
}

/// What stands for a host that is called.
pub fn host(name: &str) -> [u8; 32] {
    Sha256::new_with_prefix(b"host\0").chain_update(name.to_ascii_lowercase()).finalize().into()
}

/// What the answer to a request says about its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// requests in 60 seconds
    pub limit: usize,
    /// how many are left
    pub remaining: usize,
    /// until one more is free, or the first that was counted is forgotten
    pub reset: Duration,
    /// whether this request is let through
    pub allowed: bool,
}

impl Limiter {
    /// A limiter; 0 is no limit.
    pub fn new(limit: usize) -> Option<Self> {
        (limit > 0).then(|| Self { limit, windows: Cache::new(TOKENS) })
    }

    /// Until one more is let through; zero when it would be now. Counts nothing.
    pub fn wait(&self, token: &[u8; 32], now: Duration) -> Duration {
        let Some(window) = self.windows.get(token) else { return Duration::ZERO };
        let times = window.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = times.len().checked_sub(self.limit).and_then(|first| times.get(first));
        oldest.map_or(Duration::ZERO, |first| (*first + WINDOW).saturating_sub(now))
    }

    /// Counts a request where there is a limit, and refuses one too many.
    ///
    /// # Errors
    /// 429, with the time to wait.
    pub fn admit(limiter: Option<&Self>, of: &[u8; 32], now: Duration) -> Result<(), Error> {
        match limiter.map(|limiter| limiter.count(of, now)) {
            Some(verdict) if !verdict.allowed => Err(Error::TooManyRequests(verdict.reset.as_secs() + 1)),
            _ => Ok(()),
        }
    }

    /// Counts a request of `token` at `now`.
    pub fn count(&self, token: &[u8; 32], now: Duration) -> Allowance {
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
        let at = |second: u64| limiter.count(&[1; 32], Duration::from_secs(second));
        assert!((0..200).all(|n| at(n / 10).allowed));
        assert!(!at(20).allowed);
        assert!(!at(59).allowed);
        assert!(at(60).allowed, "the ten of the first second are a minute old");
        assert_eq!(at(60).remaining, 8);
    }

    #[test]
    fn one_token_does_not_use_up_what_belongs_to_another() {
        let limiter = Limiter::new(1).unwrap();
        assert!(limiter.count(&[1; 32], Duration::ZERO).allowed);
        assert!(!limiter.count(&[1; 32], Duration::ZERO).allowed);
        assert!(limiter.count(&[2; 32], Duration::ZERO).allowed);
    }

    #[test]
    fn a_look_counts_nothing_and_tells_how_long_to_wait() {
        let limiter = Limiter::new(2).unwrap();
        let wait = |second| limiter.wait(&[1; 32], Duration::from_secs(second));
        assert!((0..9).all(|_| wait(0).is_zero()));
        limiter.count(&[1; 32], Duration::from_secs(1));
        limiter.count(&[1; 32], Duration::from_secs(11));
        assert_eq!((wait(21), wait(61)), (Duration::from_secs(40), Duration::ZERO));
    }

    #[test]
    fn a_place_is_an_address_or_the_network_of_a_customer() {
        let at = |text: &str| place(text.parse().unwrap());
        assert_ne!(at("203.0.113.7"), at("203.0.113.8"));
        assert_eq!(at("2001:db8:1:2::1"), at("2001:db8:1:2:ffff::9"));
        assert_ne!(at("2001:db8:1:2::1"), at("2001:db8:1:3::1"));
        assert_eq!(at("::ffff:203.0.113.7"), at("203.0.113.7"));
        assert_ne!(at("::ffff:203.0.113.7"), at("::ffff:203.0.113.8"));
    }

    #[test]
    fn an_application_counts_by_itself_and_for_each_company() {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let holders =
            [holder(one, None), holder(one, Some(one)), holder(one, Some(other)), holder(other, None)];
        let all: std::collections::HashSet<_> = holders.iter().collect();
        assert_eq!(all.len(), holders.len());
    }

    #[test]
    fn without_a_limit_nothing_is_counted() {
        assert!(Limiter::new(0).is_none());
    }
}
