//! Remittances to agencies, past and due: what payrolls withheld for child support, per payroll and order, and whether the service or the
//! employer remits it.
//!
//! The bank's addendum record is generated when the list is read. It contains everything but the employee's Social Security number, which
//! never leaves the service: X replaces its digits, and the payer fills them in.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use rules::payroll::garnishment::{
    Addendum, Agencies, Agency, MedicalSupport, Payee, Remittance, payment_addendum,
};
use rules::payroll::holidays::is_banking_day;
use store::{Tx, Unread, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::agencies;
use super::withheld::{Withholding, case_identifier};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::{Listed, Page};
use crate::people::{employees, employment};

/// The conditions of a list: $1 company, $2 payroll or NULL, $3 and $4 the first and last day of payment.
const FILTER: &str =
    " AND (payroll_id = $2 OR $2 IS NULL) AND check_date BETWEEN $3 AND $4 AND remittance IS NOT NULL";

store::statements! {
    LIST = store::text!(Withholding::SELECT, FILTER, " ORDER BY check_date, payroll_id, garnishment_id LIMIT $5 OFFSET $6");
    COUNT = store::text!("SELECT count(*) FROM garnishment_withholdings WHERE company_id = $1", FILTER);
}

/// Replaces the Social Security number in an addendum record.
const HIDDEN_SSN: &str = "XXXXXXXXX";

/// Which remittances to list.
#[derive(Debug, Clone)]
pub struct RemittanceFilter {
    /// only those of this payroll
    pub payroll: Option<Uuid>,
    /// with a check date on this day or later
    pub from: Date,
    /// with a check date on this day or before
    pub until: Date,
    /// the page of the list
    pub page: Page,
}

/// What a payroll withheld for child support, and how it is paid to the agency.
#[derive(Debug, Clone)]
pub struct ChildSupportRemittance {
    /// the amount withheld
    pub withholding: Withholding,
    /// the payee
    pub payee: Payee,
    /// who remits it
    pub remittance: Remittance,
    /// when the agency requires the payment; `None` if unknown
    pub due_on: Option<Date>,
    /// the addendum record (CCD+) of a payment by bank; `None` if a value cannot be written in one
    pub addendum: Option<String>,
}

/// A page of the list, by check date.
///
/// # Errors
/// 422 when an unpaged list is too long; a store error.
pub fn list_remittances(
    tx: &mut Tx<'_>,
    caller: &Caller,
    filter: &RemittanceFilter,
) -> Result<Listed<ChildSupportRemittance>, Error> {
    let (limit, offset) = filter.page.limit_and_offset();
    let RemittanceFilter { payroll, from, until, page } = *filter;
    let parameters = params![caller.company, payroll, from, until, limit, offset];
    let rows = tx.try_query(LIST, parameters, Withholding::read)?;
    let agencies = agencies::current_agencies(tx)?;
    let mut remittances = Vec::with_capacity(rows.len());
    for row in rows {
        remittances.push(make_remittance(tx, caller, row, &agencies)?);
    }
    Listed::new(page, remittances, || {
        let count =
            tx.find_row(COUNT, params![caller.company, payroll, from, until], |row| row.get::<i64>(0))?;
        Ok(count.unwrap_or(0))
    })
}

fn make_remittance(
    tx: &mut Tx<'_>,
    caller: &Caller,
    withholding: Withholding,
    agencies: &Agencies,
) -> Result<ChildSupportRemittance, Error> {
    let payee = read_payee(&withholding)?;
    let addendum = payment_information(tx, caller.company, &withholding, (&payee, agencies), HIDDEN_SSN)?;
    let agency = agencies.agency_of_state(&payee.state);
    let due_on = agency.and_then(|agency| due_on(agency, withholding.check_date));
    let remittance = withholding.reason.map_or(Remittance::Automatic, Remittance::Manual);
    Ok(ChildSupportRemittance { withholding, payee, remittance, due_on, addendum })
}

/// The payment information of a withholding, with the given text in place of the Social Security number; `None` if a value cannot be
/// written in it.
fn payment_information(
    tx: &mut Tx<'_>,
    company: Uuid,
    withholding: &Withholding,
    (payee, agencies): (&Payee, &Agencies),
    ssn: &str,
) -> Result<Option<String>, Error> {
    let employee = employees::Employee::find(tx, company, withholding.employee)?;
    // As of the check date, so that the information of an earlier payment stays the same.
    let held = employment::rows::of_employee(tx, company, withholding.employee)?;
    let terminated = held.was_away(withholding.check_date);
    Ok(employee.zip(case_identifier(payee, agencies)).and_then(|(employee, case_identifier)| {
        let [first_name, last_name] =
            [&employee.first_name, &employee.last_name].map(|name| deunicode::deunicode(name));
        payment_addendum(&Addendum {
            case_identifier,
            pay_date: withholding.check_date,
            amount: withholding.amount,
            ssn,
            medical: MedicalSupport::No,
            first_name: &first_name,
            last_name: &last_name,
            fips_code: &payee.fips_code,
            terminated,
        })
    }))
}

/// A payment to an agency, for the bank.
pub struct Payable {
    /// state of the agency
    pub state: String,
    /// payment information with the whole Social Security number; `None` if it cannot be written
    pub addendum: Option<Zeroizing<String>>,
}

store::hidden!(Payable);

/// The bank's payment of a withholding that the service remits; `None` if the employer remits it. It contains the employee's whole Social
/// Security number, and is used only in the sealed entry of a file.
pub fn payable_withholding(
    tx: &mut Tx<'_>,
    company: Uuid,
    withholding: &Withholding,
) -> Result<Option<Payable>, Error> {
    let automatic = Remittance::Automatic.as_str();
    if withholding.remittance.as_deref() != Some(automatic) {
        return Ok(None);
    }
    let payee = read_payee(withholding)?;
    let agencies = agencies::current_agencies(tx)?;
    let employee = employees::Employee::find(tx, company, withholding.employee)?;
    let ssn = match &employee {
        Some(employee) => employees::rows::unseal_ssn(tx, company, employee)?,
        None => None,
    };
    let addendum = match ssn {
        Some(ssn) => {
            payment_information(tx, company, withholding, (&payee, &agencies), &ssn)?.map(Zeroizing::new)
        }
        None => None,
    };
    Ok(Some(Payable { state: payee.state, addendum }))
}

/// The payee of child support as it was when the payroll was processed.
fn read_payee(withholding: &Withholding) -> Result<Payee, store::Error> {
    let required = |value: &Option<String>, column| {
        let missing = || Unread::new("is NULL in a remittance").into_error(Withholding::TABLE, column);
        value.clone().ok_or_else(missing)
    };
    Ok(Payee {
        state: required(&withholding.state, "support_state")?,
        fips_code: required(&withholding.fips_code, "fips_code")?,
        case_number: withholding.case_number.clone(),
        order_number: withholding.order_number.clone(),
        remittance_number: withholding.remittance_number.clone(),
    })
}

/// The due date of what was withheld on a check date. Business days are Monday to Friday, excluding bank holidays.
fn due_on(agency: &Agency, check_date: Date) -> Option<Date> {
    let within = agency.remit_within?;
    if !within.business {
        return check_date.checked_add(i64::from(within.days).days()).ok();
    }
    let mut day = check_date;
    for _ in 0..within.days {
        day = day.tomorrow().ok()?;
        while !is_banking_day(day) || matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
            day = day.tomorrow().ok()?;
        }
    }
    Some(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remittances_are_due_some_days_after_the_check_date() {
        let due = |state: &str, day: &str| {
            let agency = Agencies::built_in().agency_of_state(state).unwrap();
            due_on(agency, day.parse().unwrap()).map(|day| day.to_string())
        };
        // Seven business days over two weekends and Memorial Day; five calendar days; unknown.
        assert_eq!(due("OH", "2026-05-15").as_deref(), Some("2026-05-27"));
        assert_eq!(due("WI", "2026-05-15").as_deref(), Some("2026-05-20"));
        assert_eq!(due("CA", "2026-05-15"), None);
    }
}
