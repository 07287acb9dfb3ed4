//! Payments of contractors on their way through the bank: files, returns, corrections, reversals, wires, and the books at each look.

use ach::read::read_entries;
use domain::Error;
use domain::access::tokens::Caller;
use domain::access::users::Role;
use domain::money::batches::repayments::{self, To};
use domain::money::batches::reversals;
use domain::money::batches::reversals::Why;
use domain::money::funding::Mode;
use domain::money::returns::bank_returns::{self, Report};
use domain::pay::payrolls::closing::reversals::Category;
use jiff::Span;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::{account, create, owed, pay_of, payer, told, two};
use crate::console::{form_token, signed_in};
use crate::money::{bank, files_in};
use crate::oauth::user;
use crate::sent_back::file;
use crate::support::{Company, Engine, World, id_of, on_both_engines, text};

/// After the file of the cut-off was made.
const AFTER: &str = "2026-06-16T23:05:00Z";
const LIST: &str = "/v1/companies/{company}/ach_transactions";

async fn act<T: Send + 'static>(
    company: &Company,
    act: impl Fn(&mut store::Tx<'_>, &Caller) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let caller = Caller::for_operator(company.id, TimeZone::UTC);
    company.world.app.store.write(move |tx| act(tx, &caller)).await
}

async fn take(world: &World, text: &str) -> Report {
    bank_returns::process_bank_file(&world.app.store, text.as_bytes()).await.unwrap()
}

/// The trace number and the cents of the last entry of an account.
fn sent(folder: &std::path::Path, account: &str) -> (String, u64) {
    let all = files_in(folder);
    let mut entries = all.iter().flat_map(|(_, text)| read_entries(text).unwrap());
    let entry = entries.rfind(|entry| entry.account == account).unwrap();
    (entry.trace, entry.cents)
}

async fn of_payment(company: &Company, payment: &str) -> Vec<Value> {
    company.get(format!("{LIST}?contractor_payment_uuid={payment}")).await.list()
}

/// Both are paid: the company, the folder, and their payments.
async fn both_paid(world: &World) -> (Company, tempfile::TempDir, [String; 2], [String; 2]) {
    let folder = bank(world, |_| {}).await;
    let company = payer(world).await;
    let both = two(&company).await;
    let group = create(&company, &pay_of(&both)).await;
    assert_eq!(owed(&company, "contractors_payable").await, 160_500);
    world.wait_until(AFTER.parse().unwrap()).await;
    let payments = [0, 1].map(|place| id_of(&group["contractor_payments"][place]));
    (company, folder, both, payments)
}

#[test]
fn people_and_businesses_are_credited_in_their_classes_and_the_company_is_debited_once() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, folder, [cora, _], [first, second]) = both_paid(&world).await;
        let files = files_in(folder.path());
        assert_eq!(files.len(), 1);
        let entries = read_entries(&files[0].1).unwrap();
        let mut found: Vec<_> =
            entries.iter().map(|one| (one.kind.clone(), one.code, one.account.clone(), one.cents)).collect();
        found.sort();
        let expected = [
            ("CCD".to_owned(), 22, "44445555666".to_owned(), 60_500),
            ("CCD".to_owned(), 27, "90126600418".to_owned(), 160_500),
            ("PPD".to_owned(), 22, "1111222233".to_owned(), 100_000),
        ];
        assert_eq!(found, expected);
        // The word for wages is for wages alone.
        assert!(!files[0].1.contains("PAYROLL") && files[0].1.contains("CONTRACTOR"));
        assert_eq!((owed(&company, "contractors_payable").await, owed(&company, "cash").await), (0, 160_500));
        let one = &of_payment(&company, &first).await[0];
        assert_eq!(
            (&one["payment_event_type"], &one["recipient_type"], &one["recipient_uuid"]),
            (&json!("ContractorPayment"), &json!("Contractor"), &json!(cora))
        );
        assert_eq!(one["transaction_type"], "Credit contractor pay");
        let typed = company.get(format!("{LIST}?transaction_type=Credit%20contractor%20pay")).await.list();
        assert_eq!(typed.len(), 2);
        assert!(
            company.get(format!("{LIST}?transaction_type=Credit%20employee%20pay")).await.list().is_empty()
        );
        assert_eq!(company.get(format!("{LIST}?transaction_type=Debit%20employer")).await.list().len(), 1);
        let receipt = company.get(format!("/v1/contractor_payments/{second}/receipt")).await.ok();
        assert_eq!(
            (&receipt["debit_date"], &receipt["totals"]["company_debit"]),
            (&json!("2026-06-17"), &json!("605.00"))
        );
        world.wait(Span::new().hours(240)).await;
        assert_eq!(files_in(folder.path()).len(), 1, "nothing goes twice");
    });
}

