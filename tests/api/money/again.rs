//! What was held back, or came back, and is paid in another way: who pays for it, and when it goes out.

use domain::money::ledger::rows::HeldBy;
use std::fs;

use domain::datasets;
use domain::money::batches::repayments::{self, To};
use domain::money::funding::Mode;
use domain::money::ledger::rows::BatchKind;
use domain::money::returns::recovery::{self, Close};
use jiff::Span;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::returns::{credit, sent, take};
use super::taxes::act;
use super::{
    LIST, add_account, bank, employer, files_in, fund, held, held_payments, one_paid, paid, run, transactions,
};
use crate::sent_back::file;
use crate::support::{Company, Engine, World, on_both_engines, text};

const ACCOUNT: &str = "90126600418";
const OWED: &str = "/v1/companies/{company}/liabilities?as_of=2026-12-31";

/// Kind, code, account and cents of the entries of the newest file.
fn newest(folder: &TempDir) -> Vec<(String, u8, String, u64)> {
    let files = files_in(folder.path());
    let entries = ach::read::read_entries(&files.last().unwrap().1).unwrap();
    entries.into_iter().map(|one| (one.kind, one.code, one.account, one.cents)).collect()
}

/// Imports the account of the agency of Ohio.
async fn ohio(world: &World, folder: &TempDir, account: &str, vintage: &str) {
    let table = folder.path().join(".agencies.csv");
    let rows = format!(
        "state,name,routing_number,account_number,account_type,source\n\
         OH,OHIO CSPC,041000124,{account},Checking,letter of 2 March 2026\n"
    );
    fs::write(&table, rows).unwrap();
    let import =
        datasets::import_file(&world.app.store, "agency-banks", &table, Some(vintage), false, &|_, _| ());
    import.await.unwrap();
    fs::remove_file(&table).unwrap();
}

/// An order of Ohio that takes 60.00 of each pay.
async fn order(company: &Company, employee: &str) {
    let body = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                       "deduct_as_percentage": true, "pay_period_maximum": 60,
                       "child_support": { "state": "OH", "payment_period": "Every other week", "fips_code": "39000",
                                          "case_number": "OH-5", "order_number": "OH-5", "remittance_number": "OH-5" } });
    company.post(format!("/v1/employees/{employee}/garnishments"), body).await.created();
}

/// The transaction of a type.
async fn transaction(company: &Company, words: &str) -> Value {
    let list = company.get(format!("{LIST}?transaction_type={words}")).await.list();
    assert_eq!(list.len(), 1, "{list:?}");
    list[0].clone()
}

/// Ana and Max are paid; Max's account is deleted before the cut-off.
pub async fn with_one_held(world: &World, mode: Mode) -> (Company, String, String) {
    let (company, location, payroll) = employer(world, ACCOUNT).await;
    paid(&company, &location, "Ana", "1111222233").await;
    let (max, gone) = paid(&company, &location, "Max", "2222333344").await;
    fund(&company, mode, 1).await;
    company.calculate(&payroll).await;
    company.submit(&payroll).await;
    company.delete(format!("/v1/employees/{max}/bank_accounts/{gone}")).await.deleted();
    world.wait_until(super::AFTER.parse().unwrap()).await;
    let list = company.get(format!("{LIST}?transaction_type=Credit%20employee%20pay")).await.list();
    let held = list.iter().find(|one| one["recipient_uuid"] == max.as_str()).unwrap();
    assert_eq!(held["payment_status"], "unsubmitted");
    (company, max, text(held, "uuid"))
}

#[test]
fn a_payment_that_is_held_for_itself_is_listed_for_the_operator_until_it_is_paid() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let _folder = bank(&world, |_| {}).await;
        let (company, max, held) = with_one_held(&world, Mode::None).await;
        let listed = held_payments(&world).await;
        let [one] = &listed[..] else { panic!("{listed:?}") };
        assert_eq!((one.company, one.entry.id.to_string()), (company.id, held.clone()));
        assert_eq!(one.entry.employee.unwrap().to_string(), max);
        assert!(
            one.entry.cents > 0 && one.kind == BatchKind::Pay && one.hold_reason().contains("no account"),
            "{one:?}"
        );
        let again = format!("/v1/ach_transactions/{held}/pay_again");
        company.put(&again, json!({ "by_check": true })).await.is(202);
        assert!(held_payments(&world).await.is_empty(), "it is paid by check");
    });
}

