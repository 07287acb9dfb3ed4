//! Rows of companies.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rules::Named as _;
use rules::company::{FilingForm, Status};
use store::record::Cursor;
use store::{Row, Tx, Unread, params};
use uuid::Uuid;

use crate::company::taxes::rows as company_taxes;
use crate::company::taxes::rows::Federal;
use crate::error::Error;
use crate::paging::Page;

store::statements! {
    FIND = "SELECT company_id, name, trade_name, entity_type, contractor_only, company_status, is_partner_managed, \
            join_date, time_zone, version, created_at, updated_at FROM companies WHERE company_id = $1";
    ENTITY_TYPE = "SELECT entity_type FROM companies WHERE company_id = $1";
    INSERT = "INSERT INTO companies (company_id, name, trade_name, entity_type, contractor_only, company_status, \
              is_partner_managed, join_date, time_zone, version, created_at, updated_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, $10)";
    SET_IDENTITY = "UPDATE companies SET name = $1, entity_type = $2, version = version + 1, updated_at = $3 WHERE company_id = $4";
    SET_CONTRACTOR_ONLY = "UPDATE companies SET contractor_only = $1, version = version + 1, updated_at = $2 WHERE company_id = $3";
    SET_STATUS = "UPDATE companies SET company_status = $1, version = version + 1, updated_at = $2 WHERE company_id = $3";
    SET_PARTNER_MANAGED = "UPDATE companies SET is_partner_managed = $1, version = version + 1, updated_at = $2 \
                           WHERE company_id = $3 AND is_partner_managed <> $1";
    NAMES = "SELECT company_id, name, company_status FROM companies ORDER BY company_id LIMIT $1 OFFSET $2";
    COUNT = "SELECT count(company_id) FROM companies";
    TIME_ZONE = "SELECT time_zone FROM companies WHERE company_id = $1";
    SET_TIME_ZONE = "UPDATE companies SET time_zone = $1, updated_at = $2 WHERE company_id = $3";
}

/// A company. It has no `store::record!`, because its key is the company itself.
#[derive(Debug, Clone)]
pub struct Company {
    /// identifier
    pub id: Uuid,
    /// legal name
    pub name: String,
    /// name under which it trades
    pub trade_name: Option<String>,
    /// employer identification number, nine digits; sealed in the store
    pub ein: Option<String>,
    /// legal form, such as `LLC`
    pub entity_type: Option<String>,
    /// whether it has contractors only
    pub contractor_only: bool,
    /// whether it may run payroll
    pub company_status: Status,
    /// whether a partner runs its payroll
    pub is_partner_managed: bool,
    /// first day with the service
    pub join_date: Option<Date>,
    /// IANA name
    pub time_zone: String,
    /// counter of updates
    pub version: i64,
    /// when it was created
    pub created_at: Timestamp,
    /// when it was last updated
    pub updated_at: Timestamp,
}

