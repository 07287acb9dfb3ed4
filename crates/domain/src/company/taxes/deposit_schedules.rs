//! How often a company's withheld federal taxes are deposited. It follows from the taxes of a lookback period that only the employer knows
//! in full, so the operator records what the employer says, with the day from which it applies.

use jiff::civil::Date;
use rules::Named;
use rules::company::FilingForm;
use rules::deposits::{Schedule, Stated, stated_on};
use rules::{Category, Violation};
use serde_json::json;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use super::rows;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::platform::audit;

/// Table of the record, in audit entries and for its guard.
const TABLE: &str = "deposit_schedules";

store::statements! {
    OF_COMPANY = "SELECT effective_from, schedule FROM deposit_schedules WHERE company_id = $1 ORDER BY effective_from";
    PUT = "INSERT INTO deposit_schedules (company_id, effective_from, schedule, updated_at) VALUES ($1, $2, $3, $4) \
           ON CONFLICT (company_id, effective_from) DO UPDATE SET schedule = excluded.schedule, updated_at = excluded.updated_at";
}

/// The schedules of a company, by date.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Stated>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, TABLE, 0);
        Ok::<_, store::Error>((
            next.read_plain("effective_from")?,
            next.text_or_null("schedule", Schedule::parse)?,
        ))
    };
    Ok(tx.try_query(OF_COMPANY, params![company], read)?)
}

/// The schedule that applies on a day; `None` if the employer deposits.
pub fn schedule_on(tx: &mut Tx<'_>, company: Uuid, day: Date) -> Result<Option<Schedule>, Error> {
    Ok(stated_on(&of_company(tx, company)?, day))
}

/// Records which schedule applies from a day on. Payrolls that were processed before keep the schedule of that time.
///
/// # Errors
/// 422 for quarterly deposits of a company that does not file Form 944; a store error.
pub fn record_schedule(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (from, schedule): (Date, Option<Schedule>),
) -> Result<(), Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let annual =
        rows::find_federal(tx, caller.company)?.is_some_and(|one| one.filing_form == FilingForm::Annual);
    if schedule == Some(Schedule::Quarterly) && !annual {
        let why = "every can be quarterly only for a company that files Form 944; with Form 941 it is monthly or semiweekly";
        return Err(Violation::new("every", Category::InvalidParameter, why).into());
    }
    let (now, name) = (tx.now(), schedule.map(Named::as_str));
    let _one = tx.change_rows(PUT, params![caller.company, from, name, now])?.is_one();
    audit::record_audit_entry(
        tx,
        caller,
        "updated",
        (TABLE, caller.company),
        &json!({ "effective_from": from, "schedule": name }),
    )
}
