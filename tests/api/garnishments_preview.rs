//! What would be taken from a given pay, and why: every explanation is worked out again from its tree alone.

use domain::platform::confirmations;
use domain::{Error, datasets};
use rules::Amount;
use serde_json::{Value, json};
use store::{Tx, params};

use crate::evaluator;
use crate::support::{Company, Engine, NOBODY, id_of, on_both_engines, text};

/// An employee who works in a state, without a job and without certificates.
async fn hired(company: &Company, state: &str) -> String {
    let employee = id_of(&company.employee("Ana").await);
    let location = company.location(state).await;
    company.work_address(&employee, &id_of(&location)).await;
    employee
}

async fn order(company: &Company, employee: &str, fields: Value) -> String {
    let mut body = json!({
        "court_ordered": true, "garnishment_type": "child_support", "deduct_as_percentage": true, "amount": "50",
        "pay_period_maximum": "700",
        "child_support": { "state": "TX", "payment_period": "Monthly", "fips_code": "48000", "case_number": "TX-1" }
    });
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    id_of(&company.post(format!("/v1/employees/{employee}/garnishments"), body).await.created())
}

fn amounts(told: &Value) -> Vec<String> {
    told["deductions"].as_array().unwrap().iter().map(|one| text(one, "amount")).collect()
}

fn warnings(told: &Value) -> Vec<String> {
    told["warnings"].as_array().unwrap().iter().map(|one| text(one, "key")).collect()
}

/// The amount of a tax.
fn tax(told: &Value, name: &str) -> String {
    let taxes = told["pay"]["taxes"].as_array().unwrap();
    text(taxes.iter().find(|tax| tax["name"] == name).unwrap(), "amount")
}

/// Works out every figure again.
fn check(told: &Value) {
    let nodes = told["explanation"].as_array().unwrap();
    assert!(!nodes.is_empty());
    for node in nodes {
        evaluator::check(node).unwrap_or_else(|fault| panic!("{fault}: {node:#}"));
    }
}

#[test]
fn two_orders_share_what_the_state_of_work_leaves_and_each_figure_can_be_worked_out_again() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = hired(&company, "TX").await;
        let first = order(&company, &employee, json!({})).await;
        let second = order(&company, &employee, json!({ "pay_period_maximum": "350" })).await;
        let loan = json!({ "court_ordered": true, "garnishment_type": "student_loan", "amount": "100", "recurring": true });
        company.post(format!("/v1/employees/{employee}/garnishments"), loan).await.created();
        let path = format!("/v1/employees/{employee}/garnishments/preview?gross=1300&pay_frequency=Monthly");
        let told = company.get(&path).await.ok();
        check(&told);
        // 80.60 Social Security and 18.85 Medicare leave 1,200.55; nothing is withheld at so little a month, and Texas
        // taxes no wages. Half of it is 600.27, in equal parts, of which neither order needs less.
        assert_eq!(told["pay"]["disposable_earnings"], "1200.55");
        assert_eq!((&told["pay"]["state"], warnings(&told)), (&json!("TX"), vec!["no_form_w4".into()]));
        assert_eq!(amounts(&told), ["300.14", "300.13", "0.00"]);
        assert_eq!(told["total"], "600.27");

        let one = company
            .get(format!("/v1/garnishments/{second}/explain?gross=1300&pay_frequency=Monthly"))
            .await
            .ok();
        check(&one);
        assert_eq!(
            (&one["deduction"]["amount"], &one["garnishment_uuid"]),
            (&json!("300.13"), &json!(second))
        );
        assert_eq!(one["others"].as_array().unwrap().len(), 2);
        let figures: Vec<_> =
            one["explanation"].as_array().unwrap().iter().map(|node| text(node, "figure")).collect();
        assert!(
            figures.contains(&format!("deduction {second}"))
                && !figures.contains(&format!("deduction {first}"))
        );
        for name in ["federal_income_tax", "social_security", "medicare", "disposable_earnings"] {
            assert!(figures.iter().any(|figure| figure == name), "{name} is missing in {figures:?}");
        }
    });
}

