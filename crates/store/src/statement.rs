//! SQL text that is known at compile time.
//!
//! A [`Tx`](crate::Tx) takes only [`Sql`], and only [`statements!`](crate::statements) and [`record!`](crate::record!)
//! create one, so no statement is ever assembled from input, and all of them can be listed. A test prepares every
//! statement on both engines and looks for words outside the SQL subset.

/// One statement, with `$1`, `$2`, … as parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sql {
    text: &'static str,
    in_order: bool,
    one_row: bool,
    /// for a plain insert: the start and end of its row's values in the text
    values: Option<(usize, usize)>,
}

impl Sql {
    #[doc(hidden)]
    pub const fn from_macro(text: &'static str) -> Self {
        let bytes = text.as_bytes();
        let one_row = makes_one_row(bytes);
        let values = if one_row { values_at_end(bytes) } else { None };
        Self { text, in_order: parameters_in_order(bytes), one_row, values }
    }

    /// Returns the text as it is prepared on either engine.
    pub const fn text(self) -> &'static str {
        self.text
    }

    /// Whether the parameters first appear in the order `$1`, `$2`, …. An engine that numbers them by first appearance
    /// then gives each its own number.
    pub(crate) const fn parameters_in_order(self) -> bool {
        self.in_order
    }
}

impl Sql {
    /// Whether it changes exactly one row or fails: an insert of given values that neither skips an existing row nor
    /// updates it under a condition.
    pub(crate) const fn makes_one_row(self) -> bool {
        self.one_row
    }

    /// Whether it is an insert of given values that fails if the row exists.
    pub(crate) const fn inserts_a_row(self) -> bool {
        self.values.is_some()
    }

    /// Returns the same insert with several rows, given the number of parameters in each.
    pub(crate) fn of_rows(self, rows: usize, parameters: usize) -> Option<String> {
        let (from, to) = self.values?;
        let (head, values) = (self.text.get(..from)?, self.text.get(from..to)?);
        let row = |row: usize| {
            let mut parts = values.split('$');
            let first = parts.next()?.to_owned();
            parts.try_fold(first, |text, part| {
                let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let (number, rest) = part.split_at(digits);
                let number = number.parse::<usize>().ok()? + row * parameters;
                Some(format!("{text}${number}{rest}"))
            })
        };
        Some(format!("{head}{}", (0..rows).map(row).collect::<Option<Vec<_>>>()?.join(", ")))
    }
}

/// Returns the range from the parenthesis after VALUES to the matching one, if the text ends there.
const fn values_at_end(text: &[u8]) -> Option<(usize, usize)> {
    let (mut at, mut from, mut depth) = (0, 0, 0);
    while at < text.len() {
        if from == 0 {
            if begins_with(text, at, b"VALUES (") {
                from = at + b"VALUES ".len();
                at = from;
                depth = 1;
            }
        } else if depth == 0 {
            // A clause follows the row: the statement may update an existing row.
            return None;
        } else {
            match text[at] {
                b'(' => depth += 1,
                b')' => depth -= 1,
                // A string literal might contain parentheses or parameters.
                b'\'' => return None,
                _ => {}
            }
        }
        at += 1;
    }
    if from > 0 && depth == 0 { Some((from, text.len())) } else { None }
}

const fn makes_one_row(text: &[u8]) -> bool {
    let mut at = 0;
    let mut values = false;
    while at < text.len() {
        match text[at] {
            b'V' => values = values || begins_with(text, at, b"VALUES ("),
            b'D' if begins_with(text, at, b"DO NOTHING") => return false,
            b'S' if begins_with(text, at, b"SELECT") => return false,
            b'W' if begins_with(text, at, b"WHERE") => return false,
            b'R' if begins_with(text, at, b"RETURNING") => return false,
            _ => {}
        }
        at += 1;
    }
    values && begins_with(text, 0, b"INSERT INTO")
}

