//! Deletes rows that are no longer needed after their retention time. Runs once a day, in units of [`AT_ONCE`] rows, so that no writer is
//! held up. Records, audit entries and keys are kept for ever.

use jiff::{Span, Timestamp, ToSpan};
use store::{Sql, Store, Tx, params};

use domain::access::users::browsers;
use domain::error::Error;
use domain::events::feed;
use domain::people::flows::drafts;

/// A calculation `u` that was replaced or reversed, and of which nothing is left to reverse.
macro_rules! no_longer_used {
    () => {
        "u.created_at < $1 AND NOT EXISTS (SELECT 1 FROM payrolls p WHERE p.company_id = u.company_id AND p.id = u.payroll_id \
         AND p.run_id = u.id) AND (u.recorded_to IS NULL OR u.forgotten_to >= u.recorded_to)"
    };
}

// These statements reach across companies: they look only at the age of a row.
store::statements! {
    SWEEP_IDEMPOTENCY = "DELETE FROM idempotency WHERE (digest, owner_id) IN \
                         (SELECT digest, owner_id FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT $2)";
    // In the order of their numbers; the newest one stays, so that the next number is greater than all earlier ones.
    SWEEP_EVENTS = "DELETE FROM events WHERE (company_id, id) IN \
                    (SELECT company_id, id FROM (SELECT company_id, id, created_at FROM events \
                    WHERE seq < (SELECT max(seq) FROM events) ORDER BY seq LIMIT $2) AS oldest WHERE created_at < $1)";
    SWEEP_TRIES = "DELETE FROM delivery_tries WHERE (application_id, subscription_id, event_id) IN \
                   (SELECT application_id, subscription_id, event_id FROM deliveries WHERE state <> 'open' AND finished_at < $1 \
                   ORDER BY finished_at, application_id, subscription_id, event_id LIMIT $2)";
    SWEEP_DELIVERIES = "DELETE FROM deliveries WHERE (application_id, subscription_id, event_id) IN \
                        (SELECT application_id, subscription_id, event_id FROM deliveries WHERE state <> 'open' AND finished_at < $1 \
                        ORDER BY finished_at, application_id, subscription_id, event_id LIMIT $2)";
    SWEEP_LINKS = "DELETE FROM flow_links WHERE hash IN (SELECT hash FROM flow_links WHERE created_at < $1 LIMIT $2)";
    SWEEP_SESSIONS = "DELETE FROM flow_sessions WHERE hash IN \
                      (SELECT hash FROM flow_sessions WHERE created_at < $1 ORDER BY created_at LIMIT $2)";
    SWEEP_DRAFTS = "DELETE FROM flow_drafts WHERE (company_id, employee_id, screen) IN \
                    (SELECT company_id, employee_id, screen FROM flow_drafts WHERE created_at < $1 ORDER BY created_at LIMIT $2)";
    SWEEP_DOCUMENTS = "DELETE FROM document_links WHERE hash IN (SELECT hash FROM document_links WHERE expires_at < $1 LIMIT $2)";
    SWEEP_REPORT_LINKS = "DELETE FROM report_links WHERE hash IN (SELECT hash FROM report_links WHERE expires_at < $1 LIMIT $2)";
    SWEEP_REPORTS = "DELETE FROM report_requests WHERE (company_id, id) IN \
                     (SELECT company_id, id FROM report_requests WHERE created_at < $1 ORDER BY created_at LIMIT $2)";
    SWEEP_BATCHES = "DELETE FROM people_batches WHERE (company_id, id) IN \
                     (SELECT company_id, id FROM people_batches WHERE created_at < $1 ORDER BY created_at LIMIT $2)";
    SWEEP_TIME_SHEET_BATCHES = "DELETE FROM time_sheet_batches WHERE (company_id, id) IN \
                     (SELECT company_id, id FROM time_sheet_batches WHERE created_at < $1 ORDER BY created_at LIMIT $2)";
    SWEEP_DIGESTS = "DELETE FROM payroll_digests WHERE (application_id, id) IN \
                     (SELECT application_id, id FROM payroll_digests WHERE created_at < $1 ORDER BY created_at LIMIT $2)";
    SWEEP_PAYROLL_BATCHES = "DELETE FROM payroll_batches WHERE (application_id, id) IN \
                     (SELECT application_id, id FROM payroll_batches WHERE created_at < $1 ORDER BY created_at LIMIT $2)";
    SWEEP_BULK_REPORTS = "DELETE FROM bulk_reports WHERE (application_id, id) IN \
                     (SELECT application_id, id FROM bulk_reports WHERE created_at < $1 ORDER BY created_at LIMIT $2)";
    // A pair is found by its refresh token, and goes with it.
    SWEEP_EXPIRED_PAIRS = "DELETE FROM token_pairs WHERE refresh_hash IN \
                           (SELECT hash FROM tokens WHERE expires_at < $1 ORDER BY expires_at, hash LIMIT $2)";
    SWEEP_TOKENS = "DELETE FROM tokens WHERE hash IN \
                    (SELECT hash FROM tokens WHERE expires_at < $1 ORDER BY expires_at, hash LIMIT $2)";
    SWEEP_PAIRS = "DELETE FROM token_pairs WHERE refresh_hash IN \
                   (SELECT hash FROM tokens WHERE revoked_at < $1 ORDER BY revoked_at, hash LIMIT $2)";
    SWEEP_REVOKED = "DELETE FROM tokens WHERE hash IN \
                     (SELECT hash FROM tokens WHERE revoked_at < $1 ORDER BY revoked_at, hash LIMIT $2)";
    SWEEP_CODES = "DELETE FROM authorization_codes WHERE hash IN \
                   (SELECT hash FROM authorization_codes WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)";
    SWEEP_CONNECTIONS = "DELETE FROM past_connections WHERE (company_id, application_id, connected_at) IN \
                         (SELECT company_id, application_id, connected_at FROM past_connections WHERE ended_at < $1 \
                         ORDER BY ended_at LIMIT $2)";
    SWEEP_USERS = "DELETE FROM user_sessions WHERE hash IN \
                   (SELECT hash FROM user_sessions WHERE created_at < $1 ORDER BY created_at LIMIT $2)";
    SWEEP_ATTEMPTS = "DELETE FROM sign_in_attempts WHERE subject IN \
                      (SELECT subject FROM sign_in_attempts WHERE since < $1 ORDER BY since LIMIT $2)";
    SWEEP_BROWSERS = "DELETE FROM known_browsers WHERE (hash, user_id) IN \
                      (SELECT hash, user_id FROM known_browsers WHERE seen_at < $1 ORDER BY seen_at LIMIT $2)";
    SWEEP_CONFIRMATIONS = "DELETE FROM flow_confirmations WHERE (company_id, employee_id) IN \
                           (SELECT company_id, employee_id FROM flow_confirmations WHERE since < $1 ORDER BY since LIMIT $2)";
    SWEEP_RESULTS = concat!("DELETE FROM payroll_results WHERE (company_id, run_id, employee_id) IN \
                     (SELECT r.company_id, r.run_id, r.employee_id FROM payroll_runs u \
                     JOIN payroll_results r ON r.company_id = u.company_id AND r.run_id = u.id WHERE ", no_longer_used!(), " LIMIT $2)");
    // Reversing a calculation needs its results, which are deleted afterwards.
    SWEEP_RUNS = concat!("DELETE FROM payroll_runs WHERE (company_id, id) IN (SELECT u.company_id, u.id FROM payroll_runs u WHERE ",
                  no_longer_used!(), " AND NOT EXISTS (SELECT 1 FROM payroll_results r WHERE r.company_id = u.company_id \
                  AND r.run_id = u.id) LIMIT $2)");
    SWEEP_JOBS = "DELETE FROM jobs WHERE (company_id, id) IN \
                  (SELECT company_id, id FROM jobs WHERE state <> 'open' AND state <> 'failed' AND finished_at < $1 \
                  ORDER BY finished_at LIMIT $2)";
    SWEEP_GIVEN_UP = "DELETE FROM jobs WHERE (company_id, id) IN \
                      (SELECT company_id, id FROM jobs WHERE state = 'failed' AND finished_at < $1 ORDER BY finished_at LIMIT $2)";
    SWEEP_FAILURES = "DELETE FROM job_failures WHERE (company_id, id) IN \
                      (SELECT company_id, id FROM job_failures WHERE failed_at < $1 ORDER BY failed_at LIMIT $2)";
}

