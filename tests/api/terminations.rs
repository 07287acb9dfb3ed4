//! Ends of employment: recorded, moved, cancelled and in effect, and what follows for payrolls, links and lists.

use jiff::civil::Date;
use serde_json::{Value, json};

use crate::support::{Answer, Company, Engine, id_of, on_both_engines, text};

/// A company in Texas that pays every other week: 1 to 14 June 2026, 15 to 28 June, and so on.
pub async fn company(engine: Engine) -> (Company, String) {
    let company = engine.own_world().await.company().await;
    let location = id_of(&company.location("TX").await);
    let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-19",
                           "anchor_end_of_pay_period": "2026-06-14" });
    company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
    (company, location)
}

/// The regular payroll that begins on a day.
pub async fn payroll_from(company: &Company, start: &str) -> String {
    let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-08-31").await.list();
    let found = periods.iter().find(|period| period["start_date"] == start).unwrap();
    text(&found["payroll"], "payroll_uuid")
}

pub async fn terminate(company: &Company, employee: &str, last_day: &str, apart: bool) -> Answer {
    let body = json!({ "effective_date": last_day, "run_termination_payroll": apart });
    company.post(format!("/v1/employees/{employee}/terminations"), body).await
}

/// Goes on until the morning of a day.
pub async fn wait_until(company: &Company, day: &str) {
    let day: Date = day.parse().unwrap();
    let morning = day.at(9, 0, 0, 0).in_tz("America/Chicago").unwrap();
    company.world.wait_until(morning.timestamp()).await;
}

/// Whom a payroll has, with their gross pay once it is calculated.
pub fn paid(payroll: &Value) -> Vec<(String, String)> {
    let all = payroll["employee_compensations"].as_array().unwrap().iter();
    all.map(|one| (text(one, "employee_uuid"), one["gross_pay"].to_string())).collect()
}

async fn names(company: &Company, query: &str) -> Vec<String> {
    let list = company.get(format!("/v1/companies/{{company}}/employees?{query}")).await.list();
    list.iter().map(|employee| text(employee, "first_name")).collect()
}

pub async fn told(company: &Company) -> Vec<String> {
    let events = company.events().await.into_iter();
    events
        .map(|event| event.event_type)
        .filter(|name| name.starts_with("employee.") && name.contains("terminat"))
        .collect()
}

