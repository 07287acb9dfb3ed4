//! The file in which a state takes the wages of a quarter for its unemployment insurance, in the agency's own format. A person uploads it.
//!
//! It is checked first, and refused with every reason and the names of those concerned; paychecks are read once for that and once to write it,
//! in spans of employees.

use std::collections::BTreeMap;
use std::io::Write;

use returns::efw2::Submitter;
use returns::wage_files::{self, Heading, Reported, Reporter, Transmitter, WageFile, WageWriter};
use rules::Violation;
use store::{Store, Tx};
use uuid::Uuid;

use super::doubt::Doubt;
use super::file::{self, Filer};
use super::forms::service;
use super::statements::state_accounts;
use super::wages::{self, StateWageLine, Sums, WageFileRequest, Written};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;

/// Key of the answer that has the company's account with a state's unemployment insurance.
const ACCOUNT: &str = "unemployment_account_number";
/// Maximum reasons that are told.
const MOST: usize = 1_000;

/// Returns the file of a state that may be written.
///
/// # Errors
/// 422 for a state whose format was not read, for one whose file needs what is not known or not kept, and for a row in doubt that is not
/// confirmed; a store error.
pub fn find_wage_file(tx: &mut Tx<'_>, state: &str) -> Result<&'static WageFile, Error> {
    let of = wage_files::file_of_state(state).ok_or_else(|| {
        let known = wage_files::all_files().iter().filter(|one| one.without_file.is_empty());
        let known: Vec<&str> = known.map(|one| one.state.as_str()).collect();
        let message = format!("state must be one whose format of wage files was read: {}", known.join(", "));
        Error::from(Violation::invalid("state", message))
    })?;
    let doubt = Doubt {
        what: format!("file of wages for {state}"),
        without_file: &of.without_file,
        figures: "The list has its figures.",
        key: of.key(),
        source: &of.source,
        tables: "data/returns/state_wage_files.csv and icesa.csv",
    };
    doubt.refuse(tx)?;
    Ok(of)
}

/// Checks the file of a quarter, and writes it if nothing would be turned back.
///
/// # Errors
/// "Not found"; as [`find_wage_file`]; 422 with every reason why the file would be turned back; an output that can't be written; a store error.
pub async fn write_wage_file<W: Write>(
    store: &Store,
    company: Uuid,
    (wanted, submitter): (&WageFileRequest, &Submitter),
    out: W,
) -> Result<Written<W>, Error> {
    let (asked, transmitter) = (wanted.clone(), file_transmitter(submitter));
    let read = move |tx: &mut Tx<'_>| {
        let report = wages::report_of(tx, &asked)?;
        let of = find_wage_file(tx, &asked.state)?;
        Ok::<_, Error>((report, of, file_heading(tx, company, &asked, transmitter.clone())?))
    };
    let (report, of, heading) = store.read(read).await?;
    let mut wrong = wage_files::check_heading(of, &heading);
    let mut sums = Sums::default();
    let mut check = |line: &StateWageLine| {
        sums.add_line(line);
        let who = format!("{} {}", line.employee.first_name, line.employee.last_name);
        wrong.extend(wage_files::check_employee(of, &who, &reported_line(line), line.of.lacks_wages));
        Ok(())
    };
    for_each_line(store, company, wanted, &mut check).await?;
    wages::refuse_nobody(wanted, &sums)?;
    if !wrong.is_empty() {
        wrong.truncate(MOST);
        return Err(Error::Violations(wrong.into_iter().map(Violation::invalid_operation).collect()));
    }
    let failed = |error: std::io::Error| Error::internal(format!("the file can't be written: {error}"));
    let mut writer = WageWriter::new(of, &heading, out).map_err(failed)?;
    let (mut sums, mut named) = (Sums::default(), Vec::new());
    let mut put = |line: &StateWageLine| {
        sums.add_line(line);
        named.push(line.employee.id);
        writer.write_employee(&reported_line(line)).map_err(failed)
    };
    for_each_line(store, company, wanted, &mut put).await?;
    let out = writer.finish_file().map_err(failed)?;
    wages::record_ssns_written(store, company, wanted, named).await?;
    Ok(Written { out, sums, report })
}

/// Calls a function with the line of each employee whom the state insures.
async fn for_each_line(
    store: &Store,
    company: Uuid,
    wanted: &WageFileRequest,
    take: &mut impl FnMut(&StateWageLine) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut after = Some(Uuid::nil());
    while let Some(place) = after {
        let of = wanted.clone();
        let (lines, last) = store.read(move |tx| wages::next_lines(tx, company, &of, place)).await?;
        lines.iter().try_for_each(&mut *take)?;
        after = last;
    }
    Ok(())
}

fn file_transmitter(submitter: &Submitter) -> Transmitter {
    Transmitter {
        ein: submitter.ein.clone(),
        party: submitter.company.clone(),
        contact: submitter.contact.clone(),
    }
}

fn file_heading(
    tx: &mut Tx<'_>,
    company: Uuid,
    wanted: &WageFileRequest,
    transmitter: Transmitter,
) -> Result<Heading, Error> {
    let Filer { party, ein } = file::filer_of_employer(&service::form_employer(tx, company)?);
    let mut accounts: BTreeMap<String, String> =
        state_accounts(tx, company, (ACCOUNT, wanted.quarter.last_day()))?;
    let account = accounts.remove(&wanted.state).unwrap_or_default();
    let made_on = Caller::for_operator(company, companies::time_zone(tx, company)?).today(tx);
    let reporter = Reporter { ein, party, account };
    Ok(Heading { transmitter, reporter, quarter: wanted.quarter, made_on })
}

fn reported_line(line: &StateWageLine) -> Reported {
    let (employee, of) = (&line.employee, &line.of);
    Reported {
        ssn: line.ssn.as_ref().map(|ssn| ssn.to_string()).unwrap_or_default(),
        first_name: employee.first_name.clone(),
        middle_initial: employee.middle_initial.clone().unwrap_or_default(),
        last_name: employee.last_name.clone(),
        wages: of.wages,
        hours: of.hours,
        on_the_12th: of.on_the_12th,
    }
}
