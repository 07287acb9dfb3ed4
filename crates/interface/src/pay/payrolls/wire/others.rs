//! Warnings about people whom a payroll does not pay, on the wire.

use domain::pay::payrolls::views::outside::Outside;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// What somebody has to look at of a person whom the payroll does not pay.
#[derive(Debug, Serialize, ToSchema)]
pub struct OtherWarning {
    /// the employee
    pub employee_uuid: Uuid,
    /// first and last name
    pub employee_name: String,
    /// a word for programs: `days_not_paid`, `days_paid_outside_employment` or `entered_not_paid`
    pub key: String,
    /// a sentence for people
    pub message: String,
}

impl OtherWarning {
    /// The warnings about a person.
    pub fn person_warnings(outside: Outside) -> impl Iterator<Item = Self> {
        let Outside { employee, name, warnings } = outside;
        warnings.into_iter().map(move |warning| Self {
            employee_uuid: employee,
            employee_name: name.clone(),
            key: warning.key,
            message: warning.message,
        })
    }
}
