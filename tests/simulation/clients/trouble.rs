//! What clients should not do: old versions, wrong bodies, other companies' records, and the same thing at once.

use serde_json::{Value, json};

use super::{ask, good_or, some, some_tenant, tenant, terms};
use crate::model::{Kind, Record, moment};
use crate::wire::{Ask, Told, text};
use crate::world::World;

/// An identifier that nothing has.
const NOBODY: &str = "0197a1b2-0000-7000-8000-00000000dead";

fn versioned(world: &mut World) -> Option<Record> {
    let all: Vec<_> =
        world.model.records.values().filter(|record| !record.version.is_empty()).cloned().collect();
    world.dice.any(&all).cloned()
}

/// A change that a record of the kind takes.
fn change(world: &mut World, record: &Record) -> Value {
    let (number, name) = (world.model.next(), world.model.name("Lee"));
    let mut body = match record.kind {
        Kind::Location => json!({ "street_2": format!("Floor {number}") }),
        Kind::Employee => json!({ "preferred_first_name": name }),
        Kind::Job => json!({ "title": format!("Host {number}") }),
        Kind::Compensation => {
            json!({ "rate": format!("{}.75", 15 + number), "payment_unit": "Hour", "flsa_status": "Nonexempt" })
        }
        Kind::Garnishment | Kind::Benefit | Kind::Estimate => json!({ "amount": format!("{number}.25") }),
    };
    if record.kind == Kind::Benefit {
        body = json!({ "employee_deduction": format!("{number}.25") });
    }
    body["version"] = record.version.as_str().into();
    body
}

/// An update of a version that is not the record's.
pub(super) async fn stale(world: &mut World) {
    let Some(record) = versioned(world) else { return };
    let mut body = change(world, &record);
    body["version"] = "0".repeat(32).into();
    let told = world.ask(ask(world, record.tenant, "PUT", &record.kind.path(&record.id), body)).await;
    assert_eq!(told.status, 409, "{}", told.text());
}

/// A body that cannot be right.
pub(super) async fn invalid(world: &mut World) {
    let place = some_tenant(world);
    let employee = tenant(world, place).employees[0].clone();
    let of = |rest: &str| format!("/v1/employees/{employee}/{rest}");
    let benefit = tenant(world, place).benefits[0].clone();
    let (path, body) = match world.dice.below(8) {
        0 => ("/v1/companies/{company}/employees".to_owned(), json!({ "first_name": "", "last_name": 7 })),
        1 => ("/v1/companies/{company}/locations".to_owned(), json!({ "state": "ZZ", "zip": "1" })),
        2 => (
            of("employee_benefits"),
            json!({ "company_benefit_uuid": benefit, "employee_deduction": "-5.00" }),
        ),
        3 => (
            of("employee_benefits"),
            json!({ "company_benefit_uuid": NOBODY, "effective_date": "2026-02-30" }),
        ),
        4 => (of("garnishments"), json!({ "court_ordered": true, "amount": "1e400" })),
        5 => (of("salary_estimates"), json!({ "zip_code": "00000", "occupations": [] })),
        6 => (of("jobs"), json!({ "title": "x".repeat(5_000), "hire_date": "soon" })),
        _ => ("/v1/companies/{company}/payrolls".to_owned(), json!({ "off_cycle": "perhaps" })),
    };
    let told = world.ask(ask(world, place, "POST", &path, body)).await;
    assert!(matches!(told.status, 400 | 422), "{} {}", told.status, told.text());
}

/// A record of another company is not there, as one that does not exist at all.
pub(super) async fn foreign(world: &mut World) {
    let all: Vec<_> = world.model.records.values().cloned().collect();
    let Some(record) = world.dice.any(&all).cloned() else { return };
    let other = 1 - record.tenant;
    let method = *world.dice.of(&["GET", "GET", "PUT", "DELETE"]);
    let deletable = matches!(record.kind, Kind::Employee | Kind::Job | Kind::Compensation | Kind::Benefit);
    let method = if method == "DELETE" && !deletable { "GET" } else { method };
    let body = match (method, record.kind) {
        ("PUT", Kind::Estimate) => terms::occupations(world),
        ("PUT", _) => change(world, &record),
        _ => Value::Null,
    };
    let theirs = world.ask(ask(world, other, method, &record.kind.path(&record.id), body.clone())).await;
    let nobodys = world.ask(ask(world, other, method, &record.kind.path(NOBODY), body)).await;
    assert_eq!(theirs.status, 404, "{:?} {}: {}", record.kind, record.id, theirs.text());
    assert_eq!(theirs, nobodys, "what is somebody else's is told apart from what is not there");
}

