//! Periods of employment: from the first day of work to the last, and again after a return.
//!
//! Departures and returns alternate. The last day of work is a day of employment; an employee counts as terminated from
//! the day after it.

use jiff::civil::Date;
use jiff::{ToSpan, Unit};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::days::Days;
use crate::named::serde_by_name;

/// An end of employment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Departure {
    /// Last day of work.
    pub last_day: Date,
    /// Whether the final wages are paid by a separate payroll instead of the regular one.
    pub paid_apart: bool,
}

/// A period of employment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First day of work.
    pub first: Date,
    /// The departure that ends it, if any.
    pub end: Option<Departure>,
}

impl Span {
    /// Whether any of its days is in a range, both ends included.
    fn overlaps(&self, range: Days) -> bool {
        self.clip_to_range(range).is_some()
    }

    /// Returns its first and last day in a range, both ends included; `None` if it has no days there.
    pub fn clip_to_range(&self, range: Days) -> Option<Days> {
        let last = self.end.map_or(range.last, |end| end.last_day.min(range.last));
        let first = self.first.max(range.first);
        (first <= last).then_some(Days { first, last })
    }
}

/// Returns the periods of an employment that begins on `hired`, in order. A departure before the first day of its
/// period and a return while employed are ignored.
pub fn employment_spans(hired: Date, departures: &[Departure], returns: &[Date]) -> Vec<Span> {
    let (mut departures, mut returns) = (departures.to_vec(), returns.to_vec());
    departures.sort_unstable_by_key(|departure| departure.last_day);
    returns.sort_unstable();
    let mut spans = vec![Span { first: hired, end: None }];
    for departure in departures {
        let Some(current) = spans.last_mut() else { break };
        if departure.last_day < current.first {
            continue;
        }
        current.end = Some(departure);
        let Some(back) = returns.iter().find(|day| **day > departure.last_day) else { break };
        spans.push(Span { first: *back, end: None });
    }
    spans
}

/// The days of a payroll on which an employee was employed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// First day, possibly before the payroll.
    pub from: Date,
    /// Last day, possibly before the payroll, which then pays a former employee.
    pub until: Option<Date>,
    /// First and last days of absences between departure and return within the payroll, in order.
    pub away: Vec<Days>,
}

impl Held {
    /// Returns those in a period as ranges, in order; empty if there are none.
    pub fn days(&self, period: Days) -> Vec<Days> {
        let last = self.until.map_or(period.last, |last| last.min(period.last));
        ranges_without(&[Days { first: self.from.max(period.first), last }], &self.away)
    }

    /// Like [`Held::days`], but returns the whole period if it contains none of the days.
    pub fn days_or_whole_period(&self, period: Days) -> Vec<Days> {
        let held = self.days(period);
        if held.is_empty() { vec![period] } else { held }
    }
}

/// Returns the parts of the inclusive ranges `days` that are outside all of `others`, in the same order.
pub fn ranges_without(days: &[Days], others: &[Days]) -> Vec<Days> {
    let exists = |days: &Days| days.first <= days.last;
    let mut left: Vec<_> = days.iter().copied().filter(exists).collect();
    for Days { first: from, last: until } in others.iter().filter(|other| exists(other)) {
        let (before, after) = (from.saturating_sub(1.day()), until.saturating_add(1.day()));
        let parts = left.into_iter().flat_map(|Days { first, last }| {
            [Days { first, last: last.min(before) }, Days { first: first.max(after), last }]
        });
        left = parts.filter(exists).collect();
    }
    left
}

/// Which periods of employment a payroll pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pays {
    /// Regular wages, except those of a period that ends within the payroll and is paid separately.
    Regular,
    /// The final wages of the separately paid period that ends on this day, and nothing after a return; without a day, the final
    /// wages of all such periods.
    Last(Option<Date>),
    /// Any wages that are entered.
    Entered,
}

