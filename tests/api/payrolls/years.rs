//! A new year: payrolls wait for its tables, which an operator imports.

use std::path::PathBuf;

use domain::datasets;
use domain::pay::minimum_wages::Table;
use serde_json::{Value, json};

use super::{calculated, company, enter, hours, line, number, of, paid_hours, paid_on, path, read};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

const FEDERAL: &str = include_str!("../../../data/federal_withholding_2026.json");
const STATES: &str = include_str!("../../../data/state_withholding_2026.json");
const LEVIES: &str = include_str!("../../../data/levy_exemptions.csv");
const WAGES: &str = include_str!("../../../data/minimum_wages.csv");
const LOCAL_TAXES: &str = include_str!("../../../data/taxes/local_2026.csv");
const LIMITS: &str = include_str!("../../../data/benefit_limits.csv");

/// A file of a new year, made from one of 2026.
fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let file = folder.path().join(name);
    std::fs::write(&file, text).unwrap();
    file
}

async fn import(company: &Company, kind: &str, file: &std::path::Path) -> Result<String, String> {
    let done = datasets::import_file(&company.world.app.store, kind, file, None, false, &|_, _| ()).await;
    done.map(|done| done.to_text())
}

/// The federal tables of 2027: those of 2026, where 20 % were taken before the tax of 12 % begins instead of 10 %.
fn federal_of_2027() -> String {
    FEDERAL
        .replacen("\"year\": 2026", "\"year\": 2027", 1)
        .replace("\"0.00\", \"10\"]", "\"0.00\", \"20\"]")
        .replace("\"1240.00\"", "\"2480.00\"")
}

/// The formula of Illinois alone for 2027, with 5.95 %.
fn illinois_of_2027() -> String {
    let file: Value = serde_json::from_str(STATES).unwrap();
    let state = file["states"]["IL"].to_string().replace("2026-01-01", "2027-01-01").replace("4.95", "5.95");
    json!({ "year": 2027, "states": { "IL": serde_json::from_str::<Value>(&state).unwrap() } }).to_string()
}

/// The minimum wages with figures of 2027: those that began with 2026, where none of 2027 is held.
fn minimum_wages_of_2027() -> String {
    let mut all = WAGES.to_owned();
    for line in WAGES.lines().filter(|line| line.contains(",2026-01-01,")) {
        let with_next = format!("{all}{}\n", line.replace(",2026-01-01,", ",2027-01-01,"));
        if Table::parse(&with_next).is_ok() {
            all = with_next;
        }
    }
    all
}

/// Somebody in Illinois, and an off-cycle payroll that is paid in January 2027.
async fn in_january(engine: Engine) -> (Company, String, String) {
    let (company, _, _) = company(engine).await;
    let chicago = id_of(&company.location("IL").await);
    company.answer_state("IL").await;
    let (ana, _) = company.onboarded("Ana", &chicago, ("20.00", "Hour", "Nonexempt")).await;
    company.world.wait_until("2026-12-28T18:00:00Z".parse().unwrap()).await;
    let body = json!({ "off_cycle": true, "off_cycle_reason": "Correction", "start_date": "2026-12-14",
                       "end_date": "2026-12-27", "employee_uuids": [ana], "check_date": "2027-01-08",
                       "withholding_pay_period": "Every other week" });
    let payroll = id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok());
    enter(&company, &payroll, &ana, hours("80")).await.ok();
    (company, payroll, ana)
}

fn tax(payroll: &Value, employee: &str, name: &str) -> String {
    number(&line(&of(payroll, employee)["taxes"], name)["amount"])
}

/// What every payroll of 2027 says: an import does not bring the tables of states' programmes.
const PROGRAMS_OF_2026: &str =
    "the tables of state programs and local taxes of 2027 are not held; those of 2026 were used";

fn messages(warnings: &Value) -> Vec<String> {
    // The step of these people's Form W-4 was only marked.
    let others = warnings.as_array().unwrap().iter().filter(|warning| warning["key"] != "no_form_w4");
    others.map(|warning| text(warning, "message")).collect()
}

async fn go_on_with_the_year_before(company: &Company, yes: bool) {
    let settings = "/v1/companies/{company}/payroll_settings";
    let put = company.put(settings, json!({ "previous_year_tables": yes })).await.ok();
    assert_eq!(put["previous_year_tables"], yes);
    assert_eq!(company.get(settings).await.ok(), put);
}

