//! The schedule of tries, by the test clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use background::worker::Fired;
use jiff::{Timestamp, ToSpan};
use pages::routes;
use serde_json::json;
use store::Clock;

use super::{SUBSCRIPTIONS, company, delivery, happen, read, settle, verified};
use crate::receiver::{Receiver, status};
use crate::support::{Engine, on_both_engines, open_store};

/// From the first try to the last.
const DAYS_3: i64 = 72 * 3_600;

/// Seconds from the first to each further one.
fn offsets(fired: &[Timestamp]) -> Vec<i64> {
    fired.iter().map(|at| at.as_second() - fired[0].as_second()).collect()
}

fn of_event(fired: &[Fired], event: &str) -> Vec<Timestamp> {
    fired.iter().filter(|one| one.uuid.to_string() == event).map(|one| one.at).collect()
}

#[test]
fn a_receiver_that_always_fails_is_tried_seventeen_times_in_three_days_and_is_then_unreachable() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        let (id, token) = verified(&company, &receiver, &["Location"]).await;
        receiver.answer(|_| status(500));
        let event = happen(&company).await;
        let mut fired = world.wait(36.hours()).await;
        let second = happen(&company).await;
        fired.extend(world.wait(36.hours()).await);
        let tries = of_event(&fired, &event);
        let offsets = offsets(&tries);
        eprintln!("seconds after the first try: {offsets:?}");
        assert_eq!(tries.len(), 17);
        assert!(*offsets.last().unwrap() <= DAYS_3 && *offsets.last().unwrap() > DAYS_3 * 8 / 10);
        let gaps: Vec<_> = offsets.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.windows(2).all(|pair| pair[1] > pair[0]), "{gaps:?}");

        assert_eq!(read(&company, &id).await["status"], "unreachable");
        let told = delivery(&company, &event).await;
        let attempts = told["attempts"].as_array().unwrap();
        assert_eq!((told["status"].as_str(), attempts.len()), (Some("failed"), 17));
        assert!(attempts.iter().all(|one| one["response_status"] == 500));
        assert!(attempts[..16].iter().all(|one| !one["next_try_at"].is_null()));
        assert!(attempts[16]["next_try_at"].is_null());
        assert_eq!(delivery(&company, &second).await["status"], "abandoned");
        let calls: Vec<_> = receiver.events();
        let of_first: Vec<_> = calls.iter().filter(|call| call.header("webhook-id") == event).collect();
        assert!(of_first.iter().all(|call| call.body == of_first[0].body), "the same bytes on every try");

        happen(&company).await;
        let more = world.wait((24 * 7).hours()).await;
        assert!(more.iter().all(|one| one.kind != "webhook.delivery"), "{more:?}");
        // Verified again it receives again, and what was given up can be replayed.
        receiver.answer(|_| status(204));
        let again = json!({ "verification_token": token });
        assert_eq!(
            company.put(format!("{SUBSCRIPTIONS}/{id}/verify"), again).await.ok()["status"],
            "verified"
        );
        company.post(format!("{SUBSCRIPTIONS}/{id}/deliveries/{second}/redeliver"), json!({})).await.ok();
        settle(&company).await;
        assert_eq!(delivery(&company, &second).await["status"], "delivered");
    });
}

#[test]
fn a_restart_between_any_two_tries_changes_nothing_about_their_times() {
    on_both_engines(async |engine: Engine| {
        let mut runs: Vec<Vec<i64>> = Vec::new();
        for restarts in [false, true] {
            let world = engine.own_world_with(|setup| setup.seed = Some(11)).await;
            let (company, receiver) = (company(&world).await, Receiver::new());
            verified(&company, &receiver, &["Location"]).await;
            receiver.answer(|_| status(503));
            let event = happen(&company).await;
            let (start, mut fired) = (world.now(), Vec::new());
            if restarts {
                let halfway = runs[0].windows(2).map(|tries| i64::midpoint(tries[0], tries[1]));
                let mut now = start;
                for end in halfway.chain([DAYS_3]).map(|second| start + second.seconds()) {
                    // Another process on the same data: it knows nothing but what is stored.
                    let store = open_store(world.url(), None);
                    store.clock().advance_to(now);
                    let (app, _) = routes::build_service(store, world.app.settings.clone());
                    fired.extend(app.worker.advance_clock(end).await.unwrap());
                    now = end;
                }
            } else {
                fired = world.wait(DAYS_3.seconds()).await;
            }
            let tries = of_event(&fired, &event);
            assert_eq!((tries.len(), receiver.events().len()), (17, 17));
            runs.push(offsets(&tries));
        }
        assert_eq!(runs[0], runs[1]);
    });
}

