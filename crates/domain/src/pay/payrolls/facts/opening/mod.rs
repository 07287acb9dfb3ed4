//! Opening balances: an employee's pay from elsewhere earlier in the year.
//!
//! Wage bases, annual maximums and garnishment totals start from them. They can be replaced until a payroll of the year or a later one
//! has paid the employee; after that, they would change amounts already calculated.

mod check;

use std::collections::{BTreeMap, BTreeSet};

use rules::taxes::book::{FUTA, MEDICARE, SOCIAL_SECURITY};
use rules::taxes::{CatalogEntry, TaxBook, TaxId, TaxTable, catalog_of, catalog_of_register, is_line_of};
use rules::{Amount, Checks, Violation};
use serde_json::json;
use store::record::Cursor;
use store::{Json, Row, Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch;
use crate::patch::check_dollars;
use crate::pay::payrolls::facts::employments;
use crate::pay::payrolls::record::commands::PutOpeningBalances;
use crate::pay::payrolls::record::json::to_json;
use crate::pay::payrolls::record::results;
use crate::pay::payrolls::record::sums::{BenefitSums, Sums, Withheld, YearSums};
use crate::people::employees;
use crate::platform::audit;
use crate::platform::hooks::{self, PayCause, PayChange};
use crate::platform::law::Tables;
use crate::records::{IdRange, id_of};

store::statements! {
    FIND = "SELECT balances FROM opening_balances WHERE company_id = $1 AND employee_id = $2 AND year = $3";
    OF_EMPLOYEE = "SELECT year, balances FROM opening_balances WHERE company_id = $1 AND employee_id = $2 ORDER BY year";
    BETWEEN = "SELECT employee_id, year, balances FROM opening_balances \
               WHERE company_id = $1 AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id, year";
    EMPLOYEES_AFTER = "SELECT DISTINCT employee_id FROM opening_balances WHERE company_id = $1 AND employee_id > $2 \
                       ORDER BY employee_id LIMIT $3";
    PUT = "INSERT INTO opening_balances (company_id, employee_id, year, balances, version, created_at, updated_at) \
           VALUES ($1, $2, $3, $4, 1, $5, $5) ON CONFLICT (company_id, employee_id, year) DO UPDATE \
           SET balances = excluded.balances, version = opening_balances.version + 1, updated_at = excluded.updated_at";
}

/// Table of the record, in audit entries.
const TABLE: &str = "opening_balances";
/// The accepted years.
const YEARS: std::ops::RangeInclusive<i64> = 2_000..=2_199;
/// Maximum number of benefits, or of garnishments, in one record.
const MOST: usize = 200;

/// The opening balances of an employee in a year.
#[derive(Debug, Clone)]
pub struct OpeningBalances {
    /// the employee
    pub employee: Uuid,
    /// the calendar year of the pay dates
    pub year: i16,
    /// wages, taxes, benefits and garnishments in the year
    pub of_year: YearSums,
    /// number and total of all deductions, by garnishment
    pub garnishments: BTreeMap<Uuid, Withheld>,
}

/// The names of the wage sums.
pub const WAGES: [&str; 6] = ["gross", "net", "social_security", "medicare", "futa", "supplemental"];

/// Returns the opening balances of an employee, oldest year first.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_opening_balances(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
) -> Result<Vec<OpeningBalances>, Error> {
    employees::service::find_employee(tx, caller, employee)?;
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, TABLE, 0);
        Ok::<_, store::Error>((next.read_plain::<i64>("year")?, next.read_json("balances")?))
    };
    let found = tx.try_query(OF_EMPLOYEE, params![caller.company, employee], read)?;
    found.into_iter().map(|(year, sums)| to_opening_balances(employee, year, sums)).collect()
}

