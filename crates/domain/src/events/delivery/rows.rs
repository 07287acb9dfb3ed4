//! Rows of deliveries; the rows of attempts are in [`super::tries`].
//!
//! A waiting delivery is `open`. Claiming it moves `due` to the end of a lease and increments `claims`; an outcome is stored only by the
//! holder of the newest claim. So several nodes share the work, and the deliveries that a dead node had claimed are claimed again once
//! their leases expire.

use jiff::{Timestamp, ToSpan};
use rules::Named;
use store::record::Cursor;
use store::{Row, Sql, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::error::Error;
use crate::events::answering::{Answering, COMPANIES};
use crate::events::feed;

/// The columns of a delivery, in the order in which [`read_delivery`] reads them.
macro_rules! columns {
    () => {
        "application_id, subscription_id, event_id, company_id, event_type, state, due, claims, used, tries, first_try_at, \
         created_at, finished_at"
    };
}

store::statements! {
    INSERT = "INSERT INTO deliveries (application_id, subscription_id, event_id, company_id, event_type, state, lane, due, claims, used, tries, created_at) \
              VALUES ($1, $2, $3, $4, $5, 'open', 0, $6, 0, 0, 0, $7)";
    REOPEN = "UPDATE deliveries SET state = 'open', lane = 0, due = $1, claims = claims + 1, used = 0, first_try_at = NULL, finished_at = NULL \
              WHERE application_id = $2 AND subscription_id = $3 AND event_id = $4";
    DUE = concat!("SELECT ", columns!(), " FROM deliveries \
           WHERE application_id = $1 AND subscription_id = $2 AND lane = $3 AND state = 'open' AND due <= $4 ORDER BY due, event_id LIMIT $5");
    ONE = concat!("SELECT ", columns!(), " FROM deliveries WHERE application_id = $1 AND subscription_id = $2 AND event_id = $3");
    FIRST_DUE = "SELECT application_id, subscription_id, event_id, due FROM deliveries WHERE state = 'open' AND due <= $1 \
                 ORDER BY due, event_id, subscription_id LIMIT $2";
    NEXT_LANE = "SELECT application_id, subscription_id, lane, due FROM deliveries \
                 WHERE state = 'open' AND (application_id, subscription_id, lane) > ($1, $2, $3) \
                 ORDER BY application_id, subscription_id, lane, due LIMIT 1";
    CLAIM = "UPDATE deliveries SET due = $1, claims = claims + 1 \
             WHERE application_id = $2 AND subscription_id = $3 AND event_id = $4 AND claims = $5 AND state = 'open'";
    RELEASE = "UPDATE deliveries SET due = $1 WHERE application_id = $2 AND subscription_id = $3 AND event_id = $4 AND claims = $5 AND state = 'open'";
    RETRY = "UPDATE deliveries SET lane = 1, due = $1, used = $2, tries = tries + 1, first_try_at = $3 \
             WHERE application_id = $4 AND subscription_id = $5 AND event_id = $6 AND claims = $7 AND state = 'open'";
    FINISH = "UPDATE deliveries SET state = $1, finished_at = $2, tries = tries + 1, first_try_at = $3 \
              WHERE application_id = $4 AND subscription_id = $5 AND event_id = $6 AND claims = $7 AND state = 'open'";
    ABANDON = "UPDATE deliveries SET state = 'abandoned', finished_at = $1 \
               WHERE application_id = $2 AND subscription_id = $3 AND event_id = $4 AND claims = $5 AND state = 'open'";
    WAITING_CALL = "SELECT event_id FROM deliveries WHERE application_id = $1 AND subscription_id = $2 AND lane = 1 AND state = 'open' \
                    AND event_type = $3 ORDER BY due LIMIT 1";
    OF_SUBSCRIPTION = concat!("SELECT ", columns!(), " FROM deliveries WHERE application_id = $1 AND subscription_id = $2 AND event_id > $3 \
                       ORDER BY event_id LIMIT $4");
    OF_SUBSCRIPTION_DOWN = concat!("SELECT ", columns!(), " FROM deliveries WHERE application_id = $1 AND subscription_id = $2 AND event_id < $3 \
                            ORDER BY event_id DESC LIMIT $4");
    NOT_DELIVERED = concat!("SELECT ", columns!(), " FROM (SELECT ", columns!(), " FROM deliveries WHERE application_id = $1 AND subscription_id = $2 \
                     ORDER BY event_id DESC LIMIT 5000) AS newest WHERE company_id = $3 AND state <> 'delivered' \
                     ORDER BY event_id DESC LIMIT $4");
    OF_SUBSCRIPTION_IN = concat!("SELECT ", columns!(), " FROM deliveries WHERE application_id = $1 AND subscription_id = $2 AND event_id > $3 AND state = $4 \
                          ORDER BY event_id LIMIT $5");
    OF_SUBSCRIPTION_IN_DOWN = concat!("SELECT ", columns!(), " FROM deliveries WHERE application_id = $1 AND subscription_id = $2 AND event_id < $3 AND state = $4 \
                               ORDER BY event_id DESC LIMIT $5");
}

/// The table of deliveries.
pub const TABLE: &str = "deliveries";
/// Seconds until a delivery is looked at again whose company's server does not answer.
const MISSED_SECONDS: i64 = 30;

/// The company of a verification call: none.
pub const NOBODY: Uuid = Uuid::nil();
/// The type of a verification call in lists.
pub const VERIFICATION: &str = "webhook_subscription.verification";

/// The three identifiers of a delivery: application, subscription, event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// the application
    pub application: Uuid,
    /// the subscription
    pub subscription: Uuid,
    /// the event; for a verification call, an id of its own
    pub event: Uuid,
}

