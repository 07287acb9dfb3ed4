//! The demo world: the same from one seed, with a past, and still there after a restart.

use crate::binary::{Running, run, stipend};
use crate::demo;

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
fn the_world_that_runs_is_printed_again_with_a_whole_url_to_connect_a_company_and_what_the_scripts_read() {
    let folder = tempfile::tempdir().unwrap();
    let here = [("XDG_RUNTIME_DIR", folder.path().to_str().unwrap())];
    let service = Running::dev_with(&["--memory", "--seed", "1"], &here);
    let base = service.report()["base_url"].as_str().unwrap().to_owned();
    let world = |more: &[&str]| run(stipend().args(["world", "--url", &base]).args(more).envs(here));
    let again = world(&["--json"]);
    let again: serde_json::Value =
        serde_json::from_str(&again.out).unwrap_or_else(|_| panic!("{}", again.err));
    assert_eq!(&again, service.report());
    let text = world(&[]).out;
    let [application, user] = [&again["application"], &again["users"][1]];
    for (name, value) in [
        ("CLIENT_ID", &application["client_id"]),
        ("CLIENT_SECRET", &application["client_secret"]),
        ("EMAIL", &user["email"]),
        ("PASSWORD", &user["password"]),
        ("SIGNATORY", &again["companies"][1]["signatory_email"]),
    ] {
        assert!(text.contains(&format!(" {name}={}", value.as_str().unwrap())), "{name}: {text}");
    }
    for user in again["users"].as_array().unwrap() {
        let line = format!("  {}  {}", user["email"].as_str().unwrap(), user["password"].as_str().unwrap());
        assert!(text.contains(&line), "{line}: {text}");
    }
    let url = again["authorize_url"].as_str().unwrap();
    assert!(text.contains(&format!("  {url}\n")), "{text}");
    let (status, page) = service.get(url.strip_prefix(&base).unwrap());
    assert!(status == 200 && page.contains("name=\"email\""), "{status} {page}");
    let none = run(stipend().args(["world", "--url", "http://127.0.0.1:1"]));
    assert_eq!((none.code, none.err.as_str()), (Some(1), "stipend: no `stipend dev` runs on this machine\n"));
}

/// "Manual_payment_required: true when the service cannot pay the agency automatically": the demo world's bank pays all others.
#[test]
fn the_demo_world_has_a_bank_that_pays_every_agency_that_takes_electronic_payments() {
    let service = demo(&["--seed", "1"]);
    let (status, told) = service.get("/v1/garnishments/child_support");
    assert_eq!(status, 200, "{told}");
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let manual: Vec<_> = told["agencies"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|agency| agency["manual_payment_required"] == true)
        .map(|agency| (agency["state"].as_str().unwrap(), agency["remittance_reason"].as_str().unwrap()))
        .collect();
    assert_eq!(manual, [("SC", "agency_takes_no_electronic_payments")]);
    let (status, told) = service.get("/readyz");
    assert_eq!(status, 200, "{told}");
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
    assert_eq!(real.get("/metrics").0, 401, "without the metrics_token the figures are closed");
    assert_eq!(real.get("/healthz").0, 200);
    assert_eq!(real.get("/readyz").0, 200);

    // The master key is changed while the service runs on the old and the new one.
    let both = format!("{}\n{}", "cd".repeat(32), std::fs::read_to_string(&key).unwrap());
    std::fs::write(&key, both).unwrap();
    let rotated =
        run(stipend().args(["keys", "rotate", "--database-url", &url]).env("STIPEND_MASTER_KEY_FILE", &key));
    assert_eq!(
        (rotated.code, rotated.out.trim()),
        (Some(0), "3 data keys were wrapped under the current master key")
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

#[test]
fn no_demo_world_is_built_into_a_store_that_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("real.db").display());
    let key = "ab".repeat(32);
    let with_key = |args: &[&str]| {
        run(stipend().args(args).args(["--database-url", &url]).env("STIPEND_MASTER_KEY", &key))
    };
    assert_eq!(with_key(&["migrate", "--create"]).code, Some(0));
    let redirect = "https://till.example/back";
    assert_eq!(with_key(&["app", "create", "--name", "Till", "--redirect-uri", redirect]).code, Some(0));
    let refused = with_key(&["dev", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("no demo world: choose another place"), "{}", refused.err);
    let applications = with_key(&["app", "list", "--json"]);
    assert!(applications.out.contains("Till") && !applications.out.contains("Demo"), "{}", applications.out);
}
