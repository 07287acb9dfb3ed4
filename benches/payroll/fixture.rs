//! Companies whose employees can be paid, put into a store without the interface, and their payrolls.

use domain::Error;
use domain::company::companies;
use domain::pay::payrolls::record::payroll::{Payroll, Request};
use domain::pay::payrolls::record::rows as payrolls;
use domain::pay::payrolls::run::calculation;
use domain::people::employees;
use domain::people::employees::counts::Counts;
use jiff::civil::{Date, date};
use rules::days::Days;
use rules::withholding::federal::PayFrequency;
use store::{Json, Store, Tx, params};
use uuid::Uuid;

store::statements! {
    LOCATION = "INSERT INTO locations (company_id, id, phone_number, street_1, city, state, zip, country, mailing_address, \
                filing_address, active, version, created_at, updated_at) \
                VALUES ($1, $2, '2175550142', '4 Cedar Row', 'Springfield', 'IL', '62701', 'USA', true, true, true, 1, $3, $3)";
    COMPANY_BENEFIT = "INSERT INTO company_benefits (company_id, id, benefit_type, active, description, \
                       responsible_for_employer_taxes, responsible_for_employee_w2, version, created_at, updated_at) \
                       VALUES ($1, $2, $3, true, $4, false, false, 1, $5, $5)";
    EMPLOYEE = "INSERT INTO employees (company_id, id, first_name, last_name, search_name, employee_code, date_of_birth, \
                onboarding_status, marked_steps, payment_method, i9_document, onboarded_at, version, created_at, updated_at) \
                VALUES ($1, $2, $3, 'Okafor', $3, $4, $5, 'onboarding_completed', 0, 'Direct Deposit', false, $6, 1, $6, $6)";
    JOB = "INSERT INTO employee_jobs (company_id, employee_id, id, title, hire_date, is_primary, two_percent_shareholder, \
           version, created_at, updated_at) VALUES ($1, $2, $3, 'Cook', $4, true, false, 1, $5, $5)";
    PAY = "INSERT INTO compensations (company_id, employee_id, job_id, id, rate, payment_unit, flsa_status, effective_date, \
           adjust_for_minimum_wage, minimum_wages, version, created_at, updated_at) \
           VALUES ($1, $2, $3, $4, $5, 'Hour', 'Nonexempt', $6, false, $7, 1, $8, $8)";
    WORK = "INSERT INTO work_addresses (company_id, employee_id, id, location_id, effective_date, version, created_at, updated_at) \
            VALUES ($1, $2, $3, $4, $5, 1, $6, $6)";
    W4 = "INSERT INTO employee_federal_taxes (company_id, employee_id, w4_data_type, filing_status, two_jobs, dependents_amount, \
          other_income, deductions, extra_withholding, version, created_at, updated_at) \
          VALUES ($1, $2, 'rev_2020_w4', $3, false, 0, 0, 0, 0, 1, $4, $4)";
    PLAN = "INSERT INTO employee_payment_methods (company_id, employee_id, split_by, splits, version, created_at, updated_at) \
            VALUES ($1, $2, 'Percentage', $3, 1, $4, $4)";
    BENEFIT = "INSERT INTO employee_benefits (company_id, employee_id, company_benefit_id, id, effective_date, active, \
               employee_deduction, deduct_as_percentage, contribution_type, contribution_value, contribution_tiers, elective, catch_up, \
               coverage_salary_multiplier, version, created_at, updated_at) \
               VALUES ($1, $2, $3, $4, $5, true, $6, $7, 'amount', 25000000, $8, false, false, 0, 1, $9, $9)";
    ORDER = "INSERT INTO garnishments (company_id, employee_id, id, active, description, court_ordered, garnishment_type, amount, \
             deduct_as_percentage, pay_period_maximum, recurring, support_state, fips_code, payment_period, case_number, version, \
             created_on, created_at, updated_at) \
             VALUES ($1, $2, $3, true, 'Child support', true, 'child_support', 50000000, true, 300000000, true, 'AL', '01000', \
             'Every other week', 'AL-77', 1, $4, $5, $5)";
    ENTERED = "INSERT INTO payroll_inputs (company_id, payroll_id, employee_id, excluded, inputs, version, updated_at) \
               VALUES ($1, $2, $3, false, $4, 1, $5)";
}

const START: Date = date(2026, 6, 1);
const END: Date = date(2026, 6, 14);

/// Calculates a payroll that was asked for.
pub async fn calculate(store: &Store, company: Uuid, payroll: Uuid) {
    calculation::calculate_payroll(store, company, payroll).await.unwrap();
    let told = store.read(move |tx| payrolls::find_payroll(tx, company, payroll)).await.unwrap().unwrap();
    assert_eq!(told.request, Some(Request::CalculateSuccess), "{}", told.request_errors);
}

