//! Files that wait, or cannot be brought to the bank for a while, and payments that are taken back meanwhile.

use domain::Error;
use domain::access::tokens::Caller;
use domain::money::batches::reversals;
use domain::money::files;
use domain::money::ledger::rows::{BankFile, FileState};
use domain::money::views::open_items;
use domain::platform::jobs::dead_letters;
use jiff::Span;
use jiff::tz::TimeZone;
use serde_json::json;
use std::fs;

use super::returns::credit;
use super::{
    all_files, effective, employer, files_in, held, one_paid, paid, retry, run, set, told, transactions,
};
use crate::support::{Company, Engine, World, on_both_engines, text};

async fn ready(world: &World) -> String {
    world.call("GET", "/readyz").send().await.is(200).text()
}

async fn approve(world: &World, file: &BankFile) -> BankFile {
    let id = file.id;
    let approved = world.app.store.write(move |tx| files::approve_file(tx, id, "Ann Lee")).await;
    approved.unwrap_or_else(|error: Error| panic!("{error:?}"))
}

async fn given_up(world: &World) -> i64 {
    world.app.store.read(dead_letters::count_failed_jobs).await.unwrap()
}

/// Takes the payment of the only employee back.
async fn reverse(company: &Company) -> Result<(), Error> {
    let entry = text(&credit(company).await, "uuid").parse().unwrap();
    let caller = Caller::for_operator(company.id, TimeZone::UTC);
    company.world.app.store.write(move |tx| reversals::reverse_payment(tx, &caller, entry)).await
}

#[test]
fn a_company_that_is_renamed_while_its_file_waits_keeps_no_payment_up() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) =
            one_paid(engine, |terms| terms.approval_above = Some(100_000), "90126600418").await;
        run(&company, &payroll).await;
        assert!(ready(&world).await.contains("1 files for the bank wait for approval"));
        let federal = "/v1/companies/{company}/federal_tax_details";
        let before = company.get(federal).await.ok();
        let body = json!({ "version": before["version"], "legal_name": "Renamed Company LLC" });
        company.put(federal, body).await.ok();
        approve(&world, &all_files(&world).await[0]).await;
        // Between the record and the disk, too.
        let before = company.get(federal).await.ok();
        let body = json!({ "version": before["version"], "legal_name": "Again Another LLC" });
        company.put(federal, body).await.ok();
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
        let (files, made) = (files_in(folder.path()), all_files(&world).await);
        assert!(files[0].1.contains("AGAIN ANOTHER"), "{}", files[0].1);
        assert_eq!((made[0].state, &made[0].name), (FileState::Written, &files[0].0));
        assert_eq!(made[0].digest, domain::money::files::compose::sha256_hex(&files[0].1));
    });
}

#[test]
fn a_file_that_is_approved_days_later_is_one_of_that_day_and_moves_its_money_then() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) =
            one_paid(engine, |terms| terms.approval_above = Some(100_000), "90126600418").await;
        run(&company, &payroll).await;
        world.wait_until("2026-06-23T18:00:00Z".parse().unwrap()).await;
        approve(&world, &all_files(&world).await[0]).await;
        world.wait(Span::new().minutes(5)).await;
        let files = files_in(folder.path());
        assert_eq!(effective(&files[0].1), ["260624", "260624"]);
        let list = company.get(super::LIST).await.list();
        assert!(list.iter().all(|one| one["payment_date"] == "2026-06-24"), "{list:?}");
        assert!(transactions(&company, "").await.iter().all(|one| one[2] == "submitted"));
    });
}

#[test]
fn a_reversal_takes_nothing_out_of_an_account_before_the_payment_has_arrived() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, "90126600418").await;
        run(&company, &payroll).await;
        // On Tuesday; the payment settles on Thursday.
        reverse(&company).await.unwrap();
        world.wait(Span::new().minutes(5)).await;
        let files = files_in(folder.path());
        assert_eq!(effective(&files[1].1), ["260618"]);
    });
}

