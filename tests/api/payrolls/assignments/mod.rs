//! Which pay schedule is whose: by nothing, by how the primary job is paid, by employee and by department; who is in which payroll
//! then, and that whoever moves is paid for each day once.

mod in_any_order;
mod refused;

use std::collections::BTreeSet;

use jiff::ToSpan;
use serde_json::{Value, json};

use super::{company, enter, hours, number, of, path, runs};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

const ASSIGN: &str = "/v1/companies/{company}/pay_schedules/assign";
const PREVIEW: &str = "/v1/companies/{company}/pay_schedules/assignment_preview";
const ASSIGNMENTS: &str = "/v1/companies/{company}/pay_schedules/assignments";
const DEPARTMENTS: &str = "/v1/companies/{company}/departments";

/// A company with two schedules: every other week from Monday on, and months.
struct Two {
    company: Company,
    location: String,
    weeks: String,
    months: String,
    /// that of 1 to 14 June 2026
    payroll: String,
}

async fn two(engine: Engine) -> Two {
    let (company, location, payroll) = company(engine).await;
    let monthly = json!({ "frequency": "Monthly", "anchor_pay_date": "2026-06-30",
                          "anchor_end_of_pay_period": "2026-06-30", "custom_name": "Office" });
    let months = id_of(&company.post("/v1/companies/{company}/pay_schedules", monthly).await.created());
    let all = company.get("/v1/companies/{company}/pay_schedules").await.list();
    Two { weeks: id_of(&all[0]), company, location, months, payroll }
}

impl Two {
    async fn onboarded(&self, name: &str, pay: (&str, &str, &str)) -> String {
        self.company.onboarded(name, &self.location, pay).await.0
    }

    async fn salaried(&self, name: &str) -> String {
        self.onboarded(name, ("52000.00", "Year", "Exempt")).await
    }

    async fn hourly(&self, name: &str) -> String {
        self.onboarded(name, ("20.00", "Hour", "Nonexempt")).await
    }

    /// Runs the payroll of 1 to 14 June, so that the company has paid.
    async fn run_first(&self) {
        self.company.calculate(&self.payroll).await;
        self.company.submit(&self.payroll).await;
    }

    async fn assign(&self, body: Value) {
        let answer = self.company.post(ASSIGN, body).await.is(200);
        assert_eq!(answer.text(), "", "answered without a body");
    }

    async fn preview(&self, body: Value) -> Vec<Value> {
        let told = self.company.post(PREVIEW, body.clone()).await.ok();
        assert_eq!(told["type"], body["type"]);
        told["employee_changes"].as_array().unwrap().clone()
    }

    /// Each of these employees follows months, and everybody else weeks.
    fn by_employee(&self, employees: &[&str]) -> Value {
        let list: Vec<_> = employees
            .iter()
            .map(|id| json!({ "employee_uuid": id, "pay_schedule_uuid": self.months }))
            .collect();
        json!({ "type": "by_employee", "default_pay_schedule_uuid": self.weeks, "employees": list })
    }

    fn by_pay(&self) -> Value {
        json!({ "type": "hourly_salaried", "hourly_pay_schedule_uuid": self.weeks,
                "salaried_pay_schedule_uuid": self.months })
    }

    /// The pay periods, regular ones and transitions.
    async fn periods(&self) -> Vec<Value> {
        let until = (self.company.world.now() + (24 * 89).hours()).to_string();
        let path = format!(
            "/v1/companies/{{company}}/pay_periods?payroll_types=regular,transition&start_date=2026-06-01&end_date={}",
            &until[..10]
        );
        self.company.get(path).await.list()
    }

    async fn transitions(&self) -> Vec<Value> {
        let all = self.periods().await.into_iter();
        all.filter(|one| one["payroll"]["payroll_type"] == "transition").collect()
    }

