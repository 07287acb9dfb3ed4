//! The sums of earlier pay of employees: those that their newest processed paychecks store, and opening balances.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rules::payroll::garnishment::WithheldToDate;
use store::record::Cursor;
use store::{Row, Tx, Unread, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::payrolls::facts::opening;
use crate::pay::payrolls::record::results::TABLE as RESULTS;
use crate::pay::payrolls::record::sums::Sums;
use crate::records::IdRange;

store::statements! {
    LAST = "SELECT employee_id, run_id FROM last_paychecks \
            WHERE company_id = $1 AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id";
    IS_PROCESSED = "SELECT 1 FROM payrolls WHERE company_id = $1 AND run_id = $2 AND run_number IS NOT NULL";
    ONE = "SELECT employee_id, year_to_date FROM payroll_results WHERE company_id = $1 AND run_id = $2 AND employee_id = $3";
    BETWEEN = "SELECT employee_id, year_to_date FROM payroll_results \
               WHERE company_id = $1 AND run_id = $2 AND employee_id BETWEEN $3 AND $4 ORDER BY employee_id";
    NEWEST = "SELECT p.run_id, r.year_to_date FROM payrolls p \
              JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id AND r.employee_id = $2 \
              WHERE p.company_id = $1 AND p.run_number IS NOT NULL ORDER BY p.run_number DESC LIMIT 1";
    NOTE = "INSERT INTO last_paychecks (company_id, employee_id, run_id) SELECT company_id, employee_id, run_id FROM payroll_results \
            WHERE company_id = $1 AND run_id = $2 AND employee_id > $3 AND employee_id <= $4 \
            ON CONFLICT (company_id, employee_id) DO UPDATE SET run_id = excluded.run_id";
    FORGET = "DELETE FROM last_paychecks WHERE company_id = $1 AND employee_id = $2 AND run_id = $3";
    PUT = "INSERT INTO last_paychecks (company_id, employee_id, run_id) VALUES ($1, $2, $3) \
           ON CONFLICT (company_id, employee_id) DO NOTHING";
}

/// Table of the newest processed calculation of each employee.
const LAST_PAYCHECKS: &str = "last_paychecks";
/// Minimum number of employees for which the results of a calculation are read as one range.
const STRETCH: usize = 8;

/// Returns the sums of employees (given in order of their ids) after all processed payrolls, with opening balances up to `year`.
pub fn of_employees(
    tx: &mut Tx<'_>,
    company: Uuid,
    employees: &[Uuid],
    year: i16,
) -> Result<HashMap<Uuid, Sums>, Error> {
    let (Some(first), Some(last)) = (employees.first(), employees.last()) else { return Ok(HashMap::new()) };
    let mut found = noted_sums(tx, company, IdRange { first: *first, last: *last })?;
    let mut sums = HashMap::with_capacity(employees.len());
    for employee in employees {
        let latest = match found.remove(employee) {
            // The noted payroll is not processed: it was cancelled, or is being processed.
            Some(None) => newest_sums(tx, company, *employee)?.map(|(_, sums)| sums),
            noted => noted.flatten(),
        };
        if let Some(latest) = latest {
            sums.insert(*employee, latest);
        }
    }
    // An employee who joined mid-year has sums of that year; payrolls of the year already include them.
    for (employee, opened) in opening::sums_between(tx, company, IdRange { first: *first, last: *last })? {
        sums.entry(employee).or_default().add_opening_balances(&opened, year);
    }
    Ok(sums)
}

/// Returns the amounts withheld for a garnishment to date, including opening balances, as they count for pay of `year`.
pub fn withheld_to_date(
    tx: &mut Tx<'_>,
    company: Uuid,
    (employee, garnishment): (Uuid, Uuid),
    year: i16,
) -> Result<WithheldToDate, Error> {
    let sums = of_employees(tx, company, &[employee], year)?.remove(&employee).unwrap_or_default();
    Ok(sums.garnishment_to_date(garnishment, year))
}

/// Reads the sums of the noted last paychecks of a range of employees; `None` where that payroll is not processed, because it was
/// cancelled or is being processed. Most were last paid by the same calculation, whose results are stored in
/// their order, so they are read as one range per calculation; only results of calculations with few of them are read one by one.
fn noted_sums(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<HashMap<Uuid, Option<Sums>>, Error> {
    let notes = tx.try_query(LAST, params![company, first, last], |row| {
        let mut next = Cursor::new(row, LAST_PAYCHECKS, 0);
        Ok::<(Uuid, Uuid), store::Error>((next.read_plain("employee_id")?, next.read_plain("run_id")?))
    })?;
    let mut by_run: BTreeMap<Uuid, BTreeSet<Uuid>> = BTreeMap::new();
    for (employee, run) in notes {
        by_run.entry(run).or_default().insert(employee);
    }
    let mut found = HashMap::new();
    for (run, employees) in by_run {
        if tx.find_row(IS_PROCESSED, params![company, run], |_| ())?.is_none() {
            found.extend(employees.into_iter().map(|employee| (employee, None)));
            continue;
        }
        let read = |row: &Row<'_>| {
            let mut next = Cursor::new(row, RESULTS, 0);
            let employee: Uuid = next.read_plain("employee_id")?;
            let sums =
                if employees.contains(&employee) { Some(next.read_json("year_to_date")?) } else { None };
            Ok::<_, store::Error>((employee, sums))
        };
        let mut of_run = Vec::new();
        match (employees.first(), employees.last()) {
            (Some(first), Some(last)) if employees.len() >= STRETCH => {
                of_run.extend(tx.try_query(BETWEEN, params![company, run, *first, *last], read)?);
            }
            _ => {
                for employee in &employees {
                    of_run.extend(tx.try_find(ONE, params![company, run, *employee], read)?);
                }
            }
        }
        if of_run.iter().filter(|(_, sums)| sums.is_some()).count() < employees.len() {
            return Err(Unread::new("names a calculation whose results are gone")
                .into_error(LAST_PAYCHECKS, "run_id")
                .into());
        }
        found.extend(of_run.into_iter().filter_map(|(employee, sums)| Some((employee, Some(sums?)))));
    }
    Ok(found)
}

/// Returns the newest processed calculation that paid an employee, with its sums.
fn newest_sums(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Option<(Uuid, Sums)>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, RESULTS, 0);
        Ok::<_, store::Error>((next.read_plain("run_id")?, next.read_json("year_to_date")?))
    };
    Ok(tx.try_find(NEWEST, params![company, employee], read)?)
}

/// Records a calculation as the last paycheck of its employees with ids above `after`, up to `until`. The caller holds the guard of
/// the calculation.
pub fn note_last_paycheck(
    tx: &mut Tx<'_>,
    company: Uuid,
    run: Uuid,
    (after, until): (Uuid, Uuid),
) -> Result<(), Error> {
    let _noted = tx.change_rows(NOTE, params![company, run, after, until])?.rows();
    Ok(())
}

/// Replaces a reversed calculation with the employee's paycheck before it. The caller holds the guard of the calculation.
pub fn restore_earlier_paycheck(
    tx: &mut Tx<'_>,
    company: Uuid,
    run: Uuid,
    employee: Uuid,
) -> Result<(), Error> {
    if tx.change_rows(FORGET, params![company, employee, run])?.is_one()
        && let Some((before, _)) = newest_sums(tx, company, employee)?
    {
        let _new = tx.change_rows(PUT, params![company, employee, before])?.is_one();
    }
    Ok(())
}
