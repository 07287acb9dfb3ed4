//! Seals on the audit log, which make changes of entries detectable.
//!
//! Entries are written without a seal, so that no writer waits for one. Once an hour a job ([`seal_all`]) seals, for each company, the
//! entries since its last seal: a digest over them, in order, and over the previous seal, under a key that the database holds only wrapped
//! by the master key. Whoever changes, removes or inserts an entry, or removes a seal, cannot make the seals match again, and [`check_seal_chain`]
//! says where the chain is broken.
//!
//! Entries are sealed in order of their ids, which is the order of time, and only once they are older than [`SETTLED_MINUTES`]: by then
//! every unit that could still commit an earlier one has ended, and the clocks of nodes differ by less. If entries stay unsealed for hours
//! while the sealing job runs, or a company has no entry at all, seals were removed. What a chain cannot show is that its newest end was
//! cut off together with the entries; a seal recorded elsewhere can.

use jiff::{Timestamp, ToSpan};
use serde::Serialize;
use sha2::{Digest, Sha256};
use store::record::Cursor;
use store::{Row, Store, Tx, lowest_id, params};
use uuid::Uuid;

use super::Entry;
use crate::digest::hash_part;
use crate::error::Error;

store::statements! {
    // Reaches across companies: it reveals only which of them have entries.
    NEXT_COMPANY = "SELECT company_id FROM audit WHERE company_id > $1 ORDER BY company_id LIMIT 1";
    // Entries are of companies, none of which is ever deleted, or of nobody.
    NEXT_COMPANIES = "SELECT company_id FROM companies WHERE company_id > $1 ORDER BY company_id LIMIT $2";
    NEXT_SEALED = "SELECT company_id FROM audit_seals WHERE company_id > $1 ORDER BY company_id LIMIT 1";
    ENTRIES = "SELECT id, actor_kind, actor_id, action, entity_type, entity_id, request_id, from_ip, changes, created_at \
               FROM audit WHERE company_id = $1 AND id > $2 AND id <= $3 ORDER BY id LIMIT $4";
    SOME = "SELECT 1 FROM audit WHERE company_id = $1 AND id > $2 AND id <= $3 LIMIT 1";
    NEXT_OF_ALL = "SELECT company_id FROM companies WHERE company_id > $1 ORDER BY company_id LIMIT 1";
    EXISTS = "SELECT company_id FROM companies WHERE company_id = $1";
    FIRST_AFTER = "SELECT created_at FROM audit WHERE company_id = $1 AND id > $2 ORDER BY id LIMIT 1";
    // Nothing was sealed before its first attempt.
    SEALING = "SELECT due FROM jobs WHERE company_id = $1 AND kind = 'audit.sealed' AND attempt > 0 ORDER BY due LIMIT 1";
    AFTER = "SELECT count(*) FROM audit WHERE company_id = $1 AND id > $2";
    LAST = "SELECT number, through_id, entries, seal, created_at FROM audit_seals WHERE company_id = $1 ORDER BY number DESC LIMIT 1";
    NEXT = "SELECT number, through_id, entries, seal, created_at FROM audit_seals WHERE company_id = $1 AND number > $2 \
            ORDER BY number LIMIT 1";
    INSERT = "INSERT INTO audit_seals (company_id, number, through_id, entries, seal, created_at) VALUES ($1, $2, $3, $4, $5, $6)";
}

/// Minutes after which no earlier entry can be written any more.
const SETTLED_MINUTES: i64 = 10;
/// Hours between two sealings.
pub const EVERY_HOURS: i64 = 1;
/// Hours before the last sealing by which every entry must be sealed.
const LATEST: i64 = 2;
/// Maximum entries under one seal.
const AT_ONCE: i64 = 500;
/// Companies handled in one unit: a cluster asks all its servers for the next ones.
const COMPANIES_AT_ONCE: i64 = 200;
/// The purpose of the company's key here.
const CONTEXT: &str = "audit.seal";

/// A seal, as it is stored.
#[derive(Debug, Clone)]
pub struct Seal {
    /// its position in the chain, from 1
    pub number: i64,
    /// the last entry under it
    pub through: Uuid,
    /// how many entries are under it
    pub entries: i64,
    /// the keyed digest
    pub seal: Vec<u8>,
    /// creation time
    pub at: Timestamp,
}

impl Seal {
    fn read_seal(row: &Row<'_>) -> Result<Self, store::Error> {
        let mut next = Cursor::new(row, "audit_seals", 0);
        Ok(Self {
            number: next.read_plain("number")?,
            through: next.read_plain("through_id")?,
            entries: next.read_plain("entries")?,
            seal: next.read_plain("seal")?,
            at: next.read_plain("created_at")?,
        })
    }

    /// Before the first one.
    fn before_first() -> Self {
        Self { number: 0, through: Uuid::nil(), entries: 0, seal: Vec::new(), at: Timestamp::UNIX_EPOCH }
    }
}

