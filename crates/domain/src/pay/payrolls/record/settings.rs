//! A company's payroll settings.

use jiff::Timestamp;
use rules::wage_hour::FirstDay;
use rules::{Checks, Named as _};
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::patch::{Patch, as_is, some};
use crate::platform::audit;
use crate::records::Changes;

/// Table of the settings, in audit entries and for guards.
const TABLE: &str = "payroll_settings";

store::statements! {
    FIND = "SELECT previous_year_tables, workweek_first_day, block_unworked_taxes, recover_missed_premiums, updated_at FROM payroll_settings WHERE company_id = $1";
    PUT = "INSERT INTO payroll_settings (company_id, previous_year_tables, workweek_first_day, block_unworked_taxes, recover_missed_premiums, updated_at) \
           VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (company_id) DO UPDATE SET previous_year_tables = excluded.previous_year_tables, \
           workweek_first_day = excluded.workweek_first_day, block_unworked_taxes = excluded.block_unworked_taxes, \
           recover_missed_premiums = excluded.recover_missed_premiums, updated_at = excluded.updated_at";
}

/// The settings of a company's payrolls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PayrollSettings {
    /// whether payrolls use the tables of an earlier year if those of their year are missing
    pub previous_year_tables: bool,
    /// first day of workweeks; `None` if workweeks follow the pay periods
    pub workweek_first_day: Option<FirstDay>,
    /// whether a payroll cannot be submitted while a tax that is due could not be calculated
    pub block_unworked_taxes: bool,
    /// whether paychecks recover premiums that earlier ones did not deduct
    pub recover_missed_premiums: bool,
    /// when they were last changed; `None` for the defaults
    pub updated_at: Option<Timestamp>,
}

/// Updates the settings.
#[derive(Debug, Clone, Default)]
pub struct UpdatePayrollSettings {
    /// whether payrolls use the tables of an earlier year
    pub previous_year_tables: Patch<bool>,
    /// first day of workweeks
    pub workweek_first_day: Patch<FirstDay>,
    /// whether a payroll cannot be submitted while a tax that is due could not be calculated
    pub block_unworked_taxes: Patch<bool>,
    /// whether paychecks recover premiums that earlier ones did not deduct
    pub recover_missed_premiums: Patch<bool>,
}

/// Returns the settings of a company.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<PayrollSettings, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, TABLE, 0);
        Ok::<_, store::Error>(PayrollSettings {
            previous_year_tables: next.read_plain("previous_year_tables")?,
            workweek_first_day: next.text_or_null("workweek_first_day", FirstDay::parse)?,
            block_unworked_taxes: next.read_plain("block_unworked_taxes")?,
            recover_missed_premiums: next.read_plain("recover_missed_premiums")?,
            updated_at: Some(next.read_plain("updated_at")?),
        })
    };
    Ok(tx.try_find(FIND, params![company], read)?.unwrap_or_default())
}

/// Changes the settings that were sent.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn update_settings(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &UpdatePayrollSettings,
) -> Result<PayrollSettings, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let before = of_company(tx, caller.company)?;
    let mut checks = Checks::new();
    let sent = input.previous_year_tables.optional("previous_year_tables", &mut checks, as_is);
    let block = input.block_unworked_taxes.optional("block_unworked_taxes", &mut checks, as_is);
    let recover = input.recover_missed_premiums.optional("recover_missed_premiums", &mut checks, as_is);
    let now = tx.now();
    let mut after = PayrollSettings {
        previous_year_tables: sent.unwrap_or(before.previous_year_tables),
        block_unworked_taxes: block.unwrap_or(before.block_unworked_taxes),
        recover_missed_premiums: recover.unwrap_or(before.recover_missed_premiums),
        updated_at: Some(now),
        ..before
    };
    input.workweek_first_day.update_or_clear(
        "workweek_first_day",
        &mut checks,
        some,
        &mut after.workweek_first_day,
    );
    checks.finish()?;
    let mut changes = Changes::new();
    changes.record_difference(
        "previous_year_tables",
        &before.previous_year_tables,
        &after.previous_year_tables,
    );
    changes.record_difference("workweek_first_day", &before.workweek_first_day, &after.workweek_first_day);
    changes.record_difference(
        "block_unworked_taxes",
        &before.block_unworked_taxes,
        &after.block_unworked_taxes,
    );
    changes.record_difference(
        "recover_missed_premiums",
        &before.recover_missed_premiums,
        &after.recover_missed_premiums,
    );
    if changes.is_empty() {
        return Ok(before);
    }
    let day = after.workweek_first_day.map(FirstDay::as_str);
    let parameters = params![
        caller.company,
        after.previous_year_tables,
        day,
        after.block_unworked_taxes,
        after.recover_missed_premiums,
        now
    ];
    let _one = tx.change_rows(PUT, parameters)?.is_one();
    audit::record_audit_entry(tx, caller, "updated", (TABLE, caller.company), &changes.to_json())?;
    events::emit_event(tx, caller.company, events::COMPANY_UPDATED, caller.company)?;
    Ok(after)
}
