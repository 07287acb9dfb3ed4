//! Rows of what processed payrolls took and gave, by benefit.

use jiff::civil::Date;
use rules::Amount;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;

/// Items of a summary at the most.
pub const MOST: i64 = 100_000;

/// The columns of an item, in the order in which [`item`] reads them.
macro_rules! columns {
    () => {
        "company_benefit_id, employee_id, payroll_id, employee_benefit_id, benefit_type, payroll_type, check_date, period_start, \
         period_end, gross_pay, imputed_pay, employee_deduction, company_contribution"
    };
}

store::statements! {
    OF_BENEFIT = concat!("SELECT ", columns!(), " FROM benefit_payroll_items WHERE company_id = $1 AND company_benefit_id = $2 \
                 AND check_date BETWEEN $3 AND $4 ORDER BY employee_id, check_date, payroll_id LIMIT $5");
    OF_EMPLOYEE = concat!("SELECT ", columns!(), " FROM benefit_payroll_items WHERE company_id = $1 AND employee_id = $2 \
                  AND check_date BETWEEN $3 AND $4 ORDER BY check_date, payroll_id, company_benefit_id");
    INSERT = concat!("INSERT INTO benefit_payroll_items (company_id, ", columns!(), ") \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)");
    DELETE_ONE = "DELETE FROM benefit_payroll_items WHERE company_id = $1 AND company_benefit_id = $2 AND employee_id = $3 \
                  AND payroll_id = $4";
    DELETE = "DELETE FROM benefit_payroll_items WHERE company_id = $1 AND payroll_id = $2";
}

/// What one payroll took from an employee and gave for a benefit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// the company's benefit
    pub company_benefit: Uuid,
    /// whose
    pub employee: Uuid,
    /// in which payroll
    pub payroll: Uuid,
    /// the window that counted
    pub employee_benefit: Uuid,
    /// number of the benefit's type
    pub benefit_type: i64,
    /// such as `Regular`
    pub payroll_type: String,
    /// day of payment
    pub check_date: Date,
    /// first day of the pay period, where there is one
    pub period_start: Option<Date>,
    /// its last day
    pub period_end: Option<Date>,
    /// the employee's gross pay in the payroll
    pub gross_pay: Amount,
    /// what counted as income by this benefit
    pub imputed_pay: Amount,
    /// taken from the employee
    pub employee_deduction: Amount,
    /// given by the company
    pub company_contribution: Amount,
}

fn item(row: &Row<'_>) -> Item {
    let amount = |column| Amount::from_millionths(row.get(column));
    Item {
        company_benefit: row.get(0),
        employee: row.get(1),
        payroll: row.get(2),
        employee_benefit: row.get(3),
        benefit_type: row.get(4),
        payroll_type: row.get(5),
        check_date: row.get(6),
        period_start: row.get(7),
        period_end: row.get(8),
        gross_pay: amount(9),
        imputed_pay: amount(10),
        employee_deduction: amount(11),
        company_contribution: amount(12),
    }
}

/// The items of a benefit paid from one day to another, by employee and day; one more than [`MOST`] where there
/// are too many.
///
/// # Errors
/// A store error.
pub fn of_benefit(
    tx: &mut Tx<'_>,
    company: Uuid,
    benefit: Uuid,
    from: Date,
    to: Date,
) -> Result<Vec<Item>, Error> {
    Ok(tx.query(OF_BENEFIT, params![company, benefit, from, to, MOST + 1], item)?)
}

/// The items of an employee paid from one day to another, by day.
///
/// # Errors
/// A store error.
pub fn of_employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    from: Date,
    to: Date,
) -> Result<Vec<Item>, Error> {
    Ok(tx.query(OF_EMPLOYEE, params![company, employee, from, to], item)?)
}

/// Stores an item.
///
/// # Errors
/// A store error.
pub fn insert(tx: &mut Tx<'_>, company: Uuid, new: &Item) -> Result<(), Error> {
    let parameters = params![
        company,
        new.company_benefit,
        new.employee,
        new.payroll,
        new.employee_benefit,
        new.benefit_type,
        &new.payroll_type,
        new.check_date,
        new.period_start,
        new.period_end,
        new.gross_pay.millionths(),
        new.imputed_pay.millionths(),
        new.employee_deduction.millionths(),
        new.company_contribution.millionths()
    ];
    Ok(tx.insert(INSERT, parameters)?)
}

/// Deletes what a payroll took from an employee and gave for a benefit.
///
/// # Errors
/// A store error.
pub fn delete(
    tx: &mut Tx<'_>,
    company: Uuid,
    (benefit, employee, payroll): (Uuid, Uuid, Uuid),
) -> Result<(), Error> {
    let _was_there = tx.change(DELETE_ONE, params![company, benefit, employee, payroll])?.one();
    Ok(())
}

/// Deletes the items of a payroll.
///
/// # Errors
/// A store error.
pub fn delete_of_payroll(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    let _as_many_as_there_were = tx.change(DELETE, params![company, payroll])?.rows();
    Ok(())
}
