//! The file that batches go into, and its text.
//!
//! The batches of a file, with their numbers and traces, are recorded before a byte of it is written. Its text is generated from the
//! recorded rows, along with a digest: only text that matches the digest is ever written. A file that has waited to be written is
//! regenerated for the current day.

use crate::money::batches::lifecycle;
use crate::money::batches::reversals;
use crate::money::ledger::bank_files;
use ach::batch::{Kind as Class, Originator};
use ach::{AccountKind, Direction, Header, Routing};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rules::payment::AccountType;
use rules::payroll::holidays;
use serde_json::json;
use sha2::{Digest, Sha256};
use store::{Tx, Unread};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::closed_accounts;
use super::limits::FileSums;
use crate::company::companies;
use crate::error::Error;
use crate::money::bank::banking_days::{
    MOST_SAME_DAY, banking_days_after, day_start_in_california, earliest_settlement, today_in_california,
};
use crate::money::bank::settings::{self, OPERATOR, Terms};
use crate::money::batches::{debits, taxes};
use crate::money::deposits;
use crate::money::funding::cases;
use crate::money::funding::{self, Mode};
use crate::money::ledger::lines::{self, EntryLine};
use crate::money::ledger::rows;
use crate::money::ledger::rows::{
    BankFile, Batch, BatchKind, BatchState, Entry, EntryState, FileState, Heading, HeldBy, Holders, OfCompany,
};
use crate::platform::{audit, jobs, moments};

/// Maximum batches in a file.
const MOST_BATCHES: i64 = 1_000;
/// Maximum entries in a file, except for a single batch with more.
const MOST_ENTRIES: i64 = 50_000;
/// Entries read at once.
const AT_ONCE: i64 = 1_000;
/// Trace numbers start over after this many.
const TRACES: i64 = ach::batch::MOST_ENTRIES as i64;
/// Modifiers for the files of a day, in order.
const MODIFIERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// Why a batch is left out of the file being made.
enum Out {
    /// until a later file of the same day
    Wait,
    /// until this time, when it is checked again
    Until(Timestamp),
    /// until the operator acts
    Hold(HeldBy, String),
}

impl Out {
    fn hold_by(by: HeldBy) -> Self {
        Self::Hold(by, by.reason_text().to_owned())
    }
}

/// The file that goes to the bank next.
#[derive(Clone)]
pub struct Next {
    /// the file
    pub file: BankFile,
    /// its text, if it was just generated for the digest, so that it need not be generated again
    pub text: Option<Zeroizing<String>>,
}

store::hidden!(Next);

/// Records the next file, if any batch may go into one. A file that is already in progress goes first.
pub fn next(tx: &mut Tx<'_>) -> Result<Option<Next>, Error> {
    next_beside(tx, &[])
}

/// Records the next file as [`next`] does, but skips the files in `left`: they cannot go to the bank now, and do not hold up others.
pub fn next_beside(tx: &mut Tx<'_>, left: &[Uuid]) -> Result<Option<Next>, Error> {
    tx.take_guard(OPERATOR, BankFile::TABLE, OPERATOR)?;
    let settings = settings::find_settings(tx)?;
    if let Some(file) = rows::unfinished_files(tx)?.into_iter().find(|file| !left.contains(&file.id)) {
        return match settings {
            Some(_) if file.state == FileState::Recorded && cannot_go(tx, &file)? => {
                dissolve_file(tx, file)?;
                next_beside(tx, left)
            }
            Some(settings) if file.state == FileState::Recorded => {
                renew_file(tx, &settings.terms, file).map(Some)
            }
            _ => Ok(Some(Next { file, text: None })),
        };
    }
    let Some(settings) = settings else { return Ok(None) };
    let terms = settings.terms;
    let chosen = choose_batches(tx, &terms)?;
    if chosen.is_empty() {
        return Ok(None);
    }
    let heading = Heading {
        bank_routing: terms.bank_routing.clone(),
        bank_name: terms.bank_name.clone(),
        origin: terms.origin.clone(),
        origin_name: terms.origin_name.clone(),
        company_id: terms.company_id.clone(),
        company_name: terms.company_name.clone(),
    };
    let day = today_in_california(tx.now());
    let Some(modifier) = choose_modifier(tx, &terms, day)? else {
        tracing::warn!(%day, "the bank's daily file limit is reached: the next file is made tomorrow");
        jobs::schedule_job(
            tx,
            OPERATOR,
            jobs::JobKind::BankFile,
            OPERATOR,
            day_start_in_california(day.saturating_add(1.day())),
        )?;
        return Ok(None);
    };
    record_file(tx, &terms, (heading, modifier), chosen).map(Some)
}

