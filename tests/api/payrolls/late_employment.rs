//! Beginnings and ends of employment that are recorded after the payroll of their days was submitted: days that no payroll pays and pay for
//! days outside the employment are told, and entries outside the employment are refused or told.

use serde_json::{Value, json};

use super::{company, enter, hours, of, path};
use crate::support::{Answer, Company, Engine, Refusal, id_of, on_both_engines, text};

/// A company with two people who earn 2,000 for two weeks, and its payroll of 1 to 14 June 2026; today is 15 June.
async fn two(engine: Engine) -> (Company, String, [String; 2], String) {
    let (company, location, payroll) = company(engine).await;
    let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
    let (eva, _) = company.onboarded("Eva", &location, ("52000.00", "Year", "Exempt")).await;
    (company, location, [max, eva], payroll)
}

/// The regular payroll that begins on a day.
async fn begins(company: &Company, day: &str) -> String {
    let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-08-31").await.list();
    let found = periods.iter().find(|period| period["start_date"] == day).unwrap();
    text(&found["payroll"], "payroll_uuid")
}

/// Goes on until noon of a day.
async fn noon(company: &Company, day: &str) {
    company.world.wait_until(format!("{day}T17:00:00Z").parse().unwrap()).await;
}

async fn hour(company: &Company) {
    company.world.wait(jiff::Span::new().hours(1)).await;
}

async fn terminate(company: &Company, employee: &str, last_day: &str, apart: bool) {
    let body = json!({ "effective_date": last_day, "run_termination_payroll": apart });
    company.post(format!("/v1/employees/{employee}/terminations"), body).await.created();
    company.work().await;
}

async fn rehire(company: &Company, employee: &str, location: &str, day: &str) -> Value {
    let body =
        json!({ "effective_date": day, "file_new_hire_report": false, "work_location_uuid": location });
    let made = company.post(format!("/v1/employees/{employee}/rehire"), body).await.created();
    company.work().await;
    made
}

/// What a payroll, calculated now, warns somebody of under a key.
async fn warned(company: &Company, payroll: &str, who: &str, key: &str) -> Vec<String> {
    company.put(path(payroll, "/prepare"), json!({})).await.ok();
    let told = company.calculate(payroll).await;
    let warnings = of(&told, who)["warnings"].as_array().cloned().unwrap_or_default();
    let own = warnings.into_iter().filter(|warning| warning["key"] == key);
    own.map(|warning| text(&warning, "message")).collect()
}

/// What a payroll tells of people whom it does not pay: names, keys and messages.
async fn of_others(company: &Company, payroll: &str) -> Vec<[String; 3]> {
    let told = company.get(path(payroll, "")).await.ok();
    let warnings = told["warnings_of_others"].as_array().cloned().unwrap_or_default();
    warnings.iter().map(|one| ["employee_name", "key", "message"].map(|key| text(one, key))).collect()
}

/// Gross pay by employee, in the order in which they were entered.
fn gross(payroll: &Value) -> Vec<(String, String)> {
    let all = payroll["employee_compensations"].as_array().unwrap().iter();
    all.map(|one| (text(one, "employee_uuid"), one["gross_pay"].to_string())).collect()
}

/// Pays an amount for some days with a payroll outside the schedule.
async fn correct(company: &Company, employee: &str, (start, end): (&str, &str), amount: &str) {
    let body = json!({ "off_cycle": true, "off_cycle_reason": "Correction", "start_date": start, "end_date": end,
                       "employee_uuids": [employee] });
    let payroll = id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok());
    let owed = json!({ "fixed_compensations": [{ "name": "Correction Payment", "amount": amount }] });
    enter(company, &payroll, employee, owed).await.ok();
    company.calculate(&payroll).await;
    company.submit(&payroll).await;
}

async fn run(company: &Company, payroll: &str) -> Vec<(String, String)> {
    let paid = gross(&company.calculate(payroll).await);
    company.submit(payroll).await;
    hour(company).await;
    paid
}

