//! Who signs for a company.

use domain::Error;
use domain::access::tokens::Caller;
use domain::company::signatories::{IdentityCheck, service as signatories};
use serde_json::{Value, json};

use crate::support::{Company, Engine, id_of, on_both_engines, signatory, text};

const PATH: &str = "/v1/companies/{company}/signatories";

fn path_of(record: &Value) -> String {
    format!("{PATH}/{}", id_of(record))
}

async fn update(company: &Company, record: &Value, body: Value) -> crate::support::Answer {
    let mut body = body;
    body["version"] = record["version"].clone();
    company.put(path_of(record), body).await
}

#[test]
fn a_signatory_comes_back_as_entered_but_the_ssn_is_never_told() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let known = company.count_events().await;
        let made = company.post(PATH, signatory()).await;
        assert!(!made.everything().contains("412551004"));
        let made = made.ok();
        for field in ["first_name", "last_name", "title", "phone", "birthday", "email"] {
            assert_eq!(made[field], signatory()[field], "{field}");
        }
        assert_eq!(made["home_address"]["country"], "USA");
        assert_eq!((&made["has_ssn"], &made["is_admin"]), (&json!(true), &json!(false)));
        assert_eq!(made["identity_verification_status"], "Skipped");
        assert_eq!(company.get(PATH).await.list(), std::slice::from_ref(&made));
        let told = company.get("/v1/companies/{company}").await.ok();
        assert_eq!(told["primary_signatory"]["uuid"], made["uuid"]);
        // Persons are told to tokens that may read them.
        let narrow = company.with_scopes("companies:read").await.get("/v1/companies/{company}").await.ok();
        assert_eq!(narrow["primary_signatory"], json!(null));
        assert!(narrow.get("primary_payroll_admin").is_none(), "{narrow}");
        let events = company.event_types_since(known).await;
        assert_eq!(
            events,
            ["signatory.created", "company.form.created", "notification.sign_company_documents.created"]
        );
        assert!(!format!("{:?}", company.audit().await).contains("412551004"));
    });
}

#[test]
fn a_company_has_one_signatory_at_most() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        company.post(PATH, signatory()).await.ok();
        for path in [PATH.to_owned(), format!("{PATH}/invite")] {
            let refused = company.post(path, signatory()).await.refused(422);
            assert_eq!(refused.fault(), ("base", "invalid_operation"));
        }
        assert_eq!(company.get(PATH).await.list().len(), 1);
    });
}

#[test]
fn of_signatories_that_are_added_at_once_one_is_kept() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let statuses =
            company.at_once(8, |company| async move { company.post(PATH, signatory()).await }).await;
        assert_eq!(statuses, [200, 422, 422, 422, 422, 422, 422, 422]);
        assert_eq!(company.get(PATH).await.list().len(), 1);
    });
}

#[test]
fn after_an_invitation_the_first_update_brings_what_is_missing() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let body =
            json!({ "first_name": "Susan", "last_name": "Whitfield", "email": "susan@people.example" });
        let invited = company.post(format!("{PATH}/invite"), body).await.ok();
        assert_eq!(invited["identity_verification_status"], Value::Null);
        assert!(company.event_types_since(0).await.contains(&"signatory.marked_for_invite".to_owned()));
        let refused = update(&company, &invited, json!({ "title": "Owner" })).await.refused(422);
        assert_eq!(refused.keys(), ["phone", "birthday", "ssn", "home_address"]);
        let mut whole = signatory();
        whole.as_object_mut().unwrap().shift_remove("email");
        let complete = update(&company, &invited, whole).await.ok();
        assert_eq!(complete["identity_verification_status"], "Skipped");
        let renamed = update(&company, &complete, json!({ "last_name": "Whitfield-Berg" })).await.ok();
        assert_eq!((&renamed["last_name"], &renamed["title"]), (&json!("Whitfield-Berg"), &json!("Owner")));
    });
}

/// Notes what a check of the identity came to, as the operator does.
async fn checked(company: &Company, outcome: IdentityCheck) {
    let id = company.id;
    let noted = company.world.app.store.write(move |tx| {
        let operator = Caller::for_operator(id, jiff::tz::TimeZone::UTC);
        signatories::note_identity(tx, &operator, outcome)
    });
    noted.await.unwrap_or_else(|error: Error| panic!("{error:?}"));
}

#[test]
fn a_check_of_the_identity_holds_for_who_was_checked_and_nobody_signs_after_a_failed_one() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let made = company.post(PATH, signatory()).await.ok();
        checked(&company, IdentityCheck::Pass).await;
        let passed = company.get(PATH).await.list().remove(0);
        assert_eq!(passed["identity_verification_status"], "Pass");
        assert_ne!(passed["version"], made["version"], "who read the signatory before has to read again");
        let moved = update(&company, &passed, json!({ "title": "Partner" })).await.ok();
        assert_eq!(moved["identity_verification_status"], "Pass", "a title is nothing that was checked");
        let renamed = update(&company, &moved, json!({ "last_name": "Berg" })).await.ok();
        assert_eq!(renamed["identity_verification_status"], "Skipped", "a name is");

        checked(&company, IdentityCheck::Fail).await;
        company.bank_account("7700190020").await;
        let form = id_of(&company.company_form("company_direct_deposit").await);
        let refused = company.sign_company_form(&form).await.refused(422);
        assert!(refused.only()["message"].as_str().unwrap().contains("identity check failed"), "{refused:?}");
        checked(&company, IdentityCheck::Pass).await;
        company.sign_company_form(&form).await.ok();
    });
}

#[test]
fn an_update_that_repeats_what_is_held_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let made = company.post(PATH, signatory()).await.ok();
        let known = company.count_events().await;
        let same = update(&company, &made, signatory()).await.ok();
        assert_eq!(same, made);
        assert_eq!(company.count_events().await, known);
        let changed = update(&company, &made, json!({ "ssn": "412551019" })).await.ok();
        assert_ne!(changed["version"], made["version"]);
        let stale = update(&company, &made, json!({ "title": "President" })).await.refused(409);
        assert_eq!(stale.only()["metadata"]["current_version"], changed["version"]);
    });
}

#[test]
fn every_fault_of_a_signatory_is_named_at_once() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let refused = company.post(PATH, json!({})).await.refused(422);
        let needed =
            ["email", "first_name", "last_name", "title", "phone", "birthday", "ssn", "home_address"];
        assert_eq!(refused.keys(), needed);
        let mut wrong = signatory();
        wrong["ssn"] = "000551004".into();
        wrong["birthday"] = "2024-02-30".into();
        wrong["home_address"] = json!({ "street_1": "1 Main St", "state": "Texas" });
        let refused = company.post(PATH, wrong).await;
        assert!(!refused.everything().contains("000551004"));
        let refused = refused.refused(422);
        assert_eq!(refused.keys(), ["birthday", "ssn", "home_address"]);
        let inner: Vec<_> =
            refused.0[2]["errors"].as_array().unwrap().iter().map(|e| text(e, "error_key")).collect();
        assert_eq!(inner, ["city", "state", "zip"]);
        assert_eq!(company.count_events().await, 0);
    });
}

#[test]
fn a_deleted_signatory_makes_room_for_another_one() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let made = company.post(PATH, signatory()).await.ok();
        company.delete(path_of(&made)).await.is(204);
        company.delete(path_of(&made)).await.refused(404);
        assert_eq!(company.get(PATH).await.list(), Vec::<Value>::new());
        company.post(PATH, signatory()).await.ok();
    });
}
