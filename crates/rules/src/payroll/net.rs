//! Gross to net: taxes, child support, other garnishments and benefits of a paycheck, in this order.
//!
//! 1. Gross pay: jobs ([`super::earnings`], [`super::workweeks`]) and fixed lines. Cash tips are wages, but are not paid out.
//! 2. Benefits, limited to available pay; pre-tax benefits reduce taxable wages.
//! 3. Taxes ([`super::dues`]), limited to available pay ([`super::collection`]): Social Security, Medicare, additional
//!    Medicare, federal and state income tax, then other state and local taxes ([`super::OtherTaxes`]).
//! 4. Garnishments, from pay after taxes.
//! 5. If the remaining pay does not cover the benefits, they are reduced in reverse order of enrollment. If that
//!    reduces a pre-tax benefit, steps 3 to 5 are repeated until taxes match the benefits that are deducted.
//!
//! Net pay is never negative. Reimbursements are not wages and are added to the check.
//!
//! Federal income tax is calculated by [`super::federal_income`].

use std::fmt::Display;

use super::benefits::{self, Line, deduction_figure, deductions_lowering};
use super::collection::Shortage;
use super::dues::{Dues, Others};
use super::earnings;
use super::figures::{garnishment_fee_figure, garnishment_figure};
use super::garnishment::{
    self, Deduction, FreeAndClear, Garnishment, NotApplied, WageBasis, deduct_garnishments, disposable_of,
    premiums_ordered,
};
use super::input::{Employee, FixedKind, Payroll, StateTax};
use super::other_taxes;
use super::output::{JobPay, Paycheck, TaxableWages, Taxes, Warning};
use super::state_taxes::StateTaxLine;
use super::workweeks;
use crate::amount::{Amount, MAX_AMOUNT, Rounding};
use crate::compensation::{PayTerms, annualized_pay};
use crate::explain::{NoTrace, Operation, Step, Trace};
use crate::full_time::HOURS_PER_YEAR;
use crate::payment::divide_net_pay;
use crate::ratio::Ratio;
use crate::taxes::Payer;

/// Maximum rounds of reducing benefits and recalculating taxes. Each round changes less than the one before, by the share of a
/// dollar that taxes and garnishments take, so any pay settles in fewer.
const MOST_ROUNDS: usize = 100;