#[test]
fn days_since_a_rehire_that_is_recorded_after_their_payroll_are_told_until_they_are_paid() {
    on_both_engines(async |engine: Engine| {
        let (company, location, [max, eva], first) = two(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        for employee in [&max, &ana] {
            terminate(&company, employee, "2026-06-03", false).await;
        }
        enter(&company, &first, &ana, hours("24")).await.ok();
        let paid = run(&company, &first).await;
        let expected = [(&max, "428.57"), (&eva, "2000.00"), (&ana, "480.00")];
        assert_eq!(paid, expected.map(|(who, pay)| (who.clone(), pay.to_owned())));
        for employee in [&max, &ana] {
            rehire(&company, employee, &location, "2026-06-10").await;
        }
        // 10 to 14 June are 5 of 14 days of 2,000; what Ana worked then is not known.
        let next = begins(&company, "2026-06-15").await;
        let told = warned(&company, &next, &max, "days_not_paid").await;
        assert!(
            told.len() == 1 && told[0].starts_with("the payroll for 2026-06-01 to 2026-06-14"),
            "{told:?}"
        );
        assert!(told[0].contains("from 2026-06-10 to 2026-06-14: pay the salary of 714.29"), "{told:?}");
        let told = warned(&company, &next, &ana, "days_not_paid").await;
        assert!(told.len() == 1 && told[0].contains("pay the hours worked on them"), "{told:?}");
        assert_eq!(warned(&company, &next, &eva, "days_not_paid").await, [""; 0]);
        assert_eq!(of_others(&company, &next).await, [["", "", ""]; 0], "their own paychecks tell it");
        correct(&company, &max, ("2026-06-10", "2026-06-14"), "714.29").await;
        assert_eq!(warned(&company, &next, &max, "days_not_paid").await, [""; 0]);
        assert_eq!(warned(&company, &next, &ana, "days_not_paid").await.len(), 1, "it is owed still");
    });
}

#[test]
fn days_of_whoever_comes_back_into_a_period_that_is_paid_and_leaves_again_are_told_with_the_name() {
    on_both_engines(async |engine: Engine| {
        let (company, location, [max, eva], first) = two(engine).await;
        run(&company, &first).await;
        terminate(&company, &max, "2026-06-17", false).await;
        let second = begins(&company, "2026-06-15").await;
        let paid = run(&company, &second).await;
        assert_eq!(paid, [(max.clone(), "428.57".to_owned()), (eva.clone(), "2000.00".to_owned())]);
        noon(&company, "2026-06-18").await;
        rehire(&company, &max, &location, "2026-06-22").await;
        let third = begins(&company, "2026-06-29").await;
        let told = warned(&company, &third, &max, "days_not_paid").await;
        assert!(
            told.len() == 1 && told[0].contains("from 2026-06-22 to 2026-06-28: pay the salary of 1000.00"),
            "{told:?}"
        );
        // A payroll of last wages would pay 15 to 17 June again, and is refused; what is missing is told.
        noon(&company, "2026-06-23").await;
        terminate(&company, &max, "2026-06-25", true).await;
        noon(&company, "2026-06-26").await;
        let unprocessed = "/v1/companies/{company}/pay_periods/unprocessed_termination_pay_periods";
        assert_eq!(company.get(unprocessed).await.list(), [] as [Value; 0]);
        let [[name, key, message]] = &of_others(&company, &third).await[..] else { panic!("one warning") };
        assert_eq!((name.as_str(), key.as_str()), ("Max Silva", "days_not_paid"));
        assert!(message.contains("from 2026-06-22 to 2026-06-25: pay the salary of 571.43"), "{message}");
        assert_eq!(gross(&company.calculate(&third).await), [(eva, "2000.00".to_owned())]);
        correct(&company, &max, ("2026-06-22", "2026-06-25"), "571.43").await;
        assert_eq!(of_others(&company, &third).await, [["", "", ""]; 0]);
    });
}

#[test]
fn salary_that_was_paid_for_days_after_the_last_day_of_work_is_told_once() {
    on_both_engines(async |engine: Engine| {
        let (company, _, [max, eva], first) = two(engine).await;
        run(&company, &first).await;
        terminate(&company, &max, "2026-06-05", false).await;
        let second = begins(&company, "2026-06-15").await;
        let [[name, key, message]] = &of_others(&company, &second).await[..] else { panic!("one warning") };
        assert_eq!((name.as_str(), key.as_str()), ("Max Silva", "days_paid_outside_employment"));
        // 6 to 14 June are 9 of 14 days of 2,000.
        assert!(message.contains("a salary of 1285.71 for days from 2026-06-06 to 2026-06-14"), "{message}");
        assert_eq!(run(&company, &second).await, [(eva, "2000.00".to_owned())]);
        let third = begins(&company, "2026-06-29").await;
        assert_eq!(of_others(&company, &third).await, [["", "", ""]; 0], "it was told");
    });
}

#[test]
fn days_worked_before_the_end_of_somebody_whom_their_payroll_left_out_are_told() {
    on_both_engines(async |engine: Engine| {
        let (company, _, [max, eva], first) = two(engine).await;
        for employee in [&max, &eva] {
            enter(&company, &first, employee, json!({ "excluded": true })).await.ok();
        }
        run(&company, &first).await;
        terminate(&company, &max, "2026-06-10", false).await;
        // What Eva is not paid was decided, and her employment goes on.
        terminate(&company, &eva, "2026-07-31", false).await;
        let second = begins(&company, "2026-06-15").await;
        let [[name, key, message]] = &of_others(&company, &second).await[..] else { panic!("one warning") };
        assert_eq!((name.as_str(), key.as_str()), ("Max Silva", "days_not_paid"));
        assert!(message.contains("from 2026-06-01 to 2026-06-10: pay the salary of 1428.57"), "{message}");
        assert_eq!(warned(&company, &second, &eva, "days_not_paid").await, [""; 0]);
        correct(&company, &max, ("2026-06-01", "2026-06-10"), "1428.57").await;
        assert_eq!(of_others(&company, &second).await, [["", "", ""]; 0]);
    });
}

#[test]
fn days_before_a_first_day_of_work_that_is_moved_back_into_paid_days_are_told() {
    on_both_engines(async |engine: Engine| {
        let (company, _, [max, eva], first) = two(engine).await;
        let hired = async |day: &str| {
            let job = company.get(format!("/v1/employees/{eva}/jobs")).await.list().remove(0);
            let hired = json!({ "version": job["version"], "hire_date": day });
            company.put(format!("/v1/jobs/{}", id_of(&job)), hired).await.ok();
        };
        hired("2026-06-10").await;
        let paid = run(&company, &first).await;
        assert_eq!(paid, [(max, "2000.00".to_owned()), (eva.clone(), "714.29".to_owned())]);
        hired("2026-06-08").await;
        let second = begins(&company, "2026-06-15").await;
        let told = warned(&company, &second, &eva, "days_not_paid").await;
        assert!(
            told.len() == 1 && told[0].contains("from 2026-06-08 to 2026-06-09: pay the salary of 285.71"),
            "{told:?}"
        );
        hired("2026-06-12").await;
        assert_eq!(warned(&company, &second, &eva, "days_not_paid").await, [""; 0]);
        let told = warned(&company, &second, &eva, "days_paid_outside_employment").await;
        assert!(
            told.len() == 1 && told[0].contains("a salary of 285.71 for days from 2026-06-10 to 2026-06-11"),
            "{told:?}"
        );
    });
}

#[test]
fn a_rehire_stays_as_it_is_once_a_submitted_payroll_pays_from_its_day_on() {
    on_both_engines(async |engine: Engine| {
        let (company, location, [max, _], first) = two(engine).await;
        run(&company, &first).await;
        terminate(&company, &max, "2026-06-14", false).await;
        let made = rehire(&company, &max, &location, "2026-06-22").await;
        let second = begins(&company, "2026-06-15").await;
        assert_eq!(run(&company, &second).await[0], (max.clone(), "1000.00".to_owned()), "7 days of 14");
        let rehired = format!("/v1/employees/{max}/rehire");
        let mut moved = json!({ "version": made["version"], "effective_date": "2026-06-24", "file_new_hire_report": false,
                                "work_location_uuid": location });
        for refused in [company.put(&rehired, moved.clone()).await, company.delete(&rehired).await] {
            let refused = refused.refused(422);
            assert_eq!(refused.fault(), ("base", "invalid_operation"));
            assert_eq!(refused.only()["metadata"]["entity_uuid"], second.as_str());
        }
        moved["effective_date"] = "2026-06-22".into();
        moved["file_new_hire_report"] = true.into();
        company.put(&rehired, moved).await.ok();
        company.put(path(&second, "/cancel"), json!({})).await.ok();
        company.delete(&rehired).await.is(204);
    });
}

#[test]
fn all_stretches_of_employment_in_one_pay_period_are_paid_once_with_benefits_and_orders_once() {
    on_both_engines(async |engine: Engine| {
        let (company, location, [max, _], first) = two(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        run(&company, &first).await;
        let offered = json!({ "benefit_type": 202, "description": "Gym" });
        let offered = company.post("/v1/companies/{company}/company_benefits", offered).await.created();
        let enrolled = json!({ "company_benefit_uuid": id_of(&offered), "employee_deduction": "50.00",
                               "effective_date": "2026-06-15" });
        company.post(format!("/v1/employees/{max}/employee_benefits"), enrolled).await.created();
        let order = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                            "deduct_as_percentage": true, "recurring": true, "pay_period_maximum": "100.00",
                            "child_support": { "state": "TX", "payment_period": "Every other week", "fips_code": "48000",
                                               "case_number": "0012345678" } });
        company.post(format!("/v1/employees/{max}/garnishments"), order).await.created();
        for (last_day, back) in [("2026-06-16", "2026-06-19"), ("2026-06-22", "2026-06-26")] {
            for employee in [&max, &ana] {
                terminate(&company, employee, last_day, false).await;
            }
            noon(&company, back).await;
            for employee in [&max, &ana] {
                rehire(&company, employee, &location, back).await;
            }
        }
        // 15 and 16, 19 to 22, 26 to 28 June: 9 of 14 days of 2,000.
        let second = begins(&company, "2026-06-15").await;
        enter(&company, &second, &ana, hours("50")).await.ok();
        company.calculate(&second).await;
        let told = company.get(path(&second, "?include=benefits,deductions")).await.ok();
        let one = of(&told, &max);
        assert_eq!(one["gross_pay"].to_string(), "1285.71", "{one}");
        assert_eq!(one["benefits"][0]["employee_deduction"].to_string(), "50.00", "{one}");
        assert_eq!(one["deductions"][0]["amount"].to_string(), "100.00", "{one}");
        assert_eq!(of(&told, &ana)["gross_pay"].to_string(), "1000.00");
        company.submit(&second).await;
        hour(&company).await;
        let third = begins(&company, "2026-06-29").await;
        assert_eq!(warned(&company, &third, &max, "days_not_paid").await, [""; 0], "all of it was paid");
    });
}

