//! Paychecks that are corrected after they were paid: made void, or with a correction below zero on a later payroll.

use serde_json::{Value, json};

use super::{cents, company, enter, hours, line, of, path, read};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

const JOURNAL: &str = "/v1/companies/{company}/journal?start_date=2026-06-01&end_date=2026-12-31";

/// Ana and Max earn 2,000.00 in two weeks, and were paid by check: the company, its payroll and both.
async fn paid(engine: Engine) -> (Company, String, [String; 2]) {
    let (company, location, payroll) = company(engine).await;
    let (ana, _) = company.onboarded("Ana", &location, ("52000.00", "Year", "Exempt")).await;
    let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
    company.calculate(&payroll).await;
    company.submit(&payroll).await;
    (company, payroll, [ana, max])
}

async fn payday(company: &Company) {
    company.world.wait_until("2026-06-20T17:00:00Z".parse().unwrap()).await;
}

fn void(payroll: &str, employee: &str) -> String {
    path(payroll, &format!("/employees/{employee}/void"))
}

/// The sum of an account in the books, debits above zero; all lines sum to zero.
async fn balance(company: &Company, account: &str) -> i64 {
    let lines = company.get(JOURNAL).await.list();
    let sum = |lines: &[Value]| {
        lines.iter().map(|line| cents(&line["debit"]) - cents(&line["credit"])).sum::<i64>()
    };
    assert_eq!(sum(&lines), 0, "{lines:#?}");
    let of: Vec<Value> = lines.into_iter().filter(|line| line["account"] == account).collect();
    sum(&of)
}

/// What employees owe, as the list of liabilities has it.
async fn owed(company: &Company) -> Vec<Value> {
    let mut all = company.get("/v1/companies/{company}/liabilities?as_of=2026-12-31").await.list();
    all.retain(|one| one["account"] == "employee_receivables");
    all
}

/// The next open payroll, calculated.
async fn next(company: &Company) -> (String, Value) {
    let open = company.get("/v1/companies/{company}/payrolls?processing_statuses=unprocessed").await.list();
    let next = text(&open[0], "payroll_uuid");
    company.calculate(&next).await;
    let told = read(company, &next, "taxes,deductions").await;
    (next, told)
}

#[test]
fn a_paycheck_that_was_not_owed_is_made_void_and_the_employee_owes_what_was_paid() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll, [ana, max]) = paid(engine).await;
        let why = json!({ "reason": "He had left before" });
        let early = company.put(void(&payroll, &max), why.clone()).await.refused(422);
        assert!(text(early.only(), "message").contains("has not gone out"), "{early:?}");
        payday(&company).await;
        let refused = company.put(void(&payroll, &max), json!({})).await.refused(422);
        assert_eq!(refused.fault().0, "reason");
        let before = read(&company, &payroll, "totals").await;
        let net = cents(&of(&before, &max)["net_pay"]);

        let undone = company.put(void(&payroll, &max), why.clone()).await.ok();
        assert_eq!((&undone["money"], &undone["category"]), (&json!("owed"), &json!("not_owed")));
        assert_eq!(company.get("/v1/companies/{company}/payroll_reversals").await.list(), [undone]);
        let after = read(&company, &payroll, "totals").await;
        for (name, sum) in before["totals"].as_object().unwrap() {
            assert_eq!(cents(&after["totals"][name]) * 2, cents(sum), "{name}");
        }
        assert_eq!(balance(&company, "wages").await, 200_000);
        assert_eq!(balance(&company, "net_pay_payable").await, 0);
        assert_eq!(balance(&company, "employee_receivables").await, net);
        assert_eq!(balance(&company, "cash").await, -2 * net, "no money has moved");
        company.put(void(&payroll, &max), why).await.is(404);
        assert!(
            company.get(format!("/v1/employees/{max}/pay_stubs")).await.list()[0]["voided_at"].is_string()
        );
        let names: Vec<_> = company.events().await.into_iter().map(|event| event.event_type).collect();
        assert!(names.iter().any(|name| name == "payroll.partially_reversed"));
        company.world.company().await.put(void(&payroll, &ana), json!({ "reason": "Other" })).await.is(404);

        // A part is paid back.
        let [one] = &owed(&company).await[..] else { panic!("one employee owes") };
        assert_eq!((&one["agency"], cents(&one["balance"])), (&json!(max), -net));
        let repay = |amount: &str| json!({ "liability_uuid": one["uuid"], "amount": amount, "paid_on": "2026-06-20" });
        let payments = "/v1/companies/{company}/liability_payments";
        assert_eq!(company.post(payments, repay("10.00")).await.refused(422).fault().0, "amount");
        assert_eq!(company.post(payments, repay("-9000.00")).await.refused(422).fault().0, "amount");
        company.post(payments, repay("-1000.00")).await.created();
        assert_eq!(balance(&company, "employee_receivables").await, net - 100_000);

        // The rest is deducted with the employee's agreement, and not a cent more.
        let agreed = json!({ "court_ordered": false, "amount": "5000.00", "recurring": true, "overpayment_agreed_on": "2026-06-20" });
        let ordered = json!({ "court_ordered": true, "garnishment_type": "creditor_garnishment", "amount": "10.00", "recurring": true,
                              "overpayment_agreed_on": "2026-06-20" });
        let garnishments = format!("/v1/employees/{max}/garnishments");
        assert_eq!(
            company.post(&garnishments, ordered).await.refused(422).fault().0,
            "overpayment_agreed_on"
        );
        let deduction = company.post(&garnishments, agreed).await.created();
        assert_eq!(deduction["overpayment_agreed_on"], "2026-06-20");
        let (second, told) = next(&company).await;
        let taken = of(&told, &max)["deductions"].as_array().unwrap().iter();
        let taken: i64 =
            taken.filter(|one| one["uuid"] == deduction["uuid"]).map(|one| cents(&one["amount"])).sum();
        assert_eq!(taken, net - 100_000);
        company.submit(&second).await;
        assert_eq!(balance(&company, "employee_receivables").await, 0);
        assert_eq!(owed(&company).await, Vec::<Value>::new());
        assert_eq!(balance(&company, "garnishments_payable").await, 0);
    });
}

