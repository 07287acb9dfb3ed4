//! The binary as an operator and a partner's engineer meet it: started as a process, spoken to over HTTP, stopped by
//! a signal.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

mod answers;

#[path = "../support/binary.rs"]
mod binary;

mod damage;
mod docs;
mod doubtful;

mod keys;
mod links;

mod logs;
mod offboarding;

#[path = "../support/postgres.rs"]
mod postgres;

#[path = "../support/receiver.rs"]
mod receiver;

mod slow;

mod stores;

mod upgrade;

mod wire;

use std::process::{Command, Stdio};
use std::time::Duration;

use binary::{Running, run, stipend};

fn demo(more: &[&str]) -> Running {
    Running::dev(&[&["--memory"], more].concat())
}

/// A demo world in a file, served for real with these settings.
fn served(settings: &[(&str, &str)]) -> (tempfile::TempDir, Running) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    let dev = Running::dev(&["--database-url", &url]);
    let report = dev.report().clone();
    assert_eq!(dev.stop().0, Some(0));
    let settings = [settings, &[("STIPEND_CLOCK_MAY_GO_BACK", "true")]].concat();
    let service = Running::node(&url, &folder.path().join("world.db.key"), report, &settings);
    (folder, service)
}

#[test]
fn the_first_journey_of_the_examples_folder_ends_with_an_onboarded_employee() {
    let service = demo(&["--seed", "5"]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/self_onboarding.sh");
    let done = Command::new("bash").arg(script).envs(service.journey()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(said.lines().last(), Some("onboarding_completed"), "{said}");
}

/// Runs the blocks of a document that are marked as a journey, in the folder of the project; what they printed.
fn follow(document: &str, environment: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let blocks =
        document.split("<!-- journey -->\n```sh\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    let script = blocks.collect::<Vec<_>>().join("\n");
    assert!(script.lines().count() > 10, "the document holds no journey:\n{script}");
    let bash = &mut Command::new("bash");
    let bash = bash.args(["-euo", "pipefail", "-c", &script]).envs(environment);
    let done = bash.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    assert!(!said.contains("\"errors\"") && !said.contains("\"error\""), "{said}");
    said.into_owned()
}

#[test]
fn the_journey_in_the_readme_can_be_followed_word_by_word() {
    let service = demo(&["--seed", "6"]);
    let said = follow(include_str!("../../README.md"), service.journey());
    assert!(said.contains("\"onboarding_status\":\"onboarding_completed\""), "{said}");
}

#[test]
fn the_way_to_tokens_and_through_the_move_can_be_followed_word_by_word() {
    let service = demo(&["--seed", "11"]);
    let said = follow(include_str!("../../docs/oauth.md"), service.connection());
    assert!(said.contains("\"migration_status\":\"success\""), "{said}");
    let ended = said.lines().last().unwrap();
    assert!(ended.ends_with("401"), "what was revoked is refused: {ended}");
}

#[test]
fn a_company_moves_to_a_partner_as_the_examples_folder_shows() {
    let service = demo(&["--seed", "12"]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/migration.sh");
    let done = Command::new("bash").arg(script).envs(service.connection()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    assert!(said.contains("\"key\":\"terms_of_service\"\n"), "that alone stands in the way: {said}");
    assert!(said.contains("\"ready_to_migrate\":true"), "{said}");
    assert!(said.contains("\"migration_status\":\"success\""), "{said}");
    assert_eq!(said.lines().last(), Some("\"is_partner_managed\":true"), "{said}");
}

#[test]
fn the_operator_decides_about_a_company_at_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    let service = Running::dev(&["--database-url", &url]);
    let key = folder.path().join("world.db.key");
    let company = |arguments: &[&str]| {
        let mut command = stipend();
        command.arg("company").args(arguments).args(["--database-url", &url]);
        run(command.env("STIPEND_MASTER_KEY_FILE", &key))
    };
    let told = |arguments: &[&str]| {
        let ended = company(arguments);
        assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.err);
        serde_json::from_str::<serde_json::Value>(&ended.out).unwrap()
    };
    let refused = |arguments: &[&str], code: i32, word: &str| {
        let ended = company(arguments);
        assert!(ended.code == Some(code) && ended.err.contains(word), "{arguments:?}: {}", ended.err);
        assert_eq!(ended.err.trim().lines().count(), 1, "{}", ended.err);
    };
    let demo = service.company();
    let record = || {
        let told = service.get(&format!("/v1/companies/{demo}"));
        serde_json::from_str::<serde_json::Value>(&told.1).unwrap()
    };
    assert_eq!(told(&["suspend", demo])["company_status"], "Suspended");
    assert_eq!((&record()["is_suspended"], &record()["company_status"]), (&true.into(), &"Suspended".into()));
    refused(&["approve", demo], 1, "suspended");
    assert_eq!(told(&["reinstate", demo])["company_status"], "Approved");
    assert_eq!(told(&["approve", demo])["company_status"], "Approved", "a second time changes nothing");
    told(&["note", demo, "high_risk_business", "Fireworks"]);
    assert_eq!(record()["is_high_risk_business"], true);
    told(&["forget", demo, "high_risk_business", "Fireworks"]);
    assert_eq!(record()["is_high_risk_business"], false);
    refused(&["forget", demo, "high_risk_business", "Fireworks"], 1, "no such");
    refused(&["note", demo, "size", "large"], 1, "managed_benefit");

    // A new account of the company proves itself by what the operator was told.
    let accounts = format!("/v1/companies/{demo}/bank_accounts");
    refused(&["test-deposits", demo], 1, "verified");
    let body = r#"{"routing_number":"021000021","account_number":"5550001234","account_type":"Savings"}"#;
    assert_eq!(service.post(&accounts, body).0, 201);
    let deposits = told(&["test-deposits", demo]);
    assert_eq!(deposits["account_number"], "5550001234");
    assert_eq!(told(&["test-deposits", demo]), deposits);
    let verify = format!("{accounts}/{}/verify", deposits["bank_account"].as_str().unwrap());
    let amounts =
        serde_json::json!({ "deposit_1": deposits["deposit_1"], "deposit_2": deposits["deposit_2"] });
    let token = format!("Bearer {}", service.token());
    let verified = service.call_as(&token, "PUT", &verify, &amounts.to_string()).unwrap();
    assert!(verified.0 == 200 && verified.1.contains("\"verification_status\":\"verified\""), "{verified:?}");

    let made = told(&["create", "--name", "Tern Press LLC", "--ein", "74-1852098"]);
    let made = made["uuid"].as_str().unwrap();
    refused(&["approve", made], 1, "has not finished its onboarding");
    refused(&["test-deposits", made], 1, "no bank account");
    refused(&["create", "--name", " ", "--ein", "1"], 1, "--ein");
    refused(&["suspend", "0197a1b2-0000-7000-8000-00000000dead"], 1, "no such company");
    refused(&["suspend", "everybody"], 2, "everybody");
    assert_eq!(service.stop().0, Some(0));
}

#[test]
fn with_json_the_demo_world_prints_one_line_and_stops_well_on_sigterm() {
    let service = demo(&["--seed", "1"]);
    let report = service.report().clone();
    for key in [
        "base_url",
        "flow_url",
        "docs_url",
        "console_url",
        "authorize_url",
        "application",
        "system_access_token",
        "companies",
        "users",
    ] {
        assert!(!report[key].is_null(), "{key} is missing");
    }
    let people = report["companies"][0]["employees"].as_array().unwrap();
    assert!(
        people.iter().filter(|person| person["onboarding_status"] == "onboarding_completed").count() >= 6
    );
    let (code, more) = service.stop();
    assert_eq!((code, more.as_str()), (Some(0), ""));
}

#[test]
fn two_runs_with_the_same_seed_and_clock_give_the_same_bytes() {
    let run = || {
        let service = demo(&["--seed", "42", "--clock", "2026-11-21T09:00:00Z"]);
        let list =
            service.get(&format!("/v1/companies/{}/employees?include=all_compensations", service.company()));
        let link = service.post(
            &format!("/v1/companies/{}/flows", service.company()),
            &format!(
                r#"{{"flow_type":"employee_self_management","entity_type":"Employee","entity_uuid":"{}"}}"#,
                service.report()["companies"][0]["employees"][6]["uuid"].as_str().unwrap()
            ),
        );
        let moved = service.post("/v1/test_helpers/clock/advance", r#"{"seconds":3000000}"#);
        // The whole address: digits of a port alone can be part of an identifier in one run and not in the other.
        [service.report().to_string(), list.1, link.1, moved.1]
            .map(|text| text.replace(service.base(), "BASE"))
    };
    assert_eq!(run(), run());
}

/// The company of the demo world that has a past.
fn with_a_past(service: &Running) -> serde_json::Value {
    service.report()["companies"][2].clone()
}

/// The webhook has failed since the application subscribed.
fn webhook_has_failed(service: &Running) {
    let system = format!("Bearer {}", service.report()["system_access_token"].as_str().unwrap());
    let ask = |path: &str| -> serde_json::Value {
        serde_json::from_str(&service.call_as(&system, "GET", path, "").unwrap().1).unwrap()
    };
    let hook = ask("/v1/webhook_subscriptions")[0]["uuid"].as_str().unwrap().to_owned();
    let deliveries = ask(&format!("/v1/webhook_subscriptions/{hook}/deliveries?limit=100&sort_order=desc"));
    let tried = deliveries
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["attempts"].to_string().matches("number").count() > 1);
    assert!(tried.count() > 0, "{deliveries}");
}

#[test]
fn a_company_of_the_demo_world_looks_back_on_a_year() {
    let clock = "2026-11-21T09:00:00Z";
    let plain = demo(&["--seed", "21", "--clock", clock]);
    let service = Running::dev_with_history(&["--memory", "--seed", "21", "--clock", clock]);
    for part in ["application", "system_access_token"] {
        assert_eq!(service.report()[part], plain.report()[part], "{part} is what it is without the past");
    }
    for place in 0..2 {
        assert_eq!(service.report()["companies"][place], plain.report()["companies"][place]);
    }
    let company = with_a_past(&service);
    let bearer = format!("Bearer {}", company["access_token"].as_str().unwrap());
    let get = |path: &str| -> serde_json::Value {
        let path = path.replace("{company}", company["uuid"].as_str().unwrap());
        let (status, told) = service.call_as(&bearer, "GET", &path, "").unwrap();
        assert_eq!(status, 200, "{path}: {told}");
        serde_json::from_str(&told).unwrap()
    };
    // Payrolls of the year, each processed and paid on its day, and nobody paid nothing.
    let payrolls =
        get("/v1/companies/{company}/payrolls?processing_statuses=processed&start_date=2026-01-01&per=100");
    let payrolls = payrolls.as_array().unwrap();
    assert!(payrolls.len() >= 20, "{}", payrolls.len());
    for payroll in payrolls {
        let id = payroll["payroll_uuid"].as_str().unwrap();
        let shown = get(&format!("/v1/companies/{{company}}/payrolls/{id}"));
        let paychecks = shown["employee_compensations"].as_array().unwrap();
        assert_eq!(paychecks.len(), 5, "{shown}");
        for paycheck in paychecks {
            // As text or as a number, by the version.
            let net = paycheck["net_pay"].to_string();
            let dollars: u32 = net.trim_matches('"').split('.').next().unwrap().parse().unwrap();
            assert!(dollars > 300, "{paycheck}");
        }
    }
    let next =
        get(&format!("/v1/companies/{{company}}/payrolls/{}", company["payroll_uuid"].as_str().unwrap()));
    assert_eq!(next["processed"], false);
    let entered = next["employee_compensations"].to_string();
    assert!(entered.contains("Paycheck Tips"), "the hours of the open payroll are entered: {entered}");

    // What happened to whom.
    let people = get("/v1/companies/{company}/employees");
    let person = |first: &str| {
        let found = people.as_array().unwrap().iter().find(|one| one["first_name"] == first);
        found.unwrap()["uuid"].as_str().unwrap().to_owned()
    };
    assert_eq!(get(&format!("/v1/employees/{}/garnishments", person("Marcus"))).as_array().unwrap().len(), 2);
    let saved = get(&format!("/v1/employees/{}/employee_benefits?include=all_benefits", person("Elena")));
    let deductions: Vec<_> =
        saved.as_array().unwrap().iter().map(|one| one["employee_deduction"].clone()).collect();
    assert!(deductions.contains(&"4.00".into()) && deductions.contains(&"7.00".into()), "{deductions:?}");
    let page = format!(
        "/console/companies/{}/employees/{}/salary",
        company["uuid"].as_str().unwrap(),
        person("Ruth")
    );
    let (status, page) = service.get(&page);
    assert_eq!(status, 200);
    assert!(page.contains("90th percentile $") && !page.contains(">open<"), "it is accepted: {page}");
    let newcomer = get(&format!("/v1/employees/{}/onboarding_status", person("Noah")));
    assert_eq!(newcomer["onboarding_status"], "self_onboarding_invited_started");
    assert!(!get(&format!("/v1/employees/{}/forms", person("Elena"))).as_array().unwrap().is_empty());
    let signatories = get("/v1/companies/{company}/signatories");
    assert_eq!(signatories[0]["identity_verification_status"], "Pass");

    webhook_has_failed(&service);
    // Whoever goes on from here is in the present.
    let now: serde_json::Value = serde_json::from_str(&service.get("/v1/test_helpers/clock").1).unwrap();
    assert_eq!(now["now"], clock);
}

#[test]
fn two_worlds_with_a_past_of_the_same_seed_are_the_same() {
    let run = || {
        let service =
            Running::dev_with_history(&["--memory", "--seed", "42", "--clock", "2026-06-21T09:00:00Z"]);
        let company = with_a_past(&service);
        let bearer = format!("Bearer {}", company["access_token"].as_str().unwrap());
        let path =
            format!("/v1/companies/{}/payrolls?per=100&include=totals", company["uuid"].as_str().unwrap());
        let (status, payrolls) = service.call_as(&bearer, "GET", &path, "").unwrap();
        assert_eq!(status, 200, "{payrolls}");
        [service.report().to_string(), payrolls].map(|text| text.replace(service.base(), "BASE"))
    };
    assert_eq!(run(), run());
}

#[test]
fn a_demo_world_in_a_file_is_the_same_world_after_a_restart_and_can_be_served_for_real() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("world.db");
    let url = format!("sqlite:{}", file.display());
    let first = Running::dev(&["--database-url", &url]);
    let token = first.token().to_owned();
    let company = first.company().to_owned();
    let before = first.get(&format!("/v1/companies/{company}/employees"));
    assert_eq!(before.0, 200);
    assert_eq!(first.stop().0, Some(0));

    let again = Running::dev(&["--database-url", &url]);
    assert_eq!(again.token(), token);
    assert_eq!(again.stop().0, Some(0));

    let key = folder.path().join("world.db.key");
    let real = Running::serve(&url, &key, &token, &company);
    assert_eq!(real.get(&format!("/v1/companies/{company}/employees")).1, before.1);
    assert_eq!(real.get("/v1/test_helpers/clock").0, 404, "the test clock is for dev alone");
    assert_eq!(real.get("/metrics").0, 404, "without a metrics_token the figures are closed");
    assert_eq!(real.get("/healthz").0, 200);
    assert_eq!(real.get("/readyz").0, 200);

    // The master key is changed while the service runs on the old and the new one.
    let both = format!("{}\n{}", "cd".repeat(32), std::fs::read_to_string(&key).unwrap());
    std::fs::write(&key, both).unwrap();
    let rotated =
        run(stipend().args(["keys", "rotate", "--database-url", &url]).env("STIPEND_MASTER_KEY_FILE", &key));
    assert_eq!(
        (rotated.code, rotated.out.trim()),
        (Some(0), "2 data keys were wrapped under the current master key")
    );
    assert_eq!(real.get(&format!("/v1/companies/{company}/employees")).1, before.1);
    assert_eq!(real.stop().0, Some(0));
    std::fs::write(&key, "cd".repeat(32)).unwrap();
    let renewed = Running::serve(&url, &key, &token, &company);
    assert_eq!(renewed.get(&format!("/v1/companies/{company}/employees")).1, before.1);

    let copy = folder.path().join("copy.db");
    let copied = run(stipend()
        .args(["backup", copy.to_str().unwrap(), "--database-url", &url])
        .env("STIPEND_MASTER_KEY_FILE", &key));
    assert_eq!(copied.code, Some(0), "{}", copied.err);
    let restored = Running::serve(&format!("sqlite:{}", copy.display()), &key, &token, &company);
    assert_eq!(restored.get(&format!("/v1/companies/{company}/employees")).1, before.1);
}

store::statements! {
    TAMPER = "UPDATE audit SET action = 'deleted' WHERE action = 'updated'";
}

#[test]
fn the_audit_log_is_verified_at_the_command_line_and_a_change_of_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    let key = folder.path().join("world.db.key");
    let service = Running::dev(&["--database-url", &url, "--clock", "2026-11-21T09:00:00Z"]);
    let company = service.company().to_owned();
    let moved = service.post("/v1/test_helpers/clock/advance", r#"{"seconds":7200}"#);
    assert_eq!(moved.0, 200, "{}", moved.1);
    assert_eq!(service.stop().0, Some(0));

    let verify = |more: &[&str]| {
        let mut command = stipend();
        run(command
            .args(["audit", "verify", "--database-url", &url])
            .args(more)
            .env("STIPEND_MASTER_KEY_FILE", &key))
    };
    let whole = verify(&[]);
    assert_eq!((whole.code, whole.err.as_str()), (Some(0), ""));
    assert!(
        whole.out.lines().any(|line| line.starts_with(&company) && line.contains("newest seal")),
        "{}",
        whole.out
    );
    let told: serde_json::Value =
        serde_json::from_str(verify(&["--company", &company, "--json"]).out.trim()).unwrap();
    assert_eq!((&told["company"], &told["broken"]), (&company.as_str().into(), &serde_json::Value::Null));
    let noted = told["newest"].as_str().unwrap();
    assert_eq!(verify(&["--company", &company, "--seal", noted]).code, Some(0));
    assert_eq!(verify(&["--company", &company, "--seal", "00"]).code, Some(1));
    let exported = run(stipend()
        .args(["audit", "export-seals", "--database-url", &url])
        .env("STIPEND_MASTER_KEY_FILE", &key));
    let (kept, line) = (folder.path().join("seals.jsonl"), exported.out.lines().next().unwrap_or_default());
    assert!(exported.code == Some(0) && exported.out.contains(noted), "{}{}", exported.out, exported.err);
    let seals = |text: &str| {
        std::fs::write(&kept, text).unwrap();
        verify(&["--seals", kept.to_str().unwrap()])
    };
    assert_eq!(seals(&exported.out).code, Some(0));
    // A company of which nothing is left, and a file that is none.
    let gone = line.replacen(&line[12..48], "00000000-0000-4000-8000-000000000001", 1);
    let gone = seals(&format!("{}{gone}\n", exported.out));
    assert!(
        gone.code == Some(1) && gone.out.contains("the seal that was noted is not in the chain"),
        "{}",
        gone.out
    );
    assert!(seals("{}\n").err.contains("line 1: missing field"), "{}", seals("{}\n").err);

    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let keys = store::MasterKeys::none();
        let options = store::Options::new(store::Clock::system(), keys, domain::SCHEMA);
        let store = store::Store::open(&url, options).unwrap();
        let changed = store.write(|tx| tx.change(TAMPER, store::params![]).map(|changed| changed.rows()));
        let changed: Result<u64, store::Error> = changed.await;
        assert!(changed.unwrap() > 0);
    });
    let broken = verify(&[]);
    assert_eq!(broken.code, Some(1));
    assert!(broken.out.contains("BROKEN: an entry, or the seal, was changed under seal 1"), "{}", broken.out);
    assert!(broken.err.starts_with("stipend: the audit log was changed: "), "{}", broken.err);
}

