//! Final pay periods of terminated employees, on the wire.

use domain::pay::payrolls::calendar::dismissals::LastPeriod;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// The final pay period of an employee who is paid separately, until that payroll is submitted.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnprocessedTerminationPayPeriod {
    /// first day of the pay period, YYYY-MM-DD
    #[schema(format = Date)]
    pub start_date: String,
    /// last day of the pay period, YYYY-MM-DD
    #[schema(format = Date)]
    pub end_date: String,
    /// the check date of the final wages: that of the period or the state's deadline, whichever is earlier, or else the
    /// earliest date still possible
    #[schema(format = Date)]
    pub check_date: String,
    /// the earlier check date that is possible with `is_check_only_payroll`, where the wages should be paid before a bank can (an extension); null
    /// if checks are no earlier
    #[schema(format = Date)]
    pub check_date_by_check: Option<String>,
    /// the state's deadline for final wages (an extension); null if it is not known
    #[schema(format = Date)]
    pub final_wages_due_on: Option<String>,
    /// when the company is debited
    #[schema(format = Date)]
    pub debit_date: String,
    /// first and last name
    pub employee_name: String,
    /// the employee
    pub employee_uuid: Uuid,
    /// the pay schedule
    pub pay_schedule_uuid: Uuid,
}

impl From<LastPeriod> for UnprocessedTerminationPayPeriod {
    fn from(period: LastPeriod) -> Self {
        Self {
            start_date: period.start.to_string(),
            end_date: period.end.to_string(),
            check_date: period.check_date.to_string(),
            check_date_by_check: period.by_check.map(|day| day.to_string()),
            final_wages_due_on: period.due_on.map(|day| day.to_string()),
            debit_date: period.debit_date.to_string(),
            employee_name: period.name,
            employee_uuid: period.employee,
            pay_schedule_uuid: period.pay_schedule,
        }
    }
}
