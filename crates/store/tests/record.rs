//! The guarantees of declared records, tested on both engines.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;

mod support;

use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::{Date, date};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Error, JsonText, Migration, Row, Sql, Store, Stored, Tx, Unread, Value, params};
use support::{Bench, MIGRATIONS, on_both_engines};
use uuid::Uuid;

const WITH_RECORDS: &[Migration] = &[
    MIGRATIONS[0],
    MIGRATIONS[1],
    Migration {
        name: "0002_records",
        text: "CREATE TABLE IF NOT EXISTS tools (company_id uuid NOT NULL, owner_id uuid NOT NULL, id uuid NOT NULL, \
               name text NOT NULL, note text, parts bigint NOT NULL, spare bigint, works boolean NOT NULL, \
               lent boolean, lent_to uuid, bought date NOT NULL, sold date, seen instant, photo bytes, \
               unit text NOT NULL, other_unit text, sizes json NOT NULL, box json, raw json NOT NULL, other_raw json, \
               life bigint NOT NULL, rest bigint, pin bytes, is_first boolean NOT NULL, version bigint NOT NULL, \
               created_at instant NOT NULL, updated_at instant NOT NULL, PRIMARY KEY (company_id, owner_id, id));
               CREATE TABLE IF NOT EXISTS links (company_id uuid NOT NULL, id uuid NOT NULL, unit text NOT NULL, \
               created_at instant NOT NULL, PRIMARY KEY (company_id, id, unit));
               CREATE TABLE IF NOT EXISTS notes (company_id uuid NOT NULL, id uuid NOT NULL, body text NOT NULL, \
               created_at instant NOT NULL, updated_at instant NOT NULL, PRIMARY KEY (company_id, id));",
    },
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Inch,
    Metre,
}

