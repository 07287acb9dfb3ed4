//! What payrolls withheld for child support, and who pays the agency.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Company, Engine, World, id_of, on_both_engines, text};

const LIST: &str = "/v1/companies/{company}/child_support_remittances";

/// An order that takes so many dollars of each pay of two weeks.
async fn order(company: &Company, employee: &str, state: &str, dollars: u32) -> String {
    let (fips, case) = match state {
        "SC" => ("45000", "=SC-1"),
        _ => ("01000", "AL-77"),
    };
    let body = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                       "deduct_as_percentage": true, "pay_period_maximum": dollars,
                       "child_support": { "state": state, "payment_period": "Every other week", "fips_code": fips,
                                          "case_number": case } });
    id_of(&company.post(format!("/v1/employees/{employee}/garnishments"), body).await.created())
}

/// A company in Texas that pays every other week, with Ana, who is paid 2,000.00, and the payroll of 1 to 14 June 2026.
async fn employer(world: World) -> (Company, String, String) {
    let company = world.company().await;
    let location = id_of(&company.location("TX").await);
    let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-18",
                           "anchor_end_of_pay_period": "2026-06-14" });
    company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
    let (ana, _) = company.onboarded("Ana", &location, ("52000.00", "Year", "Exempt")).await;
    let periods = company.get("/v1/companies/{company}/pay_periods").await.list();
    let payroll = text(&periods[0]["payroll"], "payroll_uuid");
    (company, ana, payroll)
}

/// The same with the folder of a bank through which the agencies are paid.
async fn company(engine: Engine) -> (Company, String, String, TempDir) {
    let world = engine.own_world().await;
    let folder = crate::money::bank_and_agencies(&world).await;
    let (company, ana, payroll) = employer(world).await;
    (company, ana, payroll, folder)
}

/// Amount, who pays, and why.
fn essence(line: &Value) -> (String, String, Value) {
    (text(line, "amount"), text(line, "remittance"), line["remittance_reason"].clone())
}

#[test]
fn a_processed_payroll_fills_the_list_with_what_the_bank_and_the_employer_have_to_know() {
    on_both_engines(async |engine: Engine| {
        let (company, ana, payroll, _bank) = company(engine).await;
        let (alabama, carolina) =
            (order(&company, &ana, "AL", 120).await, order(&company, &ana, "SC", 80).await);
        company.calculate(&payroll).await;
        assert!(company.get(LIST).await.list().is_empty(), "nothing is withheld before it is processed");
        company.submit(&payroll).await;

        let list = company.get(LIST).await.list();
        assert_eq!(
            list.iter().map(|line| text(line, "garnishment_uuid")).collect::<Vec<_>>(),
            [alabama, carolina]
        );
        assert_eq!(essence(&list[0]), ("120.00".into(), "automatic".into(), Value::Null));
        let manual = json!("agency_takes_no_electronic_payments");
        assert_eq!(essence(&list[1]), ("80.00".into(), "manual".into(), manual));
        assert_eq!(list[0]["addendum"], r"DED*CS*AL-77*260618*12000*XXXXXXXXX*N*SILVA,ANA*01000*N\");
        // Seven business days after Thursday 18 June, without Juneteenth and two weekends.
        assert_eq!(
            (&list[0]["check_date"], &list[0]["due_on"]),
            (&json!("2026-06-18"), &json!("2026-06-30"))
        );
        let stored =
            company.get(format!("/v1/companies/{{company}}/payrolls/{payroll}?include=totals")).await.ok();
        assert_eq!(stored["totals"]["child_support_debit"], "120.00", "the employer pays South Carolina");

        let none = [
            "?start_date=2026-06-19",
            "?end_date=2026-06-17",
            "?payroll_uuid=00000000-0000-7000-8000-000000000000",
        ];
        for condition in none {
            assert!(company.get(format!("{LIST}{condition}")).await.list().is_empty(), "{condition}");
        }
        let same = format!("{LIST}?payroll_uuid={payroll}&start_date=2026-06-18&end_date=2026-06-18");
        assert_eq!(company.get(same).await.list(), list);
        let paged = company.get(format!("{LIST}?page=2&per=1")).await;
        assert_eq!((paged.header("x-total-count"), paged.list()), ("2", vec![list[1].clone()]));

        let table = company.get(format!("{LIST}?format=csv")).await;
        assert!(table.header("content-type").starts_with("text/csv"));
        let table = table.text();
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(lines.len(), 3);
        let automatic = r#",AL-77,,,120.00,automatic,,2026-06-30,"DED*CS*AL-77*"#;
        assert!(lines[1].contains(automatic), "{table}");
        let manual = ",'=SC-1,,,80.00,manual,agency_takes_no_electronic_payments,";
        assert!(lines[2].contains(manual), "a spreadsheet must not take it for a formula: {table}");
    });
}

/// "The service pays agencies automatically for regular payrolls" only as long as it can pay them at all.
#[test]
fn what_is_withheld_while_there_is_no_bank_is_for_the_employer_to_pay_and_not_debited() {
    on_both_engines(async |engine: Engine| {
        let (company, ana, payroll) = employer(engine.own_world().await).await;
        order(&company, &ana, "AL", 120).await;
        order(&company, &ana, "SC", 80).await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let list = company.get(LIST).await.list();
        let manual = |amount: &str, why: &str| (amount.to_owned(), "manual".to_owned(), json!(why));
        assert_eq!(
            list.iter().map(essence).collect::<Vec<_>>(),
            [manual("120.00", "no_bank"), manual("80.00", "agency_takes_no_electronic_payments")]
        );
        let stored =
            company.get(format!("/v1/companies/{{company}}/payrolls/{payroll}?include=totals")).await.ok();
        assert_eq!(stored["totals"]["child_support_debit"], "0.00");
    });
}

#[test]
fn what_an_off_cycle_payroll_withholds_is_for_the_employer_to_pay() {
    on_both_engines(async |engine: Engine| {
        let (company, ana, _, _bank) = company(engine).await;
        order(&company, &ana, "AL", 120).await;
        let bonus = company.off_cycle(&[&ana]).await;
        let path = format!("/v1/companies/{{company}}/payrolls/{bonus}");
        let prepared = company.put(format!("{path}/prepare"), json!({})).await.ok();
        let version = &prepared["employee_compensations"][0]["version"];
        let gift = json!({ "employee_compensations": [{ "employee_uuid": ana, "version": version,
                           "fixed_compensations": [{ "name": "Bonus", "amount": "500.00" }] }] });
        company.put(&path, gift).await.ok();
        company.calculate(&bonus).await;
        company.submit(&bonus).await;
        let list = company.get(LIST).await.list();
        assert_eq!(
            list.iter().map(essence).collect::<Vec<_>>(),
            [("120.00".into(), "manual".into(), json!("off_cycle"))]
        );
        assert_eq!(list[0]["off_cycle"], true);
        let told = company.get(format!("{path}?include=totals")).await.ok();
        assert_eq!(told["totals"]["child_support_debit"], "0.00");
    });
}

#[test]
fn the_list_refuses_what_it_cannot_read() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        assert!(company.get(LIST).await.list().is_empty());
        let table = company.get(format!("{LIST}?format=csv")).await;
        assert!(table.text().starts_with("payroll_uuid,garnishment_uuid,employee_uuid,check_date,"));
        assert_eq!(company.get(format!("{LIST}?format=xml")).await.refused(422).fault().0, "format");
        assert_eq!(company.get(format!("{LIST}?start_date=x")).await.refused(422).fault().0, "start_date");
    });
}

