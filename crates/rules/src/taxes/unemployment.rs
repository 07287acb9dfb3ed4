//! The employer's state unemployment insurance: `data/taxes/unemployment_2026.csv`.
//!
//! Rates exclude the funds that have their own line (`NJ_WF_ER`, `NY_RSF`, `RI_JDF`). If the notice gives one rate for
//! both, [`Rate::with_funds`] is set, and the fund has no line. Employee contributions (Alaska, New Jersey,
//! Pennsylvania) are programs of [`super::insurance`].

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use jiff::civil::Date;

use super::bases::Base;
use super::choose::{Facts, Found};
use super::due::{Due, Share};
use super::read::{self, Fault};
use super::source::{Confidence, EnteredBy, Unworked, Why};
use super::table::{Applies, Jurisdiction, Method, Options, Payer, Span, Tax};
use crate::amount::Amount;

static BUILT_IN: LazyLock<UnemploymentTable> = LazyLock::new(|| {
    read::built_in("unemployment_2026.csv", UnemploymentTable::parse(UnemploymentTable::FILE))
});

/// Funds that some notices include in the rate.
const FUNDS: [&str; 3] = ["NJ_WF_ER", "NY_RSF", "RI_JDF"];

/// Programs that states collect with unemployment insurance, on the wages it taxes, such as California's employment training tax
/// (Cal. Unemp. Ins. Code 976.6 and 930) or employee contributions (N.J.S.A. 43:21-7(b)(3) and (d)).
const ON_ITS_WAGES: [&str; 16] = [
    "AK_UI_EE",
    "AL_ESA",
    "CA_ETT",
    "GA_ADMIN",
    "HI_ET",
    "MA_EMAC",
    "MA_WTF",
    "ME_CSSF",
    "NJ_TDI_ER",
    "NJ_UI_EE",
    "NJ_WF_EE",
    "NJ_WF_ER",
    "NV_CEP",
    "NY_RSF",
    "OH_TCSF",
    "RI_JDF",
];

/// Returns the codes of the taxes a state collects on the wages that its unemployment insurance taxes, the insurance first. Wages
/// counted under another state's insurance in the year count against the wage base of each.
pub fn on_its_wages(state: &str) -> impl Iterator<Item = String> {
    let of_state =
        ON_ITS_WAGES.iter().filter(move |code| code.split_once('_').is_some_and(|(of, _)| of == state));
    std::iter::once(format!("{state}_SUI")).chain(of_state.map(|code| (*code).to_owned()))
}

/// An employer's own rate, from its notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Percent.
    pub percent: Amount,
    /// First pay date.
    pub from: Date,
    /// Last pay date; `None` if still in force.
    pub to: Option<Date>,
    /// Whether the rate includes the funds that would otherwise have their own line.
    pub with_funds: bool,
}

/// The employer's settings for a state.
#[derive(Debug, Clone, Default)]
pub struct Employer {
    /// Rates from its notices.
    pub rates: Vec<Rate>,
    /// Whether it is a new employer in the state: the table's rate counts.
    pub new: bool,
    /// Taxable wage base, if the state gives the employer a different one (Michigan, Nebraska, Rhode Island).
    pub wage_base: Option<Amount>,
    /// Whether it has no unemployment insurance in the state, such as a reimbursing nonprofit.
    pub exempt: bool,
    /// Whether the operator has confirmed the table's figures.
    pub confirmed: bool,
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Two-letter code.
    pub state: String,
    /// Taxable wage base of a year; `None` if not known.
    pub wage_base: Option<Amount>,
    /// New employer rate in percent; `None` if it depends on the industry or is not known.
    pub new_employer: Option<Amount>,
    /// Lowest and highest rate in force, in percent.
    pub range: (Option<Amount>, Option<Amount>),
    /// Base of wages.
    pub base: Base,
    /// First pay date.
    pub from: Date,
    /// Last pay date; `None` if still in force.
    pub to: Option<Date>,
    /// Confidence in the wage base.
    pub base_confidence: Confidence,
    /// Confidence in the new employer rate.
    pub rate_confidence: Confidence,
    /// Source of the figures.
    pub source: String,
    /// Remarks.
    pub note: String,
}

/// Wage bases and new employer rates by state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnemploymentTable {
    rows: Vec<Row>,
}

impl UnemploymentTable {
    /// The built-in table, as text.
    pub const FILE: &'static str = include_str!("../../../../data/taxes/unemployment_2026.csv");

    /// Returns the states of which no row begins in a year.
    pub fn states_without(&self, year: i16) -> BTreeSet<&str> {
        let begun: BTreeSet<&str> =
            self.rows.iter().filter(|row| row.from.year() == year).map(|row| row.state.as_str()).collect();
        self.rows.iter().map(|row| row.state.as_str()).filter(|state| !begun.contains(state)).collect()
    }

