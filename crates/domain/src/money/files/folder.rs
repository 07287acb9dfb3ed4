//! The bank's folder, and what a crash leaves there.
//!
//! A file is written under its name in a private subfolder, synced, and then renamed into the folder itself, where the bank's tool takes
//! it. The rename is the moment at which it becomes the bank's, and its own evidence: a file that is recorded as staged is in the private
//! subfolder exactly until it has been renamed. What the tool does with it afterwards does not change that.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// The private subfolder.
const PRIVATE: &str = ".stipend";
/// The file that contains the id of the folder.
const ID: &str = "id";

/// A folder that the bank's tool watches.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
    /// id that distinguishes it from other folders with the same path: on other machines, or recreated
    pub id: Uuid,
}

impl Folder {
    /// Opens the folder, which must exist. Its private subfolder and its id are created the first time.
    ///
    /// # Errors
    /// One line that names the path.
    pub fn open_folder(path: &Path, new_id: Uuid) -> Result<Self, String> {
        let told =
            |error: std::io::Error| format!("the bank's folder {} cannot be used: {error}", path.display());
        let private = path.join(PRIVATE);
        match fs::create_dir(&private) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(told(error)),
            _ => fs::set_permissions(&private, Permissions::from_mode(0o700)).map_err(told)?,
        }
        let file = private.join(ID);
        if !file.exists() {
            write_private_file(&private, &format!("{ID}.new"), new_id.to_string().as_bytes())
                .map_err(told)?;
            fs::rename(private.join(format!("{ID}.new")), &file).map_err(told)?;
            sync_folder(&private).map_err(told)?;
        }
        let text = fs::read_to_string(&file).map_err(told)?;
        let id = text.trim().parse();
        let id = id.map_err(|_| format!("{} does not contain the folder's identifier", file.display()))?;
        sync_folder(path).map_err(told)?;
        Ok(Self { path: path.to_owned(), id })
    }

    /// Writes a file to the private subfolder, under a name of this attempt only, and syncs it.
    ///
    /// # Errors
    /// One line that names the file.
    pub fn stage_file(&self, name: &str, attempt: Uuid, text: &str) -> Result<(), String> {
        let private = self.path.join(PRIVATE);
        write_private_file(&private, &staged_name(name, attempt), text.as_bytes())
            .and_then(|()| sync_folder(&private))
            .map_err(|error| self.describe_error(name, &error))
    }

    /// Gives the file that an attempt has staged to the bank's tool. A file that is no longer in the private subfolder was already given.
    ///
    /// # Errors
    /// One line that names the file.
    pub fn give_file(&self, name: &str, attempt: Uuid) -> Result<(), String> {
        let private = self.path.join(PRIVATE);
        match fs::rename(private.join(staged_name(name, attempt)), self.path.join(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.describe_error(name, &error)),
            _ => sync_folder(&self.path)
                .and_then(|()| sync_folder(&private))
                .map_err(|error| self.describe_error(name, &error)),
        }
    }

    /// Removes a file that the bank's tool has not taken; returns false if it has.
    ///
    /// # Errors
    /// One line that names the file.
    pub fn take_back(&self, name: &str) -> Result<bool, String> {
        let private = self.path.join(PRIVATE);
        match fs::rename(self.path.join(name), private.join(format!("{name}.void"))) {
            Ok(()) => {
                sync_folder(&self.path).map(|()| true).map_err(|error| self.describe_error(name, &error))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(private.join(format!("{name}.void")).exists())
            }
            Err(error) => Err(self.describe_error(name, &error)),
        }
    }

    /// Deletes a voided file, once that is recorded.
    ///
    /// # Errors
    /// One line that names the file.
    pub fn discard_file(&self, name: &str) -> Result<(), String> {
        remove_if_exists(&self.path.join(PRIVATE).join(format!("{name}.void")))
            .map_err(|error| self.describe_error(name, &error))
    }

    /// Deletes the file staged by an attempt that does not count.
    ///
    /// # Errors
    /// One line that names the file.
    pub fn forget_staged(&self, name: &str, attempt: Uuid) -> Result<(), String> {
        remove_if_exists(&self.path.join(PRIVATE).join(staged_name(name, attempt)))
            .map_err(|error| self.describe_error(name, &error))
    }

    /// Deletes the staged copies that crashes left of a file that was given: no attempt to stage it counts any longer.
    ///
    /// # Errors
    /// One line that names the file.
    pub fn tidy_staged(&self, name: &str) -> Result<(), String> {
        let told = |error| self.describe_error(name, &error);
        let of_it = format!("{name}.");
        for left in fs::read_dir(self.path.join(PRIVATE)).map_err(told)? {
            let left = left.map_err(told)?;
            let attempt =
                left.file_name().to_str().and_then(|file| file.strip_prefix(&of_it)?.parse::<Uuid>().ok());
            if attempt.is_some() {
                remove_if_exists(&left.path()).map_err(told)?;
            }
        }
        Ok(())
    }

    fn describe_error(&self, name: &str, error: &std::io::Error) -> String {
        format!("the file {name} in the bank's folder {}: {error}", self.path.display())
    }
}

