//! How pay is divided among accounts.

use domain::people::payment_methods::rows::CHECK;

use super::*;

#[tokio::test]
async fn pay_is_divided_as_it_is_asked_for_and_the_same_again_is_no_change() {
    with_employee(|tx, caller, employee| {
        let (a, b) = (add(tx, caller, employee, "A")?, add(tx, caller, employee, "B")?);
        let known = event_types(tx, caller).len();
        let halves = json!({ "type": "Direct Deposit", "split_by": "Percentage", "splits": [
            { "uuid": b, "name": "not read", "priority": 2, "split_amount": 40.0 }, { "uuid": a, "priority": 1, "split_amount": 60 }] });
        let after = put(tx, caller, employee, halves.clone())?;
        assert_eq!(splits(tx, caller, employee), [share("A", 1, 60), share("B", 2, 40)]);
        assert_eq!(put(tx, caller, employee, halves)?.version, after.version);

        let rest = json!({ "type": "Direct Deposit", "split_by": "Amount", "splits": [
            { "uuid": b, "split_amount": 25000 }, { "uuid": a, "split_amount": null }] });
        put(tx, caller, employee, rest)?;
        assert_eq!(splits(tx, caller, employee), [share("B", 1, 25_000), share("A", 2, None)]);
        // Omitted fields keep their values.
        let version = get_method(tx, caller, employee)?.version;
        assert_eq!(put(tx, caller, employee, json!({ "type": "Direct Deposit" }))?.version, version);
        assert_eq!(put(tx, caller, employee, json!({ "type": "Direct Deposit", "split_by": "Amount", "splits": null }))?.version, version);
        let other = json!({ "type": "Direct Deposit", "split_by": "Percentage" });
        assert_eq!(keys(put(tx, caller, employee, other)), ["splits"]);
        // The type did not change, so nobody needs to hear of it.
        assert_eq!(event_types(tx, caller).len(), known);

        add(tx, caller, employee, "C")?;
        assert_eq!(splits(tx, caller, employee), [share("B", 1, 25_000), share("C", 2, 0), share("A", 3, None)]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_breaks_the_rules_of_splits_is_refused() {
    with_employee(|tx, caller, employee| {
        let a = add(tx, caller, employee, "A")?;
        let b = add(tx, caller, employee, "B")?;
        let before = shown(&get_method(tx, caller, employee)?);
        let by = |by: &str, splits: Value| json!({ "type": "Direct Deposit", "split_by": by, "splits": splits });
        let wrong = [
            by("Percentage", json!([{ "uuid": a, "split_amount": 60 }, { "uuid": b, "split_amount": 30 }])),
            by("Percentage", json!([{ "uuid": a, "split_amount": 99.5 }, { "uuid": b, "split_amount": 0.5 }])),
            by("Percentage", json!([{ "uuid": a, "priority": 1, "split_amount": 50 }, { "uuid": b, "priority": 1, "split_amount": 50 }])),
            by("Percentage", json!([{ "uuid": a, "split_amount": 50 }, { "uuid": a, "split_amount": 50 }])),
            by("Amount", json!([{ "uuid": a, "split_amount": 100 }, { "uuid": b, "split_amount": 200 }])),
            by("Amount", json!([{ "uuid": a, "split_amount": null }, { "uuid": b, "split_amount": 200 }])),
            by("Percentage", json!([{ "uuid": Uuid::nil(), "split_amount": 100 }])),
            by("Percentage", json!([{ "uuid": "none", "split_amount": 100 }])),
            by("Percentage", json!([{ "uuid": a, "split_amount": "all" }])),
            by("Percentage", json!([{ "split_amount": 100 }])),
        ];
        for body in wrong {
            let named = keys(put(tx, caller, employee, body.clone()));
            assert!(named.iter().all(|key| ["splits", "uuid", "priority", "split_amount"].contains(&&**key)), "{body}: {named:?}");
        }
        assert_eq!(keys(put(tx, caller, employee, by("Share", json!([{ "uuid": a, "split_amount": 100 }])))), ["split_by"]);
        assert_eq!(keys(put(tx, caller, employee, json!({ "type": "Cash" }))), ["type"]);
        let nothing = update_method(tx, caller, employee, &input(json!({})));
        assert_eq!(keys(nothing), ["version", "type"]);
        assert_eq!(shown(&get_method(tx, caller, employee)?), before);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_payment_method_that_was_changed_meanwhile_is_stale() {
    with_employee(|tx, caller, employee| {
        let old = get_method(tx, caller, employee)?.version;
        let a = add(tx, caller, employee, "A")?;
        let check = json!({ "version": old, "type": "Check" });
        assert_eq!(
            keys(update_method(tx, caller, employee, &input(check))),
            ["stale type", "stale split_by", "stale splits"]
        );

        let versions = [old, get_method(tx, caller, employee)?.version];
        delete_account(tx, caller, employee, a)?;
        assert!(!versions.contains(&get_method(tx, caller, employee)?.version));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn who_is_paid_by_check_keeps_the_accounts_for_another_time() {
    with_employee(|tx, caller, employee| {
        let a = add(tx, caller, employee, "A")?;
        let b = add(tx, caller, employee, "B")?;
        let with_splits = json!({ "type": "Check", "split_by": "Percentage", "splits": [{ "uuid": a, "split_amount": 100 }] });
        let check = shown(&put(tx, caller, employee, with_splits)?);
        assert_eq!((&check["type"], &check["split_by"], &check["splits"]), (&json!("Check"), &Value::Null, &Value::Null));
        assert_eq!(list_accounts(tx, caller, employee, Page::Whole)?.items.len(), 2);
        assert_eq!(event_types(tx, caller).last().unwrap(), "employee.payment_method_type_updated");

        put(tx, caller, employee, json!({ "type": "Direct Deposit" }))?;
        assert_eq!(splits(tx, caller, employee), [share("B", 1, 100), share("A", 2, 0)]);
        put(tx, caller, employee, json!({ "type": "Check" }))?;
        add(tx, caller, employee, "C")?;
        assert_eq!(splits(tx, caller, employee), [share("C", 1, 100), share("A", 2, 0), share("B", 3, 0)]);

        put(tx, caller, employee, json!({ "type": "Check" }))?;
        delete_account(tx, caller, employee, b)?;
        assert_eq!(get_method(tx, caller, employee)?.kind, CHECK);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_share_of_a_deleted_account_stays_with_the_employee() {
    with_employee(|tx, caller, employee| {
        let a = add(tx, caller, employee, "A")?;
        let b = add(tx, caller, employee, "B")?;
        let c = add(tx, caller, employee, "C")?;
        let shares = json!({ "type": "Direct Deposit", "split_by": "Percentage", "splits": [
            { "uuid": a, "split_amount": 50 }, { "uuid": b, "split_amount": 50 }] });
        put(tx, caller, employee, shares)?;
        delete_account(tx, caller, employee, a)?;
        assert_eq!(splits(tx, caller, employee), [share("B", 1, 100)]);
        // C had no part in it; now there is no other.
        delete_account(tx, caller, employee, b)?;
        assert_eq!(splits(tx, caller, employee), [share("C", 1, 100)]);
        delete_account(tx, caller, employee, c)?;
        let method = get_method(tx, caller, employee)?;
        assert_eq!((method.kind, method.split_by, method.splits.is_none()), ("Check", None, true));
        assert_eq!(keys(delete_account(tx, caller, employee, c)), ["not found"]);
        assert_eq!(
            event_types(tx, caller).split_off(5),
            [
                "employee.bank_account.deleted",
                "employee.bank_account.deleted",
                "employee.bank_account.deleted",
                "employee.payment_method_type_updated"
            ]
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn direct_deposit_without_an_account_depends_on_the_version() {
    with_employee(|tx, _, employee| {
        let direct = json!({ "type": "Direct Deposit" });
        let newer = [ApiVersion::V2025_11_15, ApiVersion::V2026_02_01, ApiVersion::V2026_06_15];
        for version in newer {
            assert_eq!(keys(put(tx, &caller(version), employee, direct.clone())), ["base"]);
        }
        let caller = caller(ApiVersion::V2025_06_15);
        let named = json!({ "type": "Direct Deposit", "split_by": "Percentage", "splits": [{ "uuid": Uuid::nil(), "split_amount": 100 }] });
        assert_eq!(keys(put(tx, &caller, employee, named)), ["splits"]);
        let method = put(tx, &caller, employee, direct)?;
        assert_eq!((method.kind, method.split_by, method.splits.is_none()), ("Direct Deposit", None, true));
        assert!(!completed(tx, &caller, employee));
        add(tx, &caller, employee, "A")?;
        assert_eq!(splits(tx, &caller, employee), [share("A", 1, 100)]);
        assert!(completed(tx, &caller, employee));
        Ok(())
    })
    .await;
}
