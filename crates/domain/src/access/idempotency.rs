//! The same request twice has one effect and one answer.
//!
//! A POST, PUT or DELETE may carry an `Idempotency-Key`. The first answer is stored, sealed, in the transaction of the
//! change; a repetition gets it again. The look-up and the storing are one unit of work, and the row's key lets one
//! unit store it: of two at once, the second is rolled back, run again, and then finds the first one's answer. A
//! repetition touches the row before it answers: on a replicated database that write proves that the first one was
//! replicated, too. An answer is shaped by the version that is asked for and by what the token may see, so that a repetition
//! has to ask in the same way.
//!
//! Only 2xx answers are kept, for 24 hours: a refusal changed nothing and may be right the next time.

use jiff::{Timestamp, ToSpan};
use rules::{Category, Violation};
use sha2::{Digest, Sha256};
use store::record::Cursor;
use store::{Json, Place, Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::digest;
use crate::error::Error;
use crate::paging::Paging;

store::statements! {
    FIND = "SELECT id, fingerprint, status, answer, created_at, paging FROM idempotency WHERE owner_id = $1 AND digest = $2";
    KEEP = "INSERT INTO idempotency (owner_id, digest, id, fingerprint, status, answer, created_at, touched_at, paging) \
            VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8)";
    TOUCH = "UPDATE idempotency SET touched_at = $1 WHERE owner_id = $2 AND digest = $3";
    FORGET = "DELETE FROM idempotency WHERE owner_id = $1 AND digest = $2";
}

const TABLE: &str = "idempotency";

/// Maximum characters of a key.
pub const LONGEST: usize = 255;
/// Statuses of answers that are kept.
const KEPT: std::ops::Range<u16> = 200..300;
/// How long an answer is given again.
const KEPT_HOURS: i64 = 24;

/// Bytes of a digest: enough that no two requests of one caller ever share it.
const DIGEST: usize = 16;
/// Characters with which a key of the same few milliseconds begins, where keys are made of the time (UUID version 7).
const SAME_TIME: usize = 12;
/// Characters in which keys differ that are counted.
const COUNTED: usize = 3;

/// A request that may be repeated, with its body.
#[derive(Debug, Clone)]
pub struct Key<B> {
    /// identifies caller, method, path and key
    digest: [u8; DIGEST],
    /// what was sent, to notice another body under the same key
    body: B,
    /// what was asked for beside the path
    query: String,
}

impl<B: AsRef<[u8]>> Key<B> {
    /// The key of a request of `application`: its method, the path and query that it asks for, the key that it carries, and what was
    /// sent.
    ///
    /// Digests lie in no order, so that storing one costs a page of its own. Those of keys that begin alike therefore
    /// begin alike, too: an application whose keys are counted, or made of the time, shares pages among its requests,
    /// whichever company they are about, and one whose keys are random pays for each as before.
    pub fn new(
        application: Uuid,
        method: &str,
        (path, query): (&str, Option<&str>),
        key: &str,
        body: B,
    ) -> Self {
        let bytes = key.as_bytes();
        let before_count = bytes.len().saturating_sub(COUNTED);
        let application = application.as_bytes();
        let same_time = sha256_of_parts(&[application, &bytes[..before_count.min(SAME_TIME)]]);
        let counted = sha256_of_parts(&[application, &bytes[..before_count]]);
        let whole = sha256_of_parts(&[application, method.as_bytes(), path.as_bytes(), bytes]);
        let mut digest = [0; DIGEST];
        digest[..2].copy_from_slice(&same_time[..2]);
        digest[2..5].copy_from_slice(&counted[..3]);
        digest[5..].copy_from_slice(&whole[..DIGEST - 5]);
        Self { digest, body, query: query.unwrap_or_default().to_owned() }
    }

    /// Everything that shaped the answer.
    fn request_fingerprint_input(&self, caller: &Caller) -> Vec<u8> {
        let scopes = caller.scopes.fingerprint().to_be_bytes();
        let body = self.body.as_ref();
        let parts = [caller.version.as_str().as_bytes(), &scopes, self.query.as_bytes(), body];
        let mut asked = Vec::with_capacity(body.len() + 64);
        parts.iter().for_each(|part| {
            asked.extend_from_slice(&(part.len() as u64).to_be_bytes());
            asked.extend_from_slice(part);
        });
        asked
    }
}

fn sha256_of_parts(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| digest::hash_part(&mut hash, part));
    hash.finalize().into()
}

/// An answer that is ready to be sent.
#[derive(Debug, Clone)]
pub struct Answer {
    /// its status under HTTP
    pub status: u16,
    /// JSON, or nothing
    pub body: Vec<u8>,
    /// the page of a list that it is, where it is one
    pub paging: Paging,
}

