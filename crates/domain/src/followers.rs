//! The functions that follow changes of records ([`Hooks`]): the one module that knows the areas on both sides.

use jiff::civil::{Date, date};
use rules::Violation;
use rules::days::Days;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::benefits;
use crate::company::forms as company_forms;
use crate::company::locations::service::WORK_IS_PAID;
use crate::company::partners::ending;
use crate::contractors::{
    accounts as contractor_accounts, addresses as contractor_addresses, documents as contractor_documents,
    employment as contractor_employment, onboarding as contractor_onboarding,
    payments as contractor_payments,
};
use crate::error::Error;
use crate::money::{batches, deposits, ledger};
use crate::pay::payrolls::calendar::{assignments, dismissals, regular};
use crate::pay::payrolls::closing::automatic_runs;
use crate::pay::payrolls::facts::{employments, job_changes, opening};
use crate::pay::payrolls::record::{inputs, results, rows as payrolls};
use crate::pay::{
    compensations, external_payrolls, holiday_pay, low_wages, reimbursements, time_off, time_sheets,
};
use crate::people::{
    addresses, departments, employment, flows, forms, new_hires, onboarding, payment_methods,
};
use crate::platform::hooks::{Hooks, ScheduleAspect};
use crate::platform::jobs;
use crate::records::IdRange;
use crate::returns;
use crate::salary::estimates;
use crate::withholding::{garnishments, notices, taxes};

/// A day before every payroll.
const FIRST_DAY: Date = date(1900, 1, 1);

/// The hooks.
pub static HOOKS: Hooks = Hooks {
    consents_end: ending::end_consents,
    // Forms first: onboarding asks whether they are signed.
    employee_changed: &[
        forms::service::employee_changed,
        onboarding::service::employee_changed,
        flows::service::employee_changed,
        addresses::questions::employee_changed,
        time_off::turns::employee_changed,
        // After the schedules: whoever follows another one is in other payrolls already.
        assignments::employee_changed,
        employments::employee_changed,
        dismissals::employee_changed,
        low_wages::employee_changed,
        returns::preparation::employee_changed,
    ],
    historical_to_go: &[refuse_if_pay_is_told],
    employee_deleted: &[
        |tx, caller, employee| compensations::rows::delete_employee_pay(tx, caller.company, employee),
        |tx, caller, employee| addresses::rows::delete_addresses(tx, caller.company, employee),
        |tx, caller, employee| addresses::questions::delete_question_records(tx, caller.company, employee),
        low_wages::delete_employee_low_wages,
        |tx, caller, employee| taxes::rows::delete_taxes(tx, caller.company, employee),
        employment::service::delete_employment_records,
        new_hires::files::delete_filings,
        returns::forms::consents::delete_consents,
        time_off::members::delete_employee_time_off,
        assignments::delete_schedule_choices,
        departments::service::delete_membership,
        onboarding::service::cancel_onboarding_jobs,
        payment_methods::service::delete_payment_records,
        forms::service::delete_forms,
        estimates::service::delete_estimates,
        benefits::service::delete_employee_benefits,
        garnishments::service::delete_garnishments,
        holiday_pay::service::drop_deleted_employee,
        |tx, caller, employee| {
            reimbursements::rows::delete_employee_reimbursements(tx, caller.company, employee)
        },
        |tx, caller, employee| external_payrolls::rows::delete_employee_items(tx, caller.company, employee),
        |tx, caller, employee| time_sheets::rows::delete_employee_sheets(tx, caller.company, employee),
        |tx, caller, employee| flows::drafts::forget_all(tx, caller.company, employee),
        flows::portal::delete_invitation,
    ],
    // Documents first: onboarding asks whether they are signed.
    contractor_changed: &[
        contractor_documents::service::contractor_changed,
        contractor_onboarding::contractor_changed,
        flows::service::contractor_changed,
    ],
    contractor_to_go: &[contractor_payments::service::refuse_if_paid],
    contractor_deleted: &[
        contractor_employment::cancel_contractor_jobs,
        contractor_documents::service::delete_documents,
        contractor_accounts::service::delete_contractor_accounts,
        contractor_addresses::service::delete_contractor_address,
        |tx, caller, contractor| flows::drafts::forget_all(tx, caller.company, contractor),
        flows::portal::delete_invitation,
    ],
    employment_ended: &[notices::employment_ended],
    garnishment_entered: &[notices::order_of_former_employee],
    payee_changed: &[employments::payee_changed, notices::order_of_former_employee],
    departments_changed: &[assignments::departments_changed],
    department_deleted: &[assignments::department_deleted],
    company_changed: &[company_forms::service::refresh_forms],
    bank_account_to_go: &[refuse_while_payments_are_open],
    bank_account_verified: &[batches::lifecycle::account_verified],
    location_to_move: &[refuse_where_work_is_paid],
    location_to_close: &[addresses::service::refuse_where_people_work],
    payments_to_cancel: &[batches::lifecycle::refuse_prepared],
    compensation_deleted: &[refuse_if_paid],
    job_to_change: &[job_changes::job_to_change],
    job_ends: &[job_changes::job_ends],
    termination_to_change: &[dismissals::refuse_if_made],
    rehire_to_change: &[dismissals::refuse_if_return_is_paid],
    pay_changed: &[returns::corrections::pay_changed, returns::preparation::pay_changed],
    pay_schedule_changed: &[follow_schedule],
};

