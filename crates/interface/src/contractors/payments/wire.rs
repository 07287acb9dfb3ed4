//! Payments of contractors on the wire.

use domain::Error;
use domain::access::tokens::Caller;
use domain::contractors::payments::blockers::{Blocker, Choice};
use domain::contractors::payments::commands;
use domain::contractors::payments::disbursements::{Disbursed, UpdateDisbursement, UpdateDisbursements};
use domain::contractors::payments::rows::{Group, Method, Payment};
use domain::contractors::payments::service::{self, GroupDetails};
use domain::contractors::payments::summary::{OfContractor, Summary, sum_payments};
use domain::money::funding::wires;
use domain::money::views::expected;
use domain::version::Change;
use jiff::civil::Date;
use rules::{Amount, Named};
use serde::Serialize;
use serde_json::{Value, json};
use store::Tx;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, List};
use crate::input;
use crate::pay::payrolls::wire::CreditBlocker;
use crate::pay::payrolls::wire::inputs::SubmissionBlocker;
use crate::values::{
    ContractorPaymentMethodName, DateText, Decimal, DisbursementMethodName, DisbursementStatusName, IdText,
    InvoiceText, LongLineText, MemoText,
};

input! {
    /// A payment of a contractor.
    CreateContractorPayment => commands::CreatePayment {
        /// YYYY-MM-DD: when it is made; for a `Historical Payment` when it was made
        #[schema(required)]
        date: DateText,
    } + payment: commands::PaymentInput {
        /// who is paid
        #[schema(required)]
        contractor_uuid: IdText,
        /// how: `Direct Deposit` by default; `Historical Payment` only records what was paid before
        #[schema(nullable)]
        payment_method: ContractorPaymentMethodName,
        /// dollars, for a contractor with a fixed wage
        #[schema(nullable, value_type = Decimal)]
        wage: Amount,
        /// hours, for a contractor with an hourly wage
        #[schema(nullable, value_type = Decimal)]
        hours: Amount,
        /// dollars, for a contractor with an hourly wage
        #[schema(nullable, value_type = Decimal)]
        bonus: Amount,
        /// dollars of reimbursed expenses, which are not reported on Form 1099-NEC
        #[schema(nullable, value_type = Decimal)]
        reimbursement: Amount,
        /// a note to the contractor; returned from version 2026-02-01
        #[schema(nullable)]
        memo: MemoText,
        /// the contractor's invoice, at most 25 characters; returned from version 2026-02-01
        #[schema(nullable)]
        invoice_number: InvoiceText,
    }
}

input! {
    /// Payments whose debit is to be foreseen.
    PreviewContractorPayments => commands::PreviewPayments {
        /// the payments, each with its date
        #[schema(required)]
        contractor_payments: List<CreateContractorPayment>,
    }

    /// Payments on one day, to preview.
    PreviewContractorPaymentGroup => commands::GroupPayments {
        /// YYYY-MM-DD: when contractors are paid
        #[schema(required)]
        check_date: DateText,
        /// the payments, at most 500
        #[schema(required)]
        contractor_payments: List<ContractorPaymentInput>,
    }

    /// Payments on one day.
    CreateContractorPaymentGroup => commands::CreateGroup {
        /// the token of the preview; required from version 2025-06-15, and used once
        creation_token: LongLineText,
        /// how blockers are resolved
        #[schema(value_type = Option<Vec<Object>>)]
        submission_blockers: List<SubmissionBlocker>,
    }
    + payments: commands::GroupPayments {
        /// YYYY-MM-DD: when contractors are paid
        #[schema(required)]
        check_date: DateText,
        /// the payments, at most 500
        #[schema(required)]
        contractor_payments: List<ContractorPaymentInput>,
    }

    /// A payment of a group.
    ContractorPaymentInput => commands::PaymentInput {
        /// who is paid
        #[schema(required)]
        contractor_uuid: IdText,
        /// how: `Direct Deposit` by default; `Historical Payment` only records what was paid before
        #[schema(nullable)]
        payment_method: ContractorPaymentMethodName,
        /// dollars, for a contractor with a fixed wage
        #[schema(nullable, value_type = Decimal)]
        wage: Amount,
        /// hours, for a contractor with an hourly wage
        #[schema(nullable, value_type = Decimal)]
        hours: Amount,
        /// dollars, for a contractor with an hourly wage
        #[schema(nullable, value_type = Decimal)]
        bonus: Amount,
        /// dollars of reimbursed expenses, which are not reported on Form 1099-NEC
        #[schema(nullable, value_type = Decimal)]
        reimbursement: Amount,
        /// a note to the contractor; returned from version 2026-02-01
        #[schema(nullable)]
        memo: MemoText,
        /// the contractor's invoice, at most 25 characters; returned from version 2026-02-01
        #[schema(nullable)]
        invoice_number: InvoiceText,
    }

    /// The status of payments that the partner makes.
    UpdateContractorDisbursements => UpdateDisbursements {
        /// at most 100; omitted payments are unchanged
        #[schema(required)]
        disbursements: List<UpdateContractorDisbursement>,
    }

    /// The status of a payment that the partner makes.
    UpdateContractorDisbursement => UpdateDisbursement {
        /// the payment
        #[schema(required)]
        contractor_payment_uuid: IdText,
        /// how the contractor is paid; `Check` alone converts the payment to a check
        #[schema(nullable)]
        payment_method: DisbursementMethodName,
        /// the status of the payment
        #[schema(nullable)]
        payment_status: DisbursementStatusName,
    }
}

