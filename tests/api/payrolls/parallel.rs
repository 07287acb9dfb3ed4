//! Updates of one payroll at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use super::{company, hours, line, of, path, read};
use crate::support::{Company, Engine, on_both_engines};

/// What is sent for an employee, with the version that was read.
fn entry(prepared: &Value, employee: &str, regular: &str) -> Value {
    let mut one = hours(regular);
    one["employee_uuid"] = employee.into();
    one["version"] = of(prepared, employee)["version"].clone();
    json!({ "employee_compensations": [one] })
}

async fn prepared(company: &Company, payroll: &str, version: &str) -> Value {
    company.call("PUT", path(payroll, "/prepare")).version(version).json(&json!({})).send().await.ok()
}

#[test]
fn of_updates_of_one_employee_at_once_one_is_entered_and_the_others_are_told_to_read_again() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        for (version, refused) in [("2025-11-15", 422), ("2026-02-01", 409), ("2026-06-15", 409)] {
            let told = prepared(&company, &payroll, version).await;
            let (bodies, next) = ([10, 20, 30, 40], Arc::new(AtomicU32::new(0)));
            let bodies = bodies.map(|hours| entry(&told, &ana, &hours.to_string()));
            let address = path(&payroll, "");
            let statuses = company.at_once(4, move |company: Company| {
                let (body, address) =
                    (bodies[next.fetch_add(1, Ordering::SeqCst) as usize].clone(), address.clone());
                async move { company.call("PUT", address).version(version).json(&body).send().await }
            });
            assert_eq!(statuses.await, [200, refused, refused, refused], "{version}");
            let stale =
                company.call("PUT", path(&payroll, "")).version(version).json(&entry(&told, &ana, "50"));
            let stale = stale.send().await.refused(refused);
            if refused == 409 {
                assert_eq!(stale.fault(), ("base", "invalid_resource_version"));
            }
            // One of them is in the payroll whole, and whoever reads again is entered.
            let held = prepared(&company, &payroll, version).await;
            let one = line(&of(&held, &ana)["hourly_compensations"], "Regular Hours")["hours"].clone();
            assert!(["10.000", "20.000", "30.000", "40.000"].iter().any(|hours| one == *hours), "{one}");
            let again =
                company.call("PUT", path(&payroll, "")).version(version).json(&entry(&held, &ana, "60"));
            again.send().await.ok();
        }
    });
}

#[test]
fn updates_of_several_employees_of_one_payroll_at_once_are_all_entered() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let mut people = Vec::new();
        for name in ["Ana", "Bea", "Cleo", "Dora"] {
            people.push(company.onboarded(name, &location, ("20.00", "Hour", "Nonexempt")).await.0);
        }
        let told = prepared(&company, &payroll, "2026-06-15").await;
        let bodies: Vec<_> =
            people.iter().zip(1..).map(|(one, place)| entry(&told, one, &(place * 10).to_string())).collect();
        let (next, address) = (Arc::new(AtomicU32::new(0)), path(&payroll, ""));
        let statuses = company.at_once(4, move |company: Company| {
            let (body, address) =
                (bodies[next.fetch_add(1, Ordering::SeqCst) as usize].clone(), address.clone());
            async move { company.call("PUT", address).version("2026-06-15").json(&body).send().await }
        });
        assert_eq!(statuses.await, [200; 4]);
        company.calculate(&payroll).await;
        let paid = read(&company, &payroll, "").await;
        for (one, gross) in people.iter().zip(["200.00", "400.00", "600.00", "800.00"]) {
            assert_eq!(of(&paid, one)["gross_pay"].to_string().trim_matches('"'), gross);
        }
    });
}
