//! Programmes of states that count employees, tell employers apart, or let some people off.

use domain::datasets;
use serde_json::{Value, json};

use super::several_states::{certify, live, paid};
use super::{company, line, number};
use crate::support::{Engine, id_of, on_both_engines, text};

/// The amount of a line of the employee's taxes, or of the employer's; nothing where it is not there.
fn tax(paycheck: &Value, code: &str) -> String {
    let lines = paycheck["taxes"].as_array().unwrap().iter();
    let mut lines = lines.filter(|line| line["line"]["code"] == code);
    lines.next().map_or_else(|| "none".to_owned(), |line| number(&line["amount"]))
}

#[test]
fn a_programme_counts_those_who_work_in_its_state_until_the_company_tells_its_size() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, _) = company(engine).await;
        let boston = id_of(&company.location("MA").await);
        let (ana, _) = company.onboarded("Ana", &boston, ("25.00", "Hour", "Nonexempt")).await;
        // Thirty in Texas and a draft are nobody's employees in Massachusetts.
        company.crowd(&texas, 30).await;
        company.employee("Draft").await;
        assert_eq!(tax(&paid(&company, &ana).await.1, "MA_PFML_MED_ER"), "none");
        company.crowd(&boston, 23).await;
        assert_eq!(tax(&paid(&company, &ana).await.1, "MA_PFML_MED_ER"), "none", "24 of them");
        company.crowd(&boston, 1).await;
        // 0.42 % of 2,000.00.
        assert_eq!(tax(&paid(&company, &ana).await.1, "MA_PFML_MED_ER"), "8.40", "25 of them");
        let size = json!({ "requirement_sets": [{ "state": "MA", "key": "employer",
                           "requirements": [{ "key": "employer_size", "value": "12" }] }] });
        company.put("/v1/companies/{company}/tax_requirements/MA", size).await.is(200);
        assert_eq!(tax(&paid(&company, &ana).await.1, "MA_PFML_MED_ER"), "none", "as the company tells");
    });
}

#[test]
fn a_programme_that_was_imported_counts_employees_as_those_of_the_program_do() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &texas, ("25.00", "Hour", "Nonexempt")).await;
        let head = datasets::template_of_kind("state-programs").unwrap().lines().next().unwrap().to_owned();
        let row = "TX_PL_ER,TX,state,,TX paid leave,employer,work,,,,3,,,,rate,0.5,,,,,ss,year,,,,,,,gross,in,half_up,\
                   exempt,2026-01-01,,secondary,a statute,";
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("programs.csv");
        std::fs::write(&file, format!("{head}\n{row}\n")).unwrap();
        let store = &company.world.app.store;
        datasets::import_file(store, "state-programs", &file, None, false, &|_, _| ()).await.unwrap();
        company.crowd(&texas, 1).await;
        assert_eq!(tax(&paid(&company, &ana).await.1, "TX_PL_ER"), "none", "two of them");
        company.crowd(&texas, 1).await;
        // 0.5 % of 2,000.00.
        assert_eq!(tax(&paid(&company, &ana).await.1, "TX_PL_ER"), "10.00", "three of them");
        let listed = company.get("/v1/taxes").await.list();
        let imported = listed.iter().find(|one| one["code"] == "TX_PL_ER").unwrap();
        assert_eq!((&imported["label"], &imported["source"]), (&json!("TX paid leave"), &json!("a statute")));
    });
}

#[test]
fn employees_everywhere_count_in_colorado_and_those_of_a_county_in_kentucky() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, _) = company(engine).await;
        let denver = id_of(&company.location("CO").await);
        let body = json!({ "street_1": "1 Main Street", "city": "Trapp", "state": "KY", "zip": "40391",
                           "phone_number": "2105550142" });
        let clark = id_of(&company.post("/v1/companies/{company}/locations", body).await.created());
        let (ana, _) = company.onboarded("Ana", &denver, ("25.00", "Hour", "Nonexempt")).await;
        let (bob, _) = company.onboarded("Bob", &clark, ("25.00", "Hour", "Nonexempt")).await;
        company.crowd(&texas, 7).await;
        assert_eq!(tax(&paid(&company, &ana).await.1, "CO_FAMLI_ER"), "none", "nine of them");
        assert_eq!(tax(&paid(&company, &bob).await.1, "KY_CLARK_COUNTY"), "none", "one in Kentucky");
        company.crowd(&clark, 4).await;
        assert_ne!(tax(&paid(&company, &ana).await.1, "CO_FAMLI_ER"), "none", "thirteen of them");
        // 1.5 % of 2,000.00, for employers of five.
        assert_eq!(tax(&paid(&company, &bob).await.1, "KY_CLARK_COUNTY"), "30.00");
        let size = json!({ "requirement_sets": [{ "state": "KY", "key": "employer",
                           "requirements": [{ "key": "employer_size", "value": "4" }] }] });
        company.put("/v1/companies/{company}/tax_requirements/KY", size).await.is(200);
        assert_eq!(tax(&paid(&company, &bob).await.1, "KY_CLARK_COUNTY"), "none", "as the company tells");
    });
}

