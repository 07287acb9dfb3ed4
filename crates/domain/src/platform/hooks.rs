//! How areas react when a record of a lower area changes.
//!
//! An area must not import the areas above it, although some of them have to follow its changes: a new home address requires a new
//! signature on Form W-4. The lower area calls a function of this module, and the functions listed by [`crate::followers`] are called in
//! order, in the same transaction. They are part of the schema that a store is opened with ([`crate::SCHEMA`]).

use std::collections::BTreeSet;

use jiff::civil::Date;
use rules::days::Days;
use rules::employment::Departure;
use store::Tx;
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;

/// What changed about an employee.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmployeeAspect {
    /// name, email address, date of birth, SSN
    Person,
    /// the start date
    StartDate,
    /// the pay of a job
    Compensation,
    /// home addresses
    HomeAddress,
    /// work addresses
    WorkAddress,
    /// the payment method and accounts
    PaymentMethod,
    /// Form W-4
    FederalTax,
    /// answers to state tax questions
    StateTax,
    /// the requested documents, and the answers for Form I-9
    Documents,
    /// the signature of a form
    Signature,
    /// the employment ends, continues or has ended
    Employment,
    /// a rehire is planned, changed or cancelled
    PlannedReturn,
    /// onboarding is completed, so payrolls include the employee
    Onboarded,
}

/// What changed about a contractor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContractorAspect {
    /// name, number, terms of pay
    Record,
    /// the address
    Address,
    /// the payment method and account
    PaymentMethod,
    /// the signature of a document
    Signature,
    /// the contractor is dismissed or rehired, or that is cancelled
    Employment,
    /// onboarding is completed
    Onboarded,
}

/// What changed about a pay schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScheduleAspect {
    /// it is new
    New,
    /// its pay dates or pay periods
    Terms,
    /// its payrolls now run automatically
    AutoPayroll,
}

/// How what was paid on a day has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum PayCause {
    /// a payroll was processed
    #[strum(serialize = "payroll_processed")]
    Processed,
    /// a payroll was cancelled
    #[strum(serialize = "payroll_cancelled")]
    Cancelled,
    /// a paycheck that was not owed was reversed, and is void
    #[strum(serialize = "paycheck_voided")]
    Voided,
    /// a contractor was paid, or a payment was cancelled or is void
    #[strum(serialize = "contractor_payment")]
    Contractor,
    /// a payroll of another provider was entered
    #[strum(serialize = "external_payroll")]
    External,
    /// opening balances were entered
    #[strum(serialize = "opening_balances")]
    OpeningBalances,
}

/// A change of what was paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PayChange {
    /// how it came about
    pub cause: PayCause,
    /// the payroll, the contractor payment, or the employee with opening balances
    pub record: Uuid,
    /// the pay date; the first day of the year for opening balances
    pub day: Date,
}

