//! The limit on connections, in total and per network address, so that one client cannot use up all of them. A few more are
//! kept for those who ask whether the service lives and can serve.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use interface::rate;

/// Connections beyond the limits, and how many of them one network address may have.
const SPARE: usize = 8;
const SPARE_EACH: usize = 2;

/// The slots for connections.
pub struct Places {
    all: usize,
    /// per network address; 0 for no separate limit
    each: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    all: usize,
    by_place: HashMap<[u8; 32], usize>,
}

/// A slot, which is released when this is dropped.
pub struct Place {
    places: Arc<Places>,
    of: [u8; 32],
}

/// Why there is no slot.
#[derive(Debug, PartialEq, Eq)]
pub enum Full {
    /// all are in use
    All,
    /// the client has reached its limit
    Each,
}

impl Places {
    /// With a total, and a limit per network address.
    pub fn new(all: usize, each: usize) -> Arc<Self> {
        Arc::new(Self { all, each, taken: Mutex::default() })
    }

    /// A slot for a connection from this address.
    pub fn take_slot(self: &Arc<Self>, from: IpAddr) -> Result<Place, Full> {
        let of = rate::address_key(from);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.all >= self.all {
            return Err(Full::All);
        }
        let here = taken.by_place.get(&of).copied().unwrap_or_default();
        if self.each > 0 && here >= self.each {
            return Err(Full::Each);
        }
        taken.all += 1;
        taken.by_place.insert(of, here + 1);
        Ok(Place { places: Arc::clone(self), of })
    }
}

/// The slots for connections beyond the limits.
pub fn spare_slots() -> Arc<Places> {
    Places::new(SPARE, SPARE_EACH)
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.all -= 1;
        if let Some(here) = taken.by_place.get_mut(&self.of) {
            *here -= 1;
            if *here == 0 {
                taken.by_place.remove(&self.of);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_client_has_its_share_and_others_theirs_until_all_is_taken() {
        let places = Places::new(3, 2);
        let from = |text: &str| places.take_slot(text.parse().unwrap());
        let first = from("192.0.2.1").unwrap();
        let _second = from("::ffff:192.0.2.1").unwrap();
        assert_eq!(from("192.0.2.1").err(), Some(Full::Each));
        let third = from("192.0.2.2").unwrap();
        assert_eq!(from("192.0.2.3").err(), Some(Full::All));
        drop((first, third));
        assert!(from("192.0.2.1").is_ok());
        assert_eq!(places.taken.lock().unwrap().by_place.len(), 1, "who has left is forgotten");
    }

    #[test]
    fn without_a_share_one_client_may_have_all() {
        let places = Places::new(3, 0);
        let held: Vec<_> = (0..3).map(|_| places.take_slot([192, 0, 2, 1].into()).ok().unwrap()).collect();
        assert_eq!(held.len(), 3);
    }
}
