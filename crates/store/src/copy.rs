//! Copies everything from one store into a new one, on the same engine or the other.
//!
//! The tables and columns are those that the engine reports after the migrations have run in an in-memory store, so a
//! new table or column is copied without further code. Those of the source, and of a server as the target, must match.
//! The source is read in one transaction, so the copy is one committed state. It is complete or absent: a file is
//! filled under another name and renamed at the end, and a server commits once. Sealed fields are copied as they are,
//! together with the data keys that open them; the master key is not copied, because no store contains it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::dialect::Dialect;
use crate::migrate::{Column, OWN, Permits};
use crate::postgres::{Session, citus};
use crate::sqlite::{Engine, Part};
use crate::tx::{Connection, Fault};
use crate::value::{Row, Value};
use crate::{Error, Migration, Schema, Sql, migrate, on_own_thread, postgres, sqlite};

/// Rows between two reports of progress.
const REPORT: u64 = 10_000;

/// A table that was copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedTable {
    /// its name
    pub name: String,
    /// how many rows
    pub rows: u64,
}

/// Copies all rows of the store at `from` into a new one at `to`: a file that does not exist yet, or a server's
/// database whose tables are empty, which are distributed first if it is a cluster's. `progress` is called from time to time with the number of rows copied and their
/// total.
///
/// # Errors
/// [`Error::Open`] with one sentence for the operator; the target is then unchanged, except that empty tables may have
/// been created.
pub fn copy_store(
    from: &str,
    to: &str,
    schema: impl Into<Schema>,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Vec<CopiedTable>, Error> {
    let schema = schema.into();
    on_own_thread(|| {
        let migrations = schema.migrations;
        let mut tables = migrated_tables(migrations)?;
        let mut source = Source::open_source(from, migrations)?;
        let there = source.read_columns()?;
        compare_tables(&mut tables, &there, source.dialect, "the store")?;
        let mut target = Target::open_target(to, &schema, &mut tables)?;
        match target.copy_tables(&tables, &mut source, progress) {
            Ok(copied) => target.finish_copy().map(|()| copied),
            Err(fault) => {
                target.abandon_copy();
                let why = match fault.into_error() {
                    Error::Full => "the target has no room for it".to_owned(),
                    other => other.to_string(),
                };
                Err(Error::Open(format!("nothing was copied: {why}")))
            }
        }
    })
}

/// A table, as the migrations create it.
struct Table {
    name: String,
    columns: Vec<(String, Kind)>,
    /// names of columns
    primary_key: String,
    /// whether a file store has a view in its place, computed from other tables
    follows_in_a_file: bool,
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Uuid,
    Int,
    Bool,
    Text,
    Date,
    Instant,
    Bytes,
    Json,
}

/// The column types as each engine names them. A file store has only three: values copied between two file stores are
/// not interpreted, and a server reports its own column types.
const KINDS: [(Dialect, &str, Kind); 11] = [
    (Dialect::Sqlite, "BLOB", Kind::Bytes),
    (Dialect::Sqlite, "INTEGER", Kind::Int),
    (Dialect::Sqlite, "TEXT", Kind::Text),
    (Dialect::Postgres, "uuid", Kind::Uuid),
    (Dialect::Postgres, "bigint", Kind::Int),
    (Dialect::Postgres, "boolean", Kind::Bool),
    (Dialect::Postgres, "text", Kind::Text),
    (Dialect::Postgres, "date", Kind::Date),
    (Dialect::Postgres, "timestamp with time zone", Kind::Instant),
    (Dialect::Postgres, "bytea", Kind::Bytes),
    (Dialect::Postgres, "json", Kind::Json),
];

fn column_kind(dialect: Dialect, column: &Column) -> Result<Kind, Error> {
    let known = KINDS.iter().find(|(of, word, _)| *of == dialect && *word == column.kind);
    known.map(|(.., kind)| *kind).ok_or_else(|| {
        let Column { table, name, kind, .. } = column;
        Error::Open(format!("nothing was copied: {table}.{name} is a column of the unknown type {kind}"))
    })
}

/// Returns every table of the migrations, in their order, as the engine reports them for an in-memory store that the
/// migrations created.
fn migrated_tables(migrations: &[Migration]) -> Result<Vec<Table>, Error> {
    let mut engine = sqlite::in_memory()?;
    migrate::apply_pending(
        &mut engine,
        Dialect::Sqlite,
        migrations,
        Permits { migrate: true, create: true },
    )?;
    let mut columns = migrate::read_columns(&mut engine, Dialect::Sqlite).map_err(Fault::into_error)?;
    columns.retain(|column| !OWN.contains(&column.table.as_str()));
    let mut tables = Vec::new();
    for table in columns.chunk_by(|one, next| one.table == next.table) {
        let mut key: Vec<_> = table.iter().filter(|column| column.key > 0).collect();
        key.sort_by_key(|column| column.key);
        tables.push(Table {
            name: table[0].table.clone(),
            columns: table
                .iter()
                .map(|column| Ok((column.name.clone(), column_kind(Dialect::Sqlite, column)?)))
                .collect::<Result<_, Error>>()?,
            follows_in_a_file: table[0].of_view,
            primary_key: key.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", "),
        });
    }
    Ok(tables)
}