/// Replaces the opening balances of a year.
///
/// # Errors
/// "Not found"; 422 with every violation, and once a payroll of the year or a later one has paid the employee; a store error.
pub fn put_opening_balances(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &PutOpeningBalances,
) -> Result<OpeningBalances, Error> {
    employees::service::find_guarded(tx, caller, employee)?;
    guard_submissions(tx, caller.company)?;
    let mut checks = Checks::new();
    let year = input.year.required("year", &mut checks, |key, year| {
        if YEARS.contains(year) {
            return i16::try_from(*year).map_err(|_| Violation::invalid(key, "year is too large"));
        }
        Err(Violation::invalid(key, format!("{key} must lie between {} and {}", YEARS.start(), YEARS.end())))
    });
    let before = match year {
        Some(year) => find_opening_sums(tx, caller.company, employee, year)?,
        None => None,
    };
    let mut sums = Sums::default();
    let mut of_year = YearSums::default();
    read_wages(input, &mut of_year, &mut checks);
    let of_law = Tables::read(tx)?;
    read_taxes(input, &of_law, &mut of_year, &mut checks);
    let known = Known::read(tx, caller, employee, before.as_ref())?;
    read_records(input, &known, (&mut sums, &mut of_year), &mut checks);
    if let Some(year) = year
        && results::is_paid_since(tx, caller.company, employee, jiff::civil::date(year, 1, 1))?
    {
        checks.push(Violation::invalid_operation(format!(
            "A payroll of {year} or later has paid the employee; opening balances can be set only before the first one."
        )));
    }
    check::check_opening_balances(
        year.and_then(|year| of_law.payroll_taxes.taxes_of_year(year)),
        &of_year,
        &mut checks,
    );
    checks.finish()?;
    let year = year.unwrap_or_default();
    sums.years.insert(year, of_year);
    // External payrolls store more than responses return; sending back what was read changes nothing.
    if let Some(before) = before.clone().filter(|before| is_told_alike(before, &sums, year)) {
        return to_opening_balances(employee, i64::from(year), before);
    }
    store_opening_sums(tx, caller, (employee, year), before.as_ref(), &sums)?;
    let day = jiff::civil::date(year, 1, 1);
    let change = PayChange { cause: PayCause::OpeningBalances, record: employee, day };
    hooks::pay_changed(tx, caller.company, change)?;
    to_opening_balances(employee, i64::from(year), sums)
}

/// Whether responses return the same values for both sums.
fn is_told_alike(one: &Sums, other: &Sums, year: i16) -> bool {
    let none = YearSums::default();
    let told = |sums: &Sums| {
        let held = sums.years.get(&year).unwrap_or(&none);
        let wages = [
            held.gross,
            held.net,
            held.social_security_wages(),
            held.medicare_wages(),
            held.futa_wages(),
            held.supplemental_wages,
        ];
        let taxes: BTreeMap<TaxId, Amount> =
            held.taxes_withheld().map(|(id, amount)| (id.clone(), amount)).collect();
        let of_year = |id| held.garnishments.get(id).copied().unwrap_or(Amount::ZERO);
        let garnishments = sums.garnishments.iter().map(|(id, in_all)| (*id, *in_all, of_year(id)));
        (wages, taxes, held.benefits.clone(), garnishments.collect::<Vec<_>>())
    };
    told(one) == told(other)
}

/// The benefits and garnishments that a request can name: those of the employee and those in the stored balances.
struct Known {
    benefits: BTreeMap<Uuid, i64>,
    garnishments: BTreeSet<Uuid>,
}

impl Known {
    fn read(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, before: Option<&Sums>) -> Result<Self, Error> {
        let bounds = IdRange::only(employee);
        let held = crate::pay::payrolls::facts::sources::active_benefits(tx, caller.company, bounds)?
            .remove(&employee)
            .unwrap_or_default();
        let told = before.iter().flat_map(|told| told.years.values()).flat_map(|of_year| &of_year.benefits);
        let told = told.map(|(id, told)| (*id, told.code));
        let benefits = held.iter().map(|one| (one.company_benefit, one.kind.code)).chain(told).collect();
        let held = crate::pay::payrolls::facts::sources::active_garnishments(tx, caller.company, bounds)?
            .remove(&employee)
            .unwrap_or_default();
        let told = before.iter().flat_map(|told| told.garnishments.keys()).copied();
        let garnishments = held.iter().map(|one| one.garnishment.id).chain(told).collect();
        Ok(Self { benefits, garnishments })
    }
}

