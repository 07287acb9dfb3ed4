//! What is said to the engines: every statement is right on both, none uses a word that only one of them knows, and
//! none is left out of the list from which these tests are made.

use std::collections::BTreeSet;
use std::path::Path;

use pages::routes;

use crate::sources;
use crate::support::{Engine, on_both_engines, open_store};

/// Words that are not SQL on every engine, or that ask the engine for time, chance, locks or numbers.
const FORBIDDEN: [&str; 26] = [
    "ADVISORY",
    "CLOCK_TIMESTAMP",
    "CURRENT_DATE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "CURSOR",
    "DATETIME",
    "DEFERRABLE",
    "GENERATED",
    "GEN_RANDOM_UUID",
    "IDENTITY",
    "ILIKE",
    "JULIANDAY",
    "LISTEN",
    "LOCALTIMESTAMP",
    "LOCKED",
    "NEXTVAL",
    "NOTIFY",
    "NOW",
    "PG_ADVISORY_LOCK",
    "RANDOM",
    "SEQUENCE",
    "SERIAL",
    "SHARE",
    "STRFTIME",
    "TRIGGER",
];

fn words(sql: &str) -> BTreeSet<String> {
    sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::to_uppercase).collect()
}

#[test]
fn every_statement_can_be_prepared_on_both_engines() {
    on_both_engines(async |engine: Engine| {
        let place = engine.empty_database();
        drop(open_store(&place.url, None));
        let mut refused = store::check_statements(&place.url, &routes::all_statements()).unwrap();
        // In a file the feed is a view, which is never written.
        let is_of_feed = |sql: &store::Sql| {
            ["INSERT INTO event_feed", "DELETE FROM event_feed"]
                .iter()
                .any(|start| sql.text().starts_with(start))
        };
        let before = refused.len();
        refused.retain(|(sql, _)| !(engine == Engine::Sqlite && is_of_feed(sql)));
        assert!(refused.is_empty(), "{refused:?}");
        assert_eq!(before, if engine == Engine::Sqlite { 2 } else { 0 });
    });
}

/// Statements with the engine's plan of each.
fn planned(engine: Engine, statements: Vec<store::Sql>) -> Vec<(store::Sql, String)> {
    let place = engine.empty_database();
    drop(open_store(&place.url, None));
    let plans = store::query_plans(&place.url, &statements).unwrap();
    statements.into_iter().zip(plans).collect()
}

#[test]
fn events_of_a_company_are_found_without_a_walk_over_those_of_others() {
    on_both_engines(async |engine: Engine| {
        let of_company = |sql: &store::Sql| sql.text().contains("company_id = $");
        let statements: Vec<_> = domain::events::list::ALL.iter().copied().filter(of_company).collect();
        let (mut in_order, mut one) = (0, 0);
        for (sql, plan) in planned(engine, statements) {
            let lines: Vec<_> = plan.lines().map(str::trim).collect();
            assert!(
                !plan.contains("SCAN f") && !plan.contains("SCAN e") && !plan.contains("Seq Scan"),
                "{}\n{plan}",
                sql.text()
            );
            if sql.text().contains("AND id = $") {
                // The id comes first in the key, as events come in its order; with it one row is meant.
                assert!(plan.contains("(id=? AND company_id=?)") || plan.contains("events_pkey"), "{plan}");
                one += 1;
                continue;
            }
            // The company comes first in the index, and its entries lie in the order of the list: none is sorted.
            let sqlite = "INDEX events_of_company_in_order (company_id=? AND seq";
            let postgres = "Index Cond: ((company_id = $";
            let begins = lines.iter().any(|line| line.contains(sqlite))
                || (plan.contains("using event_feed_of_company")
                    && lines.iter().any(|line| line.starts_with(postgres)));
            assert!(begins, "{}\n{plan}", sql.text());
            assert!(!plan.contains("TEMP B-TREE") && !plan.contains("Sort"), "{}\n{plan}", sql.text());
            in_order += 1;
        }
        assert_eq!((in_order, one), (3, 1));
    });
}

