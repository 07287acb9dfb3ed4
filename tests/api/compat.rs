//! docs/compatibility.md, held against the description of the service.

use interface::compat::{Row, Standing, markdown, table};

use crate::support::{Engine, on_both_engines};

#[test]
fn the_page_of_compatibility_tells_what_is_served() {
    let description = pages::routes::description_text();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compatibility.md");
    let told = std::fs::read_to_string(file).unwrap();
    let now = markdown(&description);
    assert!(told == now, "docs/compatibility.md is old: stipend compat > docs/compatibility.md renews it");
    let rows = table(&description);
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
        let rows = table(&pages::routes::description_text());
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
