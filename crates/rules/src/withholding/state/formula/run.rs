//! Interpreter of formulas, with explanations.
//!
//! Each step is explained as a figure `line_1`, `line_2` and so on, whose first input is the previous line.

use super::step::{AtLeast, Figure, Lookup, Row, Step, Top, frequency_index};
use super::{Claims, CountyTax, Formula, Wages};
use crate::amount::{Amount, Rounding};
use crate::explain::{NoTrace, Operation, Step as TraceStep, Trace};
use crate::ratio::Ratio;
use crate::withholding::federal::PayFrequency;

/// Name of the result in explanations.
const FIGURE: &str = "state_income_tax";

impl Formula {
    /// Returns the state income tax to withhold from the wages of a pay period, in whole cents, and explains
    /// it as the figure `state_income_tax`. The formula must have been found for `frequency`.
    ///
    /// `None` if the formula has no value for the certificate or the frequency, which tests rule out for
    /// every valid certificate, and on overflow.
    pub fn withhold_state_tax<T: Trace>(
        &self,
        trace: &mut T,
        claims: &Claims,
        wages: &Wages,
        frequency: PayFrequency,
    ) -> Option<Amount> {
        let state =
            || TraceStep::new(FIGURE, Operation::Given, Amount::ZERO).input("state", self.state.clone());
        if claims.exempt {
            trace.add_leaf(|| state().note("The certificate claims exemption from withholding."));
            return Some(Amount::ZERO);
        }
        if let Some(percent) = claims.flat {
            let tax = Ratio::from_amount(wages.taxable).percent(percent)?.to_cents(Rounding::HalfUp)?;
            trace.add_leaf(|| {
                TraceStep { operation: Operation::Product, ..state() }
                    .input("state_taxable_wages", wages.taxable)
                    .ratio("rate", percent.millionths(), 100_000_000)
                    .rounded("0.01", Rounding::HalfUp)
                    .result(tax)
                    .note("There is no certificate, so that the state's flat rate counts.")
            });
            return Some(tax);
        }
        let (published, periods) = self.period_of(frequency)?;
        trace.open_figure();
        let tax = if published == frequency {
            self.tax(trace, claims, wages, (frequency, periods))?
        } else {
            self.part_of_year(trace, claims, wages, frequency.periods_per_year())?
        };
        let sum = tax.checked_add(claims.additional)?;
        let withheld = match self.additional_in_dollars && claims.additional > Amount::ZERO {
            true => Ratio::from_amount(sum).to_dollars(Rounding::HalfUp)?,
            false => sum,
        };
        trace.close_figure(|| {
            let step = TraceStep { operation: Operation::Sum, ..state() }
                .result(withheld)
                .input("tax", tax)
                .input("additional_withholding", claims.additional)
                .source(self.edition.clone());
            let step = if withheld == sum { step } else { step.rounded("1", Rounding::HalfUp) };
            match &self.remark {
                Some(remark) => step.note(remark.clone()),
                None => step,
            }
        });
        Some(withheld)
    }

    /// Returns the tax of a pay period before additional withholding, and explains it as the figure `tax`.
    fn tax<T: Trace>(
        &self,
        trace: &mut T,
        claims: &Claims,
        wages: &Wages,
        (frequency, periods): (PayFrequency, i64),
    ) -> Option<Amount> {
        let x = Ratio::from_amount(wages.taxable);
        let mut run =
            Run { trace, claims, wages, frequency, periods, annual: x.times(periods, 1)?, x, line: 0 };
        run.begin_line();
        // Some brackets begin with a base, but there is no tax without wages.
        if wages.taxable > Amount::ZERO {
            for step in &self.steps {
                if run.run_step(step)?.is_none() {
                    break;
                }
            }
        }
        let (x, line) = (run.x, run.line);
        let tax = x.or_nothing().to_cents(Rounding::HalfUp)?;
        trace.add_leaf(|| {
            TraceStep::new("tax", Operation::Remaining, tax)
                .input(format!("line_{line}"), x.to_value())
                .rounded("0.01", Rounding::HalfUp)
        });
        Some(tax)
    }