/// Chooses the batches that may go into a file now, within the limits, each under the guard of its payroll.
fn choose_batches(tx: &mut Tx<'_>, terms: &Terms) -> Result<Vec<OfCompany>, Error> {
    let day = today_in_california(tx.now());
    let mut sums = FileSums::of_today(tx)?;
    let (mut chosen, mut entries) = (Vec::new(), 0);
    for OfCompany { company, batch } in rows::ready_batches(tx, MOST_BATCHES)? {
        rows::lock_payroll_batches(tx, company, batch.payroll)?;
        let Some(mut batch) = Batch::find(tx, company, batch.id)? else { continue };
        if batch.state != BatchState::Ready {
            continue;
        }
        closed_accounts::hold_closed_account_entries(tx, company, &mut batch)?;
        if batch.state == BatchState::Void || (entries > 0 && entries + batch.entries > MOST_ENTRIES) {
            continue;
        }
        if batch.kind == BatchKind::Reversal && is_too_late(tx, company, &batch)? {
            reversals::give_up(tx, company, batch)?;
            continue;
        }
        let out = match out_of_funds(tx, company, &batch, day)? {
            None => match sums.hold_reason(tx, terms, company, &batch)? {
                Some(why) => Some(Out::Hold(HeldBy::Limit, why)),
                None => sums.is_too_much(terms, &batch).then_some(Out::Wait),
            },
            out => out,
        };
        match out {
            None => {
                entries += batch.entries;
                sums.add_batch(company, &batch);
                chosen.push(OfCompany { company, batch });
            }
            Some(Out::Wait) => {}
            Some(Out::Until(moment)) => lifecycle::release_batch(tx, company, batch, Some(moment))?,
            Some(Out::Hold(by, why)) => {
                if batch.kind == BatchKind::Tax {
                    taxes::record_deposit_hold(tx, company, &batch, &why)?;
                }
                lifecycle::hold_for(tx, company, batch, (by, &why))?;
            }
        }
    }
    Ok(chosen)
}

/// Returns why credits cannot go out yet because their funding has not arrived; `None` if they can.
fn out_of_funds(tx: &mut Tx<'_>, company: Uuid, batch: &Batch, day: Date) -> Result<Option<Out>, Error> {
    if !batch.kind.is_credit() {
        return Ok(None);
    }
    let funding = funding::of_payroll(tx, company, batch.payroll)?;
    // A batch funded by a wire goes out only once the wire has arrived.
    if funding.mode != Mode::Wire && cases::any_unrecovered(tx, company)? {
        return Ok(Some(Out::hold_by(HeldBy::NotRecovered)));
    }
    if funding.mode != Mode::Debit {
        return Ok(None);
    }
    let Some(debit) = debits::of_credits(tx, company, batch)? else { return Ok(None) };
    let entries = rows::entries_after(tx, company, debit.id, 0, AT_ONCE)?;
    if entries.iter().any(|entry| entry.state == EntryState::Returned) {
        return Ok(Some(Out::hold_by(HeldBy::DebitReturned)));
    }
    let moved = bank_files::settlement_date_at_bank(tx, &debit)?;
    let funded = moved.map(|moved| banking_days_after(moved, funding.days));
    Ok(match funded {
        Some(funded) if funded <= day => None,
        Some(funded) => Some(Out::Until(day_start_in_california(funded))),
        // The debit itself waits for its file, or for the operator.
        None => Some(Out::Until(tx.now() + 1.hour())),
    })
}

