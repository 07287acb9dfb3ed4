//! Commands of payrolls: the request bodies before validation.

use jiff::civil::Date;
use rules::Amount;

use crate::patch::Patch;

/// A new off-cycle payroll.
#[derive(Debug, Clone, Default)]
pub struct CreatePayroll {
    /// must be true
    pub off_cycle: Patch<bool>,
    /// `Bonus`, `Correction`, `Adhoc`, `Dismissed employee` or `Transition from old pay schedule`
    pub off_cycle_reason: Patch<String>,
    /// YYYY-MM-DD: first day
    pub start_date: Patch<Date>,
    /// YYYY-MM-DD: last day
    pub end_date: Patch<Date>,
    /// the schedule being left, with `Transition from old pay schedule`
    pub pay_schedule_uuid: Patch<String>,
    /// the employees it pays, at most 100; everybody when left out, which is refused from version 2026-06-15 on
    pub employee_uuids: Patch<Vec<String>>,
    /// YYYY-MM-DD: when employees are paid; the earliest possible day when left out
    pub check_date: Patch<Date>,
    /// pay frequency used to withhold income tax; the schedule's when left out
    pub withholding_pay_period: Patch<String>,
    /// whether benefits and garnishments are left out; false when left out
    pub skip_regular_deductions: Patch<bool>,
    /// whether income tax is withheld at the flat rates for supplemental wages; false when left out
    pub fixed_withholding_rate: Patch<bool>,
    /// whether everybody is paid by check, so that banks need no time; false when left out
    pub is_check_only_payroll: Patch<bool>,
}

/// The employees to return when a payroll is prepared.
#[derive(Debug, Clone, Default)]
pub struct PreparePayroll {
    /// the employees to return, at most 100; a page of all employees when left out
    pub employee_uuids: Patch<Vec<String>>,
}

/// Inputs of a payroll; fields left out are unchanged.
#[derive(Debug, Clone, Default)]
pub struct UpdatePayroll {
    /// inputs of employees, at most 100
    pub employee_compensations: Patch<Vec<UpdateEmployee>>,
    /// pay frequency used to withhold income tax
    pub withholding_pay_period: Patch<String>,
    /// whether benefits and garnishments are left out
    pub skip_regular_deductions: Patch<bool>,
    /// whether income tax is withheld at the flat rates for supplemental wages
    pub fixed_withholding_rate: Patch<bool>,
}

/// Inputs of an employee; lines left out are unchanged.
#[derive(Debug, Clone, Default)]
pub struct UpdateEmployee {
    /// the employee
    pub employee_uuid: Patch<String>,
    /// the version as last read
    pub version: Patch<String>,
    /// whether the employee is excluded
    pub excluded: Patch<bool>,
    /// `Direct Deposit` or `Check`
    pub payment_method: Patch<String>,
    /// a note on the paycheck; empty or null clears it
    pub memo: Patch<String>,
    /// state income tax of the work state in dollars, if no rule is available or another amount is due; null clears it
    pub state_income_tax: Patch<Amount>,
    /// other taxes that cannot be calculated
    pub supplied_taxes: Patch<Vec<SuppliedTaxLine>>,
    /// amounts of pay
    pub fixed_compensations: Patch<Vec<FixedLine>>,
    /// hours worked
    pub hourly_compensations: Patch<Vec<HourlyLine>>,
    /// overrides of deduction amounts
    pub deductions: Patch<Vec<DeductionLine>>,
    /// paid time off
    pub paid_time_off: Patch<Vec<TimeOffLine>>,
    /// reimbursed expenses
    pub reimbursements: Patch<Vec<ReimbursementLine>>,
}

/// The amount of a tax that cannot be calculated.
#[derive(Debug, Clone, Default)]
pub struct SuppliedTaxLine {
    /// code of the tax, as the warning or `GET /v1/employees/{id}/taxes` names it
    pub code: Patch<String>,
    /// dollars; null removes the amount
    pub amount: Patch<Amount>,
}

/// An amount of pay.
#[derive(Debug, Clone, Default)]
pub struct FixedLine {
    /// `Bonus`, `Commission`, `Paycheck Tips`, `Cash Tips` or `Correction Payment`; before version 2025-11-15 also
    /// `Reimbursement`
    pub name: Patch<String>,
    /// dollars, as text or number
    pub amount: Patch<Amount>,
    /// the job; the primary one when left out
    pub job_uuid: Patch<String>,
    /// whether it was discretionary: the employer alone decided whether to pay it and how much (29 CFR 778.211)
    pub discretionary: Patch<bool>,
    /// YYYY-MM-DD: first day of the period in which it was earned; the workweeks of the payroll when left out
    pub earned_from: Patch<Date>,
    /// YYYY-MM-DD: last day of that period
    pub earned_to: Patch<Date>,
    /// the amount of each workweek; without it, the amount is that of all workweeks of the payroll
    pub breakdowns: Patch<Vec<AmountOfWorkweek>>,
}

