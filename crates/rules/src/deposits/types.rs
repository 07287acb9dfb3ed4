//! Codes under which agencies accept deposits by ACH credit, from `tax_deposit_types.csv`.
//!
//! Taxes without a row are deposited by the employer. State taxes have none, because each agency has its own layout, employer
//! number and enrollment. A code without a verified source is used only once the operator has confirmed it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jiff::civil::Date;
use serde::Deserialize;

use super::Form;
use crate::named::Named;
use crate::taxes::{Confidence, TaxBook};
use crate::withholding::{TableError, csv_rows};

/// Name of the table.
pub const FILE: &str = "tax_deposit_types.csv";

/// How a deposit of a tax is identified to its agency.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct DepositType {
    /// Agency that receives it, as named in the books: `US`.
    pub authority: String,
    /// Form number of the return.
    form: String,
    /// Code of the deposit.
    pub tax_type: String,
    /// Day of its last month that identifies a tax period: `01`, or `last`.
    period_day: String,
    /// Code of the amount.
    pub amount_type: String,
    /// Code of the tax in the tax book.
    pub tax: String,
    /// First pay day for which the row applies.
    pub from: Date,
    /// Last pay day for which it applies; `None` if it has no end.
    pub to: Option<Date>,
    /// How far it can be trusted.
    pub confidence: Confidence,
    /// Where it was read.
    pub source: String,
}

impl DepositType {
    /// Returns the day by which the agency identifies the tax period that ends on a given day.
    pub fn period(&self, end: Date) -> Date {
        if self.period_day == "01" { end.first_of_month() } else { end }
    }

    /// Returns the form number of the return, as in the table.
    pub fn form_number(&self) -> &str {
        &self.form
    }

    /// Returns the return on which the deposit is reported.
    pub fn form(&self) -> Option<Form> {
        Form::parse(&self.form)
    }

    /// Returns the key under which the codes of its return are confirmed: `US_944_DEPOSITS`.
    pub fn key(&self) -> String {
        format!("{}_{}_DEPOSITS", self.authority, self.form)
    }

    /// Whether the code can be used: it was read in a source, or the operator has confirmed it.
    pub fn is_usable(&self, confirmed: &BTreeSet<String>) -> bool {
        self.confidence.is_enough() || confirmed.contains(&self.key())
    }
}

/// The codes of deposits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepositTypes(Vec<DepositType>);

impl DepositTypes {
    /// The built-in table, as text.
    pub const FILE: &'static str = include_str!("../../../../data/tax_deposit_types.csv");

