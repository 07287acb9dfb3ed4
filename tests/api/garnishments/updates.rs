//! What an update of a garnishment changes, and what stays.

use domain::access::tokens::Caller;
use domain::people::employees;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::{ana, create, defaults, essence, faults, support, update, with};
use crate::support::{Engine, NOBODY, id_of, on_both_engines, text};

#[test]
fn an_update_needs_the_version_and_one_that_is_stale_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = ana(&company).await;
        let made = create(&company, &employee, support()).await.created();
        let path = format!("/v1/garnishments/{}", id_of(&made));
        assert_eq!(faults(company.put(&path, json!({ "active": false })).await), ["version"]);
        let after = update(&company, &made, json!({ "amount": "30" })).await.ok();
        assert_ne!(after["version"], made["version"]);
        let stale = json!({ "version": made["version"], "amount": "20", "active": false });
        let told = company.put(&path, stale).await.refused(409).0;
        assert_eq!(told[0]["metadata"]["current_version"], after["version"]);
        assert_eq!(told[0]["metadata"]["differing_fields"], json!(["active", "amount"]));
        assert_eq!(company.get(&path).await.ok(), after);
        // The same again is no change.
        assert_eq!(update(&company, &made, json!({ "amount": "30.0" })).await.ok(), after);
        company.put(format!("/v1/garnishments/{NOBODY}"), json!({ "version": "x" })).await.refused(404);
    });
}

#[test]
fn an_update_beside_the_deletion_of_the_employee_finds_nothing_afterwards() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let employee = id_of(&company.self_onboarding_employee("Ana").await);
        let made = create(&company, &employee, support()).await.created();
        let path = format!("/v1/garnishments/{}", id_of(&made));
        let (begun, waits) = std::sync::mpsc::channel();
        let (store, of, who) = (company.world.app.store.clone(), company.id, employee.parse().unwrap());
        let deleted = tokio::spawn(async move {
            store
                .write(move |tx| {
                    let operator = Caller::for_operator(of, TimeZone::UTC);
                    employees::service::delete_employee(tx, &operator, who)?;
                    let _nobody_waits = begun.send(());
                    std::thread::sleep(std::time::Duration::from_millis(300));
                    Ok::<_, domain::Error>(())
                })
                .await
        });
        tokio::task::spawn_blocking(move || waits.recv().unwrap()).await.unwrap();
        let change = json!({ "version": made["version"], "amount": "30" });
        company.put(&path, change).await.refused(404);
        deleted.await.unwrap().unwrap();
    });
}

#[test]
fn what_generated_clients_add_to_an_update_never_wipes_an_order() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = ana(&company).await;
        let full = json!({ "annual_maximum": "5000", "times": 7, "recurring": true });
        let made = create(&company, &employee, with(support(), full)).await.created();
        let off = update(&company, &made, with(defaults(), json!({ "active": false }))).await.ok();
        assert_eq!(essence(&off), with(essence(&made), json!({ "active": false })));
        // A client that names some of the five sends the defaults of the others.
        let raised =
            update(&company, &made, with(defaults(), json!({ "active": true, "pay_period_maximum": "500" })));
        let expected = with(essence(&made), json!({ "pay_period_maximum": "500.00" }));
        assert_eq!(essence(&raised.await.ok()), expected);
        let lowered = with(defaults(), json!({ "amount": "25", "deduct_as_percentage": true }));
        let lowered = update(&company, &made, lowered).await.ok();
        assert_eq!(essence(&lowered), with(expected, json!({ "amount": "25.00" })));
        // A null cap never clears the cap, whoever sends it; false alone is what the caller says.
        let capped = update(&company, &made, json!({ "pay_period_maximum": null })).await.ok();
        assert_eq!(capped["pay_period_maximum"], "500.00");
        assert_eq!(
            faults(update(&company, &made, json!({ "deduct_as_percentage": false })).await),
            ["deduct_as_percentage"]
        );
        // Null makes no plain deduction of an order, of which no agency would be paid, however it is sent.
        let order = company.get(format!("/v1/garnishments/{}", id_of(&made))).await.ok();
        for nulls in [
            json!({ "child_support": null }),
            json!({ "garnishment_type": null }),
            json!({ "garnishment_type": null, "child_support": null, "description": null, "tax_levy": null }),
            json!({ "garnishment_type": "child_support", "child_support": null }),
        ] {
            let left = update(&company, &made, nulls.clone()).await.ok();
            assert_eq!(left, order, "{nulls}");
        }
        // One field on its own is cleared when it is sent as null.
        let cleared = update(&company, &made, json!({ "annual_maximum": null, "times": null })).await.ok();
        assert_eq!((&cleared["annual_maximum"], &cleared["times"]), (&Value::Null, &Value::Null));

        let loan = json!({ "court_ordered": true, "garnishment_type": "student_loan", "amount": "15", "recurring": true,
                           "deduct_as_percentage": true, "pay_period_maximum": "200", "annual_maximum": "900" });
        let loan = create(&company, &employee, loan).await.created();
        let off = update(&company, &loan, with(defaults(), json!({ "active": false }))).await.ok();
        assert_eq!(essence(&off), with(essence(&loan), json!({ "active": false })));
        // With an amount they are what the caller says of it.
        let dollars = update(&company, &loan, with(defaults(), json!({ "amount": "80" }))).await.ok();
        assert_eq!(
            (&dollars["deduct_as_percentage"], &dollars["pay_period_maximum"]),
            (&json!(false), &Value::Null)
        );
    });
}