#[test]
fn without_a_given_pay_the_primary_job_and_the_pay_schedule_say_it() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = hired(&company, "TX").await;
        let id = order(&company, &employee, json!({})).await;
        let path = format!("/v1/garnishments/{id}/explain");
        assert_eq!(company.get(&path).await.refused(422).fault(), ("gross", "missing_parameter"));
        let job = company.job(&employee, "Cook", "2026-01-05").await;
        company.pay(&job, "52000", "Year", "Exempt").await;
        // What somebody earns is not for everybody who sees garnishments.
        let garnishments = company.with_scopes("garnishments:read").await;
        let of_employee = format!("/v1/employees/{employee}/garnishments/preview");
        for path in [&path, &of_employee] {
            let refused = garnishments.get(path).await.refused(403);
            assert!(refused.message().contains("compensations:read"), "{}", refused.message());
            garnishments.get(format!("{path}?gross=1000")).await.is(200);
        }
        let told = company.get(&path).await.ok();
        check(&told);
        assert_eq!(
            (&told["pay"]["gross"], &told["pay"]["pay_frequency"]),
            (&json!("2000.00"), &json!("Every other week"))
        );
        assert_eq!(
            (&told["pay"]["gross_is_assumed"], &told["pay"]["pay_frequency_is_assumed"]),
            (&json!(true), &json!(true))
        );
        // 700.00 a month are 323.08 every other week.
        assert_eq!(told["deduction"]["amount"], "323.08");
    });
}

#[test]
fn what_is_not_known_is_said() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = id_of(&company.employee("Ana").await);
        order(&company, &employee, json!({ "amount": "80" })).await;
        let path =
            format!("/v1/employees/{employee}/garnishments/preview?gross=1000&pay_frequency=Every%20week");
        let nowhere = company.get(&path).await.ok();
        check(&nowhere);
        assert_eq!(nowhere["pay"]["state"], Value::Null);
        assert_eq!(warnings(&nowhere), ["state_tax_not_withheld", "no_form_w4"]);
        let missing = nowhere["explanation"].to_string();
        assert!(missing.contains("No order says whether the employee supports another family"));
        let supplied = company.get(format!("{path}&state_income_tax=40")).await.ok();
        check(&supplied);
        assert_eq!(
            (tax(&supplied, "state_income_tax"), warnings(&supplied)),
            ("40.00".into(), vec!["no_form_w4".into()])
        );

        // Maryland's tax includes the county's: without an address the rate for that is withheld.
        let location = company.location("MD").await;
        company.work_address(&employee, &id_of(&location)).await;
        let without_county = company.get(&path).await.ok();
        assert_eq!(without_county["pay"]["state"], "MD");
        assert_eq!(warnings(&without_county), ["county_not_known", "no_form_w4", "no_state_certificate"]);
        assert_ne!(tax(&without_county, "state_income_tax"), "0.00");
        let untaxed = hired(&company, "TX").await;
        let path = format!("/v1/employees/{untaxed}/garnishments/preview?gross=1000&state_income_tax=40");
        let told = company.get(path).await.ok();
        assert_eq!(tax(&told, "state_income_tax"), "0.00");
        assert_eq!(warnings(&told), ["no_form_w4", "state_income_tax_not_used"]);
    });
}

#[test]
fn a_county_of_maryland_takes_its_rate_or_its_schedule_by_the_address() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        // Montgomery's rate, the schedule of Anne Arundel (Withholding Tax Facts 2026), and the rate of nonresidents.
        for (city, state, zip, tax_of_week) in [
            ("Rockville", "MD", "20850", "69.41"),
            ("Annapolis", "MD", "21401", "65.04"),
            ("Dover", "DE", "19901", "61.12"),
        ] {
            let employee = hired(&company, "MD").await;
            let home = json!({ "street_1": "5 Elm Row", "city": city, "state": state, "zip": zip });
            company.post(format!("/v1/employees/{employee}/home_addresses"), home).await.created();
            let given = "gross=1000&pay_frequency=Every%20week&check_date=2026-07-02";
            let told =
                company.get(format!("/v1/employees/{employee}/garnishments/preview?{given}")).await.ok();
            check(&told);
            assert_eq!(tax(&told, "state_income_tax"), tax_of_week, "{city}");
            let names = told["pay"]["taxes"].as_array().unwrap().iter().map(|tax| text(tax, "name"));
            assert_eq!(
                names.filter(|name| name.starts_with("MD_")).count(),
                0,
                "{city}: it is no tax of its own"
            );
            assert!(!warnings(&told).contains(&"county_not_known".to_owned()), "{city}");
        }
    });
}

