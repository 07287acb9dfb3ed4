//! Rows of home and work addresses. An employee's addresses are read in order of creation.

use jiff::Timestamp;
use jiff::civil::Date;
use rules::effective;
use store::record::Cursor;
use store::{FromColumn, Row, Tx, params};
use uuid::Uuid;

use super::jurisdictions::ByHand;
use crate::company::locations::fields::{optional_line, read_address_line, read_state, read_zip_code};
use crate::company::locations::places::{PlaceAnswers, SentAnswers};
use crate::editable::editable;
use crate::error::Error;
use crate::patch::as_is;
use crate::records::IdRange;

store::record! {
    /// An employee's home address from its effective date on.
    #[derive(Debug, Clone, Default)]
    pub struct HomeAddress in "home_addresses" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// first day in effect
            pub effective_date: Date,
            /// whether home state taxes are withheld even where the law does not require it
            pub courtesy_withholding: bool,
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
            /// localities set by hand
            pub jurisdiction_codes: Option<ByHand> as json,
            /// answers to the questions about the address
            pub place_answers: Option<PlaceAnswers> as json,
        }
        fixed {
            /// always `USA`
            pub country: String,
        }
        times {
            created_at,
            /// time it was entered or last changed
            pub updated_at: Timestamp,
        }
        version
    }
}

editable! {
    HomeAddress;
    /// Adds a home address.
    create CreateHomeAddress {
        /// keys of the address's localities, to override the tables
        jurisdiction_codes: Vec<String>,
        /// answers to the questions about the address
        place_answers: SentAnswers,
    }
    /// Updates the given fields and keeps the rest.
    update UpdateHomeAddress {
        /// keys of the address's localities; null restores those of the tables
        jurisdiction_codes: Vec<String>,
        /// answers to the questions about the address; null removes them
        place_answers: SentAnswers,
    }
    required street_1: String = read_address_line;
    optional street_2: String = optional_line;
    required city: String = read_address_line;
    required state: String = read_state;
    required zip: String = read_zip_code;
    lenient effective_date: Date = as_is;
    preset courtesy_withholding: bool = as_is;
}

store::record! {
    /// The location where an employee works from its effective date on.
    #[derive(Debug, Clone)]
    pub struct WorkAddress in "work_addresses" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// one of the company's locations
            pub location: Uuid = "location_id",
            /// first day in effect
            pub effective_date: Date,
            /// whether the work is done at home, for the employee's own convenience
            pub remote_for_own_convenience: bool,
            /// localities set by hand
            pub jurisdiction_codes: Option<ByHand> as json,
        }
        times {
            created_at,
            /// time it was entered or last changed
            pub updated_at: Timestamp,
        }
        version
    }
}

store::statements! {
    records HomeAddress, WorkAddress;
    HOMES = store::text!(HomeAddress::SELECT, " AND employee_id = $2 ORDER BY id");
    FIND_HOME = store::text!(HomeAddress::SELECT, " AND id = $2");
    HAS_HOME = "SELECT id FROM home_addresses WHERE company_id = $1 AND employee_id = $2 LIMIT 1";
    WORKPLACES = store::text!("SELECT l.street_1, l.street_2, l.city, l.state, l.zip, l.country, l.place_answers, ", store::columns!(WorkAddress, "w."),
                              " FROM work_addresses w JOIN locations l ON l.company_id = w.company_id AND l.id = w.location_id \
                               WHERE w.company_id = $1 AND w.employee_id = $2 ORDER BY w.id");
    WORK_BETWEEN = store::text!(WorkAddress::SELECT, " AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id, id");
    HOMES_BETWEEN = store::text!(HomeAddress::SELECT, " AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id, id");
    FIND_WORK = store::text!(WorkAddress::SELECT, " AND id = $2");
    HAS_WORK = "SELECT id FROM work_addresses WHERE company_id = $1 AND employee_id = $2 LIMIT 1";
    HIRE_DATE = "SELECT hire_date FROM employee_jobs WHERE company_id = $1 AND employee_id = $2 AND is_primary = true ORDER BY id LIMIT 1";
    LIVING_IN = "SELECT count(*) FROM (SELECT DISTINCT company_id, employee_id FROM home_addresses WHERE state = $1 LIMIT $2) p";
    BY_AGREEMENT = store::text!(HomeAddress::SELECT, " AND state = $2 AND courtesy_withholding = true AND id > $3 ORDER BY id LIMIT $4");
    FORGET_HOMES = "DELETE FROM home_addresses WHERE company_id = $1 AND employee_id = $2";
    FORGET_WORKPLACES = "DELETE FROM work_addresses WHERE company_id = $1 AND employee_id = $2";
    // The newest address that has begun counts today, and all that have not begun yet.
    WORKING_AT = "SELECT count(DISTINCT w.employee_id) FROM work_addresses w WHERE w.company_id = $1 AND w.location_id = $2 \
                  AND NOT EXISTS (SELECT 1 FROM work_addresses n WHERE n.company_id = $1 AND n.employee_id = w.employee_id \
                  AND n.effective_date > w.effective_date AND n.effective_date <= $3) \
                  AND NOT EXISTS (SELECT 1 FROM terminations t WHERE t.company_id = $1 AND t.employee_id = w.employee_id \
                  AND t.effective_date < $3 AND NOT EXISTS (SELECT 1 FROM rehires r WHERE r.company_id = $1 \
                  AND r.employee_id = w.employee_id AND r.effective_date > t.effective_date))";
}

