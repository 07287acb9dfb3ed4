//! New hires and rehires, as an employer reports them to the work state's directory.
//!
//! The employer files the report itself; this module provides its content and due date, without the required Social Security number.

pub mod files;

use std::ops::RangeInclusive;

use jiff::ToSpan;
use jiff::civil::Date;
use rules::dated::Dated;
use rules::days::Days;
use rules::employment::{Again, required_on_rehire};
use rules::new_hire::{NewHireRule, NewHireTable};
use rules::{Violation, effective};
use store::{Tx, params};
use uuid::Uuid;

use self::files::NewHireFiling;
use crate::access::tokens::Caller;
use crate::company::locations::rows::Location;
use crate::company::taxes::rows as taxes;
use crate::company::{companies, locations};
use crate::error::Error;
use crate::paging::AskedDays;
use crate::pay::compensations;
use crate::people::addresses::rows::HomeAddress;
use crate::people::employees::Employee;
use crate::people::{addresses, employment};
use crate::platform::law;

/// Default number of days before the last day for which hires are listed.
const DAYS_BACK: i64 = 60;
/// Maximum number of days from the first to the last day of a list.
const LONGEST: i32 = 400;
/// Number of employees read at once. All of them are read, because the law requires a report on each (42 USC 653a).
const AT_ONCE: i64 = 50;

store::statements! {
    HIRED = store::text!(Employee::SELECT, " AND ((SELECT count(*) FROM employee_jobs j WHERE j.company_id = $1 \
             AND j.employee_id = employees.id AND j.is_primary = true AND j.hire_date BETWEEN $2 AND $3) > 0 \
             OR (SELECT count(*) FROM rehires r WHERE r.company_id = $1 AND r.employee_id = employees.id \
             AND r.effective_date BETWEEN $2 AND $3) > 0) AND id > $4 ORDER BY id LIMIT $5");
}

/// The employer, the same in each report.
#[derive(Debug, Clone)]
pub struct Employer {
    /// legal name
    pub name: String,
    /// nine-digit EIN, if on file
    pub ein: Option<String>,
    /// filing address, if there is one
    pub address: Option<Location>,
}

/// Whom a report is about.
#[derive(Debug, Clone)]
pub struct NewHire {
    /// the employee or contractor
    pub id: Uuid,
    /// first name
    pub first_name: String,
    /// one letter
    pub middle_initial: Option<String>,
    /// last name
    pub last_name: String,
    /// whether the Social Security number is on file
    pub has_ssn: bool,
}

/// Where somebody lives.
#[derive(Debug, Clone)]
pub struct Home {
    /// house number and street
    pub street_1: String,
    /// second address line
    pub street_2: Option<String>,
    /// city
    pub city: String,
    /// two-letter state
    pub state: String,
    /// ZIP code
    pub zip: String,
}

/// The report of one hire.
#[derive(Debug, Clone)]
pub struct Report {
    /// who was hired
    pub person: NewHire,
    /// home address on the first day, if on file
    pub home: Option<Home>,
    /// first day of work, or first day back; for a contractor the day from which on the report is due
    pub hired: Date,
    /// whether it is a rehire
    pub rehired: bool,
    /// two-letter work state, if there is a work address
    pub state: Option<String>,
    /// the state's requirements; the federal maximum if the state is unknown
    pub rule: NewHireRule,
    /// record of the file that the hire was written to, if any
    pub filing: Option<NewHireFiling>,
}

impl From<&Employee> for NewHire {
    fn from(one: &Employee) -> Self {
        Self {
            id: one.id,
            first_name: one.first_name.clone(),
            middle_initial: one.middle_initial.clone(),
            last_name: one.last_name.clone(),
            has_ssn: one.ssn.is_some(),
        }
    }
}

impl From<&HomeAddress> for Home {
    fn from(home: &HomeAddress) -> Self {
        Self {
            street_1: home.street_1.clone(),
            street_2: home.street_2.clone(),
            city: home.city.clone(),
            state: home.state.clone(),
            zip: home.zip.clone(),
        }
    }
}

impl Report {
    /// Returns the names of the data missing from the report, such as `home_address`.
    pub fn missing_data(&self, employer: &Employer) -> Vec<&'static str> {
        let needed = [
            ("ssn", self.person.has_ssn),
            ("home_address", self.home.is_some()),
            ("work_address", self.state.is_some()),
            ("ein", employer.ein.is_some()),
            ("filing_address", employer.address.is_some()),
        ];
        needed.into_iter().filter(|(_, held)| !held).map(|(name, _)| name).collect()
    }
}

