//! Pay schedules, the pay periods that follow from them, and the payrolls that appear with those.

use jiff::ToSpan;
use serde_json::{Value, json};

use crate::support::{Company, Engine, id_of, on_both_engines, text};

fn weekly() -> Value {
    json!({ "frequency": "Every week", "anchor_pay_date": "2026-06-19", "anchor_end_of_pay_period": "2026-06-14" })
}

async fn create(company: &Company, body: Value) -> Value {
    company.post("/v1/companies/{company}/pay_schedules", body).await.created()
}

async fn periods(company: &Company, query: &str) -> Vec<Value> {
    company.get(format!("/v1/companies/{{company}}/pay_periods{query}")).await.list()
}

fn days(periods: &[Value]) -> Vec<(String, String)> {
    periods.iter().map(|period| (text(period, "start_date"), text(period, "end_date"))).collect()
}

#[test]
fn a_schedule_is_told_as_it_was_given_and_its_terms_are_checked_together() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let twice = json!({ "frequency": "Twice per month", "anchor_pay_date": "2026-06-30",
                            "anchor_end_of_pay_period": "2026-06-15", "day_1": 15, "day_2": 31,
                            "custom_name": "Kitchen" });
        let made = create(&company, twice).await;
        assert_eq!(
            (&made["day_1"], &made["day_2"], &made["name"]),
            (&json!(15), &json!(31), &json!("Kitchen"))
        );
        assert_eq!((&made["active"], &made["auto_pilot"]), (&json!(true), &json!(false)));
        let path = format!("/v1/companies/{{company}}/pay_schedules/{}", id_of(&made));
        assert_eq!(company.get(&path).await.ok(), made);
        let newer = company.call("GET", &path).version("2025-11-15").send().await.ok();
        assert_eq!((&newer["auto_payroll"], newer.get("auto_pilot")), (&json!(false), None));

        let none = company.post("/v1/companies/{company}/pay_schedules", json!({})).await.refused(422);
        assert_eq!(none.keys(), ["frequency", "anchor_pay_date", "anchor_end_of_pay_period"]);
        let golden = [
            ("frequency", json!("Daily"), "frequency"),
            ("frequency", json!("Semiannually"), "frequency"),
            ("anchor_pay_date", json!("2026-06-31"), "anchor_pay_date"),
            ("anchor_pay_date", json!("2026-06-01"), "anchor_pay_date"),
            ("anchor_end_of_pay_period", json!(7), "anchor_end_of_pay_period"),
            ("day_1", json!(15), "day_1"),
            ("day_2", json!(300), "day_2"),
            ("custom_name", json!("x".repeat(101)), "custom_name"),
        ];
        for (field, value, key) in golden {
            let mut body = weekly();
            body[field] = value;
            let refused =
                company.post("/v1/companies/{company}/pay_schedules", body.clone()).await.refused(422);
            assert_eq!(refused.keys(), [key], "{body}");
        }
        assert_eq!(company.get("/v1/companies/{company}/pay_schedules").await.list().len(), 1);

        let update = json!({ "version": made["version"], "custom_name": null, "auto_payroll": true });
        let updated = company.put(&path, update.clone()).await.ok();
        assert_eq!((&updated["name"], &updated["auto_pilot"]), (&json!("Twice per month"), &json!(true)));
        assert_eq!(company.put(&path, update).await.refused(409).fault().1, "invalid_resource_version");
    });
}

