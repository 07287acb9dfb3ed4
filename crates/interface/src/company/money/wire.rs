//! Payments of companies on the wire.

use domain::access::tokens::{Actor, Caller};
use domain::company::payment_configs;
use domain::money::bank::settings::WireTo;
use domain::money::batches::repayments;
use domain::money::deposits;
use domain::money::deposits::{DepositItem, TaxDeposit};
use domain::money::funding::{cases, wires};
use domain::money::ledger::purpose::Purpose;
use domain::money::returns::corrections;
use domain::money::views::list::Transaction;
use rules::days::Days;
use rules::{Amount, Named};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::values::{DateText, Decimal, IdText, PaymentSpeedName, WireNoteText};
use crate::{input, objects};

/// How payroll is paid.
#[derive(Debug, Serialize, ToSchema)]
pub struct PaymentConfigs {
    /// the company
    pub company_uuid: Uuid,
    /// the calling application; omitted for an administrator
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner_uuid: Option<Uuid>,
    /// decimal text: the limit for faster payments; null if there are none
    pub fast_payment_limit: Option<String>,
    /// how long a payment takes
    #[schema(value_type = PaymentSpeedName)]
    pub payment_speed: &'static str,
    /// whether the partner pays the employees
    pub partner_owned_disbursement: bool,
    /// what prevents faster payments; empty, because there are none
    pub earned_fast_ach_blockers: Vec<FastAchBlocker>,
}

/// What prevents faster payments for a company.
#[derive(Debug, Serialize, ToSchema)]
pub struct FastAchBlocker {
    /// `minimum_days` or `minimum_funded_payments`
    pub blocker_type: String,
    /// the required value
    pub threshold: i64,
}

impl PaymentConfigs {
    /// The answer for the company of the caller.
    pub fn new(caller: &Caller, now: &payment_configs::PaymentConfigs) -> Self {
        let partner =
            if let Actor::Application(application) = caller.actor { Some(application) } else { None };
        Self {
            company_uuid: caller.company,
            partner_uuid: partner,
            fast_payment_limit: now.fast_payment_limit.map(|limit| limit.to_text(2)),
            payment_speed: now.payment_speed,
            partner_owned_disbursement: now.partner_owned_disbursement,
            earned_fast_ach_blockers: Vec::new(),
        }
    }
}

/// The payment settings.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct PaymentConfigFields {
    /// how long a payment takes
    #[schema(nullable)]
    pub payment_speed: Field<PaymentSpeedName>,
    /// dollars: the limit for faster payments
    #[schema(nullable, value_type = Decimal)]
    pub fast_payment_limit: Field<Amount>,
    /// whether the partner pays the employees
    #[schema(nullable)]
    pub partner_owned_disbursement: Field<bool>,
}

objects! {
    PaymentConfigFields: "an object with payment_speed, fast_payment_limit or partner_owned_disbursement",
}

impl From<PaymentConfigFields> for payment_configs::Fields {
    fn from(fields: PaymentConfigFields) -> Self {
        Self {
            payment_speed: fields.payment_speed.into(),
            fast_payment_limit: fields.fast_payment_limit.into(),
            partner_owned_disbursement: fields.partner_owned_disbursement.into(),
        }
    }
}

input! {
    /// The payment settings to change: at least one of the three fields, with or without `payment_configs` around them.
    UpdatePaymentConfigs => payment_configs::UpdatePaymentConfigs {
        /// the three fields
        payment_configs: PaymentConfigFields,
        /// how long a payment takes
        #[schema(nullable)]
        payment_speed: PaymentSpeedName,
        /// dollars: the limit for faster payments
        #[schema(nullable, value_type = Decimal)]
        fast_payment_limit: Amount,
        /// whether the partner pays the employees
        #[schema(nullable)]
        partner_owned_disbursement: bool,
    }
}

