//! An employee's and employer's contributions to benefits at another company in a year: they count towards the legal limits per person (26
//! U.S.C. 402(g)), across employers.

use rules::payroll::benefits::BenefitToDate;
use rules::{Amount, Checks, Violation};
use serde_json::json;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::{Patch, check_dollars};
use crate::people::employees;
use crate::platform::audit;
use crate::records::IdRange;

store::statements! {
    OF_YEAR = "SELECT id, benefit_type, deduction, contribution FROM benefit_amounts_elsewhere WHERE company_id = $1 \
               AND employee_id = $2 AND tax_year = $3 ORDER BY benefit_type";
    BETWEEN = "SELECT employee_id, id, benefit_type, deduction, contribution FROM benefit_amounts_elsewhere WHERE company_id = $1 \
               AND employee_id BETWEEN $2 AND $3 AND tax_year = $4 ORDER BY employee_id, benefit_type";
    PUT = "INSERT INTO benefit_amounts_elsewhere (company_id, employee_id, tax_year, benefit_type, id, deduction, contribution, \
           updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (company_id, employee_id, tax_year, benefit_type) \
           DO UPDATE SET deduction = excluded.deduction, contribution = excluded.contribution, updated_at = excluded.updated_at";
    FORGET = "DELETE FROM benefit_amounts_elsewhere WHERE company_id = $1 AND employee_id = $2";
}

/// Table of the record, in audit entries.
const TABLE: &str = "benefit_amounts_elsewhere";
/// The types of benefits that can be reported: 401(k).
pub const TYPES: [i64; 1] = [5];
/// The years that can be reported.
pub const YEARS: std::ops::RangeInclusive<i64> = 2_000..=2_999;

/// Reports the contributions to a benefit at another company.
#[derive(Debug, Clone, Default)]
pub struct PutAmounts {
    /// number of its type
    pub benefit_type: Patch<i64>,
    /// the year
    pub tax_year: Patch<i64>,
    /// dollars of the employee
    pub ytd_employee_deduction_amount: Patch<Amount>,
    /// dollars of the company
    pub ytd_company_contribution_amount: Patch<Amount>,
}

/// The contributions to benefits at another company in a year; the current year by default.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_reported_contributions(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    year: Option<i64>,
) -> Result<Vec<BenefitToDate<Uuid>>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?.id;
    let year = year.unwrap_or_else(|| i64::from(caller.today(tx).year()));
    Ok(tx.try_query(OF_YEAR, params![caller.company, employee, year], |row| read_contributions(row, 0))?)
}

fn read_contributions(row: &Row<'_>, first: usize) -> Result<BenefitToDate<Uuid>, store::Error> {
    let mut next = Cursor::new(row, TABLE, first);
    let nothing = BenefitToDate::new(next.read_plain("id")?, next.read_plain("benefit_type")?);
    Ok(BenefitToDate {
        deduction: Amount::from_millionths(next.read_plain("deduction")?),
        contribution: Amount::from_millionths(next.read_plain("contribution")?),
        elsewhere: true,
        ..nothing
    })
}

/// Replaces the reported contributions to a benefit at another company in a year.
///
/// # Errors
/// "Not found"; every violation of the input; a store error.
pub fn replace_contributions(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &PutAmounts,
) -> Result<(), Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let mut checks = Checks::new();
    let code = input.benefit_type.required("benefit_type", &mut checks, |key, code| {
        if TYPES.contains(code) {
            return Ok(*code);
        }
        Err(Violation::invalid(key, format!("{key} must be 5: only a 401(k) can be reported")))
    });
    let year = input.tax_year.required("tax_year", &mut checks, |key, year| {
        if YEARS.contains(year) {
            return Ok(*year);
        }
        Err(Violation::invalid(key, format!("{key} must be between {} and {}", YEARS.start(), YEARS.end())))
    });
    let taken = &input.ytd_employee_deduction_amount;
    let taken =
        taken.optional("ytd_employee_deduction_amount", &mut checks, check_dollars).unwrap_or(Amount::ZERO);
    let given = &input.ytd_company_contribution_amount;
    let given =
        given.optional("ytd_company_contribution_amount", &mut checks, check_dollars).unwrap_or(Amount::ZERO);
    checks.finish()?;
    let (Some(code), Some(year)) = (code, year) else { unreachable!("missing fields are refused") };
    let (id, now) = (tx.new_id(), tx.now());
    tx.insert_row(
        PUT,
        params![caller.company, employee, year, code, id, taken.millionths(), given.millionths(), now],
    )?;
    audit::record_audit_entry(tx, caller, "updated", (TABLE, employee), &json!({ "tax_year": [year, year] }))
}

/// What benefits at other companies took and gave in a year, of the employees between two (both included).
pub fn contributions_of_employees(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
    year: i16,
) -> Result<Vec<(Uuid, BenefitToDate<Uuid>)>, Error> {
    let read = |row: &Row<'_>| {
        let employee = Cursor::new(row, TABLE, 0).read_plain("employee_id")?;
        Ok::<_, store::Error>((employee, read_contributions(row, 1)?))
    };
    Ok(tx.try_query(BETWEEN, params![company, first, last, i64::from(year)], read)?)
}

/// Deletes the reported contributions, with the employee.
pub fn delete_contributions(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    let _there_may_be_none = tx.change_rows(FORGET, params![company, employee])?.rows();
    Ok(())
}
