//! Held net pay is a liability that is settled once: paid again by the service, or paid by the employer, who records it.

use domain::money::funding::Mode;
use jiff::Span;
use serde_json::{Value, json};

use super::again::with_one_held;
use super::{LIST, add_account, bank, held_payments, told};
use crate::support::{Company, Engine, on_both_engines, text};

const LIABILITIES: &str = "/v1/companies/{company}/liabilities?all=true&as_of=2026-12-31";
const PAYMENTS: &str = "/v1/companies/{company}/liability_payments";

/// Held net pay among the liabilities: its identifier and what is owed.
async fn net_pay(company: &Company) -> Option<(String, String)> {
    let all = company.get(LIABILITIES).await.list();
    let one = all.iter().find(|one| one["account"] == "net_pay_payable")?;
    Some((text(one, "uuid"), text(one, "balance")))
}

fn paid(liability: &str, amount: &str) -> Value {
    json!({ "liability_uuid": liability, "amount": amount, "paid_on": "2026-06-16" })
}

/// The cents that a payroll's transactions credit to employees, whatever became of them, and those that they debit.
async fn sums(company: &Company, payroll: &str) -> (i64, i64) {
    let all = company.get(format!("{LIST}?payroll_uuid={payroll}")).await.list();
    let cents = |one: &Value| text(one, "amount").replace('.', "").parse::<i64>().unwrap();
    let of =
        |direction: &str| all.iter().filter(|one| one["payment_direction"] == direction).map(cents).sum();
    (of("credit"), of("debit"))
}

async fn payroll_of(company: &Company, entry: &str) -> String {
    let all = company.get(LIST).await.list();
    text(all.iter().find(|one| one["uuid"] == entry).unwrap(), "payment_event_uuid")
}

#[test]
fn held_pay_that_the_employer_recorded_as_paid_is_not_paid_again() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let _folder = bank(&world, |_| {}).await;
        let (company, max, held) = with_one_held(&world, Mode::None).await;
        let payroll = payroll_of(&company, &held).await;
        let (liability, owed) = net_pay(&company).await.unwrap();

        // A part of one payment settles none, and neither does what is not held.
        let part = company.post(PAYMENTS, paid(&liability, "0.01")).await.refused(422);
        assert_eq!(part.keys(), ["amount"]);
        let mut other = paid(&liability, &owed);
        other["ach_transaction_uuids"] = json!([max]);
        assert_eq!(company.post(PAYMENTS, other).await.refused(422).keys(), ["ach_transaction_uuids"]);
        let mut named = paid(&liability, &owed);
        named["ach_transaction_uuids"] = json!([held]);
        company.post(PAYMENTS, named).await.created();

        let again = format!("/v1/ach_transactions/{held}/pay_again");
        let account = add_account(&company, &max, "5555666677").await;
        for how in [json!({ "by_check": true }), json!({ "bank_account_uuid": account })] {
            let refused = company.put(&again, how).await.refused(422);
            assert_eq!(refused.fault(), ("base", "invalid_operation"));
            assert!(refused.message().contains("recorded it as a payment"), "{}", refused.message());
        }
        let twice = company.post(PAYMENTS, paid(&liability, &owed)).await.refused(422);
        assert!(twice.message().contains("No net pay is held any more"), "{}", twice.message());
        world.wait(Span::new().minutes(5)).await;
        assert!(net_pay(&company).await.is_none_or(|(_, balance)| balance == "0.00"));
        assert!(held_payments(&world).await.is_empty());
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1, "all that can be paid is paid");
        // It is no check of the service's, and no transaction.
        let print = format!("/v1/payrolls/{payroll}/generated_documents/printable_payroll_checks");
        company.post(&print, json!({ "printing_format": "top" })).await.refused(422);
        let (credits, debits) = sums(&company, &payroll).await;
        assert_eq!(credits, debits);
    });
}

#[test]
fn held_pay_that_is_paid_again_is_no_liability_that_can_be_recorded_as_paid_and_counts_once() {
    on_both_engines(async |engine: Engine| {
        for by_check in [false, true] {
            let world = engine.own_world().await;
            let _folder = bank(&world, |_| {}).await;
            let (company, max, held) = with_one_held(&world, Mode::None).await;
            let payroll = payroll_of(&company, &held).await;
            let (liability, owed) = net_pay(&company).await.unwrap();
            let account = add_account(&company, &max, "5555666677").await;
            let how =
                if by_check { json!({ "by_check": true }) } else { json!({ "bank_account_uuid": account }) };
            company.put(format!("/v1/ach_transactions/{held}/pay_again"), how).await.is(202);
            // Also before its file is made.
            let refused = company.post(PAYMENTS, paid(&liability, &owed)).await.refused(422);
            assert!(refused.message().contains("pay_again"), "{}", refused.message());
            world.wait(Span::new().minutes(5)).await;
            let refused = company.post(PAYMENTS, paid(&liability, &owed)).await.refused(422);
            assert!(refused.message().contains("pay_again"), "{}", refused.message());
            assert!(net_pay(&company).await.is_none_or(|(_, balance)| balance == "0.00"));
            let (credits, debits) = sums(&company, &payroll).await;
            assert_eq!(credits, debits, "each payment is in the sum once");
        }
    });
}
