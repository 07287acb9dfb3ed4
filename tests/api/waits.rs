//! How often a request waits for a database server. Each wait costs the service more than what it asks for, so that a statement
//! that comes to wait for itself again is seen here.

use std::time::Duration;

use domain::access::users::Role;
use domain::pay::payrolls::closing::processing;
use domain::pay::payrolls::run::calculation;
use serde_json::json;
use store::Clock;

use crate::console::signed_in;
use crate::line::Line;
use crate::oauth::user;
use crate::postgres_server;
use crate::support::{Company, Engine, World, id_of, open_store_with, text};

/// Requests that are counted, and those before them: each connection has its statements prepared once, and learns which
/// units wait once.
const COUNTED: u64 = 12;
const BEFORE: u64 = 40;
/// What may come in between: a token is looked up again after a while.
const OTHERS: u64 = 3;
/// How often it is counted. What else comes in between can only add to it, so that the least is what the requests need.
const TIMES: u64 = 3;

/// A company whose store is reached by a line that counts.
async fn company() -> Option<(Line, Company)> {
    postgres_server::server()?;
    let mut place = Engine::Postgres.empty_database();
    let (line, through) = Line::before(&place.url);
    place.url = through;
    let company = World::open(place, |_| {}).await.company().await;
    Some((line, company))
}

/// How often the server was sent something for one request, at most.
async fn sent(line: &Line, mut request: impl AsyncFnMut(u64)) -> u64 {
    for number in 0..BEFORE {
        request(number).await;
    }
    let mut least = u64::MAX;
    for time in 0..TIMES {
        let (before, first) = (line.sent(), BEFORE + time * COUNTED);
        for number in first..first + COUNTED {
            request(number).await;
        }
        least = least.min(line.sent() - before);
    }
    assert!(least >= COUNTED, "{least} for {COUNTED} requests: they do not go through the line");
    (least - OTHERS.min(least)).div_ceil(COUNTED)
}

#[test]
fn a_read_is_sent_at_once_a_list_in_two_and_a_create_with_its_commit_in_two() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let Some((line, company)) = company().await else { return };
        let create = async |number: u64| {
            let person = json!({ "first_name": "Ada", "last_name": format!("Number {number}") });
            let call = company.call("POST", "/v1/companies/{company}/employees").json(&person);
            call.header("Idempotency-Key", format!("key-{number}")).send().await.is(201);
        };
        // Whether the key was used before, and everything else with COMMIT.
        assert_eq!(sent(&line, create).await, 2, "a create");

        let all = company.get("/v1/companies/{company}/employees").await;
        let ids: Vec<String> = all
            .is(200)
            .json()
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["uuid"].as_str().unwrap().to_owned())
            .collect();
        let read = async |number: u64| {
            company.get(format!("/v1/employees/{}", ids[number as usize % ids.len()])).await.is(200);
        };
        // The employee and what belongs to it are one group of statements, without BEGIN and COMMIT.
        assert_eq!(sent(&line, read).await, 1, "a read");

        let list = async |_| {
            company.get("/v1/companies/{company}/employees?page=1&per=25").await.is(200);
        };
        // The page; what belongs to those on it, and the count; and the end, which nobody waits for.
        assert_eq!(sent(&line, list).await, 3, "a list");
    });
}

