//! What is missing for the close of a year, person by person: told from November on, while there is time to ask for it.

use jiff::civil::{Date, date};
use returns::format_dollars;
use rules::company::state::SetupStatus;
use store::Tx;
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::figures::YearFigures;
use super::{occupations, positions};
use crate::access::tokens::Caller;
use crate::company::taxes::state;
use crate::error::Error;
use crate::people::addresses;
use crate::people::employees::Employee;
use crate::platform::law;

/// Maximum findings that are told one by one.
const MOST: usize = 1_000;

/// What is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Subject {
    /// a Social Security number
    #[strum(serialize = "ssn")]
    Ssn,
    /// a home address
    #[strum(serialize = "home_address")]
    HomeAddress,
    /// the occupation in which tips were earned
    #[strum(serialize = "tipped_occupation")]
    TippedOccupation,
    /// the position of an amount in the file with Forms W-2
    #[strum(serialize = "file_position")]
    FilePosition,
    /// the layout of that file
    #[strum(serialize = "file_layout")]
    FileLayout,
    /// credit reductions of the unemployment tax
    #[strum(serialize = "credit_reductions")]
    CreditReductions,
    /// answers to questions of a state
    #[strum(serialize = "state_answers")]
    StateAnswers,
}

/// Something that is missing for the close.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// what
    pub subject: Subject,
    /// the employee whom it is about; `None` for the company, or for tables
    pub employee: Option<Uuid>,
    /// in words, with what to do
    pub why: String,
}

/// The first day on which the close of a year is prepared.
pub fn season_start(year: i16) -> Date {
    date(year, 11, 1)
}

/// Returns what is missing for the close of a year. Before November of the year, and for a year in which nobody was paid, nothing is.
pub fn of_year(tx: &mut Tx<'_>, caller: &Caller, figures: &YearFigures) -> Result<Vec<Missing>, Error> {
    let mut missing = Vec::new();
    if caller.today(tx) < season_start(figures.year) || figures.people.is_empty() {
        return Ok(missing);
    }
    check_tables(tx, figures, &mut missing)?;
    for setup in state::list_state_setups(tx, caller)? {
        if setup.status != SetupStatus::Complete {
            let why = format!("{}: required questions of the state are not answered", setup.state);
            missing.push(Missing { subject: Subject::StateAnswers, employee: None, why });
        }
    }
    for paid in &figures.people {
        if missing.len() >= MOST {
            break;
        }
        check_person(tx, caller.company, (paid.employee, paid.tips), &mut missing)?;
    }
    Ok(missing)
}

/// What the file with Forms W-2 lacks of the year that is being closed, whatever is paid: from November on, and until the end of March.
pub fn of_file(tx: &mut Tx<'_>, today: Date) -> Result<Vec<String>, Error> {
    let year = match today.month() {
        11 | 12 => today.year(),
        1..=3 => today.year() - 1,
        _ => return Ok(Vec::new()),
    };
    let open = match positions::open_amounts(tx, year) {
        Ok(open) => open,
        Err(Error::Violations(wrong)) => return Ok(wrong.into_iter().map(|one| one.message).collect()),
        Err(error) => return Err(error),
    };
    let open = open.into_iter().filter(|one| one.confirmed.is_none());
    Ok(open.map(|one| format!("{year}, {}: {} (stipend returns positions)", one.amount, one.why)).collect())
}

/// What the tables lack of the year.
fn check_tables(tx: &mut Tx<'_>, figures: &YearFigures, missing: &mut Vec<Missing>) -> Result<(), Error> {
    let year = figures.year;
    if !law::futa_credit_reductions(tx)?.iter().any(|(of, ..)| of == year) {
        let why = format!(
            "the states whose employers owe more federal unemployment tax for {year} are not in the tables, so Form 940 cannot be \
             closed: the operator of the service imports them once they are announced (stipend data import \
             futa_credit_reduction FILE)"
        );
        missing.push(Missing { subject: Subject::CreditReductions, employee: None, why });
    }
    let open = match positions::open_amounts(tx, year) {
        Ok(open) => open,
        Err(Error::Violations(wrong)) => {
            let why = wrong.into_iter().map(|one| one.message).collect::<Vec<_>>().join("; ");
            missing.push(Missing { subject: Subject::FileLayout, employee: None, why });
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    for one in open.into_iter().filter(|one| one.confirmed.is_none()) {
        let cents = match one.amount.strip_prefix("code_") {
            Some(code) => figures.w3.code(code),
            // Occupations are written beside tips.
            None => figures.w3.code("TP"),
        };
        if cents != 0 {
            let why = format!(
                "{}: {}, and {} are paid so far; read it and confirm it (stipend returns positions)",
                one.amount,
                one.why,
                format_dollars(cents)
            );
            missing.push(Missing { subject: Subject::FilePosition, employee: None, why });
        }
    }
    Ok(())
}

/// What is missing of somebody who was paid.
fn check_person(
    tx: &mut Tx<'_>,
    company: Uuid,
    (id, tips): (Uuid, i64),
    missing: &mut Vec<Missing>,
) -> Result<(), Error> {
    let Some(employee) = Employee::find(tx, company, id)? else { return Ok(()) };
    let name = format!("{} {}", employee.first_name, employee.last_name);
    let mut push = |subject, why: String| {
        missing.push(Missing { subject, employee: Some(id), why: format!("{name}: {why}") });
    };
    if employee.ssn.is_none() {
        push(Subject::Ssn, "no Social Security number".to_owned());
    }
    if addresses::rows::home_addresses(tx, company, id)?.is_empty() {
        push(Subject::HomeAddress, "no home address".to_owned());
    }
    if tips != 0 && occupations::of_employee(tx, company, id)?.is_empty() {
        let jobs = occupations::employee_jobs(tx, company, id)?;
        let jobs: Vec<String> = jobs
            .iter()
            .map(|job| format!("{} ({})", job.title.as_deref().unwrap_or("without a title"), job.id))
            .collect();
        let why = format!(
            "tips of {}, and no occupation of {}: box 14b needs its code (stipend returns occupations)",
            format_dollars(tips),
            jobs.join(", ")
        );
        push(Subject::TippedOccupation, why);
    }
    Ok(())
}
