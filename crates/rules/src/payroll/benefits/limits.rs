//! Annual legal limits of benefits.
//!
//! Some types share a limit (elective deferrals into a 401(k) and a Roth 401(k) count together), so limits
//! apply to groups of types. Figures and sources: `data/benefit_limits.csv`.

use std::sync::LazyLock;

use jiff::civil::Date;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::election::LimitOption;
use super::kind;
use crate::Named;
use crate::amount::Amount;
use crate::taxes::Confidence;

/// Types that share a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Group {
    /// Elective deferrals: 401(k), 403(b), both Roth forms, SARSEP.
    #[strum(serialize = "elective_deferrals")]
    ElectiveDeferrals,
    /// Both forms of the SIMPLE IRA.
    #[strum(serialize = "simple_ira")]
    SimpleIra,
    /// SEP-IRA
    #[strum(serialize = "sep_ira")]
    SepIra,
    /// Health savings account.
    #[strum(serialize = "hsa")]
    Hsa,
    /// Health FSA.
    #[strum(serialize = "health_fsa")]
    HealthFsa,
    /// Dependent care FSA.
    #[strum(serialize = "dependent_care_fsa")]
    DependentCareFsa,
    /// Combined employee and company contributions to the accounts of a 401(k) or 403(b) plan, excluding catch-up contributions.
    #[strum(serialize = "annual_additions")]
    AnnualAdditions,
    /// Transit passes and van pools: dollars per month.
    #[strum(serialize = "commuter_transit")]
    Transit,
    /// Parking: dollars per month.
    #[strum(serialize = "commuter_parking")]
    Parking,
    /// Annual pay on which percentage contributions of the company to a retirement plan may be based; not a limit of a type.
    #[strum(serialize = "compensation")]
    Compensation,
}

impl Group {
    /// Whether amounts of types in another group count toward the limit of this one: deferrals into a SIMPLE IRA are also
    /// elective deferrals (26 U.S.C. 402(g)(3)(D)).
    pub fn counts_toward(self, other: Self) -> bool {
        self == other || (self == Self::ElectiveDeferrals && other == Self::SimpleIra)
    }

    /// Groups with monthly limits.
    pub const OF_MONTH: [Self; 2] = [Self::Transit, Self::Parking];

    /// Returns the monthly limits that apply to a type, by code: transit and parking have separate limits, and benefits that do
    /// not specify which they cover have both.
    pub fn of_month(code: i64) -> &'static [Self] {
        match code {
            kind::COMMUTER => &Self::OF_MONTH,
            kind::COMMUTER_PARKING => &[Self::Parking],
            kind::COMMUTER_TRANSIT => &[Self::Transit],
            _ => &[],
        }
    }

    /// Returns the group of a type, by code.
    pub fn group_of_code(code: i64) -> Option<Self> {
        Some(match code {
            kind::TRADITIONAL_401K
            | kind::TRADITIONAL_403B
            | kind::ROTH_401K
            | kind::SARSEP
            | kind::ROTH_403B => Self::ElectiveDeferrals,
            kind::SIMPLE_IRA | kind::SIMPLE_IRA_NONELECTIVE => Self::SimpleIra,
            kind::SEP_IRA => Self::SepIra,
            kind::HSA => Self::Hsa,
            kind::HEALTH_FSA => Self::HealthFsa,
            kind::DEPENDENT_CARE_FSA => Self::DependentCareFsa,
            _ => return None,
        })
    }
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// Calendar year.
    pub year: i16,
    /// Group of types.
    pub group: Group,
    /// Variant, if there are several.
    pub option: Option<LimitOption>,
    /// Whether company contributions count toward the limit.
    pub counts_contribution: bool,
    /// Dollars per year; for transit and parking, per month.
    pub limit: Amount,
    /// Catch-up amounts, if any.
    pub catch_up: Option<CatchUp>,
    /// Statute and publication.
    pub source: String,
    /// Degree of confidence in the row; enough to count as it stands.
    pub confidence: Confidence,
}

/// Catch-up contributions of older employees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatchUp {
    /// Minimum age, reached in the year.
    pub age: i16,
    /// Dollars per year.
    pub amount: Amount,
    /// Dollars per year if the age reached is 60 to 63.
    pub amount_60_to_63: Amount,
}

impl CatchUp {
    /// Returns the catch-up amount for the age reached in the year.
    pub fn amount_at_age(self, age: i16) -> Amount {
        match age {
            _ if age < self.age => Amount::ZERO,
            60..=63 => self.amount_60_to_63,
            _ => self.amount,
        }
    }
}

/// The limits of all years.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits(Vec<Limit>);

static BUILT_IN: LazyLock<Limits> = LazyLock::new(|| {
    Limits::parse(Limits::FILE).unwrap_or_else(|error| panic!("data/benefit_limits.csv: {error}"))
});

impl Limits {
    /// The built-in limits as text.
    pub const FILE: &'static str = include_str!("../../../../../data/benefit_limits.csv");

