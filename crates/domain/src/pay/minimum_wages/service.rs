//! The minimum wages of a location and of an employee's work location.

use jiff::civil::Date;
use store::Tx;
use uuid::Uuid;

pub use super::dataset::current_table as table;
use super::table::{MinimumWage, Place};
use crate::access::tokens::Caller;
use crate::company::locations;
use crate::error::Error;
use crate::people::addresses;

/// The minimum wages in force at a location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocationWages {
    /// those that compensations can choose, most local authority first
    pub wages: Vec<MinimumWage>,
    /// the day on which they are in force
    pub day: Date,
}

/// The minimum wages of a location in force on `day`, which defaults to today.
///
/// # Errors
/// "Not found"; a store error.
pub fn of_location(
    tx: &mut Tx<'_>,
    caller: &Caller,
    location: Uuid,
    day: Option<Date>,
) -> Result<LocationWages, Error> {
    let location = locations::rows::Location::find(tx, caller.company, location)?.ok_or(Error::NotFound)?;
    let place = Place::from_address(&location.state, &location.city, &location.zip);
    let day = day.unwrap_or_else(|| caller.today(tx));
    Ok(LocationWages { wages: table(tx)?.choosable_wages(&place, day).into_iter().cloned().collect(), day })
}

/// Where the employee works on a day; `None` without a work address.
pub fn place_of_employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    day: Date,
) -> Result<Option<Place>, Error> {
    let workplaces = addresses::rows::work_addresses(tx, caller.company, employee)?;
    let active = rules::effective::active_record(&workplaces, day, |work| work.address.effective_date);
    Ok(active.map(|work| Place::from_address(&work.state, &work.city, &work.zip)))
}
