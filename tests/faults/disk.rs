//! A disk that is full, that fails, or under which the process dies in the middle of a call: nothing that was
//! acknowledged is lost, nothing is there by half, and a full disk that has room again is enough to go on.

use std::collections::BTreeSet;
use std::time::Duration;

use store::Clock;

use crate::binary::{Running, run, stipend};
use crate::shim::Shim;
use crate::world::{Home, PERSON, call, listed, until};

/// Asks for a new employee; the status, and who it is.
pub fn create(service: &Running, key: &str) -> Result<(u16, String), std::io::Error> {
    let path = format!("/v1/companies/{}/employees", service.company());
    let authorization = format!("Bearer {}\r\nIdempotency-Key: {key}", service.token());
    let (status, answer) = service.call_as(&authorization, "POST", &path, PERSON)?;
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap_or_default();
    match status {
        201 => Ok((201, answer["uuid"].as_str().unwrap().to_owned())),
        _ => {
            assert!(answer["errors"][0]["message"].is_string(), "{status}: {answer}");
            Ok((status, String::new()))
        }
    }
}

/// Everybody who is employed, and everybody of whose creation there is an event: the same people.
fn people(service: &Running) -> BTreeSet<String> {
    let bearer = format!("Bearer {}", service.token());
    let mut people = BTreeSet::new();
    for page in 1.. {
        let path = format!("/v1/companies/{}/employees?per=100&page={page}", service.company());
        let some = call(service, &bearer, "GET", &path, "");
        let some = some.as_array().unwrap();
        people.extend(some.iter().map(|person| person["uuid"].as_str().unwrap().to_owned()));
        if some.len() < 100 {
            break;
        }
    }
    // The application is connected to other companies, too.
    let here = |event: &serde_json::Value| event["resource_uuid"] == service.company();
    let created = listed(service).into_iter().filter(|e| e["event_type"] == "employee.created" && here(e));
    let created: BTreeSet<String> =
        created.map(|event| event["entity_uuid"].as_str().unwrap().to_owned()).collect();
    let apart: Vec<_> = people.symmetric_difference(&created).collect();
    assert!(apart.is_empty(), "there by half: {apart:?}");
    people
}

#[test]
fn r5_a_full_disk_refuses_writes_reads_on_and_writes_again_as_soon_as_there_is_room() {
    let (home, disk) = (Home::new(), Shim::new("disk"));
    let service = disk.start(&home);
    let mut acknowledged = BTreeSet::new();
    let mut number = 0;
    let mut next = || {
        number += 1;
        number.to_string()
    };
    for _ in 0..50 {
        acknowledged.insert(create(&service, &next()).unwrap().1);
    }
    let mut refused = 0;
    let mut longest = Duration::ZERO;
    for _ in 0..3 {
        disk.obeys("full");
        for _ in 0..20 {
            assert_eq!(create(&service, &next()).unwrap().0, 503, "there is no room, and it says so");
            refused += 1;
            let read = service.get(&format!("/v1/companies/{}/employees?per=5", service.company()));
            assert_eq!(read.0, 200, "reading goes on");
        }
        disk.obeys("");
        let begun = Clock::monotonic();
        until("there was room again, and it was used", || {
            let (status, who) = create(&service, &next()).unwrap();
            if status == 201 {
                acknowledged.insert(who);
            }
            status == 201
        });
        longest = longest.max(Clock::monotonic().saturating_sub(begun));
    }
    assert!(longest < Duration::from_secs(5), "it took {longest:?} after there was room");
    let there = people(&service);
    assert!(acknowledged.is_subset(&there));
    assert_eq!(service.stop().0, Some(0), "it never ended");
    let again = home.start();
    assert_eq!(people(&again), there, "the same people after a restart");
    println!(
        "R5: {} acknowledged, {refused} refused with 503, writing again after {} ms at most",
        acknowledged.len(),
        longest.as_millis()
    );
}

/// The lists of a company, which are on pages of their own.
const LISTS: [&str; 3] = ["employees", "locations", "pay_schedules"];

fn list(service: &Running, name: &str) -> (u16, String) {
    service.get(&format!("/v1/companies/{}/{name}", service.company()))
}

