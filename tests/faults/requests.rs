//! Requests that lose their answer, that meet each other, or that run while the service is told to stop.
//!
//! R3: answers lost after the commit, asked for again with the key. R14: many updates of one version at once. R16:
//! SIGTERM under load. Their figures are printed; STIPEND_LONG=1 takes the long form.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::binary::Running;
use crate::wire::{Answer, send};
use crate::world::{Home, call};

fn company(service: &Running) -> String {
    format!("/v1/companies/{}/employees", service.company())
}

fn read(service: &Running, path: &str) -> Value {
    call(service, &format!("Bearer {}", service.token()), "GET", path, "")
}

/// A number in letters, as names hold no digits.
pub fn word(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

/// The last names of everybody in the company that begin with `start`.
pub fn names(service: &Running, start: &str) -> Vec<String> {
    let mut found = Vec::new();
    for page in 1.. {
        let some = read(service, &format!("{}?page={page}&per=100", company(service)));
        let some = some.as_array().unwrap().clone();
        let names = some.iter().map(|one| one["last_name"].as_str().unwrap().to_owned());
        found.extend(names.filter(|name| name.starts_with(start)));
        if some.len() < 100 {
            break;
        }
    }
    found
}

#[test]
fn r3_a_request_that_lost_its_answer_takes_effect_once_however_often_it_is_sent_again() {
    let count = if crate::long() { 10_000 } else { 400 };
    let home = Home::new();
    let service = home.start();
    let (path, next, unanswered) = (company(&service), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        break;
                    }
                    let body = format!(r#"{{"first_name":"Robin","last_name":"Lost {}"}}"#, word(number));
                    let key = format!("idempotency-key: lost-{number}\r\n");
                    let again = || send(&service, "POST", &path, &key, &body).unwrap();
                    // The connection ends at moments spread over everything that the service does with it.
                    let sent = again();
                    std::thread::sleep(Duration::from_micros((number as u64 * 137) % 6_000));
                    drop(sent);
                    unanswered.fetch_add(1, Ordering::Relaxed);
                    let first = again().read();
                    assert!(matches!(first, Answer::Whole(201, _)), "{first:?}");
                    assert_eq!(again().read(), first, "the same answer, byte for byte");
                }
            });
        }
    });
    let made = names(&service, "Lost ");
    let once: BTreeSet<_> = made.iter().collect();
    println!(
        "R3: {} answers thrown away, {} effects, {} doubles",
        unanswered.into_inner(),
        once.len(),
        made.len() - once.len()
    );
    assert_eq!((made.len(), once.len()), (count, count));
}

#[test]
fn r14_of_many_updates_of_one_version_one_wins() {
    let rounds = if crate::long() { 1_000 } else { 50 };
    let home = Home::new();
    let service = home.start();
    let employee = service.report()["companies"][0]["employees"][0]["uuid"].as_str().unwrap().to_owned();
    let path = format!("/v1/employees/{employee}");
    let mut lost = 0;
    for round in 0..rounds {
        let version = read(&service, &path)["version"].as_str().unwrap().to_owned();
        let answers = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for writer in 0..64 {
                let (service, path, version, answers) = (&service, &path, &version, &answers);
                scope.spawn(move || {
                    let name = word(round * 64 + writer);
                    let body = format!(r#"{{"version":"{version}","preferred_first_name":"{name}"}}"#);
                    let answer = send(service, "PUT", path, "", &body).unwrap().read();
                    answers.lock().unwrap().push((writer, answer));
                });
            }
        });
        let mut won = Vec::new();
        for (writer, answer) in answers.into_inner().unwrap() {
            match answer {
                Answer::Whole(200, _) => won.push(writer),
                Answer::Whole(409, _) => lost += 1,
                other => panic!("neither accepted nor refused as stale: {other:?}"),
            }
        }
        let [winner] = won[..] else { panic!("{won:?} won in round {round}") };
        let now = read(&service, &path);
        assert_eq!(now["preferred_first_name"], word(round * 64 + winner), "what the winner wrote");
    }
    println!("R14: {rounds} rounds of 64: one won each, {lost} refused as stale");
}

