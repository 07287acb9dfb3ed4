//! What paychecks come to: tips and the minimum wage, benefits, orders, taxes, and their explanation.

use domain::Error;
use domain::pay::payrolls::closing::processing;
use domain::platform::jobs;
use serde_json::{Value, json};
use store::params;
use uuid::Uuid;

use super::{company, enter, hours, line, number, of, other_taxes, paid_hours, path, read};
use crate::support::{Company, Engine, NOBODY, id_of, on_both_engines, text};

store::statements! {
    RUNS = "SELECT count(*) FROM payroll_runs WHERE company_id = $1";
    RECORDED = "SELECT u.id, u.id = p.run_id FROM payroll_runs u JOIN payrolls p ON p.company_id = u.company_id AND p.id = u.payroll_id \
                WHERE u.company_id = $1 AND u.recorded_to IS NOT NULL";
    BEGIN_FORGETTING = "UPDATE payroll_runs SET forgotten_to = NULL WHERE company_id = $1 AND id = $2";
}

/// Somebody who is paid 2.13 an hour and brought up to a minimum wage of the location, with the job and its compensation.
async fn tipped(company: &Company, location: &str) -> (String, Value, String) {
    let (dan, job) = company.onboarded("Dan", location, ("2.13", "Hour", "Nonexempt")).await;
    let wages = company.get(format!("/v1/locations/{location}/minimum_wages")).await.list();
    let pay = id_of(&company.read("jobs", &id_of(&job)).await["compensations"][0]);
    let flag = json!({ "version": company.read("compensations", &pay).await["version"],
                       "adjust_for_minimum_wage": true, "minimum_wages": [{ "uuid": wages[0]["uuid"] }] });
    company.put(format!("/v1/compensations/{pay}"), flag).await.ok();
    (dan, job, pay)
}

#[test]
fn pay_with_tips_is_brought_up_to_the_minimum_wage_by_a_line_of_its_own() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (dan, job, pay) = tipped(&company, &location).await;
        for (tips, make_up, gross) in
            [("0", "409.60", "580.00"), ("200.00", "209.60", "580.00"), ("500.00", "0.00", "670.40")]
        {
            let mut what = hours("80");
            what["fixed_compensations"] = json!([{ "name": "Paycheck Tips", "amount": tips }]);
            enter(&company, &payroll, &dan, what).await.ok();
            let told = company.calculate(&payroll).await;
            let one = of(&told, &dan);
            let adjusted = line(&one["fixed_compensations"], "Minimum Wage Adjustment");
            assert_eq!(
                (&adjusted["amount"], &adjusted["job_uuid"]),
                (&json!(make_up), &job["uuid"]),
                "tips {tips}"
            );
            assert_eq!(number(&one["gross_pay"]), gross);
            let totals = read(&company, &payroll, "totals").await["totals"].clone();
            assert_eq!(
                (&totals["additional_earnings"], &totals["gross_pay"]),
                (&json!(make_up), &json!(gross))
            );
        }
        let mut what = json!({ "fixed_compensations": [{ "name": "paycheck tips", "amount": 0 }] });
        what["hourly_compensations"] =
            json!([{ "name": "Regular Hours", "hours": "40" }, { "name": "Overtime", "hours": 10 }]);
        enter(&company, &payroll, &dan, what).await.ok();
        let told = company.calculate(&payroll).await;
        let one = of(&told, &dan);
        assert_eq!(line(&one["fixed_compensations"], "Minimum Wage Adjustment")["amount"], "256.00");
        assert_eq!(line(&one["hourly_compensations"], "Overtime")["amount"], "57.60");
        // The line stands in the answers of prepare and update, too, worked out by what is entered then.
        let prepared = company.put(path(&payroll, "/prepare"), json!({})).await.ok();
        let fixed = &of(&prepared, &dan)["fixed_compensations"];
        assert_eq!(line(fixed, "Minimum Wage Adjustment")["amount"], "256.00");
        assert_eq!(
            (&prepared["calculated_at"], &of(&prepared, &dan)["gross_pay"]),
            (&Value::Null, &Value::Null)
        );
        let entered = enter(&company, &payroll, &dan, hours("80")).await.ok();
        let fixed = &of(&entered, &dan)["fixed_compensations"];
        // 80 hours and the 10 of overtime that stay, without tips: 688.80 less 170.40 and 57.60.
        assert_eq!(line(fixed, "Minimum Wage Adjustment")["amount"], "460.80");
        let prepared = company.put(path(&payroll, "/prepare"), json!({})).await.ok();
        let fixed = &of(&prepared, &dan)["fixed_compensations"];
        assert_eq!(line(fixed, "Minimum Wage Adjustment")["amount"], "460.80");
        let used = company.delete(format!("/v1/compensations/{pay}")).await.refused(422);
        assert_eq!(used.fault(), ("base", "invalid_operation"));
    });
}

