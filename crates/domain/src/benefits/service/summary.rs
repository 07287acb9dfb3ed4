//! Deductions and contributions of a company benefit, in total and by employee.

use std::fmt;

use jiff::civil::Date;
use rules::{Amount, Category, Violation};
use store::Tx;
use uuid::Uuid;

use super::{COMPANY_PHI, check_benefit_access};
use crate::access::tokens::Caller;
use crate::benefits::rows::payroll as rows;
use crate::benefits::rows::payroll::{BenefitItem, MOST};
use crate::error::Error;

/// Selects payrolls and the level of detail.
#[derive(Debug, Clone, Copy, Default)]
pub struct SummaryFilter {
    /// first day of payment; by default the first of the year of `end`, or of this year
    pub start: Option<Date>,
    /// last check date; by default the last of the year of `start`
    pub end: Option<Date>,
    /// whether to list each payroll of each employee
    pub detailed: bool,
}

/// Deductions and contributions of a company benefit.
#[derive(Debug, Clone)]
pub struct BenefitSummary {
    /// first check date
    pub start: Date,
    /// last check date
    pub end: Date,
    /// the company's name for the benefit
    pub description: String,
    /// deducted from employees
    pub deduction: Total,
    /// contributed by the company
    pub contribution: Total,
    /// by employee
    pub employees: Vec<EmployeeSummary>,
}

/// Deductions and contributions of one employee.
#[derive(Debug, Clone)]
pub struct EmployeeSummary {
    /// the employee
    pub employee: Uuid,
    /// deducted
    pub deduction: Total,
    /// contributed by the company
    pub contribution: Total,
    /// gross pay of the payrolls
    pub gross_pay: Total,
    /// imputed income from the benefit
    pub imputed_pay: Total,
    /// by payroll, if requested
    pub items: Option<Vec<BenefitItem>>,
}

/// A sum in cents, which may exceed what an [`Amount`] holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total(i128);

impl Total {
    fn total_of_items(items: &[BenefitItem], amount: impl Fn(&BenefitItem) -> Amount) -> Self {
        Self(items.iter().map(|item| i128::from(amount(item).cents_half_up())).sum())
    }
}

/// Decimal text with two places.
impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// The totals.
///
/// # Errors
/// "Not found"; 422 if there are too many payrolls or the dates are in the wrong order; a missing scope; a store error.
pub fn benefit_summary(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    filter: SummaryFilter,
) -> Result<BenefitSummary, Error> {
    let benefit = super::find_company_benefit(tx, caller, id)?.benefit;
    check_benefit_access(caller, benefit.kind, COMPANY_PHI)?;
    let start = filter.start.unwrap_or_else(|| filter.end.unwrap_or(caller.today(tx)).first_of_year());
    let end = filter.end.unwrap_or_else(|| start.last_of_year());
    let wrong =
        |message: String| Err(Error::from(Violation::new("end_date", Category::InvalidParameter, message)));
    if end < start {
        return wrong(format!("end_date must not be before start_date, {start}"));
    }
    let items = rows::of_benefit(tx, caller.company, id, start, end)?;
    if items.len() as i64 > MOST {
        return wrong(format!("end_date must be earlier: there are more than {MOST} items"));
    }
    let employees = items.chunk_by(|one, next| one.employee == next.employee);
    Ok(BenefitSummary {
        start,
        end,
        description: benefit.description,
        deduction: Total::total_of_items(&items, |item| item.employee_deduction),
        contribution: Total::total_of_items(&items, |item| item.company_contribution),
        employees: employees.map(|of_one| employee_summary(of_one, filter.detailed)).collect(),
    })
}

fn employee_summary(items: &[BenefitItem], detailed: bool) -> EmployeeSummary {
    EmployeeSummary {
        employee: items[0].employee,
        deduction: Total::total_of_items(items, |item| item.employee_deduction),
        contribution: Total::total_of_items(items, |item| item.company_contribution),
        gross_pay: Total::total_of_items(items, |item| item.gross_pay),
        imputed_pay: Total::total_of_items(items, |item| item.imputed_pay),
        items: detailed.then(|| items.to_vec()),
    }
}
