//! What every request has in common: versions, names of requests, headers, and what the operator asks.

use std::collections::HashSet;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use domain::Error;
use domain::access::scope::Scopes;
use domain::access::tokens::TokenKind;
use domain::company::companies::rows as companies;
use domain::events::LATEST;
use http_body_util::BodyExt;
use jiff::Span;
use serde_json::{Value, json};
use store::{Clock, Latest, MasterKeys, Place};
use tokio::task::JoinSet;
use tower::ServiceExt;

use crate::support::{
    Company, Engine, Operation, START, Target, World, id_of, on_both_engines, open_store_at, operations,
};

const SERVED: [&str; 5] = ["2024-04-01", "2025-06-15", "2025-11-15", "2026-02-01", "2026-06-15"];
const OURS: &str = "x-service-api-version";
const ALIAS: &str = "x-gusto-api-version";

#[test]
fn the_version_is_repeated_under_the_name_that_was_used() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let path = "/v1/companies/{company}";
        for version in SERVED {
            for (used, other) in [(OURS, ALIAS), (ALIAS, OURS)] {
                let answer = company.call("GET", path).header(used, version).send().await.is(200);
                assert_eq!((answer.header(used), answer.header(other)), (version, ""));
                let refused =
                    company.call("POST", path.to_owned() + "/employees").header(used, version).raw("{}");
                assert_eq!(refused.send().await.is(422).header(used), version);
            }
        }
        let both = company.call("GET", path).header(ALIAS, "2026-02-01").header(OURS, "2025-11-15");
        assert_eq!(
            both.send().await.is(200).header(OURS),
            "2025-11-15",
            "the specification's name comes first"
        );
    });
}

#[test]
fn without_a_version_that_of_the_application_counts() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        assert_eq!(company.get("/v1/companies/{company}").await.header(OURS), "2025-06-15");
        let (application, _) = world.another_application().await;
        world.set_default_version(application, "2026-02-01").await;
        let company = world.company_of(application).await;
        assert_eq!(company.get("/v1/companies/{company}").await.header(OURS), "2026-02-01");
        let body = json!({ "first_name": "Ana", "last_name": "Lee", "self_onboarding": true });
        let refused = company.post("/v1/companies/{company}/employees", body).await.refused(422);
        assert_eq!(refused.fault(), ("email", "invalid_attribute_value"), "this version needs it");
    });
}

#[test]
fn a_request_keeps_the_name_that_it_brings_and_else_gets_one() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let named = async |name: &str| {
            let answer =
                company.call("GET", "/v1/companies/{company}").header("x-request-id", name).send().await;
            answer.header("x-request-id").to_owned()
        };
        for name in ["7", "a.B-c_9", &"x".repeat(64)] {
            assert_eq!(named(name).await, name);
        }
        let mut given = HashSet::new();
        for name in ["", "a b", "\"quoted\"", "é", &"x".repeat(65)] {
            let name_given = named(name).await;
            assert_ne!(name_given, name);
            assert!(given.insert(name_given), "each request has a name of its own");
        }
        let body = json!({ "first_name": "Ana", "last_name": "Lee" });
        let call =
            company.call("POST", "/v1/companies/{company}/employees").header("x-request-id", "hiring-7");
        call.json(&body).send().await.created();
        assert_eq!(company.audit().await[0].request_id, "hiring-7");
    });
}

#[test]
fn head_is_answered_like_get_without_the_body() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let target = Target::of(world.company().await).await;
        for operation in
            operations().iter().filter(|o| o.method == "GET" && o.needs_a_token() && !o.takes_json())
        {
            let path = target.path(operation);
            let get = target.company.get(&path).await.is(200);
            let head = target.company.call("HEAD", &path).send().await.is(200);
            assert!(head.body.is_empty());
            assert_eq!(head.header("content-type"), get.header("content-type"), "{path}");
            world.call("HEAD", &path).send().await.is(401);
        }
    });
}

#[test]
fn a_browser_at_an_address_that_does_not_exist_gets_a_page() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        for path in ["/index.html", "/payrolls", "/flows"] {
            let page = world.call("GET", path).header("accept", browser).send().await.is(404).text();
            assert!(page.contains("<h1>No such page</h1>"), "{path}: {page}");
        }
        let told = world.call("GET", "/v1/nowhere").header("accept", browser).send().await;
        assert_eq!(
            told.refused(404).fault(),
            ("request", "not_found"),
            "the interface answers as it always does"
        );
    });
}

