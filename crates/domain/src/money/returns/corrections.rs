//! Corrections of accounts that banks request (notifications of change). An employee's account is corrected only after the employer agrees,
//! because the employee supplied it. The operator, who files the company's entries, decides on corrections of the company's own account.

use rules::Named;
use rules::payment::{AccountType, account_number, routing_number};
use rules::{Category, Checks, Violation};
use serde_json::json;
use store::{Place, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::banks::service::{self as banks, Corrected};
use crate::contractors::accounts::rows as of_contractors;
use crate::error::Error;
use crate::events;
use crate::money::ledger::rows::Entry;
use crate::paging::{Listed, Page};
use crate::patch::{Patch, as_is};
use crate::people::payment_methods::rows as accounts;
use crate::platform::audit;
use crate::records::MOST_TOGETHER;

/// The state of a correction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum CorrectionState {
    /// not decided yet
    #[strum(serialize = "open")]
    Open,
    /// the account was corrected
    #[strum(serialize = "accepted")]
    Accepted,
    /// the account stays unchanged
    #[strum(serialize = "declined")]
    Declined,
}

store::record! {
    /// A correction of an account of an employee, of a contractor, or of the company.
    #[derive(Debug, Clone)]
    pub struct Correction in "account_corrections" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// the payment that the bank's notification is about
            pub entry: Uuid = "entry_id",
            /// whose account it is: an employee's, or, as [`OF_NOBODY`], a contractor's or the company's
            pub employee: Uuid = "employee_id",
            /// the contractor whose account it is
            pub contractor: Option<Uuid> = "contractor_id",
            /// the account
            pub account: Uuid = "account_id",
            /// C01 to C13
            pub code: String,
            /// corrected routing number, sealed
            pub routing_number: Option<Vec<u8>> as secret,
            /// corrected account number, sealed
            pub account_number: Option<Vec<u8>> as secret,
            /// corrected account type
            pub account_type: Option<AccountType> as text,
        }
        fields {
            /// its state
            pub state: CorrectionState as text,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records Correction;
    OPEN = store::text!(Correction::SELECT, " AND state = 'open' ORDER BY id LIMIT $2");
    LIST = store::text!(Correction::SELECT, " AND (employee_id <> $2 OR contractor_id IS NOT NULL) ORDER BY id LIMIT $3 OFFSET $4");
    COUNT = "SELECT count(*) FROM account_corrections WHERE company_id = $1 \
             AND (employee_id <> $2 OR contractor_id IS NOT NULL)";
}

/// Used in place of an employee if the account is a contractor's or the company's.
const OF_NOBODY: Uuid = Uuid::nil();

impl Correction {
    /// Returns the employee whose account it is; `None` for a contractor's or the company's.
    pub fn of_employee(&self) -> Option<Uuid> {
        Some(self.employee).filter(|id| *id != OF_NOBODY)
    }

    /// Whether it is the company's account.
    fn is_of_company(&self) -> bool {
        self.of_employee().is_none() && self.contractor.is_none()
    }

