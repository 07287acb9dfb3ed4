//! Time off: policies, who has which, and balances that explain themselves, from what payrolls earn and take to the end of an
//! employment.

use serde_json::{Value, json};

use super::{company, enter, hours, line, number, of, path};
use crate::support::{Answer, Company, Engine, id_of, on_both_engines, text};

const POLICIES: &str = "/v1/companies/{company}/time_off_policies";

pub(super) async fn policy(company: &Company, terms: Value) -> String {
    let mut body = json!({ "name": "Days off", "policy_type": "vacation", "accrual_method": "per_hour_worked",
                           "accrual_rate": "1", "accrual_rate_unit": "30", "complete": true });
    for (field, value) in terms.as_object().unwrap() {
        body[field] = value.clone();
    }
    id_of(&company.post(POLICIES, body).await.created())
}

async fn members(company: &Company, policy: &str, what: &str, employee: &str, balance: Value) -> Answer {
    let body = json!({ "employees": [{ "uuid": employee, "balance": balance }] });
    company.put(format!("/v1/time_off_policies/{policy}/{what}"), body).await
}

pub(super) async fn join(company: &Company, policy: &str, employee: &str, balance: &str) {
    members(company, policy, "add_employees", employee, json!(balance)).await.ok();
}

/// Reason and hours of each change of a type, the oldest first, and the balance that the last one says.
pub(super) async fn changes(company: &Company, employee: &str, of: &str) -> (Vec<(String, String)>, String) {
    let path = format!("/v1/employees/{employee}/time_off_activities?time_off_type={of}");
    let list = company.get(path).await.list();
    let last = list.first().map_or_else(String::new, |newest| text(newest, "balance"));
    let told = list.iter().rev().map(|one| (text(one, "event_type"), text(one, "balance_change")));
    (told.collect(), last)
}

/// What the employee has of time off: policy and balance.
async fn eligible(company: &Company, employee: &str) -> Vec<(String, Value)> {
    let employee = company.read("employees", employee).await;
    let all = employee["eligible_paid_time_off"].as_array().unwrap().iter();
    all.map(|one| (text(one, "name"), one["accrual_balance"].clone())).collect()
}

pub(super) fn told(lines: &[(&str, &str)]) -> Vec<(String, String)> {
    lines.iter().map(|(reason, hours)| ((*reason).to_owned(), (*hours).to_owned())).collect()
}

#[test]
fn a_processed_payroll_takes_from_a_balance_and_adds_to_it_and_a_cancelled_one_gives_it_back() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let days_off = policy(&company, json!({ "max_hours": "40" })).await;
        join(&company, &days_off, &ana, "38.5").await;
        assert_eq!(eligible(&company, &ana).await, [("Vacation Hours".to_owned(), json!("38.500"))]);

        let mut what = hours("72");
        what["paid_time_off"] = json!([{ "policy_uuid": days_off, "hours": "8" }]);
        enter(&company, &payroll, &ana, what).await.ok();
        let calculated = company.calculate(&payroll).await;
        // 80 hours at 20.00: hours off are paid like hours worked.
        assert_eq!(number(&of(&calculated, &ana)["gross_pay"]), "1600.00");
        assert_eq!(eligible(&company, &ana).await[0].1, "38.500", "what is calculated only changes nothing");
        company.submit(&payroll).await;
        // 8 taken, 72 / 30 earned: 38.5 - 8 + 2.4.
        let after = told(&[("starting_balance", "38.500"), ("used", "-8.000"), ("accrual", "2.400")]);
        assert_eq!(changes(&company, &ana, "vacation").await, (after.clone(), "32.900".to_owned()));
        assert_eq!(eligible(&company, &ana).await[0].1, "32.900");
        let read = company.get(format!("/v1/time_off_policies/{days_off}")).await.ok();
        assert_eq!(read["employees"], json!([{ "uuid": ana, "balance": "32.900" }]));

        let all = "/v1/companies/{company}/time_off/balances";
        let own = json!({ "policy_uuid": days_off, "balance_hours": "32.900", "accrued_hours": "2.400",
                          "used_hours": "8.000", "pending_hours": "0.000" });
        let row = json!([{ "employee_uuid": ana, "balances": [own] }]);
        for query in ["", &format!("?employee_uuids={ana}&policy_uuids={days_off}"), "?page=1&per=1"] {
            assert_eq!(json!(company.get(format!("{all}{query}")).await.list()), row, "{query}");
        }
        for query in
            [format!("?employee_uuids={days_off}"), format!("?policy_uuids={ana}"), "?page=2&per=1".into()]
        {
            assert_eq!(company.get(format!("{all}{query}")).await.list(), [json!(null); 0], "{query}");
        }
        company.put(path(&payroll, "/cancel"), json!({})).await.ok();
        company.work().await;
        assert_eq!(
            changes(&company, &ana, "vacation").await,
            (told(&[("starting_balance", "38.500")]), "38.500".to_owned())
        );
        // Without hours off there is room for an hour and a half of the 2.4 that are earned.
        let mut what = hours("72");
        what["paid_time_off"] = json!([{ "name": "Vacation Hours", "hours": "0" }]);
        enter(&company, &payroll, &ana, what).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let after = told(&[("starting_balance", "38.500"), ("accrual", "1.500")]);
        assert_eq!(changes(&company, &ana, "vacation").await, (after, "40.000".to_owned()));
    });
}