#[test]
fn an_address_that_does_not_exist_is_answered_like_any_other_refusal() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let world = &company.world;
        for path in [
            "/v1",
            "/v2/companies",
            "/v1/companies/",
            "/v1//companies",
            "/index.html",
            "/v1/employees",
            "/%00",
            "/%FF",
        ] {
            for call in
                [world.call("GET", path), company.call("POST", path).raw("{"), world.call("DELETE", path)]
            {
                assert_eq!(call.send().await.refused(404).fault(), ("request", "not_found"), "{path}");
            }
        }
        let slash = company.get(format!("/v1/companies/{}/", company.id)).await;
        assert_eq!(slash.refused(404).fault(), ("request", "not_found"));
    });
}

#[test]
fn a_request_that_names_two_hosts_or_sends_a_compressed_body_is_refused_and_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let path = format!("/v1/companies/{}/departments", company.id);
        let asked = |target: String, host: &str| {
            let request = Request::get(target).header("host", host);
            request.header("authorization", format!("Bearer {}", company.token)).body(Body::empty()).unwrap()
        };
        for (target, host, status) in [
            (format!("http://pay.example{path}"), "evil.example", 400),
            (format!("http://evil.example{path}"), "pay.example", 400),
            (format!("http://pay.example{path}"), "PAY.example", 200),
            (path.clone(), "pay.example", 200),
        ] {
            let answer = company.world.router.clone().oneshot(asked(target.clone(), host)).await.unwrap();
            assert_eq!(answer.status().as_u16(), status, "{target} of {host}");
        }
        for coding in ["gzip", "br", "gzip, identity", "x"] {
            let gzip = b"\x1f\x8b\x08\x00".to_vec();
            let call = company.call("POST", &path).raw(gzip).header("content-encoding", coding);
            let refused = call.send().await.refused(415);
            assert!(refused.message().contains("Content-Encoding"), "{}", refused.message());
        }
        let plain = company.call("POST", &path).json(&json!({ "title": "Bar" }));
        plain.header("content-encoding", "identity").send().await.is(201);
        for hidden in ["Kit\u{202E}chen", "\u{200B}Kitchen", "Kitchen\u{FEFF}"] {
            let refused = company.post(&path, json!({ "title": hidden })).await.refused(422);
            assert!(refused.message().contains("invisible character U+"), "{}", refused.message());
        }
        assert_eq!(company.get(&path).await.list().len(), 1);
    });
}

#[test]
fn the_operator_hears_whether_the_process_lives_and_can_serve() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        assert_eq!(world.call("GET", "/healthz").send().await.is(200).text(), "ok\n");
        assert_eq!(world.call("GET", "/readyz").send().await.is(200).text().lines().next(), Some("ready"));
        let api = world.call("GET", "/openapi.json").send().await.ok();
        assert!(api["openapi"].as_str().unwrap().starts_with("3.1"));
        let published: Value = serde_json::from_str(&pages::routes::description_text()).unwrap();
        assert_eq!(api, published);
    });
}

#[test]
fn readyz_tells_what_to_change_about_the_store_even_while_the_clock_is_unconfirmed() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        world.company().await.employee("Ana").await;
        let two_days_later = world.now() + Span::new().hours(48);
        let url = match engine {
            Engine::Sqlite => without_checksums(&world),
            Engine::Postgres => world.url().to_owned(),
        };
        let node = world.second_node_at(&url, |options| {
            options.clock = Clock::standing_at(two_days_later);
            options.latest = Some(Latest {
                statement: LATEST,
                tables: &["events"],
                most: None,
                may_go_back: false,
                longest_rest: Some(Duration::from_secs(24 * 60 * 60)),
            });
        });
        let of_store = match engine {
            Engine::Sqlite => node.app.store.operator_caution().unwrap(),
            Engine::Postgres => node.app.store.durability().unwrap(),
        };
        let text = node.call("GET", "/readyz").send().await.is(200).text();
        let mut lines = text.lines();
        assert!(lines.next().unwrap().contains("due work wait"), "{text}");
        assert_eq!(lines.next(), of_store.lines().next(), "{text}");
        node.app.store.confirm_step();
        let text = node.call("GET", "/readyz").send().await.is(200).text();
        assert!(text.starts_with(&format!("ready\n{of_store}\n")), "{text}");
    });
}

