//! Totals of all employees of a payroll.

use std::collections::BTreeMap;

use rules::Amount;
use rules::taxes::{Jurisdiction, Payer, TaxId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::pay::payrolls::record::json::is_zero;
use crate::pay::payrolls::record::kinds::FixedKind;
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::record::taxes::TaxPaid;
use crate::pay::payrolls::record::warning::Warning;

/// The totals of a payroll while it is calculated.
#[derive(Debug, Clone, Default)]
pub struct RunningTotals {
    /// whether the partner pays direct deposits, so that the company is not debited for them
    partner_pays: bool,
    /// payments that the partner makes
    partner_payments: i64,
    amounts: [i64; Sum::ALL.len()],
    /// in the order in which paychecks have them
    taxes: Vec<TaxTotal>,
    /// taxes that could not be calculated: name, and number of paychecks
    unworked: BTreeMap<TaxId, (String, i64)>,
    /// what is told once for the payroll, and number of paychecks that it holds for
    told_once: Vec<(Warning, i64)>,
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
        self.count_taxes(times, &paid.taxes);
        for (code, name, employer) in &paid.unworked {
            let payer = if *employer { Payer::Employer } else { Payer::Employee };
            self.add_unworked(TaxId::new(code.clone(), payer), name, times);
        }
        for warning in paid.warnings.iter().filter(|warning| warning.is_of_payroll()) {
            self.add_told(warning, times);
        }
    }

    fn count_taxes(&mut self, times: i64, taxes: &[TaxPaid]) {
        for tax in taxes {
            let sum = if tax.is_of_employer() { Sum::EmployerTaxes } else { Sum::EmployeeTaxes };
            self.amounts[sum as usize] += times * tax.amount;
            self.amounts[Sum::TaxDebit as usize] += times * tax.amount;
            self.add_tax(&tax.id, (&tax.label, &tax.jurisdiction), times * tax.amount);
        }
    }

    /// Adds the totals of further employees.
    pub fn merge(&mut self, more: Self) {
        self.partner_payments += more.partner_payments;
        for (sum, amount) in self.amounts.iter_mut().zip(more.amounts) {
            *sum += amount;
        }
        for TaxTotal { id, label, jurisdiction, amount } in more.taxes {
            self.add_tax(&id, (&label, &jurisdiction), amount);
        }
        for (id, (name, paychecks)) in more.unworked {
            self.add_unworked(id, &name, paychecks);
        }
        for (warning, paychecks) in more.told_once {
            self.add_told(&warning, paychecks);
        }
    }

    fn add_told(&mut self, warning: &Warning, paychecks: i64) {
        match self.told_once.iter_mut().find(|(held, _)| held == warning) {
            Some((_, count)) => *count += paychecks,
            None => self.told_once.push((warning.clone(), paychecks)),
        }
    }

    fn add_tax(&mut self, id: &TaxId, (label, jurisdiction): (&str, &Jurisdiction), amount: i64) {
        match self.taxes.iter_mut().find(|held| held.id == *id) {
            Some(held) => held.amount += amount,
            None => self.taxes.push(TaxTotal {
                id: id.clone(),
                label: label.to_owned(),
                jurisdiction: jurisdiction.clone(),
                amount,
            }),
        }
    }

    fn add_unworked(&mut self, id: TaxId, name: &str, paychecks: i64) {
        self.unworked.entry(id).or_insert_with(|| (name.to_owned(), 0)).1 += paychecks;
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
        let taxes = self.taxes.into_iter().filter(|tax| tax.amount != 0).collect();
        let unworked = self.unworked.into_iter().filter(|(_, (_, paychecks))| *paychecks > 0);
        let unworked = unworked.map(|(id, (name, paychecks))| UnworkedTax {
            employer: id.is_of_employer(),
            code: id.code,
            name,
            paychecks,
        });
        Totals {
            totals: Some(totals),
            partner_payments: self.partner_payments,
            taxes,
            unworked: unworked.collect(),
            warnings: self.told_once.into_iter().filter(|told| told.1 > 0).map(|told| told.0).collect(),
        }
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
    /// the taxes, each of all employees together
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taxes: Vec<TaxTotal>,
    /// taxes that are due but could not be calculated
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unworked: Vec<UnworkedTax>,
    /// what is told once for the payroll
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// A tax of all employees of a payroll together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaxTotal {
    /// code and payer
    pub id: TaxId,
    /// as a pay stub prints it; other taxes may have the same one
    pub label: String,
    /// who levies it
    pub jurisdiction: Jurisdiction,
    /// millionths of a dollar
    pub amount: i64,
}

impl Totals {
    /// Returns the taxes by who levies them: the country, states, localities.
    pub fn by_jurisdiction(&self) -> Vec<Levied> {
        let mut sums: BTreeMap<&Jurisdiction, [i64; 2]> = BTreeMap::new();
        for tax in &self.taxes {
            sums.entry(&tax.jurisdiction).or_default()[usize::from(tax.id.is_of_employer())] += tax.amount;
        }
        let levied = sums.into_iter().filter(|(_, sums)| *sums != [0, 0]);
        let levied = levied.map(|(jurisdiction, [of_employees, of_employer])| Levied {
            jurisdiction: jurisdiction.clone(),
            of_employees,
            of_employer,
        });
        levied.collect()
    }

    /// Returns the totals without those of some of its paychecks.
    pub fn without(&self, taken: &Self) -> Self {
        let amount = |totals: Option<&Map<String, Value>>, name: &str| {
            let text = totals.and_then(|totals| totals.get(name)).and_then(Value::as_str);
            text.and_then(|text| Amount::parse(text).ok()).unwrap_or_default()
        };
        let left = |(name, sum): (&String, &Value)| {
            let sum = match sum.as_str().and_then(|text| Amount::parse(text).ok()) {
                Some(sum) => {
                    let left = sum.millionths() - amount(taken.totals.as_ref(), name).millionths();
                    Amount::from_millionths(left).to_text(2).into()
                }
                None => sum.clone(),
            };
            (name.clone(), sum)
        };
        let mut taxes = self.taxes.clone();
        for tax in &taken.taxes {
            if let Some(held) = taxes.iter_mut().find(|held| held.id == tax.id) {
                held.amount -= tax.amount;
            }
        }
        taxes.retain(|tax| tax.amount != 0);
        let mut unworked = self.unworked.clone();
        for tax in &taken.unworked {
            let same = |one: &&mut UnworkedTax| one.code == tax.code && one.employer == tax.employer;
            if let Some(held) = unworked.iter_mut().find(same) {
                held.paychecks -= tax.paychecks;
            }
        }
        unworked.retain(|tax| tax.paychecks > 0);
        Self {
            totals: self.totals.as_ref().map(|totals| totals.iter().map(left).collect()),
            partner_payments: self.partner_payments - taken.partner_payments,
            taxes,
            unworked,
            warnings: self.warnings.clone(),
        }
    }

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levied {
    /// who levies them
    pub jurisdiction: Jurisdiction,
    /// withheld from employees, in millionths of a dollar
    pub of_employees: i64,
    /// paid by the employer
    pub of_employer: i64,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pay::payrolls::record::by_chance;

    proptest! {
        /// Several taxes of the sample have one label, or one label and one jurisdiction.
        #[test]
        fn two_taxes_never_share_a_sum_whatever_their_labels(
            paychecks in prop::collection::vec(by_chance::taxes(), 0..8),
            split in 0_usize..8,
        ) {
            let mut expected: BTreeMap<TaxId, i64> = BTreeMap::new();
            let (mut totals, mut more) = (RunningTotals::default(), RunningTotals::default());
            for (place, taxes) in paychecks.iter().enumerate() {
                for tax in taxes {
                    *expected.entry(tax.id.clone()).or_default() += tax.amount;
                }
                if place < split { &mut totals } else { &mut more }.count_taxes(1, taxes);
            }
            // What is added and taken off again leaves nothing.
            for taxes in paychecks.iter().take(2) {
                totals.count_taxes(1, taxes);
                totals.count_taxes(-1, taxes);
            }
            totals.merge(more);
            let totals = totals.finish();
            expected.retain(|_, sum| *sum != 0);
            let found = totals.taxes.iter().map(|tax| (tax.id.clone(), tax.amount));
            prop_assert_eq!(found.clone().count(), expected.len());
            prop_assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
            let levied = totals.by_jurisdiction();
            let levied = levied.iter().map(|one| one.of_employees + one.of_employer).sum::<i64>();
            prop_assert_eq!(levied, totals.taxes.iter().map(|tax| tax.amount).sum::<i64>());
        }
    }
}
