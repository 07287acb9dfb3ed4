//! Pay terms: rate, payment unit and FLSA status.
//!
//! [`check_terms`] validates combinations, [`annualized_pay`] makes terms comparable, and [`current`] returns the
//! compensation of a job in effect today. Minimum wages depend on the place and the payroll and are not
//! checked here.
//!
//! Where the specification is silent:
//! - A job whose only compensation is the initial one (rate 0.00) has no terms yet; callers do not [`check_terms`]
//!   it.
//! - A field is reported once, for the strictest rule it violates: an Exempt yearly rate of 0.50 is below the
//!   salary level; that it is also below 1.00 is not reported.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::Named;
use crate::amount::{Amount, MAX_AMOUNT, MAX_RATE, Rounding};
use crate::full_time::{HOURS_PER_YEAR, WEEKS_PER_YEAR};
use crate::named::serde_by_name;
use crate::salary_level::{SalaryLevel, SalaryLevels, WorkPlace};
use crate::violation::Violation;

pub use crate::effective::active_record as current;

/// Unit of a rate of pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum PaymentUnit {
    /// Dollars per hour worked.
    #[strum(serialize = "Hour")]
    Hour,
    /// Dollars per week.
    #[strum(serialize = "Week")]
    Week,
    /// Dollars per month.
    #[strum(serialize = "Month")]
    Month,
    /// Dollars per year.
    #[strum(serialize = "Year")]
    Year,
    /// Dollars per paycheck, regardless of the pay period; for owners.
    #[strum(serialize = "Paycheck")]
    Paycheck,
}

/// Status under the Fair Labor Standards Act (FLSA).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum FlsaStatus {
    /// Salaried, exempt from overtime (29 CFR part 541).
    #[strum(serialize = "Exempt")]
    Exempt,
    /// Salaried, eligible for overtime.
    #[strum(serialize = "Salaried Nonexempt")]
    SalariedNonexempt,
    /// Paid by the hour, eligible for overtime.
    #[strum(serialize = "Nonexempt")]
    Nonexempt,
    /// Owns the company.
    #[strum(serialize = "Owner")]
    Owner,
    /// Commission only, exempt from overtime.
    #[strum(serialize = "Commission Only Exempt")]
    CommissionOnlyExempt,
    /// Commission only, eligible for overtime.
    #[strum(serialize = "Commission Only Nonexempt")]
    CommissionOnlyNonexempt,
}

serde_by_name!(PaymentUnit, FlsaStatus);

/// Rate, unit and FLSA status of a compensation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayTerms {
    /// Dollars per `unit`.
    pub rate: Amount,
    /// Unit of the rate.
    pub unit: PaymentUnit,
    /// FLSA status.
    pub flsa: FlsaStatus,
}

impl PayTerms {
    /// Whether the rate is paid per period of time regardless of hours; commission alone is not a salary.
    pub fn is_salary(&self) -> bool {
        self.unit != PaymentUnit::Hour && self.rate != Amount::ZERO
    }

    /// Whether it is a salary that counts as full-time hours if no hours are entered; an owner's draw does not.
    pub fn stands_for_hours(&self) -> bool {
        self.is_salary() && self.flsa != FlsaStatus::Owner
    }
}

/// Minimum rate unless commission-only: 1.00. Catches typing errors; not a wage law.
pub const LEAST_RATE: Amount = Amount::from_cents(100);

impl PaymentUnit {
    /// Returns how often the unit is paid in a year: 2,080 hours (40 a week), 52 weeks, 12 months, or the pay
    /// periods of the schedule.
    fn per_year(self, pay_periods: Option<i64>) -> Option<i64> {
        match self {
            Self::Hour => Some(HOURS_PER_YEAR),
            Self::Week => Some(WEEKS_PER_YEAR),
            Self::Month => Some(12),
            Self::Year => Some(1),
            Self::Paycheck => pay_periods,
        }
    }

