//! The record of an employee.

use serde_json::{Value, json};

use crate::support::{Company, Engine, NOBODY, home, id_of, on_both_engines, text};

const PATH: &str = "/v1/companies/{company}/employees";

async fn update(company: &Company, employee: &str, mut body: Value) -> crate::support::Answer {
    body["version"] = company.read("employees", employee).await["version"].clone();
    company.put(format!("/v1/employees/{employee}"), body).await
}

#[test]
fn a_new_employee_has_every_field_that_clients_expect() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let body = json!({ "first_name": " Soren ", "middle_initial": "k.", "last_name": "Kierkegaard-O'Neil",
                           "preferred_first_name": "S.", "email": "soren@people.example", "work_email": "s@work.example",
                           "date_of_birth": "1990-05-05", "ssn": "412551007" });
        let made = company.post(PATH, body).await.created();
        let expected = json!({
            "uuid": made["uuid"], "first_name": "Soren", "middle_initial": "k", "last_name": "Kierkegaard-O'Neil",
            "preferred_first_name": "S.", "email": "soren@people.example", "work_email": "s@work.example", "phone": null,
            "company_uuid": company.id, "manager_uuid": null, "version": made["version"], "department": null,
            "department_uuid": null, "employee_code": made["employee_code"], "current_employment_status": null,
            "onboarding_status": "admin_onboarding_incomplete", "onboarded": false,
            "onboarding_documents_config": { "uuid": null, "i9_document": false }, "terminated": false,
            "historical": false, "two_percent_shareholder": null, "has_ssn": true, "ssn": "",
            "date_of_birth": "1990-05-05", "payment_method": "Check", "jobs": [], "eligible_paid_time_off": [],
            "terminations": [], "garnishments": [],
        });
        assert_eq!(made, expected);
        let is_hex = |field: &str, length: usize| {
            let value = text(&made, field);
            value.len() == length && value.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        };
        assert!(is_hex("version", 32) && is_hex("employee_code", 10));
        assert_eq!(company.read("employees", &id_of(&made)).await, made);
        assert_eq!(company.event_types_since(0).await, ["employee.created"]);
    });
}

/// "email string, work_email string, street_2 string": in the specification's versions text that was never given is empty.
#[test]
fn a_string_that_was_never_given_is_empty_in_the_versions_of_the_specification_and_null_in_newer_ones() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let id =
            id_of(&company.post(PATH, json!({ "first_name": "Ana", "last_name": "Lee" })).await.created());
        company.work_address(&id, &location).await;
        company.home_address(&id).await;
        let step = company.world.call("GET", "/v1/versions/diff?from=2025-06-15&to=2025-11-15");
        let step = step.send().await.ok();
        let named = |one: &Value| {
            ["email", "work_email", "street_2"].iter().all(|field| text(one, "change").contains(field))
        };
        assert_eq!(step["changes"].as_array().unwrap().iter().filter(|one| named(one)).count(), 1, "{step}");
        for (version, none) in [
            ("2024-04-01", json!("")),
            ("2025-06-15", json!("")),
            ("2025-11-15", Value::Null),
            ("2026-02-01", Value::Null),
            ("2026-06-15", Value::Null),
        ] {
            let read = async |path: String| company.call("GET", path).version(version).send().await;
            let told = read(format!("/v1/employees/{id}")).await.ok();
            assert_eq!((&told["email"], &told["work_email"]), (&none, &none), "{version}");
            assert_eq!(told["ssn"], "");
            let new = json!({ "first_name": "Ben", "last_name": "Lee" });
            let made = company.call("POST", PATH).version(version).json(&new).send().await.created();
            assert_eq!((&made["email"], &made["work_email"]), (&none, &none), "{version}");
            let listed = read("/v1/companies/{company}/employees".to_owned()).await.list();
            assert_eq!(listed[0]["email"], none, "{version}");
            for kind in ["work_addresses", "home_addresses"] {
                let list = read(format!("/v1/employees/{id}/{kind}")).await.list();
                assert_eq!(list[0]["street_2"], none, "{version} {kind}");
                let one = read(format!("/v1/{kind}/{}", id_of(&list[0]))).await.ok();
                assert_eq!(one["street_2"], none, "{version} {kind}");
            }
            // What was read can be sent back.
            let body = json!({ "version": told["version"], "email": told["email"], "work_email": told["work_email"] });
            let call = company.call("PUT", format!("/v1/employees/{id}")).version(version).json(&body);
            assert_eq!(call.send().await.ok(), told, "{version}");
        }
    });
}

