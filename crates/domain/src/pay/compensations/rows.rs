//! Rows of jobs and compensations.

use std::collections::HashMap;

use jiff::civil::Date;
use rules::compensation::{FlsaStatus, PayTerms, PaymentUnit};
use rules::{Amount, Named};
use serde::{Deserialize, Serialize};
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::records::Millionths;

store::record! {
    /// A job of an employee.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Job in "employee_jobs" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// title, such as `Head Waiter`
            pub title: Option<String>,
            /// first day of work
            pub hire_date: Date,
            /// last day of work in it; `None` while it goes on
            pub end_date: Option<Date>,
            /// whether the employee owns more than 2 % of an S corporation
            pub two_percent_shareholder: bool,
            /// whether the state's workers' compensation covers the job
            pub state_wc_covered: Option<bool>,
            /// risk class of the state's workers' compensation
            pub state_wc_class_code: Option<String>,
            /// section of law under which the employee agreed to overtime at the rate in effect; `None` without such an agreement
            pub agreed_overtime_rate: Option<String>,
            /// whether a salary covers all hours of a workweek, however many (29 CFR 778.114)
            pub fluctuating_workweek: bool,
            /// code of the occupation in which tips are customary (26 CFR 1.224-1(h)); `None` without tips
            pub tipped_occupation: Option<String>,
        }
        fixed {
            /// whether it is the employee's first job
            pub is_primary: bool,
        }
        times { created_at, updated_at }
        version
    }
}

store::record! {
    /// The pay of a job from its effective date on.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Compensation in "compensations" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
            /// the job
            pub job: Uuid = "job_id",
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// dollars per payment unit
            pub rate: Amount as Millionths,
            /// unit of the rate
            pub payment_unit: PaymentUnit as text,
            /// overtime status
            pub flsa_status: FlsaStatus as text,
            /// effective date
            pub effective_date: Date,
            /// title while in effect, if different from the job's
            pub title: Option<String>,
            /// whether pay is raised to the minimum wage if cash wages and tips are below it
            pub adjust_for_minimum_wage: bool,
            /// the minimum wages chosen for the adjustment
            pub minimum_wages: Vec<ChosenWage> as json,
        }
        times { created_at, updated_at }
        version
    }
}

/// A minimum wage chosen for a compensation, with its amount at that time. Payrolls use the amount in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenWage {
    /// identifier of the rule
    #[serde(rename = "uuid")]
    pub rule: Uuid,
    /// dollars per hour
    pub wage: Amount,
    /// first day of that amount
    pub effective_date: Date,
}

impl Job {
    /// Returns its first day of work, and its last one if it has ended.
    pub fn employment_dates(&self) -> (Date, Option<Date>) {
        (self.hire_date, self.end_date)
    }

    /// Whether it has ended before a day.
    pub fn has_ended_before(&self, day: Date) -> bool {
        self.end_date.is_some_and(|last| last < day)
    }
}

impl Compensation {
    /// Returns rate, unit and overtime status.
    pub fn pay_terms(&self) -> PayTerms {
        PayTerms { rate: self.rate, unit: self.payment_unit, flsa: self.flsa_status }
    }

    /// Replaces rate, unit and overtime status.
    pub fn set_terms(&mut self, terms: PayTerms) {
        (self.rate, self.payment_unit, self.flsa_status) = (terms.rate, terms.unit, terms.flsa);
    }
}

