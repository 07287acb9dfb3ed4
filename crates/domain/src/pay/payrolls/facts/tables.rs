//! The legal tables that a payroll is calculated with, and which of them are missing.
//!
//! A payroll needs the tables of the year of its check date. If a company continues with those of an earlier year
//! (its [settings](crate::pay::payrolls::record::settings)), each paycheck based on them carries a warning.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::civil::Date;
use rules::Named;
use rules::payroll::Payroll as Terms;
use rules::payroll::benefits::Group;
use rules::payroll::item_of_type;
use rules::taxes::{
    Base, BaseTable, Circumstances, Due, Item, NonresidentTable, Situation, StateIncome, SupplementalTable,
    TaxTables, supplemental_key, wages_key,
};
use rules::withholding::state::formula::{Formulas, Unusable};
use store::Tx;

use crate::error::Error;
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::texts;
use crate::pay::payrolls::record::warning::Warning;
use crate::platform::law::{LawTable, Missing, Tables, missing_of_country, missing_of_groups};

/// Maximum number of circumstances whose taxes are cached.
const MOST_SITUATIONS: usize = 10_000;

/// The tables of a payroll.
#[derive(Debug, Clone)]
pub struct PayrollTables {
    /// all tables in force
    pub held: Tables,
    /// the year whose federal income tax withholding tables are used
    pub year: i16,
    /// the year whose Social Security, Medicare and unemployment taxes are used, with their wage bases
    payroll_taxes_year: i16,
    /// the year of the check date
    check_year: i16,
    /// whether tables of an earlier year may replace missing ones
    earlier_years: bool,
    /// cached taxes of employees in the same circumstances
    situations: Arc<Mutex<HashMap<Circumstances, Arc<Situation>>>>,
}

impl PayrollTables {
    /// Reads the tables for a check date, or returns the missing ones. With `earlier_years`, the newest earlier tables replace them.
    pub fn read_for_check_date(
        tx: &mut Tx<'_>,
        check_date: Date,
        earlier_years: bool,
    ) -> Result<Result<Self, Vec<Missing>>, Error> {
        Ok(Self::for_check_date(Tables::read(tx)?, check_date, earlier_years))
    }

    /// Reads the tables that a calculation used for paychecks of a check date; `None` if one of them is no longer stored.
    pub fn read_used_tables(
        tx: &mut Tx<'_>,
        check_date: Date,
        names: &BTreeMap<String, String>,
    ) -> Result<Option<Self>, Error> {
        Ok(Tables::named(tx, names)?.and_then(|held| Self::for_check_date(held, check_date, true).ok()))
    }

    fn for_check_date(held: Tables, check_date: Date, earlier_years: bool) -> Result<Self, Vec<Missing>> {
        let check_year = check_date.year();
        let withholding = held.federal_withholding.iter().map(|of_year| of_year.year);
        let payroll_taxes = held.payroll_taxes.iter().map(|of_year| of_year.year);
        let (Some(year), Some(payroll_taxes_year)) =
            (newest_year_until(withholding, check_year), newest_year_until(payroll_taxes, check_year))
        else {
            return Err(missing_of_country(&held, check_year));
        };
        if !earlier_years && (year, payroll_taxes_year) != (check_year, check_year) {
            return Err(missing_of_country(&held, check_year));
        }
        let situations = Arc::default();
        Ok(Self { held, year, payroll_taxes_year, check_year, earlier_years, situations })
    }

    /// Returns the same tables without what they have worked out for one check date, for paychecks of others.
    pub fn for_other_check_dates(&self) -> Self {
        Self { situations: Arc::default(), ..self.clone() }
    }

    /// Returns the built-in tables, for a check date whose year they cover.
    #[cfg(test)]
    pub fn built_in(check_date: Date) -> Self {
        let check_year = check_date.year();
        let (held, situations) = (Tables::built_in(), Arc::default());
        let (year, payroll_taxes_year) = (check_year, check_year);
        Self { held, year, payroll_taxes_year, check_year, earlier_years: false, situations }
    }

