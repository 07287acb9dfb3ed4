//! Several payrolls of one pay period: what is for the period is taken once, whichever of them takes it.

use serde_json::{Value, json};

use super::{calculated, cents, company, enter, explanation_of, hours, line, of, read};
use crate::support::{Company, Engine, id_of, on_both_engines};

/// What is taken for a garnishment in a payroll, in cents, once its explanation was worked out again.
async fn taken(company: &Company, payroll: &str, (employee, garnishment): (&str, &str)) -> i64 {
    explanation_of(company, payroll, employee).await;
    let told = read(company, payroll, "deductions").await;
    let lines = of(&told, employee)["deductions"].as_array().unwrap();
    lines.iter().find(|line| line["uuid"] == garnishment).map_or(0, |line| cents(&line["amount"]))
}

/// A payroll outside the schedule for some days, calculated with a bonus.
async fn bonus(company: &Company, employee: &str, (start, end): (&str, &str), amount: &str) -> String {
    let body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": start, "end_date": end,
                       "employee_uuids": [employee], "check_date": "2026-06-19" });
    let payroll = id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok());
    let gift = json!({ "fixed_compensations": [{ "name": "Bonus", "amount": amount }] });
    enter(company, &payroll, employee, gift).await.ok();
    company.calculate(&payroll).await;
    payroll
}

async fn order(company: &Company, employee: &str, parts: Value) -> String {
    let body = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50", "deduct_as_percentage": true,
                       "pay_period_maximum": "600.00", "income_withholding_order": parts,
                       "child_support": { "state": "TX", "payment_period": "Monthly", "fips_code": "48000",
                                          "case_number": "0012345678" } });
    id_of(&company.post(format!("/v1/employees/{employee}/garnishments"), body).await.created())
}

#[test]
fn a_preview_stands_for_a_pay_period_of_its_own_and_tells_what_others_of_the_period_took() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("40.00", "Hour", "Nonexempt")).await;
        let of_ana = order(&company, &ana, Value::Null).await;
        let previewed = async |day: &str| {
            let path = format!("/v1/employees/{ana}/garnishments/preview?gross=3000&check_date={day}");
            let told = company.get(path).await.ok();
            let warnings = told["warnings"].as_array().unwrap().clone();
            let warning = warnings.into_iter().find(|one| one["key"] == "taken_in_pay_period");
            (cents(&told["total"]), warning.map_or(Value::Null, |one| one["message"].clone()))
        };
        let first = bonus(&company, &ana, ("2026-06-03", "2026-06-03"), "400.00").await;
        assert_eq!(previewed("2026-06-10").await, (27_692, Value::Null), "only what is processed counts");
        let of_first = taken(&company, &first, (&ana, &of_ana)).await;
        company.submit(&first).await;
        let (total, told) = previewed("2026-06-10").await;
        let amount =
            format!("have already withheld {}.{:02} for garnishments", of_first / 100, of_first % 100);
        assert_eq!(
            (total, told.as_str().is_some_and(|told| told.contains(&amount))),
            (27_692, true),
            "{told}"
        );
        assert_eq!(previewed("2026-06-17").await, (27_692, Value::Null), "another pay period");
    });
}

const PERIOD: (&str, &str) = ("2026-06-01", "2026-06-14");