#[test]
fn minimum_wages_are_imported_from_a_file_while_the_service_runs() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    let service = Running::dev(&["--database-url", &url]);
    let json = |path: &str| -> Vec<serde_json::Value> { serde_json::from_str(&service.get(path).1).unwrap() };
    let location = json(&format!("/v1/companies/{}/locations", service.company()))[0]["uuid"].clone();
    let federal = || {
        let path = format!("/v1/locations/{}/minimum_wages", location.as_str().unwrap());
        let found = json(&path).into_iter().find(|wage| wage["authority"] == "Federal").unwrap();
        (found["uuid"].clone(), found["wage"].as_str().unwrap().to_owned())
    };
    let (rule, wage) = federal();
    assert_eq!(wage, "7.25");
    let import = |line: &str| {
        let file = folder.path().join("minimum_wages.csv");
        std::fs::write(&file, include_str!("../../data/minimum_wages.csv").to_owned() + line).unwrap();
        let words = ["data", "import", "minimum-wages", file.to_str().unwrap(), "--database-url", &url];
        run(stipend().args(words).env("STIPEND_MASTER_KEY_FILE", folder.path().join("world.db.key")))
    };
    let broken = import("Federal,US,,,,,Regular,,eight dollars,,2020-01-01,,,,,\n");
    assert_eq!((broken.code, broken.out.as_str()), (Some(1), ""));
    assert!(broken.err.contains("nothing was imported"), "{}", broken.err);
    assert_eq!(federal(), (rule.clone(), wage));
    let done = import("Federal,US,,,,,Regular,,8.00,,2020-01-01,,,,,\n");
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.out.contains("Federal Regular from 2020-01-01: 8.00"), "{}", done.out);
    assert_eq!(federal(), (rule, "8.00".to_owned()));
}