    /// Returns the terms shared by all employees of a payroll.
    ///
    /// # Panics
    /// Never: the tables cover the year.
    pub fn terms_of(&self, payroll: &Payroll) -> Terms<'_> {
        let federal = self.held.federal_withholding.tables_of_year(self.year);
        let taxes = self.held.payroll_taxes.taxes_of_year(self.payroll_taxes_year);
        let (Some(federal), Some(taxes)) = (federal, taxes) else {
            panic!("the years were chosen for their tables")
        };
        Terms {
            start: payroll.start,
            end: payroll.end,
            check_date: payroll.check_date,
            frequency: payroll.frequency,
            withholding_period: payroll.withholding_pay_period,
            fixed_withholding_rate: payroll.fixed_withholding_rate,
            skip_regular_deductions: payroll.skip_regular_deductions,
            pays_salaries: payroll.pays_wages_of_its_days(),
            proration: payroll.salary_proration(),
            federal,
            taxes,
            benefit_limits: &self.held.benefit_limits,
        }
    }

    /// Returns the state and local taxes due in some circumstances, which most employees of a company share.
    pub fn situation_in(&self, circumstances: &Circumstances, terms: &Terms<'_>) -> Arc<Situation> {
        let mut found = self.situations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(situation) = found.get(circumstances) {
            return Arc::clone(situation);
        }
        if found.len() >= MOST_SITUATIONS {
            found.clear();
        }
        let base = terms.taxes.social_security_base;
        let tables = TaxTables {
            insurance: &self.held.state_programs,
            unemployment: &self.held.unemployment_insurance,
            local: &self.held.local_taxes,
            pennsylvania: &self.held.pennsylvania_register,
            bases: self.held.tax_bases.edition_on(terms.check_date),
            reciprocity: &self.held.reciprocity,
            residents: self.held.residents.edition_on(terms.check_date),
            ohio_credits: &self.held.ohio_credits,
            city_credits: self.held.city_credits.edition_on(terms.check_date),
        };
        let situation = circumstances.find_situation(&tables, terms.check_date, base);
        let situation = Arc::new(situation);
        found.insert(circumstances.clone(), Arc::clone(&situation));
        situation
    }

    /// Returns the terms of the payroll for a state's formula: if an earlier table replaces a missing one, the check date is the last day
    /// of that table.
    pub fn terms_of_state<'t>(&self, terms: &Terms<'t>, state: &str) -> Terms<'t> {
        match self.held.state_withholding.last_day_until(state, terms.check_date) {
            Some(last) if self.earlier_years => {
                let (check_date, start) = (terms.check_date.min(last), terms.start.min(last));
                Terms { check_date, start, ..*terms }
            }
            _ => *terms,
        }
    }

    /// Returns the tables missing for an employee, beyond those that every payroll needs.
    fn missing_of(&self, payroll: &Payroll, inputs: &PaycheckInputs) -> Vec<Missing> {
        let mut missing = Vec::new();
        let situation = self.situation_in(&inputs.circumstances, &self.terms_of(payroll));
        let withheld = situation.states().iter().filter(|income| income.withheld);
        let of_states: Vec<&str> = withheld
            .map(|income| income.state.as_str())
            .filter(|state| inputs.state.supplied.is_none() || *state != inputs.state.state)
            .filter(|state| self.formula_is_missing(payroll, state))
            .collect();
        if !of_states.is_empty() {
            missing.push(Missing::of_year(Formulas::KIND, self.check_year, &of_states));
        }
        let groups = inputs.benefits.iter().filter_map(|benefit| Group::group_of_code(benefit.kind.code));
        missing.extend(missing_of_groups(&self.held, self.check_year, groups));
        missing
    }

    /// Whether a state has formulas for earlier days, but none for the check date.
    fn formula_is_missing(&self, payroll: &Payroll, state: &str) -> bool {
        let formulas = &self.held.state_withholding;
        let found =
            formulas.find_formula(state, payroll.check_date, payroll.days(), payroll.withholding_pay_period);
        let last = formulas.last_day_until(state, payroll.check_date);
        last.is_some_and(|last| last < payroll.check_date) && matches!(found, Err(Unusable::NotInForce(_)))
    }

    /// Returns why the employee cannot be paid: missing tables that earlier ones must not replace.
    pub fn missing_tables_for(&self, payroll: &Payroll, inputs: &PaycheckInputs) -> Vec<Missing> {
        if self.earlier_years { Vec::new() } else { self.missing_of(payroll, inputs) }
    }

    /// Returns a paycheck's warnings about tables: earlier ones that were used, figures in doubt, and thresholds that could not be checked.
    pub fn table_warnings(&self, payroll: &Payroll, inputs: &PaycheckInputs) -> Vec<Warning> {
        let situation = self.situation_in(&inputs.circumstances, &self.terms_of(payroll));
        let mut warnings = self.of_other_taxes(&situation);
        warnings.extend(of_supplemental_rates(&self.held.supplemental_rates, &situation, payroll, inputs));
        let day = payroll.check_date;
        warnings.extend(of_wages_in_doubt(self.held.tax_bases.edition_on(day), &situation, inputs));
        warnings.extend(of_rates_that_went_on(&situation, payroll));
        warnings.extend(of_undated_visits(self.held.residents.edition_on(day), &inputs.circumstances));
        if !self.earlier_years {
            return warnings;
        }
        let mut missing = missing_of_country(&self.held, self.check_year);
        missing.extend(self.missing_of(payroll, inputs));
        let warning = |table: &Missing| texts::EARLIER_TABLE.to_warning(&[("table", &table.missing_what())]);
        warnings.extend(missing.iter().map(warning));
        warnings
    }

    /// Warns about a check date outside the year of the built-in tables of state programs and local taxes if a figure that began with that
    /// year was used: it may have a new edition. What began before is no figure of that year, and what was imported for the check date is new.
    fn of_other_taxes(&self, situation: &Situation) -> Vec<Warning> {
        let is_old = |due: &Due| due.tax.from.is_some_and(|from| from.year() == TaxTables::YEAR);
        if self.check_year == TaxTables::YEAR || !situation.due_taxes().iter().any(is_old) {
            return Vec::new();
        }
        let (year, held) = (self.check_year, TaxTables::YEAR);
        vec![texts::EARLIER_LOCAL_TABLES.to_warning(&[("year", &year), ("held", &held)])]
    }
}

