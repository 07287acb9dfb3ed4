//! A deployer's own table of agencies.

use std::path::{Path, PathBuf};

use domain::datasets;
use rules::payroll::garnishment::Agencies;
use serde_json::{Value, json};

use crate::garnishments::support;
use crate::support::{Company, Engine, World, id_of, on_both_engines, text};

/// The built-in table with something replaced.
fn file(folder: &tempfile::TempDir, name: &str, replaced: &[(&str, &str)]) -> PathBuf {
    let mut text = String::from_utf8(Agencies::BUILT_IN_FILE.to_vec()).unwrap();
    for (from, to) in replaced {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

async fn import(world: &World, path: &Path, vintage: Option<&str>) -> Result<String, String> {
    datasets::import_file(&world.app.store, "agencies", path, vintage, false, &|_, _| ())
        .await
        .map(|done| done.to_text())
}

async fn agency(company: &Company, state: &str) -> Value {
    let told = company.get("/v1/garnishments/child_support").await.ok();
    told["agencies"].as_array().unwrap().iter().find(|agency| agency["state"] == state).unwrap().clone()
}

const OHIO_PAYS_BY_HAND: [(&str, &str); 2] = [
    (
        "OH,Ohio Child Support Payment Central,false,case_number;order_number",
        "OH,Ohio Payments,true,remittance_number",
    ),
    ("39000,", "39000;39049=Franklin County,"),
];

#[test]
fn a_table_of_ones_own_takes_the_place_of_the_built_in_one_at_once() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let _bank = crate::money::bank_and_agencies(&world).await;
        let company = world.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let path = format!("/v1/employees/{employee}/garnishments");
        let made = company.post(&path, support()).await.created();
        assert_eq!(text(&made, "remittance"), "automatic");

        let folder = tempfile::tempdir().unwrap();
        let said = import(&world, &file(&folder, "own.csv", &OHIO_PAYS_BY_HAND), None).await.unwrap();
        assert!(said.contains("OH has changed: Ohio Payments") && said.contains("51 rows"), "{said}");
        let ohio = agency(&company, "OH").await;
        assert_eq!(
            (text(&ohio, "name"), &ohio["manual_payment_required"]),
            ("Ohio Payments".into(), &json!(true))
        );
        assert_eq!(ohio["fips_codes"][1], json!({ "code": "39049", "county": "Franklin County" }));
        // New orders are checked by it, and those from before are told by it.
        let refused = company.post(&path, support()).await.refused(422).0;
        assert_eq!(refused[0]["errors"][0]["error_key"], "remittance_number");
        let mut by_county = support();
        by_county["child_support"]["fips_code"] = "39049".into();
        by_county["child_support"]["remittance_number"] = "7".into();
        company.post(&path, by_county).await.created();
        let before = company.get(format!("/v1/garnishments/{}", id_of(&made))).await.ok();
        assert_eq!(text(&before, "remittance"), "manual");

        let status = datasets::status_table(&datasets::dataset_status(&world.app.store).await.unwrap());
        let line = status.lines().find(|line| line.starts_with("agencies")).unwrap();
        assert!(line.contains(" 51 ") && line.contains("imported"), "{line}");
    });
}

#[test]
fn a_table_with_a_fault_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let folder = tempfile::tempdir().unwrap();
        let golden = [
            (vec![("39000", "390")], "fips_codes must be codes of 5 or 7 digits"),
            (vec![("OH,Ohio", "OK,Ohio")], "OK is there twice"),
            (vec![("WY,Wyoming", "GU,Guam")], "there is no agency of WY"),
            (
                vec![("name,manual_payment_required", "name,manual")],
                "there is no column manual_payment_required",
            ),
        ];
        for (replaced, fault) in golden {
            let why = import(&world, &file(&folder, "wrong.csv", &replaced), None).await.unwrap_err();
            assert!(why.contains("nothing was imported") && why.contains(fault), "{why}");
        }
        let older = import(&world, &file(&folder, "old.csv", &OHIO_PAYS_BY_HAND), Some("2026-01")).await;
        assert!(older.unwrap_err().contains("the data in use is of 2026-07"));
        import(&world, &folder.path().join("nowhere.csv"), None).await.unwrap_err();
        let ohio = agency(&company, "OH").await;
        assert_eq!(ohio["remittance_reason"], "no_bank", "it would take electronic payments");
        let status = datasets::status_table(&datasets::dataset_status(&world.app.store).await.unwrap());
        assert!(
            status.lines().any(|line| line.starts_with("agencies") && line.ends_with("built in")),
            "{status}"
        );
    });
}
