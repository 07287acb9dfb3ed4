//! What a partner does about payments after they were made: reversals, held payments, and what later credits wait for.

use domain::money::bank::settings::Terms;
use domain::money::funding::Mode;
use jiff::Span;
use serde_json::json;

use super::returns::{credit, sent};
use super::{AFTER, bank, employer, files_in, fund, one_paid, paid, run, set, told};
use crate::support::{Engine, on_both_engines, text};

const ACCOUNT: &str = "90126600418";
const HELD: &str = "/v1/companies/{company}/held_payments";
const PREFUNDING: &str = "/v1/companies/{company}/prefunding";

#[test]
fn a_partner_reverses_a_payment_within_five_banking_days() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, ACCOUNT).await;
        let (ana, _) = paid(&company, &location, "Ana", "1111222233").await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        world.wait_until(AFTER.parse().unwrap()).await;
        let reverse = format!("/v1/ach_transactions/{}/reverse", text(&credit(&company).await, "uuid"));
        let unknown = company.put(&reverse, json!({ "category": "regret" })).await.refused(422);
        assert_eq!(unknown.keys(), ["category"]);
        assert!(unknown.message().contains("not_owed"), "{}", unknown.message());
        world.company().await.put(&reverse, json!({})).await.is(404);
        company
            .put(&reverse, json!({ "category": "wrong_account", "reason": "Told by phone" }))
            .await
            .is(202);
        let reversals = company.get("/v1/companies/{company}/payroll_reversals").await.list();
        let [one] = &reversals[..] else { panic!("{reversals:?}") };
        assert_eq!(
            [text(one, "category"), text(one, "reason"), text(one, "reversed_payroll_uuid")],
            ["wrong_account".to_owned(), "Told by phone".to_owned(), payroll.clone()]
        );
        assert_eq!(one["reversed_employee_uuids"], json!([ana]));
        assert_eq!(told(&company, "payroll.reversed", &payroll).await, 1);
        company.put(&reverse, json!({})).await.refused(422);
        world.wait(Span::new().minutes(5)).await;
        let back = ach::read::read(&files_in(folder.path()).last().unwrap().1).unwrap();
        let all: Vec<_> = back.iter().map(|one| (one.is_debit(), one.account.as_str(), one.cents)).collect();
        assert_eq!(all, [(true, "1111222233", sent(folder.path(), "1111222233").1)]);
    });
}

#[test]
fn what_a_limit_holds_is_listed_with_its_reason_and_goes_once_the_limit_allows_it() {
    on_both_engines(async |engine: Engine| {
        let limited = |terms: &mut Terms| terms.company_limit = Some(100_000);
        let (world, folder, company, payroll) = one_paid(engine, limited, ACCOUNT).await;
        assert!(company.get(HELD).await.list().is_empty());
        run(&company, &payroll).await;
        assert!(files_in(folder.path()).is_empty());
        let held = company.get(HELD).await.list();
        let pay = held.iter().find(|one| one["transaction_type"] == "Credit employee pay").unwrap();
        assert_eq!((&pay["payment_event_uuid"], &pay["releasable"]), (&json!(payroll), &json!(true)));
        assert!(text(pay, "reason").contains("the limit of a company on one day"), "{pay}");
        assert!(world.company().await.get(HELD).await.list().is_empty());

        let release = format!("{HELD}/release");
        company.put(&release, json!({})).await.is(200);
        world.wait(Span::new().minutes(5)).await;
        assert!(files_in(folder.path()).is_empty(), "the limit is applied again");
        assert_eq!(company.get(HELD).await.list().len(), held.len());
        set(&world, folder.path(), |terms| terms.company_limit = Some(1_000_000)).await;
        company.put(&release, json!({})).await.is(200);
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(files_in(folder.path()).len(), 1);
        assert!(company.get(HELD).await.list().is_empty());
    });
}

#[test]
fn what_the_operator_took_back_from_the_bank_is_not_the_partners_to_release() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, ACCOUNT).await;
        run(&company, &payroll).await;
        let file = super::all_files(&world).await.remove(0).id;
        domain::money::files::void(&world.app.store, file).await.unwrap();
        let held = company.get(HELD).await.list();
        assert!(!held.is_empty() && held.iter().all(|one| one["releasable"] == false), "{held:?}");
        let refused = company.put(format!("{HELD}/release"), json!({})).await.refused(422);
        assert!(refused.message().contains("held by a limit alone"), "{}", refused.message());
        world.wait(Span::new().minutes(5)).await;
        assert!(files_in(folder.path()).is_empty());
    });
}

#[test]
fn a_partner_has_credits_wait_for_more_and_the_operator_for_less() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let _folder = bank(&world, |_| {}).await;
        let (company, _, _) = employer(&world, ACCOUNT).await;
        assert_eq!(company.get(PREFUNDING).await.ok(), json!({ "credits_wait_for": "none", "days": 0 }));
        let debit = json!({ "credits_wait_for": "debit", "days": 2 });
        assert_eq!(company.put(PREFUNDING, debit.clone()).await.ok(), debit);
        assert_eq!(company.put(PREFUNDING, json!({})).await.ok(), debit);
        let wrong = [
            (json!({ "days": 1 }), "days"),
            (json!({ "days": 11 }), "days"),
            (json!({ "credits_wait_for": "none" }), "credits_wait_for"),
            (json!({ "credits_wait_for": "soon" }), "credits_wait_for"),
            // The bank's settings do not say where wires go.
            (json!({ "credits_wait_for": "wire" }), "wire"),
        ];
        for (less, key) in wrong {
            assert_eq!(company.put(PREFUNDING, less.clone()).await.refused(422).keys(), [key], "{less}");
        }
        assert_eq!(company.get(PREFUNDING).await.ok(), debit);
        fund(&company, Mode::None, 0).await;
        assert_eq!(company.get(PREFUNDING).await.ok()["credits_wait_for"], "none");
    });
}
