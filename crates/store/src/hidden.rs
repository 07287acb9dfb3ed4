//! Types whose `Debug` shows nothing of what they hold.

/// Gives types that hold a secret a `Debug` that shows only their name, so that no log line, no panic message
/// and no failed assertion repeats a token, a number or a birthday.
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