/// What is entered for a job, for some time.
fn dated(more: Value) -> Value {
    let mut line = json!({ "name": "Regular Hours", "hours": "8" });
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({ "hourly_compensations": [line] })
}

/// The only violation of what was entered for an employee, by field.
fn nested(refused: &Refusal) -> (String, String) {
    let fault = &refused.only()["errors"][0];
    (text(fault, "error_key"), text(fault, "message"))
}

#[test]
fn hours_of_days_outside_the_employment_and_of_a_job_that_has_not_begun_are_refused_by_field() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let payroll = begins(&company, "2026-06-15").await;
        enter(&company, &payroll, &ana, dated(json!({ "date": "2026-06-24" }))).await.ok();
        terminate(&company, &ana, "2026-06-19", false).await;
        for (line, key) in [
            (json!({ "date": "2026-06-22" }), "date"),
            (json!({ "workweek_start": "2026-06-22" }), "workweek_start"),
        ] {
            let (found, message) = nested(&enter(&company, &payroll, &ana, dated(line)).await.refused(422));
            assert_eq!(found, key);
            assert!(message.ends_with("that this payroll pays: 2026-06-15 to 2026-06-19"), "{message}");
        }
        // What was entered before may be sent back, and is told.
        enter(&company, &payroll, &ana, dated(json!({ "date": "2026-06-24" }))).await.ok();
        enter(&company, &payroll, &ana, dated(json!({ "date": "2026-06-19" }))).await.ok();
        let told = warned(&company, &payroll, &ana, "hours_outside_employment").await;
        assert!(
            told.len() == 1
                && told[0].starts_with("8.000 hours were entered for days from 2026-06-24 to 2026-06-24"),
            "{told:?}"
        );
        // More hours than five days have.
        enter(&company, &payroll, &ana, hours("130")).await.ok();
        let told = warned(&company, &payroll, &ana, "hours_outside_employment").await;
        assert!(told.len() == 1 && told[0].starts_with("hours total 130.000"), "{told:?}");
        // Another job that begins after the payroll.
        let (ida, _) = company.onboarded("Ida", &location, ("20.00", "Hour", "Nonexempt")).await;
        let job = json!({ "title": "Head Baker", "hire_date": "2026-07-06" });
        let job = id_of(&company.post(format!("/v1/employees/{ida}/jobs"), job).await.created());
        let bonus =
            json!({ "fixed_compensations": [{ "name": "Bonus", "amount": "10.00", "job_uuid": job }] });
        for line in [dated(json!({ "job_uuid": job })), bonus] {
            let (found, message) = nested(&enter(&company, &payroll, &ida, line).await.refused(422));
            assert!(found == "job_uuid" && message.contains("2026-07-06"), "{found}: {message}");
        }
    });
}

