//! The list of payrolls, including external ones.

use rules::days::Days;
use store::Tx;

use super::rows;
use super::rows::{ExternalPayroll, ExternalPayrollStatus};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::{Listed, Page};
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::run::prior_provider::frequency_of_period;
use crate::pay::payrolls::service;
use crate::pay::payrolls::service::ListPayrolls;

/// A payroll of a list.
#[derive(Debug)]
pub struct ListedPayroll {
    /// the payroll
    pub payroll: Payroll,
    /// whether another provider ran it
    pub external: bool,
}

/// Returns a page of the payrolls, with external ones if requested.
///
/// # Errors
/// 422 if the days are out of range; a store error.
pub fn list_all_payrolls(
    tx: &mut Tx<'_>,
    caller: &Caller,
    query: &ListPayrolls,
    page: Page,
) -> Result<Listed<ListedPayroll>, Error> {
    let here = |payroll| ListedPayroll { payroll, external: false };
    if !query.external {
        return Ok(service::list_payrolls(tx, caller, query, page)?.map(here));
    }
    let days = query.days_listed(caller.today(tx))?;
    let mut found: Vec<ListedPayroll> = match query.here {
        true => service::list_payrolls(tx, caller, query, Page::Whole)?.items.into_iter().map(here).collect(),
        false => Vec::new(),
    };
    for one in rows::of_company(tx, caller.company)? {
        let (from, until) =
            if query.by_check_date { (one.check_date, one.check_date) } else { (one.start, one.end) };
        let is_processed = one.status == ExternalPayrollStatus::Processed;
        if from <= days.1 && until >= days.0 && query.processed.is_none_or(|asked| asked == is_processed) {
            found.push(ListedPayroll { payroll: to_payroll(&one), external: true });
        }
    }
    found.sort_by_key(|one| (one.payroll.check_date, one.payroll.id));
    if query.descending {
        found.reverse();
    }
    Ok(Listed::slice(page, found))
}

/// Converts an external payroll to the fields that it shares with other payrolls.
fn to_payroll(one: &ExternalPayroll) -> Payroll {
    let period = Days { first: one.start, last: one.end };
    Payroll {
        processed_at: (one.status == ExternalPayrollStatus::Processed).then_some(one.updated_at),
        ..Payroll::new((one.id, one.created_at), period, one.check_date, frequency_of_period(period))
    }
}
