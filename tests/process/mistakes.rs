//! What commands say where the operator, or the machine, made a mistake.

use std::fs;
use std::path::PathBuf;

use crate::binary::{Ended, Running, run, stipend};
use crate::sent_back::file;

/// A store without a demo world.
struct Place {
    folder: tempfile::TempDir,
    url: String,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Self { url: format!("sqlite:{}", folder.path().join("s.db").display()), folder };
        assert_eq!(place.command(&["migrate", "--create"]).code, Some(0));
        place
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, words: &[&str]) -> Ended {
        run(stipend()
            .args(words)
            .args(["--database-url", &self.url])
            .env("STIPEND_MASTER_KEY", "ab".repeat(32)))
    }

    fn company(&self) -> String {
        let made = self.command(&["company", "create", "--name", "Tern Press LLC"]);
        let told: serde_json::Value = serde_json::from_str(&made.out).unwrap();
        told["uuid"].as_str().unwrap().to_owned()
    }
}

#[test]
fn a_file_of_settings_that_is_no_toml_is_refused_without_telling_what_stands_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.toml");
    for text in [
        "master_key = SECRETKEY123\n",
        "master_key = \"SECRETKEY123\nlisten = 'x'\n",
        "database_url = postgres://u:SECRETKEY123@h/x\n",
        "metrics_token: SECRETKEY123\n",
    ] {
        fs::write(&path, text).unwrap();
        let refused = run(stipend().args(["serve", "--config", path.to_str().unwrap()]));
        assert_eq!(refused.code, Some(1));
        assert_eq!(refused.err.trim().lines().count(), 1, "{}", refused.err);
        assert!(refused.err.contains("c.toml") && refused.err.contains("line 1"), "{}", refused.err);
        assert!(!refused.err.contains("SECRETKEY123"), "{}", refused.err);
    }
}

#[test]
fn what_cannot_be_printed_is_an_error_and_no_crash() {
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ended = stipend().args(["data", "template", "agency-banks"]).stdout(full()).output().unwrap();
    let told = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{told}");
    assert_eq!(told.trim().lines().count(), 1, "{told}");
}

#[test]
fn a_file_that_holds_no_store_is_not_found_whole_and_copied_nowhere() {
    let place = Place::new();
    fs::write(place.file("cut.db"), "").unwrap();
    let other = rusqlite::Connection::open(place.file("other.db")).unwrap();
    other.execute_batch("CREATE TABLE birds (name text)").unwrap();
    drop(other);
    for name in ["cut.db", "other.db", "", "none.db"] {
        let url = format!("sqlite:{}", place.file(name).display());
        let checked = run(stipend().args(["check", "--database-url", &url]));
        assert_eq!((checked.code, checked.out.as_str()), (Some(1), ""), "{name}");
        assert!(checked.err.contains("there is no store in "), "{name}: {}", checked.err);
    }
    let refused = run(stipend()
        .args(["copy", "--from", &place.url, "--to", "sqlite::memory:"])
        .current_dir(place.folder.path()));
    assert!(refused.code == Some(1) && refused.err.contains("must be a new file"), "{}", refused.err);
    assert!(!place.file(":memory:").exists());
}

#[test]
fn whoever_restores_to_where_nothing_can_be_written_hears_which_file_it_is() {
    let place = Place::new();
    let backup = place.file("b.db");
    assert_eq!(place.command(&["backup", backup.to_str().unwrap()]).code, Some(0));
    let url = format!("sqlite:{}", place.file("missing/new.db").display());
    let key = "ab".repeat(32);
    let words = ["restore", backup.to_str().unwrap(), "--database-url", &url];
    let refused = run(stipend().args(words).env("STIPEND_MASTER_KEY", key));
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("missing/new.db.restoring: No such file"), "{}", refused.err);
    assert!(!refused.err.contains("b.db: No such file"), "{}", refused.err);
}