/// Rows deleted per unit of work.
const AT_ONCE: i64 = 500;

/// What is deleted, by which statements, and after what time. The last statement's row count is reported.
fn retention_rules(delivery_days: i64) -> Vec<(&'static str, &'static [Sql], Span)> {
    vec![
        ("deliveries", &[SWEEP_TRIES, SWEEP_DELIVERIES], (delivery_days * 24).hours()),
        ("idempotency", &[SWEEP_IDEMPOTENCY], 24.hours()),
        ("events", &[feed::SWEEP, SWEEP_EVENTS], (30 * 24).hours()),
        ("flow_links", &[SWEEP_LINKS], (8 * 24).hours()),
        ("flow_sessions", &[SWEEP_SESSIONS], (8 * 24).hours()),
        ("flow_drafts", &[SWEEP_DRAFTS], drafts::KEPT_HOURS.hours()),
        ("document_links", &[SWEEP_DOCUMENTS], 24.hours()),
        ("report_links", &[SWEEP_REPORT_LINKS], 24.hours()),
        ("report_requests", &[SWEEP_REPORTS], (7 * 24).hours()),
        ("people_batches", &[SWEEP_BATCHES], (30 * 24).hours()),
        ("time_sheet_batches", &[SWEEP_TIME_SHEET_BATCHES], (30 * 24).hours()),
        ("payroll_digests", &[SWEEP_DIGESTS], (7 * 24).hours()),
        ("payroll_batches", &[SWEEP_PAYROLL_BATCHES], (7 * 24).hours()),
        ("bulk_reports", &[SWEEP_BULK_REPORTS], (7 * 24).hours()),
        ("tokens", &[SWEEP_EXPIRED_PAIRS, SWEEP_TOKENS], (7 * 24).hours()),
        ("authorization_codes", &[SWEEP_CODES], (7 * 24).hours()),
        // Events are listed for thirty days.
        ("past_connections", &[SWEEP_CONNECTIONS], (31 * 24).hours()),
        ("user_sessions", &[SWEEP_USERS], 24.hours()),
        ("sign_in_attempts", &[SWEEP_ATTEMPTS], 24.hours()),
        ("known_browsers", &[SWEEP_BROWSERS], (browsers::KEPT_DAYS * 24).hours()),
        ("flow_confirmations", &[SWEEP_CONFIRMATIONS], 48.hours()),
        ("revoked_tokens", &[SWEEP_PAIRS, SWEEP_REVOKED], (30 * 24).hours()),
        // Calculations that were replaced or reversed.
        ("payroll_results", &[SWEEP_RESULTS], 24.hours()),
        ("payroll_runs", &[SWEEP_RUNS], 24.hours()),
        // Stored responses are not sealed again when data keys are rotated: they are deleted before the keys are.
        ("data_keys", &[store::RETIRE_DATA_KEYS], 48.hours()),
        ("jobs", &[SWEEP_JOBS], (7 * 24).hours()),
        ("jobs_given_up", &[SWEEP_GIVEN_UP], (90 * 24).hours()),
        ("job_failures", &[SWEEP_FAILURES], (90 * 24).hours()),
    ]
}

