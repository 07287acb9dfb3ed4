//! The shapes in which payrolls are told and entered.

use rules::Amount;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Number, Value};
use utoipa::ToSchema;
use uuid::Uuid;

/// Money that is a JSON number before version 2026-06-15 and decimal text from then on.
#[derive(Debug, Clone, Copy)]
pub struct Money {
    /// dollars
    pub amount: Amount,
    /// whether it is told as text
    pub text: bool,
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.amount.to_text(2);
        if self.text {
            return serializer.serialize_str(&text);
        }
        number(&text).serialize(serializer)
    }
}

/// A JSON number with the digits of a decimal text.
pub fn number(text: &str) -> Number {
    text.parse().unwrap_or_else(|_| Number::from(0))
}

/// A pay period.
#[derive(Debug, Serialize, ToSchema)]
pub struct Period {
    /// YYYY-MM-DD: first day
    pub start_date: String,
    /// YYYY-MM-DD: last day
    pub end_date: String,
    /// the schedule that it follows from
    pub pay_schedule_uuid: Option<Uuid>,
}

/// A pay period with its payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayPeriod {
    /// YYYY-MM-DD: first day
    pub start_date: String,
    /// YYYY-MM-DD: last day
    pub end_date: String,
    /// the schedule that it follows from
    pub pay_schedule_uuid: Option<Uuid>,
    /// its payroll
    pub payroll: PeriodPayroll,
}

/// The payroll of a pay period.
#[derive(Debug, Serialize, ToSchema)]
pub struct PeriodPayroll {
    /// identifier; null for a period that has not begun
    pub payroll_uuid: Option<Uuid>,
    /// YYYY-MM-DD: when employees are paid
    pub check_date: String,
    /// whether it was processed
    pub processed: bool,
    /// until when it can be submitted
    pub payroll_deadline: String,
    /// always `regular`
    pub payroll_type: &'static str,
}

/// Whether a payroll is in time, and until when it can be taken back.
#[derive(Debug, Serialize, ToSchema)]
pub struct StatusMeta {
    /// whether it can be cancelled
    pub cancellable: bool,
    /// YYYY-MM-DD: when employees are expected to be paid
    pub expected_check_date: String,
    /// YYYY-MM-DD: when they were to be paid before the payroll was late
    pub initial_check_date: Option<String>,
    /// when the company is expected to be debited
    pub expected_debit_time: String,
    /// whether it was or would be submitted after its deadline
    pub payroll_late: Option<bool>,
    /// until when it had to be submitted for the initial check date
    pub initial_debit_cutoff_time: String,
}

/// Where the last calculation or submission stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProcessingRequest {
    /// `calculating`, `calculate_success`, `submitting`, `submit_success` or `processing_failed`
    pub status: &'static str,
    /// why it failed
    #[schema(value_type = Vec<Object>)]
    pub errors: Value,
}

/// A tax of all employees together, or of one.
#[derive(Debug, Serialize, ToSchema)]
pub struct Tax {
    /// such as `Social Security`
    pub name: String,
    /// whether the employer pays it
    pub employer: bool,
    /// dollars; a number before version 2026-06-15, decimal text from then on
    #[schema(value_type = String)]
    pub amount: Money,
}

/// A name that a line of pay can have.
#[derive(Debug, Serialize, ToSchema)]
pub struct FixedCompensationType {
    /// such as `Bonus`
    pub name: &'static str,
}

/// A payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct Payroll {
    /// until when it can be submitted
    pub payroll_deadline: String,
    /// YYYY-MM-DD: when employees are paid
    pub check_date: String,
    /// whether it was processed
    pub processed: bool,
    /// YYYY-MM-DD: when it was processed
    pub processed_date: Option<String>,
    /// when it was calculated; null once something was entered after that
    pub calculated_at: Option<String>,
    /// identifier
    pub uuid: Uuid,
    /// the same identifier
    pub payroll_uuid: Uuid,
    /// the employer
    pub company_uuid: Uuid,
    /// whether it stands outside the schedule
    pub off_cycle: bool,
    /// why it was made
    pub off_cycle_reason: Option<String>,
    /// whether it runs without anybody's doing; before version 2025-11-15
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_pilot: Option<bool>,
    /// whether it runs without anybody's doing; from version 2025-11-15
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_payroll: Option<bool>,
    /// whether it was run elsewhere: never
    pub external: bool,
    /// whether it is the last of somebody who leaves
    pub final_termination_payroll: bool,
    /// as how often wages are paid where income tax is withheld
    pub withholding_pay_period: &'static str,
    /// whether benefits and garnishments are left out
    pub skip_regular_deductions: bool,
    /// whether income tax is withheld at the flat rates for supplemental wages
    pub fixed_withholding_rate: bool,
    /// whether everybody is paid by check
    pub is_check_only_payroll: bool,
    /// its days
    pub pay_period: Period,
    /// with include=payroll_status_meta
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payroll_status_meta: Option<StatusMeta>,
    /// sums of all employees, once calculated; with include=totals
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub totals: Option<Value>,
    /// taxes of all employees together, amounts as text; with include=taxes
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub company_taxes: Option<Value>,
    /// the same with amounts as numbers before version 2026-06-15; with include=payroll_taxes
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payroll_taxes: Option<Vec<Tax>>,
    /// when the record was created
    pub created_at: String,
    /// always empty; with include=risk_blockers
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub submission_blockers: Option<[(); 0]>,
    /// always empty; with include=risk_blockers
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub credit_blockers: Option<[(); 0]>,
    /// always empty; with include=reversals
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub reversal_payroll_uuids: Option<[(); 0]>,
    /// where the last calculation or submission stands
    pub processing_request: Option<ProcessingRequest>,
    /// always null
    pub partner_owned_disbursement: Option<bool>,
    /// names that lines of pay can have; where lines can be entered
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed_compensation_types: Option<Vec<FixedCompensationType>>,
    /// its employees; not in lists
    #[serde(skip_serializing_if = "Option::is_none")]
    pub employee_compensations: Option<Vec<EmployeeCompensation>>,
}

