//! A stored paycheck as a list of lines.
//!
//! A line is found by what it is: an earning of a job, a tax with its payer, one side of a benefit, an order, a fee, a reimbursement. No
//! two lines of a paycheck have the same identity, whatever they are called. Totals, books, pay stubs, reports and returns are folds over
//! these lines, each with its own table of which lines count towards which sum.

use rules::Amount;
use rules::payroll::{FixedPay, Job, figures};
use rules::taxes::TaxId;
use uuid::Uuid;

use crate::pay::payrolls::record::hours::classified_hours;
use crate::pay::payrolls::record::kinds::{FixedKind, HourlyKind, RECALCULATED_PREMIUM, TimeOffKind};
use crate::pay::payrolls::record::paycheck::{BenefitPaid, DeductionPaid, JobPaid, Paid};
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::record::taxes::TaxPaid;

/// A stored paycheck, read.
#[derive(Debug, Clone, Copy)]
pub struct StoredPaycheck<'p> {
    /// the row
    pub outcome: &'p Outcome,
    /// the amounts in it
    pub paid: &'p Paid,
    /// what it was calculated from; `None` if this version cannot read it
    pub inputs: Option<&'p PaycheckInputs>,
}

/// What a line of a paycheck is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineId<'p> {
    /// pay of a job, by its place in the inputs
    Earning(usize, Earning),
    /// a tax, by code and payer
    Tax(&'p TaxId),
    /// what the employee pays for a benefit, by the employee's record
    BenefitDeduction(Uuid),
    /// what the company pays for a benefit
    BenefitContribution(Uuid),
    /// what a benefit adds to wages without being paid
    ImputedIncome(Uuid),
    /// what a garnishment takes
    Order(Uuid),
    /// what the employer keeps for processing a garnishment
    OrderFee(Uuid),
    /// reimbursed expenses; a recurring reimbursement by its record
    Reimbursement(Option<Uuid>),
}

/// A kind of pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Earning {
    /// salary for the days of the payroll
    Salary,
    /// hours worked
    Hourly(HourlyKind),
    /// paid hours without work; `None` if their kind cannot be read
    TimeOff(Option<TimeOffKind>),
    /// overtime premium that a bonus or commission adds to earlier workweeks
    RecalculatedPremium,
    /// an amount; the adjustment to the minimum wage is calculated, the others are entered
    Fixed(FixedKind),
    /// an amount of one of the company's own earning types
    Custom(Uuid),
    /// gross pay whose earning cannot be read
    Further,
}

impl Earning {
    /// Returns the name of the figure that explains it; `None` if the calculation has none of its own.
    pub fn figure(self) -> Option<&'static str> {
        match self {
            Self::Salary => Some(figures::SALARY),
            Self::Hourly(HourlyKind::Regular) => Some(figures::REGULAR_PAY),
            Self::Fixed(FixedKind::MinimumWageAdjustment) => Some(figures::MINIMUM_WAGE_ADJUSTMENT),
            _ => None,
        }
    }
}