#[test]
fn r16_a_service_that_is_told_to_stop_under_load_answers_what_it_took_and_keeps_it() {
    let rounds = if crate::long() { 50 } else { 5 };
    let home = Home::new();
    let (mut acknowledged, mut longest) = (Vec::new(), Duration::ZERO);
    for round in 0..rounds {
        let service = home.start();
        let (path, stop, told) = (company(&service), AtomicBool::new(false), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let (service, path, stop, told) = (&service, &path, &stop, &told);
                scope.spawn(move || {
                    for number in 0.. {
                        let name = format!("Stop {} {} {}", word(round), word(writer), word(number));
                        let body = format!(r#"{{"first_name":"Robin","last_name":"{name}"}}"#);
                        // Nobody listens any more: the end.
                        let Ok(sent) = send(service, "POST", path, "", &body) else { break };
                        match sent.read() {
                            Answer::Whole(201, _) => told.lock().unwrap().push(name),
                            Answer::Whole(503, _) => {}
                            Answer::None if stop.load(Ordering::Relaxed) => break,
                            other => panic!("a request was cut: {other:?}"),
                        }
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(300));
            stop.store(true, Ordering::Relaxed);
            service.signal();
        });
        #[expect(
            clippy::disallowed_methods,
            reason = "how long a test waits is no matter of the service's clock"
        )]
        let started = Instant::now();
        let (code, _) = service.stop();
        longest = longest.max(started.elapsed());
        assert_eq!(code, Some(0), "it ends as asked");
        acknowledged.extend(told.into_inner().unwrap());
    }
    let service = home.start();
    let kept: BTreeSet<_> = names(&service, "Stop ").into_iter().collect();
    let lost: Vec<_> = acknowledged.iter().filter(|name| !kept.contains(*name)).collect();
    println!(
        "R16: {rounds} stops, {} acknowledged, {} lost, {longest:?} to the end at most",
        acknowledged.len(),
        lost.len()
    );
    assert!(lost.is_empty(), "{lost:?}");
    assert!(acknowledged.len() > rounds * 8, "the service was under load");
    assert!(longest < Duration::from_secs(10));
}

#[test]
fn r18_a_copy_made_while_others_write_is_one_committed_state() {
    let rounds = if crate::long() { 20 } else { 3 };
    let home = Home::new();
    let service = home.start();
    let path = company(&service);
    for round in 0..rounds {
        let (stop, before) = (AtomicBool::new(false), Mutex::new(Vec::new()));
        let copy = std::thread::scope(|scope| {
            let writers: Vec<_> = (0..4)
                .map(|writer| {
                    let (service, path, stop) = (&service, &path, &stop);
                    scope.spawn(move || {
                        let mut written = Vec::new();
                        while !stop.load(Ordering::Relaxed) {
                            let name =
                                format!("Copy {} {} {}", word(round), word(writer), word(written.len()));
                            let body = format!(r#"{{"first_name":"Robin","last_name":"{name}"}}"#);
                            let answer = send(service, "POST", path, "", &body).unwrap().read();
                            assert!(matches!(answer, Answer::Whole(201, _)), "{answer:?}");
                            written.push(name);
                        }
                        written
                    })
                })
                .collect();
            std::thread::sleep(Duration::from_millis(200));
            let copy = home.copy();
            stop.store(true, Ordering::Relaxed);
            *before.lock().unwrap() = writers.into_iter().map(|writer| writer.join().unwrap()).collect();
            copy
        });
        let restored = copy.start();
        let kept: BTreeSet<_> = names(&restored, &format!("Copy {} ", word(round))).into_iter().collect();
        for written in before.into_inner().unwrap() {
            let has: Vec<_> = written.iter().map(|name| kept.contains(name)).collect();
            let there = has.iter().take_while(|has| **has).count();
            assert!(
                has[there..].iter().all(|has| !has),
                "what one writer wrote is there up to a moment, and no further"
            );
        }
        println!("R18: a copy with {} of the writers' records opens and answers", kept.len());
        assert!(!kept.is_empty());
        restored.stop();
    }
}
