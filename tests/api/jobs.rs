//! Jobs: the first one, further ones, and what changes with their first day.

use serde_json::{Value, json};

use crate::support::{Company, Engine, NOBODY, id_of, on_both_engines, text};

async fn update(company: &Company, job: &Value, mut body: Value) -> crate::support::Answer {
    body["version"] = company.read("jobs", &id_of(job)).await["version"].clone();
    company.put(format!("/v1/jobs/{}", id_of(job)), body).await
}

#[test]
fn a_new_job_pays_nothing_until_its_pay_is_entered() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let job = company.job(&employee, " Cook ", "2026-07-01").await;
        for (field, value) in [
            ("title", json!("Cook")),
            ("hire_date", json!("2026-07-01")),
            ("primary", json!(true)),
            ("rate", json!("0.00")),
            ("payment_unit", json!("Hour")),
            ("two_percent_shareholder", json!(false)),
            ("state_wc_covered", Value::Null),
            ("state_wc_class_code", Value::Null),
            ("employee_uuid", json!(employee)),
        ] {
            assert_eq!(job[field], value, "{field}");
        }
        let empty = &job["compensations"][0];
        assert_eq!(job["current_compensation_uuid"], empty["uuid"]);
        assert_eq!(
            (&empty["effective_date"], &empty["flsa_status"]),
            (&json!("2026-07-01"), &json!("Nonexempt"))
        );
        assert_eq!(
            company.event_types_since(1).await,
            ["employee_job_compensation.created", "employee.updated"]
        );
        let person = company.read("employees", &employee).await;
        assert_eq!((&person["title"], &person["hired_at"]), (&json!("Cook"), &json!("2026-07-01")));
        assert_eq!((&person["flsa_status"], &person["jobs"]), (&json!("Nonexempt"), &json!([job])));
    });
}

#[test]
fn a_job_needs_a_title_and_a_first_day() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let path = format!("/v1/employees/{employee}/jobs");
        assert_eq!(company.post(&path, json!({})).await.refused(422).keys(), ["title", "hire_date"]);
        let wrong = json!({ "title": null, "hire_date": "2026-02-30", "two_percent_shareholder": "no",
                            "state_wc_covered": 1, "state_wc_class_code": "x".repeat(21) });
        let refused = company.post(&path, wrong).await.refused(422);
        let expected =
            ["title", "hire_date", "two_percent_shareholder", "state_wc_covered", "state_wc_class_code"];
        assert_eq!(refused.keys(), expected);
        assert!(company.get(&path).await.list().is_empty());
    });
}

#[test]
fn only_somebody_who_is_paid_by_the_hour_may_have_several_jobs() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let path = format!("/v1/employees/{employee}/jobs");
        let cook = company.job(&employee, "Cook", "2026-03-01").await;
        company.pay(&cook, "52000", "Year", "Exempt").await;
        let second = json!({ "title": "Host", "hire_date": "2026-03-01" });
        let refused = company.post(&path, second.clone()).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        assert!(refused.message().contains("from 2026-03-01 on has Exempt"), "{}", refused.message());

        let version = &company.read("compensations", &id_of(&cook["compensations"][0])).await["version"];
        let hourly =
            json!({ "version": version, "rate": 20, "payment_unit": "Hour", "flsa_status": "Nonexempt" });
        let hourly =
            company.put(format!("/v1/compensations/{}", id_of(&cook["compensations"][0])), hourly).await.ok();
        let host = company.post(&path, second).await.created();
        assert_eq!(host["primary"], false);
        // With two jobs neither can become salaried, now or later.
        let salary = json!({ "version": hourly["version"], "rate": 52000, "payment_unit": "Year", "flsa_status": "Exempt" });
        let refused =
            company.put(format!("/v1/compensations/{}", id_of(&hourly)), salary.clone()).await.refused(422);
        assert_eq!(refused.fault(), ("flsa_status", "invalid_attribute_value"));
        assert!(refused.message().contains("(Host)"), "{}", refused.message());
        let mut later = salary;
        later["effective_date"] = "2027-01-01".into();
        let refused =
            company.post(format!("/v1/jobs/{}/compensations", id_of(&host)), later).await.refused(422);
        assert_eq!(refused.fault(), ("flsa_status", "invalid_attribute_value"));

        let listed = company.get(&path).await.list();
        assert_eq!(listed.iter().map(|job| text(job, "title")).collect::<Vec<_>>(), ["Cook", "Host"]);
        let page = company.get(format!("{path}?per=1&page=2")).await;
        assert_eq!((page.header("x-total-count"), page.list()), ("2", vec![listed[1].clone()]));
    });
}

#[test]
fn a_salary_that_comes_back_when_pay_is_deleted_stands_in_the_way_of_two_jobs() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let cook = company.job(&employee, "Cook", "2026-03-01").await;
        company.pay(&cook, "52000", "Year", "Exempt").await;
        let hourly = json!({ "rate": 20, "payment_unit": "Hour", "flsa_status": "Nonexempt", "effective_date": "2026-06-01" });
        let hourly = company.post(format!("/v1/jobs/{}/compensations", id_of(&cook)), hourly).await.created();
        company.job(&employee, "Host", "2026-06-01").await;
        let refused = company.delete(format!("/v1/compensations/{}", id_of(&hourly))).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        assert_eq!(company.read("compensations", &id_of(&hourly)).await, hourly);
    });
}

