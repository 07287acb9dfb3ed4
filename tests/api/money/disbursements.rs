//! Payments that the partner makes itself: what the service leaves out then, and what the partner tells of them.

use serde_json::{Value, json};
use std::fs;

use super::{AFTER, LIST, bank, datasets, employer, files_in, only, paid, run, told, transactions};
use crate::support::{Company, Engine, NOBODY, on_both_engines, text};

const CONFIGS: &str = "/v1/companies/{company}/payment_configs";

async fn partner_pays(company: &Company, pays: bool) {
    let body = json!({ "payment_configs": { "partner_owned_disbursement": pays } });
    assert_eq!(company.put(CONFIGS, body).await.ok()["partner_owned_disbursement"], pays);
}

fn path(payroll: &str) -> String {
    format!("/v1/companies/{{company}}/payrolls/{payroll}/partner_disbursements")
}

async fn tell(company: &Company, payroll: &str, lines: Value) -> crate::support::Answer {
    company.call("PATCH", path(payroll)).json(&json!({ "disbursements": lines })).send().await
}

fn line(employee: &str, status: &str) -> Value {
    json!({ "employee_uuid": employee, "payment_status": status })
}

/// How an employee is paid, and how that stands.
fn of(answer: &Value, employee: &str) -> (String, String) {
    let all = answer["disbursements"].as_array().unwrap();
    let one = all.iter().find(|one| one["employee_uuid"] == employee).unwrap();
    (text(one, "payment_method"), text(one, "payment_status"))
}

fn words(method: &str, status: &str) -> (String, String) {
    (method.to_owned(), status.to_owned())
}

#[test]
fn what_the_partner_pays_is_in_no_file_and_no_debit_and_the_payroll_is_paid_when_the_partner_says_so() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        let (ana, _) = paid(&company, &location, "Ana", "1111222233").await;
        let (ben, _) = company.onboarded("Ben", &location, ("52000.00", "Year", "Exempt")).await;
        partner_pays(&company, true).await;
        let before = company.get(format!("/v1/companies/{{company}}/payrolls/{payroll}")).await.ok();
        assert_eq!(before["partner_owned_disbursement"], Value::Null);
        run(&company, &payroll).await;
        let read = company
            .get(format!("/v1/companies/{{company}}/payrolls/{payroll}?include=totals,payroll_status_meta"))
            .await
            .ok();
        let totals = &read["totals"];
        assert_eq!(
            (&read["partner_owned_disbursement"], &totals["net_pay_debit"]),
            (&json!(true), &json!("0.00"))
        );
        assert_eq!(totals["company_debit"], totals["tax_debit"]);
        assert_ne!(totals["net_pay"], "0.00");
        assert_eq!(read["payroll_status_meta"]["payments_generated"], false);
        assert!(files_in(folder.path()).is_empty() && company.get(LIST).await.list().is_empty());

        // What held when it was calculated holds, whatever the company is set to afterwards.
        partner_pays(&company, false).await;
        let list = company.get(path(&payroll)).await.ok();
        assert_eq!(of(&list, &ana), words("Direct Deposit", "Pending"));
        assert_eq!(of(&list, &ben), words("Check", "Not partner managed"));
        world.wait_until("2026-06-20T06:00:00Z".parse().unwrap()).await;
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 0, "its pay date has come");

        let list = tell(&company, &payroll, json!([line(&ana, "Paid")])).await.ok();
        assert_eq!(of(&list, &ana), words("Direct Deposit", "Paid"));
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
        // It came back, and was made again.
        for status in ["Pending", "Paid", "Paid"] {
            let list = tell(&company, &payroll, json!([line(&ana, status)])).await.ok();
            assert_eq!(of(&list, &ana).1, status);
        }
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
        let receipt = company.get(format!("/v1/payrolls/{payroll}/receipt")).await.ok();
        assert_eq!(receipt["totals"]["net_pay_debit"], "0.00");
        assert!(files_in(folder.path()).is_empty());
    });
}

#[test]
fn child_support_is_paid_by_the_service_where_the_partner_pays_employees() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let table = folder.path().join(".agencies.csv");
        let rows = "state,name,routing_number,account_number,account_type,source\n\
                    AL,ALABAMA CSPC,062000019,7770001,Checking,letter of 2 March 2026\n";
        fs::write(&table, rows).unwrap();
        let import = datasets::import_file(
            &world.app.store,
            "agency-banks",
            &table,
            Some("2026-06-01"),
            false,
            &|_, _| (),
        );
        import.await.unwrap();
        fs::remove_file(&table).unwrap();
        let (company, location, payroll) = employer(&world, "90126600418").await;
        let (ana, _) = paid(&company, &location, "Ana", "1111222233").await;
        let order = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                            "deduct_as_percentage": true, "pay_period_maximum": 120,
                            "child_support": { "state": "AL", "payment_period": "Every other week", "fips_code": "01000",
                                               "case_number": "AL-77", "order_number": "AL-77", "remittance_number": "AL-77" } });
        company.post(format!("/v1/employees/{ana}/garnishments"), order).await.created();
        partner_pays(&company, true).await;
        run(&company, &payroll).await;
        let entries = only(folder.path());
        let accounts: Vec<_> = entries.iter().map(|entry| (entry.account.as_str(), entry.cents)).collect();
        assert_eq!(accounts, [("7770001", 12_000), ("90126600418", 12_000)]);
        let debit = transactions(&company, "?payment_direction=debit").await;
        assert_eq!(debit[0][3], "120.00");
        assert_eq!(
            told(&company, "payroll.paid", &payroll).await,
            0,
            "the partner has not told of its payment"
        );
        tell(&company, &payroll, json!([line(&ana, "Paid")])).await.ok();
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
    });
}

