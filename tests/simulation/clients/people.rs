//! People, their jobs and pay, and where they work.

use serde_json::json;

use super::{ask, good_or, some, some_tenant, somebody};
use crate::model::Kind;
use crate::wire::text;
use crate::world::World;

pub(super) async fn hire(world: &mut World) {
    let (place, name) = (some_tenant(world), world.model.name("Robin"));
    let body = json!({ "first_name": name, "last_name": "Haddad", "email": "robin@people.example",
                       "self_onboarding": world.dice.percent(30) });
    let told = world.ask(ask(world, place, "POST", "/v1/companies/{company}/employees", body)).await;
    assert_eq!(told.status, 201, "{}", told.text());
    assert_eq!(told.json()["first_name"], name);
    world.model.made(Kind::Employee, place, "", &told.json());
}

pub(super) async fn update(world: &mut World) {
    let Some(person) = some(world, Kind::Employee) else { return };
    let name = world.model.name("Kim");
    let body = json!({ "version": person.version, "preferred_first_name": name });
    let told = world.ask(ask(world, person.tenant, "PUT", &person.kind.path(&person.id), body)).await;
    assert_eq!(told.status, 200, "{}", told.text());
    assert_eq!(told.json()["preferred_first_name"], name);
    world.model.changed(&person.id, &told.json());
}

pub(super) async fn delete(world: &mut World) {
    let Some(person) = some(world, Kind::Employee) else { return };
    let ask = ask(world, person.tenant, "DELETE", &person.kind.path(&person.id), serde_json::Value::Null);
    let told = world.ask(ask).await;
    // Whoever has been onboarded, or is in a payroll, stays.
    if good_or(&told, &[422], "an employee is deleted") {
        world.model.delete(&person.id);
    }
}

pub(super) async fn onboard(world: &mut World) {
    let (place, person) = somebody(world);
    let body = if world.dice.percent(50) {
        let steps = ["federal_tax_setup", "state_tax_setup", "personal_details", "direct_deposit_setup"];
        json!({ "onboarding_steps": [{ "id": world.dice.of(&steps), "completed": world.dice.percent(70) }] })
    } else {
        let wanted = ["self_onboarding_invited", "admin_onboarding_incomplete", "onboarding_completed"];
        json!({ "onboarding_status": world.dice.of(&wanted) })
    };
    let path = format!("/v1/employees/{person}/onboarding_status");
    let told = world.ask(ask(world, place, "PUT", &path, body)).await;
    if good_or(&told, &[409, 422], "onboarding") {
        world.model.onboarding.insert(person);
    }
}

pub(super) async fn job(world: &mut World) {
    if world.dice.percent(40)
        && let Some(job) = some(world, Kind::Job)
    {
        let title = format!("Cook {}", world.model.next());
        let body = json!({ "version": job.version, "title": title });
        let told = world.ask(ask(world, job.tenant, "PUT", &job.kind.path(&job.id), body)).await;
        assert_eq!(told.status, 200, "{}", told.text());
        assert_eq!(told.json()["title"], title);
        world.model.changed(&job.id, &told.json());
        updated(world, &job.owner);
        return;
    }
    let Some(person) = some(world, Kind::Employee) else { return };
    let path = format!("/v1/employees/{}/jobs", person.id);
    let body = json!({ "title": "Waiter", "hire_date": "2026-07-01" });
    let told = world.ask(ask(world, person.tenant, "POST", &path, body)).await;
    if !good_or(&told, &[422], "a job") {
        return;
    }
    let told = told.json();
    world.model.made(Kind::Job, person.tenant, &person.id, &told);
    let empty = &told["compensations"][0];
    world.model.made(Kind::Compensation, person.tenant, &person.id, empty);
    updated(world, &person.id);
}

/// A job is a part of its employee.
fn updated(world: &mut World, employee: &str) {
    world.model.expect("employee.updated", employee);
}

pub(super) async fn pay(world: &mut World) {
    let Some(pay) = some(world, Kind::Compensation) else { return };
    let rate = format!("{}.25", 15 + world.model.next());
    let body =
        json!({ "version": pay.version, "rate": rate, "payment_unit": "Hour", "flsa_status": "Nonexempt" });
    let told = world.ask(ask(world, pay.tenant, "PUT", &pay.kind.path(&pay.id), body)).await;
    if good_or(&told, &[422], "pay") {
        assert_eq!(text(&told.json(), "rate"), rate);
        world.model.changed(&pay.id, &told.json());
    }
}

pub(super) async fn location(world: &mut World) {
    if world.dice.percent(70)
        && let Some(location) = some(world, Kind::Location)
    {
        let suite = format!("Suite {}", world.model.next());
        let body = json!({ "version": location.version, "street_2": suite });
        let told =
            world.ask(ask(world, location.tenant, "PUT", &location.kind.path(&location.id), body)).await;
        assert_eq!(told.status, 200, "{}", told.text());
        assert_eq!(told.json()["street_2"], suite);
        world.model.changed(&location.id, &told.json());
        return;
    }
    let place = some_tenant(world);
    let body = json!({ "phone_number": "7185550117", "street_1": format!("{} Wythe Corner", world.model.next()),
                       "city": "Brooklyn", "state": "NY", "zip": "11201" });
    let told = world.ask(ask(world, place, "POST", "/v1/companies/{company}/locations", body)).await;
    assert_eq!(told.status, 201, "{}", told.text());
    world.model.made(Kind::Location, place, "", &told.json());
}
