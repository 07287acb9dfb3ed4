//! Bank accounts of employees.

use domain::people::payment_methods::service::{ACCOUNT, MOST};

use super::*;

#[tokio::test]
async fn who_enters_a_bank_account_is_paid_to_it() {
    with_employee(|tx, caller, employee| {
        let new = shown(&get_method(tx, caller, employee)?);
        assert_eq!((&new["type"], &new["split_by"], &new["splits"]), (&json!("Check"), &Value::Null, &Value::Null));

        let made = shown(&create_account(tx, caller, employee, &input(account("Household")))?);
        assert_eq!(made["routing_number"], ROUTING);
        assert_eq!(made["account_type"], "Checking");
        assert!(made.get("account_number").is_none());
        assert!(made["hidden_account_number"].as_str().unwrap().ends_with("1001"));

        let method = shown(&get_method(tx, caller, employee)?);
        assert_ne!(method["version"], new["version"]);
        let expected = json!([{ "uuid": made["uuid"], "name": "Household", "hidden_account_number": made["hidden_account_number"],
                                "priority": 1, "split_amount": 100 }]);
        assert_eq!((&method["type"], &method["split_by"], &method["splits"]), (&json!("Direct Deposit"), &json!("Percentage"), &expected));
        let record = profiles::get_employee(tx, caller, employee, Default::default())?;
        assert_eq!(record.employee.payment_method, "Direct Deposit");

        add(tx, caller, employee, "Savings")?;
        assert_eq!(splits(tx, caller, employee), [share("Household", 1, 100), share("Savings", 2, 0)]);
        assert_eq!(
            event_types(tx, caller)[1..],
            ["employee.bank_account.created", "employee.payment_method_type_updated", "employee.bank_account.created"]
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_version_of_the_employee_does_not_move_with_bank_accounts() {
    with_employee(|tx, caller, employee| {
        let before = profiles::get_employee(tx, caller, employee, Default::default())?.employee.version;
        add(tx, caller, employee, "Household")?;
        assert_eq!(
            profiles::get_employee(tx, caller, employee, Default::default())?.employee.version,
            before
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn every_fault_of_a_bank_account_is_reported_and_no_number_repeated() {
    with_employee(|tx, caller, employee| {
        let wrong = json!({ "name": " ", "routing_number": "266905058", "account_number": "58-0943", "account_type": "Brokerage" });
        let refused = create_account(tx, caller, employee, &input(wrong)).unwrap_err();
        let Error::Violations(violations) = refused else { panic!("{refused:?}") };
        let named: Vec<_> = violations.iter().map(|violation| violation.key.as_str()).collect();
        assert_eq!(named, ["name", "routing_number", "account_number", "account_type"]);
        assert!(violations.iter().all(|v| !v.message.contains("26690") && !v.message.contains("0943")));
        assert!(violations[3].message.contains("Checking, Savings"));
        assert_eq!(keys(create_account(tx, caller, employee, &input(json!({})))).len(), 4);
        assert_eq!(keys(create_account(tx, caller, Uuid::nil(), &input(account("Household")))), ["not found"]);

        for number in 0..MOST {
            add(tx, caller, employee, &format!("Account {number}"))?;
        }
        assert_eq!(keys(add(tx, caller, employee, "One more")), ["base"]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_bank_account_that_is_sent_again_unchanged_stays_as_it_is() {
    with_employee(|tx, caller, employee| {
        let id = add(tx, caller, employee, "Household")?;
        let version = get_method(tx, caller, employee)?.version;
        let known = event_types(tx, caller).len();
        update_account(tx, caller, employee, id, &input(account("Household")))?;
        assert_eq!(event_types(tx, caller).len(), known);

        let mut moved = account("Joint");
        moved["routing_number"] = OTHER_ROUTING.into();
        moved["account_number"] = OTHER_NUMBER.into();
        moved["account_type"] = "Savings".into();
        let after = shown(&update_account(tx, caller, employee, id, &input(moved.clone()))?);
        assert_eq!((&after["name"], &after["routing_number"], &after["account_type"]), (&json!("Joint"), &json!(OTHER_ROUTING), &json!("Savings")));
        assert!(after["hidden_account_number"].as_str().unwrap().ends_with("4567"));
        assert_eq!(event_types(tx, caller)[known..], ["employee.bank_account.updated"]);
        let entries = tx.query_rows(written::AUDIT, params![caller.company], |row| {
            (row.get::<String>(0), row.get::<String>(1), row.json(2).unwrap().to_owned())
        })?;
        let expected = r#"{"name":["Household","Joint"],"account_type":["Checking","Savings"],"routing_number":["***","***"],"account_number":["***","***"]}"#;
        assert_eq!(entries.last().unwrap(), &("updated".to_owned(), ACCOUNT.to_owned(), expected.to_owned()));
        // What is paid to the account has not changed.
        assert_eq!(get_method(tx, caller, employee)?.version, version);
        assert_eq!(splits(tx, caller, employee), [share("Joint", 1, 100)]);

        // A second change finds the counter where the first one left it.
        update_account(tx, caller, employee, id, &input(account("Joint")))?;
        assert_eq!(keys(update_account(tx, caller, employee, Uuid::nil(), &input(moved))), ["not found"]);
        assert_eq!(keys(update_account(tx, caller, employee, id, &input(json!({ "name": "Joint" })))).len(), 3);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_account_is_found_only_with_its_own_employee() {
    with_employee(|tx, caller, ana| {
        let body = json!({ "first_name": "Ben", "last_name": "Ito" });
        let ben = hire(tx, caller, body)?;
        let id = add(tx, caller, ana, "Household")?;
        assert_eq!(keys(update_account(tx, caller, ben, id, &input(account("Mine")))), ["not found"]);
        assert_eq!(keys(delete_account(tx, caller, ben, id)), ["not found"]);
        add(tx, caller, ben, "Own")?;
        let foreign = json!({ "type": "Direct Deposit", "split_by": "Percentage", "splits": [{ "uuid": id, "split_amount": 100 }] });
        assert_eq!(keys(put(tx, caller, ben, foreign)), ["splits"]);
        assert_eq!(list_accounts(tx, caller, ana, Page::Whole)?.items.len(), 1);
        let stranger = Caller { company: Uuid::from_u128(8), ..caller.clone() };
        assert_eq!(keys(delete_account(tx, &stranger, ana, id)), ["not found"]);
        assert_eq!(keys(list_accounts(tx, &stranger, ana, Page::Whole)), ["not found"]);
        assert_eq!(keys(get_method(tx, &stranger, ana)), ["not found"]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn bank_accounts_are_listed_in_pages() {
    with_employee(|tx, caller, employee| {
        for name in ["a", "b", "c"] {
            add(tx, caller, employee, name)?;
        }
        let page = list_accounts(tx, caller, employee, Page::Part { page: 2, per: 2 })?;
        assert_eq!(page.items.iter().map(|account| account.name.as_str()).collect::<Vec<_>>(), ["c"]);
        assert_eq!(page.paging, Some((2, 2, 3)));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_account_number_is_whole_in_no_answer_event_audit_entry_or_file() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("world.db");
    let store = open(&format!("sqlite:{}", file.display()));
    let seen: Result<String, Error> = store
        .write(|tx| {
            let caller = caller(ApiVersion::V2025_06_15);
            let employee = employee(tx, &caller)?;
            let mut seen = shown(&create_account(tx, &caller, employee, &input(account("A")))?).to_string();
            let id = list_accounts(tx, &caller, employee, Page::Whole)?.items[0].uuid;
            let mut moved = account("A");
            moved["account_number"] = OTHER_NUMBER.into();
            seen += &shown(&update_account(tx, &caller, employee, id, &input(moved))?).to_string();
            seen += &shown(&list_accounts(tx, &caller, employee, Page::Whole)?.items).to_string();
            seen += &shown(&put(tx, &caller, employee, json!({ "type": "Direct Deposit" }))?).to_string();
            add(tx, &caller, employee, "B")?;
            delete_account(tx, &caller, employee, id)?;
            let payloads = tx.query_rows(written::EVENTS, params![caller.company], |row| {
                (row.get::<String>(1), row.get::<Uuid>(2), row.json(3).unwrap().to_owned())
            })?;
            for (entity, entity_id, payload) in &payloads {
                let event: Value = serde_json::from_str(payload).unwrap();
                let references = json!({ "company_uuid": caller.company, "employee_uuid": employee });
                let expected = if entity == "BankAccount" { Some(&references) } else { None };
                assert_eq!(event.get("references"), expected, "{payload}");
                assert_eq!(event["entity_uuid"], json!(entity_id));
                seen += payload;
            }
            let entries = tx
                .query_rows(written::AUDIT, params![caller.company], |row| row.json(2).unwrap().to_owned())?;
            Ok(seen + &entries.concat())
        })
        .await;
    drop(store);
    let seen = seen.unwrap();
    assert!(seen.contains("1001") && seen.contains("4567"));
    let mut places = vec![seen.into_bytes()];
    places.extend(
        std::fs::read_dir(folder.path()).unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap()),
    );
    assert!(places.len() > 1);
    for place in places {
        for number in [NUMBER, OTHER_NUMBER] {
            assert!(!place.windows(number.len()).any(|bytes| bytes == number.as_bytes()));
        }
    }
}
