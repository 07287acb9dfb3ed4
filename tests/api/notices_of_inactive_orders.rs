//! Which orders of somebody who left the agencies are told of: also those that were made inactive, unless the agency ended them.

use serde_json::{Value, json};

use crate::support::{Company, Engine, id_of, on_both_engines, text};
use crate::terminations::{company, terminate, wait_until};

const NOTICES: &str = "/v1/companies/{company}/child_support_termination_notices";
const DUE: &str = "employee.child_support_termination_notice_due";

async fn order(company: &Company, employee: &str, case: &str) -> Value {
    let order = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50", "recurring": true,
                        "deduct_as_percentage": true, "pay_period_maximum": "100.00",
                        "child_support": { "state": "TX", "payment_period": "Every other week", "fips_code": "48000",
                                           "case_number": case } });
    company.post(format!("/v1/employees/{employee}/garnishments"), order).await.created()
}

async fn change(company: &Company, order: &Value, mut fields: Value) -> Value {
    fields["version"] = order["version"].clone();
    company.put(format!("/v1/garnishments/{}", id_of(order)), fields).await.ok()
}

/// Case numbers of the notices, and whether their orders are active.
async fn told(company: &Company) -> Vec<(String, bool)> {
    let list = company.get(NOTICES).await.list();
    let mut found: Vec<_> = list
        .iter()
        .map(|notice| (text(notice, "case_number"), notice["order_active"].as_bool().unwrap()))
        .collect();
    found.sort();
    found
}

async fn events(company: &Company) -> usize {
    company.events().await.into_iter().filter(|event| event.event_type == DUE).count()
}

#[test]
fn an_order_that_was_made_inactive_before_the_end_is_told_of_unless_the_agency_ended_it() {
    on_both_engines(async |engine: Engine| {
        let (company, location) = company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let (eva, _) = company.onboarded("Eva", &location, ("52000.00", "Year", "Exempt")).await;
        let stopped = order(&company, &max, "0000000001").await;
        change(&company, &stopped, json!({ "active": false })).await;
        let released = order(&company, &max, "0000000002").await;
        change(&company, &released, json!({ "active": false, "ends_on": "2026-06-12" })).await;
        let released = order(&company, &eva, "0000000003").await;
        change(&company, &released, json!({ "active": false, "ends_on": "2026-06-12" })).await;
        for employee in [&max, &eva] {
            terminate(&company, employee, "2026-06-20", false).await.created();
        }
        assert_eq!(told(&company).await, [], "nobody has left yet");
        wait_until(&company, "2026-06-22").await;
        assert_eq!(told(&company).await, [("0000000001".to_owned(), false)]);
        assert_eq!(events(&company).await, 1, "of Max, whose agency released one of two");
    });
}

#[test]
fn a_notice_stays_when_its_order_is_made_inactive_after_the_end() {
    on_both_engines(async |engine: Engine| {
        let (company, location) = company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let held = order(&company, &max, "0000000001").await;
        terminate(&company, &max, "2026-06-20", false).await.created();
        wait_until(&company, "2026-06-22").await;
        assert_eq!(told(&company).await, [("0000000001".to_owned(), true)]);
        let held = change(&company, &held, json!({ "active": false })).await;
        assert_eq!(told(&company).await, [("0000000001".to_owned(), false)]);
        // The agency ends it after it was told; the notice was due.
        change(&company, &held, json!({ "ends_on": "2026-06-30" })).await;
        assert_eq!(told(&company).await, [("0000000001".to_owned(), false)]);
        assert_eq!(events(&company).await, 1, "told once");
    });
}
