//! One server of a cluster is down: its companies are not served, and nothing else changes. With STIPEND_TEST_CITUS=1
//! (tests/cluster/run).

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use store::Clock;

use crate::binary::Running;
use crate::nodes::{Database, METRICS, figure};
use crate::postgres;
use crate::receiver::Receiver;
use crate::world::{PERSON, call, subscribe, system, until};

/// Who knows no company: the feed of events is with its rows.
const NOBODY: &str = "00000000-0000-0000-0000-000000000000";
/// A company's answer, whatever it is.
const BOUND: Duration = Duration::from_secs(6);

/// A company with a token of its own.
pub struct Company {
    pub id: String,
    pub bearer: String,
    pub home: String,
}

impl Company {
    /// Makes a company: its id, and what its requests are authorized by.
    pub fn make(node: &Running, number: usize) -> (String, String) {
        let body = json!({ "user": { "first_name": "Nora", "last_name": "Lind", "email": format!("n{number}@people.example") },
                           "company": { "name": format!("Lind and Daughters {number}") } });
        let made = system(node, "POST", "/v1/partner_managed_companies", &body.to_string());
        let text = |key: &str| made[key].as_str().unwrap().to_owned();
        (text("company_uuid"), format!("Bearer {}", text("access_token")))
    }

    pub fn path(&self, rest: &str) -> String {
        format!("/v1/companies/{}/{rest}", self.id)
    }

    /// Status and body of a call, which must come in time.
    pub fn call(&self, node: &Running, method: &str, rest: &str, body: &str) -> (u16, String) {
        let begun = Clock::monotonic();
        let answer = node.call_as(&self.bearer, method, &self.path(rest), body).unwrap();
        assert!(since(begun) < BOUND, "{method} {rest} took {:?}: {answer:?}", since(begun));
        answer
    }

    /// Employs somebody, who is returned if that succeeded.
    fn employ(&self, node: &Running) -> Option<String> {
        let (code, answer) = self.call(node, "POST", "employees", PERSON);
        assert!(code == 201 || code == 503, "{code}: {answer}");
        let made: Value = serde_json::from_str(&answer).unwrap();
        (code == 201).then(|| made["uuid"].as_str().unwrap().to_owned())
    }
}

fn since(begun: Duration) -> Duration {
    Clock::monotonic().saturating_sub(begun)
}

/// The people whose events came.
fn heard(receiver: &Receiver) -> Vec<String> {
    let calls = receiver.events();
    let created = calls.iter().map(crate::receiver::Received::json);
    let created = created.filter(|event| event["event_type"] == "employee.created");
    created.map(|event| event["entity_uuid"].as_str().unwrap().to_owned()).collect()
}

/// How ready a node says it is, as its operator hears it.
pub fn readyz(node: &Running) -> (u16, String) {
    // With a query the helper leaves the token as it is.
    node.call_as(&format!("Bearer {METRICS}"), "GET", "/readyz?", "").unwrap()
}

/// Moves the shards of a table with this value to the server with the feed of events, whose loss is another test's.
fn move_to_feed(server: &postgres::Server, url: &str, table: &str, key: &str) {
    let (from, to) = (server.home_of(url, table, key), server.home_of(url, "event_feed", NOBODY));
    if from != to {
        server.run(
            url,
            &format!(
                "SELECT citus_move_shard_placement(get_shard_id_for_distribution_column('{table}', '{key}'::uuid), \
                 '127.0.0.1', {from}, '127.0.0.1', {to}, 'block_writes')"
            ),
        );
    }
}

