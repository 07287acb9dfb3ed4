//! Requests written by hand, for tests that end a connection where no client would.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::binary::Running;

/// A request on a connection of its own, written to its last byte.
pub struct Sent(TcpStream);

/// Sends a request with the company's token. `more` are further header lines, each with its end.
pub fn send(service: &Running, method: &str, path: &str, more: &str, body: &str) -> std::io::Result<Sent> {
    let mut stream = TcpStream::connect(service.address())?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let head = service.head(method, path, &(service.authorization() + more), body);
    stream.write_all((head + body).as_bytes())?;
    Ok(Sent(stream))
}

/// What came back.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// all of it: status and body
    Whole(u16, String),
    /// not one byte
    None,
    /// a part of it
    Cut(String),
}

impl Sent {
    /// Reads until the connection ends.
    pub fn read(mut self) -> Answer {
        let mut bytes = Vec::new();
        let ended = self.0.read_to_end(&mut bytes);
        if bytes.is_empty() {
            return Answer::None;
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n").filter(|_| ended.is_ok()) else {
            return Answer::Cut(text);
        };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if length.is_some_and(|length| length.trim() != body.len().to_string()) {
            return Answer::Cut(text);
        }
        Answer::Whole(head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }
}
