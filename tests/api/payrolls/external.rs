//! What another provider paid earlier in the year: told pay date by pay date, finished, and counted from in every later payroll.
//! With it what else bears on the limits of an employee's deferrals.

use serde_json::{Value, json};

use super::{calculated, company, enter, explanation_of, hours, line, number, of, path, read};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

const BASE: &str = "/v1/companies/{company}/external_payrolls";

/// The number by which an external payroll names a tax.
fn tax(payroll: &Value, name: &str, employer: bool) -> Value {
    let taxes = payroll["applicable_taxes"].as_array().unwrap();
    let found = taxes.iter().find(|tax| tax["name"] == name && tax["employer_tax"] == employer);
    found.unwrap_or_else(|| panic!("{name} is not among {taxes:?}"))["id"].clone()
}

async fn march(company: &Company) -> Value {
    let days = json!({ "check_date": "2026-03-31", "payment_period_start_date": "2026-03-01",
                       "payment_period_end_date": "2026-03-31" });
    company.post(BASE, days).await.ok()
}

/// A 401(k) that an employee pays so much into.
async fn deferral(company: &Company, employee: &str, dollars: &str) -> String {
    let offered = json!({ "benefit_type": 5, "description": "401(k)" });
    let offered = id_of(&company.post("/v1/companies/{company}/company_benefits", offered).await.created());
    let held = json!({ "company_benefit_uuid": offered, "employee_deduction": dollars,
                       "effective_date": "2026-06-01" });
    company.post(format!("/v1/employees/{employee}/employee_benefits"), held).await.created();
    offered
}

fn amount_of(suggested: &Value, id: &Value) -> String {
    let taxes = suggested["tax_suggestions"].as_array().unwrap();
    text(taxes.iter().find(|tax| tax["tax_id"] == *id).unwrap(), "amount")
}

