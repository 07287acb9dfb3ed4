//! Payrolls from the pay schedule to the pay date.

mod books;
mod clocks;
mod employment_year;
mod exclusions;
mod explained;
mod external;
mod garnishment_fees;
mod holidays;
mod hours;
mod other_taxes;
mod pay;
mod receipts;
mod reports;
mod runs;
mod several_states;
mod special_taxes;
mod stubs;
mod sums;
mod taxes;
mod time_off;
mod time_off_requests;
mod time_sheets;
mod transitions;
mod workweeks;
mod years;

use domain::Error;
use domain::pay::payrolls::processing;
use domain::platform::jobs;
use serde_json::{Value, json};
use store::params;
use uuid::Uuid;

use crate::evaluator;
use crate::support::{Answer, Company, Engine, NOBODY, id_of, on_both_engines, text};

store::statements! {
    RUNS = "SELECT count(*) FROM payroll_runs WHERE company_id = $1";
    RECORDED = "SELECT u.id, u.id = p.run_id FROM payroll_runs u JOIN payrolls p ON p.company_id = u.company_id AND p.id = u.payroll_id \
                WHERE u.company_id = $1 AND u.recorded_to IS NOT NULL";
    BEGIN_FORGETTING = "UPDATE payroll_runs SET forgotten_to = NULL WHERE company_id = $1 AND id = $2";
}

/// A company in Texas that pays every other week; its payroll of 1 to 14 June 2026 is paid on 19 June.
async fn company(engine: Engine) -> (Company, String, String) {
    let company = engine.own_world().await.company().await;
    let location = id_of(&company.location("TX").await);
    let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-18",
                           "anchor_end_of_pay_period": "2026-06-14" });
    company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
    let periods = company.get("/v1/companies/{company}/pay_periods").await.list();
    let payroll = text(&periods[0]["payroll"], "payroll_uuid");
    (company, location, payroll)
}

/// An off-cycle payroll of two weeks for an employee with 80 hours, calculated.
async fn paid_on(company: &Company, employee: &str, (start, end, check): (&str, &str, &str)) -> String {
    let body = json!({ "off_cycle": true, "off_cycle_reason": "Correction", "start_date": start, "end_date": end,
                       "employee_uuids": [employee], "check_date": check,
                       "withholding_pay_period": "Every other week" });
    let payroll = id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok());
    enter(company, &payroll, employee, hours("80")).await.ok();
    company.calculate(&payroll).await;
    payroll
}

/// The explanation of a paycheck, once every figure of it was worked out again.
async fn explanation_of(company: &Company, payroll: &str, employee: &str) -> Value {
    let explained = company.get(path(payroll, &format!("/employees/{employee}/explain"))).await.ok();
    for figure in explained["figures"].as_array().unwrap() {
        evaluator::check(figure).unwrap_or_else(|fault| panic!("{fault}: {figure:#}"));
    }
    explained
}

fn path(payroll: &str, rest: &str) -> String {
    format!("/v1/companies/{{company}}/payrolls/{payroll}{rest}")
}

async fn read(company: &Company, payroll: &str, include: &str) -> Value {
    company.get(path(payroll, &format!("?include={include}"))).await.ok()
}

/// What the payroll has for an employee.
fn of<'p>(payroll: &'p Value, employee: &str) -> &'p Value {
    let all = payroll["employee_compensations"].as_array().unwrap();
    all.iter().find(|one| one["employee_uuid"] == employee).unwrap()
}

/// Prepares the payroll and enters something for an employee.
async fn enter(company: &Company, payroll: &str, employee: &str, what: Value) -> crate::support::Answer {
    let prepared = company.put(path(payroll, "/prepare"), json!({ "employee_uuids": [employee] })).await.ok();
    let mut line = what;
    line["employee_uuid"] = employee.into();
    line["version"] = of(&prepared, employee)["version"].clone();
    company.put(path(payroll, ""), json!({ "employee_compensations": [line] })).await
}

fn hours(regular: &str) -> Value {
    json!({ "hourly_compensations": [{ "name": "Regular Hours", "hours": regular }] })
}

/// An amount that is told as a number.
fn number(value: &Value) -> String {
    assert!(value.is_number(), "{value}");
    value.to_string()
}

fn line<'l>(lines: &'l Value, name: &str) -> &'l Value {
    lines.as_array().unwrap().iter().find(|line| line["name"] == name).unwrap_or(&Value::Null)
}

