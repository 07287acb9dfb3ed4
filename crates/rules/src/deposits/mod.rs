//! Deposits of federal employment taxes: when they are due, and under which codes.
//!
//! | module | contents |
//! |---|---|
//! | [`business`] | business days for deposits |
//! | here | which pay days share a deposit, and its due date |
//! | `annual` | the same for employers who file Form 944 |
//! | [`types`] | the agency's deposit codes |
//!
//! Source: Publication 15 (Circular E), sections 11 and 14; 26 CFR 31.6302-1 and 31.6302(c)-3; Instructions for Forms 940 and 944.

mod annual;
pub mod business;
pub mod types;

use std::collections::{BTreeMap, BTreeSet};

use jiff::ToSpan;
use jiff::civil::{Date, Weekday, date};
use strum::{EnumString, IntoStaticStr, VariantArray};

pub use annual::{FORM_944_DEPOSIT_THRESHOLD_CENTS, group_tax_deposits};

/// Accumulated taxes, in cents, at which they become due on the next business day (26 CFR 31.6302-1(c)(3)).
pub const NEXT_DAY_THRESHOLD_CENTS: i64 = 10_000_000;
/// Unemployment tax of a quarter, in cents, up to which it is carried over to the next quarter (26 CFR 31.6302(c)-3(a)(2)).
pub const FUTA_CARRYOVER_CENTS: i64 = 50_000;
/// Business days from the end of a semiweekly period until its deposit is due (26 CFR 31.6302-1(c)(2)(iii)).
const DAYS_AFTER_PERIOD: u8 = 3;

/// How often withheld taxes are deposited. It depends on the taxes of the lookback period, which the employer knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Schedule {
    /// Taxes of a month by the 15th of the following month.
    #[strum(serialize = "monthly")]
    Monthly,
    /// Taxes of Wednesday to Friday by Wednesday, taxes of Saturday to Tuesday by Friday.
    #[strum(serialize = "semiweekly")]
    Semiweekly,
    /// Taxes of a quarter by the end of the following month, whatever the total of the year; with Form 944 only. A quarter of 2,500
    /// dollars is deposited monthly.
    #[strum(serialize = "quarterly")]
    Quarterly,
}

/// The return on which a deposit is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, VariantArray, IntoStaticStr, EnumString)]
pub enum Form {
    /// Withheld taxes and FICA of a quarter.
    #[strum(serialize = "941")]
    F941,
    /// The same for a year, for employers notified by the IRS.
    #[strum(serialize = "944")]
    F944,
    /// Federal unemployment tax of a year.
    #[strum(serialize = "940")]
    F940,
}

impl Form {
    /// Returns the last day of the tax period that a pay day belongs to.
    pub fn period_end(self, day: Date) -> Date {
        match self {
            Self::F941 => quarter_end(day),
            Self::F944 | Self::F940 => date(day.year(), 12, 31),
        }
    }
}

/// A schedule with its first day; `None` if the employer makes the deposits.
pub type Stated = (Date, Option<Schedule>);

/// Pay days that share a deposit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deposit {
    /// First of the pay days.
    pub first: Date,
    /// Last of the pay days.
    pub last: Date,
    /// Last day of the tax period of the return.
    pub period_end: Date,
    /// Due date.
    pub due: Date,
    /// Whether it is due on the next business day because of its amount.
    pub next_day: bool,
}

/// Returns the stated schedule for a day; `None` if none is stated or the employer makes the deposits.
pub fn stated_on(stated: &[Stated], day: Date) -> Option<Schedule> {
    let held = stated.iter().filter(|(from, _)| *from <= day);
    held.max_by_key(|(from, _)| *from).and_then(|(_, schedule)| *schedule)
}

/// Returns the schedule of a day. A monthly depositor that accumulates 100,000 dollars on a day deposits semiweekly from
/// the next day on, for the rest of that year and the following year.
fn schedule_on(stated: &[Stated], large: &[Date], day: Date) -> Schedule {
    let switched = large.iter().any(|large| *large < day && day.year() <= large.year() + 1);
    match stated_on(stated, day) {
        Some(Schedule::Monthly | Schedule::Quarterly) if !switched => Schedule::Monthly,
        // Without a stated schedule, the earlier due date is never late.
        _ => Schedule::Semiweekly,
    }
}

/// Earlier deposits.
#[derive(Debug, Clone, Copy)]
pub struct Paid<'p> {
    /// Days on which taxes of 100,000 dollars had accumulated: later additions to such a day are due with it.
    pub large: &'p [Date],
    /// Cents deposited, by pay day: they count toward the accumulation of their period.
    pub made: &'p BTreeMap<Date, i64>,
}

#[cfg(test)]
impl Paid<'static> {
    /// No earlier deposits.
    fn no_deposits() -> Self {
        static NONE: BTreeMap<Date, i64> = BTreeMap::new();
        Self { large: &[], made: &NONE }
    }
}

