//! Request bodies of operations on payrolls.

use domain::pay::payrolls::record::commands;
use rules::Amount;

use crate::field::{Field, Ids, List};
use crate::input;
use crate::values::{
    DateText, DecimalText, DeductionUnitName, HourlyName, IdText, LineText, MemoText, OffCycleReason,
    PaidByName, TimeOffName, VersionText, WithholdingPeriodName,
};

input! {
    /// A new off-cycle payroll.
    CreatePayroll => commands::CreatePayroll {
        /// true
        #[schema(required)]
        off_cycle: bool,
        /// `Bonus`, `Correction`, `Adhoc`, `Dismissed employee` or `Transition from old pay schedule`
        #[schema(required)]
        off_cycle_reason: OffCycleReason,
        /// YYYY-MM-DD: first day; for a `Transition from old pay schedule` the range must consist of days that no
        /// regular payroll pays
        #[schema(required)]
        start_date: DateText,
        /// YYYY-MM-DD: last day
        #[schema(required)]
        end_date: DateText,
        /// the schedule that the employees leave, with `Transition from old pay schedule`
        #[schema(nullable)]
        pay_schedule_uuid: IdText,
        /// the employees, at most 100; defaults to all, which is refused from version 2026-06-15
        #[schema(nullable)]
        employee_uuids: Ids,
        /// YYYY-MM-DD: the check date; defaults to the earliest possible day, and for a `Dismissed employee` to the one
        /// proposed by the list of pay periods. A day on which banks are closed is moved to the previous banking day,
        /// unless everybody is paid by check
        #[schema(nullable)]
        check_date: DateText,
        /// the pay frequency for withholding income tax; defaults to the schedule's. A Bonus that names it can be for the employees of
        /// schedules with different frequencies
        #[schema(nullable)]
        withholding_pay_period: WithholdingPeriodName,
        /// whether to skip benefits, and garnishments not ordered by a court or an agency; false by default, whatever
        /// the payroll's reason
        #[schema(nullable)]
        skip_regular_deductions: bool,
        /// whether income tax is withheld at the flat rates for supplemental wages; false by default
        #[schema(nullable)]
        fixed_withholding_rate: bool,
        /// whether everybody is paid by check, so that no time for bank transfers is needed; false by default
        #[schema(nullable)]
        is_check_only_payroll: bool,
    }

    /// The employees to prepare.
    PreparePayroll => commands::PreparePayroll {
        /// employees to return, at most 100; all if left out
        #[schema(nullable)]
        employee_uuids: Ids,
    }

    /// Entries of a payroll; omitted fields keep their values.
    UpdatePayroll => commands::UpdatePayroll {
        /// the employees' entries, at most 100 employees
        #[schema(required)]
        employee_compensations: List<UpdateEmployeeCompensation>,
        /// the pay frequency for withholding income tax
        withholding_pay_period: WithholdingPeriodName,
        /// whether to skip benefits, and garnishments not ordered by a court or an agency
        skip_regular_deductions: bool,
        /// whether income tax is withheld at the flat rates for supplemental wages
        fixed_withholding_rate: bool,
    }

    /// The entries of an employee; omitted lines are unchanged.
    UpdateEmployeeCompensation => commands::UpdateEmployee {
        /// the employee
        #[schema(required)]
        employee_uuid: IdText,
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// whether the employee is excluded from the payroll
        excluded: bool,
        /// `Direct Deposit` or `Check`
        payment_method: PaidByName,
        /// a note on the paycheck; empty or null clears it
        memo: MemoText,
        /// income tax of the work state in dollars, if its rule is not supported or another amount is due; null clears
        /// it
        #[schema(nullable, value_type = DecimalText)]
        state_income_tax: Amount,
        /// extension: amounts of other taxes that cannot be calculated (warning `tax_not_worked_out`)
        supplied_taxes: List<SuppliedTaxInput>,
        /// amounts of pay
        fixed_compensations: List<FixedInput>,
        /// hours worked
        hourly_compensations: List<HourlyInput>,
        /// garnishments with other amounts
        deductions: List<DeductionInput>,
        /// hours of paid time off
        paid_time_off: List<TimeOffInput>,
        /// reimbursed expenses
        reimbursements: List<ReimbursementInput>,
    }

    /// The amount of a tax that cannot be calculated.
    SuppliedTaxInput => commands::SuppliedTaxLine {
        /// code of the tax, such as `PA_EIT`, as `taxes_not_worked_out` of the payroll and the employee's taxes name it
        #[schema(required)]
        code: LineText,
        /// dollars for this payroll, as text or number; null removes the amount
        #[schema(nullable, value_type = DecimalText)]
        amount: Amount,
    }

    /// An amount of pay.
    FixedInput => commands::FixedLine {
        /// `Bonus`, `Commission`, `Paycheck Tips`, `Cash Tips` or `Correction Payment`, or the name of one of the
        /// company's earning types; before version 2025-11-15 also `Reimbursement`
        #[schema(required)]
        name: LineText,
        /// dollars, as text or number; only a `Correction Payment` can be below zero: it takes back earlier pay of the year, with its taxes, as
        /// far as the paycheck reaches
        #[schema(required, value_type = DecimalText)]
        amount: Amount,
        /// the job; defaults to the primary one
        job_uuid: IdText,
        /// true if the payment is discretionary, that is, the employer alone decided whether and how much to pay,
        /// without a promise (29 CFR 778.211): it is then not part of the regular rate for overtime; false by default.
        /// Not for tips (extension)
        discretionary: bool,
        /// YYYY-MM-DD: first day of the period in which it was earned, with `earned_to`. It is included in the regular
        /// rate of that period's workweeks, also of those paid by earlier payrolls; by default, of the workweeks of
        /// this payroll. Null clears it (extension)
        #[schema(nullable)]
        earned_from: DateText,
        /// YYYY-MM-DD: last day of that period, not after the pay period and at most a year after `earned_from`
        /// (extension)
        #[schema(nullable)]
        earned_to: DateText,
        /// the amount of each workweek, which is part of that workweek's regular rate; `amount` is their sum. Not for tips.
        /// Without it the amount is that of all workweeks of the payroll, unless it equals the sum as returned; an empty
        /// list or null ends the division
        #[schema(nullable)]
        breakdowns: List<AmountOfWorkweekInput>,
    }

    /// The part of an amount that was earned in a workweek.
    AmountOfWorkweekInput => commands::AmountOfWorkweek {
        /// YYYY-MM-DD: its first day, as `workweeks` of the payroll lists it, or another day of the workweek
        #[schema(required)]
        start_date: DateText,
        /// YYYY-MM-DD: its last day
        #[schema(required)]
        end_date: DateText,
        /// dollars, as text or number
        #[schema(required, value_type = DecimalText)]
        amount: Amount,
    }

    /// Hours worked.
    HourlyInput => commands::HourlyLine {
        /// `Regular Hours`, `Overtime` or `Double overtime`
        #[schema(required)]
        name: HourlyName,
        /// hours with at most three decimal places, as text or number
        #[schema(required, value_type = DecimalText)]
        hours: Amount,
        /// the job; defaults to the primary one
        job_uuid: IdText,
        /// YYYY-MM-DD: first day of the workweek in which the hours were worked. Without it and without `date` the
        /// hours are those of the whole pay period, and replace all entries by workweek or by day, unless they equal
        /// the hours as returned
        workweek_start: DateText,
        /// YYYY-MM-DD: the day of the pay period on which the hours were worked, instead of `workweek_start`. At most
        /// 24 hours for all jobs together. Overtime is computed from regular hours by day; if overtime is entered, too,
        /// the hours are used as they are. Lines of the same job and name with other dates are kept side by side
        /// (extension)
        date: DateText,
        /// the company's location where the hours were worked; defaults to the employee's work address on those days.
        /// Lines of the same job, name and dates with other locations are kept side by side (extension)
        location_uuid: IdText,
        /// the hours of each workweek; `hours` is their sum. The same as one line with `workweek_start` for each of them
        #[schema(nullable)]
        breakdowns: List<HoursOfWorkweekInput>,
    }

    /// The part of a line's hours that was worked in a workweek.
    HoursOfWorkweekInput => commands::HoursOfWorkweek {
        /// YYYY-MM-DD: its first day, as `workweeks` of the payroll lists it, or another day of the workweek
        #[schema(required)]
        start_date: DateText,
        /// YYYY-MM-DD: its last day
        #[schema(required)]
        end_date: DateText,
        /// hours with at most three decimal places, as text or number
        #[schema(required, value_type = DecimalText)]
        hours: Amount,
    }

    /// Another amount for a garnishment.
    DeductionInput => commands::DeductionLine {
        /// the garnishment; child support always follows its order, and must be sent back as returned
        #[schema(required)]
        uuid: IdText,
        /// dollars, or percent
        #[schema(required, value_type = DecimalText)]
        amount: Amount,
        /// `fixed` (the default) or `percent`
        amount_type: DeductionUnitName,
    }

    /// Hours of paid time off.
    TimeOffInput => commands::TimeOffLine {
        /// `Vacation Hours`, `Sick Hours`, `Holiday Hours` or `Unpaid Leave Hours` (extension); optional with `policy_uuid`
        name: TimeOffName,
        /// one of the employee's time off policies, instead of the name
        policy_uuid: IdText,
        /// hours with at most three decimal places
        #[schema(value_type = DecimalText)]
        hours: Amount,
        /// unused hours that are paid out at the end of employment; null resets it to the rule of the policy and the
        /// work state
        #[schema(nullable, value_type = DecimalText)]
        final_payout_unused_hours_input: Amount,
    }

    /// A reimbursed expense.
    ReimbursementInput => commands::ReimbursementLine {
        /// dollars; 0 removes it
        #[schema(required, value_type = DecimalText)]
        amount: Amount,
        /// what the expense was for
        description: MemoText,
        /// the expense to change; omitted for a new one. Lines with neither description nor uuid replace all lines
        /// without a description, unless their sum is the same
        uuid: IdText,
    }

    /// The options of a submission.
    SubmitPayroll => commands::SubmitPayroll {
        /// how blockers of the submission are resolved: only as the payroll lists them, because they are resolved by rule
        #[schema(value_type = Option<Vec<Object>>)]
        submission_blockers: List<SubmissionBlocker>,
    }

    /// A blocker of a submission.
    SubmissionBlocker => commands::SubmissionBlocker {
        /// its type
        blocker_type: String,
        /// how it is resolved
        selected_option: String,
    }
}
