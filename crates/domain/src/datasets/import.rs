//! Importing a file, and what an import would change.

use std::path::Path;

use serde::Serialize;
use serde_json::json;
use store::Store;
use uuid::Uuid;

use super::kinds::{DatasetKind, find_kind};
use super::prepare::{Prepared, check_vintage};
use crate::error::Error;
use crate::platform::audit;
use crate::platform::reference::{Bundle, Request, names, rows};

/// Reads a file as an import of it would, and checks it as one.
async fn prepare_import(
    store: &Store,
    kind: &DatasetKind,
    path: &Path,
    vintage: Option<&str>,
    fewer: bool,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Prepared, String> {
    let name = kind.name;
    vintage.map_or(Ok(()), check_vintage)?;
    let before = store.read(move |tx| {
        let Some(pointer) = rows::current_pointer(tx, name)? else { return Ok(None) };
        Ok(rows::vintage_bytes(tx, name, &pointer.checksum)?.map(|bytes| (pointer.vintage, bytes)))
    });
    let before = before.await.map_err(|error: Error| error.to_line())?;
    let read = || {
        let request = Request { path, vintage, fewer, progress };
        (kind.read)(&request, &before)
    };
    let mut prepared = tokio::task::block_in_place(read)?;
    if kind.kept {
        let (bundle, packed) = (Bundle { vintage: kind.built_in, bytes: kind.bytes }, prepared.packed);
        let own_name = store.read(move |tx| names::own_name(tx, name, bundle, packed.clone())).await;
        (prepared.packed, prepared.checksum) = own_name.map_err(|error: Error| error.to_line())?;
    }
    let Prepared { before, packed, .. } = &prepared;
    prepared.changes.insert(0, format!("{name} {before} -> {}", packed.vintage));
    Ok(prepared)
}

/// Returns what an import of a file would change, and changes nothing.
///
/// # Errors
/// The reason for which the import would be refused.
pub async fn diff_import(
    store: &Store,
    kind: &str,
    path: &Path,
    vintage: Option<&str>,
    fewer: bool,
) -> Result<Difference, String> {
    let kind = find_kind(kind)?;
    let Prepared { packed, rows, changes, .. } =
        prepare_import(store, kind, path, vintage, fewer, &|_, _| {}).await?;
    Ok(Difference { kind: kind.name, vintage: packed.vintage, rows, changes })
}

/// What an import would change.
#[derive(Debug, Serialize)]
pub struct Difference {
    kind: &'static str,
    vintage: String,
    rows: usize,
    changes: Vec<String>,
}

impl Difference {
    /// Readable output.
    pub fn to_text(&self) -> String {
        format!("{}\n{} rows; nothing was imported", self.changes.join("\n"), self.rows)
    }
}

/// Imports a file as the newest vintage of a kind, and returns what changed. With `fewer`, also accepts a vintage with far fewer rows than
/// the previous one. `progress` is called with the amount read and the total.
///
/// # Errors
/// The reason, for the operator; nothing has changed then.
pub async fn import_file(
    store: &Store,
    kind: &str,
    path: &Path,
    vintage: Option<&str>,
    fewer: bool,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Imported, String> {
    let kind = find_kind(kind)?;
    let name = kind.name;
    let Prepared { packed, checksum, rows, changes, .. } =
        prepare_import(store, kind, path, vintage, fewer, progress).await?;
    let vintage = packed.vintage.clone();
    let (size, count) = (packed.bytes.len(), i64::try_from(rows).unwrap_or(i64::MAX));
    let of_kind = (count, kind.kept);
    let switched = store.write(move |tx| {
        if kind.kept && rows::checksum_of_vintage(tx, name, &packed.vintage)?.is_some_and(|held| held != checksum) {
            return Ok(false);
        }
        let before = rows::current_pointer(tx, name)?.map(|before| (before.vintage, before.checksum)).unzip();
        let switched = rows::switch_vintage(tx, name, (&packed.vintage, &checksum), of_kind, &packed.bytes)?;
        if switched {
            let told = json!({ "kind": name, "vintage": [before.0, packed.vintage], "checksum": [before.1, checksum] });
            audit::by_operator(tx, "imported", ("reference_data", Uuid::nil()), &told)?;
        }
        Ok(switched)
    });
    if !switched.await.map_err(|error: Error| error.to_line())? {
        return Err("nothing was imported: newer data has come into use in the meantime".to_owned());
    }
    Ok(Imported { kind: name, vintage, rows, bytes: size, changes })
}

/// A vintage that has come into use.
#[derive(Debug, Serialize)]
pub struct Imported {
    kind: &'static str,
    vintage: String,
    rows: usize,
    bytes: usize,
    changes: Vec<String>,
}

impl Imported {
    /// Readable output.
    pub fn to_text(&self) -> String {
        let Self { rows, bytes, changes, .. } = self;
        format!(
            "{}\n{rows} rows, {} KB; in use on every node within seconds",
            changes.join("\n"),
            bytes >> 10
        )
    }
}