#[test]
fn somebody_leaves_on_the_day_after_the_last_day_of_work_and_is_paid_for_the_days_worked() {
    on_both_engines(async |engine: Engine| {
        let (company, location) = company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let (eva, _) = company.onboarded("Eva", &location, ("52000.00", "Year", "Exempt")).await;
        let made = terminate(&company, &max, "2026-06-20", false).await.created();
        assert_eq!(
            (&made["active"], &made["cancelable"], &made["employee_uuid"], &made["run_termination_payroll"]),
            (&json!(false), &json!(true), &json!(max), &json!(false))
        );
        assert_eq!(company.get(format!("/v1/terminations/{max}")).await.ok(), made);
        assert_eq!(company.get(format!("/v1/terminations/{}", id_of(&made))).await.ok(), made);
        let employee = company.read("employees", &max).await;
        assert_eq!(
            (&employee["terminated"], &employee["terminations"][0]["uuid"]),
            (&json!(false), &made["uuid"])
        );
        for (query, found) in [
            ("terminated=true", vec!["Max"]),
            ("terminated_today=true", vec![]),
            ("onboarded_active=true", vec!["Max", "Eva"]),
        ] {
            assert_eq!(names(&company, query).await, found, "{query}");
        }
        // The last day of work is a day of employment, and too late to take the termination back.
        wait_until(&company, "2026-06-20").await;
        let last_day = company.get(format!("/v1/terminations/{max}")).await.ok();
        assert_eq!((&last_day["active"], &last_day["cancelable"]), (&json!(false), &json!(false)));
        let late = company.delete(format!("/v1/employees/{max}/terminations")).await.refused(422);
        assert_eq!(late.fault(), ("base", "invalid_operation"));
        assert_eq!(told(&company).await, ["employee.terminated"]);

        wait_until(&company, "2026-06-21").await;
        let employee = company.read("employees", &max).await;
        assert_eq!((&employee["terminated"], &employee["onboarded"]), (&json!(true), &json!(true)));
        assert_eq!(employee["terminations"][0]["active"], true);
        assert_eq!(told(&company).await, ["employee.terminated", "employee.terminated_effective"]);
        for (query, found) in [
            ("terminated=true", vec!["Max"]),
            ("terminated_today=true", vec!["Max"]),
            ("onboarded_active=true", vec!["Eva"]),
            ("onboarded_active=false", vec!["Max"]),
            ("onboarded=true", vec!["Max", "Eva"]),
        ] {
            assert_eq!(names(&company, query).await, found, "{query}");
            let named = format!("{query}&uuids={max},{eva}");
            assert_eq!(names(&company, &named).await, found, "{named}");
        }
        // What has taken effect stays; the employee can come back instead.
        let version = &employee["terminations"][0]["version"];
        let moved = json!({ "version": version, "effective_date": "2026-06-25" });
        let refused = company.put(format!("/v1/terminations/{max}"), moved).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));

        // 52,000 / 26 = 2,000 for 14 days; 15 to 20 June are 6 of them: 857.142857.
        let last = payroll_from(&company, "2026-06-15").await;
        let pay = paid(&company.calculate(&last).await);
        assert_eq!(pay, [(max.clone(), "857.14".into()), (eva.clone(), "2000.00".into())]);
        company.submit(&last).await;
        wait_until(&company, "2026-06-29").await;
        let next = payroll_from(&company, "2026-06-29").await;
        assert_eq!(paid(&company.calculate(&next).await), [(eva.clone(), "2000.00".into())]);
        assert_eq!(names(&company, &format!("payroll_uuid={next}")).await, ["Eva"]);
        assert_eq!(names(&company, &format!("payroll_uuid={last}")).await, ["Max", "Eva"]);
        // A bonus after the end is still possible for whoever is named, and brings no salary.
        let bonus = company.off_cycle(&[&max]).await;
        assert_eq!(paid(&company.calculate(&bonus).await), [(max, "0.00".into())]);
    });
}

#[test]
fn a_termination_can_be_moved_and_cancelled_before_its_day_and_another_one_made() {
    on_both_engines(async |engine: Engine| {
        let (company, location) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let path = format!("/v1/employees/{ana}/terminations");
        assert_eq!(company.get(&path).await.list(), [json!(null); 0]);
        company.get(format!("/v1/terminations/{ana}")).await.is(404);
        company.delete(&path).await.is(404);
        for (body, key) in [
            (json!({}), "effective_date"),
            (json!({ "effective_date": "soon" }), "effective_date"),
            (json!({ "effective_date": "2026-02-28" }), "effective_date"),
            (
                json!({ "effective_date": "2026-07-31", "run_termination_payroll": 3 }),
                "run_termination_payroll",
            ),
        ] {
            let refused = company.post(&path, body).await.refused(422);
            assert_eq!(refused.fault(), (key, "invalid_attribute_value"));
        }
        let made = terminate(&company, &ana, "2026-07-31", true).await.created();
        assert_eq!(made["cancelable"], false, "a payroll of its own was asked for");
        let again = terminate(&company, &ana, "2026-08-31", false).await.refused(422);
        assert_eq!(again.fault(), ("base", "invalid_operation"));
        company.delete(&path).await.refused(422);
        let put = format!("/v1/terminations/{ana}");
        let stale = json!({ "version": "0", "effective_date": "2026-07-30" });
        company.put(&put, stale).await.refused(409);
        let missing = json!({ "version": made["version"] });
        assert_eq!(company.put(&put, missing).await.refused(422).fault().0, "effective_date");
        let moved = json!({ "version": made["version"], "effective_date": "2026-06-30", "run_termination_payroll": false });
        let moved = company.put(&put, moved).await.ok();
        assert_eq!((&moved["effective_date"], &moved["cancelable"]), (&json!("2026-06-30"), &json!(true)));
        assert_ne!(moved["version"], made["version"]);
        let same = json!({ "version": moved["version"], "effective_date": "2026-06-30" });
        assert_eq!(company.put(&put, same).await.ok(), moved, "nothing changes, and so does the version");
        company.delete(&path).await.is(204);
        assert_eq!(company.get(&path).await.list().len(), 0);
        assert_eq!(told(&company).await, ["employee.terminated", "employee.termination_cancelled"]);
        // Nothing happens on the day of a cancelled termination.
        wait_until(&company, "2026-07-02").await;
        assert_eq!(company.read("employees", &ana).await["terminated"], false);
        assert_eq!(told(&company).await.len(), 2);
        // A day in the past is in effect at once.
        let past = terminate(&company, &ana, "2026-07-01", false).await.created();
        assert_eq!(past["active"], true);
        company.work().await;
        assert_eq!(told(&company).await[2..], ["employee.terminated", "employee.terminated_effective"]);
    });
}

