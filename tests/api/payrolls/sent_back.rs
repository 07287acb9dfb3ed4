//! What clients read of a payroll and send back: as it was told it is no entry, and what was entered is what is told.

use serde_json::{Value, json};

use super::time_off::{join, policy};
use super::{company, enter, hours, line, number, of, path, read};
use crate::garnishments::support;
use crate::support::{Answer, Company, Engine, id_of, on_both_engines, text};

const VERSIONS: [&str; 5] = ["2024-04-01", "2025-06-15", "2025-11-15", "2026-02-01", "2026-06-15"];
const APPROVED: &str = "/v1/companies/{company}/time_off/admin_approved_requests";

/// Sends a record as it was read.
pub(super) async fn send(company: &Company, payroll: &str, version: &str, record: &Value) -> Answer {
    let body = json!({ "employee_compensations": [record] });
    company.call("PUT", path(payroll, "")).version(version).json(&body).send().await
}

pub(super) async fn prepared(company: &Company, payroll: &str, version: &str) -> Value {
    company.call("PUT", path(payroll, "/prepare")).version(version).json(&json!({})).send().await.ok()
}

/// What a calculated payroll tells of an employee.
async fn calculated(company: &Company, payroll: &str, employee: &str) -> Value {
    let told = company.call("GET", path(payroll, "")).version("2026-06-15").send().await.ok();
    of(&told, employee).clone()
}

/// Prepares the payroll and sends the record of an employee back, with some fields changed.
pub(super) async fn change(company: &Company, payroll: &str, employee: &str, fields: Value) -> Value {
    let mut record = of(&prepared(company, payroll, "2026-06-15").await, employee).clone();
    for (field, value) in fields.as_object().unwrap() {
        record[field] = value.clone();
    }
    of(&send(company, payroll, "2026-06-15", &record).await.ok(), employee).clone()
}

async fn account(company: &Company, employee: &str) {
    let body = json!({ "name": "Checking", "routing_number": "021001208", "account_number": "90126600418",
                       "account_type": "Checking" });
    company.post(format!("/v1/employees/{employee}/bank_accounts"), body).await.created();
}

async fn loan(company: &Company, employee: &str) -> String {
    let loan = json!({ "court_ordered": false, "description": "Loan", "amount": "15.00", "deduct_as_percentage": true,
                       "recurring": true });
    id_of(&company.post(format!("/v1/employees/{employee}/garnishments"), loan).await.created())
}

/// Eight approved hours of a day of June 2026.
async fn day_off(company: &Company, employee: &str, policy: &str, day: &str) -> String {
    let day = format!("2026-06-{day}");
    let body = json!({ "employee_uuid": employee, "policy_uuid": policy, "start_date": day, "end_date": day,
                       "days": { &day: "8" } });
    id_of(&company.post(APPROVED, body).await.created())
}

pub(super) fn named<'l>(one: &'l Value, list: &str, name: &str) -> &'l Value {
    line(&one[list], name)
}

/// What a calculation comes to for everybody.
pub(super) async fn pay(company: &Company, payroll: &str) -> Vec<[String; 3]> {
    let told = company.calculate(payroll).await;
    let all = told["employee_compensations"].as_array().unwrap().iter();
    all.map(|one| ["gross_pay", "net_pay", "check_amount"].map(|field| number(&one[field]))).collect()
}

