//! Last pay periods of those who leave, on the wire.

use domain::pay::payrolls::schedule::dismissals::LastPeriod;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// The last pay period of an employee who is paid apart, until that payroll is run.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnprocessedTerminationPayPeriod {
    /// first day of the pay period, YYYY-MM-DD
    #[schema(format = Date)]
    pub start_date: String,
    /// last day of the pay period, YYYY-MM-DD
    #[schema(format = Date)]
    pub end_date: String,
    /// when the last wages are to be paid: on the pay date of the period or the day until which the state asks for them,
    /// whichever is earlier, or the earliest that is left
    #[schema(format = Date)]
    pub check_date: String,
    /// until when the state asks for the last wages (an extension); null where that is not held
    #[schema(format = Date)]
    pub final_wages_due_on: Option<String>,
    /// when the money leaves the company's account
    #[schema(format = Date)]
    pub debit_date: String,
    /// first and last name
    pub employee_name: String,
    /// who leaves
    pub employee_uuid: Uuid,
    /// the schedule of the period
    pub pay_schedule_uuid: Uuid,
}

impl From<LastPeriod> for UnprocessedTerminationPayPeriod {
    fn from(period: LastPeriod) -> Self {
        Self {
            start_date: period.start.to_string(),
            end_date: period.end.to_string(),
            check_date: period.check_date.to_string(),
            final_wages_due_on: period.due_on.map(|day| day.to_string()),
            debit_date: period.debit_date.to_string(),
            employee_name: period.name,
            employee_uuid: period.employee,
            pay_schedule_uuid: period.pay_schedule,
        }
    }
}
