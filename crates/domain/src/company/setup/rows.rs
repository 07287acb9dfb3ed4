//! Rows of industries and of the course of a company's onboarding, and when what its steps ask for came.

use jiff::Timestamp;
use store::{Json, Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    FIND_INDUSTRY = "SELECT naics_code, sic_codes, title, updated_at FROM company_industries WHERE company_id = $1";
    SAVE_INDUSTRY = "INSERT INTO company_industries (company_id, naics_code, sic_codes, title, updated_at) VALUES ($1, $2, $3, $4, $5) \
                     ON CONFLICT (company_id) DO UPDATE SET naics_code = excluded.naics_code, sic_codes = excluded.sic_codes, \
                     title = excluded.title, updated_at = excluded.updated_at";
    FIND_COURSE = "SELECT finished_at, approved_at FROM company_onboarding WHERE company_id = $1";
    SAVE_COURSE = "INSERT INTO company_onboarding (company_id, finished_at, approved_at) VALUES ($1, $2, $3) \
                   ON CONFLICT (company_id) DO UPDATE SET finished_at = excluded.finished_at, approved_at = excluded.approved_at";
    MAIL_SINCE = "SELECT created_at FROM locations WHERE company_id = $1 AND active AND mailing_address ORDER BY id LIMIT 1";
    FILING_SINCE = "SELECT created_at FROM locations WHERE company_id = $1 AND active AND filing_address ORDER BY id LIMIT 1";
    FIRST_ONBOARDED = "SELECT onboarded_at FROM employees WHERE company_id = $1 AND onboarded_at IS NOT NULL \
                       ORDER BY onboarded_at LIMIT 1";
    SCHEDULE_SINCE = "SELECT created_at FROM pay_schedules WHERE company_id = $1 AND active ORDER BY id LIMIT 1";
}

/// The industry of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Industry {
    /// six digits
    pub naics_code: String,
    /// of four digits each
    pub sic_codes: Vec<String>,
    /// for people
    pub title: Option<String>,
    /// when it was last said
    pub updated_at: Timestamp,
}

/// The company's industry, if it has said one.
///
/// # Errors
/// A store error.
pub fn find_industry(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Industry>, Error> {
    Ok(tx.find(FIND_INDUSTRY, params![company], |row| Industry {
        naics_code: row.get(0),
        sic_codes: row.json(1).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default(),
        title: row.get(2),
        updated_at: row.get(3),
    })?)
}

/// Stores the company's industry in place of the one before.
///
/// # Errors
/// A store error.
pub fn save_industry(tx: &mut Tx<'_>, company: Uuid, new: &Industry) -> Result<(), Error> {
    let codes = serde_json::to_string(&new.sic_codes).map_err(|_| Error::Internal)?;
    let Industry { naics_code, title, updated_at, .. } = new;
    Ok(tx.insert(SAVE_INDUSTRY, params![company, naics_code, Json(&codes), title, *updated_at])?)
}

/// The course of a company's onboarding.
#[derive(Debug, Clone, Copy, Default)]
pub struct Course {
    /// when it said that it was done
    pub finished_at: Option<Timestamp>,
    /// when it was approved
    pub approved_at: Option<Timestamp>,
}

/// How far the company's onboarding came.
///
/// # Errors
/// A store error.
pub fn course(tx: &mut Tx<'_>, company: Uuid) -> Result<Course, Error> {
    let found = tx.find(FIND_COURSE, params![company], |row| Course {
        finished_at: row.get(0),
        approved_at: row.get(1),
    })?;
    Ok(found.unwrap_or_default())
}

/// Stores how far the company's onboarding came.
///
/// # Errors
/// A store error.
pub fn save_course(tx: &mut Tx<'_>, company: Uuid, course: Course) -> Result<(), Error> {
    Ok(tx.insert(SAVE_COURSE, params![company, course.finished_at, course.approved_at])?)
}

fn moment(tx: &mut Tx<'_>, statement: store::Sql, company: Uuid) -> Result<Option<Timestamp>, Error> {
    Ok(tx.find(statement, params![company], |row| row.get::<Timestamp>(0))?)
}

/// Since when the company has both an address for its mail and one from which it files.
///
/// # Errors
/// A store error.
pub fn addressed_since(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Timestamp>, Error> {
    let mail = moment(tx, MAIL_SINCE, company)?;
    let filing = moment(tx, FILING_SINCE, company)?;
    Ok(mail.zip(filing).map(|(mail, filing)| mail.max(filing)))
}

/// When the company's first employee was onboarded.
///
/// # Errors
/// A store error.
pub fn first_onboarded(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Timestamp>, Error> {
    moment(tx, FIRST_ONBOARDED, company)
}

/// Since when the company has a pay schedule.
///
/// # Errors
/// A store error.
pub fn scheduled_since(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Timestamp>, Error> {
    moment(tx, SCHEDULE_SINCE, company)
}
