//! Days for which several payrolls together have more than 24 hours: something was entered twice.
//!
//! Within a payroll such hours are refused. Those of another one that was processed stay, so that the paycheck warns.

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;
use rules::Amount;
use store::{Tx, params};
use uuid::Uuid;

use super::entered::Entered;
use super::hours::HOURS_OF_A_DAY;
use super::paid::Warning;
use super::rows::{self, Input, Payroll};
use crate::error::Error;

store::statements! {
    OTHERS = "SELECT id FROM payrolls WHERE company_id = $1 AND id <> $2 AND processed_at IS NOT NULL \
              AND end_date >= $3 AND start_date <= $4 ORDER BY id LIMIT 1000";
}

/// Millionths of an hour by day.
pub(super) type ByDay = BTreeMap<Date, i64>;

/// The hours of single days in other processed payrolls, by employee; nothing where no hours by day are entered in this one.
///
/// # Errors
/// A store error.
pub(super) fn paid_by_others(
    tx: &mut Tx<'_>,
    (company, payroll): (Uuid, &Payroll),
    entries: &HashMap<Uuid, Input>,
    bounds: (Uuid, Uuid),
) -> Result<HashMap<Uuid, ByDay>, Error> {
    let mut found: HashMap<Uuid, ByDay> = HashMap::new();
    let days = || entries.values().flat_map(|entry| days_of(&entry.entered)).map(|(day, _)| day);
    let (Some(first), Some(last)) = (days().min(), days().max()) else { return Ok(found) };
    let others = tx.query(OTHERS, params![company, payroll.id, first, last], |row| row.get::<Uuid>(0))?;
    for other in others {
        for input in rows::inputs_between(tx, company, other, bounds)?.iter().filter(|one| !one.excluded) {
            for (day, hours) in days_of(&input.entered) {
                *found.entry(input.employee).or_default().entry(day).or_default() += hours;
            }
        }
    }
    Ok(found)
}

/// What to say of days that come to more than 24 hours with those of others.
pub(super) fn warnings(entered: &Entered, others: Option<&ByDay>) -> Vec<Warning> {
    let Some(others) = others else { return Vec::new() };
    let mut own = ByDay::new();
    for (day, hours) in days_of(entered) {
        *own.entry(day).or_default() += hours;
    }
    let together = own.into_iter().map(|(day, hours)| (day, hours + others.get(&day).copied().unwrap_or(0)));
    let long = together.filter(|(_, hours)| *hours > HOURS_OF_A_DAY);
    let warning = |(day, hours)| Warning {
        key: "hours_of_day_exceeded".to_owned(),
        message: format!(
            "{} hours of {day} come together with those that other payrolls have paid, and a day has 24: correct what was entered twice",
            Amount::from_millionths(hours).to_text(3)
        ),
    };
    long.map(warning).collect()
}

/// The hours that were entered by day.
fn days_of(entered: &Entered) -> impl Iterator<Item = (Date, i64)> {
    entered.hourly.iter().filter_map(|line| Some((line.date?, line.hours)))
}
