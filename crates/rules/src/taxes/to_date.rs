//! Wages counted and tax taken so far.

use std::collections::BTreeMap;
use std::fmt;

use jiff::ToSpan;
use jiff::civil::Date;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::book::TaxId;
use super::due::Due;
use super::table::{Method, Span};
use crate::amount::{Amount, Rounding};
use crate::days::Days;
use crate::ratio::Ratio;

/// Wages and tax over a period of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    /// Subject wages.
    pub subject: Amount,
    /// Taxable wages.
    pub taxable: Amount,
    /// The tax before the part that the employer bears is split off; this amount counts against caps.
    pub whole: Amount,
    /// The tax of this line.
    pub amount: Amount,
}

/// A list of subject wages, taxable wages and tax, and of the whole tax if that is another: every paycheck is stored with the sums of
/// each of its taxes, of which names would be the larger part.
impl Serialize for Sums {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { subject, taxable, whole, amount } = self;
        match whole == amount {
            true => [subject, taxable, amount].serialize(serializer),
            false => [subject, taxable, amount, whole].serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Sums {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(SumsList)
    }
}

struct SumsList;

impl<'de> Visitor<'de> for SumsList {
    type Value = Sums;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("three amounts or four")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Sums, A::Error> {
        let mut three = [Amount::ZERO; 3];
        for (place, amount) in three.iter_mut().enumerate() {
            *amount = list.next_element()?.ok_or_else(|| A::Error::invalid_length(place, &self))?;
        }
        let [subject, taxable, amount] = three;
        Ok(Sums { subject, taxable, whole: list.next_element()?.unwrap_or(amount), amount })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(amount: &Amount) -> bool {
    *amount == Amount::ZERO
}

impl Sums {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Adds other sums. `None` on overflow.
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            subject: self.subject.checked_add(other.subject)?,
            taxable: self.taxable.checked_add(other.taxable)?,
            whole: self.whole.checked_add(other.whole)?,
            amount: self.amount.checked_add(other.amount)?,
        })
    }
}

/// Amounts an employer has counted for one tax of one employee, up to the last pay date. Payrolls may be processed in any order, so
/// the last pay date may be earlier than others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ToDate {
    /// Pay date counted last; `None` before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Date>,
    /// Latest day of any pay period.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<Date>,
    /// Sums of the calendar year of `last`.
    #[serde(skip_serializing_if = "Sums::is_nothing")]
    pub year: Sums,
    /// Sums of the calendar quarter of `last`.
    #[serde(skip_serializing_if = "Sums::is_nothing")]
    pub quarter: Sums,
    /// Sums of the calendar month of `last`.
    #[serde(skip_serializing_if = "Sums::is_nothing")]
    pub month: Sums,
    /// Sums of earlier paychecks of the pay period being calculated; given for it, and not carried forward.
    #[serde(skip_serializing_if = "Sums::is_nothing")]
    pub period: Sums,
    /// Sums of the other months of that year, for a tax that counts by month or quarter.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub months: BTreeMap<i8, Sums>,
    /// Date ranges whose weeks were charged, in order, for a weekly tax; if empty, every week up to `through` was charged, as
    /// counted by an earlier version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub charged: Vec<Days>,
    /// Wages that the same employer paid this year under another state's unemployment insurance.
    #[serde(skip_serializing_if = "is_zero")]
    pub elsewhere: Amount,
}

impl ToDate {
    /// Turns to the amounts that count on a pay date: the sums of its year, quarter and month.
    pub(crate) fn turn_to(&mut self, day: Date) {
        let Some(last) = self.last else { return };
        self.last = Some(day);
        if last.year() != day.year() {
            let none = Sums::default();
            (self.year, self.quarter, self.month) = (none, none, none);
            self.months.clear();
            self.elsewhere = Amount::ZERO;
            return;
        }
        if last.month() != day.month() {
            let of_day = self.months.remove(&day.month()).unwrap_or_default();
            let of_last = std::mem::replace(&mut self.month, of_day);
            if !of_last.is_nothing() {
                self.months.insert(last.month(), of_last);
            }
        }
        if quarter_of_day(last) != quarter_of_day(day) {
            let others = self.months.iter().filter(|(month, _)| quarter_of(**month) == quarter_of_day(day));
            let sum = others.map(|(_, sums)| *sums).try_fold(self.month, Sums::plus);
            // A part of the year is never larger than the year.
            self.quarter = sum.unwrap_or(self.year);
        }
    }

