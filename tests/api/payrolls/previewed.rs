//! A preview says what the payroll of the same days takes: taxes, garnishments, fees and what needs attention.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{of, path, read};
use crate::dice::Dice;
use crate::evaluator;
use crate::support::{Company, Engine, id_of, on_both_engines, place, text};

/// An amount in cents, told as a number or as text.
fn cents(value: &Value) -> i64 {
    let told = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    rules::Amount::parse(&told).unwrap_or_else(|_| panic!("{told} is no amount")).cents_half_up()
}

/// States whose limits of creditors and levies, fees, taxes of places and programmes differ.
const STATES: [&str; 16] =
    ["WV", "PA", "NY", "CO", "OH", "NJ", "OR", "KY", "WA", "IN", "MD", "CA", "MI", "TX", "IL", "MA"];
/// The pay date of the payroll, and of the previews.
const PAID_ON: &str = "2026-07-02";

/// Orders of every kind, each as an employer enters it.
fn kinds() -> Vec<Value> {
    let ordered = |kind: &str, amount: &str| json!({ "court_ordered": true, "garnishment_type": kind, "amount": amount, "recurring": true });
    let with = |mut order: Value, name: &str, what: Value| {
        order[name] = what;
        order
    };
    let support = |state: &str, percent: &str| {
        json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": percent,
                "deduct_as_percentage": true, "pay_period_maximum": "900",
                "child_support": { "state": state, "payment_period": "Monthly", "fips_code": "48000",
                                   "case_number": "TX-1" } })
    };
    vec![
        support("TX", "25"),
        ordered("creditor_garnishment", "700"),
        with(
            ordered("federal_tax_lien", "0"),
            "tax_levy",
            json!({ "filing_status": "single", "dependents": 1 }),
        ),
        with(ordered("state_tax_lien", "800"), "tax_levy", json!({ "state": "OR" })),
        ordered("student_loan", "350"),
        ordered("federal_loan", "350"),
        ordered("other_garnishment", "300"),
        with(ordered("other_garnishment", "250"), "bankruptcy_chapter", json!(13)),
        ordered("federal_tax_lien", "0"),
        with(support("TX", "10"), "annual_maximum", json!("120")),
        json!({ "court_ordered": false, "amount": "45", "recurring": true, "description": "Tools" }),
        with(ordered("creditor_garnishment", "10"), "deduct_as_percentage", json!(true)),
    ]
}

/// Enters an order, with the employer's fee where the state of work has one.
async fn enter_order(company: &Company, employee: &str, order: &Value) {
    let path = format!("/v1/employees/{employee}/garnishments");
    let mut with_fee = order.clone();
    with_fee["employer_fee"] = json!(true);
    if company.post(&path, with_fee).await.status != 201 {
        company.post(&path, order.clone()).await.created();
    }
}

/// Somebody in each state for each pair of kinds of orders, with a pay by chance; every second one has benefits.
async fn people(company: &Company) -> Vec<(String, String)> {
    let (mut dice, kinds) = (Dice::new(54, "previews"), kinds());
    let mut benefits = Vec::new();
    for (kind, name) in [(1, "Health"), (5, "Savings")] {
        let offered = json!({ "benefit_type": kind, "description": name });
        benefits
            .push(id_of(&company.post("/v1/companies/{company}/company_benefits", offered).await.created()));
    }
    let mut people = Vec::new();
    for state in STATES {
        let mut there = place(state);
        if state == "PA" {
            (there["city"], there["zip"]) = (json!("Philadelphia"), json!("19103"));
        }
        let location = id_of(&company.post("/v1/companies/{company}/locations", there).await.created());
        for pair in kinds.chunks(2) {
            let salary = format!("{}.00", dice.between(36, 120) * 1_000);
            let (employee, _) = company
                .onboarded(&format!("Of {state}"), &location, (&salary, "Year", "Salaried Nonexempt"))
                .await;
            for order in pair {
                enter_order(company, &employee, order).await;
            }
            for benefit in benefits.iter().filter(|_| people.len() % 2 == 1) {
                let held = json!({ "company_benefit_uuid": benefit, "employee_deduction": "85.00",
                                   "effective_date": "2026-06-01" });
                company.post(format!("/v1/employees/{employee}/employee_benefits"), held).await.created();
            }
            people.push((state.to_owned(), employee));
        }
    }
    people
}

async fn preview(company: &Company, employee: &str) -> Value {
    let path = format!("/v1/employees/{employee}/garnishments/preview?check_date={PAID_ON}");
    let told = company.get(path).await.ok();
    for node in told["explanation"].as_array().unwrap() {
        evaluator::check(node).unwrap_or_else(|fault| panic!("{fault}: {node:#}"));
    }
    told
}

/// What is taken for each garnishment, and the fee for it.
type Taken = BTreeMap<String, (i64, i64)>;

fn previewed(told: &Value) -> Taken {
    let all = told["deductions"].as_array().unwrap().iter();
    let fee = |one: &Value| one.get("employer_fee").filter(|fee| !fee.is_null()).map_or(0, cents);
    all.map(|one| (text(one, "garnishment_uuid"), (cents(&one["amount"]), fee(one)))).collect()
}

fn paid(paycheck: &Value) -> Taken {
    let all = paycheck["deductions"].as_array().unwrap().iter();
    let mut taken: Taken = all.map(|one| (text(one, "uuid"), (cents(&one["amount"]), 0))).collect();
    for fee in paycheck["garnishment_fees"].as_array().into_iter().flatten() {
        taken.entry(text(fee, "garnishment_uuid")).or_default().1 = cents(&fee["amount"]);
    }
    taken
}