#[test]
fn a_reversal_that_comes_too_late_is_given_up_and_the_payment_stays() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, "90126600418").await;
        run(&company, &payroll).await;
        reverse(&company).await.unwrap();
        world.wait(Span::new().minutes(5)).await;
        let reversal = all_files(&world).await.remove(0).id;
        files::void_file(&world.app.store, reversal).await.unwrap();
        assert_eq!(held(&world).await.len(), 1);
        // Friday 26 June is the fifth banking day after the payment.
        world.wait_until("2026-06-26T18:00:00Z".parse().unwrap()).await;
        retry(&world).await;
        assert!(held(&world).await.is_empty());
        assert_eq!(files_in(folder.path()).len(), 1, "nothing more goes to the bank");
        let told = transactions(&company, "?transaction_type=Credit%20employee%20pay").await;
        assert_eq!(told[0][2], "successful");
        let given_up = company.audit().await.into_iter().filter(|entry| entry.action == "reversal_given_up");
        assert_eq!(given_up.count(), 1);
    });
}

#[test]
fn a_file_is_not_taken_back_beside_the_reversal_of_its_pay() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, "90126600418").await;
        run(&company, &payroll).await;
        let first = all_files(&world).await.remove(0).id;
        reverse(&company).await.unwrap();
        world.wait(Span::new().minutes(5)).await;
        let Err(Error::Violations(why)) = files::void_file(&world.app.store, first).await else {
            panic!("the reversal would stand alone")
        };
        assert!(why[0].message.contains("reversed"), "{}", why[0].message);
        assert_eq!(files_in(folder.path()).len(), 2);
    });
}

#[test]
fn pay_of_a_file_that_is_being_taken_back_is_not_reversed() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, "90126600418").await;
        run(&company, &payroll).await;
        let file = all_files(&world).await.remove(0);
        // It is begun, and cannot go on: something lies where the file is put meanwhile.
        let mut private = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let in_the_way = private.find(|path| path.is_dir()).unwrap().join(format!("{}.void", file.name));
        fs::create_dir(&in_the_way).unwrap();
        files::void_file(&world.app.store, file.id).await.unwrap_err();
        let Err(Error::Violations(why)) = reverse(&company).await else {
            panic!("the reversal would stand alone")
        };
        assert!(why[0].message.contains("is being voided"), "{}", why[0].message);
        fs::remove_dir(&in_the_way).unwrap();
        files::void_file(&world.app.store, file.id).await.unwrap();
        assert!(files_in(folder.path()).is_empty());

        // One that the bank's tool has cannot be taken back, and is reversed.
        retry(&world).await;
        let second = all_files(&world).await.remove(0);
        fs::remove_file(folder.path().join(&second.name)).unwrap();
        files::void_file(&world.app.store, second.id).await.unwrap_err();
        reverse(&company).await.unwrap();
    });
}

#[test]
fn files_follow_one_another_as_they_were_made_whatever_the_clocks_of_their_nodes_show() {
    on_both_engines(async |engine: Engine| {
        let (world, _folder, company, payroll) = one_paid(engine, |_| {}, "90126600418").await;
        run(&company, &payroll).await;
        let ahead = world.second_node();
        ahead.app.store.clock().advance_to(world.now() + Span::new().hours(20));
        for node in [&ahead, &world, &world] {
            let newest = all_files(node).await.into_iter().max_by_key(|file| file.place).unwrap();
            files::void_file(&node.app.store, newest.id).await.unwrap();
            retry(node).await;
        }
        let mut made = all_files(&world).await;
        assert_eq!(made.len(), 4);
        made.sort_by_key(|file| file.place);
        for pair in made.windows(2) {
            assert_eq!(pair[1].first_trace, pair[0].first_trace + pair[0].entries, "of files {made:?}");
        }
    });
}

