//! The kept numbers of employees: equal to counted ones whatever was done, and at once; and lists of a large company, which
//! cost what those of a small one do.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use domain::Error;
use domain::SCHEMA;
use domain::access::tokens::Caller;
use domain::paging::{Page, SortBy};

use domain::people::employees::counts;
use domain::people::employees::counts::Counts;
use domain::people::profiles::commands::Include;
use domain::people::profiles::rows::{EmployeeFilter, EmployeeKey};
use domain::people::profiles::service;
use jiff::{ToSpan, tz::TimeZone};
use serde_json::json;
use store::{Clock, Guard, MasterKeys, Options, Sql, Store, Watch};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::crowd;
use crate::dice::Dice;
use crate::support::{Answer, Company, Engine, home, id_of, on_both_engines, text};

const EMPLOYEES: &str = "/v1/companies/{company}/employees";
/// Lists whose length is exact, and how it is found.
const EXACT: [&str; 7] = [
    "",
    "onboarded=true",
    "onboarded=false",
    "onboarded_active=true",
    "terminated=true",
    "terminated_today=true",
    "onboarded=true&onboarded_active=true",
];

async fn list(company: &Company, query: &str) -> Answer {
    company.get(format!("{EMPLOYEES}?{query}")).await.is(200)
}

/// What the kept numbers lack.
async fn missing(company: &Company) -> Counts {
    let id = company.id;
    company.world.app.store.read(move |tx| counts::missing_counts(tx, id)).await.unwrap()
}

/// Holds the number that each list tells against the rows that it has.
async fn check(company: &Company, when: &str) {
    assert_eq!(missing(company).await, Counts::default(), "{when}");
    for query in EXACT {
        let there = list(company, query).await.list().len();
        let page = list(company, &format!("{query}&page=1&per=1")).await;
        assert_eq!(page.header("x-total-count"), there.to_string(), "{query}, {when}");
        assert_eq!(page.header("x-total-count-at-least"), "", "{query}, {when}");
    }
}

/// Finishes the onboarding of somebody with everything but the marks.
async fn finish(company: &Company, id: &str) -> Answer {
    let steps = company.get(format!("/v1/employees/{id}/onboarding_status")).await;
    if steps.status != 200 {
        return steps;
    }
    let steps = steps.json();
    let open = steps["onboarding_steps"].as_array().unwrap().iter();
    let open = open.filter(|step| step["completed"] == false && step["id"] != "admin_review");
    let marks: Vec<_> = open.map(|step| json!({ "id": step["id"], "completed": true })).collect();
    let done = json!({ "onboarding_steps": marks, "onboarding_status": "onboarding_completed" });
    company.put(format!("/v1/employees/{id}/onboarding_status"), done).await
}

/// Somebody of whom everything is entered that onboarding asks for.
async fn entered(company: &Company, location: &str, name: &str) -> String {
    let body = json!({ "first_name": name, "last_name": "Silva", "email": "silva@people.example",
                       "date_of_birth": "1988-08-08", "ssn": "412552001" });
    let id = id_of(&company.post(EMPLOYEES, body).await.created());
    company.work_address(&id, location).await;
    company.home_address(&id).await;
    let job = company.job(&id, "Cook", "2026-03-01").await;
    company.pay(&job, "20.00", "Hour", "Nonexempt").await;
    id
}

fn who_left(location: &str) -> serde_json::Value {
    json!({ "first_name": "Hanna", "last_name": "Voss", "date_of_birth": "1988-04-12", "ssn": "412551019",
            "email": "hanna@people.example", "work_address": { "location_uuid": location }, "home_address": home(),
            "job": { "hire_date": "2024-02-01" }, "termination": { "effective_date": "2026-03-31" } })
}

#[test]
fn kept_numbers_equal_counted_ones_after_whatever_was_done() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, other) = (world.company().await, world.company().await);
        other.employee("Ida").await;
        let location = id_of(&company.location("TX").await);
        let mut dice = Dice::new(270, "employee counts");
        let (mut people, mut onboarded) = (Vec::new(), 0);
        for round in 0..60 {
            let somebody = dice.any(&people).cloned();
            match (dice.below(8), somebody) {
                (0 | 1, _) => people.push(entered(&company, &location, "Ana").await),
                (2, _) => {
                    let hanna = company
                        .post("/v1/companies/{company}/historical_employees", who_left(&location))
                        .await;
                    people.push(id_of(&hanna.created()));
                }
                (3 | 4, Some(one)) => onboarded += u32::from(finish(&company, &one).await.status == 200),
                // Refused for whoever is onboarded, and for whoever is gone already.
                (5, Some(one)) => drop(company.delete(format!("/v1/employees/{one}")).await),
                (6, Some(one)) => {
                    let day = *dice.of(&["2026-06-10", "2026-06-20", "2026-06-30"]);
                    let body = json!({ "effective_date": day, "run_termination_payroll": false });
                    drop(company.post(format!("/v1/employees/{one}/terminations"), body).await);
                }
                (7, Some(one)) => {
                    let body = json!({ "effective_date": "2026-06-12", "file_new_hire_report": false,
                                       "work_location_uuid": location, "employment_status": "full_time",
                                       "two_percent_shareholder": false });
                    drop(company.post(format!("/v1/employees/{one}/rehire"), body).await);
                }
                _ => {}
            }
            if round % 12 == 11 {
                check(&company, &format!("after {round} operations")).await;
            }
        }
        assert!(onboarded > 2 && people.len() > 12, "{onboarded} of {}", people.len());
        world.wait(168.hours()).await;
        check(&company, "a week later, when ends of employment have taken effect").await;
        check(&other, "another company").await;
    });
}

