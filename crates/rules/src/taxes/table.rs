//! Tables of taxes with one layout: `data/taxes/insurance_2026.csv` and `data/taxes/local_2026.csv`.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::bases::Base;
use super::circumstances::TaxTables;
use super::editions::{LocalTaxes, StatePrograms};
use super::read::{self, Fault};
use super::source::{Confidence, Unworked, Why};
use super::table_read;
use crate::amount::Amount;
use crate::named::serde_by_name;

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

pub(crate) use named;

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
    /// Level of government that levies a tax.
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
    /// The work or residents that a tax applies to.
    Applies {
        /// Work in the place.
        Work = "work",
        /// Residents, on all pay.
        Residence = "residence",
        /// Residents on all pay, nonresidents on work in the place.
        Both = "both",
        /// Residents who work there.
        WorkResident = "work_resident",
        /// Work in the place by nonresidents.
        WorkNonresident = "work_nonresident",
        /// Indiana: the county of residence on 1 January, or of work on that day for those who then lived elsewhere.
        ResidenceJanuary = "residence_january",
        /// Michigan's cities: residents on all pay less the tax of the city of work, nonresidents on work in the city.
        Michigan = "michigan",
        /// Ohio's cities: work, and, if the employer has agreed, residence less the city's credit.
        OhioCity = "ohio_city",
        /// Ohio's zones: work in the zone, replacing the city's tax.
        OhioZone = "ohio_zone",
    }
}

named! {
    /// A time span.
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
    /// Filing status, if a schedule depends on it.
    Filing {
        /// Single, or married filing separately.
        Single = "single",
        /// Married filing jointly, or head of household if the place treats it alike.
        Joint = "joint",
    }
}

named! {
    /// How a tax is rounded to the cent.
    RoundingRule {
        /// To the nearest cent, half up.
        HalfUp = "half_up",
        /// Truncated after the third decimal, then to the nearest cent: Pennsylvania's employee unemployment tax.
        CutThird = "cut_third",
    }
}

/// A bracket: from this wage on, this tax and this percentage of the wages above it.
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
    /// Brackets of annualized wages.
    ScheduleAnnual(Vec<Bracket>),
    /// Brackets of annual wages, printed for each pay period: limits rounded to dollars, taxes to cents.
    SchedulePeriod(Vec<Bracket>),
    /// Brackets of year-to-date wages.
    ScheduleToDate(Vec<Bracket>),
    /// A fixed amount per time span.
    Amount(Amount, Span),
    /// A percentage of the state's income tax.
    ShareOfStateTax(Amount),
    /// A maximum percentage: the employer's own rate counts.
    Ceiling(Amount),
    /// An amount per hour, from the employer's notice.
    OwnRate,
    /// Settled on the employer's return. It accrues with each paycheck once the employer has supplied the basis.
    OnReturn(Accrual),
    /// Not known.
    Gap,
    /// No tax on wages.
    None,
}

/// The basis on which a tax settled on the employer's return accrues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accrual {
    /// The employer's own percentage of wages.
    OwnPercent,
    /// The employer's own amount per hour of work.
    OwnAmountByHour,
    /// A percentage of the employer's quarterly payroll above a free amount.
    AbovePayroll {
        /// Percent.
        percent: Amount,
        /// Free amount per quarter, in dollars.
        free: Amount,
    },
}

/// A limit on taxable wages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Dollars.
    Dollars(Amount),
    /// The year's Social Security wage base.
    SocialSecurity,
}

/// Choices that the row allows employer and employee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether the employer may bear the employee's share.
    pub bear: bool,
    /// Whether an approved private plan may replace the tax.
    pub private_plan: bool,
    /// Whether there are exemptions: a letter, a waiver, a certificate.
    pub exempt: bool,
    /// Whether the employer's own rate may replace the row's.
    pub own_rate: bool,
    /// Whether the law ends with the last pay date.
    pub ends: bool,
}

/// The jurisdiction that levies a tax.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Jurisdiction {
    /// Level of government.
    pub level: Level,
    /// Two-letter code of the state; empty for the country.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// Key of the place within the tables, such as `OH-18000`; empty for a state.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
}

impl Jurisdiction {
    /// Creates the jurisdiction of a state.
    pub fn state(code: &str) -> Self {
        Self { level: Level::State, state: code.to_owned(), place: String::new() }
    }

    /// Creates the jurisdiction of the United States.
    pub fn country() -> Self {
        Self { level: Level::Country, state: String::new(), place: String::new() }
    }

