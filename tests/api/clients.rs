//! Many clients at once: nobody's change is lost, and nobody is told that something is the service's fault.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::{Engine, id_of, on_both_engines, text};

const CLIENTS: u8 = 32;

#[test]
fn thirty_two_clients_change_one_employee_and_no_change_is_lost() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let mut clients = JoinSet::new();
        for letter in 0..CLIENTS {
            let (company, employee) = (company.clone(), employee.clone());
            let letter = char::from_u32(u32::from('А') + u32::from(letter)).unwrap();
            clients.spawn(async move {
                loop {
                    let read = company.read("employees", &employee).await;
                    let body = json!({ "version": read["version"], "last_name": format!("{}{letter}", text(&read, "last_name")) });
                    let answer = company.put(format!("/v1/employees/{employee}"), body).await;
                    match answer.status.as_u16() {
                        200 => return,
                        409 => continue,
                        _ => panic!("{answer:?}"),
                    }
                }
            });
        }
        clients.join_all().await;
        let name = text(&company.read("employees", &employee).await, "last_name");
        let mut letters: Vec<char> = name.strip_prefix("Alvarez").unwrap().chars().collect();
        letters.sort_unstable();
        letters.dedup();
        assert_eq!(letters.len(), usize::from(CLIENTS), "{name}");
        assert_eq!(company.count_events().await, 1 + usize::from(CLIENTS));
    });
}

#[test]
fn of_many_updates_on_one_version_exactly_one_is_taken() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        for (kind, id, field) in [
            ("employees", &hired.id, "preferred_first_name"),
            ("locations", &hired.location, "street_1"),
            ("jobs", &hired.job, "title"),
            ("compensations", &hired.compensation, "title"),
        ] {
            let version = company.read(kind, id).await["version"].clone();
            let mut clients = JoinSet::new();
            for n in 0..CLIENTS {
                let (company, path, version) = (company.clone(), format!("/v1/{kind}/{id}"), version.clone());
                let name = format!("{kind} {}", "a".repeat(usize::from(n) + 1));
                clients.spawn(async move {
                    let answer = company.put(path, json!({ "version": version, field: name })).await;
                    (answer.status.as_u16(), name)
                });
            }
            let mut answers = clients.join_all().await;
            answers.sort();
            assert_eq!(answers[0].0, 200, "{kind}");
            assert!(answers[1..].iter().all(|(status, _)| *status == 409), "{kind}");
            assert_eq!(text(&company.read(kind, id).await, field), answers[0].1, "{kind}");
        }
    });
}

#[test]
fn of_many_jobs_with_one_title_exactly_one_is_created() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        let path = format!("/v1/employees/{employee}/jobs");
        let mut clients = JoinSet::new();
        for _ in 0..CLIENTS {
            let (company, path) = (company.clone(), path.clone());
            let body = json!({ "title": "Cook", "hire_date": "2026-07-01" });
            clients.spawn(async move { company.post(path, body).await.status.as_u16() });
        }
        let mut answers = clients.join_all().await;
        answers.sort_unstable();
        assert_eq!(answers[0], 201);
        assert!(answers[1..].iter().all(|status| *status == 422));
        let jobs = company.get(&path).await.list();
        assert_eq!(jobs.iter().filter(|job| job["primary"] == true).count(), 1);
    });
}

#[test]
fn of_many_locations_that_want_the_mail_the_last_one_has_it() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let mut locations = Vec::new();
        for _ in 0..8 {
            locations.push(id_of(&company.location("TX").await));
        }
        let mut clients = JoinSet::new();
        for id in locations {
            let company = company.clone();
            clients.spawn(async move {
                loop {
                    let version = &company.read("locations", &id).await["version"];
                    let body = json!({ "version": version, "mailing_address": true, "filing_address": true });
                    if company.put(format!("/v1/locations/{id}"), body).await.status == 200 {
                        return;
                    }
                }
            });
        }
        clients.join_all().await;
        let all = company.get("/v1/companies/{company}/locations").await.list();
        for field in ["mailing_address", "filing_address"] {
            assert_eq!(all.iter().filter(|location| location[field] == true).count(), 1, "{field}");
        }
    });
}

#[test]
fn many_clients_with_work_of_their_own_do_not_disturb_each_other() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let mut clients = JoinSet::new();
        for _ in 0..CLIENTS {
            let world = world.clone();
            clients.spawn(async move {
                let company = world.company().await;
                let hired = company.hire("Ana", "2026-07-01").await;
                company.ask_for(&hired.id, "self_onboarding_invited").await.ok();
                company.world.call("GET", company.link(&hired.id).await).send().await.is(303);
                let told = company.read("employees", &hired.id).await;
                assert_eq!(told["onboarding_status"], "self_onboarding_invited_started");
                let types: Vec<Value> =
                    company.events().await.into_iter().map(|e| json!(e.event_type)).collect();
                (json!([told["jobs"][0]["rate"], told["title"]]), types)
            });
        }
        let answers = clients.join_all().await;
        assert!(answers.iter().all(|answer| *answer == answers[0]));
    });
}