#[test]
fn a_payroll_is_prepared_entered_calculated_submitted_processed_and_paid() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let entered = enter(&company, &payroll, &ana, hours("80")).await.ok();
        assert_eq!(entered["employee_compensations"].as_array().unwrap().len(), 1, "only what was sent");
        let told = company.calculate(&payroll).await;
        // 80 x 20.00; 52,000 / 26. Social Security 6.2 %, Medicare 1.45 %; Publication 15-T, single, no adjustments.
        let (one, other) = (of(&told, &ana), of(&told, &max));
        assert_eq!(
            (number(&one["gross_pay"]), number(&other["gross_pay"])),
            ("1600.00".into(), "2000.00".into())
        );
        let full = read(&company, &payroll, "taxes,totals,payroll_status_meta,payroll_taxes").await;
        let taxes = &of(&full, &ana)["taxes"];
        assert_eq!(number(&line(taxes, "Social Security")["amount"]), "99.20");
        assert_eq!(number(&line(taxes, "Medicare")["amount"]), "23.20");
        let income: Vec<_> =
            taxes.as_array().unwrap().iter().filter(|tax| tax["employer"] == false).collect();
        assert_eq!(income.len(), 3, "Texas taxes no wages: {taxes}");
        assert_eq!(full["totals"]["gross_pay"], "3600.00");
        let sum = |field: &str| -> rules::Amount {
            let all = full["employee_compensations"].as_array().unwrap();
            let cents =
                all.iter().map(|one| rules::Amount::parse(&one[field].to_string()).unwrap().cents_half_up());
            rules::Amount::from_cents(cents.sum())
        };
        assert_eq!(full["totals"]["net_pay"], sum("net_pay").to_text(2));
        assert_eq!(
            (&full["payroll_status_meta"]["cancellable"], &full["processed"]),
            (&json!(false), &json!(false))
        );

        let done = company.submit(&payroll).await;
        assert_eq!((&done["processed"], &done["processed_date"]), (&json!(true), &json!("2026-06-15")));
        let fixed = of(&done, &ana)["fixed_compensations"].as_array().unwrap();
        assert!(fixed.is_empty(), "only lines with something in them");
        let refused = enter_processed(&company, &payroll, &ana).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        let listed = company.get("/v1/companies/{company}/payrolls").await.list();
        assert!(listed.len() == 1 && id_of(&listed[0]) == payroll);
        let fired = company.world.wait(jiff::Span::new().hours(96)).await;
        assert!(
            fired
                .iter()
                .any(|fired| fired.kind == "payroll.paid" && fired.at.to_string() == "2026-06-18T05:00:00Z")
        );
        let names: Vec<_> = company.events().await.into_iter().map(|event| event.event_type).collect();
        let own = names.iter().filter(|name| name.starts_with("payroll.")).map(String::as_str);
        let own: Vec<_> = own.filter(|name| *name != "payroll.created").collect();
        assert_eq!(
            own,
            [
                "payroll.updated",
                "payroll.calculated",
                "payroll.submitted",
                "payroll.processed",
                "payroll.paid"
            ]
        );
    });
}

async fn enter_processed(company: &Company, payroll: &str, employee: &str) -> crate::support::Answer {
    let line = json!({ "employee_uuid": employee, "version": "x", "memo": "late" });
    company.put(path(payroll, ""), json!({ "employee_compensations": [line] })).await
}

