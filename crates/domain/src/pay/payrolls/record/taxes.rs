//! The taxes of a stored paycheck: one line for each, found by code and payer.

use rules::Amount;
use rules::payroll::TaxLine;
use rules::taxes::book::state_of_income_tax;
use rules::taxes::{Jurisdiction, Level, TaxBook, TaxId};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::millionths;

/// A tax on a paycheck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxPaid {
    /// code and payer
    pub id: TaxId,
    /// name as printed on a pay stub; other taxes may have the same one
    pub label: String,
    /// who levies it
    pub jurisdiction: Jurisdiction,
    /// pay subject to the tax
    pub subject: Amount,
    /// the taxable part of that pay
    pub taxable: Amount,
    /// the part of `taxable` that is tips, for Social Security
    pub tips: Amount,
    /// the tax
    pub amount: Amount,
    /// the tax year to date, including this paycheck
    pub year_to_date: Amount,
}

impl TaxPaid {
    /// Returns a calculated tax as stored; `None` if it has neither wages nor an amount, as the income tax of a state that levies none.
    pub(in crate::pay::payrolls) fn from_tax_line(line: TaxLine) -> Option<Self> {
        let TaxLine { id, label, jurisdiction, subject, taxable, tips, amount } = line;
        let levied = subject != Amount::ZERO && TaxBook::built_in().levies_tax(&id);
        (levied || amount != Amount::ZERO).then_some(Self {
            id,
            label,
            jurisdiction,
            subject,
            taxable,
            tips,
            amount,
            year_to_date: Amount::ZERO,
        })
    }

    /// Returns an amount of which nothing else is known, as reported by another provider.
    pub fn from_reported_amount(
        id: TaxId,
        label: String,
        jurisdiction: Jurisdiction,
        amount: Amount,
    ) -> Self {
        let none = Amount::ZERO;
        Self { id, label, jurisdiction, subject: none, taxable: none, tips: none, amount, year_to_date: none }
    }

    /// Returns the same with label and jurisdiction of the tax book; a tax that is not in it is told by its code.
    pub fn reported_by_code(id: TaxId, amount: Amount) -> Self {
        let (label, jurisdiction) = match TaxBook::built_in().get(&id) {
            Some(entry) => (entry.label.clone(), entry.jurisdiction.clone()),
            None => (id.code.clone(), Jurisdiction::state("")),
        };
        Self::from_reported_amount(id, label, jurisdiction, amount)
    }

    /// Whether it is a tax of the tables of states and places, whose wages count by month, quarter and year; federal taxes and states'
    /// income taxes are not.
    pub fn is_of_tables(&self) -> bool {
        self.jurisdiction.level != Level::Country && state_of_income_tax(&self.id.code).is_none()
    }

    /// Whether the employer pays it.
    pub fn is_of_employer(&self) -> bool {
        self.id.is_of_employer()
    }
}

/// A tax as written. Label and jurisdiction are omitted where the tax book has them, and pay subject to the tax where all of it is
/// taxable: both would take half of the bytes of a paycheck.
#[derive(Serialize)]
struct Written<'t> {
    tax: &'t TaxId,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    levied_by: Option<&'t Jurisdiction>,
    #[serde(with = "millionths", skip_serializing_if = "Option::is_none")]
    subject: Option<Amount>,
    #[serde(with = "millionths", skip_serializing_if = "Amount::is_zero")]
    wages: Amount,
    #[serde(with = "millionths", skip_serializing_if = "Amount::is_zero")]
    tips: Amount,
    #[serde(with = "millionths", skip_serializing_if = "Amount::is_zero")]
    amount: Amount,
    #[serde(with = "millionths", skip_serializing_if = "Amount::is_zero")]
    year: Amount,
}

/// A tax as read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    tax: TaxId,
    label: Option<String>,
    levied_by: Option<Jurisdiction>,
    #[serde(default, with = "millionths")]
    subject: Option<Amount>,
    #[serde(default, with = "millionths")]
    wages: Amount,
    #[serde(default, with = "millionths")]
    tips: Amount,
    #[serde(default, with = "millionths")]
    amount: Amount,
    #[serde(default, with = "millionths")]
    year: Amount,
}

impl Serialize for TaxPaid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entry = TaxBook::built_in().get(&self.id);
        let known =
            entry.is_some_and(|entry| entry.label == self.label && entry.jurisdiction == self.jurisdiction);
        Written {
            tax: &self.id,
            label: (!known).then_some(&self.label),
            levied_by: (!known).then_some(&self.jurisdiction),
            subject: (self.subject != self.taxable).then_some(self.subject),
            wages: self.taxable,
            tips: self.tips,
            amount: self.amount,
            year: self.year_to_date,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for TaxPaid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Read { tax: id, label, levied_by, subject, wages, tips, amount, year } =
            Read::deserialize(deserializer)?;
        let (label, jurisdiction) = match (label, levied_by) {
            (Some(label), Some(jurisdiction)) => (label, jurisdiction),
            _ => match TaxBook::built_in().get(&id) {
                Some(entry) => (entry.label.clone(), entry.jurisdiction.clone()),
                None => {
                    return Err(serde::de::Error::custom("has a tax that is not in the tax book"));
                }
            },
        };
        let subject = subject.unwrap_or(wages);
        Ok(Self { id, label, jurisdiction, subject, taxable: wages, tips, amount, year_to_date: year })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tax(id: TaxId, label: &str, jurisdiction: Jurisdiction) -> TaxPaid {
        TaxPaid {
            subject: Amount::from_millionths(2_000),
            taxable: Amount::from_millionths(1_500),
            year_to_date: Amount::from_millionths(90),
            ..TaxPaid::from_reported_amount(id, label.to_owned(), jurisdiction, Amount::from_millionths(30))
        }
    }

    #[test]
    fn a_tax_is_stored_with_its_label_only_where_the_tax_book_does_not_have_it() {
        let federal = tax(TaxId::of_employer("US_SS"), "Social Security", Jurisdiction::country());
        let place = Jurisdiction { place: "KY-CAMPBELL_COUNTY".to_owned(), ..Jurisdiction::state("KY") };
        let county = tax(TaxId::of_employee("KY_CAMPBELL_COUNTY_GENERAL"), "Campbell county tax", place);
        let stored = [&federal, &county].map(|one| serde_json::to_string(one).unwrap());
        assert!(stored[0].contains("US_SS/employer") && !stored[0].contains("label"), "{}", stored[0]);
        assert!(stored[1].contains("Campbell county tax"), "{}", stored[1]);
        for (one, text) in [federal, county].iter().zip(&stored) {
            assert_eq!(serde_json::from_str::<TaxPaid>(text).unwrap(), *one);
        }
        let unknown = r#"{"tax":"US_NOTHING","wages":1,"amount":1}"#;
        assert!(serde_json::from_str::<TaxPaid>(unknown).is_err(), "a tax without a name is an error");
    }
}
