//! Payrolls of which a part is held or came back: when they are paid, what the books say of them, and which checks are written.

use domain::money::funding::Mode;
use jiff::Span;
use serde_json::{Value, json};

use super::again::with_one_held;
use super::returns::{sent, take};
use super::{
    LIST, add_account, all_files, bank, employer, files_in, fund, held, one_paid, paid, retry, run, set, told,
};
use crate::sent_back::file;
use crate::support::{Company, Engine, World, on_both_engines, text};

const ACCOUNT: &str = "90126600418";
const JOURNAL: &str = "/v1/companies/{company}/journal?start_date=2026-06-01&end_date=2026-07-31";

fn cents(amount: &Value) -> i64 {
    let digits: String = amount.as_str().unwrap_or("0.00").chars().filter(|c| *c != '.').collect();
    digits.parse().unwrap()
}

/// What of net pay is still owed by the books, and whether a check or a file paid it.
async fn owed_pay(company: &Company) -> i64 {
    let lines = company.get(JOURNAL).await.list();
    let of = |account: &str| -> i64 {
        let of = lines.iter().filter(|line| line["account"] == account);
        of.map(|line| cents(&line["credit"]) - cents(&line["debit"])).sum()
    };
    let all: i64 = lines.iter().map(|line| cents(&line["credit"]) - cents(&line["debit"])).sum();
    assert_eq!(all, 0, "{lines:#?}");
    of("net_pay_payable")
}

async fn pay_again(company: &Company, entry: &str, how: Value) {
    company.put(format!("/v1/ach_transactions/{entry}/pay_again"), how).await.is(202);
    company.world.wait(Span::new().minutes(5)).await;
}

async fn payroll_of(company: &Company, entry: &str) -> (String, i64) {
    let all = company.get(LIST).await.list();
    let one = all.iter().find(|one| one["uuid"] == entry).unwrap();
    (text(one, "payment_event_uuid"), cents(&one["amount"]))
}

#[test]
fn a_payroll_of_which_a_part_is_held_is_paid_once_everybody_is_and_the_books_owe_the_rest_until_then() {
    on_both_engines(async |engine: Engine| {
        for by_check in [false, true] {
            let world = engine.own_world().await;
            let folder = bank(&world, |_| {}).await;
            let (company, max, entry) = with_one_held(&world, Mode::None).await;
            let (payroll, cents) = payroll_of(&company, &entry).await;
            assert_eq!(files_in(folder.path()).len(), 1, "Ana is paid");
            assert_eq!(owed_pay(&company).await, cents, "and Max is owed his pay");
            world.wait_until("2026-06-19T20:00:00Z".parse().unwrap()).await;
            assert_eq!(told(&company, "payroll.paid", &payroll).await, 0, "not everybody is paid");

            let other = add_account(&company, &max, "5555666677").await;
            let how =
                if by_check { json!({ "by_check": true }) } else { json!({ "bank_account_uuid": other }) };
            pay_again(&company, &entry, how).await;
            assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
            assert_eq!(owed_pay(&company).await, 0);
            if !by_check {
                // The file is taken back, and made again.
                let second = all_files(&world).await.remove(0).id;
                domain::money::files::void_file(&world.app.store, second).await.unwrap();
                assert_eq!(owed_pay(&company).await, cents);
                retry(&world).await;
                assert_eq!((owed_pay(&company).await, files_in(folder.path()).len()), (0, 2));
            }
        }
    });
}

/// Numbers and cents of the checks of a payroll.
async fn printed(company: &Company, payroll: &str) -> Vec<(i64, i64)> {
    let print = format!("/v1/payrolls/{payroll}/generated_documents/printable_payroll_checks");
    company.post(&print, json!({ "printing_format": "top" })).await.ok();
    let mut all: Vec<_> = company.get("/v1/companies/{company}/checks").await.list();
    all.retain(|one| one["voided_at"].is_null());
    let mut all: Vec<_> =
        all.iter().map(|one| (one["check_number"].as_i64().unwrap(), cents(&one["amount"]))).collect();
    all.sort_unstable();
    all
}

async fn method(company: &Company, payroll: &str) -> Value {
    let receipt = company.get(format!("/v1/payrolls/{payroll}/receipt")).await.ok();
    receipt["employee_compensations"][0]["payment_method"].clone()
}

