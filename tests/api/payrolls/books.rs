//! The books: what payrolls come to in double entry, and what is owed.

use std::collections::BTreeMap;
use std::slice;

use rules::Amount;
use serde_json::{Value, json};

use super::{cents, company, enter, hours, path, read};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

const JOURNAL: &str = "/v1/companies/{company}/journal?start_date=2026-06-01&end_date=2026-07-31";

/// Debits less credits of the lines that are wanted.
fn sum(lines: &[Value], wanted: impl Fn(&Value) -> bool) -> i64 {
    let wanted = lines.iter().filter(|line| wanted(line));
    wanted.map(|line| cents(&line["debit"]) - cents(&line["credit"])).sum()
}

async fn journal(company: &Company) -> Vec<Value> {
    company.get(JOURNAL).await.list()
}

/// A regular payroll of two people, one of them in the kitchen, with a bonus, tips, a benefit, child support and an expense that is paid
/// back: processed.
async fn processed(engine: Engine) -> (Company, String, String) {
    let (company, location, payroll) = company(engine).await;
    let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
    let (max, _) = company.onboarded("Max", &location, ("52000", "Year", "Exempt")).await;
    let kitchen = json!({ "title": "Kitchen" });
    let kitchen = company.post("/v1/companies/{company}/departments", kitchen).await.created();
    let joins = json!({ "version": kitchen["version"], "employees": [{ "uuid": ana }] });
    company.put(format!("/v1/departments/{}/add", id_of(&kitchen)), joins).await.ok();
    let medical = json!({ "benefit_type": 1, "description": "Medical" });
    let medical = company.post("/v1/companies/{company}/company_benefits", medical).await.created();
    let enrolled = json!({ "company_benefit_uuid": id_of(&medical), "employee_deduction": "50.00", "effective_date": "2026-06-01",
                           "company_contribution": "100.00" });
    company.post(format!("/v1/employees/{ana}/employee_benefits"), enrolled).await.created();
    let support = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "10",
                          "deduct_as_percentage": true, "pay_period_maximum": "100",
                          "child_support": { "state": "AL", "payment_period": "Monthly", "fips_code": "01000",
                                             "case_number": "AL-123" } });
    company.post(format!("/v1/employees/{max}/garnishments"), support).await.created();
    let mut of_ana = hours("80.25");
    of_ana["fixed_compensations"] =
        json!([{ "name": "Bonus", "amount": "333.33" }, { "name": "Cash Tips", "amount": "45.10" }]);
    of_ana["reimbursements"] = json!([{ "amount": "12.34", "description": "Knives" }]);
    enter(&company, &payroll, &ana, of_ana).await.ok();
    company.calculate(&payroll).await;
    company.submit(&payroll).await;
    (company, payroll, ana)
}

#[test]
fn the_lines_of_a_payroll_sum_to_zero_and_to_its_totals() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll, _) = processed(engine).await;
        let totals = read(&company, &payroll, "totals").await["totals"].clone();
        let lines = journal(&company).await;
        assert!(!lines.is_empty() && lines.iter().all(|line| line["payroll_uuid"] == payroll));
        assert_eq!(sum(&lines, |_| true), 0, "{lines:#?}");
        let of = |account: &'static str| sum(&lines, move |line| line["account"] == account);
        let total = |name: &str| cents(&totals[name]);
        let tips = sum(&lines, |line| line["description"] == "Cash Tips");
        assert_eq!(tips, 4_510);
        // The totals are worked out from the paychecks by another way than the books.
        assert_eq!(of("wages") + tips, total("gross_pay"));
        assert_eq!(of("employer_taxes"), total("employer_taxes"));
        assert_eq!(-of("employer_taxes_payable"), total("employer_taxes"));
        assert_eq!(-of("employee_taxes_payable"), total("employee_taxes"));
        assert_eq!(of("benefit_contributions"), total("benefits"));
        let both = total("benefits") + total("employee_benefits_deductions");
        assert_eq!(-of("benefits_payable"), both);
        assert_eq!(-of("garnishments_payable"), total("other_deductions"));
        assert_eq!(of("reimbursements"), 1_234);
        assert_eq!(-of("net_pay_payable"), total("net_pay") + total("reimbursements"));
        assert_eq!(of("cash_tips"), 0);
        assert_eq!(of("rounding"), 0);
        assert!(total("other_deductions") > 0 && total("benefits") > 0 && total("employee_taxes") > 0);

        // Ana's bonus is the kitchen's, by her job; what is owed belongs to no department.
        let bonus = lines.iter().find(|line| line["description"] == "Bonus").unwrap();
        assert_eq!((&bonus["department"], &bonus["job"]), (&json!("Kitchen"), &json!("Cook")));
        let federal = lines.iter().find(|line| line["description"] == "Federal Income Tax").unwrap();
        assert_eq!((&federal["agency"], &federal["department"]), (&json!("US"), &Value::Null));
    });
}

