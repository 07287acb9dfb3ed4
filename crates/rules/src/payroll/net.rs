//! From gross to net: taxes, child support, other garnishments and benefits of a paycheck, in this order.
//!
//! 1. Gross pay: jobs ([`super::earnings`], [`super::workweeks`]) and fixed lines. Cash tips are wages, but are not paid out.
//! 2. Benefits, limited to available pay; pre-tax benefits reduce taxable wages.
//! 3. Taxes, limited to available pay: Social Security, Medicare, additional Medicare, federal and state
//!    income tax, then those of states and places ([`super::OtherTaxes`]).
//! 4. Garnishments, from pay after taxes.
//! 5. If the rest does not cover the benefits, they are reduced in reverse order of enrollment. If that
//!    reduces a pre-tax benefit, steps 3 and 4 are repeated once.
//!
//! Net pay is never negative. Reimbursements are not wages and are added to the check.
//!
//! At the flat rates (`fixed_withholding_rate`), federal income tax is 22 % of wages, and 37 % above one
//! million in the year (26 USC 3402; 26 CFR 31.3402(g)-1); only the latter applies to exempt employees.

use std::fmt::Display;

use super::benefits::{self, Line, deduction_figure, lowering};
use super::garnishment::{self, Deduction, Garnishment, NotApplied, deduct, disposable_earnings};
use super::input::{Employee, FixedKind, Payroll, StateTax};
use super::other_taxes::{self, OtherTax, OtherTaxes};
use super::output::{JobPay, Paycheck, TaxableWages, Taxes, Warning};
use super::state_taxes::{self, StateTaxLine};
use super::taxes::{Fica, fica, futa};
use super::{earnings, taxes, workweeks};
use crate::amount::Amount;
use crate::explain::{NoTrace, Operation, Step, Trace};
use crate::payment::divide;
use crate::taxes::{Payer, StateResult, Unworked};
use crate::withholding::federal::{FilingStatus, W4, withhold_traced};

/// Calculates the paycheck of an employee. The explanation has the root figures `gross_pay`, `net_pay` and
/// `check_amount`.
///
/// `None` on overflow, which bounded inputs never reach.
pub fn paycheck<K: Copy + Ord + Display, T: Trace>(
    trace: &mut T,
    payroll: &Payroll,
    employee: &Employee<'_, K>,
) -> Option<Paycheck<K>> {
    let (jobs, gross, of_weeks) = gross_pay(trace, payroll, employee)?;
    let cash_tips = sum(employee.fixed.iter().filter(|f| f.kind == FixedKind::CashTips).map(|f| f.amount))?;
    let pay = Pay { payroll, employee, gross, payable: gross.checked_sub(cash_tips)? };

    trace.open();
    trace.open();
    let wanted = pay.benefits(trace, pay.payable);
    let mut settled = pay.settle(trace, &wanted, "left_for_benefits")?;
    let mut taken = wanted.clone();
    let asked = deductions(&wanted)?;
    if asked > settled.left {
        let room = settled.left;
        let smaller = pay.benefits(&mut NoTrace, room);
        if lowered(&smaller) == lowered(&wanted) {
            taken = pay.benefits(trace, room);
        } else {
            trace.open();
            let smaller = pay.benefits(trace, room);
            settled = pay.settle(trace, &smaller, "left_for_benefits_once_more")?;
            taken = pay.benefits(trace, room.min(settled.left));
        }
    }
    let net = settled.left.checked_sub(deductions(&taken)?)?;
    trace.close(|| {
        let step = Step::new("net_pay", Operation::Difference, net).input(settled.figure, settled.left);
        taken
            .iter()
            .fold(step, |step, line| step.input(deduction_figure(&line.record), line.employee_deduction))
    });
    let reimbursements = sum(employee.reimbursements.iter().copied())?;
    let check_amount = net.checked_add(reimbursements)?;
    trace.leaf(|| {
        Step::new("check_amount", Operation::Sum, check_amount)
            .input("net_pay", net)
            .input("reimbursements", reimbursements)
    });
    let splits = employee
        .payment
        .as_ref()
        .map(|payment| divide(check_amount.cents_half_up(), payment.by, &payment.splits));
    let cut = asked.checked_sub(deductions(&taken)?)?;
    let mut warnings = warnings(employee, &settled, cut);
    warnings.extend(of_weeks);
    Some(Paycheck {
        jobs,
        gross,
        cash_tips,
        taxes: settled.taxes,
        state_taxes: settled.state_taxes,
        other_taxes: settled.other_taxes.lines,
        taxable: settled.taxable,
        garnishments: settled.garnishments,
        benefits: taken,
        net,
        reimbursements,
        check_amount,
        splits: splits.unwrap_or_default(),
        warnings,
    })
}

