//! What a request for payments comes to: every field checked, with backup withholding.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::amount::MAX_AMOUNT;
use rules::contractor::WageType;
use rules::contractor_pay::{ContractorPayTable, Pay, Reason};
use rules::{Amount, Checks, Violation, check};
use serde_json::json;
use store::Tx;

use super::commands::PaymentInput;
use super::rows::{Group, Method, Payment};
use crate::access::tokens::Caller;
use crate::contractors::records::rows::Contractor;
use crate::error::Error;
use crate::patch::{Patch, as_is};
use crate::pay::payrolls::record::deadlines::earliest_check_date;
use crate::pay::payrolls::record::deadlines::submission_deadline;
use crate::platform::law;
use crate::records::id_of;

/// Maximum payments of a group.
pub(super) const MOST: usize = 500;
/// Maximum dollars of all payments of a request.
const MOST_TOGETHER: Amount = Amount::from_cents(200_000_000);
/// Maximum hours of a payment: those of more than a year.
const MOST_HOURS: Amount = Amount::from_cents(1_000_000);
/// Maximum characters of a memo.
const MEMO: usize = 255;
/// Maximum characters of an invoice number.
const INVOICE: usize = 25;

/// A payment that can be made.
#[derive(Debug, Clone)]
pub struct Planned {
    /// who is paid
    pub contractor: Contractor,
    /// how
    pub method: Method,
    /// what is paid
    pub pay: Pay,
    /// hours at their rate, fixed pay and bonus
    pub wage_total: Amount,
    /// backup withholding
    pub withheld: Amount,
    /// why it is withheld
    pub withheld_for: Option<Reason>,
    /// a note to the contractor
    pub memo: Option<String>,
    /// the contractor's invoice
    pub invoice_number: Option<String>,
}

impl Planned {
    /// Returns the payment as it would be stored in a group; a preview stores nothing.
    pub fn into_payment(self, tx: &mut Tx<'_>, group: &Group) -> Payment {
        let Pay { wage, hours, hourly_rate, bonus, reimbursement } = self.pay;
        Payment {
            id: tx.new_id(),
            group: group.id,
            contractor: self.contractor.id,
            check_date: group.check_date,
            method: self.method,
            wage_type: self.contractor.wage_type,
            hourly_rate,
            hours,
            wage,
            bonus,
            reimbursement,
            wage_total: self.wage_total,
            withheld: self.withheld,
            withheld_for: self.withheld_for,
            memo: self.memo,
            invoice_number: self.invoice_number,
            paid_at: None,
            disbursed: None,
            voided_at: None,
            cancelled_at: None,
            created_at: tx.now(),
            version: 1,
        }
    }

    /// Returns dollars of pay and reimbursed expenses.
    fn total(&self) -> i64 {
        self.wage_total.millionths() + self.pay.reimbursement.millionths()
    }
}

/// Reads the payments of a request on a day; each with its own violations.
pub(super) fn read_payments(
    tx: &mut Tx<'_>,
    caller: &Caller,
    day: Date,
    inputs: &[PaymentInput],
    checks: &mut Checks,
) -> Result<Vec<Planned>, Error> {
    checks.require(!inputs.is_empty(), || {
        Violation::invalid("contractor_payments", "contractor_payments must name at least one payment")
    });
    let mut planned = Vec::with_capacity(inputs.len());
    for input in inputs {
        let mut own = Checks::new();
        planned.extend(read_payment(tx, caller, day, input, &mut own)?);
        if let Err(violations) = own.finish() {
            let named = input.contractor_uuid.value().map(String::as_str).unwrap_or_default();
            let whose = json!({ "contractor_uuid": named });
            checks.push(Violation::nested("contractor_payments", violations).with_metadata(whose));
        }
    }
    refuse_too_much(&planned, checks);
    Ok(planned)
}

/// Refuses payments that come to too much together.
pub(super) fn refuse_too_much(planned: &[Planned], checks: &mut Checks) {
    let sum: i64 = planned.iter().map(Planned::total).fold(0, i64::saturating_add);
    checks.require(sum <= MOST_TOGETHER.millionths(), || {
        let message = format!(
            "contractor_payments must come to at most {MOST_TOGETHER} together; they come to {}",
            Amount::from_millionths(sum)
        );
        Violation::invalid("contractor_payments", message)
    });
}

