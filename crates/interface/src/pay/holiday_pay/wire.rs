//! Holiday pay on the wire.

use domain::access::tokens::Caller;
use domain::pay::holiday_pay::service;
use domain::people::employees::named::NamedEmployee;
use jiff::civil::Date;
use rules::Named;
use rules::holiday_pay;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, List};
use crate::values::{IdText, VersionText};
use crate::{input, objects};

/// A company's holiday pay policy.
#[derive(Debug, Serialize, ToSchema)]
pub struct HolidayPayPolicy {
    /// concurrency token, to be sent with an update
    pub version: String,
    /// the company
    pub company_uuid: Uuid,
    /// every federal holiday, and whether it is paid
    pub federal_holidays: FederalHolidays,
    /// the employees in the policy
    pub employees: Vec<HolidayPayEmployee>,
}

/// A federal holiday.
#[derive(Debug, Serialize, ToSchema)]
pub struct FederalHoliday {
    /// whether it is paid
    pub selected: bool,
    /// its name
    pub name: &'static str,
    /// YYYY-MM-DD: the next date on which it would be paid
    pub date: String,
}

/// An employee in the policy.
#[derive(Debug, Serialize, ToSchema)]
pub struct HolidayPayEmployee {
    /// the employee
    pub uuid: Uuid,
}

/// A date on which a holiday is paid.
#[derive(Debug, Serialize, ToSchema)]
pub struct PaidHoliday {
    /// the holiday, as named in the policy
    pub holiday_key: &'static str,
    /// its name
    pub holiday_name: &'static str,
    /// YYYY-MM-DD
    pub start_date: String,
    /// YYYY-MM-DD: the same date
    pub end_date: String,
}

impl PaidHoliday {
    /// The answer for a holiday and its day.
    pub fn new((holiday, day): (holiday_pay::Holiday, Date)) -> Self {
        Self {
            holiday_key: holiday.as_str(),
            holiday_name: holiday.title(),
            start_date: day.to_string(),
            end_date: day.to_string(),
        }
    }
}

/// Declares the holidays, for responses and for requests.
macro_rules! holidays {
    ($($key:ident: $holiday:ident,)+) => {
        /// Every federal holiday, and whether it is paid.
        #[derive(Debug, Serialize, ToSchema)]
        #[expect(missing_docs, reason = "the holidays of rules::holiday_pay, under their keys")]
        pub struct FederalHolidays {
            $(pub $key: FederalHoliday,)+
        }

        impl HolidayPayPolicy {
            /// The answer for a policy.
            pub fn new(caller: &Caller, details: service::PolicyDetails) -> Self {
                let one = |holiday: holiday_pay::Holiday| FederalHoliday {
                    selected: details.holidays.contains(&holiday),
                    name: holiday.title(),
                    date: holiday.next_from(details.today).to_string(),
                };
                Self {
                    federal_holidays: FederalHolidays { $($key: one(holiday_pay::Holiday::$holiday),)+ },
                    version: details.version,
                    company_uuid: caller.company,
                    employees: details.employees.into_iter().map(|uuid| HolidayPayEmployee { uuid }).collect(),
                }
            }
        }

        input! {
            /// Which holidays are paid.
            FederalHolidayChoices => service::HolidayChoices {
                $(
                    /// whether it is paid
                    $key: FederalHolidayChoice,
                )+
            }
        }
    };
}

holidays! {
    new_years_day: NewYearsDay,
    mlk_day: MlkDay,
    presidents_day: PresidentsDay,
    memorial_day: MemorialDay,
    juneteenth: Juneteenth,
    independence_day: IndependenceDay,
    labor_day: LaborDay,
    columbus_day: ColumbusDay,
    veterans_day: VeteransDay,
    thanksgiving: Thanksgiving,
    christmas_day: ChristmasDay,
}

input! {
    /// Whether a holiday is paid.
    FederalHolidayChoice => service::HolidayChoice {
        /// whether it is paid
        selected: bool,
    }

    /// A new holiday pay policy.
    CreateHolidayPayPolicy => service::CreatePolicy {
        /// the paid holidays; omitted ones are not paid
        federal_holidays: FederalHolidayChoices,
    }

    /// The holidays to change.
    UpdateHolidayPayPolicy => service::UpdatePolicy {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// omitted ones are unchanged
        federal_holidays: FederalHolidayChoices,
    }

    /// An employee of a holiday pay policy.
    HolidayPayEmployeeInput => NamedEmployee {
        /// the employee
        #[schema(required)]
        uuid: IdText,
    }

    /// The employees to add or remove.
    ChangeHolidayPayEmployees => service::ChangeEmployees {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// at most 1,000
        #[schema(required)]
        employees: List<HolidayPayEmployeeInput>,
    }
}

objects!(
    FederalHolidayChoice: "an object with selected",
    FederalHolidayChoices: "an object with the keys of holidays",
    HolidayPayEmployeeInput: "an object with uuid",
);
