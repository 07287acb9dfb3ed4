//! Several people who are entered in one piece.

use serde_json::{Value, json};

use crate::support::{Company, Engine, NOBODY, home, id_of, on_both_engines, text};

const BATCHES: &str = "/v1/companies/{company}/people_batches";

fn batch(key: &str, people: &Value) -> Value {
    json!({ "idempotency_key": format!("0f7c2f9e-2f0e-4b63-9d0a-5f3f1a6f7e{key}"), "batch_action": "create", "batch": people })
}

fn person(id: &str, first_name: &str) -> Value {
    json!({ "entity_type": "employee",
            "person": { "external_id": id, "first_name": first_name, "last_name": "Moore",
                        "date_of_birth": "1994-02-11", "email": format!("{first_name}@people.example") } })
}

/// The events that tell of the end of batches, with the batch that they name.
async fn ended(company: &Company) -> Vec<(String, Value)> {
    let events =
        company.events().await.into_iter().filter(|event| event.event_type.starts_with("people_batch."));
    let told = events.map(|event| {
        let payload = &event.payload;
        assert_eq!(payload["entity_type"], "PeopleBatch");
        let named = json!({ "company_uuid": company.id, "batch_uuid": payload["entity_uuid"] });
        assert_eq!(payload["references"], named);
        (event.event_type.clone(), payload["entity_uuid"].clone())
    });
    told.collect()
}

fn bank_account(number: &str, amount: Value) -> Value {
    json!({ "account_type": "Checking", "routing_number": "021001208", "account_number": number,
            "type": "Direct Deposit", "split_by": "Percentage", "split_amount": amount })
}

#[test]
fn people_are_entered_with_all_that_belongs_to_them() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let kitchen = json!({ "title": "Kitchen" });
        let kitchen = id_of(&company.post("/v1/companies/{company}/departments", kitchen).await.created());
        let mut whole = person("hr-1", "Paula");
        whole["person"]["ssn"] = "412-55-1018".into();
        whole["home_address"] = home();
        whole["work_address"] = json!({ "location_uuid": location });
        whole["job"] = json!({ "title": "Cook", "hire_date": "2026-06-15" });
        whole["compensation"] =
            json!({ "rate": "21.50", "payment_unit": "Hour", "flsa_status": "Nonexempt" });
        whole["department"] = json!({ "department_uuid": kitchen });
        whole["bank_accounts"] =
            json!([bank_account("9012660041", json!("60")), bank_account("9012660042", json!("40"))]);
        let made = company.post(BATCHES, batch("01", &json!([whole]))).await.created();
        assert_eq!((&made["status"], &made["batch_action"]), (&json!("completed"), &json!("create")));
        assert_eq!(ended(&company).await, [("people_batch.completed".to_owned(), made["uuid"].clone())]);
        let told = company.get(format!("/v1/people_batches/{}", id_of(&made))).await.ok();
        let counts = ["submitted_items", "processed_items", "excluded_items"].map(|key| told[key].clone());
        assert_eq!(counts, [json!(1), json!(1), json!(0)]);
        let result = &told["results"][0];
        assert_eq!(
            (&result["status"], &result["external_id"]),
            (&json!("success"), &json!("hr-1")),
            "{told}"
        );
        let paula = result["employee_uuid"].as_str().unwrap();
        let employee = company.read("employees", paula).await;
        assert_eq!((&employee["department"], &employee["has_ssn"]), (&json!("Kitchen"), &json!(true)));
        let pay = &employee["jobs"][0];
        assert_eq!(
            (&pay["title"], &pay["rate"], &pay["payment_unit"]),
            (&json!("Cook"), &json!("21.50"), &json!("Hour"))
        );
        assert_eq!(company.get(format!("/v1/employees/{paula}/home_addresses")).await.list().len(), 1);
        assert_eq!(company.get(format!("/v1/employees/{paula}/work_addresses")).await.list().len(), 1);
        let method = company.get(format!("/v1/employees/{paula}/payment_method")).await.ok();
        let shares: Vec<_> =
            method["splits"].as_array().unwrap().iter().map(|one| one["split_amount"].clone()).collect();
        assert_eq!((&method["type"], shares), (&json!("Direct Deposit"), vec![json!(60), json!(40)]));
    });
}

