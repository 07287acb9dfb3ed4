//! An employee's pay stubs: one for each processed payroll that paid them.

use jiff::Timestamp;
use jiff::civil::Date;
use rules::{Amount, Named};
use sha2::{Digest, Sha256};
use store::record::{Cursor, JsonText};
use store::{Row, Tx, params};
use uuid::{Builder, Uuid};

use crate::access::tokens::Caller;
use crate::digest;
use crate::error::Error;
use crate::paging::{Listed, Page};
use crate::pay::payrolls::closing::processing::disbursements::DisbursementStatus;
use crate::pay::payrolls::facts::opening;
use crate::pay::payrolls::record::json::from_json;
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::results::TABLE;
use crate::people::employees;
use crate::people::employees::rows::{CHECK, DIRECT_DEPOSIT};

macro_rules! of_employee {
    () => {
        " FROM payrolls p JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id \
         LEFT JOIN partner_disbursements d ON d.company_id = r.company_id AND d.run_id = r.run_id AND d.employee_id = r.employee_id \
         WHERE p.company_id = $1 AND r.employee_id = $2 AND p.processed_at IS NOT NULL"
    };
}

/// With paychecks that are void: each is shown once.
macro_rules! also_void {
    () => {
        " FROM payrolls p \
         LEFT JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id AND r.employee_id = $2 \
         LEFT JOIN voided_paychecks v ON v.company_id = p.company_id AND v.run_id = p.run_id AND v.employee_id = $2 \
         LEFT JOIN partner_disbursements d ON d.company_id = p.company_id AND d.run_id = p.run_id AND d.employee_id = $2 \
         WHERE p.company_id = $1 AND p.processed_at IS NOT NULL AND (r.run_id IS NOT NULL OR v.run_id IS NOT NULL)"
    };
}

store::statements! {
    NEWEST_FIRST = concat!("SELECT p.id, p.check_date, coalesce(v.gross, r.gross), coalesce(v.net, r.net), \
                            coalesce(v.check_amount, r.check_amount), coalesce(v.paycheck, r.paycheck), d.status, v.voided_at", also_void!(),
                           " ORDER BY p.check_date DESC, p.id DESC LIMIT $3 OFFSET $4");
    OF_DAYS = concat!("SELECT r.gross, r.net", of_employee!(), " AND p.check_date BETWEEN $3 AND $4");
    COUNT = concat!("SELECT count(*)", also_void!());
}

/// A pay stub.
#[derive(Debug, Clone)]
pub struct PayStub {
    /// identifier, stable across reads
    pub id: Uuid,
    /// the payroll
    pub payroll: Uuid,
    /// pay date
    pub check_date: Date,
    /// all wages
    pub gross: Amount,
    /// gross less taxes and deductions
    pub net: Amount,
    /// the part paid by check
    pub check_amount: Amount,
    /// `Direct Deposit` or `Check`
    pub payment_method: &'static str,
    /// when it became void: the pay was not owed, and was reversed
    pub voided_at: Option<Timestamp>,
}

/// Returns the pay stubs of an employee, newest first.
///
/// # Errors
/// "Not found"; 422 for a list that is too long to be read at once; a store error.
pub fn list_pay_stubs(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    page: Page,
) -> Result<Listed<PayStub>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?.id;
    let (limit, offset) = page.limit_and_offset();
    let read = |row: &Row<'_>| pay_stub(row, employee);
    let items = tx.try_query(NEWEST_FIRST, params![caller.company, employee, limit, offset], read)?;
    Listed::new(page, items, || {
        Ok(tx.find_row(COUNT, params![caller.company, employee], |row| row.get::<i64>(0))?.unwrap_or(0))
    })
}

/// The amounts paid to an employee in a year.
#[derive(Debug, Clone, Copy)]
pub struct PaidInYear {
    /// the calendar year of the pay dates
    pub year: i16,
    /// all wages
    pub gross: Amount,
    /// gross less taxes and deductions
    pub net: Amount,
}

/// Returns the amounts paid to an employee in a year until a day, including opening balances. The pay date decides, because payrolls may be
/// processed in another order.
///
/// # Errors
/// "Not found"; a store error.
pub fn paid_in_year(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    (year, until): (i16, Date),
) -> Result<PaidInYear, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?.id;
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, TABLE, 0);
        let mut amount = |field| next.read_plain(field).map(Amount::from_millionths);
        Ok::<(Amount, Amount), store::Error>((amount("gross")?, amount("net")?))
    };
    let days = (jiff::civil::date(year, 1, 1), jiff::civil::date(year, 12, 31).min(until));
    let paid = tx.try_query(OF_DAYS, params![caller.company, employee, days.0, days.1], read)?;
    let opened =
        opening::list_opening_balances(tx, caller, employee)?.into_iter().find(|opened| opened.year == year);
    let opened = opened.map(|opened| (opened.of_year.gross, opened.of_year.net)).unwrap_or_default();
    let (gross, net) = paid.into_iter().fold(opened, |sum, one| (sum.0 + one.0, sum.1 + one.1));
    Ok(PaidInYear { year, gross, net })
}

fn pay_stub(row: &Row<'_>, employee: Uuid) -> Result<PayStub, store::Error> {
    let mut next = Cursor::new(row, TABLE, 0);
    let (payroll, check_date) = (next.read_plain::<Uuid>("payroll_id")?, next.read_plain("check_date")?);
    let mut amount = |field| next.read_plain(field).map(Amount::from_millionths);
    let (gross, net, paid_out) = (amount("gross")?, amount("net")?, amount("check_amount")?);
    let paid: Paid = from_json(TABLE, "paycheck", &next.read_stored::<JsonText, _>("paycheck")?)?;
    let told = next.text_or_null("status", DisbursementStatus::parse)?;
    let voided_at = next.read_plain("voided_at")?;
    let by_check = paid.splits.is_empty() || told == Some(DisbursementStatus::ConvertedToCheck);
    Ok(PayStub {
        id: id_of(payroll, employee),
        payroll,
        check_date,
        gross,
        net,
        check_amount: if by_check { paid_out } else { Amount::ZERO },
        payment_method: if by_check { CHECK } else { DIRECT_DEPOSIT },
        voided_at,
    })
}

/// Derives the identifier of a pay stub, which has no record of its own, from the payroll and the employee.
fn id_of(payroll: Uuid, employee: Uuid) -> Uuid {
    let mut hash = Sha256::new();
    digest::hash_part(&mut hash, b"pay stub");
    digest::hash_part(&mut hash, payroll.as_bytes());
    digest::hash_part(&mut hash, employee.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    Builder::from_custom_bytes(bytes).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pay_stub_has_one_identifier_for_a_payroll_and_an_employee() {
        let (a, b) = (Uuid::from_u128(1), Uuid::from_u128(2));
        assert_eq!(id_of(a, b), id_of(a, b));
        assert_ne!(id_of(a, b), id_of(b, a));
        assert_ne!(id_of(a, b), id_of(a, a));
    }
}