#[test]
fn an_order_for_support_gets_the_dollars_of_a_pay_period_once() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("40.00", "Hour", "Nonexempt")).await;
        let of_ana = order(&company, &ana, Value::Null).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        // On a day of the pay period before its regular payroll: half of what is left of 400.00. Only what is processed counts.
        let first = bonus(&company, &ana, ("2026-06-03", "2026-06-03"), "400.00").await;
        company.calculate(&payroll).await;
        assert_eq!(
            taken(&company, &payroll, (&ana, &of_ana)).await,
            27_692,
            "600.00 a month by 26 pay periods"
        );
        let of_first = taken(&company, &first, (&ana, &of_ana)).await;
        assert!((10_000..20_000).contains(&of_first), "{of_first}");
        company.submit(&first).await;
        company.calculate(&payroll).await;
        assert_eq!(taken(&company, &payroll, (&ana, &of_ana)).await, 27_692 - of_first);
        company.submit(&payroll).await;
        // Neither a bonus of the same days nor one of another day within them takes it again; the next period does.
        for days in [PERIOD, ("2026-06-10", "2026-06-10")] {
            let second = bonus(&company, &ana, days, "3000.00").await;
            assert_eq!(taken(&company, &second, (&ana, &of_ana)).await, 0, "{days:?}");
        }
        let next = bonus(&company, &ana, ("2026-06-15", "2026-06-28"), "3000.00").await;
        assert_eq!(taken(&company, &next, (&ana, &of_ana)).await, 27_692);
        // Taken back, the regular payroll has taken nothing of the period.
        company.put(super::path(&payroll, "/cancel"), json!({})).await.ok();
        company.work().await;
        let again = bonus(&company, &ana, PERIOD, "3000.00").await;
        assert_eq!(taken(&company, &again, (&ana, &of_ana)).await, 27_692 - of_first);
    });
}

#[test]
fn what_an_order_took_before_it_was_made_inactive_counts_against_the_limits_of_the_pay_period() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("25.00", "Hour", "Nonexempt")).await;
        // Half of disposable earnings is the limit: another family is supported, and no arrears are old.
        let support = async || {
            let parts = json!({ "supports_other_family": true, "arrears_over_12_weeks": false });
            let body = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "65",
                               "deduct_as_percentage": true, "pay_period_maximum": "900.00", "income_withholding_order": parts,
                               "child_support": { "state": "TX", "payment_period": "Every other week", "fips_code": "48000",
                                                  "case_number": "0012345678" } });
            id_of(&company.post(format!("/v1/employees/{ana}/garnishments"), body).await.created())
        };
        let first = support().await;
        let creditor = json!({ "court_ordered": true, "garnishment_type": "creditor_garnishment", "amount": "500.00",
                               "recurring": true, "description": "Judgment" });
        let creditor =
            id_of(&company.post(format!("/v1/employees/{ana}/garnishments"), creditor).await.created());
        let gift = bonus(&company, &ana, ("2026-06-03", "2026-06-03"), "1000.00").await;
        company.submit(&gift).await;
        let of_gift = taken(&company, &gift, (&ana, &first)).await;
        let off = company.get(format!("/v1/garnishments/{first}")).await.ok();
        let off = json!({ "version": off["version"], "active": false });
        company.put(format!("/v1/garnishments/{first}"), off).await.ok();
        enter(&company, &payroll, &ana, hours("40")).await.ok();
        company.calculate(&payroll).await;
        // Support has had a quarter of the disposable earnings of both and more, so that creditors get nothing.
        assert_eq!(taken(&company, &payroll, (&ana, &creditor)).await, 0);
        assert_eq!(taken(&company, &payroll, (&ana, &first)).await, 0);
        let told = of(&read(&company, &payroll, "deductions").await, &ana)["deductions"].to_string();
        assert!(!told.contains(&first), "one that is off is no deduction: {told}");
        // The order that takes its place gets what the first left of half of both.
        let second = support().await;
        company.calculate(&payroll).await;
        let told = read(&company, &payroll, "taxes").await;
        let own = of(&told, &ana)["taxes"].as_array().unwrap().iter().filter(|tax| tax["employer"] == false);
        let disposable = 100_000 - own.map(|tax| cents(&tax["amount"])).sum::<i64>();
        let of_second = taken(&company, &payroll, (&ana, &second)).await;
        // Both payrolls have the same disposable earnings but for cents.
        let limit = disposable;
        assert!(of_second > 0 && (of_gift + of_second - limit).abs() < 200, "{of_gift} {of_second} {limit}");
        let why = explanation_of(&company, &payroll, &ana).await.to_string();
        assert!(why.contains("The garnishment is not active."), "{why}");
    });
}

