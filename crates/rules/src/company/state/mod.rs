//! State tax requirements of an employer: account numbers, unemployment tax rate and deposit schedule.
//!
//! Every state has unemployment insurance (26 U.S.C. 3304); a withholding account is required in states that
//! tax wages. State-specific formats of account numbers and ranges of rates are not checked.

mod programs;

use jiff::civil::{Date, date};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::check;
use crate::violation::Violation;
use crate::{Amount, Rounding};

use programs::sets_of_programs;
pub use programs::{
    BORNE, CLASS, CREDIT, CREDIT_LIMIT, EMPLOYER, EMPLOYER_SIZE, OWN_RATE, PRIVATE_PLAN, QUARTERLY_PAYROLL,
    credit_set,
};

/// Format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Account number: letters, digits and dashes, 1 to 30 characters.
    AccountNumber,
    /// Rate as a fraction, from 0 to [`HIGHEST_RATE`].
    TaxRate,
    /// One of a list.
    Select(&'static [&'static str]),
    /// Share: answered as a fraction from 0 to 1, stored in percent.
    Percent,
    /// Whole number.
    Count,
    /// Dollars.
    Currency,
    /// Dollars per hour of work.
    PerHour,
}

impl Format {
    /// Returns the wire name. Clients know eight names and reject a list with any other, so whole numbers are `text`. So are dollars
    /// per hour, because `currency` is displayed with two decimals and notices have four.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AccountNumber => "account_number",
            Self::TaxRate => "tax_rate",
            Self::Select(_) => "select",
            Self::Percent => "percent",
            Self::Count | Self::PerHour => "text",
            Self::Currency => "currency",
        }
    }

    /// Returns the highest fraction, for formats that are answered as a fraction.
    pub fn highest_fraction(self) -> Option<Amount> {
        match self {
            Self::TaxRate => Some(HIGHEST_RATE),
            Self::Percent => Some(WHOLE),
            _ => None,
        }
    }

    /// Returns a stored answer as it was given.
    pub fn answer_as_entered(self, kept: &str) -> String {
        let fraction = || Amount::parse(kept).ok()?.mul_ratio(1, 100, Rounding::HalfUp);
        match self {
            Self::Percent => fraction().map_or_else(|| kept.to_owned(), |fraction| fraction.to_text(1)),
            _ => kept.to_owned(),
        }
    }
}

/// Upper bound of unemployment tax rates; no state reaches 20 %.
pub const HIGHEST_RATE: Amount = Amount::from_millionths(200_000);
/// The whole, as a fraction.
const WHOLE: Amount = Amount::from_cents(100);
/// Maximum length of an account number, in characters.
const ACCOUNT_NUMBER: usize = 30;
/// Maximum number of employees.
const MOST_EMPLOYEES: u32 = 10_000_000;
/// Maximum payroll of a quarter.
const MOST_PAYROLL: Amount = Amount::from_cents(10_000_000_000_000);
/// Maximum amount of a program per hour of work.
const MOST_AN_HOUR: Amount = Amount::from_cents(10_000);
/// Deposit schedules of withheld tax.
const SCHEDULES: &[&str] = &["Next day", "Semi-weekly", "Monthly", "Quarterly", "Annually"];

/// A state requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requirement {
    /// Key.
    pub key: &'static str,
    /// Label.
    pub label: &'static str,
    /// Description.
    pub description: &'static str,
    /// Format of the answer.
    pub format: Format,
    /// Whether the setup is complete without an answer.
    pub optional: bool,
}

/// A set of requirements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequirementSet {
    /// Key.
    pub key: &'static str,
    /// Label.
    pub label: &'static str,
    /// Whether answers are effective-dated.
    pub dated: bool,
    /// Requirements.
    pub requirements: Vec<Requirement>,
}

impl RequirementSet {
    /// Returns the requirements without which the setup is not complete.
    pub fn required_requirements(&self) -> impl Iterator<Item = &Requirement> {
        self.requirements.iter().filter(|asked| !asked.optional)
    }
}

