//! Overtime by workweek: from hours by day, at the regular rate, with the law of the place of work.

use domain::access::users::Role;
use serde_json::{Value, json};

use super::{company, enter, explanation_of, hours, line, number, of, path, read};
use crate::oauth::{Browser, user};
use crate::pages::value_of;
use crate::support::{Company, Engine, id_of, on_both_engines, text};

/// Regular hours of a job on the days from one on; nothing on a day with 0.
fn days(job: &Value, first: u32, hours: &[&str]) -> Vec<Value> {
    let lines = (first..).zip(hours).filter(|(_, hours)| **hours != "0").map(|(day, hours)| {
        json!({ "name": "Regular Hours", "hours": hours, "job_uuid": job["uuid"], "date": format!("2026-06-{day:02}") })
    });
    lines.collect()
}

/// Hours of a job and a name as the payroll tells them: hours and dollars.
fn told(one: &Value, name: &str, job: &Value) -> (String, String) {
    let lines = one["hourly_compensations"].as_array().unwrap();
    let line = lines.iter().find(|line| line["name"] == name && line["job_uuid"] == job["uuid"]).unwrap();
    (text(line, "hours"), text(line, "amount"))
}

fn warned(one: &Value) -> Vec<String> {
    let all = one["warnings"].as_array().cloned().unwrap_or_default();
    all.iter().map(|warning| text(warning, "key")).collect()
}

/// A figure of an explanation, wherever it stands.
fn figure<'f>(figures: &'f Value, name: &str) -> Option<&'f Value> {
    let each = figures.as_array()?.iter();
    each.clone()
        .find(|figure| figure["figure"] == name)
        .or_else(|| each.filter_map(|inner| figure(&inner["because"], name)).next())
}

/// A server in Tennessee, who works at 2.13 with tips and as a clerk at 15.00.
async fn server(company: &Company) -> (String, Value, Value) {
    let nashville = id_of(&company.location("TN").await);
    let (ana, serving) = company.onboarded("Ana", &nashville, ("2.13", "Hour", "Nonexempt")).await;
    let wages = company.get(format!("/v1/locations/{nashville}/minimum_wages")).await.list();
    let federal = wages.iter().find(|wage| wage["authority"] == "Federal").unwrap();
    let pay = id_of(&company.read("jobs", &id_of(&serving)).await["compensations"][0]);
    let flag = json!({ "version": company.read("compensations", &pay).await["version"],
                       "adjust_for_minimum_wage": true, "minimum_wages": [{ "uuid": federal["uuid"] }] });
    company.put(format!("/v1/compensations/{pay}"), flag).await.ok();
    let clerking = company.job(&ana, "Clerk", "2026-03-01").await;
    company.pay(&clerking, "15.00", "Hour", "Nonexempt").await;
    (ana, serving, clerking)
}

/// An order for support and a creditor.
async fn garnished(company: &Company, ana: &str) -> (String, String) {
    let support = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50", "deduct_as_percentage": true,
                          "description": "Support", "pay_period_maximum": "100.00",
                          "child_support": { "state": "TN", "payment_period": "Every other week",
                                             "fips_code": "47000", "case_number": "TN-1" } });
    let support = id_of(&company.post(format!("/v1/employees/{ana}/garnishments"), support).await.created());
    let creditor = json!({ "court_ordered": true, "garnishment_type": "creditor_garnishment", "amount": "25",
                           "deduct_as_percentage": true, "description": "Creditor" });
    let creditor =
        id_of(&company.post(format!("/v1/employees/{ana}/garnishments"), creditor).await.created());
    (support, creditor)
}

/// The console shows each figure with its section.
async fn look_at_the_console(company: &Company, payroll: &str, ana: &str) {
    let admin = user(&company.world, &[(company, Role::Primary)]).await;
    let mut browser = Browser::new(&company.world);
    let address = format!("/console/companies/{}/payrolls/{payroll}/employees/{ana}", company.id);
    let page = browser.get(&address).await.is(200);
    let to = value_of(&page.text(), "to");
    let fields =
        [("email", admin.email.as_str()), ("password", admin.password.as_str()), ("to", to.as_str())];
    let shown = browser.press(&page, "", &fields).await.is(200).text();
    for part in
        ["Regular rate", "12.12", "Remuneration", "557.50", "Overtime premium", "36.36", "29 CFR 778.109"]
    {
        assert!(shown.contains(part), "{part}");
    }
}

