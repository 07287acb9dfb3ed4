//! Amounts that payrolls withheld for garnishments.
//!
//! A row is written when its payroll is processed, with agency and identifiers as they are then, and does not change
//! when they do. Who remits is what the calculation found, because the company is debited by it. What is due to agencies follows from the rows ([`super::remittances`]). How often and how much was
//! withheld to date follows from the sums that payrolls carry on, opening balances among them.

use std::collections::HashMap;

use jiff::civil::Date;
use rules::payroll::garnishment::{
    Agencies, ManualReason, Payee, Remittance, determine_payer, is_case_identifier,
};
use rules::{Amount, Named};
use store::{Tx, params};
use uuid::Uuid;

use super::rows::Garnishment;
use super::{agencies, rows};
use crate::error::Error;
use crate::records::{IdRange, Millionths};

store::record! {
    /// The amount that a payroll withheld for a garnishment. Fields about an agency are set for child support only.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Withholding in "garnishment_withholdings" {
        key {
            /// the payroll
            pub payroll: Uuid = "payroll_id",
            /// the garnishment
            pub garnishment: Uuid = "garnishment_id",
        }
        fixed {
            /// the employee
            pub employee: Uuid = "employee_id",
            /// the check date
            pub check_date: Date,
            /// whether the payroll was off-cycle
            pub off_cycle: bool,
            /// dollars
            pub amount: Amount as Millionths,
            /// state of the agency
            pub state: Option<String> = "support_state",
            /// name of the agency
            pub agency: Option<String>,
            /// FIPS code of the agency
            pub fips_code: Option<String>,
            /// number of the case
            pub case_number: Option<String>,
            /// number of the order
            pub order_number: Option<String>,
            /// identifier of the order on payments
            pub remittance_number: Option<String>,
            /// name of the [`Remittance`]
            pub remittance: Option<String>,
            /// why the employer remits
            pub reason: Option<ManualReason> as text = "remittance_reason",
            /// the calculation of the payroll that withheld it; unknown for rows of versions that did not record it
            pub run: Option<Uuid> = "run_id",
        }
        times { created_at }
    }
}

store::statements! {
    records Withholding;
    PUT = store::text!(
        Withholding::INSERT.text(),
        " ON CONFLICT (company_id, payroll_id, garnishment_id) DO UPDATE SET employee_id = excluded.employee_id, \
         check_date = excluded.check_date, off_cycle = excluded.off_cycle, amount = excluded.amount, \
         support_state = excluded.support_state, agency = excluded.agency, fips_code = excluded.fips_code, \
         case_number = excluded.case_number, order_number = excluded.order_number, \
         remittance_number = excluded.remittance_number, remittance = excluded.remittance, \
         remittance_reason = excluded.remittance_reason, run_id = excluded.run_id, created_at = excluded.created_at"
    );
    FORGET = "DELETE FROM garnishment_withholdings WHERE company_id = $1 AND payroll_id = $2 AND garnishment_id = $3 \
              AND (run_id = $4 OR run_id IS NULL)";
    // The employer pays what the service cannot pay.
    SET_REMITTANCE = "UPDATE garnishment_withholdings SET remittance = $1, remittance_reason = $2 \
                         WHERE company_id = $3 AND payroll_id = $4 AND garnishment_id = $5";
    FORGET_REST = "DELETE FROM garnishment_withholdings WHERE company_id = $1 AND payroll_id = $2 AND garnishment_id IN \
                   (SELECT garnishment_id FROM garnishment_withholdings WHERE company_id = $1 AND payroll_id = $2 \
                   AND run_id = $3 LIMIT 500)";
}

/// A processed payroll, as far as garnishments are concerned.
#[derive(Debug, Clone, Copy)]
pub struct Payday {
    /// the payroll
    pub payroll: Uuid,
    /// its calculation
    pub run: Uuid,
    /// the check date
    pub check_date: Date,
    /// whether it is off-cycle
    pub off_cycle: bool,
}

/// What a payroll withheld for a garnishment.
#[derive(Debug, Clone, Copy)]
pub struct Taken {
    /// the garnishment
    pub garnishment: Uuid,
    /// dollars
    pub amount: Amount,
    /// who remits it by the calculation; `None` unless child support
    pub remittance: Option<Remittance>,
}