/// A company with somebody of every kind, for whom everything is entered that can be.
async fn staffed(engine: Engine) -> (Company, String) {
    let (company, texas, payroll) = company(engine).await;
    let california = id_of(&company.location("CA").await);
    let by_hour = ("20.00", "Hour", "Nonexempt");
    let days_off = policy(&company, json!({})).await;
    let (ana, _) = company.onboarded("Ana", &texas, by_hour).await;
    company.post(format!("/v1/employees/{ana}/garnishments"), support()).await.created();
    loan(&company, &ana).await;
    let fee = json!({ "court_ordered": false, "description": "Tools", "amount": "40.00", "recurring": true });
    let fee = id_of(&company.post(format!("/v1/employees/{ana}/garnishments"), fee).await.created());
    let mut what = hours("80");
    what["deductions"] = json!([{ "uuid": fee, "amount": "33.00", "amount_type": "fixed" }]);
    enter(&company, &payroll, &ana, what).await.ok();

    let (ben, _) = company.onboarded("Ben", &texas, ("52000.00", "Year", "Exempt")).await;
    account(&company, &ben).await;
    let monthly = json!({ "description": "Internet", "amount": "40.00" });
    company.post(format!("/v1/employees/{ben}/recurring_reimbursements"), monthly).await.created();
    let spent = json!([{ "amount": "5.00", "description": "Taxi" }, { "amount": "7.00", "description": "Hotel" },
                       { "amount": "3.00" }]);
    let fixed = |name: &str| json!({ "fixed_compensations": [{ "name": name, "amount": "100.00" }] });
    for what in [json!({ "reimbursements": spent, "memo": "Thanks" }), fixed("Commission"), fixed("Bonus")] {
        enter(&company, &payroll, &ben, what).await.ok();
    }

    let (cem, _) = company.onboarded("Cem", &texas, by_hour).await;
    account(&company, &cem).await;
    let day = |day: i32| json!({ "name": "Regular Hours", "hours": "9", "date": format!("2026-06-0{day}") });
    let what =
        json!({ "hourly_compensations": (1..6).map(day).collect::<Vec<_>>(), "payment_method": "Check" });
    enter(&company, &payroll, &cem, what).await.ok();

    let (dee, _) = company.onboarded("Dee", &california, by_hour).await;
    let (eve, _) = company.onboarded("Eve", &texas, by_hour).await;
    for (employee, balance) in [(&dee, "37.5"), (&eve, "40")] {
        join(&company, &days_off, employee, balance).await;
    }
    let leaves = json!({ "effective_date": "2026-06-12" });
    company.post(format!("/v1/employees/{dee}/terminations"), leaves).await.created();
    enter(&company, &payroll, &dee, hours("60")).await.ok();
    day_off(&company, &eve, &days_off, "11").await;
    let week = json!({ "name": "Regular Hours", "hours": "44", "workweek_start": "2026-06-01" });
    enter(&company, &payroll, &eve, json!({ "hourly_compensations": [week] })).await.ok();
    (company, payroll)
}

#[test]
fn a_record_as_it_was_read_changes_nothing_whoever_it_is_of_in_every_version() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll) = staffed(engine).await;
        let due = pay(&company, &payroll).await;
        assert_eq!(due.len(), 5);
        let nothing_changes = async |version: &str, told: &Value| {
            for record in told["employee_compensations"].as_array().unwrap() {
                let answer = send(&company, &payroll, version, record).await.ok();
                let one = &answer["employee_compensations"][0];
                assert_eq!(one["version"], record["version"], "{version}: {record:#} is now {one:#}");
            }
        };
        for version in VERSIONS {
            let told = prepared(&company, &payroll, version).await;
            nothing_changes(version, &told).await;
            assert_eq!(prepared(&company, &payroll, version).await, told, "{version}");
            assert_eq!(pay(&company, &payroll).await, due, "{version}");
            let get = company.call("GET", path(&payroll, "?include=deductions,taxes,benefits"));
            let calculated = get.version(version).send().await.ok();
            nothing_changes(version, &calculated).await;
            let after = read(&company, &payroll, "").await;
            assert_eq!(after["processing_request"]["status"], "calculate_success", "{version}");
            // What was calculated may come back after it was forgotten.
            prepared(&company, &payroll, version).await;
            nothing_changes(version, &calculated).await;
            assert_eq!(pay(&company, &payroll).await, due, "{version}");
        }
    });
}

