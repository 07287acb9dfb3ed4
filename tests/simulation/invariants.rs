//! What must hold of every answer, of every call, and of a world at its end.

use std::collections::{BTreeMap, BTreeSet};

use domain::events::delivery::rows as deliveries;
use domain::events::webhooks::outbox;
use domain::platform::audit::seals;
use jiff::{Span, Timestamp};
use rules::Amount;
use rules::retry::WINDOW;
use serde_json::Value;
use store::params;
use uuid::Uuid;

use crate::model::{Kind, Record};
use crate::wire::{Ask, Told, text};
use crate::world::World;

store::statements! {
    EVENTS = "SELECT id, event_type, entity_type, entity_id, payload, created_at FROM events ORDER BY seq";
    EVENT = "SELECT payload FROM events WHERE id = $1";
    ENTRIES = "SELECT count(*) FROM audit WHERE company_id = $1";
    WHOLE = "PRAGMA integrity_check";
    TOUCHED = "SELECT 'employees', id, version, updated_at FROM employees \
               UNION ALL SELECT 'employee_jobs', id, version, updated_at FROM employee_jobs \
               UNION ALL SELECT 'compensations', id, version, updated_at FROM compensations \
               UNION ALL SELECT 'locations', id, version, updated_at FROM locations \
               UNION ALL SELECT 'garnishments', id, version, updated_at FROM garnishments \
               UNION ALL SELECT 'employee_benefits', id, version, updated_at FROM employee_benefits";
}

/// What is never below nothing.
const AMOUNTS: [&str; 12] = [
    "amount",
    "rate",
    "gross_pay",
    "net_pay",
    "check_amount",
    "result",
    "employee_deduction",
    "company_contribution",
    "annual_maximum",
    "pay_period_maximum",
    "total_amount",
    "hours",
];

/// Looks at an answer as every client would.
pub fn answer(ask: &Ask, told: &Told) {
    let what = || format!("{} was answered {} {}", ask.told(), told.status, told.text());
    match told.status {
        200..300 => {}
        400..500 if ask.path.starts_with("/oauth/") => {
            assert!(told.json()["error"].is_string(), "{}", what());
        }
        400..500 | 503 => {
            let told = told.json();
            let items = told["errors"].as_array().filter(|items| !items.is_empty());
            let items = items.unwrap_or_else(|| panic!("{}", what()));
            assert!(items.iter().all(|item| item["error_key"].is_string()), "{}", what());
        }
        _ => panic!("{}", what()),
    }
    if told.good() && told.body.first().is_some_and(|first| b"{[".contains(first)) {
        amounts(&told.json(), &what);
    }
}

fn amounts(value: &Value, what: &dyn Fn() -> String) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| amounts(item, what)),
        Value::Object(fields) => {
            for (name, value) in fields {
                let text = match value {
                    Value::String(text) => text.clone(),
                    Value::Number(number) => number.to_string(),
                    other => {
                        amounts(other, what);
                        continue;
                    }
                };
                if AMOUNTS.contains(&name.as_str()) {
                    let fine = Amount::parse(&text).is_ok_and(|amount| amount.millionths() >= 0);
                    assert!(fine, "{name} is {text}: {}", what());
                }
            }
        }
        _ => {}
    }
}

/// An estimate's shares of time come to the whole, exactly.
pub fn shares(estimate: &Value) {
    let parts = estimate["occupations"].as_array().unwrap();
    let share = |part: &Value| {
        let share = &part["time_percentage"];
        let share = share.as_str().map_or_else(|| share.to_string(), str::to_owned);
        Amount::parse(&share).unwrap().millionths()
    };
    assert_eq!(parts.iter().map(share).sum::<i64>(), 1_000_000, "{estimate}");
}

