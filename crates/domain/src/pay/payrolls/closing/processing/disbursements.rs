//! Payments of net pay that the partner makes, if the company is configured that way ([`crate::company::payment_configs`]).
//!
//! The payroll keeps the setting from its calculation on, because the amount debited from the company depends on it. A payment that
//! the partner has not reported is pending and has no row. The payroll counts as paid once the partner has reported its last payment.

use std::collections::{BTreeMap, BTreeSet};

use rules::{Checks, Named, Violation, check};
use serde_json::{Value, json};
use store::{Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::money::ledger::by_check;
use crate::paging::{Listed, MOST, Page};
use crate::patch::{self, Patch, as_is};
use crate::pay::checks::service as register;
use crate::pay::payrolls::closing::processing;
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::payroll::{Payroll, TABLE};
use crate::pay::payrolls::record::results;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::service::details;
use crate::pay::payrolls::service::details::PayrollEmployee;
use crate::people::employees::rows::{CHECK, DIRECT_DEPOSIT};
use crate::platform::audit;
use crate::records::{id_of, rows_of};

/// Maximum number of payments in one request.
const AT_ONCE: usize = 100;
/// Number of results read at a time.
const STRETCH: i64 = 500;

/// The payment methods.
pub const METHODS: [&str; 2] = [DIRECT_DEPOSIT, CHECK];

/// The status of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum DisbursementStatus {
    /// the partner has not made it, or it was returned
    #[strum(serialize = "Pending")]
    Pending,
    /// the partner has made it
    #[strum(serialize = "Paid")]
    Paid,
    /// the partner does not make it
    #[strum(serialize = "Not partner managed")]
    NotPartnerManaged,
    /// the employer pays it by check
    #[strum(serialize = "Converted to check")]
    ConvertedToCheck,
}

store::record! {
    /// A payment as the partner reported it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Disbursement in "partner_disbursements" {
        key {
            /// the calculation
            pub run: Uuid = "run_id",
            /// who is paid
            pub employee: Uuid = "employee_id",
        }
        fixed {
            /// the payroll
            pub payroll: Uuid = "payroll_id",
        }
        fields {
            /// whether it is made by check
            pub by_check: bool,
            /// status of the payment
            pub status: DisbursementStatus as text,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records Disbursement;
    OF_RUN = store::text!(Disbursement::SELECT, " AND run_id = $2 ORDER BY employee_id");
    OF_EMPLOYEES = store::text!(
        Disbursement::SELECT,
        " AND run_id = $2 AND employee_id IN ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)"
    );
    MADE = "SELECT count(*) FROM partner_disbursements WHERE company_id = $1 AND run_id = $2 AND status <> 'Pending'";
    FORGET = "DELETE FROM partner_disbursements WHERE company_id = $1 AND run_id = $2";
}

/// An employee's payment method, and the status of the payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disbursed {
    /// the employee
    pub employee: Uuid,
    /// `Direct Deposit` or `Check`
    pub method: &'static str,
    /// status of the payment
    pub status: DisbursementStatus,
}

/// Reports the status of payments.
#[derive(Debug, Clone, Default)]
pub struct UpdateDisbursements {
    /// one for each employee
    pub disbursements: Patch<Vec<UpdateDisbursement>>,
}

/// Reports the status of a payment.
#[derive(Debug, Clone, Default)]
pub struct UpdateDisbursement {
    /// the employee
    pub employee_uuid: Patch<String>,
    /// `Direct Deposit` or `Check`
    pub payment_method: Patch<String>,
    /// status of the payment
    pub payment_status: Patch<DisbursementStatus>,
}

impl Disbursed {
    /// Returns the expected payment of an employee in a payroll that is not calculated; `None` if the employee is excluded.
    fn expected_payment(one: PayrollEmployee) -> Option<Self> {
        let entered = match &one.input {
            Some(input) if input.excluded => return None,
            Some(input) => input.entered.payment_method.clone(),
            None => None,
        };
        let method = entered.unwrap_or(one.member.payment_method);
        let method = METHODS.into_iter().find(|known| *known == method).unwrap_or(CHECK);
        Some(Self { employee: one.member.id, method, status: DisbursementStatus::NotPartnerManaged })
    }

