//! What the credits of a company wait for, before they go into a file.

use rules::{Category, Named, Violation};
use store::record::Cursor;
use store::{Row, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::platform::audit;

/// Table of the record, in audit entries and for guards.
const TABLE: &str = "company_fundings";

store::statements! {
    FIND = "SELECT mode, days FROM company_fundings WHERE company_id = $1";
    PUT = "INSERT INTO company_fundings (company_id, mode, days, updated_at) VALUES ($1, $2, $3, $4) \
           ON CONFLICT (company_id) DO UPDATE SET mode = excluded.mode, days = excluded.days, updated_at = excluded.updated_at";
}

/// What credits wait for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Mode {
    /// nothing: they go with the debit
    #[default]
    #[strum(serialize = "none")]
    None,
    /// the debit to have settled some banking days ago without coming back
    #[strum(serialize = "debit")]
    Debit,
    /// a wire that the operator has seen arrive
    #[strum(serialize = "wire")]
    Wire,
}

/// What the credits of a company wait for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Funding {
    /// for what
    pub mode: Mode,
    /// banking days after the debit settles
    pub days: i64,
}

/// Most banking days that credits wait after the debit.
const MOST_DAYS: i64 = 10;

/// What the credits of a company wait for.
///
/// # Errors
/// A store error.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Funding, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, TABLE, 0);
        Ok::<_, store::Error>(Funding { mode: next.text("mode", Mode::parse)?, days: next.plain("days")? })
    };
    Ok(tx.try_find(FIND, params![company], read)?.unwrap_or_default())
}

/// Sets it. Payrolls whose payments were prepared before keep to what was set then.
///
/// # Errors
/// 422 for too many days; a store error.
pub fn put(tx: &mut Tx<'_>, caller: &Caller, funding: Funding) -> Result<(), Error> {
    if !(0..=MOST_DAYS).contains(&funding.days) {
        let message = format!("days must be from 0 to {MOST_DAYS}");
        return Err(Error::from(Violation::new("days", Category::InvalidParameter, message)));
    }
    tx.guard(caller.company, TABLE, caller.company)?;
    let now = tx.now();
    let _one = tx.change(PUT, params![caller.company, funding.mode.as_str(), funding.days, now])?.one();
    let told = serde_json::json!({ "mode": funding.mode.as_str(), "days": funding.days });
    audit::record(tx, caller, "updated", (TABLE, caller.company), &told)
}
