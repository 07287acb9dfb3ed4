//! Rows of employees' benefits: one for each window.

use jiff::civil::Date;
use rules::Amount;
use rules::Named;
use rules::payroll::benefits::{Benefit, BenefitElection, Contribution, Exclusions, LimitOption, Tier};
use rules::window::{ExistingWindow, Window};
use store::record::Cursor;
use store::{Row, Stored, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::TypeNumber;
use crate::error::Error;
use crate::paging::Page;
use crate::records::Millionths;

/// A window of an employee's benefit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmployeeBenefit {
    /// the company benefit
    pub company_benefit: Uuid,
    /// the employee
    pub employee: Uuid,
    /// identifier
    pub id: Uuid,
    /// when it is in force
    pub window: Window,
    /// whether payrolls include it
    pub active: bool,
    /// amounts
    pub terms: BenefitElection,
    /// counter of updates
    pub version: i64,
}

impl EmployeeBenefit {
    /// The window and its key, for the rules of windows.
    pub fn existing_window(&self) -> ExistingWindow<Uuid> {
        ExistingWindow { key: self.id, window: self.window }
    }
}

/// How a [`Contribution`] is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
enum ContributionType {
    #[strum(serialize = "amount")]
    Amount,
    #[strum(serialize = "percentage")]
    Percentage,
    #[strum(serialize = "tiered")]
    Tiered,
}

store::record! {
    /// A window of an employee's benefit as it is stored.
    #[derive(Debug)]
    struct EmployeeBenefitRow in "employee_benefits" {
        key {
            employee: Uuid = "employee_id",
            company_benefit: Uuid = "company_benefit_id",
            id: Uuid,
        }
        fields {
            active: bool,
            effective_date: Date,
            expiration_date: Option<Date>,
            deduction: Amount as Millionths = "employee_deduction",
            deduct_as_percentage: bool,
            deduction_annual_maximum: Option<Amount> as Millionths = "employee_deduction_annual_maximum",
            contribution_type: ContributionType as text,
            contribution_value: Amount as Millionths,
            /// rates and thresholds in millionths of a percent
            contribution_tiers: Vec<(i64, i64)> as json,
            elective: bool,
            contribution_annual_maximum: Option<Amount> as Millionths = "company_contribution_annual_maximum",
            limit_option: Option<LimitOption> as text,
            catch_up: bool,
            coverage_amount: Option<Amount> as Millionths,
            coverage_salary_multiplier: Amount as Millionths,
            reduces_taxable_income: Option<bool>,
        }
        times { created_at, updated_at }
        version
    }
}

/// Number of columns of a row, which those of the company benefit follow.
const COLUMNS: usize = 20;
const SELECT: &str = store::text!(
    "SELECT ",
    store::columns!(EmployeeBenefitRow, "e."),
    " FROM employee_benefits e WHERE e.company_id = $1"
);
/// The current window of an employee's benefit: the last that has begun by $3, or else the first.
const IS_CURRENT: &str = "e.id = (SELECT x.id FROM employee_benefits x WHERE x.company_id = $1 \
     AND x.employee_id = e.employee_id AND x.company_benefit_id = e.company_benefit_id \
     ORDER BY CASE WHEN x.effective_date <= $3 THEN 0 ELSE 1 END, \
     CASE WHEN x.effective_date <= $3 THEN x.effective_date END DESC, x.effective_date LIMIT 1)";

store::statements! {
    records EmployeeBenefitRow;
    OF_BENEFIT = store::text!(SELECT, " AND e.employee_id = $2 AND e.company_benefit_id = $3 ORDER BY e.id");
    OF_EMPLOYEE = store::text!(SELECT, " AND e.employee_id = $2 ORDER BY e.id");
    WITH_BENEFITS = store::text!(
        "SELECT ", store::columns!(EmployeeBenefitRow, "e."), ", b.description, b.benefit_type, b.active \
         FROM employee_benefits e \
         JOIN company_benefits b ON b.company_id = e.company_id AND b.id = e.company_benefit_id \
         WHERE e.company_id = $1 AND e.employee_id BETWEEN $2 AND $3 ORDER BY e.employee_id, e.id");
    KEY = "SELECT employee_id, company_benefit_id FROM employee_benefits WHERE company_id = $1 AND id = $2";
    PAGE = store::text!(SELECT, " AND e.company_benefit_id = $2 ORDER BY e.id LIMIT $3 OFFSET $4");
    COUNT = "SELECT count(*) FROM employee_benefits WHERE company_id = $1 AND company_benefit_id = $2";
    CURRENT_PAGE = store::text!(
        SELECT, " AND e.company_benefit_id = $2 AND ", IS_CURRENT, " ORDER BY e.id LIMIT $4 OFFSET $5");
    CURRENT_COUNT = "SELECT count(DISTINCT employee_id) FROM employee_benefits WHERE company_id = $1 AND company_benefit_id = $2";
    ENROLLED = "SELECT count(DISTINCT employee_id) FROM employee_benefits WHERE company_id = $1 AND company_benefit_id = $2 \
                AND active = true AND (expiration_date IS NULL OR expiration_date >= $3)";
    DELETE_OF_EMPLOYEE = "DELETE FROM employee_benefits WHERE company_id = $1 AND employee_id = $2";
}

