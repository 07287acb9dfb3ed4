//! Notices to child support agencies: who is told of an employee's departure, and of a lump sum before it is paid.

use std::collections::HashSet;

use domain::Error;
use domain::withholding::garnishments::lump_sums::{self, LumpSum};
use rules::Amount;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{Company, Engine, id_of, on_both_engines, text};
use crate::terminations::{company, payroll_from, terminate, told, wait_until};

/// An order of Texas that takes half of the disposable earnings, at most 100.00 a pay period, with other fields as given.
async fn order(company: &Company, employee: &str, more: Value) -> Value {
    let mut order = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                            "deduct_as_percentage": true, "pay_period_maximum": "100.00",
                            "child_support": { "state": "TX", "payment_period": "Every other week",
                                               "fips_code": "48000", "case_number": "0012345678" } });
    for (name, value) in more.as_object().unwrap() {
        order[name] = value.clone();
    }
    company.post(format!("/v1/employees/{employee}/garnishments"), order).await.created()
}

/// How often the departure of an employee with an order was announced.
async fn announced(company: &Company) -> usize {
    let of_departures = "employee.child_support_termination_notice_due";
    told(company).await.iter().filter(|event| *event == of_departures).count()
}

#[test]
fn the_agency_of_an_order_that_is_used_up_or_over_is_told_of_no_departure() {
    on_both_engines(async |engine: Engine| {
        let (company, location) = company(engine).await;
        // What another provider took of Max's has reached its sum; that of Eva's has not, and what ends hers is her last pay.
        let mut people = Vec::new();
        for name in ["Max", "Eva", "Ida"] {
            people.push(company.onboarded(name, &location, ("52000.00", "Year", "Exempt")).await.0);
        }
        let [max, eva, ida] = [&people[0], &people[1], &people[2]];
        for (employee, total) in [(max, "500.00"), (eva, "550.00")] {
            let id = id_of(&order(&company, employee, json!({ "total_amount": total })).await);
            let taken =
                json!({ "year": 2026, "garnishments": [{ "uuid": id, "amount": "500.00", "times": 5 }] });
            company.put(format!("/v1/employees/{employee}/opening_balances"), taken).await.ok();
        }
        order(&company, ida, json!({ "ends_on": "2026-06-18" })).await;
        for employee in &people {
            terminate(&company, employee, "2026-06-20", false).await.created();
        }
        let notices = "/v1/companies/{company}/child_support_termination_notices";
        let due = async || {
            let list = company.get(notices).await.list();
            list.iter().map(|notice| text(notice, "employee_uuid")).collect::<Vec<_>>()
        };
        wait_until(&company, "2026-06-22").await;
        assert_eq!(due().await, [eva.as_str()]);
        assert_eq!(announced(&company).await, 1);
        let last = payroll_from(&company, "2026-06-15").await;
        company.calculate(&last).await;
        company.submit(&last).await;
        assert_eq!(due().await, [eva.as_str()], "the last wages took the rest of it");
        let told = company.get(notices).await.list();
        assert_eq!(told[0]["final_payment_amount"], "50.00");
    });
}

#[test]
fn an_order_that_comes_after_the_departure_is_announced_once() {
    on_both_engines(async |engine: Engine| {
        let (company, location) = company(engine).await;
        let (employee, ..) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        terminate(&company, &employee, "2026-06-20", false).await.created();
        wait_until(&company, "2026-06-22").await;
        assert_eq!(announced(&company).await, 0, "there is no order");
        let creditor =
            json!({ "court_ordered": true, "garnishment_type": "creditor_garnishment", "amount": "50" });
        company.post(format!("/v1/employees/{employee}/garnishments"), creditor).await.created();
        order(&company, &employee, json!({ "ends_on": "2026-06-18" })).await;
        assert_eq!(announced(&company).await, 0, "neither concerns an agency after the last day");
        let entered = order(&company, &employee, json!({})).await;
        assert_eq!(announced(&company).await, 1);
        let notices = company.get("/v1/companies/{company}/child_support_termination_notices").await.list();
        assert_eq!(
            notices.iter().map(|one| &one["garnishment_uuid"]).collect::<Vec<_>>(),
            [&entered["uuid"]]
        );
        let path = format!("/v1/garnishments/{}", id_of(&entered));
        let change = json!({ "version": entered["version"], "amount": "40" });
        let changed = company.put(&path, change).await.ok();
        assert_eq!(announced(&company).await, 1, "the agency knows");
        let elsewhere = json!({ "state": "FL", "payment_period": "Every other week", "fips_code": "12001",
                                "remittance_number": "0098765432" });
        let moved = json!({ "version": changed["version"], "child_support": elsewhere });
        company.put(&path, moved).await.ok();
        assert_eq!(announced(&company).await, 2, "the order is paid to another agency, which does not know");
    });
}

#[test]
fn the_agencies_of_everybody_who_left_and_of_every_lump_sum_are_told_however_many_there_are() {
    on_both_engines(async |engine: Engine| {
        let (company, location) = company(engine).await;
        // More than are read at once.
        company.crowd(&location, 60).await;
        let people = company.get("/v1/companies/{company}/employees?per=100").await.list();
        let mut orders = Vec::new();
        for employee in people.iter().map(id_of) {
            let order = order(&company, &employee, json!({ "pay_period_maximum": "200.00" })).await;
            orders.push((id_of(&order), employee.clone()));
            terminate(&company, &employee, "2026-06-20", false).await.created();
        }
        let sums: Vec<_> = orders.iter().map(|(order, employee)| lump_sum(order, employee)).collect();
        let (id, payroll) = (company.id, Uuid::from_u128(7));
        let put = company.world.app.store.write(move |tx| {
            tx.take_guard(id, "payrolls", payroll)?;
            lump_sums::replace_lump_sums(tx, id, payroll, &sums)
        });
        put.await.unwrap_or_else(|error: Error| panic!("{error:?}"));
        wait_until(&company, "2026-06-22").await;
        let notices = company.get("/v1/companies/{company}/child_support_termination_notices").await.list();
        let of = |sums: bool| {
            let own = notices.iter().filter(|notice| notice["lump_sum"].is_object() == sums);
            own.map(|notice| text(notice, "garnishment_uuid")).collect::<HashSet<_>>().len()
        };
        assert_eq!((notices.len(), of(false), of(true)), (120, 60, 60));
    });
}

/// What a calculation found of a bonus.
fn lump_sum(order: &str, employee: &str) -> LumpSum {
    LumpSum {
        payroll: Uuid::from_u128(7),
        garnishment: order.parse().unwrap(),
        employee: employee.parse().unwrap(),
        check_date: "2026-06-19".parse().unwrap(),
        amount: Amount::from_cents(50_000),
        days: 10,
        section: "of a test".to_owned(),
    }
}
