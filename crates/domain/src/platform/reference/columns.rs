//! Binary format of large tables: columns of integers and text, one after the other, compressed as one stream.
//!
//! Similar values are adjacent, so a table of wages shrinks to a seventh of its text; and it is read straight into the
//! vectors that the service keeps. The first bytes name the format, so that other bytes are refused.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

/// Maximum items of a column: bytes that claim more are invalid.
const LONGEST: u32 = 8_000_000;
/// Maximum bytes of a text column.
const TEXT: u32 = 64 << 20;

/// Writes columns.
pub struct Writer(ZlibEncoder<Vec<u8>>);

impl Writer {
    /// For a table whose format has this name of eight bytes.
    pub fn new(form: [u8; 8]) -> Self {
        let mut writer = Self(ZlibEncoder::new(Vec::new(), Compression::best()));
        writer.put_bytes(&form);
        writer
    }

    fn put_bytes(&mut self, bytes: &[u8]) {
        if let Err(error) = self.0.write_all(bytes) {
            panic!("writing into memory cannot fail: {error}");
        }
    }

    fn put_length(&mut self, items: usize) {
        let Ok(items) = u32::try_from(items) else { panic!("a column of {items} items is too long") };
        self.put_bytes(&items.to_le_bytes());
    }

    /// A column of numbers. Bytes of the same significance are adjacent: the high ones are nearly all alike.
    pub fn put_numbers(&mut self, numbers: &[u32]) {
        self.put_length(numbers.len());
        for weight in 0..4 {
            let plane: Vec<u8> = numbers.iter().map(|number| number.to_le_bytes()[weight]).collect();
            self.put_bytes(&plane);
        }
    }

    /// A column of text without line breaks.
    pub fn put_texts<T: AsRef<str>>(&mut self, texts: impl IntoIterator<Item = T>) {
        let (mut joined, mut count) = (String::new(), 0);
        for text in texts {
            joined.push_str(text.as_ref());
            joined.push('\n');
            count += 1;
        }
        self.put_length(count);
        self.put_length(joined.len());
        self.put_bytes(joined.as_bytes());
    }

    /// The encoded bytes.
    pub fn finish(self) -> Vec<u8> {
        match self.0.finish() {
            Ok(bytes) => bytes,
            Err(error) => panic!("writing into memory cannot fail: {error}"),
        }
    }
}

/// Reads columns in the order in which they were written.
pub struct Reader<'b>(ZlibDecoder<&'b [u8]>);

impl<'b> Reader<'b> {
    /// Of a table whose format has this name.
    ///
    /// # Errors
    /// If the bytes have another format.
    pub fn new(form: [u8; 8], bytes: &'b [u8]) -> Result<Self, String> {
        let mut reader = Self(ZlibDecoder::new(bytes));
        let mut found = [0; 8];
        reader.0.read_exact(&mut found).map_err(|_| damaged_message())?;
        if found == form { Ok(reader) } else { Err("the bytes have another format".to_owned()) }
    }

    fn take_bytes(&mut self, bytes: usize) -> Result<Vec<u8>, String> {
        let mut taken = Vec::new();
        let read = self.0.by_ref().take(bytes as u64).read_to_end(&mut taken);
        if read.is_ok() && taken.len() == bytes { Ok(taken) } else { Err(damaged_message()) }
    }

    fn take_length(&mut self, most: u32) -> Result<usize, String> {
        let mut bytes = [0; 4];
        self.0.read_exact(&mut bytes).map_err(|_| damaged_message())?;
        let length = u32::from_le_bytes(bytes);
        if length <= most {
            usize::try_from(length).map_err(|_| damaged_message())
        } else {
            Err(damaged_message())
        }
    }

    /// A column of numbers.
    ///
    /// # Errors
    /// If the bytes are damaged.
    pub fn take_numbers(&mut self) -> Result<Vec<u32>, String> {
        let length = self.take_length(LONGEST)?;
        let mut numbers = vec![0; length];
        for weight in 0..4 {
            let plane = self.take_bytes(length)?;
            for (number, byte) in numbers.iter_mut().zip(plane) {
                *number |= u32::from(byte) << (8 * weight);
            }
        }
        Ok(numbers)
    }

