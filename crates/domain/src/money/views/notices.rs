//! Notifications: what a company has to act on. Returned debits and payments, held payments, missed paydays, final wages that are paid apart, transition payrolls, an
//! unverified account, unsigned forms, changes in closed quarters and years, what is missing for the close of a year, homes with questions about their places, rates below the
//! minimum wage, and employees whose onboarding waits for review.

use crate::money::batches::lifecycle;
use jiff::Timestamp;
use rules::Violation;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::banks::rows::{self as banks, Account, Verification};
use crate::company::forms::rows::{self as forms, Form};
use crate::error::Error;
use crate::money::bank::banking_days::day_start_in_california;
use crate::money::batches::support;
use crate::money::funding::cases::{self, CaseStatus, RecoveryCase};
use crate::money::ledger::rows::{self, Batch, Entry, EntryState};
use crate::paging::{Listed, Page};
use crate::pay::low_wages::{self, LowWage};
use crate::pay::payrolls::calendar::dismissals::LastPeriod;
use crate::pay::payrolls::calendar::{dismissals, missed};
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::rows as payrolls;
use crate::people::addresses::questions::{self, OpenQuestions};
use crate::people::employees::Employee;
use crate::people::employment;
use crate::people::onboarding::reviews;
use crate::people::payment_methods::rows::{self as accounts, BankAccount};
use crate::returns::forms::preparations::{self, YearPreparation};
use crate::returns::forms::rows::{self as tax_forms, Correction, TaxForm};

/// The subject of a notification.
#[derive(Debug)]
pub enum Notice {
    /// a debit was returned
    Recovery(RecoveryCase),
    /// a payment to an employee's account was returned
    Returned {
        /// the account
        account: Box<BankAccount>,
        /// what the bank said
        returned: Returned,
        /// whose account it is
        employee: Box<Employee>,
    },
    /// payments are held until the company has an account that is verified
    Unfunded(Box<Batch>),
    /// child support that the service paid was returned
    SupportReturned {
        /// the payment
        entry: Box<Entry>,
        /// what the bank said
        returned: Returned,
    },
    /// a regular payroll was not submitted by its deadline
    Missed(Box<Payroll>),
    /// the final wages of somebody who left are to be paid by a payroll of their own
    LastWages(Box<LastPeriod>),
    /// days between two pay schedules have yet to be paid or skipped
    Transition(Box<Payroll>),
    /// the account that funds payroll is not verified
    Unverified(Box<Account>),
    /// a form of the company is not signed
    Unsigned(Form),
    /// what was paid in a closed quarter or year changed
    Correction {
        /// the change
        correction: Box<Correction>,
        /// the form that was closed
        form: Box<TaxForm>,
    },
    /// something is missing for the close of a year
    YearEnd(Box<YearPreparation>),
    /// a home of somebody who is paid has questions about its places
    HomeQuestions(Box<OpenQuestions>),
    /// a rate is below the minimum wage, or will be
    LowWage(Box<LowWage>),
    /// an employee's onboarding waits for review
    Review(Box<Employee>),
}

/// Why and when the bank returned a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Returned {
    /// return code
    pub code: String,
    /// when it was returned
    pub at: Timestamp,
}

/// Returns a page of a company's notifications.
///
/// # Errors
/// 422 for a list that is too long to be read whole; a store error.
pub fn list_notices(tx: &mut Tx<'_>, caller: &Caller, page: Page) -> Result<Listed<Notice>, Error> {
    let (limit, offset) = page.limit_and_offset();
    let (few, asked) =
        (list_few_notices(tx, caller)?, questions::count_homes_with_questions(tx, caller.company)?);
    let low = low_wages::count_low_wages(tx, caller.company)?;
    let before = few.len() as i64;
    let shown = few.into_iter().skip(usize::try_from(offset).unwrap_or(usize::MAX));
    let mut notices: Vec<_> = shown.take(usize::try_from(limit).unwrap_or(usize::MAX)).collect();
    let (left, from) = (limit - notices.len() as i64, (offset - before).max(0));
    let homes = questions::homes_with_questions(tx, caller.company, left, from)?.into_iter();
    notices.extend(homes.map(|one| Notice::HomeQuestions(Box::new(one))));
    let (left, from) = (limit - notices.len() as i64, (offset - before - asked).max(0));
    let wages = low_wages::list_low_wages(tx, caller.company, left, from)?.into_iter();
    notices.extend(wages.map(|one| Notice::LowWage(Box::new(one))));
    let (left, from) = (limit - notices.len() as i64, (offset - before - asked - low).max(0));
    notices.extend(
        reviews::employees_awaiting_review(tx, caller, left, from)?
            .into_iter()
            .map(|one| Notice::Review(Box::new(one))),
    );
    Listed::new(page, notices, || Ok(before + asked + low + reviews::count_awaiting_review(tx, caller)?))
}