store::statements! {
    records Job, Compensation;
    JOBS = store::text!(Job::SELECT, " AND employee_id = $2 ORDER BY id");
    JOBS_BETWEEN = store::text!(Job::SELECT, " AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id, id LIMIT $4");
    COMPENSATIONS = store::text!(Compensation::SELECT, " AND employee_id = $2 ORDER BY job_id, id");
    COMPENSATIONS_BETWEEN = store::text!(Compensation::SELECT, " AND employee_id BETWEEN $2 AND $3 \
                                                                ORDER BY employee_id, job_id, id LIMIT $4");
    EMPLOYEE_OF_JOB = "SELECT employee_id FROM employee_jobs WHERE company_id = $1 AND id = $2";
    EMPLOYEE_OF_COMPENSATION = "SELECT employee_id FROM compensations WHERE company_id = $1 AND id = $2";
    DELETE_COMPENSATIONS_OF_JOB = "DELETE FROM compensations WHERE company_id = $1 AND employee_id = $2 AND job_id = $3";
    FORGET_JOBS = "DELETE FROM employee_jobs WHERE company_id = $1 AND employee_id = $2";
    FORGET_COMPENSATIONS = "DELETE FROM compensations WHERE company_id = $1 AND employee_id = $2";
}

/// The jobs of an employee and their compensations.
#[derive(Debug, Clone, Default)]
pub struct Pay {
    /// primary job first, then in order of creation
    pub jobs: Vec<Job>,
    /// grouped by job, in order of creation within each
    pub compensations: Vec<Compensation>,
}

impl Pay {
    /// Returns the job, if the employee has it.
    pub fn find_job(&self, id: Uuid) -> Option<&Job> {
        self.jobs.iter().find(|job| job.id == id)
    }

    /// Returns the primary job.
    pub fn primary_job(&self) -> Option<&Job> {
        self.jobs.iter().find(|job| job.is_primary)
    }

    /// Whether a compensation of any job is adjusted to the minimum wage.
    pub fn adjusts_for_minimum_wage(&self) -> bool {
        self.compensations.iter().any(|one| one.adjust_for_minimum_wage)
    }

    /// Returns the job's compensations in order of creation.
    pub fn of_job(&self, job: Uuid) -> &[Compensation] {
        self.compensations.chunk_by(|a, b| a.job == b.job).find(|of_one| of_one[0].job == job).unwrap_or(&[])
    }

    /// Returns the job's compensation in effect on a day.
    pub fn compensation_on(&self, job: Uuid, today: Date) -> Option<&Compensation> {
        rules::effective::active_record(self.of_job(job), today, |compensation| compensation.effective_date)
    }

    fn put_primary_first(&mut self) {
        // The primary job is the oldest, so it is almost always first already.
        if let Some(place) = self.jobs.iter().position(|job| job.is_primary) {
            self.jobs[..=place].rotate_right(1);
        }
    }
}

/// Whether the employee has pay terms. The empty compensation of a new job does not count.
pub fn has_terms(pay: &Pay) -> bool {
    pay.compensations.iter().any(|c| c.rate > Amount::ZERO || c.flsa_status.is_commission_only())
}

/// Returns the first day of work in the primary job.
pub fn start_date(pay: &Pay) -> Option<Date> {
    pay.primary_job().map(|job| job.hire_date)
}

/// Returns the jobs and pay of one employee.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Pay, Error> {
    let jobs = tx.try_query(JOBS, params![company, employee], Job::read)?;
    if jobs.is_empty() {
        return Ok(Pay::default());
    }
    let compensations = tx.try_query(COMPENSATIONS, params![company, employee], Compensation::read)?;
    let mut pay = Pay { jobs, compensations };
    pay.put_primary_first();
    Ok(pay)
}

/// Maximum number of rows in a range scan: this many for each requested employee, plus a constant. A range with more rows has too many
/// other employees.
const ROWS_PER_EMPLOYEE: usize = 20;
const EXTRA_ROWS: usize = 100;

/// Announces the queries that [`of_employees`] will make (see [`Tx::announce_pay_queries`]).
pub fn announce_pay_queries(
    tx: &mut Tx<'_>,
    company: Uuid,
    employees: impl IntoIterator<Item = Uuid>,
) -> Result<(), Error> {
    let requested = in_order(employees);
    match requested.as_slice() {
        [] => {}
        [one] => {
            tx.announce_query(JOBS, params![company, one])?;
            tx.announce_query(COMPENSATIONS, params![company, one])?;
        }
        [first, .., last] => {
            let limit = i64::try_from(most_rows(&requested)).unwrap_or(i64::MAX);
            tx.announce_query(JOBS_BETWEEN, params![company, first, last, limit])?;
            tx.announce_query(COMPENSATIONS_BETWEEN, params![company, first, last, limit])?;
        }
    }
    Ok(())
}

