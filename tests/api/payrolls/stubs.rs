//! The list of an employee's pay stubs.

use domain::access::tokens::Caller;
use domain::language::Language;
use domain::pay::payrolls::views::stub::pay_stub;
use serde_json::{Value, json};

use super::{company, enter, hours, path, read};
use crate::pages::Browser;
use crate::support::{Company, Engine, id_of, on_both_engines, text};

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
fn pay_stubs_are_read_with_a_scope_of_their_own_and_with_no_other() {
    on_both_engines(async |engine: Engine| {
        let (company, office, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let (stubs, payrolls) =
            (format!("/v1/employees/{ana}/pay_stubs"), "/v1/companies/{company}/payrolls");
        let narrow = company.with_scopes("pay_stubs:read").await;
        narrow.get(&stubs).await.is(200);
        assert_eq!(narrow.get(payrolls).await.refused(403).fault().1, "missing_oauth_scopes");
        for other in ["payrolls:read", "employees:read"] {
            company.with_scopes(other).await.get(&stubs).await.refused(403);
        }
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
                assert!(file.contains(&format!("({text}")), "{text}: {file}");
            }
            let told = |text: &str, spanish: &str| (english.contains(text), page.contains(spanish));
            let noted = told(
                "is insufficient for all deductions",
                "no alcanza para todas las deducciones: no se tomaron",
            );
            assert_eq!(noted, (employee == &ana, employee == &ana), "{page}");
            for text in [
                "is insufficient",
                "Gross pay",
                "Net pay",
                "Salary",
                "Regular Hours",
                "Bonus",
                "Federal Income Tax",
                "Employee taxes",
            ] {
                assert!(!page.contains(text), "{text}: {page}");
                assert!(!file.contains(text), "{text}: {file}");
            }
            assert!(file.contains("(14 de junio de 2026)") || file.contains(" de junio de 2026"), "{file}");
            assert!(file.contains("(Recibo de pago) Tj") && file.contains("(Este pago) Tj"), "{file}");
        }
    });
}

/// The regular payroll whose pay period begins on a day.
async fn regular_from(company: &Company, start: &str) -> String {
    let periods = company.get("/v1/companies/{company}/pay_periods?end_date=2026-08-31").await.list();
    let found = periods.iter().find(|period| period["start_date"] == start).unwrap();
    text(&found["payroll"], "payroll_uuid")
}

/// A payroll outside the schedule for somebody, paid on a day.
async fn beside(company: &Company, employee: &str, check_date: &str, what: Value) -> String {
    let body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-01", "end_date": "2026-06-14",
                       "employee_uuids": [employee], "check_date": check_date });
    let payroll = id_of(&company.post("/v1/companies/{company}/payrolls", body).await.ok());
    enter(company, &payroll, employee, what).await.ok();
    company.calculate(&payroll).await;
    payroll
}