#[test]
fn what_was_entered_for_somebody_whom_the_payroll_no_longer_pays_is_told_and_last_wages_stay_possible() {
    on_both_engines(async |engine: Engine| {
        let (company, location, first) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (eva, _) = company.onboarded("Eva", &location, ("52000.00", "Year", "Exempt")).await;
        enter(&company, &first, &ana, hours("80")).await.ok();
        run(&company, &first).await;
        let second = begins(&company, "2026-06-15").await;
        let entered = json!({ "hourly_compensations": [{ "name": "Regular Hours", "hours": "12.5" }],
                              "fixed_compensations": [{ "name": "Bonus", "amount": "30.00" }] });
        enter(&company, &second, &ana, entered).await.ok();
        assert_eq!(of_others(&company, &second).await, [["", "", ""]; 0]);
        terminate(&company, &ana, "2026-06-14", false).await;
        let [[name, key, message]] = &of_others(&company, &second).await[..] else { panic!("one warning") };
        assert_eq!((name.as_str(), key.as_str()), ("Ana Silva", "entered_not_paid"));
        assert!(message.starts_with("12.500 hours and 30.00 were entered in this payroll"), "{message}");
        assert_eq!(gross(&company.calculate(&second).await), [(eva, "2000.00".to_owned())]);
        let refused = enter_anyway(&company, &second, &ana).await.refused(422);
        assert_eq!(nested(&refused).0, "employee_uuid");
        // Hours that were forgotten are paid after the end, with a warning where the payroll is for later days.
        let outside = async |start: &str, end: &str| {
            let body = json!({ "off_cycle": true, "off_cycle_reason": "Correction", "start_date": start, "end_date": end,
                               "employee_uuids": [ana] });
            id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok())
        };
        let later = outside("2026-06-15", "2026-06-16").await;
        let (found, message) =
            nested(&enter(&company, &later, &ana, dated(json!({ "date": "2026-06-15" }))).await.refused(422));
        assert!(found == "date" && message.starts_with("omit date"), "{found}: {message}");
        enter(&company, &later, &ana, hours("4")).await.ok();
        assert_eq!(warned(&company, &later, &ana, "hours_outside_employment").await.len(), 1);
        let told = company.get(path(&later, "")).await.ok();
        assert_eq!(of(&told, &ana)["gross_pay"].to_string(), "80.00");
        let earlier = outside("2026-06-12", "2026-06-14").await;
        enter(&company, &earlier, &ana, dated(json!({ "date": "2026-06-12" }))).await.ok();
        assert_eq!(warned(&company, &earlier, &ana, "hours_outside_employment").await, [""; 0]);
    });
}

async fn enter_anyway(company: &Company, payroll: &str, employee: &str) -> Answer {
    let line = json!({ "employee_uuid": employee, "version": "x", "memo": "late" });
    company.put(path(payroll, ""), json!({ "employee_compensations": [line] })).await
}
