//! Debits of companies that came back, and have to be recovered: what is known of each ([`super::recovery`] says what follows).

use jiff::Timestamp;
use jiff::civil::Date;
use rules::Named;
use serde_json::json;
use store::record::Cursor;
use store::{Row, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::funding::{self, Mode};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::{Listed, Page};
use crate::platform::audit;
use crate::records::MOST_TOGETHER;

/// Where a case stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Status {
    /// nothing has been done about it
    #[strum(serialize = "open")]
    Open,
    /// the debit is presented again
    #[strum(serialize = "redebit_initiated")]
    RedebitInitiated,
    /// the company says that it sent a wire
    #[strum(serialize = "wire_initiated")]
    WireInitiated,
    /// the money is there
    #[strum(serialize = "recovered")]
    Recovered,
    /// the operator has given it up
    #[strum(serialize = "lost")]
    Lost,
}

store::record! {
    /// A debit of a company that came back, and has to be recovered.
    #[derive(Debug, Clone)]
    pub struct RecoveryCase in "recovery_cases" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// what was to be paid for: a payroll, or a deposit of taxes
            pub payroll: Uuid = "payroll_id",
            /// the deposit, where it was one
            pub tax_deposit: Option<Uuid> = "tax_deposit_id",
            /// the day of payment of the payroll
            pub check_date: Date,
            /// when the debit settled that came back first
            pub debited_on: Date,
            /// cents of the whole debit
            pub event_cents: i64,
            /// when it came back first
            pub created_at: Timestamp,
        }
        fields {
            /// where it stands
            pub status: Status as text,
            /// code under which the bank returned it last
            pub code: String,
            /// cents that are still wanted
            pub outstanding_cents: i64,
            /// how often the debit was presented again
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
    // Across companies: what the operator looks after.
    ALL_UNRECOVERED = store::text!("SELECT company_id, ", RecoveryCase::COLUMNS, " FROM recovery_cases \
                      WHERE status <> 'recovered' ORDER BY id LIMIT $1");
}

/// The cases of a company, in the order in which they were opened.
///
/// # Errors
/// 422 when an unpaged list is too long; a store error.
pub fn list(tx: &mut Tx<'_>, caller: &Caller, page: Page) -> Result<Listed<RecoveryCase>, Error> {
    let (limit, offset) = page.bounds();
    let found = tx.try_query(LIST, params![caller.company, limit, offset], RecoveryCase::read)?;
    Listed::new(page, found, || {
        Ok(tx.find(COUNT, params![caller.company], |row| row.get::<i64>(0))?.unwrap_or(0))
    })
}

/// A case of a company.
///
/// # Errors
/// "Not found"; a store error.
pub fn get(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<RecoveryCase, Error> {
    RecoveryCase::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// The case of a payroll, whose debit came back.
///
/// # Errors
/// A store error.
pub fn of_payroll(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<Option<RecoveryCase>, Error> {
    Ok(tx.try_find(OF_PAYROLL, params![company, payroll], RecoveryCase::read)?)
}

/// The cases of a company about which something can still be done, in the order in which they were opened.
///
/// # Errors
/// A store error.
pub fn pending(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<RecoveryCase>, Error> {
    Ok(tx.try_query_all(PENDING, params![company], MOST_TOGETHER, RecoveryCase::read)?)
}

/// Whether a debit of a company came back, and was not recovered.
///
/// # Errors
/// A store error.
pub fn any_unrecovered(tx: &mut Tx<'_>, company: Uuid) -> Result<bool, Error> {
    Ok(tx.find(UNRECOVERED, params![company], |row| row.get::<i64>(0))?.is_some_and(|cases| cases > 0))
}

/// Whether no payroll is run for a company: a debit of it came back, and was not recovered. Where its credits wait for a wire, what
/// they come to is there before they go out, and a case keeps nothing up.
///
/// # Errors
/// A store error.
pub fn block(tx: &mut Tx<'_>, company: Uuid) -> Result<bool, Error> {
    Ok(any_unrecovered(tx, company)? && funding::of_company(tx, company)?.mode != Mode::Wire)
}

/// Cases of all companies that are not recovered, with their companies, at most `most`.
///
/// # Errors
/// A store error.
pub fn unrecovered(tx: &mut Tx<'_>, most: i64) -> Result<Vec<(Uuid, RecoveryCase)>, Error> {
    let read = |row: &Row<'_>| {
        let company = Cursor::new(row, RecoveryCase::TABLE, 0).plain("company_id")?;
        Ok::<_, store::Error>((company, RecoveryCase::read_from(row, 1)?))
    };
    Ok(tx.try_query(ALL_UNRECOVERED, params![most], read)?)
}

/// Takes the guard under which the case of a payroll is changed.
pub(super) fn guard(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    Ok(tx.guard(company, RecoveryCase::TABLE, payroll)?)
}

/// Stores a case that was read under its guard, with what was done.
pub(super) fn save(
    tx: &mut Tx<'_>,
    caller: &Caller,
    case: &mut RecoveryCase,
    action: &'static str,
) -> Result<(), Error> {
    assert!(case.update(tx, caller.company)?, "the row was read under its guard");
    case.version += 1;
    note(tx, caller, case, action)
}

/// Writes down what was done with a case.
pub(super) fn note(
    tx: &mut Tx<'_>,
    caller: &Caller,
    case: &RecoveryCase,
    action: &'static str,
) -> Result<(), Error> {
    let told = json!({ "status": case.status.as_str(), "code": case.code, "outstanding": case.outstanding_cents,
                       "tries": case.tries });
    audit::record(tx, caller, action, (RecoveryCase::TABLE, case.id), &told)
}

/// Notes that the company says that it sent a wire for a case that nothing had been done about.
pub(super) fn wire_told(tx: &mut Tx<'_>, caller: &Caller, payroll: Uuid) -> Result<(), Error> {
    guard(tx, caller.company, payroll)?;
    let open = of_payroll(tx, caller.company, payroll)?.filter(|case| case.status == Status::Open);
    let Some(mut case) = open else { return Ok(()) };
    case.status = Status::WireInitiated;
    save(tx, caller, &mut case, "wire_initiated")
}
