//! Amounts that a step adds or subtracts, explained as the figure `amount`.

use super::run::Run;
use super::step::{AtLeast, ByKey, Each, Figure, Lookup};
use crate::amount::{Amount, Rounding};
use crate::explain::{Operation, Step as TraceStep, Trace};
use crate::ratio::Ratio;

impl<T: Trace> Run<'_, T> {
    /// Explains a table amount.
    fn explain_given(&mut self, amount: Amount) -> Ratio {
        self.trace.add_leaf(|| TraceStep::new("amount", Operation::Given, amount));
        Ratio::from_amount(amount)
    }

    /// Returns an amount per unit.
    fn amount_per_unit(&mut self, figure: &'static str, count: Amount, amount: Amount) -> Option<Ratio> {
        let product = Ratio::from_amount(count).times_amount(amount)?;
        self.trace.add_leaf(|| {
            TraceStep::new(figure, Operation::Product, product.to_value())
                .input("count", count)
                .input("each", amount)
        });
        Some(product)
    }

    /// Returns an amount.
    pub(super) fn evaluate_figure(&mut self, figure: &Figure) -> Option<Ratio> {
        match figure {
            Figure::Amount(amount) => Some(self.explain_given(*amount)),
            Figure::ByKey(amounts) => {
                let amount = *amounts.get(&self.claims.words)?;
                Some(self.explain_given(amount))
            }
            Figure::ByFrequency(amounts) => {
                let amount = *amounts.get(self.frequency)?.get(&self.claims.words)?;
                Some(self.explain_given(amount))
            }
            Figure::Per { each: Each { question, amount }, nothing_above } => {
                self.per_unless_above(*question, *amount, nothing_above.as_ref())
            }
            Figure::PerByFrequency { question, amounts, nothing_above } => {
                let amount = *amounts.get(self.frequency)?;
                self.per_unless_above(*question, amount, nothing_above.as_ref())
            }
            Figure::Answer(question) => {
                let amount = self.number(*question)?;
                Some(self.explain_given(amount))
            }
            Figure::AnswerOr { asked, question, otherwise } => {
                let claims = self.number(*asked)? > Amount::ZERO;
                let amount =
                    if claims { self.number(*question)? } else { *otherwise.get(&self.claims.words)? };
                Some(self.explain_given(amount))
            }
            Figure::Prorated { by_key, per, to_cents } => self.prorated(by_key.as_ref(), *per, *to_cents),
            Figure::PercentOfWages { percent, at_most, only_if } => {
                self.percent_of_wages(*percent, *at_most, *only_if)
            }
            Figure::PhaseOut(table) => {
                let figures = *table.get(&self.claims.words)?;
                self.phase_out(figures)
            }
            Figure::Lookup(lookup) => {
                let row = self.look_up(lookup)?;
                match lookup.times {
                    Some(question) => self.amount_per_unit("amount", self.number(question)?, row),
                    None => Some(self.explain_given(row)),
                }
            }
            Figure::FederalTax { at_most } => self.federal_tax(at_most.as_ref()),
            Figure::FederalAdditional { percent } => self.federal_additional(*percent),
            Figure::Fica { at_most_a_year } => self.fica(*at_most_a_year),
            Figure::CountTable { question, amounts } => {
                self.count_table(self.number(*question)?, amounts.get(self.frequency)?)
            }
            Figure::CountFormula { question, amounts } => {
                self.count_formula(self.number(*question)?, *amounts.get(self.frequency)?)
            }
        }
    }

    /// Returns the amount for a count; beyond the table, the amount for one times the count.
    fn count_table(&mut self, count: Amount, amounts: &[Amount]) -> Option<Ratio> {
        let whole = usize::try_from(count.millionths() / 1_000_000).ok()?;
        match whole.checked_sub(1).map(|before| amounts.get(before)) {
            None => Some(self.explain_given(Amount::ZERO)),
            Some(Some(amount)) => Some(self.explain_given(*amount)),
            Some(None) => self.amount_per_unit("amount", count, *amounts.first()?),
        }
    }

    /// Returns the amount for one; for more, an amount each plus a constant.
    fn count_formula(&mut self, count: Amount, [one, each, plus]: [Amount; 3]) -> Option<Ratio> {
        match count.millionths() {
            0 => return Some(self.explain_given(Amount::ZERO)),
            1_000_000 => return Some(self.explain_given(one)),
            _ => {}
        }
        self.trace.open_figure();
        let all = self.amount_per_unit("all", count, each)?;
        let sum = all.plus(Ratio::from_amount(plus))?;
        self.trace.close_figure(|| {
            TraceStep::new("amount", Operation::Sum, sum.to_value())
                .input("all", all.to_value())
                .input("plus", plus)
        });
        Some(sum)
    }

    fn per_unless_above(
        &mut self,
        question: usize,
        amount: Amount,
        limit: Option<&ByKey<Amount>>,
    ) -> Option<Ratio> {
        let limit = limit.and_then(|limits| limits.get(&self.claims.words));
        if let Some(limit) = limit
            && self.annual.compare(Ratio::from_amount(*limit))?.is_gt()
        {
            self.trace.add_leaf(|| {
                TraceStep::new("amount", Operation::Given, Amount::ZERO)
                    .note(format!("The annual wages are above {limit}."))
            });
            return Some(Ratio::ZERO);
        }
        self.amount_per_unit("amount", self.number(question)?, amount)
    }

    fn prorated(
        &mut self,
        by_key: Option<&ByKey<Amount>>,
        per: Option<Each>,
        to_cents: bool,
    ) -> Option<Ratio> {
        let periods = self.periods;
        self.trace.open_figure();
        self.trace.open_figure();
        let fixed = match by_key {
            Some(amounts) => *amounts.get(&self.claims.words)?,
            None => Amount::ZERO,
        };
        let each = match per {
            Some(Each { question, amount }) => {
                self.amount_per_unit("for_all", self.number(question)?, amount)?
            }
            None => Ratio::ZERO,
        };
        let a_year = Ratio::from_amount(fixed).plus(each)?;
        self.trace.close_figure(|| {
            let step = TraceStep::new("a_year", Operation::Sum, a_year.to_value()).input("by_status", fixed);
            if per.is_some() { step.input("for_all", each.to_value()) } else { step }
        });
        let exact = a_year.times(1, periods)?;
        let amount = if to_cents { Ratio::from_amount(exact.to_cents(Rounding::HalfUp)?) } else { exact };
        self.trace.close_figure(|| {
            let step = TraceStep::new("amount", Operation::Product, amount.to_value())
                .input("a_year", a_year.to_value())
                .ratio("pay_periods", 1, periods);
            if to_cents { step.rounded("0.01", Rounding::HalfUp) } else { step }
        });
        Some(amount)
    }

    fn percent_of_wages(&mut self, percent: Amount, at_most: Amount, only_if: AtLeast) -> Option<Ratio> {
        if !self.condition_holds(only_if) {
            return Some(self.explain_given(Amount::ZERO));
        }
        self.trace.open_figure();
        let share = self.annual.percent(percent)?;
        let annual = self.annual;
        self.trace.add_leaf(|| {
            TraceStep::new("share", Operation::Product, share.to_value())
                .input("annual_wages", annual.to_value())
                .ratio("rate", percent.millionths(), 100_000_000)
        });
        let amount = share.least(Ratio::from_amount(at_most))?;
        self.trace.close_figure(|| {
            TraceStep::new("amount", Operation::Least, amount.to_value())
                .input("share", share.to_value())
                .input("at_most", at_most)
        });
        Some(amount)
    }

    fn phase_out(&mut self, [maximum, start, percent]: [Amount; 3]) -> Option<Ratio> {
        let annual = self.annual;
        let above = annual.minus(Ratio::from_amount(start))?.or_nothing();
        let less = above.percent(percent)?;
        let amount = Ratio::from_amount(maximum).minus(less)?.or_nothing();
        self.trace.open_figure();
        self.trace.open_figure();
        self.trace.add_leaf(|| {
            TraceStep::new("above_start", Operation::Remaining, above.to_value())
                .input("annual_wages", annual.to_value())
                .input("start", start)
        });
        self.trace.close_figure(|| {
            TraceStep::new("less", Operation::Product, less.to_value())
                .input("above_start", above.to_value())
                .ratio("rate", percent.millionths(), 100_000_000)
        });
        self.trace.close_figure(|| {
            TraceStep::new("amount", Operation::Remaining, amount.to_value())
                .input("maximum", maximum)
                .input("less", less.to_value())
        });
        Some(amount)
    }

    /// Returns the last row that begins at or below the annual wages, or zero.
    pub(super) fn look_up(&self, lookup: &Lookup) -> Option<Amount> {
        let rows = lookup.table.get(&self.claims.words)?;
        let mut found = Amount::ZERO;
        for (from, amount) in rows {
            let order = self.annual.compare(Ratio::from_amount(*from))?;
            let begun = if lookup.more_than { order.is_gt() } else { order.is_ge() };
            if !begun {
                break;
            }
            found = *amount;
        }
        Some(found)
    }

    fn federal_tax(&mut self, at_most: Option<&Lookup>) -> Option<Ratio> {
        let (periods, period) = (self.periods, self.wages.federal_income_tax);
        let a_year = Ratio::from_amount(period).times(periods, 1)?;
        let cap = match at_most {
            Some(lookup) => self.look_up(lookup)?,
            None => Amount::from_millionths(i64::MAX),
        };
        self.trace.open_figure();
        self.trace.add_leaf(|| {
            TraceStep::new("federal_tax_of_a_year", Operation::Product, a_year.to_value())
                .input("federal_income_tax", period)
                .ratio("pay_periods", periods, 1)
        });
        let amount = a_year.least(Ratio::from_amount(cap))?;
        self.trace.close_figure(|| {
            let step = TraceStep::new("amount", Operation::Least, amount.to_value())
                .input("federal_tax_of_a_year", a_year.to_value());
            if at_most.is_some() { step.input("at_most", cap) } else { step }
        });
        Some(amount)
    }

    fn federal_additional(&mut self, percent: Amount) -> Option<Ratio> {
        let additional = self.wages.federal_additional;
        if self.claims.has_certificate || additional == Amount::ZERO {
            return Some(self.explain_given(Amount::ZERO));
        }
        let share = Ratio::from_amount(additional).percent(percent)?;
        self.trace.add_leaf(|| {
            TraceStep::new("amount", Operation::Product, share.to_value())
                .input("additional_federal_withholding", additional)
                .ratio("rate", percent.millionths(), 100_000_000)
                .note("There is no certificate of the state, so that a part of what Form W-4 asks for is added.")
        });
        Some(share)
    }

    fn fica(&mut self, at_most: Amount) -> Option<Ratio> {
        let (fica, before) = (self.wages.fica, self.wages.fica_before);
        let room = at_most.checked_sub(before)?.max(Amount::ZERO);
        let amount = fica.min(room);
        self.trace.open_figure();
        self.trace.add_leaf(|| {
            TraceStep::new("room", Operation::Remaining, room)
                .input("at_most_a_year", at_most)
                .input("before", before)
        });
        self.trace.close_figure(|| {
            TraceStep::new("amount", Operation::Least, amount).input("fica", fica).input("room", room)
        });
        Some(Ratio::from_amount(amount))
    }
}
