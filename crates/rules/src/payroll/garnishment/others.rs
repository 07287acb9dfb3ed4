//! Garnishments other than child support: levies, loans, creditors, other orders and plain deductions.
//!
//! Creditors may take the lesser of 25 % of disposable earnings and what exceeds 30 hours per week at the
//! federal minimum wage (15 USC 1673(a)); support and earlier orders count towards that (29 CFR 870.11).
//! Government loans may take 15 % (20 USC 1095a(a)(1), 31 USC 3720D(b)(1)) above the same floor, with at most
//! 25 % in total. Levies, other orders and plain deductions take their amount while there is pay left.

use super::{Line, Pay, explain, requested};
use crate::amount::{Amount, Rounding};
use crate::explain::Trace;
use crate::payroll::garnishment::terms::GarnishmentType;

/// Weekly hours at the federal minimum wage that are protected from creditors.
pub(super) const PROTECTED_HOURS: i64 = 30;
/// Maximum percentage of disposable earnings for creditors.
pub(super) const CREDITOR_PERCENT: Amount = Amount::from_cents(2_500);
/// Maximum percentage of disposable earnings for a government loan.
pub(super) const LOAN_PERCENT: Amount = Amount::from_cents(1_500);

/// Levies with priority over support.
pub(super) struct OlderLevies {
    /// Cents withheld.
    pub taken: i64,
    /// Number of the other garnishments already processed.
    pub count: usize,
}

/// The law that limits a garnishment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Law {
    /// No limit except remaining pay.
    None,
    /// 25 % and the floor, less earlier garnishments
    Creditor,
    /// 15 % and the floor, and 25 % with earlier garnishments
    Loan,
}

impl Law {
    pub fn of(kind: Option<GarnishmentType>) -> Self {
        match kind {
            Some(GarnishmentType::CreditorGarnishment) => Self::Creditor,
            Some(GarnishmentType::StudentLoan | GarnishmentType::FederalLoan) => Self::Loan,
            _ => Self::None,
        }
    }
}

/// The limits for a pay, in cents.
pub(super) struct Limits {
    /// Protected earnings.
    pub protected: i64,
    /// Earnings above the protected amount.
    pub above_protected: i64,
    /// 25 %
    pub creditor_share: i64,
    /// 15 %
    pub loan_share: i64,
}

impl Limits {
    fn of(pay: &Pay<'_>, disposable: i64) -> Self {
        let protected = pay.federal_minimum_wage.mul_ratio(
            PROTECTED_HOURS * 52,
            pay.frequency.periods_per_year(),
            Rounding::HalfUp,
        );
        let protected = protected.unwrap_or(crate::amount::MAX_AMOUNT).cents_half_up();
        Self {
            protected,
            above_protected: (disposable - protected).max(0),
            creditor_share: requested::percent_of(disposable, CREDITOR_PERCENT),
            loan_share: requested::percent_of(disposable, LOAN_PERCENT),
        }
    }

    /// Returns the maximum after `before` cents were taken.
    fn most(&self, law: Law, before: i64) -> i64 {
        let room = match law {
            Law::None => i64::MAX,
            Law::Creditor => self.creditor_share.min(self.above_protected) - before,
            Law::Loan => self.loan_share.min(self.above_protected).min(self.creditor_share - before),
        };
        room.max(0)
    }
}

/// Takes federal levies that are older than every support order with a requested amount.
pub(super) fn take_older_levies<K: Copy + Ord + std::fmt::Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: i64,
    support: &[Line<'_, K>],
    rest: &mut [Line<'_, K>],
) -> OlderLevies {
    let age = |line: &Line<'_, K>| (line.garnishment.since, line.garnishment.id);
    let Some(oldest) = support.iter().filter(|line| line.requested.amount > 0).map(age).min() else {
        return OlderLevies { taken: 0, count: 0 };
    };
    let is_older = |line: &&mut Line<'_, K>| {
        line.garnishment.terms.garnishment_type == Some(GarnishmentType::FederalTaxLien) && age(line) < oldest
    };
    let limits = Limits::of(pay, disposable);
    let (mut taken, mut count) = (0, 0);
    for line in rest.iter_mut().take_while(is_older) {
        take_one(trace, pay, disposable, &limits, taken, line);
        taken += line.taken;
        count += 1;
    }
    OlderLevies { taken, count }
}

/// Takes the other garnishments in order, after `support` cents of support.
pub(super) fn take<K: Copy + Ord + std::fmt::Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: i64,
    first: OlderLevies,
    support: i64,
    rest: &mut [Line<'_, K>],
) {
    if rest.len() == first.count {
        return;
    }
    let limits = Limits::of(pay, disposable);
    let mut before = first.taken + support;
    for line in &mut rest[first.count..] {
        take_one(trace, pay, disposable, &limits, before, line);
        before += line.taken;
    }
}

fn take_one<K: Copy + Ord + std::fmt::Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: i64,
    limits: &Limits,
    before: i64,
    line: &mut Line<'_, K>,
) {
    let law = Law::of(line.garnishment.terms.garnishment_type);
    line.taken = line.requested.amount.min(limits.most(law, before)).min((disposable - before).max(0));
    explain::other(trace, pay, disposable, limits, before, line);
}