/// Reads a payment on a day; `None` with a violation.
pub(super) fn read_payment(
    tx: &mut Tx<'_>,
    caller: &Caller,
    day: Date,
    input: &PaymentInput,
    checks: &mut Checks,
) -> Result<Option<Planned>, Error> {
    let method = input.payment_method.optional("payment_method", checks, as_is);
    let method = method.unwrap_or(Method::DirectDeposit);
    let id = input.contractor_uuid.required("contractor_uuid", checks, |_, text| Ok(id_of(text)));
    let Some(id) = id else { return Ok(None) };
    let Some(contractor) = Contractor::find(tx, caller.company, id)? else {
        let message = "contractor_uuid must be the uuid of a contractor of the company";
        checks.push(Violation::invalid("contractor_uuid", message));
        return Ok(None);
    };
    let can_be_paid = contractor.is_onboarded() && contractor.is_active(caller.today(tx));
    checks.require(can_be_paid || method == Method::Historical, || {
        let message = "contractor_uuid must be a contractor who is onboarded and active";
        Violation::invalid("contractor_uuid", message)
    });
    let pay = read_amounts(&contractor, input, checks);
    let wage_total = pay.reportable_pay().filter(|sum| *sum <= MAX_AMOUNT).unwrap_or_else(|| {
        checks.push(Violation::invalid("hours", "hours at their rate come to more than can be paid"));
        Amount::ZERO
    });
    checks.require(wage_total.millionths() + pay.reimbursement.millionths() > 0, || {
        let field = if contractor.wage_type == WageType::Hourly { "hours" } else { "wage" };
        Violation::invalid(field, format!("{field} must come to more than 0, or reimbursement must"))
    });
    let (memo, invoice_number) = read_notes(input, checks);
    let withheld_for = match (contractor.backup_withholding, contractor.has_tin()) {
        // What was paid before was withheld from before, if at all.
        _ if method == Method::Historical => None,
        (true, _) => Some(Reason::Required),
        (false, false) => Some(Reason::NoTin),
        (false, true) => None,
    };
    let withheld = match withheld_for {
        Some(_) => law::in_force::<ContractorPayTable>(tx)?.backup_withholding(day, wage_total),
        None => Amount::ZERO,
    };
    Ok(Some(Planned { contractor, method, pay, wage_total, withheld, withheld_for, memo, invoice_number }))
}

/// Reads what is paid: hours and bonus with an hourly wage, wage with a fixed one. What belongs to the other kind may be sent as zero.
fn read_amounts(contractor: &Contractor, input: &PaymentInput, checks: &mut Checks) -> Pay {
    let is_hourly = contractor.wage_type == WageType::Hourly;
    let mut dollars = |key: &str, field: &Patch<Amount>, belongs: bool| {
        let amount = field
            .optional(key, checks, |key, amount| check::validate_dollars(key, *amount, check::UP_TO_MAX));
        check_own_amount(key, amount.unwrap_or(Amount::ZERO), (contractor, belongs), checks)
    };
    let wage = dollars("wage", &input.wage, !is_hourly);
    let bonus = dollars("bonus", &input.bonus, is_hourly);
    let reimbursement = dollars("reimbursement", &input.reimbursement, true);
    let hours = input.hours.optional("hours", checks, |key, hours| {
        if (Amount::ZERO..=MOST_HOURS).contains(hours) {
            return Ok(*hours);
        }
        Err(Violation::invalid(key, format!("{key} must be from 0 to {}", MOST_HOURS.to_text(0))))
    });
    let hours = check_own_amount("hours", hours.unwrap_or(Amount::ZERO), (contractor, is_hourly), checks);
    let hourly_rate = contractor.hourly_rate.filter(|_| is_hourly).unwrap_or(Amount::ZERO);
    Pay { wage, hours, hourly_rate, bonus, reimbursement }
}

/// Refuses an amount that does not belong to the contractor's kind of wage.
fn check_own_amount(
    key: &str,
    amount: Amount,
    (contractor, belongs): (&Contractor, bool),
    checks: &mut Checks,
) -> Amount {
    if belongs || amount == Amount::ZERO {
        return amount;
    }
    let (kind, fields) = match contractor.wage_type {
        WageType::Hourly => ("hourly", "hours and bonus"),
        WageType::Fixed => ("fixed", "wage"),
    };
    let message = format!("{key} cannot be paid: the wage of the contractor is {kind}, so send {fields}");
    checks.push(Violation::invalid(key, message));
    Amount::ZERO
}

/// Reads the memo and the number of the invoice.
fn read_notes(input: &PaymentInput, checks: &mut Checks) -> (Option<String>, Option<String>) {
    let mut text = |key: &str, field: &Patch<String>, most: usize| {
        let sent = field.optional(key, checks, |key, text| check::optional_text(key, Some(text), most));
        sent.flatten()
    };
    (text("memo", &input.memo, MEMO), text("invoice_number", &input.invoice_number, INVOICE))
}

/// Checks the day on which payments are made: accounts are paid as fast as a payroll pays them, a check is handed over from today on, and a historical
/// payment was made before, in this year or the one before.
pub(super) fn check_day(
    tx: &Tx<'_>,
    caller: &Caller,
    key: &str,
    day: Date,
    methods: &[Method],
    checks: &mut Checks,
) {
    let (now, today) = (tx.now(), caller.today(tx));
    let wrong = |message: String| Violation::invalid(key, format!("{key} {message}"));
    let has = |method: Method| methods.contains(&method);
    if has(Method::Historical) {
        let first = jiff::civil::date(today.year() - 1, 1, 1);
        checks.require((first..=today).contains(&day), || {
            wrong(format!("must be from {first} to {today} for a Historical Payment"))
        });
    }
    if has(Method::Check) {
        checks.require(day >= today, || {
            wrong(format!(
                "must be {today} or later for a Check; one that was handed over is a Historical Payment"
            ))
        });
    }
    if has(Method::DirectDeposit) {
        let earliest = earliest_check_date(now, today);
        checks.require(day >= today && now <= submission_deadline(day), || {
            wrong(format!("must be {earliest} or later for Direct Deposit"))
        });
    }
    let farthest = today.saturating_add(1.year());
    checks.require(day <= farthest, || wrong(format!("must not be after {farthest}")));
}
