//! Credits that wait for a wire, and what the company and the operator tell of it.

use domain::Error;
use domain::access::tokens::Caller;
use domain::money::bank::settings::{self, WireTo};
use domain::money::funding::{self, Funding, Mode};
use domain::money::ledger::rows::HeldBy;
use domain::money::returns::recovery;
use jiff::Span;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::taxes::act;
use super::{bank, employer, files_in, fund, held, one_paid, only, paid, run, set, told};
use crate::support::{Company, Engine, NOBODY, on_both_engines, text};

const LIST: &str = "/v1/companies/{company}/wire_in_requests";

pub async fn arrived(company: &Company, wire: &Value) {
    let (id, wire) = (company.id, text(wire, "uuid").parse().unwrap());
    let noted = company.world.app.store.write(move |tx| {
        let caller = Caller::for_operator(id, TimeZone::UTC);
        recovery::wire_arrived(tx, &caller, wire)
    });
    noted.await.unwrap_or_else(|error: Error| panic!("{error:?}"));
    company.world.wait(jiff::Span::new().minutes(5)).await;
}

pub fn sent() -> Value {
    json!({ "date_sent": "2026-06-16", "bank_name": "Second Example Bank", "amount_sent": "2000.00" })
}

/// Where wires go.
pub fn to() -> WireTo {
    WireTo {
        bank_name: "First Example Bank".into(),
        bank_address: "1 Main Street, Minneapolis, MN 55401".into(),
        recipient_name: "Stipend Operator LLC".into(),
        recipient_address: "2 Main Street, Minneapolis, MN 55401".into(),
        routing: "091000019".into(),
        account: "7001002003".into(),
    }
}

#[test]
fn nobody_waits_for_wires_that_nobody_is_told_where_to_send() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, _, _) = employer(&world, "90126600418").await;
        let by_wire = |tx: &mut store::Tx<'_>, caller: &Caller| {
            funding::store_funding(tx, caller, Funding { mode: Mode::Wire, days: 0 })
        };
        let Err(Error::Violations(why)) = act(&company, by_wire).await else { panic!("it is set") };
        assert!(why[0].key == "wire" && why[0].message.starts_with("wire must be set"), "{}", why[0].message);
        set(&world, folder.path(), |terms| terms.wire = Some(to())).await;
        act(&company, by_wire).await.unwrap();
        let mut terms = world.app.store.read(settings::find_settings).await.unwrap().unwrap().terms;
        terms.wire = None;
        let unsaid = act(&company, move |tx, _| funding::refuse_without_place(tx, &terms)).await;
        let Err(Error::Violations(why)) = unsaid else { panic!("it is left unsaid") };
        assert!(why[0].message.contains(&company.id.to_string()), "{}", why[0].message);
    });
}

#[test]
fn who_is_held_and_paid_by_check_was_paid_for_by_the_wire() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        paid(&company, &location, "Ana", "1111222233").await;
        let (max, gone) = paid(&company, &location, "Max", "2222333344").await;
        fund(&company, Mode::Wire, 0).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        company.delete(format!("/v1/employees/{max}/bank_accounts/{gone}")).await.deleted();
        world.wait_until(super::AFTER.parse().unwrap()).await;
        let wire = company.get(LIST).await.list().remove(0);
        let list = company.get("/v1/companies/{company}/ach_transactions").await.list();
        let held = list.iter().find(|one| one["recipient_uuid"] == max.as_str()).unwrap();
        let by_check = format!("/v1/ach_transactions/{}/pay_again", text(held, "uuid"));
        company.put(by_check, json!({ "by_check": true })).await.is(202);
        world.wait(Span::new().minutes(10)).await;
        assert!(files_in(folder.path()).is_empty(), "nothing is given back that has not come");
        arrived(&company, &wire).await;
        let mut all: Vec<_> = files_in(folder.path())
            .iter()
            .flat_map(|(_, text)| ach::read::read_entries(text).unwrap())
            .map(|one| (one.code, one.account, one.cents))
            .collect();
        all.sort();
        let [(22, ana, to_ana), (22, back, refund)] = &all[..] else { panic!("{all:?}") };
        assert_eq!((ana.as_str(), back.as_str()), ("1111222233", "90126600418"));
        let cents = |dollars: &str| dollars.replace('.', "").parse::<u64>().unwrap();
        assert_eq!(
            to_ana + refund,
            cents(&text(&wire, "requested_amount")),
            "all of the wire is accounted for"
        );
    });
}

#[test]
fn credits_go_out_once_the_wire_of_their_payroll_has_arrived() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |terms| terms.wire = Some(to())).await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        paid(&company, &location, "Ana", "1111222233").await;
        fund(&company, Mode::Wire, 0).await;
        assert!(company.get(LIST).await.list().is_empty());
        run(&company, &payroll).await;
        assert!(files_in(folder.path()).is_empty(), "nothing is debited, and nothing is paid");
        assert_eq!(held(&world).await, [HeldBy::NoWire.reason_text()]);

        let list = company.get(LIST).await.list();
        assert_eq!(list.len(), 1);
        let wire = &list[0];
        assert_eq!(
            (text(wire, "status"), text(wire, "payment_uuid")),
            ("awaiting_funds".into(), payroll.clone())
        );
        assert_eq!(text(wire, "recipient_account_number"), "7001002003");
        assert_eq!(text(wire, "wire_in_deadline"), "2026-06-16T23:00:00Z");
        let totals =
            company.get(format!("/v1/companies/{{company}}/payrolls/{payroll}?include=totals")).await.ok();
        assert_eq!(wire["requested_amount"], totals["totals"]["net_pay_debit"]);

        let path = format!("/v1/wire_in_requests/{}", text(wire, "uuid"));
        let missing = company.put(&path, json!({ "amount_sent": "0" })).await.refused(422);
        assert_eq!(missing.keys(), ["date_sent", "bank_name", "amount_sent"]);
        let told_of = company.put(&path, sent()).await.ok();
        assert_eq!(
            (text(&told_of, "status"), text(&told_of, "amount_sent")),
            ("pending_review".into(), "2000.00".into())
        );
        assert!(files_in(folder.path()).is_empty(), "that it was sent is not that it arrived");
        arrived(&company, wire).await;
        assert_eq!(only(folder.path()).iter().map(|entry| entry.code).collect::<Vec<_>>(), [22]);
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
        assert_eq!(text(&company.get(&path).await.ok(), "status"), "approved");
        assert_eq!(company.put(&path, sent()).await.refused(422).fault(), ("base", "invalid_operation"));
    });
}

