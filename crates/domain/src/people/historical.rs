//! Former employees who left in the current year, before their company used the service. The year counts for their taxes and
//! reports, but they receive no further pay. Identity, addresses and employment dates are entered in one request.

use jiff::civil::Date;
use rules::onboarding::Status;
use rules::{Checks, Named, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::addresses::commands::{
    CreateHomeAddress, CreateWorkAddress, Residence, UpdateHomeAddress, UpdateWorkAddress,
};
use super::addresses::rows::{HomeAddress, WorkAddress};
use super::employees::service::{TABLE, find_guarded};
use super::employees::{Employee, rows as employees};
use super::employment::commands::CreateTermination;
use super::profiles::Profile;
use super::profiles::commands::{CreateEmployee, Include, UpdateEmployee};
use super::{addresses, employment, profiles};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::{Patch, as_is};
use crate::pay::compensations;
use crate::pay::compensations::commands::UpdateJob;
use crate::pay::compensations::rows::Job;
use crate::platform::audit;
use crate::records::version_text;

/// An employee who left before the company used the service.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the records")]
pub struct HistoricalEmployee {
    /// version as last read; used only for updates
    pub version: Patch<String>,
    pub first_name: Patch<String>,
    pub middle_initial: Patch<String>,
    pub last_name: Patch<String>,
    pub preferred_first_name: Patch<String>,
    pub date_of_birth: Patch<Date>,
    pub ssn: Patch<String>,
    pub email: Patch<String>,
    pub work_address: Patch<Workplace>,
    pub home_address: Patch<Home>,
    pub termination: Patch<End>,
    pub job: Patch<Start>,
    /// workers' compensation coverage, in states with a state fund
    pub employee_state_taxes: Patch<WorkersCompensation>,
}

/// Work address.
#[derive(Debug, Clone, Default)]
pub struct Workplace {
    /// a location of the company
    pub location_uuid: Patch<String>,
}

/// Home address.
#[derive(Debug, Clone, Default)]
pub struct Home {
    /// street, city, state and ZIP code
    pub residence: Residence,
}

/// End of the employment.
#[derive(Debug, Clone, Default)]
pub struct End {
    /// the last day of work
    pub effective_date: Patch<Date>,
}

/// Start of the employment.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// the first day of work
    pub hire_date: Patch<Date>,
}

/// Workers' compensation of the job.
#[derive(Debug, Clone, Default)]
pub struct WorkersCompensation {
    /// whether the state's workers' compensation covers the job
    pub wc_covered: Patch<bool>,
    /// risk class of the job
    pub wc_class_code: Patch<String>,
}

/// The validated input.
struct Checked {
    home: Home,
    work: Workplace,
    hired: Date,
    last_day: Date,
    covered: Option<bool>,
    class_code: Option<String>,
}

/// Checks a part of the input; its violations are nested under its name.
fn check_part<T: Clone>(
    key: &str,
    field: &Patch<T>,
    checks: &mut Checks,
    check: impl FnOnce(&T, &mut Checks),
) -> Option<T> {
    let part = field.required(key, checks, |_, part| Ok(part.clone()))?;
    let mut inner = Checks::new();
    check(&part, &mut inner);
    if let Err(errors) = inner.finish() {
        checks.push(Violation::nested(key, errors));
    }
    Some(part)
}

