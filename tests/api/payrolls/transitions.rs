//! Days between two pay schedules, or between old and new terms of one: they are listed, and have a payroll of their own, which is run
//! or skipped.

use jiff::ToSpan;
use serde_json::{Value, json};

use super::{company, enter, explanation_of, hours, number, of, path};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

const PERIODS: &str = "/v1/companies/{company}/pay_periods?end_date=2026-08-31";
const TRANSITION: &str = "Transition from old pay schedule";

fn days(of: &Value) -> (String, String) {
    (text(of, "start_date"), text(of, "end_date"))
}

async fn listed(company: &Company) -> Vec<Value> {
    company.get(format!("{PERIODS}&payroll_types=transition")).await.list()
}

async fn transition(company: &Company) -> Value {
    let [found]: [Value; 1] = listed(company).await.try_into().unwrap();
    assert_eq!(found["payroll"]["payroll_type"], "transition");
    found
}

fn day(start: &str, end: &str) -> (String, String) {
    (start.to_owned(), end.to_owned())
}

/// Gives the company's schedule other terms.
async fn change_terms(company: &Company, frequency: &str, pay_date: &str, end: &str) {
    let [schedule]: [Value; 1] =
        company.get("/v1/companies/{company}/pay_schedules").await.list().try_into().unwrap();
    let terms = json!({ "version": schedule["version"], "frequency": frequency, "anchor_pay_date": pay_date,
                        "anchor_end_of_pay_period": end });
    company.put(format!("/v1/companies/{{company}}/pay_schedules/{}", id_of(&schedule)), terms).await.ok();
}

/// A payroll of somebody's own making for a transition.
fn own(start: &str, end: &str) -> Value {
    json!({ "off_cycle": true, "off_cycle_reason": TRANSITION, "start_date": start, "end_date": end })
}

/// A company paid until 14 June whose terms are weekly from the period on that ends on 10 July, and an employee of it.
async fn changed(engine: Engine) -> (Company, String) {
    let (company, location, payroll) = company(engine).await;
    let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
    enter(&company, &payroll, &ana, hours("80")).await.ok();
    company.calculate(&payroll).await;
    company.submit(&payroll).await;
    assert!(listed(&company).await.is_empty());
    change_terms(&company, "Every week", "2026-07-10", "2026-07-10").await;
    (company, ana)
}

#[test]
fn days_between_old_and_new_terms_are_a_transition_whose_payroll_is_there_and_pays_them() {
    on_both_engines(async |engine: Engine| {
        let (company, ana) = changed(engine).await;
        let regular: Vec<_> = company.get(PERIODS).await.list().iter().map(days).collect();
        assert_eq!(regular[..2], [day("2026-06-01", "2026-06-14"), day("2026-07-04", "2026-07-10")]);
        let between = transition(&company).await;
        assert_eq!(days(&between), day("2026-06-15", "2026-07-03"));
        assert_eq!(between["payroll"]["check_date"], "2026-07-10", "with the first regular payroll after it");
        let payroll = text(&between["payroll"], "payroll_uuid");
        let told = company.get(path(&payroll, "")).await.ok();
        assert_eq!(
            (&told["off_cycle_reason"], &told["pay_period"]["pay_schedule_uuid"]),
            (&json!(TRANSITION), &between["pay_schedule_uuid"])
        );
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        assert_eq!(transition(&company).await["payroll"]["processed"], true);
        let both = company.get(format!("{PERIODS}&payroll_types=regular,transition")).await.list();
        assert_eq!(days(&both[1]), day("2026-06-15", "2026-07-03"), "in the order of their days");

        // What a transition has paid is paid: neither by periods of other terms, nor by another transition.
        change_terms(&company, "Every other week", "2026-07-17", "2026-07-12").await;
        let regular: Vec<_> = company.get(PERIODS).await.list().iter().map(days).collect();
        assert_eq!(regular[..2], [day("2026-06-01", "2026-06-14"), day("2026-07-13", "2026-07-26")]);
        let found = listed(&company).await;
        let found: Vec<_> = found.iter().map(|one| (days(one), &one["payroll"]["processed"])).collect();
        let expected = [
            (day("2026-06-15", "2026-07-03"), &json!(true)),
            (day("2026-07-04", "2026-07-12"), &json!(false)),
        ];
        assert_eq!(found, expected);
    });
}

