//! Follow-up payments: returned or held amounts that are paid again, and reversals of pay.

use jiff::civil::Date;
use rules::{Checks, Named as _, Violation};
use serde_json::json;
use store::{Store, Tx};
use uuid::Uuid;

use super::debits::{self, Wanted, funded_at};
use super::funding::{self, Mode};
use super::prepare::{
    MOST_CENTS, NO_BANK, NO_COMPANY_ACCOUNT, add, by_wire, hold, look_again, new_batch, new_entry, release,
    save,
};
use super::purpose::Purpose;
use super::rows::{self, Batch, BatchState, Entry, EntryState, Kind};
use super::{
    MOST_DAYS_OF_REVERSALS, banking_days_after, contractors, earliest_settlement, files, net_pay, settings,
    support,
};
use crate::access::tokens::Caller;
use crate::company::banks::rows as banks;
use crate::company::companies;
use crate::contractors::accounts::rows as of_contractors;
use crate::error::Error;
use crate::events;
use crate::patch::{Patch, as_is};
use crate::pay::payrolls;
use crate::pay::payrolls::reversals::{self, Category, Money, Reversal, State};
use crate::people::payment_methods::payable;
use crate::people::payment_methods::rows as accounts;
use crate::people::payment_methods::service as methods;
use crate::platform::{audit, jobs};

/// Entries read at once.
const AT_ONCE: i64 = 100;

/// How to pay a held amount: exactly one of the two fields.
#[derive(Debug, Clone, Default)]
pub struct PayAgain {
    /// an account of the employee
    pub bank_account_uuid: Patch<String>,
    /// whether the employer writes a check
    pub by_check: Patch<bool>,
}

impl PayAgain {
    /// Returns the chosen way to pay.
    ///
    /// # Errors
    /// 422 for every violation, and if both or neither fields are given.
    fn way(&self) -> Result<To, Error> {
        let mut checks = Checks::new();
        let account = self.bank_account_uuid.optional("bank_account_uuid", &mut checks, |key, text| {
            text.parse::<Uuid>().map_err(|_| Violation::invalid(key, format!("{key} must be a UUID")))
        });
        let by_check = self.by_check.optional("by_check", &mut checks, as_is).unwrap_or(false);
        checks.finish()?;
        match (account, by_check) {
            (Some(account), false) => Ok(To::Account(account)),
            (None, true) => Ok(To::Check),
            _ => {
                let message = "Send either bank_account_uuid, or by_check as true.";
                Err(Error::from(Violation::invalid("bank_account_uuid", message)))
            }
        }
    }
}

/// Pays an amount that was returned, or held from the start, as the employer chooses.
///
/// # Errors
/// As [`pay_again`]; 422 for every violation of the input.
pub fn as_told(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, input: &PayAgain) -> Result<(), Error> {
    Entry::find(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    pay_again(tx, caller, id, input.way()?)
}

/// How a held amount is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    /// to this account of the employee
    Account(Uuid),
    /// by check, which the employer writes
    Check,
    /// to the child support agency
    Agency,
    /// by the employer, who has recorded it as a payment of the liability
    Employer,
}

