//! Accounts that are deleted, replaced or changed while payments are on their way.

use std::path::Path;

use domain::money::returns::corrections;
use jiff::Span;
use serde_json::{Value, json};

use super::returns::{sent, take};
use super::taxes::act;
use super::{AFTER, BANKS, LIST, bank, employer, files_in, one_paid, only, paid, run};
use crate::sent_back::file;
use crate::support::{Company, Engine, id_of, on_both_engines, text};

const ACCOUNT: &str = "90126600418";

/// The company's account, and the address under which it is deleted.
async fn account(company: &Company) -> String {
    let account = text(&company.get("/v1/companies/{company}/bank_accounts").await.list()[0], "uuid");
    format!("/v1/companies/{{company}}/bank_accounts/{account}")
}

/// Runs the payroll of 15 to 28 June, until it is filed.
async fn run_next(company: &Company) {
    let open = company.get("/v1/companies/{company}/payrolls?processing_statuses=unprocessed").await.list();
    let next = text(&open[0], "payroll_uuid");
    company.world.wait_until("2026-06-29T12:00:00Z".parse().unwrap()).await;
    company.calculate(&next).await;
    company.submit(&next).await;
    company.world.wait_until("2026-07-01T12:00:00Z".parse().unwrap()).await;
}

/// The accounts from which the last file takes money.
fn debited(folder: &Path) -> Vec<String> {
    let last = ach::read::read_entries(&files_in(folder).last().unwrap().1).unwrap();
    last.into_iter().filter(|one| one.is_debit()).map(|one| one.account).collect()
}

#[test]
fn the_account_of_a_company_stays_from_the_submission_of_a_payroll_until_the_bank_has_its_file() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, ACCOUNT).await;
        let path = account(&company).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let refused = company.delete(&path).await.refused(422);
        assert!(refused.message().contains("still have to be made"), "{}", refused.message());
        world.wait_until(AFTER.parse().unwrap()).await;
        assert_eq!(only(folder.path()).len(), 2, "the employees are paid");
        company.delete(&path).await.deleted();
    });
}

#[test]
fn the_account_of_a_company_goes_once_its_payroll_is_cancelled() {
    on_both_engines(async |engine: Engine| {
        let (_world, _folder, company, payroll) = one_paid(engine, |_| {}, ACCOUNT).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        company.put(format!("/v1/companies/{{company}}/payrolls/{payroll}/cancel"), json!({})).await.ok();
        company.delete(account(&company).await).await.deleted();
    });
}

#[test]
fn until_a_new_account_is_verified_the_one_before_is_debited() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, ACCOUNT).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        company.bank_account("80126600777").await;
        let newest = id_of(&company.bank_account("80126600888").await);
        world.wait_until(AFTER.parse().unwrap()).await;
        assert_eq!(debited(folder.path()), [ACCOUNT]);

        // The next payroll is paid from the one that is verified by then.
        let (first, second) = company.test_deposits(&newest).await;
        company.verify(&newest, (&first, &second)).await.is(200);
        run_next(&company).await;
        assert_eq!(debited(folder.path()), ["80126600888"]);
    });
}

/// Ana has put another account of hers into the record of the one that was paid.
async fn changed(company: &Company, ana: &str, account: &str) {
    let other = json!({ "name": "Main", "routing_number": BANKS[1], "account_number": "4444444440", "account_type": "Savings" });
    company.put(format!("/v1/employees/{ana}/bank_accounts/{account}"), other).await.ok();
}

async fn ending(company: &Company, ana: &str) -> (String, String) {
    let held = company.get(format!("/v1/employees/{ana}/bank_accounts")).await.list();
    (text(&held[0], "routing_number"), text(&held[0], "hidden_account_number"))
}

#[test]
fn a_correction_of_numbers_that_an_account_has_no_more_is_not_made() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, ACCOUNT).await;
        let (ana, account) = paid(&company, &location, "Ana", "1111222233").await;
        run(&company, &payroll).await;
        let (trace, _) = sent(folder.path(), "1111222233");
        assert_eq!(take(&world, &file(&[("C01", &trace, 0, "1111222234")])).await.corrections, 1);
        changed(&company, &ana, &account).await;
        let before = ending(&company, &ana).await;
        let correction = company.get("/v1/companies/{company}/account_corrections").await.list().remove(0);
        let path = format!("/v1/account_corrections/{}", text(&correction, "uuid"));
        let refused = company.put(&path, json!({ "accept": true })).await.refused(422);
        assert!(refused.message().contains("numbers have changed since"), "{}", refused.message());
        assert_eq!(ending(&company, &ana).await, before, "it goes to nobody else");
        let open =
            act(&company, |tx, caller| corrections::open_corrections(tx, caller.company)).await.unwrap();
        assert_eq!(open.len(), 1);
        company.put(&path, json!({ "accept": false })).await.ok();
    });
}

