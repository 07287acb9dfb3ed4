//! Plans from wished days to changes, the timeline, and the specification's patterns of use (rule 7), by request.

use serde_json::{Value, json};

use crate::support::{Company, Engine, id_of, on_both_engines, text};

/// A company paid every other week, a medical plan of 100.00, and an employee who has it since always.
async fn enrolled(engine: Engine) -> (Company, Value, String) {
    let company = engine.world().await.company().await;
    let benefit = company.offer(1).await;
    let employee = id_of(&company.employee("Ana").await);
    company.enroll(&employee, &benefit, json!({ "employee_deduction": "100.00" })).await.created();
    let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-26", "anchor_end_of_pay_period": "2026-06-21" });
    company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
    (company, benefit, employee)
}

async fn plan(company: &Company, employee: &str, benefit: &Value, timeline: Value) -> Value {
    let body = json!({ "company_benefit_uuid": benefit["uuid"], "timeline": timeline });
    company.post(format!("/v1/employees/{employee}/employee_benefits/plan"), body).await.ok()
}

async fn apply(
    company: &Company,
    employee: &str,
    benefit: &Value,
    timeline: Value,
    hash: &Value,
) -> crate::support::Answer {
    let body = json!({ "company_benefit_uuid": benefit["uuid"], "timeline": timeline, "hash": hash });
    company.post(format!("/v1/employees/{employee}/employee_benefits/plan/apply"), body).await
}

/// First day, last day, whether it counts, deduction, and why, of each span of days.
async fn days(
    company: &Company,
    employee: &str,
    from: &str,
    to: &str,
) -> Vec<(String, String, String, Option<String>)> {
    let path = format!("/v1/employees/{employee}/employee_benefits/timeline?start_date={from}&end_date={to}");
    let told = company.get(path).await.list();
    let span = |s: &Value| {
        let deduction = s["terms"]["employee_deduction"].as_str().map(str::to_owned);
        (text(s, "start_date"), text(s, "end_date"), text(s, "why"), deduction)
    };
    told[0]["days"].as_array().unwrap().iter().map(span).collect()
}

fn span(
    from: &str,
    to: &str,
    why: &str,
    deduction: Option<&str>,
) -> (String, String, String, Option<String>) {
    (from.to_owned(), to.to_owned(), why.to_owned(), deduction.map(str::to_owned))
}

/// The deduction of each payroll whose period ends in these months, with the plan.
fn payrolls(plan: &Value, months: &str) -> Vec<(String, bool, String)> {
    let told = plan["payrolls"].as_array().unwrap().iter();
    let in_months = told.filter(|p| months.contains(&text(p, "pay_period_end_date")[5..7]));
    in_months
        .map(|p| {
            (
                text(p, "pay_period_end_date"),
                p["changed"].as_bool().unwrap(),
                text(&p["after"], "employee_deduction"),
            )
        })
        .collect()
}

#[test]
fn unpaid_leave_is_one_wish_and_the_benefit_goes_on_afterwards() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, employee) = enrolled(engine).await;
        let leave = json!([{ "effective_date": "2026-09-01", "expiration_date": "2026-09-30", "employee_deduction": "0.00" }]);
        let events = company.count_events().await;
        let planned = plan(&company, &employee, &benefit, leave.clone()).await;
        let actions: Vec<_> =
            planned["changes"].as_array().unwrap().iter().map(|c| text(c, "action")).collect();
        assert_eq!(actions, ["update", "create", "create"]);
        let expected = [
            ("2026-08-02".to_owned(), false, "100.00".to_owned()),
            ("2026-08-16".to_owned(), false, "100.00".to_owned()),
            ("2026-08-30".to_owned(), false, "100.00".to_owned()),
            ("2026-09-13".to_owned(), true, "0.00".to_owned()),
            ("2026-09-27".to_owned(), true, "0.00".to_owned()),
            ("2026-10-11".to_owned(), false, "100.00".to_owned()),
        ];
        assert_eq!(payrolls(&planned, "08 09 10")[..6], expected);
        assert_eq!(company.count_events().await, events, "a plan writes nothing");

        let applied = apply(&company, &employee, &benefit, leave, &planned["hash"]).await.ok();
        assert_eq!(applied["employee_benefits"].as_array().unwrap().len(), 3);
        let expected = [
            span("2026-08-01", "2026-08-31", "applies", Some("100.00")),
            span("2026-09-01", "2026-09-30", "applies", Some("0.00")),
            span("2026-10-01", "2026-12-31", "applies", Some("100.00")),
        ];
        assert_eq!(days(&company, &employee, "2026-08-01", "2026-12-31").await, expected);
        let types = company.event_types_since(events).await;
        assert_eq!(
            types,
            ["employee_benefit.updated", "employee_benefit.created", "employee_benefit.created"]
        );
    });
}