/// Compares the tables with those of a store, and adopts a server's column types, which are more specific.
fn compare_tables(
    tables: &mut [Table],
    there: &[Column],
    dialect: Dialect,
    whose: &str,
) -> Result<(), Error> {
    for table in tables {
        let of_it = || there.iter().filter(|column| column.table == table.name);
        let wrong =
            of_it().find(|column| table.columns.iter().all(|(name, _)| *name != column.name)).map(|column| {
                format!("has a column {}.{} that this program does not know", table.name, column.name)
            });
        let missing = || {
            let missing = table.columns.iter().find(|(name, _)| of_it().all(|column| column.name != *name));
            missing.map(|(name, _)| format!("has no column {}.{name}", table.name))
        };
        if let Some(wrong) = wrong.or_else(missing) {
            return Err(Error::Open(format!("nothing was copied: {whose} {wrong}")));
        }
        if dialect == Dialect::Postgres {
            for (name, known) in &mut table.columns {
                if let Some(column) = there.iter().find(|c| c.table == table.name && c.name == *name) {
                    *known = column_kind(dialect, column)?;
                }
            }
        }
    }
    Ok(())
}

impl Table {
    fn column_names(&self) -> String {
        self.columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn count_statement(&self) -> Sql {
        make_statement(format!("SELECT count(*) FROM {}", self.name))
    }

    /// Selects all rows. A file store returns them in its own row order, which is the one wanted; a server sorts by the key.
    fn select_statement(&self, dialect: Dialect) -> Sql {
        let order = match dialect {
            Dialect::Postgres if !self.primary_key.is_empty() => format!(" ORDER BY {}", self.primary_key),
            _ => String::new(),
        };
        make_statement(format!("SELECT {} FROM {}{order}", self.column_names(), self.name))
    }

    fn insert_statement(&self) -> Sql {
        let places: Vec<_> = (1..=self.columns.len()).map(|number| format!("${number}")).collect();
        make_statement(format!(
            "INSERT INTO {} ({}) VALUES ({})",
            self.name,
            self.column_names(),
            places.join(", ")
        ))
    }

    fn row_values<'r>(&self, row: &Row<'r>) -> Vec<Value<'r>> {
        let value = |(at, (_, kind)): (usize, &(String, Kind))| match kind {
            Kind::Uuid => row.get::<Option<uuid::Uuid>>(at).into(),
            Kind::Int => row.get::<Option<i64>>(at).into(),
            Kind::Bool => row.get::<Option<bool>>(at).into(),
            Kind::Text => row.get::<Option<&str>>(at).into(),
            Kind::Date => row.get::<Option<jiff::civil::Date>>(at).into(),
            Kind::Instant => row.get::<Option<jiff::Timestamp>>(at).into(),
            Kind::Bytes => row.get::<Option<&[u8]>>(at).into(),
            Kind::Json => row.json(at).map_or(Value::Null, Value::Json),
        };
        self.columns.iter().enumerate().map(value).collect()
    }
}

