//! What ends after it has begun: administrators, locations, pay schedules; and what is told to subscribers of it.

use serde_json::{Value, json};

use crate::support::{Company, Engine, id_of, on_both_engines, text};

async fn told(company: &Company, event: &str) -> Vec<Value> {
    company.get(format!("/v1/events?event_type={event}&limit=100")).await.list()
}

#[test]
fn an_administrator_is_removed_and_the_primary_one_is_not() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let person = |name: &str, primary: bool| json!({ "first_name": name, "last_name": "Berg", "email": format!("{name}@people.example"), "primary": primary });
        let admins = "/v1/companies/{company}/admins";
        let nora = id_of(&company.post(admins, person("nora", true)).await.ok());
        let nils = id_of(&company.post(admins, person("nils", false)).await.ok());
        let all = company.get(admins).await.list().len();
        let one = |id: &str| format!("{admins}/{id}");
        let refused = company.call("DELETE", one(&nora)).send().await.refused(422);
        assert!(text(refused.only(), "message").contains("primary administrator"), "{refused:?}");
        company.world.company().await.call("DELETE", one(&nils)).send().await.is(404);
        company.call("DELETE", one(&nils)).send().await.is(204);
        company.call("DELETE", one(&nils)).send().await.is(404);
        assert_eq!(company.get(admins).await.list().len(), all - 1);
        assert_eq!(told(&company, "company.admin.deleted").await[0]["entity_uuid"], nils);
        assert_eq!(told(&company, "company.admin.created").await.len(), 2);
        // The person can be added again.
        company.post(admins, person("nils", false)).await.ok();
    });
}

#[test]
fn a_location_is_closed_once_nobody_works_there() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let first = company.location("TX").await;
        let second = company.location("TX").await;
        let (ana, _) = company.onboarded("Ana", &id_of(&second), ("20.00", "Hour", "Nonexempt")).await;
        let close = async |id: &str, active: bool| {
            let path = format!("/v1/locations/{id}");
            let version = company.get(&path).await.ok()["version"].clone();
            company.put(path, json!({ "version": version, "active": active })).await
        };
        let filing = close(&id_of(&first), false).await.refused(422);
        assert!(text(filing.only(), "message").contains("filing address"), "{filing:?}");
        let working = close(&id_of(&second), false).await.refused(422);
        assert!(text(working.only(), "message").contains("1 of them do"), "{working:?}");

        let moved = json!({ "location_uuid": id_of(&first), "effective_date": "2026-06-16" });
        company.post(format!("/v1/employees/{ana}/work_addresses"), moved).await.created();
        close(&id_of(&second), false).await.refused(422);
        company.world.wait_until("2026-06-17T17:00:00Z".parse().unwrap()).await;
        let closed = close(&id_of(&second), false).await.ok();
        assert_eq!((&closed["active"], &closed["inactive"]), (&json!(false), &json!(true)));
        let back = json!({ "location_uuid": id_of(&second), "effective_date": "2026-07-01" });
        let refused =
            company.post(format!("/v1/employees/{ana}/work_addresses"), back.clone()).await.refused(422);
        assert_eq!(refused.fault().0, "location_uuid");
        close(&id_of(&second), true).await.ok();
        company.post(format!("/v1/employees/{ana}/work_addresses"), back).await.created();
    });
}

#[test]
fn a_pay_schedule_is_retired_once_nobody_follows_it() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let schedule = |day: &str| {
            json!({ "frequency": "Every other week", "anchor_pay_date": day,
                                           "anchor_end_of_pay_period": "2026-06-14" })
        };
        let schedules = "/v1/companies/{company}/pay_schedules";
        let first = company.post(schedules, schedule("2026-06-18")).await.created();
        let second = company.post(schedules, schedule("2026-06-19")).await.created();
        let put = async |one: &Value, active: bool| {
            let path = format!("{schedules}/{}", id_of(one));
            let version = company.get(&path).await.ok()["version"].clone();
            company.put(path, json!({ "version": version, "active": active })).await
        };
        let followed = put(&first, false).await.refused(422);
        assert_eq!(followed.fault().0, "active");
        assert_eq!(put(&second, false).await.ok()["active"], false);
        let assign = json!({ "type": "single", "default_pay_schedule_uuid": id_of(&second) });
        let refused = company.post(format!("{schedules}/assign"), assign.clone()).await.refused(422);
        assert_eq!(refused.fault().0, "default_pay_schedule_uuid");
        assert_eq!(put(&second, true).await.ok()["active"], true);
        company.post(format!("{schedules}/assign"), assign).await.is(200);
        assert_eq!(put(&first, false).await.ok()["active"], false);
    });
}

#[test]
fn orders_holidays_payments_of_liabilities_and_time_sheets_are_told() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let gym = json!({ "court_ordered": false, "amount": "25.00", "recurring": true });
        let gym = company.post(format!("/v1/employees/{ana}/garnishments"), gym).await.created();
        let path = format!("/v1/garnishments/{}", id_of(&gym));
        company.put(&path, json!({ "version": gym["version"], "amount": "30.00" })).await.ok();
        for event in ["employee.garnishment.created", "employee.garnishment.updated"] {
            let [one] = &told(&company, event).await[..] else { panic!("{event}: once") };
            assert_eq!((&one["entity_type"], text(one, "entity_uuid")), (&json!("Garnishment"), id_of(&gym)));
        }
        let policy = "/v1/companies/{company}/holiday_pay_policy";
        let made = company.post(policy, json!({})).await.ok();
        let labor_day = json!({ "version": made["version"], "federal_holidays": { "columbus_day": { "selected": true } } });
        company.put(policy, labor_day).await.ok();
        company.call("DELETE", policy).send().await.is(204);
        for event in ["created", "updated", "deleted"] {
            let event = format!("company.holiday_pay_policy.{event}");
            assert_eq!(told(&company, &event).await.len(), 1, "{event}");
        }
    });
}
