//! What a payroll tells of its payments: whether they are made, when employees are expected to be paid, and what that waits for.

use domain::money::funding::Mode;
use serde_json::{Value, json};

use super::wires::{arrived, sent};
use super::{LIST, bank, employer, fund, one_paid, paid, run};
use crate::support::{Company, Engine, World, on_both_engines, text};

async fn told(company: &Company, payroll: &str) -> Value {
    let include = "include=payroll_status_meta,risk_blockers";
    company.get(format!("/v1/companies/{{company}}/payrolls/{payroll}?{include}")).await.ok()
}

/// The pay date that is expected, and what the credits wait for.
async fn expected(company: &Company, payroll: &str) -> (String, String) {
    let status = told(company, payroll).await["payroll_status_meta"].clone();
    assert_eq!(status["initial_check_date"], "2026-06-18");
    (text(&status, "expected_check_date"), text(&status, "credits_wait_for"))
}

/// The days on which payments move that are so called.
async fn days(company: &Company, kind: &str) -> Vec<String> {
    let list = company.get(format!("{LIST}?transaction_type={kind}")).await.list();
    list.iter().map(|one| text(one, "payment_date")).collect()
}

async fn ready(world: &World) -> String {
    world.call("GET", "/readyz").send().await.is(200).text()
}

#[test]
fn where_no_bank_is_set_readiness_and_payrolls_say_that_no_payments_are_made() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        paid(&company, &location, "Ana", "1111222233").await;
        let last = |text: String| text.lines().last().unwrap().to_owned();
        assert!(last(ready(&world).await).starts_with("no bank is set: no payments are made"));
        let status = told(&company, &payroll).await["payroll_status_meta"].clone();
        assert_eq!(
            (&status["payments_generated"], &status["credits_wait_for"]),
            (&json!(false), &json!("none"))
        );
        assert_eq!(status["expected_check_date"], "2026-06-18");
        let _folder = bank(&world, |_| {}).await;
        assert!(!ready(&world).await.contains("bank"));
        let list = company
            .get("/v1/companies/{company}/payrolls?processing_statuses=unprocessed&include=payroll_status_meta&end_date=2026-06-30")
            .await
            .list();
        let of = list.iter().find(|one| one["payroll_uuid"] == payroll.as_str()).unwrap();
        assert_eq!(of["payroll_status_meta"]["payments_generated"], true);
        assert_eq!(of["payroll_status_meta"]["expected_debit_time"], "2026-06-16T23:00:00.000Z");
        assert!(of.get("credit_blockers").is_none(), "only what was asked for");
        run(&company, &payroll).await;
        assert_eq!(expected(&company, &payroll).await, ("2026-06-18".into(), "none".into()));
    });
}

#[test]
fn the_expected_pay_date_is_that_on_which_credits_settle_that_wait_for_the_debit() {
    on_both_engines(async |engine: Engine| {
        let (world, _folder, company, payroll) = one_paid(engine, |_| {}, "90126600418").await;
        fund(&company, Mode::Debit, 2).await;
        // The debit settles on Wednesday 17 June, two banking days later, without Juneteenth, is Monday 22 June; what is filed
        // on that day settles on the next.
        let late = ("2026-06-23".to_owned(), "debit".to_owned());
        assert_eq!(expected(&company, &payroll).await, late);
        run(&company, &payroll).await;
        assert_eq!(expected(&company, &payroll).await, late);
        assert_eq!(days(&company, "Debit%20employer").await, ["2026-06-17"]);
        world.wait_until("2026-06-22T08:00:00Z".parse().unwrap()).await;
        assert_eq!(days(&company, "Credit%20employee%20pay").await, ["2026-06-23"]);
        assert_eq!(expected(&company, &payroll).await, late);
        assert_eq!(told(&company, &payroll).await["credit_blockers"], json!([]));
    });
}

#[test]
fn the_expected_pay_date_moves_while_credits_are_held() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) =
            one_paid(engine, |terms| terms.company_limit = Some(100), "90126600418").await;
        run(&company, &payroll).await;
        assert_eq!(expected(&company, &payroll).await.0, "2026-06-18", "it can be in time still");
        // On the pay date what is filed settles on the next banking day; Friday is Juneteenth.
        world.wait_until("2026-06-18T17:00:00Z".parse().unwrap()).await;
        assert_eq!(expected(&company, &payroll).await, ("2026-06-22".into(), "none".into()));
        super::set(&world, folder.path(), |_| {}).await;
        super::retry(&world).await;
        assert_eq!(days(&company, "Credit%20employee%20pay").await, ["2026-06-22"]);
    });
}

#[test]
fn a_wire_that_is_awaited_blocks_credits_and_moves_the_expected_pay_date_once_it_is_late() {
    on_both_engines(async |engine: Engine| {
        let (world, _folder, company, payroll) = one_paid(engine, |_| {}, "90126600418").await;
        fund(&company, Mode::Wire, 0).await;
        assert_eq!(expected(&company, &payroll).await, ("2026-06-18".into(), "wire".into()));
        assert_eq!(
            told(&company, &payroll).await["credit_blockers"],
            json!([]),
            "nothing is wanted before it runs"
        );
        run(&company, &payroll).await;
        let wire = company.get("/v1/companies/{company}/wire_in_requests").await.list().remove(0);
        let blocker = |status: &str, day: &str| {
            json!([{ "blocker_type": "waiting_for_wire_in", "blocker_name": "Waiting for wire in",
                     "unblock_options": [{ "unblock_type": "submit_wire", "check_date": day,
                                           "metadata": { "wire_in_amount": wire["requested_amount"],
                                                         "wire_in_deadline": "2026-06-16T23:00:00.000Z",
                                                         "wire_in_request_uuid": wire["uuid"] } }],
                     "selected_option": "submit_wire", "status": status }])
        };
        let shown = told(&company, &payroll).await;
        assert_eq!(shown["credit_blockers"], blocker("unresolved", "2026-06-18"));
        assert_eq!(shown["submission_blockers"], json!([]), "nothing keeps it from being submitted");
        company.put(format!("/v1/wire_in_requests/{}", text(&wire, "uuid")), sent()).await.ok();
        // On the pay date it has not arrived; Friday is Juneteenth.
        world.wait_until("2026-06-18T17:00:00Z".parse().unwrap()).await;
        assert_eq!(
            told(&company, &payroll).await["credit_blockers"],
            blocker("pending_review", "2026-06-22")
        );
        assert_eq!(expected(&company, &payroll).await.0, "2026-06-22");
        arrived(&company, &wire).await;
        assert_eq!(told(&company, &payroll).await["credit_blockers"], blocker("resolved", "2026-06-22"));
        assert_eq!(days(&company, "Credit%20employee%20pay").await, ["2026-06-22"]);
    });
}
