//! Files that wait for somebody, and what must not happen meanwhile.

use domain::Error;
use domain::money::batches::payroll;
use domain::money::files;
use domain::money::funding::Mode;
use jiff::Span;
use serde_json::{Value, json};

use super::taxes::act;
use super::{
    AFTER, LIST, all_files, bank, effective, employer, files_in, fund, one_paid, only, paid, run, told,
};
use crate::support::{Company, Engine, World, on_both_engines, text};

const ACCOUNT: &str = "90126600418";

/// Approves the file that waits.
pub async fn approve(world: &World) {
    let waiting = all_files(world).await.remove(0).id;
    let approved = world.app.store.write(move |tx| files::approve_file(tx, waiting, "Ann Lee")).await;
    approved.unwrap_or_else(|error: Error| panic!("{error:?}"));
    world.wait(Span::new().minutes(1)).await;
}

async fn transactions(company: &Company) -> Vec<Value> {
    company.get(LIST).await.list()
}

#[test]
fn a_file_that_was_approved_late_says_the_days_on_which_its_money_can_move() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) =
            one_paid(engine, |terms| terms.approval_above = Some(100), ACCOUNT).await;
        run(&company, &payroll).await;
        // Tuesday after the pay date: what is filed settles on Wednesday 24 June.
        world.wait_until("2026-06-23T18:00:00Z".parse().unwrap()).await;
        let status = company
            .get(format!("/v1/companies/{{company}}/payrolls/{payroll}?include=payroll_status_meta"))
            .await
            .ok();
        assert_eq!(status["payroll_status_meta"]["expected_check_date"], "2026-06-24");
        approve(&world).await;
        let files = files_in(folder.path());
        assert_eq!(effective(&files[0].1), ["260624", "260624"]);
        let days = |all: Vec<Value>| all.iter().map(|one| text(one, "payment_date")).collect::<Vec<_>>();
        assert_eq!(days(transactions(&company).await), ["2026-06-24"; 2]);
        let submitted = |all: &[Value]| all.iter().all(|one| one["payment_status"] == "submitted");
        world.wait_until("2026-06-26T18:00:00Z".parse().unwrap()).await;
        assert!(submitted(&transactions(&company).await), "it can come back until then");
        world.wait_until("2026-06-27T18:00:00Z".parse().unwrap()).await;
        assert!(transactions(&company).await.iter().all(|one| one["payment_status"] == "successful"));
    });
}

#[test]
fn a_company_that_is_renamed_while_its_file_waits_keeps_nobodys_payments_up() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) =
            one_paid(engine, |terms| terms.approval_above = Some(100), ACCOUNT).await;
        run(&company, &payroll).await;
        let details = company.get("/v1/companies/{company}/federal_tax_details").await.ok();
        let renamed = json!({ "version": details["version"], "legal_name": "Renamed Niño LLC" });
        company.put("/v1/companies/{company}/federal_tax_details", renamed).await.ok();
        approve(&world).await;
        let files = files_in(folder.path());
        assert_eq!(files.len(), 1);
        assert!(files[0].1.contains("RENAMED NINO LLC"), "{}", files[0].1);
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
    });
}

#[test]
fn credits_that_wait_for_their_debit_wait_for_the_file_of_it() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |terms| terms.approval_above = Some(100)).await;
        let (one, place, first) = employer(&world, ACCOUNT).await;
        paid(&one, &place, "Ana", "1111222233").await;
        fund(&one, Mode::Debit, 2).await;
        let (two, place, second) = employer(&world, "80126600419").await;
        paid(&two, &place, "Max", "2222333344").await;
        for (company, payroll) in [(&one, &first), (&two, &second)] {
            company.calculate(payroll).await;
            company.submit(payroll).await;
        }
        world.wait_until(AFTER.parse().unwrap()).await;
        // The debit of the one is in the file of the other, which nobody approves.
        world.wait_until("2026-06-24T20:00:00Z".parse().unwrap()).await;
        assert_eq!(all_files(&world).await.len(), 1);
        assert!(files_in(folder.path()).is_empty());
        approve(&world).await;
        assert_eq!(only(folder.path()).len(), 3);
        // The debit settles on Thursday 25 June; two banking days later is Monday.
        world.wait_until("2026-06-28T20:00:00Z".parse().unwrap()).await;
        assert_eq!(all_files(&world).await.len(), 1);
        world.wait_until("2026-06-29T20:00:00Z".parse().unwrap()).await;
        assert_eq!(all_files(&world).await.len(), 2);
    });
}