#[test]
fn a_check_that_came_back_is_money_that_came_back() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll, [_, max]) = paid(engine).await;
        payday(&company).await;
        let undone = company
            .put(void(&payroll, &max), json!({ "reason": "Never cashed", "returned": true }))
            .await
            .ok();
        assert_eq!(undone["money"], "returned");
        assert_eq!(owed(&company).await, Vec::<Value>::new());
        let ana = balance(&company, "cash").await;
        assert!(ana < 0, "only Ana was paid");
        assert_eq!(balance(&company, "net_pay_payable").await, 0);
        assert_eq!(balance(&company, "employee_receivables").await, 0);
    });
}

#[test]
fn a_later_payroll_takes_back_what_an_earlier_one_overpaid_with_its_taxes() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll, [ana, max]) = paid(engine).await;
        payday(&company).await;
        let location = text(&company.get("/v1/companies/{company}/locations").await.list()[0], "uuid");
        let (eva, _) = company.onboarded("Eva", &location, ("39000.00", "Year", "Exempt")).await;
        let (second, _) = next(&company).await;
        company
            .put(void(&payroll, &max), json!({ "reason": "A calculated payroll is no later one" }))
            .await
            .ok();
        let line_of =
            |name: &str, amount: &str| json!({ "fixed_compensations": [{ "name": name, "amount": amount }] });
        let bonus = enter(&company, &second, &ana, line_of("Bonus", "-500.00")).await.refused(422);
        assert!(format!("{bonus:?}").contains("amount"), "{bonus:?}");

        // More than the paycheck pays cannot be taken back at once.
        enter(&company, &second, &ana, line_of("Correction Payment", "-2500.00")).await.ok();
        company.put(path(&second, "/calculate"), json!({})).await.is(202);
        company.work().await;
        let failed = company.get(path(&second, "")).await.ok();
        let error = &failed["processing_request"]["errors"][0];
        assert_eq!(error["error_key"], "fixed_compensations");
        assert!(text(error, "message").contains("500.00 more than the paycheck pays"), "{error}");

        enter(&company, &second, &ana, line_of("Correction Payment", "-500.00")).await.ok();
        company.calculate(&second).await;
        let told = read(&company, &second, "taxes").await;
        let (ana, eva) = (of(&told, &ana), of(&told, &eva));
        // 2,000.00 less 500.00 is taxed as Eva's 1,500.00.
        assert_eq!(ana["gross_pay"].to_string(), "1500.00");
        for tax in ["Federal Income Tax", "Social Security", "Medicare"] {
            assert_eq!(line(&ana["taxes"], tax)["amount"], line(&eva["taxes"], tax)["amount"], "{tax}");
        }
        assert_eq!(ana["net_pay"], eva["net_pay"]);
        let warned =
            ana["warnings"].as_array().unwrap().iter().find(|one| one["key"] == "pay_taken_back").unwrap();
        assert!(text(warned, "message").starts_with("500.00 of earlier pay"), "{warned}");
        company.submit(&second).await;
        assert_eq!(balance(&company, "net_pay_payable").await.signum(), -1, "credits, until the pay date");
    });
}

#[test]
fn a_paycheck_on_which_a_later_one_builds_stays() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll, [ana, _]) = paid(engine).await;
        payday(&company).await;
        let (second, _) = next(&company).await;
        company.submit(&second).await;
        let refused = company.put(void(&payroll, &ana), json!({ "reason": "Twice" })).await.refused(422);
        assert!(text(refused.only(), "message").contains("Correction Payment below zero"), "{refused:?}");
        assert_eq!(
            company.get("/v1/companies/{company}/payroll_reversals").await.list(),
            Vec::<Value>::new()
        );
    });
}

#[test]
fn hours_that_were_forgotten_beside_a_full_pay_period_warn_of_overtime() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (max, _) = company.onboarded("Max", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        enter(&company, &payroll, &max, hours("70")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let forgotten = json!({ "off_cycle": true, "off_cycle_reason": "Correction", "start_date": "2026-06-01",
                                "end_date": "2026-06-14", "employee_uuids": [ana, max] });
        let forgotten = id_of(&company.post("/v1/companies/{company}/payrolls", forgotten).await.ok());
        for who in [&ana, &max] {
            enter(&company, &forgotten, who, hours("5")).await.ok();
        }
        let told = company.calculate(&forgotten).await;
        let warned = |who: &str| {
            let warnings = of(&told, who)["warnings"].as_array().cloned().unwrap_or_default();
            warnings.into_iter().find(|one| one["key"] == "overtime_beside_other_payroll")
        };
        let message = text(&warned(&ana).unwrap(), "message");
        assert!(message.starts_with("5.000 regular hours") && message.contains("paid 80.000"), "{message}");
        assert_eq!(warned(&max), None, "75 hours of two weeks");
    });
}