    /// Who is in a payroll.
    async fn members(&self, payroll: &str) -> Vec<String> {
        let told = self.company.put(path(payroll, "/prepare"), json!({})).await;
        let told = if told.status == 200 { told } else { self.company.get(path(payroll, "")).await };
        let all = told.ok();
        let members: Vec<String> = all["employee_compensations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| text(one, "employee_uuid"))
            .collect();
        // The list of employees says the same of the payroll, of all of them and of each.
        let listed = format!("/v1/companies/{{company}}/employees?payroll_uuid={payroll}");
        let uuids = |list: Vec<Value>| list.iter().map(|one| text(one, "uuid")).collect::<BTreeSet<_>>();
        let wanted: BTreeSet<String> = members.iter().cloned().collect();
        assert_eq!(uuids(self.company.get(&listed).await.list()), wanted);
        if let Some(one) = members.first() {
            let named = self.company.get(format!("{listed}&uuids={one}")).await.list();
            assert_eq!(uuids(named), BTreeSet::from([one.clone()]));
        }
        members
    }

    /// The pay periods in which an employee is, of those that have a payroll: each day from the first to the last is in one of them.
    async fn paid(&self, employee: &str) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        for period in self.periods().await {
            let Some(payroll) = period["payroll"]["payroll_uuid"].as_str() else { continue };
            if self.members(payroll).await.iter().any(|one| one == employee) {
                found.push((text(&period, "start_date"), text(&period, "end_date")));
            }
        }
        found.sort();
        for two in found.windows(2) {
            let end: jiff::civil::Date = two[0].1.parse().unwrap();
            assert_eq!(end.tomorrow().unwrap().to_string(), two[1].0, "{found:?}");
        }
        found
    }

    async fn wait_until(&self, day: &str) {
        self.company.world.wait_until(format!("{day}T12:00:00Z").parse().unwrap()).await;
    }
}

fn days(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(start, end)| ((*start).to_owned(), (*end).to_owned())).collect()
}

/// What a preview says of the first pay period and of the days before it.
fn told(change: &Value) -> (String, Value) {
    (text(&change["first_pay_period"], "start_date"), change["transition_pay_period"].clone())
}

#[test]
fn an_employee_with_a_schedule_of_their_own_ends_the_pay_period_that_has_begun_and_is_paid_for_each_day_once()
{
    on_both_engines(async |engine: Engine| {
        let two = two(engine).await;
        let company = &two.company;
        let (ana, max) = (two.hourly("Ana").await, two.salaried("Max").await);
        two.run_first().await;
        let body = two.by_employee(&[&max]);
        let [change]: [Value; 1] = two.preview(body.clone()).await.try_into().unwrap();
        assert_eq!((&change["employee_uuid"], &change["first_name"]), (&json!(max), &json!("Max")));
        assert_eq!(change["pay_frequency"], "Monthly, Office");
        assert_eq!(
            change["first_pay_period"],
            json!({ "pay_schedule_uuid": two.months, "start_date": "2026-07-01", "end_date": "2026-07-31",
                    "check_date": "2026-07-31" })
        );
        assert_eq!(
            change["transition_pay_period"],
            json!({ "start_date": "2026-06-29", "end_date": "2026-06-30" }),
            "weeks are paid until 28 June"
        );
        assert_eq!(company.get(ASSIGNMENTS).await.ok()["type"], "single", "a preview stores nothing");

        let known = company.count_events().await;
        two.assign(body.clone()).await;
        let told = company.get(ASSIGNMENTS).await.ok();
        assert_eq!(
            (&told["type"], &told["default_pay_schedule_uuid"]),
            (&json!("by_employee"), &json!(two.weeks))
        );
        assert_eq!(told["employees"], json!([{ "employee_uuid": max, "pay_schedule_uuid": two.months }]));
        assert_eq!(told["departments"], Value::Null);
        assert_eq!(company.get("/v1/companies/{company}").await.ok()["pay_schedule_type"], "by_employee");
        let events = company.event_types_since(known).await;
        assert_eq!(events.iter().filter(|name| *name == "pay_schedule.updated").count(), 2, "{events:?}");
        assert!(two.preview(body.clone()).await.is_empty(), "nothing is left to change");
        let known = company.count_events().await;
        two.assign(body).await;
        assert!(company.event_types_since(known).await.is_empty(), "nothing changes twice");

        let [between]: [Value; 1] = two.transitions().await.try_into().unwrap();
        assert_eq!(between["pay_schedule_uuid"], json!(two.weeks));
        let transition = text(&between["payroll"], "payroll_uuid");
        let payday = &between["payroll"]["check_date"];
        assert_eq!(
            payday, "2026-07-16",
            "that of the weeks for these days, before the first of the months, 31 July"
        );
        assert_eq!(two.members(&transition).await, std::slice::from_ref(&max));
        two.wait_until("2026-07-02").await;
        let weeks =
            [("2026-06-01", "2026-06-14"), ("2026-06-15", "2026-06-28"), ("2026-06-29", "2026-07-12")];
        assert_eq!(two.paid(&ana).await, days(&weeks));
        let of_max = [
            ("2026-06-01", "2026-06-14"),
            ("2026-06-15", "2026-06-28"),
            ("2026-06-29", "2026-06-30"),
            ("2026-07-01", "2026-07-31"),
        ];
        assert_eq!(two.paid(&max).await, days(&of_max));
    });
}

