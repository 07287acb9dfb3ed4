//! When the last wages are due, and what is said where they are paid later; wages that are paid after a death.

use serde_json::{Value, json};

use super::{calculated, cents, company, line, of, path, read};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

const SALARY: (&str, &str, &str) = ("72800.00", "Year", "Exempt");

/// The regular payroll that begins on a day, with its pay date.
async fn from(company: &Company, start: &str) -> (String, String) {
    let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-08-31").await.list();
    let found = periods.iter().find(|period| period["start_date"] == start).unwrap();
    (text(&found["payroll"], "payroll_uuid"), text(&found["payroll"], "check_date"))
}

/// Ends an employment, and returns the termination.
async fn leaves(company: &Company, employee: &str, last_day: &str, more: Value) -> Value {
    let mut body = more;
    body["effective_date"] = last_day.into();
    company.post(format!("/v1/employees/{employee}/terminations"), body).await.created()
}

/// The messages of warnings with a key.
fn told(of: &Value, key: &str) -> Vec<String> {
    let all = of["warnings"].as_array().unwrap_or_else(|| panic!("no warnings in {of}")).iter();
    all.filter(|warning| warning["key"] == key).map(|warning| text(warning, "message")).collect()
}

fn late(of: &Value) -> Vec<String> {
    told(of, "last_wages_late")
}

#[test]
fn the_regular_payroll_after_a_dismissal_in_california_is_warned_of_with_day_state_and_source() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, _) = company(engine).await;
        let california = id_of(&company.location("CA").await);
        let (cal, _) = company.onboarded("Cal", &california, SALARY).await;
        let (tex, _) = company.onboarded("Tex", &texas, SALARY).await;
        let (first, paid_first) = from(&company, "2026-06-01").await;
        let (last, paid_last) = from(&company, "2026-06-15").await;
        let made = leaves(&company, &cal, "2026-06-16", json!({ "separation": "discharged" })).await;
        // What was earned before is due on the last day, too: the payroll of 1 to 14 June is paid after it.
        let warnings = late(&made);
        assert_eq!(warnings.len(), 2, "{made}");
        for (message, paid) in warnings.iter().zip([&paid_first, &paid_last]) {
            for word in ["2026-06-16", "CA", "Cal. Lab. Code 201", paid] {
                assert!(message.contains(word), "{word}: {message}");
            }
        }
        let read_again = company.get(format!("/v1/terminations/{cal}")).await.ok();
        assert_eq!(late(&read_again), warnings);
        let listed = company.get(format!("/v1/employees/{cal}/terminations")).await.list();
        assert_eq!(late(&listed[0]), warnings);
        // Texas asks for them on the regular payday after a resignation.
        let quits = leaves(&company, &tex, "2026-06-16", json!({ "separation": "quit" })).await;
        assert_eq!(quits["final_wages"]["due_on"], paid_last.as_str());
        assert_eq!(quits["warnings"], json!([]));
        for (payroll, message) in [(&first, &warnings[0]), (&last, &warnings[1])] {
            let payroll = company.calculate(payroll).await;
            assert_eq!(late(of(&payroll, &cal)), std::slice::from_ref(message));
            assert_eq!(late(of(&payroll, &tex)), [""; 0]);
        }
    });
}

#[test]
fn a_payroll_of_last_wages_is_warned_of_where_its_check_date_is_too_late() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let california = id_of(&company.location("CA").await);
        let (cal, _) = company.onboarded("Cal", &california, SALARY).await;
        let apart = json!({ "separation": "discharged", "run_termination_payroll": true });
        let made = leaves(&company, &cal, "2026-06-24", apart).await;
        assert_eq!(made["warnings"], json!([]), "the day can still be met");
        let last = |check_date: &str| {
            json!({ "off_cycle": true, "off_cycle_reason": "Dismissed employee", "start_date": "2026-06-15",
                    "end_date": "2026-06-28", "employee_uuids": [cal], "check_date": check_date })
        };
        let payrolls = "/v1/companies/{company}/payrolls";
        let payroll = id_of(&company.post(payrolls, last("2026-06-24")).await.ok());
        assert_eq!(late(of(&company.calculate(&payroll).await, &cal)), [""; 0]);
        company.delete(path(&payroll, "")).await.deleted();
        let payroll = id_of(&company.post(payrolls, last("2026-06-26")).await.ok());
        let warned = late(of(&company.calculate(&payroll).await, &cal));
        assert_eq!(warned.len(), 1);
        assert!(
            warned[0].contains("due by 2026-06-24") && warned[0].contains("paid on 2026-06-26"),
            "{warned:?}"
        );
        assert_eq!(late(&company.get(format!("/v1/terminations/{cal}")).await.ok()), warned);
    });
}

