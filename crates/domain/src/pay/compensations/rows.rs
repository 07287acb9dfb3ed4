//! Rows of jobs and compensations.

use std::collections::HashMap;

use jiff::civil::Date;
use rules::Amount;
use rules::Named;
use rules::compensation::{FlsaStatus, PayTerms, PaymentUnit};
use store::{Json, Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;

/// The columns of a job, in the order in which [`job`] reads them.
macro_rules! job_columns {
    () => {
        "employee_id, id, title, hire_date, is_primary, two_percent_shareholder, state_wc_covered, state_wc_class_code, version"
    };
}

/// The columns of a compensation, in the order in which [`compensation`] reads them.
macro_rules! compensation_columns {
    () => {
        "employee_id, job_id, id, rate, payment_unit, flsa_status, effective_date, title, adjust_for_minimum_wage, \
         minimum_wages, version"
    };
}

store::statements! {
    JOBS = concat!("SELECT ", job_columns!(), " FROM employee_jobs WHERE company_id = $1 AND employee_id = $2 ORDER BY id");
    JOBS_BETWEEN = concat!("SELECT ", job_columns!(), " FROM employee_jobs WHERE company_id = $1 AND employee_id BETWEEN $2 AND $3 \
                   ORDER BY employee_id, id LIMIT $4");
    COMPENSATIONS = concat!("SELECT ", compensation_columns!(), " FROM compensations WHERE company_id = $1 AND employee_id = $2 \
                    ORDER BY job_id, id");
    COMPENSATIONS_BETWEEN = concat!("SELECT ", compensation_columns!(), " FROM compensations \
                            WHERE company_id = $1 AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id, job_id, id LIMIT $4");
    EMPLOYEE_OF_JOB = "SELECT employee_id FROM employee_jobs WHERE company_id = $1 AND id = $2";
    EMPLOYEE_OF_COMPENSATION = "SELECT employee_id FROM compensations WHERE company_id = $1 AND id = $2";
    INSERT_JOB = "INSERT INTO employee_jobs (company_id, employee_id, id, title, hire_date, is_primary, two_percent_shareholder, \
                  state_wc_covered, state_wc_class_code, version, created_at, updated_at) \
                  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, $10)";
    UPDATE_JOB = "UPDATE employee_jobs SET title = $1, hire_date = $2, two_percent_shareholder = $3, state_wc_covered = $4, \
                  state_wc_class_code = $5, version = version + 1, updated_at = $6 \
                  WHERE company_id = $7 AND employee_id = $8 AND id = $9 AND version = $10";
    DELETE_JOB = "DELETE FROM employee_jobs WHERE company_id = $1 AND employee_id = $2 AND id = $3";
    INSERT_COMPENSATION = "INSERT INTO compensations (company_id, employee_id, job_id, id, rate, payment_unit, flsa_status, effective_date, \
                           title, adjust_for_minimum_wage, minimum_wages, version, created_at, updated_at) \
                           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, $12, $12)";
    UPDATE_COMPENSATION = "UPDATE compensations SET rate = $1, payment_unit = $2, flsa_status = $3, effective_date = $4, title = $5, \
                           adjust_for_minimum_wage = $6, minimum_wages = $7, version = version + 1, updated_at = $8 \
                           WHERE company_id = $9 AND employee_id = $10 AND job_id = $11 AND id = $12 AND version = $13";
    DELETE_COMPENSATION = "DELETE FROM compensations WHERE company_id = $1 AND employee_id = $2 AND job_id = $3 AND id = $4";
    DELETE_COMPENSATIONS_OF_JOB = "DELETE FROM compensations WHERE company_id = $1 AND employee_id = $2 AND job_id = $3";
}

/// A job of an employee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// whose job it is
    pub employee: Uuid,
    /// identifier
    pub id: Uuid,
    /// such as `Head Waiter`
    pub title: Option<String>,
    /// first day of work
    pub hire_date: Date,
    /// whether it is the employee's first job
    pub is_primary: bool,
    /// whether the employee owns more than 2 % of an S corporation
    pub two_percent_shareholder: bool,
    /// whether the state's workers' compensation covers it
    pub state_wc_covered: Option<bool>,
    /// risk class of the state's workers' compensation
    pub state_wc_class_code: Option<String>,
    /// counter of updates
    pub version: i64,
}

