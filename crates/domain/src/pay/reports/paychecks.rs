//! The payroll journal: paychecks of processed payrolls, with the requested columns.
//!
//! Without groupings, each paycheck is a row. With groupings, there is one row for each combination of their values, which are the first
//! columns unless requested elsewhere. Amounts and hours are added up, and text is kept if it is the same in all paychecks of the row.

use std::collections::{BTreeMap, HashMap, HashSet};

use rules::compensation::FlsaStatus;
use rules::{Named, Violation};
use store::Tx;
use uuid::Uuid;

use super::columns::{Facts, ReportedEmployee, ShownAccount, column_cell};
use super::table::{Cell, Table};
use super::terms::{Custom, DateFilter, Employment, Grouping, Method, Standing};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::Page;
use crate::pay::compensations::rows as pay;
use crate::pay::payrolls::closing::processing::disbursements::ByCheck;
use crate::pay::payrolls::record::lines::StoredPaycheck;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::{results, rows as payrolls};
use crate::people::{addresses, departments, employees, employment, payment_methods};
use crate::records::IdRange;

/// Number of paychecks read at a time.
const STRETCH: i64 = 200;
/// Maximum number of paychecks in one report.
const MOST: usize = 20_000;

/// Makes the journal of the requested paychecks.
///
/// # Errors
/// 422 if there are too many paychecks; a store error.
pub(super) fn paycheck_journal(tx: &mut Tx<'_>, caller: &Caller, custom: &Custom) -> Result<Table, Error> {
    let columns = columns_with_groupings(custom);
    let mut people: HashMap<Uuid, Option<ReportedEmployee>> = HashMap::new();
    let mut rows: BTreeMap<Vec<String>, Vec<Cell>> = BTreeMap::new();
    let mut read = 0;
    for payroll in payrolls_of(tx, caller.company, custom)? {
        let Some(run) = payroll.run else { continue };
        let by_check = ByCheck::of_payroll(tx, caller.company, &payroll)?;
        let mut after = Uuid::nil();
        loop {
            let some = results::outcomes_after(tx, caller.company, run, after, STRETCH)?;
            let Some(last) = some.last() else { break };
            after = last.employee;
            read += some.len();
            if read > MOST {
                let why =
                    format!("end_date must be closer to start_date: there are more than {MOST} paychecks");
                return Err(Violation::invalid("end_date", why).into());
            }
            for outcome in &some {
                let held = match people.entry(outcome.employee) {
                    std::collections::hash_map::Entry::Occupied(held) => held.into_mut(),
                    std::collections::hash_map::Entry::Vacant(new) => {
                        new.insert(find_person(tx, caller, custom, outcome.employee)?)
                    }
                };
                let Some(person) = held else { continue };
                let mut paid = outcome.read_paycheck()?;
                by_check.take_out(outcome, &mut paid);
                let check_cents = by_check.cents_of(outcome, &paid);
                let inputs = outcome.readable_inputs(payroll.id);
                let paycheck = StoredPaycheck { outcome, paid: &paid, inputs: inputs.as_ref() };
                let facts = Facts {
                    payroll: &payroll,
                    outcome,
                    paid: &paid,
                    check_cents,
                    inputs: inputs.as_ref(),
                    earnings: paycheck.earning_lines(),
                    person,
                };
                if is_wanted(custom, &facts) {
                    let cells = columns.iter().map(|column| column_cell(column, &facts)).collect();
                    add_row(&mut rows, group_key(&custom.groupings, &facts), cells);
                }
            }
        }
    }
    let mut table = Table::new("Payroll journal", &columns);
    table.rows = rows.into_values().collect();
    Ok(table)
}

/// Returns the requested columns, preceded by the grouping columns that were not requested.
fn columns_with_groupings(custom: &Custom) -> Vec<&str> {
    let asked = || custom.columns.iter().map(String::as_str);
    let named = custom.groupings.iter().flat_map(|grouping| grouping.grouping_columns());
    named.copied().filter(|column| asked().all(|held| held != *column)).chain(asked()).collect()
}

fn add_row(rows: &mut BTreeMap<Vec<String>, Vec<Cell>>, key: Vec<String>, cells: Vec<Cell>) {
    match rows.get_mut(&key) {
        Some(held) => held.iter_mut().zip(&cells).for_each(|(held, more)| held.add_cell(more)),
        None => _ = rows.insert(key, cells),
    }
}

/// Returns the group of a paycheck, which also determines the order of rows.
fn group_key(groupings: &[Grouping], facts: &Facts<'_>) -> Vec<String> {
    let employee = &facts.person.employee;
    let payroll = || format!("{} {}", facts.payroll.check_date, facts.payroll.id);
    let name = || format!("{}\u{1}{}\u{1}{}", employee.last_name, employee.first_name, employee.id);
    let work = facts.person.work.as_ref();
    if groupings.is_empty() {
        return vec![payroll(), name()];
    }
    let part = |grouping: &Grouping| match grouping {
        Grouping::Payroll => payroll(),
        Grouping::Employee => name(),
        Grouping::WorkAddress => {
            work.map(|work| format!("{}\u{1}{}", work.city, work.address.location)).unwrap_or_default()
        }
        Grouping::WorkAddressState => work.map(|work| work.state.clone()).unwrap_or_default(),
    };
    groupings.iter().map(part).collect()
}

