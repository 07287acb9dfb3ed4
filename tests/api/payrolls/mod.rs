//! Payrolls from the pay schedule to the pay date.

mod across_companies;
mod assignments;
mod books;
mod breakdowns;
mod certificates;
mod clocks;
mod corrected;
mod employment_year;
mod ended_jobs;
mod entered;
mod exclusions;
mod explained;
mod external;
mod garnishment_fees;
mod given_up;
mod holidays;
mod hours;
mod last_wages;
mod late_employment;
mod leavers;
mod low_wages;
mod missed;
mod missed_paydays;
mod other_taxes;
mod parallel;
mod pay;
mod paychecks;
mod places;
mod planned_benefits;
mod premiums;
mod previewed;
mod programs;
mod random_years;
mod receipts;
mod register;
mod reports;
mod runs;
mod same_period;
mod sent_back;
mod sent_back_hours;
mod several_states;
mod since_calculated;
mod special_taxes;
mod stubs;
mod sums;
mod taxes;
mod taxes_by_code;
mod time_off;
mod time_off_hours;
mod time_off_requests;
mod time_off_years;
mod time_sheets;
mod totals;
mod transitions;
mod wage_warnings;
mod whole_year;
mod workweeks;
mod year_end;
mod year_files;
mod year_notices;
mod year_preparing;
mod years;

use serde_json::{Value, json};

use crate::evaluator;
use crate::support::{Answer, Company, Engine, id_of, on_both_engines, text};

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

/// Calculates the payroll, and reads it with its taxes.
async fn calculated(company: &Company, payroll: &str) -> Value {
    company.calculate(payroll).await;
    read(company, payroll, "taxes").await
}

/// The payroll, calculated with regular hours of an employee, with its taxes.
async fn paid_hours(company: &Company, payroll: &str, employee: &str, regular: &str) -> Value {
    enter(company, payroll, employee, hours(regular)).await.ok();
    calculated(company, payroll).await
}

/// What the payroll has for an employee.
fn of<'p>(payroll: &'p Value, employee: &str) -> &'p Value {
    let all = payroll["employee_compensations"].as_array().unwrap();
    all.iter().find(|one| one["employee_uuid"] == employee).unwrap()
}

/// Prepares the payroll and enters something for an employee.
async fn enter(company: &Company, payroll: &str, employee: &str, what: Value) -> Answer {
    let prepared = company.put(path(payroll, "/prepare"), json!({ "employee_uuids": [employee] })).await.ok();
    let mut line = what;
    line["employee_uuid"] = employee.into();
    line["version"] = of(&prepared, employee)["version"].clone();
    company.put(path(payroll, ""), json!({ "employee_compensations": [line] })).await
}

fn hours(regular: &str) -> Value {
    json!({ "hourly_compensations": [{ "name": "Regular Hours", "hours": regular }] })
}

/// An amount in cents, told as a number or as text.
fn cents(value: &Value) -> i64 {
    let told = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let (whole, rest) = told.split_once('.').unwrap();
    assert_eq!(rest.len(), 2, "{told}");
    format!("{whole}{rest}").parse().unwrap()
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

async fn enter_processed(company: &Company, payroll: &str, employee: &str) -> Answer {
    let line = json!({ "employee_uuid": employee, "version": "x", "memo": "late" });
    company.put(path(payroll, ""), json!({ "employee_compensations": [line] })).await
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
