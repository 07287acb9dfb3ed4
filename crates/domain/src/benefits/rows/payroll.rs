//! Rows of what processed payrolls deducted and contributed, by benefit.

use std::collections::BTreeMap;

use jiff::civil::Date;
use rules::Amount;
use rules::days::Days;
use serde::Deserialize;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::records::{IdRange, Millionths};

/// Maximum number of items of a summary.
pub const MOST: i64 = 100_000;

store::record! {
    /// What one payroll deducted from an employee and contributed for a benefit.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct BenefitItem in "benefit_payroll_items" {
        key {
            /// the company benefit
            pub company_benefit: Uuid = "company_benefit_id",
            /// the employee
            pub employee: Uuid = "employee_id",
            /// the payroll
            pub payroll: Uuid = "payroll_id",
        }
        fixed {
            /// the record that was in force
            pub employee_benefit: Uuid = "employee_benefit_id",
            /// number of the benefit's type
            pub benefit_type: i64,
            /// such as `Regular`
            pub payroll_type: String,
            /// check date
            pub check_date: Date,
            /// first day of the pay period, if there is one
            pub period_start: Option<Date>,
            /// its last day
            pub period_end: Option<Date>,
            /// the employee's gross pay in the payroll
            pub gross_pay: Amount as Millionths,
            /// imputed income from the benefit
            pub imputed_pay: Amount as Millionths,
            /// deducted from the employee
            pub employee_deduction: Amount as Millionths,
            /// contributed by the company
            pub company_contribution: Amount as Millionths,
            /// the calculation of the payroll that wrote it; unknown for rows of versions that did not record it
            pub run: Option<Uuid> = "run_id",
        }
    }
}

store::statements! {
    records BenefitItem;
    PUT = store::text!(
        BenefitItem::INSERT.text(),
        " ON CONFLICT (company_id, company_benefit_id, employee_id, payroll_id) DO UPDATE SET \
         employee_benefit_id = excluded.employee_benefit_id, benefit_type = excluded.benefit_type, \
         payroll_type = excluded.payroll_type, check_date = excluded.check_date, period_start = excluded.period_start, \
         period_end = excluded.period_end, gross_pay = excluded.gross_pay, imputed_pay = excluded.imputed_pay, \
         employee_deduction = excluded.employee_deduction, company_contribution = excluded.company_contribution, \
         run_id = excluded.run_id"
    );
    OF_BENEFIT = store::text!(BenefitItem::SELECT, " AND company_benefit_id = $2 AND check_date BETWEEN $3 AND $4 \
                 ORDER BY employee_id, check_date, payroll_id LIMIT $5");
    OF_EMPLOYEE = store::text!(BenefitItem::SELECT, " AND employee_id = $2 AND check_date BETWEEN $3 AND $4 \
                  ORDER BY check_date, payroll_id, company_benefit_id");
    OF_MONTH = store::text!(BenefitItem::SELECT, " AND employee_id BETWEEN $2 AND $3 AND check_date BETWEEN $4 AND $5 \
               AND benefit_type IN (10, 113, 114) ORDER BY employee_id, payroll_id, company_benefit_id");
    OPENING = "SELECT balances FROM opening_balances WHERE company_id = $1 AND employee_id = $2 AND year = $3";
    DELETE_OF_RUN = "DELETE FROM benefit_payroll_items WHERE company_id = $1 AND company_benefit_id = $2 AND employee_id = $3 \
                     AND payroll_id = $4 AND (run_id = $5 OR run_id IS NULL)";
    DELETE_REST = "DELETE FROM benefit_payroll_items WHERE company_id = $1 AND payroll_id = $2 \
                   AND (company_benefit_id, employee_id) IN (SELECT company_benefit_id, employee_id FROM benefit_payroll_items \
                   WHERE company_id = $1 AND payroll_id = $2 AND run_id = $3 LIMIT 500)";
}

/// The items of a benefit with a check date from `from` to `to`, by employee and date; at most one more than [`MOST`].
pub fn of_benefit(
    tx: &mut Tx<'_>,
    company: Uuid,
    benefit: Uuid,
    from: Date,
    to: Date,
) -> Result<Vec<BenefitItem>, Error> {
    Ok(tx.try_query(OF_BENEFIT, params![company, benefit, from, to, MOST + 1], BenefitItem::read)?)
}

/// The items of an employee with a check date from `from` to `to`, by date.
pub fn of_employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    from: Date,
    to: Date,
) -> Result<Vec<BenefitItem>, Error> {
    Ok(tx.try_query(OF_EMPLOYEE, params![company, employee, from, to], BenefitItem::read)?)
}

/// The items of commuter benefits with a check date from `from` to `to`, of a range of employees (all ends included).
pub fn of_month(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
    Days { first: from, last: to }: Days,
) -> Result<Vec<BenefitItem>, Error> {
    Ok(tx.try_query(OF_MONTH, params![company, first, last, from, to], BenefitItem::read)?)
}

/// The part of opening balances that is about benefits.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Opening {
    years: BTreeMap<i16, OpeningOfYear>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OpeningOfYear {
    benefits: BTreeMap<Uuid, Sums>,
}

/// Type of a benefit, and millionths of dollars that were deducted and contributed.
type Sums = (i64, i64, i64);

/// The opening balances of a year for benefits.
pub fn opening_balances(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    year: i16,
) -> Result<BTreeMap<Uuid, Sums>, Error> {
    let read = |row: &Row<'_>| Cursor::new(row, "opening_balances", 0).read_json::<Opening>("balances");
    let found = tx.try_find(OPENING, params![company, employee, i64::from(year)], read)?;
    Ok(found.and_then(|mut held| held.years.remove(&year)).unwrap_or_default().benefits)
}

/// Stores an item, replacing what another calculation of the payroll left.
pub fn store_item(tx: &mut Tx<'_>, company: Uuid, item: &BenefitItem) -> Result<(), Error> {
    Ok(item.insert_by(PUT, tx, company)?)
}

/// Deletes an item, if that calculation of the payroll wrote it.
pub fn delete_of_run(
    tx: &mut Tx<'_>,
    company: Uuid,
    (benefit, employee, payroll): (Uuid, Uuid, Uuid),
    run: Uuid,
) -> Result<(), Error> {
    let _existed = tx.change_rows(DELETE_OF_RUN, params![company, benefit, employee, payroll, run])?.is_one();
    Ok(())
}

/// Deletes some items of a calculation, of any employee; returns how many.
pub fn delete_some_of_run(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid, run: Uuid) -> Result<u64, Error> {
    Ok(tx.change_rows(DELETE_REST, params![company, payroll, run])?.rows())
}
