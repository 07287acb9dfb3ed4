//! Deposits of taxes that are staged and not in the bank's hands: nobody pays them by hand, and why they are held is told.

use domain::money::deposits::State;
use serde_json::json;

use super::taxes::{Depositor, only};
use super::waiting::approve;
use super::{retry, run, set};
use crate::support::{Engine, on_both_engines, text};

/// After the file of the deposit of 24 June is made.
const FILED: &str = "2026-06-22T23:05:00Z";

#[test]
fn what_a_deposit_pays_that_is_on_its_way_is_not_paid_by_hand() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        run(&one.company, &one.payroll).await;
        let waits = |terms: &mut domain::money::settings::Terms| {
            (terms.deposit_taxes, terms.approval_above) = (true, Some(100));
        };
        set(&one.world, one.folder.path(), waits).await;
        one.wait_until(FILED).await;
        assert_eq!(only(&one.company).await.state, State::Staged);
        let owed = one.company.get("/v1/companies/{company}/liabilities?as_of=2026-12-31").await.list();
        let medicare = owed.iter().find(|one| one["description"] == "Medicare").unwrap();
        let by_hand = json!({ "liability_uuid": medicare["uuid"], "amount": medicare["balance"], "paid_on": "2026-06-22" });
        let refused =
            one.company.post("/v1/companies/{company}/liability_payments", by_hand).await.refused(422);
        assert_eq!(refused.fault().0, "amount");
        assert!(refused.message().contains("no deposit pays that is on its way"), "{}", refused.message());
        approve(&one.world).await;
        assert_eq!(only(&one.company).await.state, State::Sent);
        assert!(one.owed().await.into_iter().all(|(tax, cents)| tax == "FUTA" || cents == 0));
    });
}

#[test]
fn a_deposit_that_is_held_says_why_and_the_account_that_it_needs_stays() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        run(&one.company, &one.payroll).await;
        let account = text(&one.company.get("/v1/companies/{company}/bank_accounts").await.list()[0], "uuid");
        let path = format!("/v1/companies/{{company}}/bank_accounts/{account}");
        assert!(one.company.delete(&path).await.refused(422).message().contains("deposits of their taxes"));
        let limited = |terms: &mut domain::money::settings::Terms| {
            (terms.deposit_taxes, terms.company_limit) = (true, Some(100));
        };
        set(&one.world, one.folder.path(), limited).await;
        one.wait_until(FILED).await;
        let held = only(&one.company).await;
        let why = "its credits exceed the limit of a company on one day";
        assert_eq!((held.state, held.reason.as_deref()), (State::Staged, Some(why)));
        set(&one.world, one.folder.path(), |terms| terms.deposit_taxes = true).await;
        retry(&one.world).await;
        let sent = only(&one.company).await;
        assert_eq!((sent.state, sent.reason), (State::Sent, None));
    });
}
