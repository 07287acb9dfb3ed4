//! Sealed fields, their keys, and fingerprints.

use super::*;

fn place(row: u128) -> Place {
    Place { owner: company(), table: "samples", row: Uuid::from_u128(row), column: "b" }
}

#[test]
fn a_sealed_field_opens_only_in_its_own_place() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open();
        let sealed =
            store.write(|tx| tx.seal_field(place(1), b"123-45-6789")).await.map_err(|e: Error| e).unwrap();
        assert!(!sealed.windows(4).any(|part| part == b"6789"));
        let (here, moved) = (sealed.clone(), sealed.clone());
        let plain =
            store.read(move |tx| tx.unseal_field(place(1), &here)).await.map_err(|e: Error| e).unwrap();
        assert_eq!(plain.as_slice(), b"123-45-6789");
        for wrong in [place(2), Place { column: "c", ..place(1) }, Place { table: "other", ..place(1) }] {
            let moved = moved.clone();
            let error =
                store.read(move |tx| tx.unseal_field(wrong, &moved)).await.map_err(|e: Error| e).unwrap_err();
            assert!(matches!(error, Error::Sealed(_)));
        }
        let stranger = Place { owner: Uuid::from_u128(0xD0), ..place(1) };
        assert!(
            store
                .write(move |tx| {
                    tx.seal_field(stranger, b"x")?;
                    tx.unseal_field(stranger, &moved)
                })
                .await
                .map_err(|e: Error| e)
                .is_err()
        );
    });
}

#[test]
fn a_data_key_made_by_a_refused_unit_is_never_used_again() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return; // gone when it is closed
        }
        let store = bench.open();
        store
            .write(|tx| {
                tx.seal_field(place(1), b"lost")?;
                Err::<(), _>(Error::Busy)
            })
            .await
            .unwrap_err();
        let sealed = store.write(|tx| tx.seal_field(place(1), b"kept")).await.map_err(|e: Error| e).unwrap();
        drop(store);
        let plain = bench
            .open()
            .read(move |tx| tx.unseal_field(place(1), &sealed))
            .await
            .map_err(|e: Error| e)
            .unwrap();
        assert_eq!(plain.as_slice(), b"kept");
    });
}

#[test]
fn after_a_rotation_old_fields_open_with_the_new_master_key_alone() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return; // gone when it is closed
        }
        let (old, new) = ("11".repeat(32), "22".repeat(32));
        let store = bench.open_with(|options| options.keys = store::MasterKeys::parse(&old).unwrap());
        let sealed =
            store.write(|tx| tx.seal_field(place(1), b"123456789")).await.map_err(|e: Error| e).unwrap();
        drop(store);
        let store = bench.open_with(|options| {
            options.keys = store::MasterKeys::parse(&format!("{new}\n{old} # until rotated")).unwrap()
        });
        assert_eq!(store.rotate_keys().await.unwrap(), 1);
        assert_eq!(store.rotate_keys().await.unwrap(), 0);
        drop(store);
        let store = bench.open_with(|options| options.keys = store::MasterKeys::parse(&new).unwrap());
        let again = sealed.clone();
        let plain =
            store.read(move |tx| tx.unseal_field(place(1), &again)).await.map_err(|e: Error| e).unwrap();
        assert_eq!(plain.as_slice(), b"123456789");
        drop(store);
        let mut options = support::options(support::MIGRATIONS);
        options.keys = store::MasterKeys::parse(&old).unwrap();
        let told = Store::open(bench.url(), options).err().unwrap().to_string();
        assert!(told.contains("the master key is not that of this store"), "{told}");
    });
}

#[test]
fn equal_secrets_of_one_owner_have_one_fingerprint_and_of_two_owners_two() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open();
        let of = async |owner: u128| {
            let owner = Uuid::from_u128(owner);
            store
                .write(move |tx| tx.fingerprint(owner, "ssn", b"123456789"))
                .await
                .map_err(|e: Error| e)
                .unwrap()
        };
        assert_eq!(of(1).await, of(1).await);
        assert_ne!(of(1).await, of(2).await);
    });
}