#[test]
fn last_wages_are_paid_by_a_payroll_of_their_own_where_that_is_asked_for() {
    on_both_engines(async |engine: Engine| {
        let (company, location) = company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let (eva, _) = company.onboarded("Eva", &location, ("52000.00", "Year", "Exempt")).await;
        let periods = "/v1/companies/{company}/pay_periods/unprocessed_termination_pay_periods";
        assert_eq!(company.get(periods).await.list().len(), 0);
        let made = terminate(&company, &max, "2026-06-17", true).await.created();
        let last = company.get(periods).await.list();
        assert_eq!(last.len(), 1);
        let notice = async || {
            let all = company.get("/v1/companies/{company}/notifications").await.list();
            all.into_iter().find(|one| one["category"] == "employees_termination_payroll")
        };
        let told = async |which: &str| {
            let event = format!("notification.employees_termination_payroll.{which}");
            company.get(format!("/v1/events?event_type={event}")).await.list().len()
        };
        let one = notice().await.unwrap();
        assert_eq!(one["resources"][0]["entity_uuid"], max);
        assert_eq!(company.get(format!("/v1/notifications/{}", id_of(&one))).await.ok(), one);
        assert_eq!((told("created").await, told("resolved").await), (1, 0));
        let of = |key: &str| text(&last[0], key);
        assert_eq!((of("start_date"), of("end_date")), ("2026-06-15".into(), "2026-06-28".into()));
        assert_eq!((of("employee_uuid"), of("employee_name")), (max.clone(), "Max Silva".into()));
        // The regular payroll of these days is without him.
        let regular = payroll_from(&company, "2026-06-15").await;
        assert_eq!(paid(&company.calculate(&regular).await), [(eva.clone(), "2000.00".into())]);

        let body = |start: &str, who: Value| {
            json!({ "off_cycle": true, "off_cycle_reason": "Dismissed employee", "start_date": start,
                    "end_date": of("end_date"), "check_date": of("check_date"), "employee_uuids": who })
        };
        let path = "/v1/companies/{company}/payrolls";
        for (body, key) in [
            (body("2026-06-15", json!([max, eva])), "employee_uuids"),
            (body("2026-06-15", json!([eva])), "employee_uuids"),
            (body("2026-06-16", json!([max])), "start_date"),
        ] {
            assert_eq!(company.post(path, body).await.refused(422).fault().0, key);
        }
        // Without a pay date of its own it has the one of the list.
        let mut undated = body("2026-06-15", json!([max]));
        undated.as_object_mut().unwrap().remove("check_date");
        let undated = company.post(path, undated).await.ok();
        assert_eq!(text(&undated, "check_date"), of("check_date"));
        company.delete(format!("{path}/{}", id_of(&undated))).await.deleted();
        let payroll = company.post(path, body("2026-06-15", json!([max]))).await.ok();
        assert_eq!(payroll["final_termination_payroll"], true);
        let payroll = id_of(&payroll);
        let twice = company.post(path, body("2026-06-15", json!([max]))).await.refused(422);
        assert_eq!(twice.fault(), ("employee_uuids", "invalid_attribute_value"));
        // With a payroll made for it, the termination stays as it is.
        let moved = json!({ "version": made["version"], "effective_date": "2026-06-18" });
        let refused = company.put(format!("/v1/terminations/{max}"), moved).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        // 15 to 17 June: 3 days of 14 of 2,000.
        assert_eq!(paid(&company.calculate(&payroll).await), [(max.clone(), "428.57".into())]);
        assert_eq!(company.get(periods).await.list().len(), 1, "not run yet");
        assert!(notice().await.is_some(), "not run yet");
        company.submit(&payroll).await;
        assert_eq!(company.get(periods).await.list().len(), 0);
        assert!(notice().await.is_none());
        assert_eq!((told("created").await, told("resolved").await), (1, 1));
        company.get(format!("/v1/notifications/{}", id_of(&one))).await.refused(422);
        assert_eq!(paid(&company.calculate(&regular).await), [(eva, "2000.00".into())]);
    });
}