    /// Returns the tax of a pay period that the state does not publish: its part of the tax on the wages of a year.
    fn part_of_year<T: Trace>(
        &self,
        trace: &mut T,
        claims: &Claims,
        wages: &Wages,
        periods: i64,
    ) -> Option<Amount> {
        let all = |amount: Amount| amount.mul_ratio(periods, 1, Rounding::HalfUp);
        let of_year = Wages {
            taxable: all(wages.taxable)?,
            gross: all(wages.gross)?,
            federal_income_tax: all(wages.federal_income_tax)?,
            federal_additional: all(wages.federal_additional)?,
            fica: all(wages.fica)?,
            // What earlier pay periods withheld is part of the year's amount.
            fica_before: Amount::ZERO,
        };
        trace.open_figure();
        trace.add_leaf(|| {
            TraceStep::new("taxable_wages_of_a_year", Operation::Product, of_year.taxable)
                .input("state_taxable_wages", wages.taxable)
                .ratio("pay_periods", periods, 1)
        });
        trace.open_figure();
        let tax = self.tax(trace, claims, &of_year, (PayFrequency::Annually, 1))?;
        trace.close_figure(|| TraceStep::new("tax_of_a_year", Operation::Sum, tax).input("tax", tax));
        let part = Ratio::from_amount(tax).times(1, periods)?.to_cents(Rounding::HalfUp)?;
        trace.close_figure(|| {
            TraceStep::new("tax", Operation::Product, part)
                .input("tax_of_a_year", tax)
                .ratio("pay_periods", 1, periods)
                .rounded("0.01", Rounding::HalfUp)
                .note("The state prints no table for such pay periods: that of a year applies.")
        });
        Some(part)
    }
}

impl Formula {
    /// Returns the wages of a pay period that the state taxes after exemptions, in whole cents: the base of the formula's
    /// percentage. Local taxes such as those of Indiana's counties are calculated from them.
    ///
    /// `None` if the formula has no percentage step, or anything but prorated exemptions before it, if the state does not
    /// publish the frequency, and on overflow.
    pub fn taxable_wages(&self, claims: &Claims, wages: Amount, frequency: PayFrequency) -> Option<Amount> {
        let rated = self.steps.iter().position(|step| matches!(step, Step::Percent(_)))?;
        let exempts =
            |step: &Step| matches!(step, Step::Subtract(Figure::Prorated { .. }) | Step::NotBelowZero);
        if !self.steps[..rated].iter().all(exempts) {
            return None;
        }
        let periods = self.periods[frequency_index(frequency)]?;
        let x = Ratio::from_amount(wages);
        let of_period = Wages { taxable: wages, gross: wages, ..Wages::default() };
        let (mut trace, annual) = (NoTrace, x.times(periods, 1)?);
        let (trace, wages) = (&mut trace, &of_period);
        let mut run = Run { trace, claims, wages, frequency, periods, annual, x, line: 0 };
        for step in &self.steps[..rated] {
            run.run_step(step)??;
        }
        run.x.or_nothing().to_cents(Rounding::HalfUp)
    }
}

/// State of the interpreter.
pub(super) struct Run<'r, T> {
    pub(super) trace: &'r mut T,
    pub(super) claims: &'r Claims,
    pub(super) wages: &'r Wages,
    pub(super) frequency: PayFrequency,
    pub(super) periods: i64,
    /// Annual taxable wages.
    pub(super) annual: Ratio,
    x: Ratio,
    line: u32,
}

/// Continues after a step, or `None` to end the formula.
type GoesOn = Option<()>;