/// What a line is for, with what its amount rests on.
#[derive(Debug, Clone, Copy)]
pub enum Source<'p> {
    /// pay of a job
    Earning(Earned<'p>),
    /// a tax, with its wages and who levies it
    Tax(&'p TaxPaid),
    /// the employee's side of a benefit
    BenefitDeduction(&'p BenefitPaid),
    /// the company's side of a benefit
    BenefitContribution(&'p BenefitPaid),
    /// what a benefit adds to wages without being paid
    ImputedIncome(&'p BenefitPaid),
    /// a garnishment
    Order(&'p DeductionPaid),
    /// the employer's fee for a garnishment
    OrderFee(&'p DeductionPaid),
    /// reimbursed expenses; a recurring reimbursement by its record
    Reimbursement(Option<Uuid>),
}

/// Pay of a job.
#[derive(Debug, Clone, Copy)]
pub struct Earned<'p> {
    /// place of the job in the inputs
    pub job: usize,
    /// kind of pay
    pub earning: Earning,
    /// standard name of the kind, in English; of an earning type, its name when the amount was entered
    pub name: &'p str,
    /// `None` for amounts, and where the inputs cannot be read
    pub hours: Option<Amount>,
}

/// A line of a paycheck.
#[derive(Debug, Clone, Copy)]
pub struct PaycheckLine<'p> {
    /// what it is for
    pub source: Source<'p>,
    /// dollars
    pub amount: Amount,
}

impl<'p> PaycheckLine<'p> {
    fn new(source: Source<'p>, amount: Amount) -> Self {
        Self { source, amount }
    }

    /// Returns its identity.
    pub fn id(&self) -> LineId<'p> {
        match self.source {
            Source::Earning(Earned { job, earning, .. }) => LineId::Earning(job, earning),
            Source::Tax(tax) => LineId::Tax(&tax.id),
            Source::BenefitDeduction(benefit) => LineId::BenefitDeduction(benefit.record),
            Source::BenefitContribution(benefit) => LineId::BenefitContribution(benefit.record),
            Source::ImputedIncome(benefit) => LineId::ImputedIncome(benefit.record),
            Source::Order(taken) => LineId::Order(taken.id),
            Source::OrderFee(taken) => LineId::OrderFee(taken.id),
            Source::Reimbursement(record) => LineId::Reimbursement(record),
        }
    }
}

/// An earning with its amount.
#[derive(Debug, Clone, Copy)]
pub struct EarningLine<'p> {
    /// what it pays
    pub of: Earned<'p>,
    /// dollars
    pub amount: Amount,
}

impl<'p> EarningLine<'p> {
    fn new(job: usize, earning: Earning, amount: Amount) -> Self {
        let name = match earning {
            Earning::Salary => "Salary",
            Earning::Hourly(kind) => kind.as_str(),
            Earning::TimeOff(kind) => kind.map_or("Paid time off", TimeOffKind::as_str),
            Earning::RecalculatedPremium => RECALCULATED_PREMIUM,
            Earning::Fixed(kind) => kind.as_str(),
            Earning::Custom(_) | Earning::Further => "Further earnings",
        };
        Self { of: Earned { job, earning, name, hours: None }, amount }
    }

    fn with_name(mut self, name: &'p str) -> Self {
        self.of.name = name;
        self
    }

    fn with_hours(mut self, hours: Option<Amount>) -> Self {
        self.of.hours = hours;
        self
    }
}

impl<'p> StoredPaycheck<'p> {
    /// Returns every line: earnings, reimbursements, taxes, benefits, garnishments. Lines that come to nothing are left out, but for
    /// those with hours or wages.
    pub fn paycheck_lines(&self) -> Vec<PaycheckLine<'p>> {
        let earned = self.earning_lines().into_iter();
        let mut lines: Vec<PaycheckLine<'p>> =
            earned.map(|line| PaycheckLine::new(Source::Earning(line.of), line.amount)).collect();
        // A tax that comes to nothing has wages.
        let mut add = |source, amount: Amount| {
            if !amount.is_zero() || matches!(source, Source::Tax(_)) {
                lines.push(PaycheckLine::new(source, amount));
            }
        };
        let mut expenses = self.paid.reimbursements;
        for one in &self.paid.recurring {
            expenses -= one.amount;
            add(Source::Reimbursement(Some(one.id)), one.amount);
        }
        add(Source::Reimbursement(None), expenses);
        for tax in &self.paid.taxes {
            add(Source::Tax(tax), tax.amount);
        }
        for benefit in &self.paid.benefits {
            add(Source::BenefitDeduction(benefit), benefit.deduction);
            add(Source::BenefitContribution(benefit), benefit.contribution);
            add(Source::ImputedIncome(benefit), benefit.imputed);
        }
        for taken in &self.paid.deductions {
            add(Source::Order(taken), taken.amount);
            add(Source::OrderFee(taken), taken.fee);
        }
        lines
    }

    /// Returns the earnings, which add up to gross pay: those of each job, then amounts. An amount that is divided by workweek is one line.
    /// Where the inputs cannot be read, the amounts entered are one line without a kind.
    pub fn earning_lines(&self) -> Vec<EarningLine<'p>> {
        let mut lines: Vec<EarningLine<'p>> = Vec::with_capacity(8);
        let jobs = self.inputs.map_or(&[][..], |inputs| &inputs.jobs);
        for (place, paid) in self.paid.jobs.iter().enumerate() {
            self.add_job(place, jobs.get(place), paid, &mut lines);
        }
        let cash_tips = Earning::Fixed(FixedKind::CashTips);
        match self.inputs {
            Some(inputs) => add_amounts(inputs, &mut lines),
            None => lines.push(EarningLine::new(0, cash_tips, self.paid.cash_tips)),
        }
        let known: Amount = lines.iter().map(|line| line.amount).sum();
        lines.push(EarningLine::new(0, Earning::Further, self.outcome.gross - known));
        lines.retain(|line| !line.amount.is_zero() || line.of.hours.is_some_and(|hours| !hours.is_zero()));
        lines
    }

    fn add_job(&self, place: usize, job: Option<&Job>, paid: &JobPaid, lines: &mut Vec<EarningLine<'p>>) {
        let line = |earning, amount| EarningLine::new(place, earning, amount);
        lines.push(line(Earning::Salary, paid.salary));
        for kind in HourlyKind::ALL.iter().copied() {
            let hours = job.map(|job| classified_hours(job, paid, kind));
            lines.push(line(Earning::Hourly(kind), paid.hourly[kind.kind_index()]).with_hours(hours));
        }
        for (number, amount) in paid.time_off.iter().enumerate() {
            let kind = self.inputs.and_then(|inputs| inputs.time_off.get(number).copied());
            let off = job.and_then(|job| job.time_off.get(number));
            let hours = off.and_then(|off| off.hours.checked_add(off.paid_out));
            lines.push(line(Earning::TimeOff(kind), *amount).with_hours(hours));
        }
        lines.push(line(Earning::RecalculatedPremium, paid.recalculated));
        lines.push(line(Earning::Fixed(FixedKind::MinimumWageAdjustment), paid.make_up));
    }
}

