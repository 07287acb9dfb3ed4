//! Who did what, when and from where: one entry in the transaction of each change. Entries hold the fields before
//! and after, without secrets; every read of a whole SSN is an entry, too.

pub mod seals;

use serde_json::Value;
use store::{Json, Tx, params};
use uuid::Uuid;

use crate::auth::Caller;
use crate::error::Error;

store::statements! {
    INSERT = "INSERT INTO audit (company_id, id, actor_kind, actor_id, action, entity_type, entity_id, request_id, from_ip, changes, created_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
}

/// Writes an entry; `action` is a word such as `created`, `changes` an object of field to [before, after].
///
/// # Errors
/// A store error.
pub fn record(
    tx: &mut Tx<'_>,
    caller: &Caller,
    action: &'static str,
    (entity_type, entity): (&'static str, Uuid),
    changes: &Value,
) -> Result<(), Error> {
    let (kind, actor) = caller.actor.kind_and_id();
    let (id, now) = (tx.new_id(), tx.now());
    let (ip, changes) = (caller.ip.to_string(), changes.to_string());
    let parameters = params![
        caller.company,
        id,
        kind,
        actor,
        action,
        entity_type,
        entity,
        &*caller.request_id,
        &ip,
        Json(&changes),
        now
    ];
    tx.insert(INSERT, parameters)?;
    Ok(())
}
