//! Rows of the benefits that a company offers.

use rules::payroll::benefits::BenefitType;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;

/// The columns of a company benefit, in the order in which [`company_benefit`] reads them; the last says whether
/// anything uses it.
macro_rules! columns {
    () => {
        "b.id, b.benefit_type, b.active, b.description, b.responsible_for_employer_taxes, b.responsible_for_employee_w2, \
         b.catch_up_type, b.version, \
         EXISTS (SELECT 1 FROM employee_benefits e WHERE e.company_id = b.company_id AND e.company_benefit_id = b.id) \
         OR EXISTS (SELECT 1 FROM benefit_payroll_items i WHERE i.company_id = b.company_id AND i.company_benefit_id = b.id)"
    };
}

store::statements! {
    LIST = concat!("SELECT ", columns!(), " FROM company_benefits b WHERE b.company_id = $1 ORDER BY b.id");
    FIND = concat!("SELECT ", columns!(), " FROM company_benefits b WHERE b.company_id = $1 AND b.id = $2");
    INSERT = "INSERT INTO company_benefits (company_id, id, benefit_type, active, description, responsible_for_employer_taxes, \
              responsible_for_employee_w2, catch_up_type, version, created_at, updated_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1, $9, $9)";
    UPDATE = "UPDATE company_benefits SET active = $1, description = $2, responsible_for_employer_taxes = $3, \
              responsible_for_employee_w2 = $4, catch_up_type = $5, version = version + 1, updated_at = $6 \
              WHERE company_id = $7 AND id = $8 AND version = $9";
    DELETE = "DELETE FROM company_benefits WHERE company_id = $1 AND id = $2";
}

/// A benefit that a company offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyBenefit {
    /// identifier
    pub id: Uuid,
    /// its type, which never changes
    pub kind: &'static BenefitType,
    /// whether it counts in payrolls
    pub active: bool,
    /// what the company calls it
    pub description: String,
    /// whether the company pays its employer taxes
    pub responsible_for_employer_taxes: bool,
    /// whether the company reports it on Form W-2
    pub responsible_for_employee_w2: bool,
    /// how deferrals above the limit become catch-up contributions
    pub catch_up_type: Option<String>,
    /// counter of updates
    pub version: i64,
    /// whether a record of an employee or an item of a payroll names it
    pub used: bool,
}

fn company_benefit(row: &Row<'_>) -> CompanyBenefit {
    CompanyBenefit {
        id: row.get(0),
        kind: kind(row.get(1)),
        active: row.get(2),
        description: row.get(3),
        responsible_for_employer_taxes: row.get(4),
        responsible_for_employee_w2: row.get(5),
        catch_up_type: row.get(6),
        version: row.get(7),
        used: row.get(8),
    }
}

/// The type of a stored number.
pub(super) fn kind(code: i64) -> &'static BenefitType {
    BenefitType::find(code).unwrap_or_else(|| panic!("{code} is no type of benefit"))
}

/// All of the company's benefits, in the order of creation.
///
/// # Errors
/// A store error.
pub fn list(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<CompanyBenefit>, Error> {
    Ok(tx.query(LIST, params![company], company_benefit)?)
}

/// The benefit, if the company has it.
///
/// # Errors
/// A store error.
pub fn find(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<CompanyBenefit>, Error> {
    Ok(tx.find(FIND, params![company, id], company_benefit)?)
}

/// Stores a new benefit.
///
/// # Errors
/// A store error.
pub fn insert(tx: &mut Tx<'_>, company: Uuid, new: &CompanyBenefit) -> Result<(), Error> {
    let now = tx.now();
    let parameters = params![
        company,
        new.id,
        new.kind.code,
        new.active,
        &new.description,
        new.responsible_for_employer_taxes,
        new.responsible_for_employee_w2,
        &new.catch_up_type,
        now
    ];
    Ok(tx.insert(INSERT, parameters)?)
}

/// Stores what a benefit says, if its version is still that of `changed`; else nothing.
///
/// # Errors
/// A store error.
pub fn update(tx: &mut Tx<'_>, company: Uuid, changed: &CompanyBenefit) -> Result<bool, Error> {
    let now = tx.now();
    let parameters = params![
        changed.active,
        &changed.description,
        changed.responsible_for_employer_taxes,
        changed.responsible_for_employee_w2,
        &changed.catch_up_type,
        now,
        company,
        changed.id,
        changed.version
    ];
    Ok(tx.change(UPDATE, parameters)?.one())
}

/// Deletes a benefit.
///
/// # Errors
/// A store error.
pub fn delete(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<bool, Error> {
    Ok(tx.change(DELETE, params![company, id])?.one())
}