/// Follows a change of an employee.
pub type OfEmployee = fn(&mut Tx<'_>, &Caller, Uuid, EmployeeAspect) -> Result<(), Error>;
/// Follows a change of a contractor.
pub type OfContractor = fn(&mut Tx<'_>, &Caller, Uuid, ContractorAspect) -> Result<(), Error>;
/// Deletes an employee's data, or follows the end of the employment.
pub type Forget = fn(&mut Tx<'_>, &Caller, Uuid) -> Result<(), Error>;
/// Follows a change of a garnishment of an employee.
pub type OfGarnishment = fn(&mut Tx<'_>, &Caller, Uuid, Uuid) -> Result<(), Error>;
/// Follows a change of several employees.
pub type OfEmployees = fn(&mut Tx<'_>, &Caller, &BTreeSet<Uuid>) -> Result<(), Error>;
/// Follows a change of the caller's company.
pub type OfCompany = fn(&mut Tx<'_>, &Caller) -> Result<(), Error>;
/// May refuse a change to what applies to an employee from a date, or until a date.
pub type Refuse = fn(&mut Tx<'_>, &Caller, Uuid, Date) -> Result<(), Error>;
/// May refuse that the end of an employment is changed from the first of two to the second, or cancelled where there is no second.
pub type RefuseOfTermination =
    fn(&mut Tx<'_>, &Caller, Uuid, Departure, Option<Departure>) -> Result<(), Error>;
/// May refuse to delete an employee.
pub type RefuseOfEmployee = fn(&mut Tx<'_>, &Caller, Uuid) -> Result<(), Error>;
/// May refuse to move a location of the company to another state.
pub type RefuseOfLocation = fn(&mut Tx<'_>, &Caller, Uuid) -> Result<(), Error>;
/// May refuse a change of a payroll.
pub type RefuseOfPayroll = fn(&mut Tx<'_>, &Caller, Uuid) -> Result<(), Error>;
/// What ended with an administrator's consents.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Consents {
    /// unused codes
    pub codes: u64,
    /// tokens
    pub tokens: u64,
}

/// Ends what is based on an administrator's consents to the caller's company.
pub type OfConsents = fn(&mut Tx<'_>, &Caller, Uuid) -> Result<Consents, Error>;
/// Follows a change by which payrolls whose periods end within a range of dates lose, or gain, a job of an employee; may refuse it.
pub type OfJob = fn(&mut Tx<'_>, &Caller, (Uuid, Uuid), Days) -> Result<(), Error>;
/// Follows another last day of a job of an employee, with the first day that is paid otherwise and the last day of work; may refuse it.
pub type OfJobEnd = fn(&mut Tx<'_>, &Caller, (Uuid, Uuid), (Date, Option<Date>)) -> Result<(), Error>;
/// Follows a change of what a company has paid.
pub type OfPay = fn(&mut Tx<'_>, Uuid, PayChange) -> Result<(), Error>;
/// Follows a change of a pay schedule.
pub type OfSchedule = fn(&mut Tx<'_>, &Caller, Uuid, ScheduleAspect) -> Result<(), Error>;

/// The functions that follow changes. Each list is called in order; the first error ends the unit.
pub struct Hooks {
    /// an administrator may no longer consent; called under the guard of the company's roles
    pub consents_end: OfConsents,
    /// an employee changed; called under the employee's guard
    pub employee_changed: &'static [OfEmployee],
    /// an employee who left before the company used the service is to be deleted: may refuse it; called under the employee's guard
    pub historical_to_go: &'static [RefuseOfEmployee],
    /// an employee is deleted: deletes an area's data about it
    pub employee_deleted: &'static [Forget],
    /// a contractor changed; called under the contractor's guard
    pub contractor_changed: &'static [OfContractor],
    /// a contractor is to be deleted: may refuse it; called under the contractor's guard
    pub contractor_to_go: &'static [RefuseOfEmployee],
    /// a contractor is deleted: deletes an area's data about it
    pub contractor_deleted: &'static [Forget],
    /// an employee's last day of work has passed; called under the employee's guard
    pub employment_ended: &'static [Forget],
    /// a garnishment of an employee was entered; called under the employee's guard
    pub garnishment_entered: &'static [OfGarnishment],
    /// a garnishment of an employee is paid to another payee from now on, or to none
    pub payee_changed: &'static [OfGarnishment],
    /// employees came to a department, or left one
    pub departments_changed: &'static [OfEmployees],
    /// a department is deleted: deletes an area's data about it
    pub department_deleted: &'static [Forget],
    /// identity, bank account or signatory of the caller's company changed
    pub company_changed: &'static [OfCompany],
    /// the bank account of the caller's company is to be disabled: may refuse it
    pub bank_account_to_go: &'static [OfCompany],
    /// the bank account of the caller's company was verified
    pub bank_account_verified: &'static [OfCompany],
    /// a location of the caller's company is to move to another state: may refuse it; called under the guard of the locations
    pub location_to_move: &'static [RefuseOfLocation],
    /// a location of the caller's company is to be closed: may refuse it; called under the guard of the locations
    pub location_to_close: &'static [RefuseOfLocation],
    /// a processed payroll, or payments of contractors to their accounts, are to be cancelled: may refuse it; called under the guard of the payroll or
    /// the group
    pub payments_to_cancel: &'static [RefuseOfPayroll],
    /// a compensation is to be deleted
    pub compensation_deleted: &'static [Refuse],
    /// a job of an employee is to be deleted, or its start date to be changed
    pub job_to_change: &'static [OfJob],
    /// the last day of a job of an employee is to be changed
    pub job_ends: &'static [OfJobEnd],
    /// the termination of an employee is to be changed or cancelled
    pub termination_to_change: &'static [RefuseOfTermination],
    /// the rehire of an employee on a day is to be moved to another day or cancelled
    pub rehire_to_change: &'static [Refuse],
    /// what was paid on a day changed
    pub pay_changed: &'static [OfPay],
    /// a pay schedule changed
    pub pay_schedule_changed: &'static [OfSchedule],
}

/// The hooks of the store that a unit runs in.
///
/// # Panics
/// The store was opened with bare migrations instead of [`crate::SCHEMA`].
fn hooks_of_store(tx: &Tx<'_>) -> &'static Hooks {
    let hooks = tx.extension::<Hooks>();
    hooks.unwrap_or_else(|| panic!("a store of the domain is opened with domain::SCHEMA"))
}

/// An administrator may no longer consent for the caller's company. The caller holds the guard of the company's roles.
///
/// # Errors
/// The error of a follower.
pub fn consents_end(tx: &mut Tx<'_>, caller: &Caller, user: Uuid) -> Result<Consents, Error> {
    (hooks_of_store(tx).consents_end)(tx, caller, user)
}

/// An employee changed. The caller holds the employee's guard.
///
/// # Errors
/// The error of a follower.
pub fn employee_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    aspect: EmployeeAspect,
) -> Result<(), Error> {
    hooks_of_store(tx).employee_changed.iter().try_for_each(|follow| follow(tx, caller, employee, aspect))
}

/// An employee who left before the company used the service is to be deleted. The caller holds the employee's guard.
///
/// # Errors
/// The record must be kept, or a store error.
pub fn historical_to_go(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    hooks_of_store(tx).historical_to_go.iter().try_for_each(|refuse| refuse(tx, caller, employee))
}

/// An employee is deleted. The caller holds the employee's guard.
///
/// # Errors
/// The error of a follower.
pub fn employee_deleted(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    hooks_of_store(tx).employee_deleted.iter().try_for_each(|forget| forget(tx, caller, employee))
}

/// A contractor changed. The caller holds the contractor's guard.
///
/// # Errors
/// The error of a follower.
pub fn contractor_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    contractor: Uuid,
    aspect: ContractorAspect,
) -> Result<(), Error> {
    hooks_of_store(tx).contractor_changed.iter().try_for_each(|follow| follow(tx, caller, contractor, aspect))
}

/// A contractor is to be deleted. The caller holds the contractor's guard.
///
/// # Errors
/// The record must be kept, or a store error.
pub fn contractor_to_go(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid) -> Result<(), Error> {
    hooks_of_store(tx).contractor_to_go.iter().try_for_each(|refuse| refuse(tx, caller, contractor))
}

/// A contractor is deleted, and its row is still there. The caller holds the contractor's guard.
///
/// # Errors
/// The error of a follower.
pub fn contractor_deleted(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid) -> Result<(), Error> {
    hooks_of_store(tx).contractor_deleted.iter().try_for_each(|forget| forget(tx, caller, contractor))
}

/// An employee's last day of work has passed. The caller holds the employee's guard.
///
/// # Errors
/// The error of a follower.
pub fn employment_ended(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    hooks_of_store(tx).employment_ended.iter().try_for_each(|follow| follow(tx, caller, employee))
}

/// A garnishment of an employee was entered. The caller holds the employee's guard.
///
/// # Errors
/// The error of a follower.
pub fn garnishment_entered(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    garnishment: Uuid,
) -> Result<(), Error> {
    hooks_of_store(tx)
        .garnishment_entered
        .iter()
        .try_for_each(|follow| follow(tx, caller, employee, garnishment))
}

/// A garnishment of an employee is paid to another payee from now on, or to none.
///
/// # Errors
/// The error of a follower.
pub fn payee_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    garnishment: Uuid,
) -> Result<(), Error> {
    hooks_of_store(tx).payee_changed.iter().try_for_each(|follow| follow(tx, caller, employee, garnishment))
}

/// Employees came to a department, or left one. The caller holds the guard of the company's departments.
///
/// # Errors
/// The error of a follower.
pub fn departments_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employees: &BTreeSet<Uuid>,
) -> Result<(), Error> {
    hooks_of_store(tx).departments_changed.iter().try_for_each(|follow| follow(tx, caller, employees))
}

/// A department is deleted. The caller holds the guard of the company's departments.
///
/// # Errors
/// The error of a follower.
pub fn department_deleted(tx: &mut Tx<'_>, caller: &Caller, department: Uuid) -> Result<(), Error> {
    hooks_of_store(tx).department_deleted.iter().try_for_each(|forget| forget(tx, caller, department))
}

/// Identity, bank account or signatory of the caller's company changed.
///
/// # Errors
/// The error of a follower.
pub fn company_changed(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    hooks_of_store(tx).company_changed.iter().try_for_each(|follow| follow(tx, caller))
}

/// The bank account of the caller's company is to be disabled.
///
/// # Errors
/// It must be kept, or a store error.
pub fn bank_account_to_go(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    hooks_of_store(tx).bank_account_to_go.iter().try_for_each(|refuse| refuse(tx, caller))
}

/// The bank account of the caller's company was verified.
///
/// # Errors
/// The error of a follower.
pub fn bank_account_verified(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    hooks_of_store(tx).bank_account_verified.iter().try_for_each(|follow| follow(tx, caller))
}

/// A location of the caller's company is to move to another state. The caller holds the guard of the locations.
///
/// # Errors
/// It must not move, or a store error.
pub fn location_to_move(tx: &mut Tx<'_>, caller: &Caller, location: Uuid) -> Result<(), Error> {
    hooks_of_store(tx).location_to_move.iter().try_for_each(|refuse| refuse(tx, caller, location))
}

/// A location of the caller's company is to be closed.
///
/// # Errors
/// It must stay open, or a store error.
pub fn location_to_close(tx: &mut Tx<'_>, caller: &Caller, location: Uuid) -> Result<(), Error> {
    hooks_of_store(tx).location_to_close.iter().try_for_each(|refuse| refuse(tx, caller, location))
}

/// A processed payroll, or payments of contractors, are to be cancelled. The caller holds the guard of the payroll or the group.
///
/// # Errors
/// It must stand, or a store error.
pub fn payments_to_cancel(tx: &mut Tx<'_>, caller: &Caller, subject: Uuid) -> Result<(), Error> {
    hooks_of_store(tx).payments_to_cancel.iter().try_for_each(|refuse| refuse(tx, caller, subject))
}

/// A compensation of an employee that is effective from `from` is to be deleted.
///
/// # Errors
/// It must be kept, or a store error.
pub fn compensation_deleted(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    from: Date,
) -> Result<(), Error> {
    hooks_of_store(tx).compensation_deleted.iter().try_for_each(|refuse| refuse(tx, caller, employee, from))
}

/// A job of an employee, the first of the two, is to be deleted or its start date changed, so that payrolls whose periods end in the given
/// range of dates, excluding the last, lose it or gain it. The caller holds the employee's guard.
///
/// # Errors
/// It must be kept, or a store error.
pub fn job_to_change(tx: &mut Tx<'_>, caller: &Caller, of: (Uuid, Uuid), days: Days) -> Result<(), Error> {
    hooks_of_store(tx).job_to_change.iter().try_for_each(|follow| follow(tx, caller, of, days))
}

/// The last day of a job (`of`: employee and job) is to be changed, so that days from `changed` on are paid otherwise.
///
/// # Errors
/// It must be kept, or a store error.
pub fn job_ends(
    tx: &mut Tx<'_>,
    caller: &Caller,
    of: (Uuid, Uuid),
    (changed, last): (Date, Option<Date>),
) -> Result<(), Error> {
    hooks_of_store(tx).job_ends.iter().try_for_each(|follow| follow(tx, caller, of, (changed, last)))
}

/// The termination of an employee is to be changed to `after`, or cancelled without one.
///
/// # Errors
/// It must be kept, or a store error.
pub fn termination_to_change(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    before: Departure,
    after: Option<Departure>,
) -> Result<(), Error> {
    hooks_of_store(tx)
        .termination_to_change
        .iter()
        .try_for_each(|refuse| refuse(tx, caller, employee, before, after))
}

/// The rehire of an employee on a day is to be moved to another day or cancelled. The caller holds the employee's guard.
///
/// # Errors
/// It must be kept, or a store error.
pub fn rehire_to_change(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, day: Date) -> Result<(), Error> {
    hooks_of_store(tx).rehire_to_change.iter().try_for_each(|refuse| refuse(tx, caller, employee, day))
}

/// What a company has paid on a day changed.
///
/// # Errors
/// The error of a follower.
pub fn pay_changed(tx: &mut Tx<'_>, company: Uuid, change: PayChange) -> Result<(), Error> {
    hooks_of_store(tx).pay_changed.iter().try_for_each(|follow| follow(tx, company, change))
}

/// A pay schedule changed. The caller holds the company's guard of pay schedules.
///
/// # Errors
/// The error of a follower.
pub fn pay_schedule_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    schedule: Uuid,
    aspect: ScheduleAspect,
) -> Result<(), Error> {
    hooks_of_store(tx).pay_schedule_changed.iter().try_for_each(|follow| follow(tx, caller, schedule, aspect))
}
