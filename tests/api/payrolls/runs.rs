//! Calculations as work in the background: what is changed meanwhile, what a crash leaves, two nodes, and events.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use domain::Error;
use domain::pay::payrolls::closing::processing;
use domain::pay::payrolls::run::calculation;
use domain::pay::payrolls::run::calculation::{Attempt, Changed};
use domain::platform::jobs;
use serde_json::{Value, json};
use store::params;

use super::{company, enter, hours, number, of, path, read};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

store::statements! {
    IMPORTED = "INSERT INTO audit (company_id, id, actor_kind, actor_id, action, entity_type, entity_id, request_id, from_ip, changes, created_at) \
                SELECT company_id, $2, actor_kind, actor_id, 'updated', 'compensations', entity_id, request_id, from_ip, changes, created_at \
                FROM audit WHERE company_id = $1 ORDER BY id LIMIT 1";
    STORED = "SELECT count(*) FROM payroll_results WHERE company_id = $1";
}

/// Asks for a calculation and leaves it to whoever looks for work.
pub(super) async fn request(company: &Company, payroll: &str) {
    company.put(path(payroll, "/calculate"), json!({})).await.is(202);
}

/// Some pages of all that is told of a payroll but the moment of its calculation.
async fn everything(company: &Company, payroll: &str, pages: &[usize]) -> String {
    let mut all = String::new();
    for page in pages {
        let include = format!("?include=benefits,deductions,taxes,totals,payroll_taxes&per=100&page={page}");
        let mut told = company.get(path(payroll, &include)).await.ok();
        assert!(told["calculated_at"].take().is_string());
        all += &told.to_string();
    }
    all
}

async fn stored(company: &Company) -> i64 {
    let id = company.id;
    let count = company
        .world
        .app
        .store
        .read(move |tx| Ok::<_, Error>(tx.find_row(STORED, params![id], |row| row.get::<i64>(0))?));
    count.await.unwrap().unwrap()
}

/// Drives some work until it has been polled so often, and then drops it, as a crash would; its result, if it ended.
async fn until_dropped<F: Future>(work: F, most: usize) -> Option<F::Output> {
    let (mut work, mut polls) = (pin!(work), 0);
    poll_fn(move |context| {
        polls += 1;
        if polls > most {
            return Poll::Ready(None);
        }
        work.as_mut().poll(context).map(Some)
    })
    .await
}

/// Changes something that bears on an employee's pay; `ids` are those of a job, a company benefit, an off-cycle payroll
/// that is calculated, and the payroll that is being calculated.
async fn change_something(company: &Company, change: &str, ana: &str, ids: &[String; 4]) {
    let [job, offered, bonus, payroll] = ids;
    let employee = format!("/v1/employees/{ana}");
    match change {
        "raise" => {
            let raise = json!({ "rate": "21.00", "payment_unit": "Hour", "flsa_status": "Nonexempt",
                            "effective_date": "2026-06-02" });
            company.post(format!("/v1/jobs/{job}/compensations"), raise).await.created();
        }
        "w4" => {
            let path = format!("{employee}/federal_taxes");
            let version = company.get(&path).await.ok()["version"].clone();
            let form =
                json!({ "version": version, "w4_data_type": "rev_2020_w4", "filing_status": "Married" });
            company.put(path, form).await.ok();
        }
        "address" => {
            let brooklyn = id_of(&company.location("NY").await);
            let body = json!({ "location_uuid": brooklyn, "effective_date": "2026-06-10" });
            company.post(format!("{employee}/work_addresses"), body).await.created();
        }
        "benefit" => {
            let held = json!({ "company_benefit_uuid": offered, "employee_deduction": "100.00",
                           "effective_date": "2026-06-01" });
            company.post(format!("{employee}/employee_benefits"), held).await.created();
        }
        "order" => {
            let order =
                json!({ "court_ordered": true, "description": "Levy", "amount": "10.00", "recurring": true });
            company.post(format!("{employee}/garnishments"), order).await.created();
        }
        "account" => {
            let body = json!({ "name": "Savings", "routing_number": "021001208", "account_number": "40070045",
                           "account_type": "Savings" });
            company.post(format!("{employee}/bank_accounts"), body).await.created();
        }
        "balances" => {
            let body = json!({ "year": 2026, "wages": [{ "name": "gross", "amount": "10.00" }] });
            company.put(format!("{employee}/opening_balances"), body).await.ok();
        }
        "entered" => {
            enter(company, payroll, ana, hours("81")).await.ok();
            request(company, payroll).await;
        }
        _ => drop(company.submit(bonus).await),
    }
}