    /// Returns the largest rate an input may have for this unit.
    fn largest_rate(self) -> Amount {
        match self {
            Self::Hour => MAX_RATE,
            Self::Week | Self::Month | Self::Year | Self::Paycheck => MAX_AMOUNT,
        }
    }
}

impl FlsaStatus {
    /// Whether overtime is due (29 USC 207, 213).
    pub fn earns_overtime(self) -> bool {
        matches!(self, Self::Nonexempt | Self::SalariedNonexempt | Self::CommissionOnlyNonexempt)
    }

    /// Whether the employee is paid by commission only.
    pub fn is_commission_only(self) -> bool {
        matches!(self, Self::CommissionOnlyExempt | Self::CommissionOnlyNonexempt)
    }
}

/// Returns all violations by the law of a day:
/// - Owner requires Paycheck, and Paycheck requires Owner;
/// - commission-only requires Year and a rate of zero;
/// - Exempt requires at least the [salary level](crate::salary_level) of that day at the place of work, except for hourly rates;
/// - otherwise the rate is at least [`LEAST_RATE`] and at most the maximum of an input.
pub fn check_terms(
    terms: &PayTerms,
    levels: &SalaryLevels,
    place: WorkPlace<'_>,
    day: Date,
) -> Vec<Violation> {
    let level = levels.level_on(place, day);
    [unit_violation(terms), rate_violation(terms, level)].into_iter().flatten().collect()
}

fn unit_violation(terms: &PayTerms) -> Option<Violation> {
    let right = match terms.flsa {
        FlsaStatus::Owner if terms.unit != PaymentUnit::Paycheck => "Paycheck",
        status if status.is_commission_only() && terms.unit != PaymentUnit::Year => "Year",
        FlsaStatus::Exempt | FlsaStatus::SalariedNonexempt | FlsaStatus::Nonexempt
            if terms.unit == PaymentUnit::Paycheck =>
        {
            "one of: Hour, Week, Month, Year (Paycheck is for Owner only)"
        }
        _ => return None,
    };
    let status = terms.flsa.as_str();
    Some(Violation::invalid(
        "payment_unit",
        format!("payment_unit with flsa_status {status} must be {right}"),
    ))
}

fn rate_violation(terms: &PayTerms, level: Option<&SalaryLevel>) -> Option<Violation> {
    let status = terms.flsa.as_str();
    let unit = terms.unit.as_str();
    let largest = terms.unit.largest_rate();
    let message = if terms.flsa.is_commission_only() {
        (terms.rate != Amount::ZERO).then(|| format!("rate with flsa_status {status} must be 0.00"))
    } else if terms.rate > largest {
        Some(format!("rate with payment_unit {unit} must not be more than {largest}"))
    } else if let Some((level, yearly)) = salary_level_missed(terms, level) {
        Some(format!(
            "rate with flsa_status {status} must come to at least {yearly} a year: {} a week since {} ({})",
            level.weekly,
            level.from,
            level.law()
        ))
    } else {
        (terms.rate < LEAST_RATE)
            .then(|| format!("rate with flsa_status {status} must be at least {LEAST_RATE}"))
    };
    message.map(|message| Violation::invalid("rate", message))
}

/// Returns the salary level that an Exempt salary falls short of, and its yearly amount. Hourly rates are not checked because yearly
/// pay depends on hours; a rate per paycheck is already rejected for its unit.
fn salary_level_missed<'l>(
    terms: &PayTerms,
    level: Option<&'l SalaryLevel>,
) -> Option<(&'l SalaryLevel, Amount)> {
    if terms.flsa != FlsaStatus::Exempt || terms.unit == PaymentUnit::Hour {
        return None;
    }
    let level = level?;
    let least = level.dollars_per_year()?;
    (annualized_pay(terms, None)? < least).then_some((level, least))
}

