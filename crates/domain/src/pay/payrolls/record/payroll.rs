//! A payroll and its state.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::Date;
use rules::days::Days;
use rules::payroll::Proration;
use rules::withholding::federal::PayFrequency;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::pay::payrolls::record::deadlines::submission_deadline;
use crate::pay::payrolls::record::totals::Totals;

/// Table of the record, in versions and audit entries.
pub const TABLE: &str = "payrolls";

/// The entries of the last minute that a calculation had seen, as stored with the payroll. An entry's id carries the time at which its
/// unit of work began; on a database server a unit that began before another may be committed after it, as may one of a node whose
/// clock is behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// the calculation
    pub run: Uuid,
    /// the lowest entry id considered
    pub from: Uuid,
    /// their ids; `None` if there were too many
    pub entries: Option<BTreeSet<Uuid>>,
    /// their number
    pub count: i64,
}

/// A payroll.
#[derive(Debug, Clone)]
pub struct Payroll {
    /// identifier
    pub id: Uuid,
    /// the schedule it follows; `None` for most off-cycle payrolls
    pub pay_schedule: Option<Uuid>,
    /// first day
    pub start: Date,
    /// last day
    pub end: Date,
    /// when employees are paid
    pub check_date: Date,
    /// the original pay date; `check_date` is later if the payroll was late
    pub initial_check_date: Date,
    /// whether it is off-cycle
    pub off_cycle: bool,
    /// whether its schedule runs it automatically
    pub auto: bool,
    /// whether it is skipped, so that it pays nobody
    pub skipped: bool,
    /// why it was created
    pub off_cycle_reason: Option<String>,
    /// whether it is for chosen employees
    pub chosen_employees: bool,
    /// number of days in the whole pay period if it pays only a part of one, for employees who leave its schedule on its last day
    pub whole_days: Option<i64>,
    /// the last day of work whose final wages it pays; `None` if it pays the wages of its whole pay period
    pub last_day: Option<Date>,
    /// pay frequency of its pay periods
    pub frequency: PayFrequency,
    /// pay frequency used to withhold income tax
    pub withholding_pay_period: PayFrequency,
    /// whether benefits and garnishments are left out
    pub skip_regular_deductions: bool,
    /// whether income tax is withheld at the flat rates
    pub fixed_withholding_rate: bool,
    /// whether everybody is paid by check
    pub check_only: bool,
    /// whether the partner pays net pay to bank accounts, by the company's setting at the last calculation
    pub partner_pays: bool,
    /// whether it was prepared since it was created or cancelled
    pub prepared: bool,
    /// counter of changes to inputs
    pub inputs: i64,
    /// state of the last calculation or submission
    pub request: Option<Request>,
    /// why it failed: error items as JSON
    pub request_errors: Value,
    /// the current calculation, or the one in progress
    pub run: Option<Uuid>,
    /// run number of the last payroll that had been processed before that calculation; 0 without one
    pub base: Option<i64>,
    /// when it was calculated
    pub calculated_at: Option<Timestamp>,
    /// the changes that the calculation took into account
    pub seen: Option<Seen>,
    /// whether it was calculated before that calculation was discarded
    pub was_calculated: bool,
    /// when it was submitted
    pub submitted_at: Option<Timestamp>,
    /// when it was processed
    pub processed_at: Option<Timestamp>,
    /// its number among processed payrolls
    pub run_number: Option<i64>,
    /// when payments were made
    pub paid_at: Option<Timestamp>,
    /// sums of the calculation
    pub totals: Totals,
    /// counter of updates
    pub version: i64,
    /// when the record was created
    pub created_at: Timestamp,
}

/// State of the last calculation or submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Request {
    /// being calculated
    #[strum(serialize = "calculating")]
    Calculating,
    /// calculated
    #[strum(serialize = "calculate_success")]
    CalculateSuccess,
    /// being processed
    #[strum(serialize = "submitting")]
    Submitting,
    /// processed
    #[strum(serialize = "submit_success")]
    SubmitSuccess,
    /// failed
    #[strum(serialize = "processing_failed")]
    Failed,
}

/// The reason for a payroll that pays bonuses.
pub const BONUS: &str = "Bonus";
/// The reason for a payroll that pays an employee's final wages.
pub const DISMISSAL: &str = "Dismissed employee";
/// The reason for a payroll between two schedules.
pub const TRANSITION: &str = "Transition from old pay schedule";