#[test]
fn what_bears_on_pay_and_is_changed_during_a_calculation_is_noticed() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, job) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let offered = json!({ "benefit_type": 5, "description": "401(k)" });
        let offered = company.post("/v1/companies/{company}/company_benefits", offered).await.created();
        let bonus = company.off_cycle(&[&ana]).await;
        company.calculate(&bonus).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        let store = &company.world.app.store;
        let id = payroll.parse().unwrap();
        let ids = [id_of(&job), id_of(&offered), bonus, payroll.clone()];
        let changes = [
            "raise",
            "w4",
            "address",
            "benefit",
            "order",
            "balances",
            "entered",
            "another payroll",
            // Last: the other payroll, which pays Ana, is calculated again after it.
            "account",
        ];
        for change in changes {
            if change == "another payroll" {
                // Its first calculation was forgotten when the balances were put.
                company.calculate(&ids[2]).await;
            }
            request(&company, &payroll).await;
            let attempt = Attempt::begin(store, company.id, id).await.unwrap().unwrap();
            let before = change.len() % 2 == 0; // some before the paychecks are stored, some after
            let calculated = if before { None } else { attempt.store_paychecks(store).await.unwrap() };
            change_something(&company, change, &ana, &ids).await;
            let calculated = match calculated {
                Some(calculated) => calculated,
                None => attempt.store_paychecks(store).await.unwrap().unwrap(),
            };
            let found = attempt.finish_if_unchanged(store, &Arc::new(calculated)).await.unwrap();
            assert_ne!(found, Changed::Nothing, "{change} was overlooked");
            let told = company.get(path(&payroll, "")).await.ok();
            let status = &told["processing_request"]["status"];
            assert_eq!(
                (status, &of(&told, &ana)["gross_pay"]),
                (&json!("calculating"), &Value::Null),
                "{change}"
            );
        }
        // Done again, it holds all of that. Somebody new who is not paid yet is no reason to do it again.
        let attempt = Attempt::begin(store, company.id, id).await.unwrap().unwrap();
        let calculated = attempt.store_paychecks(store).await.unwrap().unwrap();
        company.employee("Ben").await;
        assert_eq!(
            attempt.finish_if_unchanged(store, &Arc::new(calculated)).await.unwrap(),
            Changed::Nothing
        );
        let told = read(&company, &payroll, "benefits,deductions").await;
        let one = of(&told, &ana);
        // 81 hours over 14 days, one of which at 20.00 and the rest at 21.00.
        assert_eq!(number(&one["gross_pay"]), "1695.21");
        assert_eq!(
            (one["benefits"].as_array().unwrap().len(), one["deductions"].as_array().unwrap().len()),
            (1, 1)
        );
        assert!(Attempt::begin(store, company.id, id).await.unwrap().is_none(), "nothing is left to do");
    });
}

