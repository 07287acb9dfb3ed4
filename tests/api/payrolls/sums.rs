//! The sums of the year that paychecks rest on, however long ago somebody was paid last, and whoever noted them.

use domain::Error;
use serde_json::{Value, json};
use store::params;
use store::record::{Cursor, JsonText};
use uuid::Uuid;

use super::{company, enter, hours, path};
use crate::support::{Company, Engine, on_both_engines};

store::statements! {
    // Processed payrolls of others: as many as there are places after the one that is copied.
    COPY = "INSERT INTO payrolls (company_id, id, start_date, end_date, check_date, initial_check_date, off_cycle, chosen_employees, \
            withholding_pay_period, skip_regular_deductions, fixed_withholding_rate, check_only, prepared, inputs, request_errors, totals, version, created_at, \
            updated_at, pay_frequency, run_id, run_number, submitted_at, processed_at) \
            SELECT company_id, $1, start_date, end_date, check_date, initial_check_date, true, true, \
            withholding_pay_period, skip_regular_deductions, fixed_withholding_rate, check_only, prepared, inputs, request_errors, totals, version, created_at, \
            updated_at, pay_frequency, $1, $2, submitted_at, processed_at FROM payrolls WHERE company_id = $3 AND id = $4";
    COPY_RUN = "INSERT INTO payroll_runs (company_id, id, payroll_id, check_date, tables, created_at, recorded_to) \
                SELECT company_id, $1, $1, check_date, tables, created_at, recorded_to FROM payroll_runs \
                WHERE company_id = $2 AND payroll_id = $3";
    SUMS = "SELECT r.year_to_date FROM payrolls p JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id \
            WHERE p.company_id = $1 AND p.id = $2 AND r.employee_id = $3";
    NOTED = "SELECT p.id FROM last_paychecks s JOIN payrolls p ON p.company_id = s.company_id AND p.run_id = s.run_id \
             WHERE s.company_id = $1 AND s.employee_id = $2";
}

async fn write(
    company: &Company,
    work: impl Fn(&mut store::Tx<'_>) -> Result<(), Error> + Send + Sync + 'static,
) {
    company.world.app.store.write(work).await.unwrap();
}

/// Gross pay of the year with a paycheck, in dollars.
async fn gross_of_year(company: &Company, payroll: &str, employee: &str) -> i64 {
    let ids = (company.id, payroll.parse::<Uuid>().unwrap(), employee.parse::<Uuid>().unwrap());
    let read = company.world.app.store.read(move |tx| {
        let read = |row: &store::Row<'_>| {
            Cursor::new(row, "payroll_results", 0).read_stored::<JsonText, String>("year_to_date")
        };
        Ok::<_, Error>(tx.try_find(SUMS, params![ids.0, ids.1, ids.2], read)?)
    });
    let sums: Value = serde_json::from_str(&read.await.unwrap().unwrap()).unwrap();
    sums["years"]["2026"]["gross"].as_i64().unwrap() / 1_000_000
}

/// Which payroll is noted as the last one of an employee.
async fn noted(company: &Company, employee: &str) -> Option<String> {
    let (id, employee) = (company.id, employee.parse::<Uuid>().unwrap());
    let read =
        company.world.app.store.read(move |tx| {
            Ok::<_, Error>(tx.find_row(NOTED, params![id, employee], |row| row.get::<Uuid>(0))?)
        });
    read.await.unwrap().map(|id| id.to_string())
}

async fn pay(company: &Company, payroll: &str, employee: &str, what: Value) {
    enter(company, payroll, employee, what).await.ok();
    company.calculate(payroll).await;
}

fn bonus(amount: &str) -> Value {
    json!({ "fixed_compensations": [{ "name": "Bonus", "amount": amount }] })
}

/// Ana, whose regular payroll paid 1,600.00.
async fn paid(engine: Engine) -> (Company, String, String, String) {
    let (company, location, payroll) = company(engine).await;
    let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
    pay(&company, &payroll, &ana, hours("80")).await;
    company.submit(&payroll).await;
    (company, location, payroll, ana)
}