#[test]
fn a_payroll_of_january_waits_for_the_tables_of_its_year_and_is_paid_by_them() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll, ana) = in_january(engine).await;
        let refused = company.put(path(&payroll, "/calculate"), json!({})).await.refused(422);
        assert_eq!(refused.fault(), ("base", "payroll_blocker"));
        assert_eq!(refused.only()["metadata"]["key"], "missing_tax_tables");
        let why = text(refused.only(), "message");
        let named = "federal-withholding of 2027 is not held; the operator imports it with: stipend data import \
                     federal-withholding FILE";
        assert!(why.contains(named), "{why}");

        let folder = tempfile::tempdir().unwrap();
        let federal = file(&folder, "federal.json", &federal_of_2027());
        let changes = import(&company, "federal-withholding", &federal).await.unwrap();
        assert!(changes.contains("\n2027 is new\n") && !changes.contains("2026 has changed"), "{changes}");

        // What only some employees need is found by the calculation, which names it as well.
        company.put(path(&payroll, "/calculate"), json!({})).await.is(202);
        company.work().await;
        let told = company.get(path(&payroll, "")).await.ok();
        let error = &told["processing_request"]["errors"][0];
        assert_eq!(error["error_key"], "check_date");
        let why = text(error, "message");
        assert!(why.starts_with("the table state-withholding of 2027 is not held for IL;"), "{why}");

        let illinois = file(&folder, "states.json", &illinois_of_2027());
        let changes = import(&company, "state-withholding", &illinois).await.unwrap();
        assert!(changes.contains("\nIL from 2027-01-01 is new\n"), "{changes}");
        let told = calculated(&company, &payroll).await;
        // 1,600.00 x 26 = 41,600; less line 1g, 8,600; 12 % of what is beyond 19,900, and 2,480.00; over 26.
        // Illinois: 5.95 % of everything, without allowances.
        assert_eq!(tax(&told, &ana, "Federal Income Tax"), "155.85");
        assert_eq!(tax(&told, &ana, "IL Withholding Tax"), "95.20");
        assert_eq!(messages(&told["warnings"]), [PROGRAMS_OF_2026], "no other warning");
        company.submit(&payroll).await;
        company.world.wait_until("2027-01-09T12:00:00Z".parse().unwrap()).await;
        let paid = company.get(path(&payroll, "")).await.ok();
        assert_eq!((&paid["processed"], &paid["check_date"]), (&json!(true), &json!("2027-01-08")));
        let explained = company.get(path(&payroll, &format!("/employees/{ana}/explain"))).await.ok();
        assert_eq!(explained["note"], Value::Null, "{explained}");
        assert_ne!(explained["tables"]["federal-withholding"], "2026-11-21");
    });
}

#[test]
fn a_company_may_go_on_with_the_tables_of_the_year_before_and_the_payroll_says_so_once() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll, ana) = in_january(engine).await;
        go_on_with_the_year_before(&company, true).await;
        let told = calculated(&company, &payroll).await;
        let warnings = told["warnings"].as_array().unwrap().clone();
        let of_ana = of(&told, &ana)["warnings"].as_array().unwrap();
        assert!(
            of_ana.iter().all(|warning| warning["key"] != "previous_year_tables"),
            "told once, not by paycheck"
        );
        assert_eq!(
            messages(&told["warnings"]),
            [
                PROGRAMS_OF_2026,
                "the table federal-withholding of 2027 is not held; one of an earlier year was used",
                "the table state-withholding of 2027 is not held for IL; one of an earlier year was used",
            ]
        );
        assert!(warnings.iter().all(|warning| warning["key"] == "previous_year_tables"));
        // By the tables of 2026: (41,600 - 8,600 - 19,900) x 12 % + 1,240.00, over 26; 4.95 % of everything.
        assert_eq!(tax(&told, &ana, "Federal Income Tax"), "108.15");
        assert_eq!(tax(&told, &ana, "IL Withholding Tax"), "79.20");
        company.submit(&payroll).await;
        let explained = company.get(path(&payroll, &format!("/employees/{ana}/explain"))).await.ok();
        assert_eq!(explained["note"], Value::Null, "{explained}");

        // What was paid stays explainable when the company decides otherwise, and when the tables come.
        go_on_with_the_year_before(&company, false).await;
        let explained = company.get(path(&payroll, &format!("/employees/{ana}/explain"))).await.ok();
        assert_eq!(explained["note"], Value::Null, "{explained}");
        let folder = tempfile::tempdir().unwrap();
        import(&company, "state-withholding", &file(&folder, "il.json", &illinois_of_2027())).await.unwrap();
        let again = company.get(path(&payroll, &format!("/employees/{ana}/explain"))).await.ok();
        assert_eq!(again, explained, "the tables by which it was worked out are kept");
    });
}