#[test]
fn somebody_who_works_has_an_employment_status() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let status =
            async |id: &str| company.read("employees", id).await["current_employment_status"].clone();
        let (now, later) = (company.hire("Ana", "2026-06-01").await, company.hire("Ben", "2026-12-01").await);
        assert_eq!(status(&now.id).await, "full_time");
        assert_eq!(status(&later.id).await, Value::Null, "the first day of work is still to come");
    });
}

#[test]
fn an_employee_marked_for_self_onboarding_waits_for_an_invitation() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let made = company.self_onboarding_employee("Ana").await;
        assert_eq!(made["onboarding_status"], "self_onboarding_pending_invite");
        assert_eq!(made["onboarded"], false);
        let expected = ["employee.created", "employee.marked_for_self_onboarding"];
        assert_eq!(company.event_types_since(0).await, expected);
        assert!(company.events().await.iter().all(|event| event.entity.to_string() == id_of(&made)));
    });
}

#[test]
fn from_february_2026_on_self_onboarding_needs_an_email_address() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let body = json!({ "first_name": "Ana", "last_name": "Lee", "self_onboarding": true });
        for (version, fine) in [
            ("2024-04-01", true),
            ("2025-06-15", true),
            ("2025-11-15", true),
            ("2026-02-01", false),
            ("2026-06-15", false),
        ] {
            let call = company.call("POST", PATH).header("x-service-api-version", version).json(&body);
            let answer = call.send().await;
            if fine {
                answer.created();
            } else {
                assert_eq!(answer.refused(422).fault(), ("email", "invalid_attribute_value"), "{version}");
            }
        }
    });
}

#[test]
fn every_fault_of_a_new_employee_is_named_at_once_and_no_secret_repeated() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        assert_eq!(company.post(PATH, json!({})).await.refused(422).keys(), ["first_name", "last_name"]);
        let wrong = json!({ "first_name": "@home", "middle_initial": "AB", "last_name": "", "preferred_first_name": "<b>",
                            "email": "nobody", "work_email": "a@b", "date_of_birth": "2020-01-01", "ssn": "912345678",
                            "self_onboarding": "yes" });
        let refused = company.post(PATH, wrong).await.refused(422);
        let expected = [
            "first_name",
            "middle_initial",
            "last_name",
            "preferred_first_name",
            "email",
            "work_email",
            "date_of_birth",
            "ssn",
            "self_onboarding",
        ];
        assert_eq!(refused.keys(), expected);
        assert!(!format!("{refused:?}").contains("912345678"));
        for ssn in
            ["000123456", "666123456", "123006789", "123450000", "123-45-6789", "12345678", "1234567890"]
        {
            let body = json!({ "first_name": "Ana", "last_name": "Lee", "ssn": ssn });
            let answer = company.post(PATH, body).await;
            assert!(!answer.text().contains(ssn));
            assert_eq!(answer.refused(422).fault(), ("ssn", "invalid_attribute_value"));
        }
        assert_eq!(company.count_events().await, 0);
    });
}

#[test]
fn an_update_changes_what_was_sent_and_null_clears_what_may_be_missing() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let before = company.self_onboarding_employee("Ana").await;
        let id = id_of(&before);
        let after = update(&company, &id, json!({ "last_name": "Lee", "middle_initial": "Q" })).await.ok();
        for (field, value) in before.as_object().unwrap() {
            let stays = !["last_name", "middle_initial", "version"].contains(&field.as_str());
            assert_eq!(after[field] == *value, stays, "{field}");
        }
        for field in ["middle_initial", "preferred_first_name", "email", "work_email", "date_of_birth"] {
            let cleared = update(&company, &id, json!({ field: null })).await.ok();
            // Text that is a string in the specification is empty in its version.
            let none = if field.ends_with("email") { json!("") } else { Value::Null };
            assert_eq!(cleared[field], none, "{field}");
        }
        for field in ["first_name", "last_name"] {
            let before = company.get(format!("/v1/employees/{id}")).await.ok();
            let kept = update(&company, &id, json!({ field: null })).await.ok();
            assert_eq!(kept, before, "{field} cannot be empty, and null leaves it as it is");
        }
    });
}