/// A payment of a contractor.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractorPayment {
    /// identifier; null in a preview
    pub uuid: Option<Uuid>,
    /// who is paid
    pub contractor_uuid: Uuid,
    /// decimal text: bonus
    pub bonus: String,
    /// YYYY-MM-DD: when it is made
    #[schema(format = Date)]
    pub date: String,
    /// decimal text: hours
    pub hours: String,
    /// how: `Direct Deposit`, `Check`, or `Historical Payment`
    #[schema(value_type = ContractorPaymentMethodName)]
    pub payment_method: &'static str,
    /// decimal text: reimbursed expenses
    pub reimbursement: String,
    /// `Funded` once the bank has the payment, or the partner has made it; payments by check stay `Unfunded`
    pub status: &'static str,
    /// decimal text: dollars per hour
    pub hourly_rate: String,
    /// whether it can be cancelled
    pub may_cancel: bool,
    /// decimal text: fixed pay
    pub wage: String,
    /// `Fixed` or `Hourly`
    pub wage_type: &'static str,
    /// decimal text: hours at their rate, wage and bonus
    pub wage_total: String,
    /// from version 2026-02-01: the note to the contractor
    #[schema(value_type = Option<String>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memo: Option<Option<String>>,
    /// from version 2026-02-01: the contractor's invoice
    #[schema(value_type = Option<String>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invoice_number: Option<Option<String>>,
    /// extension: decimal text, the federal income tax withheld (backup withholding)
    pub backup_withholding: String,
    /// extension: why it was withheld, `required` or `no_tin`; null if nothing was withheld
    pub backup_withholding_reason: Option<&'static str>,
    /// extension: decimal text, what the contractor receives
    pub net_pay: String,
    /// extension: when it was reversed because it was not owed; it counts no longer
    #[schema(format = DateTime)]
    pub voided_at: Option<String>,
}

impl ContractorPayment {
    /// The answer for a payment of a group.
    pub fn new(tx: &Tx<'_>, caller: &Caller, (group, one): (&Group, &Payment)) -> Self {
        let notes = caller.version.includes_change(Change::ContractorPaymentNotes);
        let dollars = |amount: Amount| amount.to_text(2);
        Self {
            uuid: Some(one.id),
            contractor_uuid: one.contractor,
            bonus: dollars(one.bonus),
            date: one.check_date.to_string(),
            hours: one.hours.to_text(1),
            payment_method: one.method.as_str(),
            reimbursement: dollars(one.reimbursement),
            status: payment_status(one.is_funded()),
            hourly_rate: dollars(one.hourly_rate),
            may_cancel: service::may_cancel(tx, group, one),
            wage: dollars(one.wage),
            wage_type: one.wage_type.as_str(),
            wage_total: dollars(one.wage_total),
            memo: notes.then(|| one.memo.clone()),
            invoice_number: notes.then(|| one.invoice_number.clone()),
            backup_withholding: dollars(one.withheld),
            backup_withholding_reason: one.withheld_for.map(Named::as_str),
            net_pay: dollars(one.net()),
            voided_at: one.voided_at.map(crate::moment::format_moment),
        }
    }

    /// The answer for a payment, with its group.
    ///
    /// # Errors
    /// "Not found"; a store error.
    pub fn read_payment(tx: &mut Tx<'_>, caller: &Caller, payment: Payment) -> Result<Self, Error> {
        let (group, payment) = service::with_group(tx, caller, payment)?;
        Ok(Self::new(tx, caller, (&group, &payment)))
    }
}

fn payment_status(is_funded: bool) -> &'static str {
    if is_funded { "Funded" } else { "Unfunded" }
}

