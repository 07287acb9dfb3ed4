//! Differences between the two engines' dialects: the eight type names of the migrations, statements for file stores
//! only (`IN A FILE`) and statements for servers only (`ON A SERVER`).
//!
//! Migrations are written with the type words `uuid bigint boolean text date instant bytes json`, which this module
//! translates by a fixed table. SQLite tables are created STRICT (otherwise SQLite converts the text '007' to 7) and
//! WITHOUT ROWID (so that rows are stored in the order of their primary key, which begins with the company). A table
//! that ends with `IN ORDER OF ARRIVAL` keeps its rowid and a separate index for its primary key: right for wide rows
//! that are rarely read, because appending to a file costs a fraction of inserting in the middle.

use crate::Sql;

/// The engine for which a migration is translated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

/// Type word, its SQLite type, its PostgreSQL type.
const TYPES: [(&str, &str, &str); 8] = [
    ("uuid", "BLOB", "uuid"),
    ("bigint", "INTEGER", "bigint"),
    ("boolean", "INTEGER", "boolean"),
    // Compared byte by byte on both engines, regardless of the server's locale.
    ("text", "TEXT", "text COLLATE \"C\""),
    ("date", "TEXT", "date"),
    ("instant", "INTEGER", "timestamptz"),
    ("bytes", "BLOB", "bytea"),
    ("json", "TEXT", "json"),
];

/// The suffix of a table whose rows are not stored in the order of its primary key.
const BY_ARRIVAL: &str = "IN ORDER OF ARRIVAL";

/// The prefix of a statement for file stores only.
const IN_A_FILE: &str = "IN A FILE ";
/// The prefix of a statement for servers only.
const ON_A_SERVER: &str = "ON A SERVER ";

/// How a migration begins a UUID literal; it ends with the next quote.
const UUID_LITERAL: &str = "uuid '";

/// Tables with their columns, types and positions in the primary key, as each engine reports them. A file store may
/// have a view where a server has a table.
const TABLES_OF_A_FILE: Sql = Sql::from_macro(
    "SELECT m.name, c.name, c.type, c.pk, m.type = 'view' FROM sqlite_schema m JOIN pragma_table_info(m.name) c \
     WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite%' ORDER BY m.rowid, c.cid",
);
const TABLES_OF_A_SERVER: Sql = Sql::from_macro(
    "SELECT CAST(c.relname AS text), CAST(a.attname AS text), format_type(a.atttypid, NULL), CAST(0 AS bigint), false \
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid \
     WHERE c.relkind IN ('r', 'p') AND pg_table_is_visible(c.oid) \
     AND c.relnamespace <> CAST('pg_catalog' AS regnamespace) AND a.attnum > 0 AND NOT a.attisdropped \
     ORDER BY c.relname, a.attnum",
);

impl Dialect {
    /// Returns the statement that begins a writing transaction.
    pub(crate) fn begin_statement(self) -> &'static str {
        match self {
            // Takes the lock at once: a transaction that requests it after reading may be refused.
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres => "BEGIN",
        }
    }

    /// Returns the query for the engine's tables: table, column, type, position in the primary key where the engine
    /// reports it, and whether it is a view.
    pub(crate) fn tables(self) -> Sql {
        match self {
            Self::Sqlite => TABLES_OF_A_FILE,
            Self::Postgres => TABLES_OF_A_SERVER,
        }
    }

    /// Translates one statement of a migration into this engine's dialect; empty if it is for the other engine.
    pub(crate) fn translate_statement(self, statement: &str) -> String {
        let said = statement.trim();
        let (ours, others) = match self {
            Self::Sqlite => (IN_A_FILE, ON_A_SERVER),
            Self::Postgres => (ON_A_SERVER, IN_A_FILE),
        };
        if said.starts_with(others) {
            return String::new();
        }
        let made = said.strip_prefix(ours).unwrap_or(said);
        // Type words are translated only where columns are declared; in other statements they are ordinary words.
        if !(made.starts_with("CREATE TABLE") || made.starts_with("ALTER TABLE")) {
            return self.with_literals(made);
        }
        let made = self.with_types(made);
        let (made, by_arrival) =
            made.strip_suffix(BY_ARRIVAL).map_or((made.as_str(), false), |table| (table.trim_end(), true));
        match self {
            Self::Sqlite if !made.starts_with("CREATE TABLE") => made.to_owned(),
            Self::Sqlite if by_arrival => format!("{made} STRICT"),
            Self::Sqlite => format!("{made} STRICT, WITHOUT ROWID"),
            Self::Postgres => made.to_owned(),
        }
    }

    /// Translates each `uuid '…'` literal: unchanged for a server, a blob for a file store.
    fn with_literals(self, statement: &str) -> String {
        let mut rest = statement;
        let mut made = String::with_capacity(statement.len());
        while self == Self::Sqlite
            && let Some((before, after)) = rest.split_once(UUID_LITERAL)
        {
            let (digits, behind) = after.split_once('\'').unwrap_or((after, ""));
            made.push_str(before);
            made.extend(["x'", &digits.replace('-', ""), "'"]);
            rest = behind;
        }
        made + rest
    }

    /// Translates the type words outside of quotes. A type follows its column's name in lower case; keywords are in
    /// upper case, and no column is named like a type.
    fn with_types(self, statement: &str) -> String {
        let mut made = String::with_capacity(statement.len() + 32);
        let mut word = String::new();
        let mut quoted = false;
        for c in statement.chars().chain(Some(' ')) {
            if !quoted && (c.is_ascii_alphanumeric() || c == '_') {
                word.push(c);
                continue;
            }
            match TYPES.iter().find(|(name, ..)| *name == word) {
                Some((_, sqlite, postgres)) => {
                    made.push_str(if self == Self::Sqlite { sqlite } else { postgres })
                }
                None => made.push_str(&word),
            }
            word.clear();
            quoted ^= c == '\'';
            made.push(c);
        }
        made.truncate(made.trim_end().len());
        made
    }
}

