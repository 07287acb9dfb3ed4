//! Child support that the service pays to agencies: it is posted once the bank has it. If it is returned, the employer has to pay it, or it
//! can be paid to the agency again.

use crate::money::ledger::bank_files;
use crate::pay::payrolls::record::rows as payrolls;
use rules::payroll::garnishment::{ManualReason, Remittance};
use rules::{Category, Violation};
use store::{Tx, params};
use uuid::Uuid;

use super::followers::create_follower;
use super::lifecycle::{MOST_CENTS, add_entry, new_entry, release_batch};
use super::transit;
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::events;
use crate::money::bank::agencies;
use crate::money::ledger::rows::{self, Batch, BatchKind, Entry};
use crate::pay::books::Account;
use crate::pay::books::liabilities;
use crate::pay::books::rows::{self as books, LiabilityPayment};
use crate::pay::payrolls::closing::processing::posting::CHILD_SUPPORT;
use crate::pay::payrolls::record::results;
use crate::records::MOST_TOGETHER;
use crate::withholding::garnishments::remittances;
use crate::withholding::garnishments::withheld::{self, Withholding};

store::statements! {
    RETURNED = store::text!("SELECT ", store::columns!(Entry, "e."), " FROM payment_entries e JOIN payment_batches b \
               ON b.company_id = e.company_id AND b.id = e.batch_id WHERE e.company_id = $1 AND e.state = 'returned' \
               AND (b.kind = 'support' OR b.kind = 'support_again') ORDER BY e.id LIMIT $2");
}

/// Entries read at once.
const AT_ONCE: i64 = 100;

/// Pays the amount that a payroll withheld for an order to its agency. If the receiving bank is unknown, the amount exceeds the maximum of
/// an entry, or the payment information is missing, the employer pays.
pub(in crate::money) fn pay_support(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &mut Batch,
    garnishment: Uuid,
) -> Result<(), Error> {
    let found = Withholding::find(tx, company, batch.payroll, garnishment)?;
    let Some(withholding) = found else { return Ok(()) };
    let Some(payable) = remittances::payable_withholding(tx, company, &withholding)? else { return Ok(()) };
    let cents = withholding.amount.cents_half_up();
    let entry = new_entry(tx, batch, cents, "");
    match address_support_payment(tx, company, entry, (&withholding, &payable))? {
        Some(entry) if cents <= MOST_CENTS => add_entry(tx, company, batch, entry),
        _ => {
            let is_named = payable.addendum.is_some();
            let reason = if is_named { ManualReason::NoAccount } else { ManualReason::Information };
            let manual = Remittance::Manual(reason);
            withheld::set_remittance(tx, company, &withholding, manual)
        }
    }
}

/// Returns the payment with the account of the agency and the payment information; `None` if one of them is missing.
fn address_support_payment(
    tx: &mut Tx<'_>,
    company: Uuid,
    mut entry: Entry,
    (withholding, payable): (&Withholding, &remittances::Payable),
) -> Result<Option<Entry>, Error> {
    let banks = agencies::current_agency_banks(tx)?;
    let (Some(row), Some(addendum)) = (banks.row_of_agency(&payable.state), &payable.addendum) else {
        return Ok(None);
    };
    let bank = &row.bank;
    entry.name.clone_from(&bank.name);
    (entry.employee, entry.garnishment) = (Some(withholding.employee), Some(withholding.garnishment));
    entry.account_type = bank.account_type;
    entry.seal_fields(tx, company, (&bank.routing, &bank.account), Some(addendum))?;
    Ok(Some(entry))
}

