//! What annual and monthly limits leave for a benefit.

use super::calculate::{LEFT_BEFORE_TAXES, LEFT_OF_LEGAL_LIMIT, reduced_taxes};
use super::limits::{Group, Limit, Limits, age_reached_in_year};
use super::{Benefit, BenefitToDate, Pay, Taxes, add_amounts, kind, remaining_amount};
use crate::amount::Amount;
use crate::explain::{Operation, Step, Trace};

/// Annual and monthly limits of a benefit.
pub(super) struct Year<'l> {
    /// Year-to-date deduction and contribution of the company benefit.
    pub(super) deducted: Amount,
    pub(super) given: Amount,
    /// Legal limit of the type, catch-up amount, and year-to-date use of its group.
    legal: Option<Legal<'l>>,
    /// Limit of all elective deferrals together, for a deferral that also has a smaller limit of its own.
    deferrals: Option<Legal<'l>>,
    /// Limit of pre-tax deferrals, for an employee whose catch-up contributions must be Roth contributions.
    before_tax: Option<Legal<'l>>,
    /// Limit of combined employee and company contributions to the plan, and their year-to-date amounts.
    additions: Option<Additions<'l>>,
    /// Monthly limit in dollars, month-to-date use, and row of the limit.
    month: Option<(Amount, Amount, &'l Limit)>,
    /// Imputed income of the pay period so far.
    pub(super) imputed: Amount,
    /// Limit of the pay that company contributions may count.
    pub(super) compensation: Option<&'l Limit>,
    /// Year-to-date pay that the plan excludes, which does not count toward that limit.
    pub(super) left_out: Amount,
}

/// The limit of 26 U.S.C. 415(c), toward which catch-up contributions do not count (414(v)(3)(A)).
struct Additions<'l> {
    limit: &'l Limit,
    catch_up: Amount,
    /// Deferrals of the year, up to the limit without catch-up.
    deferred: Amount,
    /// All deferrals of the year.
    all_deferred: Amount,
    given: Amount,
    /// Limit of deferrals without catch-up.
    of_everybody: Amount,
}

/// A legal limit, the catch-up amount beyond it, and the year-to-date use of both.
type Legal<'l> = (&'l Limit, Amount, Amount);

impl<'l> Year<'l> {
    pub(super) fn for_benefit<K: PartialEq>(
        benefit: &Benefit<K>,
        pay: &Pay,
        taken: &[BenefitToDate<K>],
        limits: &'l Limits,
    ) -> Self {
        let own = |t: &&BenefitToDate<K>| t.company_benefit == benefit.company_benefit;
        let sum = |amounts: &mut dyn Iterator<Item = Amount>| amounts.fold(Amount::ZERO, add_amounts);
        let legal = |group: Group| {
            let limit = limits.find_limit(pay.check_date.year(), group, benefit.terms.limit_option)?;
            let of_group = taken
                .iter()
                .filter(|t| Group::group_of_code(t.code).is_some_and(|of| group.counts_toward(of)));
            let counted = |t: &BenefitToDate<K>| match limit.counts_contribution {
                true => add_amounts(t.deduction, t.contribution),
                false => t.deduction,
            };
            Some((limit, more_for_age(benefit, pay, limit), sum(&mut of_group.map(counted))))
        };
        let group = Group::group_of_code(benefit.kind.code);
        let year = pay.check_date.year();
        let is_deferral = group == Some(Group::ElectiveDeferrals);
        let before_tax = || {
            let limit = limits.find_limit(year, Group::ElectiveDeferrals, None)?;
            let held = taken.iter().filter(|t| !kind::is_roth(t.code));
            let held = held.filter(|t| {
                Group::group_of_code(t.code).is_some_and(|of| Group::ElectiveDeferrals.counts_toward(of))
            });
            Some((limit, Amount::ZERO, sum(&mut held.map(|t| t.deduction))))
        };
        let of_month = Group::of_month(benefit.kind.code);
        let month = || {
            of_month.first()?;
            let found: Option<Vec<&Limit>> =
                of_month.iter().map(|group| limits.find_limit(year, *group, None)).collect();
            let found = found?;
            let whole = sum(&mut found.iter().map(|limit| limit.limit));
            let other = Group::OF_MONTH.iter().filter(|group| !of_month.contains(group));
            let other: Option<Vec<&Limit>> =
                other.map(|group| limits.find_limit(year, *group, None)).collect();
            let other = sum(&mut other?.iter().map(|limit| limit.limit));
            let used = |counts: &dyn Fn(&Group) -> bool| {
                let of_groups = |t: &&BenefitToDate<K>| {
                    let of = Group::of_month(t.code);
                    !of.is_empty() && of.iter().all(counts)
                };
                sum(&mut taken.iter().filter(of_groups).map(|t| t.in_month))
            };
            // A benefit for both transit and parking uses up the other limit first, then this one.
            let beyond_other = remaining_amount(used(&|_| true), other);
            Some((whole, used(&|group| of_month.contains(group)).max(beyond_other), *found.first()?))
        };
        Self {
            before_tax: must_be_roth(benefit, pay).then(before_tax).flatten(),
            additions: is_deferral.then(|| Additions::for_benefit(benefit, pay, taken, limits)).flatten(),
            // An after-tax deduction has no monthly limit.
            month: (reduced_taxes(benefit, pay) != Taxes::NONE).then(month).flatten(),
            imputed: sum(&mut taken.iter().filter(own).map(|t| t.imputed_in_period)),
            deducted: sum(&mut taken.iter().filter(own).map(|t| t.deduction)),
            given: sum(&mut taken.iter().filter(own).map(|t| t.contribution)),
            left_out: sum(&mut taken.iter().filter(own).map(|t| t.left_out)),
            legal: group.and_then(legal),
            deferrals: group
                .filter(|group| *group == Group::SimpleIra)
                .and_then(|_| legal(Group::ElectiveDeferrals)),
            compensation: benefit
                .kind
                .limits_compensation()
                .then(|| limits.find_limit(year, Group::Compensation, None))
                .flatten(),
        }
    }

