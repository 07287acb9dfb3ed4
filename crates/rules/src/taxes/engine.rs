//! One engine for every tax: from a [`Due`] and a period's pay to a [`DueLine`].
//!
//! Subject wages are the pay in the tax's base, times the place's share. Taxable wages are what remains after exemptions and
//! the wage base. The tax is rounded once, then capped.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;

use super::bases::{Base, Treatments, Wages};
use super::due::{Due, Share};
use super::income::StateIncome;
use super::source::{Unworked, Why};
use super::table::{Applies, Jurisdiction, Method, Payer, Tax};
use super::to_date::{Sums, ToDate};
use super::working::Working;
use crate::amount::Amount;
use crate::days::Days;
use crate::explain::{NoTrace, Operation, Step, Trace};

/// A state's income tax on the same pay, from its formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateResult<'a> {
    /// Two-letter code.
    pub state: &'a str,
    /// Wages of the state's income tax.
    pub wages: Amount,
    /// Those wages after exemptions, if the state's local taxes are based on them.
    pub taxable: Option<Amount>,
    /// Income tax withheld for the state.
    pub tax: Amount,
    /// Part of `tax` that the employee requested on top of the formula; a tax that is a share of the state's tax excludes it.
    pub additional: Amount,
}

/// Pay of a period.
#[derive(Debug, Clone, Copy)]
pub struct Pay<'a> {
    /// First day of the period.
    pub start: Date,
    /// Last day of the period.
    pub end: Date,
    /// First and last day of the period on which the employee was employed.
    pub employed: Days,
    /// Pay date.
    pub date: Date,
    /// Pay periods of the withholding table in a year, above zero: they make wages of a year of those of the period.
    pub periods: i64,
    /// Pay periods of the employer in a year, above zero: they divide limits and amounts.
    pub employer_periods: i64,
    /// Hours worked.
    pub hours: Amount,
    /// Wages.
    pub wages: Wages,
    /// Income tax of the states.
    pub states: &'a [StateResult<'a>],
}

/// A tax of a paycheck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueLine<'a> {
    /// Index in [`Situation::due_taxes`].
    pub place: usize,
    /// The tax that is due, with its row, name and source.
    pub due: &'a Due,
    /// Whether the amount was supplied.
    pub supplied: bool,
    /// Subject and taxable wages and tax of this paycheck.
    pub sums: Sums,
    /// Amounts counted through this paycheck.
    pub after: ToDate,
}

impl DueLine<'_> {
    /// Stable code.
    pub fn code(&self) -> &str {
        &self.due.code
    }

    /// Name, as a pay stub prints it.
    pub fn name(&self) -> &str {
        &self.due.tax.name
    }

    /// Who levies it.
    pub fn jurisdiction(&self) -> &Jurisdiction {
        &self.due.tax.jurisdiction
    }

    /// Who pays it.
    pub fn payer(&self) -> Payer {
        self.due.payer
    }

    /// The tax.
    pub fn amount(&self) -> Amount {
        self.sums.amount
    }
}

/// The taxes due in an employee's situation. Found once, and valid for each paycheck until something changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Situation {
    dues: Vec<Due>,
    unworked: Vec<Unworked>,
    states: Vec<StateIncome>,
    supplied: BTreeMap<String, Amount>,
}

/// Taxes of a paycheck.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome<'a> {
    /// Lines, by payer and code.
    pub lines: Vec<DueLine<'a>>,
    /// Taxes that are due and could not be calculated.
    pub unworked: Vec<Unworked>,
    /// Sum of the employee's lines.
    pub employee: Amount,
    /// Sum of the employer's lines.
    pub employer: Amount,
}

impl Situation {
    /// Combines findings, sorted by payer, then code.
    pub fn new(found: impl IntoIterator<Item = super::choose::Found>) -> Self {
        let mut all = super::choose::Found::default();
        found.into_iter().for_each(|one| all.merge_findings(one));
        all.dues.sort_by(|a, b| (a.payer, &a.code).cmp(&(b.payer, &b.code)));
        all.unworked.sort_by(|a, b| a.code.cmp(&b.code));
        all.unworked.dedup();
        Self { dues: all.dues, unworked: all.unworked, states: Vec::new(), supplied: BTreeMap::new() }
    }

