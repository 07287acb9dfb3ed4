//! Work that falls due: shared by nodes, left to newer ones, given up and begun again.

use domain::Error;
use domain::access::tokens::Caller;
use domain::platform::jobs::work::{LEASE_SECONDS, TRIES};
use domain::platform::jobs::{self, Due, JobKind, Leased, dead_letters};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan};
use store::{Store, Tx, params};
use uuid::Uuid;

use crate::support::{Engine, World, on_both_engines};

store::statements! {
    ADD = "INSERT INTO jobs (company_id, id, kind, entity_id, due, attempt, state, created_at) \
           VALUES ($1, $2, $3, $4, $5, 0, 'open', $5)";
    OPEN_OF_KIND = "SELECT count(*) FROM jobs WHERE kind = $1 AND state = 'open' AND attempt = 0";
    BREAK_ZONE = "UPDATE companies SET time_zone = 'Mars/Olympus' WHERE company_id = $1";
    MEND_ZONE = "UPDATE companies SET time_zone = 'America/Chicago' WHERE company_id = $1";
}

const START: (Timestamp, Uuid) = (Timestamp::UNIX_EPOCH, Uuid::nil());

async fn due(store: &Store) -> Vec<Due> {
    let now = store.clock().now();
    store.read(move |tx| jobs::due_until(tx, now, START, 100)).await.unwrap()
}

async fn unit<T: Send + 'static>(
    store: &Store,
    act: impl Fn(&mut Tx<'_>) -> Result<T, Error> + Send + 'static,
) -> T {
    store.write(act).await.unwrap_or_else(|error: Error| panic!("{error:?}"))
}

/// Work that fails as long as nobody mends it: the company's time zone is none.
async fn failing(world: &World) -> (Uuid, Uuid) {
    let (company, entity) = (world.company().await.id, Uuid::from_u128(7));
    unit(&world.app.store, move |tx| {
        let now = tx.now();
        jobs::schedule_job(tx, company, JobKind::EmployeeOverdue, entity, now)?;
        assert!(tx.change_rows(BREAK_ZONE, params![company])?.is_one());
        Ok(())
    })
    .await;
    (company, entity)
}

#[test]
fn many_pieces_of_a_newer_versions_kinds_are_left_alone_and_stand_in_nobodys_way() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await.id;
        let store = &world.app.store;
        unit(store, move |tx| {
            let now = tx.now();
            for number in 1..=250_u128 {
                let id = Uuid::from_u128(number);
                tx.insert_row(ADD, params![company, id, "payroll.of_a_newer_version", id, now - 1.hour()])?;
            }
            jobs::schedule_job(tx, company, JobKind::PayrollBegins, Uuid::from_u128(999), now)
        })
        .await;
        let found = due(store).await;
        assert_eq!(found.iter().map(|piece| piece.kind).collect::<Vec<_>>(), [JobKind::PayrollBegins]);
        let fired = world.wait(Span::new().hours(1)).await;
        assert_eq!(fired.iter().map(|fired| fired.kind).collect::<Vec<_>>(), ["payroll.created"]);
        let left = unit(store, |tx| {
            Ok(tx.find_row(OPEN_OF_KIND, params!["payroll.of_a_newer_version"], |row| row.get::<i64>(0))?)
        });
        assert_eq!(left.await, Some(250));
        let unknown = store.read(jobs::work::unknown_job_kinds).await.unwrap();
        assert_eq!(unknown, [("payroll.of_a_newer_version".to_owned(), 250)]);
    });
}

#[test]
fn work_that_fails_again_and_again_is_given_up_with_its_reason_and_begun_again_by_the_operator() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let store = &world.app.store;
        let (company, entity) = failing(&world).await;
        let tried = world.wait(Span::new().hours(3)).await;
        let times: Vec<_> = tried.iter().filter(|fired| fired.uuid == entity).map(|fired| fired.at).collect();
        assert_eq!(times.len() as i64, TRIES);
        let waits: Vec<_> = times.windows(2).map(|two| (two[1] - two[0]).get_seconds()).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], "each time twice as long");
        let listed = store.read(|tx| dead_letters::given_up(tx, None, 0)).await.unwrap();
        let [letter] = listed.as_slice() else { panic!("{listed:?}") };
        assert_eq!((letter.company, letter.entity, letter.tries), (company, entity, TRIES));
        assert_eq!(
            (letter.kind.as_str(), letter.state.as_str()),
            ("employee.self_onboarding_overdue", "failed")
        );
        let reason = letter.reason.clone().unwrap();
        assert!(reason.contains("time_zone"), "{reason}");
        assert_eq!(
            (letter.first_failed_at, letter.failed_at),
            (times.first().copied(), times.last().copied())
        );
        assert_eq!(
            store.read(move |tx| dead_letters::given_up(tx, Some(company), 0)).await.unwrap().len(),
            1
        );
        assert_eq!(
            store.read(|tx| dead_letters::given_up(tx, None, 1)).await.unwrap().len(),
            0,
            "a page after it"
        );
        assert_eq!(
            store.read(move |tx| dead_letters::given_up(tx, Some(company), 1)).await.unwrap().len(),
            0
        );
        assert_eq!(store.read(dead_letters::count_failed_jobs).await.unwrap(), 1);

        let id = letter.id;
        assert!(
            unit(store, move |tx| {
                assert!(tx.change_rows(MEND_ZONE, params![company])?.is_one());
                dead_letters::retry_job(tx, &Caller::for_service(company, TimeZone::UTC), id)
            })
            .await
        );
        assert!(
            !unit(store, move |tx| dead_letters::retry_job(
                tx,
                &Caller::for_service(company, TimeZone::UTC),
                id
            ))
            .await,
            "it is open again"
        );
        world.wait(Span::new().seconds(1)).await;
        let done = store.read(move |tx| dead_letters::find_job(tx, id)).await.unwrap();
        assert_eq!((done.state.as_str(), done.tries), ("done", 0), "{done:?}");
        assert_eq!(store.read(dead_letters::count_failed_jobs).await.unwrap(), 0);
    });
}

