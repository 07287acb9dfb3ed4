//! Taxes for lookup: all taxes in the tables, and those that apply to an employee today, with the reason.

use std::collections::BTreeMap;

use jiff::civil::Date;
use rules::days::Days;
use rules::places::Told;
use rules::taxes::book::code_of_income_tax;
use rules::taxes::{
    Applies, Confidence, Due, Jurisdiction, Level, NonresidentTable, Payer, Situation, StateIncome,
    catalog_of, catalog_of_register, residence_key,
};
use rules::withholding::federal::PayFrequency;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::pay::payrolls::calendar::members::Member;
use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::facts::tables::PayrollTables;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::run::snapshot::{self, Snapshot};
use crate::people::addresses::service as addresses;
use crate::people::employees;
use crate::platform::confirmations;
use crate::platform::law::Tables;

/// The pay frequencies for which a state's formula is looked up.
const FREQUENCIES: [PayFrequency; 4] = [
    PayFrequency::EveryWeek,
    PayFrequency::EveryOtherWeek,
    PayFrequency::TwicePerMonth,
    PayFrequency::Monthly,
];

/// A tax in the tables.
#[derive(Debug, Clone)]
pub struct Tax {
    /// stable code, such as `CA_SDI` or `CA_INCOME`
    pub code: String,
    /// as printed on a pay stub
    pub name: String,
    /// who levies it
    pub jurisdiction: Jurisdiction,
    /// who pays it
    pub payer: Payer,
    /// whether paychecks calculate it today
    pub supported: bool,
    /// first pay date covered by the tables
    pub from: Option<Date>,
    /// last pay date
    pub to: Option<Date>,
    /// where the figures come from
    pub source: String,
    /// how reliable the figures are; `None` for a formula that a state has published
    pub confidence: Option<Confidence>,
}

/// A tax that applies to an employee.
#[derive(Debug, Clone)]
pub struct EmployeeTax {
    /// stable code
    pub code: String,
    /// as printed on a pay stub
    pub name: String,
    /// who levies it
    pub jurisdiction: Jurisdiction,
    /// who pays it
    pub payer: Payer,
    /// whether a paycheck calculates it
    pub worked_out: bool,
    /// why it applies to the employee, or why it is not calculated
    pub why: String,
}

