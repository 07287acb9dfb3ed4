//! The steps of a file on its way to the bank.
//!
//! | step | unit | folder |
//! |---|---|---|
//! | record | batches get their numbers and traces, the file its digest | |
//! | stage | | the text, written to the private subfolder and synced |
//! | | the file is staged | |
//! | give | | renamed into the folder |
//! | | the file is written, its payrolls are paid, with the event, and its deposits are in the books | |
//!
//! If the operator has a command that takes files from the folder, it is run afterwards ([`self::pickup`]).
//!
//! A crash between any two steps leaves a state from which the next step is the same: nothing is written, given or reported twice, and
//! nothing is lost. Each attempt to stage a file has its own name in the private subfolder, and the file's row says which attempt counts:
//! if a node that was presumed dead resumes, the file it stages is never given to the bank.

pub mod closed_accounts;
pub mod compose;
pub mod folder;
pub mod limits;
pub mod pickup;

use std::collections::BTreeSet;
use std::path::PathBuf;

use rules::{Category, Violation};
use serde_json::json;
use store::{Store, Tx};
use uuid::Uuid;

use self::compose::Next;
use self::folder::Folder;
use super::bank::banking_days::{day_start_in_california, settled_on};
use super::bank::settings::{self, OPERATOR};
use super::batches::{contractors, lifecycle, net_pay, support, taxes, transit};
use super::ledger::bank_files::{find_guarded_file, operator_caller, save_file};
use super::ledger::lines;
use super::ledger::purpose::Purpose;
use super::ledger::rows::{self, BankFile, Batch, BatchKind, BatchState, FileState, HeldBy, OfCompany};
use crate::error::Error;
use crate::pay::payrolls::closing::processing;
use crate::platform::{audit, jobs};

/// How a written file is taken from the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taker {
    /// by a tool that watches it
    Tool,
    /// by a command that is run once the file is written
    Command,
}

/// Brings every file that can be made to the bank. A file that cannot be brought does not hold up others. Without the folder no file is
/// recorded, and ready batches wait.
///
/// # Errors
/// The folder cannot be used, or a file could not be brought; a store error.
pub async fn bring_files(store: &Store, taker: Taker) -> Result<(), Error> {
    if store.read(settings::find_settings).await?.is_some() {
        open_folder(store).await?;
    }
    let (mut left, mut outcome) = (Vec::new(), Ok(()));
    loop {
        let beside = left.clone();
        let Some(next) = store.write(move |tx| compose::next_beside(tx, &beside)).await? else {
            return outcome;
        };
        let id = next.file.id;
        if let Err(error) = bring_file(store, next, taker).await {
            left.push(id);
            outcome = outcome.and(Err(error));
        }
    }
}

/// Brings a recorded or staged file to the bank.
///
/// # Errors
/// The folder cannot be used; a store error.
pub async fn bring_file(store: &Store, next: Next, taker: Taker) -> Result<(), Error> {
    let file =
        if next.file.state == FileState::Recorded { stage_file(store, next).await? } else { next.file };
    if file.state != FileState::Staged {
        // It was voided, or another node was faster.
        return Ok(());
    }
    give_file(store, &file).await?;
    let (id, name) = (file.id, file.name);
    store.write(move |tx| record_file_written(tx, id, taker)).await?;
    let folder = open_folder(store).await?;
    on_disk(move || folder.tidy_staged(&name)).await
}

/// Opens the folder in the settings.
async fn open_folder(store: &Store) -> Result<Folder, Error> {
    let settings = store.read(settings::find_settings).await?;
    let id = new_id(store).await?;
    let settings = settings.ok_or_else(|| retriable_error("the bank settings are missing"))?;
    let path = PathBuf::from(settings.terms.folder);
    on_disk(move || Folder::open_folder(&path, id)).await
}

async fn new_id(store: &Store) -> Result<Uuid, Error> {
    store.write(|tx| Ok::<_, Error>(tx.new_id())).await
}

/// Runs blocking file operations outside the tasks of the runtime.
async fn on_disk<T: Send + 'static>(
    act: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(act).await {
        Ok(done) => done.map_err(|why| retriable_error(&why)),
        Err(ended) => Err(retriable_error(&ended.to_string())),
    }
}

/// Returns an error outside the store: a job that fails with it is retried later.
fn retriable_error(why: &str) -> Error {
    Error::internal(why.to_owned())
}

