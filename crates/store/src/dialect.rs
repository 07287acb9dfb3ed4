//! Where the two engines differ in words: the migrations' eight type names, and nothing else.
//!
//! Migrations are written with the type words `uuid bigint boolean text date instant bytes json`. This module
//! rewrites them by a closed table. SQLite tables are made STRICT (otherwise it turns the text '007' into 7) and
//! WITHOUT ROWID (so that rows lie in the order of their primary key, which begins with the company). A table that ends
//! with `IN ORDER OF ARRIVAL` keeps rows as they come, with its primary key beside them: right for wide rows that are
//! rarely read, because adding to the end of a file costs a fraction of making room in the middle.

/// Which words an engine understands.
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
    // Compared byte by byte on both, whatever language the server speaks.
    ("text", "TEXT", "text COLLATE \"C\""),
    ("date", "TEXT", "date"),
    ("instant", "INTEGER", "timestamptz"),
    ("bytes", "BLOB", "bytea"),
    ("json", "TEXT", "json"),
];

/// What a table ends with whose rows do not lie in the order of its primary key.
const BY_ARRIVAL: &str = "IN ORDER OF ARRIVAL";

impl Dialect {
    /// One statement of a migration in this engine's words.
    pub(crate) fn translate(self, statement: &str) -> String {
        let statement = without_comments(statement);
        let mut made = String::with_capacity(statement.len() + 32);
        let mut word = String::new();
        // A type stands in lower case after a column's name; keywords are written in upper case, and no column
        // is named like a type (the test below holds migrations to it).
        for c in statement.chars().chain(Some(' ')) {
            if c.is_ascii_alphanumeric() || c == '_' {
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
            made.push(c);
        }
        let made = made.trim();
        let (made, by_arrival) =
            made.strip_suffix(BY_ARRIVAL).map_or((made, false), |table| (table.trim_end(), true));
        match self {
            Self::Sqlite if !made.starts_with("CREATE TABLE") => made.to_owned(),
            Self::Sqlite if by_arrival => format!("{made} STRICT"),
            Self::Sqlite => format!("{made} STRICT, WITHOUT ROWID"),
            Self::Postgres => made.to_owned(),
        }
    }
}

/// The statements of a migration file, without their semicolons.
pub(crate) fn split(file: &str) -> Vec<String> {
    without_comments(file).split(';').map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned).collect()
}

fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("--").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_written_once_and_read_by_both_engines() {
        let table =
            "CREATE TABLE IF NOT EXISTS pay (id uuid NOT NULL, at instant, note text, PRIMARY KEY (id))";
        assert_eq!(
            Dialect::Sqlite.translate(table),
            "CREATE TABLE IF NOT EXISTS pay (id BLOB NOT NULL, at INTEGER, note TEXT, PRIMARY KEY (id)) STRICT, WITHOUT ROWID"
        );
        assert_eq!(
            Dialect::Postgres.translate(table),
            "CREATE TABLE IF NOT EXISTS pay (id uuid NOT NULL, at timestamptz, note text COLLATE \"C\", PRIMARY KEY (id))"
        );
    }

    #[test]
    fn rows_in_order_of_arrival_are_a_matter_of_one_engine_only() {
        let table = "CREATE TABLE IF NOT EXISTS log (id uuid NOT NULL, PRIMARY KEY (id)) IN ORDER OF ARRIVAL";
        assert_eq!(
            Dialect::Sqlite.translate(table),
            "CREATE TABLE IF NOT EXISTS log (id BLOB NOT NULL, PRIMARY KEY (id)) STRICT"
        );
        assert_eq!(
            Dialect::Postgres.translate(table),
            "CREATE TABLE IF NOT EXISTS log (id uuid NOT NULL, PRIMARY KEY (id))"
        );
    }

    #[test]
    fn names_that_contain_a_type_word_are_left_alone() {
        assert_eq!(
            Dialect::Sqlite.translate("CREATE INDEX by_date ON t (context, bytes_sent)"),
            "CREATE INDEX by_date ON t (context, bytes_sent)"
        );
    }

    #[test]
    fn comments_and_empty_statements_are_dropped() {
        assert_eq!(split("-- why\nSELECT 1; -- and\n\n;SELECT 2;"), ["SELECT 1", "SELECT 2"]);
    }
}
