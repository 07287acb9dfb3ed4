//! Rows of groups and payments. What was cancelled is kept, and found by nobody but those who look for tokens that were used.

use jiff::Timestamp;
use jiff::civil::Date;
use rules::contractor::WageType;
use rules::contractor_pay::{Pay, Reason};
use rules::days::Days;
use rules::{Amount, Named};
use store::{Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::error::Error;
use crate::paging::Page;
use crate::pay::payrolls::closing::processing::disbursements::DisbursementStatus;
use crate::records::{IdRange, MOST_TOGETHER, Millionths};

/// How a contractor is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Method {
    /// to the contractor's account
    #[strum(serialize = "Direct Deposit")]
    DirectDeposit,
    /// the employer hands over a check
    #[strum(serialize = "Check")]
    Check,
    /// it was paid before, and is recorded alone
    #[strum(serialize = "Historical Payment")]
    Historical,
}

store::record! {
    /// Payments of contractors on one check date.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Group in "contractor_payment_groups" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// when contractors are paid
            pub check_date: Date,
            /// the token of its preview; `None` for a single payment
            pub creation_token: Option<String>,
            /// whether the partner pays what goes to accounts
            pub partner_pays: bool,
            /// whether the service makes bank files of what goes to accounts: a bank was set when the group was created
            pub by_bank: bool,
        }
        fields {
            /// when it was cancelled
            pub cancelled_at: Option<Timestamp>,
        }
        times {
            /// when it was created
            pub created_at: Timestamp,
            updated_at,
        }
        version
    }
}

store::record! {
    /// A payment of a contractor.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Payment in "contractor_payments" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// its group
            pub group: Uuid = "group_id",
            /// who is paid
            pub contractor: Uuid = "contractor_id",
            /// when
            pub check_date: Date,
            /// how
            pub method: Method as text,
            /// what the pay is based on
            pub wage_type: WageType as text,
            /// dollars per hour; zero for fixed pay
            pub hourly_rate: Amount as Millionths,
            /// hours
            pub hours: Amount as Millionths,
            /// fixed pay
            pub wage: Amount as Millionths,
            /// bonus
            pub bonus: Amount as Millionths,
            /// reimbursed expenses
            pub reimbursement: Amount as Millionths,
            /// hours at their rate, fixed pay and bonus
            pub wage_total: Amount as Millionths,
            /// backup withholding
            pub withheld: Amount as Millionths,
            /// why it was withheld
            pub withheld_for: Option<Reason> as text,
            /// a note to the contractor
            pub memo: Option<String>,
            /// the contractor's invoice
            pub invoice_number: Option<String>,
        }
        fields {
            /// when it was made: the bank has its file, the partner has reported it, or its check date came
            pub paid_at: Option<Timestamp>,
            /// what the partner has reported of it
            pub disbursed: Option<DisbursementStatus> as text,
            /// when it was reversed because it was not owed
            pub voided_at: Option<Timestamp>,
            /// when it was cancelled
            pub cancelled_at: Option<Timestamp>,
        }
        times {
            /// when it was created
            pub created_at: Timestamp,
            updated_at,
        }
        version
    }
}

