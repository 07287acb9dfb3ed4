//! What the certificates of states and Form W-4 say of the taxes of states and places.

use rules::Amount;
use serde_json::{Value, json};

use super::several_states::{certify, income_tax, live, paid};
use super::{company, explanation_of, line, number};
use crate::support::{Company, Engine, id_of, on_both_engines};

/// Answers Form W-4.
async fn sign(company: &Company, employee: &str, filing_status: &str) {
    let form = format!("/v1/employees/{employee}/federal_taxes");
    let version = company.get(&form).await.ok()["version"].clone();
    let body = json!({ "version": version, "w4_data_type": "rev_2020_w4", "filing_status": filing_status,
                       "two_jobs": false, "dependents_amount": "0", "other_income": "0", "deductions": "0",
                       "extra_withholding": "0" });
    company.put(form, body).await.ok();
}

/// Somebody who lives and works there and earns 2,000.00 in two weeks.
async fn employed(company: &Company, home: (&str, &str, &str)) -> String {
    let office = id_of(&company.location(home.1).await);
    let (employee, _) = company.onboarded("Ana", &office, ("25.00", "Hour", "Nonexempt")).await;
    live(company, &employee, home).await;
    employee
}

/// A tax of a paycheck; nothing where it has none.
fn tax(paycheck: &Value, name: &str) -> String {
    match line(&paycheck["taxes"], name) {
        Value::Null => "none".to_owned(),
        line => number(&line["amount"]),
    }
}

#[test]
fn states_without_a_form_of_their_own_go_by_form_w4_as_it_stands() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        for home in [("Denver", "CO", "80202"), ("Santa Fe", "NM", "87501")] {
            let state = home.1;
            let ana = employed(&company, home).await;
            let single = income_tax(&paid(&company, &ana).await.1, state);
            // Without the form the answers count; with it they do not, and a newer form takes its place.
            let married = if state == "CO" { "married_joint" } else { "married" };
            certify(&company, &ana, state, &[("filing_status", json!(married))]).await;
            let lower = income_tax(&paid(&company, &ana).await.1, state);
            assert!(lower < single, "{state}: {lower} and {single}");
            sign(&company, &ana, "Single").await;
            assert_eq!(income_tax(&paid(&company, &ana).await.1, state), single, "{state}");
            certify(&company, &ana, state, &[("filing_status", json!("single"))]).await;
            sign(&company, &ana, "Married").await;
            let (payroll, paycheck) = paid(&company, &ana).await;
            assert_eq!(income_tax(&paycheck, state), lower, "{state}");
            if state == "CO" {
                // DR 1098: 4.4 % of 52,000.00 less 11,000.00, by 26.
                assert_eq!(lower.to_text(2), "69.38");
            }
            explanation_of(&company, &payroll, &ana).await;
            sign(&company, &ana, "Exempt from withholding").await;
            let exempt = paid(&company, &ana).await.1;
            assert_eq!(tax(&exempt, &format!("{state} Withholding Tax")), "none", "{state}");
        }
    });
}

#[test]
fn new_york_city_and_yonkers_go_by_form_it_2104() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let ana = employed(&company, ("Brooklyn", "NY", "11201")).await;
        sign(&company, &ana, "Married").await;
        let of = async |answers: &[(&str, Value)]| {
            certify(&company, &ana, "NY", answers).await;
            paid(&company, &ana).await.1
        };
        // Method II for two weeks: 783 and 4.15 % of 52,000.00 less 5,000.00 and 25,000.00, by 26, with the printed parts in
        // multiples of five cents: single, whatever Form W-4 says.
        assert_eq!(tax(&paid(&company, &ana).await.1, "NYC tax"), "65.22");
        assert_eq!(tax(&of(&[("filing_status", json!("married"))]).await, "NYC tax"), "64.42");
        let five = [("filing_status", json!("single")), ("allowances", json!(5))];
        assert_eq!(tax(&of(&five).await, "NYC tax"), "57.23");
        let exempt = of(&[("exempt", json!(true))]).await;
        assert_eq!(tax(&exempt, "NYC tax"), "none", "{exempt}");
        assert_eq!(tax(&exempt, "NY Withholding Tax"), "none", "{exempt}");

        // Yonkers takes 16.75 % of the state's tax, and nothing of the amount that was asked for on top.
        live(&company, &ana, ("Yonkers", "NY", "10701")).await;
        let without =
            of(&[("exempt", json!(false)), ("filing_status", json!("married")), ("allowances", json!(2))])
                .await;
        let with = of(&[("additional_withholding", json!("10"))]).await;
        let ten = Amount::from_cents(1_000);
        let more = income_tax(&without, "NY").checked_add(ten).unwrap();
        assert_eq!(income_tax(&with, "NY"), more);
        assert_eq!(tax(&with, "Yonkers resident tax"), "13.56");
        assert_eq!(tax(&without, "Yonkers resident tax"), "13.56");
        let payroll = paid(&company, &ana).await.0;
        explanation_of(&company, &payroll, &ana).await;
    });
}

