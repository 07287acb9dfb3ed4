//! The operator's limits: maximum dollars of credits per file, per company and day, and per day.
//!
//! Credits that one debit funds are held together, with the debit: no employer is debited for credits that a limit holds.

use std::collections::BTreeMap;

use jiff::civil::Date;
use store::Tx;
use uuid::Uuid;

use crate::error::Error;
use crate::money::bank::banking_days::today_in_california;
use crate::money::bank::settings::Terms;
use crate::money::batches::debits;
use crate::money::funding::{self, Mode};
use crate::money::ledger::rows::{self, Batch, BatchKind, BatchState, FileState, OfCompany};

/// Totals of credits in cents: of this file, of this day, and of each company on this day.
pub(in crate::money) struct FileSums {
    file: i64,
    day: i64,
    companies: BTreeMap<Uuid, i64>,
    /// why the credits of a debit, or a batch without one, are held; `None` if they are not
    decided: BTreeMap<Uuid, Option<String>>,
}

impl FileSums {
    /// Returns the totals of the files of this day.
    pub(in crate::money) fn of_today(tx: &mut Tx<'_>) -> Result<Self, Error> {
        let mut sums = Self { file: 0, day: 0, companies: BTreeMap::new(), decided: BTreeMap::new() };
        let day: Date = today_in_california(tx.now());
        for file in rows::files_of_day(tx, day)? {
            if file.state == FileState::Void {
                continue;
            }
            for OfCompany { company, batch } in rows::of_file(tx, file.id)? {
                sums.add_batch(company, &batch);
            }
        }
        sums.file = 0;
        Ok(sums)
    }

    /// Adds a batch that goes into the file.
    pub(in crate::money) fn add_batch(&mut self, company: Uuid, batch: &Batch) {
        if batch.kind.is_credit() {
            self.file += batch.cents;
            self.day += batch.cents;
            *self.companies.entry(company).or_default() += batch.cents;
        }
    }

    /// Whether a batch is too much for this file, but may go into the next.
    pub(in crate::money) fn is_too_much(&self, terms: &Terms, batch: &Batch) -> bool {
        batch.kind.is_credit() && terms.file_limit.is_some_and(|most| self.file + batch.cents > most)
    }

    /// Returns why a batch is held for the operator: its credits, or those that it funds, exceed the limit of a file, of their company, or
    /// of the day.
    pub(in crate::money) fn hold_reason(
        &mut self,
        tx: &mut Tx<'_>,
        terms: &Terms,
        company: Uuid,
        batch: &Batch,
    ) -> Result<Option<String>, Error> {
        let limits = [terms.file_limit, terms.company_limit, terms.day_limit];
        if limits.iter().all(Option::is_none) {
            return Ok(None);
        }
        let subject = funding_subject(tx, company, batch)?;
        if let Some(known) = self.decided.get(&subject) {
            return Ok(known.clone());
        }
        let mut credits = Vec::new();
        for one in rows::of_payroll(tx, company, batch.payroll)? {
            let open = matches!(one.state, BatchState::Ready | BatchState::Held) && one.kind.is_credit();
            if open && self::funding_subject(tx, company, &one)? == subject {
                credits.push(one.cents);
            }
        }
        // Credits that wait for the debit are filed on a later day.
        let funding = funding::of_payroll(tx, company, batch.payroll)?;
        let later = !batch.kind.is_credit() && funding.mode == Mode::Debit;
        let why = self
            .exceeded_limit(terms, (company, later), &credits)
            .map(|what| format!("its credits exceed the limit of {what}"));
        self.decided.insert(subject, why.clone());
        Ok(why)
    }

    fn exceeded_limit(
        &self,
        terms: &Terms,
        (company, later): (Uuid, bool),
        credits: &[i64],
    ) -> Option<&'static str> {
        let total: i64 = credits.iter().sum();
        let of_company = self.companies.get(&company).copied().unwrap_or(0);
        let (of_company, of_day) = if later { (0, 0) } else { (of_company, self.day) };
        let beyond = |limit: Option<i64>, sum: i64| limit.is_some_and(|most| sum > most);
        if credits.iter().any(|cents| beyond(terms.file_limit, *cents)) {
            Some("a file")
        } else if beyond(terms.company_limit, of_company + total) {
            Some("a company on one day")
        } else if beyond(terms.day_limit, of_day + total) {
            Some("a day")
        } else {
            None
        }
    }
}

/// Returns the id by which credits are decided together: that of the debit that funds them. A batch without a debit is decided alone.
fn funding_subject(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<Uuid, Error> {
    match batch.kind {
        BatchKind::Debit | BatchKind::TaxDebit => Ok(batch.id),
        _ => Ok(debits::of_credits(tx, company, batch)?.map_or(batch.id, |debit| debit.id)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_is_exactly_met_holds_nothing_and_a_future_day_has_no_totals() {
        let company = Uuid::from_u128(1);
        let mut sums = FileSums { file: 0, day: 700, companies: BTreeMap::new(), decided: BTreeMap::new() };
        sums.companies.insert(company, 400);
        let mut terms: Terms = serde_json::from_value(serde_json::json!({
            "company_id": "1", "bank_routing": "091000019", "bank_name": "B", "origin": "1", "origin_name": "O",
            "first_modifier": "A", "folder": "/", "cut_off": "16:00:00", "same_day": false, "debit": "company"
        }))
        .unwrap();
        let exceeded =
            |terms: &Terms, later, credits: &[i64]| sums.exceeded_limit(terms, (company, later), credits);
        terms.file_limit = Some(300);
        assert_eq!(exceeded(&terms, false, &[300, 300]), None, "two files can hold them");
        assert_eq!(exceeded(&terms, false, &[301]), Some("a file"));
        terms.company_limit = Some(600);
        assert_eq!(exceeded(&terms, false, &[150, 50]), None);
        assert_eq!(exceeded(&terms, false, &[150, 51]), Some("a company on one day"));
        assert_eq!(exceeded(&terms, true, &[300, 300]), None);
        (terms.company_limit, terms.day_limit) = (None, Some(800));
        assert_eq!(exceeded(&terms, false, &[100]), None);
        assert_eq!(exceeded(&terms, false, &[101]), Some("a day"));
        assert_eq!(exceeded(&terms, true, &[300, 300, 201]), Some("a day"));
    }
}