#[test]
fn pay_with_tips_is_brought_up_to_the_minimum_wage_by_a_line_of_its_own() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (dan, job) = company.onboarded("Dan", &location, ("2.13", "Hour", "Nonexempt")).await;
        let wages = company.get(format!("/v1/locations/{location}/minimum_wages")).await.list();
        let pay = id_of(&company.read("jobs", &id_of(&job)).await["compensations"][0]);
        let flag = json!({ "version": company.read("compensations", &pay).await["version"],
                           "adjust_for_minimum_wage": true, "minimum_wages": [{ "uuid": wages[0]["uuid"] }] });
        company.put(format!("/v1/compensations/{pay}"), flag).await.ok();
        for (tips, make_up, gross) in
            [("0", "409.60", "580.00"), ("200.00", "209.60", "580.00"), ("500.00", "0.00", "670.40")]
        {
            let mut what = hours("80");
            what["fixed_compensations"] = json!([{ "name": "Paycheck Tips", "amount": tips }]);
            enter(&company, &payroll, &dan, what).await.ok();
            let told = company.calculate(&payroll).await;
            let one = of(&told, &dan);
            let adjusted = line(&one["fixed_compensations"], "Minimum Wage Adjustment");
            assert_eq!(
                (&adjusted["amount"], &adjusted["job_uuid"]),
                (&json!(make_up), &job["uuid"]),
                "tips {tips}"
            );
            assert_eq!(number(&one["gross_pay"]), gross);
        }
        let mut what = json!({ "fixed_compensations": [{ "name": "paycheck tips", "amount": 0 }] });
        what["hourly_compensations"] =
            json!([{ "name": "Regular Hours", "hours": "40" }, { "name": "Overtime", "hours": 10 }]);
        enter(&company, &payroll, &dan, what).await.ok();
        let told = company.calculate(&payroll).await;
        let one = of(&told, &dan);
        assert_eq!(line(&one["fixed_compensations"], "Minimum Wage Adjustment")["amount"], "256.00");
        assert_eq!(line(&one["hourly_compensations"], "Overtime")["amount"], "57.60");
        // The line stands in the answers of prepare and update, too, worked out by what is entered then.
        let prepared = company.put(path(&payroll, "/prepare"), json!({})).await.ok();
        let fixed = &of(&prepared, &dan)["fixed_compensations"];
        assert_eq!(line(fixed, "Minimum Wage Adjustment")["amount"], "256.00");
        assert_eq!(
            (&prepared["calculated_at"], &of(&prepared, &dan)["gross_pay"]),
            (&Value::Null, &Value::Null)
        );
        let entered = enter(&company, &payroll, &dan, hours("80")).await.ok();
        let fixed = &of(&entered, &dan)["fixed_compensations"];
        // 80 hours and the 10 of overtime that stay, without tips: 688.80 less 170.40 and 57.60.
        assert_eq!(line(fixed, "Minimum Wage Adjustment")["amount"], "460.80");
        let prepared = company.put(path(&payroll, "/prepare"), json!({})).await.ok();
        let fixed = &of(&prepared, &dan)["fixed_compensations"];
        assert_eq!(line(fixed, "Minimum Wage Adjustment")["amount"], "460.80");
        let used = company.delete(format!("/v1/compensations/{pay}")).await.refused(422);
        assert_eq!(used.fault(), ("base", "invalid_operation"));
    });
}