#[test]
fn identifiers_that_a_form_sends_as_null_all_three_stay_while_the_state_does() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = ana(&company).await;
        let made = create(&company, &employee, support()).await.created();
        let none =
            json!({ "state": "oh", "case_number": null, "order_number": null, "remittance_number": null });
        let left = update(&company, &made, json!({ "child_support": none, "pay_period_maximum": "425" }));
        let left = left.await.ok();
        let but_the_cap = with(made.clone(), json!({ "pay_period_maximum": "425.00" }));
        assert_eq!(essence(&left), essence(&but_the_cap));
        let elsewhere = with(none, json!({ "state": "FL", "fips_code": "12011" }));
        assert_eq!(
            faults(update(&company, &made, json!({ "child_support": elsewhere })).await),
            ["child_support.remittance_number"]
        );
        let new = with(
            support(),
            json!({ "child_support": with(support()["child_support"].clone(), json!({
            "case_number": null, "order_number": null })) }),
        );
        let refused = create(&company, &employee, new).await;
        assert_eq!(faults(refused), ["child_support.case_number", "child_support.order_number"]);
    });
}

#[test]
fn what_an_update_does_not_name_stays_and_the_description_follows_the_identifiers() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = ana(&company).await;
        let made = create(&company, &employee, support()).await.created();
        let same = update(&company, &made, json!({})).await.ok();
        assert_eq!(same, made);
        let renamed = update(
            &company,
            &made,
            json!({ "child_support": { "case_number": "B-9" }, "description": "Mine" }),
        );
        let renamed = renamed.await.ok();
        assert_eq!(text(&renamed, "description"), "Child support - B-9");
        let mut expected = made["child_support"].clone();
        expected["case_number"] = "B-9".into();
        assert_eq!(renamed["child_support"], expected);
        // The whole is checked: Ohio needs both identifiers, and another state has codes of its own.
        assert_eq!(
            faults(update(&company, &made, json!({ "child_support": { "case_number": null } })).await),
            ["child_support.case_number"]
        );
        assert_eq!(
            faults(update(&company, &made, json!({ "child_support": { "state": "FL" } })).await),
            ["child_support.fips_code", "child_support.remittance_number"]
        );
        // Florida knows an order by its remittance number; identifiers beyond the required ones are kept.
        let moved = json!({ "child_support": { "state": "fl", "fips_code": "12011", "case_number": null, "order_number": null,
                                               "remittance_number": "R-5" } });
        let moved = update(&company, &made, moved).await.ok();
        assert_eq!(
            (text(&moved, "description"), &moved["child_support"]["state"]),
            ("Child support - R-5".into(), &json!("FL"))
        );
        let kept = update(&company, &made, json!({ "child_support": { "case_number": "K" } })).await.ok();
        assert_eq!(
            (text(&kept, "description"), &kept["child_support"]["remittance_number"]),
            ("Child support - K".into(), &json!("R-5"))
        );
        // Without garnishment_type, which older clients strip, the type stays; it can be changed with the object.
        let other = json!({ "garnishment_type": "other_garnishment", "child_support": null, "description": "Old order" });
        let other = update(&company, &made, other).await.ok();
        assert_eq!(
            (&other["child_support"], text(&other, "description")),
            (&Value::Null, "Old order".into())
        );
    });
}

#[test]
fn the_details_of_an_order_are_kept_and_merged() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = ana(&company).await;
        let details = json!({ "income_withholding_order": { "current_support": 300, "arrears": "100.5", "supports_other_family": true } });
        let made = create(&company, &employee, with(support(), details)).await.created();
        let expected = json!({ "current_support": "300.00", "arrears": "100.50", "medical_support": null, "health_insurance_premium": null,
                               "arrears_over_12_weeks": null, "supports_other_family": true, "received_on": null });
        assert_eq!(made["income_withholding_order"], expected);
        let more = json!({ "income_withholding_order": { "arrears": null, "medical_support": "50", "received_on": "2026-02-03",
                                                         "arrears_over_12_weeks": false } });
        let after = update(&company, &made, more).await.ok();
        let expected = json!({ "current_support": "300.00", "arrears": null, "medical_support": "50.00", "health_insurance_premium": null,
                               "arrears_over_12_weeks": false, "supports_other_family": true, "received_on": "2026-02-03" });
        assert_eq!(after["income_withholding_order"], expected);
        assert_eq!(
            faults(
                update(
                    &company,
                    &made,
                    json!({ "income_withholding_order": { "medical_support": "100.51" } })
                )
                .await
            ),
            ["income_withholding_order.base"]
        );
        // A lower cap must still hold the parts.
        assert_eq!(
            faults(update(&company, &made, json!({ "pay_period_maximum": "349.99" })).await),
            ["income_withholding_order.base"]
        );
        let none = update(&company, &made, json!({ "income_withholding_order": null })).await.ok();
        assert_eq!(none["income_withholding_order"], Value::Null);
    });
}
