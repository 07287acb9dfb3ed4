//! The types of events that a subscription can ask for, and the status of a subscription.

use crate::events::{COMPANY_PROVISIONED, EventType};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The names of subscription types. The order is fixed: the position is the bit of the type in the store.
pub const NAMES: [&str; 20] = [
    "BankAccount",
    "Company",
    "CompanyBenefit",
    "Contractor",
    "ContractorPayment",
    "Employee",
    "EmployeeBenefit",
    "EmployeeJobCompensation",
    "ExternalPayroll",
    "Form",
    "Location",
    "Notification",
    "Payroll",
    "PayrollSync",
    "PaySchedule",
    "Signatory",
    "PeopleBatch",
    "TimeOffRequest",
    "TimeSheetsBatch",
    "ContractorPaymentGroup",
];

/// A set of subscription types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Types(pub i64);

impl Types {
    /// Adds the type with this exact name; returns whether it exists.
    pub fn add_type(&mut self, name: &str) -> bool {
        let bit = NAMES.iter().position(|known| *known == name);
        self.0 |= bit.map_or(0, |bit| 1 << bit);
        bit.is_some()
    }

    /// The names of the set.
    pub fn names(self) -> Vec<&'static str> {
        NAMES.iter().enumerate().filter(|(bit, _)| self.0 & (1 << bit) != 0).map(|(_, name)| *name).collect()
    }

    /// Whether a subscription to these types gets an event. Every subscription gets the events of connections to
    /// companies (specification, Events). Addresses and garnishments have no type of their own: they come with `Employee`; administrators and
    /// holidays come with `Company`, payments of liabilities with `Payroll`.
    pub fn hear_of(self, event_type: &str, entity_type: &str) -> bool {
        const ALWAYS: EventType = COMPANY_PROVISIONED;
        let names: &[&str] = match entity_type {
            "HomeAddress" | "WorkAddress" | "Garnishment" => &["Employee"],
            "CompanyAdmin" | "HolidayPayPolicy" => &["Company"],
            "LiabilityPayment" => &["Payroll"],
            // The type of groups is an extension: they come with the payments, too.
            "ContractorPaymentGroup" => &["ContractorPaymentGroup", "ContractorPayment"],
            other => &[other],
        };
        let mut asked = Self::default();
        for name in names {
            asked.add_type(name);
        }
        event_type == ALWAYS.name || self.0 & asked.0 != 0
    }
}

/// The status names that partners see: a paused subscription is shown as unreachable.
pub const STATUSES: [&str; 4] = ["pending", "verified", "removed", "unreachable"];

/// The status of a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum SubscriptionStatus {
    /// the token was posted to its URL and has not been returned yet; nothing else is sent
    #[strum(serialize = "pending")]
    Pending,
    /// events are delivered
    #[strum(serialize = "verified")]
    Verified,
    /// deleted; kept for the record of its deliveries, but cannot be found
    #[strum(serialize = "removed")]
    Removed,
    /// deliveries failed for three days; verifying again reactivates it
    #[strum(serialize = "unreachable")]
    Unreachable,
    /// the operator has paused its deliveries
    #[strum(serialize = "paused")]
    Paused,
}

impl SubscriptionStatus {
    /// As partners see it: one of [`STATUSES`].
    pub fn public_name(self) -> &'static str {
        match self {
            Self::Pending => STATUSES[0],
            Self::Verified => STATUSES[1],
            Self::Removed => STATUSES[2],
            Self::Unreachable | Self::Paused => STATUSES[3],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::ALL_TYPES;

    fn types(names: &[&str]) -> Types {
        let mut types = Types::default();
        assert!(names.iter().all(|name| types.add_type(name)));
        types
    }

    #[test]
    fn sets_of_types_round_trip_and_unknown_types_are_refused() {
        assert_eq!(types(&["Payroll", "Company"]).names(), ["Company", "Payroll"]);
        assert_eq!(types(&NAMES).names(), NAMES);
        assert!(!Types::default().add_type("payroll") && !Types::default().add_type(""));
    }

    #[test]
    fn every_event_that_the_service_emits_can_be_subscribed_to() {
        for event in ALL_TYPES {
            assert!(types(&NAMES).hear_of(event.name, event.entity), "{}", event.name);
        }
    }

    #[test]
    fn a_subscription_gets_its_own_types_and_new_connections() {
        let employees = types(&["Employee"]);
        assert!(employees.hear_of("employee.created", "Employee"));
        assert!(employees.hear_of("employee.home_address.updated", "HomeAddress"));
        assert!(employees.hear_of("company.provisioned", "Company"));
        assert!(!employees.hear_of("company.updated", "Company"));
        assert!(!employees.hear_of("employee.form.signed", "Form"));
    }
}
