//! Batches: the same action on several records in one request, under an idempotency key that is valid for one batch.
//!
//! Batches that an application sends for several companies are kept with their results for a day ([`Kept`]).
//!
//! An invalid batch is refused as a whole, with each item identified by its index; the outcome of each item is reported in the results.

use jiff::{Timestamp, ToSpan};
use rules::{Category, Checks, Violation, check};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use store::record::Cursor;
use store::{Json, Row, Sql, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::error::Error;
use crate::patch::Patch;

/// The action that creates the records of a batch.
pub const CREATE: &str = "create";

/// Creates a batch.
#[derive(Debug, Clone)]
pub struct CreateBatch<T> {
    /// idempotency key of this batch
    pub idempotency_key: Patch<String>,
    /// [`Item::ACTION`]
    pub batch_action: Patch<String>,
    /// at most [`Item::MOST`] items
    pub batch: Patch<Vec<T>>,
}

impl<T> Default for CreateBatch<T> {
    fn default() -> Self {
        Self { idempotency_key: Patch::Absent, batch_action: Patch::Absent, batch: Patch::Absent }
    }
}

/// An item of one kind of batch.
pub trait Item {
    /// The action that a batch applies to its items.
    const ACTION: &'static str = CREATE;
    /// Maximum items of a batch.
    const MOST: usize;
    /// The kinds of record that an item may be about.
    const ENTITIES: &'static [&'static str];
    /// The fields that identify an item's record.
    type Name;

    /// One of [`Item::ENTITIES`].
    fn entity_type(&self) -> &Patch<String>;

    /// Reads the fields that identify the item's record.
    fn read_name(&self, checks: &mut Checks) -> Option<Self::Name>;
}

/// Outcome of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum BatchStatus {
    /// every item succeeded
    #[strum(serialize = "completed")]
    Completed,
    /// some items succeeded
    #[strum(serialize = "partial_success")]
    PartialSuccess,
    /// no item succeeded
    #[strum(serialize = "failed")]
    Failed,
}

/// Items with what identifies them.
type Named<'i, T> = Vec<(<T as Item>::Name, &'i T)>;

impl<T: Item> CreateBatch<T> {
    /// The idempotency key, and the items with what identifies them.
    ///
    /// # Errors
    /// Every violation of the batch.
    pub fn read_items(
        &self,
        key: impl FnOnce(&str, &String) -> Result<String, Violation>,
    ) -> Result<(String, Named<'_, T>), Error> {
        let mut checks = Checks::new();
        let key = self.idempotency_key.required("idempotency_key", &mut checks, key);
        let action = |key: &str, name: &String| check::one_of(key, name, &[T::ACTION]).map(drop);
        self.batch_action.required("batch_action", &mut checks, action);
        let items = identify_items(&self.batch, &mut checks);
        checks.finish()?;
        let Some(key) = key else { unreachable!("a batch without a key is refused") };
        Ok((key, items))
    }
}

/// The items of a batch with what identifies them.
fn identify_items<'i, T: Item>(batch: &'i Patch<Vec<T>>, checks: &mut Checks) -> Named<'i, T> {
    batch.required("batch", checks, |key, items| {
        let why = || Violation::invalid(key, format!("{key} must have 1 to {} items", T::MOST));
        if (1..=T::MOST).contains(&items.len()) { Ok(()) } else { Err(why()) }
    });
    let items = batch.value().map_or(&[] as &[_], Vec::as_slice);
    let mut found = Vec::with_capacity(items.len().min(T::MOST));
    for (index, item) in items.iter().enumerate().take(T::MOST) {
        let mut own = Checks::new();
        let entity = |key: &str, name: &String| check::one_of(key, name, T::ENTITIES).map(drop);
        item.entity_type().required("entity_type", &mut own, entity);
        found.extend(item.read_name(&mut own).map(|name| (name, item)));
        if let Err(errors) = own.finish() {
            checks.push(Violation::nested("batch", errors).with_metadata(json!({ "index": index })));
        }
    }
    found
}

/// The error for an idempotency key that was already used for the batch `of`; `what` names this kind of batch.
pub fn key_was_used(what: &str, of: Uuid) -> Error {
    let message = format!("idempotency_key was used for another {what}; read that one, or send a new key");
    let taken = Violation::new("idempotency_key", Category::DuplicateOperation, message);
    Error::Settled(taken.with_metadata(json!({ "request_uuid": of })))
}

/// Hours for which the results of an application's batch can be read.
const KEPT_HOURS: i64 = 24;

/// The statements of a table that keeps batches of applications.
#[derive(Debug, Clone, Copy)]
pub struct Statements {
    /// the table, and kind of the guard of an application's keys
    pub table: &'static str,
    /// what an idempotency key was used for, such as "digest"
    pub what: &'static str,
    /// stores application, identifier, idempotency key, results and moment
    pub insert: Sql,
    /// reads identifier, idempotency key, results and moment by application and identifier
    pub find: Sql,
    /// reads the identifier by application and idempotency key
    pub of_key: Sql,
}

