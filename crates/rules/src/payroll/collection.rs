//! Collection of the employee's taxes from pay that may not cover them.
//!
//! Taxes are collected in this order: Social Security, Medicare, additional Medicare, federal and state income tax, other state and
//! local taxes. If wages include tips and the pay falls short, all taxes on the other wages come first, then Social Security and
//! Medicare on tips, then income tax and the other taxes on tips (26 CFR 31.3402(k)-1; 26 USC 3102(c)). Uncollected Social Security
//! and Medicare tax on tips is payable by the employee, and reported on Form W-2, box 12, with codes A and B; additional Medicare
//! is not included.

use std::borrow::Cow;
use std::fmt::Display;

use super::benefits::Line;
use super::dues::Dues;
use super::net::{Pay, sum_amounts};
use super::other_taxes;
use crate::amount::Amount;
use crate::explain::{NoTrace, Operation, Step, Trace};

/// Social Security and Medicare tax on tips that the pay did not cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Uncollected {
    /// Social Security tax: code A.
    pub social_security: Amount,
    /// Medicare tax: code B.
    pub medicare: Amount,
}

/// Taxes that the pay does not cover.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shortage {
    /// All taxes together.
    pub(super) amount: Amount,
    /// The part reported on Form W-2.
    pub(super) on_tips: Uncollected,
}

/// A tax of the employee.
#[derive(Debug, Clone)]
struct Claim<'n> {
    figure: Cow<'n, str>,
    due: Amount,
    /// The part due on wages other than tips.
    on_wages: Amount,
    /// The amounts withheld for the part on other wages and for the part on tips.
    withheld: [Amount; 2],
}

impl<K: Copy + Ord + Display> Pay<'_, '_, K> {
    /// Limits the employee's taxes to the pay. If the pay is insufficient, also calculates the taxes on wages without tips.
    pub(super) fn collect_taxes<T: Trace>(
        &self,
        trace: &mut T,
        benefits: &[Line<K>],
        dues: &mut Dues,
    ) -> Option<Shortage> {
        let due = dues.sum_of_employee()?;
        if due <= self.payable {
            return Some(Shortage::default());
        }
        let without_tips = match self.tips {
            Amount::ZERO => None,
            tips => {
                let pay = Pay { gross: self.gross.checked_sub(tips)?, tips: Amount::ZERO, ..*self };
                Some(pay.calculate_dues(&mut NoTrace, benefits)?.amounts())
            }
        };
        let names = self.claims();
        let mut claims = Vec::new();
        for (place, (figure, due)) in names.into_iter().zip(dues.amounts()).enumerate() {
            let on_wages = match &without_tips {
                Some(amounts) => due.min(*amounts.get(place)?),
                None => due,
            };
            claims.push(Claim { figure, due, on_wages, withheld: [Amount::ZERO; 2] });
        }
        allocate_pay(&mut claims, self.payable)?;
        for claim in &claims {
            claim.explain_claim(trace, without_tips.is_some())?;
        }
        let on_tips = |place: usize| {
            let claim = claims.get(place)?;
            claim.due.checked_sub(claim.on_wages)?.checked_sub(claim.withheld[1])
        };
        let on_tips = Uncollected { social_security: on_tips(0)?, medicare: on_tips(1)? };
        self.explain_uncollected(trace, on_tips)?;
        let withheld: Vec<Amount> = claims.iter().map(Claim::total_withheld).collect::<Option<_>>()?;
        self.limit_dues(dues, &withheld)?;
        let amount = due.checked_sub(sum_amounts(withheld.iter().copied())?)?;
        Some(Shortage { amount, on_tips })
    }