#[test]
fn wage_bases_limits_and_supplemental_wages_go_on_from_what_another_provider_paid() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        deferral(&company, &ana, "1000.00").await;
        let made = march(&company).await;
        let names: Vec<_> =
            made["applicable_taxes"].as_array().unwrap().iter().map(|tax| text(tax, "name")).collect();
        assert!(!names.contains(&"TX Withholding Tax".to_owned()), "Texas taxes no wages: {names:?}");
        let one = format!("{BASE}/{}", id_of(&made));
        let [income, security, medicare] =
            ["Federal Income Tax", "Social Security", "Medicare"].map(|name| tax(&made, name, false));
        // 180,000 of wages and a bonus of 4,000; 24,000 of it deferred.
        let earned = json!({ "external_payroll_items": [{ "employee_uuid": ana, "earnings": [
                { "earning_type": "CompanyPayType", "earning_id": 1, "amount": "180000.00", "hours": "480" },
                { "earning_type": "CompanyPayType", "earning_id": 5, "amount": "4000.00" }],
            "benefits": [{ "benefit_id": made["applicable_benefits"][0]["id"], "employee_deduction_amount": "24000.00",
                           "company_contribution_amount": "0.00" }] }] });
        company.put(&one, earned).await.ok();
        let suggested = company.get(format!("{one}/calculate_taxes")).await.list();
        // Deferrals are wages of both: 6.2 % and 1.45 % of 184,000. Of federal unemployment, 0.6 % of 7,000.
        assert_eq!(amount_of(&suggested[0], &security), "11408.00");
        assert_eq!(amount_of(&suggested[0], &medicare), "2668.00");
        assert_eq!(amount_of(&suggested[0], &tax(&made, "FUTA", true)), "42.00");
        // What is suggested can be sent as it came.
        let as_it_came: Vec<_> = suggested[0]["tax_suggestions"].as_array().unwrap().clone();
        let sent = json!({ "replace_fields": true,
                           "external_payroll_items": [{ "employee_uuid": ana, "taxes": as_it_came }] });
        company.put(&one, sent).await.ok();
        let withheld = json!({ "replace_fields": true, "external_payroll_items": [{ "employee_uuid": ana, "taxes": [
            { "tax_id": income, "amount": "30000.00" }, { "tax_id": security, "amount": "11408.00" },
            { "tax_id": medicare, "amount": "2668.00" }] }] });
        let told = company.put(&one, withheld).await.ok();
        assert_eq!(told["external_payroll_items"][0]["earnings"].as_array().unwrap().len(), 2, "they stay");
        let owed = company.get(format!("{BASE}/tax_liabilities")).await.list();
        let owed = owed.iter().find(|owed| owed["tax_id"] == security).unwrap();
        assert_eq!(owed["possible_liabilities"][0]["liability_amount"], "0.00");
        assert_eq!(owed["possible_liabilities"][1]["liability_amount"], "11408.00");
        let select = json!({ "liability_selections": [{ "tax_id": security,
            "last_unpaid_external_payroll_uuid": id_of(&made), "unpaid_liability_amount": "11408.00" }] });
        company.put(format!("{BASE}/tax_liabilities"), select).await.ok();

        company.put(format!("{BASE}/tax_liabilities/finish"), json!({})).await.is(202);
        company.work().await;
        assert_eq!(company.get(&one).await.ok()["status"], "processed");
        let steps = "/v1/companies/{company}/onboarding_status?additional_steps=external_payroll";
        assert_eq!(company.get(steps).await.ok()["onboarding_steps"][9]["completed"], true);
        let opened = company.get(format!("/v1/employees/{ana}/opening_balances")).await.list();
        let wages = json!({ "gross": "184000.00", "net": "115924.00", "social_security": "184000.00",
                            "medicare": "184000.00", "futa": "7000.00", "supplemental": "4000.00" });
        assert_eq!(opened[0]["wages"], wages);
        assert_eq!(opened[0]["taxes"]["US_FIT"], "30000.00");
        assert_eq!(opened[0]["benefits"][0]["employee_deduction"], "24000.00");

        // What was read is taken as it is, and takes nothing of what the external payroll left besides: FUTA is still paid up below.
        let back = company.put(format!("/v1/employees/{ana}/opening_balances"), opened[0].clone()).await.ok();
        assert_eq!(back, opened[0]);
        let mut wrong = opened[0].clone();
        wrong["wages"] = json!({ "gross": "184000.00", "tips": "1.00" });
        let refused = company.put(format!("/v1/employees/{ana}/opening_balances"), wrong).await.refused(422);
        assert!(refused.0[0].to_string().contains("supplemental"), "{:?}", refused.0);
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        let told = read(&company, &payroll, "taxes,benefits").await;
        let paid = of(&told, &ana);
        // 500 are left of the base of 184,500; Medicare has no base; federal unemployment is paid up.
        assert_eq!(number(&line(&paid["taxes"], "Social Security")["amount"]), "31.00");
        assert_eq!(number(&line(&paid["taxes"], "Medicare")["amount"]), "23.20");
        assert_eq!(line(&paid["taxes"], "FUTA")["amount"].as_f64().unwrap_or(0.0), 0.0);
        // 500 are left of the limit of 24,500.
        assert_eq!(number(&paid["benefits"][0]["employee_deduction"]), "500.00");
        let explained = explanation_of(&company, &payroll, &ana).await.to_string();
        assert!(explained.contains("184000.00") && explained.contains("24000.00"), "{explained}");
    });
}

#[test]
fn an_external_payroll_takes_only_what_can_have_been_and_is_final_when_it_was_finished() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        for (check, start, end, field) in [
            ("2026-12-31", "2026-03-01", "2026-03-31", "check_date"),
            ("2025-12-31", "2025-12-01", "2025-12-31", "check_date"),
            ("2026-03-31", "2026-03-31", "2026-03-01", "payment_period_end_date"),
        ] {
            let days = json!({ "check_date": check, "payment_period_start_date": start,
                               "payment_period_end_date": end });
            assert_eq!(company.post(BASE, days).await.refused(422).fault().0, field);
        }
        let finish = format!("{BASE}/tax_liabilities/finish");
        assert_eq!(company.put(&finish, json!({})).await.refused(422).fault(), ("base", "invalid_operation"));
        let made = march(&company).await;
        let one = format!("{BASE}/{}", id_of(&made));
        let nothing = company.get(format!("{one}/calculate_taxes")).await.refused(422);
        assert_eq!(nothing.fault(), ("base", "invalid_operation"));
        let medicare = tax(&made, "Medicare", false);
        for item in [
            json!({ "employee_uuid": id_of(&made) }),
            json!({ "employee_uuid": ana, "earnings": [{ "earning_id": 99, "amount": "1.00" }] }),
            json!({ "employee_uuid": ana, "earnings": [{ "earning_id": 1, "amount": "1.005" }] }),
            json!({ "employee_uuid": ana, "benefits": [{ "benefit_id": 1 }] }),
            json!({ "employee_uuid": ana, "taxes": [{ "tax_id": 1, "amount": "1.00" }] }),
            json!({ "employee_uuid": ana, "earnings": [{ "earning_id": 1, "amount": "10.00" }],
                    "taxes": [{ "tax_id": medicare, "amount": "10.01" }] }),
        ] {
            company.put(&one, json!({ "external_payroll_items": [item] })).await.refused(422);
        }
        assert_eq!(company.get(&one).await.ok()["external_payroll_items"], json!([]));
        let earned = json!({ "employee_uuid": ana, "earnings": [{ "earning_id": 1, "amount": "10.00" }],
                             "taxes": [{ "tax_id": medicare, "amount": "0.15" }] });
        company.put(&one, json!({ "external_payroll_items": [earned] })).await.ok();
        let selection = |amount: &str| {
            json!({ "liability_selections": [{ "tax_id": medicare,
            "last_unpaid_external_payroll_uuid": id_of(&made), "unpaid_liability_amount": amount }] })
        };
        company.put(format!("{BASE}/tax_liabilities"), selection("0.16")).await.refused(422);
        company.put(format!("{BASE}/tax_liabilities"), selection("0.15")).await.ok();
        let other = company.world.company().await;
        other
            .get(format!("/v1/companies/{}/external_payrolls/{}", other.id, id_of(&made)))
            .await
            .refused(404);
        company.put(&finish, json!({})).await.is(202);
        company.put(&one, json!({ "external_payroll_items": [] })).await.refused(422);
        company.work().await;
        company.delete(&one).await.refused(422);
        let types = company.events().await.into_iter().map(|event| event.event_type);
        let types: Vec<_> = types.filter(|name| name.starts_with("external_payroll")).collect();
        assert_eq!(types[0], "external_payroll.created");
        assert!(types[1..].iter().all(|name| name == "external_payroll.updated") && types.len() >= 4);
    });
}

