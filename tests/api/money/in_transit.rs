//! Funds in transit: cash moves on the days on which debits and refunds settle, and payables on those on which payments do.

use std::collections::BTreeMap;

use domain::money::files;
use domain::money::funding::Mode;
use domain::money::returns::recovery;
use jiff::Span;
use serde_json::{Value, json};

use super::returns::{act, sent, take};
use super::wires::{arrived, to};
use super::{LIST, add_account, all_files, bank, employer, fund, paid, retry, run};
use crate::sent_back::file;
use crate::support::{Company, Engine, World, on_both_engines, text};

const ACCOUNT: &str = "90126600418";
const JOURNAL: &str = "/v1/companies/{company}/journal?start_date=2026-01-01&end_date=2026-12-31";
/// Accounts of which the books owe something until it is paid.
const PAYABLES: [&str; 5] = [
    "net_pay_payable",
    "employee_taxes_payable",
    "employer_taxes_payable",
    "garnishments_payable",
    "benefits_payable",
];

fn cents(amount: &Value) -> i64 {
    amount.as_str().unwrap().replace('.', "").parse().unwrap()
}

/// Debits less credits of each account at the end of each day with an entry. Each entry sums to zero, and nothing is paid before it is owed.
pub async fn days(company: &Company) -> BTreeMap<String, BTreeMap<String, i64>> {
    let (mut days, mut sums) = (BTreeMap::new(), BTreeMap::<String, i64>::new());
    let lines = company.get(JOURNAL).await.list();
    for line in &lines {
        *sums.entry(text(line, "account")).or_default() += cents(&line["debit"]) - cents(&line["credit"]);
        days.insert(text(line, "date"), sums.clone());
    }
    for (day, sums) in &days {
        assert_eq!(sums.values().sum::<i64>(), 0, "{day}: {lines:#?}");
        for payable in PAYABLES {
            assert!(
                sums.get(payable).is_none_or(|sum| *sum <= 0),
                "{day}: {payable} is below zero: {lines:#?}"
            );
        }
    }
    days
}

pub fn of(sums: &BTreeMap<String, i64>, account: &str) -> i64 {
    sums.get(account).copied().unwrap_or(0)
}

/// Cash, funds in transit and net pay payable after all entries.
async fn now(company: &Company) -> [i64; 3] {
    let days = days(company).await;
    let last = days.last_key_value().unwrap().1;
    ["cash", "funds_in_transit", "net_pay_payable"].map(|account| of(last, account))
}

/// Ana and Max are paid by the bank: the company and Ana.
async fn two(world: &World) -> (Company, String) {
    let (company, location, payroll) = employer(world, ACCOUNT).await;
    let (ana, _) = paid(&company, &location, "Ana", "1111222233").await;
    paid(&company, &location, "Max", "2222333344").await;
    run(&company, &payroll).await;
    (company, ana)
}

async fn comes_back(world: &World, folder: &std::path::Path, code: &str, account: &str) -> i64 {
    let (trace, cents) = sent(folder, account);
    assert_eq!(take(world, &file(&[(code, &trace, cents, "")])).await.returned, 1);
    i64::try_from(cents).unwrap()
}

async fn pay_again(company: &Company, how: Value) {
    let list = company.get(format!("{LIST}?transaction_type=Credit%20employee%20pay")).await.list();
    let entry = list.iter().find(|one| one["payment_status"] == "failed").unwrap();
    company.put(format!("/v1/ach_transactions/{}/pay_again", text(entry, "uuid")), how).await.is(202);
    company.world.wait(Span::new().minutes(5)).await;
}

#[test]
fn the_bank_account_is_credited_when_the_debit_settles_and_net_pay_is_paid_when_the_credits_do() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, _) = two(&world).await;
        let debit = i64::try_from(sent(folder.path(), ACCOUNT).1).unwrap();
        // The file is made on 16 June; the debit settles on the 17th, the credits on the 18th.
        let days = days(&company).await;
        assert_eq!(days.keys().collect::<Vec<_>>(), ["2026-06-17", "2026-06-18"]);
        let (debited, paid) = (&days["2026-06-17"], &days["2026-06-18"]);
        assert_eq!(
            debited.iter().map(|(account, sum)| (account.as_str(), *sum)).collect::<Vec<_>>(),
            [("cash", -debit), ("funds_in_transit", debit)]
        );
        assert_eq!(
            ["cash", "funds_in_transit", "net_pay_payable"].map(|account| of(paid, account)),
            [-debit, 0, 0]
        );
        let lines = company.get(JOURNAL).await.list();
        let transfer = lines.iter().find(|line| line["reason"] == "transfer").unwrap();
        assert!(transfer["liability_payment_uuid"].is_null() && transfer["payroll_uuid"].is_null());
        assert_eq!(transfer["memo"], "Debit of the bank account: payroll of 2026-06-18");
        // It is no payment of a liability, and nothing that is owed.
        let listed = company.get("/v1/companies/{company}/liability_payments").await.list();
        assert!(listed.is_empty(), "{listed:?}");
        let owed = company.get("/v1/companies/{company}/liabilities?all=true&as_of=2026-12-31").await.list();
        assert!(owed.iter().all(|one| one["account"] != "funds_in_transit"), "{owed:?}");
    });
}