const fn begins_with(text: &[u8], from: usize, word: &[u8]) -> bool {
    let mut at = 0;
    while at < word.len() {
        if from + at >= text.len() || text[from + at] != word[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// See [`Sql::parameters_in_order`]; computed at compile time.
const fn parameters_in_order(text: &[u8]) -> bool {
    let (mut at, mut highest) = (0, 0);
    while at < text.len() {
        let sign = text[at] == b'$';
        at += 1;
        let mut number = 0;
        while sign && at < text.len() && text[at].is_ascii_digit() {
            number = number * 10 + (text[at] - b'0') as usize;
            at += 1;
        }
        if number > highest + 1 {
            return false;
        }
        if number == highest + 1 {
            highest = number;
        }
    }
    true
}

/// Declares the statements of a module and lists them in `ALL`.
///
/// ```
/// store::statements! {
///     /// one company
///     pub BY_ID = "SELECT name FROM companies WHERE id = $1";
/// }
/// assert_eq!(ALL, [BY_ID]);
/// ```
///
/// With `records A, B;` before them, `ALL` also contains the statements of these [`record!`](crate::record!)s.
#[macro_export]
macro_rules! statements {
    (records $($record:ty),+; $($(#[$note:meta])* $visibility:vis $name:ident = $text:expr;)*) => {
        $($(#[$note])* $visibility const $name: $crate::Sql = $crate::Sql::from_macro($text);)*
        /// Every statement of this module.
        pub const ALL: &[$crate::Sql] = {
            const LISTS: &[&[$crate::Sql]] = &[&[$($name),*], $(<$record>::STATEMENTS),+];
            const JOINED: &[$crate::Sql; $crate::record::count_statements(LISTS)] = &$crate::record::join_statements(LISTS);
            JOINED
        };
    };
    ($($(#[$note:meta])* $visibility:vis $name:ident = $text:expr;)+) => {
        $($(#[$note])* $visibility const $name: $crate::Sql = $crate::Sql::from_macro($text);)+
        /// Every statement of this module.
        pub const ALL: &[$crate::Sql] = &[$($name),+];
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_is_made_by_an_insert_of_values_without_conditions() {
        for (text, one_row) in [
            ("INSERT INTO t (a) VALUES ($1)", true),
            ("INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET n = t.n + 1", true),
            ("INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET n = 1 WHERE t.n = 0", false),
            ("INSERT INTO t (a) VALUES ($1) ON CONFLICT DO NOTHING", false),
            ("INSERT INTO t (a) VALUES ($1) RETURNING a", false),
            ("INSERT INTO t (a) SELECT a FROM u", false),
            ("UPDATE t SET a = $1", false),
        ] {
            assert_eq!(Sql::from_macro(text).makes_one_row(), one_row, "{text}");
        }
    }

    #[test]
    fn an_insert_of_one_row_is_made_one_of_several() {
        let one = Sql::from_macro("INSERT INTO t (a, b, c) VALUES ($1, coalesce($2, 0), $1)");
        assert_eq!(one.of_rows(1, 2).as_deref(), Some(one.text()));
        let three = "INSERT INTO t (a, b, c) VALUES ($1, coalesce($2, 0), $1), ($3, coalesce($4, 0), $3), ($5, coalesce($6, 0), $5)";
        assert_eq!(one.of_rows(3, 2).as_deref(), Some(three));
        for other in [
            "INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET n = t.n + 1",
            "INSERT INTO t (a) VALUES ($1, ')')",
            "INSERT INTO t (a) SELECT a FROM u",
            "UPDATE t SET a = $1",
        ] {
            let other = Sql::from_macro(other);
            assert!(!other.inserts_a_row() && other.of_rows(2, 1).is_none(), "{}", other.text());
        }
    }

    #[test]
    fn parameters_are_in_order_when_each_is_first_mentioned_after_the_one_before() {
        for (text, in_order) in [
            ("SELECT 1", true),
            ("a = $1 AND b = $2 AND c = $1 AND d = $3", true),
            ("a = $2 AND b = $1", false),
            ("a = $1 AND b = $3", false),
            ("$1 $2 $3 $4 $5 $6 $7 $8 $9 $10 $11", true),
            ("$1 $2 $3 $4 $5 $6 $7 $8 $9 $11 $10", false),
        ] {
            assert_eq!(Sql::from_macro(text).parameters_in_order(), in_order, "{text}");
        }
    }
}