#[test]
fn whoever_was_paid_here_in_the_year_cannot_be_told_an_earlier_pay_any_more() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let made = march(&company).await;
        let earned = json!({ "employee_uuid": ana, "earnings": [{ "earning_id": 1, "amount": "10.00" }] });
        let one = format!("{BASE}/{}", id_of(&made));
        company.put(&one, json!({ "external_payroll_items": [earned] })).await.ok();
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        let refused = company.put(path(&payroll, "/submit"), json!({})).await.refused(422);
        assert!(refused.message().contains("are unfinished"), "{}", refused.message());
        company.delete(&one).await.deleted();
        company.submit(&payroll).await;
        let made = march(&company).await;
        let one = format!("{BASE}/{}", id_of(&made));
        let earned = json!({ "employee_uuid": ana, "earnings": [{ "earning_id": 1, "amount": "10.00" }] });
        let refused = company.put(&one, json!({ "external_payroll_items": [earned] })).await.refused(422);
        assert_eq!(refused.fault().0, "employee_uuid");
        assert!(refused.message().contains("no payroll of 2026 or later has paid"), "{}", refused.message());
        assert_eq!(company.get(&one).await.ok()["external_payroll_items"], json!([]));
        assert_eq!(company.get(&one).await.ok()["metadata"]["deletable"], true);
        company.delete(&one).await.deleted();
        assert_eq!(company.get(BASE).await.list(), [] as [Value; 0]);
    });
}

#[test]
fn those_who_come_over_later_are_told_although_others_were_paid_here_meanwhile() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let told = async |employee: &str, amount: &str| {
            let one = format!("{BASE}/{}", id_of(&march(&company).await));
            let earned =
                json!({ "employee_uuid": employee, "earnings": [{ "earning_id": 1, "amount": amount }] });
            company.put(&one, json!({ "external_payroll_items": [earned] })).await.ok();
            company.put(format!("{BASE}/tax_liabilities/finish"), json!({})).await.is(202);
            one
        };
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        told(&ana, "10000.00").await;
        let submit = path(&payroll, "/submit");
        let refused = company.put(&submit, json!({})).await.refused(422);
        assert!(refused.message().contains("are being finished"), "{}", refused.message());
        company.work().await;
        let refused = company.put(&submit, json!({})).await.refused(422);
        assert!(refused.message().contains("Calculate the payroll"), "{}", refused.message());
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let opened = company.get(format!("/v1/employees/{ana}/opening_balances")).await.list();

        let (ben, _) = company.onboarded("Ben", &location, ("20.00", "Hour", "Nonexempt")).await;
        let second = told(&ben, "5000.00").await;
        company.work().await;
        assert_eq!(company.get(&second).await.ok()["status"], "processed");
        let balances = company.get(format!("/v1/employees/{ben}/opening_balances")).await.list();
        assert_eq!(balances[0]["wages"]["gross"], "5000.00");
        let still = company.get(format!("/v1/employees/{ana}/opening_balances")).await.list();
        assert_eq!(still, opened, "those who were told before stay as they are");
    });
}