#[test]
fn salaries_count_as_hours_overtime_as_the_method_says_and_a_bonus_is_no_pay_period() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let days_off = policy(&company, json!({})).await;
        let flat = json!({ "policy_type": "sick", "accrual_method": "per_pay_period", "accrual_rate": 2, "accrual_rate_unit": null });
        let sick = policy(&company, flat).await;
        join(&company, &days_off, &max, "0").await;
        join(&company, &days_off, &ana, "0").await;
        join(&company, &sick, &ana, "0").await;
        let mut what = hours("80");
        what["hourly_compensations"] =
            json!([{ "name": "Regular Hours", "hours": "80" }, { "name": "Overtime", "hours": "5" }]);
        enter(&company, &payroll, &ana, what).await.ok();
        let earn = format!("/v1/payrolls/{payroll}/employees/{ana}/calculate_accruing_time_off_hours");
        let asked = company
            .post(&earn, json!({ "regular_hours_worked": "80", "overtime_hours_worked": 5 }))
            .await
            .ok();
        assert_eq!(
            asked["hours_earned"],
            json!([{ "time_off_policy_uuid": days_off, "hours": "2.834" },
                   { "time_off_policy_uuid": sick, "hours": "2.000" }])
        );
        let nothing = company.post(&earn, json!({})).await.ok();
        assert_eq!(
            (&nothing["hours_earned"][0]["hours"], &nothing["hours_earned"][1]["hours"]),
            (&json!("0.000"), &json!("0.000"))
        );
        let faulty = company.post(&earn, json!({ "sick_hours_used": "-1" })).await.refused(422);
        assert_eq!(faulty.fault(), ("sick_hours_used", "invalid_attribute_value"));

        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        // 80 / 30 and 85 / 30 hours, rounded up to a thousandth.
        assert_eq!(changes(&company, &max, "vacation").await.0, told(&[("accrual", "2.667")]));
        assert_eq!(changes(&company, &ana, "vacation").await.0, told(&[("accrual", "2.834")]));
        assert_eq!(changes(&company, &ana, "sick").await.0, told(&[("accrual", "2.000")]));
        let bonus = company.off_cycle(&[&ana]).await;
        company.calculate(&bonus).await;
        company.submit(&bonus).await;
        assert_eq!(changes(&company, &ana, "sick").await.1, "2.000");
    });
}

#[test]
fn what_a_cancelled_payroll_earned_is_taken_back_from_the_policy_that_it_was_carried_into() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let first = policy(&company, json!({})).await;
        let second = policy(&company, json!({ "name": "Other" })).await;
        join(&company, &first, &ana, "10").await;
        enter(&company, &payroll, &ana, hours("72")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let moved = members(&company, &second, "add_employees", &ana, Value::Null).await.ok();
        assert_eq!(moved["employees"][0]["balance"], "12.400");
        company.put(path(&payroll, "/cancel"), json!({})).await.ok();
        company.work().await;
        assert_eq!(eligible(&company, &ana).await, [("Vacation Hours".to_owned(), json!("10.000"))]);
        let all = company
            .get(format!("/v1/employees/{ana}/time_off_activities?time_off_type=vacation"))
            .await
            .list();
        let sum = |policy: &str| -> i64 {
            let own = all.iter().filter(|one| one["policy_uuid"] == policy);
            own.map(|one| rules::Amount::parse(&text(one, "balance_change")).unwrap().millionths()).sum()
        };
        assert_eq!((sum(&first), sum(&second)), (0, 10_000_000), "each balance is the sum of its changes");
    });
}