#[test]
fn exemptions_of_the_state_count_in_detroit_and_in_ohios_school_districts() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let ana = employed(&company, ("Detroit", "MI", "48226")).await;
        assert_eq!(tax(&paid(&company, &ana).await.1, "Detroit city tax"), "48.00");
        certify(&company, &ana, "MI", &[("exemptions", json!(4))]).await;
        // 2.4 % of 52,000.00 less 4 times 600.00, by 26.
        assert_eq!(tax(&paid(&company, &ana).await.1, "Detroit city tax"), "45.78");

        let max = employed(&company, ("Bexley", "OH", "43209")).await;
        certify(&company, &max, "OH", &[("school_district", json!("2501"))]).await;
        assert_eq!(tax(&paid(&company, &max).await.1, "Bexley CSD school tax"), "15.00");
        certify(&company, &max, "OH", &[("exemptions", json!(3))]).await;
        // 0.75 % of 2,000.00 less 3 times 25.00.
        assert_eq!(tax(&paid(&company, &max).await.1, "Bexley CSD school tax"), "14.44");
        certify(&company, &max, "OH", &[("exempt", json!(true))]).await;
        let waived = paid(&company, &max).await.1;
        assert_eq!(tax(&waived, "Bexley CSD school tax"), "none", "{waived}");
    });
}

#[test]
fn no_county_of_indiana_on_the_first_of_january_is_no_county_tax_in_the_year() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let ana = employed(&company, ("Indianapolis", "IN", "46204")).await;
        assert_eq!(tax(&paid(&company, &ana).await.1, "Marion county tax"), "40.40");
        certify(&company, &ana, "IN", &[("county", json!("none"))]).await;
        let paycheck = paid(&company, &ana).await.1;
        assert_eq!(tax(&paycheck, "Marion county tax"), "none", "{paycheck}");
        assert!(!paycheck["warnings"].to_string().contains("county"), "{paycheck}");
        live(&company, &ana, ("Louisville", "KY", "40202")).await;
        assert_eq!(tax(&paid(&company, &ana).await.1, "Marion county tax"), "none");
        certify(&company, &ana, "IN", &[("county", json!("adams"))]).await;
        assert_eq!(tax(&paid(&company, &ana).await.1, "Adams county tax"), "32.00");
    });
}

#[test]
fn an_answer_about_new_york_city_or_yonkers_that_the_address_contradicts_is_told() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let ana = employed(&company, ("New York", "NY", "10001")).await;
        let contradicted = async |city: &str, zip: &str, answers: &[(&str, bool)]| {
            live(&company, &ana, (city, "NY", zip)).await;
            let answers: Vec<_> = answers.iter().map(|(key, value)| (*key, json!(value))).collect();
            certify(&company, &ana, "NY", &answers).await;
            let told = paid(&company, &ana).await.1["warnings"].as_array().cloned().unwrap_or_default();
            let told = told.iter().filter(|one| one["key"] == "certificate_contradicts_address");
            told.map(|one| one["message"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let both = |city: bool, yonkers: bool| [("nyc_resident", city), ("yonkers_resident", yonkers)];
        assert_eq!(contradicted("New York", "10001", &both(true, false)).await, [""; 0]);
        let told = contradicted("Albany", "12207", &both(true, false)).await;
        let said =
            "nyc_resident says that the home is in New York City, but the address in Albany 12207 is not";
        assert!(told.len() == 1 && told[0].starts_with(said), "{told:?}");
        assert_eq!(contradicted("Albany", "12207", &both(false, false)).await, [""; 0]);
        let told = contradicted("New York", "10001", &both(false, true)).await;
        assert!(told.len() == 2 && told[0].contains("is not in New York City"), "{told:?}");
        assert!(told[1].contains("is in Yonkers"), "{told:?}");
    });
}
