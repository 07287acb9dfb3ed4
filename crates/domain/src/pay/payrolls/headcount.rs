//! How many people a company employs, as programmes of states count them where the company has not told.
//!
//! Most count those who work in the state; Colorado and Oregon all of the company's, wherever they work. Drafts and people who
//! left are nobody's employees. Averages of a year, contractors and whoever else a law counts are for the company to tell
//! (`employer_size`).

use std::collections::HashMap;

use jiff::civil::Date;
use rules::taxes::TaxTable;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::minimum_wages::Place;

store::statements! {
    AT_LOCATIONS = "SELECT w.location_id, count(*) FROM employees e \
                    JOIN work_addresses w ON w.company_id = e.company_id AND w.employee_id = e.id \
                    WHERE e.company_id = $1 AND e.onboarded_at IS NOT NULL AND w.effective_date <= $2 \
                    AND (SELECT count(*) FROM work_addresses n WHERE n.company_id = $1 AND n.employee_id = e.id \
                    AND n.effective_date <= $2 AND (n.effective_date > w.effective_date \
                    OR (n.effective_date = w.effective_date AND n.id > w.id))) = 0 \
                    AND (SELECT count(*) FROM terminations t WHERE t.company_id = $1 AND t.employee_id = e.id \
                    AND t.effective_date < $2 AND (SELECT count(*) FROM rehires b WHERE b.company_id = $1 AND b.employee_id = e.id \
                    AND b.effective_date > t.effective_date AND b.effective_date <= $2) = 0) = 0 \
                    GROUP BY w.location_id ORDER BY w.location_id LIMIT 10000";
}

/// States whose programmes count employees everywhere.
const COUNT_EVERYWHERE: [&str; 2] = ["CO", "OR"];

/// Numbers of employees.
#[derive(Debug, Default)]
pub(super) struct Headcount {
    everywhere: u32,
    by_state: HashMap<String, u32>,
}

impl Headcount {
    /// So many in each state.
    #[cfg(test)]
    pub(super) fn of_each<const N: usize>(states: [(&str, u32); N]) -> Self {
        let everywhere = states.iter().map(|(_, employees)| employees).sum();
        let by_state = states.map(|(state, employees)| (state.to_owned(), employees)).into();
        Self { everywhere, by_state }
    }

    /// Counts those who are employed on a day, where a programme of a state in which the company has a location asks for it.
    ///
    /// # Errors
    /// A store error.
    pub(super) fn read(
        tx: &mut Tx<'_>,
        (company, day): (Uuid, Date),
        places: &HashMap<Uuid, Place>,
        is_told: impl Fn(&str) -> bool,
    ) -> Result<Self, Error> {
        let asks =
            |state: &str| TaxTable::insurance().of_state(state).iter().any(|tax| tax.sizes != (None, None));
        if !places.values().any(|place| asks(&place.state) && !is_told(&place.state)) {
            return Ok(Self::default());
        }
        let count = |row: &Row<'_>| (row.get::<Uuid>(0), row.get::<i64>(1));
        let mut counted = Self::default();
        for (location, number) in tx.query(AT_LOCATIONS, params![company, day], count)? {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            counted.everywhere = counted.everywhere.saturating_add(number);
            let Some(place) = places.get(&location) else { continue };
            let of_state = counted.by_state.entry(place.state.clone()).or_default();
            *of_state = of_state.saturating_add(number);
        }
        Ok(counted)
    }

    /// Those that the programmes of a state count.
    pub(super) fn of(&self, state: &str) -> u32 {
        match COUNT_EVERYWHERE.contains(&state) {
            true => self.everywhere,
            false => self.by_state.get(state).copied().unwrap_or_default(),
        }
    }
}
