//! Taxes with rules of their own: exempt employment, pay with tips that falls short, taxes that cannot be worked out.

use serde_json::{Value, json};

use super::{calculated, company, enter, explanation_of, hours, line, number, of, paid_hours, path, read};
use crate::support::{Engine, id_of, on_both_engines, text};

#[test]
fn a_student_whom_the_school_employs_pays_no_social_security_and_the_explanation_names_the_section() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let form = format!("/v1/employees/{ana}/federal_taxes");
        let held = company.get(&form).await.ok();
        let mut update =
            json!({ "w4_data_type": "rev_2020_w4", "filing_status": "Single", "fica_exemption": "student" });
        update["version"] = held["version"].clone();
        let told = company.put(&form, update).await.ok();
        assert_eq!(told["fica_exemption"], "student");
        let found = paid_hours(&company, &payroll, &ana, "80").await;
        let taxes = &of(&found, &ana)["taxes"];
        for tax in ["Social Security", "Medicare", "FUTA"] {
            assert_eq!(line(taxes, tax), &Value::Null, "{tax}: {taxes}");
        }
        assert!(line(taxes, "Federal Income Tax").is_object(), "income tax is due");
        let explained = explanation_of(&company, &payroll, &ana).await.to_string();
        assert!(explained.contains("26 USC 3121(b)(10)"), "{explained}");
    });
}

#[test]
fn an_organization_of_section_501_c_3_accrues_no_federal_unemployment_tax_and_says_why() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let found = paid_hours(&company, &payroll, &ana, "80").await;
        assert_eq!(number(&line(&of(&found, &ana)["taxes"], "FUTA")["amount"]), "9.60", "0.6 % of 1,600.00");
        let details = "/v1/companies/{company}/federal_tax_details";
        for (kind, due) in [("Non-Profit", false), ("Association", true)] {
            let version = company.get(details).await.ok()["version"].clone();
            company.put(details, json!({ "version": version, "tax_payer_type": kind })).await.ok();
            let found = calculated(&company, &payroll).await;
            let taxes = &of(&found, &ana)["taxes"];
            assert_eq!(line(taxes, "FUTA").is_object(), due, "{kind}: {taxes}");
            assert_eq!(number(&line(taxes, "Social Security")["amount"]), "99.20", "{taxes}");
            let explained = explanation_of(&company, &payroll, &ana).await.to_string();
            assert_eq!(explained.contains("26 USC 3306(c)(8)"), !due, "{kind}: {explained}");
        }
    });
}

#[test]
fn what_pay_does_not_reach_for_of_taxes_on_tips_is_told_with_the_codes_of_form_w2() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("2.00", "Hour", "Nonexempt")).await;
        let mut entered = hours("40");
        entered["fixed_compensations"] = json!([{ "name": "Cash Tips", "amount": "1500.00" }]);
        enter(&company, &payroll, &ana, entered).await.ok();
        let found = calculated(&company, &payroll).await;
        let paycheck = of(&found, &ana);
        // 80.00 of wages bear 4.96 and 1.16; 73.88 is left for 93.00 of Social Security on tips, and nothing for Medicare.
        assert_eq!(number(&line(&paycheck["taxes"], "Social Security")["amount"]), "78.84");
        assert_eq!(number(&line(&paycheck["taxes"], "Medicare")["amount"]), "1.16");
        assert_eq!(
            paycheck["uncollected_taxes_on_tips"],
            json!([
                { "code": "A", "name": "Uncollected Social Security tax on tips", "amount": "19.12", "year_to_date": "19.12" },
                { "code": "B", "name": "Uncollected Medicare tax on tips", "amount": "21.75", "year_to_date": "21.75" },
            ])
        );
        explanation_of(&company, &payroll, &ana).await;
        let stub = company.get(path(&payroll, &format!("/employees/{ana}/pay_stub"))).await.is(200);
        assert!(
            stub.text().contains("19.12") && stub.text().contains("21.75"),
            "the stub has what is carried"
        );
    });
}

