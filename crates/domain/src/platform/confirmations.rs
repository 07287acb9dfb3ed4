//! Unconfirmed figures of the tables of taxes and of states' returns that the operator has checked against the authority's notice.
//!
//! A figure that was never read from the law itself is not used: paychecks that need it have a warning. Once an
//! operator confirms it, it counts like any other, until its value in the tables changes.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use returns::efw2::corrected;
use returns::state_withholding;
use rules::taxes::{self, Doubtful};
use rules::{Category, Violation};
use store::record::Cursor;
use store::{Row, Tx, params};

use crate::error::Error;

store::statements! {
    CONFIRMED = "SELECT key, fingerprint, confirmed_at FROM confirmed_figures ORDER BY key";
    PUT = "INSERT INTO confirmed_figures (key, fingerprint, confirmed_at) VALUES ($1, $2, $3) \
           ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, confirmed_at = excluded.confirmed_at";
    DELETE = "DELETE FROM confirmed_figures WHERE key = $1";
}

/// An unconfirmed figure, and when the operator confirmed it.
#[derive(Debug, Clone)]
pub struct Figure {
    /// the figure
    pub doubtful: &'static Doubtful,
    /// when the operator confirmed the tables' current value
    pub confirmed_at: Option<Timestamp>,
}

/// Every figure of the built-in tables that is in doubt, those of returns last.
fn doubtful() -> impl Iterator<Item = &'static Doubtful> {
    taxes::doubtful().iter().chain(state_withholding::doubtful()).chain(corrected::doubtful())
}

/// Every figure that needs confirmation.
///
/// # Errors
/// A store error.
pub fn list(tx: &mut Tx<'_>) -> Result<Vec<Figure>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "confirmed_figures", 0);
        Ok::<_, store::Error>((
            next.plain::<String>("key")?,
            (next.plain::<String>("fingerprint")?, next.plain::<Timestamp>("confirmed_at")?),
        ))
    };
    let confirmed: BTreeMap<String, (String, Timestamp)> =
        tx.try_query(CONFIRMED, &[], read)?.into_iter().collect();
    let figure = |doubtful: &'static Doubtful| {
        let held = confirmed.get(&doubtful.key).filter(|(held, _)| *held == doubtful.fingerprint);
        Figure { confirmed_at: held.map(|(_, at)| *at), doubtful }
    };
    Ok(doubtful().map(figure).collect())
}

/// The keys of the figures whose current value is confirmed.
///
/// # Errors
/// A store error.
pub fn confirmed(tx: &mut Tx<'_>) -> Result<BTreeSet<String>, Error> {
    let figures = list(tx)?.into_iter().filter(|figure| figure.confirmed_at.is_some());
    Ok(figures.map(|figure| figure.doubtful.key.clone()).collect())
}

/// Confirms figures, or withdraws their confirmation. All of them or none.
///
/// # Errors
/// 422 for a key that names no such figure; a store error.
pub fn put(tx: &mut Tx<'_>, keys: &[String], confirmed: bool) -> Result<(), Error> {
    let known: BTreeMap<&str, &Doubtful> = doubtful().map(|one| (one.key.as_str(), one)).collect();
    let unknown = keys.iter().filter(|key| !known.contains_key(key.as_str()));
    let unknown = unknown.map(|key| {
        let message = format!("{key} names no unconfirmed figure; stipend data doubtful lists them");
        Violation::new("key", Category::InvalidParameter, message)
    });
    let unknown: Vec<Violation> = unknown.collect();
    if !unknown.is_empty() {
        return Err(Error::from(unknown));
    }
    let now = tx.now();
    for key in keys {
        match known.get(key.as_str()).filter(|_| confirmed) {
            Some(figure) => tx.insert(PUT, params![key, &figure.fingerprint, now])?,
            None => drop(tx.change(DELETE, params![key])?.one()),
        }
    }
    Ok(())
}
