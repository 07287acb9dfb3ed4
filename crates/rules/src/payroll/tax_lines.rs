//! The taxes of a paycheck as lines, each with its identity and the wages on which it rests.

use super::Paycheck;
use crate::amount::Amount;
use crate::taxes::book::{ADDITIONAL_MEDICARE, FEDERAL_INCOME, FUTA, MEDICARE, SOCIAL_SECURITY};
use crate::taxes::{Jurisdiction, Situation, TaxBook, TaxId};

/// A tax on a paycheck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxLine {
    /// Code and payer.
    pub id: TaxId,
    /// Name, as a pay stub prints it. Other taxes may have the same one.
    pub label: String,
    /// Who levies it.
    pub jurisdiction: Jurisdiction,
    /// Pay subject to the tax.
    pub subject: Amount,
    /// The taxable part of that pay.
    pub taxable: Amount,
    /// The part of `taxable` that is tips, for Social Security, which reports them apart from other wages.
    pub tips: Amount,
    /// The tax; one of the employee is limited to the available pay.
    pub amount: Amount,
}

impl<K> Paycheck<K> {
    /// Returns every tax of the paycheck, with those that come to nothing: the employee's federal taxes, the states' income taxes, the
    /// employer's federal taxes, and the other taxes in the order of the situation.
    pub fn tax_lines(&self, situation: &Situation) -> Vec<TaxLine> {
        let mut lines = Vec::with_capacity(7 + self.state_taxes.len() + self.other_taxes.len());
        let book = TaxBook::built_in();
        let federal = |of_employer: bool| {
            let entries = book.federal_taxes().filter(move |entry| entry.id.is_of_employer() == of_employer);
            entries.map(|entry| self.federal_line(entry))
        };
        lines.extend(federal(false));
        for tax in &self.state_taxes {
            let entry = book.income_of_state(&tax.state);
            lines.push(TaxLine {
                id: entry.id.clone(),
                label: entry.label.clone(),
                jurisdiction: entry.jurisdiction.clone(),
                subject: tax.wages,
                taxable: tax.wages,
                tips: Amount::ZERO,
                amount: tax.amount,
            });
        }
        lines.extend(federal(true));
        for (due, line) in situation.due_taxes().iter().zip(&self.other_taxes) {
            lines.push(TaxLine {
                id: due.id(),
                label: due.name(),
                jurisdiction: due.tax.jurisdiction.clone(),
                subject: line.sums.subject,
                taxable: line.sums.taxable,
                tips: Amount::ZERO,
                amount: line.sums.amount,
            });
        }
        lines
    }

    fn federal_line(&self, entry: &crate::taxes::BookEntry) -> TaxLine {
        let (wages, taxes, of_employer) = (&self.taxable, &self.taxes, entry.id.is_of_employer());
        let none = Amount::ZERO;
        let (subject, taxable, tips, amount) = match (entry.id.code.as_str(), of_employer) {
            (FEDERAL_INCOME, _) => (wages.federal_income, wages.federal_income, none, taxes.federal_income),
            (SOCIAL_SECURITY, false) => {
                (wages.medicare, wages.social_security, wages.social_security_tips, taxes.social_security)
            }
            (SOCIAL_SECURITY, true) => {
                let amount = taxes.employer_social_security;
                (wages.medicare, wages.social_security, wages.social_security_tips, amount)
            }
            (MEDICARE, false) => (wages.medicare, wages.medicare, none, taxes.medicare),
            (MEDICARE, true) => (wages.medicare, wages.medicare, none, taxes.employer_medicare),
            (ADDITIONAL_MEDICARE, _) => {
                (wages.medicare, wages.additional_medicare, none, taxes.additional_medicare)
            }
            (FUTA, _) => (wages.futa_subject, wages.futa, none, taxes.futa),
            (code, _) => unreachable!("{code} is no federal tax of paychecks"),
        };
        let (id, label, jurisdiction) = (entry.id.clone(), entry.label.clone(), entry.jurisdiction.clone());
        TaxLine { id, label, jurisdiction, subject, taxable, tips, amount }
    }
}