/// Makes a statement that was assembled from the names in the migrations, never from input. There are a few for each
/// table, once per process.
fn make_statement(text: String) -> Sql {
    Sql::from_macro(Box::leak(text.into_boxed_str()))
}

fn count_rows(connection: &mut dyn Connection, table: &Table) -> Result<u64, Fault> {
    let mut rows = 0;
    connection.query_rows(table.count_statement(), &[], &mut |row| rows = row.get::<i64>(0))?;
    Ok(rows.unsigned_abs())
}

/// Source of the rows: one committed state.
struct Source {
    connection: Box<dyn Connection>,
    dialect: Dialect,
}

impl Source {
    fn open_source(url: &str, migrations: &[Migration]) -> Result<Self, Error> {
        let (connection, dialect, begin): (Box<dyn Connection>, _, _) = match url.strip_prefix("sqlite:") {
            Some(path) if !Path::new(path).is_file() => {
                return Err(Error::Open(format!("there is no store in {path}")));
            }
            Some(path) => (Box::new(sqlite::outside_reader(path, Duration::ZERO)?), Dialect::Sqlite, "BEGIN"),
            None => (
                Box::new(postgres::patient_reader(url)?),
                Dialect::Postgres,
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            ),
        };
        let mut source = Self { connection, dialect };
        migrate::apply_pending(
            &mut *source.connection,
            dialect,
            migrations,
            Permits { migrate: false, create: false },
        )?;
        let begun = source.connection.run_batch(begin);
        begun.map_err(|fault| Error::Open(format!("the store cannot be read: {}", fault.into_error())))?;
        Ok(source)
    }

    fn read_columns(&mut self) -> Result<Vec<Column>, Error> {
        migrate::read_columns(&mut *self.connection, self.dialect).map_err(Fault::into_error)
    }
}

/// Target of the rows.
enum Target {
    File { engine: Box<Engine>, filling: Part, path: PathBuf },
    Server(Box<Session>),
}

impl Target {
    fn open_target(url: &str, schema: &Schema, tables: &mut [Table]) -> Result<Self, Error> {
        let migrations = schema.migrations;
        let permits = Permits { migrate: true, create: true };
        let Some(path) = url.strip_prefix("sqlite:") else {
            let mut session = postgres::open_patient_session(url)?;
            postgres::refuse_encoding(&mut session)?;
            migrate::apply_pending(&mut session, Dialect::Postgres, migrations, permits)?;
            let there = migrate::read_columns(&mut session, Dialect::Postgres).map_err(Fault::into_error)?;
            compare_tables(tables, &there, Dialect::Postgres, "the target")?;
            for table in tables.iter() {
                if count_rows(&mut session, table).map_err(Fault::into_error)? > 0 {
                    let full = format!("the target must be empty, but its table {} has rows", table.name);
                    return Err(Error::Open(full));
                }
            }
            // While they are empty this takes a moment.
            if citus::is_there(&mut session)? {
                citus::place_tables(&mut session, schema.placements, &|_, _, _| {})?;
            }
            session.run_batch("BEGIN").map_err(Fault::into_error)?;
            return Ok(Self::Server(Box::new(session)));
        };
        if path == ":memory:" {
            return Err(Error::Open(
                "the target must be a new file: one in memory would be gone at the end".to_owned(),
            ));
        }
        let path = PathBuf::from(path);
        if path.exists() {
            return Err(Error::Open(format!("the target must be a new file, but {} exists", path.display())));
        }
        let filling = Part::new(&path, ".filling")?;
        let mut engine = sqlite::open_filler(&filling)?;
        migrate::apply_pending(&mut engine, Dialect::Sqlite, migrations, permits)
            .map_err(|error| Error::Open(format!("nothing was copied into {}: {error}", path.display())))?;
        engine.run_batch("BEGIN").map_err(Fault::into_error)?;
        Ok(Self::File { engine: Box::new(engine), filling, path })
    }

