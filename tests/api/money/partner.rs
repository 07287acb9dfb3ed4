//! What a partner decides about payments: corrections of accounts, and pay that is paid again.

use serde_json::json;

use super::returns::{credit, sent, take};
use super::{LIST, add_account, bank, employer, files_in, paid, run};
use crate::sent_back::file;
use crate::support::{Engine, NOBODY, id_of, on_both_engines, text};

const CORRECTIONS: &str = "/v1/companies/{company}/account_corrections";

#[test]
fn a_partner_corrects_an_account_as_its_bank_asks_for_or_leaves_it() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        let (ana, account) = paid(&company, &location, "Ana", "1111222233").await;
        paid(&company, &location, "Max", "2222333344").await;
        run(&company, &payroll).await;
        let traces = ["1111222233", "2222333344"].map(|number| sent(folder.path(), number).0);
        let asked = file(&[("C01", &traces[0], 0, "7770001234"), ("C05", &traces[1], 0, "32")]);
        assert_eq!(take(&world, &asked).await.corrections, 2);
        let list = company.get(CORRECTIONS).await;
        assert!(!list.text().contains("7770001234"), "{}", list.text());
        let list = list.list();
        assert_eq!(list.len(), 2);
        let anas = list.iter().find(|one| one["employee_uuid"] == ana.as_str()).unwrap();
        assert_eq!(
            (&anas["bank_account_uuid"], &anas["code"], &anas["corrects"], &anas["state"]),
            (&json!(account), &json!("C01"), &json!(["account_number"]), &json!("open"))
        );
        let max = list.iter().find(|one| one["employee_uuid"] != ana.as_str()).unwrap();
        assert_eq!(max["corrects"], json!(["account_type"]));

        let path = |one: &serde_json::Value| format!("/v1/account_corrections/{}", text(one, "uuid"));
        assert_eq!(company.put(path(anas), json!({})).await.refused(422).keys(), ["accept"]);
        assert_eq!(company.put(path(anas), json!({ "accept": "yes" })).await.refused(422).keys(), ["accept"]);
        let other = world.company().await;
        other.put(path(anas), json!({ "accept": true })).await.is(404);
        assert!(other.get(CORRECTIONS).await.list().is_empty());
        let numbers = async || {
            let held = company.get(format!("/v1/employees/{ana}/bank_accounts")).await.list();
            text(&held[0], "hidden_account_number")
        };
        assert!(numbers().await.ends_with("2233"));
        assert_eq!(company.put(path(anas), json!({ "accept": true })).await.ok()["state"], "accepted");
        assert!(numbers().await.ends_with("1234"), "{}", numbers().await);
        assert_eq!(company.put(path(max), json!({ "accept": false })).await.ok()["state"], "declined");
        let again = company.put(path(anas), json!({ "accept": false })).await.refused(422);
        assert_eq!(again.fault(), ("base", "invalid_operation"));
        let states: Vec<_> =
            company.get(CORRECTIONS).await.list().iter().map(|one| text(one, "state")).collect();
        assert_eq!(states, ["accepted", "declined"]);
    });
}

#[test]
fn a_partner_has_pay_that_came_back_paid_to_another_account_or_by_check() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        let (ana, closed) = paid(&company, &location, "Ana", "1111222233").await;
        run(&company, &payroll).await;
        let path = format!("/v1/ach_transactions/{}/pay_again", text(&credit(&company).await, "uuid"));
        let by_check = json!({ "by_check": true });
        let early = company.put(&path, by_check.clone()).await.refused(422);
        assert_eq!(early.fault(), ("base", "invalid_operation"), "it did not come back");
        let (trace, cents) = sent(folder.path(), "1111222233");
        assert_eq!(take(&world, &file(&[("R02", &trace, cents, "ACCOUNT CLOSED")])).await.returned, 1);

        for wrong in [
            json!({}),
            json!({ "by_check": false }),
            json!({ "by_check": true, "bank_account_uuid": closed }),
        ] {
            assert_eq!(company.put(&path, wrong).await.refused(422).keys(), ["bank_account_uuid"]);
        }
        let unknown = json!({ "bank_account_uuid": NOBODY });
        assert_eq!(company.put(&path, unknown).await.refused(422).keys(), ["bank_account_uuid"]);
        let to_closed = company.put(&path, json!({ "bank_account_uuid": closed })).await.refused(422);
        assert_eq!(to_closed.fault(), ("base", "invalid_operation"));
        world.company().await.put(&path, by_check.clone()).await.is(404);
        let open = add_account(&company, &ana, "44445555666").await;
        company.put(&path, json!({ "bank_account_uuid": open })).await.is(202);
        world.wait(jiff::Span::new().minutes(5)).await;
        let files = files_in(folder.path());
        assert_eq!(files.len(), 2);
        let again = ach::read::read_entries(&files[1].1).unwrap();
        assert_eq!(
            again.iter().map(|entry| (entry.account.as_str(), entry.cents)).collect::<Vec<_>>(),
            [("44445555666", cents)]
        );
        company.put(&path, by_check.clone()).await.refused(422);

        // That one comes back, too, and is paid by check: the amount goes back to the employer, and nothing more to Ana.
        let (trace, _) = sent(folder.path(), "44445555666");
        assert_eq!(take(&world, &file(&[("R03", &trace, cents, "")])).await.returned, 1);
        let list =
            company.get(format!("{LIST}?transaction_type=Credit%20employee%20pay%20again")).await.list();
        let path = format!("/v1/ach_transactions/{}/pay_again", id_of(&list[0]));
        company.put(&path, by_check).await.is(202);
        world.wait(jiff::Span::new().minutes(5)).await;
        let files = files_in(folder.path());
        assert_eq!(files.len(), 3);
        let back = ach::read::read_entries(&files[2].1).unwrap();
        assert_eq!(
            back.iter().map(|entry| (entry.account.as_str(), entry.cents)).collect::<Vec<_>>(),
            [("90126600418", cents)]
        );
    });
}