#[test]
fn an_edit_of_one_employee_during_a_calculation_works_out_that_one_again_and_nobody_else() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, job) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (max, _) = company.onboarded("Max", &location, ("30.00", "Hour", "Nonexempt")).await;
        for employee in [&ana, &max] {
            enter(&company, &payroll, employee, hours("80")).await.ok();
        }
        let (store, id) = (&company.world.app.store, payroll.parse().unwrap());
        let begun = async || {
            request(&company, &payroll).await;
            let attempt = Attempt::begin(store, company.id, id).await.unwrap().unwrap();
            let calculated = attempt.store_paychecks(store).await.unwrap().unwrap();
            (attempt, calculated)
        };
        let (attempt, calculated) = begun().await;
        let raise = json!({ "rate": "21.00", "payment_unit": "Hour", "flsa_status": "Nonexempt",
                            "effective_date": "2026-06-01" });
        company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), raise).await.created();
        assert_eq!(attempt.settle_run(store, calculated).await.unwrap(), Some(1));
        let told = read(&company, &payroll, "totals").await;
        let gross = |employee: &str| number(&of(&told, employee)["gross_pay"]);
        assert_eq!((gross(&ana), gross(&max)), ("1680.00".to_owned(), "2400.00".to_owned()));
        // The sums are those of a calculation of everybody.
        let totals = told["totals"].clone();
        company.calculate(&payroll).await;
        assert_eq!(read(&company, &payroll, "totals").await["totals"], totals);
        assert_eq!(totals["gross_pay"], "4080.00");

        // After an import of many people their changes are only counted.
        let id_of_company = company.id;
        let many = store.write(move |tx| {
            for _ in 0..2_000 {
                let entry = tx.new_id();
                tx.insert_row(IMPORTED, params![id_of_company, entry])?;
            }
            Ok::<_, Error>(())
        });
        many.await.unwrap();
        let (attempt, calculated) = begun().await;
        assert_eq!(attempt.settle_run(store, calculated).await.unwrap(), Some(0));
        let (attempt, calculated) = begun().await;
        let later = json!({ "rate": "22.00", "payment_unit": "Hour", "flsa_status": "Nonexempt",
                            "effective_date": "2026-06-03" });
        company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), later).await.created();
        assert_eq!(attempt.settle_run(store, calculated).await.unwrap(), None);
        company.world.app.store.clock().advance_to(company.world.now() + jiff::Span::new().seconds(90));

        // Nothing changed, nobody is worked out again; a location concerns everybody.
        let (attempt, calculated) = begun().await;
        assert_eq!(attempt.settle_run(store, calculated).await.unwrap(), Some(0));
        let (attempt, calculated) = begun().await;
        let place = format!("/v1/locations/{location}");
        let version = company.get(&place).await.ok()["version"].clone();
        company.put(&place, json!({ "version": version, "phone_number": "2105550199" })).await.ok();
        assert_eq!(attempt.settle_run(store, calculated).await.unwrap(), None);
    });
}

#[test]
fn a_crash_at_any_moment_of_a_calculation_leaves_the_payroll_whole_and_a_restart_ends_it() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let crowd = 1_100; // three spans
        company.crowd(&location, crowd).await;
        company.calculate(&payroll).await;
        let pages = [1, 6, 11];
        let reference = everything(&company, &payroll, &pages).await;
        let (store, id) = (&company.world.app.store, payroll.parse().unwrap());
        let (mut crashes, mut polls) = (0, 1);
        loop {
            request(&company, &payroll).await;
            let ended = until_dropped(calculation::calculate_payroll(store, company.id, id), polls).await;
            if let Some(done) = ended {
                done.unwrap();
                break;
            }
            crashes += 1;
            polls += 1;
            // What was on its way to the disk may have got there.
            let told = company.get(path(&payroll, "")).await.ok();
            let none = told["employee_compensations"][0]["gross_pay"].is_null();
            match text(&told["processing_request"], "status").as_str() {
                "calculating" => assert!(none && told["calculated_at"].is_null(), "{told}"),
                "calculate_success" => assert!(!none, "{told}"),
                other => panic!("{other}"),
            }
            company.work().await;
            assert_eq!(everything(&company, &payroll, &pages).await, reference, "after {polls} steps");
        }
        assert!(crashes >= 3, "{crashes} moments were looked at");
        assert!(stored(&company).await > i64::try_from(crowd).unwrap(), "crashes left something");
        // Nobody names what they left, and it is swept away.
        let nobody = uuid::Uuid::nil();
        let sweep = store.write(move |tx| {
            let due = tx.now() + jiff::Span::new().hours(48);
            jobs::schedule_job(tx, nobody, jobs::JobKind::Retention, nobody, due)
        });
        sweep.await.unwrap();
        company.world.wait(jiff::Span::new().hours(49)).await;
        assert_eq!(stored(&company).await, i64::try_from(crowd).unwrap());
        assert_eq!(everything(&company, &payroll, &pages).await, reference);
    });
}

