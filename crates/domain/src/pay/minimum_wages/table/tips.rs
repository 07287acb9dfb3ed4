//! The part of a minimum wage that tips may cover.
//!
//! The credit is that of a tipped row of the authority whose wage was chosen, or else the federal one. In a row with a cash wage and no
//! credit, tips may cover the difference to the chosen wage. If an authority has several kinds of tipped work, such as New York's food
//! service
//! workers and its other service employees, the pay rate determines the kind: nobody may be paid less in cash than the row of their kind
//! says,
//! so it is the kind with the highest cash wage that the rate reaches. A rate below all of them gets the smallest credit, which never
//! underpays the employee.

use jiff::civil::Date;
use rules::Amount;

use super::{Authority, MinimumWage, Place, Table, WageType};

/// The part of an hourly minimum wage that tips may cover.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TipCredit {
    /// dollars an hour
    pub credit: Amount,
    /// dollars an hour of tips that do not count
    pub from: Amount,
    /// set where the rate does not say the kind of tipped work
    pub doubt: Option<Doubt>,
    /// set where the credit is of an earlier minimum wage
    pub outdated: Option<Outdated>,
}

/// Kinds of tipped work with different credits, of which the rate is that of none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// the kinds, in words
    pub kinds: String,
    /// the one whose credit counted
    pub counted: String,
}

/// A credit of an earlier minimum wage than the one that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outdated {
    /// the minimum wage that counts, in dollars an hour
    pub minimum_wage: Amount,
    /// since when it holds
    pub from: Date,
    /// since when the credit holds
    pub credit_since: Date,
}

impl Table {
    /// Whether tips may cover a part of the minimum wage in a state on a day, which the adjustment requires: its own tipped row does not say
    /// that they cover nothing.
    pub fn allows_tip_credit(&self, state: &str, day: Date) -> bool {
        let own = || {
            let of_state = self.of_state(state).iter();
            of_state.filter(|row| row.authority == Authority::State && row.wage_type == WageType::Tipped)
        };
        let newest = own().filter(|row| row.effective_date <= day).max_by_key(|row| row.effective_date);
        let row = newest.or_else(|| own().min_by_key(|row| row.effective_date));
        row.is_none_or(|row| row.tip_credit != Some(Amount::ZERO))
    }

    /// The tip credit of a minimum wage in force at a location on a day, for an employee with a pay rate: zero in a state whose law lets
    /// tips cover nothing, although the federal credit would apply.
    pub fn tip_credit(&self, chosen: &MinimumWage, place: &Place, day: Date, rate: Amount) -> TipCredit {
        if !self.allows_tip_credit(&place.state, day) {
            return TipCredit::default();
        }
        let in_force = self.in_force(place, day);
        let kinds = |authority: Authority| -> Vec<&MinimumWage> {
            let of_it = in_force.iter().filter(|row| row.authority == authority);
            let mut kinds: Vec<_> = of_it.filter(|row| row.wage_type == WageType::Tipped).copied().collect();
            kinds.sort_by_key(|row| row.wage);
            kinds
        };
        let own = kinds(chosen.authority);
        let kinds = if own.is_empty() { kinds(Authority::Federal) } else { own };
        let reached = kinds.iter().rfind(|row| row.wage <= rate);
        let Some(kind) = reached.or(kinds.last()) else { return TipCredit::default() };
        let rest = || chosen.wage.checked_sub(kind.wage).unwrap_or_default().max(Amount::ZERO);
        let credit = kind.tip_credit.unwrap_or_else(rest).min(chosen.wage);
        let certain = kinds.len() < 2
            || kinds.iter().any(|row| row.wage == rate)
            || kinds.last().is_some_and(|highest| highest.wage < rate);
        TipCredit {
            credit,
            from: kind.tips_from,
            doubt: (!certain).then(|| doubt_between(&kinds, kind)),
            outdated: is_older(kind, chosen).then_some(Outdated {
                minimum_wage: chosen.wage,
                from: chosen.effective_date,
                credit_since: kind.effective_date,
            }),
        }
    }
}

/// Whether a credit is of an earlier minimum wage of the same authority, and cash wage and credit come to another one.
fn is_older(kind: &MinimumWage, chosen: &MinimumWage) -> bool {
    let is_of_another = |credit: Amount| kind.wage.checked_add(credit) != Some(chosen.wage);
    kind.authority == chosen.authority
        && chosen.wage_type == WageType::Regular
        && kind.effective_date < chosen.effective_date
        && kind.tip_credit.is_some_and(is_of_another)
}

fn doubt_between(kinds: &[&MinimumWage], counted: &MinimumWage) -> Doubt {
    let named = |row: &&MinimumWage| format!("{} ({} an hour in cash)", row.condition, row.wage);
    let named: Vec<_> = kinds.iter().map(named).collect();
    Doubt { kinds: named.join(" or "), counted: counted.condition.clone() }
}