/// An expected wire.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireInRequest {
    /// identifier
    pub uuid: Uuid,
    /// `awaiting_funds`, `pending_review`, `approved` or `canceled`
    pub status: String,
    /// the receiving bank
    pub origination_bank: String,
    /// the address of that bank
    pub origination_bank_address: String,
    /// the recipient
    pub recipient_name: String,
    /// the recipient's address
    pub recipient_address: String,
    /// the recipient's account number
    pub recipient_account_number: String,
    /// the receiving bank's routing number
    pub recipient_routing_number: String,
    /// a note
    pub additional_notes: Option<String>,
    /// the sending bank
    pub bank_name: Option<String>,
    /// YYYY-MM-DD: when it was sent
    pub date_sent: Option<String>,
    /// the reference that the wire must contain
    pub unique_tracking_code: String,
    /// `Payroll`, `TaxDeposit` (a debit for one was returned) or `ContractorPaymentGroup`
    pub payment_type: String,
    /// what it pays for
    pub payment_uuid: Uuid,
    /// decimal text: the amount that was sent
    pub amount_sent: Option<String>,
    /// decimal text: the amount that is requested
    pub requested_amount: String,
    /// when it must arrive
    pub wire_in_deadline: String,
}

/// A debit of a partner's account by wire.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReverseWireTransaction {
    /// the company
    pub company_uuid: Uuid,
    /// decimal text, dollars
    pub amount: String,
    /// `pending_processing`, `processed`, `rejected` or `failed`
    pub status: String,
    /// `debit`
    pub payment_direction: String,
    /// name of the receiving bank
    pub bank_name: Option<String>,
    /// `Payroll` or `ContractorPayment`
    pub payment_event_type: Option<String>,
    /// the payroll or the payment
    pub payment_event_uuid: Option<Uuid>,
    /// YYYY-MM-DD: its check date
    #[schema(format = Date)]
    pub payment_event_check_date: Option<String>,
    /// YYYY-MM-DD: when the record was created
    #[schema(format = Date)]
    pub created_at: String,
}

/// A returned debit that must be recovered.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecoveryCase {
    /// identifier
    pub uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// `open`; `redebit_initiated`: it is presented again; `wire_initiated`: the company reports that it sent a wire;
    /// `recovered`; `lost`: the operator has written it off
    pub status: String,
    /// the bank's latest return code, such as `R01`
    pub latest_error_code: Option<String>,
    /// YYYY-MM-DD: settlement date of the debit that was first returned
    pub original_debit_date: Option<String>,
    /// YYYY-MM-DD: the check date
    pub check_date: String,
    /// the payroll; null for contractors, and for a tax deposit
    pub payroll_uuid: Option<Uuid>,
    /// contractor payments; null for a payroll
    pub contractor_payment_uuids: Option<Vec<Uuid>>,
    /// decimal text: the outstanding amount
    pub amount_outstanding: String,
    /// decimal text: the amount that was debited
    pub event_total_amount: String,
}

/// A bank transaction.
#[derive(Debug, Serialize, ToSchema)]
pub struct AchTransaction {
    /// identifier
    pub uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// `Payroll`, `TaxDeposit` or `ContractorPayment`
    pub payment_event_type: String,
    /// the payroll, deposit or payment; for a company's debit for contractors the group
    pub payment_event_uuid: Uuid,
    /// `Employee` or `Contractor`; null if it is neither
    pub recipient_type: Option<&'static str>,
    /// the employee or contractor; for a payment to an agency the garnishment; for a company's debit the company
    pub recipient_uuid: Uuid,
    /// the bank's return code; null without an error
    pub error_code: Option<String>,
    /// such as `Credit employee pay`
    pub transaction_type: String,
    /// `unsubmitted`, `submitted`, `successful` or `failed`
    pub payment_status: String,
    /// `credit` or `debit`
    pub payment_direction: String,
    /// YYYY-MM-DD: the check date, or the due date of a deposit
    pub payment_event_check_date: String,
    /// YYYY-MM-DD: the payment date
    pub payment_date: String,
    /// decimal text
    pub amount: String,
    /// the description on the bank statement
    pub description: String,
}

/// The purpose of a payment; that of contractors as it is named here.
pub(super) fn event_type(purpose: Purpose, of_contractors: &str) -> String {
    match purpose {
        Purpose::Payroll => "Payroll",
        Purpose::TaxDeposit => "TaxDeposit",
        Purpose::Contractors => of_contractors,
    }
    .to_owned()
}

