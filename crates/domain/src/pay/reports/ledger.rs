//! The general ledger of a payroll: its postings, aggregated as requested.

use std::collections::BTreeMap;

use rules::{Amount, Named, Violation};
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::terms::{Aggregation, Integration};
use crate::error::Error;
use crate::pay::books::accounts::{Account, Chart};
use crate::pay::books::posting_of;
use crate::pay::payrolls::record::rows as payrolls;

/// Returns the general ledger of a processed payroll.
///
/// # Errors
/// "Not found"; 422 if the payroll is not processed; a store error.
pub fn of_payroll(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
    aggregation: Aggregation,
    integration: Option<Integration>,
) -> Result<Value, Error> {
    let payroll = payrolls::find_payroll(tx, company, payroll)?.ok_or(Error::NotFound)?;
    let posting = match payroll.run.filter(|_| payroll.is_processed()) {
        Some(run) => posting_of(tx, company, run)?,
        None => None,
    };
    let Some(posting) = posting else {
        return Err(
            Violation::invalid_operation("The payroll is not processed, so it is not in the books.").into()
        );
    };
    let chart = Chart::of_company(tx, company)?;
    let mut sums: BTreeMap<(Account, String, String, String), i64> = BTreeMap::new();
    for line in posting.lines {
        let split = match aggregation {
            Aggregation::Plain | Aggregation::Integration => String::new(),
            Aggregation::Job => line.job,
            Aggregation::Department => line.department,
        };
        *sums.entry((line.account, line.agency, line.name, split)).or_default() += line.cents;
    }
    let text = |cents: i64| Amount::from_cents(cents).to_text(2);
    let by = match aggregation {
        Aggregation::Job => Some("job"),
        Aggregation::Department => Some("department"),
        Aggregation::Plain | Aggregation::Integration => None,
    };
    let (mut debits, mut credits) = (0, 0);
    let mut entries = Vec::with_capacity(sums.len());
    for ((account, agency, name, split), cents) in sums.into_iter().filter(|(_, cents)| *cents != 0) {
        let (debit, credit) = (cents.max(0), (-cents).max(0));
        debits += debit;
        credits += credit;
        let (number, account_name) = chart.name(account);
        let mut entry = json!({
            "account": account.as_str(),
            "account_number": number,
            "account_name": account_name,
            "agency": (!agency.is_empty()).then_some(agency),
            "description": name,
            "debit": text(debit),
            "credit": text(credit),
        });
        if let Some(by) = by {
            entry[by] = if split.is_empty() { Value::Null } else { split.into() };
        }
        entries.push(entry);
    }
    Ok(json!({
        "payroll_uuid": payroll.id,
        "check_date": payroll.check_date,
        "start_date": payroll.start,
        "end_date": payroll.end,
        "aggregation": aggregation.as_str(),
        "integration_type": integration.map(Named::as_str),
        "entries": entries,
        "total_debits": text(debits),
        "total_credits": text(credits),
    }))
}