#[test]
fn the_company_is_debited_for_what_is_remitted_when_an_order_changes_after_the_calculation() {
    on_both_engines(async |engine: Engine| {
        let (company, ana, payroll, _bank) = company(engine).await;
        let order = order(&company, &ana, "AL", 120).await;
        let path = format!("/v1/companies/{{company}}/payrolls/{payroll}");
        let change = async |fields: Value| {
            let at = format!("/v1/garnishments/{order}");
            let mut body = fields;
            body["version"] = company.get(&at).await.ok()["version"].clone();
            company.put(&at, body).await.ok();
        };
        let debited = async || {
            company.get(format!("{path}?include=totals")).await.ok()["totals"]["child_support_debit"].clone()
        };
        let payee = |state: &str, fips: &str| json!({ "child_support": { "state": state, "payment_period": "Every other week", "fips_code": fips, "case_number": "N-1" } });
        company.calculate(&payroll).await;
        assert_eq!(debited().await, "120.00");
        // An amount does not change who is paid, and leaves the calculation as it is.
        change(json!({ "pay_period_maximum": "110.00" })).await;
        assert_eq!(company.get(&path).await.ok()["processing_request"]["status"], "calculate_success");
        // South Carolina's agency is paid by the employer.
        change(payee("SC", "45000")).await;
        let told = company.get(&path).await.ok();
        assert_eq!((&told["calculated_at"], &told["processing_request"]), (&Value::Null, &Value::Null));
        let refused = company.put(format!("{path}/submit"), json!({})).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        company.calculate(&payroll).await;
        assert_eq!(debited().await, "0.00");
        // And back: the operator remits what the company is debited for.
        change(payee("AL", "01000")).await;
        company.calculate(&payroll).await;
        assert_eq!(debited().await, "110.00");
        // A creditor is no agency.
        let creditor = json!({ "garnishment_type": "creditor_garnishment", "child_support": null, "amount": "100.00",
                               "deduct_as_percentage": false, "description": "Creditor" });
        change(creditor).await;
        assert_eq!(company.get(&path).await.ok()["calculated_at"], Value::Null);
        change(json!({ "garnishment_type": "child_support", "amount": "50", "deduct_as_percentage": true,
                       "child_support": payee("AL", "01000")["child_support"] }))
        .await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        assert_eq!(debited().await, "110.00");
        let list = company.get(LIST).await.list();
        assert_eq!(
            list.iter().map(essence).collect::<Vec<_>>(),
            [("110.00".into(), "automatic".into(), Value::Null)]
        );
    });
}
