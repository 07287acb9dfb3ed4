//! Notices to child support agencies, on the wire.

use domain::withholding::garnishments::lump_sums::LumpSum;
use domain::withholding::notices;
use domain::withholding::notices::About;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::values::Separation;

/// What a child support agency has to be told: an employee with an order has left, or is to get a lump sum.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChildSupportTerminationNotice {
    /// `termination`: the employee has left; `lump_sum`: the agency is to be told of a payment before it is made
    pub kind: &'static str,
    /// of whom
    pub employee_uuid: Uuid,
    /// first and last name
    pub employee_name: String,
    /// the order
    pub garnishment_uuid: Uuid,
    /// whether the order is active: one that was made inactive is listed as long as its `ends_on` does not say that the agency ended it
    /// by the last day of work
    pub order_active: bool,
    /// the agency's state
    pub state: String,
    /// the agency; null where it is not known
    pub agency: Option<String>,
    /// the agency's code
    pub fips_code: String,
    /// number of the case
    pub case_number: Option<String>,
    /// number of the order
    pub order_number: Option<String>,
    /// number that stands for the order on payments
    pub remittance_number: Option<String>,
    /// last day of work, YYYY-MM-DD; null for a lump sum
    #[schema(format = Date)]
    pub termination_date: Option<String>,
    /// by whom the employee is employed now; null where that is not known
    pub new_employer: Option<String>,
    /// how the employment ended, such as `death`; null for a lump sum, and where nobody said
    pub separation: Option<Separation>,
    /// ten digits, where held
    pub last_known_phone: Option<String>,
    /// last known home address in one line, where held
    pub last_known_address: Option<String>,
    /// pay date of the last payment; null where nothing was withheld
    #[schema(format = Date)]
    pub final_payment_date: Option<String>,
    /// dollars of the last payment
    pub final_payment_amount: Option<String>,
    /// the payment that the agency is notified of; null for a termination
    pub lump_sum: Option<LumpSumPayment>,
}

/// A payment that an agency is notified of before it is made.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LumpSumPayment {
    /// the payroll that pays it
    pub payroll_uuid: Uuid,
    /// dollars
    pub amount: String,
    /// the day of payment, YYYY-MM-DD
    #[schema(format = Date)]
    pub payment_date: String,
    /// days that the agency has to answer, for which the payment waits
    pub days_to_answer: i64,
    /// the section of law that asks for it
    pub section: String,
}

impl From<LumpSum> for LumpSumPayment {
    fn from(sum: LumpSum) -> Self {
        Self {
            payroll_uuid: sum.payroll,
            amount: sum.amount.to_text(2),
            payment_date: sum.check_date.to_string(),
            days_to_answer: sum.days,
            section: sum.section,
        }
    }
}

impl From<notices::Notice> for ChildSupportTerminationNotice {
    fn from(notice: notices::Notice) -> Self {
        let address = notice.home.map(|home| {
            let street = [Some(home.street_1), home.street_2].into_iter().flatten().collect::<Vec<_>>();
            format!("{}, {}, {} {}", street.join(", "), home.city, home.state, home.zip)
        });
        let (kind, left, lump_sum) = match notice.about {
            About::Left { last_day, new_employer, separation } => {
                ("termination", (Some(last_day), new_employer, separation), None)
            }
            About::LumpSum(sum) => ("lump_sum", (None, None, None), Some(LumpSumPayment::from(sum))),
        };
        let (last_day, new_employer, separation) = left;
        Self {
            kind,
            employee_uuid: notice.employee,
            employee_name: notice.name,
            garnishment_uuid: notice.garnishment,
            order_active: notice.order_active,
            state: notice.payee.state,
            agency: notice.agency,
            fips_code: notice.payee.fips_code,
            case_number: notice.payee.case_number,
            order_number: notice.payee.order_number,
            remittance_number: notice.payee.remittance_number,
            termination_date: last_day.map(|day| day.to_string()),
            new_employer,
            separation: separation.map(Separation::from),
            last_known_phone: notice.phone,
            last_known_address: address,
            final_payment_date: notice.last_payment.map(|(day, _)| day.to_string()),
            final_payment_amount: notice.last_payment.map(|(_, amount)| amount.to_text(2)),
            lump_sum,
        }
    }
}
