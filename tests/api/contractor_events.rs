//! Every documented event of contractors and of their payments is sent.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{Company, Engine, id_of, on_both_engines};

const CONTRACTORS: &str = "/v1/companies/{company}/contractors";
const GROUPS: &str = "/v1/companies/{company}/contractor_payment_groups";

struct Contractor<'c> {
    company: &'c Company,
    path: String,
}

impl<'c> Contractor<'c> {
    async fn enter(company: &'c Company, body: Value) -> Self {
        let made = company.post(CONTRACTORS, body).await.created();
        Self { company, path: format!("/v1/contractors/{}", id_of(&made)) }
    }

    /// Changes what has a version.
    async fn put(&self, what: &str, mut body: Value) {
        let path = format!("{}{what}", self.path);
        body["version"] = self.company.get(&path).await.ok()["version"].clone();
        self.company.put(&path, body).await.ok();
    }

    async fn post(&self, what: &str, body: Value) {
        let status = self.company.post(format!("{}{what}", self.path), body).await.status;
        assert!(status.is_success(), "{what}: {status}");
    }

    async fn delete(&self, what: &str) {
        self.company.delete(format!("{}{what}", self.path)).await.is(204);
    }

    async fn account(&self, number: &str) {
        let account = json!({ "name": "Main", "routing_number": "021000021", "account_number": number, "account_type": "Checking" });
        self.post("/bank_accounts", account).await;
    }

    async fn onboarding(&self, to: &str) {
        let to = json!({ "onboarding_status": to });
        self.company.put(format!("{}/onboarding_status", self.path), to).await.ok();
    }
}

/// From the record to the end of self-onboarding, with a changed name.
async fn onboards(one: &Contractor<'_>) {
    let address = json!({ "street_1": "7 Mill Lane", "city": "Austin", "state": "TX", "zip": "78701" });
    one.put("/address", address).await;
    one.put("", json!({ "last_name": "Ford-Hill" })).await;
    let document = id_of(&one.company.get(format!("{}/documents", one.path)).await.list()[0]);
    let signed = json!({ "fields": [{ "key": "signature_text", "value": "Lina Ford-Hill" }], "agree": true,
                         "signed_by_ip_address": "203.0.113.7" });
    one.company.put(format!("/v1/documents/{document}/sign"), signed).await.ok();
    one.account("40070051").await;
    one.account("40070052").await;
    one.onboarding("self_onboarding_review").await;
    one.onboarding("onboarding_completed").await;
    one.put("/payment_method", json!({ "type": "Check" })).await;
}

/// Dismissals and rehires, recorded for days before and after today, 15 June 2026, and taken back.
async fn leaves_and_returns(one: &Contractor<'_>) {
    one.post("/termination", json!({ "end_date": "2026-06-10" })).await;
    one.post("/rehire", json!({ "start_date": "2026-07-01" })).await;
    one.delete("/rehire").await;
    one.post("/rehire", json!({ "start_date": "2026-06-12" })).await;
    one.post("/termination", json!({ "end_date": "2026-07-31" })).await;
    one.delete("/termination").await;
}

async fn is_paid_and_not(one: &Contractor<'_>) {
    let id = one.path.rsplit('/').next().unwrap();
    let mut body = json!({ "check_date": "2026-06-30", "contractor_payments": [{ "contractor_uuid": id, "wage": "300", "payment_method": "Check" }] });
    let preview = one.company.post(format!("{GROUPS}/preview"), body.clone()).await.ok();
    body["creation_token"] = preview["creation_token"].clone();
    let group = id_of(&one.company.post(GROUPS, body).await.created());
    one.company.delete(format!("/v1/contractor_payment_groups/{group}")).await.is(204);
}

#[test]
fn every_documented_event_of_contractors_is_sent() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = crate::money::employer(&world, "90126600418").await.0;
        let known = company.count_events().await;
        let person = json!({ "type": "Individual", "wage_type": "Fixed", "start_date": "2026-01-05", "first_name": "Lina",
                             "last_name": "Ford", "email": "lina@people.example", "ssn": "412551234", "self_onboarding": true });
        let lina = Contractor::enter(&company, person).await;
        onboards(&lina).await;
        is_paid_and_not(&lina).await;
        leaves_and_returns(&lina).await;
        let business = json!({ "type": "Business", "wage_type": "Fixed", "start_date": "2026-01-05", "business_name": "Hill Design LLC" });
        let hill = Contractor::enter(&company, business).await;
        hill.account("40070053").await;
        hill.delete("").await;

        let sent: BTreeSet<String> = company.event_types_since(known).await.into_iter().collect();
        let documented: Vec<_> = interface::compat::event_table()
            .into_iter()
            .map(|event| event.name)
            .filter(|name| name.starts_with("contractor"))
            .collect();
        assert_eq!(documented.len(), 24, "{documented:?}");
        let missing: Vec<_> = documented.iter().filter(|name| !sent.contains(**name)).collect();
        assert!(missing.is_empty(), "not sent: {missing:?} among {sent:?}");
    });
}
