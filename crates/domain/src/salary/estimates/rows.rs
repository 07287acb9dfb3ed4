//! Rows of estimates.

use jiff::Timestamp;
use rules::Amount;
use rules::salary::Basis;
use store::{Tx, params};
use uuid::Uuid;

use super::stored::StoredBasis;
use crate::error::Error;

/// An estimate.
#[derive(Debug, Clone)]
pub struct Estimate {
    /// identifier
    pub id: Uuid,
    /// whose salary it is
    pub employee: Uuid,
    /// the job for which it was accepted
    pub job: Option<Uuid>,
    /// annual net revenue of the company
    pub revenue: Option<Amount>,
    /// ZIP code of the business
    pub zip_code: String,
    /// dollars per year, in whole cents
    pub result: Amount,
    /// all inputs of the calculation
    pub basis: Basis,
    /// when it was accepted
    pub accepted_at: Option<Timestamp>,
    /// counter of updates
    pub version: i64,
    /// when it was created
    pub created_at: Timestamp,
    /// when it was last updated
    pub updated_at: Timestamp,
}

store::record! {
    /// An estimate as it is stored.
    #[derive(Debug)]
    struct EstimateRow in "salary_estimates" {
        key {
            employee: Uuid = "employee_id",
            id: Uuid,
        }
        fields {
            job: Option<Uuid> = "employee_job_id",
            /// millionths
            revenue: Option<i64> = "annual_net_revenue",
            zip_code: String,
            /// cents
            result: i64,
            basis: StoredBasis as json,
            accepted_at: Option<Timestamp>,
        }
        times { created_at: Timestamp, updated_at: Timestamp }
        version
    }
}

store::statements! {
    records EstimateRow;
    BY_ID = store::text!(EstimateRow::SELECT, " AND id = $2");
    OF_EMPLOYEE = store::text!(EstimateRow::SELECT, " AND employee_id = $2 ORDER BY id DESC LIMIT $3");
    OPEN = "SELECT id FROM salary_estimates WHERE company_id = $1 AND employee_id = $2 AND accepted_at IS NULL LIMIT 1";
    DELETE_OF_EMPLOYEE = "DELETE FROM salary_estimates WHERE company_id = $1 AND employee_id = $2";
}

impl From<EstimateRow> for Estimate {
    fn from(row: EstimateRow) -> Self {
        Self {
            id: row.id,
            employee: row.employee,
            job: row.job,
            revenue: row.revenue.map(Amount::from_millionths),
            zip_code: row.zip_code,
            result: Amount::from_cents(row.result),
            basis: row.basis.into(),
            accepted_at: row.accepted_at,
            version: row.version,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

impl From<&Estimate> for EstimateRow {
    fn from(estimate: &Estimate) -> Self {
        Self {
            employee: estimate.employee,
            id: estimate.id,
            job: estimate.job,
            revenue: estimate.revenue.map(Amount::millionths),
            zip_code: estimate.zip_code.clone(),
            result: estimate.result.cents_half_up(),
            basis: StoredBasis::from(&estimate.basis),
            accepted_at: estimate.accepted_at,
            version: estimate.version,
            created_at: estimate.created_at,
            updated_at: estimate.updated_at,
        }
    }
}

/// The estimate, if it is one of the company's.
pub fn find_estimate(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Estimate>, Error> {
    Ok(tx.try_find(BY_ID, params![company, id], EstimateRow::read)?.map(Estimate::from))
}

/// The estimates of an employee, newest first, at most `limit`.
pub fn of_employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    limit: i64,
) -> Result<Vec<Estimate>, Error> {
    let rows = tx.try_query(OF_EMPLOYEE, params![company, employee, limit], EstimateRow::read)?;
    Ok(rows.into_iter().map(Estimate::from).collect())
}

/// The employee's estimate that is not accepted yet.
pub fn find_open_estimate(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Option<Uuid>, Error> {
    Ok(tx.find_row(OPEN, params![company, employee], |row| row.get(0))?)
}

/// Stores a new estimate.
pub fn insert_estimate(tx: &mut Tx<'_>, company: Uuid, new: &Estimate) -> Result<(), Error> {
    Ok(EstimateRow::from(new).insert(tx, company)?)
}

/// Stores a changed estimate; `false`, with nothing stored, if its version has changed.
pub fn update_estimate(tx: &mut Tx<'_>, company: Uuid, estimate: &Estimate) -> Result<bool, Error> {
    Ok(EstimateRow::from(estimate).update(tx, company)?)
}

/// Deletes the estimates of an employee.
pub fn delete_estimates(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    let _number = tx.change_rows(DELETE_OF_EMPLOYEE, params![company, employee])?.rows();
    Ok(())
}