    /// Returns the payment of a paycheck, given the partner's report on it.
    fn from_report(payroll: &Payroll, outcome: &Outcome, told: Option<&Disbursement>) -> Result<Self, Error> {
        let paid = outcome.read_paycheck()?;
        let by_check = told.map_or(paid.splits.is_empty(), |told| told.by_check);
        let status = match told {
            Some(told) => told.status,
            None if payroll.partner_pays && paid.goes_to_accounts() => DisbursementStatus::Pending,
            None => DisbursementStatus::NotPartnerManaged,
        };
        let method = if by_check { CHECK } else { DIRECT_DEPOSIT };
        Ok(Self { employee: outcome.employee, method, status })
    }
}

/// Returns how the employees of a payroll are paid.
///
/// # Errors
/// "Not found"; 422 for a payroll with too many employees for one list; a store error.
pub fn list_disbursements(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Vec<Disbursed>, Error> {
    let payroll = details::find_payroll(tx, caller, id)?;
    let found = of_everybody(tx, caller, &payroll)?;
    let many = found.len() as i64;
    Ok(Listed::new(Page::Whole, found, || Ok(many))?.items)
}

/// As [`list_disbursements`], after [`update_disbursements`]: for a payroll with too many employees for one list, only those that the request names.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_told(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateDisbursements,
) -> Result<Vec<Disbursed>, Error> {
    let payroll = details::find_payroll(tx, caller, id)?;
    let found = of_everybody(tx, caller, &payroll)?;
    match payroll.run {
        Some(run) if found.len() as i64 > MOST => {
            let told = StoredOutcomes::read_reports(tx, caller.company, run, input)?;
            told.outcomes.values().map(|outcome| told.payment_of(&payroll, outcome)).collect()
        }
        _ => Ok(found),
    }
}

fn of_everybody(tx: &mut Tx<'_>, caller: &Caller, payroll: &Payroll) -> Result<Vec<Disbursed>, Error> {
    let Some(run) = payroll.run.filter(|_| payroll.calculated_at.is_some()) else {
        let (details, _) = details::payroll_with_members(tx, caller, payroll.id, &[], Page::Whole)?;
        return Ok(details.employees.into_iter().filter_map(Disbursed::expected_payment).collect());
    };
    of_paychecks(tx, caller, payroll, run)
}

/// Returns how the employees of a calculation are paid; stops reading once there are more than fit in one list.
fn of_paychecks(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: &Payroll,
    run: Uuid,
) -> Result<Vec<Disbursed>, Error> {
    let told = of_run(tx, caller.company, run)?;
    let (mut found, mut after) = (Vec::new(), Uuid::nil());
    loop {
        let some = results::outcomes_after(tx, caller.company, run, after, STRETCH)?;
        let Some(last) = some.last().filter(|_| found.len() as i64 <= MOST) else { return Ok(found) };
        after = last.employee;
        for outcome in &some {
            found.push(Disbursed::from_report(payroll, outcome, told.get(&outcome.employee))?);
        }
    }
}

