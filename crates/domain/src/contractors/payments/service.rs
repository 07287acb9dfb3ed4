//! Use cases of contractor payments.
//!
//! A group is created under the guard of all groups, so that a token counts once, and changed under its own, which comes before that of its entries
//! for the bank.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::days::Days;
use rules::{Amount, Checks, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::blockers::{self, Blocker};
use super::commands::{CreateGroup, CreatePayment, GroupPayments, PreviewPayments};
use super::entered::{self, MOST, Planned};
use super::rows::{self, Group, Method, Payment};
use super::{disbursements, posting, token};
use crate::access::tokens::Caller;
use crate::company::{companies, payment_configs};
use crate::contractors::records;
use crate::error::Error;
use crate::events;
use crate::money::bank::settings;
use crate::money::funding::wires;
use crate::money::funding::{self, Mode};
use crate::money::ledger::purpose::Subject;
use crate::paging::{AskedDays, Listed, Page};
use crate::patch::{self, as_is};
use crate::pay::books::rows as books;
use crate::pay::payrolls::calendar::regular::start_of_day;
use crate::pay::payrolls::record::commands::SubmissionBlocker;
use crate::pay::payrolls::record::deadlines::submission_deadline;
use crate::platform::hooks::{self, PayCause, PayChange};
use crate::platform::{audit, jobs};
use crate::version::Change;

/// Months before today at which the list of groups starts if no first day is given.
const MONTHS_BACK: i64 = 6;

/// A group with its payments.
#[derive(Debug)]
pub struct GroupDetails {
    /// the group
    pub group: Group,
    /// its payments
    pub payments: Vec<Payment>,
    /// what prevents it from being created; only in a preview
    pub blockers: Vec<Blocker>,
    /// the token with which it is created; only in a preview
    pub token: Option<String>,
}

impl GroupDetails {
    /// Returns dollars of the payments that are made in some way, each as `amount` says.
    pub fn sum_by_method(&self, methods: &[Method], amount: impl Fn(&Payment) -> Amount) -> Amount {
        let of = self.payments.iter().filter(|one| methods.contains(&one.method) && one.voided_at.is_none());
        Amount::from_millionths(of.map(|one| amount(one).millionths()).sum())
    }

    /// Whether every payment to an account is funded.
    pub fn is_funded(&self) -> bool {
        let mut to_accounts = self.payments.iter().filter(|one| one.goes_to_account()).peekable();
        to_accounts.peek().is_some() && to_accounts.all(Payment::is_funded)
    }
}

/// Returns a group with its payments.
///
/// # Errors
/// "Not found", also for that of a single payment; a store error.
pub fn find_group(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<GroupDetails, Error> {
    let group = rows::find_group(tx, caller.company, id)?;
    if group.creation_token.is_none() {
        return Err(Error::NotFound);
    }
    group_details(tx, caller, group)
}

fn group_details(tx: &mut Tx<'_>, caller: &Caller, group: Group) -> Result<GroupDetails, Error> {
    let payments = rows::of_group(tx, caller.company, group.id)?;
    Ok(GroupDetails { group, payments, blockers: Vec::new(), token: None })
}

/// Returns a page of the groups between two days, newest first, by default those of the last six months.
///
/// # Errors
/// 422 for days in the wrong order, and when an unpaged list is too long; a store error.
pub fn list_groups(
    tx: &mut Tx<'_>,
    caller: &Caller,
    AskedDays { from, until }: AskedDays,
    page: Page,
) -> Result<Listed<GroupDetails>, Error> {
    let until = until.unwrap_or_else(|| caller.today(tx));
    let from = from.unwrap_or_else(|| until.saturating_sub(MONTHS_BACK.months()));
    refuse_backwards(Days { first: from, last: until })?;
    let found = rows::list_groups(tx, caller.company, Days { first: from, last: until }, page)?;
    let listed = Listed::new(page, found, || {
        rows::count_groups(tx, caller.company, Days { first: from, last: until })
    })?;
    listed.try_map(|group| group_details(tx, caller, group))
}

/// Refuses days in the wrong order.
pub(super) fn refuse_backwards(Days { first: from, last: until }: Days) -> Result<(), Error> {
    if from <= until {
        return Ok(());
    }
    let message = format!("end_date must not be before start_date, {from}");
    Err(Error::from(Violation::invalid("end_date", message)))
}

/// Returns a payment.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_payment(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Payment, Error> {
    rows::find_payment(tx, caller.company, id)
}

/// Whether a payment can be cancelled: what goes to an account until its cut-off, and until the partner has made it; other payments were not made by
/// the service, and only their record is removed.
pub fn may_cancel(tx: &Tx<'_>, group: &Group, payment: &Payment) -> bool {
    if payment.voided_at.is_some() {
        return false;
    }
    if !payment.goes_to_account() {
        return true;
    }
    let in_time = if group.partner_pays {
        !disbursements::is_made(payment)
    } else {
        tx.now() <= submission_deadline(group.check_date)
    };
    in_time && payment.paid_at.is_none()
}

/// Reads the payments of a request for a group.
fn read_planned_payments(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &GroupPayments,
) -> Result<(Date, Vec<Planned>), Error> {
    let mut checks = Checks::new();
    let day = input.check_date.required("check_date", &mut checks, as_is);
    let inputs = patch::check_items("contractor_payments", &input.contractor_payments, MOST, &mut checks);
    let Some(day) = day else {
        checks.finish()?;
        unreachable!("a group without a day is refused")
    };
    let planned = entered::read_payments(tx, caller, day, inputs, &mut checks)?;
    let methods: Vec<Method> = planned.iter().map(|one| one.method).collect();
    entered::check_day(tx, caller, "check_date", day, &methods, &mut checks);
    checks.finish()?;
    Ok((day, planned))
}

/// Returns a group that is not stored.
fn new_group(tx: &mut Tx<'_>, company: Uuid, check_date: Date) -> Result<Group, Error> {
    let configs = payment_configs::of_company(tx, company)?;
    let by_bank = settings::find_settings(tx)?.is_some() && !configs.partner_owned_disbursement;
    Ok(Group {
        id: tx.new_id(),
        check_date,
        creation_token: None,
        partner_pays: configs.partner_owned_disbursement,
        by_bank,
        cancelled_at: None,
        created_at: tx.now(),
        version: 1,
    })
}

/// Returns what a group would come to, with the token for its creation and what would prevent it. Nothing is stored. With the token of an earlier
/// preview that was of the same payments, that one is returned.
///
/// # Errors
/// 422 for every violation of the input; a store error.
pub fn preview_group(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &GroupPayments,
    earlier: Option<&str>,
) -> Result<GroupDetails, Error> {
    let (day, planned) = read_planned_payments(tx, caller, input)?;
    let group = new_group(tx, caller.company, day)?;
    let token = match earlier.filter(|token| token::is_of(token, caller.company, day, &planned)) {
        Some(token) => token.to_owned(),
        None => token::new(tx, caller.company, day, &planned),
    };
    let blockers = blockers::payment_blockers(tx, caller, &planned, group.partner_pays)?;
    let payments = planned.into_iter().map(|one| one.into_payment(tx, &group)).collect();
    Ok(GroupDetails { group, payments, blockers, token: Some(token) })
}

/// Returns the first day on which payments to accounts are made, if there are any, or else the first day of the others. Nothing is stored.
///
/// # Errors
/// 422 for every violation of the input; a store error.
pub fn preview_payments(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &PreviewPayments,
) -> Result<(Date, Method), Error> {
    let mut checks = Checks::new();
    let inputs = patch::check_items("contractor_payments", &input.contractor_payments, MOST, &mut checks);
    checks.require(!inputs.is_empty(), || {
        Violation::invalid("contractor_payments", "contractor_payments must name at least one payment")
    });
    let mut all = Vec::new();
    let mut days = Vec::new();
    for input in inputs {
        let mut own = Checks::new();
        if let Some((day, one)) = read_single_payment(tx, caller, input, &mut own)? {
            days.push((one.method != Method::DirectDeposit, day, one.method));
            all.push(one);
        }
        if let Err(violations) = own.finish() {
            let named = input.payment.contractor_uuid.value().map(String::as_str).unwrap_or_default();
            let whose = json!({ "contractor_uuid": named });
            checks.push(Violation::nested("contractor_payments", violations).with_metadata(whose));
        }
    }
    entered::refuse_too_much(&all, &mut checks);
    checks.finish()?;
    let first = days.into_iter().min_by_key(|(later, day, _)| (*later, *day));
    first.map(|(_, day, method)| (day, method)).ok_or(Error::NotFound)
}

fn read_single_payment(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreatePayment,
    checks: &mut Checks,
) -> Result<Option<(Date, Planned)>, Error> {
    let day = input.date.required("date", checks, as_is);
    let Some(day) = day else { return Ok(None) };
    let Some(one) = entered::read_payment(tx, caller, day, &input.payment, checks)? else { return Ok(None) };
    entered::check_day(tx, caller, "date", day, &[one.method], checks);
    Ok(Some((day, one)))
}

/// Creates a single payment: a group of one.
///
/// # Errors
/// 422 for every violation of the input, and for every blocker; a store error.
pub fn create_payment(tx: &mut Tx<'_>, caller: &Caller, input: &CreatePayment) -> Result<Payment, Error> {
    rows::guard_all(tx, caller.company)?;
    let mut checks = Checks::new();
    let made = read_single_payment(tx, caller, input, &mut checks)?;
    if let Some((_, one)) = &made {
        entered::refuse_too_much(std::slice::from_ref(one), &mut checks);
    }
    checks.finish()?;
    let Some((day, one)) = made else { unreachable!("a payment with missing fields is refused") };
    let group = new_group(tx, caller.company, day)?;
    let made = store_group(tx, caller, group, vec![one], &[])?;
    made.payments.into_iter().next().ok_or(Error::NotFound)
}

/// Creates a group of the payments that were previewed under its token.
///
/// # Errors
/// 422 for every violation of the input, for a token that was used or belongs to other payments, and for every blocker that the caller does not
/// resolve; a store error.
pub fn create_group(tx: &mut Tx<'_>, caller: &Caller, input: &CreateGroup) -> Result<GroupDetails, Error> {
    let company = caller.company;
    rows::guard_all(tx, company)?;
    let (day, planned) = read_planned_payments(tx, caller, &input.payments)?;
    let mut checks = Checks::new();
    let chosen = patch::check_items("submission_blockers", &input.submission_blockers, MOST, &mut checks);
    refuse_unnamed(chosen, &mut checks);
    let fits = |key: &str, token: &String| {
        if token::is_of(token, company, day, &planned) {
            return Ok(token.clone());
        }
        let message =
            format!("{key} must come from a preview of these payments on this day: preview them again");
        Err(Violation::invalid(key, message))
    };
    let sent = match caller.version.includes_change(Change::ContractorGroupsAfterPreview) {
        true => input.creation_token.required("creation_token", &mut checks, fits),
        false => input.creation_token.optional("creation_token", &mut checks, fits),
    };
    if let Some(token) = &sent {
        let used = rows::by_token(tx, company, token)?.is_some();
        checks.require(!used, || {
            let message = "creation_token was used for a group already: preview the payments again";
            Violation::new("creation_token", rules::Category::DuplicateOperation, message)
        });
    }
    checks.finish()?;
    let token = match sent {
        Some(token) => token,
        None => token::new(tx, company, day, &planned),
    };
    let group = Group { creation_token: Some(token), ..new_group(tx, company, day)? };
    let id = group.id;
    let made = store_group(tx, caller, group, planned, chosen)?;
    events::emit_of_company(tx, company, events::CONTRACTOR_PAYMENT_GROUP_CREATED, id)?;
    Ok(made)
}

/// Returns the group that was created with a token, for a form that is sent twice. What creates groups meanwhile is waited for.
pub fn created_with(tx: &mut Tx<'_>, caller: &Caller, token: &str) -> Result<Option<Uuid>, Error> {
    rows::guard_all(tx, caller.company)?;
    rows::by_token(tx, caller.company, token)
}

/// Refuses choices that name no blocker.
fn refuse_unnamed(chosen: &[SubmissionBlocker], checks: &mut Checks) {
    for (index, one) in chosen.iter().enumerate() {
        let mut own = Checks::new();
        one.blocker_type.required("blocker_type", &mut own, |_, _| Ok(()));
        one.selected_option.optional("selected_option", &mut own, |_, _| Ok(()));
        if let Err(errors) = own.finish() {
            let nested = Violation::nested("submission_blockers", errors);
            checks.push(nested.with_metadata(json!({ "index": index })));
        }
    }
}

/// Stores a group with its payments, posts them, and has them made in time.
fn store_group(
    tx: &mut Tx<'_>,
    caller: &Caller,
    group: Group,
    mut planned: Vec<Planned>,
    chosen: &[SubmissionBlocker],
) -> Result<GroupDetails, Error> {
    let company = caller.company;
    rows::lock_group(tx, company, group.id)?;
    let blockers = blockers::payment_blockers(tx, caller, &planned, group.partner_pays)?;
    blockers::resolve_blockers(&mut planned, &blockers, chosen)?;
    group.insert(tx, company)?;
    let mut payments = Vec::with_capacity(planned.len());
    for one in planned {
        let name = one.contractor.name();
        let payment = one.into_payment(tx, &group);
        payment.insert(tx, company)?;
        posting::post_payment(tx, company, &payment, &name)?;
        let told = json!({ "group": group.id, "contractor": payment.contractor, "net": payment.net().to_text(2),
                           "withheld": payment.withheld.to_text(2) });
        audit::record_audit_entry(tx, caller, "created", (Payment::TABLE, payment.id), &told)?;
        events::emit_of_contractor(
            tx,
            company,
            events::CONTRACTOR_PAYMENT_CREATED,
            payment.id,
            payment.contractor,
        )?;
        note_year_changed(tx, company, &payment)?;
        payments.push(payment);
    }
    let made = GroupDetails { group, payments, blockers: Vec::new(), token: None };
    have_made(tx, company, &made)?;
    Ok(made)
}

/// Says that what was paid on a day has changed: the year of that day may be closed.
fn note_year_changed(tx: &mut Tx<'_>, company: Uuid, payment: &Payment) -> Result<(), Error> {
    let change = PayChange { cause: PayCause::Contractor, record: payment.id, day: payment.check_date };
    hooks::pay_changed(tx, company, change)
}

/// Schedules what a group still needs: the bank's file at the cut-off, the wire that funds it, and its check date.
fn have_made(tx: &mut Tx<'_>, company: Uuid, made: &GroupDetails) -> Result<(), Error> {
    let (id, day) = (made.group.id, made.group.check_date);
    let cents = made.sum_by_method(&[Method::DirectDeposit], Payment::net).cents_half_up();
    if cents > 0
        && made.group.by_bank
        && let Some(bank) = settings::find_settings(tx)?
    {
        if funding::keep_for_payroll(tx, company, id)?.mode == Mode::Wire {
            wires::request_wire(
                tx,
                company,
                Subject::of_contractors(id, day),
                (cents, submission_deadline(day)),
            )?;
        }
        let due = bank.terms.cut_off_of(submission_deadline(day)).max(tx.now());
        jobs::schedule_job(tx, company, jobs::JobKind::ContractorCredits, id, due)?;
    }
    let zone = companies::time_zone(tx, company)?;
    let due = start_of_day(day, &zone).max(tx.now());
    jobs::schedule_job(tx, company, jobs::JobKind::ContractorPaid, id, due)
}

/// Cancels a payment; with its last one, the group is cancelled.
///
/// # Errors
/// "Not found"; 422 if it cannot be cancelled any more; a store error.
pub fn cancel_payment(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let group = rows::find_payment(tx, caller.company, id)?.group;
    rows::lock_group(tx, caller.company, group)?;
    let payment = rows::find_payment(tx, caller.company, id)?;
    let group = rows::find_group(tx, caller.company, group)?;
    cancel_of(tx, caller, group, vec![payment])
}

/// Cancels a group with all its payments.
///
/// # Errors
/// "Not found"; 422 if one of them cannot be cancelled any more; a store error.
pub fn cancel_group(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    rows::lock_group(tx, caller.company, id)?;
    let GroupDetails { group, payments, .. } = find_group(tx, caller, id)?;
    cancel_of(tx, caller, group, payments)
}

fn cancel_of(
    tx: &mut Tx<'_>,
    caller: &Caller,
    mut group: Group,
    cancelled: Vec<Payment>,
) -> Result<(), Error> {
    let company = caller.company;
    if let Some(one) = cancelled.iter().find(|one| !may_cancel(tx, &group, one)) {
        let message = format!(
            "The payment {} can no longer be cancelled: it could be until 4 pm Pacific time, two banking days before its check date, and before it was \
             made.",
            one.id
        );
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    let to_accounts = cancelled.iter().any(Payment::goes_to_account);
    if to_accounts {
        hooks::payments_to_cancel(tx, caller, group.id)?;
    }
    let now = tx.now();
    for mut payment in cancelled {
        payment.cancelled_at = Some(now);
        assert!(payment.update(tx, company)?, "the row was read under its guard");
        match payment.paid_at {
            // What was paid in the books comes back in them, too.
            Some(_) => posting::take_back(tx, company, &payment)?,
            None => books::reverse_posting(tx, company, payment.id)?,
        }
        audit::record_audit_entry(tx, caller, "cancelled", (Payment::TABLE, payment.id), &json!({}))?;
        let (id, contractor) = (payment.id, payment.contractor);
        events::emit_of_contractor(tx, company, events::CONTRACTOR_PAYMENT_CANCELLED, id, contractor)?;
        note_year_changed(tx, company, &payment)?;
    }
    if to_accounts {
        wires::withdraw_wire_request(tx, caller, group.id)?;
        jobs::cancel_job(tx, company, jobs::JobKind::ContractorCredits, group.id)?;
    }
    let left = group_details(tx, caller, group.clone())?;
    if !left.payments.is_empty() {
        return have_made(tx, company, &left);
    }
    jobs::cancel_job(tx, company, jobs::JobKind::ContractorPaid, group.id)?;
    group.cancelled_at = Some(now);
    assert!(group.update(tx, company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "cancelled", (Group::TABLE, group.id), &json!({}))?;
    match group.creation_token {
        Some(_) => events::emit_of_company(tx, company, events::CONTRACTOR_PAYMENT_GROUP_CANCELLED, group.id),
        None => Ok(()),
    }
}

/// Records that payments were made, under the guard of their group: they are paid in the books today, and not before their check date, out of
/// funds in transit (`in_transit`) or out of the bank account. What was recorded before stays.
pub fn record_payments_made(
    tx: &mut Tx<'_>,
    company: Uuid,
    payments: Vec<Payment>,
    in_transit: bool,
) -> Result<(), Error> {
    let now = tx.now();
    let day = now.to_zoned(companies::time_zone(tx, company)?).date();
    for mut payment in payments.into_iter().filter(|one| one.paid_at.is_none()) {
        payment.paid_at = Some(now);
        assert!(payment.update(tx, company)?, "the row was read under its guard");
        let _historical_ones_are_not_posted =
            books::record_net_pay_paid(tx, company, payment.id, (day.max(payment.check_date), in_transit))?;
    }
    Ok(())
}

/// Marks a payment to an account as funded, as if the bank had its file; for developers.
///
/// # Errors
/// "Not found"; 422 for a payment that goes to no account; a store error.
pub fn fund_payment(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Payment, Error> {
    let found = rows::find_payment(tx, caller.company, id)?;
    rows::lock_group(tx, caller.company, found.group)?;
    let payment = rows::find_payment(tx, caller.company, id)?;
    fund_all(tx, caller, vec![payment])?;
    rows::find_payment(tx, caller.company, id)
}

/// Marks the payments of a group to accounts as funded; for developers.
///
/// # Errors
/// "Not found"; 422 for a group that pays into no account; a store error.
pub fn fund_group(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<GroupDetails, Error> {
    rows::lock_group(tx, caller.company, id)?;
    let payments = find_group(tx, caller, id)?.payments;
    fund_all(tx, caller, payments)?;
    find_group(tx, caller, id)
}

fn fund_all(tx: &mut Tx<'_>, caller: &Caller, payments: Vec<Payment>) -> Result<(), Error> {
    let to_accounts: Vec<Payment> = payments.into_iter().filter(Payment::goes_to_account).collect();
    if to_accounts.is_empty() {
        return Err(Error::from(Violation::invalid_operation("Only Direct Deposit is funded.")));
    }
    for one in to_accounts.iter().filter(|one| one.paid_at.is_none()) {
        audit::record_audit_entry(tx, caller, "funded", (Payment::TABLE, one.id), &json!({}))?;
    }
    record_payments_made(tx, caller.company, to_accounts, false)
}

/// Makes a payment void that was not owed, under the guard of its group: it counts no longer, and its postings are undone as of its check date.
///
/// # Errors
/// "Not found"; 422 if it is void already; a store error.
pub fn void_payment(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let mut payment = rows::find_payment(tx, caller.company, id)?;
    if payment.voided_at.is_some() {
        return Err(Error::from(Violation::invalid_operation("The payment is void already.")));
    }
    payment.voided_at = Some(tx.now());
    assert!(payment.update(tx, caller.company)?, "the row was read under its guard");
    posting::take_back(tx, caller.company, &payment)?;
    audit::record_audit_entry(tx, caller, "voided", (Payment::TABLE, id), &json!({}))?;
    note_year_changed(tx, caller.company, &payment)
}

/// Refuses to delete a contractor with payments on record: they count in the books and in what is reported of the year.
///
/// # Errors
/// 422; a store error.
pub fn refuse_if_paid(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid) -> Result<(), Error> {
    if !rows::any_of_contractor(tx, caller.company, contractor)? {
        return Ok(());
    }
    let message =
        "The contractor has payments on record and cannot be deleted; dismiss the contractor instead.";
    Err(Error::from(Violation::invalid_operation(message)))
}

/// Returns a page of a contractor's payments, newest first.
///
/// # Errors
/// "Not found"; 422 when an unpaged list is too long; a store error.
pub fn of_contractor(
    tx: &mut Tx<'_>,
    caller: &Caller,
    contractor: Uuid,
    page: Page,
) -> Result<Listed<(Group, Payment)>, Error> {
    records::service::find_contractor(tx, caller, contractor)?;
    let found = rows::of_contractor(tx, caller.company, contractor, page)?;
    let listed = Listed::new(page, found, || rows::count_of_contractor(tx, caller.company, contractor))?;
    listed.try_map(|payment| with_group(tx, caller, payment))
}

/// Returns a payment with its group.
///
/// # Errors
/// "Not found"; a store error.
pub fn with_group(tx: &mut Tx<'_>, caller: &Caller, payment: Payment) -> Result<(Group, Payment), Error> {
    let group = rows::find_group(tx, caller.company, payment.group)?;
    Ok((group, payment))
}
