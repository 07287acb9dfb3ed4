//! The dated records of employees, one at a time and many at once.

use serde_json::{Value, json};

use crate::support::{Company, Engine, NOBODY, id_of, on_both_engines, text};

/// A company with a benefit of this type and an employee.
async fn company_with(engine: Engine, benefit_type: i64) -> (Company, Value, String) {
    let company = engine.world().await.company().await;
    let benefit = company.offer(benefit_type).await;
    let employee = id_of(&company.employee("Ana").await);
    (company, benefit, employee)
}

/// First and last day of each record, as they are listed.
async fn windows(company: &Company, employee: &str) -> Vec<(String, Value)> {
    let path = format!("/v1/employees/{employee}/employee_benefits?include=all_benefits");
    let told = company.get(path).await.list();
    told.iter().map(|record| (text(record, "effective_date"), record["expiration_date"].clone())).collect()
}

async fn update(company: &Company, record: &Value, mut body: Value) -> crate::support::Answer {
    body["version"] = record["version"].clone();
    company.put(format!("/v1/employee_benefits/{}", id_of(record)), body).await
}

fn day(text: &str) -> Value {
    json!(text)
}

#[test]
fn a_record_without_dates_is_the_open_baseline_with_nothing_deducted() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, employee) = company_with(engine, 5).await;
        let before = company.count_events().await;
        let record = company.enroll(&employee, &benefit, json!({})).await.created();
        assert_eq!(
            (&record["effective_date"], &record["expiration_date"]),
            (&day("1970-01-01"), &Value::Null)
        );
        assert_eq!((&record["active"], &record["employee_deduction"]), (&json!(true), &json!("0.00")));
        assert_eq!(record["contribution"], json!({ "type": "amount", "value": "0.00" }));
        assert_eq!(
            (&record["company_contribution"], &record["contribute_as_percentage"]),
            (&json!("0.00"), &json!(false))
        );
        assert_eq!(record["deduction_reduces_taxable_income"], "unset");
        assert_eq!(company.read("employee_benefits", &id_of(&record)).await, record);
        let event = company.events().await.pop().unwrap();
        assert_eq!(
            (&*event.event_type, &*event.entity_type),
            ("employee_benefit.created", "EmployeeBenefit")
        );
        assert_eq!(event.payload["references"]["employee_uuid"], employee.as_str());
        assert_eq!(company.count_events().await, before + 1);
    });
}

#[test]
fn a_date_that_cannot_be_read_is_the_only_fault_beside_a_baseline() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, employee) = company_with(engine, 5).await;
        company.enroll(&employee, &benefit, json!({})).await.created();
        for (field, day) in
            [("effective_date", "9999-12-31"), ("effective_date", "soon"), ("expiration_date", "2026-02-30")]
        {
            let refused = company.enroll(&employee, &benefit, json!({ field: day })).await.refused(422);
            assert_eq!(refused.keys(), [field], "{day}");
        }
        let refused = company.enroll(&employee, &benefit, json!({})).await.refused(422);
        assert_ne!(refused.keys(), Vec::<String>::new(), "a second baseline");
    });
}

#[test]
fn what_generated_clients_send_with_every_create_makes_the_same_record() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, employee) = company_with(engine, 1).await;
        let filled_in = json!({ "active": true, "employee_deduction": "40.00", "deduct_as_percentage": false, "elective": false,
            "catch_up": false, "coverage_salary_multiplier": "0.00", "company_contribution": "0.00",
            "contribute_as_percentage": false, "effective_date": "1970-01-01", "expiration_date": null,
            "contribution": { "type": "amount", "value": "120.00" } });
        let record = company.enroll(&employee, &benefit, filled_in).await.created();
        assert_eq!(
            (&record["employee_deduction"], &record["company_contribution"]),
            (&json!("40.00"), &json!("120.00"))
        );
        // And with every update.
        let filled_in = json!({ "employee_deduction": "0.00", "elective": false, "catch_up": false, "company_contribution": "0.00",
            "coverage_salary_multiplier": "0.00", "contribute_as_percentage": false, "expiration_date": "2026-12-31" });
        let ended = update(&company, &record, filled_in).await.ok();
        assert_eq!(
            (&ended["employee_deduction"], &ended["company_contribution"]),
            (&json!("40.00"), &json!("120.00"))
        );
        assert_eq!(ended["expiration_date"], "2026-12-31");
    });
}