impl Payroll {
    /// Returns the days of its pay period.
    pub fn days(&self) -> Days {
        Days { first: self.start, last: self.end }
    }

    /// Whether it pays the wages of a pay period to everybody who works in it.
    pub fn pays_regular_wages(&self) -> bool {
        !self.off_cycle || self.is_transition()
    }

    /// Whether it pays the wages of its days, including salaries: those of a pay period, or final wages.
    pub fn pays_wages_of_its_days(&self) -> bool {
        self.pays_regular_wages() || self.is_dismissal()
    }

    /// Whether it pays the days between two schedules, or between old and new terms.
    pub fn is_transition(&self) -> bool {
        self.off_cycle && self.off_cycle_reason.as_deref() == Some(TRANSITION)
    }

    /// Whether it pays employees who leave its schedule for the rest of their days on it.
    pub fn is_of_leavers(&self) -> bool {
        self.is_transition() && self.whole_days.is_some()
    }

    /// Returns the part of a pay period that it pays, which determines how salaries are prorated. If everybody changes over together, its
    /// days lead up to the first pay period of the new schedule or terms; for final wages, they may then be longer than a pay period.
    pub fn salary_proration(&self) -> Proration {
        let own = i64::from((self.end - self.start).get_days()) + 1;
        match self.whole_days {
            Some(days) if self.is_dismissal() && own > days => Proration::LeadingUp,
            Some(days) => Proration::PartOf(days),
            None if self.is_transition() => Proration::LeadingUp,
            None => Proration::Whole,
        }
    }

    /// Returns the schedule that its members must follow, with the first and the last day on which they must; `None` if everybody is a
    /// member, or if members were chosen.
    pub fn schedule_of_members(&self) -> Option<(Uuid, Date, Date)> {
        let schedule = self.pay_schedule.filter(|_| !self.chosen_employees)?;
        let from = if self.pays_regular_wages() { self.start } else { self.end };
        Some((schedule, from, self.end))
    }

    /// Whether it pays the final wages of an employee.
    pub fn is_dismissal(&self) -> bool {
        self.off_cycle && self.off_cycle_reason.as_deref() == Some(DISMISSAL)
    }

    /// Returns a regular payroll for these days, without inputs.
    pub fn new(
        (id, created_at): (Uuid, Timestamp),
        Days { first: start, last: end }: Days,
        check_date: Date,
        frequency: PayFrequency,
    ) -> Self {
        Self {
            id,
            pay_schedule: None,
            start,
            end,
            check_date,
            initial_check_date: check_date,
            off_cycle: false,
            auto: false,
            skipped: false,
            off_cycle_reason: None,
            chosen_employees: false,
            whole_days: None,
            last_day: None,
            frequency,
            withholding_pay_period: frequency,
            skip_regular_deductions: false,
            fixed_withholding_rate: false,
            check_only: false,
            partner_pays: false,
            prepared: false,
            inputs: 0,
            request: None,
            request_errors: no_errors(),
            run: None,
            base: None,
            calculated_at: None,
            seen: None,
            was_calculated: false,
            submitted_at: None,
            processed_at: None,
            run_number: None,
            paid_at: None,
            totals: Totals::default(),
            version: 1,
            created_at,
        }
    }

    /// Whether it can be cancelled: it was processed, but not paid, and its deadline has not passed.
    pub fn is_cancellable(&self, now: Timestamp) -> bool {
        self.is_processed() && self.paid_at.is_none() && now < submission_deadline(self.check_date)
    }

    /// Whether the partner makes its payments, so that it is paid when the partner reports it.
    pub fn is_paid_by_partner(&self) -> bool {
        self.partner_pays && self.totals.partner_payments > 0
    }

    /// Whether it was submitted, and processing it failed permanently.
    pub fn is_stuck(&self) -> bool {
        self.request == Some(Request::Failed) && self.submitted_at.is_some() && !self.is_processed()
    }

    /// Whether it was processed and not cancelled.
    pub fn is_processed(&self) -> bool {
        self.processed_at.is_some()
    }

    /// Discards the calculation.
    pub fn forget_calculation(&mut self) {
        self.was_calculated |= self.calculated_at.is_some();
        self.run = None;
        self.base = None;
        self.calculated_at = None;
        self.seen = None;
        self.request = None;
        self.request_errors = no_errors();
        self.totals = Totals::default();
    }
}

/// Returns the errors of a payroll whose calculation did not fail.
fn no_errors() -> Value {
    Value::Array(Vec::new())
}
