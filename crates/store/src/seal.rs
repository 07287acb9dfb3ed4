//! Encryption of single fields: those whose disclosure would harm a person if the database file were stolen.
//!
//! Each owner (a company, or an application) has its own data keys. A field is sealed with AES-256-GCM-SIV under its
//! owner's newest data key; the associated data name the table, owner, row, column and key, so that sealed bytes moved
//! to another place do not open. Data keys are stored in `data_keys`, wrapped by a master key that comes from a file or
//! the environment and never enters the database. Changing the master key rewraps the data keys and leaves the fields
//! as they are. Changing a data key reseals the fields and recomputes the digests of fields that are looked up
//! ([`rotation`]). Other digests stay under the owner's first data key: those of signed forms and of the audit log's seals could not
//! be recomputed.
//!
//! A sealed field is `key id (8 bytes) · nonce (12 bytes) · ciphertext and tag`.
//!
//! Data keys are cached only after the unit that read or created them was committed: a key created in a unit that is
//! rolled back must never seal anything.

mod check;
mod rotation;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use aes_gcm_siv::aead::{Aead, KeyInit, Payload};
use aes_gcm_siv::{Aes256GcmSiv, Nonce};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::{Clock, Error, Tx, params};

pub(crate) use check::{forget_others, verify_master_keys};
pub use rotation::{
    DigestColumn, RETIRE as RETIRE_DATA_KEYS, Rotation, SEALED_AT_ONCE, Sealed, SealedColumn,
};

/// The statements that check master keys.
pub(crate) const CHECKS: &[crate::Sql] = check::ALL;
/// The statements of a data key rotation.
pub(crate) const ROTATION: &[crate::Sql] = rotation::ALL;

crate::statements! {
    NEWEST_KEY = "SELECT key_id, wrapped, master_id FROM data_keys WHERE owner_id = $1 ORDER BY key_id DESC LIMIT 1";
    KEY_BY_ID = "SELECT key_id, wrapped, master_id FROM data_keys WHERE owner_id = $1 AND key_id = $2";
    INSERT_KEY = "INSERT INTO data_keys (owner_id, key_id, master_id, wrapped, created_at) VALUES ($1, $2, $3, $4, $5)";
    KEYS_OF_OTHER_MASTERS = "SELECT owner_id, key_id, wrapped, master_id FROM data_keys WHERE master_id <> $1 \
                             ORDER BY owner_id, key_id LIMIT $2";
    REWRAP = "UPDATE data_keys SET wrapped = $1, master_id = $2 WHERE owner_id = $3 AND key_id = $4 AND master_id = $5";
}

const NONCE: usize = 12;
const KEY_ID: usize = 8;
/// Data keys cached in memory; others are read from the database each time.
const KEYS_IN_MEMORY: usize = 10_000;
/// The data key under which those of an owner's digests are made that are never recomputed.
const FIRST_KEY: i64 = 1;
/// How long a node caches which of an owner's keys is the newest: after a rotation it seals under the previous key for
/// no longer than this.
const NEWEST_FOR: Duration = Duration::from_secs(30);
/// Keys rewrapped in one unit.
const REWRAP_AT_ONCE: i64 = 200;

/// The place of a sealed field. The sealed bytes open only for this place.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// the owner whose data key is used
    pub owner: Uuid,
    /// table name
    pub table: &'static str,
    /// identifier of the row
    pub row: Uuid,
    /// column name
    pub column: &'static str,
}

/// The keys that wrap data keys: the current one, and older ones that are still needed to open data keys.
#[derive(Clone)]
pub struct MasterKeys(Arc<Vec<MasterKey>>);

struct MasterKey {
    id: String,
    cipher: Aes256GcmSiv,
}