#[test]
fn days_between_two_schedules_are_paid_by_the_day_and_whoever_goes_back_has_such_days_again() {
    on_both_engines(async |engine: Engine| {
        let two = two(engine).await;
        let company = &two.company;
        let (ana, max) = (two.hourly("Ana").await, two.salaried("Max").await);
        two.run_first().await;
        two.assign(two.by_employee(&[&max])).await;
        let transition = text(&two.transitions().await[0]["payroll"], "payroll_uuid");
        two.wait_until("2026-07-02").await;

        // Two days of fourteen of a salary of 2,000.00 for two weeks, and then a twelfth of the year.
        let paid = company.calculate(&transition).await;
        assert_eq!(number(&of(&paid, &max)["gross_pay"]), "285.71");
        company.submit(&transition).await;
        let july = two.periods().await.into_iter().find(|one| one["start_date"] == "2026-07-01").unwrap();
        let july = text(&july["payroll"], "payroll_uuid");
        let paid = company.calculate(&july).await;
        assert_eq!(number(&of(&paid, &max)["gross_pay"]), "4333.33");
        assert_eq!(
            company.get(path(&july, "")).await.ok()["pay_period"]["pay_schedule_uuid"],
            json!(two.months)
        );

        // Back to one schedule for everybody: the month that has begun ends, and part of the next is paid by the day.
        let single = json!({ "type": "single", "default_pay_schedule_uuid": two.weeks });
        let [change]: [Value; 1] = two.preview(single.clone()).await.try_into().unwrap();
        assert_eq!(
            self::told(&change),
            ("2026-08-10".to_owned(), json!({ "start_date": "2026-08-01", "end_date": "2026-08-09" }))
        );
        two.assign(single).await;
        assert_eq!(company.get("/v1/companies/{company}").await.ok()["pay_schedule_type"], "single");
        two.wait_until("2026-08-11").await;
        let paid = two.paid(&max).await;
        assert_eq!(paid[4..], days(&[("2026-08-01", "2026-08-09"), ("2026-08-10", "2026-08-23")]));
        assert_eq!(two.paid(&ana).await.len(), 6);
        // Nobody follows months any more.
        two.wait_until("2026-09-15").await;
        let months =
            two.periods().await.into_iter().filter(|one| one["pay_schedule_uuid"] == json!(two.months));
        let months: Vec<_> = months.map(|one| text(&one, "start_date")).collect();
        assert_eq!(months, ["2026-07-01", "2026-08-01"], "the second is the transition");
    });
}