#[test]
fn a_last_day_too_near_for_a_payment_and_a_reason_that_nobody_gave_are_warned_of() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let colorado = id_of(&company.location("CO").await);
        let (ann, _) = company.onboarded("Ann", &colorado, SALARY).await;
        // Today is 15 June, and a payment takes some banking days.
        let made = leaves(&company, &ann, "2026-06-15", json!({ "run_termination_payroll": true })).await;
        let periods = "/v1/companies/{company}/pay_periods/unprocessed_termination_pay_periods";
        let last = company.get(periods).await.list().remove(0);
        // A bank pays days later; checks can be handed out today.
        assert!(text(&last, "check_date").as_str() > "2026-06-15", "{last}");
        assert_eq!(last["check_date_by_check"], "2026-06-15");
        let checks = json!({ "off_cycle": true, "off_cycle_reason": "Dismissed employee", "is_check_only_payroll": true,
                             "start_date": last["start_date"], "end_date": last["end_date"], "employee_uuids": [ann],
                             "check_date": last["check_date_by_check"] });
        let checks = company.post("/v1/companies/{company}/payrolls", checks).await.ok();
        assert_eq!(checks["check_date"], "2026-06-15");
        company.delete(path(&id_of(&checks), "")).await.deleted();
        let warnings = late(&made);
        assert!(!warnings.is_empty(), "{made}");
        for message in &warnings {
            assert!(
                message.contains("as early as 2026-06-15")
                    && message.contains("the employer enters why the employment ended"),
                "{message}"
            );
        }
        let put = format!("/v1/terminations/{ann}");
        let quit =
            json!({ "version": made["version"], "effective_date": "2026-06-15", "separation": "quit" });
        assert_eq!(late(&company.put(put, quit).await.ok()), [""; 0], "the next payday");
    });
}

#[test]
fn connecticut_and_new_hampshire_pay_a_layoff_on_the_next_payday_and_a_dismissal_before() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let (_, paid) = from(&company, "2026-06-15").await;
        for (state, dismissed) in [("CT", "2026-06-25"), ("NH", "2026-06-27")] {
            let location = id_of(&company.location(state).await);
            let (ann, _) = company.onboarded("Ann", &location, SALARY).await;
            let made = leaves(&company, &ann, "2026-06-24", json!({ "separation": "laid_off" })).await;
            assert_eq!(made["final_wages"]["due_on"], paid.as_str(), "{state}");
            assert_eq!(late(&made), [""; 0], "{state}");
            let put = format!("/v1/terminations/{ann}");
            let discharged = json!({ "version": made["version"], "effective_date": "2026-06-24", "separation": "discharged" });
            let made = company.put(put, discharged).await.ok();
            assert_eq!(made["final_wages"]["due_on"], dismissed, "{state}");
            assert_eq!(late(&made).len(), 1, "{state}");
        }
    });
}

#[test]
fn somebody_hired_and_dismissed_within_a_pay_period_is_warned_of_that_period_alone() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let california = id_of(&company.location("CA").await);
        let (cal, job) = company.onboarded("Cal", &california, SALARY).await;
        let job = company.read("jobs", &id_of(&job)).await;
        let hired = json!({ "version": job["version"], "hire_date": "2026-06-15" });
        company.put(format!("/v1/jobs/{}", id_of(&job)), hired).await.ok();
        let (_, paid) = from(&company, "2026-06-15").await;
        let made = leaves(&company, &cal, "2026-06-16", json!({ "separation": "discharged" })).await;
        let warnings = late(&made);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains(&paid), "{warnings:?}");
    });
}

