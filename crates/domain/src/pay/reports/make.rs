//! Makes a report with one consistent read and one write.

use std::sync::Arc;

use rules::days::Days;
use store::{Store, Tx};
use uuid::Uuid;

use super::rows::{ReportRequestStatus, Request};
use super::table::Table;
use super::terms::{Custom, Report, Terms};
use super::{checks, fica, ledger, paychecks, summaries};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;

/// Maximum size of a report in bytes.
const LARGEST: usize = 16 << 20;

/// Makes a requested report. No-op unless it is pending.
///
/// # Errors
/// A store error. Problems with the request itself are stored with it as its failure.
pub async fn make_report(store: &Store, company: Uuid, id: Uuid) -> Result<(), Error> {
    let found = store.read(move |tx| Request::find(tx, company, id)).await.map_err(Error::from)?;
    let Some(request) = found.filter(|request| request.status == ReportRequestStatus::Pending) else {
        return Ok(());
    };
    let request = Arc::new(request);
    let asked = Arc::clone(&request);
    let made = store.read_anywhere(move |tx| report_content(tx, company, &asked)).await;
    let made = match made {
        Ok(content) if content.len() > LARGEST => Err(format!(
            "the report has more than {} MB: ask for fewer days, columns or employees",
            LARGEST >> 20
        )),
        Ok(content) => Ok(content),
        Err(Error::Violations(violations)) => {
            Err(violations.into_iter().map(|violation| violation.message).collect::<Vec<_>>().join("; "))
        }
        Err(Error::NotFound) => Err("the subject of the report no longer exists".to_owned()),
        Err(error) => return Err(error),
    };
    let made = Arc::new(made);
    store.write(move |tx| store_result(tx, company, &request, made.as_ref().as_ref())).await
}

fn store_result(
    tx: &mut Tx<'_>,
    company: Uuid,
    request: &Request,
    made: Result<&Vec<u8>, &String>,
) -> Result<(), Error> {
    let mut made_of = request.clone();
    made_of.finished_at = Some(tx.now());
    match made {
        Ok(content) => {
            made_of.status = ReportRequestStatus::Succeeded;
            made_of.seal_content(tx, company, content)?;
        }
        Err(why) => {
            made_of.status = ReportRequestStatus::Failed;
            made_of.failure = Some(why.clone());
        }
    }
    let _another_node_was_quicker = !made_of.update(tx, company)?;
    Ok(())
}

/// Marks a pending report as failed after its job failed permanently.
pub fn fail_if_abandoned(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    let Some(request) = Request::find(tx, company, id)? else { return Ok(()) };
    if request.status != ReportRequestStatus::Pending {
        return Ok(());
    }
    store_result(tx, company, &request, Err(&"the job failed permanently".to_owned()))
}

fn report_content(tx: &mut Tx<'_>, company: Uuid, request: &Request) -> Result<Vec<u8>, Error> {
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    match &request.terms {
        Terms::Custom(custom) => of_custom(tx, &caller, request.id, custom),
        Terms::GeneralLedger { payroll, aggregation, integration } => {
            let ledger = ledger::of_payroll(tx, company, *payroll, *aggregation, *integration)?;
            Ok(ledger.to_string().into_bytes())
        }
        Terms::AnnualFicaWages { start_year, end_year } => {
            fica::fica_wages_table(tx, company, (*start_year, *end_year))?.to_csv()
        }
        Terms::PrintableChecks { run, at_bottom, .. } => checks::print_checks(tx, company, *run, *at_bottom),
    }
}

/// Makes a table of payrolls, without totals.
///
/// # Errors
/// 422 if there are too many rows; a store error.
pub fn payroll_table(tx: &mut Tx<'_>, caller: &Caller, custom: &Custom) -> Result<Table, Error> {
    let days = Days { first: custom.start, last: custom.end };
    match custom.report {
        Report::PayrollJournal => paychecks::paycheck_journal(tx, caller, custom),
        Report::TaxLiability => summaries::tax_liability(tx, caller.company, days),
        Report::CashRequirement => summaries::cash_requirement(tx, caller.company, days),
        Report::DepartmentSummary => summaries::by_department(tx, caller.company, days),
    }
}

fn of_custom(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, custom: &Custom) -> Result<Vec<u8>, Error> {
    let mut table = payroll_table(tx, caller, custom)?;
    if let Some(name) = &custom.custom_name {
        table.title.clone_from(name);
    }
    if custom.with_totals {
        table.add_totals();
    }
    let company = companies::rows::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    table.to_file(custom.file_type, id, &[company.name, format!("{} to {}", custom.start, custom.end)])
}
