//! Commands of external payrolls.

use jiff::civil::Date;
use rules::Amount;

use crate::patch::Patch;

/// Creates an external payroll.
#[derive(Debug, Clone, Default)]
pub struct CreateExternalPayroll {
    /// pay date, YYYY-MM-DD
    pub check_date: Patch<Date>,
    /// first day of the pay period, YYYY-MM-DD
    pub payment_period_start_date: Patch<Date>,
    /// last day of the pay period, YYYY-MM-DD
    pub payment_period_end_date: Patch<Date>,
}

/// Sets what employees were paid.
#[derive(Debug, Clone, Default)]
pub struct UpdateExternalPayroll {
    /// whether lines that the request does not name are kept
    pub replace_fields: Patch<bool>,
    /// items by employee
    pub external_payroll_items: Patch<Vec<ItemFields>>,
}

/// What an employee was paid.
#[derive(Debug, Clone, Default)]
pub struct ItemFields {
    /// the employee
    pub employee_uuid: Patch<String>,
    /// earnings
    pub earnings: Patch<Vec<EarningFields>>,
    /// benefits
    pub benefits: Patch<Vec<BenefitFields>>,
    /// taxes
    pub taxes: Patch<Vec<TaxFields>>,
}

/// A kind of earnings.
#[derive(Debug, Clone, Default)]
pub struct EarningFields {
    /// `CompanyPayType` or `CompanyEarningType`
    pub earning_type: Patch<String>,
    /// number that identifies it
    pub earning_id: Patch<i64>,
    /// dollars
    pub amount: Patch<Amount>,
    /// hours
    pub hours: Patch<Amount>,
}

/// Amounts of a benefit.
#[derive(Debug, Clone, Default)]
pub struct BenefitFields {
    /// number that identifies it
    pub benefit_id: Patch<i64>,
    /// employer contribution in dollars
    pub company_contribution_amount: Patch<Amount>,
    /// employee deduction in dollars
    pub employee_deduction_amount: Patch<Amount>,
}

/// A tax amount that was withheld or paid.
#[derive(Debug, Clone, Default)]
pub struct TaxFields {
    /// number that identifies it
    pub tax_id: Patch<i64>,
    /// dollars
    pub amount: Patch<Amount>,
    /// wages that it was calculated on, in dollars
    pub taxable_wages: Patch<Amount>,
}

/// Sets the tax amounts that are still owed.
#[derive(Debug, Clone, Default)]
pub struct SelectLiabilities {
    /// amounts owed by tax
    pub liability_selections: Patch<Vec<LiabilityFields>>,
}

/// The amount owed of a tax.
#[derive(Debug, Clone, Default)]
pub struct LiabilityFields {
    /// number that identifies it
    pub tax_id: Patch<i64>,
    /// last external payroll whose tax was not paid; null if nothing is owed
    pub last_unpaid_external_payroll_uuid: Patch<String>,
    /// dollars
    pub unpaid_liability_amount: Patch<Amount>,
}