#[test]
fn what_the_partner_cannot_tell_is_refused_and_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        let (ana, _) = paid(&company, &location, "Ana", "1111222233").await;
        let (ben, _) = company.onboarded("Ben", &location, ("52000.00", "Year", "Exempt")).await;
        partner_pays(&company, true).await;
        let paid_to_ana = json!([line(&ana, "Paid")]);
        let operation = ("base", "invalid_operation");
        assert_eq!(tell(&company, &payroll, paid_to_ana.clone()).await.refused(422).fault(), operation);
        company.calculate(&payroll).await;
        assert_eq!(tell(&company, &payroll, paid_to_ana.clone()).await.refused(422).fault(), operation);
        company.submit(&payroll).await;

        let refused = tell(&company, &payroll, Value::Null).await.refused(422);
        assert_eq!(refused.keys(), ["disbursements"]);
        let (ana_paid, other) =
            (line(&ana, "Paid"), json!({ "employee_uuid": ana, "payment_method": "Direct Deposit" }));
        for (lines, key) in [
            (json!([ana_paid, line(NOBODY, "Paid")]), "employee_uuid"),
            (json!([ana_paid, {}]), "employee_uuid"),
            (json!([ana_paid, ana_paid]), "employee_uuid"),
            (json!([ana_paid, line(&ben, "Paid")]), "payment_status"),
            (json!([line(&ana, "Not partner managed")]), "payment_status"),
            (json!([line(&ana, "paid")]), "payment_status"),
            (json!([{ "employee_uuid": ana, "payment_method": "Cash" }]), "payment_method"),
            (
                json!([{ "employee_uuid": ana, "payment_method": "Direct Deposit", "payment_status": "Converted to check" }]),
                "payment_method",
            ),
        ] {
            let refused = tell(&company, &payroll, lines.clone()).await.refused(422);
            assert_eq!(refused.fault(), ("disbursements", "nested_errors"), "{lines}");
            assert_eq!(refused.only()["errors"][0]["error_key"], key, "{lines}");
        }
        let many: Vec<Value> = (0..101).map(|_| line(NOBODY, "Paid")).collect();
        assert_eq!(tell(&company, &payroll, json!(many)).await.refused(422).keys(), ["disbursements"]);
        let list = company.get(path(&payroll)).await.ok();
        assert_eq!(of(&list, &ana), words("Direct Deposit", "Pending"));
        // What changes nothing is taken: of those whom the partner does not pay, too.
        tell(&company, &payroll, json!([other, line(&ben, "Not partner managed")])).await.ok();
        tell(&company, &payroll, json!([])).await.ok();
        tell(&world.company().await, &payroll, paid_to_ana.clone()).await.refused(404);
        let reader = company.with_scopes("partner_disbursements:read").await;
        tell(&reader, &payroll, paid_to_ana).await.refused(403);
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 0);
    });
}

#[test]
fn the_service_pays_a_payroll_that_was_calculated_before_the_partner_took_it_over() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        let (ana, _) = paid(&company, &location, "Ana", "1111222233").await;
        company.calculate(&payroll).await;
        partner_pays(&company, true).await;
        company.submit(&payroll).await;
        let read = company.get(format!("/v1/companies/{{company}}/payrolls/{payroll}")).await.ok();
        assert_eq!(read["partner_owned_disbursement"], false);
        let list = company.get(path(&payroll)).await.ok();
        assert_eq!(of(&list, &ana), words("Direct Deposit", "Not partner managed"));
        tell(&company, &payroll, json!([line(&ana, "Paid")])).await.refused(422);
        world.wait_until(AFTER.parse().unwrap()).await;
        assert_eq!(only(folder.path()).len(), 2);
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
    });
}

