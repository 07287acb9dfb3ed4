//! The messages of the protocol (version 3) that a session sends and receives. Source: PostgreSQL manual, "Message
//! Formats".

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io;
use std::ops::Range;

use super::values::{Oid, Place, put_value};
use crate::tx::Fault;
use crate::value::Value;

/// Size of a read; larger only for a longer message.
const ROOM: usize = 32 << 10;
/// A longer message is treated as a protocol error. The largest value that is stored, a table of reference data, has at most half of it;
/// the server's own limit is 1 GB.
const LONGEST: usize = 128 << 20;
/// How Citus reports that it lost a server which the transaction needs.
const LOST_ELSEWHERE: [&str; 2] =
    ["connection to the remote node ", "failure on connection marked as essential: "];
/// What a process of a server says when the server was killed under it.
const SERVER_KILLED: &str = "postmaster was shut down";
/// How the context of an error begins that another server of the cluster has reported.
const AT_ANOTHER: &str = "while executing command on ";
/// All values travel in binary form.
const ALL_BINARY: [u8; 4] = [0, 1, 0, 1];

/// A statement that the server has parsed.
pub(super) struct Prepared {
    /// its name on this connection, including the terminating zero
    pub name: Box<[u8]>,
    pub parameters: Box<[Oid]>,
    pub columns: Box<[Oid]>,
}

