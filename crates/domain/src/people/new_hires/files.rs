//! New hire report files for a state directory. Social Security numbers are unsealed only while the file is written; the audit log records
//! which employees' numbers were.

use std::collections::HashMap;

use jiff::civil::Date;
use rules::Violation;
use rules::dated::Dated;
use rules::days::Days;
use rules::new_hire_file::{
    FileAddress, FileEmployer, FileHire, NewHireFileRule, NewHireFileTable, header_lines, hire_line,
};
use serde_json::json;
use store::{Tx, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{Employer, Report};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::AskedDays;
use crate::people::employees;
use crate::platform::{audit, confirmations, law};

store::record! {
    /// Record of a hire that was written to a file.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct NewHireFiling in "new_hire_filings" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
            /// first day of work, or first day back
            pub hired_on: Date,
        }
        fields {
            /// two-letter state of the directory that the file is for
            pub directory: String,
            /// date the file was written
            pub written_on: Date,
            /// date the file was filed, once recorded
            pub filed_on: Option<Date>,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records NewHireFiling;
    BETWEEN = store::text!(NewHireFiling::SELECT, " AND hired_on BETWEEN $2 AND $3 ORDER BY employee_id, hired_on");
    NOT_FILED = store::text!(NewHireFiling::SELECT, " AND directory = $2 AND filed_on IS NULL ORDER BY employee_id, hired_on");
    FORGET = "DELETE FROM new_hire_filings WHERE company_id = $1 AND employee_id = $2";
}

/// Selects the hires for a file.
#[derive(Debug, Clone)]
pub struct WantedFile {
    /// two-letter state of the directory that the file is for
    pub directory: String,
    /// earliest first day of work; by default 60 days before `until`
    pub from: Option<Date>,
    /// latest first day of work; by default today
    pub until: Option<Date>,
    /// whether to include hires in every state, for an employer that reports all hires to one state (42 USC 653a(b)(1)(B))
    pub multistate: bool,
    /// whether to include hires that were already written to a file
    pub again: bool,
}

/// A file to be saved.
pub struct Written {
    /// content of the file
    pub content: Zeroizing<String>,
    /// number of hires
    pub hires: usize,
}

/// Returns the hires of a range of days that were written to a file, keyed by employee and first day.
pub fn filings_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    Days { first: from, last: until }: Days,
) -> Result<HashMap<(Uuid, Date), NewHireFiling>, Error> {
    let found = tx.try_query(BETWEEN, params![company, from, until], NewHireFiling::read)?;
    Ok(found.into_iter().map(|one| ((one.employee, one.hired_on), one)).collect())
}

/// Writes the file and records the hires in it.
///
/// # Errors
/// 422 for a state whose directory is not known to accept the file, for one in doubt that is not confirmed, for invalid days, and for hires
/// with missing data, which the error lists; a store error.
pub fn write_filing(tx: &mut Tx<'_>, caller: &Caller, wanted: &WantedFile) -> Result<Written, Error> {
    let (today, table) = (caller.today(tx), law::in_force::<Dated<NewHireFileTable>>(tx)?);
    let rule = table.edition_on(today).rule_of_state("state", &wanted.directory)?;
    refuse_doubt(tx, rule)?;
    let (employer, mut reports) =
        super::list_reports(tx, caller, AskedDays { from: wanted.from, until: wanted.until })?;
    let of_state = |report: &Report| report.state.as_deref() == Some(wanted.directory.as_str());
    reports.retain(|report| {
        (wanted.multistate || of_state(report)) && (wanted.again || report.filing.is_none())
    });
    if let Some(incomplete) = missing_data_violation(&employer, &reports) {
        return Err(Error::from(incomplete));
    }
    let mut content = Zeroizing::new(String::new());
    for head in with_employer(&employer, |of| header_lines(rule, of, reports.len(), today)) {
        content.push_str(&head);
        content.push_str("\r\n");
    }
    for report in &reports {
        tx.take_guard(caller.company, "employee", report.person.id)?;
        let employee = employees::service::find_employee(tx, caller, report.person.id)?;
        let Some(ssn) = employees::rows::unseal_ssn(tx, caller.company, &employee)? else { continue };
        content.push_str(&Zeroizing::new(line_of(rule, &employer, report, &ssn)));
        content.push_str("\r\n");
        record_written_hire(tx, caller, wanted, report, today)?;
    }
    let who: Vec<Uuid> = reports.iter().map(|report| report.person.id).collect();
    let what = json!({ "directory": wanted.directory, "employees": who });
    audit::record_audit_entry(tx, caller, "written", (NewHireFiling::TABLE, caller.company), &what)?;
    Ok(Written { content, hires: reports.len() })
}