#[test]
fn whoever_moves_to_another_department_moves_nothing_of_what_was_posted() {
    on_both_engines(async |engine: Engine| {
        let (company, _, ana) = processed(engine).await;
        let before = journal(&company).await;
        let bar =
            company.post("/v1/companies/{company}/departments", json!({ "title": "Bar" })).await.created();
        let joins = json!({ "version": bar["version"], "employees": [{ "uuid": ana }] });
        company.put(format!("/v1/departments/{}/add", id_of(&bar)), joins).await.ok();
        assert_eq!(journal(&company).await, before);
    });
}

#[test]
fn a_cancelled_payroll_is_reversed_and_owes_nothing() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll, _) = processed(engine).await;
        let owed = "/v1/companies/{company}/liabilities?as_of=2026-12-31";
        assert!(!company.get(owed).await.list().is_empty());
        company.put(path(&payroll, "/cancel"), json!({})).await.ok();
        let lines = journal(&company).await;
        let mut by_reason: BTreeMap<String, i64> = BTreeMap::new();
        let mut by_account: BTreeMap<String, i64> = BTreeMap::new();
        for line in &lines {
            let amount = cents(&line["debit"]) - cents(&line["credit"]);
            *by_reason.entry(text(line, "reason")).or_default() += amount;
            *by_account.entry(text(line, "account")).or_default() += amount;
        }
        assert_eq!(
            by_reason.into_iter().collect::<Vec<_>>(),
            [("payroll".into(), 0), ("reversal".into(), 0)]
        );
        assert!(by_account.values().all(|sum| *sum == 0), "{by_account:?}");
        assert_eq!(company.get(owed).await.list(), Vec::<Value>::new());

        // Calculated and submitted again it is posted again, beside the two.
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let again = journal(&company).await;
        let payrolls = again.iter().filter(|line| line["reason"] == "payroll").count();
        assert_eq!(payrolls, 2 * lines.iter().filter(|line| line["reason"] == "payroll").count());
        assert_eq!(sum(&again, |_| true), 0);
    });
}

#[test]
fn net_pay_goes_out_of_the_bank_account_on_the_pay_date() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll, _) = processed(engine).await;
        let owed = sum(&journal(&company).await, |line| line["account"] == "net_pay_payable");
        company.world.wait_until("2026-06-20T12:00:00Z".parse().unwrap()).await;
        assert!(read(&company, &payroll, "").await["processed"] == true);
        let lines = journal(&company).await;
        let paid: Vec<_> = lines.iter().filter(|line| line["reason"] == "net_pay").cloned().collect();
        assert!(paid.iter().all(|line| line["date"] == "2026-06-18"), "{paid:#?}");
        assert_eq!(sum(&paid, |line| line["account"] == "cash"), owed);
        assert_eq!(sum(&lines, |line| line["account"] == "net_pay_payable"), 0);
    });
}

#[test]
fn a_liability_is_open_until_it_is_paid_and_no_more_can_be_paid() {
    on_both_engines(async |engine: Engine| {
        let (company, ..) = processed(engine).await;
        let open = "/v1/companies/{company}/liabilities?as_of=2026-12-31";
        let owed = company.get(open).await.list();
        let futa = owed.iter().find(|one| one["description"] == "FUTA").unwrap().clone();
        assert_eq!((&futa["agency"], &futa["account"]), (&json!("US"), &json!("employer_taxes_payable")));
        assert_eq!(futa["balance"], futa["accrued"]);
        let pay = |amount: Value| json!({ "liability_uuid": futa["uuid"], "amount": amount, "paid_on": "2026-06-01" });
        let payments = "/v1/companies/{company}/liability_payments";
        let over = format!("{}", (cents(&futa["balance"]) + 1) / 100 + 1);
        let refused = company.post(payments, pay(json!(over))).await.is(422).json();
        assert_eq!(refused["errors"][0]["error_key"], "amount");
        company.post(payments, pay(json!("-0.01"))).await.is(422);
        company.post(payments, pay(json!("0.001"))).await.is(422);
        let paid = company.post(payments, pay(futa["balance"].clone())).await.created();
        assert_eq!(paid["amount"], futa["balance"]);
        let still = company.get(open).await.list();
        assert!(still.iter().all(|one| one["uuid"] != futa["uuid"]) && still.len() + 1 == owed.len());
        // A slip is taken back, and the liability is open again.
        let back = format!("-{}", futa["balance"].as_str().unwrap());
        company.post(payments, pay(json!(back))).await.created();
        assert_eq!(company.get(open).await.list(), owed);
        assert_eq!(company.get(payments).await.list().len(), 2);
        let entries = journal(&company).await;
        assert_eq!(sum(&entries, |line| line["reason"] == "payment"), 0);
        assert_eq!(entries.iter().filter(|line| line["reason"] == "payment").count(), 4);

        // Another company's liability is none of this one's.
        let other = company.world.company().await;
        let foreign = other.post(payments, pay(json!("0.01"))).await.is(422).json();
        assert_eq!(foreign["errors"][0]["error_key"], "liability_uuid");
    });
}

