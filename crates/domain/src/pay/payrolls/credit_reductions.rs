//! What the company owes for a year because the credit against federal unemployment tax was reduced in some states.
//!
//! The reductions of a year are announced in November and paid with the annual return, Form 940, by 31 January: they are due
//! once for the year, and no payroll takes them. So they are worked out from the FUTA wages of the year when somebody asks.

use std::collections::BTreeMap;

use jiff::civil::{Date, date};
use rules::explain::{Node, Recorder};
use rules::payroll::taxes::credit_reduction;
use rules::{Amount, Checks, Violation};
use store::{Tx, params};
use uuid::Uuid;

use super::snapshot::AT_ONCE;
use super::sums::{self, Unnoted};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::Patch;
use crate::platform::law;

store::statements! {
    EMPLOYEES = "SELECT id FROM employees WHERE company_id = $1 AND id > $2 ORDER BY id LIMIT $3";
}

/// What is owed for a year.
#[derive(Debug, Clone)]
pub struct CreditReductions {
    /// the calendar year
    pub year: i16,
    /// whether the table has reductions of the year; without them nothing was announced yet, or it was not imported
    pub announced: bool,
    /// when it is due
    pub due_on: Date,
    /// states with FUTA wages whose credit was reduced, in order
    pub states: Vec<ReducedState>,
    /// FUTA wages of which the state is not known: those of opening balances, and of paychecks of an earlier program
    pub wages_without_state: Amount,
    /// all states together
    pub total: Amount,
    /// how the amounts came about
    pub figures: Vec<Node>,
}

/// A state whose credit was reduced.
#[derive(Debug, Clone)]
pub struct ReducedState {
    /// two letters
    pub state: String,
    /// FUTA wages of the year
    pub wages: Amount,
    /// percent
    pub percent: Amount,
    /// what is owed
    pub amount: Amount,
}

/// What the company owes for a year, by the payrolls that were processed.
///
/// # Errors
/// 422 for a year that is none; a store error.
pub fn of_year(tx: &mut Tx<'_>, caller: &Caller, year: &Patch<i64>) -> Result<CreditReductions, Error> {
    let mut checks = Checks::new();
    let year = year.optional("year", &mut checks, calendar_year);
    checks.finish()?;
    let year = year.unwrap_or_else(|| caller.today(tx).year());
    let (by_state, without) = wages(tx, caller.company, year)?;
    let reductions = law::futa_credit_reductions(tx)?;
    let mut recorder = Recorder::default();
    let (mut states, mut total) = (Vec::new(), Amount::ZERO);
    for (state, wages) in by_state {
        let Some(percent) = reductions.of(&state, year) else { continue };
        let wages = Amount::from_millionths(wages);
        let amount = credit_reduction(&mut recorder, &state, (wages, percent)).ok_or_else(too_large)?;
        total = total.checked_add(amount).ok_or_else(too_large)?;
        states.push(ReducedState { state, wages, percent, amount });
    }
    Ok(CreditReductions {
        year,
        announced: reductions.iter().any(|(held, ..)| held == year),
        due_on: date(year + 1, 1, 31),
        states,
        wages_without_state: Amount::from_millionths(without),
        total,
        figures: recorder.finish(),
    })
}

fn calendar_year(key: &str, year: &i64) -> Result<i16, Violation> {
    let year = i16::try_from(*year).ok().filter(|year| (2020..=2100).contains(year));
    year.ok_or_else(|| Violation::invalid(key, format!("{key} must be a calendar year from 2020 to 2100")))
}

fn too_large() -> Error {
    Error::internal("the wages of a year are larger than an amount can be")
}

/// FUTA wages of a year by state, and those of which the state is not known.
fn wages(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<(BTreeMap<String, i64>, i64), Error> {
    let unnoted = Unnoted::read(tx, company)?;
    let (mut by_state, mut without, mut after) = (BTreeMap::<String, i64>::new(), 0, Uuid::nil());
    loop {
        let employees = tx.query(EMPLOYEES, params![company, after, AT_ONCE], |row| row.get::<Uuid>(0))?;
        let Some(last) = employees.last() else { return Ok((by_state, without)) };
        after = *last;
        for sums in sums::of_employees(tx, company, &unnoted, &employees)?.into_values() {
            let Some(of_year) = sums.years.get(&year) else { continue };
            without += of_year.futa_wages - of_year.futa_wages_by_state.values().sum::<i64>();
            for (state, wages) in &of_year.futa_wages_by_state {
                *by_state.entry(state.clone()).or_default() += wages;
            }
        }
    }
}
