//! The receipt of a payment of a contractor, on the wire.

use domain::Error;
use domain::access::tokens::Caller;
use domain::company::{companies, locations};
use domain::contractors::payments::rows::Payment;
use domain::contractors::payments::service;
use domain::contractors::records;
use domain::money::views::expected;
use rules::Named;
use serde::Serialize;
use store::Tx;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::pay::payrolls::wire::receipt::Licensee;
use crate::values::ContractorPaymentMethodName;

/// What a company paid to a contractor.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractorPaymentReceipt {
    /// the payment
    pub contractor_payment_uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// the payer: the company
    pub name_of_sender: String,
    /// the contractor
    pub name_of_recipient: String,
    /// YYYY-MM-DD: when the company is debited
    #[schema(format = Date)]
    pub debit_date: String,
    /// the money transmission licence: none, because the company pays from its own account
    pub license: &'static str,
    /// URL of an explanation of that
    pub license_uri: String,
    /// URL of an explanation of cancelling a payment
    pub right_to_refund: String,
    /// URL of an explanation of liabilities
    pub liability_of_licensee: String,
    /// what the company is debited
    pub totals: ContractorReceiptTotals,
    /// the payment
    pub contractor_payments: Vec<ContractorReceiptLine>,
    /// the payer: the company
    pub licensee: Licensee,
}

/// The amount debited from the company's account.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractorReceiptTotals {
    /// decimal text
    pub company_debit: String,
}

/// The payment of a receipt, in decimal text. Names of the other kind are left out: published clients refuse null there.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractorReceiptLine {
    /// the contractor
    pub contractor_uuid: Uuid,
    /// first name; not for a business
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contractor_first_name: Option<String>,
    /// last name; not for a business
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contractor_last_name: Option<String>,
    /// name of the business; not for a person
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contractor_business_name: Option<String>,
    /// `Individual` or `Business`
    pub contractor_type: &'static str,
    /// how: `Direct Deposit`
    #[schema(value_type = ContractorPaymentMethodName)]
    pub payment_method: &'static str,
    /// pay, without the bonus
    pub wage: String,
    /// bonus
    pub bonus: String,
    /// reimbursed expenses
    pub reimbursement: String,
    /// extension: backup withholding, which the contractor does not receive
    pub backup_withholding: String,
}

impl ContractorPaymentReceipt {
    /// The receipt of a payment; `base` is the service's public URL.
    ///
    /// # Errors
    /// "Not found", also for a payment that is not funded; a store error.
    pub fn read_receipt(tx: &mut Tx<'_>, caller: &Caller, base: &str, id: Uuid) -> Result<Self, Error> {
        let payment = service::find_payment(tx, caller, id)?;
        if !payment.is_funded() {
            return Err(Error::NotFound);
        }
        let contractor = records::service::find_contractor(tx, caller, payment.contractor)?;
        let company = companies::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
        let places = locations::rows::of_company(tx, caller.company)?;
        let seat = places.into_iter().find(|place| place.filing_address);
        let debited = expected::debit_day(tx, caller.company, Some(payment.group), payment.check_date)?;
        Ok(Self {
            contractor_payment_uuid: payment.id,
            company_uuid: caller.company,
            name_of_sender: company.name.clone(),
            name_of_recipient: contractor.name(),
            debit_date: debited.to_string(),
            license: "The company pays from its own account; this service holds and transmits no money and needs no licence to do so.",
            license_uri: format!("{base}/docs"),
            right_to_refund: format!("{base}/docs"),
            liability_of_licensee: format!("{base}/docs"),
            totals: ContractorReceiptTotals { company_debit: payment.net().to_text(2) },
            contractor_payments: vec![receipt_line(&payment, &contractor)],
            licensee: Licensee::new(company.name, seat),
        })
    }
}

fn receipt_line(payment: &Payment, contractor: &records::rows::Contractor) -> ContractorReceiptLine {
    let wage = rules::Amount::from_millionths(payment.wage_total.millionths() - payment.bonus.millionths());
    ContractorReceiptLine {
        contractor_uuid: contractor.id,
        contractor_first_name: contractor.first_name.clone(),
        contractor_last_name: contractor.last_name.clone(),
        contractor_business_name: contractor.business_name.clone(),
        contractor_type: contractor.kind.as_str(),
        payment_method: payment.method.as_str(),
        wage: wage.to_text(2),
        bonus: payment.bonus.to_text(2),
        reimbursement: payment.reimbursement.to_text(2),
        backup_withholding: payment.withheld.to_text(2),
    }
}