/// Dollars of payments, in decimal text.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractorPaymentTotal {
    /// reimbursed expenses
    pub reimbursements: String,
    /// pay
    pub wages: String,
}

/// Payments between two days.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractorPaymentSummary {
    /// of all payments, on all pages
    pub total: ContractorPaymentTotal,
    /// by contractor, or by contractor and day
    pub contractor_payments: Vec<PaymentsOfContractor>,
}

/// Payments of a contractor.
#[derive(Debug, Serialize, ToSchema)]
pub struct PaymentsOfContractor {
    /// the contractor
    pub contractor_uuid: Uuid,
    /// YYYY-MM-DD: the day, with group_by_date
    #[schema(format = Date)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_date: Option<String>,
    /// decimal text: reimbursed expenses
    pub reimbursement_total: String,
    /// decimal text: pay
    pub wage_total: String,
    /// the payments, newest first
    pub payments: Vec<ContractorPayment>,
}

impl ContractorPaymentSummary {
    /// The answer for a page of payments.
    pub fn new(tx: &Tx<'_>, caller: &Caller, summary: Summary) -> Self {
        let row = |row: OfContractor| {
            let payments = || row.payments.iter().map(|(_, payment)| payment);
            PaymentsOfContractor {
                contractor_uuid: row.contractor,
                check_date: row.check_date.map(|day| day.to_string()),
                reimbursement_total: sum_payments(payments(), |one| one.reimbursement).to_text(2),
                wage_total: sum_payments(payments(), |one| one.wage_total).to_text(2),
                payments: row
                    .payments
                    .iter()
                    .map(|(group, one)| ContractorPayment::new(tx, caller, (group, one)))
                    .collect(),
            }
        };
        Self {
            total: ContractorPaymentTotal {
                reimbursements: summary.reimbursements.to_text(2),
                wages: summary.wages.to_text(2),
            },
            contractor_payments: summary.rows.into_iter().map(row).collect(),
        }
    }
}

/// When the company is debited.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractorPaymentsPreview {
    /// YYYY-MM-DD: when the company is debited for the first payments by direct deposit; without any, their date
    #[schema(format = Date)]
    pub expected_debit_date: String,
}

/// Dollars of a group, in decimal text.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractorGroupTotals {
    /// pay and reimbursed expenses
    pub amount: String,
    /// what the company is debited for direct deposit: pay less backup withholding, and reimbursed expenses
    pub debit_amount: String,
    /// pay
    pub wage_amount: String,
    /// reimbursed expenses
    pub reimbursement_amount: String,
    /// what the company pays by check
    pub check_amount: String,
    /// extension: backup withholding, which the company owes to the government
    pub backup_withholding_amount: String,
}

/// What prevents payments.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractorSubmissionBlocker {
    /// such as `missing_bank_info`, `suspended`, `missing_contractor_bank_account`
    pub blocker_type: &'static str,
    /// the same in words
    pub blocker_name: String,
    /// how it can be resolved with the request; empty if something else has to be done first
    #[schema(value_type = Vec<Object>)]
    pub unblock_options: Vec<Value>,
    /// always null: the caller chooses
    pub selected_option: Option<&'static str>,
    /// `unresolved`
    pub status: &'static str,
}

impl ContractorSubmissionBlocker {
    fn new(one: Blocker, day: Date) -> Self {
        let option = |choice: Choice| {
            let metadata = json!({ "contractor_uuid": one.contractor });
            json!({ "unblock_type": choice.as_str(), "check_date": day, "metadata": metadata })
        };
        Self {
            blocker_type: one.kind.as_str(),
            unblock_options: one.kind.choice().map(option).into_iter().collect(),
            blocker_name: one.message,
            selected_option: None,
            status: "unresolved",
        }
    }
}

/// A group of payments.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractorPaymentGroup {
    /// identifier; null in a preview
    pub uuid: Option<Uuid>,
    /// the company
    pub company_uuid: Uuid,
    /// YYYY-MM-DD: when contractors are paid
    #[schema(format = Date)]
    pub check_date: String,
    /// YYYY-MM-DD: when the company is debited; without direct deposit the check date
    #[schema(format = Date)]
    pub debit_date: String,
    /// `Funded` once each payment by direct deposit is funded
    pub status: &'static str,
    /// the token of the preview, with which a group is created once
    pub creation_token: Option<String>,
    /// whether the partner pays what goes to accounts
    pub partner_owned_disbursement: bool,
    /// what has to be resolved first; only in a preview
    pub submission_blockers: Vec<ContractorSubmissionBlocker>,
    /// the wire that credits wait for
    pub credit_blockers: Vec<CreditBlocker>,
    /// dollars of the payments
    pub totals: ContractorGroupTotals,
    /// the payments; omitted in the list of groups
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contractor_payments: Option<Vec<ContractorPayment>>,
}

