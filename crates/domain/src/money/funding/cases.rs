//! Returned debits of companies that have to be recovered: the record of each case ([`crate::money::returns::recovery`] does the rest).

use jiff::Timestamp;
use jiff::civil::Date;
use rules::Named;
use serde_json::json;
use store::record::Cursor;
use store::{Row, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::Mode;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::money::funding;
use crate::money::ledger::purpose::{Purpose, Subject};
use crate::paging::{Listed, Page};
use crate::platform::audit;
use crate::records::MOST_TOGETHER;

/// The status of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum CaseStatus {
    /// no action has been taken
    #[strum(serialize = "open")]
    Open,
    /// the debit is presented again
    #[strum(serialize = "redebit_initiated")]
    RedebitInitiated,
    /// the company reports having sent a wire
    #[strum(serialize = "wire_initiated")]
    WireInitiated,
    /// the money has been received
    #[strum(serialize = "recovered")]
    Recovered,
    /// the operator has written it off
    #[strum(serialize = "lost")]
    Lost,
}

store::record! {
    /// A returned debit of a company that has to be recovered.
    #[derive(Debug, Clone)]
    pub struct RecoveryCase in "recovery_cases" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// what the debit was meant to fund: a payroll, a tax deposit, or a group of contractor payments
            pub payroll: Uuid = "payroll_id",
            /// which of them it is
            pub purpose: Purpose as text,
            /// check date of the payroll; due date of the deposit
            pub check_date: Date,
            /// settlement date of the debit that was first returned
            pub debited_on: Date,
            /// total of the debit, in cents
            pub event_cents: i64,
            /// when it was first returned
            pub created_at: Timestamp,
        }
        fields {
            /// its status
            pub status: CaseStatus as text,
            /// the bank's last return code
            pub code: String,
            /// cents still outstanding
            pub outstanding_cents: i64,
            /// number of times the debit was presented again
            pub tries: i64,
        }
        times { updated_at }
        version
    }
}

store::statements! {
    records RecoveryCase;
    LIST = store::text!(RecoveryCase::SELECT, " ORDER BY id LIMIT $2 OFFSET $3");
    COUNT = "SELECT count(*) FROM recovery_cases WHERE company_id = $1";
    OF_PAYROLL = store::text!(RecoveryCase::SELECT, " AND payroll_id = $2");
    PENDING = store::text!(RecoveryCase::SELECT, " AND status <> 'recovered' AND status <> 'lost' ORDER BY id LIMIT $2");
    UNRECOVERED = "SELECT count(*) FROM recovery_cases WHERE company_id = $1 AND status <> 'recovered'";
    // Across companies: for the operator.
    ALL_UNRECOVERED = store::text!("SELECT company_id, ", RecoveryCase::COLUMNS, " FROM recovery_cases \
                      WHERE status <> 'recovered' ORDER BY id LIMIT $1");
}

impl RecoveryCase {
    /// Returns what the debit was meant to fund.
    pub fn funded_subject(&self) -> Subject {
        Subject { id: self.payroll, purpose: self.purpose, day: self.check_date }
    }
}

/// Returns the cases of a company, in the order in which they were opened.
///
/// # Errors
/// 422 when an unpaged list is too long; a store error.
pub fn list_cases(tx: &mut Tx<'_>, caller: &Caller, page: Page) -> Result<Listed<RecoveryCase>, Error> {
    let (limit, offset) = page.limit_and_offset();
    let found = tx.try_query(LIST, params![caller.company, limit, offset], RecoveryCase::read)?;
    Listed::new(page, found, || {
        Ok(tx.find_row(COUNT, params![caller.company], |row| row.get::<i64>(0))?.unwrap_or(0))
    })
}

/// Returns a case of a company.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_case(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<RecoveryCase, Error> {
    RecoveryCase::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// Returns the case of a payroll whose debit was returned.
pub fn of_payroll(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<Option<RecoveryCase>, Error> {
    Ok(tx.try_find(OF_PAYROLL, params![company, payroll], RecoveryCase::read)?)
}

/// Returns the cases of a company that are neither recovered nor written off, in the order in which they were opened.
pub fn pending_cases(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<RecoveryCase>, Error> {
    Ok(tx.try_query_all(PENDING, params![company], MOST_TOGETHER, RecoveryCase::read)?)
}

/// Whether a company has a returned debit that has not been recovered.
pub fn any_unrecovered(tx: &mut Tx<'_>, company: Uuid) -> Result<bool, Error> {
    Ok(tx.find_row(UNRECOVERED, params![company], |row| row.get::<i64>(0))?.is_some_and(|cases| cases > 0))
}

/// Whether a company's payrolls are blocked because a returned debit has not been recovered. If its credits wait for a wire, they are
/// funded before they go out, and a case blocks nothing.
pub fn are_payrolls_blocked(tx: &mut Tx<'_>, company: Uuid) -> Result<bool, Error> {
    Ok(any_unrecovered(tx, company)? && funding::of_company(tx, company)?.mode != Mode::Wire)
}

/// Returns unrecovered cases of all companies, with their companies, at most `most`.
pub fn unrecovered_cases(tx: &mut Tx<'_>, most: i64) -> Result<Vec<(Uuid, RecoveryCase)>, Error> {
    let read = |row: &Row<'_>| {
        let company = Cursor::new(row, RecoveryCase::TABLE, 0).read_plain("company_id")?;
        Ok::<_, store::Error>((company, RecoveryCase::read_from(row, 1)?))
    };
    Ok(tx.try_query(ALL_UNRECOVERED, params![most], read)?)
}

/// Takes the guard under which the case of a payroll is changed.
pub(in crate::money) fn lock_payroll_case(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
) -> Result<(), Error> {
    Ok(tx.take_guard(company, RecoveryCase::TABLE, payroll)?)
}

/// Stores a case that was read under its guard, with an audit entry for the action.
pub(in crate::money) fn save_case(
    tx: &mut Tx<'_>,
    caller: &Caller,
    case: &mut RecoveryCase,
    action: &'static str,
) -> Result<(), Error> {
    assert!(case.update(tx, caller.company)?, "the row was read under its guard");
    case.version += 1;
    audit_case(tx, caller, case, action)
}

/// Writes an audit entry for a change of a case.
pub(in crate::money) fn audit_case(
    tx: &mut Tx<'_>,
    caller: &Caller,
    case: &RecoveryCase,
    action: &'static str,
) -> Result<(), Error> {
    let told = json!({ "status": case.status.as_str(), "code": case.code, "outstanding": case.outstanding_cents,
                       "tries": case.tries });
    audit::record_audit_entry(tx, caller, action, (RecoveryCase::TABLE, case.id), &told)
}

/// Records on an open case that the company reports having sent a wire.
pub(in crate::money) fn wire_told(tx: &mut Tx<'_>, caller: &Caller, payroll: Uuid) -> Result<(), Error> {
    lock_payroll_case(tx, caller.company, payroll)?;
    let open = of_payroll(tx, caller.company, payroll)?.filter(|case| case.status == CaseStatus::Open);
    let Some(mut case) = open else { return Ok(()) };
    case.status = CaseStatus::WireInitiated;
    save_case(tx, caller, &mut case, "wire_initiated")
}
