//! The sums that a paycheck rests on: by year, and by garnishment for ever.
//!
//! Each calculation stores them with its own paycheck added, so that the newest processed payroll of an employee holds
//! all that went before; whoever was not paid yet brings opening balances, or nothing.

use std::collections::{BTreeMap, HashMap};

use rules::Amount;
use rules::payroll::TaxableWages;
use rules::payroll::garnishment::WithheldToDate;
use serde::{Deserialize, Serialize};
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use super::paid::{Paid, TABLE as RESULTS};
use super::{is_zero, opening};
use crate::error::Error;

store::statements! {
    BETWEEN = "SELECT employee_id, year_to_date FROM payroll_results \
               WHERE company_id = $1 AND run_id = $2 AND employee_id BETWEEN $3 AND $4 ORDER BY employee_id";
    OF_EMPLOYEE = "SELECT year_to_date FROM payroll_results WHERE company_id = $1 AND run_id = $2 AND employee_id = $3";
}

/// Calculations in which the sums of a stretch of employees are looked for together; in older ones one by one.
const TOGETHER: usize = 3;

/// What counts of the payrolls before, by year, and by garnishment for ever.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sums {
    /// sums of a year
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub years: BTreeMap<i16, YearSums>,
    /// how often and how much was taken for each garnishment
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub garnishments: BTreeMap<Uuid, (i64, i64)>,
}

/// Sums of a year.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct YearSums {
    /// all wages
    pub gross: i64,
    /// what remained after taxes and deductions
    pub net: i64,
    /// wages that counted for Social Security
    pub social_security_wages: i64,
    /// wages that counted for Medicare
    pub medicare_wages: i64,
    /// wages that counted for federal unemployment tax
    #[serde(skip_serializing_if = "is_zero")]
    pub futa_wages: i64,
    /// wages taxed at the flat rates
    #[serde(skip_serializing_if = "is_zero")]
    pub supplemental_wages: i64,
    /// Social Security and Medicare taxes withheld
    pub fica_withheld: i64,
    /// taxes by name, the employee's
    pub taxes: BTreeMap<String, i64>,
    /// by company benefit: number of its type, deducted, contributed
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub benefits: BTreeMap<Uuid, (i64, i64, i64)>,
    /// taken by garnishment
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub garnishments: BTreeMap<Uuid, i64>,
}

impl Sums {
    /// Takes opening balances in, unless payrolls of their year or of a later one hold them already.
    fn open(&mut self, opened: &Self) {
        for (year, of_year) in &opened.years {
            if self.years.last_key_value().is_some_and(|(last, _)| last >= year) {
                continue;
            }
            self.years.insert(*year, of_year.clone());
            for (id, taken) in &opened.garnishments {
                let ever = self.garnishments.entry(*id).or_default();
                *ever = (ever.0 + taken.0, ever.1 + taken.1);
            }
        }
    }

    /// What was taken for a garnishment, as it counts for a pay of that year.
    pub fn garnishment(&self, id: Uuid, year: i16) -> WithheldToDate {
        let (times, total) = self.garnishments.get(&id).copied().unwrap_or_default();
        let of_year = self.years.get(&year).and_then(|sums| sums.garnishments.get(&id));
        let amount = Amount::from_millionths;
        WithheldToDate { times, year: amount(of_year.copied().unwrap_or(0)), total: amount(total) }
    }

    /// The sums with a paycheck of a year. Sums of years long gone are dropped.
    pub fn with(
        mut self,
        year: i16,
        gross: Amount,
        net: Amount,
        taxable: &TaxableWages,
        paid: &Paid,
    ) -> Self {
        self.years.retain(|held, _| *held >= year - 1);
        let sums = self.years.entry(year).or_default();
        sums.gross += gross.millionths();
        sums.net += net.millionths();
        sums.social_security_wages += taxable.social_security.millionths();
        sums.medicare_wages += taxable.medicare.millionths();
        sums.futa_wages += taxable.futa.millionths();
        sums.supplemental_wages += taxable.supplemental.millionths();
        for (name, employer, amount) in &paid.taxes {
            if *employer || *amount == 0 {
                continue;
            }
            if matches!(name.as_str(), "Social Security" | "Medicare" | "Additional Medicare") {
                sums.fica_withheld += amount;
            }
            *sums.taxes.entry(name.clone()).or_default() += amount;
        }
        for benefit in &paid.benefits {
            let held = sums.benefits.entry(benefit.company_benefit).or_insert((benefit.code, 0, 0));
            held.1 += benefit.deduction;
            held.2 += benefit.contribution;
        }
        for taken in paid.deductions.iter().filter(|taken| taken.amount > 0) {
            *sums.garnishments.entry(taken.id).or_default() += taken.amount;
            let ever = self.garnishments.entry(taken.id).or_default();
            ever.0 += 1;
            ever.1 += taken.amount;
        }
        self
    }
}

/// The sums of some employees, in order of their ids, after the processed calculations `runs`, the newest first.
///
/// # Errors
/// A store error.
pub fn after(
    tx: &mut Tx<'_>,
    company: Uuid,
    runs: &[Uuid],
    employees: &[Uuid],
) -> Result<HashMap<Uuid, Sums>, Error> {
    let mut found: HashMap<Uuid, Sums> = HashMap::new();
    let (Some(first), Some(last)) = (employees.first(), employees.last()) else { return Ok(found) };
    for (place, run) in runs.iter().enumerate() {
        if found.len() == employees.len() {
            return Ok(found);
        }
        if place < TOGETHER {
            let of_run =
                tx.try_query(BETWEEN, params![company, *run, *first, *last], |row| between(row, &found))?;
            found.extend(of_run.into_iter().flatten());
            continue;
        }
        for employee in employees {
            if !found.contains_key(employee)
                && let Some(stored) = tx.try_find(OF_EMPLOYEE, params![company, *run, *employee], stored)?
            {
                found.insert(*employee, stored);
            }
        }
    }
    // Whoever came in mid-year brings the sums of that year along; payrolls of the year hold them already.
    for (employee, opened) in opening::sums_between(tx, company, (*first, *last))? {
        found.entry(employee).or_default().open(&opened);
    }
    Ok(found)
}

/// The employee's sums; nothing if those of a later payroll were found.
fn between(row: &Row<'_>, found: &HashMap<Uuid, Sums>) -> Result<Option<(Uuid, Sums)>, store::Error> {
    let mut next = Cursor::new(row, RESULTS, 0);
    let employee = next.plain("employee_id")?;
    if found.contains_key(&employee) {
        return Ok(None);
    }
    Ok(Some((employee, next.json("year_to_date")?)))
}

fn stored(row: &Row<'_>) -> Result<Sums, store::Error> {
    Cursor::new(row, RESULTS, 0).json("year_to_date")
}
