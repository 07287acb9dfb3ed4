//! What an older node makes of records that a newer version has written, while both run beside each other: lists leave
//! them out, a record by itself is said not to be there yet, and nothing of them is changed.

use serde_json::{Value, json};
use store::params;

use crate::support::{Company, Engine, id_of, on_both_engines, text};

store::statements! {
    EMPLOYEE = "UPDATE employees SET onboarding_status = 'word_of_tomorrow' WHERE company_id = $1 AND id = $2";
    PAYROLL = "UPDATE payrolls SET request_status = 'word_of_tomorrow' WHERE company_id = $1 AND id = $2";
    TOTALS = "UPDATE payrolls SET totals = '{\"totals\": [\"of tomorrow\"]}' WHERE company_id = $1 AND id = $2";
    SHAPE = "UPDATE payrolls SET totals = '3' WHERE company_id = $1 AND id = $2";
    SCHEDULE = "UPDATE pay_schedules SET frequency = 'word_of_tomorrow' WHERE company_id = $1 AND id = $2";
    GARNISHMENT = "UPDATE garnishments SET garnishment_type = 'word_of_tomorrow' WHERE company_id = $1 AND id = $2";
    OFFERED = "UPDATE company_benefits SET benefit_type = 987654 WHERE company_id = $1 AND id = $2";
    HELD = "UPDATE employee_benefits SET contribution_type = 'word_of_tomorrow' WHERE company_id = $1 AND id = $2";
    ACCOUNT = "UPDATE employee_bank_accounts SET account_type = 'word_of_tomorrow' WHERE company_id = $1 AND id = $2";
    FORM = "UPDATE employee_forms SET name = 'word_of_tomorrow' WHERE company_id = $1 AND id = $2";
    SUBSCRIPTION = "UPDATE webhook_subscriptions SET status = 'word_of_tomorrow' WHERE application_id = $1 AND id = $2";
    EMPLOYEES = "SELECT version, onboarding_status FROM employees WHERE company_id = $1 AND id = $2";
}

/// Writes into a record as a newer version would.
async fn as_of_tomorrow(company: &Company, statement: store::Sql, id: &str) {
    let (owner, id) = (company.id, id.parse::<uuid::Uuid>().unwrap());
    let owner = if statement == SUBSCRIPTION { company.application } else { owner };
    let written = company
        .world
        .app
        .store
        .write(move |tx| Ok::<_, store::Error>(tx.change_rows(statement, params![owner, id])?.is_one()));
    assert!(written.await.unwrap(), "{}", statement.text());
}

/// A record of each kind that has words of closed sets: where it is listed, where it is read by itself, and how a newer
/// version would have written it.
async fn records(
    company: &Company,
    employee: &str,
    location: &str,
) -> Vec<(String, Option<String>, String, store::Sql)> {
    let mut records = Vec::new();
    let made = async |path: &str, body: Value| id_of(&company.post(path, body).await.created());
    let order = json!({ "court_ordered": true, "garnishment_type": "creditor_garnishment", "amount": "10", "description": "Loan" });
    let path = format!("/v1/employees/{employee}/garnishments");
    let id = made(&path, order).await;
    records.push((path, Some(format!("/v1/garnishments/{id}")), id, GARNISHMENT));
    let path = "/v1/companies/{company}/company_benefits";
    let offered = made(path, json!({ "benefit_type": 5, "description": "401(k)" })).await;
    let spare = made(path, json!({ "benefit_type": 105, "description": "Roth" })).await;
    records.push((path.to_owned(), Some(format!("/v1/company_benefits/{spare}")), spare, OFFERED));
    let path = format!("/v1/employees/{employee}/employee_benefits");
    let held =
        json!({ "company_benefit_uuid": offered, "employee_deduction": "5", "effective_date": "2026-06-01" });
    let id = made(&path, held).await;
    records.push((path, Some(format!("/v1/employee_benefits/{id}")), id, HELD));
    let path = format!("/v1/employees/{employee}/bank_accounts");
    let account = json!({ "name": "Rent", "routing_number": "021001208", "account_number": "90126600418", "account_type": "Checking" });
    let id = made(&path, account).await;
    records.push((path, None, id, ACCOUNT));
    let path = format!("/v1/employees/{employee}/forms");
    let form = id_of(&company.get(&path).await.list()[0]);
    records.push((path, None, form, FORM));
    let id = company.off_cycle(&[employee]).await;
    let path = "/v1/companies/{company}/payrolls";
    let listed = format!("{path}?processing_statuses=unprocessed&payroll_types=off_cycle");
    records.push((listed.clone(), Some(format!("{path}/{id}")), id, PAYROLL));
    // JSON of a shape that this version does not know is of a newer one, too.
    for statement in [TOTALS, SHAPE] {
        let id = company.off_cycle(&[employee]).await;
        records.push((listed.clone(), Some(format!("{path}/{id}")), id, statement));
    }
    let path = "/v1/companies/{company}/pay_schedules";
    let schedule = json!({ "frequency": "Every week", "anchor_pay_date": "2026-07-02", "anchor_end_of_pay_period": "2026-06-28" });
    let id = made(path, schedule).await;
    records.push((path.to_owned(), Some(format!("{path}/{id}")), id, SCHEDULE));
    let (other, _) = company.onboarded("Zoe", location, ("20.00", "Hour", "Nonexempt")).await;
    let path = "/v1/companies/{company}/employees";
    records.push((path.to_owned(), Some(format!("/v1/employees/{other}")), other, EMPLOYEE));
    records
}