#[test]
fn a_calculation_gives_the_same_bytes_again_in_every_answer() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        company.crowd(&location, 30).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        let told = async || {
            company.calculate(&payroll).await;
            let of = path(&payroll, &format!("/employees/{ana}"));
            let explained = company.get(format!("{of}/explain")).await.is(200).body;
            let stub = company.get(format!("{of}/pay_stub")).await.is(200).body;
            (everything(&company, &payroll, &[1]).await, explained, stub)
        };
        let (first, second) = (told().await, told().await);
        assert!(first == second);
        let paid = read(&company, &payroll, "").await;
        let everybody = paid["employee_compensations"].as_array().unwrap();
        assert!(everybody.len() > 20);
        for employee in everybody.iter().map(|one| text(one, "employee_uuid")) {
            let explained = company.get(path(&payroll, &format!("/employees/{employee}/explain"))).await.ok();
            assert_eq!(explained["note"], Value::Null, "every line is worked out again as it was paid");
        }
    });
}

#[test]
fn two_nodes_calculate_process_and_pay_a_payroll_once() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("40.00", "Hour", "Nonexempt")).await;
        let order = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                            "deduct_as_percentage": true, "pay_period_maximum": "300",
                            "child_support": { "state": "AL", "payment_period": "Every other week", "fips_code": "01000",
                                               "case_number": "AL-77" } });
        company.post(format!("/v1/employees/{ana}/garnishments"), order).await.created();
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        let (here, other) = (&company.world.app.store, company.world.second_node());
        let (there, id) = (&other.app.store, payroll.parse().unwrap());
        request(&company, &payroll).await;
        let (one, two) = tokio::join!(
            calculation::calculate_payroll(here, company.id, id),
            calculation::calculate_payroll(there, company.id, id)
        );
        one.unwrap();
        two.unwrap();
        company.put(path(&payroll, "/submit"), json!({})).await.is(202);
        let (one, two) = tokio::join!(
            processing::process_payroll(here, company.id, id),
            processing::process_payroll(there, company.id, id)
        );
        one.unwrap();
        two.unwrap();
        let remitted = company.get("/v1/companies/{company}/child_support_remittances").await.list();
        assert_eq!((remitted.len(), &remitted[0]["amount"]), (1, &json!("300.00")));
        company.world.wait(jiff::Span::new().hours(96)).await;
        let names = own_events(&company).await;
        let once = ["payroll.calculated", "payroll.processed", "payroll.paid"];
        for name in once {
            assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name}");
        }
    });
}

pub(super) async fn own_events(company: &Company) -> Vec<String> {
    let all = company.events().await.into_iter().map(|event| event.event_type);
    all.filter(|name| name.starts_with("payroll.")).collect()
}

#[test]
fn each_thing_that_happens_to_a_payroll_is_an_event() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let known = own_events(&company).await.len();
        let since = async || own_events(&company).await.split_off(known);
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        company.put(path(&payroll, "/cancel"), json!({})).await.ok();
        let expected = [
            "payroll.updated",
            "payroll.calculated",
            "payroll.submitted",
            "payroll.processed",
            "payroll.cancelled",
        ];
        assert_eq!(since().await, expected);
        // No tables of that year are held yet, and the company no longer goes on with those of the year before: the
        // calculation fails, says why, and the payroll can be deleted.
        let body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-01",
                           "end_date": "2026-06-14", "employee_uuids": [ana], "check_date": "2027-01-15" });
        let later = id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok());
        let go_on = async |yes: bool| {
            let settings = json!({ "previous_year_tables": yes });
            company.put("/v1/companies/{company}/payroll_settings", settings).await.ok();
        };
        go_on(true).await;
        request(&company, &later).await;
        go_on(false).await;
        company.work().await;
        let told = company.get(path(&later, "")).await.ok();
        let request = &told["processing_request"];
        assert_eq!(
            (&request["status"], &request["errors"][0]["error_key"]),
            (&json!("processing_failed"), &json!("check_date"))
        );
        assert!(text(&request["errors"][0], "message").contains("2027"), "{request}");
        company.delete(path(&later, "")).await.deleted();
        let more = since().await.split_off(expected.len());
        assert_eq!(more, ["payroll.created", "payroll.processing_failed", "payroll.deleted"]);
        let about: Vec<_> =
            company.events().await.into_iter().filter(|e| e.entity.to_string() == later).collect();
        assert!(about.len() == 3 && about.iter().all(|event| event.entity_type == "Payroll"));
    });
}