/// Checks everything before anything is written, so that every violation is reported at once.
fn read_historical_employee(input: &HistoricalEmployee, today: Date) -> Result<Checked, Error> {
    let mut checks = Checks::new();
    Employee::default().fill(&input.create_employee_command(), &mut checks);
    input.date_of_birth.required("date_of_birth", &mut checks, |k, v| check::birth_date(k, *v, today));
    input.ssn.required("ssn", &mut checks, |k, v| check::parse_ssn(k, v));
    let work = check_part("work_address", &input.work_address, &mut checks, |work, checks| {
        work.location_uuid.required("location_uuid", checks, |_, _| Ok(()));
    });
    let home = check_part("home_address", &input.home_address, &mut checks, |home, checks| {
        HomeAddress::default().fill(&home.home_since(today), checks);
    });
    let mut hired = None;
    check_part("job", &input.job, &mut checks, |job, checks| {
        hired = job.hire_date.required("hire_date", checks, as_is);
    });
    let mut last_day = None;
    check_part("termination", &input.termination, &mut checks, |end, checks| {
        last_day =
            end.effective_date.required("effective_date", checks, |k, v| check_last_day(k, *v, hired, today));
    });
    let (mut covered, mut class_code) = (None, None);
    if let Patch::Value(taxes) = &input.employee_state_taxes {
        let taxes = Patch::Value(taxes.clone());
        check_part("employee_state_taxes", &taxes, &mut checks, |taxes, checks| {
            covered = taxes.wc_covered.optional("wc_covered", checks, as_is);
            let code =
                taxes.wc_class_code.optional("wc_class_code", checks, compensations::service::class_code);
            class_code = code.flatten();
        });
    } else {
        input.employee_state_taxes.optional("employee_state_taxes", &mut checks, |_, _| Ok(()));
    }
    checks.finish()?;
    match (home, work, hired, last_day) {
        (Some(home), Some(work), Some(hired), Some(last_day)) => {
            Ok(Checked { home, work, hired, last_day, covered, class_code })
        }
        _ => Err(Error::internal("a field is missing that was checked")),
    }
}

/// Checks the last day of work: it must be in this year, in the past, and not before the first day.
fn check_last_day(key: &str, day: Date, hired: Option<Date>, today: Date) -> Result<Date, Violation> {
    let message = if day >= today {
        format!("{key} must be in the past: end the employment of a current employee instead")
    } else if day.year() != today.year() {
        format!(
            "{key} must be in {}: an employee who left earlier has no pay or taxes in this year",
            today.year()
        )
    } else if hired.is_some_and(|hired| hired > day) {
        format!("{key} must not be before the hire_date")
    } else {
        return Ok(day);
    };
    Err(Violation::invalid(key, message))
}

/// Builds a create or update command from the fields of a part of the input, so that both commands share one list.
macro_rules! with_fields {
    ($command:ident of $part:expr; $($field:ident),+) => {
        $command { $($field: $part.$field.clone(),)+ ..$command::default() }
    };
}
macro_rules! with_person {
    ($command:ident of $person:expr) => {
        with_fields!($command of $person; first_name, middle_initial, last_name, preferred_first_name, date_of_birth, ssn, email)
    };
}

impl Home {
    fn home_since(&self, day: Date) -> CreateHomeAddress {
        let effective_date = Patch::Value(day);
        CreateHomeAddress { effective_date, ..self.residence.create_command() }
    }
}

impl HistoricalEmployee {
    fn create_employee_command(&self) -> CreateEmployee {
        with_person!(CreateEmployee of self)
    }

    fn person_anew(&self) -> UpdateEmployee {
        UpdateEmployee { version: self.version.clone(), ..with_person!(UpdateEmployee of self) }
    }
}

/// Enters a former employee. Onboarding is marked as completed.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_historical_employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &HistoricalEmployee,
) -> Result<Profile, Error> {
    let known = read_historical_employee(input, caller.today(tx))?;
    let (person, _) = profiles::service::enter_employee(tx, caller, &input.create_employee_command(), true)?;
    let employee = person.id;
    tx.take_guard(caller.company, "employee", employee)?;
    addresses::service::create_home(tx, caller, employee, &known.home.home_since(known.hired))
        .map_err(|error| nest_violations("home_address", error))?;
    let job = Job {
        employee,
        id: tx.new_id(),
        title: None,
        hire_date: known.hired,
        end_date: None,
        is_primary: true,
        two_percent_shareholder: false,
        state_wc_covered: known.covered,
        state_wc_class_code: known.class_code,
        agreed_overtime_rate: None,
        fluctuating_workweek: false,
        tipped_occupation: None,
        version: 1,
    };
    compensations::service::jobs::insert_job(tx, caller, &job)?;
    let work = CreateWorkAddress {
        location_uuid: known.work.location_uuid,
        effective_date: Patch::Value(known.hired),
        ..CreateWorkAddress::default()
    };
    addresses::service::create_work(tx, caller, employee, &work)
        .map_err(|error| nest_violations("work_address", error))?;
    let end =
        CreateTermination { effective_date: Patch::Value(known.last_day), ..CreateTermination::default() };
    employment::service::create_termination(tx, caller, employee, &end)
        .map_err(|error| nest_violations("termination", error))?;
    let (from, standing) = (person.status, employees::Standing::from(&person));
    let done = Employee { status: Status::OnboardingCompleted, onboarded_at: Some(tx.now()), ..person };
    assert!(employees::move_to(tx, caller.company, &done, standing)?, "the row is new");
    let what = json!({ "onboarding_status": [from.as_str(), done.status.as_str()] });
    audit::record_audit_entry(tx, caller, "onboarding", (TABLE, employee), &what)?;
    profiles::service::get_employee(tx, caller, employee, Include::default())
}

