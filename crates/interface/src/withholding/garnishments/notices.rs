//! Notices to child support agencies, on the wire.

use domain::withholding::garnishments::lump_sums::LumpSum;
use domain::withholding::notices;
use domain::withholding::notices::About;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::values::Separation;

/// A notice that is due to a child support agency: an employee with an order has left, or is to receive a lump sum.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChildSupportTerminationNotice {
    /// `termination`: the employee has left; `lump_sum`: the agency must be notified of a payment before it is made
    pub kind: &'static str,
    /// the employee
    pub employee_uuid: Uuid,
    /// first and last name
    pub employee_name: String,
    /// the order
    pub garnishment_uuid: Uuid,
    /// whether the order is active; an inactive order is listed, too, unless its `ends_on` says that the agency ended it by the last
    /// day of work
    pub order_active: bool,
    /// the agency's state
    pub state: String,
    /// the agency; null if unknown
    pub agency: Option<String>,
    /// the agency's code
    pub fips_code: String,
    /// case number
    pub case_number: Option<String>,
    /// order number
    pub order_number: Option<String>,
    /// remittance identifier of the order
    pub remittance_number: Option<String>,
    /// last day of work, YYYY-MM-DD; null for a lump sum
    #[schema(format = Date)]
    pub termination_date: Option<String>,
    /// the current employer; null if unknown
    pub new_employer: Option<String>,
    /// how the employment ended, such as `death`; null for a lump sum, or if unknown
    pub separation: Option<Separation>,
    /// ten digits, if on file
    pub last_known_phone: Option<String>,
    /// last known home address in one line, if on file
    pub last_known_address: Option<String>,
    /// check date of the last payment; null if nothing was withheld
    #[schema(format = Date)]
    pub final_payment_date: Option<String>,
    /// dollars of the last payment
    pub final_payment_amount: Option<String>,
    /// the payment about which the agency is notified; null for a termination
    pub lump_sum: Option<LumpSumPayment>,
}

/// A payment about which an agency is notified in advance.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LumpSumPayment {
    /// the payroll that pays it
    pub payroll_uuid: Uuid,
    /// dollars
    pub amount: String,
    /// the check date, YYYY-MM-DD
    #[schema(format = Date)]
    pub payment_date: String,
    /// days within which the agency must respond, and for which the payment waits
    pub days_to_answer: i64,
    /// the statute that requires the notice
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
