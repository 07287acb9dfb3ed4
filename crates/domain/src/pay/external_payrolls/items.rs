//! The item of an employee in an external payroll: earnings, benefits and taxes.

use std::collections::BTreeMap;

use rules::payroll::FixedKind;
use rules::payroll::benefits::BenefitType;
use rules::taxes::TaxId;
use rules::{Amount, Checks, Violation, check};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::commands::{BenefitFields, EarningFields, ItemFields, TaxFields};
use super::numbers;
use crate::benefits::rows::company::CompanyBenefit;
use crate::error::Error;
use crate::millionths;
use crate::patch;
use crate::patch::{Patch, check_dollars};
use crate::pay::earning_types::rows::EarningType;
use crate::pay::payrolls::run::prior_provider::{ApplicableTax, GivenBenefit, PriorPay};

/// Maximum number of lines in a list.
const MOST_LINES: usize = 100;
/// Maximum hours of a line.
const MOST_HOURS: i64 = 2_000;
/// Names of the kinds of earnings: standard, and the company's own.
pub const KINDS: [&str; 2] = ["CompanyPayType", "CompanyEarningType"];

/// What an employee was paid.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Item {
    /// earnings
    pub earnings: Vec<Earning>,
    /// benefits
    pub benefits: Vec<BenefitLine>,
    /// taxes
    pub taxes: Vec<TaxLine>,
}

/// A kind of earnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earning {
    /// whether it is one of the company's own earning types
    pub own: bool,
    /// number that identifies it
    pub id: i64,
    /// dollars
    #[serde(with = "millionths")]
    pub amount: Amount,
    /// hours
    #[serde(with = "millionths")]
    pub hours: Amount,
}

/// Amounts of a benefit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenefitLine {
    /// the company's benefit
    pub company_benefit: Uuid,
    /// number of its type
    pub code: i64,
    /// the company's name for it
    pub name: String,
    /// employee deduction in dollars
    #[serde(with = "millionths")]
    pub deduction: Amount,
    /// employer contribution in dollars
    #[serde(with = "millionths")]
    pub contribution: Amount,
}

/// A tax amount that was withheld or paid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaxLine {
    /// code and payer
    pub id: TaxId,
    /// dollars
    #[serde(with = "millionths")]
    pub amount: Amount,
    /// wages that it was calculated on, in dollars; `None` if the other provider's are not known
    #[serde(with = "millionths", default, skip_serializing_if = "Option::is_none")]
    pub taxable: Option<Amount>,
}

/// The earnings, benefits and taxes that lines can refer to.
#[derive(Debug, Clone)]
pub struct Applicable {
    /// the company's own earning types, in order of creation
    pub earnings: Vec<EarningType>,
    /// the company's benefits
    pub benefits: Vec<CompanyBenefit>,
    /// taxes that apply to the company's employees
    pub taxes: Vec<ApplicableTax>,
}

impl Applicable {
    fn has_earning(&self, own: bool, id: i64) -> bool {
        match own {
            true => usize::try_from(id).is_ok_and(|place| (1..=self.earnings.len()).contains(&place)),
            false => numbers::pay_type(id).is_some(),
        }
    }
}

impl Item {
    /// Converts the item to the input of the rules.
    ///
    /// # Errors
    /// The item has a number that this version does not know.
    pub fn to_rules_input(&self) -> Result<PriorPay, Error> {
        let mut given = PriorPay::default();
        for line in &self.earnings {
            let kind = match line.own {
                true => FixedKind::Earnings,
                false => numbers::pay_type(line.id)
                    .map(|one| one.kind)
                    .ok_or_else(|| unknown_number("earning", line.id))?,
            };
            given.lines.push((kind, line.amount));
            given.salary |= !line.own && line.id == numbers::SALARY && !line.amount.is_zero();
        }
        let is_off = |line: &Earning| !line.own && numbers::TIME_OFF.contains(&line.id);
        let hours = |off: bool| {
            let lines = self.earnings.iter().filter(|line| is_off(line) == off);
            lines.map(|line| line.hours).sum()
        };
        given.hours = (hours(false), hours(true));
        for line in &self.benefits {
            given.benefits.push(GivenBenefit {
                company_benefit: line.company_benefit,
                name: line.name.clone(),
                kind: BenefitType::find_by_code(line.code)
                    .ok_or_else(|| unknown_number("type of benefit", line.code))?,
                deduction: line.deduction,
                contribution: line.contribution,
            });
        }
        given.taxes = self.taxes.iter().map(|line| (line.id.clone(), line.amount)).collect();
        Ok(given)
    }

