//! What each quarter comes to in taxes of states and places: wages, and what was withheld or is owed, for returns that are made elsewhere.

use std::collections::BTreeMap;

use returns::Quarter;
use rules::taxes::{Jurisdiction, Level, TaxId};

use super::gather::OfQuarter;

/// A tax of a state or a place in a quarter. Amounts are cents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxOfQuarter {
    /// the quarter of the pay dates
    pub quarter: Quarter,
    /// code and payer
    pub id: TaxId,
    /// name as printed on a pay stub
    pub label: String,
    /// who levies it
    pub jurisdiction: Jurisdiction,
    /// paychecks with it
    pub paychecks: u32,
    /// pay subject to it
    pub subject: i64,
    /// the taxable part of that pay
    pub taxable: i64,
    /// withheld, or owed by the employer
    pub amount: i64,
    /// whether another provider paid some of it and told no wages
    pub lacks_wages: bool,
}

/// Sums by quarter, by who levies them, and by tax.
#[derive(Debug, Default)]
pub struct OtherTaxSums(BTreeMap<(Quarter, Jurisdiction, TaxId), TaxOfQuarter>);

impl OtherTaxSums {
    /// Adds a tax of a paycheck; federal ones are not counted.
    pub fn add_tax(&mut self, one: &OfQuarter) {
        let (quarter, tax) = (one.quarter, &one.tax);
        if tax.jurisdiction.level == Level::Country {
            return;
        }
        let key = (quarter, tax.jurisdiction.clone(), tax.id.clone());
        let sum = self.0.entry(key).or_insert_with(|| TaxOfQuarter {
            quarter,
            id: tax.id.clone(),
            label: tax.label.clone(),
            jurisdiction: tax.jurisdiction.clone(),
            paychecks: 0,
            subject: 0,
            taxable: 0,
            amount: 0,
            lacks_wages: false,
        });
        sum.paychecks += 1;
        sum.subject += tax.subject.cents_half_up();
        sum.taxable += tax.taxable.cents_half_up();
        sum.amount += tax.amount.cents_half_up();
        sum.lacks_wages |= one.lacks_wages;
    }

    /// The taxes in order.
    pub fn into_taxes(self) -> Vec<TaxOfQuarter> {
        self.0.into_values().collect()
    }
}