/// Calculates the paycheck of an employee. The explanation has the root figures `gross_pay`, `net_pay` and
/// `check_amount`.
///
/// `None` on overflow, which bounded inputs never reach.
pub fn calculate_paycheck<K: Copy + Ord + Display, T: Trace>(
    trace: &mut T,
    payroll: &Payroll,
    employee: &Employee<'_, K>,
) -> Option<Paycheck<K>> {
    let (jobs, gross, of_weeks) = gross_pay(trace, payroll, employee)?;
    let cash_tips =
        sum_amounts(employee.fixed.iter().filter(|f| f.kind == FixedKind::CashTips).map(|f| f.amount))?;
    let tips = sum_amounts(employee.fixed.iter().filter(|line| line.kind.is_tips()).map(|line| line.amount))?;
    let payable = gross.checked_sub(cash_tips)?;
    let parts = benefits::PayParts::from_pay_lines(&jobs, &employee.fixed);
    let pay = Pay { payroll, employee, jobs: &jobs, gross, parts: &parts, tips, payable };

    trace.open_figure();
    trace.open_figure();
    let wanted = pay.calculate_benefits(trace, pay.payable);
    let mut settled = pay.settle_pay(trace, &wanted, "left_for_benefits")?;
    let mut taken = wanted.clone();
    let asked = employee_deductions(&wanted)?;
    if asked > settled.left {
        let room = pay.room_of_benefits(&wanted, settled.left)?;
        if pretax_benefits(&pay.calculate_benefits(&mut NoTrace, room)) != pretax_benefits(&wanted) {
            trace.open_figure();
            let smaller = pay.calculate_benefits(trace, room);
            settled = pay.settle_pay(trace, &smaller, "left_for_benefits_once_more")?;
        }
        taken = pay.calculate_benefits(trace, room.min(settled.left));
    }
    let net = settled.left.checked_sub(employee_deductions(&taken)?)?;
    trace.close_figure(|| {
        let step = Step::new("net_pay", Operation::Difference, net).input(settled.figure, settled.left);
        taken
            .iter()
            .fold(step, |step, line| step.input(deduction_figure(&line.record), line.employee_deduction))
    });
    let reimbursements = sum_amounts(employee.reimbursements.iter().copied())?;
    let check_amount = net.checked_add(reimbursements)?;
    trace.add_leaf(|| {
        Step::new("check_amount", Operation::Sum, check_amount)
            .input("net_pay", net)
            .input("reimbursements", reimbursements)
    });
    let splits = employee
        .payment
        .as_ref()
        .map(|payment| divide_net_pay(check_amount.cents_half_up(), payment.by, &payment.splits));
    let cut = pay.deductions_before_limit(&wanted)?.checked_sub(employee_deductions(&taken)?)?;
    let mut warnings = paycheck_warnings(payroll, employee, &settled, cut);
    warnings.extend(of_weeks);
    warnings.extend(premium_not_deducted(payroll, employee, &taken));
    warnings.extend(premiums_missed(employee, &taken));
    warnings.extend(taken.iter().flat_map(|line| &line.warnings).copied().map(Warning::Benefit));
    Some(Paycheck {
        jobs,
        gross,
        cash_tips,
        taxes: settled.taxes,
        state_taxes: settled.state_taxes,
        other_taxes: settled.other_taxes.lines,
        taxable: settled.taxable,
        uncollected: settled.shortage.on_tips,
        garnishments: settled.garnishments,
        benefits: taken,
        net,
        reimbursements,
        check_amount,
        splits: splits.unwrap_or_default(),
        warnings,
    })
}

/// Returns the pay of each job, in the order of the input, before taxes and deductions.
///
/// `None` on overflow, like [`calculate_paycheck`].
pub fn job_pay<K>(payroll: &Payroll, employee: &Employee<'_, K>) -> Option<Vec<JobPay>> {
    gross_pay(&mut NoTrace, payroll, employee).map(|(jobs, ..)| jobs)
}

/// Returns gross pay, as [`calculate_paycheck`] calculates it.
///
/// `None` on overflow.
pub fn calculate_gross<K>(payroll: &Payroll, employee: &Employee<'_, K>) -> Option<Amount> {
    gross_pay(&mut NoTrace, payroll, employee).map(|(_, gross, _)| gross)
}

fn paycheck_warnings<K>(
    payroll: &Payroll<'_>,
    employee: &Employee<'_, K>,
    settled: &Settled<K>,
    cut: Amount,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if let Some(exemption) = employee.fica_exemption
        && exemption.exemptions_on(payroll.end, employee.birth_date).fica.is_none()
    {
        warnings.push(Warning::ExemptionNotApplied { exemption, born: employee.birth_date.is_some() });
    }
    if employee.nonresident_alien && payroll.federal.nonresident_alien.is_none() {
        warnings.push(Warning::NonresidentAmountsMissing { year: payroll.federal.year });
    }
    // After a death nothing is withheld for a state, so nothing is missing.
    for state in employee.states.iter().filter(|_| employee.after_death.is_none()) {
        if let StateTax::Missing { state, reason } = &state.tax {
            warnings.push(Warning::StateTaxNotWithheld { state: state.clone(), reason: reason.clone() });
        }
        if let Some(percent) = state.tax.assumed_county_percent() {
            warnings.push(Warning::CountyNotKnown { state: state.tax.state().to_owned(), percent });
        }
    }
    let unworked =
        settled.other_taxes.unworked.iter().filter(|unworked| other_taxes::concerns_payroll(unworked));
    warnings.extend(unworked.map(|unworked| Warning::TaxNotWorkedOut {
        code: unworked.code.clone(),
        name: unworked.name.clone(),
        employer: unworked.payer == Payer::Employer,
        why: unworked.why.to_string(),
        entered_by: unworked.why.entered_by(),
    }));
    let situation = &employee.other_taxes.situation;
    for code in situation.supplied_codes() {
        let lines = situation.due_taxes().iter().zip(&settled.other_taxes.lines);
        if !lines.into_iter().any(|(due, line)| line.supplied && due.code == code) {
            warnings.push(Warning::SuppliedTaxNotUsed { code: code.to_owned() });
        }
    }
    warnings.extend(settled.not_applied.iter().cloned().map(Warning::GarnishmentLimit));
    if settled.shortage.amount > Amount::ZERO {
        warnings.push(Warning::TaxesNotCollected { amount: settled.shortage.amount });
    }
    if cut > Amount::ZERO {
        warnings.push(Warning::DeductionsCut { amount: cut });
    }
    warnings
}