#[test]
fn the_pay_period_of_a_bonus_is_that_of_the_schedule_which_the_employee_follows() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("40.00", "Hour", "Nonexempt")).await;
        let (max, _) = company.onboarded("Max", &location, ("40.00", "Hour", "Nonexempt")).await;
        let schedules = "/v1/companies/{company}/pay_schedules";
        let of_ana = id_of(&company.get(schedules).await.list()[0]);
        // The other weeks: 22 June to 5 July lies across two pay periods of the first schedule.
        let other = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-07-10",
                            "anchor_end_of_pay_period": "2026-07-05", "custom_name": "Other weeks" });
        let of_max = id_of(&company.post(schedules, other).await.created());
        let assigned = json!({ "type": "by_employee", "default_pay_schedule_uuid": of_ana,
                               "employees": [{ "employee_uuid": max, "pay_schedule_uuid": of_max }] });
        company.post(format!("{schedules}/assign"), assigned).await.is(200);
        for employee in [&ana, &max] {
            let support = order(&company, employee, Value::Null).await;
            let first = bonus(&company, employee, ("2026-06-25", "2026-06-25"), "3000.00").await;
            assert_eq!(taken(&company, &first, (employee, &support)).await, 27_692);
            company.submit(&first).await;
            let second = bonus(&company, employee, ("2026-06-30", "2026-06-30"), "3000.00").await;
            let of_second = if *employee == ana { 27_692 } else { 0 };
            assert_eq!(taken(&company, &second, (employee, &support)).await, of_second);
        }
    });
}

#[test]
fn arrears_of_a_pay_period_follow_current_support_into_the_next_payroll() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let parts = json!({ "current_support": "260.00", "arrears": "340.00" });
        let of_ana = order(&company, &ana, parts).await;
        enter(&company, &payroll, &ana, hours("12")).await.ok();
        company.calculate(&payroll).await;
        let first = taken(&company, &payroll, (&ana, &of_ana)).await;
        // 260.00 a month are 120.00 of the period, of which half of 240.00 less taxes takes a part.
        assert!((10_000..12_000).contains(&first), "{first}");
        company.submit(&payroll).await;
        let second = bonus(&company, &ana, PERIOD, "3000.00").await;
        assert_eq!(taken(&company, &second, (&ana, &of_ana)).await, 27_692 - first);
        let told = explanation_of(&company, &second, &ana).await.to_string();
        for figure in ["left_of_dollar_cap", "left_of_current_support", "taken_earlier_in_the_pay_period"] {
            assert!(told.contains(figure), "{figure}");
        }
    });
}

#[test]
fn a_levy_leaves_the_exempt_amount_of_a_pay_period_once() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("25.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        // Served after the regular pay, which has used the exempt amount: the bonus is taken whole.
        let levy = json!({ "court_ordered": true, "garnishment_type": "federal_tax_lien", "amount": "0.00", "recurring": true,
                           "tax_levy": { "filing_status": "single", "dependents": 0, "year": 2026 } });
        let levy = id_of(&company.post(format!("/v1/employees/{ana}/garnishments"), levy).await.created());
        let gift = bonus(&company, &ana, PERIOD, "600.00").await;
        let told = calculated(&company, &gift).await;
        let own = of(&told, &ana)["taxes"].as_array().unwrap().iter().filter(|tax| tax["employer"] == false);
        let left = 60_000 - own.map(|tax| cents(&tax["amount"])).sum::<i64>();
        assert_eq!(taken(&company, &gift, (&ana, &levy)).await, left);
        assert_eq!(cents(&of(&told, &ana)["net_pay"]), 0);
        // Of the next pay period 619.23 are exempt.
        let next = bonus(&company, &ana, ("2026-06-15", "2026-06-28"), "600.00").await;
        assert_eq!(taken(&company, &next, (&ana, &levy)).await, 0);
    });
}