/// First attempts and retries of a subscription wait in separate lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane {
    /// the application
    pub application: Uuid,
    /// the subscription
    pub subscription: Uuid,
    /// whether it is the lane of retries
    pub retries: bool,
}

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum DeliveryState {
    /// not delivered yet; attempted when it is due
    #[strum(serialize = "open")]
    Open,
    /// acknowledged by the receiver
    #[strum(serialize = "delivered")]
    Delivered,
    /// not acknowledged, after the last retry
    #[strum(serialize = "failed")]
    Failed,
    /// abandoned, because the subscription no longer received events
    #[strum(serialize = "abandoned")]
    Abandoned,
}

/// A delivery.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// its ids
    pub key: Key,
    /// the event's company; [`NOBODY`] for a verification call
    pub company: Uuid,
    /// such as `employee.created`
    pub event_type: String,
    /// its state
    pub state: DeliveryState,
    /// when it is due next
    pub due: Timestamp,
    /// leases so far
    pub claims: i64,
    /// steps of the retry schedule used
    pub used: i64,
    /// attempts so far
    pub tries: i64,
    /// when the first attempt of this round began
    pub first_try_at: Option<Timestamp>,
    /// creation time
    pub created_at: Timestamp,
    /// when it was delivered or abandoned
    pub finished_at: Option<Timestamp>,
}

impl Delivery {
    /// Whether it is a verification call.
    pub fn is_verification(&self) -> bool {
        self.company == NOBODY
    }
}

fn read_key(next: &mut Cursor<'_, '_>) -> Result<Key, store::Error> {
    Ok(Key {
        application: next.read_plain("application_id")?,
        subscription: next.read_plain("subscription_id")?,
        event: next.read_plain("event_id")?,
    })
}

fn read_delivery(row: &Row<'_>) -> Result<Delivery, store::Error> {
    let mut next = Cursor::new(row, TABLE, 0);
    Ok(Delivery {
        key: read_key(&mut next)?,
        company: next.read_plain("company_id")?,
        event_type: next.read_plain("event_type")?,
        state: next.read_text("state", DeliveryState::parse)?,
        due: next.read_plain("due")?,
        claims: next.read_plain("claims")?,
        used: next.read_plain("used")?,
        tries: next.read_plain("tries")?,
        first_try_at: next.read_plain("first_try_at")?,
        created_at: next.read_plain("created_at")?,
        finished_at: next.read_plain("finished_at")?,
    })
}

/// A delivery with the bytes of its event; `None` if the event is gone, or it is a verification call.
pub type WithPayload = (Delivery, Option<String>);

/// Adds the payloads: deliveries are placed with their application, events with their company.
fn with_payloads(tx: &mut Tx<'_>, found: Vec<Delivery>) -> Result<Vec<WithPayload>, Error> {
    let of_events = found.iter().filter(|delivery| !delivery.is_verification());
    let keys: Vec<_> = of_events.map(|delivery| (delivery.company, delivery.key.event)).collect();
    let mut payloads = feed::event_payloads(tx, &keys)?;
    Ok(found
        .into_iter()
        .map(|delivery| {
            let payload = payloads.remove(&delivery.key.event);
            (delivery, payload)
        })
        .collect())
}