/// Returns the pay of each job, in the order of the input, without taxes and deductions.
///
/// `None` on overflow, as [`paycheck`].
pub fn job_pay<K>(payroll: &Payroll, employee: &Employee<'_, K>) -> Option<Vec<JobPay>> {
    gross_pay(&mut NoTrace, payroll, employee).map(|(jobs, ..)| jobs)
}

fn warnings<K>(employee: &Employee<'_, K>, settled: &Settled<K>, cut: Amount) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for state in &employee.states {
        if let StateTax::Missing { state, reason } = &state.tax {
            warnings.push(Warning::StateTaxNotWithheld { state: state.clone(), reason: reason.clone() });
        }
    }
    let unworked =
        settled.other_taxes.unworked.iter().filter(|unworked| other_taxes::concerns_payroll(unworked));
    warnings.extend(unworked.map(|unworked| Warning::TaxNotWorkedOut {
        name: unworked.name.clone(),
        employer: unworked.payer == Payer::Employer,
        why: unworked.why.to_string(),
    }));
    warnings.extend(settled.not_applied.iter().cloned().map(Warning::GarnishmentLimit));
    if settled.not_collected > Amount::ZERO {
        warnings.push(Warning::TaxesNotCollected { amount: settled.not_collected });
    }
    if cut > Amount::ZERO {
        warnings.push(Warning::DeductionsCut { amount: cut });
    }
    warnings
}