/// Gives the first answer again, or makes and stores it.
///
/// # Errors
/// 422 when the key was used with another body, version or token of other scopes; what `first` gives.
pub fn answer_once<B: AsRef<[u8]>>(
    tx: &mut Tx<'_>,
    caller: &Caller,
    key: &Key<B>,
    first: impl FnOnce(&mut Tx<'_>) -> Result<Answer, Error>,
) -> Result<Answer, Error> {
    let fingerprint =
        tx.fingerprint(caller.data_key_owner(), TABLE, &key.request_fingerprint_input(caller))?;
    match find_stored_answer(tx, caller.data_key_owner(), key)? {
        Some(kept) => repeat_answer(tx, (caller.data_key_owner(), key), &fingerprint, kept),
        None => {
            let answer = first(tx)?;
            // Only 2xx answers are kept, even where the unit commits something, such as a counted wrong answer.
            if KEPT.contains(&answer.status) {
                store_answer(tx, (caller.data_key_owner(), key), &fingerprint, &answer)?;
            }
            Ok(answer)
        }
    }
}

/// An answer as it was stored.
struct Kept {
    id: Uuid,
    fingerprint: Vec<u8>,
    status: i64,
    sealed: Vec<u8>,
    created_at: Timestamp,
    paging: Paging,
}

fn answer_place(owner: Uuid, row: Uuid) -> Place {
    Place { owner, table: TABLE, row, column: "answer" }
}

/// The answer that is kept under a key. One that is too old is deleted, so that the request counts as the first.
fn find_stored_answer<B>(tx: &mut Tx<'_>, owner: Uuid, key: &Key<B>) -> Result<Option<Kept>, Error> {
    let digest = key.digest.as_slice();
    let found = tx.try_find(FIND, params![owner, digest], |row| {
        let mut next = Cursor::new(row, TABLE, 0);
        Ok::<_, store::Error>(Kept {
            id: next.read_plain("id")?,
            fingerprint: next.read_plain("fingerprint")?,
            status: next.read_plain("status")?,
            sealed: next.read_plain("answer")?,
            created_at: next.read_plain("created_at")?,
            paging: next.json_or_null("paging")?,
        })
    })?;
    let now = tx.now();
    if found.as_ref().is_some_and(|kept| kept.created_at + KEPT_HOURS.hours() <= now) {
        let _swept_meanwhile = tx.change_rows(FORGET, params![owner, digest])?.rows();
        return Ok(None);
    }
    Ok(found)
}

/// Stores the first answer, sealed.
fn store_answer<B>(
    tx: &mut Tx<'_>,
    (owner, key): (Uuid, &Key<B>),
    fingerprint: &[u8],
    answer: &Answer,
) -> Result<(), Error> {
    let (id, now) = (tx.new_id(), tx.now());
    let sealed = tx.seal_field(answer_place(owner, id), &answer.body)?;
    let status = i64::from(answer.status);
    let paging = store::record::json_or_null(TABLE, "paging", &answer.paging)?;
    let paging = paging.as_deref().map(Json);
    let digest = key.digest.as_slice();
    tx.insert_row(KEEP, params![owner, digest, id, fingerprint, status, &sealed, now, paging])?;
    Ok(())
}

/// The kept answer, for a request that asks for the same.
fn repeat_answer<B>(
    tx: &mut Tx<'_>,
    (owner, key): (Uuid, &Key<B>),
    fingerprint: &[u8],
    kept: Kept,
) -> Result<Answer, Error> {
    if kept.fingerprint != fingerprint {
        return Err(Error::from(Violation::new(
            "request",
            Category::InvalidParameter,
            "This Idempotency-Key was used with another body, API version or query, or a token of other scopes. A repetition is the \
             same in all of them; use a new key for a new request.",
        )));
    }
    let now = tx.now();
    if !tx.change_rows(TOUCH, params![now, owner, key.digest.as_slice()])?.is_one() {
        // Swept between the two statements; the next try finds nothing and is the first one.
        return Err(Error::Store(store::Error::Busy));
    }
    let body = tx.unseal_field(answer_place(owner, kept.id), &kept.sealed)?.to_vec();
    let status = u16::try_from(kept.status).ok().filter(|status| KEPT.contains(status));
    let status = status.ok_or_else(|| store::Error::Unreadable {
        table: TABLE,
        field: "status",
        why: "is no status of an answer that is kept".to_owned(),
    })?;
    Ok(Answer { status, body, paging: kept.paging })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(path: &str, key: &str) -> [u8; DIGEST] {
        Key::new(Uuid::nil(), "POST", (path, None), key, []).digest
    }

    #[test]
    fn the_digests_of_counted_keys_and_of_keys_made_of_the_time_begin_alike() {
        assert_eq!(digest("/v1/me", "hire-48100")[..5], digest("/v1/companies", "hire-48999")[..5]);
        let (one, two) = ("0197a1b2-c3d4-7000-8000-00000000dead", "0197a1b2-c3df-7aaa-8bbb-0123456789ab");
        assert_eq!(digest("/v1/me", one)[..2], digest("/v1/me", two)[..2]);
    }

    #[test]
    fn no_two_requests_share_a_digest() {
        let keys =
            ["", "1", "12", "123", "1234", "hire-48100", "hire-48101", "0197a1b2-c3d4", "0197a1b2-c3d5", "é"];
        let paths = ["/v1/me", "/v1/companies"];
        let digests: std::collections::HashSet<_> =
            paths.iter().flat_map(|path| keys.iter().map(|key| digest(path, key))).collect();
        assert_eq!(digests.len(), paths.len() * keys.len());
    }
}