    /// Returns the built-in table for 2026.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses `unemployment_2026.csv`.
    ///
    /// # Errors
    /// All errors in the table, with line and field.
    pub fn parse(csv: &str) -> Result<Self, Vec<Fault>> {
        let columns = [
            "state",
            "wage_base",
            "new_employer_percent",
            "least_percent",
            "most_percent",
            "base",
            "effective_from",
            "effective_to",
            "base_confidence",
            "rate_confidence",
            "source",
            "note",
        ];
        let mut seen: Vec<(String, Date)> = Vec::new();
        let rows = read::read_rows(csv, &columns, |row| {
            let state = row.required_text("state");
            row.required_text("effective_from");
            let from = row.read_date("effective_from")?;
            if seen.contains(&(state.clone(), from)) {
                row.record_fault("effective_from", "the state has a row from this day already");
            }
            seen.push((state.clone(), from));
            let range = (row.read_percent("least_percent"), row.read_percent("most_percent"));
            if range.0.zip(range.1).is_some_and(|(least, most)| most < least) {
                row.record_fault("most_percent", "must not be below least_percent");
            }
            Some(Row {
                state,
                wage_base: row.read_amount("wage_base"),
                new_employer: row.read_percent("new_employer_percent"),
                range,
                base: row.one_of("base")?,
                from,
                to: row.read_date("effective_to"),
                base_confidence: row.one_of("base_confidence")?,
                rate_confidence: row.one_of("rate_confidence")?,
                source: row.required_text("source"),
                note: row.column_text("note"),
            })
        })?;
        Ok(Self { rows })
    }

    /// Returns a state's row for a date: the latest that has begun and not ended.
    pub fn get(&self, state: &str, day: Date) -> Option<&Row> {
        let counts = |row: &&Row| row.state == state && row.from <= day && row.to.is_none_or(|to| day <= to);
        self.rows.iter().filter(counts).max_by_key(|row| row.from)
    }

    /// Returns every row.
    pub fn iter(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter()
    }
}

/// Adds the employer's unemployment insurance in a state to `found`. If the rate includes the funds, their lines are removed.
pub fn add_due_tax(
    table: &UnemploymentTable,
    facts: &Facts<'_>,
    (state, employer): (&str, &Employer),
    found: &mut Found,
) {
    if employer.exempt {
        return;
    }
    let current = |rate: &&Rate| rate.from <= facts.day && rate.to.is_none_or(|to| facts.day <= to);
    let own = employer.rates.iter().filter(current).max_by_key(|rate| rate.from);
    match choose_due_tax(table, facts, (state, employer), own) {
        Ok(due) => {
            if own.is_some_and(|rate| rate.with_funds) {
                let fund = |code: &str| FUNDS.contains(&code) && code.starts_with(state);
                found.dues.retain(|due| !fund(&due.code));
                found.unworked.retain(|unworked| !fund(&unworked.code));
            }
            found.dues.push(due);
        }
        Err(unworked) => found.unworked.push(unworked),
    }
}

fn choose_due_tax(
    table: &UnemploymentTable,
    facts: &Facts<'_>,
    (state, employer): (&str, &Employer),
    own: Option<&Rate>,
) -> Result<Due, Unworked> {
    let unworked = |why| Unworked {
        code: format!("{state}_SUI"),
        name: format!("{state} SUI"),
        jurisdiction: Jurisdiction::state(state),
        payer: Payer::Employer,
        why,
    };
    let row = table.get(state, facts.day).ok_or_else(|| unworked(Why::NoRow))?;
    let percent = match own {
        Some(rate) => rate.percent,
        None if !employer.new => {
            return Err(unworked(Why::Missing(
                "the rate of the employer's notice",
                EnteredBy::CompanyTaxes,
                Vec::new(),
            )));
        }
        None if !(employer.confirmed || row.rate_confidence.is_enough()) => {
            return Err(unworked(Why::Unconfirmed(row.rate_confidence)));
        }
        None => row.new_employer.ok_or_else(|| unworked(Why::Gap))?,
    };
    if employer.wage_base.is_none() && !(employer.confirmed || row.base_confidence.is_enough()) {
        return Err(unworked(Why::Unconfirmed(row.base_confidence)));
    }
    let base = employer.wage_base.or(row.wage_base).ok_or_else(|| unworked(Why::Gap))?;
    Ok(Due {
        tax: Arc::new(tax_of(state, row)),
        code: format!("{state}_SUI"),
        payer: Payer::Employer,
        method: Method::Rate(percent),
        share: Share::ALL,
        wage_base: Some((base, Span::Year)),
        off: Amount::ZERO,
        exemptions: 0,
        credits: Vec::new(),
        borne: None,
        base: row.base,
        treatments: facts.treatments(row.base, employer.confirmed),
    })
}

fn tax_of(state: &str, row: &Row) -> Tax {
    let (code, name) = (format!("{state}_SUI"), format!("{state} SUI"));
    let (who, how) = ((Payer::Employer, Applies::Work), (row.base, Method::Gap));
    Tax {
        options: Options { own_rate: true, ..Options::default() },
        from: Some(row.from),
        to: row.to,
        confidence: row.base_confidence,
        source: row.source.clone(),
        note: row.note.clone(),
        ..Tax::plain_tax(code, name, Jurisdiction::state(state), who, how)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::taxes::TaxTable;
    use crate::taxes::table::Limit;

    #[test]
    fn what_is_collected_on_its_wages_has_its_wage_base() {
        let day = date(2026, 6, 1);
        for code in ON_ITS_WAGES {
            let rows = TaxTable::insurance().iter().filter(|tax| tax.code == code);
            let bases: Vec<_> = rows.map(|tax| tax.wage_base).collect();
            let own = UnemploymentTable::built_in().get(&code[..2], day).and_then(|row| row.wage_base);
            assert!(own.is_some() && !bases.is_empty(), "{code}");
            assert!(
                bases.iter().all(|base| *base == own.map(|base| (Limit::Dollars(base), Span::Year))),
                "{code}: {bases:?}"
            );
        }
        assert_eq!(on_its_wages("CA").collect::<Vec<_>>(), ["CA_SUI", "CA_ETT"]);
        assert_eq!(on_its_wages("TX").collect::<Vec<_>>(), ["TX_SUI"]);
    }
}
