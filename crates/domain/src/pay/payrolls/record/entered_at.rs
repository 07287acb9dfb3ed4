//! Where what a warning asks for is entered, so that pages can lead there.

use crate::pay::payrolls::record::texts::{self, Text};
use crate::pay::payrolls::record::texts_of_rules as of_rules;
use crate::pay::payrolls::record::warning::Warning;

/// A place at which the employer, the employee or the operator enters something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnteredAt {
    /// the employer, with the hours of the payroll, by day or workweek
    HoursByDay,
    /// the employer, with the other entries of the payroll
    Entries,
    /// the employer, with the company's taxes of a state
    CompanyTaxes,
    /// the employer, with the location at which the employee works
    Location,
    /// with the employee: the home address, questions on withholding, the date of birth
    Employee,
    /// the operator, with the tables
    Tables,
}

/// Warnings of hours without the days or workweeks on which they were worked.
const HOURS_BY_DAY: [&Text; 5] = [
    &texts::OVERTIME_OF_DAYS,
    &texts::OVERTIME_OF_SEVENTH_DAY,
    &texts::HOURS_BESIDE,
    &texts::MINIMUM_WAGE_OF_PERIOD,
    &texts::WORK_DAYS,
];
/// Warnings of other entries of the payroll.
const ENTRIES: [&Text; 12] = [
    &texts::TIME_OFF_NOT_PAID,
    &texts::REIMBURSEMENTS_NOT_PAID,
    &texts::BALANCE_EXCEEDED,
    &texts::NOT_PAID_OUT,
    &texts::PAYOUT_NOT_CONFIRMED,
    &texts::NO_TIPS,
    &texts::HOURS_OF_SALARY,
    &texts::HOURS_BELOW_SALARY,
    &texts::HOURS_OUTSIDE,
    &texts::HOURS_BEYOND_DAYS,
    &texts::HOURS_OF_DAY,
    &texts::SUNDAYS_NOT_KNOWN,
];
/// Warnings of the employee's own data.
const EMPLOYEE: [&Text; 5] = [
    &texts::NO_FORM_W4,
    &texts::NO_STATE_CERTIFICATE,
    &texts::NO_SSN,
    &texts::W4_EXEMPTION_OVER,
    &texts::BELOW_MINIMUM_WAGE,
];
/// Key of warnings of addresses that do not tell all places in which they lie.
const PLACE_NOT_KNOWN: &str = "place_not_known";
/// What such a warning calls a location of the company.
const WORK: &str = "work";

impl Warning {
    /// Where what it asks for is entered; `None` if nothing has to be, or in several places.
    pub fn entered_at(&self) -> Option<EnteredAt> {
        let is_of = |texts: &[&Text]| texts.iter().any(|text| text.is_of(self));
        match self.text.as_str() {
            _ if is_of(&HOURS_BY_DAY) => Some(EnteredAt::HoursByDay),
            _ if is_of(&ENTRIES) => Some(EnteredAt::Entries),
            _ if is_of(&EMPLOYEE) => Some(EnteredAt::Employee),
            _ if self.key == PLACE_NOT_KNOWN => {
                let of_work = self.values.get("what").is_some_and(|what| what.contains(WORK));
                Some(if of_work { EnteredAt::Location } else { EnteredAt::Employee })
            }
            "overtime_below_law" => Some(EnteredAt::HoursByDay),
            "exemption_without_birth_date" | "birth_date_needed" => Some(EnteredAt::Employee),
            of_rules::TAX_LACKS_COMPANY_TAXES => Some(EnteredAt::CompanyTaxes),
            of_rules::TAX_LACKS_HOME | of_rules::TAX_LACKS_CERTIFICATE => Some(EnteredAt::Employee),
            of_rules::TAX_LACKS_LOCATION => Some(EnteredAt::Location),
            of_rules::TAX_LACKS_TABLE => Some(EnteredAt::Tables),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_without_days_are_entered_by_day_and_questions_of_an_address_where_it_is() {
        let of_days = texts::OVERTIME_OF_DAYS.to_warning(&[("section", &"Cal. Labor Code 510")]);
        assert_eq!(of_days.entered_at(), Some(EnteredAt::HoursByDay));
        assert!(of_days.message.contains("the employer enters them by day"), "{}", of_days.message);
        let asked =
            |what: &str| texts::COUNTY_NOT_KNOWN.to_warning(&[("what", &what), ("at", &"Dublin, OH 43017")]);
        assert_eq!(asked("work location").entered_at(), Some(EnteredAt::Location));
        assert_eq!(asked("home").entered_at(), Some(EnteredAt::Employee));
        let of_sums = texts::PAY_RAISED.to_warning(&[]);
        assert_eq!(of_sums.entered_at(), None);
    }
}
