//! Days that no payroll pays, because whoever worked on them was onboarded too late.

use serde_json::json;

use super::{company, enter, hours, of, paid_on, path};
use crate::support::{Engine, on_both_engines, text};

#[test]
fn somebody_onboarded_after_the_payroll_of_the_first_days_is_told_to_be_paid_for_them() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        company.world.wait(jiff::Span::new().hours(1)).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-07-31").await.list();
        let next = periods.iter().find(|period| period["start_date"] == "2026-06-15").unwrap();
        let next = text(&next["payroll"], "payroll_uuid");
        let missed = async |who: &str| {
            let told = company.calculate(&next).await;
            let warnings = of(&told, who)["warnings"].as_array().cloned().unwrap_or_default();
            let missed = warnings.into_iter().filter(|warning| warning["key"] == "days_not_paid");
            missed.map(|warning| text(&warning, "message")).collect::<Vec<_>>()
        };
        let told = missed(&max).await;
        assert!(told.len() == 1 && told[0].contains("from 2026-06-01 to 2026-06-14"), "{told:?}");
        assert_eq!(missed(&ana).await, [""; 0]);
        // Once they are paid outside the schedule, nothing is missing.
        let outside = paid_on(&company, &max, ("2026-06-01", "2026-06-14", "2026-06-26")).await;
        company.submit(&outside).await;
        company.put(path(&next, "/prepare"), json!({})).await.ok();
        assert_eq!(missed(&max).await, [""; 0]);
    });
}
