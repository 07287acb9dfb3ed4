//! Checks that the given master keys belong to the store, before anything is sealed under a wrong one.
//!
//! For each master key that wraps data keys, the store contains a known value sealed under that key, and start-up opens
//! all of them: with a missing or wrong key, some companies' fields could not be read, and new companies would be sealed
//! under a key that no other node has. A store created before these values existed gets them at its next start, if the
//! keys open its data keys.

use uuid::Uuid;

use super::{MasterKey, MasterKeys, NONCE, open_with, open_wrapped, seal_with};
use crate::ids::Randomness;
use crate::tx::{Connection, Fault, GUARD};
use crate::{Clock, Error, Tx, params};

crate::statements! {
    CHECKS = "SELECT master_id, sealed FROM master_keys ORDER BY master_id";
    ADD_CHECK = "INSERT INTO master_keys (master_id, sealed, created_at) VALUES ($1, $2, $3) \
                 ON CONFLICT (master_id) DO NOTHING";
    MASTERS_IN_USE = "SELECT DISTINCT master_id FROM data_keys ORDER BY master_id";
    A_DATA_KEY = "SELECT owner_id, key_id, wrapped FROM data_keys WHERE master_id = $1 LIMIT 1";
    FORGET = "DELETE FROM master_keys WHERE master_id = $1";
}

/// The table of the data keys.
const KEYS: &str = "data_keys";

/// The known value.
const KNOWN: &[u8] = b"the master key of this store";

/// Checks that the keys belong to the store, and records the current one if it is new. Without any key there is nothing
/// to check: the process cannot seal anything.
pub(crate) fn verify_master_keys(
    connection: &mut dyn Connection,
    keys: &MasterKeys,
    clock: &Clock,
) -> Result<(), Error> {
    let Some(current) = keys.0.first() else { return Ok(()) };
    let mut kept = recorded_keys(connection).map_err(unread_check)?;
    if kept.is_empty() {
        note_first(connection, keys, clock)?;
        kept = recorded_keys(connection).map_err(unread_check)?;
    }
    let mut opened = false;
    for (master, sealed) in &kept {
        match keys.by_id(master) {
            Ok(given) => {
                let known = open_with(given, &check_place(master), sealed);
                if known.is_none_or(|known| *known != KNOWN) {
                    return Err(wrong_key(keys, master));
                }
                opened = true;
            }
            // A key that was recorded but wraps nothing is not needed.
            Err(_) if data_key(connection, master).map_err(unread_check)?.is_none() => {}
            Err(_) => return Err(missing_key(keys, master)),
        }
    }
    // A node that still had the old keys may have created a data key after its master key was forgotten.
    for master in all_in_use(connection).map_err(unread_check)? {
        if keys.by_id(&master).is_err() {
            return Err(missing_key(keys, &master));
        }
    }
    if !opened {
        let of_the_store: Vec<_> = kept.iter().map(|(master, _)| master.as_str()).collect();
        return Err(missing_key(keys, &of_the_store.join(", ")));
    }
    if kept.iter().all(|(master, _)| *master != current.id) {
        record_master_key(connection, current, clock)?;
    }
    Ok(())
}

fn unread_check(fault: Fault) -> Error {
    Error::Open(format!("the master key cannot be checked: {}", fault.into_error()))
}

/// Returns the recorded keys, each with its sealed known value.
fn recorded_keys(connection: &mut dyn Connection) -> Result<Vec<(String, Vec<u8>)>, Fault> {
    let mut kept = Vec::new();
    connection.query_rows(CHECKS, params![], &mut |row| kept.push((row.get(0), row.get(1))))?;
    Ok(kept)
}

/// Records the keys of a store that has none recorded: the current one, and those in use. If two nodes start for the
/// first time at the same moment, the second finds the first one's key, which may differ from its own.
fn note_first(connection: &mut dyn Connection, keys: &MasterKeys, clock: &Clock) -> Result<(), Error> {
    let alone = connection.one_writer();
    if !alone {
        connection.run_batch("BEGIN ISOLATION LEVEL READ COMMITTED").map_err(unread_check)?;
    }
    let done = note_all(connection, keys, clock, alone);
    if !alone {
        let end = if done.is_ok() { "COMMIT" } else { "ROLLBACK" };
        connection.run_batch(end).map_err(unread_check)?;
    }
    done
}