/// Returns a warning if less was deducted for health insurance than support orders name. Only the payroll of the pay period
/// warns: an additional payroll may take no benefits.
fn premium_not_deducted<K>(
    payroll: &Payroll<'_>,
    employee: &Employee<'_, K>,
    taken: &[Line<K>],
) -> Option<Warning> {
    let ordered =
        premiums_ordered(&employee.garnishments, payroll.pay_periods(&employee.jobs), payroll.check_date);
    let now = taken.iter().filter(|line| line.kind.marks.healthcare).map(|line| line.employee_deduction);
    let deducted = sum_amounts(now.chain([employee.earlier.health_premiums]))?;
    (payroll.pays_salaries && deducted < ordered).then_some(Warning::MedicalPremium { ordered, deducted })
}

/// Returns a warning if premiums that earlier paychecks did not deduct are still open.
fn premiums_missed<K: PartialEq>(employee: &Employee<'_, K>, taken: &[Line<K>]) -> Option<Warning> {
    let mut of = Vec::new();
    for line in taken {
        let record = employee.benefits.iter().find(|benefit| benefit.record == line.record)?;
        let left = record.missed.unwrap_or_default().min(line.missed.unwrap_or_default());
        if left > Amount::ZERO {
            of.push((line.name.clone(), left));
        }
    }
    let amount = sum_amounts(of.iter().map(|(_, amount)| *amount))?;
    (!of.is_empty())
        .then(|| Warning::PremiumsMissed { amount, of: of.into_iter().map(|(name, _)| name).collect() })
}

fn gross_pay<K, T: Trace>(
    trace: &mut T,
    payroll: &Payroll,
    employee: &Employee<'_, K>,
) -> Option<(Vec<JobPay>, Amount, Vec<Warning>)> {
    trace.open_figure();
    let mut jobs = Vec::with_capacity(employee.jobs.len());
    let mut tips_by_week = Vec::with_capacity(employee.jobs.len());
    for (place, job) in employee.jobs.iter().enumerate() {
        let tips = employee.fixed.iter().filter(|line| line.job == place && line.kind.is_tips());
        let tips = sum_amounts(tips.map(|line| line.amount))?;
        let (tips, of_weeks) = workweeks::tips_by_week(&employee.overtime, job, tips)?;
        jobs.push(earnings::of_job(trace, (payroll, job), tips, || job_name(place))?);
        tips_by_week.push(of_weeks);
    }
    let alone: Vec<Amount> = jobs.iter().map(JobPay::total_pay).collect::<Option<_>>()?;
    let weeks = workweeks::pay_workweeks(trace, (payroll, employee), &tips_by_week, &mut jobs)?;
    let lines = || employee.fixed.iter().filter(|line| line.kind != FixedKind::MinimumWageAdjustment);
    let mut gross = sum_amounts(lines().map(|line| line.amount))?;
    for pay in &jobs {
        gross = gross.checked_add(pay.total_pay()?)?;
    }
    trace.close_figure(|| {
        let step = Step::new("gross_pay", Operation::Sum, gross).input("nothing", Amount::ZERO);
        let step =
            alone.iter().enumerate().fold(step, |step, (place, pay)| step.input(job_name(place), *pay));
        let step = weeks.figures.iter().fold(step, |step, (name, pay)| step.input(name.clone(), *pay));
        (1..)
            .zip(lines())
            .fold(step, |step, (place, line)| step.input(format!("fixed_compensation_{place}"), line.amount))
    });
    Some((jobs, gross, weeks.warnings))
}