fn in_order(employees: impl IntoIterator<Item = Uuid>) -> Vec<Uuid> {
    let mut requested: Vec<Uuid> = employees.into_iter().collect();
    requested.sort_unstable();
    requested.dedup();
    requested
}

fn most_rows(employees: &[Uuid]) -> usize {
    employees.len() * ROWS_PER_EMPLOYEE + EXTRA_ROWS
}

/// Returns the jobs and pay of several employees. The employees of a page are usually close together and are then read with one range scan
/// per table; employees that are too far apart are read one by one. An employee
/// without jobs may be absent from the result.
pub fn of_employees(
    tx: &mut Tx<'_>,
    company: Uuid,
    employees: impl IntoIterator<Item = Uuid>,
) -> Result<HashMap<Uuid, Pay>, Error> {
    let requested = in_order(employees);
    if requested.len() > 1
        && let Some(found) = pay_in_range(tx, company, &requested)?
    {
        return Ok(found);
    }
    let mut found = HashMap::with_capacity(requested.len());
    for employee in requested {
        found.insert(employee, of_employee(tx, company, employee)?);
    }
    Ok(found)
}

/// Like [`of_employees`], with a range scan over employees in ascending order; `None` if the range has too many rows.
fn pay_in_range(
    tx: &mut Tx<'_>,
    company: Uuid,
    employees: &[Uuid],
) -> Result<Option<HashMap<Uuid, Pay>>, Error> {
    let [first, .., last] = employees else { return Ok(None) };
    let most = most_rows(employees);
    let limit = i64::try_from(most).unwrap_or(i64::MAX);
    let bounds = params![company, first, last, limit];
    // Rows of other employees are skipped before any column is copied.
    let is_other =
        |row: &Row<'_>| row.try_get(0).is_ok_and(|employee| employees.binary_search(&employee).is_err());
    let jobs =
        tx.try_query(
            JOBS_BETWEEN,
            bounds,
            |row| if is_other(row) { Ok(None) } else { Job::read(row).map(Some) },
        )?;
    if jobs.len() >= most {
        return Ok(None);
    }
    let compensations = tx.try_query(COMPENSATIONS_BETWEEN, bounds, |row| {
        if is_other(row) { Ok(None) } else { Compensation::read(row).map(Some) }
    })?;
    if compensations.len() >= most {
        return Ok(None);
    }
    let mut found: HashMap<Uuid, Pay> = HashMap::new();
    for job in jobs.into_iter().flatten() {
        found.entry(job.employee).or_default().jobs.push(job);
    }
    for compensation in compensations.into_iter().flatten() {
        found.entry(compensation.employee).or_default().compensations.push(compensation);
    }
    found.values_mut().for_each(Pay::put_primary_first);
    Ok(Some(found))
}

/// Finds the employee of a job.
pub fn employee_of_job(tx: &mut Tx<'_>, company: Uuid, job: Uuid) -> Result<Option<Uuid>, Error> {
    Ok(tx.find_row(EMPLOYEE_OF_JOB, params![company, job], |row| row.get(0))?)
}

/// Finds the employee of a compensation.
pub fn employee_of_compensation(
    tx: &mut Tx<'_>,
    company: Uuid,
    compensation: Uuid,
) -> Result<Option<Uuid>, Error> {
    Ok(tx.find_row(EMPLOYEE_OF_COMPENSATION, params![company, compensation], |row| row.get(0))?)
}

/// Deletes the jobs and compensations of an employee who is being deleted.
pub fn delete_employee_pay(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    for statement in [FORGET_COMPENSATIONS, FORGET_JOBS] {
        let _there_may_be_none = tx.change_rows(statement, params![company, employee])?.rows();
    }
    Ok(())
}