fn add_amounts<'p>(inputs: &'p PaycheckInputs, lines: &mut Vec<EarningLine<'p>>) {
    let line = |pay: &FixedPay, earning| EarningLine::new(pay.job, earning, pay.amount);
    let fixed = inputs.fixed.iter().map(|one| line(&one.pay, Earning::Fixed(one.name)));
    let custom = inputs.custom.iter();
    let custom = custom.map(|one| line(&one.pay, Earning::Custom(one.earning_type)).with_name(&one.name));
    for line in fixed.chain(custom) {
        let same =
            |held: &&mut EarningLine<'_>| (held.of.job, held.of.earning) == (line.of.job, line.of.earning);
        match lines.iter_mut().find(same) {
            Some(held) => held.amount += line.amount,
            None => lines.push(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::pay::payrolls::record::by_chance;

    proptest! {
        #[test]
        fn no_two_lines_are_the_same_and_they_make_net_pay_of_gross_pay(paycheck in by_chance::arbitrary_paycheck()) {
            let (outcome, paid) = &paycheck;
            let lines = StoredPaycheck { outcome, paid, inputs: None }.paycheck_lines();
            let ids: BTreeSet<LineId<'_>> = lines.iter().map(PaycheckLine::id).collect();
            prop_assert_eq!(ids.len(), lines.len());
            let sum = |counts: fn(&PaycheckLine<'_>) -> bool| -> Amount {
                lines.iter().filter(|line| counts(line)).map(|line| line.amount).sum()
            };
            let gross = sum(|line| matches!(line.source, Source::Earning(_)));
            let taken = sum(|line| match line.source {
                Source::Tax(tax) => !tax.is_of_employer(),
                Source::BenefitDeduction(_) | Source::Order(_) | Source::OrderFee(_) => true,
                Source::Earning(of) => of.earning == Earning::Fixed(FixedKind::CashTips),
                _ => false,
            });
            prop_assert_eq!(gross, outcome.gross);
            prop_assert_eq!(gross - taken, outcome.net);
            let reimbursed = sum(|line| matches!(line.source, Source::Reimbursement(_)));
            prop_assert_eq!(gross - taken + reimbursed, outcome.check_amount);
        }
    }
}
