//! Taxes of a payroll on the wire.

use domain::pay::payrolls::read::totals::{self, Levied};
use rules::Amount;
use serde::Serialize;
use utoipa::ToSchema;

use super::Money;
use crate::named::Enum;
use crate::values::TaxLevel;

/// A tax of all employees together, or of one.
#[derive(Debug, Serialize, ToSchema)]
pub struct Tax {
    /// such as `Social Security`
    pub name: String,
    /// whether the employer pays it
    pub employer: bool,
    /// dollars; of all employees together a number, of one a number before version 2026-06-15 and decimal text from
    /// then on
    pub amount: Money,
    /// extension: for an employee's state or local tax, what it was calculated from
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<TaxLine>,
}

/// What a state or local tax was calculated from.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxLine {
    /// stable, such as `CA_SDI`
    pub code: String,
    /// who levies it
    pub jurisdiction: Jurisdiction,
    /// pay that is subject to it, in dollars
    pub subject_wages: String,
    /// what of it is taxed, in dollars
    pub taxable_wages: String,
    /// the tax in the year with this paycheck, in dollars
    pub year_to_date: String,
}

/// Who levies a tax.
#[derive(Debug, Serialize, ToSchema)]
pub struct Jurisdiction {
    /// what it is
    pub level: TaxLevel,
    /// two letters
    pub state: String,
    /// key of the place within the state, such as `OH-18000`; null for a state
    pub place: Option<String>,
}

impl From<rules::taxes::Jurisdiction> for Jurisdiction {
    fn from(jurisdiction: rules::taxes::Jurisdiction) -> Self {
        Self {
            level: Enum(jurisdiction.level),
            state: jurisdiction.state,
            place: Some(jurisdiction.place).filter(|place| !place.is_empty()),
        }
    }
}

/// What a country, a state or a place gets of all employees of a payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct JurisdictionTaxes {
    /// who levies the taxes; `state` is empty for the country
    pub jurisdiction: Jurisdiction,
    /// withheld from employees, in dollars
    pub employee_taxes: String,
    /// from the employer, in dollars
    pub employer_taxes: String,
}

impl From<&Levied> for JurisdictionTaxes {
    fn from(levied: &Levied) -> Self {
        let dollars = |amount: i64| Amount::from_millionths(amount).to_text(2);
        let (level, state, place) = (levied.level, levied.state.clone(), levied.place.clone());
        Self {
            jurisdiction: rules::taxes::Jurisdiction { level, state, place }.into(),
            employee_taxes: dollars(levied.of_employees),
            employer_taxes: dollars(levied.of_employer),
        }
    }
}

/// A tax that is due and could not be calculated.
#[derive(Debug, Serialize, ToSchema)]
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

impl UnworkedTax {
    pub(super) fn new(tax: &totals::UnworkedTax) -> Self {
        let totals::UnworkedTax { code, name, employer, paychecks } = tax.clone();
        Self { code, name, employer, paychecks }
    }
}
