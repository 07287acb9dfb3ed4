//! Taxes as rows: `data/taxes/insurance_2026.csv` and `data/taxes/local_2026.csv`, in one layout.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use jiff::civil::Date;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::bases::Base;
use super::circumstances::TaxTables;
use super::read::{self, Fault};
use super::source::{Confidence, Unworked, Why};
use super::table_read;
use crate::amount::Amount;
use crate::named::serde_by_name;

static INSURANCE: LazyLock<TaxTable> = LazyLock::new(|| {
    let text = include_str!("../../../../data/taxes/insurance_2026.csv");
    read::built_in("insurance_2026.csv", TaxTable::parse(text))
});

static LOCAL: LazyLock<TaxTable> = LazyLock::new(|| {
    let text = include_str!("../../../../data/taxes/local_2026.csv");
    read::built_in("local_2026.csv", TaxTable::parse(text))
});

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray, IntoStaticStr, EnumString)]
        pub enum $name {
            $($(#[$variant_doc])* #[strum(serialize = $text)] $variant,)+
        }

        serde_by_name!($name);
    };
}

pub(super) use named;

named! {
    /// Who pays a tax.
    Payer {
        /// The employee: withheld from pay.
        Employee = "employee",
        /// The employer: never taken from pay.
        Employer = "employer",
    }
}

named! {
    /// What levies a tax.
    Level {
        /// The United States.
        Country = "country",
        /// A state, the District of Columbia or a territory.
        State = "state",
        /// A county.
        County = "county",
        /// A city, town or township.
        City = "city",
        /// A school district.
        SchoolDistrict = "school_district",
        /// Any other district: transit, joint economic development, a region.
        SpecialDistrict = "special_district",
    }
}

named! {
    /// To whom a tax applies.
    Applies {
        /// Work in the place.
        Work = "work",
        /// Residents, on all pay.
        Residence = "residence",
        /// Residents on all pay, others on work in the place.
        Both = "both",
        /// Residents who work there.
        WorkResident = "work_resident",
        /// Work in the place by others than its residents.
        WorkNonresident = "work_nonresident",
        /// Indiana: the county of residence on 1 January, or of work on that day for those who then lived elsewhere.
        ResidenceJanuary = "residence_january",
        /// Michigan's cities: residents on all pay less the tax of the city of work, others on work in the city.
        Michigan = "michigan",
        /// Ohio's cities: work, and residence by agreement of the employer less the credit of the city.
        OhioCity = "ohio_city",
        /// Ohio's zones: work in the zone, in place of the city's tax.
        OhioZone = "ohio_zone",
    }
}

named! {
    /// A stretch of time.
    Span {
        /// An hour of work.
        Hour = "hour",
        /// A week.
        Week = "week",
        /// A calendar month.
        Month = "month",
        /// A calendar quarter.
        Quarter = "quarter",
        /// A calendar year.
        Year = "year",
    }
}

named! {
    /// Filing status, where a schedule depends on it.
    Filing {
        /// Single, and married filing separately.
        Single = "single",
        /// Married filing jointly, and head of household where the place treats it alike.
        Joint = "joint",
    }
}

named! {
    /// How a tax is rounded to the cent.
    RoundingRule {
        /// To the nearest cent, half up.
        HalfUp = "half_up",
        /// Cut after the third decimal, then to the nearest cent: employee unemployment tax of Pennsylvania.
        CutThird = "cut_third",
    }
}

/// A bracket: from this wage on, this tax and this percentage of what is above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bracket {
    /// Annual wage at which it begins.
    pub from: Amount,
    /// Tax at that wage.
    pub tax: Amount,
    /// Percent of the wages above it.
    pub percent: Amount,
}

/// How a tax is calculated. Rates are in percent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Method {
    /// A percentage of taxable wages.
    Rate(Amount),
    /// Brackets of annualised wages.
    ScheduleAnnual(Vec<Bracket>),
    /// Brackets of the wages of the year so far.
    ScheduleToDate(Vec<Bracket>),
    /// A fixed amount for a stretch of time.
    Amount(Amount, Span),
    /// A percentage of the state's income tax.
    ShareOfStateTax(Amount),
    /// At most this percentage: the employer's own counts.
    Ceiling(Amount),
    /// An amount per hour of the employer's notice.
    OwnRate,
    /// Settled on the employer's return. It accrues with each paycheck once the employer has told what it rests on.
    OnReturn(Accrual),
    /// Not known.
    Gap,
    /// No tax on wages.
    None,
}