/// A copy of a world's file as older versions made it, beside it: its pages have no checksums.
fn without_checksums(world: &World) -> String {
    let folder = world.folder().unwrap();
    let (file, old) = (folder.join("world.db"), folder.join("old.db"));
    let flags = rusqlite::OpenFlags::default();
    let connection = rusqlite::Connection::open_with_flags_and_vfs(file, flags, c"unix").unwrap();
    connection.execute("VACUUM INTO ?1", [format!("file:{}?reserve=0", old.display())]).unwrap();
    format!("sqlite:{}", old.display())
}

#[test]
fn a_node_whose_worker_is_gone_is_alive_but_not_ready() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        world.app.liveness.record_worker_state("jobs", true);
        let asked = async |token: &str| {
            let asked = Request::get("/readyz").header("authorization", token).body(Body::empty()).unwrap();
            let gone = world.router.clone().oneshot(asked).await.unwrap();
            assert_eq!(gone.status(), 503);
            gone.into_body().collect().await.unwrap().to_bytes()
        };
        assert_eq!(asked("Bearer of-the-operator").await, "the worker of jobs is gone; it begins again\n");
        // Nobody else learns why.
        for token in ["", "Bearer of-the-operator2", &world.system_token] {
            assert_eq!(asked(token).await, "not ready\n");
        }
        assert_eq!(
            world.call("GET", "/healthz").send().await.is(200).text(),
            "ok\n",
            "a restart would not help"
        );
        world.app.liveness.record_worker_state("jobs", false);
        assert_eq!(world.call("GET", "/readyz").send().await.is(200).text().lines().next(), Some("ready"));
    });
}

#[test]
fn whoever_has_no_token_is_told_the_readiness_of_at_most_a_second_ago() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let asked = async || {
            let asked = Request::get("/readyz").body(Body::empty()).unwrap();
            let answer = world.router.clone().oneshot(asked).await.unwrap();
            (answer.status().as_u16(), answer.into_body().collect().await.unwrap().to_bytes())
        };
        let begun = store::Clock::monotonic();
        assert_eq!(asked().await, (200, "ready\n".into()));
        world.app.liveness.record_worker_state("jobs", true);
        let since = || store::Clock::monotonic().saturating_sub(begun);
        let (second, told) = (asked().await.0, since());
        // On a busy machine a second may have passed already.
        assert!(second == 200 || told > Duration::from_secs(1), "the store is asked at most once a second");
        while asked().await.0 == 200 {
            assert!(since() < Duration::from_secs(5), "it is too old");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(asked().await, (503, "not ready\n".into()));
    });
}

#[test]
fn a_node_without_the_master_key_of_another_one_answers_503_and_names_the_key() {
    on_both_engines(async |engine: Engine| {
        // A file has one node.
        let Engine::Postgres = engine else { return };
        let place = engine.empty_database();
        let url = place.url.clone();
        let world = World::open(place, |_| {}).await;
        let other = world.company().await;
        // The other one was restarted with a new key first, and makes a company, with its key.
        let keys = MasterKeys::parse(&format!("{}\n{}", "cd".repeat(32), "ab".repeat(32))).unwrap();
        let ahead = open_store_at(&url, START, |options| options.keys = keys);
        let made = ahead.write(|tx| {
            let (id, now) = (tx.new_id(), tx.now());
            let named = companies::Company::new(id, "Far Ahead Diners".to_owned(), now);
            companies::insert_company(
                tx,
                &companies::Company { ein: Some("741852096".to_owned()), ..named },
            )?;
            tx.seal_field(Place { owner: id, table: "samples", row: id, column: "b" }, b"secret")?;
            Ok::<_, Error>(id)
        });
        let id = made.await.unwrap_or_else(|error| panic!("{error:?}"));
        let token =
            world.token(TokenKind::Company, world.application, Some(id), &Scopes::ALL.to_text(), None).await;
        let company = Company { id, token, ..other.clone() };
        let person = json!({ "first_name": "Ana", "last_name": "Silva", "ssn": "412552001" });
        let call = company.call("POST", "/v1/companies/{company}/employees").json(&person);
        let refused = call.among_too_many().send().await.refused(503);
        assert!(refused.message().contains("another node may answer"), "{}", refused.message());
        let ready = world.call("GET", "/readyz").send().await.is(200).text();
        assert!(ready.contains("add it to this node's key file and restart the node"), "{ready}");
        // Others are served.
        other.post("/v1/companies/{company}/employees", person).await.created();
    });
}

