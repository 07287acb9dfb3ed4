//! The answers of a session: reading those outstanding in their order, and keeping those to announced statements.

use super::{Announced, Owed, Session};
use crate::postgres::messages;
use crate::postgres::values::{Cells, Place};
use crate::tx::Fault;
use crate::value::Row;

/// Classifies a refusal. A server that refuses to begin a transaction (a standby refuses writing ones) is the wrong
/// server.
fn of_server(owed: Owed, fault: Fault) -> Fault {
    match fault {
        Fault::Other(reason) if owed == Owed::Begin => {
            tracing::warn!(
                reason,
                "the database server refuses to begin a transaction; the connection is dropped"
            );
            Fault::Lost
        }
        fault => fault,
    }
}

impl Session {
    /// Reads every outstanding answer.
    pub(in crate::postgres) fn settle_answers(&mut self) -> Result<(), Fault> {
        while self.owed.len() > self.unsent {
            self.complete_answer(|_, _| {})?;
        }
        Ok(())
    }

    /// Reads up to and including the awaited answer; returns its number of rows.
    pub(super) fn read_answer(&mut self, mut row: impl FnMut(&[u8], &[Place])) -> Result<u64, Fault> {
        loop {
            let is_it = self.owed.front() == Some(&Owed::Asked);
            let rows = self.complete_answer(|bytes, places| {
                if is_it {
                    row(bytes, places);
                }
            })?;
            if is_it {
                return Ok(rows);
            }
        }
    }

    /// Reads the next outstanding answer to its end; returns its number of rows.
    pub(in crate::postgres) fn complete_answer(
        &mut self,
        mut row: impl FnMut(&[u8], &[Place]),
    ) -> Result<u64, Fault> {
        let Some(owed) = self.owed.front().copied() else {
            return Err(self.mark_broken("an unexpected answer"));
        };
        let (mut rows, mut failed, mut rolled_back) = (0, None, false);
        loop {
            let (tag, body) = match self.inbox.next(&mut self.line) {
                Ok(received) => received,
                Err(error) => {
                    self.dead = true;
                    if error.kind() == std::io::ErrorKind::TimedOut {
                        tracing::warn!("the database server stopped responding; the connection is dropped");
                    }
                    return Err(failed.unwrap_or(Fault::Lost));
                }
            };
            let body = self.inbox.body(body);
            match tag {
                b'D' if messages::find_places(body, &mut self.places).is_some() => row(body, &self.places),
                b'C' | b'I' => {
                    let (word, changed) = messages::command_result(body);
                    (rows, rolled_back) = (changed, word == "ROLLBACK");
                }
                b't' => self.described.0 = messages::parameter_types(body).unwrap_or_default(),
                b'T' => self.described.1 = messages::column_types(body).unwrap_or_default(),
                b'n' => self.described.1 = Box::default(),
                b'N' => self.warned |= messages::is_warning(body),
                b'E' => failed = Some(of_server(owed, messages::classify_fault(body))),
                // parse, bind and close completed, a setting, a notification, the beginning of a COPY, the end of a
                // group
                b'1' | b'2' | b'3' | b'S' | b'A' | b'G' | b'Z' => {}
                _ => return Err(self.mark_broken("a message of an unknown kind")),
            }
            let ended = match owed {
                _ if failed.is_some() => tag == b'Z',
                Owed::Begin | Owed::Done | Owed::Rows(_) | Owed::Asked | Owed::Commit => {
                    matches!(tag, b'C' | b'I')
                }
                Owed::Description => matches!(tag, b'T' | b'n'),
                Owed::Text | Owed::End => tag == b'Z',
            };
            if ended {
                break;
            }
        }
        let Some(fault) = failed else {
            self.owed.pop_front();
            return match owed {
                // A server answers the COMMIT of a failed transaction with a rollback, not with an error.
                Owed::Commit if rolled_back => {
                    Err(Fault::Other("the transaction was rolled back".to_owned()))
                }
                Owed::Rows(wanted) if rows != u64::from(wanted) => {
                    Err(Fault::Other(format!("{rows} rows were made where {wanted} should have been")))
                }
                _ => Ok(rows),
            };
        };
        // The server skips the rest of the group, up to its end.
        while let Some(over) = self.owed.pop_front() {
            if matches!(over, Owed::End | Owed::Text) {
                break;
            }
        }
        Err(fault)
    }

    #[cold]
    pub(super) fn mark_broken(&mut self, why: &str) -> Fault {
        self.dead = true;
        tracing::error!(
            why,
            "unexpected protocol message from the database server; the connection is dropped"
        );
        Fault::Lost
    }

    /// Reads and keeps the answers to announced statements up to the given one (exclusive), because another answer is
    /// needed first.
    pub(super) fn read_aside(&mut self, before: usize) -> Result<(), Fault> {
        for at in 0..before {
            if self.announced[at].rows.is_none() {
                let mut rows = Vec::new();
                self.read_answer(|bytes, _| rows.push(bytes.into()))?;
                self.announced[at].rows = Some(rows);
            }
        }
        Ok(())
    }

    /// As [`Session::read_aside`], for everything outstanding.
    pub(super) fn read_all_aside(&mut self) -> Result<(), Fault> {
        if self.unsent == 0 { self.read_aside(self.announced.len()) } else { Ok(()) }
    }

    /// Passes the rows of the announced statement at this position to `each`.
    pub(super) fn answer_announced(
        &mut self,
        at: usize,
        each: &mut dyn FnMut(&Row<'_>),
    ) -> Result<(), Fault> {
        if self.unsent > 0 {
            self.exchange_messages()?;
        }
        self.read_aside(at)?;
        let Some(Announced { prepared, rows, .. }) = self.announced.remove(at) else { return Ok(()) };
        let types = &prepared.columns;
        let Some(rows) = rows else {
            return self
                .read_answer(|bytes, spans| each(&Row::new(&Cells { bytes, spans, types })))
                .map(drop);
        };
        for bytes in rows {
            if messages::find_places(&bytes, &mut self.places).is_some() {
                each(&Row::new(&Cells { bytes: &bytes, spans: &self.places, types }));
            }
        }
        Ok(())
    }

    /// Drops the announced statements, because they no longer match or their answers are not needed; skips the answers.
    pub(super) fn forget_announced(&mut self) {
        self.announced.clear();
        let asked = self.owed.iter_mut().filter(|owed| **owed == Owed::Asked);
        asked.for_each(|owed| *owed = Owed::Done);
    }
}