#[test]
fn a_telephone_number_is_set_changed_and_cleared() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let body = json!({ "first_name": "Ana", "last_name": "Lee", "phone": "4155550100" });
        let made = company.post(PATH, body).await.created();
        assert_eq!(made["phone"], "4155550100");
        let id = id_of(&made);
        for written in ["4155550101", "(415) 555-0101", "+1 415.555.0101", "1-415-555-0101"] {
            let changed = update(&company, &id, json!({ "phone": written })).await.ok();
            assert_eq!(changed["phone"], "4155550101", "{written}");
        }
        let numbered = json!({ "first_name": "Ana 2", "last_name": "Lee3" });
        assert_eq!(update(&company, &id, numbered).await.ok()["last_name"], "Lee3");
        let refused = update(&company, &id, json!({ "phone": "555" })).await.refused(422);
        assert_eq!(refused.fault(), ("phone", "invalid_attribute_value"));
        assert_eq!(update(&company, &id, json!({ "phone": null })).await.ok()["phone"], Value::Null);
    });
}

#[test]
fn an_ssn_is_held_but_never_told_and_stays_when_its_empty_field_comes_back() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = id_of(&company.employee("Ana").await);
        let held = update(&company, &id, json!({ "ssn": "412551008" })).await.ok();
        assert_eq!((&held["has_ssn"], &held["ssn"]), (&json!(true), &json!("")));
        for ssn in [json!(""), Value::Null, json!("412551008")] {
            let same = update(&company, &id, json!({ "ssn": ssn })).await.ok();
            assert_eq!(same, held, "{ssn} is no change");
        }
        let other = update(&company, &id, json!({ "ssn": "412551009" })).await.ok();
        assert_ne!(other["version"], held["version"]);
    });
}

#[test]
fn an_employee_that_is_sent_back_as_it_was_read_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        company.enter_personal_details(&hired.id, "412551010").await;
        let told = company.read("employees", &hired.id).await;
        let known = (company.count_events().await, company.audit().await.len());
        let path = format!("/v1/employees/{}", hired.id);
        assert_eq!(company.put(&path, told.clone()).await.ok(), told);
        assert_eq!((company.count_events().await, company.audit().await.len()), known);
        // Whatever the service decides is not for a client to set.
        let mine = json!({
            "uuid": NOBODY, "company_uuid": NOBODY, "manager_uuid": NOBODY, "department": "x", "department_uuid": NOBODY,
            "employee_code": "ffffff", "current_employment_status": "full_time", "onboarding_status": "onboarding_completed",
            "onboarded": true, "onboarding_documents_config": { "i9_document": true }, "terminated": true,
            "historical": true, "has_ssn": false, "payment_method": "Direct Deposit", "title": "x", "hired_at": "2001-01-01",
            "flsa_status": "Owner", "jobs": [], "garnishments": [{}], "self_onboarding": false,
        });
        let mut body = told.clone();
        body.as_object_mut().unwrap().extend(mine.as_object().unwrap().clone());
        assert_eq!(company.put(&path, body.clone()).await.ok(), told);
        assert_eq!((company.count_events().await, company.audit().await.len()), known);
        body["first_name"] = "Bo".into();
        body["last_name"] = "Lee".into();
        let made = company.post(PATH, body).await.created();
        assert_eq!(
            (&made["onboarding_status"], &made["onboarded"]),
            (&json!("admin_onboarding_incomplete"), &json!(false))
        );
        assert_ne!(made["version"], told["version"]);
        assert!(made["uuid"] != NOBODY && made["company_uuid"] == json!(company.id));
    });
}

