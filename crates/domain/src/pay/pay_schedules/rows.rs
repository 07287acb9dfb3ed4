//! Rows of pay schedules. Those of a company are read in the order of creation.

use jiff::civil::Date;
use rules::Named;
use rules::payroll::schedule::{PaySchedule, PayScheduleTerms};
use rules::withholding::federal::PayFrequency;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;

/// The columns of a pay schedule, in the order in which [`schedule`] reads them.
macro_rules! columns {
    () => {
        "id, frequency, anchor_pay_date, anchor_end_of_pay_period, day_1, day_2, custom_name, auto_payroll, active, version"
    };
}

store::statements! {
    OF_COMPANY = concat!("SELECT ", columns!(), " FROM pay_schedules WHERE company_id = $1 ORDER BY id");
    FIND = concat!("SELECT ", columns!(), " FROM pay_schedules WHERE company_id = $1 AND id = $2");
    FIRST = concat!("SELECT ", columns!(), " FROM pay_schedules WHERE company_id = $1 ORDER BY id LIMIT 1");
    INSERT = "INSERT INTO pay_schedules (company_id, id, frequency, anchor_pay_date, anchor_end_of_pay_period, day_1, day_2, \
              custom_name, auto_payroll, active, version, created_at, updated_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, $11, $11)";
    UPDATE = "UPDATE pay_schedules SET frequency = $1, anchor_pay_date = $2, anchor_end_of_pay_period = $3, day_1 = $4, day_2 = $5, \
              custom_name = $6, auto_payroll = $7, version = version + 1, updated_at = $8 \
              WHERE company_id = $9 AND id = $10 AND version = $11";
}

/// How often a company pays.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// identifier
    pub id: Uuid,
    /// what it is given by
    pub terms: PayScheduleTerms,
    /// what the company calls it
    pub custom_name: Option<String>,
    /// whether payrolls are to be run without anybody's doing
    pub auto_payroll: bool,
    /// whether it is in use
    pub active: bool,
    /// counter of updates
    pub version: i64,
}

impl Schedule {
    /// Its pay periods.
    ///
    /// # Panics
    /// When terms that may not stand were stored.
    pub fn periods(&self) -> PaySchedule {
        PaySchedule::new(&self.terms)
            .unwrap_or_else(|_| panic!("the terms were checked before they were stored"))
    }
}

fn schedule(row: &Row<'_>) -> Schedule {
    let frequency = row.get::<&str>(1);
    let day = |column| row.get::<Option<i64>>(column).and_then(|day| i8::try_from(day).ok());
    Schedule {
        id: row.get(0),
        terms: PayScheduleTerms {
            frequency: PayFrequency::parse(frequency)
                .unwrap_or_else(|| panic!("{frequency} is no frequency")),
            anchor_pay_date: row.get::<Date>(2),
            anchor_end_of_pay_period: row.get::<Date>(3),
            day_1: day(4),
            day_2: day(5),
        },
        custom_name: row.get(6),
        auto_payroll: row.get(7),
        active: row.get(8),
        version: row.get(9),
    }
}

/// Every schedule of the company, oldest first.
///
/// # Errors
/// A store error.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Schedule>, Error> {
    Ok(tx.query(OF_COMPANY, params![company], schedule)?)
}

/// The schedule of the company's employees, if there is one.
///
/// # Errors
/// A store error.
pub fn of_employees(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Schedule>, Error> {
    Ok(tx.find(FIRST, params![company], schedule)?)
}

/// The schedule, if it is one of the company's.
///
/// # Errors
/// A store error.
pub fn find(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Schedule>, Error> {
    Ok(tx.find(FIND, params![company, id], schedule)?)
}

/// Stores a new schedule.
///
/// # Errors
/// A store error.
pub fn insert(tx: &mut Tx<'_>, company: Uuid, new: &Schedule) -> Result<(), Error> {
    let now = tx.now();
    let parameters = params![
        company,
        new.id,
        new.terms.frequency.as_str(),
        new.terms.anchor_pay_date,
        new.terms.anchor_end_of_pay_period,
        new.terms.day_1.map(i64::from),
        new.terms.day_2.map(i64::from),
        &new.custom_name,
        new.auto_payroll,
        new.active,
        now
    ];
    Ok(tx.insert(INSERT, parameters)?)
}

/// Stores what the record says, if its version is still that of `changed`; else nothing.
///
/// # Errors
/// A store error.
pub fn update(tx: &mut Tx<'_>, company: Uuid, changed: &Schedule) -> Result<bool, Error> {
    let now = tx.now();
    let parameters = params![
        changed.terms.frequency.as_str(),
        changed.terms.anchor_pay_date,
        changed.terms.anchor_end_of_pay_period,
        changed.terms.day_1.map(i64::from),
        changed.terms.day_2.map(i64::from),
        &changed.custom_name,
        changed.auto_payroll,
        now,
        company,
        changed.id,
        changed.version
    ];
    Ok(tx.change(UPDATE, parameters)?.one())
}