#[test]
fn the_table_of_the_home_state_is_missed_where_only_the_home_state_is_withheld_for() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll, ana) = in_january(engine).await;
        let texas = id_of(&company.location("TX").await);
        let work = &company.get(format!("/v1/employees/{ana}/work_addresses")).await.list()[0];
        let office = json!({ "version": work["version"], "location_uuid": texas });
        company.put(format!("/v1/work_addresses/{}", text(work, "uuid")), office).await.ok();
        let home = &company.get(format!("/v1/employees/{ana}/home_addresses")).await.list()[0];
        let chicago = json!({ "version": home["version"], "city": "Chicago", "state": "IL", "zip": "60601" });
        company.put(format!("/v1/home_addresses/{}", text(home, "uuid")), chicago).await.ok();
        go_on_with_the_year_before(&company, true).await;
        let told = calculated(&company, &payroll).await;
        assert_eq!(tax(&told, &ana, "IL Withholding Tax"), "79.20");
        let told = messages(&told["warnings"]);
        let missed =
            "the table state-withholding of 2027 is not held for IL; one of an earlier year was used";
        assert!(told.iter().any(|message| message == missed), "{told:?}");
    });
}

#[test]
fn the_pay_of_last_year_stays_what_it_was_when_the_tables_of_the_next_come() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let before = paid_hours(&company, &payroll, &ana, "80").await;
        let folder = tempfile::tempdir().unwrap();
        import(&company, "federal-withholding", &file(&folder, "f.json", &federal_of_2027())).await.unwrap();
        let after = calculated(&company, &payroll).await;
        assert_eq!(of(&after, &ana)["taxes"], of(&before, &ana)["taxes"]);
    });
}

#[test]
fn a_file_of_a_table_with_a_fault_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let folder = tempfile::tempdir().unwrap();
        let template = datasets::template_of_kind("federal-withholding").unwrap();
        assert!(template.contains("\"year\": 2027"), "{template}");
        let limits = |row: &str| format!("{}\n{row}\n", LIMITS.lines().next().unwrap());
        for (kind, text, expected) in [
            (
                "federal-withholding",
                federal_of_2027().replacen("\"37\"", "\"137\"", 1),
                "2027: standard: single",
            ),
            ("federal-withholding", template, "this is a template"),
            ("federal-withholding", "{".to_owned(), "this is not JSON"),
            (
                "state-withholding",
                illinois_of_2027().replace("annualise", "double"),
                "2027: IL: steps: double",
            ),
            (
                "benefit-limits",
                limits("2027,hsa,Single,both,4500,,,,x,primary"),
                "line 2: Single is no option",
            ),
            ("payroll-taxes", datasets::template_of_kind("payroll-taxes").unwrap(), "2028: social_security"),
            (
                "support-limits",
                "state,from\nTX,2027-01-01\n".to_owned(),
                "line 1: the column other_family is missing",
            ),
            ("overtime-rules", "x\n".to_owned(), "line 1: the column \"x\" is unknown"),
        ] {
            let why = import(&company, kind, &file(&folder, "wrong", &text)).await.unwrap_err();
            assert!(why.contains("nothing was imported") && why.contains(expected), "{kind}: {why}");
        }
        assert!(
            datasets::template_of_kind("weather")
                .unwrap_err()
                .contains("the kinds are: agencies, agency-banks, benefit-limits")
        );
        let status =
            datasets::status_table(&datasets::dataset_status(&company.world.app.store).await.unwrap());
        assert!(!status.contains("imported"), "{status}");
    });
}

