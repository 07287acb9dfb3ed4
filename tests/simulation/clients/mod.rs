//! What clients do: one step at a time, chosen by chance from a list in which some come more often.

mod connections;
mod payrolls;
mod people;
mod terms;
mod trouble;
mod webhooks;

use jiff::Span;
use serde_json::Value;

use crate::base::Tenant;
use crate::invariants;
use crate::model::{Kind, Record};
use crate::wire::{Ask, Told};
use crate::world::World;

/// Kinds of steps with how often they come.
const STEPS: [(Step, usize); 24] = [
    (Step::Hire, 6),
    (Step::UpdatePerson, 9),
    (Step::DeletePerson, 1),
    (Step::Onboard, 3),
    (Step::Job, 4),
    (Step::Pay, 6),
    (Step::Location, 4),
    (Step::Enroll, 8),
    (Step::ChangeWindow, 5),
    (Step::DeleteWindow, 2),
    (Step::Estimate, 4),
    (Step::ChangeEstimate, 4),
    (Step::AcceptEstimate, 3),
    (Step::Garnish, 5),
    (Step::Payroll, 8),
    (Step::Webhook, 7),
    (Step::Connect, 4),
    (Step::Stale, 4),
    (Step::Invalid, 5),
    (Step::Foreign, 4),
    (Step::Race, 7),
    (Step::Look, 8),
    (Step::Time, 12),
    (Step::Crash, 2),
];

#[derive(Debug, Clone, Copy)]
enum Step {
    Hire,
    UpdatePerson,
    DeletePerson,
    Onboard,
    Job,
    Pay,
    Location,
    Enroll,
    ChangeWindow,
    DeleteWindow,
    Estimate,
    ChangeEstimate,
    AcceptEstimate,
    Garnish,
    Payroll,
    Webhook,
    Connect,
    Stale,
    Invalid,
    Foreign,
    Race,
    Look,
    Time,
    Crash,
}

/// The first that is done in each world, so that there is something to work with.
pub async fn begin(world: &mut World) {
    for _ in 0..3 {
        people::hire(world).await;
    }
    people::location(world).await;
    people::job(world).await;
    webhooks::step(world).await;
    webhooks::step(world).await;
}

/// Does one thing.
pub async fn step(world: &mut World) {
    // In some worlds most of what is done is payroll.
    let much = if world.pays { 10 } else { 1 };
    let weights =
        STEPS.map(|(step, weight)| if matches!(step, Step::Payroll) { weight * much } else { weight });
    let step = STEPS[world.dice.weighted(&weights)].0;
    world.counts.steps += 1;
    world.note(&format!("step {}: {step:?}", world.counts.steps));
    match step {
        Step::Hire => people::hire(world).await,
        Step::UpdatePerson => people::update(world).await,
        Step::DeletePerson => people::delete(world).await,
        Step::Onboard => people::onboard(world).await,
        Step::Job => people::job(world).await,
        Step::Pay => people::pay(world).await,
        Step::Location => people::location(world).await,
        Step::Enroll => terms::enroll(world).await,
        Step::ChangeWindow => terms::change_window(world).await,
        Step::DeleteWindow => terms::delete_window(world).await,
        Step::Estimate => terms::estimate(world).await,
        Step::ChangeEstimate => terms::change_estimate(world).await,
        Step::AcceptEstimate => terms::accept_estimate(world).await,
        Step::Garnish => terms::garnish(world).await,
        Step::Payroll => payrolls::step(world).await,
        Step::Webhook => webhooks::step(world).await,
        Step::Connect => connections::step(world).await,
        Step::Stale => trouble::stale(world).await,
        Step::Invalid => trouble::invalid(world).await,
        Step::Foreign => trouble::foreign(world).await,
        Step::Race => trouble::race(world).await,
        Step::Look => look(world).await,
        Step::Time => time(world).await,
        Step::Crash => world.crash().await,
    }
}

/// Reads a record as a client does, and holds it against what was acknowledged.
async fn look(world: &mut World) {
    let all: Vec<_> = world.model.records.values().cloned().collect();
    let Some(record) = world.dice.any(&all).cloned() else { return };
    read(world, &record).await;
}

async fn read(world: &mut World, record: &Record) -> Value {
    let token = tenant(world, record.tenant).token;
    let told = world.ask(Ask::get(record.kind.path(&record.id), &token)).await;
    assert_eq!(told.status, 200, "{:?} {}: {}", record.kind, record.id, told.text());
    world.model.check(&record.id, &told.text());
    told.json()
}

/// Time passes: mostly with the work that falls due being done, at times without.
async fn time(world: &mut World) {
    let span = match world.dice.below(20) {
        0..=5 => Span::new(),
        6..=11 => Span::new().minutes(world.dice.between(1, 90)),
        12..=16 => Span::new().hours(world.dice.between(1, 12)),
        17..=18 => Span::new().hours(world.dice.between(12, 72)),
        _ => return long_time(world).await,
    };
    if world.dice.percent(25) {
        world.pass(span);
        world.note(&format!("nobody works until {}", world.now()));
    } else {
        world.work(span).await;
    }
}

/// Weeks, or months. Where old rows are swept on the way, what they tell is looked at before.
async fn long_time(world: &mut World) {
    if world.housekeeping {
        for _ in 0..world.dice.between(1, 4) {
            world.work(Span::new().hours(24)).await;
        }
        return;
    }
    let most = if world.dice.percent(30) { 90 } else { 14 };
    for _ in 0..world.dice.between(1, most) / 5 + 1 {
        world.work(Span::new().hours(5 * 24)).await;
    }
    invariants::records(world).await;
}

/// One of the two companies; mostly the first.
fn some_tenant(world: &mut World) -> usize {
    usize::from(world.dice.percent(25))
}

fn tenant(world: &World, place: usize) -> Tenant {
    world.base.tenants[place].clone()
}

/// A request of a company.
fn ask(world: &World, place: usize, method: &'static str, path: &str, body: Value) -> Ask {
    let tenant = &world.base.tenants[place];
    Ask::write(method, path.replace("{company}", &tenant.id.to_string()), &tenant.token, body)
}

/// A record of a kind, if there is any.
fn some(world: &mut World, kind: Kind) -> Option<Record> {
    let all = world.model.of(kind);
    world.dice.any(&all).cloned()
}

/// Somebody who can be employed for the rest: one of those hired, or of those who were there from the beginning.
fn somebody(world: &mut World) -> (usize, String) {
    match some(world, Kind::Employee).filter(|_| world.dice.clone().percent(70)) {
        Some(record) => (record.tenant, record.id),
        None => {
            let place = some_tenant(world);
            (place, world.dice.of(&world.base.tenants[place].employees).clone())
        }
    }
}

/// What was answered well, or nothing; what was refused must have been refused with one of these.
#[track_caller]
fn good_or(told: &Told, statuses: &[u16], what: &str) -> bool {
    assert!(told.good() || statuses.contains(&told.status), "{what}: {} {}", told.status, told.text());
    told.good()
}