/// Refuses a file whose layout is in doubt until an operator confirms it.
fn refuse_doubt(tx: &mut Tx<'_>, rule: &NewHireFileRule) -> Result<(), Error> {
    let key = rule.key();
    if !rule.is_doubtful() || !confirmations::is_awaiting_confirmation(tx, &key)? {
        return Ok(());
    }
    let message = format!(
        "The file of new hires of {} is in doubt ({}): compare it with the directory's specification, then confirm it (stipend data confirm \
         {key}).",
        rule.state, rule.source
    );
    Err(Error::from(Violation::invalid_operation(message)))
}

/// Records that the files for a directory were filed on a day, for every written hire not yet recorded as filed. Returns how many.
///
/// # Errors
/// 422 for a day in the future, or if there is no such hire; a store error.
pub fn record_filing(tx: &mut Tx<'_>, caller: &Caller, directory: &str, on: Date) -> Result<usize, Error> {
    if on > caller.today(tx) {
        return Err(Error::from(Violation::invalid("on", "on must not be in the future")));
    }
    let waiting = tx.try_query(NOT_FILED, params![caller.company, directory], NewHireFiling::read)?;
    if waiting.is_empty() {
        let message = "No unfiled file for that state contains new hires.";
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    let mut found = Vec::new();
    for one in waiting {
        tx.take_guard(caller.company, "employee", one.employee)?;
        found.push(one.employee);
        let after = NewHireFiling { filed_on: Some(on), ..one };
        assert!(after.update(tx, caller.company)?, "the row was read under the employee's guard");
    }
    let what = json!({ "directory": directory, "filed_on": [null, on.to_string()], "employees": found });
    audit::record_audit_entry(tx, caller, "filed", (NewHireFiling::TABLE, caller.company), &what)?;
    Ok(found.len())
}

/// Deletes the filing records of an employee who is being deleted.
pub fn delete_filings(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    let _as_many_as_there_were = tx.change_rows(FORGET, params![caller.company, employee])?.rows();
    Ok(())
}

/// Returns a violation that lists the employees with missing data and what is missing; `None` if nothing is.
fn missing_data_violation(employer: &Employer, reports: &[Report]) -> Option<Violation> {
    let missing = |report: &Report| {
        let missing = report.missing_data(employer);
        (!missing.is_empty()).then(|| format!("{} is missing {}", report.person.id, missing.join(", ")))
    };
    let lines: Vec<String> = reports.iter().filter_map(missing).collect();
    let message = format!("The file cannot be written while data is missing: {}.", lines.join("; "));
    (!lines.is_empty()).then(|| Violation::invalid_operation(message))
}

/// Calls a function with the employer as a file has it. One without an address is refused before, and has no file.
fn with_employer<T: Default>(employer: &Employer, of: impl FnOnce(&FileEmployer<'_>) -> T) -> T {
    let Some(place) = &employer.address else { return T::default() };
    let [name, street, city] =
        [&employer.name, &place.street_1, &place.city].map(|text| transliterate_text(text));
    let second = place.street_2.as_deref().map(transliterate_text);
    of(&FileEmployer {
        ein: employer.ein.as_deref().unwrap_or_default(),
        name: &name,
        address: FileAddress {
            street_1: &street,
            street_2: second.as_deref(),
            city: &city,
            state: &place.state,
            zip: &place.zip,
        },
    })
}

fn transliterate_text(text: &str) -> String {
    deunicode::deunicode(text)
}

fn line_of(rule: &NewHireFileRule, employer: &Employer, report: &Report, ssn: &str) -> String {
    let Some(home) = &report.home else { unreachable!("a report without an address is refused") };
    let [home_street, home_city] = [&home.street_1, &home.city].map(|text| transliterate_text(text));
    let second = home.street_2.as_deref().map(transliterate_text);
    let person = &report.person;
    let (first, last) = (transliterate_text(&person.first_name), transliterate_text(&person.last_name));
    let hire = FileHire {
        first: &first,
        middle: person.middle_initial.as_deref(),
        last: &last,
        ssn,
        home: FileAddress {
            street_1: &home_street,
            street_2: second.as_deref(),
            city: &home_city,
            state: &home.state,
            zip: &home.zip,
        },
        hired: report.hired,
        state: report.state.as_deref().unwrap_or_default(),
    };
    with_employer(employer, |of| hire_line(rule, of, &hire))
}

fn record_written_hire(
    tx: &mut Tx<'_>,
    caller: &Caller,
    wanted: &WantedFile,
    report: &Report,
    today: Date,
) -> Result<(), Error> {
    let new = NewHireFiling {
        employee: report.person.id,
        hired_on: report.hired,
        directory: wanted.directory.clone(),
        written_on: today,
        filed_on: None,
        version: 1,
    };
    match NewHireFiling::find(tx, caller.company, new.employee, new.hired_on)? {
        Some(before) => {
            let after = NewHireFiling { version: before.version, ..new };
            assert!(after.update(tx, caller.company)?, "the row was read under the employee's guard");
            Ok(())
        }
        None => Ok(new.insert(tx, caller.company)?),
    }
}
