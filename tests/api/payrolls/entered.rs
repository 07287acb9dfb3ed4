//! What is prepared for employees, and what is entered for them.

use serde_json::{Value, json};

use super::{company, enter, hours, line, number, of, path};
use crate::support::{Answer, Engine, NOBODY, id_of, on_both_engines, text};

#[test]
fn what_is_prepared_comes_in_pages_and_a_repeated_request_tells_of_the_same_page() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let mut people = Vec::new();
        for name in ["Ana", "Bea", "Cleo"] {
            people.push(company.onboarded(name, &location, ("20.00", "Hour", "Nonexempt")).await.0);
        }
        let prepare = async |query: &str, key: &'static str, body: Value| {
            let call = company.call("PUT", path(&payroll, &format!("/prepare{query}")));
            call.header("idempotency-key", key).json(&body).send().await.is(200)
        };
        let pages = |answer: &Answer| {
            ["x-page", "x-per-page", "x-total-count", "x-total-pages"]
                .map(|name| answer.header(name).to_owned())
        };
        let whole = prepare("", "one", json!({})).await;
        assert_eq!(pages(&whole), ["1", "25", "3", "1"]);
        let second = prepare("?page=2&per=2", "two", json!({})).await;
        assert_eq!(pages(&second), ["2", "2", "3", "2"]);
        assert_eq!(second.json()["employee_compensations"].as_array().unwrap().len(), 1);
        let again = prepare("?page=2&per=2", "two", json!({})).await;
        assert_eq!((pages(&again), again.text()), (pages(&second), second.text()));
        let named = prepare("", "three", json!({ "employee_uuids": people[..2] })).await;
        assert_eq!(pages(&named), ["1", "2", "2", "1"]);
    });
}

#[test]
fn a_payroll_outside_the_schedule_that_names_nobody_is_for_everybody() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        for name in ["Ana", "Bea"] {
            company.onboarded(name, &location, ("20.00", "Hour", "Nonexempt")).await;
        }
        for version in ["2025-06-15", "2026-06-15"] {
            let mut body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-01",
                                   "end_date": "2026-06-14" });
            let post = |body: &Value| {
                company.call("POST", "/v1/companies/{company}/payrolls").version(version).json(body).send()
            };
            let made = post(&body).await.ok();
            let id = text(&made, "payroll_uuid");
            let told = company.put(path(&id, "/prepare"), json!({})).await.ok();
            assert_eq!(told["employee_compensations"].as_array().unwrap().len(), 2, "{version}");
            body["employee_uuids"] = json!([]);
            let empty = post(&body).await;
            assert_eq!(empty.status == 422, version == "2026-06-15", "{version}: {}", empty.text());
        }
    });
}