/// The part of an amount that was earned in a workweek.
#[derive(Debug, Clone, Default)]
pub struct AmountOfWorkweek {
    /// YYYY-MM-DD: first day
    pub start_date: Patch<Date>,
    /// YYYY-MM-DD: last day
    pub end_date: Patch<Date>,
    /// dollars
    pub amount: Patch<Amount>,
}

/// Hours worked.
#[derive(Debug, Clone, Default)]
pub struct HourlyLine {
    /// `Regular Hours`, `Overtime` or `Double overtime`
    pub name: Patch<String>,
    /// hours with at most three decimal places, as text or number
    pub hours: Patch<Amount>,
    /// the job; the primary one when left out
    pub job_uuid: Patch<String>,
    /// YYYY-MM-DD: first day of the workweek in which the hours were worked. Without it, the hours are those of the whole pay period and
    /// replace all hours entered by workweek or by day
    pub workweek_start: Patch<Date>,
    /// YYYY-MM-DD: the day of the pay period on which they were worked
    pub date: Patch<Date>,
    /// the company's location where they were worked; the work location of those days when left out
    pub location_uuid: Patch<String>,
    /// the hours of each workweek
    pub breakdowns: Patch<Vec<HoursOfWorkweek>>,
}

/// The part of a line's hours that was worked in a workweek.
#[derive(Debug, Clone, Default)]
pub struct HoursOfWorkweek {
    /// YYYY-MM-DD: first day
    pub start_date: Patch<Date>,
    /// YYYY-MM-DD: last day
    pub end_date: Patch<Date>,
    /// hours
    pub hours: Patch<Amount>,
}

/// An override of a deduction's amount.
#[derive(Debug, Clone, Default)]
pub struct DeductionLine {
    /// the garnishment; child support stays at the amount of its order
    pub uuid: Patch<String>,
    /// dollars, or percent
    pub amount: Patch<Amount>,
    /// `fixed` (the default) or `percent`
    pub amount_type: Patch<String>,
}

/// Paid time off.
#[derive(Debug, Clone, Default)]
pub struct TimeOffLine {
    /// `Vacation Hours`, `Sick Hours` or `Holiday Hours`
    pub name: Patch<String>,
    /// a time off policy of the employee, instead of the name
    pub policy_uuid: Patch<String>,
    /// hours with at most three decimal places
    pub hours: Patch<Amount>,
    /// unused hours to pay out on termination
    pub final_payout_unused_hours_input: Patch<Amount>,
}

/// A reimbursed expense.
#[derive(Debug, Clone, Default)]
pub struct ReimbursementLine {
    /// dollars; 0 removes it
    pub amount: Patch<Amount>,
    /// description of the expense
    pub description: Patch<String>,
    /// the expense to change; a new one when left out
    pub uuid: Patch<String>,
}

/// The body of a submission.
#[derive(Debug, Clone, Default)]
pub struct SubmitPayroll {
    /// resolutions of submission blockers, which are resolved by rule: those that the payroll lists are accepted
    pub submission_blockers: Patch<Vec<SubmissionBlocker>>,
}

/// A blocker of a submission.
#[derive(Debug, Clone, Default)]
pub struct SubmissionBlocker {
    /// its type
    pub blocker_type: Patch<String>,
    /// how it is resolved
    pub selected_option: Patch<String>,
}

/// Year-to-date sums from before the company moved to this service.
#[derive(Debug, Clone, Default)]
pub struct PutOpeningBalances {
    /// the calendar year of the pay dates
    pub year: Patch<i64>,
    /// wages, year to date
    pub wages: Patch<Vec<WagesLine>>,
    /// the employee's taxes, year to date
    pub taxes: Patch<Vec<TaxLine>>,
    /// employee and company amounts of benefits, year to date
    pub benefits: Patch<Vec<BenefitLine>>,
    /// amounts withheld for garnishments so far
    pub garnishments: Patch<Vec<GarnishmentLine>>,
}

/// One of the wage sums.
#[derive(Debug, Clone, Default)]
pub struct WagesLine {
    /// `gross`, `net`, `social_security`, `medicare`, `futa` or `supplemental`
    pub name: Patch<String>,
    /// dollars
    pub amount: Patch<Amount>,
}

/// A tax of the employee.
#[derive(Debug, Clone, Default)]
pub struct TaxLine {
    /// code of the tax, such as `US_FIT`, `US_SS` or `NY_INCOME`
    pub code: Patch<String>,
    /// dollars
    pub amount: Patch<Amount>,
}

/// Amounts of a benefit.
#[derive(Debug, Clone, Default)]
pub struct BenefitLine {
    /// the company's benefit
    pub company_benefit_uuid: Patch<String>,
    /// the employee's amount in dollars
    pub employee_deduction: Patch<Amount>,
    /// the company's amount in dollars
    pub company_contribution: Patch<Amount>,
}

/// Amounts withheld for a garnishment.
#[derive(Debug, Clone, Default)]
pub struct GarnishmentLine {
    /// the garnishment
    pub uuid: Patch<String>,
    /// dollars withheld in the year
    pub amount: Patch<Amount>,
    /// dollars withheld in total; those of the year when left out
    pub total_amount: Patch<Amount>,
    /// number of paychecks it was withheld from
    pub times: Patch<i64>,
}
