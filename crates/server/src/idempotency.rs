//! The same request twice has one effect and one answer.
//!
//! A POST, PUT or DELETE may carry an `Idempotency-Key`. The first answer is stored, sealed, in the transaction of
//! the change; a repetition gets it again. The look-up and the storing are one unit of work under a guard, so of
//! two at once the second waits for the first. A repetition touches the row before it answers: on a replicated
//! database that write proves that the first one was replicated, too.
//!
//! Only 2xx answers are kept, for 24 hours: a refusal changed nothing and may be right the next time.

use axum::body::Bytes;
use axum::http::StatusCode;
use rules::{Category, Violation};
use sha2::{Digest, Sha256};
use store::{Place, Tx, params};
use uuid::Uuid;

use crate::auth::Caller;
use crate::error::Error;

store::statements! {
    FIND = "SELECT id, fingerprint, status, answer FROM idempotency WHERE owner_id = $1 AND digest = $2";
    INSERT = "INSERT INTO idempotency (owner_id, digest, id, fingerprint, status, answer, created_at, touched_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $7)";
    TOUCH = "UPDATE idempotency SET touched_at = $1 WHERE owner_id = $2 AND digest = $3";
}

/// Characters of a key at the most.
pub const LONGEST: usize = 255;

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
    let [a, b, ..] = key.digest.as_chunks::<16>().0 else { panic!("a digest has 32 bytes") };
    let guarded = Uuid::from_u128(u128::from_be_bytes(*a) ^ u128::from_be_bytes(*b));
    tx.guard(owner, "idempotency", guarded)?;
    let fingerprint = tx.fingerprint(owner, "idempotency", &key.body)?;
    let found = tx.find(FIND, params![owner, &key.digest], |row| {
        (row.get::<Uuid>(0), row.get::<Vec<u8>>(1), row.get::<i64>(2), row.get::<Vec<u8>>(3))
    })?;
    let now = tx.now();
    let place = |row| Place { owner, table: "idempotency", row, column: "answer" };
    let Some((id, before, status, sealed)) = found else {
        let answer = first(tx)?;
        let id = tx.new_id();
        let sealed = tx.seal(place(id), &answer.body)?;
        let status = i64::from(answer.status.as_u16());
        tx.insert(INSERT, params![owner, &key.digest, id, &fingerprint, status, &sealed, now])?;
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
    assert!(touched.one(), "the row was read under its guard");
    let body = tx.unseal(place(id), &sealed)?.to_vec();
    let status = u16::try_from(status).ok().and_then(|status| StatusCode::from_u16(status).ok());
    Ok(Answer { status: status.unwrap_or(StatusCode::OK), body })
}