    fn copy_tables(
        &mut self,
        tables: &[Table],
        source: &mut Source,
        progress: &dyn Fn(u64, u64),
    ) -> Result<Vec<CopiedTable>, Fault> {
        let mut counts = Vec::with_capacity(tables.len());
        for table in tables {
            counts.push(count_rows(&mut *source.connection, table)?);
        }
        let of = counts.iter().sum();
        let mut arrived = 0;
        let mut copied = Vec::with_capacity(tables.len());
        for (table, expected) in tables.iter().zip(counts) {
            let before = arrived;
            if table.follows_in_a_file && matches!(self, Self::File { .. }) {
                arrived += expected;
            } else {
                self.fill_table(table, source, &mut || {
                    arrived += 1;
                    if arrived % REPORT == 0 {
                        progress(arrived, of);
                    }
                })?;
            }
            let there = match self {
                Self::File { engine, .. } => count_rows(&mut **engine, table)?,
                Self::Server(session) => count_rows(&mut **session, table)?,
            };
            if (there, arrived - before) != (expected, expected) {
                let name = &table.name;
                return Err(Fault::Other(format!("{there} of {expected} rows of {name} arrived")));
            }
            copied.push(CopiedTable { name: table.name.clone(), rows: expected });
        }
        progress(of, of);
        Ok(copied)
    }

    /// Reads the rows of a table and writes each as it arrives.
    fn fill_table(&mut self, table: &Table, source: &mut Source, one: &mut dyn FnMut()) -> Result<(), Fault> {
        let select = table.select_statement(source.dialect);
        let mut feed = |put: &mut Put<'_>| {
            let mut outcome = Ok(());
            source.connection.query_rows(select, &[], &mut |row| {
                if outcome.is_ok() {
                    outcome = put(&table.row_values(row));
                    one();
                }
            })?;
            outcome
        };
        match self {
            Self::File { engine, .. } => {
                let insert = table.insert_statement();
                feed(&mut |values| engine.execute_statement(insert, values).map(drop))
            }
            Self::Server(session) => {
                let kinds: Vec<Kind> = table.columns.iter().map(|(_, kind)| *kind).collect();
                session.copy_in(&table.name, &table.column_names(), &kinds, &mut feed)
            }
        }
    }

    /// Gives the finished copy its name, once it is on disk.
    fn finish_copy(self) -> Result<(), Error> {
        let failed = |error: &dyn std::fmt::Display| {
            Error::Open(format!("the copy cannot be moved into place: {error}"))
        };
        match self {
            Self::Server(mut session) => {
                session.run_batch("COMMIT").map_err(|fault| failed(&fault.into_error()))
            }
            Self::File { mut engine, filling, path } => {
                engine.run_batch("COMMIT").map_err(|fault| failed(&fault.into_error()))?;
                drop(engine);
                filling.move_to(&path).map_err(|error| failed(&format!("{}: {error}", path.display())))
            }
        }
    }

    fn abandon_copy(self) {
        match self {
            Self::Server(mut session) => {
                session.run_batch("ROLLBACK").ok();
            }
            // The engine must close the file before it is removed.
            Self::File { engine, filling, .. } => {
                drop(engine);
                drop(filling);
            }
        }
    }
}

/// Appends the values of one row.
pub(crate) type Put<'p> = dyn FnMut(&[Value<'_>]) -> Result<(), Fault> + 'p;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_what_its_migrations_have_made_of_it_with_columns_types_and_key() {
        let migrations = [
            Migration {
                name: "0001",
                text: "CREATE TABLE pay (id uuid NOT NULL, note text, at instant, PRIMARY KEY (at, id)) IN ORDER OF ARRIVAL",
            },
            Migration { name: "0002", text: "ALTER TABLE pay ADD COLUMN net bigint NOT NULL DEFAULT 0" },
        ];
        let tables = migrated_tables(&migrations).unwrap();
        assert_eq!(tables.len(), 1, "the tables that keep the state of the schema are not among them");
        let pay = &tables[0];
        assert_eq!((pay.name.as_str(), pay.primary_key.as_str()), ("pay", "at, id"));
        assert_eq!(pay.column_names(), "id, note, at, net");
        assert_eq!(
            pay.insert_statement().text(),
            "INSERT INTO pay (id, note, at, net) VALUES ($1, $2, $3, $4)"
        );
    }
}