#[test]
fn an_amount_of_ones_own_for_the_minimum_wage_adjustment_is_refused_and_what_was_told_may_come_back() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (dan, job, _) = tipped(&company, &location).await;
        let sends = |amount: &str, count: &str| {
            let mut what = hours(count);
            let line =
                json!({ "name": "minimum wage adjustment", "amount": amount, "job_uuid": job["uuid"] });
            what["fixed_compensations"] = json!([line]);
            what
        };
        let told = |answer: &Value| {
            line(&of(answer, &dan)["fixed_compensations"], "Minimum Wage Adjustment")["amount"].clone()
        };
        // Before the first calculation nothing is told.
        enter(&company, &payroll, &dan, sends("999.00", "80")).await.refused(422);
        enter(&company, &payroll, &dan, sends("0.00", "80")).await.ok();
        assert_eq!(told(&company.calculate(&payroll).await), "409.60");
        enter(&company, &payroll, &dan, sends("999.00", "40")).await.refused(422);
        assert_eq!(told(&company.get(path(&payroll, "")).await.ok()), "409.60", "nothing has changed");
        // As it was calculated, and as what is entered now foresees it.
        let entered = enter(&company, &payroll, &dan, sends("409.60", "40")).await.ok();
        assert_eq!(told(&entered), "204.80");
        enter(&company, &payroll, &dan, sends("409.60", "80")).await.refused(422);
        enter(&company, &payroll, &dan, sends("204.80", "80")).await.ok();
        assert_eq!(told(&company.calculate(&payroll).await), "409.60");
    });
}

#[test]
fn benefits_orders_and_state_tax_are_taken_and_told_and_written_down_when_it_is_processed() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let _bank = crate::money::bank_and_agencies(&company.world).await;
        let brooklyn = id_of(&company.location("NY").await);
        let (ana, _) = company.onboarded("Ana", &brooklyn, ("40.00", "Hour", "Nonexempt")).await;
        let offered = json!({ "benefit_type": 5, "description": "401(k)" });
        let offered = company.post("/v1/companies/{company}/company_benefits", offered).await.created();
        let held = json!({ "company_benefit_uuid": id_of(&offered), "employee_deduction": "100.00",
                           "effective_date": "2026-06-01" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), held).await.created();
        let order = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                            "deduct_as_percentage": true, "pay_period_maximum": "300",
                            "child_support": { "state": "AL", "payment_period": "Every other week", "fips_code": "01000",
                                               "case_number": "AL-77" } });
        company.post(format!("/v1/employees/{ana}/garnishments"), order).await.created();
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        let told = read(&company, &payroll, "benefits,taxes,deductions,totals").await;
        let one = of(&told, &ana);
        assert_eq!(number(&one["benefits"][0]["employee_deduction"]), "100.00");
        assert_eq!(number(&one["deductions"][0]["amount"]), "300.00");
        assert_eq!(one["deductions"][0]["remittance"], "automatic");
        assert!(line(&one["taxes"], "NY Withholding Tax")["amount"].is_number(), "{}", one["taxes"]);
        // The employer has not answered yet what its own taxes depend on; nothing of the employee's is open.
        assert_eq!(other_taxes::not_worked_out(one), ["NY MCTMT zone 1", "NY SUI"]);
        assert_eq!(told["totals"]["child_support_debit"], "300.00");
        let lists = "/v1/companies/{company}/child_support_remittances";
        assert!(company.get(lists).await.list().is_empty());

        company.submit(&payroll).await;
        let noted = company.get(lists).await.list();
        assert_eq!((noted.len(), &noted[0]["amount"]), (1, &json!("300.00")));
        let summary = format!("/v1/company_benefits/{}/summary?detailed=true", id_of(&offered));
        let summary = company.get(summary).await.ok();
        assert_eq!(summary["company_benefit_deduction"], "100.00", "{summary}");

        // Taken back, nothing of it remains; done again, it is there once.
        company.put(path(&payroll, "/cancel"), json!({})).await.ok();
        company.work().await;
        assert!(company.get(lists).await.list().is_empty());
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let again = company.get(lists).await.list();
        assert_eq!(again.len(), 1);

        // A node that takes the first calculation back so late takes nothing of the second one, and both are kept until then.
        let (store, id) = (&company.world.app.store, company.id);
        let reopened = store.write(move |tx| {
            let runs =
                tx.query_rows(RECORDED, params![id], |row| (row.get::<Uuid>(0), row.get::<bool>(1)))?;
            let (first, _) = *runs.iter().find(|(_, in_use)| !in_use).unwrap();
            assert!(tx.change_rows(BEGIN_FORGETTING, params![id, first])?.is_one() && runs.len() == 2);
            Ok::<_, Error>(first)
        });
        let first = reopened.await.unwrap();
        let runs = async || {
            let count = store
                .read(move |tx| Ok::<_, Error>(tx.find_row(RUNS, params![id], |row| row.get::<i64>(0))?));
            count.await.unwrap().unwrap()
        };
        let later = |days: i64| company.world.now() + jiff::Span::new().hours(24 * days);
        jobs::begin_housekeeping(store).await.unwrap();
        company.world.wait_until(later(3)).await;
        assert_eq!(runs().await, 2, "what is not taken back yet is not swept");
        processing::reverse_recorded_amounts(store, id, first).await.unwrap();
        assert_eq!(company.get(lists).await.list(), again);
        let summary = format!("/v1/company_benefits/{}/summary?detailed=true", id_of(&offered));
        assert_eq!(company.get(summary).await.ok()["company_benefit_deduction"], "100.00");
        company.world.wait_until(later(2)).await;
        assert_eq!(
            runs().await,
            1,
            "the calculation that was taken back is swept, and the one that was paid is not"
        );
        assert_eq!(company.get(lists).await.list(), again);
    });
}

