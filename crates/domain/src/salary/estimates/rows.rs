//! Rows of estimates.

use jiff::Timestamp;
use rules::Amount;
use rules::Named;
use rules::salary::{Area, AreaKind, Basis, Level, Occupation, Wage, Wages};
use serde::{Deserialize, Serialize};
use store::{Json, Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    FIND = "SELECT id, employee_id, employee_job_id, annual_net_revenue, zip_code, result, basis, accepted_at, version, \
            created_at, updated_at FROM salary_estimates WHERE company_id = $1 AND id = $2";
    OF_EMPLOYEE = "SELECT id, employee_id, employee_job_id, annual_net_revenue, zip_code, result, basis, accepted_at, version, \
                   created_at, updated_at FROM salary_estimates WHERE company_id = $1 AND employee_id = $2 ORDER BY id DESC LIMIT $3";
    OPEN = "SELECT id FROM salary_estimates WHERE company_id = $1 AND employee_id = $2 AND accepted_at IS NULL LIMIT 1";
    INSERT = "INSERT INTO salary_estimates (company_id, employee_id, id, employee_job_id, annual_net_revenue, zip_code, result, \
              basis, accepted_at, version, created_at, updated_at) VALUES ($1, $2, $3, NULL, $4, $5, $6, $7, NULL, 1, $8, $8)";
    UPDATE = "UPDATE salary_estimates SET annual_net_revenue = $1, zip_code = $2, result = $3, basis = $4, version = version + 1, \
              updated_at = $5 WHERE company_id = $6 AND employee_id = $7 AND id = $8 AND version = $9 AND accepted_at IS NULL";
    ACCEPT = "UPDATE salary_estimates SET employee_job_id = $1, accepted_at = $2, version = version + 1, updated_at = $2 \
              WHERE company_id = $3 AND employee_id = $4 AND id = $5 AND version = $6 AND accepted_at IS NULL";
    DELETE = "DELETE FROM salary_estimates WHERE company_id = $1 AND employee_id = $2";
}

/// An estimate.
#[derive(Debug, Clone)]
pub struct Estimate {
    /// identifier
    pub id: Uuid,
    /// whose salary it is
    pub employee: Uuid,
    /// for which job it was accepted
    pub job: Option<Uuid>,
    /// the company's revenue of a year after expenses
    pub revenue: Option<Amount>,
    /// where the business is
    pub zip_code: String,
    /// dollars a year
    pub result: Amount,
    /// what the result rests on
    pub basis: Basis,
    /// since when it is settled
    pub accepted_at: Option<Timestamp>,
    /// counter of updates
    pub version: i64,
    /// when it was made
    pub created_at: Timestamp,
    /// when it was changed last
    pub updated_at: Timestamp,
}

fn estimate(row: &Row<'_>) -> Estimate {
    let basis: Kept = match serde_json::from_str(row.json(6).unwrap_or_default()) {
        Ok(kept) => kept,
        Err(error) => panic!("the basis of an estimate cannot be read: {error}"),
    };
    Estimate {
        id: row.get(0),
        employee: row.get(1),
        job: row.get(2),
        revenue: row.get::<Option<i64>>(3).map(Amount::from_millionths),
        zip_code: row.get(4),
        result: Amount::from_cents(row.get(5)),
        basis: basis.open(),
        accepted_at: row.get(7),
        version: row.get(8),
        created_at: row.get(9),
        updated_at: row.get(10),
    }
}

/// An estimate by its id.
///
/// # Errors
/// A store error.
pub fn find(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Estimate>, Error> {
    Ok(tx.find(FIND, params![company, id], estimate)?)
}

/// The estimates of an employee, the newest first.
///
/// # Errors
/// A store error.
pub fn of_employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    most: i64,
) -> Result<Vec<Estimate>, Error> {
    Ok(tx.query(OF_EMPLOYEE, params![company, employee, most], estimate)?)
}