fn keys(told: &Value) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for one in told["warnings"].as_array().into_iter().flatten() {
        *found.entry(text(one, "key")).or_default() += 1;
    }
    found
}

fn sum(taxes: &Value, is_of_employee: impl Fn(&Value) -> bool) -> i64 {
    taxes.as_array().unwrap().iter().filter(|tax| is_of_employee(tax)).map(|tax| cents(&tax["amount"])).sum()
}

#[test]
fn wherever_somebody_works_and_whatever_is_ordered_a_preview_says_what_the_payroll_takes() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": PAID_ON,
                               "anchor_end_of_pay_period": "2026-06-28" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        let people = people(&company).await;
        let periods = company.get("/v1/companies/{company}/pay_periods").await.list();
        let of_july = periods.iter().find(|period| period["end_date"] == "2026-06-28").unwrap();
        let payroll = text(&of_july["payroll"], "payroll_uuid");
        let mut before = Vec::new();
        for (_, employee) in &people {
            before.push(preview(&company, employee).await);
        }
        company.calculate(&payroll).await;
        // One page for all of them.
        let calculated = read(&company, &payroll, "taxes,deductions&per=100").await;
        let (mut fees, mut warned) = (0, 0);
        for ((state, employee), told) in people.iter().zip(&before) {
            let paycheck = of(&calculated, employee);
            assert_eq!(text(&told["pay"], "gross"), paycheck["gross_pay"].to_string(), "{state}");
            let taxes = [
                sum(&told["pay"]["taxes"], |_| true),
                sum(&paycheck["taxes"], |tax| tax["employer"] == false),
            ];
            assert_eq!(taxes[0], taxes[1], "{state}: {told:#} {paycheck:#}");
            // All of them live in Texas and have given no certificate: the state of work takes what counts without one.
            let income = sum(&told["pay"]["taxes"], |tax| tax["name"] == "state_income_tax");
            assert_eq!(income > 0, !["TX", "WA"].contains(&state.as_str()), "{state}: {told:#}");
            assert_eq!(previewed(told), paid(paycheck), "{state}: {told:#} {paycheck:#}");
            // Taxes of the employer bear on no garnishment.
            let mut of_payroll = keys(paycheck);
            of_payroll.retain(|key, _| !["tax_not_worked_out", "no_ssn"].contains(&key.as_str()));
            let mut of_preview = keys(told);
            of_preview.remove("tax_not_worked_out");
            assert_eq!(of_preview, of_payroll, "{state}: {told:#} {paycheck:#}");
            fees += previewed(told).values().filter(|one| one.1 > 0).count();
            warned += of_preview.len();
        }
        assert!(fees > STATES.len() && warned > 2 * STATES.len(), "{fees} fees, {warned} warnings");

        // What the payroll has charged for the weeks is charged in a preview of the same days, too.
        company.submit(&payroll).await;
        let again = preview(&company, &people[0].1).await;
        assert_eq!(again["pay"]["taxes"], before[0]["pay"]["taxes"]);
        let charleston = again["pay"]["taxes"].as_array().unwrap().iter();
        assert_eq!(
            charleston.filter(|tax| tax["name"] == "WV_CHARLESTON" && tax["amount"] == "6.00").count(),
            1
        );
    });
}

#[test]
fn a_preview_takes_no_more_than_is_still_owed_of_an_overpayment() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = super::company(engine).await;
        let (max, _) = company.onboarded("Max", &location, ("52000.00", "Year", "Exempt")).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        company.world.wait_until("2026-06-20T17:00:00Z".parse().unwrap()).await;
        let void = path(&payroll, &format!("/employees/{max}/void"));
        company.put(void, json!({ "reason": "He had left before" })).await.ok();
        let agreed = json!({ "court_ordered": false, "amount": "5000.00", "recurring": true,
                             "overpayment_agreed_on": "2026-06-20" });
        company.post(format!("/v1/employees/{max}/garnishments"), agreed).await.created();
        let open =
            company.get("/v1/companies/{company}/payrolls?processing_statuses=unprocessed").await.list();
        let next = text(&open[0], "payroll_uuid");
        company.calculate(&next).await;
        let calculated = read(&company, &next, "deductions").await;
        let day = text(&calculated, "check_date");
        let told =
            company.get(format!("/v1/employees/{max}/garnishments/preview?check_date={day}")).await.ok();
        assert_eq!(previewed(&told), paid(of(&calculated, &max)));
        let taken = cents(&told["total"]);
        assert!(taken > 100_000 && taken < 200_000, "what Max was paid, and not 5,000.00: {taken}");
    });
}

#[test]
fn a_preview_takes_no_support_after_a_death_as_the_last_payroll_takes_none() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = super::company(engine).await;
        let (cal, _) = company.onboarded("Cal", &location, ("52000.00", "Year", "Exempt")).await;
        for order in [&kinds()[0], &kinds()[10]] {
            company.post(format!("/v1/employees/{cal}/garnishments"), order.clone()).await.created();
        }
        let amounts = async || {
            let told = company
                .get(format!("/v1/employees/{cal}/garnishments/preview?check_date={PAID_ON}"))
                .await
                .ok();
            let taken: Vec<i64> =
                told["deductions"].as_array().unwrap().iter().map(|one| cents(&one["amount"])).collect();
            (taken, keys(&told).contains_key("support_ended_with_death"))
        };
        let (alive, told) = amounts().await;
        assert!(alive[0] > 0 && !told, "{alive:?}");
        let death = json!({ "effective_date": "2026-06-24", "separation": "death", "run_termination_payroll": false });
        company.post(format!("/v1/employees/{cal}/terminations"), death).await.created();
        assert_eq!(amounts().await, (vec![0, alive[1]], true));
    });
}