#[test]
fn a_payment_stays_a_liability_when_what_it_paid_was_cancelled_and_before_the_pay_date() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll, _) = processed(engine).await;
        let list = async |query: &str| {
            company.get(format!("/v1/companies/{{company}}/liabilities?{query}")).await.list()
        };
        let payments = "/v1/companies/{company}/liability_payments";
        let owed = list("as_of=2026-12-31").await;
        let futa = owed.iter().find(|one| one["description"] == "FUTA").unwrap().clone();
        let all = cents(&futa["balance"]);
        let pay = |cents: i64| {
            let amount = Amount::from_cents(cents).to_text(2);
            json!({ "liability_uuid": futa["uuid"], "amount": amount, "paid_on": "2026-06-01" })
        };
        company.post(payments, pay(all)).await.created();
        let refund = json!({ "uuid": futa["uuid"], "account": "employer_taxes_payable", "agency": "US", "description": "FUTA", "tax_code": "US_FUTA",
                             "accrued": "0.00", "paid": futa["accrued"], "balance": format!("-{}", text(&futa, "accrued")),
                             "first_check_date": "2026-06-18", "last_check_date": "2026-06-18" });
        // Paid ahead: nothing is accrued until the pay date.
        assert_eq!(list("as_of=2026-06-10").await, slice::from_ref(&refund));
        assert_eq!(list("as_of=2026-05-31&all=true").await, Vec::<Value>::new());

        company.put(path(&payroll, "/cancel"), json!({})).await.ok();
        assert_eq!(list("as_of=2026-12-31").await, slice::from_ref(&refund));
        assert_eq!(list("as_of=2026-12-31&all=true").await, slice::from_ref(&refund));
        // The liabilities add up to the books.
        let owes = sum(&journal(&company).await, |line| text(line, "account").ends_with("_payable"));
        assert_eq!(owes, all);

        // The agency pays it back in two parts, and no more than was paid.
        company.post(payments, pay(-all - 1)).await.refused(422);
        company.post(payments, pay(1)).await.refused(422);
        company.post(payments, pay(-1)).await.created();
        company.post(payments, pay(1 - all)).await.created();
        assert_eq!(list("as_of=2026-12-31&all=true").await, Vec::<Value>::new());
    });
}

#[test]
fn accounts_have_the_companys_own_numbers_and_names() {
    on_both_engines(async |engine: Engine| {
        let (company, ..) = processed(engine).await;
        let chart = "/v1/companies/{company}/chart_of_accounts";
        let wages =
            json!({ "accounts": [{ "key": "wages", "number": "5000-10", "name": "Wages, kitchen & bar" }] });
        company.put(chart, wages).await.ok();
        let lines = journal(&company).await;
        let bonus = lines.iter().find(|line| line["description"] == "Bonus").unwrap();
        assert_eq!(bonus["account_number"], "5000-10");
        for (wrong, key) in [
            (json!({ "accounts": [{ "key": "wagse" }] }), "accounts[0].key"),
            (json!({ "accounts": [{ "key": "cash", "number": "5000-10" }] }), "accounts"),
            (json!({ "accounts": [{ "key": "cash", "number": "a b" }] }), "accounts[0].number"),
        ] {
            let refused = company.put(chart, wrong).await.is(422).json();
            assert_eq!(refused["errors"][0]["error_key"], key, "{refused}");
        }
        let csv = company.get(format!("{JOURNAL}&format=csv")).await;
        let csv = csv.is(200).text().to_owned();
        assert!(csv.starts_with("date,reason,payroll_uuid,"), "{csv}");
        assert!(csv.contains("5000-10,\"Wages, kitchen & bar\",,Bonus,Kitchen,Cook,333.33,0.00,"), "{csv}");
        assert_eq!(csv.lines().count(), lines.len() + 1);
        let far = "/v1/companies/{company}/journal?start_date=2025-01-01&end_date=2026-12-31";
        company.get(far).await.is(422);
    });
}