fn job_name(place: usize) -> String {
    format!("job_{}", place + 1)
}

/// The pay from which taxes and deductions are taken.
pub(super) struct Pay<'p, 'a, K> {
    pub(super) payroll: &'p Payroll<'p>,
    pub(super) employee: &'p Employee<'a, K>,
    /// Pay by job, in the order of the input.
    pub(super) jobs: &'p [JobPay],
    pub(super) gross: Amount,
    pub(super) parts: &'p benefits::PayParts,
    /// Tips of both kinds, which are part of `gross`.
    pub(super) tips: Amount,
    /// `gross` without cash tips
    pub(super) payable: Amount,
}

/// Taxes and garnishments, and the remaining pay.
struct Settled<K> {
    taxes: Taxes,
    state_taxes: Vec<StateTaxLine>,
    other_taxes: Others,
    taxable: TaxableWages,
    shortage: Shortage,
    garnishments: Vec<Deduction<K>>,
    not_applied: Vec<NotApplied>,
    left: Amount,
    figure: &'static str,
}

impl<K: Copy + Ord + Display> Pay<'_, '_, K> {
    /// Calculates benefits, limited to `room`.
    fn calculate_benefits<T: Trace>(&self, trace: &mut T, room: Amount) -> Vec<Line<K>> {
        let (payroll, employee) = (self.payroll, self.employee);
        if payroll.skip_regular_deductions || employee.benefits.is_empty() {
            return Vec::new();
        }
        let pay = benefits::Pay {
            period_end: payroll.end,
            check_date: payroll.check_date,
            gross: self.gross,
            parts: self.parts.clone(),
            paid_in_year: employee.year_to_date.gross,
            periods_per_year: payroll.frequency.periods_per_year(),
            annual_salary: employee.annual_salary,
            birth_date: employee.birth_date,
            two_percent_shareholder: employee.two_percent_shareholder,
            roth_catch_up: employee.roth_catch_up,
            of_period: payroll.pays_salaries,
            room,
        };
        let (benefits, taken) = (&employee.benefits, &employee.benefits_to_date);
        benefits::calculate_benefits(benefits, &pay, taken, payroll.benefit_limits, trace)
    }

    /// Returns the pay left for benefits once taxes and garnishments match the benefits that it covers: a smaller pre-tax benefit
    /// raises taxes, which leaves less for it.
    fn room_of_benefits(&self, wanted: &[Line<K>], left: Amount) -> Option<Amount> {
        let (mut room, mut before) = (left, pretax_benefits(wanted));
        for _ in 0..MOST_ROUNDS {
            let smaller = self.calculate_benefits(&mut NoTrace, room);
            if pretax_benefits(&smaller) == before {
                break;
            }
            before = pretax_benefits(&smaller);
            let settled = self.settle_pay(&mut NoTrace, &smaller, "left_for_benefits")?;
            room = room.min(settled.left);
        }
        Some(room)
    }

