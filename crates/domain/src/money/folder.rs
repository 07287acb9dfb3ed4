//! Where a file goes, and what a crash leaves there.
//!
//! A file is written under its name in the private part of the folder, brought to the disk, and then renamed into the folder
//! itself, from where the bank's tool takes it. The rename is the one moment at which it becomes the bank's, and its own
//! evidence: once a file is recorded as staged, it lies in the private part exactly until it was renamed. What the tool
//! does with it afterwards changes nothing of that.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// The private part of the folder.
const PRIVATE: &str = ".stipend";
/// Holds the identifier of the folder.
const ID: &str = "id";

/// A folder that the bank's tool looks into.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
    /// tells it apart from other folders under the same path: on other machines, or made anew
    pub id: Uuid,
}

impl Folder {
    /// Opens the folder, which must be there. Its private part, and its identifier, are made at the first time.
    ///
    /// # Errors
    /// One line that names the path.
    pub fn open(path: &Path, new_id: Uuid) -> Result<Self, String> {
        let told =
            |error: std::io::Error| format!("the bank's folder {} cannot be used: {error}", path.display());
        let private = path.join(PRIVATE);
        match fs::create_dir(&private) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(told(error)),
            _ => fs::set_permissions(&private, Permissions::from_mode(0o700)).map_err(told)?,
        }
        let file = private.join(ID);
        if !file.exists() {
            put(&private, &format!("{ID}.new"), new_id.to_string().as_bytes()).map_err(told)?;
            fs::rename(private.join(format!("{ID}.new")), &file).map_err(told)?;
            sync(&private).map_err(told)?;
        }
        let text = fs::read_to_string(&file).map_err(told)?;
        let id = text.trim().parse();
        let id = id.map_err(|_| format!("{} does not hold the identifier of the folder", file.display()))?;
        sync(path).map_err(told)?;
        Ok(Self { path: path.to_owned(), id })
    }

    /// Writes a file into the private part, under a name of this attempt alone, and brings it to the disk.
    ///
    /// # Errors
    /// One line that names the file.
    pub fn stage(&self, name: &str, attempt: Uuid, text: &str) -> Result<(), String> {
        let private = self.path.join(PRIVATE);
        put(&private, &staged(name, attempt), text.as_bytes())
            .and_then(|()| sync(&private))
            .map_err(|error| self.told(name, &error))
    }

    /// Gives the file that an attempt has staged to the bank's tool. One that is not in the private part any more was given
    /// before.
    ///
    /// # Errors
    /// One line that names the file.
    pub fn give(&self, name: &str, attempt: Uuid) -> Result<(), String> {
        let private = self.path.join(PRIVATE);
        match fs::rename(private.join(staged(name, attempt)), self.path.join(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.told(name, &error)),
            _ => sync(&self.path).and_then(|()| sync(&private)).map_err(|error| self.told(name, &error)),
        }
    }

    /// Takes a file back that the bank's tool has not taken; false where it has.
    ///
    /// # Errors
    /// One line that names the file.
    pub fn take_back(&self, name: &str) -> Result<bool, String> {
        let private = self.path.join(PRIVATE);
        match fs::rename(self.path.join(name), private.join(format!("{name}.void"))) {
            Ok(()) => sync(&self.path).map(|()| true).map_err(|error| self.told(name, &error)),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(private.join(format!("{name}.void")).exists())
            }
            Err(error) => Err(self.told(name, &error)),
        }
    }

    /// Removes a file that was taken back, once that is noted.
    ///
    /// # Errors
    /// One line that names the file.
    pub fn discard(&self, name: &str) -> Result<(), String> {
        remove(&self.path.join(PRIVATE).join(format!("{name}.void"))).map_err(|error| self.told(name, &error))
    }

    /// Forgets what an attempt has staged that does not count.
    ///
    /// # Errors
    /// One line that names the file.
    pub fn forget(&self, name: &str, attempt: Uuid) -> Result<(), String> {
        remove(&self.path.join(PRIVATE).join(staged(name, attempt))).map_err(|error| self.told(name, &error))
    }

    /// Forgets what crashes have left of a file that was given: no attempt to stage it counts any more.
    ///
    /// # Errors
    /// One line that names the file.
    pub fn tidy(&self, name: &str) -> Result<(), String> {
        let told = |error| self.told(name, &error);
        let of_it = format!("{name}.");
        for left in fs::read_dir(self.path.join(PRIVATE)).map_err(told)? {
            let left = left.map_err(told)?;
            let attempt =
                left.file_name().to_str().and_then(|file| file.strip_prefix(&of_it)?.parse::<Uuid>().ok());
            if attempt.is_some() {
                remove(&left.path()).map_err(told)?;
            }
        }
        Ok(())
    }

    fn told(&self, name: &str, error: &std::io::Error) -> String {
        format!("the file {name} in the bank's folder {}: {error}", self.path.display())
    }
}