#[test]
fn somebody_moves_to_another_policy_with_the_balance_and_leaves_it_without() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let first = policy(&company, json!({})).await;
        let second = policy(&company, json!({ "name": "Two weeks", "max_hours": "20" })).await;
        join(&company, &first, &ana, "24").await;
        let moved = members(&company, &second, "add_employees", &ana, Value::Null).await.ok();
        assert_eq!(moved["employees"], json!([{ "uuid": ana, "balance": "20.000" }]), "within its max_hours");
        let left = company.get(format!("/v1/time_off_policies/{first}")).await.ok();
        assert_eq!(left["employees"], json!([]), "one policy of a type");
        let set = members(&company, &second, "balance", &ana, json!("12.25")).await.ok();
        assert_eq!(set["employees"][0]["balance"], "12.250");
        let gone = members(&company, &second, "remove_employees", &ana, Value::Null).await.ok();
        assert_eq!(gone["employees"], json!([]));
        assert_eq!(eligible(&company, &ana).await, []);
        let all = [
            ("starting_balance", "24.000"),
            ("removal", "-24.000"),
            ("starting_balance", "20.000"),
            ("adjustment", "-7.750"),
            ("removal", "-12.250"),
        ];
        assert_eq!(changes(&company, &ana, "vacation").await, (told(&all), "0.000".to_owned()));
        assert_eq!(changes(&company, &ana, "sick").await.0, told(&[]));
    });
}

#[test]
fn a_policy_that_contradicts_its_method_is_refused_field_by_field_and_not_made() {
    on_both_engines(async |engine: Engine| {
        let (company, ..) = company(engine).await;
        let all = ["name", "policy_type", "accrual_method"];
        assert_eq!(company.post(POLICIES, json!({})).await.refused(422).keys(), all);
        let base = json!({ "name": "Off", "policy_type": "sick", "accrual_method": "per_calendar_year", "accrual_rate": "40" });
        for (field, value) in [
            ("policy_type", json!("jury_duty")),
            ("accrual_method", json!("sometimes")),
            ("accrual_rate", json!("1.2345")),
            ("accrual_rate", json!(null)),
            ("accrual_rate_unit", json!("30")),
            ("accrual_waiting_period_days", json!(10)),
            ("max_accrual_hours_per_year", json!("48")),
            ("max_hours", json!("-1")),
            ("policy_reset_date", json!("13-01")),
            ("name", json!("")),
        ] {
            let mut body = base.clone();
            body[field] = value;
            let refused = company.post(POLICIES, body).await.refused(422);
            assert_eq!(refused.fault(), (field, "invalid_attribute_value"));
        }
        assert_eq!(company.get(POLICIES).await.list(), [json!(null); 0]);
    });
}

#[test]
fn what_contradicts_a_policy_or_names_nobody_is_refused_field_by_field_and_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let jobless = id_of(&company.employee("Nina").await);
        let unlimited = json!({ "accrual_method": "unlimited", "accrual_rate": "5" });
        let free = policy(&company, unlimited).await;
        let told = members(&company, &free, "add_employees", &ana, json!("0")).await.ok();
        assert_eq!((&told["accrual_rate"], &told["employees"]), (&Value::Null, &json!([{ "uuid": ana }])));
        for balance in [json!("abc"), json!([]), json!(-1), json!("1.2345")] {
            let refused = members(&company, &free, "add_employees", &ana, balance.clone()).await.refused(422);
            assert_eq!(refused.keys(), ["balance"], "{balance}");
        }
        let refused = members(&company, &free, "balance", &ana, json!("1")).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        let at = format!("/v1/time_off_policies/{free}");
        let rate = json!({ "version": told["version"], "accrual_rate": "5" });
        assert_eq!(
            company.put(&at, rate).await.refused(422).fault(),
            ("accrual_rate", "invalid_attribute_value")
        );
        let type_of = json!({ "version": told["version"], "policy_type": "sick" });
        assert_eq!(
            company.put(&at, type_of).await.refused(422).fault(),
            ("policy_type", "invalid_attribute_value")
        );
        company.put(&at, json!({ "version": "0", "name": "Free" })).await.refused(409);

        let capped = policy(&company, json!({ "max_hours": "40" })).await;
        for (employees, field) in [
            (json!([]), "employees"),
            (json!([{ "uuid": ana, "balance": "41" }]), "balance"),
            (json!([{ "uuid": ana }, { "uuid": ana }]), "uuid"),
            (json!([{ "uuid": jobless }]), "uuid"),
            (json!([{ "balance": "1" }]), "uuid"),
        ] {
            let body = json!({ "employees": employees });
            let refused =
                company.put(format!("/v1/time_off_policies/{capped}/add_employees"), body).await.refused(422);
            assert_eq!(refused.fault(), (field, "invalid_attribute_value"));
        }
        let refused = members(&company, &capped, "balance", &ana, json!("1")).await.refused(422);
        assert_eq!(refused.fault(), ("uuid", "invalid_attribute_value"), "she has another policy");
        for query in ["", "?time_off_type=rest"] {
            let refused =
                company.get(format!("/v1/employees/{ana}/time_off_activities{query}")).await.refused(422);
            assert_eq!(refused.keys(), ["time_off_type"]);
        }
        let off = company.put(format!("{at}/deactivate"), json!({})).await.ok();
        assert_eq!((&off["is_active"], &off["version"]), (&json!(false), &Value::Null));
        members(&company, &free, "add_employees", &ana, Value::Null).await.refused(422);
        company.put(format!("{at}/deactivate"), json!({})).await.refused(422);
        assert_eq!(eligible(&company, &ana).await, []);
    });
}

