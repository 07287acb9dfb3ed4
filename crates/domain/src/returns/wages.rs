//! Wages of a quarter by employee, for the report to a state's unemployment insurance: figures and a list (CSV) in a layout of its own, from
//! which the agency's is filled in.
//!
//! A person is listed in each state whose unemployment insurance covers the work. Paychecks are read once, in spans of employees, and the
//! totals come from the same pass.

use std::collections::BTreeMap;
use std::io::Write;

use jiff::civil::date;
use returns::state_wages::{StateReport, StateReports};
use returns::wage_files::Wages;
use returns::{Quarter, format_dollars};
use rules::dated::Dated;
use rules::taxes::{Confidence, TaxId};
use rules::{Amount, Violation};
use serde_json::json;
use store::{Store, Tx};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::gather::{self, Gathered, ReturnPeriod};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::people::employees::{self, Employee};
use crate::platform::{audit, confirmations, law};
use crate::spreadsheet::escape_formula;

/// Table that the audit entries of a written list name.
const TABLE: &str = "state_wages";
/// Names of the columns.
const COLUMNS: [&str; 10] = [
    "ssn",
    "last_name",
    "first_name",
    "middle_initial",
    "total_wages",
    "taxable_wages",
    "excess_wages",
    "income_tax_wages",
    "income_tax_withheld",
    "hours",
];

/// Codes of the income taxes of New York City.
const NEW_YORK_CITY: [&str; 2] = ["NY_NEW_YORK_CITY", "NY_NEW_YORK_CITY_SUPPLEMENTAL"];
/// Codes of the income taxes of Yonkers.
const YONKERS: [&str; 2] = ["NY_YONKERS_RESIDENT", "NY_YONKERS_NONRESIDENT"];

/// Which report is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WageFileRequest {
    /// two-letter code of the state
    pub state: String,
    /// the quarter
    pub quarter: Quarter,
}

/// What a list comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sums {
    /// employees
    pub people: u64,
    /// their wages and taxes; contributions as booked
    pub wages: Wages,
    /// people with pay in the pay period that contains the 12th of each month
    pub on_the_12th: [u32; 3],
    /// people without a Social Security number
    pub without_ssn: u64,
    /// people of whom another provider paid something and told no wages
    pub incomplete: u64,
}

/// A line of the list.
pub(super) struct StateWageLine {
    pub ssn: Option<Zeroizing<String>>,
    pub employee: Employee,
    pub of: StateWages,
}

/// What a person was paid in the state. Hours are millionths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StateWages {
    pub wages: Wages,
    pub hours: i64,
    pub on_the_12th: [bool; 3],
    pub lacks_wages: bool,
}

impl StateWages {
    /// What a person was paid in the state in the quarter; `None` if nothing.
    fn paid_in_quarter(wanted: &WageFileRequest, gathered: &Gathered) -> Option<Self> {
        let insurance = TaxId::of_employer(format!("{}_SUI", wanted.state));
        let income = TaxId::of_employee(rules::taxes::book::code_of_income_tax(&wanted.state));
        let (mut person, mut is_listed) = (Self::default(), false);
        for one in gathered.taxes.iter().filter(|one| one.quarter == wanted.quarter) {
            let tax = &one.tax;
            if tax.id == insurance {
                is_listed = true;
                person.wages.total += tax.subject.cents_half_up();
                person.wages.taxable += tax.taxable.cents_half_up();
                person.wages.contributions += tax.amount.cents_half_up();
                person.lacks_wages |= one.lacks_wages;
            } else if tax.id == income {
                person.wages.income_wages += tax.taxable.cents_half_up();
                person.wages.income_tax += tax.amount.cents_half_up();
            } else if NEW_YORK_CITY.contains(&tax.id.code.as_str()) {
                person.wages.new_york_city_tax += tax.amount.cents_half_up();
            } else if YONKERS.contains(&tax.id.code.as_str()) {
                person.wages.yonkers_tax += tax.amount.cents_half_up();
            }
        }
        for one in gathered.work.iter().filter(|one| one.state.as_deref() == Some(wanted.state.as_str())) {
            if one.quarter == wanted.quarter {
                person.hours += one.hours;
            }
            for (month, counted) in (0_i8..).zip(&mut person.on_the_12th) {
                let first = wanted.quarter.first_day();
                let day = date(first.year(), first.month() + month, 12);
                *counted |= one.period.first <= day && day <= one.period.last;
            }
        }
        is_listed.then_some(person)
    }
}

impl Sums {
    pub(super) fn add_line(&mut self, line: &StateWageLine) {
        let of = &line.of;
        self.people += 1;
        self.wages.add(&of.wages);
        for (sum, counted) in self.on_the_12th.iter_mut().zip(of.on_the_12th) {
            *sum += u32::from(counted);
        }
        self.without_ssn += u64::from(line.ssn.is_none());
        self.incomplete += u64::from(of.lacks_wages);
    }
}

/// A list that was written.
#[derive(Debug)]
pub struct Written<W> {
    /// where it was written
    pub out: W,
    /// what it comes to
    pub sums: Sums,
    /// the report that is filled in from it
    pub report: StateReport,
}