#[test]
fn a_preview_moves_pay_dates_before_weekends_and_holidays_and_names_them() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let path = "/v1/companies/{company}/pay_schedules/preview?frequency=Every%20week&anchor_pay_date=2026-06-26\
                    &anchor_end_of_pay_period=2026-06-21&end_date=2026-12-31";
        let told = company.get(path).await.ok();
        let periods = told["pay_periods"].as_array().unwrap();
        let first = json!({ "start_date": "2026-06-15", "end_date": "2026-06-21", "check_date": "2026-06-26",
                            "run_payroll_by": "2026-06-24" });
        assert_eq!(periods[0], first);
        let christmas = periods.iter().find(|period| period["end_date"] == "2026-12-20").unwrap();
        assert_eq!(christmas["check_date"], "2026-12-24");
        assert!(told["holidays"].as_array().unwrap().contains(&json!("2026-12-25")));
        let missing = company.get("/v1/companies/{company}/pay_schedules/preview").await.refused(422);
        assert_eq!(missing.keys(), ["frequency", "anchor_pay_date", "anchor_end_of_pay_period"]);
        let far = company.get(path.replace("2026-12-31", "2099-01-01")).await.refused(422);
        assert_eq!(far.keys(), ["end_date"]);
        assert!(company.get("/v1/companies/{company}/pay_schedules").await.list().is_empty());
    });
}

#[test]
fn payrolls_appear_when_their_pay_periods_begin() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let schedule = create(&company, weekly()).await;
        // Of the period that has ended and is not paid yet, and of the one of today, Monday 15 June 2026.
        let made = periods(&company, "").await;
        assert_eq!(
            days(&made),
            [
                ("2026-06-08".to_owned(), "2026-06-14".to_owned()),
                ("2026-06-15".to_owned(), "2026-06-21".to_owned())
            ]
        );
        assert!(made.iter().all(|period| period["payroll"]["payroll_uuid"].is_string()));
        assert_eq!(made[0]["pay_schedule_uuid"], schedule["uuid"]);
        // 19 June is a holiday: paid on the day before, to be submitted two banking days earlier.
        assert_eq!(made[0]["payroll"]["check_date"], "2026-06-18");
        assert_eq!(made[0]["payroll"]["payroll_deadline"], "2026-06-16T23:00:00Z");

        let coming = periods(&company, "?start_date=2026-06-15&end_date=2026-06-30").await;
        assert_eq!(coming.len(), 3);
        // Absent, not null: published clients refuse a list with null.
        assert_eq!(coming[1]["payroll"].get("payroll_uuid"), None);
        let fired = company.world.wait(jiff::Span::new().hours(15 * 24)).await;
        let begun: Vec<_> = fired.iter().map(|fired| (fired.kind, fired.at.to_string())).collect();
        let midnight = |day: &str| ("payroll.created", format!("{day}T05:00:00Z"));
        // Nobody submits them by their deadlines.
        let missed = |day: &str| ("payroll.missed", format!("{day}T23:00:01Z"));
        let expected =
            [missed("2026-06-16"), midnight("2026-06-22"), missed("2026-06-24"), midnight("2026-06-29")];
        assert_eq!(begun, expected);
        let created =
            company.events().await.into_iter().filter(|e| e.event_type == "payroll.created").count();
        assert_eq!(created, 4);
        assert_eq!(periods(&company, "").await.len(), 4);

        let far = company.get("/v1/companies/{company}/pay_periods?end_date=2026-12-31").await.refused(422);
        assert_eq!(far.fault(), ("end_date", "invalid_parameter"));
        assert!(periods(&company, "?payroll_types=transition").await.is_empty());
    });
}

#[test]
fn only_the_first_schedule_of_a_company_makes_payrolls_and_new_terms_make_them_anew() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let first = create(&company, weekly()).await;
        let monthly = json!({ "frequency": "Monthly", "anchor_pay_date": "2026-06-30",
                              "anchor_end_of_pay_period": "2026-06-30" });
        create(&company, monthly).await;
        assert_eq!(periods(&company, "").await.len(), 2);
        let before = periods(&company, "").await;

        let path = format!("/v1/companies/{{company}}/pay_schedules/{}", id_of(&first));
        let update = json!({ "version": first["version"], "frequency": "Every other week" });
        company.put(&path, update).await.ok();
        let after = periods(&company, "").await;
        assert_eq!(
            days(&after),
            [
                ("2026-06-01".to_owned(), "2026-06-14".to_owned()),
                ("2026-06-15".to_owned(), "2026-06-28".to_owned())
            ]
        );
        let payroll = |period: &Value| text(&period["payroll"], "payroll_uuid");
        assert!(before.iter().all(|old| after.iter().all(|new| payroll(old) != payroll(new))));
        let names: Vec<_> = company.events().await.into_iter().map(|event| event.event_type).collect();
        assert_eq!(names.iter().filter(|name| *name == "payroll.deleted").count(), 2);
        let fired = company.world.wait((14 * 24).hours()).await;
        let kinds: Vec<_> = fired.iter().map(|fired| fired.kind).collect();
        assert_eq!(kinds, ["payroll.missed", "payroll.created"], "the old terms make nothing any more");
    });
}