#[test]
fn what_was_entered_has_a_version_for_each_employee_and_stays_where_an_update_is_silent() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let unprepared = json!({ "employee_compensations": [] });
        company.put(path(&payroll, ""), unprepared).await.refused(422);
        let prepared = company.put(path(&payroll, "/prepare"), json!({})).await.ok();
        let old = of(&prepared, &ana)["version"].clone();
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        let mut more = json!({ "memo": "Thank you", "fixed_compensations": [{ "name": "Bonus", "amount": "150.00" }],
                               "reimbursements": [{ "amount": "12.50", "description": "Parking" }] });
        let told = enter(&company, &payroll, &ana, more.clone()).await.ok();
        let one = of(&told, &ana);
        assert_eq!(line(&one["hourly_compensations"], "Regular Hours")["hours"], "80.000");
        assert_eq!(line(&one["fixed_compensations"], "Bonus")["amount"], "150.00");
        assert_eq!(
            (&one["memo"], &one["reimbursements"][0]["amount"]),
            (&json!("Thank you"), &json!("12.50"))
        );
        let told = company.calculate(&payroll).await;
        let one = of(&told, &ana);
        let [gross, net, paid] = ["gross_pay", "net_pay", "check_amount"]
            .map(|field| rules::Amount::parse(&number(&one[field])).unwrap());
        assert_eq!(
            (gross.to_text(2), paid),
            ("1750.00".to_owned(), net.checked_add(rules::Amount::from_cents(1_250)).unwrap())
        );

        more["employee_uuid"] = ana.as_str().into();
        more["version"] = old;
        let body = json!({ "employee_compensations": [more] });
        company.put(path(&payroll, "/prepare"), json!({})).await.ok();
        let stale = company.put(path(&payroll, ""), body.clone()).await.refused(422);
        assert_eq!(stale.keys(), ["payroll_items"]);
        assert_eq!(stale.only()["errors"][0]["category"], "invalid_resource_version");
        let call = company.call("PUT", path(&payroll, "")).version("2026-02-01").json(&body);
        assert_eq!(call.send().await.refused(409).fault(), ("base", "invalid_resource_version"));

        let wrong = json!({ "hourly_compensations": [{ "name": "Idle", "hours": -1, "job_uuid": NOBODY }],
                            "fixed_compensations": [{ "name": "Bonus", "amount": "0.001" }] });
        let refused = enter(&company, &payroll, &ana, wrong).await.refused(422);
        let inner: Vec<_> =
            refused.only()["errors"].as_array().unwrap().iter().map(|e| text(e, "error_key")).collect();
        assert_eq!(inner, ["name", "hours", "job_uuid", "amount"]);
        let many: Vec<_> = (0..101).map(|_| NOBODY).collect();
        let refused = company.put(path(&payroll, "/prepare"), json!({ "employee_uuids": many })).await;
        assert_eq!(refused.status, 422, "an unknown employee once");
    });
}

#[test]
fn the_typed_clients_of_each_version_read_what_is_prepared_and_the_taxes_of_a_payroll() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let order =
            json!({ "court_ordered": false, "description": "Loan", "amount": "45.00", "recurring": true });
        company.post(format!("/v1/employees/{ana}/garnishments"), order).await.created();
        for version in ["2024-04-01", "2025-06-15", "2025-11-15", "2026-02-01", "2026-06-15"] {
            let at = |method: &str, end: &str| company.call(method, path(&payroll, end)).version(version);
            let prepared = at("PUT", "/prepare").json(&json!({})).send().await.ok();
            let one = of(&prepared, &ana);
            if version >= "2025-06-15" {
                assert_eq!(one["deductions"][0]["amount"].to_string(), "45.00", "{version}");
                // Reading the same payroll they want text from the version on in which amounts became that.
                let read = at("GET", "").send().await.ok();
                let told = if version == "2026-06-15" { "\"45.00\"" } else { "45.00" };
                assert_eq!(of(&read, &ana)["deductions"][0]["amount"].to_string(), told, "{version}");
            }
            let vacation = line(&one["paid_time_off"], "Vacation Hours");
            let told = vacation.get("final_payout_unused_hours_input");
            assert_eq!(told, (version >= "2025-11-15").then_some(&Value::Null), "{version}");
            enter(&company, &payroll, &ana, hours("10.5")).await.ok();
            company.calculate(&payroll).await;
            let told = at("GET", "?include=payroll_taxes").send().await.ok();
            for tax in told["payroll_taxes"].as_array().unwrap() {
                assert!(tax["amount"].is_number(), "{version}: {tax}");
            }
            assert!(told["company_taxes"][0]["amount"].is_string() || told.get("company_taxes").is_none());
        }
    });
}

