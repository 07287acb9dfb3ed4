//! Lines of hours and of pay that a client divides by workweek (`breakdowns`).

use jiff::ToSpan;
use jiff::civil::Date;
use rules::{Amount, Checks, Violation};

use crate::patch::{self, Patch};
use crate::pay::payrolls::entry::known::{Known, check_payable_amount, check_payable_hours};
use crate::pay::payrolls::record::commands::{AmountOfWorkweek, HoursOfWorkweek};
use crate::pay::payrolls::record::hours::start_of;

/// Maximum number of workweeks of a line.
const MOST: usize = 54;

/// The part of a line that belongs to a workweek.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pay::payrolls) struct OfWorkweek {
    /// first day of the workweek
    pub(in crate::pay::payrolls) start: Date,
    /// hours or dollars, above zero
    pub(in crate::pay::payrolls) part: Amount,
}

/// Returns the total of the parts.
pub(in crate::pay::payrolls) fn sum_of_parts(parts: &[OfWorkweek]) -> Amount {
    parts.iter().map(|one| one.part).sum()
}

/// Reads the hours of each workweek, in order; `None` if the line is not divided, or wrongly.
pub(in crate::pay::payrolls) fn hours_of(
    sent: &Patch<Vec<HoursOfWorkweek>>,
    known: &Known<'_>,
    checks: &mut Checks,
) -> Option<Vec<OfWorkweek>> {
    read_parts(sent, known, checks, |one, checks| Sent {
        start: &one.start_date,
        end: &one.end_date,
        part: one.hours.required("hours", checks, check_payable_hours),
    })
}

/// Reads the amount of each workweek, in order; `None` if the line is not divided, or wrongly.
pub(in crate::pay::payrolls) fn amounts_of(
    sent: &Patch<Vec<AmountOfWorkweek>>,
    known: &Known<'_>,
    checks: &mut Checks,
) -> Option<Vec<OfWorkweek>> {
    read_parts(sent, known, checks, |one, checks| Sent {
        start: &one.start_date,
        end: &one.end_date,
        part: one.amount.required("amount", checks, check_payable_amount),
    })
}

/// A part as it was sent.
struct Sent<'s> {
    start: &'s Patch<Date>,
    end: &'s Patch<Date>,
    part: Option<Amount>,
}

fn read_parts<T>(
    sent: &Patch<Vec<T>>,
    known: &Known<'_>,
    checks: &mut Checks,
    open: impl for<'t> Fn(&'t T, &mut Checks) -> Sent<'t>,
) -> Option<Vec<OfWorkweek>> {
    let lines = patch::check_items("breakdowns", sent, MOST, checks);
    let mut parts: Vec<OfWorkweek> = Vec::new();
    for line in lines {
        let Sent { start, end, part } = open(line, checks);
        let Some(week) = read_workweek(start, end, known, checks) else { continue };
        let is_new = parts.iter().all(|held| held.start != week);
        checks.require(is_new, || {
            Violation::invalid(
                "breakdowns",
                format!("breakdowns must have one part for the workweek from {week}"),
            )
        });
        parts.extend(part.map(|part| OfWorkweek { start: week, part }));
    }
    let is_whole = parts.len() == lines.len() && !lines.is_empty();
    parts.retain(|one| one.part > Amount::ZERO);
    parts.sort_by_key(|one| one.start);
    is_whole.then_some(parts)
}

/// Returns the first day of the workweek that a part names: it has days in the pay period, and the part no days outside it.
fn read_workweek(
    start: &Patch<Date>,
    end: &Patch<Date>,
    known: &Known<'_>,
    checks: &mut Checks,
) -> Option<Date> {
    let first_day = known.workweek?;
    let (first, last) = (start_of(first_day, known.period.first), known.period.last);
    let start = start.required("start_date", checks, |key, start| {
        if (first..=last).contains(start) {
            return Ok(*start);
        }
        Err(Violation::invalid(key, format!("{key} must lie between {first} and {last}")))
    })?;
    let week = start_of(first_day, start);
    let until = week.saturating_add(6.days());
    end.required("end_date", checks, |key, day| {
        if (start..=until).contains(day) {
            return Ok(());
        }
        Err(Violation::invalid(
            key,
            format!("{key} must lie between {start} and {until}, in the same workweek"),
        ))
    })?;
    Some(week)
}