/// The name of a staged file in the private part.
fn staged(name: &str, attempt: Uuid) -> String {
    format!("{name}.{attempt}")
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Writes a file for the service and its group alone, whole and to the disk.
fn put(folder: &Path, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let path = folder.join(name);
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o640).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Brings the names in a folder to the disk.
fn sync(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_given_once_whatever_the_banks_tool_did_with_it() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path(), Uuid::from_u128(1)).unwrap();
        let (half, counts, late) = (Uuid::from_u128(7), Uuid::from_u128(8), Uuid::from_u128(9));
        // What a crash left of it is never given.
        folder.stage("a.ach", half, "ha").unwrap();
        folder.stage("a.ach", counts, "whole").unwrap();
        assert!(!place.path().join("a.ach").exists());
        folder.give("a.ach", counts).unwrap();
        assert_eq!(fs::read_to_string(place.path().join("a.ach")).unwrap(), "whole");
        // The tool takes it; after a crash it is given again, and does not come back, whoever has staged it meanwhile.
        fs::remove_file(place.path().join("a.ach")).unwrap();
        folder.stage("a.ach", late, "whole").unwrap();
        folder.give("a.ach", counts).unwrap();
        assert!(!place.path().join("a.ach").exists());
        assert!(!folder.take_back("a.ach").unwrap());
        folder.forget("a.ach", late).unwrap();
        folder.tidy("a.ach").unwrap();
        let left = fs::read_dir(place.path().join(PRIVATE)).unwrap().map(|file| file.unwrap().file_name());
        assert_eq!(left.collect::<Vec<_>>(), [ID], "nothing with numbers of accounts is left lying about");
    }

    #[test]
    fn a_folder_is_known_again_and_told_apart_from_one_that_was_made_anew() {
        let place = tempfile::tempdir().unwrap();
        let first = Folder::open(place.path(), Uuid::from_u128(1)).unwrap();
        assert_eq!(Folder::open(place.path(), Uuid::from_u128(2)).unwrap().id, first.id);
        fs::remove_dir_all(place.path().join(PRIVATE)).unwrap();
        assert_eq!(Folder::open(place.path(), Uuid::from_u128(2)).unwrap().id, Uuid::from_u128(2));
        assert!(
            Folder::open(Path::new("/nowhere/at/all"), Uuid::nil()).unwrap_err().contains("/nowhere/at/all")
        );
    }

    #[test]
    fn a_file_is_taken_back_as_long_as_it_lies_there() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path(), Uuid::from_u128(1)).unwrap();
        folder.stage("a.ach", Uuid::from_u128(7), "whole").unwrap();
        folder.give("a.ach", Uuid::from_u128(7)).unwrap();
        folder.tidy("a.ach").unwrap();
        assert!(folder.take_back("a.ach").unwrap());
        folder.tidy("a.ach").unwrap();
        assert!(!place.path().join("a.ach").exists() && folder.take_back("a.ach").unwrap());
        folder.discard("a.ach").unwrap();
        let left = fs::read_dir(place.path().join(PRIVATE)).unwrap().map(|file| file.unwrap().file_name());
        assert_eq!(left.collect::<Vec<_>>(), [ID], "nothing with numbers of accounts is left lying about");
    }
}