#[test]
fn r35_a_read_that_fails_fails_what_needed_it_and_is_no_damage() {
    let (home, disk) = (Home::new(), Shim::new("disk"));
    {
        let service = home.start();
        home.crowd(&service, 2_000);
        assert_eq!(service.stop().0, Some(0));
    }
    for error in ["EIO", "ENOMEM"] {
        // What is told without a fault, by a process that leaves nothing in the memory of the next one.
        let service = home.start();
        let expected = LISTS.map(|name| list(&service, name));
        assert_eq!(service.stop().0, Some(0));
        let service = disk.start(&home);
        disk.obeys(&format!("{error} read"));
        let told = LISTS.map(|name| list(&service, name).0);
        let people = "employees?per=100&page=15";
        let refused = list(&service, people);
        assert_eq!(refused.0, 503, "{error}: pages that nobody has read before: {}", refused.1);
        assert!(told.iter().all(|status| [200, 503].contains(status)), "{error}: {told:?}");
        assert!(!service.get("/readyz").1.contains("damaged"), "{error}");
        disk.obeys("");
        for (name, expected) in LISTS.iter().zip(&expected) {
            assert_eq!(&list(&service, name), expected, "{error}: {name}");
        }
        assert_eq!(list(&service, people).0, 200);
        assert_eq!(create(&service, error).unwrap().0, 201);
        assert_eq!(service.get("/readyz").0, 200);
        assert_eq!(service.stop().0, Some(0), "{error}: it never ended");
    }
}

#[test]
fn r35_a_quota_and_a_limit_on_files_are_a_full_disk() {
    let (home, disk) = (Home::new(), Shim::new("disk"));
    let service = disk.start(&home);
    for error in ["ENOSPC", "EDQUOT", "EFBIG"] {
        disk.obeys(&format!("{error} write"));
        assert_eq!(create(&service, &format!("{error} 1")).unwrap().0, 503, "{error}");
        assert_eq!(list(&service, "employees?per=5").0, 200, "{error}: reading goes on");
        assert!(service.get("/readyz").1.contains("the store is full"), "{error}");
        disk.obeys("");
        until("there was room again", || create(&service, &format!("{error} 2")).unwrap().0 == 201);
    }
    assert_eq!(service.stop().0, Some(0), "it never ended");
}

#[test]
fn r35_a_limit_on_the_size_of_files_refuses_writes_and_ends_nothing() {
    let home = Home::new();
    let service = home.start();
    assert_eq!(service.stop().0, Some(0));
    let largest = std::fs::metadata(home.file()).unwrap().len();
    let service = home.start_limited(largest / 1_024 + 200);
    let mut refused = 0;
    for number in 0..400 {
        refused += u32::from(create(&service, &number.to_string()).unwrap().0 == 503);
        assert_eq!(list(&service, "employees?per=5").0, 200, "reading goes on");
        if refused > 3 {
            break;
        }
    }
    assert!(refused > 3, "the limit was never met");
    assert_eq!(service.stop().0, Some(0), "it never ended");
}