#[test]
fn another_amount_for_a_deduction_is_told_and_stays_until_its_own_comes_back() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let loan = loan(&company, &ana).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        let asked = |one: &Value| {
            (one["deductions"][0]["amount"].to_string(), text(&one["deductions"][0], "amount_type"))
        };
        let told = |amount: &str, kind: &str| (amount.to_owned(), kind.to_owned());
        let taken = async || {
            let told = company.calculate(&payroll).await;
            of(&told, &ana)["deductions"][0]["amount"].to_string()
        };
        let by_itself = taken().await;

        let other = json!({ "deductions": [{ "uuid": loan, "amount": "33.00", "amount_type": "fixed" }] });
        let one = change(&company, &payroll, &ana, other.clone()).await;
        assert_eq!(asked(&one), told("33.00", "fixed"));
        assert_eq!(taken().await, "33.00");
        let one = change(&company, &payroll, &ana, json!({ "memo": "Hours were right" })).await;
        assert_eq!(asked(&one), told("33.00", "fixed"));
        assert_eq!(asked(of(&read(&company, &payroll, "").await, &ana)), told("33.00", "fixed"));
        assert_eq!(taken().await, "33.00");
        // What an earlier calculation took is an amount like any other once something else was entered and told.
        let earlier = json!({ "deductions": [{ "uuid": loan, "amount": by_itself }] });
        assert_eq!(asked(&change(&company, &payroll, &ana, earlier).await), told(&by_itself, "fixed"));
        let own = json!({ "deductions": [{ "uuid": loan, "amount": "15.00", "amount_type": "percent" }] });
        assert_eq!(asked(&change(&company, &payroll, &ana, own).await), told("15.00", "percent"));
        assert_eq!(taken().await, by_itself);

        // What was taken of the pay of 80 hours does not stay for 20, sent at once or after the payroll was prepared again.
        for again in [false, true] {
            enter(&company, &payroll, &ana, hours("80")).await.ok();
            company.calculate(&payroll).await;
            let mut record = calculated(&company, &payroll, &ana).await;
            assert_eq!(record["deductions"][0]["amount_type"], "fixed");
            if again {
                prepared(&company, &payroll, "2026-06-15").await;
            }
            record["hourly_compensations"] = hours("20")["hourly_compensations"].clone();
            let one = send(&company, &payroll, "2026-06-15", &record).await.ok();
            assert_eq!(asked(of(&one, &ana)), told("15.00", "percent"));
            let fewer = taken().await;
            let millionths = |text: &str| rules::Amount::parse(text).unwrap().millionths();
            assert!(millionths(&fewer) * 3 < millionths(&by_itself), "{fewer}");
        }
    });
}

#[test]
fn child_support_comes_back_as_it_was_told_and_at_no_other_amount() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let order = company.post(format!("/v1/employees/{ana}/garnishments"), support()).await.created();
        let one = change(&company, &payroll, &ana, hours("80")).await;
        assert_eq!(one["deductions"][0]["uuid"], order["uuid"]);
        for (uuid, key) in [(text(&order, "uuid"), "deductions"), (ana.clone(), "uuid")] {
            let other = json!({ "deductions": [{ "uuid": uuid, "amount": "12.00" }] });
            let refused = enter(&company, &payroll, &ana, other).await.refused(422);
            assert_eq!(refused.only()["errors"][0]["error_key"], key);
        }
        company.calculate(&payroll).await;
        let calculated = calculated(&company, &payroll, &ana).await;
        // The order ends: what was taken of it may come back all the same.
        let end = json!({ "version": order["version"], "active": false });
        company.put(format!("/v1/garnishments/{}", id_of(&order)), end).await.ok();
        let one = send(&company, &payroll, "2026-06-15", &calculated).await.ok();
        assert_eq!(of(&one, &ana)["version"], calculated["version"]);
    });
}

