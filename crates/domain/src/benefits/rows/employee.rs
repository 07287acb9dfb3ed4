//! Rows of employees' benefits: one for each window.

use jiff::civil::Date;
use rules::Amount;
use rules::Named;
use rules::payroll::benefits::{Benefit, BenefitElection, Contribution, LimitOption, Tier};
use rules::window::{ExistingWindow, Window};
use serde_json::{Value, json};
use store::{Json, Row, Tx, params};
use uuid::Uuid;

use super::company::kind;
use crate::error::Error;
use crate::paging::Page;

/// The columns of a window, in the order in which [`employee_benefit`] reads them.
macro_rules! columns {
    () => {
        "e.company_benefit_id, e.employee_id, e.id, e.effective_date, e.expiration_date, e.active, e.employee_deduction, \
         e.deduct_as_percentage, e.employee_deduction_annual_maximum, e.contribution_type, e.contribution_value, \
         e.contribution_tiers, e.elective, e.company_contribution_annual_maximum, e.limit_option, e.catch_up, \
         e.coverage_amount, e.coverage_salary_multiplier, e.reduces_taxable_income, e.version"
    };
}

/// Of an employee's windows of one benefit, the one that is told when one is asked for: the last that has begun,
/// or else the first.
macro_rules! is_current {
    () => {
        "e.id = (SELECT x.id FROM employee_benefits x WHERE x.company_id = e.company_id AND x.employee_id = e.employee_id \
         AND x.company_benefit_id = e.company_benefit_id \
         ORDER BY CASE WHEN x.effective_date <= $3 THEN 0 ELSE 1 END, \
         CASE WHEN x.effective_date <= $3 THEN x.effective_date END DESC, x.effective_date LIMIT 1)"
    };
}

store::statements! {
    OF_BENEFIT = concat!("SELECT ", columns!(), " FROM employee_benefits e \
                 WHERE e.company_id = $1 AND e.employee_id = $2 AND e.company_benefit_id = $3 ORDER BY e.id");
    OF_EMPLOYEE = concat!("SELECT ", columns!(), " FROM employee_benefits e WHERE e.company_id = $1 AND e.employee_id = $2 ORDER BY e.id");
    WITH_BENEFITS = concat!("SELECT ", columns!(), ", b.description, b.benefit_type, b.active FROM employee_benefits e \
                    JOIN company_benefits b ON b.company_id = e.company_id AND b.id = e.company_benefit_id \
                    WHERE e.company_id = $1 AND e.employee_id BETWEEN $2 AND $3 ORDER BY e.employee_id, e.id");
    PLACE = "SELECT employee_id, company_benefit_id FROM employee_benefits WHERE company_id = $1 AND id = $2";
    PAGE = concat!("SELECT ", columns!(), " FROM employee_benefits e WHERE e.company_id = $1 AND e.company_benefit_id = $2 \
           ORDER BY e.id LIMIT $3 OFFSET $4");
    COUNT = "SELECT count(*) FROM employee_benefits WHERE company_id = $1 AND company_benefit_id = $2";
    CURRENT_PAGE = concat!("SELECT ", columns!(), " FROM employee_benefits e WHERE e.company_id = $1 AND e.company_benefit_id = $2 \
                   AND ", is_current!(), " ORDER BY e.id LIMIT $4 OFFSET $5");
    CURRENT_COUNT = "SELECT count(DISTINCT employee_id) FROM employee_benefits WHERE company_id = $1 AND company_benefit_id = $2";
    ENROLLED = "SELECT count(DISTINCT employee_id) FROM employee_benefits WHERE company_id = $1 AND company_benefit_id = $2 \
                AND active = true AND (expiration_date IS NULL OR expiration_date >= $3)";
    INSERT = "INSERT INTO employee_benefits (active, effective_date, expiration_date, employee_deduction, deduct_as_percentage, \
              employee_deduction_annual_maximum, contribution_type, contribution_value, contribution_tiers, elective, \
              company_contribution_annual_maximum, limit_option, catch_up, coverage_amount, coverage_salary_multiplier, \
              reduces_taxable_income, updated_at, company_id, employee_id, company_benefit_id, id, version, created_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $17)";
    UPDATE = "UPDATE employee_benefits SET active = $1, effective_date = $2, expiration_date = $3, employee_deduction = $4, \
              deduct_as_percentage = $5, employee_deduction_annual_maximum = $6, contribution_type = $7, contribution_value = $8, \
              contribution_tiers = $9, elective = $10, company_contribution_annual_maximum = $11, limit_option = $12, \
              catch_up = $13, coverage_amount = $14, coverage_salary_multiplier = $15, reduces_taxable_income = $16, \
              version = version + 1, updated_at = $17 \
              WHERE company_id = $18 AND employee_id = $19 AND company_benefit_id = $20 AND id = $21 AND version = $22";
    DELETE = "DELETE FROM employee_benefits WHERE company_id = $1 AND employee_id = $2 AND company_benefit_id = $3 AND id = $4";
    DELETE_OF_EMPLOYEE = "DELETE FROM employee_benefits WHERE company_id = $1 AND employee_id = $2";
}

