//! Reports that are made in the background, and checks on paper.

use domain::access::tokens::TokenKind;
use domain::access::users::Role;
use jiff::ToSpan;
use rules::Amount;
use serde_json::{Value, json};

use super::{company, enter, hours, path};
use crate::console::signed_in;
use crate::oauth::user;
use crate::support::{Answer, Company, Engine, NOBODY, id_of, on_both_engines, text};

const REPORTS: &str = "/v1/companies/{company}/reports";

/// A processed payroll of two people who are paid by check: 80 hours at 20.00, and 40 at 30.00.
async fn processed(engine: Engine) -> (Company, String, [String; 2]) {
    let (company, location, payroll) = company(engine).await;
    let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
    let (max, _) = company.onboarded("Max", &location, ("30.00", "Hour", "Nonexempt")).await;
    enter(&company, &payroll, &ana, hours("80")).await.ok();
    enter(&company, &payroll, &max, hours("40")).await.ok();
    company.calculate(&payroll).await;
    company.submit(&payroll).await;
    (company, payroll, [ana, max])
}

/// The file at an address that an answer gives, which needs no token.
async fn fetch(company: &Company, url: &Value) -> Answer {
    let path = url.as_str().unwrap().strip_prefix("https://pages.example").unwrap().to_owned();
    company.world.call("GET", path).send().await
}

/// What comes of a report once it was made.
async fn made(company: &Company, asked: &Value) -> Answer {
    let status = format!("/v1/reports/{}", text(asked, "request_uuid"));
    let waiting = company.get(&status).await.ok();
    assert_eq!((&waiting["status"], &waiting["report_urls"]), (&json!("pending"), &json!([])));
    company.work().await;
    let done = company.get(&status).await.ok();
    assert_eq!(done["status"], "succeeded", "{done}");
    fetch(company, &done["report_urls"][0]).await.is(200)
}

fn days() -> Value {
    json!({ "columns": ["check_date", "employee_first_name", "regular_hours", "gross_earnings", "net_pay"],
            "groupings": [], "file_type": "csv", "with_totals": true,
            "start_date": "2026-06-01", "end_date": "2026-06-30" })
}

#[test]
fn the_payroll_journal_has_the_columns_that_were_asked_for() {
    on_both_engines(async |engine: Engine| {
        let (company, ..) = processed(engine).await;
        let asked = company.post(REPORTS, days()).await.created();
        assert_eq!(asked["file_type"], "csv");
        let csv = made(&company, &asked).await;
        assert!(csv.header("content-type").starts_with("text/csv"));
        assert!(csv.header("content-disposition").contains("payroll_journal-"));
        let csv = csv.text();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[0], "check_date,employee_first_name,regular_hours,gross_earnings,net_pay");
        assert!(lines[1].starts_with("2026-06-18,Ana,80.00,1600.00,"), "{csv}");
        assert!(lines[2].starts_with("2026-06-18,Max,40.00,1200.00,"), "{csv}");
        assert!(lines[3].starts_with("Total,,120.00,2800.00,"), "{csv}");
        assert_eq!(lines.len(), 4);

        // Gathered by payroll it is one row, whose text stays where it is the same.
        let mut by_payroll = days();
        by_payroll["groupings"] = json!(["payroll"]);
        by_payroll["file_type"] = json!("json");
        by_payroll["with_totals"] = json!(false);
        let asked = company.post(REPORTS, by_payroll).await.created();
        let told = made(&company, &asked).await.json();
        assert_eq!(told["rows"].as_array().unwrap().len(), 1);
        let row = &told["rows"][0];
        assert_eq!((&row["check_date"], &row["employee_first_name"]), (&json!("2026-06-18"), &Value::Null));
        assert_eq!((&row["gross_earnings"], &told["totals"]), (&json!("2800.00"), &Value::Null));

        // What rows are gathered by stands in them, also where nobody asked for it.
        let mut by_state = days();
        by_state["columns"] = json!(["gross_earnings"]);
        by_state["groupings"] = json!(["work_address_state", "employee"]);
        let asked = company.post(REPORTS, by_state).await.created();
        let csv = made(&company, &asked).await.text();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[0], "work_address_state,employee_last_name,employee_first_name,gross_earnings");
        assert_eq!(lines[1..3], ["TX,Silva,Ana,1600.00", "TX,Silva,Max,1200.00"], "{csv}");

        let mut printed = days();
        printed["file_type"] = json!("pdf");
        let asked = company.post(REPORTS, printed).await.created();
        let pdf = made(&company, &asked).await;
        assert!(pdf.header("content-type") == "application/pdf" && pdf.body.starts_with(b"%PDF-"));
    });
}

