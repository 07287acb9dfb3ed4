//! Records that are declared once.
//!
//! A record is a row that belongs to a company and that the program represents as a struct. From one declaration,
//! [`record!`](crate::record!) generates the struct and everything that would otherwise have to be kept consistent by
//! hand: the list of columns, the code that reads a row, the statements, their parameters, and the list of fields that
//! an update changes. All SQL is built at compile time.

mod shape;
mod stored;
mod ways;

#[doc(hidden)]
pub use {serde_json, uuid::Uuid};

#[doc(hidden)]
pub use crate::text::Text;
#[doc(hidden)]
pub use shape::{Part, Shape, count_statements, join_statements};
pub use stored::{Change, Cursor, JsonText, Stored};
#[doc(hidden)]
pub use stored::{json_or_null, note_change, note_json, note_secret, note_stored, serialize_json};

/// Declares a record: its struct, its table, and how each field is stored.
///
/// ```
/// use store::record::Uuid;
///
/// /// How often pay is given.
/// #[derive(Debug, Clone, Copy, PartialEq, Eq)]
/// pub enum Unit {
///     /// by the hour
///     Hour,
///     /// by the year
///     Year,
/// }
///
/// impl Unit {
///     /// The unit of a name.
///     pub fn parse(name: &str) -> Option<Self> {
///         [Self::Hour, Self::Year].into_iter().find(|unit| unit.as_str() == name)
///     }
///
///     /// Its name.
///     pub fn as_str(self) -> &'static str {
///         match self {
///             Self::Hour => "Hour",
///             Self::Year => "Year",
///         }
///     }
/// }
///
/// store::record! {
///     /// A job of an employee.
///     #[derive(Debug, Clone, PartialEq, Eq)]
///     pub struct Job in "jobs" {
///         key {
///             /// whose job it is
///             pub employee: Uuid = "employee_id",
///             /// identifier
///             pub id: Uuid,
///         }
///         fields {
///             /// what it is called
///             pub title: Option<String>,
///             /// what the rate is paid for
///             pub unit: Unit as text = "payment_unit",
///             /// days off
///             pub days_off: Vec<String> as json,
///             /// sealed
///             pub note: Option<Vec<u8>> as secret,
///         }
///         fixed {
///             /// whether it is the first one
///             pub is_primary: bool,
///         }
///         times { created_at, updated_at }
///         version
///     }
/// }
///
/// store::statements! {
///     records Job;
///     OF_EMPLOYEE = store::text!(Job::SELECT, " AND employee_id = $2 ORDER BY id");
/// }
///
/// assert_eq!(Job::COLUMNS, "employee_id, id, title, payment_unit, days_off, note, is_primary, version");
/// assert_eq!(
///     Job::UPDATE.text(),
///     "UPDATE jobs SET title = $1, payment_unit = $2, days_off = $3, note = $4, updated_at = $5, \
///      version = version + 1 WHERE company_id = $6 AND employee_id = $7 AND id = $8 AND version = $9"
/// );
/// assert_eq!(ALL, [OF_EMPLOYEE, Job::INSERT, Job::FIND, Job::DELETE, Job::UPDATE]);
/// ```
///
/// # Sections
///
/// In any order; only `key` is required.
///
/// * `key`: identifies the record within its company. Every table has a column `company_id`, which is not declared and
///   comes first in every condition and every insertion.
/// * `fields`: what an update changes. Without them the record has no `UPDATE`, `update` or `changes`.
/// * `fixed`: what is set once, when the record is inserted.
/// * `times`: `created_at` and `updated_at`, if the table has them. They are set to the time of the unit, `updated_at` by
///   updates too. With a type (`pub updated_at: Timestamp`) the time is also a field of the struct; an insert then
///   stores the struct's value, and only updates set the time of the unit.
/// * `version`: the counter of updates, a field `version: i64` of the struct. An insert stores the struct's value (1 in
///   a new record); an update increments it, and matches no row if the counter has changed since the record was read.
///
/// # Fields
///
/// `name: Type`, then `as` with the way of storing if the column's type differs from the field's, then `= "column"` if
/// the column has another name. With any `as`, the type may be an `Option`, spelled exactly so; `None` is NULL.
///
/// * `as text`: a value stored by its name. The type has the functions `parse(&str) -> Option<Self>` and `as_str(self)
///   -> &str`.
/// * `as json`: any serde type, in a JSON column.
/// * `as secret`: stored as its own type, but lists of changes omit its value.
/// * `as` anything else: the name of a type that implements [`Stored`](crate::Stored) for the field's type, such as
///   [`JsonText`](crate::JsonText).
///
/// # Generated items
///
/// | item | |
/// |---|---|
/// | `TABLE`, `COLUMNS` | names; [`columns!`](crate::columns) gives the columns with a prefix |
/// | `SELECT` | text up to `WHERE company_id = $1`, to build other statements |
/// | `FIND`, `INSERT`, `UPDATE`, `DELETE`, `STATEMENTS` | statements, and the list of them |
/// | `read(row)`, `read_from(row, first)` | reads a row whose columns are `COLUMNS`, starting at the first column or at `first` |
/// | `find(tx, company, key…)` | finds the record, if it belongs to the company |
/// | `insert(tx, company)` | stores a new record |
/// | `insert_by(statement, tx, company)` | the same, by a statement with the parameters of `INSERT` |
/// | `update(tx, company)` | stores `fields`; `false` if there is no such record with that version |
/// | `delete(tx, company)` | deletes it regardless of its version; `false` if there is none |
/// | `changes(before, after)` | lists the `fields` that differ, by their names in the struct |
///
/// A value that cannot be read is [`Error::Unreadable`](crate::Error::Unreadable), or [`Error::Newer`](crate::Error::Newer)
/// if a newer version may have written it, with table and column.
#[macro_export]
macro_rules! record {
    ($(#[$meta:meta])* $vis:vis struct $name:ident in $table:literal { $($sections:tt)* }) => {
        $crate::__record! {
            @sections { [$(#[$meta])*] [$vis] $name $table } {} {} {} {} {} $($sections)*
        }
    };
}

/// The columns of a [`record!`](crate::record!), each with a prefix, as constant text.
///
/// ```
/// # use store::record::Uuid;
/// # store::record! {
/// #     /// A job.
/// #     pub struct Job in "jobs" {
/// #         key { /// identifier
/// #             pub id: Uuid, }
/// #         fields { /// what it is called
/// #             pub title: String, }
/// #     }
/// # }
/// assert_eq!(store::columns!(Job, "j."), "j.id, j.title");
/// ```
#[macro_export]
macro_rules! columns {
    ($record:ty, $prefix:expr) => {
        $crate::__part!(<$record>::SHAPE, $crate::record::Part::Columns($prefix))
    };
}

/// A part of a statement as constant text.
#[doc(hidden)]
#[macro_export]
macro_rules! __part {
    ($shape:expr, $part:expr) => {{
        const LENGTH: usize = $shape.make_part::<0>($part).length();
        const TEXT: &$crate::record::Text<LENGTH> = &$shape.make_part($part);
        TEXT.as_str()
    }};
}

/// The steps of [`record!`]: sorts the sections, then the fields of each, then generates the items.
///
/// A field becomes `{ [attributes] [visibility] name [type] [way; one T] ["column"] }`, or `[way; maybe T]` of an
/// `Option<T>`.
#[doc(hidden)]
#[macro_export]
macro_rules! __record {
    // Sections, into: key, fields, fixed, times, version.
    (@sections $head:tt {} $f:tt $x:tt $t:tt $v:tt key { $($key:tt)* } $($rest:tt)*) => {
        $crate::__record! { @sections $head { $($key)* } $f $x $t $v $($rest)* }
    };
    (@sections $head:tt $k:tt {} $x:tt $t:tt $v:tt fields { $($fields:tt)* } $($rest:tt)*) => {
        $crate::__record! { @sections $head $k { $($fields)* } $x $t $v $($rest)* }
    };
    (@sections $head:tt $k:tt $f:tt {} $t:tt $v:tt fixed { $($fixed:tt)* } $($rest:tt)*) => {
        $crate::__record! { @sections $head $k $f { $($fixed)* } $t $v $($rest)* }
    };
    (@sections $head:tt $k:tt $f:tt $x:tt {} $v:tt times { $($times:tt)* } $($rest:tt)*) => {
        $crate::__record! { @sections $head $k $f $x { $($times)* } $v $($rest)* }
    };
    (@sections $head:tt $k:tt $f:tt $x:tt $t:tt {} version $($rest:tt)*) => {
        $crate::__record! { @sections $head $k $f $x $t { version } $($rest)* }
    };
    (@sections $head:tt $k:tt $f:tt $x:tt { $($times:tt)* } $v:tt) => {
        $crate::__record! { @times $head $k $f $x $v {} {} {} $($times)* }
    };

    // Times, into: those that the struct holds, those that it does not, and the one that updates set.
    (@times $head:tt $k:tt $f:tt $x:tt $v:tt $held:tt { $($unread:tt)* } $touched:tt
        created_at $(, $($rest:tt)*)?) => {
        $crate::__record! { @times $head $k $f $x $v $held { $($unread)* created_at } $touched $($($rest)*)? }
    };
    (@times $head:tt $k:tt $f:tt $x:tt $v:tt $held:tt { $($unread:tt)* } {}
        updated_at $(, $($rest:tt)*)?) => {
        $crate::__record! { @times $head $k $f $x $v $held { $($unread)* updated_at } { updated_at } $($($rest)*)? }
    };
    (@times $head:tt $k:tt $f:tt $x:tt $v:tt { $($held:tt)* } $unread:tt $touched:tt
        $(#[$meta:meta])* $vis:vis created_at: $type:ty $(, $($rest:tt)*)?) => {
        $crate::__record! {
            @times $head $k $f $x $v { $($held)* $(#[$meta])* $vis created_at: $type, } $unread $touched $($($rest)*)?
        }
    };
    (@times $head:tt $k:tt $f:tt $x:tt $v:tt { $($held:tt)* } $unread:tt {}
        $(#[$meta:meta])* $vis:vis updated_at: $type:ty $(, $($rest:tt)*)?) => {
        $crate::__record! {
            @times $head $k $f $x $v { $($held)* $(#[$meta])* $vis updated_at: $type, } $unread { updated_at }
            $($($rest)*)?
        }
    };
    (@times $head:tt { $($k:tt)* } $f:tt $x:tt $v:tt $held:tt $unread:tt $touched:tt) => {
        $crate::__record! { @list { @key $head $f $x $held $v $unread $touched } [] $($k)* }
    };

    // Concatenates the lists of fields.
    (@key $head:tt { $($f:tt)* } $x:tt $held:tt $v:tt $unread:tt $touched:tt $key:tt) => {
        $crate::__record! { @list { @fields $head $x $held $v $unread $touched $key } [] $($f)* }
    };
    (@fields $head:tt { $($x:tt)* } $held:tt $v:tt $unread:tt $touched:tt $key:tt $fields:tt) => {
        $crate::__record! { @list { @fixed $head $held $v $unread $touched $key $fields } [] $($x)* }
    };
    (@fixed $head:tt { $($held:tt)* } $v:tt $unread:tt $touched:tt $key:tt $fields:tt [$($fixed:tt)*]) => {
        $crate::__record! { @list { @make $head $v $unread $touched $key $fields } [$($fixed)*] $($held)* }
    };
    (@list { $($then:tt)* } $done:tt) => { $crate::__record! { $($then)* $done } };
    (@list $then:tt [$($done:tt)*]
        $(#[$meta:meta])* $vis:vis $name:ident: Option<$type:ty> $(as $way:ident)? $(= $column:literal)?
        $(, $($rest:tt)*)?) => {
        $crate::__record! {
            @list $then
            [$($done)* { [$(#[$meta])*] [$vis] $name [Option<$type>] [$($way)?; maybe $type] [$($column)?] }]
            $($($rest)*)?
        }
    };
    (@list $then:tt [$($done:tt)*]
        $(#[$meta:meta])* $vis:vis $name:ident: $type:ty $(as $way:ident)? $(= $column:literal)?
        $(, $($rest:tt)*)?) => {
        $crate::__record! {
            @list $then
            [$($done)* { [$(#[$meta])*] [$vis] $name [$type] [$($way)?; one $type] [$($column)?] }]
            $($($rest)*)?
        }
    };

    (@make { [$(#[$meta:meta])*] [$vis:vis] $name:ident $table:literal }
        { $($version:ident)? } { $($unread:ident)* } { $($touched:ident)? }
        [$({ [$(#[$kmeta:meta])*] [$kvis:vis] $key:ident [$ktype:ty] $kway:tt $kcolumn:tt })+]
        [$({ [$(#[$fmeta:meta])*] [$fvis:vis] $field:ident [$ftype:ty] $fway:tt $fcolumn:tt })*]
        [$({ [$(#[$xmeta:meta])*] [$xvis:vis] $fixed:ident [$xtype:ty] $xway:tt $xcolumn:tt })*]
    ) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[$kmeta])* $kvis $key: $ktype,)+
            $($(#[$fmeta])* $fvis $field: $ftype,)*
            $($(#[$xmeta])* $xvis $fixed: $xtype,)*
            $(
                /// counter of updates
                pub $version: i64,
            )?
        }

        #[allow(dead_code, reason = "a record need not use all that is made of it")]
        impl $name {
            #[doc(hidden)]
            pub const SHAPE: $crate::record::Shape = $crate::record::Shape {
                table: $table,
                key: &[$($crate::__stored!(@column $key $kcolumn)),+],
                fields: &[$($crate::__stored!(@column $field $fcolumn)),*],
                fixed: &[$($crate::__stored!(@column $fixed $xcolumn)),*],
                unread: &[$(stringify!($unread)),*],
                touched: &[$(stringify!($touched))?],
                version: &[$(stringify!($version))?],
            };
            /// The table.
            pub const TABLE: &'static str = $table;
            /// The columns in the order in which [`Self::read`] reads them.
            pub const COLUMNS: &'static str = $crate::columns!($name, "");
            /// Every record of the company: the text up to `WHERE company_id = $1`.
            pub const SELECT: &'static str = $crate::__part!($name::SHAPE, $crate::record::Part::Select);
            /// Finds the record with a key: $1 company, and then the key.
            pub const FIND: $crate::Sql =
                $crate::Sql::from_macro($crate::__part!($name::SHAPE, $crate::record::Part::Find));
            /// Inserts a record.
            pub const INSERT: $crate::Sql =
                $crate::Sql::from_macro($crate::__part!($name::SHAPE, $crate::record::Part::Insert));
            /// Deletes the record with a key: $1 company, and then the key.
            pub const DELETE: $crate::Sql =
                $crate::Sql::from_macro($crate::__part!($name::SHAPE, $crate::record::Part::Delete));

            /// Reads a row whose columns are [`Self::COLUMNS`].
            ///
            /// # Errors
            /// [`store::Error::Unreadable`]($crate::Error::Unreadable), or `store::Error::Newer`.
            pub fn read(row: &$crate::Row<'_>) -> ::core::result::Result<Self, $crate::Error> {
                Self::read_from(row, 0)
            }

            /// Reads a row whose [`Self::COLUMNS`] begin at `first`, counted from 0.
            ///
            /// # Errors
            /// [`store::Error::Unreadable`]($crate::Error::Unreadable), or `store::Error::Newer`.
            pub fn read_from(
                row: &$crate::Row<'_>,
                first: usize,
            ) -> ::core::result::Result<Self, $crate::Error> {
                let mut cursor = $crate::record::Cursor::new(row, $table, first);
                // Fields are evaluated in this order, which is that of the columns.
                ::core::result::Result::Ok(Self {
                    $($key: $crate::__stored!(@read $kway cursor, $crate::__stored!(@column $key $kcolumn)),)+
                    $($field: $crate::__stored!(@read $fway cursor, $crate::__stored!(@column $field $fcolumn)),)*
                    $($fixed: $crate::__stored!(@read $xway cursor, $crate::__stored!(@column $fixed $xcolumn)),)*
                    $($version: cursor.read_plain(stringify!($version))?,)?
                })
            }

            /// Finds the record, if it belongs to the company.
            ///
            /// # Errors
            /// A store error.
            pub fn find(
                tx: &mut $crate::Tx<'_>,
                company: $crate::record::Uuid,
                $($key: $ktype),+
            ) -> ::core::result::Result<::core::option::Option<Self>, $crate::Error> {
                tx.try_find(
                    Self::FIND,
                    &[company.into(), $($crate::__stored!(@value $kway $table $key, $key)),+],
                    Self::read,
                )
            }

            /// Stores a new record.
            ///
            /// # Errors
            /// A store error.
            pub fn insert(
                &self,
                tx: &mut $crate::Tx<'_>,
                company: $crate::record::Uuid,
            ) -> ::core::result::Result<(), $crate::Error> {
                self.insert_by(Self::INSERT, tx, company)
            }

            /// Stores the record by another statement with the parameters of [`Self::INSERT`], such as an upsert.
            ///
            /// # Errors
            /// A store error.
            pub fn insert_by(
                &self,
                statement: $crate::Sql,
                tx: &mut $crate::Tx<'_>,
                company: $crate::record::Uuid,
            ) -> ::core::result::Result<(), $crate::Error> {
                #[allow(unused_variables, reason = "the table may have no moments")]
                let now = tx.now();
                tx.insert_row(
                    statement,
                    &[
                        company.into(),
                        $($crate::__stored!(@value $kway $table $key, self.$key),)+
                        $($crate::__stored!(@value $fway $table $field, self.$field),)*
                        $($crate::__stored!(@value $xway $table $fixed, self.$fixed),)*
                        $(self.$version.into(),)?
                        $($crate::__stored!(@time $unread now),)*
                    ],
                )
            }

            /// Deletes the record regardless of its version; returns `false` if there is none.
            ///
            /// # Errors
            /// A store error.
            pub fn delete(
                &self,
                tx: &mut $crate::Tx<'_>,
                company: $crate::record::Uuid,
            ) -> ::core::result::Result<bool, $crate::Error> {
                let deleted = tx.change_rows(
                    Self::DELETE,
                    &[company.into(), $($crate::__stored!(@value $kway $table $key, self.$key)),+],
                )?;
                ::core::result::Result::Ok(deleted.is_one())
            }
        }

        $crate::__record! {
            @update $name $table { $($version)? } { $($touched)? }
            [$($key $kway)+] [$({ $field $fway })*]
        }
    };

    // The items that only a record with `fields` has.
    (@update $name:ident $table:literal $version:tt $touched:tt $key:tt []) => {
        impl $name {
            /// The statements of this record.
            pub const STATEMENTS: &'static [$crate::Sql] = &[Self::INSERT, Self::FIND, Self::DELETE];
        }
    };
    (@update $name:ident $table:literal { $($version:ident)? } { $($touched:ident)? }
        [$($key:ident $kway:tt)+] [$({ $field:ident $fway:tt })+]) => {
        #[allow(dead_code, reason = "a record need not use all that is made of it")]
        impl $name {
            /// The statements of this record.
            pub const STATEMENTS: &'static [$crate::Sql] =
                &[Self::INSERT, Self::FIND, Self::DELETE, Self::UPDATE];
            /// What an update changes.
            pub const UPDATE: $crate::Sql =
                $crate::Sql::from_macro($crate::__part!($name::SHAPE, $crate::record::Part::Update));

            /// Stores what an update changes; returns `false`, and stores nothing, if there is no such record with
            /// this version.
            ///
            /// # Errors
            /// A store error.
            pub fn update(
                &self,
                tx: &mut $crate::Tx<'_>,
                company: $crate::record::Uuid,
            ) -> ::core::result::Result<bool, $crate::Error> {
                #[allow(unused_variables, reason = "the table may have no moments")]
                let now = tx.now();
                let changed = tx.change_rows(
                    Self::UPDATE,
                    &[
                        $($crate::__stored!(@value $fway $table $field, self.$field),)+
                        $($crate::__stored!(@time $touched now),)?
                        company.into(),
                        $($crate::__stored!(@value $kway $table $key, self.$key),)+
                        $(self.$version.into(),)?
                    ],
                )?;
                ::core::result::Result::Ok(changed.is_one())
            }

            /// Returns the fields that differ, among those that an update changes.
            pub fn changes(before: &Self, after: &Self) -> ::std::vec::Vec<$crate::record::Change> {
                let mut changes = ::std::vec::Vec::new();
                $($crate::__stored!(@note $fway changes, stringify!($field), before.$field, after.$field);)+
                changes
            }
        }
    };
}