#[test]
fn days_before_new_terms_of_a_schedule_are_paid_as_often_as_it_pays_and_not_as_that_of_everybody_else() {
    on_both_engines(async |engine: Engine| {
        let two = two(engine).await;
        let company = &two.company;
        let max = two.salaried("Max").await;
        two.run_first().await;
        two.assign(two.by_employee(&[&max])).await;
        two.wait_until("2026-07-02").await;
        let of_months = async |start: &str| {
            let mut all = two.periods().await.into_iter();
            let found =
                all.find(|one| one["start_date"] == start && one["pay_schedule_uuid"] == json!(two.months));
            text(&found.unwrap()["payroll"], "payroll_uuid")
        };
        let july = of_months("2026-07-01").await;
        company.calculate(&july).await;
        company.submit(&july).await;
        let months = format!("/v1/companies/{{company}}/pay_schedules/{}", two.months);
        let terms = json!({ "version": company.get(&months).await.ok()["version"], "frequency": "Twice per month", "day_1": 15,
                            "day_2": 31, "anchor_pay_date": "2026-08-31", "anchor_end_of_pay_period": "2026-08-31" });
        company.put(&months, terms).await.ok();
        let transition = of_months("2026-08-01").await;
        assert_eq!(
            company.get(path(&transition, "")).await.ok()["withholding_pay_period"],
            "Twice per month"
        );
        let paid = company.calculate(&transition).await;
        assert_eq!(number(&of(&paid, &max)["gross_pay"]), "2166.67", "1 to 15 August are half a month");
    });
}

#[test]
fn a_part_of_the_employees_is_assigned_and_the_others_keep_what_was_chosen_for_them() {
    on_both_engines(async |engine: Engine| {
        let two = two(engine).await;
        let (ana, max) = (two.hourly("Ana").await, two.salaried("Max").await);
        two.run_first().await;
        two.assign(two.by_employee(&[&max])).await;
        let mut part = two.by_employee(&[&ana]);
        part["partial_assignment"] = json!(true);
        part.as_object_mut().unwrap().remove("default_pay_schedule_uuid");
        two.assign(part).await;
        let told = two.company.get(ASSIGNMENTS).await.ok();
        assert_eq!(told["employees"].as_array().unwrap().len(), 2);
        assert_eq!(told["default_pay_schedule_uuid"], json!(two.weeks), "it stays");
        // A list of all leaves out whoever is not in it: Ana's move has not begun, and is none.
        two.assign(two.by_employee(&[&max])).await;
        two.wait_until("2026-07-02").await;
        assert_eq!(two.paid(&ana).await.last().unwrap(), &days(&[("2026-06-29", "2026-07-12")])[0]);
        assert_eq!(two.paid(&max).await.last().unwrap(), &days(&[("2026-07-01", "2026-07-31")])[0]);
    });
}

#[test]
fn another_schedule_for_everybody_else_moves_them_and_leaves_those_who_have_their_own() {
    on_both_engines(async |engine: Engine| {
        let two = two(engine).await;
        let (ana, max) = (two.hourly("Ana").await, two.salaried("Max").await);
        two.run_first().await;
        let body = json!({ "type": "by_employee", "default_pay_schedule_uuid": two.months,
                           "employees": [{ "employee_uuid": ana, "pay_schedule_uuid": two.weeks }] });
        let [change]: [Value; 1] = two.preview(body.clone()).await.try_into().unwrap();
        assert_eq!(change["employee_uuid"], json!(max));
        two.assign(body).await;
        two.wait_until("2026-07-02").await;
        assert_eq!(two.paid(&ana).await.last().unwrap(), &days(&[("2026-06-29", "2026-07-12")])[0]);
        assert_eq!(
            two.paid(&max).await[2..],
            days(&[("2026-06-29", "2026-06-30"), ("2026-07-01", "2026-07-31")])
        );
        // Whoever is hired now is one of everybody else.
        let ben = two.salaried("Ben").await;
        assert_eq!(two.paid(&ben).await.last().unwrap(), &days(&[("2026-07-01", "2026-07-31")])[0]);
    });
}

