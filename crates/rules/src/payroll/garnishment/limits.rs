//! Legal limits of all support orders of an employee, in percent of disposable earnings.
//!
//! Federal law sets 50 % if the employee supports another spouse or child and 60 % otherwise, plus 5 % if
//! arrears are older than twelve weeks (15 USC 1673(b)(2)). Some states set less; the work state's limit
//! applies, and its allocation among several orders (45 CFR 303.100(f)). The limit depends on two facts that
//! orders may not state. One order stating "yes" suffices. If a fact is unknown, the highest percentage of the
//! orders applies, up to the highest possible limit.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::terms::GarnishmentTerms;
use crate::amount::Amount;
use crate::named::serde_by_name;
use crate::withholding::{TableError, csv_rows};

/// The row of federal law, for states without a row.
const FEDERAL: &str = "US";

static BUILT_IN: LazyLock<SupportLimits> = LazyLock::new(|| {
    SupportLimits::parse(SupportLimits::FILE)
        .unwrap_or_else(|error| panic!("support_limits.csv is not a table: {error}"))
});

/// Allocation of an insufficient amount among support orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Allocation {
    /// In proportion to requested amounts.
    #[strum(serialize = "pro_rata")]
    ProRata,
    /// In equal parts.
    #[strum(serialize = "equal")]
    Equal,
}

serde_by_name!(Allocation);

/// Limits of a state, in percent of disposable earnings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateLimit {
    /// Two-letter code, or `US` for federal law.
    pub state: String,
    /// First check date to which the limits apply; `None` for the earliest ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Date>,
    /// If the employee supports another family: without and with arrears older than twelve weeks.
    pub other_family: [Amount; 2],
    /// If the employee does not support another family: without and with such arrears.
    pub no_other_family: [Amount; 2],
    /// Limits of several orders, if different: with and without another family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub several_orders: Option<[Amount; 2]>,
    /// Allocation among several orders.
    pub allocation: Allocation,
}

/// Limits of all states, by first check date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupportLimits {
    by_state: BTreeMap<String, BTreeMap<Option<Date>, StateLimit>>,
}

/// Facts stated by the orders of an employee; `None` if no order states the fact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Facts {
    /// Whether the employee supports another spouse or child.
    pub supports_other_family: Option<bool>,
    /// Whether arrears are older than twelve weeks.
    pub arrears_over_12_weeks: Option<bool>,
    /// Number of orders.
    pub orders: usize,
    /// Highest percentage of an order.
    pub highest_percentage: Amount,
}

impl Facts {
    /// Combines the facts of these orders.
    pub(super) fn combine_orders<'a>(orders: impl Iterator<Item = &'a GarnishmentTerms>) -> Self {
        let join = |known: Option<bool>, said: Option<bool>| match (known, said) {
            (Some(known), Some(said)) => Some(known || said),
            (known, said) => known.or(said),
        };
        let mut facts = Self::default();
        for terms in orders {
            facts.orders += 1;
            facts.highest_percentage = facts.highest_percentage.max(terms.amount);
            if let Some(support) = &terms.child_support {
                let order = &support.order;
                facts.supports_other_family = join(facts.supports_other_family, order.supports_other_family);
                facts.arrears_over_12_weeks = join(facts.arrears_over_12_weeks, order.arrears_over_12_weeks);
            }
        }
        facts
    }

    /// Whether all facts are known.
    pub fn are_known(&self) -> bool {
        self.supports_other_family.is_some() && self.arrears_over_12_weeks.is_some()
    }
}

impl StateLimit {
    /// Returns the highest possible limit given the known facts, in percent.
    pub fn at_most(&self, facts: &Facts) -> Amount {
        if facts.orders > 1
            && let Some([with, without]) = self.several_orders
        {
            return match facts.supports_other_family {
                Some(true) => with,
                Some(false) => without,
                None => with.max(without),
            };
        }
        let highest = |[without, with]: [Amount; 2]| match facts.arrears_over_12_weeks {
            Some(true) => with,
            Some(false) => without,
            None => with.max(without),
        };
        match facts.supports_other_family {
            Some(true) => highest(self.other_family),
            Some(false) => highest(self.no_other_family),
            None => highest(self.other_family).max(highest(self.no_other_family)),
        }
    }