#[test]
fn benefits_orders_and_state_tax_are_taken_and_told_and_written_down_when_it_is_processed() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let brooklyn = id_of(&company.location("NY").await);
        let (ana, _) = company.onboarded("Ana", &brooklyn, ("40.00", "Hour", "Nonexempt")).await;
        let offered = json!({ "benefit_type": 5, "description": "401(k)" });
        let offered = company.post("/v1/companies/{company}/company_benefits", offered).await.created();
        let held = json!({ "company_benefit_uuid": id_of(&offered), "employee_deduction": "100.00",
                           "effective_date": "2026-06-01" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), held).await.created();
        let order = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                            "deduct_as_percentage": true, "pay_period_maximum": "300",
                            "child_support": { "state": "AL", "payment_period": "Every other week", "fips_code": "01000",
                                               "case_number": "AL-77" } });
        company.post(format!("/v1/employees/{ana}/garnishments"), order).await.created();
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        let told = read(&company, &payroll, "benefits,taxes,deductions,totals").await;
        let one = of(&told, &ana);
        assert_eq!(number(&one["benefits"][0]["employee_deduction"]), "100.00");
        assert_eq!(number(&one["deductions"][0]["amount"]), "300.00");
        assert_eq!(one["deductions"][0]["remittance"], "automatic");
        assert!(line(&one["taxes"], "NY Withholding Tax")["amount"].is_number(), "{}", one["taxes"]);
        // The employer has not answered yet what its own taxes depend on; nothing of the employee's is open.
        assert_eq!(other_taxes::not_worked_out(one), ["NY MCTMT zone 1", "NY SUI"]);
        assert_eq!(told["totals"]["child_support_debit"], "300.00");
        let lists = "/v1/companies/{company}/child_support_remittances";
        assert!(company.get(lists).await.list().is_empty());

        company.submit(&payroll).await;
        let noted = company.get(lists).await.list();
        assert_eq!((noted.len(), &noted[0]["amount"]), (1, &json!("300.00")));
        let summary = format!("/v1/company_benefits/{}/summary?detailed=true", id_of(&offered));
        let summary = company.get(summary).await.ok();
        assert_eq!(summary["company_benefit_deduction"], "100.00", "{summary}");

        // Taken back, nothing of it remains; done again, it is there once.
        company.put(path(&payroll, "/cancel"), json!({})).await.ok();
        company.work().await;
        assert!(company.get(lists).await.list().is_empty());
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let again = company.get(lists).await.list();
        assert_eq!(again.len(), 1);

        // A node that takes the first calculation back so late takes nothing of the second one, and both are kept until then.
        let (store, id) = (&company.world.app.store, company.id);
        let reopened = store.write(move |tx| {
            let runs = tx.query(RECORDED, params![id], |row| (row.get::<Uuid>(0), row.get::<bool>(1)))?;
            let (first, _) = *runs.iter().find(|(_, in_use)| !in_use).unwrap();
            assert!(tx.change(BEGIN_FORGETTING, params![id, first])?.one() && runs.len() == 2);
            Ok::<_, Error>(first)
        });
        let first = reopened.await.unwrap();
        let runs = async || {
            let count =
                store.read(move |tx| Ok::<_, Error>(tx.find(RUNS, params![id], |row| row.get::<i64>(0))?));
            count.await.unwrap().unwrap()
        };
        let later = |days: i64| company.world.now() + jiff::Span::new().hours(24 * days);
        jobs::begin_housekeeping(store).await.unwrap();
        company.world.wait_until(later(3)).await;
        assert_eq!(runs().await, 2, "what is not taken back yet is not swept");
        processing::forget(store, id, first).await.unwrap();
        assert_eq!(company.get(lists).await.list(), again);
        let summary = format!("/v1/company_benefits/{}/summary?detailed=true", id_of(&offered));
        assert_eq!(company.get(summary).await.ok()["company_benefit_deduction"], "100.00");
        company.world.wait_until(later(2)).await;
        assert_eq!(
            runs().await,
            1,
            "the calculation that was taken back is swept, and the one that was paid is not"
        );
        assert_eq!(company.get(lists).await.list(), again);
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
fn what_is_imputed_is_among_the_totals_and_is_that_of_the_explanation() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        // The cost of a cover follows from the age.
        company.enter_personal_details(&ana, "412551031").await;
        let life = json!({ "benefit_type": 107, "description": "Life" });
        let life = company.post("/v1/companies/{company}/company_benefits", life).await.created();
        let body = json!({ "company_benefit_uuid": id_of(&life), "coverage_amount": "150000",
                           "effective_date": "2026-01-01" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), body).await.created();
        enter(&company, &payroll, &ana, hours("40.0")).await.ok();
        company.calculate(&payroll).await;
        let totals = &company.get(path(&payroll, "?include=totals")).await.ok()["totals"];
        let imputed = text(totals, "imputed_pay");
        assert_ne!(imputed, "0.00");
        let explained =
            company.get(path(&payroll, &format!("/employees/{ana}/explain"))).await.is(200).text();
        let figure = explained.split("{\"figure\":\"imputed_income:").nth(1).unwrap();
        assert_eq!(figure.split("\"result\":\"").nth(1).unwrap().split('"').next().unwrap(), imputed);
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
fn a_payroll_rests_on_those_before_it() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        // Another one overtakes it: the sums of the year that it was calculated with are no longer right.
        let bonus = company.off_cycle(&[&ana]).await;
        let gift = json!({ "fixed_compensations": [{ "name": "Bonus", "amount": "184000.00" }] });
        enter(&company, &bonus, &ana, gift).await.ok();
        company.calculate(&bonus).await;
        company.submit(&bonus).await;
        let overtaken = company.put(path(&payroll, "/submit"), json!({})).await.refused(422);
        assert_eq!(overtaken.fault(), ("base", "invalid_operation"));
        company.calculate(&payroll).await;
        // 184,500 is the wage base of 2026: of 1,600 only 500 count.
        let told = read(&company, &payroll, "taxes").await;
        assert_eq!(number(&line(&of(&told, &ana)["taxes"], "Social Security")["amount"]), "31.00");
        company.submit(&payroll).await;
        let refused = company.put(path(&bonus, "/cancel"), json!({})).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        company.put(path(&payroll, "/cancel"), json!({})).await.ok();
        company.put(path(&bonus, "/cancel"), json!({})).await.ok();
        company.calculate(&payroll).await;
        let told = read(&company, &payroll, "taxes").await;
        assert_eq!(number(&line(&of(&told, &ana)["taxes"], "Social Security")["amount"]), "99.20");
        let refused = company.delete(path(&payroll, "")).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"), "the schedule's own stay");
        company.delete(path(&bonus, "")).await.deleted();
    });
}