#[test]
fn a_plan_that_is_not_the_present_one_is_refused_and_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, employee) = enrolled(engine).await;
        let leave = json!([{ "effective_date": "2026-09-01", "expiration_date": "2026-09-30", "employee_deduction": "0.00" }]);
        let planned = plan(&company, &employee, &benefit, leave.clone()).await;
        // Somebody raises the deduction in between.
        let list = company.get(format!("/v1/employees/{employee}/employee_benefits")).await.list();
        let raised = json!({ "version": list[0]["version"], "employee_deduction": "120.00" });
        company.put(format!("/v1/employee_benefits/{}", id_of(&list[0])), raised).await.ok();
        let events = company.count_events().await;
        let stale = apply(&company, &employee, &benefit, leave.clone(), &planned["hash"]).await.refused(409);
        assert_eq!(stale.fault(), ("base", "invalid_resource_version"));
        let fresh = plan(&company, &employee, &benefit, leave.clone()).await;
        assert_eq!(stale.only()["metadata"]["current_version"], fresh["hash"]);
        // Other wishes than those that were planned are another plan.
        let longer = json!([{ "effective_date": "2026-09-01", "expiration_date": "2026-10-31", "employee_deduction": "0.00" }]);
        apply(&company, &employee, &benefit, longer, &fresh["hash"]).await.refused(409);
        assert_eq!(company.count_events().await, events);
        apply(&company, &employee, &benefit, leave.clone(), &fresh["hash"]).await.ok();
        // Carried out once: there is nothing left to do, and the old hash stands for nothing any more.
        apply(&company, &employee, &benefit, leave.clone(), &fresh["hash"]).await.refused(409);
        assert_eq!(plan(&company, &employee, &benefit, leave).await["changes"], json!([]));
    });
}

#[test]
fn every_fault_of_a_wished_timeline_is_told_at_its_place() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, employee) = enrolled(engine).await;
        let path = format!("/v1/employees/{employee}/employee_benefits/plan");
        let refused = async |timeline: Value| {
            let body = json!({ "company_benefit_uuid": benefit["uuid"], "timeline": timeline });
            company.post(&path, body).await.refused(422)
        };
        for empty in [json!([]), Value::Null] {
            assert_eq!(refused(empty).await.keys(), ["timeline"]);
        }
        let wrong = json!([
            { "effective_date": "2026-09-01", "expiration_date": "2026-08-31" },
            { "effective_date": "2026-10-01", "employee_deduction": "-1" },
            { "expiration_date": "2026-08-31" },
        ]);
        let told = refused(wrong).await;
        let inner: Vec<_> = told
            .0
            .iter()
            .map(|e| (e["metadata"]["index"].clone(), text(&e["errors"][0], "error_key")))
            .collect();
        let expected =
            [(json!(0), "expiration_date"), (json!(1), "employee_deduction"), (json!(2), "effective_date")];
        assert_eq!(inner, expected.map(|(place, key)| (place, key.to_owned())));
        let twice = json!([{ "effective_date": "2026-09-01" }, { "effective_date": "2026-10-01" }]);
        assert_eq!(refused(twice).await.only()["metadata"]["indices"], json!([0, 1]));
        company.post(&path, json!({})).await.refused(422);
    });
}