/// Returns the name of a staged file in the private subfolder.
fn staged_name(name: &str, attempt: Uuid) -> String {
    format!("{name}.{attempt}")
}

/// Removes a file, if it exists.
fn remove_if_exists(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Writes and syncs a file that only the service and its group can read.
fn write_private_file(folder: &Path, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let path = folder.join(name);
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o640).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Syncs the folder's entries.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_given_once_whatever_the_banks_tool_does_with_it() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open_folder(place.path(), Uuid::from_u128(1)).unwrap();
        let (half, counts, late) = (Uuid::from_u128(7), Uuid::from_u128(8), Uuid::from_u128(9));
        // A partial file that a crash left is never given.
        folder.stage_file("a.ach", half, "ha").unwrap();
        folder.stage_file("a.ach", counts, "whole").unwrap();
        assert!(!place.path().join("a.ach").exists());
        folder.give_file("a.ach", counts).unwrap();
        assert_eq!(fs::read_to_string(place.path().join("a.ach")).unwrap(), "whole");
        // The tool takes it; given again after a crash, it does not reappear, even if another attempt has staged it in the meantime.
        fs::remove_file(place.path().join("a.ach")).unwrap();
        folder.stage_file("a.ach", late, "whole").unwrap();
        folder.give_file("a.ach", counts).unwrap();
        assert!(!place.path().join("a.ach").exists());
        assert!(!folder.take_back("a.ach").unwrap());
        folder.forget_staged("a.ach", late).unwrap();
        folder.tidy_staged("a.ach").unwrap();
        let left = fs::read_dir(place.path().join(PRIVATE)).unwrap().map(|file| file.unwrap().file_name());
        assert_eq!(left.collect::<Vec<_>>(), [ID], "no file with account numbers is left");
    }

    #[test]
    fn a_folder_is_recognized_and_distinguished_from_a_recreated_one() {
        let place = tempfile::tempdir().unwrap();
        let first = Folder::open_folder(place.path(), Uuid::from_u128(1)).unwrap();
        assert_eq!(Folder::open_folder(place.path(), Uuid::from_u128(2)).unwrap().id, first.id);
        fs::remove_dir_all(place.path().join(PRIVATE)).unwrap();
        assert_eq!(Folder::open_folder(place.path(), Uuid::from_u128(2)).unwrap().id, Uuid::from_u128(2));
        assert!(
            Folder::open_folder(Path::new("/nowhere/at/all"), Uuid::nil())
                .unwrap_err()
                .contains("/nowhere/at/all")
        );
    }

    #[test]
    fn a_file_is_removed_while_it_is_still_in_the_folder() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open_folder(place.path(), Uuid::from_u128(1)).unwrap();
        folder.stage_file("a.ach", Uuid::from_u128(7), "whole").unwrap();
        folder.give_file("a.ach", Uuid::from_u128(7)).unwrap();
        folder.tidy_staged("a.ach").unwrap();
        assert!(folder.take_back("a.ach").unwrap());
        folder.tidy_staged("a.ach").unwrap();
        assert!(!place.path().join("a.ach").exists() && folder.take_back("a.ach").unwrap());
        folder.discard_file("a.ach").unwrap();
        let left = fs::read_dir(place.path().join(PRIVATE)).unwrap().map(|file| file.unwrap().file_name());
        assert_eq!(left.collect::<Vec<_>>(), [ID], "no file with account numbers is left");
    }
}