#[test]
fn before_anything_was_paid_an_assignment_holds_at_once() {
    on_both_engines(async |engine: Engine| {
        let two = two(engine).await;
        let (ana, max) = (two.hourly("Ana").await, two.salaried("Max").await);
        two.assign(two.by_pay()).await;
        let told = two.company.get(ASSIGNMENTS).await.ok();
        assert_eq!(
            (&told["hourly_pay_schedule_uuid"], &told["salaried_pay_schedule_uuid"], &told["employees"]),
            (&json!(two.weeks), &json!(two.months), &Value::Null)
        );
        assert_eq!(two.paid(&ana).await, days(&[("2026-06-01", "2026-06-14"), ("2026-06-15", "2026-06-28")]));
        assert_eq!(two.paid(&max).await, days(&[("2026-06-01", "2026-06-30")]));
        assert!(two.transitions().await.is_empty());
        // An off-cycle payroll has one frequency: it is for those of a schedule, or for some who are paid as often as one another.
        let bonus = |more: Value| {
            let mut body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-15",
                                   "end_date": "2026-06-15" });
            for (key, value) in more.as_object().unwrap() {
                body[key] = value.clone();
            }
            body
        };
        let payrolls = "/v1/companies/{company}/payrolls";
        let refused = two.company.post(payrolls, bonus(json!({}))).await.refused(422);
        assert_eq!(refused.keys(), ["pay_schedule_uuid"]);
        let refused =
            two.company.post(payrolls, bonus(json!({ "employee_uuids": [ana, max] }))).await.refused(422);
        assert_eq!(refused.keys(), ["employee_uuids"]);
        let made = two.company.post(payrolls, bonus(json!({ "pay_schedule_uuid": two.months }))).await.ok();
        assert_eq!(made["withholding_pay_period"], "Monthly");
        assert_eq!(two.members(&id_of(&made)).await, std::slice::from_ref(&max));
        let made = two.company.post(payrolls, bonus(json!({ "employee_uuids": [ana] }))).await.ok();
        assert_eq!(made["withholding_pay_period"], "Every other week");
    });
}

#[test]
fn a_job_that_comes_to_be_paid_in_another_way_moves_its_employee_with_the_next_pay_period() {
    on_both_engines(async |engine: Engine| {
        let two = two(engine).await;
        let (ana, job) = two.company.onboarded("Ana", &two.location, ("20.00", "Hour", "Nonexempt")).await;
        let max = two.salaried("Max").await;
        two.assign(two.by_pay()).await;
        enter(&two.company, &two.payroll, &ana, hours("80")).await.ok();
        two.run_first().await;
        let pay = json!({ "rate": "60000.00", "payment_unit": "Year", "flsa_status": "Exempt", "effective_date": "2026-07-10" });
        let pay = two.company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), pay).await.created();
        let between = two.transitions().await;
        let expected = json!({ "start_date": "2026-07-27", "end_date": "2026-07-31" });
        assert_eq!(
            (&between[0]["start_date"], &between[0]["end_date"]),
            (&expected["start_date"], &expected["end_date"])
        );
        // Taken back, nothing is left of it.
        two.company.delete(format!("/v1/compensations/{}", id_of(&pay))).await.deleted();
        assert!(two.transitions().await.is_empty());
        let pay = json!({ "rate": "60000.00", "payment_unit": "Year", "flsa_status": "Exempt", "effective_date": "2026-07-10" });
        two.company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), pay).await.created();
        two.wait_until("2026-08-03").await;
        let of_ana = two.paid(&ana).await;
        assert_eq!(
            of_ana[of_ana.len() - 2..],
            days(&[("2026-07-27", "2026-07-31"), ("2026-08-01", "2026-08-31")])
        );
        assert_eq!(two.paid(&max).await.last().unwrap(), &days(&[("2026-08-01", "2026-08-31")])[0]);
        // Whoever is hired is in the payrolls of their own kind from the first day on.
        let ben = two.hourly("Ben").await;
        assert!(two.paid(&ben).await.iter().any(|one| *one == days(&[("2026-07-27", "2026-08-09")])[0]));
    });
}

