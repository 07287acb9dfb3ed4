//! What can be sent no more once its file goes on that had waited: pay into accounts that are gone, and reversals whose days are over.

use domain::money::batches::reversals;
use domain::money::funding::Mode;
use domain::money::ledger::rows::FileState;
use jiff::Span;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::returns::{sent, take};
use super::taxes::act;
use super::waiting::approve;
use super::{
    LIST, add_account, all_files, bank, employer, files_in, fund, held_payments, paid, run, set, told,
    transactions,
};
use crate::sent_back::file;
use crate::support::{Company, Engine, World, on_both_engines, text};

const ACCOUNT: &str = "90126600418";
const PAY: &str = "?transaction_type=Credit%20employee%20pay";

/// Code, account and cents of the entries of the newest file in the folder.
fn newest(folder: &TempDir) -> Vec<(u8, String, u64)> {
    let entries = ach::read::read_entries(&files_in(folder.path()).last().unwrap().1).unwrap();
    let mut all: Vec<_> = entries.into_iter().map(|one| (one.code, one.account, one.cents)).collect();
    all.sort();
    all
}

/// The states of all files, the newest first.
async fn states(world: &World) -> Vec<FileState> {
    all_files(world).await.into_iter().map(|file| file.state).collect()
}

/// Ana and Max are paid by a payroll: the world, the bank's folder, the company, its payroll, and Max with his account.
async fn two(engine: Engine, approval_above: Option<i64>) -> (World, TempDir, Company, String, [String; 2]) {
    let world = engine.own_world().await;
    let folder = bank(&world, |terms| terms.approval_above = approval_above).await;
    let (company, location, payroll) = employer(&world, ACCOUNT).await;
    paid(&company, &location, "Ana", "1111222233").await;
    let (max, account) = paid(&company, &location, "Max", "2222333344").await;
    (world, folder, company, payroll, [max, account])
}

/// Pays a payroll, whose payment to Max comes back, and has files wait for approval from now on; how much it was.
async fn comes_back(world: &World, folder: &TempDir, company: &Company, payroll: &str) -> u64 {
    run(company, payroll).await;
    let (trace, cents) = sent(folder.path(), "2222333344");
    take(world, &file(&[("R03", &trace, cents, "")])).await;
    set(world, folder.path(), |terms| terms.approval_above = Some(100)).await;
    cents
}

/// The payment to an employee.
async fn payment(company: &Company, employee: &str) -> Value {
    let list = company.get(format!("{LIST}{PAY}")).await.list();
    list.into_iter().find(|one| one["recipient_uuid"] == employee).unwrap()
}

async fn pay_again(company: &Company, payment: &Value, how: Value) {
    let id = text(payment, "uuid");
    company.put(format!("/v1/ach_transactions/{id}/pay_again"), how).await.is(202);
    company.world.wait(Span::new().minutes(10)).await;
}

#[test]
fn nobody_is_paid_into_an_account_that_was_deleted_while_the_file_waited_for_approval() {
    on_both_engines(async |engine: Engine| {
        for by_check in [false, true] {
            let (world, folder, company, payroll, [max, account]) = two(engine, Some(100)).await;
            run(&company, &payroll).await;
            company.delete(format!("/v1/employees/{max}/bank_accounts/{account}")).await.deleted();
            approve(&world).await;
            assert_eq!(states(&world).await, [FileState::AwaitingApproval, FileState::Void]);
            assert!(files_in(folder.path()).is_empty(), "what goes out is approved as it is");
            approve(&world).await;
            let file = newest(&folder);
            let [(22, to, ana), (27, from, both)] = &file[..] else { panic!("{file:?}") };
            assert_eq!((to.as_str(), from.as_str()), ("1111222233", ACCOUNT));
            let held = payment(&company, &max).await;
            assert_eq!(held["payment_status"], "unsubmitted");
            assert_eq!(told(&company, "payroll.paid", &payroll).await, 0, "somebody is not paid");
            let why: Vec<_> = held_payments(&world).await.iter().map(|one| one.hold_reason()).collect();
            assert_eq!(why, ["its account was deleted, or had a payment returned"]);

            // The employer was debited for Max, too: not again for his other account, and gets it back where it writes a check.
            set(&world, folder.path(), |_| {}).await;
            let max_cents = both - ana;
            let expected = if by_check {
                pay_again(&company, &held, json!({ "by_check": true })).await;
                ACCOUNT
            } else {
                let other = add_account(&company, &max, "5555666677").await;
                pay_again(&company, &held, json!({ "bank_account_uuid": other })).await;
                "5555666677"
            };
            assert_eq!(newest(&folder), [(22, expected.to_owned(), max_cents)]);
            assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
        }
    });
}

