//! Warnings of addresses that were told, or changed, only after payrolls had paid days for which they count: taxes of states and places
//! of those paychecks stay as they were withheld. The first regular payroll that is calculated afterwards tells it.

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use rules::effective;
use uuid::Uuid;

use super::context::Context;
use super::missed::Submitted;
use super::paid::Warning;
use crate::pay::compensations::rows::Pay;
use crate::people::addresses::rows::{HomeAddress, WorkAddress};
use crate::people::employment::Employment;

/// An address of somebody from a day on.
trait Address {
    fn id(&self) -> Uuid;
    fn since(&self) -> Date;
    fn changed(&self) -> Timestamp;
    /// Whether taxes may be others there.
    fn differs(&self, other: &Self) -> bool;
}

impl Address for HomeAddress {
    fn id(&self) -> Uuid {
        self.id
    }

    fn since(&self) -> Date {
        self.effective_date
    }

    fn changed(&self) -> Timestamp {
        self.updated_at
    }

    fn differs(&self, other: &Self) -> bool {
        (&self.state, &self.city, &self.zip) != (&other.state, &other.city, &other.zip)
            || self.jurisdiction_codes != other.jurisdiction_codes
    }
}

impl Address for WorkAddress {
    fn id(&self) -> Uuid {
        self.id
    }

    fn since(&self) -> Date {
        self.effective_date
    }

    fn changed(&self) -> Timestamp {
        self.updated_at
    }

    fn differs(&self, other: &Self) -> bool {
        (self.location, self.remote_for_own_convenience) != (other.location, other.remote_for_own_convenience)
            || self.jurisdiction_codes != other.jurisdiction_codes
    }
}

/// What to say of the addresses of somebody with these jobs.
pub(super) fn warnings(
    context: &Context,
    (works, homes): (&[WorkAddress], &[HomeAddress]),
    (jobs, employment): (&Pay, Option<&Employment>),
) -> Vec<Warning> {
    let paying = || context.before.iter().filter(|one| !one.skipped);
    let hired = jobs.primary().map(|job| job.hire_date);
    let (Some(calculated), Some(until), Some(from)) =
        (paying().map(Submitted::calculated).max(), paying().map(|one| one.days.1).max(), hired)
    else {
        return Vec::new();
    };
    let paid = Paid { from, until, calculated };
    let worked = |from: &Date| !employment.is_some_and(|held| held.was_away(*from));
    let works = late(works, &paid).filter(worked).map(|from| warning("work", from, until));
    let homes = late(homes, &paid).filter(worked).map(|from| warning("home", from, until));
    works.into_iter().chain(homes).collect()
}

/// The days of employment that regular payrolls have paid, and when the latest of them was calculated.
struct Paid {
    from: Date,
    until: Date,
    calculated: Timestamp,
}

/// The first paid day for which an address counts that was told after the payrolls were calculated; none where taxes are the same as
/// at the address before, and for the first address, which counts for the days before it, too.
fn late<A: Address>(all: &[A], paid: &Paid) -> Option<Date> {
    let told_late = |one: &&A| one.changed() > paid.calculated && one.since() <= paid.until;
    let moved = |one: &&A| {
        let active = |day: Date| effective::active(all, day, Address::since);
        let before = active(one.since().saturating_sub(1.day()));
        let counts = active(one.since()).is_some_and(|active| active.id() == one.id());
        counts && before.is_some_and(|before| before.id() != one.id() && one.differs(before))
    };
    let late = all.iter().filter(told_late).filter(moved);
    late.map(|one| one.since().max(paid.from)).min().filter(|from| *from <= paid.until)
}

fn warning(what: &str, from: Date, until: Date) -> Warning {
    Warning {
        key: "places_changed_for_paid_days".to_owned(),
        message: format!(
            "the {what} address that counts from {from} on was told after the days until {until} were paid: their taxes stay as they were withheld \
             by the address before; where it lies in another state or place, its taxes of those days are to be settled by hand"
        ),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

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
        late(&[first, second], &paid)
    }

    #[test]
    fn a_move_within_paid_days_is_told_where_it_was_entered_after_they_were_calculated() {
        let day = date(2026, 6, 10);
        assert_eq!(told(home(2, "Albany", day, 1)), Some(day));
        assert_eq!(told(home(2, "Albany", day, -1)), None, "the payroll knew it");
        assert_eq!(told(home(2, "Austin", day, 1)), None, "taxes are the same");
        assert_eq!(told(home(2, "Albany", date(2026, 6, 15), 1)), None, "these days are not paid");
        // Whoever lived there before the hire has lived there on every paid day.
        assert_eq!(told(home(2, "Albany", date(2026, 3, 1), 1)), None);
        assert_eq!(told(home(2, "Albany", date(2026, 3, 2), 1)), Some(date(2026, 3, 2)));
    }
}
