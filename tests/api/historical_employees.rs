//! People who left earlier in the year, before their company came to the service.

use serde_json::{Value, json};

use crate::support::{Engine, home, id_of, on_both_engines};

const PEOPLE: &str = "/v1/companies/{company}/historical_employees";

fn hanna(location: &str) -> Value {
    json!({ "first_name": "Hanna", "last_name": "Voss", "date_of_birth": "1988-04-12", "ssn": "412551019",
            "email": "hanna@people.example", "work_address": { "location_uuid": location }, "home_address": home(),
            "job": { "hire_date": "2024-02-01" }, "termination": { "effective_date": "2026-03-31" } })
}

#[test]
fn who_left_is_entered_in_one_piece_and_needs_nothing_more() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let made = company.post(PEOPLE, hanna(&location)).await.created();
        let id = id_of(&made);
        for (field, value) in [
            ("historical", json!(true)),
            ("terminated", json!(true)),
            ("onboarded", json!(true)),
            ("onboarding_status", json!("onboarding_completed")),
            ("has_ssn", json!(true)),
            ("hired_at", json!("2024-02-01")),
        ] {
            assert_eq!(made[field], value, "{field}");
        }
        assert_eq!(made["terminations"][0]["effective_date"], "2026-03-31");
        assert_eq!(company.read("employees", &id).await, made);
        let homes = company.get(format!("/v1/employees/{id}/home_addresses")).await.list();
        assert_eq!((homes.len(), &homes[0]["effective_date"]), (1, &json!("2024-02-01")));
        let works = company.get(format!("/v1/employees/{id}/work_addresses")).await.list();
        assert_eq!((works.len(), &works[0]["location_uuid"]), (1, &json!(location)));
        let present = company.employee("Ana").await;
        assert_eq!(present["historical"], false);
        let reports = "/v1/companies/{company}/new_hire_reports?start_date=2024-01-15&end_date=2024-03-01";
        let told = company.get(reports).await.is(200);
        assert!(!told.text().contains(&id), "the provider before has reported the hire");
    });
}

#[test]
fn the_fields_may_stand_under_a_root_of_their_own() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let made = company.post(PEOPLE, json!({ "employee": hanna(&location) })).await.created();
        assert_eq!((&made["first_name"], &made["historical"]), (&json!("Hanna"), &json!(true)));
        let path = format!("{PEOPLE}/{}", id_of(&made));
        let mut renamed = hanna(&location);
        renamed["first_name"] = "Hannah".into();
        let body = json!({ "version": made["version"], "employee": renamed });
        assert_eq!(company.put(&path, body).await.ok()["first_name"], "Hannah");
        let refused =
            company.post(PEOPLE, json!({ "employee": { "first_name": "Hanna" } })).await.refused(422);
        assert!(refused.keys().contains(&"last_name") && !refused.keys().contains(&"first_name"));
    });
}

#[test]
fn who_was_entered_twice_is_deleted_until_pay_is_told() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let first = id_of(&company.post(PEOPLE, hanna(&location)).await.created());
        let twice = id_of(&company.post(PEOPLE, hanna(&location)).await.created());
        company.delete(format!("/v1/employees/{twice}")).await.deleted();
        company.get(format!("/v1/employees/{twice}")).await.refused(404);
        let listed = company.get("/v1/companies/{company}/employees").await.list();
        assert_eq!(listed.iter().map(id_of).collect::<Vec<_>>(), std::slice::from_ref(&first));

        let balances = json!({ "year": 2026, "wages": [{ "name": "gross", "amount": "9000.00" }] });
        company.put(format!("/v1/employees/{first}/opening_balances"), balances).await.ok();
        let refused = company.delete(format!("/v1/employees/{first}")).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        assert!(refused.message().contains("opening balances"), "{}", refused.message());

        let mut ben = hanna(&location);
        ben["ssn"] = "412551020".into();
        let ben = id_of(&company.post(PEOPLE, ben).await.created());
        let march = json!({ "check_date": "2026-03-31", "payment_period_start_date": "2026-03-01",
                            "payment_period_end_date": "2026-03-31" });
        let march = id_of(&company.post("/v1/companies/{company}/external_payrolls", march).await.ok());
        let earned = json!({ "employee_uuid": ben, "earnings": [{ "earning_id": 1, "amount": "10.00" }] });
        let earned = json!({ "external_payroll_items": [earned] });
        company.put(format!("/v1/companies/{{company}}/external_payrolls/{march}"), earned).await.ok();
        company.delete(format!("/v1/employees/{ben}")).await.refused(422);
    });
}

#[test]
fn nobody_who_left_is_paid_with_everybody_else() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let (ines, _) = company.onboarded("Ines", &location, ("20.00", "Hour", "Nonexempt")).await;
        company.post(PEOPLE, hanna(&location)).await.created();
        let everybody = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-01",
                                "end_date": "2026-06-14" });
        let payroll = id_of(&company.post("/v1/companies/{company}/payrolls", everybody).await.ok());
        let path = format!("/v1/companies/{{company}}/payrolls/{payroll}/prepare");
        let prepared = company.put(path, json!({})).await.ok();
        let paid = prepared["employee_compensations"].as_array().unwrap();
        assert_eq!(paid.iter().map(|one| one["employee_uuid"].as_str().unwrap()).collect::<Vec<_>>(), [ines]);
    });
}