#[test]
fn a_preview_comes_to_what_a_payroll_takes_and_counts_what_was_taken_before() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let brooklyn = id_of(&company.location("NY").await);
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-18",
                               "anchor_end_of_pay_period": "2026-06-14" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        let (ana, _) = company.onboarded("Ana", &brooklyn, ("83200.00", "Year", "Exempt")).await;
        let federal = format!("/v1/employees/{ana}/federal_taxes");
        let w4 = json!({ "version": company.get(&federal).await.ok()["version"], "w4_data_type": "rev_2020_w4",
                         "filing_status": "Head of Household", "two_jobs": false, "dependents_amount": "2000",
                         "other_income": "0", "deductions": "0", "extra_withholding": "0" });
        company.put(&federal, w4).await.ok();
        let offered = json!({ "benefit_type": 5, "description": "401(k)" });
        let offered = company.post("/v1/companies/{company}/company_benefits", offered).await.created();
        let held = json!({ "company_benefit_uuid": id_of(&offered), "employee_deduction": "100.00",
                           "effective_date": "2026-06-01" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), held).await.created();
        let balances =
            json!({ "year": 2026, "wages": [{ "name": "social_security", "amount": "184000.00" }] });
        company.put(format!("/v1/employees/{ana}/opening_balances"), balances).await.ok();
        let fields = json!({ "pay_period_maximum": "650", "total_amount": "500" });
        let id = order(&company, &ana, fields).await;

        // Nothing is given: what the job pays on the schedule, on the pay date of the payroll.
        let path = format!("/v1/employees/{ana}/garnishments/preview?check_date=2026-06-19");
        let told = company.get(&path).await.ok();
        check(&told);
        let missing = vec!["no_state_certificate".to_owned()];
        assert_eq!((warnings(&told), &told["pay"]["gross"]), (missing, &json!("3200.00")));
        // Of 184,500, the wage base of 2026, 500 are left; 650 a month are 300 every other week.
        assert_eq!((tax(&told, "social_security"), amounts(&told)), ("31.00".into(), vec!["300.00".into()]));

        let periods = company.get("/v1/companies/{company}/pay_periods").await.list();
        let payroll = text(&periods[0]["payroll"], "payroll_uuid");
        company.calculate(&payroll).await;
        let paid = company
            .get(format!("/v1/companies/{{company}}/payrolls/{payroll}?include=taxes,deductions"))
            .await
            .ok();
        let paid = &paid["employee_compensations"][0];
        let of_payroll = |name: &str| {
            let taxes = paid["taxes"].as_array().unwrap();
            taxes.iter().find(|tax| tax["name"] == name && tax["employer"] == false).unwrap()["amount"]
                .to_string()
        };
        for (named, name) in [
            ("federal_income_tax", "Federal Income Tax"),
            ("social_security", "Social Security"),
            ("medicare", "Medicare"),
            ("state_income_tax", "NY Withholding Tax"),
        ] {
            assert_eq!(tax(&told, named), of_payroll(name), "{name}");
        }
        assert_ne!(tax(&told, "state_income_tax"), "0.00");
        assert_eq!(paid["deductions"][0]["amount"].to_string(), amounts(&told)[0]);

        // Processed, it counts: the base is used up, and of the 500 in all 200 are left.
        company.submit(&payroll).await;
        let next = company.get(&path).await.ok();
        check(&next);
        assert_eq!((tax(&next, "social_security"), amounts(&next)), ("0.00".into(), vec!["200.00".into()]));
        company.put(format!("/v1/companies/{{company}}/payrolls/{payroll}/cancel"), json!({})).await.ok();
        company.work().await;
        assert_eq!(company.get(&path).await.ok(), told);
        let one = company.get(format!("/v1/garnishments/{id}/explain?check_date=2026-06-19")).await.ok();
        assert_eq!((&one["pay"], &one["deduction"]), (&told["pay"], &told["deductions"][0]));
    });
}