    /// Uses amounts supplied by hand, by code, for taxes that cannot be calculated. A tax that can be calculated
    /// ignores its amount; if two uncalculated taxes share a code, the amount is the employee's.
    #[must_use]
    pub fn with_supplied(&self, supplied: &BTreeMap<String, Amount>) -> Self {
        let mut with = Self { supplied: supplied.clone(), ..self.clone() };
        for code in supplied.keys() {
            let of_code = with.unworked.iter().enumerate().filter(|(_, open)| open.code == *code);
            let Some((place, _)) = of_code.min_by_key(|(_, open)| open.payer) else { continue };
            let open = with.unworked.remove(place);
            with.dues.push(Due::from_supplied(open));
        }
        with.dues.sort_by(|a, b| (a.payer, &a.code).cmp(&(b.payer, &b.code)));
        with
    }

    /// Returns the codes of the supplied amounts.
    pub fn supplied_codes(&self) -> impl Iterator<Item = &str> {
        self.supplied.keys().map(String::as_str)
    }

    /// Sets the states whose income tax applies to the pay.
    #[must_use]
    pub(super) fn with_states(self, states: Vec<StateIncome>) -> Self {
        Self { states, ..self }
    }

    /// Returns the states whose income tax applies to the pay; empty without a work location.
    pub fn states(&self) -> &[StateIncome] {
        &self.states
    }

    /// Whether any tax is based on the wages left after the state's exemptions ([`StateResult::taxable`]).
    pub(crate) fn rests_on_state_taxable(&self) -> bool {
        self.dues.iter().any(|due| due.base == Base::StateTaxable)
    }

    /// Returns the taxes that are due, in the order of the lines.
    pub fn due_taxes(&self) -> &[Due] {
        &self.dues
    }

    /// Whether nothing is due and nothing is left open.
    pub fn is_empty(&self) -> bool {
        self.dues.is_empty() && self.unworked.is_empty()
    }

    /// Returns the taxes that cannot be calculated, whatever the pay.
    pub fn uncalculated_taxes(&self) -> &[Unworked] {
        &self.unworked
    }

    /// Returns the amounts counted so far, as `of` gives them for each tax, in the order of the lines.
    pub fn to_dates(&self, of: impl Fn(&Due) -> ToDate) -> Vec<ToDate> {
        self.dues.iter().map(of).collect()
    }

    /// Calculates the taxes of a paycheck. `before` is in the order of [`Situation::due_taxes`]; it is empty before the
    /// first paycheck.
    ///
    /// # Panics
    /// Panics if `before` is neither empty nor one per tax due: amounts of another situation must not count.
    pub fn calculate_taxes<T: Trace>(&self, trace: &mut T, pay: &Pay<'_>, before: &[ToDate]) -> Outcome<'_> {
        self.work_on(trace, pay, before, |_, _| true)
    }

    /// Calculates the taxes of a paycheck as [`calculate_taxes`](Self::calculate_taxes) does, omitting those that `counts` rejects by payer and jurisdiction.
    ///
    /// # Panics
    /// Panics as [`calculate_taxes`](Self::calculate_taxes) does.
    pub fn work_on<T: Trace>(
        &self,
        trace: &mut T,
        pay: &Pay<'_>,
        before: &[ToDate],
        counts: impl Fn(Payer, &Jurisdiction) -> bool,
    ) -> Outcome<'_> {
        assert!(
            before.is_empty() || before.len() == self.dues.len(),
            "what was counted so far is told for each tax that is due"
        );
        let mut outcome = Outcome {
            lines: Vec::with_capacity(self.dues.len()),
            unworked: self
                .unworked
                .iter()
                .filter(|open| counts(open.payer, &open.jurisdiction))
                .cloned()
                .collect(),
            ..Outcome::default()
        };
        let dues = self.dues.iter().enumerate();
        for (place, due) in dues.filter(|(_, due)| counts(due.payer, &due.tax.jurisdiction)) {
            let mut counted = before.get(place).cloned().unwrap_or_default();
            counted.turn_to(pay.date);
            let line = self.line_sums(trace, due, pay, &counted).and_then(|(sums, supplied)| {
                let sum = match due.payer {
                    Payer::Employee => &mut outcome.employee,
                    Payer::Employer => &mut outcome.employer,
                };
                *sum = sum.checked_add(sums.amount).ok_or(Why::TooLarge)?;
                let period = Days { first: pay.start, last: pay.end };
                due.count(&mut counted, sums, pay.date, period).ok_or(Why::TooLarge)?;
                outcome.lines.push(DueLine { place, due, supplied, sums, after: counted });
                Ok(())
            });
            if let Err(why) = line {
                outcome.unworked.push(due.tax.as_unworked(why));
            }
        }
        outcome
    }