#[test]
fn hours_off_that_came_back_follow_what_is_approved_and_taken_back_later() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let days_off = policy(&company, json!({})).await;
        join(&company, &days_off, &ana, "40").await;
        let first = day_off(&company, &ana, &days_off, "11").await;
        let off = |one: &Value| text(named(one, "paid_time_off", "Vacation Hours"), "hours");
        assert_eq!(off(&change(&company, &payroll, &ana, hours("40")).await), "8.000");
        assert_eq!(pay(&company, &payroll).await[0][0], "960.00");
        let record = calculated(&company, &payroll, &ana).await;
        let second = day_off(&company, &ana, &days_off, "12").await;
        // As the calculation told it.
        send(&company, &payroll, "2026-06-15", &record).await.ok();
        assert_eq!(pay(&company, &payroll).await[0][0], "1120.00");
        assert_eq!(off(&change(&company, &payroll, &ana, json!({ "memo": "Leave" })).await), "16.000");
        for request in [&first, &second] {
            company.delete(format!("/v1/time_off/requests/{request}")).await.deleted();
        }
        assert_eq!(pay(&company, &payroll).await[0][0], "800.00");
        // Other hours are an entry until those that are granted come back.
        day_off(&company, &ana, &days_off, "10").await;
        let vacation =
            |hours: &str| json!({ "paid_time_off": [{ "name": "Vacation Hours", "hours": hours }] });
        assert_eq!(off(&change(&company, &payroll, &ana, vacation("0")).await), "0.000");
        assert_eq!(off(&change(&company, &payroll, &ana, json!({})).await), "0.000");
        assert_eq!(off(&change(&company, &payroll, &ana, vacation("8")).await), "8.000");
        day_off(&company, &ana, &days_off, "09").await;
        assert_eq!(off(&change(&company, &payroll, &ana, json!({})).await), "16.000");
    });
}

#[test]
fn a_record_that_was_read_before_a_request_was_approved_does_not_say_that_none_is_taken() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let days_off = policy(&company, json!({})).await;
        join(&company, &days_off, &ana, "40").await;
        let off = |one: &Value| text(named(one, "paid_time_off", "Vacation Hours"), "hours");
        let read_before = of(&prepared(&company, &payroll, "2026-06-15").await, &ana).clone();
        assert_eq!(off(&read_before), "0.000");
        let request = day_off(&company, &ana, &days_off, "11").await;

        // Somebody enters hours worked in what they had read; the request is paid all the same.
        let mut record = read_before.clone();
        record["hourly_compensations"] = hours("32")["hourly_compensations"].clone();
        let sent = send(&company, &payroll, "2026-06-15", &record).await.ok();
        assert_eq!(off(of(&sent, &ana)), "8.000");
        assert_eq!(pay(&company, &payroll).await[0][0], "800.00");
        // The other way round: the hours of a request that is gone do not stay.
        let record = of(&prepared(&company, &payroll, "2026-06-15").await, &ana).clone();
        assert_eq!(off(&record), "8.000");
        company.delete(format!("/v1/time_off/requests/{request}")).await.deleted();
        assert_eq!(off(of(&send(&company, &payroll, "2026-06-15", &record).await.ok(), &ana)), "0.000");
        assert_eq!(pay(&company, &payroll).await[0][0], "640.00");

        // Whoever decides on time off by what is past is told to read again.
        let record = of(&prepared(&company, &payroll, "2026-06-15").await, &ana).clone();
        day_off(&company, &ana, &days_off, "10").await;
        let with = |hours: &str| {
            let mut record = record.clone();
            record["paid_time_off"] = json!([{ "name": "Vacation Hours", "hours": hours }]);
            record
        };
        for (version, status) in [("2025-11-15", 422), ("2026-06-15", 409)] {
            send(&company, &payroll, version, &with("4")).await.refused(status);
        }
        assert_eq!(off(of(&read(&company, &payroll, "").await, &ana)), "8.000", "nothing was entered");
        // Who sends nothing of it need not have read it.
        let mut worked = hours("24");
        worked["employee_uuid"] = json!(ana);
        worked["version"] = record["version"].clone();
        assert_eq!(off(of(&send(&company, &payroll, "2026-06-15", &worked).await.ok(), &ana)), "8.000");
    });
}

