//! docs/compatibility.md, held against the description of the service.

use interface::compat::{Standing, markdown, table};
use serde_json::json;

use crate::support::{Engine, NOBODY, on_both_engines};

#[test]
fn the_page_of_compatibility_tells_what_is_served() {
    let description = pages::routes::description_text();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compatibility.md");
    let told = std::fs::read_to_string(file).unwrap();
    let now = markdown(&description);
    assert!(told == now, "docs/compatibility.md is old: stipend compat > docs/compatibility.md renews it");
    let rows = table(&description);
    let served = |row: &&interface::compat::Row| row.standing != Standing::Refused;
    assert_eq!(rows.len(), 310);
    assert!(rows.iter().filter(served).count() >= 160, "operations that were served are gone");
}

#[test]
fn addresses_of_contractors_answer_404_and_say_that_they_are_not_paid_here() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let rows = table(&pages::routes::description_text());
        let contractors: Vec<_> = rows.iter().filter(|row| row.path.contains("/contractor")).collect();
        assert!(contractors.len() > 30, "the table of documented operations has them");
        for row in contractors {
            let parts = row.path.split('/').map(|part| if part.starts_with('{') { NOBODY } else { part });
            let path = parts.collect::<Vec<_>>().join("/");
            let refused = company.call(row.method, path).json(&json!({})).send().await.refused(404);
            assert!(refused.message().contains("contractors are not paid by this service"), "{}", row.path);
        }
    });
}
