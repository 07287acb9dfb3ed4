//! Laws on wages that a paycheck cannot hold with what was entered: it says which one may ask for more.

use serde_json::json;

use super::pay::warned;
use super::{company, enter, path};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

/// Which of some warnings a paycheck has.
async fn told_of(company: &Company, (payroll, employee): (&str, &str), keys: &[&str]) -> Vec<String> {
    company.calculate(payroll).await;
    let warned = warned(company, payroll, employee).await;
    warned.into_iter().filter(|key| keys.contains(&key.as_str())).collect()
}

#[test]
fn a_bonus_that_a_state_without_a_rate_taxes_alone_is_told() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, _) = company(engine).await;
        let (newark, brooklyn) = (id_of(&company.location("NJ").await), id_of(&company.location("NY").await));
        for (name, place, flat, is_told) in [
            ("Ana", &newark, true, true),
            ("Bea", &newark, false, false),
            // New York has a rate, and Texas no tax.
            ("Cal", &brooklyn, true, false),
            ("Dan", &texas, true, false),
        ] {
            let (ana, _) = company.onboarded(name, place, ("50.00", "Hour", "Nonexempt")).await;
            let body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-01", "end_date": "2026-06-14",
                               "check_date": "2026-06-19", "fixed_withholding_rate": flat, "employee_uuids": [ana] });
            let made = company.post("/v1/companies/{company}/payrolls", body).await.ok();
            let payroll = text(&made, "payroll_uuid");
            company.put(path(&payroll, "/prepare"), json!({})).await.ok();
            let bonus = json!({ "fixed_compensations": [{ "name": "Bonus", "amount": "1000.00" }] });
            enter(&company, &payroll, &ana, bonus).await.ok();
            let told = told_of(&company, (&payroll, &ana), &["supplemental_alone"]).await;
            assert_eq!(!told.is_empty(), is_told, "{name}");
        }
    });
}
