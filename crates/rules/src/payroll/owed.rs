//! Pay that earlier payrolls left out, and what later payments leave of it.
//!
//! A payment settles what is owed for its own days first, then what was owed already when it was made, oldest first. Nothing is counted
//! twice: of what is owed, as much is settled as payments settle.

use jiff::Timestamp;

use crate::amount::Amount;
use crate::days::Days;

/// Pay owed for some days. `K` identifies payrolls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Debt<K> {
    /// First and last of the days.
    pub days: Days,
    /// Dollars.
    pub amount: Amount,
    /// When it became owed, such as by a raise: payments for other days count from then on.
    pub since: Timestamp,
    /// Payrolls whose pay falls short by it, which cannot settle it.
    pub short: Vec<K>,
}

/// What a payroll paid beyond the wages of its pay period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Payment<K> {
    /// The payroll.
    pub payroll: K,
    /// Its first and last day.
    pub days: Days,
    /// When it was calculated.
    pub at: Timestamp,
    /// Dollars paid for its days outside the schedule, corrections included; zero for a regular payroll.
    pub for_its_days: Amount,
    /// Dollars of corrections.
    pub corrections: Amount,
}

/// Returns what these payments, in the order in which they were made, leave of each debt.
pub fn remaining_debts<K: PartialEq>(debts: &[Debt<K>], payments: &[Payment<K>]) -> Vec<Amount> {
    let mut left: Vec<Amount> = debts.iter().map(|debt| debt.amount.max(Amount::ZERO)).collect();
    let mut settle = |place: usize, most: Amount| {
        let settled = left[place].min(most).max(Amount::ZERO);
        left[place] = subtract_amount(left[place], settled);
        settled
    };
    for payment in payments {
        let may = || debts.iter().enumerate().filter(|(_, debt)| !debt.short.contains(&payment.payroll));
        let (mut for_its_days, mut corrections) = (payment.for_its_days, payment.corrections);
        let own =
            |debt: &Debt<K>| debt.days.first <= payment.days.last && payment.days.first <= debt.days.last;
        for (place, _) in may().filter(|(_, debt)| own(debt)) {
            let settled = settle(place, for_its_days);
            for_its_days = subtract_amount(for_its_days, settled);
        }
        // What is left of the corrections: pay other than corrections is for these days only.
        if payment.for_its_days > Amount::ZERO {
            corrections = corrections.min(for_its_days);
        }
        let mut others: Vec<usize> =
            may().filter(|(_, debt)| debt.since <= payment.at).map(|(place, _)| place).collect();
        others.sort_by_key(|place| debts[*place].since);
        for place in others {
            corrections = subtract_amount(corrections, settle(place, corrections));
        }
    }
    left
}

/// Returns the difference; `less` is never more than `of`.
fn subtract_amount(of: Amount, less: Amount) -> Amount {
    of.checked_sub(less).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    fn cents(cents: i64) -> Amount {
        Amount::from_cents(cents)
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    /// The days of a pay period of June.
    fn days(period: i8) -> Days {
        Days { first: date(2026, 6, period * 7 + 1), last: date(2026, 6, period * 7 + 7) }
    }

    fn debt(period: i8, amount: i64, since: i64) -> Debt<u8> {
        Debt { days: days(period), amount: cents(amount), since: at(since), short: vec![0] }
    }

    fn correction(payroll: u8, period: i8, amount: i64, when: i64) -> Payment<u8> {
        let (for_its_days, corrections) = (Amount::ZERO, cents(amount));
        Payment { payroll, days: days(period), at: at(when), for_its_days, corrections }
    }

    /// A payroll outside the schedule that pays wages and a correction.
    fn outside(payroll: u8, period: i8, amounts: [i64; 2], when: i64) -> Payment<u8> {
        let [wages, corrections] = amounts;
        Payment { for_its_days: cents(wages + corrections), ..correction(payroll, period, corrections, when) }
    }

    #[test]
    fn a_debt_ends_when_it_is_paid_and_not_with_the_first_cent() {
        let debts = [debt(0, 40_000, 10)];
        let after = |payments: &[Payment<u8>]| remaining_debts(&debts, payments);
        assert_eq!(after(&[correction(1, 2, 1, 11)]), [cents(39_999)]);
        assert_eq!(after(&[correction(1, 2, 15_000, 11), correction(2, 3, 25_000, 12)]), [Amount::ZERO]);
        // A clock that stands still: what was paid at the same moment counts.
        assert_eq!(after(&[correction(1, 2, 40_000, 10)]), [Amount::ZERO]);
        assert_eq!(after(&[correction(1, 2, 40_000, 9)]), [cents(40_000)], "before it was owed");
        // For the days themselves whatever was paid counts, except by the payroll that fell short.
        assert_eq!(after(&[outside(1, 0, [10_000, 20_000], 9)]), [cents(10_000)]);
        assert_eq!(after(&[outside(0, 0, [10_000, 20_000], 11)]), [cents(40_000)]);
    }

    #[test]
    fn a_payment_settles_its_own_days_first_and_never_two_debts() {
        let debts = [debt(0, 10_000, 10), debt(1, 10_000, 11)];
        assert_eq!(remaining_debts(&debts, &[correction(1, 2, 15_000, 12)]), [Amount::ZERO, cents(5_000)]);
        assert_eq!(remaining_debts(&debts, &[outside(1, 1, [0, 15_000], 12)]), [cents(5_000), Amount::ZERO]);
        // Wages for other days are no correction.
        assert_eq!(remaining_debts(&debts, &[outside(1, 1, [15_000, 0], 12)]), [cents(10_000), Amount::ZERO]);
    }

    proptest! {
        #[test]
        fn what_is_paid_and_what_is_left_come_to_what_is_owed(
            owed in prop::collection::vec((0i8..4, 0i64..50_000, 0i64..20), 0..5),
            paid in prop::collection::vec((1u8..9, 0i8..4, [0i64..20_000, 0i64..20_000], 0i64..40, any::<bool>()), 0..8),
        ) {
            let debts: Vec<Debt<u8>> = owed.iter().map(|(period, amount, since)| debt(*period, *amount, *since)).collect();
            let mut payments: Vec<Payment<u8>> = paid
                .iter()
                .map(|(payroll, period, amounts, when, regular)| match regular {
                    true => correction(*payroll, *period, amounts[1], *when),
                    false => outside(*payroll, *period, *amounts, *when),
                })
                .collect();
            payments.sort_by_key(|payment| payment.at);
            let sum = |amounts: &[Amount]| amounts.iter().map(|amount| amount.millionths()).sum::<i64>();
            let all: Vec<Amount> = debts.iter().map(|debt| debt.amount).collect();
            let found = remaining_debts(&debts, &payments);
            prop_assert!(found.iter().zip(&all).all(|(left, owed)| *left >= Amount::ZERO && left <= owed));
            let settled = sum(&all) - sum(&found);
            let most: i64 =
                payments.iter().map(|one| one.for_its_days.max(one.corrections).millionths()).sum();
            prop_assert!(settled <= most, "nothing is counted twice");
            // Corrections that are made once everything is owed settle exactly what they come to.
            let late: Vec<Payment<u8>> =
                payments.iter().map(|one| Payment { at: at(50), for_its_days: Amount::ZERO, ..*one }).collect();
            let corrected: i64 = late.iter().map(|one| one.corrections.millionths()).sum();
            prop_assert_eq!(sum(&remaining_debts(&debts, &late)), (sum(&all) - corrected).max(0));
        }
    }
}