#[test]
fn a_payroll_whose_payments_are_being_made_is_not_cancelled_whatever_the_clock_says() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, ACCOUNT).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        // Another node, whose clock is ahead, has begun with it.
        let (id, of) = (company.id, payroll.parse().unwrap());
        let begun = world.app.store.write(move |tx| payroll::prepare_some_payments(tx, id, of)).await;
        assert!(begun.unwrap_or_else(|error: Error| panic!("{error:?}")));
        let cancel = format!("/v1/companies/{{company}}/payrolls/{payroll}/cancel");
        let refused = company.put(&cancel, json!({})).await.refused(422);
        assert!(refused.message().contains("are being made"), "{}", refused.message());
        world.wait_until(AFTER.parse().unwrap()).await;
        assert_eq!(only(folder.path()).len(), 2);
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
    });
}

#[test]
fn a_file_of_which_pay_was_reversed_is_not_taken_back() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, ACCOUNT).await;
        run(&company, &payroll).await;
        let entry = super::returns::credit(&company).await;
        let entry = text(&entry, "uuid").parse().unwrap();
        act(&company, move |tx, caller| {
            domain::money::batches::reversals::reverse_payment(tx, caller, entry)
        })
        .await
        .unwrap();
        let file = all_files(&world).await.remove(0).id;
        let void = files::void_file(&world.app.store, file).await;
        let Err(Error::Violations(why)) = void else { panic!("{void:?}") };
        assert!(why[0].message.contains("was reversed"), "{}", why[0].message);
        assert_eq!(files_in(folder.path()).len(), 1, "it is there still");
    });
}

#[test]
fn after_the_last_file_of_a_day_the_next_is_made_on_the_day_after_by_itself() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |terms| terms.first_modifier = '9').await;
        let (company, location, payroll) = employer(&world, ACCOUNT).await;
        let (ana, account) = paid(&company, &location, "Ana", "1111222233").await;
        run(&company, &payroll).await;
        assert_eq!((ana.len(), account.len(), only(folder.path()).len()), (36, 36, 2));
        let entry = text(&super::returns::credit(&company).await, "uuid").parse().unwrap();
        act(&company, move |tx, caller| {
            domain::money::batches::reversals::reverse_payment(tx, caller, entry)
        })
        .await
        .unwrap();
        world.wait(Span::new().hours(2)).await;
        assert_eq!(files_in(folder.path()).len(), 1, "the bank's daily file limit is reached");
        world.wait_until("2026-06-17T08:00:00Z".parse().unwrap()).await;
        assert_eq!(files_in(folder.path()).len(), 2);
    });
}

#[test]
fn a_reversal_that_has_waited_too_long_is_given_up() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, ACCOUNT).await;
        run(&company, &payroll).await;
        let entry = text(&super::returns::credit(&company).await, "uuid").parse().unwrap();
        act(&company, move |tx, caller| {
            domain::money::batches::reversals::reverse_payment(tx, caller, entry)
        })
        .await
        .unwrap();
        world.wait(Span::new().minutes(5)).await;
        let reversal = all_files(&world).await.remove(0).id;
        files::void_file(&world.app.store, reversal).await.unwrap();
        // Paid on Thursday 18 June: what settles after Friday 26 June is too late.
        world.wait_until("2026-06-26T12:00:00Z".parse().unwrap()).await;
        super::retry(&world).await;
        assert_eq!(files_in(folder.path()).len(), 1, "nothing is taken from anybody");
        let statuses: Vec<_> =
            transactions(&company).await.iter().map(|one| text(one, "payment_status")).collect();
        assert_eq!(statuses.iter().filter(|status| *status == "successful").count(), 2, "{statuses:?}");
    });
}