/// Everything that was acknowledged is there as it was acknowledged last, and what was deleted is not. What a request
/// is about whose outcome is not known yet, is left aside until it is.
pub async fn records(world: &mut World) {
    let settled = |record: &&Record| {
        let named = |path: &&String| {
            path.contains(&record.id) || (!record.owner.is_empty() && path.contains(&record.owner))
        };
        !world.in_flight.iter().any(|path| named(&path))
    };
    let all: Vec<_> = world.model.records.values().filter(settled).cloned().collect();
    for record in all {
        let token = world.base.tenants[record.tenant].token.clone();
        let told = world.peek(Ask::get(record.kind.path(&record.id), &token)).await;
        assert_eq!(told.status, 200, "{:?} {} was acknowledged: {}", record.kind, record.id, told.text());
        world.model.check(&record.id, &told.text());
        if record.kind == Kind::Estimate {
            shares(&told.json());
        }
    }
    for (id, (kind, tenant)) in world.model.deleted.clone() {
        let token = world.base.tenants[tenant].token.clone();
        let told = world.peek(Ask::get(kind.path(&id), &token)).await;
        assert_eq!(told.status, 404, "{kind:?} {id} was deleted: {}", told.text());
    }
    windows(world).await;
}

/// No two records of an employee's benefit are in force on one day.
async fn windows(world: &mut World) {
    let owners: BTreeSet<_> =
        world.model.of(Kind::Benefit).into_iter().map(|record| (record.tenant, record.owner)).collect();
    for (tenant, owner) in owners {
        let token = world.base.tenants[tenant].token.clone();
        let told = world.peek(Ask::get(format!("/v1/employees/{owner}/employee_benefits"), &token)).await;
        if told.status == 404 && world.in_flight.iter().any(|path| path.contains(&owner)) {
            continue; // deleted, perhaps
        }
        let mut held: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        for one in told.json().as_array().unwrap() {
            let last = one["expiration_date"].as_str().unwrap_or("9999-12-31").to_owned();
            held.entry(text(one, "company_benefit_uuid"))
                .or_default()
                .push((text(one, "effective_date"), last));
        }
        for windows in held.values_mut() {
            windows.sort();
            assert!(windows.iter().all(|(first, last)| first <= last), "{windows:?}");
            assert!(windows.windows(2).all(|two| two[0].1 < two[1].0), "{owner}: {windows:?} overlap");
        }
    }
}

/// Calls that came since the last look are of events that were committed, with their bytes and right signatures.
pub async fn deliveries(world: &mut World) {
    let wrong = world.network.wrong();
    assert!(wrong.is_empty(), "{wrong:?}");
    let new = world.network.since(world.looked_at);
    world.looked_at += new.len();
    for call in new {
        let id: Uuid = call.event.parse().unwrap();
        let payload = world
            .read(move |tx| Ok(tx.find_row(EVENT, params![id], |row| row.json(0).map(str::to_owned))?))
            .await;
        let payload = payload.flatten();
        assert_eq!(payload.as_deref(), Some(&*call.body), "event {id} came, and was not committed");
    }
}

/// A version and a moment of change of each record; neither goes back.
pub type Touched = BTreeMap<(String, Uuid), (i64, Timestamp)>;

/// Looks at the version and moment of change of every record, and holds them against those of before.
pub async fn touched(world: &World, before: &mut Touched) {
    let now = world.read(|tx| {
        Ok(tx.query_rows(TOUCHED, params![], |row| {
            ((row.get::<&str>(0).to_owned(), row.get(1)), (row.get::<i64>(2), row.get(3)))
        })?)
    });
    for (record, (version, at)) in now.await {
        if let Some((old, then)) = before.insert(record.clone(), (version, at)) {
            assert!(version >= old && at >= then, "{record:?} went back from {old} {then} to {version} {at}");
            assert!(version == old || at > then, "{record:?}: version {old} to {version}, {then} to {at}");
        }
    }
}

struct Event {
    id: String,
    event_type: String,
    entity_type: String,
    entity: String,
    at: Timestamp,
}

async fn all_events(world: &World) -> Vec<Event> {
    world
        .read(|tx| {
            Ok(tx.query_rows(EVENTS, params![], |row| Event {
                id: row.get::<Uuid>(0).to_string(),
                event_type: row.get(1),
                entity_type: row.get(2),
                entity: row.get::<Uuid>(3).to_string(),
                at: row.get(5),
            })?)
        })
        .await
}