#[test]
fn from_november_on_the_status_names_the_tables_of_the_next_year() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let missing = async || {
            let status = datasets::dataset_status(&company.world.app.store).await.unwrap();
            status.missing.iter().map(|table| (table.kind, table.year)).collect::<Vec<_>>()
        };
        company.world.wait_until("2026-10-31T12:00:00Z".parse().unwrap()).await;
        assert_eq!(missing().await, []);
        company.world.wait_until("2026-11-01T12:00:00Z".parse().unwrap()).await;
        let (federal, limits, states, levies, wages) = (
            ("federal-withholding", 2027),
            ("benefit-limits", 2027),
            ("state-withholding", 2027),
            ("levy-exemptions", 2027),
            ("minimum-wages", 2027),
        );
        let others = [("state-programs", 2027), ("unemployment-insurance", 2027), ("local-taxes", 2027)];
        let with_others = |of: &[(&'static str, i16)]| [of, &others, &[wages], &WITHOUT_EDITION].concat();
        assert_eq!(missing().await, with_others(&[federal, limits, states, levies]));
        let folder = tempfile::tempdir().unwrap();
        import(&company, "federal-withholding", &file(&folder, "f", &federal_of_2027())).await.unwrap();
        import(&company, "benefit-limits", &file(&folder, "l", &LIMITS.replace("\n2026,", "\n2027,")))
            .await
            .unwrap();
        assert_eq!(missing().await, with_others(&[states, levies]));
        import(&company, "levy-exemptions", &file(&folder, "e", &LEVIES.replace("\n2026,", "\n2027,")))
            .await
            .unwrap();
        assert_eq!(missing().await, with_others(&[states]));
        let next = STATES.replacen("\"year\": 2026", "\"year\": 2027", 1).replace("2026-", "2027-");
        import(&company, "state-withholding", &file(&folder, "s", &next)).await.unwrap();
        assert_eq!(missing().await, with_others(&[]));
        import(&company, "minimum-wages", &file(&folder, "w", &minimum_wages_of_2027())).await.unwrap();
        assert_eq!(missing().await, [&others[..], &WITHOUT_EDITION].concat());
        // Newark's rate of 2027 alone: the table of local taxes has an edition for the year.
        let of_2027 =
            LOCAL_TAXES.lines().filter(|line| line.starts_with("code,") || line.starts_with("NJ_NEWARK,"));
        let of_2027: Vec<String> = of_2027
            .map(|line| line.replace(",exempt,,,secondary,", ",exempt,2027-01-01,,secondary,"))
            .collect();
        let of_2027 = of_2027.join("\n") + "\n";
        import(&company, "local-taxes", &file(&folder, "t", &of_2027)).await.unwrap();
        assert_eq!(missing().await, [&others[..2], &WITHOUT_EDITION].concat());
    });
}

/// The tables of law that have no row of 2027, of those whose states and groups of benefits are not named one by one.
const WITHOUT_EDITION: [(&str, i16); 24] = [
    ("city-credits", 2027),
    ("contractor-pay", 2027),
    ("deposit-codes", 2027),
    ("employer-fees", 2027),
    ("final-pay", 2027),
    ("fluctuating-workweek", 2027),
    ("futa-credit-reductions", 2026),
    ("lump-sum-reporting", 2027),
    ("new-hire-files", 2027),
    ("new-hire-reporting", 2027),
    ("ohio-credits", 2027),
    ("overtime-rules", 2027),
    ("pennsylvania-register", 2027),
    ("reciprocity", 2027),
    ("residents-and-nonresidents", 2027),
    ("return-deadlines", 2027),
    ("roth-catch-up", 2027),
    ("sick-leave", 2027),
    ("state-certificates", 2027),
    ("state-wage-reports", 2027),
    ("state-withholding-returns", 2027),
    ("supplemental-rates", 2027),
    ("support-limits", 2027),
    ("tax-bases", 2027),
];