#[test]
fn unused_hours_that_are_going_to_be_paid_out_are_told_before_the_calculation_and_come_back() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let paid_out = policy(&company, json!({ "paid_out_on_termination": true })).await;
        let mut people = Vec::new();
        for name in ["Ana", "Ben"] {
            let (employee, _) = company.onboarded(name, &location, ("20.00", "Hour", "Nonexempt")).await;
            join(&company, &paid_out, &employee, "40").await;
            people.push(employee);
        }
        let (ana, ben) = (&people[0], &people[1]);
        let leaves = json!({ "effective_date": "2026-06-12" });
        company.post(format!("/v1/employees/{ana}/terminations"), leaves).await.created();
        let unused = |one: &Value| {
            named(one, "paid_time_off", "Vacation Hours")["final_payout_unused_hours_input"].clone()
        };
        let told = prepared(&company, &payroll, "2026-06-15").await;
        assert_eq!((unused(of(&told, ana)), unused(of(&told, ben))), (json!("40.000"), Value::Null));
        // 60 hours earn two more, which what came back does not keep away.
        let one = change(&company, &payroll, ana, hours("60")).await;
        assert_eq!(unused(&one), "42.000");
        assert_eq!(pay(&company, &payroll).await[0][0], "2040.00");
        // Clients show null as 0, and send it: for somebody who stays it is no entry.
        let zero = json!({ "paid_time_off": [{ "name": "Vacation Hours", "hours": "0.000",
                                               "final_payout_unused_hours_input": "0" }] });
        assert_eq!(unused(&change(&company, &payroll, ben, zero.clone()).await), Value::Null);
        let leaves = json!({ "effective_date": "2026-06-12" });
        company.post(format!("/v1/employees/{ben}/terminations"), leaves).await.created();
        assert_eq!(unused(of(&prepared(&company, &payroll, "2026-06-15").await, ben)), "40.000");
        // Whoever pays nothing out decides it, and is told so until the hours are left to the policy again.
        assert_eq!(unused(&change(&company, &payroll, ana, zero).await), "0.000");
        assert_eq!(unused(&change(&company, &payroll, ana, json!({})).await), "0.000");
        assert_eq!(pay(&company, &payroll).await[0][0], "1200.00");
        let null = json!({ "paid_time_off": [{ "name": "Vacation Hours", "final_payout_unused_hours_input": null }] });
        assert_eq!(unused(&change(&company, &payroll, ana, null).await), "42.000");
    });
}

#[test]
fn how_somebody_is_paid_follows_the_employee_after_it_came_back() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let one = change(&company, &payroll, &ana, hours("80")).await;
        assert_eq!(one["payment_method"], "Check");
        company.calculate(&payroll).await;
        account(&company, &ana).await;
        // A check that somebody decides on is one, also where an earlier calculation told the same.
        for decided in ["Check", "Direct Deposit"] {
            let method = json!({ "payment_method": decided });
            assert_eq!(change(&company, &payroll, &ana, method).await["payment_method"], decided);
        }
        let paid = async || {
            let told = company.calculate(&payroll).await;
            let one = of(&told, &ana);
            (text(one, "payment_method"), one["payment_splits"].as_array().map_or(0, Vec::len))
        };
        assert_eq!(paid().await, ("Direct Deposit".to_owned(), 1));
        let check = json!({ "payment_method": "Check" });
        assert_eq!(change(&company, &payroll, &ana, check).await["payment_method"], "Check");
        assert_eq!(change(&company, &payroll, &ana, json!({})).await["payment_method"], "Check");
        assert_eq!(paid().await, ("Check".to_owned(), 0));
        let back = json!({ "payment_method": "Direct Deposit" });
        change(&company, &payroll, &ana, back).await;
        assert_eq!(paid().await, ("Direct Deposit".to_owned(), 1));
        // The same of the employee: a client that knows no splits of a check sends an empty list.
        let method = format!("/v1/employees/{ana}/payment_method");
        for fields in [
            json!({ "type": "Check" }),
            json!({ "type": "Direct Deposit", "split_by": "Percentage", "splits": [] }),
        ] {
            let mut body = fields;
            body["version"] = company.get(&method).await.ok()["version"].clone();
            company.put(&method, body).await.ok();
        }
        assert_eq!(company.get(&method).await.ok()["splits"].as_array().unwrap().len(), 1);
    });
}