#[test]
fn every_fault_of_somebody_who_left_is_told_at_once_under_its_part() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let nothing = company.post(PEOPLE, json!({})).await.refused(422);
        assert_eq!(
            nothing.keys(),
            [
                "first_name",
                "last_name",
                "date_of_birth",
                "ssn",
                "work_address",
                "home_address",
                "job",
                "termination"
            ]
        );
        let mut wrong = hanna(&location);
        wrong["ssn"] = "12".into();
        wrong["home_address"]["zip"] = "x".into();
        wrong["termination"]["effective_date"] = "2026-12-31".into();
        let refused = company.post(PEOPLE, wrong).await.refused(422);
        assert_eq!(refused.keys(), ["ssn", "home_address", "termination"]);
        for (part, field, value) in [
            ("termination", "effective_date", "2025-12-31"),
            ("termination", "effective_date", "2026-06-15"),
            ("termination", "effective_date", "2024-01-31"),
            ("job", "hire_date", "2026-04-01"),
            ("work_address", "location_uuid", "nowhere"),
        ] {
            let mut wrong = hanna(&location);
            wrong[part][field] = value.into();
            let refused = company.post(PEOPLE, wrong).await.refused(422);
            let key = if part == "job" { "termination" } else { part };
            assert_eq!(refused.fault(), (key, "nested_errors"), "{part} {value}");
        }
        let stranger = company.world.company().await;
        assert_eq!(stranger.post(PEOPLE, hanna(&location)).await.refused(422).keys(), ["work_address"]);
        assert!(
            company.get("/v1/companies/{company}/employees").await.list().is_empty(),
            "nothing of it was kept"
        );
        assert!(stranger.get("/v1/companies/{company}/employees").await.list().is_empty());
    });
}

#[test]
fn what_was_entered_of_who_left_can_be_set_right() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (location, other) = (id_of(&company.location("TX").await), id_of(&company.location("CA").await));
        let made = company.post(PEOPLE, hanna(&location)).await.created();
        let id = id_of(&made);
        let path = format!("{PEOPLE}/{id}");
        let mut right = hanna(&other);
        right["version"] = made["version"].clone();
        right["last_name"] = "Voss-Lind".into();
        right["home_address"]["street_1"] = "20 Willow Court".into();
        right["job"]["hire_date"] = "2024-03-01".into();
        right["termination"]["effective_date"] = "2026-04-30".into();
        let after = company.put(&path, right.clone()).await.ok();
        assert_eq!((&after["last_name"], &after["hired_at"]), (&json!("Voss-Lind"), &json!("2024-03-01")));
        assert_eq!(after["terminations"][0]["effective_date"], "2026-04-30");
        let homes = company.get(format!("/v1/employees/{id}/home_addresses")).await.list();
        assert_eq!((homes.len(), &homes[0]["street_1"]), (1, &json!("20 Willow Court")));
        let works = company.get(format!("/v1/employees/{id}/work_addresses")).await.list();
        assert_eq!((works.len(), &works[0]["location_uuid"]), (1, &json!(other)));

        right["last_name"] = "Voss".into();
        company.put(&path, right.clone()).await.refused(409);
        right["version"] = after["version"].clone();
        let stranger = company.world.company().await;
        stranger.put(&path, right.clone()).await.refused(404);
        let present = id_of(&company.employee("Ana").await);
        company.put(format!("{PEOPLE}/{present}"), right).await.refused(404);
        assert_eq!(company.read("employees", &id).await, after);
    });
}

#[test]
fn somebody_who_left_before_and_comes_back_is_asked_for_the_pay_that_was_never_entered() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let id = id_of(&company.post(PEOPLE, hanna(&location)).await.created());
        let rehire = format!("/v1/employees/{id}/rehire");
        let back = json!({ "effective_date": "2026-09-02", "file_new_hire_report": true, "work_location_uuid": location });
        let asked = async || company.get(&rehire).await.ok()["steps_to_answer_again"].clone();
        company.post(&rehire, back).await.created();
        assert_eq!(
            asked().await,
            json!(["federal_tax_setup", "file_new_hire_report", "compensation_details", "state_tax_setup"])
        );
        let job = company.get(format!("/v1/employees/{id}/jobs")).await.list().remove(0);
        let pay = &job["compensations"][0];
        let terms = json!({ "version": pay["version"], "rate": "20.00", "payment_unit": "Hour", "flsa_status": "Nonexempt" });
        company.put(format!("/v1/compensations/{}", id_of(pay)), terms).await.ok();
        assert_eq!(asked().await, json!(["federal_tax_setup", "file_new_hire_report"]));
    });
}
