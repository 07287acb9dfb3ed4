//! R8: the machine's clock jumps: two days back, four hundred forward, over the nights in which daylight saving time
//! begins and ends, over a leap day. Under a running process, and between two runs.
//!
//! Nothing may come of it but the time that is shown: codes keep their ten minutes of real waiting and links stay good,
//! no delivery is tried more than once beyond its schedule and none is lost, and what is changed is never changed
//! "before" it was changed the last time.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use base64::Engine as _;
use jiff::Timestamp;
use serde_json::{Value, json};
use store::Clock;

use crate::binary::{Running, run, stipend};
use crate::disk::create;
use crate::receiver::{Receiver, status};
use crate::shim::Shim;
use crate::world::{Home, call, subscribe, until};

const DAY: i64 = 86_400;

/// Three seconds before the moments at which calendars do something, in the order of time. The short form restarts over
/// the last of them alone.
const NIGHTS: [(&str, &str); 4] = [
    ("daylight saving time ends (Pacific)", "2026-11-01T08:59:57Z"),
    ("daylight saving time begins (Pacific)", "2027-03-14T09:59:57Z"),
    ("a leap day begins", "2028-02-28T23:59:57Z"),
    ("a leap day ends", "2028-02-29T23:59:57Z"),
];

/// Seconds from the machine's time to a moment.
fn to(moment: &str) -> i64 {
    moment.parse::<Timestamp>().unwrap().as_second() - Clock::from_system().now().as_second()
}

fn jump(shim: &Shim, wall: i64, boot: i64) {
    shim.obeys(&format!("{wall} {boot}"));
}

fn bearer(service: &Running) -> String {
    format!("Bearer {}", service.token())
}

/// Changes the company's first location; when the service says that was.
fn touch(service: &Running, number: usize) -> Timestamp {
    let path = format!("/v1/companies/{}/locations", service.company());
    let known = call(service, &bearer(service), "GET", &path, "");
    let before = moment(&known[0]);
    let path = format!("/v1/locations/{}", known[0]["uuid"].as_str().unwrap());
    let body = json!({ "version": known[0]["version"], "street_2": format!("Suite {number}") }).to_string();
    let after = moment(&call(service, &bearer(service), "PUT", &path, &body));
    assert!(before <= after, "changed at {before}, and then at {after}");
    after
}

fn moment(record: &Value) -> Timestamp {
    record["updated_at"].as_str().unwrap().parse().unwrap()
}

/// A code that an administrator's consent gives.
fn code(service: &Running) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/authorize.sh");
    let done = Command::new(script).envs(service.connection()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// The status with which exchanging it is answered.
fn exchange(service: &Running, code: &str) -> u16 {
    let known: BTreeMap<_, _> = service.connection().into_iter().collect();
    let pair = format!("{}:{}", known["CLIENT_ID"], known["CLIENT_SECRET"]);
    let basic = format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair));
    let body =
        json!({ "grant_type": "authorization_code", "code": code, "redirect_uri": known["REDIRECT_URI"] });
    service.call_as(&basic, "POST", "/oauth/token", &body.to_string()).unwrap().0
}

/// A link to the pages of an employee.
fn link(service: &Running) -> String {
    let employee = &service.report()["companies"][0]["employees"][0]["uuid"];
    let body = json!({ "flow_type": "employee_self_management", "entity_type": "Employee", "entity_uuid": employee });
    let path = format!("/v1/companies/{}/flows", service.company());
    let made = call(service, &bearer(service), "POST", &path, &body.to_string());
    made["url"].as_str().unwrap().strip_prefix(service.base()).unwrap().to_owned()
}

/// How often each event of an employee who was created came; the demo world has work of its own that falls due.
fn times(receiver: &Receiver) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    for call in receiver.events() {
        if call.json()["event_type"] != "employee.created" {
            continue;
        }
        *times.entry(call.header("webhook-id").to_owned()).or_default() += 1;
    }
    times
}

