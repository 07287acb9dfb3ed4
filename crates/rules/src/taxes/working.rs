//! Calculates one tax line, step by step.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::bases::{Base, Item, Treatment};
use super::due::Due;
use super::engine::{Pay, StateResult};
use super::table::{Accrual, Bracket, Method, Payer, RoundingRule, Span};
use super::to_date::{Sums, ToDate, quarter_of_day};
use crate::Named;
use crate::amount::{Amount, Rounding};
use crate::days::Days;
use crate::explain::{Operation, Step, Trace};
use crate::full_time::WEEKS_PER_YEAR;
use crate::ratio::Ratio;

/// A line under calculation.
pub(super) struct Working<'w> {
    pub(super) due: &'w Due,
    pub(super) pay: &'w Pay<'w>,
    pub(super) before: &'w ToDate,
    pub(super) state: Option<&'w StateResult<'w>>,
}

impl Working<'_> {
    /// Calculates subject wages, taxable wages and the tax, and records each step. `None` on overflow.
    pub(super) fn calculate_sums<T: Trace>(&self, trace: &mut T) -> Option<Sums> {
        trace.open_figure();
        let subject = self.subject_wages(trace)?;
        let taxable = self.taxable_wages(trace, subject)?;
        let tax =
            if subject == Amount::ZERO { Amount::ZERO } else { self.calculate_tax(trace, subject, taxable)? };
        let whole = self.cap_tax(trace, tax)?;
        let amount = self.payer_part(whole)?;
        trace.close_figure(|| self.answer(whole, amount));
        Some(Sums { subject, taxable, whole, amount })
    }

    /// Returns the step for the line itself, with its row's source.
    fn answer(&self, whole: Amount, amount: Amount) -> Step {
        let Due { tax, code, borne, payer, .. } = self.due;
        let step = match borne {
            None => Step::new(code.clone(), Operation::Sum, amount).input("tax_within_cap", whole),
            Some(percent) if *payer == Payer::Employer => Step::new(code.clone(), Operation::Product, amount)
                .input("tax_within_cap", whole)
                .ratio("borne_by_the_employer", percent.millionths(), 100_000_000)
                .rounded("0.01", Rounding::HalfUp),
            Some(_) => {
                let borne = whole.checked_sub(amount).unwrap_or_default();
                Step::new(code.clone(), Operation::Difference, amount)
                    .input("tax_within_cap", whole)
                    .input("borne_by_the_employer", borne)
            }
        };
        let step = step.input("row", tax.code.clone()).input("name", self.due.name());
        let step = step.input("confidence", tax.confidence.as_str()).source(tax.source.clone());
        if tax.note.is_empty() { step } else { step.note(tax.note.clone()) }
    }

    /// Calculates the pay in the tax's base, times the place's share; never below zero.
    fn subject_wages<T: Trace>(&self, trace: &mut T) -> Option<Amount> {
        let share = self.due.share;
        trace.open_figure();
        let all = match (self.due.base, self.state) {
            (Base::StateWages, Some(state)) => {
                self.explain_wages(trace, state.wages, "the state's income tax")
            }
            (Base::StateTaxable, Some(state)) => {
                self.explain_wages(trace, state.taxable?, "the state's income tax, after exemptions")
            }
            _ => self.in_base(trace)?,
        };
        let subject = if share.is_all() {
            all
        } else {
            Ratio::from_amount(all).times(share.part.into(), share.of.into())?.to_cents(Rounding::HalfUp)?
        };
        trace.close_figure(|| {
            Step::new("subject_wages", Operation::Product, subject)
                .input("wages_in_base", all)
                .ratio(self.share_name(), share.part, share.of)
                .rounded("0.01", Rounding::HalfUp)
        });
        Some(subject)
    }

    /// Returns the name of the wage share.
    fn share_name(&self) -> &'static str {
        match self.due.tax.method {
            Method::OnReturn(Accrual::AbovePayroll { .. }) => "share_above_the_free_payroll",
            _ => "share_of_the_place",
        }
    }

    fn explain_wages<T: Trace>(&self, trace: &mut T, wages: Amount, whose: &'static str) -> Amount {
        let wages = wages.max(Amount::ZERO);
        trace.add_leaf(|| Step::new("wages_in_base", Operation::Given, wages).input("wages_of", whose));
        wages
    }

    fn in_base<T: Trace>(&self, trace: &mut T) -> Option<Amount> {
        let wages = &self.pay.wages;
        let mut counted = wages.cash;
        if self.due.tax.tips {
            counted = counted.checked_add(wages.tips)?;
        }
        let is_in = |item| self.due.treatments.treatment_of_item(item) == Treatment::In;
        let imputed = || Item::ALL.iter().copied().filter(|item| item.is_imputed() && is_in(*item));
        for item in imputed() {
            counted = counted.checked_add(wages.item(item))?;
        }
        let mut left = counted;
        let leaving = || Item::ALL.iter().copied().filter(|item| !item.is_imputed() && !is_in(*item));
        for item in leaving() {
            left = left.checked_sub(wages.item(item))?;
        }
        let left = left.max(Amount::ZERO);
        trace.open_figure();
        trace.add_leaf(|| {
            let step = Step::new("pay", Operation::Sum, counted).input("cash", wages.cash);
            let step = if self.due.tax.tips { step.input("tips", wages.tips) } else { step };
            imputed()
                .filter(|item| *item == Item::GroupTermLife || wages.item(*item) != Amount::ZERO)
                .fold(step, |step, item| step.input(item.as_str(), wages.item(item)))
        });
        trace.close_figure(|| {
            let step = Step::new("wages_in_base", Operation::Remaining, left).input("pay", counted);
            let step = leaving()
                .filter(|item| wages.item(*item) != Amount::ZERO)
                .fold(step, |step, item| step.input(item.as_str(), wages.item(item)));
            step.input("base", self.due.base.as_str())
        });
        Some(left)
    }

    /// Calculates the wages left after exemptions and the wage base.
    fn taxable_wages<T: Trace>(&self, trace: &mut T, subject: Amount) -> Option<Amount> {
        let off = self.period_exemptions()?;
        let after = subject.checked_sub(off)?.max(Amount::ZERO);
        let Some(limit) = self.due.wage_base else {
            trace.add_leaf(|| {
                Step::new("taxable_wages", Operation::Remaining, after)
                    .input("subject_wages", subject)
                    .input("exemptions_of_the_period", off)
            });
            return Some(after);
        };
        let (base, mut before) = self.limit_for_period(limit, |sums| sums.taxable)?;
        if limit.1 == Span::Year {
            before = before.checked_add(self.before.elsewhere)?;
        }
        let room = base.checked_sub(before)?.max(Amount::ZERO);
        let taxable = after.min(room);
        trace.open_figure();
        trace.add_leaf(|| {
            Step::new("wages_after_exemptions", Operation::Remaining, after)
                .input("subject_wages", subject)
                .input("exemptions_of_the_period", off)
        });
        trace.add_leaf(|| {
            Step::new("room_below_the_wage_base", Operation::Remaining, room)
                .input("wage_base", base)
                .input("taxable_wages_before", before)
        });
        trace.close_figure(|| {
            Step::new("taxable_wages", Operation::Least, taxable)
                .input("wages_after_exemptions", after)
                .input("room_below_the_wage_base", room)
        });
        Some(taxable)
    }

    /// Returns the deduction and exemptions of the pay period: of the year divided, to the cent. A table of the pay period prints them
    /// to five cents each, for two weeks twice those of one and for a month twice those of half a month.
    fn period_exemptions(&self) -> Option<Amount> {
        let Due { off, exemptions, ref method, ref tax, .. } = *self.due;
        if off == Amount::ZERO {
            return Some(Amount::ZERO);
        }
        if !matches!(method, Method::SchedulePeriod(_)) {
            return Ratio::from_amount(off).times(1, self.pay.periods)?.to_cents(Rounding::HalfUp);
        }
        let (periods, times) = match self.pay.periods {
            26 => (WEEKS_PER_YEAR, 2),
            12 => (24, 2),
            periods => (periods, 1),
        };
        let printed = |of_year: Amount, number: i64| {
            let twentieths = Ratio::from_amount(of_year).times(20, periods)?.to_dollars(Rounding::HalfUp)?;
            twentieths.mul_ratio(number.checked_mul(times)?, 20, Rounding::HalfUp)
        };
        printed(tax.deduction, 1)?.checked_add(printed(tax.allowance, exemptions)?)
    }

    /// Returns a limit as it applies to the pay period, and the amount already counted against it. Weekly limits cover the weeks
    /// of the pay period, so its earlier paychecks count against them.
    fn limit_for_period(
        &self,
        (limit, span): (Amount, Span),
        counted: impl Fn(&Sums) -> Amount,
    ) -> Option<(Amount, Amount)> {
        Some(match span {
            Span::Year => (limit, counted(&self.before.year)),
            Span::Quarter => (limit, counted(&self.before.quarter)),
            Span::Month => (limit, counted(&self.before.month)),
            Span::Week | Span::Hour => (self.of_weeks(limit)?, counted(&self.before.period)),
        })
    }

    /// Returns a weekly figure for the pay period, to the cent: 52 weeks divided by the pay periods of a year; for an employee
    /// employed in only part of the period, the weeks employed, a partial week counting as whole, if that is less.
    fn of_weeks(&self, weekly: Amount) -> Option<Amount> {
        let Pay { start, end, employed: Days { first, last }, employer_periods: periods, .. } = *self.pay;
        let held = (i64::from((last - first).get_days()) + 7) / 7;
        if (first, last) != (start, end) && held * periods < WEEKS_PER_YEAR {
            return Ratio::from_amount(weekly).times(held, 1)?.to_cents(Rounding::HalfUp);
        }
        Ratio::from_amount(weekly).times(WEEKS_PER_YEAR, periods)?.to_cents(Rounding::HalfUp)
    }

    fn calculate_tax<T: Trace>(&self, trace: &mut T, subject: Amount, taxable: Amount) -> Option<Amount> {
        match &self.due.method {
            Method::Rate(percent) => self.at_rate(trace, taxable, *percent),
            Method::ScheduleAnnual(brackets) => self.tax_on_annual_wages(trace, taxable, brackets),
            Method::SchedulePeriod(brackets) => self.of_pay_period(trace, taxable, brackets),
            Method::ScheduleToDate(brackets) => self.of_the_year(trace, taxable, brackets),
            Method::Amount(amount, span) => self.fixed_tax(trace, subject, (*amount, *span)),
            Method::ShareOfStateTax(percent) => {
                trace.open_figure();
                let (state_tax, share) = (self.state_tax(trace)?, self.due.share);
                let part = Ratio::from_amount(state_tax).times(share.part.into(), share.of.into())?;
                let tax = self.round_tax(part.percent(*percent)?)?;
                trace.close_figure(|| {
                    let step = Step::new("tax", Operation::Product, tax).input("state_income_tax", state_tax);
                    let step = match share.is_all() {
                        true => step,
                        false => step.ratio("share_of_the_place", share.part, share.of),
                    };
                    with_rounding(self.due, step).ratio("rate", percent.millionths(), 100_000_000)
                });
                Some(tax)
            }
            // Rows without a method of their own never become due.
            Method::Ceiling(_) | Method::OwnRate | Method::OnReturn(_) | Method::Gap | Method::None => None,
        }
    }

    /// Returns the state's income tax by its formula, without the additional amount the employee requested: that amount is for
    /// the state alone.
    fn state_tax<T: Trace>(&self, trace: &mut T) -> Option<Amount> {
        let (withheld, additional) =
            self.state.map_or((Amount::ZERO, Amount::ZERO), |state| (state.tax, state.additional));
        let left = withheld.checked_sub(additional)?.max(Amount::ZERO);
        if additional > Amount::ZERO {
            trace.add_leaf(|| {
                Step::new("state_income_tax", Operation::Remaining, left)
                    .input("state_income_tax_withheld", withheld)
                    .input("additional_withholding", additional)
            });
        }
        Some(left)
    }

    fn at_rate<T: Trace>(&self, trace: &mut T, taxable: Amount, percent: Amount) -> Option<Amount> {
        let exact = Ratio::from_amount(taxable).percent(percent)?;
        let mut left = exact;
        for credit in &self.due.credits {
            let share = credit.share;
            let credited = Ratio::from_amount(taxable)
                .percent(credit.percent)?
                .times(share.part.into(), share.of.into())?;
            left = left.minus(credited)?;
        }
        let tax = self.round_tax(left.or_nothing())?;
        if self.due.credits.is_empty() {
            trace.add_leaf(|| {
                with_rounding(
                    self.due,
                    Step::new("tax", Operation::Product, tax).input("taxable_wages", taxable),
                )
                .ratio("rate", percent.millionths(), 100_000_000)
            });
            return Some(tax);
        }
        trace.open_figure();
        trace.add_leaf(|| {
            Step::new("tax_before_credits", Operation::Product, exact.to_value())
                .input("taxable_wages", taxable)
                .ratio("rate", percent.millionths(), 100_000_000)
        });
        trace.close_figure(|| {
            let step =
                Step::new("tax", Operation::Remaining, tax).input("tax_before_credits", exact.to_value());
            let step = self.due.credits.iter().fold(step, |step, credit| {
                let share = credit.share;
                let credited = Ratio::from_amount(taxable)
                    .percent(credit.percent)
                    .and_then(|part| part.times(share.part.into(), share.of.into()));
                let value = credited.unwrap_or(Ratio::ZERO).to_value();
                step.input(format!("credit_{}", credit.place), value)
            });
            let source = self.due.credits.first().and_then(|credit| credit.source.clone());
            with_rounding(self.due, if let Some(source) = source { step.source(source) } else { step })
        });
        Some(tax)
    }

    /// Calculates the tax on annualized wages, divided by the pay periods.
    fn tax_on_annual_wages<T: Trace>(
        &self,
        trace: &mut T,
        taxable: Amount,
        brackets: &[Bracket],
    ) -> Option<Amount> {
        let periods = self.pay.periods;
        let annual = taxable.mul_ratio(periods, 1, Rounding::Down)?;
        let of_year = BracketTax::find_bracket(brackets, annual)?;
        let tax = self.round_tax(of_year.tax.times(1, periods)?)?;
        trace.open_figure();
        trace.open_figure();
        trace.add_leaf(|| {
            Step::new("annual_wages", Operation::Product, annual).input("taxable_wages", taxable).ratio(
                "pay_periods",
                periods,
                1,
            )
        });
        of_year.explain_tax(trace, "annual_tax", "annual_wages");
        trace.close_figure(|| {
            Step::new("tax_of_the_year", Operation::Sum, of_year.tax.to_value())
                .input("annual_tax", of_year.tax.to_value())
        });
        trace.close_figure(|| {
            with_rounding(
                self.due,
                Step::new("tax", Operation::Quotient, tax).input("tax_of_the_year", of_year.tax.to_value()),
            )
            .ratio("pay_periods", periods, 1)
        });
        Some(tax)
    }

    /// Calculates the tax by the table of the pay period, which is that of the year divided, with limits rounded to dollars and taxes
    /// to cents.
    fn of_pay_period<T: Trace>(
        &self,
        trace: &mut T,
        taxable: Amount,
        brackets: &[Bracket],
    ) -> Option<Amount> {
        let part = |amount: Amount| Ratio::from_amount(amount).times(1, self.pay.periods);
        let of_period = |bracket: &Bracket| {
            Some(Bracket {
                from: part(bracket.from)?.to_dollars(Rounding::HalfUp)?,
                tax: part(bracket.tax)?.to_cents(Rounding::HalfUp)?,
                percent: bracket.percent,
            })
        };
        let printed: Vec<Bracket> = brackets.iter().map(of_period).collect::<Option<_>>()?;
        let by_table = BracketTax::find_bracket(&printed, taxable)?;
        let tax = self.round_tax(by_table.tax)?;
        trace.open_figure();
        by_table.explain_tax(trace, "tax_by_table", "taxable_wages");
        trace.close_figure(|| {
            with_rounding(
                self.due,
                Step::new("tax", Operation::Sum, tax).input("tax_by_table", by_table.tax.to_value()),
            )
        });
        Some(tax)
    }

    /// Calculates the tax on year-to-date wages including this pay, less the tax on those before it.
    fn of_the_year<T: Trace>(&self, trace: &mut T, taxable: Amount, brackets: &[Bracket]) -> Option<Amount> {
        let before = self.before.year.taxable;
        let with = before.checked_add(taxable)?;
        let (before, with) =
            (BracketTax::find_bracket(brackets, before)?, BracketTax::find_bracket(brackets, with)?);
        let tax = self.round_tax(with.tax.minus(before.tax)?.or_nothing())?;
        trace.open_figure();
        with.explain_tax(trace, "tax_with_this_pay", "wages_with_this_pay");
        before.explain_tax(trace, "tax_before_this_pay", "wages_before_this_pay");
        trace.close_figure(|| {
            let step = Step::new("tax", Operation::Remaining, tax)
                .input("tax_with_this_pay", with.tax.to_value())
                .input("tax_before_this_pay", before.tax.to_value());
            with_rounding(self.due, step)
        });
        Some(tax)
    }

    /// Calculates a fixed amount: per hour; for each week that ends in the period; per month and quarter, what was not taken yet; and
    /// per year, the pay period's part, less what its earlier paychecks took.
    fn fixed_tax<T: Trace>(
        &self,
        trace: &mut T,
        subject: Amount,
        (amount, span): (Amount, Span),
    ) -> Option<Amount> {
        let (times, taken, divide): (Amount, Amount, i64) = match span {
            Span::Hour => (self.pay.hours, Amount::ZERO, 1),
            Span::Week => (whole_amount(weeks_to_charge(self.pay, self.before)), Amount::ZERO, 1),
            Span::Month => {
                let of_month = self.before.month.subject.checked_add(subject)?;
                let due = self.due.tax.floor.is_none_or(|floor| of_month >= floor);
                (whole_amount(due.into()), self.before.month.whole, 1)
            }
            Span::Quarter => (whole_amount(ends_quarter(self.pay).into()), self.before.quarter.whole, 1),
            Span::Year => (whole_amount(1), self.before.period.whole, self.pay.employer_periods),
        };
        let exact = Ratio::from_amount(amount).times_amount(times)?.times(1, divide)?;
        // An amount spread over the year is truncated to the cent, so that the sum never exceeds the year's amount.
        let direction = if span == Span::Year { Rounding::Down } else { Rounding::HalfUp };
        let due = exact.to_cents(direction)?;
        let tax = due.checked_sub(taken)?.max(Amount::ZERO);
        trace.open_figure();
        trace.add_leaf(|| {
            Step::new("amount_due", Operation::Product, due)
                .input(format!("amount_per_{}", span.as_str()), amount)
                .input("times", times)
                .ratio("share_of_the_period", 1, divide)
                .rounded("0.01", direction)
        });
        trace.close_figure(|| {
            Step::new("tax", Operation::Remaining, tax).input("amount_due", due).input("taken_before", taken)
        });
        Some(tax)
    }

    fn round_tax(&self, exact: Ratio) -> Option<Amount> {
        match self.due.tax.rounding {
            RoundingRule::HalfUp => exact.to_cents(Rounding::HalfUp),
            // Truncated to tenths of a cent, then rounded to the cent.
            RoundingRule::CutThird => {
                let tenths = exact.times(10, 1)?.to_cents(Rounding::Down)?;
                tenths.mul_ratio(1, 10, Rounding::Down).map(|amount| amount.round_to_cents(Rounding::HalfUp))
            }
        }
    }

    /// Limits the tax to its cap.
    fn cap_tax<T: Trace>(&self, trace: &mut T, tax: Amount) -> Option<Amount> {
        let yearly = match self.due.method {
            Method::Amount(amount, Span::Year) => Some((amount, Span::Year)),
            _ => self.due.tax.cap,
        };
        let Some(limit) = yearly else {
            trace.add_leaf(|| Step::new("tax_within_cap", Operation::Sum, tax).input("tax", tax));
            return Some(tax);
        };
        let (cap, before) = self.limit_for_period(limit, |sums| sums.whole)?;
        let room = cap.checked_sub(before)?.max(Amount::ZERO);
        // Payments of several periods in the same weeks take no more in a year than its weeks allow.
        let of_year = match limit {
            (weekly, Span::Week) => Some(weekly.mul_ratio(WEEKS_PER_YEAR, 1, Rounding::Down)?),
            _ => None,
        };
        let before_in_year = self.before.year.whole;
        let room_of_year = match of_year {
            Some(cap) => Some(cap.checked_sub(before_in_year)?.max(Amount::ZERO)),
            None => None,
        };
        let left = room_of_year.map_or(tax.min(room), |of_year| tax.min(room).min(of_year));
        trace.open_figure();
        trace.add_leaf(|| {
            Step::new("room_below_the_cap", Operation::Remaining, room)
                .input("cap", cap)
                .input("tax_before", before)
        });
        if let (Some(cap), Some(room)) = (of_year, room_of_year) {
            trace.add_leaf(|| {
                Step::new("room_of_the_year", Operation::Remaining, room)
                    .input("cap_of_the_year", cap)
                    .input("tax_before_in_the_year", before_in_year)
            });
        }
        trace.close_figure(|| {
            let step = Step::new("tax_within_cap", Operation::Least, left)
                .input("tax", tax)
                .input("room_below_the_cap", room);
            match room_of_year {
                Some(room) => step.input("room_of_the_year", room),
                None => step,
            }
        });
        Some(left)
    }

    /// Returns this line's part: the employer's line is the part the employer bears, the employee's line is the rest.
    fn payer_part(&self, whole: Amount) -> Option<Amount> {
        let Some(percent) = self.due.borne else { return Some(whole) };
        let borne = Ratio::from_amount(whole).percent(percent)?.to_cents(Rounding::HalfUp)?.min(whole);
        if self.due.payer == Payer::Employer { Some(borne) } else { whole.checked_sub(borne) }
    }
}