    /// Returns all rows, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Limit> {
        self.0.iter()
    }

    /// Whether the table has a limit of the group for this exact year.
    pub fn covers_year(&self, year: i16, group: Group) -> bool {
        self.0.iter().any(|limit| limit.year == year && limit.group == group)
    }

    /// Returns the built-in limits.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses a file in the format of `data/benefit_limits.csv`. Errors name the line.
    pub fn parse(file: &str) -> Result<Self, String> {
        let mut reader =
            csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(file.as_bytes());
        let mut limits = Vec::new();
        for cells in reader.records() {
            let cells = cells.map_err(|error| error.to_string())?;
            let line = cells.position().map_or(0, csv::Position::line);
            limits.push(read_limit(&cells).map_err(|what| format!("line {line}: {what}"))?);
        }
        if limits.is_empty() { Err("there are no rows".to_owned()) } else { Ok(Self(limits)) }
    }

    /// Returns the limit of a group in a year, or in the nearest year in the table (of two, the earlier): the one for the option, else the
    /// one without an option, else the smallest of several.
    pub fn find_limit(&self, year: i16, group: Group, option: Option<LimitOption>) -> Option<&Limit> {
        let fits = |limit: &&Limit| {
            limit.group == group && (option.is_none() || limit.option.is_none() || limit.option == option)
        };
        let fitting = self.0.iter().filter(fits);
        fitting
            .min_by_key(|limit| ((limit.year - year).abs(), limit.year, limit.option != option, limit.limit))
    }
}

fn read_limit(cells: &csv::StringRecord) -> Result<Limit, String> {
    let cells: Vec<&str> = cells.iter().collect();
    let &[year, group, option, counts, limit, age, catch_up, catch_up_60, source, confidence] = &cells[..]
    else {
        return Err("a row has ten columns".to_owned());
    };
    let amount = |text: &str| Amount::parse(text).map_err(|error| format!("{text} {error}"));
    let catch_up = match age {
        "" => None,
        age => Some(CatchUp {
            age: age.parse().map_err(|_| format!("{age} is no age"))?,
            amount: amount(catch_up)?,
            amount_60_to_63: amount(catch_up_60)?,
        }),
    };
    Ok(Limit {
        year: year.parse().map_err(|_| format!("{year} is no year"))?,
        group: Group::parse(group).ok_or_else(|| format!("{group} is no group"))?,
        option: match option {
            "" => None,
            name => Some(LimitOption::parse(name).ok_or_else(|| format!("{name} is no option"))?),
        },
        counts_contribution: match counts {
            "employee" => false,
            "both" => true,
            other => return Err(format!("{other} is neither employee nor both")),
        },
        limit: amount(limit)?,
        catch_up,
        source: source.to_owned(),
        confidence: Confidence::of_figure(source, confidence)?,
    })
}

/// Returns the age reached in the year of `day`, which is the age the law uses.
pub fn age_reached_in_year(birth: Date, day: Date) -> i16 {
    day.year() - birth.year()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_of_both_years_are_those_that_were_published() {
        let limits = Limits::built_in();
        let of = |year, group, option| limits.find_limit(year, group, option).unwrap().limit.to_text(0);
        assert_eq!(of(2025, Group::ElectiveDeferrals, None), "23500");
        assert_eq!(of(2026, Group::ElectiveDeferrals, None), "24500");
        assert_eq!(of(2026, Group::Hsa, Some(LimitOption::Family)), "8750");
        assert_eq!([2025, 2026].map(|year| of(year, Group::Compensation, None)), ["350000", "360000"]);
        assert_eq!(of(2026, Group::DependentCareFsa, Some(LimitOption::JointFilingOrSingle)), "7500");
        let higher = |year| of(year, Group::SimpleIra, Some(LimitOption::HigherSimpleLimit));
        assert_eq!([2025, 2026].map(higher), ["17600", "18100"]);
        assert_eq!(of(2026, Group::SimpleIra, None), "17000");
        // Rev. Proc. 2026-24 of 2026-05-29.
        let hsa = |option| of(2027, Group::Hsa, Some(option));
        assert_eq!([LimitOption::Individual, LimitOption::Family].map(hsa), ["4500", "9000"]);
        // Without an option, the smaller one is safe.
        assert_eq!(of(2026, Group::Hsa, None), "4400");
        // Years without figures use those of the nearest year.
        assert_eq!(of(2031, Group::HealthFsa, None), "3400");
        assert_eq!(of(2020, Group::HealthFsa, None), "3300");
    }

    #[test]
    fn older_employees_may_put_in_more() {
        let limit = Limits::built_in().find_limit(2026, Group::ElectiveDeferrals, None).unwrap();
        let more = |age| limit.catch_up.unwrap().amount_at_age(age).to_text(0);
        assert_eq!([49, 50, 59, 60, 63, 64].map(more), ["0", "8000", "8000", "11250", "11250", "8000"]);
    }

    #[test]
    fn every_type_with_a_yearly_limit_has_one() {
        for kind in super::super::kind::ALL {
            let limit = Group::group_of_code(kind.code)
                .and_then(|group| Limits::built_in().find_limit(2026, group, None));
            assert_eq!(limit.is_some(), kind.marks.yearly_limit, "{}", kind.name);
        }
    }

    #[test]
    fn a_faulty_file_is_refused_with_the_line() {
        let file = include_str!("../../../../../data/benefit_limits.csv");
        for (right, wrong, expected) in [
            ("2025,elective", "25x,elective", "line 2: 25x is no year"),
            (",simple_ira,,", ",simple,,", "line 3: simple is no group"),
            (",both,70000", ",all,70000", "line 4: all is neither employee nor both"),
            ("Individual,both,4300", "Single,both,4300", "line 5: Single is no option"),
            (",3300,", ",much,", "line 7: much must be a decimal number such as 40.00"),
            (
                ",secondary",
                ",memory",
                "line 2: confidence must be primary or secondary, because the figure counts as it stands, and is \"memory\"",
            ),
            (
                ",26 U.S.C. 402(g) and 414(v); IRS Notice 2024-80",
                ",",
                "line 2: source is empty: name where the figure was read",
            ),
        ] {
            assert_eq!(Limits::parse(&file.replacen(right, wrong, 1)), Err(expected.to_owned()));
        }
        assert!(Limits::parse("year\n").is_err() && Limits::parse("year\n2025,hsa").is_err());
    }
}