#[test]
fn a_transition_payroll_of_ones_own_takes_the_place_of_the_one_in_which_nothing_was_entered() {
    on_both_engines(async |engine: Engine| {
        let (company, ana) = changed(engine).await;
        let payrolls = "/v1/companies/{company}/payrolls";
        let made = text(&transition(&company).await["payroll"], "payroll_uuid");
        let payroll = id_of(&company.post(payrolls, own("2026-06-15", "2026-07-03")).await.ok());
        company.get(path(&made, "")).await.is(404);
        assert_eq!(transition(&company).await["payroll"]["payroll_uuid"], json!(payroll));
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        for body in [own("2026-06-15", "2026-07-03"), own("2026-07-03", "2026-07-03")] {
            let refused = company.post(payrolls, body).await.refused(422);
            assert_eq!(refused.keys(), ["start_date"]);
            assert_eq!(refused.0[0]["metadata"]["entity_uuid"], json!(payroll));
        }
        // Other terms bring other days: what was not submitted is made anew, as regular payrolls are.
        change_terms(&company, "Every week", "2026-07-03", "2026-06-28").await;
        company.get(path(&payroll, "")).await.is(404);
        assert_eq!(days(&transition(&company).await), day("2026-06-15", "2026-06-21"));
        change_terms(&company, "Every week", "2026-06-26", "2026-06-21").await;
        assert!(listed(&company).await.is_empty(), "the periods of these terms follow on what was paid");
    });
}

#[test]
fn a_transition_is_a_notification_until_its_payroll_is_submitted_or_deleted() {
    on_both_engines(async |engine: Engine| {
        let (company, ana) = changed(engine).await;
        let notifications = "/v1/companies/{company}/notifications";
        let [told]: [Value; 1] = company.get(notifications).await.list().try_into().unwrap();
        let payroll = text(&transition(&company).await["payroll"], "payroll_uuid");
        assert_eq!(
            (&told["category"], &told["uuid"], &told["due_at"]),
            (&json!("pay_schedule_transition"), &json!(payroll), &json!("2026-07-08T23:00:00.000Z"))
        );
        assert_eq!(
            told["template_variables"],
            json!({ "start_date": "2026-06-15", "end_date": "2026-07-03" })
        );
        let about: Vec<_> =
            told["resources"].as_array().unwrap().iter().map(|one| text(one, "entity_type")).collect();
        assert_eq!(about, ["Payroll", "PaySchedule"]);
        let one = format!("/v1/notifications/{payroll}");
        assert_eq!(company.get(&one).await.ok(), told);
        company.world.company().await.get(&one).await.refused(404);
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        assert!(company.get(notifications).await.list().is_empty());
        assert_eq!(company.get(&one).await.refused(422).fault(), ("base", "invalid_operation"));
        company.put(path(&payroll, "/cancel"), json!({})).await.ok();
        assert_eq!(company.get(notifications).await.list().len(), 1, "taken back, it waits again");
        company.delete(path(&payroll, "")).await.deleted();
        assert!(company.get(notifications).await.list().is_empty());
        company.get(&one).await.refused(404);
        let events = company.events().await.into_iter().filter(|event| event.entity.to_string() == payroll);
        let events: Vec<_> =
            events.map(|event| event.event_type).filter(|name| name.starts_with("notification.")).collect();
        let (created, resolved) =
            ("notification.pay_schedule_transition.created", "notification.pay_schedule_transition.resolved");
        assert_eq!(events, [created, resolved, created, resolved]);
    });
}