#[test]
fn pay_that_is_returned_is_owed_again_until_it_is_paid_to_an_account_by_check_or_by_the_employer() {
    on_both_engines(async |engine: Engine| {
        for how in ["account", "check", "employer"] {
            let world = engine.own_world().await;
            let folder = bank(&world, |_| {}).await;
            let (company, ana) = two(&world).await;
            let [cash, ..] = now(&company).await;
            world.wait_until("2026-06-19T17:00:00Z".parse().unwrap()).await;
            let back = comes_back(&world, folder.path(), "R03", "1111222233").await;
            assert_eq!(now(&company).await, [cash, back, -back], "the operator has it, and Ana is owed it");
            match how {
                "account" => {
                    let other = add_account(&company, &ana, "5555666677").await;
                    pay_again(&company, json!({ "bank_account_uuid": other })).await;
                    assert_eq!(now(&company).await, [cash, 0, 0]);
                    // And once more.
                    let back = comes_back(&world, folder.path(), "R02", "5555666677").await;
                    assert_eq!(now(&company).await, [cash, back, -back]);
                }
                "check" => {
                    pay_again(&company, json!({ "by_check": true })).await;
                    // What was debited for it is refunded, and the check is written.
                    assert_eq!(now(&company).await, [cash, 0, 0]);
                    let lines = company.get(JOURNAL).await.list();
                    assert!(
                        lines
                            .iter()
                            .any(|line| line["memo"].as_str().is_some_and(|memo| memo.starts_with("Refund")))
                    );
                }
                _ => {
                    let all =
                        company.get("/v1/companies/{company}/liabilities?as_of=2026-12-31").await.list();
                    let owed = all.iter().find(|one| one["account"] == "net_pay_payable").unwrap();
                    let told = json!({ "liability_uuid": owed["uuid"], "amount": owed["balance"], "paid_on": "2026-06-19" });
                    company.post("/v1/companies/{company}/liability_payments", told).await.created();
                    world.wait(Span::new().minutes(5)).await;
                    assert_eq!(now(&company).await, [cash, 0, 0]);
                    // It is settled once.
                    let list =
                        company.get(format!("{LIST}?transaction_type=Credit%20employee%20pay")).await.list();
                    let entry = list.iter().find(|one| one["payment_status"] == "failed").unwrap();
                    let again = format!("/v1/ach_transactions/{}/pay_again", text(entry, "uuid"));
                    let refused = company.put(again, json!({ "by_check": true })).await.refused(422);
                    assert!(refused.message().contains("recorded it as a payment"), "{}", refused.message());
                }
            }
        }
    });
}

#[test]
fn pay_whose_file_is_voided_is_owed_until_another_file_has_it() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, _) = two(&world).await;
        let before = days(&company).await;
        let [cash, ..] = now(&company).await;
        let voided = all_files(&world).await.remove(0);
        files::void_file(&world.app.store, voided.id).await.unwrap();
        // Debit and credits were in the file: nothing has moved, and both are owed their pay.
        let net = cash;
        assert_eq!(now(&company).await, [0, 0, net], "owed as it was before the file");
        let lines = company.get(JOURNAL).await.list();
        let memo = "Net pay whose file was voided: payroll of 2026-06-18";
        let back = lines.iter().find(|line| line["memo"] == memo && line["account"] == "net_pay_payable");
        assert_eq!(back.unwrap()["date"], "2026-06-18", "as of the day on which it was posted");
        world.wait_until("2026-06-19T17:00:00Z".parse().unwrap()).await;
        assert_eq!(now(&company).await, [0, 0, net]);
        retry(&world).await;
        assert_eq!(now(&company).await, [cash, 0, 0], "paid once");
        // And once more.
        let second = all_files(&world).await.remove(0);
        files::void_file(&world.app.store, second.id).await.unwrap();
        assert_eq!(now(&company).await, [0, 0, net]);
        retry(&world).await;
        assert_eq!(now(&company).await, [cash, 0, 0]);
        assert_eq!(before.len(), 2);
        world.wait(Span::new().hours(240)).await;
        assert_eq!(now(&company).await, [cash, 0, 0], "and it stays so");
        drop(folder);
    });
}

