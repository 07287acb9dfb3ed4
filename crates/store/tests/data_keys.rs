//! Data key rotation while the service runs: fields are resealed, digests that fields are found by are recomputed, others stay, and
//! nothing is sealed under a key that is about to be deleted.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;
mod support;

use jiff::ToSpan;
use store::{Clock, DigestColumn, Error, Place, Rotation, Sealed, Store, params};
use support::{Bench, on_both_engines};
use uuid::Uuid;

store::statements! {
    INSERT = "INSERT INTO samples (company_id, id, b, digest) VALUES ($1, $2, $3, $4)";
    FIELD = "SELECT b FROM samples WHERE company_id = $1 AND id = $2";
    FOUND = "SELECT id FROM samples WHERE company_id = $1 AND digest IN ($2, $3)";
    DIGEST = "SELECT digest FROM samples WHERE company_id = $1 AND id = $2";
    STALE = "SELECT id, 'b', b, digest FROM samples WHERE company_id = $1 AND b IS NOT NULL AND substr(digest, 1, 8) <> $2 LIMIT $3";
    RENEW = "UPDATE samples SET digest = $1 WHERE company_id = $2 AND id = $3 AND digest = $4";
    KEYS = "SELECT count(*), min(key_id), max(key_id) FROM data_keys WHERE owner_id = $1";
}

store::sealed_columns! {
    COLUMNS = "samples": "company_id", "id", "b"
}

const KEPT: Sealed = Sealed {
    columns: &[COLUMNS],
    digests: &[DigestColumn { table: "samples", context: "samples.b", stale: STALE, update: RENEW }],
};

const FIELDS: u128 = 230;

fn place(company: Uuid, row: u128) -> Place {
    Place { owner: company, table: "samples", row: Uuid::from_u128(row), column: "b" }
}

async fn put(store: &Store, company: Uuid, row: u128) {
    let put = store.write(move |tx| {
        let plain = format!("secret {row}");
        let sealed = tx.seal_field(place(company, row), plain.as_bytes())?;
        let digest = tx.lookup_digest(company, "samples.b", plain.as_bytes())?;
        tx.insert_row(INSERT, params![company, Uuid::from_u128(row), &sealed, &digest])
    });
    put.await.map_err(|error: Error| error).unwrap();
}

/// The number of the key that a field is sealed under, and what it says.
async fn field(store: &Store, company: Uuid, row: u128) -> (i64, String) {
    let read = store.read(move |tx| {
        let sealed =
            tx.find_row(FIELD, params![company, Uuid::from_u128(row)], |row| row.get::<Vec<u8>>(0))?.unwrap();
        let plain = tx.unseal_text(place(company, row), &sealed)?.to_string();
        Ok((i64::from_be_bytes(sealed[..8].try_into().unwrap()), plain))
    });
    read.await.map_err(|error: Error| error).unwrap()
}

/// The number of the key that a field's digest is made with; the field is found by what it says.
async fn found_by(store: &Store, company: Uuid, row: u128) -> i64 {
    let read = store.read(move |tx| {
        let id = Uuid::from_u128(row);
        let [newest, before] = tx.lookup_digests(company, "samples.b", format!("secret {row}").as_bytes())?;
        let found = tx.query_rows(FOUND, params![company, &newest, &before], |row| row.get::<Uuid>(0))?;
        assert_eq!(found, [id], "one field, and the right one");
        let digest = tx.find_row(DIGEST, params![company, id], |row| row.get::<Vec<u8>>(0))?.unwrap();
        Ok(i64::from_be_bytes(digest[..8].try_into().unwrap()))
    });
    read.await.map_err(|error: Error| error).unwrap()
}

async fn keys(store: &Store, company: Uuid) -> (i64, i64, i64) {
    let read =
        store.read(move |tx| tx.find_row(KEYS, params![company], |row| (row.get(0), row.get(1), row.get(2))));
    read.await.map_err(|error: Error| error).unwrap().unwrap()
}

/// Sweeps the keys of before changes that ended before a moment; how many.
async fn retire(store: &Store, before: jiff::Timestamp) -> u64 {
    let swept = store.write(move |tx| {
        tx.change_rows(store::RETIRE_DATA_KEYS, params![before, 500_i64]).map(|keys| keys.rows())
    });
    swept.await.map_err(|error: Error| error).unwrap()
}