impl ContractorPaymentGroup {
    /// The answer for a group without its payments.
    pub fn without_payments(tx: &mut Tx<'_>, caller: &Caller, details: GroupDetails) -> Result<Self, Error> {
        Ok(Self { contractor_payments: None, ..Self::new(tx, caller, details)? })
    }

    /// The answer for a group, or for a preview, which has a token of its own.
    pub fn new(tx: &mut Tx<'_>, caller: &Caller, details: GroupDetails) -> Result<Self, Error> {
        let is_preview = details.token.is_some();
        let (id, day) = (details.group.id, details.group.check_date);
        let wire = wires::of_payroll(tx, caller.company, id)?;
        let payments = details.payments.iter().map(|one| ContractorPayment {
            uuid: Some(one.id).filter(|_| !is_preview),
            ..ContractorPayment::new(tx, caller, (&details.group, one))
        });
        let payments = payments.collect();
        let subject = Some(id).filter(|_| !is_preview);
        Ok(Self {
            uuid: subject,
            company_uuid: caller.company,
            check_date: day.to_string(),
            debit_date: debited_on(tx, caller, subject, &details)?.to_string(),
            status: payment_status(details.is_funded()),
            partner_owned_disbursement: details.group.partner_pays,
            totals: ContractorGroupTotals::new(&details),
            creation_token: details.token.or(details.group.creation_token),
            submission_blockers: details
                .blockers
                .into_iter()
                .map(|one| ContractorSubmissionBlocker::new(one, day))
                .collect(),
            credit_blockers: wire.and_then(|wire| CreditBlocker::new(&wire, day)).into_iter().collect(),
            contractor_payments: Some(payments),
        })
    }
}

/// Returns when the company is debited: for payments that go to no account, or that the partner makes, the check date.
fn debited_on(
    tx: &mut Tx<'_>,
    caller: &Caller,
    subject: Option<Uuid>,
    details: &GroupDetails,
) -> Result<Date, Error> {
    let day = details.group.check_date;
    if details.group.partner_pays || !details.payments.iter().any(Payment::goes_to_account) {
        return Ok(day);
    }
    expected::debit_day(tx, caller.company, subject, day)
}

impl ContractorGroupTotals {
    fn new(details: &GroupDetails) -> Self {
        let of_service = if details.group.partner_pays { &[][..] } else { &[Method::DirectDeposit][..] };
        let both = |one: &Payment| {
            Amount::from_millionths(one.wage_total.millionths() + one.reimbursement.millionths())
        };
        let sum = |methods: &[Method], amount: &dyn Fn(&Payment) -> Amount| {
            details.sum_by_method(methods, amount).to_text(2)
        };
        let all = Method::ALL;
        Self {
            amount: sum(all, &both),
            debit_amount: sum(of_service, &Payment::net),
            wage_amount: sum(all, &|one| one.wage_total),
            reimbursement_amount: sum(all, &|one| one.reimbursement),
            check_amount: sum(&[Method::Check], &Payment::net),
            backup_withholding_amount: sum(all, &|one| one.withheld),
        }
    }
}

/// Who makes the payments of a group.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractorPartnerDisbursements {
    /// the group
    pub contractor_payment_group_uuid: Uuid,
    /// by payment
    pub disbursements: Vec<ContractorPartnerDisbursement>,
}

/// Who makes a payment, and its status.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractorPartnerDisbursement {
    /// the payment
    pub contractor_payment_uuid: Uuid,
    /// the contractor
    pub contractor_uuid: Uuid,
    /// how the contractor is paid
    #[schema(value_type = DisbursementMethodName)]
    pub payment_method: &'static str,
    /// `Pending`, `Paid`, `Converted to check`, or `Not partner managed`
    #[schema(value_type = DisbursementStatusName)]
    pub payment_status: &'static str,
}

impl ContractorPartnerDisbursements {
    /// The answer for a group.
    pub fn new(group: Uuid, all: Vec<Disbursed>) -> Self {
        let one = |one: Disbursed| ContractorPartnerDisbursement {
            contractor_payment_uuid: one.payment,
            contractor_uuid: one.contractor,
            payment_method: one.method,
            payment_status: one.status.as_str(),
        };
        Self { contractor_payment_group_uuid: group, disbursements: all.into_iter().map(one).collect() }
    }
}