/// Records a file with these batches.
fn record_file(
    tx: &mut Tx<'_>,
    terms: &Terms,
    (header, modifier): (Heading, char),
    mut chosen: Vec<OfCompany>,
) -> Result<Next, Error> {
    // A file has no event: without this mark, the clock could start before it after a crash, and the next file would be listed before it.
    moments::note_seen(tx)?;
    let (id, now) = (tx.new_id(), tx.now());
    let day = today_in_california(now);
    let entries: i64 = chosen.iter().map(|one| one.batch.entries).sum();
    // The last file is the one that was made last, regardless of its node's clock.
    let before = rows::last_file(tx)?;
    let place = before.as_ref().map_or(0, |file| file.place) + 1;
    let last = before.map_or(0, |file| file.first_trace + file.entries);
    let first_trace = if last + entries > TRACES { 0 } else { last };
    let mut traced = first_trace;
    for (number, one) in (1..).zip(&mut chosen) {
        let batch = &mut one.batch;
        batch.state = BatchState::Filed;
        batch.effective = Some(settlement_date(tx, one.company, batch, (terms, now))?);
        (batch.file, batch.number, batch.first_trace) = (Some(id), Some(number), Some(traced));
        (batch.held_by, batch.reason) = (None, None);
        traced += batch.entries;
        lifecycle::save_batch(tx, one.company, batch)?;
    }
    let sum = |credit: bool| -> i64 {
        chosen.iter().filter(|one| one.batch.kind.is_credit() == credit).map(|one| one.batch.cents).sum()
    };
    let (debits, credits) = (sum(false), sum(true));
    let approve = terms.approval_above.is_some_and(|most| credits > most);
    let mut file = BankFile {
        id,
        name: format!("{day}-{modifier}-{}.ach", &id.simple().to_string()[24..]),
        day,
        modifier: modifier.to_string(),
        header,
        made: now,
        batches: i64::try_from(chosen.len()).unwrap_or(i64::MAX),
        entries,
        debits,
        credits,
        first_trace,
        place,
        digest: String::new(),
        state: if approve { FileState::AwaitingApproval } else { FileState::Recorded },
        folder: None,
        attempt: None,
        written_at: None,
        pickup: None,
        pickup_note: None,
        version: 1,
    };
    let text = file_text(tx, &file)?;
    file.digest = sha256_hex(text.as_bytes());
    file.insert(tx, OPERATOR)?;
    Ok(Next { file, text: Some(text) })
}

