//! Which taxes of a company are deposited, on which return each counts, when reduced credits are looked at, and what is due earlier than it
//! was.

use jiff::Timestamp;
use jiff::civil::{Date, date};
use rules::company::FilingForm;
use rules::deposits::{Deposit, Form, Stated, accumulates_from, types};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::companies;
use crate::company::taxes::{deposit_schedules, rows as details};
use crate::error::Error;
use crate::money::funding::{self, Mode};
use crate::money::settings;
use crate::platform::jobs;

/// Why the taxes of a pay day are not deposited for a company; `None` where they are: the operator does it, and the company has said on
/// which schedule. Where its credits wait for wires it is not debited, and deposits itself.
///
/// # Errors
/// A store error.
pub fn left_out(tx: &mut Tx<'_>, company: Uuid, day: Date) -> Result<Option<&'static str>, Error> {
    Ok(if !settings::find(tx)?.is_some_and(|settings| settings.terms.deposit_taxes) {
        Some("the operator deposits no taxes (stipend bank settings set)")
    } else if funding::of_company(tx, company)?.mode == Mode::Wire {
        Some("the company is not debited: its credits wait for wires")
    } else if deposit_schedules::on(tx, company, day)?.is_none() {
        Some("no schedule is stated (stipend bank deposits schedule)")
    } else {
        None
    })
}

/// The return on which a tax of a pay day counts; `None` for one that no agency takes as a payment of banks.
///
/// # Errors
/// A store error.
pub fn form_of(
    tx: &mut Tx<'_>,
    company: Uuid,
    (agency, tax): (&str, &str),
    day: Date,
) -> Result<Option<Form>, Error> {
    let filed = details::find_federal(tx, company)?.map(|federal| federal.filing_form);
    Ok(on_return(filed, (agency, tax), day))
}

pub(super) fn on_return(filed: Option<FilingForm>, (agency, tax): (&str, &str), day: Date) -> Option<Form> {
    let withheld = if filed == Some(FilingForm::Annual) { Form::F944 } else { Form::F941 };
    let told = |form: &Form| types::of_tax(agency, *form, tax, day).is_some();
    [withheld, Form::F940].into_iter().find(told)
}

/// Has what reduced credits cost for a year looked at once the year is over, and at once where it is over already.
pub(super) fn look_at_credits(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<(), Error> {
    let zone = companies::time_zone(tx, company)?;
    let begins = date(year + 1, 1, 1).to_zoned(zone).map_or(Timestamp::MAX, |start| start.timestamp());
    let due = begins.max(tx.now());
    jobs::schedule(tx, company, jobs::Kind::ReducedCredit, record_of_year(year), due)
}

/// What stands for a year where work is named by a record.
pub fn record_of_year(year: i16) -> Uuid {
    Uuid::from_u128(u128::from(year.unsigned_abs()))
}

/// The year that [`record_of_year`] stands for.
pub fn year_of_record(record: Uuid) -> Option<i16> {
    i16::try_from(record.as_u128()).ok()
}

/// What accumulated with the days that reach 100,000 dollars is due with them, though its payment is on its way: it waits for its debit,
/// and goes as soon as it can.
pub(super) fn move_up(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (form, planned): (Form, &Deposit),
    (stated, large): (&[Stated], &[Date]),
) -> Result<(), Error> {
    let since = accumulates_from(form, stated, large, planned.last);
    for mut one in super::made(tx, caller.company)? {
        let within = one.form == form && one.first_day >= since && one.last_day <= planned.last;
        if within && one.state == super::State::Staged && one.due > planned.due {
            one.due = planned.due;
            super::save(tx, caller, &mut one, "moved_up")?;
        }
    }
    Ok(())
}
