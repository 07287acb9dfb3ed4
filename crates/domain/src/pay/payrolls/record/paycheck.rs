//! The stored result of a calculation for an employee.
//!
//! Lines are in the order of the response.

use std::collections::BTreeMap;

use rules::payroll::Paycheck;
use rules::payroll::garnishment::{ManualReason, Remittance};
use rules::taxes::{Situation, TaxId};
use rules::{Amount, Named};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::millionths;
use crate::pay::payrolls::record::json::is_zero;
use crate::pay::payrolls::record::paycheck_inputs::{PaycheckInputs, RecurringInput};
use crate::pay::payrolls::record::taxes::TaxPaid;
use crate::pay::payrolls::record::texts_of_rules;
use crate::pay::payrolls::record::time_off::{Granted, LeaveInput, Requested};
use crate::pay::payrolls::record::warning::Warning;

/// An employee's pay and deductions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paid {
    /// version of the employee's inputs; 0 if nothing was entered
    #[serde(default, skip_serializing_if = "is_zero")]
    pub entry: i64,
    /// pay of each job, in the order of the inputs
    pub jobs: Vec<JobPaid>,
    /// effects on time off balances
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leave: Vec<LeaveInput>,
    /// cash tips, which the employee already has
    #[serde(with = "millionths", default, skip_serializing_if = "Amount::is_zero")]
    pub cash_tips: Amount,
    /// reimbursed expenses
    #[serde(with = "millionths", default, skip_serializing_if = "Amount::is_zero")]
    pub reimbursements: Amount,
    /// recurring reimbursements, included in `reimbursements`
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recurring: Vec<RecurringInput>,
    /// holiday hours that the company's policy pays if no other hours are entered
    #[serde(with = "millionths", default, skip_serializing_if = "Amount::is_zero")]
    pub holiday_hours: Amount,
    /// approved time off requests of the pay period
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requested: Vec<Requested>,
    /// taxes of the employee and of the employer
    pub taxes: Vec<TaxPaid>,
    /// uncollected Social Security and Medicare tax on tips, from this paycheck or earlier in the year
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncollected: Vec<UncollectedPaid>,
    /// employee and company amounts of benefits
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub benefits: Vec<BenefitPaid>,
    /// amounts deducted for garnishments
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deductions: Vec<DeductionPaid>,
    /// amounts by bank account, in cents
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub splits: Vec<(Uuid, i64)>,
    /// names of the taxes that are due but could not be calculated
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unworked: BTreeMap<TaxId, String>,
    /// warnings
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

impl Paid {
    /// Whether money is paid to the employee's bank accounts.
    pub fn goes_to_accounts(&self) -> bool {
        self.splits.iter().any(|(_, cents)| *cents > 0)
    }

    /// Returns the taxes withheld from the employee.
    pub fn taxes_of_employee(&self) -> impl Iterator<Item = &TaxPaid> {
        self.taxes.iter().filter(|tax| !tax.is_of_employer())
    }

    /// Returns the taxes that the employer pays.
    pub fn taxes_of_employer(&self) -> impl Iterator<Item = &TaxPaid> {
        self.taxes.iter().filter(|tax| tax.is_of_employer())
    }

    /// Returns the hours off that were granted to the calculation.
    pub fn granted_hours_off(&self) -> Granted {
        Granted { holiday_hours: self.holiday_hours, requested: self.requested.clone(), days: Vec::new() }
    }
}

/// A tax on tips that could not be collected because pay was insufficient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncollectedPaid {
    /// code of Form W-2, box 12: `A` for Social Security, `B` for Medicare
    pub code: String,
    /// uncollected amount in this paycheck
    #[serde(with = "millionths")]
    pub amount: Amount,
    /// uncollected amount year to date, including this paycheck
    #[serde(with = "millionths")]
    pub year_to_date: Amount,
}

impl UncollectedPaid {
    /// Returns the name as printed on a pay stub.
    pub fn stub_label(&self) -> &'static str {
        match self.code.as_str() {
            "A" => "Uncollected Social Security tax on tips",
            _ => "Uncollected Medicare tax on tips",
        }
    }
}

/// Pay of a job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct JobPaid {
    /// prorated salary
    #[serde(with = "millionths", skip_serializing_if = "Amount::is_zero")]
    pub salary: Amount,
    /// regular, overtime and double overtime pay
    #[serde(with = "millionths")]
    pub hourly: [Amount; 3],
    /// pay by time off line
    #[serde(with = "millionths", skip_serializing_if = "Vec::is_empty")]
    pub time_off: Vec<Amount>,
    /// minimum wage adjustment
    #[serde(with = "millionths", skip_serializing_if = "Amount::is_zero")]
    pub make_up: Amount,
    /// overtime premium that a bonus or commission adds to earlier workweeks
    #[serde(with = "millionths", skip_serializing_if = "Amount::is_zero")]
    pub recalculated: Amount,
    /// the part of overtime pay that the federal law requires beyond the regular rate (29 USC 207(a)): qualified overtime compensation of
    /// annual returns (26 USC 225(c))
    #[serde(with = "millionths", skip_serializing_if = "Amount::is_zero")]
    pub flsa_premium: Amount,
    /// code of the occupation in which tips of the job are earned (26 CFR 1.224-1(h)), for annual returns
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tipped_occupation: Option<String>,
    /// regular, overtime and double overtime hours, as classified, of the hours whose workweek is known
    #[serde(with = "millionths", skip_serializing_if = "no_hours")]
    pub hours: [Amount; 3],
}

fn no_hours(hours: &[Amount; 3]) -> bool {
    *hours == [Amount::ZERO; 3]
}

