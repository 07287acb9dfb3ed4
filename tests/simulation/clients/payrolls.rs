//! Payrolls of the schedule and outside of it, from making them to taking them back.

use serde_json::{Value, json};

use super::{ask, good_or, some_tenant, tenant};
use crate::model::Payroll;
use crate::money;
use crate::wire::text;
use crate::world::World;

fn path(payroll: &Payroll, rest: &str) -> String {
    format!("/v1/companies/{{company}}/payrolls/{}{rest}", payroll.id)
}

pub(super) async fn step(world: &mut World) {
    let all = world.model.payrolls.clone();
    let known = world.dice.any(&all).cloned();
    match (world.dice.below(14), known) {
        (0 | 1, _) | (_, None) => create(world).await,
        (10.., _) => run_through(world).await,
        (2 | 3, Some(payroll)) => enter(world, &payroll).await,
        (4 | 5, Some(payroll)) => calculate(world, &payroll).await,
        (6 | 7, Some(payroll)) => submit(world, &payroll).await,
        (8, Some(payroll)) => cancel(world, &payroll).await,
        (_, Some(payroll)) => look(world, &payroll).await,
    }
}

/// From making a payroll to submitting it, as most are.
async fn run_through(world: &mut World) {
    let known = world.model.payrolls.len();
    create(world).await;
    let Some(payroll) = world.model.payrolls.get(known).cloned() else { return };
    for _ in 0..world.dice.between(0, 2) {
        enter(world, &payroll).await;
    }
    calculate(world, &payroll).await;
    submit(world, &payroll).await;
    let payroll = find(world, &payroll).clone();
    if payroll.processed && world.dice.percent(25) {
        cancel(world, &payroll).await;
    }
}

async fn create(world: &mut World) {
    let place = some_tenant(world);
    if world.dice.percent(50) {
        return regular(world, place).await;
    }
    let employees = tenant(world, place).employees;
    let mut chosen: Vec<_> =
        (0..world.dice.between(1, 3)).map(|_| world.dice.of(&employees).clone()).collect();
    chosen.sort();
    chosen.dedup();
    let reason = *world.dice.of(&["Bonus", "Correction", "Adhoc"]);
    let body = json!({ "off_cycle": true, "off_cycle_reason": reason, "start_date": "2026-06-01",
                       "end_date": "2026-06-14", "employee_uuids": chosen,
                       "skip_regular_deductions": world.dice.percent(30),
                       "fixed_withholding_rate": world.dice.percent(30) });
    let told = world.ask(ask(world, place, "POST", "/v1/companies/{company}/payrolls", body)).await;
    if good_or(&told, &[422], "a payroll") {
        let id = text(&told.json(), "payroll_uuid");
        world.model.expect("payroll.created", &id);
        world.model.payrolls.push(Payroll { id, tenant: place, submitted: false, processed: false });
    }
}

/// Takes up one of the schedule's payrolls, which are there without anybody's doing.
async fn regular(world: &mut World, place: usize) {
    let path = "/v1/companies/{company}/payrolls?processing_statuses=unprocessed&payroll_types=regular";
    let told = world.ask(ask(world, place, "GET", path, Value::Null)).await;
    assert_eq!(told.status, 200, "{}", told.text());
    let open: Vec<_> =
        told.json().as_array().unwrap().iter().map(|payroll| text(payroll, "payroll_uuid")).collect();
    let unknown = |id: &&String| !world.model.payrolls.iter().any(|known| known.id == **id);
    if let Some(id) = open.iter().find(unknown).cloned() {
        world.model.payrolls.push(Payroll { id, tenant: place, submitted: false, processed: false });
    }
}

/// Enters something for some of the people of a payroll.
async fn enter(world: &mut World, payroll: &Payroll) {
    let prepare = ask(world, payroll.tenant, "PUT", &path(payroll, "/prepare"), json!({}));
    let told = world.ask(prepare).await;
    if !good_or(&told, &[409, 422], "a payroll is prepared") {
        return;
    }
    let told = told.json();
    let mut lines = Vec::new();
    for line in told["employee_compensations"].as_array().unwrap() {
        if lines.is_empty() || world.dice.percent(60) {
            lines.push(entered(world, line));
        }
    }
    let body = json!({ "employee_compensations": lines });
    let told = world.ask(ask(world, payroll.tenant, "PUT", &path(payroll, ""), body)).await;
    good_or(&told, &[409, 422], "a payroll is entered into");
}

