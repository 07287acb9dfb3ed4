//! Deposits of employers who file Form 944.
//!
//! | taxes of the year and of the quarter | due |
//! |---|---|
//! | less than 2,500 dollars in the year | with the return |
//! | 2,500 dollars in the year, less in the quarter | by the end of the month after the quarter; the fourth quarter's with the return |
//! | 2,500 dollars in the quarter | monthly or semiweekly, as by Form 941 |
//!
//! A year's total is known only at its end. Nothing is deposited until the year's taxes reach 2,500 dollars; those of earlier
//! quarters are overdue by then, as are those of earlier months once a quarter reaches that amount. An employer who may exceed
//! that amount deposits each quarter ([`Schedule::Quarterly`]).
//!
//! Source: Instructions for Form 944, "Federal Tax Deposit Requirements for Form 944 Filers"; 26 CFR 31.6302-1(c)(5) and (f)(4).

use std::collections::BTreeMap;

use jiff::civil::{Date, date};

use super::{
    Deposit, Form, Paid, Schedule, Stated, due_after_quarter, group_withheld_taxes, quarter_end, stated_on,
};

/// Withheld taxes and FICA of a year, or of its fourth quarter, in cents, below which they are paid with Form 944.
pub const FORM_944_DEPOSIT_THRESHOLD_CENTS: i64 = 250_000;

/// Groups pay days, each with the cents of its withheld taxes and FICA, into deposits. `liable` has the cents of all pay days of
/// the same years, deposited or not; `paid` is as for [`withheld`]. Taxes of a day in no deposit are paid with the return.
pub fn group_tax_deposits(
    stated: &[Stated],
    paid: Paid<'_>,
    liable: &BTreeMap<Date, i64>,
    days: &BTreeMap<Date, i64>,
) -> Vec<Deposit> {
    let total = |from: Date, until: Date| liable.range(from..=until).map(|(_, cents)| cents).sum::<i64>();
    let mut by_schedule = BTreeMap::new();
    let mut by_quarter: BTreeMap<Date, Deposit> = BTreeMap::new();
    for (&day, &cents) in days {
        let (end, period_end) = (quarter_end(day), Form::F944.period_end(day));
        if total(quarter_start(end), end) >= FORM_944_DEPOSIT_THRESHOLD_CENTS {
            by_schedule.insert(day, cents);
            continue;
        }
        let reached = total(date(day.year(), 1, 1), period_end) >= FORM_944_DEPOSIT_THRESHOLD_CENTS;
        let due = reached || stated_on(stated, day) == Some(Schedule::Quarterly);
        if due && end < period_end {
            let new =
                Deposit { first: day, last: day, period_end, due: due_after_quarter(day), next_day: false };
            by_quarter.entry(end).or_insert(new).last = day;
        }
    }
    let mut found = group_withheld_taxes(Form::F944, stated, paid, &by_schedule);
    found.extend(by_quarter.into_values());
    found.sort_by_key(|deposit| deposit.first);
    found
}

/// Returns the first day of the quarter that ends on `end`.
fn quarter_start(end: Date) -> Date {
    date(end.year(), end.month() - 2, 1)
}
