//! Data keys change in a store with every kind of record, and it answers as before.

use jiff::ToSpan;
use store::{Clock, MasterKeys, Options, Rotation, Store};

use crate::binary::{run, stipend};
use crate::upgrade::{MASTER_KEY, World};

#[test]
fn data_keys_change_and_every_sealed_field_is_read_as_before_on_both_engines() {
    let kept = World::new();
    for url in &kept.on_both_engines() {
        let before = kept.served(url);
        let command = ["keys", "rotate", "--data", "--no-wait", "--database-url", url];
        let begun = run(stipend().args(command).env("STIPEND_MASTER_KEY_FILE", &kept.key));
        assert!(
            begun.code == Some(0) && begun.out.contains("run the command again to reseal the fields"),
            "{}{}",
            begun.out,
            begun.err
        );
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            // The wait is passed over.
            let clock = Clock::standing_at(Clock::from_system().now() + 5.minutes());
            let keys = MasterKeys::parse(MASTER_KEY).unwrap();
            let options = Options { create: false, ..Options::new(clock, keys, domain::SCHEMA) };
            let store = Store::open(url, options).unwrap();
            let done = store.rotate_data_keys(&domain::sealed::SEALED).await.unwrap();
            assert!(matches!(done, Rotation::Done { owners: 2.., fields: 50.. }), "{done:?}");
        });
        assert!(kept.served(url) == before, "{url}");
        let audit = ["audit", "verify", "--company", &kept.company, "--database-url", url];
        let verified = run(stipend().args(audit).env("STIPEND_MASTER_KEY_FILE", &kept.key));
        assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
    }
}