/// Pays an amount that was returned, or held from the start, in another way. Returned child support is paid to its agency again, or by the
/// employer.
///
/// # Errors
/// "Not found"; 422 for a payment whose amount is not held, and for an account that cannot be paid; a store error.
pub fn pay_again(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, to: To) -> Result<(), Error> {
    let company = caller.company;
    let (batch, mut entry) = guarded(tx, company, id)?;
    let of_support = matches!(batch.kind, Kind::Support | Kind::SupportAgain);
    let of_pay = matches!(batch.kind, Kind::Pay | Kind::Again);
    if entry.state == EntryState::PaidByEmployer {
        return Err(refused(
            "the employer has paid the amount, and recorded it as a payment of net pay payable",
        ));
    }
    let was_reversed = entry.state == EntryState::Reversed;
    let is_owed = matches!(entry.state, EntryState::Returned | EntryState::Held)
        || (was_reversed && to == To::Employer);
    if !(of_pay || of_support) || !is_owed {
        return Err(refused("only pay and child support that was returned or is held can be paid again"));
    }
    if entry.cents > MOST_CENTS && to != To::Check {
        return Err(refused("the amount exceeds the maximum of an ACH entry: pay it by check"));
    }
    let came_back = entry.state == EntryState::Returned;
    entry.state = if to == To::Employer { EntryState::PaidByEmployer } else { EntryState::Replaced };
    assert!(entry.update(tx, company)?, "the row was read under its guard");
    let told = match to {
        // The operator returns what was reversed to the employer.
        To::Employer if was_reversed => json!({ "by": "employer" }),
        To::Check | To::Employer => {
            // A wire funds all employees, whether or not they have an account.
            let by_wire = funding::of_payroll(tx, company, entry.payroll)?.mode == Mode::Wire;
            if came_back || entry.debited || by_wire {
                refund(tx, company, &entry)?;
            }
            // The employer's own record of the payment is its posting.
            if !came_back && to == To::Check {
                settled_by_check(tx, company, &batch, entry.cents)?;
            }
            if !came_back {
                pay_what_is_left(tx, company, &batch)?;
            }
            json!({ "by": if to == To::Check { "check" } else { "employer" } })
        }
        To::Account(_) if of_support => {
            return Err(refused("child support is paid to its agency, or by the employer (by_check)"));
        }
        To::Account(account) => {
            to_account(tx, caller, &entry, account)?;
            json!({ "by": "direct_deposit", "account": account })
        }
        To::Agency if of_support => {
            support::pay_again(tx, company, &entry)?;
            json!({ "by": "direct_deposit", "to": "agency" })
        }
        To::Agency => return Err(refused("only child support is paid to an agency")),
    };
    if of_support {
        events::emit_of_company(tx, company, events::NOTIFICATION_SUPPORT_RETURNED_RESOLVED, id)?;
    }
    audit::record(tx, caller, "paid_again", (Entry::TABLE, id), &told)
}

/// Records that a held amount is paid by the employer's check. A contractor's payment is settled in its own job: the guard of its group comes before
/// that of its entries.
fn settled_by_check(tx: &mut Tx<'_>, company: Uuid, batch: &Batch, cents: i64) -> Result<(), Error> {
    if batch.purpose != Purpose::Contractors {
        return net_pay::after_all_the_others(tx, company, batch, cents);
    }
    let now = tx.now();
    jobs::schedule(tx, company, jobs::Kind::ContractorPaid, batch.payroll, now)
}

/// Stores an amount that the employer pays by check from the start, because a payment to its account was returned and the employee has no
/// other account. It is held if it was funded and cannot be refunded.
///
/// # Errors
/// A store error.
pub(super) fn by_check_at_once(tx: &mut Tx<'_>, company: Uuid, mut entry: Entry) -> Result<(), Error> {
    let by_wire = funding::of_payroll(tx, company, entry.payroll)?.mode == Mode::Wire;
    if by_wire && banks::payer(tx, company)?.is_none() {
        return Ok(entry.insert(tx, company)?);
    }
    entry.state = EntryState::Replaced;
    entry.insert(tx, company)?;
    if by_wire {
        refund(tx, company, &entry)?;
    }
    let caller = Caller::service(company, companies::time_zone(tx, company)?);
    audit::record(tx, &caller, "paid_again", (Entry::TABLE, entry.id), &json!({ "by": "check" }))
}

/// Pays a held amount whose account had a payment returned: to the employee's other account, or by check without one. What cannot be
/// refunded to the employer stays held.
///
/// # Errors
/// A store error.
pub(super) fn by_rule(tx: &mut Tx<'_>, caller: &Caller, entry: &Entry) -> Result<(), Error> {
    let Some(account) = entry.account else { return Ok(()) };
    let (is_returned, other) = match (entry.employee, entry.contractor) {
        (Some(employee), _) => {
            let account = accounts::account(tx, caller.company, account)?;
            let other = payable::of_employee(tx, caller.company, employee)?.last_account();
            (account.is_some_and(|one| one.returned_code.is_some()), other)
        }
        // A contractor has one account.
        (None, Some(_)) => {
            let account = of_contractors::account(tx, caller.company, account)?;
            (account.is_some_and(|one| one.returned_code.is_some()), None)
        }
        (None, None) => return Ok(()),
    };
    if !is_returned {
        return Ok(());
    }
    let to = match other {
        Some(other) => To::Account(other),
        None if banks::payer(tx, caller.company)?.is_some() => To::Check,
        None => return Ok(()),
    };
    pay_again(tx, caller, entry.id, to)
}

