//! The taxes of a paycheck, before they are limited to the available pay.

use std::fmt::Display;

use super::after_death;
use super::benefits::kind::GROUP_TERM_LIFE;
use super::benefits::{self, Line, contribution_figure, deduction_figure, imputed_figure};
use super::exemption::CHARITY;
use super::federal_income;
use super::input::StateTax;
use super::net::{Pay, sum_amounts};
use super::other_taxes::{self, OtherTax, OtherTaxes};
use super::output::{TaxableWages, Taxes};
use super::state_taxes::{self, StateIncomeTax, StateTaxLine};
use super::taxes::{Fica, Futa, calculate_fica, calculate_futa, not_due};
use crate::amount::Amount;
use crate::explain::{Operation, Step, Trace};
use crate::taxes::{Item, Payer, StateResult, Treatment, Treatments, Unworked};

/// The taxes of a paycheck.
pub(super) struct Dues {
    pub(super) taxes: Taxes,
    pub(super) states: Vec<StateTaxLine>,
    pub(super) others: Others,
    pub(super) taxable: TaxableWages,
}

/// Explains a sum of amounts of benefits by the figure of each record; nothing where there is nothing to add.
fn of_records<'l, K: Display + 'l, T: Trace>(
    trace: &mut T,
    figure: &'static str,
    sum: Amount,
    lines: impl Iterator<Item = &'l Line<K>>,
    name: fn(&K) -> String,
    amount: fn(&Line<K>) -> Amount,
) {
    if sum == Amount::ZERO {
        return;
    }
    trace.add_leaf(|| {
        let lines = lines.filter(|line| amount(line) > Amount::ZERO);
        lines.fold(Step::new(figure, Operation::Sum, sum), |step, line| {
            step.input(name(&line.record), amount(line))
        })
    });
}

/// State and local taxes.
#[derive(Default)]
pub(super) struct Others {
    pub(super) lines: Vec<OtherTax>,
    pub(super) unworked: Vec<Unworked>,
}

