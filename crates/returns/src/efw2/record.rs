//! A record that is being written: blanks, zeros where amounts are, and what is set.

use super::layout::{Field, Kind, Layout};
use super::{Error, RECORD};

/// A value of a field.
#[derive(Debug, Clone, Copy)]
pub enum Value<'v> {
    /// text, or digits
    Text(&'v str),
    /// a number
    Count(u64),
    /// cents
    Cents(i64),
    /// 0 or 1
    Flag(bool),
}

/// A record.
pub struct Record<'l> {
    name: &'static str,
    fields: &'l [Field],
    bytes: [u8; RECORD],
}

impl<'l> Record<'l> {
    /// Begins with its name.
    pub fn new(layout: &'l Layout, name: &'static str) -> Self {
        let (fields, mut bytes) = (layout.fields(name), [b' '; RECORD]);
        for field in fields {
            let of_field = &mut bytes[field.from - 1..field.to];
            match field.kind {
                Kind::Constant => of_field.copy_from_slice(name.as_bytes()),
                Kind::Money | Kind::Flag => of_field.fill(b'0'),
                Kind::Number | Kind::Text | Kind::Blank => {}
            }
        }
        Self { name, fields, bytes }
    }

    /// Sets a field. Text that is too long is truncated, as the agency asks for names and addresses; a number is not.
    pub fn set(&mut self, key: &str, value: Value<'_>) -> Result<(), Error> {
        let fault = |why| Error::Field { record: self.name.to_owned(), field: key.to_owned(), why };
        let field = self.fields.iter().find(|field| field.key == key);
        let field = field.ok_or_else(|| fault("the layout has no such field"))?;
        let width = field.width();
        let written = match (field.kind, value) {
            (Kind::Text, Value::Text(text)) => {
                // Only addresses of e-mail keep small letters.
                let text = text.trim();
                let text = if key.ends_with("email") { text.to_owned() } else { text.to_ascii_uppercase() };
                let cut: String = text.chars().take(width).collect();
                format!("{cut:<width$}")
            }
            (Kind::Number, Value::Text("")) => return Ok(()),
            (Kind::Number, Value::Text(digits)) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
                format!("{digits:0>width$}")
            }
            (Kind::Number, Value::Text(_)) => return Err(fault("must be digits")),
            (Kind::Number, Value::Count(number)) => format!("{number:0>width$}"),
            (Kind::Money, Value::Cents(cents)) => {
                let cents = u64::try_from(cents).map_err(|_| fault("can't be negative"))?;
                format!("{cents:0>width$}")
            }
            (Kind::Flag, Value::Flag(flag)) => u8::from(flag).to_string(),
            _ => return Err(fault("holds another kind of value")),
        };
        if written.len() != width {
            return Err(fault("is too long, or not ASCII"));
        }
        self.bytes[field.from - 1..field.to].copy_from_slice(written.as_bytes());
        Ok(())
    }

    /// Sets several fields.
    pub fn set_all<'v>(
        &mut self,
        values: impl IntoIterator<Item = (&'v str, Value<'v>)>,
    ) -> Result<(), Error> {
        values.into_iter().try_for_each(|(key, value)| self.set(key, value))
    }

    /// The record.
    pub fn bytes(&self) -> &[u8; RECORD] {
        &self.bytes
    }
}
