//! SQL text that is known before the program runs.
//!
//! A [`Tx`](crate::Tx) takes only [`Sql`], and only [`statements!`](crate::statements) makes one: no statement is
//! ever put together from input, and a module's statements can be listed. A test prepares every one of them on
//! both engines and looks for words outside the SQL subset.

/// One statement, with `$1`, `$2`, … as parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sql(&'static str);

impl Sql {
    #[doc(hidden)]
    pub const fn from_macro(text: &'static str) -> Self {
        Self(text)
    }

    /// The text as it is prepared on either engine.
    pub const fn text(self) -> &'static str {
        self.0
    }
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
#[macro_export]
macro_rules! statements {
    ($($(#[$note:meta])* $visibility:vis $name:ident = $text:expr;)+) => {
        $($(#[$note])* $visibility const $name: $crate::Sql = $crate::Sql::from_macro($text);)+
        /// Every statement of this module.
        pub const ALL: &[$crate::Sql] = &[$($name),+];
    };
}