    /// Returns the limit in percent: [`Self::at_most`], and at most the orders' highest percentage if a fact
    /// is unknown.
    pub fn limit_percentage(&self, facts: &Facts) -> Amount {
        let most = self.at_most(facts);
        if facts.are_known() { most } else { most.min(facts.highest_percentage) }
    }
}

impl SupportLimits {
    /// The built-in limits as text.
    pub const FILE: &'static str = include_str!("../../../../../data/support_limits.csv");

    /// Returns the built-in limits.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses the layout of `support_limits.csv`. A column `from` holds the first check date of a row, and is empty
    /// for the oldest row of a state.
    ///
    /// # Errors
    /// A row is malformed or exceeds federal law, a state has two rows for the same first day, or the federal row
    /// without a first day is missing.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let mut by_state: BTreeMap<String, BTreeMap<Option<Date>, StateLimit>> = BTreeMap::new();
        for row in csv_rows::<Row>(csv)? {
            let limit = StateLimit::from(row);
            let (state, from) = (limit.state.clone(), limit.from);
            if by_state.entry(state.clone()).or_default().insert(from, limit).is_some() {
                return Err(TableError::new(format!("{state}: two rows from the same day")));
            }
        }
        let federal = by_state.get(FEDERAL).and_then(|rows| rows.get(&None));
        let federal = federal.ok_or_else(|| TableError::new("no row US"))?.clone();
        let tables = Self { by_state };
        let beyond = tables.iter().find(|row| {
            let all = |row: &StateLimit| [row.other_family, row.no_other_family].concat();
            let federal = row.from.map_or(&federal, |day| tables.limits_of_state(FEDERAL, day));
            all(row).iter().zip(all(federal)).any(|(state, federal)| *state > federal)
        });
        match beyond {
            Some(row) => Err(TableError::new(format!("{}: above the federal limit", row.state))),
            None => Ok(tables),
        }
    }

    /// Returns the limits of a state on a check date, or the federal ones if it has none.
    ///
    /// # Panics
    /// Never: the table always has a federal row without a first day.
    pub fn limits_of_state(&self, state: &str, check_date: Date) -> &StateLimit {
        let on_day = |state: &str| {
            self.by_state.get(state)?.range(..=Some(check_date)).next_back().map(|(_, limit)| limit)
        };
        on_day(state).or_else(|| on_day(FEDERAL)).unwrap_or_else(|| panic!("federal limits are held"))
    }

    /// Returns all rows, by state and first day.
    pub fn iter(&self) -> impl Iterator<Item = &StateLimit> {
        self.by_state.values().flat_map(BTreeMap::values)
    }
}

/// A row of `support_limits.csv`.
#[derive(Deserialize)]
struct Row {
    state: String,
    #[serde(default)]
    from: Option<Date>,
    other_family: Amount,
    other_family_arrears: Amount,
    no_other_family: Amount,
    no_other_family_arrears: Amount,
    several_orders_other_family: Option<Amount>,
    several_orders_no_other_family: Option<Amount>,
    allocation: Allocation,
}