#[test]
fn a_new_record_ends_the_open_one_and_moves_no_other() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, employee) = company_with(engine, 5).await;
        let open = company.enroll(&employee, &benefit, json!({ "employee_deduction": 50 })).await.created();
        let known = company.count_events().await;
        company.enroll(&employee, &benefit, json!({ "effective_date": "2026-03-01" })).await.created();
        let expected = [("1970-01-01".to_owned(), day("2026-02-28")), ("2026-03-01".to_owned(), Value::Null)];
        assert_eq!(windows(&company, &employee).await, expected);
        let closed = company.read("employee_benefits", &id_of(&open)).await;
        assert_ne!(closed["version"], open["version"]);
        assert_eq!(
            company.event_types_since(known).await,
            ["employee_benefit.updated", "employee_benefit.created"]
        );
        let entry = company.audit().await.into_iter().rev().find(|e| e.action == "updated").unwrap();
        assert_eq!(entry.changes, json!({ "expiration_date": [null, "2026-02-28"] }));

        // One that ended before is not moved out of the way, whatever begins on its days.
        let clash =
            company.enroll(&employee, &benefit, json!({ "effective_date": "2026-02-28" })).await.refused(422);
        assert_eq!(clash.fault(), ("effective_date", "invalid_attribute_value"));
        assert_eq!(clash.only()["metadata"]["entity_uuid"], open["uuid"]);
        let before = json!({ "effective_date": "2026-02-01", "expiration_date": "2026-03-31" });
        company.enroll(&employee, &benefit, before).await.refused(422);
        assert_eq!(windows(&company, &employee).await, expected);
        // Another benefit has windows of its own.
        let other = company.offer(105).await;
        company.enroll(&employee, &other, json!({ "effective_date": "2026-02-28" })).await.created();
    });
}

#[test]
fn a_record_may_lie_before_an_open_one_but_not_reach_into_it() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, employee) = company_with(engine, 5).await;
        company.enroll(&employee, &benefit, json!({ "effective_date": "2026-07-01" })).await.created();
        for (from, to) in [("2026-07-01", None), ("2026-06-01", None), ("2026-06-01", Some("2026-07-01"))] {
            let body = json!({ "effective_date": from, "expiration_date": to });
            assert_eq!(
                company.enroll(&employee, &benefit, body).await.refused(422).keys(),
                ["effective_date"]
            );
        }
        let early = json!({ "effective_date": "2026-06-01", "expiration_date": "2026-06-30" });
        company.enroll(&employee, &benefit, early).await.created();
        let backwards = json!({ "effective_date": "2026-05-02", "expiration_date": "2026-05-01" });
        assert_eq!(
            company.enroll(&employee, &benefit, backwards).await.refused(422).keys(),
            ["expiration_date"]
        );
    });
}

#[test]
fn an_update_moves_its_own_window_only() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, employee) = company_with(engine, 5).await;
        let first = json!({ "effective_date": "2026-01-01", "expiration_date": "2026-03-31" });
        let first = company.enroll(&employee, &benefit, first).await.created();
        let second =
            company.enroll(&employee, &benefit, json!({ "effective_date": "2026-05-01" })).await.created();
        let stretched = update(&company, &first, json!({ "expiration_date": "2026-04-30" })).await.ok();
        let clash =
            update(&company, &stretched, json!({ "expiration_date": "2026-05-01" })).await.refused(422);
        assert_eq!(clash.only()["metadata"]["entity_uuid"], second["uuid"]);
        update(&company, &stretched, json!({ "expiration_date": null })).await.refused(422);
        // The spec's way: end the one, then begin the other earlier.
        let ended = update(&company, &stretched, json!({ "expiration_date": "2026-02-28" })).await.ok();
        update(&company, &second, json!({ "effective_date": "2026-03-01" })).await.ok();
        let expected = [("2026-01-01".to_owned(), day("2026-02-28")), ("2026-03-01".to_owned(), Value::Null)];
        assert_eq!(windows(&company, &employee).await, expected);
        update(&company, &first, json!({ "active": false })).await.refused(409);
        assert_eq!(update(&company, &ended, json!({ "active": true })).await.ok(), ended);
    });
}