#[test]
fn figures_are_told_to_the_operator_alone_and_name_nobody() {
    on_both_engines(async |engine: Engine| {
        interface::operations::record_metrics().unwrap();
        let world = engine.own_world().await;
        let company = world.company().await;
        let employee = id_of(&company.employee("Ana").await);
        company.read("employees", &employee).await;
        let read =
            async |token: &str| world.call("GET", "/metrics").header("authorization", token).send().await;
        let text = read("Bearer of-the-operator").await.is(200).text();
        assert!(
            text.contains("http_requests_total{") && text.contains("route=\"/v1/employees/{employee_id}\"")
        );
        assert!(!text.contains(&employee) && !text.contains(&company.id.to_string()));
        for wrong in ["", "Bearer", "Bearer of-the-operato", "Bearer of-the-operator2", "of-the-operator"] {
            assert_eq!(read(wrong).await.refused(401).fault(), ("request", "invalid_token"), "{wrong}");
        }
        world.call("GET", "/metrics").send().await.refused(401);
        // Where no token is set, nobody gets them.
        let closed = engine.own_world_with(|setup| setup.settings.metrics_token = None).await;
        let off = closed.call("GET", "/metrics").header("authorization", "Bearer ").send().await.refused(404);
        assert_eq!(off.message(), "Metrics are off: set metrics_token.");
    });
}

#[test]
fn under_dev_only_names_of_this_machine_are_answered() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.settings.dev = true).await;
        let company = world.company().await;
        company.get("/v1/companies/{company}").await.is(200);
        for path in ["/healthz", "/v1/test_helpers/clock", "/metrics", "/v1/companies", "/nowhere"] {
            let call = world.call("GET", path).replace_header("host", "evil.example");
            assert_eq!(call.send().await.refused(421).fault(), ("request", "invalid_parameter"), "{path}");
        }
    });
}

#[test]
fn every_change_is_written_down_with_who_made_it_and_what_was_before() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = id_of(&company.employee("Ana").await);
        let version = &company.read("employees", &id).await["version"];
        let body = json!({ "version": version, "first_name": "Anna", "ssn": "412551017", "date_of_birth": "1990-01-02" });
        company.put(format!("/v1/employees/{id}"), body).await.ok();
        company.delete(format!("/v1/employees/{id}")).await.deleted();
        let entries = company.audit().await;
        let told: Vec<_> = entries.iter().map(|e| (e.action.as_str(), e.entity_type.as_str())).collect();
        assert_eq!(told, [("created", "employees"), ("updated", "employees"), ("deleted", "employees")]);
        assert!(
            entries.iter().all(|e| e.actor_kind == "application" && e.actor == company.world.application)
        );
        assert!(entries.iter().all(|e| e.entity.to_string() == id && !e.request_id.is_empty()));
        let expected =
            json!({ "first_name": ["Ana", "Anna"], "date_of_birth": ["***", "***"], "ssn": ["***", "***"] });
        assert_eq!(entries[1].changes, expected);
    });
}

/// Whether an operation changes something without an event. A link, a mark and an estimate happen to nobody, and what an application does
/// for itself to no company.
fn is_silent(operation: &Operation) -> bool {
    operation.is_for_applications()
        && !["/disassociate", "/disconnect_app_integration"]
            .iter()
            .any(|end| operation.route.ends_with(end))
    || operation.route.ends_with("terms_of_service")
    || operation.route.contains("/flows")
    || operation.route.contains("salary_estimates")
    // They were made when the company was set up, and are told once more.
    || operation.route.ends_with("send_test_deposits")
    || ["onboarding_status", "payment_method"].iter().any(|end| operation.route.ends_with(end))
        && !operation.route.contains("/contractors/")
    || operation.route.ends_with("i9_authorization")
    || operation.route.contains("i9_authorization/documents")
    || operation.route.ends_with("opening_balances")
    || operation.route.contains("earning_types")
    // Wires have no events, nor what is paid or debited again.
    || operation.route.contains("wire_in_requests")
    || operation.route.ends_with("/pay_again")
    || operation.route.ends_with("/redebit")
    || operation.route.ends_with("/held_payments/release")
    || operation.route.ends_with("/prefunding")
    // That a payment is funded is told by the bank's file.
    || operation.route.ends_with("/fund")
    // A contractor is told of the portal by whoever gives the link.
    || operation.route.contains("/contractors/") && operation.route.contains("member_portal_invitations")
    || operation.route.ends_with("contractor_payment_groups/{id}/partner_disbursements")
    || operation.route.contains("recurring_reimbursements")
    || operation.route.contains("section603_high_earner_statuses")
    || operation.route.ends_with("from_different_company")
    // What is owed concerns no pay date by itself.
    || operation.route.ends_with("external_payrolls/tax_liabilities")
    || operation.route.contains("departments")
    // Hours become events when they reach a payroll.
    || operation.route.contains("/time_tracking/") && !operation.route.contains("_batches")
    // A digest tells what happened, and makes nothing happen.
    || operation.route.contains("payroll_digests")
    || (operation.tag() == "Reports" && !operation.route.ends_with("/liability_payments"))
    || operation.route.contains("time_off_policies")
    // It is told when it is processed.
    || operation.route.ends_with("payrolls/skip")
    // There are no events of files.
    || operation.route.contains("/attachments")
    // Of what is noted about a company only its kind of business is an event.
    || operation.route.ends_with("/traits")
    // What becomes of a payroll is told when it has come of it.
    || operation.route.ends_with("/prepare")
    || operation.route.ends_with("/calculate")
}