#[test]
fn no_backup_is_made_of_a_file_that_holds_no_store() {
    let place = Place::new();
    fs::write(place.file("cut.db"), "").unwrap();
    let url = format!("sqlite:{}", place.file("cut.db").display());
    let copy = place.file("copy.db");
    let refused = run(stipend().args(["backup", copy.to_str().unwrap(), "--database-url", &url]));
    assert!(refused.code == Some(1) && refused.err.contains("there is no store in "), "{}", refused.err);
    assert!(!copy.exists());
    let url = format!("sqlite:file:{}", place.file("new.db").display());
    let key = ("STIPEND_MASTER_KEY", "ab".repeat(32));
    let refused = run(stipend().args(["migrate", "--create", "--database-url", &url]).envs([key]));
    assert!(refused.code == Some(1) && refused.err.contains("leave out file:"), "{}", refused.err);
    assert!(!place.file("new.db").exists());
}

#[test]
fn everything_that_was_ever_set_aside_is_kept_and_a_link_stays_one() {
    let place = Place::new();
    let company = place.company();
    let backup = place.file("b.db");
    assert_eq!(place.command(&["backup", backup.to_str().unwrap()]).code, Some(0));
    let link = place.file("link.db");
    std::os::unix::fs::symlink(place.file("s.db"), &link).unwrap();
    let url = format!("sqlite:{}", link.display());
    for _ in 0..3 {
        let words = ["restore", backup.to_str().unwrap(), "--replace", "--database-url", &url];
        let restored = run(stipend().args(words).env("STIPEND_MASTER_KEY", "ab".repeat(32)));
        assert_eq!(restored.code, Some(0), "{}", restored.err);
    }
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let names = fs::read_dir(place.folder.path()).unwrap().map(|one| one.unwrap().file_name());
    let aside = names.filter(|name| name.to_str().unwrap().starts_with("s.db.before-"));
    assert_eq!(aside.count(), 3);
    let listed = place.command(&["bank", "corrections", &company]);
    assert_eq!(listed.code, Some(0), "{}", listed.err);
}

#[test]
fn lists_of_a_company_that_is_none_are_refused_and_one_without_a_signatory_is_told_so() {
    let place = Place::new();
    let nobody = "00000000-0000-4000-8000-000000000001";
    for words in [
        &["bank", "corrections", nobody][..],
        &["jobs", "list", "--company", nobody],
        &["audit", "verify", "--company", nobody],
        &["company", "identity", nobody, "Pass"],
    ] {
        let refused = place.command(words);
        assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""), "{words:?}");
        assert!(refused.err.contains("there is no "), "{words:?}: {}", refused.err);
    }
    let company = place.company();
    for words in [
        &["bank", "corrections", &company][..],
        &["jobs", "list", "--company", &company],
        &["audit", "verify", "--company", &company],
    ] {
        assert_eq!(place.command(words).code, Some(0), "{words:?}");
    }
    let unsigned = place.command(&["company", "identity", &company, "Pass"]);
    assert!(unsigned.err.contains("the company has no signatory"), "{}", unsigned.err);
}

#[test]
fn everything_that_the_bank_sent_is_listed() {
    let place = Place::new();
    let traces: Vec<String> = (0..1_050).map(|number| format!("09100001{number:07}")).collect();
    let records: Vec<_> = traces.iter().map(|trace| ("R03", trace.as_str(), 500, "")).collect();
    fs::write(place.file("r.ach"), file(&records)).unwrap();
    let read = place.command(&["bank", "read", place.file("r.ach").to_str().unwrap()]);
    assert!(read.out.contains("1050 unknown"), "{}{}", read.out, read.err);
    let listed = place.command(&["bank", "returns", "--unknown"]);
    let all: std::collections::BTreeSet<_> = listed.out.lines().collect();
    assert_eq!(all.len(), 1_050);
    assert_eq!(place.command(&["bank", "returns"]).out.lines().count(), 1_050);
}

