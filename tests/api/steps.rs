//! The steps of onboarding: what completes them, and how a partner marks them.

use serde_json::json;

use crate::onboarding::{STEPS, complete};
use crate::support::{Engine, id_of, on_both_engines, text};

#[test]
fn the_steps_of_self_onboarding_are_told_with_what_they_depend_on() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = id_of(&company.self_onboarding_employee("Ana").await);
        let told = company.get(format!("/v1/employees/{id}/onboarding_status")).await.ok();
        assert_eq!(
            told.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["uuid", "onboarding_status", "onboarding_steps"]
        );
        let requirements = |id: &str| match id {
            "state_tax_setup" => json!(["add_work_address", "add_home_address"]),
            "employee_form_signing" => json!(["federal_tax_setup", "state_tax_setup"]),
            "file_new_hire_report" => json!(["add_work_address"]),
            "admin_review" => json!([
                "personal_details",
                "compensation_details",
                "add_home_address",
                "add_work_address",
                "federal_tax_setup",
                "state_tax_setup"
            ]),
            _ => json!([]),
        };
        let steps = told["onboarding_steps"].as_array().unwrap();
        assert_eq!(steps.iter().map(|step| text(step, "id")).collect::<Vec<_>>(), STEPS);
        for step in steps {
            let id = text(step, "id");
            assert_eq!(step["requirements"], requirements(&id), "{id}");
            assert_eq!(step["required"], json!(id != "direct_deposit_setup"), "{id}");
            assert_eq!(step["completed"], false, "{id}");
            assert!(!text(step, "title").is_empty());
        }
        // Whoever enters the data alone reviews nothing.
        let id = id_of(&company.employee("Ben").await);
        let told = company.get(format!("/v1/employees/{id}/onboarding_status")).await.ok();
        let ids: Vec<_> =
            told["onboarding_steps"].as_array().unwrap().iter().map(|step| text(step, "id")).collect();
        assert_eq!(ids, STEPS[..9]);
    });
}

#[test]
fn steps_are_complete_as_soon_as_their_data_are_there() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = id_of(&company.self_onboarding_employee("Ana").await);
        let now = async || complete(&company.get(format!("/v1/employees/{id}/onboarding_status")).await.ok());
        let location = id_of(&company.location("TX").await);
        let job = company.job(&id, "Cook", "2026-07-01").await;
        assert!(now().await.is_empty(), "the empty pay of a new job is none");
        company.pay(&job, "0", "Year", "Commission Only Exempt").await;
        assert_eq!(now().await, STEPS[1..2]);
        company.work_address(&id, &location).await;
        assert_eq!(now().await, STEPS[1..3]);
        company.home_address(&id).await;
        // Texas taxes no wages, and asks nothing of who works and lives there.
        let at_home = ["compensation_details", "add_work_address", "add_home_address", "state_tax_setup"];
        assert_eq!(now().await, at_home);
        company.enter_personal_details(&id, "412551012").await;
        assert_eq!(now().await, [&STEPS[..4], &["state_tax_setup"]].concat());
        assert_eq!(company.status(&id).await, "self_onboarding_pending_invite");
        // What is taken away is open again.
        let version = &company.read("employees", &id).await["version"];
        let body = json!({ "version": version, "date_of_birth": null });
        company.put(format!("/v1/employees/{id}"), body).await.ok();
        assert_eq!(now().await, at_home);
    });
}

#[test]
fn taxes_an_account_and_signatures_complete_their_steps() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = id_of(&company.self_onboarding_employee("Ana").await);
        let path = |rest: &str| format!("/v1/employees/{id}/{rest}");
        let now = async || complete(&company.get(path("onboarding_status")).await.ok());
        // Signs what is to be signed; the names of what was.
        let sign = async || {
            let mut signed = Vec::new();
            for form in company.get(path("forms")).await.list() {
                if form["requires_signing"] == true {
                    let body = json!({ "signature_text": "Ana Okafor", "agree": true, "signed_by_ip_address": "203.0.113.7" });
                    company.put(path(&format!("forms/{}/sign", id_of(&form))), body).await.ok();
                    signed.push(text(&form, "name"));
                }
            }
            signed
        };
        assert!(sign().await.is_empty() && now().await.is_empty(), "without a form nothing was signed");
        let answer = async |status: &str| {
            let version = &company.get(path("federal_taxes")).await.ok()["version"];
            let body = json!({ "version": version, "w4_data_type": "rev_2020_w4", "filing_status": status });
            company.put(path("federal_taxes"), body).await.ok();
        };
        answer("Single").await;
        assert_eq!(now().await, ["federal_tax_setup"]);
        assert_eq!(sign().await, ["US_W-4"]);
        assert_eq!(now().await, ["federal_tax_setup", "employee_form_signing"]);
        // Another answer has to be signed again, and so has an account.
        answer("Married").await;
        assert_eq!(now().await, ["federal_tax_setup"]);
        let account = json!({ "name": "Household", "routing_number": "021001208", "account_number": "90126600418", "account_type": "Checking" });
        company.post(path("bank_accounts"), account).await.created();
        assert_eq!(now().await, ["federal_tax_setup", "direct_deposit_setup"]);
        assert_eq!(sign().await, ["US_W-4", "employee_direct_deposit"]);
        assert_eq!(now().await, ["federal_tax_setup", "direct_deposit_setup", "employee_form_signing"]);
    });
}

