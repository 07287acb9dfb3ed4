//! A store knows its master keys: a wrong one is detected at start-up, before anything is sealed under it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;
mod support;

use store::{Error, MasterKeys, Place, Store, params};
use support::{Bench, MIGRATIONS, on_both_engines, options};
use uuid::Uuid;

store::statements! {
    NOTED = "SELECT count(*) FROM master_keys";
    FORGET = "DELETE FROM master_keys";
    FORGET_USED = "DELETE FROM master_keys WHERE master_id IN (SELECT master_id FROM data_keys)";
}

const PLACE: Place =
    Place { owner: Uuid::from_u128(0xC0), table: "samples", row: Uuid::from_u128(1), column: "b" };

fn open(bench: &Bench, keys: &str) -> Result<Store, Error> {
    let mut options = options(MIGRATIONS);
    options.keys = if keys.is_empty() { MasterKeys::no_keys() } else { MasterKeys::parse(keys).unwrap() };
    Store::open(bench.url(), options)
}

fn refused(bench: &Bench, keys: &str) {
    let told = open(bench, keys).err().expect("it is refused").to_string();
    assert!(told.starts_with("the master key is not that of this store: it needs "), "{told}");
    assert!(told.lines().count() == 1 && !told.contains("1111") && !told.contains("2222"), "{told}");
}

async fn seal(store: &Store) -> Vec<u8> {
    store.write(|tx| tx.seal_field(PLACE, b"123-45-6789")).await.map_err(|e: Error| e).unwrap()
}

async fn noted(store: &Store) -> i64 {
    let count = store.read(|tx| tx.find_row(NOTED, params![], |row| row.get::<i64>(0))).await;
    count.map_err(|e: Error| e).unwrap().unwrap()
}

#[test]
fn a_wrong_master_key_is_refused_even_where_nothing_was_sealed_yet() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return; // gone when it is closed
        }
        let (right, wrong) = ("11".repeat(32), "22".repeat(32));
        assert_eq!(noted(&open(&bench, &right).unwrap()).await, 1);
        refused(&bench, &wrong);
        seal(&open(&bench, &right).unwrap()).await;
        refused(&bench, &wrong);
        assert_eq!(noted(&open(&bench, &right).unwrap()).await, 1, "nothing came of the wrong one");
        // Whoever was given none seals nothing, and reads what is not sealed.
        let none = open(&bench, "").unwrap();
        assert_eq!(noted(&none).await, 1);
        assert!(
            none.write(|tx| tx.seal_field(Place { owner: Uuid::from_u128(7), ..PLACE }, b"x"))
                .await
                .map_err(|e: Error| e)
                .is_err()
        );
    });
}

#[test]
fn a_store_without_the_value_gets_it_from_a_key_that_opens_its_data_keys_and_from_no_other() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return; // gone when it is closed
        }
        let (right, wrong) = ("11".repeat(32), "22".repeat(32));
        let store = open(&bench, &right).unwrap();
        let sealed = seal(&store).await;
        let forget = store.write(|tx| tx.change_rows(FORGET, params![]).map(|changed| changed.rows())).await;
        assert_eq!(forget.map_err(|e: Error| e).unwrap(), 1);
        drop(store);
        refused(&bench, &wrong);
        let store = open(&bench, &right).unwrap();
        assert_eq!(noted(&store).await, 1);
        let plain =
            store.read(move |tx| tx.unseal_field(PLACE, &sealed)).await.map_err(|e: Error| e).unwrap();
        assert_eq!(plain.as_slice(), b"123-45-6789");
    });
}

#[test]
fn a_key_is_needed_until_nothing_is_wrapped_by_it() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return; // gone when it is closed
        }
        let (old, new) = ("11".repeat(32), "22".repeat(32));
        seal(&open(&bench, &old).unwrap()).await;
        let store = open(&bench, &format!("{new}\n{old}")).unwrap();
        assert_eq!(noted(&store).await, 2);
        refused(&bench, &new);
        assert_eq!(store.rotate_keys().await.unwrap(), 1);
        assert_eq!(noted(&store).await, 1);
        drop(store);
        refused(&bench, &old);
        open(&bench, &new).unwrap();
    });
}