#[test]
fn what_is_imputed_is_among_the_totals_and_is_that_of_the_explanation() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        // The cost of a cover follows from the age.
        company.enter_personal_details(&ana, "412551031").await;
        let life = json!({ "benefit_type": 107, "description": "Life" });
        let life = company.post("/v1/companies/{company}/company_benefits", life).await.created();
        let body = json!({ "company_benefit_uuid": id_of(&life), "coverage_amount": "150000",
                           "effective_date": "2026-01-01" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), body).await.created();
        enter(&company, &payroll, &ana, hours("40.0")).await.ok();
        company.calculate(&payroll).await;
        let totals = &company.get(path(&payroll, "?include=totals")).await.ok()["totals"];
        let imputed = text(totals, "imputed_pay");
        assert_ne!(imputed, "0.00");
        let explained =
            company.get(path(&payroll, &format!("/employees/{ana}/explain"))).await.is(200).text();
        let figure = explained.split("{\"figure\":\"imputed_income:").nth(1).unwrap();
        assert_eq!(figure.split("\"result\":\"").nth(1).unwrap().split('"').next().unwrap(), imputed);
    });
}

#[test]
fn a_paycheck_is_explained_from_what_it_was_calculated_from_even_when_the_records_have_changed() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, job) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        let explain = path(&payroll, &format!("/employees/{ana}/explain"));
        company.get(&explain).await.refused(404);
        company.calculate(&payroll).await;
        let told = company.get(&explain).await.ok();
        assert_eq!(told["gross_pay"], "1600.00");
        let figures = told["figures"].to_string();
        for named in ["gross_pay", "net_pay", "social_security", "federal_income_tax"] {
            assert!(figures.contains(named), "{named}");
        }
        let raise = json!({ "rate": "99.00", "payment_unit": "Hour", "flsa_status": "Nonexempt" });
        company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), raise).await.created();
        assert_eq!(company.get(&explain).await.ok(), told);
        let stub = company.get(path(&payroll, &format!("/employees/{ana}/pay_stub"))).await.is(200);
        assert_eq!(stub.header("content-type"), "application/pdf");
        assert!(stub.body.starts_with(b"%PDF-"));
        let other = path(&payroll, &format!("/employees/{NOBODY}/explain"));
        company.get(other).await.refused(404);
    });
}