#[test]
fn every_operation_that_changes_something_is_written_down() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let target = Target::of(world.company().await).await;
        for operation in operations().iter().filter(|o| o.needs_a_token()) {
            let before = target.changes_told().await;
            target.send(operation).await.is(operation.success);
            let after = target.changes_told().await;
            // Asking for a document makes an address for it, asking for a token has it posted.
            let asks = ["/pdf", "/download_url", "/request_verification_token"];
            // What only reads, and takes a body to do so.
            let reads = [
                "/plan",
                "/retrieve_terms_of_service",
                "/gross_up",
                "/calculate_accruing_time_off_hours",
                "/assignment_preview",
                "/payment_configs",
                // Nothing is held, and credits wait for a wire already.
                "/held_payments/release",
                "/prefunding",
                "/time_off/requests/preview",
                "/contractor_payment_groups/preview",
                // An application asks how payroll stands.
                "/payroll_digests",
                // The step that is marked is complete by what is on file.
                "/employees/{employee_id}/onboarding_status",
            ]
            .iter()
            .any(|end| operation.route.ends_with(end));
            let plans = reads || operation.method == "PUT" && operation.route.ends_with("/terms_of_service");
            // The schedule that is assigned is that of the employees already.
            let plans = plans || operation.route.ends_with("/pay_schedules/assign");
            // A new company has records of its own; the example of who is paid for holidays names nobody.
            if operation.route == "/v1/partner_managed_companies"
                || operation.route.contains("/holiday_pay_policy/")
            {
                continue;
            }
            // Of a payment to a contractor the file itself is the answer.
            let asks = asks.iter().any(|end| operation.route.ends_with(end))
                && !operation.route.contains("/contractor_payments/");
            let changes = operation.method != "GET" && !plans || asks;
            assert_eq!(after.0 > before.0, changes, "{}", operation.name());
            let is_silent = operation.method == "GET" || plans || is_silent(operation);
            assert_eq!(after.1 > before.1, !is_silent, "{}", operation.name());
        }
    });
}

#[test]
fn who_finds_too_many_at_work_is_told_so_and_nothing_is_done_for_them() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.settings.requests = 8).await;
        let company = world.company().await;
        let known = company.audit().await.len();
        // Eight of other clients that do not come to an end while the others ask.
        let room = world.app.room.slots_for(&axum::http::Method::POST);
        let mut at_work = Vec::new();
        for last in 1..=8 {
            let client = interface::shares::Client::at_address([192, 0, 2, last].into());
            at_work.push(room.take_slot(&client).await.unwrap());
        }
        let mut callers = JoinSet::new();
        for number in 0..40 {
            let company = company.clone();
            callers.spawn(async move {
                let body = json!({ "first_name": "Grace", "last_name": "Kim", "email": format!("{number}@people.example") });
                let call = company.call("POST", "/v1/companies/{company}/employees").json(&body);
                call.among_too_many().send().await
            });
        }
        for answer in callers.join_all().await {
            assert_eq!(answer.header("retry-after"), "1");
            assert_eq!(answer.refused(503).fault(), ("base", "third_party_service_unavailable"));
        }
        assert_eq!(company.audit().await.len(), known);
        // Writes that do not come to an end keep nobody from reading.
        company.get("/v1/companies/{company}").await.ok();
        drop(at_work);
        // Who finds no place at once waits for one; more of them would wait too long on a machine with other work.
        let mut callers = JoinSet::new();
        for _ in 0..12 {
            let company = company.clone();
            callers.spawn(async move { company.get("/v1/companies/{company}").await.status.as_u16() });
        }
        assert_eq!(callers.join_all().await, [200; 12]);
    });
}
