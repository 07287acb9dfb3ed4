//! What can be done with jobs and compensations.
//!
//! Both belong to an employee, whose guard every change takes first: whether an employee may have several jobs, and
//! from which days on a job pays what, are questions about all of them together.

pub mod adjustment;
pub mod compensations;
pub mod jobs;

use jiff::civil::Date;
use rules::compensation;
use store::Tx;
use uuid::Uuid;

pub use jobs::{set_shareholder, shareholder};

use super::rows;
use super::rows::{Compensation, Job, Pay};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::people::employees;

/// Table of jobs, in versions and audit entries.
pub const JOBS: &str = "employee_jobs";
/// Table of compensations, in versions and audit entries.
pub const COMPENSATIONS: &str = "compensations";

/// Characters of a title at the most.
const TITLE: usize = 255;

/// The job with all jobs and pay of its employee, or "not found".
fn find_job(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(Job, Pay), Error> {
    let employee = rows::employee_of_job(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    job_of(tx, caller, employee, id)
}

/// As [`find_job`], under the employee's guard. A job stays its employee's, so that is known before the guard.
fn find_job_guarded(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(Job, Pay), Error> {
    let employee = rows::employee_of_job(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    employees::service::find_guarded(tx, caller, employee)?;
    job_of(tx, caller, employee, id)
}

fn job_of(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, id: Uuid) -> Result<(Job, Pay), Error> {
    let pay = rows::of_employee(tx, caller.company, employee)?;
    let job = pay.job(id).cloned().ok_or(Error::NotFound)?;
    Ok((job, pay))
}

/// Whether an employee with this pay may have several jobs: today and from any later day on.
fn may_have_several_jobs(pay: &Pay, today: Date) -> bool {
    let counts = |c: &Compensation| {
        c.effective_date > today || pay.current(c.job, today).is_some_and(|now| now.id == c.id)
    };
    pay.compensations.iter().all(|c| compensation::may_have_several_jobs(c.terms.flsa) || !counts(c))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use rules::Amount;
    use rules::compensation::{FlsaStatus, PayTerms, PaymentUnit};
    use serde_json::json;

    use super::*;

    /// A compensation of the first job, from a day of June 2026 on.
    pub(super) fn compensation(id: u128, day: i8, flsa: FlsaStatus) -> Compensation {
        Compensation {
            employee: Uuid::from_u128(1),
            job: Uuid::from_u128(2),
            id: Uuid::from_u128(id),
            terms: PayTerms { rate: Amount::from_cents(5_000_000), unit: PaymentUnit::Year, flsa },
            effective_date: date(2026, 6, day),
            title: None,
            adjust_for_minimum_wage: false,
            minimum_wages: "[]".to_owned(),
            version: 1,
        }
    }

    #[test]
    fn a_salary_that_has_ended_stands_in_the_way_of_no_second_job() {
        let today = date(2026, 6, 15);
        let may = |pay: &[(i8, FlsaStatus)]| {
            let compensations =
                (10..).zip(pay).map(|(id, (day, flsa))| compensation(id, *day, *flsa)).collect();
            may_have_several_jobs(&Pay { jobs: Vec::new(), compensations }, today)
        };
        assert!(may(&[(1, FlsaStatus::Nonexempt)]));
        assert!(may(&[(1, FlsaStatus::Exempt), (15, FlsaStatus::Nonexempt)]));
        assert!(!may(&[(1, FlsaStatus::Exempt)]));
        assert!(!may(&[(1, FlsaStatus::Nonexempt), (20, FlsaStatus::Exempt)]));
        assert!(!may(&[(20, FlsaStatus::SalariedNonexempt)]));
    }

    fn input<T: serde::de::DeserializeOwned>(body: serde_json::Value) -> T {
        serde_json::from_value(body).unwrap()
    }

    /// The keys of a refusal, or a word for another error.
    fn keys<T: std::fmt::Debug>(result: Result<T, Error>) -> Vec<String> {
        match result {
            Err(Error::Violations(violations)) => {
                violations.into_iter().map(|violation| violation.key).collect()
            }
            Err(Error::NotFound) => vec!["not found".to_owned()],
            Err(Error::Stale(_)) => vec!["stale".to_owned()],
            other => panic!("{other:?} is no refusal"),
        }
    }

    /// Runs `story` with an employee of a company whose day is 15 June 2026.
    async fn with_employee(story: fn(&mut Tx<'_>, &Caller, Uuid) -> Result<(), Error>) {
        let noon = "2026-06-15T12:00:00Z".parse().unwrap();
        let keys = store::MasterKeys::parse(&store::MasterKeys::generate()).unwrap();
        let options = store::Options::new(store::Clock::standing(noon), keys, crate::MIGRATIONS);
        let store = store::Store::open("sqlite::memory:", options).unwrap();
        let caller = Caller::service(Uuid::from_u128(7), jiff::tz::TimeZone::UTC);
        let told = store.write(move |tx| {
            let text = |text: &str| crate::patch::Patch::Value(text.to_owned());
            let (first_name, last_name) = (text("Ana"), text("Lee"));
            let new = employees::commands::CreateEmployee { first_name, last_name, ..Default::default() };
            let employee = employees::service::create(tx, &caller, &new)?.employee.id;
            story(tx, &caller, employee)
        });
        told.await.unwrap();
    }

    #[tokio::test]
    async fn a_job_begins_with_empty_pay_that_is_then_filled_in() {
        with_employee(|tx, caller, employee| {
            let job = jobs::create(tx, caller, employee, &input(json!({ "title": "Cook", "hire_date": "2026-06-01" })))?;
            let empty = &job.compensations.as_ref().unwrap()[0];
            assert_eq!((job.primary, job.rate.as_deref(), empty.title.as_deref()), (true, Some("0.00"), Some("Cook")));
            assert_eq!((empty.effective_date.as_str(), empty.flsa_status), ("2026-06-01", "Nonexempt"));

            let terms = json!({ "version": empty.version, "rate": "9", "payment_unit": "Hour", "flsa_status": "Nonexempt",
                                "adjust_for_minimum_wage": false, "minimum_wages": [] });
            let filled = compensations::update(tx, caller, empty.uuid, &input(terms.clone()))?;
            assert_eq!(filled.rate, "9.00");
            assert_ne!(filled.version, empty.version);
            // Nothing changes any more, but the version is an old one.
            assert_eq!(keys(compensations::update(tx, caller, empty.uuid, &input(terms))), ["stale"]);
            let same = json!({ "version": filled.version, "rate": 9.0 });
            assert_eq!(compensations::update(tx, caller, empty.uuid, &input(same))?.version, filled.version);

            let raise = json!({ "payment_unit": "Hour", "flsa_status": "Nonexempt", "title": "Head Cook" });
            let raise = compensations::create(tx, caller, job.uuid, &input(raise))?;
            assert_eq!((raise.rate.as_str(), raise.effective_date.as_str()), ("9.00", "2026-06-15"));
            let job = jobs::get(tx, caller, job.uuid, true)?;
            assert_eq!(job.current_compensation_uuid, Some(raise.uuid));
            assert_eq!(job.compensations.map(|all| all.len()), Some(2));

            compensations::delete(tx, caller, raise.uuid)?;
            assert_eq!(keys(compensations::get(tx, caller, raise.uuid)), ["not found"]);
            assert_eq!(keys(compensations::delete(tx, caller, filled.uuid)), ["base"]);
            Ok(())
        })
        .await;
    }

    #[tokio::test]
    async fn only_hourly_pay_goes_with_several_jobs() {
        with_employee(|tx, caller, employee| {
            let cook = jobs::create(tx, caller, employee, &input(json!({ "title": "Cook", "hire_date": "2026-06-01" })))?;
            let empty = &cook.compensations.as_ref().unwrap()[0];
            let salary = json!({ "version": empty.version, "rate": 52000, "payment_unit": "Year", "flsa_status": "Exempt" });
            let salary = compensations::update(tx, caller, empty.uuid, &input(salary))?;
            let again = json!({ "title": "COOK", "hire_date": "2026-02-30" });
            assert_eq!(keys(jobs::create(tx, caller, employee, &input(again))), ["hire_date", "title", "base"]);

            let hourly = json!({ "version": salary.version, "rate": 20, "payment_unit": "Hour", "flsa_status": "Nonexempt" });
            let hourly = compensations::update(tx, caller, empty.uuid, &input(hourly))?;
            let waiter = jobs::create(tx, caller, employee, &input(json!({ "title": "Waiter", "hire_date": "2026-06-10" })))?;
            assert!(!waiter.primary);
            let back = json!({ "version": hourly.version, "rate": 52000, "payment_unit": "Year", "flsa_status": "Exempt" });
            assert_eq!(keys(compensations::update(tx, caller, empty.uuid, &input(back))), ["flsa_status"]);

            assert_eq!(keys(jobs::delete(tx, caller, cook.uuid)), ["base"]);
            jobs::delete(tx, caller, waiter.uuid)?;
            assert_eq!(jobs::list(tx, caller, employee, false, crate::paging::Page::Whole)?.items.len(), 1);
            Ok(())
        })
        .await;
    }

    #[tokio::test]
    async fn the_first_day_of_work_takes_the_first_pay_along_and_the_shareholder_stays_with_the_job() {
        with_employee(|tx, caller, employee| {
            assert_eq!(keys(set_shareholder(tx, caller, employee, true)), ["two_percent_shareholder"]);
            let job = jobs::create(tx, caller, employee, &input(json!({ "title": "Cook", "hire_date": "2026-06-01" })))?;
            assert!(set_shareholder(tx, caller, employee, true)?);
            assert!(!set_shareholder(tx, caller, employee, true)?);

            let job = jobs::get(tx, caller, job.uuid, false)?;
            let moved = json!({ "version": job.version, "hire_date": "2026-07-01" });
            let moved = jobs::update(tx, caller, job.uuid, &input(moved))?;
            assert!(moved.two_percent_shareholder);
            assert_eq!(moved.compensations.unwrap()[0].effective_date, "2026-07-01");
            let early = json!({ "rate": 20, "payment_unit": "Hour", "flsa_status": "Nonexempt" });
            assert_eq!(keys(compensations::create(tx, caller, job.uuid, &input(early))), ["effective_date"]);
            let twice = json!({ "rate": 20, "payment_unit": "Hour", "flsa_status": "Nonexempt", "effective_date": "2026-07-01" });
            assert_eq!(keys(compensations::create(tx, caller, job.uuid, &input(twice))), ["effective_date"]);
            Ok(())
        })
        .await;
    }

    #[tokio::test]
    async fn whoever_may_not_see_pay_sees_the_job_without_it() {
        with_employee(|tx, caller, employee| {
            let caller = Caller {
                scopes: crate::access::scope::Scopes::parse("jobs:read jobs:write"),
                ..caller.clone()
            };
            let job = jobs::create(
                tx,
                &caller,
                employee,
                &input(json!({ "title": "Cook", "hire_date": "2026-06-01" })),
            )?;
            let told = serde_json::to_value(&job).unwrap();
            for hidden in ["rate", "payment_unit", "current_compensation_uuid", "compensations"] {
                assert!(told.get(hidden).is_none(), "{hidden}");
            }
            Ok(())
        })
        .await;
    }
}