/// Replaces the sums with those of pay from elsewhere, except garnishment sums, which such pay does not include.
pub(in crate::pay::payrolls) fn put_sums(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    year: i16,
    mut sums: Sums,
) -> Result<(), Error> {
    employees::service::find_guarded(tx, caller, employee)?;
    let before = find_opening_sums(tx, caller.company, employee, year)?;
    if let Some(before) = &before {
        sums.garnishments.clone_from(&before.garnishments);
        let of_year = before.years.get(&year).map(|held| held.garnishments.clone());
        sums.years.entry(year).or_default().garnishments = of_year.unwrap_or_default();
    }
    store_opening_sums(tx, caller, (employee, year), before.as_ref(), &sums)
}

fn find_opening_sums(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    year: i16,
) -> Result<Option<Sums>, Error> {
    let of = params![company, employee, i64::from(year)];
    Ok(tx.try_find(FIND, of, |row| Cursor::new(row, TABLE, 0).read_json("balances"))?)
}

fn store_opening_sums(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (employee, year): (Uuid, i16),
    before: Option<&Sums>,
    sums: &Sums,
) -> Result<(), Error> {
    if before == Some(sums) {
        return Ok(());
    }
    let stored = to_json(TABLE, "balances", sums)?;
    let now = tx.now();
    tx.insert_row(PUT, params![caller.company, employee, i64::from(year), Json(&stored), now])?;
    audit::record_audit_entry(tx, caller, "updated", (TABLE, employee), &json!({ "year": [year, year] }))?;
    employments::sums_changed(tx, caller, employee, year)
}

fn read_wages(input: &PutOpeningBalances, of_year: &mut YearSums, checks: &mut Checks) {
    for line in patch::check_items("wages", &input.wages, MOST, checks) {
        let named = |key: &str, name: &String| rules::check::one_of(key, name, &WAGES);
        let name = line.name.required("name", checks, named);
        let amount = line.amount.required("amount", checks, check_dollars);
        let (Some(name), Some(amount)) = (name, amount) else { continue };
        let of_tax = match name {
            "gross" => {
                of_year.gross = amount;
                continue;
            }
            "net" => {
                of_year.net = amount;
                continue;
            }
            "supplemental" => {
                of_year.supplemental_wages = amount;
                continue;
            }
            "social_security" => TaxId::of_employee(SOCIAL_SECURITY),
            "medicare" => TaxId::of_employee(MEDICARE),
            _ => TaxId::of_employer(FUTA),
        };
        let of_tax = &mut of_year.taxes.entry(of_tax).or_default().year;
        of_tax.taxable = amount;
        of_tax.subject = of_tax.taxable;
    }
}

/// Reads the taxes withheld, by code.
fn read_taxes(input: &PutOpeningBalances, of_law: &Tables, of_year: &mut YearSums, checks: &mut Checks) {
    let lines = patch::check_items("taxes", &input.taxes, MOST, checks);
    if lines.is_empty() {
        return;
    }
    let tables: [&TaxTable; 2] = [&of_law.state_programs, &of_law.local_taxes];
    let mut in_tables = catalog_of(tables, &of_law.unemployment_insurance);
    in_tables.extend(catalog_of_register(&of_law.pennsylvania_register));
    for line in lines {
        let known = |key: &str, code: &String| {
            let id = TaxId::of_employee(code.trim());
            let is_it = |entry: &CatalogEntry| entry.payer == id.payer && is_line_of(&id.code, &entry.code);
            let is_known = TaxBook::built_in().get(&id).is_some() || in_tables.iter().any(is_it);
            is_known.then_some(id).ok_or_else(|| {
                let federal = TaxBook::built_in().federal_taxes().filter(|tax| !tax.id.is_of_employer());
                let federal = federal.map(|tax| tax.id.code.as_str()).collect::<Vec<_>>().join(", ");
                Violation::invalid(
                    key,
                    format!(
                        "{key} must be the code of a tax withheld from employees: {federal}, or a code of GET /v1/taxes"
                    ),
                )
            })
        };
        let id = line.code.required("code", checks, known);
        let amount = line.amount.required("amount", checks, check_dollars);
        let (Some(id), Some(amount)) = (id, amount) else { continue };
        let of_tax = &mut of_year.taxes.entry(id).or_default().year;
        of_tax.amount = amount;
        of_tax.whole = of_tax.amount;
    }
}

