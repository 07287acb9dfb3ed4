//! Inputs of a paycheck.
//!
//! [`Payroll`] is common to all employees; [`Employee`] is one of them. The caller reads and validates the
//! inputs; only overflow is checked here. Jobs, lines and orders are identified by their index, and the lists
//! of the result ([`super::Paycheck`]) have the same order.
//!
//! The inputs that come from an employee's records (jobs, fixed pay, Form W-4, answers to a state's
//! certificate, benefits, garnishments, year-to-date wages, payment splits) implement serde: amounts as exact
//! decimal text, enums by name. [`Payroll`], [`Employee`] and [`StateTax`] borrow tables and do not.

mod fixed_pay;
mod job;
mod state_tax;
#[cfg(test)]
mod tests;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::after_death::AfterDeath;
use super::benefits::{Benefit, BenefitToDate, Limits};
use super::exemption::FicaExemption;
use super::garnishment::{EarlierPay, Garnishment, GarnishmentLaw, StateLimit};
use super::other_taxes::OtherTaxes;
use super::output::Paycheck;
use super::proration::{PeriodsPaid, Proration};
use super::state_taxes::StateIncomeTax;
use super::taxes::PayrollTaxes;
use crate::amount::Amount;
use crate::days::Days;
use crate::payment::{Split, SplitBy};
use crate::wage_hour::{OvertimeRule, OvertimeRules};
use crate::withholding::federal::{FederalTables, PayFrequency, W4};

pub use fixed_pay::{FixedKind, FixedPay, MINIMUM_WAGE_ADJUSTMENT};
pub use job::{Compensation, DayOff, Floor, Job, PaidBefore, TimeOff, Worked};
pub use state_tax::{StateTax, StateTaxTables, Taxpayer};

/// Inputs common to all employees of a payroll.
#[derive(Debug, Clone, Copy)]
pub struct Payroll<'t> {
    /// First day of the pay period.
    pub start: Date,
    /// Last day of the pay period, not before the first.
    pub end: Date,
    /// Pay date; its year determines rates and wage bases.
    pub check_date: Date,
    /// Frequency of the pay schedule, used to divide annual salaries.
    pub frequency: PayFrequency,
    /// Pay frequency for income tax withholding; the schedule's unless overridden.
    pub withholding_period: PayFrequency,
    /// Whether federal income tax is withheld at the flat rates for supplemental wages.
    pub fixed_withholding_rate: bool,
    /// Whether benefits and voluntary deductions are skipped.
    pub skip_regular_deductions: bool,
    /// Whether salaries are paid; only the regular payroll of a period pays them.
    pub pays_salaries: bool,
    /// The part of a pay period that it pays.
    pub proration: Proration,
    /// Federal withholding tables of the year.
    pub federal: &'t FederalTables,
    /// Payroll tax rates of the year.
    pub taxes: &'t PayrollTaxes,
    /// Legal limits of benefits.
    pub benefit_limits: &'t Limits,
}

impl Payroll<'_> {
    /// Returns the days of the pay period.
    pub fn days(&self) -> Days {
        Days { first: self.start, last: self.end }
    }

    /// Returns the pay periods that the payroll pays for these jobs.
    pub fn pay_periods(&self, jobs: &[Job]) -> PeriodsPaid {
        PeriodsPaid::periods_of_jobs(
            Days { first: self.start, last: self.end },
            (self.frequency, self.proration),
            jobs,
        )
    }

    /// Returns the pay periods on whose wages income tax is withheld. A withholding period chosen for the payroll counts as
    /// one, whatever its days.
    pub fn withholding_periods(&self, jobs: &[Job]) -> PeriodsPaid {
        match self.withholding_period == self.frequency {
            true => self.pay_periods(jobs),
            false => PeriodsPaid::one_period(self.withholding_period),
        }
    }
}