#[test]
fn a_pay_stub_has_the_lines_of_the_year_that_get_nothing_this_time() {
    on_both_engines(async |engine: Engine| {
        let (company, office, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let plan = json!({ "benefit_type": 202, "description": "Gym" });
        let plan = id_of(&company.post("/v1/companies/{company}/company_benefits", plan).await.created());
        let enrolled = json!({ "company_benefit_uuid": plan, "employee_deduction": "31.00",
                               "effective_date": "2026-06-01", "expiration_date": "2026-06-14" });
        company.post(format!("/v1/employees/{ana}/employee_benefits"), enrolled).await.created();
        let once = json!({ "court_ordered": false, "description": "Uniform", "amount": "12.00", "times": 1 });
        company.post(format!("/v1/employees/{ana}/garnishments"), once).await.created();
        let opened = json!({ "year": 2026, "wages": [{ "name": "gross", "amount": "1000.00" }],
                             "taxes": [{ "code": "NY_INCOME", "amount": "44.00" }] });
        company.put(format!("/v1/employees/{ana}/opening_balances"), opened).await.ok();
        let mut worked = hours("80");
        worked["fixed_compensations"] = json!([{ "name": "Bonus", "amount": "123.00" }]);
        enter(&company, &payroll, &ana, worked).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let second = regular_from(&company, "2026-06-15").await;
        enter(&company, &second, &ana, hours("10")).await.ok();
        company.calculate(&second).await;

        let asked = json!({ "flow_type": "pay_stubs", "entity_type": "Employee", "entity_uuid": ana });
        let link = text(&company.post("/v1/companies/{company}/flows", asked).await.created(), "url");
        company.submit(&second).await;
        let browser = Browser::follow(&company, link.strip_prefix("https://pages.example").unwrap()).await;
        let page = browser.get(&format!("pay_stubs/{second}")).await.is(200).text();
        let cells = |label: &str| {
            let row = page.split("<tr").find(|row| row.contains(&format!(">{label}<"))).unwrap_or_default();
            let cells = row.split("<td").skip(1).filter_map(|cell| cell.split_once('>'));
            cells
                .filter_map(|(_, cell)| cell.split_once('<'))
                .map(|(text, _)| text.to_owned())
                .collect::<Vec<_>>()
        };
        for (label, now, so_far) in [
            ("Regular Hours, 10.00 h at $20.00", "200.00", "1,800.00"),
            ("Bonus", "0.00", "123.00"),
            ("Further earnings of the year", "0.00", "1,000.00"),
            ("Gross pay", "200.00", "2,923.00"),
            ("NY Withholding Tax", "0.00", "44.00"),
            ("Uniform", "0.00", "12.00"),
            ("Gym", "0.00", "31.00"),
        ] {
            assert_eq!(cells(label), [format!("${now}"), format!("${so_far}")], "{label}: {page}");
        }
        // The stub of the first payroll tells what had been paid by then.
        let first = browser.get(&format!("pay_stubs/{payroll}")).await.is(200).text();
        assert!(first.contains("1,600.00") && !first.contains("1,800.00"), "{first}");
    });
}

#[test]
fn what_was_paid_in_the_year_so_far_goes_by_pay_dates() {
    on_both_engines(async |engine: Engine| {
        let (company, office, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let gift = |amount: &str| json!({ "fixed_compensations": [{ "name": "Bonus", "amount": amount }] });
        // Paid on 18 June, 22 June and 3 July, and processed the other way round.
        for (check_date, amount) in [("2026-07-03", "5000.00"), ("2026-06-22", "300.00")] {
            let bonus = beside(&company, &ana, check_date, gift(amount)).await;
            company.submit(&bonus).await;
        }
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let so_far = async |day: &str| {
            company.world.wait_until(format!("{day}T18:00:00Z").parse().unwrap()).await;
            let asked = json!({ "flow_type": "pay_stubs", "entity_type": "Employee", "entity_uuid": ana });
            let link = text(&company.post("/v1/companies/{company}/flows", asked).await.created(), "url");
            let browser =
                Browser::follow(&company, link.strip_prefix("https://pages.example").unwrap()).await;
            let page = browser.get("pay_stubs").await.is(200).text();
            let told = page.split("of $").nth(1).unwrap_or_default();
            told.split_once(" earned").map(|(gross, _)| gross.to_owned()).unwrap_or(page)
        };
        assert_eq!(so_far("2026-06-18").await, "1,600.00");
        assert_eq!(so_far("2026-06-22").await, "1,900.00");
        assert_eq!(so_far("2026-07-03").await, "6,900.00");
    });
}

#[test]
fn the_year_to_date_of_a_stub_is_that_of_its_pay_date_whatever_was_processed_first() {
    on_both_engines(async |engine: Engine| {
        let (company, office, _) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let mut made = Vec::new();
        for (day, amount) in [("2026-07-17", "2000.00"), ("2026-07-03", "1000.00")] {
            let extra = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-15", "end_date": "2026-06-28",
                                "employee_uuids": [ana], "check_date": day, "withholding_pay_period": "Every other week" });
            let payroll = id_of(&company.post("/v1/companies/{company}/payrolls", extra).await.ok());
            let bonus = json!({ "fixed_compensations": [{ "name": "Bonus", "amount": amount }] });
            enter(&company, &payroll, &ana, bonus).await.ok();
            company.calculate(&payroll).await;
            company.submit(&payroll).await;
            made.push(payroll);
        }
        // The later one was processed first.
        let of_year = async |payroll: &str, label: &str| -> String {
            let (of, id, employee) = (company.id, payroll.parse().unwrap(), ana.parse().unwrap());
            let read = move |tx: &mut store::Tx<'_>| {
                let caller = Caller::for_operator(of, jiff::tz::TimeZone::UTC);
                pay_stub(tx, &caller, id, employee, Language::English)
            };
            let stub = company.world.app.store.read(read).await.unwrap();
            let mut lines = stub.document.sections.iter().flat_map(|section| &section.lines);
            let found = lines.find(|line| line.label == label).unwrap_or_else(|| panic!("{label}"));
            found.to_date.clone()
        };
        assert_eq!(of_year(&made[1], "Bonus").await, "1000.00");
        assert_eq!(of_year(&made[0], "Bonus").await, "3000.00");
        assert_eq!(of_year(&made[1], "Social Security").await, "62.00");
        assert_eq!(of_year(&made[0], "Social Security").await, "186.00");
    });
}