/// Creates a delivery that is due at `due`.
pub fn insert_delivery(
    tx: &mut Tx<'_>,
    key: Key,
    company: Uuid,
    event_type: &str,
    due: Timestamp,
) -> Result<(), Error> {
    let (Key { application, subscription, event }, now) = (key, tx.now());
    let parameters = params![application, subscription, event, company, event_type, due, now];
    Ok(tx.insert_row(INSERT, parameters)?)
}

/// Restarts a delivery as if it had never been attempted; the record of its attempts is kept. Returns whether it exists.
pub fn reopen_delivery(tx: &mut Tx<'_>, key: Key) -> Result<bool, Error> {
    let now = tx.now();
    Ok(tx.change_rows(REOPEN, params![now, key.application, key.subscription, key.event])?.is_one())
}

/// A verification call that waits for its next attempt. Only retries are searched: before it is verified, a subscription has nothing else
/// there.
pub fn waiting_call(tx: &mut Tx<'_>, application: Uuid, subscription: Uuid) -> Result<Option<Key>, Error> {
    Ok(tx.find_row(WAITING_CALL, params![application, subscription, VERIFICATION], |row| Key {
        application,
        subscription,
        event: row.get(0),
    })?)
}

/// What is due in a lane, oldest first. Deliveries of companies whose server does not answer are put off: their bytes are there.
pub fn due_deliveries(
    tx: &mut Tx<'_>,
    lane: Lane,
    now: Timestamp,
    most: i64,
) -> Result<Vec<WithPayload>, Error> {
    let (application, subscription) = (lane.application, lane.subscription);
    let parameters = params![application, subscription, i64::from(lane.retries), now, most];
    let mut found = tx.try_query(DUE, parameters, read_delivery)?;
    if !tx.all_servers_answer() {
        let mut answer = Answering::default();
        let mut kept = Vec::with_capacity(found.len());
        for one in found {
            if one.is_verification() || answer.is_row_available(tx, COMPANIES, one.company)? {
                kept.push(one);
            } else {
                let _taken_meanwhile =
                    release_delivery(tx, one.key, one.claims, now + MISSED_SECONDS.seconds())?;
            }
        }
        found = kept;
    }
    with_payloads(tx, found)
}

/// One delivery.
pub fn find_delivery(tx: &mut Tx<'_>, key: Key) -> Result<Option<WithPayload>, Error> {
    let found = tx.try_find(ONE, params![key.application, key.subscription, key.event], read_delivery)?;
    Ok(with_payloads(tx, found.into_iter().collect())?.pop())
}

/// The delivery that is due first, up to `until`: for the test clock, which does one thing at a time.
pub fn first_due(tx: &mut Tx<'_>, until: Timestamp, most: i64) -> Result<Vec<(Timestamp, Key)>, Error> {
    let mut found = tx.query_by_server(&[TABLE], FIRST_DUE, params![until, most], |row| {
        let mut next = Cursor::new(row, TABLE, 0);
        let key = read_key(&mut next)?;
        Ok::<(Timestamp, Key), store::Error>((next.read_plain("due")?, key))
    })?;
    // Each server of a cluster may have answered by itself.
    found.sort_by_key(|(due, key)| (*due, key.event, key.subscription));
    found.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok(found)
}

/// The lanes with due deliveries: one look-up for each lane that has anything open.
pub fn lanes_due(tx: &mut Tx<'_>, now: Timestamp, most: usize) -> Result<Vec<Lane>, Error> {
    let mut last = (Uuid::nil(), Uuid::nil(), -1);
    let mut lanes = Vec::new();
    while lanes.len() < most {
        let found = tx.query_by_server(&[TABLE], NEXT_LANE, params![last.0, last.1, last.2], |row| {
            let mut next = Cursor::new(row, TABLE, 0);
            let (application, subscription) =
                (next.read_plain("application_id")?, next.read_plain("subscription_id")?);
            Ok::<(Uuid, Uuid, i64, Timestamp), Error>((
                application,
                subscription,
                next.read_plain("lane")?,
                next.read_plain("due")?,
            ))
        })?;
        // Each server of a cluster may have answered by itself.
        let Some((application, subscription, lane, due)) = found.into_iter().min() else { break };
        last = (application, subscription, lane);
        if due <= now {
            lanes.push(Lane { application, subscription, retries: lane == 1 });
        }
    }
    Ok(lanes)
}