impl<K: Copy + Ord + Display> Pay<'_, '_, K> {
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
        let less = sum_amounts(lowering.map(|line| line.employee_deduction))?;
        let imputed = benefits.iter().filter(|line| counts(line.imputed_income_is_subject_to));
        let more = sum_amounts(imputed.map(|line| line.imputed_income))?;
        let income = self.gross.checked_add(more)?;
        let wages = income.checked_sub(less)?.max(Amount::ZERO);
        trace.open_figure();
        trace.open_figure();
        let imputed = benefits.iter().filter(|line| counts(line.imputed_income_is_subject_to));
        of_records(trace, "imputed_income", more, imputed, imputed_figure, |line| line.imputed_income);
        trace.close_figure(|| {
            Step::new("income", Operation::Sum, income)
                .input("gross_pay", self.gross)
                .input("imputed_income", more)
        });
        let lowering = benefits.iter().filter(lowers);
        of_records(trace, "pre_tax_benefits", less, lowering, deduction_figure, |line| {
            line.employee_deduction
        });
        trace.close_figure(|| {
            Step::new(figure, Operation::Remaining, wages)
                .input("income", income)
                .input("pre_tax_benefits", less)
        });
        Some(wages)
    }

    fn taxable_wages<T: Trace>(&self, trace: &mut T, benefits: &[Line<K>]) -> Option<TaxableWages> {
        let income = self.wages(trace, "taxable_wages", benefits, (|taxes| taxes.income_tax, true))?;
        let fica = self.wages(trace, "medicare_wages", benefits, (|taxes| taxes.fica, true))?;
        let futa = self.wages(trace, "futa_wages_of_the_period", benefits, (|taxes| taxes.futa, true))?;
        let states = &self.employee.states;
        let counts = |state: &StateIncomeTax<'_>| state.treatments.is_none() && state.tax.counts_deferrals();
        let state_income = match states.iter().any(counts) {
            true => self.wages(trace, "state_taxable_wages", benefits, (|taxes| taxes.income_tax, false))?,
            false => income,
        };
        let supplemental = federal_income::supplemental_wages(self.payroll, self.employee, income)?;
        let of_income = |wages: Amount| match self.employee.after_death {
            Some(_) => Amount::ZERO,
            None => wages,
        };
        Some(TaxableWages {
            federal_income: of_income(income),
            // The wage bases apply below.
            social_security: fica,
            social_security_tips: Amount::ZERO,
            medicare: fica,
            additional_medicare: Amount::ZERO,
            futa,
            futa_subject: futa,
            state_income: of_income(state_income),
            supplemental: of_income(supplemental),
        })
    }

    /// Calculates every tax, regardless of the available pay.
    pub(super) fn calculate_dues<T: Trace>(&self, trace: &mut T, benefits: &[Line<K>]) -> Option<Dues> {
        let (payroll, employee) = (self.payroll, self.employee);
        let before = &employee.year_to_date;
        let mut taxable = self.taxable_wages(trace, benefits)?;
        let exempt = employee
            .fica_exemption
            .map(|exemption| exemption.exemptions_on(payroll.end, employee.birth_date));
        let mut exempt = exempt.unwrap_or_default();
        exempt.futa = exempt.futa.or(employee.charitable_employer.then_some(CHARITY));
        exempt = employee.after_death.map_or(exempt, |after| after.add_exemptions(exempt));
        let fica = match exempt.fica {
            Some(section) => {
                not_due(trace, &["social_security", "medicare", "additional_medicare"], section);
                taxable.medicare = Amount::ZERO;
                Fica::default()
            }
            None => calculate_fica(trace, payroll.taxes, taxable.medicare, before)?,
        };
        let futa = match exempt.futa {
            Some(section) => {
                not_due(trace, &["futa"], section);
                taxable.futa_subject = Amount::ZERO;
                Futa::default()
            }
            None => calculate_futa(trace, payroll.taxes, taxable.futa, before)?,
        };
        taxable.social_security = fica.social_security_wages;
        let apart_from_tips = taxable.medicare.checked_sub(self.tips)?.max(Amount::ZERO);
        taxable.social_security_tips =
            fica.social_security_wages.checked_sub(apart_from_tips)?.max(Amount::ZERO);
        taxable.additional_medicare = fica.additional_medicare_wages;
        taxable.futa = futa.wages;
        let (wages, supplemental) = (taxable.federal_income, taxable.supplemental);
        let federal_income = match employee.after_death {
            Some(_) => {
                after_death::not_withheld(trace, "federal_income_tax");
                Amount::ZERO
            }
            None => federal_income::withhold_income_tax(trace, (payroll, employee), wages, supplemental)?,
        };
        let states = self.state_taxes(trace, benefits, &taxable, federal_income, &fica)?;
        let others = self.other_taxes(trace, benefits, &states)?;
        let taxes = Taxes {
            social_security: fica.social_security,
            medicare: fica.medicare,
            additional_medicare: fica.additional_medicare,
            federal_income,
            state_income: sum_amounts(states.iter().map(|state| state.amount))?,
            employer_social_security: fica.social_security,
            employer_medicare: fica.medicare,
            futa: futa.tax,
        };
        Some(Dues { taxes, states, others, taxable })
    }

    /// Returns gross pay, imputed income and other income that the state counts, less the deductions that it leaves out of its wages.
    fn state_wages<T: Trace>(
        &self,
        trace: &mut T,
        benefits: &[Line<K>],
        treatments: &Treatments,
    ) -> Option<Amount> {
        let counts = |item| treatments.treatment_of_item(item) == Treatment::In;
        let added = |line: &Line<K>| {
            let life = line.kind.code == GROUP_TERM_LIFE && counts(Item::GroupTermLife);
            let imputed = line.imputed_income_is_subject_to.income_tax || life;
            let employer = counts(Item::EmployerHsa);
            [
                if imputed { line.imputed_income } else { Amount::ZERO },
                if employer { other_taxes::employer_hsa(line) } else { Amount::ZERO },
            ]
        };
        let is_left_out = |line: &&Line<K>| other_taxes::item_of(line).is_some_and(|item| !counts(item));
        let income = self.gross.checked_add(sum_amounts(benefits.iter().flat_map(added))?)?;
        let left_out = || benefits.iter().filter(is_left_out);
        let less = sum_amounts(left_out().map(|line| line.employee_deduction))?;
        let wages = income.checked_sub(less)?.max(Amount::ZERO);
        trace.open_figure();
        trace.add_leaf(|| {
            let step = Step::new("gross_pay_and_imputed_income", Operation::Sum, income)
                .input("gross_pay", self.gross);
            benefits.iter().fold(step, |step, line| {
                let names = [imputed_figure(&line.record), contribution_figure(&line.record)];
                let parts = names.into_iter().zip(added(line));
                parts
                    .filter(|(_, part)| *part > Amount::ZERO)
                    .fold(step, |step, (name, part)| step.input(name, part))
            })
        });
        let figure = "benefits_that_are_no_wages_of_the_state";
        of_records(trace, figure, less, left_out(), deduction_figure, |line| line.employee_deduction);
        trace.close_figure(|| {
            Step::new("state_taxable_wages", Operation::Remaining, wages)
                .input("gross_pay_and_imputed_income", income)
                .input(figure, less)
        });
        Some(wages)
    }

    fn state_taxes<T: Trace>(
        &self,
        trace: &mut T,
        benefits: &[Line<K>],
        taxable: &TaxableWages,
        federal_income_tax: Amount,
        fica: &Fica,
    ) -> Option<Vec<StateTaxLine>> {
        if self.employee.after_death.is_some() {
            after_death::not_withheld(trace, "state_income_tax");
            let states = self.employee.states.iter().map(|state| state.tax.state().to_owned());
            return Some(states.map(|state| StateTaxLine { state, ..StateTaxLine::default() }).collect());
        }
        let of_period =
            fica.social_security.checked_add(fica.medicare)?.checked_add(fica.additional_medicare)?;
        let basis = state_taxes::Basis {
            gross: self.gross,
            federal_income_tax,
            federal_additional: self.employee.w4.additional_withholding(),
            fica: of_period,
            fica_before: self.employee.year_to_date.fica_withheld,
            bonuses: federal_income::total_bonuses(self.employee)?,
            annual_salary: self.employee.annual_salary,
            periods: self.payroll.withholding_periods(&self.employee.jobs),
        };
        let mut wages = Vec::with_capacity(self.employee.states.len());
        for state in &self.employee.states {
            wages.push(match (&state.treatments, state.tax.counts_deferrals()) {
                (Some(treatments), _) => self.state_wages(trace, benefits, treatments)?,
                (None, true) => taxable.state_income,
                (None, false) => taxable.federal_income,
            });
        }
        state_taxes::calculate_taxes(trace, &self.employee.states, &basis, &wages)
    }

    /// Calculates state and local taxes other than income tax.
    fn other_taxes<T: Trace>(
        &self,
        trace: &mut T,
        benefits: &[Line<K>],
        state_taxes: &[StateTaxLine],
    ) -> Option<Others> {
        let (payroll, employee) = (self.payroll, self.employee);
        let OtherTaxes { situation, before, hours } = &employee.other_taxes;
        if situation.is_empty() {
            return Some(Others::default());
        }
        let periods = payroll.withholding_periods(&employee.jobs);
        let rests_on_taxable = situation.rests_on_state_taxable();
        let income_taxes = employee.states.iter().zip(state_taxes).map(|(state, line)| StateResult {
            state: &line.state,
            wages: line.wages,
            taxable: match &state.tax {
                _ if !rests_on_taxable => None,
                StateTax::Formula { formula, claims, .. }
                | StateTax::NotWithheld { formula: Some((formula, claims)), .. } => {
                    let wages = periods.amount_for_each(line.wages);
                    let each =
                        wages.and_then(|wages| formula.taxable_wages(claims, wages, periods.frequency));
                    each.and_then(|each| periods.amount_for_all(each))
                }
                StateTax::Supplemental { claims, .. } if claims.is_exempt() => Some(Amount::ZERO),
                // Rates for supplemental wages apply without exemptions.
                StateTax::Supplemental { .. } => Some(line.wages),
                _ => None,
            },
            tax: line.amount,
            additional: state.tax.additional_withholding().min(line.amount),
        });
        let income_taxes: Vec<StateResult<'_>> = income_taxes.collect();
        let pay = crate::taxes::Pay {
            start: payroll.start,
            end: payroll.end,
            employed: other_taxes::employed_days(payroll, &employee.jobs),
            date: payroll.check_date,
            periods: payroll.withholding_period.periods_per_year(),
            employer_periods: payroll.frequency.periods_per_year(),
            hours: hours.or_else(|| other_taxes::worked_hours(payroll, &employee.jobs))?,
            wages: other_taxes::divide_wages(self.gross, self.tips, benefits)?,
            states: &income_taxes,
        };
        let after_death = employee.after_death;
        let outcome = situation.work_on(trace, &pay, before, |payer, at| {
            after_death.is_none_or(|after| after.leaves_due(payer, at))
        });
        let mut worked = outcome.lines.into_iter().peekable();
        let lines =
            (0..situation.due_taxes().len()).map(|place| match worked.next_if(|line| line.place == place) {
                Some(line) => OtherTax {
                    of_employee: line.payer() == Payer::Employee,
                    supplied: line.supplied,
                    sums: line.sums,
                    after: line.after,
                },
                None => {
                    OtherTax { after: before.get(place).cloned().unwrap_or_default(), ..OtherTax::default() }
                }
            });
        let lines = lines.collect();
        Some(Others { lines, unworked: outcome.unworked })
    }
}