#[test]
fn a_payment_can_become_a_check_that_is_printed_and_stands_on_the_pay_stub() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        let (ana, _) = paid(&company, &location, "Ana", "1111222233").await;
        partner_pays(&company, true).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let print = format!("/v1/payrolls/{payroll}/generated_documents/printable_payroll_checks");
        let format = json!({ "printing_format": "top" });
        company.post(&print, format.clone()).await.refused(422);
        let stubs = format!("/v1/employees/{ana}/pay_stubs");
        assert_eq!(company.get(&stubs).await.list()[0]["payment_method"], "Direct Deposit");

        let by_check = json!([{ "employee_uuid": ana, "payment_method": "Check" }]);
        let list = tell(&company, &payroll, by_check).await.ok();
        assert_eq!(of(&list, &ana), words("Check", "Converted to check"));
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
        let printed = company.post(&print, format).await.ok();
        assert_eq!(printed["employee_check_number_mapping"][0]["employee_uuid"], ana);
        let stub = &company.get(&stubs).await.list()[0];
        assert_eq!(
            (&stub["payment_method"], stub["check_amount"] == stub["net_pay"]),
            (&json!("Check"), true)
        );
        // The journal and the receipt say so, too.
        assert_eq!(journal(&company, "check").await, [("Check".to_owned(), true)]);
        assert!(journal(&company, "direct_deposit").await.is_empty());
        let receipt = company.get(format!("/v1/payrolls/{payroll}/receipt")).await.ok();
        assert_eq!(receipt["employee_compensations"][0]["payment_method"], "Check");
        // The partner pays after all.
        let list = tell(&company, &payroll, json!([line(&ana, "Paid")])).await.ok();
        assert_eq!(of(&list, &ana), words("Direct Deposit", "Paid"));
        assert_eq!(journal(&company, "direct_deposit").await, [("Direct Deposit".to_owned(), false)]);
        // The check that was printed pays nobody.
        let checks = company.get("/v1/companies/{company}/checks").await.list();
        assert_eq!(checks.len(), 1);
        assert_eq!(
            (checks[0]["voided_at"].is_null(), text(&checks[0], "void_reason")),
            (false, "the partner pays it instead".to_owned())
        );
    });
}

/// How those are paid whom the payroll journal of a method has, and whether net pay is the amount of a check.
async fn journal(company: &Company, method: &str) -> Vec<(String, bool)> {
    let body = json!({ "columns": ["payment_method", "check_amount", "net_pay"], "groupings": [], "file_type": "json",
                       "with_totals": false, "payment_method": method, "start_date": "2026-06-01", "end_date": "2026-06-30" });
    let asked = company.post("/v1/companies/{company}/reports", body).await.created();
    company.work().await;
    let done = company.get(format!("/v1/reports/{}", text(&asked, "request_uuid"))).await.ok();
    assert_eq!(done["status"], "succeeded", "{done}");
    let url = done["report_urls"][0].as_str().unwrap();
    let path = url.strip_prefix("https://pages.example").unwrap();
    let made = company.world.call("GET", path).send().await.ok();
    let rows = made["rows"].as_array().unwrap();
    rows.iter().map(|row| (text(row, "payment_method"), row["check_amount"] == row["net_pay"])).collect()
}

#[test]
fn a_payroll_of_which_the_partner_has_made_payments_is_not_cancelled() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        let (ana, _) = paid(&company, &location, "Ana", "1111222233").await;
        paid(&company, &location, "Ben", "44445555666").await;
        partner_pays(&company, true).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        tell(&company, &payroll, json!([line(&ana, "Paid")])).await.ok();
        let cancel = format!("/v1/companies/{{company}}/payrolls/{payroll}/cancel");
        let meta = format!("/v1/companies/{{company}}/payrolls/{payroll}?include=payroll_status_meta");
        let cancellable =
            async || company.get(&meta).await.ok()["payroll_status_meta"]["cancellable"].clone();
        assert_eq!(cancellable().await, false);
        let refused = company.put(&cancel, json!({})).await.refused(422);
        assert!(refused.message().contains("partner"), "{}", refused.message());
        tell(&company, &payroll, json!([line(&ana, "Pending")])).await.ok();
        assert_eq!(cancellable().await, true);
        company.put(&cancel, json!({})).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let list = company.get(path(&payroll)).await.ok();
        assert_eq!(of(&list, &ana), words("Direct Deposit", "Pending"));
    });
}

#[test]
fn payments_that_are_told_of_at_the_same_time_are_all_kept_and_the_payroll_is_paid_once() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        let mut people = Vec::new();
        for (name, number) in [("Ana", "1111222233"), ("Ben", "44445555666"), ("Cyd", "7777888899")] {
            people.push(paid(&company, &location, name, number).await.0);
        }
        partner_pays(&company, true).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let next = std::sync::atomic::AtomicUsize::new(0);
        let statuses = company.at_once(9, |company| {
            let person = &people[next.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % people.len()];
            let (payroll, lines) = (payroll.clone(), json!([line(person, "Paid")]));
            async move { tell(&company, &payroll, lines).await }
        });
        assert_eq!(statuses.await, [200; 9]);
        let list = company.get(path(&payroll)).await.ok();
        assert!(people.iter().all(|person| of(&list, person) == words("Direct Deposit", "Paid")), "{list}");
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
    });
}