#[test]
fn what_was_held_is_debited_when_it_is_paid_after_all() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, max, held) = with_one_held(&world, Mode::None).await;
        let cut_off = newest(&folder);
        assert_eq!(cut_off.len(), 2, "Ana, and the debit for her alone: {cut_off:?}");
        let other = add_account(&company, &max, "5555666677").await;
        let again = format!("/v1/ach_transactions/{held}/pay_again");
        company.put(&again, json!({ "bank_account_uuid": other })).await.is(202);
        world.wait(Span::new().minutes(5)).await;
        let mut second = newest(&folder);
        second.sort();
        let [(debit, 27, from, debited), (kind, 22, to, cents)] = &second[..] else { panic!("{second:?}") };
        assert_eq!((debit.as_str(), kind.as_str()), ("CCD", "PPD"));
        assert_eq!((from.as_str(), to.as_str()), (ACCOUNT, "5555666677"));
        assert_eq!(debited, cents, "the employer pays for it");

        // What comes back of it was debited, and is not debited again.
        let (trace, cents) = sent(folder.path(), "5555666677");
        take(&world, &file(&[("R03", &trace, cents, "")])).await;
        let third = add_account(&company, &max, "7777888899").await;
        let came_back = text(&transaction(&company, "Credit%20employee%20pay%20again").await, "uuid");
        let again = format!("/v1/ach_transactions/{came_back}/pay_again");
        company.put(again, json!({ "bank_account_uuid": third })).await.is(202);
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(newest(&folder), [("PPD".to_owned(), 22, "7777888899".to_owned(), cents)]);
    });
}

#[test]
fn what_was_held_and_is_paid_after_all_waits_for_its_debit_where_credits_do() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, max, held) = with_one_held(&world, Mode::Debit).await;
        let other = add_account(&company, &max, "5555666677").await;
        let again = format!("/v1/ach_transactions/{held}/pay_again");
        company.put(&again, json!({ "bank_account_uuid": other })).await.is(202);
        world.wait(Span::new().minutes(5)).await;
        let debit = newest(&folder);
        assert_eq!(debit.iter().map(|one| one.1).collect::<Vec<_>>(), [27], "the debit alone");
        // It settles on Wednesday 17 June; a banking day later is Thursday.
        world.wait_until("2026-06-18T20:00:00Z".parse().unwrap()).await;
        let all: Vec<_> = files_in(folder.path()).into_iter().skip(2).collect();
        let paid: Vec<_> = all.iter().flat_map(|(_, text)| ach::read::read_entries(text).unwrap()).collect();
        let paid = paid.iter().find(|one| one.account == "5555666677").unwrap();
        assert_eq!(paid.cents, debit[0].3);
    });
}

#[test]
fn what_was_held_and_is_paid_by_check_moves_no_money() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, _, held) = with_one_held(&world, Mode::None).await;
        company
            .put(format!("/v1/ach_transactions/{held}/pay_again"), json!({ "by_check": true }))
            .await
            .is(202);
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(files_in(folder.path()).len(), 1, "nobody was debited, and nobody gets anything back");
    });
}

#[test]
fn the_employer_gets_back_what_came_back_and_is_paid_by_check() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, ACCOUNT).await;
        run(&company, &payroll).await;
        let (trace, cents) = sent(folder.path(), "1111222233");
        take(&world, &file(&[("R03", &trace, cents, "")])).await;
        let entry = text(&credit(&company).await, "uuid");
        let by_check = json!({ "by_check": true });
        company.put(format!("/v1/ach_transactions/{entry}/pay_again"), by_check).await.is(202);
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(newest(&folder), [("CCD".to_owned(), 22, ACCOUNT.to_owned(), cents)]);
        let refund = transaction(&company, "Refund%20employer").await;
        assert_eq!(
            (&refund["payment_direction"], &refund["recipient_type"]),
            (&json!("credit"), &Value::Null)
        );
    });
}

#[test]
fn nothing_is_paid_again_while_a_debit_of_the_company_is_not_recovered() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, ACCOUNT).await;
        let (ana, _) = paid(&company, &location, "Ana", "1111222233").await;
        run(&company, &payroll).await;
        let ((debit, total), (trace, cents)) =
            (sent(folder.path(), ACCOUNT), sent(folder.path(), "1111222233"));
        take(&world, &file(&[("R01", &debit, total, ""), ("R04", &trace, cents, "")])).await;
        let other = add_account(&company, &ana, "5555666677").await;
        let entry = text(&credit(&company).await, "uuid");
        let again = json!({ "bank_account_uuid": other });
        company.put(format!("/v1/ach_transactions/{entry}/pay_again"), again).await.is(202);
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(held(&world).await, [HeldBy::NotRecovered.reason_text()]);
        assert_eq!(files_in(folder.path()).len(), 1, "the operator's money pays nobody");
        let case = company.get("/v1/companies/{company}/recovery_cases").await.list().remove(0);
        let case = text(&case, "uuid").parse().unwrap();
        act(&company, move |tx, caller| recovery::close_case(tx, caller, case, Close::Recovered))
            .await
            .unwrap();
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(newest(&folder), [("PPD".to_owned(), 22, "5555666677".to_owned(), cents)]);
    });
}

/// What is owed to agencies of child support.
async fn owed(company: &Company) -> Vec<String> {
    let list = company.get(OWED).await.list();
    list.iter().filter(|one| one["agency"] == "child_support").map(|one| text(one, "balance")).collect()
}

async fn remittance(company: &Company) -> (String, Value) {
    let list = company.get("/v1/companies/{company}/child_support_remittances").await.list();
    assert_eq!(list.len(), 1);
    (text(&list[0], "remittance"), list[0]["remittance_reason"].clone())
}