fn with_rounding(due: &Due, step: Step) -> Step {
    match due.tax.rounding {
        RoundingRule::HalfUp => step.rounded("0.01", Rounding::HalfUp),
        RoundingRule::CutThird => step
            .rounded("0.01", Rounding::HalfUp)
            .note("cut after the third decimal, then to the nearest cent"),
    }
}

/// Annual wages in their bracket, with the year's tax.
struct BracketTax {
    wages: Amount,
    bracket: Bracket,
    /// the wages above the bracket's lower end
    above: Amount,
    /// the tax on those
    part: Ratio,
    /// the year's tax: the tax at the bracket's lower end, plus `part`
    tax: Ratio,
}

impl BracketTax {
    fn find_bracket(brackets: &[Bracket], wages: Amount) -> Option<Self> {
        let bracket = *brackets.iter().rev().find(|bracket| bracket.from <= wages)?;
        let above = wages.checked_sub(bracket.from)?;
        let part = Ratio::from_amount(above).percent(bracket.percent)?;
        let tax = Ratio::from_amount(bracket.tax).plus(part)?;
        Some(Self { wages, bracket, above, part, tax })
    }

    /// Records the steps of the tax as `figure`; `name` is the name of the wages.
    fn explain_tax<T: Trace>(&self, trace: &mut T, figure: &'static str, name: &'static str) {
        let Self { wages, bracket, above, part, tax } = self;
        trace.open_figure();
        trace.add_leaf(|| {
            Step::new("tax_above_the_bracket", Operation::Product, part.to_value())
                .input("wages_above_the_bracket", *above)
                .ratio("rate", bracket.percent.millionths(), 100_000_000)
        });
        trace.close_figure(|| {
            Step::new(figure, Operation::Sum, tax.to_value())
                .input("tax_at_the_bracket", bracket.tax)
                .input("tax_above_the_bracket", part.to_value())
                .note(format!("{name} {wages}: the bracket from {}", bracket.from))
        });
    }
}