#[test]
fn kept_numbers_equal_counted_ones_when_many_are_made_onboarded_and_deleted_at_once() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let mut people = Vec::new();
        for _ in 0..8 {
            people.push(entered(&company, &location, "Ben").await);
        }
        let mut clients = JoinSet::new();
        for one in people {
            // Of the two who come at once one finds that the other was quicker, and so do those who come twice.
            for turn in 0..4 {
                let (company, one) = (company.clone(), one.clone());
                clients.spawn(async move {
                    match turn % 2 {
                        0 => finish(&company, &one).await.status.as_u16(),
                        _ => company.delete(format!("/v1/employees/{one}")).await.status.as_u16(),
                    }
                });
            }
            let (company, body) = (company.clone(), json!({ "first_name": "Cem", "last_name": "Lee" }));
            clients.spawn(async move {
                // The same request twice makes one employee.
                let (call, key) = (company.call("POST", EMPLOYEES).json(&body), format!("cem-{one}"));
                let again = company.call("POST", EMPLOYEES).json(&body).header("Idempotency-Key", &key);
                let made = tokio::join!(call.header("Idempotency-Key", &key).send(), again.send());
                assert_eq!((made.0.status.as_u16(), made.1.status.as_u16()), (201, 201));
                201
            });
        }
        let answers = clients.join_all().await;
        for status in [200, 204] {
            println!("{} answers of {status}", answers.iter().filter(|one| **one == status).count());
        }
        assert!(answers.iter().all(|status| [200, 201, 204, 404, 422].contains(status)), "{answers:?}");
        check(&company, "after all of them").await;
        assert_eq!(list(&company, "search_term=cem").await.list().len(), 8);
    });
}

#[test]
fn pages_after_an_employee_hold_everybody_once_whoever_goes_meanwhile() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let mut ids = Vec::new();
        for number in 0..7 {
            ids.push(id_of(&company.employee(&format!("{}", char::from(b'A' + number)).repeat(2)).await));
        }
        let names = |page: &Answer| page.list().iter().map(|one| text(one, "first_name")).collect::<Vec<_>>();
        let first = list(&company, "per=3").await;
        assert_eq!(
            (names(&first), first.header("x-next-cursor")),
            (["AA", "BB", "CC"].map(str::to_owned).into(), &*ids[2])
        );
        // Who stands at the end of the page is deleted, and so is one of the next: nobody else is passed over.
        company.delete(format!("/v1/employees/{}", ids[2])).await.deleted();
        company.delete(format!("/v1/employees/{}", ids[3])).await.deleted();
        let second =
            list(&company, &format!("per=3&starting_after_uuid={}", first.header("x-next-cursor"))).await;
        assert_eq!(
            (names(&second), second.header("x-next-cursor")),
            (["EE", "FF", "GG"].map(str::to_owned).into(), "")
        );
        assert_eq!((second.header("x-page"), second.header("x-total-count")), ("", ""));
        // Newest first, with a filter, by page number, and at the end.
        let back =
            list(&company, &format!("per=2&sort_by=created_at:desc&starting_after_uuid={}", ids[5])).await;
        assert_eq!(
            (names(&back), back.header("x-next-cursor")),
            (["EE", "BB"].map(str::to_owned).into(), &*ids[1])
        );
        let filtered = list(&company, &format!("per=1&search_term=g&starting_after_uuid={}", ids[0])).await;
        assert_eq!((names(&filtered), filtered.header("x-next-cursor")), (vec!["GG".to_owned()], ""));
        assert_eq!(list(&company, "page=2&per=2").await.header("x-next-cursor"), ids[5]);
        assert_eq!(list(&company, "page=3&per=2").await.header("x-next-cursor"), "");
        for sort in ["name", "onboarding_status:desc"] {
            assert_eq!(
                list(&company, &format!("per=1&sort_by={sort}")).await.header("x-next-cursor"),
                "",
                "{sort}"
            );
        }
        let after = format!("starting_after_uuid={}", ids[0]);
        for wrong in ["sort_by=name", "page=2", &format!("uuids={}", ids[1])] {
            let refused = company.get(format!("{EMPLOYEES}?{after}&{wrong}")).await.refused(422);
            assert_eq!(refused.fault(), ("starting_after_uuid", "invalid_parameter"), "{wrong}");
        }
        let refused = company.get(format!("{EMPLOYEES}?starting_after_uuid=BB")).await.refused(422);
        assert_eq!(refused.fault(), ("starting_after_uuid", "invalid_parameter"));
    });
}