/// Returns the partner's reports on a calculation's payments, by employee.
pub fn of_run(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<BTreeMap<Uuid, Disbursement>, Error> {
    Ok(by_employee(tx.try_query(OF_RUN, params![company, run], Disbursement::read)?))
}

fn by_employee(all: Vec<Disbursement>) -> BTreeMap<Uuid, Disbursement> {
    all.into_iter().map(|one| (one.employee, one)).collect()
}

/// Amounts paid by check instead of direct deposit: payments that the partner converted, and payments of this service that were returned
/// or held and then replaced by a check.
#[derive(Debug, Default)]
pub struct ByCheck {
    converted: BTreeSet<Uuid>,
    /// cents, by employee
    again: BTreeMap<Uuid, i64>,
}

impl ByCheck {
    /// Reads the amounts of a payroll.
    pub fn of_payroll(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll) -> Result<Self, Error> {
        let Some(run) = payroll.run.filter(|_| payroll.is_processed()) else { return Ok(Self::default()) };
        let mut told = BTreeMap::new();
        if payroll.partner_pays {
            told = of_run(tx, company, run)?;
        }
        let converted = told.into_values().filter(|one| one.status == DisbursementStatus::ConvertedToCheck);
        let converted = converted.map(|one| one.employee).collect();
        Ok(Self { converted, again: by_check::of_payroll(tx, company, payroll.id)? })
    }

    /// Returns the cents of a paycheck that are paid by check, originally or instead of direct deposit.
    pub fn cents_of(&self, outcome: &Outcome, paid: &Paid) -> i64 {
        match paid.splits.is_empty() || self.converted.contains(&outcome.employee) {
            true => outcome.check_amount.cents_half_up(),
            false => self.again.get(&outcome.employee).copied().unwrap_or(0),
        }
    }

    /// Removes the bank accounts from a paycheck if nothing was paid to them.
    pub fn take_out(&self, outcome: &Outcome, paid: &mut Paid) {
        let cents = self.cents_of(outcome, paid);
        if cents > 0 && cents >= outcome.check_amount.cents_half_up() {
            paid.splits.clear();
        }
    }
}

/// Returns the number of a calculation's payments that the partner has made or that were converted to a check.
pub fn count_made(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<i64, Error> {
    Ok(tx.find_row(MADE, params![company, run], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Deletes the partner's reports on a cancelled calculation.
pub(in crate::pay::payrolls) fn delete_partner_reports(
    tx: &mut Tx<'_>,
    company: Uuid,
    run: Uuid,
) -> Result<(), Error> {
    let _as_many_as_were_told = tx.change_rows(FORGET, params![company, run])?.rows();
    Ok(())
}

/// The stored data of the employees named in a request.
struct StoredOutcomes {
    /// their paychecks, by employee
    outcomes: BTreeMap<Uuid, Outcome>,
    /// earlier reports on them, by employee
    before: BTreeMap<Uuid, Disbursement>,
}

impl StoredOutcomes {
    fn read_reports(
        tx: &mut Tx<'_>,
        company: Uuid,
        run: Uuid,
        input: &UpdateDisbursements,
    ) -> Result<Self, Error> {
        let lines = input.disbursements.value().map(Vec::as_slice).unwrap_or_default();
        let named = lines.iter().take(AT_ONCE).filter_map(|line| line.employee_uuid.value());
        let named: BTreeSet<Uuid> = named.map(|id| id_of(id)).collect();
        let named: Vec<Uuid> = named.into_iter().collect();
        let outcomes = results::of_employees(tx, company, run, &named)?;
        let before = rows_of(tx, OF_EMPLOYEES, params![company, run], &named, Disbursement::read)?;
        Ok(Self {
            outcomes: outcomes.into_iter().map(|one| (one.employee, one)).collect(),
            before: by_employee(before),
        })
    }

    fn payment_of(&self, payroll: &Payroll, outcome: &Outcome) -> Result<Disbursed, Error> {
        Disbursed::from_report(payroll, outcome, self.before.get(&outcome.employee))
    }
}

/// Records the partner's reports on the payments it makes; payments that are not named are neither changed nor read. Once the last
/// payment is made, the payroll is marked as paid.
///
/// # Errors
/// "Not found"; 422 for a payroll that is not processed or that the service pays, and for every violation of the input; a store error.
pub fn update_disbursements(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateDisbursements,
) -> Result<(), Error> {
    tx.take_guard(caller.company, TABLE, id)?;
    let payroll = details::find_payroll(tx, caller, id)?;
    let run = told_of(&payroll)?;
    let mut checks = Checks::new();
    let lines = match &input.disbursements {
        Patch::Absent | Patch::Null => {
            input.disbursements.required("disbursements", &mut checks, |_, _| Ok(()));
            &[]
        }
        sent => patch::check_items("disbursements", sent, AT_ONCE, &mut checks),
    };
    let held = StoredOutcomes::read_reports(tx, caller.company, run, input)?;
    let (mut changed, mut seen) = (Vec::new(), BTreeSet::new());
    for line in lines {
        let mut own = Checks::new();
        let next = one_line((&payroll, run), &held, line, &mut own)?;
        if let Some(next) = &next {
            own.require(seen.insert(next.employee), || {
                Violation::invalid("employee_uuid", "employee_uuid must name each employee once")
            });
        }
        if let Err(violations) = own.finish() {
            let named = line.employee_uuid.value().map(String::as_str).unwrap_or_default();
            let whose = json!({ "entity_type": "Employee", "entity_uuid": named });
            checks.push(Violation::nested("disbursements", violations).with_metadata(whose));
        }
        changed.extend(next.filter(|next| held.before.get(&next.employee) != Some(next)));
    }
    checks.finish()?;
    let mut told = Vec::with_capacity(changed.len());
    for next in &changed {
        let before = held.before.get(&next.employee);
        told.push(store_disbursement(tx, caller.company, before, next)?);
        // A converted payment is no longer a check if the partner pays it after all.
        if before.is_some_and(|before| before.status == DisbursementStatus::ConvertedToCheck)
            && next.status != DisbursementStatus::ConvertedToCheck
        {
            register::void_of(tx, caller, (run, next.employee), "the partner pays it instead")?;
        }
    }
    if !told.is_empty() {
        audit::record_audit_entry(tx, caller, "disbursed", (TABLE, id), &json!({ "disbursements": told }))?;
    }
    if count_made(tx, caller.company, run)? >= payroll.totals.partner_payments {
        processing::paid_by_partner(tx, caller.company, payroll.clone())?;
    }
    Ok(())
}

/// Returns the calculation of a payroll whose payments the partner reports.
fn told_of(payroll: &Payroll) -> Result<Uuid, Error> {
    let refused = |message: &str| Err(Error::from(Violation::invalid_operation(message)));
    match payroll.run {
        Some(_) if !payroll.partner_pays => refused(
            "This service pays this payroll: that was the company's payment_configs setting when it was calculated.",
        ),
        Some(run) if payroll.is_processed() => Ok(run),
        _ => refused("Payments can be reported only after the payroll is processed."),
    }
}

/// Returns the record of a reported payment; adds violations to `checks`.
fn one_line(
    (payroll, run): (&Payroll, Uuid),
    held: &StoredOutcomes,
    line: &UpdateDisbursement,
    checks: &mut Checks,
) -> Result<Option<Disbursement>, Error> {
    let employee = line.employee_uuid.required("employee_uuid", checks, |_, id| Ok(id_of(id)));
    let method = line
        .payment_method
        .optional("payment_method", checks, |key, sent| check::one_of(key, sent, &METHODS));
    let status = line.payment_status.optional("payment_status", checks, as_is);
    let Some(employee) = employee else { return Ok(None) };
    let Some(outcome) = held.outcomes.get(&employee) else {
        checks.push(Violation::invalid(
            "employee_uuid",
            "employee_uuid must be the uuid of an employee of the payroll",
        ));
        return Ok(None);
    };
    let before = held.payment_of(payroll, outcome)?;
    if before.status == DisbursementStatus::NotPartnerManaged {
        let same = method.is_none_or(|method| method == before.method)
            && status.is_none_or(|status| status == before.status);
        checks.require(same, || {
            Violation::invalid(
                "payment_status",
                "payment_status must be Not partner managed: the partner does not pay this employee",
            )
        });
        return Ok(None);
    }
    let by_check = match (method, status) {
        (Some(method), _) => method == CHECK,
        (None, Some(DisbursementStatus::ConvertedToCheck)) => true,
        // A converted payment is no longer a check if the partner pays it after all.
        (None, Some(_)) if before.status == DisbursementStatus::ConvertedToCheck => false,
        (None, _) => before.method == CHECK,
    };
    let status = match status {
        Some(status) => status,
        None if by_check && before.method != CHECK => DisbursementStatus::ConvertedToCheck,
        None if !by_check && before.status == DisbursementStatus::ConvertedToCheck => {
            DisbursementStatus::Pending
        }
        None => before.status,
    };
    checks.require(status != DisbursementStatus::NotPartnerManaged, || {
        let why =
            "payment_status must be Pending, Paid or Converted to check: the partner pays this employee";
        Violation::invalid("payment_status", why)
    });
    checks.require(by_check || status != DisbursementStatus::ConvertedToCheck, || {
        Violation::invalid(
            "payment_method",
            "payment_method must be Check with payment_status Converted to check",
        )
    });
    let version = held.before.get(&employee).map_or(1, |before| before.version);
    Ok(Some(Disbursement { run, employee, payroll: payroll.id, by_check, status, version }))
}

/// Stores a reported payment; returns its old and new status, for the audit entry.
fn store_disbursement(
    tx: &mut Tx<'_>,
    company: Uuid,
    before: Option<&Disbursement>,
    next: &Disbursement,
) -> Result<Value, Error> {
    match before {
        None => next.insert(tx, company)?,
        Some(_) => assert!(next.update(tx, company)?, "the row was read under its payroll's guard"),
    }
    let old = before.map_or(DisbursementStatus::Pending, |before| before.status);
    Ok(
        json!({ "employee": next.employee, "status": [old.as_str(), next.status.as_str()], "by_check": next.by_check }),
    )
}

/// Refuses to cancel a payroll if the partner has made any of its payments.
pub(in crate::pay::payrolls) fn refuse_made(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
) -> Result<(), Error> {
    if is_made(tx, company, payroll)? {
        let message =
            "The partner has made payments of this payroll; set them to Pending before you cancel it.";
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    Ok(())
}

/// Whether the partner has reported a payment of the payroll as made or converted to a check.
pub fn is_made(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll) -> Result<bool, Error> {
    match payroll.run.filter(|_| payroll.partner_pays) {
        Some(run) => Ok(count_made(tx, company, run)? > 0),
        None => Ok(false),
    }
}