    /// Whether the week ending on a date was charged.
    pub(super) fn is_charged(&self, end_of_week: Date) -> bool {
        match self.charged.is_empty() {
            true => self.through.is_some_and(|through| end_of_week <= through),
            false => self
                .charged
                .iter()
                .any(|Days { first: from, last: until }| (*from..=*until).contains(&end_of_week)),
        }
    }

    /// Forgets that weeks ending on a day or later were charged.
    pub fn forget_weeks_from(&mut self, day: Date) {
        let before = day.yesterday().unwrap_or(day);
        self.through = self.through.map(|through| through.min(before));
        self.charged.retain(|Days { first: from, last: _ }| *from < day);
        for Days { first: _, last: until } in &mut self.charged {
            *until = (*until).min(before);
        }
    }

    /// Notes that the weeks of a range of days are charged, before a paycheck for them is added.
    pub(super) fn charge(&mut self, days: Days) {
        if let (true, Some(through)) = (self.charged.is_empty(), self.through) {
            self.charged.push(Days { first: through.first_of_year(), last: through });
        }
        self.charged.push(days);
        self.charged = merge_ranges(std::mem::take(&mut self.charged));
    }

    /// Adds a paycheck for days up to `until` to the amounts that count on its pay date. `None` on overflow.
    pub(super) fn add(&mut self, sums: Sums, day: Date, until: Date) -> Option<()> {
        self.last = Some(day);
        self.through = Some(self.through.map_or(until, |before| before.max(until)));
        for part in [&mut self.year, &mut self.quarter, &mut self.month] {
            *part = part.plus(sums)?;
        }
        self.period = Sums::default();
        Some(())
    }
}

/// Amounts an employer counted and withheld in the year before its payrolls were calculated here, if only sums are known.
///
/// State programs count nearly the same wages as Social Security and Medicare, and the wages were paid where the employee works
/// now, so their wage bases continue: an employer that changes providers does not restart a wage base.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Opened {
    /// Wages of the year.
    pub wages: Amount,
    /// Taxes of the year.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub taxes: BTreeMap<TaxId, Amount>,
}

impl Opened {
    /// Returns the amounts counted for a tax that is due: wages up to the yearly wage base, and the tax taken, as reported
    /// or else as those wages at its rate.
    pub fn opening_amounts(&self, due: &Due) -> ToDate {
        let taxable = match due.wage_base {
            Some((base, Span::Year)) => self.wages.min(base),
            _ => self.wages,
        };
        let told = self.taxes.get(&due.id()).copied();
        let at_rate = match due.method {
            Method::Rate(percent) => {
                Ratio::from_amount(taxable).percent(percent).and_then(|tax| tax.to_cents(Rounding::HalfUp))
            }
            _ => None,
        };
        let whole = match (told, due.borne) {
            (Some(told), None) => told,
            _ => at_rate.unwrap_or_default(),
        };
        let year = Sums { subject: self.wages, taxable, whole, amount: told.unwrap_or_default() };
        ToDate { year, ..ToDate::default() }
    }
}

/// Sorts date ranges and merges those that overlap or are adjacent.
fn merge_ranges(mut spans: Vec<Days>) -> Vec<Days> {
    spans.sort_unstable();
    let mut found: Vec<Days> = Vec::with_capacity(spans.len());
    for Days { first: from, last: until } in spans {
        match found.last_mut().filter(|Days { first: _, last }| from <= last.saturating_add(1.day())) {
            Some(Days { first: _, last }) => *last = until.max(*last),
            None => found.push(Days { first: from, last: until }),
        }
    }
    found
}

/// Returns the quarter of a date, from 1.
pub(super) fn quarter_of_day(day: Date) -> i8 {
    quarter_of(day.month())
}