/// Appends a message: its letter, its length, and what `body` writes.
fn put_message(
    out: &mut Vec<u8>,
    tag: u8,
    body: impl FnOnce(&mut Vec<u8>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let begun = out.len();
    out.push(tag);
    out.extend_from_slice(&[0; 4]);
    let written = body(out).and_then(|()| {
        i32::try_from(out.len() - begun - 1).map_err(|_| Fault::Other("a message is too long".to_owned()))
    });
    match written {
        Ok(length) => {
            out[begun + 1..begun + 5].copy_from_slice(&length.to_be_bytes());
            Ok(())
        }
        Err(fault) => {
            out.truncate(begun);
            Err(fault)
        }
    }
}

fn put_plain(out: &mut Vec<u8>, tag: u8, parts: &[&[u8]]) -> Result<(), Fault> {
    put_message(out, tag, |out| {
        parts.iter().for_each(|part| out.extend_from_slice(part));
        Ok(())
    })
}

/// Makes the server parse a statement and describe its parameters and columns.
pub(super) fn put_parse(out: &mut Vec<u8>, name: &[u8], text: &str) -> Result<(), Fault> {
    put_plain(out, b'P', &[name, text.as_bytes(), &[0], &[0, 0]])?;
    put_plain(out, b'D', &[b"S", name])
}

/// Binds values to a statement.
pub(super) fn put_bind(out: &mut Vec<u8>, prepared: &Prepared, values: &[Value<'_>]) -> Result<(), Fault> {
    bind_with(out, prepared, |out| put_all(out, values, &prepared.parameters))
}

/// Binds values that [`put_all`] has already encoded, in one or more parts.
pub(super) fn bind_written(
    out: &mut Vec<u8>,
    prepared: &Prepared,
    parts: &[impl AsRef<[u8]>],
) -> Result<(), Fault> {
    bind_with(out, prepared, |out| {
        parts.iter().for_each(|part| out.extend_from_slice(part.as_ref()));
        Ok(())
    })
}

fn bind_with(
    out: &mut Vec<u8>,
    prepared: &Prepared,
    values: impl FnOnce(&mut Vec<u8>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    put_message(out, b'B', |out| {
        out.push(0);
        out.extend_from_slice(&prepared.name);
        out.extend_from_slice(&ALL_BINARY);
        out.extend_from_slice(&count_bytes(prepared.parameters.len())?);
        values(out)?;
        out.extend_from_slice(&ALL_BINARY);
        Ok(())
    })
}

/// Appends values as parameters of these types.
pub(super) fn put_all(out: &mut Vec<u8>, values: &[Value<'_>], types: &[Oid]) -> Result<(), Fault> {
    if values.len() != types.len() {
        let (wanted, given) = (types.len(), values.len());
        return Err(Fault::Other(format!("a statement with {wanted} parameters was given {given}")));
    }
    values.iter().zip(types).try_for_each(|(value, of)| put_value(value, *of, out))
}

fn count_bytes(values: usize) -> Result<[u8; 2], Fault> {
    let count = u16::try_from(values).map_err(|_| Fault::Other("too many values".to_owned()));
    count.map(u16::to_be_bytes)
}

/// Executes the bound statement to its end.
pub(super) fn put_execute(out: &mut Vec<u8>) {
    out.extend_from_slice(&[b'E', 0, 0, 0, 9, 0, 0, 0, 0, 0]);
}

/// Ends a group: after an error in it, the server skips the rest of it.
pub(super) fn put_sync(out: &mut Vec<u8>) {
    out.extend_from_slice(&[b'S', 0, 0, 0, 4]);
}

/// Terminates the session.
pub(super) const TERMINATE: [u8; 5] = [b'X', 0, 0, 0, 4];

/// Simple query: statements as text, without parameters.
pub(super) fn put_query(out: &mut Vec<u8>, text: &str) -> Result<(), Fault> {
    put_plain(out, b'Q', &[text.as_bytes(), &[0]])
}

/// Header and trailer of the rows of a binary COPY.
pub(super) fn copy_header(out: &mut Vec<u8>) -> Result<(), Fault> {
    put_plain(out, b'd', &[b"PGCOPY\n\xff\r\n\0", &[0; 8]])
}

pub(super) fn copy_row(out: &mut Vec<u8>, values: &[Value<'_>], types: &[Oid]) -> Result<(), Fault> {
    put_message(out, b'd', |out| {
        out.extend_from_slice(&count_bytes(values.len())?);
        put_all(out, values, types)
    })
}

pub(super) fn copy_end(out: &mut Vec<u8>) -> Result<(), Fault> {
    put_plain(out, b'd', &[&[0xff, 0xff]])?;
    put_plain(out, b'c', &[])
}

pub(super) fn copy_fail(out: &mut Vec<u8>) -> Result<(), Fault> {
    put_plain(out, b'f', &[b"the rows cannot be read\0"])
}

/// Bytes that were received and not parsed yet.
pub(super) struct Inbox {
    bytes: Vec<u8>,
    from: usize,
    to: usize,
}

impl Inbox {
    pub fn new() -> Self {
        Self { bytes: vec![0; ROOM], from: 0, to: 0 }
    }

    /// Returns the next message: its letter, and the position of its body, valid until the next call.
    pub fn next(&mut self, line: &mut impl io::Read) -> io::Result<(u8, Range<usize>)> {
        while self.to - self.from < 5 {
            self.receive_message(line, 5)?;
        }
        let tag = self.bytes[self.from];
        let length = read_number(&self.bytes[self.from + 1..self.from + 5]);
        let length = usize::try_from(length).ok().filter(|length| (4..LONGEST).contains(length));
        let length =
            length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a protocol message"))?;
        while self.to - self.from < length + 1 {
            self.receive_message(line, length + 1)?;
        }
        let body = self.from + 5..self.from + length + 1;
        self.from = body.end;
        Ok((tag, body))
    }

    pub fn body(&self, body: Range<usize>) -> &[u8] {
        &self.bytes[body]
    }

    /// Receives more bytes of a message that has `whole` bytes.
    fn receive_message(&mut self, line: &mut impl io::Read, whole: usize) -> io::Result<()> {
        if self.from == self.to {
            (self.from, self.to) = (0, 0);
            // One long message must not keep its memory forever.
            if self.bytes.len() > ROOM && whole <= ROOM {
                self.bytes = vec![0; ROOM];
            }
        }
        if self.bytes.len() - self.from < whole || self.to == self.bytes.len() {
            self.bytes.copy_within(self.from..self.to, 0);
            (self.from, self.to) = (0, self.to - self.from);
            // The length is what the server says: memory is taken for what has arrived, and as much again.
            if self.to == self.bytes.len() {
                let more = self.bytes.len().max(ROOM);
                self.bytes.resize((self.bytes.len() + more).min(whole.max(ROOM)), 0);
            }
        }
        match line.read(&mut self.bytes[self.to..])? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                self.to += read;
                Ok(())
            }
        }
    }
}

fn read_number(bytes: &[u8]) -> i32 {
    bytes.try_into().map_or(-1, i32::from_be_bytes)
}

/// Splits off the given number of bytes.
fn split_bytes<'a>(bytes: &mut &'a [u8], at: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(at)?;
    *bytes = rest;
    Some(taken)
}

/// Finds the values of a row.
pub(super) fn find_places(row: &[u8], into: &mut Vec<Place>) -> Option<()> {
    into.clear();
    let mut rest = row;
    let columns = split_bytes(&mut rest, 2).and_then(|two| two.try_into().ok()).map(u16::from_be_bytes)?;
    for _ in 0..columns {
        let length = read_number(split_bytes(&mut rest, 4)?);
        let from = row.len() - rest.len();
        into.push(match usize::try_from(length) {
            Ok(length) => {
                split_bytes(&mut rest, length)?;
                Some((from, from + length))
            }
            Err(_) => None,
        });
    }
    Some(())
}

/// Parses the types in a description of parameters.
pub(super) fn parameter_types(body: &[u8]) -> Option<Box<[Oid]>> {
    let mut rest = body;
    split_bytes(&mut rest, 2)?;
    Some(rest.chunks_exact(4).map(|four| read_number(four).cast_unsigned()).collect())
}

/// Parses the types in a description of a row.
pub(super) fn column_types(body: &[u8]) -> Option<Box<[Oid]>> {
    let mut rest = body;
    let fields = split_bytes(&mut rest, 2).and_then(|two| two.try_into().ok()).map(u16::from_be_bytes)?;
    let mut types = Vec::with_capacity(usize::from(fields));
    for _ in 0..fields {
        // Name, table and column, type, size, modifier, and format.
        let name = rest.iter().position(|byte| *byte == 0)?;
        split_bytes(&mut rest, name + 1 + 4 + 2)?;
        types.push(read_number(split_bytes(&mut rest, 4)?).cast_unsigned());
        split_bytes(&mut rest, 2 + 4 + 2)?;
    }
    Some(types.into())
}

/// Parses the tag and the number of rows of a completed command.
pub(super) fn command_result(body: &[u8]) -> (&str, u64) {
    let text = std::str::from_utf8(body).unwrap_or_default().trim_end_matches('\0');
    let word = text.split(' ').next().unwrap_or_default();
    (word, text.rsplit(' ').next().and_then(|rows| rows.parse().ok()).unwrap_or(0))
}

/// Returns a field of an error or a notice.
pub(super) fn error_field(body: &[u8], wanted: u8) -> Option<&str> {
    let of = |part: &[u8]| part.first() == Some(&wanted);
    let part = body.split(|byte| *byte == 0).find(|part| of(part))?;
    std::str::from_utf8(&part[1..]).ok()
}

/// Whether a notice is a plain warning, which a server sends at COMMIT when it has stopped waiting for its standby.
pub(super) fn is_warning(notice: &[u8]) -> bool {
    error_field(notice, b'C') == Some("01000")
}

/// Classifies an error of the server.
pub(super) fn classify_fault(error: &[u8]) -> Fault {
    let code = error_field(error, b'C').unwrap_or_default();
    let text = error_field(error, b'M').unwrap_or("an error without a message").to_owned();
    match code {
        // serialization failure; deadlock
        "40001" | "40P01" => Fault::Conflict,
        // unique violation
        "23505" => {
            let key = (&text, error_field(error, b'D'));
            // A digest, because the values may be personal data.
            Fault::Taken { key: BuildHasherDefault::<DefaultHasher>::default().hash_one(key), text }
        }
        // query canceled; lock not available
        "57014" | "55P03" => Fault::Interrupted,
        _ if let Some(server) = unreachable_server(error, code, &text) => Fault::Away(server.to_owned()),
        // This server is a standby now, or it ended the session for being idle in a transaction: look for the primary.
        "25006" | "25P03" => Fault::Lost,
        // 08: connection errors; 57P: the server shuts down or starts up.
        _ if code.starts_with("08") || code.starts_with("57P") => Fault::Lost,
        _ if code.starts_with("53") => Fault::Full,
        "XX000" if text.starts_with(SERVER_KILLED) => Fault::Lost,
        _ => Fault::Other(text),
    }
}

/// The server of a cluster for want of which a statement failed, if this server only reports that: it could not connect
/// to the other one, lost the connection before COMMIT, or passes on that the other one shuts down or starts up.
fn unreachable_server<'e>(error: &'e [u8], code: &str, text: &'e str) -> Option<&'e str> {
    let first_word = |text: &'e str| text.split([' ', '\n']).next().map(|word| word.trim_end_matches(':'));
    if let Some(rest) = LOST_ELSEWHERE.iter().find_map(|start| text.strip_prefix(start)) {
        // The address may be preceded by the user.
        return first_word(rest).map(|word| word.rsplit('@').next().unwrap_or(word));
    }
    let at = error_field(error, b'W')?.split_once(AT_ANOTHER)?.1;
    let is_lost = code.starts_with("08")
        || code.starts_with("57P")
        || (code == "XX000"
            && (text.contains("server closed the connection") || text.contains("connection not open")));
    if is_lost { first_word(at) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_is_cut_short_is_no_row() {
        let row = [0, 2, 0, 0, 0, 1, 7, 255, 255, 255, 255];
        let mut found = Vec::new();
        assert!(find_places(&row, &mut found).is_some());
        assert_eq!(found, [Some((6, 7)), None]);
        for end in 0..row.len() {
            assert!(find_places(&row[..end], &mut found).is_none(), "of {end} bytes");
        }
    }

    #[test]
    fn a_command_that_is_done_tells_how_many_rows_it_changed() {
        assert_eq!(command_result(b"INSERT 0 3\0"), ("INSERT", 3));
        assert_eq!(command_result(b"UPDATE 12\0"), ("UPDATE", 12));
        assert_eq!(command_result(b"COMMIT\0"), ("COMMIT", 0));
    }

    #[test]
    fn errors_are_told_by_their_code_and_never_by_their_language() {
        let error = |code: &str| [b"SERROR\0C", code.as_bytes(), b"\0Mgrund\0Dein Wert\0\0"].concat();
        assert!(matches!(classify_fault(&error("40P01")), Fault::Conflict));
        assert!(matches!(classify_fault(&error("25P03")), Fault::Lost));
        assert!(matches!(classify_fault(&error("53100")), Fault::Full));
        assert!(matches!(classify_fault(&error("23505")), Fault::Taken { text, .. } if text == "grund"));
    }

    #[test]
    fn a_cluster_that_misses_a_server_says_which_one_and_a_server_that_is_killed_is_connected_to_again() {
        let error = |code: &str, text: &str, context: &str| {
            let context = if context.is_empty() { String::new() } else { format!("W{context}\0") };
            format!("SERROR\0C{code}\0M{text}\0{context}\0").into_bytes()
        };
        let refused = "connection to the remote node stipend@10.0.0.7:5432 failed with the following error: Connection refused";
        let essential = "failure on connection marked as essential: 10.0.0.7:5432";
        let stopped = "terminating connection due to administrator command";
        let at = "while executing command on 10.0.0.7:5432";
        for (code, text, context) in [
            ("08006", refused, ""),
            ("XX000", essential, ""),
            ("57P01", stopped, at),
            ("57P03", "the database system is shutting down", at),
            ("XX000", "server closed the connection unexpectedly", at),
        ] {
            let found = classify_fault(&error(code, text, context));
            assert!(matches!(&found, Fault::Away(server) if server == "10.0.0.7:5432"), "{text}: {found:?}");
        }
        for (code, text) in
            [("57P01", stopped), ("08006", "no"), ("XX000", "postmaster was shut down, exiting")]
        {
            assert!(matches!(classify_fault(&error(code, text, "")), Fault::Lost), "{text}");
        }
        let ordinary = classify_fault(&error("22012", "division by zero", at));
        assert!(
            matches!(ordinary, Fault::Other(_)),
            "another server's refusal is none of its absence: {ordinary:?}"
        );
    }

    #[test]
    fn values_that_cannot_be_sent_leave_nothing_behind() {
        let prepared =
            Prepared { name: Box::new([b'1', 0]), parameters: Box::new([20]), columns: Box::new([]) };
        let mut out = b"before".to_vec();
        assert!(put_bind(&mut out, &prepared, &[Value::Text("seven")]).is_err());
        assert!(put_bind(&mut out, &prepared, &[]).is_err());
        assert_eq!(out, b"before");
    }

    /// A server that sends what it has, in pieces, and is silent afterwards.
    struct Sends<'a>(&'a [u8], usize);

    impl io::Read for Sends<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = into.len().min(self.1).min(self.0.len());
            into[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn header(length: u32) -> Vec<u8> {
        [&b"D"[..], &length.to_be_bytes()].concat()
    }

    #[test]
    fn an_announced_length_takes_no_memory_before_the_bytes_arrive() {
        let mut inbox = Inbox::new();
        let announced = [header(100 << 20), vec![7; 10_000]].concat();
        let over = inbox.next(&mut Sends(&announced, 4_096)).unwrap_err();
        assert_eq!(over.kind(), io::ErrorKind::UnexpectedEof);
        assert!(inbox.bytes.len() <= 2 * ROOM, "{} bytes for 10,005 received ones", inbox.bytes.len());
        for length in [LONGEST as u32, 1_000_000_000, u32::MAX, 3] {
            let refused = Inbox::new().next(&mut Sends(&header(length), 5)).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidData, "{length}");
        }
    }

    #[test]
    fn messages_of_every_length_are_read_whole_however_they_arrive() {
        let lengths = [0, 1, ROOM - 5, ROOM, 5 * ROOM + 1, 2, 3 * ROOM, 0];
        let mut sent = Vec::new();
        for (number, length) in lengths.into_iter().enumerate() {
            sent.extend(header(u32::try_from(length + 4).unwrap()));
            sent.extend(vec![u8::try_from(number).unwrap(); length]);
        }
        for piece in [1_000, 4_096, ROOM, usize::MAX] {
            let (mut inbox, mut line) = (Inbox::new(), Sends(&sent, piece));
            for (number, length) in lengths.into_iter().enumerate() {
                let (tag, body) = inbox.next(&mut line).unwrap();
                let number = u8::try_from(number).unwrap();
                assert_eq!((tag, inbox.body(body)), (b'D', &vec![number; length][..]), "{length} by {piece}");
            }
        }
    }
}