#[test]
fn wrong_use_gives_one_clear_line_and_the_right_exit_code() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let key = "ab".repeat(32);
    type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], i32, &'a str);
    let cases: [Case<'_>; 15] = [
        (&["--json"], &[], 2, "a command is missing: stipend <COMMAND>, one of dev, serve, "),
        (&["keys"], &[], 2, "a command is missing: stipend keys <COMMAND>, one of new, rotate"),
        (&["dev", "--memroy"], &[], 2, "--memroy' found; did you mean --memory?; see stipend dev --help"),
        (&["srve"], &[], 2, "did you mean serve?; see stipend --help"),
        (&["bank", "filse"], &[], 2, "did you mean files?; see stipend bank --help"),
        (&["trigger", "emploee.created"], &[], 1, "did you mean employee.created?"),
        (&["trigger"], &[], 2, "<EVENT>"),
        (&["deliver"], &[], 2, "deliver"),
        (&["dev", "--memory", "--clock", "yesterday"], &[], 2, "--clock"),
        (&["dev", "--memory", "--listen", &taken], &[], 1, &taken),
        (&["serve", "--memory"], &[], 1, "stipend keys new"),
        (&["serve", "--memory"], &[("STIPEND_MASTER_KEY", "too short")], 1, "64 hexadecimal digits"),
        (
            &["serve", "--database-url", "mysql://x"],
            &[("STIPEND_MASTER_KEY", &key)],
            1,
            "sqlite: or postgres://",
        ),
        (
            &["serve", "--memory"],
            &[("STIPEND_RATE_LIMIT", "many"), ("STIPEND_MASTER_KEY", &key)],
            1,
            "rate_limit",
        ),
        (&["serve", "--memory", "--config", "/nowhere.toml"], &[], 1, "/nowhere.toml"),
    ];
    for (arguments, environment, code, named) in cases {
        let done = run(stipend().args(arguments).envs(environment.iter().copied()));
        assert_eq!(done.code, Some(code), "{arguments:?}: {}", done.err);
        assert_eq!(done.err.trim().lines().count(), 1, "{arguments:?}: {}", done.err);
        assert!(done.err.contains(named), "{arguments:?}: {}", done.err);
        assert_eq!(done.out, "", "{arguments:?}");
    }
}

