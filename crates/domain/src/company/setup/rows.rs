//! Rows of industries and of a company's onboarding, and when the data of its steps was stored.

use jiff::Timestamp;
use store::record::Cursor;
use store::{Json, Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    FIND_INDUSTRY = "SELECT naics_code, sic_codes, title, updated_at FROM company_industries WHERE company_id = $1";
    SAVE_INDUSTRY = "INSERT INTO company_industries (company_id, naics_code, sic_codes, title, updated_at) VALUES ($1, $2, $3, $4, $5) \
                     ON CONFLICT (company_id) DO UPDATE SET naics_code = excluded.naics_code, sic_codes = excluded.sic_codes, \
                     title = excluded.title, updated_at = excluded.updated_at";
    FIND_ONBOARDING = "SELECT finished_at, approved_at FROM company_onboarding WHERE company_id = $1";
    SAVE_ONBOARDING = "INSERT INTO company_onboarding (company_id, finished_at, approved_at) VALUES ($1, $2, $3) \
                   ON CONFLICT (company_id) DO UPDATE SET finished_at = excluded.finished_at, approved_at = excluded.approved_at";
    MAIL_SINCE = "SELECT created_at FROM locations WHERE company_id = $1 AND active AND mailing_address ORDER BY id LIMIT 1";
    FILING_SINCE = "SELECT created_at FROM locations WHERE company_id = $1 AND active AND filing_address ORDER BY id LIMIT 1";
    FIRST_ONBOARDED = "SELECT onboarded_at FROM employees WHERE company_id = $1 AND onboarded_at IS NOT NULL \
                       ORDER BY onboarded_at LIMIT 1";
    EXTERNAL_PAYROLLS = "SELECT updated_at, status FROM external_payrolls WHERE company_id = $1 ORDER BY updated_at DESC";
    SCHEDULE_SINCE = "SELECT created_at FROM pay_schedules WHERE company_id = $1 AND active ORDER BY id LIMIT 1";
}

/// The industry of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Industry {
    /// six digits
    pub naics_code: String,
    /// codes of four digits
    pub sic_codes: Vec<String>,
    /// readable title
    pub title: Option<String>,
    /// when it was last updated
    pub updated_at: Timestamp,
}

/// The company's industry, if it is set.
pub fn find_industry(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Industry>, Error> {
    tx.try_find(FIND_INDUSTRY, params![company], |row| {
        let mut columns = Cursor::new(row, "company_industries", 0);
        Ok(Industry {
            naics_code: columns.read_plain("naics_code")?,
            sic_codes: columns.read_json("sic_codes")?,
            title: columns.read_plain("title")?,
            updated_at: columns.read_plain("updated_at")?,
        })
    })
}

/// Stores or replaces the company's industry.
pub fn save_industry(tx: &mut Tx<'_>, company: Uuid, new: &Industry) -> Result<(), Error> {
    let codes = serde_json::to_string(&new.sic_codes)
        .map_err(Error::failed_operation("codes of an industry could not be written"))?;
    let Industry { naics_code, title, updated_at, .. } = new;
    Ok(tx.insert_row(SAVE_INDUSTRY, params![company, naics_code, Json(&codes), title, *updated_at])?)
}

/// The end of a company's onboarding.
#[derive(Debug, Clone, Copy, Default)]
pub struct Onboarding {
    /// when the company finished it
    pub finished_at: Option<Timestamp>,
    /// when the company was approved
    pub approved_at: Option<Timestamp>,
}

/// The company's onboarding.
pub fn company_onboarding(tx: &mut Tx<'_>, company: Uuid) -> Result<Onboarding, Error> {
    let found = tx.try_find(FIND_ONBOARDING, params![company], |row| {
        let mut columns = Cursor::new(row, "company_onboarding", 0);
        Ok::<_, Error>(Onboarding {
            finished_at: columns.read_plain("finished_at")?,
            approved_at: columns.read_plain("approved_at")?,
        })
    })?;
    // There is no row until the company finishes its onboarding.
    Ok(found.unwrap_or_default())
}

/// Stores or replaces the company's onboarding.
pub fn save_onboarding(tx: &mut Tx<'_>, company: Uuid, new: Onboarding) -> Result<(), Error> {
    Ok(tx.insert_row(SAVE_ONBOARDING, params![company, new.finished_at, new.approved_at])?)
}

fn find_timestamp(tx: &mut Tx<'_>, statement: store::Sql, company: Uuid) -> Result<Option<Timestamp>, Error> {
    Ok(tx.find_row(statement, params![company], |row| row.get::<Timestamp>(0))?)
}

/// Since when the company has both a mailing address and a filing address.
pub fn addressed_since(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Timestamp>, Error> {
    let mail = find_timestamp(tx, MAIL_SINCE, company)?;
    let filing = find_timestamp(tx, FILING_SINCE, company)?;
    Ok(mail.zip(filing).map(|(mail, filing)| mail.max(filing)))
}

/// When the company's first employee was onboarded.
pub fn first_onboarded(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Timestamp>, Error> {
    find_timestamp(tx, FIRST_ONBOARDED, company)
}

/// Since when the company has a pay schedule.
pub fn scheduled_since(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Timestamp>, Error> {
    find_timestamp(tx, SCHEDULE_SINCE, company)
}

/// When the payrolls of another provider were finished; `None` if there are none, or some are not finished.
pub fn external_payrolls_finished(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Timestamp>, Error> {
    let held = tx.try_query(EXTERNAL_PAYROLLS, params![company], |row| {
        let mut columns = Cursor::new(row, "external_payrolls", 0);
        Ok::<(Timestamp, String), store::Error>((
            columns.read_plain("updated_at")?,
            columns.read_plain("status")?,
        ))
    })?;
    let finished = held.iter().all(|(_, status)| status == "processed");
    Ok(held.first().filter(|_| finished).map(|(at, _)| *at))
}
