//! Commands of payrolls: the request bodies before validation.

use rules::Amount;

use crate::patch::Patch;

/// A new off-cycle payroll.
#[derive(Debug, Clone, Default)]
pub struct CreatePayroll {
    /// true
    pub off_cycle: Patch<bool>,
    /// `Bonus`, `Correction`, `Adhoc`, `Dismissed employee` or `Transition from old pay schedule`
    pub off_cycle_reason: Patch<String>,
    /// YYYY-MM-DD: first day
    pub start_date: Patch<String>,
    /// YYYY-MM-DD: last day
    pub end_date: Patch<String>,
    /// the schedule being left, with `Transition from old pay schedule`
    pub pay_schedule_uuid: Patch<String>,
    /// whom it pays, at most 100; everybody when left out, which is refused from version 2026-06-15 on
    pub employee_uuids: Patch<Vec<String>>,
    /// YYYY-MM-DD: when employees are paid; the earliest possible day when left out
    pub check_date: Patch<String>,
    /// pay frequency used to withhold income tax; the schedule's when left out
    pub withholding_pay_period: Patch<String>,
    /// whether benefits and garnishments are left out; false when left out
    pub skip_regular_deductions: Patch<bool>,
    /// whether income tax is withheld at the flat rates for supplemental wages; false when left out
    pub fixed_withholding_rate: Patch<bool>,
    /// whether everybody is paid by check, so that banks need no time; false when left out
    pub is_check_only_payroll: Patch<bool>,
}

/// Which employees to return from preparing a payroll.
#[derive(Debug, Clone, Default)]
pub struct PreparePayroll {
    /// the employees to return, at most 100; a page of all when left out
    pub employee_uuids: Patch<Vec<String>>,
}

/// Inputs of a payroll; fields left out are unchanged.
#[derive(Debug, Clone, Default)]
pub struct UpdatePayroll {
    /// what is entered for employees, at most 100
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
    /// deductions in an amount other than their own
    pub deductions: Patch<Vec<DeductionLine>>,
    /// hours paid without work
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
    /// whether the employer alone decided whether and how much to pay (29 CFR 778.211)
    pub discretionary: Patch<bool>,
    /// YYYY-MM-DD: first day of the period in which it was earned; the workweeks of the payroll when left out
    pub earned_from: Patch<String>,
    /// YYYY-MM-DD: last day of that period
    pub earned_to: Patch<String>,
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
    /// YYYY-MM-DD: first day of the workweek in which the hours were worked. Without it they are hours of the whole pay period, and
    /// replace all hours entered by workweek or by day
    pub workweek_start: Patch<String>,
    /// YYYY-MM-DD: the day of the pay period on which they were worked
    pub date: Patch<String>,
    /// the company's location where they were worked; the work location of those days when left out
    pub location_uuid: Patch<String>,
}

/// A different amount for a deduction.
#[derive(Debug, Clone, Default)]
pub struct DeductionLine {
    /// the garnishment; child support stays at the amount of its order
    pub uuid: Patch<String>,
    /// dollars, or percent
    pub amount: Patch<Amount>,
    /// `fixed`, which is also the default, or `percent`
    pub amount_type: Patch<String>,
}

/// Hours paid without work.
#[derive(Debug, Clone, Default)]
pub struct TimeOffLine {
    /// `Vacation Hours`, `Sick Hours` or `Holiday Hours`
    pub name: Patch<String>,
    /// a time off policy of the employee, instead of the name
    pub policy_uuid: Patch<String>,
    /// hours with at most three decimal places
    pub hours: Patch<Amount>,
    /// unused hours that are paid out on termination
    pub final_payout_unused_hours_input: Patch<Amount>,
}

/// A reimbursed expense.
#[derive(Debug, Clone, Default)]
pub struct ReimbursementLine {
    /// dollars; 0 removes it
    pub amount: Patch<Amount>,
    /// what it was for
    pub description: Patch<String>,
    /// which one to change; a new one when left out
    pub uuid: Patch<String>,
}

/// What a submission may contain.
#[derive(Debug, Clone, Default)]
pub struct SubmitPayroll {
    /// how submission blockers are resolved; there are none to name
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

/// Sums of a year before the company moved to this service.
#[derive(Debug, Clone, Default)]
pub struct PutOpeningBalances {
    /// the calendar year of the pay dates
    pub year: Patch<i64>,
    /// wages of the year so far
    pub wages: Patch<Vec<WagesLine>>,
    /// the employee's taxes of the year so far
    pub taxes: Patch<Vec<TaxLine>>,
    /// employee and company amounts of benefits in the year so far
    pub benefits: Patch<Vec<BenefitLine>>,
    /// amounts taken for garnishments so far
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
    /// such as `Federal Income Tax`, `Social Security`, `Medicare`, `Additional Medicare` or `NY Withholding Tax`
    pub name: Patch<String>,
    /// dollars
    pub amount: Patch<Amount>,
}

/// Amounts of a benefit.
#[derive(Debug, Clone, Default)]
pub struct BenefitLine {
    /// the company's benefit
    pub company_benefit_uuid: Patch<String>,
    /// dollars of the employee
    pub employee_deduction: Patch<Amount>,
    /// dollars of the company
    pub company_contribution: Patch<Amount>,
}

/// Amounts taken for a garnishment.
#[derive(Debug, Clone, Default)]
pub struct GarnishmentLine {
    /// the garnishment
    pub uuid: Patch<String>,
    /// dollars in the year
    pub amount: Patch<Amount>,
    /// dollars in all; those of the year when left out
    pub total_amount: Patch<Amount>,
    /// number of pays it was taken from
    pub times: Patch<i64>,
}