/// A work address with the postal address of its location.
#[derive(Debug, Clone)]
pub struct Workplace {
    /// the work address
    pub address: WorkAddress,
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
    /// always `USA`
    pub country: String,
    /// answers to the questions about the location
    pub place_answers: Option<PlaceAnswers>,
}

fn read_workplace(row: &Row<'_>) -> Result<Workplace, store::Error> {
    Ok(Workplace {
        street_1: of_location(row, 0, "street_1")?,
        street_2: of_location(row, 1, "street_2")?,
        city: of_location(row, 2, "city")?,
        state: of_location(row, 3, "state")?,
        zip: of_location(row, 4, "zip")?,
        country: of_location(row, 5, "country")?,
        place_answers: Cursor::new(row, "locations", 6).json_or_null("place_answers")?,
        address: WorkAddress::read_from(row, 7)?,
    })
}

fn of_location<'r, T: FromColumn<'r>>(
    row: &Row<'r>,
    column: usize,
    field: &'static str,
) -> Result<T, store::Error> {
    row.try_get(column).map_err(|why| why.into_error("locations", field))
}

/// Returns the employee's home addresses.
pub fn home_addresses(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<HomeAddress>, Error> {
    Ok(tx.try_query(HOMES, params![company, employee], HomeAddress::read)?)
}

/// Returns how many employees, of all companies, have a home in a state, at most `most`: for the operator.
pub fn living_in(tx: &mut Tx<'_>, state: &str, most: i64) -> Result<i64, Error> {
    Ok(tx.find_row(LIVING_IN, params![state, most], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Returns homes in a state for which the employer withholds by agreement, at most `most` after one of them, in order.
pub fn by_agreement(
    tx: &mut Tx<'_>,
    company: Uuid,
    (state, after, most): (&str, Uuid, i64),
) -> Result<Vec<HomeAddress>, Error> {
    Ok(tx.try_query(BY_AGREEMENT, params![company, state, after, most], HomeAddress::read)?)
}

/// Returns the home address, if it belongs to an employee of the company.
pub fn find_home(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<HomeAddress>, Error> {
    Ok(tx.try_find(FIND_HOME, params![company, id], HomeAddress::read)?)
}

/// Whether the employee has a home address.
pub fn has_home(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<bool, Error> {
    Ok(tx.find_row(HAS_HOME, params![company, employee], |_| ())?.is_some())
}

/// Returns the employee's work addresses with their locations.
pub fn work_addresses(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<Workplace>, Error> {
    Ok(tx.try_query(WORKPLACES, params![company, employee], read_workplace)?)
}

/// Returns the work addresses of an inclusive range of employees, grouped by employee.
pub fn work_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<Vec<WorkAddress>, Error> {
    Ok(tx.try_query(WORK_BETWEEN, params![company, first, last], WorkAddress::read)?)
}

/// Returns the home addresses of an inclusive range of employees, grouped by employee.
pub fn homes_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<Vec<HomeAddress>, Error> {
    Ok(tx.try_query(HOMES_BETWEEN, params![company, first, last], HomeAddress::read)?)
}

/// Returns the location where the employee works on `today`.
pub fn active_work_location(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    today: Date,
) -> Result<Option<Uuid>, Error> {
    let all = work_addresses(tx, company, employee)?;
    Ok(effective::active_record(&all, today, |place| place.address.effective_date)
        .map(|place| place.address.location))
}

/// Returns the work address, if it belongs to an employee of the company.
pub fn find_work(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<WorkAddress>, Error> {
    Ok(tx.try_find(FIND_WORK, params![company, id], WorkAddress::read)?)
}

/// Whether the employee has a work address.
pub fn has_work(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<bool, Error> {
    Ok(tx.find_row(HAS_WORK, params![company, employee], |_| ())?.is_some())
}

/// Returns the hire date of the employee's primary job, if there is one.
pub fn hire_date(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Option<Date>, Error> {
    Ok(tx.find_row(HIRE_DATE, params![company, employee], |row| row.get::<Date>(0))?)
}

/// Deletes the addresses of an employee who is being deleted.
pub fn delete_addresses(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    for statement in [FORGET_HOMES, FORGET_WORKPLACES] {
        let _there_may_be_none = tx.change_rows(statement, params![company, employee])?.rows();
    }
    Ok(())
}

/// The number of employees who work at a location on a day, or will, without those who have left.
pub fn working_at(tx: &mut Tx<'_>, company: Uuid, location: Uuid, day: Date) -> Result<i64, Error> {
    Ok(tx.find_row(WORKING_AT, params![company, location, day], |row| row.get::<i64>(0))?.unwrap_or(0))
}