#[test]
fn a_tax_that_cannot_be_worked_out_is_summed_up_blocks_where_the_company_asks_and_can_be_supplied() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let pittsburgh = json!({ "street_1": "600 Penn Crossing", "city": "Pittsburgh", "state": "PA", "zip": "15222",
                                 "phone_number": "2105550142" });
        let office = id_of(&company.post("/v1/companies/{company}/locations", pittsburgh).await.created());
        company.answer_state("PA").await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        let told = company.calculate(&payroll).await;
        let open = told["taxes_not_worked_out"].as_array().unwrap();
        assert!(!open.is_empty(), "{told}");
        let settings = "/v1/companies/{company}/payroll_settings";
        let put = company.put(settings, json!({ "block_unworked_taxes": true })).await.ok();
        assert_eq!(
            (&put["block_unworked_taxes"], &put["previous_year_tables"]),
            (&json!(true), &json!(false))
        );
        let refused = company.put(path(&payroll, "/submit"), json!({})).await.refused(422);
        assert!(refused.0.iter().all(|fault| fault["metadata"]["key"] == "unworked_taxes"), "{refused:?}");

        let supplied: Vec<Value> =
            open.iter().map(|tax| json!({ "code": text(tax, "code"), "amount": "12.34" })).collect();
        let mut lines = supplied.clone();
        lines.push(json!({ "code": "NY_SDI", "amount": "1.00" }));
        enter(&company, &payroll, &ana, json!({ "supplied_taxes": lines })).await.ok();
        let told = company.calculate(&payroll).await;
        assert_eq!(told["taxes_not_worked_out"], Value::Null, "{told}");
        let found = read(&company, &payroll, "taxes").await;
        let paycheck = of(&found, &ana);
        for tax in open {
            let name = text(tax, "name");
            assert_eq!(number(&line(&paycheck["taxes"], &name)["amount"]), "12.34", "{name}");
        }
        let warnings = paycheck["warnings"].as_array().unwrap();
        // The municipality of the place of work has not been answered either.
        let others = ["no_form_w4", "no_state_certificate", "place_not_known"];
        let keys = warnings.iter().map(|warning| &warning["key"]);
        let keys: Vec<&Value> = keys.filter(|key| others.iter().all(|other| *key != other)).collect();
        assert_eq!(keys, ["supplied_tax_not_used"], "New York's program is not due: {warnings:?}");
        let explained = explanation_of(&company, &payroll, &ana).await.to_string();
        assert!(explained.contains("The amount was supplied."), "{explained}");
        company.submit(&payroll).await;
    });
}

#[test]
fn what_a_reduced_credit_costs_is_told_for_the_year_by_state_and_taken_by_no_payroll() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let office = id_of(&company.location("CA").await);
        company.answer_state("CA").await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let due = "/v1/companies/{company}/futa_credit_reductions";
        let now = company.get(due).await.ok();
        assert_eq!(
            (&now["year"], &now["announced"], &now["total"]),
            (&json!(2026), &json!(false), &json!("0.00"))
        );
        let csv = "state,year,percent,source,confidence\nCA,2026,1.5,notice,primary\n";
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("reductions.csv");
        std::fs::write(&file, csv).unwrap();
        let store = &company.world.app.store;
        domain::datasets::import_file(store, "futa-credit-reductions", &file, None, false, &|_, _| ())
            .await
            .unwrap();
        let now = company.get(due).await.ok();
        assert_eq!(
            now["states"],
            json!([{ "state": "CA", "futa_wages": "1600.00", "percent": "1.5", "amount": "24.00" }])
        );
        assert_eq!((&now["total"], &now["due_on"]), (&json!("24.00"), &json!("2027-02-01")));
        assert_eq!(now["futa_wages_without_state"], "0.00");
        crate::evaluator::check(&now["figures"][0]).unwrap();
        let refused = company.get(format!("{due}?year=1999")).await.refused(422);
        assert!(refused.message().contains("from 2020 to 2100"), "{refused:?}");
    });
}