#[test]
fn a_wire_that_arrives_early_waits_for_the_cut_off_and_counts_when_its_payroll_is_cancelled_and_run_again() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        let (ana, _) = paid(&company, &location, "Ana", "1111222233").await;
        fund(&company, Mode::Wire, 0).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let wire = company.get(LIST).await.list().remove(0);
        arrived(&company, &wire).await;
        assert!(files_in(folder.path()).is_empty(), "until the cut-off it can be cancelled");
        let cancel = format!("/v1/companies/{{company}}/payrolls/{payroll}/cancel");
        company.put(&cancel, json!({})).await.ok();
        assert_eq!(text(&company.get(LIST).await.list()[0], "status"), "approved", "the money is there");

        // Run again with more pay: only what is missing is asked for, and taken back with the payroll.
        let path = format!("/v1/companies/{{company}}/payrolls/{payroll}");
        let prepared = company.put(format!("{path}/prepare"), json!({})).await.ok();
        let version = &prepared["employee_compensations"][0]["version"];
        let more = json!({ "employee_compensations": [{ "employee_uuid": ana, "version": version,
                           "fixed_compensations": [{ "name": "Bonus", "amount": "500.00" }] }] });
        company.put(&path, more).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let list = company.get(LIST).await.list();
        let totals = company.get(format!("{path}?include=totals")).await.ok();
        let cents = |amount: &Value| amount.as_str().unwrap().replace('.', "").parse::<i64>().unwrap();
        assert_eq!(
            cents(&list[0]["requested_amount"]) + cents(&list[1]["requested_amount"]),
            cents(&totals["totals"]["net_pay_debit"])
        );
        world.wait_until(super::AFTER.parse().unwrap()).await;
        assert!(files_in(folder.path()).is_empty(), "what is missing is awaited");
        arrived(&company, &list[1]).await;
        assert_eq!(only(folder.path()).iter().map(|entry| entry.code).collect::<Vec<_>>(), [22]);
    });
}

#[test]
fn the_wire_that_is_awaited_is_canceled_with_its_payroll() {
    on_both_engines(async |engine: Engine| {
        let (_world, folder, company, payroll) = one_paid(engine, |_| {}, "90126600418").await;
        fund(&company, Mode::Wire, 0).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        company.put(format!("/v1/companies/{{company}}/payrolls/{payroll}/cancel"), json!({})).await.ok();
        assert_eq!(text(&company.get(LIST).await.list()[0], "status"), "canceled");
        run(&company, &payroll).await;
        assert!(files_in(folder.path()).is_empty(), "the next submission asks for a wire of its own");
        let list = company.get(LIST).await.list();
        assert_eq!(
            list.iter().map(|one| text(one, "status")).collect::<Vec<_>>(),
            ["canceled", "awaiting_funds"]
        );
    });
}

#[test]
fn a_payroll_keeps_what_its_credits_wait_for_from_when_it_was_processed() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (wired, location, payroll) = employer(&world, "90126600418").await;
        paid(&wired, &location, "Ana", "1111222233").await;
        fund(&wired, Mode::Wire, 0).await;
        let (debited, location, other) = employer(&world, "80126600419").await;
        paid(&debited, &location, "Max", "2222333344").await;
        for (company, payroll) in [(&wired, &payroll), (&debited, &other)] {
            company.calculate(payroll).await;
            company.submit(payroll).await;
        }
        let wire = wired.get(LIST).await.list().remove(0);
        arrived(&wired, &wire).await;
        fund(&wired, Mode::None, 0).await;
        fund(&debited, Mode::Wire, 0).await;
        world.wait_until(super::AFTER.parse().unwrap()).await;
        let mut entries: Vec<_> =
            only(folder.path()).into_iter().map(|entry| (entry.code, entry.account)).collect();
        entries.sort();
        let expected = [(22, "1111222233"), (22, "2222333344"), (27, "80126600419")];
        assert_eq!(entries, expected.map(|(code, account)| (code, account.to_owned())));
        assert!(debited.get(LIST).await.list().is_empty());
    });
}

#[test]
fn a_wire_of_another_company_is_not_found() {
    on_both_engines(async |engine: Engine| {
        let (world, _folder, company, payroll) = one_paid(engine, |_| {}, "90126600418").await;
        fund(&company, Mode::Wire, 0).await;
        run(&company, &payroll).await;
        let wire = text(&company.get(LIST).await.list()[0], "uuid");
        let other = world.company().await;
        for id in [wire.as_str(), NOBODY] {
            other.get(format!("/v1/wire_in_requests/{id}")).await.is(404);
            other.put(format!("/v1/wire_in_requests/{id}"), sent()).await.is(404);
        }
        assert!(other.get(LIST).await.list().is_empty());
    });
}
