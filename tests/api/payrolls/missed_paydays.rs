//! A payday that is missed is told from its deadline on, until the payroll is submitted or skipped.

use serde_json::{Value, json};

use super::company;
use crate::support::{Company, Engine, on_both_engines, text};

const NOTICES: &str = "/v1/companies/{company}/notifications";
const CREATED: &str = "notification.missed_anchor_pay_day.created";
const RESOLVED: &str = "notification.missed_anchor_pay_day.resolved";

async fn missed(company: &Company) -> Vec<Value> {
    let mut all = company.get(NOTICES).await.list();
    all.retain(|one| one["category"] == "missed_anchor_pay_day");
    all
}

async fn told(company: &Company, event: &str, payroll: &str) -> usize {
    let events = company.get(format!("/v1/events?event_type={event}&limit=100")).await.list();
    events.iter().filter(|one| one["entity_uuid"] == payroll).count()
}

#[test]
fn a_payroll_that_nobody_submits_by_its_deadline_is_a_notification_until_it_is_submitted() {
    on_both_engines(async |engine: Engine| {
        let (company, office, payroll) = company(engine).await;
        company.onboarded("Ana", &office, ("52000.00", "Year", "Exempt")).await;
        let world = &company.world;
        let meta = company.get(format!("/v1/companies/{{company}}/payrolls/{payroll}")).await.ok();
        let deadline: jiff::Timestamp = text(&meta, "payroll_deadline").parse().unwrap();
        assert!(world.now() < deadline);
        assert!(missed(&company).await.is_empty());
        world.wait_until(deadline - jiff::Span::new().seconds(1)).await;
        assert_eq!(
            (missed(&company).await.len(), told(&company, CREATED, &payroll).await),
            (0, 0),
            "it is still in time"
        );

        world.wait_until(deadline + jiff::Span::new().minutes(1)).await;
        assert_eq!(told(&company, CREATED, &payroll).await, 1);
        let found = missed(&company).await;
        let [one] = &found[..] else { panic!("{found:?}") };
        assert_eq!((text(one, "uuid"), &one["actionable"]), (payroll.clone(), &json!(true)));
        assert_eq!(one["resources"][0], json!({ "entity_type": "Payroll", "entity_uuid": payroll }));
        assert_eq!(one["template_variables"]["check_date"], meta["check_date"]);
        assert_eq!(company.get(format!("/v1/notifications/{payroll}")).await.ok(), *one);

        // Another pay date makes it no less late; it is told once.
        company.calculate(&payroll).await;
        assert_eq!(missed(&company).await.len(), 1);
        world.wait(jiff::Span::new().minutes(5)).await;
        assert_eq!(told(&company, CREATED, &payroll).await, 1);
        company.submit(&payroll).await;
        assert!(missed(&company).await.is_empty());
        assert_eq!(told(&company, RESOLVED, &payroll).await, 1);
        let closed = company.get(format!("/v1/notifications/{payroll}")).await.refused(422);
        assert_eq!(closed.fault(), ("base", "invalid_operation"));
    });
}

#[test]
fn a_payroll_that_is_submitted_in_time_is_not_told() {
    on_both_engines(async |engine: Engine| {
        let (company, office, payroll) = company(engine).await;
        company.onboarded("Ana", &office, ("52000.00", "Year", "Exempt")).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        company.world.wait(jiff::Span::new().hours(24 * 10)).await;
        assert_eq!(told(&company, CREATED, &payroll).await + told(&company, RESOLVED, &payroll).await, 0);
    });
}

#[test]
fn what_the_first_payroll_of_the_next_year_lacks_is_told_as_soon_as_there_is_that_payroll() {
    on_both_engines(async |engine: Engine| {
        let (company, office, _) = company(engine).await;
        company.onboarded("Ana", &office, ("52000.00", "Year", "Exempt")).await;
        let lacking = async || {
            let blockers = company.get("/v1/companies/{company}/payrolls/blockers").await.list();
            let tables = blockers.into_iter().filter(|one| one["key"] == "missing_tax_tables");
            tables.map(|one| text(&one, "message")).collect::<Vec<_>>()
        };
        company.world.wait_until("2026-12-15T12:00:00Z".parse().unwrap()).await;
        assert!(lacking().await.is_empty(), "the payrolls that are there are paid this year");
        company.world.wait_until("2026-12-28T12:00:00Z".parse().unwrap()).await;
        let told = lacking().await;
        assert!(told.iter().any(|message| message.starts_with("Payment on 2027-01-")), "{told:?}");
    });
}