async fn digest(store: &Store, company: Uuid) -> [u8; 32] {
    let made = store.write(move |tx| tx.fingerprint(company, "ssn", b"123456789"));
    made.await.map_err(|error: Error| error).unwrap()
}

#[test]
fn every_field_is_sealed_again_after_a_wait_and_the_keys_between_are_gone() {
    on_both_engines(async |bench: Bench| {
        let clock = Clock::standing_at("2026-06-15T12:00:00Z".parse().unwrap());
        let store = bench.open_with(|options| options.clock = clock.clone());
        let (one, two) = (Uuid::from_u128(0xC1), Uuid::from_u128(0xC2));
        for row in 1..=FIELDS {
            put(&store, one, row).await;
        }
        put(&store, two, 1).await;
        let before = digest(&store, one).await;
        for round in 1..=2 {
            clock.advance_to(clock.now() + 1.hour());
            let Rotation::Waiting(until) = store.rotate_data_keys(&KEPT).await.unwrap() else {
                panic!("nodes have not seen the new keys yet")
            };
            assert_eq!(until, clock.now() + 60.seconds());
            assert_eq!(
                store.rotate_data_keys(&KEPT).await.unwrap(),
                Rotation::Waiting(until),
                "none are made twice"
            );
            assert_eq!(field(&store, one, 1).await.0, round, "nothing is sealed again yet");
            assert_eq!(
                found_by(&store, one, 1).await,
                round,
                "nor is a digest recomputed, and the field is found"
            );
            clock.advance_to(until);
            let changed = 2 * if round == 1 { FIELDS + 1 } else { FIELDS + 2 };
            let done = Rotation::Done { owners: 2, fields: u64::try_from(changed).unwrap() };
            assert_eq!(store.rotate_data_keys(&KEPT).await.unwrap(), done);
            for row in [1, FIELDS] {
                assert_eq!(field(&store, one, row).await, (round + 1, format!("secret {row}")));
                assert_eq!(found_by(&store, one, row).await, round + 1);
            }
            assert_eq!(
                keys(&store, one).await,
                (3.min(round + 1), 1, round + 1),
                "what is kept for a day opens yet"
            );
            clock.advance_to(clock.now() + 1.hour());
            let soon = clock.now() - 48.hours();
            assert_eq!(retire(&store, soon).await, 0, "not yet");
            let later = clock.now();
            assert_eq!(retire(&store, later).await, if round == 1 { 0 } else { 2 });
            assert_eq!(
                keys(&store, one).await,
                (2, 1, round + 1),
                "the first, for digests that nobody can recompute, and the newest"
            );
            assert_eq!(digest(&store, one).await, before);
            if round == 1 {
                put(&store, two, 2).await;
                assert_eq!(field(&store, two, 2).await.0, 2, "what is new is sealed under the new key");
            }
        }
    });
}

#[test]
fn a_field_that_does_not_open_stops_the_change_and_keeps_its_key() {
    on_both_engines(async |bench: Bench| {
        let clock = Clock::standing_at("2026-06-15T12:00:00Z".parse().unwrap());
        let store = bench.open_with(|options| options.clock = clock.clone());
        let company = Uuid::from_u128(0xC1);
        put(&store, company, 1).await;
        let moved = store.write(move |tx| {
            let elsewhere = tx.seal_field(place(company, 3), b"moved")?;
            let digest = tx.lookup_digest(company, "samples.b", b"moved")?;
            tx.insert_row(INSERT, params![company, Uuid::from_u128(2), &elsewhere, &digest])
        });
        moved.await.map_err(|error: Error| error).unwrap();
        store.rotate_data_keys(&KEPT).await.unwrap();
        clock.advance_to(clock.now() + 1.hour());
        let told = store.rotate_data_keys(&KEPT).await.unwrap_err();
        assert!(matches!(told, Error::Sealed(_)), "{told}");
        assert_eq!(keys(&store, company).await, (2, 1, 2));
        assert_eq!(field(&store, company, 1).await.1, "secret 1");
    });
}
