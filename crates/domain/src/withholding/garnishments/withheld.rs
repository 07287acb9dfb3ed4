//! What payrolls took for garnishments.
//!
//! A line is written when its payroll is processed, with agency and identifiers as they are then, and does not change
//! when they do. From the lines follows what is to be paid to agencies ([`super::remittances`]). How often and how much
//! was taken so far is told by the sums that payrolls carry on, opening balances among them.

use jiff::civil::Date;
use rules::Amount;
use rules::Named;
use rules::payroll::garnishment::{Agencies, Remittance, remittance};
use store::{Tx, params};
use uuid::Uuid;

use super::agencies;
use super::rows;
use super::rows::Garnishment;
use crate::error::Error;

store::statements! {
    INSERT = "INSERT INTO garnishment_withholdings (company_id, payroll_id, garnishment_id, employee_id, check_date, off_cycle, amount, \
              support_state, agency, fips_code, case_number, order_number, remittance_number, remittance, remittance_reason, created_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
    FORGET = "DELETE FROM garnishment_withholdings WHERE company_id = $1 AND payroll_id = $2";
}

/// A processed payroll, as far as garnishments are concerned.
#[derive(Debug, Clone, Copy)]
pub struct Payday {
    /// the payroll
    pub payroll: Uuid,
    /// the day on which employees are paid
    pub check_date: Date,
    /// whether it is outside the schedule
    pub off_cycle: bool,
}

/// Who pays the agency what such a payroll withholds; none where the garnishment is no child support. An agency that
/// is not held is one that the service cannot pay.
pub fn remittance_of(record: &Garnishment, agencies: &Agencies, off_cycle: bool) -> Option<Remittance> {
    let agency = agencies.of(&record.payee.as_ref()?.state);
    Some(remittance(agency.is_none_or(|agency| agency.manual_payment_required), off_cycle))
}

/// Notes what a payroll took for garnishments. Where nothing was taken, nothing is noted.
///
/// # Errors
/// "Not found" where there is no such garnishment; a store error.
pub fn note(tx: &mut Tx<'_>, company: Uuid, payday: &Payday, taken: &[(Uuid, Amount)]) -> Result<(), Error> {
    let agencies = agencies::current(tx)?;
    for (garnishment, amount) in taken.iter().filter(|(_, amount)| *amount > Amount::ZERO) {
        let record = rows::find(tx, company, *garnishment)?.ok_or(Error::NotFound)?;
        insert(tx, company, payday, &record, *amount, &agencies)?;
    }
    Ok(())
}

fn insert(
    tx: &mut Tx<'_>,
    company: Uuid,
    payday: &Payday,
    record: &Garnishment,
    amount: Amount,
    agencies: &Agencies,
) -> Result<(), Error> {
    let now = tx.now();
    let payee = record.payee.as_ref();
    let agency = payee.and_then(|payee| agencies.of(&payee.state));
    let remittance = remittance_of(record, agencies, payday.off_cycle);
    let parameters = params![
        company,
        payday.payroll,
        record.id,
        record.employee,
        payday.check_date,
        payday.off_cycle,
        amount.millionths(),
        payee.map(|payee| &payee.state),
        agency.map(|agency| &agency.name),
        payee.map(|payee| &payee.fips_code),
        payee.and_then(|payee| payee.case_number.as_ref()),
        payee.and_then(|payee| payee.order_number.as_ref()),
        payee.and_then(|payee| payee.remittance_number.as_ref()),
        remittance.map(Remittance::as_str),
        remittance.and_then(Remittance::reason).map(|reason| reason.as_str()),
        now
    ];
    Ok(tx.insert(INSERT, parameters)?)
}

/// Forgets what a payroll took, when it is cancelled or processed once more.
///
/// # Errors
/// A store error.
pub fn forget(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    let _there_may_be_none = tx.change(FORGET, params![company, payroll])?.rows();
    Ok(())
}
