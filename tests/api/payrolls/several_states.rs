//! Income tax where somebody lives in one state and works in another.

use domain::platform::confirmations;
use rules::Amount;
use serde_json::{Value, json};

use super::{company, explanation_of, line, number, of, paid_on, read};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

const PERIOD: (&str, &str, &str) = ("2026-06-01", "2026-06-14", "2026-06-19");

/// Moves an employee's home.
pub(super) async fn live(company: &Company, employee: &str, (city, state, zip): (&str, &str, &str)) {
    let path = format!("/v1/employees/{employee}/home_addresses");
    let home = &company.get(&path).await.list()[0];
    let new = json!({ "version": home["version"], "street_1": "19 Willow Court", "city": city, "state": state, "zip": zip,
                      "effective_date": "2026-01-01" });
    company.put(format!("/v1/home_addresses/{}", text(home, "uuid")), new).await.ok();
}

/// Answers questions of the states of work and home.
pub(super) async fn certify(company: &Company, employee: &str, state: &str, answers: &[(&str, Value)]) {
    let question = |(key, value): &(&str, Value)| json!({ "key": key, "answers": [{ "value": value, "valid_from": "2010-01-01" }] });
    let questions: Vec<Value> = answers.iter().map(question).collect();
    let body = json!({ "states": [{ "state": state, "questions": questions }] });
    company.put(format!("/v1/employees/{employee}/state_taxes"), body).await.is(200);
}

/// Calculates an off-cycle payroll for an employee, and returns the employee's paycheck.
pub(super) async fn paid(company: &Company, employee: &str) -> (String, Value) {
    let payroll = paid_on(company, employee, PERIOD).await;
    let found = read(company, &payroll, "taxes").await;
    let paycheck = of(&found, employee).clone();
    (payroll, paycheck)
}

pub(super) fn income_tax(paycheck: &Value, state: &str) -> Amount {
    let tax = line(&paycheck["taxes"], &format!("{state} Withholding Tax"));
    Amount::parse(&number(&tax["amount"])).unwrap()
}

fn warnings(paycheck: &Value) -> String {
    paycheck["warnings"].to_string()
}

async fn confirm(company: &Company, keys: &[&str], confirmed: bool) {
    let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
    let put = move |tx: &mut store::Tx<'_>| confirmations::set_confirmed(tx, &keys, confirmed);
    company.world.app.store.write(put).await.unwrap();
}

#[test]
fn a_resident_of_connecticut_who_works_in_new_york_bears_new_york_and_what_connecticut_takes_above() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let office = id_of(&company.location("NY").await);
        let (ana, _) = company.onboarded("Ana", &office, ("60.00", "Hour", "Nonexempt")).await;
        live(&company, &ana, ("Stamford", "CT", "06901")).await;
        let (payroll, paycheck) = paid(&company, &ana).await;
        let (work, home) = (income_tax(&paycheck, "NY"), income_tax(&paycheck, "CT"));
        assert!(work > Amount::ZERO, "{paycheck}");

        // Had they worked at home, Connecticut would have taken all of its tax.
        let at_home = id_of(&company.location("CT").await);
        let (bob, _) = company.onboarded("Bob", &at_home, ("60.00", "Hour", "Nonexempt")).await;
        live(&company, &bob, ("Stamford", "CT", "06901")).await;
        let whole = income_tax(&paid(&company, &bob).await.1, "CT");
        assert_eq!(home, whole.checked_sub(work).unwrap().max(Amount::ZERO));

        let why = explanation_of(&company, &payroll, &ana).await.to_string();
        assert!(why.contains("the tax above that of the state of work"), "{why}");
    });
}

#[test]
fn work_at_home_for_an_office_in_new_york_is_new_yorks_where_it_is_for_the_own_convenience() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let office = id_of(&company.location("NY").await);
        let (ana, _) = company.onboarded("Ana", &office, ("60.00", "Hour", "Nonexempt")).await;
        live(&company, &ana, ("Stamford", "CT", "06901")).await;
        let in_the_office = paid(&company, &ana).await.1;
        let address = &company.get(format!("/v1/employees/{ana}/work_addresses")).await.list()[0];
        let flag = json!({ "version": address["version"], "remote_for_own_convenience": true });
        let changed = company.put(format!("/v1/work_addresses/{}", text(address, "uuid")), flag).await.ok();
        assert_eq!(changed["remote_for_own_convenience"], true);
        let (payroll, at_home) = paid(&company, &ana).await;
        assert_eq!(income_tax(&at_home, "NY"), income_tax(&in_the_office, "NY"));
        assert_eq!(income_tax(&at_home, "CT"), income_tax(&in_the_office, "CT"));
        // What insures the employee is the state where the work is done.
        assert_eq!(line(&at_home["taxes"], "NY PFL"), &Value::Null, "{at_home}");
        assert!(line(&at_home["taxes"], "CT paid leave")["amount"].is_number(), "{at_home}");
        assert!(
            explanation_of(&company, &payroll, &ana)
                .await
                .to_string()
                .contains("for the employee's own convenience")
        );
    });
}