#[test]
fn payrolls_of_another_provider_are_listed_with_those_of_the_service_where_they_are_asked_for() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let made = march(&company).await;
        let listed = async |of: &str| {
            let listed = company
                .get(format!("/v1/companies/{{company}}/payrolls?{of}&end_date=2026-07-31"))
                .await
                .list();
            let told = |one: &Value| (id_of(one), one["external"] == true, one["processed"] == true);
            listed.iter().map(told).collect::<Vec<_>>()
        };
        assert_eq!(listed("payroll_types=external").await, [], "it was not finished");
        let unprocessed = listed("payroll_types=external&processing_statuses=unprocessed").await;
        assert_eq!(unprocessed, [(id_of(&made), true, false)]);
        let earned = json!({ "employee_uuid": ana, "earnings": [{ "earning_id": 1, "amount": "10.00" }] });
        let one = format!("{BASE}/{}", id_of(&made));
        company.put(&one, json!({ "external_payroll_items": [earned] })).await.ok();
        company.put(format!("{BASE}/tax_liabilities/finish"), json!({})).await.is(202);
        company.work().await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        assert_eq!(listed("payroll_types=external").await, [(id_of(&made), true, true)]);
        let (elsewhere, here) = ((id_of(&made), true, true), (payroll.clone(), false, true));
        let both = "payroll_types=external,regular";
        assert_eq!(listed(both).await, [elsewhere.clone(), here.clone()], "by pay date");
        assert_eq!(
            listed(&format!("{both}&sort_order=desc&page=1&per=1")).await,
            std::slice::from_ref(&here)
        );
        assert_eq!(listed(&format!("{both}&sort_order=desc&page=2&per=1")).await, [elsewhere]);
        assert_eq!(listed("payroll_types=regular").await, [here]);
        assert_eq!(listed("payroll_types=external&start_date=2026-04-01").await, []);
    });
}

#[test]
fn a_payroll_that_was_calculated_before_balances_were_put_is_calculated_again() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        let balances = json!({ "year": 2026, "wages": [{ "name": "gross", "amount": "190000.00" },
            { "name": "social_security", "amount": "184500.00" }, { "name": "medicare", "amount": "190000.00" },
            { "name": "futa", "amount": "7000.00" }] });
        company.put(format!("/v1/employees/{ana}/opening_balances"), balances).await.ok();
        let refused = company.put(path(&payroll, "/submit"), json!({})).await.refused(422);
        assert!(refused.message().contains("Calculate the payroll"), "{}", refused.message());
        let paid = calculated(&company, &payroll).await;
        let taxes = &of(&paid, &ana)["taxes"];
        assert!(line(taxes, "Social Security").is_null(), "the wage base is used up: {taxes}");
        assert_eq!(number(&line(taxes, "Medicare")["amount"]), "23.20");
    });
}

#[test]
fn what_a_401k_at_another_company_took_counts_towards_the_limit_of_the_person() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        deferral(&company, &ana, "1000.00").await;
        let path = format!("/v1/employees/{ana}/ytd_benefit_amounts_from_different_company");
        let took = |kind: i64, year: i64, dollars: &str| json!({ "benefit_type": kind, "tax_year": year, "ytd_employee_deduction_amount": dollars });
        assert_eq!(company.post(&path, took(6, 2026, "1.00")).await.refused(422).fault().0, "benefit_type");
        assert_eq!(company.post(&path, took(5, 1999, "1.00")).await.refused(422).fault().0, "tax_year");
        company.post(&path, took(5, 2026, "1.00")).await.is(204);
        company.post(&path, took(5, 2026, "24400.00")).await.is(204);
        let told = company.get(&path).await.list();
        assert_eq!(told.len(), 1, "the last one counts");
        assert_eq!(told[0]["ytd_employee_deduction_amount"], "24400.00");
        assert_eq!(told[0]["ytd_company_contribution_amount"], "0.00");
        assert_eq!(company.get(format!("{path}?tax_year=2025")).await.list(), [] as [Value; 0]);
        company.get(format!("{path}?tax_year=1")).await.refused(422);
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        let paid = read(&company, &payroll, "benefits").await;
        assert_eq!(number(&of(&paid, &ana)["benefits"][0]["employee_deduction"]), "100.00");
        explanation_of(&company, &payroll, &ana).await;
    });
}