/// Returns the days of employment paid by a payroll of these days, so that no day is paid by both the regular payroll and a
/// final one. If it pays no period of employment, returns the days of the last one that began by its end.
pub fn paid_employment_days(spans: &[Span], payroll: Days, pays: Pays) -> Option<Held> {
    let apart = |span: &Span| span.end.is_some_and(|of| of.paid_apart && payroll.contains(of.last_day));
    let last_day = |span: &Span| span.end.map(|end| end.last_day);
    let inside: Vec<&Span> = spans.iter().filter(|span| span.overlaps(payroll)).collect();
    // If the last period is paid separately, the employee is in no regular payroll, so an earlier period due there is paid here.
    let is_final = |day: Date| inside.last().is_some_and(|last| last_day(last) == Some(day));
    let is_paid = |span: &&Span| match pays {
        Pays::Regular => !apart(span),
        Pays::Last(None) => apart(span),
        Pays::Last(Some(day)) => last_day(span) == Some(day) || (is_final(day) && !apart(span)),
        Pays::Entered => true,
    };
    let paid: Vec<&Span> = inside.iter().copied().filter(is_paid).collect();
    match paid.as_slice() {
        [] => {
            let begun = spans.iter().rev().find(|span| span.first <= payroll.last)?;
            Some(Held { from: begun.first, until: last_day(begun), away: Vec::new() })
        }
        [first, ..] => {
            let last = paid.last().unwrap_or(first);
            let between = |two: &[&Span]| {
                let left = last_day(two[0])?;
                Some(Days { first: left.saturating_add(1.day()), last: two[1].first.saturating_sub(1.day()) })
            };
            let away = paid.windows(2).filter_map(between).filter(|days| days.first <= days.last).collect();
            Some(Held { from: first.first, until: last_day(last), away })
        }
    }
}

/// What a rehired employee must provide again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Again {
    /// New hire report to the state, after at least 60 days away (42 USC 653a(a)(2)(A)).
    #[strum(serialize = "file_new_hire_report")]
    NewHireReport,
    /// A new Form I-9, more than three years after the form was signed for the hire (8 CFR 274a.2(c)(1)).
    #[strum(serialize = "i9")]
    FormI9,
    /// The Form W-4 on file remains in effect and is shown for review, since circumstances may have changed (26 CFR 31.3402(f)(4)-1).
    #[strum(serialize = "federal_tax_setup")]
    FormW4,
    /// Pay, never entered because the earlier employment ended before the company joined the service.
    #[strum(serialize = "compensation_details")]
    Compensation,
    /// The state's certificate, never answered for the same reason.
    #[strum(serialize = "state_tax_setup")]
    StateCertificate,
}

serde_by_name!(Again);

/// Days away from which a returning employee counts as newly hired (42 USC 653a(a)(2)(A)).
const NEWLY_HIRED_AFTER: i32 = 60;
/// Years for which the Form I-9 of an earlier employment can be reused (8 CFR 274a.2(c)(1)).
const I9_YEARS: i32 = 3;