#[test]
fn a_vintage_is_a_date_that_keeps_out_no_other_for_years() {
    let place = Place::new();
    let table = place.file("t.csv");
    let import = |vintage: &str, more: &str| {
        fs::write(&table, format!("state,year,percent,source,confidence\n{more}")).unwrap();
        place.command(&[
            "data",
            "import",
            "futa-credit-reductions",
            table.to_str().unwrap(),
            "--vintage",
            vintage,
        ])
    };
    for (vintage, why) in [
        ("zzzz", "a vintage is a year, a month or a day"),
        ("2026-13-01", "a vintage is"),
        ("a\nb", "a vintage is"),
        ("2162-12-01", "more than a year ahead"),
    ] {
        let refused = import(vintage, "CA,2026,1.5,notice,primary\n");
        assert!(refused.code == Some(1) && refused.err.contains(why), "{vintage}: {}", refused.err);
    }
    for slip in ["XX,2026,1,notice,primary\n", "CA,3026,1,notice,primary\n"] {
        let refused = import("2026-11-20", slip);
        assert!(refused.code == Some(1) && refused.err.contains("two capital letters"), "{}", refused.err);
    }
    let today = store::Clock::from_system().now().to_string();
    let taken = import(&today[..10], "CA,2026,1.5,notice,primary\n");
    assert_eq!(taken.code, Some(0), "{}", taken.err);
}

#[test]
fn a_bank_whose_folder_is_missing_here_and_wires_that_go_nowhere_are_told_at_once() {
    let place = Place::new();
    let company = place.company();
    let folder = place.file("bank");
    let set = |more: &[&str]| {
        let words = [
            "bank",
            "settings",
            "set",
            "--company-id",
            "1999999999",
            "--bank-routing",
            "091000019",
            "--bank-name",
            "First Example Bank",
            "--origin",
            " 091000019",
            "--origin-name",
            "Stipend",
            "--folder",
            folder.to_str().unwrap(),
        ];
        place.command(&[&words[..], more].concat())
    };
    let told = set(&[]);
    assert!(told.code == Some(0) && told.err.contains("there is no folder "), "{}", told.err);
    fs::create_dir(&folder).unwrap();
    assert_eq!(set(&[]).err, "");
    let by_wire = ["bank", "fund", company.as_str(), "--after", "wire"];
    let refused = place.command(&by_wire);
    assert!(refused.code == Some(1) && refused.err.contains("--wire-to"), "{}", refused.err);
    let wire = place.file("wire.json");
    let to = r#"{"bank_name":"B","bank_address":"1 A St","recipient_name":"R","recipient_address":"2 A St","routing":"091000019","account":"7001"}"#;
    fs::write(&wire, to).unwrap();
    assert_eq!(set(&["--wire-to", wire.to_str().unwrap()]).code, Some(0));
    assert_eq!(place.command(&by_wire).code, Some(0));
    let refused = set(&[]);
    assert!(refused.code == Some(1) && refused.err.contains(&company), "{}", refused.err);
}

#[test]
fn a_demo_world_whose_building_was_interrupted_is_built_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("dev.db");
    let url = format!("sqlite:{}", store.display());
    let options = ["--database-url", &url, "--seed", "7", "--clock", "2026-11-21T09:00:00Z"];
    let first = Running::dev(&options);
    let report = first.report().clone();
    assert_eq!(first.stop().0, Some(0));
    assert!(!folder.path().join("dev.db.building").exists());
    // As it is left when the process is killed before the world is kept.
    fs::remove_file(folder.path().join("dev.db.world.json")).unwrap();
    fs::write(folder.path().join("dev.db.building"), "").unwrap();
    let again = Running::dev(&options);
    assert_eq!(again.report()["companies"][0]["uuid"], report["companies"][0]["uuid"]);
    assert_eq!(again.stop().0, Some(0));
    assert!(!folder.path().join("dev.db.building").exists());
}

#[test]
fn a_process_without_a_worker_keeps_the_figures_of_the_store() {
    let place = Place::new();
    let settings = [("STIPEND_WORKER", "false"), ("STIPEND_METRICS_TOKEN", "figures")];
    fs::write(place.file("k"), "ab".repeat(32)).unwrap();
    let report = serde_json::json!({ "companies": [{ "uuid": "", "access_token": "figures" }] });
    let service = Running::node(&place.url, &place.file("k"), report, &settings);
    let told = |_: u32| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        let (status, text) = service.get("/metrics");
        status == 200 && text.contains("jobs_given_up_waiting") && text.contains("law_tables_missing")
    };
    assert!((0..100).any(told), "{:?}", service.get("/metrics"));
    assert_eq!(service.stop().0, Some(0));
}
