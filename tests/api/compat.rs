//! docs/compatibility.md, held against the description of the service.

use interface::compat::{Standing, markdown, table};

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