#[test]
fn a_paycheck_is_explained_from_what_it_was_calculated_from_even_when_the_records_have_changed() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, job) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        let explain = path(&payroll, &format!("/employees/{ana}/explain"));
        company.get(&explain).await.refused(404);
        company.calculate(&payroll).await;
        let told = company.get(&explain).await.ok();
        assert_eq!(told["gross_pay"], "1600.00");
        let figures = told["figures"].to_string();
        for named in ["gross_pay", "net_pay", "social_security", "federal_income_tax"] {
            assert!(figures.contains(named), "{named}");
        }
        let raise = json!({ "rate": "99.00", "payment_unit": "Hour", "flsa_status": "Nonexempt" });
        company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), raise).await.created();
        assert_eq!(company.get(&explain).await.ok(), told);
        let stub = company.get(path(&payroll, &format!("/employees/{ana}/pay_stub"))).await.is(200);
        assert_eq!(stub.header("content-type"), "application/pdf");
        assert!(stub.body.starts_with(b"%PDF-"));
        let other = path(&payroll, &format!("/employees/{NOBODY}/explain"));
        company.get(other).await.refused(404);
    });
}

#[test]
fn a_calculation_gives_the_same_bytes_twice_and_notices_what_changes_meanwhile() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        let first = company.calculate(&payroll).await;
        let again = company.calculate(&payroll).await;
        assert_eq!(first["employee_compensations"], again["employee_compensations"]);
        // Entered between the request and the calculation: it is not calculated any more.
        company.put(path(&payroll, "/calculate"), json!({})).await.is(202);
        let told = company.get(path(&payroll, "")).await.ok();
        assert_eq!(
            (&told["processing_request"]["status"], &told["calculated_at"]),
            (&json!("calculating"), &Value::Null)
        );
        enter(&company, &payroll, &ana, hours("40")).await.ok();
        company.work().await;
        let told = company.get(path(&payroll, "")).await.ok();
        assert_eq!(
            (&told["processing_request"], &of(&told, &ana)["gross_pay"]),
            (&Value::Null, &Value::Null)
        );
        let early = company.put(path(&payroll, "/submit"), json!({})).await.refused(422);
        assert_eq!(early.fault(), ("base", "invalid_operation"));
    });
}

#[test]
fn a_company_that_cannot_run_payroll_is_told_why() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let keys = |list: &[Value]| list.iter().map(|one| text(one, "key")).collect::<Vec<_>>();
        let told = company.get("/v1/companies/{company}/payrolls/blockers").await.list();
        assert_eq!(keys(&told), ["missing_addresses", "missing_employee_setup", "missing_pay_schedule"]);
        company.location("TX").await;
        let schedule = json!({ "frequency": "Every week", "anchor_pay_date": "2026-06-19",
                               "anchor_end_of_pay_period": "2026-06-14" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        let list = "/v1/companies/{company}/payrolls?processing_statuses=unprocessed";
        let payroll = id_of(&company.get(list).await.list()[0]);
        let refused = company.put(path(&payroll, "/calculate"), json!({})).await.refused(422);
        assert_eq!(refused.fault(), ("base", "payroll_blocker"));
        assert_eq!(refused.only()["metadata"]["key"], "missing_employee_setup");
    });
}

#[test]
fn sums_of_the_year_come_along_until_the_first_payroll_has_paid() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let balances = format!("/v1/employees/{ana}/opening_balances");
        let body = json!({ "year": 2026, "wages": [{ "name": "gross", "amount": "184000.00" },
                                                   { "name": "social_security", "amount": "184000.00" }],
                           "taxes": [{ "name": "Social Security", "amount": "11408.00" }] });
        let put = company.put(&balances, body.clone()).await.ok();
        assert_eq!(
            (&put["wages"]["gross"], &put["taxes"]["Social Security"]),
            (&json!("184000.00"), &json!("11408.00"))
        );
        assert_eq!(company.get(&balances).await.list(), [put]);
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        let told = read(&company, &payroll, "taxes").await;
        assert_eq!(number(&line(&of(&told, &ana)["taxes"], "Social Security")["amount"]), "31.00");
        company.submit(&payroll).await;
        assert_eq!(company.put(&balances, body).await.refused(422).fault(), ("base", "invalid_operation"));
    });
}
