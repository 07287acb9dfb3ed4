//! Speed of webhooks: `cargo bench -p stipend --bench webhooks`.
//!
//! Events are committed, delivered to a receiver on this machine and their outcomes stored, all in one process; in the
//! same run the same HTTP client signs and posts the same payload in a bare loop, with as many calls in flight. The
//! ratio of the two is what counts. It is measured as the tables of past deliveries grow: `--past 10000,1000000` names
//! how many they hold.

#![allow(clippy::float_arithmetic, clippy::unwrap_used, clippy::expect_used, reason = "figures for people")]

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use background::delivery;
use background::delivery::client::Sender;
use background::delivery::sign;
use domain::Error;
use domain::access::{applications, connections};
use domain::company::companies;
use domain::events::webhooks::outbox;
use domain::events::webhooks::rows as subscriptions;
use domain::events::webhooks::rows::Secret;
use domain::events::webhooks::types::{SubscriptionStatus, Types};
use domain::{SCHEMA, events};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use interface::config::Settings;
use jiff::Timestamp;
use pages::routes;
use store::{Clock, MasterKeys, Options, Store, Tx, params};
use tokio::sync::watch;
use uuid::Uuid;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

store::statements! {
    OPEN = "SELECT count(*) FROM deliveries WHERE state = 'open'";
    DELIVERED = "SELECT count(*) FROM deliveries";
    PAST = "INSERT INTO deliveries (application_id, subscription_id, event_id, company_id, event_type, state, lane, due, claims, used, tries, first_try_at, created_at, finished_at) \
            VALUES ($1, $2, $3, $4, 'location.created', 'delivered', 0, $5, 1, 0, 1, $5, $5, $5)";
    PAST_TRY = "INSERT INTO delivery_tries (application_id, subscription_id, event_id, number, at, status, micros, response_start) \
                VALUES ($1, $2, $3, 1, $4, 200, 700, '')";
}

const IN_FLIGHT: usize = 256;
const SECRET: &str = "2f0c3d6e-5b1a-4c7d-9e8f-0a1b2c3d4e5f";

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let number = |name: &str, otherwise: usize| {
        let at = words.iter().position(|word| word == name);
        at.and_then(|at| words.get(at + 1)?.parse().ok()).unwrap_or(otherwise)
    };
    let (count, rounds) = (number("--events", 20_000), number("--rounds", 3));
    let past = words.iter().position(|word| word == "--past").and_then(|at| words.get(at + 1));
    let past = past.map_or("10000,100000,1000000", String::as_str);
    let past: Vec<usize> =
        past.split(',').map(|number| number.parse().expect("--past 10000,1000000")).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(run(count, &past, rounds));
}

/// Seconds of processor time of this process so far.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<_> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

/// A receiver that takes everything, and counts it.
async fn receiver() -> (String, Arc<AtomicUsize>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&count);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let seen = Arc::clone(&seen);
            let service = service_fn(move |request: Request<Incoming>| {
                let seen = Arc::clone(&seen);
                async move {
                    request.into_body().collect().await.ok();
                    seen.fetch_add(1, Ordering::Relaxed);
                    Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new()))
                }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    (url, count)
}