#[test]
fn r8_under_a_running_process_the_wall_clock_may_jump_and_only_real_waiting_counts() {
    let (home, shim, receiver) = (Home::new(), Shim::new("clock"), Receiver::new());
    let service = shim.start(&home);
    subscribe(&service, &receiver);
    let codes = [code(&service), code(&service), code(&service)];
    let link = link(&service);
    let open = || service.call_as("none", "GET", &link, "").unwrap().0;
    let jumps = [("two days back", -2 * DAY), ("four hundred days forward", 400 * DAY)];
    let nights = NIGHTS.map(|(what, at)| (what, to(at)));
    let first = touch(&service, 0);
    let mut last = first;
    for (number, (_, wall)) in jumps.iter().chain(&nights).enumerate() {
        jump(&shim, *wall, 0);
        create(&service, &format!("before-{number}")).unwrap();
        std::thread::sleep(Duration::from_millis(300));
        create(&service, &format!("after-{number}")).unwrap();
        let now = touch(&service, 1 + number);
        assert!(last <= now, "changed at {last}, and then at {now}");
        last = now;
    }
    let shown = last.duration_since(first);
    assert!(shown.as_secs() < 120, "the clock followed a jump: {shown}");
    assert_eq!((exchange(&service, &codes[0]), open()), (200, 303), "good after all these jumps");
    let created = 2 * (jumps.len() + nights.len());
    until("every event was delivered", || times(&receiver).len() == created);
    assert!(times(&receiver).values().all(|times| *times == 1), "no delivery is repeated");

    // Real waiting: the machine sleeps, and all its clocks go on.
    jump(&shim, 500, 500);
    assert_eq!(exchange(&service, &codes[1]), 200, "before its ten minutes");
    jump(&shim, 601, 601);
    assert_eq!(exchange(&service, &codes[2]), 400, "after its ten minutes");
    assert_eq!(open(), 303);
    println!(
        "R8: {} jumps under a running process: {created} events, each delivered once; a code is good after 500 s and refused \
         after 601 s of waiting, whatever the wall clock showed",
        jumps.len() + nights.len()
    );
}

#[test]
fn r8_a_receiver_that_fails_is_tried_once_more_at_the_most_and_loses_nothing() {
    let (home, shim, receiver) = (Home::new(), Shim::new("clock"), Receiver::new());
    let service = shim.start(&home);
    subscribe(&service, &receiver);
    receiver.answer(|_| status(500));
    let begun = Clock::monotonic();
    for number in 0..20 {
        create(&service, &number.to_string()).unwrap();
    }
    until("each was tried", || times(&receiver).len() == 20);
    for wall in [-2 * DAY, 400 * DAY] {
        jump(&shim, wall, 0);
        std::thread::sleep(Duration::from_millis(1_500));
    }
    // The first retry is due some ten seconds after the first try.
    if Clock::monotonic().saturating_sub(begun) < Duration::from_secs(8) {
        assert!(times(&receiver).values().all(|times| *times == 1), "{:?}", times(&receiver));
    }
    assert_eq!(service.stop().0, Some(0));
    let before = times(&receiver);
    // Now every retry of three days is overdue at once.
    receiver.answer(|_| status(200));
    let service = shim.start(&home);
    let after = || times(&receiver);
    until("each was tried once more", || before.iter().all(|(id, times)| after()[id] > *times));
    std::thread::sleep(Duration::from_secs(3));
    let extra = before.iter().map(|(id, times)| after()[id] - times).max().unwrap();
    println!(
        "R8: 20 failing deliveries, a jump of 400 days and a restart: {extra} extra try each at most, none lost"
    );
    assert_eq!((extra, after().len()), (1, 20));
    drop(service);
}

#[test]
fn r8_time_goes_on_after_a_restart_wherever_the_wall_clock_was_put() {
    let (home, shim) = (Home::new(), Shim::new("clock"));
    let by = |what, seconds: i64| (what, Box::new(move || seconds) as Box<dyn Fn() -> i64>);
    let mut runs = vec![by("as it is", 0), by("two days back", -2 * DAY)];
    let nights = NIGHTS.into_iter().skip(if crate::long() { 0 } else { 3 });
    runs.extend(nights.map(|(what, at)| (what, Box::new(move || to(at)) as Box<dyn Fn() -> i64>)));
    runs.extend([by("four hundred days forward", 400 * DAY), by("as it is", 0)]);
    let (mut last, mut newest) = (Timestamp::MIN, String::new());
    for (number, (what, wall)) in runs.iter().enumerate() {
        jump(&shim, wall(), 0);
        let service = shim.start(&home);
        for step in 0..2 {
            let now = touch(&service, 10 * number + step);
            assert!(last <= now, "{what}: changed at {last}, and then at {now}");
            let (status, who) = create(&service, &format!("{number}-{step}")).unwrap();
            assert_eq!(status, 201);
            // Lists are in the order of identifiers, and those begin with the time.
            assert!(newest < who, "{what}: {who} was made after {newest}");
            (last, newest) = (now, who);
            // Over the moment, where there is one.
            std::thread::sleep(Duration::from_millis(if NIGHTS.iter().any(|(night, _)| night == what) {
                1_600
            } else {
                100
            }));
        }
        assert_eq!(service.stop().0, Some(0));
    }
    // In real use a machine that is so far behind has a clock that was not set.
    let serve = ["serve", "--listen", "127.0.0.1:0", "--database-url", &home.url()];
    let refused =
        run(stipend().args(serve).env("STIPEND_MASTER_KEY_FILE", home.key_file()).envs(shim.settings()));
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    assert!(refused.err.contains("the machine's clock shows"), "{}", refused.err);
    println!(
        "R8: {} restarts with the clock put back and forth: no record changed before its last change",
        runs.len()
    );
}