fn job(row: &Row<'_>) -> Job {
    Job {
        employee: row.get(0),
        id: row.get(1),
        title: row.get(2),
        hire_date: row.get(3),
        is_primary: row.get(4),
        two_percent_shareholder: row.get(5),
        state_wc_covered: row.get(6),
        state_wc_class_code: row.get(7),
        version: row.get(8),
    }
}

/// What a job pays from a day on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compensation {
    /// whose pay it is
    pub employee: Uuid,
    /// the job that pays it
    pub job: Uuid,
    /// identifier
    pub id: Uuid,
    /// rate, unit and overtime status
    pub terms: PayTerms,
    /// from which day on it counts
    pub effective_date: Date,
    /// title while it counts, where it differs from the job's
    pub title: Option<String>,
    /// whether pay is raised to the minimum wage where tips do not reach it
    pub adjust_for_minimum_wage: bool,
    /// the chosen minimum wages, as JSON
    pub minimum_wages: String,
    /// counter of updates
    pub version: i64,
}

fn compensation(row: &Row<'_>) -> Compensation {
    let (unit, flsa) = (row.get::<&str>(4), row.get::<&str>(5));
    Compensation {
        employee: row.get(0),
        job: row.get(1),
        id: row.get(2),
        terms: PayTerms {
            rate: Amount::from_millionths(row.get(3)),
            unit: PaymentUnit::parse(unit).unwrap_or_else(|| panic!("{unit} is no payment unit")),
            flsa: FlsaStatus::parse(flsa).unwrap_or_else(|| panic!("{flsa} is no overtime status")),
        },
        effective_date: row.get(6),
        title: row.get(7),
        adjust_for_minimum_wage: row.get(8),
        minimum_wages: row.json(9).unwrap_or("[]").to_owned(),
        version: row.get(10),
    }
}

/// Everything that is known of one employee's jobs and pay.
#[derive(Debug, Clone, Default)]
pub struct Pay {
    /// the primary job first, then in the order of creation
    pub jobs: Vec<Job>,
    /// by job, those of a job together and in the order of creation
    pub compensations: Vec<Compensation>,
}

impl Pay {
    /// The job, if it is one of the employee's.
    pub fn job(&self, id: Uuid) -> Option<&Job> {
        self.jobs.iter().find(|job| job.id == id)
    }

    /// The first job.
    pub fn primary(&self) -> Option<&Job> {
        self.jobs.iter().find(|job| job.is_primary)
    }

    /// The job's compensations in the order of creation.
    pub fn of_job(&self, job: Uuid) -> &[Compensation] {
        self.compensations.chunk_by(|a, b| a.job == b.job).find(|of_one| of_one[0].job == job).unwrap_or(&[])
    }

    /// The job's compensation that counts today.
    pub fn current(&self, job: Uuid, today: Date) -> Option<&Compensation> {
        rules::effective::active(self.of_job(job), today, |compensation| compensation.effective_date)
    }

    fn put_primary_first(&mut self) {
        // The first job is the oldest: it hardly ever stands elsewhere.
        if let Some(place) = self.jobs.iter().position(|job| job.is_primary) {
            self.jobs[..=place].rotate_right(1);
        }
    }
}

/// Whether the employee's pay is settled. The empty compensation of a new job does not count.
pub fn has_terms(pay: &Pay) -> bool {
    pay.compensations.iter().any(|c| c.terms.rate > Amount::ZERO || c.terms.flsa.is_commission_only())
}

/// The first day of work in the primary job.
pub fn start_date(pay: &Pay) -> Option<Date> {
    pay.primary().map(|job| job.hire_date)
}