#[test]
fn a_new_year_takes_what_is_not_carried_over_and_gives_the_hours_of_the_year() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let terms = json!({ "accrual_method": "per_calendar_year", "accrual_rate": "80", "accrual_rate_unit": null,
                            "carryover_limit_hours": "24", "max_hours": "96", "policy_reset_date": "07-01" });
        let yearly = policy(&company, terms).await;
        join(&company, &yearly, &ana, "37.5").await;
        let hire = json!({ "policy_type": "sick", "accrual_method": "per_anniversary_year", "accrual_rate": "40",
                           "accrual_rate_unit": null });
        let sick = policy(&company, hire).await;
        join(&company, &sick, &ana, "8").await;
        company.world.wait_until("2026-07-01T04:59:00Z".parse().unwrap()).await;
        assert_eq!(
            changes(&company, &ana, "vacation").await.1,
            "37.500",
            "a minute before midnight in Texas"
        );
        company.world.wait_until("2026-07-01T05:01:00Z".parse().unwrap()).await;
        // 24 are carried over; 80 are given, of which there is room for 72.
        let all = [("starting_balance", "37.500"), ("carryover", "-13.500"), ("accrual", "72.000")];
        assert_eq!(changes(&company, &ana, "vacation").await, (told(&all), "96.000".to_owned()));
        // A policy that is set up only now gives nothing for the days before.
        let (max, _) = company.onboarded("Max", &location, ("20.00", "Hour", "Nonexempt")).await;
        let late = json!({ "name": "Late", "accrual_method": "per_calendar_year", "accrual_rate": "80", "accrual_rate_unit": null,
                           "policy_reset_date": "07-03", "complete": false });
        let late = policy(&company, late).await;
        join(&company, &late, &max, "1").await;
        company.world.wait_until("2026-07-10T12:00:00Z".parse().unwrap()).await;
        let at = format!("/v1/time_off_policies/{late}");
        let version = company.get(&at).await.ok()["version"].clone();
        company.put(&at, json!({ "version": version, "complete": true })).await.ok();
        assert_eq!(changes(&company, &max, "vacation").await.1, "1.000");
        // The anniversary of the hire is 1 March.
        company.world.wait_until("2027-03-01T12:00:00Z".parse().unwrap()).await;
        let all = [("starting_balance", "8.000"), ("accrual", "40.000")];
        assert_eq!(changes(&company, &ana, "sick").await, (told(&all), "48.000".to_owned()));
    });
}