fn read_records(
    input: &PutOpeningBalances,
    held: &Known,
    (sums, of_year): (&mut Sums, &mut YearSums),
    checks: &mut Checks,
) {
    for line in patch::check_items("benefits", &input.benefits, MOST, checks) {
        let known = |key: &str, id: &String| {
            let found = held.benefits.get_key_value(&id_of(id));
            found.map(|(id, code)| (*id, *code)).ok_or_else(|| {
                Violation::invalid(key, format!("{key} must be the uuid of a benefit of the employee"))
            })
        };
        let benefit = line.company_benefit_uuid.required("company_benefit_uuid", checks, known);
        let took =
            line.employee_deduction.optional("employee_deduction", checks, check_dollars).unwrap_or_default();
        let gave = line
            .company_contribution
            .optional("company_contribution", checks, check_dollars)
            .unwrap_or_default();
        if let Some((benefit, code)) = benefit {
            of_year.benefits.insert(benefit, BenefitSums { code, deductions: took, contributions: gave });
        }
    }
    for line in patch::check_items("garnishments", &input.garnishments, MOST, checks) {
        let known = |key: &str, id: &String| {
            held.garnishments.get(&id_of(id)).copied().ok_or_else(|| {
                Violation::invalid(
                    key,
                    format!("{key} must be the uuid of an active garnishment of the employee"),
                )
            })
        };
        let id = line.uuid.required("uuid", checks, known);
        let amount = line.amount.optional("amount", checks, check_dollars).unwrap_or_default();
        let total = line.total_amount.optional("total_amount", checks, check_dollars).unwrap_or(amount);
        checks.require(total >= amount, || {
            Violation::invalid("total_amount", "total_amount must not be less than amount")
        });
        let times = line.times.optional("times", checks, |key, times| {
            if (0..=10_000).contains(times) {
                return Ok(*times);
            }
            Err(Violation::invalid(key, format!("{key} must lie between 0 and 10000")))
        });
        if let Some(id) = id {
            of_year.garnishments.insert(id, amount);
            sums.garnishments.insert(id, Withheld { times: times.unwrap_or(0), total });
        }
    }
}

/// Returns the opening balances of the employees between two (both included), one entry for each year.
pub fn sums_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<Vec<(Uuid, Sums)>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, TABLE, 0);
        let (employee, _year): (Uuid, i64) = (next.read_plain("employee_id")?, next.read_plain("year")?);
        Ok::<_, store::Error>((employee, next.read_json("balances")?))
    };
    Ok(tx.try_query(BETWEEN, params![company, first, last], read)?)
}

/// Whether an employee has opening balances.
pub fn is_told(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<bool, Error> {
    Ok(!sums_between(tx, company, IdRange::only(employee))?.is_empty())
}

/// Returns the opening balances of the next employees after `after`, at most `most` of them, each with all years.
pub fn opening_sums_after(
    tx: &mut Tx<'_>,
    company: Uuid,
    after: Uuid,
    most: i64,
) -> Result<Vec<(Uuid, Sums)>, Error> {
    let read = |row: &Row<'_>| Cursor::new(row, TABLE, 0).read_plain::<Uuid>("employee_id");
    let employees = tx.try_query(EMPLOYEES_AFTER, params![company, after, most], read)?;
    match (employees.first(), employees.last()) {
        (Some(first), Some(last)) => sums_between(tx, company, IdRange { first: *first, last: *last }),
        _ => Ok(Vec::new()),
    }
}

/// Returns the balances of a year from the stored sums.
fn to_opening_balances(employee: Uuid, year: i64, mut sums: Sums) -> Result<OpeningBalances, Error> {
    let year = i16::try_from(year)
        .map_err(|_| store::Unread::new("holds no calendar year").into_error(TABLE, "year"))?;
    let of_year = sums.years.remove(&year).unwrap_or_default();
    Ok(OpeningBalances { employee, year, of_year, garnishments: sums.garnishments })
}

/// Prevents submissions until the unit of work ends, so that an employee who is not paid yet stays unpaid until then.
pub fn guard_submissions(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    Ok(tx.take_guard(company, crate::pay::payrolls::record::payroll::TABLE, company)?)
}