/// Warns about states without a rate for supplemental wages, or whose rate is in doubt and not confirmed: their formula for regular wages
/// is used, on the pay of this payroll alone.
fn of_supplemental_rates(
    table: &SupplementalTable,
    situation: &Situation,
    payroll: &Payroll,
    inputs: &PaycheckInputs,
) -> Vec<Warning> {
    if !payroll.fixed_withholding_rate {
        return Vec::new();
    }
    let taxes_wages = |income: &&StateIncome| table.iter().any(|row| row.state == income.state);
    let withheld = situation.states().iter().filter(|income| income.withheld).filter(taxes_wages);
    let warnings = |income: &StateIncome| {
        let (state, key) = (&income.state, supplemental_key(&income.state));
        let rates = table.rates_of_state(state, payroll.check_date);
        let confirmed = inputs.circumstances.confirmed.contains(&key);
        let counts = rates.as_ref().is_some_and(|rates| rates.confidence().is_enough() || confirmed);
        let in_doubt = rates
            .filter(|_| !counts)
            .map(|_| texts::SUPPLEMENTAL_RATE.to_warning(&[("state", state), ("confirm", &key)]));
        let alone = || texts::SUPPLEMENTAL_ALONE.to_warning(&[("state", state)]);
        in_doubt.into_iter().chain((!counts).then(alone))
    };
    withheld.flat_map(warnings).collect()
}