#[test]
fn of_two_updates_on_one_version_the_second_is_told_what_has_changed() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = company.self_onboarding_employee("Ana").await;
        let path = format!("/v1/employees/{}", id_of(&employee));
        let first = json!({ "version": employee["version"], "first_name": "Anna" });
        let first = company.put(&path, first).await.ok();
        assert_ne!(first["version"], employee["version"]);
        let known = company.count_events().await;
        let second = json!({ "version": employee["version"], "first_name": "Anne", "last_name": "Okafor",
                             "date_of_birth": "1990-01-01", "ssn": "412551011" });
        let refused = company.put(&path, second).await.refused(409);
        assert_eq!(refused.fault(), ("base", "invalid_resource_version"));
        let told = &refused.only()["metadata"];
        assert_eq!(told["current_version"], first["version"]);
        assert_eq!(told["differing_fields"], json!(["first_name", "date_of_birth", "ssn"]));
        assert_eq!(company.read("employees", &id_of(&employee)).await, first);
        assert_eq!(company.count_events().await, known);
    });
}

#[test]
fn the_share_of_an_owner_is_kept_with_the_primary_job() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = id_of(&company.employee("Ana").await);
        let refused = update(&company, &id, json!({ "two_percent_shareholder": true })).await.refused(422);
        assert_eq!(refused.fault(), ("two_percent_shareholder", "invalid_attribute_value"));
        let job = company.job(&id, "President", "2026-03-01").await;
        let known = company.count_events().await;
        let after = update(&company, &id, json!({ "two_percent_shareholder": true })).await.ok();
        assert_eq!(after["two_percent_shareholder"], true);
        let told = company.read("jobs", &id_of(&job)).await;
        assert_eq!(told["two_percent_shareholder"], true);
        assert_ne!(told["version"], job["version"]);
        assert_eq!(company.event_types_since(known).await, ["employee.updated"]);
        update(&company, &id, json!({ "two_percent_shareholder": true })).await.ok();
        assert_eq!(company.event_types_since(known).await.len(), 1, "nothing changed the second time");
        let body = json!({ "version": told["version"], "two_percent_shareholder": false });
        company.put(format!("/v1/jobs/{}", id_of(&job)), body).await.ok();
        assert_eq!(company.read("employees", &id).await["two_percent_shareholder"], false);
    });
}

#[test]
fn a_stale_update_of_an_owners_share_names_that_field() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = id_of(&company.employee("Ana").await);
        company.job(&id, "President", "2026-03-01").await;
        let body = json!({ "version": "0".repeat(32), "two_percent_shareholder": true });
        let refused = company.put(format!("/v1/employees/{id}"), body).await.refused(409);
        assert_eq!(refused.only()["metadata"]["differing_fields"], json!(["two_percent_shareholder"]));
    });
}

#[test]
fn an_employee_can_be_deleted_until_onboarding_is_finished() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        company.post(format!("/v1/employees/{}/home_addresses", hired.id), home()).await.created();
        let known = company.count_events().await;
        company.delete(format!("/v1/employees/{}", hired.id)).await.deleted();
        assert_eq!(company.event_types_since(known).await, ["employee.deleted"]);
        for (kind, id) in [
            ("employees", &hired.id),
            ("jobs", &hired.job),
            ("compensations", &hired.compensation),
            ("work_addresses", &hired.work_address),
        ] {
            company.get(format!("/v1/{kind}/{id}")).await.refused(404);
        }
        company.delete(format!("/v1/employees/{}", hired.id)).await.refused(404);
        assert!(company.get(PATH).await.list().is_empty());

        let finished = company.hire("Ben", "2026-07-01").await;
        company.mark(&finished.id, &crate::onboarding::STEPS[..9]).await.ok();
        company.ask_for(&finished.id, "onboarding_completed").await.ok();
        let refused = company.delete(format!("/v1/employees/{}", finished.id)).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        assert_eq!(company.read("employees", &finished.id).await["onboarded"], true);
    });
}