    /// Returns the remaining legal limit after a further `more` is used.
    pub(super) fn legal_room<T: Trace>(&self, more: Amount, trace: &mut T) -> Option<Amount> {
        self.legal.map(|legal| room_of(legal, more, ("legal_limit", LEFT_OF_LEGAL_LIMIT), trace))
    }

    /// Whether the legal limit is one of several from which the record selects.
    pub(super) fn is_of_an_option(&self) -> bool {
        self.legal.is_some_and(|(limit, ..)| limit.option.is_some())
    }

    /// Returns what is left of the limit of all elective deferrals together.
    pub(super) fn room_of_deferrals<T: Trace>(&self, trace: &mut T) -> Option<Amount> {
        let names = ("limit_of_all_deferrals", "left_of_the_limit_of_all_deferrals");
        self.deferrals.map(|legal| room_of(legal, Amount::ZERO, names, trace))
    }

    /// Returns what is left of the limit of pre-tax deferrals.
    pub(super) fn room_before_tax<T: Trace>(&self, trace: &mut T) -> Option<Amount> {
        let names = ("limit_before_taxes", LEFT_BEFORE_TAXES);
        self.before_tax.map(|legal| room_of(legal, Amount::ZERO, names, trace))
    }

    /// Returns what the limit of combined employee and company contributions leaves for a deferral.
    pub(super) fn room_to_defer<T: Trace>(&self, trace: &mut T) -> Option<Amount> {
        self.additions.as_ref().map(|additions| additions.room_to_defer(trace))
    }

    /// Returns what that limit leaves for a contribution in addition to a deferral of this payroll.
    pub(super) fn room_to_give<T: Trace>(&self, deduction: Amount, trace: &mut T) -> Option<Amount> {
        self.additions.as_ref().map(|additions| additions.room_to_give(deduction, trace))
    }

    /// Whether contributions count toward the legal limit of the type.
    pub(super) fn counts_contribution(&self) -> bool {
        self.legal.is_some_and(|(limit, ..)| limit.counts_contribution)
    }

    /// Returns what is left of the monthly limit after a further `more` is used.
    pub(super) fn room_of_month<T: Trace>(&self, more: Amount, trace: &mut T) -> Option<Amount> {
        let (whole, used, limit) = self.month?;
        let used = add_amounts(used, more);
        let room = remaining_amount(whole, used);
        trace.add_leaf(|| {
            Step::new("left_of_the_limit_of_the_month", Operation::Remaining, room)
                .input("limit_of_a_month", whole)
                .input("used_this_month", used)
                .note(format!("the limit of {}", limit.year))
                .source(limit.source.clone())
        });
        Some(room)
    }
}