store::statements! {
    records Group, Payment;
    BY_TOKEN = "SELECT id FROM contractor_payment_groups WHERE company_id = $1 AND creation_token = $2";
    GROUPS = store::text!(Group::SELECT, " AND check_date BETWEEN $2 AND $3 AND creation_token IS NOT NULL AND cancelled_at IS NULL \
             ORDER BY check_date DESC, id DESC LIMIT $4 OFFSET $5");
    COUNT_GROUPS = "SELECT count(*) FROM contractor_payment_groups WHERE company_id = $1 AND check_date BETWEEN $2 AND $3 \
                    AND creation_token IS NOT NULL AND cancelled_at IS NULL";
    OF_GROUP = store::text!(Payment::SELECT, " AND group_id = $2 AND cancelled_at IS NULL ORDER BY id LIMIT $3");
    AFTER = store::text!(Payment::SELECT, " AND group_id = $2 AND cancelled_at IS NULL AND id > $3 ORDER BY id LIMIT $4");
    BETWEEN = store::text!(Payment::SELECT, " AND check_date BETWEEN $2 AND $3 AND (contractor_id = $4 OR $4 IS NULL) \
              AND cancelled_at IS NULL ORDER BY check_date DESC, id DESC LIMIT $5");
    OF_CONTRACTOR = store::text!(Payment::SELECT, " AND contractor_id = $2 AND cancelled_at IS NULL \
                    ORDER BY check_date DESC, id DESC LIMIT $3 OFFSET $4");
    COUNT_OF_CONTRACTOR = "SELECT count(*) FROM contractor_payments WHERE company_id = $1 AND contractor_id = $2 AND cancelled_at IS NULL";
    ANY_OF_CONTRACTOR = "SELECT id FROM contractor_payments WHERE company_id = $1 AND contractor_id = $2 LIMIT 1";
    YEAR = "SELECT contractor_id, wage_total, reimbursement, withheld FROM contractor_payments WHERE company_id = $1 \
            AND check_date BETWEEN $2 AND $3 AND contractor_id BETWEEN $4 AND $5 AND cancelled_at IS NULL AND voided_at IS NULL \
            ORDER BY contractor_id, id LIMIT $6";
}

impl Payment {
    /// Returns what is paid.
    pub fn pay(&self) -> Pay {
        let Self { wage, hours, hourly_rate, bonus, reimbursement, .. } = *self;
        Pay { wage, hours, hourly_rate, bonus, reimbursement }
    }

    /// Returns what the contractor receives: pay less backup withholding, and reimbursed expenses.
    pub fn net(&self) -> Amount {
        let sum = self.wage_total.millionths() - self.withheld.millionths() + self.reimbursement.millionths();
        Amount::from_millionths(sum)
    }

    /// Whether the service, or the partner, pays to the contractor's account.
    pub fn goes_to_account(&self) -> bool {
        self.method == Method::DirectDeposit
    }

    /// Whether the money was collected, or paid out by the partner.
    pub fn is_funded(&self) -> bool {
        self.goes_to_account() && self.paid_at.is_some()
    }
}

/// What a contractor was paid in a year.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OfYear {
    /// reportable pay
    pub wages: Amount,
    /// reimbursed expenses
    pub reimbursements: Amount,
    /// backup withholding
    pub withheld: Amount,
}

/// Takes the guard under which a company's groups are created.
pub fn guard_all(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    Ok(tx.take_guard(company, Group::TABLE, company)?)
}

/// Takes the guard under which a group and its payments are changed. It comes before that of its entries for the bank.
pub fn lock_group(tx: &mut Tx<'_>, company: Uuid, group: Uuid) -> Result<(), Error> {
    Ok(tx.take_guard(company, Group::TABLE, group)?)
}

/// Returns the identifier of the group that a token was used for, even one that was cancelled.
pub fn by_token(tx: &mut Tx<'_>, company: Uuid, token: &str) -> Result<Option<Uuid>, Error> {
    Ok(tx.find_row(BY_TOKEN, params![company, token], |row| row.get(0))?)
}

/// Returns a group that was not cancelled.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_group(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Group, Error> {
    Group::find(tx, company, id)?.filter(|one| one.cancelled_at.is_none()).ok_or(Error::NotFound)
}

/// Returns a payment that was not cancelled.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_payment(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Payment, Error> {
    Payment::find(tx, company, id)?.filter(|one| one.cancelled_at.is_none()).ok_or(Error::NotFound)
}

/// Returns a page of the groups between two days (both included), newest first; those of single payments are left out.
pub fn list_groups(
    tx: &mut Tx<'_>,
    company: Uuid,
    Days { first: from, last: until }: Days,
    page: Page,
) -> Result<Vec<Group>, Error> {
    let (limit, offset) = page.limit_and_offset();
    Ok(tx.try_query(GROUPS, params![company, from, until, limit, offset], Group::read)?)
}

