//! Stores of earlier programs: opened by this one, with everything that is in them.
//!
//! The store is a demo world that `stipend dev` has made, from which what the newest migration added is taken away again:
//! so the program before that migration left it. A change of the schema has to bring it along, on both engines.

use std::path::{Path, PathBuf};

use store::{Clock, MasterKeys, Migration, Options, Store, params};

use crate::binary::{Running, run, stipend};
use crate::postgres;

pub const MASTER_KEY: &str = "6759bfb0a7d96706eec10a73c34be71e04ad10077fc964ea00e15dcefe711f0f";

store::statements! {
    FILLED = "SELECT count(*), CAST(sum(letters) AS bigint) FROM employees WHERE letters = length(first_name) AND plan = 'none; --'";
    EMPLOYEES = "SELECT count(*), CAST(sum(length(first_name)) AS bigint) FROM employees";
    CODES = "SELECT count(*), CAST(sum(length(code)) AS bigint) FROM payroll_posting_lines WHERE account = 'net_pay_payable'";
    FORGET_CODES = "UPDATE payroll_posting_lines SET code = '' WHERE account = 'net_pay_payable'";
    FORGET_LATER_CODES = "UPDATE liability_payments SET code = '' WHERE account = 'net_pay_payable'";
    DROP_INDEX = "DROP INDEX liability_payments_by_code";
    DROP_HELD_BY = "ALTER TABLE payment_batches DROP COLUMN held_by";
    DROP_OWED_AGAIN = "ALTER TABLE payment_batches DROP COLUMN owed_again";
    DROP_TABLE = "DROP TABLE low_wages";
    DROP_PREPARATIONS = "DROP TABLE year_preparations";
    DROP_OUTSIDE_DEPOSITS = "DROP TABLE outside_deposits";
    FORGET_MIGRATION = "DELETE FROM schema_migrations WHERE name = $1";
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

/// A demo world in a file, with its key, its first company and a token for it.
pub struct World {
    folder: tempfile::TempDir,
    pub key: PathBuf,
    pub url: String,
    pub company: String,
    token: String,
}

impl World {
    /// Made by this program.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (file, key) = (folder.path().join("kept.db"), folder.path().join("kept.db.key"));
        std::fs::write(&key, MASTER_KEY).unwrap();
        let url = format!("sqlite:{}", file.display());
        let settings = [("STIPEND_MASTER_KEY_FILE", key.to_str().unwrap())];
        let arguments = ["--database-url", &url, "--seed", "7", "--clock", "2026-11-21T09:00:00Z"];
        let service = Running::dev_with(&arguments, &settings);
        let (company, token) = (service.company().to_owned(), service.token().to_owned());
        // What the payroll, the garnishment and the events of the world leave in a store.
        let payrolls =
            service.get(&format!("/v1/companies/{company}/payrolls?processing_statuses=unprocessed")).1;
        let payroll =
            serde_json::from_str::<serde_json::Value>(&payrolls).unwrap()[0]["payroll_uuid"].clone();
        let payroll = format!("/v1/companies/{company}/payrolls/{}", payroll.as_str().unwrap());
        assert_eq!(service.exchange("PUT", &format!("{payroll}/calculate"), "").0, 202);
        assert_eq!(service.post("/v1/test_helpers/clock/advance", r#"{"seconds":60}"#).0, 200);
        assert_eq!(service.exchange("PUT", &format!("{payroll}/submit"), "").0, 202);
        assert_eq!(service.post("/v1/test_helpers/clock/advance", r#"{"seconds":60}"#).0, 200);
        assert_eq!(service.stop().0, Some(0));
        Self { folder, key, url, company, token }
    }

    /// The same, as the program before the newest migration has left it.
    fn of_before() -> Self {
        let world = Self::new();
        world.forget_newest();
        world
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
        let report =
            serde_json::json!({ "companies": [{ "uuid": self.company, "access_token": self.token }] });
        // What falls due meanwhile is left alone, so that the answers are those of the store as it was.
        let settings = [("STIPEND_CLOCK_MAY_GO_BACK", "true"), ("STIPEND_WORKER", "false")];
        let service = Running::node(url, &self.key, report, &settings);
        let people = "/employees?include=all_compensations,all_home_addresses,current_home_address&per=100";
        let payrolls = "/payrolls?processing_statuses=unprocessed,processed";
        // Of accounts of contractors the last digits are shown, so that they are unsealed.
        let (contractors, paid) = ("/contractors?include=portal_invitations", "/contractors/payment_details");
        let paths = [
            "",
            "/locations",
            "/pay_schedules",
            payrolls,
            "/company_benefits",
            people,
            "/forms",
            contractors,
            paid,
        ];
        let answers = paths.map(|path| service.get(&format!("/v1/companies/{}{path}", self.company)));
        assert_eq!(service.stop().0, Some(0));
        for (status, answer) in &answers {
            assert!(*status == 200 && answer.len() > 2, "{answer}");
        }
        answers.into()
    }

    /// Takes away what the newest migrations added, and their records.
    fn forget_newest(&self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let keys = MasterKeys::parse(MASTER_KEY).unwrap();
        let options =
            Options { create: false, ..Options::new(Clock::from_system(), keys, domain::MIGRATIONS) };
        let store = Store::open(&self.url, options).unwrap();
        let newest = domain::MIGRATIONS.last().unwrap().name;
        assert_eq!(newest, "0007_year_preparation", "take away what the new migration added, too");
        let forgotten = store.write(move |tx| {
            let added =
                [FORGET_CODES, FORGET_LATER_CODES, DROP_INDEX, DROP_HELD_BY, DROP_OWED_AGAIN, DROP_TABLE];
            for one in [DROP_PREPARATIONS, DROP_OUTSIDE_DEPOSITS].into_iter().chain(added) {
                let _rows = tx.change_rows(one, params![])?.rows();
            }
            for name in [newest, "0006_after_payday"] {
                assert!(tx.change_rows(FORGET_MIGRATION, params![name])?.is_one());
            }
            Ok::<_, store::Error>(())
        });
        runtime.block_on(forgotten).unwrap();
    }

    /// Opened by a program with these migrations; what is asked of it.
    fn ask(&self, url: &str, migrations: &'static [Migration], sql: store::Sql) -> (i64, Option<i64>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let keys = MasterKeys::parse(MASTER_KEY).unwrap();
        let options = Options { create: false, ..Options::new(Clock::from_system(), keys, migrations) };
        let store = Store::open(url, options).unwrap();
        let asked = store.read(move |tx| tx.find_row(sql, params![], |row| (row.get(0), row.get(1))));
        runtime.block_on(asked).map_err(|error: store::Error| error).unwrap().unwrap()
    }
}

#[test]
fn a_store_of_an_earlier_program_is_migrated_and_answers_on_both_engines() {
    let kept = World::of_before();
    let told = run(stipend()
        .args(["migrate", "--database-url", &kept.url])
        .env("STIPEND_MASTER_KEY_FILE", &kept.key));
    assert_eq!(told.code, Some(0), "{}", told.err);
    let (lines, letters) = kept.ask(&kept.url, domain::MIGRATIONS, CODES);
    assert!(
        lines > 0 && letters.is_some_and(|letters| letters >= lines),
        "each line has its code again: {lines} lines, {letters:?}"
    );
    let before = kept.served(&kept.url);
    let audit = ["audit", "verify", "--company", &kept.company, "--database-url", &kept.url];
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
    let kept = World::of_before();
    // Had one of them migrated it, the next would not be refused.
    for command in
        [&["jobs", "list"][..], &["audit", "verify", "--company", &kept.company], &["data", "status"]]
    {
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
fn a_later_program_adds_columns_and_fills_them_in_a_store_with_data_on_both_engines() {
    let kept = World::new();
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
        let copied =
            store::copy_store(url, &kept.file(&format!("{}.db", url.len())), later, &|_, _| {}).unwrap();
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