fn to_account(tx: &mut Tx<'_>, caller: &Caller, entry: &Entry, account: Uuid) -> Result<(), Error> {
    let company = caller.company;
    if let Some(contractor) = entry.contractor {
        return to_contractor(tx, company, entry, (contractor, account));
    }
    let employee = entry.employee.ok_or(Error::NotFound)?;
    let held = accounts::accounts(tx, company, employee)?;
    let account = held.iter().find(|one| one.id == account).ok_or_else(|| {
        Error::from(Violation::invalid(
            "bank_account_uuid",
            "bank_account_uuid must be an account of the employee",
        ))
    })?;
    if account.returned_code.is_some() {
        return Err(refused("the last payment to this account was returned: choose another"));
    }
    // What follows goes there, too.
    let closed = held.iter().filter(|one| Some(one.id) == entry.account && one.returned_code.is_some());
    for closed in closed.map(|one| one.id).collect::<Vec<_>>() {
        methods::redirect(tx, caller, employee, (closed, account.id))?;
    }
    let (routing, number) = (account.routing_number(tx, company)?, account.account_number(tx, company)?);
    let (mut batch, mut next) = follower(tx, company, entry, Kind::Again)?;
    (next.account, next.account_type) = (Some(account.id), account.account_type);
    next.seal(tx, company, (&routing, &number), None)?;
    add(tx, company, &mut batch, next)?;
    let_go(tx, company, batch)
}

/// Pays an amount to the account of its contractor, whose numbers must have changed since a payment to it was returned.
fn to_contractor(
    tx: &mut Tx<'_>,
    company: Uuid,
    entry: &Entry,
    (contractor, account): (Uuid, Uuid),
) -> Result<(), Error> {
    let found = of_contractors::of(tx, company, contractor)?.filter(|one| one.id == account);
    let account = found.ok_or_else(|| {
        let message = "bank_account_uuid must be the account of the contractor";
        Error::from(Violation::invalid("bank_account_uuid", message))
    })?;
    if account.returned_code.is_some() {
        return Err(refused("the last payment to this account was returned: enter another, or pay by check"));
    }
    let (mut batch, mut next) = follower(tx, company, entry, Kind::Again)?;
    contractors::address(tx, company, &mut next, &account)?;
    add(tx, company, &mut batch, next)?;
    let_go(tx, company, batch)
}

/// Releases a follow-up payment for the next file. The employer was already debited for a returned amount, but not for one that was held
/// from the start: a held amount gets its own debit, or waits for the payroll's wire.
///
/// # Errors
/// A store error.
pub(super) fn let_go(tx: &mut Tx<'_>, company: Uuid, batch: Batch) -> Result<(), Error> {
    let Some(settings) = settings::find(tx)? else { return hold(tx, company, batch, NO_BANK) };
    let funding = funding::of_payroll(tx, company, batch.payroll)?;
    // Nothing is refunded from a wire that has not arrived.
    if funding.mode == Mode::Wire && batch.kind == Kind::Refund {
        return by_wire(tx, company, batch.payroll, vec![batch]);
    }
    let Some(held) = debits::held_before(tx, company, &batch)? else {
        return release(tx, company, batch, None);
    };
    if funding.mode == Mode::Wire {
        return by_wire(tx, company, batch.payroll, vec![batch]);
    }
    // Whether that debit has settled is checked when the file is made.
    if held.debited {
        return release(tx, company, batch, None);
    }
    let debit = match debits::of_payroll(tx, company, batch.payroll, Some(held.id))? {
        Some(debit) => Some(debit),
        None => {
            let (subject, cents) = (batch.subject(), batch.cents);
            let wanted = Wanted { subject, kind: Kind::Debit, cents, held: Some(held.id) };
            debits::make(tx, company, &settings, wanted)?
        }
    };
    let Some(debit) = debit else { return hold(tx, company, batch, NO_COMPANY_ACCOUNT) };
    let due = funded_at(tx, &settings, funding, &debit);
    release(tx, company, batch, due)
}

