//! A long load on a cluster with three workers, of which one after the other is killed and comes back: what was acknowledged is
//! there, every event is delivered and listed, and as many requests are refused as concern the companies of the server that is
//! away. With STIPEND_TEST_CITUS=1 (tests/cluster/run). A minute and a half; ten minutes with STIPEND_LONG=1; or as many seconds
//! as STIPEND_OUTAGES_SECONDS says.
//!
//! There is an outage every ten minutes, and three at least, so that each worker is away once, the one with the feed of events
//! among them. Ten requests a second go to the companies in turn, at the moment that is theirs whatever became of those before,
//! and to a node that says it is ready, as a load balancer would send them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use store::Clock;

use crate::binary::Running;
use crate::nodes::{Database, times};
use crate::postgres::{self, Server};
use crate::receiver::Receiver;
use crate::server_down::{Company, readyz};
use crate::world::{PERSON, listed, subscribe, until};

const WORKERS: usize = 3;
const COMPANIES: usize = 24;
/// As docs/operations.md advises.
const SHARDS: usize = 12;
/// Between two requests.
const PACE: Duration = Duration::from_millis(100);
/// Enough for the requests that wait at once when a server has just gone: each up to five seconds.
const SENDERS: usize = 48;
/// How long a server is away in a long run, and in a short one for two fifths of the time between two outages.
const AWAY: Duration = Duration::from_mins(2);

/// One request.
struct Sent {
    company: usize,
    at: Duration,
    took: Duration,
    /// whether it was answered 503
    was_refused: bool,
}

/// A time in which a server was away, until every node noticed that it is back.
struct Outage {
    server: String,
    from: Duration,
    to: Duration,
}

/// What everybody works on.
struct Load<'a> {
    nodes: &'a [Running],
    ready: [AtomicBool; 2],
    companies: &'a [Company],
    begun: Duration,
    length: Duration,
    next: AtomicUsize,
    /// the employees who were acknowledged, by company
    employed: Vec<Mutex<Vec<String>>>,
    over: AtomicBool,
}