/// Several do the same at once.
pub(super) async fn race(world: &mut World) {
    match world.dice.below(4) {
        0 => updates(world).await,
        1 => windows(world).await,
        2 => acceptances(world).await,
        _ => mixed(world).await,
    }
}

/// Of several updates of one version one wins.
async fn updates(world: &mut World) {
    let Some(record) = versioned(world).filter(|record| record.kind != Kind::Benefit) else { return };
    let count = 2 + world.dice.below(3);
    let mut asks = Vec::new();
    for _ in 0..count {
        let body = change(world, &record);
        asks.push(ask(world, record.tenant, "PUT", &record.kind.path(&record.id), body));
    }
    let told = world.together(asks).await;
    let won: Vec<&Told> = told.iter().filter(|told| told.good()).collect();
    let lost = told.iter().filter(|told| told.status == 409).count();
    // Pay that cannot be changed any more is refused to everybody.
    if record.kind == Kind::Compensation && told.iter().all(|told| told.status == 422) {
        return;
    }
    assert_eq!((won.len(), lost), (1, count - 1), "one wins: {told:?}");
    world.model.changed(&record.id, &won[0].json());
    if record.kind == Kind::Job {
        world.model.expect("employee.updated", &record.owner);
    }
}

/// Windows of one benefit that are asked for at once.
async fn windows(world: &mut World) {
    let Some(person) = some(world, Kind::Employee) else { return };
    let mut asks = Vec::new();
    for _ in 0..2 + world.dice.below(3) {
        let body = terms::enrollment(world, person.tenant);
        let path = format!("/v1/employees/{}/employee_benefits", person.id);
        asks.push(ask(world, person.tenant, "POST", &path, body));
    }
    for told in world.together(asks).await {
        terms::enrolled(world, person.tenant, &person.id, &told).await;
    }
}

/// An estimate is accepted by several and changed by others.
async fn acceptances(world: &mut World) {
    let Some(record) = some(world, Kind::Estimate) else { return };
    let path = record.kind.path(&record.id);
    let mut asks: Vec<Ask> = Vec::new();
    for _ in 0..2 + world.dice.below(3) {
        let accepts = world.dice.percent(60);
        let body = if accepts { json!({}) } else { terms::occupations(world) };
        let (method, path) = if accepts { ("POST", format!("{path}/accept")) } else { ("PUT", path.clone()) };
        asks.push(ask(world, record.tenant, method, &path, body));
    }
    let told = world.together(asks).await;
    let won = told.iter().filter(|told| told.good()).map(Told::json);
    let (accepted, mut changed): (Vec<_>, Vec<_>) = won.partition(|told| told["accepted_at"].is_string());
    assert!(accepted.len() <= usize::from(!record.settled), "{told:?}");
    if record.settled {
        assert!(accepted.is_empty() && changed.is_empty(), "it was accepted: {told:?}");
        return;
    }
    // Whoever had to ask again came later than those who were asked for after him.
    changed.sort_by_key(moment);
    for told in changed {
        world.model.changed(&record.id, &told);
    }
    if let Some(told) = accepted.first() {
        terms::settle(world, &record, told).await;
    }
}

/// Requests that have nothing to do with each other, among them one that is refused after it changed something, if any.
async fn mixed(world: &mut World) {
    let place = some_tenant(world);
    let mut asks = Vec::new();
    let mut names = Vec::new();
    for _ in 0..2 + world.dice.below(4) {
        let right = world.dice.percent(70);
        let name = world.model.name("Alex");
        let body = json!({ "first_name": if right { &name } else { "" }, "last_name": "Okafor" });
        names.push(name);
        asks.push(ask(world, place, "POST", "/v1/companies/{company}/employees", body));
    }
    let all = world.together(asks).await;
    for (told, name) in all.iter().zip(names) {
        if good_or(told, &[422], "an employee") {
            assert_eq!(text(&told.json(), "first_name"), name, "the answers are in another order");
            world.model.made(Kind::Employee, place, "", &told.json());
        }
    }
}