/// Pays a returned amount to the agency again, to its currently imported account: the employer has already been debited.
///
/// # Errors
/// 422 if the agency cannot be paid; a store error.
pub(in crate::money) fn pay_again(tx: &mut Tx<'_>, company: Uuid, entry: &Entry) -> Result<(), Error> {
    let garnishment = entry.garnishment.ok_or(Error::NotFound)?;
    let found =
        |tx: &mut Tx<'_>| Withholding::find(tx, company, entry.payroll, garnishment)?.ok_or(Error::NotFound);
    let withholding = found(tx)?;
    withheld::set_remittance(tx, company, &withholding, Remittance::Automatic)?;
    let withholding = found(tx)?;
    let payable = remittances::payable_withholding(tx, company, &withholding)?.ok_or(Error::NotFound)?;
    let (mut batch, next) = create_follower(tx, company, entry, BatchKind::SupportAgain)?;
    let Some(next) = address_support_payment(tx, company, next, (&withholding, &payable))? else {
        let message = "no account of the agency is imported, or the payment information cannot be written";
        return Err(Error::from(Violation::new("base", Category::InvalidOperation, message)));
    };
    add_entry(tx, company, &mut batch, next)?;
    release_batch(tx, company, batch, None)
}

/// Returns the returned payments of child support that are not decided yet.
pub(in crate::money) fn open_support_returns(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Entry>, Error> {
    Ok(tx.try_query_all(RETURNED, params![company], MOST_TOGETHER, Entry::read)?)
}

/// Records the return of a payment: the employer pays the agency, unless it is paid again.
pub(in crate::money) fn record_support_return(
    tx: &mut Tx<'_>,
    caller: &Caller,
    batch: &Batch,
    entry: &Entry,
) -> Result<(), Error> {
    let company = caller.company;
    if let Some(garnishment) = entry.garnishment
        && let Some(withholding) = Withholding::find(tx, company, entry.payroll, garnishment)?
    {
        let manual = Remittance::Manual(ManualReason::Returned);
        withheld::set_remittance(tx, company, &withholding, manual)?;
    }
    if bank_files::settlement_date_at_bank(tx, batch)?.is_some() {
        post_support_payment(tx, caller, (batch, entry), -1)?;
    }
    events::emit_of_company(tx, company, events::NOTIFICATION_SUPPORT_RETURNED_CREATED, entry.id)
}

/// Posts that the bank has the payments of a batch, or, with -1, that it no longer has them.
pub(in crate::money) fn note_all(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    sign: i64,
) -> Result<(), Error> {
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    let mut after = 0;
    loop {
        let some = rows::entries_after(tx, company, batch.id, after, AT_ONCE)?;
        let Some(last) = some.last() else { return Ok(()) };
        after = last.place.unwrap_or(after);
        for entry in &some {
            post_support_payment(tx, &caller, (batch, entry), sign)?;
        }
    }
}

/// Posts a payment, or reverses the posting, under the name of the payroll's liability.
fn post_support_payment(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (batch, entry): (&Batch, &Entry),
    sign: i64,
) -> Result<(), Error> {
    let company = caller.company;
    let run = payrolls::find_payroll(tx, company, entry.payroll)?.and_then(|payroll| payroll.run);
    let (Some(run), Some(employee)) = (run, entry.employee) else { return Ok(()) };
    let Some(outcome) = results::find_outcome(tx, company, run, employee)? else { return Ok(()) };
    let deductions = outcome.read_paycheck()?.deductions;
    let of_order = deductions.into_iter().find(|one| Some(one.id) == entry.garnishment);
    let Some(of_order) = of_order else { return Ok(()) };
    liabilities::guard_payments(tx, company)?;
    let (paid_on, in_transit) =
        (transit::posting_day(tx, company, batch)?, transit::is_funded(tx, company, batch.payroll)?);
    let what = if sign < 0 { "Child support that was not paid after all" } else { "Child support" };
    let new = LiabilityPayment {
        id: tx.new_id(),
        account: Account::GarnishmentsPayable,
        agency: CHILD_SUPPORT.to_owned(),
        code: String::new(),
        name: of_order.name,
        cents: sign * entry.cents,
        paid_on,
        memo: Some(format!("{what}: payroll of {}", batch.check_date)),
        created_at: tx.now(),
        in_transit,
    };
    books::insert_liability_payment(tx, company, &new)
}
