//! The audit log cannot be changed unnoticed: seals over its entries, a chain for each company.

use domain::platform::audit::seals;
use domain::platform::audit::seals::Chain;
use jiff::ToSpan;
use store::{Sql, params};
use uuid::Uuid;

use crate::support::{Company, Engine, on_both_engines};

store::statements! {
    CHANGE = "UPDATE audit SET action = 'deleted' WHERE company_id = $1 AND id = $2";
    REMOVE = "DELETE FROM audit WHERE company_id = $1 AND id = $2";
    SLIP_IN = "INSERT INTO audit (company_id, id, actor_kind, actor_id, action, entity_type, entity_id, request_id, from_ip, changes, created_at) \
               SELECT company_id, $3, actor_kind, actor_id, action, entity_type, entity_id, request_id, from_ip, changes, created_at \
               FROM audit WHERE company_id = $1 AND id = $2";
    PUT_UNDER_ANOTHER = "UPDATE audit SET company_id = $3 WHERE company_id = $1 AND id = $2";
    ALL_SEALS = "DELETE FROM audit_seals WHERE company_id = $1";
    ALL_ENTRIES = "DELETE FROM audit WHERE company_id = $1";
    LEAVE_OUT = "DELETE FROM audit_seals WHERE company_id = $1 AND number = $2";
    IDS = "SELECT id FROM audit WHERE company_id = $1 ORDER BY id";
}

/// A company with three employees, whose entries were sealed in three spans, and one that is too new.
async fn sealed(engine: Engine) -> (Company, Vec<Uuid>) {
    let company = engine.own_world().await.company().await;
    for name in ["Ana", "Ben", "Cleo"] {
        company.self_onboarding_employee(name).await;
        seal_later(&company).await;
    }
    company.self_onboarding_employee("Dora").await;
    let id = company.id;
    let ids = company.world.app.store.read(move |tx| tx.query_rows(IDS, params![id], |row| row.get(0)));
    let ids: Result<Vec<Uuid>, store::Error> = ids.await;
    (company, ids.unwrap())
}

async fn seal_later(company: &Company) {
    let clock = company.world.app.store.clock();
    clock.advance_to(clock.now() + 1.hour());
    seals::seal_all(&company.world.app.store, clock.now()).await.unwrap();
}

async fn chain(company: &Company) -> Chain {
    seals::check_seal_chain(&company.world.app.store, company.id, None).await.unwrap()
}

async fn tamper(company: &Company, sql: Sql, entry: Uuid, other: Option<Uuid>) {
    let id = company.id;
    let changed = company.world.app.store.write(move |tx| {
        let all = [store::Value::from(id), entry.into(), other.unwrap_or_default().into()];
        tx.change_rows(sql, &all[..if other.is_some() { 3 } else { 2 }]).map(|changed| changed.rows())
    });
    let changed: Result<u64, store::Error> = changed.await;
    assert_eq!(changed.unwrap(), 1);
}

#[test]
fn an_untouched_log_fits_and_entries_of_the_last_minutes_wait_for_their_seal() {
    on_both_engines(async |engine: Engine| {
        let (company, ids) = sealed(engine).await;
        let found = chain(&company).await;
        assert_eq!(found.broken, None);
        assert_eq!(found.seals, 3);
        assert!(found.unsealed > 0, "{found:?}");
        assert_eq!(found.entries + found.unsealed, i64::try_from(ids.len()).unwrap());
        // Ten minutes later, and not before, the newest are sealed, too.
        let store = &company.world.app.store;
        seals::seal_all(store, store.clock().now() + 9.minutes()).await.unwrap();
        assert_eq!(chain(&company).await.unsealed, found.unsealed);
        seals::seal_all(store, store.clock().now() + 11.minutes()).await.unwrap();
        assert_eq!((chain(&company).await.seals, chain(&company).await.unsealed), (4, 0));
        // Sealing again finds nothing to do.
        seals::seal_all(store, store.clock().now() + 2.hours()).await.unwrap();
        assert_eq!(chain(&company).await.seals, 4);
    });
}

#[test]
fn an_entry_that_was_changed_removed_slipped_in_or_moved_breaks_the_chain_where_it_lies() {
    on_both_engines(async |engine: Engine| {
        let cases =
            [(CHANGE, "was changed"), (REMOVE, "1 of"), (SLIP_IN, "was added"), (PUT_UNDER_ANOTHER, "1 of")];
        for (sql, told) in cases {
            let (company, ids) = sealed(engine).await;
            let other = match sql {
                SLIP_IN => Some(Uuid::from_u128(ids[0].as_u128() - 1)),
                PUT_UNDER_ANOTHER => Some(Uuid::max()),
                _ => None,
            };
            tamper(&company, sql, ids[0], other).await;
            let found = chain(&company).await;
            let broken = found.broken.unwrap_or_default();
            assert!(broken.contains(told) && broken.contains("under seal 1 of"), "{told}: {broken}");
            assert_eq!(found.seals, 0);
        }
    });
}