    /// A column of text.
    ///
    /// # Errors
    /// If the bytes are damaged.
    pub fn take_texts(&mut self) -> Result<Texts, String> {
        let count = self.take_length(LONGEST)?;
        let length = self.take_length(TEXT)?;
        let joined = String::from_utf8(self.take_bytes(length)?).map_err(|_| damaged_message())?;
        let texts = Texts::from_joined(joined);
        if texts.len() == count { Ok(texts) } else { Err(damaged_message()) }
    }

    /// Nothing may follow the last column.
    ///
    /// # Errors
    /// If something does, or the stream's own checksum is wrong.
    pub fn finish(mut self) -> Result<(), String> {
        match self.0.read(&mut [0]) {
            Ok(0) => Ok(()),
            _ => Err(damaged_message()),
        }
    }
}

/// The uncompressed bytes: two programs may compress the same data differently.
///
/// # Errors
/// If the bytes are damaged.
pub fn uncompressed_bytes(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut plain = Vec::new();
    ZlibDecoder::new(bytes).read_to_end(&mut plain).map_err(|_| damaged_message())?;
    Ok(plain)
}

fn damaged_message() -> String {
    "the bytes are truncated or damaged".to_owned()
}

/// A column of text: one buffer, and the end of each text in it.
#[derive(Debug, Default)]
pub struct Texts {
    joined: Box<str>,
    ends: Box<[u32]>,
}

impl Texts {
    fn from_joined(joined: String) -> Self {
        let ends = joined.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let ends = ends.map(|(at, _)| u32::try_from(at).unwrap_or(u32::MAX)).collect();
        Self { joined: joined.into(), ends }
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text at `place`.
    ///
    /// # Panics
    /// Beyond the last one.
    pub fn get(&self, place: usize) -> &str {
        let start = if place == 0 { 0 } else { self.ends[place - 1] as usize + 1 };
        &self.joined[start..self.ends[place] as usize]
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|place| self.get(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: [u8; 8] = *b"sample 1";

    fn sample() -> Vec<u8> {
        let mut writer = Writer::new(FORM);
        writer.put_numbers(&[0, 1, 70_000, u32::MAX]);
        writer.put_texts(["", "San Germán, PR", "x"]);
        writer.finish()
    }

    #[test]
    fn columns_round_trip() {
        let bytes = sample();
        let mut reader = Reader::new(FORM, &bytes).unwrap();
        assert_eq!(reader.take_numbers().unwrap(), [0, 1, 70_000, u32::MAX]);
        let texts = reader.take_texts().unwrap();
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["", "San Germán, PR", "x"]);
        reader.finish().unwrap();
    }

    fn read(bytes: &[u8]) -> Result<(Vec<u32>, Vec<String>), String> {
        let mut reader = Reader::new(FORM, bytes)?;
        let (numbers, texts) = (reader.take_numbers()?, reader.take_texts()?);
        reader.finish()?;
        Ok((numbers, texts.iter().map(str::to_owned).collect()))
    }

    #[test]
    fn truncated_bytes_and_other_formats_are_refused() {
        assert!(read(&Writer::new(*b"sample 2").finish()).unwrap_err().contains("another form"));
        let right = sample();
        for cut in 0..right.len() {
            assert!(read(&right[..cut]).is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn changed_bytes_never_yield_another_table() {
        let right = sample();
        let table = read(&right).unwrap();
        let mut refused = 0;
        for at in 0..right.len() * 8 {
            let mut wrong = right.clone();
            wrong[at / 8] ^= 1 << (at % 8);
            match read(&wrong) {
                // A few bits of the format carry no information.
                Ok(same) => assert_eq!(same, table, "bit {at}"),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > right.len() * 7);
    }
}
