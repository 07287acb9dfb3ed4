//! Rows of policies, enrollments and balance changes.

use jiff::Timestamp;
use jiff::civil::Date;
use rules::time_off::{AccrualMethod, AccrualTerms, PolicyType, Reason, YearDay};
use rules::{Amount, Named};
use store::record::Cursor;
use store::{Tx, Unread, params};
use uuid::Uuid;

use crate::error::Error;
use crate::records::{IdRange, Millionths};

store::record! {
    /// A policy of paid time off. Fields have their names in the public API, because errors about stale versions name them.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TimeOffPolicy in "time_off_policies" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// its name
            pub name: String,
            /// type of time off
            pub policy_type: PolicyType as text,
            /// accrual method
            pub accrual_method: AccrualMethod as text,
            /// hours per accrual; `None` if time off is unlimited
            pub accrual_rate: Option<Amount> as Millionths,
            /// hours worked or paid per accrual; only for hourly methods
            pub accrual_rate_unit: Option<Amount> as Millionths,
            /// whether the remaining balance is paid out on termination
            pub paid_out_on_termination: bool,
            /// days of employment before hours are accrued
            pub accrual_waiting_period_days: i64 = "waiting_period_days",
            /// maximum hours carried over into a new year
            pub carryover_limit_hours: Option<Amount> as Millionths = "carryover_limit",
            /// maximum hours accrued in a year
            pub max_accrual_hours_per_year: Option<Amount> as Millionths = "yearly_limit",
            /// maximum balance in hours
            pub max_hours: Option<Amount> as Millionths = "balance_limit",
            /// day on which the policy year begins: month times 100 plus day
            pub policy_reset_date: Option<i64> = "reset_day",
            /// whether employees can request more hours than are available
            pub allow_negative_balance: bool = "allow_negative",
            /// whether setup is complete; until then the policy has no effect
            pub complete: bool,
            /// whether the policy is not deactivated
            pub active: bool,
        }
        times { created_at, updated_at }
        version
    }
}

store::record! {
    /// An employee's enrollment in a policy: at most one of each type.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Enrollment in "time_off_enrollments" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// the policy
            pub policy: Uuid = "policy_id",
            /// its type
            pub policy_type: PolicyType as text,
            /// hours that can be taken: the sum of the changes
            pub balance: Amount as Millionths,
            /// last day on which a new year changed the balance; initially the day on which the employee joined
            pub turned_on: Date,
        }
        times { created_at, updated_at }
        version
    }
}

store::record! {
    /// A change to a balance.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TimeOffChange in "time_off_changes" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// the policy
            pub policy: Uuid = "policy_id",
            /// its type
            pub policy_type: PolicyType as text,
            /// the reason
            pub reason: Reason as text,
            /// hours added; negative if subtracted
            pub hours: Amount as Millionths,
            /// the effective day
            pub day: Date,
            /// payroll that paid or accrued the hours
            pub payroll: Option<Uuid> = "payroll_id",
            /// calculation of that payroll
            pub run: Option<Uuid> = "run_id",
        }
        times {
            /// time of recording
            pub created_at: Timestamp,
        }
    }
}

store::statements! {
    records TimeOffPolicy, Enrollment, TimeOffChange;
    POLICIES = store::text!(TimeOffPolicy::SELECT, " ORDER BY id");
    POLICIES_OF = store::text!(TimeOffPolicy::SELECT, " AND id IN (SELECT policy_id FROM time_off_enrollments \
                   WHERE company_id = $1 AND employee_id BETWEEN $2 AND $3) ORDER BY id");
    ENROLLED_BETWEEN = store::text!(Enrollment::SELECT, " AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id, id");
    ENROLLED_IN = store::text!(Enrollment::SELECT, " AND policy_id = $2 ORDER BY employee_id, id");
    WHO_IS_ENROLLED = "SELECT employee_id FROM time_off_enrollments WHERE company_id = $1 AND id = $2";
    EARNED_SINCE = store::text!(TimeOffChange::SELECT, " AND employee_id BETWEEN $2 AND $3 AND day >= $4 \
                    AND reason = 'accrual' ORDER BY employee_id, id");
    SINCE = store::text!(TimeOffChange::SELECT, " AND employee_id BETWEEN $2 AND $3 AND day >= $4 ORDER BY employee_id, id");
    OF_TYPE = store::text!(TimeOffChange::SELECT, " AND employee_id = $2 AND policy_type = $3 ORDER BY id");
    OF_RUN = store::text!(TimeOffChange::SELECT, " AND employee_id = $2 AND run_id = $3 ORDER BY id");
    REST_OF_RUN = "SELECT employee_id FROM time_off_changes WHERE company_id = $1 AND run_id = $2 ORDER BY employee_id LIMIT 1";
    FORGET_ENROLLMENTS = "DELETE FROM time_off_enrollments WHERE company_id = $1 AND employee_id = $2";
    FORGET_CHANGES = "DELETE FROM time_off_changes WHERE company_id = $1 AND employee_id = $2";
}