#[test]
fn lists_show_the_present_record_of_each_benefit_or_every_one() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, employee) = company_with(engine, 5).await;
        let other = company.offer(202).await;
        // Today is 15 June 2026.
        let past =
            company.enroll(&employee, &benefit, json!({ "expiration_date": "2026-05-31" })).await.created();
        let list = async |query: &str| {
            let own = company.get(format!("/v1/employees/{employee}/employee_benefits{query}")).await;
            own.list().iter().map(id_of).collect::<Vec<_>>()
        };
        let of_benefit = async |query: &str| {
            let path = format!("/v1/company_benefits/{}/employee_benefits{query}", id_of(&benefit));
            company.get(path).await.list().iter().map(id_of).collect::<Vec<_>>()
        };
        let future =
            company.enroll(&employee, &benefit, json!({ "effective_date": "2026-07-01" })).await.created();
        // None is in force: the most recent one.
        assert_eq!((list("").await, of_benefit("").await), (vec![id_of(&past)], vec![id_of(&past)]));
        let present = json!({ "effective_date": "2026-06-15", "expiration_date": "2026-06-15" });
        let present = company.enroll(&employee, &benefit, present).await.created();
        assert_eq!((list("").await, of_benefit("").await), (vec![id_of(&present)], vec![id_of(&present)]));
        let to_come =
            company.enroll(&employee, &other, json!({ "effective_date": "2027-01-01" })).await.created();
        assert_eq!(list("").await, [id_of(&present), id_of(&to_come)]);
        let all = [&past, &future, &present, &to_come].map(id_of);
        assert_eq!(list("?include=all_benefits").await, all);
        assert_eq!(of_benefit("?include=all_benefits").await, all[..3]);
        let page = company
            .get(format!("/v1/employees/{employee}/employee_benefits?include=all_benefits&page=2&per=3"))
            .await;
        assert_eq!((page.header("x-total-count"), page.list().len()), ("4", 1));
        let bo = id_of(&company.employee("Bo").await);
        let of_bo = company.enroll(&bo, &benefit, json!({})).await.created();
        let path = format!("/v1/company_benefits/{}/employee_benefits?per=1&page=2", id_of(&benefit));
        let page = company.get(path).await;
        assert_eq!((page.header("x-total-count"), page.list()), ("2", vec![of_bo]));
    });
}

#[test]
fn amounts_are_kept_in_each_of_their_forms() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, employee) = company_with(engine, 5).await;
        let body = json!({ "employee_deduction": "6", "deduct_as_percentage": true, "employee_deduction_annual_maximum": "20000",
            "contribution": { "type": "tiered", "value": [{ "rate": "100", "threshold": "3.0" }, { "rate": 50, "threshold": 5 }] },
            "company_contribution_annual_maximum": 5000, "catch_up": true, "effective_date": "2026-01-01" });
        let record = company.enroll(&employee, &benefit, body).await.created();
        let tiers = json!({ "type": "tiered", "value": { "tiers": [
            { "rate": "100.00", "threshold": "3.00", "threshold_delta": "3.00" },
            { "rate": "50.00", "threshold": "5.00", "threshold_delta": "2.00" }] } });
        assert_eq!((&record["contribution"], &record["elective"]), (&tiers, &json!(true)));
        assert_eq!(
            (record.get("company_contribution"), record.get("contribute_as_percentage")),
            (None, None)
        );
        assert_eq!(company.read("employee_benefits", &id_of(&record)).await, record);
        // The answer's own form is taken, too.
        let same = update(&company, &record, json!({ "contribution": tiers })).await.ok();
        assert_eq!(same["version"], record["version"]);
        let older = update(
            &company,
            &record,
            json!({ "company_contribution": "3", "contribute_as_percentage": true }),
        )
        .await
        .ok();
        assert_eq!(older["contribution"], json!({ "type": "percentage", "value": "3.00" }));
        let cleared =
            json!({ "employee_deduction_annual_maximum": null, "company_contribution_annual_maximum": null });
        let cleared = update(&company, &older, cleared).await.ok();
        assert_eq!(cleared["employee_deduction_annual_maximum"], Value::Null);

        let life = company.offer(107).await;
        let body = json!({ "coverage_amount": "75000", "deduction_reduces_taxable_income": "does_not_reduce_taxable_income" });
        let record = company.enroll(&employee, &life, body).await.created();
        assert_eq!(
            (&record["coverage_amount"], &record["coverage_salary_multiplier"]),
            (&json!("75000.00"), &json!("0.00"))
        );
        let wrong = json!({ "catch_up": true, "limit_option": "Family", "contribution": { "type": "percentage", "value": 3 },
            "employee_deduction": "-1", "coverage_amount": 1, "coverage_salary_multiplier": 2, "effective_date": "2027-01-01" });
        let keys = company.enroll(&employee, &life, wrong).await.refused(422);
        assert_eq!(
            keys.keys(),
            ["employee_deduction", "contribution", "limit_option", "catch_up", "coverage_salary_multiplier"]
        );
    });
}