/// By what a tax accrues that is settled on the employer's return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accrual {
    /// The employer's own percentage of wages.
    OwnPercent,
    /// The employer's own amount for an hour of work.
    OwnAmountByHour,
    /// A percentage of what the employer's payroll of a quarter is above a free amount.
    AbovePayroll {
        /// Percent.
        percent: Amount,
        /// Dollars of a quarter that are free.
        free: Amount,
    },
}

/// A limit of taxable wages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Dollars.
    Dollars(Amount),
    /// The wage base of Social Security of the year.
    SocialSecurity,
}

/// What the row lets employer and employee choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The employer may bear the employee's share.
    pub bear: bool,
    /// An approved private plan takes its place.
    pub private_plan: bool,
    /// There are exemptions: a letter, a waiver, a certificate.
    pub exempt: bool,
    /// The employer's own rate counts.
    pub own_rate: bool,
    /// The law ends with the last pay date.
    pub ends: bool,
}

/// Who levies a tax.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Jurisdiction {
    /// What it is.
    pub level: Level,
    /// Two-letter code of the state.
    pub state: String,
    /// Key of the place within the tables, such as `OH-18000`; empty for a state.
    pub place: String,
}

impl Jurisdiction {
    /// A state.
    pub fn state(code: &str) -> Self {
        Self { level: Level::State, state: code.to_owned(), place: String::new() }
    }
}

/// A tax: one row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tax {
    /// Stable code, such as `CA_SDI`.
    pub code: String,
    /// Who levies it.
    pub jurisdiction: Jurisdiction,
    /// Name, as a pay stub prints it.
    pub name: String,
    /// Who pays it.
    pub payer: Payer,
    /// Whom it concerns.
    pub applies: Applies,
    /// Class of employers that the row is for; empty for all.
    pub class: String,
    /// Filing status that the row is for; `None` for all.
    pub filing: Option<Filing>,
    /// Election that the row is for; empty without one.
    pub election: String,
    /// Fewest and most employees, counted as the state counts them.
    pub sizes: (Option<u32>, Option<u32>),
    /// The employer's payroll of the quarter in the place: above, and up to.
    pub payroll: (Option<Amount>, Option<Amount>),
    /// How it is calculated.
    pub method: Method,
    /// Percentage for those who live elsewhere, if it differs.
    pub rate_nonresident: Option<Amount>,
    /// Limit of taxable wages in a stretch of time.
    pub wage_base: Option<(Limit, Span)>,
    /// Most tax in a stretch of time.
    pub cap: Option<(Amount, Span)>,
    /// Pay of the month from which a monthly amount is due.
    pub floor: Option<Amount>,
    /// Wages of a year that each exemption takes off.
    pub allowance: Amount,
    /// Wages of a year that are taken off.
    pub deduction: Amount,
    /// Base of wages.
    pub base: Base,
    /// Whether tips count.
    pub tips: bool,
    /// How it is rounded.
    pub rounding: RoundingRule,
    /// What can be chosen.
    pub options: Options,
    /// First pay date; `None` if always.
    pub from: Option<Date>,
    /// Last pay date; `None` if in force until another figure follows.
    pub to: Option<Date>,
    /// How far the figure can be trusted.
    pub confidence: Confidence,
    /// Where the figure comes from.
    pub source: String,
    /// What else there is to know.
    pub note: String,
}

impl Tax {
    /// A tax of everybody on all wages of a base, tips included, to the cent, without limits or options: what tables that
    /// know less than this one fill in.
    pub(super) fn plain(
        code: String,
        name: String,
        jurisdiction: Jurisdiction,
        (payer, applies): (Payer, Applies),
        (base, method): (Base, Method),
    ) -> Self {
        Self {
            code,
            jurisdiction,
            name,
            payer,
            applies,
            class: String::new(),
            filing: None,
            election: String::new(),
            sizes: (None, None),
            payroll: (None, None),
            method,
            rate_nonresident: None,
            wage_base: None,
            cap: None,
            floor: None,
            allowance: Amount::ZERO,
            deduction: Amount::ZERO,
            base,
            tips: true,
            rounding: RoundingRule::HalfUp,
            options: Options::default(),
            from: None,
            to: None,
            confidence: Confidence::Unconfirmed,
            source: String::new(),
            note: String::new(),
        }
    }