/// Jobs and pay of one employee.
///
/// # Errors
/// A store error.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Pay, Error> {
    let jobs = tx.query(JOBS, params![company, employee], job)?;
    if jobs.is_empty() {
        return Ok(Pay::default());
    }
    let compensations = tx.query(COMPENSATIONS, params![company, employee], compensation)?;
    let mut pay = Pay { jobs, compensations };
    pay.put_primary_first();
    Ok(pay)
}

/// Rows that a stretch of employees may have for each employee that was asked for, and besides. A stretch with
/// more of them holds too many employees that were not asked for.
const ROWS_EACH: usize = 20;
const ROWS_BESIDES: usize = 100;

/// Jobs and pay of several employees. Those of a page lie together as a rule, and are then read in one stretch per
/// table; where too much lies between them, they are looked up one by one.
///
/// # Errors
/// A store error.
pub fn of_employees(
    tx: &mut Tx<'_>,
    company: Uuid,
    employees: impl IntoIterator<Item = Uuid>,
) -> Result<HashMap<Uuid, Pay>, Error> {
    let mut asked: Vec<Uuid> = employees.into_iter().collect();
    asked.sort_unstable();
    asked.dedup();
    if asked.len() > 1
        && let Some(found) = between(tx, company, &asked)?
    {
        return Ok(found);
    }
    let mut found = HashMap::with_capacity(asked.len());
    for employee in asked {
        found.insert(employee, of_employee(tx, company, employee)?);
    }
    Ok(found)
}

/// As [`of_employees`] in one stretch, for employees in ascending order; nothing when it would be too long.
fn between(tx: &mut Tx<'_>, company: Uuid, asked: &[Uuid]) -> Result<Option<HashMap<Uuid, Pay>>, Error> {
    let [first, .., last] = asked else { return Ok(None) };
    let most = asked.len() * ROWS_EACH + ROWS_BESIDES;
    let limit = i64::try_from(most).unwrap_or(i64::MAX);
    let bounds = params![company, first, last, limit];
    // What was not asked for is passed over before anything of it is copied.
    let is_asked = |row: &Row<'_>| asked.binary_search(&row.get(0)).is_ok();
    let jobs = tx.query(JOBS_BETWEEN, bounds, |row| if is_asked(row) { Some(job(row)) } else { None })?;
    if jobs.len() >= most {
        return Ok(None);
    }
    let compensations =
        tx.query(
            COMPENSATIONS_BETWEEN,
            bounds,
            |row| if is_asked(row) { Some(compensation(row)) } else { None },
        )?;
    if compensations.len() >= most {
        return Ok(None);
    }
    let mut found: HashMap<Uuid, Pay> = asked.iter().map(|employee| (*employee, Pay::default())).collect();
    for job in jobs.into_iter().flatten() {
        found.entry(job.employee).or_default().jobs.push(job);
    }
    for compensation in compensations.into_iter().flatten() {
        found.entry(compensation.employee).or_default().compensations.push(compensation);
    }
    found.values_mut().for_each(Pay::put_primary_first);
    Ok(Some(found))
}

/// Whose job it is.
///
/// # Errors
/// A store error.
pub fn employee_of_job(tx: &mut Tx<'_>, company: Uuid, job: Uuid) -> Result<Option<Uuid>, Error> {
    Ok(tx.find(EMPLOYEE_OF_JOB, params![company, job], |row| row.get(0))?)
}

/// Whose compensation it is.
///
/// # Errors
/// A store error.
pub fn employee_of_compensation(
    tx: &mut Tx<'_>,
    company: Uuid,
    compensation: Uuid,
) -> Result<Option<Uuid>, Error> {
    Ok(tx.find(EMPLOYEE_OF_COMPENSATION, params![company, compensation], |row| row.get(0))?)
}

/// Stores a new job.
///
/// # Errors
/// A store error.
pub fn insert_job(tx: &mut Tx<'_>, company: Uuid, new: &Job) -> Result<(), Error> {
    let now = tx.now();
    let parameters = params![
        company,
        new.employee,
        new.id,
        &new.title,
        new.hire_date,
        new.is_primary,
        new.two_percent_shareholder,
        new.state_wc_covered,
        &new.state_wc_class_code,
        now
    ];
    Ok(tx.insert(INSERT_JOB, parameters)?)
}

