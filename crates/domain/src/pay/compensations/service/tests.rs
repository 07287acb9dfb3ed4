use jiff::civil::date;
use rules::Amount;
use rules::compensation::{FlsaStatus, PaymentUnit};

use super::*;
use crate::patch::Patch;
use crate::pay::compensations::commands::{CreateCompensation, CreateJob, UpdateCompensation, UpdateJob};
use crate::platform::hooks;
use crate::records::version_text;

/// Returns a compensation of the first job, in effect from a day in June 2026.
pub(super) fn compensation(id: u128, day: i8, flsa: FlsaStatus) -> Compensation {
    Compensation {
        employee: Uuid::from_u128(1),
        job: Uuid::from_u128(2),
        id: Uuid::from_u128(id),
        rate: Amount::from_cents(5_000_000),
        payment_unit: PaymentUnit::Year,
        flsa_status: flsa,
        effective_date: date(2026, 6, day),
        title: None,
        adjust_for_minimum_wage: false,
        minimum_wages: Vec::new(),
        version: 1,
    }
}

#[test]
fn a_salary_that_has_ended_does_not_prevent_a_second_job() {
    let today = date(2026, 6, 15);
    let may = |pay: &[(i8, FlsaStatus)]| {
        let compensations = (10..).zip(pay).map(|(id, (day, flsa))| compensation(id, *day, *flsa)).collect();
        bars_several_jobs(&Pay { jobs: Vec::new(), compensations }, today).is_none()
    };
    assert!(may(&[(1, FlsaStatus::Nonexempt)]));
    assert!(may(&[(1, FlsaStatus::Exempt), (15, FlsaStatus::Nonexempt)]));
    assert!(!may(&[(1, FlsaStatus::Exempt)]));
    assert!(!may(&[(1, FlsaStatus::Nonexempt), (20, FlsaStatus::Exempt)]));
    assert!(!may(&[(20, FlsaStatus::SalariedNonexempt)]));
}

fn text(text: &str) -> Patch<String> {
    Patch::Value(text.to_owned())
}

fn new_job(title: &str, hire_date: &str) -> CreateJob {
    CreateJob { title: text(title), hire_date: text(hire_date).date(), ..Default::default() }
}

fn new_pay(unit: &str, flsa: &str) -> CreateCompensation {
    CreateCompensation {
        payment_unit: text(unit).named(),
        flsa_status: text(flsa).named(),
        ..Default::default()
    }
}

fn pay_update(version: &str, dollars: i64, unit: &str, flsa: &str) -> UpdateCompensation {
    UpdateCompensation {
        version: text(version),
        rate: Patch::Value(Amount::from_cents(dollars * 100)),
        payment_unit: text(unit).named(),
        flsa_status: text(flsa).named(),
        ..Default::default()
    }
}

fn version(of: &Compensation) -> String {
    version_text(COMPENSATIONS, of.id, of.version)
}

/// Returns the keys of the violations, or a word for another error.
fn keys<T: std::fmt::Debug>(result: Result<T, Error>) -> Vec<String> {
    match result {
        Err(Error::Violations(violations)) => violations.into_iter().map(|violation| violation.key).collect(),
        Err(Error::NotFound) => vec!["not found".to_owned()],
        Err(Error::Stale(_)) => vec!["stale".to_owned()],
        other => panic!("{other:?} is no rejection"),
    }
}