/// The employee's estimate that is not accepted yet.
///
/// # Errors
/// A store error.
pub fn open(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Option<Uuid>, Error> {
    Ok(tx.find(OPEN, params![company, employee], |row| row.get(0))?)
}

/// Adds an estimate.
///
/// # Errors
/// A store error.
pub fn insert(tx: &mut Tx<'_>, company: Uuid, new: &Estimate) -> Result<(), Error> {
    let basis = Kept::of(&new.basis).to_text();
    let revenue = new.revenue.map(Amount::millionths);
    let result = new.result.cents_half_up();
    let parameters =
        params![company, new.employee, new.id, revenue, &new.zip_code, result, Json(&basis), new.created_at];
    Ok(tx.insert(INSERT, parameters)?)
}

/// Changes an open estimate; `changed` holds the version that was read.
///
/// # Errors
/// A store error.
pub fn update(tx: &mut Tx<'_>, company: Uuid, changed: &Estimate) -> Result<bool, Error> {
    let basis = Kept::of(&changed.basis).to_text();
    let revenue = changed.revenue.map(Amount::millionths);
    let parameters = params![
        revenue,
        &changed.zip_code,
        changed.result.cents_half_up(),
        Json(&basis),
        changed.updated_at,
        company,
        changed.employee,
        changed.id,
        changed.version
    ];
    Ok(tx.change(UPDATE, parameters)?.one())
}

/// Settles an open estimate.
///
/// # Errors
/// A store error.
pub fn accept(
    tx: &mut Tx<'_>,
    company: Uuid,
    estimate: &Estimate,
    job: Option<Uuid>,
    at: Timestamp,
) -> Result<bool, Error> {
    let parameters = params![job, at, company, estimate.employee, estimate.id, estimate.version];
    Ok(tx.change(ACCEPT, parameters)?.one())
}

/// Deletes the estimates of an employee who is deleted.
///
/// # Errors
/// A store error.
pub fn delete(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    let _however_many = tx.change(DELETE, params![company, employee])?.rows();
    Ok(())
}

/// The basis as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    vintage: String,
    checksum: String,
    floor: u32,
    in_area: bool,
    /// code, name, kind
    areas: Vec<(String, String, String)>,
    occupations: Vec<KeptOccupation>,
}

#[derive(Debug, Serialize, Deserialize)]
struct KeptOccupation {
    code: String,
    name: String,
    description: String,
    published_as: String,
    level: String,
    /// millionths
    share: i64,
    primary: bool,
    /// the five points in each of the areas
    wages: Vec<Option<[Option<String>; 5]>>,
}

impl Kept {
    fn of(basis: &Basis) -> Self {
        let area = |area: &Area| (area.code.clone(), area.name.clone(), area.kind.as_str().to_owned());
        Self {
            vintage: basis.vintage.clone(),
            checksum: basis.checksum.clone(),
            floor: basis.floor,
            in_area: basis.in_area,
            areas: basis.areas.iter().map(area).collect(),
            occupations: basis.occupations.iter().map(KeptOccupation::of).collect(),
        }
    }

    fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|error| panic!("a basis is always JSON: {error}"))
    }

    fn open(self) -> Basis {
        let area = |(code, name, kind): (String, String, String)| {
            let kind = AreaKind::parse(&kind).unwrap_or_else(|| panic!("{kind} is no kind of area"));
            Area { code, name, kind }
        };
        Basis {
            vintage: self.vintage,
            checksum: self.checksum,
            floor: self.floor,
            in_area: self.in_area,
            areas: self.areas.into_iter().map(area).collect(),
            occupations: self.occupations.into_iter().map(KeptOccupation::open).collect(),
        }
    }
}

impl KeptOccupation {
    fn of(occupation: &Occupation) -> Self {
        let points = |wages: &Wages| wages.map(|wage| wage.map(Wage::to_text));
        Self {
            code: occupation.code.clone(),
            name: occupation.name.clone(),
            description: occupation.description.clone(),
            published_as: occupation.published_as.clone(),
            level: occupation.level.as_str().to_owned(),
            share: occupation.share.millionths(),
            primary: occupation.primary,
            wages: occupation.wages.iter().map(|wages| wages.as_ref().map(points)).collect(),
        }
    }

    fn open(self) -> Occupation {
        let wage = |text: String| Wage::parse(&text).unwrap_or_else(|| panic!("{text} is no wage"));
        let points = |wages: [Option<String>; 5]| wages.map(|text| text.map(wage));
        let level = &self.level;
        Occupation {
            level: Level::parse(level).unwrap_or_else(|| panic!("{level} is no level")),
            code: self.code,
            name: self.name,
            description: self.description,
            published_as: self.published_as,
            share: Amount::from_millionths(self.share),
            primary: self.primary,
            wages: self.wages.into_iter().map(|wages| wages.map(points)).collect(),
        }
    }
}