/// Stores what a job says, if its version is still that of `changed`; else nothing.
///
/// # Errors
/// A store error.
pub fn update_job(tx: &mut Tx<'_>, company: Uuid, changed: &Job) -> Result<bool, Error> {
    let now = tx.now();
    let parameters = params![
        &changed.title,
        changed.hire_date,
        changed.two_percent_shareholder,
        changed.state_wc_covered,
        &changed.state_wc_class_code,
        now,
        company,
        changed.employee,
        changed.id,
        changed.version
    ];
    Ok(tx.change(UPDATE_JOB, parameters)?.one())
}

/// Deletes a job and its compensations.
///
/// # Errors
/// A store error.
pub fn delete_job(tx: &mut Tx<'_>, company: Uuid, job: &Job) -> Result<bool, Error> {
    let parameters = params![company, job.employee, job.id];
    let _as_many_as_it_had = tx.change(DELETE_COMPENSATIONS_OF_JOB, parameters)?.rows();
    Ok(tx.change(DELETE_JOB, parameters)?.one())
}

/// Stores a new compensation.
///
/// # Errors
/// A store error.
pub fn insert_compensation(tx: &mut Tx<'_>, company: Uuid, new: &Compensation) -> Result<(), Error> {
    let now = tx.now();
    let PayTerms { rate, unit, flsa } = new.terms;
    let parameters = params![
        company,
        new.employee,
        new.job,
        new.id,
        rate.millionths(),
        unit.as_str(),
        flsa.as_str(),
        new.effective_date,
        &new.title,
        new.adjust_for_minimum_wage,
        Json(&new.minimum_wages),
        now
    ];
    Ok(tx.insert(INSERT_COMPENSATION, parameters)?)
}

/// Stores what a compensation says, if its version is still that of `changed`; else nothing.
///
/// # Errors
/// A store error.
pub fn update_compensation(tx: &mut Tx<'_>, company: Uuid, changed: &Compensation) -> Result<bool, Error> {
    let now = tx.now();
    let PayTerms { rate, unit, flsa } = changed.terms;
    let parameters = params![
        rate.millionths(),
        unit.as_str(),
        flsa.as_str(),
        changed.effective_date,
        &changed.title,
        changed.adjust_for_minimum_wage,
        Json(&changed.minimum_wages),
        now,
        company,
        changed.employee,
        changed.job,
        changed.id,
        changed.version
    ];
    Ok(tx.change(UPDATE_COMPENSATION, parameters)?.one())
}