#[test]
fn what_a_garnishment_took_before_is_counted_from_opening_balances_once() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let order = json!({ "court_ordered": true, "description": "Levy", "amount": "100.00", "recurring": true,
                            "total_amount": "450.00" });
        let order = id_of(&company.post(format!("/v1/employees/{ana}/garnishments"), order).await.created());
        let body =
            json!({ "year": 2026, "garnishments": [{ "uuid": order, "amount": "300.00", "times": 3 }] });
        let balances = format!("/v1/employees/{ana}/opening_balances");
        let put = company.put(&balances, body).await.ok();
        assert_eq!(company.put(&balances, put.clone()).await.ok(), put, "what was read is taken as it is");
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let bonus = company.off_cycle(&[&ana]).await;
        enter(
            &company,
            &bonus,
            &ana,
            json!({ "fixed_compensations": [{ "name": "Bonus", "amount": "900.00" }] }),
        )
        .await
        .ok();
        company.calculate(&bonus).await;
        let taken = async |payroll: &str| {
            let told = read(&company, payroll, "deductions").await;
            number(&of(&told, &ana)["deductions"][0]["amount"])
        };
        assert_eq!((taken(&payroll).await, taken(&bonus).await), ("100.00".to_owned(), "50.00".to_owned()));
    });
}

#[test]
fn a_payroll_of_a_schedule_that_says_so_runs_by_itself_a_day_before_its_deadline() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        let list = "/v1/companies/{company}/pay_schedules";
        let schedule = company.get(list).await.list().remove(0);
        let change = async |auto: bool| {
            let one = format!("{list}/{}", id_of(&schedule));
            let version = company.get(&one).await.ok()["version"].clone();
            company.put(one, json!({ "version": version, "auto_payroll": auto })).await.ok();
        };
        change(true).await;
        let told = company.get(path(&payroll, "")).await.ok();
        assert_eq!((&told["auto_pilot"], &told["processed"]), (&json!(true), &json!(false)));
        // Paid on Thursday 18 June, to be submitted by Tuesday 4 pm in California: run on Monday 4 pm.
        company.world.wait_until("2026-06-15T22:59:59Z".parse().unwrap()).await;
        assert_eq!(company.get(path(&payroll, "")).await.ok()["calculated_at"], Value::Null);
        company.world.wait_until("2026-06-15T23:00:01Z".parse().unwrap()).await;
        let told = company.get(path(&payroll, "")).await.ok();
        assert_eq!(
            (&told["processed"], number(&of(&told, &max)["gross_pay"])),
            (&json!(true), "2000.00".to_owned())
        );

        // The next one finds a blocker, says so, and waits; the one after that is not wanted any more.
        let unprocessed = "/v1/companies/{company}/payrolls?processing_statuses=unprocessed";
        let next = id_of(&company.get(unprocessed).await.list()[0]);
        company.suspend().await;
        company.world.wait_until("2026-06-30T12:00:00Z".parse().unwrap()).await;
        let told = company.get(path(&next, "")).await.ok();
        let request = &told["processing_request"];
        assert_eq!((&request["status"], &told["processed"]), (&json!("processing_failed"), &json!(false)));
        assert_eq!(request["errors"][0]["category"], "payroll_blocker");
        assert_eq!(request["errors"][0]["metadata"]["key"], "suspended");
        change(false).await;
        company.world.wait_until("2026-07-15T12:00:00Z".parse().unwrap()).await;
        let open = company.get(unprocessed.to_owned() + "&end_date=2026-07-31").await.list();
        assert!(open.len() >= 2 && open[1]["processing_request"].is_null(), "{open:?}");
    });
}