#[test]
fn a_preview_names_no_benefits_to_tokens_that_may_not_see_them_and_leaves_their_amounts() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let ana = hired(&company, "TX").await;
        for (kind, name) in [(1, "Gold plan"), (5, "Savings plan")] {
            let offered = json!({ "benefit_type": kind, "description": name });
            let offered =
                id_of(&company.post("/v1/companies/{company}/company_benefits", offered).await.created());
            let held = json!({ "company_benefit_uuid": offered, "employee_deduction": "50.00",
                               "effective_date": "2026-01-01" });
            company.post(format!("/v1/employees/{ana}/employee_benefits"), held).await.created();
        }
        // The agency's share leaves the employee the premiums, which its figures name.
        let loan = json!({ "court_ordered": true, "garnishment_type": "federal_loan", "amount": "100", "recurring": true });
        let loan = id_of(&company.post(format!("/v1/employees/{ana}/garnishments"), loan).await.created());
        let mut amounts_told = Vec::new();
        for (scopes, gold, savings) in [
            ("garnishments:read", false, false),
            ("garnishments:read employee_benefits:read", false, true),
            ("garnishments:read employee_benefits:read employee_benefits:read:phi", true, true),
        ] {
            let token = company.with_scopes(scopes).await;
            for path in [
                format!("/v1/employees/{ana}/garnishments/preview?gross=2000"),
                format!("/v1/garnishments/{loan}/explain?gross=2000"),
            ] {
                let told = token.get(&path).await.ok();
                let whole = told.to_string();
                for (word, is_told) in
                    [("Gold plan", gold), ("medical_insurance", gold), ("Savings plan", savings)]
                {
                    assert_eq!(whole.contains(word), is_told, "{word}, {scopes}: {whole}");
                }
                check(&told);
                amounts_told.push(text(&told["pay"], "disposable_earnings"));
            }
        }
        amounts_told.dedup();
        assert_eq!(amounts_told.len(), 1, "the amounts are the same for everybody");
    });
}

store::statements! {
    SWEPT = "DELETE FROM payroll_results WHERE company_id = $1";
    LEFT = "SELECT count(*) FROM garnishment_withholdings WHERE company_id = $1";
}

#[test]
fn what_a_cancelled_payroll_took_is_given_back_although_its_results_are_gone() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-18",
                               "anchor_end_of_pay_period": "2026-06-14" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        let (ana, _) = company.onboarded("Ana", &location, ("1600.00", "Week", "Exempt")).await;
        order(&company, &ana, json!({ "total_amount": "500" })).await;
        let path = format!("/v1/employees/{ana}/garnishments/preview?check_date=2026-06-19");
        let before = company.get(&path).await.ok();
        let periods = company.get("/v1/companies/{company}/pay_periods").await.list();
        let payroll = text(&periods[0]["payroll"], "payroll_uuid");
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        assert_ne!(amounts(&company.get(&path).await.ok()), amounts(&before));
        let id = company.id;
        let left = async || {
            let read = move |tx: &mut Tx<'_>| {
                Ok::<_, Error>(tx.find_row(LEFT, params![id], |row| row.get::<i64>(0))?)
            };
            company.world.app.store.read(read).await.unwrap().unwrap()
        };
        assert_eq!(left().await, 1);
        let swept = move |tx: &mut Tx<'_>| Ok::<_, Error>(tx.change_rows(SWEPT, params![id])?.rows());
        assert!(company.world.app.store.write(swept).await.unwrap() > 0);
        company.put(format!("/v1/companies/{{company}}/payrolls/{payroll}/cancel"), json!({})).await.ok();
        company.work().await;
        assert_eq!((left().await, amounts(&company.get(&path).await.ok())), (0, amounts(&before)));
    });
}

#[test]
fn what_was_taken_elsewhere_in_the_year_counts_for_a_preview() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = hired(&company, "TX").await;
        let fields = json!({ "annual_maximum": "1000", "total_amount": "5000" });
        let id = order(&company, &employee, fields).await;
        let taken = json!({ "year": 2026, "garnishments": [{ "uuid": id, "amount": "940", "total_amount": "4800", "times": 9 }] });
        company.put(format!("/v1/employees/{employee}/opening_balances"), taken).await.ok();
        let path = format!("/v1/garnishments/{id}/explain?gross=4000&pay_frequency=Monthly&check_date");
        let this_year = company.get(format!("{path}=2026-07-01")).await.ok();
        check(&this_year);
        assert_eq!(this_year["deduction"]["amount"], "60.00");
        // In another year the yearly maximum begins anew, and the total stays.
        let next_year = company.get(format!("{path}=2027-07-01")).await.ok();
        check(&next_year);
        assert_eq!(next_year["deduction"]["amount"], "200.00");
        assert!(warnings(&next_year).contains(&"tables_of_an_earlier_year".to_owned()));
    });
}

