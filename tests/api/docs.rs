//! The documentation as the service gives it: its pages, what refusals lead to, and what differs between versions.

use rules::Named;
use std::collections::BTreeSet;

use domain::access::oauth::reasons::Reason;
use interface::error::Kind;
use pages::docs::book::Book;
use serde_json::Value;

use crate::support::{Answer, Engine, NOBODY, World, on_both_engines, text};

async fn page(world: &World, path: &str) -> Answer {
    let answer = world.call("GET", path).send().await.is(200);
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8", "{path}");
    let policy = answer.header("content-security-policy");
    assert!(
        policy.contains("default-src 'none'") && policy.contains("script-src 'self'"),
        "{path}: {policy}"
    );
    assert!(!policy.contains("unsafe"), "{path}: {policy}");
    answer
}

/// The addresses that a page leads to.
fn links(html: &str) -> BTreeSet<String> {
    let found = html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    found.map(|link| link.split('#').next().unwrap().to_owned()).filter(|link| !link.is_empty()).collect()
}

#[test]
fn every_operation_has_a_page_and_no_link_of_any_page_leads_nowhere() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let mut open = BTreeSet::from(["/docs".to_owned()]);
        let mut seen = BTreeSet::new();
        while let Some(path) = open.pop_first() {
            if !seen.insert(path.clone()) || !path.starts_with("/docs") || path.contains("/assets/") {
                continue;
            }
            let html = page(&world, &path).await.text();
            assert!(html.contains("<h1"), "{path}");
            for link in links(&html) {
                assert!(link.starts_with('/'), "{path} leads to {link}");
                open.insert(link);
            }
        }
        for (area, one) in Book::get_book().operations() {
            for path in [format!("/docs/operations/{}", one.id), format!("/docs/areas/{}", area.slug)] {
                assert!(seen.contains(&path), "nothing leads to {path}");
            }
        }
        assert!(seen.contains("/openapi.json"), "nothing leads to the description");
        let style = seen.iter().find(|path| path.starts_with("/assets/docs.") && path.ends_with(".css"));
        let style = world.call("GET", style.expect("nothing leads to the style sheet")).send().await.is(200);
        assert_eq!(style.header("cache-control"), "public, max-age=31536000, immutable");
        for unknown in ["/docs/operations/none", "/docs/areas/none"] {
            assert!(world.call("GET", unknown).send().await.is(404).text().contains("No such page"));
        }
    });
}

#[test]
fn outside_a_demo_world_no_page_holds_a_token_or_sends_anything() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        for (_, one) in Book::get_book().operations() {
            let html = page(&world, &format!("/docs/operations/{}", one.id)).await.text();
            assert!(!html.contains("id=\"try\""), "{}", one.name);
            for secret in [&company.token, &world.system_token, &world.client_secret] {
                assert!(!html.contains(&**secret), "{}", one.name);
            }
        }
    });
}

#[test]
fn a_refusal_leads_to_its_explanation() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let html = page(&world, "/docs/errors").await.text();
        for kind in Kind::ALL {
            let told = kind.explained();
            assert!(html.contains(&format!("<h2 id=\"{}\"", told.name)), "{} is not explained", told.name);
        }
        for reason in Reason::ALL {
            assert!(
                html.contains(&format!("<h3 id=\"{}\"", reason.page_anchor())),
                "{reason:?} is not explained"
            );
        }
        let company = world.company().await;
        let people = "/v1/companies/{company}/employees";
        let inner =
            serde_json::json!({ "garnishment_type": "child_support", "child_support": { "state": "ZZ" } });
        let employee = text(&company.self_onboarding_employee("Ana").await, "uuid");
        for (call, kind) in [
            (world.call("GET", "/v1/token_info"), "invalid_token"),
            (company.call("GET", "/v1/nowhere"), "unknown_address"),
            (company.call("GET", format!("/v1/employees/{NOBODY}")), "not_found"),
            (company.call("PATCH", people), "method_not_allowed"),
            (company.call("POST", people).raw("{"), "malformed_request"),
            (company.call("POST", people).body("a=b"), "not_json"),
            (company.call("POST", people).raw("{}"), "invalid_attribute_value"),
            (company.call("GET", people).version("2020-01-01"), "invalid_api_version"),
            (company.call("GET", people).bearer(&world.system_token), "missing_permissions"),
        ] {
            let call = if kind == "missing_permissions" {
                world
                    .call("GET", format!("/v1/companies/{}/employees", company.id))
                    .bearer(&world.system_token)
            } else {
                call
            };
            let told = call.send().await.json();
            let docs = text(&told["errors"][0]["metadata"], "docs_url");
            assert_eq!(docs, format!("https://payroll.example/docs/errors#{kind}"), "{told}");
        }
        let path = format!("/v1/employees/{employee}/garnishments");
        let nested = company.post(&path, inner).await.refused(422);
        let item = nested.0.iter().find(|item| item["category"] == "nested_errors").unwrap();
        assert!(
            text(&item["errors"][0]["metadata"], "docs_url").ends_with("#invalid_attribute_value"),
            "{item}"
        );
    });
}