impl Unit {
    fn parse(name: &str) -> Option<Self> {
        [Self::Inch, Self::Metre].into_iter().find(|unit| unit.as_str() == name)
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Inch => "Inch",
            Self::Metre => "Metre",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Case {
    colour: String,
}

/// How whole seconds are stored.
struct Seconds;

impl Stored<Duration> for Seconds {
    fn value(field: &Duration) -> Value<'_> {
        Value::Int(field.as_secs().cast_signed())
    }

    fn read_column(row: &Row<'_>, column: usize) -> Result<Option<Duration>, Unread> {
        let Some(seconds) = row.try_get::<Option<i64>>(column)? else { return Ok(None) };
        let seconds = u64::try_from(seconds).map_err(|_| Unread::new("holds a negative time"))?;
        Ok(Some(Duration::from_secs(seconds)))
    }

    fn shown_value(field: &Duration) -> serde_json::Value {
        format!("{} s", field.as_secs()).into()
    }
}

store::record! {
    /// A record with every kind of field.
    #[derive(Debug, Clone, PartialEq)]
    struct Tool in "tools" {
        key {
            /// whose tool it is
            owner: Uuid = "owner_id",
            id: Uuid,
        }
        fields {
            name: String,
            note: Option<String>,
            parts: i64,
            spare: Option<i64>,
            works: bool,
            lent: Option<bool>,
            lent_to: Option<Uuid>,
            bought: Date,
            sold: Option<Date>,
            seen: Option<Timestamp>,
            photo: Option<Vec<u8>>,
            unit: Unit as text,
            second_unit: Option<Unit> as text = "other_unit",
            sizes: Vec<i64> as json,
            case: Option<Case> as json = "box",
            raw: String as JsonText,
            other_raw: Option<String> as JsonText,
            life: Duration as Seconds,
            rest: Option<Duration> as Seconds,
            pin: Option<Vec<u8>> as secret,
        }
        fixed { is_first: bool }
        times { pub created_at: Timestamp, updated_at }
        version
    }
}

store::record! {
    /// A record that is all key.
    #[derive(Debug, PartialEq)]
    struct Link in "links" {
        key { id: Uuid, unit: Unit as text }
        times { created_at }
    }
}

store::record! {
    /// A record without a version.
    #[derive(Debug, Clone, PartialEq)]
    struct Note in "notes" {
        key { id: Uuid }
        times { created_at: Timestamp, updated_at: Timestamp }
        fields { body: String }
    }
}

store::record! {
    /// Tools as somebody sees them who takes a text for a number.
    #[derive(Debug)]
    struct Misread in "tools" {
        key { owner: Uuid = "owner_id", id: Uuid }
        fields { count: i64 = "name" }
    }
}

store::record! {
    /// Tools as somebody sees them who forgot that there may be no note.
    #[derive(Debug)]
    struct Forgotten in "tools" {
        key { owner: Uuid = "owner_id", id: Uuid }
        fields { note: String }
    }
}

store::statements! {
    records Tool, Link, Note;
    OF_OWNER = store::text!(Tool::SELECT, " AND owner_id = $2 ORDER BY id");
    WITH_NOTE = store::text!("SELECT n.body, ", store::columns!(Tool, "t."), " FROM tools t \
                JOIN notes n ON n.company_id = t.company_id AND n.id = t.id WHERE t.company_id = $1");
    SET_UNIT = "UPDATE tools SET unit = $1 WHERE company_id = $2";
    SET_SIZES = "UPDATE tools SET sizes = $1 WHERE company_id = $2";
    SET_LIFE = "UPDATE tools SET life = $1 WHERE company_id = $2";
}

const COMPANY: Uuid = Uuid::from_u128(0xC0);
const OTHER_COMPANY: Uuid = Uuid::from_u128(0xC1);
const OWNER: Uuid = Uuid::from_u128(1);
const PIN: &[u8] = b"4711";

fn open(bench: &Bench) -> Store {
    bench.open_with(|options| options.migrations = WITH_RECORDS)
}

fn full(id: u128) -> Tool {
    Tool {
        owner: OWNER,
        id: Uuid::from_u128(id),
        name: "Hämmer".to_owned(),
        note: Some("heavy".to_owned()),
        parts: 2,
        spare: Some(-1),
        works: true,
        lent: Some(false),
        lent_to: Some(Uuid::from_u128(9)),
        bought: date(2024, 2, 29),
        sold: Some(date(2026, 1, 1)),
        seen: Some("2026-11-21T09:00:00.123456Z".parse().unwrap()),
        photo: Some(b"\0\xff".to_vec()),
        unit: Unit::Metre,
        second_unit: Some(Unit::Inch),
        sizes: vec![3, 4],
        case: Some(Case { colour: "red".to_owned() }),
        raw: r#"{"b": 1,  "a":1e400}"#.to_owned(),
        other_raw: Some("[ ]".to_owned()),
        life: Duration::from_secs(60),
        rest: Some(Duration::from_secs(5)),
        pin: Some(PIN.to_vec()),
        is_first: true,
        created_at: "2020-01-01T00:00:00Z".parse().unwrap(),
        version: 1,
    }
}

fn bare(id: u128) -> Tool {
    Tool {
        note: None,
        spare: None,
        lent: None,
        lent_to: None,
        sold: None,
        seen: None,
        photo: None,
        second_unit: None,
        case: None,
        other_raw: None,
        rest: None,
        pin: None,
        ..full(id)
    }
}

async fn stored(bench: &Bench, tool: Tool) -> Store {
    let store = open(bench);
    store.write(move |tx| tool.insert(tx, COMPANY)).await.unwrap();
    store
}

/// Runs a change of stored values beside the record, then reads the record.
async fn read_after(store: &Store, sql: Sql, value: Value<'static>) -> Result<Option<Tool>, Error> {
    store
        .write(move |tx| Ok::<_, Error>(tx.change_rows(sql, &[value, COMPANY.into()])?.is_one()))
        .await
        .unwrap();
    store.read(|tx| Tool::find(tx, COMPANY, OWNER, Uuid::from_u128(2))).await
}

fn unreadable<T: std::fmt::Debug>(read: Result<T, Error>) -> (&'static str, &'static str, String) {
    match read {
        Err(Error::Unreadable { table, field, why } | Error::Newer { table, field, why }) => {
            (table, field, why)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_record_comes_back_as_it_was_stored() {
    on_both_engines(async |bench: Bench| {
        let store = open(&bench);
        store
            .write(|tx| {
                full(2).insert(tx, COMPANY)?;
                bare(3).insert(tx, COMPANY)
            })
            .await
            .unwrap();
        let found = store.read(|tx| Tool::find(tx, COMPANY, OWNER, Uuid::from_u128(2))).await.unwrap();
        assert_eq!(found, Some(full(2)));
        let all = store.read(|tx| tx.try_query(OF_OWNER, params![COMPANY, OWNER], Tool::read)).await;
        assert_eq!(all.map_err(|e: Error| e.to_string()), Ok(vec![full(2), bare(3)]));
    });
}

#[test]
fn a_record_without_fields_is_stored_and_deleted() {
    on_both_engines(async |bench: Bench| {
        let store = open(&bench);
        let link = || Link { id: Uuid::from_u128(5), unit: Unit::Inch };
        store.write(move |tx| link().insert(tx, COMPANY)).await.unwrap();
        let find = move |tx: &mut Tx<'_>| Link::find(tx, COMPANY, Uuid::from_u128(5), Unit::Inch);
        assert_eq!(store.read(find).await.unwrap(), Some(link()));
        let deleted =
            store.write(move |tx| Ok::<_, Error>([link().delete(tx, COMPANY)?, link().delete(tx, COMPANY)?]));
        assert_eq!(deleted.await.unwrap(), [true, false]);
        assert_eq!(store.read(find).await.unwrap(), None);
    });
}

#[test]
fn an_update_changes_the_fields_and_counts() {
    on_both_engines(async |bench: Bench| {
        let store = stored(&bench, full(2)).await;
        let changed = Tool { name: "Saw".to_owned(), is_first: false, ..bare(2) };
        let update = changed.clone();
        assert!(store.write(move |tx| update.update(tx, COMPANY)).await.unwrap());
        let found = store.read(|tx| Tool::find(tx, COMPANY, OWNER, Uuid::from_u128(2))).await.unwrap();
        assert_eq!(found, Some(Tool { is_first: true, version: 2, ..changed }), "what is fixed stays");
    });
}

#[test]
fn an_update_of_an_old_version_changes_nothing() {
    on_both_engines(async |bench: Bench| {
        let store = stored(&bench, full(2)).await;
        let update = |name: &'static str| {
            move |tx: &mut Tx<'_>| Tool { name: name.to_owned(), ..full(2) }.update(tx, COMPANY)
        };
        assert!(store.write(update("first")).await.unwrap());
        assert!(!store.write(update("second")).await.unwrap());
        let found =
            store.read(|tx| Tool::find(tx, COMPANY, OWNER, Uuid::from_u128(2))).await.unwrap().unwrap();
        assert_eq!((found.name.as_str(), found.version), ("first", 2));
    });
}

#[test]
fn moments_are_those_of_the_struct_and_then_of_the_update() {
    on_both_engines(async |bench: Bench| {
        let store = open(&bench);
        let then: Timestamp = "2020-01-01T00:00:00Z".parse().unwrap();
        let note = Note { id: Uuid::from_u128(4), body: "a".to_owned(), created_at: then, updated_at: then };
        let find = |tx: &mut Tx<'_>| Note::find(tx, COMPANY, Uuid::from_u128(4));
        let new = note.clone();
        store.write(move |tx| new.insert(tx, COMPANY)).await.unwrap();
        assert_eq!(store.read(find).await.unwrap(), Some(note.clone()));
        let changed = Note { body: "b".to_owned(), ..note };
        assert!(store.write(move |tx| changed.update(tx, COMPANY)).await.unwrap());
        let found = store.read(find).await.unwrap().unwrap();
        assert_eq!((found.body.as_str(), found.created_at), ("b", then));
        assert!(found.updated_at > then);
    });
}

#[test]
fn a_record_of_another_company_is_not_found() {
    on_both_engines(async |bench: Bench| {
        let store = stored(&bench, full(2)).await;
        let tried = store.write(|tx| {
            let found = Tool::find(tx, OTHER_COMPANY, OWNER, Uuid::from_u128(2))?;
            Ok::<_, Error>((found, full(2).update(tx, OTHER_COMPANY)?, full(2).delete(tx, OTHER_COMPANY)?))
        });
        assert_eq!(tried.await.unwrap(), (None, false, false));
        let found = store.read(|tx| Tool::find(tx, COMPANY, OWNER, Uuid::from_u128(2))).await.unwrap();
        assert_eq!(found, Some(full(2)));
    });
}

#[test]
fn a_record_is_read_out_of_the_middle_of_a_row() {
    on_both_engines(async |bench: Bench| {
        let store = stored(&bench, full(2)).await;
        let read = store.write(|tx| {
            let now = tx.now();
            Note { id: full(2).id, body: "n".to_owned(), created_at: now, updated_at: now }
                .insert(tx, COMPANY)?;
            tx.try_query(WITH_NOTE, params![COMPANY], |row| {
                Ok((row.get::<String>(0), Tool::read_from(row, 1)?))
            })
        });
        assert_eq!(read.await.map_err(|e: Error| e.to_string()), Ok(vec![("n".to_owned(), full(2))]));
    });
}

#[test]
fn an_unknown_name_is_an_error_that_says_where() {
    on_both_engines(async |bench: Bench| {
        let store = stored(&bench, full(2)).await;
        let read = read_after(&store, SET_UNIT, Value::Text("Furlong")).await;
        assert_eq!(
            read.clone().map_err(|e| e.to_string()),
            Err("tools.unit cannot be read: it holds text that names none of the values there are".to_owned())
        );
        assert_eq!(unreadable(read).0, "tools");
        let listed = store.read(|tx| tx.try_query(OF_OWNER, params![COMPANY, OWNER], Tool::read)).await;
        assert_eq!(unreadable(listed).1, "unit");
    });
}

#[test]
fn json_that_does_not_fit_is_an_error_that_says_where_and_not_what() {
    on_both_engines(async |bench: Bench| {
        let store = stored(&bench, full(2)).await;
        let read = read_after(&store, SET_SIZES, Value::Json(r#"[1, "123-45-6789"]"#)).await;
        let why = "holds JSON of another shape (line 1, column 17)".to_owned();
        assert_eq!(unreadable(read), ("tools", "sizes", why));
        // A server looks at the JSON itself.
        if bench.is_file() {
            let read = read_after(&store, SET_SIZES, Value::Json("[1, ")).await;
            assert_eq!(unreadable(read), ("tools", "sizes", "holds no JSON (line 1, column 4)".to_owned()));
        }
    });
}

#[test]
fn what_a_way_of_storing_refuses_is_an_error() {
    on_both_engines(async |bench: Bench| {
        let store = stored(&bench, full(2)).await;
        let read = read_after(&store, SET_LIFE, Value::Int(-1)).await;
        assert_eq!(unreadable(read), ("tools", "life", "holds a negative time".to_owned()));
    });
}

#[test]
fn a_column_of_another_type_or_none_is_an_error() {
    on_both_engines(async |bench: Bench| {
        let store = stored(&bench, bare(2)).await;
        let misread = store.read(|tx| Misread::find(tx, COMPANY, OWNER, Uuid::from_u128(2))).await;
        let (table, field, why) = unreadable(misread);
        assert_eq!((table, field), ("tools", "name"));
        assert!(why.starts_with("holds ") && !why.contains("mmer"), "{why}");
        let forgotten = store.read(|tx| Forgotten::find(tx, COMPANY, OWNER, Uuid::from_u128(2))).await;
        assert_eq!(unreadable(forgotten), ("tools", "note", "is NULL, but is read as a value".to_owned()));
    });
}

#[test]
fn changes_list_what_differs_and_no_secrets() {
    assert_eq!(Tool::changes(&full(2), &full(2)), []);
    let after = Tool {
        name: "Saw".to_owned(),
        lent_to: None,
        bought: date(2024, 3, 1),
        unit: Unit::Inch,
        sizes: vec![],
        case: None,
        other_raw: None,
        life: Duration::from_secs(61),
        pin: None,
        // Not among the fields, so that no update changes them.
        is_first: false,
        version: 7,
        ..full(2)
    };
    assert_eq!(
        Tool::changes(&full(2), &after),
        [
            ("name", json!("Hämmer"), json!("Saw")),
            ("lent_to", json!("00000000-0000-0000-0000-000000000009"), json!(null)),
            ("bought", json!("2024-02-29"), json!("2024-03-01")),
            ("unit", json!("Metre"), json!("Inch")),
            ("sizes", json!([3, 4]), json!([])),
            ("case", json!({"colour": "red"}), json!(null)),
            ("other_raw", json!([]), json!(null)),
            ("life", json!("60 s"), json!("61 s")),
            ("pin", json!("***"), json!("***")),
        ]
    );
}

#[test]
fn every_statement_of_a_record_is_understood_by_both_engines() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return;
        }
        let _tables = open(&bench);
        assert_eq!(ALL.len(), 5 + 4 + 3 + 4);
        assert_eq!(store::check_statements(bench.url(), ALL).unwrap(), []);
    });
}

#[test]
fn statements_name_the_company_first_and_number_parameters_as_they_appear() {
    assert_eq!(
        Note::INSERT.text(),
        "INSERT INTO notes (company_id, id, body, created_at, updated_at) VALUES ($1, $2, $3, $4, $5)"
    );
    assert_eq!(
        Note::UPDATE.text(),
        "UPDATE notes SET body = $1, updated_at = $2 WHERE company_id = $3 AND id = $4"
    );
    assert_eq!(
        Link::INSERT.text(),
        "INSERT INTO links (company_id, id, unit, created_at) VALUES ($1, $2, $3, $4)"
    );
    assert_eq!(
        Note::FIND.text(),
        "SELECT id, body, created_at, updated_at FROM notes WHERE company_id = $1 AND id = $2"
    );
    assert_eq!(Link::DELETE.text(), "DELETE FROM links WHERE company_id = $1 AND id = $2 AND unit = $3");
    assert!(Tool::UPDATE.text().ends_with(
        "updated_at = $21, version = version + 1 WHERE company_id = $22 AND owner_id = $23 AND id = $24 AND version = $25"
    ));
}