#[test]
fn a_weekly_limit_of_a_state_programme_is_reached_once() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let brooklyn = id_of(&company.location("NY").await);
        let (ana, _) = company.onboarded("Ana", &brooklyn, ("40.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        // What comes to nothing is no line.
        let sdi = |told: &Value| match &line(&of(told, &ana)["taxes"], "NY SDI")["amount"] {
            Value::Null => 0,
            amount => cents(amount),
        };
        assert_eq!(sdi(&calculated(&company, &payroll).await), 120, "0.60 a week");
        company.submit(&payroll).await;
        let gift = bonus(&company, &ana, PERIOD, "3000.00").await;
        assert_eq!(sdi(&read(&company, &gift, "taxes").await), 0);
        explanation_of(&company, &gift, &ana).await;
        let next = bonus(&company, &ana, ("2026-06-15", "2026-06-28"), "3000.00").await;
        assert_eq!(sdi(&read(&company, &next, "taxes").await), 120);
    });
}

/// What a payroll has of an employee's only benefit.
async fn benefit(company: &Company, payroll: &str, employee: &str) -> Value {
    explanation_of(company, payroll, employee).await;
    of(&read(company, payroll, "benefits").await, employee)["benefits"][0].clone()
}

#[test]
fn the_cost_of_life_insurance_is_income_of_a_pay_period_once() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("40.00", "Hour", "Nonexempt")).await;
        let life = company.offer(107).await;
        let cover = json!({ "coverage_amount": "250000", "effective_date": "2026-01-01" });
        company.enroll(&ana, &life, cover).await.created();
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        let wages = async |payroll: &str| {
            let told = calculated(&company, payroll).await;
            let taxes = of(&told, &ana)["taxes"].as_array().unwrap();
            let medicare =
                taxes.iter().find(|tax| tax["name"] == "Medicare" && tax["employer"] == false).unwrap();
            cents(&medicare["amount"])
        };
        // Age 38: 200 x 0.09 a month, of which 12/26 are 8.31. 1.45 % of 3,208.31, and of a bonus of 1,000.00 alone.
        assert_eq!(wages(&payroll).await, 4_652);
        company.submit(&payroll).await;
        let second = bonus(&company, &ana, PERIOD, "1000.00").await;
        assert_eq!(wages(&second).await, 1_450);
        assert_eq!(benefit(&company, &second, &ana).await["imputed"], false);
        let next = bonus(&company, &ana, ("2026-06-15", "2026-06-28"), "1000.00").await;
        assert_eq!(wages(&next).await, 1_462, "1.45 % of 1,008.31");
    });
}

#[test]
fn transit_and_parking_leave_wages_up_to_what_the_law_lets_them_in_a_month() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("40.00", "Hour", "Nonexempt")).await;
        let transit = company.offer(114).await;
        let terms = json!({ "employee_deduction": "300.00", "effective_date": "2026-01-01" });
        company.enroll(&ana, &transit, terms).await.created();
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        assert_eq!(cents(&benefit(&company, &payroll, &ana).await["employee_deduction"]), 30_000);
        company.submit(&payroll).await;
        // 340.00 a month in 2026; the next payroll is paid in July.
        let second = bonus(&company, &ana, PERIOD, "3000.00").await;
        assert_eq!(cents(&benefit(&company, &second, &ana).await["employee_deduction"]), 4_000);
        let body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-15", "end_date": "2026-06-28",
                           "employee_uuids": [ana], "check_date": "2026-07-02" });
        let july = id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok());
        let gift = json!({ "fixed_compensations": [{ "name": "Bonus", "amount": "3000.00" }] });
        enter(&company, &july, &ana, gift).await.ok();
        company.calculate(&july).await;
        assert_eq!(cents(&benefit(&company, &july, &ana).await["employee_deduction"]), 30_000);
    });
}
