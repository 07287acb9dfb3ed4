//! docs/compatibility.md, held against the description of the service.

use interface::compat::{Row, Standing, compatibility_table, table_as_markdown};
use serde_json::json;

use crate::support::{Engine, NOBODY, on_both_engines, text};

#[test]
fn the_page_of_compatibility_tells_what_is_served() {
    let description = pages::routes::description_text();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compatibility.md");
    let told = std::fs::read_to_string(file).unwrap();
    let now = table_as_markdown(&description);
    assert!(told == now, "docs/compatibility.md is old: stipend compat > docs/compatibility.md renews it");
    let rows = compatibility_table(&description);
    let served = |row: &&Row| !matches!(row.standing, Standing::Refused(_));
    assert_eq!(rows.len(), 328);
    assert!(rows.iter().filter(served).count() >= 250, "operations that were served are gone");
    let unexplained = rows.iter().filter(|row| row.standing == Standing::Refused(""));
    let unexplained: Vec<_> = unexplained.map(|row| format!("{} {}", row.method, row.path)).collect();
    assert!(unexplained.is_empty(), "refused without a reason: {unexplained:?}");
}

#[test]
fn the_product_shows_the_same_table_of_operations_and_events() {
    on_both_engines(async |engine: Engine| {
        let html = engine.world().await.call("GET", "/docs/compatibility").send().await.is(200).text();
        let rows = compatibility_table(&pages::routes::description_text());
        for row in &rows {
            let shown =
                format!("<code>{} {}</code></td><td>{}</td>", row.method, row.path, row.standing.words());
            assert!(html.contains(&shown), "{shown}");
        }
        for event in interface::compat::event_table() {
            let sent = if event.emitted { "sent".to_owned() } else { format!("not sent: {}", event.why) };
            assert!(
                html.contains(&format!("<code>{}</code></td><td>{sent}</td>", event.name)),
                "{}",
                event.name
            );
        }
    });
}

#[test]
fn what_is_documented_and_not_served_is_refused_with_the_reason_of_the_page_and_lists_of_nothing_are_empty() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let mut reasons = 0;
        for row in compatibility_table(&pages::routes::description_text()) {
            let Standing::Refused(why) = row.standing else { continue };
            reasons += 1;
            let parts = row.path.split('/').map(|part| if part.starts_with('{') { NOBODY } else { part });
            let path = parts.collect::<Vec<_>>().join("/");
            let call = company.call(row.method, &path);
            let call = if row.method == "GET" { call } else { call.json(&json!({})) };
            let refused = call.send().await.refused(404);
            assert_eq!(refused.fault(), ("request", "not_found"), "{path}");
            let message = text(refused.only(), "message");
            assert!(message.contains(why) && message.contains("/docs/compatibility"), "{path}: {message}");
            // One step further there is nothing that was ever documented.
            let further = company.get(format!("{path}/further")).await.refused(404);
            assert!(text(further.only(), "message").starts_with("Unknown path"));
        }
        assert_eq!(reasons, 4);
        let requests = company.get("/v1/companies/{company}/information_requests?sort_by=type").await;
        assert_eq!(requests.list(), Vec::<serde_json::Value>::new());
    });
}
