//! Warnings about addresses entered or changed only after payrolls had paid days they apply to: the state and local taxes of those
//! paychecks stay as withheld. The first regular payroll calculated afterwards warns.

use jiff::Timestamp;
use jiff::civil::Date;
use rules::effective;

use crate::pay::payrolls::calendar::submitted::Submitted;
use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::facts::member::MemberFacts;
use crate::pay::payrolls::record::texts::{HOME_ADDRESS_CHANGED, Text, WORK_ADDRESS_CHANGED};
use crate::pay::payrolls::record::warning::Warning;
use crate::people::addresses::rows::{HomeAddress, WorkAddress};

/// An address with its first day.
trait Address {
    fn effective_since(&self) -> Date;
    fn changed_at(&self) -> Timestamp;
    /// Whether taxes may differ between the two addresses.
    fn taxes_may_differ(&self, other: &Self) -> bool;
}

impl Address for HomeAddress {
    fn effective_since(&self) -> Date {
        self.effective_date
    }

    fn changed_at(&self) -> Timestamp {
        self.updated_at
    }

    fn taxes_may_differ(&self, other: &Self) -> bool {
        (&self.state, &self.city, &self.zip) != (&other.state, &other.city, &other.zip)
            || self.jurisdiction_codes != other.jurisdiction_codes
            || self.place_answers != other.place_answers
    }
}

impl Address for WorkAddress {
    fn effective_since(&self) -> Date {
        self.effective_date
    }

    fn changed_at(&self) -> Timestamp {
        self.updated_at
    }

    fn taxes_may_differ(&self, other: &Self) -> bool {
        (self.location, self.remote_for_own_convenience) != (other.location, other.remote_for_own_convenience)
            || self.jurisdiction_codes != other.jurisdiction_codes
    }
}

/// Returns warnings about the addresses of an employee.
pub(in crate::pay::payrolls) fn late_address_warnings(
    context: &Context,
    member: &MemberFacts<'_>,
) -> Vec<Warning> {
    let paying = || context.before.iter().filter(|one| !one.skipped);
    let hired = member.pay.primary_job().map(|job| job.hire_date);
    let (Some(calculated), Some(until), Some(from)) =
        (paying().map(Submitted::calculated_at).max(), paying().map(|one| one.days.last).max(), hired)
    else {
        return Vec::new();
    };
    let paid = Paid { from, until, calculated };
    let worked = |from: &Date| !member.employment.is_some_and(|held| held.was_away(*from));
    let warning = |text: Text, from: Date| text.to_warning(&[("from", &from), ("until", &until)]);
    let works = first_day_affected(member.works, &paid)
        .filter(worked)
        .map(|from| warning(WORK_ADDRESS_CHANGED, from));
    let homes = first_day_affected(member.homes, &paid)
        .filter(worked)
        .map(|from| warning(HOME_ADDRESS_CHANGED, from));
    works.into_iter().chain(homes).collect()
}

/// The days of employment that regular payrolls have paid, and when the latest of these payrolls was calculated.
struct Paid {
    from: Date,
    until: Date,
    calculated: Timestamp,
}

/// Returns the first paid day whose effective address differs from the one known at calculation; `None` if taxes are the same there.
fn first_day_affected<A: Address>(all: &[A], paid: &Paid) -> Option<Date> {
    let known: Vec<&A> = all.iter().filter(|one| one.changed_at() <= paid.calculated).collect();
    if known.len() == all.len() {
        return None;
    }
    let begun = all.iter().map(Address::effective_since).filter(|day| (paid.from..=paid.until).contains(day));
    let is_another = |day: &Date| {
        let now = effective::active_record(all, *day, Address::effective_since);
        let then = effective::active_record(&known, *day, |one| one.effective_since());
        now.zip(then).is_some_and(|(now, then)| now.taxes_may_differ(then))
    };
    begun.chain([paid.from]).filter(is_another).min()
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;
    use jiff::civil::date;
    use uuid::Uuid;

    use super::*;

    const CALCULATED: Timestamp = Timestamp::constant(1_781_500_000, 0);

    fn home(id: u128, city: &str, since: Date, later: i64) -> HomeAddress {
        HomeAddress {
            id: Uuid::from_u128(id),
            city: city.to_owned(),
            effective_date: since,
            updated_at: CALCULATED.saturating_add(later.hours()).unwrap(),
            ..HomeAddress::default()
        }
    }

    fn told(second: HomeAddress) -> Option<Date> {
        let first = home(1, "Austin", date(2026, 3, 1), -900);
        let paid = Paid { from: date(2026, 3, 2), until: date(2026, 6, 14), calculated: CALCULATED };
        first_day_affected(&[first, second], &paid)
    }

    #[test]
    fn a_move_within_paid_days_is_reported_if_entered_after_their_calculation() {
        let day = date(2026, 6, 10);
        assert_eq!(told(home(2, "Albany", day, 1)), Some(day));
        assert_eq!(told(home(2, "Albany", day, -1)), None, "the payroll knew it");
        assert_eq!(told(home(2, "Austin", day, 1)), None, "taxes are the same");
        assert_eq!(told(home(2, "Albany", date(2026, 6, 15), 1)), None, "these days are not paid");
        let hired = date(2026, 3, 2);
        assert_eq!(
            told(home(2, "Albany", date(2026, 2, 1), 1)),
            None,
            "they lived elsewhere on every paid day"
        );
        assert_eq!(told(home(2, "Albany", date(2026, 3, 1), 1)), Some(hired));
    }
}
