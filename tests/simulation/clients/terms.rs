//! Benefits with their windows, salary estimates, and what is taken from the pay.

use serde_json::{Value, json};

use super::{ask, good_or, read, some, somebody, tenant};
use crate::invariants;
use crate::model::{Kind, Record};
use crate::wire::{Ask, Told};
use crate::world::World;

/// Days from a first to a last one, or without an end.
fn window(world: &mut World) -> Value {
    let day = |number: i64| {
        let first = jiff::civil::date(2026, 7, 1);
        first.checked_add(jiff::Span::new().days(number)).unwrap().to_string()
    };
    let first = world.dice.between(0, 120);
    // Backwards at times.
    let last = first + world.dice.between(-1, 30);
    let open = world.dice.percent(30);
    json!({ "effective_date": day(first), "expiration_date": (!open).then(|| day(last)) })
}

pub(super) fn enrollment(world: &mut World, place: usize) -> Value {
    let mut body = window(world);
    let benefits = tenant(world, place).benefits;
    body["company_benefit_uuid"] = world.dice.of(&benefits).as_str().into();
    body["employee_deduction"] = format!("{}.00", world.model.next()).into();
    body
}

pub(super) async fn enroll(world: &mut World) {
    let (place, person) = somebody(world);
    let body = enrollment(world, place);
    let path = format!("/v1/employees/{person}/employee_benefits");
    let told = world.ask(ask(world, place, "POST", &path, body)).await;
    enrolled(world, place, &person, &told).await;
}

/// Notes a new record, and what it ended.
pub(super) async fn enrolled(world: &mut World, place: usize, person: &str, told: &Told) {
    if good_or(told, &[422], "a benefit") {
        world.model.made(Kind::Benefit, place, person, &told.json());
        others(world, person).await;
    }
}

/// Reads an employee's records again: one without an end has got one when another began.
async fn others(world: &mut World, person: &str) {
    let of: Vec<Record> =
        world.model.of(Kind::Benefit).into_iter().filter(|record| record.owner == person).collect();
    for record in of {
        let token = tenant(world, record.tenant).token;
        let told = world.peek(Ask::get(record.kind.path(&record.id), &token)).await;
        world.model.moved(&record.id, &told.json());
    }
}

pub(super) async fn change_window(world: &mut World) {
    let Some(record) = some(world, Kind::Benefit) else { return };
    let mut body = window(world);
    body["version"] = record.version.as_str().into();
    body["employee_deduction"] = format!("{}.00", world.model.next()).into();
    let told = world.ask(ask(world, record.tenant, "PUT", &record.kind.path(&record.id), body)).await;
    if good_or(&told, &[422], "a benefit") {
        world.model.changed(&record.id, &told.json());
        others(world, &record.owner).await;
    }
}

pub(super) async fn delete_window(world: &mut World) {
    let Some(record) = some(world, Kind::Benefit) else { return };
    let told =
        world.ask(ask(world, record.tenant, "DELETE", &record.kind.path(&record.id), Value::Null)).await;
    if good_or(&told, &[422], "a benefit") {
        world.model.delete(&record.id);
    }
}

/// Occupations whose shares come to the whole, or, at times, not quite.
pub(super) fn occupations(world: &mut World) -> Value {
    let levels = ["novice", "intermediate", "average", "skilled", "expert"];
    let codes = ["151252", "11-1021", "35-1011"];
    let shares: &[&str] = match world.dice.below(5) {
        0 | 1 => &["1"],
        2 => &["0.6", "0.4"],
        3 => &["0.333333", "0.333333", "0.333334"],
        _ => &["0.5", "0.4"],
    };
    let part = |(place, share): (usize, &&str)| json!({ "code": codes[place], "experience_level": levels[world.dice.below(5)], "time_percentage": share, "primary": place == 0 });
    let parts: Vec<Value> = shares.iter().enumerate().map(part).collect();
    let zip = ["78205", "11201", "96910"][world.dice.below(3)];
    json!({ "zip_code": zip, "occupations": parts })
}

pub(super) async fn estimate(world: &mut World) {
    let (place, person) = somebody(world);
    let body = occupations(world);
    let path = format!("/v1/employees/{person}/salary_estimates");
    let told = world.ask(ask(world, place, "POST", &path, body)).await;
    // There is one that is open, or the shares are not the whole.
    if good_or(&told, &[422], "an estimate") {
        invariants::shares(&told.json());
        world.model.made(Kind::Estimate, place, &person, &told.json());
    }
}

pub(super) async fn change_estimate(world: &mut World) {
    let Some(record) = some(world, Kind::Estimate) else { return };
    let body = occupations(world);
    let told = world.ask(ask(world, record.tenant, "PUT", &record.kind.path(&record.id), body)).await;
    if good_or(&told, &[409, 422], "an estimate") {
        assert!(!record.settled, "{} was accepted, and changed", record.id);
        invariants::shares(&told.json());
        world.model.changed(&record.id, &told.json());
    }
}

pub(super) async fn accept_estimate(world: &mut World) {
    let Some(record) = some(world, Kind::Estimate) else { return };
    let path = record.kind.path(&record.id) + "/accept";
    let told = world.ask(ask(world, record.tenant, "POST", &path, json!({}))).await;
    if good_or(&told, &[409], "an estimate") {
        assert!(!record.settled, "{} was accepted twice", record.id);
        settle(world, &record, &told.json()).await;
    }
}

/// From now on it stays as it is.
pub(super) async fn settle(world: &mut World, record: &Record, told: &Value) {
    assert!(told["accepted_at"].is_string(), "{told}");
    world.model.changed(&record.id, told);
    world.model.records.get_mut(&record.id).unwrap().settled = true;
    read(world, record).await;
}

pub(super) async fn garnish(world: &mut World) {
    if world.dice.percent(50)
        && let Some(record) = some(world, Kind::Garnishment)
    {
        let body = json!({ "version": record.version, "amount": format!("{}.50", world.model.next()),
                           "active": world.dice.percent(70) });
        let told = world.ask(ask(world, record.tenant, "PUT", &record.kind.path(&record.id), body)).await;
        assert_eq!(told.status, 200, "{}", told.text());
        world.model.changed(&record.id, &told.json());
        return;
    }
    let (place, person) = somebody(world);
    let body = json!({ "court_ordered": true, "garnishment_type": "creditor_garnishment", "recurring": true,
                       "amount": format!("{}.00", world.model.next()) });
    let path = format!("/v1/employees/{person}/garnishments");
    let told = world.ask(ask(world, place, "POST", &path, body)).await;
    if good_or(&told, &[422], "a garnishment") {
        world.model.made(Kind::Garnishment, place, &person, &told.json());
    }
}