#[test]
fn a_transition_that_is_to_pay_nobody_is_skipped() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = changed(engine).await;
        let skip = "/v1/companies/{company}/payrolls/skip";
        let body =
            |end: &str| json!({ "payroll_type": TRANSITION, "start_date": "2026-06-15", "end_date": end });
        assert_eq!(company.post(skip, body("2026-07-02")).await.refused(422).keys(), ["end_date"]);
        // One that was deleted is made for it.
        let made = text(&transition(&company).await["payroll"], "payroll_uuid");
        company.delete(path(&made, "")).await.deleted();
        assert_eq!(transition(&company).await["payroll"].get("payroll_uuid"), None);
        company.post(skip, body("2026-07-03")).await.is(202);
        company.world.wait(2.minutes()).await;
        let told = &transition(&company).await["payroll"];
        assert_eq!(told["processed"], true);
        let payroll = text(told, "payroll_uuid");
        let told = company.get(path(&payroll, "?include=totals")).await.ok();
        assert_eq!(
            (&told["off_cycle_reason"], &told["totals"]["gross_pay"]),
            (&json!(TRANSITION), &json!("0.00"))
        );
        company.post(skip, body("2026-07-03")).await.refused(422);
    });
}

#[test]
fn a_salary_is_paid_in_proportion_to_the_days_between_where_everybody_goes_over() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("36400.00", "Year", "Exempt")).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        // 15 June to 3 July are five of seven days, and two weeks.
        change_terms(&company, "Every week", "2026-07-10", "2026-07-10").await;
        let weekly = text(&transition(&company).await["payroll"], "payroll_uuid");
        let paid = company.calculate(&weekly).await;
        assert_eq!(number(&of(&paid, &max)["gross_pay"]), "1900.00", "700.00 a week");
        let explained = explanation_of(&company, &weekly, &max).await;
        assert!(explained["note"].is_null());
        let explained = explained.to_string();
        for part in ["salary_from_2026-06-15", "salary_from_2026-06-20", "salary_from_2026-06-27"] {
            assert!(explained.contains(part), "{part} {explained}");
        }
        // Another schedule, for everybody: 16 of the 30 days of June are before its first month.
        let months = json!({ "frequency": "Monthly", "anchor_pay_date": "2026-06-30",
                             "anchor_end_of_pay_period": "2026-06-30" });
        let months = company.post("/v1/companies/{company}/pay_schedules", months).await.created();
        let single = json!({ "type": "single", "default_pay_schedule_uuid": id_of(&months) });
        company.post("/v1/companies/{company}/pay_schedules/assign", single).await.is(200);
        let between = transition(&company).await;
        assert_eq!(days(&between), day("2026-06-15", "2026-06-30"));
        let monthly = text(&between["payroll"], "payroll_uuid");
        let paid = company.calculate(&monthly).await;
        assert_eq!(number(&of(&paid, &max)["gross_pay"]), "1617.78", "of 3,033.33 a month");
        explanation_of(&company, &monthly, &max).await;
    });
}

#[test]
fn benefits_are_taken_in_full_for_a_transition_unless_its_payroll_leaves_them_out() {
    on_both_engines(async |engine: Engine| {
        let (company, ana) = changed(engine).await;
        let benefit = json!({ "benefit_type": 1, "description": "Medical Insurance" });
        let benefit = company.post("/v1/companies/{company}/company_benefits", benefit).await.created();
        let enrolled = json!({ "company_benefit_uuid": id_of(&benefit), "employee_deduction": "50.00",
                               "effective_date": "2026-06-15" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), enrolled).await.created();
        let made = text(&transition(&company).await["payroll"], "payroll_uuid");
        enter(&company, &made, &ana, hours("80")).await.ok();
        let taken = async || {
            company.calculate(&made).await;
            let told = company.get(path(&made, "?include=benefits")).await.ok();
            let lines = of(&told, &ana)["benefits"].as_array().cloned().unwrap_or_default();
            let taken = lines.iter().map(|line| number(&line["employee_deduction"])).collect::<Vec<_>>();
            (told["skip_regular_deductions"].clone(), taken)
        };
        assert_eq!(taken().await, (json!(false), vec!["50.00".to_owned()]), "for 19 days as for 14");
        company.put(path(&made, "/prepare"), json!({})).await.ok();
        let without = json!({ "skip_regular_deductions": true, "employee_compensations": [] });
        company.put(path(&made, ""), without).await.ok();
        assert_eq!(taken().await, (json!(true), Vec::new()));
    });
}