async fn diff(world: &World, query: &str) -> Answer {
    world.call("GET", format!("/v1/versions/diff{query}")).send().await
}

#[test]
fn moving_from_one_version_to_another_tells_every_difference_on_the_way() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let told = diff(&world, "?from=2025-06-15&to=2026-02-01").await.ok();
        let changes = told["changes"].as_array().unwrap();
        let versions: BTreeSet<_> = changes.iter().map(|one| text(one, "version")).collect();
        assert_eq!(versions, BTreeSet::from(["2025-11-15", "2026-02-01"].map(str::to_owned)));
        assert!(changes.iter().any(|one| text(one, "change").contains("auto_payroll")), "{told}");
        for key in ["area", "change", "action"] {
            assert!(changes.iter().all(|one| !text(one, key).is_empty()), "{key}");
        }
        let whole = diff(&world, "?from=2024-04-01&to=2026-06-15").await.ok();
        assert!(whole["changes"].as_array().unwrap().len() > changes.len());
        let none = diff(&world, "?from=2026-02-01&to=2026-02-01").await.ok();
        assert_eq!(none["changes"], Value::Array(Vec::new()));
    });
}

#[test]
fn a_diff_of_versions_that_are_not_served_or_in_the_wrong_order_says_what_to_ask_for() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let both = diff(&world, "").await.refused(422);
        assert_eq!(both.keys(), ["from", "to"]);
        assert_eq!(both.categories(), ["missing_parameter", "missing_parameter"]);
        let unknown = diff(&world, "?from=2023-01-01&to=2026-06-15").await.refused(422);
        assert_eq!(unknown.fault(), ("from", "invalid_parameter"));
        assert!(unknown.message().contains("2024-04-01, 2025-06-15, 2025-11-15, 2026-02-01, 2026-06-15"));
        let reversed = diff(&world, "?from=2026-06-15&to=2025-06-15").await.refused(422);
        assert!(reversed.message().contains("from=2025-06-15&to=2026-06-15"), "{}", reversed.message());
    });
}

#[test]
fn a_misspelt_address_is_told_the_nearest_one() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        for (path, near) in [
            ("/v1/companies/{company}/employes", "/v1/companies/{company_id}/employees (GET and POST)"),
            ("/companies/{company}/locations", "/v1/companies/{company_id}/locations (GET and POST)"),
            ("/v1/companies/{company}/", "/v1/companies/{company_id} (GET and PUT)"),
        ] {
            let refused = company.get(path).await.refused(404);
            assert!(refused.message().contains(near), "{}", refused.message());
        }
        let far = company.get("/wp-login.php").await.refused(404);
        assert!(far.message().contains("/docs lists"), "{}", far.message());
        let method = company.call("PATCH", "/v1/companies/{company}/employees").send().await.refused(405);
        assert!(method.message().contains("GET and POST"), "{}", method.message());
    });
}