impl MasterKeys {
    /// Parses keys of 64 hexadecimal digits, one per line, the current one first; `#` begins a comment.
    ///
    /// # Errors
    /// One sentence that names the line, but never its content.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut keys = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim();
            if line.is_empty() {
                continue;
            }
            let bytes = Zeroizing::new(hex::decode(line).unwrap_or_default());
            let key: Zeroizing<[u8; 32]> =
                Zeroizing::new(bytes.as_slice().try_into().map_err(|_| {
                    format!("line {} is not a master key of 64 hexadecimal digits", number + 1)
                })?);
            keys.push(MasterKey {
                id: hex::encode(&Sha256::digest(key.as_slice())[..8]),
                cipher: cipher_for(&key),
            });
        }
        if keys.is_empty() {
            return Err("no master key was given; `stipend keys new` makes one".to_owned());
        }
        Ok(Self(Arc::new(keys)))
    }

    /// Returns an empty set of keys: for work that touches no sealed field.
    pub fn no_keys() -> Self {
        Self(Arc::default())
    }

    /// Generates a new key in the form that [`MasterKeys::parse`] reads.
    pub fn generate_key() -> Zeroizing<String> {
        let mut bytes = Zeroizing::new([0_u8; 32]);
        crate::ids::Randomness::new(None).begin_unit(jiff::Timestamp::UNIX_EPOCH).fill_bytes(bytes.as_mut());
        Zeroizing::new(hex::encode(bytes.as_slice()))
    }

    fn current_key(&self) -> Result<&MasterKey, Error> {
        self.0.first().ok_or(Error::Sealed("no master key was given"))
    }

    fn by_id(&self, id: &str) -> Result<&MasterKey, Error> {
        self.0.iter().find(|key| key.id == id).ok_or_else(|| Error::MissingKey(id.to_owned()))
    }
}

impl fmt::Debug for MasterKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|key| &key.id)).finish()
    }
}

/// An owner's data key, unwrapped.
pub(crate) struct DataKey {
    id: i64,
    cipher: Aes256GcmSiv,
    /// key for digests; derived from the data key, which it does not reveal
    fingerprint: Zeroizing<[u8; 32]>,
}

impl DataKey {
    fn new(id: i64, key: &Zeroizing<[u8; 32]>) -> Self {
        let fingerprint = Zeroizing::new(hmac_of_parts(key.as_slice(), &[b"stipend fingerprint"]));
        Self { id, cipher: cipher_for(key), fingerprint }
    }

    /// See [`Tx::lookup_digest`].
    fn lookup_digest(&self, context: &str, bytes: &[u8]) -> Vec<u8> {
        let digest = hmac_of_parts(self.fingerprint.as_slice(), &[context.as_bytes(), &[0], bytes]);
        [self.id.to_be_bytes().as_slice(), &digest].concat()
    }
}

/// The master keys, and the data keys unwrapped so far.
pub(crate) struct Keyring {
    masters: MasterKeys,
    opened: RwLock<Opened>,
}

/// Data keys by owner and number, and the number of each owner's newest key.
#[derive(Default)]
pub(crate) struct Opened {
    keys: HashMap<(Uuid, i64), Arc<DataKey>>,
    /// the newest key of an owner, and when it was read
    newest: HashMap<Uuid, (i64, Duration)>,
}

impl Opened {
    fn newest_data_key(&self, owner: Uuid) -> Option<Arc<DataKey>> {
        let (id, read) = self.newest.get(&owner)?;
        let fresh = Clock::monotonic().saturating_sub(*read) < NEWEST_FOR;
        self.keys.get(&(owner, *id)).filter(|_| fresh).cloned()
    }
}

impl Keyring {
    pub(crate) fn new(masters: MasterKeys) -> Self {
        Self { masters, opened: RwLock::default() }
    }

    pub(crate) fn remember_keys(&self, by_unit: Opened) {
        if by_unit.keys.is_empty() && by_unit.newest.is_empty() {
            return;
        }
        let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        if opened.keys.len() + by_unit.keys.len() > KEYS_IN_MEMORY {
            *opened = Opened::default();
        }
        opened.keys.extend(by_unit.keys);
        for (owner, (id, read)) in by_unit.newest {
            let known = opened.newest.entry(owner).or_insert((id, read));
            if known.0 <= id {
                *known = (id, read);
            }
        }
    }

