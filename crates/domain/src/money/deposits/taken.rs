//! Which taxes of a company are deposited, which return each counts toward, when credit reductions are calculated, and which due dates
//! have become earlier.

use jiff::Timestamp;
use jiff::civil::{Date, date};
use rules::company::FilingForm;
use rules::deposits::types::DepositTypes;
use rules::deposits::{Deposit, Form, Stated, accumulates_from};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::companies;
use crate::company::taxes::{deposit_schedules, rows as details};
use crate::error::Error;
use crate::money::bank::settings;
use crate::money::funding::{self, Mode};
use crate::platform::{jobs, law};

/// Returns why a company's taxes of a check date are not deposited; `None` if they are: the operator deposits taxes, and the company has
/// set its schedule. A company whose credits wait for wires is not debited, and makes its own deposits.
pub fn left_out(tx: &mut Tx<'_>, company: Uuid, day: Date) -> Result<Option<&'static str>, Error> {
    Ok(if !settings::find_settings(tx)?.is_some_and(|settings| settings.terms.deposit_taxes) {
        Some("the operator deposits no taxes (stipend bank settings set)")
    } else if funding::of_company(tx, company)?.mode == Mode::Wire {
        Some("the company funds payroll by wire and is not debited")
    } else if deposit_schedules::schedule_on(tx, company, day)?.is_none() {
        Some("no deposit schedule is set (stipend bank deposits schedule)")
    } else {
        None
    })
}

/// Returns the tax return that a tax of a check date counts toward; `None` if its agency does not accept it by ACH.
pub fn form_of(
    tx: &mut Tx<'_>,
    company: Uuid,
    (agency, tax): (&str, &str),
    day: Date,
) -> Result<Option<Form>, Error> {
    let filed = details::find_federal(tx, company)?.map(|federal| federal.filing_form);
    let codes = law::in_force::<DepositTypes>(tx)?;
    Ok(on_return(&codes, filed, (agency, tax), day))
}

pub(super) fn on_return(
    codes: &DepositTypes,
    filed: Option<FilingForm>,
    (agency, tax): (&str, &str),
    day: Date,
) -> Option<Form> {
    let withheld = if filed == Some(FilingForm::Annual) { Form::F944 } else { Form::F941 };
    let told = |form: &Form| codes.of_tax(agency, *form, tax, day).is_some();
    [withheld, Form::F940].into_iter().find(told)
}

/// Schedules the calculation of a year's credit reductions for the end of the year, or at once if the year is over.
pub(super) fn look_at_credits(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<(), Error> {
    let zone = companies::time_zone(tx, company)?;
    let begins = date(year + 1, 1, 1).to_zoned(zone).map_or(Timestamp::MAX, |start| start.timestamp());
    let due = begins.max(tx.now());
    jobs::schedule_job(tx, company, jobs::JobKind::ReducedCredit, record_of_year(year), due)
}

/// Encodes a year as the record id of a job.
pub fn record_of_year(year: i16) -> Uuid {
    Uuid::from_u128(u128::from(year.unsigned_abs()))
}

/// Returns the year that [`record_of_year`] encoded.
pub fn year_of_record(record: Uuid) -> Option<i16> {
    i16::try_from(record.as_u128()).ok()
}

/// Moves up the due dates of staged deposits that accumulated with the days that reach 100,000 dollars: they are due together, even if
/// a payment is in progress. That payment waits for its debit, and goes out as soon as it can.
pub(super) fn move_up(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (form, planned): (Form, &Deposit),
    (stated, large): (&[Stated], &[Date]),
) -> Result<(), Error> {
    let since = accumulates_from(form, stated, large, planned.last);
    for mut one in super::deposits_in_payment(tx, caller.company)? {
        let within = one.form == form && one.first_day >= since && one.last_day <= planned.last;
        if within && one.state == super::DepositState::Staged && one.due > planned.due {
            one.due = planned.due;
            super::save_deposit(tx, caller, &mut one, "moved_up")?;
        }
    }
    Ok(())
}
