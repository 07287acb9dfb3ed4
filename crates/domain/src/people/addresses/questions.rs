//! Home addresses of people who are paid with questions about their places that nobody has answered: the company is notified of them.
//!
//! A change of the address opens the questions that depend on it, from its date on. During onboarding they are a part of its steps;
//! afterwards the employer is told, because paychecks withhold what is likely until somebody answers.

use jiff::Timestamp;
use rules::Violation;
use rules::onboarding::Status;
use rules::places::PlaceKind;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use super::jurisdictions::Reader;
use super::rows::{self, HomeAddress};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events::{self, EventType};
use crate::people::employees::Employee;
use crate::platform::hooks::EmployeeAspect;

store::statements! {
    OF_EMPLOYEE = "SELECT home_address_id FROM home_address_questions WHERE company_id = $1 AND employee_id = $2";
    ASK = "INSERT INTO home_address_questions (company_id, employee_id, home_address_id, since) VALUES ($1, $2, $3, $4)";
    SETTLE = "DELETE FROM home_address_questions WHERE company_id = $1 AND employee_id = $2 AND home_address_id = $3";
    FORGET = "DELETE FROM home_address_questions WHERE company_id = $1 AND employee_id = $2";
    SOME = store::text!("SELECT q.since, ", store::columns!(HomeAddress, "h."),
                        " FROM home_address_questions q JOIN home_addresses h ON h.company_id = q.company_id \
                         AND h.employee_id = q.employee_id AND h.id = q.home_address_id \
                         WHERE q.company_id = $1 ORDER BY q.employee_id, q.home_address_id LIMIT $2 OFFSET $3");
    FIND = "SELECT since FROM home_address_questions WHERE company_id = $1 AND employee_id = $2 AND home_address_id = $3";
    COUNT = "SELECT count(*) FROM home_address_questions WHERE company_id = $1";
}

/// A home address with open questions.
#[derive(Debug, Clone)]
pub struct OpenQuestions {
    /// the address
    pub home: HomeAddress,
    /// whose address it is
    pub employee: Employee,
    /// what is asked
    pub kinds: Vec<PlaceKind>,
    /// when the questions became open
    pub since: Timestamp,
}

/// Follows changes that questions about homes depend on: of the addresses, of answers to states, and the end of onboarding. The caller
/// holds the employee's guard.
pub fn employee_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    aspect: EmployeeAspect,
) -> Result<(), Error> {
    use EmployeeAspect::{
        Compensation, Documents, Employment, FederalTax, HomeAddress, Onboarded, PaymentMethod, Person,
        PlannedReturn, Signature, StartDate, StateTax, WorkAddress,
    };
    match aspect {
        HomeAddress | StateTax | Onboarded => update_open_questions(tx, caller, employee),
        Person | StartDate | Compensation | WorkAddress | PaymentMethod | FederalTax | Documents
        | Signature | Employment | PlannedReturn => Ok(()),
    }
}

/// Updates which homes of an employee have open questions, and tells the company.
fn update_open_questions(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    let Some(employee) = Employee::find(tx, caller.company, employee)? else { return Ok(()) };
    let asked = tx.query_rows(OF_EMPLOYEE, params![caller.company, employee.id], |row| row.get::<Uuid>(0))?;
    let is_paid = employee.status == Status::OnboardingCompleted;
    if !is_paid && asked.is_empty() {
        return Ok(());
    }
    let reader = Reader::read_employee(tx, caller.company, employee.id)?;
    for home in rows::home_addresses(tx, caller.company, employee.id)? {
        let is_open = is_paid && !open_questions(&reader, &home).is_empty();
        match (asked.contains(&home.id), is_open) {
            (false, true) => {
                let now = tx.now();
                tx.insert_row(ASK, params![caller.company, employee.id, home.id, now])?;
                emit_home_event(tx, caller, events::NOTIFICATION_HOME_QUESTIONS_CREATED, home.id)?;
            }
            (true, false) => end_notification(tx, caller, employee.id, home.id)?,
            (true, true) | (false, false) => {}
        }
    }
    Ok(())
}

/// Ends the notification about a home that is answered, or deleted; no-op if there is none. The caller holds the employee's guard.
pub(super) fn end_notification(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    home: Uuid,
) -> Result<(), Error> {
    if tx.change_rows(SETTLE, params![caller.company, employee, home])?.rows() == 0 {
        return Ok(());
    }
    emit_home_event(tx, caller, events::NOTIFICATION_HOME_QUESTIONS_RESOLVED, home)
}

fn emit_home_event(tx: &mut Tx<'_>, caller: &Caller, event: EventType, home: Uuid) -> Result<(), Error> {
    events::emit_event(tx, caller.company, event, home)
}

fn open_questions(reader: &Reader, home: &HomeAddress) -> Vec<PlaceKind> {
    let (_, questions) = reader.of_home(home);
    questions.iter().filter(|question| question.answer.is_none()).map(|question| question.kind).collect()
}

/// Returns homes with open questions, at most `most` after skipping `from`.
pub fn homes_with_questions(
    tx: &mut Tx<'_>,
    company: Uuid,
    most: i64,
    from: i64,
) -> Result<Vec<OpenQuestions>, Error> {
    let read = |row: &Row<'_>| {
        let since = Cursor::new(row, "home_address_questions", 0).read_plain::<Timestamp>("since")?;
        Ok::<_, store::Error>((since, HomeAddress::read_from(row, 1)?))
    };
    let held = tx.try_query(SOME, params![company, most, from], read)?;
    held.into_iter().map(|(since, home)| home_questions(tx, company, home, since)).collect()
}

/// Returns the number of homes with open questions.
pub fn count_homes_with_questions(tx: &mut Tx<'_>, company: Uuid) -> Result<i64, Error> {
    Ok(tx.find_row(COUNT, params![company], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Returns the home of a notification; `None` if there is no home with this identifier.
///
/// # Errors
/// A violation if its questions are answered; a store error.
pub fn find_home_with_questions(
    tx: &mut Tx<'_>,
    company: Uuid,
    id: Uuid,
) -> Result<Option<OpenQuestions>, Error> {
    let Some(home) = rows::find_home(tx, company, id)? else { return Ok(None) };
    let since =
        tx.find_row(FIND, params![company, home.employee, id], |row| row.get::<Timestamp>(0))?.ok_or_else(|| {
            Error::from(Violation::invalid_operation(
                "The questions about the address are answered, so there is nothing left to do about this notification.",
            ))
        })?;
    home_questions(tx, company, home, since).map(Some)
}

fn home_questions(
    tx: &mut Tx<'_>,
    company: Uuid,
    home: HomeAddress,
    since: Timestamp,
) -> Result<OpenQuestions, Error> {
    let employee = Employee::find(tx, company, home.employee)?.ok_or(Error::NotFound)?;
    let kinds = open_questions(&Reader::read_employee(tx, company, home.employee)?, &home);
    Ok(OpenQuestions { home, employee, kinds, since })
}

/// Deletes what is held of an employee who is being deleted.
pub fn delete_question_records(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    let _there_may_be_none = tx.change_rows(FORGET, params![company, employee])?.rows();
    Ok(())
}
