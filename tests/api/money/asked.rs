//! What a partner does about payments after they were made: reversals, held payments, and what later credits wait for.

use domain::access::users::Role;
use domain::money::bank::settings::Terms;
use domain::money::funding::Mode;
use jiff::Span;
use serde_json::json;

use super::returns::{credit, sent};
use super::{AFTER, bank, employer, files_in, fund, one_paid, paid, run, set, told};
use crate::console::{form_token, signed_in};
use crate::oauth::user;
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
        let back = ach::read::read_entries(&files_in(folder.path()).last().unwrap().1).unwrap();
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
        domain::money::files::void_file(&world.app.store, file).await.unwrap();
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

#[test]
fn an_administrator_has_pay_wait_for_more_on_the_page_of_what_is_not_paid_and_never_for_less() {
    on_both_engines(async |engine: Engine| {
        let (world, _folder, company, _) = one_paid(engine, |_| {}, ACCOUNT).await;
        let path = format!("/console/companies/{}/owed", company.id);
        let admin = user(&world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, page) = signed_in(&world, &admin, &path).await;
        let shown = page.is(200).text();
        assert!(shown.contains("Pay of the company waits for nothing"), "{shown}");
        let token = form_token(&mut browser).await;
        let have_wait = async |mode: &str, days: &str| {
            let form = [("form_token", token.as_str()), ("credits_wait_for", mode), ("days", days)];
            browser.post(&format!("{path}/prefunding"), &form).send().await
        };
        have_wait("debit", "2").await.is(303);
        let prefunding = async || company.get(PREFUNDING).await.ok();
        let waits = json!({ "credits_wait_for": "debit", "days": 2 });
        assert_eq!(prefunding().await, waits);
        for (mode, days, field) in
            [("none", "0", "credits_wait_for"), ("debit", "1", "days"), ("debit", "two", "days")]
        {
            let refused = have_wait(mode, days).await;
            assert_eq!(refused.status, 422, "{mode} {days}");
            assert!(refused.text().contains(field), "{mode} {days}");
        }
        assert_eq!(prefunding().await, waits, "a refusal changes nothing");
        let shown = browser.get(&format!("{path}?done=prefunding")).await.is(200).text();
        assert!(
            shown.contains("settle, and 2 banking days more") && !shown.contains("value=\"none\""),
            "{shown}"
        );

        let limited = user(&world, &[(&company, Role::Limited)]).await;
        let (mut other, _) = signed_in(&world, &limited, "/console").await;
        let of_other = form_token(&mut other).await;
        other.post(&format!("{path}/prefunding"), &[("form_token", of_other.as_str())]).send().await.is(403);
    });
}

#[test]
fn what_a_limit_holds_is_released_and_pay_is_taken_back_from_the_page_of_what_is_not_paid() {
    on_both_engines(async |engine: Engine| {
        let limited = |terms: &mut Terms| terms.company_limit = Some(100_000);
        let (world, folder, company, payroll) = one_paid(engine, limited, ACCOUNT).await;
        run(&company, &payroll).await;
        let path = format!("/console/companies/{}/owed", company.id);
        let admin = user(&world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, page) = signed_in(&world, &admin, &path).await;
        let shown = page.is(200).text();
        assert!(
            shown.contains("the limit of a company on one day") && shown.contains("Release what"),
            "{shown}"
        );
        assert!(!shown.contains("can be taken back"), "the bank has nothing yet");
        let token = form_token(&mut browser).await;
        let form = [("form_token", token.as_str())];
        set(&world, folder.path(), |terms| terms.company_limit = Some(1_000_000)).await;
        let limited = user(&world, &[(&company, Role::Limited)]).await;
        let (mut other, _) = signed_in(&world, &limited, "/console").await;
        let of_other = form_token(&mut other).await;
        other.post(&format!("{path}/release"), &[("form_token", of_other.as_str())]).send().await.is(403);
        let done = browser.post(&format!("{path}/release"), &form).send().await.is(303);
        assert!(done.header("location").ends_with("?done=released"), "{}", done.header("location"));
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(files_in(folder.path()).len(), 1);

        let shown = browser.get(&format!("{path}?done=released")).await.is(200).text();
        assert!(shown.contains("can be taken back") && !shown.contains("Release what"), "{shown}");
        let entry = text(&credit(&company).await, "uuid");
        assert!(shown.contains(&entry));
        let taken = [
            ("form_token", token.as_str()),
            ("payment", entry.as_str()),
            ("category", "wrong_account"),
            ("reason", "Told by phone"),
        ];
        let reverse = format!("{path}/reverse");
        other
            .post(&reverse, &[("form_token", of_other.as_str()), ("payment", entry.as_str())])
            .send()
            .await
            .is(403);
        let unknown = [("form_token", token.as_str()), ("payment", entry.as_str()), ("category", "regret")];
        browser.post(&reverse, &unknown).send().await.is(422);
        browser.post(&reverse, &taken).send().await.is(303);
        let reversals = company.get("/v1/companies/{company}/payroll_reversals").await.list();
        assert_eq!(
            (&reversals[0]["category"], &reversals[0]["reason"]),
            (&json!("wrong_account"), &json!("Told by phone"))
        );
        let after = browser.get(&format!("{path}?done=reversed")).await.is(200).text();
        assert!(
            !after.contains("can be taken back") && after.contains("taken back with the next file"),
            "{after}"
        );
        browser.post(&reverse, &taken).send().await.is(422);
        let audit = browser.get(&format!("/console/companies/{}/audit", company.id)).await.is(200).text();
        assert!(audit.contains("reversed") && audit.contains("checked"), "{audit}");
    });
}