/// The figures of the acceptance example.
fn figures_are(figures: &Value) {
    let result = |name: &str| text(figure(figures, name).unwrap_or_else(|| panic!("no {name}")), "result");
    for (name, expected) in [
        ("workweek_2026-06-01", "340.26"),
        ("straight_time_of_job_1", "63.90"),
        ("straight_time_of_job_2", "240.00"),
        ("remuneration", "557.50"),
        ("regular_rate", "12.12"),
        ("overtime_premium", "36.36"),
        ("minimum_wage_adjustment_of_job_1", "0.00"),
        ("gross_pay", "640.26"),
        ("social_security", "39.70"),
        ("medicare", "9.28"),
    ] {
        assert_eq!(result(name), expected, "{name}");
    }
    assert_eq!(figure(figures, "regular_rate").unwrap()["source"], "29 CFR 778.109");
}

#[test]
fn a_server_with_two_jobs_a_bonus_a_support_order_and_a_creditor_is_explained_to_the_cent() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let (ana, serving, clerking) = server(&company).await;
        let (support, creditor) = garnished(&company, &ana).await;
        let mut lines = days(&serving, 1, &["10", "10", "10"]);
        lines.extend(days(&clerking, 4, &["10", "6"]));
        let fixed = json!([{ "name": "Bonus", "amount": "100.00" },
                           { "name": "Paycheck Tips", "amount": "200.00", "job_uuid": serving["uuid"] }]);
        enter(
            &company,
            &payroll,
            &ana,
            json!({ "hourly_compensations": lines, "fixed_compensations": fixed }),
        )
        .await
        .ok();
        company.calculate(&payroll).await;
        let told_all = read(&company, &payroll, "taxes,deductions").await;
        let one = of(&told_all, &ana);
        assert_eq!(told(one, "Regular Hours", &serving), ("30.000".to_owned(), "63.90".to_owned()));
        assert_eq!(told(one, "Regular Hours", &clerking), ("10.000".to_owned(), "150.00".to_owned()));
        // The regular rate counts 7.25 for a served hour (29 CFR 531.60): (30 x 7.25 + 16 x 15.00 + 100.00) / 46 = 12.12. Six hours of
        // overtime pay 90.00 and half of that rate: 36.36.
        assert_eq!(told(one, "Overtime", &clerking), ("6.000".to_owned(), "126.36".to_owned()));
        assert_eq!(number(&one["gross_pay"]), "640.26");

        let explained = explanation_of(&company, &payroll, &ana).await;
        let figures = &explained["figures"];
        let result =
            |name: &str| text(figure(figures, name).unwrap_or_else(|| panic!("no {name}")), "result");
        figures_are(figures);
        // What is left after the taxes: support takes its 100.00, the creditor what it leaves of a quarter (15 USC 1673(a)).
        let disposable = rules::Amount::parse(&result("disposable_earnings")).unwrap().cents_half_up();
        let withheld: i64 = one["taxes"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|tax| tax["employer"] == false)
            .map(|tax| rules::Amount::parse(&tax["amount"].to_string()).unwrap().cents_half_up())
            .sum();
        assert_eq!(disposable, 64_026 - withheld);
        let taken = |id: &str| {
            let all = one["deductions"].as_array().unwrap();
            let line = all.iter().find(|line| line["uuid"] == id).unwrap();
            rules::Amount::parse(&line["amount"].to_string()).unwrap().cents_half_up()
        };
        assert_eq!((taken(&support), taken(&creditor)), (10_000, disposable / 4 - 10_000));
        // Tennessee's unemployment rate is open, and Form W-4 was only marked; nothing of the overtime and of what creditors may take is open.
        assert_eq!(warned(one), ["tax_not_worked_out", "no_form_w4"]);
        // The stub names the hours as they were sorted.
        let stub = company.get(path(&payroll, &format!("/employees/{ana}/pay_stub"))).await.is(200);
        for part in ["Overtime (job 2), 6.00 h", "126.36", "Regular Hours (job 1), 30.00 h"] {
            assert!(stub.text().contains(part), "{part}");
        }

        look_at_the_console(&company, &payroll, &ana).await;
        // 207(g)(2): overtime at the rate in effect, to which the bonus adds 100.00 / 46 = 2.17.
        let held = company.read("jobs", &id_of(&clerking)).await;
        assert_eq!(held["agreed_overtime_rate"], Value::Null);
        let wrong = json!({ "version": held["version"], "agreed_overtime_rate": "207(g)(9)" });
        let refused = company.put(format!("/v1/jobs/{}", id_of(&clerking)), wrong).await.refused(422);
        assert_eq!(refused.fault().0, "agreed_overtime_rate");
        let agreed = json!({ "version": held["version"], "agreed_overtime_rate": "207(g)(2)" });
        let held = company.put(format!("/v1/jobs/{}", id_of(&clerking)), agreed).await.ok();
        assert_eq!(held["agreed_overtime_rate"], "207(g)(2)");
        let again = company.calculate(&payroll).await;
        assert_eq!(told(of(&again, &ana), "Overtime", &clerking).1, "141.51");
    });
}

