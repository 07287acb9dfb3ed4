//! Types whose `Debug` shows nothing of what they hold.

/// Implements a `Debug` that shows only the type's name, for types that hold a secret, so that no log line, panic
/// message or failed assertion repeats a token, an account number or a date of birth.
///
/// ```
/// pub struct Password {
///     pub text: String,
/// }
///
/// store::hidden!(Password);
///
/// assert_eq!(format!("{:?}", Password { text: "correct horse".to_owned() }), "Password(***)");
/// ```
#[macro_export]
macro_rules! hidden {
    ($($name:ident $(<$life:lifetime>)?),+ $(,)?) => {$(
        impl $(<$life>)? ::std::fmt::Debug for $name $(<$life>)? {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(concat!(stringify!($name), "(***)"))
            }
        }
    )+};
}