#[test]
fn a_preview_stores_nothing_and_refuses_what_it_cannot_read() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let employee = hired(&company, "TX").await;
        let path = format!("/v1/employees/{employee}/garnishments/preview");
        let golden = [
            ("gross=-1", "gross"),
            ("gross=1.001", "gross"),
            ("gross=much", "gross"),
            ("gross=5&pay_frequency=Daily", "pay_frequency"),
            ("gross=5&state_income_tax=x", "state_income_tax"),
            ("gross=5&check_date=2026-02-30", "check_date"),
            ("gross=5&check_date=2024-02-01", "check_date"),
        ];
        for (query, key) in golden {
            assert_eq!(company.get(format!("{path}?{query}")).await.refused(422).fault().0, key, "{query}");
        }
        let none = company.get(format!("{path}?gross=500")).await.ok();
        assert_eq!((&none["deductions"], &none["total"]), (&json!([]), &json!("0.00")));
        company.get(format!("/v1/employees/{NOBODY}/garnishments/preview?gross=5")).await.refused(404);
        company.get(format!("/v1/garnishments/{NOBODY}/explain?gross=5")).await.refused(404);
    });
}

#[test]
fn the_state_of_work_limits_creditors_and_publication_1494_a_levy() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let creditor = json!({ "court_ordered": true, "garnishment_type": "creditor_garnishment", "amount": "9000",
                               "recurring": true });
        // Texas lets creditors take nothing, New York a tenth of gross pay.
        for (state, taken) in [("TX", "0.00"), ("NY", "400.00")] {
            let employee = hired(&company, state).await;
            company.post(format!("/v1/employees/{employee}/garnishments"), creditor.clone()).await.created();
            let query = "gross=4000&pay_frequency=Monthly&state_income_tax=0";
            let path = format!("/v1/employees/{employee}/garnishments/preview?{query}");
            let told = company.get(path).await.ok();
            check(&told);
            assert_eq!(amounts(&told), [taken], "{state}");
        }
        let employee = hired(&company, "TX").await;
        let levy = json!({ "court_ordered": true, "garnishment_type": "federal_tax_lien", "amount": "0", "recurring": true,
                           "served_on": "2026-02-03", "tax_levy": { "filing_status": "single", "dependents": 1 } });
        let made = company.post(format!("/v1/employees/{employee}/garnishments"), levy).await.created();
        let expected = json!({ "filing_status": "single", "dependents": 1, "additional_standard_deductions": 0,
                               "year": null, "state": null });
        assert_eq!((&made["tax_levy"], &made["served_on"]), (&expected, &json!("2026-02-03")));
        let path = format!(
            "/v1/garnishments/{}/explain?gross=3000&pay_frequency=Monthly&check_date=2026-06-19",
            id_of(&made)
        );
        let told = company.get(path).await.ok();
        check(&told);
        // 1,341.67 and 441.67 a month of 2026 are exempt.
        let amount = |told: &Value, name: &str| Amount::parse(&text(told, name)).unwrap();
        let left =
            amount(&told["pay"], "disposable_earnings").checked_sub(amount(&told["deduction"], "amount"));
        assert_eq!(left.unwrap().to_text(2), "1783.34");
    });
}

#[test]
fn a_limit_from_memory_warns_until_the_operator_confirms_it() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let employee = hired(&company, "IL").await;
        let levy = json!({ "court_ordered": true, "garnishment_type": "state_tax_lien", "amount": "400", "recurring": true,
                           "tax_levy": { "state": "IL" } });
        company.post(format!("/v1/employees/{employee}/garnishments"), levy).await.created();
        let path = format!(
            "/v1/employees/{employee}/garnishments/preview?gross=2000&pay_frequency=Monthly&state_income_tax=0"
        );
        let told = company.get(&path).await.ok();
        let entered = text(&told, "total");
        assert!(
            warnings(&told).contains(&"garnishment_limit_not_applied".to_owned()),
            "{:?}",
            warnings(&told)
        );
        let confirm = |tx: &mut Tx<'_>| confirmations::set_confirmed(tx, &["IL_STATE_LEVY".to_owned()], true);
        company.world.app.store.write(confirm).await.unwrap();
        let told = company.get(&path).await.ok();
        check(&told);
        // 15 % of gross pay in the place of the amount that was entered.
        assert_eq!((entered, text(&told, "total")), ("400.00".to_owned(), "300.00".to_owned()));
        assert!(!warnings(&told).contains(&"garnishment_limit_not_applied".to_owned()));
    });
}

