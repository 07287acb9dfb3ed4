//! Fields of a record: text is left-aligned and padded with blanks, numbers are right-aligned and padded with zeros.

use jiff::civil::Date;

use crate::{Error, RECORD};

/// A record that is being written.
pub struct Record(String);

impl Record {
    /// Begins with the type of the record.
    pub fn new(kind: char) -> Self {
        let mut text = String::with_capacity(RECORD);
        text.push(kind);
        Self(text)
    }

    /// Text as it is, of a fixed length.
    pub fn fixed_text(mut self, text: &str) -> Self {
        self.0.push_str(text);
        self
    }

    /// Blanks.
    pub fn blank_field(mut self, width: usize) -> Self {
        self.0.extend(std::iter::repeat_n(' ', width));
        self
    }

    /// Text in the network's character set, padded with blanks. Text that is too long is refused.
    pub fn text_field(mut self, field: &'static str, text: &str, width: usize) -> Result<Self, Error> {
        let length = text.chars().count();
        if length > width {
            return Err(Error::invalid_field(field, format!("must have at most {width} characters")));
        }
        if !text.chars().all(is_allowed) {
            return Err(Error::invalid_field(field, "may hold only printable ASCII characters"));
        }
        self.0.push_str(text);
        Ok(self.blank_field(width - length))
    }

    /// A number, padded with zeros.
    pub fn number_field(mut self, field: &'static str, number: u64, width: usize) -> Result<Self, Error> {
        let digits = number.to_string();
        if digits.len() > width {
            return Err(Error::invalid_field(field, format!("must have at most {width} digits")));
        }
        self.0.extend(std::iter::repeat_n('0', width - digits.len()));
        self.0.push_str(&digits);
        Ok(self)
    }

    /// A day as YYMMDD.
    pub fn date_field(self, day: Date) -> Self {
        let text = format!("{:02}{:02}{:02}", day.year().rem_euclid(100), day.month(), day.day());
        self.fixed_text(&text)
    }

    /// The finished record, with every character written.
    pub fn finish(self) -> String {
        debug_assert_eq!(self.0.len(), RECORD, "the widths of the fields add up to a record");
        self.0
    }
}

/// Whether the network's character set contains a character.
fn is_allowed(c: char) -> bool {
    c == ' ' || c.is_ascii_graphic()
}

/// Text in the network's capital letters: unsupported characters become blanks, and text that is too long is truncated. For names,
/// which a receiving bank does not match.
pub fn name_field(text: &str, width: usize) -> String {
    let plain = text.chars().map(|c| if is_allowed(c) { c.to_ascii_uppercase() } else { ' ' });
    plain.take(width).collect::<String>().trim_end().to_owned()
}
