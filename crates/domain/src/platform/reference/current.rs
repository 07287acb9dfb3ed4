//! The vintage in force as a unit of work sees it, and earlier ones by name: small kinds, opened on demand.

use std::any::Any;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use store::Tx;

use super::{Dataset, Vintage, imported_vintage, is_in_use, rows};
use crate::error::Error;

/// Maximum imported vintages kept open; a process with one store needs one of each kind.
const KEPT: usize = 64;

/// Vintages opened in this process by kind and checksum, and the order of opening.
#[derive(Default)]
struct Opened {
    vintages: HashMap<Key, Arc<dyn Any + Send + Sync>>,
    order: VecDeque<Key>,
}

type Key = (&'static str, String);

static OPENED: LazyLock<Mutex<Opened>> = LazyLock::new(Mutex::default);

/// The vintage in force: the imported one, unless the built-in one is newer. A unit reads it once, so that all its decisions are based on
/// one vintage.
///
/// # Errors
/// A store error; an imported vintage that cannot be opened, which the import would have refused.
pub fn current_vintage<D: Dataset>(tx: &mut Tx<'_>) -> Result<Arc<Vintage<D>>, Error> {
    match imported_vintage::<D>(tx)? {
        Some(pointer) => open_named(tx, &pointer.vintage, pointer.checksum),
        None => Ok(Vintage::built_in()),
    }
}

/// Announces the query of [`current_vintage`] (see [`Tx::announce`]).
pub fn announce_current<D: Dataset>(tx: &mut Tx<'_>) -> Result<(), Error> {
    rows::announce_current(tx, D::KIND)
}

/// The vintages in force of all kinds, as [`current_vintage`] finds that of one: one question to the store for all of them.
pub struct InForce(BTreeMap<String, rows::Pointer>);

impl InForce {
    /// Reads which they are.
    pub fn read_pointers(tx: &mut Tx<'_>) -> Result<Self, Error> {
        rows::all_current(tx).map(Self)
    }

    /// The vintage of a kind.
    ///
    /// # Errors
    /// As [`current_vintage`].
    pub fn open_vintage<D: Dataset>(&self, tx: &mut Tx<'_>) -> Result<Arc<Vintage<D>>, Error> {
        match self.0.get(D::KIND).filter(|pointer| is_in_use::<D>(pointer)) {
            Some(pointer) => open_named(tx, &pointer.vintage, pointer.checksum.clone()),
            None => Ok(Vintage::built_in()),
        }
    }
}

/// The vintage with this name, if it exists: the built-in one, or a stored one.
///
/// # Errors
/// A store error; a vintage that cannot be opened.
pub fn find_vintage<D: Dataset>(tx: &mut Tx<'_>, name: &str) -> Result<Option<Arc<Vintage<D>>>, Error> {
    if let Some(checksum) = rows::checksum_of_vintage(tx, D::KIND, name)? {
        return open_named(tx, name, checksum).map(Some);
    }
    Ok((name == D::BUILT_IN.vintage).then(Vintage::built_in))
}

fn open_named<D: Dataset>(tx: &mut Tx<'_>, name: &str, checksum: String) -> Result<Arc<Vintage<D>>, Error> {
    let key = (D::KIND, checksum);
    let known = OPENED.lock().unwrap_or_else(PoisonError::into_inner).vintages.get(&key).cloned();
    if let Some(vintage) = known.and_then(|vintage| vintage.downcast().ok()) {
        return Ok(vintage);
    }
    let opened = match rows::vintage_bytes(tx, D::KIND, &key.1)? {
        Some(bytes) => Vintage::<D>::open(name, &bytes),
        None => Err("its bytes are missing".to_owned()),
    };
    let vintage = opened
        .map_err(|why| Error::internal(format!("vintage {name} of {} cannot be opened: {why}", D::KIND)))?;
    let vintage = Arc::new(vintage);
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    let kept: Arc<dyn Any + Send + Sync> = Arc::<Vintage<D>>::clone(&vintage);
    if opened.vintages.insert(key.clone(), kept).is_none() {
        opened.order.push_back(key);
    }
    if opened.order.len() > KEPT
        && let Some(oldest) = opened.order.pop_front()
    {
        opened.vintages.remove(&oldest);
    }
    Ok(vintage)
}