impl<T: Trace> Run<'_, T> {
    fn begin_line(&mut self) {
        self.trace.add_leaf(|| {
            TraceStep::new("line_0", Operation::Given, self.wages.taxable)
                .note("taxable wages of the pay period")
        });
        self.trace.add_leaf(|| {
            TraceStep::new("annual_wages", Operation::Product, self.annual.to_value())
                .input("line_0", self.wages.taxable)
                .ratio("pay_periods", self.periods, 1)
        });
    }

    /// Closes a line opened by `open`; its first input is the previous line.
    fn close_line(&mut self, x: Ratio, operation: Operation, more: impl FnOnce(TraceStep) -> TraceStep) {
        let (before, line) = (self.x, self.line);
        self.x = x;
        self.line += 1;
        self.trace.close_figure(|| {
            let step = TraceStep::new(format!("line_{}", line + 1), operation, x.to_value());
            more(step.input(format!("line_{line}"), before.to_value()))
        });
    }

    /// Explains a line derived from the previous one only.
    fn explain_line(&mut self, x: Ratio, operation: Operation, more: impl FnOnce(TraceStep) -> TraceStep) {
        self.trace.open_figure();
        self.close_line(x, operation, more);
    }

    /// Evaluates a step. The outer `None` is an error, the inner one ends the formula.
    fn run_step(&mut self, step: &Step) -> Option<GoesOn> {
        let (x, periods) = (self.x, self.periods);
        match step {
            Step::Annualise => {
                self.explain_line(x.times(periods, 1)?, Operation::Product, |step| {
                    step.ratio("pay_periods", periods, 1)
                });
            }
            Step::Deannualise => {
                self.explain_line(x.times(1, periods)?, Operation::Product, |step| {
                    step.ratio("pay_periods", 1, periods)
                });
            }
            Step::NotBelowZero => self.explain_line(x.or_nothing(), Operation::Remaining, |step| step),
            Step::Round { to_dollars } => self.round_figure(*to_dollars)?,
            Step::StopIf { at_most, limits, only_if } => {
                let limit = *limits.get(self.frequency)?.get(&self.claims.words)?;
                let low = if *at_most { self.wages.gross <= limit } else { self.wages.gross < limit };
                if low && only_if.is_none_or(|condition| self.condition_holds(condition)) {
                    let note = format!(
                        "Gross wages of {} are too low to be taxed; the limit is {limit}.",
                        self.wages.gross
                    );
                    self.stop_formula(note);
                    return Some(None);
                }
            }
            Step::StopIfZero => {
                if x.compare(Ratio::ZERO)?.is_le() {
                    self.stop_formula("Nothing is left to be taxed.".to_owned());
                    return Some(None);
                }
            }
            Step::Subtract(figure) => self.add_figure(figure, false)?,
            Step::Add(figure) => self.add_figure(figure, true)?,
            Step::Percent(percent) => self.take_percent(*percent)?,
            Step::ElectedShare(question) => {
                let share = self.number(*question)?.millionths();
                self.explain_line(x.times(share, 1_000_000)?, Operation::Product, |step| {
                    step.ratio("elected_share", share, 1_000_000)
                });
            }
            Step::PercentLess(rows) => self.percent_less(rows)?,
            Step::Brackets(table) => self.apply_brackets(table.get(&self.claims.words)?, false)?,
            Step::BracketsByFrequency { tables, more_than, top } => {
                if !top.as_ref().map_or(Some(false), |top| self.apply_top_bands(top))? {
                    self.apply_brackets(tables.get(self.frequency)?.get(&self.claims.words)?, *more_than)?;
                }
            }
            Step::BracketsPlusLocal { .. } => self.brackets_with_county(step)?,
            Step::Tiers(table) => {
                let tiers = table.get(&self.claims.words)?;
                let (_, rows) = last_row_below(tiers, self.annual, |(from, _)| *from)?;
                self.apply_brackets(rows, false)?;
            }
            Step::PercentWithCredit { percent, phase_out_percent, credits } => {
                let credit = *credits.get(self.frequency)?.get(&self.claims.words)?;
                self.percent_with_credit(*percent, *phase_out_percent, credit)?;
            }
            Step::MiddleOfBand { band, middle, below } => self.middle_of_band(*band, *middle, *below)?,
            Step::ReduceByPercent(lookup) => self.reduce_by_percent(lookup)?,
        }
        Some(Some(()))
    }

    /// Evaluates a step of brackets beside which the county of the home has a rate or a schedule of its own.
    fn brackets_with_county(&mut self, step: &Step) -> Option<()> {
        let Step::BracketsPlusLocal { thresholds, percents, printed, joint, daily_periods, newest, .. } =
            step
        else {
            return None;
        };
        let (x, county) = (self.x, self.claims.county.as_ref()?);
        let periods = if self.frequency == PayFrequency::Daily { *daily_periods } else { self.periods };
        let local = county.percent_beside(printed);
        let of_status = thresholds.get(&self.claims.words)?;
        self.brackets_plus_local(of_status, percents, local, (periods, *newest))?;
        let word = self.claims.words.get(thresholds.key).copied().flatten();
        if let Some(rows) = county.schedule(word, *joint) {
            self.add_county_tax(county, &rows, (x, periods))?;
        }
        Some(())
    }

    fn stop_formula(&mut self, note: String) {
        self.trace.open_figure();
        self.x = Ratio::ZERO;
        self.line += 1;
        let line = self.line;
        self.trace.close_figure(|| {
            TraceStep::new(format!("line_{line}"), Operation::Given, Amount::ZERO).note(note)
        });
    }

    fn round_figure(&mut self, to_dollars: bool) -> Option<()> {
        let (amount, unit) = if to_dollars {
            (self.x.to_dollars(Rounding::HalfUp)?, "1")
        } else {
            (self.x.to_cents(Rounding::HalfUp)?, "0.01")
        };
        self.explain_line(Ratio::from_amount(amount), Operation::Sum, |step| {
            step.rounded(unit, Rounding::HalfUp)
        });
        Some(())
    }

    fn take_percent(&mut self, percent: Amount) -> Option<()> {
        self.explain_line(self.x.percent(percent)?, Operation::Product, |step| {
            step.ratio("rate", percent.millionths(), 100_000_000)
        });
        Some(())
    }

    fn add_figure(&mut self, figure: &Figure, adds: bool) -> Option<()> {
        self.trace.open_figure();
        let amount = self.evaluate_figure(figure)?;
        let (x, operation) = if adds {
            (self.x.plus(amount)?, Operation::Sum)
        } else {
            (self.x.minus(amount)?, Operation::Difference)
        };
        self.close_line(x, operation, |step| step.input("amount", amount.to_value()));
        Some(())
    }

    pub(super) fn number(&self, question: usize) -> Option<Amount> {
        self.claims.numbers.get(question).copied()
    }

    pub(super) fn condition_holds(&self, condition: AtLeast) -> bool {
        self.number(condition.question).is_some_and(|number| number >= condition.least)
    }

    fn percent_less(&mut self, rows: &[[Amount; 3]]) -> Option<()> {
        let [_, percent, less] = *last_row_below(rows, self.x, |row| row[0])?;
        self.take_percent(percent)?;
        self.explain_line(self.x.minus(Ratio::from_amount(less))?, Operation::Difference, |step| {
            step.input("less", less)
        });
        Some(())
    }

    fn apply_brackets(&mut self, rows: &[Row], more_than: bool) -> Option<()> {
        let row =
            if more_than { last_below(rows, self.x) } else { last_row_below(rows, self.x, |row| row.from) };
        match row {
            Some(row) => self.apply_bracket(*row),
            // No tax below the first row.
            None => self.take_percent(Amount::ZERO),
        }
    }

    fn apply_bracket(&mut self, row: Row) -> Option<()> {
        let x = self.x;
        let above = x.minus(Ratio::from_amount(row.over))?;
        let tax = above.percent(row.percent)?;
        let sum = tax.plus(Ratio::from_amount(row.base))?;
        self.trace.open_figure();
        self.trace.open_figure();
        let line = self.line;
        self.trace.add_leaf(|| {
            TraceStep::new("above", Operation::Difference, above.to_value())
                .input(format!("line_{line}"), x.to_value())
                .input("over", row.over)
        });
        self.trace.close_figure(|| {
            TraceStep::new("tax_above", Operation::Product, tax.to_value())
                .input("above", above.to_value())
                .ratio("rate", row.percent.millionths(), 100_000_000)
        });
        self.x = sum;
        self.line += 1;
        self.trace.close_figure(|| {
            TraceStep::new(format!("line_{}", line + 1), Operation::Sum, sum.to_value())
                .input("base", row.base)
                .input("tax_above", tax.to_value())
        });
        Some(())
    }

    /// Applies one percentage to the whole figure if it reaches the top bands; returns whether it does.
    fn apply_top_bands(&mut self, top: &Top) -> Option<bool> {
        let from = *top.from.get(self.frequency)?.get(&self.claims.words)?;
        if self.x.compare(Ratio::from_amount(from))?.is_lt() {
            return Some(false);
        }
        let annual = self.x.times(self.periods, 1)?;
        let bands = top.bands.get(&self.claims.words)?;
        // Rounded limits of a pay period may be a few dollars below the first band.
        let band = last_row_below(bands, annual, |(from, _)| *from).or(bands.first())?;
        self.take_percent(band.1)?;
        Some(true)
    }

    fn brackets_plus_local(
        &mut self,
        thresholds: &[Amount],
        percents: &[Amount],
        local: Amount,
        (periods, newest): (i64, usize),
    ) -> Option<()> {
        let mut base = Ratio::ZERO;
        let mut row = None;
        let mut before: Option<(Amount, Amount)> = None;
        let older = thresholds.len().saturating_sub(newest);
        for (place, (threshold, percent)) in thresholds.iter().zip(percents).enumerate() {
            let percent = percent.checked_add(local)?;
            let exactly = Ratio::from_amount(*threshold).times(1, periods)?;
            let from = exactly.to_dollars(Rounding::HalfUp)?;
            if self.x.compare(Ratio::from_amount(from))?.is_lt() {
                break;
            }
            let mut of_period = base.times(1, periods)?;
            if let Some((lower, of_lower)) = before {
                base = base.plus(Ratio::from_amount(threshold.checked_sub(lower)?).percent(of_lower)?)?;
                of_period = base.times(1, periods)?;
                if place >= older {
                    // The rounding difference of the limit is taxed too.
                    of_period =
                        of_period.plus(Ratio::from_amount(from).minus(exactly)?.percent(of_lower)?)?;
                }
            }
            row = Some(Row { from, base: of_period.to_cents(Rounding::HalfUp)?, percent, over: from });
            before = Some((*threshold, percent));
        }
        self.apply_bracket(row?)
    }

    /// Adds the tax of a county with a schedule, on the taxable wages of a pay period.
    fn add_county_tax(
        &mut self,
        county: &CountyTax,
        rows: &[Row],
        (wages, periods): (Ratio, i64),
    ) -> Option<()> {
        let of_year = wages.times(periods, 1)?;
        let Some(row) = last_below(rows, of_year).copied() else { return Some(()) };
        let above = of_year.minus(Ratio::from_amount(row.over))?;
        let on_above = above.percent(row.percent)?;
        let tax_of_year = on_above.plus(Ratio::from_amount(row.base))?;
        let tax = tax_of_year.times(1, periods)?;
        let sum = self.x.plus(tax)?;
        // The line before is the state's part; the one before that its taxable wages.
        let taxable = self.line.saturating_sub(1);
        self.trace.open_figure();
        self.trace.open_figure();
        self.trace.add_leaf(|| {
            TraceStep::new("county_wages_of_a_year", Operation::Product, of_year.to_value())
                .input(format!("line_{taxable}"), wages.to_value())
                .ratio("pay_periods", periods, 1)
        });
        self.trace.add_leaf(|| {
            TraceStep::new("above", Operation::Difference, above.to_value())
                .input("county_wages_of_a_year", of_year.to_value())
                .input("over", row.over)
        });
        self.trace.add_leaf(|| {
            TraceStep::new("tax_above", Operation::Product, on_above.to_value())
                .input("above", above.to_value())
                .ratio("rate", row.percent.millionths(), 100_000_000)
        });
        self.trace.add_leaf(|| {
            TraceStep::new("county_tax_of_a_year", Operation::Sum, tax_of_year.to_value())
                .input("base", row.base)
                .input("tax_above", on_above.to_value())
                .source(county.source.clone())
                .note(county.name.clone())
        });
        self.trace.close_figure(|| {
            TraceStep::new("county_tax", Operation::Product, tax.to_value())
                .input("county_tax_of_a_year", tax_of_year.to_value())
                .ratio("pay_periods", 1, periods)
        });
        self.close_line(sum, Operation::Sum, |step| step.input("county_tax", tax.to_value()));
        Some(())
    }

    fn percent_with_credit(
        &mut self,
        percent: Amount,
        phase_out: Amount,
        [credit, start]: [Amount; 2],
    ) -> Option<()> {
        let x = self.x;
        let line = self.line;
        let tax = x.percent(percent)?.to_dollars(Rounding::HalfUp)?;
        let above = x.minus(Ratio::from_amount(start))?.or_nothing();
        let less = above.percent(phase_out)?.to_dollars(Rounding::HalfUp)?;
        let left = Ratio::from_amount(credit).minus(Ratio::from_amount(less))?.or_nothing();
        let result = Ratio::from_amount(tax).minus(left)?.or_nothing();
        self.trace.open_figure();
        self.trace.add_leaf(|| {
            TraceStep::new("tax_before_credit", Operation::Product, tax)
                .input(format!("line_{line}"), x.to_value())
                .ratio("rate", percent.millionths(), 100_000_000)
                .rounded("1", Rounding::HalfUp)
        });
        self.trace.open_figure();
        self.trace.open_figure();
        self.trace.add_leaf(|| {
            TraceStep::new("above_start", Operation::Remaining, above.to_value())
                .input(format!("line_{line}"), x.to_value())
                .input("start", start)
        });
        self.trace.close_figure(|| {
            TraceStep::new("less", Operation::Product, less)
                .input("above_start", above.to_value())
                .ratio("rate", phase_out.millionths(), 100_000_000)
                .rounded("1", Rounding::HalfUp)
        });
        self.trace.close_figure(|| {
            TraceStep::new("credit_left", Operation::Remaining, left.to_value())
                .input("credit", credit)
                .input("less", less)
        });
        self.x = result;
        self.line += 1;
        self.trace.close_figure(|| {
            TraceStep::new(format!("line_{}", line + 1), Operation::Remaining, result.to_value())
                .input("tax_before_credit", tax)
                .input("credit_left", left.to_value())
        });
        Some(())
    }

    fn middle_of_band(&mut self, band: Amount, middle: Amount, below: Amount) -> Option<()> {
        if self.x.compare(Ratio::from_amount(below))?.is_ge() {
            return Some(());
        }
        // Number of bands, and the lower bound.
        let bands = self.x.times(1_000_000, band.millionths())?.to_dollars(Rounding::Down)?;
        let floor = Ratio::from_amount(bands).times_amount(band)?;
        let x = floor.plus(Ratio::from_amount(middle))?;
        self.explain_line(Ratio::from_amount(bands), Operation::Quotient, |step| {
            step.input("band", band).rounded("1", Rounding::Down)
        });
        self.explain_line(floor, Operation::Product, |step| step.input("band", band));
        self.explain_line(x, Operation::Sum, |step| step.input("middle", middle));
        Some(())
    }

    fn reduce_by_percent(&mut self, lookup: &Lookup) -> Option<()> {
        let percent = self.look_up(lookup)?;
        let left = Amount::from_cents(100 * 100).checked_sub(percent)?;
        self.take_percent(left)
    }
}

/// Returns the last of ascending rows that begins below a figure; the first one from zero on.
fn last_below(rows: &[Row], x: Ratio) -> Option<&Row> {
    let begun = |row: &&Row| match x.compare(Ratio::from_amount(row.from)) {
        Some(order) => order.is_gt() || (order.is_eq() && row.from == Amount::ZERO),
        None => false,
    };
    rows.iter().rev().find(begun)
}

/// Returns the last of ascending rows that begins at or below a figure.
fn last_row_below<R>(rows: &[R], x: Ratio, from: impl Fn(&R) -> Amount) -> Option<&R> {
    rows.iter()
        .rev()
        .find(|row| x.compare(Ratio::from_amount(from(row))).is_some_and(std::cmp::Ordering::is_ge))
}