#[test]
fn the_effect_on_payrolls_is_told_for_the_pay_periods_and_the_pay_that_are_named() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let benefit = company.offer(5).await;
        let employee = id_of(&company.employee("Ana").await);
        let body = json!({ "employee_deduction": "5", "deduct_as_percentage": true, "employee_deduction_annual_maximum": "250",
                           "contribution": { "type": "percentage", "value": "4" }, "elective": true });
        company.enroll(&employee, &benefit, body).await.created();
        let path = format!("/v1/employees/{employee}/employee_benefits/plan");
        let ask = async |gross: Value| {
            let body = json!({ "company_benefit_uuid": benefit["uuid"], "gross_pay": gross,
                "timeline": [{ "effective_date": "2026-08-01", "expiration_date": "2026-08-31", "enrolled": false }],
                "pay_periods": [{ "end_date": "2026-07-15" }, { "end_date": "2026-07-31", "check_date": "2026-08-05" },
                                { "end_date": "2026-08-15" }, { "end_date": "2026-09-15" }] });
            company.post(&path, body).await.ok()["payrolls"].clone()
        };
        let told = ask(json!("2000.00")).await;
        let of = |side: &str, what: &str| {
            told.as_array().unwrap().iter().map(|p| p[side][what].clone()).collect::<Vec<_>>()
        };
        // 100.00 a payroll until the maximum; without August there is more left for September.
        assert_eq!(of("before", "employee_deduction"), ["100.00", "100.00", "50.00", "0.00"]);
        assert_eq!(of("after", "employee_deduction"), ["100.00", "100.00", "0.00", "50.00"]);
        assert_eq!(of("after", "company_contribution"), ["80.00", "80.00", "0.00", "50.00"]);
        assert_eq!(of("after", "why"), ["applies", "applies", "not_in_window", "applies"]);
        // The record that a plan creates has no uuid yet.
        assert_eq!(
            (&told[3]["after"]["employee_benefit_uuid"], told[3]["changed"] == json!(true)),
            (&Value::Null, true)
        );
        let unknown = ask(Value::Null).await;
        assert_eq!(
            (&unknown[0]["before"]["employee_deduction"], &unknown[2]["after"]["employee_deduction"]),
            (&Value::Null, &json!("0.00"))
        );
    });
}

#[test]
fn the_timeline_says_of_each_day_what_applies_and_why() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let benefit = company.offer(5).await;
        let employee = id_of(&company.employee("Ana").await);
        let enroll = async |from: &str, to: &str, active: bool| {
            let body = json!({ "effective_date": from, "expiration_date": to, "active": active });
            company.enroll(&employee, &benefit, body).await.created();
        };
        enroll("2026-02-01", "2026-02-28", true).await;
        enroll("2026-04-01", "2026-04-30", false).await;
        enroll("2026-05-01", "2026-05-01", true).await;
        let zero = Some("0.00");
        let expected = [
            span("2026-01-01", "2026-01-31", "before_first_window", None),
            span("2026-02-01", "2026-02-28", "applies", zero),
            span("2026-03-01", "2026-03-31", "between_windows", None),
            span("2026-04-01", "2026-04-30", "employee_benefit_inactive", zero),
            span("2026-05-01", "2026-05-01", "applies", zero),
            span("2026-05-02", "2026-12-31", "after_last_window", None),
        ];
        assert_eq!(days(&company, &employee, "2026-01-01", "2026-12-31").await, expected);
        assert_eq!(days(&company, &employee, "2026-02-28", "2026-03-01").await.len(), 2);
        assert_eq!(
            days(&company, &employee, "2026-03-05", "2026-03-05").await,
            [span("2026-03-05", "2026-03-05", "between_windows", None)]
        );
        let path = format!("/v1/employees/{employee}/employee_benefits/timeline");
        for wrong in [
            "?start_date=2026-02-01&end_date=2026-01-31",
            "?start_date=2026-02-30",
            "?start_date=2000-01-01&end_date=2026-01-01",
        ] {
            company.get(format!("{path}{wrong}")).await.refused(422);
        }
        let none = format!("{path}?company_benefit_uuid={}", crate::support::NOBODY);
        assert_eq!(company.get(none).await.list(), Vec::<Value>::new());
        // The company's benefit is switched off once all of it has ended.
        let off = json!({ "version": benefit["version"], "active": false });
        company.put(format!("/v1/company_benefits/{}", id_of(&benefit)), off).await.ok();
        let told = days(&company, &employee, "2026-02-01", "2026-02-28").await;
        assert_eq!(told, [span("2026-02-01", "2026-02-28", "company_benefit_inactive", zero)]);
    });
}