#[test]
fn last_days_that_a_transition_has_paid_are_not_paid_by_a_payroll_of_their_own() {
    on_both_engines(async |engine: Engine| {
        let (company, ana) = changed(engine).await;
        let payroll = text(&transition(&company).await["payroll"], "payroll_uuid");
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let leaves = json!({ "effective_date": "2026-06-20", "run_termination_payroll": true });
        company.post(format!("/v1/employees/{ana}/terminations"), leaves).await.created();
        let waiting = "/v1/companies/{company}/pay_periods/unprocessed_termination_pay_periods";
        assert_eq!(company.get(waiting).await.list(), [Value::Null; 0]);
    });
}

#[test]
fn a_transition_is_refused_for_days_that_a_regular_payroll_pays_or_will_pay() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let payrolls = "/v1/companies/{company}/payrolls";
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let before = company.get(payrolls).await.list().len();
        for (start, end, paid) in [
            ("2026-06-01", "2026-06-14", "2026-06-01 to 2026-06-14"),
            ("2026-06-14", "2026-06-15", "2026-06-01 to 2026-06-28"),
            // No payroll is there yet of a pay period that has not begun.
            ("2026-08-01", "2026-08-01", "2026-07-27 to 2026-08-09"),
        ] {
            let refused = company.post(payrolls, own(start, end)).await.refused(422);
            assert_eq!(refused.fault(), ("start_date", "invalid_attribute_value"));
            assert!(text(refused.only(), "message").contains(paid), "{refused:?}");
        }
        let refused = company.post(payrolls, own("2026-06-01", "2026-06-14")).await.refused(422);
        assert_eq!(refused.only()["metadata"]["entities"][0]["entity_uuid"], json!(payroll));
        assert_eq!(company.get(payrolls).await.list().len(), before, "nothing was made");
        // Days before the first pay period are paid by no regular payroll.
        let first = company.post(payrolls, own("2026-05-25", "2026-05-31")).await.ok();
        assert_eq!(first["off_cycle_reason"], TRANSITION);
    });
}

#[test]
fn days_between_old_and_new_terms_cannot_be_widened_into_a_regular_pay_period() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = changed(engine).await;
        let made = text(&transition(&company).await["payroll"], "payroll_uuid");
        let payrolls = "/v1/companies/{company}/payrolls";
        let wider = company.post(payrolls, own("2026-06-15", "2026-07-04")).await.refused(422);
        assert!(text(wider.only(), "message").contains("2026-07-04 to 2026-07-10"), "{wider:?}");
        // The payroll that would have made way is still there.
        company.get(path(&made, "")).await.ok();
    });
}

#[test]
fn a_transition_pays_the_holidays_of_its_days() {
    on_both_engines(async |engine: Engine| {
        let (company, ana) = changed(engine).await;
        let policy = "/v1/companies/{company}/holiday_pay_policy";
        let chosen = json!({ "federal_holidays": { "juneteenth": { "selected": true } } });
        let version = company.post(policy, chosen).await.ok()["version"].clone();
        let whom = json!({ "version": version, "employees": [{ "uuid": ana }] });
        company.put(format!("{policy}/add"), whom).await.ok();
        let payroll = text(&transition(&company).await["payroll"], "payroll_uuid");
        // 19 June lies between 15 June and 3 July, and 8 hours at 20.00 are paid for it.
        let told = company.calculate(&payroll).await;
        assert_eq!(number(&of(&told, &ana)["gross_pay"]), "160.00");
    });
}

/// Max, who leaves on 24 June and is paid apart, and the only pay period that the company is to pay last wages for.
async fn leaves_apart(company: &Company, max: &str) -> Value {
    let leaves = json!({ "effective_date": "2026-06-24", "run_termination_payroll": true });
    company.post(format!("/v1/employees/{max}/terminations"), leaves).await.created();
    let waiting = "/v1/companies/{company}/pay_periods/unprocessed_termination_pay_periods";
    let [found]: [Value; 1] = company.get(waiting).await.list().try_into().unwrap();
    found
}

/// A payroll of the last wages of Max for some days.
fn last_wages(max: &str, (start, end): (&str, &str)) -> Value {
    json!({ "off_cycle": true, "off_cycle_reason": "Dismissed employee", "start_date": start, "end_date": end,
            "employee_uuids": [max] })
}