    /// Whether the row counts on a pay date.
    pub fn is_in_force(&self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.to.is_none_or(|to| day <= to)
    }

    /// Whether the employer's payroll of a quarter decides what is due.
    pub fn rests_on_payroll(&self) -> bool {
        self.payroll != (None, None) || matches!(self.method, Method::OnReturn(Accrual::AbovePayroll { .. }))
    }

    /// Returns why the tax cannot be calculated.
    pub fn unworked(&self, why: Why) -> Unworked {
        Unworked {
            code: self.code.clone(),
            name: self.name.clone(),
            jurisdiction: self.jurisdiction.clone(),
            payer: self.payer,
            why,
        }
    }

    /// Whether the figure ends only because the year of the table does, and none of its code begins later (`latest` is the last one
    /// that begins). Such a tax is due in the next year as well, where a paycheck says that the tables are those of an earlier one.
    fn goes_on(&self, latest: Option<Date>) -> bool {
        let year_ends = |last: Date| last.year() >= TaxTables::YEAR && last == last.last_of_year();
        !self.options.ends && self.to.is_some_and(year_ends) && latest <= self.to
    }

    /// What distinguishes rows of one code.
    fn key(&self) -> impl PartialEq + use<> {
        (self.class.clone(), self.filing, self.election.clone(), self.sizes, self.payroll, self.from)
    }
}

/// Taxes by state and by place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaxTable {
    by_state: BTreeMap<String, Vec<Arc<Tax>>>,
    by_place: BTreeMap<String, Vec<Arc<Tax>>>,
}

impl TaxTable {
    /// Returns the built-in state insurance programmes, 2026.
    pub fn insurance() -> &'static Self {
        &INSURANCE
    }

    /// Returns the built-in local taxes, 2026.
    pub fn local() -> &'static Self {
        &LOCAL
    }

    /// Parses a table of taxes.
    ///
    /// # Errors
    /// Every fault of the table, with line and field; a row that nothing tells from another of its code is a fault.
    pub fn parse(csv: &str) -> Result<Self, Vec<Fault>> {
        let mut table = Self::default();
        let mut keys: BTreeMap<String, Vec<_>> = BTreeMap::new();
        let mut latest: BTreeMap<String, Option<Date>> = BTreeMap::new();
        let taxes = read::rows(csv, &table_read::COLUMNS, |row| {
            let tax = table_read::tax(row)?;
            let of_code = keys.entry(tax.code.clone()).or_default();
            if of_code.contains(&tax.key()) {
                row.fault(
                    "code",
                    "an earlier row has the same code, class, filing, election, size and first day",
                );
            }
            of_code.push(tax.key());
            let latest = latest.entry(tax.code.clone()).or_default();
            *latest = tax.from.max(*latest);
            Some(tax)
        })?;
        for mut tax in taxes {
            if tax.goes_on(latest[&tax.code]) {
                tax.to = None;
            }
            let Jurisdiction { state, place, .. } = &tax.jurisdiction;
            let (map, key) =
                if place.is_empty() { (&mut table.by_state, state) } else { (&mut table.by_place, place) };
            map.entry(key.clone()).or_default().push(Arc::new(tax));
        }
        Ok(table)
    }

    /// Returns the rows of a state's own taxes.
    pub fn of_state(&self, state: &str) -> &[Arc<Tax>] {
        self.by_state.get(state).map_or(&[], Vec::as_slice)
    }

    /// Returns the rows of a place.
    pub fn of_place(&self, place: &str) -> &[Arc<Tax>] {
        self.by_place.get(place).map_or(&[], Vec::as_slice)
    }

    /// Returns every row.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Tax>> {
        self.by_state.values().chain(self.by_place.values()).flatten()
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
