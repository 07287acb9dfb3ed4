//! The opened vintage of a kind that is currently in use.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use store::{Clock, Store};
use tokio::sync::Mutex;

use super::rows;
use super::rows::Pointer;
use super::{Dataset, Vintage, imported_vintage};
use crate::error::Error;

/// How long a look-up is valid. Measured by the machine's monotonic clock: a stopped test clock must not hide an
/// import.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Access to one kind of reference data on a store.
pub struct Live<D> {
    store: Store,
    held: RwLock<Option<LiveVintage<D>>>,
    looking: Mutex<()>,
}

struct LiveVintage<D> {
    looked: Duration,
    vintage: Arc<Vintage<D>>,
    /// the imported vintage that could not be opened: it is reported once
    broken: Option<String>,
}

impl<D> Clone for LiveVintage<D> {
    fn clone(&self) -> Self {
        Self { looked: self.looked, vintage: Arc::clone(&self.vintage), broken: self.broken.clone() }
    }
}

impl<D: Dataset> Live<D> {
    /// Access to a store; nothing is opened yet.
    pub fn new(store: &Store) -> Self {
        Self { store: store.clone(), held: RwLock::new(None), looking: Mutex::new(()) }
    }

    /// The vintage in use.
    ///
    /// # Errors
    /// A store error, if nothing has been opened before.
    pub async fn current(&self) -> Result<Arc<Vintage<D>>, Error> {
        if let Some(fresh) = self.fresh_vintage() {
            return Ok(fresh);
        }
        // One caller looks, the others wait for the result.
        let _one = self.looking.lock().await;
        if let Some(fresh) = self.fresh_vintage() {
            return Ok(fresh);
        }
        let held = self.known_vintage();
        let found = match self.look_up_current(held.as_ref()).await {
            Ok(found) => found,
            Err(error) => {
                let Some(held) = held else { return Err(error) };
                tracing::warn!(
                    kind = D::KIND,
                    ?error,
                    "the current data could not be looked up; the previous data stays in use"
                );
                LiveVintage { looked: Clock::monotonic(), ..held }
            }
        };
        let vintage = Arc::clone(&found.vintage);
        *self.held.write().unwrap_or_else(PoisonError::into_inner) = Some(found);
        Ok(vintage)
    }

    fn known_vintage(&self) -> Option<LiveVintage<D>> {
        self.held.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn fresh_vintage(&self) -> Option<Arc<Vintage<D>>> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        let fresh = |held: &&LiveVintage<D>| Clock::monotonic().saturating_sub(held.looked) < LOOK_EVERY;
        held.as_ref().filter(fresh).map(|held| Arc::clone(&held.vintage))
    }

    async fn look_up_current(&self, held: Option<&LiveVintage<D>>) -> Result<LiveVintage<D>, Error> {
        let pointer = self.store.read(imported_vintage::<D>).await?;
        let looked = Clock::monotonic();
        let Some(pointer) = pointer else {
            return Ok(LiveVintage {
                looked,
                vintage: open_blocking(|| Ok(Vintage::built_in())).await?,
                broken: None,
            });
        };
        if let Some(held) = held
            && (held.vintage.checksum == pointer.checksum || held.broken.as_ref() == Some(&pointer.checksum))
        {
            return Ok(LiveVintage { looked, ..held.clone() });
        }
        match self.load_vintage(&pointer).await? {
            Ok(vintage) => {
                tracing::info!(
                    kind = D::KIND,
                    vintage = vintage.name,
                    checksum = vintage.checksum,
                    "newer data is in use"
                );
                Ok(LiveVintage { looked, vintage, broken: None })
            }
            Err(why) => {
                tracing::error!(
                    kind = D::KIND,
                    vintage = pointer.vintage,
                    why,
                    "imported data cannot be opened"
                );
                let vintage = match held {
                    Some(held) => Arc::clone(&held.vintage),
                    None => open_blocking(|| Ok(Vintage::built_in())).await?,
                };
                Ok(LiveVintage { looked, vintage, broken: Some(pointer.checksum) })
            }
        }
    }

    async fn load_vintage(&self, pointer: &Pointer) -> Result<Result<Arc<Vintage<D>>, String>, Error> {
        let checksum = pointer.checksum.clone();
        let bytes = self.store.read(move |tx| rows::vintage_bytes(tx, D::KIND, &checksum)).await?;
        let Some(bytes) = bytes else { return Ok(Err("its bytes are missing".to_owned())) };
        let Pointer { vintage, checksum, .. } = pointer.clone();
        open_blocking(move || {
            if super::vintage_checksum(&bytes) != checksum {
                return Ok(Err("its bytes do not match their stored checksum".to_owned()));
            }
            Ok(Vintage::open(&vintage, &bytes).map(Arc::new))
        })
        .await
    }
}

/// Opening takes time and belongs on a thread that may block.
async fn open_blocking<T: Send + 'static>(
    open: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    tokio::task::spawn_blocking(open)
        .await
        .map_err(Error::failed_operation("opening reference data ended"))?
}