/// Waits until readiness says 503; how long that took.
fn until_not_ready(service: &Running) -> Duration {
    let begun = Clock::monotonic();
    loop {
        let (status, told) = service.get("/readyz");
        let waited = Clock::monotonic() - begun;
        if status == 503 {
            println!("R37: not ready after {waited:?}: {}", told.trim_end());
            return waited;
        }
        assert!(waited < Duration::from_secs(8), "it is ready for ever: {told}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Asks a service to stop; how long it took, and its exit code.
fn stops_within(service: Running) -> (Duration, Option<i32>) {
    let begun = Clock::monotonic();
    let code = service.stop().0;
    (Clock::monotonic() - begun, code)
}

#[test]
fn r37_a_disk_that_never_finishes_a_sync_is_told_waits_are_short_and_the_process_ends_when_asked() {
    let (home, disk) = (Home::new(), Shim::new("disk"));
    let service = disk.start(&home);
    assert_eq!(create(&service, "before").unwrap().0, 201);
    disk.obeys("hang sync");
    std::thread::scope(|scope| {
        let first = scope.spawn(|| create(&service, "hangs"));
        std::thread::sleep(Duration::from_millis(100));
        let second = scope.spawn(|| {
            let begun = Clock::monotonic();
            (create(&service, "waits").unwrap().0, Clock::monotonic() - begun)
        });
        assert!(until_not_ready(&service) < Duration::from_secs(2));
        assert_eq!(service.get("/healthz").0, 200);
        assert_eq!(list(&service, "locations").0, 200, "reading goes on");
        let (status, took) = second.join().unwrap();
        assert!(
            status == 503 && took < Duration::from_secs(4),
            "who waits behind it: {status} after {took:?}"
        );
        let begun = Clock::monotonic();
        assert_eq!(create(&service, "comes later").unwrap().0, 503);
        assert!(Clock::monotonic() - begun < Duration::from_secs(1), "who comes later is told at once");
        assert_eq!(first.join().unwrap().unwrap().0, 503, "whether it was done is not known");
        assert!(Clock::monotonic() - begun < Duration::from_secs(8));
    });
    disk.obeys("");
    until("the disk answers again", || service.get("/readyz").0 == 200);
    until("a repetition is answered, whatever became of it", || create(&service, "hangs").unwrap().0 == 201);
    disk.obeys("hang sync");
    let (took, code) = std::thread::scope(|scope| {
        let address = service.address().to_owned();
        let head = service.head(
            "POST",
            &format!("/v1/companies/{}/employees", service.company()),
            &service.authorization(),
            PERSON,
        );
        scope.spawn(move || {
            use std::io::{Read, Write};
            let mut stream = std::net::TcpStream::connect(address).unwrap();
            stream.write_all((head + PERSON).as_bytes()).unwrap();
            // It is never answered.
            stream.read_to_string(&mut String::new()).ok();
        });
        std::thread::sleep(Duration::from_millis(300));
        stops_within(service)
    });
    println!("R37: ended {took:?} after SIGTERM, with {code:?}");
    assert!(took < Duration::from_secs(10) && code == Some(74), "{took:?}, {code:?}");
    let service = home.start();
    assert_eq!(service.get("/readyz").0, 200);
}

#[test]
fn r37_a_disk_that_never_finishes_a_read_is_told_and_the_process_ends_when_asked() {
    let (home, disk) = (Home::new(), Shim::new("disk"));
    {
        let service = home.start();
        home.crowd(&service, 2_000);
        assert_eq!(service.stop().0, Some(0));
    }
    let service = disk.start(&home);
    disk.obeys("hang read");
    let path = format!("/v1/companies/{}/employees?per=100&page=15", service.company());
    let ask = service.head("GET", &path, &service.authorization(), "");
    let mut stream = std::net::TcpStream::connect(service.address()).unwrap();
    std::io::Write::write_all(&mut stream, ask.as_bytes()).unwrap();
    assert!(until_not_ready(&service) < Duration::from_secs(2));
    assert_eq!(service.get("/healthz").0, 200);
    let (took, code) = stops_within(service);
    println!("R37: ended {took:?} after SIGTERM, with {code:?}");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn r6_a_disk_that_fails_to_sync_ends_the_process_at_once_and_nothing_acknowledged_is_missing() {
    let (home, disk) = (Home::new(), Shim::new("disk"));
    let rounds = if crate::long() { 50 } else { 5 };
    let mut acknowledged = BTreeSet::new();
    for round in 0..rounds {
        let service = disk.start(&home);
        for number in 0..10 {
            acknowledged.insert(create(&service, &format!("{round}-{number}")).unwrap().1);
        }
        disk.obeys("broken");
        let answer = create(&service, &format!("{round}-broken"));
        assert!(!matches!(answer, Ok((201, _))), "acknowledged although it was not synced");
        let (code, _) = service.stop();
        assert_eq!(code, Some(74), "it ended by itself, with the code of an I/O error");
        disk.obeys("");
    }
    let service = home.start();
    let there = people(&service);
    let lost: Vec<_> = acknowledged.difference(&there).collect();
    assert!(lost.is_empty(), "{lost:?}");
    println!("R6: {rounds} failed syncs, {} acknowledged, none missing", acknowledged.len());
}

#[test]
fn r7_whichever_call_to_the_disk_fails_or_is_the_last_a_create_is_there_whole_or_not_at_all() {
    let calls = if crate::long() { 100 } else { 36 };
    whole_or_not_at_all("R7", calls, &["full", "broken", "kill"]);
}

#[test]
fn r35_whichever_call_to_the_disk_meets_whichever_error_a_create_is_there_whole_or_not_at_all() {
    let calls = if crate::long() { 60 } else { 8 };
    let errors = ["EIO", "ENOSPC", "EDQUOT", "ENOMEM", "EINTR"];
    let orders: Vec<_> = errors
        .iter()
        .flat_map(|error| ["read", "write", "sync"].map(|calls| format!("{error} {calls}")))
        .collect();
    let orders: Vec<_> = orders.iter().map(String::as_str).collect();
    whole_or_not_at_all("R35", calls, &orders);
}

/// Has each of the first calls to the disk meet each of the orders, during a create.
fn whole_or_not_at_all(name: &str, calls: usize, orders: &[&str]) {
    let (home, disk) = (Home::new(), Shim::new("disk"));
    let mut service = disk.start(&home);
    let before = people(&service);
    let (mut at_once, mut later, mut deaths) = (0, 0, 0);
    let mut acknowledged = BTreeSet::new();
    for nth in 1..=calls {
        for order in orders {
            let key = format!("{}-{nth}", order.replace(' ', "-"));
            disk.obeys(&format!("{order} {nth}"));
            let answer = create(&service, &key);
            disk.obeys("");
            if !service.is_running() {
                deaths += 1;
                drop(service);
                service = disk.start(&home);
            }
            // Whatever happened: the same request again has the one effect, and no second one. A process that stops
            // by itself may do so only now: its last line of the log is written first.
            let mut again = create(&service, &key);
            if again.is_err() {
                until("only a process that ends leaves a request without an answer", || {
                    !service.is_running()
                });
                deaths += 1;
                drop(service);
                service = disk.start(&home);
                again = create(&service, &key);
            }
            let (status, who) = again.unwrap();
            assert_eq!(status, 201, "{key}");
            if let Ok((201, first)) = answer {
                assert_eq!(who, first, "{key}: the repetition is told the same");
                at_once += 1;
            } else {
                later += 1;
            }
            assert!(acknowledged.insert(who), "{key}: somebody new");
        }
    }
    let there = people(&service);
    assert_eq!(there.len(), before.len() + acknowledged.len(), "nobody twice");
    assert!(acknowledged.is_subset(&there), "nobody lost");
    println!(
        "{name}: {} faults at the first {calls} calls to the disk: {at_once} acknowledged at once, {later} at the repetition; \
         {deaths} restarts; nobody twice, nobody by half",
        orders.len() * calls
    );
}

#[test]
fn r19_a_migration_that_is_killed_at_any_call_is_finished_by_the_next_one() {
    let disk = Shim::new("disk");
    // Few: the next one waits until the lease of the one that was killed has run out, half a minute.
    let (kills, apart) = if crate::long() { (30, 11) } else { (3, 110) };
    let mut in_the_middle = 0;
    for round in 0..kills {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("world.db").display());
        let mut migrate = stipend();
        migrate
            .args(["migrate", "--create", "--json", "--database-url", &url])
            .env("STIPEND_MASTER_KEY", "ab".repeat(32));
        disk.obeys(&format!("kill {}", 1 + round * apart));
        let killed = migrate.envs(disk.settings()).output().unwrap();
        in_the_middle += u32::from(!killed.status.success());
        disk.obeys("");
        let mut again = stipend();
        again
            .args(["migrate", "--create", "--json", "--database-url", &url])
            .env("STIPEND_MASTER_KEY", "ab".repeat(32));
        let finished = run(&mut again);
        assert_eq!(finished.code, Some(0), "after call {}: {}", 1 + round * apart, finished.err);
        // A whole world fits into what came of it.
        if round == kills - 1 {
            let key =
                [("STIPEND_MASTER_KEY", "abababababababababababababababababababababababababababababababab")];
            let service = Running::dev_with(&["--database-url", &url], &key);
            assert_eq!(service.get("/v1/test_helpers/clock").0, 200);
        }
    }
    assert!(in_the_middle >= kills / 2, "{in_the_middle} of {kills} were killed before they were done");
    println!("R19: {in_the_middle} migrations killed in the middle, all finished by the next");
}