#[test]
fn tables_whose_rows_have_no_days_are_imported_for_a_year_and_named_no_more() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        company.world.wait_until("2026-11-01T12:00:00Z".parse().unwrap()).await;
        let folder = tempfile::tempdir().unwrap();
        for kind in [
            "city-credits",
            "final-pay",
            "fluctuating-workweek",
            "lump-sum-reporting",
            "new-hire-reporting",
            "overtime-rules",
            "sick-leave",
            "tax-bases",
        ] {
            let is_missing = async || {
                let status = datasets::dataset_status(&company.world.app.store).await.unwrap();
                status.missing.iter().any(|table| table.kind == kind)
            };
            assert!(is_missing().await, "{kind}");
            let template = datasets::template_of_kind(kind).unwrap();
            assert!(template.lines().next().unwrap().ends_with(",effective_from"), "{kind}: {template}");
            let built_in = match kind {
                "city-credits" => include_str!("../../../data/taxes/city_credits.csv"),
                "final-pay" => include_str!("../../../data/final_pay.csv"),
                "fluctuating-workweek" => include_str!("../../../data/fluctuating_workweek.csv"),
                "lump-sum-reporting" => include_str!("../../../data/lump_sum_reporting.csv"),
                "new-hire-reporting" => include_str!("../../../data/new_hire_reporting.csv"),
                "overtime-rules" => include_str!("../../../data/overtime_rules.csv"),
                "sick-leave" => include_str!("../../../data/sick_leave.csv"),
                _ => include_str!("../../../data/taxes/tax_bases.csv"),
            };
            let (header, rows) = built_in.split_once('\n').unwrap();
            let first = rows.lines().next().unwrap();
            let of_2027 = format!("{header},effective_from\n{first},2027-01-01\n");
            let done = import(&company, kind, &file(&folder, kind, &of_2027)).await.unwrap();
            assert!(done.contains("from 2027-01-01 is new"), "{kind}: {done}");
            assert!(!is_missing().await, "{kind}");
            let faulty = format!("{header},effective_from\n{first},soon\n");
            let why = import(&company, kind, &file(&folder, kind, &faulty)).await.unwrap_err();
            assert!(why.contains("line 2, effective_from: must be a day"), "{kind}: {why}");
        }
    });
}

#[test]
fn a_salary_level_that_is_imported_counts_from_its_day_on() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let folder = tempfile::tempdir().unwrap();
        let level =
            "state,counties,from,weekly,source,confidence\nUS,,2026-12-01,5000,a rule of 2026,primary\n";
        let done = import(&company, "salary-levels", &file(&folder, "l", level)).await.unwrap();
        assert!(done.contains("US  from 2026-12-01 is new"), "{done}");
        let employee = id_of(&company.employee("Ana").await);
        let job = company.job(&employee, "Cook", "2026-03-01").await;
        let id = id_of(&job["compensations"][0]);
        let pay = async |rate: &str| {
            let version = company.read("compensations", &id).await["version"].clone();
            let terms =
                json!({ "version": version, "rate": rate, "payment_unit": "Year", "flsa_status": "Exempt" });
            company.put(format!("/v1/compensations/{id}"), terms).await
        };
        pay("200000").await.ok();
        company.world.wait_until("2026-12-02T18:00:00Z".parse().unwrap()).await;
        assert_eq!(pay("210000").await.refused(422).fault(), ("rate", "invalid_attribute_value"));
        pay("260000").await.ok();
    });
}

#[test]
fn what_is_to_be_paid_on_a_day_on_which_banks_are_closed_is_paid_before_in_the_year_of_that_day() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        company.world.wait_until("2026-12-21T18:00:00Z".parse().unwrap()).await;
        let create = async |day: &str, check_only: bool| {
            let body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-12-14", "end_date": "2026-12-20",
                               "employee_uuids": [ana], "check_date": day, "is_check_only_payroll": check_only });
            company.post("/v1/companies/{company}/payrolls", body).await.ok()
        };
        for (day, paid) in [
            ("2027-01-01", "2026-12-31"),
            // A Sunday, and Christmas.
            ("2026-12-27", "2026-12-24"),
            ("2026-12-25", "2026-12-24"),
            ("2026-12-30", "2026-12-30"),
        ] {
            assert_eq!(create(day, false).await["check_date"], paid, "{day}");
        }
        assert_eq!(create("2027-01-01", true).await["check_date"], "2027-01-01", "a check is handed over");
        // The tables of 2026 count, and those of 2027 are asked for by nobody.
        let payroll = id_of(&create("2027-01-01", false).await);
        enter(
            &company,
            &payroll,
            &ana,
            json!({ "fixed_compensations": [{ "name": "Bonus", "amount": "100.00" }] }),
        )
        .await
        .ok();
        let told = calculated(&company, &payroll).await;
        assert_eq!(
            (&told["check_date"], tax(&told, &ana, "Social Security")),
            (&json!("2026-12-31"), "6.20".into())
        );
    });
}