#[test]
fn a_corporation_employs_nobodys_child_whatever_was_set_before() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let person = company.read("employees", &ana).await;
        let young = json!({ "version": person["version"], "date_of_birth": "2010-03-01" });
        company.put(format!("/v1/employees/{ana}"), young).await.ok();
        let form = format!("/v1/employees/{ana}/federal_taxes");
        let child = async || {
            json!({ "version": company.get(&form).await.ok()["version"], "w4_data_type": "rev_2020_w4",
                    "filing_status": "Single", "fica_exemption": "child_of_sole_proprietor" })
        };
        // The company is an S corporation: 26 USC 3121(b)(3)(A) is not for it.
        let refused = company.put(&form, child().await).await.refused(422);
        assert_eq!(refused.fault(), ("fica_exemption", "invalid_attribute_value"));
        assert_eq!(company.get(&form).await.ok()["fica_exemption"], Value::Null);
        let company_is = async |kind: &str| {
            let details = "/v1/companies/{company}/federal_tax_details";
            let version = company.get(details).await.ok()["version"].clone();
            let body = json!({ "version": version, "tax_payer_type": kind, "taxable_as_scorp": false });
            company.put(details, body).await.ok();
        };
        company_is("Sole proprietor").await;
        company.put(&form, child().await).await.ok();
        let taxes = async || {
            let found = paid_hours(&company, &payroll, &ana, "30").await;
            let paycheck = of(&found, &ana);
            let taxed =
                ["Social Security", "Medicare", "FUTA"].map(|tax| line(&paycheck["taxes"], tax).is_object());
            let warned = paycheck["warnings"].to_string().contains("fica_exemption_not_applied");
            (taxed, warned)
        };
        assert_eq!(taxes().await, ([false; 3], false));
        // What was set stays with the record, and no payroll applies it.
        company_is("C-Corporation").await;
        assert_eq!(taxes().await, ([true; 3], true));
        company.put(&form, child().await).await.ok();
        company_is("General partnership").await;
        assert_eq!(taxes().await, ([false; 3], false));
    });
}

#[test]
fn benefits_of_a_shareholder_are_taxed_by_1372_only_while_the_company_is_an_s_corporation() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("52000.00", "Year", "Exempt")).await;
        let plan = json!({ "benefit_type": 1, "description": "Medical" });
        let plan = id_of(&company.post("/v1/companies/{company}/company_benefits", plan).await.created());
        let enrolled = json!({ "company_benefit_uuid": plan, "employee_deduction": "300", "effective_date": "2026-01-01",
                               "contribution": { "type": "amount", "value": "500" } });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), enrolled).await.created();
        let of_shareholder = async |flag: bool| {
            let job = company.get(format!("/v1/employees/{ana}/jobs")).await.list().remove(0);
            let update = json!({ "version": job["version"], "two_percent_shareholder": flag });
            company.put(format!("/v1/jobs/{}", id_of(&job)), update).await.ok();
            company.calculate(&payroll).await;
            let told = read(&company, &payroll, "taxes").await;
            line(&of(&told, &ana)["taxes"], "Federal Income Tax")["amount"].to_string()
        };
        let taxed_as = async |kind: &str| {
            let details = "/v1/companies/{company}/federal_tax_details";
            let version = company.get(details).await.ok()["version"].clone();
            let update = json!({ "version": version, "tax_payer_type": kind, "taxable_as_scorp": kind == "S-Corporation" });
            company.put(details, update).await.ok();
        };
        taxed_as("LLC").await;
        let other = of_shareholder(false).await;
        assert_eq!(of_shareholder(true).await, other, "the flag counts for nothing in other companies");
        taxed_as("S-Corporation").await;
        // The deduction is no longer taken before taxes, and the company's premium is wages: 800.00 more are taxed at 12 %.
        let cents = |text: &str| rules::Amount::parse(text).unwrap().cents_half_up();
        assert_eq!(cents(&of_shareholder(true).await) - cents(&other), 9_600);
    });
}