    /// Replaces lines of the same kind, and removes lines without amounts and hours.
    fn replace_lines(&mut self, new: Self) {
        for line in new.earnings {
            self.earnings.retain(|held| (held.own, held.id) != (line.own, line.id));
            self.earnings.push(line);
        }
        for line in new.benefits {
            self.benefits.retain(|held| held.company_benefit != line.company_benefit);
            self.benefits.push(line);
        }
        for line in new.taxes {
            self.taxes.retain(|held| held.id != line.id);
            self.taxes.push(line);
        }
        self.earnings.retain(|line| !line.amount.is_zero() || !line.hours.is_zero());
        self.benefits.retain(|line| !line.deduction.is_zero() || !line.contribution.is_zero());
        // Wages are told of a tax that came to nothing, too: those of the year are the sum.
        self.taxes.retain(|line| !line.amount.is_zero() || line.taxable.is_some());
    }

    /// Rejects employee deductions and taxes that exceed the earnings.
    fn check_amounts(&self, checks: &mut Checks) {
        let earned: Amount = self.earnings.iter().map(|line| line.amount).sum();
        let withheld: Amount =
            self.taxes.iter().filter(|line| !line.id.is_of_employer()).map(|line| line.amount).sum();
        let taxable = self.taxes.iter().filter_map(|line| line.taxable).max().unwrap_or_default();
        checks.require(taxable <= earned + self.benefits.iter().map(|line| line.contribution).sum::<Amount>(), || {
            Violation::invalid(
                "taxable_wages",
                "taxable_wages must not be more than the earnings and what the company contributed to benefits",
            )
        });
        let deducted: Amount = self.benefits.iter().map(|line| line.deduction).sum();
        checks.require(withheld + deducted <= earned, || {
            Violation::invalid(
                "taxes",
                "deductions and taxes of the employee must not be more than the earnings",
            )
        });
    }
}

fn unknown_number(what: &str, id: i64) -> Error {
    let why = format!("names {what} {id}, which this version does not know");
    Error::from(store::Unread::unknown(why).into_error("external_payroll_items", "item"))
}

/// Applies the lines of a request to `before`, whose other lines are kept, and checks the result.
pub fn apply_item_fields(
    mut before: Item,
    fields: &ItemFields,
    applicable: &Applicable,
    checks: &mut Checks,
) -> Item {
    let mut new = Item::default();
    for line in patch::check_items("earnings", &fields.earnings, MOST_LINES, checks) {
        new.earnings.extend(read_earning_line(line, applicable, checks));
    }
    for line in patch::check_items("benefits", &fields.benefits, MOST_LINES, checks) {
        new.benefits.extend(read_benefit_line(line, applicable, checks));
    }
    for line in patch::check_items("taxes", &fields.taxes, MOST_LINES, checks) {
        new.taxes.extend(read_tax_line(line, applicable, checks));
    }
    before.replace_lines(new);
    before.check_amounts(checks);
    before
}

