//! How often a request waits for a database server. Each wait costs the service more than what it asks for, so that a statement
//! that comes to wait for itself again is seen here.

use serde_json::json;

use crate::line::Line;
use crate::postgres_server;
use crate::support::{Company, Engine, World};

/// Requests that are counted, and those before them: each connection has its statements prepared once, and learns which
/// units wait once.
const COUNTED: u64 = 12;
const BEFORE: u64 = 40;
/// What may come in between: a token is looked up again after a while.
const OTHERS: u64 = 3;

/// A company whose store is reached by a line that counts.
async fn company() -> Option<(Line, Company)> {
    postgres_server::server()?;
    let mut place = Engine::Postgres.empty_database();
    let (before, name) = place.url.rsplit_once('/')?;
    let (address, port) = before.rsplit_once(':')?;
    let line = Line::to(port.parse().ok()?);
    place.url = format!("{address}:{}/{name}", line.port);
    let company = World::open(place, |_| {}).await.company().await;
    Some((line, company))
}

/// How often the server was sent something for one request, at most.
async fn sent(line: &Line, mut request: impl AsyncFnMut(u64)) -> u64 {
    for number in 0..BEFORE {
        request(number).await;
    }
    let before = line.sent();
    for number in BEFORE..BEFORE + COUNTED {
        request(number).await;
    }
    let sent = line.sent() - before;
    assert!(sent >= COUNTED, "{sent} for {COUNTED} requests: they do not go through the line");
    (sent - OTHERS.min(sent)).div_ceil(COUNTED)
}

#[test]
fn a_read_is_sent_at_once_a_list_in_two_and_a_create_with_its_commit_in_two() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let Some((line, company)) = company().await else { return };
        let create = async |number: u64| {
            let person = json!({ "first_name": "Ada", "last_name": format!("Number {number}") });
            let call = company.call("POST", "/v1/companies/{company}/employees").json(&person);
            call.header("Idempotency-Key", format!("key-{number}")).send().await.is(201);
        };
        // Whether the key was used before, and everything else with COMMIT.
        assert_eq!(sent(&line, create).await, 2, "a create");

        let all = company.get("/v1/companies/{company}/employees").await;
        let ids: Vec<String> = all
            .is(200)
            .json()
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["uuid"].as_str().unwrap().to_owned())
            .collect();
        let read = async |number: u64| {
            company.get(format!("/v1/employees/{}", ids[number as usize % ids.len()])).await.is(200);
        };
        // The employee and what belongs to it are one group of statements, without BEGIN and COMMIT.
        assert_eq!(sent(&line, read).await, 1, "a read");

        let list = async |_| {
            company.get("/v1/companies/{company}/employees?page=1&per=25").await.is(200);
        };
        // The page; what belongs to those on it, and the count; and the end, which nobody waits for.
        assert_eq!(sent(&line, list).await, 3, "a list");
    });
}