/// Returns every state and local tax, by code.
pub fn list_taxes(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Tax>, Error> {
    let (today, held) = (caller.today(tx), Tables::read(tx)?);
    let confirmed = confirmations::confirmed_keys(tx)?;
    let in_force = |from: Option<Date>, to: Option<Date>| {
        from.is_none_or(|from| from <= today) && to.is_none_or(|to| today <= to)
    };
    let register = catalog_of_register(&held.pennsylvania_register);
    let in_tables = catalog_of([&held.state_programs, &held.local_taxes], &held.unemployment_insurance);
    let of_tables = in_tables.iter().chain(&register).map(|entry| Tax {
        supported: entry.has_figure
            && (entry.confidence.is_enough() || confirmed.contains(&entry.code))
            && in_force(entry.from, entry.to),
        code: entry.code.clone(),
        name: entry.name.clone(),
        jurisdiction: entry.jurisdiction.clone(),
        payer: entry.payer,
        from: entry.from,
        to: entry.to,
        source: entry.source.clone(),
        confidence: Some(entry.confidence),
    });
    let of_states = held.state_withholding.iter().map(|formula| Tax {
        code: code_of_income_tax(&formula.state),
        name: income_name(&formula.state),
        jurisdiction: Jurisdiction::state(&formula.state),
        payer: Payer::Employee,
        supported: FREQUENCIES.iter().any(|frequency| {
            let found = held.state_withholding.find_formula(
                &formula.state,
                today,
                Days { first: today, last: today },
                *frequency,
            );
            found.is_ok_and(|found| found.from == formula.from)
        }),
        from: Some(formula.from),
        to: Some(formula.until),
        source: formula.edition.clone(),
        confidence: None,
    });
    let mut taxes: Vec<Tax> = of_tables.chain(of_states).collect();
    taxes.sort_by(|a, b| (&a.code, a.payer, a.from).cmp(&(&b.code, b.payer, b.from)));
    Ok(taxes)
}

/// Returns the state and local taxes that apply to an employee who is paid today, by code. Empty without a work address or tax tables.
///
/// # Errors
/// "Not found"; a store error.
pub fn of_employee(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Vec<EmployeeTax>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?;
    let day = caller.today(tx);
    // An unsaved payroll of one day.
    let payroll =
        Payroll::new((Uuid::nil(), tx.now()), Days { first: day, last: day }, day, PayFrequency::EveryWeek);
    let Ok(tables) = PayrollTables::read_for_check_date(tx, day, true)? else { return Ok(Vec::new()) };
    let context = Context::read(tx, caller.company, payroll, tables)?;
    let found = snapshot::read_paycheck_inputs(tx, &context, &[Member::from_employee(&employee)])?.pop();
    let Snapshot { inputs, .. } = found.ok_or_else(|| Error::internal("an employee has no inputs"))?;
    let terms = context.tables.terms_of(&context.payroll);
    let told = sources_of_localities(tx, caller, employee.id)?;
    let residents = context.tables.held.residents.edition_on(day);
    Ok(taxes_of_situation(residents, &context.tables.situation_in(&inputs.circumstances, &terms), &told))
}

/// Returns how the localities of the employee's current addresses were determined, by their keys.
fn sources_of_localities(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
) -> Result<BTreeMap<String, Told>, Error> {
    let homes = addresses::home_addresses(tx, caller, employee)?.into_iter();
    let homes = homes.filter(|home| home.active).flat_map(|home| home.jurisdictions);
    let works = addresses::list_work(tx, caller, employee)?.into_iter();
    let works = works.filter(|work| work.active).flat_map(|work| work.jurisdictions);
    Ok(homes.chain(works).map(|at| (at.code, at.told_by)).collect())
}

fn taxes_of_situation(
    residents: &NonresidentTable,
    situation: &Situation,
    told: &BTreeMap<String, Told>,
) -> Vec<EmployeeTax> {
    let dues = situation.due_taxes().iter().map(|due| EmployeeTax {
        code: due.code.clone(),
        name: due.name(),
        jurisdiction: due.tax.jurisdiction.clone(),
        payer: due.payer,
        worked_out: true,
        why: why_due(due, told.get(&due.tax.jurisdiction.place).copied()),
    });
    let has_tax = |state: &&StateIncome| residents.get(&state.state).is_none_or(|rule| rule.taxes_wages);
    let states = situation.states().iter().filter(has_tax).map(|state| EmployeeTax {
        code: code_of_income_tax(&state.state),
        name: income_name(&state.state),
        jurisdiction: Jurisdiction::state(&state.state),
        payer: Payer::Employee,
        worked_out: state.withheld,
        why: why_state(state),
    });
    let open = situation.uncalculated_taxes().iter().map(|open| EmployeeTax {
        code: open.code.clone(),
        name: open.name.clone(),
        jurisdiction: open.jurisdiction.clone(),
        payer: open.payer,
        worked_out: false,
        why: match open.code.strip_suffix("_INCOME") {
            Some(state) => format!("{} ({})", open.why, residence_key(state)),
            None => open.why.to_string(),
        },
    });
    let mut taxes: Vec<EmployeeTax> = dues.chain(states).chain(open).collect();
    taxes.sort_by(|a, b| (&a.code, a.payer).cmp(&(&b.code, b.payer)));
    taxes
}

fn why_due(due: &Due, told: Option<Told>) -> String {
    let who = match due.tax.applies {
        Applies::Work | Applies::OhioZone => "works",
        Applies::WorkResident => "lives and works",
        Applies::WorkNonresident => "works, and does not live,",
        Applies::Residence => "lives",
        Applies::ResidenceJanuary => "lived or worked on 1 January",
        Applies::Both | Applies::Michigan | Applies::OhioCity => "lives or works",
    };
    let jurisdiction = &due.tax.jurisdiction;
    match jurisdiction.level {
        Level::State => format!("{who} in {}", jurisdiction.state),
        _ => {
            let told = match told {
                Some(Told::Zip) => ", by the ZIP code",
                Some(Told::City) => ", by the name of the city",
                Some(Told::Certificate) => ", by the certificate",
                Some(Told::Answer) => ", by the answer about the address",
                Some(Told::Correction) => ", by the jurisdiction_codes of the address",
                None => "",
            };
            format!("{who} where {} is levied{told}", due.tax.name)
        }
    }
}

fn why_state(state: &StateIncome) -> String {
    match state.why.is_empty() {
        true => format!("lives and works in {}", state.state),
        false => state.why.clone(),
    }
}

fn income_name(state: &str) -> String {
    format!("{state} income tax")
}
