//! Stores of earlier programs: opened by this one, with everything that is in them.
//!
//! `stores/without_checksums.db.gz` was written by the last program that kept no checksums of its migrations: the demo
//! world of `stipend dev --seed 7 --clock 2026-11-21T09:00:00Z` after every event of `stipend trigger`, a payroll that
//! was calculated and submitted, a garnishment, an accepted salary estimate, deliveries of webhooks and imported data. A
//! change of the schema has to bring it along, on both engines.

use std::io::Read;
use std::path::{Path, PathBuf};

use store::{Clock, MasterKeys, Migration, Options, Store, params};

use crate::binary::{Running, run, stipend};
use crate::postgres;

const STORE: &[u8] = include_bytes!("stores/without_checksums.db.gz");
pub const MASTER_KEY: &str = "6759bfb0a7d96706eec10a73c34be71e04ad10077fc964ea00e15dcefe711f0f";
const TOKEN: &str = "CIOADr7yqDrgLfP_1ceHrduPYCGA5xPcLBLUMRCD1XI";
pub const COMPANY: &str = "019b76da-a800-7004-8000-ce7ac6b8ee1c";

store::statements! {
    WITHOUT = "SELECT count(*) FROM schema_migrations WHERE checksum IS NULL";
    FILLED = "SELECT count(*), CAST(sum(letters) AS bigint) FROM employees WHERE letters = length(first_name) AND plan = 'none; --'";
    ITEMS = "SELECT count(*), count(i.run_id) FROM benefit_payroll_items i \
             JOIN payrolls p ON p.company_id = i.company_id AND p.id = i.payroll_id WHERE p.run_number IS NOT NULL";
    FORGET_COUNTS = "DELETE FROM employee_counts WHERE slot >= 0";
    FORGET_MIGRATION = "DELETE FROM schema_migrations WHERE name = $1";
    KEPT = "SELECT CAST(sum(number) AS bigint), CAST(sum(onboarded) AS bigint) FROM employee_counts";
    COUNTED = "SELECT count(*), count(onboarded_at) FROM employees";
    EMPLOYEES = "SELECT count(*), CAST(sum(length(first_name)) AS bigint) FROM employees";
}

/// What a later program might bring.
const LATER: Migration = Migration {
    name: "9999_letters",
    text: "ALTER TABLE employees ADD COLUMN letters bigint;
           ALTER TABLE employees ADD COLUMN plan text NOT NULL DEFAULT 'none; --';
           REPEAT UPDATE employees SET letters = length(first_name) WHERE (company_id, id) IN
               (SELECT company_id, id FROM employees WHERE letters IS NULL LIMIT 3);
           CREATE INDEX employees_by_letters ON employees (company_id, letters);",
};

/// The store, unpacked, and its key.
pub struct Kept {
    folder: tempfile::TempDir,
    pub key: PathBuf,
    pub url: String,
}

impl Kept {
    pub fn unpack() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (file, key) = (folder.path().join("kept.db"), folder.path().join("kept.db.key"));
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(STORE).read_to_end(&mut bytes).unwrap();
        std::fs::write(&file, bytes).unwrap();
        std::fs::write(&key, MASTER_KEY).unwrap();
        Self { url: format!("sqlite:{}", file.display()), folder, key }
    }

    /// The store, and a copy of it on a server where there is one.
    pub fn on_both_engines(&self) -> Vec<String> {
        let mut stores = vec![self.url.clone()];
        if let Some(server) = postgres::server() {
            let database = server.database();
            let copied = run(stipend().args(["copy", "--from", &self.url, "--to", &database]));
            assert_eq!(copied.code, Some(0), "{}", copied.err);
            stores.push(database);
        }
        stores
    }

    fn file(&self, name: &str) -> String {
        format!("sqlite:{}", self.folder.path().join(name).display())
    }

    pub fn served(&self, url: &str) -> Vec<(u16, String)> {
        let report = serde_json::json!({ "companies": [{ "uuid": COMPANY, "access_token": TOKEN }] });
        // What falls due meanwhile is left alone, so that the answers are those of the store as it was.
        let settings = [("STIPEND_CLOCK_MAY_GO_BACK", "true"), ("STIPEND_WORKER", "false")];
        let service = Running::node(url, &self.key, report, &settings);
        let people = "/employees?include=all_compensations,all_home_addresses,current_home_address&per=100";
        let payrolls = "/payrolls?processing_statuses=unprocessed,processed";
        let paths = ["", "/locations", "/pay_schedules", payrolls, "/company_benefits", people, "/forms"];
        let answers = paths.map(|path| service.get(&format!("/v1/companies/{COMPANY}{path}")));
        assert_eq!(service.stop().0, Some(0));
        for (status, answer) in &answers {
            assert!(*status == 200 && answer.len() > 2, "{answer}");
        }
        answers.into()
    }

    /// Makes a store one in which a migration was not done: takes away what it filled, and its record.
    fn forget(&self, url: &str, migration: &'static str, filled: store::Sql) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let keys = MasterKeys::parse(MASTER_KEY).unwrap();
        let options = Options { create: false, ..Options::new(Clock::system(), keys, domain::MIGRATIONS) };
        let store = Store::open(url, options).unwrap();
        let forgotten = store.write(move |tx| {
            let rows = tx.change(filled, params![])?.rows();
            assert!(tx.change(FORGET_MIGRATION, params![migration])?.one());
            Ok::<_, store::Error>(rows)
        });
        assert!(runtime.block_on(forgotten).unwrap() > 0, "{url}");
    }

    /// Opened by a program with these migrations; what is asked of it.
    fn ask(&self, url: &str, migrations: &'static [Migration], sql: store::Sql) -> (i64, Option<i64>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let keys = MasterKeys::parse(MASTER_KEY).unwrap();
        let options = Options { create: false, ..Options::new(Clock::system(), keys, migrations) };
        let store = Store::open(url, options).unwrap();
        let asked = store.read(move |tx| {
            tx.find(sql, params![], |row| (row.get(0), if sql == WITHOUT { None } else { row.get(1) }))
        });
        runtime.block_on(asked).map_err(|error: store::Error| error).unwrap().unwrap()
    }
}