#[test]
fn opening_balances_count_for_programs_of_states_after_a_payroll_of_the_next_year_was_processed() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let brooklyn = id_of(&company.location("NY").await);
        company.answer_state("NY").await;
        let (ana, _) = company.onboarded("Ana", &brooklyn, ("40.00", "Hour", "Nonexempt")).await;
        let wages = ["gross", "social_security", "medicare"];
        let wages = wages.map(|name| json!({ "name": name, "amount": "178000.00" }));
        let balances = json!({ "year": 2026, "wages": wages, "taxes": [] });
        company.put(format!("/v1/employees/{ana}/opening_balances"), balances).await.ok();
        company.world.wait_until("2026-12-14T18:00:00Z".parse().unwrap()).await;
        go_on_with_the_year_before(&company, true).await;
        let tax = |told: &Value, name: &str| line(&of(told, &ana)["taxes"], name).clone();

        let january = paid_on(&company, &ana, ("2026-12-14", "2026-12-27", "2027-01-08")).await;
        let told = read(&company, &january, "taxes").await;
        assert_eq!(tax(&told, "NY SUI")["line"]["taxable_wages"], "3200.00", "a new year");
        company.submit(&january).await;
        // Both payrolls pay for the same days, so that the second is worked out beside the first.
        let december = paid_on(&company, &ana, ("2026-12-14", "2026-12-27", "2026-12-24")).await;
        let told = read(&company, &december, "taxes").await;
        assert_eq!(number(&tax(&told, "Social Security")["amount"]), "198.40");
        for passed in ["NY SUI", "NY RSF", "NY PFL"] {
            assert_eq!(tax(&told, passed), Value::Null, "{passed}: its base was passed with 178,000.00");
        }
    });
}

#[test]
fn a_claim_of_exemption_on_form_w4_ends_with_15_february_of_the_next_year_unless_it_is_made_anew() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let denver = id_of(&company.location("CO").await);
        company.answer_state("CO").await;
        let (ana, _) = company.onboarded("Ana", &denver, ("40.00", "Hour", "Nonexempt")).await;
        let form = format!("/v1/employees/{ana}/federal_taxes");
        let claim = async || {
            let version = company.get(&form).await.ok()["version"].clone();
            let body = json!({ "version": version, "w4_data_type": "rev_2020_w4",
                               "filing_status": "Exempt from withholding", "two_jobs": false, "dependents_amount": "0",
                               "other_income": "0", "deductions": "0", "extra_withholding": "0" });
            company.put(&form, body).await.ok()["version"].clone()
        };
        let claimed = claim().await;
        assert_eq!(claim().await, claimed, "the same claim in the same year");
        company.world.wait_until("2026-12-28T18:00:00Z".parse().unwrap()).await;
        go_on_with_the_year_before(&company, true).await;
        let paid = async |start: &str, end: &str, check: &str| {
            let payroll = paid_on(&company, &ana, (start, end, check)).await;
            let told = read(&company, &payroll, "taxes").await;
            let taxes = ["Federal Income Tax", "CO Withholding Tax"];
            let taxes =
                taxes.map(|name| line(&of(&told, &ana)["taxes"], name)["amount"].as_f64().unwrap_or(0.0));
            let warnings = of(&told, &ana)["warnings"].as_array().cloned().unwrap_or_default();
            let keys = warnings.iter().map(|one| text(one, "key")).filter(|key| key.starts_with("w4_"));
            (taxes.map(|tax| tax > 0.0), keys.collect::<Vec<_>>())
        };
        assert_eq!(paid("2026-12-14", "2026-12-27", "2026-12-31").await, ([false, false], vec![]));
        let ends = vec!["w4_exemption_ends".to_owned()];
        assert_eq!(paid("2026-12-14", "2026-12-27", "2027-01-08").await, ([false, false], ends.clone()));
        assert_eq!(paid("2027-01-25", "2027-02-07", "2027-02-15").await, ([false, false], ends));
        let over = vec!["w4_exemption_over".to_owned()];
        assert_eq!(paid("2027-01-25", "2027-02-07", "2027-02-16").await, ([true, true], over));
        // A form of the new year claims it anew, though nothing else of it is another.
        company.world.wait_until("2027-01-04T18:00:00Z".parse().unwrap()).await;
        assert_ne!(claim().await, claimed);
        assert_eq!(paid("2027-01-25", "2027-02-07", "2027-02-16").await, ([false, false], vec![]));
    });
}
