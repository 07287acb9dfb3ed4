//! A year of somebody's employment in California: hired in March, a raise in May, away from June to September, and gone in
//! November, with a medical plan, an order for child support and vacation. Every figure is worked out here once more, in cents.

use serde_json::{Value, json};

use super::{enter, explanation_of, hours, line, number, of, path};
use crate::support::{Company, Engine, World, id_of, on_both_engines, text};

/// Dollars of a month that the medical plan takes before taxes, in cents.
const MEDICAL: i64 = 10_000;
/// Dollars of a month for the order, in cents.
const SUPPORT: i64 = 30_000;

/// `amount * part / whole`, half up.
fn share(amount: i64, part: i64, whole: i64) -> i64 {
    (2 * amount * part + whole) / (2 * whole)
}

/// Publication 15-T of 2026, Worksheet 1A, single, no adjustments, monthly.
fn federal(wages: i64) -> i64 {
    let annual = wages * 12 - 860_000;
    let (base, from, percent) = match annual {
        5_790_001.. => (580_000, 5_790_000, 22),
        1_990_001.. => (124_000, 1_990_000, 12),
        750_001.. => (0, 750_000, 10),
        _ => return 0,
    };
    share(base * 100 + (annual - from) * percent, 1, 1_200)
}

/// DE 44 of 2026, Method B, single, no allowances, monthly.
fn california(wages: i64) -> i64 {
    let taxable = wages - 47_600;
    let (base, from, tenths) = match taxable {
        479_601.. => (18_224, 479_600, 88),
        345_401.. => (9_367, 345_400, 66),
        218_801.. => (3_797, 218_800, 44),
        92_401.. => (1_016, 92_400, 22),
        _ => (0, 0, 11),
    };
    base + share(taxable - from, tenths, 1_000)
}

/// A paycheck in cents.
struct Expected {
    gross: i64,
    federal: i64,
    social_security: i64,
    medicare: i64,
    california: i64,
    disability: i64,
}

impl Expected {
    fn of(gross: i64) -> Self {
        let wages = gross - MEDICAL;
        Self {
            gross,
            federal: federal(wages),
            social_security: share(wages, 62, 1_000),
            medicare: share(wages, 145, 10_000),
            california: california(wages),
            disability: share(wages, 13, 1_000),
        }
    }

    fn net(&self) -> i64 {
        let taxes = self.federal + self.social_security + self.medicare + self.california + self.disability;
        self.gross - MEDICAL - taxes - SUPPORT
    }
}