#[test]
fn what_came_back_and_is_paid_by_check_has_a_check_in_the_register() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, ACCOUNT).await;
        let (ana, first) = paid(&company, &location, "Ana", "1111222233").await;
        let second = add_account(&company, &ana, "44445555666").await;
        let now = company.get(format!("/v1/employees/{ana}/payment_method")).await.ok();
        let splits = json!([{ "uuid": first, "priority": 1, "split_amount": 50000 },
                            { "uuid": second, "priority": 2, "split_amount": null }]);
        let body = json!({ "version": now["version"], "type": "Direct Deposit", "split_by": "Amount", "splits": splits });
        company.put(format!("/v1/employees/{ana}/payment_method"), body).await.ok();
        run(&company, &payroll).await;
        let print = format!("/v1/payrolls/{payroll}/generated_documents/printable_payroll_checks");
        let refused = company.post(&print, json!({ "printing_format": "top" })).await.refused(422);
        assert!(refused.message().contains("Nobody is paid by check"), "{}", refused.message());

        let back = async |account: &str| {
            let (trace, cents) = sent(folder.path(), account);
            take(&world, &file(&[("R03", &trace, cents, "")])).await;
            let all = company.get(format!("{LIST}?transaction_type=Credit%20employee%20pay")).await.list();
            let failed = all.iter().find(|one| {
                one["payment_status"] == "failed"
                    && one["amount"]
                        .as_str()
                        .is_some_and(|amount| amount.replace('.', "").parse::<u64>().unwrap() == cents)
            });
            pay_again(&company, &text(failed.unwrap(), "uuid"), json!({ "by_check": true })).await;
            i64::try_from(cents).unwrap()
        };
        // One of the two accounts: the check is for that part, and the rest stays a direct deposit.
        let part = back("1111222233").await;
        assert_eq!((part, method(&company, &payroll).await), (50_000, json!("Direct Deposit")));
        assert_eq!(printed(&company, &payroll).await, [(1_001, part)]);
        // The other one: another check, for what the first does not pay.
        let rest = back("44445555666").await;
        assert_eq!(printed(&company, &payroll).await, [(1_001, part), (1_002, rest)]);
        assert_eq!(printed(&company, &payroll).await, [(1_001, part), (1_002, rest)], "once");
        assert_eq!(method(&company, &payroll).await, "Check");
    });
}

#[test]
fn what_was_paid_to_another_account_needs_no_check() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let _folder = bank(&world, |_| {}).await;
        let (company, max, entry) = with_one_held(&world, Mode::None).await;
        let (payroll, _) = payroll_of(&company, &entry).await;
        let other = add_account(&company, &max, "5555666677").await;
        pay_again(&company, &entry, json!({ "bank_account_uuid": other })).await;
        let print = format!("/v1/payrolls/{payroll}/generated_documents/printable_payroll_checks");
        company.post(&print, json!({ "printing_format": "top" })).await.refused(422);
    });
}

async fn debits_and_credits(world: &World, folder: &tempfile::TempDir) -> (usize, usize) {
    world.wait(Span::new().minutes(5)).await;
    let all = files_in(folder.path());
    let entries: Vec<_> = all.iter().flat_map(|(_, text)| ach::read::read_entries(text).unwrap()).collect();
    let debits = entries.iter().filter(|entry| entry.is_debit()).count();
    (debits, entries.len() - debits)
}

#[test]
fn nobody_is_debited_for_credits_that_wait_for_the_debit_and_that_a_limit_would_hold() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) =
            one_paid(engine, |terms| terms.company_limit = Some(100_000), ACCOUNT).await;
        fund(&company, Mode::Debit, 1).await;
        run(&company, &payroll).await;
        assert_eq!(debits_and_credits(&world, &folder).await, (0, 0));
        assert_eq!(held(&world).await, ["its credits exceed the limit of a company on one day"]);
        retry(&world).await;
        assert_eq!(held(&world).await.len(), 1, "the limit is what it was");
        set(&world, folder.path(), |terms| terms.company_limit = Some(1_000_000)).await;
        retry(&world).await;
        assert_eq!(debits_and_credits(&world, &folder).await, (1, 0));
        // It settles on Wednesday 17 June; a banking day later the credit may go.
        world.wait_until("2026-06-18T20:00:00Z".parse().unwrap()).await;
        assert_eq!(debits_and_credits(&world, &folder).await, (1, 1));
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
    });
}