/// A deposit of taxes.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxPayment {
    /// identifier
    pub uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// who is paid
    pub agency_name: &'static str,
    /// `US`: the federal government
    pub jurisdiction: &'static str,
    /// YYYY-MM-DD: first day of the tax period
    pub period_start: String,
    /// YYYY-MM-DD: last day of the tax period
    pub period_end: String,
    /// YYYY-MM-DD: when it is due
    pub due_date: String,
    /// YYYY-MM-DD: when the agency is paid; null until the bank has the payment
    pub payment_sent_on: Option<String>,
    /// decimal text: the amount owed
    pub amount: String,
    /// decimal text: the amount that was sent to the agency
    pub amount_paid: String,
}

/// A deposit of taxes with what it pays.
#[derive(Debug, Serialize, ToSchema)]
pub struct DetailedTaxPayment {
    #[serde(flatten)]
    payment: TaxPayment,
    /// what it pays, by payroll and tax
    line_items: Vec<TaxPaymentItem>,
}

/// What a tax payment pays of a tax.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxPaymentItem {
    /// the payroll; null for what is owed once for a year
    pub payroll_uuid: Option<Uuid>,
    /// code of the tax
    pub unique_tax_id: String,
    /// decimal text
    pub amount: String,
}

impl TaxPayment {
    /// The answer for a deposit of a company. Only federal taxes are deposited.
    pub fn new(company: Uuid, one: &TaxDeposit) -> Self {
        let dollars = |cents| Amount::from_cents(cents).to_text(2);
        let Days { first, last } = one.tax_period();
        Self {
            uuid: one.id,
            company_uuid: company,
            agency_name: "Internal Revenue Service",
            jurisdiction: deposits::JURISDICTION,
            period_start: first.to_string(),
            period_end: last.to_string(),
            due_date: one.due.to_string(),
            payment_sent_on: one.sent_on().map(|day| day.to_string()),
            amount: dollars(one.cents),
            amount_paid: dollars(one.paid_cents()),
        }
    }
}

impl DetailedTaxPayment {
    /// The answer for a deposit of a company with its items.
    pub fn new(company: Uuid, one: &TaxDeposit, items: Vec<DepositItem>) -> Self {
        let item = |item: DepositItem| TaxPaymentItem {
            payroll_uuid: item.payroll,
            unique_tax_id: item.code,
            amount: Amount::from_cents(item.cents).to_text(2),
        };
        Self { payment: TaxPayment::new(company, one), line_items: items.into_iter().map(item).collect() }
    }
}

impl RecoveryCase {
    /// The answer for a case of a company, with the contractor payments whose debit it is.
    pub fn new(company: Uuid, one: cases::RecoveryCase, payments: Option<Vec<Uuid>>) -> Self {
        let dollars = |cents| Amount::from_cents(cents).to_text(2);
        Self {
            uuid: one.id,
            company_uuid: company,
            status: one.status.as_str().to_owned(),
            latest_error_code: Some(one.code),
            original_debit_date: Some(one.debited_on.to_string()),
            check_date: one.check_date.to_string(),
            payroll_uuid: (one.purpose == Purpose::Payroll).then_some(one.payroll),
            contractor_payment_uuids: payments,
            amount_outstanding: dollars(one.outstanding_cents),
            event_total_amount: dollars(one.event_cents),
        }
    }
}

impl WireInRequest {
    /// The answer for a wire that is sent to this account.
    pub fn new(one: wires::WireInRequest, to: &WireTo) -> Self {
        let dollars = |cents| Amount::from_cents(cents).to_text(2);
        Self {
            uuid: one.id,
            status: <&str>::from(one.status).to_owned(),
            origination_bank: to.bank_name.clone(),
            origination_bank_address: to.bank_address.clone(),
            recipient_name: to.recipient_name.clone(),
            recipient_address: to.recipient_address.clone(),
            recipient_account_number: to.account.clone(),
            recipient_routing_number: to.routing.clone(),
            additional_notes: one.notes,
            bank_name: one.bank_name,
            date_sent: one.date_sent.map(|day| day.to_string()),
            unique_tracking_code: one.tracking_code,
            payment_type: event_type(one.purpose, "ContractorPaymentGroup"),
            payment_uuid: one.payroll,
            amount_sent: one.sent_cents.map(dollars),
            requested_amount: dollars(one.requested_cents),
            wire_in_deadline: format!("{:.0}", one.deadline),
        }
    }
}

