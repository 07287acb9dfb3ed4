//! Pennsylvania's register of local taxes, imported as the state publishes it.

use domain::datasets;
use rules::places::all_municipalities;
use serde_json::{Value, json};

use super::several_states::{certify, live, paid};
use super::{company, line, number};
use crate::support::{Company, Engine, id_of, on_both_engines, text};
use crate::xls::{Cell, workbook};

/// The state's headings, after a line about the report.
const HEADINGS: [&str; 14] = [
    "Reporting Year",
    "County",
    "Municipality",
    "School District",
    "PSD Code",
    "Municipal Resident EIT (percent)",
    "School District EIT (percent)",
    "School District PIT (percent)",
    "Total Resident Income Tax (percent)",
    "Municipal NonResident EIT (percent)",
    "Municipal LST (dollars)",
    "School District LST (dollars)",
    "Municipal EIT LIE (dollars)",
    "EIT Collector",
];

/// How the state writes the name of a municipality: in capitals, with its kind shortened.
fn as_published(name: &str) -> String {
    name.to_uppercase().replace(" TOWNSHIP", " TWP").replace(" BOROUGH", " BORO")
}

/// A report with a line for each municipality and school district of the state, at 0.5 and 0.7 percent, 1 percent for nonresidents and 52
/// dollars, and the first code of each line.
fn report() -> Vec<Vec<Cell>> {
    let text = |text: &str| Cell::Text(text.to_owned());
    let mut rows = vec![vec![text("Please scroll right to see all columns")]];
    rows.push(HEADINGS.iter().map(|heading| text(heading)).collect());
    let mut last = ("", 0);
    for known in all_municipalities() {
        let county: u32 = known.county()[2..].parse().unwrap();
        let code = if last.0 == known.county() { last.1 + 1 } else { county.div_ceil(2) * 10_000 + 1 };
        last = (known.county(), code);
        let of_county = rules::places::county_name(known.county()).unwrap().trim_end_matches(" County");
        rows.push(vec![
            Cell::Number(2026.0),
            text(&of_county.to_uppercase()),
            Cell::Text(as_published(known.name)),
            Cell::Text(format!("{} SD", known.school_district.to_uppercase())),
            Cell::Number(f64::from(code)),
            Cell::Number(0.5),
            Cell::Number(0.7),
            Cell::Empty,
            Cell::Number(1.2),
            Cell::Number(1.0),
            Cell::Number(47.0),
            Cell::Number(5.0),
            Cell::Number(12_000.0),
            text("BERKHEIMER TAX ADMINISTRATOR"),
        ]);
    }
    rows
}

/// The same report as it is saved as CSV.
fn as_csv(rows: &[Vec<Cell>]) -> String {
    let cell = |cell: &Cell| match cell {
        Cell::Text(text) => format!("\"{text}\""),
        Cell::Number(number) => number.to_string(),
        Cell::Empty => String::new(),
    };
    let line = |row: &Vec<Cell>| row.iter().map(cell).collect::<Vec<_>>().join(",");
    rows.iter().map(|row| format!("{}\r\n", line(row))).collect()
}

async fn import(company: &Company, name: &str, bytes: &[u8]) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, bytes).unwrap();
    let store = &company.world.app.store;
    let done = datasets::import_file(store, "pennsylvania-register", &file, None, false, &|_, _| ()).await;
    done.map(|done| done.to_text())
}

/// What `stipend data status` says is missing of the register.
async fn missing(company: &Company) -> Vec<String> {
    let status = datasets::dataset_status(&company.world.app.store).await.unwrap();
    let lines = datasets::status_table(&status);
    lines.lines().filter(|line| line.contains("missing: the table pennsylvania")).map(str::to_owned).collect()
}

async fn ready(company: &Company) -> String {
    company.world.call("GET", "/readyz").send().await.is(200).text()
}

fn tax(paycheck: &Value, name: &str) -> String {
    match line(&paycheck["taxes"], name) {
        Value::Null => "none".to_owned(),
        line => number(&line["amount"]),
    }
}

/// Somebody who works in Pittsburgh and lives in Chippewa Township; both were answered by name.
async fn employed(company: &Company) -> String {
    let office = company.location("PA").await;
    let answers = json!({ "municipality": "4200361000", "school_district": "4219170" });
    let body = json!({ "version": office["version"], "place_answers": answers });
    company.put(format!("/v1/locations/{}", id_of(&office)), body).await.ok();
    let (ana, _) = company.onboarded("Ana", &id_of(&office), ("25.00", "Hour", "Nonexempt")).await;
    live(company, &ana, ("Beaver Falls", "PA", "15010")).await;
    let home = &company.get(format!("/v1/employees/{ana}/home_addresses")).await.list()[0];
    let chippewa = json!({ "version": home["version"], "place_answers": { "municipality": "4200713488" } });
    company.put(format!("/v1/home_addresses/{}", text(home, "uuid")), chippewa).await.ok();
    ana
}