/// Who remits to the agency what such a payroll withholds; `None` unless child support. An agency that is not in the
/// table cannot be paid by the service, nor can one without an identifier that an electronic payment holds.
pub fn remittance_of(record: &Garnishment, agencies: &Agencies, off_cycle: bool) -> Option<Remittance> {
    let payee = record.payee.as_ref()?;
    let agency = agencies.agency_of_state(&payee.state);
    let by_agency =
        determine_payer(agency.map_or(Some(ManualReason::NoAccount), |agency| agency.manual), off_cycle);
    let can_be_named = case_identifier(payee, agencies).is_some_and(is_case_identifier);
    Some(match by_agency {
        Remittance::Automatic if !can_be_named => Remittance::Manual(ManualReason::Information),
        other => other,
    })
}

/// The identifier by which payments name a case: the first one that the agency asks for, or the case number.
pub fn case_identifier<'p>(payee: &'p Payee, agencies: &Agencies) -> Option<&'p str> {
    let required = agencies.agency_of_state(&payee.state).and_then(|agency| agency.required.first());
    required.and_then(|required| payee.identifier(*required)).or(payee.case_number.as_deref())
}

/// Records what a payroll withheld for garnishments of a range of employees (ends included), replacing what is left of an earlier
/// calculation that is being reversed. Amounts of zero are not recorded.
///
/// # Errors
/// "Not found" for an unknown garnishment; a store error.
pub fn record_withholdings(
    tx: &mut Tx<'_>,
    company: Uuid,
    payday: &Payday,
    bounds: IdRange,
    taken: &[Taken],
) -> Result<(), Error> {
    if taken.is_empty() {
        return Ok(());
    }
    let agencies = agencies::as_paid(tx)?;
    let records = rows::garnishments_of_employees(tx, company, bounds)?;
    let records: HashMap<Uuid, Garnishment> = records.into_iter().map(|one| (one.id, one)).collect();
    for one in taken.iter().filter(|one| one.amount > Amount::ZERO) {
        let record = records.get(&one.garnishment).ok_or(Error::NotFound)?;
        let remittance = one.remittance.filter(|_| record.payee.is_some());
        make_withholding(payday, record, one.amount, (&agencies, remittance)).insert_by(PUT, tx, company)?;
    }
    Ok(())
}

fn make_withholding(
    payday: &Payday,
    record: &Garnishment,
    amount: Amount,
    (agencies, remittance): (&Agencies, Option<Remittance>),
) -> Withholding {
    let payee = record.payee.as_ref();
    let agency = payee.and_then(|payee| agencies.agency_of_state(&payee.state));
    Withholding {
        payroll: payday.payroll,
        garnishment: record.id,
        employee: record.employee,
        check_date: payday.check_date,
        off_cycle: payday.off_cycle,
        amount,
        state: payee.map(|payee| payee.state.clone()),
        agency: agency.map(|agency| agency.name.clone()),
        fips_code: payee.map(|payee| payee.fips_code.clone()),
        case_number: payee.and_then(|payee| payee.case_number.clone()),
        order_number: payee.and_then(|payee| payee.order_number.clone()),
        remittance_number: payee.and_then(|payee| payee.remittance_number.clone()),
        remittance: remittance.map(|remittance| remittance.as_str().to_owned()),
        reason: remittance.and_then(Remittance::reason),
        run: Some(payday.run),
    }
}

/// Sets who pays a withholding from now on: the employer, if the agency's receiving bank is unknown or returned the payment.
pub fn set_remittance(
    tx: &mut Tx<'_>,
    company: Uuid,
    withholding: &Withholding,
    remittance: Remittance,
) -> Result<(), Error> {
    let run = withholding.run.unwrap_or(withholding.payroll);
    tx.take_guard(company, "payroll_runs", run)?;
    let row = params![
        remittance.as_str(),
        remittance.reason().map(ManualReason::as_str),
        company,
        withholding.payroll,
        withholding.garnishment
    ];
    let _was_there = tx.change_rows(SET_REMITTANCE, row)?.is_one();
    Ok(())
}

/// Deletes what a calculation of a payroll withheld for some garnishments, and nothing of another calculation.
pub fn delete_withholdings(
    tx: &mut Tx<'_>,
    company: Uuid,
    (payroll, run): (Uuid, Uuid),
    garnishments: impl IntoIterator<Item = Uuid>,
) -> Result<(), Error> {
    for garnishment in garnishments {
        let _existed = tx.change_rows(FORGET, params![company, payroll, garnishment, run])?.is_one();
    }
    Ok(())
}

/// Deletes some of what a calculation withheld, of any employee; returns how many rows.
pub fn forget_rest(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid, run: Uuid) -> Result<u64, Error> {
    Ok(tx.change_rows(FORGET_REST, params![company, payroll, run])?.rows())
}