#[test]
fn last_wages_that_are_not_to_be_paid_are_skipped_for_those_who_are_named() {
    on_both_engines(async |engine: Engine| {
        let (company, location) = company(engine).await;
        let mut who = Vec::new();
        for name in ["Max", "Eva", "Ida"] {
            let (one, _) = company.onboarded(name, &location, ("52000.00", "Year", "Exempt")).await;
            terminate(&company, &one, "2026-06-17", true).await.created();
            who.push(one);
        }
        let [max, eva, ida] = [0, 1, 2].map(|place| who[place].clone());
        let periods = "/v1/companies/{company}/pay_periods/unprocessed_termination_pay_periods";
        let last = company.get(periods).await.list();
        let skip = "/v1/companies/{company}/payrolls/skip";
        let body = |employees: Value| {
            json!({ "payroll_type": "Dismissed employee", "end_date": "2026-06-28",
                    "pay_schedule_uuid": last[0]["pay_schedule_uuid"], "employee_uuids": employees })
        };
        let bare = json!({ "payroll_type": "Dismissed employee" });
        let newer = company.call("POST", skip).version("2025-11-15").json(&bare).send().await.refused(422);
        assert_eq!(newer.keys(), ["end_date", "pay_schedule_uuid"]);
        let stranger = id_of(&company.employee("Ben").await);
        let refused = company.post(skip, body(json!([max, stranger]))).await.refused(422);
        assert_eq!(refused.keys(), ["employee_uuids"]);
        let mut other = body(Value::Null);
        other["end_date"] = "2026-06-27".into();
        assert_eq!(company.post(skip, other).await.refused(422).keys(), ["end_date"]);
        assert_eq!(company.get(periods).await.list(), last, "nothing was skipped");

        // One that was made already is the one that is skipped.
        let made = json!({ "off_cycle": true, "off_cycle_reason": "Dismissed employee", "start_date": "2026-06-15",
                           "end_date": "2026-06-28", "employee_uuids": [max] });
        let made = id_of(&company.post("/v1/companies/{company}/payrolls", made).await.ok());
        company.post(skip, body(json!([max]))).await.is(202);
        company.world.wait(jiff::Span::new().minutes(2)).await;
        let told =
            company.get(format!("/v1/companies/{{company}}/payrolls/{made}?include=totals")).await.ok();
        assert_eq!((&told["processed"], &told["totals"]["gross_pay"]), (&json!(true), &json!("0.00")));
        let waiting: Vec<_> =
            company.get(periods).await.list().iter().map(|one| text(one, "employee_uuid")).collect();
        assert_eq!(waiting, [eva, ida]);

        // Older clients name nobody, and no day: everybody whose last pay period is that of today.
        company.post(skip, bare).await.is(202);
        company.world.wait(jiff::Span::new().minutes(2)).await;
        assert!(company.get(periods).await.list().is_empty());
        let processed = "/v1/companies/{company}/payrolls?payroll_types=off_cycle&end_date=2026-07-31";
        let processed = company.get(processed).await.list();
        assert_eq!(processed.len(), 3);
        assert!(processed.iter().all(|one| one["off_cycle_reason"] == "Dismissed employee"));
        assert_eq!(company.post(skip, body(Value::Null)).await.refused(422).keys(), ["end_date"]);
    });
}

