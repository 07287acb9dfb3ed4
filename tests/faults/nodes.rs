//! Two nodes on one PostgreSQL database deliver side by side: each event is delivered once as long as both live, and
//! when one of them is killed the other takes over what it had taken, once its leases have run out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::binary::{Running, run, stipend};
use crate::postgres;
use crate::receiver::{Receiver, status};
use crate::world::{PERSON, call, listed, subscribe, until};

/// Opens the figures of a node.
pub const METRICS: &str = "figures";
/// Writers on each node.
const WRITERS: usize = 2;

/// A database with a demo world, and what is needed to run nodes on it.
pub struct Database {
    url: String,
    folder: TempDir,
    report: Value,
}

impl Database {
    pub fn new(url: String) -> Self {
        let folder = TempDir::new().unwrap();
        let key = run(stipend().args(["keys", "new"]));
        std::fs::write(folder.path().join("key"), key.out).unwrap();
        let dev = Running::dev_with(
            &["--database-url", &url],
            &[("STIPEND_MASTER_KEY_FILE", key_file(&folder).as_str())],
        );
        let report = dev.report().clone();
        assert_eq!(dev.stop().0, Some(0));
        Self { url, folder, report }
    }

    pub fn node(&self) -> Running {
        self.node_at(&self.url)
    }

    /// A node that reaches the database by another way.
    pub fn node_at(&self, url: &str) -> Running {
        self.node_with(url, &[])
    }

    /// The same, with further settings.
    pub fn node_with(&self, url: &str, further: &[(&str, &str)]) -> Running {
        let settings = [
            ("STIPEND_WEBHOOK_PRIVATE_ADDRESSES", "true"),
            ("STIPEND_RATE_LIMIT", "0"),
            ("STIPEND_WEBHOOK_VERIFICATIONS", "0"),
            ("STIPEND_METRICS_TOKEN", METRICS),
        ];
        let key = key_file(&self.folder);
        Running::node(url, key.as_ref(), self.report.clone(), &[&settings[..], further].concat())
    }
}

fn key_file(folder: &TempDir) -> String {
    folder.path().join("key").display().to_string()
}

/// The tries that a node has made.
fn tries(node: &Running) -> u64 {
    figure(node, "webhook_tries_total")
}

/// The sum of those figures of a node whose names begin so.
pub fn figure(node: &Running, name: &str) -> u64 {
    let figures = node.call_as(&format!("Bearer {METRICS}"), "GET", "/metrics", "").unwrap();
    assert_eq!(figures.0, 200, "{}", figures.1);
    let counted = figures.1.lines().filter(|line| line.starts_with(name));
    counted.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
}

/// Makes people until told to stop, or until the node is gone.
fn write(node: &Running, stop: &AtomicBool) {
    let path = format!("/v1/companies/{}/employees", node.company());
    let bearer = format!("Bearer {}", node.token());
    while !stop.load(Ordering::Relaxed) {
        match node.call_as(&bearer, "POST", &path, PERSON) {
            Ok((code, answer)) => assert!(code == 201 || code == 503, "{code}: {answer}"),
            Err(_) => break, // killed
        }
    }
}

/// Writes on both nodes for a time, and does something at its end, while they still write.
fn load(nodes: [&Running; 2], time: Duration, at_the_end: impl FnOnce()) {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for node in nodes.into_iter().flat_map(|node| [node; WRITERS]) {
            scope.spawn(|| write(node, &stop));
        }
        std::thread::sleep(time);
        at_the_end();
        stop.store(true, Ordering::Relaxed);
    });
}

/// How often each event came.
pub fn times(receiver: &Receiver) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    for call in receiver.events() {
        *times.entry(call.header("webhook-id").to_owned()).or_default() += 1;
    }
    times
}