#[test]
fn what_a_day_has_no_file_for_goes_into_the_first_of_the_next_day() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) =
            one_paid(engine, |terms| terms.first_modifier = '9', "90126600418").await;
        run(&company, &payroll).await;
        reverse(&company).await.unwrap();
        world.wait(Span::new().hours(2)).await;
        assert_eq!(files_in(folder.path()).len(), 1);
        assert!(ready(&world).await.contains("1 batches of payments should be in a file by now"));
        let listed = world.app.store.read(|tx| open_items::list_open_batches(tx, 10)).await;
        assert_eq!(listed.unwrap_or_else(|error: Error| panic!("{error:?}")).len(), 1);
        // Midnight in California.
        world.wait_until("2026-06-17T07:05:00Z".parse().unwrap()).await;
        let files = files_in(folder.path());
        assert_eq!(files.len(), 2);
        assert!(files[1].0.starts_with("2026-06-17-9-"), "{}", files[1].0);
        assert_eq!(given_up(&world).await, 0);
        assert!(!ready(&world).await.contains("batches"));
    });
}

#[test]
fn payments_are_tried_as_long_as_the_folder_is_away() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, "90126600418").await;
        let away = tempfile::tempdir().unwrap();
        let away = away.path().join("away");
        fs::rename(folder.path(), &away).unwrap();
        run(&company, &payroll).await;
        world.wait(Span::new().hours(48)).await;
        assert!(all_files(&world).await.is_empty(), "nothing is recorded that nobody can bring");
        assert!(ready(&world).await.contains("2 batches of payments should be in a file by now"));
        assert_eq!(given_up(&world).await, 0);
        fs::rename(&away, folder.path()).unwrap();
        world.wait(Span::new().minutes(61)).await;
        let files = files_in(folder.path());
        // It is Thursday 18 June after four in California: what moves, moves on Monday.
        assert_eq!(effective(&files[0].1), ["260622", "260622"]);
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
        assert!(!ready(&world).await.contains("batches"));
    });
}

#[test]
fn a_file_that_was_staged_elsewhere_keeps_no_other_up() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, "90126600418").await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        world.app.store.clock().advance_to(super::CUT_OFF.parse().unwrap());
        let (store, id, run) = (&world.app.store, company.id, payroll.parse().unwrap());
        domain::money::batches::payroll::prepare_payroll_payments(store, id, run).await.unwrap();
        let next = store.write(domain::money::files::compose::next).await;
        let next = next.unwrap_or_else(|error: Error| panic!("{error:?}")).unwrap();
        files::stage_file(store, next).await.unwrap();
        // The folder is lost; another one takes its place.
        let second = tempfile::tempdir().unwrap();
        set(&world, second.path(), |_| {}).await;
        let (other, place, theirs) = employer(&world, "80126600419").await;
        paid(&other, &place, "Max", "2222333344").await;
        other.calculate(&theirs).await;
        other.submit(&theirs).await;
        world.wait(Span::new().hours(80)).await;
        assert_eq!(told(&other, "payroll.paid", &theirs).await, 1);
        assert_eq!((files_in(second.path()).len(), files_in(folder.path()).len()), (1, 0));
        assert!(ready(&world).await.contains("1 files for the bank should be in its folder by now"));
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 0);
    });
}

#[test]
fn the_receipt_tells_the_day_on_which_the_company_is_debited() {
    on_both_engines(async |engine: Engine| {
        let (world, _folder, company, payroll) = one_paid(engine, |_| {}, "90126600418").await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let debited =
            async || text(&company.get(format!("/v1/payrolls/{payroll}/receipt")).await.ok(), "debit_date");
        assert_eq!(debited().await, "2026-06-17", "the day after the file of the cut-off");
        world.wait_until(super::AFTER.parse().unwrap()).await;
        let list = company.get(format!("{}?payment_direction=debit", super::LIST)).await.list();
        assert_eq!(debited().await, text(&list[0], "payment_date"));
    });
}
