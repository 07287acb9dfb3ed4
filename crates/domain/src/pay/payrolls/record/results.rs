//! Rows of results: a calculation's result for each employee.

use jiff::civil::Date;
use rules::Amount;
use rules::days::Days;
use store::record::{Cursor, JsonText};
use store::{Json, Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::payrolls::record::json::from_json;
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::paycheck_inputs::{FORMAT, PaycheckInputs};
use crate::records::rows_of;

store::statements! {
    OF_EMPLOYEE = "SELECT employee_id, gross, net, check_amount, paycheck, facts, year_to_date FROM payroll_results \
                   WHERE company_id = $1 AND run_id = $2 AND employee_id = $3";
    OF_EMPLOYEES = "SELECT employee_id, gross, net, check_amount, paycheck, facts, year_to_date FROM payroll_results \
                    WHERE company_id = $1 AND run_id = $2 \
                    AND employee_id IN ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";
    AFTER = "SELECT employee_id, gross, net, check_amount, paycheck, facts, year_to_date FROM payroll_results \
             WHERE company_id = $1 AND run_id = $2 AND employee_id > $3 ORDER BY employee_id LIMIT $4";
    OF_YEAR = "SELECT r.employee_id, r.gross, r.net, r.check_amount, r.paycheck, r.facts, r.year_to_date, p.run_number, p.check_date \
               FROM payrolls p JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id AND r.employee_id = $2 \
               WHERE p.company_id = $1 AND p.run_number IS NOT NULL AND p.check_date BETWEEN $3 AND $4 ORDER BY p.check_date, p.run_number";
    INSERT = "INSERT INTO payroll_results (company_id, run_id, employee_id, gross, net, check_amount, paycheck, facts, year_to_date) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    DELETE = "DELETE FROM payroll_results WHERE company_id = $1 AND run_id = $2 AND employee_id = $3";
    USED = "SELECT p.id FROM payrolls p JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id \
            WHERE p.company_id = $1 AND r.employee_id = $2 AND p.submitted_at IS NOT NULL \
            AND p.end_date >= $3 AND p.end_date < $4 LIMIT 1";
    // An employee who has moved to another location before the period is not paid at this one; the first work address also applies to the
    // days before it.
    PAID_AT = "SELECT p.id FROM work_addresses w CROSS JOIN payrolls p CROSS JOIN payroll_results r \
               WHERE w.company_id = $1 AND w.location_id = $2 AND p.company_id = w.company_id AND p.submitted_at IS NOT NULL \
               AND r.company_id = p.company_id AND r.run_id = p.run_id AND r.employee_id = w.employee_id \
               AND NOT EXISTS (SELECT 1 FROM work_addresses n WHERE n.company_id = $1 AND n.employee_id = w.employee_id \
               AND n.effective_date > w.effective_date AND n.effective_date <= p.start_date) \
               AND (p.end_date >= w.effective_date OR NOT EXISTS (SELECT 1 FROM work_addresses b WHERE b.company_id = $1 \
               AND b.employee_id = w.employee_id AND b.effective_date < w.effective_date)) LIMIT 1";
    PAID_SINCE = "SELECT p.id FROM payrolls p JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id \
                  WHERE p.company_id = $1 AND r.employee_id = $2 AND p.submitted_at IS NOT NULL \
                  AND p.check_date >= $3 LIMIT 1";
}

/// Table of the results of calculations.
pub(in crate::pay::payrolls) const TABLE: &str = "payroll_results";

/// A calculation's result for an employee.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// the employee
    pub employee: Uuid,
    /// gross pay
    pub gross: Amount,
    /// gross less taxes and deductions
    pub net: Amount,
    /// amount paid out
    pub check_amount: Amount,
    /// [`Paid`] as JSON
    pub paycheck: String,
    /// [`PaycheckInputs`] as JSON
    pub facts: String,
    /// [`Sums`] including this paycheck, as JSON
    pub year_to_date: String,
}

impl Outcome {
    /// Returns the paycheck.
    ///
    /// # Errors
    /// [`store::Error::Unreadable`].
    pub fn read_paycheck(&self) -> Result<Paid, store::Error> {
        from_json(TABLE, "paycheck", &self.paycheck)
    }

    /// Returns the inputs it was calculated from.
    ///
    /// # Errors
    /// [`store::Error::Unreadable`].
    pub fn read_inputs(&self) -> Result<PaycheckInputs, store::Error> {
        inputs_in(&self.facts)
    }

    /// Returns the inputs it was calculated from; `None`, with a log line, if this version cannot read them.
    pub fn readable_inputs(&self, payroll: Uuid) -> Option<PaycheckInputs> {
        readable_inputs(&self.facts, payroll, self.employee)
    }
}