#[test]
fn a_payment_that_comes_back_is_paid_again_to_new_numbers_or_by_check() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, folder, [cora, lin], [first, second]) = both_paid(&world).await;
        let (trace, cents) = sent(folder.path(), "1111222233");
        let (of_lin, lins) = sent(folder.path(), "44445555666");
        let text_of_bank = file(&[("R03", &trace, cents, ""), ("R02", &of_lin, lins, "")]);
        assert_eq!(take(&world, &text_of_bank).await, Report { returned: 2, ..Report::default() });
        assert_eq!(owed(&company, "contractors_payable").await, 160_500, "both are owed again");
        assert_eq!(owed(&company, "funds_in_transit").await, -160_500, "the operator has the money");
        let entry = |list: Vec<Value>| text(&list[0], "uuid");
        let failed = of_payment(&company, &first).await;
        assert_eq!(
            (&failed[0]["payment_status"], &failed[0]["error_code"]),
            (&json!("failed"), &json!("R03"))
        );
        let again = format!("/v1/ach_transactions/{}/pay_again", entry(failed));
        let same = company.get(format!("/v1/contractors/{cora}/bank_accounts")).await.list();
        let body = json!({ "bank_account_uuid": text(&same[0], "uuid") });
        company.put(&again, body).await.refused(422);
        let renewed = account(&company, &cora, "7777888899").await;
        company.put(&again, json!({ "bank_account_uuid": renewed })).await.is(202);
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(sent(folder.path(), "7777888899").1, cents);
        assert_eq!(owed(&company, "contractors_payable").await, 60_500, "the first is paid again");
        let by_check =
            format!("/v1/ach_transactions/{}/pay_again", entry(of_payment(&company, &second).await));
        company.put(&by_check, json!({ "by_check": true })).await.is(202);
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(sent(folder.path(), "90126600418").1, lins, "refunded to the company");
        assert_eq!(
            (owed(&company, "contractors_payable").await, owed(&company, "funds_in_transit").await),
            (0, 0)
        );
        assert_eq!(owed(&company, "cash").await, 160_500, "paid once each");
        // Nothing more goes to the account of the business.
        let payment = json!({ "contractor_uuid": lin, "date": "2026-06-25", "hours": "1" });
        let refused = company.post(super::SINGLES, payment).await.refused(422);
        assert_eq!(refused.only()["metadata"]["key"], "returned_bank_account");
    });
}

#[test]
fn a_payment_that_came_back_is_a_liability_that_is_settled_once() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, folder, [cora, _], [first, second]) = both_paid(&world).await;
        world.wait_until("2026-06-19T17:00:00Z".parse().unwrap()).await;
        let back = [("1111222233", "R03"), ("44445555666", "R02")].map(|(account, code)| {
            let (trace, cents) = sent(folder.path(), account);
            (code, trace, cents)
        });
        let records = back.each_ref().map(|(code, trace, cents)| (*code, trace.as_str(), *cents, ""));
        assert_eq!(take(&world, &file(&records)).await.returned, 2);
        let list = company.get("/v1/companies/{company}/liabilities").await.list();
        let of: Vec<&Value> = list.iter().filter(|one| one["account"] == "contractors_payable").collect();
        assert_eq!(of.len(), 2, "one for each payment: {list:?}");
        let one = of.iter().find(|one| one["agency"] == json!(cora)).unwrap();
        assert_eq!((&one["balance"], &one["tax_code"]), (&json!("1000.00"), &Value::Null));
        let pay = |amount: &str| json!({ "liability_uuid": one["uuid"], "amount": amount, "paid_on": "2026-06-19" });
        const PAYMENTS: &str = "/v1/companies/{company}/liability_payments";
        company.post(PAYMENTS, pay("999.00")).await.refused(422);
        company.post(PAYMENTS, pay("1000.00")).await.is(201);
        assert_eq!(owed(&company, "contractors_payable").await, 60_500);
        // It is settled once, whichever way.
        company.post(PAYMENTS, pay("1000.00")).await.refused(422);
        let again = async |payment: &str| {
            let entry = text(&of_payment(&company, payment).await[0], "uuid");
            company.put(format!("/v1/ach_transactions/{entry}/pay_again"), json!({ "by_check": true })).await
        };
        again(&first).await.refused(422);
        again(&second).await.is(202);
        let late = json!({ "liability_uuid": of.iter().find(|one| one["agency"] != json!(cora)).unwrap()["uuid"],
                           "amount": "605.00", "paid_on": "2026-06-19" });
        company.post(PAYMENTS, late).await.refused(422);
        world.wait(Span::new().minutes(5)).await;
        let left = ["contractors_payable", "funds_in_transit"];
        assert_eq!((owed(&company, left[0]).await, owed(&company, left[1]).await), (0, 0));
    });
}