impl Company {
    /// A company that is not approved and that no partner manages. Its time zone is UTC until it has a filing address.
    pub fn new(id: Uuid, name: String, now: Timestamp) -> Self {
        Self {
            id,
            name,
            trade_name: None,
            ein: None,
            entity_type: None,
            contractor_only: false,
            company_status: Status::NotApproved,
            is_partner_managed: false,
            join_date: None,
            time_zone: "UTC".to_owned(),
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }
}

/// Reads the columns of [`FIND`].
fn read_company(row: &Row<'_>) -> Result<Company, store::Error> {
    let mut columns = Cursor::new(row, "companies", 0);
    Ok(Company {
        id: columns.read_plain("company_id")?,
        name: columns.read_plain("name")?,
        trade_name: columns.read_plain("trade_name")?,
        ein: None,
        entity_type: columns.read_plain("entity_type")?,
        contractor_only: columns.read_plain("contractor_only")?,
        company_status: columns.read_text("company_status", Status::parse)?,
        is_partner_managed: columns.read_plain("is_partner_managed")?,
        join_date: columns.read_plain("join_date")?,
        time_zone: columns.read_plain("time_zone")?,
        version: columns.read_plain("version")?,
        created_at: columns.read_plain("created_at")?,
        updated_at: columns.read_plain("updated_at")?,
    })
}

/// The company, if it exists.
pub fn find_company(tx: &mut Tx<'_>, id: Uuid) -> Result<Option<Company>, Error> {
    let Some(mut company) = tx.try_find(FIND, params![id], read_company)? else { return Ok(None) };
    if let Some(federal) = company_taxes::find_federal(tx, id)? {
        company.ein = federal.ein(tx, id)?;
    }
    Ok(Some(company))
}

/// The legal form of a company, if known.
pub fn entity_type(tx: &mut Tx<'_>, id: Uuid) -> Result<Option<String>, Error> {
    Ok(tx.find_row(ENTITY_TYPE, params![id], |row| row.get::<Option<String>>(0))?.flatten())
}

/// Stores a new company with its federal tax details; the EIN is sealed.
pub fn insert_company(tx: &mut Tx<'_>, new: &Company) -> Result<(), Error> {
    let Company { id, name, trade_name, entity_type, contractor_only, company_status, .. } = new;
    let parameters = params![
        id,
        name,
        trade_name,
        entity_type,
        *contractor_only,
        company_status.as_str(),
        new.is_partner_managed,
        new.join_date,
        &new.time_zone,
        new.created_at
    ];
    tx.insert_row(INSERT, parameters)?;
    let mut federal = Federal {
        ein: None,
        ein_verified: false,
        taxable_as_scorp: entity_type.as_deref() == Some("S-Corporation"),
        filing_form: FilingForm::Quarterly,
        effective_date: new.created_at.to_zoned(TimeZone::UTC).date(),
        version: 1,
        updated_at: new.created_at,
    };
    if let Some(ein) = &new.ein {
        federal.set_ein(tx, *id, ein)?;
    }
    company_taxes::insert_federal(tx, *id, &federal)
}

/// Stores the legal name and the legal form.
///
/// # Errors
/// A store error, or "not found".
pub fn set_identity(
    tx: &mut Tx<'_>,
    company: Uuid,
    name: &str,
    entity_type: Option<&str>,
) -> Result<(), Error> {
    let now = tx.now();
    require_found(tx.change_rows(SET_IDENTITY, params![name, entity_type, now, company])?.is_one())
}

/// Stores whether the company pays contractors only.
///
/// # Errors
/// A store error, or "not found".
pub fn set_contractor_only(tx: &mut Tx<'_>, company: Uuid, contractor_only: bool) -> Result<(), Error> {
    let now = tx.now();
    require_found(tx.change_rows(SET_CONTRACTOR_ONLY, params![contractor_only, now, company])?.is_one())
}

/// Stores the company's status.
///
/// # Errors
/// A store error, or "not found".
pub fn set_status(tx: &mut Tx<'_>, company: Uuid, status: Status) -> Result<(), Error> {
    let now = tx.now();
    require_found(tx.change_rows(SET_STATUS, params![status.as_str(), now, company])?.is_one())
}

/// Stores whether a partner manages the company; `false` if nothing changed.
pub fn set_partner_managed(tx: &mut Tx<'_>, company: Uuid, managed: bool) -> Result<bool, Error> {
    let now = tx.now();
    Ok(tx.change_rows(SET_PARTNER_MANAGED, params![managed, now, company])?.is_one())
}

fn require_found(one: bool) -> Result<(), Error> {
    if one { Ok(()) } else { Err(Error::NotFound) }
}

/// The time zone of the company; UTC for one that does not exist.
pub fn time_zone(tx: &mut Tx<'_>, company: Uuid) -> Result<TimeZone, Error> {
    let zone = tx.try_find(TIME_ZONE, params![company], |row| {
        let zone = row
            .try_get(0)
            .and_then(|name: &str| TimeZone::get(name).map_err(|_| Unread::new("names no known time zone")));
        zone.map_err(|why| why.into_error("companies", "time_zone"))
    });
    Ok(zone?.unwrap_or(TimeZone::UTC))
}

/// Sets the company's time zone.
///
/// # Errors
/// A store error, or "not found".
pub fn set_time_zone(tx: &mut Tx<'_>, company: Uuid, zone: &str) -> Result<(), Error> {
    let now = tx.now();
    require_found(tx.change_rows(SET_TIME_ZONE, params![zone, now, company])?.is_one())
}

/// A company in a list.
#[derive(Debug, Clone)]
pub struct Named {
    /// the company
    pub id: Uuid,
    /// legal name
    pub name: String,
    /// whether it may run payroll
    pub status: Status,
}

/// A page of all companies of the store, and their number: for the operator.
pub fn list_all_companies(tx: &mut Tx<'_>, page: Page) -> Result<(Vec<Named>, i64), Error> {
    let (limit, offset) = page.limit_and_offset();
    let named = tx.try_query(NAMES, params![limit, offset], |row| {
        let mut columns = Cursor::new(row, "companies", 0);
        Ok::<_, store::Error>(Named {
            id: columns.read_plain("company_id")?,
            name: columns.read_plain("name")?,
            status: columns.read_text("company_status", Status::parse)?,
        })
    })?;
    Ok((named, count_companies(tx)?))
}

/// Number of companies in the store.
pub fn count_companies(tx: &mut Tx<'_>) -> Result<i64, Error> {
    Ok(tx.find_row(COUNT, params![], |row| row.get::<i64>(0))?.unwrap_or(0))
}
