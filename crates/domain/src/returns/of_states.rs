//! Returns and reports that go to states: what the taxes of the year come to in each, and when it is due. They are made with the agency.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::civil::Date;
use returns::Quarter;
use returns::efw2::states;
use returns::state_wages::StateReports;
use returns::state_withholding::{Filed, WithholdingReturns};
use rules::dated::Dated;
use rules::taxes::book::state_of_income_tax;
use store::Tx;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::figures::YearFigures;
use super::other_taxes::TaxOfQuarter;
use crate::error::Error;
use crate::platform::law::Law;
use crate::platform::reference::Vintage;
use crate::platform::{confirmations, law};

/// Suffix of the codes of states' unemployment insurance.
const INSURANCE: &str = "_SUI";

/// What a return to a state is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, VariantArray, IntoStaticStr, EnumString)]
pub enum StateReturnKind {
    /// income tax that was withheld
    #[strum(serialize = "withheld_income_tax")]
    WithheldIncomeTax,
    /// wages, and contributions to its unemployment insurance
    #[strum(serialize = "unemployment_wages")]
    UnemploymentWages,
    /// Forms W-2 of the year
    #[strum(serialize = "wage_statements")]
    WageStatements,
}

/// A return or a report to a state. Amounts are cents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateReturn {
    /// two-letter code
    pub state: String,
    /// what it is about
    pub kind: StateReturnKind,
    /// name of the form
    pub form: String,
    /// the quarter, from 1 to 4; `None` for a return of the year
    pub quarter: Option<i8>,
    /// last day on which it is in time
    pub due: Date,
    /// taxable wages
    pub taxable: i64,
    /// withheld, or owed by the employer
    pub amount: i64,
    /// whether another provider paid some of it and told no wages
    pub lacks_wages: bool,
    /// key under which an operator confirms form and day, if they are in doubt and not confirmed yet
    pub to_confirm: Option<String>,
    /// why no file is written for it; `None` if one is, and for what has no file at all
    pub without_file: Option<String>,
}

impl StateReturn {
    /// What is in doubt about it, in words, with what to do.
    pub fn doubt_text(&self) -> Option<String> {
        let key = self.to_confirm.as_ref()?;
        Some(format!(
            "form and day are from general knowledge: check them with the agency, then confirm them (stipend data confirm {key})"
        ))
    }
}

/// A row of the tables of states' returns.
struct Row {
    form: String,
    filed: Filed,
    due: Date,
    key: String,
    in_doubt: bool,
}

/// The tables of states' returns.
struct Tables {
    withheld: Arc<Vintage<Law<Dated<WithholdingReturns>>>>,
    wages: Arc<Vintage<Law<Dated<StateReports>>>>,
}

fn state_return_row(tables: &Tables, state: &str, kind: StateReturnKind, quarter: Quarter) -> Option<Row> {
    let day = quarter.last_day();
    match kind {
        StateReturnKind::WithheldIncomeTax => {
            tables.withheld.edition_on(day).return_of_state(state).map(|one| Row {
                form: one.form.clone(),
                filed: one.filed,
                due: one.due_date(quarter),
                key: one.key(),
                in_doubt: !one.confidence.is_enough(),
            })
        }
        StateReturnKind::UnemploymentWages => {
            tables.wages.edition_on(day).report_of_state(state).map(|one| Row {
                form: one.form.clone(),
                filed: Filed::EachQuarter,
                due: one.due_date(quarter),
                key: one.key(),
                in_doubt: !one.confidence.is_enough(),
            })
        }
        // They are sums of Forms W-2, not of taxes.
        StateReturnKind::WageStatements => None,
    }
}

/// Returns the returns and reports of a year to states, in the order of the due dates.
pub fn of_year(tx: &mut Tx<'_>, year: &YearFigures) -> Result<Vec<StateReturn>, Error> {
    let confirmed = confirmations::confirmed_keys(tx)?;
    let mut all = of_taxes(tx, &year.other_taxes, &confirmed)?;
    all.extend(of_statements(year, &confirmed));
    all.sort_by(|one, other| {
        (one.due, &one.state, one.kind, one.quarter).cmp(&(
            other.due,
            &other.state,
            other.kind,
            other.quarter,
        ))
    });
    Ok(all)
}

/// The Forms W-2 of a year for each state that takes them.
fn of_statements<'y>(
    year: &'y YearFigures,
    confirmed: &BTreeSet<String>,
) -> impl Iterator<Item = StateReturn> + 'y {
    let confirmed = confirmed.clone();
    year.w3.states.iter().filter_map(move |(state, taxed)| {
        let of = states::return_of_state(state)?;
        let form = if of.form.is_empty() { "W-2".to_owned() } else { format!("W-2, {}", of.form) };
        Some(StateReturn {
            state: state.clone(),
            kind: StateReturnKind::WageStatements,
            form,
            quarter: None,
            due: of.due_date(year.year),
            taxable: taxed.wages,
            amount: taxed.tax,
            lacks_wages: false,
            to_confirm: Some(of.key()).filter(|key| !of.confidence.is_enough() && !confirmed.contains(key)),
            without_file: Some(of.without_file.clone()).filter(|why| !why.is_empty()),
        })
    })
}

fn of_taxes(
    tx: &mut Tx<'_>,
    taxes: &[TaxOfQuarter],
    confirmed: &BTreeSet<String>,
) -> Result<Vec<StateReturn>, Error> {
    let tables = Tables { withheld: law::in_force(tx)?, wages: law::in_force(tx)? };
    let mut found = BTreeMap::<(Date, String, StateReturnKind, Option<i8>), StateReturn>::new();
    for tax in taxes {
        let income =
            state_of_income_tax(&tax.id.code).map(|state| (state, StateReturnKind::WithheldIncomeTax));
        let insurance =
            tax.id.code.strip_suffix(INSURANCE).map(|state| (state, StateReturnKind::UnemploymentWages));
        let Some((state, kind)) = income.or(insurance) else { continue };
        let Some(row) = state_return_row(&tables, state, kind, tax.quarter) else { continue };
        let quarter = (row.filed == Filed::EachQuarter).then(|| tax.quarter.number());
        let to_confirm = Some(row.key).filter(|key| row.in_doubt && !confirmed.contains(key));
        let sum = found.entry((row.due, state.to_owned(), kind, quarter)).or_insert_with(|| StateReturn {
            state: state.to_owned(),
            kind,
            form: row.form,
            quarter,
            due: row.due,
            taxable: 0,
            amount: 0,
            lacks_wages: false,
            to_confirm,
            without_file: None,
        });
        sum.taxable += tax.taxable;
        sum.amount += tax.amount;
        sum.lacks_wages |= tax.lacks_wages;
    }
    Ok(found.into_values().collect())
}