impl From<EmployeeBenefitRow> for EmployeeBenefit {
    fn from(row: EmployeeBenefitRow) -> Self {
        let tier = |(rate, threshold)| Tier {
            rate: Amount::from_millionths(rate),
            threshold: Amount::from_millionths(threshold),
        };
        Self {
            company_benefit: row.company_benefit,
            employee: row.employee,
            id: row.id,
            window: Window { effective: row.effective_date, expiration: row.expiration_date },
            active: row.active,
            terms: BenefitElection {
                deduction: row.deduction,
                deduct_as_percentage: row.deduct_as_percentage,
                deduction_annual_maximum: row.deduction_annual_maximum,
                contribution: match row.contribution_type {
                    ContributionType::Amount => Contribution::Amount(row.contribution_value),
                    ContributionType::Percentage => Contribution::Percentage(row.contribution_value),
                    ContributionType::Tiered => {
                        Contribution::Tiered(row.contribution_tiers.into_iter().map(tier).collect())
                    }
                },
                elective: row.elective,
                contribution_annual_maximum: row.contribution_annual_maximum,
                limit_option: row.limit_option,
                catch_up: row.catch_up,
                coverage_amount: row.coverage_amount,
                coverage_salary_multiplier: row.coverage_salary_multiplier,
                reduces_taxable_income: row.reduces_taxable_income,
            },
            version: row.version,
        }
    }
}

impl From<&EmployeeBenefit> for EmployeeBenefitRow {
    fn from(benefit: &EmployeeBenefit) -> Self {
        let terms = &benefit.terms;
        let (contribution_type, contribution_value, tiers): (_, _, &[Tier]) = match &terms.contribution {
            Contribution::Amount(value) => (ContributionType::Amount, *value, &[]),
            Contribution::Percentage(value) => (ContributionType::Percentage, *value, &[]),
            Contribution::Tiered(tiers) => (ContributionType::Tiered, Amount::ZERO, tiers),
        };
        Self {
            employee: benefit.employee,
            company_benefit: benefit.company_benefit,
            id: benefit.id,
            active: benefit.active,
            effective_date: benefit.window.effective,
            expiration_date: benefit.window.expiration,
            deduction: terms.deduction,
            deduct_as_percentage: terms.deduct_as_percentage,
            deduction_annual_maximum: terms.deduction_annual_maximum,
            contribution_type,
            contribution_value,
            contribution_tiers: tiers
                .iter()
                .map(|tier| (tier.rate.millionths(), tier.threshold.millionths()))
                .collect(),
            elective: terms.elective,
            contribution_annual_maximum: terms.contribution_annual_maximum,
            limit_option: terms.limit_option,
            catch_up: terms.catch_up,
            coverage_amount: terms.coverage_amount,
            coverage_salary_multiplier: terms.coverage_salary_multiplier,
            reduces_taxable_income: terms.reduces_taxable_income,
            version: benefit.version,
        }
    }
}

fn read_employee_benefit(row: &Row<'_>) -> Result<EmployeeBenefit, store::Error> {
    EmployeeBenefitRow::read(row).map(EmployeeBenefit::from)
}