#[test]
fn california_counts_days_where_they_are_told_and_says_where_they_are_not() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let place = id_of(&company.location("CA").await);
        let (ana, job) = company.onboarded("Ana", &place, ("20.00", "Hour", "Nonexempt")).await;
        let by_day = json!({ "hourly_compensations": days(&job, 1, &["13", "8", "6"]) });
        enter(&company, &payroll, &ana, by_day).await.ok();
        let calculated = company.calculate(&payroll).await;
        let one = of(&calculated, &ana);
        assert_eq!(told(one, "Regular Hours", &job), ("22.000".to_owned(), "440.00".to_owned()));
        assert_eq!(told(one, "Overtime", &job), ("4.000".to_owned(), "120.00".to_owned()));
        assert_eq!(told(one, "Double overtime", &job), ("1.000".to_owned(), "40.00".to_owned()));
        assert!(!warned(one).contains(&"daily_overtime_as_entered".to_owned()), "{one}");
        explanation_of(&company, &payroll, &ana).await;
        // A premium of a meal break that was missed is paid beside, and raises no overtime; pay of another kind does.
        let kind = json!({ "name": "Meal and Rest Premium", "counts_in_regular_rate": false });
        let kind = company.post("/v1/companies/{company}/earning_types", kind).await.created();
        assert_eq!(kind["counts_in_regular_rate"], false);
        let premium =
            json!({ "fixed_compensations": [{ "name": "Meal and Rest Premium", "amount": "54.00" }] });
        enter(&company, &payroll, &ana, premium).await.ok();
        assert_eq!(number(&of(&company.calculate(&payroll).await, &ana)["gross_pay"]), "654.00");
        let counts = json!({ "counts_in_regular_rate": true });
        let path = format!("/v1/companies/{{company}}/earning_types/{}", id_of(&kind));
        assert_eq!(company.put(path, counts).await.ok()["counts_in_regular_rate"], true);
        // 54.00 in 27 hours are 2.00 an hour: half of it for each of four hours, and all of it for one.
        assert_eq!(number(&of(&company.calculate(&payroll).await, &ana)["gross_pay"]), "660.00");
        let none = json!({ "fixed_compensations": [{ "name": "Meal and Rest Premium", "amount": "0" }] });
        enter(&company, &payroll, &ana, none).await.ok();
        // Sums are paid as they were entered.
        enter(&company, &payroll, &ana, hours("28")).await.ok();
        let calculated = company.calculate(&payroll).await;
        let one = of(&calculated, &ana);
        assert_eq!(number(&one["gross_pay"]), "560.00");
        assert!(warned(one).contains(&"daily_overtime_as_entered".to_owned()), "{one}");
    });
}

