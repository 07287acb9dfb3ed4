//! Taxes of a payroll on the wire.

use domain::pay::payrolls::record::totals;
use domain::pay::payrolls::record::totals::Levied;
use rules::Amount;
use serde::Serialize;
use utoipa::ToSchema;

use super::Money;
use crate::named::Enum;
use crate::values::TaxLevel;

/// A tax of all employees together, or of one employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct Tax {
    /// such as `Social Security`; other taxes may have the same name
    pub name: String,
    /// extension: stable code of the tax, such as `US_SS`; with `employer` it identifies the tax
    pub code: String,
    /// whether the employer pays it
    pub employer: bool,
    /// dollars; a number for all employees together, and for one employee a number before version 2026-06-15 and
    /// decimal text afterwards
    pub amount: Money,
    /// extension: the basis of the tax of one employee
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<TaxLine>,
}

/// The basis of a tax.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxLine {
    /// stable code, such as `US_SS` or `CA_SDI`
    pub code: String,
    /// the taxing authority; `state` is empty for the country
    pub jurisdiction: Jurisdiction,
    /// subject wages, in dollars
    pub subject_wages: String,
    /// taxable wages, in dollars
    pub taxable_wages: String,
    /// the part of `taxable_wages` that is tips, in dollars, for Social Security; omitted without tips
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taxable_tips: Option<String>,
    /// year-to-date tax including this paycheck, in dollars
    pub year_to_date: String,
}

/// A taxing authority.
#[derive(Debug, Serialize, ToSchema)]
pub struct Jurisdiction {
    /// its kind
    pub level: TaxLevel,
    /// two letters
    pub state: String,
    /// key of the locality within the state, such as `OH-18000`; null for a state
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

/// The taxes of a payroll by taxing authority.
#[derive(Debug, Serialize, ToSchema)]
pub struct JurisdictionTaxes {
    /// the taxing authority; `state` is empty for the country
    pub jurisdiction: Jurisdiction,
    /// withheld from employees, in dollars
    pub employee_taxes: String,
    /// paid by the employer, in dollars
    pub employer_taxes: String,
}

impl From<&Levied> for JurisdictionTaxes {
    fn from(levied: &Levied) -> Self {
        let dollars = |amount: Amount| amount.to_text(2);
        Self {
            jurisdiction: levied.jurisdiction.clone().into(),
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
    /// its name on a pay stub
    pub name: String,
    /// whether the employer would pay it
    pub employer: bool,
    /// number of paychecks on which it is due
    pub paychecks: i64,
}

impl UnworkedTax {
    pub(super) fn new(tax: &totals::UnworkedTax) -> Self {
        let totals::UnworkedTax { id, name, paychecks } = tax.clone();
        Self { employer: id.is_of_employer(), code: id.code, name, paychecks }
    }
}