    /// Returns the bank's corrected values, opened.
    fn open_corrected(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Corrected, Error> {
        let mut open = |column, sealed: &Option<Vec<u8>>| {
            let text = sealed
                .as_ref()
                .map(|sealed| tx.unseal_text(sealed_field_place(company, self.id, column), sealed));
            text.transpose()
        };
        Ok(Corrected {
            routing_number: open("routing_number", &self.routing_number)?.map(|text| text.to_string()),
            account_number: open("account_number", &self.account_number)?,
            account_type: self.account_type,
        })
    }
}

fn sealed_field_place(company: Uuid, id: Uuid, column: &'static str) -> Place {
    Place { owner: company, table: Correction::TABLE, row: id, column }
}

/// Returns the corrections of a company that are not decided yet.
pub fn open_corrections(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Correction>, Error> {
    Ok(tx.try_query_all(OPEN, params![company], MOST_TOGETHER, Correction::read)?)
}

/// Returns all corrections of the accounts of a company's employees and contractors, in the order in which they were requested.
///
/// # Errors
/// 422 when an unpaged list is too long; a store error.
pub fn list_corrections(tx: &mut Tx<'_>, caller: &Caller, page: Page) -> Result<Listed<Correction>, Error> {
    let (limit, offset) = page.limit_and_offset();
    let found = tx.try_query(LIST, params![caller.company, OF_NOBODY, limit, offset], Correction::read)?;
    Listed::new(page, found, || {
        Ok(tx.find_row(COUNT, params![caller.company, OF_NOBODY], |row| row.get::<i64>(0))?.unwrap_or(0))
    })
}

/// The employer's decision.
#[derive(Debug, Clone, Default)]
pub struct Decide {
    /// whether the account is corrected
    pub accept: Patch<bool>,
}

/// Corrects the account, or leaves it unchanged, as the employer decides.
///
/// # Errors
/// As [`decide_correction`]; 422 if no decision is given.
pub fn as_told(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, input: &Decide) -> Result<Correction, Error> {
    let found = Correction::find(tx, caller.company, id)?;
    found.filter(|found| !found.is_of_company()).ok_or(Error::NotFound)?;
    let mut checks = Checks::new();
    let accept = input.accept.required("accept", &mut checks, as_is);
    checks.finish()?;
    decide_correction(tx, caller, id, accept.unwrap_or(false))
}

/// Why a correction is only recorded: the account is neither an employee's, nor a contractor's, nor the company's.
pub const OF_OTHERS: &str = "it corrects the account of an agency, or the operator's own: the correct numbers are in the bank's file and \
                             have to be imported, or set, before the next payment";

/// Records a correction that a bank requests. Returns false, and records nothing, if it does not concern an account of an employee or of
/// the company, or corrects neither the numbers nor the type.
pub fn record_correction(
    tx: &mut Tx<'_>,
    company: Uuid,
    entry: &Entry,
    (code, wanted): (&str, &ach::back::Correction),
) -> Result<bool, Error> {
    let Some(account) = entry.account else { return Ok(false) };
    let employee = entry.employee.unwrap_or(OF_NOBODY);
    let account_type = match wanted.transaction_code.map(|code| code / 10) {
        Some(2) => Some(AccountType::Checking),
        Some(3) => Some(AccountType::Savings),
        _ => None,
    };
    if wanted.routing.is_none() && wanted.account.is_none() && account_type.is_none() {
        return Ok(false);
    }
    let id = tx.new_id();
    let mut seal = |text: &Option<String>, column| {
        let sealed =
            text.as_ref().map(|text| tx.seal_field(sealed_field_place(company, id, column), text.as_bytes()));
        sealed.transpose()
    };
    let correction = Correction {
        id,
        entry: entry.id,
        employee,
        contractor: entry.contractor,
        account,
        code: code.to_owned(),
        routing_number: seal(&wanted.routing, "routing_number")?,
        account_number: seal(&wanted.account, "account_number")?,
        account_type,
        state: CorrectionState::Open,
        version: 1,
    };
    correction.insert(tx, company)?;
    Ok(true)
}

/// Corrects the account, or leaves it unchanged, and records the decision.
///
/// # Errors
/// "Not found"; 422 if it was already decided, and for invalid numbers; a store error.
pub fn decide_correction(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    accept: bool,
) -> Result<Correction, Error> {
    let company = caller.company;
    let found = Correction::find(tx, company, id)?.ok_or(Error::NotFound)?;
    match (found.of_employee(), found.contractor) {
        (Some(employee), _) => tx.take_guard(company, "employee", employee)?,
        (None, Some(contractor)) => tx.take_guard(company, "contractor", contractor)?,
        (None, None) => banks::lock_company_accounts(tx, caller)?,
    }
    let mut correction = Correction::find(tx, company, id)?.ok_or(Error::NotFound)?;
    if correction.state != CorrectionState::Open {
        let message = "This correction has already been decided.";
        return Err(Error::from(Violation::new("base", Category::InvalidOperation, message)));
    }
    if accept {
        apply_correction(tx, caller, &correction)?;
    }
    correction.state = if accept { CorrectionState::Accepted } else { CorrectionState::Declined };
    assert!(correction.update(tx, company)?, "the row was read under its guard");
    let told = json!({ "state": correction.state.as_str(), "code": correction.code });
    audit::record_audit_entry(tx, caller, "decided", (Correction::TABLE, id), &told)?;
    Ok(correction)
}

/// Whether an account still has the numbers that a payment was sent to: they may have changed since.
pub(in crate::money) fn is_still(
    tx: &mut Tx<'_>,
    company: Uuid,
    entry: &Entry,
    (routing, number): (&str, &str),
) -> Result<bool, Error> {
    let Some(sent) = entry.open_fields(tx, company)? else { return Ok(false) };
    Ok(sent.routing == routing && *sent.account == number)
}

/// Why a correction cannot be accepted.
const CHANGED: &str = "The account's numbers have changed since the bank's correction: decline it.";

fn apply_correction(tx: &mut Tx<'_>, caller: &Caller, wanted: &Correction) -> Result<(), Error> {
    let company = caller.company;
    let entry = Entry::find(tx, company, wanted.entry)?.ok_or(Error::NotFound)?;
    if wanted.contractor.is_some() {
        return correct_of_contractor(tx, caller, wanted, &entry);
    }
    let Some(employee) = wanted.of_employee() else {
        let sent = entry.open_fields(tx, company)?.ok_or(Error::NotFound)?;
        let right = wanted.open_corrected(tx, company)?;
        return banks::correct_account(tx, caller, wanted.account, (&sent.routing, &sent.account), &right);
    };
    let held = accounts::employee_accounts(tx, company, employee)?;
    let mut account = held.into_iter().find(|one| one.id == wanted.account).ok_or(Error::NotFound)?;
    let numbers = (account.routing_number(tx, company)?, account.account_number(tx, company)?);
    if !is_still(tx, company, &entry, (&numbers.0, &numbers.1))? {
        return Err(Error::from(Violation::invalid_operation(CHANGED)));
    }
    let right = wanted.open_corrected(tx, company)?;
    if let Some(text) = &right.routing_number {
        let number = routing_number("routing_number", text)?;
        account.routing_number = tx.seal_field(
            accounts::sealed_field_place(company, account.id, "routing_number"),
            number.as_bytes(),
        )?;
    }
    if let Some(text) = &right.account_number {
        let number = account_number("account_number", text)?;
        account.account_number = tx.seal_field(
            accounts::sealed_field_place(company, account.id, "account_number"),
            number.as_bytes(),
        )?;
    }
    account.account_type = right.account_type.unwrap_or(account.account_type);
    let returned = account.returned_code.take();
    assert!(account.update(tx, company)?, "the row was read under its guard");
    let told = json!({ "corrected_by": wanted.code });
    audit::record_audit_entry(tx, caller, "updated", ("employee_bank_accounts", account.id), &told)?;
    events::emit_of_employee(tx, company, events::BANK_ACCOUNT_UPDATED, account.id, account.employee)?;
    if returned.is_none() {
        return Ok(());
    }
    let event = events::NOTIFICATION_RETURNED_ACCOUNT_RESOLVED;
    events::emit_of_employee(tx, company, event, account.id, account.employee)
}

fn correct_of_contractor(
    tx: &mut Tx<'_>,
    caller: &Caller,
    wanted: &Correction,
    entry: &Entry,
) -> Result<(), Error> {
    let company = caller.company;
    let mut account = of_contractors::find_account(tx, company, wanted.account)?.ok_or(Error::NotFound)?;
    let numbers = (account.routing_number(tx, company)?, account.account_number(tx, company)?);
    if !is_still(tx, company, entry, (&numbers.0, &numbers.1))? {
        return Err(Error::from(Violation::invalid_operation(CHANGED)));
    }
    let right = wanted.open_corrected(tx, company)?;
    if let Some(text) = &right.routing_number {
        let number = routing_number("routing_number", text)?;
        let place = of_contractors::sealed_field_place(company, account.id, "routing_number");
        account.routing_number = tx.seal_field(place, number.as_bytes())?;
    }
    if let Some(text) = &right.account_number {
        let number = account_number("account_number", text)?;
        let place = of_contractors::sealed_field_place(company, account.id, "account_number");
        account.account_number = tx.seal_field(place, number.as_bytes())?;
    }
    account.account_type = right.account_type.unwrap_or(account.account_type);
    (account.returned_code, account.returned_at) = (None, None);
    assert!(account.update(tx, company)?, "the row was read under its guard");
    let told = json!({ "corrected_by": wanted.code });
    audit::record_audit_entry(
        tx,
        caller,
        "updated",
        (of_contractors::BankAccount::TABLE, account.id),
        &told,
    )?;
    let event = events::CONTRACTOR_BANK_ACCOUNT_UPDATED;
    events::emit_of_contractor(tx, company, event, account.id, account.contractor)
}