#[test]
fn a_bonus_that_is_paid_later_brings_a_line_of_its_own() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, job) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let weeks = ["10", "10", "10", "10", "10", "0", "0", "8", "8", "8", "8", "8"];
        enter(&company, &payroll, &ana, json!({ "hourly_compensations": days(&job, 1, &weeks) })).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;

        let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-07-31").await.list();
        let next = periods.iter().find(|period| period["start_date"] == "2026-06-15").unwrap();
        let next = text(&next["payroll"], "payroll_uuid");
        let bonus = |fields: &Value| {
            let mut line = json!({ "name": "Commission", "amount": "80.00" });
            line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            json!({ "fixed_compensations": [line] })
        };
        for (fields, key) in [
            (json!({ "earned_from": "2026-06-01" }), "earned_to"),
            (json!({ "earned_from": "2026-06-14", "earned_to": "2026-06-01" }), "earned_to"),
            (json!({ "earned_from": "2026-06-01", "earned_to": "2026-06-30" }), "earned_to"),
            (json!({ "earned_from": "2025-06-01", "earned_to": "2026-06-14" }), "earned_from"),
            (json!({ "discretionary": "yes" }), "discretionary"),
            (json!({ "name": "Cash Tips", "discretionary": true }), "discretionary"),
        ] {
            let refused = enter(&company, &next, &ana, bonus(&fields)).await.refused(422);
            assert_eq!(refused.only()["errors"][0]["error_key"], key, "{fields}");
        }
        let earned = json!({ "earned_from": "2026-06-01", "earned_to": "2026-06-14" });
        let entered = enter(&company, &next, &ana, bonus(&earned)).await.ok();
        let commission = line(&of(&entered, &ana)["fixed_compensations"], "Commission").clone();
        assert_eq!(
            (&commission["earned_from"], &commission["earned_to"]),
            (&json!("2026-06-01"), &json!("2026-06-14"))
        );
        // 40.00 for each of two weeks; the first had 50 hours: 40.00 / 50 / 2 for each of ten hours of overtime.
        let calculated = company.calculate(&next).await;
        let one = of(&calculated, &ana);
        assert_eq!(line(&one["fixed_compensations"], "Recalculated Overtime Premium")["amount"], "4.00");
        assert_eq!(number(&one["gross_pay"]), "84.00");
        let explained = explanation_of(&company, &next, &ana).await;
        let premium = figure(&explained["figures"], "recalculated_premium_of_fixed_compensation_1").unwrap();
        assert_eq!((&premium["result"], &premium["source"]), (&json!("4.00"), &json!("29 CFR 778.209")));
        // A payroll outside the schedule counts by the same workweeks.
        let outside = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-10", "end_date": "2026-06-15",
                              "employee_uuids": [ana], "check_date": "2026-06-26" });
        let outside = id_of(&company.post("/v1/companies/{company}/payrolls", outside).await.ok());
        enter(&company, &outside, &ana, bonus(&earned)).await.ok();
        assert_eq!(number(&of(&company.calculate(&outside).await, &ana)["gross_pay"]), "84.00");
        // The line comes back with what clients send, and the days of a line stay until another says so.
        let back = json!({ "fixed_compensations": [
            { "name": "Recalculated Overtime Premium", "amount": "4.00" }, { "name": "Commission", "amount": "40.00" } ] });
        enter(&company, &next, &ana, back).await.ok();
        assert_eq!(number(&of(&company.calculate(&next).await, &ana)["gross_pay"]), "42.00");
        enter(&company, &next, &ana, bonus(&json!({ "discretionary": true }))).await.ok();
        assert_eq!(number(&of(&company.calculate(&next).await, &ana)["gross_pay"]), "80.00");
    });
}

#[test]
fn workweeks_begin_on_the_day_that_the_company_says_and_reach_across_payrolls() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, job) = company.onboarded("Ana", &location, ("10.00", "Hour", "Nonexempt")).await;
        let settings = "/v1/companies/{company}/payroll_settings";
        assert_eq!(company.get(settings).await.ok()["workweek_first_day"], Value::Null);
        let refused = company.put(settings, json!({ "workweek_first_day": "Someday" })).await.refused(422);
        assert_eq!(refused.fault().0, "workweek_first_day");
        let set = company.put(settings, json!({ "workweek_first_day": "Sunday" })).await.ok();
        assert_eq!(set["workweek_first_day"], "Sunday");
        // The week of Sunday, 14 June, goes on in the next pay period: straight time until then.
        enter(&company, &payroll, &ana, json!({ "hourly_compensations": days(&job, 14, &["10"]) }))
            .await
            .ok();
        assert_eq!(number(&of(&company.calculate(&payroll).await, &ana)["gross_pay"]), "100.00");
        company.submit(&payroll).await;
        let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-07-31").await.list();
        let next = periods.iter().find(|period| period["start_date"] == "2026-06-15").unwrap();
        let next = text(&next["payroll"], "payroll_uuid");
        let rest = json!({ "hourly_compensations": days(&job, 15, &["8", "8", "8", "8", "8"]) });
        enter(&company, &next, &ana, rest).await.ok();
        // 50 hours: 30 of the 40 here are regular, ten at 15.00.
        let calculated = company.calculate(&next).await;
        let one = of(&calculated, &ana);
        assert_eq!(told(one, "Overtime", &job), ("10.000".to_owned(), "150.00".to_owned()));
        assert_eq!(number(&one["gross_pay"]), "450.00");
        explanation_of(&company, &next, &ana).await;
    });
}

