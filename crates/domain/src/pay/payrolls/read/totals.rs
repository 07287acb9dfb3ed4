//! Totals of all employees of a payroll.

use std::collections::BTreeMap;

use rules::Amount;
use rules::payroll::state_of_income_tax;
use rules::taxes::{Jurisdiction, Level};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::pay::payrolls::calculation::inputs::PaycheckInputs;
use crate::pay::payrolls::entry::entered::FixedKind;
use crate::pay::payrolls::is_zero;
use crate::pay::payrolls::paid::{OtherTaxPaid, Outcome, Paid};
use crate::pay::payrolls::rows::Payroll;

/// The totals of a payroll while it is calculated.
#[derive(Debug, Clone, Default)]
pub struct RunningTotals {
    /// whether the partner pays direct deposits, so that the company is not debited for them
    partner_pays: bool,
    /// payments that the partner makes
    partner_payments: i64,
    amounts: [i64; Sum::ALL.len()],
    taxes: Vec<(String, bool, i64)>,
    /// paychecks on which a tax could not be calculated, by code, name and whether the employer would pay it
    unworked: BTreeMap<(String, String, bool), i64>,
    jurisdictions: BTreeMap<Jurisdiction, [i64; 2]>,
}

/// Declares the totals with their names, in the order in which they are returned.
macro_rules! sums {
    ($($variant:ident = $name:literal,)*) => {
        #[derive(Clone, Copy)]
        enum Sum { $($variant,)* }

        impl Sum {
            const ALL: [(Self, &'static str); [$($name),*].len()] = [$((Self::$variant, $name)),*];
        }
    };
}

sums! {
    CompanyDebit = "company_debit",
    NetPayDebit = "net_pay_debit",
    TaxDebit = "tax_debit",
    ReimbursementDebit = "reimbursement_debit",
    ChildSupportDebit = "child_support_debit",
    Reimbursements = "reimbursements",
    NetPay = "net_pay",
    GrossPay = "gross_pay",
    EmployeeBonuses = "employee_bonuses",
    EmployeeCommissions = "employee_commissions",
    EmployeeCashTips = "employee_cash_tips",
    EmployeePaycheckTips = "employee_paycheck_tips",
    AdditionalEarnings = "additional_earnings",
    OwnersDraw = "owners_draw",
    CheckAmount = "check_amount",
    EmployerTaxes = "employer_taxes",
    EmployeeTaxes = "employee_taxes",
    Benefits = "benefits",
    EmployeeBenefitsDeductions = "employee_benefits_deductions",
    OtherDeductions = "other_deductions",
    ImputedPay = "imputed_pay",
}

impl RunningTotals {
    /// Returns empty totals of a payroll.
    pub fn of(payroll: &Payroll) -> Self {
        Self { partner_pays: payroll.partner_pays, ..Self::default() }
    }

    /// Adds an employee's paycheck.
    pub fn add(&mut self, outcome: &Outcome, paid: &Paid, inputs: &PaycheckInputs) {
        self.count(1, outcome, paid, inputs);
    }

    /// Subtracts an employee's paycheck that was added before.
    pub fn take_off(&mut self, outcome: &Outcome, paid: &Paid, inputs: &PaycheckInputs) {
        self.count(-1, outcome, paid, inputs);
    }

    fn count(&mut self, times: i64, outcome: &Outcome, paid: &Paid, inputs: &PaycheckInputs) {
        let direct = inputs.payment.is_some();
        if self.partner_pays && paid.goes_to_accounts() {
            self.partner_payments += times;
        }
        let mut add = |sum: Sum, amount: i64| self.amounts[sum as usize] += times * amount;
        let reimbursed = paid.reimbursements;
        add(Sum::GrossPay, outcome.gross.millionths());
        add(Sum::NetPay, outcome.net.millionths());
        add(Sum::Reimbursements, reimbursed);
        let (paid_out, debit) = (outcome.check_amount.millionths(), outcome.net.millionths());
        match (direct, self.partner_pays) {
            (true, false) => {
                add(Sum::NetPayDebit, debit);
                add(Sum::ReimbursementDebit, reimbursed);
            }
            (true, true) => {}
            (false, _) => add(Sum::CheckAmount, paid_out),
        }
        for fixed in &inputs.fixed {
            let sum = match fixed.name {
                FixedKind::Bonus => Sum::EmployeeBonuses,
                FixedKind::Commission => Sum::EmployeeCommissions,
                FixedKind::CashTips => Sum::EmployeeCashTips,
                FixedKind::PaycheckTips => Sum::EmployeePaycheckTips,
                FixedKind::Correction | FixedKind::MinimumWageAdjustment => Sum::AdditionalEarnings,
            };
            add(sum, fixed.pay.amount.millionths());
        }
        for custom in &inputs.custom {
            add(Sum::AdditionalEarnings, custom.pay.amount.millionths());
        }
        // The minimum wage adjustment is calculated, so it has no amount as an entry.
        add(Sum::AdditionalEarnings, paid.jobs.iter().map(|job| job.make_up).sum());
        if inputs.is_owner() {
            add(Sum::OwnersDraw, paid.jobs.iter().map(|job| job.salary).sum());
        }
        for benefit in &paid.benefits {
            add(Sum::Benefits, benefit.contribution);
            add(Sum::EmployeeBenefitsDeductions, benefit.deduction);
            add(Sum::ImputedPay, benefit.imputed);
        }
        for taken in &paid.deductions {
            add(Sum::OtherDeductions, taken.with_fee());
            if taken.support && taken.manual.is_none() {
                add(Sum::ChildSupportDebit, taken.amount);
            }
        }
        for (_, employer, amount) in &paid.taxes {
            add(if *employer { Sum::EmployerTaxes } else { Sum::EmployeeTaxes }, *amount);
            add(Sum::TaxDebit, *amount);
        }
        for (name, employer, amount) in &paid.taxes {
            self.add_tax(name, *employer, times * *amount);
            let is_line = |line: &OtherTaxPaid| line.name == *name && line.employer == *employer;
            if !paid.other_taxes.iter().any(is_line) {
                self.add_levied(levied_by(name), *employer, times * *amount);
            }
        }
        for line in &paid.other_taxes {
            let (state, place) = (line.state.clone(), line.place.clone());
            let jurisdiction = Jurisdiction { level: line.level, state, place };
            self.add_levied(jurisdiction, line.employer, times * line.amount);
        }
        for unworked in &paid.unworked {
            *self.unworked.entry(unworked.clone()).or_default() += times;
        }
    }

    /// Adds the totals of further employees.
    pub fn merge(&mut self, more: Self) {
        self.partner_payments += more.partner_payments;
        for (sum, amount) in self.amounts.iter_mut().zip(more.amounts) {
            *sum += amount;
        }
        for (name, employer, amount) in more.taxes {
            self.add_tax(&name, employer, amount);
        }
        for (unworked, paychecks) in more.unworked {
            *self.unworked.entry(unworked).or_default() += paychecks;
        }
        for (jurisdiction, [own, employers]) in more.jurisdictions {
            self.add_levied(jurisdiction.clone(), false, own);
            self.add_levied(jurisdiction, true, employers);
        }
    }

    fn add_levied(&mut self, jurisdiction: Jurisdiction, employer: bool, amount: i64) {
        self.jurisdictions.entry(jurisdiction).or_default()[usize::from(employer)] += amount;
    }

    fn add_tax(&mut self, name: &str, employer: bool, amount: i64) {
        match self.taxes.iter_mut().find(|held| held.0 == name && held.1 == employer) {
            Some(held) => held.2 += amount,
            None => self.taxes.push((name.to_owned(), employer, amount)),
        }
    }

    /// Returns the totals to store with the payroll.
    pub fn finish(self) -> Totals {
        let get = |sum: Sum| self.amounts[sum as usize];
        let debit =
            [Sum::NetPayDebit, Sum::ReimbursementDebit, Sum::TaxDebit, Sum::ChildSupportDebit].map(get);
        let mut totals = Map::new();
        for (sum, name) in Sum::ALL {
            let amount = if matches!(sum, Sum::CompanyDebit) { debit.iter().sum() } else { get(sum) };
            totals.insert(name.to_owned(), Amount::from_millionths(amount).to_text(2).into());
        }
        totals.insert("deferred_payroll_taxes".to_owned(), "0.00".into());
        let taxes = self.taxes.into_iter().filter(|tax| tax.2 != 0).collect();
        let unworked = self.unworked.into_iter().filter(|(_, paychecks)| *paychecks > 0);
        let unworked = unworked.map(|((code, name, employer), paychecks)| UnworkedTax {
            code,
            name,
            employer,
            paychecks,
        });
        let levied = self.jurisdictions.into_iter().filter(|(_, sums)| *sums != [0, 0]);
        let levied = levied.map(|(jurisdiction, [of_employees, of_employer])| Levied {
            level: jurisdiction.level,
            state: jurisdiction.state,
            place: jurisdiction.place,
            of_employees,
            of_employer,
        });
        Totals {
            totals: Some(totals),
            partner_payments: self.partner_payments,
            taxes,
            unworked: unworked.collect(),
            jurisdictions: levied.collect(),
        }
    }
}

/// Returns who levies a tax that is not a line of a state or locality: the country, or the state of an income tax.
pub(in crate::pay::payrolls) fn levied_by(name: &str) -> Jurisdiction {
    match state_of_income_tax(name) {
        Some(state) => Jurisdiction::state(state),
        None => Jurisdiction { level: Level::Country, state: String::new(), place: String::new() },
    }
}

/// The totals of a payroll, as stored with it. Empty for a payroll that is not calculated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// totals by name, as decimal text
    #[serde(skip_serializing_if = "Option::is_none")]
    pub totals: Option<Map<String, Value>>,
    /// payments that the partner makes
    #[serde(skip_serializing_if = "is_zero")]
    pub partner_payments: i64,
    /// name, whether the employer pays it, and millionths of a dollar
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taxes: Vec<(String, bool, i64)>,
    /// taxes that are due but could not be calculated
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unworked: Vec<UnworkedTax>,
    /// the taxes by who levies them: the country, states, localities
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jurisdictions: Vec<Levied>,
}

impl Totals {
    /// Returns the cents paid to employees' accounts and to agencies.
    pub fn paid_by_bank(&self) -> i64 {
        let sums = ["net_pay_debit", "reimbursement_debit", "child_support_debit"];
        let text = |name: &&str| self.totals.as_ref()?.get(*name)?.as_str();
        let amounts = sums.iter().filter_map(text).filter_map(|text| Amount::parse(text).ok());
        amounts.map(Amount::cents_half_up).sum()
    }
}

/// A tax that is due because of an address, a certificate or a setting but could not be calculated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnworkedTax {
    /// stable code, such as `PA_EIT`
    pub code: String,
    /// as a pay stub would print it
    pub name: String,
    /// whether the employer would pay it
    pub employer: bool,
    /// number of paychecks on which it is due
    pub paychecks: i64,
}

/// The taxes of a country, a state or a locality for all employees of a payroll.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Levied {
    /// level of government
    pub level: Level,
    /// two letters; empty for the country
    pub state: String,
    /// key of the locality within the state; empty for a state
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// withheld from employees, in millionths of a dollar
    pub of_employees: i64,
    /// paid by the employer
    pub of_employer: i64,
}