#[test]
fn a_read_is_sent_at_once_whatever_belongs_to_the_employee() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let Some((line, company)) = company().await else { return };
        let location = id_of(&company.location("TX").await);
        let benefit = json!({ "benefit_type": 1, "description": "Medical" });
        let benefit = id_of(&company.post("/v1/companies/{company}/company_benefits", benefit).await.created());
        let mut people = Vec::new();
        for number in 0..3 {
            hire(&company, &location, ("25.00", "Hour", "Nonexempt"), &benefit, number).await;
        }
        for one in company.get("/v1/companies/{company}/employees").await.list() {
            if text(&one, "first_name").starts_with("Number") {
                people.push(id_of(&one));
            }
        }
        let [everything, leaves, off] = people.as_slice() else { panic!("{people:?}") };

        let vacation = json!({ "name": "Vacation", "policy_type": "vacation", "accrual_method": "per_hour_worked",
                               "accrual_rate": "1", "accrual_rate_unit": "30", "max_accrual_hours_per_year": "80",
                               "complete": true });
        let vacation = id_of(&company.post("/v1/companies/{company}/time_off_policies", vacation).await.created());
        let joins = json!({ "employees": [{ "uuid": everything, "balance": "12" }, { "uuid": off, "balance": "8" }] });
        company.put(format!("/v1/time_off_policies/{vacation}/add_employees"), joins).await.ok();
        company.job(everything, "Host", "2026-06-01").await;
        for (one, day) in [(everything, "2026-06-10"), (leaves, "2026-06-30")] {
            let last = json!({ "effective_date": day, "run_termination_payroll": false });
            company.post(format!("/v1/employees/{one}/terminations"), last).await.created();
        }
        let back = json!({ "effective_date": "2026-09-01", "file_new_hire_report": true, "work_location_uuid": location,
                           "employment_status": "full_time", "two_percent_shareholder": false });
        company.post(format!("/v1/employees/{everything}/rehire"), back).await.created();

        let shown = company.get(format!("/v1/employees/{everything}")).await.ok();
        let count = |name: &str| shown[name].as_array().unwrap().len();
        assert_eq!(
            (count("jobs"), count("garnishments"), count("terminations"), count("eligible_paid_time_off")),
            (2, 1, 1, 1),
            "{shown}"
        );
        for (who, id) in [("who has everything", everything), ("who leaves", leaves), ("with time off", off)] {
            let read = async |_| {
                company.get(format!("/v1/employees/{id}")).await.is(200);
            };
            assert_eq!(sent(&line, read).await, 1, "a read of somebody {who}");
        }
        let list = async |_| {
            company.get("/v1/companies/{company}/employees?page=1&per=25").await.is(200);
        };
        assert_eq!(sent(&line, list).await, 3, "a list of them");
    });
}

const SALARY: (&str, &str, &str) = ("52000", "Year", "Exempt");

/// Somebody with a benefit and an order of child support.
async fn hire(company: &Company, location: &str, pay: (&str, &str, &str), benefit: &str, number: usize) {
    let (id, _) = company.onboarded(&format!("Number {number}"), location, pay).await;
    let enrolled = json!({ "company_benefit_uuid": benefit, "employee_deduction": "50.00", "effective_date": "2026-06-01",
                           "company_contribution": "100.00" });
    company.post(format!("/v1/employees/{id}/employee_benefits"), enrolled).await.created();
    let support = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "10",
                          "deduct_as_percentage": true, "pay_period_maximum": "100",
                          "child_support": { "state": "AL", "payment_period": "Monthly", "fips_code": "01000",
                                             "case_number": format!("AL-{number}") } });
    company.post(format!("/v1/employees/{id}/garnishments"), support).await.created();
}

/// Who joins for the payroll of many.
const MORE: usize = 25;

#[test]
fn a_payroll_of_many_is_sent_in_as_many_pieces_as_one_of_few() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let Some((_, company)) = company().await else { return };
        let location = id_of(&company.location("TX").await);
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-18",
                               "anchor_end_of_pay_period": "2026-06-14" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        let medical = json!({ "benefit_type": 1, "description": "Medical" });
        let medical = company.post("/v1/companies/{company}/company_benefits", medical).await.created();
        // One connection, which has its statements prepared by the first payroll, and a line that the service does not use.
        let (line, own) = Line::before(company.world.url());
        let store = open_store_with(&own, 1);
        let periods = "/v1/companies/{company}/pay_periods?start_date=2026-06-01&end_date=2026-07-12";
        let mut sent = Vec::new();
        for (place, people) in [3, 0, MORE].into_iter().enumerate() {
            for number in 0..people {
                hire(&company, &location, SALARY, &id_of(&medical), place * 100 + number).await;
            }
            let payroll = text(&company.get(periods).await.list()[place]["payroll"], "payroll_uuid");
            let payroll_id = payroll.parse().unwrap();
            let path = format!("/v1/companies/{{company}}/payrolls/{payroll}");
            company.put(format!("{path}/calculate"), json!({})).await.is(202);
            let before = line.sent();
            calculation::calculate_payroll(&store, company.id, payroll_id).await.unwrap();
            let calculated = line.sent() - before;
            company.put(format!("{path}/submit"), json!({})).await.is(202);
            let before = line.sent();
            processing::process_payroll(&store, company.id, payroll_id).await.unwrap();
            sent.push((calculated, line.sent() - before));
            let told = company.get(path).await.ok();
            assert_eq!(told["processing_request"]["status"], "submit_success", "{told}");
        }
        let (few, many) = (sent[1], sent[2]);
        assert!(few.0 <= 87 && few.1 <= 30, "{few:?}");
        // One for each of them would be 25 more. A piece of more than 64 kB is counted twice, and what is sent while an earlier
        // answer arrives joins it or does not.
        let bound = MORE as u64 / 2;
        assert!(
            many.0 <= few.0 + bound && many.1 <= few.1 + bound,
            "{few:?} with 3 people, {many:?} with 28"
        );
    });
}

