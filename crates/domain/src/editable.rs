//! The editable fields of a record, declared once.

/// Declares the editable fields of a record and the check of each. Generates the commands that create and update the record, both made of
/// [`Patch`](crate::patch::Patch)es, and the record's functions `fill` and `apply`, which set its fields from them.
///
/// A field is
/// * `required`: must be present on creation; an update may omit it, and null keeps it,
/// * `optional`: may be omitted or null; its check returns an `Option`, `None` for an empty value,
/// * `preset`: has a default, and null keeps it in an update,
/// * `lenient`: like `preset`, but null counts as omitted.
///
/// A field whose callers know it by another name gives that name: `required kind as "type": …`.
///
/// A check takes the name of the field and the value sent, like those of `rules::check`. Fields that need more than a check of their own,
/// such as sealed ones, are listed in the braces of their command, and the use case reads them.
macro_rules! editable {
    (
        $record:ident;
        $(#[$create_about:meta])* create $create:ident { $($(#[$new_about:meta])* $new:ident: $new_type:ty,)* }
        $(#[$update_about:meta])* update $update:ident { $($(#[$put_about:meta])* $put:ident: $put_type:ty,)* }
        $($kind:ident $field:ident $(as $key:literal)?: $type:ty = $check:expr;)+
    ) => {
        $(#[$create_about])*
        #[derive(Debug, Clone, Default)]
        #[allow(missing_docs, reason = "fields are those of the record")]
        pub struct $create {
            $(pub $field: $crate::patch::Patch<$type>,)+
            $($(#[$new_about])* pub $new: $crate::patch::Patch<$new_type>,)*
        }

        $(#[$update_about])*
        #[derive(Debug, Clone, Default)]
        #[allow(missing_docs, reason = "fields are those of the record")]
        pub struct $update {
            /// version of the record that the update is based on
            pub version: $crate::patch::Patch<String>,
            $(pub $field: $crate::patch::Patch<$type>,)+
            $($(#[$put_about])* pub $put: $crate::patch::Patch<$put_type>,)*
        }

        impl $record {
            /// Sets the fields of a new record. Violations go into `checks`.
            pub fn fill(&mut self, command: &$create, checks: &mut ::rules::Checks) {
                $($crate::editable::editable!(@fill $kind, command.$field, $crate::editable::editable!(@key $field $($key)?), checks, $check, &mut self.$field);)+
            }

            /// Sets the fields that an update sends. Violations go into `checks`.
            pub fn apply(&mut self, command: &$update, checks: &mut ::rules::Checks) {
                $($crate::editable::editable!(@apply $kind, command.$field, $crate::editable::editable!(@key $field $($key)?), checks, $check, &mut self.$field);)+
            }
        }
    };
    (@key $field:ident) => {
        stringify!($field)
    };
    (@key $field:ident $key:literal) => {
        $key
    };
    (@fill required, $sent:expr, $key:expr, $checks:expr, $check:expr, $target:expr) => {
        if let Some(value) = $sent.required($key, $checks, $check) {
            *$target = value;
        }
    };
    (@fill optional, $sent:expr, $key:expr, $checks:expr, $check:expr, $target:expr) => {
        $sent.update_or_clear($key, $checks, $check, $target)
    };
    (@fill $preset:ident, $sent:expr, $key:expr, $checks:expr, $check:expr, $target:expr) => {
        if let Some(value) = $sent.optional($key, $checks, $check) {
            *$target = value;
        }
    };
    (@apply optional, $sent:expr, $key:expr, $checks:expr, $check:expr, $target:expr) => {
        $sent.update_or_clear($key, $checks, $check, $target)
    };
    (@apply lenient, $sent:expr, $key:expr, $checks:expr, $check:expr, $target:expr) => {
        if let Some(value) = $sent.optional($key, $checks, $check) {
            *$target = value;
        }
    };
    (@apply $kind:ident, $sent:expr, $key:expr, $checks:expr, $check:expr, $target:expr) => {
        $sent.update($key, $checks, $check, $target)
    };
}

pub(crate) use editable;