#[test]
fn a_key_that_was_forgotten_is_needed_where_a_node_that_still_had_it_used_it_afterwards() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return; // gone when it is closed
        }
        let (old, new) = ("11".repeat(32), "22".repeat(32));
        let sealed = seal(&open(&bench, &old).unwrap()).await;
        // As if the rotation had been over before the old key wrapped this data key.
        let store = open(&bench, &format!("{new}\n{old}")).unwrap();
        let forget =
            store.write(|tx| tx.change_rows(FORGET_USED, params![]).map(|changed| changed.rows())).await;
        assert_eq!((forget.map_err(|e: Error| e).unwrap(), noted(&store).await), (1, 1));
        drop(store);
        refused(&bench, &new);
        let store = open(&bench, &format!("{new}\n{old}")).unwrap();
        assert_eq!(store.rotate_keys().await.unwrap(), 1);
        drop(store);
        let plain = open(&bench, &new).unwrap().read(move |tx| tx.unseal_field(PLACE, &sealed)).await;
        assert_eq!(plain.map_err(|e: Error| e).unwrap().as_slice(), b"123-45-6789");
    });
}

#[test]
fn a_new_key_that_was_never_used_can_be_taken_back() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return; // gone when it is closed
        }
        let (old, new) = ("11".repeat(32), "22".repeat(32));
        seal(&open(&bench, &old).unwrap()).await;
        drop(open(&bench, &format!("{new}\n{old}")).unwrap());
        open(&bench, &old).unwrap();
    });
}

#[test]
fn a_node_that_lacks_the_master_key_of_another_one_names_it() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() || bench.is_file() {
            return; // has one node
        }
        let (old, new) = ("11".repeat(32), "22".repeat(32));
        let behind = open(&bench, &old).unwrap();
        seal(&behind).await;
        let missing = async || behind.read(|tx| tx.missing_master_key()).await.unwrap();
        assert_eq!(missing().await, None);
        let ahead = open(&bench, &format!("{new}\n{old}")).unwrap();
        assert_eq!(missing().await, None, "it is noted, and wraps nothing yet");
        let other = Place { owner: Uuid::from_u128(0xC1), ..PLACE };
        let sealed =
            ahead.write(move |tx| tx.seal_field(other, b"123-45-6789")).await.map_err(|e: Error| e).unwrap();
        let told = behind.read(move |tx| tx.unseal_field(other, &sealed)).await.unwrap_err();
        let Error::MissingKey(master) = &told else { panic!("{told}") };
        assert_eq!(missing().await.as_ref(), Some(master));
        let line = told.to_string();
        assert!(
            line.contains(master.as_str()) && line.contains("add it to the key file and restart"),
            "{line}"
        );
        assert_eq!(ahead.read(|tx| tx.missing_master_key()).await.unwrap(), None);
    });
}

#[test]
fn of_two_first_starts_with_different_master_keys_one_is_refused() {
    let Some(server) = postgres_server::server() else { return };
    for _ in 0..8 {
        let url = server.database();
        // Made, and no key noted yet, so that both are quick.
        drop(
            Store::open(&url, store::Options { keys: MasterKeys::no_keys(), ..options(MIGRATIONS) }).unwrap(),
        );
        let together = std::sync::Barrier::new(2);
        let open = |key: &str| {
            let keys = MasterKeys::parse(&key.repeat(32)).unwrap();
            together.wait();
            Store::open(&url, store::Options { keys, threads: Some(1), ..options(MIGRATIONS) }).is_ok()
        };
        let opened = std::thread::scope(|scope| {
            let other = scope.spawn(|| open("22"));
            (open("11"), other.join().unwrap())
        });
        assert!(opened.0 != opened.1, "both were taken, or none: {opened:?}");
        assert_eq!(server.run(&url, "SELECT count(*) FROM master_keys"), "1");
    }
}