#[test]
fn pay_of_a_voided_file_whose_account_is_gone_is_owed_until_a_check_pays_it() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let _folder = bank(&world, |_| {}).await;
        let (company, ana) = two(&world).await;
        let [cash, ..] = now(&company).await;
        let voided = all_files(&world).await.remove(0);
        files::void_file(&world.app.store, voided.id).await.unwrap();
        let account =
            text(&company.get(format!("/v1/employees/{ana}/bank_accounts")).await.list()[0], "uuid");
        company.call("DELETE", format!("/v1/employees/{ana}/bank_accounts/{account}")).send().await.is(204);
        retry(&world).await;
        let [_, transit, owed] = now(&company).await;
        assert!(
            owed < 0 && transit == -owed,
            "what Ana is owed was debited and is not paid: {transit} {owed}"
        );
        let list = company.get(format!("{LIST}?transaction_type=Credit%20employee%20pay")).await.list();
        let entry = list.iter().find(|one| one["recipient_uuid"] == json!(ana)).unwrap();
        let again = format!("/v1/ach_transactions/{}/pay_again", text(entry, "uuid"));
        company.put(again, json!({ "by_check": true })).await.is(202);
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(
            now(&company).await,
            [cash, 0, 0],
            "what was debited is refunded, and the check is written"
        );
    });
}

#[test]
fn a_debit_that_is_returned_comes_back_to_the_bank_account_until_it_is_recovered() {
    on_both_engines(async |engine: Engine| {
        for by_wire in [false, true] {
            let world = engine.own_world().await;
            let folder = bank(&world, |_| {}).await;
            let (company, _) = two(&world).await;
            let [cash, ..] = now(&company).await;
            world.wait_until("2026-06-19T17:00:00Z".parse().unwrap()).await;
            let back = comes_back(&world, folder.path(), "R01", ACCOUNT).await;
            assert_eq!(
                (now(&company).await, cash),
                ([0, -back, 0], -back),
                "the company owes it to the operator"
            );
            let cases = company.get("/v1/companies/{company}/recovery_cases").await.list();
            let case = text(&cases[0], "uuid");
            if by_wire {
                let id = case.parse().unwrap();
                act(&company, move |tx, caller| {
                    recovery::close_case(tx, caller, id, recovery::Close::Recovered)
                })
                .await
                .unwrap();
            } else {
                company.put(format!("/v1/recovery_cases/{case}/redebit"), json!({})).await.is(202);
                world.wait(Span::new().minutes(5)).await;
            }
            assert_eq!(now(&company).await, [cash, 0, 0]);
            world.wait(Span::new().hours(240)).await;
            assert_eq!(now(&company).await, [cash, 0, 0], "it is posted once");
        }
    });
}

#[test]
fn a_wire_leaves_the_bank_account_when_it_arrives_and_who_is_paid_by_check_after_all_is_paid_out_of_it() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let _folder = bank(&world, |terms| terms.wire = Some(to())).await;
        let (company, location, payroll) = employer(&world, ACCOUNT).await;
        fund(&company, Mode::Wire, 0).await;
        paid(&company, &location, "Ana", "1111222233").await;
        let (max, account) = paid(&company, &location, "Max", "2222333344").await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        // Max's account is deleted: his pay is held, and he gets a check.
        company.call("DELETE", format!("/v1/employees/{max}/bank_accounts/{account}")).send().await.is(204);
        let wire = company.get("/v1/companies/{company}/wire_in_requests").await.list()[0].clone();
        arrived(&company, &wire).await;
        let amount = cents(&wire["requested_amount"]);
        assert_eq!(now(&company).await[..2], [-amount, amount]);
        world.wait_until("2026-06-18T20:00:00Z".parse().unwrap()).await;
        let [cash, transit, owed] = now(&company).await;
        assert_eq!((cash, transit, owed), (-amount, -owed, owed), "what is held is owed");
        let entry =
            company.get(LIST).await.list().into_iter().find(|one| one["payment_status"] == "unsubmitted");
        let entry = text(&entry.unwrap(), "uuid");
        company
            .put(format!("/v1/ach_transactions/{entry}/pay_again"), json!({ "by_check": true }))
            .await
            .is(202);
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(now(&company).await, [-amount, 0, 0]);
    });
}