#[test]
fn wages_paid_after_a_death_bear_social_security_and_no_income_tax_and_support_ends() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let california = id_of(&company.location("CA").await);
        let (cal, _) = company.onboarded("Cal", &california, SALARY).await;
        let support = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                              "deduct_as_percentage": true, "recurring": true, "pay_period_maximum": "100.00",
                              "child_support": { "state": "TX", "payment_period": "Every other week",
                                                 "fips_code": "48000", "case_number": "0012345678" } });
        company.post(format!("/v1/employees/{cal}/garnishments"), support).await.created();
        let plain =
            json!({ "court_ordered": false, "description": "Tools", "amount": "20.00", "recurring": true });
        company.post(format!("/v1/employees/{cal}/garnishments"), plain).await.created();
        let (last, _) = from(&company, "2026-06-15").await;
        let made = leaves(&company, &cal, "2026-06-24", json!({ "separation": "quit" })).await;
        let alive = calculated(&company, &last).await;
        let taxes = |payroll: &Value, name: &str| match &line(&of(payroll, &cal)["taxes"], name)["amount"] {
            Value::Null => 0,
            amount => cents(amount),
        };
        assert!(taxes(&alive, "Federal Income Tax") > 0 && taxes(&alive, "CA Withholding Tax") > 0);

        let put = format!("/v1/terminations/{cal}");
        let died =
            json!({ "version": made["version"], "effective_date": "2026-06-24", "separation": "death" });
        let died = company.put(&put, died).await.ok();
        let warned = told(&died, "employee_died");
        assert!(
            warned.len() == 1 && warned[0].contains("2026-06-24") && warned[0].contains("86-109"),
            "{died}"
        );
        let forgotten = company.get(path(&last, "")).await.ok();
        assert_eq!(forgotten["calculated_at"], Value::Null, "other taxes are due");
        let payroll = calculated(&company, &last).await;
        let paid = of(&payroll, &cal);
        // 15 to 24 June are 10 of 14 days of 2,800.00: 6.2 and 1.45 percent of 2,000.00.
        assert_eq!(paid["gross_pay"].to_string(), "2000.00");
        for (name, amount) in [
            ("Federal Income Tax", 0),
            ("CA Withholding Tax", 0),
            ("Social Security", 12_400),
            ("Medicare", 2_900),
            ("CA SDI", taxes(&alive, "CA SDI")),
        ] {
            assert_eq!(taxes(&payroll, name), amount, "{name}: {paid}");
        }
        assert!(taxes(&payroll, "CA SDI") > 0);
        for key in ["paid_after_death", "support_ended_with_death", "order_taken_after_death"] {
            let warned = told(paid, key);
            assert!(warned.len() == 1 && warned[0].contains("2026-06-24"), "{key}: {}", paid["warnings"]);
        }
        let deductions = read(&company, &last, "deductions").await;
        let taken = of(&deductions, &cal)["deductions"].as_array().unwrap().iter();
        let taken: Vec<_> = taken.filter(|one| cents(&one["amount"]) > 0).collect();
        assert_eq!(taken.len(), 1, "the order for support ended: {taken:?}");
        super::explanation_of(&company, &last, &cal).await;

        let back = json!({ "effective_date": "2026-07-20", "file_new_hire_report": false,
                           "work_location_uuid": california });
        let day = "2026-06-25".parse::<jiff::civil::Date>().unwrap().in_tz("America/Chicago").unwrap();
        company.world.wait_until(day.timestamp()).await;
        company.post(format!("/v1/employees/{cal}/rehire"), back).await.refused(422);
        let notices = company.get("/v1/companies/{company}/child_support_termination_notices").await.list();
        assert_eq!((notices.len(), &notices[0]["separation"]), (1, &json!("death")));
    });
}
