//! State and local taxes on a paycheck other than income tax: insurance programs, unemployment insurance, and taxes of counties,
//! cities and districts ([`crate::taxes`]).

use std::sync::Arc;

use super::benefits::kind::{
    COMMUTER, COMMUTER_PARKING, COMMUTER_TRANSIT, DEPENDENT_CARE_FSA, GROUP_TERM_LIFE, HEALTH_FSA, HSA,
    TRADITIONAL_401K,
};
use super::benefits::{BenefitType, Line};
use super::input::{Job, Payroll};
use super::proration::{Share, employment_shares};
use crate::amount::Amount;
use crate::days::Days;
use crate::taxes::{Item, Situation, Sums, ToDate, Unworked, Wages, Why};
use crate::time_off::hours_of_salary;

/// Taxes due other than federal taxes and state income tax, and the amounts counted so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherTaxes {
    /// Taxes due; employees in the same situation share it.
    pub situation: Arc<Situation>,
    /// Amounts counted before, in the order of [`Situation::dues`]; empty before the first paycheck.
    pub before: Vec<ToDate>,
    /// Hours on which taxes are based; `None` if they follow from the jobs.
    pub hours: Option<Amount>,
}

/// A tax of a paycheck, in the order of [`Situation::dues`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OtherTax {
    /// Whether the employee pays it.
    pub of_employee: bool,
    /// Whether the amount was supplied.
    pub supplied: bool,
    /// Wages and tax of this paycheck. An employee tax is limited to the remaining pay.
    pub sums: Sums,
    /// Amounts counted including this paycheck.
    pub after: ToDate,
}

/// Returns the pay divided into the parts that wage bases distinguish. `None` on overflow.
pub(super) fn divide_wages<K>(gross: Amount, tips: Amount, benefits: &[Line<K>]) -> Option<Wages> {
    let mut cash = gross.checked_sub(tips)?;
    let mut wages = Wages::default().with_tips(tips);
    for line in benefits {
        if line.imputed_income_is_subject_to.fica {
            if line.kind.code == GROUP_TERM_LIFE {
                wages = wages.plus(Item::GroupTermLife, line.imputed_income)?;
            } else {
                cash = cash.checked_add(line.imputed_income)?;
            }
        }
        let taxes = line.imputed_income_is_subject_to;
        if taxes.income_tax && !taxes.fica {
            wages = wages.plus(Item::ShareholderInsurance, line.imputed_income)?;
        }
        if let Some(item) = item_of(line) {
            wages = wages.plus(item, line.employee_deduction)?;
        }
        wages = wages.plus(Item::EmployerHsa, employer_hsa(line))?;
    }
    wages.cash = cash;
    Some(wages)
}

/// Returns the company's contribution to a health savings account, unless it is already income of a shareholder.
pub(super) fn employer_hsa<K>(line: &Line<K>) -> Amount {
    let is_imputed = line.imputed_income_is_subject_to.income_tax && line.imputed_income > Amount::ZERO;
    if line.kind.code == HSA && !is_imputed { line.company_contribution } else { Amount::ZERO }
}

/// Returns the wage base item of a pre-tax deduction; `None` for an after-tax deduction.
pub(super) fn item_of<K>(line: &Line<K>) -> Option<Item> {
    line.deduction_lowers.income_tax.then(|| before_taxes(line.kind.code, line.kind.marks.retirement))
}

fn before_taxes(code: i64, retirement: bool) -> Item {
    match code {
        TRADITIONAL_401K => Item::Deferral,
        HSA => Item::Hsa,
        HEALTH_FSA => Item::HealthFsa,
        DEPENDENT_CARE_FSA => Item::DependentCare,
        COMMUTER | COMMUTER_PARKING | COMMUTER_TRANSIT => Item::Commuter,
        _ if retirement => Item::OtherDeferral,
        _ => Item::Section125Health,
    }
}

/// Returns the wage base item of a type of benefit; `None` for a type that affects no wage base.
pub fn item_of_type(kind: &BenefitType) -> Option<Item> {
    if kind.code == GROUP_TERM_LIFE {
        return Some(Item::GroupTermLife);
    }
    kind.deduction_lowers().income_tax.then(|| before_taxes(kind.code, kind.marks.retirement))
}

/// Returns the first and last day of the pay period on which the employee held any job; those of the period if there is none.
pub(super) fn employed_days(payroll: &Payroll<'_>, jobs: &[Job]) -> Days {
    let (start, end) = (payroll.start, payroll.end);
    let first = jobs.iter().map(|job| job.hired).min().map_or(start, |hired| hired.max(start));
    let last = |job: &Job| job.left.map_or(end, |left| left.min(end));
    let last = jobs.iter().map(last).max().unwrap_or(end);
    if first <= last { Days { first, last } } else { Days { first: start, last: end } }
}

/// Returns the hours worked in the pay period. A salary without known hours counts as its share of 2,080 hours a year, less hours
/// off, because hourly taxes are due on it, too (Oregon: OAR 436-070-0020), but not on an owner's draw. `None` on overflow.
pub fn worked_hours(payroll: &Payroll, jobs: &[Job]) -> Option<Amount> {
    jobs.iter().try_fold(Amount::ZERO, |sum, job| sum.checked_add(of_job(payroll, job)?))
}

fn of_job(payroll: &Payroll, job: &Job) -> Option<Amount> {
    let all = |mut hours: Vec<Amount>| hours.drain(..).try_fold(Amount::ZERO, Amount::checked_add);
    let worked = job.worked.iter().chain(&job.by_week);
    let known = all(worked.flat_map(|one| [one.regular, one.overtime, one.double_overtime]).collect())?;
    let salaried = job.compensations.last().is_some_and(|last| last.terms.stands_for_hours());
    if known > Amount::ZERO || !salaried || !payroll.pays_salaries {
        return Some(known);
    }
    let by = (payroll.frequency, payroll.proration);
    let held = employment_shares(payroll.days(), by, &job.days_held());
    let off = all(job.time_off.iter().map(|line| line.hours).collect())?;
    hours_of_salary(payroll.frequency.periods_per_year(), held.iter().map(Share::day_fraction), off)
}

/// Returns the sums of a tax of which only `withheld` can be withheld. `None` on overflow.
pub(super) fn limit_sums(sums: Sums, withheld: Amount) -> Option<Sums> {
    let missing = sums.amount.checked_sub(withheld)?;
    Some(Sums { amount: withheld, whole: sums.whole.checked_sub(missing)?, ..sums })
}

/// Whether a payroll has to warn that a tax was not calculated. A tax that the employer settles on its return is due, but not
/// from a payroll.
pub(super) fn concerns_payroll(unworked: &Unworked) -> bool {
    unworked.why != Why::SettledOnReturn
}

#[cfg(test)]
#[path = "other_taxes_tests.rs"]
mod tests;