#[test]
fn without_a_command_the_help_is_printed() {
    let done = run(&mut stipend());
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert!(
        done.out.contains("Commands:\n  dev ") && done.out.contains("stipend dev --memory"),
        "{}",
        done.out
    );
}

#[test]
fn the_published_description_is_the_one_that_the_binary_prints() {
    let printed = run(stipend().arg("openapi"));
    let published = include_str!("../../openapi.json");
    assert!(printed.out == published, "renew it: cargo run -p stipend -- openapi > openapi.json");
}

#[test]
fn an_application_is_created_with_secrets_that_are_shown_once() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("new.db").display());
    let key = "ab".repeat(32);
    let migrate = ["migrate", "--create", "--database-url", &url];
    assert_eq!(run(stipend().args(migrate).env("STIPEND_MASTER_KEY", &key)).code, Some(0));
    let done = run(stipend()
        .args([
            "app",
            "create",
            "--name",
            "Till",
            "--redirect-uri",
            "https://till.example/back",
            "--database-url",
            &url,
        ])
        .env("STIPEND_MASTER_KEY", &key));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let told: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    for secret in ["client_id", "client_secret", "api_token"] {
        assert!(told[secret].as_str().is_some_and(|text| text.len() >= 36), "{secret}");
        let kept = secret == "client_id" || !done.err.contains(told[secret].as_str().unwrap());
        assert!(kept, "what to do next does not repeat the secrets");
    }
    let link = format!("/oauth/authorize?client_id={}", told["client_id"].as_str().unwrap());
    assert!(done.err.contains("/v1/partner_managed_companies") && done.err.contains(&link), "{}", done.err);
    let listed = run(stipend()
        .args(["app", "list", "--json", "--database-url", &url])
        .env("STIPEND_MASTER_KEY", &key));
    assert!(listed.out.contains("2026-06-15"), "it begins with the newest version: {}", listed.out);
}