#[test]
fn a_store_of_an_earlier_program_is_migrated_and_answers_on_both_engines() {
    let kept = Kept::unpack();
    let told = run(stipend()
        .args(["migrate", "--database-url", &kept.url])
        .env("STIPEND_MASTER_KEY_FILE", &kept.key));
    assert_eq!(told.code, Some(0), "{}", told.err);
    assert_eq!(kept.ask(&kept.url, domain::MIGRATIONS, WITHOUT).0, 0, "each migration has its checksum now");
    let (items, named) = kept.ask(&kept.url, domain::MIGRATIONS, ITEMS);
    assert!(
        items > 0 && named == Some(items),
        "{named:?} of {items} items name the calculation that they are of"
    );
    let before = kept.served(&kept.url);
    let audit = ["audit", "verify", "--company", COMPANY, "--database-url", &kept.url];
    let verified = run(stipend().args(audit).env("STIPEND_MASTER_KEY_FILE", &kept.key));
    assert!(
        verified.code == Some(0) && verified.out.contains("newest seal"),
        "{}{}",
        verified.out,
        verified.err
    );
    let Some(server) = postgres::server() else { return };
    let database = server.database();
    let copied = run(stipend().args(["copy", "--from", &kept.url, "--to", &database]));
    assert_eq!(copied.code, Some(0), "{}", copied.err);
    assert!(kept.served(&database) == before, "the copy answers as the store does");
}

#[test]
fn commands_beside_the_service_leave_the_schema_of_an_earlier_program_as_it_is() {
    let kept = Kept::unpack();
    // Had one of them migrated it, the next would not be refused.
    for command in [&["jobs", "list"][..], &["audit", "verify", "--company", COMPANY], &["data", "status"]] {
        let refused = run(stipend()
            .args(command)
            .args(["--database-url", &kept.url])
            .env("STIPEND_MASTER_KEY_FILE", &kept.key));
        assert!(
            refused.code == Some(1) && refused.err.contains("`stipend migrate`"),
            "{command:?}: {}",
            refused.err
        );
    }
}

#[test]
fn employees_of_before_are_counted_once_when_their_store_is_migrated_on_both_engines() {
    let kept = Kept::unpack();
    let counted = kept.ask(&kept.url, domain::MIGRATIONS, COUNTED);
    assert!(counted.0 > 10 && counted.1 > Some(0), "{counted:?}");
    for url in &kept.on_both_engines() {
        assert_eq!(kept.ask(url, domain::MIGRATIONS, KEPT), counted, "{url}");
        // As a store was before that migration.
        kept.forget(url, "0270_employee_counts", FORGET_COUNTS);
        assert_eq!(
            kept.ask(url, domain::MIGRATIONS, KEPT),
            counted,
            "{url}, migrated from the version before"
        );
    }
}

#[test]
fn a_later_program_adds_columns_and_fills_them_in_a_store_with_data_on_both_engines() {
    let kept = Kept::unpack();
    let later: &'static [Migration] = [domain::MIGRATIONS, &[LATER]].concat().leak();
    let people = kept.ask(&kept.url, domain::MIGRATIONS, EMPLOYEES);
    assert!(people.0 > 10, "{people:?}");
    for url in &kept.on_both_engines() {
        assert_eq!(kept.ask(url, later, FILLED), people, "{url}");
        // The program of before is told so, and touches nothing.
        let refused = run(stipend().args(["data", "status", "--database-url", url]));
        assert!(
            refused.code == Some(1) && refused.err.contains("newer than this program"),
            "{}",
            refused.err
        );
        let copied = store::copy(url, &kept.file(&format!("{}.db", url.len())), later, &|_, _| {}).unwrap();
        assert!(copied.iter().any(|table| table.name == "employees"));
        assert_eq!(kept.ask(&kept.file(&format!("{}.db", url.len())), later, FILLED), people);
    }
}

#[test]
fn no_migration_that_was_committed_is_edited() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    let sums = std::fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
    let listed: Vec<_> = sums.lines().filter_map(|line| line.split_once("  ")).collect();
    let held: Vec<_> =
        domain::MIGRATIONS.iter().map(|one| (one.checksum(), format!("{}.sql", one.name))).collect();
    let held: Vec<_> = held.iter().map(|(sum, name)| (sum.as_str(), name.as_str())).collect();
    assert_eq!(
        held, listed,
        "stores have been made with these texts: write a new migration instead of changing one, and add its line \
         with `(cd migrations && sha256sum NAME.sql >> SHA256SUMS)`"
    );
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".sql"))
        .collect();
    files.sort();
    assert_eq!(files, listed.iter().map(|(_, name)| *name).collect::<Vec<_>>());
}
