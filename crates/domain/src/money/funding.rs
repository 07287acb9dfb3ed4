//! What a company's credits wait for before they are filed.

pub mod cases;
pub mod wires;

use rules::{Category, Checks, Named, Violation};
use store::record::Cursor;
use store::{Row, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::bank::settings::{self, Terms};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::{Patch, as_is};
use crate::platform::audit;

/// Table of the record, for audit entries and guards.
const TABLE: &str = "company_fundings";

store::statements! {
    OF_PAYROLL = "SELECT mode, days FROM payroll_fundings WHERE company_id = $1 AND payroll_id = $2";
    KEEP = "INSERT INTO payroll_fundings (company_id, payroll_id, mode, days, updated_at) VALUES ($1, $2, $3, $4, $5) \
            ON CONFLICT (company_id, payroll_id) DO UPDATE SET mode = excluded.mode, days = excluded.days, updated_at = excluded.updated_at";
    // Across companies: whether one of them is shown where to send wires.
    BY_WIRE = "SELECT company_id FROM company_fundings WHERE mode = 'wire' LIMIT 1";
    FIND = "SELECT mode, days FROM company_fundings WHERE company_id = $1";
    PUT = "INSERT INTO company_fundings (company_id, mode, days, updated_at) VALUES ($1, $2, $3, $4) \
           ON CONFLICT (company_id) DO UPDATE SET mode = excluded.mode, days = excluded.days, updated_at = excluded.updated_at";
}

/// Why a company's credits cannot be set to wait for wires.
const NO_PLACE: &str = "wire must be set in the settings of the bank before credits can wait for wires";

/// What credits wait for, the least first.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, VariantArray, IntoStaticStr, EnumString,
)]
pub enum Mode {
    /// nothing: they are filed with the debit
    #[default]
    #[strum(serialize = "none")]
    None,
    /// the debit to have settled some banking days ago without being returned
    #[strum(serialize = "debit")]
    Debit,
    /// a wire that the operator has seen arrive
    #[strum(serialize = "wire")]
    Wire,
}

/// What a company's credits wait for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Funding {
    /// what they wait for
    pub mode: Mode,
    /// banking days that they wait after the debit settles
    pub days: i64,
}

/// Maximum banking days that credits wait after the debit.
const MOST_DAYS: i64 = 10;

/// Returns what a company's credits wait for in payrolls that are processed now.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Funding, Error> {
    Ok(tx.try_find(FIND, params![company], read_funding)?.unwrap_or_default())
}

/// Returns what a payroll's credits wait for: the setting at the time it was processed. Tax deposits, and payrolls that are not processed
/// or were processed before this was stored, use the company's current setting.
pub fn of_payroll(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<Funding, Error> {
    match tx.try_find(OF_PAYROLL, params![company, payroll], read_funding)? {
        Some(kept) => Ok(kept),
        None => of_company(tx, company),
    }
}

/// Refuses to remove the wire instructions while credits of a company wait for wires.
///
/// # Errors
/// 422; a store error.
pub fn refuse_without_place(tx: &mut Tx<'_>, terms: &Terms) -> Result<(), Error> {
    if terms.wire.is_some() {
        return Ok(());
    }
    let Some(company) = tx.find_row(BY_WIRE, params![], |row| row.get::<Uuid>(0))? else { return Ok(()) };
    let message = format!(
        "wire must be given while credits of a company wait for wires, such as those of {company}: give it, or change what they wait for"
    );
    Err(Error::from(Violation::new("wire", Category::InvalidOperation, message)))
}

/// Makes the credits of a company wait for more.
#[derive(Debug, Clone, Default)]
pub struct UpdatePrefunding {
    /// what they wait for
    pub credits_wait_for: Patch<Mode>,
    /// banking days that they wait after the debit settles
    pub days: Patch<i64>,
}

/// Makes the credits of payrolls that are processed afterwards wait for more, as the company asks. That they wait for less is decided by the
/// operator, who bears the risk of a debit that is returned.
///
/// # Errors
/// Every violation of the input; as [`store_funding`].
pub fn update_funding(tx: &mut Tx<'_>, caller: &Caller, input: &UpdatePrefunding) -> Result<Funding, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let before = of_company(tx, caller.company)?;
    let mut checks = Checks::new();
    let mode = input.credits_wait_for.optional("credits_wait_for", &mut checks, as_is).unwrap_or(before.mode);
    let kept = if mode == before.mode { before.days } else { 0 };
    let days = input.days.optional("days", &mut checks, |_, days| Ok(*days)).unwrap_or(kept);
    checks.require(mode >= before.mode, || {
        let message = format!(
            "credits_wait_for must not be less than {}, what the credits wait for now: ask the operator",
            before.mode.as_str()
        );
        Violation::invalid("credits_wait_for", message)
    });
    checks.require(mode != before.mode || days >= before.days, || {
        let message =
            format!("days must be at least {}, what the credits wait now: ask the operator", before.days);
        Violation::invalid("days", message)
    });
    checks.require(days == 0 || mode == Mode::Debit, || {
        Violation::invalid("days", "days must be 0 unless credits_wait_for is debit")
    });
    checks.finish()?;
    let after = Funding { mode, days };
    if after != before {
        store_funding(tx, caller, after)?;
    }
    Ok(after)
}

fn read_funding(row: &Row<'_>) -> Result<Funding, store::Error> {
    let mut next = Cursor::new(row, TABLE, 0);
    Ok(Funding { mode: next.read_text("mode", Mode::parse)?, days: next.read_plain("days")? })
}

/// Stores the setting for a payroll that is being processed, under its guard, replacing any from an earlier processing that was cancelled;
/// returns it.
pub fn keep_for_payroll(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<Funding, Error> {
    let (funding, now) = (of_company(tx, company)?, tx.now());
    let row = params![company, payroll, funding.mode.as_str(), funding.days, now];
    let _one = tx.change_rows(KEEP, row)?.is_one();
    Ok(funding)
}

/// Changes the setting for payrolls that are processed afterwards.
///
/// # Errors
/// 422 for too many days, and for wires if the bank settings have no wire instructions; a store error.
pub fn store_funding(tx: &mut Tx<'_>, caller: &Caller, funding: Funding) -> Result<(), Error> {
    if !(0..=MOST_DAYS).contains(&funding.days) {
        let message = format!("days must be from 0 to {MOST_DAYS}");
        return Err(Error::from(Violation::new("days", Category::InvalidParameter, message)));
    }
    let nowhere = settings::find_settings(tx)?.is_some_and(|settings| settings.terms.wire.is_none());
    if funding.mode == Mode::Wire && nowhere {
        return Err(Error::from(Violation::new("wire", Category::InvalidOperation, NO_PLACE)));
    }
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let now = tx.now();
    let _one =
        tx.change_rows(PUT, params![caller.company, funding.mode.as_str(), funding.days, now])?.is_one();
    let told = serde_json::json!({ "mode": funding.mode.as_str(), "days": funding.days });
    audit::record_audit_entry(tx, caller, "updated", (TABLE, caller.company), &told)
}