/// Re-evaluates an unpaid payroll: the held amount may have been the last thing it was waiting for.
fn pay_what_is_left(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<(), Error> {
    let payroll = payrolls::rows::find(tx, company, batch.payroll)?;
    if payroll.is_none_or(|payroll| payroll.paid_at.is_some()) {
        return Ok(());
    }
    let now = tx.now();
    look_again(tx, company, batch, now)
}

/// Refunds the employer for an amount that it has funded and now pays by check: a returned one, or a held one. If the operator's account
/// was debited, nothing is refunded automatically.
fn refund(tx: &mut Tx<'_>, company: Uuid, entry: &Entry) -> Result<(), Error> {
    if !paid_in(tx, company, entry.payroll)? {
        return Ok(());
    }
    let account = banks::payer(tx, company)?
        .ok_or_else(|| refused("the refund goes to the company's bank account, but none is verified"))?;
    let (routing, number) = (account.routing_number(tx, company)?, account.account_number(tx, company)?);
    let name = companies::find(tx, company)?.ok_or(Error::NotFound)?.name;
    let (mut batch, mut next) = follower(tx, company, entry, Kind::Refund)?;
    (next.employee, next.contractor, next.contractor_payment) = (None, None, None);
    (next.account, next.account_type) = (Some(account.id), account.account_type);
    next.name = name;
    next.seal(tx, company, (&routing, &number), None)?;
    add(tx, company, &mut batch, next)?;
    let_go(tx, company, batch)
}

/// Whether the employer has funded the credits of a payroll, by a debit of its account or by a wire.
fn paid_in(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<bool, Error> {
    if funding::of_payroll(tx, company, payroll)?.mode == Mode::Wire {
        return Ok(true);
    }
    for batch in rows::of_payroll(tx, company, payroll)?.iter().filter(|batch| batch.kind == Kind::Debit) {
        if rows::first_entry(tx, company, batch)?.is_some_and(|entry| entry.account.is_some()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Creates an empty batch, and an entry for it that follows another entry.
pub(super) fn follower(
    tx: &mut Tx<'_>,
    company: Uuid,
    entry: &Entry,
    kind: Kind,
) -> Result<(Batch, Entry), Error> {
    let before = Batch::find(tx, company, entry.batch)?.ok_or(Error::NotFound)?;
    let mut batch = new_batch(tx, before.subject(), kind);
    if matches!(kind, Kind::Again | Kind::Reversal) {
        batch.holders = before.holders;
    }
    batch.insert(tx, company)?;
    let mut next = new_entry(tx, &batch, entry.cents, &entry.name);
    (next.employee, next.account, next.replaces) = (entry.employee, entry.account, Some(entry.id));
    (next.contractor, next.contractor_payment) = (entry.contractor, entry.contractor_payment);
    next.account_type = entry.account_type;
    Ok((batch, next))
}

/// Returns the entry and its batch, under the guard of its payroll.
pub(super) fn guarded(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(Batch, Entry), Error> {
    let found = Entry::find(tx, company, id)?.ok_or(Error::NotFound)?;
    rows::guard(tx, company, found.payroll)?;
    let entry = Entry::find(tx, company, id)?.ok_or(Error::NotFound)?;
    let batch = Batch::find(tx, company, entry.batch)?.ok_or(Error::NotFound)?;
    Ok((batch, entry))
}

/// Why pay is reversed.
#[derive(Debug, Clone)]
pub struct Why {
    /// the kind of reason, from which it follows whether wages and taxes are undone
    pub category: Category,
    /// the reason, in words
    pub reason: String,
}

impl Why {
    /// Returns the reason; without words, those of its kind.
    pub fn new(category: Category, reason: Option<String>) -> Self {
        let words = match category {
            Category::PaidTwice => "The employee was paid twice.",
            Category::WrongAmount => "The amount was wrong.",
            Category::WrongAccount => "It went to the wrong account.",
            Category::NotOwed => "The pay was not owed.",
        };
        Self { category, reason: reason.unwrap_or_else(|| words.to_owned()) }
    }
}

/// Reverses a payment that the employee received twice: the money comes back, and wages and taxes stay.
///
/// # Errors
/// As [`reverse_for`].
pub fn reverse(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    reverse_for(tx, caller, id, &Why::new(Category::PaidTwice, None))
}

/// Reverses a payment that the bank has: debits the same amount from the same account, within five banking days. Pay that was not owed is
/// reversed with all payments of its paycheck, which becomes void; otherwise the net pay is owed until it is paid in another way.
///
/// # Errors
/// "Not found"; 422 for a payment that the bank does not have, that was returned or reversed, or that is too old; as [`reversals::void`].
pub fn reverse_for(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, why: &Why) -> Result<(), Error> {
    let company = caller.company;
    let found = Entry::find(tx, company, id)?.ok_or(Error::NotFound)?;
    let batch = Batch::find(tx, company, found.batch)?.ok_or(Error::NotFound)?;
    files::refuse_taken_back(tx, &batch)?;
    if batch.purpose == Purpose::Contractors {
        return contractors::reverse(tx, caller, id, why);
    }
    if why.category.is_void() {
        reversals::guard(tx, company, found.payroll)?;
    }
    let (batch, entry) = guarded(tx, company, id)?;
    let (payroll, employee) = (entry.payroll, entry.employee);
    let parts = match employee.filter(|_| why.category.is_void()) {
        Some(employee) => whole_paycheck(tx, company, (payroll, employee), entry)?,
        None => vec![entry],
    };
    let cents = parts.iter().map(|one| one.cents).sum();
    for one in parts {
        debit_back(tx, caller, one)?;
    }
    let Some(employee) = employee else { return Err(refused("only pay of an employee can be reversed")) };
    let reversal = Reversal {
        id: tx.new_id(),
        payroll,
        employee,
        category: why.category,
        reason: why.reason.clone(),
        cents,
        money: Money::Debited,
        state: State::Approved,
        version: 1,
        created_at: tx.now(),
    };
    reversal.insert(tx, company)?;
    if why.category.is_void() {
        reversals::void(tx, caller, (payroll, employee), &reversal)?;
    } else {
        net_pay::taken_from_employee(tx, company, &batch, cents)?;
    }
    let told = json!({ "category": why.category.as_str(), "reason": why.reason, "cents": cents });
    audit::record(tx, caller, "reversed", (Reversal::TABLE, reversal.id), &told)?;
    let all = !rows::any_pay_left(tx, company, payroll)?;
    reversals::tell(tx, company, payroll, all)
}

/// Returns all payments of a paycheck, of which one is given, that were made to accounts.
fn whole_paycheck(
    tx: &mut Tx<'_>,
    company: Uuid,
    (payroll, employee): (Uuid, Uuid),
    one: Entry,
) -> Result<Vec<Entry>, Error> {
    let mut parts = rows::of_paycheck(tx, company, payroll, employee)?;
    if parts.iter().any(|part| matches!(part.state, EntryState::Held | EntryState::Returned)) {
        return Err(refused(
            "a part of this pay is held or was returned: pay it again, or record that it was paid, first",
        ));
    }
    parts.retain(|part| part.state == EntryState::Sent && part.id != one.id);
    parts.insert(0, one);
    Ok(parts)
}

/// Debits a payment from the account to which it went.
pub(super) fn debit_back(tx: &mut Tx<'_>, caller: &Caller, mut entry: Entry) -> Result<(), Error> {
    let company = caller.company;
    let batch = Batch::find(tx, company, entry.batch)?.ok_or(Error::NotFound)?;
    let given = files::settles(tx, &batch)?;
    let of_pay = matches!(batch.kind, Kind::Pay | Kind::Again) && entry.state == EntryState::Sent;
    let (Some(effective), true) = (given, of_pay) else {
        return Err(refused("only pay that the bank has and that was not returned can be reversed"));
    };
    let last = reversible_until(effective);
    if earliest_settlement(tx.now(), false) > last {
        return Err(refused(&format!(
            "a reversal had to settle by {last}, five banking days after the payment"
        )));
    }
    let Some(opened) = entry.open(tx, company)? else { return Err(refused("the payment has no account")) };
    let (mut back, mut next) = follower(tx, company, &entry, Kind::Reversal)?;
    next.seal(tx, company, (&opened.routing, &opened.account), None)?;
    add(tx, company, &mut back, next)?;
    release(tx, company, back, None)?;
    entry.state = EntryState::Reversed;
    assert!(entry.update(tx, company)?, "the row was read under its guard");
    audit::record(tx, caller, "reversed", (Entry::TABLE, entry.id), &json!({}))
}

/// Abandons a reversal that missed its deadline: the money stays with the employee, who owes it if the paycheck is void.
///
/// # Errors
/// A store error.
pub(super) fn give_up(tx: &mut Tx<'_>, company: Uuid, mut batch: Batch) -> Result<(), Error> {
    let caller = Caller::service(company, companies::time_zone(tx, company)?);
    for entry in rows::entries(tx, company, batch.id, 0, AT_ONCE)? {
        let Some(before) = entry.replaces else { continue };
        let found = Entry::find(tx, company, before)?.filter(|one| one.state == EntryState::Reversed);
        let Some(mut before) = found else { continue };
        before.state = EntryState::Sent;
        assert!(before.update(tx, company)?, "the row was read under its guard");
        let given_up = reversals::of_payroll(tx, company, before.payroll)?;
        let given_up = given_up.into_iter().rfind(|one| Some(one.employee) == before.employee);
        let owed_by = given_up.as_ref().filter(|one| one.category.is_void()).map(|one| one.employee);
        if let Some(mut reversal) = given_up {
            reversal.state = State::GivenUp;
            assert!(reversal.update(tx, company)?, "the row was read under its guard");
        }
        match batch.purpose {
            Purpose::Contractors => contractors::left_with(tx, company, (&batch, &before))?,
            _ => net_pay::left_with_employee(tx, company, &batch, (before.cents, owed_by))?,
        }
        audit::record(tx, &caller, "reversal_given_up", (Entry::TABLE, before.id), &json!({}))?;
    }
    (batch.state, batch.reason) = (BatchState::Void, Some("its five banking days had passed".to_owned()));
    save(tx, company, &batch)
}

/// Returns the last day on which a reversal can settle (Nacha Operating Rules, Subsection 2.9.1: within five banking days of the
/// settlement of the payment).
pub(super) fn reversible_until(effective: Date) -> Date {
    banking_days_after(effective, MOST_DAYS_OF_REVERSALS)
}

/// Reverses all pay in a file that can be reversed; returns the number of payments.
///
/// # Errors
/// "Not found"; 422 for a file that is too old; a store error.
pub async fn reverse_file(store: &Store, id: Uuid) -> Result<usize, Error> {
    reverse_file_for(store, id, Why::new(Category::PaidTwice, None)).await
}

/// As [`reverse_file`], for a reason.
///
/// # Errors
/// As [`reverse_for`].
pub async fn reverse_file_for(store: &Store, id: Uuid, why: Why) -> Result<usize, Error> {
    let batches = store.read(move |tx| rows::file(tx, id).and_then(|_| rows::of_file(tx, id))).await?;
    let mut reversed = 0;
    for one in batches.into_iter().filter(|one| matches!(one.batch.kind, Kind::Pay | Kind::Again)) {
        let (company, batch, mut after) = (one.company, one.batch.id, 0);
        loop {
            let some = store.read(move |tx| rows::entries(tx, company, batch, after, AT_ONCE)).await?;
            let Some(last) = some.last() else { break };
            after = last.place.unwrap_or(after);
            for entry in some.into_iter().filter(|entry| entry.state == EntryState::Sent) {
                let why = why.clone();
                let act = move |tx: &mut Tx<'_>| {
                    let caller = Caller::operator(company, companies::time_zone(tx, company)?);
                    // Another payment of the same paycheck may have been reversed with it.
                    if Entry::find(tx, company, entry.id)?.is_none_or(|one| one.state != EntryState::Sent) {
                        return Ok(());
                    }
                    reverse_for(tx, &caller, entry.id, &why)
                };
                store.write(act).await?;
                reversed += 1;
            }
        }
    }
    Ok(reversed)
}

fn refused(message: &str) -> Error {
    Error::from(Violation::new("base", rules::Category::InvalidOperation, message))
}