fn quarter_of(month: i8) -> i8 {
    (month - 1) / 3 + 1
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn sums(cents: i64) -> Sums {
        let amount = Amount::from_cents(cents);
        Sums { subject: amount, taxable: amount, whole: amount, amount }
    }

    #[test]
    fn months_and_quarters_are_those_of_the_pay_date_in_whichever_order_payrolls_come() {
        let mut held = ToDate::default();
        // 2 July before 30 June, then back and forth, and March last.
        let days =
            [date(2026, 7, 2), date(2026, 6, 30), date(2026, 7, 17), date(2026, 6, 5), date(2026, 3, 6)];
        let found = days.map(|day| {
            held.turn_to(day);
            let told = (held.month, held.quarter, held.year);
            held.add(sums(100), day, day).unwrap();
            told
        });
        let expected = [(0, 0, 0), (0, 0, 100), (100, 100, 200), (100, 100, 300), (0, 0, 400)];
        assert_eq!(found, expected.map(|(month, quarter, year)| (sums(month), sums(quarter), sums(year))));
        let on = |day| {
            let mut on = held.clone();
            on.turn_to(day);
            on
        };
        let june = on(date(2026, 6, 12));
        let mut again = june.clone();
        again.turn_to(date(2026, 6, 12));
        assert_eq!((june.month, june.quarter, again), (sums(200), sums(200), june));
        assert_eq!(on(date(2026, 8, 7)).quarter, sums(200));
        let next_year = on(date(2027, 6, 4));
        assert_eq!((next_year.year, next_year.month, next_year.months.len()), (sums(0), sums(0), 0));
        let stored = serde_json::to_string(&next_year).unwrap();
        assert_eq!(serde_json::from_str::<ToDate>(&stored).unwrap(), next_year);
    }

    #[test]
    fn weeks_that_are_forgotten_can_be_charged_again() {
        let [may, june, july] = [date(2026, 5, 30), date(2026, 6, 13), date(2026, 7, 4)];
        let mut held = ToDate::default();
        for period in [
            Days { first: date(2026, 5, 25), last: date(2026, 6, 14) },
            Days { first: date(2026, 6, 29), last: date(2026, 7, 12) },
        ] {
            held.charge(period);
            held.add(sums(100), period.last, period.last).unwrap();
        }
        assert!([may, june, july].iter().all(|saturday| held.is_charged(*saturday)));
        held.forget_weeks_from(date(2026, 6, 8));
        assert_eq!([may, june, july].map(|saturday| held.is_charged(saturday)), [true, false, false]);
        // As an earlier version counted them: every week up to a day.
        let mut counted = ToDate { through: Some(july), ..ToDate::default() };
        counted.forget_weeks_from(date(2026, 6, 8));
        assert_eq!([may, june, july].map(|saturday| counted.is_charged(saturday)), [true, false, false]);
    }

    #[test]
    fn sums_are_stored_as_a_list_that_has_the_whole_tax_only_where_it_is_another() {
        let borne = Sums { whole: Amount::from_cents(150), ..sums(100) };
        let stored = [sums(100), borne].map(|one| serde_json::to_string(&one).unwrap());
        assert_eq!(stored, [r#"["1","1","1"]"#, r#"["1","1","1","1.5"]"#]);
        for (one, text) in [sums(100), borne].into_iter().zip(stored) {
            assert_eq!(serde_json::from_str::<Sums>(&text).unwrap(), one);
        }
        assert!(serde_json::from_str::<Sums>(r#"["1","1"]"#).is_err());
    }

    #[test]
    fn stretches_of_days_that_meet_are_one() {
        let [first, second, third] = [date(2026, 6, 1), date(2026, 6, 8), date(2026, 6, 15)];
        let week = |first: Date| Days { first, last: first.saturating_add(6.days()) };
        assert_eq!(merge_ranges(vec![week(third), week(first)]), [week(first), week(third)]);
        assert_eq!(
            merge_ranges(vec![week(third), week(first), week(second)]),
            [Days { first, last: week(third).last }]
        );
        assert_eq!(
            merge_ranges(vec![Days { first, last: week(third).last }, week(second)]),
            [Days { first, last: week(third).last }]
        );
        // The weeks counted by an earlier version run up to the latest day.
        let mut before = ToDate { through: Some(week(first).last), ..ToDate::default() };
        assert!(before.is_charged(week(first).last) && !before.is_charged(week(second).last));
        before.charge(week(third));
        before.add(Sums::default(), third, week(third).last).unwrap();
        assert!(before.is_charged(week(first).last) && before.is_charged(week(third).last));
        assert!(!before.is_charged(week(second).last), "the week between was never charged");
    }
}
