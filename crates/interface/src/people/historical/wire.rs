//! Employees who left before their company moved to the service, on the wire.

use domain::people::historical;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::field::Field;
use crate::people::addresses::wire::input_with_residence;
use crate::values::{
    ClassCodeText, DateText, EmailText, IdText, InitialText, OptionalLineText, PersonName, SsnText,
    VersionText,
};
use crate::{input, objects};

/// A body whose fields are at the root, as clients send them, or under `employee`, as the specification's text says.
pub struct Rooted<T>(pub T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Rooted<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Map::deserialize(deserializer)?;
        if let Some(Value::Object(under)) = fields.get_mut("employee").map(Value::take) {
            fields.extend(under);
        }
        T::deserialize(Value::Object(fields)).map(Self).map_err(D::Error::custom)
    }
}

/// The body of an operation: the common fields, to which an update adds a version.
macro_rules! historical_employee {
    ($(#[$about:meta])* $name:ident $($(#[$version_about:meta])* $version:ident: $version_type:ty)?) => {
        $(#[$about])*
        #[derive(Default, Clone, serde::Deserialize, utoipa::ToSchema)]
        #[serde(default)]
        pub struct $name {
            $($(#[$version_about])* pub $version: Field<$version_type>,)?
            /// first name
            #[schema(required)]
            pub first_name: Field<PersonName>,
            /// one letter
            #[schema(nullable)]
            pub middle_initial: Field<InitialText>,
            /// last name
            #[schema(required)]
            pub last_name: Field<PersonName>,
            /// preferred first name
            #[schema(nullable)]
            pub preferred_first_name: Field<OptionalLineText>,
            /// YYYY-MM-DD
            #[schema(required)]
            pub date_of_birth: Field<DateText>,
            /// nine digits
            #[schema(required)]
            pub ssn: Field<SsnText>,
            /// personal e-mail address
            #[schema(nullable)]
            pub email: Field<EmailText>,
            /// the work address
            #[schema(required)]
            pub work_address: Field<HistoricalWorkplace>,
            /// the home address
            #[schema(required)]
            pub home_address: Field<HistoricalHome>,
            /// the end of the employment
            #[schema(required)]
            pub termination: Field<HistoricalEnd>,
            /// the beginning of the employment
            #[schema(required)]
            pub job: Field<HistoricalStart>,
            /// workers' compensation, in states whose fund requires it
            #[schema(nullable)]
            pub employee_state_taxes: Field<HistoricalWorkersCompensation>,
        }

        store::hidden!($name);

        #[allow(clippy::needless_update, reason = "only an update has a version")]
        impl From<$name> for historical::HistoricalEmployee {
            fn from(body: $name) -> Self {
                Self {
                    $($version: body.$version.into(),)?
                    first_name: body.first_name.into(),
                    middle_initial: body.middle_initial.into(),
                    last_name: body.last_name.into(),
                    preferred_first_name: body.preferred_first_name.into(),
                    date_of_birth: body.date_of_birth.into(),
                    ssn: body.ssn.into(),
                    email: body.email.into(),
                    work_address: body.work_address.into(),
                    home_address: body.home_address.into(),
                    termination: body.termination.into(),
                    job: body.job.into(),
                    employee_state_taxes: body.employee_state_taxes.into(),
                    ..Self::default()
                }
            }
        }
    };
}

historical_employee! {
    /// An employee who left earlier in the year, before the company moved to the service.
    CreateHistoricalEmployee
}

historical_employee! {
    /// The corrected data of an employee who left earlier in the year.
    UpdateHistoricalEmployee
    /// the version as last read
    #[schema(required)]
    version: VersionText
}

input_with_residence! {
    /// The home address.
    HistoricalHome => historical::Home {}
}

input! {
    /// The work address.
    HistoricalWorkplace => historical::Workplace {
        /// a location of the company
        #[schema(required)]
        location_uuid: IdText,
    }

    /// The end of the employment.
    HistoricalEnd => historical::End {
        /// YYYY-MM-DD: the last day of work, in this year and in the past
        #[schema(required)]
        effective_date: DateText,
    }

    /// The beginning of the employment.
    HistoricalStart => historical::Start {
        /// YYYY-MM-DD: the first day of work
        #[schema(required)]
        hire_date: DateText,
    }

    /// Workers' compensation of the job.
    HistoricalWorkersCompensation => historical::WorkersCompensation {
        /// whether the job is covered by the state's workers' compensation
        #[schema(nullable)]
        wc_covered: bool,
        /// risk class of the state's workers' compensation
        #[schema(nullable)]
        wc_class_code: ClassCodeText,
    }
}

objects!(
    HistoricalWorkplace: "an object with location_uuid",
    HistoricalHome: "an object with street_1, city, state and zip",
    HistoricalEnd: "an object with effective_date",
    HistoricalStart: "an object with hire_date",
    HistoricalWorkersCompensation: "an object with wc_covered and wc_class_code",
);
