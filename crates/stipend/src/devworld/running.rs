//! The `stipend dev` processes running on this machine. Each leaves its report in the user's run directory while it
//! runs, so that `stipend listen` and `stipend trigger` find it with its tokens, whatever its port and the place of its
//! data.
//!
//! A report is valid while its process holds the lock on it. A killed process leaves an unlocked one, which the next
//! reader removes. Names are random, so a reader never removes another process's report.

use std::fs;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::home::usual_folder;
use super::report::ParsedReport;

/// The report of a running process; removed when this is dropped.
pub struct Announced {
    file: PathBuf,
    /// held as long as the process runs
    _lock: fs::File,
}

impl Drop for Announced {
    fn drop(&mut self) {
        fs::remove_file(&self.file).ok();
    }
}

/// Leaves this report for other commands of the same user; `None` if the user has no folder for it.
///
/// # Errors
/// The report cannot be written.
pub fn announce_report(report: &str) -> std::io::Result<Option<Announced>> {
    report_folder().map(|folder| announce_in(&folder, report)).transpose()
}

/// The reports of all running processes, in the order of their URLs.
pub fn running_reports() -> Vec<ParsedReport> {
    report_folder().map(|folder| all_in(&folder)).unwrap_or_default()
}

fn report_folder() -> Option<PathBuf> {
    let run = std::env::var_os("XDG_RUNTIME_DIR").filter(|value| !value.is_empty());
    run.map(|run| PathBuf::from(run).join("stipend")).or_else(|| usual_folder().map(|data| data.join("run")))
}

fn announce_in(folder: &Path, report: &str) -> std::io::Result<Announced> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // Readable only by its owner, because it contains tokens. It gets its name once it is complete and locked.
    let mut new = tempfile::Builder::new().prefix("dev-").suffix(".new").tempfile_in(folder)?;
    new.as_file().lock()?;
    new.write_all(report.as_bytes())?;
    let file = new.path().with_extension("json");
    let lock = new.persist(&file)?;
    Ok(Announced { file, _lock: lock })
}

fn all_in(folder: &Path) -> Vec<ParsedReport> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let reports = entries.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    let mut running: Vec<ParsedReport> = reports.filter_map(|path| read_running_report(&path)).collect();
    running.sort_by(|one, other| one.base_url.cmp(&other.base_url));
    running
}

/// A report whose process is running. One of another version of the program, which cannot be parsed, is left alone.
fn read_running_report(path: &Path) -> Option<ParsedReport> {
    let file = fs::File::open(path).ok()?;
    // A shared lock: two commands that read at once do not mistake each other for the process.
    if file.try_lock_shared().is_ok() {
        fs::remove_file(path).ok();
        return None;
    }
    serde_json::from_reader(file).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(port: u16) -> String {
        serde_json::json!({
            "base_url": format!("http://127.0.0.1:{port}"), "flow_url": format!("http://127.0.0.1:{port}"), "system_access_token": "system", "companies": [], "users": [],
            "application": { "client_id": "c", "client_secret": "s", "api_token": "a", "redirect_uri": "http://localhost" },
        })
        .to_string()
    }

    #[test]
    fn what_runs_is_found_and_what_has_ended_is_not() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("stipend");
        assert!(all_in(&folder).is_empty(), "there is no folder yet");
        let first = announce_in(&folder, &report(8082)).unwrap();
        let second = announce_in(&folder, &report(8081)).unwrap();
        let found = || all_in(&folder).into_iter().map(|one| one.base_url).collect::<Vec<_>>();
        assert_eq!(found(), ["http://127.0.0.1:8081", "http://127.0.0.1:8082"]);
        assert_eq!(found().len(), 2, "looking changes nothing");
        drop(second);
        assert_eq!(found(), ["http://127.0.0.1:8082"]);
        drop(first);
        assert!(fs::read_dir(&folder).unwrap().next().is_none(), "nothing is left behind");
    }

    #[test]
    fn the_report_of_a_process_that_was_killed_is_removed_by_whoever_looks() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("dev-x.json"), report(8083)).unwrap();
        assert!(all_in(place.path()).is_empty());
        assert!(fs::read_dir(place.path()).unwrap().next().is_none());
    }

    #[test]
    fn nobody_else_reads_the_tokens() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("stipend");
        let held = announce_in(&folder, &report(8084)).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&held.file)), (0o700, 0o600));
    }
}