#[test]
fn an_administrator_is_created_with_a_password_that_is_shown_once() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    let service = Running::dev(&["--database-url", &url]);
    let company = service.company().to_owned();
    let key = folder.path().join("world.db.key");
    let create = |company: &str, more: &[&str]| {
        let given = ["--email", "Ann@diner.example", "--first-name", "Ann", "--last-name", "Lee"];
        let mut command = stipend();
        command.args(["user", "create", "--company", company, "--database-url", &url]).args(given).args(more);
        run(command.env("STIPEND_MASTER_KEY_FILE", &key))
    };
    let told = |ended: binary::Ended| {
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        serde_json::from_str::<serde_json::Value>(&ended.out).unwrap()
    };
    let first = told(create(&company, &["--role", "primary_admin"]));
    assert!(first["password"].as_str().is_some_and(|text| text.len() >= 20));
    assert_eq!((&first["role"], &first["companies"][0]), (&"primary_admin".into(), &company.as_str().into()));
    let again = told(create(&company, &[]));
    assert_eq!((&again["uuid"], again.get("password")), (&first["uuid"], None), "it is kept, and not shown");
    let renewed = told(create(&company, &["--new-password"]));
    assert!(renewed["password"].is_string() && renewed["password"] != first["password"]);
    for (company, more, word) in [
        ("0197a1b2-0000-7000-8000-00000000dead", &[][..], "no such company"),
        (&company, &["--role", "owner"], "--role"),
    ] {
        let refused = create(company, more);
        assert!(refused.code == Some(1) && refused.err.contains(word), "{}", refused.err);
    }
    assert_eq!(service.stop().0, Some(0));
}

