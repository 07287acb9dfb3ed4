//! SQL text that is known before the program runs.
//!
//! A [`Tx`](crate::Tx) takes only [`Sql`], and only [`statements!`](crate::statements) and [`record!`](crate::record!)
//! make one: no statement is ever put together from input, and a module's statements can be listed. A test prepares every one of them on
//! both engines and looks for words outside the SQL subset.

/// One statement, with `$1`, `$2`, … as parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sql {
    text: &'static str,
    in_order: bool,
}

impl Sql {
    #[doc(hidden)]
    pub const fn from_macro(text: &'static str) -> Self {
        Self { text, in_order: parameters_in_order(text.as_bytes()) }
    }

    /// The text as it is prepared on either engine.
    pub const fn text(self) -> &'static str {
        self.text
    }

    /// Whether `$1` is mentioned before `$2`, and so on. An engine that numbers parameters by where they first
    /// appear then gives each its own number.
    pub(crate) const fn parameters_in_order(self) -> bool {
        self.in_order
    }
}

/// See [`Sql::parameters_in_order`]; known when the program is compiled.
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

/// Names the statements of a module and lists them in `ALL`.
///
/// ```
/// store::statements! {
///     /// one company
///     pub BY_ID = "SELECT name FROM companies WHERE id = $1";
/// }
/// assert_eq!(ALL, [BY_ID]);
/// ```
///
/// With `records A, B;` before them, `ALL` holds the statements of these [`record!`](crate::record!)s as well.
#[macro_export]
macro_rules! statements {
    (records $($record:ty),+; $($(#[$note:meta])* $visibility:vis $name:ident = $text:expr;)*) => {
        $($(#[$note])* $visibility const $name: $crate::Sql = $crate::Sql::from_macro($text);)*
        /// Every statement of this module.
        pub const ALL: &[$crate::Sql] = {
            const LISTS: &[&[$crate::Sql]] = &[&[$($name),*], $(<$record>::STATEMENTS),+];
            const JOINED: &[$crate::Sql; $crate::record::count(LISTS)] = &$crate::record::joined(LISTS);
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