#[test]
fn a_simple_ira_matches_as_its_type_says_from_2026_02_01_on() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, employee) = company_with(engine, 8).await;
        let enroll = async |version: &str, from: &str, elective: Value| {
            let mut body = json!({ "company_benefit_uuid": benefit["uuid"], "effective_date": from });
            if !elective.is_null() {
                body["elective"] = elective;
            }
            let call = company.call("POST", format!("/v1/employees/{employee}/employee_benefits"));
            call.version(version).json(&body).send().await
        };
        assert_eq!(enroll("2025-11-15", "2026-01-01", json!(false)).await.created()["elective"], false);
        assert_eq!(enroll("2026-02-01", "2026-02-01", json!(false)).await.refused(422).keys(), ["elective"]);
        assert_eq!(enroll("2026-02-01", "2026-03-01", Value::Null).await.created()["elective"], true);
    });
}

#[test]
fn a_record_is_deleted_with_its_employee_and_alone() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, employee) = company_with(engine, 5).await;
        let record = company.enroll(&employee, &benefit, json!({})).await.created();
        let path = format!("/v1/employee_benefits/{}", id_of(&record));
        let known = company.count_events().await;
        company.delete(&path).await.deleted();
        company.get(&path).await.refused(404);
        company.delete(&path).await.refused(404);
        assert_eq!(company.event_types_since(known).await, ["employee_benefit.deleted"]);
        company.enroll(&employee, &benefit, json!({})).await.created();
        company.delete(format!("/v1/employees/{employee}")).await.deleted();
        company.delete(format!("/v1/company_benefits/{}", id_of(&benefit))).await.deleted();
    });
}

async fn bulk(company: &Company, benefit: &Value, items: Value) -> crate::support::Answer {
    let path = format!("/v1/company_benefits/{}/employee_benefits", id_of(benefit));
    company.put(path, json!({ "employee_benefits": items })).await
}

#[test]
fn many_records_are_created_and_updated_at_once() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, ana) = company_with(engine, 5).await;
        let (bo, cy) = (id_of(&company.employee("Bo").await), id_of(&company.employee("Cy").await));
        let of_bo = company.enroll(&bo, &benefit, json!({ "effective_date": "2026-01-01" })).await.created();
        let of_cy = company.enroll(&cy, &benefit, json!({})).await.created();
        let items = json!([
            { "employee_uuid": ana, "action": "create", "effective_date": "2026-07-01", "employee_deduction": "10.00" },
            { "employee_uuid": bo, "action": "update", "uuid": of_bo["uuid"], "version": of_bo["version"], "expiration_date": "2026-08-31" },
            { "employee_uuid": cy, "version": of_cy["version"], "employee_deduction": "30.00" },
        ]);
        let told = bulk(&company, &benefit, items).await.list();
        let shown: Vec<_> =
            told.iter().map(|r| (text(r, "employee_uuid"), r["expiration_date"].clone())).collect();
        assert_eq!(shown, [(ana.clone(), Value::Null), (bo, day("2026-08-31")), (cy, Value::Null)]);
        assert_eq!(told[2]["employee_deduction"], "30.00");
        // An item without an action enrols who is not enrolled.
        let dora = id_of(&company.employee("Dora").await);
        let told = bulk(&company, &benefit, json!([{ "employee_uuid": dora, "employee_deduction": "5.00" }]))
            .await
            .list();
        assert_eq!(
            (&told[0]["effective_date"], &told[0]["employee_deduction"]),
            (&day("1970-01-01"), &json!("5.00"))
        );
        assert_eq!(bulk(&company, &benefit, json!([])).await.list(), Vec::<Value>::new());
    });
}

#[test]
fn an_item_that_carries_a_date_is_an_update_with_uuid_and_version_and_a_create_without() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, ana) = company_with(engine, 5).await;
        let bo = id_of(&company.employee("Bo").await);
        let of_bo = company.enroll(&bo, &benefit, json!({ "effective_date": "2026-01-01" })).await.created();
        let items = json!([
            { "employee_uuid": ana, "effective_date": "2026-07-01", "expiration_date": "2026-09-30" },
            { "employee_uuid": bo, "uuid": of_bo["uuid"], "version": of_bo["version"], "expiration_date": "2026-08-31" },
        ]);
        let told = bulk(&company, &benefit, items).await.list();
        assert_eq!(told[0]["effective_date"], day("2026-07-01"));
        assert_eq!((&told[1]["uuid"], &told[1]["expiration_date"]), (&of_bo["uuid"], &day("2026-08-31")));
        // Also for an employee who has a record: the new window follows the one that ends.
        let next =
            json!([{ "employee_uuid": bo, "effective_date": "2026-09-01", "employee_deduction": "3.00" }]);
        let next = bulk(&company, &benefit, next).await.list();
        assert_ne!(next[0]["uuid"], of_bo["uuid"]);
        let all = format!("/v1/employees/{bo}/employee_benefits?include=all_benefits");
        assert_eq!(company.get(all).await.list().len(), 2);
        // The action may still say so, and it decides.
        let named = json!([{ "employee_uuid": ana, "action": "create", "effective_date": "2026-10-01" }]);
        assert_eq!(bulk(&company, &benefit, named).await.list()[0]["effective_date"], day("2026-10-01"));
    });
}