/// Returns the report of a state, by the table in force. A row that is to be checked before use is refused until the operator confirms it.
pub(super) fn report_of(tx: &mut Tx<'_>, wanted: &WageFileRequest) -> Result<StateReport, Error> {
    let table = law::in_force::<Dated<StateReports>>(tx)?;
    let reports = table.edition_on(wanted.quarter.last_day());
    let report = reports.report_of_state(&wanted.state).cloned().ok_or_else(|| {
        let known: Vec<&str> = reports.iter().map(|one| one.state.as_str()).collect();
        let message = format!("state must be one of {}", known.join(", "));
        Error::from(Violation::invalid("state", message))
    })?;
    let key = report.key();
    if report.confidence == Confidence::Unconfirmed && confirmations::is_awaiting_confirmation(tx, &key)? {
        let message = format!(
            "The wage report of {} ({}) is in doubt: check with the agency its day and what it asks for, then confirm them (stipend data \
             confirm {key}).",
            wanted.state, report.form
        );
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    Ok(report)
}

/// Writes the list of a quarter.
///
/// # Errors
/// "Not found"; 422 for a place that is no state, for a report in doubt that is not confirmed, and if nobody is insured there; an output that can't be written; a store error.
pub async fn write_wage_list<W: Write>(
    store: &Store,
    company: Uuid,
    wanted: &WageFileRequest,
    mut out: W,
) -> Result<Written<W>, Error> {
    let of = wanted.clone();
    let report = store.read(move |tx| report_of(tx, &of)).await?;
    let failed = |error: std::io::Error| Error::internal(format!("the list can't be written: {error}"));
    out.write_all(format!("{}\r\n", COLUMNS.join(",")).as_bytes()).map_err(failed)?;
    let (mut sums, mut after, mut named) = (Sums::default(), Some(Uuid::nil()), Vec::new());
    while let Some(place) = after {
        let of = wanted.clone();
        let (lines, last) = store.read(move |tx| next_lines(tx, company, &of, place)).await?;
        for line in &lines {
            sums.add_line(line);
            named.extend(line.ssn.is_some().then_some(line.employee.id));
            let text = Zeroizing::new(text_of(line));
            out.write_all(text.as_bytes()).map_err(failed)?;
        }
        after = last;
    }
    refuse_nobody(wanted, &sums)?;
    out.flush().map_err(failed)?;
    record_ssns_written(store, company, wanted, named).await?;
    Ok(Written { out, sums, report })
}

pub(super) fn refuse_nobody(wanted: &WageFileRequest, sums: &Sums) -> Result<(), Error> {
    if sums.people == 0 {
        let message = format!("Nobody was paid in {} whom {} insures.", wanted.quarter, wanted.state);
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    Ok(())
}

/// Records whose Social Security numbers were written.
pub(super) async fn record_ssns_written(
    store: &Store,
    company: Uuid,
    wanted: &WageFileRequest,
    named: Vec<Uuid>,
) -> Result<(), Error> {
    let told = json!({ "state": wanted.state, "quarter": wanted.quarter.to_string(), "employees": named });
    store
        .write(move |tx| {
            let caller = Caller::for_operator(company, companies::time_zone(tx, company)?);
            audit::record_audit_entry(tx, &caller, "written", (TABLE, company), &told)
        })
        .await
}

/// Returns the lines of the next employees, with the last one that was looked at.
pub(super) fn next_lines(
    tx: &mut Tx<'_>,
    company: Uuid,
    wanted: &WageFileRequest,
    after: Uuid,
) -> Result<(Vec<StateWageLine>, Option<Uuid>), Error> {
    companies::find_company(tx, company)?.ok_or(Error::NotFound)?;
    let ReturnPeriod { found, last } = gather::payments_after(tx, company, wanted.quarter.year(), after)?;
    let paid: BTreeMap<Uuid, StateWages> = found
        .iter()
        .filter_map(|(id, gathered)| Some((*id, StateWages::paid_in_quarter(wanted, gathered)?)))
        .collect();
    let mut lines = Vec::with_capacity(paid.len());
    for (id, of) in paid {
        let Some(employee) = Employee::find(tx, company, id)? else { continue };
        let ssn = employees::rows::unseal_ssn(tx, company, &employee)?;
        lines.push(StateWageLine { ssn, employee, of });
    }
    Ok((lines, last))
}

fn text_of(line: &StateWageLine) -> String {
    let (employee, of) = (&line.employee, &line.of);
    let quoted = |text: &str| format!("\"{}\"", escape_formula(text).replace('"', "\"\""));
    let (hours, wages) = (Amount::from_millionths(of.hours), &of.wages);
    [
        line.ssn.as_ref().map(|ssn| ssn.to_string()).unwrap_or_default(),
        quoted(&employee.last_name),
        quoted(&employee.first_name),
        quoted(employee.middle_initial.as_deref().unwrap_or_default()),
        format_dollars(wages.total),
        format_dollars(wages.taxable),
        format_dollars(wages.total - wages.taxable),
        format_dollars(wages.income_wages),
        format_dollars(wages.income_tax),
        hours.to_text(2),
    ]
    .join(",")
        + "\r\n"
}