#[test]
fn sums_of_the_year_come_along_until_the_first_payroll_has_paid() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let balances = format!("/v1/employees/{ana}/opening_balances");
        let body = json!({ "year": 2026, "wages": [{ "name": "gross", "amount": "184000.00" },
                                                   { "name": "social_security", "amount": "184000.00" }],
                           "taxes": [{ "code": "US_SS", "amount": "11408.00" }] });
        let put = company.put(&balances, body.clone()).await.ok();
        assert_eq!(
            (&put["wages"]["gross"], &put["taxes"]["US_SS"]),
            (&json!("184000.00"), &json!("11408.00"))
        );
        assert_eq!(company.get(&balances).await.list(), [put]);
        let told = paid_hours(&company, &payroll, &ana, "80").await;
        assert_eq!(number(&line(&of(&told, &ana)["taxes"], "Social Security")["amount"]), "31.00");
        company.submit(&payroll).await;
        assert_eq!(company.put(&balances, body).await.refused(422).fault(), ("base", "invalid_operation"));
    });
}

#[test]
fn opening_balances_that_cannot_be_are_refused_and_change_nothing() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let balances = format!("/v1/employees/{ana}/opening_balances");
        let of = |gross: &str, net: &str, tax: &str| {
            json!({ "year": 2026, "wages": [{ "name": "gross", "amount": gross }, { "name": "net", "amount": net }],
                    "taxes": [{ "code": "US_SS", "amount": tax }] })
        };
        let put = company.put(&balances, of("10000.00", "9000.00", "620.00")).await.ok();
        for (wrong, field) in [
            (of("10000.00", "10000.01", "620.00"), "wages"),
            (of("10000.00", "9000.00", "10000.01"), "taxes"),
            // A tenth of a cent.
            (of("10000.001", "9000.00", "620.00"), "amount"),
            // 6.2 % of the wage base, 184,500.
            (of("300000.00", "200000.00", "12000.00"), "taxes"),
        ] {
            assert_eq!(company.put(&balances, wrong).await.refused(422).fault().0, field);
        }
        assert_eq!(company.get(&balances).await.list(), [put]);
    });
}

#[test]
fn benefits_of_a_paycheck_are_told_to_tokens_that_may_read_them_and_health_plans_to_those_that_may_read_health_information()
 {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        for (kind, name) in [(1, "Medical"), (5, "401(k)")] {
            let offered = json!({ "benefit_type": kind, "description": name });
            let offered =
                id_of(&company.post("/v1/companies/{company}/company_benefits", offered).await.created());
            let held = json!({ "company_benefit_uuid": offered, "employee_deduction": "50.00",
                               "effective_date": "2026-06-01" });
            company.post(format!("/v1/employees/{ana}/employee_benefits"), held).await.created();
        }
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        for (scopes, told) in [
            ("payrolls:read", [].as_slice()),
            ("payrolls:read employee_benefits:read", &["401(k)"]),
            ("payrolls:read employee_benefits:read employee_benefits:read:phi", &["Medical", "401(k)"]),
        ] {
            let read = read(&company.with_scopes(scopes).await, &payroll, "benefits").await;
            let names = of(&read, &ana)["benefits"].as_array().unwrap().iter().map(|one| text(one, "name"));
            assert_eq!(names.collect::<Vec<_>>(), told, "{scopes}");
        }
    });
}

#[test]
fn a_bonus_takes_benefits_once_more_unless_it_says_that_regular_deductions_are_left_out() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let offered = json!({ "benefit_type": 5, "description": "401(k)" });
        let offered =
            id_of(&company.post("/v1/companies/{company}/company_benefits", offered).await.created());
        let held = json!({ "company_benefit_uuid": offered, "employee_deduction": "50.00", "effective_date": "2026-06-01" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), held).await.created();
        for (sent, skips) in [(json!(null), false), (json!(false), false), (json!(true), true)] {
            let body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-01", "end_date": "2026-06-14",
                               "employee_uuids": [ana], "skip_regular_deductions": sent });
            let bonus = company.post("/v1/companies/{company}/payrolls", body).await.ok();
            assert_eq!(bonus["skip_regular_deductions"], skips, "{sent}");
            let bonus = id_of(&bonus);
            enter(
                &company,
                &bonus,
                &ana,
                json!({ "fixed_compensations": [{ "name": "Bonus", "amount": "900.00" }] }),
            )
            .await
            .ok();
            company.calculate(&bonus).await;
            let told = read(&company, &bonus, "benefits").await;
            let benefits = of(&told, &ana)["benefits"].as_array().unwrap();
            assert_eq!(
                benefits.iter().map(|one| number(&one["employee_deduction"])).collect::<Vec<_>>(),
                if skips { vec![] } else { vec!["50.00".to_owned()] },
                "{sent}"
            );
        }
    });
}
