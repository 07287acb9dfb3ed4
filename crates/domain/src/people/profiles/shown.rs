//! The part of an employee's record that responses show.

use jiff::civil::Date;
use rules::Named;
use rules::onboarding::Status;
use store::record::Cursor;
use store::{Row, Tx};
use uuid::Uuid;

use crate::error::Error;
use crate::people::employees::Employee;
use crate::people::employees::rows as employees;

/// The columns of a [`ShownEmployee`], selected from `employees e`.
pub const COLUMNS: &str = "e.id, e.first_name, e.middle_initial, e.last_name, e.preferred_first_name, e.email, e.work_email, e.phone, \
     e.ssn IS NOT NULL, e.date_of_birth, e.employee_code, e.onboarding_status, e.payment_method, e.i9_document, e.historical, \
     e.onboarded_at IS NOT NULL, e.version";

/// The fields of an employee that responses show. Omits the SSN and its digest, the search name and the timestamps: reading and copying
/// them took a tenth of the work of a list.
pub struct ShownEmployee {
    /// identifier
    pub id: Uuid,
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
    /// whether an SSN is on file
    pub has_ssn: bool,
    /// sealed
    date_of_birth: Option<Vec<u8>>,
    /// short code assigned by the service
    pub employee_code: String,
    /// onboarding status
    pub status: Status,
    /// `Direct Deposit` or `Check`
    pub payment_method: String,
    /// whether Form I-9 is requested
    pub i9_document: bool,
    /// whether the employee left before the company used the service
    pub historical: bool,
    /// whether onboarding was ever finished
    pub onboarded: bool,
    /// counter of updates
    pub version: i64,
}

store::hidden!(ShownEmployee);

impl ShownEmployee {
    /// Reads a row whose columns are [`COLUMNS`].
    ///
    /// # Errors
    /// [`store::Error::Unreadable`].
    pub fn read(row: &Row<'_>) -> Result<Self, store::Error> {
        let mut next = Cursor::new(row, Employee::TABLE, 0);
        Ok(Self {
            id: next.read_plain("id")?,
            first_name: next.read_plain("first_name")?,
            middle_initial: next.read_plain("middle_initial")?,
            last_name: next.read_plain("last_name")?,
            preferred_first_name: next.read_plain("preferred_first_name")?,
            email: next.read_plain("email")?,
            work_email: next.read_plain("work_email")?,
            phone: next.read_plain("phone")?,
            has_ssn: next.read_plain("ssn")?,
            date_of_birth: next.read_plain("date_of_birth")?,
            employee_code: next.read_plain("employee_code")?,
            status: next.read_text("onboarding_status", Status::parse)?,
            payment_method: next.read_plain("payment_method")?,
            i9_document: next.read_plain("i9_document")?,
            historical: next.read_plain("historical")?,
            onboarded: next.read_plain("onboarded_at")?,
            version: next.read_plain("version")?,
        })
    }

    /// Returns the date of birth, unsealed.
    pub fn birth_date(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Date>, Error> {
        let sealed = self.date_of_birth.as_deref();
        sealed.map(|sealed| employees::open_date(tx, company, self.id, sealed)).transpose()
    }
}

impl From<Employee> for ShownEmployee {
    fn from(employee: Employee) -> Self {
        Self {
            id: employee.id,
            has_ssn: employee.ssn.is_some(),
            onboarded: employee.onboarded_at.is_some(),
            first_name: employee.first_name,
            middle_initial: employee.middle_initial,
            last_name: employee.last_name,
            preferred_first_name: employee.preferred_first_name,
            email: employee.email,
            work_email: employee.work_email,
            phone: employee.phone,
            date_of_birth: employee.date_of_birth,
            employee_code: employee.employee_code,
            status: employee.status,
            payment_method: employee.payment_method,
            i9_document: employee.i9_document,
            historical: employee.historical,
            version: employee.version,
        }
    }
}

#[cfg(test)]
mod tests {
    use store::{Clock, MasterKeys, Options, Store, params};

    use super::*;
    use crate::people::profiles::rows;

    const COMPANY: Uuid = Uuid::from_u128(7);

    store::statements! {
        SET_STATUS = "UPDATE employees SET onboarding_status = $1 WHERE company_id = $2";
    }

    #[tokio::test]
    async fn a_status_that_cannot_be_read_is_an_error_naming_its_column() {
        let clock = Clock::standing_at("2026-06-15T12:00:00Z".parse().unwrap());
        let keys = MasterKeys::parse(&"ab".repeat(32)).unwrap();
        let store = Store::open("sqlite::memory:", Options::new(clock, keys, crate::SCHEMA)).unwrap();
        let read = store.write(|tx| {
            let employee = Employee { id: Uuid::from_u128(1), version: 1, ..Employee::default() };
            employees::insert_employee(tx, COMPANY, &employee)?;
            assert!(!rows::find_employee(tx, COMPANY, employee.id)?.has_ssn);
            tx.change_rows(SET_STATUS, params!["no status", COMPANY])?.rows();
            rows::find_employee(tx, COMPANY, employee.id).map(|found| found.status)
        });
        let error = read.await.unwrap_err().to_line();
        assert!(error.contains("employees") && error.contains("onboarding_status"), "{error}");
    }
}