#[test]
fn expenses_stay_as_they_are_where_their_sum_comes_back() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let spent = json!({ "reimbursements": [{ "amount": "5.00", "description": "Taxi" },
                                               { "amount": "7.00", "description": "Hotel" }] });
        enter(&company, &payroll, &ana, spent).await.ok();
        let expenses = |one: &Value| -> Vec<(String, Value)> {
            let all = one["reimbursements"].as_array().unwrap().iter();
            all.map(|one| (text(one, "amount"), one["description"].clone())).collect()
        };
        let both = vec![("5.00".to_owned(), json!("Taxi")), ("7.00".to_owned(), json!("Hotel"))];
        let older = async |amount: &str, whole: bool| {
            let mut record = of(&prepared(&company, &payroll, "2024-04-01").await, &ana).clone();
            let lines = record["fixed_compensations"].as_array_mut().unwrap();
            lines.iter_mut().find(|one| one["name"] == "Reimbursement").unwrap()["amount"] = amount.into();
            if !whole {
                record.as_object_mut().unwrap().remove("reimbursements");
            }
            expenses(of(&send(&company, &payroll, "2024-04-01", &record).await.ok(), &ana))
        };
        assert_eq!(older("12.00", false).await, both);
        assert_eq!(older("12.00", true).await, both);
        // Another sum takes their place, also beside the single lines as they were read.
        assert_eq!(older("20.00", true).await, [("20.00".to_owned(), Value::Null)]);

        // A client that knows lines without a description by nothing sends their sum each time.
        let plain = async |amount: &str| {
            let lines = json!({ "reimbursements": [{ "amount": amount }] });
            expenses(&change(&company, &payroll, &ana, lines).await)
        };
        assert_eq!(plain("20.00").await, [("20.00".to_owned(), Value::Null)]);
        assert_eq!(plain("8.00").await, [("8.00".to_owned(), Value::Null)]);
        let record = of(&prepared(&company, &payroll, "2026-06-15").await, &ana).clone();
        let more = json!({ "reimbursements": [record["reimbursements"][0], { "amount": "2.50" },
                                              { "amount": "1.00", "description": "Parking" }] });
        let three = [("8.00", Value::Null), ("1.00", json!("Parking")), ("2.50", Value::Null)];
        let three = three.map(|(amount, what)| (amount.to_owned(), what));
        assert_eq!(expenses(&change(&company, &payroll, &ana, more).await), three);
        assert_eq!(plain("10.50").await, three, "their sum");
        assert_eq!(plain("0.00").await, [("1.00".to_owned(), json!("Parking"))]);
    });
}

#[test]
fn nothing_entered_for_a_levy_takes_nothing_and_not_all_that_the_law_lets_it() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &texas, ("20.00", "Hour", "Nonexempt")).await;
        let levy = json!({ "court_ordered": true, "garnishment_type": "federal_tax_lien", "amount": "100.00", "recurring": true,
                           "tax_levy": { "filing_status": "single", "dependents": 0, "year": 2026 } });
        let levy = id_of(&company.post(format!("/v1/employees/{ana}/garnishments"), levy).await.created());
        let mut what = hours("80");
        what["deductions"] = json!([{ "uuid": levy, "amount": "0.00", "amount_type": "fixed" }]);
        enter(&company, &payroll, &ana, what).await.ok();
        let taken = async || {
            company.calculate(&payroll).await;
            let told = read(&company, &payroll, "deductions").await;
            number(&of(&told, &ana)["deductions"][0]["amount"])
        };
        assert_eq!(taken().await, "0.00");
        super::explanation_of(&company, &payroll, &ana).await;
        // Its own amount counts again; and of a levy that takes all, nothing percent takes nothing.
        let own = json!({ "deductions": [{ "uuid": levy, "amount": "100.00", "amount_type": "fixed" }] });
        enter(&company, &payroll, &ana, own).await.ok();
        assert_eq!(taken().await, "100.00");
        let version = company.get(format!("/v1/garnishments/{levy}")).await.ok()["version"].clone();
        let all = json!({ "version": version, "amount": "0.00" });
        company.put(format!("/v1/garnishments/{levy}"), all).await.ok();
        assert_ne!(taken().await, "0.00");
        let none = json!({ "deductions": [{ "uuid": levy, "amount": "0.00", "amount_type": "percent" }] });
        enter(&company, &payroll, &ana, none).await.ok();
        assert_eq!(taken().await, "0.00");
    });
}
