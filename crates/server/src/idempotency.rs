//! The same request twice has one effect and one answer.
//!
//! A POST, PUT or DELETE may carry an `Idempotency-Key`. The first answer is stored, sealed, in the transaction of
//! the change; a repetition gets it again. The look-up and the storing are one unit of work, and the row's key lets one
//! unit store it: of two at once, the second is rolled back, run again, and then finds the first one's answer. A repetition touches the row before it answers: on a replicated
//! database that write proves that the first one was replicated, too.
//!
//! Only 2xx answers are kept, for 24 hours: a refusal changed nothing and may be right the next time.

use axum::body::Bytes;
use axum::http::StatusCode;
use jiff::{Timestamp, ToSpan};
use rules::{Category, Violation};
use sha2::{Digest, Sha256};
use store::{Place, Tx, params};
use uuid::Uuid;

use crate::auth::Caller;
use crate::error::Error;

store::statements! {
    FIND = "SELECT id, fingerprint, status, created_at FROM idempotency WHERE owner_id = $1 AND digest = $2";
    INSERT = "INSERT INTO idempotency (owner_id, digest, id, fingerprint, status, created_at, touched_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $6)";
    TOUCH = "UPDATE idempotency SET touched_at = $1 WHERE owner_id = $2 AND digest = $3";
    FORGET = "DELETE FROM idempotency WHERE owner_id = $1 AND digest = $2";
    KEEP = "INSERT INTO idempotency_answers (owner_id, id, digest, answer, created_at) VALUES ($1, $2, $3, $4, $5)";
    KEPT = "SELECT answer FROM idempotency_answers WHERE owner_id = $1 AND id = $2";
}

/// Characters of a key at the most.
pub const LONGEST: usize = 255;
/// How long an answer is given again.
const KEPT_HOURS: i64 = 24;

/// A request that may be repeated.
#[derive(Debug, Clone)]
pub struct Key {
    /// SHA-256 of caller, method, path and key
    digest: [u8; 32],
    /// what was sent, to notice another body under the same key
    body: Bytes,
}

impl Key {
    /// The key of a request of `application`.
    pub fn new(application: Uuid, method: &str, path: &str, key: &str, body: Bytes) -> Self {
        let mut digest = Sha256::new();
        for part in [application.as_bytes().as_slice(), method.as_bytes(), path.as_bytes(), key.as_bytes()] {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
        Self { digest: digest.finalize().into(), body }
    }
}

/// An answer that is ready to be sent.
#[derive(Debug, Clone)]
pub struct Answer {
    /// 2xx
    pub status: StatusCode,
    /// JSON, or nothing
    pub body: Vec<u8>,
}

/// Gives the first answer again, or makes and stores it.
///
/// # Errors
/// 422 when the key was used with another body; what `first` gives.
pub fn once(
    tx: &mut Tx<'_>,
    caller: &Caller,
    key: &Key,
    first: impl FnOnce(&mut Tx<'_>) -> Result<Answer, Error>,
) -> Result<Answer, Error> {
    let owner = caller.owner();
    let fingerprint = tx.fingerprint(owner, "idempotency", &key.body)?;
    let found = tx.find(FIND, params![owner, &key.digest], |row| {
        (row.get::<Uuid>(0), row.get::<Vec<u8>>(1), row.get::<i64>(2), row.get::<Timestamp>(3))
    })?;
    let now = tx.now();
    let found = match found {
        Some((.., made)) if made + KEPT_HOURS.hours() <= now => {
            let _swept_meanwhile = tx.change(FORGET, params![owner, &key.digest])?.rows();
            None
        }
        found => found,
    };
    let place = |row| Place { owner, table: "idempotency_answers", row, column: "answer" };
    let Some((id, before, status, _)) = found else {
        let answer = first(tx)?;
        let id = tx.new_id();
        let sealed = tx.seal(place(id), &answer.body)?;
        let status = i64::from(answer.status.as_u16());
        tx.insert(INSERT, params![owner, &key.digest, id, &fingerprint, status, now])?;
        tx.insert(KEEP, params![owner, id, &key.digest, &sealed, now])?;
        return Ok(answer);
    };
    if before != fingerprint {
        return Err(Error::from(Violation::new(
            "request",
            Category::InvalidParameter,
            "This Idempotency-Key was used with another body. Use a new key for a new request.",
        )));
    }
    let touched = tx.change(TOUCH, params![now, owner, &key.digest])?;
    let kept = tx.find(KEPT, params![owner, id], |row| row.get::<Vec<u8>>(0))?;
    // Both are there, or neither: they were stored together, and the answer is swept after its request.
    let (true, Some(sealed)) = (touched.one(), kept) else { return Err(Error::Store(store::Error::Busy)) };
    let body = tx.unseal(place(id), &sealed)?.to_vec();
    let status = u16::try_from(status).ok().and_then(|status| StatusCode::from_u16(status).ok());
    Ok(Answer { status: status.unwrap_or(StatusCode::OK), body })
}
