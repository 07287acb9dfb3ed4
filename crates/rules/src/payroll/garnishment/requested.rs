//! The amount a garnishment requests, before legal limits.

use jiff::civil::Date;

use super::terms::{ChildSupport, GarnishmentTerms, WithheldToDate};
use super::{Garnishment, Pay};
use crate::amount::{Amount, Rounding};
use crate::payroll::PeriodsPaid;
use crate::withholding::federal::PayFrequency;

/// 100 % in millionths of a percent.
const WHOLE: i64 = 100_000_000;

/// The requested amount in cents, and what limits it.
#[derive(Debug, Clone, Default)]
pub(super) struct Requested {
    /// The least of `basic` and what is left of each maximum; zero if it has ended.
    pub amount: i64,
    /// Percentage of disposable earnings, or fixed amount.
    pub basic: i64,
    /// Dollar cap for this pay period.
    pub cap: Option<i64>,
    /// Remainder of `cap` after earlier paychecks of the pay period.
    pub left_of_cap: Option<i64>,
    /// Remainder of the annual maximum.
    pub left_of_year: Option<i64>,
    /// Remainder of the total amount.
    pub left_of_total: Option<i64>,
    /// Current and medical support within the dollar cap, if the order specifies parts.
    pub current_ordered: Option<i64>,
    /// Remainder of current and medical support, which comes before arrears, after earlier paychecks of the pay period.
    pub left_of_current: i64,
    /// Health insurance premium ordered by a National Medical Support Notice.
    pub premium: Option<i64>,
    /// Why nothing is requested.
    pub ended: Option<&'static str>,
}

impl Requested {
    /// Calculates the amount requested from disposable earnings in cents.
    pub fn for_terms(
        terms: &GarnishmentTerms,
        withheld: &WithheldToDate,
        disposable: i64,
        pay: &Pay<'_>,
    ) -> Self {
        let periods = pay.periods;
        let ended = terms.reason_ended(withheld, pay.law.check_date);
        let basic = if terms.takes_all() {
            disposable
        } else if terms.deduct_as_percentage {
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
                requested.cap = Some(convert_amount(most, support.payment_period, periods));
                let premium = support.order.health_insurance_premium.filter(|_| ended.is_none());
                requested.premium =
                    premium.map(|premium| convert_amount(premium, support.payment_period, periods));
                requested.current_ordered = current_part(support, most)
                    .map(|current| convert_amount(current, support.payment_period, periods));
            }
            (_, most) => {
                let of_all =
                    |most| whole_cents(periods.amount_for_all(most).unwrap_or(crate::amount::MAX_AMOUNT));
                requested.cap = most.map(of_all);
            }
        }
        let earlier = whole_cents(withheld.period);
        requested.left_of_cap = requested.cap.map(|cap| (cap - earlier).max(0));
        requested.left_of_current = (requested.current_dollars() - earlier).max(0);
        let caps = [requested.left_of_cap, requested.left_of_year, requested.left_of_total];
        requested.amount = if ended.is_some() { 0 } else { caps.into_iter().flatten().fold(basic, i64::min) };
        requested
    }

    /// Returns the order's dollars for this pay period, before the percentage limit.
    pub fn dollars(&self) -> i64 {
        self.cap.unwrap_or(self.basic)
    }

    /// Returns current and medical support within [`Self::dollars`].
    pub fn current_dollars(&self) -> i64 {
        self.current_ordered.map_or(self.dollars(), |current| current.min(self.dollars()))
    }
}

/// Returns current and medical support within the dollar cap; `None` if the order does not specify parts.
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

/// Returns the total of health insurance premiums stated by support orders in force, for the pay periods paid.
pub(crate) fn premiums_ordered<K>(
    garnishments: &[Garnishment<K>],
    periods: PeriodsPaid,
    check_date: Date,
) -> Amount {
    let asking = garnishments.iter().filter(|one| one.terms.is_child_support() && !one.has_ended(check_date));
    let premium = |one: &Garnishment<K>| {
        let support = one.terms.child_support.as_ref()?;
        Some(convert_amount(support.order.health_insurance_premium?, support.payment_period, periods))
    };
    Amount::from_cents(asking.filter_map(premium).sum())
}

/// Converts an amount per payment period to the pay periods paid, rounded half up.
fn convert_amount(amount: Amount, of: PayFrequency, to: PeriodsPaid) -> i64 {
    let (times, periods) = to.of_year(of.periods_per_year());
    let amount = amount.mul_ratio(times, periods, Rounding::HalfUp);
    // At most 52 times the largest input amount.
    amount.unwrap_or(crate::amount::MAX_AMOUNT).cents_half_up()
}

/// Returns a percentage of cents, rounded down.
pub(super) fn percent_of(cents: i64, percent: Amount) -> i64 {
    let share = i128::from(cents) * i128::from(percent.millionths()) / i128::from(WHOLE);
    i64::try_from(share).unwrap_or(i64::MAX)
}

/// Rounds down to whole cents.
pub(super) fn whole_cents(amount: Amount) -> i64 {
    amount.round_to_cents(Rounding::Down).cents_half_up()
}