/// Rule 7, step by step with the ordinary operations.
#[test]
fn the_patterns_of_use_work_as_the_specification_describes_them() {
    on_both_engines(async |engine: Engine| {
        let (company, benefit, employee) = enrolled(engine).await;
        let enroll = async |body: Value| company.enroll(&employee, &benefit, body).await;
        // Unpaid leave: end of the prior window, a window without a deduction, a follow-on window. The first create
        // ends the open record by itself.
        enroll(json!({ "effective_date": "2026-03-01", "expiration_date": "2026-03-31", "employee_deduction": "0.00" })).await.created();
        enroll(json!({ "effective_date": "2026-04-01", "employee_deduction": "100.00" })).await.created();
        // Catch-up: more for two months, then the standard amount.
        enroll(json!({ "effective_date": "2026-05-01", "expiration_date": "2026-06-30", "employee_deduction": "150.00" })).await.created();
        let last =
            enroll(json!({ "effective_date": "2026-07-01", "employee_deduction": "100.00" })).await.created();
        let expected = [
            span("2026-02-01", "2026-02-28", "applies", Some("100.00")),
            span("2026-03-01", "2026-03-31", "applies", Some("0.00")),
            span("2026-04-01", "2026-04-30", "applies", Some("100.00")),
            span("2026-05-01", "2026-06-30", "applies", Some("150.00")),
            span("2026-07-01", "2026-08-31", "applies", Some("100.00")),
        ];
        assert_eq!(days(&company, &employee, "2026-02-01", "2026-08-31").await, expected);
        // Termination on 12 August: left open, the final pay period (to 16 August) is covered; ended on the last day of
        // work, it would not be.
        let (id, ask) = (id_of(&last), format!("/v1/employees/{employee}/employee_benefits/plan"));
        let ended = json!({ "company_benefit_uuid": benefit["uuid"], "timeline": [{ "effective_date": "2026-08-13", "enrolled": false }] });
        let told = company.post(ask, ended).await.ok();
        let of_final = told["payrolls"]
            .as_array()
            .unwrap()
            .iter()
            .find(|p| p["pay_period_end_date"] == "2026-08-16")
            .unwrap();
        assert_eq!(
            (&of_final["before"]["employee_deduction"], &of_final["after"]["employee_deduction"]),
            (&json!("100.00"), &json!("0.00"))
        );
        assert_eq!(
            (&of_final["before"]["applies"], &of_final["after"]["applies"]),
            (&json!(true), &json!(false))
        );
        assert_eq!(company.read("employee_benefits", &id).await["expiration_date"], Value::Null);
        // Hired in the middle of a pay period: the true first day; the whole amount from that period on.
        let bo = id_of(&company.employee("Bo").await);
        company
            .enroll(&bo, &benefit, json!({ "effective_date": "2026-08-05", "employee_deduction": "100.00" }))
            .await
            .created();
        let body = json!({ "company_benefit_uuid": benefit["uuid"], "timeline": [{ "effective_date": "2026-09-01" }] });
        let told = company.post(format!("/v1/employees/{bo}/employee_benefits/plan"), body).await.ok();
        let first: Vec<_> =
            payrolls(&told, "08").into_iter().map(|(end, _, deduction)| (end, deduction)).collect();
        let expected = [("2026-08-02", "0.00"), ("2026-08-16", "100.00"), ("2026-08-30", "100.00")];
        assert_eq!(first, expected.map(|(end, deduction)| (end.to_owned(), deduction.to_owned())));
    });
}

#[test]
fn a_plan_knows_what_was_put_in_elsewhere_and_before_the_company_came() {
    on_both_engines(async |engine: Engine| {
        let (company, _, employee) = enrolled(engine).await;
        let savings = company.offer(5).await;
        company.enroll(&employee, &savings, json!({ "employee_deduction": "100.00" })).await.created();
        let elsewhere =
            json!({ "benefit_type": 5, "tax_year": 2026, "ytd_employee_deduction_amount": "10000.00" });
        let path = format!("/v1/employees/{employee}/ytd_benefit_amounts_from_different_company");
        company.post(path, elsewhere).await.is(204);
        let balances = json!({ "year": 2026, "benefits": [{ "company_benefit_uuid": savings["uuid"],
                                                            "employee_deduction": "14000.00" }] });
        company.put(format!("/v1/employees/{employee}/opening_balances"), balances).await.ok();
        let more = json!([{ "effective_date": "2026-08-01", "terms": { "employee_deduction": "300.00" } }]);
        let told = plan(&company, &employee, &savings, more).await;
        let payrolls = told["payrolls"].as_array().unwrap();
        let sum = |side: &str| -> i64 {
            payrolls
                .iter()
                .map(|one| text(&one[side], "employee_deduction").replace('.', "").parse::<i64>().unwrap())
                .sum()
        };
        // 24,500.00 of the year less 24,000.00.
        let of_year = payrolls.iter().filter(|one| text(one, "check_date").starts_with("2026")).count();
        assert_eq!(of_year, payrolls.len(), "{payrolls:#?}");
        assert_eq!((sum("before"), sum("after")), (50_000, 50_000));
    });
}
