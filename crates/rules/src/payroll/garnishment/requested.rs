//! What one garnishment asks of a pay on its own.

use super::terms::{ChildSupport, GarnishmentTerms, WithheldToDate};
use crate::amount::{Amount, Rounding};
use crate::withholding::federal::PayFrequency;

/// One hundred percent in millionths of a percent.
const WHOLE: i64 = 100_000_000;

/// What a garnishment asks for, in cents, and why it is not more.
#[derive(Debug, Clone, Default)]
pub(super) struct Requested {
    /// the least of all that follow
    pub amount: i64,
    /// the percentage of disposable earnings, or the fixed amount
    pub basic: i64,
    /// the dollar cap for this pay period
    pub cap: Option<i64>,
    /// what the annual maximum leaves
    pub left_of_year: Option<i64>,
    /// what the total amount leaves
    pub left_of_total: Option<i64>,
    /// of the dollar cap: current and medical support; only where an order tells its parts apart
    pub current_ordered: Option<i64>,
    /// why nothing is asked at all
    pub ended: Option<&'static str>,
}

impl Requested {
    /// What these terms ask of so many cents of disposable earnings.
    pub fn of(
        terms: &GarnishmentTerms,
        withheld: &WithheldToDate,
        disposable: i64,
        frequency: PayFrequency,
    ) -> Self {
        let ended = if !terms.active {
            Some("The garnishment is not active.")
        } else if terms.most_times().is_some_and(|times| withheld.times >= times) {
            Some("It was taken as often as it is to be taken.")
        } else {
            None
        };
        let basic = if terms.deduct_as_percentage {
            percent_of(disposable, terms.amount)
        } else {
            whole_cents(terms.amount)
        };
        let left = |most: Option<Amount>, taken: Amount| {
            most.map(|most| whole_cents(most).saturating_sub(whole_cents(taken)).max(0))
        };
        let mut requested = Self {
            basic,
            ended,
            left_of_year: left(terms.annual_maximum, withheld.year),
            left_of_total: left(terms.total_amount, withheld.total),
            ..Self::default()
        };
        match (&terms.child_support, terms.pay_period_maximum) {
            (Some(support), Some(most)) if terms.is_child_support() => {
                requested.cap = Some(converted(most, support.payment_period, frequency));
                requested.current_ordered = current_part(support, most)
                    .map(|current| converted(current, support.payment_period, frequency));
            }
            (_, most) => requested.cap = most.map(whole_cents),
        }
        let caps = [requested.cap, requested.left_of_year, requested.left_of_total];
        requested.amount = if ended.is_some() { 0 } else { caps.into_iter().flatten().fold(basic, i64::min) };
        requested
    }

    /// The order's dollars for this pay period, before the percentage limits them.
    pub fn dollars(&self) -> i64 {
        self.cap.unwrap_or(self.basic)
    }

    /// Of [`Self::dollars`], current and medical support.
    pub fn current_dollars(&self) -> i64 {
        self.current_ordered.map_or(self.dollars(), |current| current.min(self.dollars()))
    }
}

/// Of the dollar cap, what is current and medical support; none where the order does not explain its parts apart.
pub(super) fn current_part(support: &ChildSupport, most: Amount) -> Option<Amount> {
    let order = &support.order;
    let medical = order.medical_support.unwrap_or(Amount::ZERO);
    let part = match (order.current_support, order.arrears) {
        (None, None) => return None,
        (Some(current), _) => current.checked_add(medical)?,
        (None, Some(arrears)) => most.checked_sub(arrears)?,
    };
    Some(part.clamp(Amount::ZERO, most))
}

/// An amount of one period for a pay period: annualised, and divided by the pay periods of a year, half up.
fn converted(amount: Amount, of: PayFrequency, to: PayFrequency) -> i64 {
    let amount = amount.mul_ratio(of.periods_per_year(), to.periods_per_year(), Rounding::HalfUp);
    // At most 52 times the largest amount of an input.
    amount.unwrap_or(crate::amount::MAX_AMOUNT).cents_half_up()
}

/// So many percent of cents, rounded down.
pub(super) fn percent_of(cents: i64, percent: Amount) -> i64 {
    let share = i128::from(cents) * i128::from(percent.millionths()) / i128::from(WHOLE);
    i64::try_from(share).unwrap_or(i64::MAX)
}

/// Whole cents, rounded down.
pub(super) fn whole_cents(amount: Amount) -> i64 {
    amount.round_to_cents(Rounding::Down).cents_half_up()
}