impl TimeOffPolicy {
    /// Converts the accrual terms to the form that the rules expect.
    ///
    /// # Errors
    /// [`store::Error::Unreadable`] for an invalid day of the year or waiting period.
    pub fn accrual_terms(&self) -> Result<AccrualTerms, store::Error> {
        let unreadable = |column| Unread::new("holds an invalid number").into_error(Self::TABLE, column);
        let reset = match self.policy_reset_date {
            Some(number) => Some(YearDay::of_number(number).ok_or_else(|| unreadable("reset_day"))?),
            None => None,
        };
        let waiting_days = i32::try_from(self.accrual_waiting_period_days);
        Ok(AccrualTerms {
            method: self.accrual_method,
            rate: self.accrual_rate.unwrap_or_default(),
            rate_unit: self.accrual_rate_unit,
            waiting_days: waiting_days.map_err(|_| unreadable("waiting_period_days"))?,
            carryover_limit: self.carryover_limit_hours,
            yearly_limit: self.max_accrual_hours_per_year,
            balance_limit: self.max_hours,
            reset,
        })
    }

    /// Whether the policy is active: its setup is complete, and it is not deactivated.
    pub fn is_in_use(&self) -> bool {
        self.complete && self.active
    }

    /// Whether time off is unlimited, so that there is no balance.
    pub fn is_unlimited(&self) -> bool {
        self.accrual_method == AccrualMethod::Unlimited
    }
}

/// Returns the policies of a company, oldest first.
pub fn list_policies(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<TimeOffPolicy>, Error> {
    Ok(tx.try_query(POLICIES, params![company], TimeOffPolicy::read)?)
}

/// Returns the policies in which the employees between two (both included) are enrolled.
pub fn policies_of(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<Vec<TimeOffPolicy>, Error> {
    Ok(tx.try_query(POLICIES_OF, params![company, first, last], TimeOffPolicy::read)?)
}

/// Announces the query of [`policies_of`] (see [`Tx::announce`]).
pub fn announce_policies_of(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<(), Error> {
    Ok(tx.announce_query(POLICIES_OF, params![company, first, last])?)
}

/// Returns the enrollments of the employees between two (both included), ordered by employee.
pub fn enrolled_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<Vec<Enrollment>, Error> {
    Ok(tx.try_query(ENROLLED_BETWEEN, params![company, first, last], Enrollment::read)?)
}

/// Announces the query of [`enrolled_between`] (see [`Tx::announce`]).
pub fn announce_enrolled_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<(), Error> {
    Ok(tx.announce_query(ENROLLED_BETWEEN, params![company, first, last])?)
}

/// Returns the enrollments in a policy, ordered by employee.
pub fn enrolled_in(tx: &mut Tx<'_>, company: Uuid, policy: Uuid) -> Result<Vec<Enrollment>, Error> {
    Ok(tx.try_query(ENROLLED_IN, params![company, policy], Enrollment::read)?)
}

/// Finds the employee of an enrollment.
pub fn who_is_enrolled(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Uuid>, Error> {
    Ok(tx.try_find(WHO_IS_ENROLLED, params![company, id], |row| {
        Cursor::new(row, Enrollment::TABLE, 0).read_plain("employee_id")
    })?)
}

/// Returns the accruals of the employees between two (both included) effective on or after `day`.
pub fn earned_since(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
    day: Date,
) -> Result<Vec<TimeOffChange>, Error> {
    Ok(tx.try_query(EARNED_SINCE, params![company, first, last, day], TimeOffChange::read)?)
}

/// Returns all balance changes of the employees between two (both included) effective on or after `day`.
pub fn balance_changes_since(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
    day: Date,
) -> Result<Vec<TimeOffChange>, Error> {
    Ok(tx.try_query(SINCE, params![company, first, last, day], TimeOffChange::read)?)
}

/// Returns the changes to an employee's balances of a type, oldest first.
pub fn balance_changes(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    policy_type: PolicyType,
) -> Result<Vec<TimeOffChange>, Error> {
    Ok(tx.try_query(OF_TYPE, params![company, employee, policy_type.as_str()], TimeOffChange::read)?)
}

/// Returns the changes that a calculation made for an employee.
pub fn of_run(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    run: Uuid,
) -> Result<Vec<TimeOffChange>, Error> {
    Ok(tx.try_query(OF_RUN, params![company, employee, run], TimeOffChange::read)?)
}

/// Finds an employee for whom a calculation changed a balance.
pub fn rest_of_run(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<Option<Uuid>, Error> {
    Ok(tx.try_find(REST_OF_RUN, params![company, run], |row| {
        Cursor::new(row, TimeOffChange::TABLE, 0).read_plain("employee_id")
    })?)
}

/// Deletes the enrollments and changes of an employee who is being deleted.
pub fn delete_employee_enrollments(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    for statement in [FORGET_ENROLLMENTS, FORGET_CHANGES] {
        let _as_many_as_there_were = tx.change_rows(statement, params![company, employee])?.rows();
    }
    Ok(())
}