/// Returns the processed payrolls of the requested days, oldest first.
fn payrolls_of(tx: &mut Tx<'_>, company: Uuid, custom: &Custom) -> Result<Vec<Payroll>, Error> {
    let filter = payrolls::PayrollFilter {
        from: custom.start,
        until: custom.end,
        by_check_date: custom.date_filter == DateFilter::CheckDate,
        processed: Some(true),
        off_cycle: None,
        descending: false,
    };
    let mut found = payrolls::list_payrolls(tx, company, &filter, Page::Whole)?;
    let days = custom.start..=custom.end;
    found.retain(|payroll| match custom.date_filter {
        DateFilter::CheckDate => true,
        DateFilter::PeriodStart => days.contains(&payroll.start),
        DateFilter::PeriodEnd => days.contains(&payroll.end),
    });
    Ok(found)
}

/// Reads the employee of a paycheck; `None` if not requested or no longer on record.
fn find_person(
    tx: &mut Tx<'_>,
    caller: &Caller,
    custom: &Custom,
    id: Uuid,
) -> Result<Option<ReportedEmployee>, Error> {
    let company = caller.company;
    let is_left_out = |wanted: &Option<Vec<Uuid>>, id: Option<Uuid>| {
        wanted.as_ref().is_some_and(|wanted| id.is_none_or(|id| !wanted.contains(&id)))
    };
    if is_left_out(&custom.employees, Some(id)) {
        return Ok(None);
    }
    let Some(employee) = employees::Employee::find(tx, company, id)? else { return Ok(None) };
    let today = caller.today(tx);
    let department = departments::rows::departments_of_employees(tx, company, IdRange::only(id))?.remove(&id);
    let works = addresses::rows::work_addresses(tx, company, id)?;
    let work = rules::effective::active_record(&works, today, |work| work.address.effective_date).cloned();
    let location = work.as_ref().map(|work| work.address.location);
    let employment = employment::rows::of_employee(tx, company, id)?;
    if is_left_out(&custom.departments, department.as_ref().map(|one| one.id))
        || is_left_out(&custom.locations, location)
        || !has_requested_status(custom, &employment, today)
    {
        return Ok(None);
    }
    let homes = addresses::rows::home_addresses(tx, company, id)?;
    let wanted = |column: &str| custom.columns.iter().any(|held| held == column);
    let mut accounts = HashMap::new();
    if custom.columns.iter().any(|column| column.starts_with("bank_account")) {
        for held in payment_methods::rows::employee_accounts(tx, company, id)? {
            let shown = ShownAccount {
                kind: held.account_type.as_str(),
                routing: held.routing_number(tx, company)?,
                hidden: held.hidden_account_number(tx, company)?,
                name: held.name,
            };
            accounts.insert(held.id, shown);
        }
    }
    let birth =
        if wanted("date_of_birth") { employees::rows::birth_date(tx, company, &employee)? } else { None };
    Ok(Some(ReportedEmployee {
        birth: birth.map(|day| day.to_string()),
        pay: pay::of_employee(tx, company, id)?,
        department,
        home: rules::effective::active_record(&homes, today, |home| home.effective_date).cloned(),
        work,
        employment,
        accounts,
        today,
        employee,
    }))
}

/// Whether an employee has the requested employment status and left within the requested days.
fn has_requested_status(
    custom: &Custom,
    employment: &employment::Employment,
    today: jiff::civil::Date,
) -> bool {
    let left = employment.is_terminated(today);
    let time = employment.working_time(today);
    let standing = custom.standing.is_none_or(|standing| match standing {
        Standing::Dismissed => left,
        Standing::Active => !left,
        // Working time is recorded only for a rehire; all other employees count as full time.
        Standing::FullTime => !left && time.is_none_or(|time| time == "full_time"),
        Standing::PartTime => !left && time == Some("part_time_under_twenty_hours"),
        Standing::PartTimeEligible => !left && time == Some("part_time_twenty_plus_hours"),
        Standing::Variable => !left && time == Some("variable"),
        Standing::Seasonal => !left && time == Some("seasonal"),
    });
    let day = employment.current_termination(today).map(|last| last.effective_date);
    let after = custom.dismissed_from.is_none_or(|from| day.is_some_and(|day| day >= from));
    let before = custom.dismissed_until.is_none_or(|until| day.is_some_and(|day| day <= until));
    standing && after && before
}

/// Whether a paycheck has the requested payment method and overtime status.
fn is_wanted(custom: &Custom, facts: &Facts<'_>) -> bool {
    let method = if facts.paid.splits.is_empty() { Method::Check } else { Method::DirectDeposit };
    let flsa = facts.inputs.and_then(|inputs| {
        let job = inputs.jobs.first()?;
        let pay = rules::effective::active_record(&job.compensations, facts.payroll.end, |one| one.effective);
        pay.map(|one| one.terms.flsa)
    });
    let status = |wanted: Employment| match wanted {
        Employment::Exempt => FlsaStatus::Exempt,
        Employment::SalariedNonexempt => FlsaStatus::SalariedNonexempt,
        Employment::Nonexempt => FlsaStatus::Nonexempt,
        Employment::CommissionOnlyExempt => FlsaStatus::CommissionOnlyExempt,
        Employment::CommissionOnlyNonexempt => FlsaStatus::CommissionOnlyNonexempt,
    };
    custom.method.is_none_or(|wanted| wanted == method)
        && custom.employment.is_none_or(|wanted| flsa == Some(status(wanted)))
}

/// Removes duplicates from the requested columns.
pub(super) fn distinct_columns(columns: &[String]) -> Vec<String> {
    let mut seen = HashSet::new();
    columns.iter().filter(|column| seen.insert(column.as_str())).cloned().collect()
}