/// A batch that an application sent, and its results.
#[derive(Debug, Clone)]
pub struct Kept<R> {
    /// identifier
    pub id: Uuid,
    /// the application's idempotency key
    pub idempotency_key: String,
    /// its results
    pub results: R,
    /// when it was processed
    pub made_at: Timestamp,
}

impl<R: Serialize + DeserializeOwned> Kept<R> {
    /// Returns a batch of an application.
    ///
    /// # Errors
    /// "Not found"; "gone" a day after it was processed; a store error.
    pub fn find_batch(tx: &mut Tx<'_>, sql: Statements, application: Uuid, id: Uuid) -> Result<Self, Error> {
        let read = |row: &Row<'_>| {
            let mut next = Cursor::new(row, sql.table, 0);
            Ok::<_, store::Error>(Self {
                id: next.read_plain("id")?,
                idempotency_key: next.read_plain("idempotency_key")?,
                results: next.read_json("results")?,
                made_at: next.read_plain("created_at")?,
            })
        };
        let found = tx.try_find(sql.find, params![application, id], read)?.ok_or(Error::NotFound)?;
        if found.made_at + KEPT_HOURS.hours() <= tx.now() { Err(Error::Expired) } else { Ok(found) }
    }

    /// Processes a batch once for its idempotency key, and keeps the results.
    ///
    /// # Errors
    /// 409 for a key that was used; those of `process`; a store error.
    pub fn process_once(
        tx: &mut Tx<'_>,
        sql: Statements,
        application: Uuid,
        idempotency_key: String,
        process: impl FnOnce(&mut Tx<'_>) -> Result<R, Error>,
    ) -> Result<Self, Error> {
        tx.take_guard(application, sql.table, application)?;
        let id = |row: &Row<'_>| Cursor::new(row, sql.table, 0).read_plain::<Uuid>("id");
        let used: Option<Uuid> =
            tx.try_find(sql.of_key, params![application, idempotency_key.as_str()], id)?;
        if let Some(used) = used {
            return Err(key_was_used(sql.what, used));
        }
        let results = process(tx)?;
        let made = Self { id: tx.new_id(), idempotency_key, results, made_at: tx.now() };
        let stored = store::record::serialize_json(sql.table, "results", &made.results)?;
        let row = params![application, made.id, made.idempotency_key.as_str(), Json(&stored), made.made_at];
        tx.insert_row(sql.insert, row)?;
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Default)]
    struct Place {
        kind: Patch<String>,
        name: Patch<String>,
    }

    impl Item for Place {
        const MOST: usize = 3;
        const ENTITIES: &'static [&'static str] = &["place"];
        type Name = String;

        fn entity_type(&self) -> &Patch<String> {
            &self.kind
        }

        fn read_name(&self, checks: &mut Checks) -> Option<String> {
            self.name.required("name", checks, |_, name| Ok(name.clone()))
        }
    }

    fn place(kind: &str, name: Option<&str>) -> Place {
        let name = name.map_or(Patch::Absent, |name| Patch::Value(name.to_owned()));
        Place { kind: Patch::Value(kind.to_owned()), name }
    }

    fn read(places: Vec<Place>) -> Result<Vec<String>, Vec<Violation>> {
        let batch = CreateBatch {
            idempotency_key: Patch::Value("monday".to_owned()),
            batch_action: Patch::Value("create".to_owned()),
            batch: Patch::Value(places),
        };
        match batch.read_items(|_, key| Ok(key.clone())) {
            Ok((key, items)) => {
                assert_eq!(key, "monday");
                Ok(items.into_iter().map(|(name, _)| name).collect())
            }
            Err(Error::Violations(why)) => Err(why),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_valid_batch_returns_its_items_by_name() {
        let places = vec![place("place", Some("here")), place("place", Some("there"))];
        assert_eq!(read(places).unwrap(), ["here", "there"]);
    }

    #[test]
    fn every_invalid_item_of_a_batch_is_reported() {
        let told = read(vec![place("place", Some("here")), place("place", None), place("robot", None)]);
        let told = told.unwrap_err();
        let places: Vec<_> = told.iter().map(|one| one.metadata.as_ref().unwrap()["index"].clone()).collect();
        assert_eq!(places, [json!(1), json!(2)]);
        assert_eq!((told[0].errors.len(), told[1].errors.len()), (1, 2));
    }

    #[test]
    fn a_batch_has_at_least_one_item_and_at_most_the_maximum() {
        for wrong in [Vec::new(), vec![place("place", Some("here")); 4]] {
            let told = read(wrong).unwrap_err();
            assert_eq!((told.len(), told[0].key.as_str()), (1, "batch"));
            assert!(told[0].message.contains("1 to 3"));
        }
        let nothing =
            CreateBatch::<Place>::default().read_items(|_, key| Ok(key.clone())).map(drop).unwrap_err();
        let Error::Violations(told) = nothing else { panic!("{nothing:?}") };
        let keys: Vec<_> = told.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(keys, ["idempotency_key", "batch_action", "batch"]);
    }
}