/// Runs `story` with an employee of a company whose current date is June 15, 2026.
async fn with_employee(story: fn(&mut Tx<'_>, &Caller, Uuid) -> Result<(), Error>) {
    let noon = "2026-06-15T12:00:00Z".parse().unwrap();
    let keys = store::MasterKeys::parse(&store::MasterKeys::generate_key()).unwrap();
    let options = store::Options::new(store::Clock::standing_at(noon), keys, crate::SCHEMA);
    let store = store::Store::open("sqlite::memory:", options).unwrap();
    let caller = Caller::for_service(Uuid::from_u128(7), jiff::tz::TimeZone::UTC);
    let written = store.write(move |tx| {
        let text = |text: &str| crate::patch::Patch::Value(text.to_owned());
        let (first_name, last_name) = (text("Ana"), text("Lee"));
        let new =
            crate::people::profiles::commands::CreateEmployee { first_name, last_name, ..Default::default() };
        let employee = crate::people::profiles::service::create_employee(tx, &caller, &new)?.employee.id;
        story(tx, &caller, employee)
    });
    written.await.unwrap();
}

#[tokio::test]
async fn a_job_begins_with_empty_pay_that_is_then_filled_in() {
    with_employee(|tx, caller, employee| {
        let created = jobs::create_job(tx, caller, employee, &new_job("Cook", "2026-06-01"))?;
        let job = created.job;
        let empty = created.pay.of_job(job.id)[0].clone();
        let found = compensations::compensation_details(tx, caller, empty.id)?;
        let shown_title = found.compensation.title.or(found.job_title);
        assert_eq!((job.is_primary, empty.rate, shown_title.as_deref()), (true, Amount::ZERO, Some("Cook")));
        assert_eq!((empty.effective_date, empty.flsa_status), (date(2026, 6, 1), FlsaStatus::Nonexempt));

        let terms = UpdateCompensation {
            adjust_for_minimum_wage: Patch::Value(false),
            minimum_wages: Patch::Value(Vec::new()),
            ..pay_update(&version(&empty), 9, "Hour", "Nonexempt")
        };
        let filled = compensations::update_compensation(tx, caller, empty.id, &terms)?.compensation;
        assert_eq!(filled.rate, Amount::from_cents(900));
        assert_ne!(version(&filled), version(&empty));
        // Nothing would change, but the version is stale.
        assert_eq!(keys(compensations::update_compensation(tx, caller, empty.id, &terms)), ["stale"]);
        let same = UpdateCompensation {
            version: text(&version(&filled)),
            rate: Patch::Value(Amount::from_cents(900)),
            ..Default::default()
        };
        let unchanged = compensations::update_compensation(tx, caller, empty.id, &same)?.compensation;
        assert_eq!(unchanged.version, filled.version);

        let raise = CreateCompensation { title: text("Head Cook"), ..new_pay("Hour", "Nonexempt") };
        let raise = compensations::create_compensation(tx, caller, job.id, &raise)?.compensation;
        assert_eq!((raise.rate, raise.effective_date), (Amount::from_cents(900), date(2026, 6, 15)));
        let details = jobs::job_details(tx, caller, job.id)?;
        assert_eq!(details.pay.compensation_on(job.id, details.today).map(|c| c.id), Some(raise.id));
        assert_eq!(details.pay.of_job(job.id).len(), 2);

        compensations::delete_compensation(tx, caller, raise.id)?;
        assert_eq!(keys(compensations::compensation_details(tx, caller, raise.id)), ["not found"]);
        assert_eq!(keys(compensations::delete_compensation(tx, caller, filled.id)), ["base"]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn several_jobs_require_hourly_pay() {
    with_employee(|tx, caller, employee| {
        let created = jobs::create_job(tx, caller, employee, &new_job("Cook", "2026-06-01"))?;
        let cook = created.job;
        let empty = &created.pay.of_job(cook.id)[0];
        let salary = pay_update(&version(empty), 52_000, "Year", "Exempt");
        let salary = compensations::update_compensation(tx, caller, empty.id, &salary)?.compensation;
        let again = new_job("COOK", "2026-02-30");
        assert_eq!(keys(jobs::create_job(tx, caller, employee, &again)), ["hire_date", "title", "base"]);

        let hourly = pay_update(&version(&salary), 20, "Hour", "Nonexempt");
        let hourly = compensations::update_compensation(tx, caller, empty.id, &hourly)?.compensation;
        let waiter = jobs::create_job(tx, caller, employee, &new_job("Waiter", "2026-06-10"))?.job;
        assert!(!waiter.is_primary);
        let back = pay_update(&version(&hourly), 52_000, "Year", "Exempt");
        assert_eq!(keys(compensations::update_compensation(tx, caller, empty.id, &back)), ["flsa_status"]);

        assert_eq!(keys(jobs::delete_job(tx, caller, cook.id)), ["base"]);
        jobs::delete_job(tx, caller, waiter.id)?;
        let list = jobs::list_jobs(tx, caller, employee, crate::paging::Page::Whole)?;
        assert_eq!(list.jobs.items.len(), 1);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_first_pay_moves_with_the_hire_date_and_the_shareholder_stays_with_the_job() {
    with_employee(|tx, caller, employee| {
        assert_eq!(keys(set_shareholder(tx, caller, employee, true)), ["two_percent_shareholder"]);
        let job = jobs::create_job(tx, caller, employee, &new_job("Cook", "2026-06-01"))?.job;
        assert!(set_shareholder(tx, caller, employee, true)?);
        assert!(!set_shareholder(tx, caller, employee, true)?);

        let job = jobs::job_details(tx, caller, job.id)?.job;
        let moved = UpdateJob {
            version: text(&version_text(JOBS, job.id, job.version)),
            hire_date: text("2026-07-01").date(),
            ..Default::default()
        };
        let moved = jobs::update_job(tx, caller, job.id, &moved)?;
        assert!(moved.job.two_percent_shareholder);
        assert_eq!(moved.pay.of_job(job.id)[0].effective_date, date(2026, 7, 1));
        let rate = Patch::Value(Amount::from_cents(2_000));
        let early = CreateCompensation { rate, ..new_pay("Hour", "Nonexempt") };
        assert_eq!(keys(compensations::create_compensation(tx, caller, job.id, &early)), ["effective_date"]);
        let twice = CreateCompensation { effective_date: text("2026-07-01").date(), ..early };
        assert_eq!(keys(compensations::create_compensation(tx, caller, job.id, &twice)), ["effective_date"]);
        Ok(())
    })
    .await;
}

store::statements! {
    DAMAGE = "UPDATE employees SET ssn = $1, date_of_birth = $1, onboarding_status = 'self_onboarding_invited' \
              WHERE company_id = $2 AND id = $3";
}

#[tokio::test]
async fn a_change_of_pay_opens_no_sealed_data_of_the_employee() {
    with_employee(|tx, caller, employee| {
        assert!(tx.change_rows(DAMAGE, store::params![&b"no seal"[..], caller.company, employee])?.is_one());
        let created = jobs::create_job(tx, caller, employee, &new_job("Cook", "2026-06-01"))?;
        let empty = &created.pay.of_job(created.job.id)[0];
        let hourly = pay_update(&version(empty), 20, "Hour", "Nonexempt");
        compensations::update_compensation(tx, caller, empty.id, &hourly)?;

        // Counterexample: following an aspect that forms depend on does open it.
        let person = hooks::EmployeeAspect::Person;
        assert!(hooks::employee_changed(tx, caller, employee, person).is_err());
        Ok(())
    })
    .await;
}