#[test]
fn payments_whose_file_is_voided_are_owed_until_another_file_has_them() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, folder, _, _) = both_paid(&world).await;
        let sums = async || {
            let of = ["contractors_payable", "funds_in_transit", "cash"];
            [owed(&company, of[0]).await, owed(&company, of[1]).await, owed(&company, of[2]).await]
        };
        assert_eq!(sums().await, [0, 0, 160_500]);
        for _ in 0..2 {
            let voided = crate::money::all_files(&world).await.remove(0).id;
            domain::money::files::void_file(&world.app.store, voided).await.unwrap();
            assert_eq!(sums().await, [160_500, 0, 0], "nothing has moved");
            crate::money::retry(&world).await;
            assert_eq!(sums().await, [0, 0, 160_500], "paid once");
        }
        // What is returned afterwards is owed once.
        let (trace, cents) = sent(folder.path(), "1111222233");
        take(&world, &file(&[("R03", &trace, cents, "")])).await;
        assert_eq!(sums().await, [100_000, -100_000, 160_500]);
    });
}

#[test]
fn a_payment_that_came_back_is_paid_by_check_from_the_page_of_what_is_not_paid() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, folder, _, [first, _]) = both_paid(&world).await;
        let (trace, cents) = sent(folder.path(), "1111222233");
        take(&world, &file(&[("R03", &trace, cents, "")])).await;
        let path = format!("/console/companies/{}/owed", company.id);
        let admin = user(&world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, page) = signed_in(&world, &admin, &path).await;
        let shown = page.is(200).text();
        assert!(shown.contains("Cora Stone") && shown.contains("returned by the bank: R03"), "{shown}");
        assert!(shown.contains("Pay by check"), "{shown}");
        let token = form_token(&mut browser).await;
        let entry = text(&of_payment(&company, &first).await[0], "uuid");
        let fields = [("form_token", token.as_str()), ("payment", entry.as_str())];
        let check = format!("{path}/check");
        let done = browser.post(&check, &fields).send().await.is(303);
        assert!(done.header("location").ends_with("/owed?done=contractor"), "{}", done.header("location"));
        let after = browser.get(&format!("{path}?done=contractor")).await.is(200).text();
        assert!(
            after.contains("hand it to the contractor") && !after.contains("returned by the bank"),
            "{after}"
        );
        browser.post(&check, &fields).send().await.is(422);
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(sent(folder.path(), "90126600418").1, cents, "refunded to the company");
        assert_eq!(owed(&company, "contractors_payable").await, 0);
    });
}

#[test]
fn a_bank_corrects_the_account_of_a_contractor() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, folder, [cora, _], _) = both_paid(&world).await;
        let (trace, _) = sent(folder.path(), "1111222233");
        assert_eq!(take(&world, &file(&[("C01", &trace, 0, "9999888877")])).await.corrections, 1);
        let list = company.get("/v1/companies/{company}/account_corrections").await.list();
        assert_eq!((&list[0]["contractor_uuid"], &list[0]["employee_uuid"]), (&json!(cora), &Value::Null));
        let one = format!("/v1/account_corrections/{}", text(&list[0], "uuid"));
        company.put(&one, json!({ "accept": true })).await.ok();
        let accounts = company.get(format!("/v1/contractors/{cora}/bank_accounts")).await.list();
        assert!(text(&accounts[0], "hidden_account_number").ends_with("8877"));
        company.put(&one, json!({ "accept": true })).await.refused(422);
        assert_eq!(told(&company, "contractor.bank_account.updated").await, [text(&accounts[0], "uuid")]);
    });
}