#[test]
fn a_city_whose_name_addresses_of_another_county_have_is_not_taxed_until_somebody_says_so() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let body = json!({ "street_1": "1 Main Street", "city": "Birmingham", "state": "AL", "zip": "35242",
                           "phone_number": "2105550142" });
        let office = id_of(&company.post("/v1/companies/{company}/locations", body).await.created());
        let (ana, _) = company.onboarded("Ana", &office, ("25.00", "Hour", "Nonexempt")).await;
        let before = paid(&company, &ana).await.1;
        assert_eq!(tax(&before, "AL_BIRMINGHAM"), "none", "Shelby County");
        let warnings = before["warnings"].to_string();
        assert!(warnings.contains("AL Birmingham was not worked out: whether the address lies in the city or district is missing"), "{warnings}");
        let address = &company.get(format!("/v1/employees/{ana}/work_addresses")).await.list()[0];
        assert_eq!(address["jurisdictions"][0]["certain"], false, "{address}");
        let codes = json!({ "version": address["version"], "jurisdiction_codes": ["AL-BIRMINGHAM"] });
        company.put(format!("/v1/work_addresses/{}", text(address, "uuid")), codes).await.ok();
        // 1 % of 2,000.00.
        assert_eq!(tax(&paid(&company, &ana).await.1, "AL_BIRMINGHAM"), "20.00");
    });
}

#[test]
fn the_tax_of_a_city_that_the_program_does_not_know_is_imported_and_withheld_where_an_address_names_it() {
    const LOCAL_TAXES: &str = include_str!("../../../data/taxes/local_2026.csv");
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let body = json!({ "street_1": "1 Main Street", "city": "Newtown", "state": "AL", "zip": "35242",
                           "phone_number": "2105550142" });
        let office = id_of(&company.post("/v1/companies/{company}/locations", body).await.created());
        let (ana, _) = company.onboarded("Ana", &office, ("25.00", "Hour", "Nonexempt")).await;
        let work = &company.get(format!("/v1/employees/{ana}/work_addresses")).await.list()[0];
        let path = format!("/v1/work_addresses/{}", text(work, "uuid"));
        let codes = json!({ "version": work["version"], "jurisdiction_codes": ["AL-NEWTOWN"] });
        let refused = company.put(&path, codes.clone()).await.refused(422);
        assert_eq!(refused.fault().0, "jurisdiction_codes");

        let attalla = |line: &&str| line.starts_with("code,") || line.starts_with("AL_ATTALLA,");
        let rows: Vec<String> = LOCAL_TAXES
            .lines()
            .filter(attalla)
            .map(|line| line.replace("ATTALLA", "NEWTOWN").replace("Attalla", "Newtown"))
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("local.csv");
        std::fs::write(&file, rows.join("\n") + "\n").unwrap();
        let store = &company.world.app.store;
        datasets::import_file(store, "local-taxes", &file, None, false, &|_, _| ()).await.unwrap();

        let set = company.put(&path, codes).await.ok();
        assert_eq!(set["jurisdictions"][0]["name"], "Newtown", "{set}");
        // 2 % of 2,000.00.
        assert_eq!(tax(&paid(&company, &ana).await.1, "AL_NEWTOWN"), "40.00");
    });
}

#[test]
fn a_resident_of_philadelphia_who_works_in_wilmington_is_credited_its_tax() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let body = json!({ "street_1": "1 Main Street", "city": "Wilmington", "state": "DE", "zip": "19801",
                           "phone_number": "2105550142" });
        let office = id_of(&company.post("/v1/companies/{company}/locations", body).await.created());
        let (ana, _) = company.onboarded("Ana", &office, ("25.00", "Hour", "Nonexempt")).await;
        live(&company, &ana, ("Philadelphia", "PA", "19103")).await;
        let paycheck = paid(&company, &ana).await.1;
        // 1.25 % of 2,000.00 there, and 3.74 % less it at home.
        assert_eq!(
            (tax(&paycheck, "DE_WILMINGTON"), tax(&paycheck, "PA_PHILADELPHIA")),
            ("25.00".into(), "49.80".into())
        );
    });
}