#[test]
fn work_that_is_scheduled_many_times_and_then_fails_once_is_not_given_up() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let store = &world.app.store;
        let (company, entity) = failing(&world).await;
        for _ in 0..2 * TRIES {
            unit(store, move |tx| {
                let now = tx.now();
                jobs::schedule_job(tx, company, JobKind::EmployeeOverdue, entity, now)
            })
            .await;
        }
        world.wait(Span::new().seconds(2)).await;
        assert_eq!(store.read(dead_letters::count_failed_jobs).await.unwrap(), 0);
        assert!(
            store.read(move |tx| jobs::is_open(tx, company, JobKind::EmployeeOverdue, entity)).await.unwrap()
        );
    });
}

#[test]
fn a_node_that_holds_a_companys_work_keeps_others_from_it_until_its_lease_ends() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let other = world.second_node();
        let (store, theirs) = (&world.app.store, &other.app.store);
        let (one, two) = (world.company().await.id, world.company().await.id);
        unit(store, move |tx| {
            let now = tx.now();
            jobs::schedule_job(tx, one, JobKind::PayrollForget, Uuid::from_u128(1), now)?;
            jobs::schedule_job(tx, one, JobKind::PayrollBegins, Uuid::from_u128(2), now)?;
            jobs::schedule_job(tx, two, JobKind::PayrollForget, Uuid::from_u128(3), now)
        })
        .await;
        let mine = Uuid::from_u128(0xa);
        let piece = *due(store).await.iter().find(|piece| piece.entity == Uuid::from_u128(1)).unwrap();
        assert_eq!(unit(store, move |tx| jobs::lease_job(tx, &piece, mine)).await, Leased::Held);
        let clock = theirs.clock();
        clock.advance_to(store.clock().now());
        let seen = due(theirs).await;
        assert_eq!(
            seen.iter().map(|piece| piece.company).collect::<Vec<_>>(),
            [two],
            "of the other company alone"
        );
        let another = Uuid::from_u128(0xb);
        assert_eq!(unit(theirs, move |tx| jobs::lease_job(tx, &piece, another)).await, Leased::No);
        // Renewed, it lasts longer; given back it is free at once.
        store.clock().advance_to(store.clock().now() + (LEASE_SECONDS - 1).seconds());
        assert!(unit(store, move |tx| jobs::renew_lease(tx, &piece, mine)).await);
        clock.advance_to(store.clock().now() + 2.seconds());
        assert_eq!(due(theirs).await.len(), 1);
        unit(store, move |tx| jobs::release_all(tx, mine)).await;
        assert_eq!(due(theirs).await.len(), 3);

        // Nodes that end while they hold it: the next takes it over, and so many of them are too many.
        for node in 1..=TRIES {
            assert_eq!(store.read(dead_letters::count_failed_jobs).await.unwrap(), 0, "{node}");
            let id = Uuid::from_u128(0x100 + node.unsigned_abs() as u128);
            let piece = *due(theirs).await.iter().find(|piece| piece.entity == Uuid::from_u128(1)).unwrap();
            assert_eq!(unit(theirs, move |tx| jobs::lease_job(tx, &piece, id)).await, Leased::Held);
            clock.advance_to(clock.now() + LEASE_SECONDS.seconds());
            assert!(
                !unit(theirs, move |tx| jobs::renew_lease(tx, &piece, another)).await,
                "of somebody else"
            );
        }
        let piece = *due(theirs).await.iter().find(|piece| piece.entity == Uuid::from_u128(1)).unwrap();
        assert_eq!(unit(theirs, move |tx| jobs::lease_job(tx, &piece, another)).await, Leased::GivenUp);
        let listed = store.read(move |tx| dead_letters::given_up(tx, Some(one), 0)).await.unwrap();
        assert_eq!((listed.len(), listed[0].tries), (1, TRIES));
        assert!(listed[0].reason.as_deref().unwrap().contains("the process ended"));
        assert!(due(theirs).await.iter().any(|piece| piece.company == one), "the next piece is free");
    });
}

#[test]
fn a_command_beside_a_service_reads_the_test_clock_of_the_store() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let beside = || {
            let node = world.second_node_with(|options| {
                options.clock = store::Clock::from_system();
                options.test_clock = Some(domain::platform::moments::TEST_CLOCK);
            });
            node.now()
        };
        let far = beside().duration_since(world.now()).abs();
        assert!(far > jiff::SignedDuration::from_hours(1), "nobody has recorded a test clock: {far}");
        for day in ["2026-06-20T12:00:00Z", "2026-12-24T12:00:00Z"] {
            let moved = serde_json::from_value(serde_json::json!({ "to": day })).unwrap();
            interface::test_clock::advance_and_run(&world.app, &moved).await.unwrap();
            assert_eq!(world.now(), day.parse().unwrap());
            let ahead = beside().duration_since(world.now());
            assert!((0..60).contains(&ahead.as_secs()), "{ahead}");
        }
    });
}
