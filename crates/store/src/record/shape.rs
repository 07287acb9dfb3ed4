//! The statements of a record, built from its columns at compile time.

use crate::Sql;
use crate::text::Text;

/// The columns of a record's table, as [`record!`](crate::record!) finds them in its declaration; without `company_id`,
/// which every table has.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// the table
    pub table: &'static str,
    /// what identifies the record within its company
    pub key: &'static [&'static str],
    /// what an update changes
    pub fields: &'static [&'static str],
    /// what is set once
    pub fixed: &'static [&'static str],
    /// times that are not fields of the struct
    pub unread: &'static [&'static str],
    /// the time that an update sets to that of the unit, if there is one
    pub touched: &'static [&'static str],
    /// the counter of updates, if there is one
    pub version: &'static [&'static str],
}

/// The parts that can be built from a [`Shape`].
#[derive(Debug, Clone, Copy)]
pub enum Part {
    /// the columns that are read, with a prefix such as `e.`
    Columns(&'static str),
    /// every record of the company, up to `WHERE company_id = $1`
    Select,
    /// the record with a key
    Find,
    /// the insertion of a record
    Insert,
    /// the update of a record's fields, if its version is still the same
    Update,
    /// the deletion of a record
    Delete,
}

/// The separator of a list's items, empty before the first item.
struct Separator(&'static str, bool);

impl Separator {
    const fn new(between: &'static str) -> Self {
        Self(between, false)
    }

    const fn next(&mut self) -> &'static str {
        let between = if self.1 { self.0 } else { "" };
        self.1 = true;
        between
    }
}

impl Shape {
    /// Builds a part of a statement; with a capacity of zero, only counts the bytes.
    pub const fn make_part<const N: usize>(&self, part: Part) -> Text<N> {
        let mut text = Text::new();
        match part {
            Part::Columns(prefix) => self.add_columns(&mut text, prefix),
            Part::Select => self.add_select(&mut text),
            Part::Find => {
                self.add_select(&mut text);
                self.where_key(&mut text, 2);
            }
            Part::Insert => self.add_insert(&mut text),
            Part::Update => self.add_update(&mut text),
            Part::Delete => {
                text.add_all(&["DELETE FROM ", self.table, " WHERE company_id = $1"]);
                self.where_key(&mut text, 2);
            }
        }
        text
    }

    const fn add_columns<const N: usize>(&self, text: &mut Text<N>, prefix: &str) {
        let mut separator = Separator::new(", ");
        let lists = [self.key, self.fields, self.fixed, self.version];
        let mut list = 0;
        while list < lists.len() {
            let mut at = 0;
            while at < lists[list].len() {
                text.add_all(&[separator.next(), prefix, lists[list][at]]);
                at += 1;
            }
            list += 1;
        }
    }

    const fn add_select<const N: usize>(&self, text: &mut Text<N>) {
        text.add_part("SELECT ");
        self.add_columns(text, "");
        text.add_all(&[" FROM ", self.table, " WHERE company_id = $1"]);
    }

    /// Adds the key's conditions, whose parameters are numbered from `next`; returns the next number after them.
    const fn where_key<const N: usize>(&self, text: &mut Text<N>, mut next: usize) -> usize {
        let mut at = 0;
        while at < self.key.len() {
            text.add_all(&[" AND ", self.key[at], " = "]);
            text.add_parameter(next);
            next += 1;
            at += 1;
        }
        next
    }

    const fn add_insert<const N: usize>(&self, text: &mut Text<N>) {
        text.add_all(&["INSERT INTO ", self.table, " (company_id, "]);
        self.add_columns(text, "");
        let mut at = 0;
        while at < self.unread.len() {
            text.add_all(&[", ", self.unread[at]]);
            at += 1;
        }
        text.add_part(") VALUES (");
        let mut separator = Separator::new(", ");
        let last = 1
            + self.key.len()
            + self.fields.len()
            + self.fixed.len()
            + self.version.len()
            + self.unread.len();
        let mut number = 1;
        while number <= last {
            text.add_part(separator.next());
            text.add_parameter(number);
            number += 1;
        }
        text.add_part(")");
    }

    const fn add_update<const N: usize>(&self, text: &mut Text<N>) {
        text.add_all(&["UPDATE ", self.table, " SET "]);
        let mut separator = Separator::new(", ");
        let mut next = 1;
        let lists = [self.fields, self.touched];
        let mut list = 0;
        while list < lists.len() {
            let mut at = 0;
            while at < lists[list].len() {
                text.add_all(&[separator.next(), lists[list][at], " = "]);
                text.add_parameter(next);
                next += 1;
                at += 1;
            }
            list += 1;
        }
        if let [version] = self.version {
            text.add_all(&[separator.next(), version, " = ", version, " + 1"]);
        }
        text.add_part(" WHERE company_id = ");
        text.add_parameter(next);
        next = self.where_key(text, next + 1);
        if let [version] = self.version {
            text.add_all(&[" AND ", version, " = "]);
            text.add_parameter(next);
        }
    }
}

/// Counts the statements in several lists.
pub const fn count_statements(lists: &[&[Sql]]) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < lists.len() {
        count += lists[at].len();
        at += 1;
    }
    count
}

/// Concatenates several lists of statements.
pub const fn join_statements<const N: usize>(lists: &[&[Sql]]) -> [Sql; N] {
    let mut joined = [Sql::from_macro(""); N];
    let (mut list, mut made) = (0, 0);
    while list < lists.len() {
        let mut at = 0;
        while at < lists[list].len() {
            joined[made] = lists[list][at];
            made += 1;
            at += 1;
        }
        list += 1;
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_numbers_its_parameters_as_they_appear() {
        const NAMES: &[&str] = &["a", "b", "c", "d", "e", "f"];
        const SHAPE: Shape = Shape {
            table: "things",
            key: NAMES,
            fields: NAMES,
            fixed: NAMES,
            unread: &["created_at", "updated_at"],
            touched: &["updated_at"],
            version: &["version"],
        };
        for sql in [
            crate::__part!(SHAPE, Part::Find),
            crate::__part!(SHAPE, Part::Insert),
            crate::__part!(SHAPE, Part::Update),
            crate::__part!(SHAPE, Part::Delete),
        ] {
            assert!(sql.contains("$7") && Sql::from_macro(sql).parameters_in_order(), "{sql}");
        }
    }
}