    /// Returns the agency that receives its taxes: `US`, a state as `US-OH`, or a locality as `US-OH/` and its key.
    pub fn agency(&self) -> String {
        match self.level {
            Level::Country => "US".to_owned(),
            _ if self.place.is_empty() => format!("US-{}", self.state),
            _ => format!("US-{}/{}", self.state, self.place),
        }
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
    /// The work or residents that it applies to.
    pub applies: Applies,
    /// Class of employers that the row is for; empty for all.
    pub class: String,
    /// Filing status that the row is for; `None` for all.
    pub filing: Option<Filing>,
    /// Election that the row is for; empty without one.
    pub election: String,
    /// Minimum and maximum number of employees, counted as the state counts them.
    pub sizes: (Option<u32>, Option<u32>),
    /// The employer's quarterly payroll in the place: above, and up to.
    pub payroll: (Option<Amount>, Option<Amount>),
    /// How it is calculated.
    pub method: Method,
    /// Percentage for nonresidents, if it differs.
    pub rate_nonresident: Option<Amount>,
    /// Limit on taxable wages per time span.
    pub wage_base: Option<(Limit, Span)>,
    /// Maximum tax per time span.
    pub cap: Option<(Amount, Span)>,
    /// Monthly pay from which a monthly amount is due.
    pub floor: Option<Amount>,
    /// Annual wages deducted for each exemption.
    pub allowance: Amount,
    /// Annual wages deducted.
    pub deduction: Amount,
    /// Base of wages.
    pub base: Base,
    /// Whether tips count.
    pub tips: bool,
    /// How it is rounded.
    pub rounding: RoundingRule,
    /// Choices allowed.
    pub options: Options,
    /// First pay date; `None` if always in force.
    pub from: Option<Date>,
    /// Last pay date; `None` if in force until another figure follows.
    pub to: Option<Date>,
    /// Confidence in the figure.
    pub confidence: Confidence,
    /// Source of the figure.
    pub source: String,
    /// Remarks.
    pub note: String,
}

impl Tax {
    /// Creates a tax for everyone it applies to, on all wages of a base including tips, to the cent, without limits or options; tables
    /// with fewer columns than this one start from it.
    pub(super) fn plain_tax(
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

    /// Whether the row is in force on a pay date.
    pub fn is_in_force(&self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.to.is_none_or(|to| day <= to)
    }

    /// Whether the tax due depends on the employer's quarterly payroll.
    pub fn rests_on_payroll(&self) -> bool {
        self.payroll != (None, None) || matches!(self.method, Method::OnReturn(Accrual::AbovePayroll { .. }))
    }

    /// Returns the tax as one that cannot be calculated, with the reason.
    pub fn as_unworked(&self, why: Why) -> Unworked {
        Unworked {
            code: self.code.clone(),
            name: self.name.clone(),
            jurisdiction: self.jurisdiction.clone(),
            payer: self.payer,
            why,
        }
    }

    /// Whether the figure ends only because the table's year does, and no row of its code begins later (`latest` is the code's latest
    /// first day). Such a tax is due in the next year as well; the paycheck then says that the tables are those of an earlier year.
    fn goes_on(&self, latest: Option<Date>) -> bool {
        let year_ends = |last: Date| last.year() >= TaxTables::YEAR && last == last.last_of_year();
        !self.options.ends && self.to.is_some_and(year_ends) && latest <= self.to
    }

    /// Whether another row of its code applies to the same employers and employees.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let of = |tax: &Self| (tax.class.clone(), tax.filing, tax.election.clone(), tax.sizes, tax.payroll);
        of(self) == of(other)
    }

    /// Returns the fields that distinguish rows of one code.
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
    /// Returns the built-in state insurance programs for 2026.
    pub fn insurance() -> &'static Self {
        StatePrograms::built_in()
    }

    /// Returns the built-in local taxes for 2026.
    pub fn built_in_local() -> &'static Self {
        LocalTaxes::built_in()
    }

    /// Parses a table of taxes.
    ///
    /// # Errors
    /// All errors in the table, with line and field; a row that duplicates another row of its code is an error.
    pub fn parse(csv: &str) -> Result<Self, Vec<Fault>> {
        let mut table = Self::default();
        let mut keys: BTreeMap<String, Vec<_>> = BTreeMap::new();
        let mut latest: BTreeMap<String, Option<Date>> = BTreeMap::new();
        let taxes = read::read_rows(csv, &table_read::COLUMNS, |row| {
            let tax = table_read::read_tax(row)?;
            let of_code = keys.entry(tax.code.clone()).or_default();
            if of_code.contains(&tax.key()) {
                row.record_fault(
                    "code",
                    "an earlier row has the same code, class, filing, election, size and first day",
                );
            }
            of_code.push(tax.key());
            let latest = latest.entry(tax.code.clone()).or_default();
            *latest = tax.from.max(*latest);
            Some(tax)
        })?;
        let begins = first_days(&taxes);
        for mut tax in taxes {
            if tax.goes_on(latest[&tax.code]) {
                tax.to = None;
            }
            // A row ends where the next one begins, such as that of the next year.
            let next = begins.get(&tax.code).and_then(|rows| {
                rows.iter()
                    .filter(|(row, from)| *from > tax.from && row.is_like(&tax))
                    .map(|(_, from)| *from)
                    .min()
            });
            if let Some(last) = next.flatten().and_then(|next| next.yesterday().ok()) {
                tax.to = Some(tax.to.map_or(last, |to| to.min(last)));
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

/// Returns the first day of each row of a code with several, by code.
fn first_days(taxes: &[Tax]) -> BTreeMap<String, Vec<(Tax, Option<Date>)>> {
    let mut found: BTreeMap<String, Vec<(Tax, Option<Date>)>> = BTreeMap::new();
    for tax in taxes {
        found.entry(tax.code.clone()).or_default().push((tax.clone(), tax.from));
    }
    found.retain(|_, rows| rows.len() > 1);
    found
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