/// Returns the days that a list is of.
///
/// # Errors
/// 422 for days in the wrong order or more than 400 days apart.
pub fn days_in_range(
    tx: &Tx<'_>,
    caller: &Caller,
    AskedDays { from, until }: AskedDays,
) -> Result<RangeInclusive<Date>, Error> {
    let until = until.unwrap_or_else(|| caller.today(tx));
    let from = from.unwrap_or_else(|| until.saturating_sub(DAYS_BACK.days()));
    if from > until || from.saturating_add(LONGEST.days()) < until {
        let message = format!("end_date must not be before start_date, and at most {LONGEST} days after it");
        return Err(Error::from(Violation::invalid("end_date", message)));
    }
    Ok(from..=until)
}

/// Returns the employer as reports have it.
///
/// # Errors
/// "Not found"; a store error.
pub fn report_employer(tx: &mut Tx<'_>, caller: &Caller) -> Result<Employer, Error> {
    let company = companies::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    let ein = match taxes::find_federal(tx, caller.company)? {
        Some(federal) => federal.ein(tx, caller.company)?,
        None => None,
    };
    let places = locations::rows::of_company(tx, caller.company)?;
    let address = places.into_iter().find(|place| place.filing_address);
    Ok(Employer { name: company.name, ein, address })
}

/// Returns the reports of all employees whose first day, or first day back, is in a range of days, sorted by day. A rehire after fewer
/// than 60 days away is included only if the rehire record requests it.
///
/// # Errors
/// 422 for days in the wrong order or more than 400 days apart; a store error.
pub fn list_reports(
    tx: &mut Tx<'_>,
    caller: &Caller,
    asked: AskedDays,
) -> Result<(Employer, Vec<Report>), Error> {
    let days = days_in_range(tx, caller, asked)?;
    let (from, until) = (*days.start(), *days.end());
    let employer = report_employer(tx, caller)?;
    let table = law::in_force::<Dated<NewHireTable>>(tx)?;
    let period = Period { days, table: &table };
    let mut reports = Vec::new();
    let mut last = Uuid::nil();
    loop {
        let some =
            tx.try_query(HIRED, params![caller.company, from, until, last, AT_ONCE], Employee::read)?;
        let Some(newest) = some.last() else { break };
        last = newest.id;
        for employee in some {
            of_employee(tx, caller, employee, &period, &mut reports)?;
        }
    }
    let mut filings = files::filings_between(tx, caller.company, Days { first: from, last: until })?;
    for report in &mut reports {
        report.filing = filings.remove(&(report.person.id, report.hired));
    }
    reports.sort_by_key(|report| (report.hired, report.person.id));
    Ok((employer, reports))
}

/// The days whose hires are reported, and the law of reports.
struct Period<'a> {
    days: RangeInclusive<Date>,
    table: &'a Dated<NewHireTable>,
}

fn of_employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Employee,
    period: &Period<'_>,
    reports: &mut Vec<Report>,
) -> Result<(), Error> {
    let pay = compensations::rows::of_employee(tx, caller.company, employee.id)?;
    let Some(first) = compensations::rows::start_date(&pay) else { return Ok(()) };
    let held = employment::rows::of_employee(tx, caller.company, employee.id)?;
    let spans = held.employment_spans(first);
    let homes = addresses::rows::home_addresses(tx, caller.company, employee.id)?;
    let works = addresses::rows::work_addresses(tx, caller.company, employee.id)?;
    for (place, span) in spans.iter().enumerate().filter(|(_, span)| period.days.contains(&span.first)) {
        // An employee who left before the company used the service was reported by the previous provider.
        if employee.historical && place == 0 {
            continue;
        }
        let before = place.checked_sub(1).and_then(|before| spans[before].end);
        let asked =
            held.rehires.iter().any(|back| back.effective_date == span.first && back.file_new_hire_report);
        let newly = before.is_none_or(|left| {
            required_on_rehire(first, left.last_day, span.first).contains(&Again::NewHireReport)
        });
        if !newly && !asked {
            continue;
        }
        let work = effective::active_record(&works, span.first, |work| work.address.effective_date);
        let state = work.map(|work| work.state.clone());
        reports.push(Report {
            home: effective::active_record(&homes, span.first, |home| home.effective_date).map(Home::from),
            hired: span.first,
            rehired: place > 0,
            // The federal deadline holds where the state is unknown.
            rule: period
                .table
                .edition_on(span.first)
                .rule_of_state(state.as_deref().unwrap_or_default())
                .clone(),
            state,
            filing: None,
            person: NewHire::from(&employee),
        });
    }
    Ok(())
}