/// Warns about benefits for which it is uncertain whether a state, a program or a locality counts them as wages: they count as in federal
/// wages.
fn of_wages_in_doubt(table: &BaseTable, situation: &Situation, inputs: &PaycheckInputs) -> Vec<Warning> {
    if inputs.benefits.is_empty() {
        return Vec::new();
    }
    let held: BTreeSet<&str> =
        inputs.benefits.iter().filter_map(|one| item_of_type(one.kind)).map(Item::as_str).collect();
    let withheld = situation.states().iter().filter(|income| income.withheld);
    let warning = |income: &StateIncome| {
        let (state, key) = (&income.state, wages_key(&income.state));
        if inputs.circumstances.confirmed.contains(&key) {
            return None;
        }
        let doubtful = table.doubtful_of_state_income(state);
        let (item, _) = doubtful.into_iter().find(|(item, _)| held.contains(item.as_str()))?;
        Some(texts::STATE_WAGES.to_warning(&[("item", &item.as_str()), ("state", state), ("confirm", &key)]))
    };
    let of_income: Vec<Warning> = withheld.filter_map(warning).collect();
    of_income.into_iter().chain(of_programmes(table, situation, &inputs.circumstances, &held)).collect()
}

/// Warns about taxes whose new figure is uncertain and not confirmed: the previous one was used.
fn of_rates_that_went_on(situation: &Situation, payroll: &Payroll) -> Vec<Warning> {
    let ended = |due: &&Due| due.tax.to.is_some_and(|last| last < payroll.check_date);
    let warning = |due: &Due| {
        let (tax, day) = (&due.tax, payroll.check_date);
        texts::PREVIOUS_RATE.to_warning(&[
            ("tax", &tax.name),
            ("day", &day),
            ("last", &tax.to.unwrap_or(day)),
            ("confirm", &tax.code),
        ])
    };
    situation.due_taxes().iter().filter(ended).map(warning).collect()
}

/// Warns about benefits for which it is uncertain whether programs or localities count them as wages: they count as for federal
/// unemployment tax.
fn of_programmes(
    table: &BaseTable,
    situation: &Situation,
    circumstances: &Circumstances,
    held: &BTreeSet<&str>,
) -> Vec<Warning> {
    let mut taxes: BTreeMap<(Item, Base), BTreeSet<&str>> = BTreeMap::new();
    for due in situation.due_taxes() {
        let confirmed = |key: &String| circumstances.confirmed.contains(key);
        if confirmed(&due.tax.code) || due.base.wages_key().as_ref().is_some_and(confirmed) {
            continue;
        }
        for item in table.in_doubt(due.base).into_iter().filter(|item| held.contains(item.as_str())) {
            taxes.entry((item, due.base)).or_default().insert(&due.tax.name);
        }
    }
    let warning = |((item, base), names): ((Item, Base), BTreeSet<&str>)| {
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        let remedy = base.wages_key().map_or_else(
            || "check it against the authority's notice".to_owned(),
            |key| format!("check it against the authority's notice, and have the operator confirm {key}"),
        );
        texts::TAX_WAGES.to_warning(&[("item", &item.as_str()), ("taxes", &names), ("remedy", &remedy)])
    };
    taxes.into_iter().map(warning).collect()
}

/// Warns about states and localities whose threshold of days could not be checked, because hours there were entered without days.
fn of_undated_visits(residents: &NonresidentTable, circumstances: &Circumstances) -> Vec<Warning> {
    let undated = circumstances.visited.iter().filter(|(_, visited)| visited.undated);
    let by_days = undated.filter(|(key, _)| residents.get(key).is_none_or(|rule| rule.days.is_some()));
    let warning = |(key, _): (&String, _)| texts::WORK_DAYS.to_warning(&[("place", key)]);
    by_days.map(warning).collect()
}

/// Returns the newest of the years up to `year`.
fn newest_year_until(years: impl Iterator<Item = i16>, year: i16) -> Option<i16> {
    years.filter(|held| *held <= year).max()
}

/// Returns the missing tables among those that every payroll with a check date needs; empty if the company uses those of an earlier
/// year, and these exist.
pub fn missing_tables(tx: &mut Tx<'_>, check_date: Date, earlier_years: bool) -> Result<Vec<Missing>, Error> {
    Ok(PayrollTables::read_for_check_date(tx, check_date, earlier_years)?.err().unwrap_or_default())
}
