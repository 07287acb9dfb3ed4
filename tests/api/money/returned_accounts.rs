//! An account to which a payment was returned: it is shown, later payrolls name it and pay another way by rule, and nothing waits for it.

use jiff::Span;
use serde_json::{Value, json};

use super::returns::{sent, take};
use super::{LIST, add_account, bank, employer, files_in, paid, run, told, transactions};
use crate::sent_back::file;
use crate::support::{Company, Engine, World, on_both_engines, text};

const ACCOUNT: &str = "90126600418";
const NEXT_CUT_OFF: &str = "2026-07-01T12:00:00Z";

/// The payroll of 15 to 28 June.
async fn next(company: &Company) -> String {
    let open = company.get("/v1/companies/{company}/payrolls?processing_statuses=unprocessed").await.list();
    text(&open[0], "payroll_uuid")
}

async fn payroll(company: &Company, id: &str) -> Value {
    company.get(format!("/v1/companies/{{company}}/payrolls/{id}?include=risk_blockers,totals")).await.ok()
}

fn paycheck<'p>(payroll: &'p Value, employee: &str) -> &'p Value {
    let all = payroll["employee_compensations"].as_array().unwrap();
    all.iter().find(|one| one["employee_uuid"] == employee).unwrap()
}

/// The messages of the warnings about returned accounts of a paycheck.
fn warned(payroll: &Value, employee: &str) -> Vec<String> {
    let warnings = paycheck(payroll, employee)["warnings"].as_array().cloned().unwrap_or_default();
    warnings.iter().filter(|one| one["key"] == "returned_account").map(|one| text(one, "message")).collect()
}

/// The accounts credited by the newest file.
fn credited(folder: &std::path::Path) -> Vec<String> {
    let entries = ach::read::read_entries(&files_in(folder).last().unwrap().1).unwrap();
    let mut all: Vec<_> = entries.into_iter().filter(|one| !one.is_debit()).map(|one| one.account).collect();
    all.sort();
    all
}

async fn comes_back(world: &World, folder: &std::path::Path, code: &str, account: &str) {
    let (trace, cents) = sent(folder, account);
    assert_eq!(take(world, &file(&[(code, &trace, cents, "")])).await.returned, 1);
}

async fn accounts(company: &Company, employee: &str) -> Vec<Value> {
    company.get(format!("/v1/employees/{employee}/bank_accounts")).await.list()
}

#[test]
fn a_returned_account_is_named_by_later_payrolls_which_pay_by_check_and_are_paid() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, first) = employer(&world, ACCOUNT).await;
        let (ana, closed) = paid(&company, &location, "Ana", "1111222233").await;
        let (max, _) = paid(&company, &location, "Max", "2222333344").await;
        run(&company, &first).await;
        let second = next(&company).await;
        world.wait_until("2026-06-29T12:00:00Z".parse().unwrap()).await;
        company.calculate(&second).await;
        assert_eq!(payroll(&company, &second).await["submission_blockers"], json!([]));
        assert!(accounts(&company, &ana).await[0].get("returned_code").is_none());

        comes_back(&world, folder.path(), "R03", "1111222233").await;
        let marked = accounts(&company, &ana).await;
        assert_eq!((&marked[0]["uuid"], &marked[0]["returned_code"]), (&json!(closed), &json!("R03")));
        assert!(marked[0]["returned_at"].is_string());
        // What was calculated before pays the account: it cannot be submitted.
        let submit = format!("/v1/companies/{{company}}/payrolls/{second}/submit");
        let refused = company.put(&submit, json!({})).await.refused(422);
        assert!(refused.message().contains("Calculate the payroll"), "{}", refused.message());
        let blockers = payroll(&company, &second).await["submission_blockers"].clone();
        let [blocker] = &blockers.as_array().unwrap()[..] else { panic!("{blockers}") };
        assert_eq!(
            (&blocker["status"], &blocker["blocker_type"]),
            (&json!("unresolved"), &json!("returned_bank_account"))
        );
        assert_eq!(blocker["unblock_options"][0]["metadata"]["employee_uuid"], ana.as_str());

        company.calculate(&second).await;
        let told_of = payroll(&company, &second).await;
        assert_eq!(told_of["submission_blockers"][0]["status"], "resolved");
        assert_eq!(told_of["submission_blockers"][0]["selected_option"], "pay_by_check");
        assert_eq!(paycheck(&told_of, &ana)["payment_method"], "Check");
        let warnings = warned(&told_of, &ana);
        assert!(
            warnings.len() == 1 && warnings[0].contains("R03") && warnings[0].contains("2233"),
            "{warnings:?}"
        );
        assert!(warned(&told_of, &max).is_empty());
        let option = json!({ "blocker_type": "returned_bank_account", "selected_option": "pay_by_check" });
        let unknown = json!({ "blocker_type": "other", "selected_option": "pay_by_check" });
        let wrong = company.put(&submit, json!({ "submission_blockers": [unknown] })).await.refused(422);
        assert_eq!(wrong.keys(), ["submission_blockers"]);
        company.put(&submit, json!({ "submission_blockers": [option] })).await.is(202);
        world.wait_until(NEXT_CUT_OFF.parse().unwrap()).await;
        assert_eq!(credited(folder.path()), ["2222333344"]);
        assert_eq!(told(&company, "payroll.paid", &second).await, 1, "all that can be paid is paid");
    });
}