    /// Returns the benefit deductions before the pay limits them. If nothing is paid, nothing counts as cut.
    fn deductions_before_limit(&self, wanted: &[Line<K>]) -> Option<Amount> {
        let within_pay = employee_deductions(wanted)?;
        if self.gross == Amount::ZERO || within_pay < self.payable {
            return Some(within_pay);
        }
        employee_deductions(&self.calculate_benefits(&mut NoTrace, MAX_AMOUNT))
    }

    /// Returns the disposable earnings. Tips in cash are in the gross pay, and were paid by the guests.
    fn explain_disposable<T: Trace>(&self, trace: &mut T, taxes: &[(&str, Amount)]) -> Option<Amount> {
        if self.payable == self.gross {
            return Some(disposable_of(trace, ("gross_pay", self.gross), taxes));
        }
        let cash_tips = self.gross.checked_sub(self.payable)?;
        trace.add_leaf(|| {
            Step::new("pay_without_cash_tips", Operation::Difference, self.payable)
                .input("gross_pay", self.gross)
                .input("cash_tips", cash_tips)
        });
        Some(disposable_of(trace, ("pay_without_cash_tips", self.payable), taxes))
    }

    /// Calculates taxes and garnishments with these benefits. Closes the figure opened by the caller.
    fn settle_pay<T: Trace>(
        &self,
        trace: &mut T,
        benefits: &[Line<K>],
        figure: &'static str,
    ) -> Option<Settled<K>> {
        let mut dues = self.calculate_dues(trace, benefits)?;
        let shortage = self.collect_taxes(trace, benefits, &mut dues)?;
        let Dues { taxes, states: state_taxes, others: other_taxes, taxable } = dues;
        let mut named = Vec::with_capacity(5 + other_taxes.lines.len());
        named.extend([
            ("social_security", taxes.social_security),
            ("medicare", taxes.medicare),
            ("additional_medicare", taxes.additional_medicare),
            ("federal_income_tax", taxes.federal_income),
            ("state_income_tax", taxes.state_income),
        ]);
        let others = self.employee.other_taxes.situation.due_taxes().iter().zip(&other_taxes.lines);
        let of_employee = others.filter(|(_, line)| line.of_employee);
        named.extend(of_employee.map(|(due, line)| (due.code.as_str(), line.sums.amount)));
        let disposable = self.explain_disposable(trace, &named)?;
        let pay = self.garnishable_pay(disposable, benefits);
        let garnishments = self.calculate_garnishments(trace, &pay);
        let not_applied = garnishment::not_applied(&pay, &self.employee.garnishments);
        let taken = sum_amounts(garnishments.iter().flat_map(|deduction| [deduction.amount, deduction.fee]))?;
        let left = disposable.checked_sub(taken)?;
        trace.close_figure(|| {
            let step =
                Step::new(figure, Operation::Difference, left).input("disposable_earnings", disposable);
            garnishments.iter().fold(step, |step, taken| {
                let step = step.input(garnishment_figure(&taken.id), taken.amount);
                match taken.fee {
                    Amount::ZERO => step,
                    fee => step.input(garnishment_fee_figure(&taken.id), fee),
                }
            })
        });
        Some(Settled {
            taxes,
            state_taxes,
            other_taxes,
            taxable,
            shortage,
            garnishments,
            not_applied,
            left,
            figure,
        })
    }