const WITHHOLDING: Requirement = Requirement {
    key: "withholding_account_number",
    label: "Withholding Account Number",
    description: "The number under which the company is registered for withholding the state's income tax.",
    format: Format::AccountNumber,
    optional: false,
};
const UNEMPLOYMENT: Requirement = Requirement {
    key: "unemployment_account_number",
    label: "Unemployment Insurance Account Number",
    description: "The number under which the company is registered for the state's unemployment insurance.",
    format: Format::AccountNumber,
    optional: false,
};
const RATE: Requirement = Requirement {
    key: "unemployment_rate",
    label: "Unemployment Insurance Rate",
    description: "The company's contribution rate, from the state's notice.",
    format: Format::TaxRate,
    optional: false,
};

/// Returns the unemployment rate requirement, labeled as on the state's notice.
fn rate_of(state: &str) -> Requirement {
    let label = if state == "ID" { "UI Contribution Rate" } else { RATE.label };
    Requirement { label, ..RATE }
}

/// Rates that a state's notice lists in addition to the rate for benefits, and that are paid with it. Idaho's are parts of one
/// figure on its notice (Idaho Code 72-1347A, 72-1347B); Washington's is for administration (RCW 50.24.014).
const RATES_BESIDE: [(&str, Requirement); 3] = [
    ("ID", rate_beside("workforce_development_rate", "Workforce Development Rate")),
    ("ID", rate_beside("administrative_reserve_rate", "Administrative Reserve Rate")),
    ("WA", rate_beside("employment_administration_rate", "EAF Tax Rate")),
];

const fn rate_beside(key: &'static str, label: &'static str) -> Requirement {
    Requirement {
        key,
        label,
        description: "From the state's notice, if the rate above leaves it out: it is added to that one.",
        format: Format::TaxRate,
        optional: true,
    }
}

/// Returns the keys of the rates that are added to `unemployment_rate` in a state.
pub fn rates_beside(state: &str) -> impl Iterator<Item = &'static str> {
    RATES_BESIDE.iter().filter(move |(of, _)| *of == state).map(|(_, asked)| asked.key)
}

const SCHEDULE: Requirement = Requirement {
    key: "withholding_deposit_schedule",
    label: "Deposit Schedule",
    description: "How often the state has told the company to hand over the income tax that it withheld.",
    format: Format::Select(SCHEDULES),
    optional: false,
};

/// Returns the requirements of a state; `wage_tax` says whether it taxes wages.
pub fn requirement_sets(state: &str, wage_tax: bool) -> Vec<RequirementSet> {
    let set = |key, label, dated, requirements| RequirementSet { key, label, dated, requirements };
    let numbers = if wage_tax { vec![WITHHOLDING, UNEMPLOYMENT] } else { vec![UNEMPLOYMENT] };
    let beside = RATES_BESIDE.iter().filter(|(of, _)| *of == state).map(|(_, asked)| *asked);
    let rates = [rate_of(state)].into_iter().chain(beside).collect();
    let mut sets = vec![
        set("registrations", "Registrations", false, numbers),
        set("taxrates", "Tax rates", true, rates),
    ];
    if wage_tax {
        sets.push(set("depositschedules", "Deposit schedules", false, vec![SCHEDULE]));
    }
    sets.extend(sets_of_programs(state));
    sets
}

/// Normalizes an answer. The message of the violation describes the format.
pub fn normalize_answer(requirement: &Requirement, key: &str, value: &str) -> Result<String, Violation> {
    match requirement.format {
        Format::Select(words) => check::one_of(key, value, words).map(str::to_owned),
        Format::AccountNumber => {
            let number = check::validate_text(key, value, ACCOUNT_NUMBER)?;
            let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
            if number.chars().all(fits) && number.chars().any(|c| c.is_ascii_alphanumeric()) {
                return Ok(number);
            }
            Err(Violation::invalid(key, format!("{key} may hold only letters, digits and dashes")))
        }
        Format::Count => parse_count(key, value),
        Format::Percent => parse_share(key, value),
        Format::Currency => parse_figure(key, value, MOST_PAYROLL),
        Format::PerHour => parse_figure(key, value, MOST_AN_HOUR),
        Format::TaxRate => match Amount::parse(value) {
            Ok(rate) if (Amount::from_millionths(0)..=HIGHEST_RATE).contains(&rate) => Ok(rate.to_text(1)),
            _ => {
                let highest = HIGHEST_RATE.to_text(1);
                Err(Violation::invalid(
                    key,
                    format!("{key} must be a fraction from 0 to {highest}: 0.027 is 2.7 percent"),
                ))
            }
        },
    }
}