#[test]
fn departments_have_schedules_and_whoever_comes_to_another_one_moves() {
    on_both_engines(async |engine: Engine| {
        let two = two(engine).await;
        let (ana, max) = (two.hourly("Ana").await, two.salaried("Max").await);
        let office = id_of(&two.company.post(DEPARTMENTS, json!({ "title": "Office" })).await.created());
        let change = async |what: &str, employee: &str| {
            let path = format!("/v1/departments/{office}");
            let version = two.company.get(&path).await.ok()["version"].clone();
            let body = json!({ "version": version, "employees": [{ "uuid": employee }] });
            two.company.put(format!("{path}/{what}"), body).await.ok();
        };
        change("add", &max).await;
        two.run_first().await;
        let body = json!({ "type": "by_department", "default_pay_schedule_uuid": two.weeks,
                           "departments": [{ "department_uuid": office, "pay_schedule_uuid": two.months }] });
        let [moves]: [Value; 1] = two.preview(body.clone()).await.try_into().unwrap();
        assert_eq!(moves["employee_uuid"], json!(max));
        two.assign(body).await;
        let told = two.company.get(ASSIGNMENTS).await.ok();
        assert_eq!(
            told["departments"],
            json!([{ "department_uuid": office, "pay_schedule_uuid": two.months }])
        );
        change("add", &ana).await;
        let transition = text(&two.transitions().await[0]["payroll"], "payroll_uuid");
        assert_eq!(two.members(&transition).await.len(), 2, "both leave the weeks on 1 July");
        change("remove", &ana).await;
        assert_eq!(two.members(&transition).await, std::slice::from_ref(&max));
        two.wait_until("2026-07-02").await;
        change("remove", &max).await;
        two.company.delete(format!("/v1/departments/{office}")).await.deleted();
        assert_eq!(two.company.get(ASSIGNMENTS).await.ok()["departments"], json!([]));
        two.wait_until("2026-08-11").await;
        let expected = [
            ("2026-06-29", "2026-06-30"),
            ("2026-07-01", "2026-07-31"),
            ("2026-08-01", "2026-08-09"),
            ("2026-08-10", "2026-08-23"),
        ];
        assert_eq!(two.paid(&max).await[2..], days(&expected));
    });
}

#[test]
fn whoever_leaves_and_comes_back_is_in_the_pay_periods_of_their_own_schedule() {
    on_both_engines(async |engine: Engine| {
        let two = two(engine).await;
        let (ana, max) = (two.hourly("Ana").await, two.salaried("Max").await);
        two.run_first().await;
        two.assign(two.by_employee(&[&max])).await;
        two.wait_until("2026-07-02").await;
        let leaves = json!({ "effective_date": "2026-07-10", "run_termination_payroll": true });
        let leaves = two.company.post(format!("/v1/employees/{max}/terminations"), leaves).await.created();
        let list = "/v1/companies/{company}/pay_periods/unprocessed_termination_pay_periods";
        let [last]: [Value; 1] = two.company.get(list).await.list().try_into().unwrap();
        assert_eq!(
            (&last["start_date"], &last["end_date"], &last["pay_schedule_uuid"]),
            (&json!("2026-07-01"), &json!("2026-07-31"), &json!(two.months))
        );
        let body = |start: &str, end: &str| {
            json!({ "off_cycle": true, "off_cycle_reason": "Dismissed employee", "start_date": start, "end_date": end,
                    "employee_uuids": [max] })
        };
        let payrolls = "/v1/companies/{company}/payrolls";
        let weeks = two.company.post(payrolls, body("2026-06-29", "2026-07-12")).await.refused(422);
        assert_eq!(weeks.keys(), ["start_date", "end_date"]);
        let made = two.company.post(payrolls, body("2026-07-01", "2026-07-31")).await.ok();
        assert_eq!(made["withholding_pay_period"], "Monthly");
        assert_eq!(leaves["employee_uuid"], json!(max));
        // Nobody is left who is paid by the month, so that August has no payroll.
        two.wait_until("2026-08-03").await;
        let months = || async {
            let all = two.periods().await.into_iter();
            let own = all.filter(|one| one["pay_schedule_uuid"] == json!(two.months));
            own.filter(|one| one["payroll"]["payroll_uuid"].is_string())
                .map(|one| text(&one, "start_date"))
                .collect::<Vec<_>>()
        };
        assert_eq!(months().await, ["2026-07-01"]);
        let back = json!({ "effective_date": "2026-09-07", "work_location_uuid": two.location,
                           "file_new_hire_report": false, "employment_status": "full_time" });
        two.company.post(format!("/v1/employees/{max}/rehire"), back).await.created();
        two.wait_until("2026-09-08").await;
        assert_eq!(months().await, ["2026-07-01", "2026-09-01"]);
        assert!(!two.paid(&ana).await.is_empty());
    });
}

