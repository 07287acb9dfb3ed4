//! Deposits of federal taxes after their file: returned ones, returned debits, voided files, and crashes on the way.

use std::collections::BTreeMap;

use ach::read::read_entries;
use domain::Error;
use domain::money::batches::taxes;
use domain::money::deposits::DepositState;
use domain::money::files::Taker;
use domain::money::files::{self, compose};
use domain::money::funding::Mode;
use domain::money::ledger::rows::of_payroll;
use jiff::Span;
use jiff::civil::date;
use serde_json::{Value, json};
use uuid::Uuid;

use super::crashes::{STEPS, Step, interrupted};
use super::returns::{sent, take};
use super::taxes::{ACCOUNT, AGENCY, Depositor, FILED, STAGED, act, only};
use super::{all_files, files_in, fund, held, retry, run};
use crate::sent_back::file;
use crate::support::{Engine, on_both_engines, text};

#[test]
fn a_deposit_that_comes_back_is_owed_again_and_paid_again_without_a_second_debit() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        run(&one.company, &one.payroll).await;
        let before = one.owed().await;
        one.wait_until(FILED).await;
        let (trace, cents) = sent(one.folder.path(), AGENCY);
        let text_of_bank = file(&[("R03", &trace, cents, "")]);
        assert_eq!(take(&one.world, &text_of_bank).await.returned, 1);
        assert_eq!(take(&one.world, &text_of_bank).await.before, 1);
        let back = only(&one.company).await;
        assert_eq!(
            (back.state, back.reason.as_deref()),
            (DepositState::Returned, Some("the bank returned it: R03"))
        );
        assert_eq!(one.owed().await, before, "it is owed again");
        act(&one.company, move |tx, caller| taxes::pay_deposit_again(tx, caller, back.id)).await.unwrap();
        one.world.wait(Span::new().minutes(5)).await;
        let files = files_in(one.folder.path());
        let codes: Vec<_> =
            read_entries(&files[2].1).unwrap().iter().map(|entry| (entry.code, entry.cents)).collect();
        assert_eq!(codes, [(22, cents)]);
        assert_eq!(only(&one.company).await.state, DepositState::Sent);
        assert_eq!(one.owed().await, BTreeMap::from([("FUTA".to_owned(), 1_200)]));
    });
}

#[test]
fn a_debit_for_a_deposit_that_comes_back_has_to_be_recovered_and_is_of_no_payroll() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        run(&one.company, &one.payroll).await;
        one.wait_until(FILED).await;
        let second = read_entries(&files_in(one.folder.path())[1].1).unwrap();
        let debit = second.iter().find(|entry| entry.is_debit()).unwrap();
        assert_eq!(take(&one.world, &file(&[("R01", &debit.trace, debit.cents, "")])).await.returned, 1);
        let cases = one.company.get("/v1/companies/{company}/recovery_cases").await.list();
        assert_eq!((cases.len(), &cases[0]["payroll_uuid"]), (1, &Value::Null));
        assert_eq!(cases[0]["check_date"], "2026-06-24");
        let wires = one.company.get("/v1/companies/{company}/wire_in_requests").await.list();
        assert_eq!((wires[0]["payment_type"].as_str(), wires.len()), (Some("TaxDeposit"), 1));
        assert_eq!(only(&one.company).await.state, DepositState::Sent, "the agency has its money");
        let again = format!("/v1/recovery_cases/{}/redebit", text(&cases[0], "uuid"));
        one.company.put(again, json!({})).await.is(202);
        one.world.wait(Span::new().minutes(5)).await;
        let third = read_entries(&files_in(one.folder.path())[2].1).unwrap();
        assert_eq!(
            third.iter().map(|entry| (entry.code, entry.cents)).collect::<Vec<_>>(),
            [(27, debit.cents)]
        );
        one.world.wait(Span::new().hours(240)).await;
        let cases = one.company.get("/v1/companies/{company}/recovery_cases").await.list();
        assert_eq!(cases[0]["status"], "recovered");
    });
}