/// Returns what a rehired employee must provide again, given the dates of hire, departure and return.
pub fn required_on_rehire(hired: Date, last_day: Date, back: Date) -> Vec<Again> {
    let away = last_day.until((Unit::Day, back)).map_or(0, |days| days.get_days() - 1);
    let mut found = vec![Again::FormW4];
    if away >= NEWLY_HIRED_AFTER {
        found.push(Again::NewHireReport);
    }
    if back > hired.saturating_add(I9_YEARS.years()) {
        found.push(Again::FormI9);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    const fn left(last_day: Date) -> Departure {
        Departure { last_day, paid_apart: false }
    }

    /// Hired in March, left in June, returned in September, left in November.
    fn year() -> Vec<Span> {
        let departures = [left(date(2026, 11, 20)), left(date(2026, 6, 10))];
        employment_spans(date(2026, 3, 2), &departures, &[date(2026, 9, 1)])
    }

    #[test]
    fn the_days_of_employment_within_a_payroll_leave_out_those_before_between_and_after() {
        let period = Days { first: date(2026, 6, 1), last: date(2026, 6, 14) };
        let held = |from, until, away: &[Days]| Held { from, until, away: away.to_vec() };
        let within = |from, until, away: &[Days]| held(from, until, away).days_or_whole_period(period);
        assert_eq!(within(date(2026, 3, 2), None, &[]), [period]);
        assert_eq!(
            within(date(2026, 6, 8), None, &[]),
            [Days { first: date(2026, 6, 8), last: period.last }]
        );
        assert_eq!(
            within(date(2026, 3, 2), Some(date(2026, 6, 5)), &[]),
            [Days { first: period.first, last: date(2026, 6, 5) }]
        );
        let away = [Days { first: date(2026, 6, 4), last: date(2026, 6, 8) }];
        assert_eq!(
            within(date(2026, 3, 2), None, &away),
            [
                Days { first: period.first, last: date(2026, 6, 3) },
                Days { first: date(2026, 6, 9), last: period.last }
            ]
        );
        // An employee who left earlier is paid, but for none of these days.
        assert_eq!(within(date(2026, 3, 2), Some(date(2026, 5, 29)), &[]), [period]);
        assert_eq!(held(date(2026, 3, 2), Some(date(2026, 5, 29)), &[]).days(period), []);
    }

    #[test]
    fn days_that_are_in_other_ranges_are_taken_out_of_a_range() {
        let day = |day| date(2026, 6, day);
        let all = [Days { first: day(1), last: day(14) }];
        assert_eq!(ranges_without(&all, &[]), all);
        assert_eq!(ranges_without(&all, &[Days { first: day(1), last: day(14) }]), []);
        assert_eq!(
            ranges_without(
                &all,
                &[Days { first: day(20), last: day(28) }, Days { first: day(3), last: day(2) }]
            ),
            all
        );
        assert_eq!(
            ranges_without(
                &all,
                &[
                    Days { first: day(10), last: day(20) },
                    Days { first: day(4), last: day(5) },
                    Days { first: date(2026, 5, 1), last: day(1) }
                ]
            ),
            [Days { first: day(2), last: day(3) }, Days { first: day(6), last: day(9) }]
        );
    }

    #[test]
    fn whoever_comes_back_twice_in_a_payroll_is_paid_for_all_stretches() {
        let departures = [left(date(2026, 6, 3)), left(date(2026, 6, 9))];
        let twice = employment_spans(date(2026, 3, 2), &departures, &[date(2026, 6, 6), date(2026, 6, 12)]);
        let period = Days { first: date(2026, 6, 1), last: date(2026, 6, 14) };
        let days = paid_employment_days(&twice, period, Pays::Regular).unwrap().days(period);
        let day = |day| date(2026, 6, day);
        assert_eq!(
            days,
            [
                Days { first: day(1), last: day(3) },
                Days { first: day(6), last: day(9) },
                Days { first: day(12), last: day(14) }
            ]
        );
    }

    #[test]
    fn departures_and_returns_alternate_in_the_order_of_their_days() {
        assert_eq!(
            year(),
            [
                Span { first: date(2026, 3, 2), end: Some(left(date(2026, 6, 10))) },
                Span { first: date(2026, 9, 1), end: Some(left(date(2026, 11, 20))) },
            ]
        );
        // Without a return, an employee who has left is gone permanently.
        let once =
            employment_spans(date(2026, 3, 2), &[left(date(2026, 6, 10)), left(date(2026, 7, 1))], &[]);
        assert_eq!(once.len(), 1);
        // Nobody leaves before they are hired.
        assert_eq!(employment_spans(date(2026, 3, 2), &[left(date(2026, 3, 1))], &[])[0].end, None);
    }

    #[test]
    fn a_payroll_pays_for_the_days_of_employment_in_it() {
        let june = paid_employment_days(
            &year(),
            Days { first: date(2026, 6, 1), last: date(2026, 6, 14) },
            Pays::Regular,
        )
        .unwrap();
        assert_eq!((june.from, june.until, june.away), (date(2026, 3, 2), Some(date(2026, 6, 10)), vec![]));
        let september = paid_employment_days(
            &year(),
            Days { first: date(2026, 8, 24), last: date(2026, 9, 6) },
            Pays::Regular,
        )
        .unwrap();
        assert_eq!((september.from, september.until), (date(2026, 9, 1), Some(date(2026, 11, 20))));
        // A bonus for July, when nobody was employed: for employees who left in June.
        let bonus = paid_employment_days(
            &year(),
            Days { first: date(2026, 7, 1), last: date(2026, 7, 31) },
            Pays::Entered,
        )
        .unwrap();
        assert_eq!(bonus.until, Some(date(2026, 6, 10)));
        assert_eq!(
            paid_employment_days(
                &year(),
                Days { first: date(2026, 1, 1), last: date(2026, 1, 31) },
                Pays::Regular
            ),
            None
        );
    }

    #[test]
    fn whoever_was_away_for_sixty_days_is_reported_again_and_form_i9_lasts_three_years() {
        let hired = date(2024, 3, 1);
        assert_eq!(required_on_rehire(hired, date(2026, 6, 10), date(2026, 8, 9)), [Again::FormW4]);
        // June 11 to August 9 is 60 days.
        assert_eq!(
            required_on_rehire(hired, date(2026, 6, 10), date(2026, 8, 10)),
            [Again::FormW4, Again::NewHireReport]
        );
        assert_eq!(
            required_on_rehire(hired, date(2027, 3, 1), date(2027, 3, 2)),
            [Again::FormW4, Again::FormI9]
        );
    }

    #[test]
    fn wages_that_are_paid_apart_are_left_out_of_the_regular_payroll() {
        let departures = [Departure { last_day: date(2026, 6, 3), paid_apart: true }];
        let back = employment_spans(date(2026, 3, 2), &departures, &[date(2026, 6, 12)]);
        let period = Days { first: date(2026, 6, 1), last: date(2026, 6, 14) };
        let regular = paid_employment_days(&back, period, Pays::Regular).unwrap();
        assert_eq!((regular.from, regular.until, regular.away), (date(2026, 6, 12), None, vec![]));
        // The final wages cover the period that ended, not what follows the return.
        let last = paid_employment_days(&back, period, Pays::Last(Some(date(2026, 6, 3)))).unwrap();
        assert_eq!((last.from, last.until, last.away), (date(2026, 3, 2), Some(date(2026, 6, 3)), vec![]));
        // If both periods are paid together, the days between them are not paid.
        let together = paid_employment_days(&back, period, Pays::Entered).unwrap();
        assert_eq!(
            (together.from, together.until, together.away),
            (date(2026, 3, 2), None, vec![Days { first: date(2026, 6, 4), last: date(2026, 6, 11) }])
        );
    }

    #[test]
    fn each_departure_of_a_pay_period_has_last_wages_of_its_own() {
        let period = Days { first: date(2026, 6, 1), last: date(2026, 6, 14) };
        let days = |first_is_apart: bool, last_day: Date| {
            let departures = [
                Departure { last_day: date(2026, 6, 3), paid_apart: first_is_apart },
                Departure { last_day: date(2026, 6, 10), paid_apart: true },
            ];
            let spans = employment_spans(date(2026, 3, 2), &departures, &[date(2026, 6, 8)]);
            let held = paid_employment_days(&spans, period, Pays::Last(Some(last_day))).unwrap();
            (held.from, held.until, held.away)
        };
        assert_eq!(days(true, date(2026, 6, 3)), (date(2026, 3, 2), Some(date(2026, 6, 3)), vec![]));
        assert_eq!(days(true, date(2026, 6, 10)), (date(2026, 6, 8), Some(date(2026, 6, 10)), vec![]));
        // The regular payroll was due to pay the first days, but omits employees with a separate final payroll.
        let both = (
            date(2026, 3, 2),
            Some(date(2026, 6, 10)),
            vec![Days { first: date(2026, 6, 4), last: date(2026, 6, 7) }],
        );
        assert_eq!(days(false, date(2026, 6, 10)), both);
    }
}
