//! The shapes in which payrolls are entered.

use rules::Amount;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::field::{Field, Words};

/// A new payroll outside the schedule.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreatePayroll {
    /// true
    #[schema(required)]
    pub off_cycle: Field<bool>,
    /// `Bonus`, `Correction`, `Adhoc`, `Dismissed employee` or `Transition from old pay schedule`
    #[schema(required)]
    pub off_cycle_reason: Field<String>,
    /// YYYY-MM-DD: first day
    #[schema(required)]
    pub start_date: Field<String>,
    /// YYYY-MM-DD: last day
    #[schema(required)]
    pub end_date: Field<String>,
    /// the schedule that is left, with `Transition from old pay schedule`
    pub pay_schedule_uuid: Field<String>,
    /// whom it pays, at most 100; everybody when left out, which is refused from version 2026-06-15 on
    pub employee_uuids: Field<Words>,
    /// YYYY-MM-DD: when employees are paid; the earliest possible day when left out
    pub check_date: Field<String>,
    /// as how often wages are paid where income tax is withheld; the schedule's when left out
    pub withholding_pay_period: Field<String>,
    /// whether benefits and garnishments are left out; false when left out
    pub skip_regular_deductions: Field<bool>,
    /// whether income tax is withheld at the flat rates for supplemental wages; false when left out
    pub fixed_withholding_rate: Field<bool>,
    /// whether everybody is paid by check, so that banks need no time; false when left out
    pub is_check_only_payroll: Field<bool>,
}

/// For whom a payroll is prepared.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct PreparePayroll {
    /// whom to tell, at most 100; everybody when left out
    pub employee_uuids: Field<Words>,
}

/// What is entered into a payroll; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdatePayroll {
    /// what is entered for employees, at most 100
    #[schema(required)]
    pub employee_compensations: Field<Vec<UpdateEmployeeCompensation>>,
    /// as how often wages are paid where income tax is withheld
    pub withholding_pay_period: Field<String>,
    /// whether benefits and garnishments are left out
    pub skip_regular_deductions: Field<bool>,
    /// whether income tax is withheld at the flat rates for supplemental wages
    pub fixed_withholding_rate: Field<bool>,
}

/// What is entered for an employee; lines that are left out stay.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateEmployeeCompensation {
    /// the employee
    #[schema(required)]
    pub employee_uuid: Field<String>,
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// whether the employee is left out
    pub excluded: Field<bool>,
    /// `Direct Deposit` or `Check`
    pub payment_method: Field<String>,
    /// a note on the paycheck; empty or null clears it
    pub memo: Field<String>,
    /// income tax of the state of work in dollars, where no rule is held or another amount is due; null clears it
    #[schema(value_type = Option<String>)]
    pub state_income_tax: Field<Amount>,
    /// amounts of pay
    pub fixed_compensations: Field<Vec<FixedInput>>,
    /// hours worked
    pub hourly_compensations: Field<Vec<HourlyInput>>,
    /// deductions to be taken in another amount
    pub deductions: Field<Vec<DeductionInput>>,
    /// hours paid without work
    pub paid_time_off: Field<Vec<TimeOffInput>>,
    /// expenses paid back
    pub reimbursements: Field<Vec<ReimbursementInput>>,
}

/// An amount of pay.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct FixedInput {
    /// `Bonus`, `Commission`, `Paycheck Tips`, `Cash Tips` or `Correction Payment`; before version 2025-11-15 also
    /// `Reimbursement`
    #[schema(required)]
    pub name: Field<String>,
    /// dollars, as text or number
    #[schema(required, value_type = String)]
    pub amount: Field<Amount>,
    /// the job; the primary one when left out
    pub job_uuid: Field<String>,
}

/// Hours worked.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct HourlyInput {
    /// `Regular Hours`, `Overtime` or `Double overtime`
    #[schema(required)]
    pub name: Field<String>,
    /// hours with at most three places, as text or number
    #[schema(required, value_type = String)]
    pub hours: Field<Amount>,
    /// the job; the primary one when left out
    pub job_uuid: Field<String>,
    /// YYYY-MM-DD: first day of the workweek in which the hours were worked. Without it they are those of the whole pay
    /// period, in place of all that were entered by workweek
    pub workweek_start: Field<String>,
}

/// Another amount for a deduction.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct DeductionInput {
    /// the garnishment; child support stays what its order says
    #[schema(required)]
    pub uuid: Field<String>,
    /// dollars, or percent
    #[schema(required, value_type = String)]
    pub amount: Field<Amount>,
    /// `fixed`, which is also the default, or `percent`
    pub amount_type: Field<String>,
}

/// Hours paid without work.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct TimeOffInput {
    /// `Vacation Hours`, `Sick Hours` or `Holiday Hours`
    #[schema(required)]
    pub name: Field<String>,
    /// hours with at most three places
    #[schema(value_type = String)]
    pub hours: Field<Amount>,
    /// hours not taken that are paid out at the end of employment
    #[schema(value_type = Option<String>)]
    pub final_payout_unused_hours_input: Field<Amount>,
}

/// An expense paid back.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct ReimbursementInput {
    /// dollars; 0 takes it out
    #[schema(required, value_type = String)]
    pub amount: Field<Amount>,
    /// what it was for
    pub description: Field<String>,
    /// which one is changed; a new one when left out
    pub uuid: Field<String>,
}

/// What a submission may say.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct SubmitPayroll {
    /// how blockers of the submission are to be resolved; there are none to name
    #[schema(value_type = Option<Vec<Object>>)]
    pub submission_blockers: Field<Vec<SubmissionBlocker>>,
}

/// A blocker of a submission.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct SubmissionBlocker {
    /// its type
    pub blocker_type: Field<String>,
    /// how it is to be resolved
    pub selected_option: Field<String>,
}