#[test]
fn the_last_payroll_pays_out_what_the_policy_or_the_state_asks_for() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, payroll) = company(engine).await;
        let california = id_of(&company.location("CA").await);
        let days_off = policy(&company, json!({})).await;
        let generous = policy(&company, json!({ "name": "Paid out", "paid_out_on_termination": true })).await;
        let mut people = Vec::new();
        for (name, location, policy) in
            [("Ana", &california, &days_off), ("Bea", &texas, &days_off), ("Cal", &texas, &generous)]
        {
            let (employee, _) = company.onboarded(name, location, ("20.00", "Hour", "Nonexempt")).await;
            join(&company, policy, &employee, "37.5").await;
            let leaves = json!({ "effective_date": "2026-06-12" });
            company.post(format!("/v1/employees/{employee}/terminations"), leaves).await.created();
            enter(&company, &payroll, &employee, hours("60")).await.ok();
            people.push(employee);
        }
        let calculated = company.calculate(&payroll).await;
        let out = |employee: &str| {
            let one = of(&calculated, employee);
            let line = line(&one["paid_time_off"], "Vacation Hours");
            (number(&one["gross_pay"]), line["final_payout_unused_hours_input"].clone())
        };
        // 60 hours worked earn 2; 39.5 are left. 60 x 20.00 + 39.5 x 20.00 = 1,990.00 by California's law and by the policy.
        assert_eq!(out(&people[0]), ("1990.00".into(), json!("39.500")));
        assert_eq!(out(&people[1]), ("1200.00".into(), Value::Null));
        assert_eq!(out(&people[2]), ("1990.00".into(), json!("39.500")));
        // Whoever enters another number decides, and is told what is left.
        let kept = json!({ "paid_time_off": [{ "name": "Vacation Hours", "final_payout_unused_hours_input": "30" }] });
        enter(&company, &payroll, &people[0], kept).await.ok();
        let less = company.calculate(&payroll).await;
        let one = of(&less, &people[0]);
        assert_eq!(number(&one["gross_pay"]), "1800.00");
        let warned = one["warnings"].as_array().unwrap().iter();
        assert!(warned.clone().any(|one| one["key"] == "unused_time_off_not_paid_out"), "{one}");
        let automatic = json!({ "paid_time_off": [{ "name": "Vacation Hours", "final_payout_unused_hours_input": null }] });
        enter(&company, &payroll, &people[0], automatic).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let all = [("starting_balance", "37.500"), ("accrual", "2.000"), ("paid_out", "-39.500")];
        assert_eq!(changes(&company, &people[0], "vacation").await, (told(&all), "0.000".to_owned()));
        assert_eq!(changes(&company, &people[1], "vacation").await.1, "39.500");
        let stub =
            company.get(path(&payroll, &format!("/employees/{}/pay_stub", people[0]))).await.is(200).text();
        assert!(stub.contains("Vacation Hours, paid out") && stub.contains("Vacation Hours, balance"));
    });
}

#[test]
fn a_last_payroll_tells_of_vacation_that_a_rule_in_doubt_would_pay_out() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, payroll) = company(engine).await;
        let dakota = id_of(&company.location("ND").await);
        let days_off = policy(&company, json!({})).await;
        let mut warned = Vec::new();
        for (name, location) in [("Ana", &dakota), ("Bea", &texas)] {
            let (employee, _) = company.onboarded(name, location, ("20.00", "Hour", "Nonexempt")).await;
            join(&company, &days_off, &employee, "37.5").await;
            let leaves = json!({ "effective_date": "2026-06-12" });
            company.post(format!("/v1/employees/{employee}/terminations"), leaves).await.created();
            enter(&company, &payroll, &employee, hours("60")).await.ok();
            let calculated = company.calculate(&payroll).await;
            let one = of(&calculated, &employee);
            assert_eq!(number(&one["gross_pay"]), "1200.00", "nothing is paid by a rule in doubt");
            let warnings = one["warnings"].as_array().cloned().unwrap_or_default();
            let found = warnings.iter().find(|one| one["key"] == "unused_time_off_not_paid_out");
            warned.push(found.map(|one| text(one, "message")));
            if name == "Ana" {
                // 60 hours earn 2. Whoever enters how much is paid out has seen to it.
                assert!(
                    warned[0]
                        .as_ref()
                        .is_some_and(|told| told.contains("39.500") && told.contains("ND_FINAL_PAY"))
                );
                let some = json!({ "paid_time_off": [{ "name": "Vacation Hours", "final_payout_unused_hours_input": "10" }] });
                enter(&company, &payroll, &employee, some).await.ok();
                let told = company.calculate(&payroll).await;
                assert_eq!(number(&of(&told, &employee)["gross_pay"]), "1400.00");
                assert!(!told.to_string().contains("unused_time_off_not_paid_out"));
            }
        }
        assert_eq!(warned[1], None, "in Texas the policy decides");
    });
}