#[test]
fn a_processed_payroll_keeps_whom_it_paid_when_a_termination_in_the_past_follows() {
    on_both_engines(async |engine: Engine| {
        let (company, location) = company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let first = payroll_from(&company, "2026-06-01").await;
        company.calculate(&first).await;
        company.submit(&first).await;
        terminate(&company, &max, "2026-05-20", false).await.created();
        let told = company.get(format!("/v1/companies/{{company}}/payrolls/{first}")).await.ok();
        assert_eq!(paid(&told), [(max.clone(), "2000.00".into())]);
        assert_eq!(names(&company, &format!("payroll_uuid={first}")).await, ["Max"]);
        let second = payroll_from(&company, "2026-06-15").await;
        let told = company.get(format!("/v1/companies/{{company}}/payrolls/{second}")).await.ok();
        assert_eq!(paid(&told), []);
    });
}

#[test]
fn benefits_that_are_left_open_and_garnishments_are_taken_from_the_last_pay_and_none_after() {
    on_both_engines(async |engine: Engine| {
        let (company, location) = company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let offered = json!({ "benefit_type": 202, "description": "Gym" });
        let offered = company.post("/v1/companies/{company}/company_benefits", offered).await.created();
        let enrolled = json!({ "company_benefit_uuid": id_of(&offered), "employee_deduction": "50.00",
                               "effective_date": "2026-06-01" });
        company.post(format!("/v1/employees/{max}/employee_benefits"), enrolled).await.created();
        let order = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                            "deduct_as_percentage": true, "recurring": true, "pay_period_maximum": "100.00",
                            "child_support": { "state": "TX", "payment_period": "Every other week", "fips_code": "48000",
                                               "case_number": "0012345678" } });
        company.post(format!("/v1/employees/{max}/garnishments"), order).await.created();
        terminate(&company, &max, "2026-06-20", false).await.created();
        wait_until(&company, "2026-06-22").await;
        let due = "employee.child_support_termination_notice_due".to_owned();
        assert!(told(&company).await.contains(&due), "the agency of the order is to be told");
        let last = payroll_from(&company, "2026-06-15").await;
        company.calculate(&last).await;
        let include = "?include=benefits,deductions";
        let told = company.get(format!("/v1/companies/{{company}}/payrolls/{last}{include}")).await.ok();
        let one = &told["employee_compensations"][0];
        assert_eq!(one["benefits"][0]["employee_deduction"].to_string(), "50.00", "{one}");
        assert_eq!(one["deductions"][0]["amount"].to_string(), "100.00", "{one}");
        company.submit(&last).await;
        // The payment after the end says so to the agency's bank, and the notice what else the agency is told.
        let paid_to =
            company.get("/v1/companies/{company}/child_support_remittances?end_date=2026-12-31").await.list();
        assert_eq!(paid_to.len(), 1);
        let addendum = text(&paid_to[0], "addendum");
        assert!(
            addendum.ends_with(r"*Y\"),
            "its last element says that the employment has ended: {addendum}"
        );
        let notices = company.get("/v1/companies/{company}/child_support_termination_notices").await.list();
        assert_eq!(notices.len(), 1);
        let notice = |key: &str| text(&notices[0], key);
        assert_eq!((notice("employee_uuid"), notice("termination_date")), (max.clone(), "2026-06-20".into()));
        assert_eq!(
            (notice("case_number"), notice("final_payment_amount")),
            ("0012345678".into(), "100.00".into())
        );
        assert!(notice("last_known_address").len() > 10, "{}", notices[0]);
        assert_eq!(notices[0]["new_employer"], Value::Null);
        let told = company.get(format!("/v1/terminations/{max}")).await.ok();
        let known = json!({ "version": told["version"], "effective_date": told["effective_date"], "new_employer": "Lakeside Grill LLC" });
        company.put(format!("/v1/terminations/{max}"), known).await.ok();
        let notices = company.get("/v1/companies/{company}/child_support_termination_notices").await.list();
        assert_eq!(notices[0]["new_employer"], "Lakeside Grill LLC");
        wait_until(&company, "2026-06-29").await;
        let next = payroll_from(&company, "2026-06-29").await;
        let told = company.get(format!("/v1/companies/{{company}}/payrolls/{next}")).await.ok();
        assert_eq!(paid(&told), []);
        // What was elected and ordered stands as it was.
        let held = company.get(format!("/v1/employees/{max}/employee_benefits")).await.list();
        assert_eq!(held[0]["expiration_date"], json!(null));
    });
}