/// Calls a second, and processor time a call, of the client alone.
async fn bare(url: &str, count: usize) -> (f64, f64) {
    let settings = Settings { dev: true, ..Settings::default() };
    let sender = Sender::new(&settings.webhook_policy());
    let body = format!(
        r#"{{"uuid":"{0}","event_type":"location.created","resource_type":"Company","resource_uuid":"{0}","entity_type":"Location","entity_uuid":"{0}","timestamp":1781524800}}"#,
        Uuid::nil()
    );
    let left = Arc::new(AtomicUsize::new(count));
    let (started, spent) = (Clock::monotonic(), processor());
    let tasks: Vec<_> = (0..IN_FLIGHT)
        .map(|_| {
            let (sender, left, url, body) = (sender.clone(), Arc::clone(&left), url.to_owned(), body.clone());
            tokio::spawn(async move {
                while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok() {
                    let id = Uuid::nil().to_string();
                    let headers =
                        sign::signature_headers((SECRET, None), &id, 1_781_524_800, body.as_bytes());
                    let bytes = Bytes::from(body.clone());
                    let reply = sender.post(&url, &headers, bytes, Timestamp::UNIX_EPOCH).await.unwrap();
                    assert!(reply.is_acknowledged());
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let took = Clock::monotonic().saturating_sub(started).as_secs_f64();
    (count as f64 / took, (processor() - spent) / count as f64)
}

/// A company of an application with a verified subscription.
async fn world(store: &Store, url: String) -> (Uuid, Uuid, Uuid) {
    let made = store.write(move |tx| {
        let application =
            applications::create_application(tx, &applications::NewApplication::new("Bench", &[]))?.id;
        let (id, now) = (tx.new_id(), tx.now());
        let company = companies::rows::Company {
            company_status: rules::company::Status::Approved,
            is_partner_managed: true,
            time_zone: "America/Chicago".to_owned(),
            ..companies::rows::Company::new(id, "Bench".to_owned(), now)
        };
        companies::rows::insert_company(tx, &company)?;
        connections::connect_application(tx, id, application)?;
        let (subscription, mut types) = (tx.new_id(), Types::default());
        types.add_type("Location");
        let secret = Secret::new(SECRET.to_owned());
        subscriptions::insert_subscription(tx, (application, subscription), &url, types, &secret)?;
        subscriptions::set_status(tx, application, subscription, SubscriptionStatus::Verified)?;
        Ok::<_, Error>((application, subscription, id))
    });
    made.await.unwrap()
}

/// Fills the tables with deliveries of the past.
async fn fill(store: &Store, (application, subscription, company): (Uuid, Uuid, Uuid), past: usize) {
    for _ in 0..past.div_ceil(1_000) {
        let some = store.write(move |tx: &mut Tx<'_>| {
            let now = tx.now();
            for _ in 0..1_000 {
                let event = tx.new_id();
                tx.insert_row(PAST, params![application, subscription, event, company, now])?;
                tx.insert_row(PAST_TRY, params![application, subscription, event, now])?;
            }
            Ok::<_, store::Error>(())
        });
        some.await.unwrap();
    }
}

/// Deliveries a second, and processor time a delivery, from the commit of the event to that of the outcome.
async fn end_to_end(store: &Store, company: Uuid, count: usize) -> (f64, f64) {
    let (started, spent) = (Clock::monotonic(), processor());
    let left = Arc::new(AtomicUsize::new(count));
    let tasks: Vec<_> = (0..64)
        .map(|_| {
            let (store, left) = (store.clone(), Arc::clone(&left));
            tokio::spawn(async move {
                while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok() {
                    let emit = move |tx: &mut Tx<'_>| {
                        let entity = tx.new_id();
                        events::emit_event(tx, company, events::LOCATION_CREATED, entity)
                    };
                    store.write(emit).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let committed = Clock::monotonic().saturating_sub(started).as_secs_f64();
    loop {
        let look = move |tx: &mut Tx<'_>| {
            let open = tx.find_row(OPEN, params![], |row| row.get::<i64>(0))?;
            Ok::<_, Error>(outbox::some_wait(tx)? || open != Some(0))
        };
        if !store.read(look).await.unwrap() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let took = Clock::monotonic().saturating_sub(started).as_secs_f64();
    println!("    {count} events committed after {committed:.2} s, delivered and stored after {took:.2} s");
    (count as f64 / took, (processor() - spent) / count as f64)
}

/// What was measured with so many deliveries of the past.
struct Measured {
    past: usize,
    bare: f64,
    deliveries: f64,
    /// of the number of calls, and of the processor time of one
    ratio: (f64, f64),
    micros: f64,
}

/// The round with the median of the ratio.
async fn measure(
    store: &Store,
    company: Uuid,
    address: &str,
    (count, past, rounds): (usize, usize, usize),
) -> Measured {
    let mut measured = Vec::new();
    for _ in 0..rounds {
        let (calls, call) = bare(address, count).await;
        let (deliveries, delivery) = end_to_end(store, company, count).await;
        println!(
            "    bare {calls:.0}/s, {:.1} us; end to end {deliveries:.0}/s, {:.1} us",
            call * 1e6,
            delivery * 1e6
        );
        let ratio = (deliveries / calls, call / delivery);
        measured.push(Measured { past, bare: calls, deliveries, ratio, micros: delivery * 1e6 });
    }
    measured.sort_by(|a, b| a.ratio.0.total_cmp(&b.ratio.0));
    measured.swap_remove(rounds / 2)
}

async fn run(count: usize, past: &[usize], rounds: usize) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("bench.db").display());
    let keys = MasterKeys::parse(&"ab".repeat(32)).unwrap();
    let store = Store::open(&url, Options::new(Clock::from_system(), keys, SCHEMA)).unwrap();
    let (address, seen) = receiver().await;
    let world = world(&store, address.clone()).await;
    let settings = Settings { dev: true, ..Settings::default() };
    let (app, _) = routes::build_service(store.clone(), settings);
    let (tell, stop) = watch::channel(false);
    let worker = tokio::spawn(delivery::run_dispatcher(store.clone(), Arc::clone(&app.courier), stop));
    end_to_end(&store, world.2, 2_000).await; // until the receiver is proven, and connections are there
    let mut table = Vec::new();
    for past in past {
        fill(&store, world, past.saturating_sub(delivered(&store).await)).await;
        let before = seen.load(Ordering::Relaxed);
        println!("  {past} past deliveries");
        table.push(measure(&store, world.2, &address, (count, *past, rounds)).await);
        assert!(seen.load(Ordering::Relaxed) - before >= 2 * rounds * count, "every call came");
    }
    println!("webhooks end to end at {IN_FLIGHT} in flight, medians of {rounds} rounds of {count} events");
    println!(
        "  {:>12}  {:>12}  {:>12}  {:>8}  {:>8}  {:>8}",
        "past", "deliveries/s", "bare/s", "ratio", "CPU us", "of CPU"
    );
    for Measured { past, bare, deliveries, ratio, micros } in &table {
        println!(
            "  {past:>12}  {deliveries:>12.0}  {bare:>12.0}  {:>8.3}  {micros:>8.1}  {:>8.3}",
            ratio.0, ratio.1
        );
    }
    if let (Some(first), Some(last)) = (table.first(), table.last()) {
        println!(
            "  ratio: floor 0.10, aim 0.20; processor time of a delivery with {} past ones is {:.2} times that with {}",
            last.past,
            last.micros / first.micros,
            first.past
        );
    }
    tell.send(true).unwrap();
    worker.await.unwrap();
}

/// How many deliveries the tables hold.
async fn delivered(store: &Store) -> usize {
    let count = store.read(|tx: &mut Tx<'_>| tx.find_row(DELIVERED, params![], |row| row.get::<i64>(0)));
    let count: Result<Option<i64>, store::Error> = count.await;
    usize::try_from(count.unwrap().unwrap_or(0)).unwrap()
}