/// The regular payrolls that nobody has submitted, by the first day of their pay periods.
async fn open(company: &Company) -> Vec<(String, String)> {
    let unprocessed = "/v1/companies/{company}/payrolls?processing_statuses=unprocessed&end_date=2026-09-15";
    let listed = company.get(unprocessed).await.list();
    listed.iter().map(|one| (text(&one["pay_period"], "start_date"), text(one, "payroll_uuid"))).collect()
}

#[test]
fn when_the_last_open_payroll_is_submitted_the_next_is_there_but_none_that_ends_more_than_three_months_ahead()
{
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let location = id_of(&company.location("TX").await);
        company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let monthly = json!({ "frequency": "Monthly", "anchor_pay_date": "2026-06-30",
                              "anchor_end_of_pay_period": "2026-06-30" });
        create(&company, monthly).await;
        let days = async || open(&company).await.into_iter().map(|(start, _)| start).collect::<Vec<_>>();
        let run = async |payroll: &str| {
            company.calculate(payroll).await;
            company.submit(payroll).await;
        };
        assert_eq!(days().await, ["2026-06-01"]);
        let june = open(&company).await.remove(0).1;
        run(&june).await;
        assert_eq!(days().await, ["2026-07-01"], "before its pay period begins");
        let july = open(&company).await.remove(0).1;
        run(&july).await;
        assert_eq!(days().await, ["2026-08-01"]);
        // Taken back and submitted once more, while there is another to run.
        let path = format!("/v1/companies/{{company}}/payrolls/{july}/cancel");
        company.put(path, json!({})).await.ok();
        assert_eq!(days().await, ["2026-07-01", "2026-08-01"]);
        run(&july).await;
        assert_eq!(days().await, ["2026-08-01"]);
        // Today is 15 June: September ends more than three months ahead.
        let august = open(&company).await.remove(0).1;
        run(&august).await;
        assert!(days().await.is_empty());
        let bonus = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-15", "end_date": "2026-06-15" });
        let bonus = id_of(&company.post("/v1/companies/{company}/payrolls", bonus).await.ok());
        run(&bonus).await;
        assert!(days().await.is_empty(), "nothing follows from a payroll outside the schedule");
        let made = company.events().await.into_iter().filter(|event| event.event_type == "payroll.created");
        assert_eq!(made.count(), 4);
        let begun: Vec<_> = company.world.wait_until("2026-09-01T12:00:00Z".parse().unwrap()).await;
        let begun: Vec<_> = begun.iter().filter(|fired| fired.kind == "payroll.created").collect();
        assert_eq!(begun.len(), 1);
        assert_eq!(begun[0].at.to_string(), "2026-09-01T05:00:00Z");
        let listed = periods(&company, "?start_date=2026-09-01&end_date=2026-09-30").await;
        assert!(listed[0]["payroll"]["payroll_uuid"].is_string());
    });
}

#[test]
fn a_client_on_the_next_day_already_that_counts_months_over_a_short_one_sees_what_lies_three_months_ahead() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        // The morning of 30 November east of the company, where it is the evening of the 29th.
        company.world.wait_until("2026-11-30T02:00:00Z".parse().unwrap()).await;
        for list in ["pay_periods", "payrolls"] {
            let until = |day: &str| company.get(format!("/v1/companies/{{company}}/{list}?end_date={day}"));
            until("2027-03-02").await.is(200);
            assert_eq!(
                until("2027-03-05").await.refused(422).fault(),
                ("end_date", "invalid_parameter"),
                "{list}"
            );
        }
    });
}
