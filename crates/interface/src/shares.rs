//! Shares of what all clients use together: memory for bodies and responses, and slots for requests in progress.
//!
//! A client is a network address, and the holder of a token: an application, or an application for one company. Each
//! has at most a quarter of everything that is shared, so that others are served whatever one of them does.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use crate::error::Error;

/// One client may take this part of what is shared.
const PART: usize = 4;
/// What is as small as this is not held against a share: a client that reads a large response may still send a change.
/// Connections, of which one address has a quarter at most, bound how much that is.
const SMALL: usize = 16 << 10;
/// How long a request waits for a slot.
const SLOT_TIME: Duration = Duration::from_millis(200);

/// The part of `all` that one client may take.
pub fn share_per_client(all: usize) -> usize {
    (all / PART).max(1)
}

/// What a share belongs to: an IPv4 address, the IPv6 network of one customer, or the holder of a token.
/// Every request carries two of them.
type Owner = u64;

/// What an IPv4 address is counted under: its bits in a network that no IPv6 client comes from.
const IPV4: Owner = 0xffff << 48;

/// Whose request it is.
#[derive(Debug, Clone, Copy)]
pub struct Client {
    place: Owner,
    /// 0 if the token is not known
    holder: Owner,
}

/// The upper half of a number.
fn upper_half(bits: u128) -> Owner {
    (bits >> 64) as Owner
}

impl Client {
    /// The client at a network address, whose token is not known.
    pub fn at_address(ip: IpAddr) -> Self {
        let place = match ip.to_canonical() {
            IpAddr::V4(ip) => IPV4 | Owner::from(ip.to_bits()),
            IpAddr::V6(ip) => upper_half(ip.to_bits()),
        };
        Self { place, holder: 0 }
    }

    /// The same, with the holder of its token: an application, and the company of the token. Ids are random enough for
    /// two of them to be one number.
    #[must_use]
    pub fn with_holder(self, application: Uuid, company: Option<Uuid>) -> Self {
        let both = application.as_u128() ^ company.unwrap_or_default().as_u128().rotate_left(1);
        Self { holder: upper_half(both) ^ upper_half(both << 64), ..self }
    }

    fn share_owners(&self) -> impl Iterator<Item = Owner> {
        [Some(self.place), Some(self.holder).filter(|holder| *holder != 0)].into_iter().flatten()
    }
}

/// How much of something each client has.
#[derive(Debug)]
pub struct Shares {
    most: usize,
    taken: Mutex<HashMap<Owner, usize>>,
}

impl Shares {
    /// Shares of `all`.
    pub fn with_total(all: usize) -> Self {
        Self { most: share_per_client(all), taken: Mutex::default() }
    }

    fn lock_taken(&self) -> MutexGuard<'_, HashMap<Owner, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes `more` for a client that already has `own` of it for the same purpose. Whatever its size, one purpose is
    /// served: a client that has nothing else may exceed its share. Returns whether it was taken.
    pub fn take_share(&self, client: &Client, own: usize, more: usize, anyway: bool) -> bool {
        let anyway = anyway || own.saturating_add(more) <= SMALL;
        let mut taken = self.lock_taken();
        let exceeds = |owner: Owner| {
            let has = taken.get(&owner).copied().unwrap_or_default();
            has > own && has.saturating_add(more) > self.most
        };
        if !anyway && client.share_owners().any(exceeds) {
            return false;
        }
        client.share_owners().for_each(|owner| *taken.entry(owner).or_default() += more);
        true
    }

    /// Gives back.
    pub fn give_back(&self, client: &Client, bytes: usize) {
        let mut taken = self.lock_taken();
        for owner in client.share_owners() {
            if let Some(has) = taken.get_mut(&owner) {
                *has = has.saturating_sub(bytes);
                if *has == 0 {
                    taken.remove(&owner);
                }
            }
        }
    }
}

/// Slots for requests in progress.
pub struct Slots {
    all: Arc<Semaphore>,
    share: usize,
    clients: Mutex<HashMap<Owner, Arc<Semaphore>>>,
}

/// Whose share a slot is taken from, with what it has of it.
type Part = (Owner, Option<OwnedSemaphorePermit>);

/// A slot, which is released when this is dropped.
pub struct Slot {
    slots: Arc<Slots>,
    /// of its client, with what it has of their shares so far
    owners: Box<[Option<Part>; 2]>,
    all: Option<OwnedSemaphorePermit>,
}

impl Slots {
    /// This many slots.
    pub fn new(all: usize) -> Arc<Self> {
        Arc::new(Self {
            all: Arc::new(Semaphore::new(all)),
            share: share_per_client(all),
            clients: Mutex::default(),
        })
    }

    /// A slot for a request of this client. Waiting costs nothing, whereas a client refused at once would be back at
    /// once, and refusing it would take time from the requests in progress.
    ///
    /// # Errors
    /// 503 if none is free in time.
    pub async fn take_slot(self: &Arc<Self>, client: &Client) -> Result<Slot, Error> {
        if let Some(slot) = self.take_at_once(client) {
            return Ok(slot);
        }
        // Few requests wait, and what waits is larger than all else that each request carries.
        let waits = Box::pin(tokio::time::timeout(SLOT_TIME, self.wait_for_slot(client)));
        waits.await.unwrap_or(Err(Error::Store(store::Error::Busy)))
    }