/// An employee of a payroll. `K` identifies benefits and garnishments.
#[derive(Debug, Clone)]
pub struct Employee<'a, K> {
    /// Jobs, at least one.
    pub jobs: Vec<Job>,
    /// Fixed pay: bonuses, commissions, tips and the like.
    pub fixed: Vec<FixedPay>,
    /// Expense reimbursements: not wages, not taxed.
    pub reimbursements: Vec<Amount>,
    /// Form W-4
    pub w4: W4,
    /// Whether the employee is a nonresident alien to whose wages an amount is added for income tax withholding.
    pub nonresident_alien: bool,
    /// Why the pay is exempt from Social Security and Medicare tax, if it is.
    pub fica_exemption: Option<FicaExemption>,
    /// Whether the employer is an organization under section 501(c)(3), which pays no federal unemployment tax.
    pub charitable_employer: bool,
    /// When the wages are paid, if after the employee's death; `None` otherwise.
    pub after_death: Option<AfterDeath>,
    /// State income taxes; a state whose tax another state credits comes before it.
    pub states: Vec<StateIncomeTax<'a>>,
    /// State and local taxes other than income tax.
    pub other_taxes: OtherTaxes,
    /// Benefits, in the order of enrollment.
    pub benefits: Vec<Benefit<K>>,
    /// Deductions and contributions of each benefit earlier in the year of the pay date.
    pub benefits_to_date: Vec<BenefitToDate<K>>,
    /// Date of birth, for age-dependent limits and costs.
    pub birth_date: Option<Date>,
    /// Annual salary, for coverage in multiples of the salary.
    pub annual_salary: Option<Amount>,
    /// Whether the employee is a more-than-2 % shareholder of an S corporation.
    pub two_percent_shareholder: bool,
    /// Whether catch-up contributions have to be Roth contributions.
    pub roth_catch_up: bool,
    /// Garnishments, in any order.
    pub garnishments: Vec<Garnishment<K>>,
    /// Support limits of the work state.
    pub support_limits: &'a StateLimit,
    /// The law on other garnishments at the place of work.
    pub garnishment_law: GarnishmentLaw<'a>,
    /// Totals of earlier paychecks of the same pay period that garnishments count. What each garnishment took and each tax counted
    /// is kept with that garnishment or tax.
    pub earlier: EarlierPay,
    /// Year-to-date wages and taxes of the year of the pay date.
    pub year_to_date: YearToDate,
    /// Direct deposit splits; `None` for a check.
    pub payment: Option<Payment>,
    /// The law on overtime, for hours whose workweek is known.
    pub overtime: Overtime<'a>,
}

/// The law on overtime at the place of work, and the employer's workweeks.
#[derive(Debug, Clone, Copy)]
pub struct Overtime<'a> {
    /// First day of any workweek; the others begin seven days apart.
    pub first_day: Date,
    /// Law of the place of work.
    pub rule: &'a OvertimeRule,
    /// Minimum wage of the state in dollars per hour, on which overtime depends in some states.
    pub minimum_wage: Amount,
    /// The last day of the workweek that continues after the pay period, if the payroll in which it ends has already paid:
    /// what is owed for that workweek is paid with this payroll.
    pub settled_until: Option<Date>,
}

impl Overtime<'static> {
    /// Returns federal law, for workweeks from Sunday to Saturday.
    pub fn federal_law() -> Self {
        Self {
            first_day: Date::constant(2026, 1, 4),
            rule: OvertimeRules::built_in().rule_of_state("US"),
            minimum_wage: Amount::ZERO,
            settled_until: None,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Year-to-date wages and taxes, in the year of the pay date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct YearToDate {
    /// Gross pay
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gross: Amount,
    /// Social Security wages
    pub social_security_wages: Amount,
    /// Medicare wages
    pub medicare_wages: Amount,
    /// Federal unemployment (FUTA) wages.
    pub futa_wages: Amount,
    /// Supplemental wages, on and off cycle.
    pub supplemental_wages: Amount,
    /// Social Security and Medicare taxes withheld
    pub fica_withheld: Amount,
    /// Social Security tax on tips that pay did not cover.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub uncollected_social_security: Amount,
    /// Medicare tax on tips that pay did not cover.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub uncollected_medicare: Amount,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(amount: &Amount) -> bool {
    *amount == Amount::ZERO
}

impl YearToDate {
    /// Adds a paycheck. `None` on overflow.
    pub fn add_paycheck<K>(self, paycheck: &Paycheck<K>) -> Option<Self> {
        let (taxable, taxes) = (&paycheck.taxable, &paycheck.taxes);
        let fica =
            taxes.social_security.checked_add(taxes.medicare)?.checked_add(taxes.additional_medicare)?;
        Some(Self {
            gross: self.gross.checked_add(paycheck.gross)?,
            social_security_wages: self.social_security_wages.checked_add(taxable.social_security)?,
            medicare_wages: self.medicare_wages.checked_add(taxable.medicare)?,
            futa_wages: self.futa_wages.checked_add(taxable.futa)?,
            supplemental_wages: self.supplemental_wages.checked_add(taxable.supplemental)?,
            fica_withheld: self.fica_withheld.checked_add(fica)?,
            uncollected_social_security: self
                .uncollected_social_security
                .checked_add(paycheck.uncollected.social_security)?,
            uncollected_medicare: self.uncollected_medicare.checked_add(paycheck.uncollected.medicare)?,
        })
    }
}

/// Direct deposit splits of net pay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// Unit of the splits.
    pub by: SplitBy,
    /// Validated splits; the account is an index chosen by the caller.
    pub splits: Vec<Split<usize>>,
}