#[test]
fn a_request_that_runs_when_the_service_is_stopped_is_answered() {
    let service = demo(&["--seed", "3"]);
    let path = format!("/v1/companies/{}/employees", service.company());
    let body = r#"{"first_name":"Noor","last_name":"Haddad"}"#;
    // Half of the request is on its way when the signal comes.
    let half = service.half_a_post(&path, body);
    std::thread::sleep(Duration::from_millis(100));
    service.signal();
    std::thread::sleep(Duration::from_millis(100));
    let answer = half.finish();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    assert_eq!(service.stop().0, Some(0));
}

#[test]
fn every_event_that_there_is_can_be_triggered_and_happens() {
    let service = demo(&["--seed", "9"]);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), service.report().to_string()).unwrap();
    let world = ["--world", file.path().to_str().unwrap()];
    let trigger = |event: &str| run(stipend().args(["trigger", event]).args(world));
    for (unknown, told) in
        [("nothing.happened", "--list"), ("location.moved", "location.created, location.updated")]
    {
        let refused = trigger(unknown);
        assert!(refused.code == Some(1) && refused.err.contains(told), "{}", refused.err);
    }
    let listed = run(stipend().args(["trigger", "--list"]));
    let names: Vec<_> = listed.out.lines().collect();
    assert!(names.len() >= 60, "{names:?}");
    let system = format!("Bearer {}", service.report()["system_access_token"].as_str().unwrap());
    let events = |query: &str| -> Vec<serde_json::Value> {
        let (status, told) = service.call_as(&system, "GET", &format!("/v1/events?{query}"), "").unwrap();
        assert_eq!(status, 200, "{told}");
        serde_json::from_str(&told).unwrap()
    };
    // Twice each: whatever one of them leaves behind stands in nobody's way.
    for name in names.iter().chain(&names) {
        let newest = events("sort_order=desc&limit=1")[0]["uuid"].as_str().unwrap().to_owned();
        let done = trigger(name);
        assert_eq!(done.code, Some(0), "{name}: {}", done.err);
        assert_eq!(done.out, format!("{name} happened\n"));
        let since = events(&format!("limit=100&starting_after_uuid={newest}"));
        assert!(since.iter().any(|event| event["event_type"] == *name), "{name}: {since:?}");
    }
    // Without the demo world's file, the token of a company is enough for what happens to that company alone.
    let told = ["--url", service.base(), "--token", service.token(), "--company", service.company()];
    assert_eq!(run(stipend().args(["trigger", "employee.created"]).args(told)).code, Some(0));
    let refused = run(stipend().args(["trigger", "company.provisioned"]).args(told));
    assert!(refused.code == Some(1) && refused.err.contains("--world"), "{}", refused.err);
}

