//! Rows of employees.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use jiff::civil::Date;
use rules::onboarding::{Status, StepSet};
use rules::{Named, Violation, check};
use store::record::Cursor;
use store::{Place, Row, Stored, Tx, Unread, Value, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::counts::{self, Counts};
use crate::editable::editable;
use crate::error::Error;
use crate::folding::fold_text;
use crate::records::IdRange;

/// The payment type of employees paid by check.
pub const CHECK: &str = "Check";
/// The payment type of employees paid by transfer to bank accounts.
pub const DIRECT_DEPOSIT: &str = "Direct Deposit";

store::record! {
    /// An employee. SSN and date of birth are sealed.
    #[derive(Debug, Clone, Default)]
    pub struct Employee in "employees" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// first name
            pub first_name: String,
            /// one letter
            pub middle_initial: Option<String>,
            /// last name
            pub last_name: String,
            /// preferred name
            pub preferred_first_name: Option<String>,
            /// personal e-mail address
            pub email: Option<String>,
            /// work e-mail address
            pub work_email: Option<String>,
            /// ten digits
            pub phone: Option<String>,
            /// sealed
            pub ssn: Option<Vec<u8>> as secret,
            /// a digest of the SSN
            pub ssn_digest: Option<Vec<u8>> as secret,
            /// sealed, as YYYY-MM-DD
            pub date_of_birth: Option<Vec<u8>> as secret,
            /// see [`search_name`]
            pub search_name: String,
        }
        // Updated by statements of their own, which do not change the version.
        fixed {
            /// short code assigned by the service
            pub employee_code: String,
            /// onboarding status
            pub status: Status as text = "onboarding_status",
            /// onboarding steps marked as completed
            pub marked: StepSet as StepBits = "marked_steps",
            /// `Direct Deposit` or `Check`
            pub payment_method: String,
            /// whether Form I-9 is requested
            pub i9_document: bool,
            /// whether the employee left before the company used the service
            pub historical: bool,
            /// when the employee was last invited
            pub invited_at: Option<Timestamp>,
            /// when the employee's part was complete, or an administrator marked every step
            pub self_completed_at: Option<Timestamp>,
            /// when onboarding was finished
            pub onboarded_at: Option<Timestamp>,
        }
        times {
            /// when the record was created
            pub created_at: Timestamp,
            updated_at,
        }
        version
    }
}

editable! {
    Employee;
    /// Creates an employee.
    create CreateEmployee {
        date_of_birth: Date,
        ssn: String,
        /// whether the employee enters personal data on hosted pages
        self_onboarding: bool,
    }
    /// Updates the fields that are given and keeps the rest.
    update UpdateEmployee {
        date_of_birth: Date,
        /// an empty or null value keeps the stored one
        ssn: String,
        /// whether the employee owns more than 2 % of an S corporation; stored with the primary job
        two_percent_shareholder: bool,
    }
    required first_name: String = |key, name| check::person_name(key, name);
    optional middle_initial: String = |key, letter| check::middle_initial(key, letter);
    required last_name: String = |key, name| check::person_name(key, name);
    optional preferred_first_name: String = |key, name| match name.trim() {
        "" => Ok(None),
        _ => check::person_name(key, name).map(Some),
    };
    optional email: String = |key, email| email_or_none(key, email);
    optional work_email: String = |key, email| email_or_none(key, email);
    optional phone: String = |key, number| check::parse_phone(key, number).map(Some);
}

/// An e-mail address; an empty one, as answers of earlier versions have it, is none.
fn email_or_none(key: &str, email: &str) -> Result<Option<String>, Violation> {
    if email.trim().is_empty() { Ok(None) } else { check::validate_email(key, email).map(Some) }
}

/// Stores onboarding steps as a bit set.
struct StepBits;

impl Stored<StepSet> for StepBits {
    fn value(steps: &StepSet) -> Value<'_> {
        i64::from(steps.bits()).into()
    }

    fn read_column(row: &Row<'_>, column: usize) -> Result<Option<StepSet>, Unread> {
        let Some(bits) = row.try_get::<Option<i64>>(column)? else { return Ok(None) };
        let bits = u16::try_from(bits).map_err(|_| Unread::new("holds more steps than there are"))?;
        Ok(Some(StepSet::from_bits(bits)))
    }
}

store::statements! {
    records Employee;
    BIRTHS = "SELECT id, date_of_birth FROM employees WHERE company_id = $1 AND id BETWEEN $2 AND $3 AND date_of_birth IS NOT NULL";
    MOVE = "UPDATE employees SET onboarding_status = $1, marked_steps = $2, invited_at = $3, self_completed_at = $4, onboarded_at = $5, \
            updated_at = $6 WHERE company_id = $7 AND id = $8 AND onboarding_status = $9";
    WITHOUT_SSN = "SELECT id FROM employees WHERE company_id = $1 AND id BETWEEN $2 AND $3 AND ssn IS NULL ORDER BY id";
    WITH_SSN = "SELECT count(*) FROM employees WHERE company_id = $1 AND ssn_digest IN ($2, $3) AND id <> $4";
}

/// Returns the name that `search_term` is matched against, and by which lists are sorted.
pub fn search_name(first_name: &str, last_name: &str) -> String {
    fold_text(&format!("{first_name} {last_name}"))
}

/// Returns the place of a sealed field of an employee.
pub fn sealed_field_place(company: Uuid, employee: Uuid, column: &'static str) -> Place {
    Place { owner: company, table: "employees", row: employee, column }
}