/// A company with a location and two benefits.
pub async fn company(store: &Store) -> (Uuid, Uuid, [Uuid; 2]) {
    let made = store.write(|tx| {
        let (id, location, now) = (tx.new_id(), tx.new_id(), tx.now());
        let company = companies::rows::Company {
            company_status: rules::company::Status::Approved,
            is_partner_managed: true,
            time_zone: "America/Chicago".to_owned(),
            ..companies::rows::Company::new(id, "Bench".to_owned(), now)
        };
        companies::rows::insert_company(tx, &company)?;
        tx.insert_row(LOCATION, params![id, location, now])?;
        let benefits = [tx.new_id(), tx.new_id()];
        tx.insert_row(COMPANY_BENEFIT, params![id, benefits[0], 1_i64, "Medical", now])?;
        tx.insert_row(COMPANY_BENEFIT, params![id, benefits[1], 5_i64, "401(k)", now])?;
        Ok::<_, Error>((id, location, benefits))
    });
    made.await.unwrap()
}

/// A payroll of two weeks, some days after those of the first one.
pub async fn payroll(store: &Store, company: Uuid, days: i64) -> Uuid {
    let made = store.write(move |tx| {
        let later = |day: Date| day.saturating_add(jiff::Span::new().days(days));
        let new = Payroll::new(
            (tx.new_id(), tx.now()),
            Days { first: later(START), last: later(END) },
            later(date(2026, 6, 19)),
            PayFrequency::EveryOtherWeek,
        );
        payrolls::insert_payroll(tx, company, &new)?;
        Ok::<_, Error>(new.id)
    });
    made.await.unwrap()
}

/// Asks for the calculation of a payroll.
pub async fn request(store: &Store, company: Uuid, payroll: Uuid) {
    let change = |payroll: &mut Payroll| payroll.request = Some(Request::Calculating);
    changed(store, company, payroll, change).await;
}

/// Submits a calculated payroll.
pub async fn submit(store: &Store, company: Uuid, payroll: Uuid) {
    let change = |payroll: &mut Payroll| {
        payroll.request = Some(Request::Submitting);
        payroll.submitted_at = payroll.calculated_at;
    };
    changed(store, company, payroll, change).await;
}

async fn changed(
    store: &Store,
    company: Uuid,
    payroll: Uuid,
    change: impl Fn(&mut Payroll) + Send + 'static,
) {
    let written = store.write(move |tx| {
        let mut one = payrolls::find_payroll(tx, company, payroll)?.unwrap();
        change(&mut one);
        assert!(payrolls::update_payroll(tx, company, &one)?);
        Ok::<_, Error>(())
    });
    written.await.unwrap();
}

/// Somebody with hours entered in some payrolls.
pub fn employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    location: Uuid,
    benefits: [Uuid; 2],
    entered: &[Uuid],
    number: usize,
) -> Result<(), Error> {
    let (id, now, since) = (tx.new_id(), tx.now(), date(2020, 1, 6));
    let number = i64::try_from(number).unwrap();
    let born =
        tx.seal_field(employees::rows::sealed_field_place(company, id, "date_of_birth"), b"1980-02-03")?;
    let name = format!("Robin {number}");
    let code = format!("{number:06}");
    tx.insert_row(EMPLOYEE, params![company, id, &name, &code, &born[..], now])?;
    employees::counts::add_to_counts(tx, company, Counts::one_employee(true))?;
    let (job, pay, work, order) = (tx.new_id(), tx.new_id(), tx.new_id(), tx.new_id());
    let cents = 1_500 + number * 37 % 4_000;
    tx.insert_row(JOB, params![company, id, job, since, now])?;
    tx.insert_row(PAY, params![company, id, job, pay, cents * 10_000, since, Json("[]"), now])?;
    tx.insert_row(WORK, params![company, id, work, location, since, now])?;
    let status = if number % 3 == 0 { "Married" } else { "Single" };
    tx.insert_row(W4, params![company, id, status, now])?;
    let splits = format!(r#"[{{"account":"{}","priority":1,"amount":100}}]"#, tx.new_id());
    tx.insert_row(PLAN, params![company, id, Json(&splits), now])?;
    let terms = [(benefits[0], 120_000_000_i64, false), (benefits[1], 5_000_000, true)];
    for (benefit, deduction, percent) in terms {
        let window = tx.new_id();
        tx.insert_row(
            BENEFIT,
            params![company, id, benefit, window, since, deduction, percent, Json("[]"), now],
        )?;
    }
    tx.insert_row(ORDER, params![company, id, order, since, now])?;
    let hours = (6_000 + number * 53 % 2_000) * 10_000;
    let lines = format!(r#"{{"hourly":[{{"job":"{job}","kind":"Regular Hours","hours":{hours}}}]}}"#);
    for payroll in entered {
        tx.insert_row(ENTERED, params![company, payroll, id, Json(&lines), now])?;
    }
    Ok(())
}