#[test]
fn what_is_refused_of_a_person_is_told_with_it_and_keeps_nobody_else_from_being_entered() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let mut without_pay = person("hr-2", "Pedro");
        without_pay["job"] = json!({ "title": "Cook", "hire_date": "2026-06-15" });
        without_pay["bank_accounts"] = json!([bank_account("x", json!("100"))]);
        without_pay["work_address"] = json!({ "location_uuid": NOBODY });
        let mut nameless = person("hr-3", "");
        nameless["person"]["ssn"] = "1".into();
        let twice = person("hr-2", "Petra");
        let people = json!([person("hr-1", "Paula"), without_pay, nameless, twice]);
        let made = company.post(BATCHES, batch("01", &people)).await.created();
        assert_eq!(made["status"], "partial_success");
        let told = company.get(format!("/v1/people_batches/{}", id_of(&made))).await.ok();
        let results = told["results"].as_array().unwrap();
        let statuses: Vec<_> = results.iter().map(|one| one["status"].as_str().unwrap()).collect();
        assert_eq!(statuses, ["success", "partial_success", "failed"], "{told}");
        let keys = |place: usize| -> Vec<&str> {
            let errors = results[place]["errors"].as_array().unwrap().iter();
            errors.map(|one| one["error_key"].as_str().unwrap()).collect()
        };
        assert_eq!(keys(1), ["compensation", "work_address", "bank_accounts"]);
        assert_eq!(keys(2), ["person"]);
        assert_eq!(
            (&told["exclusions"][0]["category"], &told["excluded_items"]),
            (&json!("duplicate"), &json!(1))
        );
        assert_eq!(company.get("/v1/companies/{company}/employees").await.list().len(), 2);

        let again = company.post(BATCHES, batch("01", &people)).await.refused(409);
        assert_eq!(again.fault(), ("idempotency_key", "duplicate_operation"));
        assert_eq!(again.only()["metadata"]["request_uuid"], made["uuid"]);
        let all_wrong = json!([person("hr-4", "")]);
        let failed = company.post(BATCHES, batch("02", &all_wrong)).await.created();
        assert_eq!(failed["status"], "failed");
        let told = ended(&company).await;
        assert_eq!(
            told,
            [
                ("people_batch.completed".to_owned(), made["uuid"].clone()),
                ("people_batch.failed".to_owned(), failed["uuid"].clone())
            ],
            "one of each batch, and none of a key that was used"
        );
    });
}

#[test]
fn a_batch_that_cannot_be_read_enters_nobody() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let faults = company.post(BATCHES, json!({ "idempotency_key": "monday" })).await.refused(422);
        assert_eq!(faults.keys(), ["idempotency_key", "batch_action", "batch"]);
        let nobody = json!({ "entity_type": "contractor", "person": { "first_name": "Ana" } });
        let faults =
            company.post(BATCHES, batch("03", &json!([person("hr-1", "Paula"), nobody]))).await.refused(422);
        assert_eq!(faults.keys(), ["batch"]);
        // Contractors are entered one by one; the answer names who is entered here.
        let fault = &faults.only()["errors"][0];
        assert_eq!(fault["error_key"], "entity_type");
        assert!(text(fault, "message").contains("employee"), "{fault}");
        assert_eq!(company.get("/v1/companies/{company}/contractors").await.list(), [Value::Null; 0]);
        let people: Vec<_> = (0..51).map(|n| person(&n.to_string(), "Paula")).collect();
        company.post(BATCHES, batch("03", &json!(people))).await.refused(422);
        assert_eq!(company.get("/v1/companies/{company}/employees").await.list(), [Value::Null; 0]);
    });
}

#[test]
fn somebody_who_works_from_home_has_a_place_of_work_there() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let at_home = |id: &str, name: &str| {
            let mut one = person(id, name);
            one["home_address"] = home();
            one["home_address"]["work_from_home"] = true.into();
            one
        };
        let made = company.post(BATCHES, batch("01", &json!([at_home("hr-0", "Pia")]))).await.created();
        let told = company.get(format!("/v1/people_batches/{}", id_of(&made))).await.ok();
        let fault = &told["results"][0]["errors"][0];
        assert_eq!(
            (&fault["error_key"], &fault["errors"][0]["error_key"]),
            (&json!("home_address"), &json!("work_from_home"))
        );
        let office = company.location("TX").await;
        let mut both = at_home("hr-3", "Petra");
        both["work_address"] = json!({ "location_uuid": office["uuid"] });
        let people = json!([at_home("hr-1", "Paula"), at_home("hr-2", "Pedro"), both]);
        let made = company.post(BATCHES, batch("02", &people)).await.created();
        let told = company.get(format!("/v1/people_batches/{}", id_of(&made))).await.ok();
        let results = told["results"].as_array().unwrap();
        let statuses: Vec<_> = results.iter().map(|one| one["status"].as_str().unwrap()).collect();
        assert_eq!(statuses, ["success", "success", "partial_success"], "{told}");
        assert_eq!(results[2]["errors"][0]["error_key"], "work_address");
        let mut places = Vec::new();
        for result in results {
            let employee = result["employee_uuid"].as_str().unwrap();
            let works = company.get(format!("/v1/employees/{employee}/work_addresses")).await.list();
            assert_eq!((works.len(), &works[0]["street_1"]), (1, &home()["street_1"]));
            places.push(works[0]["location_uuid"].clone());
        }
        assert!(places.iter().all(|place| *place == places[0]), "one location for everybody who lives there");
        let listed = company.get("/v1/companies/{company}/locations").await.list();
        let filing = listed.iter().filter(|one| one["filing_address"] == true).collect::<Vec<_>>();
        assert_eq!((listed.len(), &filing[0]["uuid"]), (2, &office["uuid"]));
    });
}