#[test]
fn the_class_that_a_warning_asks_for_can_be_answered() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let boston = id_of(&company.location("MA").await);
        let (ana, _) = company.onboarded("Ana", &boston, ("25.00", "Hour", "Nonexempt")).await;
        company.crowd(&boston, 9).await;
        let before = paid(&company, &ana).await.1;
        assert!(before["warnings"].to_string().contains("the class of the employer is missing"), "{before}");
        let set = |class: &str| {
            json!({ "requirement_sets": [{ "state": "MA", "key": "MA_EMAC",
                    "requirements": [{ "key": "class", "value": class }] }] })
        };
        let path = "/v1/companies/{company}/tax_requirements/MA";
        company.put(path, set("year_7")).await.refused(422);
        company.put(path, set("year_5")).await.is(200);
        let after = paid(&company, &ana).await.1;
        assert!(!after["warnings"].to_string().contains("the class of the employer"), "{after}");
        // 0.24 % of 2,000.00.
        assert_eq!(tax(&after, "MA_EMAC"), "4.80");
    });
}

#[test]
fn whoever_is_exempt_from_a_programme_or_pays_a_citys_tax_elsewhere_does_not_pay_it_here() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        for (state, question, code, amount) in [
            ("WA", "wa_cares_exempt", "WA_CARES", "11.60"),
            ("CO", "occupational_tax_elsewhere", "CO_DENVER_OPT", "5.75"),
            ("NY", "family_leave_waiver", "NY_PFL", "8.64"),
        ] {
            let office = id_of(&company.location(state).await);
            let (ana, _) = company.onboarded("Ana", &office, ("25.00", "Hour", "Nonexempt")).await;
            assert_eq!(tax(&paid(&company, &ana).await.1, code), amount, "{code}");
            certify(&company, &ana, state, &[(question, json!(true))]).await;
            let exempt = paid(&company, &ana).await.1;
            assert_eq!(tax(&exempt, code), "none", "{exempt}");
            certify(&company, &ana, state, &[(question, json!(false))]).await;
            assert_eq!(tax(&paid(&company, &ana).await.1, code), amount, "{code}");
        }
    });
}

#[test]
fn minnesotas_paid_leave_is_withheld_and_its_employer_pays_by_size_or_notice() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let office = id_of(&company.location("MN").await);
        let (ana, _) = company.onboarded("Ana", &office, ("25.00", "Hour", "Nonexempt")).await;
        let paycheck = paid(&company, &ana).await.1;
        // 0.44 % of 2,000.00, and half of it for a small employer.
        assert_eq!((tax(&paycheck, "MN_PL"), tax(&paycheck, "MN_PL_ER")), ("8.80".into(), "4.40".into()));
        let rate = json!({ "requirement_sets": [{ "state": "MN", "key": "MN_PL_ER",
                           "requirements": [{ "key": "rate", "value": "0.0044" }] }] });
        company.put("/v1/companies/{company}/tax_requirements/MN", rate).await.is(200);
        assert_eq!(tax(&paid(&company, &ana).await.1, "MN_PL_ER"), "8.80");
    });
}

#[test]
fn philadelphia_takes_its_new_rates_from_july_on_without_a_confirmation() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let body = json!({ "street_1": "1500 Market Street", "city": "Philadelphia", "state": "PA", "zip": "19103",
                           "phone_number": "2105550142" });
        let office = id_of(&company.post("/v1/companies/{company}/locations", body).await.created());
        let (ana, _) = company.onboarded("Ana", &office, ("25.00", "Hour", "Nonexempt")).await;
        let period = ("2026-06-22", "2026-07-05", "2026-07-10");
        let payroll = super::paid_on(&company, &ana, period).await;
        let found = super::read(&company, &payroll, "taxes").await;
        let paycheck = super::of(&found, &ana);
        // 3.425 % of 2,000.00, as for those who live elsewhere from July on.
        assert_eq!(number(&line(&paycheck["taxes"], "Philadelphia wage tax")["amount"]), "68.50");
        let warnings = paycheck["warnings"].as_array().unwrap();
        assert!(warnings.iter().all(|one| one["key"] != "previous_rate_used"), "{warnings:?}");
    });
}