#[test]
fn two_nodes_share_the_work_and_one_takes_over_what_the_other_left() {
    let Some(server) = postgres::server() else { return };
    let database = Database::new(server.database());
    let (one, two) = (database.node(), database.node());
    let receiver = Receiver::new();
    // A receiver that takes its time, and answers one call after the other, keeps deliveries waiting: so the node that
    // is killed has some in its hands.
    receiver.answer(|_| {
        std::thread::sleep(Duration::from_millis(20));
        status(200)
    });
    subscribe(&one, &receiver);
    let known: Vec<_> = listed(&one).iter().map(|event| event["uuid"].clone()).collect();
    let expected = || -> Vec<String> {
        let listed = listed(&one);
        let new = listed.iter().filter(|event| !known.contains(&event["uuid"]));
        new.map(|event| event["uuid"].as_str().unwrap().to_owned()).collect()
    };
    let all_came = |what: &str| {
        let expected = expected();
        let waited = until(what, || {
            let times = times(&receiver);
            expected.iter().all(|id| times.contains_key(id))
        });
        (expected.len(), waited)
    };

    load([&one, &two], Duration::from_millis(700), || {});
    let (events, _) = all_came("both nodes together delivered every event");
    let (by_one, by_two) = (tries(&one), tries(&two));
    let twice = times(&receiver).values().filter(|times| **times > 1).count();
    println!(
        "two nodes: {events} events, {by_one} tries by one and {by_two} by the other, {twice} more than once"
    );
    assert_eq!(twice, 0, "as long as both live nothing is done twice");
    assert!(by_one > 0 && by_two > 0, "both work");

    load([&one, &two], Duration::from_millis(700), || two.kill_hard());
    let (all, waited) = all_came("the node that is left delivered what the other had taken");
    let twice = times(&receiver).values().filter(|times| **times > 1).count();
    println!(
        "one killed: {} further events, all there {waited:?} after the load, {twice} more than once",
        all - events
    );
    assert!(times(&receiver).values().all(|times| *times <= 2), "a lost lease is taken over once");
    // Nothing is left open.
    let subscriptions = call(&one, &system(&database), "GET", "/v1/webhook_subscriptions", "");
    let id = subscriptions[0]["uuid"].as_str().unwrap().to_owned();
    until("every outcome was stored", || {
        let path = format!("/v1/webhook_subscriptions/{id}/deliveries?status=open");
        call(&one, &system(&database), "GET", &path, "").as_array().unwrap().is_empty()
    });
}

/// Follows the list of events of a node until `over`, and then to its end: which events were seen, in their order. A list that is
/// refused, because too many number events at once, is asked for again.
fn follow(node: &Running, over: &AtomicBool) -> Vec<String> {
    let (mut seen, mut refused): (Vec<String>, usize) = (Vec::new(), 0);
    let bearer = format!("Bearer {}", node.report()["system_access_token"].as_str().unwrap());
    loop {
        // Looked at before the list: what is listed after it is the rest.
        let last = over.load(Ordering::Acquire);
        let after = seen.last().map_or_else(String::new, |id| format!("&starting_after_uuid={id}"));
        let path = format!("/v1/events?limit=100&event_type=employee.*{after}");
        let (status, page) = node.call_as(&bearer, "GET", &path, "").unwrap();
        if status == 503 {
            refused += 1;
            assert!(refused < 50, "{page}");
            continue;
        }
        assert_eq!(status, 200, "{page}");
        let page: Value = serde_json::from_str(&page).unwrap();
        let page = page.as_array().unwrap();
        if page.is_empty() && last {
            println!("{refused} lists were refused");
            return seen;
        }
        seen.extend(page.iter().map(|event| event["uuid"].as_str().unwrap().to_owned()));
    }
}

#[test]
fn whoever_follows_the_list_of_events_passes_none_over_however_many_nodes_number_them() {
    let Some(server) = postgres::server() else { return };
    let url = server.database();
    let database = Database::new(url.clone());
    let other = if postgres::citus::wanted() { server.at_worker(&url) } else { url };
    let nodes = [database.node(), database.node_at(&other)];
    let (over, time) = (AtomicBool::new(false), if crate::long() { 20 } else { 3 });
    let seen: Vec<_> = std::thread::scope(|scope| {
        let followers: Vec<_> = (0..4)
            .map(|reader| {
                scope.spawn({
                    let (node, over) = (&nodes[reader % 2], &over);
                    move || follow(node, over)
                })
            })
            .collect();
        load([&nodes[0], &nodes[1]], Duration::from_secs(time), || {});
        over.store(true, Ordering::Release);
        followers.into_iter().map(|follower| follower.join().unwrap()).collect()
    });
    let all: Vec<_> =
        listed(&nodes[0]).iter().map(|event| event["uuid"].as_str().unwrap().to_owned()).collect();
    println!("two nodes number {} events in {time} s; four follow the list", all.len());
    let once: BTreeSet<_> = all.iter().collect();
    assert_eq!(once.len(), all.len(), "no event is listed twice");
    for seen in seen {
        assert!(seen == all, "{} of {} were seen, or in another order", seen.len(), all.len());
    }
}