    fn take_at_once(self: &Arc<Self>, client: &Client) -> Option<Slot> {
        let mut slot = self.slot_without_shares();
        for (held, owner) in slot.owners.iter_mut().zip(client.share_owners()) {
            let (_, permit) = held.insert((owner, None));
            *permit = Some(self.client_share(owner).try_acquire_owned().ok()?);
        }
        slot.all = Some(Arc::clone(&self.all).try_acquire_owned().ok()?);
        Some(slot)
    }

    /// The client's own share comes first: who waits for it takes nothing from others.
    async fn wait_for_slot(self: &Arc<Self>, client: &Client) -> Result<Slot, Error> {
        // Dropped with what it has if this wait is given up.
        let mut slot = self.slot_without_shares();
        for (held, owner) in slot.owners.iter_mut().zip(client.share_owners()) {
            let (_, permit) = held.insert((owner, None));
            *permit = Some(acquire_permit(self.client_share(owner)).await?);
        }
        slot.all = Some(acquire_permit(Arc::clone(&self.all)).await?);
        Ok(slot)
    }

    fn slot_without_shares(self: &Arc<Self>) -> Slot {
        Slot { slots: Arc::clone(self), owners: Box::default(), all: None }
    }

    /// The share of a client.
    fn client_share(&self, owner: Owner) -> Arc<Semaphore> {
        Arc::clone(self.lock_clients().entry(owner).or_insert_with(|| Arc::new(Semaphore::new(self.share))))
    }

    fn lock_clients(&self) -> MutexGuard<'_, HashMap<Owner, Arc<Semaphore>>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn acquire_permit(slots: Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Error> {
    slots.acquire_owned().await.map_err(|_| Error::Store(store::Error::Busy))
}

impl Drop for Slot {
    fn drop(&mut self) {
        drop(self.all.take());
        let mut clients = self.slots.lock_clients();
        for (owner, permit) in self.owners.iter_mut().filter_map(Option::take) {
            drop(permit);
            // Nobody else has one or waits for one: requests take theirs under this lock.
            if clients.get(&owner).is_some_and(|own| Arc::strong_count(own) == 1) {
                clients.remove(&owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(last: u8) -> Client {
        Client::at_address([192, 0, 2, last].into())
    }

    #[test]
    fn a_client_takes_a_quarter_by_address_and_by_token_and_one_large_thing() {
        let shares = Shares::with_total(100 << 20);
        let (token, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        assert!(shares.take_share(&at(1), 0, 20 << 20, false));
        assert!(!shares.take_share(&at(1), 0, 6 << 20, false), "more than a quarter from one address");
        assert!(shares.take_share(&at(1), 0, 6 << 20, true), "except what must be told");
        assert!(shares.take_share(&at(2).with_holder(token, None), 0, 25 << 20, false));
        assert!(
            !shares.take_share(&at(3).with_holder(token, None), 0, 1 << 20, false),
            "the token has its share already"
        );
        assert!(
            shares.take_share(&at(3).with_holder(token, Some(other)), 0, 1 << 20, false),
            "another company's has not"
        );
        assert!(shares.take_share(&at(4), 0, 80 << 20, false), "one that is larger than the share");
        assert!(shares.take_share(&at(4), 80 << 20, 10 << 20, false), "and grows");
        assert!(!shares.take_share(&at(4), 0, 1 << 20, false), "but nothing beside it");
        assert!(shares.take_share(&at(4), 0, 10 << 10, false), "except what is small");
        shares.give_back(&at(4), 10 << 10);
        shares.give_back(&at(4), 90 << 20);
        assert!(shares.take_share(&at(4), 0, 25 << 20, false));
        shares.give_back(&at(4), 25 << 20);
        shares.give_back(&at(1), 26 << 20);
        assert_eq!(shares.lock_taken().len(), 4, "who has nothing is forgotten");
    }

    #[test]
    fn the_network_of_a_customer_is_one_address() {
        let shares = Shares::with_total(8 << 20);
        let at = |text: &str| Client::at_address(text.parse().unwrap());
        assert!(shares.take_share(&at("2001:db8:1:2::1"), 0, 2 << 20, false));
        assert!(!shares.take_share(&at("2001:db8:1:2:ffff::9"), 0, 1 << 20, false));
        assert!(shares.take_share(&at("2001:db8:1:3::1"), 0, 1 << 20, false));
        assert!(shares.take_share(&at("203.0.113.7"), 0, 2 << 20, false));
        assert!(!shares.take_share(&at("::ffff:203.0.113.7"), 0, 1 << 20, false));
    }

    #[tokio::test]
    async fn a_client_has_a_quarter_of_the_slots_and_others_get_theirs() {
        let slots = Slots::new(8);
        let _first = slots.take_slot(&at(1)).await.unwrap();
        let second = slots.take_slot(&at(1)).await.unwrap();
        assert!(slots.take_slot(&at(1)).await.is_err(), "a third of eight");
        let _other = slots.take_slot(&at(2)).await.unwrap();
        drop(second);
        drop(slots.take_slot(&at(1)).await.unwrap());
        drop((_first, _other));
        assert!(slots.lock_clients().is_empty(), "who has none is forgotten");
    }
}
