//! Requesting reports.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::{Checks, Named, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::COLUMNS;
use super::paychecks::distinct_columns;
use super::rows::{ReportRequestStatus, Request};
use super::terms::{
    Aggregation, Custom, DateFilter, Employment, FileType, Grouping, Integration, Method, Report, Standing,
    Terms,
};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::{self, Patch, as_is};
use crate::pay::payrolls::service as payrolls;
use crate::platform::{audit, jobs};
use crate::records::parse_id;

/// Maximum number of columns, employees, departments or locations in a request.
const MOST: usize = 1_000;
/// Maximum characters of a name.
const NAME: usize = 100;
/// Maximum days between the first and the last day.
const DAYS: i64 = 366;
/// The first year for which wages can be requested.
const FIRST_YEAR: i64 = 2011;

/// Requests a table of payrolls.
#[derive(Debug, Clone, Default)]
pub struct CreateReport {
    /// the report; by default, the payroll journal
    pub report_type: Patch<Report>,
    /// columns of the payroll journal
    pub columns: Patch<Vec<String>>,
    /// criteria for grouping paychecks
    pub groupings: Patch<Vec<String>>,
    /// name of the report
    pub custom_name: Patch<String>,
    /// the format
    pub file_type: Patch<FileType>,
    /// whether to add a last row with totals
    pub with_totals: Patch<bool>,
    /// date that the first and last day refer to
    pub date_filter_type: Patch<DateFilter>,
    /// first day
    pub start_date: Patch<Date>,
    /// last day
    pub end_date: Patch<Date>,
    /// only employees who left on this day or later
    pub dismissed_start_date: Patch<Date>,
    /// only employees who left on this day or before
    pub dismissed_end_date: Patch<Date>,
    /// only paychecks with this payment method
    pub payment_method: Patch<Method>,
    /// only employees with this overtime status
    pub employment_type: Patch<Employment>,
    /// only employees with this employment status today
    pub employment_status: Patch<Standing>,
    /// only these employees
    pub employee_uuids: Patch<Vec<String>>,
    /// only employees of these departments
    pub department_uuids: Patch<Vec<String>>,
    /// only employees who work at these locations
    pub work_address_uuids: Patch<Vec<String>>,
}

/// Requests the general ledger of a payroll.
#[derive(Debug, Clone, Default)]
pub struct CreateLedger {
    /// criterion for aggregating lines
    pub aggregation: Patch<Aggregation>,
    /// accounting program it is for
    pub integration_type: Patch<String>,
}

/// Requests Social Security and Medicare wages.
#[derive(Debug, Clone, Default)]
pub struct CreateFicaWages {
    /// first year
    pub start_year: Patch<i64>,
    /// last year
    pub end_year: Patch<i64>,
}

/// Stores a request for the worker.
pub(super) fn insert_request(tx: &mut Tx<'_>, caller: &Caller, terms: Terms) -> Result<Request, Error> {
    let now = tx.now();
    let new = Request {
        id: tx.new_id(),
        terms,
        status: ReportRequestStatus::Pending,
        failure: None,
        content: None,
        finished_at: None,
        created_at: now,
        version: 1,
    };
    new.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (Request::TABLE, new.id), &json!({}))?;
    jobs::schedule_job(tx, caller.company, jobs::JobKind::ReportMade, new.id, now)?;
    Ok(new)
}

fn check_known_name<T: Named>(key: &str, name: &str) -> Result<T, Violation> {
    check::parse_named(key, name, &T::names(), T::parse)
}

/// Requests a table of payrolls.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_report(tx: &mut Tx<'_>, caller: &Caller, input: &CreateReport) -> Result<Request, Error> {
    let terms = report_terms(tx, caller, input)?;
    insert_request(tx, caller, terms)
}