#[test]
fn nobody_is_paid_into_an_account_that_was_deleted_while_the_debit_was_waited_for() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll, [max, account]) = two(engine, None).await;
        fund(&company, Mode::Debit, 2).await;
        run(&company, &payroll).await;
        assert_eq!(newest(&folder).len(), 1, "the debit");
        company.delete(format!("/v1/employees/{max}/bank_accounts/{account}")).await.deleted();
        // It settles on Wednesday 17 June; two banking days later is Monday.
        world.wait_until("2026-06-22T20:00:00Z".parse().unwrap()).await;
        let paid: Vec<_> = newest(&folder).into_iter().map(|one| one.1).collect();
        assert_eq!(paid, ["1111222233"]);
        let other = add_account(&company, &max, "5555666677").await;
        let held = payment(&company, &max).await;
        pay_again(&company, &held, json!({ "bank_account_uuid": other })).await;
        let paid: Vec<_> = newest(&folder).into_iter().map(|one| (one.0, one.1)).collect();
        assert_eq!(paid, [(22, "5555666677".to_owned())], "its debit has settled, and is not made again");
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
    });
}

#[test]
fn how_pay_is_paid_again_is_decided_anew_where_that_account_is_gone_too() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll, [max, _]) = two(engine, None).await;
        let cents = comes_back(&world, &folder, &company, &payroll).await;
        let other = add_account(&company, &max, "5555666677").await;
        let came_back = payment(&company, &max).await;
        pay_again(&company, &came_back, json!({ "bank_account_uuid": other })).await;
        company.delete(format!("/v1/employees/{max}/bank_accounts/{other}")).await.deleted();
        approve(&world).await;
        assert_eq!(states(&world).await, [FileState::Void, FileState::Written]);
        set(&world, folder.path(), |_| {}).await;
        let came_back = payment(&company, &max).await;
        assert_eq!(came_back["payment_status"], "failed");
        pay_again(&company, &came_back, json!({ "by_check": true })).await;
        assert_eq!(newest(&folder), [(22, ACCOUNT.to_owned(), cents)], "the employer pays, and has it back");
        let checks = company.get(format!("/v1/companies/{{company}}/payrolls/{payroll}")).await.ok();
        let of_max = checks["employee_compensations"].as_array().unwrap();
        assert!(of_max.iter().any(|one| one["employee_uuid"] == max.as_str()), "{of_max:?}");
    });
}

#[test]
fn a_reversal_whose_days_were_over_when_its_file_was_approved_is_given_up() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll, [max, _]) = two(engine, None).await;
        let cents = comes_back(&world, &folder, &company, &payroll).await;
        let pay = company.get(format!("{LIST}{PAY}")).await.list();
        let ana = text(pay.iter().find(|one| one["recipient_uuid"] != max.as_str()).unwrap(), "uuid");
        let entry = ana.parse().unwrap();
        act(&company, move |tx, caller| reversals::reverse_payment(tx, caller, entry)).await.unwrap();
        let other = add_account(&company, &max, "5555666677").await;
        let came_back = payment(&company, &max).await;
        pay_again(&company, &came_back, json!({ "bank_account_uuid": other })).await;
        assert_eq!(all_files(&world).await[0].batches, 2, "the reversal and the payment to Max");

        // Paid on Thursday 18 June: until Friday 26 June a reversal may settle.
        world.wait_until("2026-06-29T18:00:00Z".parse().unwrap()).await;
        approve(&world).await;
        assert_eq!(states(&world).await, [FileState::AwaitingApproval, FileState::Void, FileState::Written]);
        approve(&world).await;
        assert_eq!(newest(&folder), [(22, "5555666677".to_owned(), cents)], "nobody is debited");
        let ana = transactions(&company, PAY).await;
        assert_eq!(ana.iter().filter(|one| one[2] == "successful").count(), 1, "{ana:?}");
        let reversal = transactions(&company, "?transaction_type=Reverse%20employee%20pay").await;
        assert_eq!(reversal[0][2], "unsubmitted");
    });
}