/// A payroll outside the schedule with a bonus for one employee, calculated.
async fn extra(company: &Company, employee: &str, amount: &str) -> String {
    let payroll = company.off_cycle(&[employee]).await;
    pay(company, &payroll, employee, bonus(amount)).await;
    payroll
}

#[test]
fn the_sums_of_somebody_who_was_paid_more_than_a_thousand_payrolls_ago_are_found() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll, ana) = paid(engine).await;
        assert_eq!(noted(&company, &ana).await.as_ref(), Some(&payroll));
        let (id, first) = (company.id, payroll.parse::<Uuid>().unwrap());
        write(&company, move |tx| {
            for number in 2..=1_005_i64 {
                let copy = tx.new_id();
                tx.insert_row(COPY, params![copy, number, id, first])?;
                tx.insert_row(COPY_RUN, params![copy, id, first])?;
            }
            Ok(())
        })
        .await;
        let more = extra(&company, &ana, "900.00").await;
        assert_eq!(gross_of_year(&company, &more, &ana).await, 2_500);
        company.calculate(&more).await;
        assert_eq!(gross_of_year(&company, &more, &ana).await, 2_500);
    });
}

#[test]
fn a_payroll_that_is_taken_back_leaves_the_sums_of_the_one_before() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll, ana) = paid(engine).await;
        let more = extra(&company, &ana, "900.00").await;
        company.submit(&more).await;
        assert_eq!(noted(&company, &ana).await.as_ref(), Some(&more));
        let last = extra(&company, &ana, "100.00").await;
        assert_eq!(gross_of_year(&company, &last, &ana).await, 2_600);

        // Before the work in the background has undone what was noted, and after it.
        company.put(path(&more, "/cancel"), json!({})).await.ok();
        company.calculate(&last).await;
        assert_eq!(gross_of_year(&company, &last, &ana).await, 1_700);
        company.work().await;
        assert_eq!(noted(&company, &ana).await.as_ref(), Some(&payroll));
        company.calculate(&last).await;
        assert_eq!(gross_of_year(&company, &last, &ana).await, 1_700);
    });
}

#[test]
fn what_was_calculated_on_top_of_a_payroll_that_is_taken_back_is_calculated_again_whoever_is_paid_meanwhile()
{
    on_both_engines(async |engine: Engine| {
        let (company, location, _, ana) = paid(engine).await;
        let (ben, _) = company.onboarded("Ben", &location, ("20.00", "Hour", "Nonexempt")).await;
        let first = extra(&company, &ana, "900.00").await;
        company.submit(&first).await;
        let last = extra(&company, &ana, "100.00").await;
        let other = extra(&company, &ben, "50.00").await;
        company.submit(&other).await;

        // The pay of somebody else does not rest on it.
        company.put(path(&first, "/cancel"), json!({})).await.ok();
        let more = extra(&company, &ben, "60.00").await;
        company.submit(&more).await;
        let refused = company.put(path(&last, "/submit"), json!({})).await.refused(422);
        assert!(refused.message().contains("Calculate the payroll"), "{}", refused.message());
        company.calculate(&last).await;
        assert_eq!(gross_of_year(&company, &last, &ana).await, 1_700);
        company.submit(&last).await;
        // And what does rest on another one is in its way.
        let on_top = extra(&company, &ana, "10.00").await;
        company.submit(&on_top).await;
        let refused = company.put(path(&last, "/cancel"), json!({})).await.refused(422);
        assert!(refused.message().contains("depends on this one"), "{}", refused.message());
    });
}

#[test]
fn a_payroll_taken_back_leaves_the_one_before() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _, ana) = paid(engine).await;
        let mut taken = Vec::new();
        for amount in ["900.00", "50.00"] {
            let more = extra(&company, &ana, amount).await;
            company.submit(&more).await;
            taken.push(more);
        }
        company.put(path(&taken[1], "/cancel"), json!({})).await.ok();
        // Nothing has been undone in the background yet.
        let last = extra(&company, &ana, "7.00").await;
        assert_eq!(gross_of_year(&company, &last, &ana).await, 2_507);
    });
}