#[test]
fn pay_that_was_not_owed_is_void_and_pay_that_was_paid_twice_is_owed() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, folder, _, [first, second]) = both_paid(&world).await;
        let reverse = async |payment: &str, category: Category| {
            let entry = text(&of_payment(&company, payment).await[0], "uuid").parse().unwrap();
            let why = Why::new(category, None);
            act(&company, move |tx, caller| reversals::reverse_for(tx, caller, entry, &why)).await
        };
        reverse(&first, Category::NotOwed).await.unwrap();
        assert!(reverse(&first, Category::NotOwed).await.is_err(), "once");
        let void = company.get(format!("{}/{first}", super::SINGLES)).await.ok();
        assert!(void["voided_at"].is_string() && void["may_cancel"] == false);
        assert_eq!((owed(&company, "contractor_pay").await, owed(&company, "cash").await), (-52_500, 60_500));
        let list =
            company.get(format!("{}?start_date=2026-01-01&end_date=2026-12-31", super::SINGLES)).await.ok();
        assert_eq!(list["total"]["wages"], "525.00");
        reverse(&second, Category::PaidTwice).await.unwrap();
        assert_eq!(owed(&company, "contractors_payable").await, 60_500);
        let liabilities = company.get("/v1/companies/{company}/liabilities").await.list();
        let one = liabilities.iter().find(|one| one["account"] == "contractors_payable").unwrap();
        let paid = json!({ "liability_uuid": one["uuid"], "amount": "605.00", "paid_on": "2026-06-16" });
        company.post("/v1/companies/{company}/liability_payments", paid).await.is(201);
        assert_eq!(owed(&company, "contractors_payable").await, 0);
        world.wait(Span::new().minutes(5)).await;
        let files = files_in(folder.path());
        let back = read_entries(&files.last().unwrap().1).unwrap();
        let mut back: Vec<_> = back.iter().map(|one| (one.kind.as_str(), one.code, one.cents)).collect();
        back.sort_unstable();
        assert_eq!(back, [("CCD", 27, 60_500), ("PPD", 27, 100_000)], "each in the class of its payment");
    });
}

#[test]
fn a_returned_debit_opens_a_case_of_its_payments_and_blocks_the_next_ones() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, folder, [cora, _], payments) = both_paid(&world).await;
        let (trace, cents) = sent(folder.path(), "90126600418");
        take(&world, &file(&[("R01", &trace, cents, "")])).await;
        let case = &company.get("/v1/companies/{company}/recovery_cases").await.list()[0];
        assert_eq!(
            (&case["payroll_uuid"], &case["contractor_payment_uuids"]),
            (&Value::Null, &json!(payments))
        );
        let wire = &company.get("/v1/companies/{company}/wire_in_requests").await.list()[0];
        assert_eq!(wire["payment_type"], "ContractorPaymentGroup");
        let next = json!({ "contractor_uuid": cora, "date": "2026-06-25", "wage": "1" });
        let refused = company.post(super::SINGLES, next.clone()).await.refused(422);
        assert_eq!(refused.only()["metadata"]["key"], "pending_recovery_case");
        company.put(format!("/v1/recovery_cases/{}/redebit", text(case, "uuid")), json!({})).await.is(202);
        world.wait(Span::new().hours(24 * 7)).await;
        assert_eq!(sent(folder.path(), "90126600418").1, cents);
        let payment = json!({ "contractor_uuid": cora, "date": "2026-07-09", "wage": "1" });
        company.post(super::SINGLES, payment).await.ok();
    });
}

#[test]
fn credits_wait_for_a_wire_and_without_an_account_for_the_operator() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let company = payer(&world).await;
        let both = two(&company).await;
        crate::money::fund(&company, Mode::Wire, 0).await;
        let group = create(&company, &pay_of(&both)).await;
        assert_eq!(group["credit_blockers"][0]["blocker_type"], "waiting_for_wire_in");
        world.wait_until(AFTER.parse().unwrap()).await;
        assert!(files_in(folder.path()).is_empty());
        assert_eq!(owed(&company, "contractors_payable").await, 160_500, "held is owed");
        let wire = &company.get("/v1/companies/{company}/wire_in_requests").await.list()[0];
        assert_eq!(
            (&wire["payment_uuid"], &wire["requested_amount"]),
            (&json!(id_of(&group)), &json!("1605.00"))
        );
        let id = text(wire, "uuid").parse().unwrap();
        act(&company, move |tx, caller| domain::money::returns::recovery::wire_arrived(tx, caller, id))
            .await
            .unwrap();
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(sent(folder.path(), "1111222233").1, 100_000);
        assert_eq!(owed(&company, "contractors_payable").await, 0);
        let [entry] = &of_payment(&company, &id_of(&group["contractor_payments"][0])).await[..] else {
            panic!()
        };
        let entry = text(entry, "uuid").parse().unwrap();
        let twice =
            act(&company, move |tx, caller| repayments::pay_again(tx, caller, entry, To::Check)).await;
        assert!(twice.is_err(), "what was paid is not paid again");
    });
}