/// What an employee gets in a payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmployeeCompensation {
    /// the employee
    pub employee_uuid: Uuid,
    /// whether the employee is left out
    pub excluded: bool,
    /// first name
    pub first_name: String,
    /// name that the person goes by
    pub preferred_first_name: Option<String>,
    /// last name
    pub last_name: String,
    /// all wages, once calculated; a number before version 2026-06-15, decimal text from then on
    #[schema(value_type = Option<String>)]
    pub gross_pay: Option<Money>,
    /// what remains after taxes and deductions; number or text as gross_pay
    #[schema(value_type = Option<String>)]
    pub net_pay: Option<Money>,
    /// what is paid out: net pay and reimbursements; number or text as gross_pay
    #[schema(value_type = Option<String>)]
    pub check_amount: Option<Money>,
    /// `Direct Deposit` or `Check`
    pub payment_method: String,
    /// a note on the paycheck
    pub memo: Option<String>,
    /// amounts of pay
    pub fixed_compensations: Vec<FixedCompensation>,
    /// hours and what they come to
    pub hourly_compensations: Vec<HourlyCompensation>,
    /// hours paid without work
    pub paid_time_off: Vec<PaidTimeOff>,
    /// expenses paid back
    pub reimbursements: Vec<Reimbursement>,
    /// what is taken for garnishments and other deductions
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deductions: Option<Vec<Deduction>>,
    /// taxes of the employee and of the employer; with include=taxes
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taxes: Option<Vec<Tax>>,
    /// what benefits take and give; with include=benefits
    #[serde(skip_serializing_if = "Option::is_none")]
    pub benefits: Option<Vec<Benefit>>,
    /// how what is paid out is divided among bank accounts, once calculated; not with a check
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub payment_splits: Vec<PaymentSplit>,
    /// what somebody has to look at, such as a state whose tax was not withheld
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// concurrency token, to be sent with an update of this employee
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// A line of pay that is an amount.
#[derive(Debug, Serialize, ToSchema)]
pub struct FixedCompensation {
    /// such as `Bonus`, or `Minimum Wage Adjustment` for what brings pay up to the minimum wage
    pub name: String,
    /// decimal text, dollars
    pub amount: String,
    /// the job
    pub job_uuid: Uuid,
}

/// What one bank account gets.
#[derive(Debug, Serialize, ToSchema)]
pub struct PaymentSplit {
    /// the employee's bank account
    pub bank_account_uuid: Uuid,
    /// decimal text, dollars
    pub amount: String,
}

/// A line of hours.
#[derive(Debug, Serialize, ToSchema)]
pub struct HourlyCompensation {
    /// `Regular Hours`, `Overtime` or `Double overtime`
    pub name: &'static str,
    /// decimal text with three places
    pub hours: String,
    /// the hours of each workweek, where they were entered so
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub workweeks: Vec<Workweek>,
    /// decimal text, dollars, once calculated
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<String>,
    /// the job
    pub job_uuid: Uuid,
    /// 1, 1.5 or 2
    #[schema(value_type = Object)]
    pub compensation_multiplier: Number,
    /// overtime status of the job
    pub flsa_status: &'static str,
}

/// Hours of a workweek.
#[derive(Debug, Serialize, ToSchema)]
pub struct Workweek {
    /// YYYY-MM-DD: first day
    pub start_date: String,
    /// decimal text with three places
    pub hours: String,
}

/// Hours paid without work.
#[derive(Debug, Serialize, ToSchema)]
pub struct PaidTimeOff {
    /// such as `Vacation Hours`
    pub name: &'static str,
    /// decimal text with three places
    pub hours: String,
    /// decimal text with three places: hours not taken that are paid out at the end of employment
    pub final_payout_unused_hours_input: Option<String>,
}

/// An expense paid back.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reimbursement {
    /// decimal text, dollars
    pub amount: String,
    /// what it was for
    pub description: Option<String>,
    /// identifier
    pub uuid: Uuid,
    /// whether it comes again: never
    pub recurring: bool,
}

/// What is taken for a garnishment.
#[derive(Debug, Serialize, ToSchema)]
pub struct Deduction {
    /// its description
    pub name: String,
    /// dollars taken, once calculated, and before that what it asks for; a number before version 2026-06-15, decimal
    /// text from then on
    #[schema(value_type = String)]
    pub amount: Money,
    /// `fixed`, or `percent` of an amount that is not calculated yet
    pub amount_type: &'static str,
    /// the garnishment
    pub uuid: Uuid,
    /// `automatic` or `manual`: who pays the agency; only with child support
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remittance: Option<String>,
    /// why it is manual
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remittance_reason: Option<String>,
}

/// What a benefit takes and gives.
#[derive(Debug, Serialize, ToSchema)]
pub struct Benefit {
    /// what the company calls it
    pub name: String,
    /// dollars of the employee; a number before version 2026-06-15, decimal text from then on
    #[schema(value_type = String)]
    pub employee_deduction: Money,
    /// dollars of the company; number or text as employee_deduction
    #[schema(value_type = String)]
    pub company_contribution: Money,
    /// whether it counts as income without being paid
    pub imputed: bool,
}

/// What somebody has to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Warning {
    /// a word for programs
    pub key: String,
    /// a sentence for people
    pub message: String,
}

/// Something that stands in the way of running payroll.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = PayrollBlocker)]
pub struct Blocker {
    /// a word for programs
    pub key: &'static str,
    /// what has to be done
    pub message: &'static str,
}