#[test]
fn pay_that_is_paid_again_to_another_account_takes_what_follows_with_it() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, first) = employer(&world, ACCOUNT).await;
        let (ana, closed) = paid(&company, &location, "Ana", "1111222233").await;
        run(&company, &first).await;
        comes_back(&world, folder.path(), "R02", "1111222233").await;
        let open = add_account(&company, &ana, "5555666677").await;
        let list = company.get(format!("{LIST}?transaction_type=Credit%20employee%20pay")).await.list();
        let again = format!("/v1/ach_transactions/{}/pay_again", text(&list[0], "uuid"));
        company.put(again, json!({ "bank_account_uuid": open })).await.is(202);
        let method = company.get(format!("/v1/employees/{ana}/payment_method")).await.ok();
        let shares: Vec<_> = method["splits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (text(one, "uuid"), one["split_amount"].clone()))
            .collect();
        assert_eq!(shares, [(open, json!(100)), (closed, json!(0))]);

        let second = next(&company).await;
        world.wait_until("2026-06-29T12:00:00Z".parse().unwrap()).await;
        company.calculate(&second).await;
        let told_of = payroll(&company, &second).await;
        assert_eq!((warned(&told_of, &ana).len(), &told_of["submission_blockers"]), (0, &json!([])));
        company.submit(&second).await;
        world.wait_until(NEXT_CUT_OFF.parse().unwrap()).await;
        assert_eq!(credited(folder.path()), ["5555666677"]);
        assert_eq!(told(&company, "payroll.paid", &second).await, 1);
    });
}

#[test]
fn what_a_submitted_payroll_would_pay_into_an_account_that_is_returned_then_goes_to_the_others_or_by_check() {
    on_both_engines(async |engine: Engine| {
        for has_other in [false, true] {
            let world = engine.own_world().await;
            let folder = bank(&world, |_| {}).await;
            let (company, location, first) = employer(&world, ACCOUNT).await;
            let (ana, account) = paid(&company, &location, "Ana", "1111222233").await;
            paid(&company, &location, "Max", "2222333344").await;
            if has_other {
                let other = add_account(&company, &ana, "44445555666").await;
                let now = company.get(format!("/v1/employees/{ana}/payment_method")).await.ok();
                let splits = json!([{ "uuid": account, "priority": 1, "split_amount": 60 },
                                    { "uuid": other, "priority": 2, "split_amount": 40 }]);
                let body = json!({ "version": now["version"], "type": "Direct Deposit", "split_by": "Percentage", "splits": splits });
                company.put(format!("/v1/employees/{ana}/payment_method"), body).await.ok();
            }
            run(&company, &first).await;
            let second = next(&company).await;
            world.wait_until("2026-06-29T12:00:00Z".parse().unwrap()).await;
            company.calculate(&second).await;
            company.submit(&second).await;
            comes_back(&world, folder.path(), "R02", "1111222233").await;
            world.wait_until(NEXT_CUT_OFF.parse().unwrap()).await;
            let others =
                if has_other { vec!["2222333344", "44445555666", "44445555666"] } else { vec!["2222333344"] };
            assert_eq!(credited(folder.path()), others);
            assert_eq!(told(&company, "payroll.paid", &second).await, 1);
            let held = transactions(&company, &format!("?payroll_uuid={second}")).await;
            assert!(held.iter().all(|one| one[2] == "submitted"), "{held:?}");
            // The part without an account is a check that the employer hands out.
            let print = format!("/v1/payrolls/{second}/generated_documents/printable_payroll_checks");
            let printed = company.post(&print, json!({ "printing_format": "top" })).await;
            printed.is(if has_other { 422 } else { 200 });
            world.wait(Span::new().minutes(5)).await;
        }
    });
}