fn parse_count(key: &str, value: &str) -> Result<String, Violation> {
    let number = value.trim().parse::<u32>().ok().filter(|number| *number <= MOST_EMPLOYEES);
    let wrong =
        || Violation::invalid(key, format!("{key} must be a whole number from 0 to {MOST_EMPLOYEES}"));
    number.map(|number| number.to_string()).ok_or_else(wrong)
}

fn parse_share(key: &str, value: &str) -> Result<String, Violation> {
    let fraction =
        Amount::parse(value.trim()).ok().filter(|fraction| (Amount::ZERO..=WHOLE).contains(fraction));
    let percent = fraction.and_then(|fraction| fraction.mul_ratio(100, 1, Rounding::Down));
    let wrong =
        || Violation::invalid(key, format!("{key} must be a fraction from 0 to 1: 0.5 is 50 percent"));
    percent.map(|percent| percent.to_text(2)).ok_or_else(wrong)
}

fn parse_figure(key: &str, value: &str, most: Amount) -> Result<String, Violation> {
    let figure = Amount::parse(value.trim()).ok().filter(|figure| (Amount::ZERO..=most).contains(figure));
    let wrong = || Violation::invalid(key, format!("{key} must be a number from 0 to {}", most.to_text(0)));
    figure.map(|figure| figure.to_text(2)).ok_or_else(wrong)
}

/// Validates the effective date of answers: the first day of a quarter, when states change rates, from the beginning
/// of the year before last to the end of next year.
pub fn effective_from(key: &str, day: Date, today: Date) -> Result<Date, Violation> {
    let starts = day.day() == 1 && matches!(day.month(), 1 | 4 | 7 | 10);
    let years = today.year() - 2..=today.year() + 1;
    if starts && years.contains(&day.year()) {
        return Ok(day);
    }
    let (first, last) = (years.start(), years.end());
    Err(Violation::invalid(key, format!("{key} must be the first day of a quarter from {first} to {last}")))
}

/// Returns the default effective date of answers: the beginning of the year.
pub fn beginning_of_year(today: Date) -> Date {
    date(today.year(), 1, 1)
}

/// Progress on the requirements of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum SetupStatus {
    /// Nothing answered.
    #[strum(serialize = "not_started")]
    NotStarted,
    /// Partially answered.
    #[strum(serialize = "in_progress")]
    InProgress,
    /// Fully answered.
    #[strum(serialize = "complete")]
    Complete,
}

