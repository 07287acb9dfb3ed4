//! Which fields of a record can be set, declared once.

/// Declares which fields of a record can be set, and how each is checked. What follows from it: the command that creates
/// the record and the one that updates it, both of [`Patch`](crate::patch::Patch)es, and the functions `fill` and `apply`
/// of the record that take their fields over.
///
/// A field is
/// * `required`: must be there on creation; an update may leave it out, and null keeps it,
/// * `optional`: may be left out or null; its check returns an `Option`, `None` for an empty value,
/// * `preset`: has a value without being sent, and null keeps it in an update,
/// * `lenient`: as `preset`, but null counts as left out.
///
/// A check takes the name of the field and what was sent, like those of `rules::check`. Fields that need more than a check
/// of their own, such as those that are sealed, stand in the braces of their command, and the use case reads them.
macro_rules! editable {
    (
        $record:ident;
        $(#[$create_about:meta])* create $create:ident { $($(#[$new_about:meta])* $new:ident: $new_type:ty,)* }
        $(#[$update_about:meta])* update $update:ident { $($(#[$put_about:meta])* $put:ident: $put_type:ty,)* }
        $($kind:ident $field:ident: $type:ty = $check:expr;)+
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
            /// Takes over the fields of a new record. What is wrong with them goes into `checks`.
            pub fn fill(&mut self, command: &$create, checks: &mut ::rules::Checks) {
                $($crate::editable::editable!(@fill $kind, command.$field, stringify!($field), checks, $check, &mut self.$field);)+
            }

            /// Takes over the fields that an update sends. What is wrong with them goes into `checks`.
            pub fn apply(&mut self, command: &$update, checks: &mut ::rules::Checks) {
                $($crate::editable::editable!(@apply $kind, command.$field, stringify!($field), checks, $check, &mut self.$field);)+
            }
        }
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