    /// Calculates a line, or uses the amount supplied for it; also returns whether it was supplied.
    fn line_sums<T: Trace>(
        &self,
        trace: &mut T,
        due: &Due,
        pay: &Pay<'_>,
        before: &ToDate,
    ) -> Result<(Sums, bool), Why> {
        let worked = |trace: &mut T| due.calculate_sums(trace, pay, before).map(|sums| (sums, false));
        match self.supplied.get(&due.code) {
            Some(amount) if due.method == Method::Gap => Ok((due.supplied_sums(trace, *amount), true)),
            Some(amount) => worked(trace).or_else(|_| Ok((due.supplied_sums(trace, *amount), true))),
            None => worked(trace),
        }
    }

    /// Calculates the taxes of a paycheck without an explanation.
    pub fn calculate_lines(&self, pay: &Pay<'_>, before: &[ToDate]) -> Outcome<'_> {
        self.calculate_taxes(&mut NoTrace, pay, before)
    }
}

impl Due {
    /// Creates a tax whose amount is supplied.
    fn from_supplied(open: Unworked) -> Self {
        let Unworked { code, name, jurisdiction, payer, why: _ } = open;
        let (who, how) = ((payer, Applies::Both), (Base::Gross, Method::Gap));
        let tax = Arc::new(Tax::plain_tax(code.clone(), name, jurisdiction, who, how));
        Self {
            tax,
            code,
            payer,
            method: Method::Gap,
            share: Share::ALL,
            wage_base: None,
            off: Amount::ZERO,
            exemptions: 0,
            credits: Vec::new(),
            borne: None,
            base: Base::Gross,
            treatments: Treatments::default(),
        }
    }

    /// Returns the tax for a supplied amount. Its wages are not known.
    fn supplied_sums<T: Trace>(&self, trace: &mut T, amount: Amount) -> Sums {
        trace.add_leaf(|| {
            Step::new(self.code.clone(), Operation::Given, amount)
                .input("name", self.tax.name.clone())
                .note("The amount was supplied.")
        });
        Sums { whole: amount, amount, ..Sums::default() }
    }

    /// Calculates the wages and tax of a paycheck.
    ///
    /// # Errors
    /// The state's income tax is needed and not known, or figures are out of bounds.
    fn calculate_sums<T: Trace>(&self, trace: &mut T, pay: &Pay<'_>, before: &ToDate) -> Result<Sums, Why> {
        let given = matches!(self.base, Base::StateWages | Base::StateTaxable);
        let needs_state = given || matches!(self.method, Method::ShareOfStateTax(_));
        let state = match needs_state {
            true => pay.states.iter().find(|found| found.state == self.tax.jurisdiction.state),
            false => None,
        };
        let known = state.is_some_and(|state| self.base != Base::StateTaxable || state.taxable.is_some());
        if given && !known {
            return Err(Why::StateMissing);
        }
        Working { due: self, pay, before, state }.calculate_sums(trace).ok_or(Why::TooLarge)
    }
}