#[test]
fn an_item_that_names_a_record_changes_that_one_and_no_other() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, ana) = company_with(engine, 5).await;
        let window = json!({ "effective_date": "2026-01-01", "expiration_date": "2026-08-31", "employee_deduction": "4.00" });
        let now = company.enroll(&ana, &benefit, window).await.created();
        let later = json!({ "effective_date": "2026-09-01", "employee_deduction": "6.00" });
        let later = company.enroll(&ana, &benefit, later).await.created();
        let item = |uuid: Value| json!([{ "employee_uuid": ana, "uuid": uuid, "version": later["version"], "employee_deduction": "7.00" }]);
        let told = bulk(&company, &benefit, item(later["uuid"].clone())).await.list();
        assert_eq!((&told[0]["uuid"], &told[0]["employee_deduction"]), (&later["uuid"], &json!("7.00")));
        assert_eq!(company.read("employee_benefits", &id_of(&now)).await, now);
        for wrong in [json!("nonsense"), json!(NOBODY)] {
            let refused = bulk(&company, &benefit, item(wrong)).await.refused(422);
            assert_eq!(refused.fault(), ("employee_benefits", "nested_errors"));
        }
        assert_eq!(company.read("employee_benefits", &id_of(&now)).await, now);
    });
}

#[test]
fn of_many_records_all_are_changed_or_none() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, ana) = company_with(engine, 5).await;
        let bo = id_of(&company.employee("Bo").await);
        let of_bo = company.enroll(&bo, &benefit, json!({ "effective_date": "2026-01-01" })).await.created();
        let events = company.count_events().await;
        let fine = json!({ "employee_uuid": ana, "action": "create", "effective_date": "2026-07-01" });
        let wrong = [
            json!({ "employee_uuid": bo, "action": "create", "effective_date": "2025-06-01" }),
            json!({ "employee_uuid": bo, "action": "update", "uuid": of_bo["uuid"] }),
            json!({ "employee_uuid": bo, "action": "update", "version": of_bo["version"] }),
            json!({ "employee_uuid": bo, "action": "update", "uuid": NOBODY, "version": of_bo["version"] }),
            json!({ "employee_uuid": bo, "action": "delete" }),
            json!({ "employee_uuid": bo, "effective_date": "2025-06-01" }),
            json!({ "employee_uuid": bo, "expiration_date": "2026-08-31", "uuid": of_bo["uuid"] }),
            json!({ "employee_uuid": bo, "expiration_date": null, "version": of_bo["version"] }),
            json!({ "employee_uuid": bo, "employee_deduction": "1.00" }),
            json!({ "employee_uuid": NOBODY, "action": "create" }),
            json!({ "action": "create" }),
        ];
        for item in wrong {
            let refused = bulk(&company, &benefit, json!([fine, item])).await.refused(422);
            let only = refused.only();
            assert_eq!(
                (&only["error_key"], &only["category"]),
                (&json!("employee_benefits"), &json!("nested_errors")),
                "{item}"
            );
            assert_eq!(only["metadata"]["index"], 1, "{item}");
        }
        let stale = json!({ "employee_uuid": bo, "action": "update", "uuid": of_bo["uuid"], "version": "0".repeat(32), "active": false });
        bulk(&company, &benefit, json!([fine, stale])).await.refused(409);
        let twice = json!({ "employee_uuid": ana, "action": "create", "effective_date": "2026-09-01" });
        let refused = bulk(&company, &benefit, json!([fine, twice])).await.refused(422);
        assert_eq!(refused.fault(), ("employee_benefits", "invalid_operation"));
        for wrong in [json!({}), json!({ "employee_benefits": null }), json!({ "employee_benefits": "all" })]
        {
            let path = format!("/v1/company_benefits/{}/employee_benefits", id_of(&benefit));
            assert_eq!(
                company.put(path, wrong).await.refused(422).fault(),
                ("employee_benefits", "invalid_parameter")
            );
        }
        assert_eq!(company.count_events().await, events);
        assert!(windows(&company, &ana).await.is_empty());
        assert_eq!(company.read("employee_benefits", &id_of(&of_bo)).await, of_bo);
    });
}