/// Writes a recorded file to the private subfolder, and records that it is complete there.
///
/// # Errors
/// The text does not match the digest; the folder cannot be used; a store error.
pub async fn stage_file(store: &Store, Next { file, text }: Next) -> Result<BankFile, Error> {
    let folder = open_folder(store).await?;
    let recorded = file.clone();
    let text = match text {
        Some(text) => text,
        None => store.read(move |tx| compose::file_text(tx, &recorded)).await?,
    };
    if compose::sha256_hex(text.as_bytes()) != file.digest {
        return Err(retriable_error("the text of the file does not match its digest"));
    }
    let attempt = new_id(store).await?;
    let (at, name) = (folder.clone(), file.name.clone());
    on_disk(move || at.stage_file(&name, attempt, &text)).await?;
    let (file, digest, place) = (file.id, file.digest, folder.id);
    let file: BankFile = store
        .write(move |tx| {
            let mut file = find_guarded_file(tx, file)?;
            // If its dates were moved in the meantime, another text counts.
            if file.state == FileState::Recorded && file.digest == digest {
                file.state = FileState::Staged;
                (file.folder, file.attempt) = (Some(place), Some(attempt));
                save_file(tx, &mut file)?;
            }
            Ok::<_, Error>(file)
        })
        .await?;
    if file.attempt != Some(attempt) {
        let name = file.name.clone();
        on_disk(move || folder.forget_staged(&name, attempt)).await?;
    }
    Ok(file)
}

/// Gives a staged file to the bank's tool.
///
/// # Errors
/// It was not staged in this folder; the folder cannot be used.
pub async fn give_file(store: &Store, file: &BankFile) -> Result<(), Error> {
    let folder = open_folder(store).await?;
    let attempt = file.attempt.filter(|_| file.folder == Some(folder.id));
    let attempt = attempt.ok_or_else(|| {
        retriable_error("the file was staged in a folder other than the one in the settings")
    })?;
    let name = file.name.clone();
    on_disk(move || folder.give_file(&name, attempt)).await
}

/// Records that the bank has a file: its taxes are paid, and its payrolls too, once all their payments are made.
pub fn record_file_written(tx: &mut Tx<'_>, id: Uuid, taker: Taker) -> Result<(), Error> {
    let mut file = find_guarded_file(tx, id)?;
    if file.state != FileState::Staged {
        return Ok(());
    }
    (file.state, file.written_at) = (FileState::Written, Some(tx.now()));
    if taker == Taker::Command {
        pickup::schedule_pickup(tx, &mut file)?;
    }
    save_file(tx, &mut file)?;
    let mut begun = BTreeSet::new();
    for OfCompany { company, batch } in rows::of_file(tx, id)? {
        let is_credit = matches!(batch.kind, BatchKind::Pay | BatchKind::Support | BatchKind::Again);
        if is_credit && batch.purpose == Purpose::Contractors {
            contractors::went_out(tx, company, &batch)?;
            contractors::settle_group(tx, company, batch.payroll)?;
        } else if is_credit {
            net_pay::went_out(tx, company, &batch, &mut begun)?;
            if net_pay::is_all_made(tx, company, batch.payroll)? {
                processing::mark_payroll_paid(tx, company, batch.payroll)?;
            }
        }
        match batch.kind {
            BatchKind::Tax => taxes::record_deposit_sent(tx, company, &batch)?,
            BatchKind::Support | BatchKind::SupportAgain => support::note_all(tx, company, &batch, 1)?,
            _ => {}
        }
        transit::post_company_transfer(tx, company, &batch, 1)?;
        if batch.kind == BatchKind::Redebit {
            await_settlement(tx, company, &batch)?;
        }
    }
    let told =
        json!({ "name": file.name, "digest": file.digest, "credits": file.credits, "debits": file.debits });
    audit::record_audit_entry(tx, &operator_caller(), "written", (BankFile::TABLE, id), &told)
}

/// Approves a file that waits for approval.
///
/// # Errors
/// "Not found"; 422 for a file that does not wait, and without a name; a store error.
pub fn approve_file(tx: &mut Tx<'_>, id: Uuid, by: &str) -> Result<BankFile, Error> {
    let mut file = find_guarded_file(tx, id)?;
    if by.trim().is_empty() || by.len() > 100 {
        return Err(refusal_error("by", "by must name who approves, in 1 to 100 characters"));
    }
    if file.state != FileState::AwaitingApproval {
        return Err(refusal_error("file", "only a file that waits for approval can be approved"));
    }
    file.state = FileState::Recorded;
    save_file(tx, &mut file)?;
    audit::record_audit_entry(
        tx,
        &operator_caller(),
        "approved",
        (BankFile::TABLE, id),
        &json!({ "by": by }),
    )?;
    let now = tx.now();
    jobs::schedule_job(tx, OPERATOR, jobs::JobKind::BankFile, id, now)?;
    Ok(file)
}