#[test]
fn every_column_of_the_template_can_be_asked_for() {
    on_both_engines(async |engine: Engine| {
        let (company, ..) = processed(engine).await;
        let template = "/v1/companies/{company}/report_templates/payroll_journal";
        let template = company.get(template).await.ok();
        let mut all = days();
        all["columns"] = template["columns"].clone();
        all["file_type"] = json!("json");
        let asked = company.post(REPORTS, all).await.created();
        let rows = made(&company, &asked).await.json()["rows"].clone();
        for (column, value) in [
            ("employee_last_name", "Silva"),
            ("date_of_birth", "1988-08-08"),
            ("payment_method", "Check"),
            ("payroll_type", "Regular"),
            ("job_title", "Cook"),
            ("employment_type", "Nonexempt"),
            ("regular_rate", "20.00"),
            ("overtime_rate", "30.00"),
            ("employer_social_security_tax", "99.20"),
            ("employee_medicare_tax", "23.20"),
        ] {
            assert_eq!(rows[0][column], value, "{column}");
        }
        company.get("/v1/companies/{company}/report_templates/tax_liability").await.is(404);
    });
}

#[test]
fn summaries_come_from_the_books() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll, _) = processed(engine).await;
        let ask = async |kind: &str| {
            let terms = json!({ "report_type": kind, "columns": [], "groupings": [], "file_type": "json",
                                "start_date": "2026-06-01", "end_date": "2026-06-30" });
            let asked = company.post(REPORTS, terms).await.created();
            made(&company, &asked).await.json()["rows"].as_array().unwrap().clone()
        };
        let taxes = ask("tax_liability").await;
        let medicare = taxes.iter().find(|row| row["tax"] == "Medicare").unwrap();
        // 1.45 % of 2,800.00 from each side.
        assert_eq!((&medicare["agency"], &medicare["total"]), (&json!("US"), &json!("81.20")));
        let cash = ask("cash_requirement").await;
        assert_eq!(cash.len(), 1);
        assert_eq!((&cash[0]["payroll_uuid"], &cash[0]["direct_deposit"]), (&json!(payroll), &json!("0.00")));
        let departments = ask("department_summary").await;
        assert_eq!(
            (&departments[0]["largest_payroll"], &departments[0]["paychecks"]),
            (&json!(2), &json!(2))
        );
        assert_eq!(
            (&departments[0]["department"], &departments[0]["gross_pay"]),
            (&json!("No department"), &json!("2800.00"))
        );
    });
}

#[test]
fn what_only_the_payroll_journal_can_be_narrowed_by_is_refused_with_another_report() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        for kind in ["tax_liability", "cash_requirement", "department_summary"] {
            let terms = json!({ "report_type": kind, "columns": [], "groupings": [], "file_type": "json",
                                "date_filter_type": "check_date", "employee_uuids": [], "payment_method": null });
            company.post(REPORTS, terms.clone()).await.created();
            for (key, value) in [
                ("groupings", json!(["employee"])),
                ("date_filter_type", json!("period_end_date")),
                ("dismissed_start_date", json!("2026-06-01")),
                ("dismissed_end_date", json!("2026-06-01")),
                ("payment_method", json!("direct_deposit")),
                ("employment_type", json!("exempt")),
                ("employment_status", json!("active_full_time")),
                ("employee_uuids", json!([NOBODY])),
                ("department_uuids", json!([NOBODY])),
                ("work_address_uuids", json!([NOBODY])),
            ] {
                let mut narrowed = terms.clone();
                narrowed[key] = value;
                let refused = company.post(REPORTS, narrowed).await.refused(422);
                assert_eq!(refused.keys()[0], key, "{kind}");
                assert!(refused.message().contains(kind), "{}", refused.message());
            }
        }
    });
}

