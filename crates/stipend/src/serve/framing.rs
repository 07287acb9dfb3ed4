//! Where one request ends and the next begins, checked on the bytes as they arrive.
//!
//! A proxy and this service must agree on that, or what one takes for a body is a request to the other (request
//! smuggling). The HTTP library is lenient where the standard permits it: it accepts a line feed alone as a line end,
//! ignores unknown codings before `chunked`, and ignores a content length beside a transfer coding. Such requests are
//! refused here: the offending byte is replaced by one that is invalid in any head, so that the library answers 400 and
//! closes the connection.

/// A byte that is invalid anywhere in a head.
const REFUSED: u8 = 0;
/// Maximum characters of a line that determines the body's length.
const LONGEST: usize = 128;

/// Follows the requests of one connection.
#[derive(Debug, Default)]
pub struct Framing {
    place: Place,
    /// the beginning of the current line, without its end
    line: Vec<u8>,
    /// characters of the current line
    length: usize,
    /// whether the previous byte was a carriage return
    returned: bool,
    body: Body,
}

/// What the next byte belongs to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// the request line, or empty lines before it
    #[default]
    Request,
    /// a header
    Header,
    /// the size of a chunk
    Size,
    /// this many more bytes of a body
    Body(u64),
    /// this many more bytes of a chunk
    Chunk(u64),
    /// the end of the line after a chunk
    ChunkEnd,
    /// a header after the last chunk
    Trailer,
    /// after a fault: the rest is ignored
    Refused,
}

/// What the head says about the body.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Body {
    #[default]
    None,
    Sized(u64),
    Chunked,
}

/// The request could be parsed in two ways.
struct Ambiguous;

impl Framing {
    /// Checks received bytes, and replaces the offending one, if there is one.
    pub fn check_bytes(&mut self, mut bytes: &mut [u8]) {
        while !bytes.is_empty() {
            match self.place {
                Place::Refused => return,
                Place::Body(left) | Place::Chunk(left) => {
                    let here = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
                    self.advance_body(left - here as u64);
                    bytes = &mut bytes[here..];
                }
                _ => {
                    // Bytes that end no line are skipped in one step: heads mostly consist of them.
                    let plain = if self.returned { 0 } else { until_an_end(bytes) };
                    if plain > 0 {
                        self.append_line_bytes(&bytes[..plain]);
                        bytes = &mut bytes[plain..];
                        continue;
                    }
                    if self.check_line_byte(bytes[0]).is_err() {
                        bytes[0] = REFUSED;
                        self.place = Place::Refused;
                        return;
                    }
                    bytes = &mut bytes[1..];
                }
            }
        }
    }

    /// A part of a body or chunk has passed; `left` is what remains of it.
    fn advance_body(&mut self, left: u64) {
        self.place = match (self.place, left) {
            (Place::Chunk(_), 0) => Place::ChunkEnd,
            (Place::Chunk(_), left) => Place::Chunk(left),
            (_, 0) => Place::Request,
            (_, left) => Place::Body(left),
        };
    }

    /// One byte of a line.
    fn check_line_byte(&mut self, byte: u8) -> Result<(), Ambiguous> {
        if byte == b'\n' {
            if !self.returned {
                return Err(Ambiguous);
            }
            self.returned = false;
            let (line, length) = (std::mem::take(&mut self.line), std::mem::take(&mut self.length));
            self.place = self.place_after_line(&line, length)?;
            self.line = line;
            self.line.clear();
            return Ok(());
        }
        if self.returned {
            // A carriage return inside a line: some parsers end the line there.
            return Err(Ambiguous);
        }
        if byte == b'\r' {
            self.returned = true;
        } else {
            self.append_line_bytes(&[byte]);
        }
        Ok(())
    }

    /// Bytes inside a line.
    fn append_line_bytes(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        let room = LONGEST.saturating_sub(self.line.len()).min(bytes.len());
        self.line.extend_from_slice(&bytes[..room]);
    }

    /// The state after a line of `length` characters that begins with `line`.
    fn place_after_line(&mut self, line: &[u8], length: usize) -> Result<Place, Ambiguous> {
        match self.place {
            Place::Request if length == 0 => Ok(Place::Request),
            Place::Request => {
                self.body = Body::None;
                Ok(Place::Header)
            }
            Place::Header if length > 0 => self.check_header(line, length).map(|()| Place::Header),
            Place::Header => Ok(match self.body {
                Body::None | Body::Sized(0) => Place::Request,
                Body::Sized(length) => Place::Body(length),
                Body::Chunked => Place::Size,
            }),
            Place::Size => match chunk_size(line) {
                Some(0) => Ok(Place::Trailer),
                Some(size) => Ok(Place::Chunk(size)),
                None => Err(Ambiguous),
            },
            Place::ChunkEnd if length > 0 => Err(Ambiguous),
            Place::ChunkEnd => Ok(Place::Size),
            Place::Trailer if length > 0 => Ok(Place::Trailer),
            Place::Trailer => Ok(Place::Request),
            other => Ok(other),
        }
    }

