//! What would be taken from a given pay, and why: every explanation is worked out again from its tree alone.

use serde_json::{Value, json};

use crate::evaluator;
use crate::support::{Company, Engine, NOBODY, id_of, on_both_engines, text};

/// An employee who works in a state, with a W-4.
async fn hired(company: &Company, state: &str) -> String {
    let employee = id_of(&company.employee("Ana").await);
    let location = company.location(state).await;
    company.work_address(&employee, &id_of(&location)).await;
    employee
}

async fn order(company: &Company, employee: &str, fields: Value) -> String {
    let mut body = json!({
        "court_ordered": true, "garnishment_type": "child_support", "deduct_as_percentage": true, "amount": "50",
        "pay_period_maximum": "700",
        "child_support": { "state": "TX", "payment_period": "Monthly", "fips_code": "48000", "case_number": "TX-1" }
    });
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    id_of(&company.post(format!("/v1/employees/{employee}/garnishments"), body).await.created())
}

fn amounts(told: &Value) -> Vec<String> {
    told["deductions"].as_array().unwrap().iter().map(|one| text(one, "amount")).collect()
}

/// Works out every figure again.
fn check(told: &Value) {
    let nodes = told["explanation"].as_array().unwrap();
    assert!(!nodes.is_empty());
    for node in nodes {
        evaluator::check(node).unwrap_or_else(|fault| panic!("{fault}: {node:#}"));
    }
}

#[test]
fn two_orders_share_what_the_state_of_work_leaves_and_each_figure_can_be_worked_out_again() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = hired(&company, "TX").await;
        let first = order(&company, &employee, json!({})).await;
        let second = order(&company, &employee, json!({ "pay_period_maximum": "350" })).await;
        let loan = json!({ "court_ordered": true, "garnishment_type": "student_loan", "amount": "100", "recurring": true });
        company.post(format!("/v1/employees/{employee}/garnishments"), loan).await.created();
        let path = format!("/v1/employees/{employee}/garnishments/preview?gross=1300&pay_frequency=Monthly");
        let told = company.get(&path).await.ok();
        check(&told);
        // 80.60 Social Security and 18.85 Medicare leave 1,200.55; nothing is withheld at so little a month, and Texas
        // taxes no wages. Half of it is 600.27, in equal parts, of which neither order needs less.
        assert_eq!(told["pay"]["disposable_earnings"], "1200.55");
        assert_eq!((&told["pay"]["state"], told["warnings"].as_array().unwrap().len()), (&json!("TX"), 0));
        assert_eq!(amounts(&told), ["300.14", "300.13", "0.00"]);
        assert_eq!(told["total"], "600.27");

        let one = company
            .get(format!("/v1/garnishments/{second}/explain?gross=1300&pay_frequency=Monthly"))
            .await
            .ok();
        check(&one);
        assert_eq!(
            (&one["deduction"]["amount"], &one["garnishment_uuid"]),
            (&json!("300.13"), &json!(second))
        );
        assert_eq!(one["others"].as_array().unwrap().len(), 2);
        let figures: Vec<_> =
            one["explanation"].as_array().unwrap().iter().map(|node| text(node, "figure")).collect();
        assert!(
            figures.contains(&format!("deduction {second}"))
                && !figures.contains(&format!("deduction {first}"))
        );
        for name in ["federal_income_tax", "social_security", "medicare", "disposable_earnings"] {
            assert!(figures.iter().any(|figure| figure == name), "{name} is missing in {figures:?}");
        }
    });
}

#[test]
fn without_a_given_pay_the_primary_job_and_the_pay_schedule_say_it() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = hired(&company, "TX").await;
        let id = order(&company, &employee, json!({})).await;
        let path = format!("/v1/garnishments/{id}/explain");
        assert_eq!(company.get(&path).await.refused(422).fault(), ("gross", "missing_parameter"));
        let job = company.job(&employee, "Cook", "2026-01-05").await;
        company.pay(&job, "52000", "Year", "Exempt").await;
        let told = company.get(&path).await.ok();
        check(&told);
        assert_eq!(
            (&told["pay"]["gross"], &told["pay"]["pay_frequency"]),
            (&json!("2000.00"), &json!("Every other week"))
        );
        assert_eq!(
            (&told["pay"]["gross_is_assumed"], &told["pay"]["pay_frequency_is_assumed"]),
            (&json!(true), &json!(true))
        );
        // 700.00 a month are 323.08 every other week.
        assert_eq!(told["deduction"]["amount"], "323.08");
    });
}

#[test]
fn what_is_not_known_is_said() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        order(&company, &employee, json!({ "amount": "80" })).await;
        let path =
            format!("/v1/employees/{employee}/garnishments/preview?gross=1000&pay_frequency=Every%20week");
        let nowhere = company.get(&path).await.ok();
        check(&nowhere);
        assert_eq!(
            (&nowhere["pay"]["state"], &nowhere["warnings"][0]["key"]),
            (&Value::Null, &json!("state_tax_not_withheld"))
        );
        let missing = nowhere["explanation"].to_string();
        assert!(missing.contains("No order says whether the employee supports another family"));
        let supplied = company.get(format!("{path}&state_income_tax=40")).await.ok();
        check(&supplied);
        assert!(supplied["warnings"].as_array().unwrap().is_empty());
        let state = supplied["pay"]["taxes"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(state, json!({ "name": "state_income_tax", "amount": "40.00" }));

        let location = company.location("CA").await;
        company.work_address(&employee, &id_of(&location)).await;
        let taxed = company.get(&path).await.ok();
        assert_eq!(
            (&taxed["pay"]["state"], &taxed["warnings"][0]["key"]),
            (&json!("CA"), &json!("state_tax_not_withheld"))
        );
    });
}

#[test]
fn a_preview_stores_nothing_and_refuses_what_it_cannot_read() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = hired(&company, "TX").await;
        let path = format!("/v1/employees/{employee}/garnishments/preview");
        let golden = [
            ("gross=-1", "gross"),
            ("gross=1.001", "gross"),
            ("gross=much", "gross"),
            ("gross=5&pay_frequency=Daily", "pay_frequency"),
            ("gross=5&state_income_tax=x", "state_income_tax"),
            ("gross=5&check_date=2026-02-30", "check_date"),
            ("gross=5&check_date=2024-02-01", "check_date"),
        ];
        for (query, key) in golden {
            assert_eq!(company.get(format!("{path}?{query}")).await.refused(422).fault().0, key, "{query}");
        }
        let none = company.get(format!("{path}?gross=500")).await.ok();
        assert_eq!((&none["deductions"], &none["total"]), (&json!([]), &json!("0.00")));
        company.get(format!("/v1/employees/{NOBODY}/garnishments/preview?gross=5")).await.refused(404);
        company.get(format!("/v1/garnishments/{NOBODY}/explain?gross=5")).await.refused(404);
    });
}

#[test]
fn the_list_of_remittances_is_empty_until_a_payroll_is_processed() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let path = "/v1/companies/{company}/child_support_remittances";
        assert!(company.get(path).await.list().is_empty());
        let table = company.get(format!("{path}?format=csv")).await;
        assert!(table.header("content-type").starts_with("text/csv"));
        assert!(table.text().starts_with("payroll_uuid,garnishment_uuid,employee_uuid,check_date,"));
        assert_eq!(company.get(format!("{path}?format=xml")).await.refused(422).fault().0, "format");
        assert_eq!(company.get(format!("{path}?start_date=x")).await.refused(422).fault().0, "start_date");
    });
}