/// Of each acknowledged change there is its event, once; and no event is of a record that nobody was told of.
pub async fn events(world: &World) {
    let since = world.base.begins;
    let mut found: BTreeMap<(String, String), usize> = BTreeMap::new();
    let types: BTreeSet<String> = world.model.events.keys().map(|(event, _)| event.clone()).collect();
    for event in all_events(world).await.into_iter().filter(|event| event.at > since) {
        let kind = match event.entity_type.as_str() {
            "Employee" => Some(Kind::Employee),
            "Location" => Some(Kind::Location),
            "EmployeeBenefit" => Some(Kind::Benefit),
            _ => None,
        };
        let of_base = world.base.tenants.iter().any(|tenant| tenant.employees.contains(&event.entity));
        let known = world.model.records.contains_key(&event.entity);
        let known = known || world.model.deleted.contains_key(&event.entity) || of_base;
        assert!(kind.is_none() || known, "{} {} is of nothing that was told", event.event_type, event.entity);
        if types.contains(&event.event_type) {
            *found.entry((event.event_type, event.entity)).or_default() += 1;
        }
    }
    for (key, count) in &world.model.events {
        let there = found.remove(key).unwrap_or(0);
        let more = world.model.onboarding.contains(&key.1) && key.0 == "employee.updated";
        assert!(there == *count || (more && there > *count), "{there} events {key:?}, and not {count}");
    }
    // Those of the schedule begin with their pay periods.
    found.retain(|(event, record), _| {
        event != "payroll.created"
            && !(event == "employee.updated" && world.model.onboarding.contains(record))
    });
    assert!(found.is_empty(), "events of no acknowledged change: {found:?}");
}

/// Seconds after the first try before which the last one does not take place: 85 hundredths of the three days, for chance
/// brings it forward by less. How many tries there were says nothing: a receiver that asks to be left alone uses up retries.
const LAST_TRY: i64 = WINDOW / 1_000 * 85 / 100;

/// Everything is delivered once the network is calm: to each subscription what happened since it was verified, at least
/// once; but for what was given up after the last of its tries.
pub async fn delivered(world: &mut World) {
    for round in 0.. {
        assert!(round < 400, "deliveries never end");
        outbox::number_all(&world.app().store).await.unwrap();
        let next = world.read(|tx| deliveries::first_due(tx, Timestamp::MAX, 1)).await;
        let Some(&(due, _)) = next.first() else { break };
        let wait = (due.as_microsecond() - world.now().as_microsecond()).max(0);
        world.work(Span::new().microseconds(wait)).await;
    }
    let (events, system) = (all_events(world).await, world.base.system.clone());
    let received: BTreeSet<_> =
        world.network.since(0).into_iter().map(|call| (call.url, call.event)).collect();
    for subscription in world.model.subscriptions.clone() {
        let Some(verified) = subscription.verified.filter(|_| !subscription.removed) else { continue };
        let path = format!("/v1/webhook_subscriptions/{}", subscription.id);
        let told = world.peek(Ask::get(path, &system)).await.json();
        if told["status"] == "unreachable" {
            let tried = world.network.longest_tried(&subscription.url);
            assert!(tried >= LAST_TRY, "{} was given up after {tried} seconds", subscription.url);
            world.counts.unreachable += 1;
            continue;
        }
        assert_eq!(told["status"], "verified", "{told}");
        for event in events.iter().filter(|event| event.at > verified) {
            if subscription.types.contains(&event.entity_type) {
                let came = received.contains(&(subscription.url.clone(), event.id.clone()));
                // A receiver to which something else gets through stays, and loses what it has refused for three days.
                let given_up = world.network.tried_for(&subscription.url, &event.id) >= LAST_TRY;
                assert!(
                    came || given_up,
                    "{} {} never came to {}",
                    event.event_type,
                    event.id,
                    subscription.url
                );
            }
        }
    }
}

/// The audit log is sealed and nothing in it was changed.
pub async fn sealed(world: &World) {
    let store = &world.app().store;
    seals::seal_all(store, world.now()).await.unwrap();
    for tenant in &world.base.tenants {
        let company = tenant.id;
        let chain = seals::check_seal_chain(store, company, None).await.unwrap();
        assert!(chain.broken.is_none(), "{:?}", chain.broken);
        let entries =
            world.read(move |tx| Ok(tx.find_row(ENTRIES, params![company], |row| row.get::<i64>(0))?));
        assert_eq!(entries.await, Some(chain.entries + chain.unsealed));
    }
}

/// The file is whole.
pub async fn whole(world: &World) {
    let told =
        world.read(|tx| Ok(tx.query_rows(WHOLE, params![], |row| row.get::<&str>(0).to_owned())?)).await;
    assert_eq!(told, ["ok"]);
}
