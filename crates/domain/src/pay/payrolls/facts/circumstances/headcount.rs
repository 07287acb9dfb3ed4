//! The number of a company's employees, as state programs count them; used if the company has not stated it.
//!
//! Most programs count employees in the state; Colorado and Oregon count all of the company's, wherever they work. Drafts and former
//! employees do not count. If a law counts annual averages, contractors or others, the company has to state the number (`employer_size`).
//!
//! Laws set thresholds; they never depend on the exact number of employees. So the count stops at the largest threshold of a state, and
//! counting a company of many thousands costs no more than counting one of fifty.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::civil::Date;
use rules::taxes::{Tax, TaxTable};
use store::{Sql, Tx, Value, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::minimum_wages::Place;

store::statements! {
    IN_STATE = store::text!(
        "SELECT count(*) FROM (SELECT w.employee_id FROM locations l CROSS JOIN work_addresses w CROSS JOIN employees e \
         WHERE l.company_id = $1 AND l.state = $3 AND w.company_id = $1 AND w.location_id = l.id \
         AND e.company_id = $1 AND e.id = w.employee_id", EMPLOYED, " LIMIT $4) AS counted"
    );
    EVERYWHERE = store::text!(
        "SELECT count(*) FROM (SELECT w.employee_id FROM employees e CROSS JOIN work_addresses w \
         WHERE e.company_id = $1 AND w.company_id = $1 AND w.employee_id = e.id", EMPLOYED, " LIMIT $3) AS counted"
    );
}

/// SQL condition: employed on day `$2`, with `w` as the work address of that day.
const EMPLOYED: &str = " AND e.onboarded_at IS NOT NULL AND w.effective_date <= $2 \
    AND NOT EXISTS (SELECT 1 FROM work_addresses n WHERE n.company_id = $1 AND n.employee_id = e.id \
    AND n.effective_date <= $2 AND (n.effective_date > w.effective_date \
    OR (n.effective_date = w.effective_date AND n.id > w.id))) \
    AND NOT EXISTS (SELECT 1 FROM terminations t WHERE t.company_id = $1 AND t.employee_id = e.id \
    AND t.effective_date < $2 AND NOT EXISTS (SELECT 1 FROM rehires b WHERE b.company_id = $1 AND b.employee_id = e.id \
    AND b.effective_date > t.effective_date AND b.effective_date <= $2))";

/// States whose programs count employees everywhere.
const COUNT_EVERYWHERE: [&str; 2] = ["CO", "OR"];

/// Returns the largest threshold of employees of a state's programs and localities; `None` for a state without a threshold.
fn largest_threshold(tables: [&TaxTable; 2], state: &str) -> Option<u32> {
    let of_state = |tax: &&Arc<Tax>| tax.jurisdiction.state == state;
    let taxes = tables.into_iter().flat_map(TaxTable::iter).filter(of_state);
    let thresholds = taxes.filter_map(|tax| {
        let (from, to) = tax.sizes;
        from.max(to.map(|to| to.saturating_add(1)))
    });
    thresholds.max()
}

/// Numbers of employees by state, counted up to the largest relevant number.
#[derive(Debug, Default)]
pub(super) struct Headcount(HashMap<String, u32>);

impl Headcount {
    /// Creates a headcount with the given number in each state.
    #[cfg(test)]
    pub(super) fn of_each<const N: usize>(states: [(&str, u32); N]) -> Self {
        Self(states.map(|(state, employees)| (state.to_owned(), employees)).into())
    }

    /// Counts the employees on a day, for each state with a location of the company, with a threshold, and without a stated number.
    pub(in crate::pay::payrolls) fn count_by_state(
        tx: &mut Tx<'_>,
        (company, day): (Uuid, Date),
        places: &HashMap<Uuid, Place>,
        tables: [&TaxTable; 2],
        is_told: impl Fn(&str) -> bool,
    ) -> Result<Self, Error> {
        let states: HashSet<&str> = places.values().map(|place| place.state.as_str()).collect();
        let mut counted = HashMap::new();
        for state in states.into_iter().filter(|state| !is_told(state)) {
            let Some(most) = largest_threshold(tables, state).map(i64::from) else { continue };
            let number = if COUNT_EVERYWHERE.contains(&state) {
                count_employees(tx, EVERYWHERE, params![company, day, most])?
            } else {
                count_employees(tx, IN_STATE, params![company, day, state, most])?
            };
            counted.insert(state.to_owned(), number);
        }
        Ok(Self(counted))
    }

    /// Returns the number of employees that the programs of a state count.
    pub(in crate::pay::payrolls) fn employees_in(&self, state: &str) -> u32 {
        self.0.get(state).copied().unwrap_or_default()
    }
}

fn count_employees(tx: &mut Tx<'_>, statement: Sql, about: &[Value<'_>]) -> Result<u32, Error> {
    let number = tx.find_row(statement, about, |row| row.get::<i64>(0))?;
    Ok(u32::try_from(number.unwrap_or_default()).unwrap_or(u32::MAX))
}