#[test]
fn overtime_of_a_week_that_goes_on_is_paid_though_nothing_more_is_worked_in_it() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let place = id_of(&company.location("CA").await);
        let (ana, job) = company.onboarded("Ana", &place, ("20.00", "Hour", "Nonexempt")).await;
        let settings = "/v1/companies/{company}/payroll_settings";
        company.put(settings, json!({ "workweek_first_day": "Sunday" })).await.ok();
        enter(&company, &payroll, &ana, json!({ "hourly_compensations": days(&job, 14, &["10"]) }))
            .await
            .ok();
        assert_eq!(number(&of(&company.calculate(&payroll).await, &ana)["gross_pay"]), "200.00");
        company.submit(&payroll).await;
        let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-07-31").await.list();
        let next = periods.iter().find(|period| period["start_date"] == "2026-06-15").unwrap();
        let next = text(&next["payroll"], "payroll_uuid");
        company.put(path(&next, "/prepare"), json!({})).await.ok();
        // Half of 20.00 for the two hours above eight.
        let calculated = company.calculate(&next).await;
        assert_eq!(number(&of(&calculated, &ana)["gross_pay"]), "20.00");
        explanation_of(&company, &next, &ana).await;
    });
}

#[test]
fn a_salary_for_whatever_hours_brings_half_of_its_rate_for_overtime_where_the_state_allows_it() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, payroll) = company(engine).await;
        let pennsylvania = id_of(&company.location("PA").await);
        let salary = ("31200.00", "Year", "Salaried Nonexempt");
        let mut found = Vec::new();
        for location in [&texas, &pennsylvania] {
            let (who, job) = company.onboarded("Ana", location, salary).await;
            let job = company.read("jobs", &id_of(&job)).await;
            assert_eq!(job["fluctuating_workweek"], false);
            let agreed = json!({ "version": job["version"], "fluctuating_workweek": true });
            let job = company.put(format!("/v1/jobs/{}", id_of(&job)), agreed).await.ok();
            assert_eq!(job["fluctuating_workweek"], true);
            let worked = json!({ "hourly_compensations": days(&job, 1, &["10"; 5]) });
            enter(&company, &payroll, &who, worked).await.ok();
            let told = company.calculate(&payroll).await;
            let paycheck = of(&told, &who);
            let barred = warned(paycheck).contains(&"fluctuating_workweek_not_applied".to_owned());
            found.push((number(&paycheck["gross_pay"]), barred));
        }
        // 600.00 a week: 50 hours are 12.00 each, and ten bring 6.00; in Pennsylvania they bring 22.50.
        assert_eq!(found, [("1260.00".to_owned(), false), ("1425.00".to_owned(), true)]);
    });
}

#[test]
fn a_bonus_of_which_the_agency_is_told_before_it_is_paid_says_so() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (max, _) = company.onboarded("Max", &location, ("20.00", "Hour", "Nonexempt")).await;
        let order = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50", "deduct_as_percentage": true,
                            "description": "Support", "pay_period_maximum": "100.00",
                            "child_support": { "state": "TX", "payment_period": "Monthly",
                                               "fips_code": "48000", "case_number": "0012345678", "order_number": "TX-1" } });
        company.post(format!("/v1/employees/{ana}/garnishments"), order).await.created();
        let mut found = Vec::new();
        for (who, amount) in [(&ana, "499.99"), (&ana, "500.00"), (&max, "500.00")] {
            let mut what = hours("80");
            what["fixed_compensations"] = json!([{ "name": "Bonus", "amount": amount }]);
            enter(&company, &payroll, who, what).await.ok();
            let told = company.calculate(&payroll).await;
            found.push(warned(of(&told, who)).contains(&"lump_sum_to_report".to_owned()));
        }
        // Tex. Fam. Code 158.215: from 500.00 on, of those with an order.
        assert_eq!(found, [false, true, false]);
    });
}