/// Returns the exact yearly pay. `pay_periods` is the number of pay periods per year, used only by Paycheck.
///
/// `None` for Paycheck without a pay schedule, and on overflow.
pub fn annualized_pay(terms: &PayTerms, pay_periods: Option<i64>) -> Option<Amount> {
    terms.rate.mul_ratio(terms.unit.per_year(pay_periods)?, 1, Rounding::Down)
}

/// Whether employees of this status may hold several jobs: only if paid by the hour, since a salary cannot be
/// split between jobs.
pub fn may_have_several_jobs(flsa: FlsaStatus) -> bool {
    flsa == FlsaStatus::Nonexempt
}

#[cfg(test)]
mod tests {
    use super::*;
    use FlsaStatus::*;
    use PaymentUnit::*;
    use jiff::civil::date;
    use proptest::prelude::*;

    #[test]
    fn a_salary_below_the_level_of_the_state_of_work_is_refused_like_one_below_the_federal_level() {
        let refused = |state, county, rate| {
            let found = check_terms(
                &terms(rate, Year, Exempt),
                SalaryLevels::built_in(),
                WorkPlace { state, county },
                date(2026, 8, 3),
            );
            found.into_iter().map(|violation| violation.message).next()
        };
        assert_eq!(refused("TX", None, "40000"), None);
        for (state, county, level) in [
            ("CA", None, "70304.00"),
            ("NY", Some("36061"), "66300.00"),
            ("NY", None, "62353.20"),
            ("CO", None, "57783.96"),
            ("WA", None, "80168.40"),
        ] {
            let message = refused(state, county, "40000").unwrap();
            assert!(message.contains(&format!("at least {level} a year")), "{state}: {message}");
        }
        assert_eq!(refused("CA", None, "70304"), None);
    }

    fn terms(rate: &str, unit: PaymentUnit, flsa: FlsaStatus) -> PayTerms {
        PayTerms { rate: Amount::parse(rate).unwrap(), unit, flsa }
    }

    fn keys(rate: &str, unit: PaymentUnit, flsa: FlsaStatus) -> Vec<String> {
        check_terms(
            &terms(rate, unit, flsa),
            SalaryLevels::built_in(),
            WorkPlace::default(),
            date(2027, 1, 1),
        )
        .into_iter()
        .map(|violation| violation.key)
        .collect()
    }

    #[test]
    fn every_unit_goes_with_the_statuses_that_may_be_paid_by_it() {
        for &flsa in FlsaStatus::ALL {
            let rate = if flsa.is_commission_only() { "0" } else { "50000" };
            let allowed: Vec<_> =
                PaymentUnit::ALL.iter().copied().filter(|unit| keys(rate, *unit, flsa).is_empty()).collect();
            let expected = match flsa {
                Exempt | SalariedNonexempt | Nonexempt => vec![Hour, Week, Month, Year],
                Owner => vec![Paycheck],
                CommissionOnlyExempt | CommissionOnlyNonexempt => vec![Year],
            };
            assert_eq!(allowed, expected, "{flsa:?}");
        }
    }

    #[test]
    fn a_rate_must_suit_its_status() {
        let golden: [(&str, PaymentUnit, FlsaStatus, bool); 16] = [
            ("35568", Year, Exempt, true),
            ("35567.99", Year, Exempt, false),
            ("2964", Month, Exempt, true),
            ("2963.99", Month, Exempt, false),
            ("684", Week, Exempt, true),
            ("683.99", Week, Exempt, false),
            ("9", Hour, Exempt, true),
            ("0.99", Hour, Exempt, false),
            ("1", Hour, Nonexempt, true),
            ("0.99", Hour, Nonexempt, false),
            ("-20", Year, SalariedNonexempt, false),
            ("0", Paycheck, Owner, false),
            ("0.01", Year, CommissionOnlyExempt, false),
            ("999999.99", Hour, Nonexempt, true),
            ("1000000", Hour, Nonexempt, false),
            ("1000000000", Year, Exempt, false),
        ];
        for (rate, unit, flsa, fine) in golden {
            let expected: &[&str] = if fine { &[] } else { &["rate"] };
            assert_eq!(keys(rate, unit, flsa), expected, "{rate} per {unit:?} for {flsa:?}");
        }
    }