fn gross_pay<K, T: Trace>(
    trace: &mut T,
    payroll: &Payroll,
    employee: &Employee<'_, K>,
) -> Option<(Vec<JobPay>, Amount, Vec<Warning>)> {
    trace.open();
    let mut jobs = Vec::with_capacity(employee.jobs.len());
    let mut tips_by_week = Vec::with_capacity(employee.jobs.len());
    for (place, job) in employee.jobs.iter().enumerate() {
        let tips = employee.fixed.iter().filter(|line| line.job == place && line.kind.is_tips());
        let tips = sum(tips.map(|line| line.amount))?;
        let (tips, of_weeks) = workweeks::tips_by_week(&employee.overtime, payroll, job, tips)?;
        jobs.push(earnings::of_job(trace, (payroll, job), tips, || job_name(place))?);
        tips_by_week.push(of_weeks);
    }
    let alone: Vec<Amount> = jobs.iter().map(JobPay::total).collect::<Option<_>>()?;
    let weeks = workweeks::pay(trace, (payroll, employee), &tips_by_week, &mut jobs)?;
    let lines = || employee.fixed.iter().filter(|line| line.kind != FixedKind::MinimumWageAdjustment);
    let mut gross = sum(lines().map(|line| line.amount))?;
    for pay in &jobs {
        gross = gross.checked_add(pay.total()?)?;
    }
    trace.close(|| {
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

/// The pay that taxes and deductions are taken from.
struct Pay<'p, 'a, K> {
    payroll: &'p Payroll<'p>,
    employee: &'p Employee<'a, K>,
    gross: Amount,
    /// `gross` without cash tips
    payable: Amount,
}

/// Taxes and garnishments, and the remaining pay.
struct Settled<K> {
    taxes: Taxes,
    state_taxes: Vec<StateTaxLine>,
    other_taxes: Others,
    taxable: TaxableWages,
    not_collected: Amount,
    garnishments: Vec<Deduction<K>>,
    not_applied: Vec<NotApplied>,
    left: Amount,
    figure: &'static str,
}

impl<K: Copy + Ord + Display> Pay<'_, '_, K> {
    /// Calculates benefits, limited to the room.
    fn benefits<T: Trace>(&self, trace: &mut T, room: Amount) -> Vec<Line<K>> {
        let (payroll, employee) = (self.payroll, self.employee);
        if payroll.skip_regular_deductions || employee.benefits.is_empty() {
            return Vec::new();
        }
        let pay = benefits::Pay {
            period_end: payroll.end,
            check_date: payroll.check_date,
            gross: self.gross,
            periods_per_year: payroll.frequency.periods_per_year(),
            annual_salary: employee.annual_salary,
            birth_date: employee.birth_date,
            two_percent_shareholder: employee.two_percent_shareholder,
            room,
        };
        let (benefits, taken) = (&employee.benefits, &employee.benefits_to_date);
        benefits::calculate(benefits, &pay, taken, payroll.benefit_limits, trace)
    }

    /// Calculates taxes and garnishments with these benefits. Closes the figure opened by the caller.
    fn settle<T: Trace>(
        &self,
        trace: &mut T,
        benefits: &[Line<K>],
        figure: &'static str,
    ) -> Option<Settled<K>> {
        let (taxes, state_taxes, taxable, mut withheld) = self.taxes(trace, benefits)?;
        let other_taxes = self.other_taxes(trace, benefits, &state_taxes, &mut withheld)?;
        let mut named = vec![
            ("social_security", taxes.social_security),
            ("medicare", taxes.medicare),
            ("additional_medicare", taxes.additional_medicare),
            ("federal_income_tax", taxes.federal_income),
            ("state_income_tax", taxes.state_income),
        ];
        let others = self.employee.other_taxes.situation.dues().iter().zip(&other_taxes.lines);
        let of_employee = others.filter(|(_, line)| line.of_employee);
        named.extend(of_employee.map(|(due, line)| (due.code.as_str(), line.sums.amount)));
        let disposable = disposable_earnings(trace, self.payable, &named);
        let pay = self.garnished(disposable, benefits);
        let garnishments = self.garnishments(trace, &pay);
        let not_applied = garnishment::not_applied(&pay, &self.employee.garnishments);
        let taken = sum(garnishments.iter().map(|deduction| deduction.amount))?;
        let left = disposable.checked_sub(taken)?;
        trace.close(|| {
            let step =
                Step::new(figure, Operation::Difference, left).input("disposable_earnings", disposable);
            garnishments
                .iter()
                .fold(step, |step, taken| step.input(format!("deduction {}", taken.id), taken.amount))
        });
        let not_collected = withheld.missing;
        Some(Settled {
            taxes,
            state_taxes,
            other_taxes,
            taxable,
            not_collected,
            garnishments,
            not_applied,
            left,
            figure,
        })
    }

    /// Returns the pay that is garnished.
    fn garnished(&self, disposable: Amount, benefits: &[Line<K>]) -> garnishment::Pay<'_> {
        let premiums = benefits.iter().filter(|line| line.kind.marks.healthcare);
        let premiums = premiums.filter(|line| line.employee_deduction > Amount::ZERO);
        let named = |line: &Line<K>| {
            let kind = line.kind.name.to_lowercase().replace(' ', "_");
            (format!("{kind} {}", line.record), line.employee_deduction)
        };
        garnishment::Pay {
            disposable_earnings: disposable,
            frequency: self.payroll.frequency,
            limits: self.employee.support_limits,
            gross: self.payable,
            health_premiums: match self.employee.garnishments.is_empty() {
                true => Vec::new(),
                false => premiums.map(named).collect(),
            },
            law: &self.employee.garnishment_law,
        }
    }

    fn garnishments<T: Trace>(&self, trace: &mut T, pay: &garnishment::Pay<'_>) -> Vec<Deduction<K>> {
        let (payroll, employee) = (self.payroll, self.employee);
        if !payroll.skip_regular_deductions {
            return deduct(trace, pay, &employee.garnishments);
        }
        let ordered = employee.garnishments.iter().filter(|garnishment| garnishment.terms.court_ordered);
        let ordered: Vec<Garnishment<K>> = ordered.cloned().collect();
        deduct(trace, pay, &ordered)
    }

    /// Returns gross pay and imputed income less the benefits that reduce a tax, optionally without
    /// retirement plans.
    fn wages<T: Trace>(
        &self,
        trace: &mut T,
        figure: &'static str,
        benefits: &[Line<K>],
        (counts, deferrals_count): (fn(benefits::Taxes) -> bool, bool),
    ) -> Option<Amount> {
        let lowers = |line: &&Line<K>| {
            counts(line.deduction_lowers) && (deferrals_count || !line.kind.marks.retirement)
        };
        let lowering = benefits.iter().filter(lowers);
        let less = sum(lowering.map(|line| line.employee_deduction))?;
        let imputed = benefits.iter().filter(|line| counts(line.imputed_income_is_subject_to));
        let more = sum(imputed.map(|line| line.imputed_income))?;
        let income = self.gross.checked_add(more)?;
        let wages = income.checked_sub(less)?.max(Amount::ZERO);
        trace.open();
        trace.leaf(|| {
            Step::new("income", Operation::Sum, income)
                .input("gross_pay", self.gross)
                .input("imputed_income", more)
        });
        trace.close(|| {
            Step::new(figure, Operation::Remaining, wages)
                .input("income", income)
                .input("pre_tax_benefits", less)
        });
        Some(wages)
    }

    fn taxable<T: Trace>(&self, trace: &mut T, benefits: &[Line<K>]) -> Option<TaxableWages> {
        let income = self.wages(trace, "taxable_wages", benefits, (|taxes| taxes.income_tax, true))?;
        let fica = self.wages(trace, "medicare_wages", benefits, (|taxes| taxes.fica, true))?;
        let futa = self.wages(trace, "futa_wages_of_the_period", benefits, (|taxes| taxes.futa, true))?;
        let states = &self.employee.states;
        let state_income = match states.iter().any(|state| state.tax.counts_deferrals()) {
            true => self.wages(trace, "state_taxable_wages", benefits, (|taxes| taxes.income_tax, false))?,
            false => income,
        };
        let supplemental = if self.payroll.fixed_withholding_rate { income } else { Amount::ZERO };
        Some(TaxableWages {
            federal_income: income,
            // The wage bases apply below.
            social_security: fica,
            medicare: fica,
            futa,
            state_income,
            supplemental,
        })
    }

    fn taxes<T: Trace>(
        &self,
        trace: &mut T,
        benefits: &[Line<K>],
    ) -> Option<(Taxes, Vec<StateTaxLine>, TaxableWages, Withheld)> {
        let (payroll, employee) = (self.payroll, self.employee);
        let before = &employee.year_to_date;
        let mut taxable = self.taxable(trace, benefits)?;
        let fica = fica(trace, payroll.taxes, taxable.medicare, before)?;
        let futa = futa(trace, payroll.taxes, taxable.futa, before)?;
        taxable.social_security = fica.social_security_wages;
        taxable.futa = futa.wages;
        let federal_income = self.federal_income_tax(trace, taxable.federal_income)?;
        let mut states = self.state_taxes(trace, &taxable, federal_income, &fica)?;
        let mut withheld = Withheld { left: self.payable, missing: Amount::ZERO };
        let mut taxes = Taxes {
            social_security: withheld.take(trace, "social_security", fica.social_security)?,
            medicare: withheld.take(trace, "medicare", fica.medicare)?,
            additional_medicare: withheld.take(trace, "additional_medicare", fica.additional_medicare)?,
            federal_income: withheld.take(trace, "federal_income_tax", federal_income)?,
            state_income: Amount::ZERO,
            employer_social_security: fica.social_security,
            employer_medicare: fica.medicare,
            futa: futa.tax,
        };
        for state in &mut states {
            state.amount = withheld.take(trace, "state_income_tax", state.amount)?;
            taxes.state_income = taxes.state_income.checked_add(state.amount)?;
        }
        Some((taxes, states, taxable, withheld))
    }

    fn state_taxes<T: Trace>(
        &self,
        trace: &mut T,
        taxable: &TaxableWages,
        federal_income_tax: Amount,
        fica: &Fica,
    ) -> Option<Vec<StateTaxLine>> {
        let of_period =
            fica.social_security.checked_add(fica.medicare)?.checked_add(fica.additional_medicare)?;
        let basis = state_taxes::Basis {
            gross: self.gross,
            federal_income_tax,
            fica: of_period,
            fica_before: self.employee.year_to_date.fica_withheld,
            frequency: self.payroll.withholding_period,
        };
        state_taxes::calculate(trace, &self.employee.states, &basis, |state| match state.counts_deferrals() {
            true => taxable.state_income,
            false => taxable.federal_income,
        })
    }

    /// Calculates the taxes of states and places; the employee's are limited to the remaining pay.
    fn other_taxes<T: Trace>(
        &self,
        trace: &mut T,
        benefits: &[Line<K>],
        state_taxes: &[StateTaxLine],
        withheld: &mut Withheld,
    ) -> Option<Others> {
        let (payroll, employee) = (self.payroll, self.employee);
        let OtherTaxes { situation, before } = &employee.other_taxes;
        if situation.is_empty() {
            return Some(Others::default());
        }
        let income_taxes = state_taxes.iter().map(|line| StateResult {
            state: &line.state,
            wages: line.wages,
            taxable: None,
            tax: line.amount,
        });
        let income_taxes: Vec<StateResult<'_>> = income_taxes.collect();
        let pay = crate::taxes::Pay {
            start: payroll.start,
            end: payroll.end,
            date: payroll.check_date,
            periods: payroll.withholding_period.periods_per_year(),
            hours: other_taxes::hours(&employee.jobs, payroll.start)?,
            wages: other_taxes::wages(self.gross, &employee.fixed, benefits)?,
            states: &income_taxes,
        };
        let outcome = situation.work(trace, &pay, before);
        let mut lines = vec![OtherTax::default(); situation.dues().len()];
        for (place, line) in lines.iter_mut().enumerate() {
            line.after = before.get(place).copied().unwrap_or_default();
        }
        for line in &outcome.lines {
            let of_employee = line.payer() == Payer::Employee;
            let sums = if of_employee {
                let amount = withheld.take(trace, line.code(), line.amount())?;
                other_taxes::limited(line.sums, amount)?
            } else {
                line.sums
            };
            let after = line.before.plus(sums, pay.date, pay.end)?;
            lines[line.place] = OtherTax { of_employee, sums, after };
        }
        Some(Others { lines, unworked: outcome.unworked })
    }

    fn federal_income_tax<T: Trace>(&self, trace: &mut T, wages: Amount) -> Option<Amount> {
        let (payroll, employee) = (self.payroll, self.employee);
        if !payroll.fixed_withholding_rate {
            let frequency = payroll.withholding_period;
            return Some(withhold_traced(trace, payroll.federal, &employee.w4, wages, frequency));
        }
        let exempt = matches!(
            employee.w4,
            W4::Rev2020 { filing_status: FilingStatus::Exempt, .. }
                | W4::Pre2020 { filing_status: FilingStatus::Exempt, .. }
        );
        taxes::supplemental(trace, payroll.taxes, wages, (&employee.year_to_date, exempt))
    }
}

/// Taxes of states and places.
#[derive(Default)]
struct Others {
    lines: Vec<OtherTax>,
    unworked: Vec<Unworked>,
}

/// Remaining pay while taxes are withheld.
struct Withheld {
    left: Amount,
    missing: Amount,
}

impl Withheld {
    /// Withholds a tax, limited to the remaining pay.
    fn take<T: Trace>(&mut self, trace: &mut T, figure: &str, due: Amount) -> Option<Amount> {
        let withheld = due.min(self.left);
        if withheld < due {
            let left = self.left;
            self.missing = self.missing.checked_add(due.checked_sub(withheld)?)?;
            trace.leaf(|| {
                Step::new(format!("{figure}_withheld"), Operation::Least, withheld)
                    .input("due", due)
                    .input("left", left)
                    .note("The pay does not reach for the whole tax.")
            });
        }
        self.left = self.left.checked_sub(withheld)?;
        Some(withheld)
    }
}

fn deductions<K>(lines: &[Line<K>]) -> Option<Amount> {
    sum(lines.iter().map(|line| line.employee_deduction))
}

/// Pre-tax benefits by tax.
fn lowered<K>(lines: &[Line<K>]) -> [Amount; 3] {
    [
        lowering(lines, |taxes| taxes.income_tax),
        lowering(lines, |taxes| taxes.fica),
        lowering(lines, |taxes| taxes.futa),
    ]
}

fn sum(amounts: impl Iterator<Item = Amount>) -> Option<Amount> {
    let mut amounts = amounts;
    amounts.try_fold(Amount::ZERO, Amount::checked_add)
}

#[cfg(test)]
#[path = "net_tests.rs"]
mod tests;