/// Makes people until told to stop; those who were acknowledged, and the refusals.
fn acknowledged(node: &Running, stop: &AtomicBool) -> (Vec<String>, usize) {
    let path = format!("/v1/companies/{}/employees", node.company());
    let bearer = format!("Bearer {}", node.token());
    let (mut told, mut refused) = (Vec::new(), 0);
    while !stop.load(Ordering::Relaxed) {
        match node.call_as(&bearer, "POST", &path, PERSON).unwrap() {
            (201, answer) => {
                let made: Value = serde_json::from_str(&answer).unwrap();
                told.push(made["uuid"].as_str().unwrap().to_owned());
            }
            (503, _) => refused += 1,
            (code, answer) => panic!("{code}: {answer}"),
        }
    }
    (told, refused)
}

#[test]
fn a_server_of_a_cluster_that_is_killed_under_writes_loses_nothing_that_was_acknowledged() {
    if !postgres::citus::wanted() {
        return;
    }
    let server = postgres::server().unwrap();
    let url = server.database();
    server.keeps_what_it_commits(&url);
    let database = Database::new(url.clone());
    let node = database.node();
    let (stop, time) = (AtomicBool::new(false), Duration::from_secs(if crate::long() { 10 } else { 3 }));
    let (told, refused) = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4).map(|_| scope.spawn(|| acknowledged(&node, &stop))).collect();
        std::thread::sleep(time);
        let killed = server.kill_home_of(&url, node.company());
        std::thread::sleep(time);
        server.revive(&killed);
        let bearer = format!("Bearer {}", node.token());
        let path = format!("/v1/companies/{}/employees", node.company());
        let back = until("writes are taken again", || {
            node.call_as(&bearer, "POST", &path, PERSON).unwrap().0 == 201
        });
        println!("back {} ms after the server was there again", back.as_millis());
        std::thread::sleep(time);
        stop.store(true, Ordering::Relaxed);
        let all = writers.into_iter().map(|writer| writer.join().unwrap());
        all.fold((Vec::new(), 0), |(mut told, refused), (some, more)| {
            told.extend(some);
            (told, refused + more)
        })
    });
    let there: BTreeSet<String> = {
        let bearer = format!("Bearer {}", node.token());
        let mut there = BTreeSet::new();
        let mut last = String::new();
        loop {
            let path = format!("/v1/companies/{}/employees?per=100{last}", node.company());
            let page = call(&node, &bearer, "GET", &path, "");
            let ids = page.as_array().unwrap().iter().map(|one| one["uuid"].as_str().unwrap().to_owned());
            let ids: Vec<_> = ids.collect();
            let Some(end) = ids.last() else { break there };
            last = format!("&starting_after_uuid={end}");
            there.extend(ids);
        }
    };
    let lost = told.iter().filter(|id| !there.contains(*id)).count();
    println!("a server killed: {} acknowledged, {refused} refused, {lost} lost", told.len());
    assert!(told.len() > 100 && refused > 0, "it was under load, and away");
    assert_eq!(lost, 0);
    // Each has its event, once.
    let entities: Vec<_> =
        listed(&node).iter().map(|event| event["entity_uuid"].as_str().unwrap().to_owned()).collect();
    let known: BTreeSet<_> = entities.iter().collect();
    assert!(told.iter().all(|id| known.contains(id)), "an acknowledged employee has no event");
}

fn system(database: &Database) -> String {
    format!("Bearer {}", database.report["system_access_token"].as_str().unwrap())
}