#[test]
fn no_two_jobs_of_an_employee_have_the_same_title() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        company.job(&employee, "Cook", "2026-03-01").await;
        let host = company.job(&employee, "Host", "2026-03-01").await;
        let body = json!({ "title": "cook", "hire_date": "2026-03-01" });
        let refused = company.post(format!("/v1/employees/{employee}/jobs"), body).await.refused(422);
        assert_eq!(refused.fault(), ("title", "invalid_attribute_value"));
        let refused = update(&company, &host, json!({ "title": "COOK" })).await.refused(422);
        assert_eq!(refused.fault(), ("title", "invalid_attribute_value"));
        assert_eq!(update(&company, &host, json!({ "title": "Host" })).await.ok(), host);
        assert_eq!(update(&company, &host, json!({ "title": "HOST" })).await.ok()["title"], "HOST");
        // Another employee may have it.
        let other = id_of(&company.employee("Ben").await);
        company.job(&other, "Cook", "2026-03-01").await;
    });
}

#[test]
fn the_primary_job_stays_and_another_goes_with_its_pay() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let cook = company.job(&employee, "Cook", "2026-03-01").await;
        let host = company.job(&employee, "Host", "2026-03-01").await;
        let refused = company.delete(format!("/v1/jobs/{}", id_of(&cook))).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        let known = company.count_events().await;
        company.delete(format!("/v1/jobs/{}", id_of(&host))).await.deleted();
        assert_eq!(
            company.event_types_since(known).await,
            ["employee_job_compensation.deleted", "employee.updated"]
        );
        company.get(format!("/v1/jobs/{}", id_of(&host))).await.refused(404);
        company.get(format!("/v1/compensations/{}", id_of(&host["compensations"][0]))).await.refused(404);
        assert_eq!(company.get(format!("/v1/employees/{employee}/jobs")).await.list(), [cook]);
    });
}

#[test]
fn pay_that_counts_from_the_first_day_of_work_moves_with_that_day() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let job = company.job(&employee, "Cook", "2026-03-01").await;
        let later = json!({ "rate": 20, "payment_unit": "Hour", "flsa_status": "Nonexempt", "effective_date": "2026-09-01" });
        company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), later).await.created();
        let known = company.count_events().await;
        let moved = update(&company, &job, json!({ "hire_date": "2026-04-15" })).await.ok();
        assert_eq!(moved["compensations"][0]["effective_date"], "2026-04-15");
        assert_eq!(
            company.event_types_since(known).await,
            ["employee_job_compensation.updated", "employee.updated"]
        );
        for day in ["2026-09-01", "2026-12-01"] {
            let refused = update(&company, &job, json!({ "hire_date": day })).await.refused(422);
            assert_eq!(refused.fault(), ("hire_date", "invalid_attribute_value"), "{day}");
        }
    });
}

#[test]
fn a_job_that_is_sent_back_as_it_was_read_stays_as_it_is() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let job = company.job(&employee, "Cook", "2026-03-01").await;
        let known = (company.count_events().await, company.audit().await.len());
        let path = format!("/v1/jobs/{}", id_of(&job));
        assert_eq!(company.put(&path, job.clone()).await.ok(), job);
        let mut mine = job.clone();
        for (field, value) in [
            ("uuid", json!(NOBODY)),
            ("employee_uuid", json!(NOBODY)),
            ("primary", json!(false)),
            ("rate", json!("99.00")),
            ("payment_unit", json!("Year")),
            ("current_compensation_uuid", json!(NOBODY)),
            ("compensations", json!([])),
        ] {
            mine[field] = value;
        }
        assert_eq!(company.put(&path, mine).await.ok(), job);
        assert_eq!((company.count_events().await, company.audit().await.len()), known);

        let after =
            update(&company, &job, json!({ "state_wc_covered": true, "state_wc_class_code": "9079" }))
                .await
                .ok();
        assert_eq!(
            (&after["state_wc_covered"], &after["state_wc_class_code"]),
            (&json!(true), &json!("9079"))
        );
        let stale = json!({ "version": job["version"], "title": "Chef", "state_wc_covered": true });
        let stale = company.put(&path, stale).await.refused(409);
        assert_eq!(stale.only()["metadata"]["current_version"], after["version"]);
        assert_eq!(stale.only()["metadata"]["differing_fields"], json!(["title"]));
        let cleared =
            update(&company, &job, json!({ "state_wc_covered": null, "state_wc_class_code": null }))
                .await
                .ok();
        assert_eq!(
            (&cleared["state_wc_covered"], &cleared["state_wc_class_code"]),
            (&Value::Null, &Value::Null)
        );
    });
}

#[test]
fn whoever_may_not_see_pay_sees_jobs_and_people_without_it() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let job = company.job(&employee, "Cook", "2026-03-01").await;
        company.pay(&job, "18.75", "Hour", "Nonexempt").await;
        let clerk = company.with_scopes("employees:read jobs:read").await;
        for path in [
            format!("/v1/jobs/{}?include=all_compensations", id_of(&job)),
            format!("/v1/employees/{employee}/jobs?include=all_compensations"),
            format!("/v1/employees/{employee}?include=all_compensations"),
            "/v1/companies/{company}/employees?include=all_compensations".to_owned(),
        ] {
            let told = clerk.get(&path).await.is(200).text();
            for hidden in ["18.75", "\"rate\"", "payment_unit", "compensation", "flsa_status"] {
                assert!(!told.contains(hidden), "{path} tells {hidden}: {told}");
            }
            assert!(told.contains("Cook") && company.get(&path).await.text().contains("18.75"), "{path}");
        }
        clerk.get(format!("/v1/compensations/{}", id_of(&job["compensations"][0]))).await.refused(403);
    });
}