/// Returns the date of birth, unsealed.
pub fn birth_date(tx: &mut Tx<'_>, company: Uuid, employee: &Employee) -> Result<Option<Date>, Error> {
    let Some(sealed) = &employee.date_of_birth else { return Ok(None) };
    open_date(tx, company, employee.id, sealed).map(Some)
}

/// Unseals a date of birth.
pub fn open_date(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, sealed: &[u8]) -> Result<Date, Error> {
    let plain = tx.unseal_field(sealed_field_place(company, employee, "date_of_birth"), sealed)?;
    let date = std::str::from_utf8(&plain).ok().and_then(|text| text.parse().ok());
    let no_date = || {
        Unread::new("is read as a date, but holds something else")
            .into_error(Employee::TABLE, "date_of_birth")
    };
    Ok(date.ok_or_else(no_date)?)
}

/// Returns the dates of birth of the wanted employees in a range (ends included).
pub fn birth_dates_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
    wanted: impl Fn(Uuid) -> bool,
) -> Result<HashMap<Uuid, Date>, Error> {
    let sealed = tx.try_query(BIRTHS, params![company, first, last], |row| {
        let mut next = Cursor::new(row, Employee::TABLE, 0);
        let id = next.read_plain::<Uuid>("id")?;
        let birth = if wanted(id) { Some(next.read_plain::<Vec<u8>>("date_of_birth")?) } else { None };
        Ok::<_, Error>(birth.map(|birth| (id, birth)))
    })?;
    let mut births = HashMap::with_capacity(sealed.len());
    for (id, sealed) in sealed.into_iter().flatten() {
        births.insert(id, open_date(tx, company, id, &sealed)?);
    }
    Ok(births)
}

/// Returns the SSN, unsealed.
pub fn unseal_ssn(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: &Employee,
) -> Result<Option<Zeroizing<String>>, Error> {
    let Some(sealed) = &employee.ssn else { return Ok(None) };
    Ok(Some(tx.unseal_text(sealed_field_place(company, employee.id, "ssn"), sealed)?))
}

/// What the digests of SSNs are made for.
pub const SSN_DIGEST: &str = "employees.ssn";

/// Returns a digest for finding equal SSNs within a company.
pub fn ssn_digest(tx: &mut Tx<'_>, company: Uuid, ssn: &str) -> Result<Vec<u8>, Error> {
    Ok(tx.lookup_digest(company, SSN_DIGEST, ssn.as_bytes())?)
}

/// Whether another employee of the company has the same SSN.
pub fn ssn_is_shared(tx: &mut Tx<'_>, company: Uuid, employee: &Employee) -> Result<bool, Error> {
    let Some(ssn) = unseal_ssn(tx, company, employee)? else { return Ok(false) };
    let [newest, before] = tx.lookup_digests(company, SSN_DIGEST, ssn.as_bytes())?;
    let others =
        tx.find_row(WITH_SSN, params![company, &newest, &before, employee.id], |row| row.get::<i64>(0))?;
    Ok(others.unwrap_or(0) > 0)
}

/// A code for a new employee. It is long enough that two of a company are the same less often than once in ten million hires; an
/// index refuses the second one.
pub fn new_code(tx: &mut Tx<'_>) -> String {
    hex::encode(tx.random::<5>())
}

/// Stores a new employee and updates the count.
pub fn insert_employee(tx: &mut Tx<'_>, company: Uuid, employee: &Employee) -> Result<(), Error> {
    employee.insert(tx, company)?;
    counts::add_to_counts(tx, company, Counts::one_employee(employee.onboarded_at.is_some()))
}

/// Returns the employees in a range (ends included) who have no SSN.
pub fn without_ssn(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<HashSet<Uuid>, Error> {
    let found = tx.try_query(WITHOUT_SSN, params![company, first, last], |row| {
        Cursor::new(row, Employee::TABLE, 0).read_plain::<Uuid>("id")
    })?;
    Ok(found.into_iter().collect())
}

/// Deletes an employee and updates the count; returns whether the employee existed.
pub fn delete_employee(tx: &mut Tx<'_>, company: Uuid, employee: &Employee) -> Result<bool, Error> {
    let deleted = employee.delete(tx, company)?;
    if deleted {
        counts::add_to_counts(tx, company, Counts::one_less(employee.onboarded_at.is_some()))?;
    }
    Ok(deleted)
}

/// The state before an onboarding transition.
#[derive(Debug, Clone, Copy)]
pub struct Standing {
    /// the status
    pub status: Status,
    /// whether onboarding was ever finished
    pub onboarded: bool,
}

impl From<&Employee> for Standing {
    fn from(employee: &Employee) -> Self {
        Self { status: employee.status, onboarded: employee.onboarded_at.is_some() }
    }
}

/// Stores the onboarding fields if the stored status is still that of `from`; returns whether it was. Does not change the record's version.
pub fn move_to(tx: &mut Tx<'_>, company: Uuid, moved: &Employee, from: Standing) -> Result<bool, Error> {
    let now = tx.now();
    let marked = i64::from(moved.marked.bits());
    let parameters = params![
        moved.status.as_str(),
        marked,
        moved.invited_at,
        moved.self_completed_at,
        moved.onboarded_at,
        now,
        company,
        moved.id,
        from.status.as_str()
    ];
    let moves = tx.change_rows(MOVE, parameters)?.is_one();
    if moves {
        let onboarded = i64::from(moved.onboarded_at.is_some()) - i64::from(from.onboarded);
        counts::add_to_counts(tx, company, Counts { number: 0, onboarded })?;
    }
    Ok(moves)
}
