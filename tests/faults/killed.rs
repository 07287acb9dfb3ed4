//! kill -9 at any moment, again and again, under load: what was acknowledged is delivered, with a right signature, and
//! nothing is delivered that was not committed. Twenty times, or two hundred with STIPEND_LONG=1.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use background::delivery::sign;

use crate::binary::Running;
use crate::receiver::Receiver;
use crate::world::{Home, PERSON, listed, subscribe, system, until};

const WRITERS: usize = 4;

/// Writes until told to stop, or until the service is gone. Returns the people that were acknowledged.
fn write(service: &Running, stop: &AtomicBool) -> Vec<String> {
    let path = format!("/v1/companies/{}/employees", service.company());
    let bearer = format!("Bearer {}", service.token());
    let refused = PERSON.replace("Robin", "");
    let mut acknowledged = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        match service.call_as(&bearer, "POST", &path, PERSON) {
            Ok((201, answer)) => {
                let made: serde_json::Value = serde_json::from_str(&answer).unwrap();
                acknowledged.push(made["uuid"].as_str().unwrap().to_owned());
            }
            Ok((status, answer)) => assert_eq!(status, 503, "{answer}"),
            Err(_) => break, // killed
        }
        if let Ok((status, answer)) = service.call_as(&bearer, "POST", &path, &refused) {
            assert!(status == 422 || status == 503, "{status}: {answer}");
        }
    }
    acknowledged
}

#[test]
fn every_committed_event_is_delivered_with_a_right_signature_and_no_other() {
    let kills = if crate::long() { 200 } else { 20 };
    let (home, receiver) = (Home::new(), Receiver::new());
    let mut service = home.start();
    let (_, token) = subscribe(&service, &receiver);
    let acknowledged = Mutex::new(Vec::new());
    for round in 0..kills {
        let stop = Arc::new(AtomicBool::new(false));
        std::thread::scope(|scope| {
            for _ in 0..WRITERS {
                scope.spawn(|| {
                    let some = write(&service, &stop);
                    acknowledged.lock().unwrap().extend(some);
                });
            }
            // Moments that are spread over what the service does: the start, full load, a group commit, a delivery.
            std::thread::sleep(Duration::from_millis(40 + (round * 37) % 210));
            service.kill_hard();
            stop.store(true, Ordering::Relaxed);
        });
        service = home.start();
    }
    let committed = listed(&service);
    let ids: BTreeSet<_> = committed.iter().map(|event| event["uuid"].as_str().unwrap().to_owned()).collect();
    let entities: BTreeSet<_> =
        committed.iter().map(|event| event["entity_uuid"].as_str().unwrap()).collect();
    let acknowledged = acknowledged.into_inner().unwrap();
    let lost: Vec<_> = acknowledged.iter().filter(|id| !entities.contains(id.as_str())).collect();
    assert!(lost.is_empty(), "acknowledged, but without an event: {lost:?}");

    // What was on its way when the process died is due when its lease has run out; the clock can be moved.
    system(&service, "POST", "/v1/test_helpers/clock/advance", r#"{"seconds": 120}"#);
    let delivered = || {
        let calls = receiver.events();
        calls.into_iter().map(|call| call.header("webhook-id").to_owned()).collect::<BTreeSet<_>>()
    };
    until("every committed event of the subscription was delivered", || {
        delivered().is_superset(&since(&receiver, &ids))
    });
    let calls = receiver.events();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for call in &calls {
        let signature = sign::service_signature(&token, call.body.as_bytes());
        assert_eq!(call.header("x-service-signature"), signature, "a wrong signature");
        let (id, time) = (call.header("webhook-id"), call.header("webhook-timestamp"));
        assert_eq!(
            call.header("webhook-signature"),
            sign::standard_signature(&token, id, time, call.body.as_bytes())
        );
        assert_eq!(call.json()["uuid"], id);
        assert!(ids.contains(id), "an event that was never committed was delivered: {}", call.body);
        *times.entry(call.header("webhook-id")).or_default() += 1;
    }
    let missing = since(&receiver, &ids).into_iter().filter(|id| !times.contains_key(id.as_str())).count();
    let again = calls.len() - times.len();
    println!(
        "{kills} kills: {} acknowledged, {} committed, {} delivered in {} calls, {missing} missing",
        acknowledged.len(),
        ids.len(),
        times.len(),
        calls.len(),
    );
    println!(
        "duplicates: {again} calls, {} of a thousand, {} a kill",
        again * 1_000 / calls.len().max(1),
        again / kills as usize,
    );
    assert_eq!(missing, 0);
    assert!(acknowledged.len() > kills as usize, "the service was under load");
}

/// The events since the first that was delivered: what came before the verification is not delivered.
fn since(receiver: &Receiver, ids: &BTreeSet<String>) -> BTreeSet<String> {
    let first =
        receiver.events().iter().map(|call| call.header("webhook-id").to_owned()).min().unwrap_or_default();
    ids.iter().filter(|id| **id >= first).cloned().collect()
}
