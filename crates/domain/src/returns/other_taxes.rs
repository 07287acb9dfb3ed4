//! What each quarter comes to in taxes of states and places: wages, and what was withheld or is owed, for returns that are made elsewhere.

use std::collections::BTreeMap;

use returns::Quarter;
use rules::Amount;
use rules::taxes::{Jurisdiction, Level, TaxId};
use store::Tx;
use uuid::Uuid;

use super::gather::{STRETCH, days_of};
use crate::error::Error;
use crate::pay::external_payrolls::rows as external;
use crate::pay::external_payrolls::rows::Status;
use crate::pay::payrolls::record::taxes::TaxPaid;
use crate::pay::payrolls::record::{results, rows as payrolls};

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

/// Sums by quarter and tax.
type Sums = BTreeMap<(Quarter, Jurisdiction, TaxId), TaxOfQuarter>;

/// Returns the taxes of states and places of a year, by quarter and by who levies them.
///
/// # Errors
/// A paycheck cannot be read; a store error.
pub fn of_year(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Vec<TaxOfQuarter>, Error> {
    let mut sums = Sums::new();
    for payroll in payrolls::processed(tx, company, days_of(year))? {
        let Some(run) = payroll.run else { continue };
        let (quarter, mut after) = (Quarter::of(payroll.check_date), Uuid::nil());
        loop {
            let some = results::after(tx, company, run, after, STRETCH)?;
            let Some(last) = some.last() else { break };
            after = last.employee;
            for outcome in &some {
                outcome.paid()?.taxes.iter().for_each(|tax| add(&mut sums, quarter, tax, false));
            }
        }
    }
    for one in external::of_company(tx, company)? {
        if one.status != Status::Processed || one.check_date.year() != year {
            continue;
        }
        for item in external::items(tx, company, one.id)?.into_values() {
            for line in item.taxes {
                let tax = TaxPaid::reported_by_code(line.id, line.amount);
                add(&mut sums, Quarter::of(one.check_date), &tax, true);
            }
        }
    }
    Ok(sums.into_values().collect())
}

fn add(sums: &mut Sums, quarter: Quarter, tax: &TaxPaid, lacks_wages: bool) {
    if tax.jurisdiction.level == Level::Country {
        return;
    }
    let sum =
        sums.entry((quarter, tax.jurisdiction.clone(), tax.id.clone())).or_insert_with(|| TaxOfQuarter {
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
    let cents = |millionths: i64| Amount::from_millionths(millionths).cents_half_up();
    sum.paychecks += 1;
    sum.subject += cents(tax.subject);
    sum.taxable += cents(tax.taxable);
    sum.amount += cents(tax.amount);
    sum.lacks_wages |= lacks_wages;
}