#[test]
fn it_is_decided_once_for_a_year_whether_catch_up_contributions_have_to_be_roth_contributions() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let path = format!("/v1/employees/{ana}/section603_high_earner_statuses");
        assert_eq!(company.get(&path).await.list(), [] as [Value; 0]);
        let decided = json!({ "effective_year": 2026, "is_high_earner": true });
        let made = company.post(&path, decided.clone()).await.created();
        assert_eq!((&made["effective_year"], &made["is_high_earner"]), (&json!(2026), &json!(true)));
        company.post(&path, decided).await.refused(409);
        company.get(format!("{path}/2027")).await.refused(404);
        company.get(format!("{path}/soon")).await.refused(422);
        let call = company.call("PATCH", format!("{path}/2026")).json(&json!({ "is_high_earner": false }));
        assert_eq!(call.send().await.ok()["is_high_earner"], false);
        assert_eq!(company.get(format!("{path}/2026")).await.ok()["id"], made["id"]);
    });
}

#[test]
fn taxes_by_the_hour_follow_from_the_hours_that_are_told_or_from_the_salary() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let portland = id_of(&company.location("OR").await);
        let (ana, _) = company.onboarded("Ana", &portland, ("65000.00", "Year", "Exempt")).await;
        let (ben, _) = company.onboarded("Ben", &portland, ("20.00", "Hour", "Nonexempt")).await;
        company.answer_state("OR").await;
        let made = march(&company).await;
        let one = format!("{BASE}/{}", id_of(&made));
        let fund = [false, true].map(|employer| tax(&made, "OR WBF", employer));
        let suggested = async |earnings: Value| {
            let items: Vec<_> = [&ana, &ben]
                .iter()
                .zip(earnings.as_array().unwrap())
                .map(|(who, earned)| json!({ "employee_uuid": who, "earnings": earned }))
                .collect();
            let body = json!({ "replace_fields": true, "external_payroll_items": items });
            company.put(&one, body).await.ok();
            let told = company.get(format!("{one}/calculate_taxes")).await.list();
            let of = |who: &str| told.iter().find(|one| one["employee_uuid"] == who).unwrap();
            [of(&ana), of(&ben)].map(|told| fund.each_ref().map(|id| amount_of(told, id)))
        };
        // A twelfth of 2,080 hours, and the 80 that were told, at 0.9 cents.
        let salary = json!({ "earning_id": 4, "amount": "5416.67" });
        let worked = json!({ "earning_id": 1, "amount": "1600.00", "hours": "80" });
        let both = suggested(json!([[salary], [worked]])).await;
        assert_eq!(both, [["1.56", "1.56"], ["0.72", "0.72"]]);
        // Less hours off; hours of a salary that are told count as they are, and a bonus has none.
        let off = json!({ "earning_id": 11, "amount": "500.00", "hours": "20" });
        let bonus = json!({ "earning_id": 5, "amount": "1000.00", "hours": "0" });
        let both = suggested(json!([[salary, off], [bonus, worked]])).await;
        assert_eq!(both, [["1.38", "1.38"], ["0.72", "0.72"]]);
    });
}

#[test]
fn group_term_life_insurance_counts_by_its_coverage_whatever_the_company_paid() {
    on_both_engines(async |engine: Engine| {
        let (company, location, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("52000.00", "Year", "Exempt")).await;
        let offered = json!({ "benefit_type": 107, "description": "Life" });
        let offered = company.post("/v1/companies/{company}/company_benefits", offered).await.created();
        let held = json!({ "company_benefit_uuid": id_of(&offered), "coverage_amount": "200000.00",
                           "company_contribution": "20.00", "effective_date": "2026-01-01" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), held).await.created();
        let made = march(&company).await;
        let one = format!("{BASE}/{}", id_of(&made));
        let body = json!({ "external_payroll_items": [{ "employee_uuid": ana,
            "earnings": [{ "earning_id": 4, "amount": "4000.00" }],
            "benefits": [{ "benefit_id": made["applicable_benefits"][0]["id"],
                           "company_contribution_amount": "20.00", "employee_deduction_amount": "0.00" }] }] });
        company.put(&one, body).await.ok();
        let suggested = company.get(format!("{one}/calculate_taxes")).await.list();
        // 150 thousands above what is free, at 9 cents a month for whoever is 35 to 39: 13.50, not the 20.00.
        let medicare = tax(&made, "Medicare", false);
        assert_eq!(amount_of(&suggested[0], &medicare), "58.20");
        let security = tax(&made, "Social Security", false);
        assert_eq!(amount_of(&suggested[0], &security), "248.84");
    });
}