/// Returns all notifications except those about homes, rates and reviews, of which there may be many.
fn list_few_notices(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Notice>, Error> {
    let company = caller.company;
    let mut few: Vec<_> = cases::pending_cases(tx, company)?.into_iter().map(Notice::Recovery).collect();
    for account in accounts::returned_accounts(tx, company)? {
        few.extend(of_account(tx, company, account)?);
    }
    let returned = support::open_support_returns(tx, company)?;
    few.extend(returned.into_iter().filter_map(of_support));
    let held = rows::held_of(tx, company)?.into_iter().filter(lifecycle::awaits_account);
    few.extend(held.map(|one| Notice::Unfunded(Box::new(one))));
    let late = missed::of_company(tx, caller)?;
    few.extend(late.into_iter().map(|one| Notice::Missed(Box::new(one))));
    let leavers = dismissals::unprocessed_last_periods(tx, caller)?;
    few.extend(leavers.into_iter().map(|one| Notice::LastWages(Box::new(one))));
    let transitions = payrolls::open_transitions(tx, company)?;
    few.extend(transitions.into_iter().map(|one| Notice::Transition(Box::new(one))));
    let account = banks::current_account(tx, company)?;
    let account = account.filter(|one| one.verification != Verification::Verified);
    few.extend(account.map(|one| Notice::Unverified(Box::new(one))));
    let unsigned = forms::of_company(tx, company)?.into_iter().filter(|form| form.requires_signing);
    few.extend(unsigned.map(Notice::Unsigned));
    for correction in tax_forms::list_corrections(tx, company, true)? {
        few.push(of_correction(tx, company, correction)?);
    }
    let years = preparations::open_preparations(tx, company)?.into_iter();
    few.extend(years.map(|one| Notice::YearEnd(Box::new(one))));
    Ok(few)
}

/// Returns the subject of a notification.
///
/// # Errors
/// "Not found" if there was no such notification; a violation if nothing is left to do about it; a store error.
pub fn find_notice(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Notice, Error> {
    let company = caller.company;
    if let Some(case) = RecoveryCase::find(tx, company, id)? {
        return match case.status {
            CaseStatus::Recovered | CaseStatus::Lost => closed_notice("The case is closed"),
            CaseStatus::Open | CaseStatus::RedebitInitiated | CaseStatus::WireInitiated => {
                Ok(Notice::Recovery(case))
            }
        };
    }
    let now = tx.now();
    let found = payrolls::find_payroll(tx, company, id)?;
    if let Some(one) = found.clone().filter(|one| !one.off_cycle && one.deadline_of_first_pay_date() < now) {
        return match one.submitted_at {
            Some(_) => closed_notice("The payroll was submitted"),
            None => Ok(Notice::Missed(Box::new(one))),
        };
    }
    if let Some(one) = found.filter(Payroll::is_transition) {
        return match one.submitted_at {
            Some(_) => closed_notice("The payroll was submitted"),
            None => Ok(Notice::Transition(Box::new(one))),
        };
    }
    if let Some(leaves) = employment::rows::find_termination(tx, company, id)? {
        let open = dismissals::unprocessed_last_periods(tx, caller)?
            .into_iter()
            .find(|one| one.termination == leaves.id);
        return match open {
            Some(one) => Ok(Notice::LastWages(Box::new(one))),
            None => closed_notice("The final wages are paid, or not paid apart"),
        };
    }
    if let Some(account) = Account::find(tx, company, id)? {
        let current = banks::current_account(tx, company)?.is_some_and(|current| current.id == id);
        return match account.verification {
            Verification::Verified => closed_notice("The account is verified"),
            _ if !current => closed_notice("The account no longer belongs to the company"),
            _ => Ok(Notice::Unverified(Box::new(account))),
        };
    }
    if let Some(form) = forms::of_company(tx, company)?.into_iter().find(|form| form.id == id) {
        return match form.requires_signing {
            false => closed_notice("The form is signed, or no longer needed"),
            true => Ok(Notice::Unsigned(form)),
        };
    }
    if let Some(account) = accounts::find_account(tx, company, id)?.filter(|one| one.returned_at.is_some()) {
        return match of_account(tx, company, account)? {
            Some(notice) => Ok(notice),
            None => closed_notice("The account was corrected"),
        };
    }
    if let Some(batch) = Batch::find(tx, company, id)?.filter(lifecycle::awaits_account) {
        return Ok(Notice::Unfunded(Box::new(batch)));
    }
    if let Some(notice) = of_returns(tx, company, id)? {
        return Ok(notice);
    }
    let entry = Entry::find(tx, company, id)?.filter(|one| one.garnishment.is_some());
    if let Some(entry) = entry.filter(|one| one.code.is_some()) {
        let is_open = entry.state == EntryState::Returned;
        return match of_support(entry).filter(|_| is_open) {
            Some(notice) => Ok(notice),
            None => closed_notice("It was paid again, or is paid by the employer"),
        };
    }
    of_employees(tx, caller, id)
}

/// Returns the subject of a notification about returns: a change in a closed period, or what the close of a year needs; `None` if it is about
/// something else.
fn of_returns(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Notice>, Error> {
    if let Some(correction) = Correction::find(tx, company, id)? {
        return match correction.settled_on {
            Some(_) => closed_notice("The correction is settled").map(Some),
            None => of_correction(tx, company, correction).map(Some),
        };
    }
    let Some(year) = YearPreparation::find(tx, company, id)? else { return Ok(None) };
    match year.resolved_at {
        Some(_) => {
            closed_notice("Nothing is missing for the close of the year any more, or it is over").map(Some)
        }
        None => Ok(Some(Notice::YearEnd(Box::new(year)))),
    }
}

/// Returns the subject of a notification of which there may be many: one of a home, a rate or a review.
fn of_employees(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Notice, Error> {
    if let Some(asked) = questions::find_home_with_questions(tx, caller.company, id)? {
        return Ok(Notice::HomeQuestions(Box::new(asked)));
    }
    if let Some(low) = low_wages::find_low_wage(tx, caller.company, id)? {
        return Ok(Notice::LowWage(Box::new(low)));
    }
    Ok(Notice::Review(Box::new(reviews::find_awaiting_review(tx, caller, id)?)))
}

/// Returns the notice for an account to which a payment was returned; `None` if none was, or if the account has been corrected since.
fn of_account(tx: &mut Tx<'_>, company: Uuid, account: BankAccount) -> Result<Option<Notice>, Error> {
    let Some((code, at)) = account.returned_code.clone().zip(account.returned_at) else { return Ok(None) };
    let employee = Employee::find(tx, company, account.employee)?.ok_or(Error::NotFound)?;
    let (account, employee) = (Box::new(account), Box::new(employee));
    Ok(Some(Notice::Returned { account, returned: Returned { code, at }, employee }))
}

/// Returns the notice for returned child support; `None` if it was not returned. The code and the day are recorded together.
fn of_support(entry: Entry) -> Option<Notice> {
    let (code, day) = entry.code.clone().zip(entry.returned_on)?;
    Some(Notice::SupportReturned {
        entry: Box::new(entry),
        returned: Returned { code, at: day_start_in_california(day) },
    })
}

/// Returns the notice for a change in a closed period.
fn of_correction(tx: &mut Tx<'_>, company: Uuid, correction: Correction) -> Result<Notice, Error> {
    let form = TaxForm::find(tx, company, correction.form)?.ok_or(Error::NotFound)?;
    Ok(Notice::Correction { correction: Box::new(correction), form: Box::new(form) })
}

fn closed_notice(what: &str) -> Result<Notice, Error> {
    let message = format!("{what}, so there is nothing left to do about this notification.");
    Err(Error::from(Violation::invalid_operation(message)))
}
