//! Many people with salaries who have been onboarded, put into the store at once: making them one by one takes minutes.

use domain::Error;
use domain::people::employees::counts;
use domain::people::employees::counts::Counts;
use jiff::civil::date;
use store::{Json, Tx, params};
use uuid::Uuid;

store::statements! {
    PERSON = "INSERT INTO employees (company_id, id, first_name, last_name, search_name, employee_code, onboarding_status, \
              marked_steps, payment_method, i9_document, onboarded_at, version, created_at, updated_at) \
              VALUES ($1, $2, $3, 'Crowd', $3, $5, 'onboarding_completed', 0, 'Check', false, $4, 1, $4, $4)";
    JOB = "INSERT INTO employee_jobs (company_id, employee_id, id, title, hire_date, is_primary, two_percent_shareholder, \
           version, created_at, updated_at) VALUES ($1, $2, $3, 'Clerk', $4, true, false, 1, $5, $5)";
    PAY = "INSERT INTO compensations (company_id, employee_id, job_id, id, rate, payment_unit, flsa_status, effective_date, \
           adjust_for_minimum_wage, minimum_wages, version, created_at, updated_at) \
           VALUES ($1, $2, $3, $4, $5, 'Year', 'Exempt', $6, false, $7, 1, $8, $8)";
    WORK = "INSERT INTO work_addresses (company_id, employee_id, id, location_id, effective_date, version, created_at, updated_at) \
            VALUES ($1, $2, $3, $4, $5, 1, $6, $6)";
}

/// One of many, with a salary of their own.
///
/// # Errors
/// A store error.
pub fn member(tx: &mut Tx<'_>, company: Uuid, location: Uuid, number: i64) -> Result<(), Error> {
    let (id, now, since) = (tx.new_id(), tx.now(), date(2026, 3, 1));
    let (job, pay, work) = (tx.new_id(), tx.new_id(), tx.new_id());
    let name = format!("Person {number:05}");
    let code = id.simple().to_string();
    tx.insert_row(PERSON, params![company, id, &name, now, &code])?;
    counts::add_to_counts(tx, company, Counts::one_employee(true))?;
    tx.insert_row(JOB, params![company, id, job, since, now])?;
    let rate = (40_000 + number * 7_919 % 90_000) * 1_000_000;
    tx.insert_row(PAY, params![company, id, job, pay, rate, since, Json("[]"), now])?;
    Ok(tx.insert_row(WORK, params![company, id, work, location, since, now])?)
}
