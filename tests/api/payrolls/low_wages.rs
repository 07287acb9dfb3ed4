//! Rates below the minimum wage are told: those of today, and those that a new minimum wage makes too low in the next weeks.

use serde_json::{Value, json};

use super::company;
use crate::support::{Company, Engine, id_of, on_both_engines, text};

const NOTICES: &str = "/v1/companies/{company}/notifications";
const CREATED: &str = "notification.update_min_wages.created";
const RESOLVED: &str = "notification.update_min_wages.resolved";

async fn low(company: &Company) -> Vec<Value> {
    let mut all = company.get(NOTICES).await.list();
    all.retain(|one| one["category"] == "update_min_wages");
    all
}

async fn told(company: &Company, event: &str) -> Vec<String> {
    let events = company.get(format!("/v1/events?event_type={event}&limit=100")).await.list();
    events.iter().map(|one| text(one, "entity_uuid")).collect()
}

async fn current(company: &Company, job: &Value) -> Value {
    let job = company.read("jobs", &id_of(job)).await;
    company.read("compensations", &text(&job, "current_compensation_uuid")).await
}

async fn until(company: &Company, moment: &str) {
    company.world.wait_until(moment.parse().unwrap()).await;
}

#[test]
fn a_rate_that_a_new_minimum_wage_makes_too_low_is_told_weeks_before_until_it_is_raised() {
    on_both_engines(async |engine: Engine| {
        // Florida: 14.00 an hour, and 15.00 from 30 September 2026 on.
        let (company, ..) = company(engine).await;
        let tampa = id_of(&company.location("FL").await);
        let (ana, job) = company.onboarded("Ana", &tampa, ("14.50", "Hour", "Nonexempt")).await;
        company.onboarded("Max", &tampa, ("15.00", "Hour", "Nonexempt")).await;
        company.onboarded("Eve", &tampa, ("52000.00", "Year", "Exempt")).await;
        until(&company, "2026-08-10T12:00:00Z").await;
        assert!(low(&company).await.is_empty(), "it is more than 45 days away");

        // The next pay period begins.
        until(&company, "2026-09-10T12:00:00Z").await;
        let found = low(&company).await;
        let [one] = &found[..] else { panic!("{found:?}") };
        let pay = current(&company, &job).await;
        assert_eq!(one["uuid"], pay["uuid"]);
        assert_eq!(one["resources"], json!([{ "entity_type": "Employee", "entity_uuid": ana }]));
        let parts = &one["template_variables"];
        assert_eq!(
            (&parts["rate"], &parts["minimum_wage"], &parts["effective_date"]),
            (&json!("14.50"), &json!("15.00"), &json!("2026-09-30"))
        );
        assert!(text(one, "due_at").starts_with("2026-09-30"), "{one}");
        assert_eq!(company.get(format!("/v1/notifications/{}", text(one, "uuid"))).await.ok(), *one);
        assert_eq!(told(&company, CREATED).await, [text(one, "uuid")], "told once");

        // A rate that begins with the minimum wage settles it.
        let body = json!({ "rate": "15.25", "payment_unit": "Hour", "flsa_status": "Nonexempt", "effective_date": "2026-09-30" });
        company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), body).await.created();
        assert!(low(&company).await.is_empty());
        assert_eq!(told(&company, RESOLVED).await, [text(one, "uuid")]);
        let closed = company.get(format!("/v1/notifications/{}", text(one, "uuid"))).await.refused(422);
        assert_eq!(closed.fault(), ("base", "invalid_operation"));
        until(&company, "2026-10-12T12:00:00Z").await;
        assert!(low(&company).await.is_empty(), "nor is the new rate too low");
    });
}

#[test]
fn a_rate_that_is_too_low_today_is_told_at_once_until_it_is_raised_adjusted_or_nobody_is_paid_it() {
    on_both_engines(async |engine: Engine| {
        let (company, ..) = company(engine).await;
        let tampa = id_of(&company.location("FL").await);
        let raised = company.onboarded("Ana", &tampa, ("13.00", "Hour", "Nonexempt")).await.1;
        let adjusted = company.onboarded("Max", &tampa, ("11.00", "Hour", "Nonexempt")).await.1;
        let (leaves, _) = company.onboarded("Eve", &tampa, ("12.00", "Hour", "Nonexempt")).await;
        let later = company.onboarded("Ned", &tampa, ("13.50", "Hour", "Nonexempt")).await.1;
        assert_eq!((low(&company).await.len(), told(&company, CREATED).await.len()), (4, 4));
        let page = company.get(format!("{NOTICES}?page=2&per=3")).await.list();
        assert!(page.iter().any(|one| one["category"] == "update_min_wages"), "{page:?}");

        let change = async |job: &Value, mut body: Value| {
            let pay = current(&company, job).await;
            body["version"] = pay["version"].clone();
            company.put(format!("/v1/compensations/{}", id_of(&pay)), body).await.ok();
        };
        change(&raised, json!({ "rate": "14.00" })).await;
        assert_eq!(low(&company).await.len(), 3);
        let wages = company.get(format!("/v1/locations/{tampa}/minimum_wages")).await.list();
        let chosen: Vec<_> = wages.iter().filter(|one| one["authority"] == "State").collect();
        let with =
            json!({ "adjust_for_minimum_wage": true, "minimum_wages": [{ "uuid": chosen[0]["uuid"] }] });
        change(&adjusted, with).await;
        assert_eq!(low(&company).await.len(), 2);
        let today = company.world.now().to_zoned(jiff::tz::TimeZone::UTC).date();
        let last = json!({ "effective_date": today.to_string(), "run_termination_payroll": false });
        company.post(format!("/v1/employees/{leaves}/terminations"), last).await.created();
        company.world.wait(jiff::Span::new().hours(48)).await;
        assert_eq!(low(&company).await.len(), 1, "who has left is paid nothing more");

        // A rate that will be raised is too low until that day.
        let day = company.world.now().to_zoned(jiff::tz::TimeZone::UTC).date();
        let day = day.saturating_add(jiff::Span::new().days(3)).to_string();
        let body = json!({ "rate": "16.00", "payment_unit": "Hour", "flsa_status": "Nonexempt", "effective_date": day });
        company.post(format!("/v1/jobs/{}/compensations", id_of(&later)), body).await.created();
        assert_eq!(low(&company).await.len(), 1);
        company.world.wait(jiff::Span::new().hours(24 * 4)).await;
        assert!(low(&company).await.is_empty());
        assert_eq!(told(&company, RESOLVED).await.len(), 4);
    });
}
