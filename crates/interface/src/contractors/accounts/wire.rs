//! Bank accounts and payment methods of contractors on the wire. Account numbers are always masked.

use domain::contractors::accounts::BankAccountDetails;
use domain::contractors::accounts::service;
use domain::contractors::accounts::service::PaymentMethodDetails;
use domain::people::payment_methods::commands;
use rules::Named;
use rules::contractor::ContractorType;
use rules::payment::SplitBy;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::input;
use crate::moment::format_moment;
use crate::people::payment_methods::wire::{PaymentDetailsSplit, PaymentMethodSplit};
use crate::values::{
    AccountNumberText, AccountTypeName, ContractorPayBy, LineText, RoutingNumberText, VersionText,
};

/// The bank account of a contractor.
#[derive(Clone, Serialize, ToSchema)]
pub struct ContractorBankAccount {
    /// identifier
    pub uuid: Uuid,
    /// the contractor
    pub contractor_uuid: Uuid,
    /// `Checking` or `Savings`
    pub account_type: &'static str,
    /// the contractor's name for it
    pub name: String,
    /// nine digits
    pub routing_number: String,
    /// masked: the whole number never leaves the service
    pub hidden_account_number: String,
    /// extension: return code of the last payment to it; while it is there, nothing more is paid to the account. Omitted otherwise
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returned_code: Option<String>,
    /// extension: when that payment was returned
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub returned_at: Option<String>,
}

store::hidden!(ContractorBankAccount);

impl From<BankAccountDetails> for ContractorBankAccount {
    fn from(details: BankAccountDetails) -> Self {
        let account = details.account;
        Self {
            uuid: account.id,
            contractor_uuid: account.contractor,
            name: account.name,
            account_type: account.account_type.as_str(),
            routing_number: details.routing_number,
            hidden_account_number: details.hidden_account_number,
            returned_at: account.returned_at.filter(|_| account.returned_code.is_some()).map(format_moment),
            returned_code: account.returned_code,
        }
    }
}

/// How a contractor is paid.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ContractorPaymentMethod {
    /// concurrency token, to be sent with an update; also changes when a bank account is entered
    pub version: String,
    /// `Direct Deposit` or `Check`; null until it is chosen
    #[serde(rename = "type")]
    pub kind: Option<ContractorPayBy>,
    /// `Percentage`; null without a bank account that is paid to
    pub split_by: Option<&'static str>,
    /// the bank account, which gets everything
    pub splits: Option<Vec<PaymentMethodSplit>>,
}

impl From<PaymentMethodDetails> for ContractorPaymentMethod {
    fn from(details: PaymentMethodDetails) -> Self {
        let version = details.version();
        let PaymentMethodDetails { contractor, account } = details;
        let splits = account.map(|of| {
            vec![PaymentMethodSplit {
                uuid: of.account.id,
                name: of.account.name,
                hidden_account_number: of.hidden_account_number,
                priority: 1,
                split_amount: Some(100),
            }]
        });
        Self {
            version,
            kind: contractor.payment_method.map(ContractorPayBy::from),
            split_by: splits.is_some().then(|| SplitBy::Percentage.as_str()),
            splits,
        }
    }
}

/// How a contractor is paid, in a list.
#[derive(Clone, Serialize, ToSchema)]
pub struct ContractorPaymentDetails {
    /// the contractor
    pub contractor_uuid: Uuid,
    /// `Direct Deposit` or `Check`, also until it is chosen
    pub payment_method: ContractorPayBy,
    /// first name; the name of a business
    pub first_name: String,
    /// last name; empty for a business
    pub last_name: String,
    /// `Percentage`; null for checks
    pub split_by: Option<&'static str>,
    /// the bank account, which gets everything; null for checks
    pub splits: Option<Vec<PaymentDetailsSplit>>,
}

store::hidden!(ContractorPaymentDetails);

impl From<PaymentMethodDetails> for ContractorPaymentDetails {
    fn from(PaymentMethodDetails { contractor, account }: PaymentMethodDetails) -> Self {
        let splits = account.map(|of| {
            vec![PaymentDetailsSplit {
                bank_account_uuid: of.account.id,
                name: of.account.name,
                hidden_account_number: of.hidden_account_number,
                encrypted_account_number: None,
                routing_number: of.routing_number,
                account_type: of.account.account_type.as_str(),
                priority: 1,
                split_amount: Some(100),
            }]
        });
        let method = contractor.payment_method.unwrap_or(rules::contractor::PayBy::Check);
        let (first_name, last_name) = match contractor.kind {
            ContractorType::Individual => (contractor.first_name, contractor.last_name),
            ContractorType::Business => (contractor.business_name, None),
        };
        Self {
            contractor_uuid: contractor.id,
            payment_method: method.into(),
            first_name: first_name.unwrap_or_default(),
            last_name: last_name.unwrap_or_default(),
            split_by: splits.is_some().then(|| SplitBy::Percentage.as_str()),
            splits,
        }
    }
}

input! {
    /// The data of a contractor's bank account.
    ContractorBankAccountInput => commands::BankAccountInput {
        /// the contractor's name for it, at most 100 characters
        #[schema(required)]
        name: LineText,
        /// nine digits, including the check digit
        #[schema(required)]
        routing_number: RoutingNumberText,
        /// 1 to 17 digits
        #[schema(required)]
        account_number: AccountNumberText,
        /// `Checking` or `Savings`
        #[schema(required)]
        account_type: AccountTypeName,
    }

    /// The payment method to set.
    UpdateContractorPaymentMethod => service::UpdateContractorPaymentMethod {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// `Direct Deposit` or `Check`
        #[serde(rename = "type")]
        #[schema(required)]
        kind: ContractorPayBy,
    }
}
