//! Totals of all employees of a payroll.

use std::collections::BTreeMap;

use rules::Amount;
use rules::taxes::{Jurisdiction, TaxId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::millionths;
use crate::pay::payrolls::record::json::is_zero;
use crate::pay::payrolls::record::kinds::FixedKind;
use crate::pay::payrolls::record::lines::{Earning, PaycheckLine, Source, StoredPaycheck};
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::warning::Warning;

/// The totals of a payroll while it is calculated.
#[derive(Debug, Clone, Default)]
pub struct RunningTotals {
    /// whether the partner pays direct deposits, so that the company is not debited for them
    partner_pays: bool,
    /// payments that the partner makes
    partner_payments: i64,
    amounts: [Amount; Sum::ALL.len()],
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

/// How a paycheck is paid, on which some of its sums depend.
#[derive(Clone, Copy)]
struct Payment {
    by_check: bool,
    /// whether the partner pays direct deposits
    by_partner: bool,
    /// whether its salary is the draw of an owner
    of_owner: bool,
}

impl Payment {
    /// Returns the sums of which net pay is a part.
    fn sums_of_net_pay(self) -> &'static [Sum] {
        if self.by_check || self.by_partner { &[Sum::NetPay] } else { &[Sum::NetPay, Sum::NetPayDebit] }
    }

    /// Returns the sums of which a line is a part.
    fn sums_of(self, line: &PaycheckLine<'_>) -> &'static [Sum] {
        match line.source {
            Source::Earning(of) => self.sums_of_earning(of.earning),
            Source::Reimbursement(_) if self.by_check || self.by_partner => &[Sum::Reimbursements],
            Source::Reimbursement(_) => &[Sum::Reimbursements, Sum::ReimbursementDebit],
            Source::Tax(tax) if tax.is_of_employer() => &[Sum::EmployerTaxes, Sum::TaxDebit],
            Source::Tax(_) => &[Sum::EmployeeTaxes, Sum::TaxDebit],
            Source::BenefitDeduction(_) => &[Sum::EmployeeBenefitsDeductions],
            Source::BenefitContribution(_) => &[Sum::Benefits],
            Source::ImputedIncome(_) => &[Sum::ImputedPay],
            Source::Order(taken) if taken.support && taken.manual.is_none() => {
                &[Sum::OtherDeductions, Sum::ChildSupportDebit]
            }
            Source::Order(_) | Source::OrderFee(_) => &[Sum::OtherDeductions],
        }
    }

    fn sums_of_earning(self, earning: Earning) -> &'static [Sum] {
        match earning {
            Earning::Salary if self.of_owner => &[Sum::GrossPay, Sum::OwnersDraw],
            Earning::Salary
            | Earning::Hourly(_)
            | Earning::TimeOff(_)
            | Earning::RecalculatedPremium
            | Earning::Further => &[Sum::GrossPay],
            Earning::Fixed(FixedKind::Bonus) => &[Sum::GrossPay, Sum::EmployeeBonuses],
            Earning::Fixed(FixedKind::Commission) => &[Sum::GrossPay, Sum::EmployeeCommissions],
            Earning::Fixed(FixedKind::CashTips) => &[Sum::GrossPay, Sum::EmployeeCashTips],
            Earning::Fixed(FixedKind::PaycheckTips) => &[Sum::GrossPay, Sum::EmployeePaycheckTips],
            Earning::Fixed(FixedKind::Correction | FixedKind::MinimumWageAdjustment) | Earning::Custom(_) => {
                &[Sum::GrossPay, Sum::AdditionalEarnings]
            }
        }
    }
}

impl RunningTotals {
    /// Returns empty totals of a payroll; `partner_pays` says whether the partner pays direct deposits.
    pub fn new(partner_pays: bool) -> Self {
        Self { partner_pays, ..Self::default() }
    }

    /// Adds an employee's paycheck.
    pub fn add_paycheck(&mut self, paycheck: StoredPaycheck<'_>) {
        self.count_paycheck(1, paycheck);
    }

    /// Subtracts an employee's paycheck that was added before.
    pub fn take_off(&mut self, paycheck: StoredPaycheck<'_>) {
        self.count_paycheck(-1, paycheck);
    }

    fn count_paycheck(&mut self, times: i64, paycheck: StoredPaycheck<'_>) {
        let StoredPaycheck { outcome, paid, inputs } = paycheck;
        if self.partner_pays && paid.goes_to_accounts() {
            self.partner_payments += times;
        }
        let payment = Payment {
            by_check: inputs.is_none_or(|inputs| inputs.payment.is_none()),
            by_partner: self.partner_pays,
            of_owner: inputs.is_some_and(PaycheckInputs::is_owner),
        };
        self.add_to(payment.sums_of_net_pay(), outcome.net * times);
        if payment.by_check {
            self.add_to(&[Sum::CheckAmount], outcome.check_amount * times);
        }
        for line in paycheck.paycheck_lines() {
            self.add_to(payment.sums_of(&line), line.amount * times);
            if let Source::Tax(tax) = line.source {
                self.add_tax(&tax.id, (&tax.label, &tax.jurisdiction), tax.amount * times);
            }
        }
        for (id, name) in &paid.unworked {
            self.add_unworked(id, name, times);
        }
        for warning in paid.warnings.iter().filter(|warning| warning.is_of_payroll()) {
            self.add_told(warning, times);
        }
    }

    fn add_to(&mut self, sums: &[Sum], amount: Amount) {
        for sum in sums {
            self.amounts[*sum as usize] += amount;
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
            self.add_unworked(&id, &name, paychecks);
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

    fn add_tax(&mut self, id: &TaxId, (label, jurisdiction): (&str, &Jurisdiction), amount: Amount) {
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

    fn add_unworked(&mut self, id: &TaxId, name: &str, paychecks: i64) {
        match self.unworked.get_mut(id) {
            Some((_, count)) => *count += paychecks,
            None => _ = self.unworked.insert(id.clone(), (name.to_owned(), paychecks)),
        }
    }

    /// Returns the totals to store with the payroll.
    pub fn into_totals(self) -> Totals {
        let get = |sum: Sum| self.amounts[sum as usize];
        let debit =
            [Sum::NetPayDebit, Sum::ReimbursementDebit, Sum::TaxDebit, Sum::ChildSupportDebit].map(get);
        let mut totals = Map::new();
        for (sum, name) in Sum::ALL {
            let amount = if matches!(sum, Sum::CompanyDebit) { debit.into_iter().sum() } else { get(sum) };
            totals.insert(name.to_owned(), amount.to_text(2).into());
        }
        totals.insert("deferred_payroll_taxes".to_owned(), "0.00".into());
        let taxes = self.taxes.into_iter().filter(|tax| !tax.amount.is_zero()).collect();
        let unworked = self.unworked.into_iter().filter(|(_, (_, paychecks))| *paychecks > 0);
        let unworked = unworked.map(|(id, (name, paychecks))| UnworkedTax { id, name, paychecks });
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
    /// dollars
    #[serde(with = "millionths")]
    pub amount: Amount,
}

impl Totals {
    /// Returns the taxes by who levies them: the country, states, localities.
    pub fn by_jurisdiction(&self) -> Vec<Levied> {
        let mut sums: BTreeMap<&Jurisdiction, [Amount; 2]> = BTreeMap::new();
        for tax in &self.taxes {
            sums.entry(&tax.jurisdiction).or_default()[usize::from(tax.id.is_of_employer())] += tax.amount;
        }
        let levied = sums.into_iter().filter(|(_, sums)| *sums != [Amount::ZERO; 2]);
        let levied = levied.map(|(jurisdiction, [of_employees, of_employer])| Levied {
            jurisdiction: jurisdiction.clone(),
            of_employees,
            of_employer,
        });
        levied.collect()
    }

    /// Returns the totals without those of some of its paychecks.
    pub fn without_paychecks(&self, taken: &Self) -> Self {
        let amount = |totals: Option<&Map<String, Value>>, name: &str| {
            let text = totals.and_then(|totals| totals.get(name)).and_then(Value::as_str);
            text.and_then(|text| Amount::parse(text).ok()).unwrap_or_default()
        };
        let left = |(name, sum): (&String, &Value)| {
            let sum = match sum.as_str().and_then(|text| Amount::parse(text).ok()) {
                Some(sum) => {
                    let left = sum - amount(taken.totals.as_ref(), name);
                    left.to_text(2).into()
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
        taxes.retain(|tax| !tax.amount.is_zero());
        let mut unworked = self.unworked.clone();
        for tax in &taken.unworked {
            let same = |one: &&mut UnworkedTax| one.id == tax.id;
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
    /// code, such as `PA_EIT`, and who would pay it
    pub id: TaxId,
    /// as a pay stub would print it
    pub name: String,
    /// number of paychecks on which it is due
    pub paychecks: i64,
}

/// The taxes of a country, a state or a locality for all employees of a payroll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levied {
    /// who levies them
    pub jurisdiction: Jurisdiction,
    /// withheld from employees
    pub of_employees: Amount,
    /// paid by the employer
    pub of_employer: Amount,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pay::payrolls::record::by_chance;
    use crate::pay::payrolls::record::paycheck::Paid;
    use crate::pay::payrolls::record::taxes::TaxPaid;

    fn with(totals: &mut RunningTotals, times: i64, taxes: &[TaxPaid]) {
        let (outcome, paid) = by_chance::paycheck_of([0; 4], [0; 4], [0; 3]);
        let paid = Paid { taxes: taxes.to_vec(), ..paid };
        totals.count_paycheck(times, StoredPaycheck { outcome: &outcome, paid: &paid, inputs: None });
    }

    proptest! {
        /// Several taxes of the sample have one label, or one label and one jurisdiction.
        #[test]
        fn two_taxes_never_share_a_sum_whatever_their_labels(
            paychecks in prop::collection::vec(by_chance::arbitrary_taxes(), 0..8),
            split in 0_usize..8,
        ) {
            let mut expected: BTreeMap<TaxId, Amount> = BTreeMap::new();
            let (mut totals, mut more) = (RunningTotals::default(), RunningTotals::default());
            for (place, taxes) in paychecks.iter().enumerate() {
                for tax in taxes {
                    *expected.entry(tax.id.clone()).or_default() += tax.amount;
                }
                with(if place < split { &mut totals } else { &mut more }, 1, taxes);
            }
            // What is added and taken off again leaves nothing.
            for taxes in paychecks.iter().take(2) {
                with(&mut totals, 1, taxes);
                with(&mut totals, -1, taxes);
            }
            totals.merge(more);
            let totals = totals.into_totals();
            expected.retain(|_, sum| !sum.is_zero());
            let found = totals.taxes.iter().map(|tax| (tax.id.clone(), tax.amount));
            prop_assert_eq!(found.clone().count(), expected.len());
            prop_assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
            let levied = totals.by_jurisdiction();
            let levied = levied.iter().map(|one| one.of_employees + one.of_employer).sum::<Amount>();
            prop_assert_eq!(levied, totals.taxes.iter().map(|tax| tax.amount).sum::<Amount>());
        }
    }
}