#[test]
fn hours_taken_without_a_limit_are_recorded_and_shown_and_move_no_balance() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let free = policy(&company, json!({ "name": "Free", "accrual_method": "unlimited" })).await;
        members(&company, &free, "add_employees", &ana, json!("0")).await.ok();
        let unsaid = json!({ "name": "Old", "policy_type": "sick", "accrual_method": "unlimited" });
        assert_eq!(company.post(POLICIES, unsaid).await.created()["complete"], true, "where nothing is said");
        let activities = format!("/v1/employees/{ana}/time_off_activities?time_off_type=vacation");
        let own = |used: &str| json!([{ "policy_uuid": free, "accrued_hours": "0.000", "used_hours": used, "pending_hours": "0.000" }]);
        let balances = async || {
            let all = company.get("/v1/companies/{company}/time_off/balances").await.list();
            all[0]["balances"].clone()
        };
        let mut what = hours("72");
        what["paid_time_off"] = json!([{ "policy_uuid": free, "hours": "8" }]);
        enter(&company, &payroll, &ana, what).await.ok();
        let calculated = company.calculate(&payroll).await;
        assert_eq!(number(&of(&calculated, &ana)["gross_pay"]), "1600.00", "paid like hours worked");
        let mut warned = of(&calculated, &ana)["warnings"].as_array().unwrap().iter();
        assert!(warned.all(|one| one["key"] != "time_off_balance_exceeded"), "there is nothing to exceed");
        company.submit(&payroll).await;
        let told = company.get(&activities).await.list();
        let shown: Vec<_> = ["event_type", "balance_change", "balance", "payroll_uuid", "policy_name"]
            .map(|key| told[0][key].clone())
            .into();
        assert_eq!(json!(shown), json!(["used_unlimited", "-8.000", null, payroll, "Free"]));
        assert_eq!((told.len(), balances().await), (1, own("8.000")));
        assert_eq!(eligible(&company, &ana).await, [("Vacation Hours".to_owned(), Value::Null)]);
        let stub = company.get(path(&payroll, &format!("/employees/{ana}/pay_stub"))).await.is(200).text();
        assert!(stub.contains("Vacation Hours, taken") && !stub.contains("Vacation Hours, balance"));

        // Whoever moves to a policy with a balance begins with nothing, and a cancelled payroll gives nothing back there.
        let limited = policy(&company, json!({ "name": "Limited" })).await;
        members(&company, &limited, "add_employees", &ana, Value::Null).await.ok();
        assert_eq!(eligible(&company, &ana).await, [("Vacation Hours".to_owned(), json!("0.000"))]);
        company.put(path(&payroll, "/cancel"), json!({})).await.ok();
        company.work().await;
        assert_eq!(eligible(&company, &ana).await, [("Vacation Hours".to_owned(), json!("0.000"))]);
        assert_eq!(company.get(&activities).await.list(), [json!(null); 0]);
        members(&company, &free, "add_employees", &ana, Value::Null).await.ok();
        assert_eq!(balances().await, own("0.000"));
        // With a limit from now on, balances begin with what is earned from now on.
        let version = company.get(format!("/v1/time_off_policies/{free}")).await.ok()["version"].clone();
        let terms = json!({ "version": version, "accrual_method": "per_hour_worked", "accrual_rate": "1",
                            "accrual_rate_unit": "30" });
        let changed = company.put(format!("/v1/time_off_policies/{free}"), terms).await.ok();
        assert_eq!(changed["employees"], json!([{ "uuid": ana, "balance": "0.000" }]));
    });
}

#[test]
fn a_policy_of_sick_leave_is_shown_with_what_the_states_ask_for_where_it_gives_less() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        company.location("CA").await;
        company.location("NY").await;
        let less = policy(&company, json!({ "policy_type": "sick", "accrual_rate_unit": "40" })).await;
        let told = company.get(format!("/v1/time_off_policies/{less}")).await.ok();
        let states: Vec<_> =
            told["statutory_minimums"].as_array().unwrap().iter().map(|one| text(one, "state")).collect();
        assert_eq!(states, ["CA", "NY"], "Texas asks for none");
        assert_eq!(told["statutory_minimums"][0]["hours_worked_per_hour"], "30.000");
        let enough = json!({ "version": told["version"], "accrual_rate_unit": "30" });
        let told = company.put(format!("/v1/time_off_policies/{less}"), enough).await.ok();
        assert_eq!(told["statutory_minimums"], json!([]));
        let vacation = policy(&company, json!({ "accrual_rate_unit": "500" })).await;
        let told = company.get(format!("/v1/time_off_policies/{vacation}")).await.ok();
        assert_eq!(told["statutory_minimums"], json!([]));
    });
}