fn change_claimed_delivery(
    tx: &mut Tx<'_>,
    sql: Sql,
    at: Timestamp,
    Key { application, subscription, event }: Key,
    claims: i64,
) -> Result<bool, Error> {
    Ok(tx.change_rows(sql, params![at, application, subscription, event, claims])?.is_one())
}

/// Claims a delivery until `until`, unless someone else has.
pub fn claim_delivery(tx: &mut Tx<'_>, delivery: &Delivery, until: Timestamp) -> Result<bool, Error> {
    change_claimed_delivery(tx, CLAIM, until, delivery.key, delivery.claims)
}

/// Releases a delivery that was claimed and not attempted.
pub fn release_delivery(tx: &mut Tx<'_>, key: Key, claims: i64, due: Timestamp) -> Result<bool, Error> {
    change_claimed_delivery(tx, RELEASE, due, key, claims)
}

/// Abandons a delivery.
pub fn abandon_delivery(tx: &mut Tx<'_>, delivery: &Delivery) -> Result<bool, Error> {
    let now = tx.now();
    change_claimed_delivery(tx, ABANDON, now, delivery.key, delivery.claims)
}

/// The consequence of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// acknowledged
    Delivered,
    /// retried at this time, with so many steps of the schedule used
    Retry(Timestamp, u32),
    /// that was the last attempt
    Failed,
}

/// Stores the consequence of an attempt that began at `at`; false if the claim is no longer the newest.
pub fn settle_delivery(
    tx: &mut Tx<'_>,
    (key, claims): (Key, i64),
    first_try_at: Timestamp,
    next: Next,
    ended: Timestamp,
) -> Result<bool, Error> {
    let Key { application, subscription, event } = key;
    let changed = match next {
        Next::Retry(due, used) => tx.change_rows(
            RETRY,
            params![due, i64::from(used), first_try_at, application, subscription, event, claims],
        )?,
        Next::Delivered | Next::Failed => {
            let state =
                if next == Next::Delivered { DeliveryState::Delivered } else { DeliveryState::Failed }
                    .as_str();
            tx.change_rows(
                FINISH,
                params![state, ended, first_try_at, application, subscription, event, claims],
            )?
        }
    };
    Ok(changed.is_one())
}

/// Which deliveries of a subscription are listed.
#[derive(Debug, Clone, Default)]
pub struct DeliveryFilter {
    /// only these
    pub state: Option<DeliveryState>,
    /// those after this event, in list order
    pub after: Option<Uuid>,
    /// at most this many
    pub limit: i64,
    /// newest first
    pub descending: bool,
}

/// The deliveries of a subscription in the order of their events.
pub fn of_subscription(
    tx: &mut Tx<'_>,
    application: Uuid,
    subscription: Uuid,
    filter: &DeliveryFilter,
) -> Result<Vec<Delivery>, Error> {
    let from = filter.after.unwrap_or(if filter.descending { Uuid::max() } else { Uuid::nil() });
    let rows = match (filter.state, filter.descending) {
        (None, false) => tx.try_query(
            OF_SUBSCRIPTION,
            params![application, subscription, from, filter.limit],
            read_delivery,
        ),
        (None, true) => tx.try_query(
            OF_SUBSCRIPTION_DOWN,
            params![application, subscription, from, filter.limit],
            read_delivery,
        ),
        (Some(state), descending) => {
            let sql = if descending { OF_SUBSCRIPTION_IN_DOWN } else { OF_SUBSCRIPTION_IN };
            tx.try_query(
                sql,
                params![application, subscription, from, state.as_str(), filter.limit],
                read_delivery,
            )
        }
    };
    Ok(rows?)
}

/// The deliveries of a company's events that failed or are still being attempted, newest first, among the newest 5,000 of a subscription:
/// recent problems matter, and a long record costs no more.
pub fn not_delivered(
    tx: &mut Tx<'_>,
    application: Uuid,
    subscription: Uuid,
    company: Uuid,
    most: i64,
) -> Result<Vec<Delivery>, Error> {
    Ok(tx.try_query(NOT_DELIVERED, params![application, subscription, company, most], read_delivery)?)
}