/// The notices of lump sums, and how often their event was sent.
async fn lump_sums(company: &Company) -> (Vec<Value>, usize) {
    let listed = company.get("/v1/companies/{company}/child_support_termination_notices").await.list();
    let events = company.events().await.into_iter();
    let due = events.filter(|event| event.event_type == "employee.child_support_lump_sum_notice_due");
    (listed.into_iter().filter(|notice| notice["kind"] == "lump_sum").collect(), due.count())
}

#[test]
fn an_agency_is_to_be_told_of_a_lump_sum_once_and_of_another_amount_again() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        // Ohio asks to be told of 150.00 and more, Texas of 500.00 and more: each order by its own state.
        let order = |state: &str, code: &str| {
            json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50", "deduct_as_percentage": true,
                    "pay_period_maximum": "100.00",
                    "child_support": { "state": state, "payment_period": "Monthly", "fips_code": code,
                                       "case_number": "0012345678", "order_number": "N-1" } })
        };
        let add = async |state: &str, code: &str| {
            id_of(
                &company
                    .post(format!("/v1/employees/{ana}/garnishments"), order(state, code))
                    .await
                    .created(),
            )
        };
        let (ohio, texas) = (add("OH", "39000").await, add("TX", "48000").await);
        let pay = async |amount: &str| {
            let mut what = hours("80");
            what["fixed_compensations"] = json!([{ "name": "Bonus", "amount": amount }]);
            enter(&company, &payroll, &ana, what).await.ok();
            company.calculate(&payroll).await;
            lump_sums(&company).await
        };
        assert_eq!(pay("149.99").await, (vec![], 0));
        let (notices, events) = pay("150.00").await;
        assert_eq!((notices.len(), events), (1, 1));
        let notice = &notices[0];
        assert_eq!(
            (text(notice, "garnishment_uuid"), text(notice, "employee_uuid")),
            (ohio.clone(), ana.clone())
        );
        assert_eq!((&notice["state"], &notice["termination_date"]), (&json!("OH"), &Value::Null));
        let sum = &notice["lump_sum"];
        assert_eq!((text(sum, "payroll_uuid"), text(sum, "amount")), (payroll.clone(), "150.00".to_owned()));
        assert_eq!((&sum["days_to_answer"], &sum["payment_date"]), (&json!(30), &json!("2026-06-18")));
        assert!(text(sum, "section").contains("3121.037"), "{sum}");
        // The same amount again is nothing new; a larger one is, and Texas is to be told of it, too.
        assert_eq!(pay("150.00").await.1, 1);
        let (notices, events) = pay("600.00").await;
        let orders: std::collections::BTreeSet<_> =
            notices.iter().map(|notice| text(notice, "garnishment_uuid")).collect();
        assert_eq!((orders, events), (std::collections::BTreeSet::from([ohio, texas]), 2));
        // Without a bonus there is nothing to tell.
        assert_eq!(pay("0.00").await, (vec![], 2));
    });
}