/// A server that answers a condition of a row by hashing all rows of another table reads them before the first row of its
/// answer, each time, however few rows are asked for. What stands behind IN is the same for all rows, and short.
#[test]
fn no_statement_looks_up_what_belongs_to_a_row_among_all_that_belong_to_any() {
    on_both_engines(async |engine: Engine| {
        // A file looks up row by row.
        if engine == Engine::Sqlite {
            return;
        }
        let planned = planned(engine, routes::all_statements());
        let hashed = planned.iter().filter(|(_, plan)| plan.contains("hashed SubPlan"));
        let hashed = hashed.filter(|(sql, _)| !sql.text().contains(" IN (SELECT "));
        let hashed: Vec<_> = hashed.map(|(sql, plan)| format!("{}\n{plan}", sql.text())).collect();
        assert!(hashed.is_empty(), "{} statements\n{}", hashed.len(), hashed.join("\n\n"));
    });
}

/// The tables that some statement reads whole: links and tokens, which live for days and are deleted by age; what is asked
/// at the start or by the operator (data keys by their master key, cases of recovery, companies funded by wire); and one
/// that has a single row.
const READ_WHOLE: [&str; 7] = [
    "company_fundings",
    "data_keys",
    "event_numbers",
    "flow_links",
    "recovery_cases",
    "report_links",
    "tokens",
];

/// Sessions have statements planned by their indexes, whatever the size of a table; one without an index reads all of it.
#[test]
fn a_server_finds_the_rows_of_every_statement_by_an_index_but_of_a_few_tables() {
    on_both_engines(async |engine: Engine| {
        if engine == Engine::Sqlite {
            return;
        }
        let planned = planned(engine, routes::all_statements());
        let read_whole: BTreeSet<_> = planned
            .iter()
            .flat_map(|(_, plan)| plan.split("Seq Scan on ").skip(1))
            .filter_map(|rest| rest.split_whitespace().next())
            .collect();
        assert_eq!(read_whole.into_iter().collect::<Vec<_>>(), READ_WHOLE);
    });
}

#[test]
fn no_statement_says_what_one_engine_alone_understands() {
    for sql in routes::all_statements() {
        let said = words(sql.text());
        for word in FORBIDDEN {
            assert!(!said.contains(word), "{word} in {}", sql.text());
        }
        let text = sql.text().to_uppercase();
        for phrase in ["FOR UPDATE", "LOCK TABLE", "FOR SHARE", " FULL JOIN", "::", "INSERT OR ", "PRAGMA"] {
            assert!(!text.contains(phrase), "{phrase} in {}", sql.text());
        }
    }
}

#[test]
fn no_amount_is_calculated_by_an_engine() {
    for sql in routes::all_statements() {
        assert!(!sql.text().contains('/') && !sql.text().contains('%'), "{}", sql.text());
        for word in ["SUM", "AVG", "ROUND", "REAL", "FLOAT", "DOUBLE", "NUMERIC"] {
            assert!(!words(sql.text()).contains(word), "{word} in {}", sql.text());
        }
    }
}

/// The tables whose rows are a company's each, by the schema: those in whose primary key the company is.
fn tables_of_companies() -> BTreeSet<String> {
    let mut tables = BTreeSet::new();
    for migration in domain::MIGRATIONS {
        for statement in migration.statements() {
            let Some((_, table)) = statement.split_once("CREATE TABLE IF NOT EXISTS ") else { continue };
            let name = table.split([' ', '(']).next().unwrap();
            let key = table.split_once("PRIMARY KEY (").map(|(_, key)| key.split(')').next().unwrap());
            if key.unwrap_or_default().split(", ").any(|column| column == "company_id") {
                tables.insert(name.to_uppercase());
            }
        }
    }
    tables
}

/// Tables of companies that some statements look through across companies, and why that is right.
const ACROSS_COMPANIES: [(&str, &str); 2] = [
    ("JOBS", "a worker takes what is due of every company, and counts what waits"),
    ("JOB_FAILURES", "what was given up is listed for the operator, and swept"),
];

#[test]
fn the_tables_of_companies_follow_from_the_schema() {
    let tables = tables_of_companies();
    for known in [
        "COMPANIES",
        "EMPLOYEES",
        "EVENTS",
        "PAYROLLS",
        "PAYROLL_RESULTS",
        "OPENING_BALANCES",
        "GUARDS",
        "JOBS",
    ] {
        assert!(tables.contains(known), "{known}");
    }
    // Found by their secret, or by their application.
    for other in ["TOKENS", "USERS", "APPLICATIONS", "DELIVERIES", "FLOW_SESSIONS", "REFERENCE_DATA"] {
        assert!(!tables.contains(other), "{other}");
    }
    assert!(ACROSS_COMPANIES.iter().all(|(table, _)| tables.contains(*table)));
}