    #[test]
    fn an_exempt_salary_reaches_the_level_of_its_day_and_the_refusal_names_it() {
        let of_week = |rate: &str, day| {
            check_terms(&terms(rate, Week, Exempt), SalaryLevels::built_in(), WorkPlace::default(), day)
        };
        assert!(of_week("684", date(2024, 6, 30)).is_empty());
        assert!(of_week("844", date(2024, 7, 1)).is_empty());
        assert!(of_week("684", date(2024, 11, 15)).is_empty());
        let found = of_week("843.99", date(2024, 11, 14));
        let messages: Vec<_> = found.iter().map(|violation| violation.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "rate with flsa_status Exempt must come to at least 43888.00 a year: 844.00 a week since 2024-07-01 (29 CFR 541.600)"
            ]
        );
    }

    #[test]
    fn all_violations_are_reported_at_once_with_what_would_be_right() {
        let found = check_terms(
            &terms("12", Paycheck, CommissionOnlyExempt),
            SalaryLevels::built_in(),
            WorkPlace::default(),
            date(2027, 1, 1),
        );
        let messages: Vec<_> = found.iter().map(|violation| violation.message.as_str()).collect();
        let expected = [
            "payment_unit with flsa_status Commission Only Exempt must be Year",
            "rate with flsa_status Commission Only Exempt must be 0.00",
        ];
        assert_eq!(messages, expected);
    }

    #[test]
    fn a_year_has_2080_hours_52_weeks_and_12_months() {
        let yearly =
            |rate, unit, periods| annualized_pay(&terms(rate, unit, Owner), periods).map(|a| a.to_text(2));
        assert_eq!(yearly("9.125", Hour, None).as_deref(), Some("18980.00"));
        assert_eq!(yearly("684", Week, None).as_deref(), Some("35568.00"));
        assert_eq!(yearly("2964", Month, None).as_deref(), Some("35568.00"));
        assert_eq!(yearly("35568.5", Year, Some(26)).as_deref(), Some("35568.50"));
        assert_eq!(yearly("1000", Paycheck, Some(26)).as_deref(), Some("26000.00"));
        assert_eq!(yearly("1000", Paycheck, None), None);
    }

    #[test]
    fn only_hourly_employees_may_hold_several_jobs() {
        let several: Vec<_> =
            FlsaStatus::ALL.iter().copied().filter(|flsa| may_have_several_jobs(*flsa)).collect();
        assert_eq!(several, [Nonexempt]);
    }

    #[test]
    fn the_words_of_requests_and_answers_are_the_same() {
        for &unit in PaymentUnit::ALL {
            assert_eq!(PaymentUnit::parse(unit.as_str()), Some(unit));
        }
        for &flsa in FlsaStatus::ALL {
            assert_eq!(FlsaStatus::parse(flsa.as_str()), Some(flsa));
        }
        assert_eq!(PaymentUnit::parse("hour"), None);
        assert_eq!(FlsaStatus::parse("Salaried"), None);
    }

    proptest! {
        #[test]
        fn terms_that_may_stand_can_be_annualised(rate: i64, unit in 0usize..5, flsa in 0usize..6) {
            let (unit, flsa) = (PaymentUnit::ALL[unit], FlsaStatus::ALL[flsa]);
            let terms = PayTerms { rate: Amount::from_millionths(rate), unit, flsa };
            if check_terms(&terms, SalaryLevels::built_in(), WorkPlace::default(), date(2027, 1, 1)).is_empty() {
                prop_assert!(annualized_pay(&terms, Some(366)).is_some());
            }
        }
    }
}