impl From<Row> for StateLimit {
    fn from(row: Row) -> Self {
        let several_orders = row.several_orders_other_family.zip(row.several_orders_no_other_family);
        Self {
            state: row.state,
            from: row.from,
            other_family: [row.other_family, row.other_family_arrears],
            no_other_family: [row.no_other_family, row.no_other_family_arrears],
            several_orders: several_orders.map(|(with, without)| [with, without]),
            allocation: row.allocation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(family: Option<bool>, arrears: Option<bool>, orders: usize, highest: i64) -> Facts {
        Facts {
            supports_other_family: family,
            arrears_over_12_weeks: arrears,
            orders,
            highest_percentage: Amount::from_cents(highest * 100),
        }
    }

    fn on(state: &str) -> &'static StateLimit {
        SupportLimits::built_in().limits_of_state(state, jiff::civil::date(2026, 6, 1))
    }

    fn percentage(state: &str, facts: Facts) -> i64 {
        on(state).limit_percentage(&facts).cents_half_up() / 100
    }

    #[test]
    fn federal_law_knows_four_limits() {
        let known = |family, arrears| percentage("NJ", facts(Some(family), Some(arrears), 1, 20));
        assert_eq!((known(true, false), known(true, true)), (50, 55));
        assert_eq!((known(false, false), known(false, true)), (60, 65));
    }

    #[test]
    fn the_state_of_work_may_set_less() {
        let strict = [("AK", 40), ("CA", 50), ("TX", 50), ("WV", 55), ("NC", 40)];
        for (state, limit) in strict {
            assert_eq!(percentage(state, facts(Some(false), Some(true), 1, 65)), limit, "{state}");
        }
        assert_eq!(percentage("NC", facts(Some(true), Some(false), 2, 65)), 45);
        assert_eq!(percentage("NC", facts(Some(false), Some(false), 2, 65)), 50);
    }

    #[test]
    fn without_the_facts_the_orders_say_what_may_be_taken() {
        assert_eq!(percentage("NJ", facts(None, None, 1, 40)), 40);
        assert_eq!(percentage("NJ", facts(None, None, 1, 80)), 65);
        assert_eq!(percentage("NJ", facts(Some(true), None, 1, 80)), 55);
        assert_eq!(percentage("NJ", facts(None, Some(false), 1, 80)), 60);
        assert_eq!(percentage("TX", facts(None, None, 1, 80)), 50);
    }

    #[test]
    fn each_state_is_held_and_divides_as_it_does() {
        for (code, _) in crate::check::STATES {
            assert_eq!(on(code).state, code);
        }
        let equal: Vec<_> = crate::check::STATES
            .into_iter()
            .filter(|(code, _)| on(code).allocation == Allocation::Equal)
            .map(|(code, _)| code)
            .collect();
        assert_eq!(equal, ["AR", "TX", "WA"]);
        assert_eq!(on("GU").state, "US");
    }

    #[test]
    fn a_table_that_allows_more_than_federal_law_is_refused() {
        let head = "state,other_family,other_family_arrears,no_other_family,no_other_family_arrears,\
                    several_orders_other_family,several_orders_no_other_family,allocation\n\
                    US,50,55,60,65,,,pro_rata\n";
        let wrong = |row: &str| SupportLimits::parse(&format!("{head}{row}")).unwrap_err().to_string();
        assert_eq!(wrong("TX,50,50,50,66,,,equal"), "TX: above the federal limit");
        assert!(wrong("TX,50,50,50,half,,,equal").contains("half"));
        assert!(wrong("TX,50,50,50,50,,,sideways").contains("sideways"));
        assert!(SupportLimits::parse("state\nTX\n").is_err());
    }

    #[test]
    fn a_row_counts_from_its_first_check_date() {
        let head = "state,from,other_family,other_family_arrears,no_other_family,no_other_family_arrears,\
                    several_orders_other_family,several_orders_no_other_family,allocation\n\
                    US,,50,55,60,65,,,pro_rata\nTX,,50,50,50,50,,,equal\n";
        let newer = "TX,2027-01-01,45,45,45,45,,,equal\n";
        let limits = SupportLimits::parse(&format!("{head}{newer}")).unwrap();
        let of = |year, month, day| {
            limits.limits_of_state("TX", jiff::civil::date(year, month, day)).no_other_family[0].to_text(0)
        };
        assert_eq!((of(2026, 12, 31), of(2027, 1, 1)), ("50".to_owned(), "45".to_owned()));
        let twice = SupportLimits::parse(&format!("{head}{newer}{newer}")).unwrap_err().to_string();
        assert_eq!(twice, "TX: two rows from the same day");
    }
}
