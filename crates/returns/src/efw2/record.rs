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

/// A record of so many characters.
pub struct Record<'l, const LENGTH: usize = RECORD> {
    name: &'static str,
    fields: &'l [Field],
    bytes: [u8; LENGTH],
}

impl<'l> Record<'l> {
    /// Begins with its name, and zeros where amounts and marks are.
    pub fn new(layout: &'l Layout, name: &'static str) -> Self {
        let mut record = Record::blank(layout.record_fields(name), name);
        for field in record.fields.iter().filter(|field| matches!(field.kind, Kind::Money | Kind::Flag)) {
            record.bytes[field.from - 1..field.to].fill(b'0');
        }
        record
    }
}

impl<'l, const LENGTH: usize> Record<'l, LENGTH> {
    /// Begins with its name; everything that is not set is blank.
    pub fn blank(fields: &'l [Field], name: &'static str) -> Self {
        let mut bytes = [b' '; LENGTH];
        for field in fields.iter().filter(|field| field.kind == Kind::Constant) {
            bytes[field.from - 1..field.to].copy_from_slice(name.as_bytes());
        }
        Self { name, fields, bytes }
    }

    /// Sets a field. Text that is too long is truncated, as the agency asks for names and addresses; a number is not.
    pub fn set_field(&mut self, key: &str, value: Value<'_>) -> Result<(), Error> {
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
        values.into_iter().try_for_each(|(key, value)| self.set_field(key, value))
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Blanks everything but its name.
    pub fn clear_fields(&mut self) {
        self.bytes[self.name.len()..].fill(b' ');
    }

    /// Puts text at positions that are not in the layout: from the first to the last, from 1.
    pub fn place_text(&mut self, (from, to): (usize, usize), text: &str) -> Result<(), Error> {
        if text.len() != to + 1 - from || !text.is_ascii() {
            let field = format!("{from} to {to}");
            let why = "is too long, or not ASCII";
            return Err(Error::Field { record: self.name.to_owned(), field, why });
        }
        self.bytes[from - 1..to].copy_from_slice(text.as_bytes());
        Ok(())
    }

    /// The record.
    pub fn bytes(&self) -> &[u8; LENGTH] {
        &self.bytes
    }
}