/// Voids a file that the bank does not have: its batches are held until someone releases them.
///
/// # Errors
/// "Not found"; 422 for a file that the bank's tool has taken; the folder cannot be used; a store error.
pub async fn void_file(store: &Store, id: Uuid) -> Result<BankFile, Error> {
    let file = store.write(move |tx| begin_void(tx, id)).await?;
    match file.state {
        FileState::Void => return discard_text(store, file).await,
        FileState::Written => {
            let (folder, name) = (open_folder(store).await?, file.name.clone());
            if !on_disk(move || folder.take_back(&name)).await? {
                store.write(move |tx| pickup::let_go(tx, id)).await?;
                return Err(refusal_error(
                    "file",
                    "the file is no longer in the folder: ask the bank to delete it, or reverse it",
                ));
            }
        }
        FileState::Staged => {
            return Err(refusal_error(
                "file",
                "the file is on its way into the folder: try again in a moment",
            ));
        }
        FileState::AwaitingApproval | FileState::Recorded => {}
    }
    let seen = file.version;
    let done = store.write(move |tx| mark_void(tx, id, seen)).await?;
    discard_text(store, done).await
}

/// Deletes the text of a voided file. If it was voided before it was written, there is nothing to delete, and perhaps no folder.
async fn discard_text(store: &Store, file: BankFile) -> Result<BankFile, Error> {
    if file.written_at.is_some() {
        let (folder, name) = (open_folder(store).await?, file.name.clone());
        on_disk(move || folder.discard_file(&name)).await?;
    }
    Ok(file)
}

/// Why a file cannot be voided.
const TAKEN_BACK: &str = "pay of the file was reversed (stipend bank reverse); the reversal would then debit employees who were never paid: \
                          leave the file as it is";

/// Whether any pay in a file has a reversal that is not void.
fn any_reversed(tx: &mut Tx<'_>, id: Uuid) -> Result<bool, Error> {
    for OfCompany { company, batch } in rows::of_file(tx, id)? {
        if lines::any_reversed(tx, company, batch.id)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Begins to void a file, and returns it. A file that the bank may have is marked, so that its payments can no longer be reversed.
fn begin_void(tx: &mut Tx<'_>, id: Uuid) -> Result<BankFile, Error> {
    let file = find_guarded_file(tx, id)?;
    if any_reversed(tx, id)? {
        return Err(refusal_error("file", TAKEN_BACK));
    }
    if file.state == FileState::Written { pickup::stop_pickup(tx, file) } else { Ok(file) }
}

fn mark_void(tx: &mut Tx<'_>, id: Uuid, seen: i64) -> Result<BankFile, Error> {
    let mut file = find_guarded_file(tx, id)?;
    if file.version != seen {
        return Err(refusal_error("file", "the file has just been changed: try again"));
    }
    if any_reversed(tx, id)? {
        return Err(refusal_error("file", TAKEN_BACK));
    }
    let was_written = file.state == FileState::Written;
    file.state = FileState::Void;
    save_file(tx, &mut file)?;
    for OfCompany { company, batch } in rows::of_file(tx, id)? {
        rows::lock_payroll_batches(tx, company, batch.payroll)?;
        let Some(mut batch) = Batch::find(tx, company, batch.id)? else { continue };
        if was_written {
            post_back(tx, company, &mut batch)?;
        }
        let why = format!("its file {} was voided", file.name);
        batch.leave_file(BatchState::Held);
        (batch.held_by, batch.reason) = (Some(HeldBy::FileVoided), Some(why.clone()));
        lifecycle::save_batch(tx, company, &batch)?;
        if batch.kind == BatchKind::Tax {
            taxes::taken_back(tx, company, &batch)?;
            taxes::record_deposit_hold(tx, company, &batch, &why)?;
        }
    }
    audit::record_audit_entry(
        tx,
        &operator_caller(),
        "voided",
        (BankFile::TABLE, id),
        &json!({ "name": file.name }),
    )?;
    Ok(file)
}

/// Posts back what was posted with a file that the bank does not have after all, as of the day of the posting. The caller saves the batch.
fn post_back(tx: &mut Tx<'_>, company: Uuid, batch: &mut Batch) -> Result<(), Error> {
    transit::post_company_transfer(tx, company, batch, -1)?;
    match (batch.kind, batch.purpose) {
        (BatchKind::Support | BatchKind::SupportAgain, _) => support::note_all(tx, company, batch, -1),
        (BatchKind::Pay | BatchKind::Again, Purpose::Payroll) => net_pay::taken_back(tx, company, batch),
        (BatchKind::Pay | BatchKind::Again, Purpose::Contractors) => {
            contractors::taken_back(tx, company, batch)
        }
        _ => Ok(()),
    }
}

fn refusal_error(key: &'static str, message: &str) -> Error {
    Error::from(Violation::new(key, Category::InvalidOperation, message))
}

/// Schedules the check of a re-presented debit that the bank has: when it can no longer be returned, the case is recovered.
fn await_settlement(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<(), Error> {
    let effective = batch.effective.unwrap_or(batch.check_date);
    let due = day_start_in_california(settled_on(effective));
    jobs::schedule_job(tx, company, jobs::JobKind::RedebitSettled, batch.payroll, due)
}
