//! The ways of storing a field, as [`record!`](crate::record!) expands them.

/// The code that depends on the way a field is stored.
#[doc(hidden)]
#[macro_export]
macro_rules! __stored {
    (@column $name:ident []) => { stringify!($name) };
    (@column $name:ident [$column:literal]) => { $column };

    (@time $name:ident $now:ident) => { $crate::Value::Instant($now) };

    (@read [; maybe $type:ty] $cursor:ident, $column:expr) => { $cursor.read_plain::<Option<$type>>($column)? };
    (@read [; one $type:ty] $cursor:ident, $column:expr) => { $cursor.read_plain::<$type>($column)? };
    (@read [secret; $($type:tt)+] $cursor:ident, $column:expr) => {
        $crate::__stored!(@read [; $($type)+] $cursor, $column)
    };
    (@read [text; one $type:ty] $cursor:ident, $column:expr) => {
        $cursor.read_text($column, |text| <$type>::parse(text))?
    };
    (@read [text; maybe $type:ty] $cursor:ident, $column:expr) => {
        $cursor.text_or_null($column, |text| <$type>::parse(text))?
    };
    (@read [json; one $type:ty] $cursor:ident, $column:expr) => { $cursor.read_json::<$type>($column)? };
    (@read [json; maybe $type:ty] $cursor:ident, $column:expr) => { $cursor.json_or_null::<$type>($column)? };
    (@read [$way:ident; one $type:ty] $cursor:ident, $column:expr) => {
        $cursor.read_stored::<$way, $type>($column)?
    };
    (@read [$way:ident; maybe $type:ty] $cursor:ident, $column:expr) => {
        $cursor.stored_or_null::<$way, $type>($column)?
    };

    (@value [; $($type:tt)+] $table:literal $name:ident, $field:expr) => { $crate::Value::from(&$field) };
    (@value [secret; $($type:tt)+] $table:literal $name:ident, $field:expr) => { $crate::Value::from(&$field) };
    (@value [text; one $type:ty] $table:literal $name:ident, $field:expr) => { $crate::Value::Text($field.as_str()) };
    (@value [text; maybe $type:ty] $table:literal $name:ident, $field:expr) => {
        $field.as_ref().map_or($crate::Value::Null, |field| $crate::Value::Text(field.as_str()))
    };
    (@value [json; one $type:ty] $table:literal $name:ident, $field:expr) => {
        $crate::Value::Json(&$crate::record::serialize_json($table, stringify!($name), &$field)?)
    };
    (@value [json; maybe $type:ty] $table:literal $name:ident, $field:expr) => {
        $crate::record::json_or_null($table, stringify!($name), &$field)?
            .as_deref()
            .map_or($crate::Value::Null, $crate::Value::Json)
    };
    (@value [$way:ident; one $type:ty] $table:literal $name:ident, $field:expr) => {
        <$way as $crate::Stored<$type>>::value(&$field)
    };
    (@value [$way:ident; maybe $type:ty] $table:literal $name:ident, $field:expr) => {
        $field.as_ref().map_or($crate::Value::Null, <$way as $crate::Stored<$type>>::value)
    };

    (@note [secret; $($type:tt)+] $changes:ident, $name:expr, $before:expr, $after:expr) => {
        $crate::record::note_secret(&mut $changes, $name, (&$before).into(), (&$after).into())
    };
    (@note [json; $($type:tt)+] $changes:ident, $name:expr, $before:expr, $after:expr) => {
        $crate::record::note_json(&mut $changes, $name, &$before, &$after)
    };
    (@note [; $($type:tt)+] $changes:ident, $name:expr, $before:expr, $after:expr) => {
        $crate::record::note_change(&mut $changes, $name, (&$before).into(), (&$after).into())
    };
    (@note [text; $($type:tt)+] $changes:ident, $name:expr, $before:expr, $after:expr) => {
        $crate::record::note_change(
            &mut $changes,
            $name,
            $crate::__stored!(@value [text; $($type)+] "" field, $before),
            $crate::__stored!(@value [text; $($type)+] "" field, $after),
        )
    };
    (@note [$way:ident; one $type:ty] $changes:ident, $name:expr, $before:expr, $after:expr) => {
        $crate::record::note_stored::<$way, $type>(&mut $changes, $name, Some(&$before), Some(&$after))
    };
    (@note [$way:ident; maybe $type:ty] $changes:ident, $name:expr, $before:expr, $after:expr) => {
        $crate::record::note_stored::<$way, $type>(&mut $changes, $name, $before.as_ref(), $after.as_ref())
    };
}
