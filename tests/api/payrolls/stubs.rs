//! The list of an employee's pay stubs.

use serde_json::json;

use super::{company, enter, hours, path, read};
use crate::pages::Browser;
use crate::support::{Engine, id_of, on_both_engines, text};

#[test]
fn the_pay_stubs_of_an_employee_are_those_of_processed_payrolls_the_newest_first() {
    on_both_engines(async |engine: Engine| {
        let (company, office, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        let stubs = format!("/v1/employees/{ana}/pay_stubs");
        assert!(company.get(&stubs).await.list().is_empty(), "a payroll that is not processed pays nobody");
        company.submit(&payroll).await;
        company.world.wait_until("2026-06-22T18:00:00Z".parse().unwrap()).await;
        let extra = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-15",
                            "end_date": "2026-06-28", "employee_uuids": [ana], "check_date": "2026-07-03",
                            "withholding_pay_period": "Every other week" });
        let second = id_of(&company.post("/v1/companies/{company}/payrolls", extra).await.ok());
        enter(&company, &second, &ana, hours("10")).await.ok();
        company.calculate(&second).await;
        company.submit(&second).await;

        let listed = company.get(&stubs).await.list();
        let of: Vec<String> = listed.iter().map(|stub| text(stub, "payroll_uuid")).collect();
        assert_eq!(of, [second.clone(), payroll.clone()]);
        let first = &listed[1];
        let totals = &read(&company, &payroll, "totals").await["totals"];
        assert_eq!(first["net_pay"], totals["net_pay"]);
        assert_eq!(first["gross_pay"], totals["gross_pay"]);
        let by_check = first["payment_method"] == "Check";
        assert_eq!(
            text(first, "check_amount"),
            if by_check { text(totals, "net_pay") } else { "0.00".to_owned() }
        );
        assert_eq!(listed, company.get(&stubs).await.list(), "identifiers stay");

        let page = company.get(format!("{stubs}?page=2&per=1")).await;
        assert_eq!(page.header("x-total-count"), "2");
        assert_eq!(page.list(), listed[1..]);

        let whole = company.get(path(&payroll, &format!("/employees/{ana}/pay_stub"))).await;
        let short = company.get(format!("/v1/payrolls/{payroll}/employees/{ana}/pay_stub")).await;
        assert_eq!(whole.header("content-type"), short.header("content-type"));
        company.get(format!("/v1/payrolls/{ana}/employees/{ana}/pay_stub")).await.refused(404);

        let other = company.world.company().await;
        other.get(&stubs).await.refused(404);
    });
}

#[test]
fn the_employees_of_a_payroll_are_sorted_by_name_both_ways() {
    on_both_engines(async |engine: Engine| {
        let (company, office, payroll) = company(engine).await;
        for name in ["Zoe", "Bea", "Ana", "Mia"] {
            company.onboarded(name, &office, ("20.00", "Hour", "Nonexempt")).await;
        }
        company.put(path(&payroll, "/prepare"), json!({})).await.ok();
        let names = async |sort: &str| {
            let found = company.get(path(&payroll, &format!("?sort_by={sort}"))).await.ok();
            let people = found["employee_compensations"].as_array().unwrap().clone();
            people.iter().map(|one| text(one, "first_name")).collect::<Vec<_>>()
        };
        let forward = names("first_name:asc").await;
        assert!(forward.len() >= 4 && forward.is_sorted(), "{forward:?}");
        assert_eq!(forward, names("first_name").await);
        let mut backward = names("first_name:desc").await;
        backward.reverse();
        assert_eq!(forward, backward);
        assert_eq!(names("last_name:desc").await.len(), forward.len());
        // Their last names are the same.
        let mut mixed = names("last_name,first_name:desc").await;
        mixed.reverse();
        assert_eq!(forward, mixed);
        let refused = company.get(path(&payroll, "?sort_by=first_name:down")).await.refused(422);
        assert_eq!(refused.fault().0, "sort_by");
    });
}

#[test]
fn pay_stubs_are_read_with_a_scope_of_their_own_or_with_that_of_payrolls() {
    on_both_engines(async |engine: Engine| {
        let (company, office, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let (stubs, payrolls) =
            (format!("/v1/employees/{ana}/pay_stubs"), "/v1/companies/{company}/payrolls");
        let narrow = company.with_scopes("pay_stubs:read").await;
        narrow.get(&stubs).await.is(200);
        assert_eq!(narrow.get(payrolls).await.refused(403).fault().1, "missing_oauth_scopes");
        company.with_scopes("payrolls:read").await.get(&stubs).await.is(200);
        company.with_scopes("employees:read").await.get(&stubs).await.refused(403);
    });
}

#[test]
fn an_employee_who_reads_spanish_reads_nothing_of_a_pay_stub_in_english() {
    on_both_engines(async |engine: Engine| {
        let (company, office, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let (ben, _) = company.onboarded("Ben", &office, ("62000", "Year", "Exempt")).await;
        // More than the pay reaches for, so that the stub has a note.
        let plan = json!({ "benefit_type": 105, "description": "Roth 401(k)" });
        let plan = id_of(&company.post("/v1/companies/{company}/company_benefits", plan).await.created());
        let enrolled = json!({ "company_benefit_uuid": plan, "employee_deduction": "5000.00", "effective_date": "2026-06-01" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), enrolled).await.created();
        let mut worked = hours("80");
        worked["fixed_compensations"] = json!([{ "name": "Bonus", "amount": "100.00" }]);
        enter(&company, &payroll, &ana, worked).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        for (employee, says) in
            [(&ana, ["Horas normales, 80.00 h", "Bono"]), (&ben, ["Salario", "Con cheque"])]
        {
            let asked =
                json!({ "flow_type": "pay_stubs", "entity_type": "Employee", "entity_uuid": employee });
            let link = text(&company.post("/v1/companies/{company}/flows", asked).await.created(), "url");
            let link = link.strip_prefix("https://pages.example").unwrap();
            let browser = Browser::follow(&company, link).await;
            let english = browser.get(&format!("pay_stubs/{payroll}")).await.is(200).text();
            assert!(english.contains("Gross pay") && english.contains("Net pay"), "{english}");
            let (token, _) = browser.hidden("welcome").await;
            browser.form("language", &[("form_token", &token), ("language", "es")]).send().await.is(303);
            let page = browser.get(&format!("pay_stubs/{payroll}")).await.is(200).text();
            let file = browser.get(&format!("pay_stubs/{payroll}/pdf")).await.is(200).text();
            for text in says.into_iter().chain(["Pago bruto", "Pago neto", "Impuesto federal sobre la renta"])
            {
                assert!(page.contains(text), "{text}: {page}");
                assert!(file.contains(&format!("({text}) Tj")), "{text}: {file}");
            }
            let told = |text: &str, spanish: &str| (english.contains(text), page.contains(spanish));
            let noted = told(
                "does not reach for all deductions",
                "no alcanza para todas las deducciones: no se tomaron",
            );
            assert_eq!(noted, (employee == &ana, employee == &ana), "{page}");
            for text in [
                "does not reach",
                "Gross pay",
                "Net pay",
                "Salary",
                "Regular Hours",
                "Bonus",
                "Federal Income Tax",
                "Taxes of the",
            ] {
                assert!(!page.contains(text), "{text}: {page}");
                assert!(!file.contains(text), "{text}: {file}");
            }
            assert!(file.contains("(Recibo de pago) Tj") && file.contains("(Este pago) Tj"), "{file}");
        }
    });
}