/// Splits a migration file into its statements, without comments and semicolons.
pub(crate) fn split_statements(file: &str) -> Vec<String> {
    let (mut statements, mut statement) = (Vec::new(), String::new());
    let mut characters = file.chars().peekable();
    let mut quoted = false;
    while let Some(c) = characters.next() {
        match c {
            '-' if !quoted && characters.peek() == Some(&'-') => {
                // Keeps the line break: it separates the words before and after the comment.
                while characters.next_if(|c| *c != '\n').is_some() {}
            }
            ';' if !quoted => statements.push(std::mem::take(&mut statement)),
            _ => {
                quoted ^= c == '\'';
                statement.push(c);
            }
        }
    }
    statements.push(statement);
    statements.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_written_once_and_read_by_both_engines() {
        let table =
            "CREATE TABLE IF NOT EXISTS pay (id uuid NOT NULL, at instant, note text, PRIMARY KEY (id))";
        assert_eq!(
            Dialect::Sqlite.translate_statement(table),
            "CREATE TABLE IF NOT EXISTS pay (id BLOB NOT NULL, at INTEGER, note TEXT, PRIMARY KEY (id)) STRICT, WITHOUT ROWID"
        );
        assert_eq!(
            Dialect::Postgres.translate_statement(table),
            "CREATE TABLE IF NOT EXISTS pay (id uuid NOT NULL, at timestamptz, note text COLLATE \"C\", PRIMARY KEY (id))"
        );
    }

    #[test]
    fn rows_in_order_of_arrival_are_a_matter_of_one_engine_only() {
        let table = "CREATE TABLE IF NOT EXISTS log (id uuid NOT NULL, PRIMARY KEY (id)) IN ORDER OF ARRIVAL";
        assert_eq!(
            Dialect::Sqlite.translate_statement(table),
            "CREATE TABLE IF NOT EXISTS log (id BLOB NOT NULL, PRIMARY KEY (id)) STRICT"
        );
        assert_eq!(
            Dialect::Postgres.translate_statement(table),
            "CREATE TABLE IF NOT EXISTS log (id uuid NOT NULL, PRIMARY KEY (id))"
        );
    }

    #[test]
    fn a_statement_for_files_is_nothing_to_a_server() {
        let view = "IN A FILE CREATE VIEW v AS SELECT uuid '00000000-0000-0000-0000-00000000000a' AS id";
        assert_eq!(
            Dialect::Sqlite.translate_statement(view),
            "CREATE VIEW v AS SELECT x'0000000000000000000000000000000a' AS id"
        );
        assert_eq!(Dialect::Postgres.translate_statement(view), "");
    }

    #[test]
    fn a_statement_for_servers_is_nothing_to_a_file() {
        let column = "ON A SERVER ALTER TABLE t ADD COLUMN a uuid";
        assert_eq!(Dialect::Postgres.translate_statement(column), "ALTER TABLE t ADD COLUMN a uuid");
        assert_eq!(Dialect::Sqlite.translate_statement(column), "");
    }

    #[test]
    fn names_that_contain_a_type_word_are_left_alone() {
        assert_eq!(
            Dialect::Sqlite.translate_statement("CREATE INDEX by_date ON t (context, bytes_sent)"),
            "CREATE INDEX by_date ON t (context, bytes_sent)"
        );
    }

    #[test]
    fn an_identifier_in_a_migration_is_written_as_each_engine_keeps_it() {
        let fill =
            "INSERT INTO t (id, note) SELECT uuid '00000000-0000-0000-0000-0000000000a1', 'as uuid' FROM u";
        assert_eq!(Dialect::Postgres.translate_statement(fill), fill);
        assert_eq!(
            Dialect::Sqlite.translate_statement(fill),
            "INSERT INTO t (id, note) SELECT x'000000000000000000000000000000a1', 'as uuid' FROM u"
        );
    }

    #[test]
    fn comments_and_empty_statements_are_dropped() {
        assert_eq!(split_statements("-- why\nSELECT 1; -- and\n\n;SELECT 2;"), ["SELECT 1", "SELECT 2"]);
    }

    #[test]
    fn what_stands_in_quotes_is_text_and_nothing_else() {
        let file =
            "UPDATE t SET a = 'no; date -- it''s'; ALTER TABLE t ADD COLUMN b text NOT NULL DEFAULT 'date'";
        let statements = split_statements(file);
        assert_eq!(statements[0], "UPDATE t SET a = 'no; date -- it''s'");
        assert_eq!(Dialect::Sqlite.translate_statement(&statements[0]), statements[0]);
        assert_eq!(
            Dialect::Sqlite.translate_statement(&statements[1]),
            "ALTER TABLE t ADD COLUMN b TEXT NOT NULL DEFAULT 'date'"
        );
        assert_eq!(
            Dialect::Postgres.translate_statement(&statements[1]),
            "ALTER TABLE t ADD COLUMN b text COLLATE \"C\" NOT NULL DEFAULT 'date'"
        );
    }
}