#[test]
fn listening_hands_events_on_as_they_came_and_fetches_those_that_were_missed() {
    let (service, program) = (demo(&["--seed", "10"]), receiver::Receiver::new());
    let location = r#"{"street_1":"12 Depot Street","city":"Austin","state":"TX","zip":"78701","phone_number":"5125550111"}"#;
    let locations = format!("/v1/companies/{}/locations", service.company());
    let token = service.report()["system_access_token"].as_str().unwrap();
    let mut listen = stipend();
    listen.args(["listen", "--forward-to", &program.url, "--since", "1h", "--types", "Location"]);
    let listen =
        listen.args(["--url", service.base(), "--token", token]).stdout(Stdio::piped()).spawn().unwrap();
    let wait_for = |count: usize| {
        for _ in 0..1_000 {
            if program.events().len() >= count {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("{count} events did not come: {:?}", program.calls());
    };
    wait_for(4); // the locations of the demo world were missed
    assert_eq!(service.post(&locations, location).0, 201);
    wait_for(5);
    let token = program.tokens().pop().unwrap();
    for call in program.events() {
        let (right, file) =
            (call.header("x-service-signature").to_owned(), tempfile::NamedTempFile::new().unwrap());
        std::fs::write(file.path(), &call.body).unwrap();
        let verify = |signature: &str| {
            let told = ["verify-signature", "--secret", &token, "--signature", signature];
            run(stipend().args(told).arg(file.path()))
        };
        assert_eq!(verify(&right).code, Some(0));
        let wrong = verify(&right[..40]);
        assert_eq!(wrong.code, Some(1));
        assert!(wrong.err.contains("40 of 64"), "{}", wrong.err);
    }
    Command::new("kill").args(["-TERM", &listen.id().to_string()]).status().unwrap();
    let ended = listen.wait_with_output().unwrap();
    assert!(ended.status.success());
    let said = String::from_utf8(ended.stdout).unwrap();
    let lines: Vec<_> = said.lines().filter(|line| line.contains("  200  location.created  ")).collect();
    assert_eq!(lines.len(), 5, "{said}");
    assert_eq!(lines.iter().filter(|line| line.ends_with("  missed")).count(), 4, "{said}");
    assert!(!said.contains('\u{1b}'), "colours are for a terminal");
    assert!(said.ends_with("5 events, 0 of them not taken. The subscription is removed.\n"), "{said}");
    let left = service.call_as(
        &format!("Bearer {}", service.report()["system_access_token"].as_str().unwrap()),
        "GET",
        "/v1/webhook_subscriptions",
        "",
    );
    assert_eq!(left.unwrap().1, "[]", "the subscription is removed at the end");
}

#[test]
fn what_runs_in_memory_on_any_port_is_found_by_the_tools_of_a_developer() {
    let folder = tempfile::tempdir().unwrap();
    let here = [("XDG_RUNTIME_DIR", folder.path().to_str().unwrap())];
    let tool = |arguments: &[&str]| run(stipend().args(arguments).envs(here));
    let gone = tool(&["trigger", "employee.created"]);
    assert_eq!(gone.code, Some(1), "nothing runs: {}", gone.out);

    let first = Running::dev_with(&["--memory", "--seed", "31"], &here);
    let done = tool(&["trigger", "employee.created"]);
    assert_eq!((done.code, done.out.as_str()), (Some(0), "employee.created happened\n"), "{}", done.err);
    // More of the world than one company is known, too.
    let done = tool(&["trigger", "company.provisioned"]);
    assert_eq!(done.code, Some(0), "{}", done.err);

    let second = Running::dev_with(&["--memory", "--seed", "32"], &here);
    let refused = tool(&["trigger", "employee.created"]);
    assert_eq!(refused.code, Some(1));
    for service in [&first, &second] {
        assert!(refused.err.contains(&format!("--url {}", service.base())), "{}", refused.err);
        let done = tool(&["trigger", "employee.created", "--url", service.base()]);
        assert_eq!(done.code, Some(0), "{}", done.err);
    }
    assert_eq!(first.stop().0, Some(0));
    let mut listen = stipend();
    listen.args(["listen", "--types", "Location"]).envs(here).stdout(Stdio::piped());
    let mut listen = listen.spawn().unwrap();
    let mut said = std::io::BufReader::new(listen.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("Listening") {
        line.clear();
        assert!(
            std::io::BufRead::read_line(&mut said, &mut line).unwrap() > 0,
            "it listens to the one that is left"
        );
    }
    Command::new("kill").args(["-TERM", &listen.id().to_string()]).status().unwrap();
    assert!(listen.wait().unwrap().success());
    assert_eq!(second.stop().0, Some(0));
    assert!(
        std::fs::read_dir(folder.path().join("stipend")).unwrap().next().is_none(),
        "nothing is left behind"
    );
}

#[test]
fn whatever_watches_a_container_learns_whether_the_service_can_serve() {
    let service = demo(&["--seed", "3"]);
    let asks = |url: &str| run(stipend().args(["health", "--url", url]));
    let healthy = asks(service.base());
    assert_eq!((healthy.code, healthy.out.lines().next()), (Some(0), Some("ready")), "{}", healthy.err);
    // Without --url it is the address of the settings, on this machine.
    let port = service.base().rsplit(':').next().unwrap();
    let by_settings = run(stipend().arg("health").env("STIPEND_LISTEN", format!("0.0.0.0:{port}")));
    assert_eq!(by_settings.code, Some(0), "{}", by_settings.err);
    let base = service.base().to_owned();
    assert_eq!(service.stop().0, Some(0));
    let gone = asks(&base);
    assert_eq!((gone.code, gone.out.as_str()), (Some(1), ""));
    assert_eq!(gone.err.trim().lines().count(), 1, "{}", gone.err);
    // The image asks just that.
    let file = include_str!("../../packaging/Containerfile");
    assert!(file.contains(r#"CMD ["/usr/local/bin/stipend", "health"]"#));
}