input! {
    /// A report that a wire was sent.
    UpdateWireInRequest => wires::UpdateWireInRequest {
        /// YYYY-MM-DD: when it was sent
        date_sent: DateText,
        /// the sending bank
        bank_name: WireNoteText,
        /// dollars: the amount that was sent
        #[schema(value_type = Decimal)]
        amount_sent: Amount,
        /// a note
        #[schema(nullable)]
        additional_notes: WireNoteText,
    }
}

impl AchTransaction {
    /// The answer for a transaction of a company.
    pub fn new(company: Uuid, one: Transaction) -> Self {
        let Transaction { entry, kind, status, purpose, check_date, payment_date } = one;
        let employee = entry.employee.filter(|_| entry.garnishment.is_none());
        let recipient_type = match (employee, entry.contractor) {
            (Some(_), _) => Some("Employee"),
            (None, Some(_)) => Some("Contractor"),
            (None, None) => None,
        };
        Self {
            uuid: entry.id,
            company_uuid: company,
            payment_event_type: event_type(purpose, "ContractorPayment"),
            payment_event_uuid: entry.contractor_payment.unwrap_or(entry.payroll),
            recipient_type,
            recipient_uuid: entry.garnishment.or(employee).or(entry.contractor).unwrap_or(company),
            error_code: entry.code,
            transaction_type: kind.transaction_type(purpose).to_owned(),
            payment_status: <&str>::from(status).to_owned(),
            payment_direction: if kind.is_credit() { "credit" } else { "debit" }.to_owned(),
            payment_event_check_date: check_date.to_string(),
            payment_date: payment_date.to_string(),
            amount: Amount::from_cents(entry.cents).to_text(2),
            description: kind.statement_description(purpose).to_owned(),
        }
    }
}

input! {
    /// How a held amount is paid: one of the two.
    PayAgain => repayments::PayAgain {
        /// an account of the employee other than the one that returned the payment; for a contractor, its account with new numbers
        #[schema(nullable)]
        bank_account_uuid: IdText,
        /// true: the employer writes a check
        #[schema(nullable)]
        by_check: bool,
    }
}

input! {
    /// The employer's decision about a correction.
    DecideCorrection => corrections::Decide {
        /// true: the account is corrected; false: it is unchanged
        #[schema(required)]
        accept: bool,
    }
}

/// A correction of an employee's or contractor's account that the bank requests.
#[derive(Debug, Serialize, ToSchema)]
pub struct AccountCorrection {
    /// identifier
    pub uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// the employee; null for a contractor's account
    pub employee_uuid: Option<Uuid>,
    /// the contractor; null for an employee's account
    pub contractor_uuid: Option<Uuid>,
    /// the account
    pub bank_account_uuid: Uuid,
    /// the transaction to which the bank responded
    pub ach_transaction_uuid: Uuid,
    /// the bank's code, `C01` to `C13`
    pub code: String,
    /// what must be corrected: `routing_number`, `account_number` and `account_type`
    pub corrects: Vec<&'static str>,
    /// `open`, `accepted` or `declined`
    pub state: &'static str,
}

impl AccountCorrection {
    /// The answer for a correction of a company.
    pub fn new(company: Uuid, one: &corrections::Correction) -> Self {
        let fields = [
            ("routing_number", one.routing_number.is_some()),
            ("account_number", one.account_number.is_some()),
            ("account_type", one.account_type.is_some()),
        ];
        Self {
            uuid: one.id,
            company_uuid: company,
            employee_uuid: one.of_employee(),
            contractor_uuid: one.contractor,
            bank_account_uuid: one.account,
            ach_transaction_uuid: one.entry,
            code: one.code.clone(),
            corrects: fields.into_iter().filter(|(_, wrong)| *wrong).map(|(field, _)| field).collect(),
            state: one.state.as_str(),
        }
    }
}