/// Deletes a compensation.
///
/// # Errors
/// A store error.
pub fn delete_compensation(tx: &mut Tx<'_>, company: Uuid, old: &Compensation) -> Result<bool, Error> {
    Ok(tx.change(DELETE_COMPENSATION, params![company, old.employee, old.job, old.id])?.one())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use store::{Clock, MasterKeys, Options, Store};

    use super::*;

    const COMPANY: Uuid = Uuid::from_u128(7);

    fn a_job(employee: u128, id: u128, is_primary: bool) -> Job {
        Job {
            employee: Uuid::from_u128(employee),
            id: Uuid::from_u128(id),
            title: Some("Cook".to_owned()),
            hire_date: date(2026, 6, 1),
            is_primary,
            two_percent_shareholder: false,
            state_wc_covered: None,
            state_wc_class_code: None,
            version: 1,
        }
    }

    fn a_compensation(job: &Job, id: u128) -> Compensation {
        let rate = Amount::from_cents(1_500);
        Compensation {
            employee: job.employee,
            job: job.id,
            id: Uuid::from_u128(id),
            terms: PayTerms { rate, unit: PaymentUnit::Hour, flsa: FlsaStatus::Nonexempt },
            effective_date: job.hire_date,
            title: None,
            adjust_for_minimum_wage: false,
            minimum_wages: "[]".to_owned(),
            version: 1,
        }
    }

    /// Employees 1, 2, … with one job and one compensation each.
    async fn employees(count: u128) -> Store {
        let keys = MasterKeys::parse(&MasterKeys::generate()).unwrap();
        let options = Options::new(Clock::system(), keys, crate::MIGRATIONS);
        let store = Store::open("sqlite::memory:", options).unwrap();
        let filled = store.write(move |tx| {
            for employee in 1..=count {
                let job = a_job(employee, 10_000 + employee, true);
                insert_job(tx, COMPANY, &job)?;
                insert_compensation(tx, COMPANY, &a_compensation(&job, 20_000 + employee))?;
            }
            Ok::<_, Error>(())
        });
        filled.await.unwrap();
        store
    }

    #[tokio::test]
    async fn a_page_of_employees_is_read_as_if_each_were_looked_up() {
        let store = employees(300).await;
        // Side by side, with others between them, so far apart that the stretch is too long, unknown, and twice.
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
                let of_second = Compensation { terms: owner, ..a_compensation(&second, 20_009) };
                insert_job(tx, COMPANY, &second)?;
                insert_compensation(tx, COMPANY, &of_second)?;
                let pay = of_employee(tx, COMPANY, second.employee)?;
                assert_eq!(pay.jobs, [a_job(1, 10_001, true), second.clone()]);
                assert_eq!(pay.of_job(second.id), std::slice::from_ref(&of_second));
                assert!(of_employee(tx, Uuid::from_u128(8), second.employee)?.jobs.is_empty());

                let renamed = Job { title: Some("Chef".to_owned()), ..second.clone() };
                assert!(update_job(tx, COMPANY, &renamed)?);
                assert!(!update_job(tx, COMPANY, &renamed)?, "its version is that of before");
                assert!(delete_job(tx, COMPANY, &second)?);
                assert_eq!(of_employee(tx, COMPANY, second.employee)?.compensations.len(), 1);
                Ok::<_, Error>(())
            })
            .await
            .unwrap();
    }

    #[test]
    fn the_empty_compensation_of_a_new_job_settles_nothing() {
        let job = a_job(1, 2, true);
        let with = |rate: Amount, unit: PaymentUnit, flsa: FlsaStatus| {
            let terms = PayTerms { rate, unit, flsa };
            Pay {
                jobs: vec![job.clone()],
                compensations: vec![Compensation { terms, ..a_compensation(&job, 3) }],
            }
        };
        assert!(!has_terms(&Pay::default()));
        assert!(!has_terms(&with(Amount::ZERO, PaymentUnit::Hour, FlsaStatus::Nonexempt)));
        assert!(has_terms(&with(Amount::from_cents(900), PaymentUnit::Hour, FlsaStatus::Nonexempt)));
        assert!(has_terms(&with(Amount::ZERO, PaymentUnit::Year, FlsaStatus::CommissionOnlyExempt)));
    }

    #[test]
    fn each_job_has_its_own_current_compensation_and_the_primary_one_stands_first() {
        let (second, primary) = (a_job(1, 2, false), a_job(1, 3, true));
        let later = Compensation { effective_date: date(2026, 7, 1), ..a_compensation(&primary, 6) };
        let mut pay = Pay {
            compensations: vec![a_compensation(&second, 4), a_compensation(&primary, 5), later],
            jobs: vec![second.clone(), primary.clone()],
        };
        pay.put_primary_first();
        assert_eq!(pay.jobs, [primary.clone(), second.clone()]);
        let current = |job: &Job, day: i8| pay.current(job.id, date(2026, 7, day)).map(|c| c.id.as_u128());
        assert_eq!((current(&primary, 1), current(&second, 1)), (Some(6), Some(4)));
        assert_eq!(pay.current(primary.id, date(2026, 6, 30)).map(|c| c.id.as_u128()), Some(5));
        assert!(pay.current(Uuid::from_u128(9), date(2026, 7, 1)).is_none());
        assert_eq!(start_date(&pay), Some(primary.hire_date));
    }
}
