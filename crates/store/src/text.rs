//! Text concatenated at compile time.

/// Text of at most `N` bytes. With `N` = 0 it only counts the bytes needed.
pub struct Text<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Text<N> {
    /// Creates an empty text.
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; N], length: 0 }
    }

    /// Concatenates the parts.
    #[doc(hidden)]
    pub const fn from_parts(parts: &[&str]) -> Self {
        let mut text = Self::new();
        text.add_all(parts);
        text
    }

    pub(crate) const fn add_part(&mut self, part: &str) {
        let (part, mut at) = (part.as_bytes(), 0);
        while at < part.len() {
            self.add_byte(part[at]);
            at += 1;
        }
    }

    pub(crate) const fn add_all(&mut self, parts: &[&str]) {
        let mut at = 0;
        while at < parts.len() {
            self.add_part(parts[at]);
            at += 1;
        }
    }

    /// Adds a parameter's name: `$12`.
    pub(crate) const fn add_parameter(&mut self, number: usize) {
        self.add_byte(b'$');
        let mut unit = 1;
        while number / unit >= 10 {
            unit *= 10;
        }
        while unit > 0 {
            self.add_byte(b'0' + (number / unit % 10) as u8);
            unit /= 10;
        }
    }

    const fn add_byte(&mut self, byte: u8) {
        if N > 0 {
            self.bytes[self.length] = byte;
        }
        self.length += 1;
    }

    /// Returns the length in bytes.
    #[doc(hidden)]
    pub const fn length(&self) -> usize {
        self.length
    }

    /// Returns the whole text.
    ///
    /// # Panics
    /// When a part was cut inside a character, which is then a compile error.
    #[doc(hidden)]
    pub const fn as_str(&self) -> &str {
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => text,
            Err(_) => panic!("text is cut in the middle of a character"),
        }
    }
}

/// Concatenates constants into one constant text, as `concat!` does with literals.
///
/// ```
/// const TABLE: &str = "jobs";
/// const COUNT: &str = store::text!("SELECT count(*) FROM ", TABLE, " WHERE company_id = $1");
/// assert_eq!(COUNT, "SELECT count(*) FROM jobs WHERE company_id = $1");
/// ```
#[macro_export]
macro_rules! text {
    ($($part:expr),+ $(,)?) => {{
        const PARTS: &[&str] = &[$($part),+];
        const LENGTH: usize = $crate::record::Text::<0>::from_parts(PARTS).length();
        const TEXT: &$crate::record::Text<LENGTH> = &$crate::record::Text::from_parts(PARTS);
        TEXT.as_str()
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_put_together_in_order() {
        const ZOE: &str = "Zoë";
        assert_eq!(crate::text!("", ZOE, " ", concat!("and", " I")), "Zoë and I");
    }

    #[test]
    fn parameters_are_numbered_in_decimal() {
        for number in [1, 9, 10, 11, 99, 100, 102] {
            let mut text = Text::<4>::new();
            text.add_parameter(number);
            assert_eq!(&text.as_str()[..text.length()], format!("${number}"));
        }
    }
}