/// Deletes what was too old at `now`.
pub(super) async fn delete_expired(store: &Store, now: Timestamp, delivery_days: i64) -> Result<(), Error> {
    for (name, statements, age) in retention_rules(delivery_days) {
        let before = now - age;
        let mut swept = 0;
        loop {
            let some = store.write(move |tx| sweep_some(tx, statements, before)).await;
            let rows = some.map_err(|error: store::Error| Error::Store(error))?;
            swept += rows;
            if rows < AT_ONCE.unsigned_abs() {
                break;
            }
        }
        metrics::counter!("swept_rows_total", "table" => name).increment(swept);
    }
    Ok(())
}

/// Deletes at most [`AT_ONCE`] rows older than `before`; returns how many rows the last statement deleted.
fn sweep_some(tx: &mut Tx<'_>, statements: &[Sql], before: Timestamp) -> Result<u64, store::Error> {
    let mut rows = 0;
    for statement in statements {
        // In a file store the feed is a view of the events.
        if *statement == feed::SWEEP && tx.one_after_the_other() {
            continue;
        }
        rows = tx.change_rows(*statement, params![before, AT_ONCE])?.rows();
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use store::{Clock, MasterKeys, Options};
    use uuid::Uuid;

    use super::*;
    use domain::SCHEMA;
    use domain::events::delivery::rows;
    use domain::events::delivery::rows::{Key, Next};
    use domain::events::delivery::tries::{self, Try};

    /// Creates deliveries that were acknowledged at the second attempt.
    fn deliver(tx: &mut Tx<'_>, count: u128) -> Result<(), Error> {
        let (key, now) =
            (|n| Key { application: Uuid::nil(), subscription: Uuid::nil(), event: n }, tx.now());
        for n in 1..=count {
            let key = key(Uuid::from_u128(n));
            rows::insert_delivery(tx, key, Uuid::max(), "location.created", now)?;
            rows::settle_delivery(tx, (key, 0), now, Next::Delivered, now)?;
            for number in 1..=2 {
                let done = Try {
                    number,
                    at: now,
                    status: Some(200),
                    failure: None,
                    micros: 700,
                    response_start: String::new(),
                    next_try_at: None,
                };
                tries::insert_attempt(tx, key, &done)?;
            }
        }
        Ok(())
    }

    #[tokio::test]
    async fn a_unit_of_work_deletes_at_most_five_hundred_deliveries_each_with_its_attempts() {
        let clock = Clock::standing_at("2026-06-01T12:00:00Z".parse().unwrap());
        let keys = MasterKeys::parse(&"ab".repeat(32)).unwrap();
        let store = Store::open("sqlite::memory:", Options::new(clock, keys, SCHEMA)).unwrap();
        store.write(|tx| deliver(tx, 1_234)).await.unwrap();
        let (name, statements, age) = retention_rules(30).remove(0);
        assert_eq!(name, "deliveries");
        let before = store.clock().now();
        assert_eq!(store.write(move |tx| sweep_some(tx, statements, before - age)).await.unwrap(), 0);
        let before = before + 1.second();
        let mut sizes = Vec::new();
        while sizes.last() != Some(&0) {
            sizes.push(store.write(move |tx| sweep_some(tx, statements, before)).await.unwrap());
            let left = (1_234 - sizes.iter().sum::<u64>()) as usize;
            let counted = store.read(|tx| {
                let ids = rows::of_subscription(
                    tx,
                    Uuid::nil(),
                    Uuid::nil(),
                    &rows::DeliveryFilter { limit: 2_000, ..Default::default() },
                )?;
                let mut tries = 0;
                for n in 1..=1_234 {
                    let key = Key {
                        application: Uuid::nil(),
                        subscription: Uuid::nil(),
                        event: Uuid::from_u128(n),
                    };
                    tries += tries::of_delivery(tx, key)?.len();
                }
                Ok::<_, Error>((ids.len(), tries))
            });
            assert_eq!(counted.await.unwrap(), (left, 2 * left));
        }
        assert_eq!(sizes, [500, 500, 234, 0]);
    }
}
