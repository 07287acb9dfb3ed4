//! Payrolls outside the schedule, from making them to taking them back.

use serde_json::{Value, json};

use super::{ask, good_or, some_tenant, tenant};
use crate::model::Payroll;
use crate::wire::text;
use crate::world::World;

fn path(payroll: &Payroll, rest: &str) -> String {
    format!("/v1/companies/{{company}}/payrolls/{}{rest}", payroll.id)
}

pub(super) async fn step(world: &mut World) {
    let all = world.model.payrolls.clone();
    let known = world.dice.any(&all).cloned();
    match (world.dice.below(10), known) {
        (0 | 1, _) | (_, None) => create(world).await,
        (2 | 3, Some(payroll)) => enter(world, &payroll).await,
        (4 | 5, Some(payroll)) => calculate(world, &payroll).await,
        (6 | 7, Some(payroll)) => submit(world, &payroll).await,
        (8, Some(payroll)) => cancel(world, &payroll).await,
        (_, Some(payroll)) => look(world, &payroll).await,
    }
}

async fn create(world: &mut World) {
    let place = some_tenant(world);
    let employees = tenant(world, place).employees;
    let employee = world.dice.of(&employees).clone();
    let body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-01",
                       "end_date": "2026-06-14", "employee_uuids": [employee] });
    let told = world.ask(ask(world, place, "POST", "/v1/companies/{company}/payrolls", body)).await;
    if good_or(&told, &[422], "a payroll") {
        let id = text(&told.json(), "payroll_uuid");
        world.model.expect("payroll.created", &id);
        world.model.payrolls.push(Payroll {
            id,
            tenant: place,
            employee,
            submitted: false,
            processed: false,
        });
    }
}

async fn enter(world: &mut World, payroll: &Payroll) {
    let prepare = ask(world, payroll.tenant, "PUT", &path(payroll, "/prepare"), json!({}));
    let told = world.ask(prepare).await;
    if !good_or(&told, &[409, 422], "a payroll is prepared") {
        return;
    }
    let told = told.json();
    let lines = told["employee_compensations"].as_array().unwrap();
    let Some(line) = lines.iter().find(|line| line["employee_uuid"] == *payroll.employee) else { return };
    let mut entered = json!({ "employee_uuid": payroll.employee, "version": line["version"] });
    entered["fixed_compensations"] =
        json!([{ "name": "Bonus", "amount": format!("{}.00", world.dice.between(0, 5_000)) }]);
    let body = json!({ "employee_compensations": [entered] });
    let told = world.ask(ask(world, payroll.tenant, "PUT", &path(payroll, ""), body)).await;
    good_or(&told, &[409, 422], "a payroll is entered into");
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
        let known = find(world, payroll);
        (known.submitted, known.processed) = (false, false);
    }
}

fn find<'w>(world: &'w mut World, payroll: &Payroll) -> &'w mut Payroll {
    world.model.payrolls.iter_mut().find(|known| known.id == payroll.id).unwrap()
}

async fn read(world: &mut World, payroll: &Payroll) -> Value {
    let whole = path(payroll, "?include=taxes,benefits,deductions,totals");
    let told = world.ask(ask(world, payroll.tenant, "GET", &whole, Value::Null)).await;
    assert_eq!(told.status, 200, "{}", told.text());
    told.json()
}

/// What was processed stays so until it is taken back.
pub(super) async fn look(world: &mut World, payroll: &Payroll) {
    let told = read(world, payroll).await;
    if payroll.processed {
        assert_eq!(told["processed"], true, "{} was processed: {told}", payroll.id);
    }
    find(world, payroll).processed = told["processed"] == true;
}