#[test]
fn a_day_that_has_more_than_24_hours_in_several_payrolls_together_is_told() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, job) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let on_first = |hours: &str| json!({ "hourly_compensations": days(&job, 1, &[hours]) });
        let told = |calculated: &Value| -> Vec<String> {
            let warnings = of(calculated, &ana)["warnings"].as_array().cloned().unwrap_or_default();
            let long = warnings.iter().filter(|warning| warning["key"] == "hours_of_day_exceeded");
            long.map(|warning| text(warning, "message")).collect()
        };
        let outside = json!({ "off_cycle": true, "off_cycle_reason": "Correction", "start_date": "2026-06-01",
                              "end_date": "2026-06-14", "employee_uuids": [ana], "check_date": "2026-06-26" });
        let first = id_of(&company.post("/v1/companies/{company}/payrolls", outside.clone()).await.ok());
        enter(&company, &first, &ana, on_first("14")).await.ok();
        assert!(told(&company.calculate(&first).await).is_empty());
        company.submit(&first).await;
        // The regular payroll, and one more outside the schedule: 14 and 12 hours of 1 June.
        let second = id_of(&company.post("/v1/companies/{company}/payrolls", outside).await.ok());
        for other in [&payroll, &second] {
            enter(&company, other, &ana, on_first("12")).await.ok();
            let messages = told(&company.calculate(other).await);
            assert_eq!(messages.len(), 1, "{messages:?}");
            assert!(messages[0].starts_with("hours on 2026-06-01 total 26.000"), "{messages:?}");
            enter(&company, other, &ana, on_first("10")).await.ok();
            assert!(told(&company.calculate(other).await).is_empty(), "24 hours are a day");
        }
    });
}

#[test]
fn overtime_of_a_week_is_paid_whichever_of_its_payrolls_is_processed_first() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, first) = company(engine).await;
        let california = id_of(&company.location("CA").await);
        let by_hour = ("10.00", "Hour", "Nonexempt");
        let (ana, of_ana) = company.onboarded("Ana", &texas, by_hour).await;
        let (cal, of_cal) = company.onboarded("Cal", &california, by_hour).await;
        let (ida, of_ida) = company.onboarded("Ida", &texas, by_hour).await;
        let settings = "/v1/companies/{company}/payroll_settings";
        company.put(settings, json!({ "workweek_first_day": "Sunday" })).await.ok();
        let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-07-31").await.list();
        let next = periods.iter().find(|period| period["start_date"] == "2026-06-15").unwrap();
        let next = text(&next["payroll"], "payroll_uuid");
        // The week from Sunday, 14 June, on ends in the second payroll, which is processed first: Ana worked 40 hours in it, Cal none.
        let entered = |lines: Vec<Value>| json!({ "hourly_compensations": lines });
        enter(&company, &next, &ana, entered(days(&of_ana, 15, &["8"; 5]))).await.ok();
        assert_eq!(number(&of(&company.calculate(&next).await, &ana)["gross_pay"]), "400.00");
        company.submit(&next).await;
        // Ten hours of 14 June make 50, and in California two of ten are overtime of the day. Ida worked in the week before, 20 hours of
        // which one outside the schedule has paid.
        let outside = json!({ "off_cycle": true, "off_cycle_reason": "Correction", "start_date": "2026-06-01",
                              "end_date": "2026-06-05", "employee_uuids": [ida] });
        let outside = id_of(&company.post("/v1/companies/{company}/payrolls", outside).await.ok());
        enter(&company, &outside, &ida, entered(days(&of_ida, 1, &["10", "10"]))).await.ok();
        company.calculate(&outside).await;
        company.submit(&outside).await;
        enter(&company, &first, &ana, entered(days(&of_ana, 14, &["10"]))).await.ok();
        enter(&company, &first, &cal, entered(days(&of_cal, 14, &["10"]))).await.ok();
        enter(&company, &first, &ida, entered(days(&of_ida, 3, &["10"; 3]))).await.ok();
        let told = company.calculate(&first).await;
        let gross = [&ana, &cal, &ida].map(|who| number(&of(&told, who)["gross_pay"]));
        // 10 x 15.00; 8 x 10.00 + 2 x 15.00; 20 x 10.00 + 10 x 15.00.
        assert_eq!(gross, ["150.00", "110.00", "350.00"]);
        for who in [&ana, &cal, &ida] {
            explanation_of(&company, &first, who).await;
        }
        company.submit(&first).await;
        // What comes later is overtime, and what was paid as such is not paid again.
        let later = json!({ "off_cycle": true, "off_cycle_reason": "Correction", "start_date": "2026-06-14",
                            "end_date": "2026-06-14", "employee_uuids": [ana] });
        let later = id_of(&company.post("/v1/companies/{company}/payrolls", later).await.ok());
        enter(&company, &later, &ana, entered(days(&of_ana, 14, &["2"]))).await.ok();
        assert_eq!(number(&of(&company.calculate(&later).await, &ana)["gross_pay"]), "30.00");
    });
}
