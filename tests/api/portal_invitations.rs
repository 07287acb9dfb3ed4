//! Invitations of employees to their own place: made, opened, superseded, cancelled.

use jiff::ToSpan;
use serde_json::{Value, json};

use crate::support::{Company, Engine, NOBODY, on_both_engines, text};

fn path(employee: &str) -> String {
    format!("/v1/employees/{employee}/member_portal_invitations")
}

async fn standing(company: &Company, employee: &str) -> (Value, Value) {
    let told = company.get(path(employee)).await.ok();
    assert_eq!(told.as_object().unwrap().len(), 2);
    (told["status"].clone(), told["expired"].clone())
}

/// The status of an answer to whoever opens a link.
async fn opened(company: &Company, made: &Value) -> u16 {
    let url = text(made, "url");
    let link = url.strip_prefix("https://pages.example").unwrap();
    company.world.call("GET", link).send().await.status.as_u16()
}

#[test]
fn an_invitation_is_a_link_that_stands_as_it_was_used() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let location = crate::support::id_of(&company.location("TX").await);
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        company.get(path(&ana)).await.refused(404);
        let known = company.count_events().await;
        let made = company.post(path(&ana), json!({})).await.created();
        assert_eq!(company.event_types_since(known).await, ["employee.invited_to_partner_portal"]);
        assert_eq!(standing(&company, &ana).await, (json!("sent"), json!(false)));
        assert_eq!(opened(&company, &made).await, 303);
        assert_eq!(standing(&company, &ana).await, (json!("complete"), json!(false)));

        // A second one takes the place of the first.
        let again = company.post(path(&ana), json!({})).await.created();
        assert_ne!(again["url"], made["url"]);
        assert_eq!(standing(&company, &ana).await, (json!("sent"), json!(false)));
        assert_eq!(opened(&company, &made).await, 410);
        assert_eq!(opened(&company, &again).await, 303);

        company.call("DELETE", path(&ana)).send().await.is(204);
        assert_eq!(standing(&company, &ana).await, (json!("cancelled"), json!(true)));
        assert_eq!(opened(&company, &again).await, 410);
        company.call("DELETE", path(&ana)).send().await.refused(422);

        // After a day it can no longer be opened, and says so.
        company.post(path(&ana), json!({})).await.created();
        company.world.wait(25.hours()).await;
        assert_eq!(standing(&company, &ana).await, (json!("sent"), json!(true)));
    });
}

#[test]
fn nobody_is_invited_who_is_not_there_or_has_left() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let location = crate::support::id_of(&company.location("TX").await);
        for method in ["GET", "POST", "DELETE"] {
            company.call(method, path(NOBODY)).json(&json!({})).send().await.refused(404);
        }
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        company.call("DELETE", path(&ana)).send().await.refused(404);
        let leaves = json!({ "effective_date": "2026-06-01", "run_termination_payroll": false });
        company.post(format!("/v1/employees/{ana}/terminations"), leaves).await.created();
        company.world.wait((24 * 60).hours()).await;
        company.post(path(&ana), json!({})).await.refused(422);
    });
}

#[test]
fn operations_that_have_nothing_to_list_take_what_published_clients_send() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let wires = "/v1/companies/{company}/reverse_wire_transactions";
        assert_eq!(company.get(format!("{wires}?page=1&per=10")).await.ok(), json!([]));
        company.get(format!("{wires}?payroll_uuid={NOBODY}")).await.refused(404);
        let requests = "/v1/companies/{company}/information_requests";
        assert_eq!(
            company.get(format!("{requests}?sort_by=payroll_blocker:desc,status")).await.ok(),
            json!([])
        );
        assert_eq!(company.get(format!("{requests}?sort_by=colour")).await.refused(422).keys(), ["sort_by"]);
    });
}