/// A window of an employee's benefit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmployeeBenefit {
    /// which of the company's benefits
    pub company_benefit: Uuid,
    /// whose
    pub employee: Uuid,
    /// identifier
    pub id: Uuid,
    /// when it is in force
    pub window: Window,
    /// whether it counts in payrolls
    pub active: bool,
    /// amounts
    pub terms: BenefitElection,
    /// counter of updates
    pub version: i64,
}

impl EmployeeBenefit {
    /// Its window among the others.
    pub fn held(&self) -> ExistingWindow<Uuid> {
        ExistingWindow { key: self.id, window: self.window }
    }
}

fn employee_benefit(row: &Row<'_>) -> EmployeeBenefit {
    let amount = |column| Amount::from_millionths(row.get(column));
    let maximum = |column| row.get::<Option<i64>>(column).map(Amount::from_millionths);
    EmployeeBenefit {
        company_benefit: row.get(0),
        employee: row.get(1),
        id: row.get(2),
        window: Window { effective: row.get(3), expiration: row.get(4) },
        active: row.get(5),
        terms: BenefitElection {
            deduction: amount(6),
            deduct_as_percentage: row.get(7),
            deduction_annual_maximum: maximum(8),
            contribution: match row.get::<&str>(9) {
                "percentage" => Contribution::Percentage(amount(10)),
                "tiered" => Contribution::Tiered(tiers(row.json(11).unwrap_or("[]"))),
                _ => Contribution::Amount(amount(10)),
            },
            elective: row.get(12),
            contribution_annual_maximum: maximum(13),
            limit_option: row.get::<Option<&str>>(14).and_then(LimitOption::parse),
            catch_up: row.get(15),
            coverage_amount: maximum(16),
            coverage_salary_multiplier: amount(17),
            reduces_taxable_income: row.get(18),
        },
        version: row.get(19),
    }
}

/// Tiers as they are stored: pairs of rate and threshold, in millionths of a percent.
fn tiers(text: &str) -> Vec<Tier> {
    let stored: Value = serde_json::from_str(text).unwrap_or_default();
    let pairs = stored.as_array().into_iter().flatten();
    let amount = |value: &Value| Amount::from_millionths(value.as_i64().unwrap_or_default());
    pairs.map(|pair| Tier { rate: amount(&pair[0]), threshold: amount(&pair[1]) }).collect()
}

fn tiers_text(contribution: &Contribution) -> String {
    let Contribution::Tiered(tiers) = contribution else { return "[]".to_owned() };
    let pairs = tiers.iter().map(|tier| json!([tier.rate.millionths(), tier.threshold.millionths()]));
    Value::from(pairs.collect::<Vec<_>>()).to_string()
}

/// The employee's windows of one benefit, in the order of creation.
///
/// # Errors
/// A store error.
pub fn of_benefit(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    benefit: Uuid,
) -> Result<Vec<EmployeeBenefit>, Error> {
    Ok(tx.query(OF_BENEFIT, params![company, employee, benefit], employee_benefit)?)
}

/// All of the employee's windows, in the order of creation.
///
/// # Errors
/// A store error.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<EmployeeBenefit>, Error> {
    Ok(tx.query(OF_EMPLOYEE, params![company, employee], employee_benefit)?)
}

/// The windows of all employees between two (both included) as rules take them, each with its employee, in the
/// order of employees and of creation.
///
/// # Errors
/// A store error.
pub fn with_benefits(
    tx: &mut Tx<'_>,
    company: Uuid,
    first: Uuid,
    last: Uuid,
) -> Result<Vec<(Uuid, Benefit<Uuid>)>, Error> {
    Ok(tx.query(WITH_BENEFITS, params![company, first, last], |row| {
        let record = employee_benefit(row);
        let benefit = Benefit {
            company_benefit: record.company_benefit,
            record: record.id,
            name: row.get(20),
            kind: kind(row.get(21)),
            window: record.window,
            terms: record.terms,
            active: record.active,
            company_active: row.get(22),
        };
        (record.employee, benefit)
    })?)
}