/// An employee's benefit joined with its company benefit.
fn read_with_benefit(row: &Row<'_>) -> Result<(Uuid, Benefit<Uuid>), store::Error> {
    const TABLE: &str = "company_benefits";
    let record = read_employee_benefit(row)?;
    let kind =
        TypeNumber::read_column(row, COLUMNS + 1).map_err(|why| why.into_error(TABLE, "benefit_type"))?;
    let null = || store::Unread::new("is NULL").into_error(TABLE, "benefit_type");
    let benefit = Benefit {
        company_benefit: record.company_benefit,
        record: record.id,
        name: row.try_get(COLUMNS).map_err(|why| why.into_error(TABLE, "description"))?,
        kind: kind.ok_or_else(null)?,
        window: record.window,
        terms: record.terms,
        active: record.active,
        company_active: row.try_get(COLUMNS + 2).map_err(|why| why.into_error(TABLE, "active"))?,
        excluded: Exclusions::default(),
        missed: None,
        recovers: false,
    };
    Ok((record.employee, benefit))
}

/// The employee's windows of one benefit, in the order of creation.
pub fn of_benefit(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    benefit: Uuid,
) -> Result<Vec<EmployeeBenefit>, Error> {
    Ok(tx.try_query(OF_BENEFIT, params![company, employee, benefit], read_employee_benefit)?)
}

/// All of the employee's windows, in the order of creation.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<EmployeeBenefit>, Error> {
    Ok(tx.try_query(OF_EMPLOYEE, params![company, employee], read_employee_benefit)?)
}

/// The windows of the employees from `first` to `last`, each with its employee, in the order of employees and of
/// creation.
pub fn with_benefits(
    tx: &mut Tx<'_>,
    company: Uuid,
    first: Uuid,
    last: Uuid,
) -> Result<Vec<(Uuid, Benefit<Uuid>)>, Error> {
    Ok(tx.try_query(WITH_BENEFITS, params![company, first, last], read_with_benefit)?)
}

/// The employee and the company benefit of a window. Neither ever changes.
pub fn find_employee_and_benefit(
    tx: &mut Tx<'_>,
    company: Uuid,
    id: Uuid,
) -> Result<Option<(Uuid, Uuid)>, Error> {
    tx.try_find(KEY, params![company, id], |row| {
        let mut next = Cursor::new(row, "employee_benefits", 0);
        Ok::<_, Error>((next.read_plain("employee_id")?, next.read_plain("company_benefit_id")?))
    })
}

/// A page of the windows of a company benefit: all of them or, with `today`, the current one of each employee.
pub fn list_benefit_windows(
    tx: &mut Tx<'_>,
    company: Uuid,
    benefit: Uuid,
    today: Option<Date>,
    page: Page,
) -> Result<Vec<EmployeeBenefit>, Error> {
    let (limit, offset) = page.limit_and_offset();
    Ok(match today {
        None => tx.try_query(PAGE, params![company, benefit, limit, offset], read_employee_benefit)?,
        Some(today) => tx.try_query(
            CURRENT_PAGE,
            params![company, benefit, today, limit, offset],
            read_employee_benefit,
        )?,
    })
}

/// The total number of windows or employees of [`list_benefit_windows`].
pub fn count_benefit_windows(tx: &mut Tx<'_>, company: Uuid, benefit: Uuid, all: bool) -> Result<i64, Error> {
    let sql = if all { COUNT } else { CURRENT_COUNT };
    Ok(tx.find_row(sql, params![company, benefit], |row| row.get(0))?.unwrap_or(0))
}

/// Number of employees with an active window of the benefit that has not ended before `today`.
pub fn count_enrolled_employees(
    tx: &mut Tx<'_>,
    company: Uuid,
    benefit: Uuid,
    today: Date,
) -> Result<i64, Error> {
    Ok(tx.find_row(ENROLLED, params![company, benefit, today], |row| row.get(0))?.unwrap_or(0))
}

/// Stores a new window.
pub fn insert_employee_benefit(tx: &mut Tx<'_>, company: Uuid, new: &EmployeeBenefit) -> Result<(), Error> {
    Ok(EmployeeBenefitRow::from(new).insert(tx, company)?)
}

/// Stores a changed window; `false`, with nothing stored, if its version has changed.
pub fn update_employee_benefit(
    tx: &mut Tx<'_>,
    company: Uuid,
    changed: &EmployeeBenefit,
) -> Result<bool, Error> {
    Ok(EmployeeBenefitRow::from(changed).update(tx, company)?)
}

/// Deletes a window.
pub fn delete_employee_benefit(tx: &mut Tx<'_>, company: Uuid, old: &EmployeeBenefit) -> Result<bool, Error> {
    Ok(EmployeeBenefitRow::from(old).delete(tx, company)?)
}

/// Deletes all windows of an employee.
pub fn delete_of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    let _number = tx.change_rows(DELETE_OF_EMPLOYEE, params![company, employee])?.rows();
    Ok(())
}