/// Whether a recorded file that has waited contains something that can no longer be sent: pay to an account that was removed or had a
/// payment returned, or a reversal that is too late.
fn cannot_go(tx: &mut Tx<'_>, file: &BankFile) -> Result<bool, Error> {
    for OfCompany { company, batch } in rows::of_file(tx, file.id)? {
        let late = batch.kind == BatchKind::Reversal && is_too_late(tx, company, &batch)?;
        if late || closed_accounts::has_closed_account(tx, company, &batch)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Voids a file that has not been written; what can still be sent goes into another file.
fn dissolve_file(tx: &mut Tx<'_>, mut file: BankFile) -> Result<(), Error> {
    file.state = FileState::Void;
    bank_files::save_file(tx, &mut file)?;
    for OfCompany { company, batch } in rows::of_file(tx, file.id)? {
        rows::lock_payroll_batches(tx, company, batch.payroll)?;
        let Some(mut batch) = Batch::find(tx, company, batch.id)? else { continue };
        batch.leave_file(BatchState::Ready);
        lifecycle::save_batch(tx, company, &batch)?;
    }
    let told = json!({ "name": file.name, "reason": "part of it could no longer be sent" });
    audit::record_audit_entry(tx, &bank_files::operator_caller(), "voided", (BankFile::TABLE, file.id), &told)
}

/// Regenerates a recorded file that has not been written because it waited for approval or for its folder. Settlement dates that can no
/// longer be met are moved, and the text has each company's current name.
fn renew_file(tx: &mut Tx<'_>, terms: &Terms, mut file: BankFile) -> Result<Next, Error> {
    let now = tx.now();
    for OfCompany { company, batch } in rows::of_file(tx, file.id)? {
        rows::lock_payroll_batches(tx, company, batch.payroll)?;
        let Some(mut batch) = Batch::find(tx, company, batch.id)? else { continue };
        let effective = Some(settlement_date(tx, company, &batch, (terms, now))?);
        if batch.effective < effective {
            batch.effective = effective;
            lifecycle::save_batch(tx, company, &batch)?;
        }
    }
    let text = file_text(tx, &file)?;
    let digest = sha256_hex(text.as_bytes());
    if file.digest != digest {
        file.digest = digest;
        bank_files::save_file(tx, &mut file)?;
    }
    Ok(Next { file, text: Some(text) })
}

/// Chooses the modifier that distinguishes the file from others of the day; `None` if the bank accepts no more files that day.
fn choose_modifier(tx: &mut Tx<'_>, terms: &Terms, day: Date) -> Result<Option<char>, Error> {
    let made = rows::files_of_day(tx, day)?.len();
    let first = MODIFIERS.find(terms.first_modifier).unwrap_or(0);
    Ok(MODIFIERS.chars().nth(first + made))
}

/// Returns the settlement date of a batch if its file is made now: pay and child support on the check date, tax deposits on the due date,
/// reversals not before the payment, and everything else as soon as possible.
fn settlement_date(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    (terms, now): (&Terms, Timestamp),
) -> Result<Date, Error> {
    let earliest = earliest_settlement(now, terms.same_day && batch.largest <= MOST_SAME_DAY);
    let not_before = match batch.kind {
        BatchKind::Pay | BatchKind::Support => Some(holidays::banking_day_until(batch.check_date)),
        // Its due date may have become earlier since it was staged.
        BatchKind::Tax => {
            Some(holidays::banking_day_until(deposits::get_deposit(tx, company, batch.payroll)?.due))
        }
        BatchKind::Reversal => paid_on(tx, company, batch)?,
        BatchKind::Debit
        | BatchKind::Again
        | BatchKind::SupportAgain
        | BatchKind::Refund
        | BatchKind::Redebit
        | BatchKind::TaxDebit => None,
    };
    Ok(not_before.map_or(earliest, |day| earliest.max(day)))
}

/// Whether a reversal, if filed now, would settle too late.
fn is_too_late(tx: &mut Tx<'_>, company: Uuid, reversal: &Batch) -> Result<bool, Error> {
    let earliest = earliest_settlement(tx.now(), false);
    Ok(paid_on(tx, company, reversal)?.is_some_and(|paid| earliest > reversals::reversible_until(paid)))
}

/// Returns the settlement date of the payment that a reversal reverses.
fn paid_on(tx: &mut Tx<'_>, company: Uuid, reversal: &Batch) -> Result<Option<Date>, Error> {
    let Some(before) = rows::followed_entry(tx, company, reversal)? else { return Ok(None) };
    Ok(Batch::find(tx, company, before.batch)?.and_then(|batch| batch.effective))
}

/// Returns the SHA-256 of a file, in hexadecimal.
pub fn sha256_hex(file: impl AsRef<[u8]>) -> String {
    hex::encode(Sha256::digest(file))
}

/// Returns the text of a file. It contains account numbers and Social Security numbers, and goes only to the bank.
///
/// # Errors
/// The records do not fit the layout; a store error.
pub fn file_text(tx: &mut Tx<'_>, file: &BankFile) -> Result<Zeroizing<String>, Error> {
    let heading = &file.header;
    let bank = parse_routing(&heading.bank_routing)?;
    let mut batches = Vec::new();
    for OfCompany { company, batch } in rows::of_file(tx, file.id)? {
        let name = match &heading.company_name {
            Some(name) => name.clone(),
            None => companies::find_company(tx, company)?.ok_or(Error::NotFound)?.name,
        };
        batches.push(ach::Batch {
            originator: Originator { name: transliterate_name(&name), id: heading.company_id.clone(), bank },
            kind: match batch.holders {
                Holders::People => Class::Person,
                Holders::Organizations => Class::Organization,
            },
            description: batch.kind.statement_description(batch.purpose).to_owned(),
            descriptive_date: Some(batch.check_date),
            effective: batch.effective.unwrap_or(batch.check_date),
            entries: file_entries(tx, company, &batch)?,
        });
    }
    let zone = TimeZone::get("America/Los_Angeles").unwrap_or(TimeZone::UTC);
    let whole = ach::File {
        header: Header {
            destination: bank,
            destination_name: heading.bank_name.clone(),
            origin: heading.origin.clone(),
            origin_name: heading.origin_name.clone(),
            made: file.made.to_zoned(zone).datetime(),
            modifier: file.modifier.chars().next().unwrap_or('A'),
            reference: String::new(),
        },
        traced: file.first_trace.unsigned_abs(),
        batches,
    };
    let (text, control) = whole.write_records().map_err(|error| layout_error(&error))?;
    let told = (control.totals.debits, control.totals.credits);
    let recorded = (file.debits.unsigned_abs(), file.credits.unsigned_abs());
    if told != recorded {
        let why = Unread::new("is not what the entries of the file come to");
        return Err(Error::from(why.into_error(BankFile::TABLE, "credits")));
    }
    Ok(Zeroizing::new(text))
}

fn file_entries(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<Vec<ach::Entry>, Error> {
    let mut all = Vec::with_capacity(usize::try_from(batch.entries).unwrap_or_default());
    let mut after = 0;
    loop {
        let some = lines::lines_after(tx, company, batch.id, after, AT_ONCE)?;
        let Some(last) = some.last() else { return Ok(all) };
        after = last.place;
        for line in some {
            all.push(payment_entry(tx, company, batch, line)?);
        }
    }
}

fn payment_entry(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    line: EntryLine,
) -> Result<ach::Entry, Error> {
    let opened = line.sealed.open_fields(tx, company, line.id)?;
    let missing =
        || Unread::new("is NULL in an entry that has a place").into_error(Entry::TABLE, "account_number");
    let opened = opened.ok_or_else(missing)?;
    Ok(ach::Entry {
        direction: if batch.kind.is_credit() { Direction::Credit } else { Direction::Debit },
        account_kind: match line.account_type {
            AccountType::Checking => AccountKind::Checking,
            AccountType::Savings => AccountKind::Savings,
        },
        routing: parse_routing(&opened.routing)?,
        account: opened.account.to_string(),
        cents: line.cents.unsigned_abs(),
        id: line.receiver,
        name: transliterate_name(&line.name),
        addendum: opened.addendum.map(|text| text.to_string()),
    })
}

/// Transliterates a name into the ACH character set. Apostrophes of every kind, such as the okina of Hawaiian names, are one of ASCII.
fn transliterate_name(name: &str) -> String {
    let apostrophes = ['\u{2BB}', '\u{2BC}', '\u{2018}', '\u{2019}', '\u{2032}', '\u{B4}', '`'];
    deunicode::deunicode_with_tofu(&name.replace(apostrophes, "'"), " ")
}

fn parse_routing(text: &str) -> Result<Routing, Error> {
    Routing::parse(text).map_err(|error| layout_error(&error))
}

/// Converts a layout error, which contains the name of a field but never its value.
fn layout_error(error: &ach::Error) -> Error {
    let why = Unread::new(format!("does not fit the bank's file: {error}"));
    Error::from(why.into_error(Entry::TABLE, "entry"))
}

#[cfg(test)]
mod tests {
    use super::transliterate_name;

    #[test]
    fn an_okina_is_an_apostrophe_in_the_banks_file() {
        for (name, written) in [
            ("Kaʻahumanu", "Ka'ahumanu"),
            ("O’Neill", "O'Neill"),
            ("Núñez", "Nunez"),
            ("Łukasz Weiß", "Lukasz Weiss"),
        ] {
            assert_eq!(transliterate_name(name), written);
        }
    }
}