/// Whose window it is, and of which of the company's benefits. Neither ever changes.
///
/// # Errors
/// A store error.
pub fn place(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<(Uuid, Uuid)>, Error> {
    Ok(tx.find(PLACE, params![company, id], |row| (row.get(0), row.get(1)))?)
}

/// A page of the windows of a company's benefit: all of them, or with `today` one for each employee.
///
/// # Errors
/// A store error.
pub fn page(
    tx: &mut Tx<'_>,
    company: Uuid,
    benefit: Uuid,
    today: Option<Date>,
    page: Page,
) -> Result<Vec<EmployeeBenefit>, Error> {
    let (limit, offset) = page.bounds();
    Ok(match today {
        None => tx.query(PAGE, params![company, benefit, limit, offset], employee_benefit)?,
        Some(today) => {
            tx.query(CURRENT_PAGE, params![company, benefit, today, limit, offset], employee_benefit)?
        }
    })
}

/// How many windows, or employees, there are for [`page`] in all.
///
/// # Errors
/// A store error.
pub fn count(tx: &mut Tx<'_>, company: Uuid, benefit: Uuid, all: bool) -> Result<i64, Error> {
    let sql = if all { COUNT } else { CURRENT_COUNT };
    Ok(tx.find(sql, params![company, benefit], |row| row.get(0))?.unwrap_or(0))
}

/// How many employees have an active window of the benefit that has not ended before `today`.
///
/// # Errors
/// A store error.
pub fn enrolled(tx: &mut Tx<'_>, company: Uuid, benefit: Uuid, today: Date) -> Result<i64, Error> {
    Ok(tx.find(ENROLLED, params![company, benefit, today], |row| row.get(0))?.unwrap_or(0))
}

/// Stores a new window.
///
/// # Errors
/// A store error.
pub fn insert(tx: &mut Tx<'_>, company: Uuid, new: &EmployeeBenefit) -> Result<(), Error> {
    write(tx, INSERT, company, new).map(|_| ())
}

/// Stores what a window says, if its version is still that of `changed`; else nothing.
///
/// # Errors
/// A store error.
pub fn update(tx: &mut Tx<'_>, company: Uuid, changed: &EmployeeBenefit) -> Result<bool, Error> {
    write(tx, UPDATE, company, changed)
}

/// Both statements have the same parameters in the same order.
fn write(tx: &mut Tx<'_>, sql: store::Sql, company: Uuid, row: &EmployeeBenefit) -> Result<bool, Error> {
    let (now, terms) = (tx.now(), &row.terms);
    let value = match terms.contribution {
        Contribution::Amount(value) | Contribution::Percentage(value) => value,
        Contribution::Tiered(_) => Amount::ZERO,
    };
    let tiers = tiers_text(&terms.contribution);
    let parameters = params![
        row.active,
        row.window.effective,
        row.window.expiration,
        terms.deduction.millionths(),
        terms.deduct_as_percentage,
        terms.deduction_annual_maximum.map(Amount::millionths),
        terms.contribution.kind(),
        value.millionths(),
        Json(&tiers),
        terms.elective,
        terms.contribution_annual_maximum.map(Amount::millionths),
        terms.limit_option.map(LimitOption::as_str),
        terms.catch_up,
        terms.coverage_amount.map(Amount::millionths),
        terms.coverage_salary_multiplier.millionths(),
        terms.reduces_taxable_income,
        now,
        company,
        row.employee,
        row.company_benefit,
        row.id,
        row.version
    ];
    Ok(tx.change(sql, parameters)?.one())
}

/// Deletes a window.
///
/// # Errors
/// A store error.
pub fn delete(tx: &mut Tx<'_>, company: Uuid, old: &EmployeeBenefit) -> Result<bool, Error> {
    Ok(tx.change(DELETE, params![company, old.employee, old.company_benefit, old.id])?.one())
}

/// Deletes all windows of an employee.
///
/// # Errors
/// A store error.
pub fn delete_of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    let _as_many_as_there_were = tx.change(DELETE_OF_EMPLOYEE, params![company, employee])?.rows();
    Ok(())
}