/// The state of a company's chain.
#[derive(Debug, Clone, Serialize)]
pub struct Chain {
    /// the company; nil for entries without a company
    pub company: Uuid,
    /// number of valid seals
    pub seals: i64,
    /// number of entries under them
    pub entries: i64,
    /// number of entries that are too new to be sealed
    pub unsealed: i64,
    /// the newest valid seal, to be recorded elsewhere
    pub newest: Option<String>,
    /// the first mismatch; nothing after it is checked
    pub broken: Option<String>,
}

/// The newest seal of a company, if it has any.
pub fn newest_seal(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Seal>, Error> {
    Ok(tx.try_find(LAST, params![company], Seal::read_seal)?)
}

/// Seals the settled entries at `now`, of every company.
pub async fn seal_all(store: &Store, now: Timestamp) -> Result<(), Error> {
    let until = lowest_id(now - SETTLED_MINUTES.minutes());
    let mut after = None;
    loop {
        let looked = store.read(move |tx| companies_to_seal(tx, after, until)).await?;
        for company in looked.waiting {
            while store.write(move |tx| seal_some(tx, company, until)).await? {}
        }
        match looked.last {
            Some(last) => after = Some(last),
            None => return Ok(()),
        }
    }
}

/// The companies handled.
struct Looked {
    waiting: Vec<Uuid>,
    /// the last one handled, if there may be more
    last: Option<Uuid>,
}

/// The next companies after a cursor, and which of them have settled entries without a seal.
fn companies_to_seal(tx: &mut Tx<'_>, after: Option<Uuid>, until: Uuid) -> Result<Looked, Error> {
    let from = after.unwrap_or(Uuid::nil());
    let mut companies: Vec<Uuid> =
        tx.query_rows(NEXT_COMPANIES, params![from, COMPANIES_AT_ONCE], |row| row.get(0))?;
    let is_full = companies.len() as i64 == COMPANIES_AT_ONCE;
    let last = companies.last().copied().filter(|_| is_full);
    if after.is_none() {
        // Entries without a company.
        companies.insert(0, Uuid::nil());
    }
    let mut waiting = Vec::new();
    for company in companies {
        let sealed = newest_seal(tx, company)?.map_or(Uuid::nil(), |seal| seal.through);
        if tx.find_row(SOME, params![company, sealed, until], |_| ())?.is_some() {
            waiting.push(company);
        }
    }
    Ok(Looked { waiting, last })
}

fn next_company(tx: &mut Tx<'_>, after: Uuid) -> Result<Option<Uuid>, Error> {
    Ok(tx.find_row(NEXT_COMPANY, params![after], |row| row.get(0))?)
}

/// Adds one seal to a company's chain; returns whether there may be more to seal.
fn seal_some(tx: &mut Tx<'_>, company: Uuid, until: Uuid) -> Result<bool, Error> {
    tx.take_guard(company, "audit_seals", company)?;
    let before = newest_seal(tx, company)?.unwrap_or_else(Seal::before_first);
    let Some(next) = next_seal(tx, company, &before, until, AT_ONCE)? else { return Ok(false) };
    let now = tx.now();
    let row = params![company, next.number, next.through, next.entries, &next.seal, now];
    tx.insert_row(INSERT, row)?;
    Ok(next.entries == AT_ONCE)
}

/// The seal that follows another one, over at most `most` entries up to `until`; `None` if there are none.
fn next_seal(
    tx: &mut Tx<'_>,
    company: Uuid,
    before: &Seal,
    until: Uuid,
    most: i64,
) -> Result<Option<Seal>, Error> {
    let entries = tx.try_query(ENTRIES, params![company, before.through, until, most], |row| {
        let entry = Entry::read_entry(row)?;
        Ok::<_, store::Error>((entry.id, digest_of(&entry)))
    })?;
    let Some((through, _)) = entries.last() else { return Ok(None) };
    let (through, count) = (*through, i64::try_from(entries.len()).unwrap_or(i64::MAX));
    let number = before.number + 1;
    let mut all = Sha256::new();
    hash_part(&mut all, &before.seal);
    hash_part(&mut all, &number.to_be_bytes());
    for (_, entry) in &entries {
        hash_part(&mut all, entry);
    }
    let seal = tx.fingerprint(company, CONTEXT, &all.finalize())?.to_vec();
    Ok(Some(Seal { number, through, entries: count, seal, at: tx.now() }))
}

/// A digest over the whole content of an entry.
fn digest_of(entry: &Entry) -> [u8; 32] {
    let mut hash = Sha256::new();
    for id in [entry.id, entry.actor, entry.entity] {
        hash_part(&mut hash, id.as_bytes());
    }
    let Entry { actor_kind, action, entity_type, request_id, ip, changes, .. } = entry;
    for text in [actor_kind, action, entity_type, request_id, ip, changes] {
        hash_part(&mut hash, text.as_bytes());
    }
    hash_part(&mut hash, &entry.created_at.as_microsecond().to_be_bytes());
    hash.finalize().into()
}

/// Every company that exists, or that has entries or seals, after a cursor, by id.
pub async fn next(store: &Store, after: Option<Uuid>) -> Result<Option<Uuid>, Error> {
    let next = store.read(move |tx| {
        let Some(after) = after else { return Ok::<_, Error>(Some(Uuid::nil())) };
        let entries = next_company(tx, after)?;
        let seals: Option<Uuid> = tx.find_row(NEXT_SEALED, params![after], |row| row.get(0))?;
        let all: Option<Uuid> = tx.find_row(NEXT_OF_ALL, params![after], |row| row.get(0))?;
        Ok(entries.into_iter().chain(seals).chain(all).min())
    });
    next.await
}

/// Walks along a company's chain and recomputes each seal from the existing entries. A seal that was `noted` earlier must be among them.
///
/// # Errors
/// A store error, or a key that cannot be opened.
pub async fn check_seal_chain(store: &Store, company: Uuid, noted: Option<&str>) -> Result<Chain, Error> {
    let mut noted = noted.map(str::to_ascii_lowercase);
    let mut chain = Chain { company, seals: 0, entries: 0, unsealed: 0, newest: None, broken: None };
    let mut before = Seal::before_first();
    loop {
        let last = before.clone();
        match store.read(move |tx| check_next(tx, company, &last)).await? {
            Checked::Fits(seal) => {
                chain.seals += 1;
                chain.entries += seal.entries;
                let text = hex::encode(&seal.seal);
                noted.take_if(|noted| *noted == text);
                chain.newest = Some(text);
                before = seal;
            }
            Checked::Broken(why) => {
                chain.broken = Some(why);
                return Ok(chain);
            }
            Checked::End { unsealed } => {
                chain.unsealed = unsealed;
                if noted.is_some() {
                    chain.broken =
                        Some("the recorded seal is not in the chain: the end of the chain was cut off, or the seal is another company's".to_owned());
                }
                return Ok(chain);
            }
        }
    }
}

/// What the end of a chain shows by itself: a company without any entry, or entries that were not sealed when they were due. The job's next
/// due time shows when it last ran, so a store that is idle for a week is not reported.
fn check_chain_end(
    tx: &mut Tx<'_>,
    company: Uuid,
    last: &Seal,
    unsealed: i64,
) -> Result<Option<String>, Error> {
    if last.number == 0 && unsealed == 0 {
        let exists = tx.find_row(EXISTS, params![company], |_| ())?.is_some();
        return Ok(
            exists.then(|| "the company has no entries: they were removed with their seals".to_owned())
        );
    }
    let first = tx.find_row(FIRST_AFTER, params![company, last.through], |row| row.get::<Timestamp>(0))?;
    let next = tx.find_row(SEALING, params![Uuid::nil()], |row| row.get::<Timestamp>(0))?;
    let (Some(first), Some(next)) = (first, next) else { return Ok(None) };
    let ran = next - EVERY_HOURS.hours();
    Ok((first < ran - LATEST.hours()).then(|| {
        format!("entries since {first} are not sealed, although the sealing ran at {ran}: their seals were removed")
    }))
}

enum Checked {
    Fits(Seal),
    Broken(String),
    End { unsealed: i64 },
}

fn check_next(tx: &mut Tx<'_>, company: Uuid, before: &Seal) -> Result<Checked, Error> {
    let Some(stored) = tx.try_find(NEXT, params![company, before.number], Seal::read_seal)? else {
        let unsealed: i64 =
            tx.find_row(AFTER, params![company, before.through], |row| row.get(0))?.unwrap_or(0);
        return Ok(match check_chain_end(tx, company, before, unsealed)? {
            Some(why) => Checked::Broken(why),
            None => Checked::End { unsealed },
        });
    };
    let (number, at) = (stored.number, stored.at);
    if number != before.number + 1 {
        return Ok(Checked::Broken(format!("seal {} is missing before that of {at}", before.number + 1)));
    }
    // Reads one more than were sealed, so that an inserted entry is detected.
    let found = next_seal(tx, company, before, stored.through, stored.entries.saturating_add(1))?;
    let count = found.as_ref().map_or(0, |found| found.entries);
    let under = format!("under seal {number} of {at}");
    Ok(match found {
        _ if count < stored.entries => Checked::Broken(format!(
            "{} of {} entries are missing {under}",
            stored.entries - count,
            stored.entries
        )),
        _ if count > stored.entries => Checked::Broken(format!("an entry was added {under}")),
        Some(found) if found.seal == stored.seal && found.through == stored.through => Checked::Fits(stored),
        _ => Checked::Broken(format!("an entry, or the seal, was changed {under}")),
    })
}