impl SetupStatus {
    /// Returns the status for `answered` of `asked` requirements.
    pub fn from_counts(asked: usize, answered: usize) -> Self {
        match answered {
            _ if answered >= asked => Self::Complete,
            0 => Self::NotStarted,
            _ => Self::InProgress,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::programs::SHARE;
    use super::*;
    use crate::taxes::TaxTable;
    use proptest::prelude::*;

    #[test]
    fn a_state_without_a_tax_on_wages_asks_about_unemployment_alone() {
        let keys = |wage_tax| -> Vec<_> {
            let sets = requirement_sets("TX", wage_tax);
            sets.iter().flat_map(|set| &set.requirements).map(|asked| asked.key).collect()
        };
        assert_eq!(keys(false), ["unemployment_account_number", "unemployment_rate"]);
        assert_eq!(
            keys(true),
            [
                "withholding_account_number",
                "unemployment_account_number",
                "unemployment_rate",
                "withholding_deposit_schedule"
            ]
        );
    }

    #[test]
    fn no_two_sets_of_a_state_bear_the_same_label() {
        for (state, _) in crate::check::STATES {
            let sets = requirement_sets(state, true);
            let labels: std::collections::BTreeSet<_> = sets.iter().map(|set| set.label).collect();
            assert_eq!(labels.len(), sets.len(), "{state}: {labels:?}");
        }
        let colorado = requirement_sets("CO", true);
        let of = |key| colorado.iter().find(|set| set.key == key).map(|set| set.label);
        assert_eq!(of("CO_FAMLI"), Some("CO FAMLI"));
        assert_eq!(of("CO_FAMLI_ER"), Some("CO FAMLI, employer's part"));
    }

    #[test]
    fn a_state_whose_notice_names_several_rates_asks_for_each_and_requires_the_first() {
        let rates = |state: &str| {
            let sets = requirement_sets(state, true);
            let set = sets.iter().find(|set| set.key == "taxrates").unwrap();
            let required: Vec<_> = set.required_requirements().map(|asked| asked.key).collect();
            assert_eq!(required, ["unemployment_rate"]);
            set.requirements.iter().map(|asked| asked.key).collect::<Vec<_>>()
        };
        assert_eq!(
            rates("ID"),
            ["unemployment_rate", "workforce_development_rate", "administrative_reserve_rate"]
        );
        assert_eq!(rates("WA"), ["unemployment_rate", "employment_administration_rate"]);
        assert_eq!(rates("TX"), ["unemployment_rate"]);
        assert!(rates_beside("ID").eq(["workforce_development_rate", "administrative_reserve_rate"]));
    }

    #[test]
    fn an_answer_fits_what_was_asked() {
        assert_eq!(normalize_answer(&UNEMPLOYMENT, "value", " 12-345678-9 ").as_deref(), Ok("12-345678-9"));
        assert_eq!(normalize_answer(&RATE, "value", "0.0270").as_deref(), Ok("0.027"));
        assert_eq!(normalize_answer(&RATE, "value", "0").as_deref(), Ok("0.0"));
        assert_eq!(normalize_answer(&SCHEDULE, "value", "Monthly").as_deref(), Ok("Monthly"));
        for (asked, wrong) in [
            (&UNEMPLOYMENT, ""),
            (&UNEMPLOYMENT, "--"),
            (&UNEMPLOYMENT, "12 34"),
            (&UNEMPLOYMENT, "1234567890123456789012345678901"),
            (&RATE, "2.7"),
            (&RATE, "0.200001"),
            (&RATE, "-0.01"),
            (&RATE, "2.7%"),
            (&SCHEDULE, "monthly"),
        ] {
            assert!(normalize_answer(asked, "value", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_share_is_answered_as_a_fraction_and_kept_in_percent() {
        for (given, kept, told) in
            [("0.5", "50.00", "0.5"), ("1", "100.00", "1.0"), ("0.001234", "0.1234", "0.001234")]
        {
            assert_eq!(normalize_answer(&SHARE, "value", given).as_deref(), Ok(kept));
            assert_eq!(SHARE.format.answer_as_entered(kept), told);
        }
        for wrong in ["50", "1.01", "-0.1", "50%", "half"] {
            assert!(normalize_answer(&SHARE, "value", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_requirement_of_every_state_is_of_a_type_that_clients_know() {
        let known = ["text", "currency", "select", "percent", "account_number", "tax_rate"];
        for (state, _) in check::STATES {
            for asked in requirement_sets(state, true).iter().flat_map(|set| &set.requirements) {
                assert!(known.contains(&asked.format.as_str()), "{state} {}", asked.key);
            }
        }
    }

    #[test]
    fn each_city_whose_tax_rests_on_payroll_asks_for_the_payroll_there() {
        let asks = |state: &str| {
            let sets = requirement_sets(state, true);
            let by_payroll =
                |set: &&RequirementSet| set.requirements.iter().any(|asked| asked.key == QUARTERLY_PAYROLL);
            sets.iter().filter(by_payroll).map(|set| set.key).collect::<Vec<_>>()
        };
        assert_eq!(asks("NJ"), ["NJ_JERSEY_CITY", "NJ_NEWARK"]);
        assert_eq!(asks("WA"), ["WA_SEATTLE"]);
        assert_eq!(asks("NY"), [EMPLOYER], "of the districts together");
        assert_eq!(asks("NV"), [EMPLOYER]);
        assert_eq!(asks("TX"), [""; 0]);
    }

    #[test]
    fn an_ohio_city_asks_for_its_credit_and_nothing_else_has_one() {
        let parma = credit_set("OH-61000").unwrap();
        assert_eq!((parma.key, parma.label), ("OH_61000", "Parma city tax"));
        let keys: Vec<_> = parma.requirements.iter().map(|asked| asked.key).collect();
        assert_eq!(keys, [CREDIT, CREDIT_LIMIT]);
        assert_eq!(
            parma.required_requirements().count(),
            0,
            "nobody has to withhold for a city of residence"
        );
        assert_eq!((credit_set("OH-SD-2301"), credit_set("KY-SHIVELY"), credit_set("")), (None, None, None));
    }

    #[test]
    fn a_program_by_hours_asks_for_dollars_an_hour_and_one_by_wages_for_percent() {
        let rate = |state: &str, program: &str| {
            let sets = requirement_sets(state, true);
            let set = sets.iter().find(|set| set.key == program).unwrap();
            set.requirements.iter().find(|asked| asked.key == OWN_RATE).unwrap().format
        };
        assert_eq!(rate("WA", "WA_LNI_EE"), Format::PerHour);
        assert_eq!(rate("OR", "OR_WBF_ER"), Format::PerHour);
        assert_eq!(rate("VT", "VT_HCC"), Format::PerHour);
        assert_eq!(rate("HI", "HI_TDI_ER"), Format::Percent);
        // The employee's part of the plan's cost, up to the legal ceiling.
        assert_eq!(rate("HI", "HI_TDI"), Format::Percent);
        assert_eq!(rate("NJ", "NJ_TDI_ER"), Format::Percent);
    }

    #[test]
    fn a_program_that_tells_employers_apart_asks_for_their_class() {
        let sets = requirement_sets("MA", true);
        let set = sets.iter().find(|set| set.key == "MA_EMAC").unwrap();
        let asked = set.requirements.iter().find(|asked| asked.key == CLASS).unwrap();
        assert_eq!(asked.format, Format::Select(&["years_1_to_3", "year_4", "year_5", "year_6_on"]));
        assert!(
            normalize_answer(asked, "value", "year_5").is_ok()
                && normalize_answer(asked, "value", "year_7").is_err()
        );
        assert!(asked.optional);
        // Every class that a paycheck may require can be answered.
        for tax in TaxTable::insurance().iter().filter(|tax| !tax.class.is_empty()) {
            let sets = requirement_sets(&tax.jurisdiction.state, true);
            let set = sets.iter().find(|set| set.key == tax.code).unwrap();
            let asked = set.requirements.iter().find(|asked| asked.key == CLASS).unwrap();
            assert!(normalize_answer(asked, "value", &tax.class).is_ok(), "{} {}", tax.code, tax.class);
        }
    }

    #[test]
    fn rates_change_with_a_quarter() {
        let today = date(2026, 6, 15);
        for fine in [date(2026, 1, 1), date(2026, 7, 1), date(2027, 10, 1), date(2024, 4, 1)] {
            assert_eq!(effective_from("effective_from", fine, today), Ok(fine));
        }
        for wrong in [date(2026, 1, 2), date(2026, 2, 1), date(2028, 1, 1), date(2023, 10, 1)] {
            assert!(effective_from("effective_from", wrong, today).is_err(), "{wrong}");
        }
        assert_eq!(beginning_of_year(today), date(2026, 1, 1));
    }

    proptest! {
        #[test]
        fn an_answer_that_was_kept_is_an_answer_again(value in "[A-Za-z0-9 .-]{0,32}") {
            for asked in [&UNEMPLOYMENT, &RATE, &SHARE] {
                if let Ok(kept) = normalize_answer(asked, "value", &value) {
                    prop_assert_eq!(normalize_answer(asked, "value", &asked.format.answer_as_entered(&kept)), Ok(kept.clone()));
                }
            }
        }

        #[test]
        fn a_setup_is_complete_exactly_when_everything_is_answered(asked in 1_usize..9, answered in 0_usize..9) {
            let answered = answered.min(asked);
            prop_assert_eq!(SetupStatus::from_counts(asked, answered) == SetupStatus::Complete, asked == answered);
            prop_assert_eq!(SetupStatus::from_counts(asked, answered) == SetupStatus::NotStarted, answered == 0);
        }
    }
}