fn note_all(
    connection: &mut dyn Connection,
    keys: &MasterKeys,
    clock: &Clock,
    alone: bool,
) -> Result<(), Error> {
    if !alone {
        let nobody = Uuid::nil();
        connection.execute_statement(GUARD, params![nobody, "master_keys", nobody]).map_err(unread_check)?;
        if !recorded_keys(connection).map_err(unread_check)?.is_empty() {
            return Ok(());
        }
    }
    for master in all_in_use(connection).map_err(unread_check)? {
        let given = keys.by_id(&master).map_err(|_| missing_key(keys, &master))?;
        if let Some((owner, id, wrapped)) = data_key(connection, &master).map_err(unread_check)? {
            open_wrapped(given, owner, id, &wrapped).map_err(|_| wrong_key(keys, &master))?;
        }
        record_master_key(connection, given, clock)?;
    }
    match keys.0.first() {
        Some(current) => record_master_key(connection, current, clock),
        None => Ok(()),
    }
}

/// Forgets the master keys that no longer wrap any data key, so that they need not be supplied.
pub(crate) fn forget_others(tx: &mut Tx<'_>) -> Result<(), Error> {
    let current = tx.shared().keyring.masters.current_key()?.id.clone();
    let in_use = tx.query_rows(MASTERS_IN_USE, params![], |row| row.get::<String>(0))?;
    for master in tx.query_rows(CHECKS, params![], |row| row.get::<String>(0))? {
        if master != current && !in_use.contains(&master) {
            let _gone = tx.change_rows(FORGET, params![&master])?.rows();
        }
    }
    Ok(())
}

impl Tx<'_> {
    /// Returns a master key that wraps data keys of this store and was not supplied to this process; `None` also if the
    /// process has no keys at all, and so seals nothing.
    ///
    /// # Errors
    /// A store error.
    pub fn missing_master_key(&mut self) -> Result<Option<String>, Error> {
        let masters = self.shared().keyring.masters.clone();
        if masters.0.is_empty() {
            return Ok(None);
        }
        for master in self.query_rows(CHECKS, params![], |row| row.get::<String>(0))? {
            // A key that was recorded but wraps nothing is not needed.
            if masters.by_id(&master).is_err() && wraps_something(self, &master)? {
                return Ok(Some(master));
            }
        }
        Ok(None)
    }
}

/// Whether a data key is wrapped by this master key, as far as servers answer.
fn wraps_something(tx: &mut Tx<'_>, master: &str) -> Result<bool, Error> {
    let found = tx.query_by_server(&[KEYS], A_DATA_KEY, params![master], |_| Ok::<_, Error>(()))?;
    Ok(!found.is_empty())
}

fn all_in_use(connection: &mut dyn Connection) -> Result<Vec<String>, Fault> {
    let mut masters = Vec::new();
    // The companies of a server that does not answer are not served, whatever wraps their keys.
    connection.query_by_server(&[KEYS], MASTERS_IN_USE, params![], &mut |row| masters.push(row.get(0)))?;
    Ok(masters)
}

fn data_key(connection: &mut dyn Connection, master: &str) -> Result<Option<(Uuid, i64, Vec<u8>)>, Fault> {
    let mut found = None;
    connection.query_by_server(&[KEYS], A_DATA_KEY, params![master], &mut |row| {
        found = Some((row.get(0), row.get(1), row.get(2)));
    })?;
    Ok(found)
}

fn record_master_key(
    connection: &mut dyn Connection,
    master: &MasterKey,
    clock: &Clock,
) -> Result<(), Error> {
    let now = clock.now();
    // Not drawn from the seeded sequence: whether a key is recorded must not change any identifier.
    let mut nonce = [0; NONCE];
    Randomness::new(None).begin_unit(now).fill_bytes(&mut nonce);
    let sealed = seal_with(master, &check_place(&master.id), nonce, KNOWN)
        .ok_or(Error::Sealed("the master key could not be recorded"))?;
    let noted = connection.execute_statement(ADD_CHECK, params![&master.id, &sealed, now]);
    noted
        .map(drop)
        .map_err(|fault| Error::Open(format!("the master key cannot be recorded: {}", fault.into_error())))
}

fn check_place(master: &str) -> Vec<u8> {
    [b"master_keys\0", master.as_bytes()].concat()
}

/// Returns the error for a missing key. It names keys by a stored digest, which opens nothing.
fn missing_key(keys: &MasterKeys, master: &str) -> Error {
    Error::Open(format!(
        "the master key is not that of this store: it needs {master}, and was given {}",
        keys.0.iter().map(|key| key.id.as_str()).collect::<Vec<_>>().join(", ")
    ))
}

fn wrong_key(keys: &MasterKeys, master: &str) -> Error {
    Error::Open(format!("{}, which does not open it: the store was changed", missing_key(keys, master)))
}