#[test]
fn a_long_search_is_counted_up_to_a_bound_that_moves_with_the_page() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let location = id_of(&company.location("TX").await);
        for _ in 0..7 {
            company.crowd(&location, 1_500).await;
        }
        for (query, total, at_least) in [
            ("search_term=erson&page=1&per=100", "10100", "true"),
            ("search_term=erson&page=5&per=100", "10500", ""),
            ("search_term=erson&page=105&per=100", "10500", ""),
            ("page=1&per=100", "10500", ""),
        ] {
            let page = list(&company, query).await;
            let told = (page.header("x-total-count"), page.header("x-total-count-at-least"));
            assert_eq!(told, (total, at_least), "{query}");
        }
        let long = company.get(EMPLOYEES).await.refused(422);
        assert_eq!(long.fault().0, "page");
    });
}

/// Steps of the engine by statement.
#[derive(Default)]
struct Steps(Mutex<HashMap<&'static str, u64>>);

impl Watch for Steps {
    fn before_write(&self, _: Sql, _: &[Guard]) {}

    fn after_query(&self, sql: Sql, steps: u64) {
        *self.0.lock().unwrap().entry(sql.text()).or_default() += steps;
    }
}

/// Steps of the engine for one list of 100 of a company with so many employees, the last of a list by pages after an employee.
async fn cost(employees: i64, filter: EmployeeFilter) -> u64 {
    let steps = Arc::new(Steps::default());
    let keys = MasterKeys::parse(&"ab".repeat(32)).unwrap();
    let watch: Arc<dyn Watch> = Arc::clone(&steps) as _;
    let options = Options { watch: Some(watch), ..Options::new(Clock::from_system(), keys, SCHEMA) };
    let store = Store::open("sqlite::memory:", options).unwrap();
    let company = Uuid::from_u128(1 << 100);
    for from in (0..employees).step_by(500) {
        let some = store.write(move |tx| {
            (from..employees.min(from + 500))
                .try_for_each(|number| crowd::member(tx, company, company, number))
        });
        some.await.unwrap();
    }
    steps.0.lock().unwrap().clear();
    // The first page, by number, and one that begins near the end.
    let listed = store.read(move |tx| {
        let caller = Caller::for_service(company, TimeZone::UTC);
        let first = service::list_employees(
            tx,
            &caller,
            &filter,
            Include::default(),
            Page::Part { page: 1, per: 100 },
        )?;
        let back = EmployeeFilter {
            sort: vec![SortBy { key: EmployeeKey::Created, descending: true }],
            ..filter.clone()
        };
        let newest = service::list_employees(
            tx,
            &caller,
            &back,
            Include::default(),
            Page::After { last: Uuid::max(), per: 100 },
        )?;
        let at = newest.items.last().map(|one| one.employee.id).unwrap_or_default();
        let end = service::list_employees(
            tx,
            &caller,
            &filter,
            Include::default(),
            Page::After { last: at, per: 100 },
        )?;
        Ok::<_, Error>((first.items.len(), first.paging, newest.items.len(), end.items.len()))
    });
    assert_eq!(listed.await.unwrap(), (100, Some((1, 100, employees)), 100, 99));
    let steps = steps.0.lock().unwrap().values().sum();
    assert!(steps > 1_000, "{steps} steps for three lists of 100");
    steps
}

#[test]
fn a_list_of_a_company_of_15_000_costs_what_it_costs_in_one_of_1_000() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for filter in [
        EmployeeFilter::default(),
        EmployeeFilter { onboarded: Some(true), ..EmployeeFilter::default() },
        EmployeeFilter { active: Some(true), ..EmployeeFilter::default() },
    ] {
        let [small, large] = [1_000, 15_000].map(|size| runtime.block_on(cost(size, filter.clone())));
        println!("{small} and {large} steps");
        assert!(large <= small + small / 20, "{small} steps with 1,000, {large} with 15,000: {filter:?}");
    }
}