fn dollars(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// Holds a paycheck against the figures that were worked out, and returns them.
async fn check(company: &Company, payroll: &str, employee: &str, gross: i64) -> Expected {
    let expected = Expected::of(gross);
    let include = "taxes,benefits,deductions";
    let told = company.get(path(payroll, &format!("?include={include}"))).await.ok();
    let one = of(&told, employee);
    assert_eq!(number(&one["gross_pay"]), dollars(expected.gross), "{one:#}");
    for (name, cents) in [
        ("Federal Income Tax", expected.federal),
        ("Social Security", expected.social_security),
        ("Medicare", expected.medicare),
        ("CA Withholding Tax", expected.california),
        ("CA SDI", expected.disability),
    ] {
        let own = one["taxes"]
            .as_array()
            .unwrap()
            .iter()
            .find(|tax| tax["name"] == name && tax["employer"] == false);
        let own = own.unwrap_or_else(|| panic!("no {name} in {one:#}"));
        assert_eq!(number(&own["amount"]), dollars(cents), "{name} of {}", dollars(gross));
    }
    assert_eq!(number(&one["benefits"][0]["employee_deduction"]), dollars(MEDICAL));
    assert_eq!(number(&one["deductions"][0]["amount"]), dollars(SUPPORT));
    assert_eq!(number(&one["net_pay"]), dollars(expected.net()));
    explanation_of(company, payroll, employee).await;
    expected
}

async fn wait(company: &Company, day: &str) {
    company.world.wait_until(format!("{day}T18:00:00Z").parse().unwrap()).await;
}

/// The regular payroll of the month that begins on a day.
async fn regular(company: &Company, start: &str, until: &str) -> String {
    let path = format!("/v1/companies/{{company}}/pay_periods?start_date={start}&end_date={until}");
    let periods = company.get(path).await.list();
    let found = periods.iter().find(|period| period["start_date"] == start);
    let found = found.unwrap_or_else(|| panic!("no period from {start} in {periods:#?}"));
    text(&found["payroll"], "payroll_uuid")
}

/// Enters what was worked in a month, and pays it on the morning after.
async fn pay(
    company: &Company,
    employee: &str,
    (start, end, morning): (&str, &str, &str),
    what: Value,
) -> String {
    wait(company, morning).await;
    let payroll = regular(company, start, end).await;
    enter(company, &payroll, employee, what).await.ok();
    company.calculate(&payroll).await;
    payroll
}

async fn balance(company: &Company, employee: &str) -> Value {
    company.read("employees", employee).await["eligible_paid_time_off"][0]["accrual_balance"].clone()
}

/// Ana, who earns 30.00 an hour from 1 March 2026, with all that she has; the company pays monthly.
async fn hired(engine: Engine) -> (Company, String, String, String) {
    let world = World::open(engine.empty_database(), |setup| setup.begins = "2026-03-01T18:00:00Z").await;
    let company = world.company().await;
    let office = id_of(&company.location("CA").await);
    let schedule = json!({ "frequency": "Monthly", "day_1": 10, "anchor_pay_date": "2026-04-10",
                           "anchor_end_of_pay_period": "2026-03-31" });
    company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
    let (ana, job) = company.onboarded("Ana", &office, ("30.00", "Hour", "Nonexempt")).await;
    let raise = json!({ "rate": "33.00", "payment_unit": "Hour", "flsa_status": "Nonexempt", "effective_date": "2026-05-01" });
    company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), raise).await.created();
    let plan = json!({ "benefit_type": 1, "description": "Medical Insurance" });
    let plan = id_of(&company.post("/v1/companies/{company}/company_benefits", plan).await.created());
    let held = json!({ "company_benefit_uuid": plan, "employee_deduction": dollars(MEDICAL), "effective_date": "2026-03-01" });
    company.post(format!("/v1/employees/{ana}/employee_benefits"), held).await.created();
    let order = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                        "deduct_as_percentage": true, "pay_period_maximum": dollars(SUPPORT),
                        "child_support": { "state": "AL", "payment_period": "Monthly", "fips_code": "01000", "case_number": "AL-31" } });
    company.post(format!("/v1/employees/{ana}/garnishments"), order).await.created();
    let vacation = json!({ "name": "Vacation", "policy_type": "vacation", "accrual_method": "per_hour_worked",
                           "accrual_rate": "1", "accrual_rate_unit": "30", "max_hours": "80", "complete": true });
    let vacation =
        id_of(&company.post("/v1/companies/{company}/time_off_policies", vacation).await.created());
    let joins = json!({ "employees": [{ "uuid": ana, "balance": "0" }] });
    company.put(format!("/v1/time_off_policies/{vacation}/add_employees"), joins).await.ok();
    (company, office, ana, vacation)
}