fn ids(list: &[Value]) -> Vec<String> {
    list.iter()
        .map(|one| one.get("payroll_uuid").map_or_else(|| id_of(one), |_| text(one, "payroll_uuid")))
        .collect()
}

#[test]
fn a_record_of_a_newer_version_is_left_out_of_lists_and_left_alone() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-18", "anchor_end_of_pay_period": "2026-06-14" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        for (listed, alone, id, statement) in records(&company, &ana, &location).await {
            let before = ids(&company.get(&listed).await.list());
            assert!(before.contains(&id), "{listed}");
            as_of_tomorrow(&company, statement, &id).await;
            let after = ids(&company.get(&listed).await.list());
            let others: Vec<_> = before.into_iter().filter(|one| *one != id).collect();
            assert_eq!(after, others, "{listed}: all the others, in their order");
            if let Some(alone) = alone {
                let told = company.call("GET", &alone).among_too_many().send().await.refused(503);
                assert!(text(told.only(), "message").contains("newer version"), "{alone}");
            }
        }
    });
}

#[test]
fn a_record_of_a_newer_version_is_not_changed_by_an_older_one() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let ana = company.employee("Ana").await;
        let (owner, id) = (company.id, id_of(&ana));
        as_of_tomorrow(&company, EMPLOYEE, &id).await;
        let body = json!({ "version": ana["version"], "first_name": "Bea" });
        let path = format!("/v1/employees/{id}");
        company.call("PUT", &path).json(&body).among_too_many().send().await.refused(503);
        company.call("DELETE", &path).among_too_many().send().await.refused(503);
        let id: uuid::Uuid = id.parse().unwrap();
        let read = company.world.app.store.read(move |tx| {
            let row = |row: &store::Row<'_>| (row.get::<i64>(0), row.get::<String>(1));
            tx.find_row(EMPLOYEES, params![owner, id], row)
        });
        let read: Result<_, store::Error> = read.await;
        assert_eq!(read.unwrap(), Some((1, "word_of_tomorrow".to_owned())));
    });
}

#[test]
fn what_stands_in_the_way_of_payroll_is_not_decided_without_a_record_of_a_newer_version() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let schedule = json!({ "frequency": "Every week", "anchor_pay_date": "2026-06-18", "anchor_end_of_pay_period": "2026-06-14" });
        let schedule = company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let path = "/v1/companies/{company}/payrolls/blockers";
        assert!(company.get(path).await.list().is_empty());
        as_of_tomorrow(&company, SCHEDULE, &id_of(&schedule)).await;
        company.call("GET", path).among_too_many().send().await.refused(503);
    });
}

#[test]
fn a_subscription_of_a_newer_version_is_left_out_of_the_list() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let body = json!({ "url": "https://pos.example/hooks", "subscription_types": ["Employee"] });
        let path = "/v1/webhook_subscriptions";
        let id = id_of(&company.post(path, body).await.created());
        as_of_tomorrow(&company, SUBSCRIPTION, &id).await;
        assert!(company.get(path).await.list().is_empty());
    });
}