/// Amounts of a benefit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenefitPaid {
    /// the company's benefit
    pub company_benefit: Uuid,
    /// the employee's record
    pub record: Uuid,
    /// number of the benefit type
    pub code: i64,
    /// what the company calls it
    pub name: String,
    /// the employee's deduction
    #[serde(with = "millionths")]
    pub deduction: Amount,
    /// the company's contribution
    #[serde(with = "millionths")]
    pub contribution: Amount,
    /// imputed income: counted as income, but not paid
    #[serde(with = "millionths", default, skip_serializing_if = "Amount::is_zero")]
    pub imputed: Amount,
}

/// The amount deducted for a garnishment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeductionPaid {
    /// the garnishment
    pub id: Uuid,
    /// its description
    pub name: String,
    /// amount deducted
    #[serde(with = "millionths")]
    pub amount: Amount,
    /// whether it is child support
    pub support: bool,
    /// the reason why the employer has to pay the agency manually; `None` otherwise
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manual: Option<String>,
    /// administrative fee that the employer keeps in addition to the amount
    #[serde(with = "millionths", default, skip_serializing_if = "Amount::is_zero")]
    pub fee: Amount,
    /// whether it pays back what the employee was overpaid
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overpayment: bool,
}

impl DeductionPaid {
    /// Returns who remits it to the agency; `None` unless it is child support.
    ///
    /// # Errors
    /// The stored reason cannot be read.
    pub fn remittance(&self) -> Result<Option<Remittance>, store::Error> {
        let remittance = match self.manual.as_deref() {
            None => Remittance::Automatic,
            Some(reason) => Remittance::Manual(ManualReason::parse(reason).ok_or_else(|| {
                store::Unread::new("is no reason why the employer pays an agency")
                    .into_error("payroll_results", "manual")
            })?),
        };
        Ok(self.support.then_some(remittance))
    }

    /// Returns the name of the fee.
    pub fn fee_name(&self) -> String {
        format!("Fee of the employer: {}", self.name)
    }

    /// Returns the name of the fee and its amount; `None` without a fee.
    pub fn fee_line(&self) -> Option<(String, Amount)> {
        (!self.fee.is_zero()).then(|| (self.fee_name(), self.fee))
    }

    /// Returns the total deduction for the garnishment and its fee.
    pub fn with_fee(&self) -> Amount {
        self.amount + self.fee
    }
}

/// Returns the paycheck as stored, without the amounts of taxes in the year ([`Paid::note_year`]).
pub fn to_stored_paycheck(
    paycheck: &Paycheck<Uuid>,
    inputs: &PaycheckInputs,
    situation: &Situation,
    off_cycle: bool,
) -> Paid {
    let jobs = paycheck.jobs.iter().enumerate().map(|(place, job)| JobPaid {
        salary: job.salary,
        hourly: [job.regular, job.overtime, job.double_overtime],
        time_off: job.time_off.clone(),
        flsa_premium: job.flsa_premium,
        tipped_occupation: inputs.tipped_occupations.get(&place).cloned(),
        make_up: job.make_up,
        recalculated: job.recalculated,
        hours: job.hours,
    });
    let taxes = paycheck.tax_lines(situation).into_iter().filter_map(TaxPaid::from_tax_line);
    let benefits = paycheck.benefits.iter().map(|line| BenefitPaid {
        company_benefit: line.company_benefit,
        record: line.record,
        code: line.kind.code,
        name: line.name.clone(),
        deduction: line.employee_deduction,
        contribution: line.company_contribution,
        imputed: line.imputed_income,
    });
    let deductions = paycheck.garnishments.iter().filter_map(|taken| {
        let of = inputs.garnishments.iter().find(|one| one.garnishment.id == taken.id)?;
        // An inactive garnishment takes nothing; it is an input because of what it took earlier in the pay period.
        of.garnishment.terms.active.then(|| DeductionPaid {
            id: taken.id,
            name: of.name.clone(),
            amount: taken.amount,
            support: of.is_child_support(),
            manual: of.manual_reason(off_cycle).map(|reason| reason.as_str().to_owned()),
            fee: taken.fee,
            overpayment: of.still_owed.is_some(),
        })
    });
    let splits = inputs.payment.iter().flat_map(|payment| &payment.splits);
    Paid {
        entry: inputs.entry,
        jobs: jobs.collect(),
        leave: inputs.leave.clone(),
        cash_tips: paycheck.cash_tips,
        reimbursements: paycheck.reimbursements,
        holiday_hours: inputs.holiday_hours,
        requested: inputs.requested.clone(),
        recurring: inputs.recurring.clone(),
        taxes: taxes.collect(),
        uncollected: uncollected_tip_taxes(paycheck, inputs),
        benefits: benefits.collect(),
        deductions: deductions.collect(),
        splits: splits.map(|split| split.account).zip(paycheck.splits.iter().copied()).collect(),
        unworked: paycheck.warnings.iter().filter_map(rules::payroll::Warning::uncalculated_tax).collect(),
        warnings: paycheck.warnings.iter().map(texts_of_rules::of_rules).collect(),
    }
}

/// Returns the uncollected taxes on tips; empty once the year's taxes are fully collected.
fn uncollected_tip_taxes(paycheck: &Paycheck<Uuid>, inputs: &PaycheckInputs) -> Vec<UncollectedPaid> {
    let (now, before) = (&paycheck.uncollected, &inputs.year_to_date);
    let both = [
        ("A", now.social_security, before.uncollected_social_security),
        ("B", now.medicare, before.uncollected_medicare),
    ];
    let lines = both.into_iter().map(|(code, now, before)| UncollectedPaid {
        code: code.to_owned(),
        amount: now,
        year_to_date: before + now,
    });
    lines.filter(|line| line.year_to_date > Amount::ZERO).collect()
}
