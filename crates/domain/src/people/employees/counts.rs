//! The number of a company's employees, stored separately: the total of a list of 150,000 is read as quickly as that of 10.
//!
//! Each change is a difference that is added to one of several rows of the company ("slots"), in the transaction that makes
//! the change. Differences commute, so no unit depends on a count that it has read, and concurrent units mostly update
//! different rows.

use std::iter::Sum;

use store::{Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    ADD = "INSERT INTO employee_counts (company_id, slot, number, onboarded) VALUES ($1, $2, $3, $4) \
           ON CONFLICT (company_id, slot) DO UPDATE SET number = employee_counts.number + excluded.number, \
           onboarded = employee_counts.onboarded + excluded.onboarded";
    KEPT = "SELECT number, onboarded FROM employee_counts WHERE company_id = $1";
    // One statement, and so one snapshot, whatever others write in the meantime.
    COUNTED = "SELECT k.number, k.onboarded, (SELECT count(*) FROM employees WHERE company_id = $1), \
               (SELECT count(onboarded_at) FROM employees WHERE company_id = $1) \
               FROM companies c LEFT JOIN employee_counts k ON k.company_id = c.company_id WHERE c.company_id = $1";
}

/// Number of slots of a company, unless units run one after the other.
const SLOTS: u8 = 16;

/// Number of employees of a company, or a difference between two such numbers.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// all employees
    pub number: i64,
    /// those whose onboarding is finished
    pub onboarded: i64,
}

impl Counts {
    /// Returns the difference for an added employee, onboarded or not.
    pub fn one_employee(onboarded: bool) -> Self {
        Self { number: 1, onboarded: i64::from(onboarded) }
    }

    /// Returns the difference for a removed employee, onboarded or not.
    pub fn one_less(onboarded: bool) -> Self {
        Self { number: -1, onboarded: -i64::from(onboarded) }
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            number: sum.number + one.number,
            onboarded: sum.onboarded + one.onboarded,
        })
    }
}

/// Adds a difference to a company's counts.
pub fn add_to_counts(tx: &mut Tx<'_>, company: Uuid, difference: Counts) -> Result<(), Error> {
    if difference == Counts::default() {
        return Ok(());
    }
    let Counts { number, onboarded } = difference;
    Ok(tx.add_amounts(ADD, params![company, i64::from(tx.lane() % SLOTS)], &[number, onboarded])?)
}

/// Returns the stored number of employees of a company.
pub fn stored_counts(tx: &mut Tx<'_>, company: Uuid) -> Result<Counts, Error> {
    let rows =
        tx.query_rows(KEPT, params![company], |row| Counts { number: row.get(0), onboarded: row.get(1) })?;
    Ok(rows.into_iter().sum())
}

/// Announces the query of [`stored_counts`] (see [`Tx::announce_counts`]).
pub fn announce_counts(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    Ok(tx.announce_query(KEPT, params![company])?)
}

/// Returns the actual counts of a company minus the stored ones: usually zero.
pub fn missing_counts(tx: &mut Tx<'_>, company: Uuid) -> Result<Counts, Error> {
    let rows = tx.query_rows(COUNTED, params![company], |row| {
        let kept = |column| row.get::<Option<i64>>(column).unwrap_or(0);
        let counted = Counts { number: row.get(2), onboarded: row.get(3) };
        (Counts { number: kept(0), onboarded: kept(1) }, counted)
    })?;
    let Some((_, counted)) = rows.first().copied() else { return Ok(Counts::default()) };
    let kept: Counts = rows.into_iter().map(|(kept, _)| kept).sum();
    Ok(Counts { number: counted.number - kept.number, onboarded: counted.onboarded - kept.onboarded })
}
