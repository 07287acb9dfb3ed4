//! Reading and updating the industry of a company.

use rules::company::{naics_code, sic_code};
use rules::{Checks, check};
use serde_json::json;
use store::Tx;

use super::commands::UpdateIndustry;
use super::rows;
use super::rows::Industry;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::platform::audit;

/// Table of the record, in audit entries. A company has one record, which has the company's id.
pub const TABLE: &str = "company_industries";
/// Longest title, in characters.
const TITLE: usize = 200;

/// The company's industry, if it is set.
pub fn get_industry(tx: &mut Tx<'_>, caller: &Caller) -> Result<Option<Industry>, Error> {
    rows::find_industry(tx, caller.company)
}

/// Sets the company's industry.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn update_industry(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &UpdateIndustry,
) -> Result<Option<Industry>, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let mut checks = Checks::new();
    let code = input.naics_code.required("naics_code", &mut checks, |k, v| naics_code(k, v));
    let title = input.title.optional("title", &mut checks, |k, v| check::validate_text(k, v, TITLE));
    let codes = input.sic_codes.optional("sic_codes", &mut checks, |key, codes| {
        codes.iter().map(|code| sic_code(key, code)).collect::<Result<Vec<_>, _>>()
    });
    checks.finish()?;
    let before = rows::find_industry(tx, caller.company)?;
    let after = Industry {
        naics_code: code.unwrap_or_default(),
        sic_codes: codes.unwrap_or_default(),
        title,
        updated_at: before.as_ref().map_or(tx.now(), |before| before.updated_at),
    };
    if before.as_ref() != Some(&after) {
        let after = Industry { updated_at: tx.now(), ..after };
        rows::save_industry(tx, caller.company, &after)?;
        let changes = json!({ "naics_code": [before.map(|before| before.naics_code), after.naics_code] });
        audit::record_audit_entry(tx, caller, "updated", (TABLE, caller.company), &changes)?;
        events::emit_event(tx, caller.company, events::COMPANY_UPDATED, caller.company)?;
    }
    get_industry(tx, caller)
}