#[test]
fn child_support_that_comes_back_is_the_employers_until_it_is_paid_to_the_agency_again() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        ohio(&world, &folder, "7770002", "2026-06-01").await;
        let (company, location, payroll) = employer(&world, ACCOUNT).await;
        let (ana, _) = paid(&company, &location, "Ana", "1111222233").await;
        order(&company, &ana).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        assert_eq!(owed(&company).await, ["60.00"], "nobody has paid it");
        world.wait_until(super::AFTER.parse().unwrap()).await;
        assert!(owed(&company).await.iter().all(|balance| balance == "0.00"), "the service has paid it");

        let (trace, cents) = sent(folder.path(), "7770002");
        assert_eq!((cents, take(&world, &file(&[("R03", &trace, cents, "")])).await.returned), (6_000, 1));
        assert_eq!(remittance(&company).await, ("manual".into(), json!("payment_returned")));
        assert_eq!(owed(&company).await, ["60.00"], "it is owed again");
        let notices = "/v1/companies/{company}/notifications";
        let about = async || {
            let all = company.get(notices).await.list();
            all.into_iter().filter(|one| one["category"] == "child_support_returned").collect::<Vec<_>>()
        };
        let told = about().await;
        assert_eq!((told.len(), &told[0]["template_variables"]["error_code"]), (1, &json!("R03")));
        let one = format!("/v1/notifications/{}", text(&told[0], "uuid"));
        assert_eq!(company.get(&one).await.ok(), told[0]);

        let entry = text(&transaction(&company, "Credit%20child%20support").await, "uuid");
        let path = format!("/v1/ach_transactions/{entry}/pay_again");
        let account = super::add_account(&company, &ana, "5555666677").await;
        let refused = company.put(&path, json!({ "bank_account_uuid": account })).await.refused(422);
        assert!(refused.message().contains("its agency"), "{}", refused.message());
        ohio(&world, &folder, "7770003", "2026-06-17").await;
        let id = entry.parse().unwrap();
        act(&company, move |tx, caller| repayments::pay_again(tx, caller, id, To::Agency)).await.unwrap();
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(newest(&folder), [("CCD".to_owned(), 22, "7770003".to_owned(), 6_000)]);
        assert!(files_in(folder.path())[1].1.contains("DED*CS*OH-5*260618*6000*"));
        assert_eq!(remittance(&company).await, ("automatic".into(), Value::Null));
        assert!(about().await.is_empty());
        assert_eq!(company.get(&one).await.refused(422).fault(), ("base", "invalid_operation"));
        assert!(owed(&company).await.iter().all(|balance| balance == "0.00"));
        assert_eq!(super::told(&company, "payroll.paid", &payroll).await, 1);
        assert!(transactions(&company, "?payment_direction=debit").await.len() == 1, "it was debited once");
    });
}

#[test]
fn the_employer_gets_back_the_child_support_that_it_pays_itself() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        ohio(&world, &folder, "7770002", "2026-06-01").await;
        let (company, location, payroll) = employer(&world, ACCOUNT).await;
        let (ana, _) = paid(&company, &location, "Ana", "1111222233").await;
        order(&company, &ana).await;
        run(&company, &payroll).await;
        let (trace, cents) = sent(folder.path(), "7770002");
        take(&world, &file(&[("R03", &trace, cents, "")])).await;
        let entry = text(&transaction(&company, "Credit%20child%20support").await, "uuid");
        let by_check = json!({ "by_check": true });
        company.put(format!("/v1/ach_transactions/{entry}/pay_again"), by_check).await.is(202);
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(newest(&folder), [("CCD".to_owned(), 22, ACCOUNT.to_owned(), 6_000)]);
        assert_eq!(remittance(&company).await, ("manual".into(), json!("payment_returned")));
    });
}

#[test]
fn a_payroll_of_which_everything_is_held_is_paid_when_somebody_is() {
    on_both_engines(async |engine: Engine| {
        for by_check in [false, true] {
            let world = engine.own_world().await;
            let folder = bank(&world, |_| {}).await;
            let (company, location, payroll) = employer(&world, ACCOUNT).await;
            let (ana, gone) = paid(&company, &location, "Ana", "1111222233").await;
            company.calculate(&payroll).await;
            company.submit(&payroll).await;
            company.delete(format!("/v1/employees/{ana}/bank_accounts/{gone}")).await.deleted();
            world.wait_until("2026-06-18T20:00:00Z".parse().unwrap()).await;
            assert!(files_in(folder.path()).is_empty());
            assert_eq!(
                super::told(&company, "payroll.paid", &payroll).await,
                0,
                "nobody is paid by the calendar"
            );
            let other = add_account(&company, &ana, "5555666677").await;
            let again =
                if by_check { json!({ "by_check": true }) } else { json!({ "bank_account_uuid": other }) };
            let entry = text(&credit(&company).await, "uuid");
            company.put(format!("/v1/ach_transactions/{entry}/pay_again"), again).await.is(202);
            world.wait(Span::new().minutes(5)).await;
            assert_eq!(super::told(&company, "payroll.paid", &payroll).await, 1);
            assert_eq!(files_in(folder.path()).len(), usize::from(!by_check));
        }
    });
}