    fn look_up<T>(&self, question: impl FnOnce(&Opened) -> T) -> T {
        question(&self.opened.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Tx<'_> {
    /// Seals a field for its place.
    ///
    /// # Errors
    /// A store error.
    pub fn seal_field(&mut self, place: Place, plain: &[u8]) -> Result<Vec<u8>, Error> {
        let key = self.newest_key(place.owner)?;
        self.seal_under(&key, |id| associated_data(place, id), plain)
    }

    fn seal_under(
        &mut self,
        key: &DataKey,
        place: impl Fn(i64) -> Vec<u8>,
        plain: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let nonce = self.random::<NONCE>();
        let payload = Payload { msg: plain, aad: &place(key.id) };
        let sealed = key
            .cipher
            .encrypt(&Nonce::from(nonce), payload)
            .map_err(|_| Error::Sealed("a field is too long to be sealed"))?;
        Ok([&key.id.to_be_bytes()[..], &nonce, &sealed].concat())
    }

    /// Opens a field that was sealed for this place.
    ///
    /// # Errors
    /// [`Error::Sealed`] when the bytes were changed or come from another place.
    pub fn unseal_field(&mut self, place: Place, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        self.unseal_at(place.owner, |id| associated_data(place, id), sealed)
    }

    fn unseal_at(
        &mut self,
        owner: Uuid,
        place: impl Fn(i64) -> Vec<u8>,
        sealed: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        let (head, body) =
            sealed.split_at_checked(KEY_ID + NONCE).ok_or(Error::Sealed("the field is cut short"))?;
        let (id, nonce) = head.split_at(KEY_ID);
        let id = i64::from_be_bytes(id.try_into().map_err(|_| Error::Sealed("the field is cut short"))?);
        let nonce: [u8; NONCE] = nonce.try_into().map_err(|_| Error::Sealed("the field is cut short"))?;
        let key = match self.last_key.take() {
            Some((of, key)) if (of, key.id) == (owner, id) => key,
            _ => self.data_key(owner, id)?,
        };
        let payload = Payload { msg: body, aad: &place(id) };
        let opened = key.cipher.decrypt(&Nonce::from(nonce), payload);
        self.last_key = Some((owner, key));
        let plain =
            opened.map_err(|_| Error::Sealed("the field was changed, or belongs to another place"))?;
        Ok(Zeroizing::new(plain))
    }

    /// As [`Tx::unseal_field`], for a field that is text.
    ///
    /// # Errors
    /// [`Error::Sealed`] when the bytes were changed, come from another place, or are not text.
    pub fn unseal_text(&mut self, place: Place, sealed: &[u8]) -> Result<Zeroizing<String>, Error> {
        let mut plain = self.unseal_field(place, sealed)?;
        let text = String::from_utf8(std::mem::take(&mut *plain));
        text.map(Zeroizing::new).map_err(|_| Error::Sealed("the field is not text"))
    }

    /// Returns a keyed digest under the owner's first data key: equal for equal inputs of one owner and context, and useless
    /// to anyone who has the database but not the master key.
    ///
    /// # Errors
    /// A store error.
    pub fn fingerprint(
        &mut self,
        owner: Uuid,
        context: &'static str,
        bytes: &[u8],
    ) -> Result<[u8; 32], Error> {
        // The newest key is loaded first, because that creates the first key of an owner without any.
        let newest = self.newest_key(owner)?;
        let key = if newest.id == FIRST_KEY { newest } else { self.data_key(owner, FIRST_KEY)? };
        Ok(hmac_of_parts(key.fingerprint.as_slice(), &[context.as_bytes(), &[0], bytes]))
    }

    /// Returns a digest by which a sealed field is found without opening any: equal for equal inputs of one owner and context under
    /// one data key, the newest, whose id it begins with. A rotation recomputes it.
    ///
    /// # Errors
    /// A store error.
    pub fn lookup_digest(
        &mut self,
        owner: Uuid,
        context: &'static str,
        bytes: &[u8],
    ) -> Result<Vec<u8>, Error> {
        // What this node remembers may be older than what another one has already written.
        let newest = self.read_newest_key(owner)?;
        Ok(newest.lookup_digest(context, bytes))
    }

    /// Returns the digests that a value may be stored under: by the newest data key, and, while a rotation has not recomputed all of
    /// them, by the one before (otherwise the same again).
    ///
    /// # Errors
    /// A store error.
    pub fn lookup_digests(
        &mut self,
        owner: Uuid,
        context: &'static str,
        bytes: &[u8],
    ) -> Result<[Vec<u8>; 2], Error> {
        let newest = self.read_newest_key(owner)?;
        let before = match self.find_row(KEY_BY_ID, params![owner, newest.id - 1], wrapped_key)? {
            Some(wrapped) => self.unwrap_key(owner, wrapped)?,
            None => Arc::clone(&newest),
        };
        Ok([newest.lookup_digest(context, bytes), before.lookup_digest(context, bytes)])
    }

    fn newest_key(&mut self, owner: Uuid) -> Result<Arc<DataKey>, Error> {
        let here = self.opened_keys().newest_data_key(owner);
        if let Some(key) =
            here.or_else(|| self.shared().keyring.look_up(|opened| opened.newest_data_key(owner)))
        {
            return Ok(key);
        }
        self.read_newest_key(owner)
    }

    fn read_newest_key(&mut self, owner: Uuid) -> Result<Arc<DataKey>, Error> {
        let read = Clock::monotonic();
        let key = match self.find_row(NEWEST_KEY, params![owner], wrapped_key)? {
            Some(wrapped) => match self.known_data_key(owner, wrapped.0) {
                Some(key) => {
                    self.opened_keys().keys.insert((owner, key.id), Arc::clone(&key));
                    key
                }
                None => self.unwrap_key(owner, wrapped)?,
            },
            None if self.may_write() => self.make_key(owner, FIRST_KEY)?,
            None => return Err(Error::Sealed("the owner has no data key yet")),
        };
        self.opened_keys().newest.insert(owner, (key.id, read));
        Ok(key)
    }

    fn data_key(&mut self, owner: Uuid, id: i64) -> Result<Arc<DataKey>, Error> {
        if let Some(key) = self.known_data_key(owner, id) {
            return Ok(key);
        }
        let wrapped = self
            .find_row(KEY_BY_ID, params![owner, id], wrapped_key)?
            .ok_or(Error::Sealed("the data key of the field is missing"))?;
        self.unwrap_key(owner, wrapped)
    }

    /// Returns a data key that this unit, or a committed one, has unwrapped.
    fn known_data_key(&mut self, owner: Uuid, id: i64) -> Option<Arc<DataKey>> {
        let here = self.opened_keys().keys.get(&(owner, id)).cloned();
        here.or_else(|| self.shared().keyring.look_up(|opened| opened.keys.get(&(owner, id)).cloned()))
    }

    fn unwrap_key(&mut self, owner: Uuid, (id, wrapped, master): WrappedKey) -> Result<Arc<DataKey>, Error> {
        let key = open_wrapped(self.shared().keyring.masters.by_id(&master)?, owner, id, &wrapped)?;
        let key = Arc::new(DataKey::new(id, &key));
        self.opened_keys().keys.insert((owner, id), Arc::clone(&key));
        Ok(key)
    }

    fn make_key(&mut self, owner: Uuid, id: i64) -> Result<Arc<DataKey>, Error> {
        let bytes = Zeroizing::new(self.random::<32>());
        let nonce = self.random::<NONCE>();
        let master = self.shared().keyring.masters.current_key()?;
        let wrapped = wrap_key(master, owner, id, nonce, &bytes)?;
        let now = self.now();
        self.insert_row(INSERT_KEY, params![owner, id, &master.id, &wrapped, now])?;
        let key = Arc::new(DataKey::new(id, &bytes));
        self.opened_keys().keys.insert((owner, id), Arc::clone(&key));
        Ok(key)
    }
}

/// Rewraps some data keys under the current master key; returns how many.
pub(crate) fn rewrap_some(tx: &mut Tx<'_>) -> Result<u64, Error> {
    let masters = tx.shared().keyring.masters.clone();
    let current = masters.current_key()?;
    let rows = tx.query_rows(KEYS_OF_OTHER_MASTERS, params![&current.id, REWRAP_AT_ONCE], |row| {
        (row.get::<Uuid>(0), row.get::<i64>(1), row.get::<Vec<u8>>(2), row.get::<String>(3))
    })?;
    for (owner, id, wrapped, master) in &rows {
        let key = open_wrapped(masters.by_id(master)?, *owner, *id, wrapped)?;
        let nonce = tx.random::<NONCE>();
        let again = wrap_key(current, *owner, *id, nonce, &key)?;
        // Another process may be rewrapping, too, with the same result, so it is fine if no row matches.
        let _moved_on = tx.change_rows(REWRAP, params![&again, &current.id, *owner, *id, master])?.rows();
    }
    Ok(rows.len() as u64)
}

type WrappedKey = (i64, Vec<u8>, String);

fn wrapped_key(row: &crate::Row<'_>) -> WrappedKey {
    (row.get(0), row.get(1), row.get(2))
}

fn wrap_key(
    master: &MasterKey,
    owner: Uuid,
    id: i64,
    nonce: [u8; NONCE],
    key: &[u8; 32],
) -> Result<Vec<u8>, Error> {
    seal_with(master, &wrapping_data(owner, id, &master.id), nonce, key)
        .ok_or(Error::Sealed("a data key could not be wrapped"))
}

fn open_wrapped(
    master: &MasterKey,
    owner: Uuid,
    id: i64,
    wrapped: &[u8],
) -> Result<Zeroizing<[u8; 32]>, Error> {
    const BROKEN: Error = Error::Sealed("a data key does not open with its master key");
    let key = open_with(master, &wrapping_data(owner, id, &master.id), wrapped).ok_or(BROKEN)?;
    Ok(Zeroizing::new(key.as_slice().try_into().map_err(|_| BROKEN)?))
}

/// Seals directly under a master key, for the place that `aad` names.
fn seal_with(master: &MasterKey, aad: &[u8], nonce: [u8; NONCE], plain: &[u8]) -> Option<Vec<u8>> {
    let sealed = master.cipher.encrypt(&Nonce::from(nonce), Payload { msg: plain, aad }).ok()?;
    Some([&nonce[..], &sealed].concat())
}

/// Opens what [`seal_with`] sealed for this place.
fn open_with(master: &MasterKey, aad: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let (nonce, body) = sealed.split_at_checked(NONCE)?;
    let nonce: [u8; NONCE] = nonce.try_into().ok()?;
    master.cipher.decrypt(&Nonce::from(nonce), Payload { msg: body, aad }).ok().map(Zeroizing::new)
}

fn wrapping_data(owner: Uuid, id: i64, master: &str) -> Vec<u8> {
    [b"data_keys", &owner.as_bytes()[..], &id.to_be_bytes(), master.as_bytes()].concat()
}

/// Table and column names are constants without NUL, so the concatenation is unambiguous.
fn associated_data(place: Place, key: i64) -> Vec<u8> {
    associated_with(place.owner, place.table, place.row, place.column, key)
}

fn associated_with(owner: Uuid, table: &str, row: Uuid, column: &str, key: i64) -> Vec<u8> {
    [table.as_bytes(), b"\0", owner.as_bytes(), row.as_bytes(), column.as_bytes(), b"\0", &key.to_be_bytes()]
        .concat()
}

fn cipher_for(key: &[u8; 32]) -> Aes256GcmSiv {
    Aes256GcmSiv::new(&(*key).into())
}

fn hmac_of_parts(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).expect("HMAC takes keys of every length");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}