#[test]
fn the_states_workbook_is_imported_as_it_is_and_rates_and_codes_follow_from_names() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        assert_eq!(missing(&company).await, [""; 0], "nobody lives in Pennsylvania");
        assert!(!ready(&company).await.contains("PA:"));
        let ana = employed(&company).await;
        let before = paid(&company, &ana).await.1;
        assert!(
            before["warnings"].to_string().contains("Chippewa Township EIT was not worked out"),
            "{before}"
        );
        let lacks = missing(&company).await;
        assert!(lacks.len() == 1 && lacks[0].contains("for PA (employees who live there: 1)"), "{lacks:?}");
        let line = "PA: the register of local taxes is not imported; employees who live there: 1;";
        assert!(ready(&company).await.contains(line));

        let changes = import(&company, "EitWithCollector.xls", &workbook("EIT", &report())).await.unwrap();
        assert!(changes.contains("rows"), "{changes}");
        assert_eq!(missing(&company).await, [""; 0]);
        assert!(!ready(&company).await.contains("PA:"));
        // 1.2 % at home is more than the 1 % that Pittsburgh takes of nonresidents.
        let after = paid(&company, &ana).await.1;
        assert_eq!(tax(&after, "CHIPPEWA TWP EIT"), "24.00");
        let open = after["warnings"].to_string();
        assert!(
            !open.contains("EIT was not worked out") && !open.contains("LST was not worked out"),
            "{after}"
        );
        let services =
            after["taxes"].as_array().unwrap().iter().any(|tax| text(tax, "name").ends_with(" LST"));
        assert!(services, "{after}");
        let of_state = company.get(format!("/v1/employees/{ana}/state_taxes")).await.list();
        let questions = of_state.iter().find(|one| one["state"] == "PA").unwrap()["questions"].clone();
        let code = |key: &str| {
            let all = questions.as_array().unwrap();
            all.iter().find(|one| one["key"] == key).unwrap()["answers"][0]["value"].clone()
        };
        let (home, work) = (code("psd_code"), code("work_psd_code"));
        assert!(home.as_str().unwrap().starts_with("04") && home.as_str().unwrap().len() == 6, "{home}");
        assert!(work.as_str().unwrap().starts_with("02"), "{work}");
    });
}

#[test]
fn a_code_that_is_not_in_the_register_is_refused_once_it_is_there() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let ana = employed(&company).await;
        let path = format!("/v1/employees/{ana}/state_taxes");
        let answer = |code: &str| {
            json!({ "states": [{ "state": "PA", "questions": [
                { "key": "psd_code", "answers": [{ "value": code, "valid_from": "2010-01-01" }] }] }] })
        };
        // No collection district has this number; the rest cannot be known before the register is.
        company.put(&path, answer("999999")).await.refused(422);
        certify(&company, &ana, "PA", &[("psd_code", json!("049999"))]).await;
        import(&company, "EitWithCollector.csv", as_csv(&report()).as_bytes()).await.unwrap();
        let refused = company.put(&path, answer("049998")).await.refused(422);
        assert!(
            refused.message().contains("psd_code must be a PSD code of Pennsylvania's register"),
            "{refused:?}"
        );
        for known in ["040001", "880000", "510101"] {
            company.put(&path, answer(known)).await.is(200);
        }
    });
}

#[test]
fn what_is_no_register_is_refused_and_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let mut rows = report();
        rows[5][4] = Cell::Text("ABC".to_owned());
        let why = import(&company, "report.xls", &workbook("EIT", &rows)).await.unwrap_err();
        assert!(why.contains("line 6, psd") && why.contains("must be a PSD code of six digits"), "{why}");
        let headings = vec![vec![Cell::Text("County".to_owned()), Cell::Text("Rate".to_owned())]];
        let why = import(&company, "report.xls", &workbook("EIT", &headings)).await.unwrap_err();
        assert!(why.contains("headings with PSD Code"), "{why}");
        let why = import(&company, "report.xls", b"no workbook").await.unwrap_err();
        assert!(why.contains("it is no workbook: save the report as .xls or .csv"), "{why}");
        let store = &company.world.app.store;
        let held = store.read(|tx: &mut store::Tx<'_>| datasets::vintages_in_use(tx)).await.unwrap();
        let register = held.iter().find(|one| one.kind == "pennsylvania-register").unwrap();
        assert_eq!(register.imported_at, None);
    });
}