impl<'l> Additions<'l> {
    fn for_benefit<K: PartialEq>(
        benefit: &Benefit<K>,
        pay: &Pay,
        taken: &[BenefitToDate<K>],
        limits: &'l Limits,
    ) -> Option<Self> {
        let year = pay.check_date.year();
        let limit = limits.find_limit(year, Group::AnnualAdditions, None)?;
        let deferrals = limits.find_limit(year, Group::ElectiveDeferrals, None)?;
        // The limit applies to the plans of one employer.
        let here = || {
            let of_group =
                taken.iter().filter(|t| Group::group_of_code(t.code) == Some(Group::ElectiveDeferrals));
            of_group.filter(|t| !t.elsewhere)
        };
        let all_deferred = here().map(|t| t.deduction).fold(Amount::ZERO, add_amounts);
        Some(Self {
            limit,
            catch_up: more_for_age(benefit, pay, deferrals),
            deferred: all_deferred.min(deferrals.limit),
            all_deferred,
            given: here().map(|t| t.contribution).fold(Amount::ZERO, add_amounts),
            of_everybody: deferrals.limit,
        })
    }

    /// Returns what is left for a deferral.
    fn room_to_defer<T: Trace>(&self, trace: &mut T) -> Amount {
        let (whole, used) =
            (add_amounts(self.limit.limit, self.catch_up), add_amounts(self.all_deferred, self.given));
        self.room(whole, used, trace)
    }

    /// Returns what is left for a contribution in addition to a deferral of this payroll.
    fn room_to_give<T: Trace>(&self, deduction: Amount, trace: &mut T) -> Amount {
        let deferred = add_amounts(self.deferred, deduction).min(self.of_everybody);
        self.room(self.limit.limit, add_amounts(deferred, self.given), trace)
    }

    fn room<T: Trace>(&self, whole: Amount, used: Amount, trace: &mut T) -> Amount {
        let room = remaining_amount(whole, used);
        trace.add_leaf(|| {
            Step::new("left_of_annual_additions", Operation::Remaining, room)
                .input("limit_of_annual_additions", whole)
                .input("deferred_and_given_this_year", used)
                .note(format!("the limit of {}", self.limit.year))
                .source(self.limit.source.clone())
        });
        room
    }
}

/// Returns what is left of a legal limit after a further `more` is used, and explains it under the names of both figures.
fn room_of<T: Trace>(
    (limit, catch_up, used): Legal<'_>,
    more: Amount,
    (whole_figure, left_figure): (&'static str, &'static str),
    trace: &mut T,
) -> Amount {
    let (whole, used) = (add_amounts(limit.limit, catch_up), add_amounts(used, more));
    let room = remaining_amount(whole, used);
    trace.open_figure();
    trace.add_leaf(|| {
        Step::new(whole_figure, Operation::Sum, whole)
            .input("limit", limit.limit)
            .input("catch_up", catch_up)
            .note(format!("the limit of {}", limit.year))
            .source(limit.source.clone())
    });
    trace.close_figure(|| {
        Step::new(left_figure, Operation::Remaining, room)
            .input(whole_figure, whole)
            .input("used_this_year", used)
    });
    room
}

/// Returns the catch-up amount. Types with a catch-up flag require it, and an unknown age counts as 50; for
/// other types, age alone decides.
fn more_for_age<K>(benefit: &Benefit<K>, pay: &Pay, limit: &Limit) -> Amount {
    let Some(catch_up) = limit.catch_up else { return Amount::ZERO };
    let age = pay.birth_date.map(|birth| age_reached_in_year(birth, pay.check_date));
    match age {
        _ if benefit.kind.takes_catch_up() && !benefit.terms.catch_up => Amount::ZERO,
        Some(age) => catch_up.amount_at_age(age),
        None if benefit.terms.catch_up => catch_up.amount_at_age(catch_up.age),
        None => Amount::ZERO,
    }
}

/// Whether deferrals into this benefit stop at the limit without catch-up: they reduce taxable pay, and the employee's catch-up
/// contributions must be Roth contributions. Roth deferrals from any time of the year count as catch-up contributions (T.D. 10033).
fn must_be_roth<K>(benefit: &Benefit<K>, pay: &Pay) -> bool {
    pay.roth_catch_up
        && Group::group_of_code(benefit.kind.code) == Some(Group::ElectiveDeferrals)
        && reduced_taxes(benefit, pay).income_tax
}
