//! The list of what to do before the data of real people are entered.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::binary::{run, stipend};

/// The points, each with whether it is done and what is told of it, and the exit code.
type PointsAndCode = (BTreeMap<String, (bool, String)>, Option<i32>);

struct Place {
    folder: tempfile::TempDir,
    url: String,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["store", "keys", "backups"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let url = format!("sqlite:{}", folder.path().join("store/stipend.db").display());
        Self { folder, url }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, key: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> crate::binary::Ended {
        let key = ("STIPEND_MASTER_KEY_FILE", key);
        let mut command = stipend();
        command.args(arguments).args(["--database-url", &self.url]).envs([key]);
        run(command.envs(settings.iter().copied()))
    }

    fn check(&self, key: &Path, more: &[&str], settings: &[(&str, &str)]) -> PointsAndCode {
        let done = self.command(key, &[&["check", "--production", "--json"], more].concat(), settings);
        let points: Value = serde_json::from_str(&done.out).unwrap_or_else(|_| panic!("{}", done.err));
        let point = |one: &Value| {
            let text = |key: &str| one[key].as_str().unwrap().to_owned();
            (text("point"), (one["done"].as_bool().unwrap(), text("told")))
        };
        (points.as_array().unwrap().iter().map(point).collect(), done.code)
    }
}

fn is_open(told: &PointsAndCode, point: &str, word: &str) {
    let (done, text) = &told.0[point];
    assert!(!done && text.contains(word) && told.1 == Some(1), "{point}: {text}");
}

#[test]
fn the_list_before_production_names_what_is_open_until_it_is_done() {
    let place = Place::new();
    let (beside, apart) = (place.file("store/master.key"), place.file("keys/master.key"));
    fs::write(&beside, run(stipend().args(["keys", "new"])).out).unwrap();
    fs::set_permissions(&beside, fs::Permissions::from_mode(0o644)).unwrap();
    let made = place.command(&beside, &["migrate", "--create"], &[]);
    assert_eq!(made.code, Some(0), "{}", made.err);

    let told = place.check(&beside, &[], &[]);
    assert_eq!(told.0.len(), 5);
    for (point, word) in [
        ("master key", "chmod 600"),
        ("TLS", "public_url"),
        ("backup", "--backup"),
        ("watching", "metrics_token"),
    ] {
        is_open(&told, point, word);
    }
    fs::set_permissions(&beside, fs::Permissions::from_mode(0o600)).unwrap();
    is_open(&place.check(&beside, &[], &[]), "master key", "lies beside the store");
    fs::rename(&beside, &apart).unwrap();
    assert!(place.check(&apart, &[], &[]).0["master key"].0);

    let https = ("STIPEND_PUBLIC_URL", "https://payroll.example");
    let plain = ("STIPEND_PUBLIC_URL", "http://payroll.example");
    is_open(&place.check(&apart, &[], &[plain]), "TLS", "is not https");
    is_open(&place.check(&apart, &[], &[https]), "TLS", "behind_proxy");
    let settings =
        [https, ("STIPEND_BEHIND_PROXY", "true"), ("STIPEND_METRICS_TOKEN", "a-token-of-the-watch")];

    let (folder, backup) = (place.file("backups"), place.file("backups/monday.db"));
    let of_folder = ["--backup", folder.to_str().unwrap()];
    is_open(&place.check(&apart, &of_folder, &settings), "backup", "there is no backup");
    let made = place.command(&apart, &["backup", backup.to_str().unwrap()], &[]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let old = fs::metadata(&backup).unwrap().modified().unwrap() - Duration::from_secs(50 * 3600);
    fs::File::options().write(true).open(&backup).unwrap().set_modified(old).unwrap();
    is_open(&place.check(&apart, &of_folder, &settings), "backup", "50 hours ago");
    let made = place.command(&apart, &["backup", place.file("backups/tuesday.db").to_str().unwrap()], &[]);
    assert_eq!(made.code, Some(0), "{}", made.err);

    // What is left are the tables of law, which depend on the day of the year.
    let (points, code) = place.check(&apart, &of_folder, &settings);
    for point in ["master key", "TLS", "backup", "watching"] {
        assert!(points[point].0, "{point}: {}", points[point].1);
    }
    let status = place.command(&apart, &["data", "status", "--json"], &[]);
    let status: Value = serde_json::from_str(&status.out).unwrap();
    let held = status["missing"].as_array().unwrap().is_empty();
    assert_eq!((points["tables"].0, code), (held, Some(i32::from(!held))), "{}", points["tables"].1);
}