#[test]
fn a_seal_that_is_left_out_shows_and_an_end_that_was_cut_off_shows_by_a_seal_noted_before() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = sealed(engine).await;
        let store = &company.world.app.store;
        let noted = chain(&company).await.newest.unwrap();
        let check =
            async |noted: &str| seals::check_seal_chain(store, company.id, Some(noted)).await.unwrap().broken;
        assert_eq!(check(&noted).await, None);
        assert!(check("00ff").await.unwrap().contains("is not in the chain"));
        let leave_out = async |number: i64| {
            let id = company.id;
            let done =
                store.write(move |tx| tx.change_rows(LEAVE_OUT, params![id, number]).map(|c| c.rows()));
            let done: Result<u64, store::Error> = done.await;
            assert_eq!(done.unwrap(), 1);
        };
        leave_out(3).await;
        assert_eq!(chain(&company).await.broken, None, "the chain itself cannot know");
        assert!(check(&noted).await.unwrap().contains("end of the chain was cut off"));
        leave_out(1).await;
        let broken = chain(&company).await.broken.unwrap();
        assert!(broken.contains("seal 1 is missing"), "{broken}");
    });
}

#[test]
fn the_test_clock_seals_on_its_way_and_tells_nothing_of_it() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        domain::platform::jobs::begin_housekeeping(&company.world.app.store).await.unwrap();
        company.self_onboarding_employee("Ana").await;
        let to = company.world.app.store.clock().now() + 2.hours();
        let fired = company.world.app.worker.advance_clock(to).await.unwrap();
        assert!(fired.iter().all(|piece| !piece.kind.contains("audit")), "{fired:?}");
        let found = chain(&company).await;
        assert_eq!((found.seals, found.unsealed, found.broken), (1, 0, None));
    });
}

#[test]
fn seals_that_were_removed_show_once_the_sealing_has_run_and_a_company_without_entries_shows_at_once() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        company.employee("Ana").await;
        domain::platform::jobs::begin_housekeeping(&company.world.app.store).await.unwrap();
        company.world.wait(5.hours()).await;
        company.employee("Ben").await;
        let whole = chain(&company).await;
        assert_eq!(
            (whole.broken.as_ref(), whole.seals > 0, whole.unsealed > 0),
            (None, true, true),
            "{whole:?}"
        );
        let id = company.id;
        let remove = async |sql: Sql| {
            let done =
                company.world.app.store.write(move |tx| tx.change_rows(sql, params![id]).map(|c| c.rows()));
            let done: Result<u64, store::Error> = done.await;
            assert!(done.unwrap() > 0);
        };
        remove(ALL_SEALS).await;
        let broken = chain(&company).await.broken.unwrap();
        assert!(broken.contains("their seals were removed"), "{broken}");
        remove(ALL_ENTRIES).await;
        let broken = chain(&company).await.broken.unwrap();
        assert!(broken.contains("the company has no entries"), "{broken}");
        let store = &company.world.app.store;
        let before = Uuid::from_u128(id.as_u128() - 1);
        assert_eq!(seals::next(store, Some(before)).await.unwrap(), Some(id), "it is looked at all the same");
        let noted =
            seals::check_seal_chain(store, id, whole.newest.as_deref()).await.unwrap().broken.unwrap();
        assert!(noted.contains("no entries"), "{noted}");
    });
}

#[test]
fn a_command_after_the_test_clock_was_moved_begins_where_the_clock_stands() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        // More than the sealing waits for an entry, and nothing changes meanwhile.
        world.wait(26.hours()).await;
        let store = &world.app.store;
        let marks = store.read(|tx| tx.query_rows(domain::events::LATEST, params![], |row| row.get(0))).await;
        let marks: Result<Vec<Option<jiff::Timestamp>>, store::Error> = marks;
        assert_eq!(marks.unwrap().into_iter().flatten().max(), Some(store.clock().now()));
    });
}

#[test]
fn entries_from_before_the_first_start_of_a_worker_are_sealed_at_once_and_no_sealing_is_missed_until_then() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        company.employee("Ana").await;
        let clock = company.world.app.store.clock();
        clock.advance_to(clock.now() + 5.hours());
        assert_eq!(chain(&company).await.broken, None);
        domain::platform::jobs::begin_housekeeping(&company.world.app.store).await.unwrap();
        let before = chain(&company).await;
        assert_eq!((before.seals, before.broken), (0, None), "nothing was sealed yet");
        company.world.app.worker.advance_clock(clock.now() + 1.minutes()).await.unwrap();
        let after = chain(&company).await;
        assert_eq!((after.seals, after.broken), (1, None));
    });
}
