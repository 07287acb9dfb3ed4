//! What payrolls took and gave for a company's benefit, in all and by employee.

use jiff::civil::Date;
use rules::{Amount, Category, Violation};
use store::Tx;
use uuid::Uuid;

use super::{COMPANY_PHI, permit};
use crate::access::tokens::Caller;
use crate::benefits::rows::payroll as rows;
use crate::benefits::rows::payroll::{Item, MOST};
use crate::benefits::shapes;
use crate::error::Error;

/// Which payrolls, and how much is told of them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked {
    /// first day of payment; the first of this year without one
    pub start: Option<Date>,
    /// last day of payment; the last of the first day's year without one
    pub end: Option<Date>,
    /// whether each payroll of each employee is told
    pub detailed: bool,
}

/// The sums.
///
/// # Errors
/// "Not found"; 422 where the payrolls are too many or the days in the wrong order; a missing scope; a store error.
pub fn get(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    asked: Asked,
) -> Result<shapes::BenefitSummary, Error> {
    let benefit = super::find_company_benefit(tx, caller, id)?;
    permit(caller, benefit.kind, COMPANY_PHI)?;
    let start = asked.start.unwrap_or_else(|| caller.today(tx).first_of_year());
    let end = asked.end.unwrap_or_else(|| start.last_of_year());
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
    Ok(shapes::BenefitSummary {
        start_date: start.to_string(),
        end_date: end.to_string(),
        description: benefit.description,
        company_benefit_deduction: sum(&items, |item| item.employee_deduction),
        company_benefit_contribution: sum(&items, |item| item.company_contribution),
        employees: employees.map(|of_one| employee(of_one, asked.detailed)).collect(),
    })
}

fn sum(items: &[Item], of: impl Fn(&Item) -> Amount) -> String {
    // A hundred thousand bounded amounts may be more than an amount holds; what is told is exact all the same.
    let cents: i128 = items.iter().map(|item| i128::from(of(item).cents_half_up())).sum();
    format!("{}.{:02}", cents / 100, cents % 100)
}

fn employee(items: &[Item], detailed: bool) -> shapes::EmployeeSummary {
    let deduction = sum(items, |item| item.employee_deduction);
    let contribution = sum(items, |item| item.company_contribution);
    shapes::EmployeeSummary {
        uuid: items[0].employee,
        benefit_deduction: deduction.clone(),
        benefit_contribution: contribution.clone(),
        company_benefit_deduction: deduction,
        company_benefit_contribution: contribution,
        gross_pay: sum(items, |item| item.gross_pay),
        imputed_pay: sum(items, |item| item.imputed_pay),
        payroll_benefits: detailed.then(|| items.iter().map(payroll).collect()),
    }
}

fn payroll(item: &Item) -> shapes::PayrollBenefit {
    shapes::PayrollBenefit {
        payroll_uuid: item.payroll,
        payroll_type: item.payroll_type.clone(),
        check_date: item.check_date.to_string(),
        gross_pay: item.gross_pay.to_text(2),
        imputed_pay: item.imputed_pay.to_text(2),
        company_benefit_deduction: item.employee_deduction.to_text(2),
        company_benefit_contribution: item.company_contribution.to_text(2),
        pay_period: shapes::SummaryPayPeriod {
            start_date: item.period_start.map(|day| day.to_string()),
            end_date: item.period_end.map(|day| day.to_string()),
        },
    }
}