#[test]
fn fees_of_employers_are_imported_and_count_from_their_first_day_on() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let employee = hired(&company, "TX").await;
        order(&company, &employee, json!({ "employer_fee": true })).await;
        let fee = async |day: &str| {
            let given = format!("gross=3000&pay_frequency=Monthly&check_date={day}");
            let path = format!("/v1/employees/{employee}/garnishments/preview?{given}");
            let told = company.get(path).await.ok();
            check(&told);
            text(&told["deductions"][0], "employer_fee")
        };
        assert_eq!(fee("2026-09-01").await, "10.00");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("fees.csv");
        let import = async |row: &str| {
            let head =
                datasets::template_of_kind("employer-fees").unwrap().lines().next().unwrap().to_owned();
            std::fs::write(&file, format!("{head}\n{row}\n")).unwrap();
            let store = &company.world.app.store;
            datasets::import_file(store, "employer-fees", &file, Some("2027-01-01"), false, &|_, _| ()).await
        };
        let why = import("TX,support,2026-09-01,,-1,,,section,source,primary,").await.err().unwrap();
        assert!(why.contains("nothing was imported") && why.contains("negative"), "{why}");
        let done = import("TX,support,2026-09-01,,,12.00,,section,source,primary,").await.unwrap().to_text();
        assert!(done.contains("TX support from 2026-09-01"), "{done}");
        assert_eq!([fee("2026-08-31").await, fee("2026-09-01").await], ["10.00", "12.00"]);
    });
}

#[test]
fn an_imported_fee_in_doubt_is_taken_once_it_is_confirmed_and_another_amount_asks_again() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let employee = hired(&company, "TX").await;
        order(&company, &employee, json!({ "employer_fee": true })).await;
        let fee = async || {
            let given = "gross=3000&pay_frequency=Monthly&check_date=2026-10-01";
            let told =
                company.get(format!("/v1/employees/{employee}/garnishments/preview?{given}")).await.ok();
            check(&told);
            text(&told["deductions"][0], "employer_fee")
        };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("fees.csv");
        let import = async |amount: &str| {
            let head =
                datasets::template_of_kind("employer-fees").unwrap().lines().next().unwrap().to_owned();
            let row = format!("TX,support,2026-09-01,,,{amount},,section,a newsletter,unconfirmed,");
            std::fs::write(&file, format!("{head}\n{row}\n")).unwrap();
            let store = &company.world.app.store;
            datasets::import_file(store, "employer-fees", &file, None, false, &|_, _| ()).await.unwrap();
        };
        let put = async |confirmed: bool| {
            let keys = vec!["TX_SUPPORT_FEE".to_owned()];
            let confirm = move |tx: &mut Tx<'_>| datasets::confirm_figures(tx, &keys, confirmed);
            company.world.app.store.write(confirm).await
        };
        assert!(put(true).await.is_err(), "the built-in row is not in doubt");
        import("12.00").await;
        assert_eq!(fee().await, "0.00");
        let listed = company.world.app.store.read(confirmations::list_figures).await.unwrap();
        let listed = listed.iter().find(|one| one.doubtful.key == "TX_SUPPORT_FEE").unwrap();
        assert!(listed.doubtful.source.contains("a newsletter") && listed.confirmed_at.is_none());
        put(true).await.unwrap();
        assert_eq!(fee().await, "12.00");
        import("13.00").await;
        assert_eq!(fee().await, "0.00", "another amount than the one that was confirmed");
        put(true).await.unwrap();
        assert_eq!(fee().await, "13.00");
        put(false).await.unwrap();
        assert_eq!(fee().await, "0.00");
    });
}