/// Returns the number of groups between two days.
pub fn count_groups(
    tx: &mut Tx<'_>,
    company: Uuid,
    Days { first: from, last: until }: Days,
) -> Result<i64, Error> {
    Ok(tx.find_row(COUNT_GROUPS, params![company, from, until], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Returns the payments of a group, in the order in which they were entered.
pub fn of_group(tx: &mut Tx<'_>, company: Uuid, group: Uuid) -> Result<Vec<Payment>, Error> {
    Ok(tx.try_query_all(OF_GROUP, params![company, group], MOST_TOGETHER, Payment::read)?)
}

/// Returns payments of a group after one, in the order in which they were entered.
pub fn payments_after(
    tx: &mut Tx<'_>,
    company: Uuid,
    (group, after): (Uuid, Uuid),
    most: i64,
) -> Result<Vec<Payment>, Error> {
    Ok(tx.try_query(AFTER, params![company, group, after, most], Payment::read)?)
}

/// Returns the payments between two days (both included), newest first; only those of a contractor, if one is named.
///
/// # Errors
/// 422 if there are more than can be read at once; a store error.
pub fn payments_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    Days { first: from, last: until }: Days,
    contractor: Option<Uuid>,
) -> Result<Vec<Payment>, Error> {
    let of = params![company, from, until, contractor];
    Ok(tx.try_query_all(BETWEEN, of, MOST_TOGETHER, Payment::read)?)
}

/// Returns a page of a contractor's payments, newest first.
pub fn of_contractor(
    tx: &mut Tx<'_>,
    company: Uuid,
    contractor: Uuid,
    page: Page,
) -> Result<Vec<Payment>, Error> {
    let (limit, offset) = page.limit_and_offset();
    Ok(tx.try_query(OF_CONTRACTOR, params![company, contractor, limit, offset], Payment::read)?)
}

/// Returns the number of a contractor's payments.
pub fn count_of_contractor(tx: &mut Tx<'_>, company: Uuid, contractor: Uuid) -> Result<i64, Error> {
    Ok(tx.find_row(COUNT_OF_CONTRACTOR, params![company, contractor], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Whether a contractor has payments on record, even cancelled ones.
pub fn any_of_contractor(tx: &mut Tx<'_>, company: Uuid, contractor: Uuid) -> Result<bool, Error> {
    Ok(tx.find_row(ANY_OF_CONTRACTOR, params![company, contractor], |_| ())?.is_some())
}

/// Payments of a year that are added up at once.
const MOST_OF_YEAR: i64 = 200_000;

/// Returns what contractors were paid between two days of a year (both included), by contractor, from one to another.
///
/// # Errors
/// 422 if there are more payments than can be added up; a store error.
pub fn of_year(
    tx: &mut Tx<'_>,
    company: Uuid,
    Days { first: from, last: until }: Days,
    IdRange { first, last }: IdRange,
) -> Result<std::collections::BTreeMap<Uuid, OfYear>, Error> {
    let read = |row: &store::Row<'_>| {
        let mut next = store::record::Cursor::new(row, Payment::TABLE, 0);
        let contractor: Uuid = next.read_plain("contractor_id")?;
        let mut amount = |field| next.read_plain(field).map(Amount::from_millionths);
        let of_one = OfYear {
            wages: amount("wage_total")?,
            reimbursements: amount("reimbursement")?,
            withheld: amount("withheld")?,
        };
        Ok::<_, store::Error>((contractor, of_one))
    };
    let of = params![company, from, until, first, last];
    let mut sums = std::collections::BTreeMap::new();
    for (contractor, one) in tx.try_query_all(YEAR, of, MOST_OF_YEAR, read)? {
        let sum: &mut OfYear = sums.entry(contractor).or_default();
        let add = |sum: Amount, more: Amount| Amount::from_millionths(sum.millionths() + more.millionths());
        sum.wages = add(sum.wages, one.wages);
        sum.reimbursements = add(sum.reimbursements, one.reimbursements);
        sum.withheld = add(sum.withheld, one.withheld);
    }
    Ok(sums)
}