#[test]
fn every_statement_on_records_of_companies_names_the_company() {
    let tables = tables_of_companies();
    for sql in routes::all_statements() {
        let text = sql.text();
        let across = |table: &&String| ACROSS_COMPANIES.iter().any(|(across, _)| across == table);
        let said = words(text);
        let of_company = tables.iter().filter(|table| !across(table)).any(|table| said.contains(table));
        // Sweeping looks at nothing but the age of a row.
        let sweeps = text.starts_with("DELETE FROM") && text.contains("created_at <");
        // The newest number of an event tells nothing of any company, and its moment neither.
        let number = text == "SELECT max(seq) FROM events" || sql == domain::events::LATEST;
        assert!(!of_company || sweeps || number || text.contains("company_id"), "{text}");
    }
}

#[test]
fn migrations_say_nothing_that_one_engine_alone_understands() {
    for migration in domain::MIGRATIONS {
        for statement in migration.statements() {
            for word in FORBIDDEN {
                assert!(!words(&statement).contains(word), "{word} in {}", migration.name);
            }
            // A column is added once, in the transaction that records the migration; a backfill leaves out what it has done.
            let on_every_engine = statement.strip_prefix("ON A SERVER ").unwrap_or(&statement);
            let adds = on_every_engine.starts_with("ALTER TABLE") && statement.contains(" ADD COLUMN ");
            let repeats =
                ["REPEAT UPDATE ", "REPEAT INSERT INTO "].iter().any(|word| statement.starts_with(word));
            let fills = repeats && statement.contains(" LIMIT ");
            // A file is migrated by one process in one transaction; on a server nodes of the version before may still use a table.
            let made_once = statement.contains("IF NOT EXISTS")
                || statement.starts_with("DROP INDEX IF EXISTS ")
                || statement.starts_with("IN A FILE DROP TABLE IF EXISTS ")
                || statement.starts_with("IN A FILE DROP VIEW IF EXISTS ");
            assert!(adds || fills || made_once, "{statement}");
        }
    }
}

/// The names that a source gives to its statements.
fn named(source: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for block in source
        .split("\nstore::statements! {\n")
        .skip(1)
        .chain(source.split("\ncrate::statements! {\n").skip(1))
    {
        let block = block.split("\n}").next().unwrap();
        let lines = block.lines().map(|line| line.trim_start_matches("    ").trim_start_matches("pub "));
        let given = lines.filter_map(|line| line.split_once(" = "));
        let is_name =
            |name: &&str| name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
        names.extend(given.map(|(name, _)| name).filter(is_name));
    }
    names
}

/// How many statements the records of a source have: one to find, insert and delete each, and one to update it if it has
/// fields that change.
fn of_records(source: &str) -> usize {
    let blocks = source.split("\nstore::record! {\n").skip(1).map(|rest| rest.split("\n}").next().unwrap());
    blocks.map(|block| 3 + usize::from(block.contains("\n        fields {\n"))).sum()
}

/// How many statements the sealed columns of a source have: one to find and one to update what is sealed in each.
fn of_sealed_columns(source: &str) -> usize {
    let blocks = source.split("\nstore::sealed_columns! {\n").skip(1);
    blocks.map(|rest| 2 * rest.split("\n}").next().unwrap().matches("\": \"").count()).sum()
}

#[test]
fn every_statement_in_the_sources_is_in_the_list() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let of_crate = |name| sources::files(&crates.join(name).join("src"), "rs");
    let files: Vec<_> =
        ["store", "domain", "background", "interface", "pages"].into_iter().flat_map(of_crate).collect();
    let mut count = 0;
    // What the tests of a module ask for themselves is no part of the program.
    let of_tests = |file: &Path| {
        let mut parts = file.strip_prefix(crates).unwrap().components();
        file.ends_with("tests.rs") || parts.any(|part| part.as_os_str() == "tests")
    };
    for file in files.iter().filter(|file| !of_tests(file)) {
        let source = std::fs::read_to_string(file).unwrap();
        let uses = source
            .lines()
            .filter(|line| line.starts_with("store::statements!") || line.starts_with("crate::statements!"));
        let found = named(&source).len() + of_records(&source) + of_sealed_columns(&source);
        assert!(uses.count() == 0 || found > 0, "{}: no statement was recognised", file.display());
        count += found;
    }
    assert_eq!(
        count,
        routes::all_statements().len(),
        "a module's ALL is missing in routes::statements, or a record in a module's ALL, or one is there twice"
    );
}