/// Deletes a job and its compensations.
pub fn delete_job(tx: &mut Tx<'_>, company: Uuid, job: &Job) -> Result<bool, Error> {
    let parameters = params![company, job.employee, job.id];
    let _deleted_compensations = tx.change_rows(DELETE_COMPENSATIONS_OF_JOB, parameters)?.rows();
    Ok(job.delete(tx, company)?)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use store::{Clock, MasterKeys, Options, Store};

    use super::*;

    const COMPANY: Uuid = Uuid::from_u128(7);

    store::statements! {
        SET_MINIMUM_WAGES = "UPDATE compensations SET minimum_wages = $1 WHERE company_id = $2";
    }

    fn a_job(employee: u128, id: u128, is_primary: bool) -> Job {
        Job {
            employee: Uuid::from_u128(employee),
            id: Uuid::from_u128(id),
            title: Some("Cook".to_owned()),
            hire_date: date(2026, 6, 1),
            end_date: None,
            is_primary,
            two_percent_shareholder: false,
            state_wc_covered: None,
            state_wc_class_code: None,
            agreed_overtime_rate: None,
            fluctuating_workweek: false,
            tipped_occupation: None,
            version: 1,
        }
    }

    fn a_compensation(job: &Job, id: u128) -> Compensation {
        let rate = Amount::from_cents(1_500);
        Compensation {
            employee: job.employee,
            job: job.id,
            id: Uuid::from_u128(id),
            rate,
            payment_unit: PaymentUnit::Hour,
            flsa_status: FlsaStatus::Nonexempt,
            effective_date: job.hire_date,
            title: None,
            adjust_for_minimum_wage: false,
            minimum_wages: Vec::new(),
            version: 1,
        }
    }

    /// Creates employees 1, 2, … with one job and one compensation each.
    async fn employees(count: u128) -> Store {
        let keys = MasterKeys::parse(&MasterKeys::generate_key()).unwrap();
        let options = Options::new(Clock::from_system(), keys, crate::SCHEMA);
        let store = Store::open("sqlite::memory:", options).unwrap();
        let filled = store.write(move |tx| {
            for employee in 1..=count {
                let job = a_job(employee, 10_000 + employee, true);
                job.insert(tx, COMPANY)?;
                a_compensation(&job, 20_000 + employee).insert(tx, COMPANY)?;
            }
            Ok::<_, Error>(())
        });
        filled.await.unwrap();
        store
    }

    #[tokio::test]
    async fn a_page_of_employees_is_read_as_if_each_were_looked_up() {
        let store = employees(300).await;
        // Adjacent employees, employees with others between them, too far apart for a range scan, unknown, and repeated.
        for asked in [vec![3, 1, 2], vec![1, 50, 90], vec![300, 1], vec![5, 999], vec![4], vec![4, 4], vec![]]
        {
            let ids: Vec<Uuid> = asked.into_iter().map(Uuid::from_u128).collect();
            store
                .read(move |tx| {
                    let found = of_employees(tx, COMPANY, ids.iter().copied())?;
                    assert!(found.keys().all(|employee| ids.contains(employee)));
                    for employee in &ids {
                        let alone = of_employee(tx, COMPANY, *employee)?;
                        assert_eq!(found[employee].jobs, alone.jobs);
                        assert_eq!(found[employee].compensations, alone.compensations);
                    }
                    Ok::<_, Error>(())
                })
                .await
                .unwrap();
        }
    }

    #[tokio::test]
    async fn pay_comes_back_as_it_was_stored_and_only_in_its_company() {
        let store = employees(1).await;
        store
            .write(move |tx| {
                let second = Job { state_wc_covered: Some(true), ..a_job(1, 10_009, false) };
                let owner = PayTerms {
                    rate: Amount::from_millionths(500_123_456),
                    unit: PaymentUnit::Paycheck,
                    flsa: FlsaStatus::Owner,
                };
                let wage = ChosenWage {
                    rule: Uuid::from_u128(3),
                    wage: Amount::from_cents(725),
                    effective_date: date(2009, 7, 24),
                };
                let mut of_second =
                    Compensation { minimum_wages: vec![wage], ..a_compensation(&second, 20_009) };
                of_second.set_terms(owner);
                second.insert(tx, COMPANY)?;
                of_second.insert(tx, COMPANY)?;
                let pay = of_employee(tx, COMPANY, second.employee)?;
                assert_eq!(pay.jobs, [a_job(1, 10_001, true), second.clone()]);
                assert_eq!(pay.of_job(second.id), std::slice::from_ref(&of_second));
                assert!(of_employee(tx, Uuid::from_u128(8), second.employee)?.jobs.is_empty());

                let renamed = Job { title: Some("Chef".to_owned()), ..second.clone() };
                assert!(renamed.update(tx, COMPANY)?);
                assert!(!renamed.update(tx, COMPANY)?, "its version is that of before");
                assert!(delete_job(tx, COMPANY, &second)?);
                assert_eq!(of_employee(tx, COMPANY, second.employee)?.compensations.len(), 1);
                Ok::<_, Error>(())
            })
            .await
            .unwrap();
    }

    #[tokio::test]
    async fn minimum_wages_that_cannot_be_read_are_an_error_naming_the_field() {
        let store = employees(1).await;
        store
            .write(move |tx| {
                for wrong in [r#"[{"uuid":"none","wage":"7.25","effective_date":"2009-07-24"}]"#, "{}"] {
                    assert!(
                        tx.change_rows(SET_MINIMUM_WAGES, params![store::Json(wrong), COMPANY])?.is_one()
                    );
                    let error = of_employee(tx, COMPANY, Uuid::from_u128(1)).unwrap_err();
                    let Error::Store(error) = error else { panic!("{error:?}") };
                    let message = error.to_string();
                    assert!(message.starts_with("compensations.minimum_wages cannot be read"), "{message}");
                }
                Ok::<_, Error>(())
            })
            .await
            .unwrap();
    }

    #[test]
    fn the_empty_compensation_of_a_new_job_does_not_count_as_pay_terms() {
        let job = a_job(1, 2, true);
        let with = |rate: Amount, unit: PaymentUnit, flsa: FlsaStatus| {
            let mut compensation = a_compensation(&job, 3);
            compensation.set_terms(PayTerms { rate, unit, flsa });
            Pay { jobs: vec![job.clone()], compensations: vec![compensation] }
        };
        assert!(!has_terms(&Pay::default()));
        assert!(!has_terms(&with(Amount::ZERO, PaymentUnit::Hour, FlsaStatus::Nonexempt)));
        assert!(has_terms(&with(Amount::from_cents(900), PaymentUnit::Hour, FlsaStatus::Nonexempt)));
        assert!(has_terms(&with(Amount::ZERO, PaymentUnit::Year, FlsaStatus::CommissionOnlyExempt)));
    }

    #[test]
    fn each_job_has_its_own_current_compensation_and_the_primary_one_comes_first() {
        let (second, primary) = (a_job(1, 2, false), a_job(1, 3, true));
        let later = Compensation { effective_date: date(2026, 7, 1), ..a_compensation(&primary, 6) };
        let mut pay = Pay {
            compensations: vec![a_compensation(&second, 4), a_compensation(&primary, 5), later],
            jobs: vec![second.clone(), primary.clone()],
        };
        pay.put_primary_first();
        assert_eq!(pay.jobs, [primary.clone(), second.clone()]);
        let current =
            |job: &Job, day: i8| pay.compensation_on(job.id, date(2026, 7, day)).map(|c| c.id.as_u128());
        assert_eq!((current(&primary, 1), current(&second, 1)), (Some(6), Some(4)));
        assert_eq!(pay.compensation_on(primary.id, date(2026, 6, 30)).map(|c| c.id.as_u128()), Some(5));
        assert!(pay.compensation_on(Uuid::from_u128(9), date(2026, 7, 1)).is_none());
        assert_eq!(start_date(&pay), Some(primary.hire_date));
    }
}