#[test]
fn the_cost_of_a_payroll_is_one_in_all_reports_with_expenses_and_without_tips_in_cash() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let mut tipped = hours("80");
        tipped["fixed_compensations"] = json!([{ "name": "Cash Tips", "amount": "150.00" }]);
        tipped["reimbursements"] = json!([{ "amount": "12.34", "description": "Knives" }]);
        enter(&company, &payroll, &ana, tipped).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let row = async |mut asked: Value| {
            (asked["file_type"], asked["with_totals"]) = (json!("json"), json!(false));
            let asked = company.post(REPORTS, asked).await.created();
            made(&company, &asked).await.json()["rows"][0].clone()
        };
        let of_kind = async |kind: &str| {
            let mut asked = days();
            (asked["report_type"], asked["columns"]) = (json!(kind), json!([]));
            row(asked).await
        };
        let mut journal = days();
        journal["columns"] = json!(["gross_earnings", "employer_taxes", "employer_cost"]);
        let journal = row(journal).await;
        assert_eq!(journal["gross_earnings"], "1750.00");
        // 1,600.00, what the employer pays in taxes on all of it, and the expense, as in the cash that is needed.
        let dollars = |told: &Value| Amount::parse(told.as_str().unwrap()).unwrap();
        let cost = dollars(&journal["employer_taxes"]).checked_add(Amount::from_cents(161_234)).unwrap();
        assert_eq!(dollars(&journal["employer_cost"]), cost);
        let department = of_kind("department_summary").await;
        assert_eq!((dollars(&department["total_cost"]), &department["gross_pay"]), (cost, &json!("1750.00")));
        assert_eq!(dollars(&of_kind("cash_requirement").await["total"]), cost);

        let (app, of) = (company.application, Some(company.id));
        let _token = company.world.token(TokenKind::Company, app, of, "payrolls:read", None).await;
        let asked = json!({ "idempotency_key": "tips", "batch_action": "create",
                            "batch": [{ "entity_type": "company", "uuid": company.id.to_string() }] });
        let asked = company.post("/v1/payroll_digests", asked).await.created();
        let told = company.get(format!("/v1/payroll_digests/{}", id_of(&asked))).await.ok();
        let payrolls = told["results"][0]["payrolls"].as_array().unwrap();
        let paid = payrolls.iter().find(|one| one["payroll_uuid"] == json!(payroll)).unwrap();
        assert_eq!(dollars(&paid["totals"]["total_employer_cost"]), cost);
    });
}

#[test]
fn the_general_ledger_balances_and_is_that_of_a_processed_payroll() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll, [ana, _]) = processed(engine).await;
        let ledger = format!("/v1/payrolls/{payroll}/reports/general_ledger");
        let by_job = json!({ "aggregation": "job", "integration_type": null });
        let asked = company.post(&ledger, by_job).await.ok();
        assert_eq!((&asked["payroll_uuid"], &asked["aggregation"]), (&json!(payroll), &json!("job")));
        let told = made(&company, &asked).await.json();
        assert_eq!(told["total_debits"], told["total_credits"]);
        let entries = told["entries"].as_array().unwrap();
        let wages = entries.iter().find(|entry| entry["account"] == "wages").unwrap();
        assert_eq!((&wages["job"], &wages["debit"]), (&json!("Cook"), &json!("2800.00")));

        for (wrong, key) in [
            (json!({}), "aggregation"),
            (json!({ "aggregation": "town" }), "aggregation"),
            (json!({ "aggregation": "integration" }), "integration_type"),
            (json!({ "aggregation": "default", "integration_type": "xero" }), "integration_type"),
        ] {
            assert_eq!(company.post(&ledger, wrong).await.refused(422).keys(), [key]);
        }
        let open = company.off_cycle(&[&ana]).await;
        let open = format!("/v1/payrolls/{open}/reports/general_ledger");
        company.post(open, json!({ "aggregation": "default" })).await.is(422);
        company.post(format!("/v1/payrolls/{NOBODY}/reports/general_ledger"), json!({})).await.is(404);
    });
}

#[test]
fn wages_of_a_year_are_those_that_counted_for_social_security_and_medicare() {
    on_both_engines(async |engine: Engine| {
        let (company, _, [ana, max]) = processed(engine).await;
        let of_years = "/v1/companies/{company}/reports/employees_annual_fica_wage";
        let asked = company.post(of_years, json!({ "start_year": 2025, "end_year": 2026 })).await;
        let csv = made(&company, &asked.is(202).json()).await.text();
        for line in
            [format!("{ana},Ana,Silva,2026,1600.00,1600.00"), format!("{max},Max,Silva,2026,1200.00,1200.00")]
        {
            assert!(csv.contains(&line), "{csv}");
        }
        let wrong =
            company.post(of_years, json!({ "start_year": 2010, "end_year": 2027 })).await.refused(422);
        assert_eq!(wrong.keys(), ["start_year", "end_year"]);
        company.post(of_years, json!({ "start_year": 2026, "end_year": 2025 })).await.is(422);
    });
}