/// March to June, with the first departure.
async fn until_june(company: &Company, ana: &str, paid: &mut Vec<Expected>) {
    // March and April: 160 hours at 30.00. May: 152 at 33.00, and 8 of vacation.
    for days in [("2026-03-01", "2026-03-31", "2026-04-01"), ("2026-04-01", "2026-04-30", "2026-05-01")] {
        let payroll = pay(company, ana, days, hours("160")).await;
        paid.push(check(company, &payroll, ana, 480_000).await);
        company.submit(&payroll).await;
    }
    assert_eq!(balance(company, ana).await, "10.668", "twice 160 / 30, each rounded up to a thousandth");
    let mut may = hours("152");
    may["paid_time_off"] = json!([{ "name": "Vacation Hours", "hours": "8" }]);
    let may = pay(company, ana, ("2026-05-01", "2026-05-31", "2026-06-01"), may).await;
    paid.push(check(company, &may, ana, 528_000).await);
    company.submit(&may).await;
    assert_eq!(balance(company, ana).await, "7.735", "10.668 - 8 + 152 / 30");

    // June: she leaves on the 12th, and the regular payroll pays 72 hours and the vacation that is left, as the state asks.
    let leaves = json!({ "effective_date": "2026-06-12", "separation": "quit_with_notice" });
    let left = company.post(format!("/v1/employees/{ana}/terminations"), leaves).await.created();
    assert_eq!(left["final_wages"]["unused_vacation"], "required");
    let june = pay(company, ana, ("2026-06-01", "2026-06-30", "2026-07-01"), hours("72")).await;
    // 7.735 + 2.4 = 10.135 hours at 33.00 are 334.455.
    paid.push(check(company, &june, ana, 72 * 3_300 + 33_446).await);
    company.submit(&june).await;
    assert_eq!(balance(company, ana).await, "0.000");
    let notices = company.get("/v1/companies/{company}/child_support_termination_notices").await.list();
    assert_eq!((notices.len(), &notices[0]["termination_date"]), (1, &json!("2026-06-12")));
}

/// September and October, after the return.
async fn back_from_september(
    company: &Company,
    (office, ana, vacation): (&str, &str, &str),
    paid: &mut Vec<Expected>,
) {
    // Nothing for two months; she comes back on 14 September, and what she is promised is set.
    wait(company, "2026-09-01").await;
    let august = regular(company, "2026-08-01", "2026-08-31").await;
    let nobody = company.get(path(&august, "")).await.ok();
    assert_eq!(nobody["employee_compensations"], json!([]));
    let back =
        json!({ "effective_date": "2026-09-14", "file_new_hire_report": true, "work_location_uuid": office });
    let rehired = company.post(format!("/v1/employees/{ana}/rehire"), back).await.created();
    assert_eq!(rehired["steps_to_answer_again"], json!(["federal_tax_setup", "file_new_hire_report"]));
    wait(company, "2026-09-14").await;
    let promised = json!({ "employees": [{ "uuid": ana, "balance": "26.566" }] });
    company.put(format!("/v1/time_off_policies/{vacation}/balance"), promised).await.ok();
    let september = pay(company, ana, ("2026-09-01", "2026-09-30", "2026-10-01"), hours("96")).await;
    paid.push(check(company, &september, ana, 96 * 3_300).await);
    company.submit(&september).await;
    let october = pay(company, ana, ("2026-10-01", "2026-10-31", "2026-11-02"), hours("160")).await;
    paid.push(check(company, &october, ana, 160 * 3_300).await);
    company.submit(&october).await;
    assert_eq!(balance(company, ana).await, "35.100", "26.566 + 3.2 + 5.334");
}

/// November, with the second departure; the payroll of the last wages.
async fn dismissed_in_november(company: &Company, ana: &str, paid: &mut Vec<Expected>) -> Value {
    // November: dismissed on the 13th, with a payroll of its own: 72 hours earn 2.4, so that 37.5 are paid out.
    let ends = json!({ "effective_date": "2026-11-13", "run_termination_payroll": true, "separation": "discharged" });
    let ended = company.post(format!("/v1/employees/{ana}/terminations"), ends).await.created();
    assert_eq!(ended["final_wages"]["due_on"], "2026-11-13");
    let waiting =
        company.get("/v1/companies/{company}/pay_periods/unprocessed_termination_pay_periods").await.list();
    assert_eq!((waiting.len(), &waiting[0]["employee_uuid"]), (1, &json!(ana)));
    let last = json!({ "off_cycle": true, "off_cycle_reason": "Dismissed employee", "start_date": "2026-11-01",
                       "end_date": "2026-11-30", "employee_uuids": [ana], "check_date": "2026-11-13" });
    let last = id_of(&company.post("/v1/companies/{company}/payrolls", last).await.ok());
    enter(company, &last, ana, hours("72")).await.ok();
    company.calculate(&last).await;
    paid.push(check(company, &last, ana, 72 * 3_300 + 123_750).await);
    let told = company.get(path(&last, "?include=taxes")).await.ok();
    let out = line(&of(&told, ana)["paid_time_off"], "Vacation Hours");
    assert_eq!(out["final_payout_unused_hours_input"], "37.500");
    company.submit(&last).await;
    assert_eq!(balance(company, ana).await, "0.000");
    told
}