#[test]
fn the_home_states_rule_from_memory_counts_once_the_operator_has_confirmed_it() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let office = id_of(&company.location("NY").await);
        let (ana, _) = company.onboarded("Ana", &office, ("60.00", "Hour", "Nonexempt")).await;
        live(&company, &ana, ("Philadelphia", "PA", "19103")).await;
        let (_, before) = paid(&company, &ana).await;
        assert!(warnings(&before).contains("PA income tax was not worked out"), "{before}");
        assert_eq!(line(&before["taxes"], "PA Withholding Tax"), &Value::Null);

        confirm(&company, &["PA_RESIDENCE"], true).await;
        let (payroll, after) = paid(&company, &ana).await;
        assert!(!warnings(&after).contains("PA income tax"), "{after}");
        assert_eq!(income_tax(&after, "NY"), income_tax(&before, "NY"));
        let why = explanation_of(&company, &payroll, &ana).await.to_string();
        assert!(why.contains("income_tax_NY_on_the_same_wages"), "{why}");

        confirm(&company, &["PA_RESIDENCE"], false).await;
        assert!(warnings(&paid(&company, &ana).await.1).contains("PA income tax was not worked out"));
    });
}

#[test]
fn the_states_agreement_holds_once_the_certificate_is_given() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let office = id_of(&company.location("NJ").await);
        let (ana, _) = company.onboarded("Ana", &office, ("30.00", "Hour", "Nonexempt")).await;
        live(&company, &ana, ("Philadelphia", "PA", "19103")).await;
        confirm(&company, &["PA_RESIDENCE"], true).await;
        certify(&company, &ana, "NJ", &[("filing_status", json!("single"))]).await;

        let states = company.get(format!("/v1/employees/{ana}/state_taxes")).await.list();
        let asked = |state: &str| {
            let of_state = states.iter().find(|one| one["state"] == state).unwrap();
            let questions = of_state["questions"].as_array().unwrap().iter();
            questions.filter(|one| one["key"] == "nonresident_certificate").count()
        };
        assert_eq!((asked("NJ"), asked("PA")), (1, 0), "the state of work asks");

        let (_, without) = paid(&company, &ana).await;
        assert!(income_tax(&without, "NJ") > Amount::ZERO, "{without}");
        certify(&company, &ana, "NJ", &[("nonresident_certificate", json!(true))]).await;
        let (payroll, with) = paid(&company, &ana).await;
        // 3.07 % of 2,400.00, and nothing for New Jersey.
        assert_eq!(income_tax(&with, "PA").to_text(2), "73.68");
        assert_eq!(line(&with["taxes"], "NJ Withholding Tax"), &Value::Null);
        assert!(explanation_of(&company, &payroll, &ana).await.to_string().contains("who gave form NJ-165"));
    });
}

#[test]
fn a_move_to_another_state_of_work_divides_the_pay_by_days() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let (texas, colorado) = (id_of(&company.location("TX").await), id_of(&company.location("CO").await));
        let (ana, _) = company.onboarded("Ana", &texas, ("30.00", "Hour", "Nonexempt")).await;
        let all_there = {
            let (bob, _) = company.onboarded("Bob", &colorado, ("30.00", "Hour", "Nonexempt")).await;
            paid(&company, &bob).await.1
        };
        let first = &company.get(format!("/v1/employees/{ana}/work_addresses")).await.list()[0];
        let since = json!({ "version": first["version"], "effective_date": "2026-03-01" });
        company.put(format!("/v1/work_addresses/{}", text(first, "uuid")), since).await.ok();
        let moved = json!({ "location_uuid": colorado, "effective_date": "2026-06-08" });
        company.post(format!("/v1/employees/{ana}/work_addresses"), moved).await.created();
        let (payroll, paycheck) = paid(&company, &ana).await;
        let (half, whole) = (income_tax(&paycheck, "CO"), income_tax(&all_there, "CO"));
        assert!(half > Amount::ZERO && half < whole, "{half} of {whole}");
        assert_eq!(line(&paycheck["taxes"], "TX Withholding Tax"), &Value::Null);
        assert!(explanation_of(&company, &payroll, &ana).await.to_string().contains("wages_of_the_state"));
    });
}

