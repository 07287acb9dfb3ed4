//! Tax amounts of external payrolls that are still owed: for each tax, nothing, or an amount up to the total through the last external
//! payroll whose tax was not paid.

use std::collections::BTreeMap;

use rules::taxes::TaxId;
use rules::{Amount, Checks, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::commands::SelectLiabilities;
use super::items;
use super::numbers;
use super::rows;
use super::rows::{ExternalPayroll, ExternalPayrollStatus, Owed};
use super::service::TABLE;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch;
use crate::patch::Patch;
use crate::platform::audit;
use crate::records::id_of;

/// Maximum number of taxes in one request.
const MOST: usize = 500;

/// A tax of the external payrolls, with the amounts that may be owed.
#[derive(Debug, Clone)]
pub struct Liability {
    /// code and payer of the tax
    pub id: TaxId,
    /// last external payroll whose tax was not paid
    pub last_unpaid: Option<Uuid>,
    /// possible amounts owed: nothing, or the total up to and including an external payroll
    pub possible: Vec<Possible>,
}

/// A possible amount owed for a tax.
#[derive(Debug, Clone)]
pub struct Possible {
    /// dollars
    pub amount: Amount,
    /// last external payroll whose tax was not paid; `None` if nothing is owed
    pub payroll: Option<ExternalPayroll>,
}

/// Lists the taxes of all external payrolls, ordered by code.
pub fn list_tax_liabilities(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Liability>, Error> {
    let nothing = || Possible { amount: Amount::ZERO, payroll: None };
    let mut found: BTreeMap<TaxId, Vec<Possible>> = BTreeMap::new();
    for payroll in rows::of_company(tx, caller.company)? {
        let items = rows::items_of_payroll(tx, caller.company, payroll.id)?;
        for (id, amount) in items::taxes_of_items(items.values()) {
            let possible = found.entry(id).or_insert_with(|| vec![nothing()]);
            let before = possible.last().map_or(Amount::ZERO, |last| last.amount);
            let amount = before + amount;
            possible.push(Possible { amount, payroll: Some(payroll.clone()) });
        }
    }
    let owed: BTreeMap<TaxId, Owed> =
        rows::list_owed_taxes(tx, caller.company)?.into_iter().map(|owed| (owed.id.clone(), owed)).collect();
    let liability = |(id, possible): (TaxId, Vec<Possible>)| Liability {
        last_unpaid: owed.get(&id).and_then(|owed| owed.last_unpaid),
        id,
        possible,
    };
    Ok(found.into_iter().map(liability).collect())
}

/// Sets the amounts owed for taxes. Taxes that the request does not name are unchanged.
///
/// # Errors
/// Every violation of the input; 422 if no external payroll can be changed; a store error.
pub fn select_liabilities(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &SelectLiabilities,
) -> Result<Vec<Liability>, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let held = list_tax_liabilities(tx, caller)?;
    let open = rows::of_company(tx, caller.company)?
        .iter()
        .any(|one| one.status == ExternalPayrollStatus::Unprocessed);
    let mut checks = Checks::new();
    checks.require(open, || Violation::invalid_operation("There is no unfinished external payroll."));
    if input.liability_selections.value().is_none() {
        input.liability_selections.required("liability_selections", &mut checks, |_, _| Ok(()));
    }
    let mut chosen = Vec::new();
    for fields in patch::check_items("liability_selections", &input.liability_selections, MOST, &mut checks) {
        let found = fields.tax_id.required("tax_id", &mut checks, |key, id| {
            let found = held.iter().find(|one| numbers::of_tax(&one.id) == *id);
            found.ok_or_else(|| {
                Violation::invalid(key, format!("{key} must be the id of a tax of the external payrolls"))
            })
        });
        let payroll = match &fields.last_unpaid_external_payroll_uuid {
            Patch::Null | Patch::Absent => None,
            field => field.optional("last_unpaid_external_payroll_uuid", &mut checks, |_, id| Ok(id_of(id))),
        };
        let of = |one: &Possible| one.payroll.as_ref().map(|held| held.id) == payroll;
        let possible = found.and_then(|found| found.possible.iter().find(|one| of(one)));
        checks.require(found.is_none() || possible.is_some(), || {
            let key = "last_unpaid_external_payroll_uuid";
            Violation::invalid(key, format!("{key} must be one of possible_liabilities, or null"))
        });
        let amount =
            fields.unpaid_liability_amount.required("unpaid_liability_amount", &mut checks, |key, amount| {
                let most = possible.map_or(rules::amount::MAX_AMOUNT, |one| one.amount);
                let dollars = patch::check_dollars(key, amount)?;
                if *amount <= most {
                    return Ok(dollars);
                }
                Err(Violation::invalid(key, format!("{key} must not be more than {}", most.to_text(2))))
            });
        if let (Some(found), Some(amount)) = (found, amount) {
            chosen.push(Owed { id: found.id.clone(), last_unpaid: payroll, amount });
        }
    }
    checks.finish()?;
    for owed in &chosen {
        rows::put_owed(tx, caller.company, owed)?;
    }
    let noted = json!({ "tax_liabilities": [null, chosen.len()] });
    audit::record_audit_entry(tx, caller, "updated", (TABLE, caller.company), &noted)?;
    list_tax_liabilities(tx, caller)
}