/// The events that the partner's application can read, and whether a request is still remembered under its key.
fn kept(service: &Running, person: &str) -> (usize, bool) {
    let told = crate::world::system(service, "GET", "/v1/events?limit=100", "");
    (told.as_array().unwrap().len(), create(service, "r26").unwrap().1 == person)
}

/// `serve` on a home, under the machine's clock as the shim shows it.
fn serve(home: &Home, shim: &Shim, report: &Value) -> Running {
    let settings = shim.settings();
    let settings: Vec<_> =
        settings.iter().map(|(name, path)| (name.as_str(), path.to_str().unwrap())).collect();
    Running::node(&home.url(), &home.key_file(), report.clone(), &settings)
}

fn ready(service: &Running) -> String {
    let (status, text) = service.call_as("none", "GET", "/readyz", "").unwrap();
    assert_eq!(status, 200, "{text}");
    text
}

#[test]
fn r26_a_start_with_the_clock_far_ahead_sweeps_and_runs_nothing_until_an_operator_confirms_it() {
    let (home, shim) = (Home::new(), Shim::new("clock"));
    let service = shim.start(&home);
    let (_, person) = create(&service, "r26").unwrap();
    let link = link(&service);
    let report = service.report().clone();
    let (events, remembered) = kept(&service, &person);
    assert!(events > 0 && remembered);
    assert_eq!(service.stop().0, Some(0));

    // Once four hundred days ahead: what looks a year old stays.
    jump(&shim, 400 * DAY, 0);
    let service = serve(&home, &shim, &report);
    std::thread::sleep(Duration::from_secs(4));
    let told = ready(&service);
    assert!(told.contains("due work wait") && told.contains("stipend clock confirm"), "{told}");
    assert_eq!(service.stop().0, Some(0));

    // Corrected: nothing was lost, and nothing waits.
    jump(&shim, 0, 0);
    let service = serve(&home, &shim, &report);
    assert_eq!(ready(&service), "ready\n");
    assert_eq!(kept(&service, &person), (events, true), "nothing was swept");
    assert_eq!(service.call_as("none", "GET", &link, "").unwrap().0, 303, "nothing has expired");
    assert_eq!(service.stop().0, Some(0));

    // Two days of rest look the same, and an operator says that they were one. Whose clock is elsewhere confirms nothing.
    jump(&shim, 2 * DAY, 0);
    let service = serve(&home, &shim, &report);
    assert!(ready(&service).contains("due work wait"));
    let confirm = |shim: Option<&Shim>| {
        let mut command = stipend();
        command.args(["clock", "confirm", "--json", "--database-url", &home.url()]);
        command.envs(shim.map(Shim::settings).into_iter().flatten());
        let done = run(&mut command);
        assert_eq!(done.code, Some(0), "{}", done.err);
        serde_json::from_str::<Value>(&done.out).unwrap()
    };
    assert!(confirm(None)["last_change"].is_string());
    std::thread::sleep(Duration::from_secs(3));
    assert!(ready(&service).contains("due work wait"), "confirmed for another day");
    confirm(Some(&shim));
    until("the time is believed", || ready(&service) == "ready\n");
    until("due work is done", || service.call_as("none", "GET", &link, "").unwrap().0 == 410);
    assert_eq!(service.stop().0, Some(0));
    // From now on the store is known to have been at work.
    let service = serve(&home, &shim, &report);
    assert_eq!(ready(&service), "ready\n");
    println!(
        "R26: a start 400 days ahead: {events} events kept, nothing swept, expired or run; two days were confirmed"
    );
}