#[test]
fn a_year_from_the_hire_to_the_second_departure_comes_out_to_the_cent() {
    on_both_engines(async |engine: Engine| {
        let (company, office, ana, vacation) = hired(engine).await;
        let mut paid = Vec::new();
        until_june(&company, &ana, &mut paid).await;
        back_from_september(&company, (&office, &ana, &vacation), &mut paid).await;
        let told = dismissed_in_november(&company, &ana, &mut paid).await;

        // The year of the same employer goes on through the time away.
        let sdi = line(&of(&told, &ana)["taxes"], "CA SDI");
        let of_year: i64 = paid.iter().map(|one| one.disability).sum();
        assert_eq!(sdi["line"]["year_to_date"], dollars(of_year));
        let stubs = company.get(format!("/v1/employees/{ana}/pay_stubs")).await.list();
        let sum = |key: &str| -> i64 {
            let cents = |stub: &Value| rules::Amount::parse(&text(stub, key)).unwrap().cents_half_up();
            stubs.iter().map(cents).sum()
        };
        assert_eq!(stubs.len(), 7);
        assert_eq!(sum("gross_pay"), paid.iter().map(|one| one.gross).sum::<i64>());
        assert_eq!(sum("net_pay"), paid.iter().map(Expected::net).sum::<i64>());
        let history = company.get(format!("/v1/employees/{ana}/employment_history")).await.list();
        let spans: Vec<_> = history.iter().map(|one| (&one["hire_date"], &one["termination_date"])).collect();
        assert_eq!(
            spans,
            [(&json!("2026-03-01"), &json!("2026-06-12")), (&json!("2026-09-14"), &json!("2026-11-13"))]
        );
    });
}

#[test]
fn whoever_comes_back_is_paid_by_the_terms_of_the_return_and_by_a_job_that_is_new() {
    on_both_engines(async |engine: Engine| {
        let (company, office, ana, _) = hired(engine).await;
        let leaves = json!({ "effective_date": "2026-03-13" });
        company.post(format!("/v1/employees/{ana}/terminations"), leaves).await.created();
        wait(&company, "2026-03-16").await;
        let back = json!({ "effective_date": "2026-04-01", "file_new_hire_report": false, "work_location_uuid": office });
        company.post(format!("/v1/employees/{ana}/rehire"), back).await.created();
        let march = pay(&company, &ana, ("2026-03-01", "2026-03-31", "2026-04-01"), hours("60")).await;
        company.submit(&march).await;

        let jobs = format!("/v1/employees/{ana}/jobs");
        let held = id_of(&company.get(&jobs).await.list()[0]);
        let terms = json!({ "title": "Shift Lead", "rate": "36.00", "payment_unit": "Hour", "flsa_status": "Nonexempt",
                            "effective_date": "2026-04-01" });
        company.post(format!("/v1/jobs/{held}/compensations"), terms).await.created();
        let new =
            company.post(&jobs, json!({ "title": "Trainer", "hire_date": "2026-04-01" })).await.created();
        let pay_of_new = company.read("compensations", &text(&new, "current_compensation_uuid")).await;
        let rate = json!({ "version": pay_of_new["version"], "rate": "40.00", "payment_unit": "Hour", "flsa_status": "Nonexempt" });
        company.put(format!("/v1/compensations/{}", id_of(&pay_of_new)), rate).await.ok();
        let worked = json!({ "hourly_compensations": [
            { "name": "Regular Hours", "job_uuid": held, "hours": "100" },
            { "name": "Regular Hours", "job_uuid": id_of(&new), "hours": "10" },
        ] });
        let april = pay(&company, &ana, ("2026-04-01", "2026-04-30", "2026-05-01"), worked).await;
        let told = company.get(path(&april, "")).await.ok();
        assert_eq!(number(&of(&told, &ana)["gross_pay"]), "4000.00", "100 x 36.00 + 10 x 40.00");
    });
}