#[test]
fn people_who_are_named_in_one_request_are_read_together() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let Some((line, company)) = company().await else { return };
        let location = id_of(&company.location("TX").await);
        let schedules = "/v1/companies/{company}/pay_schedules";
        let weeks = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-18",
                            "anchor_end_of_pay_period": "2026-06-14" });
        let weeks = id_of(&company.post(schedules, weeks).await.created());
        let months = json!({ "frequency": "Monthly", "anchor_pay_date": "2026-06-30", "anchor_end_of_pay_period": "2026-06-30" });
        let months = id_of(&company.post(schedules, months).await.created());
        let mut people = Vec::new();
        for number in 0..15 {
            let name = format!("Number {number}");
            people.push(company.onboarded(&name, &location, SALARY).await.0);
        }
        let own = json!({ "type": "by_employee", "default_pay_schedule_uuid": weeks,
                          "employees": [{ "employee_uuid": people[0], "pay_schedule_uuid": months }] });
        company.post(format!("{schedules}/assign"), own).await.is(200);

        let off_cycle = async |named: &[String]| {
            let body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-15",
                               "end_date": "2026-06-28", "employee_uuids": named });
            // Refused once it is known that one of them is paid by the month.
            sent(&line, async |_| {
                let refused = company.post("/v1/companies/{company}/payrolls", body.clone()).await.refused(422);
                assert_eq!(refused.keys(), ["employee_uuids"]);
            })
            .await
        };
        let (few, many) = (off_cycle(&people[..2]).await, off_cycle(&people[..15]).await);
        assert!(many <= few + 1, "a payroll of 2 is sent in {few} pieces, one of 15 in {many}");

        // A payroll that is calculated, of some and of many.
        let mut read = Vec::new();
        for named in [&people[1..3], &people[1..]] {
            let body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-15",
                               "end_date": "2026-06-28", "employee_uuids": named });
            let payroll = id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok());
            company.calculate(&payroll).await;
            let path = format!("/v1/companies/{{company}}/payrolls/{payroll}");
            let sent = sent(&line, async |_| {
                let told = company.get(&path).await.ok();
                assert_eq!(told["employee_compensations"].as_array().unwrap().len(), named.len());
            });
            read.push(sent.await);
        }
        assert!(read[1] <= read[0] + 1, "a payroll of 2 is read in {} pieces, one of 14 in {}", read[0], read[1]);

        let configs = json!({ "payment_configs": { "partner_owned_disbursement": true } });
        company.put("/v1/companies/{company}/payment_configs", configs).await.ok();
        let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-06-14").await.list();
        let period = periods.iter().find(|period| period["pay_schedule_uuid"] == json!(weeks)).unwrap();
        let payroll = text(&period["payroll"], "payroll_uuid");
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let tell = async |named: &[String]| {
            let status = "Not partner managed";
            let lines: Vec<_> =
                named.iter().map(|id| json!({ "employee_uuid": id, "payment_status": status })).collect();
            let body = json!({ "disbursements": lines });
            sent(&line, async |_| {
                let path = format!("/v1/companies/{{company}}/payrolls/{payroll}/partner_disbursements");
                let told = company.call("PATCH", path).json(&body).send().await.ok();
                assert_eq!(told["disbursements"].as_array().unwrap().len(), 14, "all are told of");
            })
            .await
        };
        let (few, many) = (tell(&people[1..3]).await, tell(&people[1..]).await);
        assert!(many <= few + 1, "2 payments are told of in {few} pieces, 14 in {many}");
    });
}

#[test]
fn a_page_of_the_console_is_refused_after_one_wait_for_a_server_that_is_silent() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let Some((line, company)) = company().await else { return };
        let admin = user(&company.world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, _) = signed_in(&company.world, &admin, "/console").await;
        browser.get("/console").await.is(200);
        line.be_silent(true);
        let began = Clock::monotonic();
        browser.call("GET", "/console").among_too_many().send().await.is(503);
        let waited = Clock::monotonic() - began;
        line.be_silent(false);
        // A silent server is given up after six seconds; the next look for one takes five.
        assert!(waited < Duration::from_secs(9), "{waited:?}");
    });
}
