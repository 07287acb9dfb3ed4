//! Names of the figures that explain the lines of a paycheck.
//!
//! The lines of benefits are named where benefits are calculated ([`super::benefits::deduction_figure`]).

use std::fmt::Display;

use crate::taxes::book::{self, ADDITIONAL_MEDICARE, FEDERAL_INCOME, FUTA, MEDICARE, SOCIAL_SECURITY};

/// Pay before anything is taken.
pub const GROSS_PAY: &str = "gross_pay";
/// What taxes and deductions leave.
pub const NET_PAY: &str = "net_pay";
/// Net pay with reimbursements, without tips that guests paid in cash.
pub const CHECK_AMOUNT: &str = "check_amount";
/// Salary of a job.
pub const SALARY: &str = "salary";
/// What the employer adds to reach the minimum wage, of one job with its hours in one workweek.
pub const MINIMUM_WAGE_ADJUSTMENT: &str = "minimum_wage_adjustment";
/// Regular hours of a job.
pub const REGULAR_PAY: &str = "regular_pay";

/// Returns the name of a tax, by its code. Where several states tax one paycheck, the name is that of the tax of each.
pub fn tax_figure(code: &str) -> &str {
    match code {
        SOCIAL_SECURITY => "social_security",
        MEDICARE => "medicare",
        ADDITIONAL_MEDICARE => "additional_medicare",
        FEDERAL_INCOME => "federal_income_tax",
        FUTA => "futa",
        _ if book::state_of_income_tax(code).is_some() => "state_income_tax",
        _ => code,
    }
}

/// Returns the name of what is taken for a garnishment.
pub fn garnishment_figure(garnishment: &impl Display) -> String {
    format!("deduction {garnishment}")
}

/// Returns the name of the employer's fee for a garnishment.
pub fn garnishment_fee_figure(garnishment: &impl Display) -> String {
    format!("employer_fee {garnishment}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tax_of_a_program_or_place_is_explained_under_its_code() {
        assert_eq!(tax_figure("US_SS"), "social_security");
        assert_eq!(tax_figure("CA_INCOME"), "state_income_tax");
        assert_eq!(tax_figure("CA_SDI"), "CA_SDI");
    }
}
