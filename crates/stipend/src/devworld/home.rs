//! Where `stipend dev` keeps its world between two runs.
//!
//! By default that is a folder in the user's home; `--memory` and `--database-url` choose another place. Next to a file
//! store are its master key and the world's report, because the store itself contains no token in readable form.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use store::MasterKeys;

use crate::held::{self, Held};
use interface::demo::World;

/// A place for a demo world.
#[derive(Debug)]
pub struct Home {
    /// the address of its store
    pub database_url: String,
    /// prefix of the files beside the store; `None` for a store without a file
    beside: Option<PathBuf>,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    seed: Option<u64>,
    world: World,
}

impl Home {
    /// The place of the given store, or the default one.
    ///
    /// # Errors
    /// One line if the default folder cannot be created.
    pub fn for_store(chosen: Option<&str>) -> Result<Self, String> {
        let Some(url) = chosen else {
            let folder = usual_folder()
                .ok_or("no folder for data was found: choose one with --database-url sqlite:PATH")?;
            fs::create_dir_all(&folder)
                .map_err(|error| format!("the folder {} cannot be made: {error}", folder.display()))?;
            let file = folder.join("dev.db");
            return Ok(Self { database_url: format!("sqlite:{}", file.display()), beside: Some(file) });
        };
        Ok(Self { database_url: url.to_owned(), beside: held::file_of(url) })
    }

    /// Keeps every other `stipend dev` out of this place, and `stipend serve` out of a file store, until the returned
    /// value is dropped or the process ends.
    ///
    /// # Errors
    /// One line if another one is running here.
    pub fn lock_home(&self) -> Result<Held, String> {
        // The URL of a server may contain a password.
        let place =
            if self.database_url.starts_with("sqlite:") { &self.database_url } else { "this database" };
        held::reserve_store(&self.database_url)?.ok_or_else(|| {
            format!(
                "another `stipend dev` runs on {place}; use that one, --memory, or another --database-url"
            )
        })
    }

    /// The master key of this location; created if it does not exist.
    ///
    /// # Errors
    /// One line when it cannot be read or written.
    pub fn master_key(&self) -> Result<String, String> {
        let Some(file) = self.file_beside_store("key") else {
            return Ok(MasterKeys::generate_key().to_string());
        };
        if let Ok(key) = fs::read_to_string(&file) {
            return Ok(key);
        }
        let key = MasterKeys::generate_key().to_string();
        write_private(&file, &key)?;
        Ok(key)
    }

    /// The world that was built here by an earlier run.
    ///
    /// # Errors
    /// One line when it was built with another seed, or cannot be read.
    pub fn find_world(&self, seed: Option<u64>) -> Result<Option<World>, String> {
        let Some(file) = self.file_beside_store("world.json") else { return Ok(None) };
        let Ok(text) = fs::read_to_string(&file) else { return Ok(None) };
        let kept: Kept = serde_json::from_str(&text).map_err(|error| {
            format!("{} cannot be read: {error}; remove it and the store beside it", file.display())
        })?;
        if seed.is_some() && seed != kept.seed {
            return Err(format!(
                "{} holds a world of another seed; use --memory, or another --database-url",
                self.database_url
            ));
        }
        Ok(Some(kept.world))
    }

    /// Marks a new store as being built: what an interrupted start leaves under such a mark is removed at the next
    /// start. A store that existed before is left as it is.
    ///
    /// # Errors
    /// One line if the mark cannot be written, or an incomplete store cannot be removed.
    pub fn begin_world(&self) -> Result<(), String> {
        let (Some(store), Some(mark)) = (&self.beside, self.file_beside_store("building")) else {
            return Ok(());
        };
        if mark.exists() {
            for end in ["", "-wal", "-shm"] {
                let mut file = store.as_os_str().to_owned();
                file.push(end);
                remove_file_if_present(Path::new(&file))?;
            }
        }
        let is_new = !fs::metadata(store).is_ok_and(|file| file.len() > 0);
        if is_new { write_private(&mark, "") } else { Ok(()) }
    }

    /// Keeps the world for the next run.
    ///
    /// # Errors
    /// One line when it cannot be written.
    pub fn save_world(&self, seed: Option<u64>, world: &World) -> Result<(), String> {
        let Some(file) = self.file_beside_store("world.json") else { return Ok(()) };
        let kept = Kept { seed, world: world.clone() };
        let text = serde_json::to_string_pretty(&kept).map_err(|error| error.to_string())?;
        write_private(&file, &text)?;
        self.file_beside_store("building").map_or(Ok(()), |mark| remove_file_if_present(&mark))
    }

    /// The folder of the demo world's bank, if the world is kept.
    pub fn bank_folder(&self) -> Option<PathBuf> {
        self.file_beside_store("bank")
    }

    fn file_beside_store(&self, ending: &str) -> Option<PathBuf> {
        self.beside.as_ref().map(|store| held::file_beside_store(store, ending))
    }
}

/// The folder for the program's data of this user.
pub(super) fn usual_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("XDG_DATA_HOME")
        .or_else(|| variable("HOME").map(|home| home.join(".local/share")))
        .map(|data| data.join("stipend"))
}

/// Removes a file, if it exists.
fn remove_file_if_present(file: &Path) -> Result<(), String> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(format!("{} cannot be removed: {error}", file.display()))
        }
        _ => Ok(()),
    }
}

/// Readable by its owner alone.
fn write_private(file: &Path, text: &str) -> Result<(), String> {
    let open = fs::OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(file);
    open.and_then(|mut open| open.write_all(text.as_bytes()))
        .map_err(|error| format!("{} cannot be written: {error}", file.display()))
}
