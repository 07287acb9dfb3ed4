//! A deployer's own table of agencies, and what a processed payroll leaves for them.

use std::path::{Path, PathBuf};

use jiff::civil::date;
use rules::Amount;
use rules::payroll::garnishment::Agencies;
use serde_json::{Value, json};
use server::error::Error;
use server::garnishments::withheld::{self, Payday};
use server::reference::command;
use uuid::Uuid;

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
    command::import(&world.app.store, "agencies", path, vintage).await
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

        let status = command::status(&world.app.store).await.unwrap();
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
        assert!(older.unwrap_err().contains("those in use of 2026-07"));
        import(&world, &folder.path().join("nowhere.csv"), None).await.unwrap_err();
        assert_eq!(agency(&company, "OH").await["manual_payment_required"], false);
        let status = command::status(&world.app.store).await.unwrap();
        assert!(
            status.lines().any(|line| line.starts_with("agencies") && line.ends_with("built in")),
            "{status}"
        );
    });
}

/// Notes what a payroll took, as its processing does.
async fn processed(company: &Company, payday: Payday, taken: Vec<(Uuid, Amount)>) {
    let id = company.id.to_string().parse::<Uuid>().unwrap();
    let note = move |tx: &mut store::Tx<'_>| withheld::note(tx, id, &payday, &taken);
    let noted: Result<(), Error> = company.world.app.store.write(note).await;
    noted.unwrap();
}

/// A company with orders of Ohio (at most 500.00 a year) and South Carolina and a plain deduction, of which two payrolls
/// have taken something; the ids of the three.
async fn with_payrolls(engine: Engine) -> (Company, [String; 3]) {
    let company = engine.own_world().await.company().await;
    let employee = id_of(&company.employee("Ana").await);
    let path = format!("/v1/employees/{employee}/garnishments");
    let mut capped = support();
    capped["annual_maximum"] = "500".into();
    let ohio = id_of(&company.post(&path, capped).await.created());
    let mut carolina = support();
    carolina["child_support"] =
        json!({ "state": "SC", "payment_period": "Monthly", "fips_code": "45000", "case_number": "=S-1" });
    let carolina = id_of(&company.post(&path, carolina).await.created());
    let plain = json!({ "court_ordered": false, "amount": 10 });
    let plain = id_of(&company.post(&path, plain).await.created());
    let id = |text: &str| text.parse::<Uuid>().unwrap();
    let cents = Amount::from_cents;
    let taken = vec![(id(&ohio), cents(40_050)), (id(&carolina), cents(10_000)), (id(&plain), cents(1_000))];
    processed(&company, REGULAR, taken).await;
    processed(&company, OFF_CYCLE, vec![(id(&ohio), cents(5_000)), (id(&carolina), Amount::ZERO)]).await;
    (company, [ohio, carolina, plain])
}

const REGULAR: Payday =
    Payday { payroll: Uuid::from_u128(1), check_date: date(2026, 5, 15), off_cycle: false };
const OFF_CYCLE: Payday =
    Payday { payroll: Uuid::from_u128(2), check_date: date(2026, 5, 20), off_cycle: true };
const REMITTANCES: &str = "/v1/companies/{company}/child_support_remittances";

#[test]
fn what_a_payroll_withholds_is_listed_for_its_agency() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = with_payrolls(engine).await;
        let lines = company.get(REMITTANCES).await.list();
        let told: Vec<_> = lines
            .iter()
            .map(|line| json!([line["state"], line["amount"], line["remittance"], line["remittance_reason"]]))
            .collect();
        assert_eq!(
            told,
            [
                json!(["OH", "400.50", "automatic", null]),
                json!(["SC", "100.00", "manual", "agency_requires_manual_payment"]),
                json!(["OH", "50.00", "manual", "off_cycle_payroll"]),
            ]
        );
        assert_eq!(lines[0]["addendum"], r"DED*CS*AL-123*260515*40050*XXXXXXXXX*N*ALVAREZANA*39000*N\");
        assert_eq!(
            (&lines[0]["due_on"], &lines[0]["agency"]),
            (&json!("2026-05-27"), &json!("Ohio Child Support Payment Central"))
        );
        let some = company.get(format!("{REMITTANCES}?payroll_uuid={}", OFF_CYCLE.payroll)).await.list();
        assert_eq!(some, [lines[2].clone()]);
        let days = "start_date=2026-05-16&end_date=2026-05-31&page=1&per=1";
        let days = company.get(format!("{REMITTANCES}?{days}")).await;
        assert_eq!((days.header("x-total-count"), days.list()), ("1", vec![lines[2].clone()]));
        let table = company.get(format!("{REMITTANCES}?format=csv")).await.text();
        assert_eq!(table.lines().count(), 4);
        assert!(table.contains(",39000,AL-123,77,,400.50,automatic,,2026-05-27,DED*CS*AL-123*"), "{table}");
        assert!(table.contains(",'=S-1,"), "{table}");
    });
}

#[test]
fn what_payrolls_took_counts_for_the_maxima_until_it_is_forgotten() {
    on_both_engines(async |engine: Engine| {
        let (company, [ohio, _, plain]) = with_payrolls(engine).await;
        let taken = async |id: &str, year: u16| {
            let query = format!("gross=9000&pay_frequency=Monthly&check_date={year}-06-15");
            let told = company.get(format!("/v1/garnishments/{id}/explain?{query}")).await.ok();
            text(&told["deduction"], "amount")
        };
        // 450.50 of 500.00 are gone this year; next year all of it is there again.
        assert_eq!((taken(&ohio, 2026).await, taken(&ohio, 2027).await), ("49.50".into(), "400.50".into()));
        // The plain deduction was to be taken once.
        assert_eq!(taken(&plain, 2026).await, "0.00");

        let id = company.id.to_string().parse::<Uuid>().unwrap();
        let forget = move |tx: &mut store::Tx<'_>| withheld::forget(tx, id, REGULAR.payroll);
        let forgotten: Result<(), Error> = company.world.app.store.write(forget).await;
        forgotten.unwrap();
        assert_eq!(company.get(REMITTANCES).await.list().len(), 1);
        assert_eq!((taken(&ohio, 2026).await, taken(&plain, 2026).await), ("400.50".into(), "10.00".into()));
    });
}
