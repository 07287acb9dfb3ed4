//! What is sent for payrolls.

use domain::pay::payrolls::commands;
use rules::Amount;

use crate::field::{Field, List, Words};
use crate::input;
use crate::values::{DateText, HourlyName, IdText, OffCycleReason, TimeOffName};

input! {
    /// A new payroll outside the schedule.
    CreatePayroll => commands::CreatePayroll {
        /// true
        #[schema(required)]
        off_cycle: bool,
        /// `Bonus`, `Correction`, `Adhoc`, `Dismissed employee` or `Transition from old pay schedule`
        #[schema(required)]
        off_cycle_reason: OffCycleReason,
        /// YYYY-MM-DD: first day; days of a `Transition from old pay schedule` are those that no regular payroll pays
        #[schema(required)]
        start_date: DateText,
        /// YYYY-MM-DD: last day
        #[schema(required)]
        end_date: DateText,
        /// the schedule that is left, with `Transition from old pay schedule`
        #[schema(nullable)]
        pay_schedule_uuid: IdText,
        /// whom it pays, at most 100; everybody when left out, which is refused from version 2026-06-15 on
        #[schema(nullable)]
        employee_uuids: Words,
        /// YYYY-MM-DD: when employees are paid; when left out the earliest possible day, and for a `Dismissed employee` the one that the list
        /// of pay periods proposes. A day on which banks are closed stands for the banking day before it, unless everybody is paid by check
        #[schema(nullable)]
        check_date: DateText,
        /// as how often wages are paid where income tax is withheld; the schedule's when left out
        #[schema(nullable)]
        withholding_pay_period: String,
        /// whether benefits are left out, and garnishments that neither a court nor an agency ordered; false when left out, whatever the reason of
        /// the payroll
        #[schema(nullable)]
        skip_regular_deductions: bool,
        /// whether income tax is withheld at the flat rates for supplemental wages; false when left out
        #[schema(nullable)]
        fixed_withholding_rate: bool,
        /// whether everybody is paid by check, so that banks need no time; false when left out
        #[schema(nullable)]
        is_check_only_payroll: bool,
    }

    /// For whom a payroll is prepared.
    PreparePayroll => commands::PreparePayroll {
        /// employees to return, at most 100; all if left out
        #[schema(nullable)]
        employee_uuids: Words,
    }

    /// What is entered into a payroll; what is left out stays.
    UpdatePayroll => commands::UpdatePayroll {
        /// what is entered for employees, at most 100
        #[schema(required)]
        employee_compensations: List<UpdateEmployeeCompensation>,
        /// as how often wages are paid where income tax is withheld
        withholding_pay_period: String,
        /// whether benefits are left out, and garnishments that neither a court nor an agency ordered
        skip_regular_deductions: bool,
        /// whether income tax is withheld at the flat rates for supplemental wages
        fixed_withholding_rate: bool,
    }

    /// What is entered for an employee; lines that are left out stay.
    UpdateEmployeeCompensation => commands::UpdateEmployee {
        /// the employee
        #[schema(required)]
        employee_uuid: IdText,
        /// the version as last read
        #[schema(required)]
        version: String,
        /// whether the employee is left out
        excluded: bool,
        /// `Direct Deposit` or `Check`
        payment_method: String,
        /// a note on the paycheck; empty or null clears it
        memo: String,
        /// income tax of the state of work in dollars, where no rule is held or another amount is due; null clears it
        #[schema(value_type = Option<String>)]
        state_income_tax: Amount,
        /// extension: amounts of other taxes that cannot be calculated (warning `tax_not_worked_out`)
        supplied_taxes: List<SuppliedTaxInput>,
        /// amounts of pay
        fixed_compensations: List<FixedInput>,
        /// hours worked
        hourly_compensations: List<HourlyInput>,
        /// deductions to be taken in another amount
        deductions: List<DeductionInput>,
        /// hours paid without work
        paid_time_off: List<TimeOffInput>,
        /// expenses paid back
        reimbursements: List<ReimbursementInput>,
    }

    /// The amount of a tax that cannot be calculated.
    SuppliedTaxInput => commands::SuppliedTaxLine {
        /// code of the tax, such as `PA_EIT`, as `taxes_not_worked_out` of the payroll and the employee's taxes name it
        #[schema(required)]
        code: String,
        /// dollars for this payroll, as text or number; null takes the amount back
        #[schema(value_type = Option<String>)]
        amount: Amount,
    }

    /// An amount of pay.
    FixedInput => commands::FixedLine {
        /// `Bonus`, `Commission`, `Paycheck Tips`, `Cash Tips` or `Correction Payment`, or the name of an earning
        /// type that the company has made; before version 2025-11-15 also `Reimbursement`
        #[schema(required)]
        name: String,
        /// dollars, as text or number
        #[schema(required, value_type = String)]
        amount: Amount,
        /// the job; the primary one when left out
        job_uuid: IdText,
        /// true where the employer alone decided whether and how much to pay, without a promise (29 CFR 778.211): it does not count
        /// towards the regular rate of overtime; false when left out. Not for tips (extension)
        discretionary: bool,
        /// YYYY-MM-DD: first day of the time that it was earned in, with `earned_to`. It counts towards the regular rate of its
        /// workweeks, also of those that earlier payrolls have paid; when left out, of the workweeks of this payroll. Null
        /// clears it (extension)
        #[schema(nullable)]
        earned_from: DateText,
        /// YYYY-MM-DD: last day of that time, not after the pay period and at most a year after `earned_from` (extension)
        #[schema(nullable)]
        earned_to: DateText,
    }

    /// Hours worked.
    HourlyInput => commands::HourlyLine {
        /// `Regular Hours`, `Overtime` or `Double overtime`
        #[schema(required)]
        name: HourlyName,
        /// hours with at most three places, as text or number
        #[schema(required, value_type = String)]
        hours: Amount,
        /// the job; the primary one when left out
        job_uuid: IdText,
        /// YYYY-MM-DD: first day of the workweek in which the hours were worked. Without it and without `date` they are those of the
        /// whole pay period, in place of all that were entered by workweek or by day, unless they are as they were told
        workweek_start: DateText,
        /// YYYY-MM-DD: the day of the pay period on which the hours were worked, instead of `workweek_start`. At most 24 hours of all
        /// jobs together. Overtime follows from regular hours by day; where overtime is entered beside them, the hours stay
        /// as they are. Lines of the same job and name with other days stand side by side (extension)
        date: DateText,
        /// the company's location where the hours were worked; the employee's place of work of those days when left out. Lines of the
        /// same job, name and days with other locations stand side by side (extension)
        location_uuid: IdText,
    }

    /// Another amount for a deduction.
    DeductionInput => commands::DeductionLine {
        /// the garnishment; child support stays what its order says, and comes back as it was told
        #[schema(required)]
        uuid: IdText,
        /// dollars, or percent
        #[schema(required, value_type = String)]
        amount: Amount,
        /// `fixed`, which is also the default, or `percent`
        amount_type: String,
    }

    /// Hours paid without work.
    TimeOffInput => commands::TimeOffLine {
        /// `Vacation Hours`, `Sick Hours` or `Holiday Hours`; not needed with `policy_uuid`
        name: TimeOffName,
        /// a time off policy that the employee has, instead of the name
        policy_uuid: IdText,
        /// hours with at most three places
        #[schema(value_type = String)]
        hours: Amount,
        /// hours not taken that are paid out at the end of employment; null leaves it to the policy and the state of work again
        #[schema(value_type = Option<String>)]
        final_payout_unused_hours_input: Amount,
    }

    /// An expense paid back.
    ReimbursementInput => commands::ReimbursementLine {
        /// dollars; 0 takes it out
        #[schema(required, value_type = String)]
        amount: Amount,
        /// what it was for
        description: String,
        /// which one is changed; a new one when left out. Lines with neither description nor uuid take the place of all that have no
        /// description, unless they come to the same sum
        uuid: IdText,
    }

    /// What a submission may say.
    SubmitPayroll => commands::SubmitPayroll {
        /// how blockers of the submission are to be resolved; there are none to name
        #[schema(value_type = Option<Vec<Object>>)]
        submission_blockers: List<SubmissionBlocker>,
    }

    /// A blocker of a submission.
    SubmissionBlocker => commands::SubmissionBlocker {
        /// its type
        blocker_type: String,
        /// how it is to be resolved
        selected_option: String,
    }
}
