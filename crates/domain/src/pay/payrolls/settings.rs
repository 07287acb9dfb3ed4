//! What a company has decided about its payrolls.

use jiff::Timestamp;
use rules::Checks;
use serde_json::json;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::patch::{Patch, as_is};
use crate::platform::audit;

/// Table of the settings, in audit entries and for guards.
const TABLE: &str = "payroll_settings";

store::statements! {
    FIND = "SELECT previous_year_tables, updated_at FROM payroll_settings WHERE company_id = $1";
    PUT = "INSERT INTO payroll_settings (company_id, previous_year_tables, updated_at) VALUES ($1, $2, $3) \
           ON CONFLICT (company_id) DO UPDATE SET previous_year_tables = excluded.previous_year_tables, \
           updated_at = excluded.updated_at";
}

/// The settings of a company's payrolls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PayrollSettings {
    /// whether payrolls go on with the tables of an earlier year where those of their year are not held
    pub previous_year_tables: bool,
    /// when they were last changed; `None` for those that a company begins with
    pub updated_at: Option<Timestamp>,
}

/// Updates the settings.
#[derive(Debug, Clone, Default)]
pub struct UpdatePayrollSettings {
    /// whether payrolls go on with the tables of an earlier year
    pub previous_year_tables: Patch<bool>,
}

/// The settings of a company.
///
/// # Errors
/// A store error.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<PayrollSettings, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, TABLE, 0);
        Ok::<_, store::Error>(PayrollSettings {
            previous_year_tables: next.plain("previous_year_tables")?,
            updated_at: Some(next.plain("updated_at")?),
        })
    };
    Ok(tx.try_find(FIND, params![company], read)?.unwrap_or_default())
}

/// Changes what was sent of the settings.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn update(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &UpdatePayrollSettings,
) -> Result<PayrollSettings, Error> {
    tx.guard(caller.company, TABLE, caller.company)?;
    let before = of_company(tx, caller.company)?;
    let mut checks = Checks::new();
    let sent = input.previous_year_tables.optional("previous_year_tables", &mut checks, as_is);
    checks.finish()?;
    let now = tx.now();
    let after = PayrollSettings {
        previous_year_tables: sent.unwrap_or(before.previous_year_tables),
        updated_at: Some(now),
    };
    if after.previous_year_tables == before.previous_year_tables {
        return Ok(before);
    }
    let _one = tx.change(PUT, params![caller.company, after.previous_year_tables, now])?.one();
    let changes =
        json!({ "previous_year_tables": [before.previous_year_tables, after.previous_year_tables] });
    audit::record(tx, caller, "updated", (TABLE, caller.company), &changes)?;
    events::emit(tx, caller.company, events::COMPANY_UPDATED, caller.company)?;
    Ok(after)
}