    /// Returns the pay to garnish.
    fn garnishable_pay(&self, disposable: Amount, benefits: &[Line<K>]) -> garnishment::Pay<'_> {
        let premiums = benefits.iter().filter(|line| line.kind.marks.healthcare);
        let premiums = premiums.filter(|line| line.employee_deduction > Amount::ZERO);
        let named = |line: &Line<K>| {
            let kind = line.kind.name.to_lowercase().replace(' ', "_");
            (format!("{kind} {}", line.record), line.employee_deduction)
        };
        garnishment::Pay {
            disposable_earnings: disposable,
            periods: self.payroll.pay_periods(&self.employee.jobs),
            limits: self.employee.support_limits,
            gross: self.payable,
            health_premiums: match self.employee.garnishments.is_empty() {
                true => Vec::new(),
                false => premiums.map(named).collect(),
            },
            law: &self.employee.garnishment_law,
            free_and_clear: self.free_and_clear(),
            earlier: self.employee.earlier,
        }
    }

    /// Returns the pay that the employer's fees must leave. Exempt jobs require nothing; a salary whose hours are not known counts as
    /// that of the hours by which its overtime is paid, 40 a week.
    fn free_and_clear(&self) -> Option<FreeAndClear> {
        if !self.employee.garnishments.iter().any(|garnishment| garnishment.terms.employer_fee) {
            return None;
        }
        let wage = self.employee.garnishment_law.minimum_wages.wage_for_basis(WageBasis::Local);
        let (mut required, mut presumed) = (Amount::ZERO, false);
        for (job, pay) in self.employee.jobs.iter().zip(self.jobs) {
            let last = job.compensations.last().filter(|last| last.terms.flsa.earns_overtime());
            let Some(last) = last else { continue };
            let [mut regular, mut overtime, mut double] = pay.hours;
            for worked in &job.worked {
                regular = regular.checked_add(worked.regular)?;
                overtime = overtime.checked_add(worked.overtime)?;
                double = double.checked_add(worked.double_overtime)?;
            }
            if pay.salary > Amount::ZERO && regular == Amount::ZERO {
                (regular, presumed) = (self.hours_of_salary(&last.terms, pay.salary)?, true);
            }
            let least =
                |hours: Amount| Ratio::from_amount(hours).times_amount(wage)?.to_cents(Rounding::HalfUp);
            for part in
                [least(regular)?, least(overtime)?.max(pay.overtime), least(double)?.max(pay.double_overtime)]
            {
                required = required.checked_add(part)?;
            }
        }
        let wages = self.gross.checked_sub(self.tips)?;
        (required > Amount::ZERO).then_some(FreeAndClear { wages, required, presumed })
    }

    /// Returns the hours for which a salary is paid if the yearly pay is that of 2,080.
    fn hours_of_salary(&self, terms: &PayTerms, salary: Amount) -> Option<Amount> {
        let yearly = annualized_pay(terms, Some(self.payroll.frequency.periods_per_year()))?;
        match yearly > Amount::ZERO {
            true => salary.mul_ratio(HOURS_PER_YEAR * 1_000_000, yearly.millionths(), Rounding::HalfUp),
            false => Some(Amount::ZERO),
        }
    }

    fn calculate_garnishments<T: Trace>(
        &self,
        trace: &mut T,
        pay: &garnishment::Pay<'_>,
    ) -> Vec<Deduction<K>> {
        let (payroll, employee) = (self.payroll, self.employee);
        if !payroll.skip_regular_deductions {
            return deduct_garnishments(trace, pay, &employee.garnishments);
        }
        let ordered = employee.garnishments.iter().filter(|garnishment| garnishment.terms.court_ordered);
        let ordered: Vec<Garnishment<K>> = ordered.cloned().collect();
        deduct_garnishments(trace, pay, &ordered)
    }
}

fn employee_deductions<K>(lines: &[Line<K>]) -> Option<Amount> {
    sum_amounts(lines.iter().map(|line| line.employee_deduction))
}

/// Pre-tax benefits by tax.
fn pretax_benefits<K>(lines: &[Line<K>]) -> [Amount; 3] {
    [
        deductions_lowering(lines, |taxes| taxes.income_tax),
        deductions_lowering(lines, |taxes| taxes.fica),
        deductions_lowering(lines, |taxes| taxes.futa),
    ]
}

pub(super) fn sum_amounts(amounts: impl Iterator<Item = Amount>) -> Option<Amount> {
    let mut amounts = amounts;
    amounts.try_fold(Amount::ZERO, Amount::checked_add)
}

#[cfg(test)]
#[path = "net_tests.rs"]
mod tests;