#[test]
fn only_figures_in_doubt_can_be_confirmed() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let keys = vec!["PA_RESIDENCE".to_owned(), "CA_SDI".to_owned()];
        let put = move |tx: &mut store::Tx<'_>| confirmations::set_confirmed(tx, &keys, true);
        let refused = format!("{:?}", company.world.app.store.write(put).await.unwrap_err());
        assert!(refused.contains("CA_SDI names no unconfirmed figure"), "{refused}");
        let confirmed = company.world.app.store.read(confirmations::confirmed_keys).await.unwrap();
        assert!(confirmed.is_empty(), "all or none: {confirmed:?}");
    });
}

/// Lives in New York, at an office there, for a salary of 130,000 a year, 5,000 for two weeks.
async fn new_yorker(company: &Company) -> String {
    let office = id_of(&company.location("NY").await);
    let (ana, _) = company.onboarded("Ana", &office, ("130000.00", "Year", "Exempt")).await;
    live(company, &ana, ("Albany", "NY", "12207")).await;
    let first = &company.get(format!("/v1/employees/{ana}/work_addresses")).await.list()[0];
    let since = json!({ "version": first["version"], "effective_date": "2026-03-01" });
    company.put(format!("/v1/work_addresses/{}", text(first, "uuid")), since).await.ok();
    ana
}

async fn moves_home(company: &Company, employee: &str, (city, state, zip): (&str, &str, &str), day: &str) {
    let body = json!({ "street_1": "1 Elm Street", "city": city, "state": state, "zip": zip, "effective_date": day });
    company.post(format!("/v1/employees/{employee}/home_addresses"), body).await.created();
}

#[test]
fn who_moves_house_and_workplace_is_taxed_by_each_state_on_the_days_there() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let ana = new_yorker(&company).await;
        let colorado = id_of(&company.location("CO").await);
        let moved = json!({ "location_uuid": colorado, "effective_date": "2026-06-08" });
        company.post(format!("/v1/employees/{ana}/work_addresses"), moved).await.created();
        moves_home(&company, &ana, ("Denver", "CO", "80202"), "2026-06-08").await;
        company.calculate(&payroll).await;
        let why = explanation_of(&company, &payroll, &ana).await.to_string();
        assert!(
            !why.contains("taxes nonresidents"),
            "nobody lived in one state and worked in the other: {why}"
        );
        let found = read(&company, &payroll, "taxes").await;
        let tax = |state: &str| income_tax(of(&found, &ana), state).to_text(2);
        // Of 2,500.00 each, seven of fourteen days: 22.54 and 5.4 % of what 2,215.40 is above 535; 4.4 % of 2,288.46.
        assert_eq!((tax("NY").as_str(), tax("CO").as_str()), ("113.28", "100.69"));
    });
}

#[test]
fn a_home_after_the_last_day_of_work_taxes_nothing() {
    on_both_engines(async |engine: Engine| {
        let (company, texas, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &texas, ("130000.00", "Year", "Exempt")).await;
        live(&company, &ana, ("San Antonio", "TX", "78205")).await;
        let leaves = json!({ "effective_date": "2026-06-05", "run_termination_payroll": false });
        company.post(format!("/v1/employees/{ana}/terminations"), leaves).await.created();
        let tax = async || {
            company.calculate(&payroll).await;
            let found = read(&company, &payroll, "taxes").await;
            line(&of(&found, &ana)["taxes"], "NY Withholding Tax").clone()
        };
        moves_home(&company, &ana, ("New York", "NY", "10001"), "2026-06-08").await;
        assert_eq!(tax().await, Value::Null);
        // A move on a day of work counts.
        moves_home(&company, &ana, ("New York", "NY", "10002"), "2026-06-04").await;
        assert_ne!(tax().await, Value::Null);
    });
}

#[test]
fn a_day_at_a_location_elsewhere_leaves_the_rest_of_a_salary_at_the_work_address() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let ana = new_yorker(&company).await;
        let colorado = id_of(&company.location("CO").await);
        let day = json!({ "hourly_compensations": [{ "name": "Regular Hours", "hours": "8.000", "date": "2026-06-03",
                                                     "location_uuid": colorado }] });
        super::enter(&company, &payroll, &ana, day).await.ok();
        company.calculate(&payroll).await;
        let why = explanation_of(&company, &payroll, &ana).await.to_string();
        // One of ten working days is Colorado's.
        assert!(why.contains(r#""value":"500.00""#), "{why}");
        assert!(!why.contains(r#""name":"wages_of_the_state","value":"5000.00","state":"CO""#), "{why}");
        let found = read(&company, &payroll, "taxes").await;
        let of_state = |state: &str| income_tax(of(&found, &ana), state);
        assert!(of_state("NY") > Amount::parse("100").unwrap(), "{found}");
    });
}