    /// A header; at most one may determine the body's length.
    fn check_header(&mut self, line: &[u8], length: usize) -> Result<(), Ambiguous> {
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let (name, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default().trim_ascii());
        let name = name.trim_ascii();
        let said = if name.eq_ignore_ascii_case(b"content-length") {
            parse_number(value, 10).map(Body::Sized)
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            value.eq_ignore_ascii_case(b"chunked").then_some(Body::Chunked)
        } else {
            return Ok(());
        };
        match said {
            Some(said) if self.body == Body::None && length <= LONGEST => self.body = said,
            _ => return Err(Ambiguous),
        }
        Ok(())
    }
}

/// The number of bytes before the next carriage return or line feed.
fn until_an_end(bytes: &[u8]) -> usize {
    memchr::memchr2(b'\r', b'\n', bytes).unwrap_or(bytes.len())
}

/// The size of a chunk; extensions after it are ignored.
fn chunk_size(line: &[u8]) -> Option<u64> {
    parse_number(line.split(|byte| *byte == b';').next()?.trim_ascii(), 16)
}

fn parse_number(digits: &[u8], radix: u32) -> Option<u64> {
    let digits = std::str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'))?;
    u64::from_str_radix(digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the fault is detected, with the bytes in pieces of each size.
    fn fault(text: &str) -> Option<usize> {
        let seen = |piece: usize| {
            let (mut framing, mut bytes) = (Framing::default(), text.as_bytes().to_vec());
            bytes.chunks_mut(piece).for_each(|piece| framing.check_bytes(piece));
            bytes.iter().position(|byte| *byte == REFUSED)
        };
        let whole = seen(text.len());
        assert!((1..9).all(|piece| seen(piece) == whole), "{text:?}");
        whole
    }

    #[test]
    fn requests_that_can_be_read_in_one_way_pass_one_after_the_other() {
        for text in [
            "GET / HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n\n\n\nGET / HTTP/1.1\r\nhost: a\r\n\r\n",
            "POST / HTTP/1.1\r\ntransfer-encoding: Chunked\r\n\r\n2;x=y\r\n\n\n\r\na\r\n0123456789\r\n0\r\nt: v\r\n\r\nGET",
            "\r\n\r\nGET / HTTP/1.1\r\ncontent-length: 0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
        ] {
            assert_eq!(fault(text), None, "{text:?}");
        }
    }

    #[test]
    fn what_two_could_read_in_two_ways_is_spoiled_where_it_begins() {
        for (text, spoiled) in [
            ("GET / HTTP/1.1\nhost: a\r\n\r\n", "\nhost"),
            ("GET / HTTP/1.1\r\nhost: a\n\r\n", "\n\r\n"),
            ("GET / HTTP/1.1\r\nhost: a\rb: c\r\n\r\n", "b: c"),
            ("\nGET / HTTP/1.1\r\n\r\n", "\nGET"),
            ("POST / HTTP/1.1\r\ntransfer-encoding: gzip, chunked\r\n\r\n", "\n\r\n"),
            ("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n", "\n\r\n"),
            ("POST / HTTP/1.1\r\ncontent-length: 3\r\ncontent-length: 3\r\n\r\n", "\n\r\n"),
            ("POST / HTTP/1.1\r\ncontent-length: +3\r\n\r\n", "\n\r\n"),
            ("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n2\n{}\n0\n\n", "\n{}"),
            ("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}}\r\n0\r\n\r\n", "\n0"),
            ("POST / HTTP/1.1\r\ncontent-length: 1\r\n\r\nxGET / HTTP/1.1\n", "\n"),
        ] {
            assert_eq!(fault(text), text.rfind(spoiled), "{text:?}");
        }
    }

    #[test]
    fn a_length_that_is_hidden_behind_spaces_is_none() {
        let spaces = " ".repeat(LONGEST);
        assert!(fault(&format!("POST / HTTP/1.1\r\ncontent-length:{spaces}3\r\n\r\n")).is_some());
    }
}