#[test]
fn a_return_marks_only_the_numbers_that_the_bank_has_refused() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, ACCOUNT).await;
        let (ana, account) = paid(&company, &location, "Ana", "1111222233").await;
        run(&company, &payroll).await;
        let (trace, cents) = sent(folder.path(), "1111222233");
        changed(&company, &ana, &account).await;
        assert_eq!(take(&world, &file(&[("R02", &trace, cents, "")])).await.returned, 1);
        let notices = company.get("/v1/companies/{company}/notifications").await.list();
        assert!(
            notices.iter().all(|one| one["category"] != "employee_bank_verification_failure"),
            "{notices:?}"
        );
        // What came back goes to the account that Ana has named.
        let entry = text(
            &company.get(format!("{LIST}?transaction_type=Credit%20employee%20pay")).await.list()[0],
            "uuid",
        );
        let again: Value = json!({ "bank_account_uuid": account });
        company.put(format!("/v1/ach_transactions/{entry}/pay_again"), again).await.is(202);
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(sent(folder.path(), "4444444440").1, cents);
    });
}

/// How Ana is paid by a payroll, as it tells.
async fn method(company: &Company, payroll: &str) -> String {
    let told = company.get(format!("/v1/companies/{{company}}/payrolls/{payroll}")).await.ok();
    text(&told["employee_compensations"][0], "payment_method")
}

#[test]
fn a_payroll_is_calculated_again_once_pay_goes_elsewhere_and_tells_how_it_pays() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, ACCOUNT).await;
        let (ana, account) = paid(&company, &location, "Ana", "1111222233").await;
        company.calculate(&payroll).await;
        // Another name of the account makes no difference.
        let path = format!("/v1/employees/{ana}/bank_accounts/{account}");
        let renamed = json!({ "name": "Renamed", "routing_number": BANKS[0], "account_number": "1111222233", "account_type": "Checking" });
        company.put(&path, renamed).await.ok();
        company.delete(&path).await.deleted();
        let submit = format!("/v1/companies/{{company}}/payrolls/{payroll}/submit");
        let refused = company.put(&submit, json!({})).await.refused(422);
        assert!(refused.message().contains("Calculate the payroll"), "{}", refused.message());
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        assert_eq!(method(&company, &payroll).await, "Check");
        // What was processed stays as it was, however Ana is paid from now on.
        super::add_account(&company, &ana, "5555666677").await;
        assert_eq!(method(&company, &payroll).await, "Check");
        world.wait_until(AFTER.parse().unwrap()).await;
        assert!(files_in(folder.path()).is_empty());
    });
}

#[test]
fn a_correction_of_the_companys_own_account_is_decided_by_the_operator_and_told_to_the_company() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, ACCOUNT).await;
        run(&company, &payroll).await;
        let (trace, _) = sent(folder.path(), ACCOUNT);
        let report =
            take(&world, &file(&[("C01", &trace, 0, "90126600555"), ("C05", &trace, 0, "37")])).await;
        assert_eq!((report.corrections, report.noted), (2, 0));
        let open =
            act(&company, |tx, caller| corrections::open_corrections(tx, caller.company)).await.unwrap();
        assert_eq!(open.iter().map(|one| one.of_employee()).collect::<Vec<_>>(), [None, None]);
        // It is no employee's, about whom the partner decides.
        let list = company.get("/v1/companies/{company}/account_corrections").await.list();
        assert!(list.is_empty(), "{list:?}");
        let path = format!("/v1/account_corrections/{}", open[0].id);
        company.put(&path, json!({ "accept": true })).await.refused(404);

        let id = open[0].id;
        act(&company, move |tx, caller| corrections::decide_correction(tx, caller, id, true)).await.unwrap();
        let held = company.get("/v1/companies/{company}/bank_accounts").await.list();
        assert_eq!(held.len(), 1);
        assert!(text(&held[0], "hidden_account_number").ends_with("0555"), "{held:?}");
        assert_eq!(held[0]["verification_status"], "verified", "it is the same account");
        let events = company.get("/v1/events?event_type=company.bank_account.updated&limit=100").await.list();
        assert!(events.iter().any(|one| one["entity_uuid"] == held[0]["uuid"]));
        // The second one speaks of numbers that the account has no more.
        let second = open[1].id;
        let refused =
            act(&company, move |tx, caller| corrections::decide_correction(tx, caller, second, true)).await;
        let Err(domain::Error::Violations(why)) = refused else { panic!("{refused:?}") };
        assert!(why[0].message.contains("decline it"), "{}", why[0].message);
        act(&company, move |tx, caller| corrections::decide_correction(tx, caller, second, false))
            .await
            .unwrap();

        run_next(&company).await;
        assert_eq!(debited(folder.path()), ["90126600555"]);
    });
}