#[test]
fn a_server_that_is_down_takes_its_own_companies_with_it_and_nothing_else() {
    if !postgres::citus::wanted() {
        return;
    }
    let server = postgres::server().unwrap();
    let url = server.database();
    server.keeps_what_it_commits(&url);
    let database = Database::new(url.clone());
    let node = database.node();
    let receiver = Receiver::new();
    subscribe(&node, &receiver);
    let application = server.run(&url, "SELECT DISTINCT application_id FROM webhook_subscriptions");
    move_to_feed(server, &url, "deliveries", &application);
    let feed = server.home_of(&url, "event_feed", NOBODY);
    let companies: Vec<Company> = (0..8)
        .map(|number| {
            let (id, bearer) = Company::make(&node, number);
            let home = server.home_of(&url, "companies", &id);
            Company { id, bearer, home }
        })
        .collect();
    let (left, gone): (Vec<&Company>, Vec<&Company>) =
        companies.iter().partition(|company| company.home == feed);
    assert!(!left.is_empty() && !gone.is_empty(), "both servers have companies");
    let victim = gone[0].home.clone();
    let mut employed: BTreeSet<String> =
        companies.iter().map(|company| company.employ(&node).unwrap()).collect();
    until("all events came", || heard(&receiver).len() == employed.len());
    let known = newest(&node);
    let beside = database.node_at(&server.at_port(&url, &victim));
    assert_eq!((readyz(&node).0, readyz(&beside).0, token(&node).0), (200, 200, 200));
    assert!(readyz(&node).1.contains("tables are distributed over the servers of the cluster"));

    let data = server.kill(&victim);
    // A company elsewhere is served at once, and all the time.
    for company in &left {
        employed.insert(company.employ(&node).expect("a company elsewhere"));
    }
    until("the node says which server is down", || readyz(&node).1.contains(&format!("127.0.0.1:{victim}")));
    assert_eq!(readyz(&node).0, 200, "{}", readyz(&node).1);
    until("the node beside the server that is down is not ready", || readyz(&beside).0 == 503);
    assert_eq!(figure(&node, "store_servers_silent"), 1);
    std::thread::sleep(Duration::from_secs(1));
    for company in &left {
        employed.insert(company.employ(&node).expect("a company elsewhere"));
        for rest in ["employees", "payrolls", "locations", "pay_schedules", "company_benefits", "contractors"]
        {
            let (code, answer) = company.call(&node, "GET", rest, "");
            assert_eq!(code, 200, "{rest}: {answer}");
        }
        let events = format!("/v1/events?limit=100&event_type=employee.created&resource_uuid={}", company.id);
        let listed = call(&node, &bearer(&node), "GET", &events, "");
        assert_eq!(listed.as_array().unwrap().len(), 3, "its events are listed: {listed}");
    }
    let (refused, took) = token(&node);
    assert!(refused == 503 && took < Duration::from_secs(1), "no tokens meanwhile: {refused} after {took:?}");
    for company in &gone {
        let begun = Clock::monotonic();
        assert_eq!(company.employ(&node), None);
        assert!(since(begun) < Duration::from_secs(1), "what is known costs no wait: {:?}", since(begun));
        let (code, answer) = company.call(&node, "GET", "employees", "");
        assert_eq!(code, 503, "{answer}");
    }
    let waited = until("the events of companies elsewhere came", || heard(&receiver).len() >= employed.len());
    println!("with a server down, {} events came within {waited:?}", employed.len());
    // Whoever follows the list of all events goes on from the last one that was read.
    let path = format!("/v1/events?limit=100&event_type=employee.created&starting_after_uuid={known}");
    let listed = call(&node, &bearer(&node), "GET", &path, "");
    assert_eq!(listed.as_array().unwrap().len(), 2 * left.len(), "{listed}");
    // A node may start meanwhile.
    let late = database.node();
    assert_eq!(readyz(&late).0, 200);
    employed.insert(left[0].employ(&late).expect("a company elsewhere"));

    server.revive(&data);
    until("the companies are served again", || {
        gone.iter().all(|company| {
            let made = company.employ(&node);
            let is_served = made.is_some();
            employed.extend(made);
            is_served
        })
    });
    until("no server is missing", || !readyz(&node).1.contains("do not answer"));
    assert_eq!(token(&node).0, 200, "tokens are issued again");
    until("every event came", || heard(&receiver).iter().collect::<BTreeSet<_>>().len() == employed.len());
    let heard: BTreeSet<String> = heard(&receiver).into_iter().collect();
    assert_eq!(heard, employed, "each of those who were acknowledged, and nobody else");
}

fn bearer(node: &Running) -> String {
    format!("Bearer {}", node.report()["system_access_token"].as_str().unwrap())
}

/// Asks for a system token: the status of the answer, and how long it took.
fn token(node: &Running) -> (u16, Duration) {
    let text = |key: &str| node.report()["application"][key].clone();
    let body = json!({ "grant_type": "system_access", "client_id": text("client_id"), "client_secret": text("client_secret") });
    let begun = Clock::monotonic();
    let (status, _) = node.call_as("", "POST", "/oauth/token", &body.to_string()).unwrap();
    (status, since(begun))
}

/// The newest event of an employee.
fn newest(node: &Running) -> String {
    let path = "/v1/events?limit=1&event_type=employee.created&sort_order=desc";
    let listed = call(node, &bearer(node), "GET", path, "");
    listed[0]["uuid"].as_str().unwrap().to_owned()
}
