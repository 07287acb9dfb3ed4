//! The year-to-date part of a pay stub: the sums of the paychecks of the year up to this pay date, and all lines that contribute to them, including those without an
//! amount this time, such as a bonus, a benefit that has ended, or the tax of a former state.

use rules::Amount;
use rules::amount::dollars_text;

use std::collections::BTreeMap;

use rules::taxes::TaxId;
use store::Tx;
use uuid::Uuid;

use crate::benefits::rows::company as company_benefits;
use crate::error::Error;
use crate::pay::payrolls::record::lines::StoredPaycheck;
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::results;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::record::sums::{Sums, YearSums};
use crate::pay::payrolls::views::stub::earnings::{self, Earned, EarningKey};
use crate::pay::payrolls::views::stub::taxes::StubTax;
use crate::pay::payrolls::views::stub::words::Words;
use crate::withholding::garnishments;

/// The year of a paycheck.
#[derive(Debug)]
pub(super) struct OfYear {
    /// the sums including this paycheck
    pub(super) sums: YearSums,
    /// earnings in the paychecks with earlier pay dates, by line
    pub(super) earned: BTreeMap<EarningKey, Earned>,
    /// names of garnishments and benefits of the year that are not on this paycheck
    names: BTreeMap<Uuid, String>,
    /// the taxes of the paychecks with earlier pay dates
    taxes: BTreeMap<TaxId, StubTax>,
}

impl OfYear {
    /// Reads the year of a paycheck; `None` if there are no sums for that year.
    pub(super) fn read(
        tx: &mut Tx<'_>,
        company: Uuid,
        w: &Words,
        (payroll, outcome): (&Payroll, &Outcome),
    ) -> Result<Option<Self>, Error> {
        let year = payroll.check_date.year();
        let Some(sums) = Sums::read_from_outcome(outcome)?.years.remove(&year) else { return Ok(None) };
        let mut of_year =
            Self { sums, earned: BTreeMap::new(), names: BTreeMap::new(), taxes: BTreeMap::new() };
        // Sums build on what was processed before; the year to date counts what was paid before, as returns do.
        let number = payroll.run_number.unwrap_or(i64::MAX);
        for (other, of, day) in results::of_year(tx, company, outcome.employee, year)? {
            if of == number {
                continue;
            }
            let (processed_before, paid_before) = (of < number, (day, of) < (payroll.check_date, number));
            let paid = other.read_paycheck()?;
            let amounts = (other.gross, other.net);
            match (processed_before, paid_before) {
                (true, false) => of_year.sums.count_paycheck(amounts, &paid, -1),
                (false, true) => of_year.sums.count_paycheck(amounts, &paid, 1),
                _ => {}
            }
            if paid_before {
                of_year.add_outcome(w, &other, paid);
            }
        }
        of_year.name_rest(tx, company, outcome)?;
        Ok(Some(of_year))
    }

    /// Returns the name of a garnishment or a benefit.
    pub(super) fn deduction_name(&self, id: Uuid) -> String {
        self.names.get(&id).cloned().unwrap_or_default()
    }

    /// Returns a tax of the year that is not on this paycheck.
    pub(super) fn tax_to_date(&self, id: &TaxId) -> StubTax {
        self.taxes.get(id).cloned().unwrap_or_else(|| StubTax::of_tables(id))
    }

    fn add_outcome(&mut self, w: &Words, outcome: &Outcome, paid: Paid) {
        let inputs = outcome.read_inputs().ok();
        let paycheck = StoredPaycheck { outcome, paid: &paid, inputs: inputs.as_ref() };
        for (key, earned) in earnings::earning_lines(w, paycheck) {
            match self.earned.get_mut(&key) {
                Some(held) => held.paid += earned.paid,
                None => _ = self.earned.insert(key, earned),
            }
        }
        self.taxes.extend(paid.taxes.iter().map(|tax| (tax.id.clone(), StubTax::of_paycheck(tax))));
        self.names.extend(paid.deductions.into_iter().map(|one| (one.id, one.name)));
        self.names.extend(paid.benefits.into_iter().map(|one| (one.company_benefit, one.name)));
    }

    /// Adds the names of garnishments and benefits that appear only in opening balances.
    fn name_rest(&mut self, tx: &mut Tx<'_>, company: Uuid, outcome: &Outcome) -> Result<(), Error> {
        let is_unknown = |id: &&Uuid| !self.names.contains_key(*id);
        let benefits: Vec<Uuid> = self.sums.benefits.keys().filter(is_unknown).copied().collect();
        let orders: Vec<Uuid> = self.sums.garnishments.keys().filter(is_unknown).copied().collect();
        for id in benefits {
            let found = company_benefits::find_benefit(tx, company, id)?;
            self.names.extend(found.map(|one| (id, one.benefit.description)));
        }
        if !orders.is_empty() {
            let all = garnishments::rows::of_employee(tx, company, outcome.employee)?;
            let missing = all.into_iter().filter(|one| orders.contains(&one.id));
            self.names.extend(missing.map(|one| (one.id, one.description)));
        }
        Ok(())
    }
}

/// Returns lines with their amounts in the year, followed by the year's other lines. Lines without an amount in either are omitted.
pub(super) fn with_rest<K: Copy + Ord>(
    mut now: Vec<(K, Amount)>,
    of_year: &Option<BTreeMap<K, Amount>>,
) -> Vec<(K, Amount, String)> {
    let of_year_or_none = of_year.iter().flatten();
    let rest: Vec<K> =
        of_year_or_none.map(|(key, _)| *key).filter(|key| !now.iter().any(|one| one.0 == *key)).collect();
    now.extend(rest.into_iter().map(|key| (key, Amount::ZERO)));
    let so_far = |key: &K| of_year.as_ref().and_then(|sums| sums.get(key).copied());
    let shown = now
        .into_iter()
        .filter(|(key, amount)| !amount.is_zero() || so_far(key).is_some_and(|sum| !sum.is_zero()));
    shown.map(|(key, amount)| (key, amount, so_far(&key).map(dollars_text).unwrap_or_default())).collect()
}