#[test]
fn what_is_wrong_with_a_report_is_told_at_once() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let wrong = json!({ "columns": ["net_pay", "salary"], "groupings": ["town"], "file_type": "xls",
                            "start_date": "2026-06-30", "end_date": "2026-06-01", "payment_method": "cash" });
        let refused = company.post(REPORTS, wrong).await.refused(422);
        assert_eq!(refused.keys(), ["columns[1]", "groupings[0]", "file_type", "end_date", "payment_method"]);
        let none = company.post(REPORTS, json!({ "columns": [], "groupings": [], "file_type": "csv" })).await;
        assert_eq!(none.refused(422).keys(), ["columns"]);
        let long = json!({ "columns": ["net_pay"], "file_type": "csv", "start_date": "2024-01-01",
                           "end_date": "2026-01-01" });
        assert_eq!(company.post(REPORTS, long).await.refused(422).keys(), ["end_date"]);
    });
}

#[test]
fn an_address_works_for_ten_minutes_and_a_report_for_a_week_for_its_company_alone() {
    on_both_engines(async |engine: Engine| {
        let (company, ..) = processed(engine).await;
        company.world.app.worker.schedule_upkeep().await;
        let asked = company.post(REPORTS, days()).await.created();
        company.work().await;
        let status = format!("/v1/reports/{}", text(&asked, "request_uuid"));
        let other = company.world.company().await;
        other.get(&status).await.is(404);
        // A report is no document, and is asked for as what it is.
        let document = text(&asked, "request_uuid");
        company.get(format!("/v1/generated_documents/printable_payroll_checks/{document}")).await.is(404);
        let url = company.get(&status).await.ok()["report_urls"][0].clone();
        fetch(&company, &url).await.is(200);
        company.world.wait(11.minutes()).await;
        fetch(&company, &url).await.is(410);
        let again = company.get(&status).await.ok()["report_urls"][0].clone();
        assert_ne!(again, url);
        fetch(&company, &again).await.is(200);
        company.world.wait((8 * 24).hours()).await;
        company.get(&status).await.is(404);
        fetch(&company, &again).await.is(404);
    });
}

#[test]
fn no_check_number_is_given_twice() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll, [ana, max]) = processed(engine).await;
        let print = format!("/v1/payrolls/{payroll}/generated_documents/printable_payroll_checks");
        let numbers = |printed: &Value| -> Vec<(Value, Value)> {
            let all = printed["employee_check_number_mapping"].as_array().unwrap().iter();
            all.map(|one| (one["employee_uuid"].clone(), one["check_number"].clone())).collect()
        };
        let with = |start: Value| json!({ "printing_format": "bottom", "starting_check_number": start });
        let first = company.post(&print, with(json!(500))).await.ok();
        assert_eq!(numbers(&first), [(json!(ana), json!(500)), (json!(max), json!(501))]);
        // Printed again they keep their numbers.
        let again = company.post(&print, json!({ "printing_format": "top" })).await.ok();
        assert_eq!(numbers(&again), numbers(&first));
        for (taken, key) in
            [(500, "starting_check_number"), (499, "starting_check_number"), (0, "starting_check_number")]
        {
            assert_eq!(company.post(&print, with(json!(taken))).await.refused(422).keys(), [key]);
        }
        let void = "/v1/companies/{company}/checks/500/void";
        assert_eq!(company.put(void, json!({})).await.refused(422).keys(), ["reason"]);
        let voided = company.put(void, json!({ "reason": "Torn" })).await.ok();
        assert_eq!(voided["void_reason"], "Torn");
        company.put("/v1/companies/{company}/checks/7/void", json!({ "reason": "Torn" })).await.is(404);
        company.put("/v1/companies/{company}/checks/x/void", json!({ "reason": "Torn" })).await.is(404);
        // Whose check is void gets another number, the next one.
        let third = company.post(&print, json!({ "printing_format": "top" })).await.ok();
        assert_eq!(numbers(&third), [(json!(ana), json!(502)), (json!(max), json!(501))]);
        company.put(path(&payroll, "/cancel"), json!({})).await.ok();
        let all = company.get("/v1/companies/{company}/checks").await.list();
        assert_eq!(all.len(), 3);
        assert!(all.iter().all(|check| !check["voided_at"].is_null()), "{all:?}");
        // The payroll is not processed any more.
        company.post(&print, with(Value::Null)).await.is(422);
    });
}