    /// Returns the names of the taxes in [`Dues::amounts`], in the same order.
    fn claims(&self) -> Vec<Cow<'_, str>> {
        let federal = ["social_security", "medicare", "additional_medicare", "federal_income_tax"];
        let states = self.employee.states.iter().map(|_| Cow::Borrowed("state_income_tax"));
        let others = self.employee.other_taxes.situation.due_taxes().iter();
        let others = others.map(|due| Cow::Borrowed(due.code.as_str()));
        federal.map(Cow::Borrowed).into_iter().chain(states).chain(others).collect()
    }

    /// Replaces the amounts due with the amounts withheld.
    fn limit_dues(&self, dues: &mut Dues, withheld: &[Amount]) -> Option<()> {
        let mut withheld = withheld.iter().copied();
        let mut next = || withheld.next();
        dues.taxes.social_security = next()?;
        dues.taxes.medicare = next()?;
        dues.taxes.additional_medicare = next()?;
        dues.taxes.federal_income = next()?;
        for state in &mut dues.states {
            state.amount = next()?;
        }
        dues.taxes.state_income = sum_amounts(dues.states.iter().map(|state| state.amount))?;
        let (payroll, others) = (self.payroll, &self.employee.other_taxes);
        let period = payroll.days();
        for (place, (due, line)) in
            others.situation.due_taxes().iter().zip(&mut dues.others.lines).enumerate()
        {
            let amount = next()?;
            if !line.of_employee || amount == line.sums.amount {
                continue;
            }
            line.sums = other_taxes::limit_sums(line.sums, amount)?;
            line.after = others.before.get(place).cloned().unwrap_or_default();
            line.after.turn_to(payroll.check_date);
            due.count(&mut line.after, line.sums, payroll.check_date, period)?;
        }
        Some(())
    }

    /// Records the uncollected taxes carried forward in the year.
    fn explain_uncollected<T: Trace>(&self, trace: &mut T, now: Uncollected) -> Option<()> {
        let before = &self.employee.year_to_date;
        let parts = [
            (
                "uncollected_social_security_on_tips",
                before.uncollected_social_security,
                now.social_security,
                "A",
            ),
            ("uncollected_medicare_on_tips", before.uncollected_medicare, now.medicare, "B"),
        ];
        for (figure, before, now, code) in parts {
            if now == Amount::ZERO {
                continue;
            }
            let of_year = before.checked_add(now)?;
            trace.add_leaf(|| {
                Step::new(figure, Operation::Sum, of_year)
                    .input("before_in_the_year", before)
                    .input("of_this_paycheck", now)
                    .note(format!("Form W-2, box 12, code {code}"))
                    .source("26 USC 3102(c)(4), 6051(a)")
            });
        }
        Some(())
    }
}

impl Dues {
    /// Returns the employee's taxes, with zero for each tax that the employer pays.
    fn amounts(&self) -> Vec<Amount> {
        let taxes = &self.taxes;
        let federal =
            [taxes.social_security, taxes.medicare, taxes.additional_medicare, taxes.federal_income];
        let states = self.states.iter().map(|state| state.amount);
        let others = self.others.lines.iter();
        let others = others.map(|line| if line.of_employee { line.sums.amount } else { Amount::ZERO });
        federal.into_iter().chain(states).chain(others).collect()
    }

    fn sum_of_employee(&self) -> Option<Amount> {
        let others = self.others.lines.iter().filter(|line| line.of_employee);
        others.map(|line| line.sums.amount).try_fold(self.taxes.of_employee()?, Amount::checked_add)
    }
}

impl Claim<'_> {
    fn total_withheld(&self) -> Option<Amount> {
        self.withheld[0].checked_add(self.withheld[1])
    }

    fn explain_claim<T: Trace>(&self, trace: &mut T, with_tips: bool) -> Option<()> {
        let all = self.total_withheld()?;
        if all == self.due {
            return Some(());
        }
        let [on_wages, on_tips] = self.withheld;
        trace.add_leaf(|| {
            let step = Step::new(format!("{}_withheld", self.figure), Operation::Sum, all);
            match with_tips {
                true => step
                    .input("of_tax_on_wages", on_wages)
                    .input("of_tax_on_tips", on_tips)
                    .note("The pay does not reach for the whole tax. Taxes on other wages come before those on tips.")
                    .source("26 CFR 31.3402(k)-1"),
                false => step.input("left", all).note("The pay does not reach for the whole tax."),
            }
        });
        Some(())
    }
}

/// Allocates the pay: taxes on wages, then Social Security and Medicare on tips, then other taxes on tips.
fn allocate_pay(claims: &mut [Claim<'_>], payable: Amount) -> Option<()> {
    let mut left = payable;
    for of_tips in [false, true] {
        // Social Security and Medicare come first among the claims.
        for claim in claims.iter_mut() {
            let part = if of_tips { claim.due.checked_sub(claim.on_wages)? } else { claim.on_wages };
            let taken = part.min(left);
            claim.withheld[usize::from(of_tips)] = taken;
            left = left.checked_sub(taken)?;
        }
    }
    Some(())
}

#[cfg(test)]
#[path = "collection_tests.rs"]
mod tests;