/// Hours, tips, bonuses and expenses of somebody; at times so large a bonus that a limit of the year is met.
fn entered(world: &mut World, line: &Value) -> Value {
    let dice = &mut world.dice;
    let mut cents = |chance: usize, most: i64| {
        let dollars = if dice.percent(chance) { dice.between(0, most) } else { 0 };
        format!("{dollars}.{:02}", if dollars > 0 { dice.between(0, 99) } else { 0 })
    };
    let (bonus, tips, paid_tips) = (cents(40, 5_000), cents(25, 300), cents(25, 200));
    let (expenses, large, hours) = (cents(30, 80), cents(6, 190_000), cents(80, 80));
    let mut entered = json!({ "employee_uuid": line["employee_uuid"], "version": line["version"] });
    entered["fixed_compensations"] = json!([
        { "name": "Bonus", "amount": bonus }, { "name": "Commission", "amount": large },
        { "name": "Cash Tips", "amount": tips }, { "name": "Paycheck Tips", "amount": paid_tips },
    ]);
    entered["reimbursements"] = json!([{ "amount": expenses, "description": "Parking" }]);
    if line["hourly_compensations"].as_array().is_some_and(|lines| !lines.is_empty()) {
        entered["hourly_compensations"] = json!([{ "name": "Regular Hours", "hours": hours }]);
    }
    entered
}

async fn calculate(world: &mut World, payroll: &Payroll) {
    let told = world.ask(ask(world, payroll.tenant, "PUT", &path(payroll, "/calculate"), json!({}))).await;
    if good_or(&told, &[409, 422], "a payroll is calculated") && world.work(jiff::Span::new()).await {
        let told = read(world, payroll).await;
        // Work that failed for want of room is put off.
        let state = text(&told["processing_request"], "status");
        assert!(["calculate_success", "calculating"].contains(&&*state), "{told}");
    }
}

async fn submit(world: &mut World, payroll: &Payroll) {
    let told = world.ask(ask(world, payroll.tenant, "PUT", &path(payroll, "/submit"), json!({}))).await;
    if good_or(&told, &[409, 422], "a payroll is submitted") {
        assert!(!payroll.processed, "{} was submitted twice", payroll.id);
        // While it is being processed, the same is asked for again, and is said again.
        if !payroll.submitted {
            world.model.expect("payroll.submitted", &payroll.id);
        }
        find(world, payroll).submitted = true;
        world.work(jiff::Span::new()).await;
        look(world, payroll).await;
    }
}

async fn cancel(world: &mut World, payroll: &Payroll) {
    let told = world.ask(ask(world, payroll.tenant, "PUT", &path(payroll, "/cancel"), json!({}))).await;
    if good_or(&told, &[409, 422], "a payroll is cancelled") {
        world.model.expect("payroll.cancelled", &payroll.id);
        world.counts.taken_back += 1;
        let known = find(world, payroll);
        (known.submitted, known.processed) = (false, false);
    }
}

fn find<'w>(world: &'w mut World, payroll: &Payroll) -> &'w mut Payroll {
    world.model.payrolls.iter_mut().find(|known| known.id == payroll.id).unwrap()
}

async fn read(world: &mut World, payroll: &Payroll) -> Value {
    let whole = path(payroll, "?include=taxes,benefits,deductions,totals&per=100");
    let told = world.ask(ask(world, payroll.tenant, "GET", &whole, Value::Null)).await;
    assert_eq!(told.status, 200, "{}", told.text());
    let told = told.json();
    world.counts.paychecks += money::Paycheck::all(&told).len() as u64;
    money::payroll(&told).unwrap_or_else(|why| panic!("payroll {}: {why}", payroll.id));
    told
}

/// What was processed stays so until it is taken back.
pub(super) async fn look(world: &mut World, payroll: &Payroll) {
    let told = read(world, payroll).await;
    if payroll.processed {
        assert_eq!(told["processed"], true, "{} was processed: {told}", payroll.id);
    }
    find(world, payroll).processed = told["processed"] == true;
}
