//! Days between two pay schedules, or between old and new terms of one: they are listed, paid by a payroll of their own, or skipped.

use jiff::ToSpan;
use serde_json::{Value, json};

use super::{company, enter, hours};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

const PERIODS: &str = "/v1/companies/{company}/pay_periods?end_date=2026-08-31";
const TRANSITION: &str = "Transition from old pay schedule";

fn days(of: &Value) -> (String, String) {
    (text(of, "start_date"), text(of, "end_date"))
}

async fn transition(company: &Company) -> Value {
    let [found]: [Value; 1] =
        company.get(format!("{PERIODS}&payroll_types=transition")).await.list().try_into().unwrap();
    assert_eq!(found["payroll"]["payroll_type"], "transition");
    found
}

/// A company paid until 14 June whose terms are weekly from the period on that ends on 10 July, and an employee of it.
async fn changed(engine: Engine) -> (Company, String) {
    let (company, location, payroll) = company(engine).await;
    let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
    enter(&company, &payroll, &ana, hours("80")).await.ok();
    company.calculate(&payroll).await;
    company.submit(&payroll).await;
    assert!(company.get(format!("{PERIODS}&payroll_types=transition")).await.list().is_empty());
    let [schedule]: [Value; 1] =
        company.get("/v1/companies/{company}/pay_schedules").await.list().try_into().unwrap();
    let terms = json!({ "version": schedule["version"], "frequency": "Every week", "anchor_pay_date": "2026-07-10",
                        "anchor_end_of_pay_period": "2026-07-10" });
    company.put(format!("/v1/companies/{{company}}/pay_schedules/{}", id_of(&schedule)), terms).await.ok();
    (company, ana)
}

#[test]
fn days_between_old_and_new_terms_are_a_transition_that_a_payroll_pays() {
    on_both_engines(async |engine: Engine| {
        let (company, ana) = changed(engine).await;
        let regular: Vec<_> = company.get(PERIODS).await.list().iter().map(days).collect();
        let day = |start: &str, end: &str| (start.to_owned(), end.to_owned());
        assert_eq!(regular[..2], [day("2026-06-01", "2026-06-14"), day("2026-07-04", "2026-07-10")]);
        let between = transition(&company).await;
        assert_eq!(days(&between), day("2026-06-15", "2026-07-03"));
        assert_eq!(between["payroll"].get("payroll_uuid"), None);

        let body = json!({ "off_cycle": true, "off_cycle_reason": TRANSITION, "start_date": "2026-06-15",
                           "end_date": "2026-07-03", "pay_schedule_uuid": between["pay_schedule_uuid"] });
        let payroll = id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok());
        let told = &transition(&company).await["payroll"];
        assert_eq!((&told["payroll_uuid"], &told["processed"]), (&json!(payroll), &json!(false)));
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        assert_eq!(transition(&company).await["payroll"]["processed"], true);
        let both = company.get(format!("{PERIODS}&payroll_types=regular,transition")).await.list();
        assert_eq!(days(&both[1]), day("2026-06-15", "2026-07-03"), "in the order of their days");
    });
}

#[test]
fn a_transition_that_is_to_pay_nobody_is_skipped() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = changed(engine).await;
        let skip = "/v1/companies/{company}/payrolls/skip";
        let body =
            |end: &str| json!({ "payroll_type": TRANSITION, "start_date": "2026-06-15", "end_date": end });
        assert_eq!(company.post(skip, body("2026-07-02")).await.refused(422).keys(), ["end_date"]);
        company.post(skip, body("2026-07-03")).await.is(202);
        company.world.wait(2.minutes()).await;
        let told = &transition(&company).await["payroll"];
        assert_eq!(told["processed"], true);
        let payroll = text(told, "payroll_uuid");
        let told =
            company.get(format!("/v1/companies/{{company}}/payrolls/{payroll}?include=totals")).await.ok();
        assert_eq!(
            (&told["off_cycle_reason"], &told["totals"]["gross_pay"]),
            (&json!(TRANSITION), &json!("0.00"))
        );
        company.post(skip, body("2026-07-03")).await.refused(422);
    });
}