#[test]
fn a_step_can_be_marked_once_what_it_depends_on_is_complete() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = id_of(&company.self_onboarding_employee("Ana").await);
        let refused = company.mark(&id, &["state_tax_setup"]).await.refused(422);
        assert_eq!(refused.fault(), ("onboarding_steps", "invalid_operation"));
        let metadata = &refused.only()["metadata"];
        assert_eq!(metadata["id"], "state_tax_setup");
        assert_eq!(metadata["requirements"], json!(["add_work_address", "add_home_address"]));
        assert_eq!(
            company
                .mark(&id, &["employee_form_signing", "file_new_hire_report", "admin_review"])
                .await
                .refused(422)
                .0
                .len(),
            3
        );
        assert_eq!(company.count_events().await, 2, "it was refused altogether");
        // Steps of one call meet each other's requirements, in any order.
        let marks = [
            "employee_form_signing",
            "state_tax_setup",
            "federal_tax_setup",
            "add_home_address",
            "add_work_address",
        ];
        let told = company.mark(&id, &marks).await.ok();
        assert_eq!(
            complete(&told),
            [
                "add_work_address",
                "add_home_address",
                "federal_tax_setup",
                "state_tax_setup",
                "employee_form_signing"
            ]
        );
        let audited = company.audit().await.len();
        assert_eq!(company.mark(&id, &marks).await.ok(), told);
        assert_eq!(
            (company.count_events().await, company.audit().await.len()),
            (2, audited),
            "marking again changes nothing"
        );
    });
}

#[test]
fn a_mark_names_a_step_and_is_never_taken_back() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = id_of(&company.self_onboarding_employee("Ana").await);
        let path = format!("/v1/employees/{id}/onboarding_status");
        company.mark(&id, &["personal_details"]).await.ok();
        for (body, keys, category) in [
            (json!({}), vec!["onboarding_status"], "missing_parameter"),
            (
                json!({ "onboarding_status": null, "onboarding_steps": null }),
                vec!["onboarding_status"],
                "missing_parameter",
            ),
            (json!({ "onboarding_status": "done" }), vec!["onboarding_status"], "invalid_attribute_value"),
            (
                json!({ "onboarding_steps": [{ "id": "i9", "completed": true }] }),
                vec!["onboarding_steps.id"],
                "invalid_attribute_value",
            ),
            (
                json!({ "onboarding_steps": [{}] }),
                vec!["onboarding_steps.id", "onboarding_steps.completed"],
                "invalid_attribute_value",
            ),
            (
                json!({ "onboarding_steps": [{ "id": "personal_details", "completed": false }] }),
                vec!["onboarding_steps.completed"],
                "invalid_operation",
            ),
        ] {
            let refused = company.put(&path, body).await.refused(422);
            assert_eq!(refused.keys(), keys);
            assert!(refused.categories().iter().all(|found| *found == category), "{refused:?}");
        }
        let refused =
            company.mark(&id_of(&company.employee("Ben").await), &["admin_review"]).await.refused(422);
        assert_eq!(refused.fault(), ("onboarding_steps", "invalid_operation"));
    });
}

#[test]
fn steps_that_are_read_and_sent_back_as_they_are_change_nothing() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        let path = format!("/v1/employees/{}/onboarding_status", hired.id);
        company.mark(&hired.id, &["federal_tax_setup"]).await.ok();
        let send_back = async || {
            let read = company.get(&path).await.ok();
            let before = (company.count_events().await, company.audit().await.len());
            let body = json!({ "onboarding_steps": read["onboarding_steps"] });
            assert_eq!(company.put(&path, body).await.ok(), read);
            assert_eq!((company.count_events().await, company.audit().await.len()), before);
        };
        send_back().await;
        // What was complete by its data is open again without them: sending it back was no mark.
        assert!(complete(&company.get(&path).await.ok()).contains(&"add_work_address".to_owned()));
        company.enter_personal_details(&hired.id, "412551012").await;
        send_back().await;
        let version = &company.read("employees", &hired.id).await["version"];
        let without = json!({ "version": version, "date_of_birth": null });
        company.put(format!("/v1/employees/{}", hired.id), without).await.ok();
        assert!(!complete(&company.get(&path).await.ok()).contains(&"personal_details".to_owned()));
        // Only what was marked cannot be taken back.
        let open = json!({ "onboarding_steps": [{ "id": "federal_tax_setup", "completed": false }] });
        assert_eq!(company.put(&path, open).await.refused(422).keys(), ["onboarding_steps.completed"]);
        company.mark_and_ask_for(&hired.id, &STEPS[..9], "onboarding_completed").await.ok();
        send_back().await;
    });
}