/// Reads the terms of a table of payrolls.
///
/// # Errors
/// Every violation of the input.
pub(super) fn report_terms(tx: &Tx<'_>, caller: &Caller, input: &CreateReport) -> Result<Terms, Error> {
    let mut checks = Checks::new();
    let report = input.report_type.optional("report_type", &mut checks, as_is);
    let report = report.unwrap_or(Report::PayrollJournal);
    refuse_filters(report, input, &mut checks);
    let columns = read_columns(report, &input.columns, &mut checks);
    let groupings = patch::check_items("groupings", &input.groupings, Grouping::ALL.len(), &mut checks);
    let groupings = groupings.iter().enumerate().filter_map(|(place, name)| {
        checks.take_value(check_known_name::<Grouping>(&format!("groupings[{place}]"), name))
    });
    let groupings = groupings.collect();
    let file_type = input.file_type.required("file_type", &mut checks, as_is);
    let (start, end) = read_date_range(caller.today(tx), input, &mut checks);
    let date_filter = input.date_filter_type.optional("date_filter_type", &mut checks, as_is);
    let custom = Custom {
        report,
        columns,
        groupings,
        custom_name: input
            .custom_name
            .optional("custom_name", &mut checks, |key, text| check::validate_text(key, text, NAME)),
        file_type: file_type.unwrap_or(FileType::Csv),
        with_totals: input.with_totals.optional("with_totals", &mut checks, as_is).unwrap_or(false),
        date_filter: date_filter.unwrap_or(DateFilter::CheckDate),
        start,
        end,
        dismissed_from: input.dismissed_start_date.optional("dismissed_start_date", &mut checks, as_is),
        dismissed_until: input.dismissed_end_date.optional("dismissed_end_date", &mut checks, as_is),
        method: input.payment_method.optional("payment_method", &mut checks, as_is),
        employment: input.employment_type.optional("employment_type", &mut checks, as_is),
        standing: input.employment_status.optional("employment_status", &mut checks, as_is),
        employees: read_ids("employee_uuids", &input.employee_uuids, &mut checks),
        departments: read_ids("department_uuids", &input.department_uuids, &mut checks),
        locations: read_ids("work_address_uuids", &input.work_address_uuids, &mut checks),
    };
    checks.finish()?;
    Ok(Terms::Custom(Box::new(custom)))
}

/// Rejects filters and groupings of paychecks, except by pay date, for reports made from the books, which do not record individual
/// paychecks.
fn refuse_filters(report: Report, input: &CreateReport, checks: &mut Checks) {
    if report == Report::PayrollJournal {
        return;
    }
    let report = report.as_str();
    checks.require(input.date_filter_type.value().is_none_or(|day| *day == DateFilter::CheckDate), || {
        let only = DateFilter::CheckDate.as_str();
        let message = format!("date_filter_type must be {only} with report_type {report}");
        Violation::invalid("date_filter_type", message)
    });
    let lists = [
        ("groupings", &input.groupings),
        ("employee_uuids", &input.employee_uuids),
        ("department_uuids", &input.department_uuids),
        ("work_address_uuids", &input.work_address_uuids),
    ];
    let lists = lists.map(|(key, sent)| (key, sent.value().is_some_and(|items| !items.is_empty())));
    let values = [
        ("dismissed_start_date", input.dismissed_start_date.value().is_some()),
        ("dismissed_end_date", input.dismissed_end_date.value().is_some()),
        ("payment_method", input.payment_method.value().is_some()),
        ("employment_type", input.employment_type.value().is_some()),
        ("employment_status", input.employment_status.value().is_some()),
    ];
    for (key, _) in lists.into_iter().chain(values).filter(|(_, is_sent)| *is_sent) {
        let message = format!("{key} goes only with report_type payroll_journal; it is {report}");
        checks.push(Violation::invalid(key, message));
    }
}

/// Reads the columns of the payroll journal; other reports have their own columns.
fn read_columns(report: Report, sent: &Patch<Vec<String>>, checks: &mut Checks) -> Vec<String> {
    let columns = patch::check_items("columns", sent, MOST, checks);
    for (place, name) in columns.iter().enumerate() {
        checks.take_value(check::one_of(&format!("columns[{place}]"), name, &COLUMNS));
    }
    let missing = report == Report::PayrollJournal && matches!(sent.value().map(Vec::len), None | Some(0));
    checks.require(!missing || matches!(sent, Patch::Invalid(_)), || {
        Violation::invalid("columns", "columns must name at least one column")
    });
    distinct_columns(columns)
}