fn whole_amount(number: i64) -> Amount {
    Amount::from_cents(number * 100)
}

/// Returns how many weeks end in the pay period, include a day of employment and were not charged yet. A week ends on Saturday.
fn weeks_to_charge(pay: &Pay<'_>, before: &ToDate) -> i64 {
    let to_saturday = Weekday::Saturday.to_sunday_zero_offset() - pay.start.weekday().to_sunday_zero_offset();
    let mut charged = 0;
    let mut saturday = pay.start.saturating_add(i64::from(to_saturday).days());
    while saturday <= pay.end {
        let Days { first, last } = pay.employed;
        let is_held = first <= saturday && saturday.saturating_sub(6.days()) <= last;
        charged += i64::from(is_held && !before.is_charged(saturday));
        let Ok(next) = saturday.checked_add(7.days()) else { break };
        saturday = next;
    }
    charged
}

/// Whether the period includes the last working day of a quarter, and the employee was employed on it.
fn ends_quarter(pay: &Pay<'_>) -> bool {
    let last_month = |day: Date| quarter_of_day(day) * 3;
    [pay.start, pay.end].into_iter().any(|day| {
        let Ok(first) = Date::new(day.year(), last_month(day), 1) else { return false };
        let last = first.last_of_month();
        let back = match last.weekday() {
            Weekday::Saturday => 1,
            Weekday::Sunday => 2,
            _ => 0,
        };
        last.checked_sub(back.days())
            .is_ok_and(|last| pay.employed.first <= last && last <= pay.employed.last)
    })
}
