//! Payments between two days, by contractor or by contractor and day, with their totals.

use std::collections::BTreeMap;

use jiff::civil::Date;
use rules::days::Days;
use rules::{Amount, Violation};
use store::Tx;
use uuid::Uuid;

use super::rows::{self, Group, Payment};
use super::service;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::{Listed, Page, Paging};

/// Which payments are listed.
#[derive(Debug, Clone, Copy)]
pub struct PaymentFilter {
    /// first day; required
    pub from: Option<Date>,
    /// last day; today by default
    pub until: Option<Date>,
    /// only those of this contractor
    pub contractor: Option<Uuid>,
    /// whether each day of a contractor is a row
    pub by_date: bool,
}

/// Payments of a contractor.
#[derive(Debug)]
pub struct OfContractor {
    /// the contractor
    pub contractor: Uuid,
    /// the day, if rows are by day
    pub check_date: Option<Date>,
    /// the payments, newest first, with their groups
    pub payments: Vec<(Group, Payment)>,
}

/// Payments by contractor.
#[derive(Debug)]
pub struct Summary {
    /// pay of all payments, on all pages
    pub wages: Amount,
    /// reimbursed expenses of all payments, on all pages
    pub reimbursements: Amount,
    /// a page of the rows
    pub rows: Vec<OfContractor>,
    /// the page
    pub paging: Paging,
}

/// Returns dollars of payments.
pub fn sum_payments<'p>(
    payments: impl Iterator<Item = &'p Payment>,
    amount: impl Fn(&Payment) -> Amount,
) -> Amount {
    let counted = payments.filter(|one| one.voided_at.is_none());
    Amount::from_millionths(counted.map(|one| amount(one).millionths()).sum())
}

/// Payments of a contractor, on one day if they are grouped by day.
type Grouped = ((Uuid, Option<Date>), Vec<Payment>);

/// Returns the payments between two days: the row with the newest payment first.
///
/// # Errors
/// 422 without a first day, for days in the wrong order, and for more payments than can be read at once; a store error.
pub fn payment_summary(
    tx: &mut Tx<'_>,
    caller: &Caller,
    filter: &PaymentFilter,
    page: Page,
) -> Result<Summary, Error> {
    let until = filter.until.unwrap_or_else(|| caller.today(tx));
    let missing = || Violation::missing("start_date", "start_date is needed");
    let from = filter.from.ok_or_else(missing)?;
    service::refuse_backwards(Days { first: from, last: until })?;
    let found =
        rows::payments_between(tx, caller.company, Days { first: from, last: until }, filter.contractor)?;
    let wages = sum_payments(found.iter(), |one| one.wage_total);
    let reimbursements = sum_payments(found.iter(), |one| one.reimbursement);
    let mut places: BTreeMap<(Uuid, Option<Date>), usize> = BTreeMap::new();
    let mut grouped: Vec<Grouped> = Vec::new();
    for payment in found {
        let key = (payment.contractor, filter.by_date.then_some(payment.check_date));
        let place = *places.entry(key).or_insert_with(|| {
            grouped.push((key, Vec::new()));
            grouped.len() - 1
        });
        grouped[place].1.push(payment);
    }
    let listed = Listed::slice(page, grouped);
    let paging = listed.paging;
    let mut rows = Vec::with_capacity(listed.items.len());
    for ((contractor, check_date), payments) in listed.items {
        let with_groups = payments.into_iter().map(|one| service::with_group(tx, caller, one));
        rows.push(OfContractor { contractor, check_date, payments: with_groups.collect::<Result<_, _>>()? });
    }
    Ok(Summary { wages, reimbursements, rows, paging })
}