/// Reads the first and last day; by default, the year that ends today.
fn read_date_range(today: Date, input: &CreateReport, checks: &mut Checks) -> (Date, Date) {
    let start = input.start_date.optional("start_date", checks, as_is);
    let end = input.end_date.optional("end_date", checks, as_is);
    let last = end.unwrap_or_else(|| start.map_or(today, |start| today.max(start)));
    let first = start.unwrap_or_else(|| last.saturating_sub(1.year()).saturating_add(1.day()));
    checks
        .require(first <= last, || Violation::invalid("end_date", "end_date must not lie before start_date"));
    checks.require(last <= first.saturating_add(DAYS.days()), || {
        Violation::invalid("end_date", format!("end_date must be at most {DAYS} days after start_date"))
    });
    (first, last)
}

/// Reads identifiers; `None` if none were sent. Unknown identifiers match nothing; malformed ones are rejected.
fn read_ids(key: &str, sent: &Patch<Vec<String>>, checks: &mut Checks) -> Option<Vec<Uuid>> {
    let texts = patch::check_items(key, sent, MOST, checks);
    sent.value().filter(|sent| !sent.is_empty())?;
    let read = |(place, text): (usize, &String)| {
        let found = parse_id(text);
        checks.require(found.is_some(), || {
            Violation::invalid(format!("{key}[{place}]"), format!("{key}[{place}] must be a uuid"))
        });
        found
    };
    Some(texts.iter().enumerate().filter_map(read).collect())
}

/// Requests the general ledger of a processed payroll.
///
/// # Errors
/// "Not found"; every violation of the input; a store error.
pub fn create_ledger(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: Uuid,
    input: &CreateLedger,
) -> Result<Request, Error> {
    let terms = ledger_terms(tx, caller, payroll, input)?;
    insert_request(tx, caller, terms)
}

/// Reads the terms of the general ledger of a processed payroll.
///
/// # Errors
/// "Not found"; every violation of the input; a store error.
pub(super) fn ledger_terms(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: Uuid,
    input: &CreateLedger,
) -> Result<Terms, Error> {
    let payroll = payrolls::find_payroll(tx, caller, payroll)?;
    let mut checks = Checks::new();
    let aggregation = input.aggregation.required("aggregation", &mut checks, as_is);
    // Some clients send an empty string instead of null.
    let empty = input.integration_type.value().is_some_and(String::is_empty);
    let integration = if empty {
        None
    } else {
        input
            .integration_type
            .optional("integration_type", &mut checks, |key, name| check_known_name::<Integration>(key, name))
    };
    if let Some(aggregation) = aggregation {
        let needed = aggregation == Aggregation::Integration;
        let sent = integration.is_some() || matches!(input.integration_type, Patch::Invalid(_));
        checks.require(needed == sent || (!needed && empty), || {
            let why = if needed {
                "can't be blank with aggregation integration"
            } else {
                "must be null without aggregation integration"
            };
            Violation::invalid("integration_type", format!("integration_type {why}"))
        });
    }
    checks.require(payroll.is_processed(), || {
        Violation::invalid_operation("The payroll is not processed, so it is not in the books.")
    });
    checks.finish()?;
    let Some(aggregation) = aggregation else { unreachable!("a ledger without aggregation is refused") };
    Ok(Terms::GeneralLedger { payroll: payroll.id, aggregation, integration })
}

/// Requests the Social Security and Medicare wages of each employee, by year.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_fica_wages(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreateFicaWages,
) -> Result<(Request, i16, i16), Error> {
    let present = caller.today(tx).year();
    let mut checks = Checks::new();
    let year = |key: &str, year: &i64| {
        let within = (FIRST_YEAR..=i64::from(present)).contains(year);
        i16::try_from(*year).ok().filter(|_| within).ok_or_else(|| {
            Violation::invalid(key, format!("{key} must be a year from {FIRST_YEAR} to {present}"))
        })
    };
    let start = input.start_year.required("start_year", &mut checks, year);
    let end = input.end_year.required("end_year", &mut checks, year);
    if let (Some(start), Some(end)) = (start, end) {
        checks.require(start <= end, || {
            Violation::invalid("end_year", "end_year must not lie before start_year")
        });
    }
    checks.finish()?;
    let (Some(start_year), Some(end_year)) = (start, end) else {
        unreachable!("a report without years is refused")
    };
    Ok((insert_request(tx, caller, Terms::AnnualFicaWages { start_year, end_year })?, start_year, end_year))
}