/// What a partner's engineer does wrong in the first days: method, path, Authorization, body, and words of the message
/// that say what would be right. `{company}` and `{employee}` stand for identifiers.
const MISTAKES: &[(&str, &str, &str, &str, &str)] = &[
    ("GET", "/v1/companies/{company}", "", "", "Bearer <access token>"),
    ("GET", "/v1/companies/{company}", "{token}", "", "the word Bearer, a space, and the token"),
    ("GET", "/v1/companies/{company}", "Basic {token}", "", "the word Bearer, a space, and the token"),
    ("GET", "/v1/companies/{company}", "Token {token}", "", "Bearer <token>"),
    ("GET", "/v1/webhook_subscriptions", "Bearer {api}", "", "Token <token>"),
    ("GET", "/v1/companies/{company}", "Bearer none", "", "unknown or was revoked"),
    ("GET", "/v1/companies/{company}", "Bearer {system}", "", "needs a company token"),
    ("GET", "/v1/webhook_subscriptions", "Bearer {token}", "", "needs a system token"),
    ("GET", "/v1/companies/{company}/employes", "Bearer {token}", "", "/v1/companies/{company_id}/employees"),
    ("GET", "/companies/{company}/employees", "Bearer {token}", "", "/v1/companies/{company_id}/employees"),
    ("PATCH", "/v1/employees/{employee}", "Bearer {token}", "{}", "GET, PUT and DELETE"),
    ("GET", "/v1/employees/123", "Bearer {token}", "", "Check the identifier"),
    ("GET", "/v1/companies/{company}/employees?page=0", "Bearer {token}", "", "from 1 to"),
    ("GET", "/v1/companies/{company}/employees?include=jobs", "Bearer {token}", "", "all_compensations"),
    ("GET", "/v1/companies/{company}/employees?onboarded=yes", "Bearer {token}", "", "true or false"),
    ("GET", "/v1/companies/{company}?client_secret=x", "Bearer {token}", "", "send it in the body"),
    (
        "POST",
        "/v1/companies/{company}/employees",
        "Bearer {token}",
        "{\"first_name\": \"A\",}",
        "line 1, column 20",
    ),
    ("POST", "/v1/companies/{company}/employees", "Bearer {token}", "[]", "in braces, not a list"),
    ("POST", "/v1/companies/{company}/employees", "Bearer {token}", "\"A\"", "in braces, not text"),
    ("POST", "/v1/companies/{company}/employees", "Bearer {token}", "null", "in braces, not a single value"),
    (
        "POST",
        "/v1/companies/{company}/employees",
        "Bearer {token}",
        "{\"email\":\"a\",\"email\":\"b\"}",
        "a field twice (line 1",
    ),
    (
        "POST",
        "/v1/companies/{company}/employees",
        "Bearer {token}",
        "{\"first_name\":7,\"last_name\":\"B\"}",
        "must be text",
    ),
    ("PUT", "/v1/employees/{employee}", "Bearer {token}", "{\"first_name\":\"B\"}", "as you last read it"),
    (
        "PUT",
        "/v1/employees/{employee}",
        "Bearer {token}",
        "{\"version\":\"x\",\"first_name\":\"B\"}",
        "Read it again",
    ),
    (
        "PUT",
        "/v1/employees/{employee}/onboarding_status",
        "Bearer {token}",
        "{\"onboarding_status\":\"done\"}",
        "onboarding_completed",
    ),
    (
        "POST",
        "/v1/employees/{employee}/home_addresses",
        "Bearer {token}",
        "{\"street_1\":\"1 Elm\",\"city\":\"Austin\",\"state\":\"Texas\",\"zip\":\"78701\"}",
        "two-letter code",
    ),
    (
        "POST",
        "/v1/employees/{employee}/garnishments",
        "Bearer {token}",
        "{\"court_ordered\":true,\"garnishment_type\":\"student_loan\",\"amount\":\"$10\"}",
        "a decimal number such as 19.75",
    ),
    (
        "POST",
        "/v1/employees/{employee}/garnishments",
        "Bearer {token}",
        "{\"court_ordered\":true,\"garnishment_type\":\"loan\",\"amount\":\"10\"}",
        "student_loan, creditor_garnishment",
    ),
    (
        "POST",
        "/v1/companies/{company}/flows",
        "Bearer {token}",
        "{\"flow_type\":\"signing\",\"entity_type\":\"Employee\",\"entity_uuid\":\"{employee}\"}",
        "employee_form_signing",
    ),
    ("GET", "/v1/salary_estimates/occupations?search=ab", "Bearer {token}", "", "3 to 200 characters"),
];

#[test]
fn whoever_makes_a_frequent_mistake_is_told_what_would_be_right() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let employee = text(&company.self_onboarding_employee("Ana").await, "uuid");
        let fill = |text: &str| {
            text.replace("{company}", &company.id.to_string())
                .replace("{employee}", &employee)
                .replace("{token}", &company.token)
                .replace("{system}", &world.system_token)
                .replace("{api}", &world.api_token)
        };
        for (method, path, authorization, body, right) in MISTAKES {
            let mut call = world.call(method, fill(path));
            if !authorization.is_empty() {
                call = call.header("authorization", fill(authorization));
            }
            if !body.is_empty() {
                call = call.raw(fill(body));
            }
            let told = call.send().await;
            assert!(told.status.is_client_error(), "{method} {path}");
            let messages: Vec<_> =
                told.json()["errors"].as_array().unwrap().iter().map(|one| text(one, "message")).collect();
            assert!(messages.iter().any(|message| message.contains(right)), "{method} {path}: {messages:?}");
        }
    });
}