#[test]
fn links_to_hosted_pages_end_with_the_employment() {
    on_both_engines(async |engine: Engine| {
        let (company, location) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        terminate(&company, &ana, "2026-06-15", false).await.created();
        let midnight = "2026-06-16".parse::<Date>().unwrap().in_tz("America/Chicago").unwrap().timestamp();
        company.world.wait_until(midnight - jiff::Span::new().minutes(10)).await;
        let link = company.link(&ana).await;
        let cookie = company.world.call("GET", &link).send().await;
        assert!(cookie.header("set-cookie").contains("="), "the link opens on the last day");
        company.world.wait_until(midnight + jiff::Span::new().minutes(1)).await;
        let page = company.world.call("GET", &link).send().await.text();
        assert!(page.contains("expired") || page.contains("Expired"), "{page}");
        let body = json!({ "flow_type": "deductions", "entity_type": "Employee", "entity_uuid": ana });
        let refused = company.post("/v1/companies/{company}/flows", body).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
    });
}

#[test]
fn the_day_until_which_the_state_asks_for_the_last_wages_is_shown_with_its_source() {
    on_both_engines(async |engine: Engine| {
        let (company, texas) = company(engine).await;
        let california = id_of(&company.location("CA").await);
        let (cal, _) = company.onboarded("Cal", &california, ("72800.00", "Year", "Exempt")).await;
        let (tex, _) = company.onboarded("Tex", &texas, ("52000.00", "Year", "Exempt")).await;
        let path = |who: &str| format!("/v1/employees/{who}/terminations");
        let wrong = json!({ "effective_date": "2026-06-24", "separation": "vanished" });
        assert_eq!(company.post(path(&cal), wrong).await.refused(422).fault().0, "separation");
        let quits =
            json!({ "effective_date": "2026-06-24", "separation": "quit", "run_termination_payroll": true });
        let quits = company.post(path(&cal), quits).await.created();
        let due = &quits["final_wages"];
        assert_eq!((&due["state"], &due["due_on"]), (&json!("CA"), &json!("2026-06-27")), "72 hours");
        assert_eq!(due["unused_vacation"], "required");
        assert!(text(due, "source").contains("227.3") && text(due, "confidence") == "secondary");
        let put = format!("/v1/terminations/{cal}");
        let dismissed = json!({ "version": quits["version"], "effective_date": "2026-06-24", "separation": "discharged" });
        let dismissed = company.put(&put, dismissed).await.ok();
        assert_eq!(dismissed["final_wages"]["due_on"], "2026-06-24", "at once");
        // Paid by then where that is still possible.
        let periods = "/v1/companies/{company}/pay_periods/unprocessed_termination_pay_periods";
        let last = company.get(periods).await.list();
        assert_eq!(
            (&last[0]["final_wages_due_on"], &last[0]["check_date"]),
            (&json!("2026-06-24"), &json!("2026-06-24"))
        );
        // Six days after a dismissal in Texas; the pay date of 15 to 28 June is 3 July.
        let dismissed = json!({ "effective_date": "2026-06-24", "separation": "laid_off" });
        let told = company.post(path(&tex), dismissed).await.created();
        assert_eq!(told["final_wages"]["due_on"], "2026-06-30");
        // Why somebody left can be said afterwards, when nothing else can be changed.
        wait_until(&company, "2026-06-29").await;
        let later =
            json!({ "version": told["version"], "effective_date": "2026-06-24", "separation": "quit" });
        let told = company.put(format!("/v1/terminations/{tex}"), later).await.ok();
        assert_eq!((&told["separation"], &told["active"]), (&json!("quit"), &json!(true)));
    });
}
