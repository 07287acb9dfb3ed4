//! Deposits of taxes that are staged and not in the bank's hands: nobody pays them by hand, and why they are held is told.

use domain::money::deposits::DepositState;
use domain::money::funding::Mode;
use jiff::civil::date;
use serde_json::json;

use super::taxes::{Depositor, all, only};
use super::waiting::approve;
use super::{fund, paid, retry, run, set};
use crate::support::{Engine, id_of, on_both_engines, text};

/// After the file of the deposit of 24 June is made.
const FILED: &str = "2026-06-22T23:05:00Z";

#[test]
fn what_a_deposit_pays_that_is_on_its_way_is_not_paid_by_hand() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        run(&one.company, &one.payroll).await;
        let waits = |terms: &mut domain::money::bank::settings::Terms| {
            (terms.deposit_taxes, terms.approval_above) = (true, Some(100));
        };
        set(&one.world, one.folder.path(), waits).await;
        one.wait_until(FILED).await;
        assert_eq!(only(&one.company).await.state, DepositState::Staged);
        let owed = one.company.get("/v1/companies/{company}/liabilities?as_of=2026-12-31").await.list();
        let medicare = owed.iter().find(|one| one["description"] == "Medicare").unwrap();
        let by_hand = json!({ "liability_uuid": medicare["uuid"], "amount": medicare["balance"], "paid_on": "2026-06-22" });
        let refused =
            one.company.post("/v1/companies/{company}/liability_payments", by_hand).await.refused(422);
        assert_eq!(refused.fault().0, "amount");
        assert!(refused.message().contains("not covered by a pending deposit"), "{}", refused.message());
        approve(&one.world).await;
        assert_eq!(only(&one.company).await.state, DepositState::Sent);
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
        assert!(one.company.delete(&path).await.refused(422).message().contains("deposits of taxes"));
        let limited = |terms: &mut domain::money::bank::settings::Terms| {
            (terms.deposit_taxes, terms.company_limit) = (true, Some(100));
        };
        set(&one.world, one.folder.path(), limited).await;
        one.wait_until(FILED).await;
        let held = only(&one.company).await;
        let why = "its credits exceed the limit of a company on one day";
        assert_eq!((held.state, held.reason.as_deref()), (DepositState::Staged, Some(why)));
        set(&one.world, one.folder.path(), |terms| terms.deposit_taxes = true).await;
        retry(&one.world).await;
        let sent = only(&one.company).await;
        assert_eq!((sent.state, sent.reason), (DepositState::Sent, None));
    });
}

/// A payroll of its own that pays somebody a bonus of 150,000.00 on a day, submitted.
async fn bonus(one: &Depositor, employee: &str, check_date: &str) {
    let body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-01", "end_date": "2026-06-14",
                       "check_date": check_date, "employee_uuids": [employee] });
    let id = id_of(&one.company.post("/v1/companies/{company}/payrolls", body).await.ok());
    let prepared = format!("/v1/companies/{{company}}/payrolls/{id}/prepare");
    let prepared = one.company.put(&prepared, json!({})).await.ok();
    let of = &prepared["employee_compensations"][0];
    let line = json!({ "employee_uuid": employee, "version": of["version"],
                       "fixed_compensations": [{ "name": "Bonus", "amount": "150000.00" }] });
    let entered = json!({ "employee_compensations": [line] });
    one.company.put(format!("/v1/companies/{{company}}/payrolls/{id}"), entered).await.ok();
    one.company.calculate(&id).await;
    one.company.submit(&id).await;
}

#[test]
fn what_is_staged_of_a_period_in_which_a_hundred_thousand_dollars_are_reached_is_due_with_the_rest() {
    on_both_engines(async |engine: Engine| {
        let one = Depositor::new(engine).await;
        let (ana, _) = paid(&one.company, &one.location, "Max", "2222333344").await;
        fund(&one.company, Mode::Debit, 5).await;
        // Wednesday and Friday of one period, whose taxes are due on Wednesday 1 July.
        one.wait_until("2026-06-22T12:00:00Z").await;
        bonus(&one, &ana, "2026-06-24").await;
        let first = only(&one.company).await;
        assert_eq!((first.due, first.next_day), (date(2026, 7, 1), false));
        one.wait_until("2026-06-23T12:00:00Z").await;
        assert_eq!(only(&one.company).await.state, DepositState::Staged);
        bonus(&one, &ana, "2026-06-26").await;
        let both = all(&one.company).await;
        assert!(both.iter().all(|one| one.cents < 10_000_000), "{both:?}");
        // Monday after Friday: those of both days have accumulated.
        let found: Vec<_> = both.iter().map(|one| (one.state, one.due, one.next_day)).collect();
        let due = date(2026, 6, 29);
        assert_eq!(found, [(DepositState::Staged, due, false), (DepositState::Scheduled, due, true)]);
    });
}