#[test]
fn a_bonus_for_the_employees_of_all_schedules_is_one_payroll() {
    on_both_engines(async |engine: Engine| {
        let two = two(engine).await;
        let (ana, max) = (two.hourly("Ana").await, two.salaried("Max").await);
        two.assign(json!({ "type": "hourly_salaried", "hourly_pay_schedule_uuid": two.weeks,
                           "salaried_pay_schedule_uuid": two.months }))
            .await;
        let payrolls = "/v1/companies/{company}/payrolls";
        let mut body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-15",
                               "end_date": "2026-06-30", "fixed_withholding_rate": true });
        let refused = two.company.post(payrolls, body.clone()).await.refused(422);
        assert_eq!(refused.keys(), ["pay_schedule_uuid"]);
        assert!(refused.message().contains("withholding_pay_period"), "{}", refused.message());
        body["withholding_pay_period"] = json!("Every other week");
        let mut days = body.clone();
        days["off_cycle_reason"] = json!("Correction");
        two.company.post(payrolls, days).await.refused(422);
        let bonus = id_of(&two.company.post(payrolls, body.clone()).await.ok());
        assert_eq!(
            two.members(&bonus).await,
            BTreeSet::from([ana.clone(), max.clone()]).into_iter().collect::<Vec<_>>()
        );
        for who in [&ana, &max] {
            let line = json!({ "fixed_compensations": [{ "name": "Bonus", "amount": "500.00" }] });
            enter(&two.company, &bonus, who, line).await.ok();
        }
        let paid = super::calculated(&two.company, &bonus).await;
        let tax = |who: &str| {
            let taxes = of(&paid, who)["taxes"].as_array().unwrap();
            taxes.iter().find(|one| one["name"] == "Federal Income Tax").unwrap()["amount"].to_string()
        };
        assert_eq!([tax(&ana), tax(&max)], ["110.00", "110.00"], "22 % of 500.00");
        // The same for some of both.
        body["employee_uuids"] = json!([ana, max]);
        two.company.post(payrolls, body).await.ok();
    });
}

#[test]
fn a_company_that_has_paid_nothing_gets_no_transition() {
    on_both_engines(async |engine: Engine| {
        let two = two(engine).await;
        let (ana, max) = (two.hourly("Ana").await, two.salaried("Max").await);
        // Everybody followed the weeks so far, and nobody was paid by them.
        two.assign(json!({ "type": "hourly_salaried", "hourly_pay_schedule_uuid": two.weeks,
                           "salaried_pay_schedule_uuid": two.months }))
            .await;
        assert!(two.transitions().await.is_empty(), "{:?}", two.transitions().await);
        assert!(two.preview(two.by_pay()).await.is_empty());
        let notices = two.company.get("/v1/companies/{company}/notifications").await.list();
        assert!(notices.iter().all(|one| one["category"] != "pay_schedule_transition"), "{notices:?}");
        assert!(two.members(&two.payroll).await.contains(&ana));
        assert!(!two.members(&two.payroll).await.contains(&max));
        let months =
            two.periods().await.into_iter().find(|one| one["pay_schedule_uuid"] == json!(two.months));
        let months = text(&months.unwrap()["payroll"], "payroll_uuid");
        assert_eq!(two.members(&months).await, [max]);
    });
}