#[test]
fn checks_are_printed_with_the_amount_in_words_and_account_numbers_are_in_the_file_alone() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll, _) = processed(engine).await;
        company.bank_account("9876543210").await;
        let print = format!("/v1/payrolls/{payroll}/generated_documents/printable_payroll_checks");
        let pages = async || {
            let asked = company.post(&print, json!({ "printing_format": "top" })).await.ok();
            assert!(!asked.to_string().contains("9876543210"));
            company.work().await;
            let kind = "/v1/generated_documents/printable_payroll_checks";
            let done = company.get(format!("{kind}/{}", text(&asked, "request_uuid"))).await.ok();
            assert_eq!(done["status"], "succeeded", "{done}");
            let file = fetch(&company, &done["document_urls"][0]).await.is(200);
            assert_eq!(file.header("content-type"), "application/pdf");
            file.text()
        };
        let plain = pages().await;
        assert!(plain.contains("PAY TO THE ORDER OF") && plain.contains("/100 dollars"), "{plain}");
        assert!(plain.contains("Ana Silva") && plain.contains("Max Silva") && plain.contains("Check 1001"));
        assert!(!plain.contains("9876543210"));
        company.put("/v1/companies/{company}/check_settings", json!({ "micr_line": true })).await.ok();
        let lined = pages().await;
        assert!(lined.contains("9876543210C"), "{lined}");
        let wrong = json!({ "printing_format": "middle", "starting_check_number": "12" });
        let refused = company.post(&print, wrong).await.refused(422);
        assert_eq!(refused.keys(), ["printing_format", "starting_check_number"]);
    });
}

#[test]
fn addresses_of_reports_end_with_the_consent_of_the_company() {
    on_both_engines(async |engine: Engine| {
        let (company, ..) = processed(engine).await;
        let company = company.for_another_application().await;
        let asked = company.post(REPORTS, days()).await.created();
        company.work().await;
        let status = format!("/v1/reports/{}", text(&asked, "request_uuid"));
        let url = company.get(&status).await.ok()["report_urls"][0].clone();
        let (id, links) = (company.id, domain::pay::reports::rows::delete_links);
        let application = company.world.application;
        let ended = company.world.app.store.write(move |tx| links(tx, id, application)).await.unwrap();
        assert_eq!(ended, 1);
        fetch(&company, &url).await.is(404);
    });
}

#[test]
fn the_console_shows_reports_with_a_picture_and_as_csv() {
    on_both_engines(async |engine: Engine| {
        let (company, payroll, _) = processed(engine).await;
        let page = format!("/console/companies/{}/reports", company.id);
        let admin = user(&company.world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, _) = signed_in(&company.world, &admin, &page).await;
        let days = "start_date=2026-06-01&end_date=2026-06-30";
        for (report, shown) in [
            ("cash_requirement", "2026-06-18"),
            ("tax_liability", "Medicare"),
            ("department_summary", "No department"),
            ("payroll_journal", "Silva"),
            ("journal", "6000"),
        ] {
            let html = browser.get(&format!("{page}?report={report}&{days}")).await.is(200).text();
            // The page has its days as people write them, the file as programs do.
            let written = if shown == "2026-06-18" { "Jun 18, 2026" } else { shown };
            assert!(html.contains(written), "{report}: {html}");
            assert_eq!(html.contains("<svg class=\"bars\""), report != "journal");
            let csv = browser.get(&format!("{page}/csv?report={report}&{days}")).await.is(200).text();
            assert!(csv.contains(shown), "{report}: {csv}");
        }
        let html = format!("/console/companies/{}/payrolls/{payroll}", company.id);
        let shown = browser.get(&html).await.is(200);
        let html = shown.text();
        assert!(html.contains("Print checks"), "{html}");
    });
}