/// Groups pay days, each with the cents of its withheld taxes and FICA, into deposits, in addition to earlier deposits.
pub fn group_withheld_taxes(
    form: Form,
    stated: &[Stated],
    paid: Paid<'_>,
    days: &BTreeMap<Date, i64>,
) -> Vec<Deposit> {
    let (mut large, mut found) = (paid.large.to_vec(), Vec::<Deposit>::new());
    let (mut open, mut until, mut sum): (Option<Deposit>, _, i64) = (None, Date::MIN, 0);
    let all: BTreeSet<Date> = days.keys().chain(paid.made.keys()).copied().collect();
    for day in all {
        let schedule = schedule_on(stated, &large, day);
        let end = form_end(schedule, form, day);
        // A deposit continues as long as its period.
        if until != end {
            found.extend(open.take());
            (until, sum) = (end, 0);
        }
        let cents = |of: &BTreeMap<Date, i64>| of.get(&day).copied().unwrap_or(0);
        sum += cents(days) + cents(paid.made);
        if days.contains_key(&day) {
            let due = due_of(schedule, day);
            let period_end = form.period_end(day);
            let new = Deposit { first: day, last: day, period_end, due, next_day: false };
            open.get_or_insert(new).last = day;
        }
        if sum >= NEXT_DAY_THRESHOLD_CENTS || large.contains(&day) {
            found.extend(open.take().map(|deposit| Deposit {
                due: business::business_day_after(day, 1),
                next_day: true,
                ..deposit
            }));
            large.push(day);
            // Later taxes of the period accumulate again from zero.
            sum = 0;
        }
    }
    found.extend(open);
    found
}

/// Returns the first of the days whose taxes accumulate together with those of a day: the first day of its deposit period, or the
/// day after 100,000 dollars were reached. The accumulated taxes are due with the day that reaches that amount, even if deposits
/// are under way.
pub fn accumulates_from(form: Form, stated: &[Stated], large: &[Date], day: Date) -> Date {
    let schedule = schedule_on(stated, large, day);
    let end = form_end(schedule, form, day);
    let mut first = day;
    loop {
        let before = first.saturating_sub(1.day());
        if before == first || large.contains(&before) || form_end(schedule, form, before) != end {
            return first;
        }
        first = before;
    }
}

/// Returns the day on which a year's additional FUTA tax of credit reduction states counts: it belongs to the liability
/// of the fourth quarter.
///
/// Source: Instructions for Form 940, "When Must You Deposit Your FUTA Tax?" and Part 5.
pub fn reduced_credit_counts_on(year: i16) -> Date {
    date(year, 12, 31)
}

/// Groups pay days, each with the cents of its unemployment tax, into deposits: the tax of a quarter is due by the end of the
/// following month, once the undeposited tax exceeds 500 dollars. The remainder of a year is paid with Form 940, not deposited.
pub fn group_unemployment_taxes(days: &BTreeMap<Date, i64>) -> Vec<Deposit> {
    let mut found = Vec::new();
    let mut open: Option<(Deposit, i64)> = None;
    for (&day, &cents) in days {
        let (period_end, due) = (Form::F940.period_end(day), due_after_quarter(day));
        let before = open.take().filter(|(deposit, sum)| {
            if deposit.due != due && *sum > FUTA_CARRYOVER_CENTS {
                found.push(*deposit);
                return false;
            }
            deposit.period_end == period_end
        });
        open = Some(match before {
            Some((deposit, sum)) => (Deposit { last: day, due, ..deposit }, sum + cents),
            None => (Deposit { first: day, last: day, period_end, due, next_day: false }, cents),
        });
    }
    found.extend(open.filter(|(_, sum)| *sum > FUTA_CARRYOVER_CENTS).map(|(deposit, _)| deposit));
    found
}

/// Returns the last day of the deposit period of a day. A period that spans two tax periods ends with the first, because each
/// return has its own deposits.
fn form_end(schedule: Schedule, form: Form, day: Date) -> Date {
    let end = match schedule {
        Schedule::Monthly => last_of_month(day),
        Schedule::Semiweekly => semiweekly_end(day),
        Schedule::Quarterly => quarter_end(day),
    };
    end.min(form.period_end(day))
}

fn due_of(schedule: Schedule, day: Date) -> Date {
    match schedule {
        Schedule::Monthly => {
            let next = last_of_month(day).saturating_add(1.day());
            business::from(next.saturating_add(14.days()))
        }
        Schedule::Semiweekly => business::business_day_after(semiweekly_end(day), DAYS_AFTER_PERIOD),
        Schedule::Quarterly => due_after_quarter(day),
    }
}

/// Returns the end of the month after the quarter of a day, or the next business day.
fn due_after_quarter(day: Date) -> Date {
    business::from(last_of_month(quarter_end(day).saturating_add(1.day())))
}

/// Returns the Friday of Wednesday to Friday, or the Tuesday of Saturday to Tuesday.
fn semiweekly_end(day: Date) -> Date {
    let mut end = day;
    while !matches!(end.weekday(), Weekday::Tuesday | Weekday::Friday) && end < Date::MAX {
        end = end.saturating_add(1.day());
    }
    end
}

fn quarter_end(day: Date) -> Date {
    let month = (day.month() + 2) / 3 * 3;
    last_of_month(date(day.year(), month, 1))
}

fn last_of_month(day: Date) -> Date {
    day.last_of_month()
}

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod worked_tests;