/// Replaces the data entered for a former employee.
///
/// # Errors
/// "Not found", including for an employee who is not historical; 409 for a stale version; 422 for an employee who was rehired; every
/// violation of the input; a store error.
pub fn update_historical_employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &HistoricalEmployee,
) -> Result<Profile, Error> {
    if !find_guarded(tx, caller, id)?.historical {
        return Err(Error::NotFound);
    }
    let known = read_historical_employee(input, caller.today(tx))?;
    profiles::service::update_employee(tx, caller, id, &input.person_anew())?;
    // Pay and reports depend on the whole period: the start and the addresses are changed first, the end last.
    let pay = compensations::rows::of_employee(tx, caller.company, id)?;
    let job = pay.primary_job().cloned().ok_or_else(|| Error::internal("somebody who worked has no job"))?;
    let day = || Patch::Value(known.hired);
    let change = UpdateJob {
        version: Patch::Value(version_text(compensations::service::JOBS, job.id, job.version)),
        hire_date: day(),
        state_wc_covered: known.covered.map_or(Patch::Absent, Patch::Value),
        state_wc_class_code: known.class_code.clone().map_or(Patch::Absent, Patch::Value),
        ..UpdateJob::default()
    };
    compensations::service::jobs::update_job(tx, caller, job.id, &change)
        .map_err(|error| nest_violations("job", error))?;
    if let Some(home) = addresses::rows::home_addresses(tx, caller.company, id)?.pop() {
        let change = UpdateHomeAddress {
            version: Patch::Value(version_text(HomeAddress::TABLE, home.id, home.version)),
            effective_date: day(),
            ..known.home.residence.update_command()
        };
        addresses::service::update_home(tx, caller, home.id, &change)
            .map_err(|error| nest_violations("home_address", error))?;
    }
    if let Some(place) = addresses::rows::work_addresses(tx, caller.company, id)?.pop() {
        let WorkAddress { id, version, .. } = place.address;
        let change = UpdateWorkAddress {
            version: Patch::Value(version_text(WorkAddress::TABLE, id, version)),
            location_uuid: known.work.location_uuid.clone(),
            effective_date: day(),
            ..UpdateWorkAddress::default()
        };
        addresses::service::update_work(tx, caller, id, &change)
            .map_err(|error| nest_violations("work_address", error))?;
    }
    employment::service::correct_last_day(tx, caller, id, known.last_day)?;
    profiles::service::get_employee(tx, caller, id, Include::default())
}

/// Nests the violations of a part of the input under its name.
fn nest_violations(key: &str, error: Error) -> Error {
    match error {
        Error::Violations(errors) => Error::Violations(vec![Violation::nested(key, errors)]),
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn the_last_day_is_in_this_year_before_today_and_not_before_the_first_one() {
        let today = date(2026, 6, 15);
        let of = |day: Date| check_last_day("effective_date", day, Some(date(2026, 2, 1)), today).ok();
        for fine in [date(2026, 6, 14), date(2026, 2, 1)] {
            assert_eq!(of(fine), Some(fine));
        }
        for wrong in [date(2026, 6, 15), date(2026, 12, 1), date(2026, 1, 31), date(2025, 12, 31)] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