fn read_earning_line(line: &EarningFields, applicable: &Applicable, checks: &mut Checks) -> Option<Earning> {
    let own = match line.earning_type {
        Patch::Absent | Patch::Null => Some(false),
        _ => line
            .earning_type
            .optional("earning_type", checks, |key, kind| Ok(check::one_of(key, kind, &KINDS)? == KINDS[1])),
    };
    let id = line.earning_id.required("earning_id", checks, |key, id| {
        if own.is_none_or(|own| applicable.has_earning(own, *id)) {
            return Ok(*id);
        }
        Err(Violation::invalid(key, format!("{key} must be one of applicable_earnings")))
    });
    let amount = line.amount.optional("amount", checks, check_dollars).unwrap_or(Amount::ZERO);
    let hours = line.hours.optional("hours", checks, check_hours).unwrap_or_default();
    Some(Earning { own: own?, id: id?, amount, hours })
}

fn read_benefit_line(
    line: &BenefitFields,
    applicable: &Applicable,
    checks: &mut Checks,
) -> Option<BenefitLine> {
    let found = line.benefit_id.required("benefit_id", checks, |key, id| {
        let found = applicable.benefits.iter().find(|one| numbers::of_benefit(one.id) == *id);
        found.ok_or_else(|| Violation::invalid(key, format!("{key} must be one of applicable_benefits")))
    });
    let contribution = line
        .company_contribution_amount
        .optional("company_contribution_amount", checks, check_dollars)
        .unwrap_or(Amount::ZERO);
    let deduction = line
        .employee_deduction_amount
        .optional("employee_deduction_amount", checks, check_dollars)
        .unwrap_or(Amount::ZERO);
    let found = found?;
    Some(BenefitLine {
        company_benefit: found.id,
        code: found.kind.code,
        name: found.description.clone(),
        deduction,
        contribution,
    })
}

fn read_tax_line(line: &TaxFields, applicable: &Applicable, checks: &mut Checks) -> Option<TaxLine> {
    let id = line.tax_id.required("tax_id", checks, |key, id| {
        let found = applicable.taxes.iter().find(|tax| numbers::of_tax(&tax.id) == *id);
        found
            .map(|tax| tax.id.clone())
            .ok_or_else(|| Violation::invalid(key, format!("{key} must be one of applicable_taxes")))
    });
    let amount = line.amount.optional("amount", checks, check_dollars).unwrap_or(Amount::ZERO);
    let taxable = line.taxable_wages.optional("taxable_wages", checks, check_dollars);
    Some(TaxLine { id: id?, amount, taxable })
}

fn check_hours(key: &str, hours: &Amount) -> Result<Amount, Violation> {
    if (Amount::ZERO..=Amount::from_cents(MOST_HOURS * 100)).contains(hours) {
        return Ok(*hours);
    }
    Err(Violation::invalid(key, format!("{key} must lie between 0 and {MOST_HOURS}")))
}

/// Sums the taxes of all items.
pub fn taxes_of_items<'i>(items: impl Iterator<Item = &'i Item>) -> BTreeMap<TaxId, Amount> {
    let mut sums = BTreeMap::new();
    for line in items.flat_map(|item| &item.taxes) {
        *sums.entry(line.id.clone()).or_default() += line.amount;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn earned(id: i64, amount: i64) -> Earning {
        Earning { own: false, id, amount: Amount::from_millionths(amount), hours: Amount::ZERO }
    }

    #[test]
    fn a_line_replaces_its_kind_and_zero_removes_it() {
        let mut item = Item { earnings: vec![earned(1, 100), earned(5, 50)], ..Item::default() };
        item.replace_lines(Item { earnings: vec![earned(1, 200), earned(5, 0)], ..Item::default() });
        assert_eq!(item.earnings, [earned(1, 200)]);
    }

    #[test]
    fn deductions_cannot_exceed_earnings() {
        let id = TaxId::of_employee("US_MEDICARE");
        let item = Item {
            earnings: vec![earned(1, 100)],
            taxes: vec![TaxLine { id, amount: Amount::from_millionths(101), taxable: None }],
            ..Item::default()
        };
        let mut checks = Checks::new();
        item.check_amounts(&mut checks);
        assert!(checks.finish().is_err());
    }
}