#[test]
fn amounts_are_numbers_until_the_version_in_which_they_became_text() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("10.5")).await.ok();
        company.calculate(&payroll).await;
        for (version, text) in
            [("2024-04-01", false), ("2025-06-15", false), ("2026-02-01", false), ("2026-06-15", true)]
        {
            let told =
                company.call("GET", path(&payroll, "?include=taxes")).version(version).send().await.ok();
            let one = of(&told, &ana);
            for value in
                [&one["gross_pay"], &one["net_pay"], &one["check_amount"], &one["taxes"][0]["amount"]]
            {
                assert_eq!(value.is_string(), text, "{version} {value}");
            }
            assert_eq!(told.get("auto_payroll").is_some(), version >= "2025-11-15");
            assert_eq!(one.get("deductions").is_some(), version >= "2025-06-15");
            let older =
                one["fixed_compensations"].as_array().unwrap().iter().any(|l| l["name"] == "Reimbursement");
            assert_eq!(older, version < "2025-11-15", "{version}");
            let regular = line(&one["hourly_compensations"], "Regular Hours");
            assert_eq!((&regular["hours"], &regular["amount"]), (&json!("10.500"), &json!("210.00")));
        }
        let listed = |version: &'static str| {
            let call =
                company.call("GET", "/v1/companies/{company}/payrolls?processing_statuses=unprocessed");
            call.version(version).send()
        };
        assert_eq!(listed("2026-02-01").await.header("x-total-count"), "");
        assert_eq!(listed("2026-06-15").await.header("x-per-page"), "25");
    });
}

#[test]
fn a_job_stays_that_a_payroll_has_or_that_something_is_entered_for() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, cook) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let [host, bar] =
            [company.job(&ana, "Host", "2026-03-01").await, company.job(&ana, "Bar", "2026-03-01").await];
        for job in [&host, &bar] {
            company.pay(job, "30.00", "Hour", "Nonexempt").await;
        }
        let delete = async |job: &Value| company.delete(format!("/v1/jobs/{}", id_of(job))).await;
        let of_job = |job: &Value, hours: &str| json!({ "name": "Regular Hours", "hours": hours, "job_uuid": job["uuid"] });
        let mut what = json!({ "hourly_compensations": [of_job(&cook, "10"), of_job(&host, "10"), of_job(&bar, "0")],
                               "fixed_compensations": [{ "name": "Bonus", "amount": "100.00", "job_uuid": bar["uuid"] }] });
        enter(&company, &payroll, &ana, what.clone()).await.ok();
        company.calculate(&payroll).await;
        for job in [&host, &bar] {
            let refused = delete(job).await.refused(422);
            assert_eq!(refused.fault(), ("base", "invalid_operation"));
            assert_eq!(refused.only()["metadata"]["entity_uuid"], payroll.as_str());
        }
        what["fixed_compensations"][0]["amount"] = "0.00".into();
        enter(&company, &payroll, &ana, what).await.ok();
        company.calculate(&payroll).await;
        delete(&bar).await.deleted();
        let forgotten = company.get(path(&payroll, "")).await.ok();
        assert_eq!(forgotten["processing_request"], Value::Null, "it has one job less");
        company.put(path(&payroll, "/submit"), json!({})).await.refused(422);
        company.calculate(&payroll).await;
        let done = company.submit(&payroll).await;
        // 10 x 20.00 + 10 x 30.00
        assert_eq!(number(&of(&done, &ana)["gross_pay"]), "500.00");
        assert_eq!(delete(&host).await.refused(422).fault(), ("base", "invalid_operation"));
        let version = company.read("jobs", &id_of(&host)).await["version"].clone();
        let later = json!({ "version": version, "hire_date": "2026-06-15" });
        company.put(format!("/v1/jobs/{}", id_of(&host)), later).await.refused(422);
        let within = json!({ "version": version, "hire_date": "2026-06-02" });
        company.put(format!("/v1/jobs/{}", id_of(&host)), within).await.ok();
        assert_eq!(of(&company.get(path(&payroll, "")).await.ok(), &ana), of(&done, &ana));
        // No payroll has had it yet.
        delete(&company.job(&ana, "Bar", "2026-06-15").await).await.deleted();
    });
}