#[test]
fn a_file_with_a_deposit_that_is_taken_back_leaves_it_owed_until_it_goes_again() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        run(&one.company, &one.payroll).await;
        let before = one.owed().await;
        one.wait_until(FILED).await;
        let newest = all_files(&one.world).await.remove(0);
        files::void_file(&one.world.app.store, newest.id).await.unwrap();
        assert_eq!((only(&one.company).await.state, one.owed().await), (DepositState::Staged, before));
        assert_eq!(held(&one.world).await.len(), 2);
        retry(&one.world).await;
        assert_eq!(only(&one.company).await.state, DepositState::Sent);
        assert_eq!(one.owed().await, BTreeMap::from([("FUTA".to_owned(), 1_200)]));
        assert_eq!(files_in(one.folder.path()).len(), 2);
    });
}

#[test]
fn where_credits_wait_for_the_debit_deposits_are_debited_so_much_earlier_and_are_in_time() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        fund(&one.company, Mode::Debit, 1).await;
        run(&one.company, &one.payroll).await;
        // One banking day earlier: Thursday, for Friday is a holiday.
        one.wait_until("2026-06-18T22:59:00Z").await;
        assert_eq!(only(&one.company).await.state, DepositState::Scheduled);
        one.wait_until("2026-06-18T23:05:00Z").await;
        assert_eq!(
            only(&one.company).await.state,
            DepositState::Staged,
            "the debit went, and the credit waits"
        );
        one.wait_until("2026-06-24T07:00:00Z").await;
        let sent = only(&one.company).await;
        assert_eq!((sent.state, sent.settles_on), (DepositState::Sent, Some(date(2026, 6, 24))));
    });
}

#[test]
fn whatever_step_a_crash_interrupts_a_deposit_is_filed_once_and_paid_once_in_the_books() {
    on_both_engines(async |engine: Engine| {
        for crash in STEPS {
            let one = Depositor::new(engine).await;
            run(&one.company, &one.payroll).await;
            let (store, company) = (&one.world.app.store, one.company.id);
            let id: Uuid = only(&one.company).await.id;
            store.clock().advance_to(STAGED.parse().unwrap());
            for _ in 0..2 {
                let staged = store.write(move |tx| taxes::stage_deposit_payment(tx, company, id)).await;
                staged.unwrap_or_else(|error: Error| panic!("{crash:?}: {error:?}"));
            }
            let mut taken = Vec::new();
            if !matches!(crash, Step::SomePrepared | Step::Prepared) {
                let next = store.write(compose::next).await;
                let next = next.unwrap_or_else(|error: Error| panic!("{error:?}")).unwrap();
                taken = interrupted(store, &one.folder, next, crash).await;
            }
            for minutes in [5, 60] {
                one.world.wait(Span::new().minutes(minutes)).await;
            }
            files::bring_files(store, Taker::Tool).await.unwrap();
            let seen: BTreeMap<_, _> = files_in(one.folder.path()).into_iter().chain(taken).collect();
            let entries: Vec<_> = seen.values().flat_map(|text| read_entries(text).unwrap()).collect();
            let agencies = entries.iter().filter(|entry| entry.account == AGENCY).count();
            let debits = entries.iter().filter(|entry| entry.account == ACCOUNT).count();
            assert_eq!(
                (agencies, debits),
                (1, 2),
                "{crash:?}: one for the agency, and a debit beside that of the payroll"
            );
            assert_eq!(only(&one.company).await.state, DepositState::Sent, "{crash:?}");
            assert_eq!(one.owed().await, BTreeMap::from([("FUTA".to_owned(), 1_200)]), "{crash:?}");
            let batches = store.read(move |tx| of_payroll(tx, company, id)).await;
            assert_eq!(batches.unwrap_or_else(|error: Error| panic!("{error:?}")).len(), 2, "{crash:?}");
        }
    });
}