/// Refuses to disable a bank account from which payments are still to be made: those of submitted payrolls, of processed payrolls that wait
/// for the cut-off, of payrolls whose payments are in no file, and tax deposits. They are checked in the order in which a payroll passes
/// through these states, so that none is missed between two of them.
fn refuse_while_payments_are_open(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    let company = caller.company;
    let open = payrolls::count_unprocessed(tx, company)? > 0
        || jobs::count_left(tx, company, jobs::JobKind::PayrollCredits)? > 0
        || jobs::count_left(tx, company, jobs::JobKind::ContractorCredits)? > 0
        || ledger::rows::count_open(tx, company)? > 0
        || deposits::count_open(tx, company)? > 0;
    if open {
        return Err(Error::from(Violation::invalid_operation(
            "Payments of submitted payrolls or contractors, or deposits of taxes, still have to be made from this bank account; delete \
             it afterwards, or add another one in its place.",
        )));
    }
    Ok(())
}

/// Refuses to delete an employee with pay on record, here or from another provider: it counts in returns and reports of the year.
fn refuse_if_pay_is_told(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    let company = caller.company;
    let told = opening::is_told(tx, company, employee)?
        || !external_payrolls::rows::items_between(tx, company, IdRange::only(employee))?.is_empty()
        || inputs::is_entered(tx, company, employee)?
        || results::is_used(tx, company, employee, Days { first: FIRST_DAY, last: Date::MAX })?;
    if told {
        return Err(Error::from(Violation::invalid_operation(
            "The employee has pay on record (opening balances, external payrolls or payrolls) and cannot be deleted; correct the record \
             instead.",
        )));
    }
    Ok(())
}

/// Refuses to move a location to another state once work there has been paid: all its days would then have been worked in the new state,
/// including those whose taxes are paid and reported.
fn refuse_where_work_is_paid(tx: &mut Tx<'_>, caller: &Caller, location: Uuid) -> Result<(), Error> {
    if results::is_paid_at(tx, caller.company, location)? {
        return Err(Error::from(Violation::invalid(
            "state",
            format!(
                "{WORK_IS_PAID}: add the new address as another location, and give the employees who work there a work address from the \
                 date of the move"
            ),
        )));
    }
    Ok(())
}

/// Refuses to delete a compensation with which a payroll has paid.
fn refuse_if_paid(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, from: Date) -> Result<(), Error> {
    if results::is_used(tx, caller.company, employee, Days { first: from, last: Date::MAX })? {
        return Err(Error::from(Violation::invalid_operation(
            "A payroll has paid with this compensation; it cannot be deleted.",
        )));
    }
    Ok(())
}

/// Creates, updates or schedules the payrolls of a pay schedule.
fn follow_schedule(
    tx: &mut Tx<'_>,
    caller: &Caller,
    schedule: Uuid,
    aspect: ScheduleAspect,
) -> Result<(), Error> {
    match aspect {
        ScheduleAspect::New => regular::create_first_payrolls(tx, caller),
        ScheduleAspect::Terms => regular::begin_anew(tx, caller, schedule),
        ScheduleAspect::AutoPayroll => automatic_runs::schedule_open(tx, caller.company, schedule),
    }
}