fn inputs_in(facts: &str) -> Result<PaycheckInputs, store::Error> {
    let inputs: PaycheckInputs = from_json(TABLE, "facts", facts)?;
    if inputs.format == FORMAT {
        return Ok(inputs);
    }
    Err(store::Unread::new(format!("has format {}, not {FORMAT}", inputs.format)).into_error(TABLE, "facts"))
}

/// Returns the inputs in the `facts` of a result; `None`, with a log line, if this version cannot read them.
pub fn readable_inputs(facts: &str, payroll: Uuid, employee: Uuid) -> Option<PaycheckInputs> {
    let noted = |error: &store::Error| {
        tracing::warn!(%payroll, %employee, %error, "inputs of a paycheck cannot be read");
    };
    inputs_in(facts).inspect_err(noted).ok()
}

fn read_outcome(row: &Row<'_>) -> Result<Outcome, store::Error> {
    let mut next = Cursor::new(row, TABLE, 0);
    Ok(Outcome {
        employee: next.read_plain("employee_id")?,
        gross: Amount::from_millionths(next.read_plain("gross")?),
        net: Amount::from_millionths(next.read_plain("net")?),
        check_amount: Amount::from_millionths(next.read_plain("check_amount")?),
        paycheck: next.read_stored::<JsonText, _>("paycheck")?,
        facts: next.read_stored::<JsonText, _>("facts")?,
        year_to_date: next.read_stored::<JsonText, _>("year_to_date")?,
    })
}

/// Returns the result of a calculation for an employee.
pub fn find_outcome(
    tx: &mut Tx<'_>,
    company: Uuid,
    run: Uuid,
    employee: Uuid,
) -> Result<Option<Outcome>, Error> {
    Ok(tx.try_find(OF_EMPLOYEE, params![company, run, employee], read_outcome)?)
}

/// Returns the results of a calculation for some employees; those without one are omitted.
pub fn of_employees(
    tx: &mut Tx<'_>,
    company: Uuid,
    run: Uuid,
    employees: &[Uuid],
) -> Result<Vec<Outcome>, Error> {
    rows_of(tx, OF_EMPLOYEES, params![company, run], employees, read_outcome)
}

/// Returns the next results of a calculation, at most `most`, after the employee `last`.
pub fn outcomes_after(
    tx: &mut Tx<'_>,
    company: Uuid,
    run: Uuid,
    last: Uuid,
    most: i64,
) -> Result<Vec<Outcome>, Error> {
    Ok(tx.try_query(AFTER, params![company, run, last, most], read_outcome)?)
}

/// Returns an employee's paychecks of processed payrolls with pay dates in a year, by pay date and run number: each with that number and date.
pub fn of_year(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    year: i16,
) -> Result<Vec<(Outcome, i64, Date)>, Error> {
    let (first, last) = (jiff::civil::date(year, 1, 1), jiff::civil::date(year, 12, 31));
    let read = |row: &Row<'_>| {
        let outcome = read_outcome(row)?;
        let mut next = Cursor::new(row, TABLE, 7);
        Ok::<_, store::Error>((outcome, next.read_plain("run_number")?, next.read_plain("check_date")?))
    };
    Ok(tx.try_query(OF_YEAR, params![company, employee, first, last], read)?)
}

/// Stores a result.
pub fn insert_outcome(tx: &mut Tx<'_>, company: Uuid, run: Uuid, new: &Outcome) -> Result<(), Error> {
    let parameters = params![
        company,
        run,
        new.employee,
        new.gross.millionths(),
        new.net.millionths(),
        new.check_amount.millionths(),
        Json(&new.paycheck),
        Json(&new.facts),
        Json(&new.year_to_date)
    ];
    Ok(tx.insert_row(INSERT, parameters)?)
}

/// Deletes an employee's result, so that another one can replace it.
pub fn delete_outcome(tx: &mut Tx<'_>, company: Uuid, run: Uuid, employee: Uuid) -> Result<(), Error> {
    let _existed = tx.change_rows(DELETE, params![company, run, employee])?.is_one();
    Ok(())
}

/// Whether a submitted payroll whose period ends in the given range (`from` included, `until` excluded) pays the employee.
pub fn is_used(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    Days { first: from, last: until }: Days,
) -> Result<bool, Error> {
    Ok(tx.find_row(USED, params![company, employee, from, until], |_| ())?.is_some())
}

/// Whether a submitted payroll pays work at the location.
pub fn is_paid_at(tx: &mut Tx<'_>, company: Uuid, location: Uuid) -> Result<bool, Error> {
    Ok(tx.find_row(PAID_AT, params![company, location], |_| ())?.is_some())
}

/// Whether a submitted payroll with a pay date on that day or later pays the employee.
pub fn is_paid_since(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, day: Date) -> Result<bool, Error> {
    Ok(tx.find_row(PAID_SINCE, params![company, employee, day], |_| ())?.is_some())
}