    /// Returns the built-in table.
    ///
    /// # Panics
    /// Never: tests read it.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<DepositTypes> = LazyLock::new(|| {
            DepositTypes::parse(DepositTypes::FILE).unwrap_or_else(|error| panic!("{FILE}: {error}"))
        });
        &TABLE
    }

    /// Parses the layout of `tax_deposit_types.csv`.
    ///
    /// # Errors
    /// A row is malformed, or names a form or a tax that does not exist.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let rows = csv_rows::<DepositType>(csv)?;
        for row in &rows {
            let wrong =
                |what: &str| Err(TableError::new(format!("{} of Form {}: {what}", row.tax, row.form)));
            if row.form().is_none() {
                return wrong("this form has no deposits");
            }
            if TaxBook::built_in().of_code(&row.tax).is_none() {
                return wrong("tax is no code of the tax book");
            }
            if !matches!(row.period_day.as_str(), "01" | "last") {
                return wrong("period_day must be 01 or last");
            }
            let code =
                |text: &str| (1..=5).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric());
            if !code(&row.tax_type) || !code(&row.amount_type) {
                return wrong("codes have 1 to 5 letters or digits");
            }
            if row.to.is_some_and(|to| to < row.from) {
                return wrong("to must not be before from");
            }
        }
        Ok(Self(rows))
    }

    /// Returns every row.
    pub fn iter(&self) -> impl Iterator<Item = &DepositType> {
        self.0.iter()
    }

    /// Returns the codes for a tax of a pay day, by the newest row in force on it; `None` for a tax that the employer deposits.
    /// [`DepositType::is_usable`] returns whether the code can be used.
    pub fn of_tax(&self, authority: &str, form: Form, tax: &str, day: Date) -> Option<&DepositType> {
        let fits = |row: &&DepositType| {
            row.authority == authority
                && row.form() == Some(form)
                && row.tax == tax
                && row.from <= day
                && row.to.is_none_or(|to| day <= to)
        };
        self.iter().filter(fits).max_by_key(|row| row.from)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn of_tax(authority: &str, form: Form, tax: &str) -> Option<&'static DepositType> {
        DepositTypes::built_in().of_tax(authority, form, tax, date(2026, 6, 18))
    }

    #[test]
    fn a_deposit_of_form_941_has_three_amounts_and_one_of_form_940_has_one() {
        let told =
            |form, tax| of_tax("US", form, tax).map(|row| (row.tax_type.as_str(), row.amount_type.as_str()));
        assert_eq!(told(Form::F941, "US_SS"), Some(("94105", "1")));
        assert_eq!(told(Form::F941, "US_MEDICARE"), Some(("94105", "2")));
        assert_eq!(told(Form::F941, "US_MEDICARE_ADDITIONAL"), Some(("94105", "2")));
        assert_eq!(told(Form::F941, "US_FIT"), Some(("94105", "3")));
        assert_eq!(told(Form::F940, "US_FUTA"), Some(("09405", "09405")));
        assert_eq!(told(Form::F940, "US_FUTA_CREDIT_REDUCTION"), Some(("09405", "09405")));
        assert_eq!(told(Form::F941, "US_FUTA"), None);
        assert_eq!(of_tax("US-CA", Form::F941, "CA_SDI"), None, "states are the employer's");
    }

    #[test]
    fn a_code_that_is_in_doubt_counts_once_it_is_confirmed() {
        let of = |form, tax| of_tax("US", form, tax).unwrap();
        let (sure, doubtful) = (of(Form::F941, "US_MEDICARE"), of(Form::F944, "US_MEDICARE"));
        let none = BTreeSet::new();
        assert_eq!((sure.is_usable(&none), doubtful.is_usable(&none)), (true, false));
        assert_eq!(doubtful.key(), "US_944_DEPOSITS");
        assert!(doubtful.is_usable(&BTreeSet::from(["US_944_DEPOSITS".to_owned()])));
        assert!(!doubtful.is_usable(&BTreeSet::from(["US_941_DEPOSITS".to_owned()])));
    }

    #[test]
    fn the_tax_period_of_a_quarter_is_told_by_the_first_of_its_last_month() {
        let row = of_tax("US", Form::F941, "US_MEDICARE").unwrap();
        assert_eq!(row.period(date(2026, 6, 30)), date(2026, 6, 1));
    }

    #[test]
    fn a_wrong_row_is_named() {
        let columns = "authority,form,tax_type,period_day,amount_type,tax,from,to,confidence,source";
        for row in [
            "US,939,94105,01,1,US_FIT,2010-01-01,,primary,s",
            "US,941,94105,02,1,US_FIT,2010-01-01,,primary,s",
            "US,941,941-05,01,1,US_FIT,2010-01-01,,primary,s",
            "US,941,94105,01,1,The US_FIT,2010-01-01,,primary,s",
            "US,941,94105,01,1,US_FIT,2010-01-01,2009-12-31,primary,s",
        ] {
            assert!(
                DepositTypes::parse(&format!("{columns}\n{row}\n"))
                    .unwrap_err()
                    .to_string()
                    .contains("US_FIT of Form"),
                "{row}"
            );
        }
    }
    #[test]
    fn a_newer_row_counts_from_its_day_on() {
        let newer = "US,941,94199,01,3,US_FIT,2027-01-01,,primary,s\n";
        let table = DepositTypes::parse(&format!("{}{newer}", DepositTypes::FILE)).unwrap();
        let told = |day| table.of_tax("US", Form::F941, "US_FIT", day).map(|row| row.tax_type.as_str());
        assert_eq!([told(date(2026, 12, 31)), told(date(2027, 1, 1))], [Some("94105"), Some("94199")]);
    }
}