#[test]
fn success_at_any_try_is_the_last_one() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        let (id, _) = verified(&company, &receiver, &["Location"]).await;
        for right in 1..=17 {
            let calls = Arc::new(AtomicUsize::new(0));
            let count = Arc::clone(&calls);
            receiver.answer(move |_| {
                status(if count.fetch_add(1, Ordering::SeqCst) + 1 == right { 202 } else { 404 })
            });
            let event = happen(&company).await;
            world.wait(80.hours()).await;
            assert_eq!(calls.load(Ordering::SeqCst), right);
            let told = delivery(&company, &event).await;
            assert_eq!(told["status"], "delivered");
            assert_eq!(told["attempts"].as_array().unwrap().len(), right);
            assert_eq!(read(&company, &id).await["status"], "verified");
        }
    });
}

#[test]
fn retry_after_lengthens_the_delay() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        verified(&company, &receiver, &["Location"]).await;
        receiver
            .answer(|_| "HTTP/1.1 429 x\r\nretry-after: 3600\r\ncontent-length: 4\r\n\r\nwait".to_owned());
        let event = happen(&company).await;
        let tries = of_event(&world.wait(DAYS_3.seconds()).await, &event);
        let offsets = offsets(&tries);
        assert!(offsets.windows(2).all(|pair| pair[1] - pair[0] >= 3_600), "{offsets:?}");
        assert!((6..17).contains(&offsets.len()) && *offsets.last().unwrap() <= DAYS_3, "{offsets:?}");
        assert_eq!(delivery(&company, &event).await["attempts"][0]["response_start"], "wait");
    });
}

#[test]
fn a_subscription_to_which_anything_got_through_stays_verified() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Receiver::new());
        let (id, _) = verified(&company, &receiver, &["Location"]).await;
        let bad = happen(&company).await;
        let refused = bad.clone();
        receiver.answer(move |call| status(if call.header("webhook-id") == refused { 500 } else { 200 }));
        world.wait(1.hour()).await;
        happen(&company).await;
        world.wait(80.hours()).await;
        assert_eq!(delivery(&company, &bad).await["status"], "failed");
        assert_eq!(read(&company, &id).await["status"], "verified");
    });
}

#[test]
fn moving_the_clock_in_one_step_or_two_gives_the_same_tries() {
    on_both_engines(async |engine: Engine| {
        let mut logs = Vec::new();
        for steps in [vec![7_200], vec![60, 7_140], vec![1; 2].into_iter().chain([7_198]).collect()] {
            let world = engine.own_world_with(|setup| setup.seed = Some(5)).await;
            let (company, receiver) = (company(&world).await, Receiver::new());
            verified(&company, &receiver, &["Location"]).await;
            receiver.answer(|_| status(500));
            for _ in 0..3 {
                happen(&company).await;
            }
            let mut log = Vec::new();
            for seconds in steps {
                log.extend(world.wait(i64::from(seconds).seconds()).await);
            }
            logs.push(serde_json::to_string(&log).unwrap());
        }
        assert!(logs[0].contains("webhook.delivery"));
        assert_eq!(logs[0], logs[1]);
        assert_eq!(logs[0], logs[2]);
    });
}

#[test]
fn a_receiver_that_fails_keeps_the_test_clock_waiting_once_and_not_for_each_delivery() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, receiver) = (company(&world).await, Arc::new(Receiver::new()));
        verified(&company, &receiver, &["Location"]).await;
        let mut events = Vec::new();
        for _ in 0..9 {
            events.push(happen(&company).await);
        }
        let (answered, all) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
        let (most, heard) = (Arc::clone(&all), Arc::clone(&receiver));
        receiver.answer(move |_| {
            // The first one fails at once; the second one is answered when the others have come, too, or after a while.
            let until = Clock::monotonic() + Duration::from_secs(5);
            let second = answered.fetch_add(1, Ordering::SeqCst) == 1;
            while second && heard.events().len() < 9 && Clock::monotonic() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
            most.fetch_max(if second { heard.events().len() } else { 0 }, Ordering::SeqCst);
            status(500)
        });
        world.wait(1.second()).await;
        assert_eq!(all.load(Ordering::SeqCst), 9, "the others were made while one waited for its answer");
        // A receiver that works hears of events in their order.
        receiver.answer(|_| status(200));
        let before = receiver.events().len();
        let later = [happen(&company).await, happen(&company).await, happen(&company).await];
        world.wait(1.second()).await;
        let calls = receiver.events().split_off(before);
        let came: Vec<_> = calls.iter().map(|call| call.header("webhook-id").to_owned()).collect();
        let of_later: Vec<_> = came.iter().filter(|id| later.contains(id)).collect();
        assert_eq!(of_later, later.iter().collect::<Vec<_>>());
    });
}
