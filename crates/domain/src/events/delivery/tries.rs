//! Rows of delivery attempts.

use jiff::Timestamp;
use store::record::Cursor;
use store::{Tx, params};
use uuid::Uuid;

use super::rows::Key;
use crate::error::Error;

store::statements! {
    INSERT = "INSERT INTO delivery_tries (application_id, subscription_id, event_id, number, at, status, failure, micros, response_start, next_try_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    OF_DELIVERY = "SELECT number, at, status, failure, micros, response_start, next_try_at FROM delivery_tries \
                   WHERE application_id = $1 AND subscription_id = $2 AND event_id = $3 ORDER BY number LIMIT 1000";
    NEWEST = "SELECT t.at, t.status, t.micros FROM (SELECT application_id, subscription_id, event_id, company_id FROM deliveries \
              WHERE application_id = $1 AND subscription_id = $2 ORDER BY event_id DESC LIMIT 500) AS newest \
              JOIN delivery_tries t ON t.application_id = newest.application_id AND t.subscription_id = newest.subscription_id \
              AND t.event_id = newest.event_id WHERE t.application_id = $1 AND newest.company_id = $3 \
              ORDER BY t.at DESC, t.event_id DESC, t.number DESC LIMIT $4";
}

const TABLE: &str = "delivery_tries";

/// One attempt.
#[derive(Debug, Clone)]
pub struct Try {
    /// its number, from 1
    pub number: i64,
    /// when it began
    pub at: Timestamp,
    /// the response status
    pub status: Option<i64>,
    /// why there was none
    pub failure: Option<String>,
    /// its duration, in microseconds
    pub micros: i64,
    /// the beginning of the response body
    pub response_start: String,
    /// when the next attempt was planned
    pub next_try_at: Option<Timestamp>,
}

/// Stores an attempt.
pub fn insert_attempt(tx: &mut Tx<'_>, key: Key, done: &Try) -> Result<(), Error> {
    let Try { number, at, status, failure, micros, response_start, next_try_at } = done;
    let Key { application, subscription, event } = key;
    let parameters = params![
        application,
        subscription,
        event,
        *number,
        *at,
        *status,
        failure,
        *micros,
        response_start,
        *next_try_at
    ];
    Ok(tx.insert_row(INSERT, parameters)?)
}

/// The result of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TryOutcome {
    /// when it began
    pub at: Timestamp,
    /// the response status; `None` without a response
    pub status: Option<i64>,
    /// its duration, in microseconds
    pub micros: i64,
}

impl TryOutcome {
    /// Whether the receiver acknowledged the event.
    pub fn is_success(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }
}

/// The newest attempts at delivering a company's events to a subscription, newest first, among its newest 500 deliveries.
pub fn newest_attempts(
    tx: &mut Tx<'_>,
    application: Uuid,
    subscription: Uuid,
    company: Uuid,
    most: i64,
) -> Result<Vec<TryOutcome>, Error> {
    Ok(tx.try_query(NEWEST, params![application, subscription, company, most], |row| {
        let mut next = Cursor::new(row, TABLE, 0);
        Ok::<_, store::Error>(TryOutcome {
            at: next.read_plain("at")?,
            status: next.read_plain("status")?,
            micros: next.read_plain("micros")?,
        })
    })?)
}

/// The attempts of a delivery, oldest first.
pub fn of_delivery(tx: &mut Tx<'_>, key: Key) -> Result<Vec<Try>, Error> {
    Ok(tx.try_query(OF_DELIVERY, params![key.application, key.subscription, key.event], |row| {
        let mut next = Cursor::new(row, TABLE, 0);
        Ok::<_, store::Error>(Try {
            number: next.read_plain("number")?,
            at: next.read_plain("at")?,
            status: next.read_plain("status")?,
            failure: next.read_plain("failure")?,
            micros: next.read_plain("micros")?,
            response_start: next.read_plain("response_start")?,
            next_try_at: next.read_plain("next_try_at")?,
        })
    })?)
}