impl Load<'_> {
    fn now(&self) -> Duration {
        Clock::monotonic().saturating_sub(self.begun)
    }

    /// Waits until this time of the load, or its end.
    fn wait(&self, time: Duration) {
        while self.now() < time && !self.over.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A node that was ready when it was asked last.
    fn node(&self, number: usize) -> &Running {
        let count = self.nodes.len();
        let of_turn = (number..number + count).map(|node| node % count);
        let ready = of_turn.into_iter().find(|node| self.ready[*node].load(Ordering::Relaxed));
        &self.nodes[ready.unwrap_or(0)]
    }

    /// Sends the requests whose turn comes, until the time is over.
    fn send(&self) -> Vec<Sent> {
        let mut sent = Vec::new();
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let at = PACE * u32::try_from(number).unwrap();
            if at >= self.length || self.over.load(Ordering::Relaxed) {
                return sent;
            }
            std::thread::sleep(at.saturating_sub(self.now()));
            let company = number % self.companies.len();
            let begun = self.now();
            let code = self.request(number, company);
            sent.push(Sent {
                company,
                at: begun,
                took: self.now().saturating_sub(begun),
                was_refused: code == 503,
            });
        }
    }

    /// The companies in turn, each with the four kinds of requests in turn: its status.
    fn request(&self, number: usize, company: usize) -> u16 {
        let round = number / self.companies.len();
        // Each company comes with each kind of request to each node.
        let (node, of) = (self.node(number + round / 4), &self.companies[company]);
        let known = || self.employed[company].lock().unwrap_or_else(PoisonError::into_inner);
        let newest = known().last().cloned();
        let (method, path) = match (round % 4, newest) {
            (1, Some(employee)) => ("GET", format!("/v1/employees/{employee}")),
            (2, _) => ("GET", of.path("employees?per=25")),
            (3, _) => ("GET", of.path("payrolls")),
            _ => ("POST", of.path("employees")),
        };
        let body = if method == "POST" { PERSON } else { "" };
        let (code, answer) = node.call_as(&of.bearer, method, &path, body).unwrap();
        assert!([200, 201, 503].contains(&code), "{method} {path} was answered {code}: {answer}");
        if code == 201 {
            let made: Value = serde_json::from_str(&answer).unwrap();
            known().push(made["uuid"].as_str().unwrap().to_owned());
        }
        code
    }

    /// Asks the nodes every second whether they are ready.
    fn balance(&self) {
        while !self.over.load(Ordering::Relaxed) {
            for (node, ready) in self.nodes.iter().zip(&self.ready) {
                ready.store(readyz(node).0 == 200, Ordering::Relaxed);
            }
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    /// Follows the list of all events to its end: which were seen, in their order, and how often the list was refused.
    fn follow(&self) -> (Vec<String>, usize) {
        let (mut seen, mut refused): (Vec<String>, usize) = (Vec::new(), 0);
        loop {
            // Looked at before the list: what is listed after it is the rest.
            let last = self.over.load(Ordering::Acquire);
            let after = seen.last().map_or_else(String::new, |id| format!("&starting_after_uuid={id}"));
            let path = format!("/v1/events?limit=100&event_type=employee.*{after}");
            let node = self.node(0);
            let token = node.report()["system_access_token"].as_str().unwrap();
            let (code, page) = node.call_as(&format!("Bearer {token}"), "GET", &path, "").unwrap();
            assert!(code == 200 || code == 503 && !last, "{code}: {page}");
            refused += usize::from(code == 503);
            let page: Value =
                if code == 200 { serde_json::from_str(&page).unwrap() } else { Value::Array(Vec::new()) };
            let page = page.as_array().unwrap();
            seen.extend(page.iter().map(|event| event["uuid"].as_str().unwrap().to_owned()));
            match (page.is_empty(), last) {
                (true, true) => return (seen, refused),
                (true, false) => std::thread::sleep(Duration::from_secs(1)),
                (false, _) => {}
            }
        }
    }

    /// Kills one server after the other, and starts it again: when each was away.
    fn outages(&self, server: &Server, homes: &[String]) -> Vec<Outage> {
        let count = (self.length.as_secs() / 600).max(3);
        let period = self.length / u32::try_from(count).unwrap();
        let away = AWAY.min(period * 2 / 5);
        let servers: BTreeSet<&String> = homes.iter().collect();
        let turns = servers.iter().cycle().zip(0_u32..).take(usize::try_from(count).unwrap());
        let outage = |(port, turn): (&&String, u32)| {
            self.wait(period * turn + (period - away) / 2);
            let from = self.now();
            let data = server.kill(port);
            self.wait(from + away);
            server.revive(&data);
            let again = self.now();
            until("every node is ready, and misses no server", || {
                self.nodes
                    .iter()
                    .map(readyz)
                    .all(|(code, said)| code == 200 && !said.contains("do not answer"))
            });
            let to = self.now();
            println!(
                "{:>5} s: server {port} away for {} s, and back {:?} later",
                from.as_secs(),
                (again - from).as_secs(),
                to - again
            );
            Outage { server: (*port).clone(), from, to }
        };
        turns.map(outage).collect()
    }
}

/// The given part of the latencies of requests, in milliseconds.
fn quantile(sent: &[&Sent], hundredths: usize) -> u128 {
    let mut all: Vec<_> = sent.iter().map(|one| one.took.as_millis()).collect();
    all.sort_unstable();
    all.get(all.len() * hundredths / 100).copied().unwrap_or_default()
}

/// As many requests are refused as there are companies on the server that is away, within a tenth; whatever was refused
/// elsewhere or at another time counts against it. In a short run, within a third: the seconds in which a server comes back are
/// a good part of its outage.
fn refusals(sent: &[Sent], outages: &[Outage], homes: &[String], length: Duration) {
    let part = if length < Duration::from_mins(10) { 3 } else { 10 };
    let (mut refused_of_all, mut expected_of_all) = (0, 0);
    for outage in outages {
        let during: Vec<_> = sent.iter().filter(|one| (outage.from..outage.to).contains(&one.at)).collect();
        let (gone, left): (Vec<_>, Vec<_>) =
            during.iter().partition(|one| homes[one.company] == outage.server);
        let refused = |some: &[&Sent]| some.iter().filter(|one| one.was_refused).count();
        let companies = homes.iter().filter(|home| **home == outage.server).count();
        println!(
            "server {} away: {companies} of {} companies; {} of {} requests refused: {} of {} for its companies, {} of {} for \
             others; others were answered within {} ms (p50), {} ms (p99)",
            outage.server,
            homes.len(),
            refused(&during),
            during.len(),
            refused(&gone),
            gone.len(),
            refused(&left),
            left.len(),
            quantile(&left, 50),
            quantile(&left, 99),
        );
        expected_of_all += during.len() * companies;
        refused_of_all += refused(&during) * homes.len();
    }
    let between: Vec<_> = sent
        .iter()
        .filter(|one| outages.iter().all(|outage| !(outage.from..outage.to).contains(&one.at)))
        .collect();
    let refused_between = between.iter().filter(|one| one.was_refused).count();
    refused_of_all += refused_between * homes.len();
    println!(
        "no server away: {refused_between} of {} requests refused; answered within {} ms (p50), {} ms (p99)",
        between.len(),
        quantile(&between, 50),
        quantile(&between, 99)
    );
    println!(
        "refused: {} per mille of what the companies on the servers that were away asked",
        refused_of_all * 1_000 / expected_of_all
    );
    assert!(
        refused_of_all.abs_diff(expected_of_all) * part <= expected_of_all,
        "the share of refused requests is not that of the companies on the server that is away"
    );
}

/// Who is employed at a company.
fn people(node: &Running, company: &Company) -> BTreeSet<String> {
    let mut there = BTreeSet::new();
    for page in 1.. {
        let (code, some) = company.call(node, "GET", &format!("employees?page={page}&per=100"), "");
        assert_eq!(code, 200, "{some}");
        let some: Value = serde_json::from_str(&some).unwrap();
        let some = some.as_array().unwrap();
        there.extend(some.iter().map(|one| one["uuid"].as_str().unwrap().to_owned()));
        if some.len() < 100 {
            break;
        }
    }
    there
}

/// Nothing that was acknowledged is lost, and each has its event: listed once, and delivered.
fn complete(load: &Load<'_>, receiver: &Receiver, seen: &[String]) {
    let node = load.node(0);
    let (mut told, mut lost) = (BTreeSet::new(), 0);
    for (company, employed) in load.companies.iter().zip(&load.employed) {
        let there = people(node, company);
        let employed = employed.lock().unwrap();
        lost += employed.iter().filter(|employee| !there.contains(*employee)).count();
        told.extend(employed.iter().cloned());
    }
    let all = listed(node);
    let created = all.iter().filter(|event| event["event_type"] == "employee.created");
    let created: Vec<_> = created.map(|event| event["entity_uuid"].as_str().unwrap()).collect();
    let once: BTreeSet<&str> = created.iter().copied().collect();
    let without_event = told.iter().filter(|employee| !once.contains(employee.as_str())).count();
    // Events of the demo world are older than the subscription.
    let ours: BTreeSet<&str> = load.companies.iter().map(|company| company.id.as_str()).collect();
    let due = all.iter().filter(|event| ours.contains(event["resource_uuid"].as_str().unwrap()));
    let due: Vec<&str> = due.map(|event| event["uuid"].as_str().unwrap()).collect();
    let mut heard = BTreeMap::new();
    let waited = until("every event was delivered", || {
        heard = times(receiver);
        due.iter().all(|id| heard.contains_key(*id))
    });
    let twice = heard.values().filter(|times| **times > 1).count();
    let ids: Vec<&str> = all.iter().map(|event| event["uuid"].as_str().unwrap()).collect();
    println!(
        "{} employees acknowledged, {lost} lost, {without_event} without an event; {} events listed, {} followed, {} delivered \
         ({waited:?} after the load), {twice} more than once",
        told.len(),
        ids.len(),
        seen.len(),
        heard.len(),
    );
    assert_eq!((lost, without_event), (0, 0));
    assert_eq!(once.len(), created.len(), "no employee has two events");
    assert!(seen == ids, "whoever followed the list saw every event, once and in order");
}

/// The cluster's companies, and the port of each one's server.
fn founded(server: &Server, url: &str, node: &Running) -> (Vec<Company>, Vec<String>) {
    let found = |number| {
        let (id, bearer) = Company::make(node, number);
        let home = server.home_of(url, "companies", &id);
        (Company { id, bearer, home: home.clone() }, home)
    };
    (0..COMPANIES).map(found).unzip()
}

/// Ends a load, also when a check of it has failed.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[test]
fn servers_that_are_lost_under_load_cost_their_own_companies_requests_and_nobody_a_record_or_an_event() {
    let Some(server) = postgres::citus::own_cluster(WORKERS) else { return };
    let seconds = std::env::var("STIPEND_OUTAGES_SECONDS").ok().map(|text| text.parse().unwrap());
    let length = Duration::from_secs(seconds.unwrap_or(if crate::long() { 600 } else { 90 }));
    let url = server.database();
    server.keeps_what_it_commits(&url);
    let name = url.rsplit('/').next().unwrap();
    server.run(&url, &format!("ALTER DATABASE {name} SET citus.shard_count = {SHARDS}"));
    let database = Database::new(url.clone());
    let nodes = [database.node(), database.node_at(&server.at_worker(&url))];
    let receiver = Receiver::new();
    subscribe(&nodes[0], &receiver);
    let (companies, homes) = founded(&server, &url, &nodes[0]);
    assert_eq!(homes.iter().collect::<BTreeSet<_>>().len(), WORKERS, "each has companies: {homes:?}");
    let load = Load {
        nodes: &nodes,
        ready: [AtomicBool::new(true), AtomicBool::new(true)],
        companies: &companies,
        begun: Clock::monotonic(),
        length,
        next: AtomicUsize::new(0),
        employed: companies.iter().map(|_| Mutex::default()).collect(),
        over: AtomicBool::new(false),
    };
    println!("{} s of load, a request every {} ms", length.as_secs(), PACE.as_millis());
    let (sent, outages, (seen, lists_refused)) = std::thread::scope(|scope| {
        let end = End(&load.over);
        let follower = scope.spawn(|| load.follow());
        scope.spawn(|| load.balance());
        let outages = scope.spawn(|| load.outages(&server, &homes));
        let senders: Vec<_> = (0..SENDERS).map(|_| scope.spawn(|| load.send())).collect();
        let sent: Vec<Sent> = senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect();
        let outages = outages.join().unwrap();
        drop(end);
        (sent, outages, follower.join().unwrap())
    });
    println!("{} requests; the list of events was refused {lists_refused} times", sent.len());
    complete(&load, &receiver, &seen);
    refusals(&sent, &outages, &homes, length);
}