#[test]
fn last_wages_within_a_transition_pay_its_days_before_the_last_week_too() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("36400.00", "Year", "Exempt")).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        change_terms(&company, "Every week", "2026-07-10", "2026-07-10").await;
        assert_eq!(days(&leaves_apart(&company, &max).await), day("2026-06-15", "2026-07-03"));
        let payrolls = "/v1/companies/{company}/payrolls";
        let week = company.post(payrolls, last_wages(&max, ("2026-06-20", "2026-06-26"))).await.refused(422);
        assert_eq!(week.keys(), ["start_date", "end_date"]);
        let last = last_wages(&max, ("2026-06-15", "2026-07-03"));
        let last = id_of(&company.post(payrolls, last).await.ok());
        let paid = company.calculate(&last).await;
        // 700.00 a week: five of the seven days until 19 June, and five of those of the week until 26 June.
        assert_eq!(number(&of(&paid, &max)["gross_pay"]), "1000.00");
        explanation_of(&company, &last, &max).await;
        company.submit(&last).await;
        let between = text(&transition(&company).await["payroll"], "payroll_uuid");
        let of_others = company.get(path(&between, "")).await.ok();
        assert_eq!(of_others["employee_compensations"].as_array().map_or(0, Vec::len), 0, "paid apart");
    });
}

#[test]
fn last_wages_within_a_transition_do_not_pay_days_that_the_old_schedule_has_paid() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("36400.00", "Year", "Exempt")).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        change_terms(&company, "Monthly", "2026-07-31", "2026-07-31").await;
        assert_eq!(days(&transition(&company).await), day("2026-06-15", "2026-06-30"));
        assert_eq!(days(&leaves_apart(&company, &max).await), day("2026-06-15", "2026-06-30"));
        let payrolls = "/v1/companies/{company}/payrolls";
        let month = company.post(payrolls, last_wages(&max, ("2026-06-01", "2026-06-30"))).await.refused(422);
        assert_eq!(month.keys(), ["start_date"]);
        let last = last_wages(&max, ("2026-06-15", "2026-06-30"));
        let last = id_of(&company.post(payrolls, last).await.ok());
        // 10 of the 30 days of June of 3,033.33; the 14 days before were paid every other week.
        let paid = company.calculate(&last).await;
        assert_eq!(number(&of(&paid, &max)["gross_pay"]), "1011.11");
        explanation_of(&company, &last, &max).await;
    });
}

#[test]
fn support_and_income_tax_of_a_transition_are_those_of_its_weeks() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let order = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50", "deduct_as_percentage": true,
                            "pay_period_maximum": "500.00",
                            "child_support": { "state": "AL", "payment_period": "Monthly", "fips_code": "01000", "case_number": "AL-77" } });
        company.post(format!("/v1/employees/{max}/garnishments"), order).await.created();
        change_terms(&company, "Every week", "2026-07-10", "2026-07-10").await;
        let between = text(&transition(&company).await["payroll"], "payroll_uuid");
        company.calculate(&between).await;
        let told = company.get(path(&between, "?include=taxes,deductions,totals")).await.ok();
        let one = of(&told, &max);
        // 15 June to 3 July are 19/7 weeks: of 1,000.00 a week 2,714.29, of 500.00 x 12 / 52 of support 313.19, and of 78.08 of tax 211.93.
        assert_eq!(number(&one["gross_pay"]), "2714.29");
        assert_eq!(told["totals"]["child_support_debit"], "0.00", "the employer remits what is off-cycle");
        let taken: Vec<_> =
            one["deductions"].as_array().unwrap().iter().map(|line| number(&line["amount"])).collect();
        assert_eq!(taken, ["313.19"]);
        let taxes = one["taxes"].as_array().unwrap().iter();
        let income: Vec<_> = taxes
            .filter(|tax| tax["name"] == "Federal Income Tax")
            .map(|tax| number(&tax["amount"]))
            .collect();
        assert_eq!(income, ["211.93"]);
        explanation_of(&company, &between, &max).await;
    });
}
